//! Guards of functions with dynamic shapes, before and after the pass `simplify`.
//!
//! Counted: `if`s, block predicates, the comparisons in their conditions, and guards right inside of another one. Where
//! the pass changed a function, both forms are run on small shapes ([`both`](crate::conformance::both)). O(function)
//! beside the pass and the runs.

use ir::effects::EffectTable;
use std::fmt;

use ir::{BinaryOp, Body, ExprId, ExprKind, OpId, OpKind};
use transform::passes::Pass;

use crate::conformance::both::{self, Runs};
use crate::conformance::report::Report;

/// Evaluated nodes of one run.
const MAX_STEPS: u64 = 3_000_000;

/// Guards, comparisons in them, and guards that hold nothing but another guard.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Guards {
    pub(super) guards: usize,
    pub(super) comparisons: usize,
    pub(super) stacked: usize,
}

/// Of one function, or of all.
#[derive(Clone, Debug, Default)]
pub(super) struct Counts {
    name: String,
    functions: usize,
    pub(super) before: Guards,
    pub(super) after: Guards,
    runs: Option<Runs>,
    same: usize,
    /// Of [`Counts::same`], those of which some run was a sample.
    sampled: usize,
    differ: usize,
    not_run: usize,
}

impl Counts {
    pub(super) fn add(&mut self, other: &Counts) {
        self.functions += other.functions;
        for (sum, it) in [(&mut self.before, other.before), (&mut self.after, other.after)] {
            sum.guards += it.guards;
            sum.comparisons += it.comparisons;
            sum.stacked += it.stacked;
        }
        match other.runs {
            Some(Runs::Same { is_whole, .. }) => {
                self.same += 1;
                self.sampled += usize::from(!is_whole);
            }
            Some(Runs::Differ(_)) => self.differ += 1,
            Some(Runs::None(_)) => self.not_run += 1,
            Some(Runs::Unchanged) | None => {}
        }
    }

    /// Functions that do the same on all shapes that were run.
    pub(super) fn same(&self) -> usize {
        self.same
    }

    /// Functions that were run.
    pub(super) fn run(&self) -> usize {
        self.same + self.differ
    }

    pub(super) fn sums(&self) -> String {
        let (change, run) = (self.change(), self.run());
        format!(
            "{} functions; {change}; changed and run {run}, the same {} ({} in samples of their iterations); \
             changed and not run {}",
            self.functions, self.same, self.sampled, self.not_run
        )
    }

    /// Lists the function where the report wants it.
    pub(super) fn write(&self, report: &mut Report) {
        if self.before != self.after {
            report.list(4, "guards of dynamic shapes before and after", self.to_string());
        }
        if self.after.stacked > 0 {
            report.list(5, "guards right inside of another guard are left", self.to_string());
        }
        match &self.runs {
            Some(Runs::Differ(why)) => {
                report.list(3, "other results after the pass", format!("{}: {why}", self.name));
            }
            Some(Runs::None(why)) => {
                let title = "changed functions of dynamic shapes that are not run";
                report.list(7, title, format!("{}: {why}", self.name));
            }
            Some(Runs::Unchanged | Runs::Same { .. }) | None => {}
        }
    }

    fn change(&self) -> String {
        let (old, new) = (self.before, self.after);
        format!(
            "guards {} -> {}, comparisons in them {} -> {}, guards right inside of another one {} -> {}",
            old.guards, new.guards, old.comparisons, new.comparisons, old.stacked, new.stacked
        )
    }
}

impl fmt::Display for Counts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.name, self.change())?;
        match &self.runs {
            Some(Runs::Same { shapes, is_whole }) => {
                let of = if *is_whole { "" } else { ", in samples of the iterations" };
                write!(f, "; the same on {shapes} shapes{of}")
            }
            Some(Runs::None(_)) => write!(f, "; not run"),
            _ => Ok(()),
        }
    }
}

/// The guards of a function before and after.
pub(super) fn count(name: &str, body: &Body) -> Counts {
    let after = Pass::Simplify.run(body, EffectTable::builtin());
    Counts {
        name: name.to_owned(),
        functions: 1,
        before: guards(body),
        after: guards(&after),
        runs: Some(both::runs(body, &after, both::shapes(body), MAX_STEPS)),
        ..Counts::default()
    }
}

fn guards(body: &Body) -> Guards {
    let mut found = Guards::default();
    for op in body.ops_preorder() {
        let operation = &body.ops[op];
        let condition = match operation.kind {
            OpKind::If => operation.operands.first(),
            OpKind::SBlock(block) if body.sblocks[block].has_predicate => operation.operands.last(),
            _ => None,
        };
        if let Some(&condition) = condition {
            found.guards += 1;
            found.comparisons += comparisons(body, condition);
        }
        found.stacked += usize::from(holds_a_guard_only(body, op));
    }
    found
}

/// Returns true if an `if` without `else` holds nothing but another one.
fn holds_a_guard_only(body: &Body, op: OpId) -> bool {
    let only = |op: OpId| {
        let operation = &body.ops[op];
        let is_guard = operation.kind == OpKind::If && operation.regions.len() == 1;
        let region = *operation.regions.first().filter(|_| is_guard)?;
        match body.blocks[body.regions[region].blocks[0]].ops[..] {
            [inner] => Some(inner),
            _ => None,
        }
    };
    only(op).is_some_and(|it| body.ops[it].kind == OpKind::If && body.ops[it].regions.len() == 1)
}

fn comparisons(body: &Body, condition: ExprId) -> usize {
    let mut found = 0;
    let mut stack = vec![condition];
    while let Some(at) = stack.pop() {
        let kind = body.expr(at).kind;
        found +=
            usize::from(matches!(kind, ExprKind::Binary(op, ..) if BinaryOp::is_comparison(op)));
        body.each_child(kind, &mut |it| stack.push(it));
    }
    found
}

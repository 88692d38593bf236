//! Whole functions after our pass `simplify` and after TVM's `StmtSimplify`: the remaining work.
//!
//! Input: a body, and the same function as TVM's pass left it. Output: [`Remaining`] of each: statements, and the cost
//! of all their operands ([`arith::simplify::Cost`]), counted once each wherever they stand. O(function) beside our
//! pass.

use ir::effects::EffectTable;
use std::cmp::Ordering;

use arith::simplify::Simplifier;
use ir::{Body, OpKind};
use transform::passes::Pass;

use crate::conformance::report::Report;

/// Of the original, of ours, of TVM's.
#[derive(Clone, Copy, Debug)]
pub(super) struct Remaining {
    before: Work,
    ours: Work,
    theirs: Work,
}

/// The work of a function.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Work {
    statements: u64,
    cost: u64,
}

impl std::fmt::Display for Work {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} statements, cost {}", self.statements, self.cost)
    }
}

impl Work {
    /// Measures a function.
    pub(crate) fn of(body: &Body) -> Work {
        let mut costs = Simplifier::new(body);
        let mut work = Work::default();
        for op in body.ops_preorder() {
            work.statements += 1;
            if matches!(body.ops[op].kind, OpKind::Attr(_)) {
                continue;
            }
            for &operand in &body.ops[op].operands {
                work.cost += costs.cost(operand).cost;
            }
        }
        work
    }

    /// Statements count as an operation each.
    pub(crate) fn all(self) -> u64 {
        self.statements + self.cost
    }
}

impl Remaining {
    /// Runs our pass and measures.
    pub(super) fn of(body: &Body, theirs: &Body) -> Remaining {
        let of = Work::of;
        Remaining {
            before: of(body),
            ours: of(&Pass::Simplify.run(body, EffectTable::builtin())),
            theirs: of(theirs),
        }
    }
}

/// Of all functions.
#[derive(Default)]
pub(super) struct Sums {
    simpler: usize,
    equal: usize,
    not_as: usize,
    work: [u64; 3],
}

impl Sums {
    pub(super) fn add(&mut self, name: &str, left: &Remaining, report: &mut Report) {
        for (sum, it) in self.work.iter_mut().zip([left.before, left.ours, left.theirs]) {
            *sum += it.all();
        }
        match left.ours.all().cmp(&left.theirs.all()) {
            Ordering::Less => self.simpler += 1,
            Ordering::Equal => self.equal += 1,
            Ordering::Greater => {
                self.not_as += 1;
                let line =
                    format!("{name}: {}; ours {}; TVM's {}", left.before, left.ours, left.theirs);
                report.list(6, "functions with more left than after TVM's StmtSimplify", line);
            }
        }
    }

    pub(super) fn write(&self, report: &mut Report) {
        let [before, ours, theirs] = self.work;
        report.note(format!(
            "whole functions after `simplify` and after TVM's StmtSimplify: less left {}, as much {}, more {}; \
             statements and cost of operands {before} -> ours {ours}, TVM's {theirs}",
            self.simpler, self.equal, self.not_as
        ));
    }
}

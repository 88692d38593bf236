//! The preset `tvm-2022`: the plan of TVM's `CommonSubexprElimTIR` of v0.21 to v0.23 (apache/tvm#9482 and its
//! successors).
//!
//! At every statement and every expression the pass collects the largest computations in it, with their counts; takes
//! the largest first; puts in a variable that already has the value, or binds a new one around the statement or
//! expression if all its variables are known there and it is met twice; and else splits it. After each sweep that bound
//! something a statement is swept again. The computations inside a loop or a branch are visible outside only where
//! another part of the same statement has them as well.
//!
//! | module | is |
//! |---|---|
//! | `pool` | terms, hash-consed; `normal`: which of them are the same |
//! | `barriers` | what is seen of loops and branches from outside |
//! | `group` | what one statement sees: slots and events |
//! | `run` | context, names that were given, import of nodes |
//! | `sweep` | one sweep, and its replacements |
//! | `visit`, `exprs` | the order of visits: statements, expressions |
//! | `outcome`, `forms`, `judge` | from a finished run to a plan; which form an occurrence has; what speaks against it |
//!
//! Its results are TVM's, names and order included (numbers count in the order of creation, the one made last stands
//! first). The differences: bindings that would add a trap or an overflow are refused by name without `allow_unsound`,
//! and split as if their count were one; the variable of a `T.Let` of the user is never substituted for a value;
//! equivalence by normal forms (`identify_equiv_terms`, level `arithmetic`) is that of `arith::canonical` and not that
//! of TVM's simplifier; parts of schedulable blocks that are not operands (domains, regions) are not visited: lowered
//! code has none.
//!
//! **Growth.** TVM starts again at every statement and part of an expression, with a walk of everything for each
//! binding: cubic. Here each operand is read once in the scope that it is directly in; later sweeps visit only the
//! users of the new variable. O(n log n) but where the result itself is longer: a value that is taken out in k sweeps
//! (squares of squares) is looked at k times.

mod barriers;
mod exprs;
mod forms;
mod group;
mod judge;
mod normal;
mod outcome;
mod pool;
mod run;
mod sweep;
mod visit;

use ir::{
    Body, ExprId, ExprKind, OpId, OpKind, ValueId, ValueKind,
    arena::Id,
    plan::{CsePlan, Equivalence},
};
use rustc_hash::FxHashSet;

use self::{
    barriers::Barriers, forms::Forms, normal::Normal, outcome::Outcome, pool::Pool, run::Run,
    run::Vetoes, visit::Visitor,
};
use super::{
    CseOptions, Work,
    facts::{Facts, Seen},
    names::Names,
};

/// The limit on runs with reasons against some bindings of the run before; then nothing more is tried.
const MAX_RUNS: usize = 16;

pub(super) fn plan(facts: &Facts<'_>, options: &CseOptions, work: &mut Work) -> CsePlan {
    let visitor = visitor(facts, work);
    let mut vetoes = Vetoes::default();
    let mut is_bounded = false;
    for n_runs in 0.. {
        let outcome = run(facts, options, &visitor, &vetoes, is_bounded, work);
        let origins = outcome.made.iter().map(|it| it.origin).chain(vetoes.values.keys().copied());
        let lists = judge::lists(facts, origins);
        let forms = Forms::new(facts, &outcome.made);
        let members = judge::members(facts, &outcome, &lists, &forms);
        let new = judge::vetoes(facts, options, &outcome, &members, &forms);
        if new.is_empty() {
            let refused = outcome::refused(&vetoes, &lists);
            let mut plan = outcome.plan(facts, &members, &forms, &refused);
            if facts.source.is_none() {
                plan.dropped = dropped(facts.body);
            }
            return plan;
        }
        vetoes.values.extend(new.values);
        vetoes.users.extend(new.users);
        is_bounded = n_runs >= MAX_RUNS;
    }
    unreachable!("a run that makes nothing has nothing against it")
}

/// One run. A bounded run makes no new bindings, so that its earlier ones stand.
fn run(
    facts: &Facts<'_>,
    options: &CseOptions,
    visitor: &Visitor,
    vetoes: &Vetoes,
    is_bounded: bool,
    work: &mut Work,
) -> Outcome {
    let pool = Pool::new(facts.body, textless(facts));
    let normal = Normal::new(options.equivalence == Equivalence::Arithmetic);
    let limit = if is_bounded { Some(0) } else { options.max_bindings };
    let mut run = Run::new(facts, pool, normal, vetoes, names(facts), limit, work);
    let params = facts.body.values.iter().filter(|(_, it)| matches!(it.kind, ValueKind::Param(_)));
    params.for_each(|(id, _)| run.enter(id.index() as u32, None));
    visitor.region(&mut run, facts.body.root);
    outcome::of_run(&run)
}

fn visitor(facts: &Facts<'_>, work: &mut Work) -> Visitor {
    let n_orders = facts.body.ops.len() + 2;
    let mut visitor = Visitor {
        barriers: Barriers::collect(facts.body, facts.occurrences, work),
        is_repeated: vec![false; n_orders],
        n_occurrences: vec![0; facts.body.n_exprs()],
    };
    for (_, it) in facts.occurrences.iter() {
        work.visited += 1;
        let n = &mut visitor.n_occurrences[it.expr.index()];
        *n = (*n + 1).min(2);
        if *n == 2 {
            let from = facts.visible_from(it.expr) as usize;
            if let Some(is_repeated) = visitor.is_repeated.get_mut(from) {
                *is_repeated |= !facts.body.expr(it.expr).is_leaf();
            }
        }
    }
    visitor
}

/// By node: that no occurrence of it has a text.
fn textless(facts: &Facts<'_>) -> Vec<bool> {
    if facts.source.is_none() {
        return Vec::new();
    }
    let mut textless = vec![true; facts.body.n_exprs()];
    for (id, it) in facts.occurrences.iter() {
        textless[it.expr.index()] &= !facts.has(id, Seen::REAL);
    }
    textless
}

/// New names. Without a text only names of variables that are used are taken, as in TVM: printing keeps others apart.
fn names<'a>(facts: &'a Facts<'a>) -> Box<dyn FnMut() -> Box<str> + 'a> {
    let used: FxHashSet<ValueId> = facts
        .occurrences
        .iter()
        .filter_map(|(_, it)| match facts.body.expr(it.expr).kind {
            ExprKind::Value(value) => Some(value),
            _ => None,
        })
        .collect();
    let taken: FxHashSet<&str> = used
        .into_iter()
        .map(|it| facts.body.name(facts.body.values[it].name))
        .filter(|it| it.starts_with("cse_v"))
        .collect();
    let mut names = Names::collect(facts, facts.source.is_none());
    Box::new(move || {
        loop {
            let name = names.next();
            if !taken.contains(&*name) {
                return name;
            }
        }
    })
}

/// Statements that TVM's mutators leave out: `T.evaluate(0)` among others.
fn dropped(body: &Body) -> Vec<OpId> {
    let mut dropped = Vec::new();
    for (_, block) in body.blocks.iter() {
        let mut sequence: Vec<OpId> = Vec::new();
        let mut end = |sequence: &mut Vec<OpId>| {
            let idle: Vec<OpId> =
                sequence.iter().copied().filter(|&it| is_idle(body, it)).collect();
            let keeps_one = idle.len() == sequence.len();
            dropped.extend(idle.into_iter().skip(usize::from(keeps_one)));
            sequence.clear();
        };
        for &op in &block.ops {
            sequence.push(op);
            let holds_rest = matches!(
                body.ops[op].kind,
                OpKind::Bind | OpKind::Alloc { .. } | OpKind::DeclBuffer { .. }
            );
            if holds_rest && body.ops[op].regions.is_empty() {
                end(&mut sequence);
            }
        }
        end(&mut sequence);
    }
    dropped.sort_unstable();
    dropped
}

fn is_idle(body: &Body, op: OpId) -> bool {
    let op = &body.ops[op];
    let is_zero = |it: &ExprId| body.expr(*it).kind == ExprKind::Int(0);
    op.kind == OpKind::Evaluate && op.operands.first().is_some_and(is_zero)
}

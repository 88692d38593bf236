//! Facts that nothing shows about one expression, and that would decide it or make it simpler.
//!
//! In: an occurrence of an integer or a condition. Out: facts that are missing: that a divisor or a factor is positive;
//! a condition that a rule of the simplifier asks for; of a guard, that it holds for all iterations of the loops around
//! (`i < n` in a loop over `m` iterations: `m <= n`), that it is the same in all of them (`i * 4 + v < n` in a
//! vectorized loop over 4 lanes `v`: `n % 4 == 0`), or that an operator in it cannot fail. Never a fact that some run
//! contradicts, at the expression or where the fact would be written. Contexts are made anew, O(function): for one
//! expression that a person asks about.

use arith::{Analyzer, ContextId, Lacking, Overflow, Simplifier, simplify::MissingFact};
use dataflow::analyses::Analyses;
use db::{Db, Unit};
use ir::{
    BinaryOp, Body, ExprId, ExprKind, OccurrenceId, OpId, OpKind, Type, ValueId, ValueKind,
    print::expr_text,
};

use crate::deciding_fact::{conditions, fact, names, number_beside};

/// Expressions of more nodes have no facts that a person would write.
const MAX_NODES: u32 = 64;
/// Loops of more iterations are no vectors.
const MOST_LANES: i64 = 64;
/// Overflow is an error of the program where the value is used.
const READING: Overflow = Overflow::Excluded;

/// A fact that is not shown.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Lack {
    /// The fact, as a condition of the kernel.
    pub(crate) fact: String,
    /// The variables that it names.
    pub(crate) names: Vec<ValueId>,
    /// The loop in all iterations of which a condition is the same with the fact.
    pub(crate) same_over: Option<ValueId>,
    /// The fact as conditions that all hold, in the body of the simplifier that looked for it.
    conditions: Vec<ExprId>,
}

/// The facts that are missing about an occurrence, each by itself enough for something. A fact about some names would
/// be written before the operation that `written_before` gives for them.
pub(crate) fn lacks<'db>(
    db: &'db dyn Db,
    unit: Unit<'db>,
    occurrence: OccurrenceId,
    written_before: &dyn Fn(&[ValueId]) -> Option<OpId>,
) -> Vec<Lack> {
    let analyses = db::analyses(db, unit);
    let Analyses { body, occurrences, effects, .. } = analyses;
    let expr = occurrences[occurrence].expr;
    let node = body.expr(expr);
    let is_number = body.dtype(expr).is_some_and(|it| {
        (it.is_integer() || it.is_bool()) && it.is_scalar() && !matches!(node.ty, Type::Unknown)
    });
    if !is_number || node.is_constant() || node.size > MAX_NODES {
        return Vec::new();
    }
    let mut simplifier = Simplifier::with_effects(body, effects);
    let places = analyses.conditions(simplifier.analyzer());
    let ctx = places.at(&analyses.flow(), occurrence);
    let mut res = Vec::new();
    if body.ty(expr).is_bool() {
        res.extend(deciding(&mut simplifier, ctx, expr));
        res.extend(for_all_iterations(&mut simplifier, ctx, expr));
        res.extend(failing(&mut simplifier, expr));
        res.extend(same_over_lanes(&mut simplifier, expr));
    }
    for it in simplifier.missing(ctx, expr, READING) {
        if let MissingFact::Holds(condition) = it.fact {
            let text = expr_text(simplifier.body(), condition);
            res.push(lack(simplifier.body(), text, vec![condition]));
        }
    }
    res.retain(|it: &Lack| {
        let before = written_before(&it.names).map(|it| places.before(it));
        let mut contexts = [ctx].into_iter().chain(before);
        !contexts.any(|place| is_refuted(simplifier.analyzer(), place, &it.conditions))
    });
    let mut told: Vec<String> = Vec::new();
    res.retain(|it: &Lack| {
        let is_new = !told.contains(&it.fact);
        told.push(it.fact.clone());
        is_new
    });
    res
}

/// Returns true if the fact that an operator cannot fail is one that no run contradicts, at an occurrence and before an
/// operation.
pub(crate) fn may_be_stated<'db>(
    db: &'db dyn Db,
    unit: Unit<'db>,
    culprit: ExprId,
    occurrence: OccurrenceId,
    before: OpId,
) -> bool {
    let analyses = db::analyses(db, unit);
    let mut analyzer = Analyzer::growing(analyses.body, analyses.effects);
    let places = analyses.conditions(&mut analyzer);
    let contexts = [places.at(&analyses.flow(), occurrence), places.before(before)];
    let facts = conditions(&mut analyzer, culprit);
    !contexts.into_iter().any(|it| is_refuted(&mut analyzer, it, &facts))
}

/// Returns true if some run that reaches a context contradicts one of some conditions.
fn is_refuted(analyzer: &mut Analyzer<'_>, ctx: ContextId, conditions: &[ExprId]) -> bool {
    let attained = analyzer.attained(ctx);
    conditions.iter().any(|&it| analyzer.is_refuted(READING, ctx, it, &attained))
}

/// Facts about divisors and factors that together decide a condition.
fn deciding(simplifier: &mut Simplifier<'_>, ctx: ContextId, condition: ExprId) -> Option<Lack> {
    let (_, lacking) = simplifier.analyzer().lacking(READING, ctx, condition)?;
    let mut texts = Vec::new();
    let mut facts = Vec::new();
    for it in lacking {
        let Lacking::AtLeast(expr, least) = it else { return None };
        let text = expr_text(simplifier.body(), expr);
        texts.push(if least == 1 { format!("{text} > 0") } else { format!("{text} >= {least}") });
        facts.push(simplifier.analyzer().grow(|body| {
            let least = number_beside(body, expr, least);
            body.binary(BinaryOp::Ge, expr, least)
        }));
    }
    Some(lack(simplifier.body(), texts.join(" and "), facts))
}

/// The fact that a comparison holds in all iterations of the loops around it.
fn for_all_iterations(
    simplifier: &mut Simplifier<'_>,
    ctx: ContextId,
    condition: ExprId,
) -> Option<Lack> {
    let body = simplifier.body();
    let ExprKind::Binary(op, a, b) = body.expr(condition).kind else { return None };
    let (less, more, op) = match op {
        BinaryOp::Lt | BinaryOp::Le => (a, b, op),
        BinaryOp::Gt => (b, a, BinaryOp::Lt),
        BinaryOp::Ge => (b, a, BinaryOp::Le),
        _ => return None,
    };
    let all = names(body, [condition]);
    let loops: Vec<ValueId> = all.into_iter().filter(|it| is_of_loop(body, *it)).collect();
    if loops.is_empty() {
        return None;
    }
    let greatest = simplifier.analyzer().int_set(READING, ctx, less, &loops)?.max?;
    let least = simplifier.analyzer().int_set(READING, ctx, more, &loops)?.min?;
    let body = simplifier.body();
    if body.ty(greatest) != body.ty(least) {
        return None;
    }
    let fact = simplifier.analyzer().grow(|it| it.binary(op, greatest, least));
    let root = simplifier.analyzer().root();
    let fact = simplifier.simplify(root, fact, READING);
    let body = simplifier.body();
    let it = lack(body, expr_text(body, fact), vec![fact]);
    let is_free = !it.names.is_empty() && !it.names.iter().any(|name| loops.contains(name));
    (is_free && body.expr(fact).size <= MAX_NODES).then_some(it)
}

/// The fact that shows that no operator of a guard fails, wherever it stands.
fn failing(simplifier: &mut Simplifier<'_>, condition: ExprId) -> Option<Lack> {
    let root = simplifier.analyzer().root();
    let culprit = simplifier.analyzer().why_may_trap(root, condition)?;
    let text = fact(simplifier.body(), culprit)?;
    let facts = conditions(simplifier.analyzer(), culprit);
    Some(lack(simplifier.body(), text, facts))
}

/// The fact that a comparison with a bound is the same in all iterations of a short loop: the bound is a multiple of
/// their number. Without it a vectorized loop is made one of scalars.
fn same_over_lanes(simplifier: &mut Simplifier<'_>, condition: ExprId) -> Option<Lack> {
    let body = simplifier.body();
    let ExprKind::Binary(op, a, b) = body.expr(condition).kind else { return None };
    if !matches!(op, BinaryOp::Lt | BinaryOp::Le | BinaryOp::Gt | BinaryOp::Ge) {
        return None;
    }
    for (lanes, bound) in [(a, b), (b, a)] {
        let node = body.expr(bound);
        if node.is_constant() || node.flags.has_load || node.flags.has_call {
            continue;
        }
        let beside = names(body, [bound]);
        let of_lanes = names(body, [lanes]).into_iter().filter(|it| !beside.contains(it));
        let mut loops = of_lanes.filter_map(|it| Some((it, lane_count(body, it)?)));
        let Some((over, n)) = loops.next_back() else {
            continue;
        };
        let text = match node.kind {
            ExprKind::Value(_) => expr_text(body, bound),
            _ => format!("({})", expr_text(body, bound)),
        };
        let fact = simplifier.analyzer().grow(|body| {
            let [n, zero] = [n, 0].map(|it| number_beside(body, bound, it));
            let rest = body.binary(BinaryOp::FloorMod, bound, n);
            body.binary(BinaryOp::Eq, rest, zero)
        });
        let known = lack(simplifier.body(), format!("{text} % {n} == 0"), vec![fact]);
        return Some(Lack { same_over: Some(over), ..known });
    }
    None
}

/// The number of iterations of a short loop, by its variable.
fn lane_count(body: &Body, variable: ValueId) -> Option<i64> {
    let around = loop_of(body, variable)?;
    let extent = *body.ops[around].operands.get(1)?;
    let ExprKind::Int(n) = body.expr(extent).kind else { return None };
    (2..=MOST_LANES).contains(&n).then_some(n)
}

/// Returns true for the variable of a loop.
fn is_of_loop(body: &Body, value: ValueId) -> bool {
    loop_of(body, value).is_some()
}

/// The loop that has a variable.
fn loop_of(body: &Body, value: ValueId) -> Option<OpId> {
    let ValueKind::BlockArg(block, _) = body.values[value].kind else { return None };
    let around = body.regions[body.blocks[block].parent].parent;
    around.filter(|it| matches!(body.ops[*it].kind, OpKind::For(_)))
}

/// A fact in words and as conditions.
fn lack(body: &Body, fact: String, conditions: Vec<ExprId>) -> Lack {
    Lack { fact, names: names(body, conditions.iter().copied()), same_over: None, conditions }
}

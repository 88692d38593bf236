//! Facts that nothing shows about one expression, and that would decide it or make it simpler.
//!
//! In: an occurrence of an integer or a condition. Out: facts that are missing: that a divisor or a factor is positive;
//! a condition that a rule of the simplifier asks for; of a guard, that it holds for all iterations of the loops around
//! (`i < n` in a loop over `m` iterations: `m <= n`), that it is the same in all of them (`i * 4 + v < n` in a
//! vectorized loop over 4 lanes `v`: `n % 4 == 0`), or that an operator in it cannot fail. Contexts are made anew,
//! O(function): for one expression that a person asks about.

use arith::{ContextId, Lacking, Overflow, Simplifier, simplify::MissingFact};
use dataflow::analyses::Analyses;
use db::{Db, Unit};
use ir::{
    BinaryOp, Body, ExprId, ExprKind, OccurrenceId, OpId, OpKind, Type, ValueId, ValueKind,
    print::expr_text,
};

use crate::deciding_fact::fact;

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
}

/// The facts that are missing about an occurrence, each by itself enough for something.
pub(crate) fn lacks<'db>(db: &'db dyn Db, unit: Unit<'db>, occurrence: OccurrenceId) -> Vec<Lack> {
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
    let conditions = analyses.conditions(simplifier.analyzer());
    let ctx = conditions.at(&analyses.flow(), occurrence);
    let mut res = Vec::new();
    if body.ty(expr).is_bool() {
        res.extend(deciding(&mut simplifier, ctx, expr));
        res.extend(for_all_iterations(&mut simplifier, ctx, expr));
        res.extend(failing(&mut simplifier, expr));
        res.extend(same_over_lanes(simplifier.body(), expr));
    }
    for it in simplifier.missing(ctx, expr, READING) {
        if let MissingFact::Holds(condition) = it.fact {
            res.push(lack(simplifier.body(), expr_text(simplifier.body(), condition), [condition]));
        }
    }
    let mut told: Vec<String> = Vec::new();
    res.retain(|it: &Lack| {
        let is_new = !told.contains(&it.fact);
        told.push(it.fact.clone());
        is_new
    });
    res
}

/// Facts about divisors and factors that together decide a condition.
fn deciding(simplifier: &mut Simplifier<'_>, ctx: ContextId, condition: ExprId) -> Option<Lack> {
    let (_, lacking) = simplifier.analyzer().lacking(READING, ctx, condition)?;
    let body = simplifier.body();
    let mut texts = Vec::new();
    let mut about = Vec::new();
    for it in lacking {
        let Lacking::AtLeast(expr, least) = it else { return None };
        let text = expr_text(body, expr);
        texts.push(if least == 1 { format!("{text} > 0") } else { format!("{text} >= {least}") });
        about.push(expr);
    }
    Some(lack(body, texts.join(" and "), about))
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
    let it = lack(body, expr_text(body, fact), [fact]);
    let is_free = !it.names.is_empty() && !it.names.iter().any(|name| loops.contains(name));
    (is_free && body.expr(fact).size <= MAX_NODES).then_some(it)
}

/// The fact that shows that no operator of a guard fails, wherever it stands.
fn failing(simplifier: &mut Simplifier<'_>, condition: ExprId) -> Option<Lack> {
    let root = simplifier.analyzer().root();
    let culprit = simplifier.analyzer().why_may_trap(root, condition)?;
    let body = simplifier.body();
    Some(lack(body, fact(body, culprit)?, [culprit]))
}

/// The fact that a comparison with a bound is the same in all iterations of a short loop: the bound is a multiple of
/// their number. Without it a vectorized loop is made one of scalars.
fn same_over_lanes(body: &Body, condition: ExprId) -> Option<Lack> {
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
        let known = lack(body, format!("{text} % {n} == 0"), [bound]);
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

fn lack(body: &Body, fact: String, about: impl IntoIterator<Item = ExprId>) -> Lack {
    Lack { fact, names: names(body, about), same_over: None }
}

/// The variables in some expressions.
pub(crate) fn names(body: &Body, about: impl IntoIterator<Item = ExprId>) -> Vec<ValueId> {
    let mut names = Vec::new();
    let mut todo: Vec<ExprId> = about.into_iter().collect();
    while let Some(expr) = todo.pop() {
        let kind = body.expr(expr).kind;
        if let ExprKind::Value(value) = kind {
            names.push(value);
        }
        body.each_child(kind, &mut |child| todo.push(child));
    }
    names
}

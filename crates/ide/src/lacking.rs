//! Facts that nothing shows about one expression, and that would decide it or make it simpler.
//!
//! In: an occurrence of an integer or a condition. Out: facts that are missing: that a divisor or a factor is positive;
//! a condition that a rule of the simplifier asks for; of a guard, that it holds for all iterations of the loops around
//! (`i < n` in a loop over `m` iterations: `m <= n`), or that an operator in it cannot fail. Contexts are made anew,
//! O(function): for one expression that a person asks about.

use arith::{ContextId, Lacking, Overflow, Simplifier, simplify::MissingFact};
use dataflow::analyses::Analyses;
use db::{Db, Unit};
use ir::{
    BinaryOp, Body, ExprId, ExprKind, OccurrenceId, OpKind, Type, ValueId, ValueKind,
    print::expr_text,
};

use crate::deciding_fact::fact;

/// Expressions of more nodes have no facts that a person would write.
const MAX_NODES: u32 = 64;
/// Overflow is an error of the program where the value is used.
const READING: Overflow = Overflow::Excluded;

/// A fact that is not shown.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Lack {
    /// The fact, as a condition of the kernel.
    pub(crate) fact: String,
    /// The variables that it names.
    pub(crate) names: Vec<ValueId>,
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

/// Returns true for the variable of a loop.
fn is_of_loop(body: &Body, value: ValueId) -> bool {
    let ValueKind::BlockArg(block, _) = body.values[value].kind else { return false };
    let around = body.regions[body.blocks[block].parent].parent;
    around.is_some_and(|it| matches!(body.ops[it].kind, OpKind::For(_)))
}

fn lack(body: &Body, fact: String, about: impl IntoIterator<Item = ExprId>) -> Lack {
    Lack { fact, names: names(body, about) }
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

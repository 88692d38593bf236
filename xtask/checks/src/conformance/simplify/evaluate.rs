//! A search for a difference between an expression and TVM's result: by evaluation, on small values that reach the
//! place.
//!
//! Input: an expression and TVM's form of it, in two bodies whose variables have the same names; the context of the
//! place. Output: values for which both differ, in words. Loads and unknown calls are functions of their operands with
//! arbitrary results. Finding none proves nothing. O(tries · size).

use arith::simplify::Simplifier;
use arith::{Constraint, ContextId};
use ir::arena::Id as _;
use ir::{BinaryOp, Body, Callee, ExprId, ExprKind, Intrinsic, UnaryOp, ValueId, ValueKind};
use rustc_hash::FxHashMap;

use crate::conformance::inputs::Random;

/// Assignments that are tried.
const TRIES: usize = 3_000;
/// The number of runs reaching the place that is enough.
const ENOUGH: usize = 300;

/// Values by the name of the variable.
type Values = FxHashMap<String, i128>;

/// Values for which the expression and TVM's form of it differ.
pub(super) fn difference(
    simplifier: &mut Simplifier<'_>,
    at: ContextId,
    before: ExprId,
    their_body: &Body,
    theirs: ExprId,
) -> Option<String> {
    let constraints = constraints(simplifier, at);
    let body = simplifier.body();
    let names = variables(body, before, &constraints);
    let mut random = Random::new("difference", 0);
    let mut hits = 0;
    for _ in 0..TRIES {
        let Some(values) = assignment(body, &constraints, &names, &mut random) else { continue };
        let Some(expected) = value(body, before, &values) else { continue };
        hits += 1;
        let found = value(their_body, theirs, &values);
        if found != Some(expected) {
            let mut shown: Vec<String> =
                values.iter().map(|(name, value)| format!("{name} = {value}")).collect();
            shown.sort();
            let found = found.map_or("an error".to_owned(), |it| it.to_string());
            return Some(format!("{}: {expected}, not {found}", shown.join(", ")));
        }
        if hits == ENOUGH {
            break;
        }
    }
    None
}

/// The chain of a context, outermost first.
fn constraints(simplifier: &mut Simplifier<'_>, context: ContextId) -> Vec<Constraint> {
    let analyzer = simplifier.analyzer();
    let mut chain = Vec::new();
    let mut at = Some(context);
    while let Some(context) = at {
        chain.push(analyzer.constraint(context));
        at = analyzer.parent(context);
    }
    chain.reverse();
    chain
}

/// The variables that matter.
fn variables(body: &Body, expr: ExprId, constraints: &[Constraint]) -> Vec<ValueId> {
    let mut roots = vec![expr];
    for constraint in constraints {
        match *constraint {
            Constraint::Assume { cond, .. } => roots.push(cond),
            Constraint::Range { min, extent, .. } => roots.extend(min.into_iter().chain([extent])),
            Constraint::Define { value, .. } => roots.push(value),
            _ => {}
        }
    }
    let mut found = Vec::new();
    let mut seen = rustc_hash::FxHashSet::default();
    while let Some(at) = roots.pop() {
        if !seen.insert(at) {
            continue;
        }
        if let ExprKind::Value(value) = body.expr(at).kind {
            found.push(value);
        }
        body.each_child(body.expr(at).kind, &mut |it| roots.push(it));
    }
    found.sort_by_key(|it| it.index());
    found.dedup();
    found
}

/// Random values under which all constraints hold.
fn assignment(
    body: &Body,
    constraints: &[Constraint],
    names: &[ValueId],
    random: &mut Random,
) -> Option<Values> {
    let mut values = Values::default();
    let name = |value: ValueId| body.name(body.values[value].name).to_owned();
    for &variable in names {
        let is_free = matches!(body.values[variable].kind, ValueKind::Symbol | ValueKind::Param(_));
        let picked = random.below(10) as i128;
        if is_free || body.values[variable].is_size {
            values.insert(name(variable), picked);
        }
        // Others get a value from what the context says of them, or none: TVM may know more of them (block variables).
    }
    for constraint in constraints {
        match *constraint {
            Constraint::Range { var, min, extent, step } => {
                let first = min.map_or(Some(0), |it| value(body, it, &values))?;
                let extent = value(body, extent, &values).filter(|it| *it > 0)?;
                let step = step.map_or(Some(1), |it| value(body, it, &values))?.max(1);
                let count = (extent + step - 1) / step;
                let nth = match random.below(4) {
                    0 => count - 1,
                    1 => 0,
                    _ => random.below(u64::try_from(count).ok()?) as i128,
                };
                values.insert(name(var), first + nth * step);
            }
            Constraint::Assume { cond, holds } => {
                if (value(body, cond, &values)? != 0) != holds {
                    return None;
                }
            }
            Constraint::Define { var, value: defined } => {
                let defined = value(body, defined, &values)?;
                values.insert(name(var), defined);
            }
            Constraint::AtLeast { expr, least } => {
                if value(body, expr, &values)? < i128::from(least) {
                    return None;
                }
            }
            Constraint::Signature | Constraint::Shape { .. } => {}
            Constraint::Binder { .. } => return None,
        }
    }
    Some(values)
}

/// The value; `None` for an error, and for unsupported nodes.
fn value(body: &Body, expr: ExprId, values: &Values) -> Option<i128> {
    let get = |it: ExprId| value(body, it, values);
    let node = body.expr(expr);
    match node.kind {
        ExprKind::Int(value) => Some(value.into()),
        ExprKind::Value(variable) => {
            let name = body.name(body.values[variable].name);
            values.get(name).copied()
        }
        ExprKind::Cast(inner) => get(inner),
        ExprKind::Unary(UnaryOp::Not, inner) => Some(i128::from(get(inner)? == 0)),
        ExprKind::Select(cond, a, b) | ExprKind::IfThenElse(cond, a, b) => {
            get(if get(cond)? != 0 { a } else { b })
        }
        ExprKind::Load { buffer, indices, predicate: None } => {
            let operands: Option<Vec<i128>> =
                body.items(indices).iter().map(|it| get(*it)).collect();
            Some(arbitrary(body.name(body.buffers[buffer].name), &operands?))
        }
        ExprKind::Call { callee: Callee::Intrinsic(_, Intrinsic::Likely), args, .. } => {
            match *body.items(args) {
                [inner] => get(inner),
                _ => None,
            }
        }
        ExprKind::Binary(BinaryOp::And, a, b) => {
            if get(a)? == 0 {
                Some(0)
            } else {
                get(b)
            }
        }
        ExprKind::Binary(BinaryOp::Or, a, b) => {
            if get(a)? != 0 {
                Some(1)
            } else {
                get(b)
            }
        }
        ExprKind::Binary(op, a, b) => binary(op, get(a)?, get(b)?),
        _ => None,
    }
}

/// A small number that depends on nothing but these.
fn arbitrary(name: &str, operands: &[i128]) -> i128 {
    let text = format!("{name} {operands:?}");
    (Random::new(&text, 0).below(12) as i128) - 3
}

fn binary(op: BinaryOp, a: i128, b: i128) -> Option<i128> {
    if op.is_division() && b == 0 {
        return None;
    }
    let floor = |a: i128, b: i128| a.div_euclid(b) - i128::from(b < 0 && a.rem_euclid(b) != 0);
    Some(match op {
        BinaryOp::Add => a.checked_add(b)?,
        BinaryOp::Sub => a.checked_sub(b)?,
        BinaryOp::Mul => a.checked_mul(b)?,
        BinaryOp::Div => a / b,
        BinaryOp::Mod => a % b,
        BinaryOp::FloorDiv => floor(a, b),
        BinaryOp::FloorMod => a - b * floor(a, b),
        BinaryOp::Min => a.min(b),
        BinaryOp::Max => a.max(b),
        BinaryOp::Eq => (a == b).into(),
        BinaryOp::Ne => (a != b).into(),
        BinaryOp::Lt => (a < b).into(),
        BinaryOp::Le => (a <= b).into(),
        BinaryOp::Gt => (a > b).into(),
        BinaryOp::Ge => (a >= b).into(),
        BinaryOp::BitAnd => a & b,
        BinaryOp::BitOr => a | b,
        BinaryOp::BitXor => a ^ b,
        BinaryOp::Shl => a.checked_shl(u32::try_from(b).ok().filter(|it| *it < 31)?)?,
        BinaryOp::Shr => a >> u32::try_from(b).ok().filter(|it| *it < 127)?,
        BinaryOp::And | BinaryOp::Or => return None,
    })
}

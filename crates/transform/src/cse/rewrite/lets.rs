//! Lets inside expressions.
//!
//! A body names the variable of a let by the number of binders between, which changes while an expression is still built. Until its let
//! is made the variable is a *placeholder*: a bound variable with a number that no text reaches. [`bind`] makes the let, and the
//! placeholder a number. O(nodes with free binders in them) a let.

use ir::{
    Body, ExprId, ExprKind, NameId, OccurrenceId,
    plan::{BindingIdx, CsePlan, Within},
};
use rustc_hash::FxHashMap;

use crate::cse::Work;

/// The first number of a placeholder: more binders than this never nest.
const FIRST: u32 = 1 << 30;

/// The lets of a plan, by what they are around, in its order.
#[derive(Default)]
pub(super) struct Lets {
    pub(super) around: FxHashMap<OccurrenceId, Vec<BindingIdx>>,
    pub(super) in_value: FxHashMap<BindingIdx, Vec<BindingIdx>>,
}

impl Lets {
    pub(super) fn of(plan: &CsePlan) -> Lets {
        let mut lets = Lets::default();
        for (index, binding) in plan.bindings.iter().enumerate() {
            match binding.within {
                Some(Within::Occurrence(it)) => lets.around.entry(it).or_default().push(index),
                Some(Within::Value(it)) => lets.in_value.entry(it).or_default().push(index),
                None => {}
            }
        }
        lets
    }
}

/// The variable of a binding whose let is not made yet, for a value like `expr`.
pub(super) fn placeholder(body: &mut Body, binding: BindingIdx, expr: ExprId) -> ExprId {
    let ty = body.ty(expr);
    body.make(ExprKind::Bound(FIRST + binding as u32), ty)
}

/// `T.Let(inner, where={variable: value})`.
pub(super) fn bind(
    body: &mut Body,
    variable: ExprId,
    value: ExprId,
    inner: ExprId,
    name: NameId,
    work: &mut Work,
) -> ExprId {
    let ty = body.ty(inner);
    let mut memo = FxHashMap::default();
    let inner = number(body, variable, inner, 0, &mut memo, work);
    let result = body.make(ExprKind::Let { value, body: inner }, ty);
    body.set_binder_names(result, vec![name]);
    result
}

/// `expr`, which is `depth` binders inside the new let, with the placeholder numbered and what is free moved by one.
fn number(
    body: &mut Body,
    variable: ExprId,
    expr: ExprId,
    depth: u32,
    memo: &mut FxHashMap<(ExprId, u32), ExprId>,
    work: &mut Work,
) -> ExprId {
    if body.expr(expr).flags.open_binders <= depth {
        return expr;
    }
    if let Some(&known) = memo.get(&(expr, depth)) {
        return known;
    }
    work.visited += 1;
    let ty = body.ty(expr);
    let new = match body.expr(expr).kind {
        _ if expr == variable => body.make(ExprKind::Bound(depth), ty),
        ExprKind::Bound(index) if index >= depth && index < FIRST => {
            body.make(ExprKind::Bound(index + 1), ty)
        }
        ExprKind::Bound(_) => expr,
        kind => {
            let inside = match kind {
                ExprKind::Let { .. } => 1,
                ExprKind::Lambda { params, .. } => params,
                _ => 0,
            };
            // The value of a let comes first, and is outside of it.
            let is_let = matches!(kind, ExprKind::Let { .. });
            let mut index = 0;
            stacker::maybe_grow(64 * 1024, 1024 * 1024, || {
                body.map_children(expr, &mut |body, child| {
                    let at = if is_let && index == 0 { depth } else { depth + inside };
                    index += 1;
                    number(body, variable, child, at, memo, work)
                })
            })
        }
    };
    memo.insert((expr, depth), new);
    new
}

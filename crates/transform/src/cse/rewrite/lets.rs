//! Lets inside expressions.
//!
//! A body names the variable of a let by the number of binders between, which changes while an expression is still
//! built. Until its let is made the variable is a *placeholder*: a bound variable with a number that no text reaches.
//! [`bind`] makes the let, and the placeholder a number; [`moved`] makes a value that is written further in, or out,
//! one of the place of its let. O(nodes with free binders in them) a let.

use ir::{
    Body, ExprId, ExprKind, NameId, OccurrenceId,
    plan::{BindingIdx, CsePlan, Within},
};
use rustc_hash::FxHashMap;

use crate::cse::{Work, binders::renumber};

/// The first number of a placeholder: more binders than this never nest.
const FIRST: u32 = 1 << 30;

/// The lets of a plan, by the expression that they enclose, in its order.
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
    let mut of_free = |body: &mut Body, at: ExprId, index: u32, depth: u32| {
        let ty = body.ty(at);
        if at == variable {
            return Some(body.make(ExprKind::Bound(depth), ty));
        }
        (index < FIRST).then(|| body.make(ExprKind::Bound(index + 1), ty))
    };
    let inner = renumber(body, inner, &mut of_free, work);
    let result = body.make(ExprKind::Let { value, body: inner }, ty);
    body.set_binder_names(result, vec![name]);
    result
}

/// A value that is written inside `from` binders, as it is written inside `to` of them: none of those between binds a
/// variable in it, as the planner takes out only values that are known there.
pub(super) fn moved(body: &mut Body, value: ExprId, from: u32, to: u32, work: &mut Work) -> ExprId {
    let mut of_free = |body: &mut Body, at: ExprId, index: u32, _: u32| {
        let ty = body.ty(at);
        let moved = (index < FIRST).then(|| (index + to).checked_sub(from)).flatten()?;
        Some(body.make(ExprKind::Bound(moved), ty))
    };
    renumber(body, value, &mut of_free, work)
}

//! Expressions that may be computed at a place without a new overflow.
//!
//! In: a node, a context. Out: whether every `+ - *` in it was computed on the way already, or is shown to be in range
//! there. O(nodes), once a node and a context that concerns it.

use ir::{BinaryOp, ExprId, ExprKind};
use rustc_hash::FxHashMap;

use crate::{
    Interval, contexts::ContextId, deduction::Deduction, facts::Overflow, integers::is_integral,
};

/// The answers so far.
#[derive(Clone, Default)]
pub(crate) struct AddedOverflow {
    memo: FxHashMap<(ExprId, ContextId), bool>,
}

impl AddedOverflow {
    /// Returns true if computing `expr` in `ctx` adds no overflow to a run that had none on the way: every `+ - *` in
    /// it was computed already ([`crate::Analyzer::is_computed`]), or its exact value is shown to be in range. Weaker
    /// than [`crate::Analyzer::no_overflow`], which holds on every run.
    pub(crate) fn adds_no_overflow(
        &mut self,
        of: &mut Deduction<'_>,
        ctx: ContextId,
        expr: ExprId,
    ) -> bool {
        let ctx = of.relevant(Overflow::Excluded, ctx, expr);
        if let Some(&known) = self.memo.get(&(expr, ctx)) {
            return known;
        }
        let fits = ir::stack::with_room(|| self.fits(of, ctx, expr));
        self.memo.insert((expr, ctx), fits);
        fits
    }

    fn fits(&mut self, of: &mut Deduction<'_>, ctx: ContextId, expr: ExprId) -> bool {
        let node = of.body().expr(expr);
        match node.kind {
            // Variables of binders, and what nobody calls here.
            ExprKind::Let { .. } | ExprKind::Lambda { .. } | ExprKind::Ramp { .. } => return false,
            ExprKind::IfThenElse(cond, a, b) => {
                let Some([then, otherwise]) = of.arms(ctx, cond) else { return false };
                return self.adds_no_overflow(of, ctx, cond)
                    && self.adds_no_overflow(of, then, a)
                    && self.adds_no_overflow(of, otherwise, b);
            }
            _ => {}
        }
        if !of.body().children(expr).into_iter().all(|it| self.adds_no_overflow(of, ctx, it)) {
            return false;
        }
        match node.kind {
            ExprKind::Binary(op @ (BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul), a, b)
                if of.body().dtype(a).is_some_and(is_integral) =>
            {
                stays_in_type(of, ctx, expr, op, a, b)
            }
            _ => true,
        }
    }
}

/// Returns true if `a op b` is in the range of its type, where neither operand overflowed.
fn stays_in_type(
    of: &mut Deduction<'_>,
    ctx: ContextId,
    expr: ExprId,
    op: BinaryOp,
    a: ExprId,
    b: ExprId,
) -> bool {
    const READING: Overflow = Overflow::Excluded;
    let Some(dtype) = of.body().dtype(expr) else { return false };
    let range = Interval::of_type(dtype);
    if dtype.is_int() && dtype.bits >= 32 && of.is_computed(ctx, expr) {
        return true;
    }
    if of.exact(READING, ctx, op, a, b).is_some_and(|it| it.interval.is_within(range)) {
        return true;
    }
    let Some(form) = of.sum_form(READING, ctx, op, a, b) else { return false };
    let sides = [form.plus(-range.min), form.scale(-1).and_then(|it| it.plus(range.max))];
    sides.into_iter().all(|it| it.is_some_and(|it| of.is_non_negative(READING, ctx, &it)))
}

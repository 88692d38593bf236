//! Which sums stay in the range of their type, on every run: the wrapping reading (crate README, "Two readings").
//!
//! In: a node, a context. Out: whether no `+ - *` that it evaluates, or that its value is computed from, leaves its
//! range. O(nodes), once a node and a context that concerns it.

use ir::{BinaryOp, ExprId, ExprKind};
use rustc_hash::FxHashMap;

use super::Deduction;
use crate::{Interval, contexts::ContextId, facts::Overflow, integers::is_integral};

const WRAPS: Overflow = Overflow::Wraps;

/// The part of an expression that must not overflow.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Part {
    /// Every sum that it evaluates.
    Tree,
    /// Every sum that its value is computed from.
    Value,
}

/// The answers so far.
#[derive(Clone, Default)]
pub(super) struct Overflows {
    memo: FxHashMap<(ExprId, ContextId, Part), bool>,
}

impl Deduction<'_> {
    /// Returns true if no `+ - *` that `expr` evaluates can leave the range of its type.
    pub(crate) fn no_overflow(&mut self, ctx: ContextId, expr: ExprId) -> bool {
        self.stays(ctx, expr, Part::Tree)
    }

    /// Returns true if the value of `expr` did not come from an overflow (`SEMANTICS: I1`), so that using it is no
    /// event. A loaded value counts as used before; a variable counts as its definition.
    pub(crate) fn is_untainted(&mut self, ctx: ContextId, expr: ExprId) -> bool {
        self.stays(ctx, expr, Part::Value)
    }

    fn stays(&mut self, ctx: ContextId, expr: ExprId, part: Part) -> bool {
        let key = (expr, self.relevant(WRAPS, ctx, expr), part);
        if let Some(&known) = self.overflows.memo.get(&key) {
            return known;
        }
        let stays = ir::stack::with_room(|| self.stays_in_range(key.1, expr, part));
        self.overflows.memo.insert(key, stays);
        stays
    }

    fn stays_in_range(&mut self, ctx: ContextId, expr: ExprId, part: Part) -> bool {
        let body = self.nodes.share();
        let kind = body.expr(expr).kind;
        match kind {
            ExprKind::Load { .. } if part == Part::Value => return true,
            ExprKind::Value(value) if part == Part::Value => {
                let definition = self.nodes.definition(value);
                return definition.is_none_or(|it| self.stays(ctx, it, part));
            }
            ExprKind::Bound(index) if part == Part::Value => {
                return self.contexts.binder_of(ctx, index).is_some_and(|(around, value)| {
                    value.is_some_and(|it| self.stays(around, it, part))
                });
            }
            ExprKind::Let { value, body } => {
                let inner = self.inside(ctx, value);
                return self.stays(ctx, value, part) && self.stays(inner, body, part);
            }
            ExprKind::IfThenElse(cond, a, b) => {
                let Some([then, otherwise]) = self.arms(ctx, cond) else { return false };
                return self.stays(ctx, cond, part)
                    && self.stays(then, a, part)
                    && self.stays(otherwise, b, part);
            }
            ExprKind::Binary(op, a, _)
                if matches!(op, BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul)
                    && body.dtype(a).is_some_and(is_integral)
                    && !self.is_exact(WRAPS, ctx, expr) =>
            {
                return false;
            }
            ExprKind::Ramp { base, stride, lanes } => {
                let sum = self.ramp_end(ctx, base, stride, lanes);
                let range = body.dtype(expr).map(Interval::of_type);
                if range.is_some_and(|range| !sum.is_within(range)) {
                    return false;
                }
            }
            _ => {}
        }
        body.children(expr).into_iter().all(|it| self.stays(ctx, it, part))
    }

    fn ramp_end(
        &mut self,
        ctx: ContextId,
        base: ExprId,
        stride: ExprId,
        lanes: ExprId,
    ) -> Interval {
        let (base, stride) = (self.bound(ctx, base), self.bound(ctx, stride));
        let ExprKind::Int(lanes) = self.body().expr(lanes).kind else {
            return Interval::EVERYTHING;
        };
        base.plus(stride.times(Interval::new(0, i128::from(lanes).max(1) - 1)))
    }
}

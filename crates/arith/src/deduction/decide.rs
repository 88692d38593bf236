//! Deciding conditions.
//!
//! In: a comparison or logical operator, a context. Out: whether it is always true, always false, or neither is shown.
//! In turn: the bounds of both sides; the bounds of their difference as a linear form, in which what they share
//! cancels; congruences, for equality; excluded values; and, last, the inequalities of the context and the definitions
//! of quotients, remainders, minima and products that are connected with the difference, as one system
//! ([`super::proof`]). The size of a system is bounded, so a decision costs O(1) beyond the facts of its nodes.

use ir::{BinaryOp, ExprId};

use super::{Deduction, proof::Question};
use crate::{
    contexts::ContextId, facts::Overflow, forms::Linear, integers::is_integral,
    states::RelationKind,
};

impl Deduction<'_> {
    /// As [`crate::Analyzer::decide_with`].
    pub(crate) fn decide_with(
        &mut self,
        overflow: Overflow,
        ctx: ContextId,
        cond: ExprId,
    ) -> Option<bool> {
        if !self.body().ty(cond).is_bool() || self.sampled().is_seen_to_vary(ctx, cond) {
            return None;
        }
        self.facts(overflow, ctx, cond).interval.as_constant().map(|it| it != 0)
    }

    /// The truth of `a op b`, the node `expr`.
    pub(crate) fn truth(
        &mut self,
        overflow: Overflow,
        ctx: ContextId,
        expr: ExprId,
        op: BinaryOp,
        a: ExprId,
        b: ExprId,
    ) -> Option<bool> {
        if op.is_logical() {
            return self.logic(overflow, ctx, op, a, b);
        }
        if !self.body().dtype(a).is_some_and(is_integral) {
            return None;
        }
        debug_assert!(self.body().ty(expr).is_bool());
        match op {
            BinaryOp::Lt => self.is_less(overflow, ctx, a, b),
            BinaryOp::Gt => self.is_less(overflow, ctx, b, a),
            BinaryOp::Le => self.is_less(overflow, ctx, b, a).map(|it| !it),
            BinaryOp::Ge => self.is_less(overflow, ctx, a, b).map(|it| !it),
            BinaryOp::Eq => self.is_equal(overflow, ctx, a, b),
            BinaryOp::Ne => self.is_equal(overflow, ctx, a, b).map(|it| !it),
            _ => None,
        }
    }

    /// The value is that of the right side only where the left side does not decide, so the right side may be
    /// simplified under the left one, whether or not the left is evaluated first.
    fn logic(
        &mut self,
        overflow: Overflow,
        ctx: ContextId,
        op: BinaryOp,
        a: ExprId,
        b: ExprId,
    ) -> Option<bool> {
        let decisive = op == BinaryOp::Or;
        let left = self.decide_with(overflow, ctx, a);
        if left == Some(decisive) {
            return left;
        }
        let right = self.decide_with(overflow, ctx, b);
        match (left, right) {
            (_, Some(it)) if it == decisive => right,
            (Some(_), Some(_)) => right,
            _ => None,
        }
    }

    fn is_less(
        &mut self,
        overflow: Overflow,
        ctx: ContextId,
        a: ExprId,
        b: ExprId,
    ) -> Option<bool> {
        let (x, y) = (self.facts(overflow, ctx, a).interval, self.facts(overflow, ctx, b).interval);
        if x.max < y.min {
            return Some(true);
        }
        if x.min >= y.max {
            return Some(false);
        }
        let left = self.linear(overflow, ctx, a)?;
        let right = self.linear(overflow, ctx, b)?;
        let gap = right.minus(&left)?;
        // a < b is b - a - 1 >= 0; a >= b is a - b >= 0.
        let mut question = Question::new(overflow, ctx);
        if self.shows(&mut question, &gap.plus(-1)?) {
            return Some(true);
        }
        self.shows(&mut question, &gap.scale(-1)?).then_some(false)
    }

    fn is_equal(
        &mut self,
        overflow: Overflow,
        ctx: ContextId,
        a: ExprId,
        b: ExprId,
    ) -> Option<bool> {
        let (x, y) = (self.facts(overflow, ctx, a), self.facts(overflow, ctx, b));
        if x.interval.intersect(y.interval).is_empty() || x.modular.intersect(y.modular).is_none() {
            return Some(false);
        }
        if let (Some(x), Some(y)) = (x.interval.as_constant(), y.interval.as_constant()) {
            return Some(x == y);
        }
        // Equal modulo the width is equal, whatever overflows.
        let term = self.nodes.term_of(a);
        if term.is_some() && term == self.nodes.term_of(b) {
            return Some(true);
        }
        let left = self.linear(overflow, ctx, a)?;
        let right = self.linear(overflow, ctx, b)?;
        let gap = left.minus(&right)?;
        if let Some(gap) = gap.as_constant() {
            return Some(gap == 0);
        }
        if !self.modular_of(overflow, ctx, &gap).contains(0)
            || self.is_known_unequal(overflow, ctx, a, b, &gap)
        {
            return Some(false);
        }
        let opposite = gap.scale(-1)?;
        let mut question = Question::new(overflow, ctx);
        let least = self.shows(&mut question, &gap);
        let most = self.shows(&mut question, &opposite);
        match (least, most) {
            (true, true) => Some(true),
            (true, false) => self.shows(&mut question, &gap.plus(-1)?).then_some(false),
            (false, true) => self.shows(&mut question, &opposite.plus(-1)?).then_some(false),
            (false, false) => None,
        }
    }

    /// Returns true if a recorded `!=` shows that `gap`, which is `a - b`, is not 0.
    fn is_known_unequal(
        &mut self,
        overflow: Overflow,
        ctx: ContextId,
        a: ExprId,
        b: ExprId,
        gap: &Linear,
    ) -> bool {
        let sides = [(a, b), (b, a)];
        for (expr, other) in sides {
            if let Some(value) = self.facts(overflow, ctx, other).interval.as_constant() {
                let atom = self.atom(expr);
                let facts = self.recorded(overflow, ctx, atom);
                if self.states.excluded(facts).any(|it| it == value) {
                    return true;
                }
            }
        }
        if let Some((atom, factor, constant)) = gap.single() {
            let facts = self.recorded(overflow, ctx, atom);
            let zero = -constant / factor;
            return constant % factor != 0 || self.states.excluded(facts).any(|it| it == zero);
        }
        let opposite = gap.scale(-1);
        let Some(first) = gap.atoms().next() else { return false };
        let facts = self.recorded(overflow, ctx, first);
        self.states.relations(facts).any(|it| {
            it.kind == RelationKind::NonZero
                && (it.form == *gap || opposite.as_ref() == Some(&it.form))
        })
    }
}

//! Deciding conditions.
//!
//! In: a comparison or logical operator, a context. Out: whether it is always true, always false, or neither is shown.
//! In turn: the bounds of both sides; the bounds of their difference as a linear form, in which what they share cancels;
//! congruences, for equality; excluded values; and the inequalities of the context, added to the goal so that one atom
//! cancels, again and again (transitivity: `i < n` from `i < j` and `j <= n`). That last step is bounded by
//! [`MOST_DEPTH`] and [`MOST_STEPS`], so a decision costs O(1) beyond the facts of its nodes.

use ir::{BinaryOp, ExprId, ExprKind};

use crate::{
    Analyzer, Interval,
    analyzer::Overflow,
    context::ContextId,
    linear::{Linear, is_integral},
    state::RelationKind,
};

/// Inequalities added to one goal.
const MOST_DEPTH: u32 = 3;
/// Sums tried for one goal.
const MOST_STEPS: u32 = 64;

impl Analyzer<'_> {
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
        if !self.body.dtype(a).is_some_and(is_integral) {
            return None;
        }
        debug_assert!(self.body.ty(expr).is_bool());
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

    /// The value is that of the right side only where the left side does not decide, so there the right side may be seen
    /// in the light of the left one, whoever evaluates it.
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
        if self.is_non_negative(overflow, ctx, &gap.plus(-1)?) {
            return Some(true);
        }
        self.is_non_negative(overflow, ctx, &gap.scale(-1)?).then_some(false)
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
        let term = self.term_of(a);
        if term.is_some() && term == self.term_of(b) {
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
        let least = self.is_non_negative(overflow, ctx, &gap);
        let most = self.is_non_negative(overflow, ctx, &opposite);
        match (least, most) {
            (true, true) => Some(true),
            (true, false) => self.is_non_negative(overflow, ctx, &gap.plus(-1)?).then_some(false),
            (false, true) => {
                self.is_non_negative(overflow, ctx, &opposite.plus(-1)?).then_some(false)
            }
            (false, false) => None,
        }
    }

    /// Whether a recorded `!=` says that `gap`, which is `a - b`, is not 0.
    fn is_known_unequal(
        &mut self,
        overflow: Overflow,
        ctx: ContextId,
        a: ExprId,
        b: ExprId,
        gap: &Linear,
    ) -> bool {
        let state = self.state(overflow, ctx);
        let sides = [(a, b), (b, a)];
        for (expr, other) in sides {
            if let Some(value) = self.facts(overflow, ctx, other).interval.as_constant() {
                let key = self.subject(expr);
                let facts = self.store.of_key(state.map, key);
                if self.store.excluded(facts).any(|it| it == value) {
                    return true;
                }
            }
        }
        if let Some((atom, factor, constant)) = gap.single() {
            let key = self.subject(atom);
            let facts = self.store.of_key(state.map, key);
            let zero = -constant / factor;
            return constant % factor != 0 || self.store.excluded(facts).any(|it| it == zero);
        }
        let opposite = gap.scale(-1);
        let Some(first) = gap.atoms().next() else { return false };
        let key = self.subject(first);
        let facts = self.store.of_key(state.map, key);
        self.store.relations(facts).any(|it| {
            it.kind == RelationKind::NonZero
                && (it.form == *gap || opposite.as_ref() == Some(&it.form))
        })
    }

    /// Whether a form is shown not to be negative.
    pub(crate) fn is_non_negative(
        &mut self,
        overflow: Overflow,
        ctx: ContextId,
        goal: &Linear,
    ) -> bool {
        let mut steps = MOST_STEPS;
        self.prove(overflow, ctx, goal, MOST_DEPTH, &mut steps)
    }

    fn prove(
        &mut self,
        overflow: Overflow,
        ctx: ContextId,
        goal: &Linear,
        depth: u32,
        steps: &mut u32,
    ) -> bool {
        self.work.proof_steps += 1;
        if self.interval_of(overflow, ctx, goal).is_non_negative() {
            return true;
        }
        if depth == 0 {
            return false;
        }
        let state = self.state(overflow, ctx);
        for &(atom, factor) in goal.terms() {
            let key = self.subject(atom);
            let facts = self.store.of_key(state.map, key);
            let recorded: Vec<Linear> = self
                .store
                .relations(facts)
                .filter(|it| it.kind == RelationKind::NonNegative)
                .map(|it| it.form.clone())
                .collect();
            let known = self.known_of_atom(overflow, ctx, atom);
            for fact in recorded.into_iter().chain(known) {
                let Some(rest) = without_atom(goal, &fact, atom, factor) else { continue };
                if *steps == 0 {
                    return false;
                }
                *steps -= 1;
                if self.prove(overflow, ctx, &rest, depth - 1, steps) {
                    return true;
                }
            }
        }
        false
    }

    /// Forms that are not negative whatever the context, by what the atom is.
    pub(crate) fn known_of_atom(
        &mut self,
        overflow: Overflow,
        ctx: ContextId,
        atom: ExprId,
    ) -> Vec<Linear> {
        let ExprKind::Binary(op, a, b) = self.body.expr(atom).kind else { return Vec::new() };
        let itself = Linear::atom(atom);
        let forms: Vec<Option<Linear>> = match op {
            BinaryOp::Min | BinaryOp::Max => {
                let sign = if op == BinaryOp::Min { 1 } else { -1 };
                [a, b]
                    .into_iter()
                    .filter_map(|it| self.linear(overflow, ctx, it))
                    .map(|it| it.combine(sign, &itself, -sign))
                    .collect()
            }
            BinaryOp::FloorMod | BinaryOp::Mod => {
                let divisor = self.facts(overflow, ctx, b).interval;
                let dividend = self.facts(overflow, ctx, a).interval;
                if divisor.min <= 0 || !dividend.is_non_negative() {
                    return Vec::new();
                }
                // a % b <= a, and a % b <= b - 1.
                let below = |it: Linear, gap: i128| it.minus(&itself).and_then(|it| it.plus(-gap));
                let whole = self.linear(overflow, ctx, a).and_then(|it| below(it, 0));
                let part = self.linear(overflow, ctx, b).and_then(|it| below(it, 1));
                vec![whole, part]
            }
            _ => return self.known_of_division(overflow, ctx, atom),
        };
        forms.into_iter().flatten().collect()
    }
}

impl Analyzer<'_> {
    /// `divisor * quotient <= dividend <= divisor * quotient + divisor - 1`
    fn known_of_division(
        &mut self,
        overflow: Overflow,
        ctx: ContextId,
        atom: ExprId,
    ) -> Vec<Linear> {
        let Some(it) = self.division(overflow, ctx, atom).filter(|it| it.is_quotient) else {
            return Vec::new();
        };
        let Some(dividend) = self.linear(overflow, ctx, it.dividend) else { return Vec::new() };
        let rest = dividend.combine(1, &Linear::atom(atom), -it.divisor);
        let gap =
            rest.as_ref().and_then(|it| it.scale(-1)).and_then(|gap| gap.plus(it.divisor - 1));
        [rest, gap].into_iter().flatten().collect()
    }
}

/// A positive multiple of `goal` less a positive multiple of `fact`, such that the atom is gone. `goal >= 0` follows from
/// `fact >= 0` and the result being so.
fn without_atom(goal: &Linear, fact: &Linear, atom: ExprId, factor: i128) -> Option<Linear> {
    let other = fact.factor(atom);
    if other == 0 || (other > 0) != (factor > 0) {
        return None;
    }
    let (mut a, mut b) = (other.checked_abs()?, factor.checked_abs()?);
    let (p, q) = (a, b);
    while b != 0 {
        (a, b) = (b, a % b);
    }
    goal.combine(p / a, fact, -(q / a))
}

impl Interval {
    /// Whether the value is known to be one of an index into `extent` cells.
    pub(crate) fn is_index_below(self, extent: Interval) -> bool {
        self.min >= 0 && self.max < extent.min
    }
}

//! The linear forms of nodes: each as a sum of multiples of atoms and a constant.
//!
//! The form equals the value of the node as a mathematical integer, so a sum is taken apart only where it is shown not
//! to leave its type's range (or where the reading excludes that). An *atom* ([`crate::forms`]) is what is not taken
//! apart: a variable, a product of variables, a quotient, a node whose sum might wrap. Two occurrences of an atom have
//! one value; so a node that holds a load has no form at all. Products of sums are distributed.
//!
//! A node whose form would have too many atoms is an atom itself: a chain of n prefixes of a sum costs O(n).

use ir::{BinaryOp, ExprId, ExprKind, arena::Id};

use super::Deduction;

use crate::{
    Interval, Modular,
    contexts::ContextId,
    facts::Overflow,
    forms::Linear,
    integers::{constant_value, is_integral},
    memo::Memo,
};

/// The forms found so far, under both readings.
#[derive(Clone, Default)]
pub(super) struct LinearForms {
    memo: [Memo<Linear>; 2],
}

impl Deduction<'_> {
    /// The linear form of an integer node; none if it is no value of its variables.
    pub(crate) fn linear(
        &mut self,
        overflow: Overflow,
        ctx: ContextId,
        expr: ExprId,
    ) -> Option<Linear> {
        let node = self.body().expr(expr);
        let dtype = node.ty.prim().filter(|it| is_integral(*it))?;
        if !self.nodes.summary(expr).is_stable {
            return None;
        }
        match node.kind {
            ExprKind::Int(value) => return Some(Linear::constant(constant_value(dtype, value))),
            ExprKind::Value(value) if self.nodes.definition(value).is_none() => {
                return Some(Linear::atom(self.atom(expr)));
            }
            _ => {}
        }
        let ctx = self.relevant(overflow, ctx, expr);
        if let Some(known) = self.forms.memo[overflow as usize].get(expr.index(), ctx) {
            return Some(known.clone());
        }
        let atom = Linear::atom(self.atom(expr));
        let place = self.forms.memo[overflow as usize].insert(expr.index(), ctx, atom.clone());
        ir::interrupt::check();
        let form = ir::stack::with_room(|| self.take_apart(overflow, ctx, expr).unwrap_or(atom));
        self.forms.memo[overflow as usize].set(place, form.clone());
        Some(form)
    }

    fn take_apart(&mut self, overflow: Overflow, ctx: ContextId, expr: ExprId) -> Option<Linear> {
        let node = self.body().expr(expr);
        let dtype = self.body().dtype(expr)?;
        match node.kind {
            ExprKind::Value(value) => {
                let definition = self.nodes.definition(value)?;
                if self.body().dtype(definition) != Some(dtype) || dtype.is_bool() {
                    return None;
                }
                let form = self.linear(overflow, ctx, definition)?;
                // A narrow sum that wraps is cut where it is bound (I3): then the two may differ.
                let is_narrow = dtype.bits < 32;
                let is_atom = form == Linear::atom(self.atom(definition));
                (!is_narrow || !is_atom).then_some(form)
            }
            ExprKind::Broadcast { value, .. } => self.linear(overflow, ctx, value),
            ExprKind::Cast(operand) => {
                let from = self.body().dtype(operand)?;
                let fits = is_integral(from)
                    && self
                        .facts(overflow, ctx, operand)
                        .interval
                        .is_within(Interval::of_type(dtype));
                if fits && !dtype.is_bool() { self.linear(overflow, ctx, operand) } else { None }
            }
            ExprKind::Binary(op, ..) if op.is_division() || op == BinaryOp::Shr => {
                self.quotient_form(overflow, ctx, expr)
            }
            ExprKind::Binary(op, a, b) => {
                if !self.is_exact(overflow, ctx, expr) {
                    return None;
                }
                self.sum_form(overflow, ctx, op, a, b)
            }
            _ => None,
        }
    }

    /// `a op b` as a mathematical integer, whatever the type can hold.
    pub(crate) fn sum_form(
        &mut self,
        overflow: Overflow,
        ctx: ContextId,
        op: BinaryOp,
        a: ExprId,
        b: ExprId,
    ) -> Option<Linear> {
        if !matches!(op, BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul | BinaryOp::Shl) {
            return None;
        }
        let left = self.linear(overflow, ctx, a)?;
        let right = self.linear(overflow, ctx, b)?;
        match op {
            BinaryOp::Add => left.combine(1, &right, 1),
            BinaryOp::Sub => left.minus(&right),
            BinaryOp::Mul => self.product_form(&left, &right),
            _ => {
                let amount = right.as_constant().filter(|it| (0..64).contains(it))?;
                left.scale(1 << amount)
            }
        }
    }

    /// Returns true if the difference of two nodes is 0, as a form.
    pub(crate) fn are_equal(
        &mut self,
        overflow: Overflow,
        ctx: ContextId,
        a: ExprId,
        b: ExprId,
    ) -> bool {
        let forms = self.linear(overflow, ctx, a).zip(self.linear(overflow, ctx, b));
        let Some(gap) = forms.and_then(|(a, b)| a.minus(&b)) else { return false };
        self.interval_of(overflow, ctx, &gap).as_constant() == Some(0)
    }

    /// The bounds of a form.
    pub(crate) fn interval_of(
        &mut self,
        overflow: Overflow,
        ctx: ContextId,
        form: &Linear,
    ) -> Interval {
        let mut sum = Interval::constant(form.offset());
        for &(atom, factor) in form.terms() {
            sum = sum.plus(self.facts_of_atom(overflow, ctx, atom).interval.scale(factor));
        }
        sum
    }

    /// The congruence of a form.
    pub(crate) fn modular_of(
        &mut self,
        overflow: Overflow,
        ctx: ContextId,
        form: &Linear,
    ) -> Modular {
        let mut sum = Modular::constant(form.offset());
        for &(atom, factor) in form.terms() {
            sum = sum.plus(self.facts_of_atom(overflow, ctx, atom).modular.scale(factor));
        }
        sum
    }
}

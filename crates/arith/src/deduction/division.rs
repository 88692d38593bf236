//! Quotients and remainders, however they are spelled.
//!
//! `x // 8`, `x >> 3` and, of an `x` that is not negative, `truncdiv(x, 8)` are one quotient; `x % 8`, `x & 7` and the
//! like one remainder (`SEMANTICS: I7`, `I9`). A quotient is an atom of its own; what its definition says of it is said
//! by [`Deduction::known_of_quotient`] and [`Deduction::known_of_remainder`], whose divisor may be a symbol. O(1).

use ir::{BinaryOp, ExprId, ExprKind};
use smallvec::SmallVec;

use super::Deduction;
use crate::{
    Interval,
    contexts::ContextId,
    facts::Overflow,
    forms::{Atom, Linear, Made, Quotient},
};

/// A quotient that rounds to -∞, or the remainder that belongs to it.
pub(crate) struct Division {
    pub(crate) is_quotient: bool,
    pub(crate) dividend: ExprId,
    /// Positive.
    pub(crate) divisor: i128,
}

impl Deduction<'_> {
    /// A node as a division by a positive constant.
    pub(crate) fn division(
        &mut self,
        overflow: Overflow,
        ctx: ContextId,
        expr: ExprId,
    ) -> Option<Division> {
        let ExprKind::Binary(op, dividend, b) = self.body().expr(expr).kind else { return None };
        let is_division = op.is_division() || matches!(op, BinaryOp::Shr | BinaryOp::BitAnd);
        if !is_division || !self.body().dtype(expr)?.is_integer() {
            return None;
        }
        let constant = self.facts(overflow, ctx, b).interval.as_constant()?;
        let bits = i128::from(self.body().dtype(expr)?.bits);
        let (is_quotient, divisor) = match op {
            BinaryOp::Shr if (0..bits).contains(&constant) => (true, 1 << constant),
            // The low bits, of two's complement too.
            BinaryOp::BitAnd if constant >= 0 && (constant + 1) & constant == 0 => {
                (false, constant + 1)
            }
            BinaryOp::FloorDiv | BinaryOp::FloorMod if constant > 0 => {
                (op == BinaryOp::FloorDiv, constant)
            }
            BinaryOp::Div | BinaryOp::Mod if constant > 0 => {
                let range: Interval = self.facts(overflow, ctx, dividend).interval;
                if !range.is_non_negative() {
                    return None;
                }
                (op == BinaryOp::Div, constant)
            }
            _ => return None,
        };
        Some(Division { is_quotient, dividend, divisor })
    }

    /// A node as a division that rounds to -∞: whether it is the quotient, dividend and divisor. The divisor is a
    /// positive constant or a form that may be anything but 0.
    fn floor_division(
        &mut self,
        overflow: Overflow,
        ctx: ContextId,
        expr: ExprId,
    ) -> Option<(bool, Linear, Linear)> {
        if let Some(it) = self.division(overflow, ctx, expr) {
            let dividend = self.linear(overflow, ctx, it.dividend)?;
            return Some((it.is_quotient, dividend, Linear::constant(it.divisor)));
        }
        let ExprKind::Binary(op, a, b) = self.body().expr(expr).kind else { return None };
        let dtype = self.body().dtype(expr).filter(|it| it.is_integer() && it.bits >= 32)?;
        let is_floor = match op {
            BinaryOp::FloorDiv | BinaryOp::FloorMod => true,
            BinaryOp::Div | BinaryOp::Mod => {
                let (x, y) = (self.facts(overflow, ctx, a), self.facts(overflow, ctx, b));
                dtype.is_uint() || (x.interval.is_non_negative() && y.interval.min > 0)
            }
            _ => false,
        };
        if !is_floor {
            return None;
        }
        let is_quotient = matches!(op, BinaryOp::FloorDiv | BinaryOp::Div);
        let divisor = self.linear(overflow, ctx, b).filter(|it| it.as_constant().is_none())?;
        Some((is_quotient, self.linear(overflow, ctx, a)?, divisor))
    }

    /// The form of a node that is a quotient.
    pub(crate) fn quotient_form(
        &mut self,
        overflow: Overflow,
        ctx: ContextId,
        expr: ExprId,
    ) -> Option<Linear> {
        let ExprKind::Binary(BinaryOp::FloorDiv | BinaryOp::Div | BinaryOp::Shr, ..) =
            self.body().expr(expr).kind
        else {
            return None;
        };
        let (is_quotient, dividend, divisor) = self.floor_division(overflow, ctx, expr)?;
        if is_quotient { self.quotient(dividend, divisor) } else { None }
    }

    /// `divisor * quotient <= dividend <= divisor * quotient + divisor - 1`, for a positive divisor.
    pub(crate) fn known_of_quotient(
        &mut self,
        overflow: Overflow,
        ctx: ContextId,
        atom: Atom,
    ) -> SmallVec<[Linear; 2]> {
        let Some(Quotient { dividend, divisor }) = self.atoms.as_quotient(atom) else {
            return SmallVec::new();
        };
        if self.interval_of(overflow, ctx, &divisor).min <= 0 {
            return SmallVec::new();
        }
        let Some(most) = self.product_form(&divisor, &Linear::atom(atom)) else {
            return SmallVec::new();
        };
        let rest = dividend.minus(&most);
        let gap = rest.as_ref().and_then(|it| divisor.minus(it)).and_then(|it| it.plus(-1));
        [rest, gap].into_iter().flatten().collect()
    }

    /// `remainder = dividend - divisor * quotient`, and `remainder < divisor` for a positive divisor.
    pub(crate) fn known_of_remainder(
        &mut self,
        overflow: Overflow,
        ctx: ContextId,
        expr: ExprId,
    ) -> SmallVec<[Linear; 2]> {
        let mut forms = SmallVec::new();
        let Some((false, dividend, divisor)) = self.floor_division(overflow, ctx, expr) else {
            return forms;
        };
        let itself = Linear::atom(self.atom(expr));
        if self.interval_of(overflow, ctx, &divisor).min > 0 {
            forms.extend(divisor.minus(&itself).and_then(|it| it.plus(-1)));
            // The quotient is not negative then.
            if self.interval_of(overflow, ctx, &dividend).is_non_negative() {
                forms.extend(dividend.minus(&itself));
            }
        }
        if let Some(quotient) = self.quotient(dividend.clone(), divisor.clone())
            && let Some(most) = self.product_form(&divisor, &quotient)
            && let Some(equal) = dividend.minus(&most).and_then(|it| it.minus(&itself))
        {
            forms.extend(equal.scale(-1));
            forms.push(equal);
        }
        forms
    }

    /// `goal >= 0` without its quotients by symbols: `q <= r` is `dividend < (r + 1) * divisor`, `q >= r` is `dividend
    /// >= r * divisor`, for a positive divisor. Exact, so whatever is shown of the result is shown of the goal. None if
    /// nothing can be replaced.
    pub(crate) fn without_quotients(
        &mut self,
        overflow: Overflow,
        ctx: ContextId,
        goal: &Linear,
    ) -> Option<Linear> {
        /// Quotients of quotients.
        const MOST_QUOTIENTS: u32 = 6;
        let mut plainer = None;
        for _ in 0..MOST_QUOTIENTS {
            let form = plainer.as_ref().unwrap_or(goal);
            let is_by_symbol = |it: &&(Atom, i128)| {
                it.1.checked_abs() == Some(1)
                    && matches!(self.atoms.made(it.0), Some(Made::Quotient(it))
                        if it.divisor.as_constant().is_none())
            };
            let Some(&(atom, factor)) = form.terms().iter().find(is_by_symbol) else { break };
            match self.cross_multiplied(overflow, ctx, form, atom, factor) {
                Some(next) => plainer = Some(next),
                None => break,
            }
        }
        plainer.filter(|it| it != goal)
    }

    fn cross_multiplied(
        &mut self,
        overflow: Overflow,
        ctx: ContextId,
        form: &Linear,
        atom: Atom,
        factor: i128,
    ) -> Option<Linear> {
        let Quotient { dividend, divisor } = self.atoms.as_quotient(atom)?;
        if self.interval_of(overflow, ctx, &divisor).min <= 0 {
            return None;
        }
        let rest = form.combine(1, &Linear::atom(atom), -factor)?;
        if factor < 0 {
            let most = self.product_form(&rest.plus(1)?, &divisor)?;
            most.minus(&dividend)?.plus(-1)
        } else {
            self.product_form(&rest, &divisor)?.combine(1, &dividend, 1)
        }
    }
}

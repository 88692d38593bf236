//! Quotients and remainders, however they are spelled.
//!
//! `x // 8`, `x >> 3` and, of an `x` that is not negative, `truncdiv(x, 8)` are one quotient; `x % 8`, `x & 7` and the like one
//! remainder (`SEMANTICS: I7`, `I9`). A quotient is an atom of its own; what its definition says of it is said by
//! [`Analyzer::known_of_quotient`] and [`Analyzer::known_of_remainder`], whose divisor may be a symbol. O(1).

use ir::{BinaryOp, ExprId, ExprKind};
use smallvec::SmallVec;

use crate::{
    Analyzer, Interval,
    analyzer::Overflow,
    atoms::{Atom, Made, Quotient},
    context::ContextId,
    interval::{checked_product, checked_sum, floor_div},
    linear::{Linear, gcd},
};

/// A quotient that rounds to -∞, or the remainder that belongs to it.
pub(crate) struct Division {
    pub(crate) is_quotient: bool,
    pub(crate) dividend: ExprId,
    /// Positive.
    pub(crate) divisor: i128,
}

impl Analyzer<'_> {
    /// A node as a division by a positive constant.
    pub(crate) fn division(
        &mut self,
        overflow: Overflow,
        ctx: ContextId,
        expr: ExprId,
    ) -> Option<Division> {
        let ExprKind::Binary(op, dividend, b) = self.body.expr(expr).kind else { return None };
        let is_division = op.is_division() || matches!(op, BinaryOp::Shr | BinaryOp::BitAnd);
        if !is_division || !self.body.dtype(expr)?.is_integer() {
            return None;
        }
        let constant = self.facts(overflow, ctx, b).interval.as_constant()?;
        let bits = i128::from(self.body.dtype(expr)?.bits);
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

    /// A node as a division that rounds to -∞: whether it is the quotient, dividend and divisor. The divisor is a positive
    /// constant or a form that may be anything but 0.
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
        let ExprKind::Binary(op, a, b) = self.body.expr(expr).kind else { return None };
        let dtype = self.body.dtype(expr).filter(|it| it.is_integer() && it.bits >= 32)?;
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
            self.body.expr(expr).kind
        else {
            return None;
        };
        let (is_quotient, dividend, divisor) = self.floor_division(overflow, ctx, expr)?;
        if is_quotient { self.quotient(dividend, divisor) } else { None }
    }

    /// `dividend // divisor` as a form. What the two share is taken out, and what is a multiple of the divisor is divided:
    /// `(i * n + j) // n` is `i + j // n`, whatever sign `n` has. None if it does not fit.
    pub(crate) fn quotient(&mut self, dividend: Linear, divisor: Linear) -> Option<Linear> {
        let (mut dividend, mut divisor) = self.without_shared_factors(dividend, divisor);
        match divisor.as_constant() {
            Some(0) => return None,
            Some(it) if it < 0 => (dividend, divisor) = (dividend.scale(-1)?, divisor.scale(-1)?),
            _ => {}
        }
        let (multiple, rest) = self.split_multiple(&dividend, &divisor)?;
        let (rest, divisor) = match divisor.as_constant() {
            // Rounding twice is rounding once, for positive divisors.
            Some(by) => {
                let common = rest.terms().iter().fold(by, |it, term| gcd(it, term.1));
                (rest.divided(common), Linear::constant(by / common))
            }
            None => (rest, divisor),
        };
        if divisor.as_constant() == Some(1) {
            return multiple.combine(1, &rest, 1);
        }
        if rest == Linear::constant(0) {
            return Some(multiple);
        }
        if let (Some(a), Some(b)) = (rest.as_constant(), divisor.as_constant()) {
            return multiple.plus(floor_div(a, b));
        }
        let atom = self.quotient_atom(rest, divisor);
        multiple.combine(1, &Linear::atom(atom), 1)
    }

    /// Both without the atoms and the number that every term of both has as a factor; none of them is 0 where the divisor is not.
    fn without_shared_factors(
        &mut self,
        mut dividend: Linear,
        mut divisor: Linear,
    ) -> (Linear, Linear) {
        let is_product_sum = dividend.offset() == 0 && divisor.offset() == 0;
        if is_product_sum && let Some(&(first, _)) = divisor.terms().first() {
            for factor in self.factors(first) {
                let both = (self.divided_by(&dividend, factor), self.divided_by(&divisor, factor));
                if let (Some(x), Some(y)) = both {
                    (dividend, divisor) = (x, y);
                }
            }
        }
        let factors = dividend.terms().iter().chain(divisor.terms()).map(|it| it.1);
        let common = factors.fold(gcd(dividend.offset(), divisor.offset()), gcd);
        if common > 1 {
            return (dividend.divided(common), divisor.divided(common));
        }
        (dividend, divisor)
    }

    /// A form as a multiple of the divisor and the rest: `(m, r)` of `m * divisor + r`.
    fn split_multiple(&mut self, form: &Linear, divisor: &Linear) -> Option<(Linear, Linear)> {
        let mut multiple = Linear::constant(0);
        let mut rest = Linear::constant(form.offset());
        if let Some(by) = divisor.as_constant() {
            let whole = floor_div(form.offset(), by);
            multiple = Linear::constant(whole);
            rest = Linear::constant(checked_sum(form.offset(), checked_product(whole, -by)?)?);
        }
        let single = divisor.single().filter(|it| it.2 == 0);
        for &(atom, factor) in form.terms() {
            let part = match (divisor.as_constant(), single) {
                (Some(by), _) if factor % by == 0 => Some((Linear::atom(atom), factor / by)),
                (_, Some((by, times, _))) if factor % times == 0 => {
                    self.without_factors(atom, by).map(|it| (it, factor / times))
                }
                _ => None,
            };
            match part {
                Some((part, factor)) => multiple = multiple.combine(1, &part, factor)?,
                None => rest = rest.combine(1, &Linear::atom(atom), factor)?,
            }
        }
        Some((multiple, rest))
    }

    fn as_quotient(&self, atom: Atom) -> Option<Quotient> {
        match self.made(atom) {
            Some(Made::Quotient(it)) => Some((**it).clone()),
            _ => None,
        }
    }

    /// `divisor * quotient <= dividend <= divisor * quotient + divisor - 1`, for a positive divisor.
    pub(crate) fn known_of_quotient(
        &mut self,
        overflow: Overflow,
        ctx: ContextId,
        atom: Atom,
    ) -> SmallVec<[Linear; 2]> {
        let Some(Quotient { dividend, divisor }) = self.as_quotient(atom) else {
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

    /// `goal >= 0` without its quotients by symbols: `q <= r` is `dividend < (r + 1) * divisor`, `q >= r` is `dividend >= r *
    /// divisor`, for a positive divisor. Exact, so whatever is shown of the result is shown of the goal. None if nothing can be
    /// replaced.
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
                    && matches!(self.made(it.0), Some(Made::Quotient(it))
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
        let Quotient { dividend, divisor } = self.as_quotient(atom)?;
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

//! Linear forms: a node as a sum of multiples of atoms and a constant.
//!
//! The form equals the value of the node as a mathematical integer, so a sum is taken apart only where it is shown not to
//! leave its type's range (or where the reading excludes that). An *atom* ([`crate::atoms`]) is what is not taken apart: a variable, a
//! product of variables, a quotient, a node whose sum might wrap. Two occurrences of an atom have one value; so a node
//! that holds a load has no form at all. Products of sums are distributed.
//!
//! A form has at most [`MOST_TERMS`] atoms. A node that would need more is an atom itself: a chain of n prefixes of a sum
//! costs O(n).

use std::cmp::Ordering;

use ir::{BinaryOp, DataType, ExprId, ExprKind, arena::Id};
use smallvec::SmallVec;

use crate::{
    Analyzer, Interval, Modular,
    analyzer::Overflow,
    atoms::Atom,
    context::ContextId,
    interval::{checked_product, checked_sum, floor_div},
};

/// Atoms of one form.
pub(crate) const MOST_TERMS: usize = 12;

/// `constant + sum of factor * atom`; atoms in the order of their ids, no factor 0. Every number of it has an opposite: none is
/// `i128::MIN`.
#[derive(PartialEq, Eq, Hash, Debug)]
pub(crate) struct Linear {
    terms: SmallVec<[(Atom, i128); 2]>,
    constant: i128,
}

impl Clone for Linear {
    fn clone(&self) -> Linear {
        // As a whole, not term by term.
        Linear { terms: SmallVec::from_slice(&self.terms), constant: self.constant }
    }
}

impl Linear {
    pub(crate) fn constant(value: i128) -> Linear {
        Linear { terms: SmallVec::new(), constant: value }
    }
    pub(crate) fn atom(atom: Atom) -> Linear {
        Linear { terms: SmallVec::from_slice(&[(atom, 1)]), constant: 0 }
    }
    pub(crate) fn as_constant(&self) -> Option<i128> {
        self.terms.is_empty().then_some(self.constant)
    }
    /// The only atom, if the form is `factor * atom + constant`.
    pub(crate) fn single(&self) -> Option<(Atom, i128, i128)> {
        match self.terms[..] {
            [(atom, factor)] => Some((atom, factor, self.constant)),
            _ => None,
        }
    }
    pub(crate) fn terms(&self) -> &[(Atom, i128)] {
        &self.terms
    }
    pub(crate) fn offset(&self) -> i128 {
        self.constant
    }
    pub(crate) fn atoms(&self) -> impl Iterator<Item = Atom> + '_ {
        self.terms.iter().map(|it| it.0)
    }
    pub(crate) fn factor(&self, atom: Atom) -> i128 {
        self.terms.iter().find(|it| it.0 == atom).map_or(0, |it| it.1)
    }
    /// `self * a + other * b`; none if it does not fit.
    pub(crate) fn combine(&self, a: i128, other: &Linear, b: i128) -> Option<Linear> {
        let mut terms: SmallVec<[(Atom, i128); 2]> = SmallVec::new();
        let (mut left, mut right) = (&self.terms[..], &other.terms[..]);
        while let ([(x, p), above @ ..], [(y, q), below @ ..]) = (left, right) {
            let (atom, factor) = match x.cmp(y) {
                Ordering::Equal => {
                    (left, right) = (above, below);
                    (*x, checked_sum(checked_product(*p, a)?, checked_product(*q, b)?)?)
                }
                Ordering::Less => {
                    left = above;
                    (*x, checked_product(*p, a)?)
                }
                Ordering::Greater => {
                    right = below;
                    (*y, checked_product(*q, b)?)
                }
            };
            if factor != 0 {
                terms.push((atom, factor));
            }
        }
        for (rest, times) in [(left, a), (right, b)] {
            for &(atom, factor) in rest {
                let factor = checked_product(factor, times)?;
                if factor != 0 {
                    terms.push((atom, factor));
                }
            }
        }
        if terms.len() > MOST_TERMS {
            return None;
        }
        let constant =
            checked_sum(checked_product(self.constant, a)?, checked_product(other.constant, b)?)?;
        Some(Linear { terms, constant })
    }
    pub(crate) fn minus(&self, other: &Linear) -> Option<Linear> {
        self.combine(1, other, -1)
    }
    pub(crate) fn plus(&self, constant: i128) -> Option<Linear> {
        Some(Linear { constant: checked_sum(self.constant, constant)?, ..self.clone() })
    }
    pub(crate) fn scale(&self, factor: i128) -> Option<Linear> {
        self.combine(factor, &Linear::constant(0), 0)
    }
    /// As an inequality `self >= 0` of integers, with the greatest common factor taken out and the constant rounded down: the
    /// same solutions.
    pub(crate) fn tightened(self) -> Linear {
        let mut common = 0;
        for &(_, factor) in &self.terms {
            common = gcd(common, factor);
            if common == 1 {
                return self;
            }
        }
        if common > 1 { self.divided(common) } else { self }
    }
    /// All factors divided by a number that divides them, the constant rounded down.
    pub(crate) fn divided(mut self, by: i128) -> Linear {
        self.terms.iter_mut().for_each(|it| it.1 /= by);
        self.constant = floor_div(self.constant, by);
        self
    }
    /// With `factor * atom + base` in the place of an atom.
    pub(crate) fn with_scaled(mut self, atom: Atom, factor: i128, base: i128) -> Option<Linear> {
        if let Some(term) = self.terms.iter_mut().find(|it| it.0 == atom) {
            self.constant = checked_sum(self.constant, checked_product(term.1, base)?)?;
            term.1 = checked_product(term.1, factor)?;
        }
        Some(self)
    }
}

/// The greatest common divisor; of 0 and `b` it is `|b|`. At most 2^126, or 1.
pub(crate) fn gcd(a: i128, b: i128) -> i128 {
    let (mut a, mut b) = (a.unsigned_abs(), b.unsigned_abs());
    while b != 0 {
        if let (Ok(a), Ok(b)) = (u64::try_from(a), u64::try_from(b)) {
            return gcd_of_words(a, b).into();
        }
        (a, b) = (b, a % b);
    }
    i128::try_from(a).unwrap_or(1)
}

fn gcd_of_words(mut a: u64, mut b: u64) -> u64 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

impl Analyzer<'_> {
    /// The linear form of an integer node; none if it is no value of its variables.
    pub(crate) fn linear(
        &mut self,
        overflow: Overflow,
        ctx: ContextId,
        expr: ExprId,
    ) -> Option<Linear> {
        let node = self.body.expr(expr);
        let dtype = node.ty.prim().filter(|it| is_integral(*it))?;
        if !self.summary(expr).is_stable {
            return None;
        }
        match node.kind {
            ExprKind::Int(value) => return Some(Linear::constant(constant_value(dtype, value))),
            ExprKind::Value(value) if self.definition(value).is_none() => {
                return Some(Linear::atom(self.atom(expr)));
            }
            _ => {}
        }
        let ctx = self.relevant(overflow, ctx, expr);
        if let Some(known) = self.linear_memo[overflow as usize].get(expr.index(), ctx) {
            return Some(known.clone());
        }
        let atom = Linear::atom(self.atom(expr));
        let place = self.linear_memo[overflow as usize].insert(expr.index(), ctx, atom.clone());
        ir::interrupt::check();
        let form = stacker::maybe_grow(64 * 1024, 1024 * 1024, || {
            self.take_apart(overflow, ctx, expr).unwrap_or(atom)
        });
        self.linear_memo[overflow as usize].set(place, form.clone());
        Some(form)
    }

    fn take_apart(&mut self, overflow: Overflow, ctx: ContextId, expr: ExprId) -> Option<Linear> {
        let node = self.body.expr(expr);
        let dtype = self.body.dtype(expr)?;
        match node.kind {
            ExprKind::Value(value) => {
                let definition = self.definition(value)?;
                if self.body.dtype(definition) != Some(dtype) || dtype.is_bool() {
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
                let from = self.body.dtype(operand)?;
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

    /// The product of two forms; none if it has too many terms or factors.
    pub(crate) fn product_form(&mut self, left: &Linear, right: &Linear) -> Option<Linear> {
        if let Some(factor) = left.as_constant() {
            return right.scale(factor);
        }
        let mut total = left.scale(right.constant)?;
        if (left.terms.len() + 1) * right.terms.len() > 2 * MOST_TERMS {
            return None;
        }
        for &(y, b) in &right.terms {
            let mut terms: SmallVec<[(Atom, i128); 2]> = SmallVec::new();
            for &(x, a) in &left.terms {
                terms.push((self.product_of(x, y)?, checked_product(a, b)?));
            }
            if left.constant != 0 {
                terms.push((y, checked_product(left.constant, b)?));
            }
            // Products of different atoms with one atom are different; that atom may be one of them.
            for (atom, factor) in terms {
                total = total.combine(1, &Linear::atom(atom), factor)?;
            }
        }
        Some(total)
    }

    /// The bounds of a form.
    pub(crate) fn interval_of(
        &mut self,
        overflow: Overflow,
        ctx: ContextId,
        form: &Linear,
    ) -> Interval {
        let mut sum = Interval::constant(form.constant);
        for &(atom, factor) in &form.terms {
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
        let mut sum = Modular::constant(form.constant);
        for &(atom, factor) in &form.terms {
            sum = sum.plus(self.facts_of_atom(overflow, ctx, atom).modular.scale(factor));
        }
        sum
    }
}

/// Integers and truth values, which are integers from 0 to 1.
pub(crate) fn is_integral(dtype: DataType) -> bool {
    dtype.is_integer() || dtype.is_bool()
}

/// The value of an integer constant of this type.
pub(crate) fn constant_value(dtype: DataType, value: i64) -> i128 {
    if dtype.is_uint() { i128::from(value as u64) } else { i128::from(value) }
}

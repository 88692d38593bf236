//! Divisions and remainders of sums.
//!
//! A dividend is split: multiples of the divisor are taken out, and of the rest the terms too small to count are
//! dropped. Divisors are positive constants, or products that are shown to be positive. Each split is one of the rules
//! of `div.rules` and `mod.rules`, on any terms of the sum. O(terms) bounds a division, for each factor that the
//! divisor shares with a term.

use ir::{BinaryOp, DataType, ExprId, ExprKind};
use smallvec::SmallVec;

use super::{
    At, Rewrite, Simplifier,
    sums::{ProductId, Sum},
};
use crate::{
    Interval,
    canonical::polynomial::Ring,
    interval::{floor_div, floor_mod},
};

/// The largest number that divides both; not negative.
pub(super) fn gcd(a: i128, b: i128) -> i128 {
    let (mut a, mut b) = (a.saturating_abs(), b.saturating_abs());
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

/// A division of a sum.
struct Division {
    at: At,
    expr: ExprId,
    is_quotient: bool,
    is_floor: bool,
    dividend: ExprId,
    dtype: DataType,
}

impl Simplifier<'_> {
    /// A floor division or remainder with a smaller dividend, or none at all.
    pub(super) fn divide(&mut self, at: At, expr: ExprId) -> Option<Rewrite> {
        let ExprKind::Binary(op, dividend, divisor) = self.body().expr(expr).kind else {
            return None;
        };
        if !op.is_division()
            || !self.is_wide(expr)
            || !self.is_exact(at, dividend)
            || !self.is_exact(at, divisor)
        {
            return None;
        }
        let is_quotient = matches!(op, BinaryOp::FloorDiv | BinaryOp::Div);
        let is_floor = matches!(op, BinaryOp::FloorDiv | BinaryOp::FloorMod);
        let dtype = self.body().dtype(expr)?;
        let division = Division { at, expr, is_quotient, is_floor, dividend, dtype };
        let sum = self.sum_of(dividend);
        let by = self.sum_of(divisor);
        if op == BinaryOp::FloorMod
            && let Some(inner) = self.without_inner_remainders(&division, &sum, divisor)
            && !self.is_worse(inner, expr)
        {
            return Some((inner, "floormod-inner"));
        }
        match by.as_constant() {
            Some(by) if by > 1 && !is_floor => self.truncated(&division, &sum, by),
            Some(by) if by > 1 => self.by_constant(&division, &sum, by),
            Some(_) => None,
            None => self.by_product(&division, &sum, divisor, &by),
        }
    }

    /// A remainder of a sum whose terms are remainders by the same divisor, or a multiple of it, needs none inside.
    fn without_inner_remainders(
        &mut self,
        it: &Division,
        sum: &Sum,
        divisor: ExprId,
    ) -> Option<ExprId> {
        let mut total = sum.clone();
        for &(product, factor) in &sum.products {
            let &[atom] = &self.factors(product)[..] else { continue };
            let ExprKind::Binary(BinaryOp::FloorMod, inner, by) = self.body().expr(atom).kind
            else {
                continue;
            };
            let is_multiple = match (self.as_int(by), self.as_int(divisor)) {
                (Some(by), Some(divisor)) => by > 0 && divisor != 0 && by % divisor == 0,
                _ => by == divisor,
            };
            if !is_multiple || !self.is_exact(it.at, inner) {
                continue;
            }
            let term = Sum::product(product, factor);
            total = total.plus(&term, -1, Ring::Integers)?;
            total = total.plus(&self.sum_of(inner), factor, Ring::Integers)?;
        }
        if total == *sum || total.n_terms() > sum.n_terms() {
            return None;
        }
        if let Some(by) = self.as_int(divisor).filter(|it| *it > 0) {
            (_, total) = split(&total, by, false);
        }
        let dividend = self.built_beside(it.at, &[it.dividend], &[], &total, it.dtype)?;
        Some(self.binary(BinaryOp::FloorMod, dividend, divisor))
    }

    // ---- by a constant ----

    /// Truncation is that of floor division only where nothing is left, or all terms share a factor with the divisor.
    fn truncated(&mut self, it: &Division, sum: &Sum, by: i128) -> Option<Rewrite> {
        let (multiple, rest) = split(sum, by, true);
        let numbers = sum.products.iter().map(|it| it.1).chain([sum.constant, by]);
        let factor = numbers.fold(0, gcd);
        if rest == Sum::constant(0) {
            self.without_rest(it, &multiple, &rest, by)
        } else if factor > 1 {
            self.without_factor(it, &Sum::constant(0), sum, by, factor)
        } else {
            None
        }
    }

    /// The first split that makes the division simpler.
    fn by_constant(&mut self, it: &Division, sum: &Sum, by: i128) -> Option<Rewrite> {
        let (multiple, rest) = split(sum, by, it.is_quotient);
        let is_simpler = |this: &mut Self, split: &Rewrite| {
            split.0 != it.expr && !this.is_worse(split.0, it.expr)
        };
        if let Some(split) = self.without_rest(it, &multiple, &rest, by)
            && is_simpler(self, &split)
        {
            return Some(split);
        }
        for factor in shared_factors(&rest, by) {
            if let Some(split) = self.without_factor(it, &multiple, &rest, by, factor)
                && is_simpler(self, &split)
            {
                return Some(split);
            }
        }
        if rest == *sum {
            return None;
        }
        self.without_multiple(it, &multiple, &rest, by)
    }

    /// The rest lies between two multiples of the divisor.
    fn without_rest(
        &mut self,
        it: &Division,
        multiple: &Sum,
        rest: &Sum,
        by: i128,
    ) -> Option<Rewrite> {
        let n = self.multiple_of(it, rest, by)?;
        let (value, rule) = if it.is_quotient {
            (multiple.plus(&Sum::constant(n), 1, Ring::Integers)?, "floordiv-multiple")
        } else {
            (
                rest.plus(&Sum::constant(n.checked_mul(by)?), -1, Ring::Integers)?,
                "floormod-multiple",
            )
        };
        Some((self.total(it, &value)?, rule))
    }

    /// The one multiple of `by` that all values of the sum are at or above, and below the next.
    fn multiple_of(&mut self, it: &Division, sum: &Sum, by: i128) -> Option<i128> {
        if self.is_seen_to_cross(it.at, sum, by) {
            return None;
        }
        let bounds = self.bounds(it, sum);
        let is_finite = bounds.min != Interval::NEG_INF && bounds.max != Interval::POS_INF;
        let n = floor_div(bounds.min, by);
        (is_finite && n == floor_div(bounds.max, by)).then_some(n)
    }

    fn bounds(&mut self, it: &Division, sum: &Sum) -> Interval {
        let range = Interval::of_type(it.dtype);
        let own = self.interval_of(it.at, sum, range, &[]);
        if *sum == self.sum_of(it.dividend) {
            let known = self.analyzer.facts_with(it.at.reading, it.at.ctx, it.dividend).interval;
            return own.intersect(known);
        }
        own
    }

    /// The divisor and the large terms of the rest share a factor, and the small ones lie below it.
    fn without_factor(
        &mut self,
        it: &Division,
        multiple: &Sum,
        rest: &Sum,
        by: i128,
        factor: i128,
    ) -> Option<Rewrite> {
        let (large, small) = split(rest, factor, true);
        let n = self.multiple_of(it, &small, factor)?;
        let large = large.plus(&Sum::constant(n), 1, Ring::Integers)?;
        let small = small.plus(&Sum::constant(n.checked_mul(factor)?), -1, Ring::Integers)?;
        let divided = self.divided(it, &large, by / factor)?;
        let (value, rule) = if it.is_quotient {
            let rule =
                if small.products.is_empty() { "floordiv-common-factor" } else { "floordiv-rest" };
            (multiple.plus(&divided, 1, Ring::Integers)?, rule)
        } else {
            let rule =
                if small.products.is_empty() { "floormod-common-factor" } else { "floormod-rest" };
            (divided.scaled(factor, Ring::Integers)?.plus(&small, 1, Ring::Integers)?, rule)
        };
        Some((self.total(it, &value)?, rule))
    }

    /// The multiple of the divisor is taken out.
    fn without_multiple(
        &mut self,
        it: &Division,
        multiple: &Sum,
        rest: &Sum,
        by: i128,
    ) -> Option<Rewrite> {
        let divided = self.divided(it, rest, by)?;
        let (value, rule) = if it.is_quotient {
            (multiple.plus(&divided, 1, Ring::Integers)?, "floordiv-multiple")
        } else {
            (divided, "floormod-multiple")
        };
        Some((self.total(it, &value)?, rule))
    }

    /// `sum // by` or `sum % by`, as an atom or in its form without a division.
    fn divided(&mut self, it: &Division, sum: &Sum, by: i128) -> Option<Sum> {
        if by == 1 {
            return Some(if it.is_quotient { sum.clone() } else { Sum::constant(0) });
        }
        let dividend = self.built_beside(it.at, &[it.dividend], &[], sum, it.dtype)?;
        let by = self.int(by, it.dtype);
        Some(self.division_of(it, dividend, by))
    }

    fn division_of(&mut self, it: &Division, dividend: ExprId, by: ExprId) -> Sum {
        let op = match (it.is_floor, it.is_quotient) {
            (true, true) => BinaryOp::FloorDiv,
            (true, false) => BinaryOp::FloorMod,
            (false, true) => BinaryOp::Div,
            (false, false) => BinaryOp::Mod,
        };
        let node = self.binary(op, dividend, by);
        self.atom(node)
    }

    /// The value of the whole division as a node: its value fits, whatever it is made of.
    fn total(&mut self, it: &Division, value: &Sum) -> Option<ExprId> {
        self.built_beside(it.at, &[it.dividend], std::slice::from_ref(value), value, it.dtype)
    }

    // ---- by a product ----

    fn by_product(
        &mut self,
        it: &Division,
        sum: &Sum,
        divisor: ExprId,
        by: &Sum,
    ) -> Option<Rewrite> {
        let &[(product, number)] = &by.products[..] else { return None };
        if by.constant != 0 || number < 1 {
            return None;
        }
        let (mut multiple, mut rest) = (Sum::constant(0), Sum::constant(sum.constant));
        for &(term, factor) in &sum.products {
            let part = if factor % number == 0 { self.quotient(term, product) } else { None };
            let (to, part) = match part {
                Some(Some(part)) => (&mut multiple, Sum::product(part, factor / number)),
                Some(None) => (&mut multiple, Sum::constant(factor / number)),
                None => (&mut rest, Sum::product(term, factor)),
            };
            *to = to.plus(&part, 1, Ring::Integers)?;
        }
        if multiple == Sum::constant(0) {
            return self.without_shared_atoms(it, sum, product, number);
        }
        if rest == Sum::constant(0) {
            let (value, rule) = if it.is_quotient {
                (multiple, "floordiv-product")
            } else {
                (rest, "floormod-product")
            };
            return Some((self.total(it, &value)?, rule));
        }
        if !it.is_floor {
            return None;
        }
        if !self.is_positive_divisor(it.at, divisor) {
            let rule = if it.is_quotient {
                "floordiv-symbolic-multiple"
            } else {
                "floormod-symbolic-multiple"
            };
            self.note_missing_sign(it.at, rule, it.expr, divisor);
            return None;
        }
        let dividend = self.built_beside(it.at, &[it.dividend], &[], &rest, it.dtype)?;
        let zero = self.int(0, it.dtype);
        let is_small = self.holds(it.at, BinaryOp::Le, zero, dividend)
            && self.holds(it.at, BinaryOp::Lt, dividend, divisor);
        let divided = match (is_small, it.is_quotient) {
            (true, true) => Sum::constant(0),
            (true, false) => rest,
            (false, _) => self.division_of(it, dividend, divisor),
        };
        let (value, rule) = if it.is_quotient {
            (multiple.plus(&divided, 1, Ring::Integers)?, "floordiv-symbolic-multiple")
        } else {
            (divided, "floormod-symbolic-multiple")
        };
        Some((self.total(it, &value)?, rule))
    }

    /// `whole / part`, if it is a product (none inside: 1).
    fn quotient(&mut self, whole: ProductId, part: ProductId) -> Option<Option<ProductId>> {
        let mut left = Some(whole);
        for atom in self.factors(part).clone() {
            left = self.without_atom(left?, atom)?;
        }
        Some(left)
    }

    /// Divides out the factors that the divisor and all terms of the dividend share. They are not 0, and of either
    /// sign: quotients stay, remainders are multiplied by them.
    fn without_shared_atoms(
        &mut self,
        it: &Division,
        sum: &Sum,
        product: ProductId,
        number: i128,
    ) -> Option<Rewrite> {
        if sum.constant != 0 {
            return None;
        }
        let is_shared = |it: &Self, atom: ExprId| {
            sum.products.iter().all(|term| it.factors(term.0).contains(&atom))
        };
        let atom = *self.factors(product).iter().find(|atom| is_shared(self, **atom))?;
        let shared = sum.products.iter().fold(number, |shared, it| gcd(shared, it.1));
        let mut terms = Sum::constant(0);
        for &(term, factor) in &sum.products {
            let part = match self.without_atom(term, atom)? {
                Some(part) => Sum::product(part, factor / shared),
                None => Sum::constant(factor / shared),
            };
            terms = terms.plus(&part, 1, Ring::Integers)?;
        }
        let by = match self.without_atom(product, atom)? {
            Some(part) => Sum::product(part, number / shared),
            None => Sum::constant(number / shared),
        };
        let dividend = self.built_beside(it.at, &[it.dividend], &[], &terms, it.dtype)?;
        let whole = Sum::product(product, number);
        let by = self.built_beside(it.at, &[], &[whole], &by, it.dtype)?;
        let divided = self.division_of(it, dividend, by);
        let (value, rule) = if it.is_quotient {
            (divided, "floordiv-symbolic-factor")
        } else {
            let atom = self.atom(atom);
            let part = self.times(&divided, &atom)?.scaled(shared, Ring::Integers)?;
            (part, "floormod-symbolic-factor")
        };
        Some((self.total(it, &value)?, rule))
    }
}

/// A sum as `by * multiple + rest`; the constant of the rest is in `0..by`. Of a rest that is all that matters
/// (`is_exact` false), factors are reduced towards 0.
fn split(sum: &Sum, by: i128, is_exact: bool) -> (Sum, Sum) {
    let mut multiple = Sum::constant(floor_div(sum.constant, by));
    let mut rest = Sum::constant(floor_mod(sum.constant, by));
    for &(product, factor) in &sum.products {
        if factor % by == 0 {
            multiple.products.push((product, factor / by));
        } else {
            let factor = if is_exact { factor } else { factor % by };
            rest.products.push((product, factor));
        }
    }
    (multiple, rest)
}

/// The factors above 1 that the divisor shares with terms of a sum, the largest first.
fn shared_factors(sum: &Sum, by: i128) -> SmallVec<[i128; 4]> {
    let mut factors: SmallVec<[i128; 4]> =
        sum.products.iter().map(|it| gcd(it.1, by)).filter(|it| *it > 1).collect();
    factors.sort_unstable_by(|a, b| b.cmp(a));
    factors.dedup();
    factors
}

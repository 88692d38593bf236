//! Recombination: quotients and remainders that add up to their dividend in a sum of products; the smaller and the
//! larger of two values.
//!
//! The rules of `add.rules` on any two terms of a sum: `x // c * c` and `x % c`, with any common factor. A remainder of
//! a quotient counts with the quotient of both: `x // 8 * 2 + x // 4 % 2` is `x // 4`, and `x // 4 % 2 * 4 + x % 4` is
//! `x % 8`. Pairs of terms are tried until none fits: O(products^2) a step, each step has fewer terms.

use ir::{BinaryOp, ExprId, ExprKind};
use smallvec::SmallVec;

use super::{
    At, Simplifier,
    sums::{ProductId, Sum},
};
use crate::{Interval, canonical::polynomial::Ring};

/// The replacement of two terms: with the factor and product that they share.
struct Pair {
    /// The sum of the two, times `factor` and `rest`.
    value: Sum,
    rest: Option<ProductId>,
    factor: i128,
    rule: &'static str,
}

/// The factors of a product that something may stand for, with a factor of another one.
#[derive(Clone, Copy, Default)]
struct Parts {
    has_division: bool,
    has_min: bool,
    has_max: bool,
}

impl Parts {
    fn may_pair_with(self, other: Parts) -> bool {
        self.has_division && other.has_division || self.has_min && other.has_max
    }
}

impl Simplifier<'_> {
    /// The sum with all pairs taken together, and the rule of the first.
    pub(super) fn recombined(&mut self, at: At, sum: &Sum) -> Option<(Sum, &'static str)> {
        if !self.may_have_pairs(sum) {
            return None;
        }
        let mut total = sum.clone();
        let mut rule = None;
        while let Some((next, by)) = self.recombined_once(at, &total) {
            total = next;
            rule.get_or_insert(by);
        }
        rule.map(|rule| (total, rule))
    }

    /// Returns true if a sum may have terms that can be replaced together, by the kinds of its terms.
    pub(super) fn may_have_pairs(&self, sum: &Sum) -> bool {
        sum.products.len() > 1
            && sum.products.iter().any(|it| {
                let parts = self.parts_of_pairs(it.0);
                parts.has_division || parts.has_min
            })
    }

    fn recombined_once(&mut self, at: At, sum: &Sum) -> Option<(Sum, &'static str)> {
        let parts: SmallVec<[Parts; 8]> =
            sum.products.iter().map(|it| self.parts_of_pairs(it.0)).collect();
        for (&one, &these) in sum.products.iter().zip(&parts) {
            for (&other, &those) in sum.products.iter().zip(&parts) {
                if !these.may_pair_with(those) {
                    continue;
                }
                let Some(pair) = self.pair(at, one, other) else { continue };
                let mut product = pair.value.scaled(pair.factor, Ring::Integers)?;
                if let Some(rest) = pair.rest {
                    product = self.times(&product, &Sum::product(rest, 1))?;
                }
                let mut total = sum.plus(&product, 1, Ring::Integers)?;
                for (product, factor) in [one, other] {
                    total = total.plus(&Sum::product(product, factor), -1, Ring::Integers)?;
                }
                if total.products.len() < sum.products.len() || total.n_terms() < sum.n_terms() {
                    return Some((total, pair.rule));
                }
            }
        }
        if parts.iter().any(|it| it.has_division) { self.difference(sum) } else { None }
    }

    fn parts_of_pairs(&self, product: ProductId) -> Parts {
        let mut parts = Parts::default();
        for &atom in self.factors(product) {
            if let ExprKind::Binary(op, ..) = self.body().expr(atom).kind {
                parts.has_division |= op.is_division();
                parts.has_min |= op == BinaryOp::Min;
                parts.has_max |= op == BinaryOp::Max;
            }
        }
        parts
    }

    /// Two terms as one value.
    fn pair(&mut self, at: At, one: (ProductId, i128), other: (ProductId, i128)) -> Option<Pair> {
        for place in 0..self.factors(one.0).len() {
            let factor = self.factors(one.0)[place];
            let ExprKind::Binary(op, a, b) = self.body().expr(factor).kind else { continue };
            if !self.is_wide(factor) {
                continue;
            }
            let pair = match op {
                BinaryOp::FloorMod | BinaryOp::Mod => {
                    let rest = self.without_atom(one.0, factor)?;
                    self.with_quotient(op, a, b, rest, one.1, other)
                }
                BinaryOp::FloorDiv if one.1 > 0 && one.1 == -other.1 => {
                    let rest = self.without_atom(one.0, factor)?;
                    self.with_same_rest(at, a, b, rest, one.1, other)
                }
                BinaryOp::Min => {
                    let rest = self.without_atom(one.0, factor)?;
                    self.with_max(a, b, rest, one.1, other)
                }
                _ => None,
            };
            if pair.is_some() {
                return pair;
            }
        }
        None
    }

    /// `x % c` with `x // c * c`, or with the rest of which it is the lower part.
    fn with_quotient(
        &mut self,
        op: BinaryOp,
        x: ExprId,
        c: ExprId,
        rest: Option<ProductId>,
        factor: i128,
        other: (ProductId, i128),
    ) -> Option<Pair> {
        let quotient = if op == BinaryOp::Mod { BinaryOp::Div } else { BinaryOp::FloorDiv };
        let number = self.as_int(c);
        for place in 0..self.factors(other.0).len() {
            let atom = self.factors(other.0)[place];
            let ExprKind::Binary(kind, y, d) = self.body().expr(atom).kind else { continue };
            if kind == quotient && y == x && d == c {
                let left = self.without_atom(other.0, atom)?;
                let is_pair = match number {
                    Some(c) => left == rest && factor.checked_mul(c) == Some(other.1),
                    // The divisor is one of the other factors.
                    None => {
                        let left = left.and_then(|it| self.without_atom(it, c));
                        left == Some(rest) && factor == other.1
                    }
                };
                if is_pair {
                    let rule =
                        if op == BinaryOp::Mod { "truncdiv-truncmod-sum" } else { "div-mod-sum" };
                    return Some(Pair { value: self.sum_of(x), rest, factor, rule });
                }
            }
            if let Some(c) = number
                && self.is_quotient_of(x, y, quotient)
                && self.without_atom(other.0, atom)? == rest
                && let Some(pair) = self.with_part(op, x, c, rest, factor, (kind, y, d, other.1))
            {
                return Some(pair);
            }
        }
        None
    }

    fn is_quotient_of(&self, expr: ExprId, dividend: ExprId, quotient: BinaryOp) -> bool {
        matches!(self.body().expr(expr).kind,
            ExprKind::Binary(op, it, _) if op == quotient && it == dividend)
    }

    /// `x // a % c` with `x // (a * c) * c`, or with `x % a` where it counts `a` times.
    fn with_part(
        &mut self,
        op: BinaryOp,
        x: ExprId,
        c: i128,
        rest: Option<ProductId>,
        factor: i128,
        (kind, y, d, count): (BinaryOp, ExprId, ExprId, i128),
    ) -> Option<Pair> {
        let quotient = if op == BinaryOp::Mod { BinaryOp::Div } else { BinaryOp::FloorDiv };
        let ExprKind::Binary(inner, dividend, a) = self.body().expr(x).kind else { return None };
        let (a, d) = (self.as_int(a)?, self.as_int(d)?);
        let both = a.checked_mul(c)?;
        if inner != quotient || a <= 0 || c <= 0 || y != dividend {
            return None;
        }
        if kind == quotient && d == both && factor.checked_mul(c) == Some(count) {
            return Some(Pair { value: self.sum_of(x), rest, factor, rule: "div-mod-sum" });
        }
        let dtype = self.body().dtype(x)?;
        if kind == op
            && d == a
            && count.checked_mul(a) == Some(factor)
            && Interval::of_type(dtype).contains(both)
        {
            let both = self.int(both, dtype);
            let node = self.binary(op, y, both);
            return Some(Pair { value: self.atom(node), rest, factor: count, rule: "mod-mod-sum" });
        }
        None
    }

    /// `(x + k * c) // c` with `x // c` taken away.
    fn with_same_rest(
        &mut self,
        at: At,
        x: ExprId,
        c: ExprId,
        rest: Option<ProductId>,
        factor: i128,
        other: (ProductId, i128),
    ) -> Option<Pair> {
        let by = self.as_int(c).filter(|it| *it > 0)?;
        for place in 0..self.factors(other.0).len() {
            let atom = self.factors(other.0)[place];
            let ExprKind::Binary(BinaryOp::FloorDiv, y, d) = self.body().expr(atom).kind else {
                continue;
            };
            if d != c || self.without_atom(other.0, atom)? != rest {
                continue;
            }
            let gap = self.sum_of(x).plus(&self.sum_of(y), -1, Ring::Integers)?.as_constant();
            let gap = gap.filter(|it| it % by == 0);
            if let Some(gap) = gap
                && self.is_exact(at, x)
                && self.is_exact(at, y)
            {
                let value = Sum::constant(gap / by);
                return Some(Pair { value, rest, factor, rule: "floordiv-same-rest" });
            }
        }
        None
    }

    /// `min(x, y)` with `max(x, y)`.
    fn with_max(
        &mut self,
        x: ExprId,
        y: ExprId,
        rest: Option<ProductId>,
        factor: i128,
        other: (ProductId, i128),
    ) -> Option<Pair> {
        for place in 0..self.factors(other.0).len() {
            let atom = self.factors(other.0)[place];
            let ExprKind::Binary(BinaryOp::Max, a, b) = self.body().expr(atom).kind else {
                continue;
            };
            let is_pair = (a, b) == (x, y) || (a, b) == (y, x);
            if is_pair && factor == other.1 && self.without_atom(other.0, atom)? == rest {
                let value = self.sum_of(x).plus(&self.sum_of(y), 1, Ring::Integers)?;
                return Some(Pair { value, rest, factor, rule: "min-max-sum" });
            }
        }
        None
    }

    /// `x - x // c * c` is `x % c`, with any common factor.
    fn difference(&mut self, sum: &Sum) -> Option<(Sum, &'static str)> {
        for &(product, count) in &sum.products {
            for place in 0..self.factors(product).len() {
                let atom = self.factors(product)[place];
                let ExprKind::Binary(op @ (BinaryOp::FloorDiv | BinaryOp::Div), x, d) =
                    self.body().expr(atom).kind
                else {
                    continue;
                };
                if !self.is_wide(atom) {
                    continue;
                }
                let left = self.without_atom(product, atom)?;
                let (rest, factor) = match self.as_int(d) {
                    Some(0) => continue,
                    Some(d) if count % d == 0 => (left, -(count / d)),
                    Some(_) => continue,
                    None => match left.and_then(|it| self.without_atom(it, d)) {
                        Some(rest) => (rest, -count),
                        None => continue,
                    },
                };
                let Some(total) = self.without_dividend(sum, x, rest, factor) else { continue };
                let remainder =
                    if op == BinaryOp::Div { BinaryOp::Mod } else { BinaryOp::FloorMod };
                let node = self.binary(remainder, x, d);
                let mut value = self.atom(node).scaled(factor, Ring::Integers)?;
                if let Some(rest) = rest {
                    value = self.times(&value, &Sum::product(rest, 1))?;
                }
                let total = total.plus(&Sum::product(product, count), -1, Ring::Integers)?;
                let rule =
                    if op == BinaryOp::Div { "truncdiv-difference" } else { "div-mod-difference" };
                let total = total.plus(&value, 1, Ring::Integers)?;
                if total.n_terms() <= sum.n_terms() {
                    return Some((total, rule));
                }
            }
        }
        None
    }

    /// The sum without `factor * rest * x`, if they share a term.
    fn without_dividend(
        &mut self,
        sum: &Sum,
        x: ExprId,
        rest: Option<ProductId>,
        factor: i128,
    ) -> Option<Sum> {
        if rest.is_none() {
            let is_shared = |&(product, number): &(ProductId, i128)| {
                number.checked_mul(factor).is_some_and(|it| sum.products.contains(&(product, it)))
            };
            // Most often nothing is.
            self.sum_at(x).products.iter().any(is_shared).then_some(())?;
        }
        let mut dividend = self.sum_of(x).scaled(factor, Ring::Integers)?;
        if let Some(rest) = rest {
            dividend = self.times(&dividend, &Sum::product(rest, 1))?;
        }
        let is_shared = |it: &(ProductId, i128)| sum.products.contains(it);
        dividend.products.iter().any(is_shared).then_some(())?;
        sum.plus(&dividend, -1, Ring::Integers)
    }
}

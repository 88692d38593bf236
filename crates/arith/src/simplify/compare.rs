//! Comparisons of integers, by the difference of both sides.
//!
//! `a < b` is `b - a >= 1`. In the difference common terms cancel; a common factor of its terms is divided out, with
//! terms too small to count beside it, or beside multiples of it; then added terms stand on the right and the others on
//! the left. Constant bounds are written `x < c` (but `x <= 0`), and `c < x` or `c <= x`, whichever has the constant
//! nearer to 0. All of that needs sums that are those of integers: without the reading that excludes overflow both
//! sides are shown not to overflow. New sums are shown to fit.

use std::collections::BTreeSet;

use ir::{BinaryOp, DataType, ExprId, ExprKind};

use super::{
    At, Rewrite, Simplifier,
    division::gcd,
    sums::{Factors, ProductId, Sum},
};
use crate::{Interval, Modular, canonical::polynomial::Ring, interval::floor_div};

/// A comparison in the making.
struct Comparison {
    at: At,
    sides: [ExprId; 2],
    dtype: DataType,
    rule: &'static str,
}

fn ceil_div(a: i128, b: i128) -> i128 {
    -floor_div(-a, b)
}

impl Simplifier<'_> {
    /// A comparison in its normal form.
    pub(super) fn compare(&mut self, at: At, expr: ExprId) -> Option<Rewrite> {
        let ExprKind::Binary(op, a, b) = self.body().expr(expr).kind else { return None };
        if !op.is_comparison() || !self.is_wide(a) {
            return None;
        }
        match op {
            BinaryOp::Gt => return Some((self.binary(BinaryOp::Lt, b, a), "gt-swap")),
            BinaryOp::Ge => return Some((self.binary(BinaryOp::Le, b, a), "ge-swap")),
            _ => {}
        }
        if !self.is_exact(at, a) || !self.is_exact(at, b) {
            return None;
        }
        let dtype = self.body().dtype(a)?;
        let mut it = Comparison { at, sides: [a, b], dtype, rule: "common-terms" };
        let (x, y) = (self.sum_of(a), self.sum_of(b));
        let node = match op {
            BinaryOp::Lt | BinaryOp::Le => {
                let gap = y.plus(&x, -1, Ring::Integers)?;
                let gap = self.together(&mut it, gap);
                let least = i128::from(op == BinaryOp::Lt).checked_sub(gap.constant)?;
                let gap = Sum { constant: 0, ..gap };
                self.at_least(&mut it, gap, least)?
            }
            _ => {
                let gap = x.plus(&y, -1, Ring::Integers)?;
                let gap = self.together(&mut it, gap);
                self.equality(&mut it, op, gap)?
            }
        };
        Some((node, it.rule))
    }

    /// The difference with quotients and remainders taken together.
    fn together(&mut self, it: &mut Comparison, gap: Sum) -> Sum {
        match self.recombined(it.at, &gap) {
            Some((together, rule)) if together.n_terms() <= gap.n_terms() => {
                it.rule = rule;
                together
            }
            _ => gap,
        }
    }

    fn bool(&mut self, value: bool) -> ExprId {
        self.int(value.into(), DataType::BOOL)
    }

    /// `gap >= least`
    fn at_least(&mut self, it: &mut Comparison, mut gap: Sum, mut least: i128) -> Option<ExprId> {
        loop {
            let factor = gap.products.iter().fold(0, |factor, it| gcd(factor, it.1));
            if factor == 0 {
                return Some(self.bool(least <= 0));
            }
            if factor > 1 {
                gap.products.iter_mut().for_each(|it| it.1 /= factor);
                least = ceil_div(least, factor);
                it.rule = "common-factor";
            }
            if let Some((large, bound)) = self.without_small_terms(it, &gap, least) {
                (gap, least) = (large, bound);
                it.rule = "small-terms";
            } else if let Some((multiples, bound)) = self.without_residue(it, &gap, least) {
                (gap, least) = (multiples, bound);
                it.rule = "small-residue";
            } else {
                break;
            }
        }
        while (0..=1).contains(&least)
            && let Some(less) = self.without_common_atom(it.at, &gap, false)
        {
            gap = less;
            it.rule = "lt-factor";
        }
        self.written(it, &gap, least)
    }

    /// The terms with a large factor, divided by it, with their bound, if the others cannot change the answer.
    fn without_small_terms(
        &mut self,
        it: &Comparison,
        gap: &Sum,
        least: i128,
    ) -> Option<(Sum, i128)> {
        let mut factors: Vec<i128> = gap.products.iter().map(|it| it.1.abs()).collect();
        factors.sort_unstable_by(|a, b| b.cmp(a));
        factors.dedup();
        for factor in factors.into_iter().filter(|it| *it > 1) {
            let (large, small): (Vec<(ProductId, i128)>, Vec<(ProductId, i128)>) =
                gap.products.iter().copied().partition(|it| it.1 % factor == 0);
            let small = Sum { products: small.into(), constant: -least };
            if self.is_seen_to_cross(it.at, &small, factor) {
                continue;
            }
            let small = Sum { constant: 0, ..small };
            let bounds = self.interval_of(it.at, &small, Interval::of_type(it.dtype), &[]);
            if bounds.min == Interval::NEG_INF || bounds.max == Interval::POS_INF {
                continue;
            }
            let bound = |rest: i128| Some(ceil_div(least.checked_sub(rest)?, factor));
            if bound(bounds.min)? == bound(bounds.max)? {
                let products = large.into_iter().map(|it| (it.0, it.1 / factor)).collect();
                return Some((Sum { products, constant: 0 }, bound(bounds.min)?));
            }
        }
        None
    }

    /// The terms that are known to be multiples of a number, with their bound, if the others cannot change the answer:
    /// `i * 4 + v < n` for a multiple `n` of 4 and `0 <= v < 4`.
    fn without_residue(&mut self, it: &Comparison, gap: &Sum, least: i128) -> Option<(Sum, i128)> {
        let factors: BTreeSet<i128> = gap.products.iter().map(|it| it.1.abs()).collect();
        for factor in factors.into_iter().rev().filter(|it| *it > 1) {
            let (mut multiples, mut small) = (Vec::new(), Vec::new());
            for &term in &gap.products {
                match self.is_multiple(it.at, term, factor) {
                    true => multiples.push(term),
                    false => small.push(term),
                }
            }
            // Those whose factors show it are divided elsewhere.
            if small.is_empty() || multiples.iter().all(|it| it.1 % factor == 0) {
                continue;
            }
            let small = Sum { products: small.into(), constant: 0 };
            let bounds = self.interval_of(it.at, &small, Interval::of_type(it.dtype), &[]);
            if bounds.min == Interval::NEG_INF || bounds.max == Interval::POS_INF {
                continue;
            }
            let bound = |rest: i128| Some(ceil_div(least.checked_sub(rest)?, factor));
            let bounded = bound(bounds.min)?;
            if bounded == bound(bounds.max)? {
                let least = factor.checked_mul(bounded - 1)?.checked_add(1)?;
                return Some((Sum { products: multiples.into(), constant: 0 }, least));
            }
        }
        None
    }

    /// Returns true if a term is known to be a multiple of a number.
    fn is_multiple(&mut self, at: At, (product, factor): (ProductId, i128), of: i128) -> bool {
        let mut known = Modular::constant(factor);
        for atom in self.factors(product).clone() {
            known = known.times(self.analyzer.facts_with(at.reading, at.ctx, atom).modular);
        }
        known.remainder(of) == Some(0)
    }

    /// The sum divided by an atom that all its terms have and that is positive, or not 0 where that is enough.
    fn without_common_atom(&mut self, at: At, gap: &Sum, is_sign_free: bool) -> Option<Sum> {
        let mut shared: Factors = self.factors(gap.products.first()?.0).clone();
        for it in &gap.products {
            let factors = self.factors(it.0).clone();
            shared.retain(|it| factors.contains(it));
        }
        // Alone, nothing is left to compare with 0.
        let is_alone = gap.products.iter().any(|it| self.factors(it.0).len() == 1);
        if is_alone && gap.products.len() == 1 {
            return None;
        }
        for atom in shared {
            let bounds = self.analyzer.facts_with(at.reading, at.ctx, atom).interval;
            if bounds.min <= 0 && !(is_sign_free && bounds.is_non_zero()) {
                continue;
            }
            let mut less = Sum::constant(0);
            for &(product, factor) in &gap.products {
                let part = match self.without_atom(product, atom)? {
                    Some(part) => Sum::product(part, factor),
                    None => Sum::constant(factor),
                };
                less = less.plus(&part, 1, Ring::Integers)?;
            }
            return (less.constant == 0).then_some(less);
        }
        None
    }

    /// `gap >= least` with each term on the side where it is added.
    fn written(&mut self, it: &Comparison, gap: &Sum, least: i128) -> Option<ExprId> {
        let (right, left) = sides(gap);
        if left.products.is_empty() {
            let right = self.side(it, &right)?;
            let (op, bound) =
                if least > 0 { (BinaryOp::Lt, least - 1) } else { (BinaryOp::Le, least) };
            let bound = self.constant(it, bound)?;
            return Some(self.binary(op, bound, right));
        }
        if right.products.is_empty() {
            let left = self.side(it, &left)?;
            let (op, bound) =
                if least == 0 { (BinaryOp::Le, 0) } else { (BinaryOp::Lt, 1 - least) };
            let bound = self.constant(it, bound)?;
            return Some(self.binary(op, left, bound));
        }
        let (op, add) = if least >= 1 { (BinaryOp::Lt, least - 1) } else { (BinaryOp::Le, least) };
        let plus = |sum: &Sum, constant: i128| Sum { constant, ..sum.clone() };
        // The constant where it is added, else where it is taken away.
        let pairs = [
            (plus(&left, add.max(0)), plus(&right, (-add).max(0))),
            (plus(&left, add.min(0)), plus(&right, (-add).min(0))),
        ];
        for (left, right) in pairs {
            if let Some(left) = self.side(it, &left)
                && let Some(right) = self.side(it, &right)
            {
                return Some(self.binary(op, left, right));
            }
        }
        None
    }

    fn side(&mut self, it: &Comparison, sum: &Sum) -> Option<ExprId> {
        self.built_beside(it.at, &it.sides, &[], sum, it.dtype)
    }
    fn constant(&mut self, it: &Comparison, value: i128) -> Option<ExprId> {
        Interval::of_type(it.dtype).contains(value).then(|| self.int(value, it.dtype))
    }

    /// `gap == 0` or `gap != 0`
    fn equality(&mut self, it: &mut Comparison, op: BinaryOp, mut gap: Sum) -> Option<ExprId> {
        let factor = gap.products.iter().fold(0, |factor, it| gcd(factor, it.1));
        let is_equal = op == BinaryOp::Eq;
        if factor == 0 {
            return Some(self.bool((gap.constant == 0) == is_equal));
        }
        if gap.constant % factor != 0 {
            it.rule = "common-factor";
            return Some(self.bool(!is_equal));
        }
        if factor > 1 {
            gap.products.iter_mut().for_each(|it| it.1 /= factor);
            gap.constant /= factor;
            it.rule = "common-factor";
        }
        while gap.constant == 0
            && let Some(less) = self.without_common_atom(it.at, &gap, true)
        {
            gap = less;
            it.rule = "eq-factor";
        }
        // The first term in order is on the left.
        if self.in_order(&gap).first().is_some_and(|it| it.1 < 0) {
            gap = gap.scaled(-1, Ring::Integers)?;
        }
        let (left, right) = sides(&gap);
        let constant = -gap.constant;
        if right.products.is_empty() {
            let left = self.side(it, &left)?;
            let right = self.constant(it, constant)?;
            return Some(self.binary(op, left, right));
        }
        let left = Sum { constant: (-constant).max(0), ..left };
        let right = Sum { constant: constant.max(0), ..right };
        let (left, right) = (self.side(it, &left)?, self.side(it, &right)?);
        Some(self.binary(op, left, right))
    }
}

/// The terms that are added, and the others without their sign; no constants.
fn sides(gap: &Sum) -> (Sum, Sum) {
    let (added, taken): (Vec<(ProductId, i128)>, Vec<(ProductId, i128)>) =
        gap.products.iter().copied().partition(|it| it.1 > 0);
    let taken = taken.into_iter().map(|it| (it.0, -it.1)).collect();
    (Sum { products: added.into(), constant: 0 }, Sum { products: taken, constant: 0 })
}

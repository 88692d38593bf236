//! Overflow of new sums: a sum that is computed anew stays in the range of its type wherever the source does.
//!
//! The values that the source computes at the place are assumed to fit: where they do not, there is an event already.
//! Each end of a new sum is shown by itself: by the bounds of its terms, or because it is not beyond a sum of the
//! source (their difference has a sign, or it is a part of it). A product of some of the factors of a product of the
//! source fits if the others are positive. Last, the analyzer may know that the value is computed on the way to the
//! place.

use ir::{DataType, ExprId};

use super::{
    At, Simplifier,
    sums::{ProductId, Sum},
};
use crate::{Interval, Overflow, canonical::polynomial::Ring, samples::Numbers};

/// The values that the source computes at a place: those in some nodes, and sums. Computed on demand.
pub(super) struct Source<'a> {
    roots: &'a [ExprId],
    known: &'a [Sum],
    sums: Option<Vec<Sum>>,
}

impl<'a> Source<'a> {
    /// All that is computed for `roots`, and `known`.
    pub(super) fn new(roots: &'a [ExprId], known: &'a [Sum]) -> Source<'a> {
        Source { roots, known, sums: None }
    }

    /// Nothing.
    pub(super) fn nothing() -> Source<'a> {
        Source::new(&[], &[])
    }

    fn sums(&mut self, simplifier: &mut Simplifier<'_>) -> &[Sum] {
        self.sums.get_or_insert_with(|| {
            let mut sums = simplifier.region(self.roots);
            sums.extend_from_slice(self.known);
            sums
        })
    }
}

impl Simplifier<'_> {
    /// Returns true if a new node does not overflow at a place, by the knowledge of the analyzer alone. Where overflow
    /// is excluded, values computed on the way there did not overflow.
    pub(super) fn adds_no_overflow(&mut self, at: At, expr: ExprId) -> bool {
        match at.reading {
            Overflow::Excluded => {
                self.is_wide(expr) && self.analyzer.is_computed(at.ctx, expr)
                    || self.analyzer.adds_no_overflow(at.ctx, expr)
            }
            Overflow::Wraps => self.analyzer.no_overflow(at.ctx, expr),
        }
    }

    /// Returns true if the value of a node fits its type where all of `source` do.
    pub(super) fn node_fits(
        &mut self,
        at: At,
        expr: ExprId,
        dtype: DataType,
        source: &mut Source<'_>,
    ) -> bool {
        let sum = self.sum_of(expr);
        self.fits(at, &sum, dtype, source)
    }

    /// Returns true if `sum` fits its type where all of `source` do.
    pub(super) fn fits(
        &mut self,
        at: At,
        sum: &Sum,
        dtype: DataType,
        source: &mut Source<'_>,
    ) -> bool {
        let range = Interval::of_type(dtype);
        if self.interval_of(at, sum, range, &[]).is_within(range) {
            return true;
        }
        let source = source.sums(self);
        source.contains(sum) || self.fits_by_source(at, sum, range, source)
    }

    fn fits_by_source(&mut self, at: At, sum: &Sum, range: Interval, source: &[Sum]) -> bool {
        let own = self.interval_of(at, sum, range, source);
        let (mut low, mut high) = (own.min >= range.min, own.max <= range.max);
        for known in source {
            if low && high {
                return true;
            }
            if is_multiple(known, sum) || self.is_part(at, known, sum) {
                return true;
            }
            let Some(gap) = known.plus(sum, -1, Ring::Integers) else { continue };
            let gap = self.interval_of(at, &gap, range, source);
            high |= gap.min >= 0;
            low |= gap.max <= 0;
        }
        low && high || self.is_part_of_product(at, sum, source)
    }

    /// The bounds of a sum as an integer, where all of `source` are in `range`.
    pub(super) fn interval_of(
        &mut self,
        at: At,
        sum: &Sum,
        range: Interval,
        source: &[Sum],
    ) -> Interval {
        let is_in_range = |product, factor| {
            source.iter().any(|it| it.constant == 0 && it.products[..] == [(product, factor)])
        };
        let mut total = Interval::constant(sum.constant);
        for &(product, factor) in &sum.products {
            let mut bounds = self.interval_of_product(at, product);
            if !bounds.is_within(range) && is_in_range(product, 1) {
                bounds = bounds.intersect(range);
            }
            let mut term = if factor == 1 { bounds } else { bounds.scale(factor) };
            if !term.is_within(range) && is_in_range(product, factor) {
                term = term.intersect(range);
            }
            total = total.plus(term);
        }
        total
    }

    fn interval_of_product(&mut self, at: At, product: ProductId) -> Interval {
        let mut bounds: Option<Interval> = None;
        for place in 0..self.factors(product).len() {
            let atom = self.factors(product)[place];
            let atom = self.analyzer.facts_with(at.reading, at.ctx, atom).interval;
            bounds = Some(bounds.map_or(atom, |it| it.times(atom)));
        }
        bounds.unwrap_or(Interval::constant(1))
    }

    /// Returns true if some samples have a multiple of `by` between the values of a sum: then no bounds can show that
    /// it is between two.
    pub(super) fn is_seen_to_cross(&mut self, at: At, sum: &Sum, by: i128) -> bool {
        let Ok(by) = i64::try_from(by) else { return false };
        let Ok(constant) = i64::try_from(sum.constant) else { return false };
        let mut total = Numbers::constant(constant);
        for &(product, factor) in &sum.products {
            let Ok(factor) = i64::try_from(factor) else { return false };
            let factors = &self.sums.products[product.0 as usize];
            if let [atom] = factors[..] {
                let Some(numbers) = self.analyzer.sampled().numbers(atom) else { return false };
                total.add_multiple(numbers, factor);
                continue;
            }
            let mut term = Numbers::constant(1);
            for &atom in factors {
                let Some(numbers) = self.analyzer.sampled().numbers(atom) else { return false };
                term.multiply(numbers);
            }
            total.add_multiple(&term, factor);
        }
        total.divide(&Numbers::constant(by));
        let lanes = self.analyzer.sampled().lanes(at.ctx);
        total.varies(lanes)
    }

    /// Returns true if the one sum is the other times a positive atom.
    fn is_part(&mut self, at: At, whole: &Sum, part: &Sum) -> bool {
        if part.n_terms() < 2 || whole.n_terms() != part.n_terms() {
            return false;
        }
        let Some(&(product, _)) = whole.products.first() else { return false };
        self.factors(product).clone().into_iter().any(|it| {
            let atom = self.atom(it);
            self.times(part, &atom).is_some_and(|it| it == *whole) && self.is_positive(at, it)
        })
    }

    /// Returns true if the sum is one product, and with positive factors a product of the source: then it lies between
    /// 0 and that.
    fn is_part_of_product(&mut self, at: At, sum: &Sum, source: &[Sum]) -> bool {
        let Some((part, number)) = only_product(sum) else { return false };
        source.iter().any(|it| {
            let Some((whole, of)) = only_product(it) else { return false };
            of % number == 0 && of / number > 0 && self.is_positive_multiple(at, whole, part)
        })
    }

    fn is_positive_multiple(&mut self, at: At, whole: ProductId, part: ProductId) -> bool {
        let mut others = self.factors(whole).clone();
        for atom in self.factors(part).clone() {
            match others.iter().position(|it| *it == atom) {
                Some(place) => others.remove(place),
                None => return false,
            };
        }
        others.iter().all(|it| self.is_positive(at, *it))
    }

    pub(super) fn is_positive(&mut self, at: At, expr: ExprId) -> bool {
        self.analyzer.facts_with(at.reading, at.ctx, expr).interval.min > 0
    }

    /// Returns true if a divisor, which is not 0, is positive.
    pub(super) fn is_positive_divisor(&mut self, at: At, expr: ExprId) -> bool {
        self.analyzer.facts_with(at.reading, at.ctx, expr).interval.min >= 0
    }
}

/// Returns true if `whole` is `part` times a positive integer: then `part` lies between 0 and it.
fn is_multiple(whole: &Sum, part: &Sum) -> bool {
    let first = |it: &Sum| it.products.first().map_or(it.constant, |it| it.1);
    let (of, one) = (first(whole), first(part));
    one != 0
        && of % one == 0
        && of / one > 0
        && part.scaled(of / one, Ring::Integers).is_some_and(|it| it == *whole)
}

fn only_product(sum: &Sum) -> Option<(ProductId, i128)> {
    match sum.products[..] {
        [it] if sum.constant == 0 => Some(it),
        _ => None,
    }
}

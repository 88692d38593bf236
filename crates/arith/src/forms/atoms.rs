//! Made atoms: products and quotients that need be no node of the body, and the algebra of forms over them.
//!
//! `(n + 1) * m` is `n * m + m` whether or not the body has `n * m`; and `x // 8`, `x >> 3` are one quotient. A made
//! atom is a mathematical integer, of whatever size. A product is a bag of factors in the order of their ids, so
//! factors in any order and grouping give one atom. Products of sums are distributed.
//!
//! | made atom | its value |
//! |---|---|
//! | product | the product of the values of its factors, two to [`MOST_FACTORS`] |
//! | quotient | dividend by divisor, which is not 0 where the quotient has a value |
//!
//! Everything here holds of integers whatever their values are; no context is asked. O(terms · factors) an operation.

use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use super::{
    atom::{Atom, AtomKind},
    linear::{Linear, MOST_TERMS},
};
use crate::{
    integers::gcd,
    interval::{checked_product, checked_sum, floor_div},
    nodes::{Nodes, VariableSet},
};

/// Factors of one product.
pub(crate) const MOST_FACTORS: usize = 6;

/// Products that are listed with a factor.
const MOST_PRODUCTS: usize = 16;

pub(crate) type Factors = SmallVec<[Atom; 4]>;

/// An atom that is no node.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Made {
    /// Sorted.
    Product(Factors),
    Quotient(Box<Quotient>),
}

/// A quotient rounded to -∞. Dividend and divisor share no factor, and no part of the dividend is a multiple of the
/// divisor.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Quotient {
    pub(crate) dividend: Linear,
    pub(crate) divisor: Linear,
}

/// The made atoms of an analyzer.
#[derive(Clone, Default)]
pub(crate) struct Atoms {
    all: Vec<(Made, VariableSet)>,
    index: FxHashMap<Made, u32>,
    /// The first products with each factor.
    products: FxHashMap<Atom, SmallVec<[Atom; 4]>>,
}

impl Atoms {
    pub(crate) fn get(&self, made: u32) -> &Made {
        &self.all[made as usize].0
    }
    pub(crate) fn variables(&self, made: u32) -> VariableSet {
        self.all[made as usize].1
    }

    /// Returns the definition of an atom that was made; `None` for a node.
    pub(crate) fn made(&self, atom: Atom) -> Option<&Made> {
        match atom.kind() {
            AtomKind::Node(_) => None,
            AtomKind::Made(made) => Some(self.get(made)),
        }
    }

    /// The factors of a product; itself if it is none.
    pub(crate) fn factors(&self, atom: Atom) -> Factors {
        match self.made(atom) {
            Some(Made::Product(factors)) => factors.clone(),
            _ => SmallVec::from_slice(&[atom]),
        }
    }

    /// The product of two atoms; none if it has too many factors.
    pub(crate) fn product_of(&mut self, nodes: &mut Nodes<'_>, a: Atom, b: Atom) -> Option<Atom> {
        let mut factors = self.factors(a);
        factors.extend(self.factors(b));
        factors.sort_unstable();
        (factors.len() <= MOST_FACTORS).then(|| self.product(nodes, factors))
    }

    /// The product of factors in order; at least one.
    pub(crate) fn product(&mut self, nodes: &mut Nodes<'_>, factors: Factors) -> Atom {
        if let [only] = factors[..] {
            return only;
        }
        let made = Made::Product(factors);
        if let Some(&known) = self.index.get(&made) {
            return Atom::made(known);
        }
        let product = self.make(nodes, made);
        let mut factors = self.factors(product);
        factors.dedup();
        for factor in factors {
            let products = self.products.entry(factor).or_default();
            if products.len() < MOST_PRODUCTS {
                products.push(product);
            }
        }
        product
    }

    /// The listed products that have all factors of this one and more, with their extra factors.
    pub(crate) fn products_over(
        &mut self,
        nodes: &mut Nodes<'_>,
        atom: Atom,
    ) -> SmallVec<[(Atom, Atom); 4]> {
        let Some(&first) = self.factors(atom).first() else { return SmallVec::new() };
        let listed = self.products.get(&first).cloned().unwrap_or_default();
        let mut over = SmallVec::new();
        for product in listed {
            if product != atom
                && let Some(rest) = self.without_factors(nodes, product, atom)
                && let Some((rest, 1, 0)) = rest.single()
            {
                over.push((product, rest));
            }
        }
        over
    }

    /// A product without one of its factors, and that factor, once for each different one.
    pub(crate) fn splits(
        &mut self,
        nodes: &mut Nodes<'_>,
        atom: Atom,
    ) -> SmallVec<[(Atom, Atom); 4]> {
        let factors = self.factors(atom);
        let mut splits = SmallVec::new();
        for (at, &factor) in factors.iter().enumerate() {
            if factors.len() > 1 && (at == 0 || factors[at - 1] != factor) {
                let mut rest = factors.clone();
                rest.remove(at);
                splits.push((factor, self.product(nodes, rest)));
            }
        }
        splits
    }

    /// A product without the factors of another one, as a form; none if it does not have them all.
    pub(crate) fn without_factors(
        &mut self,
        nodes: &mut Nodes<'_>,
        atom: Atom,
        others: Atom,
    ) -> Option<Linear> {
        let mut factors = self.factors(atom);
        for other in self.factors(others) {
            let at = factors.iter().position(|it| *it == other)?;
            factors.remove(at);
        }
        Some(match factors.is_empty() {
            true => Linear::constant(1),
            false => Linear::atom(self.product(nodes, factors)),
        })
    }

    /// A form without constant of which every term has this factor, without it; none otherwise.
    pub(crate) fn divided_by(
        &mut self,
        nodes: &mut Nodes<'_>,
        form: &Linear,
        factor: Atom,
    ) -> Option<Linear> {
        if form.offset() != 0 {
            return None;
        }
        let mut shorter = Linear::constant(0);
        for &(atom, times) in form.terms() {
            let rest = self.without_factors(nodes, atom, factor)?;
            shorter = shorter.combine(1, &rest, times)?;
        }
        Some(shorter)
    }

    /// The atom of a quotient of two forms.
    pub(crate) fn quotient_atom(
        &mut self,
        nodes: &mut Nodes<'_>,
        dividend: Linear,
        divisor: Linear,
    ) -> Atom {
        let made = Made::Quotient(Box::new(Quotient { dividend, divisor }));
        match self.index.get(&made) {
            Some(&known) => Atom::made(known),
            None => self.make(nodes, made),
        }
    }

    /// A new atom.
    fn make(&mut self, nodes: &mut Nodes<'_>, made: Made) -> Atom {
        let of: Factors = match &made {
            Made::Product(factors) => factors.clone(),
            Made::Quotient(it) => it.dividend.atoms().chain(it.divisor.atoms()).collect(),
        };
        let sets: SmallVec<[VariableSet; 4]> =
            of.into_iter().map(|it| self.variables_of_atom(nodes, it)).collect();
        let all = sets.into_iter().reduce(|a, b| nodes.union(a, b));
        let number = self.all.len() as u32;
        self.all.push((made.clone(), all.unwrap_or(VariableSet::ALL)));
        self.index.insert(made, number);
        Atom::made(number)
    }

    /// The variables that the value of an atom depends on.
    pub(crate) fn variables_of_atom(&self, nodes: &mut Nodes<'_>, atom: Atom) -> VariableSet {
        match atom.kind() {
            AtomKind::Node(expr) => nodes.summary(expr).variables,
            AtomKind::Made(made) => self.variables(made),
        }
    }

    /// The product of two forms; none if it has too many terms or factors.
    pub(crate) fn product_form(
        &mut self,
        nodes: &mut Nodes<'_>,
        left: &Linear,
        right: &Linear,
    ) -> Option<Linear> {
        if let Some(factor) = left.as_constant() {
            return right.scale(factor);
        }
        let mut total = left.scale(right.offset())?;
        if (left.terms().len() + 1) * right.terms().len() > 2 * MOST_TERMS {
            return None;
        }
        for &(y, b) in right.terms() {
            let mut terms: SmallVec<[(Atom, i128); 2]> = SmallVec::new();
            for &(x, a) in left.terms() {
                terms.push((self.product_of(nodes, x, y)?, checked_product(a, b)?));
            }
            if left.offset() != 0 {
                terms.push((y, checked_product(left.offset(), b)?));
            }
            // Products of different atoms with one atom are different; that atom may be one of them.
            for (atom, factor) in terms {
                total = total.combine(1, &Linear::atom(atom), factor)?;
            }
        }
        Some(total)
    }

    /// `dividend // divisor` as a form. The common factors are divided out, and multiples of the divisor are divided:
    /// `(i * n + j) // n` is `i + j // n`, for any sign of `n`. None if it does not fit.
    pub(crate) fn quotient(
        &mut self,
        nodes: &mut Nodes<'_>,
        dividend: Linear,
        divisor: Linear,
    ) -> Option<Linear> {
        let (mut dividend, mut divisor) = self.without_shared_factors(nodes, dividend, divisor);
        match divisor.as_constant() {
            Some(0) => return None,
            Some(it) if it < 0 => (dividend, divisor) = (dividend.scale(-1)?, divisor.scale(-1)?),
            _ => {}
        }
        let (multiple, rest) = self.split_multiple(nodes, &dividend, &divisor)?;
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
        let atom = self.quotient_atom(nodes, rest, divisor);
        multiple.combine(1, &Linear::atom(atom), 1)
    }

    /// Both without the atoms and the number that every term of both has as a factor; none of them is 0 where the
    /// divisor is not.
    fn without_shared_factors(
        &mut self,
        nodes: &mut Nodes<'_>,
        mut dividend: Linear,
        mut divisor: Linear,
    ) -> (Linear, Linear) {
        let is_product_sum = dividend.offset() == 0 && divisor.offset() == 0;
        if is_product_sum && let Some(&(first, _)) = divisor.terms().first() {
            for factor in self.factors(first) {
                let both = (
                    self.divided_by(nodes, &dividend, factor),
                    self.divided_by(nodes, &divisor, factor),
                );
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
    fn split_multiple(
        &mut self,
        nodes: &mut Nodes<'_>,
        form: &Linear,
        divisor: &Linear,
    ) -> Option<(Linear, Linear)> {
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
                    self.without_factors(nodes, atom, by).map(|it| (it, factor / times))
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

    /// The parts of a quotient; none of anything else.
    pub(crate) fn as_quotient(&self, atom: Atom) -> Option<Quotient> {
        match self.made(atom) {
            Some(Made::Quotient(it)) => Some((**it).clone()),
            _ => None,
        }
    }
}

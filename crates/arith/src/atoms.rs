//! Atoms: what a linear form does not take apart.
//!
//! An atom is a node of the body, or *made*: a product of atoms, or the quotient, rounded to -∞, of two forms. Made atoms need
//! be no node: `(n + 1) * m` is `n * m + m` whether or not the body has `n * m`; and `x // 8`, `x >> 3` are one quotient. A made
//! atom is a mathematical integer, of whatever size. A product is a bag of factors in the order of their ids, so factors in any
//! order and grouping give one atom.
//!
//! | made atom | its value |
//! |---|---|
//! | product | the product of the values of its factors, two to [`MOST_FACTORS`] |
//! | quotient | dividend by divisor, which is not 0 where the quotient has a value |
//!
//! Facts of a made atom come from its parts and from what constraints say of it, and are kept as those of nodes are. O(factors).

use ir::{ExprId, arena::Id};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use crate::{
    Analyzer, Interval, Modular,
    analyzer::{Facts, Overflow},
    context::ContextId,
    linear::Linear,
    summary::VariableSet,
};

/// Factors of one product.
pub(crate) const MOST_FACTORS: usize = 6;

/// Products that are listed with a factor.
const MOST_PRODUCTS: usize = 16;

/// An atom of one analyzer.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) struct Atom(u32);

/// What an atom is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum AtomKind {
    /// The node that stands for all that are equal to it.
    Node(ExprId),
    /// The number of a made one.
    Made(u32),
}

impl Atom {
    /// The atom of a node that is its own representative.
    pub(crate) fn node(expr: ExprId) -> Atom {
        Atom(2 * expr.index() as u32)
    }
    fn made(number: u32) -> Atom {
        Atom(2 * number + 1)
    }
    pub(crate) fn kind(self) -> AtomKind {
        match self.0 & 1 {
            0 => AtomKind::Node(ExprId::new(self.0 as usize / 2)),
            _ => AtomKind::Made(self.0 / 2),
        }
    }
    pub(crate) fn as_node(self) -> Option<ExprId> {
        match self.kind() {
            AtomKind::Node(expr) => Some(expr),
            AtomKind::Made(_) => None,
        }
    }
}

pub(crate) type Factors = SmallVec<[Atom; 4]>;

/// An atom that is no node.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Made {
    /// Sorted.
    Product(Factors),
    Quotient(Box<Quotient>),
}

/// A quotient rounded to -∞. Dividend and divisor share no factor, and no part of the dividend is a multiple of the divisor.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Quotient {
    pub(crate) dividend: Linear,
    pub(crate) divisor: Linear,
}

/// The made atoms of an analyzer.
#[derive(Default)]
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
}

impl Analyzer<'_> {
    /// The atom of a node.
    pub(crate) fn atom(&mut self, expr: ExprId) -> Atom {
        Atom::node(self.representative(expr))
    }

    /// What a made atom is; none of a node.
    pub(crate) fn made(&self, atom: Atom) -> Option<&Made> {
        match atom.kind() {
            AtomKind::Node(_) => None,
            AtomKind::Made(made) => Some(self.atoms.get(made)),
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
    pub(crate) fn product_of(&mut self, a: Atom, b: Atom) -> Option<Atom> {
        let mut factors = self.factors(a);
        factors.extend(self.factors(b));
        factors.sort_unstable();
        (factors.len() <= MOST_FACTORS).then(|| self.product(factors))
    }

    /// The product of factors in order; at least one.
    pub(crate) fn product(&mut self, factors: Factors) -> Atom {
        if let [only] = factors[..] {
            return only;
        }
        let made = Made::Product(factors);
        if let Some(&known) = self.atoms.index.get(&made) {
            return Atom::made(known);
        }
        let product = self.make(made);
        let mut factors = self.factors(product);
        factors.dedup();
        for factor in factors {
            let products = self.atoms.products.entry(factor).or_default();
            if products.len() < MOST_PRODUCTS {
                products.push(product);
            }
        }
        product
    }

    /// Products that have all factors of this one and more, as far as they are listed, with what they have more.
    pub(crate) fn products_over(&mut self, atom: Atom) -> SmallVec<[(Atom, Atom); 4]> {
        let Some(&first) = self.factors(atom).first() else { return SmallVec::new() };
        let listed = self.atoms.products.get(&first).cloned().unwrap_or_default();
        let mut over = SmallVec::new();
        for product in listed {
            if product != atom
                && let Some(rest) = self.without_factors(product, atom)
                && let Some((rest, 1, 0)) = rest.single()
            {
                over.push((product, rest));
            }
        }
        over
    }

    /// A product without one of its factors, and that factor, once for each different one.
    pub(crate) fn splits(&mut self, atom: Atom) -> SmallVec<[(Atom, Atom); 4]> {
        let factors = self.factors(atom);
        let mut splits = SmallVec::new();
        for (at, &factor) in factors.iter().enumerate() {
            if factors.len() > 1 && (at == 0 || factors[at - 1] != factor) {
                let mut rest = factors.clone();
                rest.remove(at);
                splits.push((factor, self.product(rest)));
            }
        }
        splits
    }

    /// A product without the factors of another one, as a form; none if it does not have them all.
    pub(crate) fn without_factors(&mut self, atom: Atom, others: Atom) -> Option<Linear> {
        let mut factors = self.factors(atom);
        for other in self.factors(others) {
            let at = factors.iter().position(|it| *it == other)?;
            factors.remove(at);
        }
        Some(match factors.is_empty() {
            true => Linear::constant(1),
            false => Linear::atom(self.product(factors)),
        })
    }

    /// A form without constant of which every term has this factor, without it; none otherwise.
    pub(crate) fn divided_by(&mut self, form: &Linear, factor: Atom) -> Option<Linear> {
        if form.offset() != 0 {
            return None;
        }
        let mut shorter = Linear::constant(0);
        for &(atom, times) in form.terms() {
            let rest = self.without_factors(atom, factor)?;
            shorter = shorter.combine(1, &rest, times)?;
        }
        Some(shorter)
    }

    /// The atom of a quotient of two forms.
    pub(crate) fn quotient_atom(&mut self, dividend: Linear, divisor: Linear) -> Atom {
        let made = Made::Quotient(Box::new(Quotient { dividend, divisor }));
        match self.atoms.index.get(&made) {
            Some(&known) => Atom::made(known),
            None => self.make(made),
        }
    }

    /// A new atom.
    fn make(&mut self, made: Made) -> Atom {
        let of: Factors = match &made {
            Made::Product(factors) => factors.clone(),
            Made::Quotient(it) => it.dividend.atoms().chain(it.divisor.atoms()).collect(),
        };
        let sets: SmallVec<[VariableSet; 4]> =
            of.into_iter().map(|it| self.variables_of_atom(it)).collect();
        let all = sets.into_iter().reduce(|a, b| self.summaries.union(a, b));
        let number = self.atoms.all.len() as u32;
        self.atoms.all.push((made.clone(), all.unwrap_or(VariableSet::ALL)));
        self.atoms.index.insert(made, number);
        Atom::made(number)
    }

    /// The variables that the value of an atom depends on.
    pub(crate) fn variables_of_atom(&mut self, atom: Atom) -> VariableSet {
        match atom.kind() {
            AtomKind::Node(expr) => self.summary(expr).variables,
            AtomKind::Made(made) => self.atoms.variables(made),
        }
    }

    /// What is known of an atom.
    pub(crate) fn facts_of_atom(
        &mut self,
        overflow: Overflow,
        ctx: ContextId,
        atom: Atom,
    ) -> Facts {
        let made = match atom.kind() {
            AtomKind::Node(expr) => return self.facts(overflow, ctx, expr),
            AtomKind::Made(made) => made,
        };
        let ctx = self.relevant_to(overflow, ctx, self.atoms.variables(made));
        if let Some(&known) = self.atom_memo[overflow as usize].get(made as usize, ctx) {
            return known;
        }
        let place = self.atom_memo[overflow as usize].insert(made as usize, ctx, Facts::NONE);
        let was_cut = std::mem::take(&mut self.is_cut);
        let own =
            stacker::maybe_grow(64 * 1024, 1024 * 1024, || match self.atoms.get(made).clone() {
                Made::Product(factors) => self.facts_of_product(overflow, ctx, &factors),
                Made::Quotient(it) => {
                    self.facts_of_quotient(overflow, ctx, &it.dividend, &it.divisor)
                }
            });
        let facts = self.with_recorded(overflow, ctx, atom, own).sharpened();
        // Nothing is possible here: say nothing.
        let facts = if facts.interval.is_empty() { Facts::NONE } else { facts };
        if self.is_cut && self.choices > 0 {
            self.atom_memo[overflow as usize].forget(made as usize, ctx, place);
        } else {
            self.atom_memo[overflow as usize].set(place, facts);
        }
        self.is_cut = was_cut || (self.is_cut && self.choices > 0);
        facts
    }

    fn facts_of_product(&mut self, overflow: Overflow, ctx: ContextId, factors: &[Atom]) -> Facts {
        let mut facts = Facts::of_interval(Interval::constant(1));
        facts.modular = Modular::constant(1);
        let mut rest = factors;
        while let [first, others @ ..] = rest {
            let once = self.facts_of_atom(overflow, ctx, *first);
            let (mut power, mut left) = (once, others);
            if others.first() == Some(first) {
                // A square is not negative.
                power.interval = once.interval.times(once.interval);
                power.interval = power.interval.intersect(Interval::NON_NEGATIVE);
                power.modular = once.modular.times(once.modular);
                left = &others[1..];
            }
            facts.interval = facts.interval.times(power.interval);
            facts.modular = facts.modular.times(power.modular);
            rest = left;
        }
        facts
    }

    fn facts_of_quotient(
        &mut self,
        overflow: Overflow,
        ctx: ContextId,
        dividend: &Linear,
        divisor: &Linear,
    ) -> Facts {
        let whole = self.interval_of(overflow, ctx, dividend);
        let by = self.interval_of(overflow, ctx, divisor);
        if let Some(value) = by.as_constant().filter(|it| *it > 0) {
            let modular = self.modular_of(overflow, ctx, dividend).floor_div(value);
            return Facts { interval: whole.floor_div(by), modular };
        }
        let mut interval = whole.floor_div(by);
        // Less than one divisor: bounds do not tell, but inequalities of the two may.
        if by.min > 0
            && interval.min >= 0
            && interval.max > 0
            && let Some(gap) = divisor.minus(dividend).and_then(|it| it.plus(-1))
            && self.is_non_negative(overflow, ctx, &gap)
        {
            interval = Interval::constant(0);
        }
        Facts::of_interval(interval)
    }
}

//! Sums of products: like terms are merged, opposite ones cancel, and the sum is rebuilt in a canonical order.
//!
//! The sum of a node is that of mathematical integers, exact in 128 bits; where it has more than [`MOST_PRODUCTS`]
//! products, a longer chain is a term by itself, so that a chain of n prefixes costs O(n). A *product* is a bag of
//! atoms, an *atom* a node that is no sum, difference or product.
//!
//! A sum of integers equals the node where nothing overflows, and modulo the width always. A rebuilt sum has other
//! partial sums, so each of them is shown to fit (module `fits`): the result may overflow only where the node does.

use ir::{BinaryOp, ExprId, ExprKind};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use super::{At, Rewrite, Simplifier, order};
use crate::canonical::polynomial::{Polynomial, Ring};

/// Products of one sum.
pub(super) const MOST_PRODUCTS: usize = 16;
/// Atoms of one product.
const MOST_FACTORS: usize = 8;
/// The limit on nodes of a sum that are visited to find the sums that the source computes.
const MOST_REGION: usize = 96;

/// A product, by its place in [`Sums`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) struct ProductId(pub(super) u32);

/// A sum of products of atoms.
pub(super) type Sum = Polynomial<ProductId>;

/// The atoms of a product, in the order of operands.
pub(super) type Factors = SmallVec<[ExprId; 3]>;

/// The sums of nodes, and the products in them.
#[derive(Default)]
pub(super) struct Sums {
    /// By node: the place of its sum and 1; 0 if it was not asked for.
    of: Vec<u32>,
    all: Vec<Sum>,
    pub(super) products: Vec<Factors>,
    index: FxHashMap<Factors, ProductId>,
    /// By node: the product that it is alone, and 1; 0 if not computed yet.
    alone: Vec<u32>,
    /// By node: whether it is in normal form, whatever the context.
    normal: Vec<bool>,
    /// True if facts of the context were used since the last look.
    pub(super) is_contextual: bool,
}

impl Sums {
    /// None yet, of as many nodes.
    pub(super) fn with_room(n_exprs: usize) -> Sums {
        Sums {
            of: vec![0; n_exprs],
            alone: vec![0; n_exprs],
            all: Vec::with_capacity(n_exprs / 2),
            ..Sums::default()
        }
    }
}

impl Simplifier<'_> {
    pub(super) fn factors(&self, product: ProductId) -> &Factors {
        &self.sums.products[product.0 as usize]
    }

    /// The product of these atoms, in any order.
    pub(super) fn product(&mut self, mut factors: Factors) -> ProductId {
        factors.sort_by(|&a, &b| order::compare(self.body(), a, b));
        self.product_in_order(factors)
    }

    /// The product of atoms that are in the order of operands.
    pub(super) fn product_in_order(&mut self, factors: Factors) -> ProductId {
        if let [only] = factors[..] {
            return self.alone(only);
        }
        let sums = &mut self.sums;
        if let Some(&known) = sums.index.get(&factors) {
            return known;
        }
        let id = ProductId(sums.products.len() as u32);
        sums.products.push(factors.clone());
        sums.index.insert(factors, id);
        id
    }

    /// The product of one atom.
    fn alone(&mut self, expr: ExprId) -> ProductId {
        let sums = &mut self.sums;
        if sums.alone.len() <= super::index(expr) {
            sums.alone.resize(self.analyzer.body().n_exprs(), 0);
        }
        let place = &mut sums.alone[super::index(expr)];
        if *place == 0 {
            sums.products.push(SmallVec::from_slice(&[expr]));
            *place = sums.products.len() as u32;
        }
        ProductId(*place - 1)
    }

    /// One atom as a sum.
    pub(super) fn atom(&mut self, expr: ExprId) -> Sum {
        Sum::product(self.alone(expr), 1)
    }

    fn multiply(&mut self, p: ProductId, q: ProductId) -> Option<ProductId> {
        let mut factors = self.factors(p).clone();
        factors.extend_from_slice(&self.factors(q).clone());
        (factors.len() <= MOST_FACTORS).then(|| self.product(factors))
    }

    /// `left * right`, if it is no longer than a sum may be.
    pub(super) fn times(&mut self, left: &Sum, right: &Sum) -> Option<Sum> {
        if left.n_terms() * right.n_terms() > MOST_PRODUCTS {
            return None;
        }
        left.times(right, Ring::Integers, &mut |p, q| self.multiply(p, q))
    }

    /// The sum of a node of a type whose sums are those of integers.
    pub(super) fn sum_of(&mut self, expr: ExprId) -> Sum {
        self.sum_at(expr).clone()
    }

    /// As [`Simplifier::sum_of`], where it is kept.
    pub(super) fn sum_at(&mut self, expr: ExprId) -> &Sum {
        if self.known_sum(expr).is_none() {
            self.sums.of.resize(self.analyzer.body().n_exprs(), 0);
            self.find_sum(expr);
        }
        &self.sums.all[self.sums.of[super::index(expr)] as usize - 1]
    }

    /// Returns true if a node is not decomposed further.
    pub(super) fn is_atom(&mut self, expr: ExprId) -> bool {
        let alone = self.alone(expr);
        let sum = self.sum_at(expr);
        sum.constant == 0 && sum.products[..] == [(alone, 1)]
    }

    fn known_sum(&self, expr: ExprId) -> Option<&Sum> {
        let place = self.sums.of.get(super::index(expr))?.checked_sub(1)?;
        self.sums.all.get(place as usize)
    }

    fn find_sum(&mut self, expr: ExprId) {
        let mut stack: SmallVec<[ExprId; 16]> = SmallVec::from_slice(&[expr]);
        while let Some(&at) = stack.last() {
            let n_before = stack.len();
            let sum = match self.addends(at) {
                Some((op, a, b)) => {
                    stack.extend([a, b].into_iter().filter(|it| self.known_sum(*it).is_none()));
                    if stack.len() > n_before {
                        continue;
                    }
                    self.combined(op, a, b)
                }
                None => self.as_int(at).map(Sum::constant),
            };
            stack.pop();
            if self.known_sum(at).is_none() {
                let sum = sum.unwrap_or_else(|| self.atom(at));
                self.sums.all.push(sum);
                self.sums.of[super::index(at)] = self.sums.all.len() as u32;
            }
        }
    }

    /// A sum, difference or product of integers.
    pub(super) fn addends(&self, expr: ExprId) -> Option<(BinaryOp, ExprId, ExprId)> {
        match self.body().expr(expr).kind {
            ExprKind::Binary(op @ (BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul), a, b) => {
                self.is_wide(expr).then_some((op, a, b))
            }
            _ => None,
        }
    }

    fn combined(&mut self, op: BinaryOp, a: ExprId, b: ExprId) -> Option<Sum> {
        let (x, y) = (self.known_sum(a)?, self.known_sum(b)?);
        let sum = match op {
            BinaryOp::Add => x.plus(y, 1, Ring::Integers),
            BinaryOp::Sub => x.plus(y, -1, Ring::Integers),
            _ => match (x.as_constant(), y.as_constant()) {
                (_, Some(factor)) => x.scaled(factor, Ring::Integers),
                (Some(factor), _) => y.scaled(factor, Ring::Integers),
                _ => {
                    let (x, y) = (x.clone(), y.clone());
                    self.times(&x, &y)
                }
            },
        };
        sum.filter(|it| it.products.len() <= MOST_PRODUCTS)
    }

    /// Returns the sums that the source computes for these nodes: all sums, differences, products and atoms in them,
    /// outermost first.
    pub(super) fn region(&mut self, roots: &[ExprId]) -> Vec<Sum> {
        let mut nodes: SmallVec<[ExprId; 32]> = roots.into();
        let mut next = 0;
        while next < nodes.len() && nodes.len() < MOST_REGION {
            if let Some((_, a, b)) = self.addends(nodes[next]) {
                for it in [a, b] {
                    if !nodes.contains(&it) {
                        nodes.push(it);
                    }
                }
            }
            next += 1;
        }
        nodes.into_iter().map(|it| self.sum_of(it)).collect()
    }

    /// A sum, difference or product in its normal form.
    pub(super) fn sum(&mut self, at: At, expr: ExprId) -> Option<Rewrite> {
        if self.sums.normal.get(super::index(expr)) == Some(&true) {
            return None;
        }
        let (op, a, b) = self.addends(expr)?;
        if op == BinaryOp::Mul && self.as_int(b).is_some() && self.addends(a).is_none() {
            // A multiple of an atom.
            return None;
        }
        // A chain that is a term by itself stays.
        if self.is_atom(expr) {
            return None;
        }
        let sum = self.sum_of(expr);
        let has_pairs = self.may_have_pairs(&sum);
        if has_pairs
            && let Some((together, rule)) = self.recombined(at, &sum)
            && let Some(node) = self.built(at, expr, &together)
        {
            return Some((node, rule));
        }
        self.sums.is_contextual = false;
        let node = self.built(at, expr, &sum).filter(|it| *it != expr);
        if node.is_none() && !has_pairs && !self.sums.is_contextual {
            self.sums.normal.resize(self.body().n_exprs(), false);
            self.sums.normal[super::index(expr)] = true;
        }
        node.map(|it| (it, "sum-of-products"))
    }
}

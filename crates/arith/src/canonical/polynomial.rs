//! Sums of products, whatever the products are: `constant + sum of factor * product`.
//!
//! The canonical terms take them modulo the width of a type, the simplifier as sums of mathematical integers ([`Ring`]).
//! Products are keys of the user's, in the order of the keys; no factor is 0. O(products) a sum.

use ir::DataType;
use smallvec::SmallVec;

/// What factors are.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Ring {
    /// Modulo the width of a type, as the signed number of the type.
    Modulo(DataType),
    /// Integers; one that does not fit 128 bits is none.
    Integers,
}

impl Ring {
    fn reduce(self, exact: Option<i128>) -> Option<i128> {
        match self {
            Ring::Modulo(dtype) => exact.map(|it| i128::from(dtype.wrap_int(it))),
            Ring::Integers => exact,
        }
    }
}

/// A sum of products.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Polynomial<K> {
    pub(crate) products: SmallVec<[(K, i128); 4]>,
    pub(crate) constant: i128,
}

impl<K: Copy + Ord> Polynomial<K> {
    pub(crate) fn constant(constant: i128) -> Polynomial<K> {
        Polynomial { products: SmallVec::new(), constant }
    }
    pub(crate) fn product(product: K, factor: i128) -> Polynomial<K> {
        let products = if factor == 0 { SmallVec::new() } else { [(product, factor)][..].into() };
        Polynomial { products, constant: 0 }
    }
    pub(crate) fn as_constant(&self) -> Option<i128> {
        self.products.is_empty().then_some(self.constant)
    }
    /// Products, and the constant if it is not 0.
    pub(crate) fn n_terms(&self) -> usize {
        self.products.len() + usize::from(self.constant != 0)
    }
    /// `self + other * factor`; none if a factor of it is none of the ring.
    pub(crate) fn plus(&self, other: &Self, factor: i128, ring: Ring) -> Option<Self> {
        let mut products = SmallVec::with_capacity(self.products.len() + other.products.len());
        let (mut left, mut right) =
            (self.products.iter().peekable(), other.products.iter().peekable());
        let scaled = |it: i128| it.checked_mul(factor);
        loop {
            let (product, total) = match (left.peek(), right.peek()) {
                (None, None) => break,
                (Some(&&(p, x)), Some(&&(q, y))) if p == q => {
                    left.next();
                    right.next();
                    (p, scaled(y).and_then(|y| x.checked_add(y)))
                }
                (Some(&&(p, x)), it) if it.is_none_or(|it| p < it.0) => {
                    left.next();
                    (p, Some(x))
                }
                (_, Some(&&(q, y))) => {
                    right.next();
                    (q, scaled(y))
                }
                // Without a right side the arm before the last matches.
                (Some(_), None) => break,
            };
            let total = ring.reduce(total)?;
            if total != 0 {
                products.push((product, total));
            }
        }
        let constant = scaled(other.constant).and_then(|it| self.constant.checked_add(it));
        Some(Polynomial { products, constant: ring.reduce(constant)? })
    }
    /// `self * factor`
    pub(crate) fn scaled(&self, factor: i128, ring: Ring) -> Option<Self> {
        Polynomial::constant(0).plus(self, factor, ring)
    }
    /// `self * other`, with the product of two products by `multiply`.
    pub(crate) fn times(
        &self,
        other: &Self,
        ring: Ring,
        multiply: &mut dyn FnMut(K, K) -> Option<K>,
    ) -> Option<Self> {
        let mut total = other.scaled(self.constant, ring)?;
        for &(p, a) in &self.products {
            let mut part = Polynomial::product(p, other.constant);
            for &(q, b) in &other.products {
                part = part.plus(&Polynomial::product(multiply(p, q)?, b), 1, ring)?;
            }
            total = total.plus(&part, a, ring)?;
        }
        Some(total)
    }
}

//! Sums of products of arbitrary factors: `constant + sum of factor * product`.
//!
//! The canonical terms take them modulo the width of a type, the simplifier as sums of mathematical integers
//! ([`Ring`]). Products are keys of the user's, in the order of the keys; no factor is 0. O(products) a sum.

use ir::DataType;
use smallvec::SmallVec;

use crate::interval::{checked_product, checked_sum};

/// The ring that factors belong to.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Ring {
    /// Modulo the width of a type, as the signed number of the type.
    Modulo(DataType),
    /// Integers; one that does not fit 128 bits, or whose opposite does not, is none.
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
        let scaled = |it: i128| checked_product(it, factor);
        let constant = scaled(other.constant).and_then(|it| checked_sum(self.constant, it));
        let constant = ring.reduce(constant)?;
        let (left, right) = (&self.products[..], &other.products[..]);
        let mut products = SmallVec::new();
        let (mut i, mut j) = (0, 0);
        while j < right.len() {
            let (product, number) = right[j];
            // What comes before on the left stays.
            while i < left.len() && left[i].0 < product {
                products.push(left[i]);
                i += 1;
            }
            let mut total = scaled(number);
            if i < left.len() && left[i].0 == product {
                total = total.and_then(|it| checked_sum(left[i].1, it));
                i += 1;
            }
            let total = ring.reduce(total)?;
            if total != 0 {
                products.push((product, total));
            }
            j += 1;
        }
        products.extend_from_slice(&left[i..]);
        Some(Polynomial { products, constant })
    }
    /// `self * factor`
    pub(crate) fn scaled(&self, factor: i128, ring: Ring) -> Option<Self> {
        if factor == 1 {
            return Some(self.clone());
        }
        let mut products = SmallVec::with_capacity(self.products.len());
        for &(product, number) in &self.products {
            let total = ring.reduce(checked_product(number, factor))?;
            if total != 0 {
                products.push((product, total));
            }
        }
        let constant = ring.reduce(checked_product(self.constant, factor))?;
        Some(Polynomial { products, constant })
    }
    /// `self * other`, with the product of two products by `multiply`.
    pub(crate) fn times(
        &self,
        other: &Self,
        ring: Ring,
        multiply: &mut dyn FnMut(K, K) -> Option<K>,
    ) -> Option<Self> {
        let mut parts: SmallVec<[(K, i128); 4]> =
            SmallVec::with_capacity((self.products.len() + 1) * (other.products.len() + 1) - 1);
        let of_constant = |(product, factor): (K, i128), constant: i128| {
            Some((product, checked_product(factor, constant)?))
        };
        if self.constant != 0 {
            for &it in &other.products {
                parts.push(of_constant(it, self.constant)?);
            }
        }
        for &(p, a) in &self.products {
            if other.constant != 0 {
                parts.push(of_constant((p, a), other.constant)?);
            }
            for &(q, b) in &other.products {
                parts.push((multiply(p, q)?, checked_product(a, b)?));
            }
        }
        let constant = ring.reduce(checked_product(self.constant, other.constant))?;
        Some(Polynomial { products: collected(parts, ring)?, constant })
    }
}

/// The parts in the order of their keys, those with one key as one.
fn collected<K: Copy + Ord>(
    mut parts: SmallVec<[(K, i128); 4]>,
    ring: Ring,
) -> Option<SmallVec<[(K, i128); 4]>> {
    parts.sort_unstable_by_key(|it| it.0);
    let mut products: SmallVec<[(K, i128); 4]> = SmallVec::new();
    for (product, factor) in parts {
        let factor = ring.reduce(Some(factor))?;
        match products.last_mut() {
            Some(last) if last.0 == product => {
                last.1 = ring.reduce(checked_sum(last.1, factor))?;
            }
            _ => products.push((product, factor)),
        }
    }
    products.retain(|it| it.1 != 0);
    Some(products)
}

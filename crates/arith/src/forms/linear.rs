//! Linear forms: a sum of multiples of atoms and a constant, as plain data.
//!
//! A form has at most [`MOST_TERMS`] atoms; what would need more is none. O(terms) an operation.

use std::cmp::Ordering;

use smallvec::SmallVec;

use super::atom::Atom;
use crate::{
    integers::gcd,
    interval::{checked_product, checked_sum, floor_div},
};

/// Atoms of one form.
pub(crate) const MOST_TERMS: usize = 12;

/// `constant + sum of factor * atom`; atoms in the order of their ids, no factor 0. Every number of it has an opposite:
/// none is `i128::MIN`.
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
    /// As an inequality `self >= 0` of integers, with the greatest common factor taken out and the constant rounded
    /// down: the same solutions.
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

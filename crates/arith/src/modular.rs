//! Congruences of integers (TVM: `ModularSet`).
//!
//! A [`Modular`] holds every value that an expression can have, as all integers that leave `base` when divided by
//! `coeff`: `{ coeff * k + base }`. `coeff` 0 is the one value `base`; `coeff` 1 is every integer.
//!
//! Like [`crate::Interval`], the operations are on mathematical integers and O(1); a result that does not fit is
//! replaced by a weaker fact. Where a result wraps, [`Modular::wrapped`] gives the remaining congruence.

use crate::{
    integers::gcd,
    interval::{checked_product, floor_mod},
};

/// All integers `coeff * k + base`.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Modular {
    /// The distance between two neighbours; 0 if there is one value only.
    pub coeff: i128,
    /// The value itself, or the least that is not negative.
    pub base: i128,
}

impl std::fmt::Debug for Modular {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        std::fmt::Display::fmt(self, f)
    }
}

impl std::fmt::Display for Modular {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match (self.coeff, self.base) {
            (0, base) => write!(f, "{base}"),
            (1, _) => f.write_str("any"),
            (coeff, 0) => write!(f, "{coeff}*k"),
            (coeff, base) => write!(f, "{coeff}*k + {base}"),
        }
    }
}

/// Coefficients and bases above this are given up, so that no product of two overflows.
const LIMIT: i128 = 1 << 62;

impl Modular {
    /// Every integer.
    pub const EVERYTHING: Modular = Modular { coeff: 1, base: 0 };

    /// All `coeff * k + base`, in normal form.
    pub fn new(coeff: i128, base: i128) -> Modular {
        let coeff = coeff.checked_abs().unwrap_or(1);
        if coeff == 1 {
            return Self::EVERYTHING;
        }
        if coeff > LIMIT || (coeff == 0 && !(-4 * LIMIT..=4 * LIMIT).contains(&base)) {
            return Self::EVERYTHING;
        }
        Modular { coeff, base: if coeff == 0 { base } else { floor_mod(base, coeff) } }
    }
    /// One value.
    pub fn constant(value: i128) -> Modular {
        Self::new(0, value)
    }
    /// The only value, if there is just one.
    pub fn as_constant(self) -> Option<i128> {
        (self.coeff == 0).then_some(self.base)
    }
    /// Returns true if the set contains every integer.
    pub fn is_everything(self) -> bool {
        self.coeff == 1
    }
    /// Returns true if the interval contains `value`.
    pub fn contains(self, value: i128) -> bool {
        match self.coeff {
            0 => value == self.base,
            1 => true,
            coeff => floor_mod(value, coeff) == self.base,
        }
    }
    /// The remainder of every value by `divisor`, if it is always the same.
    pub fn remainder(self, divisor: i128) -> Option<i128> {
        (divisor > 0 && self.coeff % divisor == 0).then(|| floor_mod(self.base, divisor))
    }

    /// Returns the intersection, or a superset of it; `None` if it is empty.
    pub fn intersect(self, other: Modular) -> Option<Modular> {
        if self == other || other.is_everything() {
            return Some(self);
        }
        if self.is_everything() {
            return Some(other);
        }
        let common = gcd(self.coeff, other.coeff);
        let (a, b) = (self.base, other.base);
        if common == 0 {
            return (a == b).then_some(self);
        }
        if floor_mod(a, common) != floor_mod(b, common) {
            return None;
        }
        let (wide, narrow) = if self.coeff == 0 || (other.coeff != 0 && self.coeff >= other.coeff) {
            (self, other)
        } else {
            (other, self)
        };
        if wide.coeff == 0 {
            return narrow.contains(wide.base).then_some(wide);
        }
        // Chinese remainder theorem, by trial: the smaller coefficient bounds the steps.
        let steps = narrow.coeff / common;
        const MOST_STEPS: i128 = 64;
        if steps <= MOST_STEPS {
            let base =
                (0..steps).map(|k| wide.base + k * wide.coeff).find(|&it| narrow.contains(it));
            if let Some(base) = base {
                return Some(match wide.coeff.checked_mul(steps) {
                    Some(coeff) if coeff <= LIMIT => Modular::new(coeff, base),
                    _ => wide,
                });
            }
        }
        Some(wide)
    }
    /// A set that holds both.
    #[must_use]
    pub fn hull(self, other: Modular) -> Modular {
        let coeff = gcd(gcd(self.coeff, other.coeff), self.base - other.base);
        Modular::new(coeff, self.base)
    }
    /// Returns the set after values wrap at a width of `bits`: only powers of two divide the distance.
    #[must_use]
    pub fn wrapped(self, bits: u32) -> Modular {
        let width = 1i128 << bits.min(100);
        Modular::new(gcd(self.coeff, width), self.base)
    }

    /// `a + b`
    #[must_use]
    pub fn plus(self, other: Modular) -> Modular {
        if self.is_everything() || other.is_everything() {
            return Self::EVERYTHING;
        }
        Modular::new(gcd(self.coeff, other.coeff), self.base + other.base)
    }
    /// `-a`
    #[must_use]
    pub fn negated(self) -> Modular {
        if self.is_everything() {
            return self;
        }
        Modular::new(self.coeff, -self.base)
    }
    /// `a - b`
    #[must_use]
    pub fn minus(self, other: Modular) -> Modular {
        self.plus(other.negated())
    }
    /// `a * b`: `(cx + p)(dy + q) = cd·xy + cq·x + dp·y + pq`.
    #[must_use]
    pub fn times(self, other: Modular) -> Modular {
        if self.is_everything() && other.is_everything() {
            return Self::EVERYTHING;
        }
        let all = (
            checked_product(self.coeff, other.coeff),
            checked_product(self.coeff, other.base),
            checked_product(other.coeff, self.base),
            checked_product(self.base, other.base),
        );
        match all {
            (Some(cd), Some(cq), Some(dp), Some(pq)) => Modular::new(gcd(gcd(cd, cq), dp), pq),
            _ => Self::EVERYTHING,
        }
    }
    /// `a * factor`
    #[must_use]
    pub fn scale(self, factor: i128) -> Modular {
        self.times(Modular { coeff: 0, base: factor })
    }
    /// `a // b` for a positive constant `b` that divides the distance.
    #[must_use]
    pub fn floor_div(self, divisor: i128) -> Modular {
        if divisor <= 0 || self.coeff % divisor != 0 {
            return Self::EVERYTHING;
        }
        Modular::new(self.coeff / divisor, self.base.div_euclid(divisor))
    }
    /// `a % b` for a positive constant `b`: remainders agree modulo the common divisor.
    #[must_use]
    pub fn floor_mod(self, divisor: i128) -> Modular {
        if divisor <= 0 {
            return Self::EVERYTHING;
        }
        if let Some(rest) = self.remainder(divisor) {
            return Modular::constant(rest);
        }
        Modular::new(gcd(self.coeff, divisor), self.base)
    }
}

#[cfg(test)]
mod tests;

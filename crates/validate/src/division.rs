//! Division in the logic: by a constant without a divider, as a quotient and what makes it the only one.
//!
//! A solver writes a division of bit vectors as a circuit of as many subtractions as there are bits, and gives up
//! questions about two of them. A product by a constant is a few additions, so here the quotient is a variable, its
//! product with the divisor is compared with the dividend, and the remainder is their difference. For each dividend
//! there is exactly one such quotient, so that a script with these conditions can be satisfied if and only if the
//! division can (tested with the solver, for all dividends and divisors of 6 bits).

use crate::term::{Op, Pool, Term, low};

/// Division of signed integers that rounds down, for a width.
pub(crate) const FLOOR: &str = "\
(define-fun floor-div-@ ((a (_ BitVec @)) (b (_ BitVec @))) (_ BitVec @) (ite (and (distinct (bvsrem a b) (_ bv0 @)) \
(xor (bvslt (bvsrem a b) (_ bv0 @)) (bvslt b (_ bv0 @)))) (bvsub (bvsdiv a b) (_ bv1 @)) (bvsdiv a b)))
(define-fun floor-rem-@ ((a (_ BitVec @)) (b (_ BitVec @))) (_ BitVec @) (ite (and (distinct (bvsrem a b) (_ bv0 @)) \
(xor (bvslt (bvsrem a b) (_ bv0 @)) (bvslt b (_ bv0 @)))) (bvadd (bvsrem a b) b) (bvsrem a b)))
";

/// The side to which a quotient is rounded.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Rounding {
    /// Down, of signed integers.
    Down,
    /// To zero, of signed integers.
    Zero,
    /// Unsigned integers have one way.
    Unsigned,
}

/// A division by a constant of at least 2.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct Division {
    /// The dividend.
    pub(crate) dividend: Term,
    /// The divisor.
    pub(crate) divisor: i64,
    /// The rounding.
    pub(crate) rounding: Rounding,
    /// The width of both.
    pub(crate) bits: u8,
}

impl Division {
    /// The division whose quotient or remainder a term is; none if the divisor is no constant of at least 2.
    pub(crate) fn of(pool: &Pool, term: Term) -> Option<Division> {
        let node = pool.node(term);
        let rounding = match node.op {
            Op::FloorDiv | Op::FloorRem => Rounding::Down,
            Op::Div(true) | Op::Rem(true) => Rounding::Zero,
            Op::Div(false) | Op::Rem(false) => Rounding::Unsigned,
            _ => return None,
        };
        let [dividend, divisor] = node.args[..] else { return None };
        let (divisor, bits) = (pool.known_int(divisor)?, node.sort.width()?);
        (divisor >= 2).then_some(Division { dividend, divisor, rounding, bits })
    }

    /// The variable that is its quotient; none where a shift is.
    pub(crate) fn variable(&self) -> Option<String> {
        self.shift().is_none().then(|| self.name())
    }

    fn name(&self) -> String {
        let letter = match self.rounding {
            Rounding::Down => 'd',
            Rounding::Zero => 'z',
            Rounding::Unsigned => 'u',
        };
        format!("q{letter}{}-{}", self.dividend.0, self.divisor)
    }

    /// The quotient, for the dividend as a text.
    pub(crate) fn quotient(&self, x: &str) -> String {
        match self.shift() {
            Some((op, by)) => format!("({op} {x} {})", constant(by, self.bits)),
            None => self.name(),
        }
    }

    /// The remainder.
    pub(crate) fn remainder(&self, x: &str) -> String {
        match self.variable() {
            None => format!("(bvand {x} {})", constant(self.divisor - 1, self.bits)),
            Some(q) => format!("(bvsub {x} (bvmul {} {q}))", constant(self.divisor, self.bits)),
        }
    }

    /// The condition that holds of the variable's true value and of no other.
    pub(crate) fn condition(&self, x: &str) -> Option<String> {
        let q = self.variable()?;
        let Division { divisor, rounding, bits, .. } = *self;
        let c = constant(divisor, bits);
        let wide = i128::from(divisor);
        let (min, max) = (-(1i128 << (bits - 1)), (1i128 << (bits - 1)) - 1);
        let number = |it: i128| constant(it as i64, bits);
        Some(match rounding {
            // The product may be below the least value, so one bit more.
            Rounding::Down => {
                let (least, most) = (min.div_euclid(wide), max.div_euclid(wide));
                let (wide_x, wide_q) =
                    (format!("((_ sign_extend 1) {x})"), format!("((_ sign_extend 1) {q})"));
                let c = constant(divisor, bits + 1);
                let product = format!("(bvmul {c} {wide_q})");
                format!(
                    "(and (bvsle {} {q}) (bvsle {q} {}) (bvsle {product} {wide_x}) (bvult (bvsub {wide_x} {product}) {c}))",
                    number(least),
                    number(most)
                )
            }
            Rounding::Zero => {
                let product = format!("(bvmul {c} {q})");
                let within = |from: &str, to: &str| {
                    format!("(and (bvsle {from} {to}) (bvult (bvsub {to} {from}) {c}))")
                };
                format!(
                    "(and (bvsle {} {q}) (bvsle {q} {}) (ite (bvslt {x} {}) {} {}))",
                    number(min / wide),
                    number(max / wide),
                    number(0),
                    within(x, &product),
                    within(&product, x)
                )
            }
            Rounding::Unsigned => {
                let most = ((1i128 << bits) - 1) / wide;
                let product = format!("(bvmul {c} {q})");
                format!(
                    "(and (bvule {q} {}) (bvule {product} {x}) (bvult (bvsub {x} {product}) {c}))",
                    number(most)
                )
            }
        })
    }

    /// The shift that a division by a power of two is, and its distance, unless it rounds to zero.
    fn shift(&self) -> Option<(&'static str, i64)> {
        let is_power = self.divisor & (self.divisor - 1) == 0;
        let op = match self.rounding {
            Rounding::Down => "bvashr",
            Rounding::Unsigned => "bvlshr",
            Rounding::Zero => return None,
        };
        is_power.then(|| (op, i64::from(self.divisor.trailing_zeros())))
    }
}

fn constant(value: i64, bits: u8) -> String {
    match bits {
        // A divisor of the widest integers with one bit more is not negative.
        65.. => format!("(_ bv{value} {bits})"),
        _ => format!("(_ bv{} {bits})", low(value as u64, bits)),
    }
}

#[cfg(test)]
mod tests {
    use std::fmt::Write as _;

    use super::*;
    use crate::term::Sort;
    use crate::tests::{Z3, has_z3};
    use crate::{Answer, Solver as _};

    /// Every dividend and every value of the quotient, for each divisor: the condition holds of the true quotient only,
    /// and the remainder follows.
    #[test]
    fn divisions_by_constants_have_the_values_that_the_logic_gives_them() {
        if !has_z3() {
            return;
        }
        let mut pool = Pool::default();
        let dividend = pool.var("x", Sort::bits(6));
        for (rounding, divide, remainder) in [
            (Rounding::Down, "floor-div-6", "floor-rem-6"),
            (Rounding::Zero, "bvsdiv", "bvsrem"),
            (Rounding::Unsigned, "bvudiv", "bvurem"),
        ] {
            let divisors: Vec<i64> = (2..=31).collect();
            for some in divisors.chunks(3) {
                let mut script = FLOOR.replace('@', "6");
                let mut wrong = String::new();
                for &divisor in some {
                    let division = Division { dividend, divisor, rounding, bits: 6 };
                    let c = constant(divisor, 6);
                    let [q, r] = [division.quotient("x"), division.remainder("x")];
                    let is_quotient = format!("(= {q} ({divide} x {c}))");
                    let is_remainder = format!("(= {r} ({remainder} x {c}))");
                    let condition = division.condition("x").unwrap_or_else(|| "true".to_owned());
                    if let Some(q) = division.variable() {
                        let _ = writeln!(script, "(declare-const {q} (_ BitVec 6))");
                        let _ = writeln!(wrong, "(and {is_quotient} (not {condition}))");
                    }
                    let _ = writeln!(
                        wrong,
                        "(and {condition} (not (and {is_quotient} {is_remainder})))"
                    );
                }
                let _ = write!(script, "(declare-const x (_ BitVec 6))\n(assert (or\n{wrong}))\n");
                let answer = Z3.check(&script, &[]);
                assert_eq!(answer, Ok(Answer::Unsatisfiable), "{rounding:?} by {some:?}");
            }
        }
    }
}

//! Facts about a value, and the transfer functions of operators.
//!
//! In: the facts of operands, as mathematical integers. Out: those of the result. Bounds and congruences are one thing
//! here: each half sharpens the other after every operator. All of it is O(1).
//!
//! A sum that may leave its range is: any value of the type (int32 and wider, signed or not, which wrap in the
//! reference and err elsewhere); any value of the type or of the sum (narrower, which C computes in `int` and truncates
//! later, `SEMANTICS: I3`).

use ir::{BinaryOp, DataType, UnaryOp};

use crate::{Interval, Modular, interval::floor_mod};

/// The assumption about signed overflow (crate README, "Two readings").
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Overflow {
    /// Nothing: sums and products wrap. A proved fact holds on every run, also at a place where the source does not
    /// evaluate the expression.
    Wraps,
    /// `+ - *` of int32 and wider do not leave their range, neither in the expression nor in the conditions of the
    /// context (`SEMANTICS: I1`). For expressions that the source evaluates and uses at this place.
    Excluded,
}

/// The facts about a value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Facts {
    /// Bounds.
    pub interval: Interval,
    /// Congruence.
    pub modular: Modular,
}

impl Facts {
    /// Nothing is known.
    pub const NONE: Facts = Facts { interval: Interval::EVERYTHING, modular: Modular::EVERYTHING };

    pub(crate) fn of_constant(value: i128) -> Facts {
        Facts { interval: Interval::constant(value), modular: Modular::constant(value) }
    }
    pub(crate) fn of_interval(interval: Interval) -> Facts {
        Facts { interval, modular: Modular::EVERYTHING }
    }
    pub(crate) fn hull(self, other: Facts) -> Facts {
        if self.interval.is_empty() {
            return other;
        }
        if other.interval.is_empty() {
            return self;
        }
        Facts {
            interval: self.interval.hull(other.interval),
            modular: self.modular.hull(other.modular),
        }
    }
    /// Moves the ends of the interval to members of the congruence; takes a single value as both.
    pub(crate) fn sharpened(self) -> Facts {
        let Facts { interval, modular } = self;
        if interval.is_empty() {
            return self;
        }
        if let Some(value) = interval.as_constant() {
            return Facts { interval, modular: Modular::constant(value) };
        }
        if let Some(value) = modular.as_constant() {
            return Facts { interval: interval.intersect(Interval::constant(value)), modular };
        }
        if modular.is_everything() {
            return self;
        }
        let (mut min, mut max) = (interval.min, interval.max);
        if min != Interval::NEG_INF {
            min = min.saturating_add(floor_mod(modular.base.saturating_sub(min), modular.coeff));
        }
        if max != Interval::POS_INF {
            max = max.saturating_sub(floor_mod(max.saturating_sub(modular.base), modular.coeff));
        }
        Facts { interval: Interval::new(min, max), modular }
    }
    pub(crate) fn within(self, range: Interval) -> Facts {
        Facts { interval: self.interval.intersect(range), ..self }
    }
    /// Itself, or all of `range` if it is empty.
    pub(crate) fn or(self, range: Interval) -> Facts {
        if self.interval.is_empty() { Facts::of_interval(range) } else { self }
    }
    /// Returns the facts about a mathematical integer after it is stored in a type.
    pub(crate) fn cut(self, overflow: Overflow, dtype: DataType) -> Facts {
        let range = Interval::of_type(dtype);
        if self.interval.is_within(range) {
            return self;
        }
        if excludes_overflow(overflow, dtype) {
            return self.within(range).or(range);
        }
        let wrapped = self.modular.wrapped(u32::from(dtype.bits));
        let interval = if dtype.bits < 32 { range.hull(self.interval) } else { range };
        Facts { interval, modular: wrapped }
    }
}

/// Returns true if overflow of this type may be excluded at all: signed, of at least 32 bits (`SEMANTICS: I1`–`I3`).
pub(crate) fn excludes_overflow(overflow: Overflow, dtype: DataType) -> bool {
    overflow == Overflow::Excluded && dtype.is_int() && dtype.bits >= 32
}

/// `not a`, `~a`.
pub(crate) fn complement(op: UnaryOp, a: Facts, dtype: DataType) -> Facts {
    let range = Interval::of_type(dtype);
    let from = |ones: i128| Facts {
        interval: Interval::constant(ones).minus(a.interval),
        modular: Modular::constant(ones).minus(a.modular),
    };
    match op {
        UnaryOp::Not => from(1).within(range),
        UnaryOp::BitNot if dtype.is_bool() => from(1).within(range),
        UnaryOp::BitNot if dtype.is_int() => from(-1),
        // All ones: as many as the type has, or, not yet cut, as `int` has (I3).
        UnaryOp::BitNot if dtype.bits < 32 => from(range.max).hull(from(-1)),
        UnaryOp::BitNot => from(range.max).within(range),
    }
}

/// Operators whose result is in range if the operands are. An operand that is not is a narrow sum that is not cut yet
/// (`SEMANTICS: I3`), and so is the result.
pub(crate) fn within_range(op: BinaryOp, x: Facts, y: Facts, range: Interval) -> Facts {
    let facts = without_wrapping(op, x, y, range);
    let is_cut = x.interval.is_within(range) && y.interval.is_within(range);
    let facts = if is_cut {
        facts.within(range)
    } else {
        Facts { interval: facts.interval.hull(range), ..facts }
    };
    facts.or(range)
}

pub(crate) fn without_wrapping(op: BinaryOp, x: Facts, y: Facts, range: Interval) -> Facts {
    let (a, b) = (x.interval, y.interval);
    let divisor = b.as_constant().filter(|it| *it > 0);
    match op {
        BinaryOp::Div => {
            let interval = a.trunc_div(b);
            match divisor {
                // It rounds as floor division where nothing is negative.
                Some(divisor) if a.min >= 0 => {
                    Facts { interval, modular: x.modular.floor_div(divisor) }
                }
                _ => Facts::of_interval(interval),
            }
        }
        BinaryOp::FloorDiv => Facts {
            interval: a.floor_div(b),
            modular: divisor.map_or(Modular::EVERYTHING, |it| x.modular.floor_div(it)),
        },
        BinaryOp::Mod => {
            // The remainder is congruent to the dividend by every divisor of the divisor.
            let step = match y.modular.as_constant() {
                Some(value) => value,
                None if y.modular.base == 0 => y.modular.coeff,
                None => 1,
            };
            let modular = x.modular.plus(Modular::new(step, 0));
            Facts { interval: a.trunc_mod(b), modular }
        }
        BinaryOp::FloorMod => Facts {
            interval: a.floor_mod(b),
            modular: match divisor {
                Some(divisor) => x.modular.floor_mod(divisor),
                None => x
                    .modular
                    .plus(Modular::new(if y.modular.base == 0 { y.modular.coeff } else { 1 }, 0)),
            },
        },
        BinaryOp::Min | BinaryOp::Max => {
            let (interval, first) = if op == BinaryOp::Min {
                (a.min_of(b), a.max <= b.min)
            } else {
                (a.max_of(b), a.min >= b.max)
            };
            let second = if op == BinaryOp::Min { b.max <= a.min } else { b.min >= a.max };
            let modular = match (first, second) {
                (true, _) => x.modular,
                (_, true) => y.modular,
                _ => x.modular.hull(y.modular),
            };
            Facts { interval, modular }
        }
        BinaryOp::BitAnd => Facts::of_interval(a.bit_and(b)),
        BinaryOp::BitOr => Facts::of_interval(a.bit_or(b)),
        BinaryOp::BitXor => Facts::of_interval(a.bit_xor(b)),
        BinaryOp::Shr => shift_right(a, b, range),
        _ => Facts::NONE,
    }
}

/// A shift by an amount that may be out of range shifts by some amount in range (`SEMANTICS: I8`).
fn shift_right(a: Interval, amount: Interval, range: Interval) -> Facts {
    let width = i128::from(128 - (range.max as u128).leading_zeros()) + i128::from(range.min < 0);
    let legal = Interval::new(0, width - 1);
    let amount = if amount.is_within(legal) { amount } else { legal };
    Facts::of_interval(a.shifted_right(amount))
}

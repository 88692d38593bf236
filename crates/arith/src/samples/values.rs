//! The values of nodes in all lanes.
//!
//! Integers only, and truth values. A lane counts as long as every operation gives its mathematical value, in the range
//! of its type and in 64 bits. Variables of loops have the first and the last value of their range in the first two
//! lanes, and in the others one of these or any other; other variables small values that sizes often have.

use ir::{BinaryOp, Callee, DataType, ExprId, ExprKind, Intrinsic, UnaryOp, ValueId, arena::Id};

use super::{LANES, Lanes, Numbers, Sample, Sampling, Truths};
use crate::{Interval, integers::is_integral};

/// Values of variables that no range bounds, one of which is that of all sizes in the first lane, and another in the
/// second.
const SIZES: [i64; 24] = [
    1, 1024, 0, 2, 3, 4, 5, 7, 8, 13, 16, 31, 32, 33, 64, 100, 127, 128, 255, 257, 512, 600, 1000,
    4095,
];

/// A number that looks like any other.
fn mixed(a: u64, b: usize) -> u64 {
    let mut x =
        a.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ (b as u64).wrapping_mul(0xd6e8_feb8_6659_fd93);
    x ^= x >> 32;
    x = x.wrapping_mul(0xd6e8_feb8_6659_fd93);
    x ^ x >> 29
}

impl Sampling<'_, '_> {
    pub(super) fn evaluated(&mut self, expr: ExprId) -> Sample {
        let node = self.nodes.body().expr(expr);
        let Some(dtype) = node.ty.prim().filter(|it| it.is_scalar() && is_integral(*it)) else {
            return Sample::Unknown;
        };
        match node.kind {
            ExprKind::Int(value) if dtype.is_bool() => {
                let holds = if value != 0 { Lanes::MAX } else { 0 };
                Sample::Truths(Truths { known: Lanes::MAX, holds })
            }
            ExprKind::Int(value) if value >= 0 || dtype.is_int() => {
                self.keep(Numbers::constant(value))
            }
            ExprKind::Value(value) => self.variable(value, dtype),
            ExprKind::Load { .. } => self.anything(expr.index() as u64 + (1 << 40), dtype, false),
            ExprKind::Cast(a) => match self.sample(a) {
                Sample::Numbers(at) if dtype.is_integer() => {
                    self.changed(at, |numbers, _| cut(numbers, dtype))
                }
                Sample::Truths(it) if dtype.is_integer() => {
                    let of = std::array::from_fn(|lane| i64::from(it.holds >> lane & 1 != 0));
                    self.keep(Numbers { known: it.known, of })
                }
                _ if dtype.is_integer() && self.is_any_float(a) => self.converted(expr, dtype),
                _ => Sample::Unknown,
            },
            ExprKind::Unary(UnaryOp::Not, a) => match self.sample(a) {
                Sample::Truths(it) => Sample::Truths(Truths { known: it.known, holds: it.fails() }),
                _ => Sample::Unknown,
            },
            ExprKind::Binary(op, a, b) => self.binary_sample(op, a, b, dtype),
            ExprKind::Select(cond, a, b) => self.chosen(cond, a, b, true),
            ExprKind::IfThenElse(cond, a, b) => self.chosen(cond, a, b, false),
            ExprKind::Call { callee: Callee::Intrinsic(_, Intrinsic::Likely), args, .. } => {
                match *self.nodes.body().items(args) {
                    [a] => self.sample(a),
                    _ => Sample::Unknown,
                }
            }
            _ => Sample::Unknown,
        }
    }

    fn keep(&mut self, numbers: Numbers) -> Sample {
        if numbers.known == 0 {
            return Sample::Unknown;
        }
        self.samples.numbers.push(numbers);
        Sample::Numbers(self.samples.numbers.len() as u32 - 1)
    }

    fn variable(&mut self, value: ValueId, dtype: DataType) -> Sample {
        if let Some(definition) = self.nodes.definition(value) {
            let is_same = self.nodes.body().dtype(definition) == Some(dtype);
            return if is_same { self.sample(definition) } else { Sample::Unknown };
        }
        let Some(&range) = self.samples.ranges.get(&value) else {
            return self.anything(
                value.index() as u64,
                dtype,
                self.nodes.body().values[value].is_size,
            );
        };
        let min = match range.min {
            Some(min) => self.sample(min),
            None => self.keep(Numbers::constant(0)),
        };
        let step = range.step.map(|it| self.sample(it));
        let (Sample::Numbers(min), Sample::Numbers(extent)) = (min, self.sample(range.extent))
        else {
            return Sample::Unknown;
        };
        let numbers = &self.samples.numbers;
        let (mut first, extent) = (numbers[min as usize], numbers[extent as usize]);
        first.known &= extent.known;
        let step = match step {
            Some(Sample::Numbers(at)) => Some(&numbers[at as usize]),
            _ => None,
        };
        let first_sample = self.samples.first;
        for lane in 0..LANES {
            let most = extent.of[lane].saturating_sub(1).max(0);
            let by = step.map_or(1, |it| it.of[lane].max(1));
            let n_values = if by == 1 { most.saturating_add(1) } else { most / by + 1 };
            let at = one_of(value.index() as u64, first_sample + lane, n_values);
            first.of[lane] = first.of[lane].wrapping_add(at.wrapping_mul(by));
        }
        cut(&mut first, dtype);
        self.keep(first)
    }

    /// Any value of a type.
    fn anything(&mut self, seed: u64, dtype: DataType, is_size: bool) -> Sample {
        if dtype.is_bool() {
            let holds = mixed(seed, LANES + self.samples.first) as Lanes;
            return Sample::Truths(Truths { known: Lanes::MAX, holds });
        }
        let of = std::array::from_fn(|lane| {
            let sample = self.samples.first + lane;
            let random = mixed(seed, sample);
            let size = if sample < 2 {
                SIZES[sample]
            } else {
                SIZES[(random % SIZES.len() as u64) as usize]
            };
            let is_negative = !is_size && !dtype.is_uint() && random >> 32 & 3 == 0 && sample > 1;
            if is_negative { -size } else { size }
        });
        let mut numbers = Numbers { known: Lanes::MAX, of };
        cut(&mut numbers, dtype);
        self.keep(numbers)
    }

    /// Returns samples for the conversion of a float about which nothing is known: most are small, some lanes lie as
    /// far out as the type allows.
    fn converted(&mut self, expr: ExprId, dtype: DataType) -> Sample {
        let seed = self.nodes.representative(expr).index() as u64 + (1 << 41);
        let (min, max) = range_of(dtype);
        let Sample::Numbers(at) = self.anything(seed, dtype, false) else { return Sample::Unknown };
        let (first, numbers) = (self.samples.first, &mut self.samples.numbers[at as usize]);
        for lane in 0..LANES {
            numbers.of[lane] = match mixed(seed, first + lane) >> 40 & 7 {
                0 => min,
                1 => max,
                _ => numbers.of[lane],
            };
        }
        Sample::Numbers(at)
    }

    /// Returns true if a float may have any value, as far as is known here: it is not made of integers by conversion
    /// and rounding alone.
    fn is_any_float(&mut self, expr: ExprId) -> bool {
        let node = self.nodes.body().expr(expr);
        match node.kind {
            ExprKind::Float(_) | ExprKind::Cast(_) => false,
            ExprKind::Broadcast { value, .. } => self.is_any_float(value),
            ExprKind::Call {
                callee: Callee::Intrinsic(_, Intrinsic::Floor | Intrinsic::Ceil | Intrinsic::Trunc),
                args,
                ..
            } => {
                let first = self.nodes.body().items(args).first().copied();
                first.is_some_and(|it| self.is_any_float(it))
            }
            _ => {
                let variables = self.nodes.summary(expr).variables;
                node.ty.prim().is_some_and(DataType::is_float)
                    && self.nodes.variables(variables).is_none_or(|it| !it.is_empty())
            }
        }
    }

    fn binary_sample(&mut self, op: BinaryOp, a: ExprId, b: ExprId, dtype: DataType) -> Sample {
        let (x, y) = (self.sample(a), self.sample(b));
        if op.is_comparison() {
            return Sample::Truths(self.compared_samples(op, x, y));
        }
        match (x, y) {
            (Sample::Truths(a), Sample::Truths(b)) => truths(op, a, b),
            // The left side may decide.
            (Sample::Truths(a), Sample::Unknown) if op.is_logical() => {
                truths(op, a, Truths::UNKNOWN)
            }
            (Sample::Numbers(a), Sample::Numbers(b)) if dtype.is_integer() => {
                self.changed(a, |numbers, others| {
                    combine(op, numbers, &others[b as usize], dtype);
                    cut(numbers, dtype);
                })
            }
            _ => Sample::Unknown,
        }
    }

    /// Keeps numbers that are made of others: a copy of these, changed in place.
    fn changed(&mut self, from: u32, change: impl FnOnce(&mut Numbers, &[Numbers])) -> Sample {
        let all = &mut self.samples.numbers;
        let at = all.len();
        all.extend_from_within(from as usize..=from as usize);
        let (others, new) = all.split_at_mut(at);
        change(&mut new[0], others);
        if new[0].known == 0 {
            all.truncate(at);
            return Sample::Unknown;
        }
        Sample::Numbers(at as u32)
    }

    fn chosen(&mut self, cond: ExprId, a: ExprId, b: ExprId, is_strict: bool) -> Sample {
        let Sample::Truths(cond) = self.sample(cond) else { return Sample::Unknown };
        match (self.sample(a), self.sample(b)) {
            (Sample::Numbers(a), Sample::Numbers(b)) => {
                let (mut a, b) =
                    (self.samples.numbers[a as usize], self.samples.numbers[b as usize]);
                let known = if is_strict { a.known & b.known } else { Lanes::MAX };
                a.known = known & (cond.holds & a.known | cond.fails() & b.known);
                for lane in (0..LANES).filter(|it| cond.holds >> it & 1 == 0) {
                    a.of[lane] = b.of[lane];
                }
                self.keep(a)
            }
            (Sample::Truths(a), Sample::Truths(b)) => {
                let known = if is_strict { a.known & b.known } else { Lanes::MAX };
                let known = known & (cond.holds & a.known | cond.fails() & b.known);
                let holds = cond.holds & a.holds | cond.fails() & b.holds;
                Sample::Truths(Truths { known, holds: holds & known })
            }
            _ => Sample::Unknown,
        }
    }
}

/// One of so many values, of which the first and the last are the most interesting.
fn one_of(seed: u64, sample: usize, n_values: i64) -> i64 {
    let random = mixed(seed, sample);
    match (sample, random % 8) {
        (0, _) | (_, 0) => 0,
        (1, _) | (_, 1) => n_values - 1,
        // A part of the range, without a division.
        _ => ((u128::from(random >> 8 << 8) * n_values as u128) >> 64) as i64,
    }
}

/// The least and the greatest of the values of a type that fit.
pub(super) fn range_of(dtype: DataType) -> (i64, i64) {
    let range = Interval::of_type(dtype);
    (range.min.max(i64::MIN.into()) as i64, range.max.min(i64::MAX.into()) as i64)
}

/// Leaves out the lanes in which a type cannot hold the value.
fn cut(numbers: &mut Numbers, dtype: DataType) {
    let (min, max) = range_of(dtype);
    if are_within(numbers, min, max) {
        return;
    }
    for lane in 0..LANES {
        if !(min..=max).contains(&numbers.of[lane]) {
            numbers.known &= !(1 << lane);
            // So that what is made of it is looked at no more closely than the others.
            numbers.of[lane] = 0;
        }
    }
}

/// Returns true if all lanes are between `min` and `max`, whose range holds a power of two of integers.
fn are_within(numbers: &Numbers, min: i64, max: i64) -> bool {
    // Without a branch: what is above any of the distances is above the greatest.
    let above = |it: i64| it.wrapping_sub(min) as u64;
    numbers.of.iter().fold(0, |all, it| all | above(*it)) <= above(max)
}

/// Returns true if no sum or product of two such values leaves 64 bits.
fn is_small(numbers: &Numbers) -> bool {
    const SMALL: i64 = 1 << 31;
    are_within(numbers, -SMALL, SMALL - 1)
}

/// Applies an operation where it is defined, lane by lane.
fn each(a: &mut Numbers, b: &Numbers, apply: impl Fn(i64, i64) -> Option<i64>) {
    a.known &= b.known;
    for lane in 0..LANES {
        match apply(a.of[lane], b.of[lane]) {
            Some(value) => a.of[lane] = value,
            None => {
                a.known &= !(1 << lane);
                a.of[lane] = 0;
            }
        }
    }
}

fn zip(a: &mut Numbers, b: &Numbers, apply: impl Fn(i64, i64) -> i64) {
    a.known &= b.known;
    for lane in 0..LANES {
        a.of[lane] = apply(a.of[lane], b.of[lane]);
    }
}

fn combine(op: BinaryOp, a: &mut Numbers, b: &Numbers, dtype: DataType) {
    let is_sum = matches!(op, BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul);
    // Numbers of a narrow type are in its range in all lanes ([`cut`]).
    let is_narrow = dtype.is_int() && dtype.bits <= 32;
    let is_plain = is_sum && (is_narrow || is_small(a) && is_small(b));
    // A shift by the width and more is an error (`SEMANTICS: I8`).
    let width = |b: i64| u32::try_from(b).ok().filter(|it| *it < u32::from(dtype.bits).min(63));
    match op {
        BinaryOp::Add if is_plain => zip(a, b, i64::wrapping_add),
        BinaryOp::Sub if is_plain => zip(a, b, i64::wrapping_sub),
        BinaryOp::Mul if is_plain => zip(a, b, i64::wrapping_mul),
        BinaryOp::Add => each(a, b, i64::checked_add),
        BinaryOp::Sub => each(a, b, i64::checked_sub),
        BinaryOp::Mul => each(a, b, i64::checked_mul),
        BinaryOp::Div => each(a, b, i64::checked_div),
        BinaryOp::Mod => each(a, b, i64::checked_rem),
        BinaryOp::FloorDiv => a.divide(b),
        BinaryOp::FloorMod => remainder(a, b),
        BinaryOp::Min => zip(a, b, i64::min),
        BinaryOp::Max => zip(a, b, i64::max),
        BinaryOp::BitAnd => zip(a, b, |a, b| a & b),
        BinaryOp::BitOr => zip(a, b, |a, b| a | b),
        BinaryOp::BitXor => zip(a, b, |a, b| a ^ b),
        BinaryOp::Shl => each(a, b, |a, b| width(b).and_then(|b| a.checked_mul(1 << b))),
        BinaryOp::Shr => each(a, b, |a, b| width(b).map(|b| a >> b)),
        _ => a.known = 0,
    }
}

/// The one value of all lanes, if it is positive.
fn constant(numbers: &Numbers) -> Option<i64> {
    let first = numbers.of[0];
    (first > 0 && numbers.of.iter().all(|it| *it == first)).then_some(first)
}

impl Numbers {
    /// The quotient rounded to -∞.
    pub(crate) fn divide(&mut self, by: &Numbers) {
        match constant(by) {
            Some(by) if by & (by - 1) == 0 => {
                let bits = by.trailing_zeros();
                self.of.iter_mut().for_each(|it| *it >>= bits);
            }
            Some(by) => self.of.iter_mut().for_each(|it| *it = it.div_euclid(by)),
            None => each(self, by, |a, b| {
                let quotient = a.checked_div(b)?;
                Some(if a % b != 0 && (a < 0) != (b < 0) { quotient - 1 } else { quotient })
            }),
        }
        self.known &= by.known;
    }

    pub(crate) fn multiply(&mut self, by: &Numbers) {
        combine(BinaryOp::Mul, self, by, DataType::INT64);
    }

    /// Adds `numbers * factor`.
    pub(crate) fn add_multiple(&mut self, numbers: &Numbers, factor: i64) {
        const SMALL: i64 = 1 << 30;
        if (-SMALL..=SMALL).contains(&factor) && is_small(numbers) {
            // Each product is below 2^62.
            each_sum(self, numbers, factor);
        } else {
            each(self, numbers, |sum, value| sum.checked_add(value.checked_mul(factor)?));
        }
    }
}

/// The rest of [`Numbers::divide`].
fn remainder(a: &mut Numbers, b: &Numbers) {
    match constant(b) {
        Some(by) if by & (by - 1) == 0 => zip(a, b, |a, b| a & (b - 1)),
        Some(by) => zip(a, b, |a, _| a.rem_euclid(by)),
        None => each(a, b, |a, b| {
            let rest = a.checked_rem(b)?;
            Some(if rest != 0 && (rest < 0) != (b < 0) { rest + b } else { rest })
        }),
    }
}

fn each_sum(total: &mut Numbers, numbers: &Numbers, factor: i64) {
    let mut lost: Lanes = 0;
    for lane in 0..LANES {
        let (sum, is_lost) = total.of[lane].overflowing_add(numbers.of[lane] * factor);
        total.of[lane] = sum;
        lost |= Lanes::from(is_lost) << lane;
    }
    total.known &= numbers.known & !lost;
}

#[inline]
fn lanes_where(a: &Numbers, b: &Numbers, holds: impl Fn(i64, i64) -> bool) -> Lanes {
    (0..LANES).fold(0, |all, lane| all | Lanes::from(holds(a.of[lane], b.of[lane])) << lane)
}

pub(super) fn compare(op: BinaryOp, a: &Numbers, b: &Numbers) -> Truths {
    let holds = match op {
        BinaryOp::Eq => lanes_where(a, b, |x, y| x == y),
        BinaryOp::Ne => lanes_where(a, b, |x, y| x != y),
        BinaryOp::Lt => lanes_where(a, b, |x, y| x < y),
        BinaryOp::Le => lanes_where(a, b, |x, y| x <= y),
        BinaryOp::Gt => lanes_where(a, b, |x, y| x > y),
        _ => lanes_where(a, b, |x, y| x >= y),
    };
    let known = a.known & b.known;
    Truths { known, holds: holds & known }
}

pub(super) fn compare_truths(op: BinaryOp, a: Truths, b: Truths) -> Truths {
    let known = a.known & b.known;
    let equal = !(a.holds ^ b.holds);
    let holds = match op {
        BinaryOp::Eq => equal,
        BinaryOp::Ne => !equal,
        _ => return Truths::UNKNOWN,
    };
    Truths { known, holds: holds & known }
}

/// Logic. The right side of `and` and `or` counts only where the left one does not decide.
fn truths(op: BinaryOp, a: Truths, b: Truths) -> Sample {
    let both = a.known & b.known;
    let (known, holds) = match op {
        BinaryOp::And => (a.fails() | a.holds & b.known, a.holds & b.holds),
        BinaryOp::Or => (a.holds | a.fails() & b.known, a.holds | b.holds),
        BinaryOp::BitAnd | BinaryOp::Min => (both, a.holds & b.holds),
        BinaryOp::BitOr | BinaryOp::Max => (both, a.holds | b.holds),
        BinaryOp::BitXor => (both, a.holds ^ b.holds),
        _ => (0, 0),
    };
    Sample::Truths(Truths { known, holds: holds & known })
}

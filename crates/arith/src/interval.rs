//! Constant bounds of integers (TVM: `ConstIntBound`).
//!
//! An [`Interval`] holds every value that an expression can have. The ends are `i128`; the two extremes of that type
//! stand for "unbounded" and absorb additions and multiplications, so that no operation here wraps and none can fail.
//! The empty interval means that no value is possible.
//!
//! The operations are on mathematical integers. The effect of a type on a result that leaves its range is the
//! analyzer's business. All of them are O(1).

use ir::DataType;

/// All integers from `min` to `max`, both included.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Interval {
    /// The least value; [`Interval::NEG_INF`] if there is none.
    pub min: i128,
    /// The greatest value; [`Interval::POS_INF`] if there is none.
    pub max: i128,
}

impl std::fmt::Debug for Interval {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        std::fmt::Display::fmt(self, f)
    }
}

impl std::fmt::Display for Interval {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if self.is_empty() {
            return f.write_str("empty");
        }
        match self.min {
            Interval::NEG_INF => f.write_str("[-inf, ")?,
            min => write!(f, "[{min}, ")?,
        }
        match self.max {
            Interval::POS_INF => f.write_str("inf]"),
            max => write!(f, "{max}]"),
        }
    }
}

/// Rounds to -∞. The divisor is not 0; an unbounded dividend stays unbounded.
pub(crate) fn floor_div(a: i128, b: i128) -> i128 {
    if let (Ok(a), Ok(b @ 1..)) = (i64::try_from(a), i64::try_from(b)) {
        return a.div_euclid(b).into();
    }
    if is_infinite(a) {
        return if (a < 0) == (b < 0) { Interval::POS_INF } else { Interval::NEG_INF };
    }
    let quotient = a.wrapping_div(b);
    if a % b != 0 && (a < 0) != (b < 0) { quotient - 1 } else { quotient }
}

/// Remainder of [`floor_div`]: it has the sign of the divisor.
pub(crate) fn floor_mod(a: i128, b: i128) -> i128 {
    if let (Ok(a), Ok(b @ 1..)) = (i64::try_from(a), i64::try_from(b)) {
        return a.rem_euclid(b).into();
    }
    let rest = a.wrapping_rem(b);
    if rest != 0 && (rest < 0) != (b < 0) { rest + b } else { rest }
}

/// Rounds to 0.
fn trunc_div(a: i128, b: i128) -> i128 {
    if is_infinite(a) { floor_div(a, b) } else { a.wrapping_div(b) }
}

fn is_infinite(a: i128) -> bool {
    a == Interval::NEG_INF || a == Interval::POS_INF
}

/// The sum of two lower or two upper ends; `infinity` means unbounded at this end.
fn add_end(a: i128, b: i128, infinity: i128) -> i128 {
    if is_infinite(a) || is_infinite(b) {
        return if a == infinity || b == infinity { infinity } else { a.saturating_add(b) };
    }
    a.saturating_add(b)
}

fn mul_end(a: i128, b: i128) -> i128 {
    if a == 0 || b == 0 {
        return 0;
    }
    if is_infinite(a) || is_infinite(b) {
        return if (a < 0) == (b < 0) { Interval::POS_INF } else { Interval::NEG_INF };
    }
    a.saturating_mul(b)
}

/// `a * b`, if it and its opposite fit.
#[inline]
pub(crate) fn checked_product(a: i128, b: i128) -> Option<i128> {
    match (i64::try_from(a), i64::try_from(b)) {
        (Ok(a), Ok(b)) => Some(word_product(a, b)),
        _ => a.checked_mul(b).filter(|it| *it != i128::MIN),
    }
}

/// `a + b`, if it and its opposite fit.
#[inline]
pub(crate) fn checked_sum(a: i128, b: i128) -> Option<i128> {
    a.checked_add(b).filter(|it| *it != i128::MIN)
}

fn word_product(a: i64, b: i64) -> i128 {
    i128::from(a) * i128::from(b)
}

fn neg_end(a: i128) -> i128 {
    match a {
        Interval::NEG_INF => Interval::POS_INF,
        Interval::POS_INF => Interval::NEG_INF,
        _ => -a,
    }
}

impl Interval {
    /// No lower bound.
    pub const NEG_INF: i128 = i128::MIN;
    /// No upper bound.
    pub const POS_INF: i128 = i128::MAX;
    /// All integers.
    pub const EVERYTHING: Interval = Interval { min: Self::NEG_INF, max: Self::POS_INF };
    /// No integer.
    pub const EMPTY: Interval = Interval { min: 1, max: 0 };
    /// `0` and `1`.
    pub const BOOL: Interval = Interval { min: 0, max: 1 };
    /// All that is not negative.
    pub const NON_NEGATIVE: Interval = Interval { min: 0, max: Self::POS_INF };

    /// From `min` to `max`; empty if they are the wrong way round.
    pub fn new(min: i128, max: i128) -> Interval {
        if min > max { Self::EMPTY } else { Interval { min, max } }
    }
    /// One value.
    pub fn constant(value: i128) -> Interval {
        Interval { min: value, max: value }
    }
    /// `value` and all above.
    pub fn at_least(value: i128) -> Interval {
        Interval { min: value, max: Self::POS_INF }
    }
    /// `value` and all below.
    pub fn at_most(value: i128) -> Interval {
        Interval { min: Self::NEG_INF, max: value }
    }
    /// Returns the range of a lane of an integer type; everything for other types.
    pub fn of_type(dtype: DataType) -> Interval {
        let bits = u32::from(dtype.bits).clamp(1, 64);
        if dtype.is_bool() {
            Self::BOOL
        } else if dtype.is_int() {
            Interval::new(-(1 << (bits - 1)), (1 << (bits - 1)) - 1)
        } else if dtype.is_uint() {
            Interval::new(0, (1 << bits) - 1)
        } else {
            Self::EVERYTHING
        }
    }

    /// Returns true if no value is possible.
    pub fn is_empty(self) -> bool {
        self.min > self.max
    }
    /// The only value, if there is just one.
    pub fn as_constant(self) -> Option<i128> {
        (self.min == self.max).then_some(self.min)
    }
    /// Returns true if the interval contains `value`.
    pub fn contains(self, value: i128) -> bool {
        self.min <= value && value <= self.max
    }
    /// Returns true if the interval lies within `other`.
    pub fn is_within(self, other: Interval) -> bool {
        self.is_empty() || (other.min <= self.min && self.max <= other.max)
    }
    /// Returns true if the value is known to be an index into `extent` cells.
    pub(crate) fn is_index_below(self, extent: Interval) -> bool {
        self.min >= 0 && self.max < extent.min
    }
    /// Returns true if no value is negative.
    pub fn is_non_negative(self) -> bool {
        self.min >= 0
    }
    /// Returns true if the interval does not contain 0.
    pub fn is_non_zero(self) -> bool {
        !self.contains(0)
    }

    /// Returns the intersection.
    #[must_use]
    pub fn intersect(self, other: Interval) -> Interval {
        Interval::new(self.min.max(other.min), self.max.min(other.max))
    }
    /// The smallest interval that holds both.
    #[must_use]
    pub fn hull(self, other: Interval) -> Interval {
        if self.is_empty() {
            other
        } else if other.is_empty() {
            self
        } else {
            Interval { min: self.min.min(other.min), max: self.max.max(other.max) }
        }
    }
    /// `self` without `value`, where that is an end of it.
    #[must_use]
    pub fn without(self, value: i128) -> Interval {
        match self {
            it if it.min == value && it.max == value => Self::EMPTY,
            it if it.min == value => Interval { min: value + 1, ..it },
            it if it.max == value => Interval { max: value - 1, ..it },
            it => it,
        }
    }

    /// `a + b`
    #[must_use]
    pub fn plus(self, other: Interval) -> Interval {
        if self.is_empty() || other.is_empty() {
            return Self::EMPTY;
        }
        Interval {
            min: add_end(self.min, other.min, Self::NEG_INF),
            max: add_end(self.max, other.max, Self::POS_INF),
        }
    }
    /// `-a`
    #[must_use]
    pub fn negated(self) -> Interval {
        if self.is_empty() {
            return Self::EMPTY;
        }
        Interval { min: neg_end(self.max), max: neg_end(self.min) }
    }
    /// `a - b`
    #[must_use]
    pub fn minus(self, other: Interval) -> Interval {
        self.plus(other.negated())
    }
    /// `a * b`
    #[must_use]
    pub fn times(self, other: Interval) -> Interval {
        match (self.as_words(), other.as_words()) {
            // No product of two words overflows.
            (Some([a, b]), Some([c, d])) if a >= 0 && c >= 0 && a <= b && c <= d => {
                Interval { min: word_product(a, c), max: word_product(b, d) }
            }
            (Some([a, b]), Some([c, d])) if a <= b && c == d => {
                let (x, y) = (word_product(a, c), word_product(b, c));
                Interval { min: x.min(y), max: x.max(y) }
            }
            _ => self.corners(other, mul_end),
        }
    }
    /// Both ends, if they fit 64 bits.
    fn as_words(self) -> Option<[i64; 2]> {
        Some([i64::try_from(self.min).ok()?, i64::try_from(self.max).ok()?])
    }
    /// `a * factor`
    #[must_use]
    pub fn scale(self, factor: i128) -> Interval {
        self.times(Interval::constant(factor))
    }
    /// `min(a, b)`
    #[must_use]
    pub fn min_of(self, other: Interval) -> Interval {
        if self.is_empty() || other.is_empty() {
            return Self::EMPTY;
        }
        Interval { min: self.min.min(other.min), max: self.max.min(other.max) }
    }
    /// `max(a, b)`
    #[must_use]
    pub fn max_of(self, other: Interval) -> Interval {
        self.negated().min_of(other.negated()).negated()
    }

    /// The hull of `f` at the four corners: right for every `f` that is monotone in each operand.
    fn corners(self, other: Interval, f: impl Fn(i128, i128) -> i128) -> Interval {
        if self.is_empty() || other.is_empty() {
            return Self::EMPTY;
        }
        let corners = [
            f(self.min, other.min),
            f(self.min, other.max),
            f(self.max, other.min),
            f(self.max, other.max),
        ];
        let (first, rest) = (corners[0], &corners[1..]);
        rest.iter().fold(Interval::constant(first), |hull, &it| Interval {
            min: hull.min.min(it),
            max: hull.max.max(it),
        })
    }

    /// The negative and the positive part: the possible divisors where a division has a value.
    fn signs(self) -> [Interval; 2] {
        [self.intersect(Self::at_most(-1)), self.intersect(Self::at_least(1))]
    }

    /// The hull of `f` over the two signs of the divisor. Empty if the divisor can only be 0.
    fn by_sign(self, divisor: Interval, f: impl Fn(Interval, Interval) -> Interval) -> Interval {
        let [negative, positive] = divisor.signs();
        let part = |it: Interval| if it.is_empty() { Self::EMPTY } else { f(self, it) };
        part(negative).hull(part(positive))
    }

    /// Division that rounds to -∞ (`SEMANTICS: I7`), for the divisors that are not 0.
    #[must_use]
    pub fn floor_div(self, divisor: Interval) -> Interval {
        // Monotone in the dividend for a divisor of one sign, and in the divisor for a dividend of one sign.
        self.by_sign(divisor, |a, b| a.split_at_zero(|a| a.corners(b, floor_div_ends)))
    }
    /// Division that rounds to 0, for the divisors that are not 0.
    #[must_use]
    pub fn trunc_div(self, divisor: Interval) -> Interval {
        self.by_sign(divisor, |a, b| a.split_at_zero(|a| a.corners(b, trunc_div_ends)))
    }
    fn split_at_zero(self, f: impl Fn(Interval) -> Interval) -> Interval {
        let part = |it: Interval| if it.is_empty() { Self::EMPTY } else { f(it) };
        part(self.intersect(Self::at_most(-1))).hull(part(self.intersect(Self::NON_NEGATIVE)))
    }

    /// Remainder with the sign of the divisor, for the divisors that are not 0.
    #[must_use]
    pub fn floor_mod(self, divisor: Interval) -> Interval {
        self.by_sign(divisor, |a, b| {
            if b.min > 0 {
                a.mod_positive(b)
            } else {
                // a mod b = -((-a) mod (-b))
                a.negated().mod_positive(b.negated()).negated()
            }
        })
    }
    fn mod_positive(self, divisor: Interval) -> Interval {
        if self.is_empty() {
            return Self::EMPTY;
        }
        // All dividends lie in one period: the remainder moves with the dividend.
        if let Some(b) = divisor.as_constant()
            && !is_infinite(self.min)
            && !is_infinite(self.max)
            && floor_div(self.min, b) == floor_div(self.max, b)
        {
            return Interval::new(floor_mod(self.min, b), floor_mod(self.max, b));
        }
        if self.min >= 0 && self.max < divisor.min {
            return self;
        }
        let below_divisor = Interval::new(0, add_end(divisor.max, -1, Self::POS_INF));
        if self.min >= 0 {
            Interval::new(0, below_divisor.max.min(self.max))
        } else {
            below_divisor
        }
    }

    /// Remainder with the sign of the dividend, for the divisors that are not 0.
    #[must_use]
    pub fn trunc_mod(self, divisor: Interval) -> Interval {
        let magnitude = |it: Interval| if it.min > 0 { it } else { it.negated() };
        self.by_sign(divisor, |a, b| {
            a.split_at_zero(|a| {
                if a.min >= 0 {
                    a.mod_positive(magnitude(b))
                } else {
                    a.negated().mod_positive(magnitude(b)).negated()
                }
            })
        })
    }

    /// `a << amount` of mathematical integers, for amounts that are not negative.
    #[must_use]
    pub fn shifted_left(self, amount: Interval) -> Interval {
        let amount = amount.intersect(Interval::new(0, 126));
        if amount.is_empty() {
            return Self::EMPTY;
        }
        self.times(Interval::new(1 << amount.min, 1 << amount.max))
    }
    /// `a >> amount`, which rounds to -∞, for amounts that are not negative.
    #[must_use]
    pub fn shifted_right(self, amount: Interval) -> Interval {
        let amount = amount.intersect(Interval::new(0, 126));
        if amount.is_empty() {
            return Self::EMPTY;
        }
        self.floor_div(Interval::new(1 << amount.min, 1 << amount.max))
    }

    /// `a & b` of two's-complement integers.
    #[must_use]
    pub fn bit_and(self, other: Interval) -> Interval {
        if self.is_empty() || other.is_empty() {
            return Self::EMPTY;
        }
        if let (Some(a), Some(b)) = (self.as_constant(), other.as_constant()) {
            return Self::constant(a & b);
        }
        match (self.min >= 0, other.min >= 0) {
            (true, true) => Interval::new(0, self.max.min(other.max)),
            (true, false) => Interval::new(0, self.max),
            (false, true) => Interval::new(0, other.max),
            (false, false) => self.power_of_two_hull(other),
        }
    }
    /// `a | b` of two's-complement integers.
    #[must_use]
    pub fn bit_or(self, other: Interval) -> Interval {
        if let (Some(a), Some(b)) = (self.as_constant(), other.as_constant()) {
            return Self::constant(a | b);
        }
        let hull = self.power_of_two_hull(other);
        if self.min >= 0 && other.min >= 0 {
            return Interval::new(self.min.max(other.min), hull.max);
        }
        hull
    }
    /// `a ^ b` of two's-complement integers.
    #[must_use]
    pub fn bit_xor(self, other: Interval) -> Interval {
        if let (Some(a), Some(b)) = (self.as_constant(), other.as_constant()) {
            return Self::constant(a ^ b);
        }
        self.power_of_two_hull(other)
    }
    /// `~a` of a signed integer.
    #[must_use]
    pub fn bit_not(self) -> Interval {
        Interval::constant(-1).minus(self)
    }
    /// The integers of as many bits as the widest of both needs, which every bit operation stays in; those that are not
    /// negative if both are not.
    fn power_of_two_hull(self, other: Interval) -> Interval {
        if self.is_empty() || other.is_empty() {
            return Self::EMPTY;
        }
        let bits = |it: i128| 128 - (if it < 0 { !it } else { it }).leading_zeros();
        let most = [self.min, self.max, other.min, other.max].map(bits).into_iter().max();
        let most = most.unwrap_or(127);
        if most >= 127 {
            return Self::EVERYTHING;
        }
        let top = (1 << most) - 1;
        let is_signed = self.min < 0 || other.min < 0;
        Interval::new(if is_signed { -top - 1 } else { 0 }, top)
    }
}

/// [`floor_div`] of two ends, the divisor perhaps unbounded.
fn floor_div_ends(a: i128, b: i128) -> i128 {
    if is_infinite(b) && !is_infinite(a) {
        // The limit: 0, or -1 from below.
        return if a != 0 && (a < 0) != (b < 0) { -1 } else { 0 };
    }
    floor_div(a, b)
}

/// [`trunc_div`] of two ends, the divisor perhaps unbounded.
fn trunc_div_ends(a: i128, b: i128) -> i128 {
    if is_infinite(b) && !is_infinite(a) { 0 } else { trunc_div(a, b) }
}

#[cfg(test)]
mod tests;

//! Facts about captured values that Python has checked before it makes the function (`SEMANTICS: G7`).

use crate::ValueId;

/// The conditions that hold of captured values.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Asserted {
    /// The conditions, as they are written, in order.
    pub conditions: Vec<Box<str>>,
    /// What they say of single values, by value.
    pub numbers: Vec<(ValueId, Number)>,
}

/// The facts about a captured number, as a mathematical one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Number {
    /// The greatest lower bound that is known of the number, rounded towards zero.
    pub min: Option<i64>,
    /// The least upper bound, likewise.
    pub max: Option<i64>,
    /// A divisor of the difference between the number and `remainder`; 1 if none is known.
    pub divisor: i64,
    /// The remainder; not negative, and less than the divisor.
    pub remainder: i64,
    /// True if it is an `int` of Python, so that it has the value itself in each type that it gets.
    pub is_int: bool,
}

impl Asserted {
    /// The facts about a captured value. O(log values).
    pub fn number(&self, value: ValueId) -> Option<Number> {
        let at = self.numbers.binary_search_by_key(&value, |it| it.0).ok()?;
        Some(self.numbers[at].1)
    }
}

//! Integers and their types: what the facts about them are computed with. O(1) each, divisors in O(log).

use ir::{BinaryOp, DataType};

/// The greatest common divisor; of 0 and `b` it is `|b|`. At most 2^126, or 1.
pub(crate) fn gcd(a: i128, b: i128) -> i128 {
    let (mut a, mut b) = (a.unsigned_abs(), b.unsigned_abs());
    while b != 0 {
        if let (Ok(a), Ok(b)) = (u64::try_from(a), u64::try_from(b)) {
            return gcd_of_words(a, b).into();
        }
        (a, b) = (b, a % b);
    }
    i128::try_from(a).unwrap_or(1)
}

fn gcd_of_words(mut a: u64, mut b: u64) -> u64 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

/// Integers and truth values, which are integers from 0 to 1.
pub(crate) fn is_integral(dtype: DataType) -> bool {
    dtype.is_integer() || dtype.is_bool()
}

/// The value of an integer constant of this type.
pub(crate) fn constant_value(dtype: DataType, value: i64) -> i128 {
    if dtype.is_uint() { i128::from(value as u64) } else { i128::from(value) }
}

/// The comparison that holds where this one does not; of integers only.
pub(crate) fn negated(op: BinaryOp) -> BinaryOp {
    match op {
        BinaryOp::Eq => BinaryOp::Ne,
        BinaryOp::Ne => BinaryOp::Eq,
        BinaryOp::Lt => BinaryOp::Ge,
        BinaryOp::Ge => BinaryOp::Lt,
        BinaryOp::Gt => BinaryOp::Le,
        BinaryOp::Le => BinaryOp::Gt,
        other => other,
    }
}

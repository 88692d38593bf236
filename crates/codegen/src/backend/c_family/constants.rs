//! Constants: every one reads back as exactly the value it stands for (`SEMANTICS: C1`).
//!
//! Floats that a short decimal gives exactly are printed so; others in hexadecimal, which no compiler rounds, with
//! the shortest decimal beside it as a comment.

use ir::DataType;

use super::{dialect::Dialect, types::is_half};

/// An integer constant of `dtype`; in parentheses if it needs them anywhere.
pub(crate) fn int(value: i64, dtype: DataType, dialect: &dyn Dialect) -> String {
    if dtype.is_bool() {
        return if value != 0 { "true".to_owned() } else { "false".to_owned() };
    }
    let suffix = dialect.int_suffix(dtype);
    if dtype.is_uint() {
        return format!("{}{suffix}", value as u64);
    }
    match value {
        i64::MIN => format!("(-{}{suffix} - 1{suffix})", i64::MAX),
        // `-2147483648` would be a negated `long`.
        _ if dtype.bits == 32 && value == i64::from(i32::MIN) => "(-2147483647 - 1)".to_owned(),
        _ if value < 0 => format!("({value}{suffix})"),
        _ => value.to_string() + suffix,
    }
}

/// A float constant, as a register of `dtype`.
pub(crate) fn float(value: f64, dtype: DataType, dialect: &dyn Dialect) -> String {
    let double = dtype.bits == 64;
    if !value.is_finite() {
        return dialect.special_float(value, double).to_owned();
    }
    let suffix = if double { "" } else { "f" };
    let magnitude = value.abs();
    let text = if is_short(magnitude) {
        format!("{magnitude:?}{suffix}")
    } else {
        let shortest = match (double, is_half(dtype)) {
            (true, _) => format!("{magnitude:?}"),
            _ => format!("{:?}", magnitude as f32),
        };
        format!("{}{suffix} /* {shortest} */", hexadecimal(magnitude))
    };
    match value.is_sign_negative() {
        true => format!("(-{text})"),
        false => text,
    }
}

/// Returns true if the value is a decimal of few digits: an integer below 2^24, or a few binary places.
fn is_short(value: f64) -> bool {
    value < f64::from(1 << 24) && (value * 64.0).fract() == 0.0 && value * 64.0 < f64::from(1 << 30)
}

/// C's hexadecimal spelling of a positive finite double.
fn hexadecimal(value: f64) -> String {
    let bits = value.to_bits();
    let (mut exponent, mantissa) = ((bits >> 52 & 0x7ff) as i64 - 1023, bits & ((1 << 52) - 1));
    let lead = if exponent == -1023 {
        exponent = -1022;
        0
    } else {
        1
    };
    let digits = format!("{mantissa:013x}");
    let digits = digits.trim_end_matches('0');
    let point = if digits.is_empty() { "" } else { "." };
    format!("0x{lead}{point}{digits}p{exponent:+}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::backend::cuda::Cuda;

    #[test]
    fn floats_read_back_exactly() {
        let f32_text = |value: f32| float(value.into(), DataType::FLOAT32, &Cuda);
        assert_eq!(f32_text(0.1), "0x1.99999ap-4f /* 0.1 */");
        assert_eq!(f32_text(768.0), "768.0f");
        assert_eq!(f32_text(-0.0), "(-0.0f)");
        assert_eq!(f32_text(f32::MIN), "(-0x1.fffffep+127f /* 3.4028235e38 */)");
        assert_eq!(f32_text(f32::NEG_INFINITY), "(-__int_as_float(0x7f800000))");
        assert_eq!(float(1e-20, DataType::float(64), &Cuda), "0x1.79ca10c924223p-67 /* 1e-20 */");
        assert_eq!(
            float(5e-324, DataType::float(64), &Cuda),
            "0x0.0000000000001p-1022 /* 5e-324 */"
        );
    }

    #[test]
    fn integers_have_the_type_they_say() {
        assert_eq!(int(i64::from(i32::MIN), DataType::INT32, &Cuda), "(-2147483647 - 1)");
        assert_eq!(int(-3, DataType::INT64, &Cuda), "(-3LL)");
        assert_eq!(int(-1, DataType::uint(64), &Cuda), "18446744073709551615ULL");
        assert_eq!(int(1, DataType::BOOL, &Cuda), "true");
    }
}

//! Numbers in one spelling: integers wrapped to their type, floats rounded to theirs and printed as MLIR prints them.

use ir::{DataType, Lanes, TypeCode};

/// The number type of a type's elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Element {
    /// `index`
    Index,
    /// Bits, and whether it is unsigned.
    Integer(u32, bool),
    /// A float of so many bits; those that are rounded here have their data type.
    Float(u32, Option<DataType>),
    /// Anything else.
    Other,
}

impl Element {
    /// The element that a type by this name is.
    pub(super) fn of(name: &str) -> Element {
        let float = |code, bits| {
            let dtype = DataType { code, bits, lanes: Lanes::Fixed(1) };
            Element::Float(u32::from(bits), Some(dtype))
        };
        match name {
            "index" => return Element::Index,
            "f16" => return float(TypeCode::Float, 16),
            "bf16" => return float(TypeCode::BFloat, 16),
            "f32" => return float(TypeCode::Float, 32),
            "f64" => return float(TypeCode::Float, 64),
            "tf32" => return Element::Float(19, None),
            "f80" => return Element::Float(80, None),
            "f128" => return Element::Float(128, None),
            _ => {}
        }
        let bits = |prefix: &str| name.strip_prefix(prefix).and_then(|it| it.parse().ok());
        if let Some(bits) = bits("ui") {
            return Element::Integer(bits, true);
        }
        if let Some(bits) = bits("i").or_else(|| bits("si")) {
            return Element::Integer(bits, false);
        }
        if name.starts_with("f8") || name.starts_with("f6") || name.starts_with("f4") {
            return Element::Float(8, None);
        }
        Element::Other
    }
}

/// The canonical spelling of a number of this element type: `-1`, `true`, `1.000000e+00`, `0x7F800000`.
pub(super) fn canonical(text: &str, negative: bool, element: Element) -> String {
    let sign = if negative { "-" } else { "" };
    let raw = || format!("{sign}{text}");
    match element {
        Element::Index => integer(text, negative).map_or_else(raw, |it| (it as i64).to_string()),
        Element::Integer(bits, unsigned) => match integer(text, negative) {
            Some(value) if bits == 1 => (value & 1 != 0).to_string(),
            Some(value) if unsigned => value.to_string(),
            Some(value) if (2..=64).contains(&bits) => wrap(value, bits).to_string(),
            Some(value) => value.to_string(),
            None => raw(),
        },
        Element::Float(bits, dtype) => float(text, negative, bits, dtype).unwrap_or_else(raw),
        Element::Other => match float_value(text) {
            Some(value) => show(if negative { -value } else { value }, None),
            None => integer(text, negative).map_or_else(raw, |it| it.to_string()),
        },
    }
}

fn integer(text: &str, negative: bool) -> Option<i128> {
    let value: i128 = match text.strip_prefix("0x") {
        Some(digits) => i128::from_str_radix(digits, 16).ok()?,
        None => text.parse().ok()?,
    };
    Some(if negative { -value } else { value })
}

fn wrap(value: i128, bits: u32) -> i128 {
    let shift = 128 - bits;
    (value << shift) >> shift
}

fn float_value(text: &str) -> Option<f64> {
    if text.contains('.') && !text.starts_with("0x") { text.parse().ok() } else { None }
}

fn float(text: &str, negative: bool, bits: u32, dtype: Option<DataType>) -> Option<String> {
    if let Some(digits) = text.strip_prefix("0x") {
        let pattern = u128::from_str_radix(digits, 16).ok()?;
        return Some(match dtype.and_then(|it| value_of_bits(pattern, it)) {
            Some(value) if value.is_finite() => show(value, dtype),
            _ => format!("0x{pattern:0width$X}", width = (bits as usize).div_ceil(4)),
        });
    }
    let value: f64 = text.parse().ok()?;
    let value = if negative { -value } else { value };
    let rounded = dtype.map_or(value, |it| it.round_float(value));
    if rounded.is_finite() {
        return Some(show(rounded, dtype));
    }
    let pattern = match dtype.map(|it| (it.code, it.bits)) {
        Some((TypeCode::Float, 32)) => u64::from((rounded as f32).to_bits()),
        Some((TypeCode::Float, 16)) => 0x7C00 | (u64::from(value < 0.0) << 15),
        Some((TypeCode::BFloat, 16)) => 0x7F80 | (u64::from(value < 0.0) << 15),
        Some((TypeCode::Float, 64)) => rounded.to_bits(),
        _ => return None,
    };
    Some(format!("0x{pattern:0width$X}", width = (bits as usize) / 4))
}

/// The value of a bit pattern.
pub(super) fn value_of_bits(pattern: u128, dtype: DataType) -> Option<f64> {
    Some(match (dtype.code, dtype.bits) {
        (TypeCode::Float, 64) => f64::from_bits(u64::try_from(pattern).ok()?),
        (TypeCode::Float, 32) => f64::from(f32::from_bits(u32::try_from(pattern).ok()?)),
        (TypeCode::BFloat, 16) => {
            f64::from(f32::from_bits(u32::from(u16::try_from(pattern).ok()?) << 16))
        }
        (TypeCode::Float, 16) => half_value(u16::try_from(pattern).ok()?),
        _ => return None,
    })
}

fn half_value(bits: u16) -> f64 {
    let sign = if bits >> 15 == 1 { -1.0 } else { 1.0 };
    let (exponent, fraction) = (i32::from((bits >> 10) & 0x1F), f64::from(bits & 0x3FF));
    match exponent {
        0 => sign * fraction * 2f64.powi(-24),
        31 if fraction == 0.0 => sign * f64::INFINITY,
        31 => f64::NAN,
        _ => sign * (1.0 + fraction / 1024.0) * 2f64.powi(exponent - 15),
    }
}

/// As MLIR: six digits if they are exact, else as many as it takes.
fn show(value: f64, dtype: Option<DataType>) -> String {
    let round = |it: f64| dtype.map_or(it, |dtype| dtype.round_float(it));
    let short = format!("{value:.6e}");
    let exact = short.parse::<f64>().is_ok_and(|it| round(it).to_bits() == value.to_bits());
    let digits = if exact { short } else { format!("{value:e}") };
    let (mantissa, exponent) = digits.split_once('e').unwrap_or((&digits, "0"));
    let dot = if mantissa.contains('.') { "" } else { ".0" };
    let (sign, exponent) = match exponent.strip_prefix('-') {
        Some(rest) => ('-', rest),
        None => ('+', exponent),
    };
    format!("{mantissa}{dot}e{sign}{exponent:0>2}")
}

//! Floats of 8 bits: their values, and rounding to them (to nearest, ties to even).
//!
//! Out of range gives the format's infinity, or its NaN where it has none (CUDA's conversions give the largest finite
//! value instead: a variant). Formats without a sign for zero, and those with other biases, are not known here.

use crate::{TypeCode, dtype::Float8};

/// The layout of a format with a sign, exponent and mantissa.
#[derive(Clone, Copy)]
struct Format {
    mantissa_bits: i32,
    bias: i32,
    /// The largest finite value.
    largest: f64,
    /// Bits of NaN, positive.
    nan: u8,
    /// Bits of infinity, positive, if the format has one.
    infinity: Option<u8>,
}

fn format(code: TypeCode) -> Option<Format> {
    let TypeCode::Float8(format) = code else { return None };
    Some(match format {
        Float8::E4M3Fn => {
            Format { mantissa_bits: 3, bias: 7, largest: 448.0, nan: 0x7F, infinity: None }
        }
        Float8::E5M2 => {
            Format { mantissa_bits: 2, bias: 15, largest: 57344.0, nan: 0x7E, infinity: Some(0x7C) }
        }
        Float8::E4M3 => {
            Format { mantissa_bits: 3, bias: 7, largest: 240.0, nan: 0x7C, infinity: Some(0x78) }
        }
        Float8::E3M4 => {
            Format { mantissa_bits: 4, bias: 3, largest: 15.5, nan: 0x78, infinity: Some(0x70) }
        }
        _ => return None,
    })
}

/// The bits nearest to a value; none for formats that are not known here.
pub(super) fn encode(code: TypeCode, value: f64) -> Option<u8> {
    let format = format(code)?;
    let sign = if value.is_sign_negative() { 0x80 } else { 0 };
    if value.is_nan() {
        return Some(sign | format.nan);
    }
    let magnitude = value.abs();
    let overflow = format.infinity.unwrap_or(format.nan);
    if magnitude.is_infinite() {
        return Some(sign | overflow);
    }
    // The unit of the last place of the value's binade; subnormals share that of the smallest normal one.
    let exponent = libm::ilogb(magnitude.max(f64::MIN_POSITIVE)).max(1 - format.bias);
    let unit = libm::ldexp(1.0, exponent - format.mantissa_bits);
    let steps = (magnitude / unit).round_ties_even();
    let rounded = steps * unit;
    if rounded > format.largest {
        return Some(sign | overflow);
    }
    let hidden = 1i64 << format.mantissa_bits;
    let steps = steps as i64;
    // `steps` may have reached the next binade: adding then carries into the exponent as it should.
    let bits = if steps < hidden {
        steps
    } else {
        (i64::from(exponent + format.bias - 1) << format.mantissa_bits) + steps
    };
    Some(sign | bits as u8)
}

/// The value of bits; none for formats that are not known here.
pub(super) fn decode(code: TypeCode, bits: u8) -> Option<f64> {
    let format = format(code)?;
    let sign = if bits & 0x80 != 0 { -1.0 } else { 1.0 };
    let magnitude = bits & 0x7F;
    if format.infinity == Some(magnitude) {
        return Some(sign * f64::INFINITY);
    }
    let hidden = 1u8 << format.mantissa_bits;
    let (exponent, mantissa) = (i32::from(magnitude >> format.mantissa_bits), magnitude % hidden);
    let value = if exponent == 0 {
        libm::ldexp(f64::from(mantissa), 1 - format.bias - format.mantissa_bits)
    } else {
        libm::ldexp(f64::from(mantissa + hidden), exponent - format.bias - format.mantissa_bits)
    };
    Some(if value > format.largest { f64::NAN } else { sign * value })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_pattern_reads_back_as_itself() {
        for format in [Float8::E4M3Fn, Float8::E5M2, Float8::E4M3, Float8::E3M4] {
            let code = TypeCode::Float8(format);
            for bits in 0..=255u8 {
                let value = decode(code, bits).expect("a known format");
                let again = encode(code, value).expect("a known format");
                if value.is_nan() {
                    assert!(decode(code, again).is_some_and(f64::is_nan), "{format:?} {bits:#x}");
                } else {
                    assert_eq!(again, bits, "{format:?} {value}");
                }
            }
        }
    }

    #[test]
    fn values_round_to_nearest_even() {
        let e4m3 = TypeCode::Float8(Float8::E4M3Fn);
        let round = |value| encode(e4m3, value).and_then(|bits| decode(e4m3, bits));
        assert_eq!(round(1.0625), Some(1.0));
        assert_eq!(round(1.1875), Some(1.25));
        assert_eq!(round(449.0), Some(448.0));
        assert_eq!(round(0.0009765625), Some(0.0));
        assert_eq!(round(-0.002), Some(-0.001953125));
        assert!(round(500.0).is_some_and(f64::is_nan));
    }
}

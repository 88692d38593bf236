//! Floats of 8, 6 and 4 bits: their values, and rounding to them.
//!
//! In: bits or a double. Out: the other one. To nearest, ties to even, once; subnormals are kept. A value out of range
//! becomes the format's infinity, or its NaN where it has no infinity, or its largest value where it has neither
//! (CUDA's saturating conversions give the largest value always: a variant). These are the conventions of the
//! `ml_dtypes` package, which TVM's runtime follows.
//!
//! Terms: *fn* has no infinity, *uz* has no negative zero (its pattern is the only NaN), *e8m0fnu* is an unsigned power
//! of two without zero: its ties go up, as only the exponent is left to round, and values that are not positive are
//! NaN.

use crate::{DataType, TypeCode, dtype::Float8};

/// The meaning of the patterns with all exponent bits set.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Specials {
    /// As in IEEE 754: infinity, and NaN with a mantissa.
    Ieee,
    /// Only the all-ones pattern is special: NaN.
    OneNan,
    /// None; the pattern of negative zero is NaN.
    NanIsNegativeZero,
    /// None.
    Finite,
}

/// The layout of a format with a sign, exponent and mantissa.
#[derive(Clone, Copy)]
struct Format {
    /// Bits without the sign.
    magnitude_bits: u32,
    mantissa_bits: i32,
    bias: i32,
    /// The largest finite value.
    largest: f64,
    specials: Specials,
}

impl Format {
    fn sign_bit(self) -> u8 {
        1 << self.magnitude_bits
    }
    fn infinity(self) -> u8 {
        (self.sign_bit() - 1) >> self.mantissa_bits << self.mantissa_bits
    }
}

const fn layout(
    magnitude_bits: u32,
    mantissa_bits: i32,
    bias: i32,
    largest: f64,
    specials: Specials,
) -> Format {
    Format { magnitude_bits, mantissa_bits, bias, largest, specials }
}

fn format(code: TypeCode) -> Option<Format> {
    use Specials::{Finite, Ieee, NanIsNegativeZero, OneNan};
    Some(match code {
        TypeCode::Float8(Float8::E3M4) => layout(7, 4, 3, 15.5, Ieee),
        TypeCode::Float8(Float8::E4M3) => layout(7, 3, 7, 240.0, Ieee),
        TypeCode::Float8(Float8::E4M3B11Fnuz) => layout(7, 3, 11, 30.0, NanIsNegativeZero),
        TypeCode::Float8(Float8::E4M3Fn) => layout(7, 3, 7, 448.0, OneNan),
        TypeCode::Float8(Float8::E4M3Fnuz) => layout(7, 3, 8, 240.0, NanIsNegativeZero),
        TypeCode::Float8(Float8::E5M2) => layout(7, 2, 15, 57344.0, Ieee),
        TypeCode::Float8(Float8::E5M2Fnuz) => layout(7, 2, 16, 57344.0, NanIsNegativeZero),
        TypeCode::Float6E2M3 => layout(5, 3, 1, 7.5, Finite),
        TypeCode::Float6E3M2 => layout(5, 2, 3, 28.0, Finite),
        TypeCode::Float4 => layout(3, 1, 1, 6.0, Finite),
        _ => return None,
    })
}

/// The NaN of the format without sign and mantissa, and the bias of its exponent.
const E8M0: TypeCode = TypeCode::Float8(Float8::E8M0Fnu);
const E8M0_NAN: u8 = 0xFF;
const E8M0_BIAS: i32 = 127;

/// The bits nearest to a value, in the low end of a byte; none for types that are no such format.
pub fn encode(code: TypeCode, value: f64) -> Option<u8> {
    if code == E8M0 {
        return Some(encode_e8m0(value));
    }
    let format = format(code)?;
    let sign = if value.is_sign_negative() { format.sign_bit() } else { 0 };
    if value.is_nan() {
        return Some(match format.specials {
            Specials::Ieee => sign | format.infinity() | 1 << (format.mantissa_bits - 1),
            Specials::OneNan => sign | (format.sign_bit() - 1),
            Specials::NanIsNegativeZero | Specials::Finite => format.sign_bit(),
        });
    }
    let Some(magnitude) = encode_magnitude(format, value.abs()) else {
        return Some(match format.specials {
            Specials::Ieee => sign | format.infinity(),
            Specials::OneNan => sign | (format.sign_bit() - 1),
            Specials::NanIsNegativeZero => format.sign_bit(),
            Specials::Finite => {
                sign | encode_magnitude(format, format.largest).unwrap_or(format.sign_bit() - 1)
            }
        });
    };
    let has_no_negative_zero = format.specials == Specials::NanIsNegativeZero && magnitude == 0;
    Some(if has_no_negative_zero { 0 } else { sign | magnitude })
}

/// The bits of a value that is not negative; none if it rounds to more than the largest one.
fn encode_magnitude(format: Format, magnitude: f64) -> Option<u8> {
    if magnitude.is_infinite() {
        return None;
    }
    // The unit of the last place of the value's binade; subnormals share that of the smallest normal one.
    let exponent = libm::ilogb(magnitude.max(f64::MIN_POSITIVE)).max(1 - format.bias);
    let unit = libm::ldexp(1.0, exponent - format.mantissa_bits);
    let steps = (magnitude / unit).round_ties_even();
    if steps * unit > format.largest {
        return None;
    }
    let hidden = 1i64 << format.mantissa_bits;
    let steps = steps as i64;
    // `steps` may have reached the next binade: adding then carries into the exponent as it should.
    let bits = if steps < hidden {
        steps
    } else {
        (i64::from(exponent + format.bias - 1) << format.mantissa_bits) + steps
    };
    Some(bits as u8)
}

fn encode_e8m0(value: f64) -> u8 {
    if value.is_nan() || value <= 0.0 || value.is_infinite() {
        return E8M0_NAN;
    }
    let exponent = libm::ilogb(value);
    let is_up = value >= libm::ldexp(1.5, exponent);
    u8::try_from((exponent + i32::from(is_up) + E8M0_BIAS).max(0)).unwrap_or(E8M0_NAN)
}

/// The value of bits; none for types that are no such format.
pub fn decode(code: TypeCode, bits: u8) -> Option<f64> {
    if code == E8M0 {
        let value = libm::ldexp(1.0, i32::from(bits) - E8M0_BIAS);
        return Some(if bits == E8M0_NAN { f64::NAN } else { value });
    }
    let format = format(code)?;
    let is_negative = bits & format.sign_bit() != 0;
    let magnitude = bits & (format.sign_bit() - 1);
    match format.specials {
        Specials::Ieee if magnitude > format.infinity() => return Some(f64::NAN),
        Specials::Ieee if magnitude == format.infinity() => {
            return Some(if is_negative { f64::NEG_INFINITY } else { f64::INFINITY });
        }
        Specials::OneNan if magnitude == format.sign_bit() - 1 => return Some(f64::NAN),
        Specials::NanIsNegativeZero if is_negative && magnitude == 0 => return Some(f64::NAN),
        _ => {}
    }
    let hidden = 1u8 << format.mantissa_bits;
    let (exponent, mantissa) = (i32::from(magnitude >> format.mantissa_bits), magnitude % hidden);
    let value = if exponent == 0 {
        libm::ldexp(f64::from(mantissa), 1 - format.bias - format.mantissa_bits)
    } else {
        libm::ldexp(f64::from(mantissa + hidden), exponent - format.bias - format.mantissa_bits)
    };
    Some(if is_negative { -value } else { value })
}

/// The value rounded to the format of a type; none for types that are no such format.
pub fn round(dtype: DataType, value: f64) -> Option<f64> {
    decode(dtype.code, encode(dtype.code, value)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    const SIGNED: [(TypeCode, u32); 10] = [
        (TypeCode::Float8(Float8::E3M4), 256),
        (TypeCode::Float8(Float8::E4M3), 256),
        (TypeCode::Float8(Float8::E4M3B11Fnuz), 256),
        (TypeCode::Float8(Float8::E4M3Fn), 256),
        (TypeCode::Float8(Float8::E4M3Fnuz), 256),
        (TypeCode::Float8(Float8::E5M2), 256),
        (TypeCode::Float8(Float8::E5M2Fnuz), 256),
        (TypeCode::Float6E2M3, 64),
        (TypeCode::Float6E3M2, 64),
        (TypeCode::Float4, 16),
    ];

    #[test]
    fn every_pattern_reads_back_as_itself() {
        for (code, n) in SIGNED.into_iter().chain([(E8M0, 256)]) {
            for bits in (0..n).map(|it| it as u8) {
                let value = decode(code, bits).expect("a known format");
                let again = encode(code, value).expect("a known format");
                if value.is_nan() {
                    assert!(decode(code, again).is_some_and(f64::is_nan), "{code:?} {bits:#x}");
                } else {
                    assert_eq!(again, bits, "{code:?} {value}");
                }
            }
        }
    }

    /// All finite values, the points in the middle of neighbours, and the float32 values next to these.
    fn probes(code: TypeCode, n: u32) -> Vec<f64> {
        let mut values: Vec<f64> = (0..n)
            .filter_map(|bits| decode(code, bits as u8))
            .filter(|it| it.is_finite())
            .collect();
        values.sort_by(f64::total_cmp);
        values.dedup_by(|a, b| a == b);
        let middles: Vec<f64> = values.windows(2).map(|it| f64::midpoint(it[0], it[1])).collect();
        for middle in middles {
            let single = middle as f32;
            values.extend([middle, single.next_up().into(), single.next_down().into()]);
        }
        values
    }

    #[test]
    fn rounding_is_that_of_ml_dtypes() {
        // Sums of the bits of all probes, found with ml_dtypes 0.5 from the same values as float32. Both zeros are
        // one probe, which has no sign here.
        let expected =
            [106_226, 117_690, 129_410, 128_142, 129_410, 123_614, 129_410, 7842, 7842, 426];
        for ((code, n), expected) in SIGNED.into_iter().zip(expected) {
            let bits = |value: f64| {
                let value = if value == 0.0 { 0.0 } else { value };
                u32::from(encode(code, value).expect("a known format"))
            };
            let sum: u32 = probes(code, n).into_iter().map(bits).sum();
            assert_eq!(sum, expected, "{code:?}");
        }
    }

    #[test]
    fn out_of_range_value_has_its_own_pattern() {
        let of = |code, value| encode(code, value).expect("a known format");
        let e4m3 = TypeCode::Float8(Float8::E4M3Fn);
        assert_eq!([448.0, 449.0, 500.0, -500.0].map(|it| of(e4m3, it)), [0x7E, 0x7E, 0x7F, 0xFF]);
        let e5m2 = TypeCode::Float8(Float8::E5M2);
        assert_eq!([1e9, -1e9, f64::NAN].map(|it| of(e5m2, it)), [0x7C, 0xFC, 0x7E]);
        let fnuz = TypeCode::Float8(Float8::E4M3Fnuz);
        assert_eq!([1e9, -1e9, f64::NAN, -0.0].map(|it| of(fnuz, it)), [0x80, 0x80, 0x80, 0]);
        assert_eq!([1e9, -1e9, -0.0].map(|it| of(TypeCode::Float4, it)), [7, 15, 8]);
        assert_eq!([1.5, 3.0, 1.49, 0.0, -1.0].map(|it| of(E8M0, it)), [128, 129, 127, 255, 255]);
        assert_eq!([1e-45, 2.4e38, 2.6e38].map(|it| of(E8M0, it)), [0, 254, 255]);
    }
}

//! The bits of a NaN on their way through a double (SEMANTICS: C1, C9, F8).
//!
//! In: the bits of a float in memory. Out: the double that stands for it in a lane, and back, with every bit as it was.
//! A conversion of the processor would make a *signalling* NaN (highest bit of the mantissa clear) quiet, so that a
//! load and a store changed memory; here a NaN's sign and mantissa move to the high end of the double's as they are.
//! Formats of 8 bits and less have no common layout: their NaN carries its bits in the low end. Computed NaNs have none
//! of this: they are rounded ([`DataType::round_float`](ir::DataType::round_float)), which gives the one NaN of
//! results.

use half::{bf16, f16};

use ir::{TypeCode, minifloat};

const SIGN: u64 = 1 << 63;
const MANTISSA_BITS: u32 = 52;
const MANTISSA: u64 = (1 << MANTISSA_BITS) - 1;
const QUIET: u64 = 1 << (MANTISSA_BITS - 1);
const EXPONENT: u64 = 0x7FF << MANTISSA_BITS;
/// In the NaN of a narrow format: its bits are in the low byte.
const HAS_BITS: u64 = 1 << 8;

/// An IEEE format narrower than a double: its width and that of its mantissa.
#[derive(Clone, Copy)]
struct Format {
    bits: u32,
    mantissa_bits: u32,
}

const SINGLE: Format = Format { bits: 32, mantissa_bits: 23 };
const HALF: Format = Format { bits: 16, mantissa_bits: 10 };
const BRAIN: Format = Format { bits: 16, mantissa_bits: 7 };

impl Format {
    /// The double that stands for a NaN.
    fn widen(self, raw: u64) -> f64 {
        let sign = raw >> (self.bits - 1) << 63;
        let mantissa = raw << (MANTISSA_BITS - self.mantissa_bits) & MANTISSA;
        f64::from_bits(sign | EXPONENT | mantissa)
    }

    /// The NaN that a double stands for; of a payload too long, the part that fits, else the quiet one.
    fn narrow(self, nan: f64) -> u64 {
        let bits = nan.to_bits();
        let drop = MANTISSA_BITS - self.mantissa_bits;
        let kept = (bits & MANTISSA) >> drop;
        let mantissa = if kept == 0 { QUIET >> drop } else { kept };
        let exponent = (1 << (self.bits - 1)) - (1 << self.mantissa_bits);
        (bits & SIGN) >> (64 - self.bits) | exponent | mantissa
    }
}

/// The value of the bits of a `float32`.
#[inline]
pub(super) fn of_single(raw: u32) -> f64 {
    let value = f32::from_bits(raw);
    if value.is_nan() { SINGLE.widen(raw.into()) } else { value.into() }
}

/// The bits of a value of `float32`.
#[inline]
pub(super) fn single_bits(value: f64) -> u32 {
    if value.is_nan() { SINGLE.narrow(value) as u32 } else { (value as f32).to_bits() }
}

/// The value of the bits of a `float16`.
pub(super) fn of_half(raw: u16) -> f64 {
    let value = f16::from_bits(raw);
    if value.is_nan() { HALF.widen(raw.into()) } else { value.to_f64() }
}

/// The bits of a value of `float16`.
pub(super) fn half_bits(value: f64) -> u16 {
    if value.is_nan() { HALF.narrow(value) as u16 } else { f16::from_f64(value).to_bits() }
}

/// The value of the bits of a `bfloat16`.
pub(super) fn of_brain(raw: u16) -> f64 {
    let value = bf16::from_bits(raw);
    if value.is_nan() { BRAIN.widen(raw.into()) } else { value.to_f64() }
}

/// The bits of a value of `bfloat16`.
pub(super) fn brain_bits(value: f64) -> u16 {
    if value.is_nan() { BRAIN.narrow(value) as u16 } else { bf16::from_f64(value).to_bits() }
}

/// The value of the bits of a format of 8 bits or less; none for types that are no such format.
pub(super) fn of_narrow(code: TypeCode, raw: u8) -> Option<f64> {
    let value = minifloat::decode(code, raw)?;
    let is_nan = value.is_nan();
    let with_bits = || f64::from_bits(EXPONENT | QUIET | HAS_BITS | u64::from(raw));
    Some(if is_nan { with_bits() } else { value })
}

/// The bits of a value of a format of 8 bits or less; none for types that are no such format.
pub(super) fn narrow_bits(code: TypeCode, value: f64) -> Option<u8> {
    let bits = value.to_bits();
    if value.is_nan() && bits & HAS_BITS != 0 && minifloat::decode(code, bits as u8)?.is_nan() {
        return Some(bits as u8);
    }
    minifloat::encode(code, value)
}

#[cfg(test)]
mod tests {
    use super::*;
    use ir::dtype::Float8;

    #[test]
    fn every_pattern_of_two_bytes_and_less_comes_back() {
        for raw in 0..=u16::MAX {
            assert_eq!(half_bits(of_half(raw)), raw);
            assert_eq!(brain_bits(of_brain(raw)), raw);
        }
        let narrow = [Float8::E3M4, Float8::E4M3, Float8::E4M3Fn, Float8::E5M2, Float8::E8M0Fnu];
        for code in narrow.map(TypeCode::Float8) {
            for raw in 0..=u8::MAX {
                let value = of_narrow(code, raw).expect("a known format");
                assert_eq!(narrow_bits(code, value), Some(raw), "{code:?}");
            }
        }
    }

    #[test]
    fn signalling_and_negative_singles_come_back() {
        for raw in [0x7f80_0001, 0xff80_0001, 0x7fc0_0000, 0xffff_ffff, 0x7fa5_5aa5, 0x7f80_0000] {
            assert_eq!(single_bits(of_single(raw)), raw, "{raw:#x}");
        }
    }

    #[test]
    fn a_payload_that_does_not_fit_stays_a_nan() {
        let low = f64::from_bits(EXPONENT | 1);
        assert_eq!(single_bits(low), 0x7fc0_0000);
        assert_eq!(half_bits(low), 0x7e00);
    }
}

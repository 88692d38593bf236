//! Functions that are called by name: of C's library and of LLVM. Each is one of the intrinsics, or a few lines here.
//!
//! In: the name in `T.call_pure_extern("float32", "expf", x)` or
//! `T.call_llvm_pure_intrin("float32", "llvm.exp.f32", x)`. Out: which value it is. Other functions have unknown
//! effects and are not executed.

use super::{ops::Val, table};
use ir::DataType;

/// The meaning of a function of another library.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum Function {
    /// The intrinsic of this name.
    Intrinsic(&'static str),
    /// Rounds to the nearest integer, ties away from zero (C's `round`).
    RoundAway,
    /// The smaller one; of a number and NaN the number (C's `fmin`).
    MinNumber,
    /// The larger one; of a number and NaN the number (C's `fmax`).
    MaxNumber,
    /// The cube root.
    CubeRoot,
    /// Trailing zeros; the width for zero.
    TrailingZeros,
    /// Bits in reverse order.
    ReverseBits,
    /// Bytes in reverse order.
    SwapBytes,
}

/// A function of C's mathematics library, with or without the `f` of single precision.
pub(super) fn c_function(name: &str) -> Option<Function> {
    let plain = match name.strip_suffix('f') {
        // `erf` ends so itself.
        Some(stem) if table::of_c(stem).is_some() || own(stem).is_some() => stem,
        _ => name,
    };
    own(plain).or_else(|| table::of_c(plain).map(Function::Intrinsic))
}

/// A function of LLVM, by its name with the types: `llvm.exp.f32`, `llvm.nvvm.…` are not known.
pub(super) fn llvm_function(name: &str) -> Option<Function> {
    let name = name.strip_prefix("llvm.")?;
    let stem = name.split('.').next()?;
    Some(match stem {
        "round" => Function::RoundAway,
        "rint" | "nearbyint" | "roundeven" => Function::Intrinsic("nearbyint"),
        "minnum" => Function::MinNumber,
        "maxnum" => Function::MaxNumber,
        "ctpop" => Function::Intrinsic("popcount"),
        "cttz" => Function::TrailingZeros,
        "bitreverse" => Function::ReverseBits,
        "bswap" => Function::SwapBytes,
        "fma" | "fmuladd" => Function::Intrinsic("fma"),
        "abs" => Function::Intrinsic("fabs"),
        _ => Function::Intrinsic(table::of_c(stem)?),
    })
}

fn own(name: &str) -> Option<Function> {
    Some(match name {
        "round" => Function::RoundAway,
        "fmin" => Function::MinNumber,
        "fmax" => Function::MaxNumber,
        "cbrt" => Function::CubeRoot,
        "rint" => Function::Intrinsic("nearbyint"),
        "abs" => Function::Intrinsic("fabs"),
        _ => return None,
    })
}

/// The value of a function that is no intrinsic; none for operands it does not take.
pub(super) fn value(function: Function, dtype: DataType, args: &[Val]) -> Option<Val> {
    let element = dtype.element();
    let bits = u32::from(element.bits).clamp(1, 64);
    let low = |x: i64| x as u64 & (u64::MAX >> (64 - bits));
    let int = |x: u64| Some(Val::Int(element.wrap_int(x.into()), false));
    match (function, args) {
        (Function::RoundAway, [Val::Float(x)]) => Some(Val::Float(element.round_float(x.round()))),
        (Function::MinNumber, [Val::Float(x), Val::Float(y)]) => {
            Some(Val::Float(element.round_float(libm::fmin(*x, *y))))
        }
        (Function::MaxNumber, [Val::Float(x), Val::Float(y)]) => {
            Some(Val::Float(element.round_float(libm::fmax(*x, *y))))
        }
        (Function::CubeRoot, [Val::Float(x)]) => {
            Some(Val::Float(element.round_float(libm::cbrt(*x))))
        }
        (Function::TrailingZeros, [Val::Int(x, _), ..]) => {
            int(u64::from(low(*x).trailing_zeros().min(bits)))
        }
        (Function::ReverseBits, [Val::Int(x, _)]) => int(low(*x).reverse_bits() >> (64 - bits)),
        (Function::SwapBytes, [Val::Int(x, _)]) => int(low(*x).swap_bytes() >> (64 - bits)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_lose_their_precision() {
        assert_eq!(c_function("expf"), Some(Function::Intrinsic("exp")));
        assert_eq!(c_function("erf"), Some(Function::Intrinsic("erf")));
        assert_eq!(c_function("erff"), Some(Function::Intrinsic("erf")));
        assert_eq!(c_function("roundf"), Some(Function::RoundAway));
        assert_eq!(c_function("my_function"), None);
        assert_eq!(llvm_function("llvm.log2.f32"), Some(Function::Intrinsic("log2")));
        assert_eq!(llvm_function("llvm.roundeven.f64"), Some(Function::Intrinsic("nearbyint")));
        assert_eq!(llvm_function("llvm.nvvm.exp"), None);
    }

    #[test]
    fn c_rounds_ties_away_from_zero() {
        let round = |x| value(Function::RoundAway, DataType::FLOAT32, &[Val::Float(x)]);
        assert_eq!(round(2.5), Some(Val::Float(3.0)));
        assert_eq!(round(-0.5), Some(Val::Float(-1.0)));
        let swap = value(Function::SwapBytes, DataType::INT32, &[Val::Int(0x0102_0304, false)]);
        assert_eq!(swap, Some(Val::Int(0x0403_0201, false)));
    }
}

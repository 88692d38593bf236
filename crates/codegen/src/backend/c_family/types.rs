//! Facts about element types that all dialects share.

use ir::{DataType, Lanes, TypeCode};

/// Number of lanes, if fixed.
pub(super) fn lanes(dtype: DataType) -> Option<u32> {
    match dtype.lanes {
        Lanes::Fixed(lanes) => Some(lanes.into()),
        Lanes::Scalable(_) => None,
    }
}

/// Returns true if values are kept as `float` and rounded after each operation.
pub(super) fn is_half(dtype: DataType) -> bool {
    dtype.bits == 16 && matches!(dtype.code, TypeCode::Float | TypeCode::BFloat)
}

/// The type that a register of `dtype` has.
pub(super) fn compute(dtype: DataType) -> DataType {
    if is_half(dtype) { DataType::FLOAT32 } else { dtype.element() }
}

/// Integers that C computes in `int` (`SEMANTICS: I3`).
pub(super) fn is_narrow(dtype: DataType) -> bool {
    dtype.is_integer() && dtype.bits < 32
}

/// Short name for helpers: `i32`, `u8`, `f64`.
pub(super) fn short(dtype: DataType) -> String {
    let letter = match dtype.code {
        TypeCode::Int => "i",
        TypeCode::UInt => "u",
        TypeCode::Float => "f",
        TypeCode::BFloat => "bf",
        TypeCode::Bool => return "bool".to_owned(),
        _ => "x",
    };
    format!("{letter}{}", dtype.bits)
}

/// The unsigned type of the same width.
pub(super) fn unsigned(dtype: DataType) -> DataType {
    DataType::uint(dtype.bits)
}

//! The representation of the IR's scalars: in registers, and in memory.
//!
//! Registers. Integers narrower than 32 bits are kept in 32 and cut after each operation (`SEMANTICS: I3`); `float16`
//! and `bfloat16` are kept as `float32` and rounded after each operation (`F1`, `F10`). Where a language has no 64-bit
//! integers, a register holds the low half: sums and products of low halves are low halves, and whatever needs the
//! whole value asks [`super::narrow`] for a proof that the low half is all of it.
//!
//! Memory. Buffers have the layout of the host. Elements of 8 bits, and of 16 where the language has none, lie in words
//! of 32 bits that they share.

use ::naga::{Scalar, ScalarKind};
use ir::{DataType, TypeCode};

use super::language::ShaderLanguage;
use crate::kernel::{Refusal, Result};
use crate::reasons;

/// How an element lies in memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Stored {
    /// As this scalar; a register of another width or kind is converted.
    Scalar(Scalar),
    /// `bfloat16` as an integer of 16 bits.
    BfloatBits,
    /// Elements of this width share words of 32 bits.
    Packed(u8),
}

impl Stored {
    /// The scalar that memory is an array of.
    pub(super) fn scalar(self) -> Scalar {
        match self {
            Stored::Scalar(scalar) => scalar,
            Stored::BfloatBits => U16,
            Stored::Packed(_) => Scalar::U32,
        }
    }
    /// Bytes of that scalar.
    pub(super) fn bytes(self) -> u32 {
        // A `bool` of a block or a thread takes a word.
        if self.scalar() == Scalar::BOOL { 4 } else { self.scalar().width.into() }
    }
    /// Elements of one such scalar.
    pub(super) fn per_word(self) -> u32 {
        match self {
            Stored::Packed(bits) => 32 / u32::from(bits),
            _ => 1,
        }
    }
}

/// An unsigned integer of 16 bits, which only memory has.
pub(super) const U16: Scalar = Scalar { kind: ScalarKind::Uint, width: 2 };

/// The scalar that a register of `dtype` is.
pub(super) fn register(dtype: DataType, language: ShaderLanguage) -> Result<Scalar> {
    let int64 = language.has_int64();
    Ok(match (dtype.code, dtype.bits) {
        (TypeCode::Bool, _) => Scalar::BOOL,
        (TypeCode::Int, 8 | 16 | 32) => Scalar::I32,
        (TypeCode::UInt, 8 | 16 | 32) => Scalar::U32,
        (TypeCode::Int, 64) => {
            if int64 {
                Scalar::I64
            } else {
                Scalar::I32
            }
        }
        (TypeCode::UInt, 64) => {
            if int64 {
                Scalar::U64
            } else {
                Scalar::U32
            }
        }
        (TypeCode::Float | TypeCode::BFloat, 16) | (TypeCode::Float, 32) => Scalar::F32,
        (TypeCode::Float, 64) if language.has_float64() => Scalar::F64,
        _ => return Err(no_type(dtype)),
    })
}

/// How an element of a buffer of the host lies in memory.
pub(super) fn stored(dtype: DataType, language: ShaderLanguage) -> Result<Stored> {
    let short = |scalar: Scalar| match language.has_int16() {
        true => Stored::Scalar(scalar),
        false => Stored::Packed(16),
    };
    Ok(match (dtype.code, dtype.bits) {
        (TypeCode::Bool, _) | (TypeCode::Int | TypeCode::UInt, 8) => Stored::Packed(8),
        (TypeCode::Int, 16) => short(Scalar { kind: ScalarKind::Sint, width: 2 }),
        (TypeCode::UInt, 16) => short(U16),
        (TypeCode::BFloat, 16) if language.has_int16() => Stored::BfloatBits,
        (TypeCode::BFloat, 16) => Stored::Packed(16),
        (TypeCode::Float, 16) => Stored::Scalar(Scalar::F16),
        (TypeCode::Int | TypeCode::UInt, 64) if !language.has_int64() => {
            return Err(no_type(dtype));
        }
        _ => Stored::Scalar(register(dtype, language)?),
    })
}

/// The layout of an element in memory of a block or a thread: nothing outside sees it, so mostly as in registers.
pub(super) fn stored_inside(dtype: DataType, language: ShaderLanguage) -> Result<Stored> {
    match (dtype.code, dtype.bits) {
        (TypeCode::Float, 16) => Ok(Stored::Scalar(Scalar::F16)),
        // Its low half would have to be shown to be all of it.
        (TypeCode::Int | TypeCode::UInt, 64) if !language.has_int64() => Err(no_type(dtype)),
        _ => Ok(Stored::Scalar(register(dtype, language)?)),
    }
}

/// The type of an argument in the block of scalars: that of a register, `bool` as a number.
pub(super) fn argument(dtype: DataType, language: ShaderLanguage) -> Result<Scalar> {
    let scalar = register(dtype, language).map_err(|_| {
        Refusal::new(reasons::ARGUMENT_TYPE, format!("a kernel cannot take a `{dtype}`"))
    })?;
    Ok(if scalar == Scalar::BOOL { Scalar::U32 } else { scalar })
}

/// The refusal of a type.
pub(super) fn no_type(dtype: DataType) -> Refusal {
    Refusal::new(reasons::DTYPE, format!("`{dtype}` has no type in this language"))
}

/// A scalar as a manifest spells it.
pub(super) fn spelling(scalar: Scalar) -> String {
    let kind = match scalar.kind {
        ScalarKind::Sint => "int",
        ScalarKind::Uint => "uint",
        _ => "float",
    };
    format!("{kind}{}", u32::from(scalar.width) * 8)
}

//! Element types and the types of values.
//!
//! [`DataType`] is TVM's `runtime::DataType`: a code, a width in bits and a number of lanes. [`Type`] is the type of a
//! value: a data type, a pointer, a type of another language known by its text, or unknown (a captured Python name).

use std::{
    fmt,
    hash::{Hash, Hasher},
};

use crate::{MemoryScope, NameId, arena::Id as _};

/// The kind of an element type.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum TypeCode {
    /// Two's-complement signed integer.
    Int,
    /// Unsigned integer.
    UInt,
    /// IEEE binary float (16, 32, 64 bits).
    Float,
    /// `bfloat16`.
    BFloat,
    /// Truth value; memory bytes must be 0 or 1.
    Bool,
    /// Opaque pointer.
    Handle,
    /// No value.
    Void,
    /// `float8_e4m3fn` and its relatives, distinguished by [`DataType::name`].
    Float8(Float8),
    /// `float6_e2m3fn`.
    Float6E2M3,
    /// `float6_e3m2fn`.
    Float6E3M2,
    /// `float4_e2m1fn`.
    Float4,
    /// TileLang's `tfloat32`, which TVM prints as `custom[tfloat32]`: a `float32` of which tensor cores read 19 bits.
    /// Here it is loaded, stored, cast and given to products of tiles; nothing here computes with it.
    TensorFloat32,
    /// `int128`, `uint128`: an integer that is loaded, stored and given to instructions; nothing here computes with it.
    Wide {
        /// True for `int128`.
        is_signed: bool,
    },
    /// An element type that Python decides and that is not known here: equal to itself only, of any width and any
    /// number of lanes (`SEMANTICS: G2`).
    Symbolic(DtypeSymbol),
}

/// An element type that is not known, by the number of the captured value that it is
/// ([`crate::Body::dtype_symbol`]).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct DtypeSymbol(pub(crate) u16);

/// The 8-bit float formats.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Float8 {
    /// `float8_e3m4`
    E3M4,
    /// `float8_e4m3`
    E4M3,
    /// `float8_e4m3b11fnuz`
    E4M3B11Fnuz,
    /// `float8_e4m3fn`
    E4M3Fn,
    /// `float8_e4m3fnuz`
    E4M3Fnuz,
    /// `float8_e5m2`
    E5M2,
    /// `float8_e5m2fnuz`
    E5M2Fnuz,
    /// `float8_e8m0fnu`
    E8M0Fnu,
}

/// Number of lanes of a vector type.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Lanes {
    /// A fixed number; 1 is a scalar.
    Fixed(u16),
    /// `vscale` times this number.
    Scalable(u16),
}

/// An element type with lanes, such as `int32`, `float16x8`, `bool`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct DataType {
    /// Kind.
    pub code: TypeCode,
    /// Width of one lane in bits (bool: 8 in memory, said as 1 in arithmetic; here always 1).
    pub bits: u8,
    /// Lanes.
    pub lanes: Lanes,
}

const FLOAT8: [(&str, Float8); 8] = [
    ("float8_e3m4", Float8::E3M4),
    ("float8_e4m3", Float8::E4M3),
    ("float8_e4m3b11fnuz", Float8::E4M3B11Fnuz),
    ("float8_e4m3fn", Float8::E4M3Fn),
    ("float8_e4m3fnuz", Float8::E4M3Fnuz),
    ("float8_e5m2", Float8::E5M2),
    ("float8_e5m2fnuz", Float8::E5M2Fnuz),
    ("float8_e8m0fnu", Float8::E8M0Fnu),
];

impl DataType {
    /// A scalar type of `code` and `bits`.
    pub const fn scalar(code: TypeCode, bits: u8) -> DataType {
        DataType { code, bits, lanes: Lanes::Fixed(1) }
    }
    /// `int8` … `int64`.
    pub const fn int(bits: u8) -> DataType {
        DataType::scalar(TypeCode::Int, bits)
    }
    /// `uint8` … `uint64`.
    pub const fn uint(bits: u8) -> DataType {
        DataType::scalar(TypeCode::UInt, bits)
    }
    /// `float16`, `float32`, `float64`.
    pub const fn float(bits: u8) -> DataType {
        DataType::scalar(TypeCode::Float, bits)
    }
    /// `int32`.
    pub const INT32: DataType = DataType::int(32);
    /// `int64`.
    pub const INT64: DataType = DataType::int(64);
    /// `float32`.
    pub const FLOAT32: DataType = DataType::float(32);
    /// `bool`.
    pub const BOOL: DataType = DataType::scalar(TypeCode::Bool, 1);
    /// `handle`.
    pub const HANDLE: DataType = DataType::scalar(TypeCode::Handle, 64);
    /// `void`.
    pub const VOID: DataType = DataType::scalar(TypeCode::Void, 0);

    /// Reads TVM's spelling (`"float32x4"`, `"int8"`, `"bool"`, `"float8_e4m3fn"`, `"int32xvscalex4"`, `"handle"`).
    pub fn parse(text: &str) -> Option<DataType> {
        if text.is_empty() {
            return Some(DataType::VOID);
        }
        // Most names that are asked for are those of functions.
        if !begins_as_type(text.as_bytes()) {
            return None;
        }
        let (element, lanes) = split_lanes(text)?;
        let scalar = match element {
            "bool" | "boolean" => DataType::BOOL,
            "handle" => DataType::HANDLE,
            "void" => DataType::VOID,
            // TVM's short names: of 32 bits.
            "int" => DataType::INT32,
            "uint" => DataType::uint(32),
            "float" => DataType::FLOAT32,
            "bfloat16" => DataType::scalar(TypeCode::BFloat, 16),
            "float6_e2m3fn" => DataType::scalar(TypeCode::Float6E2M3, 6),
            "float6_e3m2fn" => DataType::scalar(TypeCode::Float6E3M2, 6),
            "float4_e2m1fn" => DataType::scalar(TypeCode::Float4, 4),
            "tfloat32" | "custom[tfloat32]" => DataType::scalar(TypeCode::TensorFloat32, 32),
            "int128" => DataType::scalar(TypeCode::Wide { is_signed: true }, 128),
            "uint128" => DataType::scalar(TypeCode::Wide { is_signed: false }, 128),
            _ if element.starts_with("float8_") => {
                let (_, format) = FLOAT8.iter().find(|(name, _)| *name == element)?;
                DataType::scalar(TypeCode::Float8(*format), 8)
            }
            _ => {
                let digits = element.find(|c: char| c.is_ascii_digit())?;
                let bits: u8 = element[digits..].parse().ok()?;
                let code = match &element[..digits] {
                    "int" | "i" => TypeCode::Int,
                    "uint" | "u" => TypeCode::UInt,
                    "float" | "f" => TypeCode::Float,
                    _ => return None,
                };
                let known: &[u8] = match code {
                    TypeCode::Float => &[16, 32, 64],
                    _ => &[1, 2, 4, 8, 16, 32, 64],
                };
                if !known.contains(&bits) {
                    return None;
                }
                DataType::scalar(code, bits)
            }
        };
        Some(DataType { lanes, ..scalar })
    }

    /// The type with `lanes` lanes.
    pub const fn with_lanes(self, lanes: Lanes) -> DataType {
        DataType { lanes, ..self }
    }
    /// An element type that is not known. Its width and lanes here say nothing.
    pub(crate) const fn symbolic(symbol: DtypeSymbol) -> DataType {
        DataType::scalar(TypeCode::Symbolic(symbol), 0)
    }
    /// The number of an element type that is not known.
    #[inline]
    pub fn symbol(self) -> Option<DtypeSymbol> {
        match self.code {
            TypeCode::Symbolic(symbol) => Some(symbol),
            _ => None,
        }
    }
    /// Returns true if the element type is not known. Then it is no integer, no float and no bool for any rule, and has
    /// neither width nor lanes.
    #[inline]
    pub fn is_symbolic(self) -> bool {
        self.symbol().is_some()
    }
    /// The type of one lane.
    pub const fn element(self) -> DataType {
        self.with_lanes(Lanes::Fixed(1))
    }
    /// Returns true if the number of lanes is a multiple of `vscale`.
    #[inline]
    pub fn is_scalable(self) -> bool {
        matches!(self.lanes, Lanes::Scalable(_))
    }
    /// Returns true if the type is known to have one lane.
    #[inline]
    pub fn is_scalar(self) -> bool {
        self.lanes == Lanes::Fixed(1) && !self.is_symbolic()
    }
    /// Signed integer of any width.
    #[inline]
    pub fn is_int(self) -> bool {
        self.code == TypeCode::Int
    }
    /// Unsigned integer of any width (not bool).
    #[inline]
    pub fn is_uint(self) -> bool {
        self.code == TypeCode::UInt
    }
    /// Signed or unsigned integer.
    #[inline]
    pub fn is_integer(self) -> bool {
        self.is_int() || self.is_uint()
    }
    /// The name that people write.
    pub(crate) fn written(self) -> String {
        let name = self.to_string();
        match self.is_tensor_float() {
            true => name.replace("custom[tfloat32]", "tfloat32"),
            false => name,
        }
    }
    /// TileLang's type for tensor cores, which is no number for anything here.
    #[inline]
    pub fn is_tensor_float(self) -> bool {
        self.code == TypeCode::TensorFloat32
    }
    /// Any floating-point format.
    #[inline]
    pub fn is_float(self) -> bool {
        matches!(
            self.code,
            TypeCode::Float
                | TypeCode::BFloat
                | TypeCode::Float8(_)
                | TypeCode::Float6E2M3
                | TypeCode::Float6E3M2
                | TypeCode::Float4
        )
    }
    /// Truth values, of any lanes.
    #[inline]
    pub fn is_bool(self) -> bool {
        self.code == TypeCode::Bool
    }
    /// Bytes that one element (all lanes; fixed lanes only) takes in memory, rounded up; 0 for a type that is not
    /// known.
    pub fn bytes(self) -> usize {
        let lanes = match self.lanes {
            Lanes::Fixed(lanes) | Lanes::Scalable(lanes) => usize::from(lanes),
        };
        let bits = if self.is_bool() { 8 } else { usize::from(self.bits) };
        (bits * lanes).div_ceil(8)
    }
    /// Rounds an exact value to this float type and gives the result as a double (every format here embeds in `f64`
    /// exactly). Round to nearest, ties to even; any NaN gives the same one, which all results have (SEMANTICS: C1,
    /// F8). Other types give `value` back.
    #[inline]
    pub fn round_float(self, value: f64) -> f64 {
        match (self.code, self.bits) {
            (TypeCode::Float | TypeCode::BFloat, _) if value.is_nan() => f64::NAN,
            (TypeCode::Float, 32) => f64::from(value as f32),
            (TypeCode::Float, 16) => half::f16::from_f64(value).to_f64(),
            (TypeCode::BFloat, _) => half::bf16::from_f64(value).to_f64(),
            (TypeCode::Float, _) => value,
            _ => crate::minifloat::round(self, value).unwrap_or(value),
        }
    }
    /// Wraps an integer to this type's width: the sign-extended (int) or zero-extended (uint, bool) value.
    /// A `uint64` above `i64::MAX` is given as the `i64` of the same bits.
    pub fn wrap_int(self, value: i128) -> i64 {
        if self.is_bool() {
            return i64::from(value != 0);
        }
        let bits = u32::from(self.bits).clamp(1, 64);
        if bits == 64 {
            return value as i64;
        }
        let mask = (1i128 << bits) - 1;
        let low = value & mask;
        if self.is_int() && low >> (bits - 1) != 0 {
            (low - (1i128 << bits)) as i64
        } else {
            low as i64
        }
    }
}

/// Returns false for most texts that are no type, by two bytes.
fn begins_as_type(text: &[u8]) -> bool {
    matches!(
        text,
        [b'b', b'o' | b'f', ..]
            | [b'h', b'a', ..]
            | [b'v', b'o', ..]
            | [b'i', b'n' | b'0'..=b'9', ..]
            | [b'u', b'i' | b'0'..=b'9', ..]
            | [b'f', b'l' | b'0'..=b'9', ..]
            | [b't', b'f', ..]
            | [b'c', b'u', ..]
    )
}

fn split_lanes(text: &str) -> Option<(&str, Lanes)> {
    if !text.as_bytes().contains(&b'x') {
        return Some((text, Lanes::Fixed(1)));
    }
    if let Some((element, lanes)) = text.split_once("xvscalex") {
        return Some((element, Lanes::Scalable(lanes.parse().ok()?)));
    }
    match text.rsplit_once('x') {
        Some((element, lanes))
            if !lanes.is_empty() && lanes.bytes().all(|b| b.is_ascii_digit()) =>
        {
            Some((element, Lanes::Fixed(lanes.parse().ok().filter(|&lanes| lanes > 0)?)))
        }
        _ => Some((text, Lanes::Fixed(1))),
    }
}

impl fmt::Display for DataType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.code {
            TypeCode::Int => write!(f, "int{}", self.bits)?,
            TypeCode::UInt => write!(f, "uint{}", self.bits)?,
            TypeCode::Float => write!(f, "float{}", self.bits)?,
            TypeCode::BFloat => f.write_str("bfloat16")?,
            TypeCode::Bool => f.write_str("bool")?,
            TypeCode::Handle => f.write_str("handle")?,
            TypeCode::Void => f.write_str("void")?,
            TypeCode::Float8(format) => {
                let name =
                    FLOAT8.iter().find(|(_, it)| *it == format).map_or("float8", |(name, _)| name);
                f.write_str(name)?;
            }
            TypeCode::Float6E2M3 => f.write_str("float6_e2m3fn")?,
            TypeCode::Float6E3M2 => f.write_str("float6_e3m2fn")?,
            TypeCode::Float4 => f.write_str("float4_e2m1fn")?,
            TypeCode::TensorFloat32 => f.write_str("custom[tfloat32]")?,
            TypeCode::Wide { is_signed: true } => f.write_str("int128")?,
            TypeCode::Wide { is_signed: false } => f.write_str("uint128")?,
            TypeCode::Symbolic(DtypeSymbol(index)) => write!(f, "dtype?{index}")?,
        }
        match self.lanes {
            Lanes::Fixed(1) => Ok(()),
            Lanes::Fixed(lanes) => write!(f, "x{lanes}"),
            Lanes::Scalable(lanes) => write!(f, "xvscalex{lanes}"),
        }
    }
}

impl fmt::Debug for DataType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// The type of a value or expression.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Type {
    /// Not known: a captured Python name that could not be resolved, an opaque call. Nothing is commoned across it
    /// and no rule assumes anything of it.
    Unknown,
    /// A data type.
    Prim(DataType),
    /// `T.handle("float32", "shared")`: a pointer to elements in a storage scope.
    Pointer {
        /// The type of the elements pointed to (`void` when not stated).
        element: DataType,
        /// In which memory that is.
        scope: MemoryScope,
    },
    /// A type of another language, by its text (`tensor<?x4xf32>`).
    Named(NameId),
}

/// In one step for most: each node that is asked for is looked up by its type too.
impl Hash for DataType {
    #[inline]
    fn hash<H: Hasher>(&self, hasher: &mut H) {
        hasher.write_u64(self.packed());
    }
}

impl Hash for Type {
    #[inline]
    fn hash<H: Hasher>(&self, hasher: &mut H) {
        match *self {
            Type::Unknown => hasher.write_u64(0),
            Type::Prim(dtype) => hasher.write_u64(1 << 60 | dtype.packed()),
            Type::Pointer { element, scope } => {
                hasher.write_u64(2 << 60 | element.packed());
                scope.hash(hasher);
            }
            Type::Named(name) => hasher.write_u64(3 << 60 | name.index() as u64),
        }
    }
}

impl DataType {
    /// Equal for equal types; the 8-bit floats share one number.
    #[inline]
    fn packed(self) -> u64 {
        let code = match self.code {
            TypeCode::Int => 0,
            TypeCode::UInt => 1,
            TypeCode::Float => 2,
            TypeCode::BFloat => 3,
            TypeCode::Bool => 4,
            TypeCode::Handle => 5,
            TypeCode::Void => 6,
            TypeCode::Float8(_) => 7,
            TypeCode::Float6E2M3 => 8,
            TypeCode::Float6E3M2 => 9,
            TypeCode::Float4 => 10,
            TypeCode::Wide { is_signed } => 11 + u64::from(is_signed),
            TypeCode::TensorFloat32 => 13,
            TypeCode::Symbolic(DtypeSymbol(index)) => 14 | u64::from(index) << 40,
        };
        let lanes = match self.lanes {
            Lanes::Fixed(n) => u64::from(n),
            Lanes::Scalable(n) => 1 << 16 | u64::from(n),
        };
        lanes << 16 | u64::from(self.bits) << 8 | code
    }
}

impl Type {
    /// The data type, if it is one.
    #[inline]
    pub fn prim(self) -> Option<DataType> {
        match self {
            Type::Prim(dtype) => Some(dtype),
            _ => None,
        }
    }
    /// Returns true if Python decides the type, or a part of it, and it is not known here.
    #[inline]
    pub fn is_open(self) -> bool {
        match self {
            Type::Unknown => true,
            Type::Prim(dtype) | Type::Pointer { element: dtype, .. } => dtype.is_symbolic(),
            Type::Named(_) => false,
        }
    }
    /// `bool` of any lanes.
    #[inline]
    pub fn is_bool(self) -> bool {
        self.prim().is_some_and(DataType::is_bool)
    }
}

impl From<DataType> for Type {
    fn from(dtype: DataType) -> Type {
        Type::Prim(dtype)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_spelling_round_trips() {
        for name in [
            "int32",
            "uint8",
            "float16",
            "float32x4",
            "bool",
            "boolx4",
            "handle",
            "bfloat16x2",
            "float8_e4m3fn",
            "float8_e5m2x8",
            "int32xvscalex4",
            "void",
            "int4",
            "float4_e2m1fn",
            "custom[tfloat32]",
            "custom[tfloat32]x4",
        ] {
            assert_eq!(DataType::parse(name).map(|it| it.to_string()).as_deref(), Some(name));
        }
        for bad in ["float33", "integer", "int32x0", "x4", "float8_e9", "bfloat"] {
            assert_eq!(DataType::parse(bad), None, "{bad}");
        }
        let short = ["int", "uint", "float", ""].map(DataType::parse);
        let long = ["int32", "uint32", "float32", "void"].map(DataType::parse);
        assert_eq!(short, long);
    }

    #[test]
    fn integers_wrap_at_their_width() {
        assert_eq!(DataType::int(8).wrap_int(300), 44);
        assert_eq!(DataType::int(8).wrap_int(128), -128);
        assert_eq!(DataType::uint(8).wrap_int(-1), 255);
        assert_eq!(DataType::uint(64).wrap_int(u64::MAX.into()), -1);
    }
}

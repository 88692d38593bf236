//! Small functions that the emitted source brings along, each only if it is used.

use std::fmt::Write as _;

use ir::{BinaryOp, DataType};

use super::{
    dialect::Dialect,
    types::{compute, short},
};
use crate::backend::cuda::ptx::{LANE, Ptx};

/// A helper, ordered as it is printed.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Helper {
    /// The type through which memory of several element types is accessed.
    Alias(Scalar),
    /// Rounding to `float16` or `bfloat16`.
    Round(Scalar),
    /// `a > b ? a : b` (`SEMANTICS: F6`, `I11`).
    Max(Scalar),
    /// `a < b ? a : b`
    Min(Scalar),
    /// Division that rounds down (`SEMANTICS: I7`).
    FloorDiv(Scalar),
    /// Remainder with the sign of the divisor.
    FloorMod(Scalar),
    /// Signed arithmetic that wraps (`SEMANTICS: I1`).
    Wrap(Wrapping, Scalar),
    /// Fixed-point multiplication.
    QMultiplyShift,
    /// A math function that the language lacks, for `float` or (`true`) `double`.
    Math(&'static str, bool),
    /// An instruction of the device.
    Ptx(Ptx),
    /// Zeros in registers of a product.
    MmaFill(Scalar),
    /// Two accumulators side by side to memory.
    MmaStore(Scalar),
}

/// An operation that may leave its type.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Wrapping {
    Add,
    Sub,
    Mul,
}

impl From<BinaryOp> for Wrapping {
    fn from(op: BinaryOp) -> Wrapping {
        match op {
            BinaryOp::Mul => Wrapping::Mul,
            BinaryOp::Sub => Wrapping::Sub,
            _ => Wrapping::Add,
        }
    }
}

impl Wrapping {
    fn spelling(self) -> (&'static str, char) {
        match self {
            Wrapping::Add => ("add", '+'),
            Wrapping::Sub => ("sub", '-'),
            Wrapping::Mul => ("mul", '*'),
        }
    }
}

/// A scalar type as an ordered key.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct Scalar(ir::TypeCode, u8);

impl Scalar {
    pub(super) fn of(dtype: DataType) -> Scalar {
        Scalar(dtype.code, dtype.bits)
    }
    fn dtype(self) -> DataType {
        DataType::scalar(self.0, self.1)
    }
}

impl Helper {
    /// The name it is called by.
    pub(super) fn name(self, dialect: &dyn Dialect) -> String {
        match self {
            Helper::Alias(it) => format!("tir_alias_{}", short(it.dtype())),
            Helper::Round(it) => dialect.rounding(it.dtype()).0.to_owned(),
            Helper::Max(it) => format!("tir_max_{}", short(compute(it.dtype()))),
            Helper::Min(it) => format!("tir_min_{}", short(compute(it.dtype()))),
            Helper::FloorDiv(it) => format!("tir_floordiv_{}", short(it.dtype())),
            Helper::FloorMod(it) => format!("tir_floormod_{}", short(it.dtype())),
            Helper::Wrap(op, it) => format!("tir_{}_{}", op.spelling().0, short(it.dtype())),
            Helper::QMultiplyShift => "tir_q_multiply_shift".to_owned(),
            Helper::Math(name, double) => dialect.math(name, double),
            Helper::Ptx(it) => it.name(),
            Helper::MmaFill(it) => format!("tir_mma_fill_{}", short(it.dtype())),
            Helper::MmaStore(it) => format!("tir_mma_store_{}", short(it.dtype())),
        }
    }

    /// Its definition.
    pub(super) fn text(self, dialect: &dyn Dialect) -> String {
        let qualifier = dialect.helper_qualifier();
        let name = self.name(dialect);
        let of = |it: Scalar| dialect.register_type(compute(it.dtype())).unwrap_or("int");
        let mut out = String::new();
        let result = match self {
            Helper::Alias(it) => {
                let base = dialect.alias_base(it.dtype()).unwrap_or("unsigned char");
                writeln!(out, "typedef {base} __attribute__((__may_alias__)) {name};")
            }
            Helper::Round(it) => write!(out, "{}", dialect.rounding(it.dtype()).1),
            Helper::Max(it) | Helper::Min(it) => {
                let ty = of(it);
                let sign = if matches!(self, Helper::Max(_)) { ">" } else { "<" };
                writeln!(
                    out,
                    "{qualifier} {ty} {name}({ty} a, {ty} b) {{ return a {sign} b ? a : b; }}"
                )
            }
            Helper::FloorDiv(it) => {
                let ty = of(it);
                writeln!(
                    out,
                    "{qualifier} {ty} {name}({ty} a, {ty} b) {{\n  {ty} q = a / b, r = a % b;\n  \
                     return r != 0 && (r < 0) != (b < 0) ? q - 1 : q;\n}}"
                )
            }
            Helper::FloorMod(it) => {
                let ty = of(it);
                writeln!(
                    out,
                    "{qualifier} {ty} {name}({ty} a, {ty} b) {{\n  {ty} r = a % b;\n  \
                     return r != 0 && (r < 0) != (b < 0) ? r + b : r;\n}}"
                )
            }
            Helper::Math(name, double) => {
                write!(out, "{}", dialect.math_text(name, double).unwrap_or_default())
            }
            Helper::Ptx(it) => write!(out, "{}", it.text(qualifier)),
            Helper::MmaFill(it) => {
                let ty = dialect.memory_type(it.dtype()).unwrap_or("int");
                writeln!(
                    out,
                    "{qualifier} void {name}({ty}* to, int n) {{\n  \
                     for (int i = 0; i < n; ++i) to[i] = ({ty})0;\n}}"
                )
            }
            // Where a thread's registers lie in a tile: its group's row and the one 8 below, two neighbours of its
            // place, then the right half.
            Helper::MmaStore(it) => {
                let ty = dialect.memory_type(it.dtype()).unwrap_or("int");
                writeln!(
                    out,
                    "{qualifier} void {name}({ty}* to, const {ty}* from, long long stride) {{\n  \
                     const int lane = {LANE};\n  #pragma unroll\n  for (int i = 0; i < 8; ++i) {{\n    \
                     to[(lane / 4 + i % 4 / 2 * 8) * stride + (lane % 4 * 2 + i % 2 + i / 4 * 8)] = from[i];\n  }}\n}}"
                )
            }
            Helper::Wrap(op, it) => {
                let (ty, sign) = (of(it), op.spelling().1);
                let unsigned = DataType::uint(it.dtype().bits);
                let wide = dialect.register_type(unsigned).unwrap_or("unsigned int");
                writeln!(
                    out,
                    "{qualifier} {ty} {name}({ty} a, {ty} b) {{ return ({ty})(({wide})a {sign} ({wide})b); }}"
                )
            }
            Helper::QMultiplyShift => {
                let wide = dialect.register_type(DataType::INT64).unwrap_or("long");
                writeln!(
                    out,
                    "{qualifier} int {name}(int x, int y, int q, int s) {{\n  \
                     int left = s > 0 ? s : 0, right = (s > 0 ? 0 : -s) + q;\n  \
                     {wide} product = (({wide})x * (({wide})1 << left)) * ({wide})y;\n  \
                     return (int)((product + (({wide})1 << (right - 1))) >> right);\n}}"
                )
            }
        };
        debug_assert!(result.is_ok(), "writing to a string does not fail");
        out
    }
}

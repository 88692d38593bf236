//! The language of a function.

/// The language, and for TVMScript the dialect, a function is written in.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Dialect {
    /// TVM 0.24 and later (`from tvm.script import tirx as T`): `x = e` is a mutable cell.
    Tirx,
    /// TVM up to 0.23 (`from tvm.script import tir as T`): `x = e` is an immutable let.
    Tir,
    /// TileLang's own TVM: `x: T.int32 = e` is an immutable let, a part of a buffer as a value is a vector of elements.
    TileLang,
    /// MLIR.
    Mlir,
    /// Paddle PIR.
    Pir,
}

impl Dialect {
    /// Returns true if a name that is given a value is a mutable scalar, which is stored again by another assignment.
    pub fn has_cells(self) -> bool {
        self == Dialect::Tirx
    }

    /// Returns true if the language consists of operations: their operands are values, and definitions inside a region
    /// are invisible outside it.
    pub fn is_of_operations(self) -> bool {
        matches!(self, Dialect::Mlir | Dialect::Pir)
    }
}

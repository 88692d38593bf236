//! Attributes: compile-time data on functions, operations and calls.
//!
//! Order of dictionary entries is kept as written, for printing; equality and fingerprints go by sorted keys.

use crate::{DataType, Dialect, ExprId};

/// One attribute value.
#[derive(Clone, PartialEq, Debug)]
pub enum Attr {
    /// `None`
    None,
    /// `True`, `T.bool(True)`
    Bool(bool),
    /// An integer; `T.int64(3)` has its type, a bare literal has none.
    Int(i64, Option<DataType>),
    /// A float; `T.float32(1.0)` has its type.
    Float(f64, Option<DataType>),
    /// A string.
    Str(Box<str>),
    /// A list or tuple.
    List(Vec<Attr>),
    /// A dictionary in the order written.
    Dict(Vec<(Box<str>, Attr)>),
    /// `T.target({...})`, `R.Tensor(...)`: a call of a constructor that this IR does not interpret.
    Call {
        /// Dotted name as written.
        name: Box<str>,
        /// Positional arguments.
        args: Vec<Attr>,
        /// Keyword arguments in the order written.
        keywords: Vec<(Box<str>, Attr)>,
    },
    /// An expression of the body (a buffer shape in an annotation, say).
    Expr(ExprId),
    /// Anything else, by its text.
    Text(Box<str>),
}

/// An attribute dictionary in the order written. The empty one has id 0 in every body.
pub type AttrDict = Vec<(Box<str>, Attr)>;

/// The function attribute by which parameters do not overlap (`SEMANTICS: M5`), as a dialect spells it.
pub fn noalias_key(dialect: Dialect) -> &'static str {
    match dialect {
        Dialect::Tir => "tir.noalias",
        _ => "tirx.noalias",
    }
}

//! What an expression of the text evaluates to while a function is read: IR, or a thing of Python.

use std::rc::Rc;

use ir::{BufferId, ExprId, NameId, Type, ValueId};
use smallvec::SmallVec;
use syntax::Green;

use super::source_tree::Src;
use crate::tvmscript::environment::{Constant, Namespace, Signature};

/// A typed expression with its source.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Tx {
    pub(crate) id: ExprId,
    pub(crate) src: Src,
}

/// A value with its source.
#[derive(Clone, Debug)]
pub(crate) struct Ev {
    pub(crate) val: Val,
    pub(crate) src: Src,
}

/// One dimension of an access.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Dim {
    Point(Tx),
    Slice { at: Src, lower: Option<Tx>, upper: Option<Tx>, step: Option<Tx> },
}

impl Dim {
    /// A dimension that the text does not mention.
    pub(crate) fn is_left_out(&self) -> bool {
        matches!(self, Dim::Slice { lower: None, upper: None, step: None, .. })
    }
    pub(crate) fn is_point(&self) -> bool {
        matches!(self, Dim::Point(_))
    }
}

/// Whether a symbol was declared as a size, which is not negative.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct IsSize(pub(crate) bool);

/// What something evaluates to.
#[derive(Clone, Debug)]
pub(crate) enum Val {
    Expr(ExprId),
    /// A constant of Python: it gets its type where it is used.
    Const(Constant),
    /// A tuple or list.
    Seq(Rc<[Ev]>),
    Dict,
    Buffer(BufferId),
    /// A mutable scalar: reading the name reads memory.
    Cell(BufferId),
    /// An access with slices.
    Region(BufferId, Rc<SmallVec<[Dim; 4]>>),
    /// `T.float32`, `T.handle("float32", "shared")`
    Type(Type),
    /// `T.int32(is_size_var=True)`
    SizeType(Type),
    /// `T`, `I`, `R`
    Namespace(Namespace),
    /// `T.a.b`, by what follows the `T.`
    Intrinsic(NameId),
    /// A function, class or module of Python, by its dotted path.
    Path(NameId),
    /// `A.view`
    Method(BufferId, NameId),
    /// `x.astype`
    ExprMethod(ExprId, NameId),
    /// `A.shape`, `A.strides`
    Shape(BufferId),
    Strides(BufferId),
    Macro(Rc<Green>),
    /// A macro defined in the function: its number, and the frame it was defined in.
    LocalMacro(u32, u32),
    Function(Rc<Signature>),
    Module,
    Lambda,
    /// A variable of an enclosing `T.Let` or lambda: how many binders are around the one that binds it.
    Bound(u32, Type),
    /// `tx = T.env_thread(...)`: a value; its tag is kept with it.
    Thread(ValueId, NameId),
    /// `T.let`, `T.let[...]` as an annotation.
    LetAnnotation(Option<Type>),
    /// `T.float32[4]` as an annotation.
    VectorAnnotation(ir::DataType, Rc<[Tx]>),
    /// `n = T.int32()`: a symbol that nothing has used yet.
    Declared(Type, IsSize),
    /// A Python name of unknown value.
    Unknown(ValueId),
}

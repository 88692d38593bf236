//! Expressions: hash-consed, structure only.
//!
//! Terms. A *node* is an [`Expr`] of a body's pool; equal nodes have one [`ExprId`] (operands of MLIR and PIR are in no
//! pool, but are read as nodes). An *occurrence* is a place where a node is used (module [`crate::occurrence`]). A
//! *binder* (`Let`, `Lambda`) binds variables that its body names by de Bruijn index ([`ExprKind::Bound`]), so that
//! renamed binders are equal; the names written are kept beside the node for printing and play no part in identity.
//!
//! Nodes are well-typed when made: operands of a binary operator have one type, promotion is the frontend's work and
//! visible as [`ExprKind::Cast`]. Nothing is folded here: the constructors return the requested node.

use crate::{
    AttrDictId, BufferId, ExprId, ExprListId, Intrinsic, NameId, Type, ValueId, arena::Id,
};

/// Set in the ids of operands that are values and nothing else.
const OPERAND: usize = 1 << 31;

/// In a language of operations operands are values. No pool has a node for them: the id contains the number of the
/// value, which saves 80 bytes a value and the hashing.
impl ExprId {
    /// The id of a value as an operand.
    #[inline]
    pub(crate) fn operand(value: ValueId) -> ExprId {
        assert!(value.index() < OPERAND, "fewer than 2^31 values in one body");
        ExprId::new(value.index() | OPERAND)
    }

    /// The value, if the id is one of an operand without a node.
    #[inline]
    pub(crate) fn as_operand(self) -> Option<ValueId> {
        (self.index() & OPERAND != 0).then(|| ValueId::new(self.index() & !OPERAND))
    }
}

/// Operators on two operands of one type. Semantics: `SEMANTICS.md`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum BinaryOp {
    /// `a + b`
    Add,
    /// `a - b`
    Sub,
    /// `a * b`
    Mul,
    /// `a / b` on floats; truncating division on integers (`T.Div`, `T.truncdiv`).
    Div,
    /// Remainder of truncating division (`T.truncmod`).
    Mod,
    /// `a // b`
    FloorDiv,
    /// `a % b`
    FloorMod,
    /// `T.min(a, b)`
    Min,
    /// `T.max(a, b)`
    Max,
    /// `a == b`
    Eq,
    /// `a != b`
    Ne,
    /// `a < b`
    Lt,
    /// `a <= b`
    Le,
    /// `a > b`
    Gt,
    /// `a >= b`
    Ge,
    /// `a and b`
    And,
    /// `a or b`
    Or,
    /// `a & b`
    BitAnd,
    /// `a | b`
    BitOr,
    /// `a ^ b`
    BitXor,
    /// `a << b`
    Shl,
    /// `a >> b`
    Shr,
}

impl BinaryOp {
    /// `== != < <= > >=`
    #[inline]
    pub fn is_comparison(self) -> bool {
        use BinaryOp::{Eq, Ge, Gt, Le, Lt, Ne};
        matches!(self, Eq | Ne | Lt | Le | Gt | Ge)
    }
    /// `and or`
    #[inline]
    pub fn is_logical(self) -> bool {
        matches!(self, BinaryOp::And | BinaryOp::Or)
    }
    /// The four divisions, which are errors for a zero divisor on integers.
    #[inline]
    pub fn is_division(self) -> bool {
        matches!(self, BinaryOp::Div | BinaryOp::Mod | BinaryOp::FloorDiv | BinaryOp::FloorMod)
    }
}

/// Operators on one operand.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum UnaryOp {
    /// `not a`
    Not,
    /// `~a`
    BitNot,
}

/// The callee of a call.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Callee {
    /// A TVM operator, by its dotted name without the `T.` (`exp`, `ptx.cp_async`): the effects file has its row.
    /// What code reasons about is told by the [`Intrinsic`], which follows from the name ([`crate::Body::operator`]).
    Intrinsic(NameId, Intrinsic),
    /// Another function of the module (`Module.f`, `cls.f`, `f`), by its name.
    Function(NameId),
    /// A captured or otherwise unknown callee, by its text.
    Unknown(NameId),
}

/// A property of a buffer used as a value: `A.data`, `A.elem_offset`, `A.strides[0]`, `A.shape[1]`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum BufferField {
    /// The data pointer.
    Data,
    /// The element offset.
    ElemOffset,
    /// One stride.
    Stride(u32),
    /// One extent.
    Shape(u32),
}

/// The structure of an expression.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum ExprKind {
    /// A variable.
    Value(ValueId),
    /// The variable of an enclosing binder: 0 is the innermost.
    Bound(u32),
    /// An integer or bool constant, wrapped to its type (`DataType::wrap_int`).
    Int(i64),
    /// A float constant: the bits of the `f64` that equals the value rounded to its type.
    Float(u64),
    /// A string.
    Str(NameId),
    /// Two operands of one type.
    Binary(BinaryOp, ExprId, ExprId),
    /// One operand.
    Unary(UnaryOp, ExprId),
    /// Conversion to the node's type.
    Cast(ExprId),
    /// `T.Select(condition, a, b)`: both arms are evaluated.
    Select(ExprId, ExprId, ExprId),
    /// `T.if_then_else(condition, a, b)`: only the chosen arm is evaluated (`SEMANTICS: S5`).
    IfThenElse(ExprId, ExprId, ExprId),
    /// `A[indices]`. The memory version is no part of it: that is the occurrence's.
    Load {
        /// Buffer.
        buffer: BufferId,
        /// One index a dimension.
        indices: ExprListId,
        /// Lanes switched off are not accessed.
        predicate: Option<ExprId>,
    },
    /// A property of a buffer.
    BufferField(BufferId, BufferField),
    /// A buffer as a whole, as an argument.
    Buffer(BufferId),
    /// Part of a buffer as an argument: a load whose indices may be [`ExprKind::Slice`].
    Region(BufferId, ExprListId),
    /// `lower:upper:step` inside a region.
    Slice {
        /// First.
        lower: Option<ExprId>,
        /// Past the last.
        upper: Option<ExprId>,
        /// Step.
        step: Option<ExprId>,
    },
    /// `T.Ramp(base, stride, lanes)`
    Ramp {
        /// Value of lane 0.
        base: ExprId,
        /// Difference between lanes.
        stride: ExprId,
        /// Number of lanes; not evaluated.
        lanes: ExprId,
    },
    /// `T.Broadcast(value, lanes)`
    Broadcast {
        /// Value of every lane.
        value: ExprId,
        /// Number of lanes; not evaluated.
        lanes: ExprId,
    },
    /// `T.Shuffle(vectors, indices)`
    Shuffle {
        /// Source vectors.
        vectors: ExprListId,
        /// Constant indices into their concatenation.
        indices: ExprListId,
    },
    /// `T.Let(body, where={x: value})`: `body` sees the value as `Bound(0)`.
    Let {
        /// Evaluated once, before the body.
        value: ExprId,
        /// Uses `Bound(0)`.
        body: ExprId,
    },
    /// `lambda x, y: body` in a reducer or index map: the first of `n` parameters is `Bound(n - 1)`.
    Lambda {
        /// Number of parameters.
        params: u32,
        /// Uses `Bound(0..n)`.
        body: ExprId,
    },
    /// A call.
    Call {
        /// The callee.
        callee: Callee,
        /// Positional arguments, in evaluation order.
        args: ExprListId,
        /// Keyword arguments and other constant data; id 0 for none.
        attrs: AttrDictId,
        /// 0 for a call that is a value of its operands (and of memory); else a number of its own in the body, so that
        /// no two impure, allocating or non-deterministic calls are ever one node.
        instance: u32,
    },
    /// `(a, b)` or `[a, b]`.
    Tuple(ExprListId),
    /// An expression that is kept by its text only; a number of its own in the body.
    Opaque {
        /// Text as written.
        text: NameId,
        /// Number in the body.
        instance: u32,
    },
}

impl ExprKind {
    /// Variables, bound variables, constants, strings, buffer names: nothing to compute.
    #[inline]
    pub fn is_leaf(&self) -> bool {
        matches!(
            self,
            ExprKind::Value(_)
                | ExprKind::Bound(_)
                | ExprKind::Int(_)
                | ExprKind::Float(_)
                | ExprKind::Str(_)
                | ExprKind::BufferField(..)
                | ExprKind::Buffer(_)
        )
    }
}

/// Properties of a node and its operands together. They are computed once, when the node is made, so that eligibility
/// is O(1).
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct ExprFlags {
    /// Any call or `T.if_then_else`: what may be evaluated in part, or be more than a value of operators.
    pub has_call: bool,
    /// Any buffer load.
    pub has_load: bool,
    /// A call with an instance number, or an opaque part.
    pub has_impure: bool,
    /// An opaque part, an unknown callee, or a value of unknown type that is not captured: it may be another one each
    /// time.
    pub has_unknown: bool,
    /// A captured value of unknown type, or anything whose type depends on one: one value wherever it is used, which
    /// Python knows and nobody here (`SEMANTICS: G1`).
    pub has_captured: bool,
    /// A `Let` or `Lambda`.
    pub has_binder: bool,
    /// Number of enclosing binders that the node needs: 0 when it is closed.
    pub open_binders: u32,
}

/// A node of the pool.
#[derive(Clone, Copy, Debug)]
pub struct Expr {
    /// Structure.
    pub kind: ExprKind,
    /// Type.
    pub ty: Type,
    /// The properties of the node and its operands.
    pub flags: ExprFlags,
    /// Number of nodes of the tree, saturating.
    pub size: u32,
}

impl Expr {
    /// A variable.
    #[inline]
    pub(crate) fn of_value(value: ValueId, ty: Type) -> Expr {
        let is_unknown = ty == Type::Unknown;
        let flags =
            ExprFlags { has_unknown: is_unknown, has_captured: is_unknown, ..ExprFlags::default() };
        Expr { kind: ExprKind::Value(value), ty, flags, size: 1 }
    }

    /// Variables, bound variables, constants, strings, buffer names: nothing to compute.
    #[inline]
    pub fn is_leaf(&self) -> bool {
        self.kind.is_leaf()
    }
    /// Integer and float constants.
    #[inline]
    pub fn is_constant(&self) -> bool {
        matches!(self.kind, ExprKind::Int(_) | ExprKind::Float(_))
    }
}

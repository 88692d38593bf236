#![doc = include_str!("../README.md")]

pub mod arena;
pub mod asserted;
pub mod attr;
pub mod body;
pub mod buffer;
pub mod choices;
pub mod dominators;
pub mod dtype;
pub mod effects;
pub mod expr;
pub mod fingerprint;
pub mod fold;
pub mod guard;
pub mod id_list;
mod interned;
pub mod intrinsic;
pub mod known_ops;
pub mod memory_scope;
pub mod minifloat;
pub mod occurrence;
pub mod operation;
pub mod plan;
pub mod print;
pub mod role;
mod scope_attr;
pub mod stack;
pub mod substitution;
mod team;
pub mod text;
pub mod thread_tag;
pub mod tile_access;
pub mod verify;
pub mod visibility;
pub mod walk;

pub use asserted::Asserted;
pub use attr::{Attr, AttrDict, SharedDict, noalias_key, spelling_key};
pub use body::{
    ALLOCATED_ALIAS, ATTRIBUTE_OF, BRACKETS, Body, Children, Dialect, LAUNCH_ATTR, METHOD_OF, NODE,
    OBJECT, OpRun, PART_OF, PLAIN_NAME, Param, SCOPE_AXIS, SCOPE_CALL, TRUTH, UNKNOWN_SHAPE,
    access_key,
};
pub use buffer::{Buffer, BufferOrigin, BufferRegion, RegionDim, ViewRoot, ViewStep};
pub use dtype::{DataType, DtypeSymbol, Lanes, Type, TypeCode};
pub use expr::{BinaryOp, BufferField, Callee, Expr, ExprFlags, ExprKind, UnaryOp};
pub use id_list::IdList;
pub use interrupt;
pub use intrinsic::Intrinsic;
pub use memory_scope::{MemoryScope, ScopeFamily};
pub use occurrence::{OccurrenceId, Occurrences};
pub use operation::{
    AllocKind, Block, ForKind, IterKind, IterVar, OpKind, Operation, Region, RegionKind, SBlock,
    Successor, Value, ValueKind,
};
pub use scope_attr::ScopeAttr;
pub use team::Team;
pub use thread_tag::{Dim, ThreadTag};

arena::define_ids! {
    /// A hash-consed expression of one [`Body`]: equal ids mean equal structure.
    ExprId,
    /// An interned list of expressions (indices, arguments, operands) of one [`Body`].
    ExprListId,
    /// An SSA value: parameter, loop variable, thread index, bound variable, MLIR result or block argument.
    ValueId,
    /// A buffer of one [`Body`].
    BufferId,
    /// An operation (TIR statement, MLIR or PIR operation).
    OpId,
    /// A block of operations.
    BlockId,
    /// A region: the list of blocks an operation owns.
    RegionId,
    /// The payload of a schedulable block (`T.sblock`).
    SBlockId,
    /// An interned text (names, strings) of one [`Body`].
    NameId,
    /// An interned attribute dictionary of one [`Body`].
    AttrDictId,
}

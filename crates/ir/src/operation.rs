//! Operations, regions, blocks and values.
//!
//! TIR statements, MLIR operations and PIR operations are all [`Operation`]s: a kind, operands (expressions), results
//! (values), regions, successors and attributes. The meaning of each operand of a kind is documented at the kind; their
//! order is the evaluation order. A structured TIR region has one block; a region of MLIR may have many.

use thin_vec::ThinVec;

use crate::{
    AttrDictId, BlockId, BufferId, BufferRegion, ExprId, ExprListId, IdList, NameId, OpId,
    RegionId, SBlockId, ThreadTag, Type, ValueId,
};

/// How a loop runs.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum ForKind {
    /// In order.
    Serial,
    /// Iterations are independent and may run at once.
    Parallel,
    /// Iterations are vector lanes.
    Vectorized,
    /// In order; to be unrolled.
    Unrolled,
    /// Iterations are threads of the tag.
    ThreadBinding(ThreadTag),
}

/// The spelling of an allocation, which decides where TVM keeps it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum AllocKind {
    /// `T.alloc_buffer`, `T.alloc_local`, `T.alloc_shared` of tirx: a statement, visible in the rest of its list.
    Flat,
    /// `T.sblock_alloc_buffer`; `T.alloc_buffer` of the legacy dialect: belongs to the enclosing block.
    SBlock,
    /// Legacy `T.allocate` with its buffer.
    Allocate,
    /// Legacy `T.allocate_const`.
    Const,
}

/// The kind of an operation. Operand order is evaluation order.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum OpKind {
    /// Operands `[min, extent]` or `[min, extent, step]`, evaluated once. One region; its block argument is the
    /// loop variable. Attributes: annotations.
    For(ForKind),
    /// Operands `[condition]`. Regions `[then]` or `[then, else]`.
    If,
    /// Operands `[condition]`, evaluated before every iteration. One region.
    While,
    /// A schedulable block. Operands: the binding of each iteration variable, then the predicate if there is one.
    /// Regions `[body]` or `[body, init]`; the iteration variables are the arguments of the body's block and are
    /// visible in `init` too.
    SBlock(SBlockId),
    /// Operands `[extent]`. One region: all that runs in the threads. The thread index is `var`: the region's block
    /// argument, or the result of an [`OpKind::EnvThread`].
    LaunchThread {
        /// `blockIdx.x`, `threadIdx.y`, `vthread.x` …
        tag: ThreadTag,
        /// The thread index.
        var: ValueId,
    },
    /// `tx = T.env_thread("threadIdx.x")`: names a thread index. One result.
    EnvThread(ThreadTag),
    /// `T.attr(node, key, value)`. Operands `[node, value]`; the node is not evaluated. One region.
    Attr(NameId),
    /// `T.attr({...})`: dictionary only, in the attributes. One region.
    AttrDict,
    /// Operands `[value, indices…]` and the predicate last if `predicated`. The value is evaluated before the indices,
    /// all before the write.
    Store {
        /// Buffer.
        buffer: BufferId,
        /// True if the last operand is a lane predicate.
        predicated: bool,
    },
    /// `x: T.let[...] = e`, `x = T.bind(e)`. Operands `[value]`, one result, visible in the rest of its block.
    /// A legacy `with T.LetStmt(e) as x` or `T.let` has a region that holds all that sees it.
    Bind,
    /// Fresh memory. Operands: [`crate::Buffer::operands`].
    Alloc {
        /// The buffer it makes.
        buffer: BufferId,
        /// Spelling.
        kind: AllocKind,
    },
    /// Names memory that exists (`T.decl_buffer`, `T.Buffer(data=)`, `.view`, `T.match_buffer`).
    /// Operands: [`crate::Buffer::operands`].
    DeclBuffer {
        /// The buffer it makes.
        buffer: BufferId,
    },
    /// A call for its effect. Operands `[expression]`.
    Evaluate,
    /// Operands `[condition]`; the error kind and message are attributes.
    Assert,
    /// Operands `[value]` or none.
    Return,
    /// `break`
    Break,
    /// `continue`
    Continue,
    /// A statement that is kept by its text only: it may do anything, and may define results. It may have regions
    /// (an unknown `with`), whose statements are lowered.
    Opaque(NameId),
    /// An operation of another language by its name (`arith.addi`): effects by the effects file.
    Named(NameId),
}

/// A target of a branch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Successor {
    /// Block.
    pub block: BlockId,
    /// Values of its arguments.
    pub args: ExprListId,
}

/// A statement or operation.
#[derive(Clone, Debug, PartialEq)]
pub struct Operation {
    /// The kind.
    pub kind: OpKind,
    /// Operands, by the kind.
    pub operands: IdList<ExprId>,
    /// Values it defines, visible after it in its block and in the blocks that its block dominates.
    pub results: IdList<ValueId>,
    /// Regions, in order.
    pub regions: ThinVec<RegionId>,
    /// Branch targets, for terminators.
    pub successors: ThinVec<Successor>,
    /// Attributes; id 0 for none.
    pub attrs: AttrDictId,
    /// The block it is in.
    pub parent: BlockId,
}

/// A block: arguments and operations in order.
#[derive(Clone, Debug, PartialEq)]
pub struct Block {
    /// Arguments (loop variable, iteration variables, phi-like values).
    pub args: IdList<ValueId>,
    /// Operations.
    pub ops: Vec<OpId>,
    /// The region it is in.
    pub parent: RegionId,
}

/// How the blocks of a region relate.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum RegionKind {
    /// Control flow; definitions dominate uses.
    Ssa,
    /// No order among operations.
    Graph,
}

/// A region: its blocks; the first is the entry.
#[derive(Clone, Debug, PartialEq)]
pub struct Region {
    /// Blocks.
    pub blocks: IdList<BlockId>,
    /// The owner; none for the body of the function.
    pub parent: Option<OpId>,
    /// Kind.
    pub kind: RegionKind,
}

/// The kind of a block iteration variable.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum IterKind {
    /// `T.axis.spatial`
    Spatial,
    /// `T.axis.reduce`
    Reduce,
    /// `T.axis.scan`
    Scan,
    /// `T.axis.opaque`
    Opaque,
}

/// An iteration variable of a schedulable block. Its binding is an operand of the block's operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IterVar {
    /// The variable (a block argument of the body).
    pub value: ValueId,
    /// Kind.
    pub kind: IterKind,
    /// First value of its domain; not evaluated.
    pub dom_min: ExprId,
    /// Extent of its domain; not evaluated.
    pub dom_extent: ExprId,
}

/// The payload of [`OpKind::SBlock`].
#[derive(Clone, Debug, PartialEq)]
pub struct SBlock {
    /// Name.
    pub name: NameId,
    /// Iteration variables, in order.
    pub iter_vars: Vec<IterVar>,
    /// True if the last operand is a `T.where` predicate.
    pub has_predicate: bool,
    /// `T.reads`, if written.
    pub reads: Option<Vec<BufferRegion>>,
    /// `T.writes`, if written.
    pub writes: Option<Vec<BufferRegion>>,
}

/// The definition of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ValueKind {
    /// A parameter of the function.
    Param(u32),
    /// A block argument: loop variable, iteration variable, thread index, MLIR block argument.
    BlockArg(BlockId, u32),
    /// A result of an operation.
    Result(OpId, u32),
    /// A symbol of the function's signature: a shape variable that calling binds (`n` in `T.Buffer((n,), …)`), or a
    /// declared free variable (`n = T.int64()`).
    Symbol,
    /// A name captured from outside the function; `Type::Unknown` when not resolved.
    Captured,
}

/// A value.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Value {
    /// Name as written; generated in a rewritten body.
    pub name: NameId,
    /// Type.
    pub ty: Type,
    /// Definition.
    pub kind: ValueKind,
    /// `T.int32(is_size_var=True)` and shape symbols: known not to be negative.
    pub is_size: bool,
}

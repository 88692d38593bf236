//! The result of the host/device split: kernels, the host's part, and the refused parts.
//!
//! Terms. A *root* is the memory behind a buffer (views and re-declarations share one). A *kernel* is one outermost
//! `launch_thread` nest. A *workspace* is global memory that the function itself allocates on the host.

pub(crate) mod access;
pub(crate) mod alignment;
pub(crate) mod allreduce;
pub(crate) mod barrier;
pub(crate) mod bound;
pub mod bounds;
pub mod host;
pub(crate) mod index_width;
pub(crate) mod split;
pub(crate) mod sync;

use ir::{Body, BufferId, DataType, ExprId, OpId, ValueId};
use rules::Reason;
use rustc_hash::FxHashMap;

use lower::Origins;

use self::host::HostExpr;

/// The kernels of one function.
#[derive(Clone, Debug)]
pub struct KernelSet {
    /// The function, with reductions and barriers of its kernels made explicit.
    pub body: Body,
    /// The kernels, in program order.
    pub kernels: Vec<Kernel>,
    /// The steps of the host, in order.
    pub host: Vec<HostStep>,
    /// Global memory the host allocates, in order.
    pub workspaces: Vec<Workspace>,
    /// Parameters of the function, in order.
    pub params: Vec<FunctionParam>,
    /// Shape variables and other symbols that expressions of the host name, in order of first use.
    pub symbols: Vec<Symbol>,
    /// The reason why the function has no device code; empty when it has. Then `kernels` and `host` are empty.
    pub unsupported: Vec<Unsupported>,
    /// The origins of the operations that the source function did not have.
    pub origins: Origins,
}

/// The kernels of a function and what the host does around them; the fields are those of [`KernelSet`].
#[derive(Default)]
pub(crate) struct Split {
    pub(crate) kernels: Vec<Kernel>,
    pub(crate) host: Vec<HostStep>,
    pub(crate) workspaces: Vec<Workspace>,
    pub(crate) params: Vec<FunctionParam>,
    pub(crate) symbols: Vec<Symbol>,
    pub(crate) origins: Origins,
}

impl KernelSet {
    /// A function, and what it was split into.
    pub(crate) fn new(body: Body, split: Split) -> KernelSet {
        let Split { kernels, host, workspaces, params, symbols, origins } = split;
        let unsupported = Vec::new();
        KernelSet { body, kernels, host, workspaces, params, symbols, unsupported, origins }
    }
}

/// One reason why a function has no device code.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Unsupported {
    /// Name of the function.
    pub function: String,
    /// The reason.
    pub reason: Reason,
    /// Words for a person.
    pub detail: String,
    /// The operation concerned.
    pub op: Option<OpId>,
}

/// A refusal inside this crate, before the function's name is joined.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Refusal {
    /// The reason.
    pub reason: Reason,
    /// Words for a person.
    pub detail: String,
    /// The operation concerned.
    pub op: Option<OpId>,
}

impl Refusal {
    pub(crate) fn new(reason: Reason, detail: impl Into<String>) -> Refusal {
        Refusal { reason, detail: detail.into(), op: None }
    }
    /// Converts a refusal of the lowering.
    pub(crate) fn of_lowering(it: barriers::refusal::LowerRefusal) -> Refusal {
        Refusal { reason: it.reason, detail: it.detail, op: it.op }
    }
    pub(crate) fn at(self, op: OpId) -> Refusal {
        Refusal { op: self.op.or(Some(op)), ..self }
    }
}

/// Results of this crate's analyses: refusing is the only failure.
pub(crate) type Result<T> = std::result::Result<T, Refusal>;

/// The six thread axes of a launch.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Axis {
    /// `blockIdx.x`
    BlockX,
    /// `blockIdx.y`
    BlockY,
    /// `blockIdx.z`
    BlockZ,
    /// `threadIdx.x`
    ThreadX,
    /// `threadIdx.y`
    ThreadY,
    /// `threadIdx.z`
    ThreadZ,
}

impl Axis {
    /// All of them, in the order of a launch configuration.
    pub const ALL: [Axis; 6] =
        [Axis::BlockX, Axis::BlockY, Axis::BlockZ, Axis::ThreadX, Axis::ThreadY, Axis::ThreadZ];

    /// The axis of a thread tag.
    pub fn of_tag(tag: ir::ThreadTag) -> Option<Axis> {
        tag.launch_index().map(|at| Axis::ALL[at])
    }
    /// TVM's tag.
    pub fn tag(self) -> &'static str {
        match self {
            Axis::BlockX => "blockIdx.x",
            Axis::BlockY => "blockIdx.y",
            Axis::BlockZ => "blockIdx.z",
            Axis::ThreadX => "threadIdx.x",
            Axis::ThreadY => "threadIdx.y",
            Axis::ThreadZ => "threadIdx.z",
        }
    }
    /// Returns true if the axis distinguishes threads of one block.
    pub fn is_thread(self) -> bool {
        self >= Axis::ThreadX
    }
    /// 0, 1, 2 for x, y, z.
    pub fn dim(self) -> usize {
        self as usize % 3
    }
}

/// The extent of a thread axis.
#[derive(Clone, Debug)]
pub struct LaunchDim {
    /// Axis.
    pub axis: Axis,
    /// Extent as the program writes it.
    pub expr: ExprId,
    /// Extent in terms of the function's arguments.
    pub extent: HostExpr,
}

impl LaunchDim {
    /// The extent, if it is a constant.
    pub fn fixed(&self) -> Option<i64> {
        self.extent.as_int()
    }
}

/// The memory behind a buffer.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Root {
    /// A buffer parameter of the function.
    Param(BufferId),
    /// A pointer parameter without a buffer of its own.
    Handle(ValueId),
    /// Memory that an operation allocates: a workspace, shared or local memory.
    Alloc(BufferId),
}

/// The place where allocated memory of a kernel lives.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Space {
    /// Device memory.
    Global,
    /// Memory of a block.
    Shared,
    /// Memory of a block, sized at the launch.
    SharedDyn,
    /// Memory of a thread.
    Local,
}

/// One parameter of a kernel.
#[derive(Clone, Debug)]
pub enum KernelParam {
    /// A pointer to a root.
    Pointer(Root),
    /// A scalar computed on the host.
    Scalar {
        /// The value the kernel uses.
        value: ScalarSource,
        /// Its type.
        dtype: DataType,
        /// Its definition in terms of the function's arguments.
        host: HostExpr,
    },
}

/// The meaning of a scalar parameter in the body.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum ScalarSource {
    /// A parameter, shape variable, host binding or host loop variable.
    Value(ValueId),
    /// A property of a buffer (`A.elem_offset`), by its expression.
    Field(ExprId),
}

/// How the kernel uses a root.
#[derive(Clone, Debug)]
pub struct RootUse {
    /// The root.
    pub root: Root,
    /// The place where it lives.
    pub space: Space,
    /// Element types it is accessed as, in order of first use.
    pub dtypes: Vec<DataType>,
    /// True if the kernel writes it.
    pub written: bool,
    /// True if an instruction gets a pointer to it.
    pub has_pointer: bool,
}

/// One kernel: an outermost `launch_thread` nest.
#[derive(Clone, Debug)]
pub struct Kernel {
    /// The outermost `launch_thread`.
    pub op: OpId,
    /// Its number in the function.
    pub index: usize,
    /// Parameters, in order: the function's own first, then by first use.
    pub params: Vec<KernelParam>,
    /// Thread axes in the order of [`Axis::ALL`]; missing ones have extent 1.
    pub launch: Vec<LaunchDim>,
    /// The axes of thread index variables; `None` for an axis of extent 1 that is no hardware axis.
    pub thread_vars: FxHashMap<ValueId, Option<Axis>>,
    /// Memory used, in order of first use.
    pub roots: Vec<RootUse>,
    /// True if pointer parameters are promised not to overlap.
    pub noalias: bool,
}

impl Kernel {
    /// The use of a root.
    pub fn root_use(&self, root: Root) -> Option<&RootUse> {
        self.roots.iter().find(|it| it.root == root)
    }
    /// The extent of an axis, if it is used.
    pub fn dim(&self, axis: Axis) -> Option<&LaunchDim> {
        self.launch.iter().find(|it| it.axis == axis)
    }
    /// Threads of a block, if all extents are constants.
    pub fn block_threads(&self) -> Option<i64> {
        self.launch
            .iter()
            .filter(|it| it.axis.is_thread())
            .try_fold(1i64, |product, it| product.checked_mul(it.fixed()?))
    }
}

/// A step of the host.
#[derive(Clone, Debug)]
pub enum HostStep {
    /// Launch a kernel, by its index. Nothing is launched if an extent is not positive.
    Launch(usize),
    /// A loop around launches.
    Loop {
        /// The variable.
        var: ValueId,
        /// First value.
        min: HostExpr,
        /// Number of iterations.
        extent: HostExpr,
        /// The repeated steps.
        steps: Vec<HostStep>,
    },
    /// A condition around launches.
    If {
        /// The condition.
        condition: HostExpr,
        /// If it holds.
        then: Vec<HostStep>,
        /// If not.
        otherwise: Vec<HostStep>,
    },
    /// The host must stop with an error unless this holds.
    Assert(HostExpr),
}

/// Global memory that the host allocates for the time of the call.
#[derive(Clone, Debug)]
pub struct Workspace {
    /// The buffer.
    pub buffer: BufferId,
    /// Element type.
    pub dtype: DataType,
    /// Number of elements.
    pub elements: HostExpr,
}

/// A parameter of the function.
#[derive(Clone, Debug)]
pub struct FunctionParam {
    /// The scalar or handle.
    pub value: ValueId,
    /// The buffer behind it.
    pub buffer: Option<BufferId>,
    /// Element type, or the scalar's own.
    pub dtype: DataType,
    /// Extents of the buffer.
    pub shape: Vec<HostExpr>,
}

/// A symbol that host expressions name.
#[derive(Clone, Debug)]
pub struct Symbol {
    /// Name in host expressions.
    pub name: String,
    /// Type.
    pub dtype: DataType,
    /// The source of its value.
    pub source: SymbolSource,
}

/// The source of a symbol's value.
#[derive(Clone, Debug)]
pub enum SymbolSource {
    /// The scalar parameter of this number.
    Param(usize),
    /// An extent of the buffer of a parameter.
    Shape {
        /// Parameter number.
        param: usize,
        /// Dimension.
        dim: usize,
    },
    /// A stride of the buffer of a parameter, in elements.
    Stride {
        /// Parameter number.
        param: usize,
        /// Dimension.
        dim: usize,
    },
    /// The offset of the buffer of a parameter, in elements.
    ElemOffset {
        /// Parameter number.
        param: usize,
    },
    /// The variable of a loop of the host.
    Loop,
}

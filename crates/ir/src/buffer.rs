//! Buffers and regions of buffers.

use crate::{AttrDictId, DataType, ExprId, NameId};

/// Where a buffer's memory comes from. Two buffers may share memory only as this says (and, without `noalias`,
/// through parameters).
#[derive(Clone, Debug, PartialEq)]
pub enum BufferOrigin {
    /// `A: T.Buffer(...)`: the parameter itself.
    Param,
    /// `A = T.match_buffer(a, ...)` of a handle.
    Match {
        /// The handle.
        handle: ExprId,
    },
    /// `T.match_buffer(A[0:16, j], ...)` in a block: a view of part of another buffer.
    MatchRegion(BufferRegion),
    /// Fresh memory, by an allocation operation.
    Alloc,
    /// `T.decl_buffer(..., data=p)` or legacy `T.Buffer(..., data=p)`: a view of what `p` points to. Without `data`
    /// (`None`) it declares a buffer whose pointer comes from elsewhere.
    Decl {
        /// The pointer.
        data: Option<ExprId>,
    },
    /// `B = A.view(...)`, `.local(...)`, `.permute(...)`: a view of `source`.
    View {
        /// The buffer whose memory it shows.
        source: crate::BufferId,
        /// Method name as written.
        method: NameId,
    },
    /// A mutable scalar of the `tirx` dialect (`x = e`): one local element, read by name.
    Cell,
}

/// A buffer: a typed, shaped view of memory.
#[derive(Clone, Debug, PartialEq)]
pub struct Buffer {
    /// Name as written.
    pub name: NameId,
    /// Element type.
    pub dtype: DataType,
    /// Extents, outermost first.
    pub shape: Vec<ExprId>,
    /// Strides in elements; `None` is compact row-major.
    pub strides: Option<Vec<ExprId>>,
    /// Offset of element 0 from the data pointer, in elements.
    pub elem_offset: Option<ExprId>,
    /// Storage scope: `global` (or empty), `shared`, `shared.dyn`, `local`, `warp`, `wmma.matrix_a` …
    pub scope: NameId,
    /// Where the memory comes from.
    pub origin: BufferOrigin,
    /// `align=`, `offset_factor=`, `axis_separators=`, `layout=`, `buffer_type=`, `annotations=`, and the arguments
    /// of a view, as written.
    pub attrs: AttrDictId,
}

impl Buffer {
    /// Whether it is a mutable scalar of the `tirx` dialect.
    pub fn is_cell(&self) -> bool {
        matches!(self.origin, BufferOrigin::Cell)
    }

    /// The expressions that are evaluated where the buffer is made, in the order of its operation's operands:
    /// shape, strides, element offset, data pointer or handle.
    pub fn operands(&self) -> impl Iterator<Item = ExprId> + '_ {
        let pointer = match &self.origin {
            BufferOrigin::Match { handle } => Some(*handle),
            BufferOrigin::Decl { data } => *data,
            _ => None,
        };
        self.shape
            .iter()
            .copied()
            .chain(self.strides.iter().flatten().copied())
            .chain(self.elem_offset)
            .chain(pointer)
    }
}

/// One dimension of a region.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RegionDim {
    /// One index.
    Point(ExprId),
    /// `lower:upper:step`; a missing bound is the buffer's own.
    Slice {
        /// First.
        lower: Option<ExprId>,
        /// Past the last.
        upper: Option<ExprId>,
        /// Step.
        step: Option<ExprId>,
    },
}

/// `A[0:16, j]`
#[derive(Clone, Debug, PartialEq)]
pub struct BufferRegion {
    /// Buffer.
    pub buffer: crate::BufferId,
    /// One entry a dimension.
    pub dims: Vec<RegionDim>,
}

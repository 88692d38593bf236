//! Buffers and regions of buffers.

use crate::{AttrDictId, DataType, ExprId, MemoryScope, NameId};

/// The place where a buffer's memory comes from. This is the only way for two buffers to share memory (and, without
/// `noalias`, parameters may overlap).
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
    /// `T.decl_buffer(..., data=p)` or legacy `T.Buffer(..., data=p)`: a view of the memory behind `p`. Without `data`
    /// (`None`) it is fresh memory, as of an allocation.
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

/// The memory of a buffer, as one step towards its root.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum ViewStep<'a> {
    /// Its own: a parameter, an allocation, or a declaration without a pointer.
    Own,
    /// The memory of another buffer, whose elements it shows by a method.
    View(crate::BufferId, NameId),
    /// Part of that of another buffer.
    Region(&'a BufferRegion),
    /// The memory behind the data pointer of another buffer.
    Data(crate::BufferId),
    /// The memory behind any other pointer.
    Pointer(ExprId),
}

/// The place where a chain of views ends.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ViewRoot {
    /// At a buffer with memory of its own.
    Buffer(crate::BufferId),
    /// At a buffer that shows memory behind a pointer that is no buffer's data pointer.
    Pointer(crate::BufferId, ExprId),
}

impl crate::Body {
    /// Returns the memory of a buffer: one step towards its root.
    pub fn view_step(&self, buffer: crate::BufferId) -> ViewStep<'_> {
        match &self.buffers[buffer].origin {
            BufferOrigin::Param
            | BufferOrigin::Match { .. }
            | BufferOrigin::Alloc
            | BufferOrigin::Cell
            | BufferOrigin::Decl { data: None } => ViewStep::Own,
            BufferOrigin::View { source, method } => ViewStep::View(*source, *method),
            BufferOrigin::MatchRegion(region) => ViewStep::Region(region),
            BufferOrigin::Decl { data: Some(pointer) } => match self.expr(*pointer).kind {
                crate::ExprKind::BufferField(owner, crate::BufferField::Data) => {
                    ViewStep::Data(owner)
                }
                _ => ViewStep::Pointer(*pointer),
            },
        }
    }

    /// Returns true if a buffer begins at an offset that is a variable of its own (`offset_factor=` without
    /// `elem_offset=`).
    pub fn has_free_offset(&self, buffer: &Buffer) -> bool {
        let is_free = |(key, value): &(Box<str>, crate::Attr)| {
            &**key == "offset_factor" && !matches!(value, crate::Attr::Int(0, _))
        };
        buffer.elem_offset.is_none() && self.dict(buffer.attrs).iter().any(is_free)
    }

    /// The same with allocations for declarations without a pointer; none where there are no such declarations.
    /// Operations keep their ids.
    pub fn with_declared_memory(&self) -> Option<crate::Body> {
        let is_fresh = |body: &crate::Body, op: crate::OpId| match body.ops[op].kind {
            crate::OpKind::DeclBuffer { buffer } => {
                let is_it = body.buffers[buffer].origin == (BufferOrigin::Decl { data: None });
                is_it.then_some(buffer)
            }
            _ => None,
        };
        let fresh: Vec<_> =
            self.ops_preorder().filter_map(|op| Some((op, is_fresh(self, op)?))).collect();
        if fresh.is_empty() {
            return None;
        }
        let mut body = self.clone();
        for (op, buffer) in fresh {
            body.buffers[buffer].origin = BufferOrigin::Alloc;
            body.ops[op].kind = crate::OpKind::Alloc { buffer, kind: crate::AllocKind::Flat };
        }
        Some(body)
    }

    /// The memory behind a buffer, through views of every kind. Buffers that would show each other in a circle are
    /// their own.
    pub fn view_root(&self, buffer: crate::BufferId) -> ViewRoot {
        let mut at = buffer;
        // A chain of views is no longer than there are buffers.
        for _ in 0..=self.buffers.len() {
            at = match self.view_step(at) {
                ViewStep::Own => return ViewRoot::Buffer(at),
                ViewStep::Pointer(pointer) => return ViewRoot::Pointer(at, pointer),
                ViewStep::View(source, _) | ViewStep::Data(source) => source,
                ViewStep::Region(region) => region.buffer,
            };
        }
        ViewRoot::Buffer(buffer)
    }
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
    /// In which memory it lies.
    pub scope: MemoryScope,
    /// The place where the memory comes from.
    pub origin: BufferOrigin,
    /// `align=`, `offset_factor=`, `axis_separators=`, `layout=`, `buffer_type=`, `annotations=`, and the arguments
    /// of a view, as written.
    pub attrs: AttrDictId,
}

impl Buffer {
    /// Returns true if the buffer is a mutable scalar of the `tirx` dialect.
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

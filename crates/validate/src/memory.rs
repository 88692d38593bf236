//! Which buffers share memory, and how it is written in the logic.
//!
//! A *class* is memory that some buffers show. A class that only one buffer shows, element by element, is an array by
//! the indices of that buffer: accesses in bounds of other indices are other elements. Any other class (views of
//! another shape or type, vectors, parameters that may overlap by `SEMANTICS: M4`) is a value of which only congruence
//! is known: equal stores to equal memory give equal memory, equal loads of equal memory give equal values. That is
//! less than what holds, so a proof by it is one.

use ir::{
    Body, BufferField, BufferId, BufferOrigin, ExprKind, Lanes, OpKind, ScopeFamily, Type,
    ViewRoot, arena::Id as _, noalias_key,
};

/// A class of memory: the buffer that stands for it.
pub(crate) type ClassId = BufferId;

/// One class.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Class {
    /// True if it is an array by the indices of its only buffer.
    pub(crate) is_array: bool,
    /// True if only the thread that runs the function can reach it: allocated here, and its address stays here.
    pub(crate) is_private: bool,
    /// True if it is gone when the function ends.
    pub(crate) is_allocated: bool,
}

/// The classes of the buffers of both functions, which have the same ids.
#[derive(Debug)]
pub(crate) struct Memory {
    of: Vec<Option<ClassId>>,
    classes: Vec<Option<Class>>,
}

impl Memory {
    /// Finds the classes. Linear in both functions.
    pub(crate) fn of(before: &Body, after: &Body) -> Memory {
        let n = before.buffers.len().max(after.buffers.len());
        let table = |id: BufferId| {
            if id.index() < before.buffers.len() { before } else { after }
        };
        let mut of = vec![None; n];
        let mut shared: Option<ClassId> = None;
        let no_alias = before.func_attr(noalias_key(before.dialect)).is_some();
        let mut handles: Vec<(ir::ExprId, ClassId)> = Vec::new();
        for (at, slot) in of.iter_mut().enumerate() {
            let id = BufferId::new(at);
            let body = table(id);
            if body.buffers[id].is_cell() {
                continue;
            }
            let root = match body.view_root(id) {
                ViewRoot::Buffer(root) => match &body.buffers[root].origin {
                    BufferOrigin::Alloc | BufferOrigin::Decl { data: None } => Some(root),
                    BufferOrigin::Match { handle } if no_alias => {
                        Some(first_of(&mut handles, *handle, root))
                    }
                    BufferOrigin::Param if no_alias => Some(root),
                    _ => None,
                },
                ViewRoot::Pointer(buffer, pointer) => {
                    let is_parameter = matches!(body.expr(pointer).kind, ExprKind::Value(value)
                        if matches!(body.values[value].kind, ir::ValueKind::Param(_)));
                    if !is_parameter {
                        // It may point anywhere: all memory is one.
                        return Memory::one(n, id, before, after);
                    }
                    no_alias.then(|| first_of(&mut handles, pointer, buffer))
                }
            };
            let class = root.unwrap_or_else(|| *shared.get_or_insert(id));
            *slot = Some(class);
        }
        let mut memory = Memory { of, classes: vec![None; n] };
        memory.describe(before, after, shared);
        memory
    }

    fn one(n: usize, class: ClassId, before: &Body, after: &Body) -> Memory {
        let is_cell = |at: &usize| {
            let id = BufferId::new(*at);
            let body = if *at < before.buffers.len() { before } else { after };
            body.buffers[id].is_cell()
        };
        let of = (0..n).map(|at| (!is_cell(&at)).then_some(class)).collect();
        let mut memory = Memory { of, classes: vec![None; n] };
        memory.describe(before, after, Some(class));
        memory
    }

    fn describe(&mut self, before: &Body, after: &Body, shared: Option<ClassId>) {
        let n = self.of.len();
        let mut n_buffers = vec![0usize; n];
        for class in self.of.iter().flatten() {
            n_buffers[class.index()] += 1;
        }
        let mut is_plain = vec![true; n];
        let mut is_private = vec![true; n];
        for body in [before, after] {
            for (id, buffer) in body.buffers.iter() {
                let Some(class) = self.of[id.index()] else { continue };
                let is_local = buffer.scope.family() == ScopeFamily::Thread
                    || matches!(buffer.origin, BufferOrigin::Alloc) && !has_threads(body);
                let is_own = matches!(
                    buffer.origin,
                    BufferOrigin::Alloc | BufferOrigin::Decl { data: None }
                );
                is_private[class.index()] &= is_local && is_own;
                is_plain[class.index()] &= buffer.strides.is_none() && is_scalar(buffer.dtype);
            }
            for (_, expr) in body.exprs() {
                if let ExprKind::Call { args, .. } = expr.kind {
                    // An element that is given to a call may be meant as a place.
                    for &arg in body.items(args) {
                        if let ExprKind::Load { buffer, .. } = body.expr(arg).kind
                            && let Some(class) = self.of[buffer.index()]
                        {
                            is_private[class.index()] = false;
                        }
                    }
                }
                let (id, escapes, is_whole) = match expr.kind {
                    ExprKind::Load { buffer, predicate, .. } => {
                        let is_element = expr.ty == Type::Prim(body.buffers[buffer].dtype);
                        (buffer, false, predicate.is_some() || !is_element)
                    }
                    ExprKind::BufferField(buffer, BufferField::Data)
                    | ExprKind::Buffer(buffer)
                    | ExprKind::Region(buffer, _) => (buffer, true, false),
                    _ => continue,
                };
                let Some(class) = self.of[id.index()] else { continue };
                is_private[class.index()] &= !escapes;
                is_plain[class.index()] &= !is_whole;
            }
            for (_, op) in body.ops.iter() {
                if let OpKind::Store { buffer, predicated } = op.kind
                    && let Some(class) = self.of[buffer.index()]
                {
                    let value = op.operands.first().map(|&it| body.ty(it));
                    let is_element = value == Some(Type::Prim(body.buffers[buffer].dtype));
                    is_plain[class.index()] &= !predicated && is_element;
                }
            }
        }
        for at in 0..n {
            let Some(class) = self.of[at] else { continue };
            let at = class.index();
            let body = if at < before.buffers.len() { before } else { after };
            let is_shared = shared == Some(class);
            let is_allocated = !is_shared
                && matches!(
                    body.buffers[class].origin,
                    BufferOrigin::Alloc | BufferOrigin::Decl { data: None }
                );
            self.classes[at] = Some(Class {
                is_array: is_plain[at] && n_buffers[at] == 1,
                is_private: is_private[at] && is_allocated,
                is_allocated,
            });
        }
    }

    /// The class of a buffer that is no scalar.
    pub(crate) fn class(&self, buffer: BufferId) -> Option<ClassId> {
        self.of.get(buffer.index()).copied().flatten()
    }
    pub(crate) fn describes(&self, class: ClassId) -> Class {
        self.classes[class.index()].unwrap_or(Class {
            is_array: false,
            is_private: false,
            is_allocated: false,
        })
    }
    /// All classes, by their buffers.
    pub(crate) fn all(&self) -> impl Iterator<Item = ClassId> + '_ {
        let ids = (0..self.classes.len()).filter(|&at| self.classes[at].is_some());
        ids.map(BufferId::new)
    }
}

fn first_of(known: &mut Vec<(ir::ExprId, ClassId)>, pointer: ir::ExprId, id: ClassId) -> ClassId {
    if let Some((_, class)) = known.iter().find(|it| it.0 == pointer) {
        return *class;
    }
    known.push((pointer, id));
    id
}

fn is_scalar(dtype: ir::DataType) -> bool {
    dtype.lanes == Lanes::Fixed(1)
}

fn has_threads(body: &Body) -> bool {
    body.ops.iter().any(|(_, op)| {
        matches!(op.kind, OpKind::LaunchThread { .. })
            || matches!(op.kind, OpKind::For(ir::ForKind::ThreadBinding(_) | ir::ForKind::Parallel))
    })
}

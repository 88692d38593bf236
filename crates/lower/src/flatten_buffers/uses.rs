//! How the buffers of a function are used: by elements, as a whole, or by their shape.
//!
//! In: a body. Out: the facts that decide whether a buffer can be flattened. Each node is looked at once.

use ir::{AllocKind, Body, BufferField, BufferId, BufferOrigin, ExprKind, OpKind, arena::Id as _};

/// By buffer: how it is used.
pub(super) struct Uses {
    /// By loads and stores with as many indices as it has dimensions.
    pub(super) is_accessed: Vec<bool>,
    /// As a whole, or with its shape.
    pub(super) is_whole: Vec<bool>,
    /// By its extents, strides or offset.
    pub(super) has_fields: Vec<bool>,
}

impl Uses {
    pub(super) fn of(body: &Body) -> Uses {
        let n = body.buffers.len();
        let mut uses = Uses {
            is_accessed: vec![false; n],
            is_whole: vec![false; n],
            has_fields: vec![false; n],
        };
        let mut seen = vec![false; body.n_exprs()];
        for op in body.ops_preorder() {
            let data = &body.ops[op];
            // The data of a constant has the shape that it is written with.
            if let OpKind::Alloc { buffer, kind: AllocKind::Const } = data.kind {
                uses.is_whole[buffer.index()] = true;
            }
            if let OpKind::Store { buffer, predicated } = data.kind {
                uses.access(body, buffer, data.operands.len() - 1 - usize::from(predicated));
            }
            // Parts that passes took out are no buffers any more.
            if let OpKind::DeclBuffer { buffer } = data.kind {
                match &body.buffers[buffer].origin {
                    BufferOrigin::View { source, method } if body.name(*method) != "view" => {
                        uses.is_whole[source.index()] = true;
                    }
                    BufferOrigin::MatchRegion(part) => uses.is_whole[part.buffer.index()] = true,
                    _ => {}
                }
            }
            let mut stack = data.operands.to_vec();
            while let Some(at) = stack.pop() {
                if std::mem::replace(&mut seen[at.index()], true) {
                    continue;
                }
                let kind = body.expr(at).kind;
                match kind {
                    ExprKind::Load { buffer, indices, .. } => {
                        uses.access(body, buffer, body.items(indices).len());
                    }
                    ExprKind::Buffer(buffer) | ExprKind::Region(buffer, _) => {
                        uses.is_whole[buffer.index()] = true;
                    }
                    ExprKind::BufferField(buffer, field) if field != BufferField::Data => {
                        uses.has_fields[buffer.index()] = true;
                    }
                    _ => {}
                }
                body.each_child(kind, &mut |child| stack.push(child));
            }
        }
        uses
    }

    fn access(&mut self, body: &Body, buffer: BufferId, n_indices: usize) {
        self.is_accessed[buffer.index()] = true;
        self.is_whole[buffer.index()] |= n_indices != body.buffers[buffer].shape.len();
    }
}

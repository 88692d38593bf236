//! The memory that operations name.

use ir::{Body, BufferId, ExprKind, OpId, OpKind, ViewRoot};

/// The buffer whose memory a buffer shows.
pub(super) fn root(body: &Body, buffer: BufferId) -> BufferId {
    match body.view_root(buffer) {
        ViewRoot::Buffer(root) | ViewRoot::Pointer(root, _) => root,
    }
}

/// Calls `visit` for each buffer that an operation itself names.
pub(super) fn touches(body: &Body, op: OpId, visit: &mut dyn FnMut(BufferId)) {
    let data = &body.ops[op];
    match data.kind {
        OpKind::Store { buffer, .. } | OpKind::DeclBuffer { buffer } => visit(buffer),
        _ => {}
    }
    let mut stack = data.operands.to_vec();
    while let Some(at) = stack.pop() {
        let kind = body.expr(at).kind;
        match kind {
            ExprKind::Load { buffer, .. }
            | ExprKind::BufferField(buffer, _)
            | ExprKind::Buffer(buffer)
            | ExprKind::Region(buffer, _) => visit(buffer),
            _ => {}
        }
        body.each_child(kind, &mut |child| stack.push(child));
    }
}

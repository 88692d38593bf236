//! The order of operands: by structure, and variables as they were declared. No id of a node plays a part, so it is the
//! same however the nodes came to be.
//!
//! Smaller expressions stand before larger ones, and constants last of all. Of two of one size the first operand that
//! differs decides; equal operands are one node, so a comparison goes down one path, at most [`MOST_DEPTH`] nodes.

use std::cmp::Ordering;

use ir::{Body, Callee, ExprId, ExprKind};

/// Nodes on the way to a difference. Beyond, the node that was made first is first.
const MOST_DEPTH: usize = 64;

/// Returns the order of two operands.
pub(super) fn compare(body: &Body, a: ExprId, b: ExprId) -> Ordering {
    let (mut a, mut b) = (a, b);
    for _ in 0..MOST_DEPTH {
        if a == b {
            return Ordering::Equal;
        }
        let (x, y) = (body.expr(a), body.expr(b));
        let order = x.is_constant().cmp(&y.is_constant());
        let order = order.then(x.size.cmp(&y.size)).then_with(|| own(body, &x.kind, &y.kind));
        if order.is_ne() {
            return order;
        }
        let (left, right) = (body.children(a), body.children(b));
        match left.iter().zip(right.iter()).find(|it| it.0 != it.1) {
            Some((&p, &q)) => (a, b) = (p, q),
            // One may have more of them, or another type.
            None => {
                let types = || format!("{:?}", x.ty).cmp(&format!("{:?}", y.ty));
                return left.len().cmp(&right.len()).then_with(types).then(a.cmp(&b));
            }
        }
    }
    a.cmp(&b)
}

/// By the nodes alone, without their operands.
fn own(body: &Body, a: &ExprKind, b: &ExprKind) -> Ordering {
    let by_kind = rank(a).cmp(&rank(b));
    by_kind.then_with(|| match (a, b) {
        (ExprKind::Value(a), ExprKind::Value(b)) => a.cmp(b),
        (ExprKind::Bound(a), ExprKind::Bound(b)) => a.cmp(b),
        (ExprKind::Int(a), ExprKind::Int(b)) => a.cmp(b),
        (ExprKind::Float(a), ExprKind::Float(b)) => a.cmp(b),
        (ExprKind::Str(a), ExprKind::Str(b)) => body.name(*a).cmp(body.name(*b)),
        (ExprKind::Binary(a, ..), ExprKind::Binary(b, ..)) => a.cmp(b),
        (ExprKind::Unary(a, _), ExprKind::Unary(b, _)) => a.cmp(b),
        (ExprKind::Load { buffer: a, .. }, ExprKind::Load { buffer: b, .. })
        | (ExprKind::Region(a, _), ExprKind::Region(b, _))
        | (ExprKind::Buffer(a), ExprKind::Buffer(b)) => a.cmp(b),
        (ExprKind::BufferField(a, x), ExprKind::BufferField(b, y)) => (a, x).cmp(&(b, y)),
        (
            ExprKind::Call { callee: a, instance: i, .. },
            ExprKind::Call { callee: b, instance: j, .. },
        ) => callee(body, *a).cmp(&callee(body, *b)).then(i.cmp(j)),
        (ExprKind::Opaque { instance: a, .. }, ExprKind::Opaque { instance: b, .. }) => a.cmp(b),
        _ => Ordering::Equal,
    })
}

fn callee(body: &Body, callee: Callee) -> (u32, &str) {
    match callee {
        Callee::Intrinsic(name, _) => (0, body.name(name)),
        Callee::Function(name) => (1, body.name(name)),
        Callee::Unknown(name) => (2, body.name(name)),
    }
}

fn rank(kind: &ExprKind) -> u32 {
    match kind {
        ExprKind::Value(_) => 0,
        ExprKind::Bound(_) => 1,
        ExprKind::BufferField(..) => 2,
        ExprKind::Buffer(_) => 3,
        ExprKind::Str(_) => 4,
        ExprKind::Binary(..) => 5,
        ExprKind::Unary(..) => 6,
        ExprKind::Cast(_) => 7,
        ExprKind::Select(..) => 8,
        ExprKind::Load { .. } => 9,
        ExprKind::IfThenElse(..) => 10,
        ExprKind::Call { .. } => 10,
        ExprKind::Ramp { .. } => 11,
        ExprKind::Broadcast { .. } => 12,
        ExprKind::Shuffle { .. } => 13,
        ExprKind::Let { .. } => 14,
        ExprKind::Lambda { .. } => 15,
        ExprKind::Tuple(_) => 16,
        ExprKind::Region(..) => 17,
        ExprKind::Slice { .. } => 18,
        ExprKind::Opaque { .. } => 19,
        ExprKind::Int(_) => 20,
        ExprKind::Float(_) => 21,
    }
}

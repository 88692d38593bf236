//! Binders around expressions: the nesting depth of an occurrence, and the form of a node at another depth.
//!
//! A node names the variable of a let by the number of binders between. So one value has another node at each depth,
//! and one node is another value in each let: an expression that leaves lets is *renumbered*. In: occurrences, nodes,
//! depths counted from the operand. Linear in the occurrences, or in the nodes with free bound variables in them.

use ir::{Body, ExprId, ExprKind, Occurrences, arena::Id};
use rustc_hash::FxHashMap;

use super::Work;

/// By occurrence: the binders around it in its operand.
pub(super) fn depths(body: &Body, occurrences: &Occurrences) -> Vec<u32> {
    let mut depths: Vec<u32> = Vec::with_capacity(occurrences.len());
    for (id, it) in occurrences.iter() {
        let depth = it.parent.map_or(0, |parent| {
            let is_first = id.index() == parent.index() + 1;
            depths[parent.index()] + added(body.expr(occurrences[parent].expr).kind, is_first)
        });
        depths.push(depth);
    }
    depths
}

/// The binders that a node puts around one of its operands. The value of a let is its first one, and outside of it.
pub(super) fn added(kind: ExprKind, is_first: bool) -> u32 {
    match kind {
        ExprKind::Let { .. } => u32::from(!is_first),
        ExprKind::Lambda { params, .. } => params,
        _ => 0,
    }
}

/// The replacement of a bound variable that is free in the root: given its node, its number, and the number of binders
/// inside the root around it. `None` if the variable stays.
pub(super) type OfFree<'a> = &'a mut dyn FnMut(&mut Body, ExprId, u32, u32) -> Option<ExprId>;

/// The expression with its free bound variables renumbered.
pub(super) fn renumber(
    body: &mut Body,
    root: ExprId,
    of_free: OfFree<'_>,
    work: &mut Work,
) -> ExprId {
    Renumbering { of_free, work, memo: FxHashMap::default() }.visit(body, root, 0)
}

struct Renumbering<'a> {
    of_free: OfFree<'a>,
    work: &'a mut Work,
    /// By node and the binders around it.
    memo: FxHashMap<(ExprId, u32), ExprId>,
}

impl Renumbering<'_> {
    fn visit(&mut self, body: &mut Body, expr: ExprId, depth: u32) -> ExprId {
        let node = body.expr(expr);
        if node.flags.open_binders <= depth {
            return expr;
        }
        if let Some(&known) = self.memo.get(&(expr, depth)) {
            return known;
        }
        self.work.visited += 1;
        let new = match node.kind {
            ExprKind::Bound(index) if index >= depth => {
                (self.of_free)(body, expr, index, depth).unwrap_or(expr)
            }
            ExprKind::Bound(_) => expr,
            kind => ir::stack::with_room(|| {
                let mut is_first = true;
                body.map_children(expr, &mut |body, child| {
                    let inside = added(kind, is_first);
                    is_first = false;
                    self.visit(body, child, depth + inside)
                })
            }),
        };
        self.memo.insert((expr, depth), new);
        new
    }
}

//! Occurrences: the places where expressions are used.
//!
//! An occurrence is a node of the expression *tree* under an operand of an operation. They are numbered in one
//! canonical order: operations in preorder ([`Body::ops_preorder`]), operands in order, each tree in preorder with
//! children as [`Body::each_child`] gives them. So the subtree of an occurrence is a contiguous range of numbers, and
//! a source map can hold one entry an occurrence without knowing more of the IR than the order.
//!
//! A body made from text has at most a constant times as many occurrences as bytes. A rewritten body shares nodes;
//! enumerating it is linear in its printed size, not in its nodes.

use crate::{
    Body, ExprId, ExprKind, OpId,
    arena::{Id, Table, define_ids},
};

define_ids! {
    /// An occurrence, by its number in canonical order.
    OccurrenceId,
}

/// One occurrence.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Occurrence {
    /// The node.
    pub expr: ExprId,
    /// The operation that uses it.
    pub op: OpId,
    /// The operand of the operation that it is or is in.
    pub operand: u32,
    /// The occurrence it is an operand of; none for an operand of the operation.
    pub parent: Option<OccurrenceId>,
    /// The number after the last occurrence of its subtree.
    pub end: OccurrenceId,
}

/// All occurrences of a body.
#[derive(Clone, Debug)]
pub struct Occurrences {
    table: Table<OccurrenceId, Occurrence>,
    /// First occurrence of each operation, by operation id; `u32` pairs because most have few.
    of_op: Table<OpId, (OccurrenceId, OccurrenceId)>,
}

/// Of a node that did not occur yet.
const UNKNOWN: u32 = u32::MAX;

/// Room made for occurrences at once; more is found as they come.
const MOST_RESERVED: usize = 1 << 20;

impl Occurrences {
    /// Of no body: for callers that need no occurrences.
    pub fn none() -> Occurrences {
        Occurrences { table: Table::default(), of_op: Table::default() }
    }

    /// Enumerates the occurrences of `body`. O(occurrences), no recursion; a tree that occurs again is copied, not
    /// walked again.
    pub fn collect(body: &Body) -> Occurrences {
        let mut table: Table<OccurrenceId, Occurrence> = Table::default();
        let n_all = body
            .ops
            .iter()
            .flat_map(|it| &it.1.operands)
            .fold(0_usize, |all, it| all.saturating_add(body.expr(*it).size as usize));
        table.reserve(n_all.min(MOST_RESERVED));
        let none = OccurrenceId::new(0);
        let mut of_op = Table::filled(body.ops.len(), (none, none));
        // By node with operands: its first occurrence.
        let mut known = vec![UNKNOWN; body.n_exprs()];
        let mut stack: Vec<(ExprId, Option<OccurrenceId>)> = Vec::new();
        for op in body.ops_preorder() {
            let first = OccurrenceId::new(table.len());
            for (operand, &expr) in body.ops[op].operands.iter().enumerate() {
                let operand = operand as u32;
                let mut next = Some((expr, None));
                while let Some((expr, parent)) = next {
                    let node = body.expr(expr);
                    // A tree has as many occurrences as nodes, and a saturated number of them fits in no memory.
                    let end = OccurrenceId::new(table.len() + node.size as usize);
                    let here = Occurrence { expr, op, operand, parent, end };
                    if node.is_leaf() {
                        table.push(here);
                        next = stack.pop();
                        continue;
                    }
                    let before = std::mem::replace(&mut known[expr.index()], table.len() as u32);
                    if before != UNKNOWN {
                        repeat(&mut table, before, here);
                        next = stack.pop();
                        continue;
                    }
                    let id = table.push(here);
                    next = match node.kind {
                        ExprKind::Binary(_, a, b) => {
                            stack.push((b, Some(id)));
                            Some((a, Some(id)))
                        }
                        ExprKind::Cast(a) | ExprKind::Unary(_, a) => Some((a, Some(id))),
                        ExprKind::Load { indices, predicate, .. } => {
                            stack.extend(predicate.map(|it| (it, Some(id))));
                            let indices = body.items(indices).iter().rev();
                            stack.extend(indices.map(|&it| (it, Some(id))));
                            stack.pop()
                        }
                        kind => {
                            let mark = stack.len();
                            body.each_child(kind, &mut |child| stack.push((child, Some(id))));
                            stack[mark..].reverse();
                            stack.pop()
                        }
                    };
                }
            }
            of_op[op] = (first, OccurrenceId::new(table.len()));
        }
        Occurrences { table, of_op }
    }

    /// Number of occurrences.
    pub fn len(&self) -> usize {
        self.table.len()
    }
    /// Returns true if the body uses no expressions.
    pub fn is_empty(&self) -> bool {
        self.table.is_empty()
    }
    /// All of them, in canonical order.
    pub fn iter(
        &self,
    ) -> impl DoubleEndedIterator<Item = (OccurrenceId, &Occurrence)> + ExactSizeIterator {
        self.table.iter()
    }
    /// The occurrences of one operation, in order (its operands only, not those in its regions).
    pub fn of_op(
        &self,
        op: OpId,
    ) -> impl DoubleEndedIterator<Item = OccurrenceId> + ExactSizeIterator + use<> {
        let (start, end) = self.of_op[op];
        (start.index()..end.index()).map(OccurrenceId::new)
    }
    /// The place of an occurrence among the operands of the one around it. O(operands before it).
    pub fn index_in(&self, parent: OccurrenceId, child: OccurrenceId) -> usize {
        let mut at = OccurrenceId::new(parent.index() + 1);
        let mut index = 0;
        while at < child {
            at = self.table[at].end;
            index += 1;
        }
        index
    }
    /// The occurrence of an operand.
    #[inline]
    pub fn of_operand(&self, op: OpId, operand: usize) -> Option<OccurrenceId> {
        let (start, end) = self.of_op[op];
        let mut at = start;
        while at < end {
            if self.table[at].operand as usize == operand {
                return Some(at);
            }
            at = self.table[at].end;
        }
        None
    }
}

/// Adds the tree of an occurrence whose node has one at `before` already.
fn repeat(table: &mut Table<OccurrenceId, Occurrence>, before: u32, root: Occurrence) {
    let (first, before) = (table.len(), before as usize);
    let distance = (first - before) as u32;
    let moved = |it: OccurrenceId| OccurrenceId(it.0 + distance);
    let tree = table.repeat(before..before + (root.end.index() - first));
    for it in &mut *tree {
        it.op = root.op;
        it.operand = root.operand;
        it.parent = it.parent.map(moved);
        it.end = moved(it.end);
    }
    tree[0].parent = root.parent;
}

impl std::ops::Index<OccurrenceId> for Occurrences {
    type Output = Occurrence;
    #[inline]
    fn index(&self, id: OccurrenceId) -> &Occurrence {
        &self.table[id]
    }
}

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
    /// Which operand of the operation it is or is in.
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

/// Room made for occurrences at once; more is found as they come.
const MOST_RESERVED: usize = 1 << 20;

impl Occurrences {
    /// Enumerates the occurrences of `body`. O(occurrences), no recursion.
    pub fn collect(body: &Body) -> Occurrences {
        let mut table: Table<OccurrenceId, Occurrence> = Table::default();
        let mut of_op: Table<OpId, (OccurrenceId, OccurrenceId)> = Table::default();
        let n_all = body
            .ops
            .iter()
            .flat_map(|it| &it.1.operands)
            .fold(0_usize, |all, it| all.saturating_add(body.expr(*it).size as usize));
        table.reserve(n_all.min(MOST_RESERVED));
        let none = OccurrenceId::new(0);
        for _ in body.ops.ids() {
            of_op.push((none, none));
        }
        let mut stack: Vec<(ExprId, Option<OccurrenceId>)> = Vec::new();
        for op in body.ops_preorder() {
            let first = OccurrenceId::new(table.len());
            for (operand, &expr) in body.ops[op].operands.iter().enumerate() {
                stack.push((expr, None));
                while let Some((expr, parent)) = stack.pop() {
                    let node = body.expr(expr);
                    // A tree has as many occurrences as nodes, and a saturated number of them fits in no memory.
                    let end = OccurrenceId::new(table.len() + node.size as usize);
                    let id =
                        table.push(Occurrence { expr, op, operand: operand as u32, parent, end });
                    match node.kind {
                        _ if node.is_leaf() => {}
                        ExprKind::Binary(_, a, b) => stack.extend([(b, Some(id)), (a, Some(id))]),
                        kind => {
                            let mark = stack.len();
                            body.each_child(kind, &mut |child| stack.push((child, Some(id))));
                            stack[mark..].reverse();
                        }
                    }
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
    /// Whether the body uses no expression at all.
    pub fn is_empty(&self) -> bool {
        self.table.is_empty()
    }
    /// All of them, in canonical order.
    pub fn iter(
        &self,
    ) -> impl DoubleEndedIterator<Item = (OccurrenceId, &Occurrence)> + ExactSizeIterator {
        self.table.iter()
    }
    /// The occurrences of one operation, in order (its operands only, not what is in its regions).
    pub fn of_op(&self, op: OpId) -> impl DoubleEndedIterator<Item = OccurrenceId> + use<> {
        let (start, end) = self.of_op[op];
        (start.index()..end.index()).map(OccurrenceId::new)
    }
    /// The occurrence of an operand.
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

impl std::ops::Index<OccurrenceId> for Occurrences {
    type Output = Occurrence;
    fn index(&self, id: OccurrenceId) -> &Occurrence {
        &self.table[id]
    }
}

//! Variables and memory that depend on a virtual thread.
//!
//! In: a loop over virtual threads. Out: the variables and the memory that may have another value in each of them: what
//! is computed from its index, what is stored under a condition that depends on it, and what follows from these. All
//! else every virtual thread computes alike. Statements behind a variable that depends are taken to depend, as they are
//! done together with it. Linear in the nodes of the loop, as often as something new depends.

use ir::{
    BlockId, Body, BufferId, ExprId, ExprKind, ForKind, OpId, OpKind, ValueId, walk::WalkEvent,
};
use rustc_hash::FxHashSet;

use crate::{
    edit::{each_node, loop_var},
    named_memory::root,
};

/// The variables and the memory that depend.
pub(crate) struct Touched {
    values: FxHashSet<ValueId>,
    memory: FxHashSet<BufferId>,
    /// Operations that are done as a whole in each virtual thread, as something in them depends.
    whole: FxHashSet<OpId>,
}

impl Touched {
    /// Of a loop with this variable.
    pub(crate) fn of(body: &Body, op: OpId, var: ValueId) -> Touched {
        let mut touched = Touched {
            values: FxHashSet::from_iter([var]),
            memory: FxHashSet::default(),
            whole: FxHashSet::default(),
        };
        while touched.spreads(body, op) {}
        touched
    }

    /// The memory that depends, in no order.
    pub(super) fn memory(&self) -> impl Iterator<Item = BufferId> + '_ {
        self.memory.iter().copied()
    }

    /// Returns true if memory depends.
    pub(crate) fn has_memory(&self, buffer: BufferId) -> bool {
        self.memory.contains(&buffer)
    }

    /// Returns true if an expression depends.
    fn has(&self, body: &Body, expr: ExprId) -> bool {
        let mut found = false;
        each_node(body, expr, &mut |at| {
            found |= match body.expr(at).kind {
                ExprKind::Value(value) => self.values.contains(&value),
                ExprKind::Load { buffer, .. }
                | ExprKind::Region(buffer, _)
                | ExprKind::Buffer(buffer)
                | ExprKind::BufferField(buffer, _) => self.memory.contains(&root(body, buffer)),
                _ => false,
            };
        });
        found
    }

    /// Returns true if an operation, without its regions, depends or stores what depends.
    pub(crate) fn depends(&self, body: &Body, op: OpId) -> bool {
        let data = &body.ops[op];
        self.whole.contains(&op)
            || matches!(data.kind, OpKind::Store { buffer, .. } if self.memory.contains(&root(body, buffer)))
            || data.results.iter().any(|it| self.values.contains(it))
            || data.operands.iter().any(|&it| self.has(body, it))
    }

    /// One walk; returns true if more depends than before.
    fn spreads(&mut self, body: &Body, op: OpId) -> bool {
        let before = (self.values.len(), self.memory.len(), self.whole.len());
        // Of the operations around: whether they depend, and whether something in them does.
        let mut around = vec![(false, false)];
        let mut rest: FxHashSet<BlockId> = FxHashSet::default();
        for event in body.ops[op].regions.iter().flat_map(|&it| body.walk(it)) {
            match event {
                WalkEvent::Enter(at) => {
                    let data = &body.ops[at];
                    let is_own = self.depends(body, at);
                    let is_inside = around.last().is_some_and(|it| it.0);
                    let depends = is_own || is_inside || rest.contains(&data.parent);
                    if depends {
                        self.spread(body, at, &mut rest);
                    }
                    around.push((depends, depends));
                }
                WalkEvent::Leave(at) => {
                    let (_, has_any) = around.pop().unwrap_or_default();
                    if let Some(outer) = around.last_mut() {
                        outer.1 |= has_any;
                    }
                    if has_any && !body.ops[at].regions.is_empty() && !is_open(body, at) {
                        self.whole.insert(at);
                    }
                }
                _ => {}
            }
        }
        (self.values.len(), self.memory.len(), self.whole.len()) != before
    }

    fn spread(&mut self, body: &Body, op: OpId, rest: &mut FxHashSet<BlockId>) {
        let data = &body.ops[op];
        match data.kind {
            OpKind::Store { buffer, .. } => {
                self.memory.insert(root(body, buffer));
            }
            OpKind::For(_) => {
                self.values.insert(loop_var(body, op));
            }
            _ if !data.results.is_empty() => {
                self.values.extend(data.results.iter().copied());
                rest.insert(data.parent);
            }
            _ => {}
        }
    }
}

/// Returns true if what is in the regions of an operation can be done in each virtual thread, one statement after the
/// other.
pub(super) fn is_open(body: &Body, op: OpId) -> bool {
    matches!(
        body.ops[op].kind,
        OpKind::For(ForKind::Serial | ForKind::Unrolled) | OpKind::If | OpKind::Attr(_)
    )
}

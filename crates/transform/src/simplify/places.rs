//! The facts at the places of a round, and the facts that a round leaves to the next.
//!
//! In: a walk over the operations, outer before inner, with their rewritten operands. Out: the context before each
//! operation. Contexts are made of the *new* conditions and bounds, and a deleted loop has none. So results in these
//! contexts still hold when the next round makes the contexts of the rewritten body, which are the same ones.
//!
//! [`Seen`] has the context and the operands of each operation after a round. Simplifying is a function of the two, and
//! its result is in simplest form: where neither changed, the next round has nothing to do. O(operations).

use arith::{Analyzer, ContextId};
use dataflow::{conditions::Passage, flow::Flow};
use ir::{Body, ExprId, OpId, RegionId, arena::Id as _};
use smallvec::SmallVec;

/// Operands of an operation.
pub(super) type Operands = SmallVec<[ExprId; 4]>;

/// The contexts of the operations that a walk came to.
pub(super) struct Places {
    passage: Passage,
    /// By operation.
    before: Vec<ContextId>,
    /// By block: after the last operation that the walk left.
    at: Vec<ContextId>,
}

impl Places {
    pub(super) fn new(flow: &Flow<'_>, root: ContextId) -> Places {
        Places {
            passage: Passage::of(flow),
            before: vec![root; flow.body.ops.len()],
            at: vec![root; flow.body.blocks.len()],
        }
    }

    /// The context before an operation.
    pub(super) fn before(&self, op: OpId) -> ContextId {
        self.before[op.index()]
    }

    /// The walk comes to an operation.
    pub(super) fn enter(&mut self, body: &Body, op: OpId) {
        self.before[op.index()] = self.at[body.ops[op].parent.index()];
    }

    /// The walk goes on after the operands of an operation, which become these.
    pub(super) fn pass(
        &mut self,
        flow: &Flow<'_>,
        analyzer: &mut Analyzer<'_>,
        op: OpId,
        operands: &[ExprId],
    ) {
        let block = flow.body.ops[op].parent;
        if !flow.is_graph(block) {
            let behind = self.passage.behind(flow, analyzer, self.before(op), op, operands);
            self.at[block.index()] = behind;
        }
    }

    /// The walk enters a region of an operation whose operands become these. The context there; `is_open` if the
    /// contents of the region replace the operation.
    pub(super) fn enter_region(
        &mut self,
        flow: &Flow<'_>,
        analyzer: &mut Analyzer<'_>,
        region: RegionId,
        operands: &[ExprId],
        is_open: bool,
    ) {
        let Some(op) = flow.body.regions[region].parent else { return };
        let around = self.before(op);
        for &block in &flow.body.regions[region].blocks {
            let scope = flow.scopes.of_block(block);
            self.at[block.index()] = match is_open {
                true => around,
                false => self.passage.inside(flow, analyzer, scope, around, operands),
            };
        }
    }

    /// The context at the start of a block that the walk just entered.
    pub(super) fn at(&self, block: ir::BlockId) -> ContextId {
        self.at[block.index()]
    }
}

/// Context and operands of each operation after a round.
#[derive(Default)]
pub(super) struct Seen {
    of: Vec<Option<Asked>>,
    operands: Vec<ExprId>,
}

/// The last question about an operation.
#[derive(Clone, Copy)]
struct Asked {
    context: ContextId,
    /// The place where its operands begin, and how many they are.
    first: u32,
    n_operands: u32,
}

impl Seen {
    /// Nothing yet, with room for the operations of a body.
    pub(super) fn of(body: &Body) -> Seen {
        Seen { of: vec![None; body.ops.len()], operands: Vec::with_capacity(2 * body.ops.len()) }
    }

    /// Records the last question about an operation.
    pub(super) fn note(&mut self, op: OpId, context: ContextId, operands: &[ExprId]) {
        let (first, n_operands) = (self.operands.len() as u32, operands.len() as u32);
        self.operands.extend_from_slice(operands);
        self.of[op.index()] = Some(Asked { context, first, n_operands });
    }

    fn asked(&self, op: OpId) -> Option<(ContextId, &[ExprId])> {
        let Asked { context, first, n_operands } = self.of.get(op.index()).copied().flatten()?;
        let operands = &self.operands[first as usize..][..n_operands as usize];
        Some((context, operands))
    }

    /// Returns true if all operations of a body are as they were recorded.
    pub(super) fn has_all(&self, body: &Body) -> bool {
        body.ops_preorder().all(|op| {
            self.asked(op).is_some_and(|(_, operands)| *operands == *body.ops[op].operands)
        })
    }

    /// Returns true if an operand is known to be in simplest form in a context.
    pub(super) fn has(&self, op: OpId, context: ContextId, operand: usize, expr: ExprId) -> bool {
        self.asked(op).is_some_and(|it| it.0 == context && it.1.get(operand) == Some(&expr))
    }
}

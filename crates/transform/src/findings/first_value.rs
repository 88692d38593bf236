//! The value that an accumulator of TileLang needs before its first use.
//!
//! In: a read of a tile that nothing has written. Out: the fix that fills the tile, where the read says which value
//! changes no result: of a product, or a reduction that does not clear, or a store `C[i] = C[i] + x`, `T.max(C[i], x)`.
//! The statement goes before the outermost loop that only adds to the tile: where something in the loop takes the
//! sum, it goes into that loop. None for other reads, for a store whose element is also read elsewhere in a loop (a
//! running sum), and for tensor memory, which is not filled. O(occurrences) for each finding.

use ir::{
    BinaryOp, BlockId, Body, BufferId, BufferOrigin, Callee, Dialect, ExprKind, ForKind, Intrinsic,
    OccurrenceId, OpId, OpKind,
    plan::finding::{FindingFix, FixEdit, Start},
};

use super::FindingFacts;

/// The operand of a product that is added to.
const SUM_OF_PRODUCT: usize = 2;
/// The operand of a reduction that is added to, and the one that says by what.
const RESULT_OF_REDUCTION: usize = 1;
const KIND_OF_REDUCTION: usize = 2;

/// Loops and branches that are passed.
const MOST_AROUND: usize = 64;

/// The fix of a read of a tile of TileLang that its allocation leaves without a value.
pub(super) fn fill(
    facts: &FindingFacts<'_>,
    load: OccurrenceId,
    buffer: BufferId,
    allocation: OpId,
) -> Option<FindingFix> {
    let body = facts.body;
    let data = &body.buffers[buffer];
    let is_tile = body.dialect == Dialect::TileLang
        && data.origin == BufferOrigin::Alloc
        && !body.scope_name(data.scope).contains("tmem");
    let (with, is_element) = start(facts, load).filter(|_| is_tile)?;
    if with != Start::Zero && !data.dtype.is_float() {
        return None;
    }
    let before = place(facts, (load, buffer), allocation, is_element)?;
    Some(FindingFix::of(FixEdit::Fill { buffer, with, before }))
}

/// The value with which what is combined there stays the same, and whether an element is stored rather than a tile.
fn start(facts: &FindingFacts<'_>, load: OccurrenceId) -> Option<(Start, bool)> {
    let (body, occurrences) = (facts.body, facts.occurrences);
    let parent = occurrences[load].parent?;
    let index = occurrences.index_in(parent, load);
    match body.expr(occurrences[parent].expr).kind {
        ExprKind::Call { callee: Callee::Intrinsic(_, it), args, .. } => match it {
            Intrinsic::TlGemm | Intrinsic::TlWgmmaGemm if index == SUM_OF_PRODUCT => {
                Some((Start::Zero, false))
            }
            Intrinsic::TlReduce if index == RESULT_OF_REDUCTION => {
                let kind = *body.items(args).get(KIND_OF_REDUCTION)?;
                let ExprKind::Str(kind) = body.expr(kind).kind else { return None };
                match body.name(kind) {
                    "sum" | "abssum" | "absmax" | "bitor" | "bitxor" => Some((Start::Zero, false)),
                    "max" => Some((Start::Lowest, false)),
                    "min" => Some((Start::Highest, false)),
                    _ => None,
                }
            }
            _ => None,
        },
        ExprKind::Binary(op, ..) => {
            let store = occurrences[parent].op;
            let is_value = occurrences[parent].parent.is_none() && occurrences[parent].operand == 0;
            if !is_value || !stores_the_same(body, store, occurrences[load].expr) {
                return None;
            }
            let with = match op {
                BinaryOp::Add => Start::Zero,
                BinaryOp::Sub if index == 0 => Start::Zero,
                BinaryOp::Max => Start::Lowest,
                BinaryOp::Min => Start::Highest,
                _ => return None,
            };
            Some((with, true))
        }
        _ => None,
    }
}

/// Returns true if a store stores to the element that a load reads.
fn stores_the_same(body: &Body, store: OpId, load: ir::ExprId) -> bool {
    let data = &body.ops[store];
    match (data.kind, body.expr(load).kind) {
        (
            OpKind::Store { buffer, predicated: false },
            ExprKind::Load { buffer: read, indices, predicate: None },
        ) => buffer == read && data.operands[1..] == *body.items(indices),
        _ => false,
    }
}

/// The operation before which a tile is filled.
fn place(
    facts: &FindingFacts<'_>,
    (load, buffer): (OccurrenceId, BufferId),
    allocation: OpId,
    is_element: bool,
) -> Option<OpId> {
    let body = facts.body;
    let until = body.ops[allocation].parent;
    let users = users(facts, buffer);
    let mut at = facts.occurrences[load].op;
    let mut place = at;
    for _ in 0..MOST_AROUND {
        let block = body.ops[at].parent;
        if block == until {
            break;
        }
        if users.iter().any(|&it| beside(body, it, block).is_some_and(|it| it != at)) {
            if is_element {
                return None;
            }
            break;
        }
        at = body.parent_op(at)?;
        match body.ops[at].kind {
            OpKind::For(_) => place = at,
            OpKind::If => {}
            _ => return None,
        }
    }
    let mut around = body.parent_op(place);
    while let Some(op) = around {
        // A tile is filled by all threads of a block.
        if body.ops[op].kind == OpKind::For(ForKind::Parallel) {
            return None;
        }
        around = body.parent_op(op);
    }
    Some(place)
}

/// The operation of a list that an operation is, or is in.
fn beside(body: &Body, op: OpId, block: BlockId) -> Option<OpId> {
    let mut at = op;
    while body.ops[at].parent != block {
        at = body.parent_op(at)?;
    }
    Some(at)
}

/// The operations that take the value of a tile: not those that only add to it or overwrite it.
fn users(facts: &FindingFacts<'_>, buffer: BufferId) -> Vec<OpId> {
    let (body, occurrences) = (facts.body, facts.occurrences);
    let class = facts.aliases().class(buffer);
    let is_use = |id: OccurrenceId| {
        let Some(parent) = occurrences[id].parent else { return true };
        let index = occurrences.index_in(parent, id);
        let call = occurrences[parent].expr;
        start(facts, id).is_none() && ir::tile_access::overwritten(body, call) != Some(index)
    };
    let named = occurrences.iter().filter(|(_, it)| match body.expr(it.expr).kind {
        ExprKind::Region(it, _) | ExprKind::Buffer(it) | ExprKind::Load { buffer: it, .. } => {
            facts.aliases().class(it) == class
        }
        _ => false,
    });
    named.filter(|(id, _)| is_use(*id)).map(|(_, it)| it.op).collect()
}

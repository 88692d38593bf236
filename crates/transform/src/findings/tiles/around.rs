//! The loops, guards and threads around a place of a kernel.
//!
//! In: an operation or an occurrence. Out: all that decides whether and for which values it is reached; none where that
//! cannot be said: in a `while`, beside a jump, under an expression that is kept by its text. O(depth + size of the
//! operation).

use ir::{BinaryOp, Body, ExprId, ExprKind, ForKind, OccurrenceId, OpId, OpKind, ValueId};

use super::{super::FindingFacts, threads};

/// A loop around a place.
pub(super) struct Loop {
    pub(super) op: OpId,
    pub(super) var: ValueId,
    pub(super) min: ExprId,
    pub(super) extent: ExprId,
    pub(super) step: Option<ExprId>,
    pub(super) kind: ForKind,
}

/// All that is around a place, outermost first.
pub(super) struct Around {
    pub(super) loops: Vec<Loop>,
    /// Conditions and the value that they have where the place is reached.
    pub(super) guards: Vec<(ExprId, bool)>,
    /// The threads of a block along each dimension, where they are known.
    pub(super) threads: [Option<i128>; 3],
}

/// Loops that are looked at.
const MOST_LOOPS: usize = 16;

/// Returns what is around an operation, if it is in a launch.
pub(super) fn of_op(facts: &FindingFacts<'_>, op: OpId) -> Option<Around> {
    let body = facts.body;
    let mut around = Around { loops: Vec::new(), guards: Vec::new(), threads: [None; 3] };
    let (mut at, mut is_launched) = (op, false);
    while let Some(parent) = body.parent_op(at) {
        let data = &body.ops[parent];
        let region = body.blocks[body.ops[at].parent].parent;
        match data.kind {
            OpKind::If => {
                let holds = data.regions.first() == Some(&region);
                around.guards.push((*data.operands.first()?, holds));
            }
            OpKind::For(kind) => {
                let var = *body.blocks[body.entry(region)].args.first()?;
                let &[min, extent, ref rest @ ..] = &data.operands[..] else { return None };
                let step = rest.first().copied();
                around.loops.push(Loop { op: parent, var, min, extent, step, kind });
            }
            OpKind::SBlock(block) => {
                let block = &body.sblocks[block];
                if block.has_predicate || !block.iter_vars.is_empty() {
                    return None;
                }
                let attrs = body.dict(data.attrs);
                if attrs.iter().any(|it| &*it.0 == super::THREADS) {
                    around.threads = threads(attrs);
                    is_launched = true;
                }
            }
            OpKind::Attr(_) | OpKind::AttrDict => {}
            _ => return None,
        }
        at = parent;
    }
    if !is_launched || around.loops.len() > MOST_LOOPS {
        return None;
    }
    around.loops.reverse();
    around.guards.reverse();
    Some(around)
}

/// Returns what is around an occurrence, with the conditions in its own operation.
pub(super) fn of_occurrence(facts: &FindingFacts<'_>, id: OccurrenceId) -> Option<Around> {
    let (body, occurrences) = (facts.body, facts.occurrences);
    let mut around = of_op(facts, occurrences[id].op)?;
    let mut child = id;
    while let Some(parent) = occurrences[child].parent {
        let kind = body.expr(occurrences[parent].expr).kind;
        let index = occurrences.index_in(parent, child);
        match kind {
            ExprKind::IfThenElse(condition, ..) | ExprKind::Select(condition, ..) if index > 0 => {
                around.guards.push((condition, index == 1));
            }
            ExprKind::Binary(BinaryOp::And, left, _) if index == 1 => {
                around.guards.push((left, true));
            }
            ExprKind::Binary(BinaryOp::Or, left, _) if index == 1 => {
                around.guards.push((left, false));
            }
            ExprKind::Let { .. } | ExprKind::Lambda { .. } => return None,
            call @ ExprKind::Call { .. } if facts.effects.is_lazy(body, call, index) => {
                return None;
            }
            _ => {}
        }
        child = parent;
    }
    Some(around)
}

/// Returns true if something in the body leaves a loop or the kernel early, or promises something about its values: who
/// reaches a place, is then not told by what is around it.
pub(super) fn has_jumps(body: &Body, occurrences: &ir::Occurrences) -> bool {
    let jumps = |op: OpId| {
        matches!(body.ops[op].kind, OpKind::Break | OpKind::Continue | OpKind::Opaque(_))
            || (body.ops[op].kind == OpKind::Return && body.parent_op(op).is_some())
    };
    body.ops_preorder().any(jumps)
        || occurrences.iter().any(|(_, it)| match body.expr(it.expr).kind {
            ExprKind::Call { callee: ir::Callee::Intrinsic(_, it), .. } => {
                it.is_jump() || it == ir::Intrinsic::Assume
            }
            _ => false,
        })
}

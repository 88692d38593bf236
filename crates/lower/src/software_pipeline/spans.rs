//! Which part of some memory a statement of a pipeline touches, whatever the iteration is.
//!
//! In: the operations of a statement, a buffer. Out: bounds of the first index of its accesses, or of the numbers of
//! its fragments: a pipeline in the statement has put its versions there. None where an access is of another kind.
//! Bounds are those of `arith` at each access. O(nodes of the statement).

use arith::{Analyzer, Interval, Overflow};
use ir::{Body, BufferId, ExprId, ExprKind, OpId, OpKind, effects::EffectTable};

use super::versions::{Use, uses};
use crate::contexts::around;

/// A part of a buffer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Span {
    /// True if fragments are counted.
    is_of_fragments: bool,
    interval: Interval,
}

impl Span {
    /// Returns true if two parts may have an element in common.
    pub(super) fn meets(of: Option<Span>, other: Option<Span>) -> bool {
        let (Some(a), Some(b)) = (of, other) else { return true };
        a.is_of_fragments != b.is_of_fragments || !a.interval.intersect(b.interval).is_empty()
    }
}

/// The part of a buffer that operations touch.
pub(super) fn span(
    body: &Body,
    ops: &[OpId],
    buffer: BufferId,
    effects: &EffectTable,
) -> Option<Span> {
    let mut analyzer = Analyzer::with_effects(body, effects);
    let mut all: Option<Span> = None;
    for &op in ops {
        let mut indices = Vec::new();
        if let OpKind::Store { buffer: of, .. } = body.ops[op].kind
            && of == buffer
        {
            indices.push((*body.ops[op].operands.get(1)?, false));
        }
        for &operand in &body.ops[op].operands {
            collect(body, operand, buffer, &mut indices)?;
        }
        if indices.is_empty() {
            continue;
        }
        let context = around(&mut analyzer, body, op);
        for (index, is_of_fragments) in indices {
            let interval = analyzer.facts_with(Overflow::Excluded, context, index).interval;
            let here = Span { is_of_fragments, interval };
            all = Some(match all {
                Some(known) if known.is_of_fragments != is_of_fragments => return None,
                Some(known) => Span { interval: known.interval.hull(interval), ..here },
                None => here,
            });
        }
    }
    all
}

/// Collects the first indices, and the numbers of fragments, of accesses in an expression; none if there are others.
fn collect(
    body: &Body,
    expr: ExprId,
    buffer: BufferId,
    found: &mut Vec<(ExprId, bool)>,
) -> Option<()> {
    for it in uses(body, expr, buffer)? {
        match it {
            Use::Load(load) => {
                let ExprKind::Load { indices, .. } = body.expr(load).kind else { return None };
                let first = *body.items(indices).first()?;
                body.dtype(first).filter(|it| it.is_scalar())?;
                found.push((first, false));
            }
            Use::Offset { at, is_fragment: true } => found.push((at, true)),
            Use::Offset { .. } => return None,
        }
    }
    Some(())
}

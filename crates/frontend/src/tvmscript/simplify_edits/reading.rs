//! The reader's folding of operators whose operands are written anew.
//!
//! The reader folds an operator when it sees constants (`3 * 4`, `x + 0`, and `0.0 * x`, which is not the same), and
//! refuses some (`1 // 0`). If the new operands made it fold or refuse an operator that stays, the text would differ
//! from the body. In: all texts that are written anew. Out: the items that must be left out for that reason. The
//! operators from the new texts up to the operands of operations are visited once, inner before outer.

use std::collections::BTreeSet;

use ir::{
    Body, ExprId, ExprKind, OccurrenceId,
    arena::Id as _,
    fold::{Folded, fold},
};
use rustc_hash::FxHashMap;

use super::Sketch;

impl Sketch<'_> {
    /// The items without which the reader folds nothing that it did not fold before. `all`: of each operator that it
    /// would fold, all items that change its operands, not only the last.
    pub(super) fn folded(&mut self, all: bool) -> BTreeSet<usize> {
        let mut written: Vec<(OccurrenceId, ExprId, usize)> =
            self.written.values().map(|it| (it.at, it.with, it.item)).collect();
        written.sort_unstable();
        let mut now: FxHashMap<OccurrenceId, ExprId> =
            written.iter().map(|it| (it.0, it.1)).collect();
        let mut culprits = BTreeSet::new();
        for at in self.around(&written).into_iter().rev() {
            let expr = self.writer.occurrences[at].expr;
            let new = self.with_operands(at, &now);
            if is_folded(&self.grown, new) && !is_folded(&self.grown, expr) {
                let end = self.writer.occurrences[at].end;
                let first = written.partition_point(|it| it.0 < at);
                let inside = written[first..].iter().take_while(|it| it.0 < end);
                if all {
                    culprits.extend(inside.map(|it| it.2));
                } else {
                    culprits.extend(inside.map(|it| it.2).max());
                }
            } else {
                now.insert(at, new);
            }
        }
        culprits
    }

    /// The occurrences around the new text, in order.
    fn around(&self, written: &[(OccurrenceId, ExprId, usize)]) -> BTreeSet<OccurrenceId> {
        let occurrences = self.writer.occurrences;
        let mut around = BTreeSet::new();
        for (at, ..) in written {
            let mut next = occurrences[*at].parent;
            while let Some(parent) = next.filter(|it| around.insert(*it)) {
                next = occurrences[parent].parent;
            }
        }
        around
    }

    /// The node of an occurrence with its operands as they are now.
    fn with_operands(&mut self, at: OccurrenceId, now: &FxHashMap<OccurrenceId, ExprId>) -> ExprId {
        let occurrences = self.writer.occurrences;
        let (expr, end) = (occurrences[at].expr, occurrences[at].end);
        let mut operands = Vec::new();
        let mut next = OccurrenceId::new(at.index() + 1);
        while next < end {
            operands.push(now.get(&next).copied().unwrap_or(occurrences[next].expr));
            next = occurrences[next].end;
        }
        let mut operands = operands.into_iter();
        self.grown.to_mut().map_children(expr, &mut |_, old| operands.next().unwrap_or(old))
    }
}

/// Returns true if the reader would make another node of the operator in infix form, of the call, or of the cast.
fn is_folded(body: &Body, expr: ExprId) -> bool {
    let is_constant = |it: ExprId| body.expr(it).is_constant();
    match body.expr(expr).kind {
        ExprKind::Binary(op, a, b) => {
            body.dtype(a).is_some_and(|dtype| fold(body, op, a, b, dtype) != Folded::Keep)
        }
        ExprKind::Call { args, .. } => {
            let args = body.items(args);
            !args.is_empty() && args.iter().all(|&it| is_constant(it))
        }
        ExprKind::IfThenElse(condition, then, otherwise) => {
            [condition, then, otherwise].into_iter().all(is_constant)
        }
        ExprKind::Cast(operand) | ExprKind::Unary(_, operand) => is_constant(operand),
        _ => false,
    }
}

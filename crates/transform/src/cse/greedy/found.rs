//! Groups that are found and not bound by this version.
//!
//! In: expressions with several occurrences that are no candidates, or have no text. Out: refused groups with the
//! reason. A group that lies entirely inside a larger listed one is not listed again.

use ir::{Callee, ExprId, ExprKind, NameId, OccurrenceId, plan::Refusal};

use super::{Choice, Greedy, UnnumberedGroup, lists::Lists};
use crate::cse::sharing::Sharing;

impl Greedy<'_> {
    /// Lists a group that is not a candidate, unless all of it is inside a larger one that is listed.
    pub(super) fn found_only(&mut self, list: &[OccurrenceId], lists: &Lists) {
        let facts = self.facts;
        let parent = facts.occurrences[list[0]].parent;
        if parent.is_some_and(|it| lists.of(self.values.class(it)).len() == list.len()) {
            return;
        }
        if let Some(refusal) = self.why_not(facts.occurrences[list[0]].expr) {
            self.refuse(list.to_vec(), refusal);
        }
    }

    /// Lists a value that is computed twice but written at most once, unless all of it is inside a larger one.
    pub(super) fn without_text(&mut self, list: &[OccurrenceId], virtual_lists: &Lists) {
        if list.len() < 2 {
            return;
        }
        let parent = self.facts.occurrences[list[0]].parent;
        let is_part =
            parent.is_some_and(|it| virtual_lists.of(self.values.class(it)).len() == list.len());
        if !is_part {
            self.refuse(list.to_vec(), Refusal::VirtualOnly);
        }
    }

    fn why_not(&self, expr: ExprId) -> Option<Refusal> {
        let body = self.facts.body;
        let node = body.expr(expr);
        if matches!(
            node.kind,
            ExprKind::Ramp { .. }
                | ExprKind::Broadcast { .. }
                | ExprKind::Shuffle { .. }
                | ExprKind::Tuple(_)
                | ExprKind::Slice { .. }
                | ExprKind::Region(..)
                | ExprKind::Lambda { .. }
                | ExprKind::Opaque { .. }
        ) {
            return None;
        }
        if node.flags.open_binders > 0 {
            return Some(Refusal::UnderBinder);
        }
        if node.flags.has_unknown {
            return Some(Refusal::Unknown);
        }
        if self.facts.sharing(expr).intersects(Sharing::IMPURE) {
            return self.first_impure(expr).map(|callee| Refusal::ImpureCall { callee });
        }
        body.dtype(expr).is_some_and(|it| it.is_bool()).then_some(Refusal::Predicate)
    }

    /// The occurrences are at least one.
    pub(super) fn refuse(&mut self, occurrences: Vec<OccurrenceId>, refusal: Refusal) {
        let Some(&value) = occurrences.first() else { return };
        self.groups.push(UnnumberedGroup {
            value,
            occurrences,
            saved: 0,
            decision: Choice::Refuse(refusal),
        });
    }

    /// The name of the first call in an expression that is no value of its operands.
    fn first_impure(&self, expr: ExprId) -> Option<NameId> {
        let body = self.facts.body;
        let is_impure = |it: ExprId| self.facts.sharing(it).intersects(Sharing::IMPURE);
        let mut at = expr;
        loop {
            let kind = body.expr(at).kind;
            let mut below = None;
            body.each_child(kind, &mut |child| {
                if below.is_none() && is_impure(child) {
                    below = Some(child);
                }
            });
            match (below, kind) {
                (Some(child), _) => at = child,
                (None, ExprKind::Call { callee, .. }) => {
                    let (Callee::Intrinsic(it, _) | Callee::Function(it) | Callee::Unknown(it)) =
                        callee;
                    return Some(it);
                }
                (None, _) => return None,
            }
        }
    }
}

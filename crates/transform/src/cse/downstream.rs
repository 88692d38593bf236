//! Values that TVM's own passes would evaluate where the source does not, once they have a name.
//!
//! For TVM, a value that loads memory or calls something is no common subexpression and is never evaluated early. A
//! name hides the load, so TVM treats the code left around it differently:
//!
//! - `CommonSubexprElim` binds values that are computed twice above all their uses, also if they are guarded: with `v`
//!   for the load in `T.if_then_else(a != 0, v // a, b)`, written twice, the division runs for `a == 0` too;
//! - `RewriteUnsafeSelect` makes those `T.Select` lazy that have a load in an arm. Without it both arms are evaluated,
//!   including a trap in the other one.
//!
//! In: the facts, the value classes. Out: [`Downstream`], which answers for an occurrence. One pass over the
//! occurrences.

use ir::{ExprId, ExprKind, OccurrenceId, arena::Id as _, effects::Trap, plan::TvmPass};

use super::{
    Work,
    facts::{Facts, NONE},
    values::Values,
};
use crate::replace::children_of;

/// The values that names would hide from later passes.
pub(super) struct Downstream {
    /// By occurrence: the innermost operator around it that may trap otherwise than in it, with no load or call
    /// between; or [`NONE`].
    traps_around: Vec<u32>,
    /// By occurrence: whether it is in an arm of a `T.Select` that may trap otherwise than in it.
    in_select: Vec<bool>,
    /// By class: how many occurrences there are.
    n_equal: Vec<u32>,
}

impl Downstream {
    pub(super) fn of(facts: &Facts<'_>, values: &Values<'_>, work: &mut Work) -> Downstream {
        let n = facts.occurrences.len();
        let mut found = Downstream {
            traps_around: vec![NONE; n],
            in_select: vec![false; n],
            n_equal: vec![0; values.len()],
        };
        let mut in_arm = vec![false; n];
        let computes = may_trap(facts);
        for (id, _) in facts.occurrences.iter() {
            found.n_equal[values.class(id) as usize] += 1;
            found.look_below(facts, id, &computes, &mut in_arm);
        }
        work.visited += (2 * n + facts.body.n_exprs()) as u64;
        found
    }

    /// Passes the facts about an occurrence to its operands.
    fn look_below(
        &mut self,
        facts: &Facts<'_>,
        parent: OccurrenceId,
        computes: &[bool],
        in_arm: &mut [bool],
    ) {
        let (body, occurrences) = (facts.body, facts.occurrences);
        let here = occurrences[parent];
        let kind = body.expr(here.expr).kind;
        let may_trap = |it: OccurrenceId| computes[occurrences[it].expr.index()];
        let operands = || children_of(occurrences, parent);
        let n_traps = operands().filter(|it| may_trap(*it)).count();
        let own = traps_itself(facts, here.expr);
        let is_select = matches!(kind, ExprKind::Select(..));
        let hides = matches!(
            kind,
            ExprKind::Load { .. } | ExprKind::Call { .. } | ExprKind::IfThenElse(..)
        );
        for (index, it) in operands().enumerate() {
            let otherwise = own || n_traps > usize::from(may_trap(it));
            self.traps_around[it.index()] = if hides {
                NONE
            } else if otherwise {
                parent.index() as u32
            } else {
                self.traps_around[parent.index()]
            };
            let is_arm = is_select && index > 0;
            in_arm[it.index()] = in_arm[parent.index()] || is_arm;
            self.in_select[it.index()] =
                self.in_select[parent.index()] || (otherwise && (is_arm || in_arm[parent.index()]));
        }
    }

    /// The pass that would do so with a name in the place of an occurrence.
    pub(super) fn exposes(
        &self,
        facts: &Facts<'_>,
        values: &Values<'_>,
        occurrence: OccurrenceId,
    ) -> Option<TvmPass> {
        let flags = facts.body.expr(facts.occurrences[occurrence].expr).flags;
        if !flags.has_load && !flags.has_call {
            return None;
        }
        if self.in_select[occurrence.index()] {
            return Some(TvmPass::RewriteUnsafeSelect);
        }
        let around = self.traps_around[occurrence.index()];
        if around == NONE {
            return None;
        }
        let around = OccurrenceId::new(around as usize);
        let is_twice = self.n_equal[values.class(around) as usize] > 1;
        (is_twice && is_guarded(facts, around)).then_some(TvmPass::CommonSubexprElim)
    }
}

/// Returns true if a node may trap in its own computation. A load is an access: TVM asks about those by itself.
fn traps_itself(facts: &Facts<'_>, expr: ExprId) -> bool {
    let is_access =
        matches!(facts.body.expr(expr).kind, ExprKind::Load { .. } | ExprKind::Region(..));
    !is_access && facts.effects.own_trap(facts.body, expr) != Trap::No
}

/// For each node, true if something in it may trap in its own computation.
fn may_trap(facts: &Facts<'_>) -> Vec<bool> {
    let body = facts.body;
    let mut computes: Vec<bool> = Vec::with_capacity(body.n_exprs());
    for index in 0..body.n_exprs() {
        let expr = ExprId::new(index);
        let mut traps = traps_itself(facts, expr);
        // Children are made before their parents and have smaller ids.
        body.each_child(body.expr(expr).kind, &mut |it| traps |= computes[it.index()]);
        computes.push(traps);
    }
    computes
}

/// Returns true if some runs of the function do not evaluate the occurrence.
fn is_guarded(facts: &Facts<'_>, occurrence: OccurrenceId) -> bool {
    let scopes = facts.scopes;
    let mut at = Some(scopes.of_op(facts.occurrences[occurrence].op));
    if facts.is_lazy(occurrence, None) {
        return true;
    }
    while let Some(scope) = at {
        if scopes.parent(scope).is_some() && !facts.certainty.is_entered(scope) {
            return true;
        }
        at = scopes.parent(scope);
    }
    false
}

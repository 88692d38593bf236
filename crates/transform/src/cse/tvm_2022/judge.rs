//! Vetoes against bindings of the pass of 2022.
//!
//! The pass moves trapping values out of guards, binds values without text, and puts lets where text has no place. In:
//! the bindings of a run. Out: for each the reason not to do it. O(occurrences · log).

use ir::{
    ExprId, OccurrenceId, OpId, ValueId, ValueKind,
    arena::Id,
    plan::{Equivalence, Refusal},
};
use rustc_hash::FxHashMap;

use super::{
    barriers::visited_operands,
    forms::Forms,
    outcome::Outcome,
    run::{Home, Vetoes},
};
use crate::cse::{
    CseOptions,
    facts::{Facts, Seen},
    place::{self, Position},
};

/// Occurrences by expression, in order: of the expressions asked for.
pub(super) type Lists = FxHashMap<ExprId, Vec<OccurrenceId>>;

/// Collects the occurrences that the pass visits.
pub(super) fn lists(facts: &Facts<'_>, wanted: impl IntoIterator<Item = ExprId>) -> Lists {
    let mut lists: Lists = wanted.into_iter().map(|it| (it, Vec::new())).collect();
    for (id, it) in facts.occurrences.iter() {
        let Some(list) = lists.get_mut(&it.expr) else { continue };
        let op = &facts.body.ops[it.op];
        if visited_operands(op.kind, op.operands.len()).contains(&(it.operand as usize)) {
            list.push(id);
        }
    }
    lists
}

/// For each binding the occurrences that it serves, itself or in the values of others.
pub(super) fn members(
    facts: &Facts<'_>,
    outcome: &Outcome,
    lists: &Lists,
    forms: &Forms<'_>,
) -> Vec<Vec<OccurrenceId>> {
    let of = |at: usize| {
        let made = &outcome.made[at];
        let mut members = outcome.replaces[at].clone();
        let list = lists.get(&made.origin).map_or(&[][..], Vec::as_slice);
        match made.home {
            Home::Before(op) => {
                let (scope, order) = (facts.scopes.of_op(op), facts.scopes.order(op));
                members.extend(list.iter().filter(|&&it| {
                    let at = facts.occurrences[it].op;
                    facts.scopes.order(at) >= order
                        && facts.scopes.is_ancestor(scope, facts.scopes.of_op(at))
                }));
            }
            Home::Around(occurrence) => {
                let end = facts.occurrences[occurrence].end;
                let is_inside = |it: OccurrenceId| it >= occurrence && it < end;
                let list = list.iter().filter(|&&it| is_inside(it) && forms.has_value(made, it));
                members.extend(list);
            }
            Home::InValue(_) => {}
        }
        members.sort_unstable();
        members.dedup();
        members
    };
    (0..outcome.made.len()).map(of).collect()
}

/// Returns the bindings that must not be made, by the first form of each value.
pub(super) fn vetoes(
    facts: &Facts<'_>,
    options: &CseOptions,
    outcome: &Outcome,
    members: &[Vec<OccurrenceId>],
    forms: &Forms<'_>,
) -> Vetoes {
    let mut vetoes = Vetoes::default();
    for (at, made) in outcome.made.iter().enumerate() {
        if let Some(refusal) = veto(facts, options, outcome, members, forms, at) {
            vetoes.values.insert(made.origin, refusal);
        }
    }
    // The text must have room for what is put in, too; nothing is carried into or out of an unresolved branch.
    for &var in &outcome.users {
        let replaced = outcome.replaced_by_user.get(&var).map_or(&[][..], Vec::as_slice);
        let ValueKind::Result(bound_by, _) = facts.body.values[ValueId::new(var as usize)].kind
        else {
            continue;
        };
        let part = facts.part(bound_by);
        let is_fine = |it: &OccurrenceId| {
            let has_text = facts.has(*it, Seen::REAL) || facts.shadows.contains(*it);
            has_text && facts.part(facts.occurrences[*it].op) == part
        };
        if !replaced.iter().all(is_fine) {
            vetoes.users.insert(var);
        }
    }
    vetoes
}

fn veto(
    facts: &Facts<'_>,
    options: &CseOptions,
    outcome: &Outcome,
    members: &[Vec<OccurrenceId>],
    forms: &Forms<'_>,
    at: usize,
) -> Option<Refusal> {
    let made = &outcome.made[at];
    let before = outcome.before(facts, at);
    if facts.source.is_some() {
        let has_no_place = !matches!(made.home, Home::Before(op) if facts.site(op) == Some(op));
        if has_no_place {
            return Some(Refusal::NoBindingSite { before });
        }
        let uses = outcome.n_uses[at] as usize;
        let is_real = |it: OccurrenceId| facts.has(it, Seen::REAL);
        let n_real = outcome.replaces[at].iter().filter(|&&it| is_real(it)).count();
        let has_text = |it: &OccurrenceId| is_real(*it) || facts.shadows.contains(*it);
        if n_real + uses < 2 || !outcome.replaces[at].iter().all(has_text) {
            return Some(Refusal::VirtualOnly);
        }
    }
    if members[at].len() < options.min_occurrences as usize {
        return Some(Refusal::FewOccurrences);
    }
    let flags = facts.body.expr(made.origin).flags;
    if flags.has_unknown || flags.has_captured || flags.has_impure {
        return Some(Refusal::Unknown);
    }
    let part = facts.part(before);
    if outcome.replaces[at].iter().any(|&it| facts.part(facts.occurrences[it].op) != part) {
        return Some(Refusal::Unknown);
    }
    if options.allow_unsound {
        return None;
    }
    if infers_regions(facts.body, before) {
        return Some(Refusal::NoBindingSite { before });
    }
    if options.equivalence == Equivalence::Arithmetic
        && let Some(value) = other_form(outcome, &members[at], forms, at)
    {
        return Some(Refusal::Overflow { value });
    }
    // Named thread indices are defined by launches below the place.
    let order = facts.scopes.order(before);
    if members[at].iter().any(|&it| facts.visible_from_at(it) > order) {
        return Some(Refusal::NoBindingSite { before });
    }
    // A launch inside another one takes its extent from the host, where no name of the kernel is known (P6).
    let is_in_kernel = facts.kernel(facts.scopes.of_op(before)).is_some();
    let is_bound = |it: &OccurrenceId| facts.has(*it, Seen::LAUNCH_BOUND);
    if is_in_kernel && members[at].iter().any(is_bound) {
        return Some(Refusal::LaunchBound);
    }
    may_trap(facts, outcome, &members[at], at, before)
}

/// Returns true if an operation is in a block that does not declare its reads and writes: TVM infers them from the
/// indices in it, and would move a name of the inside to the outside.
fn infers_regions(body: &ir::Body, op: OpId) -> bool {
    let mut around = body.parent_op(op);
    while let Some(at) = around {
        if let ir::OpKind::SBlock(block) = body.ops[at].kind
            && (body.sblocks[block].reads.is_none() || body.sblocks[block].writes.is_none())
        {
            return true;
        }
        around = body.parent_op(at);
    }
    false
}

/// A place at which the value is written in another form than the one that would be evaluated: that one may overflow
/// where this does not (`SEMANTICS: I1`).
fn other_form(
    outcome: &Outcome,
    members: &[OccurrenceId],
    forms: &Forms<'_>,
    at: usize,
) -> Option<OccurrenceId> {
    let origin = outcome.made[at].origin;
    let is_other = |it: &OccurrenceId| !forms.is_written(&outcome.made[at], *it);
    let in_values = || outcome.uses.iter().flatten().any(|it| it.of == at && it.expr != origin);
    members
        .iter()
        .copied()
        .find(is_other)
        .or_else(|| members.first().copied().filter(|_| in_values()))
}

fn may_trap(
    facts: &Facts<'_>,
    outcome: &Outcome,
    members: &[OccurrenceId],
    at: usize,
    before: OpId,
) -> Option<Refusal> {
    let made = &outcome.made[at];
    let culprit = facts.culprit(made.origin)?;
    let &first = members.first()?;
    let refusal = |guarded| Some(Refusal::MayTrap { culprit, guarded });
    match made.home {
        Home::Before(_) => {
            let mut positions: Vec<Position> = members
                .iter()
                .map(|&occurrence| Position {
                    occurrence,
                    op: facts.occurrences[occurrence].op,
                    lazy: facts.is_lazy(occurrence, None),
                    visible_from: facts.visible_from(made.origin),
                    cost: 0,
                    within: None,
                })
                .collect();
            positions.sort_by_key(|it| (facts.scopes.order(it.op), it.occurrence));
            if place::is_anticipated(facts, &positions, before) {
                return None;
            }
            refusal(positions.iter().find(|it| it.lazy).map_or(first, |it| it.occurrence))
        }
        Home::Around(around) => {
            let is_certain = |it: &OccurrenceId| !facts.is_lazy(*it, Some(around));
            if members.iter().any(is_certain) { None } else { refusal(first) }
        }
        // Evaluated with the value it is in, which was evaluated there before.
        Home::InValue(_) => None,
    }
}

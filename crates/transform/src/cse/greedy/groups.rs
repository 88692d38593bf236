//! From decisions to groups and numbers.
//!
//! In: the decisions for one expression, or for all. Out: every counted occurrence in the group of the binding that
//! serves it, and the plan.

use dataflow::scopes::ScopeId;
use ir::{
    OccurrenceId,
    arena::Id,
    plan::{CseGroup, CsePlan, Decision, PartialObstacle, Preset, Refusal, ReuseOf},
};
use rustc_hash::FxHashMap;

use super::{Choice, Greedy, UnnumberedGroup};
use crate::cse::{Work, facts::Facts, finish, names::Names, sharing::Sharing, values::Form};

impl Greedy<'_> {
    /// Gives every counted occurrence to the binding that serves it, and the rest to a refused group.
    pub(super) fn assign_occurrences(
        &mut self,
        list: &[OccurrenceId],
        first: (usize, usize),
        refusals: Vec<(OccurrenceId, Refusal)>,
    ) {
        let facts = self.facts;
        let mut owners = self.owners(first);
        let mut members: Vec<Vec<OccurrenceId>> = vec![Vec::new(); owners.len()];
        owners.sort_by_key(|it| (it.order, it.scope));
        let mut rest = Vec::new();
        // Occurrences and owners both in program order: the open owners are a stack.
        let mut by_order: Vec<OccurrenceId> = list.to_vec();
        by_order.sort_by_key(|&it| (facts.scopes.order(facts.evaluated_at(it)), it));
        let mut open: Vec<usize> = Vec::new();
        let mut next = 0;
        for occurrence in by_order {
            let op = facts.evaluated_at(occurrence);
            let (scope, order) = (facts.scopes.of_op(op), facts.scopes.order(op));
            while next < owners.len() && owners[next].order <= order {
                close(&mut open, &owners, owners[next].scope, facts);
                open.push(next);
                next += 1;
            }
            close(&mut open, &owners, scope, facts);
            let serves = |it: &&usize| {
                let owner = &owners[**it];
                owner.part == facts.part(op)
                    && self.serves(owner.form, &[occurrence])
                    && (owner.crosses || facts.kernel(owner.scope) == facts.kernel(scope))
            };
            // The value of a binding of the user is its own only if no other binding serves it.
            let is_own = |it: &usize| owners[*it].definition == Some(occurrence);
            let others = open.iter().rev().filter(|it| !is_own(it));
            let own = open.iter().rev().filter(|it| is_own(it));
            match others.chain(own).find(serves) {
                Some(&owner) => members[owners[owner].number].push(occurrence),
                None => rest.push(occurrence),
            }
        }
        let n_bound = self.draft.bindings.len() - first.0;
        // The value of a binding with a region is not in the region.
        let definitions: FxHashMap<OccurrenceId, usize> = self.draft.reuses[first.1..]
            .iter()
            .enumerate()
            .map(|(number, it)| (it.definition, n_bound + number))
            .collect();
        rest.retain(|it| match definitions.get(it) {
            Some(&owner) => {
                members[owner].push(*it);
                false
            }
            None => true,
        });
        for (index, mut occurrences) in members.into_iter().enumerate() {
            occurrences.sort_unstable();
            let decision = if index < n_bound {
                Choice::Bind(first.0 + index)
            } else {
                Choice::Reuse(first.1 + index - n_bound)
            };
            let saved = occurrences.len().saturating_sub(1) as u32;
            let value = match decision {
                Choice::Bind(number) => self.draft.bindings[number].value,
                _ => occurrences.first().copied().unwrap_or(list[0]),
            };
            self.groups.push(UnnumberedGroup { value, occurrences, saved, decision });
        }
        rest.sort_unstable();
        let why = refusals.iter().find(|it| rest.binary_search(&it.0).is_ok());
        if let Some(&(_, why)) = why {
            self.refuse(rest, why);
        }
    }

    /// The bindings and reused bindings made since `first`, numbered in this order.
    fn owners(&self, first: (usize, usize)) -> Vec<Owner> {
        let facts = self.facts;
        let bound = self.draft.bindings[first.0..].iter().map(|it| Owner {
            scope: facts.scopes.of_op(it.before),
            order: facts.scopes.order(it.before),
            part: facts.part(it.before),
            crosses: it.crosses,
            form: it.form,
            definition: None,
            number: 0,
        });
        let reused = self.draft.reuses[first.1..].iter().map(|it| Owner {
            scope: it.scope,
            order: facts.scopes.order(it.bound_by),
            part: facts.part(it.bound_by),
            crosses: it.crosses,
            form: it.form,
            definition: Some(it.definition),
            number: 0,
        });
        bound.chain(reused).enumerate().map(|(number, it)| Owner { number, ..it }).collect()
    }

    pub(super) fn finish(mut self, work: &mut Work) -> CsePlan {
        let facts = self.facts;
        let order = self.number();
        let finished = finish::finish(
            facts,
            self.values,
            Some(&|it| self.levels.form(it)),
            &self.draft,
            &mut self.cells,
            false,
            work,
            |user, used| {
                // Bindings are numbered in the order in which they are printed.
                used < user
            },
        );
        let mut groups = Vec::with_capacity(self.groups.len());
        for found in self.groups {
            ir::interrupt::check();
            let decision = match found.decision {
                Choice::Bind(number) if self.draft.bindings[order[number]].accepted => {
                    Decision::Bind(order[number])
                }
                Choice::Bind(_) => Decision::Refuse(Refusal::Limit),
                Choice::Reuse(number) if !self.draft.reuses[number].accepted => {
                    Decision::Refuse(Refusal::Limit)
                }
                Choice::Reuse(number) => {
                    let reused = &self.draft.reuses[number];
                    Decision::Reuse(ReuseOf {
                        held: reused.held,
                        bound_by: reused.bound_by,
                        definition: reused.definition,
                        replaces: Vec::new(),
                    })
                }
                Choice::Insert(cell) => match self.cells[cell].obstacle {
                    None => Decision::Insert(cell),
                    Some(obstacle) => {
                        Decision::Refuse(Refusal::PartialRedundancy { cell, obstacle })
                    }
                },
                Choice::Covered => {
                    Decision::Covered { by: finished.covering(facts, &found.occurrences) }
                }
                Choice::Refuse(refusal) => Decision::Refuse(refusal),
            };
            let expr = facts.occurrences[found.value].expr;
            let equivalence = self.levels.of(&found.occurrences);
            let host_rounding = decision.is_applied()
                && facts.sharing(expr).intersects(Sharing::INEXACT)
                && on_both_sides(facts, &found.occurrences);
            let exposes = |it: &OccurrenceId| self.downstream.exposes(facts, self.values, *it);
            let is_applied = decision.is_applied();
            groups.push(CseGroup {
                expr,
                exposed_to: is_applied
                    .then(|| found.occurrences.iter().find_map(exposes))
                    .flatten(),
                shadows: facts.shadows.of(&found.occurrences),
                equivalence,
                host_rounding,
                cost: facts.cost(expr),
                saved: if matches!(decision, Decision::Refuse(_)) { 0 } else { found.saved },
                occurrences: found.occurrences,
                decision,
            });
        }
        finish::assemble(facts, Preset::Default, groups, &self.draft, &self.cells, finished)
    }

    /// Numbers the bindings: by place, then by use, a binding before the ones that use it. Gives the new number of each
    /// old one.
    fn number(&mut self) -> Vec<usize> {
        let facts = self.facts;
        let mut sorted: Vec<usize> = (0..self.draft.bindings.len()).collect();
        sorted.sort_by_key(|&it| {
            let wanted = &self.draft.bindings[it];
            (
                facts.scopes.order(wanted.before),
                self.sizes[facts.occurrences[wanted.value].expr.index()],
                facts.body.expr(facts.occurrences[wanted.value].expr).size,
                self.value_at[it],
            )
        });
        let mut names = Names::collect(facts, false);
        let mut new = vec![0; sorted.len()];
        let mut bindings = Vec::with_capacity(sorted.len());
        for (number, &old) in sorted.iter().enumerate() {
            ir::interrupt::check();
            new[old] = number;
            let mut wanted = self.draft.bindings[old].clone();
            wanted.name = names.next();
            wanted.accepted = self.options.max_bindings.is_none_or(|it| number < it);
            bindings.push(wanted);
        }
        if let Some(max) = self.options.max_bindings {
            let left = max.saturating_sub(bindings.len());
            self.draft.reuses.iter_mut().skip(left).for_each(|it| it.accepted = false);
            let left = left.saturating_sub(self.draft.reuses.len());
            let open = self.cells.iter_mut().filter(|it| it.obstacle.is_none());
            open.skip(left).for_each(|it| it.obstacle = Some(PartialObstacle::OnRequest));
        }
        for cell in &mut self.cells {
            cell.name = names.next();
        }
        self.draft.bindings = bindings;
        new
    }
}

/// The owner of a value: it serves occurrences from some place on.
struct Owner {
    scope: ScopeId,
    order: u32,
    part: u32,
    crosses: bool,
    form: Option<Form>,
    /// Of a binding of the user, its value.
    definition: Option<OccurrenceId>,
    number: usize,
}

/// Returns true if there are occurrences on both sides of a launch.
fn on_both_sides(facts: &Facts<'_>, occurrences: &[OccurrenceId]) -> bool {
    let kernel = |it: &OccurrenceId| facts.kernel(facts.scopes.of_op(facts.evaluated_at(*it)));
    occurrences.iter().any(|it| kernel(it) != kernel(&occurrences[0]))
}

/// Drops the owners that `scope` is not in.
fn close(open: &mut Vec<usize>, owners: &[Owner], scope: ScopeId, facts: &Facts<'_>) {
    while let Some(&top) = open.last()
        && !facts.scopes.is_ancestor(owners[top].scope, scope)
    {
        open.pop();
    }
}

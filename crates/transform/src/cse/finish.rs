//! The end of planning, from decisions to a plan: the occurrences that each binding replaces, the names in its value,
//! and the plan's order.
//!
//! In: the bindings wanted with their places, and the user's own bindings that are reused. Out: for each the
//! occurrences that become its variable (none inside another), the bindings its own value is written with, and the
//! finished [`CsePlan`]. A planned binding that is not accepted (refused, or beyond a limit) does not count; the
//! occurrences that it would have covered are considered again. Linear in occurrences and in the size of the values.

use ir::{
    OccurrenceId, OpId,
    arena::Id,
    plan::{CseBinding, CseGroup, CsePlan, Decision, ExistingName, Part, Preset, Refusal},
};
use rustc_hash::FxHashSet;

use super::{
    Work,
    cells::{self, WantedCell},
    facts::{Facts, NONE},
    index::{Index, Known},
    values::{Form, Forms, Values},
};
use dataflow::scopes::ScopeId;

/// A binding that a preset wants.
#[derive(Clone, Debug)]
pub(super) struct PlannedBinding {
    /// The occurrence whose expression is the value.
    pub(super) value: OccurrenceId,
    pub(super) before: OpId,
    pub(super) name: Box<str>,
    /// True if the kernels below may use it.
    pub(super) crosses: bool,
    /// The form that it stands for; none for all.
    pub(super) form: Option<Form>,
    pub(super) accepted: bool,
}

/// A binding of the user that serves others.
#[derive(Clone, Debug)]
pub(super) struct Reused {
    pub(super) held: ExistingName,
    pub(super) bound_by: OpId,
    pub(super) definition: OccurrenceId,
    /// The place where the variable is visible.
    pub(super) scope: ScopeId,
    pub(super) crosses: bool,
    /// The form that it stands for; none for all.
    pub(super) form: Option<Form>,
    pub(super) accepted: bool,
}

/// All that a preset wants.
#[derive(Default, Debug)]
pub(super) struct UnfinishedPlan {
    pub(super) bindings: Vec<PlannedBinding>,
    pub(super) reuses: Vec<Reused>,
}

/// The finished plan and its rewriting data.
pub(super) struct Finished {
    /// By wanted binding.
    pub(super) replaces: Vec<Vec<OccurrenceId>>,
    /// By wanted binding: its parts that are other wanted bindings, by their numbers.
    pub(super) uses: Vec<Vec<Part>>,
    /// By wanted binding: its parts that are reused ones, by their numbers.
    pub(super) reuses: Vec<Vec<Part>>,
    /// By reused binding.
    pub(super) replaced_by_user: Vec<Vec<OccurrenceId>>,
    /// All replaced occurrences in order, with the wanted binding or [`NONE`].
    replaced: Vec<(OccurrenceId, u32)>,
    /// Known values by their numbers in the index: the wanted binding, or else the reused one.
    accepted: Vec<usize>,
    reusable: Vec<usize>,
}

/// Finds the occurrences that each accepted binding replaces and uses, and the scalars that can be done beside them.
/// `usable(user, used)` may rule out that the value of one is written with another.
pub(super) fn finish(
    facts: &Facts<'_>,
    values: &Values<'_>,
    forms: Option<Forms<'_>>,
    draft: &UnfinishedPlan,
    cells: &mut [WantedCell],
    bounds_in_place: bool,
    work: &mut Work,
    usable: impl Fn(usize, usize) -> bool,
) -> Finished {
    let accepted: Vec<usize> =
        (0..draft.bindings.len()).filter(|&it| draft.bindings[it].accepted).collect();
    let bound = accepted.iter().map(|&it| &draft.bindings[it]).map(|it| Known {
        class: values.class(it.value),
        scope: facts.scopes.of_op(it.before),
        from: facts.scopes.order(it.before),
        crosses: it.crosses,
        form: it.form,
        part: facts.part(it.before),
    });
    let reusable: Vec<usize> =
        (0..draft.reuses.len()).filter(|&it| draft.reuses[it].accepted).collect();
    let reused = reusable.iter().map(|&it| &draft.reuses[it]).map(|it| Known {
        class: values.class(it.definition),
        scope: it.scope,
        from: facts.scopes.order(it.bound_by) + 1,
        crosses: it.crosses,
        form: it.form,
        part: facts.part(it.bound_by),
    });
    let mut index = Index::build(facts, values, forms, bound.chain(reused).collect());
    let mut finished = Finished {
        replaces: vec![Vec::new(); draft.bindings.len()],
        uses: vec![Vec::new(); draft.bindings.len()],
        reuses: vec![Vec::new(); draft.bindings.len()],
        replaced_by_user: vec![Vec::new(); draft.reuses.len()],
        replaced: Vec::new(),
        accepted: Vec::new(),
        reusable: Vec::new(),
    };
    index.sweep(bounds_in_place, work, |number, occurrence| match accepted.get(number) {
        Some(&binding) => {
            finished.replaces[binding].push(occurrence);
            finished.replaced.push((occurrence, binding as u32));
        }
        None => {
            finished.replaced_by_user[reusable[number - accepted.len()]].push(occurrence);
            finished.replaced.push((occurrence, NONE));
        }
    });
    for &user in &accepted {
        ir::interrupt::check();
        let wanted = &draft.bindings[user];
        let inside = index.inside(wanted.value, wanted.before, work, |number| {
            accepted.get(number).is_none_or(|&used| usable(user, used))
        });
        for (expr, number) in inside {
            match accepted.get(number) {
                Some(&of) => finished.uses[user].push(Part { expr, of }),
                None => {
                    let of = reusable[number - accepted.len()];
                    finished.reuses[user].push(Part { expr, of });
                }
            }
        }
    }
    let replaced: Vec<OccurrenceId> = finished.replaced.iter().map(|it| it.0).collect();
    cells::settle(facts, &mut index, &replaced, cells, work);
    cells::without_taken(facts, cells, &mut finished.replaces);
    cells::without_taken(facts, cells, &mut finished.replaced_by_user);
    finished.accepted = accepted;
    finished.reusable = reusable;
    finished
}

impl Finished {
    /// The bindings whose replaced occurrences hold occurrences of the list, in the order of the list.
    pub(super) fn covering(&self, facts: &Facts<'_>, occurrences: &[OccurrenceId]) -> Vec<usize> {
        let mut by = Vec::new();
        let mut seen = FxHashSet::default();
        for &occurrence in occurrences {
            let after = self.replaced.partition_point(|it| it.0 <= occurrence);
            let Some(&(holder, binding)) = after.checked_sub(1).map(|it| &self.replaced[it]) else {
                continue;
            };
            let is_inside = occurrence < facts.occurrences[holder].end;
            if is_inside && binding != NONE && seen.insert(binding) {
                by.push(binding as usize);
            }
        }
        by
    }
}

/// The plan. Groups speak of wanted bindings by their number in the draft, and of reused ones in the order of the
/// draft.
pub(super) fn assemble(
    facts: &Facts<'_>,
    preset: Preset,
    mut groups: Vec<CseGroup>,
    draft: &UnfinishedPlan,
    cells: &[WantedCell],
    mut finished: Finished,
) -> CsePlan {
    groups.sort_by_key(|it| it.occurrences.first().map_or(usize::MAX, |it| it.index()));
    let mut number = vec![NONE; draft.bindings.len()];
    let mut n_bindings = 0;
    for (index, wanted) in draft.bindings.iter().enumerate() {
        if wanted.accepted {
            number[index] = n_bindings;
            n_bindings += 1;
        }
    }
    let renumber = |it: usize| number[it] as usize;
    let mut group_of_binding = vec![0; draft.bindings.len()];
    let mut group_of_reuse = vec![0; draft.reuses.len()];
    let mut group_of_cell = vec![0; cells.len()];
    let reuse_of_definition: rustc_hash::FxHashMap<OccurrenceId, usize> =
        draft.reuses.iter().enumerate().map(|(index, it)| (it.definition, index)).collect();
    for (index, group) in groups.iter_mut().enumerate() {
        ir::interrupt::check();
        match &mut group.decision {
            Decision::Bind(binding) => {
                group_of_binding[*binding] = index;
                *binding = renumber(*binding);
            }
            Decision::Reuse(reuse) => {
                if let Some(&number) = reuse_of_definition.get(&reuse.definition) {
                    group_of_reuse[number] = index;
                    reuse.replaces = std::mem::take(&mut finished.replaced_by_user[number]);
                    group.saved = reuse.replaces.len() as u32;
                }
            }
            Decision::Covered { by } => by.iter_mut().for_each(|it| *it = renumber(*it)),
            &mut Decision::Insert(cell)
            | &mut Decision::Refuse(Refusal::PartialRedundancy { cell, .. }) => {
                group_of_cell[cell] = index;
            }
            Decision::Refuse(_) => {}
        }
    }
    let mut bindings = Vec::with_capacity(n_bindings as usize);
    for (index, wanted) in draft.bindings.iter().enumerate() {
        ir::interrupt::check();
        if !wanted.accepted {
            continue;
        }
        bindings.push(CseBinding {
            name: wanted.name.clone(),
            group: group_of_binding[index],
            expr: facts.occurrences[wanted.value].expr,
            before: wanted.before,
            within: None,
            depth: 0,
            replaces: std::mem::take(&mut finished.replaces[index]),
            uses: parts(&finished.uses[index], renumber),
            reuses: parts(&finished.reuses[index], |it| group_of_reuse[it]),
        });
    }
    let split = |expr, number: usize| match finished.accepted.get(number) {
        Some(&of) => (true, Part { expr, of: renumber(of) }),
        None => {
            let of = finished.reusable[number - finished.accepted.len()];
            (false, Part { expr, of: group_of_reuse[of] })
        }
    };
    let cells = cells.iter().zip(&group_of_cell);
    let cells = cells.map(|(it, &group)| cells::planned(facts, it, group, split)).collect();
    let informational = ir::plan::only_informs(facts.body);
    CsePlan { preset, groups, bindings, cells, dropped: Vec::new(), informational }
}

fn parts(parts: &[Part], number: impl Fn(usize) -> usize) -> Vec<Part> {
    parts.iter().map(|it| Part { of: number(it.of), ..*it }).collect()
}

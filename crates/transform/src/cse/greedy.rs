//! The preset `default`: the candidates of TVM, soundly, without single-use bindings, and with the user's own.
//!
//! Expressions are looked at from the largest to the smallest (an operand has a smaller id than what uses it). For each, the
//! *effective* occurrences are those that are still evaluated after what was decided before: not inside a replaced occurrence,
//! except the first of each group, which became the value of the binding and is now evaluated there. Fewer than two: nothing to save.
//! Then:
//!
//! 1. If every one of them is the value of a binding that the user made, or comes after one and sees it, that binding is reused.
//! 2. Else they are kept apart where nothing may be shared (`SEMANTICS: X8`, `P6`, `H1`, `H2`): kernels from each other, and
//!    from the host unless the value is an integer that the host computes anyway.
//! 3. The rest is a question of place ([`super::place`]).
//!
//! Each occurrence is covered at most once, and being inside the first one of a group is paid for by the other one that is then
//! covered; so time is O(occurrences · log depth).

mod found;
mod groups;
mod lists;
mod near;
mod reuse;
mod together;

use dataflow::alias::AliasClasses;
use ir::{
    ExprId, OccurrenceId,
    arena::Id,
    plan::{CsePlan, Refusal},
};
use lists::Lists;
use together::Together;

use super::{
    CseOptions, Work,
    facts::{Facts, NONE},
    finish::{Draft, Wanted},
    place::{self, Position, Rules},
    sharing::Sharing,
    traps::Traps,
    values::{Class, Levels, Memory, Values},
};

struct Greedy<'a> {
    facts: &'a Facts<'a>,
    options: &'a CseOptions,
    values: &'a Values<'a>,
    traps: Traps<'a>,
    levels: Levels<'a>,
    draft: Draft,
    /// By occurrence: whether it is inside a replaced occurrence that is not a value.
    covered: Vec<bool>,
    /// By occurrence: the wanted binding whose value it is part of, or [`NONE`].
    home: Vec<u32>,
    /// By wanted binding: the first occurrence of its group, which is evaluated where it stands.
    first_at: Vec<OccurrenceId>,
    groups: Vec<Found>,
}

/// A group before its bindings have numbers.
struct Found {
    /// The occurrence that shows its form.
    value: OccurrenceId,
    occurrences: Vec<OccurrenceId>,
    saved: u32,
    decision: Choice,
}

enum Choice {
    Bind(usize),
    Reuse(usize),
    Covered,
    Refuse(Refusal),
}

pub(super) fn plan(facts: &Facts<'_>, options: &CseOptions, work: &mut Work) -> CsePlan {
    let aliases = AliasClasses::build(facts.body, facts.effects);
    let memory = &Memory::new(facts, &aliases);
    let values = &Values::number(facts, memory, options.equivalence, work);
    let lists = Lists::collect(facts, values, work, true);
    // Without a text all is real, and nothing is left for the second list.
    let virtual_lists = Lists::collect(facts, values, work, false);
    let mut greedy = Greedy {
        facts,
        options,
        values,
        traps: Traps::new(facts, values),
        levels: Levels::new(memory, options.equivalence),
        draft: Draft::default(),
        covered: vec![false; facts.occurrences.len()],
        home: vec![NONE; facts.occurrences.len()],
        first_at: Vec::new(),
        groups: Vec::new(),
    };
    for class in (0..values.len() as Class).rev() {
        if lists.of(class).len() < 2 {
            greedy.without_text(virtual_lists.of(class), &virtual_lists);
        }
    }
    for class in largest_first(facts, values, &lists, work) {
        let list = lists.of(class);
        if facts.is_shareable(facts.occurrences[list[0]].expr) {
            greedy.decide(list, work);
        } else {
            greedy.found_only(list, &lists);
        }
    }
    greedy.near_misses(memory, work);
    greedy.finish(work)
}

/// The classes of several occurrences, those with the largest expressions first: what is inside another one comes after it.
fn largest_first(
    facts: &Facts<'_>,
    values: &Values<'_>,
    lists: &Lists,
    work: &mut Work,
) -> Vec<Class> {
    let size = |&it: &OccurrenceId| {
        let expr = facts.occurrences[it].expr;
        (facts.body.expr(expr).size, expr)
    };
    let mut sorted: Vec<_> = (0..values.len() as Class)
        .filter(|&it| lists.of(it).len() >= 2)
        .filter_map(|it| Some((lists.of(it).iter().map(size).max()?, it)))
        .collect();
    work.visited += sorted.iter().map(|it| lists.of(it.1).len() as u64).sum::<u64>();
    work.compared += (sorted.len() * size_of::<(u32, ExprId, Class)>()) as u64;
    sorted.sort_unstable();
    sorted.into_iter().rev().map(|it| it.1).collect()
}

impl Greedy<'_> {
    fn decide(&mut self, list: &[OccurrenceId], work: &mut Work) {
        let facts = self.facts;
        let expr = facts.occurrences[list[0]].expr;
        work.visited += list.len() as u64;
        let flags = facts.body.expr(expr).flags;
        if flags.open_binders > 0 {
            return self.refuse(list.to_vec(), Refusal::UnderBinder);
        }
        if flags.has_unknown {
            return self.refuse(list.to_vec(), Refusal::Unknown);
        }
        if facts.sharing(expr).has(Sharing::NARROW) {
            return self.refuse(list.to_vec(), Refusal::NarrowInteger);
        }
        let mut positions: Vec<Position> = list
            .iter()
            .filter(|it| !self.covered[it.index()])
            .map(|&it| self.position(it))
            .collect();
        if positions.len() < 2 {
            self.groups.push(Found {
                value: list[0],
                occurrences: list.to_vec(),
                saved: 0,
                decision: Choice::Covered,
            });
            return;
        }
        work.compared += (positions.len() * size_of::<Position>()) as u64;
        positions.sort_by_key(|it| (facts.scopes.order(it.op), it.occurrence));
        let first_owner = (self.draft.bindings.len(), self.draft.reuses.len());
        let mut refusals = Vec::new();
        if !self.reuse(expr, &positions) {
            for class in self.classes(expr, positions) {
                self.bind(expr, &class, &mut refusals, work);
            }
        }
        self.hand_out(list, first_owner, refusals);
    }

    /// Where an occurrence is evaluated now.
    fn position(&self, occurrence: OccurrenceId) -> Position {
        let facts = self.facts;
        let visible_from = self.values.visible_from(facts, occurrence);
        match self.home[occurrence.index()] {
            NONE => Position {
                occurrence,
                op: facts.evaluated_at(occurrence),
                lazy: facts.is_lazy(occurrence, None),
                visible_from,
            },
            // A value is evaluated where its binding stands; what it does lazily inside, it still does.
            home => Position {
                occurrence,
                op: self.draft.bindings[home as usize].before,
                visible_from,
                lazy: facts.is_lazy(occurrence, Some(self.first_at[home as usize])),
            },
        }
    }

    /// Groups the positions of one class, which may be shared with each other.
    fn bind(
        &mut self,
        expr: ExprId,
        class: &Together,
        refusals: &mut Vec<(OccurrenceId, Refusal)>,
        work: &mut Work,
    ) {
        let facts = self.facts;
        let positions = &class.positions;
        if positions.len() < 2 {
            if let Some(refusal) = class.apart {
                refusals.extend(positions.iter().map(|it| (it.occurrence, refusal)));
            }
            return;
        }
        let rules = Rules {
            culprit: facts.culprit(expr),
            is_safe: &|position, before, work| {
                self.traps.is_safe(positions[position].occurrence, before, work)
            },
            is_pinned: facts.sharing(expr).has(Sharing::CONVERGENT),
        };
        let split = place::split(facts, positions, &rules, work);
        for group in split.groups {
            let number = self.draft.bindings.len();
            let members = &positions[group.range];
            self.draft.bindings.push(Wanted {
                value: positions[group.value].occurrence,
                before: group.before,
                name: Box::default(),
                crosses: self.crosses(members),
                accepted: true,
            });
            self.first_at.push(members[0].occurrence);
            self.mark(members[0].occurrence, Some(number as u32));
            for member in &members[1..] {
                self.mark(member.occurrence, None);
            }
        }
        refusals.extend(split.left.iter().map(|&(at, why)| (positions[at].occurrence, why)));
    }

    fn crosses(&self, members: &[Position]) -> bool {
        let facts = self.facts;
        let kernel = |it: &Position| facts.kernel(facts.scopes.of_op(it.op));
        members.iter().any(|it| kernel(it) != kernel(&members[0]))
    }

    /// What is inside a replaced occurrence: part of a value, or not evaluated any more.
    fn mark(&mut self, occurrence: OccurrenceId, home: Option<u32>) {
        let inside = occurrence.index() + 1..self.facts.occurrences[occurrence].end.index();
        match home {
            Some(home) => self.home[inside].fill(home),
            None => self.covered[inside].fill(true),
        }
    }
}

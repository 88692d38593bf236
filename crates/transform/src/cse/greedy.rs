//! The preset `default`: the candidates of TVM, soundly, without single-use bindings, and with the user's own.
//!
//! Values are looked at from the largest to the smallest. For each, the *effective* occurrences are those that are
//! still evaluated after the earlier decisions: not inside a replaced occurrence, except the first of each group, which
//! became the value of the binding and is now evaluated there. Fewer than two: nothing to save. Then:
//!
//! 1. If every one of them is the value of a binding that the user made, or comes after one and sees it, that binding
//!    is reused.
//! 2. Else they are kept apart where nothing may be shared (`SEMANTICS: X8`, `P6`, `H1`, `H2`): kernels from each
//!    other, and from the host unless the value is an integer that the host computes anyway.
//! 3. The rest is a question of place ([`super::place`]).
//!
//! Each occurrence is covered at most once, and being inside the first one of a group is paid for by the other one that
//! is then covered; so time is O(occurrences · log depth).

mod found;
mod groups;
mod lists;
mod near;
mod order;
mod partial;
mod reuse;
mod shareable;

use ir::{
    BinaryOp, BufferOrigin, ExprKind, OccurrenceId, OpId, OpKind,
    arena::Id,
    plan::{CsePlan, Equivalence, Refusal, TvmPass},
};
use lists::Lists;
use order::{largest_first, written_out};
use shareable::Together;

use super::{
    CseOptions, Work,
    cells::WantedCell,
    downstream::Downstream,
    facts::{Facts, NONE},
    finish::{PlannedBinding, UnfinishedPlan},
    folding,
    place::{self, Position, Rules},
    proofs::Proofs,
    sharing::Sharing,
    traps::Traps,
    values::{Class, Form, Levels, Memory, Values},
};

struct Greedy<'a> {
    facts: &'a Facts<'a>,
    options: &'a CseOptions,
    values: &'a Values<'a>,
    memory: &'a Memory<'a>,
    traps: Traps<'a>,
    proofs: &'a Proofs<'a>,
    levels: Levels<'a>,
    draft: UnfinishedPlan,
    /// By occurrence: whether it is inside a replaced occurrence that is not a value.
    covered: Vec<bool>,
    /// By occurrence: the wanted binding whose value it is part of, or [`NONE`].
    home: Vec<u32>,
    /// By wanted binding: the occurrence that became its value, and is evaluated where it stands.
    value_at: Vec<OccurrenceId>,
    downstream: Downstream,
    groups: Vec<UnnumberedGroup>,
    /// Scalars that would make partially redundant values available on all paths.
    cells: Vec<WantedCell>,
    /// The occurrences that these could hold, in order, with their numbers.
    partial: Vec<(OccurrenceId, usize)>,
    /// By node: its size with variables written out.
    sizes: Vec<u32>,
    /// True if Python chooses between parts of the function.
    has_static_choices: bool,
}

/// A group before its bindings have numbers.
struct UnnumberedGroup {
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
    Insert(usize),
    Refuse(Refusal),
}

pub(super) fn plan(facts: &Facts<'_>, options: &CseOptions, work: &mut Work) -> CsePlan {
    let memory = &Memory::new(facts.analyses);
    let values = &Values::number(facts, memory, options.equivalence, work);
    let proofs = &Proofs::new(facts, memory);
    let mut lists = Lists::collect(facts, values, work, true);
    if options.equivalence > Equivalence::Commutative {
        lists = lists.without_nested(facts, work);
    }
    // Without a text all is real, and nothing is left for the second list.
    let virtual_lists = Lists::collect(facts, values, work, false);
    let mut greedy = Greedy {
        facts,
        options,
        values,
        memory,
        traps: Traps::new(facts, values, proofs),
        proofs,
        levels: Levels::new(memory, options.equivalence),
        draft: UnfinishedPlan::default(),
        covered: vec![false; facts.occurrences.len()],
        home: vec![NONE; facts.occurrences.len()],
        value_at: Vec::new(),
        downstream: Downstream::of(facts, values, work),
        groups: Vec::new(),
        cells: Vec::new(),
        partial: Vec::new(),
        sizes: written_out(facts.body),
        has_static_choices: facts.body.ops.ids().any(|it| facts.body.is_static_choice(it))
            || facts.body.exprs().any(|(it, _)| facts.body.is_static_selection(it)),
    };
    for class in (0..values.len() as Class).rev() {
        ir::interrupt::check();
        if lists.of(class).len() < 2 {
            greedy.without_text(virtual_lists.of(class), &virtual_lists);
        }
    }
    for class in largest_first(facts, values, &lists, &greedy.sizes, work) {
        ir::interrupt::check();
        let list = lists.of(class);
        if list.iter().all(|&it| facts.is_shareable(facts.occurrences[it].expr)) {
            greedy.decide(list, work);
        } else {
            greedy.found_only(list, &lists);
        }
    }
    greedy.partial_redundancies(memory, work);
    greedy.near_misses(memory, work);
    greedy.finish(work)
}

impl Greedy<'_> {
    fn decide(&mut self, list: &[OccurrenceId], work: &mut Work) {
        let facts = self.facts;
        let expr = facts.occurrences[list[0]].expr;
        work.visited += list.len() as u64;
        let flags = facts.body.expr(expr).flags;
        if list.iter().all(|&it| self.is_open(it)) {
            return self.refuse(list.to_vec(), Refusal::UnderBinder);
        }
        if let Some(to) = self.values.leaf(list[0]) {
            return self.refuse(list.to_vec(), Refusal::Simplifies { to });
        }
        if flags.has_unknown {
            return self.refuse(list.to_vec(), Refusal::Unknown);
        }
        let is_narrow = |it: &OccurrenceId| {
            facts.sharing(facts.occurrences[*it].expr).intersects(Sharing::NARROW)
        };
        if list.iter().any(is_narrow) {
            return self.refuse(list.to_vec(), Refusal::NarrowInteger);
        }
        if let Some(pass) = self.exposed_to(list) {
            return self.refuse(list.to_vec(), Refusal::Downstream { pass });
        }
        let dropped = |it: &OccurrenceId| folding::dropped_beside(self.facts, *it);
        if let Some(beside) = list.iter().find_map(dropped) {
            return self.refuse(list.to_vec(), Refusal::Folds { beside });
        }
        if list.len() < self.options.min_occurrences as usize {
            return self.refuse(list.to_vec(), Refusal::FewOccurrences);
        }
        let mut positions: Vec<Position> = list
            .iter()
            .filter(|it| !self.covered[it.index()])
            .map(|&it| self.position(it))
            .collect();
        if positions.len() < 2 {
            self.groups.push(UnnumberedGroup {
                value: list[0],
                occurrences: list.to_vec(),
                saved: 0,
                decision: Choice::Covered,
            });
            return;
        }
        work.compared += (positions.len() * size_of::<Position>()) as u64;
        positions.sort_by_key(|it| (facts.scopes.order(it.op), it.occurrence));
        // Nothing that a statement sees is there before the first closed form.
        let first_closed = positions.iter().position(|it| !self.is_open(it.occurrence));
        positions.drain(..first_closed.unwrap_or(0));
        let first_owner = (self.draft.bindings.len(), self.draft.reuses.len());
        let mut refusals = Vec::new();
        let left = self.reuse(&positions).unwrap_or(positions);
        if left.len() > 1 {
            for class in self.classes(left) {
                ir::interrupt::check();
                self.bind(&class, &mut refusals, work);
            }
        }
        self.assign_occurrences(list, first_owner, refusals);
    }

    /// The pass of TVM that a name for the value would mislead, if TVM comes next.
    fn exposed_to(&self, list: &[OccurrenceId]) -> Option<TvmPass> {
        if self.options.downstream != ir::plan::Downstream::Tvm {
            return None;
        }
        list.iter().find_map(|&it| self.downstream.exposes(self.facts, self.values, it))
    }

    /// Returns true if an occurrence names the variable of a binder around it, and so has a value only there.
    fn is_open(&self, occurrence: OccurrenceId) -> bool {
        let expr = self.facts.occurrences[occurrence].expr;
        self.facts.body.expr(expr).flags.open_binders > 0
    }

    /// Returns the place where an occurrence is evaluated now.
    fn position(&self, occurrence: OccurrenceId) -> Position {
        let facts = self.facts;
        // An open form may be equal to a closed one, whose name it can get; no statement sees it.
        let visible_from = match self.is_open(occurrence) {
            true => u32::MAX,
            false => self.values.visible_from(facts, occurrence),
        };
        let cost = facts.cost(facts.occurrences[occurrence].expr);
        match self.home[occurrence.index()] {
            NONE => Position {
                occurrence,
                op: facts.evaluated_at(occurrence),
                lazy: facts.is_lazy(occurrence, None),
                visible_from,
                cost,
                within: None,
            },
            // A value is evaluated where its binding stands; what it does lazily inside, it still does.
            home => Position {
                occurrence,
                op: self.draft.bindings[home as usize].before,
                visible_from,
                cost,
                lazy: facts.is_lazy(occurrence, Some(self.value_at[home as usize])),
                within: Some(self.value_at[home as usize]),
            },
        }
    }

    /// Groups the positions of one class, which may be shared with each other.
    fn bind(
        &mut self,
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
        let expr = |it: &Position| facts.occurrences[it.occurrence].expr;
        let rules = Rules {
            culprit: positions.iter().find_map(|it| facts.culprit(expr(it))),
            is_safe: &|position, before, work| {
                self.traps.is_safe(positions[position].occurrence, before, work)
            },
            is_pinned: facts.sharing(expr(&positions[0])).intersects(Sharing::CONVERGENT),
        };
        let split = place::split(facts, positions, &rules, work);
        for group in split.groups {
            ir::interrupt::check();
            let members = &positions[group.range.clone()];
            let value = positions[group.value].occurrence;
            let occurrences: Vec<OccurrenceId> = members.iter().map(|it| it.occurrence).collect();
            let form = self.form(value, group.before);
            let apart = if !self.serves(form, &occurrences) {
                Some(Refusal::Overflow { value })
            } else if self.adds_trap(members, value, group.before, work) {
                facts
                    .culprit(expr(&positions[group.value]))
                    .map(|culprit| Refusal::MayTrap { culprit, guarded: value })
            } else {
                None
            };
            if apart.is_some() {
                self.bind_apart(members, apart, refusals, work);
                continue;
            }
            let number = self.draft.bindings.len();
            self.draft.bindings.push(PlannedBinding {
                value,
                before: group.before,
                name: Box::default(),
                crosses: self.crosses(members),
                form,
                accepted: true,
            });
            self.value_at.push(value);
            for member in members {
                ir::interrupt::check();
                self.mark(member.occurrence, (member.occurrence == value).then_some(number as u32));
            }
        }
        refusals.extend(split.left.iter().map(|&(at, why)| (positions[at].occurrence, why)));
    }

    /// The one form that a value can stand for; none if it can for all: its sums are the same ones in all forms, or
    /// they are shown to stay in their type where it is evaluated (`SEMANTICS: I1`: no rewrite may introduce an
    /// overflow into a used value), or the program as it is written has the overflow there too.
    fn form(&self, value: OccurrenceId, before: OpId) -> Option<Form> {
        let has_forms = self.options.equivalence > Equivalence::Commutative;
        let is_any = || {
            self.proofs.cannot_overflow(value, before) || self.overflows_as_written(value, before)
        };
        (has_forms && !is_any()).then(|| self.levels.form(value))
    }

    /// Returns true if an overflow in a value that is bound right before an operation is also an overflow of the
    /// program as it is written. The operation evaluates the value in any case, and stores it, or sums and products of
    /// it, into memory of the caller (`SEMANTICS: I1`: it is used; values computed from a wrapped value are wrapped).
    fn overflows_as_written(&self, value: OccurrenceId, before: OpId) -> bool {
        let Facts { body, occurrences, .. } = self.facts;
        let is_stored = match body.ops[before].kind {
            OpKind::Store { buffer, predicated: false } => {
                body.buffers[buffer].origin == BufferOrigin::Param
            }
            _ => false,
        };
        let keeps_the_mark = |it: OccurrenceId| {
            let kind = body.expr(occurrences[it].expr).kind;
            matches!(kind, ExprKind::Binary(BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul, ..))
        };
        let mut around =
            std::iter::successors(occurrences[value].parent, |it| occurrences[*it].parent);
        is_stored
            && occurrences[value].op == before
            && !self.facts.is_lazy(value, None)
            && around.all(keeps_the_mark)
    }

    fn serves(&self, form: Option<Form>, occurrences: &[OccurrenceId]) -> bool {
        form.is_none_or(|form| occurrences.iter().all(|&it| self.levels.form(it) == form))
    }

    /// Returns true if a value may trap where other forms of it do not: a canonical form can be equal to one without
    /// the division.
    fn adds_trap(
        &self,
        members: &[Position],
        value: OccurrenceId,
        before: OpId,
        work: &mut Work,
    ) -> bool {
        let culprit = |it: OccurrenceId| self.facts.culprit(self.facts.occurrences[it].expr);
        self.options.equivalence > Equivalence::Commutative
            && culprit(value).is_some()
            && members.iter().any(|it| culprit(it.occurrence).is_none())
            && !self.traps.is_safe(value, before, work)
    }

    /// Shares occurrences that are equal without re-association, and gives the reason for the others.
    fn bind_apart(
        &mut self,
        members: &[Position],
        apart: Option<Refusal>,
        refusals: &mut Vec<(OccurrenceId, Refusal)>,
        work: &mut Work,
    ) {
        let form = |it: &Position| self.levels.form(it.occurrence);
        let mut sorted: Vec<(Form, Position)> = members.iter().map(|it| (form(it), *it)).collect();
        sorted.sort_by_key(|it| it.0);
        let forms: Vec<Together> = sorted
            .chunk_by(|a, b| a.0 == b.0)
            .map(|it| Together { positions: it.iter().map(|it| it.1).collect(), apart })
            .collect();
        // One form cannot be taken apart: nothing would be different the next time.
        if let ([only], Some(refusal)) = (&forms[..], apart) {
            refusals.extend(only.positions.iter().map(|it| (it.occurrence, refusal)));
            return;
        }
        for form in forms {
            self.bind(&form, refusals, work);
        }
    }

    fn crosses(&self, members: &[Position]) -> bool {
        let facts = self.facts;
        let kernel = |it: &Position| facts.kernel(facts.scopes.of_op(it.op));
        members.iter().any(|it| kernel(it) != kernel(&members[0]))
    }

    /// Marks the occurrences inside a replaced one: they are part of a value, or no longer evaluated.
    fn mark(&mut self, occurrence: OccurrenceId, home: Option<u32>) {
        let inside = occurrence.index() + 1..self.facts.occurrences[occurrence].end.index();
        match home {
            Some(home) => self.home[inside].fill(home),
            None => self.covered[inside].fill(true),
        }
    }
}

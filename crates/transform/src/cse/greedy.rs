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

use dataflow::scopes::ScopeId;
use ir::{
    ExprId, ExprKind, OccurrenceId, OpKind,
    arena::Id,
    plan::{CseGroup, CsePlan, Decision, Equivalence, Preset, Refusal, ReuseOf},
};
use rustc_hash::{FxHashMap, FxHashSet};

use super::{
    CseOptions, Work,
    facts::{Facts, NONE, flag},
    finish::{self, Draft, Reused, Wanted},
    names::Names,
    place::{self, Position},
};

struct Greedy<'a> {
    facts: &'a Facts<'a>,
    draft: Draft,
    /// By occurrence: whether it is inside a replaced occurrence that is not a value.
    covered: Vec<bool>,
    /// By occurrence: the wanted binding whose value it is part of, or [`NONE`].
    home: Vec<u32>,
    /// By wanted binding: the occurrence that became its value.
    value_at: Vec<OccurrenceId>,
    groups: Vec<Found>,
}

/// A group before its bindings have numbers.
struct Found {
    expr: ExprId,
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
    let lists = Lists::collect(facts, work, true);
    // Without a text all is real, and nothing is left for the second list.
    let virtual_lists = Lists::collect(facts, work, false);
    let mut greedy = Greedy {
        facts,
        draft: Draft::default(),
        covered: vec![false; facts.occurrences.len()],
        home: vec![NONE; facts.occurrences.len()],
        value_at: Vec::new(),
        groups: Vec::new(),
    };
    for index in (0..facts.body.n_exprs()).rev() {
        let expr = ExprId::new(index);
        let list = lists.of(expr);
        if list.len() < 2 {
            greedy.without_text(expr, &virtual_lists);
            continue;
        }
        if facts.is_candidate(expr) {
            greedy.decide(expr, list, work);
        } else {
            greedy.found_only(expr, list, &lists);
        }
    }
    greedy.finish(options, work)
}

/// The counted occurrences of each expression, in order; or those that are in a text only as something else.
struct Lists {
    starts: Vec<u32>,
    occurrences: Vec<OccurrenceId>,
}

impl Lists {
    fn collect(facts: &Facts<'_>, work: &mut Work, real: bool) -> Lists {
        if !real && facts.source.is_none() {
            return Lists { starts: vec![0; facts.body.n_exprs() + 1], occurrences: Vec::new() };
        }
        let counted = || {
            facts.occurrences.iter().filter(|&(id, it)| {
                let counts = if real {
                    facts.has(id, flag::REAL)
                } else {
                    !facts.has(id, flag::REAL)
                        && facts.is_candidate(it.expr)
                        && !facts.shadows.contains(id)
                };
                counts
                    && facts.has(id, flag::REPLACEABLE)
                    && !facts.has(id, flag::LAUNCH_BOUND)
                    && !facts.body.expr(it.expr).is_leaf()
                    && (!facts.has(id, flag::UNDER_BINDER)
                        || facts.body.expr(it.expr).flags.open_binders > 0)
            })
        };
        work.visited += 2 * facts.occurrences.len() as u64;
        let mut starts = vec![0u32; facts.body.n_exprs() + 1];
        for (_, it) in counted() {
            starts[it.expr.index() + 1] += 1;
        }
        for at in 1..starts.len() {
            starts[at] += starts[at - 1];
        }
        let mut next = starts.clone();
        let mut occurrences = vec![OccurrenceId::new(0); starts[starts.len() - 1] as usize];
        for (id, it) in counted() {
            let at = &mut next[it.expr.index()];
            occurrences[*at as usize] = id;
            *at += 1;
        }
        Lists { starts, occurrences }
    }

    fn of(&self, expr: ExprId) -> &[OccurrenceId] {
        let (start, end) = (self.starts[expr.index()], self.starts[expr.index() + 1]);
        &self.occurrences[start as usize..end as usize]
    }
}

impl Greedy<'_> {
    // ---- what is found and never bound by this version ----

    /// Lists a group that is not a candidate, unless all of it is inside a larger one that is listed.
    fn found_only(&mut self, expr: ExprId, list: &[OccurrenceId], lists: &Lists) {
        let facts = self.facts;
        if let Some(parent) = facts.occurrences[list[0]].parent {
            let parent = facts.occurrences[parent].expr;
            if lists.of(parent).len() == list.len() {
                return;
            }
        }
        if let Some(refusal) = self.why_not(expr) {
            self.refuse(expr, list.to_vec(), refusal);
        }
    }

    /// Lists a value that is computed twice but written at most once, unless all of it is inside a larger one.
    fn without_text(&mut self, expr: ExprId, virtual_lists: &Lists) {
        let list = virtual_lists.of(expr);
        if list.len() < 2 {
            return;
        }
        let parent = self.facts.occurrences[list[0]].parent;
        let is_part = parent.is_some_and(|it| {
            virtual_lists.of(self.facts.occurrences[it].expr).len() == list.len()
        });
        if !is_part {
            self.refuse(expr, list.to_vec(), Refusal::VirtualOnly);
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
        if node.flags.has_call {
            return first_call(body, expr).map(|callee| Refusal::ImpureCall { callee });
        }
        if node.flags.has_load {
            return Some(Refusal::ReadsMemory);
        }
        body.dtype(expr).is_some_and(|it| it.is_bool()).then_some(Refusal::Predicate)
    }

    fn refuse(&mut self, expr: ExprId, occurrences: Vec<OccurrenceId>, refusal: Refusal) {
        self.groups.push(Found { expr, occurrences, saved: 0, decision: Choice::Refuse(refusal) });
    }

    // ---- candidates ----

    fn decide(&mut self, expr: ExprId, list: &[OccurrenceId], work: &mut Work) {
        let facts = self.facts;
        work.visited += list.len() as u64;
        let flags = facts.body.expr(expr).flags;
        if flags.open_binders > 0 {
            return self.refuse(expr, list.to_vec(), Refusal::UnderBinder);
        }
        if flags.has_unknown || flags.has_impure {
            return self.refuse(expr, list.to_vec(), Refusal::Unknown);
        }
        if facts.is_narrow(expr) {
            return self.refuse(expr, list.to_vec(), Refusal::NarrowInteger);
        }
        let mut positions: Vec<Position> = list
            .iter()
            .filter(|it| !self.covered[it.index()])
            .map(|&it| self.position(it))
            .collect();
        if positions.len() < 2 {
            self.groups.push(Found {
                expr,
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
            for (class, mixed) in classes(facts, expr, positions) {
                self.bind(expr, &class, mixed, &mut refusals, work);
            }
        }
        self.hand_out(expr, list, first_owner, refusals);
    }

    /// Where an occurrence is evaluated now.
    fn position(&self, occurrence: OccurrenceId) -> Position {
        let facts = self.facts;
        match self.home[occurrence.index()] {
            NONE => Position {
                occurrence,
                op: facts.occurrences[occurrence].op,
                lazy: facts.is_lazy(occurrence, None),
            },
            // A value is evaluated where its binding stands; what it does lazily inside, it still does.
            home => Position {
                occurrence,
                op: self.draft.bindings[home as usize].before,
                lazy: facts.is_lazy(occurrence, Some(self.value_at[home as usize])),
            },
        }
    }

    /// Groups the positions of one class, which may be shared with each other.
    fn bind(
        &mut self,
        expr: ExprId,
        positions: &[Position],
        is_split: bool,
        refusals: &mut Vec<(OccurrenceId, Refusal)>,
        work: &mut Work,
    ) {
        let facts = self.facts;
        if positions.len() < 2 {
            if is_split {
                refusals.extend(positions.iter().map(|it| (it.occurrence, Refusal::LaunchBound)));
            }
            return;
        }
        let split = place::split(facts, expr, positions, work);
        for group in split.groups {
            let number = self.draft.bindings.len();
            let members = &positions[group.range];
            self.draft.bindings.push(Wanted {
                expr,
                before: group.before,
                name: Box::default(),
                crosses: self.crosses(members),
                accepted: true,
            });
            self.value_at.push(members[0].occurrence);
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

    // ---- the user's own bindings ----

    /// Reuses the user's bindings of the value if they serve all positions.
    fn reuse(&mut self, expr: ExprId, positions: &[Position]) -> bool {
        let facts = self.facts;
        let mut found: Vec<Reused> = Vec::new();
        let mut served: Vec<Vec<OccurrenceId>> = Vec::new();
        for position in positions {
            let scope = facts.scopes.of_op(position.op);
            let order = facts.scopes.order(position.op);
            // Positions come in order, so only the last definition can hold this one.
            if let Some(last) = found.last()
                && facts.scopes.is_ancestor(last.scope, scope)
            {
                let same_side = facts.kernel(last.scope) == facts.kernel(scope)
                    || !facts.has_float(expr) && facts.kernel(last.scope).is_none();
                let is_known = order > facts.scopes.order(last.bound_by)
                    && facts.part(last.bound_by) == facts.part(position.op);
                if !(same_side && is_known) {
                    return false;
                }
                served.last_mut().expect("one list a definition").push(position.occurrence);
                continue;
            }
            match self.definition(expr, position) {
                Some(definition) => {
                    found.push(definition);
                    served.push(Vec::new());
                }
                None => return false,
            }
        }
        if served.iter().all(Vec::is_empty) {
            return false;
        }
        for (definition, served) in found.into_iter().zip(served) {
            if !served.is_empty() {
                self.draft.reuses.push(definition);
                for occurrence in served {
                    self.mark(occurrence, None);
                }
            }
        }
        true
    }

    /// The binding whose whole value the position is.
    fn definition(&self, expr: ExprId, position: &Position) -> Option<Reused> {
        let facts = self.facts;
        let body = facts.body;
        let here = facts.occurrences[position.occurrence];
        let op = &body.ops[here.op];
        let is_value = here.parent.is_none()
            && op.kind == OpKind::Bind
            && self.home[position.occurrence.index()] == NONE;
        let [value] = op.results[..] else { return None };
        if !is_value || body.values[value].ty != body.ty(expr) {
            return None;
        }
        let scope = match op.regions.first() {
            Some(&region) => facts.scopes.of_block(body.entry(region)),
            None => facts.scopes.of_op(here.op),
        };
        Some(Reused {
            expr,
            value,
            bound_by: here.op,
            definition: position.occurrence,
            scope,
            crosses: !facts.has_float(expr) && facts.kernel(scope).is_none(),
            accepted: true,
        })
    }

    // ---- groups ----

    /// Gives every counted occurrence to the binding that serves it, and the rest to a refused group.
    fn hand_out(
        &mut self,
        expr: ExprId,
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
        by_order.sort_by_key(|&it| (facts.scopes.order(facts.occurrences[it].op), it));
        let mut open: Vec<usize> = Vec::new();
        let mut next = 0;
        for occurrence in by_order {
            let op = facts.occurrences[occurrence].op;
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
                    && (owner.crosses || facts.kernel(owner.scope) == facts.kernel(scope))
            };
            match open.iter().rev().find(serves) {
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
            self.groups.push(Found { expr, occurrences, saved, decision });
        }
        rest.sort_unstable();
        let why = refusals.iter().find(|it| rest.binary_search(&it.0).is_ok());
        if let Some(&(_, why)) = why {
            self.refuse(expr, rest, why);
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
            number: 0,
        });
        let reused = self.draft.reuses[first.1..].iter().map(|it| Owner {
            scope: it.scope,
            order: facts.scopes.order(it.bound_by),
            part: facts.part(it.bound_by),
            crosses: it.crosses,
            number: 0,
        });
        bound.chain(reused).enumerate().map(|(number, it)| Owner { number, ..it }).collect()
    }

    fn finish(mut self, options: &CseOptions, work: &mut Work) -> CsePlan {
        let facts = self.facts;
        let order = self.number(options);
        let finished = finish::finish(facts, &self.draft, false, work, |_, _| true);
        let mut groups = Vec::with_capacity(self.groups.len());
        for found in self.groups {
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
                        value: reused.value,
                        bound_by: reused.bound_by,
                        definition: reused.definition,
                        replaces: Vec::new(),
                    })
                }
                Choice::Covered => {
                    Decision::Covered { by: finished.covering(facts, &found.occurrences) }
                }
                Choice::Refuse(refusal) => Decision::Refuse(refusal),
            };
            groups.push(CseGroup {
                expr: found.expr,
                shadows: facts.shadows.of(&found.occurrences),
                equivalence: Equivalence::Syntactic,
                cost: facts.cost(found.expr),
                saved: if matches!(decision, Decision::Refuse(_)) { 0 } else { found.saved },
                occurrences: found.occurrences,
                decision,
            });
        }
        finish::assemble(facts, Preset::Default, groups, &self.draft, finished)
    }

    /// Numbers the bindings: by place, then what others are written with first. Gives the new number of each old one.
    fn number(&mut self, options: &CseOptions) -> Vec<usize> {
        let facts = self.facts;
        let mut sorted: Vec<usize> = (0..self.draft.bindings.len()).collect();
        sorted.sort_by_key(|&it| {
            let wanted = &self.draft.bindings[it];
            (
                facts.scopes.order(wanted.before),
                facts.body.expr(wanted.expr).size,
                self.value_at[it],
            )
        });
        let mut names = Names::collect(facts, false);
        let mut new = vec![0; sorted.len()];
        let mut bindings = Vec::with_capacity(sorted.len());
        for (number, &old) in sorted.iter().enumerate() {
            new[old] = number;
            let mut wanted = self.draft.bindings[old].clone();
            wanted.name = names.next();
            wanted.accepted = options.max_bindings.is_none_or(|it| number < it);
            bindings.push(wanted);
        }
        if let Some(max) = options.max_bindings {
            let left = max.saturating_sub(bindings.len());
            self.draft.reuses.iter_mut().skip(left).for_each(|it| it.accepted = false);
        }
        self.draft.bindings = bindings;
        new
    }
}

/// What serves occurrences from some place on.
struct Owner {
    scope: ScopeId,
    order: u32,
    part: u32,
    crosses: bool,
    number: usize,
}

/// Drops the owners that `scope` is not in.
fn close(open: &mut Vec<usize>, owners: &[Owner], scope: ScopeId, facts: &Facts<'_>) {
    while let Some(&top) = open.last()
        && !facts.scopes.is_ancestor(owners[top].scope, scope)
    {
        open.pop();
    }
}

/// Classes of positions that may be shared with each other, each in order, and whether there is more than one.
fn classes(
    facts: &Facts<'_>,
    expr: ExprId,
    positions: Vec<Position>,
) -> Vec<(Vec<Position>, bool)> {
    let key = |it: &Position| (facts.part(it.op), facts.kernel(facts.scopes.of_op(it.op)));
    let first = key(&positions[0]);
    if positions.iter().all(|it| key(it) == first) {
        return vec![(positions, false)];
    }
    let mut parts: Vec<Vec<Position>> = Vec::new();
    let mut sorted = positions;
    sorted.sort_by_key(|it| facts.part(it.op));
    for position in sorted {
        match parts.last_mut() {
            Some(last) if facts.part(last[0].op) == facts.part(position.op) => last.push(position),
            _ => parts.push(vec![position]),
        }
    }
    let mut classes = Vec::new();
    for mut part in parts {
        let on_host = part.iter().any(|it| key(it).1.is_none());
        let same = part.iter().all(|it| key(it) == key(&part[0]));
        if same || on_host && !facts.has_float(expr) {
            classes.push((part, false));
            continue;
        }
        part.sort_by_key(|it| key(it).1);
        let mut at = 0;
        while at < part.len() {
            let end = at + part[at..].partition_point(|it| key(it) == key(&part[at]));
            classes.push((part[at..end].to_vec(), true));
            at = end;
        }
    }
    classes
}

/// The name of the first call in an expression.
fn first_call(body: &ir::Body, expr: ExprId) -> Option<ir::NameId> {
    let mut seen = FxHashSet::default();
    let mut stack = vec![expr];
    while let Some(at) = stack.pop() {
        let node = body.expr(at);
        if let ExprKind::Call { callee, .. } = node.kind {
            let (ir::Callee::Intrinsic(name)
            | ir::Callee::Function(name)
            | ir::Callee::Unknown(name)) = callee;
            return Some(name);
        }
        let mark = stack.len();
        body.each_child(node.kind, &mut |child| {
            if body.expr(child).flags.has_call && seen.insert(child) {
                stack.push(child);
            }
        });
        stack[mark..].reverse();
    }
    None
}

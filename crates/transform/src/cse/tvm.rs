//! The preset `tvm`: the plan of TVM's `CommonSubexprElim`, names and order included.
//!
//! TVM records every operator it visits (bottom-up, left to right) in a table by structure, with its count, the nearest
//! common scope and the first use. Then, by *depth* (1 + the greatest depth of the direct operands that are in the
//! table), it binds each entry with at least two uses that are not operands of a repeated parent. Three of its habits
//! shape the result and are kept:
//!
//! * An operand that is not in the table (a bool) ends the chain of depths: `Select(x*y*3 < 4, x, y)` has depth 1. A
//!   bound value uses the names of entries of *smaller* depth only, so such a value repeats expressions that are bound
//!   elsewhere.
//! * A name that comes between (an entry of equal depth bound earlier, inside this one) hides this entry from the
//!   values of deeper ones: they take in the inner name instead.
//! * A parent with two uses takes them from its operands even if it is not bound itself.
//!
//! TVM's wrong bindings are refused by name, and the rest of the plan stays as it is: nothing is renamed or regrouped.
//! Regions that TVM does not have as scopes (schedulable blocks, `with` allocations) are scopes here, because a binding
//! inside one is not visible after it. O(occurrences · log depth + size of the bound values).

use ir::{
    ExprId, OccurrenceId, OpId,
    arena::Id,
    plan::{CseGroup, CsePlan, Decision, Equivalence, Preset, Refusal},
};
use smallvec::SmallVec;

use super::{
    CseOptions, Work,
    facts::{Facts, NONE, Seen},
    finish::{self, UnfinishedPlan},
    names::Names,
    place::{self, Position},
    values::Values,
};
use dataflow::scopes::ScopeId;

struct Entry {
    expr: ExprId,
    occurrences: Vec<OccurrenceId>,
    depth: u32,
    common: ScopeId,
    first_scope: ScopeId,
    first_op: OpId,
    /// Direct operands in the table, with how often the node has each.
    children: SmallVec<[(u32, u32); 2]>,
    consumed: u64,
}

/// The table of recorded expressions, in the order they were met.
struct Table<'a> {
    facts: &'a Facts<'a>,
    entries: Vec<Entry>,
    /// By expression: its entry, or [`NONE`].
    of_expr: Vec<u32>,
}

pub(super) fn plan(facts: &Facts<'_>, options: &CseOptions, work: &mut Work) -> CsePlan {
    let mut table = Table { facts, entries: Vec::new(), of_expr: vec![NONE; facts.body.n_exprs()] };
    table.record(work);
    table.consume();
    let mut order: Vec<u32> = (0..table.entries.len() as u32).collect();
    order.sort_by_key(|&it| table.entries[it as usize].depth);
    table.draft(&order, options, work)
}

impl Table<'_> {
    /// Records the nodes that TVM's planner records, operands before their users.
    fn record(&mut self, work: &mut Work) {
        let mut open: Vec<OccurrenceId> = Vec::new();
        let occurrences = self.facts.occurrences;
        for (id, _) in occurrences.iter() {
            work.visited += 1;
            while let Some(&last) = open.last()
                && occurrences[last].end <= id
            {
                open.pop();
                self.record_one(last);
            }
            open.push(id);
        }
        while let Some(last) = open.pop() {
            self.record_one(last);
        }
    }

    fn record_one(&mut self, id: OccurrenceId) {
        let facts = self.facts;
        let here = facts.occurrences[id];
        if !facts.has(id, Seen::SCANNED | Seen::REAL) || !facts.is_candidate(here.expr) {
            return;
        }
        let scope = facts.scopes.of_op(here.op);
        let at = self.of_expr[here.expr.index()];
        if at == NONE {
            let (children, depth) = self.children(here.expr);
            self.of_expr[here.expr.index()] = self.entries.len() as u32;
            self.entries.push(Entry {
                expr: here.expr,
                occurrences: vec![id],
                depth,
                common: scope,
                first_scope: scope,
                first_op: here.op,
                children,
                consumed: 0,
            });
        } else {
            let entry = &mut self.entries[at as usize];
            entry.common = facts.scopes.common(entry.common, scope);
            entry.occurrences.push(id);
        }
    }

    fn children(&self, expr: ExprId) -> (SmallVec<[(u32, u32); 2]>, u32) {
        let body = self.facts.body;
        let mut children: SmallVec<[(u32, u32); 2]> = SmallVec::new();
        let mut depth = 0;
        body.each_child(body.expr(expr).kind, &mut |child| {
            let entry = self.of_expr[child.index()];
            if entry == NONE {
                return;
            }
            depth = depth.max(self.entries[entry as usize].depth);
            match children.iter_mut().find(|(it, _)| *it == entry) {
                Some((_, times)) => *times += 1,
                None => children.push((entry, 1)),
            }
        });
        (children, depth + 1)
    }

    /// Takes from every entry the uses that are operands of repeated parents.
    fn consume(&mut self) {
        for index in 0..self.entries.len() {
            let count = self.entries[index].occurrences.len() as u64;
            if count < 2 {
                continue;
            }
            for (child, times) in self.entries[index].children.clone() {
                self.entries[child as usize].consumed += (count - 1) * u64::from(times);
            }
        }
    }

    /// Returns the place where TVM puts the binding.
    fn insertion(&self, entry: &Entry) -> OpId {
        let scopes = self.facts.scopes;
        scopes
            .child_towards(entry.common, entry.first_scope)
            .and_then(|it| scopes.creator(it))
            .unwrap_or(entry.first_op)
    }

    fn draft(&self, order: &[u32], options: &CseOptions, work: &mut Work) -> CsePlan {
        let facts = self.facts;
        let mut draft = UnfinishedPlan::default();
        let mut names = Names::collect(facts, facts.source.is_none());
        let mut binding_of_entry = vec![NONE; self.entries.len()];
        let mut refusals = Vec::new();
        let mut accepted = 0;
        for &index in order {
            let entry = &self.entries[index as usize];
            if (entry.occurrences.len() as u64) < entry.consumed + 2 {
                continue;
            }
            let name = names.next();
            let (before, mut refusal) = self.judge(entry, options, work);
            if refusal.is_none() && entry.occurrences.len() < options.min_occurrences as usize {
                refusal = Some(Refusal::FewOccurrences);
            }
            if refusal.is_none() && options.max_bindings.is_some_and(|it| accepted >= it) {
                refusal = Some(Refusal::Limit);
            }
            accepted += usize::from(refusal.is_none());
            binding_of_entry[index as usize] = draft.bindings.len() as u32;
            draft.bindings.push(finish::PlannedBinding {
                value: entry.occurrences[0],
                before,
                name,
                crosses: true,
                form: None,
                accepted: refusal.is_none(),
            });
            refusals.push(refusal);
        }
        let hidden = self.hidden(&draft, work);
        let depth_of = |number: usize| {
            let expr = facts.occurrences[draft.bindings[number].value].expr;
            self.entries[self.of_expr[expr.index()] as usize].depth
        };
        let values = Values::of_structure(facts);
        let finished =
            finish::finish(facts, &values, None, &draft, &mut [], true, work, |user, used| {
                depth_of(used) < depth_of(user) && !hidden[used]
            });
        self.plan(finished, &draft, &binding_of_entry, &refusals)
    }

    /// The place of the binding, and the reason against it.
    fn judge(
        &self,
        entry: &Entry,
        options: &CseOptions,
        work: &mut Work,
    ) -> (OpId, Option<Refusal>) {
        let facts = self.facts;
        let before = self.insertion(entry);
        // Above a block, a value that its `init` and its body share may name the block's variables: nothing can stand
        // there.
        let Some(site) = facts.site(before).filter(|&it| {
            facts.visible_from(entry.expr) <= facts.scopes.order(it)
                && (it == before || facts.scopes.is_ancestor(facts.scopes.of_op(it), entry.common))
        }) else {
            return (before, Some(Refusal::NoBindingSite { before }));
        };
        let flags = facts.body.expr(entry.expr).flags;
        if flags.has_unknown || flags.has_captured || flags.has_impure {
            return (site, Some(Refusal::Unknown));
        }
        if options.allow_unsound {
            return (site, None);
        }
        // What a block binds must not get into the regions of blocks inside.
        let gets_inside = |it: &OccurrenceId| {
            !facts.scopes.is_in_block_of(facts.body, site, facts.occurrences[*it].op)
        };
        if entry.occurrences.iter().any(gets_inside) {
            return (site, Some(Refusal::NoBindingSite { before }));
        }
        // Named thread indices are defined by launches below the place.
        let order = facts.scopes.order(site);
        if entry.occurrences.iter().any(|&it| facts.visible_from_at(it) > order) {
            return (site, Some(Refusal::NoBindingSite { before }));
        }
        // A launch inside another one takes its extent from the host, where no name of the kernel is known (P6).
        let is_in_kernel = facts.kernel(facts.scopes.of_op(site)).is_some();
        let is_bound = |it: &OccurrenceId| facts.has(*it, Seen::LAUNCH_BOUND);
        if is_in_kernel && entry.occurrences.iter().any(is_bound) {
            return (site, Some(Refusal::LaunchBound));
        }
        let Some(culprit) = facts.culprit(entry.expr) else { return (site, None) };
        work.visited += entry.occurrences.len() as u64;
        work.compared += (entry.occurrences.len() * size_of::<Position>()) as u64;
        let mut positions: Vec<Position> = entry
            .occurrences
            .iter()
            .map(|&occurrence| Position {
                occurrence,
                op: facts.occurrences[occurrence].op,
                lazy: facts.is_lazy(occurrence, None),
                visible_from: facts.visible_from(entry.expr),
                cost: 0,
                within: None,
            })
            .collect();
        positions.sort_by_key(|it| (facts.scopes.order(it.op), it.occurrence));
        if place::is_anticipated(facts, &positions, site) {
            return (site, None);
        }
        let guarded = positions.iter().find(|it| it.lazy).unwrap_or(&positions[0]).occurrence;
        (site, Some(Refusal::MayTrap { culprit, guarded }))
    }

    /// The bound entries that deeper values do not take in: an entry of equal depth inside them was bound before.
    fn hidden(&self, draft: &UnfinishedPlan, work: &mut Work) -> Vec<bool> {
        let body = self.facts.body;
        let mut hidden = vec![false; draft.bindings.len()];
        let mut number_of = vec![NONE; self.entries.len()];
        let mut seen = vec![NONE; body.n_exprs()];
        let mut stack = Vec::new();
        for (number, wanted) in draft.bindings.iter().enumerate() {
            let expr = self.facts.occurrences[wanted.value].expr;
            let own = self.of_expr[expr.index()];
            let depth = self.entries[own as usize].depth;
            body.each_child(body.expr(expr).kind, &mut |child| stack.push(child));
            while let Some(at) = stack.pop() {
                if std::mem::replace(&mut seen[at.index()], number as u32) == number as u32 {
                    continue;
                }
                work.visited += 1;
                let entry = self.of_expr[at.index()];
                if entry != NONE && number_of[entry as usize] != NONE {
                    let inner = number_of[entry as usize] as usize;
                    let inner_depth = self.entries[entry as usize].depth;
                    if inner_depth < depth && !hidden[inner] {
                        continue;
                    }
                    hidden[number] |= inner_depth == depth;
                }
                body.each_child(body.expr(at).kind, &mut |child| stack.push(child));
            }
            number_of[own as usize] = number as u32;
        }
        hidden
    }

    fn plan(
        &self,
        finished: finish::Finished,
        draft: &UnfinishedPlan,
        binding_of_entry: &[u32],
        refusals: &[Option<Refusal>],
    ) -> CsePlan {
        let facts = self.facts;
        let mut groups = Vec::new();
        for (index, entry) in self.entries.iter().enumerate() {
            if entry.occurrences.len() < 2 {
                continue;
            }
            let binding = binding_of_entry[index];
            let decision = match binding {
                NONE => Decision::Covered { by: finished.covering(facts, &entry.occurrences) },
                number => match refusals[number as usize] {
                    Some(refusal) => Decision::Refuse(refusal),
                    None => Decision::Bind(number as usize),
                },
            };
            let saved = (entry.occurrences.len() as u64).saturating_sub(entry.consumed + 1) as u32;
            groups.push(CseGroup {
                expr: entry.expr,
                shadows: facts.shadows.of(&entry.occurrences),
                occurrences: entry.occurrences.clone(),
                equivalence: Equivalence::Syntactic,
                host_rounding: false,
                exposed_to: None,
                cost: facts.cost(entry.expr),
                saved: if matches!(decision, Decision::Bind(_)) { saved } else { 0 },
                decision,
            });
        }
        finish::assemble(facts, Preset::Tvm, groups, draft, &[], finished)
    }
}

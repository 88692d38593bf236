//! Partial redundancies: values that some paths to a use have computed and others have not.
//!
//! In: the facts and the memory versions of loads. Out: a [`WantedCell`] and a group for each. A value with unchanging
//! operands is never one: on a tree of scopes a binding right before the first statement that needs it serves all
//! ([`super::super::place`]), or it may trap and is not anticipated there, and then inserting it in a branch would add
//! the trap. The remaining ones are values that read memory which one arm of an `if` writes: after the `if` they read
//! another *version* (`dataflow::memory`), which is that of the value before it on one path only.
//!
//! For such a use the arms of the `if` are asked, as lazy code motion (Knoop, Rüthing, Steffen, PLDI 1992) asks the
//! edges of a join, and partial redundancy elimination in single-assignment form the operands of a Φ (Chow et al., PLDI
//! 1997): at the end of an arm the value is *available* if something computes it in the arm, or before the `if`, with
//! the versions that hold at the end. If some arm has it, it is inserted at the end of the others: safe where the use
//! is certain to follow (*down-safe*, `SEMANTICS: 0`), since nothing is written between. An arm that ends in such an
//! `if` is asked through it. At the back edge of a loop nothing is inserted: the last iteration would compute an unused
//! value.
//!
//! O(occurrences), and for each use O(nodes of the value · [`NEAR`]) · log n, with [`MAX_NODES`] nodes at most.

use dataflow::memory::Origin;
use ir::{
    ExprId, ForKind, Lanes, OccurrenceId, OpId, OpKind, Type,
    arena::Id,
    plan::{CellPlace, PartialObstacle},
};
use rustc_hash::FxHashMap;

use super::{Choice, Greedy, UnnumberedGroup};
use crate::cse::{
    Work,
    cells::{WantedCell, arm_scope},
    facts::{Facts, NONE, Seen},
    sharing::Sharing,
    values::Memory,
};
use dataflow::scopes::{ScopeId, ScopeKind};

/// Larger values are left alone.
const MAX_NODES: usize = 256;
/// The number of occurrences before a place that are asked whether they have its value.
const NEAR: usize = 8;
/// The depth to which arms that end in an `if` are searched.
const MAX_DEPTH: u32 = 16;
/// Stands for a value that reads memory whose contents no path can have read before.
const NEVER: u32 = NONE - 1;

impl Greedy<'_> {
    /// Finds partial redundancies, the largest values first where one is inside another.
    pub(super) fn partial_redundancies(&mut self, memory: &Memory<'_>, work: &mut Work) {
        let facts = self.facts;
        let joins = joins(facts, memory, work);
        if joins.iter().all(|&it| it >= NEVER) {
            return;
        }
        let mut search = Search::new(facts, memory, work);
        let mut at = OccurrenceId::new(0);
        while at.index() < facts.occurrences.len() {
            work.visited += 1;
            let join = joins[at.index()];
            let found = join < NEVER
                && search.is_candidate(at)
                && search.value(at, OpId::new(join as usize), work);
            let next = if found { facts.occurrences[at].end.index() } else { at.index() + 1 };
            at = OccurrenceId::new(next);
        }
        for mut cell in search.cells {
            cell.occurrences.sort_unstable();
            cell.occurrences.dedup();
            cell.stores.sort_by_key(|&(at, _)| order_of(facts, at));
            cell.stores.dedup_by_key(|it| it.0);
            if !self.options.partial_redundancies {
                cell.obstacle.get_or_insert(PartialObstacle::OnRequest);
            }
            if cell.occurrences.len() < self.options.min_occurrences as usize {
                continue;
            }
            let number = self.cells.len();
            let saved = cell.n_uses;
            self.groups.push(UnnumberedGroup {
                value: cell.value,
                occurrences: cell.occurrences.clone(),
                saved,
                decision: Choice::Insert(number),
            });
            self.partial.extend(cell.occurrences.iter().map(|&it| (it, number)));
            self.cells.push(cell);
        }
        self.partial.sort_unstable();
    }
}

/// By occurrence: the last `if` that writes the memory it reads, so that it reads another version than before it;
/// [`NONE`] without such, [`NEVER`] where something is read anew each time.
fn joins(facts: &Facts<'_>, memory: &Memory<'_>, work: &mut Work) -> Vec<u32> {
    let order = |it: u32| facts.scopes.order(OpId::new(it as usize));
    let later = |a: u32, b: u32| match (a, b) {
        (NEVER, _) | (_, NEVER) => NEVER,
        (NONE, it) | (it, NONE) => it,
        (a, b) if order(a) >= order(b) => a,
        (_, b) => b,
    };
    let mut joins = vec![NONE; facts.occurrences.len()];
    for (id, it) in facts.occurrences.iter().rev() {
        let own = match memory.versions.of_load(id).map(|it| it.origin()) {
            // Where Python chooses nothing is computed twice.
            Some(Origin::After(op)) if facts.body.is_static_choice(op) => NEVER,
            Some(Origin::After(op)) if facts.body.ops[op].kind == OpKind::If => op.index() as u32,
            Some(Origin::Load(_)) => NEVER,
            _ => NONE,
        };
        let here = later(joins[id.index()], own);
        joins[id.index()] = here;
        if let Some(parent) = it.parent {
            joins[parent.index()] = later(joins[parent.index()], here);
        }
    }
    work.visited += facts.occurrences.len() as u64;
    joins
}

struct Search<'a> {
    facts: &'a Facts<'a>,
    memory: &'a Memory<'a>,
    /// By scope: whether it is in a vectorised loop.
    is_vectorized: Vec<bool>,
    /// Occurrences that could be computed into a scalar or read it, by expression, then in program order.
    candidates: Vec<OccurrenceId>,
    /// By expression: where its candidates start and end.
    by_expr: FxHashMap<ExprId, (usize, usize)>,
    cells: Vec<WantedCell>,
    /// The scalar that an occurrence is for.
    claimed: FxHashMap<OccurrenceId, Holder>,
}

/// A scalar, by its number.
#[derive(Clone, Copy)]
struct Holder(usize);

/// The result for one use.
struct Arms {
    value: OccurrenceId,
    stores: Vec<(CellPlace, OccurrenceId)>,
    /// Occurrences that compute it already.
    computed: Vec<OccurrenceId>,
}

/// A place at which values are compared.
#[derive(Clone, Copy)]
enum At {
    /// Right before an operation.
    Before(OpId),
    /// Right after one, the last of its list.
    After(OpId),
}

impl<'a> Search<'a> {
    fn new(facts: &'a Facts<'a>, memory: &'a Memory<'a>, work: &mut Work) -> Search<'a> {
        let mut search = Search {
            facts,
            memory,
            is_vectorized: vectorized(facts),
            candidates: Vec::new(),
            by_expr: FxHashMap::default(),
            cells: Vec::new(),
            claimed: FxHashMap::default(),
        };
        let has_load = |it: ExprId| facts.body.expr(it).flags.has_load;
        let all = facts.occurrences.iter();
        let all = all.filter(|&(id, it)| has_load(it.expr) && search.is_candidate(id));
        let mut sorted: Vec<_> =
            all.map(|(id, it)| (it.expr, facts.scopes.order(it.op), id)).collect();
        sorted.sort_unstable();
        for list in sorted.chunk_by(|a, b| a.0 == b.0) {
            let start = search.candidates.len();
            search.candidates.extend(list.iter().map(|it| it.2));
            search.by_expr.insert(list[0].0, (start, search.candidates.len()));
        }
        work.visited += facts.occurrences.len() as u64;
        search
    }

    /// The candidates of an expression, in program order.
    fn same(&self, expr: ExprId) -> &[OccurrenceId] {
        self.by_expr.get(&expr).map_or(&[], |&(start, end)| &self.candidates[start..end])
    }

    /// Returns true if a scalar can replace an occurrence: its value is computed with its operation for certain, once.
    fn is_candidate(&self, id: OccurrenceId) -> bool {
        let facts = self.facts;
        let here = facts.occurrences[id];
        let Type::Prim(dtype) = facts.body.ty(here.expr) else { return false };
        let flags = facts.body.expr(here.expr).flags;
        let is_scalar = dtype.lanes == Lanes::Fixed(1)
            && !dtype.is_bool()
            && (dtype.is_integer() || dtype.is_float());
        let sharing = facts.sharing(here.expr);
        is_scalar
            && facts.has(id, Seen::REAL | Seen::REPLACEABLE)
            && !facts.has(id, Seen::PLACE)
            && !facts.has(id, Seen::UNDER_LET)
            && !facts.has(id, Seen::LAUNCH_BOUND)
            && !facts.is_lazy(id, None)
            && facts.is_stable(id)
            && facts.is_shareable(here.expr)
            && !sharing.intersects(Sharing::NARROW.union(Sharing::CONVERGENT))
            && flags.open_binders == 0
            && !flags.has_unknown
            && here.end.index() - id.index() <= MAX_NODES
            && !matches!(facts.body.ops[here.op].kind, OpKind::While | OpKind::SBlock(_))
    }

    /// Searches for insertions that make the value of a use available on all paths through the `if`. Whether some path
    /// has it.
    fn value(&mut self, value: OccurrenceId, join: OpId, work: &mut Work) -> bool {
        let facts = self.facts;
        let expr = facts.occurrences[value].expr;
        if self.claimed.contains_key(&value) {
            return true;
        }
        if self.same(expr).len() < 2 || !self.is_after(value, join) {
            return false;
        }
        let mut arms = Arms { value, stores: Vec::new(), computed: Vec::new() };
        self.arms(join, 0, &mut arms, work);
        if arms.computed.is_empty() {
            return false;
        }
        let uses = self.uses(value, join, work);
        self.add(join, arms, &uses);
        true
    }

    /// Returns true if a use reads the memory contents right after an `if`, and nothing else.
    fn is_after(&self, value: OccurrenceId, join: OpId) -> bool {
        let facts = self.facts;
        let same_side = facts.part(facts.occurrences[value].op) == facts.part(join)
            && facts.kernel(facts.scopes.of_op(facts.occurrences[value].op))
                == facts.kernel(facts.scopes.of_op(join));
        same_side && self.reads_same(value, At::After(join))
    }

    /// Returns true if the loads in an occurrence read the memory contents at a place.
    fn reads_same(&self, value: OccurrenceId, at: At) -> bool {
        let versions = &self.memory.versions;
        let end = self.facts.occurrences[value].end.index();
        (value.index()..end).map(OccurrenceId::new).all(|id| {
            let Some(class) = versions.class_of(id) else { return true };
            let there = match at {
                At::Before(op) => versions.before(op, class),
                At::After(op) => versions.after(op, class),
            };
            versions.of_load(id) == Some(there)
        })
    }

    /// Returns true if an expression reads the same memory contents at two places.
    fn is_unwritten(&self, value: OccurrenceId, from: At, to: At) -> bool {
        let versions = &self.memory.versions;
        let end = self.facts.occurrences[value].end.index();
        let version = |at: At, class| match at {
            At::Before(op) => versions.before(op, class),
            At::After(op) => versions.after(op, class),
        };
        let classes =
            (value.index()..end).filter_map(|it| versions.class_of(OccurrenceId::new(it)));
        classes.into_iter().all(|class| version(from, class) == version(to, class))
    }

    /// Collects the code that each arm of an `if` needs so that the value is available at its end.
    fn arms(&self, branch: OpId, depth: u32, arms: &mut Arms, work: &mut Work) {
        for arm in 0..2u32 {
            let here = CellPlace::EndOfArm { branch, arm };
            let last = self.last_of(branch, arm);
            work.visited += 1;
            // From an arm that leaves nothing comes to the use.
            if last.is_some_and(|it| self.leaves(it.1)) {
                continue;
            }
            let computed = match last {
                Some((scope, last)) => self.computed_in(arms.value, scope, last).or_else(|| {
                    self.is_unwritten(arms.value, At::Before(branch), At::After(last))
                        .then(|| self.computed_before(arms.value, branch))
                        .flatten()
                }),
                None => self.computed_before(arms.value, branch),
            };
            if let Some(computed) = computed {
                let store = (CellPlace::Before(self.facts.occurrences[computed].op), computed);
                if !arms.computed.contains(&computed) {
                    arms.computed.push(computed);
                    arms.stores.push(store);
                }
                continue;
            }
            let inner = last.and_then(|it| self.join_at_end(arms.value, it.0, it.1));
            if let Some(inner) = inner.filter(|_| depth < MAX_DEPTH) {
                let (n_stores, n_computed) = (arms.stores.len(), arms.computed.len());
                self.arms(inner, depth + 1, arms, work);
                if arms.computed.len() > n_computed || !self.has_end(branch, arm) {
                    continue;
                }
                arms.stores.truncate(n_stores);
            }
            arms.stores.push((here, arms.value));
        }
    }

    fn leaves(&self, op: OpId) -> bool {
        matches!(self.facts.body.ops[op].kind, OpKind::Break | OpKind::Continue | OpKind::Return)
    }

    /// The scope of an arm, and its last operation; none for an arm that is not there.
    fn last_of(&self, branch: OpId, arm: u32) -> Option<(ScopeId, OpId)> {
        let scope = arm_scope(self.facts, branch, arm as usize)?;
        let block = self.facts.scopes.block(scope);
        Some((scope, *self.facts.body.blocks[block].ops.last()?))
    }

    /// Something in the list of an arm that has computed the value as it is at the end.
    fn computed_in(&self, value: OccurrenceId, scope: ScopeId, last: OpId) -> Option<OccurrenceId> {
        let facts = self.facts;
        let is_direct = |it: OccurrenceId| facts.scopes.of_op(facts.occurrences[it].op) == scope;
        let end = facts.scopes.order(last);
        self.near(value, end)
            .filter(|&it| is_direct(it))
            .find(|&it| self.reads_same(it, At::After(last)))
    }

    /// Something that has computed the value, as it is right before an operation, whenever that is executed.
    fn computed_before(&self, value: OccurrenceId, op: OpId) -> Option<OccurrenceId> {
        let facts = self.facts;
        let dominates = |it: OccurrenceId| {
            let by = facts.occurrences[it].op;
            facts.scopes.dominates(by, op) && facts.part(by) == facts.part(op)
        };
        let kernel = facts.kernel(facts.scopes.of_op(op));
        let same_side =
            |it: OccurrenceId| facts.kernel(facts.scopes.of_op(facts.occurrences[it].op)) == kernel;
        self.near(value, facts.scopes.order(op))
            .filter(|&it| dominates(it) && same_side(it))
            .find(|&it| self.reads_same(it, At::Before(op)))
    }

    /// The last occurrences of the same expression up to an order, backwards.
    fn near(&self, value: OccurrenceId, order: u32) -> impl Iterator<Item = OccurrenceId> + '_ {
        let facts = self.facts;
        let list = self.same(facts.occurrences[value].expr);
        let end = list.partition_point(|&it| facts.scopes.order(facts.occurrences[it].op) <= order);
        list[..end].iter().rev().take(NEAR).copied()
    }

    /// The `if` of a list after which nothing is written that the value reads, which it changed; and the program goes
    /// on to the end of the list from there.
    fn join_at_end(&self, value: OccurrenceId, scope: ScopeId, last: OpId) -> Option<OpId> {
        let (facts, versions) = (self.facts, &self.memory.versions);
        let end = facts.occurrences[value].end.index();
        let classes =
            (value.index()..end).filter_map(|it| versions.class_of(OccurrenceId::new(it)));
        let join = classes
            .filter_map(|class| match versions.after(last, class).origin() {
                Origin::After(op) if facts.body.is_static_choice(op) => None,
                Origin::After(op) if facts.body.ops[op].kind == OpKind::If => Some(op),
                _ => None,
            })
            .max_by_key(|&it| facts.scopes.order(it))?;
        let is_there = facts.scopes.of_op(join) == scope
            && self.is_unwritten(value, At::After(join), At::After(last))
            && self.next(join).is_none_or(|it| facts.certainty.runs_to_end(facts.body, it));
        is_there.then_some(join)
    }

    /// The operation after one in its list.
    fn next(&self, op: OpId) -> Option<OpId> {
        let facts = self.facts;
        let ops = &facts.body.blocks[facts.body.ops[op].parent].ops;
        let order = facts.scopes.order(op);
        ops.get(ops.partition_point(|&it| facts.scopes.order(it) <= order)).copied()
    }

    /// The use and others like it, which read the same.
    fn uses(&self, value: OccurrenceId, join: OpId, work: &mut Work) -> Vec<OccurrenceId> {
        let facts = self.facts;
        let list = self.same(facts.occurrences[value].expr);
        let order = |it: OccurrenceId| facts.scopes.order(facts.occurrences[it].op);
        let scope = facts.scopes.of_op(join);
        let after = list.partition_point(|&it| order(it) < order(value));
        work.visited += (list.len() - after).min(NEAR) as u64;
        let mut uses = vec![value];
        let others = list[after..].iter().copied().filter(|&it| it != value).take(NEAR);
        uses.extend(others.filter(|&it| {
            facts.scopes.is_ancestor(scope, facts.scopes.of_op(facts.occurrences[it].op))
                && !self.claimed.contains_key(&it)
                && self.is_after(it, join)
        }));
        uses
    }

    /// Adds the scalar, or the stores that an existing one needs for this use.
    fn add(&mut self, join: OpId, arms: Arms, uses: &[OccurrenceId]) {
        let facts = self.facts;
        let mut holders = arms.computed.iter().filter_map(|it| self.claimed.get(it)).map(|it| it.0);
        let first = holders.next();
        let same = holders.all(|it| Some(it) == first);
        // A scalar that holds it already holds it here too, if it is declared in the same list.
        let joined = first.filter(|&it| {
            let cell = &self.cells[it];
            let scope = facts.scopes.of_op(join);
            same && cell.obstacle.is_none() && facts.scopes.of_op(cell.declared) == scope
        });
        let ops = arms.computed.iter().map(|&it| facts.occurrences[it].op);
        let declared = match joined {
            Some(it) => self.cells[it].declared,
            None => ops.chain([join]).min_by_key(|&it| facts.scopes.order(it)).unwrap_or(join),
        };
        let obstacle = match (first, joined) {
            (Some(_), None) => Some(PartialObstacle::Overlaps),
            _ => self.obstacle(join, declared, &arms),
        };
        let target = match joined.filter(|_| obstacle.is_none()) {
            Some(it) => it,
            None => {
                self.cells.push(WantedCell::new(arms.value, declared, obstacle));
                self.cells.len() - 1
            }
        };
        let cell = &mut self.cells[target];
        cell.n_uses += uses.len() as u32;
        cell.occurrences.extend(arms.computed.iter().chain(uses));
        // What is read from the scalar, or stored in it already, need not be stored again.
        let is_held =
            |it: &OccurrenceId| self.claimed.get(it).is_some_and(|holder| holder.0 == target);
        cell.stores.extend(arms.stores.iter().filter(|it| it.0.is_inserted() || !is_held(&it.1)));
        for &it in arms.computed.iter().chain(uses) {
            self.claimed.entry(it).or_insert(Holder(target));
        }
    }

    /// Returns the reason why a scalar cannot hold the value.
    fn obstacle(&self, join: OpId, declared: OpId, arms: &Arms) -> Option<PartialObstacle> {
        let facts = self.facts;
        let is_inserted = arms.stores.iter().any(|it| it.0.is_inserted());
        if is_inserted && !self.is_certain(arms.value, join) {
            return Some(PartialObstacle::NotAnticipated);
        }
        let scope = facts.scopes.of_op(declared);
        if facts.body.dialect != ir::Dialect::Tirx || self.is_vectorized[scope.index()] {
            return Some(PartialObstacle::NoScalar);
        }
        let has_place = |op: OpId| facts.site(op) == Some(op);
        let all_placed = has_place(declared)
            && arms.stores.iter().all(|it| match it.0 {
                CellPlace::Before(op) => has_place(op),
                CellPlace::EndOfArm { branch, arm } => self.has_end(branch, arm),
            });
        (!all_placed).then_some(PartialObstacle::NoPlace)
    }

    fn has_end(&self, branch: OpId, arm: u32) -> bool {
        self.facts.source.as_ref().is_none_or(|it| (it.is_end_site)(branch, arm))
    }

    /// Returns true if the use is evaluated whenever control leaves the `if`.
    fn is_certain(&self, value: OccurrenceId, join: OpId) -> bool {
        let Facts { scopes, certainty, .. } = self.facts;
        let op = self.facts.occurrences[value].op;
        let by = certainty.executed_by(scopes, op, scopes.of_op(join));
        let next = self.next(join);
        by.zip(next).is_some_and(|(by, next)| certainty.segment(by) == certainty.segment(next))
    }
}

/// By scope: whether it is in a vectorised loop, whose lanes would share a scalar.
fn vectorized(facts: &Facts<'_>) -> Vec<bool> {
    let scopes = facts.scopes;
    let mut all: Vec<bool> = Vec::with_capacity(scopes.len());
    for scope in scopes.ids() {
        let around = scopes.parent(scope).is_some_and(|it| all[it.index()]);
        all.push(around || scopes.kind(scope) == ScopeKind::Loop(ForKind::Vectorized));
    }
    all
}

fn order_of(facts: &Facts<'_>, at: CellPlace) -> (u32, u32) {
    match at {
        CellPlace::Before(op) => (facts.scopes.order(op), 0),
        CellPlace::EndOfArm { branch, arm } => {
            let region = facts.body.ops[branch].regions.get(arm as usize);
            let last = region.and_then(|&it| {
                let block = *facts.body.regions[it].blocks.first()?;
                facts.body.blocks[block].ops.last().copied()
            });
            (facts.scopes.order(last.unwrap_or(branch)), 1 + arm)
        }
    }
}

//! The preset `default`: global value numbering, which finds the merges of the reference compilers and sound ones
//! beyond them.
//!
//! In: a body. Out: an [`OpPlan`]. The walk is that of the presets `mlir` (`scoped_walk`), with other keys:
//!
//! * operations are compared by their meaning (`keys`): operands in a canonical order, poison flags apart, sums by
//!   their terms;
//! * memory has versions (`versions`), so a load may equal one of another block, and an operation with regions that
//!   read may equal another one;
//! * an operation that is equal to one of a closed scope may move to a place that dominates both (`hoist`): an
//!   operation after a region that holds an equal one moves before it, and two arms that both compute a value share it.
//!   Only operations that cannot trap and read nothing move, and only to places from which every path computes them;
//! * block arguments, loop-carried values and results of choices count as the value that they always equal
//!   (`arguments`);
//! * dead code elimination runs to the fixpoint (`dead`), and also deletes loop-carried values and arguments that only
//!   feed themselves (`unneeded`).
//!
//! Merged operations may show that more arguments are equal, so both alternate, at most [`MAX_ROUNDS`] times.
//!
//! Operations that look equal and must not be merged are refused by name. O(operations + operands).

use ir::{
    BlockId, Body, NameId, OpId, OpKind, RegionId, RegionKind, ValueId,
    arena::Id,
    dominators::Dominators,
    effects::EffectTable,
    plan::{
        Preset,
        ops::{OpAction, OpActionKind, OpChange, OpPlan, OpRefusal, OpRefusalKind},
    },
};
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;

use super::{
    OpWork,
    arguments::{self, EqualArgument},
    dead::Sweep,
    digest::{self, Digests, mix},
    equal::Comparison,
    keys::{Keys, Terms},
    op_traits::{Bits, MemoryTypes, OpTraits, reference_takes_any_order, value_of},
    scoped_walk::{self, ScopeVisitor},
    summary::{Replaced, Summary, for_each_inside, for_each_operand},
    table::{Entries, Known, ScopeIdx, Table},
    unneeded,
    versions::{Classes, Versions},
};

/// The plan of the sound preset.
pub(super) fn plan(body: &Body, effects: &EffectTable) -> (OpPlan, OpWork) {
    let traits = OpTraits::collect(body, effects, Preset::Default);
    let mut walk = Gvn::new(body, &traits, effects);
    walk.arguments();
    walk.sweep();
    for _ in 0..MAX_ROUNDS {
        let n_before = walk.actions.len();
        scoped_walk::walk(body, &mut walk);
        if walk.actions.len() == n_before || !walk.arguments() {
            break;
        }
        walk.restart();
    }
    walk.sweep();
    walk.unneeded();
    walk.finish()
}

const MAX_ROUNDS: usize = 4;

/// The dependencies of an operation besides its operands.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
struct State {
    /// The version of the memory that it reads.
    version: Option<u64>,
    /// For operations that depend on which threads execute them together: the block, and how often threads may have
    /// left before.
    together: Option<(BlockId, u32)>,
    /// For operations that depend on the thread: the team that executes them.
    team: Option<u32>,
}

impl State {
    fn hash(self, hash: u64) -> u64 {
        let block =
            self.together.map_or(0, |(block, n)| (block.index() as u64 + 1) << 32 | u64::from(n));
        let team = self.team.map_or(0, |it| u64::from(it) + 1);
        mix(mix(mix(hash, self.version.unwrap_or(0)), block), team)
    }
}

/// An operation whose regions are being walked.
pub(super) struct Open {
    outside: Option<Entries>,
    /// The scope that the operation itself stands in.
    pub(super) scope: ScopeIdx,
    /// True if its region follows from its name and types, so that the text leaves it out.
    is_implied: bool,
}

pub(super) struct Gvn<'a> {
    pub(super) body: &'a Body,
    pub(super) traits: &'a OpTraits,
    effects: &'a EffectTable,
    pub(super) summary: Summary<'a>,
    pub(super) replaced: Replaced,
    keys: Keys<'a>,
    terms: Terms,
    /// By name: whether operations may be compared by their terms, whatever their own flags say.
    associative: FxHashMap<NameId, bool>,
    /// Sums by the hash of their terms.
    sums: FxHashMap<u64, (OpId, ScopeIdx)>,
    classes: Classes,
    versions: Versions,
    types: MemoryTypes,
    /// The dependencies of known operations besides their operands.
    states: FxHashMap<OpId, State>,
    /// The number of times that threads may have left so far.
    n_leaves: u32,
    pub(super) table: Table,
    scope: ScopeIdx,
    pub(super) scope_of_block: FxHashMap<BlockId, ScopeIdx>,
    /// With all that is inside.
    pub(super) is_gone: Vec<bool>,
    /// Moved operations and their new successors.
    pub(super) moved: FxHashMap<OpId, OpId>,
    /// The time at which an operation was met.
    pub(super) met: Vec<u32>,
    digests: Digests,
    pub(super) open: Vec<Open>,
    /// The scopes around the open one, each with the versions of memory at its start.
    outer: Vec<(ScopeIdx, usize)>,
    /// The versions of memory at the starts of the open regions.
    marks: Vec<usize>,
    pub(super) actions: Vec<OpAction>,
    refusals: Vec<OpRefusal>,
    pub(super) work: OpWork,
}

impl<'a> Gvn<'a> {
    fn new(body: &'a Body, traits: &'a OpTraits, effects: &'a EffectTable) -> Gvn<'a> {
        let summary = Summary::collect(body, traits);
        let classes = Classes::collect(body, traits);
        let digests = Digests::new(body, summary.has_regions, true);
        Gvn {
            body,
            traits,
            effects,
            summary,
            replaced: Replaced::new(body),
            keys: Keys::new(body, traits),
            terms: Terms::default(),
            associative: FxHashMap::default(),
            sums: FxHashMap::default(),
            versions: Versions::new(&classes),
            classes,
            types: MemoryTypes::default(),
            states: FxHashMap::default(),
            n_leaves: 0,
            table: Table::with_capacity(body.ops.len()),
            scope: 0,
            scope_of_block: FxHashMap::default(),
            is_gone: vec![false; body.ops.len()],
            moved: FxHashMap::default(),
            met: vec![0; body.ops.len()],
            digests,
            open: Vec::new(),
            outer: Vec::new(),
            marks: Vec::new(),
            actions: Vec::new(),
            refusals: Vec::new(),
            work: OpWork::default(),
        }
    }

    /// Returns true if equal arguments were found.
    fn arguments(&mut self) -> bool {
        let is_gone = &self.is_gone;
        let found =
            arguments::find(self.body, self.traits, &mut self.replaced, &|it| is_gone[it.index()]);
        // What nobody uses may be equal, but there is nothing to do about it.
        let is_used = |it: &EqualArgument| self.summary.n_uses[it.argument.index()] > 0;
        let found: Vec<EqualArgument> = found.into_iter().filter(is_used).collect();
        let is_any = !found.is_empty();
        self.actions.extend(found.into_iter().map(|it| OpAction {
            op: it.op,
            change: OpChange::Argument { argument: it.argument, value: it.value },
            kind: it.kind,
        }));
        is_any
    }

    /// Forgets the operations that the walk has met, not its actions.
    fn restart(&mut self) {
        self.terms = Terms::default();
        self.sums.clear();
        self.versions = Versions::new(&self.classes);
        self.states.clear();
        self.table = Table::default();
        self.scope = 0;
        self.scope_of_block.clear();
        self.work.visited += self.digests.n_hashed;
        self.digests = Digests::new(self.body, self.summary.has_regions, true);
        self.refusals.clear();
    }

    fn sweep(&mut self) {
        let mut sweep = Sweep {
            body: self.body,
            traits: self.traits,
            summary: &self.summary,
            replaced: &self.replaced,
            is_gone: &mut self.is_gone,
            moved: &self.moved,
        };
        for op in sweep.run() {
            let mut results = self.body.ops[op].results.iter();
            let is_unused = results.all(|it| self.summary.n_uses[it.index()] == 0);
            let kind = if is_unused { OpActionKind::Dead } else { OpActionKind::DeadChain };
            self.actions.push(OpAction { op, change: OpChange::Delete, kind });
        }
    }

    /// Leaves out loop-carried values and arguments that nothing needs, and what only they needed.
    fn unneeded(&mut self) {
        let body = self.body;
        let found = unneeded::find(body, self.traits, &self.summary, &self.replaced, &self.is_gone);
        let kind = |is_carried| match is_carried {
            true => OpActionKind::UnneededCarried,
            false => OpActionKind::UnneededArgument,
        };
        // All other actions are right without these, so that a text that cannot be written without a value is not left
        // half done.
        let of_all = kind(found.carried.iter().any(|it| it.result.is_some()));
        let is_dead: FxHashSet<OpId> = found.dead.iter().copied().collect();
        for op in found.dead {
            let goes_with_it = body.parent_op(op).is_some_and(|it| is_dead.contains(&it));
            if !goes_with_it || self.moved.contains_key(&op) {
                self.actions.push(OpAction { op, change: OpChange::Delete, kind: of_all });
            }
        }
        for it in found.carried {
            let change = OpChange::RemoveArgument { argument: it.argument };
            let kind = kind(it.result.is_some());
            self.actions.push(OpAction { op: it.end, change, kind });
        }
    }

    /// Memory at the start of a block that has other ways in than from the end of its dominator.
    fn enter_from_elsewhere(&mut self, block: BlockId, tree: &Dominators) {
        let Some(parent) = tree.parent(block) else { return };
        if tree.n_predecessors(block) == 1
            && ir::dominators::successors(self.body, parent).any(|it| it == block)
        {
            return;
        }
        let owner = self.body.regions[self.body.blocks[block].parent].parent;
        let written = match owner {
            Some(owner) => self.classes.written(owner),
            None => &self.classes.all_written[..],
        };
        self.versions.write(written);
    }

    /// Notes that an operation is met. Returns whether it is still there.
    fn meet(&mut self, op: OpId) -> bool {
        self.work.visited += 1;
        self.met[op.index()] = self.work.visited as u32;
        !self.is_gone[op.index()]
    }

    fn finish_op(&mut self, op: OpId) {
        if self.is_gone[op.index()] {
            return;
        }
        if !self.open.is_empty() {
            let is_commutative = self.traits.of(op).has(Bits::COMMUTATIVE);
            self.digests.operation(self.body, &self.replaced, op, is_commutative);
        }
        let bits = self.summary.bits(op);
        if bits.has(Bits::CHANGES) {
            self.versions.write(self.classes.written(op));
        }
        if bits.has(Bits::LEAVES) || bits.has(Bits::UNKNOWN) {
            self.n_leaves += 1;
        }
    }

    /// Returns true if an operation may be equal to another.
    fn is_candidate(&self, op: OpId) -> bool {
        let (own, bits) = (self.traits.of(op), self.summary.bits(op));
        !own.has(Bits::TERMINATOR)
            && !own.has(Bits::SYMBOL)
            && !own.has(Bits::INSIDE)
            && !self.traits.holds_its_block(self.body, op)
            && !bits.has(Bits::LEAVES)
            && !bits.has(Bits::CHANGES)
            && !bits.has(Bits::ALLOC)
            && !bits.has(Bits::UNKNOWN)
            && !self.body.ops[op].results.is_empty()
    }

    /// Returns the dependencies of an operation at this place besides its operands, without memory.
    fn state(&self, op: OpId, version: Option<u64>) -> State {
        let bits = self.summary.bits(op);
        let together = (self.body.ops[op].parent, self.n_leaves);
        State {
            version,
            together: bits.has(Bits::CONVERGENT).then_some(together),
            team: bits.has(Bits::PER_THREAD).then(|| self.traits.team(op)),
        }
    }

    /// The state with which an operation was met.
    fn state_of(states: &FxHashMap<OpId, State>, op: OpId) -> State {
        states.get(&op).copied().unwrap_or_default()
    }

    /// Returns the reason why an operation must not be merged into an equal one.
    fn obstacle(&self, op: OpId) -> Option<OpRefusalKind> {
        let (own, bits) = (self.traits.of(op), self.summary.bits(op));
        match () {
            () if own.has(Bits::MARKER) || bits.has(Bits::VARIES) => {
                Some(OpRefusalKind::NotDeterministic)
            }
            () if own.has(Bits::ALIAS) => Some(OpRefusalKind::Alias),
            () => None,
        }
    }

    fn with_regions(&mut self, op: OpId, digest: u64, trees: &[Dominators]) {
        let body = self.body;
        let bits = self.summary.bits(op);
        let has_one_block_each =
            body.ops[op].regions.iter().all(|it| body.regions[*it].blocks.len() <= 1);
        if self.moved.contains_key(&op)
            || !self.is_candidate(op)
            || !has_one_block_each
            || bits.has(Bits::CONVERGENT)
        {
            return;
        }
        let state = self.state(op, bits.has(Bits::LOOKS).then(|| self.versions.of_any()));
        let hash = state.hash(mix(digest::header(body, op), digest));
        let new = Known::new(op, hash, self.scope, 0);
        let (traits, is_gone, moved) = (self.traits, &self.is_gone, &self.moved);
        let compare = Comparison {
            body,
            replaced: &self.replaced,
            is_gone: &|it| is_gone[it.index()] || moved.contains_key(&it),
            is_unordered: &|it| traits.of(it).has(Bits::COMMUTATIVE),
        };
        let (work, states) = (&mut self.work.compared, &self.states);
        let (open, closed) = self.table.look_up(hash, |it| {
            Self::state_of(states, it.op) == state
                && !is_gone[it.op.index()]
                && compare.is_equal(it.op, op, false, work)
        });
        let Some(known) = open else {
            // All that it uses are its operands.
            if let Some(earlier) = closed.filter(|_| self.traits.of(op).has(Bits::IMPLIED_REGION))
                && self.hoist(op, earlier, new, trees)
            {
                return;
            }
            self.insert(new, closed, state);
            return;
        };
        if let Some(kind) = self.obstacle(op) {
            self.refuse(op, known.op, kind);
            return;
        }
        let reads = bits.has(Bits::LOOKS);
        let kind = if reads { OpActionKind::RegionThatReads } else { OpActionKind::Common };
        self.merge(op, known.op, kind);
    }

    fn leaf(&mut self, op: OpId, trees: &[Dominators]) {
        let bits = self.traits.of(op);
        // What moved in a round before stands somewhere else than the walk is.
        let is_implied = self.open.last().is_some_and(|it| it.is_implied);
        if is_implied || !self.is_candidate(op) || self.moved.contains_key(&op) {
            return;
        }
        let key = self.keys.key(op, &self.replaced);
        let version = bits.has(Bits::LOOKS).then(|| {
            let classes = self.classes.touched(self.body, self.traits, op, &mut self.types);
            self.versions.of(&classes)
        });
        let state = self.state(op, version);
        let hash = state.hash(key.hash(1));
        let new = Known::new(op, hash, self.scope, 0);
        let mut other_promises = None;
        let (keys, work) = (&mut self.keys, &mut self.work.compared);
        let (replaced, states, is_gone) = (&self.replaced, &self.states, &self.is_gone);
        // Of the one that was found last.
        let mut same_order = false;
        let (open, closed) = self.table.look_up(hash, |it| {
            *work += 1;
            let known = keys.key(it.op, replaced);
            let is_equal = known.words == key.words
                && Self::state_of(states, it.op) == state
                && !is_gone[it.op.index()];
            if is_equal && !known.promises.is_within(key.promises) {
                other_promises = Some(*it);
                return false;
            }
            same_order = known.is_swapped == key.is_swapped;
            is_equal
        });
        if let Some(known) = open {
            match self.obstacle(op) {
                Some(kind) => self.refuse(op, known.op, kind),
                None => {
                    let kind = self.kind(op, known.op, same_order);
                    self.merge(op, known.op, kind);
                }
            }
            return;
        }
        if self.merge_by_terms(op) {
            return;
        }
        if let Some(earlier) = closed
            && self.hoist(op, earlier, new, trees)
        {
            return;
        }
        if let Some(known) = other_promises.filter(|it| self.table.is_open(it.scope)) {
            self.refuse(op, known.op, OpRefusalKind::Flags);
        }
        self.insert(new, closed, state);
    }

    fn insert(&mut self, new: Known, closed: Option<Known>, state: State) {
        self.table.insert(new, closed);
        if state != State::default() {
            self.states.insert(new.op, state);
        }
    }

    /// Returns the reason why two operations without regions are equal, whose operands came into their order in the
    /// same way or not.
    fn kind(&mut self, op: OpId, into: OpId, same_order: bool) -> OpActionKind {
        let body = self.body;
        if self.keys.promises(op) != self.keys.promises(into) {
            return OpActionKind::WeakerFlags;
        }
        if self.traits.of(op).has(Bits::LOOKS) && body.ops[op].parent != body.ops[into].parent {
            return OpActionKind::LoadAcrossBlocks;
        }
        let (a, b) = (&body.ops[op], &body.ops[into]);
        let is_in_order = a.attrs == b.attrs && same_order;
        let OpKind::Named(name) = a.kind else { return OpActionKind::Common };
        if is_in_order || reference_takes_any_order(self.effects, body.name(name)) {
            OpActionKind::Common
        } else {
            OpActionKind::Commuted
        }
    }

    /// Merges a sum into one of the same terms.
    fn merge_by_terms(&mut self, op: OpId) -> bool {
        let body = self.body;
        let OpKind::Named(name) = body.ops[op].kind else { return false };
        let effects = self.effects;
        let is_float = self.traits.of(op).has(Bits::REASSOCIATES);
        let is_integer = *self.associative.entry(name).or_insert_with(|| {
            effects.mlir(body.name(name)).associative != ir::effects::Applies::No
        });
        if !is_float && !is_integer {
            return false;
        }
        let promises = self.keys.promises(op);
        let key = self.terms.key(body, op, &self.replaced, promises, is_float);
        let Some((hash, is_free)) = key else { return false };
        match self.sums.get(&hash) {
            Some(&(into, scope))
                if self.table.is_open(scope)
                    && !self.is_gone[into.index()]
                    && into != op
                    && self.keys.have_same_attributes(op, into)
                    && self.terms.are_equal(body, &self.replaced, op, into) =>
            {
                self.merge(op, into, OpActionKind::Reassociated);
                true
            }
            _ => {
                if is_free {
                    self.sums.insert(hash, (op, self.scope));
                }
                false
            }
        }
    }

    pub(super) fn merge(&mut self, op: OpId, into: OpId, kind: OpActionKind) {
        let body = self.body;
        let region = body.blocks[body.ops[op].parent].parent;
        if body.regions[region].kind == RegionKind::Graph {
            // What uses it may stand before what would take its place.
            return;
        }
        for (&result, &by) in body.ops[op].results.iter().zip(&body.ops[into].results) {
            self.replaced.set(result, self.replaced.get(by));
        }
        self.actions.push(OpAction { op, change: OpChange::Merge { into }, kind });
        let (is_gone, moved) = (&mut self.is_gone, &self.moved);
        is_gone[op.index()] = true;
        if !body.ops[op].regions.is_empty() {
            for_each_inside(body, op, |it| {
                !moved.contains_key(&it) && !std::mem::replace(&mut is_gone[it.index()], true)
            });
        }
    }

    fn refuse(&mut self, op: OpId, into: OpId, kind: OpRefusalKind) {
        self.refusals.push(OpRefusal { op, into: Some(into), kind, obstacle: None });
    }

    /// Puts the actions in order and leaves out those inside a deleted operation.
    fn finish(mut self) -> (OpPlan, OpWork) {
        let body = self.body;
        let mut into: Vec<Option<OpId>> = vec![None; body.ops.len()];
        let mut deleted = vec![false; body.ops.len()];
        let is_gone = &self.is_gone;
        for action in &self.actions {
            match action.change {
                OpChange::Merge { into: by } => into[action.op.index()] = Some(by),
                OpChange::Delete if is_gone[action.op.index()] => {
                    deleted[action.op.index()] = true;
                }
                _ => {}
            }
        }
        let is_inside = |op: OpId| body.parent_op(op).is_some_and(|it| is_gone[it.index()]);
        // What moves out of something that goes may use what was merged in there.
        let mut used_by_moved: FxHashSet<ValueId> = FxHashSet::default();
        for &op in self.moved.keys().filter(|it| !is_gone[it.index()]) {
            for_each_operand(body, op, |_, operand| used_by_moved.extend(value_of(body, operand)));
        }
        let is_used = |it: OpId| body.ops[it].results.iter().any(|it| used_by_moved.contains(it));
        self.actions.retain(|it| match it.change {
            OpChange::Hoist { .. } => !is_gone[it.op.index()],
            OpChange::Argument { argument, .. } => {
                !is_inside(it.op) || used_by_moved.contains(&argument)
            }
            OpChange::Merge { .. } => !is_inside(it.op) || is_used(it.op),
            // What moves stays, unless it is said to go itself.
            OpChange::Delete if !is_gone[it.op.index()] => true,
            _ => !is_inside(it.op),
        });
        for action in &mut self.actions {
            if let OpChange::Argument { argument, value } = &mut action.change {
                // What took its place may have been replaced in its turn, and go.
                *value = self.replaced.get(*argument);
            }
            if let OpChange::Hoist { before } = &mut action.change
                && let Some(&last) = self.moved.get(&action.op)
            {
                *before = last;
            }
            if let OpChange::Merge { into: by } = &mut action.change {
                while let Some(next) = into[by.index()] {
                    *by = next;
                }
                if deleted[by.index()] {
                    action.change = OpChange::Delete;
                    action.kind = OpActionKind::DeadChain;
                }
            }
        }
        self.refusals.retain(|it| !is_gone[it.op.index()]);
        let mut order = vec![0u32; body.ops.len()];
        for (at, op) in body.ops_preorder().enumerate() {
            order[op.index()] = at as u32;
        }
        self.actions.sort_by_key(|it| order[it.op.index()]);
        self.refusals.sort_by_key(|it| order[it.op.index()]);
        let mut work = self.work;
        work.visited += self.digests.n_hashed;
        let plan =
            OpPlan { preset: Preset::Default, actions: self.actions, refusals: self.refusals };
        (plan, work)
    }

    /// The value that an operand is now.
    pub(super) fn operands(&self, op: OpId) -> SmallVec<[ValueId; 4]> {
        let mut res = SmallVec::new();
        for_each_operand(self.body, op, |_, operand| {
            if let Some(value) = value_of(self.body, operand) {
                res.push(self.replaced.get(value));
            }
        });
        res
    }
}

impl ScopeVisitor for Gvn<'_> {
    fn enter_region(&mut self, region: RegionId) {
        self.marks.push(self.versions.mark());
        if let Some(owner) = self.body.regions[region].parent
            && !self.traits.of(owner).has(Bits::RUNS_ONCE)
        {
            self.versions.write(self.classes.written(owner));
        }
    }

    fn leave_region(&mut self, _region: RegionId, _trees: &[Dominators]) {
        self.versions.undo(self.marks.pop().unwrap_or_default());
    }

    fn enter_block(&mut self, block: BlockId, tree: Option<&Dominators>) {
        self.outer.push((self.scope, self.versions.mark()));
        self.scope = self.table.open();
        if let Some(tree) = tree {
            self.scope_of_block.insert(block, self.scope);
            self.enter_from_elsewhere(block, tree);
        }
        self.digests.block(self.body, block);
    }

    fn leave_block(&mut self) {
        self.table.close(self.scope);
        let (scope, mark) = self.outer.pop().unwrap_or_default();
        self.scope = scope;
        self.versions.undo(mark);
    }

    fn operation(&mut self, op: OpId, trees: &[Dominators]) {
        if self.meet(op) {
            self.leaf(op, trees);
            self.finish_op(op);
        }
    }

    fn enter_regions(&mut self, op: OpId) -> bool {
        if !self.meet(op) {
            return false;
        }
        let own = self.traits.of(op);
        let outside = own.has(Bits::ISOLATED).then(|| self.table.take());
        let is_implied = own.has(Bits::IMPLIED_REGION);
        self.open.push(Open { outside, scope: self.scope, is_implied });
        self.digests.enter(op, !self.summary.bits(op).has(Bits::CHANGES));
        true
    }

    fn leave_regions(&mut self, op: OpId, trees: &[Dominators]) {
        let Some(open) = self.open.pop() else { return };
        if let Some(outside) = open.outside {
            self.table.put(outside);
        }
        let (traits, is_gone) = (self.traits, &self.is_gone);
        let digest = self.digests.leave(
            self.body,
            &self.replaced,
            |it| !is_gone[it.index()],
            |it| traits.of(it).has(Bits::COMMUTATIVE),
        );
        self.with_regions(op, digest, trees);
        self.digests.close(!self.is_gone[op.index()]);
        self.finish_op(op);
    }
}

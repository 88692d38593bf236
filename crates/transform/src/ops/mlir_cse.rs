//! The walk of `mlir-opt -cse`: one pass over the operations in dominance order, with a scoped table of known ones.
//!
//! In: a body. Out: an [`OpPlan`]. Each region is a scope, each block of the dominator tree is one inside that of its
//! dominator; regions of isolated operations know nothing from outside. An operation is, in this order:
//!
//! 1. left, if it ends its block;
//! 2. deleted, if nothing uses it and its only effects are reads and allocations of unobserved memory;
//! 3. left, if a region of it has several blocks;
//! 4. merged into an equal one of the same block, if it reads only and nothing stands between;
//! 5. merged into an equal one that is visible, if it has no effect.
//!
//! Uses are replaced at once, so one pass finds what follows. Memory has an *epoch*, a number that changes where the
//! reference compiler would stop looking back from a load; loads are known under their block and epoch, so no scan is
//! needed.
//!
//! **Versions.** LLVM 19 deletes at the very end: an operation that was merged inside a region is still there when the
//! region is compared, and operands inside regions are compared in order. LLVM 24 deletes at the end of each region,
//! looks whether an operation is dead before it looks into it, and takes operands of commutative operations in any
//! order everywhere.
//!
//! **Graph regions.** An operation may be used before it stands. Uses by operations that are known already stay.
//!
//! O(operations + operands): every operation is hashed once for itself and once for each region that it uses a value
//! of.

use ir::{
    BlockId, Body, OpId, RegionId, RegionKind, ValueId,
    arena::Id,
    dominators::Dominators,
    effects::EffectTable,
    plan::{
        Preset,
        ops::{OpAction, OpActionKind, OpChange, OpPlan, OpRefusal, OpRefusalKind},
    },
};
use rustc_hash::FxHashMap;

use super::{
    OpOptions, OpWork,
    digest::{self, Digests, mix},
    equal::Comparison,
    op_traits::{Bits, OpTraits, value_of},
    scoped_walk::{self, ScopeVisitor},
    summary::{Replaced, Summary, for_each_inside, for_each_operand, spread},
    table::{Entries, Known, ScopeIdx, Table},
};

/// Plans by the rules of the reference compiler.
pub(super) fn plan(body: &Body, effects: &EffectTable, options: &OpOptions) -> (OpPlan, OpWork) {
    let mut plan = OpPlan::empty(options.preset);
    let (is_in_order, work) = find(body, effects, options, &mut |found| match found {
        Event::Action(it) => plan.actions.push(it),
        Event::Refusal(it) => plan.refusals.push(it),
    });
    if !is_in_order {
        let mut order = vec![0u32; body.ops.len()];
        for (at, op) in body.ops_preorder().enumerate() {
            order[op.index()] = at as u32;
        }
        plan.actions.sort_by_key(|it| order[it.op.index()]);
        plan.refusals.sort_by_key(|it| order[it.op.index()]);
    }
    (plan, work)
}

/// Something that the walk found.
pub(super) enum Event {
    Action(OpAction),
    Refusal(OpRefusal),
}

/// Passes on the parts of a plan, in the order of the walk; returns true if that is program order.
pub(super) fn find(
    body: &Body,
    effects: &EffectTable,
    options: &OpOptions,
    found: &mut dyn FnMut(Event),
) -> (bool, OpWork) {
    let traits = OpTraits::collect(body, effects, options.preset);
    let mut walk = Walk::new(body, &traits, options, found);
    scoped_walk::walk(body, &mut walk);
    let mut work = walk.work;
    work.visited += walk.digests.n_hashed;
    (!walk.is_out_of_order && !walk.summary.has_regions, work)
}

/// An operation whose regions are being walked.
struct Open {
    /// The entries known outside, if none of them is known inside.
    outside: Option<Entries>,
    /// Its own properties.
    own: Bits,
    /// Those that its regions add; with the rules of LLVM 24, without deleted operations.
    inside: Bits,
}

impl Open {
    /// Adds the properties of an operation that is right in its regions.
    fn add(&mut self, bits: Bits) {
        self.inside.add(spread(self.own, bits));
    }
}

struct Walk<'a> {
    body: &'a Body,
    traits: &'a OpTraits,
    summary: Summary<'a>,
    is_24: bool,
    is_sound: bool,
    replaced: Replaced,
    /// Operands that were replaced alone, in graph regions.
    single: FxHashMap<(OpId, u32), ValueId>,
    users: Option<FxHashMap<ValueId, Vec<(OpId, u32)>>>,
    table: Table,
    scope: ScopeIdx,
    epoch: u32,
    n_epochs: u32,
    /// The last operation that changed the epoch, which refusals name.
    barrier: Option<OpId>,
    /// The epoch that began when threads last may have left.
    left_at: u32,
    is_gone: Vec<bool>,
    digests: Digests,
    open: Vec<Open>,
    /// The scopes around the open one, each with the epoch at its end.
    outer: Vec<(ScopeIdx, u32)>,
    /// Of LLVM 24: the operations deleted in the regions that are being walked.
    deleted: Vec<Vec<OpId>>,
    /// Blocks were not walked in their order.
    is_out_of_order: bool,
    found: &'a mut dyn FnMut(Event),
    work: OpWork,
}

impl<'a> Walk<'a> {
    fn new(
        body: &'a Body,
        traits: &'a OpTraits,
        options: &OpOptions,
        found: &'a mut dyn FnMut(Event),
    ) -> Walk<'a> {
        let summary = Summary::collect(body, traits);
        let is_24 = options.preset != Preset::Mlir19;
        let digests = Digests::new(body, summary.has_regions, is_24);
        Walk {
            body,
            traits,
            summary,
            is_24,
            is_sound: !options.allow_unsound,
            replaced: Replaced::new(body),
            single: FxHashMap::default(),
            users: None,
            table: Table::with_capacity(body.ops.len()),
            scope: 0,
            epoch: 0,
            n_epochs: 0,
            barrier: None,
            left_at: 0,
            is_gone: vec![false; body.ops.len()],
            digests,
            open: Vec::new(),
            outer: Vec::new(),
            deleted: Vec::new(),
            is_out_of_order: false,
            found,
            work: OpWork::default(),
        }
    }

    /// Effects of blocks that cannot be reached count.
    fn add_what_was_not_walked(&mut self, region: RegionId, open: usize, trees: &[Dominators]) {
        let blocks = &self.body.regions[region].blocks;
        let is_graph = self.body.regions[region].kind == RegionKind::Graph;
        if blocks.len() < 2 {
            return;
        }
        let tree = if is_graph { None } else { trees.last() };
        let is_walked =
            |it: BlockId| it == blocks[0] || tree.is_some_and(|tree| tree.parent(it).is_some());
        for &block in blocks.iter().filter(|it| is_graph || !is_walked(**it)) {
            for &op in &self.body.blocks[block].ops {
                self.open[open].add(self.summary.bits(op));
            }
        }
    }

    /// An operation that was deleted uses nothing any more.
    fn forget_uses(&mut self, op: OpId) {
        let (body, replaced, n_uses) = (self.body, &self.replaced, &mut self.summary.n_uses);
        let mut forget = |op: OpId| {
            for_each_operand(body, op, |_, operand| {
                if let Some(value) = value_of(body, operand) {
                    let n = &mut n_uses[replaced.get(value).index()];
                    *n = n.saturating_sub(1);
                }
            });
        };
        forget(op);
        if !body.ops[op].regions.is_empty() {
            for_each_inside(body, op, |inner| {
                forget(inner);
                true
            });
        }
    }

    /// Finishes an operation: it becomes part of the one around it, and of memory's history.
    fn finish(&mut self, op: OpId) {
        let bits = self.summary.bits(op);
        let is_gone = self.is_gone[op.index()];
        if is_gone && self.is_24 {
            return;
        }
        if let Some(open) = self.open.last_mut() {
            open.add(bits);
            let is_commutative = self.traits.of(op).has(Bits::COMMUTATIVE);
            self.digests.operation(self.body, &self.replaced, op, is_commutative);
        }
        let is_barrier = bits.has(Bits::WRITE) || (self.is_sound && bits.has(Bits::CHANGES));
        if is_barrier && !is_gone {
            self.new_epoch(Some(op));
        }
        if self.is_sound && !is_gone && (bits.has(Bits::LEAVES) || bits.has(Bits::UNKNOWN)) {
            self.new_epoch(Some(op));
            self.left_at = self.epoch;
        }
    }

    fn new_epoch(&mut self, by: Option<OpId>) {
        self.n_epochs += 1;
        self.epoch = self.n_epochs;
        self.barrier = by;
    }

    fn is_dead(&self, op: OpId) -> bool {
        self.is_unneeded(op) && !self.is_held(op)
    }

    /// Returns true if an operation and the one around it have to stand together, and that one stays: a loop of OpenMP
    /// and its wrappers, which may have clauses that are not read. What is alone in a wrapper is one, too. O(wrappers).
    fn is_held(&self, op: OpId) -> bool {
        let is_wrapped = |it: OpId| self.traits.is_wrapped(self.body, it);
        let wraps = |it: OpId| {
            let own = self.traits.of(it);
            own.has(Bits::MARKER) || own.has(Bits::UNKNOWN) || is_wrapped(it)
        };
        let stays = |it: OpId| {
            let bits = self.summary.bits(it);
            let is_refused = bits.has(Bits::NEEDED) || bits.has(Bits::LEAVES);
            !self.is_unneeded(it)
                || self.is_sound && (is_refused || self.obstacle_of_place(it).is_some())
        };
        let is_together = |at: OpId, around: OpId| match self.traits.is_marked(self.body, at) {
            true => wraps(around),
            false => is_wrapped(at),
        };
        let mut at = op;
        while let Some(around) = self.body.parent_op(at).filter(|it| is_together(at, *it)) {
            if stays(around) {
                return true;
            }
            at = around;
        }
        false
    }

    fn is_unneeded(&self, op: OpId) -> bool {
        let (own, bits) = (self.traits.of(op), self.summary.bits(op));
        let is_used = |it: &ValueId| self.summary.n_uses[it.index()] != 0;
        !bits.has(Bits::KEEP)
            && !own.has(Bits::TERMINATOR)
            && !own.has(Bits::SYMBOL)
            && !self.body.ops[op].results.iter().any(is_used)
    }

    /// Deletes a dead operation, unless it is needed all the same.
    fn delete(&mut self, op: OpId) -> bool {
        let bits = self.summary.bits(op);
        let place = self.is_sound.then(|| self.obstacle_of_place(op)).flatten();
        if let Some((kind, obstacle)) = place {
            (self.found)(Event::Refusal(OpRefusal { op, into: None, kind, obstacle }));
            return false;
        }
        if self.is_sound && (bits.has(Bits::NEEDED) || bits.has(Bits::LEAVES)) {
            let kind = match bits {
                _ if bits.has(Bits::LEAVES) && !bits.has(Bits::UNKNOWN) => OpRefusalKind::Leaves,
                _ if bits.has(Bits::CONVERGENT) => OpRefusalKind::Convergent,
                _ if bits.has(Bits::MARKER) => OpRefusalKind::Marker,
                _ if bits.has(Bits::UNKNOWN) => OpRefusalKind::UnknownOperation,
                _ => OpRefusalKind::NotDeterministic,
            };
            let refusal = OpRefusal { op, into: None, kind, obstacle: None };
            (self.found)(Event::Refusal(refusal));
            return false;
        }
        self.act(op, OpChange::Delete, OpActionKind::Dead);
        self.mark_gone(op);
        true
    }

    fn act(&mut self, op: OpId, change: OpChange, kind: OpActionKind) {
        (self.found)(Event::Action(OpAction { op, change, kind }));
    }

    fn mark_gone(&mut self, op: OpId) {
        self.is_gone[op.index()] = true;
        if !self.is_24 {
            return;
        }
        let is_gone = &mut self.is_gone;
        if !self.body.ops[op].regions.is_empty() {
            for_each_inside(self.body, op, |it| !std::mem::replace(&mut is_gone[it.index()], true));
        }
        if let Some(deleted) = self.deleted.last_mut() {
            deleted.push(op);
        }
    }

    fn simplify(&mut self, op: OpId, digest: u64) {
        let own = self.traits.of(op);
        if own.has(Bits::TERMINATOR) {
            return;
        }
        if self.is_dead(op) && self.delete(op) {
            return;
        }
        let data = &self.body.ops[op];
        if data.regions.iter().any(|&it| self.body.regions[it].blocks.len() > 1) {
            return;
        }
        let effect = self.summary.bits(op).and(Bits::EFFECT);
        let is_load = effect == Bits::READ && own.and(Bits::EFFECT) == Bits::READ;
        if effect != Bits::default() && !(is_load && data.regions.is_empty()) {
            return;
        }
        let hash = self.hash(op, digest, is_load);
        let new = Known::new(op, hash, self.scope, self.epoch);
        let Some(known) = self.find_or_insert(new, is_load) else { return };
        if self.is_sound
            && let Some((kind, obstacle)) = self.obstacle(op, &known)
        {
            let refusal = OpRefusal { op, into: Some(known.op), kind, obstacle };
            (self.found)(Event::Refusal(refusal));
            self.table.replace(known.op, new);
            return;
        }
        self.merge(op, known.op);
    }

    fn find_or_insert(&mut self, new: Known, is_load: bool) -> Option<Known> {
        let (traits, is_gone) = (self.traits, &self.is_gone);
        let is_24 = self.is_24;
        let compare = Comparison {
            body: self.body,
            replaced: &self.replaced,
            is_gone: &|it| is_24 && is_gone[it.index()],
            is_unordered: &|it| is_24 && traits.of(it).has(Bits::COMMUTATIVE),
        };
        let is_commutative = traits.of(new.op).has(Bits::COMMUTATIVE);
        let parent = |op: OpId| self.body.ops[op].parent;
        let work = &mut self.work.compared;
        self.table.find_or_insert(new, |it| {
            let is_same_memory =
                !is_load || (it.epoch == new.epoch && parent(it.op) == parent(new.op));
            is_same_memory && compare.is_equal(it.op, new.op, is_commutative, work)
        })
    }

    /// The hash of all that decides whether two operations are equal.
    fn hash(&self, op: OpId, digest: u64, is_load: bool) -> u64 {
        let body = self.body;
        let mut hash = mix(digest::header(body, op), digest);
        if is_load {
            hash = mix(hash, u64::from(self.epoch));
        }
        let any_order = self.traits.of(op).has(Bits::COMMUTATIVE);
        let mut sum = 0u64;
        for_each_operand(body, op, |at, operand| {
            let word = match value_of(body, operand) {
                Some(value) => self.operand(op, at, value).index() as u64,
                None => operand.index() as u64 | 1 << 40,
            };
            if any_order {
                sum = sum.wrapping_add(mix(7, word));
            } else {
                hash = mix(hash, word);
            }
        });
        mix(hash, sum)
    }

    fn operand(&self, op: OpId, at: u32, value: ValueId) -> ValueId {
        if !self.single.is_empty()
            && let Some(&value) = self.single.get(&(op, at))
        {
            return value;
        }
        self.replaced.get(value)
    }

    /// Returns the reason why an operation must stay where it stands, whatever it does.
    fn obstacle_of_place(&self, op: OpId) -> Option<(OpRefusalKind, Option<OpId>)> {
        if self.traits.of(op).has(Bits::INSIDE) {
            return Some((OpRefusalKind::UnknownRegion, self.body.parent_op(op)));
        }
        self.traits.holds_its_block(self.body, op).then_some((OpRefusalKind::LastInBlock, None))
    }

    /// Why an operation must not be merged into an equal one, although the reference compiler would.
    fn obstacle(&self, op: OpId, known: &Known) -> Option<(OpRefusalKind, Option<OpId>)> {
        let bits = self.summary.bits(op);
        let is_same_block = self.body.ops[op].parent == self.body.ops[known.op].parent;
        if let Some(found) = self.obstacle_of_place(op) {
            return Some(found);
        }
        if bits.has(Bits::PER_THREAD) && self.traits.team(op) != self.traits.team(known.op) {
            return Some((OpRefusalKind::NotDeterministic, None));
        }
        if bits.has(Bits::VARIES) {
            return Some((OpRefusalKind::NotDeterministic, None));
        }
        if bits.has(Bits::ALIAS) {
            return Some((OpRefusalKind::Alias, None));
        }
        if bits.has(Bits::CONVERGENT) && !(is_same_block && known.epoch >= self.left_at) {
            return Some((OpRefusalKind::Convergent, None));
        }
        if bits.has(Bits::LOOKS) && !(is_same_block && known.epoch == self.epoch) {
            return Some((OpRefusalKind::Memory, self.barrier));
        }
        None
    }

    fn merge(&mut self, op: OpId, into: OpId) {
        let body = self.body;
        let region = body.blocks[body.ops[op].parent].parent;
        let uses = if body.regions[region].kind == RegionKind::Graph {
            match self.uses_to_replace(op) {
                Uses::All => None,
                Uses::None => return,
                Uses::Some(uses) => Some(uses),
            }
        } else {
            None
        };
        let kind = OpActionKind::Common;
        if let Some(uses) = uses {
            self.replace_uses(&uses, op, into);
            let change = OpChange::MergeUses { into, uses: uses.into() };
            self.act(op, change, kind);
            return;
        }
        for (&result, &by) in body.ops[op].results.iter().zip(&body.ops[into].results) {
            let by = self.replaced.get(by);
            self.replaced.set(result, by);
            self.summary.n_uses[by.index()] += self.summary.n_uses[result.index()];
            self.summary.n_uses[result.index()] = 0;
        }
        self.act(op, OpChange::Merge { into }, kind);
        self.mark_gone(op);
    }

    /// In a graph region: the uses by operations that are not known yet.
    fn uses_to_replace(&mut self, op: OpId) -> Uses {
        let body = self.body;
        let users = self.users.take().unwrap_or_else(|| users_in_graph_regions(body));
        let mut all = Vec::new();
        let mut chosen = Vec::new();
        for result in &body.ops[op].results {
            for &(user, at) in users.get(result).map_or(&[][..], Vec::as_slice) {
                all.push((user, at));
                if !self.is_known(user) {
                    chosen.push((user, at));
                }
            }
        }
        self.users = Some(users);
        match () {
            () if chosen.len() == all.len() => Uses::All,
            () if chosen.is_empty() => Uses::None,
            () => Uses::Some(chosen),
        }
    }

    /// Returns true if the table has an operation equal to this one.
    fn is_known(&self, op: OpId) -> bool {
        if !self.body.ops[op].regions.is_empty() {
            return false;
        }
        let is_load = self.traits.of(op).and(Bits::EFFECT) == Bits::READ;
        let compare = Comparison {
            body: self.body,
            replaced: &self.replaced,
            is_gone: &|_| false,
            is_unordered: &|_| false,
        };
        let is_commutative = self.traits.of(op).has(Bits::COMMUTATIVE);
        let mut work = 0;
        let hash = self.hash(op, 0, is_load);
        self.table.find(hash, |it| compare.is_equal(it.op, op, is_commutative, &mut work)).is_some()
    }

    fn replace_uses(&mut self, uses: &[(OpId, u32)], op: OpId, into: OpId) {
        let body = self.body;
        for &(user, at) in uses {
            let mut value = None;
            for_each_operand(body, user, |it, operand| {
                if it == at {
                    value = value_of(body, operand);
                }
            });
            let results = &body.ops[op].results;
            let Some(index) = value.and_then(|it| results.iter().position(|x| *x == it)) else {
                continue;
            };
            let by = self.replaced.get(body.ops[into].results[index]);
            self.single.insert((user, at), by);
            self.summary.n_uses[by.index()] += 1;
            let n = &mut self.summary.n_uses[results[index].index()];
            *n = n.saturating_sub(1);
        }
    }
}

impl ScopeVisitor for Walk<'_> {
    fn enter_region(&mut self, region: RegionId) {
        let data = &self.body.regions[region];
        if self.is_24 {
            self.deleted.push(Vec::new());
        }
        self.is_out_of_order |= data.blocks.len() > 1 && data.kind != RegionKind::Graph;
    }

    fn leave_region(&mut self, region: RegionId, trees: &[Dominators]) {
        if let Some(open) = self.open.len().checked_sub(1) {
            self.add_what_was_not_walked(region, open, trees);
        }
        for op in self.deleted.pop().into_iter().flatten() {
            self.forget_uses(op);
        }
    }

    fn enter_block(&mut self, block: BlockId, _tree: Option<&Dominators>) {
        self.outer.push((self.scope, self.epoch));
        self.scope = self.table.open();
        self.new_epoch(None);
        self.digests.block(self.body, block);
    }

    fn leave_block(&mut self) {
        self.table.close(self.scope);
        (self.scope, self.epoch) = self.outer.pop().unwrap_or_default();
    }

    fn operation(&mut self, op: OpId, _trees: &[Dominators]) {
        self.work.visited += 1;
        self.simplify(op, 0);
        self.finish(op);
    }

    fn enter_regions(&mut self, op: OpId) -> bool {
        self.work.visited += 1;
        if self.is_24 && self.is_dead(op) && self.delete(op) {
            return false;
        }
        let own = self.traits.of(op);
        let outside = own.has(Bits::ISOLATED).then(|| self.table.take());
        self.open.push(Open { outside, own, inside: Bits::default() });
        let is_candidate = !self.summary.bits(op).has(Bits::WRITE);
        self.digests.enter(op, is_candidate);
        true
    }

    fn leave_regions(&mut self, op: OpId, _trees: &[Dominators]) {
        let Some(open) = self.open.pop() else { return };
        if let Some(outside) = open.outside {
            self.table.put(outside);
        }
        if self.is_24 {
            // What was deleted inside counts no more.
            let mut bits = open.own;
            bits.add(open.inside);
            self.summary.set_bits(op, bits);
        }
        let (traits, is_gone, is_24) = (self.traits, &self.is_gone, self.is_24);
        let digest = self.digests.leave(
            self.body,
            &self.replaced,
            |it| !is_24 || !is_gone[it.index()],
            |it| traits.of(it).has(Bits::COMMUTATIVE),
        );
        self.simplify(op, digest);
        self.digests.close(!self.is_24 || !self.is_gone[op.index()]);
        self.finish(op);
    }
}

enum Uses {
    All,
    None,
    Some(Vec<(OpId, u32)>),
}

/// The uses of values defined in graph regions.
fn users_in_graph_regions(body: &Body) -> FxHashMap<ValueId, Vec<(OpId, u32)>> {
    let mut users: FxHashMap<ValueId, Vec<(OpId, u32)>> = FxHashMap::default();
    let is_graph = |value: ValueId| match body.values[value].kind {
        ir::ValueKind::Result(op, _) => {
            body.regions[body.blocks[body.ops[op].parent].parent].kind == RegionKind::Graph
        }
        _ => false,
    };
    for op in body.ops_preorder() {
        for_each_operand(body, op, |at, operand| {
            if let Some(value) = value_of(body, operand).filter(|it| is_graph(*it)) {
                users.entry(value).or_default().push((op, at));
            }
        });
    }
    users
}

//! The reason that keeps an operation from being merged into an equal one, for who asks about one operation.
//!
//! In: a body, its plan, and an operation that the plan leaves. Out: the nearest operation that is like it, and the
//! first reason by which the planners tell the two apart ([`Kept`]). Nothing is guessed: a reason is given only where
//! the traits, the classes of memory or the tree show it, by the same tables that the planners ask.
//!
//! O(operations + operands) a question, and O(operations) where no other operation has its name.

use ir::{
    Attr, Body, Dialect, ExprId, OpId, OpKind, RegionKind, ValueId,
    arena::Id,
    dominators::{Dominators, successors},
    effects::{EffectTable, MatchKind, MemoryEffect, Namespace},
    plan::{
        Preset,
        ops::{OpChange, OpPlan},
    },
};
use rustc_hash::FxHashSet;
use smallvec::SmallVec;

use super::{
    equal::Comparison,
    op_traits::{Bits, MemoryTypes, OpTraits, Reach, value_of},
    summary::{Replaced, Summary, for_each_inside, for_each_operand},
    versions::{ClassSet, Classes, Versions},
};

/// An operation like the one that was asked about, and why neither stands for the other.
#[derive(Clone, PartialEq, Debug)]
pub struct Kept {
    /// The other one: the nearest before it in the text, else the nearest behind it.
    pub twin: OpId,
    /// The reason.
    pub by: Keeper,
}

/// A reason that keeps two operations apart.
#[derive(Clone, PartialEq, Debug)]
pub enum Keeper {
    /// Nothing is known of what it does, or its definition does not say.
    Unknown,
    /// Its text was not understood.
    Unread,
    /// It is inside of an operation of which nothing is known.
    Inside(OpId),
    /// Its regions hold an operation that may change something, or of which nothing is known.
    Holds(OpId),
    /// It only reads, but it is volatile or ordered.
    Ordered,
    /// Each execution may change something.
    Changes,
    /// Two executions may give two results.
    Varies,
    /// The same operands, but another attribute: its name, and both texts.
    Attribute {
        /// The key.
        key: String,
        /// Its value at the operation, if it has one.
        here: Option<String>,
        /// Its value at the other one.
        there: Option<String>,
    },
    /// The results have other types.
    Types,
    /// It has a region of several blocks.
    Blocks,
    /// Its region has no order of operations.
    Graph,
    /// An isolated operation around one of them knows nothing of the other.
    Isolated(OpId),
    /// Neither stands on every path to the other; with the reason why neither moves, if there is one.
    OtherPath(Option<Stays>),
    /// It depends on which threads arrive together, and the two are in different blocks.
    Together,
    /// It depends on the thread, and other threads may execute the other one.
    OtherThread(OpId),
    /// The preset compares loads of one block only.
    OneBlock,
    /// The memory that both read may be written between them.
    Written(Write),
}

/// Why an operation is not moved to where every path computes it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Stays {
    /// It may trap.
    MayTrap,
    /// It reads memory.
    Reads,
}

/// An operation that may write the memory between two loads.
#[derive(Clone, PartialEq, Debug)]
pub struct Write {
    /// The operation.
    pub by: OpId,
    /// The loop, or other operation that may run its regions again, by which it comes between.
    pub again: Option<OpId>,
    /// How it reaches the memory.
    pub reach: Reached,
}

/// How an operation may reach the memory of a load.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Reached {
    /// Nothing is known of what it does.
    Unknown,
    /// It is given the memory itself.
    Itself(ValueId),
    /// It is given other memory, which may overlap that of the load.
    MayOverlap {
        /// The memory that it is given.
        written: ValueId,
        /// The memory that the load reads.
        read: ValueId,
    },
    /// It may write any memory.
    Any,
}

/// Tells what keeps an operation of MLIR, if there is one like it.
pub fn kept(body: &Body, effects: &EffectTable, plan: &OpPlan, op: OpId) -> Option<Kept> {
    let (OpKind::Named(_) | OpKind::Opaque(_)) = body.ops[op].kind else { return None };
    if body.dialect == Dialect::Pir || body.ops[op].results.is_empty() {
        return None;
    }
    // Without another one of its name, nothing is collected.
    let of_op = &body.ops[op];
    let may_be_like = |(it, other): (OpId, &ir::Operation)| {
        it != op
            && other.kind == of_op.kind
            && other.operands.len() == of_op.operands.len()
            && other.results.len() == of_op.results.len()
    };
    if !body.ops.iter().any(may_be_like) {
        return None;
    }
    let traits = OpTraits::collect(body, effects, plan.preset);
    let is_asked = !traits.of(op).has(Bits::TERMINATOR)
        && !traits.of(op).has(Bits::ALLOC)
        && !traits.of(op).has(Bits::ALIAS)
        && !traits.of(op).has(Bits::MARKER);
    let (replaced, is_gone) = after(body, plan);
    if !is_asked || is_gone[op.index()] {
        return None;
    }
    let question = Question { body, effects, plan, traits: &traits, replaced, is_gone };
    let order: Vec<OpId> = body.ops_preorder().collect();
    let at = order.iter().position(|it| *it == op)?;
    let (before, after) = (&order[..at], &order[at + 1..]);
    // One with other attributes is told only where none is equal, and says the least.
    for is_exact in [true, false] {
        let is_twin = |it: &&OpId| question.is_like(op, **it, is_exact);
        if let Some(&twin) = before.iter().rev().find(is_twin) {
            return question.keeper(twin, op, op).map(|by| Kept { twin, by });
        }
        if is_exact && let Some(&twin) = after.iter().find(is_twin) {
            return question.keeper(op, twin, op).map(|by| Kept { twin, by });
        }
    }
    None
}

/// The values that take the place of others by a plan, and the operations that go or move.
fn after(body: &Body, plan: &OpPlan) -> (Replaced, Vec<bool>) {
    let mut replaced = Replaced::new(body);
    let mut is_gone = vec![false; body.ops.len()];
    for action in &plan.actions {
        match action.change {
            OpChange::Merge { into } | OpChange::MergeWithCopies { into, .. } => {
                let pairs = body.ops[action.op].results.iter().zip(&body.ops[into].results);
                for (&result, &by) in pairs {
                    if replaced.get(by) != result {
                        replaced.set(result, by);
                    }
                }
                is_gone[action.op.index()] = true;
            }
            OpChange::Argument { argument, value } if replaced.get(value) != argument => {
                replaced.set(argument, value);
            }
            OpChange::Delete | OpChange::Hoist { .. } => is_gone[action.op.index()] = true,
            _ => {}
        }
    }
    (replaced, is_gone)
}

struct Question<'a> {
    body: &'a Body,
    effects: &'a EffectTable,
    plan: &'a OpPlan,
    traits: &'a OpTraits,
    replaced: Replaced,
    is_gone: Vec<bool>,
}

impl Question<'_> {
    /// Returns true if an operation is like the one that was asked about: name, operands, regions; where `is_exact`,
    /// attributes and types too.
    fn is_like(&self, op: OpId, other: OpId, is_exact: bool) -> bool {
        let body = self.body;
        let (a, b) = (&body.ops[op], &body.ops[other]);
        let is_same = a.kind == b.kind
            && a.operands.len() == b.operands.len()
            && a.results.len() == b.results.len()
            && a.regions.len() == b.regions.len()
            && !self.is_gone[other.index()];
        if !is_same || self.operands(op) != self.operands(other) {
            return false;
        }
        let has_types = self.has_types_of(op, other);
        if !is_exact {
            // Constants differ in nothing but that, and operations with regions in more than that.
            return !a.operands.is_empty() && a.regions.is_empty();
        }
        if a.regions.is_empty() || !has_types {
            return a.attrs == b.attrs && has_types;
        }
        let compare = Comparison {
            body,
            replaced: &self.replaced,
            is_gone: &|it| self.is_gone[it.index()],
            is_unordered: &|it| self.traits.of(it).has(Bits::COMMUTATIVE),
        };
        compare.is_equal(op, other, false, &mut 0)
    }

    fn has_types_of(&self, op: OpId, other: OpId) -> bool {
        let ty = |it: &ValueId| self.body.values[*it].ty;
        let (a, b) = (&self.body.ops[op].results, &self.body.ops[other].results);
        a.iter().map(ty).eq(b.iter().map(ty))
    }

    /// The operands as the plan leaves them, those of commutative operations in one order.
    fn operands(&self, op: OpId) -> SmallVec<[u64; 4]> {
        let mut res: SmallVec<[u64; 4]> = SmallVec::new();
        for_each_operand(self.body, op, |_, operand: ExprId| {
            res.push(match value_of(self.body, operand) {
                Some(value) => self.replaced.get(value).index() as u64,
                None => operand.index() as u64 | 1 << 40,
            });
        });
        if self.traits.of(op).has(Bits::COMMUTATIVE) {
            res.sort_unstable();
        }
        res
    }

    /// Returns what keeps an operation from one that comes before it in the text. `asked` is the one of the
    /// two that was asked about.
    fn keeper(&self, earlier: OpId, op: OpId, asked: OpId) -> Option<Keeper> {
        let body = self.body;
        let summary = Summary::collect(body, self.traits);
        if let Some(found) = self.by_itself(op, &summary) {
            return Some(found);
        }
        if body.ops[op].attrs != body.ops[earlier].attrs {
            let there = if asked == op { earlier } else { op };
            return self.attribute(asked, there);
        }
        if !self.has_types_of(op, earlier) {
            return Some(Keeper::Types);
        }
        let several = |it: &ir::RegionId| body.regions[*it].blocks.len() > 1;
        if body.ops[op].regions.iter().any(several) {
            return Some(Keeper::Blocks);
        }
        if body.regions[body.blocks[body.ops[op].parent].parent].kind == RegionKind::Graph {
            return Some(Keeper::Graph);
        }
        let Some(anchor) = self.anchor(earlier, op) else {
            return self.isolated(op, earlier).or_else(|| {
                let bits = summary.bits(op);
                let stays = match bits {
                    _ if bits.has(Bits::LOOKS) => Some(Stays::Reads),
                    _ if bits.has(Bits::TRAPS) => Some(Stays::MayTrap),
                    _ => None,
                };
                Some(Keeper::OtherPath(stays))
            });
        };
        let is_one_block = body.ops[op].parent == body.ops[earlier].parent;
        let bits = summary.bits(op);
        if bits.has(Bits::CONVERGENT) && !is_one_block {
            return Some(Keeper::Together);
        }
        if bits.has(Bits::PER_THREAD) && self.traits.team(op) != self.traits.team(earlier) {
            let around = body.parent_op(op).filter(|it| body.parent_op(earlier) != Some(*it));
            return around.map(Keeper::OtherThread);
        }
        if !bits.has(Bits::LOOKS) {
            return None;
        }
        if self.plan.preset != Preset::Default && !is_one_block {
            return Some(Keeper::OneBlock);
        }
        Between::new(self, op).find(earlier, op, anchor).map(Keeper::Written)
    }

    /// Returns what keeps an operation from any other.
    fn by_itself(&self, op: OpId, summary: &Summary<'_>) -> Option<Keeper> {
        let body = self.body;
        let own = self.traits.of(op);
        if own.has(Bits::UNKNOWN) {
            let is_known = self.is_known(op);
            return Some(if is_known { Keeper::Unread } else { Keeper::Unknown });
        }
        if own.has(Bits::INSIDE) {
            let mut around = body.parent_op(op);
            while let Some(it) = around.filter(|it| !self.traits.of(*it).has(Bits::UNKNOWN)) {
                around = body.parent_op(it);
            }
            return around.map(Keeper::Inside);
        }
        if own.has(Bits::CHANGES) {
            let only_reads = self
                .name(op)
                .is_some_and(|it| self.effects.mlir(it).memory_effect == MemoryEffect::Read);
            return Some(if only_reads { Keeper::Ordered } else { Keeper::Changes });
        }
        let all = summary.bits(op);
        if all.has(Bits::CHANGES) || all.has(Bits::UNKNOWN) {
            let mut found = None;
            for_each_inside(body, op, |it| {
                let bits = self.traits.of(it);
                let is_it = bits.has(Bits::UNKNOWN) || bits.has(Bits::CHANGES);
                if is_it && body.ops[it].regions.is_empty() && found.is_none() {
                    found = Some(it);
                }
                found.is_none()
            });
            return found.map(Keeper::Holds);
        }
        own.has(Bits::VARIES).then_some(Keeper::Varies)
    }

    fn name(&self, op: OpId) -> Option<&str> {
        match self.body.ops[op].kind {
            OpKind::Named(name) | OpKind::Opaque(name) => Some(self.body.name(name)),
            _ => None,
        }
    }

    /// Returns true if a row says what operations of this name do.
    fn is_known(&self, op: OpId) -> bool {
        self.name(op).is_some_and(|it| {
            let found = self.effects.explain(Namespace::Mlir, it);
            let is_said = found.effects.memory_effect != MemoryEffect::Unknown
                || found.kind == MatchKind::Exact;
            is_said && !matches!(found.kind, MatchKind::Default | MatchKind::Undeclared)
        })
    }

    /// The first attribute by which two operations differ.
    fn attribute(&self, op: OpId, other: OpId) -> Option<Keeper> {
        let body = self.body;
        let (here, there) = (body.dict(body.ops[op].attrs), body.dict(body.ops[other].attrs));
        let of = |dict: &[(Box<str>, Attr)], key: &str| {
            dict.iter().find(|it| *it.0 == *key).map(|it| it.1.clone())
        };
        let mut keys = here.iter().chain(there.iter()).map(|it| &*it.0);
        let key = keys.find(|it| of(here, it) != of(there, it))?;
        let text = |it: Option<Attr>| it.and_then(attribute_text);
        Some(Keeper::Attribute {
            key: key.to_owned(),
            here: text(of(here, key)),
            there: text(of(there, key)),
        })
    }

    /// The operation of the region of `earlier` that is `op`, or that holds it, if `earlier` comes before it on every
    /// path.
    fn anchor(&self, earlier: OpId, op: OpId) -> Option<OpId> {
        let body = self.body;
        let block = body.ops[earlier].parent;
        let region = body.blocks[block].parent;
        let mut at = op;
        while body.blocks[body.ops[at].parent].parent != region {
            let around = body.parent_op(at)?;
            if self.traits.of(around).has(Bits::ISOLATED) {
                return None;
            }
            at = around;
        }
        if body.ops[at].parent == block {
            let ops = &body.blocks[block].ops;
            let place = |op: OpId| ops.iter().position(|it| *it == op);
            return (at != earlier && place(earlier) < place(at)).then_some(at);
        }
        let tree = Dominators::compute(body, region);
        let mut up = Some(body.ops[at].parent);
        while let Some(it) = up.filter(|it| *it != block) {
            up = tree.parent(it);
        }
        up.map(|_| at)
    }

    /// The innermost isolated operation around one of two that is not around the other.
    fn isolated(&self, a: OpId, b: OpId) -> Option<Keeper> {
        let around = |op: OpId| {
            std::iter::successors(self.body.parent_op(op), |it| self.body.parent_op(*it))
        };
        let of_b: FxHashSet<OpId> = around(b).collect();
        let of_a: FxHashSet<OpId> = around(a).collect();
        let is_wall = |it: &OpId| self.traits.of(*it).has(Bits::ISOLATED);
        let wall = around(a)
            .find(|it| is_wall(it) && !of_b.contains(it))
            .or_else(|| around(b).find(|it| is_wall(it) && !of_a.contains(it)));
        wall.map(Keeper::Isolated)
    }
}

/// The text of an attribute that is short enough to be told.
fn attribute_text(attr: Attr) -> Option<String> {
    match attr {
        Attr::Text(text) => Some(text.to_string()),
        Attr::Str(text) => Some(format!("\"{text}\"")),
        Attr::Bool(it) => Some(it.to_string()),
        Attr::Int(it, _) => Some(it.to_string()),
        _ => None,
    }
}

/// The search for what writes between two loads.
struct Between<'a, 'b> {
    of: &'a Question<'b>,
    classes: Classes,
    /// The memory that the loads read.
    read: ClassSet,
}

impl<'a, 'b> Between<'a, 'b> {
    fn new(of: &'a Question<'b>, op: OpId) -> Between<'a, 'b> {
        let classes = Classes::collect(of.body, of.traits);
        let read = classes.touched(of.body, of.traits, op, &mut MemoryTypes::default());
        Between { of, classes, read }
    }

    fn find(&self, earlier: OpId, op: OpId, anchor: OpId) -> Option<Write> {
        let body = self.of.body;
        // From the inside to the region that holds both.
        let mut at = op;
        while at != anchor {
            if let Some(by) = self.before(at) {
                return self.write(op, by, None);
            }
            let around = body.parent_op(at)?;
            if !self.of.traits.of(around).has(Bits::RUNS_ONCE)
                && let Some(by) = self.inside(around)
            {
                return self.write(op, by, Some(around));
            }
            at = around;
        }
        let block = body.ops[earlier].parent;
        let is_one_block = body.ops[anchor].parent == block;
        let ops = &body.blocks[block].ops;
        let start = ops.iter().position(|it| *it == earlier)? + 1;
        if is_one_block {
            let end = ops.iter().position(|it| *it == anchor)?;
            let by = self.last_of(&ops[start..end])?;
            return self.write(op, by, None);
        }
        let by = self.before_in_block(anchor).or_else(|| {
            let through = self.blocks_between(block, body.ops[anchor].parent);
            through.iter().find_map(|it| self.last_of(&body.blocks[*it].ops))
        });
        let by = by.or_else(|| self.last_of(&ops[start..]))?;
        self.write(op, by, None)
    }

    /// The last operation before one, in its region, that may write the memory.
    fn before(&self, op: OpId) -> Option<OpId> {
        let body = self.of.body;
        self.before_in_block(op).or_else(|| {
            let region = body.blocks[body.ops[op].parent].parent;
            let entry = body.regions[region].blocks[0];
            if entry == body.ops[op].parent {
                return None;
            }
            let through = self.blocks_between(entry, body.ops[op].parent);
            let mut all = through.iter().chain([&entry]);
            all.find_map(|it| self.last_of(&body.blocks[*it].ops))
        })
    }

    fn before_in_block(&self, op: OpId) -> Option<OpId> {
        let ops = &self.of.body.blocks[self.of.body.ops[op].parent].ops;
        let end = ops.iter().position(|it| *it == op)?;
        self.last_of(&ops[..end])
    }

    /// The blocks on paths from one block to another that do not come to the first again, in program order; the second
    /// is among them if a path leads from it to itself.
    fn blocks_between(&self, from: ir::BlockId, to: ir::BlockId) -> Vec<ir::BlockId> {
        let body = self.of.body;
        let blocks = &body.regions[body.blocks[from].parent].blocks;
        let mut reached: FxHashSet<ir::BlockId> = FxHashSet::default();
        let mut stack: Vec<ir::BlockId> = successors(body, from).filter(|it| *it != from).collect();
        while let Some(it) = stack.pop() {
            if reached.insert(it) {
                stack.extend(successors(body, it).filter(|it| *it != from));
            }
        }
        let mut leads: FxHashSet<ir::BlockId> = FxHashSet::default();
        let mut has_more = true;
        while has_more {
            has_more = false;
            for &block in blocks.iter().filter(|it| reached.contains(it)) {
                let goes_on = successors(body, block).any(|it| it == to || leads.contains(&it));
                has_more |= goes_on && leads.insert(block);
            }
        }
        blocks.iter().copied().filter(|it| leads.contains(it)).collect()
    }

    fn last_of(&self, ops: &[OpId]) -> Option<OpId> {
        let by = ops.iter().rev().find(|it| self.may_write(**it))?;
        Some(self.inside(*by).unwrap_or(*by))
    }

    fn may_write(&self, op: OpId) -> bool {
        let mut versions = Versions::new(&self.classes);
        let before = versions.of(&self.read);
        versions.write(self.classes.written(op));
        versions.of(&self.read) != before && !self.of.is_gone[op.index()]
    }

    /// The first operation inside of one that may write the memory by itself.
    fn inside(&self, op: OpId) -> Option<OpId> {
        let mut found = None;
        for_each_inside(self.of.body, op, |it| {
            let is_leaf = self.of.body.ops[it].regions.is_empty();
            if found.is_none() && is_leaf && self.may_write(it) {
                found = Some(it);
            }
            found.is_none()
        });
        found
    }

    fn write(&self, op: OpId, by: OpId, again: Option<OpId>) -> Option<Write> {
        let body = self.of.body;
        let mut types = MemoryTypes::default();
        let mut memory = |op: OpId| {
            let mut found: SmallVec<[ValueId; 2]> = SmallVec::new();
            for_each_operand(body, op, |_, operand| {
                let value = value_of(body, operand).map(|it| self.of.replaced.get(it));
                let is_memory = |it: &ValueId| types.is_memory(body, body.values[*it].ty);
                found.extend(value.filter(is_memory));
            });
            found
        };
        let (read, written) = (memory(op), memory(by));
        let reach = match (self.of.traits.of(by).has(Bits::UNKNOWN), self.of.traits.reach(by)) {
            (true, _) => Reached::Unknown,
            (_, Reach::Operands) => {
                match (written.iter().find(|it| read.contains(it)), &written[..], &read[..]) {
                    (Some(it), ..) => Reached::Itself(*it),
                    (None, &[written, ..], &[read, ..]) => Reached::MayOverlap { written, read },
                    _ => Reached::Any,
                }
            }
            _ => Reached::Any,
        };
        Some(Write { by, again, reach })
    }
}

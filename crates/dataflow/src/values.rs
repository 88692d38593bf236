//! Value numbers: occurrences with one number have one value.
//!
//! In: a body, its occurrences, memory versions, effects, and a level of equivalence. Out: [`ValueNumbers`]. Two
//! occurrences with one [`ValueNumber`] give the same bits wherever both are evaluated with the same variables, where
//! each sees the definitions of the variables that it names (a loop variable is another one in the next iteration).
//!
//! Numbers go bottom-up: a node gets the class of its operator and the numbers of its operands. Reads of memory are
//! distinguished by the version that they read (`SEMANTICS: M11`), a read of memory that nothing has written by its
//! occurrence (`M3`). A call that is a value of its operands (and of memory) is numbered by them; one that is
//! convergent, not deterministic, or has an effect is a value of its own each time (`X1`, `X6`, `P8`). Binders are
//! compared by de Bruijn index (`B4`).
//!
//! A node without load and call in it has one number everywhere, so most occurrences cost one look-up. O(occurrences),
//! and O(log n) for each load.

mod equivalence;
#[cfg(test)]
mod tests;

use ir::{
    Body, ExprId, ExprKind, OccurrenceId, Occurrences, OpId, OpKind, ValueId,
    arena::Id,
    effects::{EffectTable, MemoryEffect, MemorySet, Merge},
    plan::Equivalence as Level,
    role,
};
use rustc_hash::{FxBuildHasher, FxHashMap};
use smallvec::SmallVec;

use crate::{
    alias::{AliasClass, AliasClasses},
    memory::{MemoryVersions, Origin, VersionId},
};
pub use equivalence::{Equivalence, Leveled};

/// The number of a value; dense.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct ValueNumber(u32);

impl Id for ValueNumber {
    fn new(index: usize) -> Self {
        ValueNumber(u32::try_from(index).expect("fewer values than 2^32 occurrences"))
    }
    fn index(self) -> usize {
        self.0 as usize
    }
}

/// The dependence of an occurrence's value on more than its operands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Nature {
    /// Nothing.
    Value,
    /// The memory of its buffer, or behind its pointer.
    Reads,
    /// It is the name of a place, not a value: never shared.
    Name,
    /// Each execution is another value.
    Fresh,
}

/// The numbers of a body's occurrences.
pub struct ValueNumbers<'a> {
    numbering: Numbering<'a>,
    level: Level,
    of: Vec<ValueNumber>,
    /// Occurrences by number, in program order, those of number `n` at `starts[n]..starts[n + 1]`.
    members: Vec<OccurrenceId>,
    starts: Vec<u32>,
    work: u64,
}

impl<'a> ValueNumbers<'a> {
    /// Numbers all occurrences of `body`.
    pub fn build(
        body: &'a Body,
        occurrences: &'a Occurrences,
        aliases: &'a AliasClasses,
        memory: &'a MemoryVersions<'a>,
        effects: &'a EffectTable,
        level: Level,
    ) -> ValueNumbers<'a> {
        let numbering = Numbering::new(body, occurrences, aliases, memory, effects);
        ValueNumbers::of_numbering(numbering, level)
    }

    /// Like [`ValueNumbers::build`], but a variable that is bound once (`x = e`, `SEMANTICS: E4`) has the number of its
    /// definition: after `a = x * y`, `a + 1` and `x * y + 1` are one value. Uses of `a` are then occurrences of the
    /// number of `x * y`.
    pub fn build_through_bindings(
        body: &'a Body,
        occurrences: &'a Occurrences,
        aliases: &'a AliasClasses,
        memory: &'a MemoryVersions<'a>,
        effects: &'a EffectTable,
        level: Level,
    ) -> ValueNumbers<'a> {
        let mut numbering = Numbering::new(body, occurrences, aliases, memory, effects);
        numbering.through_bindings = true;
        ValueNumbers::of_numbering(numbering, level)
    }

    fn of_numbering(numbering: Numbering<'a>, level: Level) -> ValueNumbers<'a> {
        let mut pool = Leveled::new(level);
        let mut work = numbering.body.n_exprs() as u64;
        let all = OccurrenceId::new(0)..OccurrenceId::new(numbering.occurrences.len());
        let of = numbering.number(all, &mut pool, &mut work);
        let (members, starts) = numbering.members(&of, pool.len());
        ValueNumbers { numbering, level, of, members, starts, work }
    }

    /// The number of an occurrence.
    pub fn of(&self, occurrence: OccurrenceId) -> ValueNumber {
        self.of[occurrence.index()]
    }
    /// Number of numbers.
    pub fn len(&self) -> usize {
        self.starts.len() - 1
    }
    /// Returns true if there are no values.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
    /// All numbers.
    pub fn ids(&self) -> impl ExactSizeIterator<Item = ValueNumber> + use<> {
        (0..self.len()).map(ValueNumber::new)
    }
    /// The occurrences of a number, in program order. Not among them: names of places (`A[i]` in `address_of(A[i])`)
    /// and nodes that name the variable of a binder around them; these have numbers, but cannot replace each other.
    pub fn occurrences(&self, number: ValueNumber) -> &[OccurrenceId] {
        let at = number.index();
        &self.members[self.starts[at] as usize..self.starts[at + 1] as usize]
    }
    /// The level that these are equal by.
    pub fn equivalence(&self) -> Level {
        self.level
    }

    /// The lowest level by which the given occurrences of one number are equal.
    pub fn level_of(&self, occurrences: &[OccurrenceId]) -> Level {
        let all = self.numbering.occurrences;
        let Some((&first, others)) = occurrences.split_first() else { return Level::Syntactic };
        let same_node = |it: &OccurrenceId| all[*it].expr == all[first].expr;
        if others.iter().all(same_node) {
            return Level::Syntactic;
        }
        [Level::Commutative, Level::Associative]
            .into_iter()
            .filter(|&level| level < self.level)
            .find(|&level| self.are_equal_by(occurrences, level))
            .unwrap_or(self.level)
    }

    /// The lowest level by which all occurrences of a number are equal.
    pub fn level(&self, number: ValueNumber) -> Level {
        self.level_of(self.occurrences(number))
    }

    /// Steps taken to build, for tests of growth.
    pub fn work(&self) -> u64 {
        self.work
    }

    fn are_equal_by(&self, occurrences: &[OccurrenceId], level: Level) -> bool {
        let mut pool = Leveled::new(level);
        let mut number = |at: OccurrenceId| {
            let end = self.numbering.occurrences[at].end;
            self.numbering.number(at..end, &mut pool, &mut 0)[0]
        };
        let Some((&first, others)) = occurrences.split_first() else { return true };
        let first = number(first);
        others.iter().all(|&it| number(it) == first)
    }
}

struct Numbering<'a> {
    body: &'a Body,
    occurrences: &'a Occurrences,
    aliases: &'a AliasClasses,
    memory: &'a MemoryVersions<'a>,
    effects: &'a EffectTable,
    /// By node: whether it has one value wherever its variables have one.
    is_fixed: Vec<bool>,
    /// True if a variable has the value number of the value that it is bound to.
    through_bindings: bool,
}

/// Memory versions as numbers that fit beside each other.
#[derive(Default)]
struct Versions(FxHashMap<(AliasClass, VersionId), u64>);

impl Versions {
    fn number(&mut self, class: AliasClass, version: VersionId) -> u64 {
        let next = 1 + self.0.len() as u64;
        *self.0.entry((class, version)).or_insert(next)
    }
}

/// The numbers given so far.
struct NumberTable {
    start: usize,
    /// By occurrence, from `start` on.
    of: Vec<ValueNumber>,
    of_node: FxHashMap<ExprId, u32>,
    versions: Versions,
    /// The value numbers that variables are bound to.
    bound: FxHashMap<ValueId, u32>,
}

/// Beside versions, which are fewer.
const NAME: u64 = 1 << 62;

/// Beside versions and names.
fn fresh(occurrence: OccurrenceId) -> u64 {
    1 << 63 | occurrence.index() as u64
}

impl<'a> Numbering<'a> {
    fn new(
        body: &'a Body,
        occurrences: &'a Occurrences,
        aliases: &'a AliasClasses,
        memory: &'a MemoryVersions<'a>,
        effects: &'a EffectTable,
    ) -> Numbering<'a> {
        let mut is_fixed: Vec<bool> = Vec::with_capacity(body.n_exprs());
        for index in 0..body.n_exprs() {
            ir::interrupt::check();
            let kind = body.expr(ExprId::new(index)).kind;
            let mut all = match kind {
                ExprKind::Load { .. } | ExprKind::Region(..) | ExprKind::Opaque { .. } => false,
                ExprKind::Call { instance, .. } => {
                    instance == 0 && effects.call(body, kind).is_pure_value()
                }
                _ => true,
            };
            // Children are made before their parents and have smaller ids.
            body.each_child(kind, &mut |child| all &= is_fixed[child.index()]);
            is_fixed.push(all);
        }
        Numbering { body, occurrences, aliases, memory, effects, is_fixed, through_bindings: false }
    }

    /// Numbers a range of whole trees, operation by operation, in each the last occurrence first: operands before their
    /// users.
    fn number(
        &self,
        range: std::ops::Range<OccurrenceId>,
        pool: &mut dyn Equivalence,
        work: &mut u64,
    ) -> Vec<ValueNumber> {
        let start = range.start.index();
        let n = range.end.index() - start;
        let mut table = NumberTable {
            start,
            of: vec![ValueNumber(0); n],
            // A table that grows is moved as a whole, and nothing ends that.
            of_node: FxHashMap::with_capacity_and_hasher(n.min(self.body.n_exprs()), FxBuildHasher),
            versions: Versions::default(),
            bound: FxHashMap::default(),
        };
        let mut at = start;
        while at < range.end.index() {
            let op = self.occurrences[OccurrenceId::new(at)].op;
            let mut end = at + 1;
            while end < range.end.index() && self.occurrences[OccurrenceId::new(end)].op == op {
                end += 1;
            }
            for index in (at..end).rev() {
                ir::interrupt::check();
                self.number_one(OccurrenceId::new(index), &mut table, pool, work);
            }
            if self.through_bindings
                && let Some(value) = self.bound_by(op, OccurrenceId::new(at))
            {
                table.bound.insert(value, table.of[at - start].0);
            }
            at = end;
        }
        table.of
    }

    /// Numbers an occurrence whose operands have their numbers.
    fn number_one(
        &self,
        id: OccurrenceId,
        table: &mut NumberTable,
        pool: &mut dyn Equivalence,
        work: &mut u64,
    ) {
        let here = self.occurrences[id];
        let is_fixed = self.is_fixed[here.expr.index()];
        let slot = id.index() - table.start;
        *work += 1;
        if is_fixed && let Some(&known) = table.of_node.get(&here.expr) {
            table.of[slot] = ValueNumber(known);
            return;
        }
        let definition = match self.body.expr(here.expr).kind {
            ExprKind::Value(value) => table.bound.get(&value).copied(),
            _ => None,
        };
        let number = match definition {
            Some(number) => number,
            None => {
                let mut operands: SmallVec<[u32; 8]> = SmallVec::new();
                let mut child = OccurrenceId::new(id.index() + 1);
                while child < here.end {
                    operands.push(table.of[child.index() - table.start].0);
                    child = self.occurrences[child].end;
                }
                *work += operands.len() as u64;
                let beside =
                    if is_fixed { None } else { self.beside(id, &mut table.versions, work) };
                pool.class(self.body, here.expr, &operands, beside)
            }
        };
        if is_fixed {
            table.of_node.insert(here.expr, number);
        }
        table.of[slot] = ValueNumber(number);
    }

    /// The variable that an operation binds to the occurrence, its only operand.
    fn bound_by(&self, op: OpId, operand: OccurrenceId) -> Option<ValueId> {
        let data = &self.body.ops[op];
        match (data.kind, &data.results[..]) {
            (OpKind::Bind, &[value])
                if data.operands.len() == 1
                    && self.body.values[value].ty
                        == self.body.ty(self.occurrences[operand].expr) =>
            {
                Some(value)
            }
            _ => None,
        }
    }

    fn nature(&self, id: OccurrenceId) -> Nature {
        let here = self.occurrences[id];
        match self.body.expr(here.expr).kind {
            ExprKind::Load { .. }
                if role::is_place(self.body, self.occurrences, self.effects, id) =>
            {
                Nature::Name
            }
            ExprKind::Load { .. } => Nature::Reads,
            ExprKind::Region(..) | ExprKind::Slice { .. } | ExprKind::Buffer(_) => Nature::Name,
            ExprKind::Opaque { .. } => Nature::Fresh,
            call @ ExprKind::Call { instance, .. } => {
                let effects = self.effects.call(self.body, call);
                match (effects.merge(), effects.memory_effect) {
                    _ if instance != 0 => Nature::Fresh,
                    (Merge::Dominated, MemoryEffect::None) => Nature::Value,
                    (Merge::Dominated, _) => Nature::Reads,
                    _ => Nature::Fresh,
                }
            }
            _ => Nature::Value,
        }
    }

    /// Returns the part that distinguishes an occurrence from others of the same operator and operands.
    fn beside(&self, id: OccurrenceId, versions: &mut Versions, work: &mut u64) -> Option<u64> {
        Some(match self.nature(id) {
            Nature::Value => return None,
            // Names are equal by their parts, but never equal to a value of the same parts.
            Nature::Name => NAME,
            Nature::Fresh => fresh(id),
            Nature::Reads => {
                let class = match self.memory.class_of(id) {
                    Some(class) => Some(class),
                    None => self.class_read_by_call(id),
                };
                let Some(class) = class else { return Some(fresh(id)) };
                let version = self.memory.at_counted(id, class, work);
                match version.origin() {
                    Origin::Load(_) => fresh(id),
                    // Nothing has been written yet (M3).
                    Origin::Write(op) if matches!(self.body.ops[op].kind, OpKind::Alloc { .. }) => {
                        fresh(id)
                    }
                    _ => versions.number(class, version),
                }
            }
        })
    }

    /// The one class that a call reads through its arguments, if it is one.
    fn class_read_by_call(&self, id: OccurrenceId) -> Option<AliasClass> {
        let here = self.occurrences[id];
        let call = self.body.expr(here.expr).kind;
        let ExprKind::Call { args, .. } = call else { return None };
        if self.effects.call(self.body, call).memory != MemorySet::ARGUMENT {
            return None;
        }
        let mut found = None;
        for &arg in self.body.items(args) {
            let class = match self.body.expr(arg).kind {
                ExprKind::Load { buffer, .. } => Some(self.aliases.class(buffer)),
                _ => self.aliases.of_address(arg),
            };
            match (found, class) {
                (_, None) => {}
                (None, class) => found = class,
                (Some(one), Some(class)) if one == class => {}
                _ => return None,
            }
        }
        found.filter(|&it| it != self.aliases.world())
    }

    /// The occurrences that can stand for each other, by number.
    fn members(&self, of: &[ValueNumber], n: usize) -> (Vec<OccurrenceId>, Vec<u32>) {
        let listed = |index: usize| {
            let id = OccurrenceId::new(index);
            let node = self.body.expr(self.occurrences[id].expr);
            node.flags.open_binders == 0 && self.nature(id) != Nature::Name
        };
        let listed: Vec<usize> = (0..of.len()).filter(|&it| listed(it)).collect();
        let mut starts = vec![0u32; n + 1];
        for &index in &listed {
            starts[of[index].index() + 1] += 1;
        }
        for at in 0..n {
            starts[at + 1] += starts[at];
        }
        let mut next = starts.clone();
        let mut members = vec![OccurrenceId::new(0); listed.len()];
        for index in listed {
            let at = &mut next[of[index].index()];
            members[*at as usize] = OccurrenceId::new(index);
            *at += 1;
        }
        (members, starts)
    }
}

//! Value classes: the occurrences that have one value.
//!
//! In: the facts, and the value numbers of `dataflow`. Out: [`Values`], the *class* of each occurrence: occurrences of
//! one class have equal values wherever they are evaluated, provided that their variables and the memory that they read
//! exist there. Presets that follow a peer compare structure alone: there the class of an occurrence is its expression.
//! A convergent call has a value of its own in each block, and in each stretch of it between branches
//! (`SEMANTICS: P8`). O(occurrences).

use std::cell::OnceCell;

use dataflow::{
    alias::AliasClasses,
    analyses::Analyses,
    memory::{MemoryVersions, Origin},
    values::ValueNumbers,
};
use ir::{
    Body, ExprId, ExprKind, OccurrenceId, Occurrences, ValueKind, arena::Id, effects::EffectTable,
    plan::Equivalence,
};
use rustc_hash::FxHashMap;

use super::{Work, facts::Facts, sharing::Sharing};

/// A class of occurrences, dense.
pub(super) type Class = u32;

/// The classes of a body's occurrences.
pub(super) struct Values<'a> {
    occurrences: &'a Occurrences,
    /// By occurrence; empty if the class is the expression.
    class: Vec<Class>,
    n_classes: usize,
    /// By occurrence, where anything reads memory: the order of the first operation that could read the same.
    visible_from: Vec<u32>,
    /// Classes that a constant or an unbound variable is in, above `commutative`.
    leaves: FxHashMap<Class, ExprId>,
}

impl<'a> Values<'a> {
    /// One class an expression.
    pub(super) fn of_structure(facts: &Facts<'a>) -> Values<'a> {
        Values {
            occurrences: facts.occurrences,
            class: Vec::new(),
            n_classes: facts.body.n_exprs(),
            visible_from: Vec::new(),
            leaves: FxHashMap::default(),
        }
    }

    /// One class a value.
    pub(super) fn number(
        facts: &Facts<'a>,
        memory: &Memory<'a>,
        level: Equivalence,
        work: &mut Work,
    ) -> Values<'a> {
        let numbers = memory.number(level);
        let classes = facts.occurrences.iter().map(|(id, _)| numbers.of(id).index() as Class);
        let mut values = Values {
            occurrences: facts.occurrences,
            class: classes.collect(),
            n_classes: numbers.len(),
            visible_from: Vec::new(),
            leaves: FxHashMap::default(),
        };
        work.visited += numbers.work() + facts.occurrences.len() as u64;
        if level > Equivalence::Commutative {
            values.leaves = leaves(facts, &values);
        }
        if facts.body.exprs().any(|(_, it)| it.flags.has_load) {
            values.visible_from = visible_from(facts, &memory.versions);
            work.visited += facts.occurrences.len() as u64;
        }
        let is_convergent = |it| facts.sharing(it).intersects(Sharing::CONVERGENT);
        if facts.body.exprs().any(|(it, _)| is_convergent(it)) {
            values.split_convergent(facts);
        }
        values
    }

    /// Gives convergent values a class a block and stretch; one that is evaluated only sometimes has a class of its
    /// own.
    fn split_convergent(&mut self, facts: &Facts<'_>) {
        let mut classes: FxHashMap<_, Class> = FxHashMap::default();
        for (id, it) in facts.occurrences.iter() {
            if facts.sharing(it.expr).intersects(Sharing::CONVERGENT)
                && !facts.sharing(it.expr).intersects(Sharing::IMPURE)
            {
                let next = (self.n_classes + classes.len()) as Class;
                let alone = facts.is_lazy(id, None).then_some(id);
                let key = (it.expr, facts.stretch(it.op), alone);
                self.class[id.index()] = *classes.entry(key).or_insert(next);
            }
        }
        self.n_classes += classes.len();
    }

    /// The constant or variable that an occurrence is equal to.
    pub(super) fn leaf(&self, occurrence: OccurrenceId) -> Option<ExprId> {
        self.leaves.get(&self.class(occurrence)).copied()
    }
    /// Number of classes.
    pub(super) fn len(&self) -> usize {
        self.n_classes
    }
    /// The class of an occurrence.
    pub(super) fn class(&self, occurrence: OccurrenceId) -> Class {
        if self.class.is_empty() {
            self.occurrences[occurrence].expr.index() as u32
        } else {
            self.class[occurrence.index()]
        }
    }
    /// The order of the first operation that sees all variables of an occurrence, and memory as it reads it.
    pub(super) fn visible_from(&self, facts: &Facts<'_>, occurrence: OccurrenceId) -> u32 {
        match self.visible_from.get(occurrence.index()) {
            Some(&order) => order,
            None => facts.visible_from_at(occurrence),
        }
    }
}

/// The classes of constants and variables that nothing is bound to.
fn leaves(facts: &Facts<'_>, values: &Values<'_>) -> FxHashMap<Class, ExprId> {
    let body = facts.body;
    let is_leaf = |expr: ExprId| match body.expr(expr).kind {
        ExprKind::Int(_) | ExprKind::Float(_) => true,
        ExprKind::Value(value) => !matches!(body.values[value].kind, ValueKind::Result(..)),
        _ => false,
    };
    let leaves = facts.occurrences.iter().filter(|(_, it)| is_leaf(it.expr));
    leaves.map(|(id, it)| (values.class(id), it.expr)).collect()
}

/// For each occurrence the order of the first operation that sees its variables and the versions of memory that it
/// reads.
fn visible_from(facts: &Facts<'_>, versions: &MemoryVersions<'_>) -> Vec<u32> {
    let (body, scopes) = (facts.body, facts.scopes);
    let start = |origin: Origin| match origin {
        Origin::Entry => 0,
        Origin::Write(op) | Origin::After(op) => scopes.order(op).saturating_add(1),
        Origin::LoopEntry(op) => match body.ops[op].regions.first() {
            Some(&region) => scopes.start(scopes.of_block(body.entry(region))),
            None => u32::MAX,
        },
        Origin::BlockEntry(block) => scopes.start(scopes.of_block(block)),
        Origin::Load(_) => u32::MAX,
    };
    let mut visible = vec![0; facts.occurrences.len()];
    // Operands come after what uses them.
    for (id, it) in facts.occurrences.iter().rev() {
        let mut from = visible[id.index()].max(facts.visible_from_at(id));
        if let Some(version) = versions.of_load(id) {
            from = from.max(start(version.origin()));
        }
        visible[id.index()] = from;
        if let Some(parent) = it.parent {
            let above = &mut visible[parent.index()];
            *above = from.max(*above);
        }
    }
    visible
}

/// The memory versions of loads, and the value numbers that follow from them.
pub(super) struct Memory<'a> {
    body: &'a Body,
    occurrences: &'a Occurrences,
    effects: &'a EffectTable,
    pub(super) aliases: &'a AliasClasses,
    pub(super) versions: MemoryVersions<'a>,
}

impl<'a> Memory<'a> {
    pub(super) fn new(analyses: &'a Analyses<'a>) -> Memory<'a> {
        let Analyses { body, occurrences, effects, .. } = *analyses;
        let (aliases, versions) = (analyses.aliases(), analyses.memory());
        Memory { body, occurrences, effects, aliases, versions }
    }

    fn number(&self, level: Equivalence) -> ValueNumbers<'_> {
        let Memory { body, occurrences, effects, aliases, ref versions } = *self;
        ValueNumbers::build_through_bindings(body, occurrences, aliases, versions, effects, level)
    }
}

/// Forms of a value: those that are equal without re-association are one.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct Form(u32);

/// Tells the form of an occurrence.
pub(super) type Forms<'a> = &'a dyn Fn(OccurrenceId) -> Form;

/// By which level occurrences of one class are equal: numbers of the weaker levels, made when asked for.
pub(super) struct Levels<'a> {
    memory: &'a Memory<'a>,
    level: Equivalence,
    weaker: [OnceCell<ValueNumbers<'a>>; 3],
}

impl<'a> Levels<'a> {
    pub(super) fn new(memory: &'a Memory<'a>, level: Equivalence) -> Levels<'a> {
        Levels { memory, level, weaker: Default::default() }
    }

    /// The form in which an occurrence has its value.
    pub(super) fn form(&self, occurrence: OccurrenceId) -> Form {
        Form(self.class_at(Equivalence::Commutative, occurrence) as u32)
    }

    /// The class of an occurrence at a weaker level.
    fn class_at(&self, level: Equivalence, occurrence: OccurrenceId) -> usize {
        let cell = &self.weaker[level as usize];
        cell.get_or_init(|| self.memory.number(level)).of(occurrence).index()
    }

    /// The weakest level by which all of these are equal.
    pub(super) fn of(&self, occurrences: &[OccurrenceId]) -> Equivalence {
        let Some((&first, others)) = occurrences.split_first() else {
            return Equivalence::Syntactic;
        };
        let expr = |it: OccurrenceId| self.memory.occurrences[it].expr;
        if others.iter().all(|&it| expr(it) == expr(first)) {
            return Equivalence::Syntactic;
        }
        let levels = [Equivalence::Syntactic, Equivalence::Commutative, Equivalence::Associative];
        let same = |level| {
            let class = self.class_at(level, first);
            others.iter().all(|&it| self.class_at(level, it) == class)
        };
        let weaker = levels.into_iter().filter(|&it| it < self.level);
        weaker.into_iter().find(|&it| same(it)).unwrap_or(self.level)
    }
}

//! What the constraints of a context say, subject by subject.
//!
//! A *subject* is a variable or a node that is no variable (`n * m`, `x // 4`). For each the state of a context has an
//! interval, a congruence, values that are excluded, and the linear inequalities that mention it. States share all that
//! did not change with those of their parents; adding a constraint costs the subjects it mentions.

use ir::{ExprId, ExprKind, ValueId};
use smallvec::SmallVec;

use crate::{
    Analyzer, Interval, Modular,
    analyzer::{Facts, Overflow, expr_key, made_key, value_key},
    atoms::{Atom, AtomKind},
    context::ContextId,
    linear::Linear,
    persistent::{MapId, Maps},
};

/// The facts of one context under one reading.
#[derive(Clone, Copy, Debug)]
pub(crate) struct State {
    pub(crate) map: MapId,
    /// The nearest context at or above that says anything.
    pub(crate) last: ContextId,
    /// The nearest one that says something about a node of too many variables to name.
    pub(crate) everywhere: ContextId,
    /// Nothing can be here.
    pub(crate) contradiction: bool,
}

/// What constraints say of one subject.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SubjectFacts {
    /// The nearest context that says something of it.
    pub(crate) stamp: ContextId,
    pub(crate) interval: Interval,
    pub(crate) modular: Modular,
    /// A list of values that it does not have; 0 for none.
    excluded: u32,
    /// A list of relations that mention it; 0 for none.
    relations: u32,
    /// Its value was computed on the way.
    pub(crate) is_computed: bool,
}

/// What a linear form is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum RelationKind {
    NonNegative,
    NonZero,
}

/// A recorded fact about a linear form.
#[derive(Clone, Debug)]
pub(crate) struct Relation {
    pub(crate) form: Linear,
    pub(crate) kind: RelationKind,
}

/// The facts of all contexts.
pub(crate) struct Store {
    maps: Maps,
    subjects: Vec<SubjectFacts>,
    excluded: Vec<(i128, u32)>,
    relations: Vec<Relation>,
    /// A relation and the rest of the list.
    cells: Vec<(u32, u32)>,
}

/// Values of a subject or relations that are looked at, newest first.
const MOST_LISTED: usize = 16;

impl Store {
    pub(crate) fn new() -> Store {
        let nothing = SubjectFacts {
            stamp: ContextId(0),
            interval: Interval::EVERYTHING,
            modular: Modular::EVERYTHING,
            excluded: 0,
            relations: 0,
            is_computed: false,
        };
        Store {
            maps: Maps::new(),
            subjects: vec![nothing],
            excluded: vec![(0, 0)],
            relations: Vec::new(),
            cells: vec![(0, 0)],
        }
    }
    /// Makes room for what is said in a body of as many nodes.
    pub(crate) fn reserve(&mut self, n_exprs: usize) {
        self.subjects.reserve(n_exprs / 2);
        self.maps.reserve(n_exprs);
    }
    pub(crate) fn of_key(&self, map: MapId, key: u32) -> SubjectFacts {
        self.subjects[self.maps.get(map, key) as usize]
    }
    /// What is said of a subject, if anything is.
    fn find(&self, map: MapId, key: u32) -> Option<&SubjectFacts> {
        let at = self.maps.get(map, key);
        (at != 0).then(|| &self.subjects[at as usize])
    }
    fn of_value(&self, map: MapId, value: ValueId) -> SubjectFacts {
        self.of_key(map, value_key(value))
    }
    /// The nearest context that says something of a variable.
    pub(crate) fn stamp_of_value(&self, map: MapId, value: ValueId) -> ContextId {
        self.subjects[self.maps.get(map, value_key(value)) as usize].stamp
    }
    pub(crate) fn excluded(&self, facts: SubjectFacts) -> impl Iterator<Item = i128> + '_ {
        let mut at = facts.excluded;
        std::iter::from_fn(move || {
            let (value, next) = self.excluded[at as usize];
            (std::mem::replace(&mut at, next) != 0).then_some(value)
        })
        .take(MOST_LISTED)
    }
    pub(crate) fn relations(&self, facts: SubjectFacts) -> impl Iterator<Item = &Relation> + '_ {
        let mut at = facts.relations;
        std::iter::from_fn(move || {
            let (relation, next) = self.cells[at as usize];
            (std::mem::replace(&mut at, next) != 0).then(|| &self.relations[relation as usize])
        })
        .take(MOST_LISTED)
    }
}

impl Analyzer<'_> {
    /// The node that facts about `expr` are kept with.
    pub(crate) fn representative(&mut self, expr: ExprId) -> ExprId {
        self.identity.representative(&self.body, &mut self.summaries, expr)
    }

    /// The key of the facts about an atom.
    #[inline]
    pub(crate) fn subject(&self, atom: Atom) -> u32 {
        match atom.kind() {
            AtomKind::Made(made) => made_key(made),
            AtomKind::Node(expr) => match self.body.expr(expr).kind {
                ExprKind::Value(value) => value_key(value),
                _ => expr_key(expr),
            },
        }
    }

    /// What constraints say of an atom.
    pub(crate) fn recorded(
        &mut self,
        overflow: Overflow,
        ctx: ContextId,
        atom: Atom,
    ) -> SubjectFacts {
        let map = self.state(overflow, ctx).map;
        self.store.of_key(map, self.subject(atom))
    }

    /// Facts of an atom, and what constraints say of it.
    pub(crate) fn with_recorded(
        &mut self,
        overflow: Overflow,
        ctx: ContextId,
        atom: Atom,
        mut facts: Facts,
    ) -> Facts {
        let map = self.state(overflow, ctx).map;
        let Some(recorded) = self.store.find(map, self.subject(atom)) else { return facts };
        facts.interval = facts.interval.intersect(recorded.interval);
        facts.modular = facts.modular.intersect(recorded.modular).unwrap_or(facts.modular);
        if recorded.excluded == 0 {
            return facts;
        }
        let excluded: SmallVec<[i128; 4]> = self.store.excluded(*recorded).collect();
        for _ in &excluded {
            let trimmed =
                excluded.iter().fold(facts.interval, |interval, &it| interval.without(it));
            if std::mem::replace(&mut facts.interval, trimmed) == trimmed {
                break;
            }
        }
        facts
    }

    /// The state of a context, worked out with those above it on first use.
    #[inline]
    pub(crate) fn state(&mut self, overflow: Overflow, ctx: ContextId) -> State {
        match self.states[overflow as usize].get(ctx.0 as usize) {
            Some(&Some(known)) => known,
            _ => self.work_out_state(overflow, ctx),
        }
    }

    fn work_out_state(&mut self, overflow: Overflow, ctx: ContextId) -> State {
        let known = |it: &Self, ctx: ContextId| {
            it.states[overflow as usize].get(ctx.0 as usize).copied().flatten()
        };
        let mut missing: SmallVec<[ContextId; 8]> = SmallVec::new();
        missing.push(ctx);
        let mut at = ctx;
        while let Some(parent) = self.parent(at) {
            if known(self, parent).is_some() {
                break;
            }
            missing.push(parent);
            at = parent;
        }
        let mut state = State {
            map: MapId::EMPTY,
            last: self.root(),
            everywhere: self.root(),
            contradiction: false,
        };
        while let Some(ctx) = missing.pop() {
            if let Some(parent) = self.parent(ctx) {
                state = known(self, parent).unwrap_or(state);
            }
            let mut recorder = Recorder { overflow, ctx, state };
            // While the context is worked out, its parent's facts answer.
            self.constrain(&mut recorder);
            self.note_computed(&mut recorder);
            state = recorder.state;
            let states = &mut self.states[overflow as usize];
            if states.len() <= ctx.0 as usize {
                states.resize(self.contexts.len(), None);
            }
            states[ctx.0 as usize] = Some(state);
            self.work.contexts += 1;
        }
        state
    }
}

/// A state in the making.
pub(crate) struct Recorder {
    pub(crate) overflow: Overflow,
    pub(crate) ctx: ContextId,
    pub(crate) state: State,
}

impl Analyzer<'_> {
    /// Notes that the values of an atom are in `interval` and `modular`. Returns whether that is news.
    pub(crate) fn record(
        &mut self,
        recorder: &mut Recorder,
        atom: Atom,
        interval: Interval,
        modular: Modular,
    ) -> bool {
        let key = self.subject(atom);
        let mut facts = self.store.of_key(recorder.state.map, key);
        let narrowed = facts.interval.intersect(interval);
        let Some(congruence) = facts.modular.intersect(modular) else {
            recorder.state.contradiction = true;
            return false;
        };
        if narrowed.is_empty() {
            recorder.state.contradiction = true;
            return false;
        }
        if narrowed == facts.interval && congruence == facts.modular {
            return false;
        }
        facts.interval = narrowed;
        facts.modular = congruence;
        self.update(recorder, (atom, key), facts);
        true
    }

    /// Notes that the value of an atom was computed; nothing else changes for it. Returns whether that is news.
    pub(crate) fn set_computed(&mut self, recorder: &mut Recorder, atom: Atom) -> bool {
        let key = self.subject(atom);
        let facts = self.store.of_key(recorder.state.map, key);
        if !facts.is_computed {
            self.insert(recorder, key, SubjectFacts { is_computed: true, ..facts });
        }
        !facts.is_computed
    }

    /// Notes that an atom is not `value`.
    pub(crate) fn record_excluded(&mut self, recorder: &mut Recorder, atom: Atom, value: i128) {
        let key = self.subject(atom);
        let mut facts = self.store.of_key(recorder.state.map, key);
        self.store.excluded.push((value, facts.excluded));
        facts.excluded = self.store.excluded.len() as u32 - 1;
        self.update(recorder, (atom, key), facts);
    }

    /// Notes a fact about a linear form with each of its atoms.
    pub(crate) fn record_relation(
        &mut self,
        recorder: &mut Recorder,
        form: Linear,
        kind: RelationKind,
    ) {
        let relation = self.store.relations.len() as u32;
        let atoms: SmallVec<[Atom; 4]> = form.atoms().collect();
        self.store.relations.push(Relation { form, kind });
        for atom in atoms {
            let key = self.subject(atom);
            let mut facts = self.store.of_key(recorder.state.map, key);
            self.store.cells.push((relation, facts.relations));
            facts.relations = self.store.cells.len() as u32 - 1;
            self.update(recorder, (atom, key), facts);
        }
    }

    /// Writes the facts of a subject, and tells all its variables that something changed.
    fn update(
        &mut self,
        recorder: &mut Recorder,
        (atom, key): (Atom, u32),
        mut facts: SubjectFacts,
    ) {
        let ctx = recorder.ctx;
        facts.stamp = ctx;
        self.insert(recorder, key, facts);
        recorder.state.last = ctx;
        let set = self.variables_of_atom(atom);
        let Some(variables) = self.summaries.variables(set) else {
            recorder.state.everywhere = ctx;
            return;
        };
        for value in SmallVec::<[ValueId; 8]>::from_slice(variables) {
            let facts = self.store.of_value(recorder.state.map, value);
            if facts.stamp != ctx {
                self.insert(recorder, value_key(value), SubjectFacts { stamp: ctx, ..facts });
            }
        }
    }

    fn insert(&mut self, recorder: &mut Recorder, key: u32, facts: SubjectFacts) {
        self.store.subjects.push(facts);
        let index = self.store.subjects.len() as u32 - 1;
        recorder.state.map = self.store.maps.insert(recorder.state.map, key, index);
    }
}

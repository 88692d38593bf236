//! The state of a context: the facts of its constraints, subject by subject.
//!
//! A *subject* is a variable or a node that is no variable (`n * m`, `x // 4`). For each the state of a context has an
//! interval, a congruence, values that are excluded, and the linear inequalities that mention it. States share all that
//! did not change with those of their parents; adding a constraint costs the subjects it mentions.

mod persistent;

use ir::{Body, ExprId, ExprKind, ValueId, arena::Id};
use smallvec::SmallVec;

use self::persistent::{MapId, Maps};
use crate::{
    Interval, Modular,
    contexts::{ContextId, Contexts},
    facts::{Facts, Overflow},
    forms::{Atom, AtomKind, Atoms, Linear},
    nodes::{Nodes, VariableSet},
};

/// The facts of one context under one reading.
#[derive(Clone, Copy, Debug)]
pub(crate) struct State {
    map: MapId,
    /// The nearest context at or above with information.
    pub(crate) last: ContextId,
    /// The nearest one with information about a node of too many variables to name.
    pub(crate) everywhere: ContextId,
    /// Nothing can be here.
    pub(crate) contradiction: bool,
}

/// The facts that constraints give for one subject.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SubjectFacts {
    /// The nearest context with information about it.
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

/// The kind of a relation.
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

impl State {
    /// Above the root nothing is said.
    pub(crate) const NOTHING: State = State {
        map: MapId::EMPTY,
        last: Contexts::ROOT,
        everywhere: Contexts::ROOT,
        contradiction: false,
    };
}

/// The states of all contexts under both readings.
#[derive(Clone)]
pub(crate) struct States {
    of: [Vec<Option<State>>; 2],
    /// Of each set of variables the context asked about last, and the nearest one to it that constrains them.
    nearest: [Vec<(ContextId, ContextId)>; 2],
    maps: Maps,
    subjects: Vec<SubjectFacts>,
    excluded: Vec<(i128, u32)>,
    relations: Vec<Relation>,
    /// A relation and the rest of the list.
    cells: Vec<(u32, u32)>,
}

/// Values of a subject or relations that are looked at, newest first.
const MOST_LISTED: usize = 16;

impl States {
    pub(crate) fn new() -> States {
        let nothing = SubjectFacts {
            stamp: Contexts::ROOT,
            interval: Interval::EVERYTHING,
            modular: Modular::EVERYTHING,
            excluded: 0,
            relations: 0,
            is_computed: false,
        };
        States {
            of: [Vec::new(), Vec::new()],
            nearest: Default::default(),
            maps: Maps::new(),
            subjects: vec![nothing],
            excluded: vec![(0, 0)],
            relations: Vec::new(),
            cells: vec![(0, 0)],
        }
    }
    /// Makes room for the facts of a body of as many nodes.
    pub(crate) fn reserve(&mut self, n_exprs: usize) {
        self.subjects.reserve(n_exprs / 2);
        self.maps.reserve(n_exprs);
    }

    /// The state of a context, if it was worked out.
    #[inline]
    pub(crate) fn known(&self, overflow: Overflow, ctx: ContextId) -> Option<State> {
        self.of[overflow as usize].get(ctx.index()).copied().flatten()
    }
    /// Keeps the state of a context, one of so many.
    pub(crate) fn keep(&mut self, recorder: &Recorder, n_contexts: usize) {
        let states = &mut self.of[recorder.overflow as usize];
        if states.len() <= recorder.ctx.index() {
            states.resize(n_contexts, None);
        }
        states[recorder.ctx.index()] = Some(recorder.state);
    }

    /// The nearest context at or above `ctx` that constrains one of these variables, if it was the last one asked
    /// about.
    #[inline]
    pub(crate) fn known_nearest(
        &self,
        overflow: Overflow,
        ctx: ContextId,
        variables: VariableSet,
    ) -> Option<ContextId> {
        let asked = self.nearest[overflow as usize].get(variables.index());
        asked.filter(|it| it.0 == ctx).map(|it| it.1)
    }
    /// The nearest context at or above `ctx`, which has this state, that constrains one of these variables.
    pub(crate) fn nearest(
        &mut self,
        nodes: &Nodes<'_>,
        (overflow, ctx, state): (Overflow, ContextId, State),
        variables: VariableSet,
    ) -> ContextId {
        let Some(of_set) = nodes.variables(variables) else { return state.last };
        let stamps = of_set.iter().map(|&it| self.stamp_of_value(state.map, it));
        let nearest = stamps.fold(state.everywhere, ContextId::max);
        let asked = &mut self.nearest[overflow as usize];
        if asked.len() <= variables.index() {
            // The root is nearest to itself.
            asked.resize(variables.index() + 1, (Contexts::ROOT, Contexts::ROOT));
        }
        asked[variables.index()] = (ctx, nearest);
        nearest
    }

    /// Returns the facts that a state has about an atom.
    pub(crate) fn recorded(&self, body: &Body, state: State, atom: Atom) -> SubjectFacts {
        self.of_key(state.map, subject(body, atom))
    }

    /// Facts of an atom, and what a state says of it.
    pub(crate) fn with_recorded(
        &self,
        body: &Body,
        state: State,
        atom: Atom,
        mut facts: Facts,
    ) -> Facts {
        let Some(recorded) = self.find(state.map, subject(body, atom)) else { return facts };
        facts.interval = facts.interval.intersect(recorded.interval);
        facts.modular = facts.modular.intersect(recorded.modular).unwrap_or(facts.modular);
        if recorded.excluded == 0 {
            return facts;
        }
        let excluded: SmallVec<[i128; 4]> = self.excluded(*recorded).collect();
        for _ in &excluded {
            let trimmed =
                excluded.iter().fold(facts.interval, |interval, &it| interval.without(it));
            if std::mem::replace(&mut facts.interval, trimmed) == trimmed {
                break;
            }
        }
        facts
    }

    fn of_key(&self, map: MapId, key: u32) -> SubjectFacts {
        self.subjects[self.maps.get(map, key) as usize]
    }
    /// Returns the facts about a subject, if there are any.
    fn find(&self, map: MapId, key: u32) -> Option<&SubjectFacts> {
        let at = self.maps.get(map, key);
        (at != 0).then(|| &self.subjects[at as usize])
    }
    fn of_value(&self, map: MapId, value: ValueId) -> SubjectFacts {
        self.of_key(map, value_key(value))
    }
    /// The nearest context with information about a variable.
    fn stamp_of_value(&self, map: MapId, value: ValueId) -> ContextId {
        self.subjects[self.maps.get(map, value_key(value)) as usize].stamp
    }
    /// Values that a subject does not have, newest first.
    pub(crate) fn excluded(&self, facts: SubjectFacts) -> impl Iterator<Item = i128> + '_ {
        let mut at = facts.excluded;
        std::iter::from_fn(move || {
            let (value, next) = self.excluded[at as usize];
            (std::mem::replace(&mut at, next) != 0).then_some(value)
        })
        .take(MOST_LISTED)
    }
    /// Relations that mention a subject, newest first.
    pub(crate) fn relations(&self, facts: SubjectFacts) -> impl Iterator<Item = &Relation> + '_ {
        let mut at = facts.relations;
        std::iter::from_fn(move || {
            let (relation, next) = self.cells[at as usize];
            (std::mem::replace(&mut at, next) != 0).then(|| &self.relations[relation as usize])
        })
        .take(MOST_LISTED)
    }

    /// Notes that the values of an atom are in `interval` and `modular`. Returns whether that is news.
    pub(crate) fn record(
        &mut self,
        atoms: &Atoms,
        nodes: &mut Nodes<'_>,
        recorder: &mut Recorder,
        atom: Atom,
        interval: Interval,
        modular: Modular,
    ) -> bool {
        let key = subject(nodes.body(), atom);
        let mut facts = self.of_key(recorder.state.map, key);
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
        self.update(atoms, nodes, recorder, (atom, key), facts);
        true
    }

    /// Notes that the value of an atom was computed; nothing else changes for it. Returns whether that is news.
    pub(crate) fn set_computed(
        &mut self,
        nodes: &Nodes<'_>,
        recorder: &mut Recorder,
        atom: Atom,
    ) -> bool {
        let key = subject(nodes.body(), atom);
        let facts = self.of_key(recorder.state.map, key);
        if !facts.is_computed {
            self.insert(recorder, key, SubjectFacts { is_computed: true, ..facts });
        }
        !facts.is_computed
    }

    /// Notes that an atom is not `value`.
    pub(crate) fn record_excluded(
        &mut self,
        atoms: &Atoms,
        nodes: &mut Nodes<'_>,
        recorder: &mut Recorder,
        atom: Atom,
        value: i128,
    ) {
        let key = subject(nodes.body(), atom);
        let mut facts = self.of_key(recorder.state.map, key);
        self.excluded.push((value, facts.excluded));
        facts.excluded = self.excluded.len() as u32 - 1;
        self.update(atoms, nodes, recorder, (atom, key), facts);
    }

    /// Notes a fact about a linear form with each of its atoms.
    pub(crate) fn record_relation(
        &mut self,
        atoms: &Atoms,
        nodes: &mut Nodes<'_>,
        recorder: &mut Recorder,
        form: Linear,
        kind: RelationKind,
    ) {
        let relation = self.relations.len() as u32;
        let mentioned: SmallVec<[Atom; 4]> = form.atoms().collect();
        self.relations.push(Relation { form, kind });
        for atom in mentioned {
            let key = subject(nodes.body(), atom);
            let mut facts = self.of_key(recorder.state.map, key);
            self.cells.push((relation, facts.relations));
            facts.relations = self.cells.len() as u32 - 1;
            self.update(atoms, nodes, recorder, (atom, key), facts);
        }
    }

    /// Writes the facts of a subject, and marks all its variables as changed.
    fn update(
        &mut self,
        atoms: &Atoms,
        nodes: &mut Nodes<'_>,
        recorder: &mut Recorder,
        (atom, key): (Atom, u32),
        mut facts: SubjectFacts,
    ) {
        let ctx = recorder.ctx;
        facts.stamp = ctx;
        self.insert(recorder, key, facts);
        recorder.state.last = ctx;
        let set = atoms.variables_of_atom(nodes, atom);
        let Some(variables) = nodes.variables(set) else {
            recorder.state.everywhere = ctx;
            return;
        };
        for value in SmallVec::<[ValueId; 8]>::from_slice(variables) {
            let facts = self.of_value(recorder.state.map, value);
            if facts.stamp != ctx {
                self.insert(recorder, value_key(value), SubjectFacts { stamp: ctx, ..facts });
            }
        }
    }

    fn insert(&mut self, recorder: &mut Recorder, key: u32, facts: SubjectFacts) {
        self.subjects.push(facts);
        let index = self.subjects.len() as u32 - 1;
        recorder.state.map = self.maps.insert(recorder.state.map, key, index);
    }
}

/// A state in the making.
pub(crate) struct Recorder {
    pub(crate) overflow: Overflow,
    pub(crate) ctx: ContextId,
    pub(crate) state: State,
}

/// The key of the facts about an atom.
#[inline]
fn subject(body: &Body, atom: Atom) -> u32 {
    match atom.kind() {
        AtomKind::Made(made) => made_key(made),
        AtomKind::Node(expr) => match body.expr(expr).kind {
            ExprKind::Value(value) => value_key(value),
            _ => expr_key(expr),
        },
    }
}

/// The subject of facts about a variable.
fn value_key(value: ValueId) -> u32 {
    3 * value.index() as u32
}

/// The subject of facts about a node that is no variable.
fn expr_key(expr: ExprId) -> u32 {
    3 * expr.index() as u32 + 1
}

/// The subject of facts about a made atom.
fn made_key(made: u32) -> u32 {
    3 * made + 2
}

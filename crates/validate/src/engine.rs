//! Assumptions, goals, and the questions to the solver.
//!
//! Assumptions form a stack: what holds inside of an arm or a body goes with it. Goals are collected until both
//! functions stand at a place where they are compared; then one question is asked: can the assumptions hold and a goal
//! not?

use ir::{Body, OpId, ValueId, ValueKind, effects::EffectTable};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::{
    Answer, Options, Solver,
    memory::Memory,
    side::{Side, Which},
    smt,
    term::{Pool, Term},
};

/// Why a proof did not come to its end.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Stop {
    pub(crate) kind: StopKind,
    pub(crate) message: String,
    /// Values of parameters and symbols in the state where the functions differ.
    pub(crate) witness: Vec<(ValueId, i64)>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum StopKind {
    /// Something that is not modelled.
    Unsupported,
    /// The solver found a state in which a goal does not hold.
    Unproved,
    /// The solver does not know, or not in its time.
    Unknown,
    /// Too many questions, or too large.
    Limit,
    /// The solver failed as a program.
    Failed,
}

impl Stop {
    pub(crate) fn unsupported(what: impl Into<String>) -> Stop {
        Stop::new(StopKind::Unsupported, what)
    }
    pub(crate) fn unproved(what: impl Into<String>) -> Stop {
        Stop::new(StopKind::Unproved, what)
    }
    /// Returns true if a goal was asked for and is not shown.
    pub(crate) fn is_about_goal(&self) -> bool {
        matches!(self.kind, StopKind::Unproved | StopKind::Unknown)
    }
    pub(crate) fn limit(what: impl Into<String>) -> Stop {
        Stop::new(StopKind::Limit, what)
    }
    fn new(kind: StopKind, what: impl Into<String>) -> Stop {
        Stop { kind, message: what.into(), witness: Vec::new() }
    }
}

pub(crate) struct Engine<'a> {
    pub(crate) pool: Pool,
    pub(crate) memory: Memory,
    pub(crate) effects: &'a EffectTable,
    pub(crate) options: &'a Options,
    pub(crate) solver: &'a mut dyn Solver,
    /// Facts of every run: sizes are not negative.
    pub(crate) facts: Vec<Term>,
    pub(crate) assumed: Vec<Term>,
    /// Goals: conditions to be shown of the function after.
    pub(crate) goals: Vec<Term>,
    /// Counts assumptions that were ever made.
    pub(crate) n_assumed: usize,
    pub(crate) n_effects: usize,
    pub(crate) n_nodes: usize,
    pub(crate) n_splits: usize,
    pub(crate) n_questions: usize,
    /// `S3`: right sides of `and` and `or` are evaluated always.
    pub(crate) is_strict: bool,
    /// A right side may err: the other mode matters.
    pub(crate) has_lazy_errors: bool,
    /// Per function and operation: whether it is a plain statement, and whether it jumps.
    pub(crate) plain: FxHashMap<(bool, OpId), bool>,
    pub(crate) jumps: FxHashMap<(bool, OpId), bool>,
    asked: FxHashSet<Vec<Term>>,
    /// The last question that was refuted has a function in it of which nothing is known.
    pub(crate) is_about_functions: bool,
}

/// Where the stacks stood.
#[derive(Clone, Copy)]
pub(crate) struct Mark {
    assumed: usize,
    goals: usize,
}

impl<'a> Engine<'a> {
    pub(crate) fn new(
        before: &Body,
        after: &Body,
        effects: &'a EffectTable,
        solver: &'a mut dyn Solver,
        options: &'a Options,
        is_strict: bool,
    ) -> Engine<'a> {
        Engine {
            pool: Pool::default(),
            memory: Memory::of(before, after),
            effects,
            options,
            solver,
            facts: Vec::new(),
            assumed: Vec::new(),
            goals: Vec::new(),
            n_assumed: 0,
            n_effects: 0,
            n_nodes: 0,
            n_splits: 0,
            n_questions: 0,
            is_strict,
            has_lazy_errors: false,
            plain: FxHashMap::default(),
            jumps: FxHashMap::default(),
            asked: FxHashSet::default(),
            is_about_functions: false,
        }
    }

    pub(crate) fn assume(&mut self, condition: Term) {
        self.n_assumed += 1;
        let mut parts = Vec::new();
        self.pool.conjuncts(condition, &mut parts);
        self.assumed.extend(parts);
    }

    /// Forgets all that was assumed and asked, and all terms: another place of the same functions.
    pub(crate) fn start_anew(&mut self) {
        self.pool = Pool::default();
        self.facts.clear();
        self.assumed.clear();
        self.goals.clear();
        self.asked.clear();
        self.n_nodes = 0;
        self.n_questions = 0;
    }

    pub(crate) fn mark(&self) -> Mark {
        Mark { assumed: self.assumed.len(), goals: self.goals.len() }
    }
    pub(crate) fn back_to(&mut self, mark: Mark) {
        self.assumed.truncate(mark.assumed);
        self.goals.truncate(mark.goals);
    }

    /// A new state of one function.
    pub(crate) fn side<'b>(&mut self, body: &'b Body, which: Which) -> Side<'b> {
        Side {
            body,
            which,
            values: FxHashMap::default(),
            memory: std::collections::BTreeMap::new(),
            cells: std::collections::BTreeMap::new(),
            buffers: FxHashMap::default(),
            guard: self.pool.truth(true),
            binders: Vec::new(),
            unsigned_uses: Vec::new(),
            effects: None,
        }
    }

    /// Shows all goals, and `alike` besides, which stands for the equality of states by their parts: if it does not
    /// hold, the weaker `equal` may.
    pub(crate) fn settle(
        &mut self,
        before: &Side<'_>,
        alike: Term,
        equal: Term,
        what: &str,
    ) -> Result<(), Stop> {
        let goals = std::mem::take(&mut self.goals);
        let all = self.pool.all(goals);
        let first = self.pool.and(all, alike);
        match self.show(before.body, first, what) {
            Err(stop) if stop.is_about_goal() && alike != equal => {
                let second = self.pool.and(all, equal);
                self.show(before.body, second, what)
            }
            other => other,
        }
    }

    /// Returns true if a condition follows from what is assumed.
    pub(crate) fn holds(&mut self, body: &Body, condition: Term) -> Result<bool, Stop> {
        match self.show(body, condition, "") {
            Ok(()) => Ok(true),
            Err(stop) if stop.is_about_goal() => Ok(false),
            Err(stop) => Err(stop),
        }
    }

    pub(crate) fn show(&mut self, body: &Body, goal: Term, what: &str) -> Result<(), Stop> {
        let mut parts = Vec::new();
        self.pool.conjuncts(goal, &mut parts);
        let known: FxHashSet<Term> = self.facts.iter().chain(&self.assumed).copied().collect();
        parts.retain(|it| !known.contains(it));
        if parts.is_empty() {
            return Ok(());
        }
        let goal = self.pool.all(parts);
        let not = self.pool.not(goal);
        let mut seen = FxHashSet::default();
        let mut assertions: Vec<Term> =
            self.facts.iter().chain(&self.assumed).copied().filter(|it| seen.insert(*it)).collect();
        assertions.push(not);
        if self.asked.contains(&assertions) {
            return Ok(());
        }
        if self.n_questions >= self.options.max_questions {
            return Err(Stop::limit("too many questions for one function"));
        }
        self.n_questions += 1;
        let script = smt::script(&self.pool, &assertions);
        let wanted = self.witnesses(body, &assertions);
        let names: Vec<String> = wanted.iter().map(|it| it.1.clone()).collect();
        match self.solver.check(&script, &names) {
            Ok(Answer::Unsatisfiable) => {
                self.asked.insert(assertions);
                Ok(())
            }
            Ok(Answer::Satisfiable(values)) => {
                self.is_about_functions = smt::has_functions(&self.pool, &assertions);
                let mut stop = Stop::unproved(format!("not shown equal: {what}"));
                let read = |((id, _, bits), value): (&(ValueId, String, u8), Option<i128>)| {
                    let value = value? as u64;
                    Some((*id, crate::term::signed(crate::term::low(value, *bits), *bits)))
                };
                stop.witness = wanted.iter().zip(values).filter_map(read).collect();
                Err(stop)
            }
            Ok(Answer::Unknown) => {
                let message = format!("the solver does not know in its time: {what}");
                Err(Stop::new(StopKind::Unknown, message))
            }
            Err(message) => Err(Stop { kind: StopKind::Failed, message, witness: Vec::new() }),
        }
    }

    /// The parameters and symbols whose values a script can tell: each with its name there and its width.
    fn witnesses(&self, body: &Body, assertions: &[Term]) -> Vec<(ValueId, String, u8)> {
        let reached = smt::variables(&self.pool, assertions);
        let mut found = Vec::new();
        for (id, value) in body.values.iter() {
            if !matches!(value.kind, ValueKind::Param(_) | ValueKind::Symbol) {
                continue;
            }
            let name = crate::names::variable_name(body, id);
            let Some(&(number, bits)) = reached.get(name.as_str()) else { continue };
            found.push((id, format!("v{number}"), bits));
        }
        found
    }
}

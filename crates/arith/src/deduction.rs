//! Deduction in a context: facts, linear forms, decisions, and the consequences of constraints.
//!
//! These are one recursion. The facts of a sum ask for its form, in which terms cancel; a form asks for facts, since
//! only an exact sum is taken apart; a comparison asks for a proof, which asks for both; and all of them ask what the
//! constraints of the context say, which was found with the facts, forms and proofs of the context above. So they are
//! the parts of one module: a part answers one kind of question, keeps its answers in a table of its own, and asks
//! [`Deduction`] for the rest. What they reason about is below and knows nothing of them: nodes, contexts, samples,
//! atoms, recorded states.
//!
//! | part | answers |
//! |---|---|
//! | [`bounds`] | facts of nodes and atoms |
//! | [`linear`], [`division`] | forms of nodes, quotients and remainders |
//! | [`decide`], [`proof`] | the truth of a comparison, the sign of a form |
//! | [`overflow`] | which sums stay in range |
//! | [`constrain`], [`refine`], [`computed`] | the state of a context |
//!
//! A fact about a node depends on the context only through constraints on the node's variables, so it is stored under
//! (node, nearest context that constrains one of them), and asking for all nodes of a body in all their contexts is
//! linear.

mod bounds;
mod computed;
mod constrain;
mod decide;
mod division;
mod linear;
mod overflow;
mod proof;
mod refine;

use ir::{Body, ExprId, effects::EffectTable};
use smallvec::SmallVec;

use self::{bounds::Bounds, linear::LinearForms, overflow::Overflows};
use crate::{
    contexts::{Constraint, ContextId, Contexts},
    facts::Overflow,
    forms::{Atom, Atoms, Linear},
    nodes::{Nodes, SharedBody, VariableSet},
    samples::{Samples, Sampling},
    states::{Recorder, State, States, SubjectFacts},
};

/// Counts of the work, for tests of growth.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Work {
    /// Nodes whose facts were worked out.
    pub nodes: u64,
    /// Contexts whose constraints were worked out.
    pub contexts: u64,
    /// Goals, inequalities collected for them, and sums of two of those.
    pub proof_steps: u64,
    /// Contexts passed on the way to one with information.
    pub passed: u64,
}

/// The deductions about the expressions of one body.
#[derive(Clone)]
pub(crate) struct Deduction<'a> {
    nodes: Nodes<'a>,
    contexts: Contexts,
    samples: Samples,
    atoms: Atoms,
    states: States,
    bounds: Bounds,
    forms: LinearForms,
    overflows: Overflows,
    work: Work,
}

impl<'a> Deduction<'a> {
    /// Nothing is worked out yet.
    pub(crate) fn new(body: SharedBody<'a>, effects: &'a EffectTable) -> Deduction<'a> {
        let mut deduction = Deduction {
            nodes: Nodes::new(body, effects),
            contexts: Contexts::new(),
            samples: Samples::default(),
            atoms: Atoms::default(),
            states: States::new(),
            bounds: Bounds::default(),
            forms: LinearForms::default(),
            overflows: Overflows::default(),
            work: Work::default(),
        };
        let n_exprs = deduction.body().n_exprs();
        deduction.samples.reserve(n_exprs);
        deduction.states.reserve(n_exprs);
        deduction
    }
    /// The body, as it is now.
    #[inline]
    pub(crate) fn body(&self) -> &Body {
        self.nodes.body()
    }
    /// The body, with all that was added to it.
    pub(crate) fn into_body(self) -> Body {
        self.nodes.into_body()
    }
    /// Returns the work done so far.
    pub(crate) fn work(&self) -> Work {
        Work { passed: self.contexts.passed(), ..self.work }
    }
    /// The nodes of the body.
    #[inline]
    pub(crate) fn nodes(&self) -> &Nodes<'a> {
        &self.nodes
    }
    /// The nodes of the body, to ask and to add to.
    #[inline]
    pub(crate) fn nodes_mut(&mut self) -> &mut Nodes<'a> {
        &mut self.nodes
    }
    /// The contexts made so far.
    #[inline]
    pub(crate) fn contexts(&self) -> &Contexts {
        &self.contexts
    }
    /// The made atoms.
    #[inline]
    pub(crate) fn atoms(&self) -> &Atoms {
        &self.atoms
    }
    /// Returns the recorded facts of subjects.
    #[inline]
    pub(crate) fn states(&self) -> &States {
        &self.states
    }
    /// The samples, to ask.
    #[inline]
    pub(crate) fn sampled(&mut self) -> Sampling<'_, 'a> {
        self.samples.about(&mut self.nodes, &self.contexts, &self.atoms)
    }
}

impl Deduction<'_> {
    /// As [`crate::Analyzer::grow`].
    pub(crate) fn grow<R>(&mut self, add: impl FnOnce(&mut Body) -> R) -> R {
        self.nodes.grow(add)
    }
    /// As [`crate::Analyzer::rewrite`].
    pub(crate) fn rewrite(&mut self, was: &Body, change: impl FnOnce(&mut Body)) -> bool {
        self.nodes.rewrite(was, change)
    }

    // ---- contexts ----

    /// The context that adds a constraint.
    pub(crate) fn add_context(&mut self, parent: ContextId, constraint: Constraint) -> ContextId {
        if let Constraint::Range { var, min, extent, step } = constraint {
            self.samples.note_range(var, min, extent, step);
        }
        self.contexts.add(parent, constraint)
    }
    /// As [`crate::Analyzer::assume`].
    pub(crate) fn assume(&mut self, parent: ContextId, cond: ExprId, holds: bool) -> ContextId {
        self.contexts.assume(&mut self.nodes, parent, cond, holds)
    }
    /// The contexts of the two arms of a conditional expression; none if it is too deep in others.
    pub(crate) fn arms(&mut self, ctx: ContextId, cond: ExprId) -> Option<[ContextId; 2]> {
        self.contexts.arms(&mut self.nodes, ctx, cond)
    }
    /// The context of the body of a `Let` of this value, for a walk over the expression.
    pub(crate) fn inside(&mut self, ctx: ContextId, value: ExprId) -> ContextId {
        self.contexts.inside(ctx, value)
    }
    /// The nearest context at or above that may say anything, or bind a variable.
    pub(crate) fn informative(&mut self, ctx: ContextId) -> ContextId {
        self.contexts.informative(&mut self.nodes, ctx)
    }
    /// As [`crate::Analyzer::unconditional`].
    pub(crate) fn unconditional(&mut self, ctx: ContextId) -> ContextId {
        self.contexts.unconditional(ctx)
    }

    // ---- atoms ----

    /// The product of two forms; none if it has too many terms or factors.
    pub(crate) fn product_form(&mut self, left: &Linear, right: &Linear) -> Option<Linear> {
        self.atoms.product_form(&mut self.nodes, left, right)
    }
    /// `dividend // divisor` as a form; none if it does not fit.
    pub(crate) fn quotient(&mut self, dividend: Linear, divisor: Linear) -> Option<Linear> {
        self.atoms.quotient(&mut self.nodes, dividend, divisor)
    }
    /// A product without the factors of another one, as a form; none if it does not have them all.
    pub(crate) fn without_factors(&mut self, atom: Atom, others: Atom) -> Option<Linear> {
        self.atoms.without_factors(&mut self.nodes, atom, others)
    }
    /// The variables that the value of an atom depends on.
    pub(crate) fn variables_of_atom(&mut self, atom: Atom) -> VariableSet {
        self.atoms.variables_of_atom(&mut self.nodes, atom)
    }
    /// The atom of a node.
    #[inline]
    pub(crate) fn atom(&mut self, expr: ExprId) -> Atom {
        Atom::node(self.nodes.representative(expr))
    }

    // ---- what constraints say ----

    /// Returns the facts that constraints give for an atom.
    pub(crate) fn recorded(
        &mut self,
        overflow: Overflow,
        ctx: ContextId,
        atom: Atom,
    ) -> SubjectFacts {
        let state = self.state(overflow, ctx);
        self.states.recorded(self.nodes.body(), state, atom)
    }

    /// The nearest context at or above `ctx` that can change the facts about `expr`.
    pub(crate) fn relevant(
        &mut self,
        overflow: Overflow,
        ctx: ContextId,
        expr: ExprId,
    ) -> ContextId {
        if self.body().expr(expr).flags.open_binders > 0 {
            return ctx;
        }
        let variables = self.nodes.summary(expr).variables;
        self.relevant_to(overflow, ctx, variables)
    }

    /// The nearest context at or above `ctx` that constrains one of these variables.
    #[inline]
    fn relevant_to(
        &mut self,
        overflow: Overflow,
        ctx: ContextId,
        variables: VariableSet,
    ) -> ContextId {
        match self.states.known_nearest(overflow, ctx, variables) {
            Some(known) => known,
            None => {
                let state = self.state(overflow, ctx);
                self.states.nearest(&self.nodes, (overflow, ctx, state), variables)
            }
        }
    }

    /// As [`crate::Analyzer::is_contradiction`].
    pub(crate) fn is_contradiction(&mut self, overflow: Overflow, ctx: ContextId) -> bool {
        self.sampled().lanes(ctx) == 0 && self.state(overflow, ctx).contradiction
    }

    /// The nearest context at or above with information.
    pub(crate) fn last_said(&mut self, overflow: Overflow, ctx: ContextId) -> ContextId {
        self.state(overflow, ctx).last
    }

    /// The state of a context, worked out with those above it on first use.
    #[inline]
    fn state(&mut self, overflow: Overflow, ctx: ContextId) -> State {
        match self.states.known(overflow, ctx) {
            Some(known) => known,
            None => self.work_out_state(overflow, ctx),
        }
    }

    fn work_out_state(&mut self, overflow: Overflow, ctx: ContextId) -> State {
        let mut missing: SmallVec<[ContextId; 8]> = SmallVec::new();
        missing.push(ctx);
        let mut at = ctx;
        while let Some(parent) = self.contexts.parent(at) {
            if self.states.known(overflow, parent).is_some() {
                break;
            }
            missing.push(parent);
            at = parent;
        }
        let mut state = State::NOTHING;
        while let Some(ctx) = missing.pop() {
            if let Some(parent) = self.contexts.parent(ctx) {
                state = self.states.known(overflow, parent).unwrap_or(state);
            }
            let mut recorder = Recorder { overflow, ctx, state };
            // While the context is worked out, its parent's facts answer.
            self.constrain(&mut recorder);
            self.note_computed(&mut recorder);
            state = recorder.state;
            self.states.keep(&recorder, self.contexts.len());
            self.work.contexts += 1;
        }
        state
    }
}

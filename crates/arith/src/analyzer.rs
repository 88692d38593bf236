//! The analyzer: facts about expressions in contexts, each worked out once.
//!
//! In: a body, contexts, expressions. Out: bounds, congruences, decisions. A fact about a node depends on the context only
//! as far as constraints on the node's variables go, so it is kept under (node, nearest context that constrains one of
//! them), and asking for all nodes of a body in all their contexts is linear.
//!
//! Every answer holds at the place that the context describes, and wherever the same facts hold.

use ir::{
    Body, BufferId, ExprId, ExprKind, OpId, OpKind, ValueId, arena::Id, effects::EffectTable,
};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use crate::{
    Interval, Modular,
    atoms::Atoms,
    canonical::TermId,
    context::{Constraint, ContextId, Contexts},
    held::Held,
    identity::Identity,
    linear::Linear,
    memo::Memo,
    samples::Samples,
    state::{State, Store},
    summary::{Summaries, Summary, VariableSet},
    traps::Part,
};

/// What may be taken for granted about signed overflow (crate README, "Two readings").
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Overflow {
    /// Nothing: sums and products wrap. What is shown holds on every run, also at a place where the source does not
    /// evaluate the expression.
    Wraps,
    /// `+ - *` of int32 and wider do not leave their range, neither in the expression nor in the conditions of the
    /// context (`SEMANTICS: I1`). For expressions that the source evaluates and uses at this place.
    Excluded,
}

/// What is known of a value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Facts {
    /// Bounds.
    pub interval: Interval,
    /// Congruence.
    pub modular: Modular,
}

/// Counts of what was done, for tests of growth.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Work {
    /// Nodes whose facts were worked out.
    pub nodes: u64,
    /// Contexts whose constraints were worked out.
    pub contexts: u64,
    /// Goals, inequalities collected for them, and sums of two of those.
    pub proof_steps: u64,
    /// Contexts passed on the way to one that says something.
    pub passed: u64,
}

/// Facts about the expressions of one body.
pub struct Analyzer<'a> {
    pub(crate) body: Held<'a>,
    pub(crate) effects: &'a EffectTable,
    pub(crate) contexts: Contexts,
    pub(crate) summaries: Summaries<'a>,
    pub(crate) states: [Vec<Option<State>>; 2],
    pub(crate) store: Store,
    pub(crate) facts_memo: [Memo<Facts>; 2],
    pub(crate) linear_memo: [Memo<Linear>; 2],
    /// By made atom.
    pub(crate) atom_memo: [Memo<Facts>; 2],
    /// Of each variable that is bound to nothing the context asked about last, and what is known of it there.
    pub(crate) variables: [Vec<(ContextId, Facts)>; 2],
    /// Of each set of variables the context asked about last, and the nearest one to it that constrains them.
    nearest: [Vec<(ContextId, ContextId)>; 2],
    pub(crate) atoms: Atoms,
    pub(crate) trap_memo: FxHashMap<(ExprId, ContextId), Option<ExprId>>,
    pub(crate) overflow_memo: FxHashMap<(ExprId, ContextId, Part), bool>,
    pub(crate) added_memo: FxHashMap<(ExprId, ContextId), bool>,
    pub(crate) cells_memo: FxHashMap<BufferId, bool>,
    pub(crate) work: Work,
    pub(crate) samples: Samples,
    /// Of each node that safe evaluation needs no facts for.
    pub(crate) plain_memo: Vec<Option<bool>>,
    /// Conditional expressions around the one whose value is looked at.
    pub(crate) choices: u32,
    /// Whether one was too deep since somebody last looked.
    pub(crate) is_cut: bool,
    pub(crate) identity: Identity<'a>,
    unconditional: FxHashMap<ContextId, ContextId>,
    /// The node of each variable that is used.
    value_nodes: Vec<Option<ExprId>>,
}

impl<'a> Analyzer<'a> {
    /// An analyzer of `body` with the built-in effects.
    pub fn new(body: &'a Body) -> Analyzer<'a> {
        Analyzer::with_effects(body, EffectTable::builtin())
    }
    /// An analyzer of `body` with a user's effects.
    pub fn with_effects(body: &'a Body, effects: &'a EffectTable) -> Analyzer<'a> {
        Analyzer::of(Held::Borrowed(body), effects)
    }
    /// An analyzer of a copy of `body`, to which [`Analyzer::grow`] adds. O(function).
    pub fn growing(body: &Body, effects: &'a EffectTable) -> Analyzer<'a> {
        Analyzer::of(Held::copied(body), effects)
    }
    fn of(body: Held<'a>, effects: &'a EffectTable) -> Analyzer<'a> {
        let mut analyzer = Analyzer {
            value_nodes: Vec::new(),
            effects,
            contexts: Contexts::new(),
            summaries: Summaries::new(&body, effects),
            states: [Vec::new(), Vec::new()],
            store: Store::new(),
            facts_memo: Default::default(),
            linear_memo: Default::default(),
            atom_memo: Default::default(),
            variables: Default::default(),
            nearest: Default::default(),
            atoms: Atoms::default(),
            trap_memo: FxHashMap::default(),
            overflow_memo: FxHashMap::default(),
            added_memo: FxHashMap::default(),
            cells_memo: FxHashMap::default(),
            work: Work::default(),
            samples: Samples::default(),
            plain_memo: Vec::new(),
            choices: 0,
            is_cut: false,
            identity: Identity::new(effects),
            unconditional: FxHashMap::default(),
            body,
        };
        analyzer.take_in(0);
        let n_exprs = analyzer.body.n_exprs();
        analyzer.samples.reserve(n_exprs);
        analyzer.store.reserve(n_exprs);
        analyzer
    }
    /// Makes room for the nodes from this one on, and for new variables.
    fn take_in(&mut self, first: usize) {
        let n_exprs = self.body.n_exprs();
        self.value_nodes.resize(self.body.values.len(), None);
        self.plain_memo.resize(n_exprs, None);
        self.summaries.grow(n_exprs);
        self.identity.grow(n_exprs);
        for expr in (first..n_exprs).map(ExprId::new) {
            if let ExprKind::Value(value) = self.body.expr(expr).kind {
                self.value_nodes[value.index()] = Some(expr);
            }
        }
    }
    /// Adds nodes (and variables) to the body, and can be asked about them from then on; a body that was borrowed is copied
    /// first. `add` must only add expressions and values that are defined nowhere: no operation, no buffer. What was known stays
    /// known; old ids keep their meaning. O(nodes added).
    pub fn grow<R>(&mut self, add: impl FnOnce(&mut Body) -> R) -> R {
        let (first, n_values) = (self.body.n_exprs(), self.body.values.len());
        let result = add(self.body.to_mut());
        // Most often the node is there already.
        if (self.body.n_exprs(), self.body.values.len()) != (first, n_values) {
            self.take_in(first);
        }
        result
    }
    /// Changes the operations of the body, which `was` has as they are, and adds expressions. What was found out in a context holds
    /// wherever its constraints do, so it stays known. Not so if a variable is bound to another expression or a buffer has another
    /// shape, or if there are schedulable blocks: then the answer is `false`, and nothing may be asked any more. O(function).
    pub fn rewrite(&mut self, was: &Body, change: impl FnOnce(&mut Body)) -> bool {
        let (first, n_values) = (self.body.n_exprs(), self.body.values.len());
        change(self.body.to_mut());
        let body = &*self.body;
        let is_same = |op: OpId| {
            let Some(now) = body.ops.get(op) else { return false };
            let was = &was.ops[op];
            was.kind != OpKind::Bind || (now.kind, &now.operands) == (was.kind, &was.operands)
        };
        let same_shapes = || {
            let mut both = body.buffers.iter().zip(was.buffers.iter());
            body.buffers.len() == was.buffers.len() && both.all(|(a, b)| a.1.shape == b.1.shape)
        };
        let goes_on = body.n_exprs() >= first
            && body.values.len() == n_values
            && body.sblocks.is_empty()
            && was.ops.ids().all(is_same)
            && same_shapes();
        self.take_in(first);
        goes_on
    }
    /// The body, with all that was added to it.
    pub fn into_body(self) -> Body {
        self.body.into_body()
    }
    /// The body, as it is now.
    pub fn body(&self) -> &Body {
        &self.body
    }
    /// What was done so far.
    pub fn work(&self) -> Work {
        self.work
    }

    // ---- contexts ----

    /// What holds on entry: size variables and the shapes of buffer parameters are not negative.
    pub fn root(&self) -> ContextId {
        Contexts::ROOT
    }
    /// `parent`, where `cond` was evaluated and is `holds`. Only for a condition that was really evaluated on the way: the
    /// left side of `and` gives its right side nothing, nor does the condition of `Select` its arms (`SEMANTICS: S2`,
    /// `S4`).
    pub fn assume(&mut self, parent: ContextId, cond: ExprId, holds: bool) -> ContextId {
        self.assume_in(parent, cond, holds, 0)
    }
    /// `parent`, inside a loop over `var`: `min <= var < min + extent`, hence `extent > 0`.
    pub fn range(
        &mut self,
        parent: ContextId,
        var: ValueId,
        min: ExprId,
        extent: ExprId,
    ) -> ContextId {
        self.samples.note_range(var, Some(min), extent, None);
        let range = Constraint::Range { var, min: Some(min), extent, step: None };
        self.contexts.push(parent, range, 0)
    }
    /// `parent`, inside a loop over every `step`-th value of a range: as [`Analyzer::range`], and `var - min` is a multiple of
    /// the step, which is positive.
    pub fn stepped(
        &mut self,
        parent: ContextId,
        var: ValueId,
        min: ExprId,
        extent: ExprId,
        step: ExprId,
    ) -> ContextId {
        self.samples.note_range(var, Some(min), extent, Some(step));
        let range = Constraint::Range { var, min: Some(min), extent, step: Some(step) };
        self.contexts.push(parent, range, 0)
    }
    /// `parent`, in a thread of a launch: `0 <= var < extent`, hence `extent > 0` (`SEMANTICS: P7`).
    pub fn thread(&mut self, parent: ContextId, var: ValueId, extent: ExprId) -> ContextId {
        self.samples.note_range(var, None, extent, None);
        let range = Constraint::Range { var, min: None, extent, step: None };
        self.contexts.push(parent, range, 0)
    }
    /// `parent`, where `var` has the value of `value`. Not needed for `Bind` and block iteration variables: they are
    /// seen through.
    pub fn define(&mut self, parent: ContextId, var: ValueId, value: ExprId) -> ContextId {
        if self.definition(var) == Some(value) {
            return parent;
        }
        self.contexts.push(parent, Constraint::Define { var, value }, 0)
    }
    /// `parent`, where `expr` is at least `least`. For what somebody says of an expression; a condition of the body is
    /// [`Analyzer::assume`]d.
    pub fn at_least(&mut self, parent: ContextId, expr: ExprId, least: i64) -> ContextId {
        self.contexts.push(parent, Constraint::AtLeast { expr, least }, 0)
    }
    /// `parent`, after a buffer from outside was matched: its extents are not negative (`SEMANTICS: B6`).
    pub fn shape(&mut self, parent: ContextId, buffer: BufferId) -> ContextId {
        self.contexts.push(parent, Constraint::Shape { buffer }, 0)
    }
    /// `parent`, inside the body of a `Let` of this value, or of a `Lambda` (`None`, once a parameter).
    pub fn binder(&mut self, parent: ContextId, value: Option<ExprId>) -> ContextId {
        self.contexts.push(parent, Constraint::Binder { value }, 0)
    }
    /// The context that a context was added to; none for [`Analyzer::root`].
    pub fn parent(&self, ctx: ContextId) -> Option<ContextId> {
        (ctx != Contexts::ROOT).then(|| self.contexts.get(ctx).parent)
    }
    /// What a context adds to its parent.
    pub fn constraint(&self, ctx: ContextId) -> Constraint {
        self.contexts.get(ctx).constraint
    }

    // ---- queries ----

    /// Every value that `expr` can have here.
    pub fn bound(&mut self, ctx: ContextId, expr: ExprId) -> Interval {
        self.facts(Overflow::Wraps, ctx, expr).interval
    }
    /// The congruence that every value of `expr` here is in.
    pub fn modular(&mut self, ctx: ContextId, expr: ExprId) -> Modular {
        self.facts(Overflow::Wraps, ctx, expr).modular
    }
    /// Bounds and congruence of `expr`, under a reading.
    pub fn facts_with(&mut self, overflow: Overflow, ctx: ContextId, expr: ExprId) -> Facts {
        self.facts(overflow, ctx, expr)
    }
    /// Whether `cond` is the same on every run that gets here, and which.
    pub fn decide(&mut self, ctx: ContextId, cond: ExprId) -> Option<bool> {
        self.decide_with(Overflow::Wraps, ctx, cond)
    }
    /// As [`Analyzer::decide`], under a reading.
    pub fn decide_with(
        &mut self,
        overflow: Overflow,
        ctx: ContextId,
        cond: ExprId,
    ) -> Option<bool> {
        if !self.body.ty(cond).is_bool() || self.is_seen_to_vary(ctx, cond) {
            return None;
        }
        self.facts(overflow, ctx, cond).interval.as_constant().map(|it| it != 0)
    }
    /// Whether no run gets here: a constraint contradicts those above it.
    pub fn is_contradiction(&mut self, overflow: Overflow, ctx: ContextId) -> bool {
        self.lanes(ctx) == 0 && self.state(overflow, ctx).contradiction
    }

    /// The nearest context at or above that may say anything, or bind a variable: what was loaded or may differ says nothing.
    /// Each context is passed once: a chain of `elif` is a chain of contexts.
    pub(crate) fn informative(&mut self, ctx: ContextId) -> ContextId {
        let mut passed: SmallVec<[ContextId; 8]> = SmallVec::new();
        let mut at = ctx;
        let found = loop {
            self.work.passed += 1;
            if let Some(known) = self.contexts.get(at).informative {
                break known;
            }
            passed.push(at);
            match (self.constraint(at), self.parent(at)) {
                (Constraint::Assume { cond, .. }, Some(parent))
                    if !self.summary(cond).is_stable =>
                {
                    at = parent;
                }
                _ => break at,
            }
        };
        for it in passed {
            self.contexts.get_mut(it).informative = Some(found);
        }
        found
    }

    /// The context that decides `cond`: it is decided there as it is in `ctx`, and not above. None if it is not decided, or
    /// is so by itself.
    pub fn why(&mut self, overflow: Overflow, ctx: ContextId, cond: ExprId) -> Option<ContextId> {
        /// Contexts tried; a reason further away explains nothing to a person.
        const MOST_STEPS: usize = 256;
        let decision = self.decide_with(overflow, ctx, cond)?;
        let mut at = ctx;
        for _ in 0..MOST_STEPS {
            // Most often a condition on one of its own variables decides: then all between says nothing.
            let near = self.constrains_operand(overflow, at, cond);
            at = self.state(overflow, at).last;
            if near < at && self.decide_with(overflow, near, cond) == Some(decision) {
                at = near;
            }
            if at == Contexts::ROOT {
                return None;
            }
            let above = self.contexts.get(at).parent;
            if self.decide_with(overflow, above, cond) != Some(decision) {
                return Some(at);
            }
            at = above;
        }
        None
    }

    /// The nearest context that constrains a variable of a side of a comparison.
    fn constrains_operand(
        &mut self,
        overflow: Overflow,
        ctx: ContextId,
        cond: ExprId,
    ) -> ContextId {
        match self.body.expr(cond).kind {
            ExprKind::Binary(op, a, b) if op.is_comparison() => {
                self.relevant(overflow, ctx, a).max(self.relevant(overflow, ctx, b))
            }
            _ => ctx,
        }
    }

    /// What is left of a context without the conditions in it: signature, ranges, definitions. O(1) a context, once.
    pub fn unconditional(&mut self, ctx: ContextId) -> ContextId {
        let mut chain = Vec::new();
        let mut at = ctx;
        let mut bare = loop {
            if let Some(&known) = self.unconditional.get(&at) {
                break known;
            }
            match self.parent(at) {
                Some(parent) => {
                    chain.push(at);
                    at = parent;
                }
                None => break at,
            }
        };
        while let Some(at) = chain.pop() {
            let constraint = self.constraint(at);
            if !matches!(constraint, Constraint::Assume { .. } | Constraint::AtLeast { .. }) {
                bare = self.contexts.push(bare, constraint, self.contexts.get(at).arms);
            }
            self.unconditional.insert(at, bare);
        }
        bare
    }

    // ---- shared ----

    /// The node that is this variable; none if it is used nowhere.
    pub(crate) fn node_of(&self, value: ValueId) -> Option<ExprId> {
        self.value_nodes[value.index()]
    }

    /// What a node depends on.
    #[inline]
    pub(crate) fn summary(&mut self, expr: ExprId) -> Summary {
        self.summaries.get(&self.body, expr)
    }

    /// What a variable is bound to, once and for all.
    pub(crate) fn definition(&self, value: ValueId) -> Option<ExprId> {
        self.summaries.definition(&self.body, value)
    }

    /// The canonical term of a node; none if it is no value of its variables.
    pub(crate) fn term_of(&mut self, expr: ExprId) -> Option<TermId> {
        self.identity.term(&self.body, &mut self.summaries, expr)
    }

    /// The nearest context at or above `ctx` that can change what is known of `expr`.
    pub(crate) fn relevant(
        &mut self,
        overflow: Overflow,
        ctx: ContextId,
        expr: ExprId,
    ) -> ContextId {
        if self.body.expr(expr).flags.open_binders > 0 {
            return ctx;
        }
        let variables = self.summary(expr).variables;
        self.relevant_to(overflow, ctx, variables)
    }

    /// The nearest context at or above `ctx` that constrains one of these variables.
    #[inline]
    pub(crate) fn relevant_to(
        &mut self,
        overflow: Overflow,
        ctx: ContextId,
        variables: VariableSet,
    ) -> ContextId {
        match self.nearest[overflow as usize].get(variables.index()) {
            Some(&(asked, nearest)) if asked == ctx => nearest,
            _ => self.work_out_nearest(overflow, ctx, variables),
        }
    }

    fn work_out_nearest(
        &mut self,
        overflow: Overflow,
        ctx: ContextId,
        variables: VariableSet,
    ) -> ContextId {
        let state = self.state(overflow, ctx);
        let Some(of_set) = self.summaries.variables(variables) else { return state.last };
        let stamps = of_set.iter().map(|&it| self.store.stamp_of_value(state.map, it));
        let nearest = stamps.fold(state.everywhere, ContextId::max);
        let asked = &mut self.nearest[overflow as usize];
        if asked.len() <= variables.index() {
            // The root is nearest to itself.
            asked.resize(variables.index() + 1, (Contexts::ROOT, Contexts::ROOT));
        }
        asked[variables.index()] = (ctx, nearest);
        nearest
    }
}

/// The subject of facts about a variable.
pub(crate) fn value_key(value: ValueId) -> u32 {
    3 * value.index() as u32
}

/// The subject of facts about a node that is no variable.
pub(crate) fn expr_key(expr: ExprId) -> u32 {
    3 * expr.index() as u32 + 1
}

/// The subject of facts about a made atom.
pub(crate) fn made_key(made: u32) -> u32 {
    3 * made + 2
}

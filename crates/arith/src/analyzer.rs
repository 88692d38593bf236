//! The analyzer: facts about expressions in contexts, each worked out once.
//!
//! In: a body, contexts, expressions. Out: bounds, congruences, decisions. What follows in a context is worked out by
//! [`crate::deduction`]; the questions above it each have tables of their own.
//!
//! Every answer holds at the place that the context describes, and wherever the same facts hold.

use ir::{BinaryOp, Body, BufferId, BufferOrigin, ExprId, ExprKind, ValueId, effects::EffectTable};
use smallvec::SmallVec;

use crate::{
    Interval, Modular,
    added_overflow::AddedOverflow,
    attained::{self, Attained},
    contexts::{Constraint, ContextId, Contexts},
    deduction::{Deduction, Work},
    facts::{Facts, Overflow},
    int_set::{self, IntSet},
    nodes::SharedBody,
    samples::Sampling,
    sources::{self, Lacking, Origin, Source},
    traps::Traps,
};

/// Facts about the expressions of one body.
#[derive(Clone)]
pub struct Analyzer<'a> {
    deduction: Deduction<'a>,
    traps: Traps,
    added_overflow: AddedOverflow,
}

impl<'a> Analyzer<'a> {
    /// An analyzer of `body` with the built-in effects.
    pub fn new(body: &'a Body) -> Analyzer<'a> {
        Analyzer::with_effects(body, EffectTable::builtin())
    }
    /// An analyzer of `body` with a user's effects.
    pub fn with_effects(body: &'a Body, effects: &'a EffectTable) -> Analyzer<'a> {
        Analyzer::of(SharedBody::Borrowed(body), effects)
    }
    /// An analyzer of a copy of `body`, to which [`Analyzer::grow`] adds. O(function).
    pub fn growing(body: &Body, effects: &'a EffectTable) -> Analyzer<'a> {
        Analyzer::of(SharedBody::copied(body), effects)
    }
    fn of(body: SharedBody<'a>, effects: &'a EffectTable) -> Analyzer<'a> {
        Analyzer {
            deduction: Deduction::new(body, effects),
            traps: Traps::default(),
            added_overflow: AddedOverflow::default(),
        }
    }
    /// Adds nodes (and variables) to the body, and can be asked about them from then on; a body that was borrowed is
    /// copied first. `add` must only add expressions and values that are defined nowhere: no operation, no buffer.
    /// Facts stay known; old ids keep their meaning. O(nodes added).
    pub fn grow<R>(&mut self, add: impl FnOnce(&mut Body) -> R) -> R {
        self.deduction.grow(add)
    }
    /// Changes the operations of the body, which `was` has as they are, and adds expressions. A fact that was found in
    /// a context holds wherever its constraints do, so it stays known. Not so if a variable is bound to another
    /// expression or a buffer has another shape, or if there are schedulable blocks: then the answer is `false`, and
    /// nothing may be asked any more. O(function).
    pub fn rewrite(&mut self, was: &Body, change: impl FnOnce(&mut Body)) -> bool {
        self.deduction.rewrite(was, change)
    }
    /// The body, with all that was added to it.
    pub fn into_body(self) -> Body {
        self.deduction.into_body()
    }
    /// The body, as it is now.
    pub fn body(&self) -> &Body {
        self.deduction.body()
    }
    /// Returns the work done so far.
    pub fn work(&self) -> Work {
        self.deduction.work()
    }

    // ---- contexts ----

    /// Returns the context on entry: size variables and the shapes of buffer parameters are not negative.
    pub fn root(&self) -> ContextId {
        Contexts::ROOT
    }
    /// The context on entry as [`Analyzer::root`] has it, with what follows from extents of buffer parameters that are
    /// sums: `n * 32 - 1 >= 0` says that `n` is positive. O(parameters).
    pub fn entry(&mut self) -> ContextId {
        let body = self.body();
        let is_sum = |extent: ExprId| {
            matches!(body.expr(extent).kind, ExprKind::Binary(BinaryOp::Add | BinaryOp::Sub, ..))
        };
        let of_params = body.params.iter().filter_map(|it| it.buffer);
        let with_sums: SmallVec<[BufferId; 4]> = of_params
            .filter(|&it| body.buffers[it].origin == BufferOrigin::Param)
            .filter(|&it| body.buffers[it].shape.iter().any(|&it| is_sum(it)))
            .collect();
        with_sums.into_iter().fold(self.root(), |context, it| self.shape(context, it))
    }
    /// `parent`, where `cond` was evaluated and is `holds`. Only for a condition that was really evaluated on the way:
    /// the left side of `and` gives its right side nothing, nor does the condition of `Select` its arms (`SEMANTICS:
    /// S2`, `S4`).
    pub fn assume(&mut self, parent: ContextId, cond: ExprId, holds: bool) -> ContextId {
        self.deduction.assume(parent, cond, holds)
    }
    /// `parent`, inside a loop over `var`: `min <= var < min + extent`, hence `extent > 0`.
    pub fn range(
        &mut self,
        parent: ContextId,
        var: ValueId,
        min: ExprId,
        extent: ExprId,
    ) -> ContextId {
        let range = Constraint::Range { var, min: Some(min), extent, step: None };
        self.deduction.add_context(parent, range)
    }
    /// `parent`, inside a loop over every `step`-th value of a range: as [`Analyzer::range`], and `var - min` is a
    /// multiple of the step, which is positive.
    pub fn stepped(
        &mut self,
        parent: ContextId,
        var: ValueId,
        min: ExprId,
        extent: ExprId,
        step: ExprId,
    ) -> ContextId {
        let range = Constraint::Range { var, min: Some(min), extent, step: Some(step) };
        self.deduction.add_context(parent, range)
    }
    /// `parent`, in a thread of a launch: `0 <= var < extent`, hence `extent > 0` (`SEMANTICS: P7`).
    pub fn thread(&mut self, parent: ContextId, var: ValueId, extent: ExprId) -> ContextId {
        let range = Constraint::Range { var, min: None, extent, step: None };
        self.deduction.add_context(parent, range)
    }
    /// `parent`, where `var` has the value of `value`. Not needed for `Bind` and block iteration variables: they are
    /// seen through.
    pub fn define(&mut self, parent: ContextId, var: ValueId, value: ExprId) -> ContextId {
        if self.deduction.nodes().definition(var) == Some(value) {
            return parent;
        }
        self.deduction.add_context(parent, Constraint::Define { var, value })
    }
    /// `parent`, where `expr` is at least `least`. For assumptions that a user states about an expression; a condition
    /// of the body is [`Analyzer::assume`]d.
    pub fn at_least(&mut self, parent: ContextId, expr: ExprId, least: i64) -> ContextId {
        self.deduction.add_context(parent, Constraint::AtLeast { expr, least })
    }
    /// `parent`, after a buffer from outside was matched: its extents are not negative (`SEMANTICS: B6`).
    pub fn shape(&mut self, parent: ContextId, buffer: BufferId) -> ContextId {
        self.deduction.add_context(parent, Constraint::Shape { buffer })
    }
    /// `parent`, inside the body of a `Let` of this value, or of a `Lambda` (`None`, once a parameter).
    pub fn binder(&mut self, parent: ContextId, value: Option<ExprId>) -> ContextId {
        self.deduction.add_context(parent, Constraint::Binder { value })
    }
    /// The context that a context was added to; none for [`Analyzer::root`].
    pub fn parent(&self, ctx: ContextId) -> Option<ContextId> {
        self.deduction.contexts().parent(ctx)
    }
    /// Returns the constraint that a context adds to its parent.
    pub fn constraint(&self, ctx: ContextId) -> Constraint {
        self.deduction.contexts().constraint(ctx)
    }

    // ---- queries ----

    /// Every value that `expr` can have here.
    pub fn bound(&mut self, ctx: ContextId, expr: ExprId) -> Interval {
        self.deduction.facts(Overflow::Wraps, ctx, expr).interval
    }
    /// The congruence that every value of `expr` here is in.
    pub fn modular(&mut self, ctx: ContextId, expr: ExprId) -> Modular {
        self.deduction.facts(Overflow::Wraps, ctx, expr).modular
    }
    /// Bounds and congruence of `expr`, under a reading.
    pub fn facts_with(&mut self, overflow: Overflow, ctx: ContextId, expr: ExprId) -> Facts {
        self.deduction.facts(overflow, ctx, expr)
    }
    /// Decides a condition: returns its value if it is the same on every run that reaches the context.
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
        self.deduction.decide_with(overflow, ctx, cond)
    }
    /// Returns true if two expressions are shown to be the same integer on every run that reaches the context: their
    /// difference, as a linear form, is 0. Not of expressions whose value may be another when they are evaluated again.
    pub fn are_equal(&mut self, overflow: Overflow, ctx: ContextId, a: ExprId, b: ExprId) -> bool {
        self.deduction.are_equal(overflow, ctx, a, b)
    }
    /// Returns true if no run reaches the context: a constraint contradicts those above it.
    pub fn is_contradiction(&mut self, overflow: Overflow, ctx: ContextId) -> bool {
        self.deduction.is_contradiction(overflow, ctx)
    }

    /// The context that decides `cond`: it is decided there as it is in `ctx`, and not above. None if it is not
    /// decided, or is so by itself.
    pub fn why(&mut self, overflow: Overflow, ctx: ContextId, cond: ExprId) -> Option<ContextId> {
        /// Contexts tried; a reason further away explains nothing to a person.
        const MOST_STEPS: usize = 256;
        let decision = self.decide_with(overflow, ctx, cond)?;
        let mut at = ctx;
        for _ in 0..MOST_STEPS {
            // Most often a condition on one of its own variables decides: then all between says nothing.
            let near = self.constrains_operand(overflow, at, cond);
            at = self.deduction.last_said(overflow, at);
            if near < at && self.decide_with(overflow, near, cond) == Some(decision) {
                at = near;
            }
            if at == Contexts::ROOT {
                return None;
            }
            let above = self.deduction.contexts().above(at);
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
        match self.body().expr(cond).kind {
            ExprKind::Binary(op, a, b) if op.is_comparison() => {
                self.relevant(overflow, ctx, a).max(self.relevant(overflow, ctx, b))
            }
            _ => ctx,
        }
    }

    /// Returns a context without its conditions: signature, ranges and definitions stay. O(1) a context, once.
    pub fn unconditional(&mut self, ctx: ContextId) -> ContextId {
        self.deduction.unconditional(ctx)
    }

    // ---- what may be computed early ----

    /// Returns true if evaluating `expr` in `ctx` cannot trap, err, or add an event (`SEMANTICS: 0`, speculatable),
    /// apart from unused overflow (`I1`).
    pub fn cannot_trap(&mut self, ctx: ContextId, expr: ExprId) -> bool {
        self.why_may_trap(ctx, expr).is_none()
    }
    /// The node of `expr` that is not shown not to trap; the first in evaluation order.
    pub fn why_may_trap(&mut self, ctx: ContextId, expr: ExprId) -> Option<ExprId> {
        self.traps.why_may_trap(&mut self.deduction, ctx, expr)
    }
    /// Returns true if the node itself cannot trap or err, given that its operands do not. The operands may use the
    /// values of the source. A node that names the variable of an enclosing binder is not known by itself.
    pub fn cannot_trap_alone(&mut self, ctx: ContextId, expr: ExprId) -> bool {
        self.traps.cannot_trap_alone(&mut self.deduction, ctx, expr)
    }
    /// Returns true if `buffer[indices]` accesses a cell of the buffer (`SEMANTICS: M1`). The caller shows that its
    /// memory is live.
    pub fn in_bounds(&mut self, ctx: ContextId, buffer: BufferId, indices: &[ExprId]) -> bool {
        self.traps.in_bounds(&mut self.deduction, ctx, buffer, indices)
    }
    /// Returns true if no `+ - *` that `expr` evaluates can leave the range of its type.
    pub fn no_overflow(&mut self, ctx: ContextId, expr: ExprId) -> bool {
        self.deduction.no_overflow(ctx, expr)
    }
    /// Returns true if the value of `expr` did not come from an overflow (`SEMANTICS: I1`), so that using it is no
    /// event. A loaded value counts as used before; a variable counts as its definition.
    pub fn is_untainted(&mut self, ctx: ContextId, expr: ExprId) -> bool {
        self.deduction.is_untainted(ctx, expr)
    }
    /// Returns true if the value of `expr`, a sum, product, quotient or the like of integers, was computed and used on
    /// the way to `ctx`, in whatever spelling. Also true of variables and constants. So its sums and products do not
    /// overflow in runs without that event.
    pub fn is_computed(&mut self, ctx: ContextId, expr: ExprId) -> bool {
        self.deduction.is_computed(ctx, expr)
    }
    /// Returns true if computing `expr` in `ctx` adds no overflow to a run that had none on the way: every `+ - *` in
    /// it was computed already ([`Analyzer::is_computed`]), or its exact value is shown to be in range. Weaker than
    /// [`Analyzer::no_overflow`], which holds on every run.
    pub fn adds_no_overflow(&mut self, ctx: ContextId, expr: ExprId) -> bool {
        self.added_overflow.adds_no_overflow(&mut self.deduction, ctx, expr)
    }

    // ---- more about facts ----

    /// The values of `expr` in `ctx` while the loops and launches over these variables, and no others, run. Adds the
    /// bounds to the body, as [`Analyzer::grow`] does. None if the expression is no integer value of its variables.
    pub fn int_set(
        &mut self,
        overflow: Overflow,
        ctx: ContextId,
        expr: ExprId,
        over: &[ValueId],
    ) -> Option<IntSet> {
        int_set::int_set(&mut self.deduction, overflow, ctx, expr, over)
    }
    /// Returns the place where the facts of `expr` in `ctx` come from: the places that changed them, outermost first.
    pub fn sources(&mut self, overflow: Overflow, ctx: ContextId, expr: ExprId) -> Vec<Origin> {
        sources::sources(&mut self.deduction, overflow, ctx, expr)
    }
    /// Returns the kind of place of a context; `None` for binders and the signature.
    pub fn source_of_context(&self, ctx: ContextId) -> Option<Source> {
        sources::source_of_context(&self.deduction, ctx)
    }
    /// Facts that would decide a condition that is not decided, with the decision: that a divisor or factor is
    /// positive, or not negative, or that nothing overflows. As few as can be found by leaving out one after another;
    /// none if nothing of the kind decides it.
    pub fn lacking(
        &mut self,
        overflow: Overflow,
        ctx: ContextId,
        cond: ExprId,
    ) -> Option<(bool, Vec<Lacking>)> {
        sources::lacking(&mut self.deduction, overflow, ctx, cond)
    }
    /// The variables that take every value of their range on the way to a context.
    pub fn attained(&mut self, ctx: ContextId) -> Vec<Attained> {
        attained::attained(&mut self.deduction, ctx)
    }
    /// Returns true if a condition is false in some run that reaches the context: it contradicts what is known there,
    /// or does for a value that a variable takes. Nobody can state such a fact. Adds the values to the body, as
    /// [`Analyzer::grow`] does.
    pub fn is_refuted(
        &mut self,
        overflow: Overflow,
        ctx: ContextId,
        fact: ExprId,
        attained: &[Attained],
    ) -> bool {
        attained::is_refuted(&mut self.deduction, overflow, ctx, fact, attained)
    }

    // ---- for the simplifier ----

    /// The effects of operators and calls.
    pub(crate) fn effects(&self) -> &'a EffectTable {
        self.deduction.nodes().effects()
    }
    /// The samples, to ask.
    #[inline]
    pub(crate) fn sampled(&mut self) -> Sampling<'_, 'a> {
        self.deduction.sampled()
    }
    /// The node that is this variable; none if it is used nowhere.
    #[cfg(test)]
    pub(crate) fn node_of(&self, value: ValueId) -> Option<ExprId> {
        self.deduction.nodes().node_of(value)
    }
    /// The nearest context at or above that may say anything, or bind a variable.
    pub(crate) fn informative(&mut self, ctx: ContextId) -> ContextId {
        self.deduction.informative(ctx)
    }
    /// The nearest context at or above `ctx` that can change the facts about `expr`.
    pub(crate) fn relevant(
        &mut self,
        overflow: Overflow,
        ctx: ContextId,
        expr: ExprId,
    ) -> ContextId {
        self.deduction.relevant(overflow, ctx, expr)
    }
}

//! Conditions: deriving facts from constraints.
//!
//! A condition that holds is taken apart: conjunctions into contexts of their own ([`crate::Analyzer::assume`]); a
//! comparison of integers into bounds for each of its atoms, and an inequality that later proofs may add to others;
//! `x % c == k` into a congruence; `x != k` into an excluded value. Bounds found for `x // c`, `min(x, y)`, a
//! conversion, … are propagated to `x`. Whatever its form, the condition itself is known from then on.
//!
//! Only conditions that are functions of their variables give facts: a load need not give the same value again
//! (`SEMANTICS: M11`, `X8`). Comparisons of floats give no facts (`F4`). O(atoms) a condition.

use ir::{BinaryOp, BufferOrigin, ExprId, ExprKind, ValueId};
use smallvec::SmallVec;

use super::{Deduction, refine::Subject};
use crate::{
    Interval, Modular,
    contexts::{Constraint, ContextId, Contexts},
    facts::{Facts, Overflow},
    forms::{Atom, Linear},
    integers::{constant_value, is_integral, negated},
    interval::floor_div,
    states::{Recorder, RelationKind},
};

impl Deduction<'_> {
    /// Derives the facts of the constraint of the recorder's context.
    pub(crate) fn constrain(&mut self, recorder: &mut Recorder) {
        match self.contexts.constraint(recorder.ctx) {
            Constraint::Signature => {
                for index in 0..self.body().params.len() {
                    let buffer = self.body().params[index].buffer;
                    let Some(buffer) = buffer else { continue };
                    if self.body().buffers[buffer].origin == BufferOrigin::Param {
                        self.constrain_shape(recorder, buffer);
                    }
                }
            }
            Constraint::Shape { buffer } => self.constrain_shape(recorder, buffer),
            Constraint::Assume { cond, holds } => self.constrain_condition(recorder, cond, holds),
            Constraint::Range { var, min, extent, step } => {
                self.constrain_range(recorder, var, min, extent, step);
            }
            Constraint::AtLeast { expr, least } if self.nodes.is_fact(expr) => {
                self.constrain_form(recorder, expr, least.into());
            }
            Constraint::AtLeast { .. } => {}
            Constraint::Define { var, value } => self.constrain_definition(recorder, var, value),
            Constraint::Binder { .. } => {}
        }
    }

    fn constrain_shape(&mut self, recorder: &mut Recorder, buffer: ir::BufferId) {
        let body = self.nodes.share();
        for &extent in &body.buffers[buffer].shape {
            // The extent is compared with one that is not negative; as a sum it might still have wrapped.
            let is_known = matches!(body.expr(extent).kind, ExprKind::Int(_));
            if !is_known && self.nodes.is_fact(extent) && recorder.ctx != Contexts::ROOT {
                self.constrain_form(recorder, extent, 0);
            } else if !is_known && self.nodes.is_fact(extent) {
                let atom = self.atom(extent);
                self.states.record(
                    &self.atoms,
                    &mut self.nodes,
                    recorder,
                    atom,
                    Interval::NON_NEGATIVE,
                    Modular::EVERYTHING,
                );
            }
        }
    }

    /// `expr >= least`
    fn constrain_form(&mut self, recorder: &mut Recorder, expr: ExprId, least: i128) {
        if let ExprKind::Int(value) = self.body().expr(expr).kind
            && let Some(dtype) = self.body().dtype(expr)
        {
            recorder.state.contradiction |= constant_value(dtype, value) < least;
            return;
        }
        let above = self.contexts.above(recorder.ctx);
        self.refine(recorder, Subject::Node(expr), Interval::at_least(least), Modular::EVERYTHING);
        if let Some(form) =
            self.linear(recorder.overflow, above, expr).and_then(|it| it.plus(-least))
        {
            self.constrain_sign(recorder, &form);
        }
    }

    fn constrain_range(
        &mut self,
        recorder: &mut Recorder,
        var: ValueId,
        min: Option<ExprId>,
        extent: ExprId,
        step: Option<ExprId>,
    ) {
        let (overflow, above) = (recorder.overflow, self.contexts.above(recorder.ctx));
        let body = self.nodes.share();
        let Some(dtype) = body.values[var].ty.prim().filter(|it| it.is_integer()) else { return };
        let Some(extent_type) = body.dtype(extent).filter(|&it| is_integral(it)) else { return };
        if min.is_some_and(|it| !body.dtype(it).is_some_and(is_integral)) {
            return;
        }
        if self.nodes.is_fact(extent) {
            self.constrain_form(recorder, extent, 1);
        }
        if let Some(step) = step.filter(|it| self.nodes.is_fact(*it)) {
            self.constrain_form(recorder, step, 1);
        }
        let Facts { interval: first, modular } = match min {
            Some(min) => self.facts(overflow, above, min),
            None => Facts { interval: Interval::constant(0), modular: Modular::constant(0) },
        };
        let count = self.facts(overflow, above, extent).interval;
        let end = first.plus(count).plus(Interval::constant(-1));
        let range = Interval::of_type(dtype);
        // An unsigned extent may have wrapped, and then so may the variable (L3).
        if (dtype.is_uint() || extent_type.is_uint() || dtype.bits < 32) && !end.is_within(range) {
            return;
        }
        let values = Interval::new(first.min, end.max).intersect(range);
        let modular = match step {
            Some(step) => {
                let step = self.facts(overflow, above, step).modular;
                modular.plus(step.times(Modular::EVERYTHING))
            }
            None => Modular::EVERYTHING,
        };
        self.record_value(recorder, var, values, modular);
        let Some(node) = self.nodes.node_of(var) else { return };
        let form = Linear::atom(self.atom(node));
        let first = match min {
            Some(min) => self.linear(overflow, above, min),
            None => Some(Linear::constant(0)),
        };
        let Some(first) = first else { return };
        let count = self.linear(overflow, above, extent);
        if first.as_constant().is_some()
            && step.is_none()
            && count.as_ref().is_none_or(|it| it.as_constant().is_some())
        {
            // The bounds have said it.
            return;
        }
        if let Some(form) = form.minus(&first) {
            self.record_inequality(recorder, form);
        }
        if let Some(step) = step {
            self.constrain_steps(recorder, form.minus(&first), step);
        }
        let last = count.and_then(|it| it.combine(1, &first, 1)).and_then(|it| it.plus(-1));
        if let Some(form) = last.and_then(|it| it.minus(&form)) {
            self.record_inequality(recorder, form);
        }
    }

    /// `gap` is a multiple of the step: it is as much as the step times its quotient by the step.
    fn constrain_steps(&mut self, recorder: &mut Recorder, gap: Option<Linear>, step: ExprId) {
        let (overflow, above) = (recorder.overflow, self.contexts.above(recorder.ctx));
        let Some(step) = self.linear(overflow, above, step) else { return };
        let Some(gap) = gap else { return };
        let multiple =
            self.quotient(gap.clone(), step.clone()).and_then(|it| self.product_form(&it, &step));
        if let Some(form) = multiple.and_then(|it| gap.minus(&it))
            && !form.terms().is_empty()
        {
            let opposite = form.scale(-1);
            self.record_inequality(recorder, form);
            opposite.into_iter().for_each(|it| self.record_inequality(recorder, it));
        }
    }

    fn constrain_definition(&mut self, recorder: &mut Recorder, var: ValueId, value: ExprId) {
        let (overflow, above) = (recorder.overflow, self.contexts.above(recorder.ctx));
        let Some(dtype) = self.body().values[var].ty.prim().filter(|it| is_integral(*it)) else {
            return;
        };
        let facts = self.facts(overflow, above, value);
        if self.body().dtype(value) != Some(dtype)
            || !facts.interval.is_within(Interval::of_type(dtype))
        {
            return;
        }
        self.record_value(recorder, var, facts.interval, facts.modular);
        if let Some(node) = self.nodes.node_of(var)
            && let Some(form) = self.linear(overflow, above, value)
            && let Some(form) = Linear::atom(self.atom(node)).minus(&form)
        {
            let negative = form.scale(-1);
            self.record_inequality(recorder, form);
            negative.into_iter().for_each(|it| self.record_inequality(recorder, it));
        }
    }

    fn constrain_condition(&mut self, recorder: &mut Recorder, cond: ExprId, holds: bool) {
        let body = self.nodes.share();
        let above = self.contexts.above(recorder.ctx);
        if self.decide_with(recorder.overflow, above, cond) == Some(!holds) {
            recorder.state.contradiction = true;
            return;
        }
        if !self.nodes.is_fact(cond) || !body.dtype(cond).is_some_and(|it| it.is_scalar()) {
            return;
        }
        let truth = Interval::constant(holds.into());
        let itself = self.atom(cond);
        self.states.record(
            &self.atoms,
            &mut self.nodes,
            recorder,
            itself,
            truth,
            Modular::constant(holds.into()),
        );
        if let ExprKind::Binary(op, a, b) = body.expr(cond).kind
            && op.is_comparison()
        {
            self.constrain_comparison(recorder, op, a, b, holds);
        }
    }

    fn constrain_comparison(
        &mut self,
        recorder: &mut Recorder,
        op: BinaryOp,
        a: ExprId,
        b: ExprId,
        holds: bool,
    ) {
        if !self.nodes.is_fact(a) || !self.nodes.is_fact(b) {
            return;
        }
        let (overflow, above) = (recorder.overflow, self.contexts.above(recorder.ctx));
        let (x, y) = (self.facts(overflow, above, a), self.facts(overflow, above, b));
        let (Some(left), Some(right)) =
            (self.linear(overflow, above, a), self.linear(overflow, above, b))
        else {
            return;
        };
        let op = if holds { op } else { negated(op) };
        let any = Modular::EVERYTHING;
        match op {
            BinaryOp::Lt | BinaryOp::Le => {
                let gap = i128::from(op == BinaryOp::Lt);
                self.refine(
                    recorder,
                    Subject::Node(a),
                    Interval::at_most(y.interval.max - gap),
                    any,
                );
                self.refine(
                    recorder,
                    Subject::Node(b),
                    Interval::at_least(x.interval.min + gap),
                    any,
                );
                let form = right.minus(&left).and_then(|it| it.plus(-gap));
                form.into_iter().for_each(|it| self.constrain_sign(recorder, &it));
            }
            BinaryOp::Gt | BinaryOp::Ge => {
                let op = if op == BinaryOp::Gt { BinaryOp::Lt } else { BinaryOp::Le };
                self.constrain_comparison(recorder, op, b, a, true);
            }
            BinaryOp::Eq => {
                self.refine(recorder, Subject::Node(a), y.interval, y.modular);
                self.refine(recorder, Subject::Node(b), x.interval, x.modular);
                for form in [left.minus(&right), right.minus(&left)].into_iter().flatten() {
                    self.constrain_sign(recorder, &form);
                }
            }
            _ => self.constrain_unequal(recorder, (a, left), (b, right)),
        }
    }

    fn constrain_unequal(
        &mut self,
        recorder: &mut Recorder,
        (a, left): (ExprId, Linear),
        (b, right): (ExprId, Linear),
    ) {
        for (expr, other) in [(a, &right), (b, &left)] {
            let Some(value) = other.as_constant() else { continue };
            let atom = self.atom(expr);
            let form = self.linear(recorder.overflow, self.contexts.above(recorder.ctx), expr);
            if form != Some(Linear::atom(atom)) {
                self.states.record_excluded(&self.atoms, &mut self.nodes, recorder, atom, value);
            }
        }
        let Some(form) = left.minus(&right) else { return };
        match form.single() {
            Some((atom, factor, constant)) if constant % factor == 0 => {
                self.states.record_excluded(
                    &self.atoms,
                    &mut self.nodes,
                    recorder,
                    atom,
                    -constant / factor,
                );
            }
            Some(_) => {}
            None => self.states.record_relation(
                &self.atoms,
                &mut self.nodes,
                recorder,
                form,
                RelationKind::NonZero,
            ),
        }
    }

    /// `form >= 0`: bounds for each atom, and the inequality itself.
    fn constrain_sign(&mut self, recorder: &mut Recorder, form: &Linear) {
        let (overflow, above) = (recorder.overflow, self.contexts.above(recorder.ctx));
        if form.terms().is_empty() {
            recorder.state.contradiction |= form.offset() < 0;
            return;
        }
        for (atom, bound) in self.bounds_of_atoms(overflow, above, form) {
            self.refine(recorder, Subject::of(atom), bound, Modular::EVERYTHING);
        }
        self.record_inequality(recorder, form.clone());
    }

    /// Returns the bounds that `form >= 0` gives for each atom, from the bounds of the others.
    pub(crate) fn bounds_of_atoms(
        &mut self,
        overflow: Overflow,
        above: ContextId,
        form: &Linear,
    ) -> SmallVec<[(Atom, Interval); 4]> {
        let is_alone = form.terms().len() == 1;
        let mut parts: SmallVec<[(Atom, i128, Interval); 4]> = SmallVec::new();
        for &(atom, factor) in form.terms() {
            let values = match is_alone {
                true => Interval::EVERYTHING,
                false => self.facts_of_atom(overflow, above, atom).interval.scale(factor),
            };
            parts.push((atom, factor, values));
        }
        let mut bounds = SmallVec::new();
        for (at, &(atom, factor, _)) in parts.iter().enumerate() {
            // factor * atom >= -(what the rest is at most)
            let others = parts.iter().enumerate().filter(|it| it.0 != at);
            let offset = Interval::constant(form.offset());
            let most = others.fold(offset, |sum, (_, it)| sum.plus(it.2)).max;
            // Far beyond all types, where nothing here can overflow yet, there is nothing to learn.
            const FAR: std::ops::Range<i128> = -(1 << 120)..1 << 120;
            if !FAR.contains(&most) || !FAR.contains(&factor) {
                continue;
            }
            bounds.push((
                atom,
                if factor > 0 {
                    Interval::at_least(-floor_div(most, factor))
                } else {
                    Interval::at_most(floor_div(most, -factor))
                },
            ));
        }
        bounds
    }
}

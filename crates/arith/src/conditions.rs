//! From constraints to facts.
//!
//! A condition that holds is taken apart: conjunctions into contexts of their own ([`Analyzer::assume`]); a comparison of
//! integers into bounds for each of its atoms, and an inequality that later proofs may add to others; `x % c == k` into a
//! congruence; `x != k` into an excluded value. Bounds found for `x // c`, `min(x, y)`, a conversion, … are handed on to
//! `x`. Whatever its form, the condition itself is known from then on.
//!
//! Only conditions that are values of their variables say anything: what a load gave once it need not give again
//! (`SEMANTICS: M11`, `X8`). Floats are compared by nobody here (`F4`). O(atoms) a condition.

use ir::{BinaryOp, BufferOrigin, Callee, ExprId, ExprKind, UnaryOp, ValueId};

use crate::{
    Analyzer, Interval, Modular,
    analyzer::Overflow,
    context::{Constraint, ContextId},
    interval::floor_div,
    linear::{Linear, constant_value, is_integral},
    state::{Recorder, RelationKind},
};

impl Analyzer<'_> {
    pub(crate) fn assume_in(
        &mut self,
        parent: ContextId,
        cond: ExprId,
        holds: bool,
        arms: u8,
    ) -> ContextId {
        let mut ctx = parent;
        let mut stack = vec![(cond, holds)];
        while let Some((cond, holds)) = stack.pop() {
            match self.body.expr(cond).kind {
                ExprKind::Unary(UnaryOp::Not | UnaryOp::BitNot, it)
                    if self.body.ty(it).is_bool() =>
                {
                    stack.push((it, !holds));
                }
                ExprKind::Binary(op, a, b)
                    if self.body.ty(a).is_bool()
                        && match op {
                            BinaryOp::And | BinaryOp::BitAnd => holds,
                            BinaryOp::Or | BinaryOp::BitOr => !holds,
                            _ => false,
                        } =>
                {
                    stack.push((b, holds));
                    stack.push((a, holds));
                }
                ExprKind::Call { callee: Callee::Intrinsic(name), args, .. }
                    if self.body.name(name) == "likely" && self.body.items(args).len() == 1 =>
                {
                    stack.push((self.body.items(args)[0], holds));
                }
                ExprKind::Int(value) if (value != 0) == holds => {}
                kind => {
                    ctx = self.contexts.push(ctx, Constraint::Assume { cond, holds }, arms);
                    if let ExprKind::Value(value) = kind
                        && let Some(definition) = self.definition(value)
                        && self.body.ty(definition) == self.body.ty(cond)
                        && self.summary(definition).is_stable
                    {
                        stack.push((definition, holds));
                    }
                }
            }
        }
        ctx
    }

    /// Works out what the constraint of the recorder's context says.
    pub(crate) fn constrain(&mut self, recorder: &mut Recorder) {
        match self.constraint(recorder.ctx) {
            Constraint::Signature => {
                for index in 0..self.body.params.len() {
                    let buffer = self.body.params[index].buffer;
                    let Some(buffer) = buffer else { continue };
                    if self.body.buffers[buffer].origin == BufferOrigin::Param {
                        self.constrain_shape(recorder, buffer);
                    }
                }
            }
            Constraint::Shape { buffer } => self.constrain_shape(recorder, buffer),
            Constraint::Assume { cond, holds } => self.constrain_condition(recorder, cond, holds),
            Constraint::Range { var, min, extent } => {
                self.constrain_range(recorder, var, min, extent);
            }
            Constraint::Define { var, value } => self.constrain_definition(recorder, var, value),
            Constraint::Binder { .. } => {}
        }
    }

    fn above(&self, recorder: &Recorder) -> ContextId {
        self.contexts.get(recorder.ctx).parent
    }

    fn constrain_shape(&mut self, recorder: &mut Recorder, buffer: ir::BufferId) {
        let body = self.body.clone();
        for &extent in &body.buffers[buffer].shape {
            // The extent is compared with one that is not negative; as a sum it might still have wrapped.
            let is_known = matches!(body.expr(extent).kind, ExprKind::Int(_));
            if !is_known && self.is_fact(extent) && recorder.ctx != self.root() {
                self.constrain_form(recorder, extent, 0);
            } else if !is_known && self.is_fact(extent) {
                self.record(recorder, extent, Interval::NON_NEGATIVE, Modular::EVERYTHING);
            }
        }
    }

    /// Whether facts may be recorded of a node: it is an integer and a value of its variables.
    fn is_fact(&mut self, expr: ExprId) -> bool {
        self.summary(expr).is_stable && self.body.dtype(expr).is_some_and(is_integral)
    }

    /// `expr >= least`
    fn constrain_form(&mut self, recorder: &mut Recorder, expr: ExprId, least: i128) {
        let above = self.above(recorder);
        self.refine(recorder, expr, Interval::at_least(least), Modular::EVERYTHING);
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
    ) {
        let (overflow, above) = (recorder.overflow, self.above(recorder));
        let body = self.body.clone();
        let Some(dtype) = body.values[var].ty.prim().filter(|it| it.is_integer()) else { return };
        let Some(extent_type) = body.dtype(extent).filter(|&it| is_integral(it)) else { return };
        if min.is_some_and(|it| !body.dtype(it).is_some_and(is_integral)) {
            return;
        }
        if self.is_fact(extent) {
            self.constrain_form(recorder, extent, 1);
        }
        let first = match min {
            Some(min) => self.facts(overflow, above, min).interval,
            None => Interval::constant(0),
        };
        let count = self.facts(overflow, above, extent).interval;
        let end = first.plus(count).plus(Interval::constant(-1));
        let range = Interval::of_type(dtype);
        // An unsigned extent may have wrapped, and then so may the variable (L3).
        if (dtype.is_uint() || extent_type.is_uint() || dtype.bits < 32) && !end.is_within(range) {
            return;
        }
        let values = Interval::new(first.min, end.max).intersect(range);
        let modular = Modular::EVERYTHING;
        self.record_value(recorder, var, values, modular);
        let Some(node) = self.node_of(var) else { return };
        let form = Linear::atom(self.representative(node));
        let first = match min {
            Some(min) => self.linear(overflow, above, min),
            None => Some(Linear::constant(0)),
        };
        let count = self.linear(overflow, above, extent);
        let Some(first) = first else { return };
        if let Some(form) = form.minus(&first) {
            self.record_inequality(recorder, form);
        }
        let last = count.and_then(|it| it.combine(1, &first, 1)).and_then(|it| it.plus(-1));
        if let Some(form) = last.and_then(|it| it.minus(&form)) {
            self.record_inequality(recorder, form);
        }
    }

    fn constrain_definition(&mut self, recorder: &mut Recorder, var: ValueId, value: ExprId) {
        let (overflow, above) = (recorder.overflow, self.above(recorder));
        let Some(dtype) = self.body.values[var].ty.prim().filter(|it| is_integral(*it)) else {
            return;
        };
        let facts = self.facts(overflow, above, value);
        if self.body.dtype(value) != Some(dtype)
            || !facts.interval.is_within(Interval::of_type(dtype))
        {
            return;
        }
        self.record_value(recorder, var, facts.interval, facts.modular);
        if let Some(node) = self.node_of(var)
            && let Some(form) = self.linear(overflow, above, value)
            && let Some(form) = Linear::atom(self.representative(node)).minus(&form)
        {
            let negative = form.scale(-1);
            self.record_inequality(recorder, form);
            negative.into_iter().for_each(|it| self.record_inequality(recorder, it));
        }
    }

    fn constrain_condition(&mut self, recorder: &mut Recorder, cond: ExprId, holds: bool) {
        let body = self.body.clone();
        let above = self.above(recorder);
        if self.decide_with(recorder.overflow, above, cond) == Some(!holds) {
            recorder.state.contradiction = true;
            return;
        }
        if !self.is_fact(cond) || !body.dtype(cond).is_some_and(|it| it.is_scalar()) {
            return;
        }
        let truth = Interval::constant(holds.into());
        self.record(recorder, cond, truth, Modular::constant(holds.into()));
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
        if !self.is_fact(a) || !self.is_fact(b) {
            return;
        }
        let (overflow, above) = (recorder.overflow, self.above(recorder));
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
                self.refine(recorder, a, Interval::at_most(y.interval.max - gap), any);
                self.refine(recorder, b, Interval::at_least(x.interval.min + gap), any);
                let form = right.minus(&left).and_then(|it| it.plus(-gap));
                form.into_iter().for_each(|it| self.constrain_sign(recorder, &it));
            }
            BinaryOp::Gt | BinaryOp::Ge => {
                let op = if op == BinaryOp::Gt { BinaryOp::Lt } else { BinaryOp::Le };
                self.constrain_comparison(recorder, op, b, a, true);
            }
            BinaryOp::Eq => {
                self.refine(recorder, a, y.interval, y.modular);
                self.refine(recorder, b, x.interval, x.modular);
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
            if let Some(value) = other.as_constant()
                && self.linear(recorder.overflow, self.above(recorder), expr)
                    != Some(Linear::atom(self.representative(expr)))
            {
                self.record_excluded(recorder, expr, value);
            }
        }
        let Some(form) = left.minus(&right) else { return };
        match form.single() {
            Some((atom, factor, constant)) if constant % factor == 0 => {
                self.record_excluded(recorder, atom, -constant / factor);
            }
            Some(_) => {}
            None => self.record_relation(recorder, form, RelationKind::NonZero),
        }
    }

    /// `form >= 0`: bounds for each atom, and the inequality itself.
    fn constrain_sign(&mut self, recorder: &mut Recorder, form: &Linear) {
        let (overflow, above) = (recorder.overflow, self.above(recorder));
        if form.terms().is_empty() {
            recorder.state.contradiction |= form.offset() < 0;
            return;
        }
        for (atom, bound) in self.bounds_of_atoms(overflow, above, form) {
            self.refine(recorder, atom, bound, Modular::EVERYTHING);
        }
        self.record_inequality(recorder, form.clone());
    }

    /// What `form >= 0` says of each atom, given the bounds of the others.
    fn bounds_of_atoms(
        &mut self,
        overflow: Overflow,
        above: ContextId,
        form: &Linear,
    ) -> Vec<(ExprId, Interval)> {
        let mut bounds = Vec::new();
        for &(atom, factor) in form.terms() {
            // factor * atom >= -(what the rest is at most)
            let Some(rest) = form.combine(1, &Linear::atom(atom), -factor) else { continue };
            let most = self.interval_of(overflow, above, &rest).max;
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

    /// Notes `form >= 0` with its atoms; and with what they are made of, how: `x // 4` leads from `x` to the form.
    fn record_inequality(&mut self, recorder: &mut Recorder, form: Linear) {
        if form.terms().len() < 2 {
            return;
        }
        let (overflow, above) = (recorder.overflow, self.above(recorder));
        let atoms: Vec<ExprId> = form.atoms().collect();
        self.record_relation(recorder, form, RelationKind::NonNegative);
        for atom in atoms {
            for known in self.known_of_atom(overflow, above, atom) {
                self.record_relation(recorder, known, RelationKind::NonNegative);
            }
        }
    }

    fn record_value(
        &mut self,
        recorder: &mut Recorder,
        var: ValueId,
        interval: Interval,
        modular: Modular,
    ) {
        if let Some(node) = self.node_of(var) {
            self.refine(recorder, node, interval, modular);
        }
    }

    /// Records facts of a node and what follows for its operands, down to its atoms.
    fn refine(
        &mut self,
        recorder: &mut Recorder,
        expr: ExprId,
        interval: Interval,
        modular: Modular,
    ) {
        let body = self.body.clone();
        let (overflow, above) = (recorder.overflow, self.above(recorder));
        let mut stack = vec![(expr, interval, modular)];
        while let Some((expr, interval, modular)) = stack.pop() {
            if let ExprKind::Int(value) = body.expr(expr).kind {
                let Some(dtype) = body.dtype(expr) else { continue };
                let value = constant_value(dtype, value);
                recorder.state.contradiction |= !interval.contains(value);
                continue;
            }
            if !self.is_fact(expr) {
                continue;
            }
            let known = self.facts(overflow, above, expr);
            let interval = interval.intersect(known.interval);
            if interval.is_empty() {
                recorder.state.contradiction = true;
                continue;
            }
            let is_news = interval != known.interval
                || known.modular.intersect(modular) != Some(known.modular);
            if !is_news {
                continue;
            }
            if !self.record(recorder, expr, interval, modular) {
                continue;
            }
            self.hand_down(overflow, above, expr, interval, modular, &mut stack);
        }
    }

    /// What facts of a node say of its operands.
    fn hand_down(
        &mut self,
        overflow: Overflow,
        above: ContextId,
        expr: ExprId,
        interval: Interval,
        modular: Modular,
        stack: &mut Vec<(ExprId, Interval, Modular)>,
    ) {
        let any = Modular::EVERYTHING;
        let body = self.body.clone();
        match body.expr(expr).kind {
            ExprKind::Value(value) => {
                if let Some(definition) = self.definition(value)
                    && body.ty(definition) == body.ty(expr)
                    && body.dtype(expr).is_some_and(|it| it.bits >= 32)
                {
                    stack.push((definition, interval, modular));
                }
            }
            ExprKind::Cast(operand) if body.dtype(operand).is_some_and(is_integral) => {
                let operand_range = self.facts(overflow, above, operand).interval;
                let Some(dtype) = body.dtype(expr) else { return };
                if !dtype.is_bool() && operand_range.is_within(Interval::of_type(dtype)) {
                    stack.push((operand, interval, modular));
                }
            }
            ExprKind::Binary(BinaryOp::Min, a, b) => {
                stack.extend([a, b].map(|it| (it, Interval::at_least(interval.min), any)));
            }
            ExprKind::Binary(BinaryOp::Max, a, b) => {
                stack.extend([a, b].map(|it| (it, Interval::at_most(interval.max), any)));
            }
            ExprKind::Binary(BinaryOp::Add | BinaryOp::Sub, ..) => {
                let Some(form) = self.linear(overflow, above, expr) else { return };
                if form.single().is_some_and(|it| it.0 == self.representative(expr)) {
                    return;
                }
                let (min, max) = (interval.min.checked_neg(), interval.max);
                let least = min.and_then(|min| form.plus(min));
                let most = form.scale(-1).and_then(|it| it.plus(max));
                for side in [least, most].into_iter().flatten() {
                    let bounds = self.bounds_of_atoms(overflow, above, &side);
                    stack.extend(bounds.into_iter().map(|(atom, bound)| (atom, bound, any)));
                }
            }
            // Whatever wraps: a product with 0 is 0.
            ExprKind::Binary(BinaryOp::Mul, a, b) if interval.is_non_zero() => {
                for factor in [a, b] {
                    if self.facts(overflow, above, factor).interval.is_non_negative() {
                        stack.push((factor, Interval::at_least(1), any));
                    }
                }
            }
            // The congruence holds of a remainder with the sign of the dividend, too.
            ExprKind::Binary(BinaryOp::Mod, a, b)
                if let Some(divisor) = self.facts(overflow, above, b).interval.as_constant()
                    && let Some(rest) = interval.as_constant() =>
            {
                stack.push((a, Interval::EVERYTHING, Modular::new(divisor, rest)));
            }
            ExprKind::Binary(..) => {
                let Some(it) = self.division(overflow, above, expr) else { return };
                if it.is_quotient {
                    let whole = interval.times(Interval::constant(it.divisor));
                    let last =
                        Interval::at_most(whole.max).plus(Interval::constant(it.divisor - 1));
                    let range = Interval::at_least(whole.min).intersect(last);
                    stack.push((it.dividend, range, any));
                } else if let Some(rest) = interval.as_constant() {
                    let congruence = Modular::new(it.divisor, rest);
                    stack.push((it.dividend, Interval::EVERYTHING, congruence));
                }
            }
            _ => {}
        }
    }
}

/// The comparison that holds where this one does not; of integers only.
pub(crate) fn negated(op: BinaryOp) -> BinaryOp {
    match op {
        BinaryOp::Eq => BinaryOp::Ne,
        BinaryOp::Ne => BinaryOp::Eq,
        BinaryOp::Lt => BinaryOp::Ge,
        BinaryOp::Ge => BinaryOp::Lt,
        BinaryOp::Gt => BinaryOp::Le,
        BinaryOp::Le => BinaryOp::Gt,
        other => other,
    }
}

//! Refinement: deriving facts about the parts of a node from facts about the node.
//!
//! In: an interval and a congruence of a node or made atom. Out: the fact, recorded, and its consequences for the
//! operands, down to the atoms: bounds of `x // c`, `min(x, y)`, a conversion, … are propagated to `x`. A product that
//! is not 0 has no factor that is 0; one that is positive and of factors that are not negative has factors of at least
//! 1, and is at least as large as each part of it. O(nodes that learn something), each bounded by its operands.

use ir::{BinaryOp, ExprId, ExprKind, ValueId};
use smallvec::SmallVec;

use super::Deduction;
use crate::{
    Interval, Modular,
    forms::{Atom, AtomKind, Linear, Made, Quotient},
    integers::{constant_value, is_integral},
    interval::floor_div,
    states::{Recorder, RelationKind},
};

/// The subject of a fact. A node is looked into as it is written; its representative may be another one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Subject {
    Node(ExprId),
    Made(Atom),
}

impl Subject {
    pub(crate) fn of(atom: Atom) -> Subject {
        match atom.kind() {
            AtomKind::Node(expr) => Subject::Node(expr),
            AtomKind::Made(_) => Subject::Made(atom),
        }
    }
}

type Stack = SmallVec<[(Subject, Interval, Modular); 4]>;

impl Deduction<'_> {
    /// Records `form >= 0` for its atoms and for the parts of the atoms: `x // 4` leads from `x` to the form. So that
    /// both sides of every comparison are written alike, a form without its quotients by symbols is noted beside it.
    pub(crate) fn record_inequality(&mut self, recorder: &mut Recorder, form: Linear) {
        if form.terms().len() < 2 {
            return;
        }
        let (overflow, above) = (recorder.overflow, self.contexts.above(recorder.ctx));
        if let Some(plain) = self.plain_form(overflow, above, &form) {
            if let [_] = plain.terms() {
                for (atom, bound) in self.bounds_of_atoms(overflow, above, &plain) {
                    self.refine(recorder, Subject::of(atom), bound, Modular::EVERYTHING);
                }
            } else if !plain.terms().is_empty() {
                self.states.record_relation(
                    &self.atoms,
                    &mut self.nodes,
                    recorder,
                    plain,
                    RelationKind::NonNegative,
                );
            }
        }
        let atoms: SmallVec<[Atom; 4]> = form.atoms().collect();
        self.states.record_relation(
            &self.atoms,
            &mut self.nodes,
            recorder,
            form,
            RelationKind::NonNegative,
        );
        for atom in atoms {
            for known in self.known_of_atom(overflow, above, atom) {
                self.states.record_relation(
                    &self.atoms,
                    &mut self.nodes,
                    recorder,
                    known,
                    RelationKind::NonNegative,
                );
            }
        }
    }

    /// Facts of a variable.
    pub(crate) fn record_value(
        &mut self,
        recorder: &mut Recorder,
        var: ValueId,
        interval: Interval,
        modular: Modular,
    ) {
        if let Some(node) = self.nodes.node_of(var) {
            self.refine(recorder, Subject::Node(node), interval, modular);
        }
    }

    /// Records facts of a node or atom and what follows for its operands, down to its atoms.
    pub(crate) fn refine(
        &mut self,
        recorder: &mut Recorder,
        subject: Subject,
        interval: Interval,
        modular: Modular,
    ) {
        let (overflow, above) = (recorder.overflow, self.contexts.above(recorder.ctx));
        let mut stack = Stack::new();
        stack.push((subject, interval, modular));
        while let Some((subject, interval, modular)) = stack.pop() {
            let (atom, known) = match subject {
                Subject::Made(atom) => (atom, self.facts_of_atom(overflow, above, atom)),
                Subject::Node(expr) => {
                    if let ExprKind::Int(value) = self.body().expr(expr).kind {
                        let Some(dtype) = self.body().dtype(expr) else { continue };
                        let value = constant_value(dtype, value);
                        recorder.state.contradiction |= !interval.contains(value);
                        continue;
                    }
                    if !self.nodes.is_fact(expr) {
                        continue;
                    }
                    (self.atom(expr), self.facts(overflow, above, expr))
                }
            };
            let interval = interval.intersect(known.interval);
            if interval.is_empty() {
                recorder.state.contradiction = true;
                continue;
            }
            let is_news = interval != known.interval
                || known.modular.intersect(modular) != Some(known.modular);
            if !is_news
                || !self.states.record(
                    &self.atoms,
                    &mut self.nodes,
                    recorder,
                    atom,
                    interval,
                    modular,
                )
            {
                continue;
            }
            match subject {
                Subject::Node(expr) => {
                    self.refine_operands(recorder, expr, interval, modular, &mut stack);
                }
                Subject::Made(atom) => self.refine_parts(recorder, atom, interval, &mut stack),
            }
        }
    }

    /// Derives facts about the operands from facts about a node.
    fn refine_operands(
        &mut self,
        recorder: &mut Recorder,
        expr: ExprId,
        interval: Interval,
        modular: Modular,
        stack: &mut Stack,
    ) {
        let (overflow, above) = (recorder.overflow, self.contexts.above(recorder.ctx));
        let expr = self.nodes.seen_through(expr);
        let any = Modular::EVERYTHING;
        let node = |it: ExprId, interval: Interval, modular| (Subject::Node(it), interval, modular);
        let kind = self.body().expr(expr).kind;
        if let ExprKind::Value(value) = kind
            && self.nodes.definition(value).is_none()
        {
            return;
        }
        if let Some(form) = self.linear(overflow, above, expr)
            && form != Linear::atom(self.atom(expr))
        {
            self.refine_atoms(recorder, &form, interval, modular, stack);
        }
        match kind {
            ExprKind::Cast(operand) if self.body().dtype(operand).is_some_and(is_integral) => {
                let operand_range = self.facts(overflow, above, operand).interval;
                let Some(dtype) = self.body().dtype(expr) else { return };
                if !dtype.is_bool() && operand_range.is_within(Interval::of_type(dtype)) {
                    stack.push(node(operand, interval, modular));
                }
            }
            ExprKind::Binary(BinaryOp::Min, a, b) => {
                let least = Interval::at_least(interval.min);
                stack.extend([a, b].map(|it| node(it, least, any)));
            }
            ExprKind::Binary(BinaryOp::Max, a, b) => {
                let most = Interval::at_most(interval.max);
                stack.extend([a, b].map(|it| node(it, most, any)));
            }
            // The form of one that is exact has said it.
            ExprKind::Binary(BinaryOp::Add | BinaryOp::Sub, ..) => {
                self.refine_summand(expr, interval, stack);
            }
            // Whatever wraps: a product with 0 is 0.
            ExprKind::Binary(BinaryOp::Mul, ..) if interval.is_non_zero() => {
                self.refine_factors(recorder, expr, stack);
            }
            // The congruence holds of a remainder with the sign of the dividend, too.
            ExprKind::Binary(BinaryOp::Mod, a, b)
                if let Some(divisor) = self.facts(overflow, above, b).interval.as_constant()
                    && let Some(rest) = interval.as_constant() =>
            {
                stack.push(node(a, Interval::EVERYTHING, Modular::new(divisor, rest)));
            }
            ExprKind::Binary(_, a, b) => {
                let Some(it) = self.division(overflow, above, expr) else {
                    return self.refine_dividend(recorder, expr, a, b, interval, stack);
                };
                let by = Interval::constant(it.divisor);
                if it.is_quotient {
                    let range = range_of_dividend(interval, by).unwrap_or(Interval::EVERYTHING);
                    stack.push(node(it.dividend, range, any));
                } else if let Some(rest) = interval.as_constant() {
                    let congruence = Modular::new(it.divisor, rest);
                    stack.push(node(it.dividend, Interval::EVERYTHING, congruence));
                }
            }
            _ => {}
        }
    }

    /// Derives bounds of the dividend from bounds of a quotient by a symbol.
    fn refine_dividend(
        &mut self,
        recorder: &mut Recorder,
        expr: ExprId,
        dividend: ExprId,
        divisor: ExprId,
        interval: Interval,
        stack: &mut Stack,
    ) {
        let (overflow, above) = (recorder.overflow, self.contexts.above(recorder.ctx));
        let is_quotient =
            matches!(self.body().expr(expr).kind, ExprKind::Binary(BinaryOp::FloorDiv, ..));
        if is_quotient && self.body().dtype(expr).is_some_and(|it| it.bits >= 32) {
            let by = self.facts(overflow, above, divisor).interval;
            if let Some(range) = range_of_dividend(interval, by) {
                stack.push((Subject::Node(dividend), range, Modular::EVERYTHING));
            }
        }
    }

    /// Derives facts about the atoms of a form from its bounds and congruence.
    fn refine_atoms(
        &mut self,
        recorder: &mut Recorder,
        form: &Linear,
        interval: Interval,
        modular: Modular,
        stack: &mut Stack,
    ) {
        let (overflow, above) = (recorder.overflow, self.contexts.above(recorder.ctx));
        let (min, max) = (interval.min.checked_neg(), interval.max);
        let least = min.and_then(|min| form.plus(min));
        let most = form.scale(-1).and_then(|it| it.plus(max));
        for side in [least, most].into_iter().flatten() {
            let bounds = self.bounds_of_atoms(overflow, above, &side);
            let bounds = bounds.into_iter();
            stack.extend(bounds.map(|(it, bound)| (Subject::of(it), bound, Modular::EVERYTHING)));
        }
        if let Some((atom, factor @ (1 | -1), constant)) = form.single() {
            let modular = modular.minus(Modular::constant(constant)).scale(factor);
            stack.push((Subject::of(atom), Interval::EVERYTHING, modular));
        }
    }

    /// A sum with a constant that may wrap: where the other summand is in range without wrapping back, it is that.
    fn refine_summand(&self, expr: ExprId, interval: Interval, stack: &mut Stack) {
        let ExprKind::Binary(op, a, b) = self.body().expr(expr).kind else { return };
        let Some(dtype) = self.body().dtype(expr).filter(|it| it.bits >= 32) else { return };
        let constant = |it: ExprId| match self.body().expr(it).kind {
            ExprKind::Int(value) => Some(constant_value(dtype, value)),
            _ => None,
        };
        let (summand, shift) = match (op, constant(a), constant(b)) {
            (BinaryOp::Add, _, Some(value)) => (a, -value),
            (BinaryOp::Add, Some(value), _) => (b, -value),
            (BinaryOp::Sub, _, Some(value)) => (a, value),
            _ => return,
        };
        let shifted = interval.plus(Interval::constant(shift));
        if shifted.is_within(Interval::of_type(dtype)) {
            stack.push((Subject::Node(summand), shifted, Modular::EVERYTHING));
        }
    }

    /// No factor of a product that is not 0 is 0.
    fn refine_factors(&mut self, recorder: &mut Recorder, product: ExprId, stack: &mut Stack) {
        /// Factors looked at.
        const MOST_NODES: u32 = 16;
        let (overflow, above) = (recorder.overflow, self.contexts.above(recorder.ctx));
        let mut products = vec![product];
        for _ in 0..MOST_NODES {
            let Some(product) = products.pop() else { break };
            let ExprKind::Binary(BinaryOp::Mul, a, b) = self.body().expr(product).kind else {
                continue;
            };
            for factor in [a, b].map(|it| self.nodes.seen_through(it)) {
                if self.facts(overflow, above, factor).interval.is_non_negative() {
                    let positive = Interval::at_least(1);
                    stack.push((Subject::Node(factor), positive, Modular::EVERYTHING));
                } else if self.nodes.is_fact(factor) {
                    let atom = self.atom(factor);
                    self.states.record_excluded(&self.atoms, &mut self.nodes, recorder, atom, 0);
                    products.push(factor);
                }
            }
        }
    }

    /// Derives bounds of the parts of a made atom from its bounds.
    fn refine_parts(
        &mut self,
        recorder: &mut Recorder,
        atom: Atom,
        interval: Interval,
        stack: &mut Stack,
    ) {
        let (overflow, above) = (recorder.overflow, self.contexts.above(recorder.ctx));
        match self.atoms.made(atom) {
            Some(Made::Product(_)) => self.refine_product(recorder, atom, interval, stack),
            Some(Made::Quotient(it)) => {
                let Quotient { dividend, divisor } = (**it).clone();
                let by = self.interval_of(overflow, above, &divisor);
                if let Some(range) = range_of_dividend(interval, by) {
                    self.refine_atoms(recorder, &dividend, range, Modular::EVERYTHING, stack);
                }
            }
            _ => {}
        }
    }

    /// Of a product of two parts, each is bounded by the product and the other one.
    fn refine_product(
        &mut self,
        recorder: &mut Recorder,
        atom: Atom,
        interval: Interval,
        stack: &mut Stack,
    ) {
        /// Factors of a product whose parts are looked at: it has as many parts as sets of factors.
        const MOST_PARTED: usize = 4;
        let (overflow, above) = (recorder.overflow, self.contexts.above(recorder.ctx));
        if self.atoms.factors(atom).len() > MOST_PARTED {
            return;
        }
        for (factor, rest) in self.atoms.splits(&mut self.nodes, atom) {
            for (part, other) in [(factor, rest), (rest, factor)] {
                let x = self.facts_of_atom(overflow, above, part).interval;
                let y = self.facts_of_atom(overflow, above, other).interval;
                if let Some(bound) = part_of_product(interval, x, y) {
                    stack.push((Subject::of(part), bound, Modular::EVERYTHING));
                } else if interval.is_non_zero() {
                    self.states.record_excluded(&self.atoms, &mut self.nodes, recorder, part, 0);
                }
            }
        }
    }
}

/// Returns the range of the dividend for a quotient, rounded to -∞, in `quotient`: `q * y <= x <= (q + 1) * y - 1` for
/// a positive `y`.
fn range_of_dividend(quotient: Interval, divisor: Interval) -> Option<Interval> {
    if divisor.min <= 0 {
        return None;
    }
    let least = Interval::at_least(quotient.min).times(divisor).min;
    let next = Interval::at_most(quotient.max).plus(Interval::constant(1));
    let most = next.times(divisor).plus(Interval::constant(-1)).max;
    Some(Interval::new(least, most))
}

/// Returns the range of a non-negative `x` for `x * y` in `product` and a non-negative `y`.
fn part_of_product(product: Interval, x: Interval, y: Interval) -> Option<Interval> {
    if !x.is_non_negative() || !y.is_non_negative() {
        return None;
    }
    let mut bound = Interval::EVERYTHING;
    if product.min >= 1 {
        // x >= product / y, rounded up; and y is at least 1.
        let least = match y.max {
            Interval::POS_INF | 0 => 1,
            most => -floor_div(-product.min, most),
        };
        bound.min = least.max(1);
    }
    if product.max != Interval::POS_INF && (y.min >= 1 || product.min >= 1) {
        bound.max = floor_div(product.max, y.min.max(1)).max(0);
    }
    Some(bound)
}

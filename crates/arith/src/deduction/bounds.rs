//! Bounds and congruences of nodes.
//!
//! In: a node, a context. Out: [`Facts`]: the possible values of the operands, through the operator, cut to the range
//! of the type (`SEMANTICS: I1`–`I3`, `C4`, `C5`), intersected with the constraints on the node, each half sharpened by
//! the other. Those of a made atom come from its parts and from what constraints say of it, and are kept as those of
//! nodes are.

use ir::{BinaryOp, Callee, DataType, ExprId, ExprKind, Intrinsic, ValueId, arena::Id};

use super::Deduction;
use crate::{
    Interval, Modular,
    contexts::ContextId,
    facts::{Facts, Overflow, complement, excludes_overflow, within_range, without_wrapping},
    forms::{Atom, AtomKind, Linear, Made},
    integers::{constant_value, is_integral},
    memo::{Memo, Place},
};

/// Nested conditional expressions of which both arms are looked at; further ones are any value.
const MOST_ARMS: u8 = 4;

/// Nested conditional expressions whose arms are looked at for the value of one; further ones are any value.
const MOST_CHOICES: u32 = 8;

/// Conditional expressions that are looked at for the value of one, all together; further ones are any value. The
/// conditions of choices may be about choices, so that the looks multiply.
const MOST_LOOKS: u32 = 128;

/// More than the error of a logarithm of float64 that is less than 1024, on any target.
const LOGARITHM_ERROR: f64 = 1.0 / (1u64 << 40) as f64;

/// The facts found so far, under both readings.
#[derive(Clone, Default)]
pub(super) struct Bounds {
    of_nodes: [Memo<Facts>; 2],
    /// By made atom.
    of_atoms: [Memo<Facts>; 2],
    /// For each variable that is bound to nothing, the last queried context and the facts there.
    of_variables: [Vec<(ContextId, Facts)>; 2],
    /// Conditional expressions around the one whose value is looked at.
    choices: u32,
    /// Conditional expressions met since the outermost of them.
    looks: u32,
    /// Answers that were cut off after the last look, which hold until the outermost conditional expression is known.
    provisional: Vec<Provisional>,
    /// True if a query was cut off because of its depth since the last look.
    is_cut: bool,
}

/// Where an answer lies that is forgotten again: the table, then the place in it.
#[derive(Clone, Copy)]
struct Provisional {
    is_of_atom: bool,
    overflow: Overflow,
    subject: usize,
    ctx: ContextId,
    place: Place,
}

impl Bounds {
    /// Keeps an answer, unless it was cut off inside a conditional expression: asked for by itself, there is more to
    /// see. While there are looks left it is forgotten at once; without any it holds for the rest of the question, as
    /// it would be worked out again and again.
    fn keep(&mut self, at: Provisional, facts: Facts) {
        let is_whole = !(self.is_cut && self.choices > 0);
        if !is_whole && self.looks < MOST_LOOKS {
            return self.forget(at);
        }
        self.table(at).set(at.place, facts);
        if !is_whole {
            self.provisional.push(at);
        }
    }

    /// Forgets what holds for one question only.
    fn end_question(&mut self) {
        self.looks = 0;
        while let Some(at) = self.provisional.pop() {
            self.forget(at);
        }
    }

    fn forget(&mut self, at: Provisional) {
        self.table(at).forget(at.subject, at.ctx, at.place);
    }

    fn table(&mut self, at: Provisional) -> &mut Memo<Facts> {
        let tables = if at.is_of_atom { &mut self.of_atoms } else { &mut self.of_nodes };
        &mut tables[at.overflow as usize]
    }
}

impl Deduction<'_> {
    /// Every value that `expr` can have here, on every run.
    pub(crate) fn bound(&mut self, ctx: ContextId, expr: ExprId) -> Interval {
        self.facts(Overflow::Wraps, ctx, expr).interval
    }

    /// Returns the facts about a node.
    pub(crate) fn facts(&mut self, overflow: Overflow, ctx: ContextId, expr: ExprId) -> Facts {
        let node = self.body().expr(expr);
        let Some(dtype) = node.ty.prim().filter(|it| is_integral(*it)) else {
            return Facts::NONE;
        };
        match node.kind {
            ExprKind::Int(value) => return Facts::of_constant(constant_value(dtype, value)),
            ExprKind::Value(value) if self.nodes.definition(value).is_none() => {
                return self.facts_of_variable(overflow, ctx, expr, value, dtype);
            }
            _ => {}
        }
        let ctx = self.relevant(overflow, ctx, expr);
        if let Some(&known) = self.bounds.of_nodes[overflow as usize].get(expr.index(), ctx) {
            return known;
        }
        // Should a recorded inequality lead back here, what the type says is an answer.
        let any = Facts::of_interval(Interval::of_type(dtype));
        let place = self.bounds.of_nodes[overflow as usize].insert(expr.index(), ctx, any);
        let was_cut = std::mem::take(&mut self.bounds.is_cut);
        ir::interrupt::check();
        let facts = ir::stack::with_room(|| self.work_out(overflow, ctx, expr, dtype));
        let at = Provisional { is_of_atom: false, overflow, subject: expr.index(), ctx, place };
        self.bounds.keep(at, facts);
        self.bounds.is_cut = was_cut || (self.bounds.is_cut && self.bounds.choices > 0);
        facts
    }

    /// Returns the facts about a variable without a definition, from its type and the constraints: cached for the last
    /// context, or read again.
    fn facts_of_variable(
        &mut self,
        overflow: Overflow,
        ctx: ContextId,
        expr: ExprId,
        variable: ValueId,
        dtype: DataType,
    ) -> Facts {
        let asked = &self.bounds.of_variables[overflow as usize];
        match asked.get(variable.index()) {
            Some(&(asked, facts)) if asked == ctx => return facts,
            _ => {}
        }
        let mut facts = self.of_unbound(variable, dtype);
        if self.nodes.summary(expr).is_stable {
            let atom = self.atom(expr);
            facts = self.with_recorded(overflow, ctx, atom, facts).sharpened();
            if facts.interval.is_empty() {
                facts = Facts::of_interval(Interval::of_type(dtype));
            }
        }
        let n_values = self.body().values.len();
        let asked = &mut self.bounds.of_variables[overflow as usize];
        asked.resize(n_values, (ContextId::NOWHERE, Facts::NONE));
        asked[variable.index()] = (ctx, facts);
        facts
    }

    fn of_unbound(&self, variable: ValueId, dtype: DataType) -> Facts {
        let any = Facts::of_interval(Interval::of_type(dtype));
        if self.body().values[variable].is_size { any.within(Interval::NON_NEGATIVE) } else { any }
    }

    fn work_out(
        &mut self,
        overflow: Overflow,
        ctx: ContextId,
        expr: ExprId,
        dtype: DataType,
    ) -> Facts {
        self.work.nodes += 1;
        if dtype.is_bool() && self.sampled().seen(ctx, expr) == (true, true) {
            return Facts::of_interval(Interval::of_type(dtype));
        }
        if dtype.is_bool()
            && self.nodes.summary(expr).is_stable
            && let Some(truth) = self.known_truth(overflow, ctx, expr)
        {
            return Facts::of_interval(Interval::constant(truth)).sharpened();
        }
        let own = self.of_node(overflow, ctx, expr, dtype);
        let mut facts = own;
        if self.nodes.summary(expr).is_stable {
            let atom = self.atom(expr);
            facts = self.with_recorded(overflow, ctx, atom, facts);
            // What is known of the same quotient in another spelling.
            if let Some(form) = self.quotient_form(overflow, ctx, expr) {
                facts.interval = facts.interval.intersect(self.interval_of(overflow, ctx, &form));
                let modular = self.modular_of(overflow, ctx, &form);
                facts.modular = facts.modular.intersect(modular).unwrap_or(facts.modular);
            }
        }
        let sharp = facts.sharpened();
        // Nothing is possible: the place is never reached, or an operand has no value. Say what the type says.
        if sharp.interval.is_empty() {
            return Facts::of_interval(Interval::of_type(dtype));
        }
        sharp
    }

    /// Returns the truth value that a constraint gives for a condition, in whatever spelling. It answers the question
    /// completely.
    fn known_truth(&mut self, overflow: Overflow, ctx: ContextId, expr: ExprId) -> Option<i128> {
        let atom = self.atom(expr);
        self.recorded(overflow, ctx, atom).interval.as_constant()
    }

    fn of_node(
        &mut self,
        overflow: Overflow,
        ctx: ContextId,
        expr: ExprId,
        dtype: DataType,
    ) -> Facts {
        let any = Facts::of_interval(Interval::of_type(dtype));
        let kind = self.body().expr(expr).kind;
        match kind {
            ExprKind::Value(value) => {
                let mut facts = self.of_unbound(value, dtype);
                if let Some(definition) = self.nodes.definition(value)
                    && self.body().dtype(definition) == Some(dtype)
                {
                    // What a narrow sum has beyond its range is cut when it is bound (I3).
                    let below = self.facts(overflow, ctx, definition);
                    if below.interval.is_within(any.interval) {
                        let interval = facts.interval.intersect(below.interval);
                        facts = Facts { interval, modular: below.modular };
                    }
                }
                facts
            }
            ExprKind::Bound(index) => self.of_bound(overflow, ctx, index, dtype).unwrap_or(any),
            ExprKind::Binary(op, a, b) => self.of_binary(overflow, ctx, expr, op, a, b, dtype),
            ExprKind::Unary(op, a) => {
                let a = self.facts(overflow, ctx, a);
                complement(op, a, dtype)
            }
            ExprKind::Cast(operand) => self.of_cast(overflow, ctx, operand, dtype),
            // A condition that came from an overflow goes unnoticed if nothing uses the value chosen.
            ExprKind::Select(cond, a, b)
                if overflow == Overflow::Excluded && !self.is_untainted(ctx, cond) =>
            {
                self.facts(overflow, ctx, a).hull(self.facts(overflow, ctx, b))
            }
            ExprKind::Select(cond, a, b) | ExprKind::IfThenElse(cond, a, b) => {
                self.of_choice(overflow, ctx, cond, a, b, any)
            }
            ExprKind::Broadcast { value, .. } => self.facts(overflow, ctx, value),
            ExprKind::Ramp { base, stride, lanes } => {
                self.of_ramp(overflow, ctx, base, stride, lanes, dtype)
            }
            ExprKind::Shuffle { vectors, .. } => {
                let items: Vec<ExprId> = self.body().items(vectors).to_vec();
                let all = items.into_iter().map(|it| self.facts(overflow, ctx, it));
                all.reduce(Facts::hull).unwrap_or(any)
            }
            ExprKind::Let { value, body } => {
                let inner = self.inside(ctx, value);
                self.facts(overflow, inner, body)
            }
            ExprKind::BufferField(_, ir::BufferField::Shape(_)) => {
                any.within(Interval::NON_NEGATIVE)
            }
            ExprKind::Call { callee: Callee::Intrinsic(_, it), args, .. } => {
                match (it, self.body().items(args)) {
                    (Intrinsic::Likely, &[operand]) => self.facts(overflow, ctx, operand),
                    (Intrinsic::LeadingZeros | Intrinsic::PopCount, &[operand]) => {
                        let bits = self.body().dtype(operand).map_or(64, |it| i128::from(it.bits));
                        any.within(Interval::new(0, bits))
                    }
                    // At least one part: a vector has lanes.
                    (Intrinsic::VScale, _) => any.within(Interval::new(1, i64::MAX.into())),
                    (it, _) if it.is_scope_index() => any.within(self.of_scope_index(it, expr)),
                    _ => any,
                }
            }
            _ => any,
        }
    }

    /// The range of the index of a thread, a warp, a block …: below the extent of its scope, if that is a constant
    /// (SEMANTICS: P10).
    fn of_scope_index(&self, it: Intrinsic, expr: ExprId) -> Interval {
        let body = self.body();
        let axis = body.scope_axis(expr).map_or(0, |it| it.0);
        let extents = body.operands_of(expr, it).and_then(|it| it.first());
        let extent = extents.and_then(|&it| match body.expr(it).kind {
            ExprKind::Tuple(items) => body.items(items).get(axis).copied(),
            ExprKind::Opaque { .. } => None,
            _ => Some(it),
        });
        let extent = match extent.map(|it| body.expr(it).kind) {
            Some(ExprKind::Int(extent)) => Some(i128::from(extent)),
            Some(_) => None,
            None => match it {
                Intrinsic::LaneId => Some(32),
                Intrinsic::WarpIdInGroup => Some(4),
                Intrinsic::ThreadIdInGroup => Some(128),
                Intrinsic::CtaIdInPair => Some(2),
                _ => None,
            },
        };
        extent.filter(|it| *it > 0).map_or(Interval::NON_NEGATIVE, |it| Interval::new(0, it - 1))
    }

    fn of_bound(
        &mut self,
        overflow: Overflow,
        ctx: ContextId,
        index: u32,
        dtype: DataType,
    ) -> Option<Facts> {
        let (around, value) = self.contexts.binder_of(ctx, index)?;
        let value = value.filter(|it| self.body().dtype(*it) == Some(dtype))?;
        let facts = self.facts(overflow, around, value);
        facts.interval.is_within(Interval::of_type(dtype)).then_some(facts)
    }

    fn of_choice(
        &mut self,
        overflow: Overflow,
        ctx: ContextId,
        cond: ExprId,
        a: ExprId,
        b: ExprId,
        any: Facts,
    ) -> Facts {
        if self.bounds.choices == MOST_CHOICES || self.bounds.looks >= MOST_LOOKS {
            self.bounds.is_cut = true;
            self.bounds.looks += 1;
            return any;
        }
        self.bounds.choices += 1;
        self.bounds.looks += 1;
        let facts = match self.decide_with(overflow, ctx, cond) {
            Some(true) => self.facts(overflow, ctx, a),
            Some(false) => self.facts(overflow, ctx, b),
            None => self.of_either(overflow, ctx, cond, a, b, any),
        };
        self.bounds.choices -= 1;
        if self.bounds.choices == 0 {
            self.bounds.end_question();
        }
        facts
    }

    fn of_either(
        &mut self,
        overflow: Overflow,
        ctx: ContextId,
        cond: ExprId,
        a: ExprId,
        b: ExprId,
        any: Facts,
    ) -> Facts {
        let arms = self.contexts.arms_around(ctx) + 1;
        if arms > MOST_ARMS || !self.body().dtype(cond).is_some_and(DataType::is_scalar) {
            return any;
        }
        // The value is that of the arm chosen, and the arm chosen has the condition, whether or not the other is
        // evaluated.
        let arm = |it: &mut Self, value, holds| {
            let inner = it.contexts.assume_in_arms(&mut it.nodes, ctx, cond, holds, arms);
            if it.state(overflow, inner).contradiction {
                return Facts::of_interval(Interval::EMPTY);
            }
            it.facts(overflow, inner, value)
        };
        let (a, b) = (arm(self, a, true), arm(self, b, false));
        let hull = a.hull(b);
        if hull.interval.is_empty() { any } else { hull }
    }

    fn of_cast(
        &mut self,
        overflow: Overflow,
        ctx: ContextId,
        operand: ExprId,
        dtype: DataType,
    ) -> Facts {
        let range = Interval::of_type(dtype);
        if let Some(number) = self.asserted_number(operand).filter(|_| !dtype.is_bool()) {
            return converted(number, dtype).sharpened();
        }
        let Some(from) = self.body().dtype(operand).filter(|it| is_integral(*it)) else {
            let converted = match dtype.is_bool() {
                true => self.float_truth(ctx, operand),
                false => self.float_cast(ctx, operand),
            };
            return Facts::of_interval(converted.intersect(range)).or(range);
        };
        let facts = self.facts(overflow, ctx, operand);
        if dtype.is_bool() {
            return match facts.interval {
                it if it.is_non_zero() => Facts::of_interval(Interval::constant(1)),
                it if it.as_constant() == Some(0) => Facts::of_interval(it),
                _ => Facts::of_interval(range),
            };
        }
        if facts.interval.is_within(range) {
            return facts;
        }
        // A narrow sum that is not cut yet is converted as it is, or cut first: what is left holds of both.
        let bits = u32::from(dtype.bits).min(u32::from(from.bits.max(1)));
        Facts { interval: range, modular: facts.modular.wrapped(bits) }
    }

    /// The facts of a captured number that Python has checked (`SEMANTICS: G7`).
    fn asserted_number(&self, operand: ExprId) -> Option<ir::asserted::Number> {
        let body = self.body();
        match body.expr(operand).kind {
            ExprKind::Value(value) => body.asserted.number(value),
            _ => None,
        }
    }

    /// The bounds of the integer that a float converts to, where it is a converted integer or a constant itself.
    fn float_cast(&mut self, ctx: ContextId, operand: ExprId) -> Interval {
        match self.float_range(ctx, operand) {
            Some((min, max)) => Interval::new(min.trunc() as i128, max.trunc() as i128),
            None => Interval::EVERYTHING,
        }
    }

    /// The bounds of the bool that a float converts to: it is true unless the float is 0 (`SEMANTICS: C6`).
    fn float_truth(&mut self, ctx: ContextId, operand: ExprId) -> Interval {
        match self.float_range(ctx, operand) {
            Some((min, max)) if min > 0.0 || max < 0.0 => Interval::constant(1),
            Some((0.0, 0.0)) => Interval::constant(0),
            _ => Interval::EVERYTHING,
        }
    }

    /// The least and greatest value of a float node that is never NaN, and whose bounds are shown. No float remembers
    /// that it came from an overflow, so none is excluded.
    pub(crate) fn float_range(&mut self, ctx: ContextId, expr: ExprId) -> Option<(f64, f64)> {
        let dtype = self.body().dtype(expr)?;
        if !matches!(dtype.code, ir::TypeCode::Float) {
            return None;
        }
        // A narrow constant that was rounded when it was read may be another value elsewhere.
        let is_exact =
            |bits: u64| self.body().float_spelling(expr).is_some_and(|it| it.to_bits() == bits);
        // Conversion to a narrower format may round up to infinity; float32 and float64 hold every 64-bit integer.
        if dtype.bits < 32
            && !matches!(self.body().expr(expr).kind, ExprKind::Float(it) if is_exact(it))
        {
            return None;
        }
        match self.body().expr(expr).kind {
            ExprKind::Float(bits) => {
                let value = f64::from_bits(bits);
                value.is_finite().then_some((value, value))
            }
            ExprKind::Cast(operand) => {
                self.body().dtype(operand).filter(|it| is_integral(*it))?;
                let interval = self.facts(Overflow::Wraps, ctx, operand).interval;
                if interval.min == Interval::NEG_INF || interval.max == Interval::POS_INF {
                    return None;
                }
                // Rounding to the nearest is monotone, so the ends are the images of the ends.
                Some((
                    dtype.round_float(interval.min as f64),
                    dtype.round_float(interval.max as f64),
                ))
            }
            ExprKind::Broadcast { value, .. } => self.float_range(ctx, value),
            ExprKind::Call { callee: Callee::Intrinsic(_, it), args, .. } => {
                let &[operand] = self.body().items(args) else { return None };
                if it == Intrinsic::Log2 {
                    return self.logarithms(ctx, operand, dtype);
                }
                let round: fn(f64) -> f64 = match it {
                    Intrinsic::Floor => f64::floor,
                    Intrinsic::Ceil => f64::ceil,
                    Intrinsic::Trunc => f64::trunc,
                    _ => return None,
                };
                let (min, max) = self.float_range(ctx, operand)?;
                Some((round(min), round(max)))
            }
            _ => None,
        }
    }

    /// The least and greatest logarithm of float64: exact of a power of two, of others further out than any target's
    /// error (`SEMANTICS: F11`).
    fn logarithms(
        &mut self,
        ctx: ContextId,
        operand: ExprId,
        dtype: DataType,
    ) -> Option<(f64, f64)> {
        if dtype.bits != 64 || self.body().dtype(operand) != Some(dtype) {
            return None;
        }
        let (min, max) = self.float_range(ctx, operand).filter(|it| it.0 >= 1.0)?;
        let end = |value: f64, outwards: f64| {
            // A power of two has no digits behind the first.
            let is_power = value.to_bits() << 12 == 0;
            let exponent = (value.to_bits() >> 52) as f64 - 1023.0;
            if is_power { exponent } else { value.log2() + outwards }
        };
        Some((end(min, -LOGARITHM_ERROR), end(max, LOGARITHM_ERROR)))
    }

    fn of_ramp(
        &mut self,
        overflow: Overflow,
        ctx: ContextId,
        base: ExprId,
        stride: ExprId,
        lanes: ExprId,
        dtype: DataType,
    ) -> Facts {
        let (base, stride) = (self.facts(overflow, ctx, base), self.facts(overflow, ctx, stride));
        let last = match self.body().expr(lanes).kind {
            ExprKind::Int(lanes) if lanes > 0 => Interval::new(0, i128::from(lanes) - 1),
            _ => Interval::NON_NEGATIVE,
        };
        let exact = Facts {
            interval: base.interval.plus(stride.interval.times(last)),
            modular: base.modular.plus(stride.modular.times(Modular::EVERYTHING)),
        };
        exact.cut(overflow, dtype)
    }

    /// Returns true if a sum or product is shown not to leave the range of its type, or if the reading excludes
    /// overflow.
    pub(crate) fn is_exact(&mut self, overflow: Overflow, ctx: ContextId, expr: ExprId) -> bool {
        let node = self.body().expr(expr);
        let (ExprKind::Binary(op, a, b), Some(dtype)) = (node.kind, self.body().dtype(expr)) else {
            return false;
        };
        is_integral(dtype)
            && (excludes_overflow(overflow, dtype) && op != BinaryOp::Shl
                || self
                    .exact(overflow, ctx, op, a, b)
                    .is_some_and(|it| it.interval.is_within(Interval::of_type(dtype))))
    }

    /// `a op b` as a mathematical integer, for sums, products and shifts to the left.
    pub(crate) fn exact(
        &mut self,
        overflow: Overflow,
        ctx: ContextId,
        op: BinaryOp,
        a: ExprId,
        b: ExprId,
    ) -> Option<Facts> {
        let (x, y) = (self.facts(overflow, ctx, a), self.facts(overflow, ctx, b));
        let mut facts = match op {
            BinaryOp::Add => {
                Facts { interval: x.interval.plus(y.interval), modular: x.modular.plus(y.modular) }
            }
            BinaryOp::Sub => Facts {
                interval: x.interval.minus(y.interval),
                modular: x.modular.minus(y.modular),
            },
            BinaryOp::Mul if a == b && self.nodes.summary(a).is_stable => Facts {
                interval: x.interval.times(y.interval).intersect(Interval::NON_NEGATIVE),
                modular: x.modular.times(y.modular),
            },
            BinaryOp::Mul => Facts {
                interval: x.interval.times(y.interval),
                modular: x.modular.times(y.modular),
            },
            BinaryOp::Shl => {
                let bits = self.body().dtype(a).map_or(0, |it| i128::from(it.bits));
                if !y.interval.is_within(Interval::new(0, bits - 1)) {
                    return None;
                }
                let modular = match y.interval.as_constant() {
                    Some(amount) => x.modular.scale(1 << amount),
                    None => x.modular.times(Modular::new(1 << y.interval.min, 0)),
                };
                Facts { interval: x.interval.shifted_left(y.interval), modular }
            }
            _ => return None,
        };
        // What cancels, cancels only in the form of the whole.
        if !self.shares_nothing(op, a, b)
            && let Some(form) = self.sum_form(overflow, ctx, op, a, b)
        {
            facts.interval = facts.interval.intersect(self.interval_of(overflow, ctx, &form));
            let modular = self.modular_of(overflow, ctx, &form);
            facts.modular = facts.modular.intersect(modular).unwrap_or(facts.modular);
        }
        Some(facts)
    }

    /// Returns true if the operands have no atom in common and no atom is made of both, so that the form of the whole
    /// says no more than the facts of the operands, which include their own forms. O(variables).
    fn shares_nothing(&mut self, op: BinaryOp, a: ExprId, b: ExprId) -> bool {
        let is_apart = match (op, self.nodes.is_int(a), self.nodes.is_int(b)) {
            (BinaryOp::Add | BinaryOp::Sub, false, false) => {
                self.nodes.has_no_common_variable(a, b)
            }
            (BinaryOp::Shl, _, by_constant) => by_constant,
            (_, x, y) => x || y,
        };
        // Of one that is written in several ways the representative may say more.
        is_apart
            && [a, b]
                .into_iter()
                .all(|it| self.nodes.is_int(it) || self.nodes.representative(it) == it)
    }

    fn of_binary(
        &mut self,
        overflow: Overflow,
        ctx: ContextId,
        expr: ExprId,
        op: BinaryOp,
        a: ExprId,
        b: ExprId,
        dtype: DataType,
    ) -> Facts {
        let range = Interval::of_type(dtype);
        if op.is_comparison() || op.is_logical() {
            let truth = self.truth(overflow, ctx, expr, op, a, b);
            return Facts::of_interval(truth.map_or(range, |it| Interval::constant(it.into())));
        }
        if dtype.is_bool() {
            // Arithmetic on truth values differs between back ends (I13); logic does not (I10).
            return match op {
                BinaryOp::BitAnd
                | BinaryOp::BitOr
                | BinaryOp::BitXor
                | BinaryOp::Min
                | BinaryOp::Max => {
                    let (x, y) = (self.facts(overflow, ctx, a), self.facts(overflow, ctx, b));
                    within_range(op, x, y, range)
                }
                _ => Facts::of_interval(range),
            };
        }
        match op {
            BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul => {
                let exact = self.exact(overflow, ctx, op, a, b).unwrap_or(Facts::NONE);
                exact.cut(overflow, dtype)
            }
            BinaryOp::Shl => match self.exact(overflow, ctx, op, a, b) {
                // High bits are dropped without an event (I9), so there is nothing to exclude.
                Some(exact) => exact.cut(Overflow::Wraps, dtype),
                None => Facts::of_interval(range),
            },
            _ => {
                let (x, y) = (self.facts(overflow, ctx, a), self.facts(overflow, ctx, b));
                let mut facts = within_range(op, x, y, range);
                if op.is_division() && self.nodes.is_one_value(a, b) {
                    // Where it has a value, the divisor is not 0.
                    let quotient = matches!(op, BinaryOp::Div | BinaryOp::FloorDiv);
                    return Facts::of_interval(Interval::constant(quotient.into()));
                }
                let is_cut = x.interval.is_within(range) && y.interval.is_within(range);
                if matches!(op, BinaryOp::Shr | BinaryOp::BitAnd)
                    && is_cut
                    && let Some(it) = self.division(overflow, ctx, expr)
                {
                    let divisor = Facts::of_interval(Interval::constant(it.divisor));
                    let op = if it.is_quotient { BinaryOp::FloorDiv } else { BinaryOp::FloorMod };
                    let other = without_wrapping(op, x, divisor, range);
                    facts.interval = facts.interval.intersect(other.interval);
                    facts.modular = other.modular;
                }
                facts
            }
        }
    }

    /// Returns the facts about an atom.
    pub(crate) fn facts_of_atom(
        &mut self,
        overflow: Overflow,
        ctx: ContextId,
        atom: Atom,
    ) -> Facts {
        let made = match atom.kind() {
            AtomKind::Node(expr) => return self.facts(overflow, ctx, expr),
            AtomKind::Made(made) => made,
        };
        let ctx = self.relevant_to(overflow, ctx, self.atoms.variables(made));
        if let Some(&known) = self.bounds.of_atoms[overflow as usize].get(made as usize, ctx) {
            return known;
        }
        let place = self.bounds.of_atoms[overflow as usize].insert(made as usize, ctx, Facts::NONE);
        let was_cut = std::mem::take(&mut self.bounds.is_cut);
        let own = ir::stack::with_room(|| match self.atoms.get(made).clone() {
            Made::Product(factors) => self.facts_of_product(overflow, ctx, &factors),
            Made::Quotient(it) => self.facts_of_quotient(overflow, ctx, &it.dividend, &it.divisor),
        });
        let facts = self.with_recorded(overflow, ctx, atom, own).sharpened();
        // Nothing is possible here: say nothing.
        let facts = if facts.interval.is_empty() { Facts::NONE } else { facts };
        let at = Provisional { is_of_atom: true, overflow, subject: made as usize, ctx, place };
        self.bounds.keep(at, facts);
        self.bounds.is_cut = was_cut || (self.bounds.is_cut && self.bounds.choices > 0);
        facts
    }

    fn facts_of_product(&mut self, overflow: Overflow, ctx: ContextId, factors: &[Atom]) -> Facts {
        let mut facts = Facts::of_interval(Interval::constant(1));
        facts.modular = Modular::constant(1);
        let mut rest = factors;
        while let [first, others @ ..] = rest {
            let once = self.facts_of_atom(overflow, ctx, *first);
            let (mut power, mut left) = (once, others);
            if others.first() == Some(first) {
                // A square is not negative.
                power.interval = once.interval.times(once.interval);
                power.interval = power.interval.intersect(Interval::NON_NEGATIVE);
                power.modular = once.modular.times(once.modular);
                left = &others[1..];
            }
            facts.interval = facts.interval.times(power.interval);
            facts.modular = facts.modular.times(power.modular);
            rest = left;
        }
        facts
    }

    fn facts_of_quotient(
        &mut self,
        overflow: Overflow,
        ctx: ContextId,
        dividend: &Linear,
        divisor: &Linear,
    ) -> Facts {
        let whole = self.interval_of(overflow, ctx, dividend);
        let by = self.interval_of(overflow, ctx, divisor);
        if let Some(value) = by.as_constant().filter(|it| *it > 0) {
            let modular = self.modular_of(overflow, ctx, dividend).floor_div(value);
            return Facts { interval: whole.floor_div(by), modular };
        }
        let mut interval = whole.floor_div(by);
        // Less than one divisor: bounds do not tell, but inequalities of the two may.
        if by.min > 0
            && interval.min >= 0
            && interval.max > 0
            && let Some(gap) = divisor.minus(dividend).and_then(|it| it.plus(-1))
            && self.is_non_negative(overflow, ctx, &gap)
        {
            interval = Interval::constant(0);
        }
        Facts::of_interval(interval)
    }

    /// Facts of an atom, and of the constraints on it.
    fn with_recorded(
        &mut self,
        overflow: Overflow,
        ctx: ContextId,
        atom: Atom,
        facts: Facts,
    ) -> Facts {
        let state = self.state(overflow, ctx);
        self.states.with_recorded(self.nodes.body(), state, atom, facts)
    }
}

/// The facts about a captured number that is converted to an integer type. A number of Python has its value in each
/// type that it gets, or there is no function; one of TVM has at most 64 bits, and is cut to fewer.
fn converted(number: ir::asserted::Number, dtype: DataType) -> Facts {
    let range = Interval::of_type(dtype);
    let interval = Interval::new(
        number.min.map_or(Interval::EVERYTHING.min, i128::from),
        number.max.map_or(Interval::EVERYTHING.max, i128::from),
    );
    let modular = Modular::new(number.divisor.into(), number.remainder.into());
    match number.is_int || dtype.is_int() && dtype.bits == 64 || interval.is_within(range) {
        true => Facts { interval: interval.intersect(range), modular },
        false => Facts { interval: range, modular: modular.wrapped(dtype.bits.into()) },
    }
}

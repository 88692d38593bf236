//! Bounds and congruences of nodes.
//!
//! In: a node, a context. Out: [`Facts`]: what every operand can be, through the operator, cut to what the type can hold
//! (`SEMANTICS: I1`–`I3`, `C4`, `C5`), met with what constraints say of the node, each half made sharper by the other.
//!
//! A sum that may leave its range is: any value of the type (int32 and wider, signed or not, which wrap in the reference
//! and err elsewhere); any value of the type or of the sum (narrower, which C computes in `int` and cuts later, `I3`).

use ir::{BinaryOp, Callee, DataType, ExprId, ExprKind, Intrinsic, UnaryOp, ValueId, arena::Id};

use crate::{
    Analyzer, Interval, Modular,
    analyzer::{Facts, Overflow},
    context::{Constraint, ContextId},
    interval::floor_mod,
    linear::{constant_value, is_integral},
};

/// Nested conditional expressions of which both arms are looked at; further ones are any value.
const MOST_ARMS: u8 = 4;

/// Nested conditional expressions whose arms are looked at for the value of one; further ones are any value.
const MOST_CHOICES: u32 = 8;

impl Facts {
    /// Nothing is known.
    pub const NONE: Facts = Facts { interval: Interval::EVERYTHING, modular: Modular::EVERYTHING };

    fn of_constant(value: i128) -> Facts {
        Facts { interval: Interval::constant(value), modular: Modular::constant(value) }
    }
    pub(crate) fn of_interval(interval: Interval) -> Facts {
        Facts { interval, modular: Modular::EVERYTHING }
    }
    fn hull(self, other: Facts) -> Facts {
        if self.interval.is_empty() {
            return other;
        }
        if other.interval.is_empty() {
            return self;
        }
        Facts {
            interval: self.interval.hull(other.interval),
            modular: self.modular.hull(other.modular),
        }
    }
    /// Moves the ends of the interval to members of the congruence; takes a single value as both.
    pub(crate) fn sharpened(self) -> Facts {
        let Facts { interval, modular } = self;
        if interval.is_empty() {
            return self;
        }
        if let Some(value) = interval.as_constant() {
            return Facts { interval, modular: Modular::constant(value) };
        }
        if let Some(value) = modular.as_constant() {
            return Facts { interval: interval.intersect(Interval::constant(value)), modular };
        }
        if modular.is_everything() {
            return self;
        }
        let (mut min, mut max) = (interval.min, interval.max);
        if min != Interval::NEG_INF {
            min = min.saturating_add(floor_mod(modular.base.saturating_sub(min), modular.coeff));
        }
        if max != Interval::POS_INF {
            max = max.saturating_sub(floor_mod(max.saturating_sub(modular.base), modular.coeff));
        }
        Facts { interval: Interval::new(min, max), modular }
    }
}

impl Analyzer<'_> {
    /// What is known of a node.
    pub(crate) fn facts(&mut self, overflow: Overflow, ctx: ContextId, expr: ExprId) -> Facts {
        let node = self.body.expr(expr);
        let Some(dtype) = node.ty.prim().filter(|it| is_integral(*it)) else {
            return Facts::NONE;
        };
        match node.kind {
            ExprKind::Int(value) => return Facts::of_constant(constant_value(dtype, value)),
            ExprKind::Value(value) if self.definition(value).is_none() => {
                return self.facts_of_variable(overflow, ctx, expr, value, dtype);
            }
            _ => {}
        }
        let ctx = self.relevant(overflow, ctx, expr);
        if let Some(&known) = self.facts_memo[overflow as usize].get(expr.index(), ctx) {
            return known;
        }
        // Should a recorded inequality lead back here, what the type says is an answer.
        let any = Facts::of_interval(Interval::of_type(dtype));
        let place = self.facts_memo[overflow as usize].insert(expr.index(), ctx, any);
        let was_cut = std::mem::take(&mut self.is_cut);
        ir::interrupt::check();
        let facts = stacker::maybe_grow(64 * 1024, 1024 * 1024, || {
            self.work_out(overflow, ctx, expr, dtype)
        });
        if self.is_cut && self.choices > 0 {
            // Asked for by itself, there is more to see.
            self.facts_memo[overflow as usize].forget(expr.index(), ctx, place);
        } else {
            self.facts_memo[overflow as usize].set(place, facts);
        }
        self.is_cut = was_cut || (self.is_cut && self.choices > 0);
        facts
    }

    /// What is known of a variable that is bound to nothing: what its type and the constraints say, in the context asked
    /// about last or read off again.
    fn facts_of_variable(
        &mut self,
        overflow: Overflow,
        ctx: ContextId,
        expr: ExprId,
        variable: ValueId,
        dtype: DataType,
    ) -> Facts {
        let asked = &self.variables[overflow as usize];
        match asked.get(variable.index()) {
            Some(&(asked, facts)) if asked == ctx => return facts,
            _ => {}
        }
        let mut facts = self.of_unbound(variable, dtype);
        if self.summary(expr).is_stable {
            let atom = self.atom(expr);
            facts = self.with_recorded(overflow, ctx, atom, facts).sharpened();
            if facts.interval.is_empty() {
                facts = Facts::of_interval(Interval::of_type(dtype));
            }
        }
        let n_values = self.body.values.len();
        let asked = &mut self.variables[overflow as usize];
        asked.resize(n_values, (ContextId::NOWHERE, Facts::NONE));
        asked[variable.index()] = (ctx, facts);
        facts
    }

    fn of_unbound(&self, variable: ValueId, dtype: DataType) -> Facts {
        let any = Facts::of_interval(Interval::of_type(dtype));
        if self.body.values[variable].is_size { any.within(Interval::NON_NEGATIVE) } else { any }
    }

    fn work_out(
        &mut self,
        overflow: Overflow,
        ctx: ContextId,
        expr: ExprId,
        dtype: DataType,
    ) -> Facts {
        self.work.nodes += 1;
        if dtype.is_bool() && self.seen(ctx, expr) == (true, true) {
            return Facts::of_interval(Interval::of_type(dtype));
        }
        if dtype.is_bool()
            && self.summary(expr).is_stable
            && let Some(truth) = self.known_truth(overflow, ctx, expr)
        {
            return Facts::of_interval(Interval::constant(truth)).sharpened();
        }
        let own = self.of_node(overflow, ctx, expr, dtype);
        let mut facts = own;
        if self.summary(expr).is_stable {
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

    /// What a constraint says of a condition, in whatever spelling: nothing else need be asked.
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
        let kind = self.body.expr(expr).kind;
        match kind {
            ExprKind::Value(value) => {
                let mut facts = self.of_unbound(value, dtype);
                if let Some(definition) = self.definition(value)
                    && self.body.dtype(definition) == Some(dtype)
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
                let items: Vec<ExprId> = self.body.items(vectors).to_vec();
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
                match (it, self.body.items(args)) {
                    (Intrinsic::Likely, &[operand]) => self.facts(overflow, ctx, operand),
                    (Intrinsic::LeadingZeros | Intrinsic::PopCount, &[operand]) => {
                        let bits = self.body.dtype(operand).map_or(64, |it| i128::from(it.bits));
                        any.within(Interval::new(0, bits))
                    }
                    _ => any,
                }
            }
            _ => any,
        }
    }

    /// The context of the body of a `Let` of this value, for a walk over the expression.
    pub(crate) fn inside(&mut self, ctx: ContextId, value: ExprId) -> ContextId {
        let arms = self.contexts.get(ctx).arms;
        self.contexts.push(ctx, Constraint::Binder { value: Some(value) }, arms)
    }

    fn of_bound(
        &mut self,
        overflow: Overflow,
        ctx: ContextId,
        index: u32,
        dtype: DataType,
    ) -> Option<Facts> {
        let (around, value) = self.binder_of(ctx, index)?;
        let value = value.filter(|it| self.body.dtype(*it) == Some(dtype))?;
        let facts = self.facts(overflow, around, value);
        facts.interval.is_within(Interval::of_type(dtype)).then_some(facts)
    }

    /// The context around the binder of a bound variable, and its value.
    pub(crate) fn binder_of(
        &self,
        ctx: ContextId,
        index: u32,
    ) -> Option<(ContextId, Option<ExprId>)> {
        let mut binder = self.contexts.get(ctx).binder?;
        for _ in 0..index {
            binder = self.contexts.get(self.contexts.get(binder).parent).binder?;
        }
        match self.constraint(binder) {
            Constraint::Binder { value } => Some((self.contexts.get(binder).parent, value)),
            _ => None,
        }
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
        if self.choices == MOST_CHOICES {
            self.is_cut = true;
            return any;
        }
        self.choices += 1;
        let facts = match self.decide_with(overflow, ctx, cond) {
            Some(true) => self.facts(overflow, ctx, a),
            Some(false) => self.facts(overflow, ctx, b),
            None => self.of_either(overflow, ctx, cond, a, b, any),
        };
        self.choices -= 1;
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
        let arms = self.contexts.get(ctx).arms + 1;
        if arms > MOST_ARMS || !self.body.dtype(cond).is_some_and(DataType::is_scalar) {
            return any;
        }
        // The value is that of the arm chosen, and the arm chosen has the condition, whether or not the other is evaluated.
        let arm = |it: &mut Self, value, holds| {
            let inner = it.assume_in(ctx, cond, holds, arms);
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
        let Some(from) = self.body.dtype(operand).filter(|it| is_integral(*it)) else {
            return Facts::of_interval(self.float_cast(ctx, operand).intersect(range)).or(range);
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

    /// The bounds of the integer that a float converts to, where it is a converted integer or a constant itself.
    fn float_cast(&mut self, ctx: ContextId, operand: ExprId) -> Interval {
        match self.float_range(ctx, operand) {
            Some((min, max)) => Interval::new(min.trunc() as i128, max.trunc() as i128),
            None => Interval::EVERYTHING,
        }
    }

    /// The least and greatest value of a float node that is never NaN, and whose bounds are shown. No float remembers that it
    /// came from an overflow, so none is excluded.
    pub(crate) fn float_range(&mut self, ctx: ContextId, expr: ExprId) -> Option<(f64, f64)> {
        let dtype = self.body.dtype(expr)?;
        // Conversion to a narrower format may round up to infinity; float32 and float64 hold every 64-bit integer.
        if !matches!(dtype.code, ir::TypeCode::Float) || dtype.bits < 32 {
            return None;
        }
        match self.body.expr(expr).kind {
            ExprKind::Float(bits) => {
                let value = f64::from_bits(bits);
                value.is_finite().then_some((value, value))
            }
            ExprKind::Cast(operand) => {
                self.body.dtype(operand).filter(|it| is_integral(*it))?;
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
                let &[operand] = self.body.items(args) else { return None };
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
        let last = match self.body.expr(lanes).kind {
            ExprKind::Int(lanes) if lanes > 0 => Interval::new(0, i128::from(lanes) - 1),
            _ => Interval::NON_NEGATIVE,
        };
        let exact = Facts {
            interval: base.interval.plus(stride.interval.times(last)),
            modular: base.modular.plus(stride.modular.times(Modular::EVERYTHING)),
        };
        exact.cut(overflow, dtype)
    }

    /// Whether a sum or product is shown not to leave the range of its type, or the reading says so.
    pub(crate) fn is_exact(&mut self, overflow: Overflow, ctx: ContextId, expr: ExprId) -> bool {
        let node = self.body.expr(expr);
        let (ExprKind::Binary(op, a, b), Some(dtype)) = (node.kind, self.body.dtype(expr)) else {
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
            BinaryOp::Mul if a == b && self.summary(a).is_stable => Facts {
                interval: x.interval.times(y.interval).intersect(Interval::NON_NEGATIVE),
                modular: x.modular.times(y.modular),
            },
            BinaryOp::Mul => Facts {
                interval: x.interval.times(y.interval),
                modular: x.modular.times(y.modular),
            },
            BinaryOp::Shl => {
                let bits = self.body.dtype(a).map_or(0, |it| i128::from(it.bits));
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

    /// Whether no atom is in both operands and none is made of both, so that the form of the whole says no more than the facts of the
    /// operands, which their own forms are part of. O(variables).
    fn shares_nothing(&mut self, op: BinaryOp, a: ExprId, b: ExprId) -> bool {
        let is_apart = match (op, self.is_int(a), self.is_int(b)) {
            (BinaryOp::Add | BinaryOp::Sub, false, false) => self.has_no_common_variable(a, b),
            (BinaryOp::Shl, _, by_constant) => by_constant,
            (_, x, y) => x || y,
        };
        // Of one that is written in several ways the representative may say more.
        is_apart && [a, b].into_iter().all(|it| self.is_int(it) || self.representative(it) == it)
    }

    fn is_int(&self, expr: ExprId) -> bool {
        matches!(self.body.expr(expr).kind, ExprKind::Int(_))
    }

    /// Whether no variable is in both. Not of calls, which may be the same without one.
    fn has_no_common_variable(&mut self, a: ExprId, b: ExprId) -> bool {
        let [x, y] = [a, b].map(|it| self.summary(it).variables);
        let (Some(x), Some(y)) = (self.summaries.variables(x), self.summaries.variables(y)) else {
            return false;
        };
        !self.body.expr(a).flags.has_call && x.iter().all(|it| !y.contains(it))
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
                if op.is_division() && self.is_one_value(a, b) {
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

    /// Whether two wide integers are the same, however they are written.
    fn is_one_value(&mut self, a: ExprId, b: ExprId) -> bool {
        let is_wide = self.body.dtype(a).is_some_and(|it| it.bits >= 32);
        is_wide && self.summary(a).is_stable && self.representative(a) == self.representative(b)
    }
}

/// Whether overflow of this type may be excluded at all: signed, of at least 32 bits (`SEMANTICS: I1`–`I3`).
pub(crate) fn excludes_overflow(overflow: Overflow, dtype: DataType) -> bool {
    overflow == Overflow::Excluded && dtype.is_int() && dtype.bits >= 32
}

impl Facts {
    fn within(self, range: Interval) -> Facts {
        Facts { interval: self.interval.intersect(range), ..self }
    }
    /// Itself, or all of `range` if it is empty.
    fn or(self, range: Interval) -> Facts {
        if self.interval.is_empty() { Facts::of_interval(range) } else { self }
    }
    /// What is left of the facts of a mathematical integer when a type holds it.
    fn cut(self, overflow: Overflow, dtype: DataType) -> Facts {
        let range = Interval::of_type(dtype);
        if self.interval.is_within(range) {
            return self;
        }
        if excludes_overflow(overflow, dtype) {
            return self.within(range).or(range);
        }
        let wrapped = self.modular.wrapped(u32::from(dtype.bits));
        let interval = if dtype.bits < 32 { range.hull(self.interval) } else { range };
        Facts { interval, modular: wrapped }
    }
}

/// `not a`, `~a`.
fn complement(op: UnaryOp, a: Facts, dtype: DataType) -> Facts {
    let range = Interval::of_type(dtype);
    let from = |ones: i128| Facts {
        interval: Interval::constant(ones).minus(a.interval),
        modular: Modular::constant(ones).minus(a.modular),
    };
    match op {
        UnaryOp::Not => from(1).within(range),
        UnaryOp::BitNot if dtype.is_bool() => from(1).within(range),
        UnaryOp::BitNot if dtype.is_int() => from(-1),
        // All ones: as many as the type has, or, not yet cut, as `int` has (I3).
        UnaryOp::BitNot if dtype.bits < 32 => from(range.max).hull(from(-1)),
        UnaryOp::BitNot => from(range.max).within(range),
    }
}

/// Operators whose result is in range if the operands are. An operand that is not is a narrow sum that is not cut yet
/// (`SEMANTICS: I3`), and so is the result.
fn within_range(op: BinaryOp, x: Facts, y: Facts, range: Interval) -> Facts {
    let facts = without_wrapping(op, x, y, range);
    let is_cut = x.interval.is_within(range) && y.interval.is_within(range);
    let facts = if is_cut {
        facts.within(range)
    } else {
        Facts { interval: facts.interval.hull(range), ..facts }
    };
    facts.or(range)
}

fn without_wrapping(op: BinaryOp, x: Facts, y: Facts, range: Interval) -> Facts {
    let (a, b) = (x.interval, y.interval);
    let divisor = b.as_constant().filter(|it| *it > 0);
    match op {
        BinaryOp::Div => {
            let interval = a.trunc_div(b);
            match divisor {
                // It rounds as floor division where nothing is negative.
                Some(divisor) if a.min >= 0 => {
                    Facts { interval, modular: x.modular.floor_div(divisor) }
                }
                _ => Facts::of_interval(interval),
            }
        }
        BinaryOp::FloorDiv => Facts {
            interval: a.floor_div(b),
            modular: divisor.map_or(Modular::EVERYTHING, |it| x.modular.floor_div(it)),
        },
        BinaryOp::Mod => {
            // The remainder is congruent to the dividend by every divisor of the divisor.
            let step = match y.modular.as_constant() {
                Some(value) => value,
                None if y.modular.base == 0 => y.modular.coeff,
                None => 1,
            };
            let modular = x.modular.plus(Modular::new(step, 0));
            Facts { interval: a.trunc_mod(b), modular }
        }
        BinaryOp::FloorMod => Facts {
            interval: a.floor_mod(b),
            modular: match divisor {
                Some(divisor) => x.modular.floor_mod(divisor),
                None => x
                    .modular
                    .plus(Modular::new(if y.modular.base == 0 { y.modular.coeff } else { 1 }, 0)),
            },
        },
        BinaryOp::Min | BinaryOp::Max => {
            let (interval, first) = if op == BinaryOp::Min {
                (a.min_of(b), a.max <= b.min)
            } else {
                (a.max_of(b), a.min >= b.max)
            };
            let second = if op == BinaryOp::Min { b.max <= a.min } else { b.min >= a.max };
            let modular = match (first, second) {
                (true, _) => x.modular,
                (_, true) => y.modular,
                _ => x.modular.hull(y.modular),
            };
            Facts { interval, modular }
        }
        BinaryOp::BitAnd => Facts::of_interval(a.bit_and(b)),
        BinaryOp::BitOr => Facts::of_interval(a.bit_or(b)),
        BinaryOp::BitXor => Facts::of_interval(a.bit_xor(b)),
        BinaryOp::Shr => shift_right(a, b, range),
        _ => Facts::NONE,
    }
}

/// A shift by an amount that may be out of range shifts by some amount in range (`SEMANTICS: I8`).
fn shift_right(a: Interval, amount: Interval, range: Interval) -> Facts {
    let width = i128::from(128 - (range.max as u128).leading_zeros()) + i128::from(range.min < 0);
    let legal = Interval::new(0, width - 1);
    let amount = if amount.is_within(legal) { amount } else { legal };
    Facts::of_interval(a.shifted_right(amount))
}

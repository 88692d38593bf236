//! What may be computed early: traps, bounds of accesses, overflow.
//!
//! The context is that of the place where the expression *would be* computed. Guards of the place where the source has it
//! count for nothing unless they are in the context too. All answers are for the wrapping reading (crate README): a
//! division by `n * m` is not safe because `n` and `m` are positive, as their product may wrap to 0.

use ir::{
    BinaryOp, BufferId, BufferOrigin, DataType, ExprId, ExprKind,
    arena::Id,
    effects::{Trap, TrapKind},
};

use crate::{Analyzer, Interval, analyzer::Overflow, context::ContextId, linear::is_integral};

const WRAPS: Overflow = Overflow::Wraps;

/// Nested conditional expressions whose arms are looked at under their conditions; further ones may do anything.
const MOST_ARMS: u8 = 12;

/// Nested `min`, `max` and `%` that are looked through for the bound of an index.
const MOST_FORMS: u8 = 4;

/// What of an expression must not overflow.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Part {
    /// Every sum that it evaluates.
    Tree,
    /// Every sum that its value is computed from.
    Value,
}

impl Analyzer<'_> {
    /// Whether evaluating `expr` at the place of `ctx` cannot trap, err, or add an event (`SEMANTICS: 0`, speculatable),
    /// apart from overflow that nobody uses (`I1`).
    pub fn cannot_trap(&mut self, ctx: ContextId, expr: ExprId) -> bool {
        self.why_may_trap(ctx, expr).is_none()
    }

    /// The node of `expr` that is not shown not to trap; the first in evaluation order.
    pub fn why_may_trap(&mut self, ctx: ContextId, expr: ExprId) -> Option<ExprId> {
        if self.is_plain(expr) {
            return None;
        }
        let key = (expr, self.relevant(WRAPS, ctx, expr));
        if let Some(&known) = self.trap_memo.get(&key) {
            return known;
        }
        let culprit =
            stacker::maybe_grow(64 * 1024, 1024 * 1024, || self.find_culprit(key.1, expr));
        self.trap_memo.insert(key, culprit);
        culprit
    }

    fn find_culprit(&mut self, ctx: ContextId, expr: ExprId) -> Option<ExprId> {
        let body = self.body.clone();
        let kind = body.expr(expr).kind;
        match kind {
            ExprKind::Let { value, body } => {
                let culprit = self.why_may_trap(ctx, value);
                return culprit.or_else(|| {
                    let inner = self.inside(ctx, value);
                    self.why_may_trap(inner, body)
                });
            }
            // A function that nobody calls here.
            ExprKind::Lambda { .. } => return Some(expr),
            ExprKind::IfThenElse(cond, a, b) => {
                return self.why_may_trap(ctx, cond).or_else(|| {
                    // The condition is used here, where the source may not use it (I1).
                    if !self.is_untainted(ctx, cond) {
                        return Some(expr);
                    }
                    let Some([then, otherwise]) = self.arms(ctx, cond) else {
                        return Some(expr);
                    };
                    self.why_may_trap(then, a).or_else(|| self.why_may_trap(otherwise, b))
                });
            }
            // Base and stride are used; the number of lanes is no value at run time.
            ExprKind::Ramp { base, stride, .. } => {
                let below = self.why_may_trap(ctx, base).or_else(|| self.why_may_trap(ctx, stride));
                return below.or_else(|| {
                    let is_safe = self.is_untainted(ctx, base) && self.is_untainted(ctx, stride);
                    (!is_safe).then_some(expr)
                });
            }
            ExprKind::Broadcast { value, .. } => return self.why_may_trap(ctx, value),
            _ => {}
        }
        let below = body.children(expr).into_iter().find_map(|it| self.why_may_trap(ctx, it));
        below.or_else(|| (!self.is_safe_alone(ctx, expr)).then_some(expr))
    }

    /// Whether the node itself cannot trap or err, given that its operands do not; they may use what the source uses anyway. What names
    /// the variable of a binder around it is not known alone.
    pub fn cannot_trap_alone(&mut self, ctx: ContextId, expr: ExprId) -> bool {
        let body = self.body.clone();
        let node = body.expr(expr);
        match node.kind {
            _ if node.flags.open_binders > 0 => false,
            ExprKind::Lambda { .. } => false,
            ExprKind::IfThenElse(cond, ..) => self.is_untainted(ctx, cond),
            ExprKind::Ramp { base, stride, .. } => {
                self.is_untainted(ctx, base) && self.is_untainted(ctx, stride)
            }
            _ => self.is_safe_alone(ctx, expr),
        }
    }

    /// Whether the node itself cannot trap, given that its operands do not.
    fn is_safe_alone(&mut self, ctx: ContextId, expr: ExprId) -> bool {
        let kind = match self.effects.own_trap(&self.body, expr) {
            Trap::No => return true,
            Trap::Yes => return false,
            Trap::Cond(kind) => kind,
        };
        let operands = self.body.children(expr);
        if let ExprKind::Load { buffer, predicate: None, .. } = self.body.expr(expr).kind {
            return self.in_bounds(ctx, buffer, &operands);
        }
        match (kind, &operands[..]) {
            (TrapKind::Division, &[a, b]) => self.divides(ctx, a, b),
            (TrapKind::Shift, &[a, b]) => self.shifts(ctx, a, b),
            (TrapKind::ZeroOperand, &[operand]) => {
                self.bound(ctx, operand).is_non_zero() && self.is_untainted(ctx, operand)
            }
            (TrapKind::FloatToInt, &[operand]) => {
                self.converts(ctx, operand, self.body.dtype(expr))
            }
            _ => false,
        }
    }

    /// `I5`, `I6`. A divisor that wrapped is used where the source may not use it, whatever its value (`I1`).
    fn divides(&mut self, ctx: ContextId, a: ExprId, b: ExprId) -> bool {
        let Some(dtype) = self.body.dtype(b).filter(|it| is_integral(*it)) else {
            return self.body.dtype(b).is_some_and(DataType::is_float);
        };
        let divisor = self.bound(ctx, b);
        let is_non_zero = divisor.is_non_zero() || self.is_excluded(ctx, b, 0);
        if !is_non_zero || !self.is_untainted(ctx, b) {
            return false;
        }
        if !dtype.is_int() || !divisor.contains(-1) || self.is_excluded(ctx, b, -1) {
            return true;
        }
        let least = Interval::of_type(dtype).min;
        let dividend = self.bound(ctx, a);
        (!dividend.contains(least) || self.is_excluded(ctx, a, least)) && self.is_untainted(ctx, a)
    }

    fn is_excluded(&mut self, ctx: ContextId, expr: ExprId, value: i128) -> bool {
        if !self.summary(expr).is_stable {
            return false;
        }
        let atom = self.atom(expr);
        let facts = self.recorded(WRAPS, ctx, atom);
        if self.store.excluded(facts).any(|it| it == value) {
            return true;
        }
        match self.linear(WRAPS, ctx, expr).and_then(|it| it.single()) {
            Some((atom, factor, constant)) => {
                let gap = value - constant;
                let facts = self.recorded(WRAPS, ctx, atom);
                gap % factor != 0 || self.store.excluded(facts).any(|it| it == gap / factor)
            }
            None => false,
        }
    }

    /// `I8`
    fn shifts(&mut self, ctx: ContextId, a: ExprId, amount: ExprId) -> bool {
        let Some(dtype) = self.body.dtype(a).filter(|it| is_integral(*it)) else { return false };
        let legal = Interval::new(0, i128::from(dtype.bits) - 1);
        self.bound(ctx, amount).is_within(legal) && self.is_untainted(ctx, amount)
    }

    /// `C2`, `C3`
    fn converts(&mut self, ctx: ContextId, operand: ExprId, to: Option<DataType>) -> bool {
        let Some(to) = to.filter(|it| is_integral(*it)) else { return false };
        let Some((min, max)) = self.float_range(ctx, operand) else { return false };
        // As integers: a double holds the bounds of every type or the power of two next to it.
        Interval::new(min.trunc() as i128, max.trunc() as i128).is_within(Interval::of_type(to))
            && self.is_untainted(ctx, operand)
    }

    /// Whether `buffer[indices]` is an access of a cell the buffer has (`SEMANTICS: M1`). That its memory is live there is
    /// the caller's to show.
    pub fn in_bounds(&mut self, ctx: ContextId, buffer: BufferId, indices: &[ExprId]) -> bool {
        let body = self.body.clone();
        let data = &body.buffers[buffer];
        if data.origin == BufferOrigin::Cell {
            return true;
        }
        self.has_cells(buffer)
            && indices.len() == data.shape.len()
            && indices.iter().zip(&data.shape).all(|(&index, &extent)| {
                self.is_untainted(ctx, index) && self.is_index(ctx, index, extent)
            })
    }

    fn is_index(&mut self, ctx: ContextId, index: ExprId, extent: ExprId) -> bool {
        let (values, cells) = (self.bound(ctx, index), self.bound(ctx, extent));
        if values.is_index_below(cells) {
            return true;
        }
        if values.min >= 0 && self.is_below_by_form(ctx, index, extent, MOST_FORMS) {
            return true;
        }
        let (Some(index), Some(extent)) =
            (self.linear(WRAPS, ctx, index), self.linear(WRAPS, ctx, extent))
        else {
            return false;
        };
        let gap = extent.minus(&index).and_then(|it| it.plus(-1));
        (values.min >= 0 || self.is_non_negative(WRAPS, ctx, &index))
            && gap.is_some_and(|it| self.is_non_negative(WRAPS, ctx, &it))
    }

    /// Whether an index is shown to be less than an extent by how it is written, also where it is read from memory: `A[i] % n` and
    /// `min(A[i], n - 1)` are less than `n`.
    fn is_below_by_form(
        &mut self,
        ctx: ContextId,
        index: ExprId,
        extent: ExprId,
        depth: u8,
    ) -> bool {
        let Some(depth) = depth.checked_sub(1) else { return false };
        let kind = self.body.expr(index).kind;
        let mut below = |it| self.is_below_by_form(ctx, it, extent, depth);
        match kind {
            ExprKind::Binary(BinaryOp::Min, a, b) => below(a) || below(b),
            ExprKind::Binary(BinaryOp::Max, a, b) => below(a) && below(b),
            ExprKind::Binary(BinaryOp::FloorMod, _, n) if n == extent => {
                self.summary(n).is_stable && self.bound(ctx, n).min > 0
            }
            _ => {
                let forms = (self.linear(WRAPS, ctx, index), self.linear(WRAPS, ctx, extent));
                let (Some(index), Some(extent)) = forms else { return false };
                let gap = extent.minus(&index).and_then(|it| it.plus(-1));
                gap.is_some_and(|it| self.is_non_negative(WRAPS, ctx, &it))
            }
        }
    }

    /// The contexts of the two arms of a conditional expression; none if it is too deep in others.
    pub(crate) fn arms(&mut self, ctx: ContextId, cond: ExprId) -> Option<[ContextId; 2]> {
        let arms = self.contexts.get(ctx).arms + 1;
        let is_near = arms <= MOST_ARMS;
        is_near.then(|| [true, false].map(|holds| self.assume_in(ctx, cond, holds, arms)))
    }

    /// Whether the node neither traps nor uses an operand, whatever its operands are.
    fn is_plain_alone(&self, expr: ExprId) -> bool {
        let uses = matches!(
            self.body.expr(expr).kind,
            ExprKind::Lambda { .. } | ExprKind::Ramp { .. } | ExprKind::IfThenElse(..)
        );
        !uses && self.effects.own_trap(&self.body, expr) == Trap::No
    }

    /// Whether no node of `expr` can trap or err, whatever its operands are.
    fn is_plain(&mut self, expr: ExprId) -> bool {
        let mut stack = vec![(expr, false)];
        while let Some((at, is_entered)) = stack.pop() {
            if self.plain_memo[at.index()].is_some() {
                continue;
            }
            let mut plain = self.is_plain_alone(at);
            let mut missing = Vec::new();
            self.body.each_child(self.body.expr(at).kind, &mut |child| match self.plain_memo
                [child.index()]
            {
                Some(it) => plain &= it,
                None => missing.push((child, false)),
            });
            if plain && !is_entered && !missing.is_empty() {
                stack.push((at, true));
                stack.extend(missing);
            } else {
                self.plain_memo[at.index()] = Some(plain);
            }
        }
        self.plain_memo[expr.index()] == Some(true)
    }

    /// Whether no `+ - *` that `expr` evaluates can leave the range of its type.
    pub fn no_overflow(&mut self, ctx: ContextId, expr: ExprId) -> bool {
        self.stays(ctx, expr, Part::Tree)
    }

    /// Whether the value of `expr` did not come from an overflow (`SEMANTICS: I1`): using it is no event. What a load
    /// gives was not used in vain; a variable is as good as what it is bound to.
    pub fn is_untainted(&mut self, ctx: ContextId, expr: ExprId) -> bool {
        self.stays(ctx, expr, Part::Value)
    }

    fn stays(&mut self, ctx: ContextId, expr: ExprId, part: Part) -> bool {
        let key = (expr, self.relevant(WRAPS, ctx, expr), part);
        if let Some(&known) = self.overflow_memo.get(&key) {
            return known;
        }
        let stays =
            stacker::maybe_grow(64 * 1024, 1024 * 1024, || self.stays_in_range(key.1, expr, part));
        self.overflow_memo.insert(key, stays);
        stays
    }

    fn stays_in_range(&mut self, ctx: ContextId, expr: ExprId, part: Part) -> bool {
        let body = self.body.clone();
        let kind = body.expr(expr).kind;
        match kind {
            ExprKind::Load { .. } if part == Part::Value => return true,
            ExprKind::Value(value) if part == Part::Value => {
                let definition = self.definition(value);
                return definition.is_none_or(|it| self.stays(ctx, it, part));
            }
            ExprKind::Bound(index) if part == Part::Value => {
                return self.binder_of(ctx, index).is_some_and(|(around, value)| {
                    value.is_some_and(|it| self.stays(around, it, part))
                });
            }
            ExprKind::Let { value, body } => {
                let inner = self.inside(ctx, value);
                return self.stays(ctx, value, part) && self.stays(inner, body, part);
            }
            ExprKind::IfThenElse(cond, a, b) => {
                let Some([then, otherwise]) = self.arms(ctx, cond) else { return false };
                return self.stays(ctx, cond, part)
                    && self.stays(then, a, part)
                    && self.stays(otherwise, b, part);
            }
            ExprKind::Binary(op, a, _)
                if matches!(op, BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul)
                    && body.dtype(a).is_some_and(is_integral)
                    && !self.is_exact(WRAPS, ctx, expr) =>
            {
                return false;
            }
            ExprKind::Ramp { base, stride, lanes } => {
                let sum = self.ramp_end(ctx, base, stride, lanes);
                let range = body.dtype(expr).map(Interval::of_type);
                if range.is_some_and(|range| !sum.is_within(range)) {
                    return false;
                }
            }
            _ => {}
        }
        body.children(expr).into_iter().all(|it| self.stays(ctx, it, part))
    }

    fn ramp_end(
        &mut self,
        ctx: ContextId,
        base: ExprId,
        stride: ExprId,
        lanes: ExprId,
    ) -> Interval {
        let (base, stride) = (self.bound(ctx, base), self.bound(ctx, stride));
        let ExprKind::Int(lanes) = self.body.expr(lanes).kind else {
            return Interval::EVERYTHING;
        };
        base.plus(stride.times(Interval::new(0, i128::from(lanes).max(1) - 1)))
    }
}

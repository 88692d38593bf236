//! Expressions that may be computed early: traps, bounds of accesses, overflow.
//!
//! The context is that of the place where the expression *would be* computed. Guards of the place where the source has
//! it count for nothing unless they are in the context too. All answers are for the wrapping reading (crate README): a
//! division by `n * m` is not safe because `n` and `m` are positive, as their product may wrap to 0.

use ir::{
    BinaryOp, BufferId, BufferOrigin, DataType, ExprId, ExprKind,
    arena::Id,
    effects::{Trap, TrapKind},
};

use rustc_hash::FxHashMap;

use crate::{
    Interval, cells::Cells, contexts::ContextId, deduction::Deduction, facts::Overflow,
    integers::is_integral,
};

const WRAPS: Overflow = Overflow::Wraps;

/// Nested `min`, `max` and `%` that are looked through for the bound of an index.
const MOST_FORMS: u8 = 4;

/// The results about traps.
#[derive(Clone, Default)]
pub(crate) struct Traps {
    /// By node and context: the node that may trap.
    culprits: FxHashMap<(ExprId, ContextId), Option<ExprId>>,
    /// Of each node that safe evaluation needs no facts for.
    plain: Vec<Option<bool>>,
    cells: Cells,
}

impl Traps {
    /// The node of `expr` that is not shown not to trap; the first in evaluation order.
    pub(crate) fn why_may_trap(
        &mut self,
        of: &mut Deduction<'_>,
        ctx: ContextId,
        expr: ExprId,
    ) -> Option<ExprId> {
        if self.is_plain(of, expr) {
            return None;
        }
        let key = (expr, of.relevant(WRAPS, ctx, expr));
        if let Some(&known) = self.culprits.get(&key) {
            return known;
        }
        let culprit = ir::stack::with_room(|| self.find_culprit(of, key.1, expr));
        self.culprits.insert(key, culprit);
        culprit
    }

    fn find_culprit(
        &mut self,
        of: &mut Deduction<'_>,
        ctx: ContextId,
        expr: ExprId,
    ) -> Option<ExprId> {
        let body = of.nodes().share();
        let kind = body.expr(expr).kind;
        match kind {
            ExprKind::Let { value, body } => {
                let culprit = self.why_may_trap(of, ctx, value);
                return culprit.or_else(|| {
                    let inner = of.inside(ctx, value);
                    self.why_may_trap(of, inner, body)
                });
            }
            // A function that nobody calls here.
            ExprKind::Lambda { .. } => return Some(expr),
            ExprKind::IfThenElse(cond, a, b) => {
                return self.why_may_trap(of, ctx, cond).or_else(|| {
                    // The condition is used here, where the source may not use it (I1).
                    if !of.is_untainted(ctx, cond) {
                        return Some(expr);
                    }
                    let Some([then, otherwise]) = of.arms(ctx, cond) else {
                        return Some(expr);
                    };
                    self.why_may_trap(of, then, a).or_else(|| self.why_may_trap(of, otherwise, b))
                });
            }
            // Base and stride are used; the number of lanes is no value at run time.
            ExprKind::Ramp { base, stride, .. } => {
                let below =
                    self.why_may_trap(of, ctx, base).or_else(|| self.why_may_trap(of, ctx, stride));
                return below.or_else(|| {
                    let is_safe = of.is_untainted(ctx, base) && of.is_untainted(ctx, stride);
                    (!is_safe).then_some(expr)
                });
            }
            ExprKind::Broadcast { value, .. } => return self.why_may_trap(of, ctx, value),
            _ => {}
        }
        let below = body.children(expr).into_iter().find_map(|it| self.why_may_trap(of, ctx, it));
        below.or_else(|| (!self.is_safe_alone(of, ctx, expr)).then_some(expr))
    }

    /// Returns true if the node itself cannot trap or err, given that its operands do not. The operands may use the
    /// values of the source. A node that names the variable of an enclosing binder is not known by itself.
    pub(crate) fn cannot_trap_alone(
        &mut self,
        of: &mut Deduction<'_>,
        ctx: ContextId,
        expr: ExprId,
    ) -> bool {
        let body = of.nodes().share();
        let node = body.expr(expr);
        match node.kind {
            _ if node.flags.open_binders > 0 => false,
            ExprKind::Lambda { .. } => false,
            ExprKind::IfThenElse(cond, ..) => of.is_untainted(ctx, cond),
            ExprKind::Ramp { base, stride, .. } => {
                of.is_untainted(ctx, base) && of.is_untainted(ctx, stride)
            }
            _ => self.is_safe_alone(of, ctx, expr),
        }
    }

    /// Returns true if the node itself cannot trap, given that its operands do not.
    fn is_safe_alone(&mut self, of: &mut Deduction<'_>, ctx: ContextId, expr: ExprId) -> bool {
        let kind = match of.nodes().effects().own_trap(of.body(), expr) {
            Trap::No => return true,
            Trap::Yes => return false,
            Trap::Cond(kind) => kind,
        };
        let operands = of.body().children(expr);
        if let ExprKind::Load { buffer, predicate: None, .. } = of.body().expr(expr).kind {
            return self.in_bounds(of, ctx, buffer, &operands);
        }
        match (kind, &operands[..]) {
            (TrapKind::Division, &[a, b]) => divides(of, ctx, a, b),
            (TrapKind::Shift, &[a, b]) => shifts(of, ctx, a, b),
            (TrapKind::ZeroOperand, &[operand]) => {
                of.bound(ctx, operand).is_non_zero() && of.is_untainted(ctx, operand)
            }
            (TrapKind::FloatToInt, &[operand]) => converts(of, ctx, operand, of.body().dtype(expr)),
            _ => false,
        }
    }

    /// Returns true if `buffer[indices]` accesses a cell of the buffer (`SEMANTICS: M1`). The caller shows that its
    /// memory is live.
    pub(crate) fn in_bounds(
        &mut self,
        of: &mut Deduction<'_>,
        ctx: ContextId,
        buffer: BufferId,
        indices: &[ExprId],
    ) -> bool {
        let body = of.nodes().share();
        let data = &body.buffers[buffer];
        if data.origin == BufferOrigin::Cell {
            return true;
        }
        self.cells.has_cells(of, buffer)
            && indices.len() == data.shape.len()
            && indices.iter().zip(&data.shape).all(|(&index, &extent)| {
                of.is_untainted(ctx, index) && is_index(of, ctx, index, extent)
            })
    }

    /// Returns true if no node of `expr` can trap or err, for any operands.
    fn is_plain(&mut self, of: &mut Deduction<'_>, expr: ExprId) -> bool {
        let n_exprs = of.body().n_exprs();
        if self.plain.len() < n_exprs {
            self.plain.resize(n_exprs, None);
        }
        let mut stack = vec![(expr, false)];
        while let Some((at, is_entered)) = stack.pop() {
            if self.plain[at.index()].is_some() {
                continue;
            }
            let mut plain = is_plain_alone(of, at);
            let mut missing = Vec::new();
            of.body().each_child(of.body().expr(at).kind, &mut |child| match self.plain
                [child.index()]
            {
                Some(it) => plain &= it,
                None => missing.push((child, false)),
            });
            if plain && !is_entered && !missing.is_empty() {
                stack.push((at, true));
                stack.extend(missing);
            } else {
                self.plain[at.index()] = Some(plain);
            }
        }
        self.plain[expr.index()] == Some(true)
    }
}

/// `I5`, `I6`. A divisor that wrapped is used where the source may not use it, whatever its value (`I1`).
fn divides(of: &mut Deduction<'_>, ctx: ContextId, a: ExprId, b: ExprId) -> bool {
    let Some(dtype) = of.body().dtype(b).filter(|it| is_integral(*it)) else {
        return of.body().dtype(b).is_some_and(DataType::is_float);
    };
    let divisor = of.bound(ctx, b);
    let is_non_zero = divisor.is_non_zero() || is_excluded(of, ctx, b, 0);
    if !is_non_zero || !of.is_untainted(ctx, b) {
        return false;
    }
    if !dtype.is_int() || !divisor.contains(-1) || is_excluded(of, ctx, b, -1) {
        return true;
    }
    let least = Interval::of_type(dtype).min;
    let dividend = of.bound(ctx, a);
    (!dividend.contains(least) || is_excluded(of, ctx, a, least)) && of.is_untainted(ctx, a)
}

fn is_excluded(of: &mut Deduction<'_>, ctx: ContextId, expr: ExprId, value: i128) -> bool {
    if !of.nodes_mut().summary(expr).is_stable {
        return false;
    }
    let atom = of.atom(expr);
    let facts = of.recorded(WRAPS, ctx, atom);
    if of.states().excluded(facts).any(|it| it == value) {
        return true;
    }
    match of.linear(WRAPS, ctx, expr).and_then(|it| it.single()) {
        Some((atom, factor, constant)) => {
            let gap = value - constant;
            let facts = of.recorded(WRAPS, ctx, atom);
            gap % factor != 0 || of.states().excluded(facts).any(|it| it == gap / factor)
        }
        None => false,
    }
}

/// `I8`
fn shifts(of: &mut Deduction<'_>, ctx: ContextId, a: ExprId, amount: ExprId) -> bool {
    let Some(dtype) = of.body().dtype(a).filter(|it| is_integral(*it)) else { return false };
    let legal = Interval::new(0, i128::from(dtype.bits) - 1);
    of.bound(ctx, amount).is_within(legal) && of.is_untainted(ctx, amount)
}

/// `C2`, `C3`
fn converts(of: &mut Deduction<'_>, ctx: ContextId, operand: ExprId, to: Option<DataType>) -> bool {
    let Some(to) = to.filter(|it| is_integral(*it)) else { return false };
    let Some((min, max)) = of.float_range(ctx, operand) else { return false };
    // As integers: a double holds the bounds of every type or the power of two next to it.
    Interval::new(min.trunc() as i128, max.trunc() as i128).is_within(Interval::of_type(to))
        && of.is_untainted(ctx, operand)
}

fn is_index(of: &mut Deduction<'_>, ctx: ContextId, index: ExprId, extent: ExprId) -> bool {
    let (values, cells) = (of.bound(ctx, index), of.bound(ctx, extent));
    if values.is_index_below(cells) {
        return true;
    }
    if values.min >= 0 && is_below_by_form(of, ctx, index, extent, MOST_FORMS) {
        return true;
    }
    let (Some(index), Some(extent)) = (of.linear(WRAPS, ctx, index), of.linear(WRAPS, ctx, extent))
    else {
        return false;
    };
    let gap = extent.minus(&index).and_then(|it| it.plus(-1));
    (values.min >= 0 || of.is_non_negative(WRAPS, ctx, &index))
        && gap.is_some_and(|it| of.is_non_negative(WRAPS, ctx, &it))
}

/// Returns true if the form of an index shows that it is less than an extent, also if it is read from memory:
/// `A[i] % n` and `min(A[i], n - 1)` are less than `n`.
fn is_below_by_form(
    of: &mut Deduction<'_>,
    ctx: ContextId,
    index: ExprId,
    extent: ExprId,
    depth: u8,
) -> bool {
    let Some(depth) = depth.checked_sub(1) else { return false };
    let kind = of.body().expr(index).kind;
    let mut below = |it| is_below_by_form(of, ctx, it, extent, depth);
    match kind {
        ExprKind::Binary(BinaryOp::Min, a, b) => below(a) || below(b),
        ExprKind::Binary(BinaryOp::Max, a, b) => below(a) && below(b),
        ExprKind::Binary(BinaryOp::FloorMod, _, n) if n == extent => {
            of.nodes_mut().summary(n).is_stable && of.bound(ctx, n).min > 0
        }
        _ => {
            let forms = (of.linear(WRAPS, ctx, index), of.linear(WRAPS, ctx, extent));
            let (Some(index), Some(extent)) = forms else { return false };
            let gap = extent.minus(&index).and_then(|it| it.plus(-1));
            gap.is_some_and(|it| of.is_non_negative(WRAPS, ctx, &it))
        }
    }
}

/// Returns true if the node neither traps nor uses an operand, for any operands.
fn is_plain_alone(of: &Deduction<'_>, expr: ExprId) -> bool {
    let uses = matches!(
        of.body().expr(expr).kind,
        ExprKind::Lambda { .. } | ExprKind::Ramp { .. } | ExprKind::IfThenElse(..)
    );
    !uses && of.nodes().effects().own_trap(of.body(), expr) == Trap::No
}

//! What has been computed on the way to a place, and what may be computed there without a new overflow.
//!
//! A condition, an extent, a step, an index that was used had no overflow in it, or the program has that event already
//! (`SEMANTICS: I1`). So whoever compares with `d0 * d1 * d2` inside a launch over `(d0 * d1 * d2 + 511) // 512` threads adds no
//! overflow. Values are compared as canonical terms, in whatever order their factors are written, where these are equal as integers.
//!
//! Computed are the operands that are always evaluated of: shapes of buffers from outside (`B6`), extents, starts and steps of ranges, conditions, and
//! definitions; and what their variables are bound to. Not the condition of a `Select` nor what is converted to a float: an
//! overflow there goes unnoticed. O(nodes, at most [`MOST_NODES`]) a context, once.

use ir::{BinaryOp, Callee, ExprId, ExprKind, Intrinsic};
use smallvec::SmallVec;

use crate::{
    Analyzer, Interval, Modular,
    analyzer::Overflow,
    atoms::{Atom, Factors, MOST_FACTORS},
    context::{Constraint, ContextId},
    interval::floor_div,
    linear::{constant_value, is_integral},
    state::Recorder,
};

/// Nodes of one constraint that are noted.
const MOST_NODES: usize = 48;

type Stack = SmallVec<[ExprId; 16]>;

impl Analyzer<'_> {
    /// Whether the value of `expr`, a sum, product, quotient or the like of integers, was computed and used on the way to `ctx`, in whatever
    /// spelling; true of variables and constants. So its sums and products do not overflow in runs without that event.
    pub fn is_computed(&mut self, ctx: ContextId, expr: ExprId) -> bool {
        if matches!(self.body.expr(expr).kind, ExprKind::Value(_) | ExprKind::Int(_)) {
            return true;
        }
        let summary = self.summary(expr);
        if !summary.is_stable || !summary.is_term_exact() {
            return false;
        }
        let atom = self.atom(expr);
        self.recorded(Overflow::Excluded, ctx, atom).is_computed
    }

    /// Whether computing `expr` in `ctx` adds no overflow to a run that had none on the way: every `+ - *` in it was computed
    /// already ([`Analyzer::is_computed`]), or its exact value is shown to be in range. Weaker than
    /// [`Analyzer::no_overflow`], which holds on every run.
    pub fn adds_no_overflow(&mut self, ctx: ContextId, expr: ExprId) -> bool {
        let ctx = self.relevant(Overflow::Excluded, ctx, expr);
        if let Some(&known) = self.added_memo.get(&(expr, ctx)) {
            return known;
        }
        let fits = stacker::maybe_grow(64 * 1024, 1024 * 1024, || self.fits(ctx, expr));
        self.added_memo.insert((expr, ctx), fits);
        fits
    }

    fn fits(&mut self, ctx: ContextId, expr: ExprId) -> bool {
        let node = self.body.expr(expr);
        match node.kind {
            // Variables of binders, and what nobody calls here.
            ExprKind::Let { .. } | ExprKind::Lambda { .. } | ExprKind::Ramp { .. } => return false,
            ExprKind::IfThenElse(cond, a, b) => {
                let Some([then, otherwise]) = self.arms(ctx, cond) else { return false };
                return self.adds_no_overflow(ctx, cond)
                    && self.adds_no_overflow(then, a)
                    && self.adds_no_overflow(otherwise, b);
            }
            _ => {}
        }
        if !self.body.children(expr).into_iter().all(|it| self.adds_no_overflow(ctx, it)) {
            return false;
        }
        match node.kind {
            ExprKind::Binary(op @ (BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul), a, b)
                if self.body.dtype(a).is_some_and(is_integral) =>
            {
                self.stays_in_type(ctx, expr, op, a, b)
            }
            _ => true,
        }
    }

    /// Whether `a op b` is in the range of its type, where neither operand overflowed.
    fn stays_in_type(
        &mut self,
        ctx: ContextId,
        expr: ExprId,
        op: BinaryOp,
        a: ExprId,
        b: ExprId,
    ) -> bool {
        const READING: Overflow = Overflow::Excluded;
        let Some(dtype) = self.body.dtype(expr) else { return false };
        let range = Interval::of_type(dtype);
        if dtype.is_int() && dtype.bits >= 32 && self.is_computed(ctx, expr) {
            return true;
        }
        if self.exact(READING, ctx, op, a, b).is_some_and(|it| it.interval.is_within(range)) {
            return true;
        }
        let Some(form) = self.sum_form(READING, ctx, op, a, b) else { return false };
        let sides = [form.plus(-range.min), form.scale(-1).and_then(|it| it.plus(range.max))];
        sides.into_iter().all(|it| it.is_some_and(|it| self.is_non_negative(READING, ctx, &it)))
    }

    /// Notes what the constraint of a context has computed.
    pub(crate) fn note_computed(&mut self, recorder: &mut Recorder) {
        // Only the reading that excludes overflow has a use for it.
        if recorder.overflow != Overflow::Excluded {
            return;
        }
        let mut stack = Stack::new();
        match self.constraint(recorder.ctx) {
            Constraint::Signature => {
                for param in &self.body.params {
                    let Some(buffer) = param.buffer else { continue };
                    if self.body.buffers[buffer].origin == ir::BufferOrigin::Param {
                        stack.extend(self.body.buffers[buffer].shape.iter().copied());
                    }
                }
            }
            Constraint::Shape { buffer } => {
                stack.extend(self.body.buffers[buffer].shape.iter().copied());
            }
            Constraint::Assume { cond, .. } => stack.push(cond),
            Constraint::Range { min, extent, step, .. } => {
                stack.extend(min);
                stack.push(extent);
                stack.extend(step);
            }
            // What a variable is defined as was computed, but perhaps not used.
            Constraint::Define { .. } | Constraint::Binder { .. } | Constraint::AtLeast { .. } => {}
        }
        for _ in 0..MOST_NODES {
            let Some(expr) = stack.pop() else { break };
            let expr = self.seen_through(expr);
            self.operands_used(expr, &mut stack);
            if !matches!(self.body.expr(expr).kind, ExprKind::Value(_) | ExprKind::Int(_))
                && self.is_fact(expr)
            {
                self.note(recorder, expr);
            }
        }
    }

    fn note(&mut self, recorder: &mut Recorder, expr: ExprId) {
        if !self.summary(expr).is_term_exact() {
            return;
        }
        let atom = self.atom(expr);
        if self.set_computed(recorder, atom)
            && let Some((product, times)) = self.product_of_variables(expr)
            && let Some(dtype) = self.body.dtype(expr)
        {
            let range = Interval::of_type(dtype);
            let range = Interval::new(-floor_div(-range.min, times), floor_div(range.max, times));
            self.record(recorder, product, range, Modular::EVERYTHING);
        }
    }

    /// The operands whose overflow an overflow-free use of the node excludes.
    fn operands_used(&self, expr: ExprId, stack: &mut Stack) {
        let body = &*self.body;
        match body.expr(expr).kind {
            // The right side is evaluated only where the left one does not decide.
            ExprKind::Binary(op, a, _) if op.is_logical() => stack.push(a),
            ExprKind::Binary(_, a, b) if body.dtype(a).is_some_and(is_integral) => {
                stack.extend([b, a]);
            }
            ExprKind::Unary(_, a) => stack.push(a),
            ExprKind::Cast(a) if body.dtype(expr).is_some_and(is_integral) => stack.push(a),
            ExprKind::IfThenElse(cond, ..) => stack.push(cond),
            ExprKind::Call { callee: Callee::Intrinsic(_, Intrinsic::Likely), args, .. } => {
                if let &[cond] = body.items(args) {
                    stack.push(cond);
                }
            }
            _ => {}
        }
    }

    /// A product of variables as an atom, and its constant factor, which is positive.
    fn product_of_variables(&mut self, expr: ExprId) -> Option<(Atom, i128)> {
        let dtype = self.body.dtype(expr).filter(|it| it.is_int() && it.bits >= 32)?;
        let mut factors = Factors::new();
        let mut times: i128 = 1;
        let mut stack = vec![expr];
        while let Some(expr) = stack.pop() {
            let expr = self.seen_through(expr);
            match self.body.expr(expr).kind {
                ExprKind::Binary(BinaryOp::Mul, a, b) if self.body.dtype(expr) == Some(dtype) => {
                    stack.extend([b, a]);
                }
                ExprKind::Int(value) => times = times.checked_mul(constant_value(dtype, value))?,
                ExprKind::Value(_) => factors.push(self.atom(expr)),
                _ => return None,
            }
            if factors.len() > MOST_FACTORS {
                return None;
            }
        }
        factors.sort_unstable();
        (times > 0 && factors.len() > 1).then(|| (self.product(factors), times))
    }
}

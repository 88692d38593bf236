//! Values computed on the way to a place.
//!
//! A condition, an extent, a step, or an index that was used had no overflow in it, or the program has that event
//! already (`SEMANTICS: I1`). So comparing with `d0 * d1 * d2` inside a launch over `(d0 * d1 * d2 + 511) // 512`
//! threads adds no overflow. Values are compared as canonical terms, in whatever order their factors are written, where
//! these are equal as integers.
//!
//! The computed values are the operands that are always evaluated of: shapes of buffers from outside (`B6`), extents,
//! starts and steps of ranges, conditions, and definitions; and the definitions of their variables. The condition of a
//! `Select` and operands of conversions to float do not count: an overflow there goes unnoticed.
//! O(nodes, at most [`MOST_NODES`]) a context, once.

use ir::{BinaryOp, Callee, ExprId, ExprKind, Intrinsic};
use smallvec::SmallVec;

use super::Deduction;
use crate::{
    Interval, Modular,
    contexts::{Constraint, ContextId},
    facts::Overflow,
    forms::{Atom, Factors, MOST_FACTORS},
    integers::{constant_value, is_integral},
    interval::floor_div,
    states::Recorder,
};

/// Nodes of one constraint that are noted.
const MOST_NODES: usize = 48;

type Stack = SmallVec<[ExprId; 16]>;

impl Deduction<'_> {
    /// Returns true if the value of `expr`, a sum, product, quotient or the like of integers, was computed and used on
    /// the way to `ctx`, in whatever spelling. Also true of variables and constants. So its sums and products do not
    /// overflow in runs without that event.
    pub(crate) fn is_computed(&mut self, ctx: ContextId, expr: ExprId) -> bool {
        if matches!(self.body().expr(expr).kind, ExprKind::Value(_) | ExprKind::Int(_)) {
            return true;
        }
        let summary = self.nodes.summary(expr);
        if !summary.is_stable || !summary.is_term_exact() {
            return false;
        }
        let atom = self.atom(expr);
        self.recorded(Overflow::Excluded, ctx, atom).is_computed
    }

    /// Records the values that the constraint of a context has computed.
    pub(crate) fn note_computed(&mut self, recorder: &mut Recorder) {
        // Only the reading that excludes overflow has a use for it.
        if recorder.overflow != Overflow::Excluded {
            return;
        }
        let mut stack = Stack::new();
        match self.contexts.constraint(recorder.ctx) {
            Constraint::Signature => {
                for param in &self.body().params {
                    let Some(buffer) = param.buffer else { continue };
                    if self.body().buffers[buffer].origin == ir::BufferOrigin::Param {
                        stack.extend(self.body().buffers[buffer].shape.iter().copied());
                    }
                }
            }
            Constraint::Shape { buffer } => {
                stack.extend(self.body().buffers[buffer].shape.iter().copied());
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
            let expr = self.nodes.seen_through(expr);
            self.operands_used(expr, &mut stack);
            if !matches!(self.body().expr(expr).kind, ExprKind::Value(_) | ExprKind::Int(_))
                && self.nodes.is_fact(expr)
            {
                self.note(recorder, expr);
            }
        }
    }

    fn note(&mut self, recorder: &mut Recorder, expr: ExprId) {
        if !self.nodes.summary(expr).is_term_exact() {
            return;
        }
        let atom = self.atom(expr);
        if self.states.set_computed(&self.nodes, recorder, atom)
            && let Some((product, times)) = self.product_of_variables(expr)
            && let Some(dtype) = self.body().dtype(expr)
        {
            let range = Interval::of_type(dtype);
            let range = Interval::new(-floor_div(-range.min, times), floor_div(range.max, times));
            self.states.record(
                &self.atoms,
                &mut self.nodes,
                recorder,
                product,
                range,
                Modular::EVERYTHING,
            );
        }
    }

    /// The operands whose overflow an overflow-free use of the node excludes.
    fn operands_used(&self, expr: ExprId, stack: &mut Stack) {
        let body = self.body();
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
        let dtype = self.body().dtype(expr).filter(|it| it.is_int() && it.bits >= 32)?;
        let mut factors = Factors::new();
        let mut times: i128 = 1;
        let mut stack = vec![expr];
        while let Some(expr) = stack.pop() {
            let expr = self.nodes.seen_through(expr);
            match self.body().expr(expr).kind {
                ExprKind::Binary(BinaryOp::Mul, a, b) if self.body().dtype(expr) == Some(dtype) => {
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
        (times > 0 && factors.len() > 1)
            .then(|| (self.atoms.product(&mut self.nodes, factors), times))
    }
}

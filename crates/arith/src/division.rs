//! Quotients and remainders by positive constants, however they are spelled.
//!
//! `x // 8`, `x >> 3` and, of an `x` that is not negative, `truncdiv(x, 8)` are one quotient; `x % 8`, `x & 7` and the like one
//! remainder (`SEMANTICS: I7`, `I9`). O(1).

use ir::{BinaryOp, ExprId, ExprKind};

use crate::{Analyzer, Interval, analyzer::Overflow, context::ContextId};

/// A quotient that rounds to -∞, or the remainder that belongs to it.
pub(crate) struct Division {
    pub(crate) is_quotient: bool,
    pub(crate) dividend: ExprId,
    /// Positive.
    pub(crate) divisor: i128,
}

impl Analyzer<'_> {
    /// A node as a division by a positive constant.
    pub(crate) fn division(
        &mut self,
        overflow: Overflow,
        ctx: ContextId,
        expr: ExprId,
    ) -> Option<Division> {
        let ExprKind::Binary(op, dividend, b) = self.body.expr(expr).kind else { return None };
        let is_division = op.is_division() || matches!(op, BinaryOp::Shr | BinaryOp::BitAnd);
        if !is_division || !self.body.dtype(expr)?.is_integer() {
            return None;
        }
        let constant = self.facts(overflow, ctx, b).interval.as_constant()?;
        let bits = i128::from(self.body.dtype(expr)?.bits);
        let (is_quotient, divisor) = match op {
            BinaryOp::Shr if (0..bits).contains(&constant) => (true, 1 << constant),
            // The low bits, of two's complement too.
            BinaryOp::BitAnd if constant >= 0 && (constant + 1) & constant == 0 => {
                (false, constant + 1)
            }
            BinaryOp::FloorDiv | BinaryOp::FloorMod if constant > 0 => {
                (op == BinaryOp::FloorDiv, constant)
            }
            BinaryOp::Div | BinaryOp::Mod if constant > 0 => {
                let range: Interval = self.facts(overflow, ctx, dividend).interval;
                if !range.is_non_negative() {
                    return None;
                }
                (op == BinaryOp::Div, constant)
            }
            _ => return None,
        };
        Some(Division { is_quotient, dividend, divisor })
    }
}

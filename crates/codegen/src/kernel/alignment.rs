//! Powers of two that divide integer expressions: where an access is as aligned as its width.
//!
//! In: an expression of a body. Out: a number of low bits that are zero whatever its variables are, which holds in
//! arithmetic that wraps, too. Linear in the size of the expressions asked about.

use ir::{BinaryOp, Body, ExprId, ExprKind, OpKind, ValueId, ValueKind};
use rustc_hash::FxHashMap;

/// More low bits are of no use.
const ENOUGH: u32 = 16;

/// Low bits of the expressions of one body, computed as asked.
pub(crate) struct Alignment<'a> {
    body: &'a Body,
    exprs: FxHashMap<ExprId, u32>,
}

impl<'a> Alignment<'a> {
    /// Nothing is computed yet.
    pub(crate) fn new(body: &'a Body) -> Alignment<'a> {
        Alignment { body, exprs: FxHashMap::default() }
    }

    /// The number of low bits of an integer that are zero, at most 16.
    pub(crate) fn zeros(&mut self, expr: ExprId) -> u32 {
        if let Some(&known) = self.exprs.get(&expr) {
            return known;
        }
        // A value that is defined by itself is met again here: nothing is known of it.
        self.exprs.insert(expr, 0);
        let zeros = ir::stack::with_room(|| self.compute(expr)).min(ENOUGH);
        self.exprs.insert(expr, zeros);
        zeros
    }

    fn compute(&mut self, expr: ExprId) -> u32 {
        let body = self.body;
        let is_integer = |it: ExprId| body.dtype(it).is_some_and(|it| it.is_integer());
        if !is_integer(expr) {
            return 0;
        }
        match body.expr(expr).kind {
            ExprKind::Int(value) => value.trailing_zeros(),
            ExprKind::Value(value) => self.value(value),
            // Cutting and widening keep low bits.
            ExprKind::Cast(a) if is_integer(a) => self.zeros(a),
            ExprKind::Select(_, a, b) | ExprKind::IfThenElse(_, a, b) => {
                self.zeros(a).min(self.zeros(b))
            }
            ExprKind::Binary(op, a, b) => match op {
                BinaryOp::Mul => self.zeros(a) + self.zeros(b),
                // The remainder of division by a multiple of 2^k has the low k bits of the dividend.
                BinaryOp::Add
                | BinaryOp::Sub
                | BinaryOp::Min
                | BinaryOp::Max
                | BinaryOp::Mod
                | BinaryOp::FloorMod
                | BinaryOp::BitOr
                | BinaryOp::BitXor => self.zeros(a).min(self.zeros(b)),
                BinaryOp::BitAnd => self.zeros(a).max(self.zeros(b)),
                BinaryOp::Shl => match body.expr(b).kind {
                    ExprKind::Int(by) => self.zeros(a) + u32::try_from(by).unwrap_or(0).min(ENOUGH),
                    _ => self.zeros(a),
                },
                _ => 0,
            },
            _ => 0,
        }
    }

    fn value(&mut self, value: ValueId) -> u32 {
        let body = self.body;
        match body.values[value].kind {
            ValueKind::Result(op, 0) if body.ops[op].kind == OpKind::Bind => {
                self.zeros(body.ops[op].operands[0])
            }
            ValueKind::BlockArg(block, 0) => {
                let Some(op) = body.regions[body.blocks[block].parent].parent else { return 0 };
                match (body.ops[op].kind, &body.ops[op].operands[..]) {
                    (OpKind::For(_), &[min, _, step]) => self.zeros(min).min(self.zeros(step)),
                    _ => 0,
                }
            }
            _ => 0,
        }
    }
}

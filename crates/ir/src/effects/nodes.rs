//! The effects of expression nodes, refined by the node itself.
//!
//! In: a node of a body. Out: its row, the trap that remains for its dtypes and constant operands, and the cost of one
//! evaluation. Operands are not included: a walk over them is the caller's. Constant time.

use std::sync::OnceLock;

use super::model::{MemoryEffect, OpEffects, Trap, TrapKind};
use super::table::EffectTable;
use crate::{
    BinaryOp, Body, Callee, DataType, ExprId, ExprKind, Intrinsic, Type, UnaryOp, ValueKind,
};

/// The row of each operator, in the order of `BinaryOp`'s variants.
const BINARY_ROWS: [(BinaryOp, &str); 22] = [
    (BinaryOp::Add, "Add"),
    (BinaryOp::Sub, "Sub"),
    (BinaryOp::Mul, "Mul"),
    (BinaryOp::Div, "Div"),
    (BinaryOp::Mod, "Mod"),
    (BinaryOp::FloorDiv, "FloorDiv"),
    (BinaryOp::FloorMod, "FloorMod"),
    (BinaryOp::Min, "Min"),
    (BinaryOp::Max, "Max"),
    (BinaryOp::Eq, "EQ"),
    (BinaryOp::Ne, "NE"),
    (BinaryOp::Lt, "LT"),
    (BinaryOp::Le, "LE"),
    (BinaryOp::Gt, "GT"),
    (BinaryOp::Ge, "GE"),
    (BinaryOp::And, "And"),
    (BinaryOp::Or, "Or"),
    (BinaryOp::BitAnd, "BitwiseAnd"),
    (BinaryOp::BitOr, "BitwiseOr"),
    (BinaryOp::BitXor, "BitwiseXor"),
    (BinaryOp::Shl, "LShift"),
    (BinaryOp::Shr, "RShift"),
];

/// The effects of a binary operator.
pub fn binary(op: BinaryOp) -> &'static OpEffects {
    static ROWS: OnceLock<[&'static OpEffects; BINARY_ROWS.len()]> = OnceLock::new();
    let rows = ROWS.get_or_init(|| BINARY_ROWS.map(|(_, name)| EffectTable::builtin().tir(name)));
    rows[op as usize]
}

/// The effects of a unary operator.
pub fn unary(op: UnaryOp) -> &'static OpEffects {
    EffectTable::builtin().tir(match op {
        UnaryOp::Not => "Not",
        UnaryOp::BitNot => "BitwiseNot",
    })
}

impl EffectTable {
    /// The trap of the node itself, given its operands: its row, without the cases that dtypes and constant operands
    /// rule out.
    pub fn own_trap(&self, body: &Body, expr: ExprId) -> Trap {
        match body.expr(expr).kind {
            ExprKind::Binary(op, lhs, rhs) => refine(body, binary(op).may_trap, lhs, Some(rhs)),
            ExprKind::Cast(value) => cast_trap(body.ty(value), body.ty(expr)),
            ExprKind::Load { .. } | ExprKind::Region(..) => Trap::Cond(TrapKind::Memory),
            kind @ ExprKind::Call { args, .. } => {
                let trap = self.call(body, kind).may_trap;
                match *body.items(args) {
                    [lhs, rhs] => refine(body, trap, lhs, Some(rhs)),
                    [operand] => refine(body, trap, operand, None),
                    _ => trap,
                }
            }
            ExprKind::Opaque { .. } => Trap::Yes,
            _ => Trap::No,
        }
    }

    /// The cost of one evaluation of the node itself, by the table at the end of `SEMANTICS.md`.
    pub fn own_cost(&self, body: &Body, expr: ExprId) -> u32 {
        let node = body.expr(expr);
        match node.kind {
            ExprKind::Binary(op, _, rhs) if op.is_division() => match body.dtype(rhs) {
                Some(dtype) if dtype.is_float() => cost::FLOAT_DIVISION,
                _ if is_constant_when_built(body, rhs) => cost::DIVISION_BY_CONSTANT,
                Some(_) => cost::DIVISION,
                None => cost::FLOAT_DIVISION,
            },
            ExprKind::Cast(_) if node.ty == Type::Unknown => 0,
            ExprKind::Binary(..)
            | ExprKind::Unary(..)
            | ExprKind::Cast(_)
            | ExprKind::Select(..)
            | ExprKind::IfThenElse(..) => cost::SIMPLE,
            ExprKind::Ramp { .. } | ExprKind::Broadcast { .. } | ExprKind::Shuffle { .. } => {
                cost::SIMPLE
            }
            ExprKind::Load { .. } if is_register(body, expr) => 0,
            ExprKind::Load { .. } | ExprKind::Region(..) => cost::LOAD,
            kind @ ExprKind::Call { .. } => self.call_cost(body, kind),
            ExprKind::Opaque { .. } => cost::CALL,
            _ => 0,
        }
    }

    fn call_cost(&self, body: &Body, call: ExprKind) -> u32 {
        let ExprKind::Call { callee: Callee::Intrinsic(_, it), .. } = call else {
            return cost::CALL;
        };
        let effects = self.call(body, call);
        match effects.memory_effect {
            _ if effects.may_trap == Trap::Cond(TrapKind::Division) => cost::DIVISION,
            MemoryEffect::None if is_cheap(it) => cost::SIMPLE,
            MemoryEffect::None => cost::FUNCTION,
            MemoryEffect::Read => cost::LOAD,
            _ => cost::CALL,
        }
    }
}

/// Returns true for a load that compilers make of a register: of a cell, or of an element of a thread's own memory that
/// is known when the kernel is built. Each thread has its part of a tile of registers, whatever the indices.
pub fn is_register(body: &Body, load: ExprId) -> bool {
    let ExprKind::Load { buffer, indices, .. } = body.expr(load).kind else { return false };
    let data = &body.buffers[buffer];
    let is_known = || body.items(indices).iter().all(|&it| is_constant_when_built(body, it));
    data.is_cell()
        || body.is_spread_over_registers(data.scope)
        || data.scope.is_local() && is_known()
}

/// Returns true for a constant, and for a captured number of Python, which is one when the kernel is built.
fn is_constant_when_built(body: &Body, expr: ExprId) -> bool {
    match body.expr(expr).kind {
        ExprKind::Cast(value) => is_captured_number(body, value),
        _ => constant(body, expr).is_some() || is_captured_number(body, expr),
    }
}

fn is_captured_number(body: &Body, expr: ExprId) -> bool {
    let ExprKind::Value(value) = body.expr(expr).kind else { return false };
    let value = &body.values[value];
    value.kind == ValueKind::Captured && !value.is_size
}

/// Conversions, hints, address and lane arithmetic: no more than an operator.
fn is_cheap(it: Intrinsic) -> bool {
    use Intrinsic as I;
    it.is_rounding()
        || it.makes_address()
        || matches!(
            it,
            I::Likely
                | I::VScale
                | I::Reinterpret
                | I::ElementPtr
                | I::IsNan
                | I::IsNullPtr
                | I::FAbs
                | I::Abs
                | I::ThreadInvariant
                | I::ByteOffset
        )
}

/// The cost of an integer operator other than division (`SEMANTICS: Cost`).
pub const OPERATOR_COST: u32 = cost::SIMPLE;

/// Costs of one evaluation. The table in `SEMANTICS.md` explains them.
mod cost {
    pub(super) const SIMPLE: u32 = 1;
    pub(super) const LOAD: u32 = 4;
    pub(super) const DIVISION_BY_CONSTANT: u32 = 4;
    pub(super) const FLOAT_DIVISION: u32 = 8;
    pub(super) const FUNCTION: u32 = 16;
    pub(super) const DIVISION: u32 = 20;
    pub(super) const CALL: u32 = 20;
}

/// The remaining trap of a row for these operands.
fn refine(body: &Body, trap: Trap, lhs: ExprId, rhs: Option<ExprId>) -> Trap {
    let Trap::Cond(kind) = trap else { return trap };
    let Some(dtype) = body.dtype(lhs) else { return trap };
    let right = rhs.and_then(|it| constant(body, it));
    let safe = match kind {
        // A float division has a value for every operand (F1); MIN / -1 needs a sign (I6).
        TrapKind::Division => {
            dtype.is_float() || right.is_some_and(|it| it != 0 && (it != -1 || dtype.is_uint()))
        }
        TrapKind::Shift => right.is_some_and(|it| (0..i64::from(dtype.bits)).contains(&it)),
        TrapKind::ZeroOperand => constant(body, lhs).is_some_and(|it| it != 0),
        _ => false,
    };
    if safe { Trap::No } else { trap }
}

/// Only float to integer can err (C2). What TVM brings operands to, whatever that is, holds their values (`G3`).
fn cast_trap(from: Type, to: Type) -> Trap {
    if to == Type::Unknown {
        return Trap::No;
    }
    let may_be_float = |it: DataType| it.is_float() || it.is_symbolic();
    let may_be_integer = |it: DataType| it.is_integer() || it.is_symbolic();
    match (from.prim(), to.prim()) {
        (Some(from), Some(to)) if !(may_be_float(from) && may_be_integer(to)) => Trap::No,
        _ => Trap::Cond(TrapKind::FloatToInt),
    }
}

/// The integer that a node is in every lane.
fn constant(body: &Body, expr: ExprId) -> Option<i64> {
    match body.expr(expr).kind {
        ExprKind::Int(value) => Some(value),
        ExprKind::Broadcast { value, .. } => match body.expr(value).kind {
            ExprKind::Int(value) => Some(value),
            _ => None,
        },
        _ => None,
    }
}

//! Random expressions over the variables of a bench.

use ir::{BinaryOp, DataType, ExprId, UnaryOp, ValueKind};
use test_utils::Rng;

use super::support::{Bench, if_then_else};

const ARITHMETIC: &[BinaryOp] = &[
    BinaryOp::Add,
    BinaryOp::Add,
    BinaryOp::Add,
    BinaryOp::Sub,
    BinaryOp::Sub,
    BinaryOp::Mul,
    BinaryOp::Mul,
    BinaryOp::FloorDiv,
    BinaryOp::FloorMod,
    BinaryOp::Div,
    BinaryOp::Mod,
    BinaryOp::Min,
    BinaryOp::Max,
    BinaryOp::BitAnd,
    BinaryOp::BitOr,
    BinaryOp::BitXor,
    BinaryOp::Shl,
    BinaryOp::Shr,
];

const COMPARISONS: &[BinaryOp] =
    &[BinaryOp::Eq, BinaryOp::Ne, BinaryOp::Lt, BinaryOp::Le, BinaryOp::Gt, BinaryOp::Ge];

/// A random constant of a type: mostly small, sometimes at an end of the range.
pub(crate) fn constant(bench: &mut Bench, rng: &mut Rng, dtype: DataType) -> ExprId {
    let value = match rng.below(8) {
        0 => crate::Interval::of_type(dtype).min,
        1 => crate::Interval::of_type(dtype).max,
        2 => 1 << rng.below(usize::from(dtype.bits)),
        _ => i128::from(rng.between(-3, 8)),
    };
    bench.body.int(value, dtype)
}

/// A random integer expression of a type.
pub(crate) fn integer(bench: &mut Bench, rng: &mut Rng, dtype: DataType, depth: u32) -> ExprId {
    if depth == 0 || rng.one_in(6) {
        let same: Vec<_> = bench
            .variables
            .iter()
            .map(|it| it.1)
            .filter(|it| bench.body.values[*it].ty == dtype.into())
            .collect();
        if same.is_empty() || rng.one_in(4) {
            return constant(bench, rng, dtype);
        }
        return bench.body.value_expr(*rng.pick(&same));
    }
    match rng.below(14) {
        0 => {
            let operand = integer(bench, rng, dtype, depth - 1);
            bench.body.unary(UnaryOp::BitNot, operand)
        }
        1 => {
            let types = types_of(bench);
            let from = *rng.pick(&types);
            let operand = integer(bench, rng, from, depth - 1);
            bench.body.cast(operand, dtype)
        }
        kind @ (2 | 3) => {
            let cond = condition(bench, rng, depth - 1);
            let a = integer(bench, rng, dtype, depth - 1);
            let b = integer(bench, rng, dtype, depth - 1);
            if kind == 2 {
                bench.body.select(cond, a, b)
            } else {
                if_then_else(&mut bench.body, cond, a, b)
            }
        }
        4 => {
            let value = integer(bench, rng, dtype, depth - 1);
            let name = format!("b{}", bench.variables.len());
            let variable = bench.bind(&name, value);
            bench.body.value_expr(variable)
        }
        _ => {
            let op = *rng.pick(ARITHMETIC);
            let a = integer(bench, rng, dtype, depth - 1);
            let b = if rng.one_in(2) {
                constant(bench, rng, dtype)
            } else {
                integer(bench, rng, dtype, depth - 1)
            };
            let (a, b) = if rng.one_in(8) { (b, a) } else { (a, b) };
            bench.body.binary(op, a, b)
        }
    }
}

/// The types of the free variables.
pub(crate) fn types_of(bench: &Bench) -> Vec<DataType> {
    let free =
        bench.variables.iter().filter(|it| bench.body.values[it.1].kind == ValueKind::Symbol);
    free.filter_map(|it| bench.body.values[it.1].ty.prim()).filter(|it| !it.is_bool()).collect()
}

/// A random condition.
pub(crate) fn condition(bench: &mut Bench, rng: &mut Rng, depth: u32) -> ExprId {
    if depth > 0 && rng.one_in(4) {
        let a = condition(bench, rng, depth - 1);
        let b = condition(bench, rng, depth - 1);
        return match rng.below(3) {
            0 => bench.body.binary(BinaryOp::And, a, b),
            1 => bench.body.binary(BinaryOp::Or, a, b),
            _ => bench.body.unary(UnaryOp::Not, a),
        };
    }
    let types = types_of(bench);
    let dtype = *rng.pick(&types);
    let a = integer(bench, rng, dtype, depth);
    let b =
        if rng.one_in(2) { constant(bench, rng, dtype) } else { integer(bench, rng, dtype, depth) };
    bench.body.binary(*rng.pick(COMPARISONS), a, b)
}

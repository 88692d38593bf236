//! Folding as TVM's parser does it: when an operator is built, and only then, and only in these cases.
//!
//! Both operands constant; a neutral or absorbing constant on one side (`x + 0`, `x * 1`, `x * 0`, also on floats);
//! never on vectors, never across nesting. Divisions, remainders and shifts differ in which types they look at. The
//! cases were checked one by one against TVM 0.27. The frontend folds by this; the printer writes an operator by its
//! name where reading its infix form would fold it. O(1).

use crate::{BinaryOp, Body, DataType, ExprId, ExprKind};

/// The result of folding an operator on two operands of one type.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Folded {
    /// The node itself.
    Keep,
    /// The left operand.
    Left,
    /// The right operand.
    Right,
    /// An integer or bool of this type.
    Int(i128, DataType),
    /// A float of this type.
    Float(f64, DataType),
    /// TVM refuses it.
    Error(&'static str),
}

#[derive(Clone, Copy)]
enum Const {
    Int(i128),
    Float(f64),
    No,
}

fn constant(body: &Body, id: ExprId, dtype: DataType) -> Const {
    match body.expr(id).kind {
        // A uint64 above the largest int64 is kept as the int64 of the same bits.
        ExprKind::Int(value) if dtype.is_uint() => Const::Int(i128::from(value as u64)),
        ExprKind::Int(value) => Const::Int(i128::from(value)),
        ExprKind::Float(_) => Const::Float(body.float_spelling(id).unwrap_or_default()),
        _ => Const::No,
    }
}

/// `int32` and `int64` scalars: the types of index arithmetic.
fn is_index(dtype: DataType) -> bool {
    dtype.is_int() && dtype.is_scalar() && matches!(dtype.bits, 32 | 64)
}

const DIVIDE_BY_ZERO: &str = "division by the constant zero";
const SHIFT: &str = "the constant shift amount is negative or not less than the width of the type";

/// Folds `lhs op rhs`, both of type `dtype`.
pub fn fold(body: &Body, op: BinaryOp, lhs: ExprId, rhs: ExprId, dtype: DataType) -> Folded {
    let (a, b) = (constant(body, lhs, dtype), constant(body, rhs, dtype));
    match op {
        BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul => sum(op, a, b, dtype),
        BinaryOp::Div | BinaryOp::FloorDiv => division(op, a, b, dtype),
        BinaryOp::Mod | BinaryOp::FloorMod if dtype.is_integer() && dtype.is_scalar() => {
            remainder(op, a, b, dtype)
        }
        BinaryOp::Shl | BinaryOp::Shr if is_index(dtype) => shift(op, a, b, dtype),
        BinaryOp::BitAnd | BinaryOp::BitOr | BinaryOp::BitXor if is_index(dtype) => match (a, b) {
            (Const::Int(a), Const::Int(b)) => Folded::Int(
                match op {
                    BinaryOp::BitAnd => a & b,
                    BinaryOp::BitOr => a | b,
                    _ => a ^ b,
                },
                dtype,
            ),
            _ => Folded::Keep,
        },
        // TVM compares objects: only a variable is the same one at each mention.
        BinaryOp::Min | BinaryOp::Max => {
            let is_same = lhs == rhs && matches!(body.expr(lhs).kind, ExprKind::Value(_));
            extremum(op, a, b, is_same, dtype)
        }
        op if op.is_comparison() => comparison(op, a, b),
        _ => Folded::Keep,
    }
}

/// Folded floats are rounded to float32 and computed in float64; narrower types are not folded.
fn float(value: impl FnOnce() -> f64, dtype: DataType) -> Folded {
    match dtype.bits {
        32 => Folded::Float(f64::from(value() as f32), dtype),
        64 => Folded::Float(value(), dtype),
        _ => Folded::Keep,
    }
}

fn sum(op: BinaryOp, a: Const, b: Const, dtype: DataType) -> Folded {
    use BinaryOp::{Add, Mul, Sub};
    match (op, a, b) {
        (Sub, Const::Int(0), Const::Int(b)) if dtype.is_uint() && b > 0 => {
            Folded::Error("a negative constant of an unsigned type")
        }
        (_, Const::Int(a), Const::Int(b)) => Folded::Int(
            match op {
                Add => a + b,
                Sub => a - b,
                _ => a.wrapping_mul(b),
            },
            dtype,
        ),
        (_, Const::Float(x), Const::Float(y)) if matches!(dtype.bits, 32 | 64) => float(
            || match op {
                Add => x + y,
                Sub => x - y,
                _ => x * y,
            },
            dtype,
        ),
        (Add, Const::Int(0), _) => Folded::Right,
        (Add | Sub, _, Const::Int(0)) => Folded::Left,
        (Mul, Const::Int(1), _) => Folded::Right,
        (Mul, Const::Int(0), _) => Folded::Left,
        (Mul, _, Const::Int(1)) => Folded::Left,
        (Mul, _, Const::Int(0)) => Folded::Right,
        (Add, Const::Float(0.0), _) => Folded::Right,
        (Add | Sub, _, Const::Float(0.0)) => Folded::Left,
        (Mul, Const::Float(1.0), _) => Folded::Right,
        (Mul, Const::Float(0.0), _) => Folded::Left,
        (Mul, _, Const::Float(1.0)) => Folded::Left,
        (Mul, _, Const::Float(0.0)) => Folded::Right,
        _ => Folded::Keep,
    }
}

fn division(op: BinaryOp, a: Const, b: Const, dtype: DataType) -> Folded {
    match (a, b) {
        (_, Const::Int(0)) => Folded::Error(DIVIDE_BY_ZERO),
        (_, Const::Float(0.0)) => Folded::Error(DIVIDE_BY_ZERO),
        (Const::Int(a), Const::Int(b)) => {
            Folded::Int(if op == BinaryOp::Div { a / b } else { floor_div(a, b) }, dtype)
        }
        (Const::Float(x), Const::Float(y)) if matches!(dtype.bits, 32 | 64) => {
            float(|| if op == BinaryOp::Div { x / y } else { (x / y).floor() }, dtype)
        }
        (Const::Int(0), _) => Folded::Left,
        (_, Const::Int(1)) => Folded::Left,
        (Const::Float(0.0), _) => Folded::Left,
        (_, Const::Float(1.0)) => Folded::Left,
        _ => Folded::Keep,
    }
}

fn remainder(op: BinaryOp, a: Const, b: Const, dtype: DataType) -> Folded {
    match (a, b) {
        (Const::Int(_), Const::Int(0)) => Folded::Error(DIVIDE_BY_ZERO),
        (Const::Int(a), Const::Int(b)) => {
            Folded::Int(if op == BinaryOp::Mod { a % b } else { a - floor_div(a, b) * b }, dtype)
        }
        _ if !is_index(dtype) => Folded::Keep,
        (_, Const::Int(0)) => Folded::Error(DIVIDE_BY_ZERO),
        (Const::Int(0), _) => Folded::Left,
        (_, Const::Int(1)) => Folded::Int(0, dtype),
        _ => Folded::Keep,
    }
}

fn floor_div(a: i128, b: i128) -> i128 {
    let quotient = a / b;
    if a % b != 0 && (a < 0) != (b < 0) { quotient - 1 } else { quotient }
}

fn shift(op: BinaryOp, a: Const, b: Const, dtype: DataType) -> Folded {
    let Const::Int(amount) = b else { return Folded::Keep };
    if !(0..i128::from(dtype.bits)).contains(&amount) {
        return Folded::Error(SHIFT);
    }
    match a {
        Const::Int(a) if op == BinaryOp::Shl => Folded::Int(a << amount, dtype),
        Const::Int(a) => Folded::Int(a >> amount, dtype),
        _ if amount == 0 => Folded::Left,
        _ => Folded::Keep,
    }
}

fn extremum(op: BinaryOp, a: Const, b: Const, is_same: bool, dtype: DataType) -> Folded {
    let is_max = op == BinaryOp::Max;
    match (a, b) {
        (Const::Int(a), Const::Int(b)) => {
            Folded::Int(if is_max { a.max(b) } else { a.min(b) }, dtype)
        }
        (Const::Float(x), Const::Float(y)) => {
            let takes_first = if is_max { x >= y } else { y >= x };
            Folded::Float(if takes_first { x } else { y }, dtype)
        }
        _ if is_same => Folded::Left,
        _ => Folded::Keep,
    }
}

fn comparison(op: BinaryOp, a: Const, b: Const) -> Folded {
    let order = match (a, b) {
        (Const::Int(a), Const::Int(b)) => Some(a.cmp(&b)),
        (Const::Float(x), Const::Float(y)) => x.partial_cmp(&y),
        _ => return Folded::Keep,
    };
    let holds = match op {
        BinaryOp::Eq => order.is_some_and(|it| it.is_eq()),
        BinaryOp::Ne => order.is_none_or(|it| it.is_ne()),
        BinaryOp::Lt => order.is_some_and(|it| it.is_lt()),
        BinaryOp::Le => order.is_some_and(|it| it.is_le()),
        BinaryOp::Gt => order.is_some_and(|it| it.is_gt()),
        _ => order.is_some_and(|it| it.is_ge()),
    };
    Folded::Int(i128::from(holds), DataType::BOOL)
}

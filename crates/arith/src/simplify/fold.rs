//! Constants: operations on them, neutral and absorbing operands, conversions that change nothing.
//!
//! Integers only, with the reference value of `SEMANTICS.md`. An operation with an event or an error (`I1`, `I5`, `I6`,
//! `I8`) is not folded: a constant would hide it. Floats are not computed; exact cases are rules, and constants that a
//! conversion keeps exactly are converted.

use ir::{BinaryOp, Callee, DataType, ExprId, ExprKind, Intrinsic, TypeCode, UnaryOp};

use super::{At, Rewrite, Simplifier};
use crate::{
    Interval,
    integers::is_integral,
    interval::{floor_div, floor_mod},
};

/// The truth of a comparison of constants.
pub(super) fn compare(op: BinaryOp, a: i128, b: i128) -> bool {
    match op {
        BinaryOp::Eq => a == b,
        BinaryOp::Ne => a != b,
        BinaryOp::Lt => a < b,
        BinaryOp::Le => a <= b,
        BinaryOp::Gt => a > b,
        _ => a >= b,
    }
}

/// The exact value of an operation on integers; `None` for an error or another kind of operation.
pub(super) fn evaluate(op: BinaryOp, a: i128, b: i128) -> Option<i128> {
    match op {
        BinaryOp::Add => a.checked_add(b),
        BinaryOp::Sub => a.checked_sub(b),
        BinaryOp::Mul => a.checked_mul(b),
        _ if op.is_division() && b == 0 => None,
        BinaryOp::Div => a.checked_div(b),
        BinaryOp::Mod => a.checked_rem(b),
        // `MIN // -1` of 128 bits is no value of any type.
        BinaryOp::FloorDiv => a.checked_div(b).map(|_| floor_div(a, b)),
        BinaryOp::FloorMod => a.checked_rem(b).map(|_| floor_mod_signed(a, b)),
        BinaryOp::Min => Some(a.min(b)),
        BinaryOp::Max => Some(a.max(b)),
        BinaryOp::BitAnd => Some(a & b),
        BinaryOp::BitOr => Some(a | b),
        BinaryOp::BitXor => Some(a ^ b),
        BinaryOp::Shl => {
            u32::try_from(b).ok().filter(|it| *it < 64).and_then(|b| a.checked_mul(1 << b))
        }
        BinaryOp::Shr => u32::try_from(b).ok().filter(|it| *it < 64).map(|b| a >> b),
        _ => None,
    }
}

/// Returns the operand that an operation on integers equals, where these are its constant operands: true for the left
/// one, false for the right one.
pub(super) fn neutral(op: BinaryOp, a: Option<i128>, b: Option<i128>) -> Option<bool> {
    match (op, a, b) {
        (BinaryOp::Add, Some(0), _) | (BinaryOp::Mul, Some(1), _) => Some(false),
        (BinaryOp::Add | BinaryOp::Sub | BinaryOp::Shl | BinaryOp::Shr, _, Some(0))
        | (BinaryOp::Mul | BinaryOp::Div | BinaryOp::FloorDiv, _, Some(1)) => Some(true),
        (_, Some(0), _) if op.is_division() => Some(true),
        _ => None,
    }
}

fn floor_mod_signed(a: i128, b: i128) -> i128 {
    if b > 0 { floor_mod(a, b) } else { -floor_mod(-a, -b) }
}

impl Simplifier<'_> {
    /// The node as a constant or an operand of it.
    pub(super) fn fold(&mut self, _: At, expr: ExprId) -> Option<Rewrite> {
        let node = self.body().expr(expr);
        let dtype = node.ty.prim().filter(|it| it.is_scalar())?;
        match node.kind {
            ExprKind::Binary(op, a, b) => {
                let operand = self.body().dtype(a).filter(|it| is_integral(*it))?;
                self.fold_binary(op, a, b, operand, dtype)
            }
            ExprKind::Unary(op, a) => {
                let value = self.as_int(a)?;
                let value = if op == UnaryOp::Not { i128::from(value == 0) } else { !value };
                // The complement of an unsigned value has its bits, not its number.
                let is_folded = dtype.is_int() || op == UnaryOp::Not;
                is_folded.then(|| (self.int(value, dtype), "fold"))
            }
            ExprKind::Cast(a) => self.fold_cast(a, dtype),
            ExprKind::Select(cond, a, b) => {
                let chosen = if self.as_bool(cond)? { a } else { b };
                Some((chosen, "fold"))
            }
            ExprKind::Call {
                callee: Callee::Intrinsic(_, Intrinsic::LeadingZeros), args, ..
            } => {
                let &[operand] = self.body().items(args) else { return None };
                self.fold_leading_zeros(operand, dtype)
            }
            _ => None,
        }
    }

    fn fold_binary(
        &mut self,
        op: BinaryOp,
        a: ExprId,
        b: ExprId,
        operand: DataType,
        dtype: DataType,
    ) -> Option<Rewrite> {
        let (x, y) = (self.as_int(a), self.as_int(b));
        if let (Some(x), Some(y)) = (x, y)
            && !op.is_logical()
        {
            if op.is_comparison() {
                return Some((self.int(compare(op, x, y).into(), dtype), "fold"));
            }
            let is_shift = matches!(op, BinaryOp::Shl | BinaryOp::Shr);
            if is_shift && y >= i128::from(dtype.bits) {
                return None;
            }
            let value = evaluate(op, x, y).filter(|it| Interval::of_type(dtype).contains(*it))?;
            return operand.is_integer().then(|| (self.int(value, dtype), "fold"));
        }
        if !operand.is_integer() {
            return None;
        }
        if let Some(is_left) = neutral(op, x, y) {
            return Some((if is_left { a } else { b }, "neutral-operand"));
        }
        match (op, x, y) {
            (BinaryOp::Mul, Some(0), _)
            | (BinaryOp::Mul, _, Some(0))
            | (BinaryOp::Mod | BinaryOp::FloorMod, _, Some(1)) => {
                Some((self.int(0, dtype), "absorbing-operand"))
            }
            _ => None,
        }
    }

    /// The zero bits above the highest bit of a constant; of 0 there is none (`SEMANTICS: I8`).
    fn fold_leading_zeros(&mut self, operand: ExprId, dtype: DataType) -> Option<Rewrite> {
        let value = self.as_int(operand).filter(|it| *it != 0)?;
        let bits = self.body().dtype(operand).filter(|it| is_integral(*it))?.bits;
        let zeros = match u128::try_from(value) {
            Ok(value) => i128::from(bits) - i128::from(u128::BITS - value.leading_zeros()),
            Err(_) => 0,
        };
        Some((self.int(zeros, dtype), "fold"))
    }

    /// The finite value of a constant, if a float type has it. A float that was rounded when it was read has none: its
    /// spelling is another value.
    fn exact(&self, constant: ExprId, dtype: DataType) -> Option<f64> {
        let is_float = matches!(dtype.code, TypeCode::Float | TypeCode::BFloat);
        if !is_float || !matches!(dtype.bits, 16 | 32 | 64) {
            return None;
        }
        let value = match (self.body().expr(constant).kind, self.as_int(constant)) {
            (ExprKind::Float(bits), _) => {
                let value = f64::from_bits(bits);
                self.body().float_spelling(constant).filter(|it| it.to_bits() == bits)?;
                value
            }
            // Within 53 bits a double has every integer.
            (_, Some(value)) if value.unsigned_abs() < 1 << 53 => value as f64,
            _ => return None,
        };
        let is_kept = dtype.round_float(value).to_bits() == value.to_bits();
        (is_kept && value.is_finite()).then_some(value)
    }

    fn fold_cast(&mut self, a: ExprId, dtype: DataType) -> Option<Rewrite> {
        let from = self.body().dtype(a)?;
        if from == dtype {
            return Some((a, "cast-back"));
        }
        if let Some(value) = self.as_int(a)
            && is_integral(dtype)
        {
            // C4, C5, C6: modulo the width, or whether it is not 0.
            let value = if dtype.is_bool() { i128::from(value != 0) } else { value };
            return Some((self.int(value, dtype), "fold"));
        }
        if let Some(value) = self.exact(a, dtype) {
            let constant = self.grow(|body| body.float(value, dtype));
            return Some((constant, "fold"));
        }
        // C5: what was widened and is narrowed again is what it was.
        let ExprKind::Cast(inner) = self.body().expr(a).kind else { return None };
        let inner_type = self.body().dtype(inner)?;
        let widens = inner_type.is_integer() && from.is_integer() && from.bits >= inner_type.bits;
        (widens && inner_type == dtype).then_some((inner, "cast-back"))
    }
}

//! Operators: wrapping integers, division that rounds down, floats rounded to their own width.
//!
//! naga's integers wrap in every language, as the reference does (`SEMANTICS: I1`, `I2`), and its division by zero is
//! defined; both are errors of the program, so nothing depends on them.

use ::naga::{BinaryOperator as Op, Scalar, ScalarKind};
use ir::{BinaryOp, DataType, ExprId, TypeCode};

use super::{expr::Place, function::Node, types, writer::Writer};
use crate::kernel::{Refusal, Result};
use crate::reasons;

impl Writer<'_> {
    /// One lane of `a op b`.
    pub(super) fn binary(
        &mut self,
        op: BinaryOp,
        a: ExprId,
        b: ExprId,
        place: &Place,
    ) -> Result<Node> {
        let kind = self.dtype(a)?.element();
        self.note_type(kind, false);
        if !low_half_is_enough(op) {
            self.exact(a)?;
            self.exact(b)?;
        }
        let (mut left, mut right) = (self.expr(a, place)?, self.expr(b, place)?);
        match op {
            BinaryOp::Shl | BinaryOp::Shr => return self.shift(op, left, right, (b, kind)),
            BinaryOp::FloorDiv | BinaryOp::FloorMod => {
                return self.floor_division(op, (a, left), (b, right), kind);
            }
            BinaryOp::Mod if kind.is_float() => {
                return Err(Refusal::new(
                    reasons::INTRINSIC,
                    "a remainder of floats is not exact here",
                ));
            }
            BinaryOp::BitXor if kind.is_bool() => {
                return self.out.binary(Op::NotEqual, left, right);
            }
            _ => {}
        }
        let logical = op.is_logical() || matches!(op, BinaryOp::BitAnd | BinaryOp::BitOr);
        let equality = matches!(op, BinaryOp::Eq | BinaryOp::Ne);
        // Truth values are numbers where they are ordered or added (`SEMANTICS: I13`).
        let numbers = kind.is_bool() && !logical && !equality;
        if numbers {
            left = self.out.convert(left, Scalar::I32)?;
            right = self.out.convert(right, Scalar::I32)?;
        }
        let result = match op {
            BinaryOp::Min => {
                let less = self.out.binary(Op::Less, left, right)?;
                self.out.select(less, left, right)?
            }
            BinaryOp::Max => {
                let greater = self.out.binary(Op::Greater, left, right)?;
                self.out.select(greater, left, right)?
            }
            op => self.out.binary(operator(op), left, right)?,
        };
        match op {
            _ if op.is_comparison() || op.is_logical() => Ok(result),
            _ if numbers => self.not_zero_node(result, Scalar::I32),
            BinaryOp::Min | BinaryOp::Max | BinaryOp::BitAnd | BinaryOp::BitOr => Ok(result),
            _ if kind.is_float() => self.rounded(result, kind),
            _ => self.wrapped(result, kind),
        }
    }

    /// Refuses an integer of 64 bits of which only the low half is computed, unless that is shown to be all of it.
    pub(super) fn exact(&mut self, expr: ExprId) -> Result<()> {
        let dtype = self.dtype(expr)?.element();
        if self.language.has_int64() || dtype.bits != 64 || !dtype.is_integer() {
            return Ok(());
        }
        let range = self.bounds.range(expr);
        let whole = match dtype.is_uint() {
            true => 0..=i128::from(u32::MAX),
            false => i128::from(i32::MIN)..=i128::from(i32::MAX),
        };
        if whole.contains(&range.lo) && whole.contains(&range.hi) {
            return Ok(());
        }
        Err(Refusal::new(
            reasons::INT64,
            format!("a value of `{dtype}` is not shown to fit 32 bits"),
        ))
    }

    /// An integer cut to its width (`SEMANTICS: I3`).
    pub(super) fn wrapped(&mut self, value: Node, dtype: DataType) -> Result<Node> {
        if dtype.bits >= 32 || !dtype.is_integer() {
            return Ok(value);
        }
        if dtype.is_uint() {
            let mask = self.out.u32((1 << dtype.bits) - 1)?;
            return self.out.binary(Op::And, value, mask);
        }
        let unused = self.out.u32(32 - u32::from(dtype.bits))?;
        let value = self.out.binary(Op::ShiftLeft, value, unused)?;
        self.out.binary(Op::ShiftRight, value, unused)
    }

    /// A float rounded to its own width, to nearest even (`SEMANTICS: F10`, `C8`).
    pub(super) fn rounded(&mut self, value: Node, dtype: DataType) -> Result<Node> {
        match (dtype.code, dtype.bits) {
            (TypeCode::Float, 16) => {
                self.features.insert("shader-f16");
                let half = self.out.convert(value, Scalar::F16)?;
                self.out.convert(half, Scalar::F32)
            }
            (TypeCode::BFloat, 16) => self.rounded_to_bfloat(value),
            _ => Ok(value),
        }
    }

    /// Half of the last place that is kept is added to the bits, less one unless that place is odd; a NaN is kept.
    fn rounded_to_bfloat(&mut self, value: Node) -> Result<Node> {
        let bits = self.out.bits(value, ScalarKind::Uint)?;
        let (sixteen, one) = (self.out.u32(16)?, self.out.u32(1)?);
        let upper = self.out.binary(Op::ShiftRight, bits, sixteen)?;
        let odd = self.out.binary(Op::And, upper, one)?;
        let half = self.out.u32(0x7fff)?;
        let sum = self.out.binary(Op::Add, bits, half)?;
        let sum = self.out.binary(Op::Add, sum, odd)?;
        let kept = self.out.u32(0xffff_0000)?;
        let sum = self.out.binary(Op::And, sum, kept)?;
        let is_nan = self.is_nan(bits)?;
        let nan = self.out.u32(0x7fc0_0000)?;
        let bits = self.out.select(is_nan, nan, sum)?;
        self.out.bits(bits, ScalarKind::Float)
    }

    /// Returns the condition that the bits of a `float32` are those of a NaN.
    pub(super) fn is_nan(&mut self, bits: Node) -> Result<Node> {
        let magnitude = self.magnitude(bits)?;
        let infinity = self.out.u32(0x7f80_0000)?;
        self.out.binary(Op::Greater, magnitude, infinity)
    }

    /// The bits of a `float32` without its sign.
    pub(super) fn magnitude(&mut self, bits: Node) -> Result<Node> {
        let mask = self.out.u32(0x7fff_ffff)?;
        self.out.binary(Op::And, bits, mask)
    }

    fn shift(
        &mut self,
        op: BinaryOp,
        left: Node,
        right: Node,
        (amount, kind): (ExprId, DataType),
    ) -> Result<Node> {
        if !kind.is_integer() {
            return Err(Refusal::new(reasons::DTYPE, format!("a shift of `{kind}`")));
        }
        // A constant amount that no shift has is refused by the validator: an error of the program (`I8`).
        if self.constant(amount).is_some_and(|it| !(0..i64::from(kind.bits)).contains(&it)) {
            return Err(Refusal::new(reasons::SHIFT_AMOUNT, "a shift by its width or more"));
        }
        if !self.language.has_int64() && kind.bits == 64 {
            let range = self.bounds.range(amount);
            if range.lo < 0 || range.hi > 31 {
                return Err(Refusal::new(reasons::INT64, "a shift of 64 bits by more than 31"));
            }
        }
        let right = self.out.convert(right, Scalar::U32)?;
        let op = if op == BinaryOp::Shl { Op::ShiftLeft } else { Op::ShiftRight };
        let result = self.out.binary(op, left, right)?;
        self.wrapped(result, kind)
    }

    /// Rounds down (`SEMANTICS: I7`).
    fn floor_division(
        &mut self,
        op: BinaryOp,
        (a, left): (ExprId, Node),
        (b, right): (ExprId, Node),
        kind: DataType,
    ) -> Result<Node> {
        if kind.is_float() {
            return Err(Refusal::new(reasons::FLOAT_FLOOR_DIVISION, "a floor division of floats"));
        }
        if !kind.is_integer() {
            return Err(Refusal::new(reasons::DTYPE, format!("a floor division of `{kind}`")));
        }
        let is_div = op == BinaryOp::FloorDiv;
        let divisor = self.constant(b);
        if divisor == Some(0) {
            return Err(Refusal::new(reasons::DIVISION_BY_ZERO, "the divisor is the constant 0"));
        }
        let plain = if is_div { Op::Divide } else { Op::Modulo };
        if kind.is_uint() || (self.bounds.non_negative(a) && self.bounds.non_negative(b)) {
            return self.out.binary(plain, left, right);
        }
        // Two's complement: shifting right and masking round down for a power of two (`SEMANTICS: I9`).
        if let Some(power) = divisor.filter(|&it| it > 0 && it & (it - 1) == 0) {
            if is_div {
                let amount = self.out.u32(power.trailing_zeros())?;
                return self.out.binary(Op::ShiftRight, left, amount);
            }
            let mask = self.int(power - 1, kind)?;
            return self.out.binary(Op::And, left, mask);
        }
        let zero = self.int(0, kind)?;
        let remainder = self.out.binary(Op::Modulo, left, right)?;
        let inexact = self.out.binary(Op::NotEqual, remainder, zero)?;
        let negative = self.out.binary(Op::Less, remainder, zero)?;
        let opposite = self.out.binary(Op::Less, right, zero)?;
        let differ = self.out.binary(Op::NotEqual, negative, opposite)?;
        let below = self.out.binary(Op::LogicalAnd, inexact, differ)?;
        let (value, other) = match is_div {
            true => {
                let quotient = self.out.binary(Op::Divide, left, right)?;
                let one = self.int(1, kind)?;
                (quotient, self.out.binary(Op::Subtract, quotient, one)?)
            }
            false => (remainder, self.out.binary(Op::Add, remainder, right)?),
        };
        let result = self.out.select(below, other, value)?;
        self.wrapped(result, kind)
    }

    // ---- conversions ----

    /// One lane of a conversion: one rounding (`SEMANTICS: C2` to `C8`).
    pub(super) fn cast(&mut self, a: ExprId, dtype: DataType, place: &Place) -> Result<Node> {
        let (from, to) = (self.dtype(a)?.element(), dtype.element());
        self.note_type(from, false);
        self.note_type(to, false);
        let (source, target) =
            (types::register(from, self.language)?, types::register(to, self.language)?);
        if !(to.is_integer() && from.is_integer()) {
            self.exact(a)?;
        }
        let value = self.expr(a, place)?;
        if from == to {
            return Ok(value);
        }
        if to.is_bool() {
            return self.not_zero_node(value, source);
        }
        // By way of `float32` only where that is exact, or cannot matter: what `float32` does not hold is beyond
        // `float16` anyway, but not beyond `bfloat16`.
        let half = to.bits == 16 && to.is_float();
        let wide = source.width == 8 || (from.is_integer() && from.bits >= 32);
        let beyond = from.is_integer() && to.code == TypeCode::Float;
        if half && wide && !beyond {
            return Err(Refusal::new(
                reasons::CAST,
                format!("`{from}` to `{to}` with one rounding"),
            ));
        }
        let value = match source == target {
            true => value,
            // Between the signs of one width the bits stay.
            false if source.width == target.width && from.is_integer() && to.is_integer() => {
                self.out.bits(value, target.kind)?
            }
            false => self.out.convert(value, target)?,
        };
        match to.is_float() {
            true => self.rounded(value, to),
            false => self.wrapped(value, to),
        }
    }

    /// `value != 0`, which NaN is, too (`SEMANTICS: C6`).
    pub(super) fn not_zero_node(&mut self, value: Node, scalar: Scalar) -> Result<Node> {
        if scalar == Scalar::BOOL {
            return Ok(value);
        }
        let zero = ::naga::Literal::zero(scalar);
        let zero = zero.ok_or_else(|| Refusal::new(reasons::DTYPE, "a scalar without a zero"))?;
        let zero = self.out.literal(zero)?;
        self.out.binary(Op::NotEqual, value, zero)
    }
}

/// Returns true if the low half of a result depends on the low halves of its operands only.
fn low_half_is_enough(op: BinaryOp) -> bool {
    matches!(
        op,
        BinaryOp::Add
            | BinaryOp::Sub
            | BinaryOp::Mul
            | BinaryOp::BitAnd
            | BinaryOp::BitOr
            | BinaryOp::BitXor
            | BinaryOp::Shl
    )
}

fn operator(op: BinaryOp) -> Op {
    match op {
        BinaryOp::Add => Op::Add,
        BinaryOp::Sub => Op::Subtract,
        BinaryOp::Mul => Op::Multiply,
        BinaryOp::Div | BinaryOp::FloorDiv => Op::Divide,
        BinaryOp::Mod | BinaryOp::FloorMod => Op::Modulo,
        BinaryOp::Eq => Op::Equal,
        BinaryOp::Ne => Op::NotEqual,
        BinaryOp::Lt | BinaryOp::Min => Op::Less,
        BinaryOp::Le => Op::LessEqual,
        BinaryOp::Gt | BinaryOp::Max => Op::Greater,
        BinaryOp::Ge => Op::GreaterEqual,
        BinaryOp::And => Op::LogicalAnd,
        BinaryOp::Or => Op::LogicalOr,
        BinaryOp::BitAnd => Op::And,
        BinaryOp::BitOr => Op::InclusiveOr,
        BinaryOp::BitXor => Op::ExclusiveOr,
        BinaryOp::Shl => Op::ShiftLeft,
        BinaryOp::Shr => Op::ShiftRight,
    }
}

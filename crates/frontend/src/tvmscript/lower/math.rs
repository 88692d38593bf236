//! Functions that TVM expands when it reads them: `T.ceildiv`, `T.abs`, `T.isinf`, limits of types.

use ir::{BinaryOp, DataType, ExprKind, Type, UnaryOp};

use super::{Lowerer, R, arguments::Args, calls::Written, source_tree::At, value::Tx};
use crate::tvmscript::{ast::Ex, diagnostics};

impl Lowerer<'_, '_, '_> {
    pub(super) fn ceildiv(&mut self, ex: Ex, args: &Args<'_>) -> R<Tx> {
        let [a, b] = self.operands(ex, args, ["lhs", "rhs"])?;
        let at = self.at(ex);
        self.ceildiv_of(a, b, at)
    }

    /// A quotient that is rounded up, at a place.
    pub(super) fn ceildiv_of(&mut self, a: Tx, b: Tx, at: At) -> R<Tx> {
        let (a, b) = self.promote(a, b)?;
        if let (Some(x), Some(y), Some(dtype)) =
            (self.const_int(a), self.const_int(b), self.dtype(a))
            && y != 0
        {
            let (x, y) = (i128::from(x), i128::from(y));
            let quotient = -(-x).div_euclid(y);
            let exact = if y > 0 { quotient } else { (x + y + 1).div_euclid(y) };
            return Ok(self.int(exact, dtype, at));
        }
        let inside = At { is_real: false, ..at };
        let dtype = self.dtype(a).filter(|it| !it.is_symbolic());
        let one = self.virtual_int(1, dtype.unwrap_or(DataType::INT32), at.range);
        let again = Tx { id: b.id, src: self.s.sources.again(b.src) };
        let sum = self.arithmetic(BinaryOp::Add, a, b, inside)?;
        let sum = self.arithmetic(BinaryOp::Sub, sum, one, inside)?;
        self.arithmetic(BinaryOp::FloorDiv, sum, again, at)
    }

    pub(super) fn pow(&mut self, ex: Ex, args: &Args<'_>) -> R<Tx> {
        let [x, y] = self.operands(ex, args, ["x", "y"])?;
        let (x, y) = self.promote(x, y)?;
        let ty = self.ty(x);
        if let Type::Prim(dtype) = ty
            && dtype.code != ir::TypeCode::Float
            && !dtype.is_symbolic()
        {
            let range = self.ast.range(ex);
            let message = format!("the power of {dtype}: TVM has it for floats only");
            return Err(self.error(diagnostics::DTYPE_MISMATCH, range, message));
        }
        let at = self.at(ex);
        Ok(self.call_node("pow", &[x, y], ty, at))
    }

    pub(super) fn abs(&mut self, ex: Ex, args: &Args<'_>) -> R<Tx> {
        let [x] = self.operands(ex, args, ["x"])?;
        let at = self.at(ex);
        let Some(dtype) = self.dtype(x).filter(|it| !it.is_symbolic()) else {
            let ty = self.ty(x);
            return Ok(self.call_node("abs", &[x], ty, at));
        };
        if dtype.is_uint() {
            return Ok(x);
        }
        if dtype.is_float() {
            if let ExprKind::Float(_) = self.kind(x) {
                let value = self.s.body.float_spelling(x.id).unwrap_or_default().abs();
                let id = self.s.body.float(value, dtype);
                return Ok(self.tx(id, at));
            }
            return Ok(self.call_node("fabs", &[x], dtype.into(), at));
        }
        if dtype.is_bool() {
            let range = self.ast.range(ex);
            return Err(self.error(
                diagnostics::DTYPE_MISMATCH,
                range,
                "there is no absolute value of bool",
            ));
        }
        if let Some(value) = self.const_int(x) {
            return Ok(self.int(i128::from(value).abs(), dtype, at));
        }
        let inside = At { is_real: false, ..at };
        let zero = self.virtual_int(0, DataType::INT32, at.range);
        let zero = self.cast_to(zero, dtype)?;
        let again = |this: &mut Self, tx: Tx| Tx { id: tx.id, src: this.s.sources.again(tx.src) };
        let (x1, x2) = (again(self, x), again(self, x));
        let (z1, z2) = (zero, again(self, zero));
        let condition = self.node2(BinaryOp::Ge, x1, z1, inside);
        let negated = self.arithmetic(BinaryOp::Sub, z2, x2, inside)?;
        let id = self.s.body.select(condition.id, x.id, negated.id);
        Ok(Tx { id, src: self.s.sources.node(at, &[condition.src, x.src, negated.src]) })
    }

    pub(super) fn float_class(&mut self, ex: Ex, name: &str, args: &Args<'_>) -> R<Tx> {
        let [x] = self.operands(ex, args, ["x"])?;
        let at = self.at(ex);
        let Some(dtype) = self.dtype(x).filter(|it| !it.is_symbolic()) else {
            return Ok(self.call_node(name, &[x], Type::Unknown, at));
        };
        if dtype.is_integer() {
            let value = self.int(i128::from(name == "isfinite"), DataType::BOOL, at);
            return Ok(if dtype.is_scalar() { value } else { self.broadcast(value, dtype.lanes) });
        }
        if let ExprKind::Float(_) = self.kind(x) {
            let value = self.s.body.float_spelling(x.id).unwrap_or_default();
            let holds = match name {
                "isnan" => value.is_nan(),
                "isinf" => value.is_infinite(),
                _ => value.is_finite(),
            };
            return Ok(self.int(i128::from(holds), DataType::BOOL, at));
        }
        if dtype.code != ir::TypeCode::Float {
            let range = self.ast.range(ex);
            let message = format!("`T.{name}` is not defined on {dtype}");
            return Err(self.error(diagnostics::DTYPE_MISMATCH, range, message));
        }
        match name {
            "isnan" => self.is_nan(x, dtype, at),
            "isinf" => self.is_inf(x, dtype, at),
            _ => {
                let inside = At { is_real: false, ..at };
                let again = Tx { id: x.id, src: self.s.sources.again(x.src) };
                let infinite = self.is_inf(x, dtype, inside)?;
                let finite = self.not_node(UnaryOp::Not, infinite, inside)?;
                let is_nan = self.is_nan(again, dtype, inside)?;
                let not_nan = self.not_node(UnaryOp::Not, is_nan, inside)?;
                self.logic_node(BinaryOp::And, finite, not_nan, at)
            }
        }
    }

    /// Half floats are tested as float32.
    pub(super) fn is_nan(&mut self, x: Tx, dtype: DataType, at: At) -> R<Tx> {
        let wide = DataType::FLOAT32.with_lanes(dtype.lanes);
        let x = if dtype.bits == 16 { self.cast_to(x, wide)? } else { x };
        let ty = DataType::BOOL.with_lanes(dtype.lanes).into();
        Ok(self.call_node("isnan", &[x], ty, at))
    }

    /// `fabs(x) == inf and not isnan(x)`
    pub(super) fn is_inf(&mut self, x: Tx, dtype: DataType, at: At) -> R<Tx> {
        let inside = At { is_real: false, ..at };
        let again = Tx { id: x.id, src: self.s.sources.again(x.src) };
        let infinity = self.s.body.float(f64::INFINITY, dtype.element());
        let infinity = self.tx(infinity, inside);
        let infinity =
            if dtype.is_scalar() { infinity } else { self.broadcast(infinity, dtype.lanes) };
        let magnitude = self.call_node("fabs", &[x], dtype.into(), inside);
        let equal = self.node2(BinaryOp::Eq, magnitude, infinity, inside);
        let is_nan = self.is_nan(again, dtype, inside)?;
        let not_nan = self.not_node(UnaryOp::Not, is_nan, inside)?;
        self.logic_node(BinaryOp::And, equal, not_nan, at)
    }

    pub(super) fn all_any(&mut self, ex: Ex, name: &str, args: &Args<'_>) -> R<Tx> {
        let items = self.eval_items(&args.positional)?;
        let op = if name == "all" { BinaryOp::And } else { BinaryOp::Or };
        let at = self.at(ex);
        let inside = At { is_real: false, ..at };
        let mut result: Option<Tx> = None;
        for (index, item) in items.iter().enumerate() {
            let next = self.lift(item)?;
            let at = if index + 1 == items.len() { at } else { inside };
            result = Some(match result {
                None => next,
                Some(before) => self.logic_node(op, before, next, at)?,
            });
        }
        result.ok_or_else(|| self.malformed(ex, "at least one condition is needed"))
    }

    pub(super) fn limit(&mut self, ex: Ex, name: &str, args: &Args<'_>) -> R<Tx> {
        let Some(arg) = args.get("dtype") else {
            return Err(self.malformed(ex, "a data type is needed"));
        };
        let at = self.at(ex);
        let dtype = match self.written_type(arg)? {
            Written::Type(Type::Prim(dtype)) if dtype.is_symbolic() => {
                let inside = self.at(arg);
                let operand = self.dtype_operand(dtype, inside);
                return Ok(self.call_node(name, &[operand], dtype.into(), at));
            }
            Written::Type(Type::Prim(dtype)) => dtype,
            Written::Type(_) => return Err(self.malformed(arg, "a data type is needed here")),
            Written::Symbolic(dtype) => {
                return Ok(self.call_node(name, &[dtype], Type::Unknown, at));
            }
        };
        let src = self.s.sources.leaf(at);
        if dtype.is_float() {
            let largest = match (dtype.code, dtype.bits) {
                (ir::TypeCode::Float | ir::TypeCode::BFloat, _) => super::promote::largest(dtype),
                _ => return self.limit_call(ex, name, args),
            };
            let value = match name {
                "infinity" => f64::INFINITY,
                "max_value" => largest,
                _ => -largest,
            };
            return self.const_float_as(value, dtype, src);
        }
        let bits = u32::from(dtype.bits.clamp(1, 64));
        let value = match (name, dtype.is_int()) {
            ("min_value", true) => -(1i128 << (bits - 1)),
            ("min_value", false) => 0,
            (_, true) => (1i128 << (bits - 1)) - 1,
            (_, false) => (1i128 << bits) - 1,
        };
        self.const_as(value, dtype, src)
    }

    pub(super) fn limit_call(&mut self, ex: Ex, name: &str, args: &Args<'_>) -> R<Tx> {
        let ev = self.generic_call(ex, name, args)?;
        self.lift(&ev)
    }
}

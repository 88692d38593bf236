//! Operations without effects, converted to expressions.
//!
//! In: an operation of `arith`, `index` or `math` and its operands as expressions. Out: an expression of the same
//! value, with constants folded.
//!
//! - Integers of 32 bits and more wrap, which signed numbers of TIR do not (`SEMANTICS: I1`): sums, differences and
//!   products are those of unsigned numbers unless `nsw` promises that none overflows. Narrow ones wrap by themselves
//!   (`I3`).
//! - `index` has 64 bits and is taken not to overflow: it counts elements, and one that wraps is the address of none.
//! - Truth values are `bool`: their `andi`, `ori`, `xori` are logic.
//! - Floats are rounded as written; `maximumf` and `minimumf` give NaN for NaN and know the sign of zero, unless
//!   `fastmath` takes that back.

use ir::{
    BinaryOp, Body, DataType, ExprId, ExprKind, Intrinsic, OpId, OpKind, Type, UnaryOp, known_ops,
};

use super::text::{self, Number};
use crate::edit::folded;

/// Functions of `math` that are intrinsics.
const FUNCTIONS: &[(&str, &str)] = &[
    ("math.exp", "exp"),
    ("math.exp2", "exp2"),
    ("math.log", "log"),
    ("math.log2", "log2"),
    ("math.log10", "log10"),
    ("math.log1p", "log1p"),
    ("math.sqrt", "sqrt"),
    ("math.rsqrt", "rsqrt"),
    ("math.sin", "sin"),
    ("math.cos", "cos"),
    ("math.tan", "tan"),
    ("math.sinh", "sinh"),
    ("math.cosh", "cosh"),
    ("math.tanh", "tanh"),
    ("math.asin", "asin"),
    ("math.acos", "acos"),
    ("math.atan", "atan"),
    ("math.asinh", "asinh"),
    ("math.acosh", "acosh"),
    ("math.atanh", "atanh"),
    ("math.erf", "erf"),
    ("math.floor", "floor"),
    ("math.ceil", "ceil"),
    ("math.trunc", "trunc"),
    ("math.absf", "fabs"),
    ("math.roundeven", "round"),
    ("math.powf", "pow"),
    ("math.atan2", "atan2"),
    ("math.copysign", "copysign"),
];

/// The value of an operation; none if it is none of these, or on other types.
pub(super) fn value_of(
    to: &mut Body,
    from: &Body,
    op: OpId,
    operands: &[ExprId],
) -> Option<ExprId> {
    let name = text::name_of(from, op);
    let result = text::scalar(text::type_of(from, *from.ops[op].results.first()?))?;
    let is_constant = matches!(
        from.ops[op].kind,
        OpKind::Named(
            known_ops::ARITH_CONSTANT | known_ops::INDEX_CONSTANT | known_ops::INDEX_BOOL_CONSTANT
        )
    );
    if is_constant {
        return Some(match text::number(text::attr(from, op, "value")?)? {
            Number::Int(value, dtype) => to.int(value, dtype),
            Number::Float(value, dtype) => to.float(value, dtype),
        });
    }
    let is_index = operands
        .first()
        .and_then(|_| match from.expr(*from.ops[op].operands.first()?).kind {
            ExprKind::Value(value) => Some(text::type_of(from, value) == "index"),
            _ => None,
        })
        .unwrap_or(false);
    let flags = text::attr(from, op, "overflowFlags").unwrap_or_default();
    let fast = text::attr(from, op, "fastmath").unwrap_or_default();
    let mut at = Values {
        body: to,
        result,
        wraps: !is_index && !text::has_word(flags, "nsw"),
        knows_nan: !text::has_word(fast, "nnan") && !text::has_word(fast, "fast"),
        knows_zero: !text::has_word(fast, "nsz") && !text::has_word(fast, "fast"),
    };
    let plain = name.strip_prefix("arith.").or_else(|| name.strip_prefix("index."));
    match (plain, operands) {
        (Some("cmpi"), &[a, b]) => {
            let number = text::int_list(from, op, "predicate")?;
            at.compare(*number.first()?, a, b)
        }
        (Some("cmpf"), &[a, b]) => {
            let number = text::int_list(from, op, "predicate")?;
            at.compare_floats(*number.first()?, a, b)
        }
        (Some("select"), &[c, a, b]) => Some(at.select(c, a, b)),
        (Some(name), &[a, b]) => at.binary_by_name(name, a, b),
        (Some(name), &[a]) => at.conversion(name, a),
        (None, _) => {
            let (_, function) = FUNCTIONS.iter().find(|(it, _)| *it == name)?;
            Some(at.call(function, operands, result))
        }
        _ => None,
    }
}

/// Makes expressions for one operation.
struct Values<'a> {
    body: &'a mut Body,
    result: DataType,
    /// True if sums, differences and products wrap at their width.
    wraps: bool,
    knows_nan: bool,
    knows_zero: bool,
}

/// The conversion, of a constant too.
fn cast(body: &mut Body, a: ExprId, dtype: DataType) -> ExprId {
    let from = body.dtype(a);
    match body.expr(a).kind {
        ExprKind::Int(value) if dtype.is_integer() => {
            let value = match from {
                Some(from) if from.is_uint() => i128::from(value as u64),
                _ => i128::from(value),
            };
            body.int(value, dtype)
        }
        _ => body.cast(a, dtype),
    }
}

impl Values<'_> {
    fn dtype(&self, a: ExprId) -> DataType {
        self.body.dtype(a).unwrap_or(self.result)
    }

    fn binary(&mut self, op: BinaryOp, a: ExprId, b: ExprId) -> ExprId {
        folded(self.body, op, a, b)
    }

    fn cast(&mut self, a: ExprId, dtype: DataType) -> ExprId {
        cast(self.body, a, dtype)
    }

    fn call(&mut self, name: &str, args: &[ExprId], dtype: DataType) -> ExprId {
        let callee = self.body.operator(name);
        self.body.call(callee, args, Body::no_attrs(), Type::Prim(dtype), false)
    }

    fn reinterpret(&mut self, a: ExprId, dtype: DataType) -> ExprId {
        let callee = self.body.intrinsic(Intrinsic::Reinterpret);
        self.body.call(callee, &[a], Body::no_attrs(), Type::Prim(dtype), false)
    }

    fn select(&mut self, c: ExprId, a: ExprId, b: ExprId) -> ExprId {
        match self.body.expr(c).kind {
            ExprKind::Int(0) => b,
            ExprKind::Int(_) => a,
            _ => self.body.select(c, a, b),
        }
    }

    /// The operator on the bits of its operands read as unsigned numbers.
    fn unsigned(&mut self, op: BinaryOp, a: ExprId, b: ExprId) -> ExprId {
        let dtype = self.dtype(a);
        if !dtype.is_int() {
            return self.binary(op, a, b);
        }
        let (a, b) = (self.bits(a), self.bits(b));
        let res = self.binary(op, a, b);
        if op.is_comparison() { res } else { self.cast(res, dtype) }
    }

    /// A signed number read as an unsigned one.
    fn bits(&mut self, a: ExprId) -> ExprId {
        let dtype = self.dtype(a);
        if dtype.is_int() { self.cast(a, DataType::uint(dtype.bits)) } else { a }
    }

    /// A sum, difference or product.
    fn ring(&mut self, op: BinaryOp, a: ExprId, b: ExprId) -> ExprId {
        let is_wide = self.dtype(a).bits >= 32;
        let are_constants = [a, b].iter().all(|&it| self.body.expr(it).is_constant());
        if self.wraps && is_wide && !are_constants {
            return self.unsigned(op, a, b);
        }
        self.binary(op, a, b)
    }

    fn binary_by_name(&mut self, name: &str, a: ExprId, b: ExprId) -> Option<ExprId> {
        use BinaryOp::{Add, Div, FloorDiv, FloorMod, Max, Min, Mod, Mul, Ne, Shl, Shr, Sub};
        let dtype = self.dtype(a);
        if dtype.is_bool() {
            return self.logic(name, a, b);
        }
        Some(match name {
            "addi" | "add" => self.ring(Add, a, b),
            "subi" | "sub" => self.ring(Sub, a, b),
            "muli" | "mul" => self.ring(Mul, a, b),
            "addf" => self.body.binary(Add, a, b),
            "subf" => self.body.binary(Sub, a, b),
            "mulf" => self.body.binary(Mul, a, b),
            "divf" => self.body.binary(Div, a, b),
            "remf" => self.call("fmod", &[a, b], dtype),
            "divsi" | "divs" => self.binary(Div, a, b),
            "remsi" | "rems" => self.binary(Mod, a, b),
            "floordivsi" | "floordivs" => self.binary(FloorDiv, a, b),
            "divui" | "divu" => self.unsigned(Div, a, b),
            "remui" | "remu" => self.unsigned(Mod, a, b),
            "ceildivsi" | "ceildivs" => {
                let (low, rest) = (self.binary(FloorDiv, a, b), self.binary(FloorMod, a, b));
                let zero = self.body.int(0, dtype);
                let is_up = self.binary(Ne, rest, zero);
                let up = self.cast(is_up, dtype);
                self.binary(Add, low, up)
            }
            "minsi" | "mins" => self.binary(Min, a, b),
            "maxsi" | "maxs" => self.binary(Max, a, b),
            "minui" | "minu" => self.unsigned(Min, a, b),
            "maxui" | "maxu" => self.unsigned(Max, a, b),
            "andi" | "and" => self.binary(BinaryOp::BitAnd, a, b),
            "ori" | "or" => self.binary(BinaryOp::BitOr, a, b),
            "xori" | "xor" => self.binary(BinaryOp::BitXor, a, b),
            "shli" | "shl" => self.unsigned(Shl, a, b),
            "shrui" | "shru" => self.unsigned(Shr, a, b),
            "shrsi" | "shrs" => self.binary(Shr, a, b),
            "maximumf" => self.extremum(Max, a, b),
            "minimumf" => self.extremum(Min, a, b),
            "maxnumf" => self.number_extremum(Max, a, b),
            "minnumf" => self.number_extremum(Min, a, b),
            _ => return None,
        })
    }

    fn logic(&mut self, name: &str, a: ExprId, b: ExprId) -> Option<ExprId> {
        Some(match name {
            "andi" | "muli" => self.binary(BinaryOp::And, a, b),
            "ori" => self.binary(BinaryOp::Or, a, b),
            "xori" | "addi" | "subi" => self.binary(BinaryOp::Ne, a, b),
            _ => return None,
        })
    }

    fn is_nan(&mut self, a: ExprId) -> ExprId {
        self.call("isnan", &[a], DataType::BOOL)
    }

    /// NaN if one operand is NaN; of zeros, the positive one is larger.
    fn extremum(&mut self, op: BinaryOp, a: ExprId, b: ExprId) -> ExprId {
        let dtype = self.dtype(a);
        let mut res = self.body.binary(op, a, b);
        if self.knows_zero {
            // A sum of zeros is the larger one: it is positive if one of them is.
            let zero = self.body.float(0.0, dtype);
            let is_zero = [a, b].map(|it| self.body.binary(BinaryOp::Eq, it, zero));
            let both = self.body.binary(BinaryOp::And, is_zero[0], is_zero[1]);
            let zeros = match op {
                BinaryOp::Max => self.body.binary(BinaryOp::Add, a, b),
                _ => {
                    let minus = self.body.float(-1.0, dtype);
                    let turned = [a, b].map(|it| self.body.binary(BinaryOp::Mul, it, minus));
                    let sum = self.body.binary(BinaryOp::Add, turned[0], turned[1]);
                    self.body.binary(BinaryOp::Mul, sum, minus)
                }
            };
            res = self.body.select(both, zeros, res);
        }
        if self.knows_nan {
            // `max(a, b)` is `b` if `a` is NaN, and NaN if `b` is (`SEMANTICS: F6`).
            let is_nan = self.is_nan(a);
            res = self.body.select(is_nan, a, res);
        }
        res
    }

    /// The other operand if one is NaN.
    fn number_extremum(&mut self, op: BinaryOp, a: ExprId, b: ExprId) -> ExprId {
        let res = self.body.binary(op, a, b);
        if !self.knows_nan {
            return res;
        }
        let is_nan = self.is_nan(b);
        self.body.select(is_nan, a, res)
    }

    fn compare(&mut self, predicate: i64, a: ExprId, b: ExprId) -> Option<ExprId> {
        use BinaryOp::{Eq, Ge, Gt, Le, Lt, Ne};
        let op = *[Eq, Ne, Lt, Le, Gt, Ge, Lt, Le, Gt, Ge].get(usize::try_from(predicate).ok()?)?;
        let is_ordered = predicate >= 2;
        if self.dtype(a).is_bool() && is_ordered {
            return None;
        }
        Some(if predicate >= 6 { self.unsigned(op, a, b) } else { self.binary(op, a, b) })
    }

    /// The predicates of `cmpf`: ordered ones from 1, unordered ones from 8.
    fn compare_floats(&mut self, predicate: i64, a: ExprId, b: ExprId) -> Option<ExprId> {
        use BinaryOp::{Eq, Ge, Gt, Le, Lt};
        let op = |it: &mut Self, op| it.body.binary(op, a, b);
        let not = |it: &mut Self, e| it.body.unary(UnaryOp::Not, e);
        Some(match predicate {
            0 => self.body.int(0, DataType::BOOL),
            1 => op(self, Eq),
            2 => op(self, Gt),
            3 => op(self, Ge),
            4 => op(self, Lt),
            5 => op(self, Le),
            6 | 8 => {
                let (lt, gt) = (op(self, Lt), op(self, Gt));
                let one = self.body.binary(BinaryOp::Or, lt, gt);
                if predicate == 6 { one } else { not(self, one) }
            }
            7 | 14 => {
                let (a, b) = (self.is_nan(a), self.is_nan(b));
                let unordered = self.body.binary(BinaryOp::Or, a, b);
                if predicate == 14 { unordered } else { not(self, unordered) }
            }
            9..=13 => {
                let opposite = [Le, Lt, Ge, Gt, Eq][usize::try_from(predicate - 9).ok()?];
                let opposite = op(self, opposite);
                not(self, opposite)
            }
            15 => self.body.int(1, DataType::BOOL),
            _ => return None,
        })
    }

    fn conversion(&mut self, name: &str, a: ExprId) -> Option<ExprId> {
        let (from, to) = (self.dtype(a), self.result);
        Some(match name {
            "negf" => {
                let minus = self.body.float(-1.0, from);
                self.body.binary(BinaryOp::Mul, a, minus)
            }
            "extf" | "truncf" | "fptosi" => self.cast(a, to),
            "fptoui" => {
                let wide = self.cast(a, DataType::uint(to.bits));
                self.cast(wide, to)
            }
            "extsi" | "index_cast" | "sitofp" | "casts" if from.is_bool() => {
                let one = match to.is_float() {
                    true => self.body.float(-1.0, to),
                    false => self.body.int(-1, to),
                };
                let zero =
                    if to.is_float() { self.body.float(0.0, to) } else { self.body.int(0, to) };
                self.select(a, one, zero)
            }
            "trunci" | "index_cast" | "index_castui" | "casts" | "castu" if to.is_bool() => {
                let one = self.body.int(1, from);
                let low = self.binary(BinaryOp::BitAnd, a, one);
                let zero = self.body.int(0, from);
                self.binary(BinaryOp::Ne, low, zero)
            }
            "extsi" | "trunci" | "index_cast" | "sitofp" | "casts" => self.cast(a, to),
            "extui" | "index_castui" | "uitofp" | "castu" => {
                let bits = self.bits(a);
                self.cast(bits, to)
            }
            "bitcast" if !from.is_bool() && !to.is_bool() => self.reinterpret(a, to),
            _ => return None,
        })
    }
}

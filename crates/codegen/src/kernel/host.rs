//! Expressions that the host evaluates: launch extents, sizes, scalar arguments.
//!
//! A [`HostExpr`] is a tree over named symbols, with a type at every node. It has a JSON form (for launchers), a text
//! form (for people; Python's spelling, `//` and `%` floor, types left out) and an evaluator (for our own launcher).
//! Integers wrap at their width when evaluated, as `SEMANTICS: I1` has it.
//!
//! JSON: `{"var": "n", "dtype": "int64"}`, `{"const": "1024", "dtype": "int32"}`,
//! `{"op": "floordiv", "dtype": "int32", "args": [...]}`. The operators are those of [`HostOp`], in lower case.

use std::fmt::Write as _;

use ir::{BinaryOp, Body, BufferField, DataType, ExprId, ExprKind, Intrinsic, UnaryOp, ValueId};
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

use crate::kernel::{Refusal, Result};
use crate::reasons;

/// Nodes that one host expression may have when its bindings are written out.
const MAX_NODES: usize = 4096;
/// Depth that one host expression may have: readers of JSON have limits.
const MAX_DEPTH: usize = 48;

/// An expression of the host.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(untagged)]
pub enum HostExpr {
    /// A symbol.
    Var {
        /// Name.
        var: String,
        /// Type.
        dtype: String,
    },
    /// A constant: decimal digits, `true`, `false`, or a float in shortest form.
    Const {
        /// Digits.
        #[serde(rename = "const")]
        value: String,
        /// Type.
        dtype: String,
    },
    /// An operation.
    Op {
        /// The kind.
        op: HostOp,
        /// Type of the result.
        dtype: String,
        /// Operands.
        args: Vec<HostExpr>,
    },
}

/// Operators of the host. Their meaning is that of the IR's operators.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[allow(missing_docs, reason = "named as in `ir::BinaryOp`, where they are documented")]
pub enum HostOp {
    Add,
    Sub,
    Mul,
    Div,
    Mod,
    FloorDiv,
    FloorMod,
    Min,
    Max,
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
    And,
    Or,
    BitAnd,
    BitOr,
    BitXor,
    Shl,
    Shr,
    Not,
    BitNot,
    Cast,
    /// Condition, value if it holds, value if not; only one of the two is evaluated.
    Select,
}

impl HostExpr {
    /// `self <= limit`
    pub(crate) fn at_most(&self, limit: i64) -> HostExpr {
        self.compared(HostOp::Le, limit)
    }
    /// `self >= limit`
    pub(crate) fn at_least(&self, limit: i64) -> HostExpr {
        self.compared(HostOp::Ge, limit)
    }
    fn compared(&self, op: HostOp, limit: i64) -> HostExpr {
        let limit = HostExpr::int(limit, DataType::INT64);
        HostExpr::Op { op, dtype: DataType::BOOL.to_string(), args: vec![self.clone(), limit] }
    }
}

impl HostOp {
    fn of(op: BinaryOp) -> HostOp {
        match op {
            BinaryOp::Add => HostOp::Add,
            BinaryOp::Sub => HostOp::Sub,
            BinaryOp::Mul => HostOp::Mul,
            BinaryOp::Div => HostOp::Div,
            BinaryOp::Mod => HostOp::Mod,
            BinaryOp::FloorDiv => HostOp::FloorDiv,
            BinaryOp::FloorMod => HostOp::FloorMod,
            BinaryOp::Min => HostOp::Min,
            BinaryOp::Max => HostOp::Max,
            BinaryOp::Eq => HostOp::Eq,
            BinaryOp::Ne => HostOp::Ne,
            BinaryOp::Lt => HostOp::Lt,
            BinaryOp::Le => HostOp::Le,
            BinaryOp::Gt => HostOp::Gt,
            BinaryOp::Ge => HostOp::Ge,
            BinaryOp::And => HostOp::And,
            BinaryOp::Or => HostOp::Or,
            BinaryOp::BitAnd => HostOp::BitAnd,
            BinaryOp::BitOr => HostOp::BitOr,
            BinaryOp::BitXor => HostOp::BitXor,
            BinaryOp::Shl => HostOp::Shl,
            BinaryOp::Shr => HostOp::Shr,
        }
    }

    /// Infix spelling and binding strength.
    fn infix(self) -> Option<(&'static str, u8)> {
        Some(match self {
            HostOp::Or => ("or", 1),
            HostOp::And => ("and", 2),
            HostOp::Eq => ("==", 4),
            HostOp::Ne => ("!=", 4),
            HostOp::Lt => ("<", 4),
            HostOp::Le => ("<=", 4),
            HostOp::Gt => (">", 4),
            HostOp::Ge => (">=", 4),
            HostOp::BitOr => ("|", 5),
            HostOp::BitXor => ("^", 6),
            HostOp::BitAnd => ("&", 7),
            HostOp::Shl => ("<<", 8),
            HostOp::Shr => (">>", 8),
            HostOp::Add => ("+", 9),
            HostOp::Sub => ("-", 9),
            HostOp::Mul => ("*", 10),
            HostOp::FloorDiv => ("//", 10),
            HostOp::FloorMod => ("%", 10),
            _ => return None,
        })
    }
}

impl HostExpr {
    /// An integer constant.
    pub fn int(value: i64, dtype: DataType) -> HostExpr {
        HostExpr::Const { value: value.to_string(), dtype: dtype.to_string() }
    }
    /// The value, if it is an integer constant.
    pub fn as_int(&self) -> Option<i64> {
        match self {
            HostExpr::Const { value, .. } => value.parse().ok(),
            _ => None,
        }
    }
    /// The type.
    pub fn dtype(&self) -> &str {
        match self {
            HostExpr::Var { dtype, .. }
            | HostExpr::Const { dtype, .. }
            | HostExpr::Op { dtype, .. } => dtype,
        }
    }
    /// The names of symbols, replaced.
    pub fn map_vars(&self, map: &mut dyn FnMut(&str) -> String) -> HostExpr {
        match self {
            HostExpr::Var { var, dtype } => HostExpr::Var { var: map(var), dtype: dtype.clone() },
            HostExpr::Const { .. } => self.clone(),
            HostExpr::Op { op, dtype, args } => HostExpr::Op {
                op: *op,
                dtype: dtype.clone(),
                args: args.iter().map(|it| it.map_vars(map)).collect(),
            },
        }
    }
    /// The text form.
    pub fn text(&self) -> String {
        let mut out = String::new();
        self.write_text(&mut out, 0);
        out
    }

    fn write_text(&self, out: &mut String, outer: u8) {
        match self {
            HostExpr::Var { var, .. } => out.push_str(var),
            HostExpr::Const { value, .. } => out.push_str(value),
            HostExpr::Op { op, args, dtype } => match (op.infix(), args.as_slice()) {
                (Some((spelling, strength)), [lhs, rhs]) => {
                    let parens = strength < outer;
                    out.push_str(if parens { "(" } else { "" });
                    lhs.write_text(out, strength);
                    let _ = write!(out, " {spelling} ");
                    rhs.write_text(out, strength + 1);
                    out.push_str(if parens { ")" } else { "" });
                }
                _ => {
                    match op {
                        HostOp::Cast => out.push_str(dtype),
                        HostOp::Div => out.push_str("truncdiv"),
                        HostOp::Mod => out.push_str("truncmod"),
                        _ => out.push_str(&format!("{op:?}").to_lowercase()),
                    }
                    out.push('(');
                    for (index, arg) in args.iter().enumerate() {
                        out.push_str(if index > 0 { ", " } else { "" });
                        arg.write_text(out, 0);
                    }
                    out.push(')');
                }
            },
        }
    }

    /// The value for these symbols; `None` for a missing symbol, a division by zero, or a float.
    pub fn evaluate(&self, symbols: &dyn Fn(&str) -> Option<i64>) -> Option<i64> {
        let wrap = |value: i128, dtype: &str| {
            let dtype = DataType::parse(dtype)?;
            (!dtype.is_float()).then(|| dtype.wrap_int(value))
        };
        match self {
            HostExpr::Var { var, .. } => symbols(var),
            HostExpr::Const { value, .. } => match value.as_str() {
                "true" => Some(1),
                "false" => Some(0),
                digits => digits.parse().ok(),
            },
            HostExpr::Op { op: HostOp::Select, args, .. } => {
                let chosen = if args.first()?.evaluate(symbols)? != 0 { 1 } else { 2 };
                args.get(chosen)?.evaluate(symbols)
            }
            HostExpr::Op { op, args, dtype } => {
                let a = i128::from(args.first()?.evaluate(symbols)?);
                match op {
                    HostOp::Not => return Some(i64::from(a == 0)),
                    HostOp::BitNot => return wrap(!a, dtype),
                    HostOp::Cast => return wrap(a, dtype),
                    HostOp::And if a == 0 => return Some(0),
                    HostOp::Or if a != 0 => return Some(1),
                    _ => {}
                }
                let b = i128::from(args.get(1)?.evaluate(symbols)?);
                wrap(binary(*op, a, b)?, dtype)
            }
        }
    }
}

fn binary(op: HostOp, a: i128, b: i128) -> Option<i128> {
    let shift = u32::try_from(b).ok().filter(|&it| it < 64);
    Some(match op {
        HostOp::Add => a + b,
        HostOp::Sub => a - b,
        HostOp::Mul => a.checked_mul(b)?,
        HostOp::Div => a.checked_div(b)?,
        HostOp::Mod => a.checked_rem(b)?,
        HostOp::FloorDiv => {
            let (q, r) = (a.checked_div(b)?, a.checked_rem(b)?);
            if r != 0 && (r < 0) != (b < 0) { q - 1 } else { q }
        }
        HostOp::FloorMod => {
            let r = a.checked_rem(b)?;
            if r != 0 && (r < 0) != (b < 0) { r + b } else { r }
        }
        HostOp::Min => a.min(b),
        HostOp::Max => a.max(b),
        HostOp::Eq => (a == b).into(),
        HostOp::Ne => (a != b).into(),
        HostOp::Lt => (a < b).into(),
        HostOp::Le => (a <= b).into(),
        HostOp::Gt => (a > b).into(),
        HostOp::Ge => (a >= b).into(),
        HostOp::And | HostOp::Or => (b != 0).into(),
        HostOp::BitAnd => a & b,
        HostOp::BitOr => a | b,
        HostOp::BitXor => a ^ b,
        HostOp::Shl => a << shift?,
        HostOp::Shr => a >> shift?,
        HostOp::Not | HostOp::BitNot | HostOp::Cast | HostOp::Select => return None,
    })
}

/// How a host expression is made from one of the body.
pub(crate) struct HostContext<'a> {
    /// The function.
    pub(crate) body: &'a Body,
    /// Bindings of values; they are written out.
    pub(crate) definitions: &'a FxHashMap<ValueId, ExprId>,
    /// The symbol of a value that has no definition: a parameter, shape variable or host loop variable.
    pub(crate) symbol: &'a mut dyn FnMut(ValueId) -> Result<String>,
    /// The symbol of a property of a buffer.
    pub(crate) field: &'a mut dyn FnMut(ir::BufferId, BufferField) -> Result<FieldValue>,
}

/// The host value of a buffer property.
pub(crate) enum FieldValue {
    /// A symbol of its own.
    Symbol(String),
    /// Another expression of the body.
    Expr(ExprId),
    /// A constant.
    Int(i64),
}

impl HostContext<'_> {
    /// The expression with all bindings written out.
    pub(crate) fn build(&mut self, expr: ExprId) -> Result<HostExpr> {
        let budget = MAX_NODES;
        self.node(expr, &mut (budget, 0))
    }

    fn node(&mut self, expr: ExprId, budget: &mut (usize, usize)) -> Result<HostExpr> {
        let too_large = || {
            Refusal::new(
                reasons::HOST_EXPRESSION_TOO_LARGE,
                "an extent or argument needs too many operations on the host",
            )
        };
        budget.0 = budget.0.checked_sub(1).ok_or_else(too_large)?;
        budget.1 += 1;
        if budget.1 > MAX_DEPTH {
            return Err(too_large());
        }
        let result = self.node_inner(expr, budget);
        budget.1 -= 1;
        result
    }

    fn node_inner(&mut self, expr: ExprId, budget: &mut (usize, usize)) -> Result<HostExpr> {
        let body = self.body;
        let dtype = body
            .dtype(expr)
            .filter(|it| it.is_scalar())
            .ok_or_else(|| Refusal::new(reasons::HOST_EXPRESSION, "no scalar type"))?;
        let name = dtype.to_string();
        let op = |op, args| Ok(HostExpr::Op { op, dtype: name.clone(), args });
        match body.expr(expr).kind {
            ExprKind::Int(value) if dtype.is_bool() => {
                Ok(HostExpr::Const { value: (value != 0).to_string(), dtype: name })
            }
            ExprKind::Int(value) if dtype.is_uint() && dtype.bits == 64 => {
                Ok(HostExpr::Const { value: (value as u64).to_string(), dtype: name })
            }
            ExprKind::Int(value) => Ok(HostExpr::int(value, dtype)),
            ExprKind::Float(bits) => {
                Ok(HostExpr::Const { value: format!("{:?}", f64::from_bits(bits)), dtype: name })
            }
            ExprKind::Value(value) => match self.definitions.get(&value) {
                Some(&definition) => self.node(definition, budget),
                None => Ok(HostExpr::Var { var: (self.symbol)(value)?, dtype: name }),
            },
            ExprKind::BufferField(buffer, field) => match (self.field)(buffer, field)? {
                FieldValue::Symbol(var) => Ok(HostExpr::Var { var, dtype: name }),
                FieldValue::Int(value) => Ok(HostExpr::int(value, dtype)),
                FieldValue::Expr(expr) => self.node(expr, budget),
            },
            ExprKind::Binary(kind, a, b) => {
                let args = vec![self.node(a, budget)?, self.node(b, budget)?];
                op(HostOp::of(kind), args)
            }
            ExprKind::Unary(UnaryOp::Not, a) => op(HostOp::Not, vec![self.node(a, budget)?]),
            ExprKind::Unary(UnaryOp::BitNot, a) => op(HostOp::BitNot, vec![self.node(a, budget)?]),
            ExprKind::Cast(a) => {
                let arg = self.node(a, budget)?;
                match arg.as_int() {
                    Some(value) if dtype.is_integer() => {
                        Ok(HostExpr::int(dtype.wrap_int(value.into()), dtype))
                    }
                    _ => op(HostOp::Cast, vec![arg]),
                }
            }
            ExprKind::Select(c, a, b) | ExprKind::IfThenElse(c, a, b) => {
                let args =
                    vec![self.node(c, budget)?, self.node(a, budget)?, self.node(b, budget)?];
                op(HostOp::Select, args)
            }
            ExprKind::Call { callee: ir::Callee::Intrinsic(name, it), args, .. } => {
                match (it, body.items(args)) {
                    (Intrinsic::Likely | Intrinsic::ThreadInvariant, &[a]) => self.node(a, budget),
                    _ => Err(Refusal::new(
                        reasons::HOST_CALL,
                        format!(
                            "the host would have to call `{}` for an extent or argument",
                            body.name(name)
                        ),
                    )),
                }
            }
            ExprKind::Load { .. } => Err(Refusal::new(
                reasons::HOST_LOAD,
                "an extent or argument is read from memory on the host",
            )),
            _ => Err(Refusal::new(
                reasons::HOST_EXPRESSION,
                "an extent or argument has an unsupported form",
            )),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn var(name: &str) -> HostExpr {
        HostExpr::Var { var: name.to_owned(), dtype: "int64".to_owned() }
    }
    fn op(op: HostOp, a: HostExpr, b: HostExpr) -> HostExpr {
        HostExpr::Op { op, dtype: "int64".to_owned(), args: vec![a, b] }
    }

    #[test]
    fn text_has_the_parentheses_that_python_needs() {
        let int = |value| HostExpr::int(value, DataType::INT64);
        let sum = op(HostOp::Add, op(HostOp::Mul, var("n"), var("m")), int(1023));
        let blocks = op(HostOp::FloorDiv, sum, int(1024));
        assert_eq!(blocks.text(), "(n * m + 1023) // 1024");
        let value = |name: &str| Some(if name == "n" { 100 } else { 11 });
        assert_eq!(blocks.evaluate(&value), Some(2));
        assert_eq!(op(HostOp::Max, int(-7), blocks).text(), "max(-7, (n * m + 1023) // 1024)");
    }

    #[test]
    fn json_reads_back() {
        let expr = op(HostOp::FloorMod, var("n"), HostExpr::int(3, DataType::INT64));
        let json = serde_json::to_string(&expr).expect("plain data");
        assert_eq!(
            json,
            r#"{"op":"floormod","dtype":"int64","args":[{"var":"n","dtype":"int64"},{"const":"3","dtype":"int64"}]}"#
        );
        assert_eq!(serde_json::from_str::<HostExpr>(&json).expect("own text"), expr);
        assert_eq!(expr.evaluate(&|_| Some(-1)), Some(2));
    }
}

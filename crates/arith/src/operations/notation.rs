//! Terms as text, in the notation of affine maps where it has one.
//!
//! In: a term, and the names of the values that its leaves are. Out: `%i * 4 + d0`, `%n floordiv 4`, `%a < %b`. The
//! index of an element in dimension `n` is `dn`. A conversion to a wider type of the same sign is not written: the
//! number is the same. Others are, as `i32(…)` and `ui32(…)`.

use std::fmt::Write;

use ir::{BinaryOp, DataType, ExprId, ExprKind, UnaryOp, ValueId, print::Level, stack::with_room};
use rustc_hash::FxHashMap;

use super::Leaf;

/// Longer texts are cut.
const MOST_TEXT: usize = 400;

/// The text so far, and the names of leaves.
struct Notation<'n> {
    leaves: &'n dyn Fn(ValueId) -> String,
    out: String,
}

/// The text of a term, whose leaves have names.
pub(super) fn term_text(
    body: &ir::Body,
    term: ExprId,
    leaves: &dyn Fn(ValueId) -> String,
) -> String {
    let mut it = Notation { leaves, out: String::new() };
    it.term(body, term, Level::Or);
    if it.out.len() > MOST_TEXT {
        let end = it.out.floor_char_boundary(MOST_TEXT);
        it.out.truncate(end);
        it.out.push('…');
    }
    it.out
}

impl Notation<'_> {
    fn term(&mut self, body: &ir::Body, term: ExprId, around: Level) {
        if self.out.len() > MOST_TEXT {
            return;
        }
        with_room(|| self.term_at(body, term, around));
    }

    fn term_at(&mut self, body: &ir::Body, term: ExprId, around: Level) {
        let dtype = body.dtype(term);
        match body.expr(term).kind {
            ExprKind::Int(value) => {
                let _ = match dtype {
                    Some(it) if it.is_bool() => write!(self.out, "{}", value != 0),
                    Some(it) if it.is_uint() => write!(self.out, "{}", value as u64),
                    _ => write!(self.out, "{value}"),
                };
            }
            ExprKind::Value(value) => self.out.push_str(&(self.leaves)(value)),
            ExprKind::Cast(inner) => {
                let from = body.dtype(inner);
                match (from, dtype) {
                    (Some(from), Some(to))
                        if !keeps_number(from, to) && !self.is_index(body, inner) =>
                    {
                        let sign = if to.is_uint() { "u" } else { "" };
                        let _ = write!(self.out, "{sign}i{}", to.bits);
                        self.call(body, &[inner]);
                    }
                    _ => self.term(body, inner, around),
                }
            }
            ExprKind::Unary(UnaryOp::Not, inner) => {
                self.out.push_str("not ");
                self.term(body, inner, Level::Atom);
            }
            ExprKind::Select(c, a, b) => {
                self.out.push_str("select");
                self.call(body, &[c, a, b]);
            }
            ExprKind::Binary(op, a, b) => self.binary(body, op, a, b, around),
            _ => self.out.push('…'),
        }
    }

    /// True for the index of an element, which every type holds that is used for it: names of values have a `%`.
    fn is_index(&self, body: &ir::Body, term: ExprId) -> bool {
        matches!(body.expr(term).kind, ExprKind::Value(leaf) if (self.leaves)(leaf).starts_with('d'))
    }

    fn binary(&mut self, body: &ir::Body, op: BinaryOp, a: ExprId, b: ExprId, around: Level) {
        let Some((word, level)) = infix(op) else {
            self.out.push_str(match op {
                BinaryOp::Min => "min",
                BinaryOp::Max => "max",
                BinaryOp::Div => "divs",
                BinaryOp::Mod => "rems",
                _ => "…",
            });
            self.call(body, &[a, b]);
            return;
        };
        let is_inner = level < around;
        if is_inner {
            self.out.push('(');
        }
        self.term(body, a, level);
        let _ = write!(self.out, " {word} ");
        self.term(body, b, right_of(level));
        if is_inner {
            self.out.push(')');
        }
    }

    fn call(&mut self, body: &ir::Body, operands: &[ExprId]) {
        self.out.push('(');
        for (at, &it) in operands.iter().enumerate() {
            if at > 0 {
                self.out.push_str(", ");
            }
            self.term(body, it, Level::Or);
        }
        self.out.push(')');
    }
}

/// The level from which a right operand needs no parentheses: one of the same level does, as in `a - (b - c)`.
fn right_of(level: Level) -> Level {
    match level {
        Level::Or => Level::And,
        Level::And => Level::Comparison,
        Level::Comparison => Level::Sum,
        Level::Sum => Level::Product,
        _ => Level::Atom,
    }
}

/// Infix spelling and level; none for those that only have a name.
fn infix(op: BinaryOp) -> Option<(&'static str, Level)> {
    let word = match op {
        BinaryOp::Add => "+",
        BinaryOp::Sub => "-",
        BinaryOp::Mul => "*",
        BinaryOp::FloorDiv => "floordiv",
        BinaryOp::FloorMod => "mod",
        BinaryOp::Eq => "==",
        BinaryOp::Ne => "!=",
        BinaryOp::Lt => "<",
        BinaryOp::Le => "<=",
        BinaryOp::Gt => ">",
        BinaryOp::Ge => ">=",
        BinaryOp::And => "and",
        BinaryOp::Or => "or",
        _ => return None,
    };
    Some((word, Level::of_binary(op)?))
}

/// True if each number of a type is the same number in another one.
fn keeps_number(from: DataType, to: DataType) -> bool {
    from.is_int() && to.is_int() && from.bits <= to.bits
}

/// The name of a leaf: that of its value, of the number of a program, or of an index of the element.
pub(super) fn leaf_name(
    body: &ir::Body,
    leaves: &FxHashMap<ValueId, Leaf>,
    leaf: ValueId,
    of: &dyn Fn(ValueId) -> String,
) -> String {
    if let Some(value) = leaves.get(&leaf).and_then(|it| it.value) {
        return of(value);
    }
    let own = body.name(body.values[leaf].name);
    match (own.strip_prefix("lane"), own.strip_prefix("program_")) {
        (Some(at), _) => format!("d{at}"),
        (_, Some(axis)) => format!("program_id_{axis}"),
        _ => own.to_owned(),
    }
}

//! Compile-time constants of the Python around a function, read from the text.
//!
//! In: an assignment's tree. Out: the meaning of the assigned name. Only literals, arithmetic on them, tuples, lists
//! and other such names are read; anything else is unknown. Depth and size are bounded: a value that is nested deeper,
//! or is far larger than its text because names for tuples and strings multiply it, is unknown.

use syntax::{Green, SyntaxKind};

use super::{
    ast::{self, Ast, Ex, ExKind, StKind},
    environment::{Capture, Constant},
};

/// How the names in a definition are looked up.
pub(crate) trait Names {
    fn capture(&self, name: &str) -> Capture;
}

/// The value of an expression that nests deeper is not computed: it is a value that is not known, as that of any call,
/// and all that follows from that is that less is shared.
const MAX_DEPTH: u32 = 64;
/// Items and characters that a constant may have beyond those of its text.
const MAX_SIZE: usize = 10_000;

/// Returns the meaning of the name that an assignment `name = value` defines. For `a, b = 1, 2` only the existence of
/// the names is known.
pub(crate) fn of_statement(green: &Green, names: &dyn Names) -> Capture {
    let ast = ast::read(green);
    let value = ast.root.first().and_then(|&it| match ast.stmt(it).kind {
        StKind::Assign { targets, value } => {
            let is_name =
                ast.exs(targets).iter().all(|&it| matches!(ast.kind(it), ExKind::Name(_)));
            is_name.then_some(value)
        }
        StKind::AnnAssign { target, value: Some(value), .. }
            if matches!(ast.kind(target), ExKind::Name(_)) =>
        {
            Some(value)
        }
        _ => None,
    });
    let Some(value) = value else { return Capture::Unknown };
    let reader = Reader { ast: &ast, names, limit: MAX_SIZE + usize::from(green.text_len()) };
    if let ExKind::Call { callee, .. } = ast.kind(value)
        && reader.path(*callee).is_some_and(|it| it == "typing.TypeVar")
    {
        return Capture::TypeVar;
    }
    if matches!(ast.kind(value), ExKind::Name(_) | ExKind::Attr { .. })
        && let Some(path) = reader.path(value)
    {
        return match super::environment::namespace(&path) {
            Some(it) => Capture::Namespace(it),
            None => Capture::Path(path.into()),
        };
    }
    reader.constant(value, 0).map_or(Capture::Unknown, Capture::Constant)
}

/// Returns the value of an expression, if it can be read.
pub(crate) fn of_expression(ast: &Ast<'_>, ex: Ex, names: &dyn Names) -> Option<Constant> {
    Reader { ast, names, limit: MAX_SIZE + ast.text.len() }.constant(ex, 0)
}

struct Reader<'a> {
    ast: &'a Ast<'a>,
    names: &'a dyn Names,
    /// The limit on the size of a constant.
    limit: usize,
}

impl Reader<'_> {
    /// The dotted path of a module or function of Python.
    fn path(&self, ex: Ex) -> Option<String> {
        let (head, rest) = self.ast.dotted(ex)?;
        let mut path = match self.names.capture(head) {
            Capture::Path(path) => path.into_string(),
            _ => return None,
        };
        for name in rest {
            path.push('.');
            path.push_str(name);
        }
        Some(path)
    }

    fn constant(&self, ex: Ex, depth: u32) -> Option<Constant> {
        if depth > MAX_DEPTH {
            return None;
        }
        let constant = match self.ast.kind(ex) {
            ExKind::None => Constant::None,
            ExKind::Bool(it) => Constant::Bool(*it),
            ExKind::Int(it) => Constant::Int(*it),
            ExKind::Float(it) => Constant::Float(it.to_bits()),
            ExKind::Str(it) => Constant::Str(it.as_ref().into()),
            ExKind::Tuple(run) => Constant::Tuple(self.all(self.ast.exs(*run), depth)?.into()),
            ExKind::List(run) => Constant::List(self.all(self.ast.exs(*run), depth)?.into()),
            ExKind::Name(name) => match self.names.capture(name) {
                Capture::Constant(it) => it,
                _ => return None,
            },
            ExKind::Unary { op, operand } => unary(*op, &self.constant(*operand, depth + 1)?)?,
            ExKind::Binary { op, lhs, rhs } => {
                binary(*op, &self.constant(*lhs, depth + 1)?, &self.constant(*rhs, depth + 1)?)?
            }
            _ => return None,
        };
        (constant.size(self.limit) <= self.limit).then_some(constant)
    }

    fn all(&self, items: &[Ex], depth: u32) -> Option<Box<[Constant]>> {
        items.iter().map(|&it| self.constant(it, depth + 1)).collect()
    }
}

/// A prefix operator of Python on a constant.
pub(crate) fn unary(op: SyntaxKind, operand: &Constant) -> Option<Constant> {
    // Arithmetic on a bool is on the integer that it is.
    if let Constant::Bool(it) = operand
        && op != SyntaxKind::NOT_KW
    {
        return unary(op, &Constant::Int(i128::from(*it)));
    }
    Some(match (op, operand) {
        (SyntaxKind::MINUS, Constant::Int(it)) => Constant::Int(it.checked_neg()?),
        (SyntaxKind::MINUS, Constant::Float(it)) => {
            Constant::Float((-f64::from_bits(*it)).to_bits())
        }
        (SyntaxKind::PLUS, it @ (Constant::Int(_) | Constant::Float(_))) => it.clone(),
        (SyntaxKind::TILDE, Constant::Int(it)) => Constant::Int(!it),
        (SyntaxKind::NOT_KW, it) => Constant::Bool(!truth(it)),
        _ => return None,
    })
}

/// Returns true if it contains a list, which Python can change.
pub(crate) fn has_list(it: &Constant) -> bool {
    match it {
        Constant::List(_) => true,
        Constant::Tuple(items) => items.iter().any(has_list),
        _ => false,
    }
}

fn is_sequence(it: &Constant) -> bool {
    matches!(it, Constant::Tuple(_) | Constant::List(_))
}

/// Python's truth value.
pub(crate) fn truth(it: &Constant) -> bool {
    match it {
        Constant::None => false,
        Constant::Bool(it) => *it,
        Constant::Int(it) => *it != 0,
        Constant::Float(it) => f64::from_bits(*it) != 0.0,
        Constant::Str(it) => !it.is_empty(),
        Constant::Tuple(it) | Constant::List(it) => !it.is_empty(),
    }
}

fn number(it: &Constant) -> Option<Number> {
    Some(match it {
        Constant::Bool(it) => Number::Int(i128::from(*it)),
        Constant::Int(it) => Number::Int(*it),
        Constant::Float(it) => Number::Float(f64::from_bits(*it)),
        _ => return None,
    })
}

#[derive(Clone, Copy)]
enum Number {
    Int(i128),
    Float(f64),
}

impl Number {
    fn float(self) -> f64 {
        match self {
            Number::Int(it) => it as f64,
            Number::Float(it) => it,
        }
    }
}

/// An infix operator of Python on constants. Integers beyond 128 bits are unknown.
pub(crate) fn binary(op: SyntaxKind, lhs: &Constant, rhs: &Constant) -> Option<Constant> {
    use SyntaxKind as K;
    if let (K::PLUS, Constant::Str(a), Constant::Str(b)) = (op, lhs, rhs) {
        return Some(Constant::Str(format!("{a}{b}").into()));
    }
    if let (Constant::Bool(a), Constant::Bool(b)) = (lhs, rhs) {
        match op {
            K::AMP => return Some(Constant::Bool(a & b)),
            K::PIPE => return Some(Constant::Bool(a | b)),
            K::CARET => return Some(Constant::Bool(a ^ b)),
            _ => {}
        }
    }
    let (a, b) = (number(lhs)?, number(rhs)?);
    let (Number::Int(a), Number::Int(b)) = (a, b) else {
        let (a, b) = (a.float(), b.float());
        let value = match op {
            K::PLUS => a + b,
            K::MINUS => a - b,
            K::STAR => a * b,
            K::SLASH if b != 0.0 => a / b,
            K::SLASH2 if b != 0.0 => float_floor_div(a, b),
            K::PERCENT if b != 0.0 => float_mod(a, b),
            // Elsewhere Python gives a complex number, or raises an error.
            K::STAR2 if a > 0.0 => Some(a.powf(b)).filter(|it| it.is_finite())?,
            _ => return None,
        };
        return Some(Constant::Float(value.to_bits()));
    };
    Some(Constant::Int(match op {
        K::PLUS => a.checked_add(b)?,
        K::MINUS => a.checked_sub(b)?,
        K::STAR => a.checked_mul(b)?,
        K::SLASH2 => floor_div(a, b)?,
        K::PERCENT => a.checked_sub(floor_div(a, b)?.checked_mul(b)?)?,
        K::STAR2 => a.checked_pow(u32::try_from(b).ok()?)?,
        K::LT2 => {
            a.checked_mul(1i128.checked_shl(u32::try_from(b).ok().filter(|&it| it < 127)?)?)?
        }
        K::GT2 => a >> u32::try_from(b).ok().filter(|&it| it < 128)?,
        K::AMP => a & b,
        K::PIPE => a | b,
        K::CARET => a ^ b,
        K::SLASH if b != 0 && is_exact(a) && is_exact(b) => {
            return Some(Constant::Float((a as f64 / b as f64).to_bits()));
        }
        _ => return None,
    }))
}

/// Returns true if a float represents the integer exactly: Python divides larger ones without rounding them first.
fn is_exact(it: i128) -> bool {
    it.unsigned_abs() <= 1 << f64::MANTISSA_DIGITS
}

/// Python's floor division of floats, from the exact remainder: `1.0 // 0.1` is 9, as 0.1 is a little more than a
/// tenth.
fn float_floor_div(a: f64, b: f64) -> f64 {
    let quotient = (a - float_mod(a, b)) / b;
    let floor = quotient.floor();
    if quotient - floor > 0.5 { floor + 1.0 } else { floor }
}

/// Python's remainder: of the divisor's sign.
fn float_mod(a: f64, b: f64) -> f64 {
    let rest = a % b;
    if rest != 0.0 && (rest < 0.0) != (b < 0.0) { rest + b } else { rest }
}

/// Division toward negative infinity.
pub(crate) fn floor_div(a: i128, b: i128) -> Option<i128> {
    let quotient = a.checked_div(b)?;
    let is_inexact = a.checked_rem(b)? != 0 && (a < 0) != (b < 0);
    Some(if is_inexact { quotient - 1 } else { quotient })
}

/// A comparison of Python on constants.
pub(crate) fn compare(op: ir::BinaryOp, lhs: &Constant, rhs: &Constant) -> Option<bool> {
    use ir::BinaryOp as B;
    let order = match (number(lhs), number(rhs)) {
        (Some(Number::Int(a)), Some(Number::Int(b))) => Some(a.cmp(&b)),
        (Some(a), Some(b)) => a.float().partial_cmp(&b.float()),
        // `(1,) == (1.0,)`: what is written alike is equal, what is not may be.
        _ if is_sequence(lhs) && is_sequence(rhs) && lhs != rhs => return None,
        _ => match op {
            B::Eq => return Some(lhs == rhs),
            B::Ne => return Some(lhs != rhs),
            _ => return None,
        },
    };
    Some(match op {
        B::Eq => order.is_some_and(|it| it.is_eq()),
        B::Ne => order.is_none_or(|it| it.is_ne()),
        B::Lt => order.is_some_and(|it| it.is_lt()),
        B::Le => order.is_some_and(|it| it.is_le()),
        B::Gt => order.is_some_and(|it| it.is_gt()),
        B::Ge => order.is_some_and(|it| it.is_ge()),
        _ => return None,
    })
}

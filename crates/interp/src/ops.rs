//! Values and the operators on them (SEMANTICS: I, C, F).

use std::rc::Rc;

use super::{EventKind, RunErrorKind};
use ir::{BinaryOp, BufferId, DataType, NameId, TypeCode, UnaryOp};

/// A value of one lane.
#[derive(Clone, PartialEq, Debug)]
pub(super) enum Val {
    /// Integer or bool, and whether it is the wrapped result of an overflow.
    Int(i64, bool),
    /// Float, already rounded to its type.
    Float(f64),
    /// A vector.
    Vector(Rc<[Val]>),
    /// A pointer into a storage, in bytes.
    Pointer { storage: usize, offset: i64 },
    /// A string.
    Text(NameId),
    /// A buffer as an argument.
    Buffer(BufferId),
    /// A list.
    Tuple(Rc<[Val]>),
    /// Nothing (the result of a call for its effect).
    Unit,
}

/// An error in an operator: its kind, without a place.
pub(super) type Fault = (RunErrorKind, String);

/// Events of one operator; an error if the run ends there.
pub(super) type Events<'a> = &'a mut dyn FnMut(EventKind) -> Result<(), Fault>;

fn unsupported<T>(what: impl Into<String>) -> Result<T, Fault> {
    Err((RunErrorKind::Unsupported, what.into()))
}

/// Zero of a type.
pub(super) fn zero(dtype: DataType) -> Val {
    if dtype.is_float() { Val::Float(0.0) } else { Val::Int(0, false) }
}

/// Applies `f` lane by lane; scalars are spread over the lanes of the other operand.
fn lanewise(
    a: &Val,
    b: &Val,
    f: &mut dyn FnMut(&Val, &Val) -> Result<Val, Fault>,
) -> Result<Val, Fault> {
    match (a, b) {
        (Val::Vector(a), Val::Vector(b)) if a.len() == b.len() => {
            let lanes: Result<Vec<Val>, Fault> =
                a.iter().zip(b.iter()).map(|(a, b)| f(a, b)).collect();
            Ok(Val::Vector(lanes?.into()))
        }
        (Val::Vector(_), Val::Vector(_)) => unsupported("vectors of different lengths"),
        (Val::Vector(a), b) => {
            Ok(Val::Vector(a.iter().map(|a| f(a, b)).collect::<Result<Vec<_>, _>>()?.into()))
        }
        (a, Val::Vector(b)) => {
            Ok(Val::Vector(b.iter().map(|b| f(a, b)).collect::<Result<Vec<_>, _>>()?.into()))
        }
        (a, b) => f(a, b),
    }
}

/// The common cases of [`binary`] that can have no event: plain scalars in range. None means: ask `binary`.
#[inline]
pub(super) fn fast_binary(op: BinaryOp, dtype: DataType, a: &Val, b: &Val) -> Option<Val> {
    match (a, b) {
        (Val::Int(x, false), Val::Int(y, false)) if dtype.is_int() => {
            let (x, y) = (*x, *y);
            let exact = match op {
                BinaryOp::Add => x.checked_add(y)?,
                BinaryOp::Sub => x.checked_sub(y)?,
                BinaryOp::Mul => x.checked_mul(y)?,
                BinaryOp::FloorDiv if y > 0 => x.div_euclid(y),
                BinaryOp::FloorMod if y > 0 => x.rem_euclid(y),
                BinaryOp::Div if y > 0 => x / y,
                BinaryOp::Mod if y > 0 => x % y,
                BinaryOp::Min => x.min(y),
                BinaryOp::Max => x.max(y),
                BinaryOp::Eq => i64::from(x == y),
                BinaryOp::Ne => i64::from(x != y),
                BinaryOp::Lt => i64::from(x < y),
                BinaryOp::Le => i64::from(x <= y),
                BinaryOp::Gt => i64::from(x > y),
                BinaryOp::Ge => i64::from(x >= y),
                _ => return None,
            };
            let fits = dtype.bits == 64 || (dtype.bits == 32 && i64::from(exact as i32) == exact);
            fits.then_some(Val::Int(exact, false))
        }
        (Val::Float(x), Val::Float(y)) if dtype.code == TypeCode::Float && dtype.bits == 32 => {
            let exact = match op {
                BinaryOp::Add => x + y,
                BinaryOp::Sub => x - y,
                BinaryOp::Mul => x * y,
                _ => return None,
            };
            Some(Val::Float(dtype.round_float(exact)))
        }
        _ => None,
    }
}

/// The common cases of [`cast`]: a plain integer to a wide enough one, floats to float32.
#[inline]
pub(super) fn fast_cast(value: &Val, from: DataType, to: DataType) -> Option<Val> {
    match value {
        Val::Int(x, false) if from.is_int() && to.is_int() && to.bits >= from.bits => {
            Some(Val::Int(*x, false))
        }
        Val::Float(_) if from == to => Some(value.clone()),
        Val::Float(x) if to == DataType::FLOAT32 => Some(Val::Float(to.round_float(*x))),
        _ => None,
    }
}

/// `a op b`, where the operands have type `dtype` (lanes aside).
pub(super) fn binary(
    op: BinaryOp,
    dtype: DataType,
    a: &Val,
    b: &Val,
    events: Events<'_>,
) -> Result<Val, Fault> {
    let dtype = dtype.element();
    lanewise(a, b, &mut |a, b| match (a, b) {
        (Val::Int(x, wx), Val::Int(y, wy)) => int_binary(op, dtype, (*x, *wx), (*y, *wy), events),
        (Val::Float(x), Val::Float(y)) => float_binary(op, dtype, *x, *y),
        (Val::Pointer { .. }, Val::Pointer { .. }) => match op {
            BinaryOp::Eq => Ok(Val::Int(i64::from(a == b), false)),
            BinaryOp::Ne => Ok(Val::Int(i64::from(a != b), false)),
            _ => unsupported(format!("{op:?} of pointers")),
        },
        _ => unsupported(format!("{op:?} of {a:?} and {b:?}")),
    })
}

fn int_binary(
    op: BinaryOp,
    dtype: DataType,
    (x, x_wrapped): (i64, bool),
    (y, y_wrapped): (i64, bool),
    events: Events<'_>,
) -> Result<Val, Fault> {
    let is_unsigned = !dtype.is_int();
    let wide = |v: i64| if is_unsigned { i128::from(v as u64) } else { i128::from(v) };
    let (a, b) = (wide(x), wide(y));
    let tainted = x_wrapped || y_wrapped;
    let arithmetic = |exact: i128| {
        let value = dtype.wrap_int(exact);
        let overflows = dtype.bits >= 32 && wide(value) != exact;
        Val::Int(value, tainted || overflows)
    };
    let truth = |it: bool| Val::Int(i64::from(it), tainted);
    if op.is_division() {
        let is_quotient = matches!(op, BinaryOp::Div | BinaryOp::FloorDiv);
        if b == 0 {
            events(EventKind::DivisionByZero)?;
            return Ok(Val::Int(if is_quotient { 0 } else { x }, tainted));
        }
        if !is_unsigned && b == -1 && a == -(1i128 << (dtype.bits.clamp(1, 64) - 1)) {
            events(EventKind::DivisionOverflow)?;
            return Ok(Val::Int(if is_quotient { x } else { 0 }, tainted));
        }
        // A wrapped divisor could be 0 where the mathematical one is not; a wrapped dividend errs with -1 only.
        if y_wrapped || (x_wrapped && b == -1) {
            events(EventKind::Overflow)?;
        }
    }
    Ok(match op {
        BinaryOp::Add => arithmetic(a + b),
        BinaryOp::Sub => arithmetic(a - b),
        BinaryOp::Mul => arithmetic(a.wrapping_mul(b)),
        BinaryOp::Div => arithmetic(a / b),
        BinaryOp::Mod => arithmetic(a % b),
        BinaryOp::FloorDiv => {
            arithmetic(a.div_euclid(b) - i128::from(b < 0 && a.rem_euclid(b) != 0))
        }
        BinaryOp::FloorMod => {
            let rem = a % b;
            arithmetic(if rem != 0 && (rem < 0) != (b < 0) { rem + b } else { rem })
        }
        BinaryOp::Min => Val::Int(if a < b { x } else { y }, tainted),
        BinaryOp::Max => Val::Int(if a > b { x } else { y }, tainted),
        BinaryOp::Eq => truth(a == b),
        BinaryOp::Ne => truth(a != b),
        BinaryOp::Lt => truth(a < b),
        BinaryOp::Le => truth(a <= b),
        BinaryOp::Gt => truth(a > b),
        BinaryOp::Ge => truth(a >= b),
        BinaryOp::And => truth(x != 0 && y != 0),
        BinaryOp::Or => truth(x != 0 || y != 0),
        BinaryOp::BitAnd => Val::Int(x & y, tainted),
        BinaryOp::BitOr => Val::Int(x | y, tainted),
        BinaryOp::BitXor => Val::Int(x ^ y, tainted),
        BinaryOp::Shl | BinaryOp::Shr => {
            let width = i128::from(dtype.bits.max(1));
            if b < 0 || b >= width {
                events(EventKind::ShiftOutOfRange)?;
            }
            let amount = b.rem_euclid(width) as u32;
            let shifted = if op == BinaryOp::Shl { a << amount } else { a >> amount };
            Val::Int(dtype.wrap_int(shifted), tainted)
        }
    })
}

fn float_binary(op: BinaryOp, dtype: DataType, x: f64, y: f64) -> Result<Val, Fault> {
    let round = |v: f64| Val::Float(dtype.round_float(v));
    let truth = |it: bool| Val::Int(i64::from(it), false);
    // Products and sums of two float32, float16 or bfloat16 values are exact enough in a double that rounding twice
    // equals rounding once: 53 >= 2 * 24 + 2 bits (Figueroa, "When is double rounding innocuous?", 1995).
    Ok(match op {
        BinaryOp::Add => round(x + y),
        BinaryOp::Sub => round(x - y),
        BinaryOp::Mul => round(x * y),
        BinaryOp::Div => round(x / y),
        BinaryOp::Mod => round(libm::fmod(x, y)),
        // These two choose an operand, as a Select does: they round nothing, and keep the bits of a NaN (F6, F8).
        BinaryOp::Min => Val::Float(if x < y { x } else { y }),
        BinaryOp::Max => Val::Float(if x > y { x } else { y }),
        BinaryOp::Eq => truth(x == y),
        BinaryOp::Ne => truth(x != y),
        BinaryOp::Lt => truth(x < y),
        BinaryOp::Le => truth(x <= y),
        BinaryOp::Gt => truth(x > y),
        BinaryOp::Ge => truth(x >= y),
        BinaryOp::FloorDiv => round((x / y).floor()),
        BinaryOp::FloorMod => round(x - y * (x / y).floor()),
        _ => return unsupported(format!("{op:?} of floats")),
    })
}

/// `op a`
pub(super) fn unary(op: UnaryOp, dtype: DataType, a: &Val) -> Result<Val, Fault> {
    match a {
        Val::Int(x, wrapped) => Ok(match op {
            UnaryOp::Not => Val::Int(i64::from(*x == 0), *wrapped),
            UnaryOp::BitNot if dtype.is_bool() => Val::Int(i64::from(*x == 0), *wrapped),
            UnaryOp::BitNot => Val::Int(dtype.element().wrap_int(!i128::from(*x)), *wrapped),
        }),
        Val::Vector(lanes) => {
            let lanes: Result<Vec<Val>, Fault> =
                lanes.iter().map(|it| unary(op, dtype, it)).collect();
            Ok(Val::Vector(lanes?.into()))
        }
        _ => unsupported(format!("{op:?} of {a:?}")),
    }
}

/// Conversion from `from` to `to` (SEMANTICS: C2–C8).
/// The type that a number has where the program does not tell it.
pub(super) fn type_of(value: &Val) -> DataType {
    match value {
        Val::Float(_) => DataType::float(64),
        Val::Vector(lanes) => lanes.first().map_or(DataType::INT64, type_of),
        _ => DataType::INT64,
    }
}

pub(super) fn cast(
    value: &Val,
    from: DataType,
    to: DataType,
    events: Events<'_>,
) -> Result<Val, Fault> {
    let (from, to) = (from.element(), to.element());
    match value {
        Val::Vector(lanes) => {
            let lanes: Result<Vec<Val>, Fault> =
                lanes.iter().map(|it| cast(it, from, to, events)).collect();
            Ok(Val::Vector(lanes?.into()))
        }
        Val::Int(x, wrapped) => {
            let wide = if from.is_uint() { i128::from(*x as u64) } else { i128::from(*x) };
            if to.is_float() {
                let exact =
                    if wide.unsigned_abs() < 1 << 53 { wide as f64 } else { round_wide(wide, to) };
                Ok(Val::Float(to.round_float(exact)))
            } else if to.is_integer() || to.is_bool() {
                Ok(Val::Int(to.wrap_int(wide), *wrapped))
            } else {
                unsupported(format!("conversion of {from} to {to}"))
            }
        }
        Val::Float(x) => {
            if from == to {
                Ok(value.clone())
            } else if to.is_float() {
                Ok(Val::Float(to.round_float(*x)))
            } else if to.is_bool() {
                Ok(Val::Int(i64::from(*x != 0.0), false))
            } else if to.is_integer() {
                float_to_int(*x, to, events)
            } else {
                unsupported(format!("conversion of {from} to {to}"))
            }
        }
        Val::Pointer { .. } => Ok(value.clone()),
        _ => unsupported(format!("conversion of {value:?} to {to}")),
    }
}

/// An integer too wide for a double, rounded once to float32 or to a double.
fn round_wide(wide: i128, to: DataType) -> f64 {
    if to == DataType::FLOAT32 { f64::from(wide as f32) } else { wide as f64 }
}

fn float_to_int(x: f64, to: DataType, events: Events<'_>) -> Result<Val, Fault> {
    let bits = u32::from(to.bits.clamp(1, 64));
    let (low, high) = if to.is_int() {
        (-(1i128 << (bits - 1)), (1i128 << (bits - 1)) - 1)
    } else {
        (0, (1i128 << bits) - 1)
    };
    let truncated = x.trunc();
    if x.is_nan() {
        events(EventKind::ConversionOutOfRange)?;
        return Ok(Val::Int(0, false));
    }
    let exact = truncated as i128;
    if exact < low || exact > high {
        events(EventKind::ConversionOutOfRange)?;
    }
    Ok(Val::Int(to.wrap_int(exact.clamp(low, high)), false))
}

//! Operators of Python on known values. `None` where a value is not known, where Python raises an error, and where the
//! result depends on more than the values (identity of numbers, rounding).

use std::cmp::Ordering;

use syntax::SyntaxKind;

use super::{
    limits::MAX_SIZE,
    value::{Items, Kind, Value},
};

/// A prefix operator.
pub(crate) fn unary(op: SyntaxKind, operand: &Value) -> Option<Value> {
    if op == SyntaxKind::NOT_KW {
        return Some(Value::Bool(!truth_of(operand)?));
    }
    Some(match (op, operand) {
        // Arithmetic on a bool is on the integer that it is.
        (_, Value::Bool(it)) => return unary(op, &Value::Int(i128::from(*it))),
        (SyntaxKind::MINUS, Value::Int(it)) => Value::Int(it.checked_neg()?),
        (SyntaxKind::MINUS, Value::Float(it)) => Value::float(-f64::from_bits(*it)),
        (SyntaxKind::PLUS, it @ (Value::Int(_) | Value::Float(_))) => it.clone(),
        (SyntaxKind::TILDE, Value::Int(it)) => Value::Int(!it),
        _ => return None,
    })
}

/// The truth of a value that is plain data.
pub(crate) fn truth(it: &Value) -> bool {
    truth_of(it).unwrap_or(true)
}

/// Python's truth value, if it is known.
pub(crate) fn truth_of(it: &Value) -> Option<bool> {
    Some(match it {
        Value::None => false,
        Value::Bool(it) => *it,
        Value::Int(it) => *it != 0,
        Value::Float(it) => f64::from_bits(*it) != 0.0,
        Value::Str(it) => !it.is_empty(),
        Value::Tuple(it) | Value::List(it) | Value::Set(it) | Value::Dict(it) => !it.is_empty(),
        Value::Range(..) => range_len(it)? != 0,
        Value::Slice(_) | Value::Function(_) | Value::Class(_) | Value::Bound(..) => true,
        Value::Partial(..) | Value::Iterator(_) | Value::Module(_) => true,
        Value::Instance(class, _) => {
            let is_plain = class.member("__bool__").is_none() && class.member("__len__").is_none();
            return (is_plain && !is_data_enum(it)).then_some(true);
        }
        Value::Typed(..) | Value::Path(_) => return None,
        Value::Unknown(it) => match it.kind {
            Kind::Sequence(Some(len)) => len != 0,
            _ => return None,
        },
    })
}

/// Returns true if it is a member of an enumeration that is a number or string as well.
fn is_data_enum(it: &Value) -> bool {
    use super::function::ClassKind;
    match it {
        Value::Instance(class, _) => {
            matches!(class.kind, ClassKind::Enum { is_int, is_str } if is_int || is_str)
        }
        _ => false,
    }
}

/// The number or string that a member of an `IntEnum` or of `class A(str, Enum)` is; any other value is itself.
pub(crate) fn as_data(it: &Value) -> &Value {
    match it {
        Value::Instance(_, fields) if is_data_enum(it) => fields.get("_value_").unwrap_or(it),
        _ => it,
    }
}

#[derive(Clone, Copy)]
enum Number {
    Int(i128),
    Float(f64),
}

impl Number {
    /// As a float, if it is one exactly.
    fn float(self) -> Option<f64> {
        match self {
            Number::Int(it) => is_exact(it).then_some(it as f64),
            Number::Float(it) => Some(it),
        }
    }
}

fn number(it: &Value) -> Option<Number> {
    Some(match as_data(it) {
        Value::Bool(it) => Number::Int(i128::from(*it)),
        Value::Int(it) => Number::Int(*it),
        Value::Float(it) => Number::Float(f64::from_bits(*it)),
        _ => return None,
    })
}

/// An infix operator. Integers beyond 128 bits are unknown.
pub(crate) fn binary(op: SyntaxKind, lhs: &Value, rhs: &Value) -> Option<Value> {
    use SyntaxKind as K;
    match (op, as_data(lhs), as_data(rhs)) {
        (K::PLUS, Value::Str(a), Value::Str(b)) => {
            let is_small = a.len().saturating_add(b.len()) <= MAX_SIZE;
            return is_small.then(|| Value::str(format!("{a}{b}")));
        }
        (K::PLUS, Value::Tuple(a), Value::Tuple(b)) => return joined(a, b).map(Value::Tuple),
        (K::PLUS, Value::List(a), Value::List(b)) => return joined(a, b).map(Value::List),
        (K::STAR, it, Value::Int(n)) | (K::STAR, Value::Int(n), it) if number(it).is_none() => {
            return repeated(it, *n);
        }
        (K::STAR, it, Value::Bool(n)) | (K::STAR, Value::Bool(n), it) if number(it).is_none() => {
            return repeated(it, i128::from(*n));
        }
        (K::PIPE, Value::Dict(a), Value::Dict(b)) => {
            let mut all = a.to_vec();
            for pair in b.chunks_exact(2) {
                insert(&mut all, pair[0].clone(), pair[1].clone())?;
            }
            return Some(Value::Dict(all.into()));
        }
        (K::PIPE | K::AMP | K::MINUS, Value::Set(a), Value::Set(b)) => return sets(op, a, b),
        (_, Value::Bool(a), Value::Bool(b)) => match op {
            K::AMP => return Some(Value::Bool(a & b)),
            K::PIPE => return Some(Value::Bool(a | b)),
            K::CARET => return Some(Value::Bool(a ^ b)),
            _ => {}
        },
        _ => {}
    }
    match (number(lhs)?, number(rhs)?) {
        (Number::Int(a), Number::Int(b)) => ints(op, a, b),
        (a, b) => floats(op, a.float()?, b.float()?).map(Value::float),
    }
}

fn floats(op: SyntaxKind, a: f64, b: f64) -> Option<f64> {
    use SyntaxKind as K;
    Some(match op {
        K::PLUS => a + b,
        K::MINUS => a - b,
        K::STAR => a * b,
        K::SLASH if b != 0.0 => a / b,
        K::SLASH2 if b != 0.0 => float_floor_div(a, b),
        K::PERCENT if b != 0.0 => float_mod(a, b),
        // Elsewhere Python gives a complex number, or raises an error.
        K::STAR2 if a > 0.0 => Some(a.powf(b)).filter(|it| it.is_finite())?,
        _ => return None,
    })
}

fn ints(op: SyntaxKind, a: i128, b: i128) -> Option<Value> {
    use SyntaxKind as K;
    Some(Value::Int(match op {
        K::PLUS => a.checked_add(b)?,
        K::MINUS => a.checked_sub(b)?,
        K::STAR => a.checked_mul(b)?,
        K::SLASH2 => floor_div(a, b)?,
        K::PERCENT => a.checked_sub(floor_div(a, b)?.checked_mul(b)?)?,
        K::STAR2 if b < 0 => {
            return floats(op, Number::Int(a).float()?, Number::Int(b).float()?).map(Value::float);
        }
        K::STAR2 => a.checked_pow(u32::try_from(b).ok()?)?,
        K::LT2 => {
            a.checked_mul(1i128.checked_shl(u32::try_from(b).ok().filter(|&it| it < 127)?)?)?
        }
        K::GT2 if b >= 0 => a >> b.min(127),
        K::AMP => a & b,
        K::PIPE => a | b,
        K::CARET => a ^ b,
        K::SLASH if b != 0 && is_exact(a) && is_exact(b) => {
            return Some(Value::float(a as f64 / b as f64));
        }
        _ => return None,
    }))
}

fn joined(a: &Items, b: &Items) -> Option<Items> {
    let is_small = a.size().saturating_add(b.size()) <= MAX_SIZE;
    is_small.then(|| a.iter().chain(b.iter()).cloned().collect())
}

fn repeated(it: &Value, n: i128) -> Option<Value> {
    let n = usize::try_from(n.max(0)).ok()?;
    if it.size().checked_mul(n)? > MAX_SIZE {
        return None;
    }
    let items = |items: &Items| -> Items {
        std::iter::repeat_n(items, n).flat_map(|it| it.iter().cloned()).collect()
    };
    Some(match it {
        Value::Str(it) => Value::str(it.repeat(n)),
        Value::Tuple(it) => Value::Tuple(items(it)),
        Value::List(it) => Value::List(items(it)),
        _ => return None,
    })
}

fn sets(op: SyntaxKind, a: &Items, b: &Items) -> Option<Value> {
    let mut all = Vec::new();
    for item in a.iter() {
        let is_common = contains(b, item)?;
        if op == SyntaxKind::PIPE || (op == SyntaxKind::AMP) == is_common {
            all.push(item.clone());
        }
    }
    if op == SyntaxKind::PIPE {
        for item in b.iter() {
            add(&mut all, item.clone())?;
        }
    }
    Some(Value::Set(all.into()))
}

/// Adds an item to a set.
pub(crate) fn add(set: &mut Vec<Value>, item: Value) -> Option<()> {
    is_hashable(&item).then_some(())?;
    if !contains(set, &item)? {
        set.push(item);
    }
    Some(())
}

/// Sets the value of a key of a dictionary.
pub(crate) fn insert(dict: &mut Vec<Value>, key: Value, value: Value) -> Option<()> {
    is_hashable(&key).then_some(())?;
    match position(dict, &key)? {
        Some(at) => dict[at + 1] = value,
        None => dict.extend([key, value]),
    }
    Some(())
}

/// The place of a key in a dictionary; `None` if it is not known whether it is there.
pub(crate) fn position(dict: &[Value], key: &Value) -> Option<Option<usize>> {
    for (at, pair) in dict.chunks_exact(2).enumerate() {
        if equals(&pair[0], key)? {
            return Some(Some(2 * at));
        }
    }
    Some(None)
}

/// Returns true if a value can be a key.
pub(crate) fn is_hashable(it: &Value) -> bool {
    match it {
        Value::List(_) | Value::Set(_) | Value::Dict(_) | Value::Slice(_) => false,
        Value::Unknown(_) | Value::Typed(..) | Value::Iterator(_) => false,
        Value::Tuple(items) => items.iter().all(is_hashable),
        Value::Instance(class, _) => class.is_frozen(),
        _ => true,
    }
}

/// Returns true if an item of a sequence is equal to a value.
pub(crate) fn contains(items: &[Value], value: &Value) -> Option<bool> {
    for item in items {
        if equals(item, value)? {
            return Some(true);
        }
    }
    Some(false)
}

/// `item in container`
pub(crate) fn is_in(item: &Value, container: &Value) -> Option<bool> {
    match container {
        Value::Str(text) => match as_data(item) {
            Value::Str(it) => Some(text.contains(&**it)),
            _ => None,
        },
        Value::Tuple(items) | Value::List(items) | Value::Set(items) => contains(items, item),
        Value::Dict(items) => position(items, item).map(|it| it.is_some()),
        Value::Range(start, _, step) => match as_data(item) {
            Value::Int(it) => {
                let at = it.checked_sub(*start)?;
                let place = floor_div(at, *step)?;
                let is_item = place.checked_mul(*step)? == at;
                Some(is_item && place >= 0 && place < range_len(container)?)
            }
            _ => None,
        },
        _ => None,
    }
}

/// `a == b`
pub(crate) fn equals(a: &Value, b: &Value) -> Option<bool> {
    let (a, b) = (as_data(a), as_data(b));
    if let (Some(x), Some(y)) = (number(a), number(b)) {
        return Some(match (x, y) {
            (Number::Int(x), Number::Int(y)) => x == y,
            (Number::Float(x), Number::Float(y)) => x == y,
            (x, y) => x.float()? == y.float()?,
        });
    }
    let is_opaque = |it: &Value| {
        matches!(
            it,
            Value::Unknown(_)
                | Value::Typed(..)
                | Value::Path(_)
                | Value::Function(_)
                | Value::Bound(..)
                | Value::Partial(..)
                | Value::Iterator(_)
                | Value::Module(_)
                | Value::Class(_)
        )
    };
    match (a, b) {
        (Value::Tuple(x), Value::Tuple(y)) | (Value::List(x), Value::List(y)) => all_equal(x, y),
        (Value::Set(x), Value::Set(y)) => {
            for item in x.iter() {
                if !contains(y, item)? {
                    return Some(false);
                }
            }
            Some(x.len() == y.len())
        }
        (Value::Dict(x), Value::Dict(y)) => {
            for pair in x.chunks_exact(2) {
                match position(y, &pair[0])? {
                    Some(at) if equals(&y[at + 1], &pair[1])? => {}
                    _ => return Some(false),
                }
            }
            Some(x.len() == y.len())
        }
        (Value::Range(..), Value::Range(..)) if a == b => Some(true),
        (Value::Range(..), Value::Range(..)) | (Value::Slice(_), Value::Slice(_)) => None,
        (Value::Instance(x, f), Value::Instance(y, g)) => instances_equal(x, f, y, g),
        (Value::Class(x), Value::Class(y)) => Some(x == y),
        (Value::Instance(class, _), it) | (it, Value::Instance(class, _)) => {
            let is_plain = class.member("__eq__").is_none() && !is_opaque(it);
            is_plain.then_some(false)
        }
        (Value::None, Value::Unknown(it)) | (Value::Unknown(it), Value::None) => {
            (it.kind.name().is_some()).then_some(false)
        }
        _ if is_opaque(a) || is_opaque(b) => {
            let is_none = matches!(a, Value::None) || matches!(b, Value::None);
            let is_function =
                |it: &Value| matches!(it, Value::Function(_) | Value::Bound(..) | Value::Class(_));
            (is_none && (is_function(a) || is_function(b))).then_some(false)
        }
        _ => Some(a == b),
    }
}

fn instances_equal(
    x: &super::function::Class,
    f: &super::value::Fields,
    y: &super::function::Class,
    g: &super::value::Fields,
) -> Option<bool> {
    use super::function::ClassKind as C;
    if x.member("__eq__").is_some() || y.member("__eq__").is_some() {
        return None;
    }
    if x.is_enum() && y.is_enum() {
        let is_same = x.name == y.name && x.home == y.home;
        return Some(is_same && f.get("_name_") == g.get("_name_"));
    }
    match (x.kind, y.kind) {
        (C::Data { .. }, C::Data { .. }) | (C::NamedTuple, C::NamedTuple) if x == y => {
            for (name, value) in f.iter() {
                if !equals(value, g.get(name)?)? {
                    return Some(false);
                }
            }
            Some(true)
        }
        // By identity, which a value does not tell.
        _ => None,
    }
}

fn all_equal(a: &[Value], b: &[Value]) -> Option<bool> {
    if a.len() != b.len() {
        return Some(false);
    }
    for (a, b) in a.iter().zip(b) {
        if !equals(a, b)? {
            return Some(false);
        }
    }
    Some(true)
}

/// `a is b`
pub(crate) fn is_same(a: &Value, b: &Value) -> Option<bool> {
    let is_none = |it: &Value| match it {
        Value::None => Some(true),
        Value::Unknown(it) => (it.kind != Kind::Any).then_some(false),
        Value::Path(_) => None,
        _ => Some(false),
    };
    match (a, b) {
        (Value::None, other) | (other, Value::None) => is_none(other),
        (Value::Bool(a), Value::Bool(b)) => Some(a == b),
        (Value::Instance(x, f), Value::Instance(y, g)) if x.is_enum() && y.is_enum() => {
            instances_equal(x, f, y, g)
        }
        (Value::Class(x), Value::Class(y)) => Some(x == y),
        (Value::Bool(_), Value::Int(_) | Value::Float(_) | Value::Str(_))
        | (Value::Int(_) | Value::Float(_) | Value::Str(_), Value::Bool(_)) => Some(false),
        _ => None,
    }
}

/// A comparison by value.
pub(crate) fn compare(op: ir::BinaryOp, lhs: &Value, rhs: &Value) -> Option<bool> {
    use ir::BinaryOp as B;
    match op {
        B::Eq => return equals(lhs, rhs),
        B::Ne => return equals(lhs, rhs).map(|it| !it),
        _ => {}
    }
    if let (Some(a), Some(b)) = (number(lhs), number(rhs)) {
        let is_nan = |it: Number| matches!(it, Number::Float(it) if it.is_nan());
        if is_nan(a) || is_nan(b) {
            return Some(false);
        }
    }
    let order = order(lhs, rhs)?;
    Some(match op {
        B::Lt => order.is_lt(),
        B::Le => order.is_le(),
        B::Gt => order.is_gt(),
        B::Ge => order.is_ge(),
        _ => return None,
    })
}

/// The order of two values.
pub(crate) fn order(a: &Value, b: &Value) -> Option<Ordering> {
    let (a, b) = (as_data(a), as_data(b));
    if let (Some(x), Some(y)) = (number(a), number(b)) {
        return match (x, y) {
            (Number::Int(x), Number::Int(y)) => Some(x.cmp(&y)),
            (x, y) => x.float()?.partial_cmp(&y.float()?),
        };
    }
    match (a, b) {
        (Value::Str(x), Value::Str(y)) => Some(x.chars().cmp(y.chars())),
        (Value::Tuple(x), Value::Tuple(y)) | (Value::List(x), Value::List(y)) => {
            for (x, y) in x.iter().zip(y.iter()) {
                if !equals(x, y)? {
                    return order(x, y);
                }
            }
            Some(x.len().cmp(&y.len()))
        }
        _ => None,
    }
}

/// The number of items of a `range`.
pub(crate) fn range_len(it: &Value) -> Option<i128> {
    let Value::Range(start, stop, step) = *it else { return None };
    let span = stop.checked_sub(start)?;
    match step {
        0 => None,
        1.. => Some((span.checked_add(step - 1)? / step).max(0)),
        _ => Some((span.checked_add(step + 1)? / step).max(0)),
    }
}

/// Returns true if a float represents the integer exactly: Python divides larger ones without rounding them first.
pub(crate) fn is_exact(it: i128) -> bool {
    it.unsigned_abs() <= 1 << f64::MANTISSA_DIGITS
}

/// Python's floor division of floats, from the exact remainder: `1.0 // 0.1` is 9, as 0.1 is a little more than a
/// tenth.
fn float_floor_div(a: f64, b: f64) -> f64 {
    let rest = a % b;
    let mut quotient = (a - rest) / b;
    if rest != 0.0 && (rest < 0.0) != (b < 0.0) {
        quotient -= 1.0;
    }
    if quotient == 0.0 {
        return 0.0f64.copysign(a / b);
    }
    let floor = quotient.floor();
    if quotient - floor > 0.5 { floor + 1.0 } else { floor }
}

/// Python's remainder: of the divisor's sign.
fn float_mod(a: f64, b: f64) -> f64 {
    let rest = a % b;
    if rest == 0.0 {
        return 0.0f64.copysign(b);
    }
    if (rest < 0.0) != (b < 0.0) { rest + b } else { rest }
}

/// Division toward negative infinity.
pub(crate) fn floor_div(a: i128, b: i128) -> Option<i128> {
    let quotient = a.checked_div(b)?;
    let is_inexact = a.checked_rem(b)? != 0 && (a < 0) != (b < 0);
    Some(if is_inexact { quotient - 1 } else { quotient })
}

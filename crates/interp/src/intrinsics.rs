//! Calls that are values of their operands (SEMANTICS: F11–F14, S9).
//!
//! Float functions are computed in double precision by a portable library and rounded once to the type.

use super::{
    EventKind,
    memory::{read_scalar, scalar_bits},
    ops::{Events, Fault, Val},
};
use ir::DataType;

/// The function that a fast or differently named one of TileLang is.
fn tilelang_function(name: &str) -> Option<&'static str> {
    Some(match name.strip_prefix("tl.")? {
        "__exp" => "exp",
        "__exp10" => "exp10",
        "__log" => "log",
        "__log2" => "log2",
        "__log10" => "log10",
        "__sin" => "sin",
        "__cos" => "cos",
        "__tan" => "tan",
        _ => return None,
    })
}

/// The value of `name(args)` with result type `dtype`; none if the name is not known here.
pub(super) fn call(
    name: &str,
    dtype: DataType,
    args: &[Val],
    arg_types: &[Option<DataType>],
    events: Events<'_>,
) -> Option<Result<Val, Fault>> {
    let name = tilelang_function(name).unwrap_or(name);
    if let Some(value) = of_vectors(name, args) {
        return Some(Ok(value));
    }
    if let Some(lanes) =
        args.iter().find_map(|arg| if let Val::Vector(it) = arg { Some(it.len()) } else { None })
    {
        return by_lane(name, dtype, args, arg_types, lanes, events);
    }
    let element = dtype.element();
    if let [Val::Float(x)] = *args
        && let Some(function) = unary_float(name)
    {
        return Some(Ok(Val::Float(element.round_float(function(x)))));
    }
    if let [Val::Float(x), Val::Float(y)] = *args
        && let Some(function) = binary_float(name)
    {
        return Some(Ok(Val::Float(element.round_float(function(x, y)))));
    }
    Some(Ok(match (name, args) {
        ("fma", [Val::Float(a), Val::Float(b), Val::Float(c)]) => {
            Val::Float(fused(element, *a, *b, *c))
        }
        ("tl.clamp", [Val::Float(x), Val::Float(low), Val::Float(high)]) => {
            // Any operand that is not a number makes the result none.
            let nan = [*x, *low, *high].into_iter().find(|it| it.is_nan());
            Val::Float(nan.unwrap_or_else(|| x.max(*low).min(*high)))
        }
        ("tl.clamp", [Val::Int(x, _), Val::Int(low, _), Val::Int(high, _)]) => {
            Val::Int((*x).max(*low).min(*high), false)
        }
        ("tl.fast_rcp", [Val::Float(x)]) => Val::Float(element.round_float(1.0 / x)),
        ("isnan", [Val::Float(x)]) => Val::Int(i64::from(x.is_nan()), false),
        ("isinf", [Val::Float(x)]) => Val::Int(i64::from(x.is_infinite()), false),
        ("isfinite", [Val::Float(x)]) => Val::Int(i64::from(x.is_finite()), false),
        ("ldexp", [Val::Float(x), Val::Int(n, _)]) => {
            Val::Float(element.round_float(libm::ldexp(*x, (*n).clamp(-5000, 5000) as i32)))
        }
        ("popcount" | "ctpop", [Val::Int(x, _)]) => {
            let bits = arg_types[0].map_or(64, |it| u32::from(it.bits)).clamp(1, 64);
            Val::Int(i64::from(((*x as u64) & (u64::MAX >> (64 - bits))).count_ones()), false)
        }
        ("clz", [Val::Int(x, _)]) => {
            let bits = arg_types[0].map_or(64, |it| u32::from(it.bits)).clamp(1, 64);
            let low = (*x as u64) & (u64::MAX >> (64 - bits));
            if low == 0
                && let Err(fault) = events(EventKind::CountOfZero)
            {
                return Some(Err(fault));
            }
            Val::Int(i64::from(low.leading_zeros() - (64 - bits)), false)
        }
        ("fabs" | "abs", [Val::Int(x, wrapped)]) => {
            Val::Int(element.wrap_int(i128::from(*x).abs()), *wrapped)
        }
        ("floor" | "ceil" | "round" | "trunc" | "nearbyint", [Val::Int(..)]) => args[0].clone(),
        ("pow", [Val::Int(x, wx), Val::Int(n, wn)]) => {
            let power = (0..(*n).clamp(0, 64)).fold(1i128, |it, _| it.wrapping_mul(i128::from(*x)));
            Val::Int(element.wrap_int(power), *wx || *wn)
        }
        ("nextafter", [Val::Float(x), Val::Float(y)]) => Val::Float(next_after(element, *x, *y)),
        ("cuda.ffs_u32", [Val::Int(x, _)]) => {
            Val::Int(if *x == 0 { 0 } else { i64::from(x.trailing_zeros()) + 1 }, false)
        }
        ("cuda.float_as_uint" | "cuda.uint_as_float", [value]) => {
            return Some(reinterpret(value, arg_types[0], element));
        }
        ("cuda.half2float" | "cuda.bfloat162float", [Val::Float(x)]) => {
            Val::Float(element.round_float(*x))
        }
        ("reinterpret", [value]) => return Some(reinterpret(value, arg_types[0], element)),
        ("q_multiply_shift", [Val::Int(x, _), Val::Int(y, _), Val::Int(q, _), Val::Int(s, _)]) => {
            multiply_shift(*x, *y, *q, *s, element)
        }
        _ => return None,
    }))
}

/// Calls on whole vectors.
fn of_vectors(name: &str, args: &[Val]) -> Option<Val> {
    match (name, args) {
        ("vectorlow", [Val::Vector(lanes)]) => Some(part(&lanes[..lanes.len() / 2])),
        ("vectorhigh", [Val::Vector(lanes)]) => Some(part(&lanes[lanes.len() / 2..])),
        ("vectorcombine", [a, b]) => {
            let lanes = |it: &Val| match it {
                Val::Vector(lanes) => lanes.to_vec(),
                scalar => vec![scalar.clone()],
            };
            Some(Val::Vector(lanes(a).into_iter().chain(lanes(b)).collect()))
        }
        ("dp4a", [Val::Vector(a), Val::Vector(b), Val::Int(sum, wrapped)]) => {
            let products = a.iter().zip(b.iter()).map(|pair| match pair {
                (Val::Int(x, _), Val::Int(y, _)) => x * y,
                _ => 0,
            });
            let exact = i128::from(*sum) + i128::from(products.sum::<i64>());
            Some(Val::Int(DataType::INT32.wrap_int(exact), *wrapped))
        }
        _ => None,
    }
}

fn part(lanes: &[Val]) -> Val {
    if let [one] = lanes { one.clone() } else { Val::Vector(lanes.into()) }
}

fn by_lane(
    name: &str,
    dtype: DataType,
    args: &[Val],
    arg_types: &[Option<DataType>],
    lanes: usize,
    events: Events<'_>,
) -> Option<Result<Val, Fault>> {
    let mut result = Vec::with_capacity(lanes);
    for lane in 0..lanes {
        let of_lane: Vec<Val> = args
            .iter()
            .map(|arg| match arg {
                Val::Vector(values) => values.get(lane).cloned().unwrap_or(Val::Unit),
                scalar => scalar.clone(),
            })
            .collect();
        match call(name, dtype, &of_lane, arg_types, events)? {
            Ok(value) => result.push(value),
            Err(fault) => return Some(Err(fault)),
        }
    }
    Some(Ok(Val::Vector(result.into())))
}

pub(super) fn unary_float(name: &str) -> Option<fn(f64) -> f64> {
    Some(match name {
        "exp" => libm::exp,
        "exp2" => libm::exp2,
        "exp10" => libm::exp10,
        "log" => libm::log,
        "log2" => libm::log2,
        "log10" => libm::log10,
        "log1p" => libm::log1p,
        "sqrt" => libm::sqrt,
        "rsqrt" => |x| 1.0 / libm::sqrt(x),
        "sin" => libm::sin,
        "cos" => libm::cos,
        "tan" => libm::tan,
        "asin" => libm::asin,
        "acos" => libm::acos,
        "atan" => libm::atan,
        "sinh" => libm::sinh,
        "cosh" => libm::cosh,
        "tanh" => libm::tanh,
        "asinh" => libm::asinh,
        "acosh" => libm::acosh,
        "atanh" => libm::atanh,
        "erf" => libm::erf,
        "sigmoid" => |x| 1.0 / (1.0 + libm::exp(-x)),
        "floor" => libm::floor,
        "ceil" => libm::ceil,
        "trunc" => libm::trunc,
        "round" | "nearbyint" => |x| x.round_ties_even(),
        "fabs" | "abs" => libm::fabs,
        _ => return None,
    })
}

pub(super) fn binary_float(name: &str) -> Option<fn(f64, f64) -> f64> {
    Some(match name {
        "pow" => libm::pow,
        "fmod" => libm::fmod,
        "atan2" => libm::atan2,
        "hypot" => libm::hypot,
        "copysign" => libm::copysign,
        "fdividef" | "cuda.fdividef" => |x, y| x / y,
        _ => return None,
    })
}

/// `a * b + c` with one rounding. The product of two narrower floats is exact in a double; their sum with `c` is
/// rounded to odd there, so that the second rounding sees on which side of a tie it was (Boldo, Melquiond 2008).
fn fused(element: DataType, a: f64, b: f64, c: f64) -> f64 {
    if element == DataType::float(64) {
        return element.round_float(libm::fma(a, b, c));
    }
    let product = a * b;
    let sum = product + c;
    if !sum.is_finite() {
        return element.round_float(sum);
    }
    // The exact error of the sum (Knuth).
    let back = sum - product;
    let error = (product - (sum - back)) + (c - back);
    let is_even = sum.to_bits() & 1 == 0;
    let odd = match error.partial_cmp(&0.0) {
        Some(std::cmp::Ordering::Greater) if is_even => sum.next_up(),
        Some(std::cmp::Ordering::Less) if is_even => sum.next_down(),
        _ => sum,
    };
    element.round_float(odd)
}

/// The float next to `x` in the direction of `y`.
fn next_after(element: DataType, x: f64, y: f64) -> f64 {
    match element.bits {
        _ if x.is_nan() || y.is_nan() => f64::NAN,
        64 if x < y => x.next_up(),
        64 if x > y => x.next_down(),
        32 if x < y => f64::from((x as f32).next_up()),
        32 if x > y => f64::from((x as f32).next_down()),
        _ => y,
    }
}

/// The same bits as another type of the same width.
fn reinterpret(value: &Val, from: Option<DataType>, to: DataType) -> Result<Val, Fault> {
    let unsupported =
        || (super::RunErrorKind::Unsupported, format!("reinterpret of {value:?} as {to}"));
    let from = from.ok_or_else(unsupported)?;
    let bits = scalar_bits(from.element(), value).ok_or_else(unsupported)?;
    read_scalar(to, &bits.to_le_bytes()[..to.bytes().min(8)]).ok_or_else(unsupported)
}

/// Fixed-point multiplication, rounding half up: `(x * y + 2^(q+s-1)) >> (q + s)` as TVM documents it.
fn multiply_shift(x: i64, y: i64, q: i64, s: i64, dtype: DataType) -> Val {
    let (left, right) = if s > 0 { (s, 0) } else { (0, -s) };
    let product = (i128::from(x) << left.clamp(0, 31)) * i128::from(y);
    let total = (right + q).clamp(0, 100) as u32;
    let rounded = if total == 0 { product } else { (product + (1i128 << (total - 1))) >> total };
    Val::Int(dtype.wrap_int(rounded), false)
}

//! The criterion by which two results of one function agree.
//!
//! Integers and bools: every bit. Floats: by the computations of the function (its [`Class`]), because exactly rounded
//! operations leave no tolerance, a transcendental function has as many results as there are libraries, and threads
//! that reduce together add in another order than a loop. NaN agrees with NaN of any payload, zero with zero of any
//! sign.

use interp::Array;
use ir::arena::Id;
use ir::{BinaryOp, Body, Callee, DataType, ExprKind, Intrinsic, OpKind, TypeCode};
use lower::{LowerOptions, lower_until};
use rustc_hash::FxHashSet;

/// The words of reports about functions that agree: how near the results were.
pub(crate) const AGREE_BY: &str = "agree: bit for bit, or within";
/// The results were the same.
pub(crate) const BIT_FOR_BIT: &str = "bit for bit";

/// The class of a function's float computations, from the least tolerance to the most.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Class {
    /// Floats are moved and compared, never computed.
    Moves,
    /// Additions, multiplications, divisions, conversions: each exactly rounded, in one order.
    Arithmetic,
    /// Calls of mathematical functions.
    Transcendental,
    /// Values are accumulated, in an order that is the peer's.
    Reduction,
}

impl Class {
    /// The class of a function.
    pub(crate) fn of(body: &Body) -> Class {
        let mut class = Class::Moves;
        for op in body.ops_preorder() {
            let operation = &body.ops[op];
            let mut seen = FxHashSet::default();
            let mut stack = operation.operands.to_vec();
            while let Some(expr) = stack.pop() {
                if !seen.insert(expr) {
                    continue;
                }
                let node = body.expr(expr);
                let is_float = node.ty.prim().is_some_and(DataType::is_float);
                class = class.max(class_of(body, node.kind, is_float));
                if let (ExprKind::Load { buffer, .. }, OpKind::Store { buffer: stored, .. }) =
                    (node.kind, operation.kind)
                    && buffer == stored
                    && is_float
                {
                    class = Class::Reduction;
                }
                body.each_child(node.kind, &mut |child| stack.push(child));
            }
        }
        class
    }

    /// Room in units of the last place, and as a share of the largest magnitude of the array.
    fn room(self, dtype: DataType) -> (f64, f64) {
        let step = step(dtype);
        match self {
            Class::Moves => (0.0, 0.0),
            Class::Arithmetic => (1.0, 0.0),
            Class::Transcendental => (64.0, 4.0 * step),
            Class::Reduction => (64.0, 256.0 * step),
        }
    }

    /// The room in words, for reports.
    pub(crate) fn stated(self) -> &'static str {
        match self {
            Class::Moves => "every bit",
            Class::Arithmetic => "1 ulp",
            Class::Transcendental => "64 ulp, or 4 ulp of the largest magnitude",
            Class::Reduction => "64 ulp, or 256 ulp of the largest magnitude",
        }
    }
}

fn class_of(body: &Body, kind: ExprKind, is_float: bool) -> Class {
    match kind {
        ExprKind::Call { callee: Callee::Intrinsic(name, it), .. } => match it {
            Intrinsic::Likely | Intrinsic::Reinterpret | Intrinsic::StorageSync => Class::Moves,
            Intrinsic::ThreadAllreduce => Class::Reduction,
            _ if it.is_rounding() || it == Intrinsic::FAbs => Class::Arithmetic,
            _ if body.name(name) == "sqrt" => Class::Arithmetic,
            _ if is_float => Class::Transcendental,
            _ => Class::Moves,
        },
        ExprKind::Binary(BinaryOp::Min | BinaryOp::Max, ..) => Class::Moves,
        ExprKind::Binary(..) | ExprKind::Cast(_) if is_float => Class::Arithmetic,
        _ => Class::Moves,
    }
}

/// Returns true if a function calls a mathematical function whose last bits are the library's.
pub(crate) fn calls_library(body: &Body) -> bool {
    body.ops_preorder().any(|op| {
        let mut seen = FxHashSet::default();
        let mut stack = body.ops[op].operands.to_vec();
        while let Some(expr) = stack.pop() {
            if !seen.insert(expr) {
                continue;
            }
            let node = body.expr(expr);
            let is_float = node.ty.prim().is_some_and(DataType::is_float);
            if class_of(body, node.kind, is_float) == Class::Transcendental {
                return true;
            }
            body.each_child(node.kind, &mut |child| stack.push(child));
        }
        false
    })
}

/// Returns true if threads reduce together once the function is lowered: in another order than a loop does.
pub(crate) fn reduces_over_threads(body: &Body) -> bool {
    let pass = "cross_thread_reduction";
    let lowered = lower_until(body, &LowerOptions::default(), pass);
    let Ok(body) = lowered else { return true };
    (0..body.n_exprs())
        .any(|index| body.operands_of(Id::new(index), Intrinsic::ThreadAllreduce).is_some())
}

/// Returns the place where two arrays differ in a bit first; any NaN is any other.
pub(crate) fn bit_difference(left: &Array, right: &Array) -> Option<String> {
    if !left.dtype.is_float() || left.data == right.data || left.len() != right.len() {
        return difference(left, right, Class::Moves);
    }
    (0..left.len()).find_map(|index| {
        let (one, other) = (left.get_f64(index)?, right.get_f64(index)?);
        let agree = one.to_bits() == other.to_bits() || (one.is_nan() && other.is_nan());
        (!agree).then(|| shown(left, right, index))
    })
}

/// The distance from 1 to the next number of the type.
fn step(dtype: DataType) -> f64 {
    match (dtype.code, dtype.bits) {
        (TypeCode::Float, 64) => f64::EPSILON,
        (TypeCode::Float, 32) => f64::from(f32::EPSILON),
        (TypeCode::Float, 16) => 2f64.powi(-10),
        (TypeCode::BFloat, _) => 2f64.powi(-7),
        _ => 0.0,
    }
}

/// Returns the place where two arrays disagree first, in words; none if nowhere.
pub(crate) fn difference(left: &Array, right: &Array, class: Class) -> Option<String> {
    if left.dtype != right.dtype || left.len() != right.len() {
        return Some(format!(
            "{} × {} / {} × {}",
            left.dtype,
            left.len(),
            right.dtype,
            right.len()
        ));
    }
    if left.data == right.data {
        return None;
    }
    if !left.dtype.is_float() {
        let width = left.dtype.bytes().max(1);
        let index =
            left.data.iter().zip(&right.data).position(|(a, b)| a != b).unwrap_or(0) / width;
        return Some(shown(left, right, index));
    }
    let largest = (0..left.len())
        .filter_map(|index| left.get_f64(index))
        .filter(|value| value.is_finite())
        .fold(0f64, |largest, value| largest.max(value.abs()));
    let (ulps, share) = class.room(left.dtype);
    (0..left.len()).find_map(|index| {
        let (one, other) = (left.get_f64(index)?, right.get_f64(index)?);
        let room = (ulps * one.abs().max(other.abs()) * step(left.dtype)).max(share * largest);
        (!agree(one, other, room)).then(|| shown(left, right, index))
    })
}

fn agree(one: f64, other: f64, room: f64) -> bool {
    one == other || (one.is_nan() && other.is_nan()) || (one - other).abs() <= room
}

fn shown(left: &Array, right: &Array, index: usize) -> String {
    let value =
        |array: &Array| array.get_f64(index).map_or_else(|| "?".to_owned(), |it| it.to_string());
    format!("element {index}: {} / {}", value(left), value(right))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn floats(values: &[f64]) -> Array {
        let mut array = Array::zeros(DataType::FLOAT32, &[values.len() as i64]);
        for (index, &value) in values.iter().enumerate() {
            array.set_f64(index, value);
        }
        array
    }

    #[test]
    fn room_depends_on_the_class() {
        let one = floats(&[1.0, f64::NAN, 0.0]);
        let next = floats(&[1.0 + f64::from(f32::EPSILON), f64::NAN, -0.0]);
        assert_eq!(difference(&one, &next, Class::Arithmetic), None);
        assert!(difference(&one, &next, Class::Moves).is_some());
        assert!(difference(&one, &floats(&[1.0, 1.0, 0.0]), Class::Reduction).is_some());
    }

    #[test]
    fn integers_agree_to_the_bit() {
        let mut one = Array::zeros(DataType::INT32, &[2]);
        let other = one.clone();
        assert_eq!(difference(&one, &other, Class::Reduction), None);
        one.set_f64(1, 1.0);
        let found = difference(&one, &other, Class::Reduction);
        assert_eq!(found.as_deref(), Some("element 1: 1 / 0"));
    }
}

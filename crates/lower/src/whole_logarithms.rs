//! `T.ceil(T.log2(c))` of a whole constant, which library code computes its number of rounds with, is a constant.
//!
//! In: a body. Out: the same with these calls as constants, and conversions of such a constant to an integer as that
//! integer, so that a launch does not ask the host for a logarithm. Functions of floats are not folded
//! (`SEMANTICS: F11`), since targets differ in the last bits; here they cannot: up to 2^40 the logarithm of a whole
//! number is that of a power of two, exactly, or further from a whole number than any error of float64. Linear in the
//! nodes.

use ir::{Body, DataType, ExprId, ExprKind, Intrinsic};

use super::{LowerOptions, LowerRefusal, Origins, lists::rebuild_operands};

/// Beyond, a logarithm may be too close to a whole number.
const GREATEST: f64 = (1u64 << 40) as f64;

pub(super) fn run(body: &mut Body, _: &LowerOptions, _: &mut Origins) -> Result<(), LowerRefusal> {
    let is_missing = |it: Intrinsic| it.name().is_none_or(|it| body.lookup_name(it).is_none());
    if is_missing(Intrinsic::Log2) || is_missing(Intrinsic::Ceil) {
        return Ok(());
    }
    rebuild_operands(body, &mut folded);
    Ok(())
}

fn folded(body: &mut Body, expr: ExprId) -> ExprId {
    match body.expr(expr).kind {
        ExprKind::Call { .. } => match rounds(body, expr) {
            Some(rounds) => body.float(f64::from(rounds), DataType::float(64)),
            None => expr,
        },
        ExprKind::Cast(inner) => match (whole(body, inner), body.dtype(expr)) {
            (Some(value), Some(dtype)) if dtype.is_int() && dtype.is_scalar() => {
                body.int(value.into(), dtype)
            }
            _ => expr,
        },
        _ => expr,
    }
}

/// The one argument of a call of this operator, of type float64.
fn argument(body: &Body, expr: ExprId, of: Intrinsic) -> Option<ExprId> {
    let &[argument] = body.operands_of(expr, of)? else { return None };
    (body.dtype(argument) == Some(DataType::float(64))).then_some(argument)
}

/// The value of `T.ceil(T.log2(c))`.
fn rounds(body: &Body, expr: ExprId) -> Option<i32> {
    let of = argument(body, argument(body, expr, Intrinsic::Ceil)?, Intrinsic::Log2)?;
    let ExprKind::Float(bits) = body.expr(of).kind else { return None };
    let value = f64::from_bits(bits);
    if value.fract() != 0.0 || !(1.0..=GREATEST).contains(&value) {
        return None;
    }
    // Whole and not less than 1, so this is exact.
    let whole = value as u64;
    i32::try_from(whole.next_power_of_two().trailing_zeros()).ok()
}

/// A small whole constant of float64.
fn whole(body: &Body, expr: ExprId) -> Option<i8> {
    let ExprKind::Float(bits) = body.expr(expr).kind else { return None };
    let value = f64::from_bits(bits);
    let fits = body.dtype(expr) == Some(DataType::float(64))
        && value.fract() == 0.0
        && (0.0..=64.0).contains(&value);
    fits.then_some(value as i8)
}

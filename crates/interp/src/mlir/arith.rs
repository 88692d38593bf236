//! arith and index: integer and float operators, comparisons, constants.
//!
//! Source of the rules: the documentation of the dialect (LLVM 19): signless integers wrap; with `nsw` or `nuw` an
//! overflow is poison, as is a shift by the width or more; a division by zero or of the smallest integer by −1 has no
//! behaviour. The operators are those of the interpreter of TIR, on the signed or unsigned type.

use super::super::{
    EventKind,
    ops::{self, Val},
};
use super::{
    attrs::{Decoded, OpView, constant},
    decode::{Code, compute, conversion, many},
    lanes::{lanewise, lift},
    machine::{Machine, Run},
    value::{Value, bit, elements},
};
use ir::{BinaryOp, DataType};

/// How an integer operator reads its operands.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Sign {
    Signed,
    Unsigned,
}

use Sign::{Signed, Unsigned};

/// Reads an operation of arith or index.
pub(super) fn decode(view: &OpView<'_>, dialect: &str) -> Decoded<Option<Code>> {
    let name = view.name;
    if name == "constant" || name == "bool.constant" {
        let text = view.attr("value").unwrap_or_default();
        let Some(value) = constant(text) else { return view.unsupported("a value of this type") };
        return Ok(Some(compute(move |_, _| Ok(value.clone()))));
    }
    if dialect == "index" && name == "sizeof" {
        return Ok(Some(compute(|_, _| Ok(super::value::int(64)))));
    }
    if let Some((op, sign)) = int_operator(name, dialect) {
        view.need(2)?;
        let dtype = view.operand_dtype(0)?;
        let (nsw, nuw) = flags(view);
        return Ok(Some(lanewise(2, move |machine, lane| {
            int_binary(machine, op, sign, dtype, (nsw, nuw), &lane[0], &lane[1])
        })));
    }
    if let Some(op) = float_operator(name) {
        view.need(2)?;
        let dtype = view.operand_dtype(0)?;
        return Ok(Some(lanewise(2, move |machine, lane| {
            if let Some(value) = ops::fast_binary(op, dtype, &lane[0], &lane[1]) {
                return Ok(value);
            }
            let res = ops::binary(op, dtype, &lane[0], &lane[1], &mut |_| Ok(()));
            res.or_else(|fault| machine.fault(fault))
        })));
    }
    if let Some(pick) = extremum(name) {
        view.need(2)?;
        return Ok(Some(lanewise(2, move |machine, lane| match lane {
            [Val::Float(x), Val::Float(y)] => Ok(Val::Float(pick(*x, *y))),
            _ => machine.unsupported("a float operator on other values"),
        })));
    }
    other(view, dialect)
}

fn other(view: &OpView<'_>, dialect: &str) -> Decoded<Option<Code>> {
    Ok(Some(match view.name {
        "cmpi" => {
            view.need(2)?;
            let (op, sign) = predicate(view.int("predicate")?)?;
            comparison(view.operand_dtype(0)?, op, sign)
        }
        "cmp" if dialect == "index" => {
            view.need(2)?;
            let word = view.words("pred");
            let at = PREDICATES.iter().position(|it| word.first() == Some(it));
            let (op, sign) = predicate(at.map_or(-1, |it| it as i64))?;
            comparison(view.operand_dtype(0)?, op, sign)
        }
        "cmpf" => {
            view.need(2)?;
            let number = view.int("predicate")?;
            lanewise(2, move |machine, lane| match lane {
                [Val::Float(x), Val::Float(y)] => Ok(bit(float_holds(number, *x, *y))),
                _ => machine.unsupported("a comparison of other values than floats"),
            })
        }
        "negf" => {
            view.need(1)?;
            lanewise(1, |machine, lane| match lane {
                [Val::Float(x)] => Ok(Val::Float(-*x)),
                _ => machine.unsupported("a float operator on other values"),
            })
        }
        "select" => {
            view.need(3)?;
            compute(select)
        }
        "ceildivsi" | "ceildivs" => {
            view.need(2)?;
            ceil_division(view.operand_dtype(0)?, Signed)
        }
        "ceildivui" | "ceildivu" => {
            view.need(2)?;
            ceil_division(view.operand_dtype(0)?, Unsigned)
        }
        "mulsi_extended" | "mului_extended" | "addui_extended" => {
            view.need(2)?;
            extended(view.name, view.operand_dtype(0)?)
        }
        _ => return conversion(view),
    }))
}

// ---- integers ----

fn flags(view: &OpView<'_>) -> (bool, bool) {
    let words = view.words("overflowFlags");
    (words.contains(&"nsw"), words.contains(&"nuw"))
}

fn int_operator(name: &str, dialect: &str) -> Option<(BinaryOp, Sign)> {
    use BinaryOp::{Add, BitAnd, BitOr, BitXor, Div, FloorDiv, Max, Min, Mod, Mul, Shl, Shr, Sub};
    let is_index = dialect == "index";
    Some(match name {
        "addi" => (Add, Signed),
        "subi" => (Sub, Signed),
        "muli" => (Mul, Signed),
        "divsi" => (Div, Signed),
        "divui" => (Div, Unsigned),
        "remsi" => (Mod, Signed),
        "remui" => (Mod, Unsigned),
        "floordivsi" => (FloorDiv, Signed),
        "andi" => (BitAnd, Signed),
        "ori" => (BitOr, Signed),
        "xori" => (BitXor, Signed),
        "shli" => (Shl, Signed),
        "shrsi" => (Shr, Signed),
        "shrui" => (Shr, Unsigned),
        "minsi" => (Min, Signed),
        "maxsi" => (Max, Signed),
        "minui" => (Min, Unsigned),
        "maxui" => (Max, Unsigned),
        "add" if is_index => (Add, Signed),
        "sub" if is_index => (Sub, Signed),
        "mul" if is_index => (Mul, Signed),
        "divs" if is_index => (Div, Signed),
        "divu" if is_index => (Div, Unsigned),
        "rems" if is_index => (Mod, Signed),
        "remu" if is_index => (Mod, Unsigned),
        "floordivs" if is_index => (FloorDiv, Signed),
        "and" if is_index => (BitAnd, Signed),
        "or" if is_index => (BitOr, Signed),
        "xor" if is_index => (BitXor, Signed),
        "shl" if is_index => (Shl, Signed),
        "shrs" if is_index => (Shr, Signed),
        "shru" if is_index => (Shr, Unsigned),
        "mins" if is_index => (Min, Signed),
        "maxs" if is_index => (Max, Signed),
        "minu" if is_index => (Min, Unsigned),
        "maxu" if is_index => (Max, Unsigned),
        _ => return None,
    })
}

/// An integer read as a signed or an unsigned one.
fn read_as(sign: Sign, dtype: DataType, value: &Val) -> (DataType, Val) {
    match (sign, value) {
        (Unsigned, Val::Int(value, _)) => {
            let unsigned = DataType::uint(dtype.bits);
            (unsigned, Val::Int(unsigned.wrap_int((*value).into()), false))
        }
        _ => (dtype, value.clone()),
    }
}

/// The exact value of an integer operator that can overflow.
fn exact(op: BinaryOp, a: i128, b: i128) -> Option<i128> {
    match op {
        BinaryOp::Add => Some(a + b),
        BinaryOp::Sub => Some(a - b),
        BinaryOp::Mul => a.checked_mul(b),
        BinaryOp::Shl => a.checked_mul(1i128.checked_shl(u32::try_from(b).ok()?)?),
        _ => Some(0),
    }
}

/// Returns true if the exact result does not fit the type, read signed or unsigned.
fn overflows(op: BinaryOp, sign: Sign, dtype: DataType, a: i64, b: i64) -> bool {
    let wide = |dtype: DataType, value: i64| {
        let value = dtype.wrap_int(value.into());
        if dtype.is_uint() { i128::from(value as u64) } else { i128::from(value) }
    };
    let dtype = if sign == Unsigned { DataType::uint(dtype.bits) } else { dtype };
    // The amount of a shift is never negative.
    let amount = if op == BinaryOp::Shl { DataType::uint(dtype.bits) } else { dtype };
    match exact(op, wide(dtype, a), wide(amount, b)) {
        Some(exact) => wide(dtype, dtype.wrap_int(exact)) != exact,
        None => true,
    }
}

/// An integer operator on one lane; with `nsw` and `nuw`.
pub(super) fn int_binary(
    machine: &mut Machine<'_>,
    op: BinaryOp,
    sign: Sign,
    dtype: DataType,
    (nsw, nuw): (bool, bool),
    a: &Val,
    b: &Val,
) -> Run<Val> {
    if sign == Signed
        && !(nsw || nuw)
        && dtype.bits >= 32
        && let Some(value) = ops::fast_binary(op, dtype, a, b)
    {
        return Ok(value);
    }
    if let (Val::Int(x, _), Val::Int(y, _)) = (a, b)
        && ((nsw && overflows(op, Signed, dtype, *x, *y))
            || (nuw && overflows(op, Unsigned, dtype, *x, *y)))
    {
        return Ok(Val::Unit);
    }
    let ((ty, a), (_, b)) = (read_as(sign, dtype, a), read_as(sign, dtype, b));
    // A shift reads its amount as an unsigned number.
    let mut happened = None;
    let res = ops::binary(op, ty, &a, &b, &mut |kind| {
        happened = Some(kind);
        Ok(())
    });
    match (happened, res) {
        (Some(EventKind::ShiftOutOfRange), _) => Ok(Val::Unit),
        (Some(kind), Ok(value)) => {
            machine.error(kind, || kind.message().to_owned())?;
            Ok(plain(dtype, value))
        }
        (None, Ok(value)) => Ok(plain(dtype, value)),
        (_, Err(fault)) => machine.fault(fault),
    }
}

/// A result as a signed integer without marks.
fn plain(dtype: DataType, value: Val) -> Val {
    match value {
        Val::Int(value, _) => Val::Int(dtype.wrap_int(value.into()), false),
        other => other,
    }
}

fn ceil_division(dtype: DataType, sign: Sign) -> Code {
    lanewise(2, move |machine, lane| {
        let (a, b) = (&lane[0], &lane[1]);
        let quotient = int_binary(machine, BinaryOp::FloorDiv, sign, dtype, (false, false), a, b)?;
        let rest = match b {
            // The event has been said.
            Val::Int(0, _) => return Ok(quotient),
            _ => int_binary(machine, BinaryOp::FloorMod, sign, dtype, (false, false), a, b)?,
        };
        let up = Val::Int(i64::from(!matches!(rest, Val::Int(0, _))), false);
        int_binary(machine, BinaryOp::Add, Signed, dtype, (false, false), &quotient, &up)
    })
}

/// Two results: low and high half of a product, or a sum and its carry.
fn extended(name: &str, dtype: DataType) -> Code {
    let sign = if name == "mulsi_extended" { Signed } else { Unsigned };
    let is_sum = name == "addui_extended";
    many(move |machine, operands| {
        let half = |machine: &mut Machine<'_>, is_high: bool| {
            lift(machine, &operands[..2], &mut |machine, lane| {
                let ((ty, a), (_, b)) =
                    (read_as(sign, dtype, &lane[0]), read_as(sign, dtype, &lane[1]));
                let (Val::Int(a, _), Val::Int(b, _)) = (a, b) else {
                    return if lane.contains(&Val::Unit) {
                        Ok(Val::Unit)
                    } else {
                        machine.unsupported("an integer operator on other values")
                    };
                };
                let wide = |it: i64| if ty.is_uint() { i128::from(it as u64) } else { it.into() };
                let (a, b) = (wide(a), wide(b));
                // The product of two uint64 may not fit, its bits do.
                let exact = if is_sum { a + b } else { a.wrapping_mul(b) };
                if is_high && is_sum {
                    return Ok(bit(exact >> dtype.bits != 0));
                }
                let part = if is_high { exact >> dtype.bits } else { exact };
                Ok(Val::Int(dtype.wrap_int(part), false))
            })
        };
        Ok(vec![half(machine, false)?, half(machine, true)?])
    })
}

// ---- comparisons ----

const PREDICATES: [&str; 10] = ["eq", "ne", "slt", "sle", "sgt", "sge", "ult", "ule", "ugt", "uge"];

fn predicate(number: i64) -> Decoded<(BinaryOp, Sign)> {
    use BinaryOp::{Eq, Ge, Gt, Le, Lt, Ne};
    let all = [(Eq, Signed), (Ne, Signed), (Lt, Signed), (Le, Signed), (Gt, Signed), (Ge, Signed)];
    let unsigned = [(Lt, Unsigned), (Le, Unsigned), (Gt, Unsigned), (Ge, Unsigned)];
    let found = usize::try_from(number).ok().and_then(|it| all.iter().chain(&unsigned).nth(it));
    found.copied().ok_or_else(|| "an unknown predicate".to_owned())
}

fn comparison(dtype: DataType, op: BinaryOp, sign: Sign) -> Code {
    lanewise(2, move |machine, lane| {
        let ((ty, a), (_, b)) = (read_as(sign, dtype, &lane[0]), read_as(sign, dtype, &lane[1]));
        match ops::binary(op, ty, &a, &b, &mut |_| Ok(())) {
            Ok(Val::Int(holds, _)) => Ok(bit(holds != 0)),
            Ok(_) => machine.unsupported("a comparison of these values"),
            Err(fault) => machine.fault(fault),
        }
    })
}

/// The predicates of `cmpf`, by their numbers: ordered ones from 1, unordered ones from 8.
fn float_holds(number: i64, x: f64, y: f64) -> bool {
    let unordered = x.is_nan() || y.is_nan();
    match number {
        0 => false,
        1 => x == y,
        2 => x > y,
        3 => x >= y,
        4 => x < y,
        5 => x <= y,
        6 => !unordered && x != y,
        7 => !unordered,
        8 => unordered || x == y,
        9 => unordered || x > y,
        10 => unordered || x >= y,
        11 => unordered || x < y,
        12 => unordered || x <= y,
        13 => x != y,
        14 => unordered,
        _ => true,
    }
}

// ---- floats ----

fn float_operator(name: &str) -> Option<BinaryOp> {
    Some(match name {
        "addf" => BinaryOp::Add,
        "subf" => BinaryOp::Sub,
        "mulf" => BinaryOp::Mul,
        "divf" => BinaryOp::Div,
        "remf" => BinaryOp::Mod,
        _ => return None,
    })
}

/// `maximumf` and `minimumf` give NaN for NaN and know the sign of zero; `maxnumf` and `minnumf` prefer numbers.
pub(super) fn extremum(name: &str) -> Option<fn(f64, f64) -> f64> {
    fn propagating(x: f64, y: f64, first: bool) -> f64 {
        match () {
            () if x.is_nan() || y.is_nan() => f64::NAN,
            () if first => x,
            () => y,
        }
    }
    Some(match name {
        "maximumf" | "maxf" => |x, y| propagating(x, y, x.total_cmp(&y).is_ge()),
        "minimumf" | "minf" => |x, y| propagating(x, y, x.total_cmp(&y).is_le()),
        "maxnumf" => libm::fmax,
        "minnumf" => libm::fmin,
        _ => return None,
    })
}

/// `select`, with one condition or one for each lane.
pub(super) fn select(machine: &mut Machine<'_>, operands: &[Value]) -> Run<Value> {
    match &operands[0] {
        Value::Scalar(Val::Int(condition, _)) => {
            Ok(operands[if *condition != 0 { 1 } else { 2 }].clone())
        }
        Value::Scalar(Val::Unit) => match &operands[1] {
            Value::Elements(it) => Ok(elements(it.shape.clone(), vec![Val::Unit; it.values.len()])),
            Value::Scalar(_) => Ok(Value::Scalar(Val::Unit)),
            _ => {
                let condition = machine.truth(&operands[0])?;
                Ok(operands[if condition { 1 } else { 2 }].clone())
            }
        },
        _ => lift(machine, &operands[..3], &mut |_, lane| {
            Ok(match &lane[0] {
                Val::Int(0, _) => lane[2].clone(),
                Val::Int(..) => lane[1].clone(),
                _ => Val::Unit,
            })
        }),
    }
}

/// `a op b` by the name of an operator, for reductions and atomics; poison in one is poison.
pub(super) fn combine(
    machine: &mut Machine<'_>,
    name: &str,
    dtype: DataType,
    a: &Val,
    b: &Val,
) -> Run<Val> {
    match (a, b) {
        (Val::Unit, _) | (_, Val::Unit) => return Ok(Val::Unit),
        (Val::Float(x), Val::Float(y)) => {
            if let Some(pick) = extremum(name) {
                return Ok(Val::Float(pick(*x, *y)));
            }
            if let Some(op) = float_operator(name) {
                let res = ops::binary(op, dtype, a, b, &mut |_| Ok(()));
                return res.or_else(|fault| machine.fault(fault));
            }
        }
        _ => {
            if let Some((op, sign)) = int_operator(name, "arith") {
                return int_binary(machine, op, sign, dtype, (false, false), a, b);
            }
        }
    }
    machine.unsupported(format!("the operator {name} on these values"))
}

//! math: functions of numbers. Those of the interpreter of TIR, in double precision and rounded once.

use super::super::{
    intrinsics,
    library::{self, Function},
    ops::Val,
};
use super::{
    attrs::{Decoded, OpView},
    decode::Code,
    lanes::lanewise,
    machine::{Machine, Run},
    value::bit,
};
use ir::DataType;

/// The intrinsic that an operation is.
fn intrinsic(name: &str) -> Option<&'static str> {
    Some(match name {
        "absf" => "fabs",
        "absi" => "abs",
        "ceil" => "ceil",
        "floor" => "floor",
        "trunc" => "trunc",
        "roundeven" => "nearbyint",
        "exp" => "exp",
        "exp2" => "exp2",
        "log" => "log",
        "log10" => "log10",
        "log1p" => "log1p",
        "log2" => "log2",
        "sqrt" => "sqrt",
        "rsqrt" => "rsqrt",
        "sin" => "sin",
        "cos" => "cos",
        "tan" => "tan",
        "asin" => "asin",
        "acos" => "acos",
        "atan" => "atan",
        "sinh" => "sinh",
        "cosh" => "cosh",
        "tanh" => "tanh",
        "asinh" => "asinh",
        "acosh" => "acosh",
        "atanh" => "atanh",
        "erf" => "erf",
        "atan2" => "atan2",
        "copysign" => "copysign",
        "powf" => "pow",
        "fma" => "fma",
        "ctpop" => "popcount",
        "ctlz" => "clz",
        _ => return None,
    })
}

/// Reads an operation of math.
pub(super) fn decode(view: &OpView<'_>) -> Decoded<Option<Code>> {
    let n = view.n_operands();
    let known: Option<Box<dyn Fn(&Val) -> Option<Val>>> = match view.name {
        "isnan" => Some(truth(|it| it.is_nan())),
        "isinf" => Some(truth(|it| it.is_infinite())),
        "isfinite" => Some(truth(|it| it.is_finite())),
        "isnormal" => Some(truth(|it| it.is_normal())),
        _ => None,
    };
    if let Some(test) = known {
        view.need(1)?;
        return Ok(Some(lanewise(1, move |machine, lane| match test(&lane[0]) {
            Some(value) => Ok(value),
            None => machine.unsupported("a test of a value that is no float"),
        })));
    }
    let dtype = view.result_dtype(0)?;
    let rounded = |function: fn(f64) -> f64| {
        lanewise(1, move |machine, lane| match lane {
            [Val::Float(x)] => Ok(Val::Float(dtype.round_float(function(*x)))),
            _ => machine.unsupported("a float function on other values"),
        })
    };
    Ok(Some(match view.name {
        "expm1" if n == 1 => rounded(libm::expm1),
        "erfc" if n == 1 => rounded(libm::erfc),
        "round" if n == 1 => of_library(Function::RoundAway, dtype),
        "cbrt" if n == 1 => of_library(Function::CubeRoot, dtype),
        "cttz" if n == 1 => of_library(Function::TrailingZeros, dtype),
        "fpowi" if n == 2 => lanewise(2, move |machine, lane| match lane {
            [Val::Float(x), Val::Int(n, _)] => {
                Ok(Val::Float(dtype.round_float(libm::pow(*x, *n as f64))))
            }
            _ => machine.unsupported("a float function on other values"),
        }),
        "ipowi" if n == 2 => lanewise(2, move |machine, lane| int_power(machine, dtype, lane)),
        name => {
            let Some(name) = intrinsic(name) else { return Ok(None) };
            lanewise(n, move |machine, lane| call(machine, name, dtype, lane))
        }
    }))
}

fn truth(test: fn(f64) -> bool) -> Box<dyn Fn(&Val) -> Option<Val>> {
    Box::new(move |value| if let Val::Float(x) = value { Some(bit(test(*x))) } else { None })
}

fn of_library(function: Function, dtype: DataType) -> Code {
    lanewise(1, move |machine, lane| match library::value(function, dtype, lane) {
        Some(value) => Ok(value),
        None => machine.unsupported("a function on values of another kind"),
    })
}

/// The value of an intrinsic on one lane; the leading zeros of zero are the width here.
pub(super) fn call(machine: &Machine<'_>, name: &str, dtype: DataType, lane: &[Val]) -> Run<Val> {
    let types = vec![Some(dtype); lane.len()];
    match intrinsics::call(name, dtype, lane, &types, &mut |_| Ok(())) {
        Some(Ok(Val::Int(value, _))) => Ok(Val::Int(dtype.wrap_int(value.into()), false)),
        Some(Ok(value)) => Ok(value),
        Some(Err(fault)) => machine.fault(fault),
        None => machine.unsupported(format!("math.{name} of these values")),
    }
}

/// An integer to the power of another one; negative powers are 0 but for 1 and −1. Division by zero is an error.
fn int_power(machine: &mut Machine<'_>, dtype: DataType, lane: &[Val]) -> Run<Val> {
    let [Val::Int(base, _), Val::Int(power, _)] = *lane else {
        return machine.unsupported("an integer function on other values");
    };
    if power < 0 {
        let value = match base {
            1 => 1,
            -1 => 1 - 2 * (power & 1),
            0 => {
                let kind = super::super::EventKind::DivisionByZero;
                machine.error(kind, || "zero to a negative power".to_owned())?;
                0
            }
            _ => 0,
        };
        return Ok(Val::Int(value, false));
    }
    let (mut value, mut square, mut rest) = (1i64, base, power);
    while rest > 0 {
        if rest & 1 == 1 {
            value = dtype.wrap_int(value.wrapping_mul(square).into());
        }
        square = dtype.wrap_int(square.wrapping_mul(square).into());
        rest >>= 1;
    }
    Ok(Val::Int(value, false))
}

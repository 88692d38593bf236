//! Functions of TVM on values of Python: numbers with a data type, data types.
//!
//! A number is what TVM makes at once: `const(1, "float16")`, `IntImm("int32", 1)`, `T.int64(1)`; with more than one
//! lane it is a broadcast of one number. What TVM would refuse is not known here.

use std::sync::Arc;

use ir::DataType;

use super::{
    call::Args,
    function::{Class, ClassKind, Home},
    operators::{self, as_data},
    value::Value,
};

/// The result of `tvm.REST(…)`; none if that is not known.
pub(super) fn function(rest: &str, args: &Args) -> Option<Value> {
    let given = &args.positional[..];
    let name = rest.rsplit('.').next().unwrap_or(rest);
    if name == "DataType"
        && let [Value::Str(dtype)] = given
    {
        return data_type(dtype);
    }
    if matches!(rest, "runtime.convert" | "convert")
        && let [value @ (Value::Int(_) | Value::Bool(_) | Value::Float(_) | Value::Str(_))] = given
    {
        return Some(value.clone());
    }
    if !rest.starts_with("script.tir") && !rest.starts_with("tir") {
        return None;
    }
    match name {
        "const" => {
            let [value, dtype] = parameters(args, ["value", "dtype"])?;
            let value = value?;
            match dtype {
                Some(dtype) => number(named(dtype)?, value),
                None => number(usual(value)?, value),
            }
        }
        "IntImm" | "FloatImm" => {
            let [dtype, value] = parameters(args, ["dtype", "value"])?;
            let dtype = named(dtype?).filter(|it| it.is_scalar())?;
            (dtype.is_float() == (name == "FloatImm")).then(|| number(dtype, value?))?
        }
        "Broadcast" => {
            let [value, lanes] = parameters(args, ["value", "lanes"])?;
            broadcast(value?, lanes?)
        }
        "ceildiv" => match (parameters(args, ["lhs", "rhs"])?).map(|it| it.map(as_data)) {
            [Some(Value::Int(a)), Some(Value::Int(b))] if *b != 0 => {
                let quotient = operators::floor_div(a.checked_neg()?, *b)?;
                let value = i32::try_from(quotient.checked_neg()?).ok()?;
                number(DataType::INT32, &Value::Int(i128::from(value)))
            }
            _ => None,
        },
        name => match (DataType::parse(name), given) {
            (Some(dtype), [value]) if args.keywords.is_empty() && dtype.is_scalar() => {
                let is_number = dtype.is_integer() || dtype.is_float() || dtype.is_bool();
                is_number.then(|| number(dtype, value))?
            }
            _ => None,
        },
    }
}

/// The result of a method of a number.
pub(super) fn method(number_of: &str, value: &Value, name: &str, args: &Args) -> Option<Value> {
    let [dtype] = parameters(args, ["dtype"])?;
    let (from, to) = (DataType::parse(number_of)?, named(dtype?)?);
    // TVM folds the cast, but for one from a float to an integer.
    let is_folded = from.is_scalar() && to.is_scalar() && (to.is_float() || !from.is_float());
    (name == "astype" && is_folded).then(|| number(to, value))?
}

/// Returns true if a data type, by its name, has one lane.
pub(super) fn is_scalar(dtype: &str) -> bool {
    DataType::parse(dtype).is_some_and(DataType::is_scalar)
}

/// The arguments of the first parameters, by place or by name; none where there are others.
fn parameters<'a, const N: usize>(
    args: &'a Args,
    names: [&str; N],
) -> Option<[Option<&'a Value>; N]> {
    let is_named = |it: &str| names.contains(&it);
    if args.positional.len() > N || !args.keywords.iter().all(|it| is_named(&it.0)) {
        return None;
    }
    let mut at = 0;
    Some(names.map(|name| {
        at += 1;
        args.get(at - 1, name)
    }))
}

/// The type of a text.
fn named(dtype: &Value) -> Option<DataType> {
    match as_data(dtype) {
        Value::Str(it) => DataType::parse(it),
        _ => None,
    }
}

/// The type that a number of Python has in TVM.
fn usual(value: &Value) -> Option<DataType> {
    match as_data(value) {
        Value::Bool(_) => Some(DataType::BOOL),
        Value::Int(it) => i32::try_from(*it).ok().map(|_| DataType::INT32),
        Value::Float(_) => Some(DataType::FLOAT32),
        _ => None,
    }
}

/// A number of Python with a data type.
fn number(dtype: DataType, value: &Value) -> Option<Value> {
    let value = as_data(value);
    let is_number = matches!(value, Value::Int(_) | Value::Bool(_) | Value::Float(_));
    let is_fit = !matches!(value, Value::Float(_)) || dtype.is_float();
    // TVM holds more in a call, and has no text for the number.
    let is_written = !matches!(value, Value::Int(it) if i64::try_from(*it).is_err());
    let is_counted = matches!(dtype.lanes, ir::Lanes::Fixed(_));
    (is_number && is_fit && is_written && is_counted).then(|| {
        let items = [value.clone()].into_iter().collect();
        Value::Typed(dtype.to_string().into(), items)
    })
}

/// `Broadcast(const(1, "float16"), 4)`
fn broadcast(value: &Value, lanes: &Value) -> Option<Value> {
    let (Value::Typed(dtype, number), Value::Int(lanes)) = (value, as_data(lanes)) else {
        return None;
    };
    let element = DataType::parse(dtype).filter(|it| it.is_scalar())?;
    let lanes = u16::try_from(*lanes).ok().filter(|it| *it > 1)?;
    let dtype = element.with_lanes(ir::Lanes::Fixed(lanes));
    Some(Value::Typed(dtype.to_string().into(), number.clone()))
}

/// `tvm.DataType("float16")`
fn data_type(dtype: &str) -> Option<Value> {
    let parsed = DataType::parse(dtype)?;
    let lanes = match parsed.lanes {
        ir::Lanes::Fixed(it) => i128::from(it),
        _ => return None,
    };
    let fields = vec![
        ("bits".into(), Value::Int(i128::from(parsed.bits))),
        ("lanes".into(), Value::Int(lanes)),
        ("itemsize".into(), Value::Int((i128::from(parsed.bits) * lanes + 7) / 8)),
    ];
    let class = Class {
        name: "DataType".into(),
        kind: ClassKind::Data { is_frozen: true },
        home: Home { file: "".into(), path: "tvm.DataType".into(), ordinal: 0 },
        members: [("__str__".into(), Value::None), ("__repr__".into(), Value::None)].into(),
        fields: Arc::from([]),
        properties: Arc::from([]),
        statics: Arc::from([]),
    };
    Some(Value::Instance(Arc::new(class), fields.into()))
}

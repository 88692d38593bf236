//! Named operations of linalg: their maps, and their computation at a point.
//!
//! Source: the definitions of the dialect (`LinalgNamedStructuredOps.yaml`, LLVM 19). Operands are converted to the
//! type of the output first, as signed ones unless the operation is unsigned; a product is rounded before it is added.

use super::super::super::ops::{self, Val};
use super::super::{
    arith,
    attrs::{Decoded, OpView},
    decode::{Code, many},
    lanes::lift,
    machine::{Machine, Run},
    math,
    value::Value,
};
use super::{Space, read, write};
use ir::{DataType, text::affine::Map};

/// The computation at a point.
#[derive(Clone, Copy)]
enum Body {
    /// The input.
    Copy,
    /// The output and the product of two inputs.
    MultiplyAdd,
    /// The same of inputs from which their zero points are taken.
    Quantized,
    /// The output and the first input, by this operator of arith.
    Combine(&'static str),
    /// An operator of arith, by its stem.
    Binary(&'static str),
    /// A function of math.
    Unary(&'static str),
    /// The negative.
    Negative,
}

/// Maps of the operands in order; the symbols of the text stand for strides and dilations.
fn named(name: &str) -> Option<(&'static str, Body)> {
    use Body::{Combine, MultiplyAdd, Quantized};
    Some(match name {
        "matmul" => ("(m, n, k) : (m, k) (k, n) (m, n)", MultiplyAdd),
        "matmul_transpose_a" => ("(m, n, k) : (k, m) (k, n) (m, n)", MultiplyAdd),
        "matmul_transpose_b" => ("(m, n, k) : (m, k) (n, k) (m, n)", MultiplyAdd),
        "quantized_matmul" => ("(m, n, k) : (m, k) (k, n) () () (m, n)", Quantized),
        "batch_matmul" => ("(b, m, n, k) : (b, m, k) (b, k, n) (b, m, n)", MultiplyAdd),
        "batch_matmul_transpose_a" => ("(b, m, n, k) : (b, k, m) (b, k, n) (b, m, n)", MultiplyAdd),
        "batch_matmul_transpose_b" => ("(b, m, n, k) : (b, m, k) (b, n, k) (b, m, n)", MultiplyAdd),
        "matvec" => ("(m, n) : (m, n) (n) (m)", MultiplyAdd),
        "vecmat" => ("(m, n) : (n) (n, m) (m)", MultiplyAdd),
        "batch_matvec" => ("(b, m, k) : (b, m, k) (b, k) (b, m)", MultiplyAdd),
        "dot" => ("(m) : (m) (m) ()", MultiplyAdd),
        "conv_1d" => ("(w, kw) : (w + kw) (kw) (w)", MultiplyAdd),
        "conv_2d" => ("(h, w, kh, kw) : (h + kh, w + kw) (kh, kw) (h, w)", MultiplyAdd),
        "conv_2d_nchw_fchw" => (
            "(n, f, h, w, c, kh, kw) : (n, c, h * S0 + kh * D0, w * S1 + kw * D1) (f, c, kh, kw) (n, f, h, w)",
            MultiplyAdd,
        ),
        "conv_2d_nhwc_hwcf" => (
            "(n, h, w, f, kh, kw, c) : (n, h * S0 + kh * D0, w * S1 + kw * D1, c) (kh, kw, c, f) (n, h, w, f)",
            MultiplyAdd,
        ),
        "depthwise_conv_2d_nchw_chw" => (
            "(n, h, w, c, kh, kw) : (n, c, h * S0 + kh * D0, w * S1 + kw * D1) (c, kh, kw) (n, c, h, w)",
            MultiplyAdd,
        ),
        "depthwise_conv_2d_nhwc_hwc" => (
            "(n, h, w, c, kh, kw) : (n, h * S0 + kh * D0, w * S1 + kw * D1, c) (kh, kw, c) (n, h, w, c)",
            MultiplyAdd,
        ),
        "pooling_nchw_max" => (
            "(n, c, h, w, kh, kw) : (n, c, h * S0 + kh * D0, w * S1 + kw * D1) (kh, kw) (n, c, h, w)",
            Combine("max"),
        ),
        "pooling_nchw_sum" => (
            "(n, c, h, w, kh, kw) : (n, c, h * S0 + kh * D0, w * S1 + kw * D1) (kh, kw) (n, c, h, w)",
            Combine("add"),
        ),
        "pooling_nhwc_max" => (
            "(n, h, w, c, kh, kw) : (n, h * S0 + kh * D0, w * S1 + kw * D1, c) (kh, kw) (n, h, w, c)",
            Combine("max"),
        ),
        "pooling_nhwc_sum" => (
            "(n, h, w, c, kh, kw) : (n, h * S0 + kh * D0, w * S1 + kw * D1, c) (kh, kw) (n, h, w, c)",
            Combine("add"),
        ),
        _ => return None,
    })
}

/// Operations on elements, whose maps are identities.
fn elementwise(name: &str) -> Option<Body> {
    Some(match name {
        "copy" => Body::Copy,
        "add" => Body::Binary("add"),
        "sub" => Body::Binary("sub"),
        "mul" => Body::Binary("mul"),
        "div" => Body::Binary("div"),
        "max" => Body::Binary("max"),
        "min" => Body::Binary("min"),
        "exp" => Body::Unary("exp"),
        "log" => Body::Unary("log"),
        "abs" => Body::Unary("fabs"),
        "ceil" => Body::Unary("ceil"),
        "floor" => Body::Unary("floor"),
        "sqrt" => Body::Unary("sqrt"),
        "rsqrt" => Body::Unary("rsqrt"),
        "tanh" => Body::Unary("tanh"),
        "erf" => Body::Unary("erf"),
        "negf" => Body::Negative,
        _ => return None,
    })
}

/// Reads a named operation.
pub(super) fn decode(view: &OpView<'_>) -> Decoded<Option<Code>> {
    let n = view.n_operands();
    let n_ins = n.checked_sub(1).ok_or("too few operands")?;
    let (maps, body) = if view.name == "fill" {
        let rank = super::rank(view, n_ins)?;
        (vec![Map::new(rank, 0, Vec::new()), super::identity(rank)], Body::Copy)
    } else if let Some(body) = elementwise(view.name) {
        (vec![super::identity(super::rank(view, n_ins)?); n], body)
    } else if view.name == "transpose" || view.name == "broadcast" {
        (spread(view, n_ins)?, Body::Copy)
    } else if let Some((text, body)) = named(view.name) {
        (maps_of(view, text)?, body)
    } else {
        return Ok(None);
    };
    if maps.len() != n {
        return Err("its operands".to_owned());
    }
    let is_unsigned = view.words("cast").contains(&"cast_unsigned");
    let from: Vec<Option<DataType>> = (0..n_ins).map(|at| view.operand_ty(at).dtype()).collect();
    let to = view.operand_dtype(n_ins)?;
    let n_results = view.body.ops[view.op].results.len();
    Ok(Some(many(move |machine, operands| {
        let mut space = Space::of(machine, &maps, operands)?;
        let mut out = operands[n_ins].clone();
        let mut ended = space.is_empty();
        while !ended {
            machine.step(n as u64)?;
            let mut ins = Vec::with_capacity(n_ins);
            for ((operand, map), from) in operands[..n_ins].iter().zip(&maps).zip(&from) {
                let is_window = matches!(body, Body::Combine(_)) && !ins.is_empty();
                if is_window {
                    // A window only says how large it is.
                    break;
                }
                let value = read(machine, operand, map, &space.at)?;
                ins.push(convert(machine, value, *from, to, is_unsigned)?);
            }
            let old = match body {
                Body::MultiplyAdd | Body::Quantized | Body::Combine(_) => {
                    Some(read(machine, &out, &maps[n_ins], &space.at)?)
                }
                _ => None,
            };
            let value = at_point(machine, body, to, ins, old)?;
            write(machine, &mut out, &maps[n_ins], &space.at, &value)?;
            ended = !space.advance();
        }
        Ok(if n_results == 0 { Vec::new() } else { vec![out] })
    })))
}

fn maps_of(view: &OpView<'_>, text: &str) -> Decoded<Vec<Map>> {
    let mut text = text.to_owned();
    for (letter, name) in [("S", "strides"), ("D", "dilations")] {
        let list = view.ints(name).unwrap_or_default();
        for at in 0..2 {
            let value = list.get(at).copied().unwrap_or(1);
            text = text.replace(&format!("{letter}{at}"), &value.to_string());
        }
    }
    let (dims, lists) = text.split_once(" : ").ok_or("its maps")?;
    let map = |list: &str| Map::parse(&format!("{dims} -> ({list}"), false);
    let lists = lists.split('(').skip(1).map(|it| it.trim_end());
    let maps: Option<Vec<Map>> = lists.map(map).collect();
    maps.ok_or_else(|| "its maps".to_owned())
}

/// The maps of `transpose` and `broadcast`.
fn spread(view: &OpView<'_>, n_ins: usize) -> Decoded<Vec<Map>> {
    use ir::text::affine::Affine::Dim;
    let rank = super::rank(view, n_ins)?;
    let results = if view.name == "transpose" {
        // The input's dimension `permutation[i]` is the output's `i`.
        let permutation = view.ints("permutation")?;
        let place = |dim: usize| permutation.iter().position(|it| *it == dim as i64).map(Dim);
        (0..rank).map(place).collect::<Option<Vec<_>>>().ok_or("its permutation")?
    } else {
        let added = view.ints("dimensions")?;
        (0..rank).filter(|it| !added.contains(&(*it as i64))).map(Dim).collect()
    };
    Ok(vec![Map::new(rank, 0, results), super::identity(rank)])
}

/// An input as the type of the output.
fn convert(
    machine: &mut Machine<'_>,
    value: Value,
    from: Option<DataType>,
    to: DataType,
    is_unsigned: bool,
) -> Run<Value> {
    let Some(from) = from.filter(|it| *it != to) else { return Ok(value) };
    let read_as = if is_unsigned && from.is_integer() { DataType::uint(from.bits) } else { from };
    lift(machine, &[value], &mut |machine, lane| {
        let value = match &lane[0] {
            Val::Unit => return Ok(Val::Unit),
            Val::Int(value, _) => Val::Int(read_as.wrap_int((*value).into()), false),
            other => other.clone(),
        };
        ops::cast(&value, read_as, to, &mut |_| Ok(())).or_else(|fault| machine.fault(fault))
    })
}

fn at_point(
    machine: &mut Machine<'_>,
    body: Body,
    dtype: DataType,
    ins: Vec<Value>,
    old: Option<Value>,
) -> Run<Value> {
    let operator = |stem: &str| match (stem, dtype.is_float()) {
        // A sum of truth values is their disjunction: the builder of these operations says so.
        ("add", false) if dtype.bits == 1 => "ori".to_owned(),
        ("div", false) => "divsi".to_owned(),
        ("max", false) => "maxsi".to_owned(),
        ("min", false) => "minsi".to_owned(),
        ("max", true) => "maximumf".to_owned(),
        ("min", true) => "minimumf".to_owned(),
        (stem, true) => format!("{stem}f"),
        (stem, false) => format!("{stem}i"),
    };
    let mut apply = |stem: &str, a: &Value, b: &Value| {
        let name = operator(stem);
        lift(machine, &[a.clone(), b.clone()], &mut |machine, lane| {
            arith::combine(machine, &name, dtype, &lane[0], &lane[1])
        })
    };
    match (body, &ins[..], &old) {
        (Body::Copy, [value, ..], _) => Ok(value.clone()),
        (Body::MultiplyAdd, [a, b, ..], Some(old)) => {
            let product = apply("mul", a, b)?;
            apply("add", old, &product)
        }
        (Body::Quantized, [a, b, za, zb], Some(old)) => {
            let (a, b) = (apply("sub", a, za)?, apply("sub", b, zb)?);
            let product = apply("mul", &a, &b)?;
            apply("add", old, &product)
        }
        (Body::Combine(stem), [value, ..], Some(old)) => apply(stem, old, value),
        (Body::Binary(stem), [a, b, ..], _) => apply(stem, a, b),
        (Body::Unary(name), [value, ..], _) => {
            lift(machine, std::slice::from_ref(value), &mut |machine, lane| {
                if lane[0] == Val::Unit {
                    Ok(Val::Unit)
                } else {
                    math::call(machine, name, dtype, lane)
                }
            })
        }
        (Body::Negative, [Value::Scalar(Val::Float(value)), ..], _) => {
            Ok(Value::Scalar(Val::Float(-value)))
        }
        _ => machine.unsupported("operands of this operation"),
    }
}

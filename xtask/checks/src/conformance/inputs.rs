//! Made-up inputs of a function: the same bytes for every peer, on every machine.
//!
//! Input: a body. Output: a value for each parameter. The numbers come from a generator (SplitMix64) seeded by the
//! function's name and the parameter's position:
//!
//! - floats: one in eight is 0, ±1, ±0.5 or ±2, the rest are multiples of 1/256 in [-2, 2);
//! - integers: small numbers of both signs; bools: both;
//! - a value that reaches an index, an extent or a bound ([`Roles`]): integers from 0 to the least extent of the
//!   function (at most 3), floats in [0, 1);
//! - a value that divides or shifts: 1 to 7.
//!
//! Shape variables get small, distinct extents in the order of the signature, or those that the caller names.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use interp::{Argument, Array};
use ir::{BinaryOp, Body, BufferId, DataType, ExprId, ExprKind, TypeCode, ValueId, ValueKind};
use serde_json::{Value, json};

use crate::conformance::roles::{Role, Roles};

/// Extents that shape variables get, by position; more of them start again.
const EXTENTS: [i64; 6] = [5, 3, 6, 4, 7, 2];
/// Numbers that programs treat specially.
const SPECIAL: [f64; 8] = [0.0, 1.0, -1.0, 0.5, -0.5, 2.0, -2.0, 0.25];

/// The value of a parameter.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Input {
    /// The contents of a buffer.
    Array(Array),
    /// An integer, bool or float.
    Scalar(DataType, f64),
}

impl Input {
    /// As the interpreter takes it.
    pub(crate) fn argument(&self) -> Argument {
        match self {
            Input::Array(array) => Argument::Array(array.clone()),
            Input::Scalar(dtype, value) if dtype.is_float() => Argument::Float(*value),
            Input::Scalar(_, value) => Argument::Int(*value as i64),
        }
    }
}

/// The file with the bytes of a parameter, in the folder of a run.
pub(crate) fn place(dir: &Path, position: usize) -> PathBuf {
    dir.join(format!("{position}.bin"))
}

/// The arguments as TVM's worker takes them: arrays by their files, with type and shape.
pub(crate) fn described(inputs: &[Input], dir: &Path) -> Vec<Value> {
    let describe = |(position, input): (usize, &Input)| match input {
        Input::Array(array) => json!({
            "dtype": array.dtype.to_string(),
            "shape": array.shape,
            "path": place(dir, position),
        }),
        Input::Scalar(dtype, value) => json!({ "dtype": dtype.to_string(), "value": value }),
    };
    inputs.iter().enumerate().map(describe).collect()
}

/// Makes the inputs of a function, or returns the obstacle.
pub(crate) fn make(body: &Body) -> Result<Vec<Input>, String> {
    make_sized(body, &EXTENTS)
}

/// Makes the inputs of a function whose shape variables have these extents, by position; more of them start again.
pub(crate) fn make_sized(body: &Body, extents: &[i64]) -> Result<Vec<Input>, String> {
    let sizes = sizes(body, extents);
    let roles = Roles::of(body);
    let shapes = shapes(body, &sizes)?;
    let bound = index_bound(&shapes);
    let mut inputs = Vec::new();
    for (position, param) in body.params.iter().enumerate() {
        let mut random = Random::new(&body.name, position);
        inputs.push(match param.buffer {
            Some(buffer) => {
                let shape = shapes.get(&buffer).ok_or("a parameter without a shape")?;
                Input::Array(array(body, buffer, shape, roles.buffer(buffer), bound, &mut random)?)
            }
            None => scalar(body, param.value, &sizes, roles.value(param.value), &mut random)?,
        });
    }
    Ok(inputs)
}

/// The value of every variable that a shape names.
fn sizes(body: &Body, extents: &[i64]) -> BTreeMap<ValueId, i64> {
    let mut found = Vec::new();
    for param in &body.params {
        let Some(buffer) = param.buffer else { continue };
        let buffer = &body.buffers[buffer];
        for &extent in &buffer.shape {
            let mut stack = vec![extent];
            while let Some(expr) = stack.pop() {
                match body.expr(expr).kind {
                    ExprKind::Value(value) if !found.contains(&value) => found.push(value),
                    kind => body.each_child(kind, &mut |child| stack.push(child)),
                }
            }
        }
    }
    let sizes = found.iter().enumerate();
    sizes.map(|(position, &value)| (value, extents[position % extents.len()])).collect()
}

type Shapes = BTreeMap<BufferId, Vec<i64>>;

fn shapes(body: &Body, sizes: &BTreeMap<ValueId, i64>) -> Result<Shapes, String> {
    let mut shapes = Shapes::new();
    for param in &body.params {
        let Some(id) = param.buffer else { continue };
        let buffer = &body.buffers[id];
        if buffer.strides.is_some() {
            return Err("a parameter with strides".to_owned());
        }
        let shape: Option<Vec<i64>> =
            buffer.shape.iter().map(|&extent| evaluate(body, extent, sizes)).collect();
        shapes.insert(id, shape.ok_or("an extent that is no sum or product of variables")?);
    }
    Ok(shapes)
}

/// The value of an extent.
fn evaluate(body: &Body, expr: ExprId, sizes: &BTreeMap<ValueId, i64>) -> Option<i64> {
    let value = |expr| evaluate(body, expr, sizes);
    match body.expr(expr).kind {
        ExprKind::Int(value) => Some(value),
        ExprKind::Value(value) => sizes.get(&value).copied(),
        ExprKind::Cast(inner) => value(inner),
        ExprKind::Binary(op, lhs, rhs) => {
            let (lhs, rhs) = (value(lhs)?, value(rhs)?);
            match op {
                BinaryOp::Add => lhs.checked_add(rhs),
                BinaryOp::Sub => lhs.checked_sub(rhs),
                BinaryOp::Mul => lhs.checked_mul(rhs),
                BinaryOp::FloorDiv => lhs.checked_div_euclid(rhs),
                BinaryOp::FloorMod => lhs.checked_rem_euclid(rhs),
                BinaryOp::Min => Some(lhs.min(rhs)),
                BinaryOp::Max => Some(lhs.max(rhs)),
                _ => None,
            }
        }
        _ => None,
    }
}

/// The least number of elements along an axis that is no single one: indices stay below it.
fn index_bound(shapes: &Shapes) -> i64 {
    shapes.values().flatten().copied().filter(|extent| *extent > 1).min().unwrap_or(1).min(4)
}

fn array(
    body: &Body,
    buffer: BufferId,
    shape: &[i64],
    role: Role,
    bound: i64,
    random: &mut Random,
) -> Result<Array, String> {
    let dtype = body.buffers[buffer].dtype;
    let mut array = Array::zeros(dtype, shape);
    if !dtype.is_scalar() {
        return Err(format!("a parameter of {dtype}"));
    }
    for index in 0..array.len() {
        array.set_f64(index, number(dtype, role, bound, random));
    }
    if !array.is_empty() && array.get_f64(0).is_none() {
        return Err(format!("a parameter of {dtype}"));
    }
    Ok(array)
}

fn scalar(
    body: &Body,
    value: ValueId,
    sizes: &BTreeMap<ValueId, i64>,
    role: Role,
    random: &mut Random,
) -> Result<Input, String> {
    let Some(dtype) =
        body.values[value].ty.prim().filter(|it| it.is_scalar() && it.code != TypeCode::Handle)
    else {
        return Err("a parameter that is a bare pointer".to_owned());
    };
    debug_assert!(matches!(body.values[value].kind, ValueKind::Param(_)), "a parameter's value");
    let number = match sizes.get(&value) {
        Some(&size) => size as f64,
        None if role.is_index => 1.0,
        None => number(dtype, role, 2, random),
    };
    Ok(Input::Scalar(dtype, number))
}

/// One number for a parameter of that type and role.
fn number(dtype: DataType, role: Role, bound: i64, random: &mut Random) -> f64 {
    if dtype.is_bool() {
        return random.below(2) as f64;
    }
    if dtype.is_float() {
        if role.is_index {
            return random.below(256) as f64 / 256.0;
        }
        return match random.below(8) {
            0 => SPECIAL[random.below(SPECIAL.len() as u64) as usize],
            _ => (random.below(1024) as f64 - 512.0) / 256.0,
        };
    }
    let (low, count) = match role {
        Role { is_index: true, is_divisor: true } => (1, (bound - 1).max(1)),
        Role { is_divisor: true, .. } => (1, 7),
        Role { is_index: true, .. } => (0, bound),
        _ if dtype.is_uint() => (0, 12),
        _ => (-6, 13),
    };
    (low + random.below(count as u64) as i64) as f64
}

/// SplitMix64: small, and the same everywhere.
pub(crate) struct Random {
    state: u64,
}

impl Random {
    /// A generator for one parameter of one function.
    pub(crate) fn new(name: &str, position: usize) -> Random {
        let mut random = Random { state: position as u64 };
        for byte in name.bytes() {
            random.state = random.state.wrapping_mul(31).wrapping_add(u64::from(byte));
            random.next();
        }
        random
    }

    fn next(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.state;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number below `end` (which must not be 0).
    pub(crate) fn below(&mut self, end: u64) -> u64 {
        self.next() % end.max(1)
    }
}

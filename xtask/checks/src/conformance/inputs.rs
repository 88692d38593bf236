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

/// An array that is made elsewhere, on the machine with the device: the numbers of [`make_sized`] without the bytes.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Recipe {
    /// The elements, with no data.
    pub(crate) array: Array,
    /// The state of the generator before the first element.
    state: u64,
    values: Values,
}

/// The values that elements of a parameter take.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Values {
    /// One in eight is one of these, if there are any: the first of two numbers that are drawn decides.
    special: Vec<f64>,
    usual: Vec<f64>,
}

impl Values {
    fn of(dtype: DataType, role: Role, bound: i64) -> Values {
        let count = |low: i64, count: i64| (0..count).map(|it| (low + it) as f64).collect();
        let (special, usual) = match () {
            () if dtype.is_bool() => (Vec::new(), count(0, 2)),
            () if dtype.is_float() && role.is_index => {
                (Vec::new(), (0..256).map(|it| f64::from(it) / 256.0).collect())
            }
            () if dtype.is_float() => {
                (SPECIAL.to_vec(), (0..1024).map(|it| (f64::from(it) - 512.0) / 256.0).collect())
            }
            () => {
                let (low, n) = integers(dtype, role, bound);
                (Vec::new(), count(low, n))
            }
        };
        Values { special, usual }
    }
}

impl Recipe {
    /// The number of bytes of the array.
    pub(crate) fn bytes(&self) -> usize {
        let shape = &self.array.shape;
        shape.iter().product::<i64>().max(0) as usize * self.array.dtype.bytes()
    }

    /// As the worker takes it: sizes, the generator's state, and the bytes of each value.
    pub(crate) fn described(&self) -> Value {
        let bytes = |values: &[f64]| {
            let mut array = Array::zeros(self.array.dtype, &[values.len() as i64]);
            values.iter().enumerate().for_each(|(at, &it)| array.set_f64(at, it));
            array.data.iter().map(|it| format!("{it:02x}")).collect::<String>()
        };
        json!({
            "dtype": self.array.dtype.to_string(),
            "count": self.array.shape.iter().product::<i64>().max(0),
            "bytes": self.array.dtype.bytes(),
            "state": format!("{:x}", self.state),
            "special": bytes(&self.values.special),
            "usual": bytes(&self.values.usual),
        })
    }
}

/// The inputs of [`make_sized`] as recipes: arrays without data, and the recipe of each by its position.
pub(crate) fn recipes(
    body: &Body,
    extents: &[i64],
) -> Result<(Vec<Input>, BTreeMap<usize, Recipe>), String> {
    let sizes = sizes(body, extents);
    let roles = Roles::of(body);
    let shapes = shapes(body, &sizes)?;
    let bound = index_bound(&shapes);
    let mut inputs = Vec::new();
    let mut recipes = BTreeMap::new();
    for (position, param) in body.params.iter().enumerate() {
        let mut random = Random::new(&body.name, position);
        inputs.push(match param.buffer {
            Some(buffer) => {
                let shape = shapes.get(&buffer).ok_or("a parameter without a shape")?;
                let dtype = scalar_type(body, buffer)?;
                let array = Array { shape: shape.clone(), ..Array::zeros(dtype, &[0]) };
                let values = Values::of(dtype, roles.buffer(buffer), bound);
                recipes
                    .insert(position, Recipe { array: array.clone(), state: random.state, values });
                Input::Array(array)
            }
            None => scalar(body, param.value, &sizes, roles.value(param.value), &mut random)?,
        });
    }
    Ok((inputs, recipes))
}

/// Returns true if a shape of the function names a variable.
pub(crate) fn has_variable_shapes(body: &Body) -> bool {
    !sizes(body, &EXTENTS).is_empty()
}

fn scalar_type(body: &Body, buffer: BufferId) -> Result<DataType, String> {
    let dtype = body.buffers[buffer].dtype;
    let one = Array::zeros(dtype, &[1]);
    match dtype.is_scalar() && one.get_f64(0).is_some() && one.data.len() == dtype.bytes() {
        true => Ok(dtype),
        false => Err(format!("a parameter of {dtype}")),
    }
}

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
    let (low, count) = integers(dtype, role, bound);
    (low + random.below(count as u64) as i64) as f64
}

/// The least of the integers of a role, and their number.
fn integers(dtype: DataType, role: Role, bound: i64) -> (i64, i64) {
    match role {
        Role { is_index: true, is_divisor: true } => (1, (bound - 1).max(1)),
        Role { is_divisor: true, .. } => (1, 7),
        Role { is_index: true, .. } => (0, bound),
        _ if dtype.is_uint() => (0, 12),
        _ => (-6, 13),
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    /// A recipe is followed as the worker does it, and gives the bytes of [`array`].
    #[test]
    fn recipes_are_the_inputs_without_their_bytes() {
        for (dtype, is_index) in
            [("float32", false), ("bfloat16", false), ("int8", true), ("bool", false)]
        {
            let dtype = DataType::parse(dtype).unwrap();
            let role = Role { is_index, is_divisor: false };
            let mut random = Random::new("f", 3);
            let values = Values::of(dtype, role, 4);
            let recipe = Recipe { array: Array::zeros(dtype, &[0]), state: random.state, values };
            let mut again = Random { state: recipe.state };
            for _ in 0..100 {
                let expected = number(dtype, role, 4, &mut random);
                let Values { special, usual } = &recipe.values;
                let table = if special.is_empty() || again.below(8) != 0 { usual } else { special };
                assert_eq!(table[again.below(table.len() as u64) as usize], expected);
            }
        }
    }
}

//! The distance that rounding alone moves a result: the function computed once more with every float as `float64`.
//!
//! Where a sum cancels, no number of units in the last place is right for all programs. So a difference that is too
//! large for the function's [`Class`](super::agreement::Class) is compared with the program itself: its result in 64
//! bits counts as the exact one, and the interpreter's own rounding error, at most in the array, is the effect of
//! rounding here. Another order of the same operations may be [`FACTOR`] times as far from the exact result, and no
//! more. A wrong element, operand or order of steps differs by the size of the computed values, not by their rounding.
//!
//! Where functions may be less exact than ours ([`precision`](super::precision)), how far that carries each result is
//! measured in the same way.
//!
//! Functions that look at the bits of floats have no such result (`reinterpret`, memory of several types).

use interp::{Argument, Array, Options};
use ir::{Body, DataType, ExprId, Intrinsic, Type, TypeCode};
use rustc_hash::FxHashMap;

use crate::conformance::inputs::Input as Made;
use crate::conformance::precision::{self, Direction};
use crate::conformance::roles::viewed;

/// The factor by which another order of the operations may exceed the measured error.
pub(crate) const FACTOR: f64 = 8.0;
/// More than any function that ran takes, unless a loop waits for another value now.
const MAX_STEPS: u64 = 200_000_000;
/// The room in words, for reports.
pub(crate) const STATED: &str = "8 times what rounding does to the interpreter's own result";
/// The room in words where [`precision`](super::precision) adds to it.
pub(crate) const STATED_OF_VULKAN: &str = "that and what Vulkan's tables of precision allow";

/// Returns true if rounding explains all differences of the arrays `found` from the interpreter's `expected` on these
/// inputs.
pub(crate) fn explains(body: &Body, inputs: &[Made], expected: &[Array], found: &[Array]) -> bool {
    exact(body, inputs, None).is_some_and(|exact| is_within(&exact, &[], expected, found))
}

/// The same where functions may also have the errors that Vulkan allows: all of them upwards, or all of them downwards.
pub(crate) fn explains_on_vulkan(
    body: &Body,
    inputs: &[Made],
    expected: &[Array],
    found: &[Array],
) -> bool {
    let run = |direction| exact(body, inputs, direction);
    match (run(None), run(Some(Direction::Up)), run(Some(Direction::Down))) {
        (Some(exact), Some(up), Some(down)) => is_within(&exact, &[up, down], expected, found),
        _ => false,
    }
}

/// Returns true if the result is as near to the exact results as rounding, or as one of the `moved` results.
fn is_within(exact: &[Array], moved: &[Vec<Array>], expected: &[Array], found: &[Array]) -> bool {
    let is_near = |at: usize| {
        let (exact, ours, other) = (&exact[at], &expected[at], &found[at]);
        if !ours.dtype.is_float() {
            return ours.data == other.data;
        }
        let distance = |array: &Array, at: usize| {
            let (value, exact) = (array.get_f64(at)?, exact.get_f64(at)?);
            let is_same = value == exact || (value.is_nan() && exact.is_nan());
            Some(if is_same { 0.0 } else { (value - exact).abs() })
        };
        let all = 0..ours.len();
        let error = all.clone().filter_map(|at| distance(ours, at)).fold(0.0, f64::max);
        let room = |element: usize| {
            let moved = moved.iter().filter_map(|it| distance(it.get(at)?, element));
            FACTOR * error + moved.fold(0.0, f64::max)
        };
        let is_near = |at: usize| distance(other, at).is_some_and(|it| it <= room(at));
        error.is_finite() && ours.len() == other.len() && all.into_iter().all(is_near)
    };
    let n_arrays = exact.len();
    expected.len() == n_arrays && found.len() == n_arrays && (0..n_arrays).all(is_near)
}

/// The arrays after a run in which every float has 64 bits, and functions are moved in a direction; `None` where that
/// is meaningless.
fn exact(body: &Body, inputs: &[Made], direction: Option<Direction>) -> Option<Vec<Array>> {
    let wide = widened(body, direction)?;
    let arguments = inputs.iter().map(|input| match input {
        Made::Array(array) => Argument::Array(wide_array(array)),
        other => other.argument(),
    });
    let options = Options { max_steps: MAX_STEPS, ..Options::default() };
    let outcome = interp::run(&wide, arguments.collect(), &options).ok()?;
    let array = |argument| match argument {
        Argument::Array(array) => Some(array),
        _ => None,
    };
    Some(outcome.arguments.into_iter().filter_map(array).collect())
}

fn wide_array(array: &Array) -> Array {
    let dtype = wide(array.dtype);
    if dtype == array.dtype {
        return array.clone();
    }
    let mut new = Array::zeros(dtype, &array.shape);
    for at in 0..array.len() {
        if let Some(value) = array.get_f64(at) {
            new.set_f64(at, value);
        }
    }
    new
}

fn wide(dtype: DataType) -> DataType {
    match dtype.is_float() {
        true => DataType { code: TypeCode::Float, bits: 64, ..dtype },
        false => dtype,
    }
}

fn wide_type(ty: Type) -> Type {
    ty.prim().map_or(ty, |it| wide(it).into())
}

/// The function with `float64` for every float.
fn widened(body: &Body, direction: Option<Direction>) -> Option<Body> {
    let mut new = body.clone();
    for (_, buffer) in body.buffers.iter() {
        let source = viewed(body, buffer);
        if source.is_some_and(|it| body.buffers[it].dtype.element() != buffer.dtype.element()) {
            return None;
        }
    }
    let buffers: Vec<_> = body.buffers.ids().collect();
    for id in buffers {
        new.buffers[id].dtype = wide(body.buffers[id].dtype);
    }
    let values: Vec<_> = body.values.ids().collect();
    for id in values {
        new.values[id].ty = wide_type(body.values[id].ty);
    }
    let mut memo = FxHashMap::default();
    for op in body.ops_preorder() {
        for at in 0..body.ops[op].operands.len() {
            new.ops[op].operands[at] =
                expr(&mut new, body.ops[op].operands[at], direction, &mut memo)?;
        }
    }
    Some(new)
}

fn expr(
    body: &mut Body,
    root: ExprId,
    direction: Option<Direction>,
    memo: &mut FxHashMap<ExprId, ExprId>,
) -> Option<ExprId> {
    let mut stack = vec![(root, false)];
    while let Some((at, is_ready)) = stack.pop() {
        if memo.contains_key(&at) {
            continue;
        }
        let node = body.expr(at);
        if body.operands_of(at, Intrinsic::Reinterpret).is_some() {
            return None;
        }
        if is_ready {
            let known = &*memo;
            let new = body.map_children(at, &mut |_, child| known[&child]);
            let kind = body.expr(new).kind;
            let new = body.make(kind, wide_type(node.ty));
            let moved = direction.and_then(|it| precision::moved(body, new, it));
            memo.insert(at, moved.unwrap_or(new));
        } else {
            stack.push((at, true));
            body.each_child(node.kind, &mut |child| stack.push((child, false)));
        }
    }
    memo.get(&root).copied()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::conformance::{inputs, ours};

    /// A sum that cancels: the rest is rounding.
    const TEXT: &str = "\
from tvm.script import tirx as T

@T.prim_func(s_tir=True)
def f(A: T.Buffer((64,), \"float32\"), B: T.Buffer((1,), \"float32\")):
    B[0] = T.float32(0)
    for i in range(64):
        B[0] = B[0] + A[i] * T.float32(0.1) + T.float32(1000)
    for i in range(64):
        B[0] = B[0] - T.float32(1000)
";

    fn judged(change: f64) -> bool {
        let body = ours::read(TEXT).functions.remove(0).lowered.body;
        let inputs = inputs::make(&body).unwrap();
        let arguments = inputs.iter().map(Made::argument).collect();
        let outcome = interp::run(&body, arguments, &Options::default()).unwrap();
        let arrays = outcome.arguments.into_iter().filter_map(|it| match it {
            Argument::Array(array) => Some(array),
            _ => None,
        });
        let expected: Vec<Array> = arrays.collect();
        let mut found = expected.clone();
        let value = found[1].get_f64(0).unwrap();
        found[1].set_f64(0, value + change);
        explains(&body, &inputs, &expected, &found)
    }

    #[test]
    fn rounding_explains_what_it_can_and_no_more() {
        assert!(judged(0.0));
        assert!(judged(0.001));
        assert!(!judged(1.0));
    }
}

//! Conditions over loops of constant extents, by trying all iterations.
//!
//! In: conditions, and loops with constant first values and extents. Out: whether some other iteration than the first
//! makes all conditions true; unknown where a condition has more in it than these loops and integer arithmetic, or
//! where there are too many iterations. Fused loops that are taken apart again (`f // 9`, `f % 9 // 3`, `f % 3`) are
//! certain here, whatever their form. O(iterations · nodes), at most [`MOST_ITERATIONS`].

use ir::{BinaryOp, Body, ExprId, ExprKind, ValueId};
use rustc_hash::FxHashMap;

/// Beyond, nothing is tried.
const MOST_ITERATIONS: i128 = 1 << 16;

/// A loop: its variable, first value and number of iterations.
pub(super) type Range = (ValueId, i128, i128);

/// A step of a program that leaves one value on a stack.
enum Step {
    Constant(i128),
    Variable(usize),
    Binary(BinaryOp),
    /// Keeps the bits of a type.
    Wrap(ir::DataType),
}

/// Returns true if all conditions hold in the first iteration of all loops, and in no other; `None` if that is not
/// known.
pub(super) fn holds_first_and_once(
    body: &Body,
    conditions: &[ExprId],
    ranges: &[Range],
) -> Option<bool> {
    let n = ranges.iter().try_fold(1i128, |n, it| n.checked_mul(it.2))?;
    if n > MOST_ITERATIONS {
        return None;
    }
    let numbers: FxHashMap<ValueId, usize> = ranges.iter().map(|it| it.0).zip(0..).collect();
    let programs: Option<Vec<Vec<Step>>> =
        conditions.iter().map(|&it| program(body, it, &numbers)).collect();
    let programs = programs?;
    let mut stack = Vec::new();
    let mut values: Vec<i128> = vec![0; ranges.len()];
    for iteration in 0..n {
        let mut rest = iteration;
        for (value, &(_, first, count)) in values.iter_mut().zip(ranges) {
            *value = first + rest % count;
            rest /= count;
        }
        let mut all = true;
        for program in &programs {
            all &= run(program, &values, &mut stack)? != 0;
        }
        if all != (iteration == 0) {
            return Some(false);
        }
    }
    Some(true)
}

fn program(body: &Body, expr: ExprId, numbers: &FxHashMap<ValueId, usize>) -> Option<Vec<Step>> {
    let mut steps = Vec::new();
    let mut pending = vec![(expr, false)];
    while let Some((at, is_ready)) = pending.pop() {
        if steps.len() > 256 {
            return None;
        }
        let node = body.expr(at);
        let dtype = node.ty.prim().filter(|it| it.is_scalar() && !it.is_float())?;
        match node.kind {
            ExprKind::Int(value) => steps.push(Step::Constant(value.into())),
            ExprKind::Value(value) => steps.push(Step::Variable(*numbers.get(&value)?)),
            ExprKind::Binary(op, ..) if is_ready => {
                steps.push(Step::Binary(op));
                steps.push(Step::Wrap(dtype));
            }
            ExprKind::Cast(_) if is_ready => steps.push(Step::Wrap(dtype)),
            ExprKind::Binary(_, a, b) => pending.extend([(at, true), (b, false), (a, false)]),
            ExprKind::Cast(inner) => pending.extend([(at, true), (inner, false)]),
            _ => return None,
        }
    }
    Some(steps)
}

fn run(steps: &[Step], values: &[i128], stack: &mut Vec<i128>) -> Option<i128> {
    stack.clear();
    for step in steps {
        let value = match step {
            Step::Constant(value) => *value,
            Step::Variable(number) => values[*number],
            Step::Wrap(dtype) => dtype.wrap_int(stack.pop()?).into(),
            Step::Binary(op) => {
                let (b, a) = (stack.pop()?, stack.pop()?);
                binary(*op, a, b)?
            }
        };
        stack.push(value);
    }
    stack.pop()
}

fn binary(op: BinaryOp, a: i128, b: i128) -> Option<i128> {
    Some(match op {
        BinaryOp::Add => a.checked_add(b)?,
        BinaryOp::Sub => a.checked_sub(b)?,
        BinaryOp::Mul => a.checked_mul(b)?,
        BinaryOp::FloorDiv if b > 0 => a.div_euclid(b),
        BinaryOp::FloorMod if b > 0 => a.rem_euclid(b),
        BinaryOp::Div if b > 0 => a / b,
        BinaryOp::Mod if b > 0 => a % b,
        BinaryOp::Min => a.min(b),
        BinaryOp::Max => a.max(b),
        BinaryOp::Eq => i128::from(a == b),
        BinaryOp::Ne => i128::from(a != b),
        BinaryOp::Lt => i128::from(a < b),
        BinaryOp::Le => i128::from(a <= b),
        BinaryOp::Gt => i128::from(a > b),
        BinaryOp::Ge => i128::from(a >= b),
        BinaryOp::And => i128::from(a != 0 && b != 0),
        BinaryOp::Or => i128::from(a != 0 || b != 0),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use ir::{DataType, Dialect, ValueKind};

    /// `f // a == 0`, `f % b == 0` for `f` below `n`.
    fn check(a: i128, b: i128, n: i128) -> Option<bool> {
        let mut body = Body::new("f", Dialect::Tirx);
        let var = body.new_value("f", DataType::INT32.into(), ValueKind::Symbol);
        let f = body.value_expr(var);
        let mut is_zero = |op, by| {
            let (by, zero) = (body.int(by, DataType::INT32), body.int(0, DataType::INT32));
            let part = body.binary(op, f, by);
            body.binary(BinaryOp::Eq, part, zero)
        };
        let conditions = [is_zero(BinaryOp::FloorDiv, a), is_zero(BinaryOp::FloorMod, b)];
        holds_first_and_once(&body, &conditions, &[(var, 0, n)])
    }

    #[test]
    fn parts_of_a_fused_loop_are_zero_once() {
        assert_eq!(check(3, 3, 9), Some(true));
        assert_eq!(check(6, 3, 9), Some(false));
        assert_eq!(check(3, 3, 1 << 20), None);
    }
}

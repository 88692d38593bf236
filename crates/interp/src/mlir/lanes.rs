//! Operators lane by lane: scalars, vectors and tensors alike.
//!
//! Poison in a lane makes the lane of the result poison. O(lanes).

use super::super::ops::Val;
use super::{
    decode::{Code, compute},
    machine::{Machine, Run},
    value::{Value, elements},
};

/// Applies `f` to the scalars of operands of one shape; scalars are spread over the others.
pub(super) fn lift(
    machine: &mut Machine<'_>,
    operands: &[Value],
    f: &mut dyn FnMut(&mut Machine<'_>, &[Val]) -> Run<Val>,
) -> Run<Value> {
    let shaped = operands.iter().find_map(|it| match it {
        Value::Elements(elements) => Some(elements.clone()),
        _ => None,
    });
    let Some(shaped) = shaped else {
        return match operands {
            [Value::Scalar(a)] => Ok(Value::Scalar(f(machine, std::slice::from_ref(a))?)),
            [Value::Scalar(a), Value::Scalar(b)] => {
                Ok(Value::Scalar(f(machine, &[a.clone(), b.clone()])?))
            }
            _ => {
                let scalars: Vec<Val> = operands.iter().flat_map(Value::scalars).cloned().collect();
                if scalars.len() != operands.len() {
                    return machine.unsupported("an operand that is no number");
                }
                Ok(Value::Scalar(f(machine, &scalars)?))
            }
        };
    };
    let n = shaped.values.len();
    machine.step(n as u64)?;
    let mut values = Vec::with_capacity(n);
    let mut lane = Vec::with_capacity(operands.len());
    for at in 0..n {
        lane.clear();
        for operand in operands {
            let value = match operand {
                Value::Scalar(value) => Some(value),
                Value::Elements(it) => it.values.get(at),
                _ => None,
            };
            let Some(value) = value else {
                return machine.unsupported("operands of different shapes");
            };
            lane.push(value.clone());
        }
        values.push(f(machine, &lane)?);
    }
    Ok(elements(shaped.shape.clone(), values))
}

/// An operator on one lane of each operand, none of them poison.
pub(super) fn lanewise(
    n: usize,
    f: impl Fn(&mut Machine<'_>, &[Val]) -> Run<Val> + 'static,
) -> Code {
    compute(move |machine, operands| {
        lift(machine, &operands[..n], &mut |machine, lane| {
            if lane.contains(&Val::Unit) { Ok(Val::Unit) } else { f(machine, lane) }
        })
    })
}

//! vector: values of many lanes. Shapes are in `shapes`, accesses of memory in `transfer`, sums and products in
//! `products`.

mod products;
mod shapes;
mod transfer;

use super::{
    attrs::{Decoded, OpView},
    decode::Code,
    machine::{Machine, Run},
    value::{Value, View, elements, indices},
};

pub(super) use products::{iteration_space, reduction_name, sum};

/// Reads an operation of vector.
pub(super) fn decode(view: &OpView<'_>) -> Decoded<Option<Code>> {
    if view.name == "yield" {
        return Ok(Some(Code::End));
    }
    if let Some(code) = shapes::decode(view)? {
        return Ok(Some(code));
    }
    match transfer::decode(view)? {
        Some(code) => Ok(Some(code)),
        None => products::decode(view),
    }
}

/// An index shifted by a smaller one in its last dimensions; none if that one is longer.
fn shifted(index: &[i64], by: &[i64]) -> Option<Vec<i64>> {
    let first = index.len().checked_sub(by.len())?;
    let mut res = index.to_vec();
    for (slot, by) in res[first..].iter_mut().zip(by) {
        *slot = slot.checked_add(*by)?;
    }
    Some(res)
}

/// Reads a vector from consecutive elements.
pub(super) fn load(
    machine: &mut Machine<'_>,
    view: &View,
    index: &[i64],
    shape: &[i64],
) -> Run<Value> {
    if view.lanes.is_some() {
        return machine.load(view, index);
    }
    let mut values = Vec::new();
    for lane in indices(shape) {
        let Some(index) = shifted(index, &lane) else {
            return machine.unsupported("a vector of more dimensions than the memory");
        };
        machine.step(1)?;
        values.extend_from_slice(machine.load(view, &index)?.scalars());
    }
    Ok(elements(shape.to_vec(), values))
}

/// Writes a vector to consecutive elements.
pub(super) fn store(
    machine: &mut Machine<'_>,
    view: &View,
    index: &[i64],
    value: &Value,
) -> Run<()> {
    if view.lanes.is_some() {
        return machine.store(view, index, value);
    }
    for (lane, scalar) in indices(value.shape()).zip(value.scalars()) {
        let Some(index) = shifted(index, &lane) else {
            return machine.unsupported("a vector of more dimensions than the memory");
        };
        machine.step(1)?;
        machine.store(view, &index, &Value::Scalar(scalar.clone()))?;
    }
    Ok(())
}

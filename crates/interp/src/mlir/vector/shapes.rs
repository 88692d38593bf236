//! Lanes moved from vector to vector: broadcasts, parts, permutations, masks.

use super::super::super::{
    EventKind,
    memory::{read_scalar, scalar_bits},
    ops::Val,
};
use super::super::{
    attrs::{Decoded, OpView},
    decode::{Code, compute, many},
    machine::{Machine, Run},
    types::{Ty, count},
    value::{Value, bit, elements, indices, position},
};
use ir::DataType;

/// Reads an operation that moves lanes.
pub(super) fn decode(view: &OpView<'_>) -> Decoded<Option<Code>> {
    Ok(Some(match view.name {
        "broadcast" | "splat" => {
            view.need(1)?;
            let shape = shape(view)?;
            compute(move |machine, operands| broadcast(machine, &operands[0], &shape))
        }
        "shape_cast" => {
            view.need(1)?;
            let shape = shape(view)?;
            let n = count(&shape);
            compute(move |machine, operands| {
                let values = operands[0].scalars();
                if n != Some(values.len()) {
                    return machine.unsupported("a shape of another size");
                }
                Ok(elements(shape.clone(), values.to_vec()))
            })
        }
        "extract" => {
            view.need(1)?;
            let positions = view.ints("static_position")?;
            compute(move |machine, operands| {
                let at = machine.sizes(&positions, &mut &operands[1..])?;
                extract(machine, &operands[0], &at)
            })
        }
        "insert" => {
            view.need(2)?;
            let positions = view.ints("static_position")?;
            compute(move |machine, operands| {
                let at = machine.sizes(&positions, &mut &operands[2..])?;
                insert(machine, &operands[0], &operands[1], &at)
            })
        }
        "extractelement" => {
            view.need(1)?;
            compute(|machine, operands| {
                let at = machine.ints(&operands[1..])?;
                extract(machine, &operands[0], &at)
            })
        }
        "insertelement" => {
            view.need(2)?;
            compute(|machine, operands| {
                let at = machine.ints(&operands[2..])?;
                insert(machine, &operands[0], &operands[1], &at)
            })
        }
        "from_elements" => {
            let shape = shape(view)?;
            compute(move |machine, operands| {
                let values: Vec<Val> = operands.iter().flat_map(Value::scalars).cloned().collect();
                if count(&shape) != Some(values.len()) {
                    return machine.unsupported("another number of elements");
                }
                Ok(elements(shape.clone(), values))
            })
        }
        "to_elements" => {
            view.need(1)?;
            many(|_, operands| {
                Ok(operands[0].scalars().iter().map(|it| Value::Scalar(it.clone())).collect())
            })
        }
        "transpose" => {
            view.need(1)?;
            let permutation = view.ints("permutation")?;
            picked(view, move |index| {
                let mut res = vec![0; index.len()];
                for (&from, &at) in permutation.iter().zip(index) {
                    *res.get_mut(usize::try_from(from).ok()?)? = at;
                }
                Some(res)
            })?
        }
        "extract_strided_slice" => {
            view.need(1)?;
            let (offsets, strides) = (view.ints("offsets")?, view.ints("strides")?);
            picked(view, move |index| {
                let mut res = index.to_vec();
                for (slot, (offset, stride)) in res.iter_mut().zip(offsets.iter().zip(&strides)) {
                    *slot = slot.checked_mul(*stride)?.checked_add(*offset)?;
                }
                Some(res)
            })?
        }
        "insert_strided_slice" => {
            view.need(2)?;
            let (offsets, strides) = (view.ints("offsets")?, view.ints("strides")?);
            compute(move |machine, operands| {
                insert_slice(machine, &operands[0], &operands[1], &offsets, &strides)
            })
        }
        "shuffle" => shuffle(view)?,
        "interleave" => {
            view.need(2)?;
            let shape = shape(view)?;
            compute(move |_, operands| {
                let pairs = operands[0].scalars().iter().zip(operands[1].scalars());
                let values = pairs.flat_map(|(a, b)| [a.clone(), b.clone()]).collect();
                Ok(elements(shape.clone(), values))
            })
        }
        "deinterleave" => {
            view.need(1)?;
            let shape = shape(view)?;
            many(move |_, operands| {
                let half = |odd: usize| {
                    let values = operands[0].scalars().iter().skip(odd).step_by(2).cloned();
                    elements(shape.clone(), values.collect())
                };
                Ok(vec![half(0), half(1)])
            })
        }
        "step" => {
            let shape = shape(view)?;
            let n = count(&shape).ok_or("its size")?;
            let values = (0..n as i64).map(|it| Val::Int(it, false)).collect();
            let value = elements(shape, values);
            compute(move |_, _| Ok(value.clone()))
        }
        "create_mask" => {
            let shape = shape(view)?;
            view.need(shape.len())?;
            compute(move |machine, operands| {
                let sizes = machine.ints(operands)?;
                Ok(mask(&shape, &sizes))
            })
        }
        "constant_mask" => {
            let sizes = view.ints("mask_dim_sizes")?;
            let value = mask(&shape(view)?, &sizes);
            compute(move |_, _| Ok(value.clone()))
        }
        "bitcast" => {
            view.need(1)?;
            let (from, to, shape) = (view.operand_dtype(0)?, view.result_dtype(0)?, shape(view)?);
            compute(move |machine, operands| match bits_as(operands[0].scalars(), from, to) {
                Some(values) => Ok(elements(shape.clone(), values)),
                None => machine.unsupported("the bits of these elements"),
            })
        }
        _ => return Ok(None),
    }))
}

/// The shape of the result.
fn shape(view: &OpView<'_>) -> Decoded<Vec<i64>> {
    view.result_ty(0).fixed_shape().ok_or_else(|| "a vector of this type".to_owned())
}

/// Spreads a scalar or a vector of fewer or smaller dimensions.
pub(super) fn broadcast(machine: &mut Machine<'_>, value: &Value, to: &[i64]) -> Run<Value> {
    let Some(n) = count(to) else { return machine.unsupported("a vector of this size") };
    machine.step(n as u64)?;
    let (from, values) = (value.shape(), value.scalars());
    if let [only] = values {
        return Ok(elements(to.to_vec(), vec![only.clone(); n]));
    }
    let mut res = Vec::with_capacity(n);
    for index in indices(to) {
        let Some(behind) = to.len().checked_sub(from.len()).map(|at| &index[at..]) else {
            return machine.unsupported("a vector of fewer dimensions");
        };
        let own: Vec<i64> =
            behind.iter().zip(from).map(|(at, size)| if *size == 1 { 0 } else { *at }).collect();
        match values.get(position(from, &own)) {
            Some(value) => res.push(value.clone()),
            None => return machine.unsupported("a vector of another shape"),
        }
    }
    Ok(elements(to.to_vec(), res))
}

/// Returns the place where a part begins and how long it is; none if the position is outside.
fn part(shape: &[i64], at: &[i64]) -> Option<(usize, usize)> {
    if at.len() > shape.len() || at.iter().zip(shape).any(|(at, size)| at < &0 || at >= size) {
        return None;
    }
    let len = count(&shape[at.len()..])?;
    Some((position(&shape[..at.len()], at).checked_mul(len)?, len))
}

pub(super) fn extract(machine: &mut Machine<'_>, value: &Value, at: &[i64]) -> Run<Value> {
    let (shape, values) = (value.shape(), value.scalars());
    let rest = shape.get(at.len()..).unwrap_or_default().to_vec();
    let is_scalar = at.len() >= shape.len();
    let found = part(shape, at).and_then(|(first, len)| values.get(first..first + len));
    let values = match found {
        Some(values) => values.to_vec(),
        None => {
            machine.error(EventKind::OutOfBounds, || {
                format!("position {at:?} is outside of a vector of extents {shape:?}")
            })?;
            vec![Val::Unit; count(&rest).unwrap_or(1)]
        }
    };
    Ok(Value::shaped(is_scalar, rest, values))
}

pub(super) fn insert(
    machine: &mut Machine<'_>,
    value: &Value,
    into: &Value,
    at: &[i64],
) -> Run<Value> {
    let shape = into.shape().to_vec();
    let mut values = into.scalars().to_vec();
    let new = value.scalars();
    let slot = part(&shape, at)
        .filter(|(_, len)| *len == new.len())
        .and_then(|(first, len)| values.get_mut(first..first + len));
    match slot {
        Some(slot) => slot.clone_from_slice(new),
        None => machine.error(EventKind::OutOfBounds, || {
            format!("position {at:?} is outside of a vector of extents {shape:?}")
        })?,
    }
    Ok(elements(shape, values))
}

/// Each lane of the result is the lane of the operand that `from` selects.
fn picked(view: &OpView<'_>, from: impl Fn(&[i64]) -> Option<Vec<i64>> + 'static) -> Decoded<Code> {
    let shape = shape(view)?;
    Ok(compute(move |machine, operands| {
        let (source, values) = (operands[0].shape(), operands[0].scalars());
        let pick = |index: Vec<i64>| {
            let at = from(&index).filter(|at| at.len() == source.len())?;
            let inside = at.iter().zip(source).all(|(at, size)| at >= &0 && at < size);
            inside.then(|| values.get(position(source, &at)).cloned())?
        };
        let values: Option<Vec<Val>> = indices(&shape).map(pick).collect();
        match values {
            Some(values) => {
                machine.step(values.len() as u64)?;
                Ok(elements(shape.clone(), values))
            }
            None => machine.unsupported("a part that is outside of the vector"),
        }
    }))
}

fn insert_slice(
    machine: &mut Machine<'_>,
    value: &Value,
    into: &Value,
    offsets: &[i64],
    strides: &[i64],
) -> Run<Value> {
    let shape = into.shape().to_vec();
    let mut values = into.scalars().to_vec();
    let Some(first) = shape.len().checked_sub(value.shape().len()) else {
        return machine.unsupported("a part of more dimensions");
    };
    for (index, new) in indices(value.shape()).zip(value.scalars()) {
        let at: Vec<i64> = (0..shape.len())
            .map(|dim| {
                let offset = offsets.get(dim).copied().unwrap_or(0);
                match dim.checked_sub(first) {
                    Some(own) => offset.saturating_add(
                        index[own].saturating_mul(strides.get(own).copied().unwrap_or(1)),
                    ),
                    None => offset,
                }
            })
            .collect();
        let inside = at.iter().zip(&shape).all(|(at, size)| at >= &0 && at < size);
        match values.get_mut(position(&shape, &at)) {
            Some(slot) if inside => *slot = new.clone(),
            _ => return machine.unsupported("a part that is outside of the vector"),
        }
    }
    Ok(elements(shape, values))
}

/// Parts along the first dimension of two vectors.
fn shuffle(view: &OpView<'_>) -> Decoded<Code> {
    view.need(2)?;
    let mask = view.ints("mask")?;
    let shape = shape(view)?;
    Ok(compute(move |machine, operands| {
        let rest = operands[0].shape().get(1..).unwrap_or_default().to_vec();
        let len = count(&rest).unwrap_or(1);
        let first = operands[0].scalars();
        let all: Vec<&Val> = first.iter().chain(operands[1].scalars()).collect();
        let mut values = Vec::new();
        for &at in &mask {
            match usize::try_from(at) {
                // -1: any value.
                Err(_) => values.extend(vec![Val::Unit; len]),
                Ok(at) => match all.get(at * len..(at + 1) * len) {
                    Some(part) => values.extend(part.iter().map(|it| (*it).clone())),
                    None => return machine.unsupported("a lane that is not there"),
                },
            }
        }
        Ok(elements(shape.clone(), values))
    }))
}

/// Lanes whose index is below the sizes.
fn mask(shape: &[i64], sizes: &[i64]) -> Value {
    let holds = |index: Vec<i64>| bit(index.iter().zip(sizes).all(|(at, size)| at < size));
    elements(shape.to_vec(), indices(shape).map(holds).collect())
}

/// Elements read again from their bits, the lowest first.
fn bits_as(values: &[Val], from: DataType, to: DataType) -> Option<Vec<Val>> {
    let mut bits: Vec<Option<bool>> = Vec::new();
    for value in values {
        match value {
            Val::Unit => bits.extend(vec![None; from.bits.into()]),
            value => {
                let raw = scalar_bits(from, value)?;
                bits.extend((0..from.bits).map(|at| Some(raw >> at & 1 != 0)));
            }
        }
    }
    let read = |part: &[Option<bool>]| {
        let mut raw = 0u64;
        for (at, bit) in part.iter().enumerate() {
            match bit {
                Some(bit) => raw |= u64::from(*bit) << at,
                None => return Some(Val::Unit),
            }
        }
        read_scalar(to, raw.to_le_bytes().get(..to.bytes())?)
    };
    bits.chunks(to.bits.into()).map(read).collect()
}

/// The type of a vector.
pub(super) fn vector_ty(ty: Ty) -> Decoded<(Vec<i64>, DataType)> {
    match ty {
        Ty::Vector(shape, dtype) => Ok((shape, dtype)),
        _ => Err("a vector of this type".to_owned()),
    }
}

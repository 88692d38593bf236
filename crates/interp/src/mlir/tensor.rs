//! tensor: values with elements. Every operation makes a new one.

use super::super::{EventKind, ops::Val};
use super::{
    attrs::{DYNAMIC, Decoded, OpView, integer_lists},
    decode::{Code, compute, conversion, nest},
    frames::{Nest, Next},
    machine::{Machine, Run},
    memref::{dimension, expanded_shape, kept},
    types::{Ty, count},
    value::{Value, elements, indices, int, position},
};

/// Reads an operation of tensor.
pub(super) fn decode(view: &OpView<'_>) -> Decoded<Option<Code>> {
    Ok(Some(match view.name {
        "yield" => Code::End,
        "empty" | "splat" => {
            let (shape, _) = tensor_ty(view)?;
            let is_splat = view.name == "splat";
            view.need(usize::from(is_splat))?;
            compute(move |machine, operands| {
                let (value, mut sizes) = match operands {
                    [Value::Scalar(value), rest @ ..] if is_splat => (value.clone(), rest),
                    _ => (Val::Unit, operands),
                };
                let shape = machine.sizes(&shape, &mut sizes)?;
                let n = size(machine, &shape)?;
                Ok(elements(shape, vec![value; n]))
            })
        }
        "extract" => {
            view.need(1)?;
            compute(|machine, operands| {
                let index = machine.ints(&operands[1..])?;
                match slot(&operands[0], &index) {
                    Some(at) => Ok(Value::Scalar(operands[0].scalars()[at].clone())),
                    None => {
                        outside(machine, &operands[0], &index)?;
                        Ok(Value::Scalar(Val::Unit))
                    }
                }
            })
        }
        "insert" => {
            view.need(2)?;
            compute(|machine, operands| {
                let index = machine.ints(&operands[2..])?;
                let mut values = operands[1].scalars().to_vec();
                match (slot(&operands[1], &index), &operands[0]) {
                    (Some(at), Value::Scalar(value)) => values[at] = value.clone(),
                    _ => outside(machine, &operands[1], &index)?,
                }
                Ok(elements(operands[1].shape().to_vec(), values))
            })
        }
        "dim" => {
            view.need(2)?;
            compute(dimension)
        }
        "rank" => {
            view.need(1)?;
            compute(|_, operands| Ok(int(operands[0].shape().len() as i64)))
        }
        "cast" => {
            view.need(1)?;
            let (shape, _) = tensor_ty(view)?;
            compute(move |machine, operands| {
                let known: Vec<Option<i64>> =
                    shape.iter().map(|&it| (it != DYNAMIC).then_some(it)).collect();
                if !super::value::fits(&known, operands[0].shape()) {
                    let from = operands[0].shape().to_vec();
                    machine.error(EventKind::FailedAssertion, || {
                        format!("a tensor of extents {from:?} is cast to {known:?}")
                    })?;
                }
                Ok(operands[0].clone())
            })
        }
        "bitcast" => return conversion(view),
        "from_elements" => {
            let (shape, _) = tensor_ty(view)?;
            compute(move |machine, operands| {
                let values: Vec<Val> = operands.iter().flat_map(Value::scalars).cloned().collect();
                if count(&shape) != Some(values.len()) {
                    return machine.unsupported("another number of elements");
                }
                Ok(elements(shape.clone(), values))
            })
        }
        "collapse_shape" | "expand_shape" | "reshape" => reshaped(view)?,
        "extract_slice" | "insert_slice" => slice(view)?,
        "concat" => concat(view)?,
        "generate" => {
            let (shape, _) = tensor_ty(view)?;
            nest(move |machine, operands| {
                let shape = machine.sizes(&shape, &mut &*operands)?;
                begin(machine, shape, Vec::new(), None)
            })
        }
        "pad" => pad(view)?,
        _ => return Ok(None),
    }))
}

/// The extents of the result, and its elements.
fn tensor_ty(view: &OpView<'_>) -> Decoded<(Vec<i64>, ir::DataType)> {
    match view.result_ty(0) {
        Ty::Tensor(shape, dtype) => {
            Ok((shape.into_iter().map(|it| it.unwrap_or(DYNAMIC)).collect(), dtype))
        }
        _ => Err("a tensor of this type".to_owned()),
    }
}

fn size(machine: &mut Machine<'_>, shape: &[i64]) -> Run<usize> {
    match count(shape) {
        Some(n) if shape.iter().all(|it| *it >= 0) => {
            machine.step(n as u64 / 8)?;
            Ok(n)
        }
        _ => machine.unsupported("a tensor of this size"),
    }
}

/// The place of an index in the elements; none if it is outside.
fn slot(tensor: &Value, index: &[i64]) -> Option<usize> {
    let shape = tensor.shape();
    let inside = index.len() == shape.len()
        && index.iter().zip(shape).all(|(at, size)| at >= &0 && at < size);
    inside.then(|| position(shape, index)).filter(|&at| at < tensor.scalars().len())
}

fn outside(machine: &mut Machine<'_>, tensor: &Value, index: &[i64]) -> Run<()> {
    let shape = tensor.shape();
    machine.error(EventKind::OutOfBounds, || {
        format!("index {index:?} is outside of the extents {shape:?}")
    })
}

// ---- shapes ----

fn reshaped(view: &OpView<'_>) -> Decoded<Code> {
    view.need(1)?;
    let (sizes, _) = tensor_ty(view)?;
    let name = view.name.to_owned();
    let groups = view.attr("reassociation").and_then(integer_lists).unwrap_or_default();
    Ok(compute(move |machine, operands| {
        let old = operands[0].shape().to_vec();
        let shape = match &*name {
            "collapse_shape" => {
                let of = |group: &Vec<i64>| {
                    let sizes = group.iter().map(|&it| old.get(usize::try_from(it).ok()?).copied());
                    sizes.product::<Option<i64>>()
                };
                groups.iter().map(of).collect::<Option<Vec<i64>>>()
            }
            "expand_shape" => {
                Some(expanded_shape(machine, &old, &groups, &sizes, &mut &operands[1..])?)
            }
            _ => {
                let sizes: Vec<Value> = (operands.get(1).map(Value::scalars).unwrap_or_default())
                    .iter()
                    .map(|it| Value::Scalar(it.clone()))
                    .collect();
                Some(machine.ints(&sizes)?)
            }
        };
        match shape {
            Some(shape) if count(&shape) == Some(operands[0].scalars().len()) => {
                Ok(elements(shape, operands[0].scalars().to_vec()))
            }
            _ => machine.unsupported("a shape of another size"),
        }
    }))
}

/// `extract_slice` and `insert_slice`.
fn slice(view: &OpView<'_>) -> Decoded<Code> {
    let is_insert = view.name == "insert_slice";
    let first = 1 + usize::from(is_insert);
    view.need(first)?;
    let (offsets, sizes) = (view.ints("static_offsets")?, view.ints("static_sizes")?);
    let strides = view.ints("static_strides")?;
    let wanted: Vec<Option<i64>> = match (view.result_ty(0), view.operand_ty(0)) {
        (_, Ty::Tensor(shape, _)) if is_insert => shape,
        (Ty::Tensor(shape, _), _) => shape,
        _ => return Err("its types".to_owned()),
    };
    Ok(compute(move |machine, operands| {
        let mut rest = &operands[first..];
        let offsets = machine.sizes(&offsets, &mut rest)?;
        let sizes = machine.sizes(&sizes, &mut rest)?;
        let strides = machine.sizes(&strides, &mut rest)?;
        let whole = &operands[first - 1];
        if sizes.len() != whole.shape().len()
            || offsets.len() != sizes.len()
            || strides.len() != sizes.len()
        {
            return machine.unsupported("a slice of another rank");
        }
        let Some(kept) = kept(&sizes, &wanted) else {
            return machine.unsupported("a slice that does not fit its type");
        };
        let taken: Vec<i64> = kept.iter().map(|&at| sizes[at]).collect();
        if is_insert && taken != operands[0].shape() {
            let from = operands[0].shape().to_vec();
            machine.error(EventKind::FailedAssertion, || {
                format!("a tensor of extents {from:?} is inserted as one of {taken:?}")
            })?;
        }
        size(machine, &sizes)?;
        let mut values = if is_insert { whole.scalars().to_vec() } else { Vec::new() };
        for (number, index) in indices(&sizes).enumerate() {
            machine.step(1)?;
            let at: Vec<i64> = (0..index.len())
                .map(|dim| offsets[dim].saturating_add(index[dim].saturating_mul(strides[dim])))
                .collect();
            match slot(whole, &at) {
                Some(at) if is_insert => match operands[0].scalars().get(number) {
                    Some(value) => values[at] = value.clone(),
                    None => return machine.unsupported("a slice that does not fit"),
                },
                Some(at) => values.push(whole.scalars()[at].clone()),
                None => {
                    outside(machine, whole, &at)?;
                    if !is_insert {
                        values.push(Val::Unit);
                    }
                }
            }
        }
        Ok(if is_insert {
            elements(whole.shape().to_vec(), values)
        } else {
            elements(taken, values)
        })
    }))
}

fn concat(view: &OpView<'_>) -> Decoded<Code> {
    view.need(1)?;
    let dim = usize::try_from(view.int("dim")?).unwrap_or(usize::MAX);
    Ok(compute(move |machine, operands| {
        let mut shape = operands[0].shape().to_vec();
        let Some(slot) = shape.get_mut(dim) else { return machine.unsupported("its dimension") };
        *slot = operands.iter().filter_map(|it| it.shape().get(dim)).sum();
        let inner: usize = count(&shape[dim + 1..]).unwrap_or(0);
        let outer: usize = count(&shape[..dim]).unwrap_or(0);
        let mut values = Vec::new();
        for row in 0..outer {
            for operand in operands {
                let len = operand.shape().get(dim).map_or(0, |it| *it as usize) * inner;
                match operand.scalars().get(row * len..(row + 1) * len) {
                    Some(part) => values.extend_from_slice(part),
                    None => return machine.unsupported("tensors of other shapes"),
                }
            }
        }
        Ok(elements(shape, values))
    }))
}

// ---- regions ----

/// A tensor whose elements a region gives; copied elements are not computed.
struct Generate {
    shape: Vec<i64>,
    rest: std::vec::IntoIter<Vec<i64>>,
    values: Vec<Val>,
    /// The tensor in the middle of a padded one, and how much stands before it.
    middle: Option<(Value, Vec<i64>)>,
}

fn begin(
    machine: &mut Machine<'_>,
    shape: Vec<i64>,
    low: Vec<i64>,
    middle: Option<Value>,
) -> Run<(Generate, Next)> {
    size(machine, &shape)?;
    let all: Vec<Vec<i64>> = indices(&shape).collect();
    let middle = middle.map(|it| (it, low));
    let mut state = Generate { shape, rest: all.into_iter(), values: Vec::new(), middle };
    let next = state.next();
    Ok((state, next))
}

impl Generate {
    fn next(&mut self) -> Next {
        for index in self.rest.by_ref() {
            let copied = self.middle.as_ref().and_then(|(tensor, low)| {
                let own: Vec<i64> =
                    index.iter().zip(low).map(|(at, low)| at.wrapping_sub(*low)).collect();
                slot(tensor, &own).map(|at| tensor.scalars()[at].clone())
            });
            match copied {
                Some(value) => self.values.push(value),
                None => return Next::enter(0, index.into_iter().map(int).collect()),
            }
        }
        Next::Done(vec![elements(self.shape.clone(), std::mem::take(&mut self.values))])
    }
}

impl Nest for Generate {
    fn ended(&mut self, machine: &mut Machine<'_>, values: Vec<Value>) -> Run<Next> {
        match values.into_iter().next() {
            Some(Value::Scalar(value)) => self.values.push(value),
            _ => return machine.unsupported("an element that is no number"),
        }
        Ok(self.next())
    }
}

fn pad(view: &OpView<'_>) -> Decoded<Code> {
    view.need(1)?;
    let (low, high) = (view.ints("static_low")?, view.ints("static_high")?);
    let known: Vec<Option<i64>> =
        tensor_ty(view)?.0.into_iter().map(|it| (it != DYNAMIC).then_some(it)).collect();
    Ok(nest(move |machine, operands| {
        let mut rest = &operands[1..];
        let low = machine.sizes(&low, &mut rest)?;
        let high = machine.sizes(&high, &mut rest)?;
        let own = operands[0].shape();
        if low.len() != own.len() || high.len() != own.len() {
            return machine.unsupported("paddings of another rank");
        }
        let shape: Vec<i64> = (0..own.len())
            .map(|dim| own[dim].saturating_add(low[dim]).saturating_add(high[dim]))
            .collect();
        if !super::value::fits(&known, &shape) {
            machine.error(EventKind::FailedAssertion, || {
                format!("padding gives extents {shape:?}, and not {known:?}")
            })?;
        }
        begin(machine, shape, low, Some(operands[0].clone()))
    }))
}

//! Sums and products of lanes: reductions, outer products, contractions.
//!
//! A reduction goes through the lanes in order and begins with the accumulator; a product that is added to one is
//! rounded once (`fma`), as the lowering of the dialect does.

use super::super::super::{intrinsics, ops::Val};
use super::super::{
    arith,
    attrs::{Decoded, OpView},
    decode::{Code, compute, many},
    lanes::lanewise,
    machine::{Machine, Run},
    types::count,
    value::{Value, elements, indices, position},
};
use super::shapes::vector_ty;
use ir::{DataType, text::affine::Map};

/// Reads an operation that combines lanes.
pub(super) fn decode(view: &OpView<'_>) -> Decoded<Option<Code>> {
    Ok(Some(match view.name {
        "fma" => {
            view.need(3)?;
            let dtype = view.result_dtype(0)?;
            lanewise(3, move |machine, lane| {
                multiply_add(machine, dtype, &lane[0], &lane[1], &lane[2])
            })
        }
        "reduction" => reduction(view)?,
        "multi_reduction" => multi_reduction(view)?,
        "outerproduct" => outer_product(view)?,
        "contract" => contract(view)?,
        "scan" => scan(view)?,
        _ => return Ok(None),
    }))
}

/// The operator of arith that a word of `#vector.kind` is.
pub(in super::super) fn reduction_name(word: &str, dtype: DataType) -> Option<&'static str> {
    let is_float = dtype.is_float();
    Some(match word {
        "add" if is_float => "addf",
        "mul" if is_float => "mulf",
        "add" => "addi",
        "mul" => "muli",
        "and" => "andi",
        "or" => "ori",
        "xor" => "xori",
        "minsi" => "minsi",
        "minui" => "minui",
        "maxsi" => "maxsi",
        "maxui" => "maxui",
        "minimumf" | "minf" => "minimumf",
        "maximumf" | "maxf" => "maximumf",
        "minnumf" => "minnumf",
        "maxnumf" => "maxnumf",
        _ => return None,
    })
}

fn operator(view: &OpView<'_>, dtype: DataType) -> Decoded<&'static str> {
    let words = view.words("kind");
    let word = words.first().copied().unwrap_or("add");
    reduction_name(word, dtype).ok_or_else(|| format!("the kind {word}"))
}

/// All lanes combined, from an accumulator if there is one.
pub(in super::super) fn sum(
    machine: &mut Machine<'_>,
    name: &str,
    dtype: DataType,
    first: Option<Val>,
    lanes: &[Val],
) -> Run<Val> {
    machine.step(lanes.len() as u64)?;
    let (mut sum, lanes) = match (first, lanes) {
        (Some(first), lanes) => (first, lanes),
        (None, [first, lanes @ ..]) => (first.clone(), lanes),
        (None, []) => return machine.unsupported("a reduction of no lane"),
    };
    for lane in lanes {
        sum = arith::combine(machine, name, dtype, &sum, lane)?;
    }
    Ok(sum)
}

fn multiply_add(machine: &mut Machine<'_>, dtype: DataType, a: &Val, b: &Val, c: &Val) -> Run<Val> {
    if !dtype.is_float() {
        let product = arith::combine(machine, "muli", dtype, a, b)?;
        return arith::combine(machine, "addi", dtype, &product, c);
    }
    if [a, b, c].contains(&&Val::Unit) {
        return Ok(Val::Unit);
    }
    let lane = [a.clone(), b.clone(), c.clone()];
    match intrinsics::call("fma", dtype, &lane, &[Some(dtype); 3], &mut |_| Ok(())) {
        Some(Ok(value)) => Ok(value),
        Some(Err(fault)) => machine.fault(fault),
        None => machine.unsupported("a product of these values"),
    }
}

fn reduction(view: &OpView<'_>) -> Decoded<Code> {
    view.need(1)?;
    let dtype = view.operand_dtype(0)?;
    let name = operator(view, dtype)?;
    Ok(compute(move |machine, operands| {
        let first = match operands.get(1) {
            Some(Value::Scalar(value)) => Some(value.clone()),
            _ => None,
        };
        Ok(Value::Scalar(sum(machine, name, dtype, first, operands[0].scalars())?))
    }))
}

fn multi_reduction(view: &OpView<'_>) -> Decoded<Code> {
    view.need(2)?;
    let dtype = view.operand_dtype(0)?;
    let name = operator(view, dtype)?;
    let (shape, _) = vector_ty(view.operand_ty(0))?;
    let dims = view.ints("reduction_dims")?;
    let stays: Vec<usize> = (0..shape.len()).filter(|it| !dims.contains(&(*it as i64))).collect();
    Ok(compute(move |machine, operands| {
        let to = operands[1].shape().to_vec();
        let mut sums = operands[1].scalars().to_vec();
        for (index, value) in indices(&shape).zip(operands[0].scalars()) {
            machine.step(1)?;
            let own: Vec<i64> = stays.iter().map(|&at| index[at]).collect();
            let Some(slot) = sums.get_mut(position(&to, &own)) else {
                return machine.unsupported("an accumulator of another shape");
            };
            *slot = arith::combine(machine, name, dtype, slot, value)?;
        }
        Ok(Value::shaped(stays.is_empty(), to, sums))
    }))
}

fn outer_product(view: &OpView<'_>) -> Decoded<Code> {
    view.need(2)?;
    let dtype = view.result_dtype(0)?;
    let name = operator(view, dtype)?;
    let (shape, _) = vector_ty(view.result_ty(0))?;
    Ok(compute(move |machine, operands| {
        let (a, b) = (operands[0].scalars(), operands[1].scalars());
        let acc = operands.get(2).map(Value::scalars);
        let mut values = Vec::new();
        for (at, (x, y)) in a.iter().flat_map(|x| b.iter().map(move |y| (x, y))).enumerate() {
            machine.step(1)?;
            let acc = match acc {
                Some(acc) => match acc.get(at) {
                    Some(acc) => Some(acc),
                    None => return machine.unsupported("an accumulator of another shape"),
                },
                None => None,
            };
            values.push(product(machine, name, dtype, x, y, acc)?);
        }
        Ok(elements(shape.clone(), values))
    }))
}

/// `a * b`, combined with an accumulator.
fn product(
    machine: &mut Machine<'_>,
    name: &str,
    dtype: DataType,
    a: &Val,
    b: &Val,
    acc: Option<&Val>,
) -> Run<Val> {
    match acc {
        Some(acc) if matches!(name, "addf" | "addi") => multiply_add(machine, dtype, a, b, acc),
        _ => {
            let times = if dtype.is_float() { "mulf" } else { "muli" };
            let product = arith::combine(machine, times, dtype, a, b)?;
            match acc {
                Some(acc) => arith::combine(machine, name, dtype, &product, acc),
                None => Ok(product),
            }
        }
    }
}

fn contract(view: &OpView<'_>) -> Decoded<Code> {
    view.need(3)?;
    let dtype = view.result_dtype(0)?;
    let name = operator(view, dtype)?;
    let maps = view.maps("indexing_maps")?;
    let [lhs, rhs, out] = &maps[..] else { return Err("its maps".to_owned()) };
    let (lhs, rhs, out) = (lhs.clone(), rhs.clone(), out.clone());
    let space = iteration_space(&[
        (&lhs, &vector_ty(view.operand_ty(0))?.0),
        (&rhs, &vector_ty(view.operand_ty(1))?.0),
    ])
    .ok_or("its maps")?;
    count(&space).ok_or("its size")?;
    let is_scalar = out.results.is_empty();
    Ok(compute(move |machine, operands| {
        let to = operands[2].shape().to_vec();
        let mut sums = operands[2].scalars().to_vec();
        for index in indices(&space) {
            machine.step(1)?;
            let at = |map: &Map, shape: &[i64]| Some(position(shape, &map.evaluate(&index, &[])?));
            let a = at(&lhs, operands[0].shape()).and_then(|it| operands[0].scalars().get(it));
            let b = at(&rhs, operands[1].shape()).and_then(|it| operands[1].scalars().get(it));
            let slot = at(&out, &to).and_then(|it| sums.get_mut(it));
            let (Some(a), Some(b), Some(slot)) = (a, b, slot) else {
                return machine.unsupported("operands of other shapes");
            };
            *slot = product(machine, name, dtype, a, b, Some(slot))?;
        }
        Ok(Value::shaped(is_scalar, to, sums))
    }))
}

/// The extent of each dimension of maps that are projections, from the shapes they give; none if one is not said.
pub(in super::super) fn iteration_space(maps: &[(&Map, &[i64])]) -> Option<Vec<i64>> {
    let n = maps.first()?.0.dims;
    let mut res = vec![None; n];
    for (map, shape) in maps {
        for (result, &size) in map.results.iter().zip(*shape) {
            if let ir::text::affine::Affine::Dim(dim) = result {
                *res.get_mut(*dim)? = Some(size);
            }
        }
    }
    res.into_iter().collect()
}

fn scan(view: &OpView<'_>) -> Decoded<Code> {
    view.need(2)?;
    let dtype = view.operand_dtype(0)?;
    let name = operator(view, dtype)?;
    let inclusive = view.attr("inclusive") == Some("true");
    let dim = usize::try_from(view.int("reduction_dim")?).unwrap_or(usize::MAX);
    let (shape, _) = vector_ty(view.operand_ty(0))?;
    if dim >= shape.len() {
        return Err("its dimension".to_owned());
    }
    Ok(many(move |machine, operands| {
        let to = operands[1].shape().to_vec();
        // What the lanes before give, and what was shown last.
        let mut sums = operands[1].scalars().to_vec();
        let mut last = sums.clone();
        let mut values = Vec::new();
        for (index, value) in indices(&shape).zip(operands[0].scalars()) {
            machine.step(1)?;
            let mut own = index.clone();
            own.remove(dim);
            let at = position(&to, &own);
            let (Some(slot), Some(last)) = (sums.get_mut(at), last.get_mut(at)) else {
                return machine.unsupported("an accumulator of another shape");
            };
            // The first lane of an inclusive scan is itself; an exclusive one begins with the accumulator.
            let next = match inclusive && index[dim] == 0 {
                true => value.clone(),
                false => arith::combine(machine, name, dtype, slot, value)?,
            };
            *last = if inclusive { next.clone() } else { slot.clone() };
            *slot = next;
            values.push(last.clone());
        }
        Ok(vec![elements(shape.clone(), values), elements(to, last)])
    }))
}

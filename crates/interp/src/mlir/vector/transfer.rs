//! Vectors and memory or tensors: transfers with padding and masks, loads, stores, gathers.

use std::rc::Rc;

use super::super::super::{EventKind, ops::Val};
use super::super::{
    attrs::{Decoded, OpView, integers},
    decode::{Code, compute, many},
    machine::{Machine, Run},
    memref::access,
    value::{Value, View, elements, indices, position},
};
use super::shapes::vector_ty;
use ir::text::affine::{Affine, Map};

/// Reads an operation that accesses memory or tensors.
pub(super) fn decode(view: &OpView<'_>) -> Decoded<Option<Code>> {
    Ok(Some(match view.name {
        "load" => {
            view.need(1)?;
            let (shape, _) = vector_ty(view.result_ty(0))?;
            compute(move |machine, operands| {
                let (memory, index) = access(machine, operands)?;
                super::load(machine, &memory, &index, &shape)
            })
        }
        "store" => {
            view.need(2)?;
            many(|machine, operands| {
                let (memory, index) = access(machine, &operands[1..])?;
                super::store(machine, &memory, &index, &operands[0])?;
                Ok(Vec::new())
            })
        }
        "transfer_read" => read(view)?,
        "transfer_write" => write(view)?,
        "maskedload" | "expandload" | "gather" => masked_read(view)?,
        "maskedstore" | "compressstore" | "scatter" => masked_write(view)?,
        _ => return Ok(None),
    }))
}

// ---- transfers ----

/// The side of a transfer: reading or writing.
enum Side {
    Memory(Rc<View>),
    Tensor { shape: Vec<i64>, values: Vec<Val> },
}

impl Side {
    fn of(machine: &Machine<'_>, value: &Value) -> Run<Side> {
        match value {
            Value::View(view) if view.lanes.is_some() => {
                machine.unsupported("a transfer of elements that are vectors")
            }
            Value::View(view) => Ok(Side::Memory(view.clone())),
            Value::Elements(it) => {
                Ok(Side::Tensor { shape: it.shape.clone(), values: it.values.clone() })
            }
            _ => machine.unsupported("a transfer of what has no elements"),
        }
    }

    fn shape(&self) -> &[i64] {
        match self {
            Side::Memory(view) => &view.shape,
            Side::Tensor { shape, .. } => shape,
        }
    }

    fn read(&self, machine: &mut Machine<'_>, index: &[i64]) -> Run<Val> {
        match self {
            Side::Memory(view) => match machine.load(view, index)? {
                Value::Scalar(value) => Ok(value),
                _ => machine.unsupported("a transfer of elements that are vectors"),
            },
            Side::Tensor { shape, values } => {
                Ok(values.get(position(shape, index)).cloned().unwrap_or(Val::Unit))
            }
        }
    }

    fn write(&mut self, machine: &mut Machine<'_>, index: &[i64], value: &Val) -> Run<()> {
        match self {
            Side::Memory(view) => machine.store(view, index, &Value::Scalar(value.clone())),
            Side::Tensor { shape, values } => {
                if let Some(slot) = values.get_mut(position(shape, index)) {
                    *slot = value.clone();
                }
                Ok(())
            }
        }
    }
}

/// How lanes of the vector and elements of the other side correspond.
struct Mapping {
    map: Option<Map>,
    in_bounds: Vec<bool>,
    /// Places of the vector's dimensions in a mask: those that are no broadcasts, in the order of the other side.
    mask_dims: Vec<usize>,
}

impl Mapping {
    fn of(view: &OpView<'_>, rank: usize) -> Decoded<Mapping> {
        let map =
            if view.has("permutation_map") { Some(view.map("permutation_map")?) } else { None };
        let in_bounds = view.attr("in_bounds").map_or(Some(Vec::new()), integers);
        let mut in_bounds: Vec<bool> =
            in_bounds.ok_or("its bounds")?.into_iter().map(|it| it != 0).collect();
        in_bounds.resize(rank, false);
        let mut mask_dims: Vec<(usize, usize)> = Vec::new();
        for at in 0..rank {
            match map.as_ref().map(|it| it.results.get(at)) {
                None => mask_dims.push((at, at)),
                Some(Some(Affine::Dim(dim))) => mask_dims.push((*dim, at)),
                Some(Some(Affine::Constant(0))) => {}
                _ => return Err("a map that is no permutation".to_owned()),
            }
        }
        mask_dims.sort_unstable();
        let mask_dims = mask_dims.into_iter().map(|(_, at)| at).collect();
        Ok(Mapping { map, in_bounds, mask_dims })
    }

    /// The element of a lane, and whether the operation claims that it is inside where it is not.
    fn element(&self, base: &[i64], lane: &[i64], shape: &[i64]) -> Option<(Vec<i64>, bool, bool)> {
        let mut index = base.to_vec();
        let first = index.len().checked_sub(lane.len());
        let (mut inside, mut said) = (true, true);
        let mut checked = vec![false; index.len()];
        for (at, &by) in lane.iter().enumerate() {
            let dim = match &self.map {
                None => first? + at,
                Some(map) => match map.results.get(at)? {
                    Affine::Dim(dim) => *dim,
                    _ => continue,
                },
            };
            let slot = index.get_mut(dim)?;
            *slot = slot.checked_add(by)?;
            checked[dim] = true;
            let size = *shape.get(dim)?;
            if *slot < 0 || *slot >= size {
                inside = false;
                said &= self.in_bounds[at];
            }
        }
        // Dimensions that no lane moves in must be inside.
        for (dim, &at) in index.iter().enumerate() {
            if !checked[dim] && (at < 0 || at >= *shape.get(dim)?) {
                (inside, said) = (false, true);
            }
        }
        Some((index, inside, said))
    }

    fn mask_index(&self, lane: &[i64]) -> Vec<i64> {
        self.mask_dims.iter().map(|&at| lane[at]).collect()
    }
}

fn is_on(machine: &mut Machine<'_>, mask: Option<&Value>, index: &[i64]) -> Run<bool> {
    let Some(mask) = mask else { return Ok(true) };
    match mask.scalars().get(position(mask.shape(), index)).cloned() {
        Some(value) => Ok(machine.int_of(&value)? != 0),
        None => machine.unsupported("a mask of another shape"),
    }
}

fn outside(machine: &mut Machine<'_>, index: &[i64], shape: &[i64]) -> Run<()> {
    machine.error(EventKind::OutOfBounds, || {
        format!("a transfer at {index:?} is outside of the extents {shape:?}")
    })
}

fn read(view: &OpView<'_>) -> Decoded<Code> {
    let segments = view.segments().ok_or("its segments")?;
    let [1, n, 1, has_mask] = segments[..] else { return Err("its segments".to_owned()) };
    view.need(2 + n + has_mask)?;
    let (shape, _) = vector_ty(view.result_ty(0))?;
    let mapping = Mapping::of(view, shape.len())?;
    Ok(compute(move |machine, operands| {
        let side = Side::of(machine, &operands[0])?;
        let base = machine.ints(&operands[1..1 + n])?;
        let padding = &operands[1 + n];
        let mask = operands.get(2 + n);
        let mut values = Vec::new();
        for lane in indices(&shape) {
            machine.step(1)?;
            let Some((index, inside, said)) = mapping.element(&base, &lane, side.shape()) else {
                return machine.unsupported("a transfer that does not fit");
            };
            let on = is_on(machine, mask, &mapping.mask_index(&lane))?;
            if on && inside {
                values.push(side.read(machine, &index)?);
                continue;
            }
            if on && said {
                outside(machine, &index, side.shape())?;
            }
            values.extend_from_slice(padding.scalars());
        }
        Ok(elements(shape.clone(), values))
    }))
}

fn write(view: &OpView<'_>) -> Decoded<Code> {
    let segments = view.segments().ok_or("its segments")?;
    let [1, 1, n, has_mask] = segments[..] else { return Err("its segments".to_owned()) };
    view.need(2 + n + has_mask)?;
    let (shape, _) = vector_ty(view.operand_ty(0))?;
    let mapping = Mapping::of(view, shape.len())?;
    Ok(many(move |machine, operands| {
        let mut side = Side::of(machine, &operands[1])?;
        let base = machine.ints(&operands[2..2 + n])?;
        let mask = operands.get(2 + n);
        let extents = side.shape().to_vec();
        for (lane, value) in indices(&shape).zip(operands[0].scalars()) {
            machine.step(1)?;
            let Some((index, inside, said)) = mapping.element(&base, &lane, &extents) else {
                return machine.unsupported("a transfer that does not fit");
            };
            if !is_on(machine, mask, &mapping.mask_index(&lane))? {
                continue;
            }
            if inside {
                side.write(machine, &index, value)?;
            } else if said {
                outside(machine, &index, &extents)?;
            }
        }
        Ok(match side {
            Side::Memory(_) => Vec::new(),
            Side::Tensor { shape, values } => vec![elements(shape, values)],
        })
    }))
}

// ---- masks ----

/// `maskedload`, `expandload`: memory, indices, mask, other lanes; `gather`: memory, indices, positions, mask, other
/// lanes.
fn masked_read(view: &OpView<'_>) -> Decoded<Code> {
    let name = view.name.to_owned();
    let n_last = if name == "gather" { 3 } else { 2 };
    let n = view.n_operands().checked_sub(n_last + 1).ok_or("too few operands")?;
    Ok(compute(move |machine, operands| {
        let memory = machine.view(&operands[0])?;
        let base = machine.ints(&operands[1..1 + n])?;
        let last = &operands[1 + n..];
        let (mask, other) = (&last[n_last - 2], &last[n_last - 1]);
        let mut values = Vec::new();
        let mut packed = 0;
        for (lane, (on, other)) in mask.scalars().iter().zip(other.scalars()).enumerate() {
            if machine.int_of(on)? == 0 {
                values.push(other.clone());
                continue;
            }
            let by = offset(machine, &name, last, lane, &mut packed)?;
            let index = lane_index(machine, &base, by)?;
            values.extend_from_slice(machine.load(&memory, &index)?.scalars());
        }
        Ok(elements(other.shape().to_vec(), values))
    }))
}

/// `maskedstore`, `compressstore`: memory, indices, mask, lanes; `scatter`: memory, indices, positions, mask, lanes.
fn masked_write(view: &OpView<'_>) -> Decoded<Code> {
    let name = view.name.to_owned();
    let n_last = if name == "scatter" { 3 } else { 2 };
    let n = view.n_operands().checked_sub(n_last + 1).ok_or("too few operands")?;
    Ok(many(move |machine, operands| {
        let memory = machine.view(&operands[0])?;
        let base = machine.ints(&operands[1..1 + n])?;
        let last = &operands[1 + n..];
        let (mask, lanes) = (&last[n_last - 2], &last[n_last - 1]);
        let mut packed = 0;
        for (lane, (on, value)) in mask.scalars().iter().zip(lanes.scalars()).enumerate() {
            if machine.int_of(on)? == 0 {
                continue;
            }
            let by = offset(machine, &name, last, lane, &mut packed)?;
            let index = lane_index(machine, &base, by)?;
            machine.store(&memory, &index, &Value::Scalar(value.clone()))?;
        }
        Ok(Vec::new())
    }))
}

/// The index of an element so far behind the first one; memory without dimensions has no other.
fn lane_index(machine: &mut Machine<'_>, base: &[i64], by: i64) -> Run<Vec<i64>> {
    match super::shifted(base, &[by]) {
        Some(index) => Ok(index),
        None if by == 0 => Ok(base.to_vec()),
        None => machine.unsupported("an index outside of memory"),
    }
}

/// Returns the distance of the element of a lane from the first one.
fn offset(
    machine: &mut Machine<'_>,
    name: &str,
    last: &[Value],
    lane: usize,
    packed: &mut i64,
) -> Run<i64> {
    match name {
        "gather" | "scatter" => match last[0].scalars().get(lane).cloned() {
            Some(at) => machine.int_of(&at),
            None => machine.unsupported("positions of another shape"),
        },
        "expandload" | "compressstore" => {
            *packed += 1;
            Ok(*packed - 1)
        }
        _ => Ok(lane as i64),
    }
}

//! linalg: structured operations on memory and tensors, point by point in row-major order.
//!
//! An operation with a region runs it at each point. Named ones, whose regions the texts leave out, are in `named`.

mod named;

use super::{
    attrs::{Decoded, OpView},
    decode::{Code, compute, nest},
    frames::{Nest, Next},
    machine::{Machine, Run},
    value::{Value, int, position},
};
use ir::text::affine::{Affine, Map};

/// Reads an operation of linalg.
pub(super) fn decode(view: &OpView<'_>) -> Decoded<Option<Code>> {
    Ok(Some(match view.name {
        "yield" => Code::End,
        "index" => {
            let dim = usize::try_from(view.int("dim")?).unwrap_or(usize::MAX);
            compute(move |machine, _| match machine.points.last().and_then(|it| it.get(dim)) {
                Some(&at) => Ok(int(at)),
                None => machine.unsupported("a dimension outside of an operation"),
            })
        }
        "generic" => {
            let segments = view.segments().ok_or("its segments")?;
            let n_ins = segments.first().copied().unwrap_or(0);
            let maps = view.maps("indexing_maps")?;
            regions(view, n_ins, maps, true)?
        }
        "map" => {
            let n = view.n_operands();
            let n_ins = n.checked_sub(1).ok_or("too few operands")?;
            let maps = vec![identity(rank(view, n_ins)?); n];
            regions(view, n_ins, maps, false)?
        }
        "reduce" => {
            let n_ins = view.n_operands() / 2;
            let dims = view.ints("dimensions")?;
            let all = rank(view, 0)?;
            let kept = (0..all).filter(|it| !dims.contains(&(*it as i64)));
            let out = Map::new(all, 0, kept.map(Affine::Dim).collect());
            let mut maps = vec![identity(all); n_ins];
            maps.extend(vec![out; n_ins]);
            regions(view, n_ins, maps, true)?
        }
        _ => return named::decode(view),
    }))
}

fn identity(rank: usize) -> Map {
    Map::new(rank, 0, (0..rank).map(Affine::Dim).collect())
}

fn rank(view: &OpView<'_>, at: usize) -> Decoded<usize> {
    use super::types::Ty;
    match view.operand_ty(at) {
        Ty::Memref(memref) => Ok(memref.shape.len()),
        Ty::Tensor(shape, _) => Ok(shape.len()),
        _ => Err("its operands".to_owned()),
    }
}

/// An operation whose region runs at each point.
fn regions(view: &OpView<'_>, n_ins: usize, maps: Vec<Map>, with_outs: bool) -> Decoded<Code> {
    if super::scf::is_empty(view, 0) {
        return Err("its region is not in the text".to_owned());
    }
    if maps.len() != view.n_operands() || n_ins > maps.len() {
        return Err("its maps".to_owned());
    }
    let n_results = view.body.ops[view.op].results.len();
    Ok(nest(move |machine, operands| {
        let space = Space::of(machine, &maps, operands)?;
        let mut state = Points {
            space,
            operands: operands.to_vec(),
            maps: maps.clone(),
            n_ins,
            with_outs,
            n_results,
        };
        if state.space.is_empty() {
            let results = state.results();
            return Ok((state, Next::Done(results)));
        }
        machine.points.push(state.space.at.clone());
        let next = state.enter(machine)?;
        Ok((state, next))
    }))
}

/// The points of an operation.
pub(super) struct Space {
    size: Vec<i64>,
    pub(super) at: Vec<i64>,
}

impl Space {
    /// From the shapes of operands, by maps that give a dimension as it is.
    pub(super) fn of(machine: &Machine<'_>, maps: &[Map], operands: &[Value]) -> Run<Space> {
        let shapes: Vec<(&Map, &[i64])> =
            maps.iter().zip(operands).map(|(map, it)| (map, it.shape())).collect();
        match super::vector::iteration_space(&shapes) {
            Some(size) => Ok(Space { at: vec![0; size.len()], size }),
            None => machine.unsupported("a dimension whose extent no operand says"),
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.size.iter().any(|it| *it <= 0)
    }

    /// The next point; whether there is one.
    pub(super) fn advance(&mut self) -> bool {
        for dim in (0..self.at.len()).rev() {
            self.at[dim] += 1;
            if self.at[dim] < self.size[dim] {
                return true;
            }
            self.at[dim] = 0;
        }
        false
    }
}

struct Points {
    space: Space,
    operands: Vec<Value>,
    maps: Vec<Map>,
    n_ins: usize,
    with_outs: bool,
    n_results: usize,
}

impl Points {
    fn results(&self) -> Vec<Value> {
        self.operands[self.n_ins..].iter().take(self.n_results).cloned().collect()
    }

    fn enter(&mut self, machine: &mut Machine<'_>) -> Run<Next> {
        let n = if self.with_outs { self.operands.len() } else { self.n_ins };
        let mut args = Vec::with_capacity(n);
        for (operand, map) in self.operands.iter().zip(&self.maps).take(n) {
            args.push(read(machine, operand, map, &self.space.at)?);
        }
        Ok(Next::enter(0, args))
    }
}

impl Nest for Points {
    fn ended(&mut self, machine: &mut Machine<'_>, values: Vec<Value>) -> Run<Next> {
        let outs = self.operands[self.n_ins..].iter_mut().zip(&self.maps[self.n_ins..]);
        for ((out, map), value) in outs.zip(values) {
            write(machine, out, map, &self.space.at, &value)?;
        }
        if !self.space.advance() {
            machine.points.pop();
            return Ok(Next::Done(self.results()));
        }
        if let Some(point) = machine.points.last_mut() {
            point.clone_from(&self.space.at);
        }
        self.enter(machine)
    }
}

/// The element of an operand at a point; a scalar is the same at all.
pub(super) fn read(
    machine: &mut Machine<'_>,
    operand: &Value,
    map: &Map,
    point: &[i64],
) -> Run<Value> {
    let Some(index) = map.evaluate(point, &[]) else {
        return machine.unsupported("a map that has no value here");
    };
    match operand {
        Value::View(view) => machine.load(view, &index),
        Value::Elements(it) => match it.values.get(position(&it.shape, &index)) {
            Some(value) if index.len() == it.shape.len() => Ok(Value::Scalar(value.clone())),
            _ => machine.unsupported("a point outside of a tensor"),
        },
        scalar => Ok(scalar.clone()),
    }
}

/// Writes the element of an output at a point.
pub(super) fn write(
    machine: &mut Machine<'_>,
    out: &mut Value,
    map: &Map,
    point: &[i64],
    value: &Value,
) -> Run<()> {
    let Some(index) = map.evaluate(point, &[]) else {
        return machine.unsupported("a map that has no value here");
    };
    match (out, value) {
        (Value::View(view), value) => machine.store(&view.clone(), &index, value),
        (Value::Elements(it), Value::Scalar(value)) => {
            let at = position(&it.shape, &index);
            // The first write copies the tensor, the others find it their own.
            match std::rc::Rc::make_mut(it).values.get_mut(at) {
                Some(slot) => {
                    *slot = value.clone();
                    Ok(())
                }
                None => machine.unsupported("a point outside of a tensor"),
            }
        }
        _ => machine.unsupported("an output that has no elements"),
    }
}

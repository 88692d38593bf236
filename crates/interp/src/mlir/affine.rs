//! affine: maps applied, loops with maps as bounds, accesses by maps.

use super::super::{EventKind, RunErrorKind, ops::Val};
use super::{
    attrs::{Decoded, OpView, integers},
    decode::{Code, compute, many, nest},
    frames::{Nest, Next},
    machine::{Machine, Run},
    memref,
    scf::{Grid, Once, VARIABLE, begin_loop, either, is_empty},
    types::Ty,
    value::{Value, int},
    vector,
};
use ir::text::affine::Map;

/// Reads an operation of affine.
pub(super) fn decode(view: &OpView<'_>) -> Decoded<Option<Code>> {
    Ok(Some(match view.name {
        "yield" => Code::End,
        "apply" | "min" | "max" => {
            let map = view.map("map")?;
            let name = view.name.to_owned();
            compute(move |machine, operands| {
                let values = apply(machine, &map, operands)?;
                let value = match &*name {
                    "min" => values.iter().min(),
                    "max" => values.iter().max(),
                    _ => values.first(),
                };
                match value {
                    Some(&value) => Ok(int(value)),
                    None => machine.unsupported("a map without a result"),
                }
            })
        }
        "load" => {
            view.need(1)?;
            let map = view.map("map")?;
            compute(move |machine, operands| {
                let memory = machine.view(&operands[0])?;
                let index = apply(machine, &map, &operands[1..])?;
                machine.load(&memory, &index)
            })
        }
        "store" => {
            view.need(2)?;
            let map = view.map("map")?;
            many(move |machine, operands| {
                let memory = machine.view(&operands[1])?;
                let index = apply(machine, &map, &operands[2..])?;
                machine.store(&memory, &index, &operands[0])?;
                Ok(Vec::new())
            })
        }
        "vector_load" => {
            view.need(1)?;
            let (map, ty) = (view.map("map")?, view.result_ty(0));
            let Ty::Vector(shape, _) = ty else { return view.unsupported("its type") };
            compute(move |machine, operands| {
                let memory = machine.view(&operands[0])?;
                let index = apply(machine, &map, &operands[1..])?;
                vector::load(machine, &memory, &index, &shape)
            })
        }
        "vector_store" => {
            view.need(2)?;
            let map = view.map("map")?;
            many(move |machine, operands| {
                let memory = machine.view(&operands[1])?;
                let index = apply(machine, &map, &operands[2..])?;
                vector::store(machine, &memory, &index, &operands[0])?;
                Ok(Vec::new())
            })
        }
        "prefetch" => many(|_, _| Ok(Vec::new())),
        "if" => condition(view)?,
        "for" => loop_(view)?,
        "parallel" => parallel(view)?,
        "linearize_index" => linearize(view)?,
        "delinearize_index" => delinearize(view)?,
        _ => return Ok(None),
    }))
}

/// The results of a map for operands: dimensions, then symbols.
pub(super) fn apply(machine: &mut Machine<'_>, map: &Map, operands: &[Value]) -> Run<Vec<i64>> {
    let values = machine.ints(operands)?;
    if values.len() != map.dims + map.symbols {
        return machine.unsupported("a map with another number of operands");
    }
    let (dims, symbols) = values.split_at(map.dims);
    match map.evaluate(dims, symbols) {
        Some(values) => Ok(values),
        None => machine
            .fail(RunErrorKind::Program, "a map divides by what is not positive, or overflows"),
    }
}

fn condition(view: &OpView<'_>) -> Decoded<Code> {
    let set = view.map("condition")?;
    let Some(equations) = set.equations.clone() else { return Err("its condition".to_owned()) };
    let has_else = !is_empty(view, 1);
    Ok(nest(move |machine, operands| {
        let values = apply(machine, &set, operands)?;
        let holds = values
            .iter()
            .zip(&equations)
            .all(|(&value, &equation)| if equation { value == 0 } else { value >= 0 });
        Ok((Once, either(usize::from(!holds), has_else)))
    }))
}

fn loop_(view: &OpView<'_>) -> Decoded<Code> {
    let (lower, upper) = (view.map("lowerBoundMap")?, view.map("upperBoundMap")?);
    let step = view.int("step")?;
    let (n_lower, n_upper) = (lower.dims + lower.symbols, upper.dims + upper.symbols);
    view.need(n_lower + n_upper)?;
    Ok(nest(move |machine, operands| {
        let (bounds, inits) = operands.split_at(n_lower + n_upper);
        let from = apply(machine, &lower, &bounds[..n_lower])?.into_iter().max();
        let to = apply(machine, &upper, &bounds[n_lower..])?.into_iter().min();
        match (from, to) {
            (Some(from), Some(to)) => {
                begin_loop(machine, VARIABLE, [from, to, step], inits.to_vec())
            }
            _ => machine.unsupported("a loop without bounds"),
        }
    }))
}

// ---- parallel ----

/// A parallel loop that combines the results of its iterations.
struct Parallel {
    grid: Grid,
    kinds: Vec<i64>,
    dtypes: Vec<ir::DataType>,
    sums: Vec<Option<Value>>,
}

impl Nest for Parallel {
    fn ended(&mut self, machine: &mut Machine<'_>, values: Vec<Value>) -> Run<Next> {
        for (at, value) in values.into_iter().enumerate() {
            let (Some(slot), Some(&kind), Some(&dtype)) =
                (self.sums.get_mut(at), self.kinds.get(at), self.dtypes.get(at))
            else {
                return machine.unsupported("values without a reduction");
            };
            *slot = Some(match slot.take() {
                None => value,
                Some(sum) => super::lanes::lift(machine, &[sum, value], &mut |machine, lane| {
                    memref::combine(machine, kind, dtype, &lane[0], &lane[1])
                })?,
            });
        }
        match self.grid.ended(machine, Vec::new())? {
            Next::Enter { region, args, .. } => Ok(Next::enter(region, args)),
            Next::Done(_) => Ok(Next::Done(self.sums.iter().flatten().cloned().collect())),
        }
    }
}

fn parallel(view: &OpView<'_>) -> Decoded<Code> {
    let (lower, upper) = (view.map("lowerBoundsMap")?, view.map("upperBoundsMap")?);
    let groups = |name: &str| view.attr(name).and_then(integers).ok_or("its groups");
    let (lower_groups, upper_groups) = (groups("lowerBoundsGroups")?, groups("upperBoundsGroups")?);
    let (steps, kinds) = (view.ints("steps")?, view.ints("reductions").unwrap_or_default());
    let n_results = view.body.ops[view.op].results.len();
    let dtypes: Decoded<Vec<_>> = (0..n_results).map(|at| view.result_dtype(at)).collect();
    let dtypes = dtypes?;
    if steps.len() != lower_groups.len() || steps.len() != upper_groups.len() {
        return Err("its bounds".to_owned());
    }
    let n_lower = lower.dims + lower.symbols;
    view.need(n_lower)?;
    Ok(nest(move |machine, operands| {
        let from = apply(machine, &lower, &operands[..n_lower])?;
        let to = apply(machine, &upper, &operands[n_lower..])?;
        let from = grouped(&from, &lower_groups, |it| it.iter().copied().max());
        let to = grouped(&to, &upper_groups, |it| it.iter().copied().min());
        let (Some(from), Some(to)) = (from, to) else {
            return machine.unsupported("bounds that do not fit");
        };
        let (grid, next) = Grid::begin(machine, from, to, steps.clone(), Vec::new())?;
        let sums = vec![None; n_results];
        let state = Parallel { grid, kinds: kinds.clone(), dtypes: dtypes.clone(), sums };
        match next {
            Next::Enter { region, args, .. } => Ok((state, Next::enter(region, args))),
            Next::Done(_) if n_results > 0 => machine.unsupported("a reduction of no iteration"),
            done => Ok((state, done)),
        }
    }))
}

/// The largest or smallest of each group.
fn grouped(values: &[i64], groups: &[i64], pick: fn(&[i64]) -> Option<i64>) -> Option<Vec<i64>> {
    let mut rest = values;
    let mut res = Vec::new();
    for &n in groups {
        let (group, behind) = rest.split_at_checked(usize::try_from(n).ok()?)?;
        res.push(pick(group)?);
        rest = behind;
    }
    Some(res)
}

// ---- linear indices ----

/// The basis: its sizes that are not known are the operands behind `skip` others.
fn linearize(view: &OpView<'_>) -> Decoded<Code> {
    let basis = view.ints("static_basis")?;
    let segments = view.segments().unwrap_or_default();
    let n = segments.first().copied().unwrap_or(view.n_operands());
    view.need(n)?;
    Ok(compute(move |machine, operands| {
        let index = machine.ints(&operands[..n])?;
        let sizes = machine.sizes(&basis, &mut &operands[n..])?;
        // A basis of one size less has no outermost bound.
        let sizes = &sizes[sizes.len().saturating_sub(n.saturating_sub(1))..];
        let mut value = index.first().copied().unwrap_or(0);
        for (&size, &at) in sizes.iter().zip(index.iter().skip(1)) {
            value = value.wrapping_mul(size).wrapping_add(at);
        }
        Ok(int(value))
    }))
}

fn delinearize(view: &OpView<'_>) -> Decoded<Code> {
    view.need(1)?;
    let basis = view.ints("static_basis")?;
    let n = view.body.ops[view.op].results.len();
    Ok(many(move |machine, operands| {
        let mut value = machine.int(&operands[0])?;
        let sizes = machine.sizes(&basis, &mut &operands[1..])?;
        let sizes = &sizes[sizes.len().saturating_sub(n.saturating_sub(1))..];
        let mut res = Vec::with_capacity(n);
        for &size in sizes.iter().rev() {
            if size <= 0 {
                let kind = EventKind::DivisionByZero;
                machine.error(kind, || kind.message().to_owned())?;
                res.push(Value::Scalar(Val::Unit));
                continue;
            }
            res.push(int(value.rem_euclid(size)));
            value = value.div_euclid(size);
        }
        if res.len() < n {
            res.push(int(value));
        }
        res.reverse();
        Ok(res)
    }))
}

//! memref: memory, views of it, accesses; and the operations that bufferization inserts between tensors and memory.
//! Also the operations that bufferization inserts between tensors and memory.
//!
//! Sizes, offsets and strides are those of the operands; the run does not check them against numbers in a type.

use std::rc::Rc;

use super::super::{EventKind, ops::Val};
use super::{
    arith,
    attrs::{DYNAMIC, Decoded, OpView, constant, integer_lists},
    decode::{Code, compute, many, nest},
    frames::{Nest, Next},
    machine::{Machine, Run},
    memory::dense,
    types::{MemrefTy, Ty, count, row_major},
    value::{Value, View, elements, indices, int},
};
use ir::DataType;

/// Reads an operation of memref or bufferization.
pub(super) fn decode(view: &OpView<'_>) -> Decoded<Option<Code>> {
    Ok(Some(match view.name {
        "alloc" | "alloca" => allocation(view)?,
        "dealloc" => {
            view.need(1)?;
            many(|machine, operands| {
                let view = machine.view(&operands[0])?;
                machine.free(&view)?;
                Ok(Vec::new())
            })
        }
        "load" => {
            view.need(1)?;
            compute(|machine, operands| {
                let (view, index) = access(machine, operands)?;
                machine.load(&view, &index)
            })
        }
        "store" => {
            view.need(2)?;
            many(|machine, operands| {
                let (view, index) = access(machine, &operands[1..])?;
                machine.store(&view, &index, &operands[0])?;
                Ok(Vec::new())
            })
        }
        "copy" => {
            view.need(2)?;
            many(|machine, operands| {
                let (from, to) = (machine.view(&operands[0])?, machine.view(&operands[1])?);
                machine.copy(&from, &to)?;
                Ok(Vec::new())
            })
        }
        "prefetch" => many(|_, _| Ok(Vec::new())),
        "assume_alignment" => {
            view.need(1)?;
            let n = view.body.ops[view.op].results.len().min(1);
            many(move |_, operands| Ok(operands[..n].to_vec()))
        }
        "dim" => {
            view.need(2)?;
            compute(dimension)
        }
        "rank" => {
            view.need(1)?;
            compute(|_, operands| Ok(int(operands[0].shape().len() as i64)))
        }
        "cast" | "memory_space_cast" => {
            view.need(1)?;
            let wanted = match view.result_ty(0) {
                Ty::Memref(memref) => Some(memref.shape),
                _ => None,
            };
            compute(move |machine, operands| {
                let view = machine.view(&operands[0])?;
                if let Some(shape) = &wanted
                    && !super::value::fits(shape, &view.shape)
                {
                    machine.error(EventKind::FailedAssertion, || {
                        format!("memory of extents {:?} is cast to {shape:?}", view.shape)
                    })?;
                }
                Ok(operands[0].clone())
            })
        }
        "get_global" => global(view)?,
        "atomic_rmw" => atomic(view)?,
        "generic_atomic_rmw" => {
            view.need(1)?;
            nest(|machine, operands| {
                let (view, index) = access(machine, operands)?;
                let value = machine.load(&view, &index)?;
                Ok((Atomic { view, index }, Next::enter(0, vec![value])))
            })
        }
        "atomic_yield" | "alloca_scope.return" => Code::End,
        "alloca_scope" => nest(|_, _| Ok((super::scf::Once, Next::enter(0, Vec::new())))),
        "to_tensor" | "to_memref" | "to_buffer" | "clone" | "alloc_tensor" => bufferization(view)?,
        _ => return views(view),
    }))
}

/// The view and the index of an access.
pub(super) fn access(machine: &mut Machine<'_>, operands: &[Value]) -> Run<(Rc<View>, Vec<i64>)> {
    let Some((first, rest)) = operands.split_first() else {
        return machine.unsupported("an access of nothing");
    };
    Ok((machine.view(first)?, machine.ints(rest)?))
}

/// `dim` of memory or a tensor.
pub(super) fn dimension(machine: &mut Machine<'_>, operands: &[Value]) -> Run<Value> {
    let at = machine.int(&operands[1])?;
    let size = usize::try_from(at).ok().and_then(|at| operands[0].shape().get(at).copied());
    match size {
        Some(size) => Ok(int(size)),
        None => {
            machine.error(EventKind::OutOfBounds, || format!("there is no dimension {at}"))?;
            Ok(int(0))
        }
    }
}

// ---- memory ----

fn memref_ty(ty: Ty) -> Decoded<MemrefTy> {
    match ty {
        Ty::Memref(memref) => Ok(*memref),
        _ => Err("memory of this type".to_owned()),
    }
}

fn allocation(view: &OpView<'_>) -> Decoded<Code> {
    let ty = memref_ty(view.result_ty(0))?;
    let sizes: Vec<i64> = ty.shape.iter().map(|it| it.unwrap_or(DYNAMIC)).collect();
    Ok(compute(move |machine, operands| {
        let mut rest = operands;
        let shape = machine.sizes(&sizes, &mut rest)?;
        if shape.iter().any(|it| *it < 0) {
            return machine.fail(super::super::RunErrorKind::Program, "a negative size");
        }
        let symbols = machine.ints(rest)?;
        Ok(Value::View(Rc::new(machine.allocate(&ty, shape, &symbols)?)))
    }))
}

fn global(view: &OpView<'_>) -> Decoded<Code> {
    let name = view.attr("name").unwrap_or_default();
    let name = name.trim_start_matches('@').trim_matches('"').to_owned();
    Ok(compute(move |machine, _| {
        if let Some(view) = machine.globals.get(&name) {
            return Ok(Value::View(view.clone()));
        }
        let view = Rc::new(make_global(machine, &name)?);
        machine.globals.insert(name.clone(), view.clone());
        Ok(Value::View(view))
    }))
}

/// Memory of a global with its initial value.
fn make_global(machine: &mut Machine<'_>, name: &str) -> Run<View> {
    let Some(&(body, op)) = machine.program.globals.get(name) else {
        return machine.unsupported(format!("memref.get_global of @{name}, which is not here"));
    };
    let global = OpView { body: machine.program.bodies[body], op, name: "global" };
    let Ty::Memref(ty) = Ty::read(global.attr("type").unwrap_or_default()) else {
        return machine.unsupported("a global of this type");
    };
    let shape: Option<Vec<i64>> = ty.shape.iter().copied().collect();
    let view = machine.allocate(&ty, shape.unwrap_or_default(), &[])?;
    match global.attr("initial_value") {
        None => return machine.unsupported("a global without a value here"),
        Some("unit") => {}
        Some(text) => {
            let Some(value) = constant(text) else {
                return machine.unsupported("the initial value of a global");
            };
            for (index, value) in indices(&view.shape).zip(value.scalars()) {
                machine.store(&view, &index, &Value::Scalar(value.clone()))?;
            }
        }
    }
    Ok(view)
}

// ---- atomics ----

/// The operator of an atomic, by its number in the enumeration.
fn atomic(view: &OpView<'_>) -> Decoded<Code> {
    view.need(2)?;
    let dtype = view.operand_dtype(0)?;
    let kind = view.int("kind")?;
    combine_kind(kind).ok_or("an unknown kind")?;
    Ok(compute(move |machine, operands| {
        let (view, index) = access(machine, &operands[1..])?;
        let old = machine.load(&view, &index)?;
        let (Value::Scalar(a), Value::Scalar(b)) = (&old, &operands[0]) else {
            return machine.unsupported("an atomic on a vector");
        };
        let new = combine(machine, kind, dtype, a, b)?;
        machine.store(&view, &index, &Value::Scalar(new))?;
        Ok(old)
    }))
}

/// Operators of `arith.AtomicRMWKind`, in its order.
const KINDS: [&str; 15] = [
    "addf", "addi", "assign", "maximumf", "maxsi", "maxui", "minimumf", "minsi", "minui", "mulf",
    "muli", "ori", "andi", "maxnumf", "minnumf",
];

fn combine_kind(kind: i64) -> Option<&'static str> {
    KINDS.get(usize::try_from(kind).ok()?).copied()
}

/// `a op b` by the number of an atomic operator.
pub(super) fn combine(
    machine: &mut Machine<'_>,
    kind: i64,
    dtype: DataType,
    a: &Val,
    b: &Val,
) -> Run<Val> {
    match combine_kind(kind) {
        Some("assign") => Ok(b.clone()),
        Some(name) => arith::combine(machine, name, dtype, a, b),
        None => machine.unsupported("an unknown operator"),
    }
}

struct Atomic {
    view: Rc<View>,
    index: Vec<i64>,
}

impl Nest for Atomic {
    fn ended(&mut self, machine: &mut Machine<'_>, values: Vec<Value>) -> Run<Next> {
        if let Some(value) = values.first() {
            machine.store(&self.view, &self.index, value)?;
        }
        Ok(Next::Done(values))
    }
}

// ---- views ----

/// How offsets, sizes and strides are given.
struct Slices {
    offsets: Vec<i64>,
    sizes: Vec<i64>,
    strides: Vec<i64>,
}

impl Slices {
    fn of(view: &OpView<'_>) -> Decoded<Slices> {
        Ok(Slices {
            offsets: view.ints("static_offsets")?,
            sizes: view.ints("static_sizes")?,
            strides: view.ints("static_strides")?,
        })
    }
}

/// Returns the extents that a type of fewer dimensions keeps: those of extent 1 that it does not have are dropped.
pub(super) fn kept(sizes: &[i64], wanted: &[Option<i64>]) -> Option<Vec<usize>> {
    let mut res = Vec::with_capacity(wanted.len());
    let mut spare = sizes.len().checked_sub(wanted.len())?;
    for (at, &size) in sizes.iter().enumerate() {
        let fits = wanted.get(res.len()).is_some_and(|it| it.is_none_or(|it| it == size));
        // A dynamic extent never is one that is dropped, unless nothing else can be.
        let drop = size == 1 && spare > 0 && wanted.get(res.len()).is_none_or(|it| *it != Some(1));
        if fits && !drop {
            res.push(at);
        } else if size == 1 && spare > 0 {
            spare -= 1;
        } else {
            return None;
        }
    }
    (res.len() == wanted.len()).then_some(res)
}

fn views(view: &OpView<'_>) -> Decoded<Option<Code>> {
    Ok(Some(match view.name {
        "subview" => {
            view.need(1)?;
            let (slices, ty) = (Slices::of(view)?, memref_ty(view.result_ty(0))?);
            compute(move |machine, operands| subview(machine, &slices, &ty, operands))
        }
        "reinterpret_cast" => {
            view.need(1)?;
            let slices = Slices::of(view)?;
            compute(move |machine, operands| {
                let old = machine.view(&operands[0])?;
                let mut rest = &operands[1..];
                let offsets = machine.sizes(&slices.offsets, &mut rest)?;
                let shape = machine.sizes(&slices.sizes, &mut rest)?;
                let strides = machine.sizes(&slices.strides, &mut rest)?;
                let offset = offsets.first().copied().unwrap_or(0);
                Ok(Value::View(Rc::new(View { offset, shape, strides, ..(*old).clone() })))
            })
        }
        "transpose" => {
            view.need(1)?;
            let map = view.map("permutation")?;
            compute(move |machine, operands| {
                let old = machine.view(&operands[0])?;
                let pick = |list: &[i64]| map.evaluate(list, &[]);
                match (pick(&old.shape), pick(&old.strides)) {
                    (Some(shape), Some(strides)) => {
                        Ok(Value::View(Rc::new(View { shape, strides, ..(*old).clone() })))
                    }
                    _ => machine.unsupported("a permutation that does not fit"),
                }
            })
        }
        "collapse_shape" | "expand_shape" => reshaped(view)?,
        "view" => {
            view.need(2)?;
            let ty = memref_ty(view.result_ty(0))?;
            let sizes: Vec<i64> = ty.shape.iter().map(|it| it.unwrap_or(DYNAMIC)).collect();
            compute(move |machine, operands| {
                let old = machine.view(&operands[0])?;
                let base = machine.int(&operands[1])?.saturating_add(old.base + old.offset);
                let mut rest = &operands[2..];
                let shape = machine.sizes(&sizes, &mut rest)?;
                let view = dense(old.storage, base, shape, ty.dtype);
                Ok(Value::View(Rc::new(View { lanes: ty.lanes.clone(), ..view })))
            })
        }
        "reshape" => {
            view.need(2)?;
            compute(|machine, operands| {
                let (old, sizes) = (machine.view(&operands[0])?, machine.view(&operands[1])?);
                let mut shape = Vec::new();
                for index in indices(&sizes.shape) {
                    let size = machine.load(&sizes, &index)?;
                    shape.push(machine.int(&size)?);
                }
                let strides = row_major(&shape);
                Ok(Value::View(Rc::new(View { shape, strides, ..(*old).clone() })))
            })
        }
        "extract_strided_metadata" => {
            view.need(1)?;
            many(|machine, operands| {
                let old = machine.view(&operands[0])?;
                let base =
                    View { offset: 0, shape: Vec::new(), strides: Vec::new(), ..(*old).clone() };
                let mut res = vec![Value::View(Rc::new(base)), int(old.offset)];
                res.extend(old.shape.iter().chain(&old.strides).map(|&it| int(it)));
                Ok(res)
            })
        }
        _ => return Ok(None),
    }))
}

fn subview(
    machine: &mut Machine<'_>,
    slices: &Slices,
    ty: &MemrefTy,
    operands: &[Value],
) -> Run<Value> {
    let old = machine.view(&operands[0])?;
    let mut rest = &operands[1..];
    let offsets = machine.sizes(&slices.offsets, &mut rest)?;
    let sizes = machine.sizes(&slices.sizes, &mut rest)?;
    let steps = machine.sizes(&slices.strides, &mut rest)?;
    if offsets.len() != old.strides.len() || sizes.len() != old.strides.len() {
        return machine.unsupported("a slice of another rank");
    }
    let skipped = offsets.iter().zip(&old.strides).map(|(a, b)| a.wrapping_mul(*b));
    let offset = skipped.fold(old.offset, i64::wrapping_add);
    let all: Vec<i64> = steps.iter().zip(&old.strides).map(|(a, b)| a.wrapping_mul(*b)).collect();
    let Some(kept) = kept(&sizes, &ty.shape) else {
        return machine.unsupported("a slice that does not fit its type");
    };
    let shape = kept.iter().map(|&at| sizes[at]).collect();
    let strides = kept.iter().filter_map(|&at| all.get(at).copied()).collect();
    Ok(Value::View(Rc::new(View { offset, shape, strides, ..(*old).clone() })))
}

/// `collapse_shape` and `expand_shape`.
fn reshaped(view: &OpView<'_>) -> Decoded<Code> {
    view.need(1)?;
    let groups = view.attr("reassociation").and_then(integer_lists).ok_or("its groups")?;
    let is_collapse = view.name == "collapse_shape";
    let ty = memref_ty(view.result_ty(0))?;
    let sizes = view
        .ints("static_output_shape")
        .unwrap_or_else(|_| ty.shape.iter().map(|it| it.unwrap_or(DYNAMIC)).collect());
    Ok(compute(move |machine, operands| {
        let old = machine.view(&operands[0])?;
        let mut rest = &operands[1..];
        let (shape, strides) = if is_collapse {
            collapsed(machine, &old, &groups)?
        } else {
            let shape = expanded_shape(machine, &old.shape, &groups, &sizes, &mut rest)?;
            let mut strides = vec![1; shape.len()];
            for ((group, &stride), &whole) in groups.iter().zip(&old.strides).zip(&old.shape) {
                let size = |&at: &i64| shape.get(usize::try_from(at).ok()?).copied();
                let parts = group.iter().map(size).try_fold(1i64, |n, it| n.checked_mul(it?));
                if parts != Some(whole) {
                    return machine.unsupported("a shape of another size");
                }
                let mut next = stride;
                for &at in group.iter().rev() {
                    let at = usize::try_from(at).unwrap_or(usize::MAX);
                    let (Some(slot), Some(&size)) = (strides.get_mut(at), shape.get(at)) else {
                        return machine.unsupported("groups that do not fit");
                    };
                    *slot = next;
                    next = next.wrapping_mul(size.max(1));
                }
            }
            (shape, strides)
        };
        Ok(Value::View(Rc::new(View { shape, strides, ..(*old).clone() })))
    }))
}

fn collapsed(machine: &Machine<'_>, old: &View, groups: &[Vec<i64>]) -> Run<(Vec<i64>, Vec<i64>)> {
    let (mut shape, mut strides) = (Vec::new(), Vec::new());
    for group in groups {
        let at = |it: &i64| usize::try_from(*it).unwrap_or(usize::MAX);
        let sizes: Option<Vec<i64>> =
            group.iter().map(|it| old.shape.get(at(it)).copied()).collect();
        let Some(sizes) = sizes else { return machine.unsupported("groups that do not fit") };
        shape.push(sizes.iter().fold(1i64, |all, it| all.wrapping_mul(*it)));
        // The stride of the last extent that is not 1.
        let last = group.iter().rev().find(|it| old.shape[at(it)] != 1).or(group.last());
        strides.push(last.and_then(|it| old.strides.get(at(it)).copied()).unwrap_or(1));
    }
    Ok((shape, strides))
}

/// The extents of an expanded shape: an unknown one in a group follows from the others.
pub(super) fn expanded_shape(
    machine: &mut Machine<'_>,
    old: &[i64],
    groups: &[Vec<i64>],
    sizes: &[i64],
    rest: &mut &[Value],
) -> Run<Vec<i64>> {
    let n_unknown = sizes.iter().filter(|it| **it == DYNAMIC).count();
    if rest.len() >= n_unknown {
        return machine.sizes(sizes, rest);
    }
    let mut shape = sizes.to_vec();
    for (group, &whole) in groups.iter().zip(old) {
        let at = |it: &i64| usize::try_from(*it).unwrap_or(usize::MAX);
        let known = group.iter().filter_map(|it| shape.get(at(it))).filter(|it| **it != DYNAMIC);
        let known = known.fold(1i64, |all, it| all.wrapping_mul(*it));
        for it in group {
            if let Some(size) = shape.get_mut(at(it))
                && *size == DYNAMIC
            {
                *size = whole / known.max(1);
            }
        }
    }
    Ok(shape)
}

// ---- tensors ----

/// Tensors are values: each conversion copies.
fn bufferization(view: &OpView<'_>) -> Decoded<Code> {
    Ok(match view.name {
        "to_tensor" => {
            view.need(1)?;
            compute(|machine, operands| {
                let view = machine.view(&operands[0])?;
                let mut values = Vec::new();
                for index in indices(&view.shape) {
                    values.extend_from_slice(machine.load(&view, &index)?.scalars());
                }
                Ok(elements(view.shape.clone(), values))
            })
        }
        "clone" => {
            view.need(1)?;
            let ty = memref_ty(view.result_ty(0))?;
            compute(move |machine, operands| {
                let old = machine.view(&operands[0])?;
                let new = machine.allocate(&ty, old.shape.clone(), &[])?;
                machine.copy(&old, &new)?;
                Ok(Value::View(Rc::new(new)))
            })
        }
        "to_memref" | "to_buffer" => {
            view.need(1)?;
            let ty = memref_ty(view.result_ty(0))?;
            compute(move |machine, operands| {
                let shape = operands[0].shape().to_vec();
                let new = machine.allocate(&ty, shape.clone(), &[])?;
                for (index, value) in indices(&shape).zip(operands[0].scalars()) {
                    machine.store(&new, &index, &Value::Scalar(value.clone()))?;
                }
                Ok(Value::View(Rc::new(new)))
            })
        }
        _ => {
            let Ty::Tensor(shape, _) = view.result_ty(0) else { return Err("its type".to_owned()) };
            let segments = view.segments().unwrap_or_default();
            let (n_sizes, has_copy) =
                (segments.first().copied().unwrap_or(0), segments.get(1).is_some_and(|it| *it > 0));
            if has_copy {
                view.need(n_sizes + 1)?;
                return Ok(compute(move |_, operands| Ok(operands[n_sizes].clone())));
            }
            let sizes: Vec<i64> = shape.iter().map(|it| it.unwrap_or(DYNAMIC)).collect();
            compute(move |machine, operands| {
                let shape = machine.sizes(&sizes, &mut &*operands)?;
                let Some(n) = count(&shape) else {
                    return machine.unsupported("a tensor of this size");
                };
                Ok(elements(shape, vec![Val::Unit; n]))
            })
        }
    })
}

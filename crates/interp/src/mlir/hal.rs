//! hal and related dialects: the inputs that a runtime gives to a kernel of IREE, memory by the number of a binding and
//! the place of a workgroup.
//!
//! A binding is memory of the requested size whose words are small floats that follow from their place. The changes
//! that a kernel made to it are part of the outcome ([`super::Outcome::bound`]).

use std::{collections::BTreeMap, rc::Rc};

use super::super::{
    RunErrorKind,
    memory::{PATTERN, Storage},
};
use super::{
    attrs::{DYNAMIC, Decoded, OpView},
    decode::{Code, compute},
    machine::{Machine, Run},
    memory::extent,
    types::{MemrefTy, Ty},
    value::{Value, View, int},
};

/// Bytes of a binding, at most.
const MAX_BYTES: usize = 1 << 28;

/// Reads an operation of hal, iree_codegen or amdgpu.
pub(super) fn decode(view: &OpView<'_>, dialect: &str) -> Decoded<Option<Code>> {
    let dim = || {
        let dim = view.int("dimension").ok().and_then(|it| usize::try_from(it).ok());
        dim.filter(|it| *it < 3).ok_or("its dimension")
    };
    Ok(Some(match (dialect, view.name) {
        ("hal", "interface.binding.subspan") => subspan(view)?,
        ("hal", "interface.workgroup.id") => of_group(dim()?, 0, |it, dim| it.block[dim]),
        ("hal", "interface.workgroup.count") => of_group(dim()?, 1, |it, dim| it.launch.grid[dim]),
        ("hal", "interface.workgroup.size") => of_group(dim()?, 1, |it, dim| it.launch.block[dim]),
        ("iree_codegen", "index_hint") | ("amdgpu", "fat_raw_buffer_cast") => {
            view.need(1)?;
            compute(|_, operands| Ok(operands[0].clone()))
        }
        _ => return Ok(None),
    }))
}

/// Decodes a query about the workgroup; outside of a launch there is one workgroup.
fn of_group(dim: usize, alone: i64, of: fn(&super::gpu::Place, usize) -> i64) -> Code {
    compute(move |machine, _| Ok(int(machine.place.map_or(alone, |place| of(&place, dim)))))
}

fn subspan(view: &OpView<'_>) -> Decoded<Code> {
    let Ty::Memref(ty) = view.result_ty(0) else { return Err("its type".to_owned()) };
    let binding = view.int("binding")?;
    let n_offsets = view.segments().map_or(1, |it| it.first().copied().unwrap_or(0));
    view.need(n_offsets)?;
    let sizes: Vec<i64> = ty.shape.iter().map(|it| it.unwrap_or(DYNAMIC)).collect();
    Ok(compute(move |machine, operands| {
        let (offsets, mut rest) = operands.split_at(n_offsets);
        let base = match offsets.first() {
            Some(offset) => machine.int(offset)?,
            None => 0,
        };
        let shape = machine.sizes(&sizes, &mut rest)?;
        Ok(Value::View(Rc::new(bind(machine, &ty, binding, base, shape)?)))
    }))
}

/// A view of a binding from a byte on.
fn bind(
    machine: &mut Machine<'_>,
    ty: &MemrefTy,
    binding: i64,
    base: i64,
    shape: Vec<i64>,
) -> Run<View> {
    // An offset in the type is that of the operand, said in elements.
    let Some((strides, _)) = ty.layout.strides(&shape, &[]) else {
        return machine.unsupported("a layout that is no strides");
    };
    let (dtype, lanes) = (ty.dtype, ty.lanes.clone());
    let mut view = View { storage: 0, base, offset: 0, shape, strides, dtype, lanes };
    let behind = extent(&view)
        .and_then(|n| usize::try_from(base).ok()?.checked_add(n.checked_mul(view.bytes())?));
    let Some(behind) = behind.filter(|it| *it <= MAX_BYTES) else {
        return machine
            .fail(RunErrorKind::StepLimit, format!("a binding has more than {MAX_BYTES} bytes"));
    };
    let storage = match machine.bound.get(&binding) {
        Some(&storage) => storage,
        None => {
            machine.storages.push(Storage::argument(Vec::new()));
            machine.freed.push(false);
            let storage = machine.storages.len() - 1;
            machine.bound.insert(binding, storage);
            storage
        }
    };
    let memory = &mut machine.storages[storage];
    for at in memory.bytes.len()..behind {
        memory.bytes.push(initial(binding, at));
    }
    memory.written.resize(memory.bytes.len(), true);
    memory.stride = memory.bytes.len();
    view.storage = storage;
    Ok(view)
}

/// A byte of a binding before the run: words are quarters from −5/4 to 5/4.
fn initial(binding: i64, at: usize) -> u8 {
    let number = ((at / 4) as i64 * 7 + binding).rem_euclid(11) - 5;
    (number as f32 * 0.25).to_le_bytes()[at % 4]
}

impl Machine<'_> {
    /// The changed bytes of bindings; undefined bytes are one pattern.
    pub(super) fn changed_bindings(&self) -> BTreeMap<(i64, usize), u8> {
        let mut res = BTreeMap::new();
        for (&binding, &storage) in &self.bound {
            let memory = &self.storages[storage];
            for (at, (&byte, &is_written)) in memory.bytes.iter().zip(&memory.written).enumerate() {
                let byte = if is_written { byte } else { PATTERN };
                if byte != initial(binding, at) {
                    res.insert((binding, at), byte);
                }
            }
        }
        res
    }
}

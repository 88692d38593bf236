//! A model of calls of unknown functions, and of operators that are not executed (SEMANTICS: X2), for runs that compare
//! two bodies.
//!
//! The callee reads and writes escaping memory: the memory of array arguments and all memory to which it, or an earlier
//! call, has a pointer. The model makes the worst of that: its result depends on its name, its operands and every byte
//! it can read, and it changes about half of the words it can write. Nothing depends on where memory lies or on a
//! clock, so that two runs of the same calls on the same memory are the same. Cost: the bytes that escape, for each
//! call.
//!
//! An operator of TVM without an execution of its own has all the effects that its row of the effects table allows on
//! its operands: memory to which an operand points, by position or by keyword, alone or in a tuple, and an element that
//! stands as a place, is read and written unless the row describes that operand. Pointers are recognised by the values
//! of the run, not by types.

use std::hash::Hasher as _;

use rustc_hash::FxHasher;

use super::{RunError, exec::Machine, ops::Val};
use ir::{
    AttrDictId, BufferField, ExprId, ExprKind, Type,
    effects::{MemoryEffect, MemorySet, OpEffects, OperandUse},
};

type Result<T> = std::result::Result<T, Box<RunError>>;

/// Bytes between two that a call may change: the lowest ones of the elements of most types.
const STRIDE: usize = 4;

/// A modelled call: a hash of its operands, and the memory that it accesses.
struct Call {
    hasher: FxHasher,
    read: Vec<usize>,
    /// Read and written.
    updated: Vec<usize>,
    /// Written without reading the old contents.
    written: Vec<usize>,
    /// True if memory that the row does not describe is only written.
    only_writes: bool,
}

impl Call {
    fn new(name: &str, row: &OpEffects) -> Call {
        let mut hasher = FxHasher::default();
        hasher.write(name.as_bytes());
        Call {
            hasher,
            read: Vec::new(),
            updated: Vec::new(),
            written: Vec::new(),
            only_writes: row.memory_effect == MemoryEffect::Write,
        }
    }
}

impl Machine<'_> {
    /// The value of a call that is not executed, and its effect on memory; `row` gives its possible effects.
    pub(super) fn modelled_call(
        &mut self,
        name: &str,
        row: &OpEffects,
        (args, attrs): (&[ExprId], AttrDictId),
        ty: Type,
        lane: usize,
    ) -> Result<Val> {
        let dict = self.body.dict(attrs);
        let data = dict.iter().flat_map(|it| it.1.expressions());
        let used = (0..args.len()).map(|it| row.operand_use(dict, it));
        let given = args.iter().copied().zip(used).chain(data.map(|it| (it, None)));
        let mut call = Call::new(name, row);
        for (operand, used) in given {
            let is_place =
                used.map_or(row.may_write(), |it| it.may_write() || it == OperandUse::Place);
            let value = self.eval_given(operand, is_place, lane)?;
            self.give(&mut call, &value, used);
        }
        Ok(self.modelled(call, row, ty))
    }

    /// The same for operands that have been evaluated.
    pub(super) fn modelled_call_of(
        &mut self,
        name: &str,
        row: &OpEffects,
        values: &[Val],
        ty: Type,
    ) -> Val {
        let mut call = Call::new(name, row);
        values.iter().for_each(|it| self.give(&mut call, it, None));
        self.modelled(call, row, ty)
    }

    /// Takes an operand into a call. Memory of which the row does not speak is read and written.
    fn give(&mut self, call: &mut Call, value: &Val, used: Option<OperandUse>) {
        self.mark_used(value);
        self.observe(value, &mut call.hasher);
        match used {
            Some(OperandUse::Address | OperandUse::Place) => {}
            Some(OperandUse::Reads) => pointees_of(value, &mut call.read),
            Some(OperandUse::Writes) => pointees_of(value, &mut call.written),
            None if call.only_writes => pointees_of(value, &mut call.written),
            _ => pointees_of(value, &mut call.updated),
        }
    }

    fn modelled(&mut self, mut call: Call, row: &OpEffects, ty: Type) -> Val {
        if reaches_all(row) {
            [&call.read, &call.updated, &call.written].into_iter().for_each(|it| self.escape(it));
            let reached = if call.only_writes { &mut call.written } else { &mut call.updated };
            *reached = self.reachable();
        }
        result(self.disturb(call), ty)
    }

    /// The value of an operand. An element is given by reference where it is a place.
    fn eval_given(&mut self, operand: ExprId, is_place: bool, lane: usize) -> Result<Val> {
        match self.body.expr(operand).kind {
            ExprKind::Str(text) => Ok(Val::Text(text)),
            ExprKind::Opaque { .. } => Ok(Val::Unit),
            ExprKind::Load { buffer, indices, .. } if is_place => {
                let (storage, offset) = self.address(buffer, self.body.items(indices), lane)?;
                Ok(Val::Pointer { storage, offset })
            }
            ExprKind::Buffer(buffer) | ExprKind::Region(buffer, _) => {
                self.buffer_field(buffer, BufferField::Data, lane)
            }
            ExprKind::Tuple(items) => {
                let items: Result<Vec<Val>> = self
                    .body
                    .items(items)
                    .iter()
                    .map(|&it| self.eval_given(it, is_place, lane))
                    .collect();
                Ok(Val::Tuple(items?.into()))
            }
            _ => self.eval(operand, lane),
        }
    }

    /// Takes memory into the hash of a call, and changes about half of the words that it may write; gives the hash.
    fn disturb(&mut self, mut call: Call) -> u64 {
        for &storage in call.read.iter().chain(&call.updated) {
            call.hasher.write(&self.storages[storage].bytes);
        }
        let mut seed = call.hasher.finish();
        let updated = call.updated.into_iter().map(|it| (it, true));
        for (storage, sees) in updated.chain(call.written.into_iter().map(|it| (it, false))) {
            let storage = &mut self.storages[storage];
            for at in (0..storage.bytes.len()).step_by(STRIDE) {
                seed = seed.rotate_left(7).wrapping_mul(0x9e37_79b9_7f4a_7c15);
                if seed >> 63 == 1 {
                    let was = if sees { storage.bytes[at] } else { (seed >> 8 & 1) as u8 };
                    storage.bytes[at] = was ^ 1;
                    if let Some(written) = storage.written.get_mut(at) {
                        *written = true;
                    }
                }
            }
        }
        seed
    }

    fn escape(&mut self, pointees: &[usize]) {
        for storage in pointees {
            if !self.escaped.contains(storage) {
                self.escaped.push(*storage);
            }
        }
    }

    /// Takes an operand into a hash.
    fn observe(&self, operand: &Val, hasher: &mut FxHasher) {
        match operand {
            Val::Int(value, _) => hasher.write_i64(*value),
            Val::Float(value) => hasher.write_u64(value.to_bits()),
            Val::Pointer { offset, .. } => hasher.write_i64(*offset),
            Val::Vector(parts) | Val::Tuple(parts) => {
                parts.iter().for_each(|part| self.observe(part, hasher));
            }
            Val::Text(text) => hasher.write(self.body.name(*text).as_bytes()),
            Val::Buffer(_) | Val::Unit => {}
        }
    }

    /// Storages of array arguments, then escaped ones, each once and in the order of escaping.
    fn reachable(&self) -> Vec<usize> {
        let mut found: Vec<usize> = Vec::new();
        let homes = self.homes.iter().flatten().map(|it| it.0);
        for storage in homes.chain(self.escaped.iter().copied()) {
            if storage < self.storages.len() && !found.contains(&storage) {
                found.push(storage);
            }
        }
        found
    }
}

/// The storages to which a value points, each once.
fn pointees_of(value: &Val, found: &mut Vec<usize>) {
    match value {
        Val::Pointer { storage, .. } if !found.contains(storage) => found.push(*storage),
        Val::Vector(parts) | Val::Tuple(parts) => {
            parts.iter().for_each(|part| pointees_of(part, found));
        }
        _ => {}
    }
}

/// Returns true if a call accesses, and keeps, more than it is given.
fn reaches_all(row: &OpEffects) -> bool {
    row.memory_effect == MemoryEffect::Unknown || row.memory.contains(MemorySet::GLOBAL)
}

/// A value of the type: small, as lengths and indices are. Where the type is not known it is an integer.
fn result(seed: u64, ty: Type) -> Val {
    match ty.prim() {
        None if ty == Type::Unknown => Val::Int((seed >> 7) as i64 & 7, false),
        Some(dtype) if dtype.is_integer() => Val::Int((seed >> 7) as i64 & 7, false),
        Some(dtype) if dtype.is_bool() => Val::Int((seed >> 7) as i64 & 1, false),
        Some(dtype) if dtype.is_float() => Val::Float((seed >> 7 & 63) as f64 / 4.0),
        _ => Val::Unit,
    }
}

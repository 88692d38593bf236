//! A model of calls of unknown functions, and of operators that are not executed (SEMANTICS: X2), for runs that compare two bodies.
//!
//! The callee reads and writes what escapes: the memory of array arguments and all memory to which it, or an earlier call, got a
//! pointer. The model makes the worst of that: its result depends on its name, its operands and every byte it can read, and it
//! changes about half of the words it can write. Nothing depends on where memory lies or on a clock, so that two runs
//! of the same calls on the same memory are the same. Cost: the bytes that escape, for each call.
//!
//! An operator of TVM without an execution of its own does what its row of the effects table lets it do: memory to which an operand points, by
//! position or by keyword, alone or in a tuple, and an element that stands where the call may write, is read and written, unless the row says of
//! this operand that it is not.

use std::hash::Hasher as _;

use rustc_hash::FxHasher;

use super::{RunError, exec::Machine, ops::Val};
use crate::{
    Attr, BufferField, Callee, ExprId, ExprKind, Type,
    effects::{EffectTable, Element, MemoryEffect, MemorySet, OpEffects, OperandUse},
};

type Result<T> = std::result::Result<T, Box<RunError>>;

/// Bytes between two that a call may change: the lowest ones of the elements of most types.
const STRIDE: usize = 4;

impl Machine<'_> {
    /// The value of a call that is not executed, and what it does to memory: no less than its row of the effects table says, and with
    /// an operand of which the row does not speak the worst.
    pub(super) fn modelled_call(&mut self, call: ExprKind, ty: Type, lane: usize) -> Result<Val> {
        let body = self.body;
        let ExprKind::Call { callee, args, attrs, .. } = call else {
            unreachable!("only calls are called")
        };
        let (Callee::Intrinsic(name) | Callee::Function(name) | Callee::Unknown(name)) = callee;
        let (table, attrs) = (EffectTable::builtin(), body.dict(attrs));
        let row = table.call(body, call);
        let mut given = Vec::new();
        for (index, &operand) in body.items(args).iter().enumerate() {
            let value = self.eval_given(operand, table.element(body, call, index), lane)?;
            given.push((value, row.operand_use(attrs, index)));
        }
        let mut hidden = Vec::new();
        attrs.iter().for_each(|it| expressions_of(&it.1, &mut hidden));
        for operand in hidden {
            given.push((self.eval_given(operand, Element::Target, lane)?, None));
        }
        Ok(self.modelled_call_of(body.name(name), row, &given, ty))
    }

    /// The same for operands that have been evaluated, each with what the row says of it.
    pub(super) fn modelled_call_of(
        &mut self,
        name: &str,
        row: &OpEffects,
        given: &[(Val, Option<OperandUse>)],
        ty: Type,
    ) -> Val {
        let mut hasher = FxHasher::default();
        hasher.write(name.as_bytes());
        let (mut read, mut written) = (Vec::new(), Vec::new());
        for (value, used) in given {
            self.mark_used(value);
            self.observe(value, &mut hasher);
            if used.is_none_or(OperandUse::may_read) {
                pointees_of(value, &mut read);
            }
            if used.is_none_or(OperandUse::may_write) {
                pointees_of(value, &mut written);
            }
        }
        if reaches_all(row) {
            self.escape(&written);
            written = self.reachable();
        }
        result(self.disturb(hasher, &read, &written), ty)
    }

    /// The value of an operand. An element is given as the call takes it.
    fn eval_given(&mut self, operand: ExprId, element: Element, lane: usize) -> Result<Val> {
        match self.body.expr(operand).kind {
            ExprKind::Str(text) => Ok(Val::Text(text)),
            ExprKind::Load { buffer, indices, .. } if element != Element::Value => {
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
                    .map(|&it| self.eval_given(it, element, lane))
                    .collect();
                Ok(Val::Tuple(items?.into()))
            }
            _ => self.eval(operand, lane),
        }
    }

    /// Takes memory into the hash of a call, and changes about half of the words of what it writes; gives the hash.
    fn disturb(&mut self, mut hasher: FxHasher, read: &[usize], written: &[usize]) -> u64 {
        for &storage in read.iter().chain(written) {
            hasher.write(&self.storages[storage].bytes);
        }
        let mut seed = hasher.finish();
        for &storage in written {
            let storage = &mut self.storages[storage];
            for at in (0..storage.bytes.len()).step_by(STRIDE) {
                seed = seed.rotate_left(7).wrapping_mul(0x9e37_79b9_7f4a_7c15);
                if seed >> 63 == 1 {
                    storage.bytes[at] ^= 1;
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

    /// Storages of array arguments, then what escaped, each once and in the order it escaped.
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

/// The expressions in an attribute, in order.
fn expressions_of(attr: &Attr, found: &mut Vec<ExprId>) {
    match attr {
        Attr::Expr(expr) => found.push(*expr),
        Attr::List(items) => items.iter().for_each(|it| expressions_of(it, found)),
        Attr::Dict(items) => items.iter().for_each(|it| expressions_of(&it.1, found)),
        Attr::Call { args, keywords, .. } => {
            args.iter().for_each(|it| expressions_of(it, found));
            keywords.iter().for_each(|it| expressions_of(&it.1, found));
        }
        _ => {}
    }
}

/// Whether a call touches, and keeps, more than it is given.
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

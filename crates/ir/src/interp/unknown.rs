//! A model of calls of unknown functions (SEMANTICS: X2), for runs that compare two bodies.
//!
//! The callee reads and writes what escapes: the memory of array arguments and all memory to which it, or an earlier call, got a
//! pointer. The model makes the worst of that: its result depends on its name, its operands and every byte it can read, and it
//! changes about half of the words it can write. Nothing depends on where memory lies or on a clock, so that two runs
//! of the same calls on the same memory are the same. Cost: the bytes that escape, for each call.

use std::hash::Hasher as _;

use rustc_hash::FxHasher;

use super::{exec::Machine, ops::Val};
use crate::Type;

/// Bytes between two that a call may change: the lowest ones of the elements of most types.
const STRIDE: usize = 4;

impl Machine<'_> {
    /// The value of a call of an unknown function, and what it does to memory.
    pub(super) fn unknown_call(
        &mut self,
        name: &str,
        operands: &[Val],
        ty: Type,
        lane: usize,
    ) -> Val {
        let mut hasher = FxHasher::default();
        hasher.write(name.as_bytes());
        for operand in operands {
            self.mark_used(operand);
            self.observe(operand, lane, &mut hasher);
        }
        let reachable = self.reachable();
        for &storage in &reachable {
            hasher.write(&self.storages[storage].bytes);
        }
        let mut seed = hasher.finish();
        for storage in reachable {
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
        result(seed, ty)
    }

    /// Takes an operand into a hash; memory it points to escapes.
    fn observe(&mut self, operand: &Val, lane: usize, hasher: &mut FxHasher) {
        match operand {
            Val::Int(value, _) => hasher.write_i64(*value),
            Val::Float(value) => hasher.write_u64(value.to_bits()),
            Val::Pointer { storage, offset } => {
                hasher.write_i64(*offset);
                self.escape(*storage);
            }
            Val::Vector(parts) | Val::Tuple(parts) => {
                for part in parts.clone().iter() {
                    self.observe(part, lane, hasher);
                }
            }
            Val::Text(text) => hasher.write(self.body.name(*text).as_bytes()),
            Val::Buffer(buffer) => {
                if let Some(storage) = self.bound(*buffer, lane).map(|it| it.storage) {
                    self.escape(storage);
                }
            }
            Val::Unit => {}
        }
    }

    fn escape(&mut self, storage: usize) {
        if !self.escaped.contains(&storage) {
            self.escaped.push(storage);
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

/// A value of the type: small, as lengths and indices are.
fn result(seed: u64, ty: Type) -> Val {
    match ty.prim() {
        Some(dtype) if dtype.is_integer() => Val::Int((seed >> 7) as i64 & 7, false),
        Some(dtype) if dtype.is_bool() => Val::Int((seed >> 7) as i64 & 1, false),
        Some(dtype) if dtype.is_float() => Val::Float((seed >> 7 & 63) as f64 / 4.0),
        _ => Val::Unit,
    }
}

//! Digests of the contents of operations with regions, equal if the contents are equal up to the names of values.
//!
//! Equal regions compute the same from the same outer values. A digest is a sum over the operations inside, each hashed
//! with its operands and weighted by its position. An operand counts by its identity where the value comes from
//! outside, by its distance where it is defined inside. Which it is depends on whose digest is made: seen from an inner
//! operation a value of an outer region comes from outside, seen from the owner of that region it does not. So each
//! operation is hashed for the innermost region, and corrected once for each further owner of a value that it uses:
//! O(operations + operands), however deep regions nest. Weights are powers of an odd number modulo 2^64, so a sum that
//! began somewhere can be divided by the weight of its first position.
//!
//! A digest only selects: the finder of two equal ones compares their operations (`equal.rs`).

use ir::{BlockId, Body, OpId, OpKind, Type, ValueId, ValueKind, arena::Id};

use super::{
    op_traits::value_of,
    summary::{Replaced, for_each_operand},
};

/// The weight of a position is this to the power of the position.
const BASE: u64 = 0x9e37_79b9_7f4a_7c15;
/// Its inverse modulo 2^64.
const INVERSE: u64 = inverse(BASE);

const fn inverse(odd: u64) -> u64 {
    // Newton: each step doubles the number of correct low bits, of which an odd number has three.
    let mut x = odd;
    let mut i = 0;
    while i < 5 {
        x = x.wrapping_mul(2u64.wrapping_sub(odd.wrapping_mul(x)));
        i += 1;
    }
    x
}

/// Mixes one more word into a hash.
pub(super) fn mix(hash: u64, word: u64) -> u64 {
    let x = (hash ^ word).wrapping_mul(0xff51_afd7_ed55_8ccd);
    (x ^ (x >> 32)).wrapping_mul(0xc4ce_b9fe_1a85_ec53).rotate_left(29)
}

/// An operation with regions that is being walked.
struct Frame {
    /// True if some planner asks for its digest.
    is_wanted: bool,
    start: Point,
    /// Operations inside, with their weight, that use values of its own regions from further inside.
    pending: Vec<(OpId, u64)>,
}

/// The position of the sum.
#[derive(Clone, Copy)]
struct Point {
    sum: u64,
    weight: u64,
    unweight: u64,
    position: u32,
}

/// The sum that grows while a body is walked.
pub(super) struct Digests {
    frames: Vec<Frame>,
    now: Point,
    /// By operation: its position, once it was met inside of a wanted one.
    positions: Vec<u32>,
    /// By operation with regions: how deep it nests, once it was met.
    depths: Vec<u32>,
    /// True if operands of commutative operations are hashed in any order.
    any_order: bool,
    /// Hashes made.
    pub(super) n_hashed: u64,
}

impl Digests {
    pub(super) fn new(body: &Body, has_regions: bool, any_order: bool) -> Digests {
        let n = if has_regions { body.ops.len() } else { 0 };
        Digests {
            frames: Vec::new(),
            now: Point { sum: 0, weight: 1, unweight: 1, position: 0 },
            positions: vec![0; n],
            depths: vec![0; n],
            any_order,
            n_hashed: 0,
        }
    }

    fn is_wanted(&self) -> bool {
        self.frames.last().is_some_and(|it| it.is_wanted)
    }

    fn step(&mut self) {
        self.now.weight = self.now.weight.wrapping_mul(BASE);
        self.now.unweight = self.now.unweight.wrapping_mul(INVERSE);
        self.now.position += 1;
    }

    /// The regions of an operation begin.
    pub(super) fn enter(&mut self, op: OpId, is_wanted: bool) {
        self.positions[op.index()] = self.now.position;
        self.frames.push(Frame { is_wanted, start: self.now, pending: Vec::new() });
        self.depths[op.index()] = self.frames.len() as u32;
        self.step();
    }

    /// A block begins.
    pub(super) fn block(&mut self, body: &Body, block: BlockId) {
        if !self.is_wanted() {
            return;
        }
        let mut hash = 1;
        for &argument in &body.blocks[block].args {
            hash = mix(hash, type_word(body.values[argument].ty));
        }
        self.add(hash, self.now.weight);
        self.step();
    }

    fn add(&mut self, hash: u64, weight: u64) {
        self.now.sum = self.now.sum.wrapping_add(hash.wrapping_mul(weight));
    }

    /// An operation without regions, or with finished regions, becomes part of the operation around it.
    pub(super) fn operation(
        &mut self,
        body: &Body,
        replaced: &Replaced,
        op: OpId,
        is_commutative: bool,
    ) {
        if !self.is_wanted() {
            return;
        }
        if body.ops[op].regions.is_empty() {
            self.positions[op.index()] = self.now.position;
        }
        let depth = self.frames.len() as u32;
        let weight = self.now.weight;
        let hash = self.hash(body, replaced, op, depth, is_commutative);
        self.add(hash, weight);
        for_each_operand(body, op, |_, operand| {
            let Some(value) = value_of(body, operand) else { return };
            let owner = self.depth_of(body, replaced.get(value));
            if owner == 0 || owner >= depth {
                return;
            }
            let frame = &mut self.frames[owner as usize - 1];
            if frame.is_wanted && frame.pending.last() != Some(&(op, weight)) {
                frame.pending.push((op, weight));
            }
        });
        self.step();
    }

    /// The regions of the innermost operation have ended: their digest. `is_gone` operations count no longer.
    pub(super) fn leave(
        &mut self,
        body: &Body,
        replaced: &Replaced,
        is_counted: impl Fn(OpId) -> bool,
        is_commutative: impl Fn(OpId) -> bool,
    ) -> u64 {
        let depth = self.frames.len() as u32;
        let Some(frame) = self.frames.last_mut() else { return 0 };
        let start = frame.start;
        let pending = std::mem::take(&mut frame.pending);
        for (op, weight) in pending {
            if is_counted(op) {
                let is_commutative = is_commutative(op);
                let from = self.hash(body, replaced, op, depth + 1, is_commutative);
                let to = self.hash(body, replaced, op, depth, is_commutative);
                self.add(to.wrapping_sub(from), weight);
            }
        }
        self.now.sum.wrapping_sub(start.sum).wrapping_mul(start.unweight)
    }

    /// After [`Digests::leave`]: the operation becomes part of the one around it, or is deleted.
    pub(super) fn close(&mut self, is_kept: bool) {
        if let Some(frame) = self.frames.pop()
            && !is_kept
        {
            self.now = frame.start;
        }
    }

    /// The depth of the operation whose regions define a value; 0 for the body's own.
    fn depth_of(&self, body: &Body, value: ValueId) -> u32 {
        let block = match body.values[value].kind {
            ValueKind::Result(op, _) => body.ops[op].parent,
            ValueKind::BlockArg(block, _) => block,
            _ => return 0,
        };
        body.regions[body.blocks[block].parent].parent.map_or(0, |it| self.depths[it.index()])
    }

    /// An operation as it is seen by the owner at `depth`: values of owners from there on are inside.
    fn hash(
        &mut self,
        body: &Body,
        replaced: &Replaced,
        op: OpId,
        depth: u32,
        is_commutative: bool,
    ) -> u64 {
        self.n_hashed += 1;
        let position = self.positions[op.index()];
        let any_order = self.any_order && is_commutative;
        let mut hash = header(body, op);
        let mut sum = 0u64;
        for_each_operand(body, op, |_, operand| {
            let token = match value_of(body, operand) {
                None => mix(3, operand.index() as u64),
                Some(value) => {
                    let value = replaced.get(value);
                    if self.depth_of(body, value) >= depth {
                        mix(2, self.place(body, value, position))
                    } else {
                        mix(1, value.index() as u64)
                    }
                }
            };
            if any_order {
                sum = sum.wrapping_add(token);
            } else {
                hash = mix(hash, token);
            }
        });
        mix(hash, sum)
    }

    /// Returns the place where a value is defined, seen from a position.
    fn place(&self, body: &Body, value: ValueId, position: u32) -> u64 {
        match body.values[value].kind {
            ValueKind::Result(op, index) => {
                let distance = position.wrapping_sub(self.positions[op.index()]);
                u64::from(distance) << 32 | u64::from(index)
            }
            ValueKind::BlockArg(block, index) => {
                let region = body.blocks[block].parent;
                let Some(owner) = body.regions[region].parent else { return 0 };
                let distance = position.wrapping_sub(self.positions[owner.index()]);
                let which = body.ops[owner].regions.iter().position(|it| *it == region);
                let which = which.unwrap_or_default() as u64;
                mix(mix(u64::from(distance), which), u64::from(index))
            }
            _ => value.index() as u64,
        }
    }
}

/// Returns the hash of an operation without its operands and regions.
pub(super) fn header(body: &Body, op: OpId) -> u64 {
    let data = &body.ops[op];
    let name = match data.kind {
        OpKind::Named(name) | OpKind::Opaque(name) => name.index() as u64,
        // Statements of TIR are never merged as operations.
        _ => op.index() as u64 | 1 << 40,
    };
    let mut hash = mix(name, data.attrs.index() as u64);
    let [operands, regions, successors] =
        [data.operands.len(), data.regions.len(), data.successors.len()].map(|it| it as u64);
    hash = mix(hash, operands << 32 | regions << 16 | successors);
    for &result in &data.results {
        hash = mix(hash, type_word(body.values[result].ty));
    }
    hash
}

fn type_word(ty: Type) -> u64 {
    match ty {
        Type::Named(name) => name.index() as u64,
        other => {
            use std::hash::BuildHasher;
            rustc_hash::FxBuildHasher.hash_one(other)
        }
    }
}

//! Dead code elimination to the fixpoint.
//!
//! In: a body, the replaced values and the deleted operations. Out: the deletable operations: no remaining operation
//! uses their results, and they have no other effect (`SEMANTICS: E8`). What stays: the contents of unknown operations;
//! operations through which control may leave; of a block without a terminator, the last operation; and what has
//! neither results nor regions, as it was written for something that its row does not tell.
//! O(operations + operands): each operation is looked at once for itself and once for each user that goes.

use ir::{Body, OpId, ValueId, ValueKind, arena::Id};
use rustc_hash::FxHashMap;

use super::{
    op_traits::{Bits, OpTraits, value_of},
    summary::{Replaced, Summary, for_each_inside, for_each_operand},
};

/// The operations to visit.
pub(super) struct Sweep<'a> {
    pub(super) body: &'a Body,
    pub(super) traits: &'a OpTraits,
    pub(super) summary: &'a Summary<'a>,
    pub(super) replaced: &'a Replaced,
    /// By operation, with the contents of deleted ones.
    pub(super) is_gone: &'a mut Vec<bool>,
    /// Moved operations: they are not deleted with the operation around their old place.
    pub(super) moved: &'a FxHashMap<OpId, OpId>,
}

impl Sweep<'_> {
    /// Deletes dead operations and returns them, outermost only.
    pub(super) fn run(&mut self) -> Vec<OpId> {
        let body = self.body;
        let mut n_uses = self.n_uses();
        let mut dead = Vec::new();
        // Users stand behind what they use, so most chains go in one pass; what is left is pushed.
        let mut rest = body.ops.ids().rev();
        let mut stack: Vec<OpId> = Vec::new();
        while let Some(op) = stack.pop().or_else(|| rest.next()) {
            ir::interrupt::check();
            if self.is_gone[op.index()] || !self.is_dead(op, &n_uses) {
                continue;
            }
            dead.push(op);
            let mut gone = vec![op];
            let is_gone = &mut self.is_gone;
            is_gone[op.index()] = true;
            if !body.ops[op].regions.is_empty() {
                let moved = self.moved;
                for_each_inside(body, op, |inner| {
                    if moved.contains_key(&inner) {
                        return false;
                    }
                    let was_gone = std::mem::replace(&mut is_gone[inner.index()], true);
                    if !was_gone {
                        gone.push(inner);
                    }
                    !was_gone
                });
            }
            for op in gone {
                self.each_used(op, |value| {
                    let n = &mut n_uses[value.index()];
                    *n = n.saturating_sub(1);
                    if *n == 0
                        && let ValueKind::Result(by, _) = body.values[value].kind
                    {
                        stack.push(by);
                    }
                });
            }
        }
        dead
    }

    /// By value: how often remaining operations use it.
    fn n_uses(&self) -> Vec<u32> {
        if self.replaced.is_empty() && !self.is_gone.contains(&true) {
            return self.summary.n_uses.clone();
        }
        let mut n_uses = vec![0u32; self.body.values.len()];
        for op in self.body.ops.ids().filter(|it| !self.is_gone[it.index()]) {
            self.each_used(op, |value| n_uses[value.index()] += 1);
        }
        n_uses
    }

    fn each_used(&self, op: OpId, mut visit: impl FnMut(ValueId)) {
        for_each_operand(self.body, op, |_, operand| {
            if let Some(value) = value_of(self.body, operand) {
                visit(self.replaced.get(value));
            }
        });
    }

    fn is_dead(&self, op: OpId, n_uses: &[u32]) -> bool {
        let operation = &self.body.ops[op];
        // Most operations are used.
        if operation.results.iter().any(|it| n_uses[it.index()] > 0) {
            return false;
        }
        if operation.results.is_empty() && operation.regions.is_empty() {
            return false;
        }
        let (own, bits) = (self.traits.of(op), self.summary.bits(op));
        !bits.has(Bits::NEEDED)
            && !bits.has(Bits::CHANGES)
            && !bits.has(Bits::LEAVES)
            && !own.has(Bits::INSIDE)
            && !self.traits.holds_its_block(self.body, op)
            && !own.has(Bits::TERMINATOR)
            && !own.has(Bits::SYMBOL)
            && !own.has(Bits::MARKER)
            && !self.traits.is_wrapped(self.body, op)
    }
}

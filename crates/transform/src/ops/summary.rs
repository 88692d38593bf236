//! The summary of a body before a walk: uses of every value, and the effects of every operation with everything inside
//! it.
//!
//! In: a body and the traits of its operations. Out: [`Summary`]. O(operations + operands), no recursion.

use ir::{Body, ExprId, OpId, ValueId, arena::Id};

use super::op_traits::{Bits, OpTraits, value_of};

/// Facts that hold before anything is changed.
pub(super) struct Summary<'a> {
    traits: &'a OpTraits,
    /// By operation: its label, and the effects of its regions if they count. Empty where there are no regions.
    bits: Vec<Bits>,
    /// By value.
    pub(super) n_uses: Vec<u32>,
    /// True if some operation has a region.
    pub(super) has_regions: bool,
}

impl<'a> Summary<'a> {
    pub(super) fn collect(body: &Body, traits: &'a OpTraits) -> Summary<'a> {
        let mut n_uses = vec![0u32; body.values.len()];
        let mut has_regions = false;
        for (_, op) in body.ops.iter() {
            has_regions |= !op.regions.is_empty();
        }
        for (id, _) in body.ops.iter() {
            for_each_operand(body, id, |_, operand| {
                if let Some(value) = value_of(body, operand) {
                    n_uses[value.index()] += 1;
                }
            });
        }
        let mut bits: Vec<Bits> = Vec::new();
        if has_regions {
            bits.extend(body.ops.ids().map(|it| traits.of(it)));
            let order: Vec<OpId> = body.ops_preorder().collect();
            for &op in order.iter().rev() {
                if let Some(parent) = body.parent_op(op) {
                    let inner = bits[op.index()];
                    bits[parent.index()].add(spread(traits.of(parent), inner));
                }
            }
        }
        Summary { traits, bits, n_uses, has_regions }
    }

    /// The label of an operation with its contents.
    pub(super) fn bits(&self, op: OpId) -> Bits {
        match self.has_regions {
            true => self.bits[op.index()],
            false => self.traits.of(op),
        }
    }

    /// Replaces the properties of the operations inside an operation by fewer ones.
    pub(super) fn set_bits(&mut self, op: OpId, bits: Bits) {
        self.bits[op.index()] = bits;
    }
}

/// Returns the properties that an operation right inside of another one, with all inside of it, adds to that.
pub(super) fn spread(outer: Bits, inner: Bits) -> Bits {
    let is_silent = outer.has(Bits::STATED_ONLY) && inner.has(Bits::UNSTATED);
    // What it writes without having to stay is what it makes.
    let only_makes = outer.has(Bits::ROOTED) && !inner.has(Bits::KEEP);
    let inner = inner.and(Bits::SPREAD);
    match () {
        () if is_silent || !outer.has(Bits::RECURSIVE) => inner.without(Bits::EFFECT),
        () if only_makes => inner.without(Bits::MAKES),
        () => inner,
    }
}

/// Calls `visit` with every operand and its number, those of successors after the others.
pub(super) fn for_each_operand(body: &Body, op: OpId, mut visit: impl FnMut(u32, ExprId)) {
    let data = &body.ops[op];
    let mut index = 0;
    for &operand in &data.operands {
        visit(index, operand);
        index += 1;
    }
    for successor in &data.successors {
        for &operand in body.items(successor.args) {
            visit(index, operand);
            index += 1;
        }
    }
}

/// The operations inside of one, each before those inside of it.
pub(super) fn for_each_inside(body: &Body, op: OpId, mut visit: impl FnMut(OpId) -> bool) {
    let mut stack: Vec<OpId> = Vec::new();
    let push = |op: OpId, stack: &mut Vec<OpId>| {
        for &region in body.ops[op].regions.iter().rev() {
            for &block in body.regions[region].blocks.iter().rev() {
                stack.extend(body.blocks[block].ops.iter().rev());
            }
        }
    };
    push(op, &mut stack);
    while let Some(inner) = stack.pop() {
        if visit(inner) {
            push(inner, &mut stack);
        }
    }
}

/// A value after everything that was replaced so far.
pub(super) struct Replaced {
    by: Vec<ValueId>,
    is_empty: bool,
}

impl Replaced {
    pub(super) fn new(body: &Body) -> Replaced {
        Replaced { by: body.values.ids().collect(), is_empty: true }
    }

    /// Returns true if nothing was replaced.
    pub(super) fn is_empty(&self) -> bool {
        self.is_empty
    }

    pub(super) fn get(&self, mut value: ValueId) -> ValueId {
        loop {
            let by = self.by[value.index()];
            if by == value {
                return value;
            }
            value = by;
        }
    }

    /// Records the replacement of a value. That may be replaced later in its turn.
    pub(super) fn set(&mut self, value: ValueId, by: ValueId) {
        self.by[value.index()] = by;
        self.is_empty = false;
    }
}

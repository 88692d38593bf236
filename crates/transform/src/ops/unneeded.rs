//! Dead loop-carried values and block arguments: cycles that only feed themselves.
//!
//! In: a body, the replaced values and the deleted operations. Out: values that need not be carried or passed, and
//! operations that only they needed. This is optimistic dead code elimination: liveness starts at the operations with
//! effects, and a carried value makes its incoming values live only when it is live itself (R. Cytron et al.,
//! "Efficiently computing static single assignment form", 1991, section 7.1). So a counter that only counts itself is
//! deleted, which no search for values without uses can find.
//!
//! Terminators are live with the operation around them, apart from the values they pass. O(operations + operands);
//! bodies without carried values cost nothing.

use ir::{
    Body, OpId, ValueId, ValueKind,
    arena::Id,
    plan::ops::{CarriedValue, carried_values},
};
use rustc_hash::{FxHashMap, FxHashSet};

use super::{
    op_traits::{Bits, OpTraits, value_of},
    summary::{Replaced, Summary, for_each_operand},
};

/// The dead values and operations.
#[derive(Default)]
pub(super) struct Unneeded {
    pub(super) carried: Vec<CarriedValue>,
    /// Operations, also such as are inside of others.
    pub(super) dead: Vec<OpId>,
}

struct Marking<'a> {
    body: &'a Body,
    traits: &'a OpTraits,
    summary: &'a Summary<'a>,
    replaced: &'a Replaced,
    is_gone: &'a [bool],
    carried: Vec<CarriedValue>,
    /// By argument and result: the index of the carried value.
    by_value: FxHashMap<ValueId, usize>,
    /// The operands that count only if the carried value is needed.
    waiting: FxHashSet<(OpId, u32)>,
    is_needed: Vec<bool>,
    is_carried_needed: Vec<bool>,
    ops: Vec<OpId>,
}

/// Finds the dead values and operations.
pub(super) fn find(
    body: &Body,
    traits: &OpTraits,
    summary: &Summary<'_>,
    replaced: &Replaced,
    is_gone: &[bool],
) -> Unneeded {
    let mut carried = carried_values(body);
    carried.retain(|it| {
        let is_inside = traits.of(it.end).has(Bits::INSIDE);
        !is_inside && !is_gone[it.end.index()] && it.ways.iter().all(|way| !is_gone[way.0.index()])
    });
    if carried.is_empty() {
        return Unneeded::default();
    }
    let values = |it: &CarriedValue| [Some(it.argument), it.result.map(|it| it.1)];
    let by_value = carried.iter().enumerate();
    let by_value = by_value.flat_map(|(at, it)| values(it).into_iter().flatten().zip([at, at]));
    let mut marking = Marking {
        body,
        traits,
        summary,
        replaced,
        is_gone,
        by_value: by_value.collect(),
        waiting: carried.iter().flat_map(|it| it.ways.iter().copied()).collect(),
        is_needed: vec![false; body.ops.len()],
        is_carried_needed: vec![false; carried.len()],
        carried,
        ops: Vec::new(),
    };
    marking.run();
    let Marking { mut carried, is_carried_needed, is_needed, .. } = marking;
    let dead: Vec<OpId> =
        body.ops.ids().filter(|it| !is_needed[it.index()] && !is_gone[it.index()]).collect();
    let mut at = 0;
    carried.retain(|it| {
        at += 1;
        // What is inside of something dead goes with it.
        !is_carried_needed[at - 1]
            && is_needed[it.end.index()]
            && is_around_needed(body, it, &is_needed)
    });
    // What goes, goes with something that is handed on no more.
    if carried.is_empty() { Unneeded::default() } else { Unneeded { carried, dead } }
}

fn is_around_needed(body: &Body, it: &CarriedValue, is_needed: &[bool]) -> bool {
    let around = std::iter::successors(body.parent_op(it.end), |&op| body.parent_op(op));
    around.into_iter().all(|op| is_needed[op.index()])
}

impl Marking<'_> {
    fn run(&mut self) {
        for op in self.body.ops.ids() {
            if !self.is_gone[op.index()] && self.does_something(op) {
                self.need(op);
            }
        }
        let body = self.body;
        while let Some(op) = self.ops.pop() {
            ir::interrupt::check();
            if let Some(around) = body.parent_op(op) {
                self.need(around);
            }
            let blocks = body.ops[op].regions.iter().flat_map(|it| &body.regions[*it].blocks);
            blocks.filter_map(|it| body.blocks[*it].ops.last()).for_each(|it| self.need(*it));
            let mut used = Vec::new();
            for_each_operand(body, op, |at, operand| {
                if !self.waiting.contains(&(op, at)) {
                    used.extend(value_of(body, operand));
                }
            });
            used.into_iter().for_each(|it| self.need_value(it));
        }
    }

    fn does_something(&self, op: OpId) -> bool {
        let (own, bits) = (self.traits.of(op), self.summary.bits(op));
        let is_end = own.has(Bits::TERMINATOR) && self.body.parent_op(op).is_none();
        let is_effect = [Bits::NEEDED, Bits::CHANGES, Bits::LEAVES].iter().any(|it| bits.has(*it));
        let stays = [Bits::SYMBOL, Bits::MARKER, Bits::INSIDE].iter().any(|it| own.has(*it));
        is_end
            || is_effect
            || stays
            || self.traits.holds_its_block(self.body, op)
            || self.traits.is_wrapped(self.body, op)
    }

    fn need(&mut self, op: OpId) {
        if !std::mem::replace(&mut self.is_needed[op.index()], true) {
            self.ops.push(op);
        }
    }

    fn need_value(&mut self, value: ValueId) {
        let mut values = vec![value];
        while let Some(value) = values.pop() {
            let value = self.replaced.get(value);
            if let ValueKind::Result(op, _) = self.body.values[value].kind {
                self.need(op);
            }
            let Some(&at) = self.by_value.get(&value) else { continue };
            if std::mem::replace(&mut self.is_carried_needed[at], true) {
                continue;
            }
            let it = &self.carried[at];
            // What takes the place of an argument may be needed where the argument itself is not.
            let given = it.ways.iter().filter_map(|&way| ir::plan::ops::operand_at(self.body, way));
            values.extend(given);
        }
    }
}

//! What loops and blocks hand on and nothing needs, not even what goes round with it.
//!
//! In: a body, what was replaced and what is gone. Out: values that need not be handed on, and operations that only
//! they needed. Nothing is taken to be needed but what the effects of the function need: the marking begins at
//! operations that do something, and a value that is handed on needs what is given for it only once somebody needs it
//! (R. Cytron et al., "Efficiently computing static single assignment form", 1991, section 7.1). So a counter that only
//! counts itself goes, which no search for values without uses can find.
//!
//! Terminators are needed with the operation around them, what they hand on apart. O(operations + operands); nothing at
//! all is done where nothing is handed on.

use ir::{
    Body, OpId, ValueId, ValueKind,
    arena::Id,
    plan::ops::{Handed, handed},
};
use rustc_hash::{FxHashMap, FxHashSet};

use super::{
    op_traits::{Bits, OpTraits, value_of},
    summary::{Replaced, Summary, for_each_operand},
};

/// What nobody needs.
#[derive(Default)]
pub(super) struct Unneeded {
    pub(super) handed: Vec<Handed>,
    /// Operations, also such as are inside of others.
    pub(super) dead: Vec<OpId>,
}

struct Marking<'a> {
    body: &'a Body,
    traits: &'a OpTraits,
    summary: &'a Summary<'a>,
    replaced: &'a Replaced,
    is_gone: &'a [bool],
    handed: Vec<Handed>,
    /// By argument and result: which of those that are handed on it is.
    by_value: FxHashMap<ValueId, usize>,
    /// The operands that count only if what they give is needed.
    waiting: FxHashSet<(OpId, u32)>,
    is_needed: Vec<bool>,
    handed_needed: Vec<bool>,
    ops: Vec<OpId>,
}

/// Finds what nobody needs.
pub(super) fn find(
    body: &Body,
    traits: &OpTraits,
    summary: &Summary<'_>,
    replaced: &Replaced,
    is_gone: &[bool],
) -> Unneeded {
    let mut handed = handed(body);
    handed.retain(|it| {
        let is_inside = traits.of(it.end).has(Bits::INSIDE);
        !is_inside && !is_gone[it.end.index()] && it.ways.iter().all(|way| !is_gone[way.0.index()])
    });
    if handed.is_empty() {
        return Unneeded::default();
    }
    let values = |it: &Handed| [Some(it.argument), it.result.map(|it| it.1)];
    let by_value = handed.iter().enumerate();
    let by_value = by_value.flat_map(|(at, it)| values(it).into_iter().flatten().zip([at, at]));
    let mut marking = Marking {
        body,
        traits,
        summary,
        replaced,
        is_gone,
        by_value: by_value.collect(),
        waiting: handed.iter().flat_map(|it| it.ways.iter().copied()).collect(),
        is_needed: vec![false; body.ops.len()],
        handed_needed: vec![false; handed.len()],
        handed,
        ops: Vec::new(),
    };
    marking.run();
    let Marking { mut handed, handed_needed, is_needed, .. } = marking;
    let dead: Vec<OpId> =
        body.ops.ids().filter(|it| !is_needed[it.index()] && !is_gone[it.index()]).collect();
    let mut at = 0;
    handed.retain(|it| {
        at += 1;
        // What is inside of something dead goes with it.
        !handed_needed[at - 1]
            && is_needed[it.end.index()]
            && is_around_needed(body, it, &is_needed)
    });
    // What goes, goes with something that is handed on no more.
    if handed.is_empty() { Unneeded::default() } else { Unneeded { handed, dead } }
}

fn is_around_needed(body: &Body, it: &Handed, is_needed: &[bool]) -> bool {
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
        is_end || is_effect || stays || self.traits.holds_its_block(self.body, op)
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
            if std::mem::replace(&mut self.handed_needed[at], true) {
                continue;
            }
            let it = &self.handed[at];
            // What takes the place of an argument may be needed where the argument itself is not.
            let given = it.ways.iter().filter_map(|&way| ir::plan::ops::operand_at(self.body, way));
            values.extend(given);
        }
    }
}

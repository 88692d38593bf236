//! Operations that only debugging needs: checks that a compiler puts beside the code of the author.
//!
//! Triton computes beside each product and sum the same in 64 bits, to assert that it fits; without assertions nothing
//! uses that. Two kinds of operations count: those that only assertions and prints need, and dead ones that stand for a
//! place of the source for which a living one stands too. Nothing is told about either: the author did not write them.
//! O(operations).

use ir::{Body, OpId, OpKind, ValueKind, arena::Id as _, effects::EffectTable, plan::Preset};
use rustc_hash::FxHashSet;

use crate::ops::{
    op_traits::{Bits, OpTraits, value_of},
    summary::for_each_operand,
};

/// Operations of Triton that tell about a run.
const TELLS: [&str; 3] = ["tt.assert", "tt.print", "tt.device_print"];

/// The operations of a body that only debugging needs.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Debugging {
    /// By operation; empty if there are none.
    is_only: Vec<bool>,
}

impl Debugging {
    /// Finds them in a body; `place` gives the place of the source that an operation stands for, as a text.
    pub fn of<'t>(
        body: &Body,
        effects: &EffectTable,
        place: impl Fn(OpId) -> Option<&'t str>,
    ) -> Debugging {
        let is_triton = |op: OpId| name(body, op).starts_with("tt.");
        if !body.ops.ids().any(is_triton) {
            return Debugging::default();
        }
        let traits = OpTraits::collect(body, effects, Preset::Default);
        let tells = |op: OpId| TELLS.contains(&name(body, op));
        let needed = needed(body, &traits, |op| !tells(op));
        let told = needed_by(body, body.ops.ids().filter(|it| tells(*it)));
        let places: FxHashSet<&str> =
            body.ops.ids().filter(|it| needed[it.index()]).filter_map(&place).collect();
        let is_only = body.ops.ids().map(|op| {
            let is_beside = || place(op).is_some_and(|it| places.contains(it));
            !needed[op.index()] && (told[op.index()] || is_beside())
        });
        Debugging { is_only: is_only.collect() }
    }

    /// Returns true if only debugging needs an operation.
    pub fn is_only_for(&self, op: OpId) -> bool {
        self.is_only.get(op.index()).copied().unwrap_or(false)
    }
}

/// The name of an operation, read or not.
fn name(body: &Body, op: OpId) -> &str {
    match body.ops[op].kind {
        OpKind::Named(name) | OpKind::Opaque(name) => body.name(name),
        _ => "",
    }
}

/// By operation: whether it has an effect, or one that has needs it. `counts` says which effects count.
fn needed(body: &Body, traits: &OpTraits, counts: impl Fn(OpId) -> bool) -> Vec<bool> {
    let has_effect = |op: OpId| {
        let bits = traits.of(op);
        let is_root =
            bits.has(Bits::NEEDED) || bits.has(Bits::TERMINATOR) || bits.has(Bits::UNKNOWN);
        // What a region is for is not looked at: it is needed.
        (is_root || !body.ops[op].regions.is_empty()) && counts(op)
    };
    needed_by(body, body.ops.ids().filter(|it| has_effect(*it)))
}

/// By operation: whether it is one of these, or makes a value that they need.
fn needed_by(body: &Body, roots: impl Iterator<Item = OpId>) -> Vec<bool> {
    let mut is_needed = vec![false; body.ops.len()];
    let mut todo: Vec<OpId> = roots.collect();
    while let Some(op) = todo.pop() {
        if std::mem::replace(&mut is_needed[op.index()], true) {
            continue;
        }
        for_each_operand(body, op, |_, operand| {
            let value = value_of(body, operand);
            if let Some(ValueKind::Result(by, _)) = value.map(|it| body.values[it].kind) {
                todo.push(by);
            }
        });
    }
    is_needed
}

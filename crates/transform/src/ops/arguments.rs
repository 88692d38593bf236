//! Arguments of blocks and loop-carried values that always equal another value.
//!
//! In: a body and its choices (`ir::choices`). Out: those that equal another value, which takes their place: another
//! choice of the place that is equal on every way (`congruence`: also if that is so only because they are equal
//! themselves, as two counters that step alike), or the one value that comes on every way. A choice that passes itself
//! around a loop adds no information. O(n log n) in the dependencies of the choices, at most [`MAX_ROUNDS`] times.

use ir::{
    Body, OpId, ValueId,
    choices::{self, Choice},
    plan::ops::OpActionKind,
};

use super::{
    congruence,
    op_traits::{Bits, OpTraits},
    summary::Replaced,
};

const MAX_ROUNDS: usize = 4;

/// A value and its equal, with the place where that is reported.
pub(super) struct EqualArgument {
    pub(super) op: OpId,
    pub(super) argument: ValueId,
    pub(super) value: ValueId,
    pub(super) kind: OpActionKind,
}

/// Finds them and replaces them. Operations that are `gone` do not count.
pub(super) fn find(
    body: &Body,
    traits: &OpTraits,
    replaced: &mut Replaced,
    is_gone: &dyn Fn(OpId) -> bool,
) -> Vec<EqualArgument> {
    let mut choices = choices::collect(body);
    choices.retain(|it| {
        let is_inside = traits.of(it.op).has(Bits::INSIDE);
        !is_inside && !is_gone(it.op) && replaced.get(it.value) == it.value
    });
    let mut found = Vec::new();
    for _ in 0..MAX_ROUNDS {
        let n_before = found.len();
        for choice in &choices {
            if let Some(value) = one_value(choice, replaced) {
                replace(choice, value, replaced, &mut found);
            }
        }
        for (at, of) in congruence::find(body, traits, replaced, &choices) {
            replace(&choices[at], choices[of].value, replaced, &mut found);
        }
        if found.len() == n_before {
            break;
        }
        choices.retain(|it| replaced.get(it.value) == it.value);
    }
    found
}

fn replace(
    choice: &Choice,
    value: ValueId,
    replaced: &mut Replaced,
    found: &mut Vec<EqualArgument>,
) {
    let &Choice { op, value: argument, kind, .. } = choice;
    replaced.set(argument, value);
    found.push(EqualArgument { op, argument, value, kind });
}

/// The one value that comes on every way, the choice itself apart.
fn one_value(choice: &Choice, replaced: &Replaced) -> Option<ValueId> {
    if !choice.sees_its_ways {
        return None;
    }
    let mut one = None;
    for &way in &choice.ways {
        let value = replaced.get(way);
        if value != choice.value && *one.get_or_insert(value) != value {
            return None;
        }
    }
    one
}

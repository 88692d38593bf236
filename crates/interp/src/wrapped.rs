//! The mark of overflow: which values are wrapped, and how operations propagate the mark (SEMANTICS: I1, I2).
//!
//! An integer of a lane knows whether it is, or is computed from, the wrapped result of an overflow; where such a value
//! is *used* is an event. Operators propagate the mark by themselves (`ops`), scalars of the program keep it
//! (`memory`); this module is for code that computes without regard to it: calls and choices. A float has no mark. So a
//! run only records that a wrapped integer became one: whether that float is used is unknown, so there is no event, but
//! a run with this record proves nothing where overflow is assumed not to happen.

use super::{EventKind, exec::Machine, ops::Val};

/// Returns true if a value, or a lane of it, is wrapped.
pub(super) fn is_wrapped(value: &Val) -> bool {
    match value {
        Val::Int(_, wrapped) => *wrapped,
        Val::Vector(lanes) => lanes.iter().any(is_wrapped),
        _ => false,
    }
}

impl Machine<'_> {
    /// Marks a value as wrapped if one of its operands is.
    pub(super) fn carry(&mut self, is_from_wrapped: bool, value: Val) -> Val {
        if !is_from_wrapped {
            return value;
        }
        match value {
            Val::Int(value, _) => Val::Int(value, true),
            Val::Vector(lanes) => {
                let lanes = lanes.iter().map(|it| self.carry(true, it.clone())).collect();
                Val::Vector(lanes)
            }
            Val::Float(_) => {
                self.has_lost_overflow = true;
                value
            }
            other => other,
        }
    }

    /// A value that is stored, returned, or passed to an operation with effects: an event if it is wrapped.
    pub(super) fn mark_used(&mut self, value: &Val) {
        if is_wrapped(value) {
            self.event(EventKind::Overflow);
        }
    }
}

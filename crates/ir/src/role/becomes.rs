//! What may stand in the place of an operand: another expression of its value, a constant, an element, a name.
//!
//! In: an operand, in a node or as an occurrence, and what is to stand there. Out: whether that is read there as the
//! operand was. Its [`Role`] decides first. Then what is new decides: a constant may not fit, nothing is divided by a
//! zero that can be seen, and an element may be meant as a place there, not as its value. O(lists around).

use super::{Role, Roles, has_annotation, of_child};
use crate::{
    Body, ExprId, ExprKind, OccurrenceId, Occurrences,
    effects::{EffectTable, Element, is_list},
};

/// Whether the `index`-th operand of a node, as [`Body::each_child`] counts them, may be `new` instead, which has its
/// value.
pub fn may_become(
    body: &Body,
    effects: &EffectTable,
    parent: ExprId,
    index: usize,
    new: ExprId,
) -> bool {
    let role = of_child(body, parent, index, body.children(parent)[index]);
    let around = body.expr(parent).kind;
    let is_read = match (body.expr(new).kind, around) {
        (ExprKind::Load { .. }, ExprKind::Call { .. }) => {
            effects.element(body, around, index) == Element::Value
        }
        // An item of a list is what the list is.
        (ExprKind::Load { .. }, list) => !is_list(list),
        _ => fits(body, Some((around, index)), role, new),
    };
    role.takes_equal() && is_read
}

/// Whether a constant fits where it stands.
fn fits(body: &Body, around: Option<(ExprKind, usize)>, role: Role, new: ExprId) -> bool {
    let node = body.expr(new);
    match around {
        _ if !node.is_constant() => true,
        // Python and TVM refuse to read it.
        Some((ExprKind::Binary(op, ..), 1))
            if op.is_division() && node.kind == ExprKind::Int(0) =>
        {
            false
        }
        // Beside a number of Python it would be one too, computed with it where it is read.
        Some((ExprKind::Binary(_, lhs, rhs), index)) => {
            !body.expr(if index == 0 { rhs } else { lhs }).flags.has_unknown
        }
        _ => role.takes_constant(),
    }
}

/// Whether an occurrence is an argument that may be meant as a place if it is an element, not as its value: of a call
/// that takes an address, or that writes some operand. Nothing can stand for an element there but itself, and nothing
/// else may become one.
pub fn is_place(
    body: &Body,
    occurrences: &Occurrences,
    effects: &EffectTable,
    occurrence: OccurrenceId,
) -> bool {
    let (mut at, mut parent) = (occurrence, occurrences[occurrence].parent);
    // A list of places.
    while let Some(list) = parent
        && is_list(body.expr(occurrences[list].expr).kind)
    {
        (at, parent) = (list, occurrences[list].parent);
    }
    let Some(parent) = parent else { return false };
    let call = body.expr(occurrences[parent].expr).kind;
    matches!(call, ExprKind::Call { .. })
        && effects.element(body, call, occurrences.index_in(parent, at)) != Element::Value
}

impl Roles {
    /// Whether `new`, which has the value of an occurrence, may stand in its place while what stands beside it stays.
    pub fn may_become(
        &self,
        body: &Body,
        occurrences: &Occurrences,
        effects: &EffectTable,
        occurrence: OccurrenceId,
        new: ExprId,
    ) -> bool {
        self.role(occurrence).takes_equal()
            && self.is_read_there(body, occurrences, effects, occurrence, new)
    }

    /// Whether `new` is read in the place of an occurrence as its value, whatever its role sees of it: for who puts
    /// something in the places of all that is seen together.
    pub fn is_read_there(
        &self,
        body: &Body,
        occurrences: &Occurrences,
        effects: &EffectTable,
        occurrence: OccurrenceId,
        new: ExprId,
    ) -> bool {
        if matches!(body.expr(new).kind, ExprKind::Load { .. }) {
            return !is_place(body, occurrences, effects, occurrence);
        }
        let around = occurrences[occurrence].parent.map(|parent| {
            let index = occurrences.index_in(parent, occurrence);
            (body.expr(occurrences[parent].expr).kind, index)
        });
        fits(body, around, self.role(occurrence), new)
    }

    /// Whether a variable that holds the value of an occurrence may stand in its place, and may be declared.
    pub fn may_become_name(
        &self,
        body: &Body,
        occurrences: &Occurrences,
        effects: &EffectTable,
        occurrence: OccurrenceId,
    ) -> bool {
        self.role(occurrence).takes_name()
            && !is_place(body, occurrences, effects, occurrence)
            && has_annotation(body.ty(occurrences[occurrence].expr))
    }
}

//! Substitution for operands: another expression of the same value, a constant, an element, a name.
//!
//! In: an operand, in a node or as an occurrence, and its replacement. Out: whether the replacement is read there as
//! the operand was. The [`Role`] of the operand decides first. Then the replacement decides: a constant may not fit, a
//! divisor must not become a literal zero, and an element may be meant as a place there instead of a value.
//! O(lists around).

use rustc_hash::FxHashSet;

use super::{
    Role, Roles,
    folded::{is_judged, may_be_constant},
    has_annotation, of_child,
};
use crate::{
    Body, ExprId, ExprKind, OccurrenceId, Occurrences, Type,
    effects::{EffectTable, Element, is_list},
};

/// Returns true if the `index`-th operand of a node, as [`Body::each_child`] counts them, may be replaced by `new`,
/// which has its value.
pub fn may_become(
    body: &Body,
    effects: &EffectTable,
    parent: ExprId,
    index: usize,
    new: ExprId,
) -> bool {
    let old = body.children(parent)[index];
    let role = of_child(body, parent, index, old);
    let around = body.expr(parent).kind;
    if is_judged(body, effects, parent, index) && is_constant_then(body, old, new) {
        return false;
    }
    let is_read = match (body.expr(new).kind, around) {
        (ExprKind::Load { .. }, ExprKind::Call { .. }) => {
            effects.element(body, around, index) == Element::Value
        }
        // An item of a list is what the list is.
        (ExprKind::Load { .. }, list) => !is_list(list),
        // What it is cast to is not known: perhaps it is not cast at all.
        (kind, ExprKind::Cast(_)) if body.ty(parent) == Type::Unknown => {
            !matches!(kind, ExprKind::Int(_) | ExprKind::Float(_))
        }
        _ => fits(body, Some((around, index)), role, new),
    };
    role.takes_equal() && is_read
}

/// Returns true if an operand would be a constant, that is not seen to be fine, where it is read, and was none.
fn is_constant_then(body: &Body, old: ExprId, new: ExprId) -> bool {
    !matches!(body.expr(new).kind, ExprKind::Int(it) if it > 0)
        && may_be_constant(body, new)
        && (!may_be_constant(body, old) || has_choice(body, old) && !has_choice(body, new))
}

/// Returns true if a `T.if_then_else` is in an operand: a constant that TVM makes of it is none of Python. O(nodes).
fn has_choice(body: &Body, expr: ExprId) -> bool {
    let mut seen = FxHashSet::default();
    let mut stack = vec![expr];
    while let Some(at) = stack.pop() {
        if !seen.insert(at) {
            continue;
        }
        let node = body.expr(at);
        if matches!(node.kind, ExprKind::IfThenElse(..)) {
            return true;
        }
        // A choice counts as a call.
        if node.flags.has_call {
            body.each_child(node.kind, &mut |it| stack.push(it));
        }
    }
    false
}

/// Returns true if a constant fits where it stands.
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
        // Beside a number of Python it would be one too, computed with it where it is read, if it is written without
        // its type.
        Some((ExprKind::Binary(_, lhs, rhs), index)) => {
            let beside = body.expr(if index == 0 { rhs } else { lhs }).flags;
            let is_bare = !node.ty.prim().is_some_and(|it| it.is_integer() && it.bits == 64);
            !(is_bare && (beside.has_unknown || beside.has_captured))
        }
        _ => role.takes_constant(),
    }
}

/// Returns true if an occurrence is an argument that may be meant as a place if it is an element, instead of a value:
/// of a call that takes an address, or that writes some operand. Nothing may be substituted for an element there, and
/// nothing else may become one.
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
    /// Returns true if `new`, which has the value of an occurrence, may replace it while the operands beside it stay.
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

    /// Returns true if `new` is read as a value in the place of an occurrence, whatever role sees it: for passes that
    /// replace all parts that are seen together.
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
        let around = occurrences[occurrence]
            .parent
            .map(|parent| (occurrences[parent].expr, occurrences.index_in(parent, occurrence)));
        if let Some((parent, index)) = around
            && is_judged(body, effects, parent, index)
            && is_constant_then(body, occurrences[occurrence].expr, new)
        {
            return false;
        }
        let around = around.map(|(parent, index)| (body.expr(parent).kind, index));
        fits(body, around, self.role(occurrence), new)
    }

    /// Returns true if a variable that holds the value of an occurrence may replace it, and may be declared.
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

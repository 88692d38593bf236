//! Integers that int32 cannot hold.
//!
//! In: the facts. Out: a finding for each sum, difference or product of int32 that is 2^31 or more (or less than -2^31)
//! for values that occur, with the extent that lets it grow. What only makes up an index of an access by sums and
//! products is not told: TileLang widens such an index (its `ConfigIndexBitwidth`, by the bounds of the whole index).
//! It widens nothing else: a product that is divided, compared, converted or bound to a name wraps before that.
//! O(operands), and a bounded search for each that constants let grow so far.

use ir::{
    BinaryOp, Body, DataType, ExprId, ExprKind, OccurrenceId, OpId, OpKind, Type,
    plan::finding::{Place, Related, Role},
};

use super::{
    super::{Finding, FindingFacts, FindingKind, FindingRule, Sentence, Word, edit_title},
    around::{self, Around},
    told,
    witness::{Key, Names, Values, domain, evaluate, is_entered, search, words},
};
use crate::ops::findings::OFFSET_OVERFLOW as RULE;

/// An integer that int32 cannot hold.
pub(in super::super) const OFFSET_OVERFLOW: FindingRule =
    FindingRule { rule: RULE, plan, title: edit_title, is_unnecessary: false };

/// The loop or launch whose extent lets the integer grow.
const GROWS: Role = Role("its extent lets it grow so far");

fn plan(facts: &FindingFacts<'_>, found: &mut Vec<Finding>) {
    let (body, occurrences) = (facts.body, facts.occurrences);
    if super::launches(body).next().is_none() || around::has_jumps(body, occurrences) {
        return;
    }
    let mut told_of: Vec<ExprId> = Vec::new();
    let mut around: (Option<OpId>, Option<Around>) = (None, None);
    for (id, occurrence) in occurrences.iter() {
        if !is_arithmetic(body, occurrence.expr) || told_of.contains(&occurrence.expr) {
            continue;
        }
        if around.0 != Some(occurrence.op) {
            around = (Some(occurrence.op), around::of_op(facts, occurrence.op));
        }
        let Some(outside) = &around.1 else { continue };
        let is_far = greatest(body, outside, occurrence.expr).is_some_and(|it| it > LARGEST);
        if !is_far || is_widened(facts, id) {
            continue;
        }
        let Some(here) = around::of_occurrence(facts, id) else { continue };
        let Some(finding) = finding(body, id, occurrence.expr, &here) else { continue };
        told_of.push(occurrence.expr);
        found.push(finding);
    }
}

/// Returns true if constants and extents show that int32 holds an occurrence, or if the finding about it is proven.
pub(super) fn is_decided(facts: &FindingFacts<'_>, id: OccurrenceId) -> bool {
    let (body, expr) = (facts.body, facts.occurrences[id].expr);
    around::of_occurrence(facts, id).is_some_and(|it| {
        greatest(body, &it, expr).is_some_and(|it| it <= LARGEST)
            || finding(body, id, expr, &it).is_some()
    })
}

/// The largest int32.
const LARGEST: i128 = i32::MAX as i128;

fn finding(body: &Body, id: OccurrenceId, expr: ExprId, around: &Around) -> Option<Finding> {
    let mut value = 0;
    let mut happens = |values: &Values| match evaluate(body, values, expr) {
        // Told at the innermost: its operands are still right.
        Some(it) if !is_held(it) && operands_are_held(body, values, expr) => {
            value = it;
            true
        }
        _ => false,
    };
    let values = search(body, around, &[expr], &mut happens)?;
    let place = Place::Occurrence(id);
    let conditions = around.guards.iter().map(|it| it.0);
    let for_which = words(body, &values, conditions.chain([expr]));
    let text = format!(" is {value}{for_which}, which int32 cannot hold");
    let message = Sentence::of([place.into(), Word::Text(text.into())]);
    let mut finding = told(FindingKind::OffsetOverflow, place, message);
    finding.is_shown = is_entered(body, around, &values);
    finding.related.extend(growing(body, around, &values, expr));
    Some(finding)
}

/// The variable without which the integer would be the least far from zero.
fn growing(body: &Body, around: &Around, values: &Values, expr: ExprId) -> Option<Related> {
    let mut names = Names::default();
    names.add(body, expr);
    let without = |key: Key, first: i128| {
        let changed: Values =
            values.iter().map(|&it| if it.0 == key { (key, first) } else { it }).collect();
        evaluate(body, &changed, expr).map(i128::abs)
    };
    let named = around.loops.iter().filter(|it| names.has(Key::Loop(it.var)));
    let least = named.filter_map(|it| {
        let first = domain(body, values, it)?.0;
        Some((without(Key::Loop(it.var), first)?, it.var))
    });
    let (_, var) = least.min_by_key(|it| it.0)?;
    Some(Related { place: Place::Value(var), role: GROWS })
}

fn is_held(value: i128) -> bool {
    (-LARGEST - 1..=LARGEST).contains(&value)
}

fn operands_are_held(body: &Body, values: &Values, expr: ExprId) -> bool {
    let mut all = true;
    body.each_child(body.expr(expr).kind, &mut |it| {
        all &= evaluate(body, values, it).is_some_and(is_held);
    });
    all
}

/// Returns true for a sum, difference or product of int32.
pub(super) fn is_arithmetic(body: &Body, expr: ExprId) -> bool {
    let is_op = matches!(
        body.expr(expr).kind,
        ExprKind::Binary(BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul, ..)
    );
    is_op && body.ty(expr) == Type::Prim(DataType::INT32)
}

/// Returns true if an occurrence only makes up an index of an access, by sums and products.
pub(super) fn is_widened(facts: &FindingFacts<'_>, id: OccurrenceId) -> bool {
    let (body, occurrences) = (facts.body, facts.occurrences);
    let mut at = id;
    while let Some(parent) = occurrences[at].parent {
        match body.expr(occurrences[parent].expr).kind {
            ExprKind::Binary(BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul, ..) => at = parent,
            ExprKind::Load { .. } | ExprKind::Region(..) | ExprKind::Slice { .. } => return true,
            ExprKind::Ramp { .. } => return true,
            _ => return false,
        }
    }
    matches!(body.ops[occurrences[at].op].kind, OpKind::Store { .. }) && occurrences[at].operand > 0
}

/// The greatest distance from zero that constants and extents allow; none if a name in it is not known. O(nodes),
/// which are few: each node is looked at once a path.
fn greatest(body: &Body, around: &Around, expr: ExprId) -> Option<i128> {
    greatest_within(body, around, expr, &mut { MOST_NODES })
}

/// Nodes that are looked at for one integer.
const MOST_NODES: u32 = 200;

fn greatest_within(body: &Body, around: &Around, expr: ExprId, nodes: &mut u32) -> Option<i128> {
    *nodes = nodes.checked_sub(1)?;
    let mut of =
        |it: ExprId| ir::stack::with_room(|| greatest_within(body, around, it, &mut *nodes));
    match body.expr(expr).kind {
        ExprKind::Int(it) => Some(i128::from(it).abs()),
        ExprKind::Value(value) => {
            if let Some(definition) = super::witness::definition(body, value) {
                return of(definition);
            }
            let it = around.loops.iter().find(|it| it.var == value)?;
            let (min, extent) = (of(it.min)?, of(it.extent)?);
            min.checked_add(extent)
        }
        ExprKind::Call { .. } => Some(1024),
        ExprKind::Binary(BinaryOp::Add | BinaryOp::Sub, a, b) => of(a)?.checked_add(of(b)?),
        ExprKind::Binary(BinaryOp::Mul, a, b) => of(a)?.checked_mul(of(b)?),
        ExprKind::Binary(BinaryOp::FloorMod | BinaryOp::Mod, a, b) => Some(of(a)?.min(of(b)?)),
        ExprKind::Binary(BinaryOp::FloorDiv | BinaryOp::Div, a, _) => of(a),
        ExprKind::Binary(BinaryOp::Min | BinaryOp::Max, a, b) => Some(of(a)?.max(of(b)?)),
        ExprKind::Cast(it) => of(it),
        _ => None,
    }
}

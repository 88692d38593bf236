//! Diagnostics of a unit after reading: uses that their definition does not dominate, unknown operations.
//!
//! Dominance is the verifier's, which runs only where a name was used before its definition or a region has several
//! blocks: everywhere else names are visible only behind their definition. Linear.

use std::collections::BTreeMap;

use ir::{
    Body, ExprKind, OpId, OpKind, ValueId, ValueKind, effects::EffectTable, effects::MatchKind,
    effects::Namespace, verify::verify,
};
use parser::mlir::Shapes;
use rustc_hash::FxHashSet;
use syntax::TextRange;

use super::forms;
use crate::{
    diagnostic_list::DiagnosticList,
    ops::{
        Diagnostic, OpSourceMap, Severity,
        codes::{UNKNOWN_OPERATION, UNREAD_OPERATION, USE_BEFORE_DEFINITION, declare},
    },
};

/// Returns the diagnostics that reading has reported, and those of the whole unit, in the order of the text.
pub(super) fn of_body(
    text: &str,
    body: &Body,
    map: &OpSourceMap,
    check_dominance: bool,
    mut said: DiagnosticList,
) -> Vec<Diagnostic> {
    if check_dominance {
        dominance(text, body, map, &mut said);
    }
    unknown_operations(body, map, &mut said);
    said.into_sorted()
}

/// Values whose definition does not dominate a use, each once: at the first of these uses, with the number of others.
fn dominance(text: &str, body: &Body, map: &OpSourceMap, out: &mut DiagnosticList) {
    let mut seen = FxHashSet::default();
    let found = verify(body).into_iter().filter_map(|it| Some((it.op?, it.value?)));
    let is_told = |&(op, value): &(OpId, ValueId)| {
        has_order(body, value) && !is_in_unread_definition(body, op, value)
    };
    let found = found.filter(|it| is_told(it) && seen.insert(*it));
    let mut uses: BTreeMap<ValueId, Vec<TextRange>> = BTreeMap::new();
    for (op, value) in found {
        let of_op = map.uses_of(op).zip(values(body, op));
        let of_value = of_op.filter(|(range, it)| *it == Some(value) && !range.is_empty());
        uses.entry(value).or_default().extend(of_value.map(|it| it.0));
    }
    for (value, ranges) in uses {
        let Some(&range) = ranges.iter().min_by_key(|it| (it.start(), it.end())) else { continue };
        let name = match body.name(body.values[value].name) {
            // The body may have no names.
            "" => text[map.definition(value)].split(':').next().unwrap_or_default().trim_end(),
            name => name.split('#').next().unwrap_or(name),
        };
        let others = match ranges.len() {
            1 => String::new(),
            2 => ", nor before another one".to_owned(),
            n => format!(", nor before {} others", n - 1),
        };
        out.push(Diagnostic {
            code: USE_BEFORE_DEFINITION,
            severity: Severity::Error,
            range,
            message: format!(
                "the definition of `{name}` does not come before this use on every path{others}"
            ),
            related: vec![(map.definition(value), "it is defined here".to_owned())],
            ..Diagnostic::default()
        });
    }
}

/// Returns true if a value is used by the operation that defines it, or inside of it, and the form of that is not
/// known: what seems to be a part of it may be the next operation.
fn is_in_unread_definition(body: &Body, op: OpId, value: ValueId) -> bool {
    let ValueKind::Result(definition, _) = body.values[value].kind else { return false };
    let mut around = std::iter::successors(Some(op), |it| body.parent_op(*it));
    matches!(body.ops[definition].kind, OpKind::Opaque(_)) && around.any(|it| it == definition)
}

/// Returns true if the region in which a value is defined certainly has an order: it belongs to a known operation, or
/// has several blocks, as regions without order have one at most.
fn has_order(body: &Body, value: ValueId) -> bool {
    let block = match body.values[value].kind {
        ValueKind::Result(op, _) => body.ops[op].parent,
        ValueKind::BlockArg(block, _) => block,
        _ => return false,
    };
    let region = &body.regions[body.blocks[block].parent];
    let Some(parent) = region.parent.filter(|_| region.blocks.len() < 2) else { return true };
    let (name, shapes) = (name_of(body, parent), Shapes::builtin());
    forms::rule_number(name) != 0 || shapes.is_function(name) || shapes.is_module(name)
}

fn values(body: &Body, op: OpId) -> impl Iterator<Item = Option<ValueId>> + '_ {
    let data = &body.ops[op];
    let args = data.successors.iter().flat_map(|it| body.items(it.args));
    data.operands.iter().chain(args).map(|&it| match body.expr(it).kind {
        ExprKind::Value(value) => Some(value),
        _ => None,
    })
}

fn name_of(body: &Body, op: OpId) -> &str {
    match body.ops[op].kind {
        OpKind::Named(name) | OpKind::Opaque(name) => body.name(name),
        _ => "",
    }
}

/// Operations without effects in the table, and such as have effects but a form that is not known: each name once,
/// where it stands first.
fn unknown_operations(body: &Body, map: &OpSourceMap, out: &mut DiagnosticList) {
    let mut seen = FxHashSet::default();
    let mut last = None;
    for (op, data) in body.ops.iter() {
        let (OpKind::Named(name) | OpKind::Opaque(name)) = data.kind else { continue };
        let is_read = matches!(data.kind, OpKind::Named(_));
        // Neighbours often have one name.
        if last.replace((name, is_read)) == Some((name, is_read)) || !seen.insert((name, is_read)) {
            continue;
        }
        let text = body.name(name);
        if !is_known(text) {
            // Both forms are one name.
            if seen.insert((name, !is_read)) {
                out.push(Diagnostic {
                    code: UNKNOWN_OPERATION,
                    severity: Severity::Hint,
                    range: map.op_name(op),
                    message: format!(
                        "the effects of `{text}` are unknown: nothing is merged with it or moved over it"
                    ),
                    help: Some(declare("mlir", text)),
                    ..Diagnostic::default()
                });
            }
        } else if !is_read && text.contains('.') && Shapes::builtin().shape_of(text).is_none() {
            out.push(unread_operation(text, map.op_name(op)));
        }
    }
}

/// Returns true if the effects of an operation are known, or it is part of the structure of a file.
pub fn is_known(name: &str) -> bool {
    let shapes = Shapes::builtin();
    !name.contains('.')
        || shapes.is_function(name)
        || shapes.is_module(name)
        || EffectTable::builtin().explain(Namespace::Mlir, name).kind != MatchKind::Default
}

/// Returns the diagnostic for an operation whose effects are known, but not the form in which it is written.
pub fn unread_operation(name: &str, range: TextRange) -> Diagnostic {
    Diagnostic {
        code: UNREAD_OPERATION,
        severity: Severity::Hint,
        range,
        message: format!(
            "the form in which `{name}` is written is not known: nothing is merged with it or moved over it"
        ),
        help: Some("the generic form is understood".to_owned()),
        ..Diagnostic::default()
    }
}

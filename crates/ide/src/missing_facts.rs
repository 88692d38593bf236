//! Missing facts: what nothing shows, and would decide what is refused or left as it is.
//!
//! A value that may trap where it would be computed once is left where it is; so is a guard that does not hold for all
//! that is known, a division whose divisor may be negative, a cast of a sum that may overflow. In: such a place. Out:
//! the fact that decides it (`n > 0`: a negative divisor may overflow; `m <= n`: a guard holds in all iterations), in
//! words and as code actions that write it into the function: `T.assume`, which is believed, and `assert`, which is
//! checked when the function runs. It stands before the outermost statement around the first use at which its names are
//! visible. An action is offered only if the plans for the function with it save more: O(function) for each fact, on
//! request, for a bounded number of them.

pub(crate) mod operations;

use db::{PlacedUnit, RootDatabase};
use ir::{
    BinaryOp, Body, ExprKind, OccurrenceId, OpId, ValueId,
    arena::Id as _,
    plan::{CsePlan, Decision, Refusal, simplify::SimplifyPlan},
};
use syntax::{Edit, TextEdit, TextRange};

use crate::{
    code_action::{ActionKind, CodeAction},
    deciding_fact::{fact, names},
    lacking::{lacks, may_be_stated},
    plan_text::PlanText,
};

/// Facts about guards, casts and divisions that are tried at one place: for each the function is planned again.
const MOST_TRIED: usize = 4;
/// Functions of more expressions are not planned again for these.
const MOST_EXPRESSIONS: usize = 20_000;

/// The actions that write the missing facts of the values in a range.
pub(crate) fn fact_actions(
    db: &RootDatabase,
    at: &PlacedUnit<'_>,
    range: TextRange,
) -> Vec<CodeAction> {
    let text = PlanText::new(db, at.unit);
    let mut res = Vec::new();
    let mut known: Vec<String> = Vec::new();
    for group in &text.plan.groups {
        let Decision::Refuse(Refusal::MayTrap { culprit, .. }) = group.decision else { continue };
        let touches = |place| at.to_file(place).intersect(range).is_some();
        let mut real = group.occurrences.iter().filter(|it| text.map.is_real(**it));
        let is_meant = real.clone().any(|it| touches(text.map.occurrence_range(*it)));
        let (true, Some(first)) = (is_meant, real.next()) else { continue };
        let Some(fact) = fact(text.body, culprit).filter(|it| !known.contains(it)) else {
            continue;
        };
        let names = names(text.body, [culprit]);
        let before = written_before(db, at, &text, *first, &names);
        if before.is_none_or(|it| !may_be_stated(db, at.unit, culprit, *first, it)) {
            continue;
        }
        let wanted = Wanted { fact: &fact, names: &names, use_at: *first };
        let outcome = format!("`{}` is computed once", text.expr(*first));
        res.extend(actions(db, at, &text, wanted, &outcome, &|edit| saves_more(db, at, edit)));
        known.push(fact);
    }
    if text.body.n_exprs() <= MOST_EXPRESSIONS {
        res.extend(about_expressions(db, at, &text, range, &mut known));
    }
    res
}

/// The actions about the guards, casts and divisions around a range, innermost first.
fn about_expressions(
    db: &RootDatabase,
    at: &PlacedUnit<'_>,
    text: &PlanText<'_>,
    range: TextRange,
    known: &mut Vec<String>,
) -> Vec<CodeAction> {
    let occurrences = db::occurrences(db, at.unit);
    let is_asked = |it: OccurrenceId| {
        let place = text.map.occurrence_range(it);
        text.map.is_real(it)
            && at.to_file(place).contains_range(range)
            && text.map.is_written(occurrences[it].op)
            && is_decided_by_facts(text.body, &text.body.expr(occurrences[it].expr).kind)
    };
    let mut asked: Vec<OccurrenceId> =
        (0..occurrences.len()).map(OccurrenceId::new).filter(|it| is_asked(*it)).collect();
    asked.reverse();
    let mut res = Vec::new();
    let mut n_tried = 0;
    for occurrence in asked {
        let before = |names: &[ValueId]| written_before(db, at, text, occurrence, names);
        for lack in lacks(db, at.unit, occurrence, &before) {
            if n_tried == MOST_TRIED || known.contains(&lack.fact) {
                continue;
            }
            n_tried += 1;
            let wanted = Wanted { fact: &lack.fact, names: &lack.names, use_at: occurrence };
            let outcome = match lack.same_over {
                Some(lane) => format!(
                    "`{}` is the same for each `{}`",
                    text.expr(occurrence),
                    text.body.name(text.body.values[lane].name)
                ),
                None => format!("`{}` is simpler", text.expr(occurrence)),
            };
            let is_better = |edit: &Edit| simplifies_more(db, at, edit);
            res.extend(actions(db, at, text, wanted, &outcome, &is_better));
            known.push(lack.fact);
        }
    }
    res
}

/// Returns true for what a fact may decide: comparisons, divisions, casts.
fn is_decided_by_facts(body: &Body, kind: &ExprKind) -> bool {
    match *kind {
        ExprKind::Binary(op, ..) => {
            let is_order = matches!(op, BinaryOp::Lt | BinaryOp::Le | BinaryOp::Gt | BinaryOp::Ge);
            op.is_division() || is_order
        }
        ExprKind::Cast(value) => body.dtype(value).is_some_and(|it| it.is_integer()),
        _ => false,
    }
}

/// A fact to write, the names in it, and the use that it is for.
struct Wanted<'a> {
    fact: &'a str,
    names: &'a [ValueId],
    use_at: OccurrenceId,
}

/// The actions that write a fact, if that is better.
fn actions(
    db: &RootDatabase,
    at: &PlacedUnit<'_>,
    text: &PlanText<'_>,
    wanted: Wanted<'_>,
    outcome: &str,
    is_better: &dyn Fn(&Edit) -> bool,
) -> Vec<CodeAction> {
    let Wanted { fact, names, use_at } = wanted;
    let before = written_before(db, at, text, use_at, names);
    let Some(site) = before.and_then(|it| text.map.site(it)) else { return Vec::new() };
    let ways = [
        (format!("Assume `{fact}`, so that {outcome}"), format!("T.assume({fact})")),
        (format!("Assert `{fact}`, so that {outcome}"), format!("assert {fact}, \"{fact}\"")),
    ];
    let mut res = Vec::new();
    for (title, line) in ways {
        let range = TextRange::empty(site.offset);
        let edit = Edit { range, text: format!("{line}\n{}", site.indent) };
        if is_better(&edit) {
            let edits = vec![Edit { range: at.to_file(edit.range), ..edit }];
            let action = CodeAction::without_edits(title, ActionKind::QuickFix);
            res.push(CodeAction { edits, ..action });
        }
    }
    res
}

/// The outermost statement around an occurrence that sees some names and has a place for a statement before it.
fn written_before(
    db: &RootDatabase,
    at: &PlacedUnit<'_>,
    text: &PlanText<'_>,
    occurrence: OccurrenceId,
    names: &[ValueId],
) -> Option<OpId> {
    let body = text.body;
    let analyses = db::analyses(db, at.unit);
    let scopes = analyses.scopes();
    let mut found = None;
    let mut around = Some(db::occurrences(db, at.unit)[occurrence].op);
    while let Some(op) = around {
        if names.iter().all(|it| scopes.sees(body, op, *it)) && text.map.site(op).is_some() {
            found = Some(op);
        }
        around = body.regions[body.blocks[body.ops[op].parent].parent].parent;
    }
    found
}

/// Returns true if sharing saves more in the function after an edit.
fn saves_more(db: &RootDatabase, at: &PlacedUnit<'_>, edit: &Edit) -> bool {
    let saved = |plan: &CsePlan| -> u64 {
        plan.groups.iter().filter(|it| it.decision.is_applied()).map(PlanText::saves).sum()
    };
    let Ok(edit) = TextEdit::from_edits(vec![edit.clone()]) else { return false };
    db::plan_after(db, at.unit, &edit)
        .is_some_and(|plan| saved(&plan) > saved(db::cse_plan(db, at.unit)))
}

/// Returns true if simplifying saves more in the function after an edit.
fn simplifies_more(db: &RootDatabase, at: &PlacedUnit<'_>, edit: &Edit) -> bool {
    let saved =
        |plan: &SimplifyPlan| -> u64 { plan.items.iter().map(|it| u64::from(it.saves)).sum() };
    let Ok(edit) = TextEdit::from_edits(vec![edit.clone()]) else { return false };
    db::simplifications_after(db, at.unit, &edit)
        .is_some_and(|plan| saved(&plan) > saved(db::simplifications(db, at.unit)))
}

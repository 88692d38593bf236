//! Missing facts: what nothing shows, and would decide a refusal.
//!
//! A value that may trap where it would be computed once is left where it is. In: such a refusal. Out: the fact that
//! decides it (`n > 0`: a negative divisor may overflow), in words and as code actions that write it into the function:
//! `T.assume`, which is believed, and `assert`, which is checked when the function runs. It stands before the outermost
//! statement around the first use at which its names are visible. An action is offered only if the plan for the
//! function with it saves more: O(function) for each fact, on request.

use dataflow::scopes::ScopeTree;
use db::{PlacedUnit, RootDatabase};
use frontend::tvmscript::Site;
use ir::{
    ExprId, ExprKind, OpId,
    plan::{CsePlan, Decision, Refusal},
};
use syntax::{Edit, TextEdit, TextRange};

use crate::{
    code_action::{ActionKind, CodeAction},
    deciding_fact::fact,
    plan_text::PlanText,
};

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
        let op = db::occurrences(db, at.unit)[*first].op;
        let analyses = db::analyses(db, at.unit);
        let Some(site) = site(&text, analyses.scopes(), op, culprit) else { continue };
        let value = text.expr(*first);
        for (title, line) in [
            (
                format!("Assume `{fact}`, so that `{value}` is computed once"),
                format!("T.assume({fact})"),
            ),
            (
                format!("Assert `{fact}`, so that `{value}` is computed once"),
                format!("assert {fact}, \"{fact}\""),
            ),
        ] {
            let edit = Edit {
                range: TextRange::empty(site.offset),
                text: format!("{line}\n{}", site.indent),
            };
            if saves_more(db, at, &edit) {
                let edits = vec![Edit { range: at.to_file(edit.range), ..edit }];
                let action = CodeAction::without_edits(title, ActionKind::QuickFix);
                res.push(CodeAction { edits, ..action });
            }
        }
        known.push(fact);
    }
    res
}

/// The place for a statement before the outermost statement around an operation that sees what an expression names.
fn site<'a>(text: &PlanText<'a>, scopes: &ScopeTree, op: OpId, about: ExprId) -> Option<&'a Site> {
    let body = text.body;
    let mut names = Vec::new();
    let mut todo = vec![about];
    while let Some(expr) = todo.pop() {
        let kind = body.expr(expr).kind;
        if let ExprKind::Value(value) = kind {
            names.push(value);
        }
        body.each_child(kind, &mut |child| todo.push(child));
    }
    let mut found = None;
    let mut around = Some(op);
    while let Some(at) = around {
        if names.iter().all(|it| scopes.sees(body, at, *it)) {
            found = text.map.site(at).or(found);
        }
        around = body.regions[body.blocks[body.ops[at].parent].parent].parent;
    }
    found
}

/// Returns true if more is saved in the function after an edit.
fn saves_more(db: &RootDatabase, at: &PlacedUnit<'_>, edit: &Edit) -> bool {
    let saved = |plan: &CsePlan| -> u64 {
        plan.groups.iter().filter(|it| it.decision.is_applied()).map(PlanText::saves).sum()
    };
    let Ok(edit) = TextEdit::from_edits(vec![edit.clone()]) else { return false };
    db::plan_after(db, at.unit, &edit)
        .is_some_and(|plan| saved(&plan) > saved(db::cse_plan(db, at.unit)))
}

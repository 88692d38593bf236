//! Code actions: bind shared values in the text; and what the files beside this one offer.
//!
//! One expression, all of a function, all of a file (`source.fixAll`). The last leaves functions alone whose blocks can
//! still be scheduled; in those the others say so in their title.

use db::{Database as _, Db, Function, RootDatabase, SourceFile};
use frontend::tvmscript::edits::{Selection, cse_edits};
use ir::plan::{CseGroup, Decision, PartialObstacle, Refusal};
use syntax::{Edit, Language, TextRange};

use crate::{
    finding_actions::{fix_all_edits, quick_fixes},
    function_at::{FunctionAt, functions_in},
    ignore::ignore_actions,
    inline::inline_actions,
    ops,
    plan_text::PlanText,
    simplifications,
};

/// What an action is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ActionKind {
    /// Does what a diagnostic asks for.
    QuickFix,
    /// Gives an expression a name.
    Extract,
    /// Puts a value in the places of its name.
    Inline,
    /// Does all that is safe in a file.
    FixAll,
}

/// Something that can be done.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CodeAction {
    /// What it says.
    pub title: String,
    /// Kind.
    pub kind: ActionKind,
    /// Whether it is what most people want here.
    pub is_preferred: bool,
    /// The edits, in text order; they do not overlap.
    pub edits: Vec<Edit>,
    /// Why it cannot be done; it has no edits then.
    pub disabled: Option<String>,
}

/// What an action says that gives a value a name in a function whose blocks can still be scheduled.
pub(crate) const STILL_SCHEDULED: &str = " (later scheduling of its blocks may fail)";

pub(crate) fn code_actions(
    db: &RootDatabase,
    file: SourceFile,
    range: TextRange,
    wants: &dyn Fn(ActionKind) -> bool,
) -> Vec<CodeAction> {
    if db::language(db, file) != Language::TvmScript {
        return ops::actions::code_actions(db, file, range, wants);
    }
    let mut res = Vec::new();
    // Where both are wanted, extracting is said once.
    let kind = [ActionKind::Extract, ActionKind::QuickFix].into_iter().find(|it| wants(*it));
    if let Some(kind) = kind {
        for at in functions_in(db, file, Some(range)) {
            res.extend(in_function(db, at, range, kind));
        }
    }
    for at in functions_in(db, file, Some(range)) {
        if wants(ActionKind::QuickFix) {
            res.extend(quick_fixes(db, at, range));
            res.extend(simplifications::quick_fixes(db, at, range));
            res.extend(ignore_actions(db, at, range));
        }
        if wants(ActionKind::Inline) {
            res.extend(inline_actions(db, at, range));
        }
    }
    if wants(ActionKind::FixAll) {
        res.extend(fix_all(db, file));
    }
    res
}

/// One action for each shared value that the range touches, the innermost first, and one for all of the function. The
/// latter also where the function is named.
fn in_function(
    db: &RootDatabase,
    at: FunctionAt<'_>,
    range: TextRange,
    kind: ActionKind,
) -> Vec<CodeAction> {
    let text = PlanText::new(db, at.function);
    let mut touched: Vec<(TextRange, usize)> = Vec::new();
    for (i, group) in text.plan.groups.iter().enumerate() {
        let partial = on_request(group).map(|it| &text.plan.cells[it].replaces[..]);
        let replaced = text.replaced(group).chain(partial.into_iter().flatten().copied());
        let hit = replaced
            .filter(|it| text.map.is_real(*it))
            .map(|it| text.map.occurrence_range(it))
            .find(|it| at.to_file(*it).intersect(range).is_some());
        touched.extend(hit.map(|it| (it, i)));
    }
    touched.sort_by_key(|(range, _)| range.len());
    let at_name = at.to_file(at.function.source(db).name_range).intersect(range).is_some();
    let mut res: Vec<CodeAction> =
        touched.iter().filter_map(|(_, group)| extract_one(db, at, &text, *group, kind)).collect();
    if let [only] = res.as_mut_slice() {
        only.is_preferred = !text.plan.informational;
    }
    let n_applied = text.plan.groups.iter().filter(|it| it.decision.is_applied()).count();
    if (at_name && n_applied > 0) || (!touched.is_empty() && n_applied > 1) {
        res.extend(extract_all(db, at, &text, n_applied, kind));
    }
    res
}

fn extract_one(
    db: &RootDatabase,
    at: FunctionAt<'_>,
    text: &PlanText<'_>,
    index: usize,
    kind: ActionKind,
) -> Option<CodeAction> {
    let group = &text.plan.groups[index];
    let times = match group.occurrences.len() {
        1 => String::new(),
        n => format!(" ({n} occurrences)"),
    };
    let expr = text.expr(*group.occurrences.first()?);
    let title = match &group.decision {
        Decision::Bind(binding) => {
            format!("Extract `{expr}` into `{}`{times}", text.plan.bindings[*binding].name)
        }
        Decision::Reuse(reuse) => {
            let name = reuse.name(text.body);
            format!("Use `{name}` for `{expr}`{times}")
        }
        Decision::Insert(cell) => partial_title(text, *cell, &expr),
        Decision::Refuse(_) if on_request(group).is_some() => {
            partial_title(text, on_request(group)?, &expr)
        }
        Decision::Covered { .. } | Decision::Refuse(_) => return None,
    };
    let title = title + if text.plan.informational { STILL_SCHEDULED } else { "" };
    let edits = edits(db, at, Selection::Group(index));
    (!edits.is_empty()).then_some(CodeAction {
        title,
        kind,
        is_preferred: false,
        edits,
        disabled: None,
    })
}

fn extract_all(
    db: &RootDatabase,
    at: FunctionAt<'_>,
    text: &PlanText<'_>,
    n_groups: usize,
    kind: ActionKind,
) -> Option<CodeAction> {
    let name = &at.function.source(db).name;
    let plural = if n_groups == 1 { "" } else { "s" };
    let mut title = format!("Extract all {n_groups} common subexpression{plural} of `{name}`");
    if text.plan.informational {
        title.push_str(STILL_SCHEDULED);
    }
    let edits = edits(db, at, Selection::All);
    (!edits.is_empty()).then_some(CodeAction {
        title,
        kind,
        is_preferred: false,
        edits,
        disabled: None,
    })
}

/// What is superfluous goes first: what could be shared is seen again without it.
fn fix_all(db: &RootDatabase, file: SourceFile) -> Option<CodeAction> {
    let mut all = Vec::new();
    let mut removes = false;
    for at in functions_in(db, file, None) {
        db.unwind_if_revision_cancelled();
        let superfluous = fix_all_edits(db, at);
        if !superfluous.is_empty() {
            removes = true;
            all.extend(superfluous);
            continue;
        }
        let plan = db::cse_plan(db, at.function);
        let is_empty = plan.groups.iter().all(|it| !it.decision.is_applied());
        if !plan.informational && !is_empty {
            all.extend(edits(db, at, Selection::All));
        }
    }
    let title = match removes {
        true => "Fix all that is safe to fix in this file",
        false => "Extract all common subexpressions in this file",
    };
    (!all.is_empty()).then(|| CodeAction {
        title: title.to_owned(),
        kind: ActionKind::FixAll,
        is_preferred: false,
        edits: all,
        disabled: None,
    })
}

/// The scalar of a partial redundancy that is not done because nobody asked.
fn on_request(group: &CseGroup) -> Option<usize> {
    match group.decision {
        Decision::Refuse(Refusal::PartialRedundancy {
            cell,
            obstacle: PartialObstacle::OnRequest,
        }) => Some(cell),
        _ => None,
    }
}

/// What is inserted is said: it is more code in some branch.
fn partial_title(text: &PlanText<'_>, cell: usize, expr: &str) -> String {
    let cell = &text.plan.cells[cell];
    let n_inserted = cell.stores.iter().filter(|it| it.at.is_inserted()).count();
    let places = match n_inserted {
        0 => "no code is inserted".to_owned(),
        1 => "inserts it in 1 branch".to_owned(),
        n => format!("inserts it in {n} branches"),
    };
    format!("Keep `{expr}` in the scalar `{}` on every path ({places})", cell.name)
}

/// The edits of a selection, at their places in the file.
fn edits(db: &dyn Db, at: FunctionAt<'_>, selection: Selection) -> Vec<Edit> {
    let edits = function_edits(db, at.function, selection);
    edits.into_iter().map(|it| Edit { range: at.to_file(it.range), ..it }).collect()
}

fn function_edits(db: &dyn Db, function: Function<'_>, selection: Selection) -> Vec<Edit> {
    let text = &crate::plan_text::function_text(db, function).text;
    cse_edits(db::lowered(db, function), text, db::cse_plan(db, function), selection).into_edits()
}

//! Code actions of functions of statements: bind shared values in the text; and what the files beside this one offer.
//!
//! One expression, all of a function, all of a file (`source.fixAll`). The last leaves functions alone whose blocks can
//! still be scheduled; in those the others say so in their title.

use db::{AllFixes, Database as _, Db, Fixes, PlacedUnit, RootDatabase, SourceFile, Unit};
use frontend::tvmscript::{ReadBack, Selection};
use ir::plan::{CseGroup, Decision, PartialObstacle, Refusal};
use syntax::TextRange;

use crate::{
    code_action::{ActionKind, CodeAction, STILL_SCHEDULED, placed},
    finding_actions::quick_fixes,
    guarded::item,
    ignore::ignore_actions,
    inline::inline_actions,
    missing_facts::fact_actions,
    plan_text::PlanText,
    simplifications,
    units::of_units,
};

/// The actions of functions in a range, and of their file.
pub(super) fn code_actions(
    db: &RootDatabase,
    file: SourceFile,
    range: TextRange,
    wants: &dyn Fn(ActionKind) -> bool,
    reading: ReadBack,
) -> Vec<CodeAction> {
    let mut res = Vec::new();
    // Where both are wanted, extracting is said once.
    let kind = [ActionKind::Extract, ActionKind::QuickFix].into_iter().find(|it| wants(*it));
    if let Some(kind) = kind {
        let extract = |at| in_function(db, &at, range, kind, reading);
        res.extend(of_units(db, file, Some(range), extract).flatten());
    }
    let others = |at: PlacedUnit<'_>| {
        // What one kind of actions meets costs that kind.
        let item = |make: &dyn Fn() -> Vec<CodeAction>| item(at.unit.name(db), make);
        let mut res = Vec::new();
        if wants(ActionKind::QuickFix) {
            res.extend(item(&|| quick_fixes(db, &at, range, reading)));
            res.extend(item(&|| simplifications::quick_fixes(db, &at, range, reading)));
            res.extend(item(&|| fact_actions(db, &at, range)));
            res.extend(item(&|| ignore_actions(db, &at, range)));
        }
        if wants(ActionKind::Inline) {
            res.extend(item(&|| inline_actions(db, &at, range, reading)));
        }
        res
    };
    res.extend(of_units(db, file, Some(range), others).flatten().flatten());
    for fixes in [Fixes::Unasked].into_iter().chain(Fixes::of_rules()) {
        let kind = fixes.rule().map_or(ActionKind::FixAll, ActionKind::FixRule);
        if wants(kind) {
            res.extend(fix_all(db, file, (kind, fixes), reading));
        }
    }
    if reading == ReadBack::Later {
        res.iter_mut().for_each(CodeAction::put_off);
    }
    res
}

/// One action for each shared value that the range touches, the innermost first, and one for all of the function. The
/// latter also where the function is named.
fn in_function(
    db: &RootDatabase,
    at: &PlacedUnit<'_>,
    range: TextRange,
    kind: ActionKind,
    reading: ReadBack,
) -> Vec<CodeAction> {
    let text = PlanText::new(db, at.unit);
    let mut touched: Vec<(TextRange, usize)> = Vec::new();
    for (i, group) in text.plan.groups.iter().enumerate() {
        ir::interrupt::check();
        let partial = on_request(group).map(|it| &text.plan.cells[it].replaces[..]);
        let replaced = text.replaced(group).chain(partial.into_iter().flatten().copied());
        let hit = replaced
            .filter(|it| text.map.is_real(*it))
            .map(|it| text.map.occurrence_range(it))
            .find(|it| at.to_file(*it).intersect(range).is_some());
        touched.extend(hit.map(|it| (it, i)));
    }
    touched.sort_by_key(|(range, _)| range.len());
    let at_name = at.to_file(at.unit.name_range(db)).intersect(range).is_some();
    let mut res: Vec<CodeAction> = touched
        .iter()
        .filter_map(|(_, group)| {
            let make = || extract_one(db, (at, &text), *group, kind, reading);
            item(at.unit.name(db), make).flatten()
        })
        .collect();
    if let [only] = res.as_mut_slice() {
        only.is_preferred = !text.plan.informational && only.disabled.is_none();
    }
    let n_applied = text.plan.groups.iter().filter(|it| it.decision.is_applied()).count();
    if (at_name && n_applied > 0) || (!touched.is_empty() && n_applied > 1) {
        res.extend(extract_all(db, (at, &text), n_applied, kind, reading));
    }
    res
}

fn extract_one(
    db: &RootDatabase,
    (at, text): (&PlacedUnit<'_>, &PlanText<'_>),
    index: usize,
    kind: ActionKind,
    reading: ReadBack,
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
    let found = db::cse_edits(db, at.unit, Selection::Group(index), reading);
    CodeAction::of(title, kind, at, found)
}

fn extract_all(
    db: &RootDatabase,
    (at, text): (&PlacedUnit<'_>, &PlanText<'_>),
    n_groups: usize,
    kind: ActionKind,
    reading: ReadBack,
) -> Option<CodeAction> {
    let name = at.unit.name(db);
    let plural = if n_groups == 1 { "" } else { "s" };
    let mut title = format!("Extract all {n_groups} common subexpression{plural} of `{name}`");
    if text.plan.informational {
        title.push_str(STILL_SCHEDULED);
    }
    CodeAction::of(title, kind, at, db::cse_edits(db, at.unit, Selection::All, reading))
}

/// Something that is done to a function when all of its file is fixed, the greater first in the title.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Done {
    /// Values are shared, or expressions written more simply.
    Rewrites,
    /// Superfluous code is removed.
    Removes,
}

/// Returns what is done unasked to a function, if anything is. Kept, without the edits: editors ask of the whole file
/// whenever the cursor moves.
#[salsa::tracked(returns(copy))]
fn done_unasked<'db>(db: &'db dyn Db, unit: Unit<'db>) -> Option<Done> {
    done(&db::all_fixes(db, unit, Fixes::Unasked, ReadBack::Later))
}

fn done(fixes: &AllFixes) -> Option<Done> {
    let is_some = !fixes.edit.is_empty();
    is_some.then_some(if fixes.removes { Done::Removes } else { Done::Rewrites })
}

/// Returns the action that applies all fixes of a file, or those of a rule: superfluous code is removed first, and
/// sharing is planned again without it.
fn fix_all(
    db: &RootDatabase,
    file: SourceFile,
    (kind, fixes): (ActionKind, Fixes),
    reading: ReadBack,
) -> Option<CodeAction> {
    let is_put_off = reading == ReadBack::Later;
    let of_function = |at: PlacedUnit<'_>| {
        db.unwind_if_revision_cancelled();
        if is_put_off && fixes == Fixes::Unasked {
            return (done_unasked(db, at.unit), Vec::new());
        }
        let found = db::all_fixes(db, at.unit, fixes, reading);
        (done(&found), placed(&at, found.edit))
    };
    let mut all = Vec::new();
    let mut most = None;
    for (done, edits) in of_units(db, file, None, of_function) {
        all.extend(edits);
        most = most.max(done);
    }
    let title = match (kind, most?) {
        (ActionKind::FixRule(rule), _) => format!("Fix all `{rule}` of this file"),
        (_, Done::Removes) => "Fix all that is safe to fix in this file".to_owned(),
        (_, Done::Rewrites) => "Extract all common subexpressions in this file".to_owned(),
    };
    Some(CodeAction { edits: all, is_put_off, ..CodeAction::without_edits(title, kind) })
}

/// The scalar of a partial redundancy that is applied only on request.
fn on_request(group: &CseGroup) -> Option<usize> {
    match group.decision {
        Decision::Refuse(Refusal::PartialRedundancy {
            cell,
            obstacle: PartialObstacle::OnRequest,
        }) => Some(cell),
        _ => None,
    }
}

/// Returns the title of a fix for a partial redundancy. It names the inserted code, as some branch gets more code.
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

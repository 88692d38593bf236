//! Code actions of units of operations: one thing of a plan, all of a unit, all of a file.

use db::{Database as _, PlacedUnit, RootDatabase, SourceFile};
use frontend::ops::CheckedEdits;
use ir::plan::ops::{OpAction, OpPlan};
use syntax::{Edit, TextRange, symbol_text};
use transform::ops::with_needs;

use crate::{
    code_action::{ActionKind, CodeAction},
    hover::line_text,
    missing_facts::operations::fact_actions,
    plan_text::operations::PlanWords,
    units::of_units,
};

/// The actions of units in a range, and of their file.
pub(super) fn code_actions(
    db: &RootDatabase,
    file: SourceFile,
    range: TextRange,
    wants: &dyn Fn(ActionKind) -> bool,
) -> Vec<CodeAction> {
    let mut res = Vec::new();
    if wants(ActionKind::QuickFix) {
        let of_unit = |at| in_unit(db, file, &at, range);
        res.extend(of_units(db, file, Some(range), of_unit).flatten());
    }
    let facts = match wants(ActionKind::QuickFix) {
        true => db::unit_at(db, file, range.start()).map(|at| fact_actions(db, &at, range)),
        false => None,
    };
    // Where something of a file is offered, all of it is, also to those who do not ask for `source.fixAll`.
    if !res.is_empty() && is_small(db, file) {
        let all = fix_all(db, file).filter(|it| res.iter().all(|other| other.edits != it.edits));
        res.extend(all.map(|it| CodeAction { kind: ActionKind::QuickFix, ..it }));
    }
    res.extend(facts.into_iter().flatten());
    if wants(ActionKind::FixAll) {
        res.extend(fix_all(db, file));
    }
    res
}

/// Returns true if the fix-all action of a file is cheap enough to offer with every request: editors ask whenever the
/// cursor moves.
fn is_small(db: &RootDatabase, file: SourceFile) -> bool {
    // Nothing is lost beyond: who asks for `source.fixAll` gets all.
    const MAX_LEN: u32 = 1 << 20;
    const MAX_ACTIONS: usize = 2_000;
    if u32::from(db::parse(db, file).green().text_len()) > MAX_LEN {
        return false;
    }
    let n_actions = |at: PlacedUnit<'_>| db::op_plan(db, at.unit).map_or(0, |it| it.actions.len());
    of_units(db, file, None, n_actions).sum::<usize>() <= MAX_ACTIONS
}

fn in_unit(
    db: &RootDatabase,
    file: SourceFile,
    at: &PlacedUnit<'_>,
    range: TextRange,
) -> Vec<CodeAction> {
    let Some(words) = PlanWords::new(db, at.unit) else { return Vec::new() };
    let name = at.to_file(at.unit.name_range(db));
    let at_name = !name.is_empty() && name.intersect(range).is_some();
    let is_hit = |(_, it): &(usize, &OpAction)| {
        // An operation with regions counts at its name, so that its inside does not offer it.
        let whole = words.map.op(it.op);
        let place = words.action_place(it);
        let has_regions = !words.body.ops[it.op].regions.is_empty();
        let shown = if has_regions || !whole.contains_range(place) { place } else { whole };
        words.is_written(it) && at.to_file(shown).intersect(range).is_some()
    };
    let all = words.plan.actions.iter();
    let hit: Vec<(usize, &OpAction)> = all.clone().enumerate().filter(is_hit).collect();
    let mut res = Vec::new();
    for &(number, action) in &hit {
        let is_needed = with_needs(words.body, words.plan, [number]);
        let needed: Vec<&OpAction> = all
            .clone()
            .zip(is_needed)
            .filter_map(|(it, is_needed)| is_needed.then_some(it))
            .collect();
        let part = OpPlan {
            preset: words.plan.preset,
            actions: needed.iter().map(|it| (*it).clone()).collect(),
            refusals: Vec::new(),
        };
        let others = match needed.len() - 1 {
            0 => String::new(),
            1 => " (with 1 other change)".to_owned(),
            n => format!(" (with {n} other changes)"),
        };
        let title = words.title(action, |place| Some(line_text(db, file, at, place))) + &others;
        let checked = db::op_edits(db, at.unit, &part);
        if checked.n_differing() > 0 {
            res.push(CodeAction::refused(title, ActionKind::QuickFix));
        } else if !checked.edits.is_empty() {
            res.push(action_of(title, ActionKind::QuickFix, placed(at, &checked)));
        }
    }
    if let [only] = res.as_mut_slice() {
        only.is_preferred = true;
    }
    let n = words.plan.actions.len();
    if (at_name && n > 0) || (!hit.is_empty() && n > 1) {
        let Some(checked) = db::op_fixes(db, at.unit) else { return res };
        let n = checked.n_done();
        let unit = match at.unit.name(db) {
            "" => "here".to_owned(),
            name => format!("in `{}`", symbol_text(name)),
        };
        let plural = if n == 1 { "" } else { "s" };
        let edits = placed(at, checked);
        if !edits.is_empty() {
            let title = format!("Do all {n} simplification{plural} {unit}");
            res.push(action_of(title, ActionKind::QuickFix, edits));
        }
    }
    res
}

fn fix_all(db: &RootDatabase, file: SourceFile) -> Option<CodeAction> {
    let mut all = Vec::new();
    let of_unit = |at: PlacedUnit<'_>| {
        db.unwind_if_revision_cancelled();
        db::op_fixes(db, at.unit).as_ref().map(|checked| placed(&at, checked))
    };
    all.extend(of_units(db, file, None, of_unit).flatten().flatten());
    all.sort_by_key(|it: &Edit| (it.range.start(), it.range.end()));
    let title = "Remove all equal and unneeded operations of this file".to_owned();
    (!all.is_empty()).then(|| action_of(title, ActionKind::FixAll, all))
}

fn action_of(title: String, kind: ActionKind, edits: Vec<Edit>) -> CodeAction {
    CodeAction { edits, ..CodeAction::without_edits(title, kind) }
}

/// The edits of a unit, at their places in the file.
fn placed(at: &PlacedUnit<'_>, checked: &CheckedEdits) -> Vec<Edit> {
    let edits = checked.edits.edits().iter();
    edits.map(|it| Edit { range: at.to_file(it.range), text: it.text.clone() }).collect()
}

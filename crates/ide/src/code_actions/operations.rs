//! Code actions of units of operations: one thing of a plan, all of a unit, all of a file.

use db::{Database as _, PlacedUnit, RootDatabase, SourceFile};
use frontend::ops::CheckedEdits;
use ir::plan::ops::{OpAction, OpActionKind, OpPlan};
use syntax::{Edit, TextRange, symbol_text};
use transform::ops::{Needs, part};

use crate::{
    code_action::{ActionKind, CodeAction},
    hover::line_text,
    missing_facts::operations::fact_actions,
    plan_text::operations::PlanWords,
    units::of_units,
};

/// The actions of units in a range, and of their file. Those whose titles `reads` refuses are put off: they have no
/// edits, which cost as much as reading their unit.
pub(super) fn code_actions(
    db: &RootDatabase,
    file: SourceFile,
    range: TextRange,
    wants: &dyn Fn(ActionKind) -> bool,
    reads: &dyn Fn(&str) -> bool,
) -> Vec<CodeAction> {
    let mut res = Vec::new();
    if wants(ActionKind::QuickFix) {
        let of_unit = |at| in_unit(db, file, &at, range, reads);
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
    for kind in OpActionKind::ALL.iter().filter(|it| wants(ActionKind::FixRule(it.name()))) {
        res.extend(fix_rule(db, file, *kind));
    }
    res
}

/// Longer texts are not read back for a title.
const MAX_LEN: u32 = 1 << 20;

/// Returns true if the fix-all action of a file is cheap enough to offer with every request: editors ask whenever the
/// cursor moves.
fn is_small(db: &RootDatabase, file: SourceFile) -> bool {
    // Nothing is lost beyond: who asks for `source.fixAll` gets all.
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
    reads: &dyn Fn(&str) -> bool,
) -> Vec<CodeAction> {
    let Some(words) = PlanWords::new(db, at.unit) else { return Vec::new() };
    let name = at.to_file(at.unit.name_range(db));
    let at_name = !name.is_empty() && name.intersect(range).is_some();
    let is_hit = |(_, it): &(usize, &OpAction)| {
        ir::interrupt::check();
        // An operation with regions counts at its name, so that its inside does not offer it.
        let whole = words.map.op(it.op);
        let place = words.action_place(it);
        let has_regions = !words.body.ops[it.op].regions.is_empty();
        let shown = if has_regions || !whole.contains_range(place) { place } else { whole };
        words.is_written(it) && at.to_file(shown).intersect(range).is_some()
    };
    let all = &words.plan.actions;
    let hit: Vec<(usize, &OpAction)> = all.iter().enumerate().filter(is_hit).collect();
    let mut needs = Needs::of(words.body, words.plan);
    let mut res = Vec::new();
    for &(number, action) in &hit {
        let needed = needs.with([number]);
        let others = match needed.len() - 1 {
            0 => String::new(),
            1 => " (with 1 other change)".to_owned(),
            n => format!(" (with {n} other changes)"),
        };
        let title = words.title(action, |place| Some(line_text(db, file, at, place))) + &others;
        if !reads(&title) {
            res.push(put_off(title));
            continue;
        }
        let part = OpPlan {
            preset: words.plan.preset,
            actions: needed.iter().map(|&it| all[it].clone()).collect(),
            refusals: Vec::new(),
        };
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
        // The number of those that are done is known when all are read back.
        let is_long = u32::from(at.range.len()) > MAX_LEN;
        let checked = if is_long { None } else { db::op_fixes(db, at.unit).as_ref() };
        let n = checked.map_or(n, |it| it.n_done());
        let unit = match at.unit.name(db) {
            "" => "here".to_owned(),
            name => format!("in `{}`", symbol_text(name)),
        };
        let plural = if n == 1 { "" } else { "s" };
        let title = format!("Do all {n} simplification{plural} {unit}");
        if is_long && !reads(&title) {
            res.push(put_off(title));
            return res;
        }
        let Some(checked) = db::op_fixes(db, at.unit) else { return res };
        let edits = placed(at, checked);
        if !edits.is_empty() {
            res.push(action_of(title, ActionKind::QuickFix, edits));
        }
    }
    res
}

/// An action whose edits are asked for when it is chosen.
fn put_off(title: String) -> CodeAction {
    CodeAction { is_put_off: true, ..CodeAction::without_edits(title, ActionKind::QuickFix) }
}

fn fix_all(db: &RootDatabase, file: SourceFile) -> Option<CodeAction> {
    let mut all = Vec::new();
    let of_unit = |at: PlacedUnit<'_>| {
        db.unwind_if_revision_cancelled();
        db::op_fixes(db, at.unit).as_ref().map(|checked| placed(&at, checked))
    };
    all.extend(of_units(db, file, None, of_unit).flatten().flatten());
    let title = "Remove all equal and unneeded operations of this file".to_owned();
    of_file(title, ActionKind::FixAll, all)
}

/// The action that does what a rule says everywhere in a file, and what that needs.
fn fix_rule(db: &RootDatabase, file: SourceFile, kind: OpActionKind) -> Option<CodeAction> {
    let of_unit = |at: PlacedUnit<'_>| {
        db.unwind_if_revision_cancelled();
        let plan = db::op_plan(db, at.unit)?;
        let is_of_rule = |(at, it): (usize, &OpAction)| (it.kind == kind).then_some(at);
        let wanted = plan.actions.iter().enumerate().filter_map(is_of_rule);
        let part = part(db::body(db, at.unit), plan, wanted);
        Some(placed(&at, &db::op_edits(db, at.unit, &part)))
    };
    let all = of_units(db, file, None, of_unit).flatten().flatten().collect();
    let title = format!("Fix all `{}` of this file", kind.name());
    of_file(title, ActionKind::FixRule(kind.name()), all)
}

fn of_file(title: String, kind: ActionKind, mut edits: Vec<Edit>) -> Option<CodeAction> {
    edits.sort_by_key(|it| (it.range.start(), it.range.end()));
    (!edits.is_empty()).then(|| action_of(title, kind, edits))
}

fn action_of(title: String, kind: ActionKind, edits: Vec<Edit>) -> CodeAction {
    CodeAction { edits, ..CodeAction::without_edits(title, kind) }
}

/// The edits of a unit, at their places in the file.
fn placed(at: &PlacedUnit<'_>, checked: &CheckedEdits) -> Vec<Edit> {
    let edits = checked.edits.edits().iter();
    edits.map(|it| Edit { range: at.to_file(it.range), text: it.text.clone() }).collect()
}

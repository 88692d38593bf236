//! Simplifications of a function: messages and quick fixes.
//!
//! Only simplifications of the function as it stands are reported; the next request reports those that become possible
//! after them. Known conditions are findings and are reported as such.

use db::{Db, PlacedUnit, RootDatabase, Unit};
use frontend::tvmscript::{CheckedEdits, ReadBack};
use ir::{
    guard::Panicked,
    plan::{
        finding::Place,
        simplify::{Simplification, SimplificationKind, SimplifyPlan, Step},
    },
    print::expr_text,
};
use syntax::{Diagnostic, TextEdit, TextRange};

use crate::{
    code_action::{ActionKind, CodeAction},
    finding_text::FindingText,
};

/// Expressions of more nodes are not written out.
const MAX_NODES: u32 = 64;

/// A simplification in words, relative to the function.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Simpler {
    /// Its index in the plan.
    pub(crate) item: usize,
    pub(crate) kind: SimplificationKind,
    /// True if the statement at its place goes, with all that is in it.
    pub(crate) is_removed: bool,
    /// The operations that it saves.
    pub(crate) saves: u64,
    /// True if it saves nothing: it is offered where it is, and no diagnostic tells it.
    pub(crate) is_style: bool,
    /// The simplification and its fix, as a command; the user chooses the severity.
    pub(crate) told: Diagnostic,
}

/// The simplifications of a function.
pub(crate) struct AllSimpler {
    /// In the order of the text.
    pub(crate) simpler: Box<[Simpler]>,
    /// The mistake of ours that ended the search.
    pub(crate) panicked: Option<Panicked>,
}

/// Returns the simplifications of a function.
#[salsa::tracked(returns(ref), no_eq, lru = 0)]
pub(crate) fn simpler<'db>(db: &'db dyn Db, unit: Unit<'db>) -> AllSimpler {
    let text = FindingText::new(db, unit);
    let plan = db::simplifications(db, unit);
    let panicked = plan.panicked().cloned();
    let items = plan.items.iter().enumerate();
    let map = db::source_map(db, unit);
    // A name for a constant is there for other values too.
    let is_general = |it: &Simplification| match it.place {
        Place::Op(op) => !map.mentions_known(text.first_line(op)),
        place => text.range(place).is_none_or(|it| !map.mentions_known(it)),
    };
    let is_reported = |it: &Simplification| {
        it.round == 0 && !it.kind.is_finding() && is_written(db, unit, it.place) && is_general(it)
    };
    let simpler = items
        .filter(|(_, it)| is_reported(it))
        .filter_map(|(item, it)| {
            ir::interrupt::check();
            let told = Diagnostic {
                code: it.kind.name(),
                range: text.range(it.place)?,
                message: message(&text, plan, it),
                help: Some(action(plan, it)),
                related: text.related_places(&it.because),
                ..Diagnostic::default()
            };
            let is_removed = matches!(it.steps[..], [Step::Remove { .. }]);
            // One `if` in another is evaluated as often as one `if` of both.
            let is_style = matches!(it.steps[..], [Step::Merge { .. }]);
            Some(Simpler {
                item,
                kind: it.kind,
                is_removed,
                saves: it.saves.into(),
                is_style,
                told,
            })
        })
        .collect();
    AllSimpler { simpler, panicked }
}

/// Returns true if a place is in this text: statements that a macro call stands for are not.
fn is_written(db: &dyn Db, unit: Unit<'_>, place: Place) -> bool {
    let op = match place {
        Place::Op(op) => op,
        Place::Occurrence(it) => db::occurrences(db, unit)[it].op,
        Place::Value(_) | Place::Buffer(_) | Place::Function => return true,
    };
    db::source_map(db, unit).is_written(op)
}

/// The simpler text of an expression.
fn after(plan: &SimplifyPlan, it: &Simplification) -> Option<String> {
    let with = match it.steps.first()? {
        Step::Replace { with, .. } | Step::Operand { with, .. } => *with,
        _ => return None,
    };
    (plan.grown.expr(with).size <= MAX_NODES).then(|| expr_text(&plan.grown, with))
}

fn message(text: &FindingText<'_>, plan: &SimplifyPlan, it: &Simplification) -> String {
    let rules = match it.rules.is_empty() {
        true => String::new(),
        false => format!(" ({})", it.rules.join(", ")),
    };
    match it.kind {
        SimplificationKind::Simplifiable => match after(plan, it) {
            Some(after) => format!("{} is `{after}` here{rules}", text.shown(it.place)),
            None => format!("{} has a simpler form here{rules}", text.shown(it.place)),
        },
        SimplificationKind::EmptyLoop => "this loop does nothing".to_owned(),
        SimplificationKind::InvariantGuard => {
            "this condition is the same in every iteration of the loop".to_owned()
        }
        SimplificationKind::MergeableGuards => "these guards can be one".to_owned(),
        SimplificationKind::NoOp => match it.steps.first() {
            Some(Step::Negate { .. }) => "only the `else` of this does something".to_owned(),
            Some(Step::DropElse { .. }) => "the `else` of this does nothing".to_owned(),
            _ => "this statement does nothing".to_owned(),
        },
        SimplificationKind::RedundantGuard if is_never_executed(plan, it) => {
            "this is never executed".to_owned()
        }
        SimplificationKind::RedundantGuard => "this guard decides nothing".to_owned(),
        SimplificationKind::SingleIterationLoop => match it.steps.first() {
            // Of several loops in one header it is one.
            Some(Step::Unwrap { value, .. }) => {
                format!("the loop over {} runs one iteration", text.shown(Place::Value(*value)))
            }
            _ => "this loop runs one iteration".to_owned(),
        },
        // Findings of the same name report them.
        SimplificationKind::ConstantCondition | SimplificationKind::RedundantCondition => {
            "this condition is known".to_owned()
        }
    }
}

/// Returns true if a guard goes because its condition never holds, and not because nothing in it has an effect.
fn is_never_executed(plan: &SimplifyPlan, it: &Simplification) -> bool {
    let [Step::Remove { op, .. }] = it.steps[..] else { return false };
    let condition = plan.grown.ops[op].operands.first();
    let is_false = |it: &ir::ExprId| plan.grown.expr(*it).kind == ir::ExprKind::Int(0);
    !it.rules.is_empty() || condition.is_some_and(is_false)
}

fn action(plan: &SimplifyPlan, it: &Simplification) -> String {
    match it.kind {
        SimplificationKind::Simplifiable => match after(plan, it) {
            Some(after) => format!("Write `{after}`"),
            None => "Write the simpler form".to_owned(),
        },
        SimplificationKind::EmptyLoop => "Remove the loop".to_owned(),
        SimplificationKind::InvariantGuard => "Move the condition out of the loop".to_owned(),
        SimplificationKind::MergeableGuards => "Merge the guards".to_owned(),
        SimplificationKind::NoOp => match it.steps.first() {
            Some(Step::Negate { .. }) => "Negate the condition".to_owned(),
            Some(Step::DropElse { .. }) => "Remove the `else`".to_owned(),
            _ => "Remove the statement".to_owned(),
        },
        SimplificationKind::RedundantGuard if is_never_executed(plan, it) => {
            "Remove the statement".to_owned()
        }
        SimplificationKind::RedundantGuard => "Remove the guard".to_owned(),
        SimplificationKind::SingleIterationLoop => "Replace the loop by its body".to_owned(),
        SimplificationKind::ConstantCondition | SimplificationKind::RedundantCondition => {
            "Decide the condition".to_owned()
        }
    }
}

/// The fixes of the simplifications that a range touches: each, then all of the function where there are more.
pub(crate) fn quick_fixes(
    db: &RootDatabase,
    at: &PlacedUnit<'_>,
    range: TextRange,
    reading: ReadBack,
) -> Vec<CodeAction> {
    let allowances = db::source_map(db, at.unit).allowances();
    let reported: Vec<&Simpler> = simpler(db, at.unit)
        .simpler
        .iter()
        .filter(|it| !allowances.at(it.kind.name(), it.told.range))
        .collect();
    let plan = db::simplifications(db, at.unit);
    let text = FindingText::new(db, at.unit);
    let is_allowed = |it: &Simplification| {
        text.range(it.place).is_some_and(|place| allowances.at(it.kind.name(), place))
    };
    let mut res = Vec::new();
    let touched = reported.iter().filter(|it| at.to_file(it.told.range).intersect(range).is_some());
    for it in touched {
        let wanted = plan.with_needs(it.item);
        let found = db::simplification_edits(db, at.unit, |item| wanted[item], reading);
        // What it needs may be done without it.
        let found = match found.is_done.get(it.item) {
            Some(true) => found,
            _ => CheckedEdits { edit: TextEdit::new(), ..found },
        };
        let title = it.told.help.clone().unwrap_or_default();
        res.extend(CodeAction::of(title, ActionKind::QuickFix, at, found));
    }
    if !res.is_empty() && plan.items.len() > 1 {
        let is_wanted = |item: usize| !is_allowed(&plan.items[item]);
        let found = db::simplification_edits(db, at.unit, is_wanted, reading);
        let n_done = found.n_done();
        if n_done > 1 {
            let name = at.unit.name(db);
            let title = format!("Simplify all of `{name}` ({n_done} steps)");
            res.extend(CodeAction::of(title, ActionKind::QuickFix, at, found));
        }
    }
    res
}

/// Sets how many results the query here keeps; see [`RootDatabase::keep_few`](db::RootDatabase::keep_few).
pub(crate) fn keep(db: &mut dyn Db, n: usize) {
    simpler::set_lru_capacity(db, n);
}

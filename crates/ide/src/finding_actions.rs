//! Quick fixes of findings: one finding, or all of its kind in a function.

use db::{PlacedUnit, RootDatabase};
use frontend::tvmscript::ReadBack;
use syntax::TextRange;
use transform::findings::Finding;

use crate::{
    code_action::{ActionKind, CodeAction, STILL_SCHEDULED},
    finding_text::FindingText,
};

/// The fixes of the findings that a range touches: each, then all of a kind where there are more.
pub(crate) fn quick_fixes(
    db: &RootDatabase,
    at: &PlacedUnit<'_>,
    range: TextRange,
    reading: ReadBack,
) -> Vec<CodeAction> {
    let text = FindingText::new(db, at.unit);
    let (findings, body) = (db::findings(db, at.unit), db::body(db, at.unit));
    let allowances = db::source_map(db, at.unit).allowances();
    let is_reported = |it: &Finding| {
        let place = text.range(it.place);
        place.is_some_and(|place| !allowances.at(it.kind.name(), place))
    };
    let touches = |it: &&Finding| {
        let place = text.range(it.place);
        place.is_some_and(|place| at.to_file(place).intersect(range).is_some())
    };
    let touched: Vec<&Finding> =
        findings.iter().filter(|it| is_reported(it)).filter(touches).collect();
    let mut res = Vec::new();
    let mut kinds = Vec::new();
    for it in touched {
        let Some(mut title) = text.action(it) else { continue };
        let only_informs = it.only_informs(body);
        if only_informs {
            title.push_str(STILL_SCHEDULED);
        }
        let action = CodeAction::of(
            title,
            ActionKind::QuickFix,
            at,
            db::finding_edits(db, at.unit, [it], reading),
        );
        res.extend(action.map(|action| CodeAction {
            is_preferred: it.kind.is_fixed_by_default()
                && !only_informs
                && action.disabled.is_none(),
            ..action
        }));
        if !kinds.contains(&it.kind) {
            kinds.push(it.kind);
        }
    }
    for kind in kinds {
        let is_done = |it: &&Finding| is_reported(it) && !it.only_informs(body);
        let all = findings.iter().filter(|it| it.kind == kind).filter(is_done);
        let found = db::finding_edits(db, at.unit, all, reading);
        let n_fixed = found.n_done();
        if n_fixed > 1 {
            let title = format!("Fix all {n_fixed} `{}` of `{}`", kind.name(), at.unit.name(db));
            res.extend(CodeAction::of(title, ActionKind::QuickFix, at, found));
        }
    }
    res
}

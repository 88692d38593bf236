//! Quick fixes of findings: one finding, or all of its kind in a function.

use db::RootDatabase;
use frontend::tvmscript::finding_edits;
use ir::plan::finding::Finding;
use syntax::{Edit, TextRange};
use transform::findings::compatible;

use crate::{
    code_actions::{ActionKind, CodeAction, STILL_SCHEDULED},
    finding_text::FindingText,
    function_at::FunctionAt,
};

/// The fixes of the findings that a range touches: each, then all of a kind where there are more.
pub(crate) fn quick_fixes(
    db: &RootDatabase,
    at: FunctionAt<'_>,
    range: TextRange,
) -> Vec<CodeAction> {
    let text = FindingText::new(db, at.function);
    let (findings, body) = (db::findings(db, at.function), db::body(db, at.function));
    let allowances = db::source_map(db, at.function).allowances();
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
        let (edits, _) = edits(db, at, [it]);
        if !edits.is_empty() {
            let is_preferred = it.kind.is_fixed_by_default() && !only_informs;
            let kind = ActionKind::QuickFix;
            res.push(CodeAction { title, kind, is_preferred, edits, disabled: None });
        }
        if !kinds.contains(&it.kind) {
            kinds.push(it.kind);
        }
    }
    for kind in kinds {
        let is_done = |it: &&Finding| is_reported(it) && !it.only_informs(body);
        let all = findings.iter().filter(|it| it.kind == kind).filter(is_done);
        let (edits, n_fixed) = edits(db, at, all);
        if n_fixed > 1 {
            let title =
                format!("Fix all {n_fixed} `{}` of `{}`", kind.name(), at.function.name(db));
            let kind = ActionKind::QuickFix;
            res.push(CodeAction { title, kind, is_preferred: false, edits, disabled: None });
        }
    }
    res
}

/// The edits of a function that are done unasked when a whole file is fixed.
pub(crate) fn fix_all_edits(db: &RootDatabase, at: FunctionAt<'_>) -> Vec<Edit> {
    let (map, body) = (db::source_map(db, at.function), db::body(db, at.function));
    let is_wanted = |it: &&Finding| {
        let is_allowed = |place| map.allowances().at(it.kind.name(), place);
        it.kind.is_fixed_by_default()
            && !it.only_informs(body)
            && !map.place(it.place).is_some_and(is_allowed)
    };
    edits(db, at, db::findings(db, at.function).iter().filter(is_wanted)).0
}

/// The edits of the fixes that can be done together, at their places in the file, and how many fixes they do.
pub(crate) fn edits<'f>(
    db: &RootDatabase,
    at: FunctionAt<'_>,
    wanted: impl IntoIterator<Item = &'f Finding>,
) -> (Vec<Edit>, usize) {
    let (body, occurrences) = (db::body(db, at.function), db::occurrences(db, at.function));
    let chosen = compatible(body, occurrences, wanted);
    if chosen.is_empty() {
        return (Vec::new(), 0);
    }
    let function = &at.function.source(db).green;
    let fixes = chosen.iter().filter_map(|it| it.fix.as_ref());
    let found = finding_edits(db::lowered(db, at.function), function, fixes);
    let edits = found.edit.into_edits().into_iter();
    let edits = edits.map(|it| Edit { range: at.to_file(it.range), ..it }).collect();
    (edits, found.is_done.iter().filter(|it| **it).count())
}

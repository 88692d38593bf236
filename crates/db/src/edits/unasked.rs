//! The fixes of a function that are done unasked, when a whole file is fixed.
//!
//! Round after round, until nothing is left: what is superfluous is removed first, and what that uncovers after it;
//! then values are shared. So to ask a second time gives nothing. O(function) a round, and a reading of each edited
//! text.

use frontend::tvmscript::{CheckedEdits, FunctionSource, ReadBack, Selection};
use ir::{Occurrences, plan::CsePlan};
use pipeline::expressions::{self, Editor, Function};
use syntax::TextEdit;
use transform::findings::Finding;

use crate::{
    Db,
    environment::DbEnvironment,
    finding::findings,
    function_texts::function_text,
    lowering::{Lowered, lowered, occurrences},
    planning::cse_plan,
    unit::{Source, Unit},
};

/// More rounds are not done: each removes something, and a chain of a hundred is rare.
const MAX_ROUNDS: usize = 16;

/// Fixes that are done unasked.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct UnaskedFixes {
    /// The edits of all rounds, as one of the text as it is.
    pub edit: TextEdit,
    /// True if code is removed; else values are shared only.
    pub removes: bool,
}

/// Returns the fixes of a function that are done unasked, all that can be; of a unit of operations there are none.
/// Those of the first round only, where the edits are read back later.
pub fn unasked_fixes<'db>(db: &'db dyn Db, unit: Unit<'db>, reading: ReadBack) -> UnaskedFixes {
    let Source::Function(source) = unit.source(db) else { return UnaskedFixes::default() };
    let Lowered::Expressions(first) = lowered(db, unit) else { return UnaskedFixes::default() };
    let environment = &DbEnvironment { db, unit };
    let function = Function { source, environment, lowered: first };
    let mut text = function_text(db, unit).text.to_string();
    let editor = Editor { function, text: &text, occurrences: occurrences(db, unit), reading };
    let (found, mut removes) = round(editor, findings(db, unit), || cse_plan(db, unit).clone());
    let mut all = TextEdit::new();
    let mut step = found.edit;
    let mut source = source.clone();
    for n_done in 1.. {
        if step.is_empty() {
            break;
        }
        all = all.then(&text, &step);
        if reading == ReadBack::Later || n_done == MAX_ROUNDS {
            break;
        }
        // An edit that reaches the header is a last one.
        let Some(edited) = source.edited(&step) else { break };
        (source, text) = (edited.into(), step.apply(&text));
        let found = again(db, (unit, environment), &source, &text);
        step = found.0.edit;
        removes |= found.1;
    }
    UnaskedFixes { edit: all, removes }
}

/// One round in a function that was edited.
fn again<'db>(
    db: &'db dyn Db,
    (unit, environment): (Unit<'db>, &DbEnvironment<'db>),
    source: &FunctionSource,
    text: &str,
) -> (CheckedEdits, bool) {
    let options = unit.configuration(db).options(db);
    let lowered = expressions::lower(source, environment);
    if expressions::first_error(&lowered).is_some() {
        return (CheckedEdits::default(), false);
    }
    let occurrences = Occurrences::collect(&lowered.body);
    let function = Function { source, environment, lowered: &lowered };
    let analyses = function.analyses(&occurrences);
    let editor = Editor { function, text, occurrences: &occurrences, reading: ReadBack::Now };
    let found = function.with_planner(&analyses, |it| it.findings(&options.findings, &|| None));
    round(editor, &found, || function.with_planner(&analyses, |it| it.sharing(&options.cse)))
}

/// The edits of one round, and whether they remove something.
fn round(
    editor: Editor<'_>,
    findings: &[Finding],
    sharing: impl FnOnce() -> CsePlan,
) -> (CheckedEdits, bool) {
    let Function { lowered, .. } = editor.function;
    let is_wanted = |it: &&Finding| {
        it.kind.is_fixed_by_default()
            && !it.only_informs(&lowered.body)
            && !lowered.source_map.is_allowed(it.kind.name(), it.place)
    };
    let found = editor.fix(findings.iter().filter(is_wanted), usize::MAX);
    if !found.edit.is_empty() {
        return (found, true);
    }
    let plan = sharing();
    let is_empty = plan.groups.iter().all(|it| !it.decision.is_applied());
    let shared = match plan.informational || is_empty {
        true => CheckedEdits::default(),
        false => editor.share(&plan, Selection::All),
    };
    (shared, false)
}

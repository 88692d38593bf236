//! The fixes of a function that are done when a whole file is fixed: those that are safe unasked, or those of a rule.
//!
//! Round after round, until nothing is left: what is superfluous is removed first, and what that uncovers after it;
//! then values are shared. So to ask a second time gives nothing. O(function) a round, and a reading of each edited
//! text.

use std::borrow::Cow;

use frontend::tvmscript::{CheckedEdits, FunctionSource, Lowered, ReadBack, Selection};
use ir::plan::{
    COMMON_SUBEXPRESSION, CsePlan,
    simplify::{Simplification, SimplificationKind, SimplifyPlan},
};
use pipeline::expressions::Editor;
use syntax::TextEdit;
use transform::findings::{Finding, FindingKind};

use super::expressions::{edited, read_again};
use crate::{
    Db,
    finding::{findings, simplifications},
    function_texts::function_text,
    planning::cse_plan,
    unit::{Source, Unit},
};

/// More rounds are not done: each removes something, and a chain of a hundred is rare.
const MAX_ROUNDS: usize = 16;

/// The fixes that are wanted of a whole function.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fixes {
    /// All that are safe to do unasked.
    Unasked,
    /// Those of findings of a kind.
    Findings(FindingKind),
    /// Those of simplifications of a kind, and what they need.
    Simplifications(SimplificationKind),
    /// The sharing of values.
    Sharing,
}

impl Fixes {
    /// Those of each rule of which functions of statements have fixes.
    pub fn of_rules() -> impl Iterator<Item = Fixes> {
        let findings = FindingKind::ALL.iter().filter(|it| it.rule().is_fixable());
        let simplifications = SimplificationKind::ALL.iter().filter(|it| it.rule().is_fixable());
        [Fixes::Sharing]
            .into_iter()
            .chain(findings.map(|it| Fixes::Findings(*it)))
            .chain(simplifications.map(|it| Fixes::Simplifications(*it)))
    }

    /// The name of the rule, if they are of one.
    pub fn rule(self) -> Option<&'static str> {
        match self {
            Fixes::Unasked => None,
            Fixes::Findings(kind) => Some(kind.name()),
            Fixes::Simplifications(kind) => Some(kind.name()),
            Fixes::Sharing => Some(COMMON_SUBEXPRESSION.name),
        }
    }

    /// Returns true if a finding is one of them.
    fn wants(self, it: &Finding, lowered: &Lowered) -> bool {
        let is_of_kind = match self {
            Fixes::Unasked => it.kind.is_fixed_by_default(),
            Fixes::Findings(kind) => it.kind == kind,
            Fixes::Simplifications(_) | Fixes::Sharing => false,
        };
        is_of_kind
            && !it.only_informs(&lowered.body)
            && !lowered.source_map.is_allowed(it.kind.name(), it.place)
    }
}

/// The edits of [`Fixes`].
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct AllFixes {
    /// The edits of all rounds, as one of the text as it is.
    pub edit: TextEdit,
    /// True if code is removed; else values are shared only.
    pub removes: bool,
}

/// Returns the fixes of a function, round after round; of a unit of operations there are none. Those of the first round
/// only, where the edits are read back later.
pub fn all_fixes<'db>(
    db: &'db dyn Db,
    unit: Unit<'db>,
    wanted: Fixes,
    reading: ReadBack,
) -> AllFixes {
    let Source::Function(source) = unit.source(db) else { return AllFixes::default() };
    let known = Plans {
        findings: &|| Cow::Borrowed(&***findings(db, unit)),
        simplifications: &|| Cow::Borrowed(&***simplifications(db, unit)),
        sharing: &|| Cow::Borrowed(cse_plan(db, unit)),
    };
    let (first, mut removes) = edited(db, (unit, reading), |it| round(it, wanted, &known));
    let mut all = first.edit;
    if reading == ReadBack::Later || all.is_empty() {
        return AllFixes { edit: all, removes };
    }
    // An edit that reaches the header is a last one.
    let after = |source: &FunctionSource, text: &str, step: &TextEdit| {
        Some((source.edited(step)?, step.apply(text)))
    };
    let mut now = after(source, &function_text(db, unit).text, &all);
    for _ in 1..MAX_ROUNDS {
        let Some((source, text)) = &now else { break };
        let (found, removed) = again(db, unit, (source, text), wanted).unwrap_or_default();
        if found.edit.is_empty() {
            break;
        }
        (all, removes) = (all.then(text, &found.edit), removes || removed);
        now = after(source, text, &found.edit);
    }
    AllFixes { edit: all, removes }
}

/// One round in a function that was edited; none if it has an error.
fn again<'db>(
    db: &'db dyn Db,
    unit: Unit<'db>,
    (source, text): (&FunctionSource, &str),
    wanted: Fixes,
) -> Option<(CheckedEdits, bool)> {
    let options = unit.configuration(db).options(db);
    read_again(db, unit, source, |function, analyses| {
        let occurrences = analyses.occurrences;
        let editor = Editor { function, text, occurrences, reading: ReadBack::Now };
        let plans = Plans {
            findings: &|| {
                function
                    .with_planner(analyses, |it| it.findings(&options.findings, &|| None))
                    .into()
            },
            simplifications: &|| {
                Cow::Owned(function.with_planner(analyses, |it| it.simplifications()))
            },
            sharing: &|| Cow::Owned(function.with_planner(analyses, |it| it.sharing(&options.cse))),
        };
        round(editor, wanted, &plans)
    })
}

/// The plans of a function, made when they are asked for.
struct Plans<'a> {
    findings: &'a dyn Fn() -> Cow<'a, [Finding]>,
    simplifications: &'a dyn Fn() -> Cow<'a, SimplifyPlan>,
    sharing: &'a dyn Fn() -> Cow<'a, CsePlan>,
}

/// The edits of one round, and whether they remove something.
fn round(editor: Editor<'_>, wanted: Fixes, plans: &Plans<'_>) -> (CheckedEdits, bool) {
    let lowered = editor.function.lowered;
    if let Fixes::Unasked | Fixes::Findings(_) = wanted {
        let found = (plans.findings)();
        let found = editor.fix(found.iter().filter(|it| wanted.wants(it, lowered)), usize::MAX);
        if !found.edit.is_empty() {
            return (found, true);
        }
    }
    let edits = match wanted {
        Fixes::Unasked | Fixes::Sharing => share(editor, &(plans.sharing)()),
        Fixes::Simplifications(kind) => simplify(editor, &(plans.simplifications)(), kind),
        Fixes::Findings(_) => CheckedEdits::default(),
    };
    (edits, false)
}

fn share(editor: Editor<'_>, plan: &CsePlan) -> CheckedEdits {
    let is_empty = plan.groups.iter().all(|it| !it.decision.is_applied());
    match plan.informational || is_empty {
        true => CheckedEdits::default(),
        false => editor.share(plan, Selection::All),
    }
}

fn simplify(editor: Editor<'_>, plan: &SimplifyPlan, kind: SimplificationKind) -> CheckedEdits {
    let map = &editor.function.lowered.source_map;
    let is_wanted = |it: &Simplification| it.kind == kind && !map.is_allowed(kind.name(), it.place);
    let wanted = plan.with_needs_of(is_wanted, usize::MAX);
    match wanted.contains(&true) {
        true => editor.simplify(plan, |at| wanted[at]),
        false => CheckedEdits::default(),
    }
}

//! Code actions, and the conversion of a function's edits into one.

use db::{Fixes, PlacedUnit};
use frontend::tvmscript::CheckedEdits;
use ir::plan::{ops::OpActionKind, simplify::SimplifyRefusal};
use syntax::{Edit, TextEdit};

/// The kind of a code action.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ActionKind {
    /// Fixes a diagnostic.
    QuickFix,
    /// Gives an expression a name.
    Extract,
    /// Puts a value in the places of its name.
    Inline,
    /// Does all that is safe in a file.
    FixAll,
    /// Does all fixes of a rule in a file; with its name.
    FixRule(&'static str),
}

impl ActionKind {
    /// All of them but those of single rules.
    pub const ALL: &[ActionKind] =
        &[ActionKind::QuickFix, ActionKind::Extract, ActionKind::Inline, ActionKind::FixAll];

    /// Those of single rules: of functions of statements, then of operations.
    pub fn of_rules() -> impl Iterator<Item = ActionKind> {
        let of_statements = Fixes::of_rules().filter_map(Fixes::rule);
        let of_operations = OpActionKind::ALL.iter().map(|it| it.name());
        of_statements.chain(of_operations).map(ActionKind::FixRule)
    }
}

/// Something that can be done.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CodeAction {
    /// The title.
    pub title: String,
    /// Kind.
    pub kind: ActionKind,
    /// True for the action that most users want here.
    pub is_preferred: bool,
    /// The edits, in text order; they do not overlap.
    pub edits: Vec<Edit>,
    /// The reason why it cannot be done; it has no edits then.
    pub disabled: Option<String>,
    /// It has no edits yet: they are computed on request.
    pub is_put_off: bool,
}

impl CodeAction {
    /// An action that does these edits of a function. Where they read back as something else than they should, it is
    /// there to say so; none where the text allows no edit.
    pub(crate) fn of(
        title: String,
        kind: ActionKind,
        at: &PlacedUnit<'_>,
        found: CheckedEdits,
    ) -> Option<CodeAction> {
        let differs = found.n_differing() > 0;
        let edits = placed(at, found.edit);
        match edits.is_empty() {
            false => Some(CodeAction { edits, ..CodeAction::without_edits(title, kind) }),
            true => differs.then(|| CodeAction::refused(title, kind)),
        }
    }

    /// An action that cannot be done, because the text would say something else.
    pub(crate) fn refused(title: String, kind: ActionKind) -> CodeAction {
        let refusal = SimplifyRefusal::ReadsBackDifferently.name();
        let why =
            format!("the edited text would mean something else, or lose a comment ({refusal})");
        CodeAction { disabled: Some(why), ..CodeAction::without_edits(title, kind) }
    }

    pub(crate) fn without_edits(title: String, kind: ActionKind) -> CodeAction {
        let edits = Vec::new();
        CodeAction { title, kind, is_preferred: false, edits, disabled: None, is_put_off: false }
    }

    /// Forgets edits that were not read back.
    pub(crate) fn put_off(&mut self) {
        self.is_put_off |= !std::mem::take(&mut self.edits).is_empty();
    }
}

/// The suffix of the title of an action that names a value in a function whose blocks can still be scheduled.
pub(crate) const STILL_SCHEDULED: &str = " (later scheduling of its blocks may fail)";

/// The edits of a function, at their places in the file.
pub(crate) fn placed(at: &PlacedUnit<'_>, edit: TextEdit) -> Vec<Edit> {
    let edits = edit.into_edits().into_iter();
    edits.map(|it| Edit { range: at.to_file(it.range), ..it }).collect()
}

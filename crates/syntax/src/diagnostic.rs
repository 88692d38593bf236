//! [`Diagnostic`]: what is told of a place of a text, by whoever reads it or reasons about it.

use rowan::{TextRange, TextSize};

pub use rules::Severity;

use crate::{Listed, MORE_DIAGNOSTICS};

/// One finding. Its ranges are relative to the unit or to the file, as the function that gives it says.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Diagnostic {
    /// The rule, in kebab-case.
    pub code: &'static str,
    /// How bad it is.
    pub severity: Severity,
    /// Returns the place.
    pub range: TextRange,
    /// The message, in one sentence without a full stop.
    pub message: String,
    /// The advice.
    pub help: Option<String>,
    /// Other relevant places, with their descriptions.
    pub related: Vec<(TextRange, String)>,
    /// The text could go: editors show it faded.
    pub is_unnecessary: bool,
    /// The number of fixes that `fix` applies for it by default, with those inside it that are reported nowhere else.
    pub n_fixes: usize,
    /// The place of the source that the text was made of, where the text says so.
    pub source: Option<Box<SourcePlace>>,
}

/// A place in the source of a text that was made by a program: the kernel in Python of an operation of MLIR.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct SourcePlace {
    /// The path, as the text has it.
    pub path: Box<str>,
    /// The line, from 1.
    pub line: u32,
    /// The column, from 1.
    pub column: u32,
}

impl Diagnostic {
    /// The same, at the places that `place` gives for its own.
    #[must_use]
    pub fn placed(&self, place: impl Fn(TextRange) -> TextRange) -> Diagnostic {
        let related = self.related.iter().map(|(range, it)| (place(*range), it.clone()));
        Diagnostic { range: place(self.range), related: related.collect(), ..self.clone() }
    }
}

impl From<crate::SyntaxError> for Diagnostic {
    fn from(error: crate::SyntaxError) -> Diagnostic {
        Diagnostic {
            code: error.kind.name(),
            severity: Severity::Error,
            range: error.range,
            message: error.message,
            help: error.help.map(str::to_owned),
            ..Diagnostic::default()
        }
    }
}

impl Listed for Diagnostic {
    fn range(&self) -> TextRange {
        self.range
    }

    fn standing_for_all(self, message: String) -> Diagnostic {
        let related = Vec::new();
        Diagnostic { code: MORE_DIAGNOSTICS.name, message, help: None, related, ..self }
    }

    fn absorb(&mut self, other: &Diagnostic) {
        // The worst is the least.
        self.severity = self.severity.min(other.severity);
    }

    fn order(&self) -> (TextSize, TextSize) {
        (self.range.start(), self.range.end())
    }
}

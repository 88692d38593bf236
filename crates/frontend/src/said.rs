//! What lowering says of one unit, bounded.

use syntax::{Bounded, Listed, TextRange, TextSize};

use crate::tvmscript::Diagnostic;

/// So many diagnostics of a function, program or frame are kept; one more says how many others there are.
pub use syntax::MAX_LISTED as MAX_DIAGNOSTICS;
/// The rule of the diagnostic that stands for those that are not kept. Syntax errors that are not kept have it as well.
pub use syntax::MORE_DIAGNOSTICS;

/// The diagnostics of a unit while they are found.
pub(crate) type Said = Bounded<Diagnostic>;

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

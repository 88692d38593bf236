//! What lowering says of one unit, bounded.

use syntax::{Bounded, Diagnostic, Severity};

use crate::tvmscript::DiagnosticRule;

/// So many diagnostics of a function, program or frame are kept; one more says how many others there are.
pub use syntax::MAX_LISTED as MAX_DIAGNOSTICS;
/// The code of the diagnostic that stands for those that are not kept. Syntax errors that are not kept have it as well.
pub use syntax::MORE_DIAGNOSTICS;

/// Its rule, for tables of rules.
pub(crate) const RULE: DiagnosticRule = DiagnosticRule {
    code: MORE_DIAGNOSTICS,
    severity: Severity::Error,
    summary: "more diagnostics than are listed",
    docs: "Of one function, program or frame, the first 1000 syntax errors and the first 1000 other diagnostics are listed. This one says how many more there \
           are, and stands where the first of them is. It is as severe as the worst of them.\n",
};

/// The diagnostics of a unit while they are found.
pub(crate) type Said = Bounded<Diagnostic>;

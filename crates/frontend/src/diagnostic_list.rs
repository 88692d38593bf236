//! The diagnostics of lowering one unit, bounded in number.

use syntax::{Bounded, Diagnostic};

/// The limit on diagnostics of a function, program or frame; one more gives the number of the others.
pub use syntax::MAX_LISTED as MAX_DIAGNOSTICS;
/// The rule of the diagnostic that stands for those that are not kept. Syntax errors that are not kept have it as well.
pub use syntax::MORE_DIAGNOSTICS;

/// The diagnostics of a unit while they are found.
pub(crate) type DiagnosticList = Bounded<Diagnostic>;

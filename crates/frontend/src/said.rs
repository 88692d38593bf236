//! What lowering says of one unit, bounded.

use syntax::{Bounded, Diagnostic};

/// So many diagnostics of a function, program or frame are kept; one more says how many others there are.
pub use syntax::MAX_LISTED as MAX_DIAGNOSTICS;
/// The rule of the diagnostic that stands for those that are not kept. Syntax errors that are not kept have it as well.
pub use syntax::MORE_DIAGNOSTICS;

/// The diagnostics of a unit while they are found.
pub(crate) type Said = Bounded<Diagnostic>;

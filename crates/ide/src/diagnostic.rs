//! What is reported of a file, as its user wants it.

use crate::finding_levels::FindingLevels;

/// The name of the rule about shared values.
pub const COMMON_SUBEXPRESSION: &str = ir::plan::COMMON_SUBEXPRESSION.name;

/// What is reported.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct DiagnosticsConfig {
    /// Report what could be shared.
    pub common_subexpressions: bool,
    /// Report what is wrong with MLIR and PIR: off where another server does.
    pub operations: bool,
    /// How bad findings of each kind are.
    pub levels: FindingLevels,
    /// Say of what could be shared whether `fix` does it. In MLIR and PIR that costs as much as doing it.
    pub read_back: bool,
    /// At most this many; the worst are kept.
    pub limit: usize,
}

impl Default for DiagnosticsConfig {
    fn default() -> DiagnosticsConfig {
        DiagnosticsConfig {
            common_subexpressions: true,
            operations: true,
            levels: FindingLevels::default(),
            read_back: false,
            limit: usize::MAX,
        }
    }
}

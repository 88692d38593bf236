//! The diagnostics of a file, as its user wants them.

use crate::finding_levels::FindingLevels;

/// The name of the rule about shared values.
pub const COMMON_SUBEXPRESSION: &str = ir::plan::COMMON_SUBEXPRESSION.name;

/// The diagnostics to report.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct DiagnosticsConfig {
    /// Report values that could be shared.
    pub common_subexpressions: bool,
    /// Report errors in MLIR and PIR: off where another server does.
    pub operations: bool,
    /// The severity of findings of each kind.
    pub levels: FindingLevels,
    /// Report for values that could be shared whether `fix` does it. In MLIR and PIR that costs as much as doing it.
    pub read_back: bool,
    /// Report about the chosen instances, in place of the general functions.
    pub instances: bool,
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
            instances: false,
            limit: usize::MAX,
        }
    }
}

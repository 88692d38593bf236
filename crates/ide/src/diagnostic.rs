//! The diagnostics of a file, as its user wants them.

use crate::finding_levels::FindingLevels;

/// The name of the rule about shared values.
pub const COMMON_SUBEXPRESSION: &str = ir::plan::COMMON_SUBEXPRESSION.name;

/// The diagnostics to report.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct DiagnosticsConfig {
    /// Report values that could be shared.
    pub common_subexpressions: bool,
    /// Which of these are worth reporting.
    pub worth: Worth,
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
            worth: Worth::default(),
            operations: true,
            levels: FindingLevels::default(),
            read_back: false,
            instances: false,
            limit: usize::MAX,
        }
    }
}

/// The values that could be shared and are worth showing, among those of one function.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Worth {
    /// At most this many, those that save most.
    pub most: usize,
    /// None that saves fewer operations: evaluations saved, times the cost of one.
    pub least: u64,
}

impl Worth {
    /// All of them.
    pub const ALL: Worth = Worth { most: usize::MAX, least: 0 };

    /// Returns true if a value is worth showing that saves so many operations, and is the `rank`-th of its function in
    /// that (from 0).
    pub fn shows(self, rank: usize, saves: u64) -> bool {
        rank < self.most && saves >= self.least
    }
}

impl Default for Worth {
    fn default() -> Worth {
        Worth { most: 5, least: 1 }
    }
}

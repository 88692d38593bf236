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

/// The values that could be shared, and the expressions that could be simpler, that are worth showing, among those of
/// one function.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Worth {
    /// At most this many, those that save most, and more in a long function.
    pub most: usize,
    /// One more than that for each so many lines of the function; 0: no more, whatever its length.
    pub per_lines: usize,
    /// None that saves fewer operations: evaluations saved, times the cost of one.
    pub least: u64,
}

impl Worth {
    /// All of them.
    pub const ALL: Worth = Worth { most: usize::MAX, per_lines: 0, least: 0 };

    /// Returns true if a value is worth showing that saves so many operations, and is the `rank`-th in that (from 0) of
    /// a function of so many lines.
    pub fn shows(self, rank: usize, saves: u64, lines: usize) -> bool {
        rank < self.room(lines) && saves >= self.least
    }

    /// Returns how many values a function of so many lines shows.
    pub(crate) fn room(self, lines: usize) -> usize {
        let more = lines.checked_div(self.per_lines).unwrap_or_default();
        self.most.saturating_add(more)
    }
}

impl Default for Worth {
    fn default() -> Worth {
        Worth { most: 5, per_lines: 80, least: 1 }
    }
}

#[cfg(test)]
mod tests {
    use super::Worth;

    #[test]
    fn a_long_function_shows_more_values_than_a_short_one() {
        let shown = |worth: Worth, lines| (0..1000).filter(|&it| worth.shows(it, 1, lines)).count();
        let default = Worth::default();
        assert_eq!([10, 60, 400, 2000].map(|lines| shown(default, lines)), [5, 5, 10, 30]);
        assert_eq!(shown(Worth { per_lines: 0, ..default }, 2000), 5);
        assert_eq!(shown(Worth::ALL, 10), 1000);
        assert!(!default.shows(0, 0, 2000));
    }
}

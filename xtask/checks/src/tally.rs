//! Counting the checks.

use crate::skip::Skip;
use crate::workspace::say;

/// The checks that passed, failed, or were skipped.
#[derive(Debug, Default)]
pub(crate) struct Tally {
    passed: usize,
    failed: usize,
    skips: Vec<Skip>,
}

impl Tally {
    /// Counts checks that passed.
    pub(crate) fn pass(&mut self, count: usize) {
        self.passed += count;
    }

    /// Counts checks that failed.
    pub(crate) fn fail(&mut self, count: usize) {
        self.failed += count;
    }

    /// Counts one check by its result.
    pub(crate) fn check(&mut self, is_good: bool) {
        if is_good { self.pass(1) } else { self.fail(1) }
    }

    /// Says and counts a check that cannot be made here.
    pub(crate) fn skip(&mut self, skip: Skip) {
        say(format_args!("{skip}"));
        self.skips.push(skip);
    }

    /// Adds the counts of a part.
    pub(crate) fn add(&mut self, part: Tally) {
        self.passed += part.passed;
        self.failed += part.failed;
        self.skips.extend(part.skips);
    }

    /// Returns the number of failed checks.
    pub(crate) fn failed(&self) -> usize {
        self.failed
    }

    /// The name of the skipped check.
    pub(crate) fn skips(&self) -> &[Skip] {
        &self.skips
    }

    /// The line that ends every run.
    pub(crate) fn summary(&self) -> String {
        format!(
            "tests: {} passed, {} failed, {} skipped",
            self.passed,
            self.failed,
            self.skips.len()
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn summary_counts_all_parts() {
        let mut part = Tally::default();
        part.pass(3);
        part.check(false);
        part.skip(Skip::new("neovim", "no Python"));
        let mut whole = Tally::default();
        whole.check(true);
        whole.add(part);
        assert_eq!(whole.summary(), "tests: 4 passed, 1 failed, 1 skipped");
    }
}

//! The errors of a node while they are found, bounded: a text that is wrong everywhere has no more of them than a person reads.

use rowan::TextRange;

use super::{SyntaxError, SyntaxErrorKind};

/// So many errors of a node are kept; one more says how many others there are.
pub const MAX_ERRORS: usize = 1000;

/// The code of what stands for errors and other diagnostics that are not kept.
pub const MORE_DIAGNOSTICS: &str = "more-diagnostics";

/// What it says.
pub fn more_diagnostics(n: usize, kept: usize) -> String {
    match n {
        1 => format!("1 more diagnostic is not listed: of one part the first {kept} are"),
        _ => format!("{n} more diagnostics are not listed: of one part the first {kept} are"),
    }
}

#[derive(Default)]
pub(super) struct Found {
    kept: Vec<SyntaxError>,
    n_more: usize,
    first_more: TextRange,
}

impl Found {
    pub(super) fn push(&mut self, error: SyntaxError) {
        if self.kept.len() < MAX_ERRORS {
            self.kept.push(error);
            return;
        }
        if self.n_more == 0 {
            self.first_more = error.range;
        }
        self.n_more += 1;
    }

    /// All that is kept, in the order of the text: what is not closed is told where it begins, and found where it ends.
    pub(super) fn into_sorted(self) -> Vec<SyntaxError> {
        let mut res = self.kept;
        if self.n_more > 0 {
            res.push(SyntaxError {
                kind: SyntaxErrorKind::MoreErrors,
                range: self.first_more,
                message: more_diagnostics(self.n_more, MAX_ERRORS),
                help: None,
            });
        }
        res.sort_by_key(|it| it.range.start());
        res
    }
}

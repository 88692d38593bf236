//! The owner of comments behind a block.

use super::Parser;
use crate::SyntaxKind::*;

impl Parser<'_> {
    /// The first comment line of the pending trivia: its raw token and its column.
    fn pending_comment(&mut self) -> Option<(usize, u32)> {
        if self.comment_memo.0 != self.recorded {
            let found = (self.recorded..self.pos).find(|&idx| self.tokens[idx].kind == COMMENT);
            let found = found.map(|idx| {
                let line = (self.recorded..idx).rev().find(|&it| self.tokens[it].kind == NEWLINE);
                let col = self.column(line.map_or(self.recorded, |it| it + 1));
                (idx, col)
            });
            self.comment_memo = (self.recorded, found);
        }
        self.comment_memo.1
    }

    /// After a block's last statement: records the comment lines not left of column `indent`, with the
    /// blank lines between, up to the first comment line that is.
    pub(in crate::tvmscript) fn record_block_comments(&mut self, indent: u32) {
        while let Some((comment, col)) = self.pending_comment()
            && col >= indent
            && !self.overran
        {
            self.overran = self.tokens[comment].start >= self.limit;
            let has_newline = comment + 1 < self.pos && self.tokens[comment + 1].kind == NEWLINE;
            self.record_until(comment + 1 + usize::from(has_newline));
        }
    }
}

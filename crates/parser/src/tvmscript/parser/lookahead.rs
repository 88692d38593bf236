//! Looking ahead: never past the end of the statement, and over several lines at most a constant.

use super::{Parser, is_closing, is_opening};
use crate::{SyntaxKind, SyntaxKind::*, T};

/// The limit on significant tokens that a decision may look ahead over several lines.
const MAX_LOOKAHEAD: usize = 4096;

impl Parser<'_> {
    /// The significant token `n` after the current one, if the brackets open now stay open.
    pub(in crate::tvmscript) fn nth(&mut self, n: usize) -> SyntaxKind {
        let mut idx = self.pos;
        for _ in 0..n {
            match self.raw(idx) {
                end @ (NEWLINE | EOF) => return end,
                kind => idx = self.significant(idx + 1, kind, self.brackets.any()),
            }
        }
        self.raw(idx)
    }

    /// Returns true if the current statement's line, continued inside brackets, ends with a `:`. Brackets must not be
    /// open.
    pub(in crate::tvmscript) fn logical_line_ends_with_colon(&mut self) -> bool {
        let (mut idx, mut open, mut last) = (self.pos, 0u32, EOF);
        for _ in 0..MAX_LOOKAHEAD {
            match self.raw(idx) {
                NEWLINE | EOF => break,
                kind => {
                    open += u32::from(is_opening(kind));
                    open = open.saturating_sub(u32::from(is_closing(kind)));
                    last = kind;
                }
            }
            idx = self.significant(idx + 1, last, open > 0);
        }
        last == T![:]
    }

    /// At `(`: whether its partner is followed by `:`, with no `for`, `:=` or `yield` directly inside.
    /// Brackets must not be open.
    pub(in crate::tvmscript) fn parens_hold_with_items(&mut self) -> bool {
        let (mut idx, mut open) = (self.pos, 0u32);
        for _ in 0..MAX_LOOKAHEAD {
            let kind = self.raw(idx);
            match kind {
                NEWLINE | EOF => return false,
                T![for] | T![:=] | T![yield] if open == 1 => return false,
                _ => {}
            }
            open += u32::from(is_opening(kind));
            open = open.saturating_sub(u32::from(is_closing(kind)));
            idx = self.significant(idx + 1, kind, open > 0);
            if open == 0 {
                return self.raw(idx) == T![:];
            }
        }
        false
    }
}

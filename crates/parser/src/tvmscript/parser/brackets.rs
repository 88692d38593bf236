//! Open brackets, and skipping unreadable text in whole groups of them.

use super::{CompletedMarker, Parser};
use crate::{SyntaxKind, T};

/// Open brackets by kind.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Brackets {
    paren: u32,
    square: u32,
    curly: u32,
}

impl Brackets {
    /// The count that an opening or closing bracket changes.
    pub(super) fn count(&mut self, bracket: SyntaxKind) -> &mut u32 {
        match bracket {
            T!['('] | T![')'] => &mut self.paren,
            T!['['] | T![']'] => &mut self.square,
            _ => &mut self.curly,
        }
    }

    pub(super) fn any(&self) -> bool {
        (self.paren | self.square | self.curly) != 0
    }
}

pub(in crate::tvmscript) fn is_opening(kind: SyntaxKind) -> bool {
    matches!(kind, T!['('] | T!['['] | T!['{'])
}

pub(in crate::tvmscript) fn is_closing(kind: SyntaxKind) -> bool {
    matches!(kind, T![')'] | T![']'] | T!['}'])
}

impl Parser<'_> {
    /// Consumes an opening bracket.
    pub(in crate::tvmscript) fn open(&mut self) {
        *self.brackets.count(self.current) += 1;
        self.bump();
    }

    /// Closes the innermost bracket, which `kind` closes; consumes it if it is there.
    pub(in crate::tvmscript) fn close(&mut self, kind: SyntaxKind) {
        *self.brackets.count(kind) -= 1;
        self.eat(kind);
    }

    /// Records tokens, in a node of kind `kind`, as [`Parser::skip_into_open_node`] does; no node if none.
    pub(in crate::tvmscript) fn skip(
        &mut self,
        kind: SyntaxKind,
        group: bool,
        stops: fn(SyntaxKind) -> bool,
    ) -> Option<CompletedMarker> {
        if self.at_end() || self.closes_outer() || stops(self.current) {
            return None;
        }
        let m = self.start();
        self.skip_into_open_node(group, stops);
        Some(m.complete(self, kind))
    }

    fn closes_outer(&mut self) -> bool {
        is_closing(self.current) && *self.brackets.count(self.current) > 0
    }

    /// Consumes tokens up to the first that `stops` outside brackets opened on the way, the end of the
    /// statement, or a bracket that closes one opened before. With `group`, stops also after the first
    /// group of brackets.
    pub(in crate::tvmscript) fn skip_into_open_node(
        &mut self,
        group: bool,
        stops: fn(SyntaxKind) -> bool,
    ) {
        let mut opened = Brackets::default();
        while !self.at_end() {
            let current = self.current;
            if is_opening(current) {
                *opened.count(current) += 1;
                self.open();
            } else if is_closing(current) && *opened.count(current) > 0 {
                *opened.count(current) -= 1;
                self.close(current);
                if group && !opened.any() {
                    break;
                }
            } else if self.closes_outer() || !opened.any() && stops(current) {
                break;
            } else {
                self.bump();
            }
        }
        self.brackets.paren -= opened.paren;
        self.brackets.square -= opened.square;
        self.brackets.curly -= opened.curly;
    }
}

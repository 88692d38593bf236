//! Columns of lines, and the rule that ends unclosed brackets.
//!
//! Indentation is not in the tokens: a line's *column* is computed from its leading white space (a tab goes
//! to the next multiple of 8, a form feed back to 0, as in Python).

use super::parser::{Parser, is_closing, is_opening};
use crate::{SyntaxKind, SyntaxKind::*, T};

fn width(white_space: &[u8]) -> u32 {
    white_space.iter().fold(0, |col, b| match b {
        b'\t' => (col / 8 + 1) * 8,
        b'\x0c' => 0,
        _ => col + 1,
    })
}

/// The column at which the text of the line that holds `offset` begins. (A line that a `\\` joins to the one before
/// has no column of its own: a statement that begins there has that of the first line joined.)
pub fn indent_at(text: &str, offset: usize) -> u32 {
    let bytes = text.as_bytes();
    let offset = offset.min(bytes.len());
    let start =
        bytes[..offset].iter().rposition(|b| matches!(b, b'\n' | b'\r')).map_or(0, |it| it + 1);
    let line = bytes[start..].strip_prefix("\u{feff}".as_bytes()).unwrap_or(&bytes[start..]);
    let len = line.iter().position(|b| !matches!(b, b' ' | b'\t' | b'\x0c')).unwrap_or(line.len());
    width(&line[..len])
}

/// Returns true if an expression may end with this token.
fn ends_operand(kind: SyntaxKind) -> bool {
    matches!(
        kind,
        IDENT
            | INT
            | FLOAT
            | IMAGINARY
            | STRING
            | T![')']
            | T![']']
            | T!['}']
            | T![True]
            | T![False]
            | T![None]
            | T![...]
    )
}

pub(super) fn is_aug_op(kind: SyntaxKind) -> bool {
    matches!(
        kind,
        T![+=]
            | T![-=]
            | T![*=]
            | T![/=]
            | T!["//="]
            | T![%=]
            | T![@=]
            | T![&=]
            | T![|=]
            | T![^=]
            | T![<<=]
            | T![>>=]
            | T![**=]
    )
}

impl Parser<'_> {
    /// The column of the line whose first raw token is `first`.
    pub(super) fn column(&mut self, first: usize) -> u32 {
        let first = if self.raw(first) == BOM { first + 1 } else { first };
        if self.raw(first) == WHITESPACE { width(self.raw_text(first)) } else { 0 }
    }

    /// Returns true if a line begins a statement although brackets are open. The first significant raw token of the
    /// line is `first`, behind a token of kind `prev`. It does if no valid program has such a line there, or if it
    /// stands at a column not right of the current statement and is laid out like a statement. See the README.
    pub(super) fn line_ends_brackets(&mut self, first: usize, col: u32, prev: SyntaxKind) -> bool {
        match self.raw(first) {
            T![def]
            | T![class]
            | T![return]
            | T![raise]
            | T![assert]
            | T![del]
            | T![global]
            | T![nonlocal]
            | T![pass]
            | T![break]
            | T![continue]
            | T![import]
            | T![while]
            | T![with]
            | T![try]
            | T![except]
            | T![finally]
            | T![elif] => true,
            T![else] => self.raw_significant(first + 1) == T![:],
            T![for] | T![if] => self.line_is_header(first),
            T![async] => match self.raw_significant(first + 1) {
                T![def] | T![with] => true,
                T![for] => self.line_is_header(first),
                _ => false,
            },
            T![from] => self.line_has_import(first),
            T![@] => col <= self.col() && self.raw(first + 1) == IDENT,
            IDENT => col <= self.col() && (ends_operand(prev) || self.line_assigns(first)),
            _ => false,
        }
    }

    /// The kind of the first raw token from `idx` on that is no white space or comment.
    fn raw_significant(&mut self, mut idx: usize) -> SyntaxKind {
        while matches!(self.raw(idx), WHITESPACE | COMMENT | LINE_CONTINUATION) {
            idx += 1;
        }
        self.raw(idx)
    }

    /// Returns true if the line ends, outside its own brackets and those around it, with a `:` that belongs to neither
    /// a `lambda` nor a conditional key.
    fn line_is_header(&mut self, first: usize) -> bool {
        let mut brackets = 0u32;
        let mut last = EOF;
        for idx in first.. {
            match self.raw(idx) {
                NEWLINE | EOF => break,
                T![lambda] | T![else] => return false,
                WHITESPACE | COMMENT | LINE_CONTINUATION => continue,
                kind if is_opening(kind) => brackets += 1,
                kind if is_closing(kind) && brackets == 0 => return false,
                kind if is_closing(kind) => brackets -= 1,
                _ => {}
            }
            last = self.raw(idx);
        }
        last == T![:] && brackets == 0
    }

    fn line_has_import(&mut self, first: usize) -> bool {
        let mut idx = first;
        loop {
            match self.raw(idx) {
                NEWLINE | EOF => return false,
                T![import] => return true,
                _ => idx += 1,
            }
        }
    }

    /// Returns true if the line has, outside its own brackets, an augmented assignment or a `=` after a blank. False if
    /// it closes a bracket before it, or ends with a comma: then it more likely continues a call.
    fn line_assigns(&mut self, first: usize) -> bool {
        let (mut brackets, mut assigns, mut last) = (0u32, false, EOF);
        for idx in first.. {
            match self.raw(idx) {
                NEWLINE | EOF => break,
                WHITESPACE | COMMENT | LINE_CONTINUATION => continue,
                kind if is_opening(kind) => brackets += 1,
                kind if is_closing(kind) && brackets == 0 => return false,
                kind if is_closing(kind) => brackets -= 1,
                T![=] if brackets == 0 => assigns |= self.raw(idx - 1) == WHITESPACE,
                kind if brackets == 0 => assigns |= is_aug_op(kind),
                _ => {}
            }
            last = self.raw(idx);
        }
        assigns && (last != T![,] || brackets > 0)
    }
}

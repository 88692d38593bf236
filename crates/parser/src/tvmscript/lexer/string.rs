//! Strings with any prefix; f-strings (and t-strings) as one opaque token.
//!
//! A string in single quotes ends at the end of its line if it is not closed, one in triple quotes at the
//! end of the text. In an f-string in single quotes a replacement field may hold strings with the same
//! quote, as Python 3.12 has it: the *nested* reading. If that finds no end on the line, the *plain*
//! reading (up to the next quote) is taken, for this and all later f-strings of the line: so every
//! byte is looked at twice at most. f-strings in triple quotes are always read plainly.

use super::Lexer;
use crate::{SyntaxKind, SyntaxKind::STRING};

/// The state of the nested reading.
#[derive(Default)]
pub(super) struct FStrings {
    /// True if the nested reading failed on this line.
    plain: bool,
    /// Open strings, fields and format specs; kept to save the allocation.
    stack: Vec<Frame>,
}

impl FStrings {
    pub(super) fn new_line(&mut self) {
        self.plain = false;
    }
}

#[derive(Clone, Copy)]
enum Frame {
    /// The literal part of a string.
    Text { quote: u8, triple: bool, formatted: bool },
    /// A replacement field, inside this many brackets.
    Field { brackets: u32 },
    /// The part of a field after its `:`.
    Spec,
}

/// Returns true if `word` before a quote makes it a string.
pub(super) fn is_prefix(word: &[u8]) -> bool {
    match word {
        [a] => matches!(a | 0x20, b'r' | b'u' | b'b' | b'f' | b't'),
        [a, b] => {
            matches!((a | 0x20, b | 0x20), (b'b' | b'f' | b't', b'r') | (b'r', b'b' | b'f' | b't'))
        }
        _ => false,
    }
}

fn is_formatted(prefix: &[u8]) -> bool {
    prefix.iter().any(|b| matches!(b | 0x20, b'f' | b't'))
}

impl Lexer<'_> {
    /// At a string whose prefix is `prefix` bytes long.
    pub(super) fn string(&mut self, prefix: usize) -> SyntaxKind {
        let start = self.pos;
        self.pos += prefix;
        let quote = self.peek(0);
        if self.peek(1) == quote && self.peek(2) == quote {
            self.pos += 3;
            self.triple_quoted(quote);
            return STRING;
        }
        self.pos += 1;
        let body = self.pos;
        if is_formatted(&self.bytes[start..start + prefix]) && !self.fstrings.plain {
            if self.nested(quote) {
                return STRING;
            }
            self.fstrings.plain = true;
            self.pos = body;
        }
        self.single_quoted(quote);
        STRING
    }

    fn skip_escape(&mut self) {
        self.pos += 1;
        self.pos += self.newline_len(self.pos).max(1);
        self.pos = self.text.ceil_char_boundary(self.pos.min(self.bytes.len()));
    }

    fn single_quoted(&mut self, quote: u8) {
        while let Some(&b) = self.bytes.get(self.pos) {
            match b {
                b'\\' => self.skip_escape(),
                b'\n' | b'\r' => return,
                _ => {
                    self.pos += 1;
                    if b == quote {
                        return;
                    }
                }
            }
        }
    }

    fn triple_quoted(&mut self, quote: u8) {
        while let Some(&b) = self.bytes.get(self.pos) {
            if b == b'\\' {
                self.skip_escape();
            } else if b == quote && self.peek(1) == quote && self.peek(2) == quote {
                self.pos += 3;
                return;
            } else {
                self.pos += 1;
            }
        }
    }

    /// Reads to the end of an f-string; false if its line ends first.
    fn nested(&mut self, quote: u8) -> bool {
        let mut stack = std::mem::take(&mut self.fstrings.stack);
        stack.clear();
        stack.push(Frame::Text { quote, triple: false, formatted: true });
        let closed = self.nested_frames(&mut stack);
        self.fstrings.stack = stack;
        closed
    }

    fn nested_frames(&mut self, stack: &mut Vec<Frame>) -> bool {
        while let Some(&frame) = stack.last() {
            let b = match self.bytes.get(self.pos) {
                None | Some(b'\n' | b'\r') => return false,
                Some(&b) => b,
            };
            match frame {
                Frame::Text { quote, triple, formatted } => {
                    self.text_byte(b, quote, triple, formatted, stack)
                }
                Frame::Field { brackets } => self.field_byte(b, brackets, stack),
                Frame::Spec => {
                    self.pos += 1;
                    match b {
                        b'{' => stack.push(Frame::Field { brackets: 0 }),
                        b'}' => drop(stack.pop()),
                        b'"' | b'\'' => return false,
                        _ => {}
                    }
                }
            }
        }
        true
    }

    fn text_byte(
        &mut self,
        b: u8,
        quote: u8,
        triple: bool,
        formatted: bool,
        stack: &mut Vec<Frame>,
    ) {
        match b {
            b'\\' if formatted && matches!(self.peek(1), b'{' | b'}') => self.pos += 1,
            b'\\' => self.skip_escape(),
            b'{' if formatted && self.peek(1) == b'{' => self.pos += 2,
            b'{' if formatted => {
                self.pos += 1;
                stack.push(Frame::Field { brackets: 0 });
            }
            _ if b != quote => self.pos += 1,
            _ if !triple => {
                self.pos += 1;
                stack.pop();
            }
            _ if self.peek(1) == quote && self.peek(2) == quote => {
                self.pos += 3;
                stack.pop();
            }
            _ => self.pos += 1,
        }
    }

    fn field_byte(&mut self, b: u8, brackets: u32, stack: &mut Vec<Frame>) {
        let start = self.pos;
        self.pos += 1;
        let top = stack.len() - 1;
        match b {
            b'(' | b'[' | b'{' => stack[top] = Frame::Field { brackets: brackets + 1 },
            b')' | b']' | b'}' if brackets > 0 => {
                stack[top] = Frame::Field { brackets: brackets - 1 }
            }
            b'}' => drop(stack.pop()),
            b':' if brackets == 0 => stack[top] = Frame::Spec,
            b'"' | b'\'' => {
                let triple = self.peek(0) == b && self.peek(1) == b;
                self.pos += if triple { 2 } else { 0 };
                let formatted = is_formatted(self.prefix_before(start));
                stack.push(Frame::Text { quote: b, triple, formatted });
            }
            _ => {}
        }
    }

    /// The prefix of the string whose quote is at `quote`.
    fn prefix_before(&self, quote: usize) -> &[u8] {
        for len in [2, 1] {
            if let Some(word) =
                quote.checked_sub(len).and_then(|start| self.bytes.get(start..quote))
                && is_prefix(word)
            {
                return word;
            }
        }
        &[]
    }
}

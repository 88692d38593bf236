//! Numbers: `0x1F`, `1_000`, `1.`, `.5e-3`, `2j`.
//!
//! A number that Python forbids but that can only mean one thing (`012`) is one token; text right after a number
//! (`1if`, `0xfor`) is a token of its own, as in Python.

use super::Lexer;
use crate::{SyntaxKind, SyntaxKind::*};

impl Lexer<'_> {
    pub(super) fn number(&mut self) -> SyntaxKind {
        if self.peek(0) == b'0' && self.radix_digits() {
            return INT;
        }
        let mut kind = INT;
        self.digits();
        if self.peek(0) == b'.' {
            self.pos += 1;
            self.digits();
            kind = FLOAT;
        }
        if self.exponent() {
            kind = FLOAT;
        }
        if matches!(self.peek(0), b'j' | b'J') {
            self.pos += 1;
            kind = IMAGINARY;
        }
        kind
    }

    /// `0x…`, `0o…`, `0b…`, if a digit follows.
    fn radix_digits(&mut self) -> bool {
        let is_digit: fn(&u8) -> bool = match self.peek(1) {
            b'x' | b'X' => u8::is_ascii_hexdigit,
            b'o' | b'O' => |b| (b'0'..=b'7').contains(b),
            b'b' | b'B' => |b| (b'0'..=b'1').contains(b),
            _ => return false,
        };
        let first = if self.peek(2) == b'_' { 3 } else { 2 };
        if !is_digit(&self.peek(first)) {
            return false;
        }
        self.pos += first;
        while is_digit(&self.peek(0)) || self.peek(0) == b'_' && is_digit(&self.peek(1)) {
            self.pos += 1;
        }
        true
    }

    fn digits(&mut self) {
        while self.peek(0).is_ascii_digit() || self.peek(0) == b'_' && self.peek(1).is_ascii_digit()
        {
            self.pos += 1;
        }
    }

    fn exponent(&mut self) -> bool {
        if !matches!(self.peek(0), b'e' | b'E') {
            return false;
        }
        let sign = usize::from(matches!(self.peek(1), b'+' | b'-'));
        if !self.peek(1 + sign).is_ascii_digit() {
            return false;
        }
        self.pos += 1 + sign;
        self.digits();
        true
    }
}

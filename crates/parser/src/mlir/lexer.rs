//! The lexer of MLIR and PIR: one token at a position, without state.
//!
//! Tokens are those of MLIR's own lexer: `arith.addi` is one identifier, `%0`, `^bb1`, `@f`, `#map` and `!t` one token each,
//! angle brackets never join (`>=` is two tokens). White space and comments are found by [`trivia_end`]. What begins no token is
//! `ERROR`. O(length of the token).

use crate::SyntaxKind::{self, *};

/// Which of the two languages a text is in: they differ in numbers and in marks of what is absent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Dialect {
    Mlir,
    Pir,
}

/// A stretch of trivia.
pub(crate) struct Trivia {
    /// Where it ends.
    pub(crate) end: usize,
    /// Whether a line ends in it.
    pub(crate) newline: bool,
    /// Whether it is more than one run of white space.
    pub(crate) mixed: bool,
}

/// The trivia that begins at `pos`.
#[inline]
pub(crate) fn trivia(text: &[u8], pos: usize, dialect: Dialect) -> Trivia {
    let mut res = Trivia { end: pos, newline: false, mixed: false };
    if pos == 0 && text.starts_with("\u{feff}".as_bytes()) {
        res.end = 3;
        res.mixed = true;
    }
    loop {
        match text.get(res.end) {
            Some(b' ' | b'\t' | b'\r') => res.end += 1,
            Some(b'\n') => {
                res.newline = true;
                res.end += 1;
            }
            Some(b'/') if text.get(res.end + 1) == Some(&b'/') => {
                if dialect == Dialect::Mlir && split_marker(text, res.end).is_some() {
                    return res;
                }
                res.mixed = true;
                res.end = line_end(text, res.end);
            }
            _ => return res,
        }
    }
}

/// The kind and the end of the piece of trivia at `pos`, which must be inside of trivia.
pub(crate) fn trivia_piece(text: &[u8], pos: usize) -> (SyntaxKind, usize) {
    match text[pos] {
        b'/' => (COMMENT, line_end(text, pos)),
        0xef => (BOM, pos + 3),
        _ => {
            let rest = &text[pos..];
            let len = rest.iter().position(|it| !matches!(it, b' ' | b'\t' | b'\r' | b'\n'));
            (WHITESPACE, pos + len.unwrap_or(rest.len()))
        }
    }
}

fn line_end(text: &[u8], pos: usize) -> usize {
    text[pos..].iter().position(|it| *it == b'\n').map_or(text.len(), |len| pos + len)
}

/// The end of the split marker at `pos`: a line `// -----` with nothing else on it, all of which is the token.
fn split_marker(text: &[u8], pos: usize) -> Option<usize> {
    const MARKER: &[u8] = b"// -----";
    let begins_line = pos == 0 || text[pos - 1] == b'\n';
    if !begins_line || !text[pos..].starts_with(MARKER) {
        return None;
    }
    let end = line_end(text, pos);
    let is_blank = |it: &u8| matches!(it, b' ' | b'\t' | b'\r');
    text[pos + MARKER.len()..end].iter().all(is_blank).then_some(end)
}

/// The kind and the end of the token at `pos`, where no trivia is. `EOF` at the end of the text.
pub(crate) fn token(text: &[u8], pos: usize, dialect: Dialect) -> (SyntaxKind, usize) {
    let Some(&first) = text.get(pos) else { return (EOF, pos) };
    let next = text.get(pos + 1).copied().unwrap_or(0);
    let one = |kind| (kind, pos + 1);
    match first {
        b'a'..=b'z' | b'A'..=b'Z' | b'_' => (IDENT, word_end(text, pos + 1)),
        b'0'..=b'9' => number(text, pos, dialect),
        b'%' => prefixed(text, pos, VALUE_ID, PERCENT),
        b'^' => prefixed(text, pos, BLOCK_ID, CARET),
        b'!' => prefixed(text, pos, TYPE_ID, ERROR),
        b'#' if next == b'-' && text.get(pos + 2) == Some(&b'}') => (METADATA_CLOSE, pos + 3),
        b'#' if next.is_ascii_digit() => (RESULT_NO, suffix_end(text, pos + 1)),
        b'#' => prefixed(text, pos, ATTR_ID, ERROR),
        b'@' if next == b'"' => (SYMBOL_ID, string_end(text, pos + 1)),
        b'@' if is_letter(next) => (SYMBOL_ID, word_end(text, pos + 2)),
        b'@' => one(AT),
        b'"' => (STRING, string_end(text, pos)),
        b'{' if next == b'-' && text.get(pos + 2) == Some(&b'#') => (METADATA_OPEN, pos + 3),
        b'<' if dialect == Dialect::Pir && text[pos..].starts_with(b"<<NULL ") => null(text, pos),
        b':' if next == b':' => (COLON2, pos + 2),
        b'-' if next == b'>' => (ARROW, pos + 2),
        b'.' if next == b'.' && text.get(pos + 2) == Some(&b'.') => (DOT3, pos + 3),
        b'/' if next == b'/' => (SPLIT_MARKER, split_marker(text, pos).unwrap_or(pos + 2)),
        _ => match single(first) {
            Some(kind) => one(kind),
            None => (ERROR, error_end(text, pos)),
        },
    }
}

fn single(byte: u8) -> Option<SyntaxKind> {
    Some(match byte {
        b'(' => L_PAREN,
        b')' => R_PAREN,
        b'[' => L_BRACK,
        b']' => R_BRACK,
        b'{' => L_BRACE,
        b'}' => R_BRACE,
        b'<' => LT,
        b'>' => GT,
        b',' => COMMA,
        b':' => COLON,
        b';' => SEMICOLON,
        b'.' => DOT,
        b'=' => EQ,
        b'-' => MINUS,
        b'+' => PLUS,
        b'*' => STAR,
        b'/' => SLASH,
        b'?' => QUESTION,
        b'|' => PIPE,
        b'&' => AMP,
        b'~' => TILDE,
        _ => return None,
    })
}

fn is_letter(byte: u8) -> bool {
    byte.is_ascii_alphabetic() || byte == b'_'
}

/// The end of a bare identifier: letters, digits, `_`, `$`, `.`.
fn word_end(text: &[u8], mut pos: usize) -> usize {
    while text
        .get(pos)
        .is_some_and(|it| it.is_ascii_alphanumeric() || matches!(it, b'_' | b'$' | b'.'))
    {
        pos += 1;
    }
    pos
}

fn prefixed(text: &[u8], pos: usize, kind: SyntaxKind, alone: SyntaxKind) -> (SyntaxKind, usize) {
    let end = suffix_end(text, pos + 1);
    if end > pos + 1 { (kind, end) } else { (alone, end) }
}

/// The end of what follows a sigil: digits only, or letters, digits and `$._-`. A `-` before `>` is the arrow's.
fn suffix_end(text: &[u8], start: usize) -> usize {
    let mut pos = start;
    if text.get(pos).is_some_and(u8::is_ascii_digit) {
        while text.get(pos).is_some_and(u8::is_ascii_digit) {
            pos += 1;
        }
        return pos;
    }
    loop {
        match text.get(pos) {
            Some(b'-') if text.get(pos + 1) == Some(&b'>') => return pos,
            Some(b'$' | b'.' | b'_' | b'-') => pos += 1,
            Some(it) if it.is_ascii_alphanumeric() => pos += 1,
            _ => return pos,
        }
    }
}

/// The end of a string, its quotes included; of one that is open, the end of its line.
fn string_end(text: &[u8], start: usize) -> usize {
    let mut pos = start + 1;
    while let Some(byte) = text.get(pos) {
        match byte {
            b'"' => return pos + 1,
            b'\n' => return pos,
            b'\\' if text.get(pos + 1).is_some_and(|it| *it != b'\n') => pos += 2,
            _ => pos += 1,
        }
    }
    text.len()
}

fn number(text: &[u8], start: usize, dialect: Dialect) -> (SyntaxKind, usize) {
    let digits = |mut pos: usize| {
        while text.get(pos).is_some_and(u8::is_ascii_digit) {
            pos += 1;
        }
        pos
    };
    if text[start] == b'0'
        && text.get(start + 1) == Some(&b'x')
        && text.get(start + 2).is_some_and(u8::is_ascii_hexdigit)
    {
        let len = text[start + 2..].iter().take_while(|it| it.is_ascii_hexdigit()).count();
        return (INT, start + 2 + len);
    }
    let mut pos = digits(start);
    let has_point = text.get(pos) == Some(&b'.');
    if has_point {
        pos = digits(pos + 1);
    } else if dialect == Dialect::Mlir {
        return (INT, pos);
    }
    // An exponent needs the point in MLIR, not in PIR.
    if matches!(text.get(pos), Some(b'e' | b'E')) {
        let sign = usize::from(matches!(text.get(pos + 1), Some(b'+' | b'-')));
        let end = digits(pos + 1 + sign);
        if end > pos + 1 + sign {
            return (FLOAT, end);
        }
    }
    (if has_point { FLOAT } else { INT }, pos)
}

/// `<<NULL VALUE>>` or `<<NULL TYPE>>`.
fn null(text: &[u8], pos: usize) -> (SyntaxKind, usize) {
    for mark in [&b"<<NULL VALUE>>"[..], b"<<NULL TYPE>>"] {
        if text[pos..].starts_with(mark) {
            return (PIR_NULL, pos + mark.len());
        }
    }
    (LT, pos + 1)
}

/// The end of a run of bytes that begin no token: whole characters.
fn error_end(text: &[u8], pos: usize) -> usize {
    let mut end = pos + 1;
    while text.get(end).is_some_and(|it| *it >= 0x80) {
        end += 1;
    }
    end
}

/// The end of the dimension list at `pos`: `4x?x[8]x` before an element type, `*x` before that of an unranked one. Equal to
/// `pos` if none is there. Here `0x4xf32` is two dimensions, no hexadecimal number.
pub(crate) fn dimensions_end(text: &[u8], pos: usize) -> usize {
    let mut end = pos;
    loop {
        let digits =
            |from: usize| from + text[from..].iter().take_while(|it| it.is_ascii_digit()).count();
        let unit = match text.get(end) {
            Some(b'?' | b'*') => end + 1,
            Some(b'[') => {
                let close = digits(end + 1);
                if text.get(close) != Some(&b']') {
                    return end;
                }
                close + 1
            }
            Some(it) if it.is_ascii_digit() => digits(end),
            _ => return end,
        };
        if text.get(unit) != Some(&b'x') {
            return end;
        }
        end = unit + 1;
    }
}

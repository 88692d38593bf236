//! The lexer of MLIR and PIR: one token at a position, without state.
//!
//! Tokens are those of MLIR's own lexer: `arith.addi` is one identifier, `%0`, `^bb1`, `@f`, `#map` and `!t` one token
//! each, angle brackets never join (`>=` is two tokens). White space and comments are found by [`trivia_end`]. Text
//! that begins no token is `ERROR`. O(length of the token).

use crate::SyntaxKind::{self, *};

/// The language of a text: they differ in numbers and in marks of absent values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Dialect {
    Mlir,
    Pir,
}

/// The place where split markers are looked for.
///
/// `mlir-opt -split-input-file` looks at the text alone: it cuts at every `// -----`, also behind code and inside of a
/// comment. A text that is cut inside a region is not valid, so there the writer of the text meant a comment; but a
/// line that begins with the marker and has nothing else counts as one, since a `}` may be missing before it.
///
/// A text that states how it is run, and not that it is split, is one document: there a line inside of a region is a
/// comment too ([`is_whole`]).
///
/// A line `//--- name.mlir` begins a file of its own wherever it stands: `split-file` cuts there. A part that is not
/// MLIR is one token with its line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Markers {
    /// Anywhere.
    Anywhere,
    /// On lines that have nothing else.
    Lines,
    /// Nobody cuts there but `split-file`.
    Parts,
    /// The language has none.
    Nowhere,
}

/// A stretch of trivia.
pub(crate) struct Trivia {
    /// The place where it ends.
    pub(crate) end: usize,
    /// True if a line ends in it.
    pub(crate) newline: bool,
    /// True if it is more than one run of white space.
    pub(crate) mixed: bool,
}

/// The trivia that begins at `pos`.
#[inline]
pub(crate) fn trivia(text: &[u8], pos: usize, markers: Markers) -> Trivia {
    let mut res = Trivia { end: pos, newline: false, mixed: false };
    if pos == 0 && text.starts_with("\u{feff}".as_bytes()) {
        res.end = 3;
        res.mixed = true;
    }
    loop {
        match text.get(res.end) {
            // To MLIR's own lexer a NUL in the middle of a text is a blank.
            Some(b' ' | b'\t' | 0) => res.end += 1,
            Some(b'\n' | b'\r') => {
                res.newline = true;
                res.end += 1;
            }
            Some(b'/') if text.get(res.end + 1) == Some(&b'/') => {
                let end = line_end(text, res.end);
                if begins_part(text, res.end, end, markers) {
                    return res;
                }
                if let Some((start, _)) = marker_in(text, res.end, end, markers) {
                    res.mixed |= start > res.end;
                    res.end = start;
                    return res;
                }
                res.mixed = true;
                res.end = end;
            }
            _ => return res,
        }
    }
}

/// The kind and the end of the piece of trivia at `pos`, which must be inside of trivia.
pub(crate) fn trivia_piece(text: &[u8], pos: usize) -> (SyntaxKind, usize) {
    match text[pos] {
        // Its end may be a marker: who asks cuts it there.
        b'/' => (COMMENT, line_end(text, pos)),
        0xef => (BOM, pos + 3),
        _ => {
            let rest = &text[pos..];
            let len = rest.iter().position(|it| !matches!(it, b' ' | b'\t' | b'\r' | b'\n' | 0));
            (WHITESPACE, pos + len.unwrap_or(rest.len()))
        }
    }
}

/// The end of a line: a line feed or a carriage return, as for MLIR's own lexer.
fn line_end(text: &[u8], pos: usize) -> usize {
    let len = text[pos..].iter().position(|it| matches!(it, b'\n' | b'\r'));
    len.map_or(text.len(), |len| pos + len)
}

/// Bytes at the beginning of a text in which it may state how it is run.
pub const HEAD: usize = 1 << 14;

/// Returns true if the comments at the beginning of a text state how it is run (`// RUN:`), and none says anything
/// about splitting it.
pub fn is_whole(text: &str) -> bool {
    let head = &text.as_bytes()[..text.len().min(HEAD)];
    let head = head.strip_prefix("\u{feff}".as_bytes()).unwrap_or(head);
    let has = |line: &[u8], word: &[u8]| line.windows(word.len()).any(|it| it == word);
    let mut is_run = false;
    for line in head.split(|it| matches!(it, b'\n' | b'\r')).map(<[u8]>::trim_ascii_start) {
        if !line.is_empty() && !line.starts_with(b"//") {
            break;
        }
        if has(line, b"split") {
            return false;
        }
        is_run |= has(line, b"RUN:");
    }
    is_run
}

const MARKER: &[u8] = b"// -----";
/// The length of the text behind a marker that is inspected to decide whether it is code.
const MAX_LOOKED_AT: usize = 256;

/// Returns the first split marker that begins in a comment, or in an open string, from `start` to the end of its line:
/// its offset, and the end of its token.
///
/// Text after a marker on its line belongs to the next document. If that text is blank or a comment, all of the line is
/// the token. It may be code too; but a heading (`// ----- Loops -----`), which `mlir-opt` would reject as code, is a
/// comment.
fn marker_in(text: &[u8], start: usize, end: usize, markers: Markers) -> Option<(usize, usize)> {
    match markers {
        Markers::Nowhere | Markers::Parts => None,
        Markers::Lines => {
            let begins_line = start == 0 || matches!(text[start - 1], b'\n' | b'\r');
            let rest = text[start..end].strip_prefix(MARKER).filter(|_| begins_line)?;
            is_blank(rest).then_some((start, end))
        }
        Markers::Anywhere => {
            let mut all = start..(end + 1).saturating_sub(MARKER.len()).max(start);
            all.find_map(|at| {
                let rest = text[at..end].strip_prefix(MARKER)?;
                let behind = at + MARKER.len();
                let n_blank = rest.len() - rest.trim_ascii_start().len();
                if is_blank(rest) || rest[n_blank..].starts_with(b"//") {
                    return Some((at, end));
                }
                begins_code(&rest[n_blank..]).then_some((at, behind + n_blank))
            })
        }
    }
}

/// `split-file` cuts a text into files here.
const PART: &[u8] = b"//--- ";

/// Returns true if a part of a text for `split-file` begins with the line up to `end`: `//--- name.mlir`. A line that
/// does not name a file is a heading.
fn begins_part(text: &[u8], start: usize, end: usize, markers: Markers) -> bool {
    let begins_line = start == 0 || matches!(text[start - 1], b'\n' | b'\r');
    let name = text[start..end].strip_prefix(PART).filter(|_| begins_line);
    markers != Markers::Nowhere && name.is_some_and(|it| extension(it).is_some())
}

/// The end of the name of a file; none if the rest of a line is something else.
fn extension(name: &[u8]) -> Option<&[u8]> {
    let name = name.trim_ascii();
    let is_of_name = |it: &u8| it.is_ascii_alphanumeric() || b"._-+/".contains(it);
    let dot = name.iter().rposition(|it| *it == b'.')?;
    let extension = &name[dot + 1..];
    let is_name = name.iter().all(is_of_name) && dot > 0 && name[dot - 1].is_ascii_alphanumeric();
    let is_extension = extension.first().is_some_and(u8::is_ascii_alphabetic)
        && extension.iter().all(u8::is_ascii_alphanumeric);
    (is_name && is_extension).then_some(extension)
}

/// The end of the token that begins a part, whose line ends at `end`: the line, or all of a part that is not MLIR.
fn part_end(text: &[u8], start: usize, end: usize, markers: Markers) -> usize {
    let is_mlir = |it: &[u8]| matches!(it, b"mlir" | b"ttir" | b"ttgir");
    if extension(&text[start + PART.len()..end]).is_some_and(is_mlir) {
        return end;
    }
    let mut end = end;
    while end < text.len() {
        let next = end + 1;
        end = line_end(text, next);
        if begins_part(text, next, end, markers) {
            return next;
        }
    }
    text.len()
}

fn is_blank(text: &[u8]) -> bool {
    text.iter().all(|it| matches!(it, b' ' | b'\t'))
}

/// Returns true if the rest of a line is certainly code: a definition, an operation with a symbol or a value, a module.
fn begins_code(rest: &[u8]) -> bool {
    // Who puts many markers on one line pays for each once.
    let rest = &rest[..rest.len().min(MAX_LOOKED_AT)];
    let word = &rest[..word_end(rest, 0)];
    let behind = rest[word.len()..].trim_ascii_start();
    match rest.first() {
        Some(b'%') => suffix_end(rest, 1) > 1 && rest.contains(&b'='),
        Some(b'#' | b'!') => {
            let end = suffix_end(rest, 1);
            end > 1 && rest[end..].trim_ascii_start().starts_with(b"=")
        }
        Some(b'"') => rest[string_end(rest, 0)..].trim_ascii_start().starts_with(b"("),
        _ if word == b"module" => matches!(behind.first(), Some(b'@' | b'{')),
        _ => {
            let is_operation = word.contains(&b'.') && !word.ends_with(b".");
            let visible = [&b"private "[..], b"public ", b"nested "];
            let symbol = visible.iter().find_map(|it| behind.strip_prefix(*it)).unwrap_or(behind);
            is_operation && matches!(symbol.first(), Some(b'@' | b'%'))
        }
    }
}

/// The kind and the end of the token at `pos`, where no trivia is. `EOF` at the end of the text.
pub(crate) fn token(
    text: &[u8],
    pos: usize,
    dialect: Dialect,
    markers: Markers,
) -> (SyntaxKind, usize) {
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
        b'@' if next == b'"' => (SYMBOL_ID, cut_string(text, pos + 1, markers)),
        b'@' if is_letter(next) => (SYMBOL_ID, word_end(text, pos + 2)),
        b'@' => one(AT),
        b'"' => (STRING, cut_string(text, pos, markers)),
        b'{' if next == b'-' && text.get(pos + 2) == Some(&b'#') => (METADATA_OPEN, pos + 3),
        b'<' if dialect == Dialect::Pir && text[pos..].starts_with(b"<<NULL ") => null(text, pos),
        b':' if next == b':' => (COLON2, pos + 2),
        b'-' if next == b'>' => (ARROW, pos + 2),
        b'.' if next == b'.' && text.get(pos + 2) == Some(&b'.') => (DOT3, pos + 3),
        // Trivia ends before no other comment.
        b'/' if next == b'/' => {
            let end = line_end(text, pos);
            if begins_part(text, pos, end, markers) {
                return (SPLIT_MARKER, part_end(text, pos, end, markers));
            }
            let found = marker_in(text, pos, end, markers);
            (SPLIT_MARKER, found.map_or(pos + 2, |it| it.1))
        }
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

/// The end of the name of a value that begins at `start`, without a number of a result.
pub fn name_end(text: &str, start: usize) -> usize {
    suffix_end(text.as_bytes(), start + 1)
}

/// The end of what follows a sigil: digits only, or letters, digits and `$._-`. A `-` before `>` is the arrow's.
pub(crate) fn suffix_end(text: &[u8], start: usize) -> usize {
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
            // The carriage return belongs to the line's end.
            b'\n' => return pos - usize::from(pos > start + 1 && text[pos - 1] == b'\r'),
            b'\\' if text.get(pos + 1).is_some_and(|it| *it != b'\n') => pos += 2,
            _ => pos += 1,
        }
    }
    text.len()
}

/// [`string_end`]; of one that is open, the marker that cuts it.
fn cut_string(text: &[u8], start: usize, markers: Markers) -> usize {
    let end = string_end(text, start);
    if end > start + 1 && text[end - 1] == b'"' {
        return end;
    }
    marker_in(text, start + 1, end, markers).map_or(end, |it| it.0)
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

/// The end of the dimension list at `pos`: `4x?x[8]x` before an element type, `*x` before that of an unranked one.
/// Equal to `pos` if none is there. Here `0x4xf32` is two dimensions, no hexadecimal number.
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

//! Offsets to lines and columns and back, in the encodings of editors, kept up to date under edits.
//!
//! A line ends with `\n`, `\r\n` or a lone `\r`, as the language server protocol has it. Columns count UTF-8, UTF-16 or
//! UTF-32 units.
//!
//! The text is divided into pieces of about [`PIECE_LEN`] bytes. A piece knows its line ends and its characters that
//! are longer than one byte, by offsets relative to itself, and is shared between versions; a version of the index is a
//! list of pieces with running totals. So a look-up is two binary searches, also on a line of a megabyte, and an edit
//! costs the pieces that it touches and one small record for each of the others.

use std::sync::Arc;

use rowan::{TextRange, TextSize};

use crate::Edit;

const PIECE_LEN: usize = 4096;

/// The unit of columns.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ColumnEncoding {
    /// Bytes.
    Utf8,
    /// Units of 16 bits: the default of the protocol.
    Utf16,
    /// Characters.
    Utf32,
}

/// A place in a text; both numbers begin at 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LineCol {
    /// The line.
    pub line: u32,
    /// The column, in the units of an encoding.
    pub col: u32,
}

/// The lines of one version of a text.
#[derive(Debug, Clone)]
pub struct LineIndex {
    pieces: Vec<Placed>,
    end: Totals,
}

/// The totals before a place.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct Totals {
    bytes: u32,
    /// Line ends.
    lines: u32,
    /// By how much the bytes are more than the UTF-16 units.
    excess16: u32,
    /// By how much the bytes are more than the characters.
    excess32: u32,
}

#[derive(Debug, Clone)]
struct Placed {
    before: Totals,
    piece: Arc<Piece>,
}

#[derive(Debug)]
struct Piece {
    /// Of the piece alone.
    totals: Totals,
    line_ends: Box<[LineEnd]>,
    wide: Box<[Wide]>,
}

#[derive(Debug, Clone, Copy)]
struct LineEnd {
    /// The place where the line's text ends.
    start: u32,
    /// The place where the next line begins.
    next: u32,
}

/// A character of more than one byte, and the totals before it in the piece.
#[derive(Debug, Clone, Copy)]
struct Wide {
    start: u32,
    len: u8,
    excess16: u32,
    excess32: u32,
}

impl Totals {
    fn plus(self, other: Totals) -> Totals {
        Totals {
            bytes: self.bytes + other.bytes,
            lines: self.lines + other.lines,
            excess16: self.excess16 + other.excess16,
            excess32: self.excess32 + other.excess32,
        }
    }

    fn excess(self, encoding: ColumnEncoding) -> u32 {
        match encoding {
            ColumnEncoding::Utf8 => 0,
            ColumnEncoding::Utf16 => self.excess16,
            ColumnEncoding::Utf32 => self.excess32,
        }
    }

    fn units(self, encoding: ColumnEncoding) -> u32 {
        self.bytes - self.excess(encoding)
    }
}

impl Wide {
    fn excess(&self, encoding: ColumnEncoding) -> u32 {
        match encoding {
            ColumnEncoding::Utf8 => 0,
            ColumnEncoding::Utf16 => self.excess16,
            ColumnEncoding::Utf32 => self.excess32,
        }
    }

    fn own_units(&self, encoding: ColumnEncoding) -> u32 {
        match encoding {
            ColumnEncoding::Utf8 => u32::from(self.len),
            ColumnEncoding::Utf16 if self.len == 4 => 2,
            ColumnEncoding::Utf16 | ColumnEncoding::Utf32 => 1,
        }
    }

    fn end(&self) -> u32 {
        self.start + u32::from(self.len)
    }
}

impl Piece {
    fn new(text: &str) -> Piece {
        let bytes = text.as_bytes();
        let mut totals = Totals { bytes: bytes.len() as u32, ..Totals::default() };
        let mut line_ends = Vec::new();
        let mut wide = Vec::new();
        let mut at = 0;
        while at < bytes.len() {
            let len = match bytes[at] {
                b'\n' => push_line_end(&mut line_ends, at, 1),
                b'\r' if bytes.get(at + 1) == Some(&b'\n') => push_line_end(&mut line_ends, at, 2),
                b'\r' => push_line_end(&mut line_ends, at, 1),
                0..0x80 => 1,
                first => {
                    let len = if first < 0xe0 { 2 } else { 3 + u8::from(first >= 0xf0) };
                    let Totals { excess16, excess32, .. } = totals;
                    wide.push(Wide { start: at as u32, len, excess16, excess32 });
                    totals.excess16 += u32::from(len) - if len == 4 { 2 } else { 1 };
                    totals.excess32 += u32::from(len) - 1;
                    usize::from(len)
                }
            };
            at += len;
        }
        totals.lines = line_ends.len() as u32;
        Piece { totals, line_ends: line_ends.into(), wide: wide.into() }
    }

    /// By how much the bytes before an offset of the piece are more than its units.
    fn excess_before(&self, offset: u32, encoding: ColumnEncoding) -> u32 {
        match self.wide.partition_point(|it| it.start < offset).checked_sub(1) {
            None => 0,
            Some(last) => {
                let last = &self.wide[last];
                last.excess(encoding) + u32::from(last.len) - last.own_units(encoding)
            }
        }
    }

    /// The offset in the piece at which this many units have passed; inside a character, its start.
    fn offset_of_unit(&self, unit: u32, encoding: ColumnEncoding) -> u32 {
        let unit_of = |it: &Wide| it.start - it.excess(encoding);
        match self.wide.partition_point(|it| unit_of(it) <= unit).checked_sub(1) {
            None => unit,
            Some(last) => {
                let last = &self.wide[last];
                match (unit - unit_of(last)).checked_sub(last.own_units(encoding)) {
                    None => last.start,
                    Some(after) => last.end().saturating_add(after),
                }
            }
        }
    }
}

fn push_line_end(line_ends: &mut Vec<LineEnd>, at: usize, len: usize) -> usize {
    line_ends.push(LineEnd { start: at as u32, next: (at + len) as u32 });
    len
}

/// Cuts a text into pieces, never inside a character or a `\r\n`. The last is at least half as long as it may be, so
/// that typing does not leave crumbs.
fn cut(mut text: &str) -> impl Iterator<Item = Arc<Piece>> {
    std::iter::from_fn(move || {
        if text.is_empty() {
            return None;
        }
        let len = if text.len() <= 2 * PIECE_LEN { text.len() } else { PIECE_LEN };
        let mut at = text.ceil_char_boundary(len);
        if text.as_bytes()[at - 1] == b'\r' && text.as_bytes().get(at) == Some(&b'\n') {
            at += 1;
        }
        let (piece, rest) = text.split_at(at);
        text = rest;
        Some(Arc::new(Piece::new(piece)))
    })
}

impl LineIndex {
    /// The lines of a text.
    pub fn new(text: &str) -> LineIndex {
        LineIndex::of_pieces(cut(text))
    }

    fn of_pieces(pieces: impl Iterator<Item = Arc<Piece>>) -> LineIndex {
        let mut end = Totals::default();
        let mut placed = Vec::with_capacity(pieces.size_hint().0);
        for piece in pieces {
            let before = end;
            end = end.plus(piece.totals);
            placed.push(Placed { before, piece });
        }
        LineIndex { pieces: placed, end }
    }

    /// The index after an edit. `text_in` gives a range of the text *after* the edit; it is asked once, for the
    /// pieces that the edit touches.
    pub fn edited(&self, edit: &Edit, text_in: impl FnOnce(TextRange) -> String) -> LineIndex {
        let (start, end) = (u32::from(edit.range.start()), u32::from(edit.range.end()));
        // A neighbour that only touches the edit is included: a `\r` and a `\n` may meet or part there.
        let first =
            self.pieces.partition_point(|it| it.before.bytes + it.piece.totals.bytes < start);
        let last = self.pieces.partition_point(|it| it.before.bytes <= end);
        let from = self.pieces.get(first).map_or(self.end.bytes, |it| it.before.bytes);
        let to = self.pieces.get(last).map_or(self.end.bytes, |it| it.before.bytes);
        let to = to - end + start + u32::from(edit.new_len());
        let text = text_in(TextRange::new(from.into(), to.max(from).into()));
        let kept = |pieces: &[Placed]| pieces.iter().map(|it| it.piece.clone()).collect::<Vec<_>>();
        let (before, after) = (kept(&self.pieces[..first]), kept(&self.pieces[last..]));
        LineIndex::of_pieces(before.into_iter().chain(cut(&text)).chain(after))
    }

    /// The length of the text.
    pub fn text_len(&self) -> TextSize {
        self.end.bytes.into()
    }

    /// The number of lines: one more than there are line ends.
    pub fn line_count(&self) -> u32 {
        self.end.lines + 1
    }

    /// The line of an offset, from 0; an offset beyond the text is taken as its end. O(log n).
    pub fn line(&self, offset: TextSize) -> u32 {
        self.line_at(u32::from(offset).min(self.end.bytes))
    }

    /// The line and column of an offset; an offset beyond the text is taken as its end. An offset between `\r` and `\n`
    /// is the column behind the line's text.
    pub fn line_col(&self, offset: TextSize, encoding: ColumnEncoding) -> LineCol {
        let offset = u32::from(offset).min(self.end.bytes);
        let line = self.line_at(offset);
        let start = self.line_start(line);
        LineCol {
            line,
            col: self.units_before(offset, encoding) - self.units_before(start, encoding),
        }
    }

    /// The offset of a line and column. A column beyond the line's text is its end, a line beyond the last
    /// is the end of the text, a column inside a character is the character's start.
    pub fn offset(&self, at: LineCol, encoding: ColumnEncoding) -> TextSize {
        if at.line >= self.line_count() {
            return self.end.bytes.into();
        }
        let range = self.line_range(at.line);
        let unit = self.units_before(range.start().into(), encoding).saturating_add(at.col);
        let piece =
            self.pieces.partition_point(|it| it.before.units(encoding) <= unit).checked_sub(1);
        let Some(placed) = piece.map(|it| &self.pieces[it]) else { return range.start() };
        let inside = placed.piece.offset_of_unit(unit - placed.before.units(encoding), encoding);
        TextSize::from(placed.before.bytes.saturating_add(inside)).min(range.end())
    }

    /// The text of a line, without its end; a line beyond the last is empty at the end of the text.
    pub fn line_range(&self, line: u32) -> TextRange {
        let start = self.line_start(line);
        let end = match self.line_end(line) {
            Some((placed, end)) => placed.before.bytes + end.start,
            None => self.end.bytes,
        };
        TextRange::new(start.into(), end.max(start).into())
    }

    /// The number of the line that holds an offset.
    fn line_at(&self, offset: u32) -> u32 {
        let Some(at) = self.pieces.partition_point(|it| it.before.bytes <= offset).checked_sub(1)
        else {
            return 0;
        };
        let placed = &self.pieces[at];
        let inside = offset - placed.before.bytes;
        placed.before.lines + placed.piece.line_ends.partition_point(|it| it.next <= inside) as u32
    }

    fn line_start(&self, line: u32) -> u32 {
        match line.checked_sub(1).map(|it| self.line_end(it)) {
            None => 0,
            Some(Some((placed, end))) => placed.before.bytes + end.next,
            Some(None) => self.end.bytes,
        }
    }

    /// The end of a line, with its piece; none for the last line.
    fn line_end(&self, line: u32) -> Option<(&Placed, LineEnd)> {
        let at = self.pieces.partition_point(|it| it.before.lines <= line).checked_sub(1)?;
        let placed = &self.pieces[at];
        let end = placed.piece.line_ends.get((line - placed.before.lines) as usize)?;
        Some((placed, *end))
    }

    fn units_before(&self, offset: u32, encoding: ColumnEncoding) -> u32 {
        let Some(at) = self.pieces.partition_point(|it| it.before.bytes <= offset).checked_sub(1)
        else {
            return 0;
        };
        let placed = &self.pieces[at];
        let inside = placed.piece.excess_before(offset - placed.before.bytes, encoding);
        offset - placed.before.excess(encoding) - inside
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use test_utils::Rng;

    const ALL: [ColumnEncoding; 3] =
        [ColumnEncoding::Utf8, ColumnEncoding::Utf16, ColumnEncoding::Utf32];

    /// Lines and columns by going through the text.
    fn slow(text: &str, offset: usize, encoding: ColumnEncoding) -> LineCol {
        let (mut line, mut col) = (0, 0);
        let mut chars = text[..offset].chars().peekable();
        while let Some(c) = chars.next() {
            let after_cr_comes_lf = c == '\r'
                && match chars.peek() {
                    Some(next) => *next == '\n',
                    None => text[offset..].starts_with('\n'),
                };
            if c == '\n' || (c == '\r' && !after_cr_comes_lf) {
                (line, col) = (line + 1, 0);
            } else {
                col += match encoding {
                    ColumnEncoding::Utf8 => c.len_utf8(),
                    ColumnEncoding::Utf16 => c.len_utf16(),
                    ColumnEncoding::Utf32 => 1,
                } as u32;
            }
        }
        LineCol { line, col }
    }

    #[track_caller]
    fn check_all(index: &LineIndex, text: &str) {
        assert_eq!(usize::from(index.text_len()), text.len());
        for (offset, _) in text.char_indices().chain([(text.len(), ' ')]) {
            for encoding in ALL {
                let at = index.line_col((offset as u32).into(), encoding);
                assert_eq!(at, slow(text, offset, encoding), "{text:?} {offset} {encoding:?}");
                let inside_crlf =
                    text[..offset].ends_with('\r') && text[offset..].starts_with('\n');
                let back = usize::from(index.offset(at, encoding));
                assert_eq!(back, offset - usize::from(inside_crlf), "{text:?} {at:?} {encoding:?}");
            }
        }
    }

    #[test]
    fn every_kind_of_line_end_counts() {
        for text in ["", "a", "\n", "a\nb\r\nc\rd", "\r\r\n\n\r", "ä\u{1f600}x\r\n\u{1f600}", "\r"]
        {
            check_all(&LineIndex::new(text), text);
        }
    }

    #[test]
    fn places_beyond_the_text_are_moved_into_it() {
        let index = LineIndex::new("ab\r\ncd\u{1f600}");
        let offset =
            |line, col| u32::from(index.offset(LineCol { line, col }, ColumnEncoding::Utf16));
        assert_eq!(offset(0, 9), 2);
        assert_eq!(offset(1, u32::MAX), 10);
        assert_eq!(offset(7, 0), 10);
        assert_eq!(offset(1, 3), 6);
        assert_eq!(index.line_col(99.into(), ColumnEncoding::Utf16), LineCol { line: 1, col: 4 });
        assert_eq!(index.line_count(), 2);
    }

    #[test]
    fn long_lines_and_many_pieces() {
        let mut text = "x = 1\r\n".repeat(700);
        text.push_str(&"ä\u{1f600}y".repeat(3000));
        text.push_str("\rend");
        let index = LineIndex::new(&text);
        for offset in (0..text.len()).step_by(7).filter(|it| text.is_char_boundary(*it)) {
            for encoding in ALL {
                let at = index.line_col((offset as u32).into(), encoding);
                assert_eq!(at, slow(&text, offset, encoding));
            }
        }
    }

    #[test]
    fn an_edited_index_is_that_of_the_edited_text() {
        let mut rng = Rng::new(7);
        let words = ["\r", "\n", "\r\n", "a", "ä", "\u{1f600}", "abc = d\n", ""];
        for _ in 0..200 {
            let mut text: String = (0..rng.below(30)).map(|_| *rng.pick(&words)).collect();
            if rng.below(4) == 0 {
                text = text.repeat(600);
            }
            let mut index = LineIndex::new(&text);
            for _ in 0..10 {
                let mut ends = [rng.below(text.len() + 1), rng.below(text.len() + 1)];
                if rng.below(2) == 0 {
                    ends[1] = (ends[0] + rng.below(4)).min(text.len());
                }
                ends = ends.map(|it| text.floor_char_boundary(it));
                ends.sort_unstable();
                let range = TextRange::new((ends[0] as u32).into(), (ends[1] as u32).into());
                let edit = Edit::replace(range, *rng.pick(&words));
                edit.apply(&mut text);
                index = index
                    .edited(&edit, |range| text[std::ops::Range::<usize>::from(range)].to_owned());
                let fresh = LineIndex::new(&text);
                assert_eq!(index.end, fresh.end, "{text:?} {edit:?}");
                for _ in 0..20 {
                    let offset =
                        (text.floor_char_boundary(rng.below(text.len() + 1)) as u32).into();
                    for encoding in ALL {
                        let at = fresh.line_col(offset, encoding);
                        assert_eq!(index.line_col(offset, encoding), at);
                        assert_eq!(index.offset(at, encoding), fresh.offset(at, encoding));
                    }
                }
            }
        }
    }
}

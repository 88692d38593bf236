//! Text of others on a terminal: control characters and those that turn the direction of writing are shown, not obeyed.
//!
//! In: what a command writes for people; names of files and pieces of their texts are in it. Out: the same with escapes
//! such as `\u{1b}`. Colours pass where the command has any. Linear in the text.

use std::{
    borrow::Cow,
    io::{self, Write},
};

/// A name as one line that shows all that is in it.
pub(crate) fn visible(name: &str) -> Cow<'_, str> {
    match name.chars().any(|it| it == '\n' || it == '\t' || is_hidden(it)) {
        true => Cow::Owned(name.chars().flat_map(|it| shown(it, false)).collect()),
        false => Cow::Borrowed(name),
    }
}

/// A stream for people.
pub(crate) struct Visible<'w> {
    to: &'w mut dyn Write,
    is_styled: bool,
}

impl<'w> Visible<'w> {
    pub(crate) fn new(to: &'w mut dyn Write, is_styled: bool) -> Visible<'w> {
        Visible { to, is_styled }
    }
}

impl Write for Visible<'_> {
    /// Pieces of a text come whole: a character or a colour is never cut.
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        for chunk in bytes.utf8_chunks() {
            let text = chunk.valid();
            match text.chars().any(is_hidden) {
                true => self.to.write_all(lines(text, self.is_styled).as_bytes())?,
                false => self.to.write_all(text.as_bytes())?,
            }
            self.to.write_all(chunk.invalid())?;
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.to.flush()
    }
}

/// A text of several lines.
fn lines(text: &str, is_styled: bool) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(it) = rest.chars().next() {
        let color = if is_styled { color_at(rest) } else { 0 };
        let n = color.max(it.len_utf8());
        match color {
            0 => out.extend(shown(it, true)),
            _ => out.push_str(&rest[..n]),
        }
        rest = &rest[n..];
    }
    out
}

/// The length of a colour at the beginning of a text.
fn color_at(text: &str) -> usize {
    let Some(numbers) = text.strip_prefix("\x1b[") else { return 0 };
    let n = numbers.bytes().take_while(|it| it.is_ascii_digit() || *it == b';').count();
    // 8 hides what follows.
    let hides = numbers[..n].split(';').any(|it| it == "8");
    if numbers[n..].starts_with('m') && !hides { "\x1b[".len() + n + 1 } else { 0 }
}

fn shown(it: char, keeps_lines: bool) -> impl Iterator<Item = char> {
    let stays = !is_hidden(it) && (keeps_lines || (it != '\n' && it != '\t'));
    let escape = (!stays).then(|| it.escape_default());
    escape.into_iter().flatten().chain(stays.then_some(it))
}

/// True for what a terminal obeys: control characters but those of lines, and marks that turn the direction of writing.
fn is_hidden(it: char) -> bool {
    let turns = matches!(it, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    turns || (it.is_control() && it != '\n' && it != '\t')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(text: &str, is_styled: bool) -> String {
        let mut out = Vec::new();
        Visible::new(&mut out, is_styled).write_all(text.as_bytes()).expect("a vector takes all");
        String::from_utf8(out).expect("text")
    }

    #[test]
    fn what_a_terminal_would_obey_is_shown() {
        let hostile = "a\tü\x1b]0;title\x07\u{202e}\r\u{9b}2J\x1b[1mb\x1b[8mc\n";
        let shown = "a\tü\\u{1b}]0;title\\u{7}\\u{202e}\\r\\u{9b}2J";
        assert_eq!(written(hostile, false), format!("{shown}\\u{{1b}}[1mb\\u{{1b}}[8mc\n"));
        assert_eq!(written(hostile, true), format!("{shown}\x1b[1mb\\u{{1b}}[8mc\n"));
    }

    #[test]
    fn a_name_is_one_line() {
        assert_eq!(visible("a\nb\x1b.py"), "a\\nb\\u{1b}.py");
        assert_eq!(visible("ü b.py"), "ü b.py");
    }
}

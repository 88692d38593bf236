//! Layout of MLIR: white space only.
//!
//! Input: a text of any quality. Output: edits that change nothing but white space between tokens. One operation stands
//! on a line, two columns for each region around it; block labels stand one level out; the user's line breaks inside of
//! an operation, blank lines (one of them) and comments stay. Bodies of types, locations, resources and unreadable text
//! are left as they are.
//!
//! Before edits are given, the edited text is read again: the tree must be the same but for white space, else the text
//! stays and [`FormatError`] is returned. Formatting a formatted text changes nothing. Linear; no recursion.

mod gap;
mod tokens;

use std::fmt;

use parser::{
    Step, SyntaxKind,
    mlir::{Shapes, parse_with},
};
use rowan::{TextRange, TextSize};

use crate::{
    Edit,
    format::{
        gap::{Style, laid_out},
        tokens::{Token, tokens},
    },
};

/// The reason why a text is left as it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FormatError {
    /// The first token that would be read in another way.
    pub offset: TextSize,
}

impl fmt::Display for FormatError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "another layout would change how this is read; mend the syntax error before it, or format the ranges around it"
        )
    }
}

impl std::error::Error for FormatError {}

/// The edits that lay a text of MLIR out, in its order. `within` restricts them to the lines that it touches.
///
/// # Errors
///
/// If the new layout would be read as another program: only where the text has errors.
pub fn format_mlir(
    text: &str,
    shapes: &Shapes,
    within: Option<TextRange>,
) -> Result<Vec<Edit>, FormatError> {
    let steps = parse_with(text, shapes);
    let tokens = tokens(&steps, text);
    let style = Style::of(text, gaps(text, &tokens));
    let lines = within.map(|it| whole_lines(text, it));
    let mut edits = Vec::new();
    for (before, token, gap) in gaps(text, &tokens) {
        let start = before.map_or(0, |it| it.end);
        let new = laid_out(&style, before, token, gap);
        let all = match lines {
            Some(lines) => within_lines(lines, start, gap, &new),
            None => vec![(start, gap, new.as_str())],
        };
        for (start, old, new) in all.into_iter().filter(|it| it.1 != it.2) {
            let range = TextRange::new(offset(start), offset(start + old.len()));
            edits.push(Edit::replace(range, new));
        }
    }
    let new = applied(text, &edits);
    same_tree((text, &steps), (&new, &parse_with(&new, shapes)))?;
    Ok(edits)
}

/// Returns the text between the tokens, with the tokens on both sides.
fn gaps<'t>(
    text: &'t str,
    tokens: &'t [Token],
) -> impl Iterator<Item = (Option<&'t Token>, Option<&'t Token>, &'t str)> {
    let before = std::iter::once(None).chain(tokens.iter().map(Some));
    let behind = tokens.iter().map(Some).chain([None]);
    before.zip(behind).map(|(before, token)| {
        let start = before.map_or(0, |it| it.end);
        let end = token.map_or(text.len(), |it| it.start);
        (before, token, &text[start..end])
    })
}

fn offset(at: usize) -> TextSize {
    TextSize::try_from(at).expect("files of 4 GiB are refused before they are parsed")
}

/// The lines that a range touches, without the end of the last one.
fn whole_lines(text: &str, range: TextRange) -> TextRange {
    let (from, to) = (usize::from(range.start()), usize::from(range.end()));
    let bytes = text.as_bytes();
    let is_break = |it: &u8| matches!(it, b'\n' | b'\r');
    let start = bytes[..from].iter().rposition(is_break).map_or(0, |it| it + 1);
    let end = bytes[to..].iter().position(is_break).map_or(text.len(), |it| to + it);
    TextRange::new(offset(start), offset(end))
}

/// The parts of a gap in some lines, with what they become: white space between the comments of a gap is laid out by
/// itself, and how far a line is indented is for those who ask for that line.
fn within_lines<'t>(
    lines: TextRange,
    start: usize,
    gap: &'t str,
    new: &'t str,
) -> Vec<(usize, &'t str, &'t str)> {
    let (first, last) = (usize::from(lines.start()), usize::from(lines.end()));
    let (of_gap, of_new) = (white_space(gap), white_space(new));
    let pairs = match of_gap.len() == of_new.len() {
        true => {
            of_gap.into_iter().zip(of_new).map(|((at, old), (_, new))| (at, old, new)).collect()
        }
        false => vec![(0, gap, new)],
    };
    let cut = |(at, old, new): (usize, &'t str, &'t str)| {
        let from = start + at;
        let to = from + old.len();
        let is_break = ['\n', '\r'];
        match (from < first, to > last) {
            _ if to < first || from > last => None,
            (false, false) => Some((from, old, new)),
            // Up to the end of the last line.
            (false, true) => Some((from, &old[..old.find(is_break)?], &new[..new.find(is_break)?])),
            // From the start of the line of what follows.
            (true, false) => {
                let at = old.rfind(is_break)? + 1;
                Some((from + at, &old[at..], &new[new.rfind(is_break)? + 1..]))
            }
            (true, true) => None,
        }
    };
    pairs.into_iter().filter_map(cut).collect()
}

/// The white space of a gap: before, between and behind its comments; with where each begins.
fn white_space(gap: &str) -> Vec<(usize, &str)> {
    let mut res = Vec::new();
    let mut done = 0;
    while let Some(at) = gap[done..].find("//") {
        res.push((done, &gap[done..done + at]));
        let comment = &gap[done + at..];
        let end = comment.find(['\n', '\r']).unwrap_or(comment.len());
        done += at + comment[..end].trim_end().len();
    }
    res.push((done, &gap[done..]));
    res
}

fn applied(text: &str, edits: &[Edit]) -> String {
    let mut new = String::with_capacity(text.len() + text.len() / 8);
    let mut done = 0;
    for edit in edits {
        new.push_str(&text[done..edit.range.start().into()]);
        new.push_str(&edit.text);
        done = edit.range.end().into();
    }
    new.push_str(&text[done..]);
    new
}

/// A part of a tree.
#[derive(Clone, Copy, PartialEq)]
enum Part<'a> {
    Enter(SyntaxKind),
    Token(SyntaxKind, &'a str),
    Exit,
}

/// Returns the content of a tree, without white space, comments, and nodes that hold nothing else; with offsets.
fn essence<'a>(text: &'a str, steps: &[Step]) -> Vec<(Part<'a>, usize)> {
    let mut parts = Vec::with_capacity(steps.len());
    let mut at = 0;
    for &step in steps {
        match step {
            Step::Enter(kind) => parts.push((Part::Enter(kind), at)),
            Step::Exit if matches!(parts.last(), Some((Part::Enter(_), _))) => {
                parts.pop();
            }
            Step::Exit => parts.push((Part::Exit, at)),
            Step::Token { kind, len } => {
                let start = at;
                at += len as usize;
                if !kind.is_trivia() {
                    let token = &text[start..at];
                    // A marker's token goes to the end of its line.
                    let token = if token.starts_with("//") { token.trim_end() } else { token };
                    parts.push((Part::Token(kind, token), start));
                }
            }
        }
    }
    parts
}

fn same_tree(old: (&str, &[Step]), new: (&str, &[Step])) -> Result<(), FormatError> {
    let end = old.0.len();
    let (old, new) = (essence(old.0, old.1), essence(new.0, new.1));
    let mut pairs = old.iter().zip(&new);
    let difference = pairs.find(|(old, new)| old.0 != new.0).map(|(old, _)| old.1);
    let is_same = difference.is_none() && old.len() == new.len();
    if is_same { Ok(()) } else { Err(FormatError { offset: offset(difference.unwrap_or(end)) }) }
}

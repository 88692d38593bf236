//! Places of a text as users write them: `FILE:LINE:COLUMN`, `FILE:LINE`, of standard input without the file.

use std::path::Path;

use anyhow::anyhow;
use syntax::{LineCol, LineIndex, TextSize};

use super::jobs::{self, Job};
use crate::cli::{
    io::{Io, Styled},
    output::findings,
};

/// A place; numbers count from 1, columns in characters.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Place<'a> {
    /// None of standard input.
    pub(crate) file: Option<&'a str>,
    pub(crate) line: u32,
    /// None of the whole line.
    pub(crate) column: Option<u32>,
}

impl<'a> Place<'a> {
    /// Reads `FILE:LINE` and `FILE:LINE:COLUMN`.
    pub(crate) fn of_file(text: &'a str) -> Option<Place<'a>> {
        let (rest, last) = text.rsplit_once(':')?;
        let last = number(last)?;
        let whole = rest.rsplit_once(':').and_then(|(file, line)| Some((file, number(line)?)));
        Some(match whole {
            Some((file, line)) => Place { file: Some(file), line, column: Some(last) },
            None => Place { file: Some(rest), line: last, column: None },
        })
    }

    /// Reads `LINE` and `LINE:COLUMN`, of standard input.
    pub(crate) fn of_stdin(text: &str) -> Option<Place<'static>> {
        let (line, column) = match text.split_once(':') {
            Some((line, column)) => (line, Some(number(column)?)),
            None => (text, None),
        };
        Some(Place { file: None, line: number(line)?, column })
    }

    /// The file with its settings; standard input is called `stdin_filename`.
    ///
    /// # Errors
    ///
    /// A file that cannot be found, settings that cannot be read.
    pub(crate) fn job(
        &self,
        stdin_filename: Option<&Path>,
        io: &mut Io<'_>,
        styled: Styled,
    ) -> anyhow::Result<Job> {
        match self.file {
            Some(file) => jobs::file(Path::new(file), io, styled),
            None => jobs::stdin(stdin_filename, io, styled),
        }
    }
}

/// The place of a line and a column in the file that messages call `shown`.
///
/// # Errors
///
/// A line or a column that the text does not have.
pub(crate) fn offset(shown: &str, lines: &LineIndex, at: LineCol) -> anyhow::Result<TextSize> {
    findings::offset(lines, at).map_err(|why| anyhow!("{shown}:{}:{}: {why}", at.line, at.col))
}

/// Likewise of the start of a line.
pub(crate) fn start_of_line(shown: &str, lines: &LineIndex, line: u32) -> anyhow::Result<TextSize> {
    let at = LineCol { line, col: 1 };
    findings::offset(lines, at).map_err(|why| anyhow!("{shown}:{line}: {why}"))
}

/// A number from 1.
fn number(text: &str) -> Option<u32> {
    text.parse().ok().filter(|it| *it > 0)
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use super::*;

    type Read = fn(&'static str) -> Option<Place<'static>>;

    fn check(texts: &[&'static str], read: Read, expect: Expect) {
        let one = |it: &&'static str| match read(it) {
            Some(Place { file, line, column }) => format!("{it} => {file:?} {line} {column:?}\n"),
            None => format!("{it} => none\n"),
        };
        expect.assert_eq(&texts.iter().map(one).collect::<String>());
    }

    #[test]
    fn places_of_files() {
        let texts =
            ["a.py:3", "a.py:3:4", "a:1.py:3", "C:\\a.py:3", "a.py", "a.py:0", "a.py:x:4", "3"];
        check(
            &texts,
            Place::of_file,
            expect![[r#"
            a.py:3 => Some("a.py") 3 None
            a.py:3:4 => Some("a.py") 3 Some(4)
            a:1.py:3 => Some("a:1.py") 3 None
            C:\a.py:3 => Some("C:\\a.py") 3 None
            a.py => none
            a.py:0 => none
            a.py:x:4 => Some("a.py:x") 4 None
            3 => none
        "#]],
        );
    }

    #[test]
    fn places_of_standard_input() {
        check(
            &["3", "3:4", "0", "3:", "a.py:3", ""],
            Place::of_stdin,
            expect![[r#"
            3 => None 3 None
            3:4 => None 3 Some(4)
            0 => none
            3: => none
            a.py:3 => none
             => none
        "#]],
        );
    }
}

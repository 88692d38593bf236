//! Fixtures: several files in one text, and a cursor or a range in them.
//!
//! ```text
//! //- /main.py
//! def f():
//!     return $0x
//! //- /other.py
//! pass
//! ```
//!
//! A text without a `//- ` header is one file, `/main.py`. The smallest indentation is removed from all lines, so that
//! a fixture can stand inside a test.

use text_size::{TextRange, TextSize};

/// Marks a place in a fixture.
pub const CURSOR: &str = "$0";

/// A set of files.
#[derive(Debug, Clone)]
pub struct Fixture {
    /// The files, in the order of the text.
    pub files: Vec<FixtureFile>,
}

/// One file of a fixture, without its marks.
#[derive(Debug, Clone)]
pub struct FixtureFile {
    /// The path: absolute, with slashes.
    pub path: String,
    /// The text.
    pub text: String,
    /// The mark in the file.
    pub marked: Option<Marked>,
}

/// The kind of a `$0` mark.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Marked {
    /// One `$0`.
    Offset(TextSize),
    /// The text between two.
    Range(TextRange),
}

impl Marked {
    /// The mark as a range.
    pub fn range(self) -> TextRange {
        match self {
            Marked::Offset(offset) => TextRange::empty(offset),
            Marked::Range(range) => range,
        }
    }
}

impl Fixture {
    /// Reads a fixture.
    #[track_caller]
    pub fn parse(text: &str) -> Fixture {
        let text = trim_indent(text);
        let mut files: Vec<FixtureFile> = Vec::new();
        for line in text.split_inclusive('\n') {
            if let Some(path) = line.strip_prefix("//- ") {
                let path = path.trim_end().to_owned();
                assert!(
                    path.starts_with('/'),
                    "the path of a fixture's file begins with a slash: {path}"
                );
                files.push(FixtureFile { path, text: String::new(), marked: None });
                continue;
            }
            if files.is_empty() {
                files.push(FixtureFile {
                    path: "/main.py".to_owned(),
                    text: String::new(),
                    marked: None,
                });
            }
            files.last_mut().expect("one was just pushed").text.push_str(line);
        }
        for file in &mut files {
            (file.text, file.marked) = extract_marks(&file.text);
        }
        Fixture { files }
    }

    /// The only file with a mark.
    #[track_caller]
    pub fn marked_file(&self) -> (&FixtureFile, Marked) {
        let mut found = self.files.iter().filter_map(|file| Some((file, file.marked?)));
        let res = found.next().expect("a fixture needs a `$0`");
        assert!(found.next().is_none(), "two files of the fixture have a `$0`");
        res
    }
}

/// Removes the cursor from a text.
#[track_caller]
pub fn extract_cursor(text: &str) -> (String, TextSize) {
    match extract_marks(text) {
        (text, Some(Marked::Offset(offset))) => (text, offset),
        _ => panic!("the text needs exactly one `$0`"),
    }
}

/// Removes two `$0` from a text and returns the range between them; one `$0` is an empty range.
#[track_caller]
pub fn extract_range(text: &str) -> (String, TextRange) {
    let (text, marked) = extract_marks(text);
    (text, marked.expect("the text needs one or two `$0`").range())
}

#[track_caller]
fn extract_marks(text: &str) -> (String, Option<Marked>) {
    let offsets: Vec<usize> = text.match_indices(CURSOR).map(|(at, _)| at).collect();
    let without = text.replace(CURSOR, "");
    let size = |at: usize| TextSize::try_from(at).expect("a fixture is short");
    let marked = match offsets[..] {
        [] => None,
        [at] => Some(Marked::Offset(size(at))),
        [start, end] => Some(Marked::Range(TextRange::new(size(start), size(end - CURSOR.len())))),
        _ => panic!("a file of a fixture has at most two `$0`"),
    };
    (without, marked)
}

/// Removes the first line if it is blank, and from all lines the indentation that they share.
pub fn trim_indent(text: &str) -> String {
    let text = text.strip_prefix("\r\n").or_else(|| text.strip_prefix('\n')).unwrap_or(text);
    let indent = |line: &str| line.len() - line.trim_start_matches(' ').len();
    let shared = text.lines().filter(|line| !line.trim().is_empty()).map(indent).min().unwrap_or(0);
    text.split_inclusive('\n')
        .map(
            |line| {
                if line.trim().is_empty() { line.trim_start_matches(' ') } else { &line[shared..] }
            },
        )
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_and_marks() {
        let fixture = Fixture::parse(
            "
            //- /a.py
            def f():
                return $0x$0

            //- /b.py
            pass
            ",
        );
        assert_eq!(fixture.files.len(), 2);
        let (file, marked) = fixture.marked_file();
        assert_eq!(file.path, "/a.py");
        assert_eq!(file.text, "def f():\n    return x\n\n");
        assert_eq!(&file.text[marked.range()], "x");
        assert_eq!(fixture.files[1].text, "pass\n");
    }

    #[test]
    fn one_file_needs_no_header() {
        let (text, offset) = extract_cursor("a = $0b\n");
        assert_eq!((text.as_str(), u32::from(offset)), ("a = b\n", 4));
        assert_eq!(Fixture::parse("a = b\n").files[0].path, "/main.py");
    }
}

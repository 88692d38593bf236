//! Records of a `.td` file, as far as they can be read without evaluating it: dialects, classes of operations, and the
//! `def` of each operation.
//!
//! A `def` is that of an operation if its first class leads to `Op<Dialect, …>`, or is given a dialect on the way. Its
//! mnemonic is the first string that it gives. O(text), no recursion.

use std::{collections::BTreeMap, path::Path, sync::Arc};

/// More of a summary or description is not kept.
const MAX_TEXT: usize = 4000;

/// Classes on the way from a `def` to `Op`.
const MAX_CLASSES: usize = 32;

/// The records of a file.
#[derive(Default, Debug)]
pub(super) struct FileRecords {
    /// Dialects: the name of the `def`, and what `let name` says.
    dialects: Vec<(String, String)>,
    /// Classes, by name.
    classes: Vec<(String, Parent)>,
    /// Records that may be operations.
    pub(super) operations: Vec<Record>,
}

/// The first class that a record or class is made of.
#[derive(Clone, Default, Debug)]
struct Parent {
    class: String,
    /// The names that it is given.
    names: Vec<String>,
}

/// A `def`.
#[derive(Debug)]
pub(super) struct Record {
    mnemonic: String,
    parent: Parent,
    pub(super) line: u32,
    pub(super) columns: (u32, u32),
    pub(super) summary: Option<String>,
    pub(super) description: Option<String>,
}

/// The full names of operations, with their files and numbers; of several of one name the first counts.
pub(super) fn names(files: &[(&Arc<Path>, &FileRecords)]) -> BTreeMap<String, (Arc<Path>, usize)> {
    let records = || files.iter().map(|it| it.1);
    let dialects: BTreeMap<&str, &str> =
        records().flat_map(|it| &it.dialects).map(|it| (&*it.0, &*it.1)).collect();
    let classes: BTreeMap<&str, &Parent> =
        records().flat_map(|it| &it.classes).map(|it| (&*it.0, &it.1)).collect();
    let dialect_of = |record: &Record| {
        let mut parent = &record.parent;
        for _ in 0..MAX_CLASSES {
            let given = parent.names.iter().find_map(|it| dialects.get(it.as_str()));
            if let Some(dialect) = given {
                return Some(*dialect);
            }
            parent = classes.get(parent.class.as_str())?;
        }
        None
    };
    let mut found = BTreeMap::new();
    for &(path, of_file) in files {
        for (number, record) in of_file.operations.iter().enumerate() {
            if let Some(dialect) = dialect_of(record) {
                let name = format!("{dialect}.{}", record.mnemonic);
                found.entry(name).or_insert_with(|| (path.clone(), number));
            }
        }
    }
    found
}

/// The records of a text.
pub(super) fn records(text: &str) -> FileRecords {
    let mut reader = Reader { text, at: 0, counted: (0, 0) };
    let mut found = FileRecords::default();
    while let Some(token) = reader.next() {
        match token {
            Token::Word("def" | "defm", _) => reader.definition(&mut found),
            Token::Word("class", _) => {
                let Some(Token::Word(name, _)) = reader.next() else { continue };
                let (parent, _) = reader.parent();
                if let Some(parent) = parent {
                    found.classes.push((name.to_owned(), parent));
                }
                reader.body();
            }
            _ => {}
        }
    }
    found
}

/// A token, with where it begins.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Token<'a> {
    Word(&'a str, usize),
    /// Without its quotes.
    String(&'a str),
    /// `[{ … }]`, without them.
    Code(&'a str),
    Mark(char),
}

struct Reader<'a> {
    text: &'a str,
    at: usize,
    /// A place, and the lines before it.
    counted: (usize, u32),
}

/// The fields of a record that its body sets.
#[derive(Default)]
struct Body {
    name: Option<String>,
    summary: Option<String>,
    description: Option<String>,
}

impl<'a> Reader<'a> {
    fn next(&mut self) -> Option<Token<'a>> {
        loop {
            let rest = &self.text[self.at..];
            let first = rest.chars().next()?;
            let skipped = match first {
                _ if first.is_whitespace() => first.len_utf8(),
                '/' if rest.starts_with("//") => rest.find('\n').unwrap_or(rest.len()),
                '/' if rest.starts_with("/*") => rest.find("*/").map_or(rest.len(), |it| it + 2),
                _ => return Some(self.token(rest, first)),
            };
            self.at += skipped;
        }
    }

    fn token(&mut self, rest: &'a str, first: char) -> Token<'a> {
        let start = self.at;
        if first == '"' {
            let bytes = rest.as_bytes();
            let mut end = 1;
            while end < bytes.len() && bytes[end] != b'"' && bytes[end] != b'\n' {
                end += 1 + usize::from(bytes[end] == b'\\');
            }
            let end = end.min(rest.len());
            self.at += (end + 1).min(rest.len());
            return Token::String(rest.get(1..end).unwrap_or_default());
        }
        if rest.starts_with("[{") {
            let end = rest.find("}]").unwrap_or(rest.len());
            self.at += (end + 2).min(rest.len());
            return Token::Code(rest.get(2..end).unwrap_or_default());
        }
        let is_of_word = |it: char| it.is_ascii_alphanumeric() || it == '_';
        let end = rest.find(|it| !is_of_word(it)).unwrap_or(rest.len());
        if end > 0 {
            self.at += end;
            return Token::Word(&rest[..end], start);
        }
        self.at += first.len_utf8();
        Token::Mark(first)
    }

    /// The number of the line of a place that is behind the one asked for last. O(text between).
    fn line_of(&mut self, at: usize) -> u32 {
        let (from, lines) = self.counted;
        let between = self.text[from..at].bytes().filter(|it| *it == b'\n').count() as u32;
        self.counted = (at, lines + between);
        lines + between
    }

    /// The next token, if it is the mark; else nothing is taken.
    fn takes(&mut self, mark: char) -> bool {
        let before = self.at;
        let is_it = self.next() == Some(Token::Mark(mark));
        if !is_it {
            self.at = before;
        }
        is_it
    }

    /// A `def`, behind its keyword.
    fn definition(&mut self, found: &mut FileRecords) {
        let before = self.at;
        let Some(Token::Word(name, start)) = self.next() else {
            self.at = before;
            return;
        };
        let (parent, mnemonic) = self.parent();
        let body = self.body();
        let Some(parent) = parent else { return };
        if parent.class == "Dialect" {
            found.dialects.extend(body.name.map(|it| (name.to_owned(), it)));
            return;
        }
        let Some(mnemonic) = mnemonic else { return };
        let line_start = self.text[..start].rfind('\n').map_or(0, |it| it + 1);
        let column = (start - line_start) as u32;
        found.operations.push(Record {
            mnemonic,
            parent,
            line: self.line_of(start),
            columns: (column, column + name.len() as u32),
            summary: body.summary,
            description: body.description,
        });
    }

    /// The template's parameters, and the classes behind the colon: the first of them, and its first string.
    fn parent(&mut self) -> (Option<Parent>, Option<String>) {
        if self.takes('<') {
            self.arguments();
        }
        if !self.takes(':') {
            return (None, None);
        }
        let Some(Token::Word(class, _)) = self.next() else { return (None, None) };
        let (names, string) = if self.takes('<') { self.arguments() } else { (Vec::new(), None) };
        let parent = Parent { class: class.to_owned(), names };
        while self.takes(',') {
            self.next();
            if self.takes('<') {
                self.arguments();
            }
        }
        (Some(parent), string)
    }

    /// The arguments up to the closing `>`: the words that are arguments by themselves, and the first string.
    fn arguments(&mut self) -> (Vec<String>, Option<String>) {
        let (mut names, mut string, mut depth) = (Vec::new(), None, 0_usize);
        while let Some(token) = self.next() {
            match token {
                Token::Mark('<' | '[' | '(' | '{') => depth += 1,
                Token::Mark('>') if depth == 0 => break,
                Token::Mark('>' | ']' | ')' | '}') => depth = depth.saturating_sub(1),
                Token::Word(name, _) if depth == 0 => names.push(name.to_owned()),
                Token::String(text) if depth == 0 && string.is_none() => {
                    string = Some(text.to_owned());
                }
                _ => {}
            }
        }
        (names, string)
    }

    /// A body in braces, or a semicolon.
    fn body(&mut self) -> Body {
        let mut body = Body::default();
        if !self.takes('{') {
            return body;
        }
        let mut depth = 0_usize;
        while let Some(token) = self.next() {
            match token {
                Token::Mark('{') => depth += 1,
                Token::Mark('}') if depth == 0 => break,
                Token::Mark('}') => depth -= 1,
                Token::Word("let", _) if depth == 0 => self.field(&mut body),
                _ => {}
            }
        }
        body
    }

    /// `let FIELD = TEXT…`
    fn field(&mut self, body: &mut Body) {
        let Some(Token::Word(name, _)) = self.next() else { return };
        let slot = match name {
            "name" => &mut body.name,
            "summary" => &mut body.summary,
            "description" => &mut body.description,
            _ => return,
        };
        if !self.takes('=') {
            return;
        }
        let mut text = String::new();
        loop {
            let before = self.at;
            match self.next() {
                Some(Token::String(part)) => text.push_str(&part.replace("\\\"", "\"")),
                Some(Token::Code(part)) => text.push_str(&without_indent(part)),
                _ => {
                    self.at = before;
                    break;
                }
            }
        }
        let text = text[..text.floor_char_boundary(MAX_TEXT)].trim();
        *slot = (!text.is_empty()).then(|| text.to_owned());
    }
}

/// A text without the indentation that all of its lines have.
fn without_indent(text: &str) -> String {
    let indent = |line: &str| line.len() - line.trim_start().len();
    let filled = text.lines().skip(1).filter(|it| !it.trim().is_empty());
    let common = filled.map(indent).min().unwrap_or(0);
    let lines: Vec<&str> =
        text.lines().map(|it| it.get(common.min(indent(it))..).unwrap_or(it).trim_end()).collect();
    lines.join("\n")
}

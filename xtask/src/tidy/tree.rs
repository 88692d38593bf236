//! The files that the rules look at, and the findings of a rule.

use std::collections::BTreeMap;
use std::fmt;
use std::ops::Range;

use crate::tidy::rust_text::{Kind, classify};
use crate::workspace::Workspace;

/// Paths (relative to the root, with `/`) and contents of the tracked text files.
#[derive(Debug, Default)]
pub(crate) struct Tree {
    files: BTreeMap<String, String>,
    unreadable: usize,
}

impl Tree {
    /// Reads the tracked files of the workspace. Files that are not UTF-8 text are counted, not looked at.
    pub(crate) fn read(ws: &Workspace) -> anyhow::Result<Tree> {
        let mut tree = Tree::default();
        for path in ws.tracked_files()? {
            match String::from_utf8(std::fs::read(ws.path(&path))?) {
                Ok(text) if !text.contains('\0') => {
                    drop(tree.files.insert(path.replace('\\', "/"), text))
                }
                _ => tree.unreadable += 1,
            }
        }
        Ok(tree)
    }

    /// Returns the number of files, text or not.
    pub(crate) fn len(&self) -> usize {
        self.files.len() + self.unreadable
    }

    /// All files in the order of their paths.
    pub(crate) fn files(&self) -> impl Iterator<Item = (&str, &str)> {
        self.files.iter().map(|(path, text)| (path.as_str(), text.as_str()))
    }

    /// The Rust files.
    pub(crate) fn rust_files(&self) -> impl Iterator<Item = (&str, &str)> {
        self.files().filter(|(path, _)| path.ends_with(".rs"))
    }

    /// The manifests of the packages, each with the folder it lies in (the workspace's own has none). A package that is
    /// a workspace of its own is none of this one.
    pub(crate) fn manifests(&self) -> impl Iterator<Item = (&str, &str, &str)> {
        self.files()
            .filter_map(|(path, text)| Some((path, path.strip_suffix("/Cargo.toml")?, text)))
            .filter(|(_, _, text)| text.lines().all(|it| it.trim() != "[workspace]"))
    }

    /// The contents of one file.
    pub(crate) fn get(&self, path: &str) -> Option<&str> {
        self.files.get(path).map(String::as_str)
    }

    /// Returns true if a file exists.
    pub(crate) fn contains(&self, path: &str) -> bool {
        self.files.contains_key(path)
    }

    #[cfg(test)]
    pub(crate) fn of(files: &[(&str, &str)]) -> Tree {
        let files =
            files.iter().map(|(path, text)| ((*path).to_owned(), (*text).to_owned())).collect();
        Tree { files, unreadable: 0 }
    }
}

/// Printed inputs: data of tests, in whatever style their printer has.
pub(crate) fn is_sample(path: &str) -> bool {
    let is_data = path.starts_with("tests/corpus/") || path.starts_with("tests/models/");
    is_data && !path.ends_with(".md")
}

/// Rust code with every character of strings and comments blanked; lines stay where they are.
pub(crate) fn code_only(text: &str) -> String {
    let kinds = classify(text);
    let keep = |(index, c): (usize, char)| match c {
        '\n' => c,
        _ if kinds[index] == Kind::Code => c,
        _ => ' ',
    };
    text.char_indices().map(keep).collect()
}

/// Rust code as [`code_only`] gives it, with the items under `#[cfg(test)]` blanked too.
pub(crate) fn product_code(text: &str) -> String {
    let mut code = code_only(text);
    for item in test_items(&code) {
        let blank = |c| if c == '\n' { '\n' } else { ' ' };
        let blanked: String = code[item.clone()].chars().map(blank).collect();
        code.replace_range(item, &blanked);
    }
    code
}

/// Returns the number of lines outside items under `#[cfg(test)]`.
pub(crate) fn n_product_lines(text: &str) -> usize {
    let code = code_only(text);
    let n_lines = |item: Range<usize>| code[item].matches('\n').count() + 1;
    let of_tests: usize = test_items(&code).into_iter().map(n_lines).sum();
    text.lines().count().saturating_sub(of_tests)
}

/// The items under `#[cfg(test)]`, last one first, so that each may be replaced by something longer.
fn test_items(code: &str) -> Vec<Range<usize>> {
    const MARK: &str = "#[cfg(test)]";
    let mut items = Vec::new();
    let mut at = 0;
    while let Some(start) = code[at..].find(MARK).map(|offset| at + offset) {
        at = item_end(code, start + MARK.len());
        items.push(start..at);
    }
    items.reverse();
    items
}

/// Returns the place where the item ends that begins at `start`: after its block, or at the end of its declaration.
fn item_end(code: &str, start: usize) -> usize {
    let mut depth = 0usize;
    for (offset, byte) in code.as_bytes()[start..].iter().enumerate() {
        match byte {
            b'{' | b'(' | b'[' => depth += 1,
            b'}' if depth == 1 => {
                let end = start + offset + 1;
                // `use a::{b, c};`
                return end + usize::from(code[end..].starts_with(';'));
            }
            // The end of what holds the item: a field or an arm without a separator.
            b'}' | b')' | b']' if depth == 0 => return start + offset,
            b'}' | b')' | b']' => depth -= 1,
            b';' | b',' if depth == 0 => return start + offset + 1,
            _ => {}
        }
    }
    code.len()
}

/// A violation: its place, a description, and the way out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Finding {
    path: String,
    line: usize,
    problem: String,
    way_out: String,
}

impl Finding {
    /// A finding at a line, counted from 1; 1 also stands for the file as a whole.
    pub(crate) fn new(
        path: &str,
        line: usize,
        problem: impl Into<String>,
        way_out: impl Into<String>,
    ) -> Finding {
        Finding { path: path.to_owned(), line, problem: problem.into(), way_out: way_out.into() }
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}\n    {} ", self.path, self.line, self.problem, self.way_out)
    }
}

/// Findings as a test wants to see them: without the advice.
#[cfg(test)]
pub(crate) fn problems(findings: &[Finding]) -> String {
    findings.iter().map(|it| format!("{}:{}: {}\n", it.path, it.line, it.problem)).collect()
}

#[cfg(test)]
mod tests {
    use super::{n_product_lines, product_code};

    #[track_caller]
    fn check(text: &str, expected: &str) {
        let shown: Vec<_> = product_code(text)
            .lines()
            .map(|line| line.split_whitespace().collect::<Vec<_>>().join(" "))
            .filter(|line| !line.is_empty())
            .map(|line| format!("{line}\n"))
            .collect();
        assert_eq!(shown.concat(), expected);
    }

    #[test]
    fn only_the_item_under_the_attribute_is_a_test() {
        check("#[cfg(test)]\nuse a::{b, c};\nfn f() {}\n", "fn f() {}\n");
        check("#[cfg(test)]\nmod tests;\nfn f() {}\n", "fn f() {}\n");
        check(
            "#[cfg(test)]\npub fn g(a: [u8; 2]) -> u8 { if a[0] { 1 } else { 2 } }\nfn f() {}\n",
            "fn f() {}\n",
        );
        check(
            "struct S {\n    #[cfg(test)]\n    log: Vec<(u8, u8)>,\n    a: u8,\n}\n",
            "struct S {\na: u8,\n}\n",
        );
    }

    #[test]
    fn attributes_between_belong_to_the_item() {
        check(
            "#[cfg(test)]\n#[allow(x, reason = \"y;\")]\nmod tests {\n    fn a() {}\n}\nfn f() {}\n",
            "fn f() {}\n",
        );
    }

    #[test]
    fn lines_of_tests_are_not_counted() {
        assert_eq!(
            n_product_lines("//! A.\n#[cfg(test)]\nmod tests {\n    fn a() {}\n}\nfn f() {}\n"),
            2
        );
    }

    #[test]
    fn attribute_in_a_text_is_none() {
        check("const A: &str = \"#[cfg(test)]\";\nfn f() {}\n", "const A: &str = ;\nfn f() {}\n");
    }
}

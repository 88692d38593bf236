//! The files that the rules look at, and what a rule reports.

use std::collections::BTreeMap;
use std::fmt;

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

    /// How many files there are, text or not.
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

    /// The manifests of the packages, each with the folder it lies in (the workspace's own has none).
    pub(crate) fn manifests(&self) -> impl Iterator<Item = (&str, &str, &str)> {
        self.files()
            .filter_map(|(path, text)| Some((path, path.strip_suffix("/Cargo.toml")?, text)))
    }

    /// The contents of one file.
    pub(crate) fn get(&self, path: &str) -> Option<&str> {
        self.files.get(path).map(String::as_str)
    }

    /// Whether a file exists.
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

/// A violation: where, what, and the way out.
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

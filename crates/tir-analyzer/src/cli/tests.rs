//! Tests of commands as their users run them, in the process: arguments in; output, errors and exit code out.

mod adoption;
mod at_source;
mod bisect;
mod book;
mod build;
mod cache;
mod check;
mod config;
mod dialect;
mod effects;
mod exits;
mod explain;
mod facts;
mod fix;
mod format;
mod imports;
mod instances;
mod opt;
mod panics;
mod parse;
mod preview;
mod report;
mod report_formats;
mod rule_pages;
mod run;
mod simplify;
mod usage;

use std::{fs, path::Path};

use expect_test::Expect;
use tempfile::TempDir;

use crate::cli::{self, Answer};

/// A folder with files, in which commands are run.
struct Project {
    folder: TempDir,
}

impl Project {
    fn new(files: &[(&str, &str)]) -> Project {
        let project = Project { folder: tempfile::tempdir().unwrap() };
        for (path, text) in files {
            project.write(path, text.as_bytes());
        }
        project
    }

    fn path(&self) -> &Path {
        self.folder.path()
    }

    fn write(&self, path: &str, bytes: &[u8]) {
        let path = self.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    }

    fn read(&self, path: &str) -> String {
        fs::read_to_string(self.path().join(path)).unwrap()
    }

    /// Runs a command, its words separated by spaces.
    fn run(&self, command: &str) -> Outcome {
        self.run_with(command, b"")
    }

    fn run_with(&self, command: &str, stdin: &[u8]) -> Outcome {
        self.run_words(command.split_whitespace(), stdin)
    }

    fn run_words<'a>(&self, words: impl IntoIterator<Item = &'a str>, stdin: &[u8]) -> Outcome {
        let Answer { code, out, err } = cli::answer(words, stdin, self.path());
        Outcome { code, out, err }
    }
}

/// The outcome of a command.
struct Outcome {
    code: u8,
    out: Vec<u8>,
    err: Vec<u8>,
}

impl Outcome {
    fn out(&self) -> String {
        String::from_utf8_lossy(&self.out).into_owned()
    }

    fn err(&self) -> String {
        String::from_utf8_lossy(&self.err).into_owned()
    }

    /// The places `file:line:column` of the findings, in the order in which they are shown.
    fn places(&self) -> Vec<String> {
        self.out()
            .lines()
            .filter_map(|it| it.trim().strip_prefix("--> ").map(str::to_owned))
            .collect()
    }

    /// Output, then errors if there are any, then the exit code.
    #[track_caller]
    fn check(&self, expect: Expect) {
        let mut text = self.out();
        if !self.err.is_empty() {
            text.push_str("--- errors\n");
            text.push_str(&self.err());
        }
        text.push_str(&format!("--- exit code {}\n", self.code));
        expect.assert_eq(&visible(&text));
    }
}

/// The text with a mark for each blank at the end of a line.
fn visible(text: &str) -> String {
    let mark = |line: &str| {
        let kept = line.trim_end_matches(' ');
        format!("{kept}{}", "·".repeat(line.len() - kept.len()))
    };
    text.split('\n').map(mark).collect::<Vec<_>>().join("\n")
}

/// A kernel that computes `n * 4` three times.
const SHARED: &str = r#"from tvm.script import tir as T

# kept
@T.prim_func
def main(A: T.Buffer((64,), "int32"), n: T.int32):
    A[n * 4] = 1  # first
    A[n * 4 + 1] = n * 4


def helper():
    return 1
"#;

/// A kernel with an error.
const BROKEN: &str = r#"from tvm.script import tir as T


@T.prim_func
def main(A: T.Buffer((64,), "int32")):
    A[0] = missing
"#;

/// A kernel without findings.
const CLEAN: &str = r#"from tvm.script import tir as T


@T.prim_func
def main(A: T.Buffer((64,), "int32")):
    A[0] = 1
"#;

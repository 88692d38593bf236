//! Rules for every Rust file: required parts (a header) and forbidden ones (markers of unfinished work, tests that are
//! ignored without a reason).

use crate::tidy::rust_text::{Kind, classify};
use crate::tidy::tree::{Finding, Tree, code_only};

/// Reports files whose first line is not a module header.
pub(crate) fn headers(tree: &Tree) -> Vec<Finding> {
    tree.rust_files()
        .filter(|(_, text)| !has_header(text))
        .map(|(path, _)| {
            let way_out = "say in a line or two what it computes, from what, and its terms";
            Finding::new(path, 1, "the file does not open with a `//!` header", way_out)
        })
        .collect()
}

/// The README of a crate may be its header: then the two cannot disagree.
const README_AS_HEADER: &str = "#![doc = include_str!(";

fn has_header(text: &str) -> bool {
    let first = text.lines().next().unwrap_or_default();
    first.starts_with(README_AS_HEADER)
        || first.strip_prefix("//!").is_some_and(|words| !words.trim().is_empty())
}

/// Macros that stand for code that is not there.
const PLACEHOLDERS: &[&str] = &[concat!("to", "do!"), concat!("unimple", "mented!")];
/// Words of a comment that put work off.
const MARKERS: &[&str] = &[concat!("TO", "DO"), concat!("FIX", "ME"), concat!("XX", "X")];

/// Reports placeholders in code and markers in comments.
pub(crate) fn unfinished(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (path, text) in tree.rust_files() {
        let kinds = classify(text);
        for (words, kind) in [(PLACEHOLDERS, Kind::Code), (MARKERS, Kind::Comment)] {
            for (at, word) in words.iter().flat_map(|word| text.match_indices(word)) {
                if kinds[at] == kind {
                    let way_out = "finish it, or return an error that says what is not supported";
                    findings.push(Finding::new(
                        path,
                        line_at(text, at),
                        format!("`{word}` marks unfinished work"),
                        way_out,
                    ));
                }
            }
        }
    }
    findings
}

/// Reports `#[ignore]` without a reason.
pub(crate) fn ignored_tests(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (path, text) in tree.rust_files() {
        let code: String = code_only(text);
        for (at, _) in code.match_indices("#[ignore]") {
            let way_out =
                "write `#[ignore = \"what it needs\"]`: the test command shows the reason";
            findings.push(Finding::new(
                path,
                line_at(&code, at),
                "a test is left out without a reason",
                way_out,
            ));
        }
    }
    findings
}

fn line_at(text: &str, at: usize) -> usize {
    text.as_bytes()[..at].iter().filter(|&&byte| byte == b'\n').count() + 1
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tidy::tree::problems;
    use expect_test::expect;

    #[test]
    fn header_must_be_the_first_line_and_say_something() {
        let tree = Tree::of(&[
            ("crates/ir/src/bare.rs", "use std::fmt;\n"),
            ("crates/ir/src/good.rs", "//! Types.\n"),
            ("crates/ir/src/lib.rs", "#![doc = include_str!(\"../README.md\")]\n"),
            ("crates/ir/src/late.rs", "\n//! Types.\n"),
            ("crates/ir/src/mute.rs", "//!\n"),
        ]);
        expect![[r#"
            crates/ir/src/bare.rs:1: the file does not open with a `//!` header
            crates/ir/src/late.rs:1: the file does not open with a `//!` header
            crates/ir/src/mute.rs:1: the file does not open with a `//!` header
        "#]]
        .assert_eq(&problems(&headers(&tree)));
    }

    #[test]
    fn placeholders_count_in_code_and_markers_in_comments() {
        let text = format!(
            "//! {marker}: later\nfn f() {{\n    {macro_}()\n}}\nconst A: &str = \"{marker} {macro_}\";\n",
            marker = MARKERS[0],
            macro_ = PLACEHOLDERS[1],
        );
        let found = unfinished(&Tree::of(&[("a.rs", &text)]));
        let found = problems(&found);
        assert_eq!(found.lines().count(), 2, "{found}");
        assert!(found.starts_with("a.rs:3: ") && found.contains("a.rs:1: "), "{found}");
    }

    #[test]
    fn ignored_test_needs_a_reason() {
        let tree = Tree::of(&[
            ("a.rs", "//! x\n#[test]\n#[ignore]\nfn f() {}\n"),
            ("b.rs", "//! x\n#[test]\n#[ignore = \"needs a GPU\"]\nfn f() {}\n// #[ignore]\n"),
        ]);
        expect![[r#"
            a.rs:3: a test is left out without a reason
        "#]]
        .assert_eq(&problems(&ignored_tests(&tree)));
    }
}

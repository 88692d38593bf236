//! Prose: the width of comments and Markdown, the size of table cells, the openings of doc comments, and private names
//! of earlier versions.
//!
//! A summary is a noun phrase ("The number of …") or a verb phrase ("Returns …"): a clause ("What …", "Whether …")
//! makes the reader guess the subject. Tables, headings, links and code blocks may be wide; a cell of a README may not,
//! as a table that does not fit the screen cannot be read.

use crate::tidy::rust_text::{Kind, classify};
use crate::tidy::size::is_generated;
use crate::tidy::tree::{Finding, Tree, code_only, is_sample};

/// The most columns of a line of prose.
const MOST_COLUMNS: usize = 120;
/// The most characters of a cell in a table of a README.
const MOST_IN_CELL: usize = 120;

/// Words that no doc comment begins with.
const OPENINGS: &[&str] = &["What", "Whether"];

/// Names of earlier versions that say nothing to a newcomer, with the terms that replaced them.
const PRIVATE_NAMES: &[(&str, &str)] = &[
    ("Handed", "CarriedValue"),
    ("Said", "a list of diagnostics"),
    ("Taker", "Receiver"),
    ("Divert", "Offload"),
    ("Draft", "UnfinishedPlan"),
    ("lower_after", "relower"),
    ("leave_known", "retain_unknown"),
    ("hand_out", "assign"),
    ("take_in", "grow"),
    ("spoil", "invalidate"),
];

/// Reports lines of comments and Markdown that are too wide.
pub(crate) fn width(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (path, text) in tree.files().filter(|(path, _)| !is_sample(path)) {
        let lines: Vec<usize> = if path.ends_with(".rs") && !is_generated(text) {
            wide_comments(text)
        } else if path.ends_with(".md") {
            prose_lines(text.lines()).filter(|(_, line)| is_wide(line)).map(|it| it.0).collect()
        } else {
            continue;
        };
        findings.extend(lines.into_iter().map(|line| {
            let problem = format!("the line has more than {MOST_COLUMNS} columns");
            Finding::new(path, line + 1, problem, "wrap the paragraph")
        }));
    }
    findings
}

fn is_wide(line: &str) -> bool {
    line.chars().count() > MOST_COLUMNS
}

/// The lines of a Rust file that hold nothing but a comment and are too wide. O(length of the text).
fn wide_comments(text: &str) -> Vec<usize> {
    let kinds = classify(text);
    let mut comments = Vec::new();
    let mut start = 0;
    for (number, line) in text.split('\n').enumerate() {
        let first = start + line.len() - line.trim_start().len();
        if kinds.get(first) == Some(&Kind::Comment) {
            comments.push((number, line));
        }
        start += line.len() + 1;
    }
    let words = |line: &'_ str| line.trim_start().trim_start_matches(['/', '!']).to_owned();
    let texts: Vec<String> = comments.iter().map(|it| words(it.1)).collect();
    prose_lines(texts.iter().map(String::as_str))
        .map(|it| comments[it.0])
        .filter(|(_, line)| is_wide(line))
        .map(|it| it.0)
        .collect()
}

/// The lines of Markdown that a writer can wrap, with their numbers: no code block, table, heading or link.
fn prose_lines<'t>(lines: impl Iterator<Item = &'t str>) -> impl Iterator<Item = (usize, &'t str)> {
    let mut is_code = false;
    lines.enumerate().filter(move |(_, line)| {
        let line = line.trim_start();
        let is_fence = line.starts_with("```") || line.starts_with("~~~");
        is_code ^= is_fence;
        let is_fixed = ["|", "#", "[", "![", "http"].iter().any(|it| line.starts_with(it));
        !is_code && !is_fence && !is_fixed && line.split_whitespace().count() > 1
    })
}

/// Reports cells of tables in READMEs that are too long.
pub(crate) fn cells(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (path, text) in tree.files().filter(|(path, _)| path.ends_with("README.md")) {
        let mut is_code = false;
        for (number, line) in text.lines().enumerate() {
            is_code ^= line.starts_with("```");
            if is_code || !line.starts_with('|') {
                continue;
            }
            let row = line.replace("\\|", "/");
            if row.split('|').any(|cell| cell.trim().chars().count() > MOST_IN_CELL) {
                let problem = format!("a cell has more than {MOST_IN_CELL} characters");
                findings.push(Finding::new(path, number + 1, problem, "write a list instead"));
            }
        }
    }
    findings
}

/// Reports doc comments that begin with a clause.
pub(crate) fn openings(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (path, text) in tree.rust_files() {
        let kinds = classify(text);
        let (mut start, mut is_in_doc) = (0, false);
        for (number, line) in text.split('\n').enumerate() {
            let first = start + line.len() - line.trim_start().len();
            start += line.len() + 1;
            let words = line.trim_start();
            let doc = words.strip_prefix("///").or_else(|| words.strip_prefix("//!"));
            let doc = doc.filter(|_| kinds.get(first) == Some(&Kind::Comment));
            let opening = doc.filter(|_| !is_in_doc).and_then(|it| it.split_whitespace().next());
            is_in_doc = doc.is_some_and(|it| !it.trim().is_empty());
            if let Some(word) = opening.filter(|it| OPENINGS.contains(it)) {
                let way_out = "begin with a noun (\"The number of …\") or a verb (\"Returns …\")";
                let problem = format!("a paragraph of a doc comment begins with `{word}`");
                findings.push(Finding::new(path, number + 1, problem, way_out));
            }
        }
    }
    findings
}

/// Reports private names in code.
pub(crate) fn names(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (path, text) in tree.rust_files() {
        let code = code_only(text);
        for (number, line) in code.lines().enumerate() {
            for word in line.split(|c: char| !c.is_alphanumeric() && c != '_') {
                if let Some((_, term)) = PRIVATE_NAMES.iter().find(|it| it.0 == word) {
                    let problem = format!("`{word}` is a private name");
                    findings.push(Finding::new(path, number + 1, problem, format!("use {term}")));
                }
            }
        }
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tidy::tree::problems;
    use expect_test::expect;

    fn long(start: &str) -> String {
        format!("{start}{}", " word".repeat(30))
    }

    #[test]
    fn wide_comments_and_markdown_are_reported() {
        let code = format!("{}\n{}\nlet a = \"{}\";\n", long("//!"), long("    //"), long("//"));
        let page = format!("{}\n{}\n", long("A"), long("- item"));
        expect![[r#"
            a.rs:1: the line has more than 120 columns
            a.rs:2: the line has more than 120 columns
            b.md:1: the line has more than 120 columns
            b.md:2: the line has more than 120 columns
        "#]]
        .assert_eq(&problems(&width(&Tree::of(&[("a.rs", &code), ("b.md", &page)]))));
    }

    #[test]
    fn tables_headings_links_and_code_may_be_wide() {
        let row = format!("{} |", long("| a"));
        let page =
            format!("{row}\n{}\n```\n{}\n```\nhttps://{}\n", long("#"), long("x"), "a".repeat(130));
        assert_eq!(width(&Tree::of(&[("a.md", &page)])), []);
        let code = format!("//! {row}\nfn f() {{}} {}\n", long("//"));
        assert_eq!(width(&Tree::of(&[("a.rs", &code)])), []);
    }

    #[test]
    fn long_cells_of_readmes_are_reported() {
        let page = format!("| a | b |\n|---|---|\n| x | {} |\n| a \\| b | c |\n", long("y"));
        let tree = Tree::of(&[("crates/a/README.md", &page), ("SEMANTICS.md", &page)]);
        expect![[r#"
            crates/a/README.md:3: a cell has more than 120 characters
        "#]]
        .assert_eq(&problems(&cells(&tree)));
    }

    #[test]
    fn clauses_as_openings_are_reported() {
        let code = "//! What it is.\n\n/// Whether it is.\n///\n/// What else.\nfn f() {}\n\
                    // What stays.\n/// Returns true if\n/// What follows a line is no opening.\n\
                    fn g() { h(\"\n/// What a literal holds.\n\") }\n";
        expect![[r#"
            a.rs:1: a paragraph of a doc comment begins with `What`
            a.rs:3: a paragraph of a doc comment begins with `Whether`
            a.rs:5: a paragraph of a doc comment begins with `What`
        "#]]
        .assert_eq(&problems(&openings(&Tree::of(&[("a.rs", code)]))));
    }

    #[test]
    fn private_names_are_reported_in_code_only() {
        let (name, other) = (PRIVATE_NAMES[0].0, PRIVATE_NAMES[5].0);
        let code = format!("struct {name};\n// {name}\nfn {other}() {{ f(\"{name}\") }}\n");
        assert_eq!(names(&Tree::of(&[("a.rs", &code)])).len(), 2);
        assert_eq!(names(&Tree::of(&[("a.rs", &format!("fn {name}_of() {{}}"))])), []);
    }
}

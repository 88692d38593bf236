//! Line by line: no blanks at the end, no tabs or carriage returns in Rust, a line end at the end.
//!
//! The text of a literal is data and may hold anything; so may samples.

use crate::tidy::rust_text::{Kind, classify};
use crate::tidy::tree::{Finding, Tree, is_sample};

const EXTENSIONS: &[&str] =
    &["rs", "toml", "md", "lua", "sh", "ungram", "vim", "txt", "json", "yml", "py"];

/// Reports lines that are not tidy.
pub(crate) fn check(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (path, text) in tree.files().filter(|(path, _)| has_rules(path)) {
        let is_rust = path.ends_with(".rs");
        let kinds = if is_rust { classify(text) } else { Vec::new() };
        let is_data = |at: usize| kinds.get(at) == Some(&Kind::Text);
        let mut start = 0;
        for (index, line) in text.split('\n').enumerate() {
            let end = start + line.len();
            if let Some(problem) = problem(line, start, is_rust, &is_data) {
                findings.push(Finding::new(
                    path,
                    index + 1,
                    problem,
                    "remove it; inside a string write an escape",
                ));
            }
            start = end + 1;
        }
        if !text.is_empty() && !text.ends_with('\n') {
            let last = text.split('\n').count();
            findings.push(Finding::new(
                path,
                last,
                "the last line does not end",
                "end the file with a line end",
            ));
        }
    }
    findings
}

fn problem(
    line: &str,
    start: usize,
    is_rust: bool,
    is_data: &dyn Fn(usize) -> bool,
) -> Option<&'static str> {
    let at_end = |blank: char| line.ends_with(blank) && !is_data(start + line.len() - 1);
    if at_end('\r') {
        return Some("the line ends with a carriage return");
    }
    if at_end(' ') || at_end('\t') {
        return Some("blanks at the end of the line");
    }
    let has_tab = is_rust && line.match_indices('\t').any(|(at, _)| !is_data(start + at));
    has_tab.then_some("a tab in Rust code")
}

fn has_rules(path: &str) -> bool {
    let extension = path.rsplit_once('.').map_or("", |(_, extension)| extension);
    EXTENSIONS.contains(&extension) && !is_sample(path)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tidy::tree::problems;
    use expect_test::expect;

    #[test]
    fn blanks_tabs_and_missing_ends_are_reported() {
        let tree = Tree::of(&[
            ("a.rs", "//! x \nfn f() {\n\tg();\r\n}"),
            ("b.md", "words \t\n\tcode\n"),
            ("c.bin", "anything \n"),
        ]);
        expect![[r#"
            a.rs:1: blanks at the end of the line
            a.rs:3: the line ends with a carriage return
            a.rs:4: the last line does not end
            b.md:1: blanks at the end of the line
        "#]]
        .assert_eq(&problems(&check(&tree)));
    }

    #[test]
    fn tab_is_reported_outside_literals_only() {
        let tree = Tree::of(&[("a.rs", "//! x\nlet a = r\"\t \n\t\";\n\tb();\n")]);
        expect![[r#"
            a.rs:4: a tab in Rust code
        "#]]
        .assert_eq(&problems(&check(&tree)));
    }

    #[test]
    fn samples_are_as_they_were_printed() {
        assert_eq!(check(&Tree::of(&[("tests/corpus/relax/a.py", "x \n\ty")])), []);
    }
}

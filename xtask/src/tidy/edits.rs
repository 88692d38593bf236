//! Edits that users get were read back: only comparisons of text and body, which no product crate makes, use edits that
//! were not.

use crate::tidy::tree::{Finding, Tree, code_only};

/// The module with edits that are not read back.
const UNCHECKED: &str = "unchecked::";

/// Reports uses of edits that were not read back.
pub(crate) fn check(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (path, text) in tree.rust_files().filter(|(path, _)| is_product(path)) {
        let code = code_only(text);
        let end = code.find("#[cfg(test)]").unwrap_or(code.len());
        for (index, line) in code[..end].lines().enumerate() {
            if line.contains(UNCHECKED) {
                let problem = "edits that were not read back".to_owned();
                let way_out = "use the functions of `frontend::tvmscript::checked`";
                findings.push(Finding::new(path, index + 1, problem, way_out));
            }
        }
    }
    findings
}

fn is_product(path: &str) -> bool {
    let is_test = path.ends_with("/tests.rs") || path.contains("/tests/");
    !is_test && path.starts_with("crates/")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tidy::tree::problems;
    use expect_test::expect;

    #[test]
    fn edits_are_read_back() {
        let text = "//! unchecked::\nuse frontend::tvmscript::unchecked::cse_edits;\n#[cfg(test)]\nuse unchecked::b;\n";
        let tree = Tree::of(&[
            ("crates/ide/src/a.rs", text),
            ("crates/ide/src/a/tests.rs", text),
            ("crates/transform/tests/it/a.rs", text),
            ("xtask/src/a.rs", text),
        ]);
        expect![[r#"
            crates/ide/src/a.rs:2: edits that were not read back
        "#]]
        .assert_eq(&problems(&check(&tree)));
    }
}

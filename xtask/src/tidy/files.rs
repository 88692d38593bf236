//! Files are read in one place: the crate `files` opens regular files only, never blocks, and reads no more than a
//! stated size.

use crate::tidy::tree::{Finding, Tree, code_only};

/// The crate that opens files, and crates that no user runs.
const EXEMPT: &[&str] = &["files", "test-utils"];

/// Ways of reading a file whatever it is.
const READERS: &[&str] =
    &["fs::read(", "fs::read_to_string(", "File::open(", "File::open_buffered(", "fs::read}"];

/// Reports files that are opened for reading outside of the crate `files`.
pub(crate) fn check(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (path, text) in tree.rust_files().filter(|(path, _)| is_product(path)) {
        let code = code_only(text);
        let end = code.find("#[cfg(test)]").unwrap_or(code.len());
        for (index, line) in code[..end].lines().enumerate() {
            for reader in READERS.iter().filter(|it| line.contains(*it)) {
                let name = reader.trim_end_matches(['(', '}']);
                let way_out = "use `files::read`, or `files::read_named` for what a user named";
                let problem = format!("`{name}` reads whatever stands there, of any size");
                findings.push(Finding::new(path, index + 1, problem, way_out));
            }
        }
    }
    findings
}

fn is_product(path: &str) -> bool {
    let is_test =
        path.ends_with("/tests.rs") || path.ends_with("_tests.rs") || path.contains("/tests/");
    let package = path.strip_prefix("crates/").and_then(|rest| rest.split_once("/src/"));
    !is_test && package.is_some_and(|(name, _)| !EXEMPT.contains(&name))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tidy::tree::problems;
    use expect_test::expect;

    #[test]
    fn files_are_opened_in_one_crate() {
        let text = "//! fs::read(\nfn f() { std::fs::read(p); File::open(p); fs::read_dir(p); }\n#[cfg(test)]\nmod tests { fn f() { fs::read(p); } }\n";
        let tree = Tree::of(&[
            ("crates/codegen/src/a.rs", text),
            ("crates/codegen/src/a/tests.rs", text),
            ("crates/codegen/build.rs", text),
            ("crates/files/src/lib.rs", text),
            ("xtask/src/a.rs", text),
        ]);
        expect![[r#"
            crates/codegen/src/a.rs:2: `fs::read` reads whatever stands there, of any size
            crates/codegen/src/a.rs:2: `File::open` reads whatever stands there, of any size
        "#]]
        .assert_eq(&problems(&check(&tree)));
    }
}

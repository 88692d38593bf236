//! Crates that compute know neither files nor processes: their inputs are passed in, so that the server, the command
//! line, tests and fuzzers run the same code.

use crate::tidy::tree::{Finding, Tree, product_code};

/// Crates whose code touches nothing outside memory. Their tests may.
const PURE: &[&str] = &[
    "parser",
    "syntax",
    "ir",
    "interp",
    "frontend",
    "dataflow",
    "arith",
    "barriers",
    "transform",
    "lower",
    "pipeline",
    "db",
    "ide",
];
/// Ways out of memory.
const DOORS: &[&str] = &[
    "std::fs",
    "std::net",
    "std::process",
    "std::env",
    "std::io",
    "std::time",
    "std::thread::spawn",
    "std::thread::scope",
    "std::thread::sleep",
];

/// Reports uses of the system in crates that only compute.
pub(crate) fn check(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (path, text) in tree.rust_files().filter(|(path, _)| is_pure(path)) {
        for (index, line) in product_code(text).lines().enumerate() {
            for door in DOORS.iter().filter(|door| line.contains(*door)) {
                let way_out = "let the caller do it and pass the result in";
                findings.push(Finding::new(
                    path,
                    index + 1,
                    format!("`{door}` in a crate that only computes"),
                    way_out,
                ));
            }
        }
    }
    findings
}

fn is_pure(path: &str) -> bool {
    let is_test =
        path.ends_with("/tests.rs") || path.ends_with("_tests.rs") || path.contains("/tests/");
    let package = path.strip_prefix("crates/").and_then(|rest| rest.split_once("/src/"));
    !is_test && package.is_some_and(|(name, _)| PURE.contains(&name))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tidy::tree::problems;
    use expect_test::expect;

    #[test]
    fn system_is_out_of_reach_of_crates_that_compute() {
        let text = "//! std::fs\nuse std::fs;\nfn f() { std::env::var(\"x\"); }\n#[cfg(test)]\nmod tests { use std::io; }\n";
        let tree = Tree::of(&[
            ("crates/ide/src/a.rs", text),
            ("crates/ide/src/a/tests.rs", text),
            ("crates/tir-analyzer/src/a.rs", text),
        ]);
        expect![[r#"
            crates/ide/src/a.rs:2: `std::fs` in a crate that only computes
            crates/ide/src/a.rs:3: `std::env` in a crate that only computes
        "#]]
        .assert_eq(&problems(&check(&tree)));
    }
}

//! The layout for readers: a README in every package and editor folder, and a top level of few names.

use std::collections::BTreeSet;

use crate::tidy::tree::{Finding, Tree};

/// The names allowed at the top, besides files that start with a dot.
const TOP_LEVEL: &[&str] = &[
    "Cargo.lock",
    "Cargo.toml",
    // Where people, cargo and GitHub look for them; packages carry copies.
    "LICENSE-APACHE",
    "LICENSE-MIT",
    "README.md",
    // GitHub looks for it here.
    "action.yml",
    "crates",
    "editors",
    "tests",
    "xtask",
];
/// READMEs that do not follow from a package.
const READMES: &[&str] =
    &["README.md", "crates/README.md", "tests/README.md", "tests/corpus/README.md"];

/// Reports missing READMEs and names at the top that a reader must not need to know.
pub(crate) fn check(tree: &Tree) -> Vec<Finding> {
    let mut wanted: BTreeSet<String> = READMES.iter().map(|&path| path.to_owned()).collect();
    wanted.extend(tree.manifests().map(|(_, dir, _)| format!("{dir}/README.md")));
    wanted.extend(tree.files().filter_map(|(path, _)| {
        let (editor, _) = path.strip_prefix("editors/")?.split_once('/')?;
        Some(format!("editors/{editor}/README.md"))
    }));
    let missing = wanted.iter().filter(|path| !tree.contains(path)).map(|path| {
        Finding::new(
            path,
            1,
            "the README is missing",
            "say what the folder is, and where it departs from the design",
        )
    });
    let top: BTreeSet<&str> =
        tree.files().map(|(path, _)| path.split('/').next().unwrap_or(path)).collect();
    let strangers = top
        .into_iter()
        .filter(|name| !name.starts_with('.') && !TOP_LEVEL.contains(name))
        .map(|name| {
            let way_out =
                "put it beside what it belongs to, or into TOP_LEVEL of xtask/src/tidy/layout.rs";
            Finding::new(name, 1, "the top level holds only what every reader must know", way_out)
        });
    missing.chain(strangers).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tidy::tree::problems;
    use expect_test::expect;

    #[test]
    fn missing_readmes_and_strangers_at_the_top_are_reported() {
        let tree = Tree::of(&[
            (".gitignore", ""),
            ("Cargo.toml", ""),
            ("README.md", ""),
            ("crates/README.md", ""),
            ("crates/ir/Cargo.toml", ""),
            ("editors/nvim/plugin/a.lua", ""),
            ("notes.txt", ""),
            ("tests/README.md", ""),
            ("tests/corpus/README.md", ""),
        ]);
        expect![[r#"
            crates/ir/README.md:1: the README is missing
            editors/nvim/README.md:1: the README is missing
            notes.txt:1: the top level holds only what every reader must know
        "#]]
        .assert_eq(&problems(&check(&tree)));
    }
}

//! The layers: the allowed dependencies between crates.
//!
//! The table is the architecture (`crates/README.md` explains it); this rule compares it with the manifests. A crate
//! depends only on crates of a lower rank. `never` lists lower ones that it may still not know; tests of a crate
//! (`dev-dependencies`) may use those too, but nothing above.

use crate::tidy::manifest::{Manifest, Section};
use crate::tidy::tree::{Finding, Tree};

/// A crate's place.
pub(crate) struct Layer {
    /// Name of the package.
    pub(crate) name: &'static str,
    /// Its height: edges only go to lower ones.
    pub(crate) rank: u8,
    /// Lower crates that it must not know all the same.
    pub(crate) never: &'static [&'static str],
}

const SYNTAX_SIDE: &[&str] = &["parser", "syntax", "frontend"];

/// All of the product: `cargo xtask` is compiled before it, and starts it.
const PRODUCT: &[&str] = &[
    "files",
    "interrupt",
    "dialects",
    "parser",
    "syntax",
    "ir",
    "frontend",
    "interp",
    "arith",
    "dataflow",
    "barriers",
    "transform",
    "lower",
    "validate",
    "codegen",
    "pipeline",
    "build-kernels",
    "remote",
    "db",
    "ide",
    "tir-analyzer",
    "web",
    "python",
];

/// Every package of the workspace, lowest first.
pub(crate) const LAYERS: &[Layer] = &[
    Layer { name: "test-utils", rank: 0, never: &[] },
    Layer { name: "files", rank: 0, never: &[] },
    // The flag that ends computations: below `syntax` and `ir`, which both look at it.
    Layer { name: "interrupt", rank: 0, never: &[] },
    // Declarations of rules: below `syntax` and `ir`, which both declare some.
    Layer { name: "rules", rank: 0, never: &[] },
    // What dialects define: below `parser`, which reads their forms, and `ir`, which reads their effects.
    Layer { name: "dialects", rank: 0, never: &[] },
    Layer { name: "parser", rank: 1, never: &["test-utils"] },
    Layer { name: "syntax", rank: 2, never: &["test-utils"] },
    Layer { name: "ir", rank: 2, never: &["test-utils", "parser"] },
    Layer { name: "frontend", rank: 3, never: &["test-utils"] },
    Layer { name: "interp", rank: 3, never: &["test-utils", "parser", "syntax"] },
    Layer { name: "arith", rank: 3, never: &["test-utils", "parser", "syntax"] },
    Layer { name: "dataflow", rank: 4, never: &["test-utils", "parser", "syntax"] },
    Layer { name: "barriers", rank: 5, never: SYNTAX_SIDE },
    Layer { name: "transform", rank: 6, never: SYNTAX_SIDE },
    Layer { name: "lower", rank: 7, never: SYNTAX_SIDE },
    // Whether two bodies do the same: it knows no pass, so that no pass can be excused.
    Layer {
        name: "validate",
        rank: 7,
        never: &["parser", "syntax", "frontend", "arith", "dataflow", "transform"],
    },
    Layer { name: "codegen", rank: 8, never: SYNTAX_SIDE },
    Layer { name: "pipeline", rank: 9, never: &["test-utils", "parser"] },
    Layer { name: "build-kernels", rank: 10, never: &["test-utils", "parser"] },
    Layer { name: "db", rank: 10, never: &["test-utils", "parser"] },
    Layer { name: "ide", rank: 11, never: &["test-utils", "parser"] },
    // Shared caches: `codegen` and `build-kernels` know a trait only.
    Layer { name: "remote", rank: 11, never: SYNTAX_SIDE },
    Layer { name: "tir-analyzer", rank: 12, never: &["test-utils"] },
    Layer { name: "web", rank: 12, never: &["test-utils"] },
    // The binary's commands for Python: above it, for it calls them.
    Layer { name: "python", rank: 13, never: &["test-utils"] },
    Layer { name: "tests", rank: 13, never: &[] },
    Layer { name: "xtask", rank: 13, never: PRODUCT },
    Layer { name: "checks", rank: 14, never: &[] },
];

/// The place of a package, if it is one of ours.
pub(crate) fn layer(name: &str) -> Option<&'static Layer> {
    LAYERS.iter().find(|layer| layer.name == name)
}

/// Reports packages without a place and edges that do not go down.
pub(crate) fn check(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    for manifest in Manifest::all(tree) {
        match layer(&manifest.name) {
            Some(from) => check_edges(from, &manifest, &mut findings),
            None => findings.push(Finding::new(
                manifest.path,
                manifest.line_of_name(),
                format!("package `{}` has no place in the layers", manifest.name),
                "add it to LAYERS in xtask/src/tidy/layers.rs and to crates/README.md",
            )),
        }
    }
    findings
}

fn check_edges(from: &Layer, manifest: &Manifest<'_>, findings: &mut Vec<Finding>) {
    for dependency in &manifest.dependencies {
        let Some(to) = layer(&dependency.name) else { continue };
        let is_test_only = dependency.section == Section::Dev;
        let problem = if to.rank >= from.rank {
            format!(
                "`{}` (layer {}) may not depend on `{}` (layer {})",
                from.name, from.rank, to.name, to.rank
            )
        } else if !is_test_only && from.never.contains(&to.name) {
            format!("`{}` may not know `{}`, except in its tests", from.name, to.name)
        } else {
            continue;
        };
        let way_out = "move the code down, or pass what it needs as plain data";
        findings.push(Finding::new(manifest.path, dependency.line, problem, way_out));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tidy::tree::problems;
    use expect_test::{Expect, expect};

    #[track_caller]
    fn check_tree(files: &[(&str, &str)], expected: Expect) {
        expected.assert_eq(&problems(&check(&Tree::of(files))));
    }

    #[test]
    fn edges_that_go_down_are_fine() {
        check_tree(
            &[(
                "crates/ide/Cargo.toml",
                "[package]\nname = \"ide\"\n[dependencies]\ndb.workspace = true\n",
            )],
            expect![[""]],
        );
    }

    #[test]
    fn upward_edge_is_reported_at_its_line() {
        check_tree(
            &[(
                "crates/ir/Cargo.toml",
                "[package]\nname = \"ir\"\n\n[dependencies]\nide = { path = \"../ide\" }\n",
            )],
            expect![[r#"
                crates/ir/Cargo.toml:5: `ir` (layer 2) may not depend on `ide` (layer 11)
            "#]],
        );
    }

    #[test]
    fn equals_do_not_know_each_other_even_in_tests() {
        check_tree(
            &[(
                "crates/syntax/Cargo.toml",
                "[package]\nname = \"syntax\"\n[dev-dependencies]\nir.workspace = true\n",
            )],
            expect![[r#"
                crates/syntax/Cargo.toml:4: `syntax` (layer 2) may not depend on `ir` (layer 2)
            "#]],
        );
    }

    #[test]
    fn passes_know_syntax_only_in_tests() {
        let manifest = "[package]\nname = \"transform\"\n[dependencies]\nsyntax.workspace = true\n\
                        [dev-dependencies]\nsyntax.workspace = true\n";
        check_tree(
            &[("crates/transform/Cargo.toml", manifest)],
            expect![[r#"
                crates/transform/Cargo.toml:4: `transform` may not know `syntax`, except in its tests
            "#]],
        );
    }

    #[test]
    fn edge_hidden_behind_a_rename_or_a_platform_is_seen() {
        let manifest = "[package]\nname = \"ir\"\n[target.'cfg(unix)'.dependencies]\n\
                        up = { package = \"ide\", path = \"../ide\" }\n";
        check_tree(
            &[("crates/ir/Cargo.toml", manifest)],
            expect![[r#"
                crates/ir/Cargo.toml:4: `ir` (layer 2) may not depend on `ide` (layer 11)
            "#]],
        );
    }

    #[test]
    fn package_without_a_place_is_reported() {
        check_tree(
            &[("crates/magic/Cargo.toml", "[package]\nname = \"magic\"\n")],
            expect![[r#"
                crates/magic/Cargo.toml:2: package `magic` has no place in the layers
            "#]],
        );
    }
}

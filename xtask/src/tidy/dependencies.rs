//! Libraries from outside: where each may be used, and that it is used at all.

use crate::tidy::layers::layer;
use crate::tidy::manifest::{Manifest, Section, workspace_versions};
use crate::tidy::tree::{Finding, Tree, code_only};

/// The packages that may use a library.
enum Homes {
    /// A small tool without a say in the architecture.
    Anywhere,
    /// Only tests.
    Tests,
    /// Only these packages (and the tests of any).
    Only(&'static [&'static str]),
}
use Homes::{Anywhere, Only, Tests};

const PROGRAMS: &[&str] = &["tir-analyzer", "checks", "xtask", "tests"];

/// Every library that the workspace uses, and its homes. A new one needs a decision, written here.
const EXTERNALS: &[(&str, Homes)] = &[
    ("annotate-snippets", Only(&["tir-analyzer"])),
    ("anyhow", Only(&["codegen", "tir-analyzer", "checks", "xtask", "tests"])),
    ("bazel-remote-apis", Only(&["remote"])),
    ("bitflags", Only(&["transform"])),
    ("blake3", Only(&["checks", "codegen", "ir", "remote"])),
    ("clap", Only(PROGRAMS)),
    ("clap_complete", Only(&["tir-analyzer"])),
    ("clap_mangen", Only(&["tir-analyzer"])),
    ("console", Only(&["tir-analyzer"])),
    ("crossbeam-channel", Only(&["tir-analyzer"])),
    ("ctrlc", Only(&["tir-analyzer"])),
    ("dashmap", Only(&["codegen", "db", "ide", "tir-analyzer"])),
    ("expect-test", Tests),
    ("flate2", Only(&["xtask"])),
    ("half", Only(&["interp", "ir"])),
    ("hashbrown", Only(&["ir"])),
    ("ignore", Only(&["tir-analyzer"])),
    ("indicatif", Only(&["tir-analyzer"])),
    ("libm", Only(&["interp", "ir"])),
    ("lsp-server", Only(&["tir-analyzer"])),
    ("lsp-types", Only(&["tir-analyzer"])),
    ("naga", Only(&["codegen"])),
    ("notify", Only(&["tir-analyzer"])),
    ("npyz", Only(&["tir-analyzer"])),
    ("opendal", Only(&["remote"])),
    ("opendal-http-transport-reqwest", Only(&["remote"])),
    ("postcard", Only(&["codegen"])),
    ("prost", Only(&["codegen", "remote"])),
    ("pyo3", Only(&["python"])),
    ("rayon", Only(&["build-kernels", "checks"])),
    ("rmcp", Only(&["tir-analyzer"])),
    ("rowan", Only(&["syntax"])),
    ("rustc-hash", Anywhere),
    ("rustls", Only(&["remote"])),
    ("rustix", Only(&["codegen", "files", "tir-analyzer"])),
    ("salsa", Only(&["db", "ide"])),
    ("serde", Only(&["dialects", "ir", "codegen", "tir-analyzer", "web", "tests"])),
    (
        "serde_json",
        Only(&["checks", "ir", "codegen", "remote", "tir-analyzer", "web", "tests", "xtask"]),
    ),
    ("sha2", Only(&["codegen", "xtask", "checks"])),
    ("similar", Only(PROGRAMS)),
    ("smallvec", Anywhere),
    ("stacker", Anywhere),
    ("strsim", Only(&["tir-analyzer"])),
    ("tar", Only(&["xtask"])),
    ("tempfile", Only(&["build-kernels", "checks", "codegen", "tir-analyzer", "tests"])),
    ("text-size", Anywhere),
    ("thin-vec", Anywhere),
    ("tikv-jemallocator", Only(&["tir-analyzer"])),
    ("tokio", Only(&["remote", "tir-analyzer"])),
    ("toml", Only(&["dialects", "ir", "tir-analyzer", "xtask"])),
    ("tonic", Only(&["remote"])),
    ("ungrammar", Only(&["xtask"])),
    ("unicode-ident", Only(&["parser"])),
    ("zip", Only(&["xtask"])),
    ("zstd", Only(&["remote"])),
];

/// Reports libraries outside their homes and libraries without a decision.
pub(crate) fn homes(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    for manifest in Manifest::all(tree) {
        for dependency in manifest.dependencies.iter().filter(|it| layer(&it.name).is_none()) {
            let known = EXTERNALS.iter().find(|(name, _)| *name == dependency.alias);
            let is_test_only = dependency.section == Section::Dev || manifest.name == "tests";
            let (problem, way_out) = match known {
                None => (
                    format!("`{}` is a library that nobody decided on", dependency.alias),
                    "say in EXTERNALS of xtask/src/tidy/dependencies.rs where it belongs"
                        .to_owned(),
                ),
                Some((_, Tests)) if !is_test_only => (
                    format!("`{}` is for tests only", dependency.alias),
                    "move it to [dev-dependencies]".to_owned(),
                ),
                Some((_, Only(homes)))
                    if !is_test_only && !homes.contains(&manifest.name.as_str()) =>
                {
                    (
                        format!("`{}` may not use `{}`", manifest.name, dependency.alias),
                        format!(
                            "its only home is {}: ask that crate for what you need",
                            homes.join(", ")
                        ),
                    )
                }
                Some(_) => continue,
            };
            findings.push(Finding::new(manifest.path, dependency.line, problem, way_out));
        }
    }
    findings
}

/// Reports dependencies whose name occurs nowhere in the code of the package, and versions that no package asks for.
pub(crate) fn unused(tree: &Tree) -> Vec<Finding> {
    let mut findings = unused_versions(tree);
    for manifest in Manifest::all(tree) {
        let code: Vec<String> = tree
            .rust_files()
            .filter(|(path, _)| {
                path.strip_prefix(manifest.dir).is_some_and(|rest| rest.starts_with('/'))
            })
            .map(|(_, text)| code_only(text))
            .collect();
        for dependency in &manifest.dependencies {
            let name = dependency.alias.replace('-', "_");
            if !code.iter().any(|text| has_word(text, &name)) {
                findings.push(Finding::new(
                    manifest.path,
                    dependency.line,
                    format!(
                        "`{}` declares `{}` and never names it",
                        manifest.name, dependency.alias
                    ),
                    "remove the line",
                ));
            }
        }
    }
    findings
}

/// Reports libraries whose reason is not given under "Dependencies" in the README of the package.
pub(crate) fn explained(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    for manifest in Manifest::all(tree) {
        let Some(page) = tree.get(&format!("{}/README.md", manifest.dir)) else { continue };
        let reasons = page.split_once("\n## Dependencies\n").map_or("", |(_, reasons)| reasons);
        let is_external = |name: &str| layer(name).is_none();
        let of_product = |section| section != Section::Dev;
        for dependency in manifest.dependencies.iter().filter(|it| {
            manifest.dir.starts_with("crates/") && of_product(it.section) && is_external(&it.name)
        }) {
            if !reasons.contains(&format!("`{}`", dependency.alias)) {
                let problem = format!("nothing says why `{}` is there", dependency.alias);
                let way_out =
                    "give the reason under \"## Dependencies\" of the README of the crate";
                findings.push(Finding::new(manifest.path, dependency.line, problem, way_out));
            }
        }
    }
    findings
}

/// Reports rows of [`EXTERNALS`] for libraries that no manifest of the workspace lists any more.
pub(crate) fn stale(tree: &Tree) -> Vec<Finding> {
    stale_rows(tree, EXTERNALS.iter().map(|(name, _)| *name))
}

fn stale_rows<'a>(tree: &Tree, rows: impl Iterator<Item = &'a str>) -> Vec<Finding> {
    let listed = workspace_versions(tree);
    rows.filter(|row| !listed.is_empty() && !listed.iter().any(|(name, _)| name == row))
        .map(|row| {
            let problem = format!("`{row}` has a home and is in no manifest");
            Finding::new(
                "xtask/src/tidy/dependencies.rs",
                1,
                problem,
                "remove its row in EXTERNALS",
            )
        })
        .collect()
}

fn unused_versions(tree: &Tree) -> Vec<Finding> {
    let used: Vec<String> = Manifest::all(tree)
        .flat_map(|manifest| manifest.dependencies)
        .map(|dependency| dependency.alias)
        .collect();
    workspace_versions(tree)
        .into_iter()
        .filter(|(name, _)| !used.contains(name))
        .map(|(name, line)| {
            Finding::new("Cargo.toml", line, format!("no package uses `{name}`"), "remove the line")
        })
        .collect()
}

fn has_word(text: &str, word: &str) -> bool {
    let is_name = |c: char| c.is_alphanumeric() || c == '_';
    text.match_indices(word).any(|(at, _)| {
        !text[..at].chars().next_back().is_some_and(is_name)
            && !text[at + word.len()..].chars().next().is_some_and(is_name)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tidy::tree::problems;
    use expect_test::expect;

    #[test]
    fn library_outside_its_home_is_reported() {
        let manifest = "[package]\nname = \"ide\"\n[dependencies]\nsalsa.workspace = true\nrowan.workspace = true\n\
                        lsp-types.workspace = true\nexpect-test.workspace = true\nleft-pad.workspace = true\n";
        let tree = Tree::of(&[("crates/ide/Cargo.toml", manifest)]);
        expect![[r#"
            crates/ide/Cargo.toml:5: `ide` may not use `rowan`
            crates/ide/Cargo.toml:6: `ide` may not use `lsp-types`
            crates/ide/Cargo.toml:7: `expect-test` is for tests only
            crates/ide/Cargo.toml:8: `left-pad` is a library that nobody decided on
        "#]]
        .assert_eq(&problems(&homes(&tree)));
    }

    #[test]
    fn tests_of_a_crate_may_use_any_known_library() {
        let manifest =
            "[package]\nname = \"ide\"\n[dev-dependencies]\nserde_json.workspace = true\n";
        assert_eq!(homes(&Tree::of(&[("crates/ide/Cargo.toml", manifest)])), []);
    }

    #[test]
    fn version_that_no_package_asks_for_is_reported() {
        let tree = Tree::of(&[
            (
                "Cargo.toml",
                "[workspace]\n[workspace.dependencies]\nhalf = \"2\"\nhashbrown = \"1\"\n",
            ),
            (
                "crates/ir/Cargo.toml",
                "[package]\nname = \"ir\"\n[dependencies]\nhalf.workspace = true\n",
            ),
            ("crates/ir/src/lib.rs", "use half::f16;\n"),
        ]);
        expect![[r#"
            Cargo.toml:4: no package uses `hashbrown`
        "#]]
        .assert_eq(&problems(&unused(&tree)));
    }

    #[test]
    fn library_without_a_reason_is_reported() {
        let manifest = "[package]\nname = \"ir\"\n[dependencies]\nhalf.workspace = true\nlibm.workspace = true\n\
                        [dev-dependencies]\nexpect-test.workspace = true\n";
        let tree = Tree::of(&[
            ("crates/ir/Cargo.toml", manifest),
            (
                "crates/ir/README.md",
                "# ir\n\n`libm`\n\n## Dependencies\n\n`half` (16-bit floats)\n",
            ),
        ]);
        expect![[r#"
            crates/ir/Cargo.toml:5: nothing says why `libm` is there
        "#]]
        .assert_eq(&problems(&explained(&tree)));
    }

    #[test]
    fn home_of_a_library_that_is_gone_is_reported() {
        let tree =
            Tree::of(&[("Cargo.toml", "[workspace]\n[workspace.dependencies]\nhalf = \"2\"\n")]);
        expect![[r#"
            xtask/src/tidy/dependencies.rs:1: `libloading` has a home and is in no manifest
        "#]]
        .assert_eq(&problems(&stale_rows(&tree, ["half", "libloading"].into_iter())));
    }

    #[test]
    fn name_in_a_comment_is_no_use() {
        let manifest = "[package]\nname = \"ir\"\n[dependencies]\nhalf.workspace = true\nserde_json.workspace = true\n";
        let tree = Tree::of(&[
            ("crates/ir/Cargo.toml", manifest),
            (
                "crates/ir/src/lib.rs",
                "//! Uses half.\nuse serde_json::Value;\nlet halfway = \"half\";\n",
            ),
        ]);
        expect![[r#"
            crates/ir/Cargo.toml:4: `ir` declares `half` and never names it
        "#]]
        .assert_eq(&problems(&unused(&tree)));
    }
}

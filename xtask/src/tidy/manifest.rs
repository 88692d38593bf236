//! Cargo manifests as the rules need them: name, dependencies with their lines; and the rule that versions and
//! lints are the workspace's.

use toml::{Table, Value};

use crate::tidy::tree::{Finding, Tree};

/// The kind of dependency.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Section {
    /// Of the library or program.
    Normal,
    /// Of its tests.
    Dev,
    /// Of its build script.
    Build,
}

const SECTIONS: &[(Section, &str)] = &[
    (Section::Normal, "dependencies"),
    (Section::Dev, "dev-dependencies"),
    (Section::Build, "build-dependencies"),
];

/// One declared dependency.
#[derive(Debug)]
pub(crate) struct Dependency {
    /// The name it is used by in code.
    pub(crate) alias: String,
    /// The name of the package.
    pub(crate) name: String,
    /// True if it is inherited with `workspace = true`.
    pub(crate) inherited: bool,
    /// The place where it is declared.
    pub(crate) section: Section,
    /// Line of the declaration, from 1.
    pub(crate) line: usize,
}

/// A package's manifest.
#[derive(Debug)]
pub(crate) struct Manifest<'t> {
    /// Path of the file.
    pub(crate) path: &'t str,
    /// Folder of the package.
    pub(crate) dir: &'t str,
    /// Name of the package.
    pub(crate) name: String,
    /// All its dependencies.
    pub(crate) dependencies: Vec<Dependency>,
    text: &'t str,
    has_workspace_lints: bool,
}

impl<'t> Manifest<'t> {
    /// The packages of the tree. A manifest that is not TOML is Cargo's to report; here it has no dependencies.
    pub(crate) fn all(tree: &'t Tree) -> impl Iterator<Item = Manifest<'t>> {
        tree.manifests().map(|(path, dir, text)| Manifest::parse(path, dir, text))
    }

    fn parse(path: &'t str, dir: &'t str, text: &'t str) -> Manifest<'t> {
        let table: Table = text.parse().unwrap_or_default();
        let name = table.get("package").and_then(|it| it.get("name")).and_then(Value::as_str);
        let inherits =
            |key: &str| table.get(key).and_then(|it| it.get("workspace")).and_then(Value::as_bool);
        let mut dependencies = Vec::new();
        collect_dependencies(&table, text, &mut dependencies);
        for (_, platform) in table.get("target").and_then(Value::as_table).into_iter().flatten() {
            platform
                .as_table()
                .into_iter()
                .for_each(|it| collect_dependencies(it, text, &mut dependencies));
        }
        dependencies.sort_by_key(|dependency| dependency.line);
        Manifest {
            path,
            dir,
            name: name.unwrap_or_default().to_owned(),
            dependencies,
            text,
            has_workspace_lints: inherits("lints") == Some(true),
        }
    }

    /// The line that names the package.
    pub(crate) fn line_of_name(&self) -> usize {
        line_of(self.text, "package", "name")
    }
}

fn collect_dependencies(table: &Table, text: &str, dependencies: &mut Vec<Dependency>) {
    for &(section, header) in SECTIONS {
        for (alias, value) in table.get(header).and_then(Value::as_table).into_iter().flatten() {
            let name = value.get("package").and_then(Value::as_str).unwrap_or(alias).to_owned();
            let inherited = value.get("workspace").and_then(Value::as_bool) == Some(true);
            let line = line_of(text, header, alias);
            dependencies.push(Dependency { alias: alias.clone(), name, inherited, section, line });
        }
    }
}

/// The line of `key` in the section whose header ends in `header`; 1 if it is written in some other way.
fn line_of(text: &str, header: &str, key: &str) -> usize {
    let mut inside = false;
    for (index, line) in text.lines().map(str::trim).enumerate() {
        if let Some(title) = line.strip_prefix('[') {
            let title = title.trim_end_matches(']').trim();
            inside = title == header || title.ends_with(&format!(".{header}"));
            if title == format!("{header}.{key}") {
                return index + 1;
            }
        } else if inside && line.split(['=', '.', ' ']).next() == Some(key) {
            return index + 1;
        }
    }
    1
}

/// The libraries whose versions the workspace's manifest chooses, with their lines.
pub(crate) fn workspace_versions(tree: &Tree) -> Vec<(String, usize)> {
    let Some(text) = tree.get("Cargo.toml") else { return Vec::new() };
    let table: Table = text.parse().unwrap_or_default();
    let versions =
        table.get("workspace").and_then(|it| it.get("dependencies")).and_then(Value::as_table);
    versions
        .into_iter()
        .flatten()
        .map(|(name, _)| (name.clone(), line_of(text, "dependencies", name)))
        .collect()
}

/// Reports versions chosen in a package and packages without the workspace's lints.
pub(crate) fn check(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    for manifest in Manifest::all(tree) {
        for dependency in manifest.dependencies.iter().filter(|it| !it.inherited) {
            findings.push(Finding::new(
                manifest.path,
                dependency.line,
                format!("`{}` chooses its own version of `{}`", manifest.name, dependency.alias),
                "declare it under [workspace.dependencies] and write `workspace = true` here",
            ));
        }
        if !manifest.has_workspace_lints {
            findings.push(Finding::new(
                manifest.path,
                1,
                format!("`{}` does not use the lints of the workspace", manifest.name),
                "add `[lints]` with `workspace = true`",
            ));
        }
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tidy::tree::problems;
    use expect_test::expect;

    #[test]
    fn own_version_and_missing_lints_are_reported() {
        let manifest = "[package]\nname = \"ir\"\n[dependencies]\nhalf = \"2\"\nrowan.workspace = true\n\
                        [dependencies.toml]\nversion = \"1\"\n";
        let tree = Tree::of(&[("crates/ir/Cargo.toml", manifest)]);
        expect![[r#"
            crates/ir/Cargo.toml:4: `ir` chooses its own version of `half`
            crates/ir/Cargo.toml:6: `ir` chooses its own version of `toml`
            crates/ir/Cargo.toml:1: `ir` does not use the lints of the workspace
        "#]]
        .assert_eq(&problems(&check(&tree)));
    }

    #[test]
    fn workspace_manifest_is_not_a_package() {
        let tree =
            Tree::of(&[("Cargo.toml", "[workspace]\n[workspace.dependencies]\nhalf = \"2\"\n")]);
        assert_eq!(check(&tree), []);
    }

    #[test]
    fn package_with_a_workspace_of_its_own_chooses_its_versions() {
        let manifest = "[package]\nname = \"fuzz\"\n[workspace]\n[dependencies]\nhalf = \"2\"\n";
        assert_eq!(check(&Tree::of(&[("tests/fuzz/Cargo.toml", manifest)])), []);
    }
}

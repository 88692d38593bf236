//! The packages that are linked into a program, as cargo resolves them, with their licences and a bill of materials
//! (CycloneDX).

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use serde_json::{Value, json};

use crate::process::run_quiet;
use crate::workspace::Workspace;

/// The packages of others that are linked into one of ours, by name and version.
#[derive(Debug)]
pub(crate) struct Packages {
    /// The package that the program is of.
    name: String,
    version: String,
    license: String,
    /// The names and versions that packages of the workspace use themselves.
    direct: BTreeSet<Key>,
    linked: BTreeMap<Key, Package>,
}

/// The name and the version of a package.
type Key = (String, String);

#[derive(Debug)]
struct Package {
    license: String,
    folder: PathBuf,
    /// The checksum of its archive, where a registry has it.
    sha256: Option<String>,
    uses: BTreeSet<Key>,
}

impl Packages {
    /// Asks cargo about the package `name` of the workspace on one platform, with its usual features.
    ///
    /// # Errors
    /// If cargo fails, or there is no such package.
    pub(crate) fn of(ws: &Workspace, name: &str, platform: &str) -> anyhow::Result<Packages> {
        let mut command = ws.cargo();
        command.args(["metadata", "--format-version", "1", "--locked"]);
        command.args(["--filter-platform", platform]);
        let metadata = serde_json::from_str(&run_quiet(&mut command)?)?;
        let lock = std::fs::read_to_string(ws.path("Cargo.lock")).context("there is no lock")?;
        Packages::read(&metadata, &lock, name)
    }

    /// Reads the answer of `cargo metadata`, and checksums from the lock file.
    fn read(metadata: &Value, lock: &str, name: &str) -> anyhow::Result<Packages> {
        let graph = Graph::of(metadata);
        let root = metadata["packages"]
            .as_array()
            .into_iter()
            .flatten()
            .find(|it| it["source"].is_null() && it["name"] == name)
            .with_context(|| format!("no package of the workspace is called {name}"))?;
        let checksums = checksums(lock)?;
        let mut packages = Packages {
            name: name.to_owned(),
            version: text(&root["version"]),
            license: text(&root["license"]),
            direct: BTreeSet::new(),
            linked: BTreeMap::new(),
        };
        let mut seen = BTreeSet::new();
        let mut pending = vec![root["id"].as_str().unwrap_or_default()];
        while let Some(id) = pending.pop() {
            let Some(package) = graph.packages.get(id).filter(|_| seen.insert(id)) else {
                continue;
            };
            let used = graph.linked(id);
            let of_others = used.iter().filter(|it| !graph.is_ours(it)).map(|it| graph.key(it));
            if package["source"].is_null() {
                packages.direct.extend(of_others);
            } else {
                let key = graph.key(id);
                let manifest = PathBuf::from(text(&package["manifest_path"]));
                let it = Package {
                    license: text(&package["license"]),
                    folder: manifest.parent().map(Path::to_owned).unwrap_or_default(),
                    sha256: checksums.get(&key).cloned(),
                    uses: of_others.collect(),
                };
                packages.linked.insert(key, it);
            }
            pending.extend(used);
        }
        Ok(packages)
    }

    /// The texts of all licences, each once, under the packages that have it; and those that come without a text.
    ///
    /// # Errors
    /// If a file of a package cannot be read.
    pub(crate) fn licences(&self) -> anyhow::Result<String> {
        let mut by_text: BTreeMap<String, Vec<String>> = BTreeMap::new();
        let mut without = Vec::new();
        for ((name, version), package) in &self.linked {
            let shown = format!("{name} {version} ({})", package.license);
            let texts = licence_texts(&package.folder)?;
            if texts.is_empty() {
                without.push(shown.clone());
            }
            for text in texts {
                let names = by_text.entry(text).or_default();
                if names.last() != Some(&shown) {
                    names.push(shown.clone());
                }
            }
        }
        // By the first package that has it, which is an order that a reader can follow.
        let mut groups: Vec<(Vec<String>, String)> =
            by_text.into_iter().map(|(text, names)| (names, text)).collect();
        groups.sort();
        let mut page = format!(
            "{} {} is under {}. Packages of others are linked into it, under the licences below.\n",
            self.name, self.version, self.license
        );
        if !without.is_empty() {
            page.push_str("\nThese come without a text of their licence, and are under the one that they name:\n");
            without.iter().for_each(|it| page.push_str(&format!("  {it}\n")));
        }
        for (names, text) in groups {
            page.push_str(&format!("\n{}\n", "=".repeat(80)));
            names.iter().for_each(|it| page.push_str(&format!("{it}\n")));
            page.push_str(&format!("{}\n\n{}\n", "-".repeat(80), text.trim_matches('\n')));
        }
        Ok(page)
    }

    /// The bill of materials: CycloneDX 1.5 as JSON. Nothing in it is of the moment that it was made.
    pub(crate) fn bill(&self) -> Value {
        let purl = |(name, version): &Key| format!("pkg:cargo/{name}@{version}");
        let root = format!("{}@{}", self.name, self.version);
        let components: Vec<Value> = self
            .linked
            .iter()
            .map(|(key, package)| {
                let mut it = json!({
                    "type": "library",
                    "bom-ref": purl(key),
                    "name": key.0,
                    "version": key.1,
                    "purl": purl(key),
                    "licenses": [{ "expression": expression(&package.license) }],
                });
                if let Some(sha256) = &package.sha256 {
                    it["hashes"] = json!([{ "alg": "SHA-256", "content": sha256 }]);
                }
                it
            })
            .collect();
        let edges = |uses: &BTreeSet<Key>| -> Vec<String> {
            uses.iter().filter(|it| self.linked.contains_key(it)).map(purl).collect()
        };
        let mut dependencies = vec![json!({ "ref": root, "dependsOn": edges(&self.direct) })];
        dependencies.extend(
            self.linked
                .iter()
                .map(|(key, it)| json!({ "ref": purl(key), "dependsOn": edges(&it.uses) })),
        );
        json!({
            "bomFormat": "CycloneDX",
            "specVersion": "1.5",
            "version": 1,
            "metadata": { "component": {
                "type": "application",
                "bom-ref": root,
                "name": self.name,
                "version": self.version,
                "licenses": [{ "expression": expression(&self.license) }],
            } },
            "components": components,
            "dependencies": dependencies,
        })
    }
}

/// The answer of cargo, by the ids of packages.
struct Graph<'a> {
    packages: BTreeMap<&'a str, &'a Value>,
    nodes: BTreeMap<&'a str, &'a Value>,
}

impl<'a> Graph<'a> {
    fn of(metadata: &'a Value) -> Graph<'a> {
        let by_id = |list: &'a Value| {
            let list = list.as_array().into_iter().flatten();
            list.filter_map(|it| Some((it["id"].as_str()?, it))).collect()
        };
        Graph {
            packages: by_id(&metadata["packages"]),
            nodes: by_id(&metadata["resolve"]["nodes"]),
        }
    }

    /// The packages that a package links: neither what its build and its tests use, nor macros, which run in the
    /// compiler.
    fn linked(&self, id: &str) -> Vec<&'a str> {
        let deps = self.nodes.get(id).and_then(|it| it["deps"].as_array()).into_iter().flatten();
        deps.filter(|it| {
            it["dep_kinds"].as_array().is_none_or(|it| it.iter().any(|it| it["kind"].is_null()))
        })
        .filter_map(|it| it["pkg"].as_str())
        .filter(|it| !self.is_macro(it))
        .collect()
    }

    fn is_macro(&self, id: &str) -> bool {
        let targets = self.packages.get(id).and_then(|it| it["targets"].as_array());
        let is =
            |it: &Value| it["kind"].as_array().is_some_and(|it| it.contains(&json!("proc-macro")));
        targets.into_iter().flatten().any(is)
    }

    fn is_ours(&self, id: &str) -> bool {
        self.packages.get(id).is_some_and(|it| it["source"].is_null())
    }

    fn key(&self, id: &str) -> Key {
        let package = self.packages.get(id).copied().unwrap_or(&Value::Null);
        (text(&package["name"]), text(&package["version"]))
    }
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

/// An expression of SPDX: cargo also takes a slash for "or".
fn expression(license: &str) -> String {
    license.replace('/', " OR ").split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The checksums of a lock file.
fn checksums(lock: &str) -> anyhow::Result<BTreeMap<Key, String>> {
    let lock: toml::Table = lock.parse().context("the lock file is broken")?;
    let packages = lock.get("package").and_then(toml::Value::as_array).into_iter().flatten();
    let field = |it: &toml::Value, name: &str| Some(it.get(name)?.as_str()?.to_owned());
    Ok(packages
        .filter_map(|it| {
            Some(((field(it, "name")?, field(it, "version")?), field(it, "checksum")?))
        })
        .collect())
}

/// The texts of the files of a package that are about its licence, in the order of their names.
fn licence_texts(folder: &Path) -> anyhow::Result<Vec<String>> {
    let cannot = || format!("cannot read {}", folder.display());
    let is_about = |name: &str| {
        let name = name.to_uppercase();
        ["LICENSE", "LICENCE", "COPYING", "COPYRIGHT", "NOTICE", "UNLICENSE"]
            .iter()
            .any(|it| name.starts_with(it))
    };
    let mut paths = Vec::new();
    for entry in std::fs::read_dir(folder).with_context(cannot)? {
        let entry = entry.with_context(cannot)?;
        if entry.path().is_file() && entry.file_name().to_str().is_some_and(is_about) {
            paths.push(entry.path());
        }
    }
    paths.sort();
    let read = |path: &PathBuf| -> anyhow::Result<String> {
        let bytes = std::fs::read(path).with_context(cannot)?;
        // Line ends and blanks at the ends of lines do not make another text.
        let text = String::from_utf8_lossy(&bytes);
        let lines: Vec<&str> = text.lines().map(str::trim_end).collect();
        Ok(lines.join("\n").trim_matches('\n').to_owned())
    };
    paths.iter().map(read).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::expect;

    const LOCK: &str = "[[package]]\nname = \"a\"\nversion = \"1.0.0\"\nchecksum = \"00ff\"\n";

    fn package(root: &Path, name: &str, source: Option<&str>, kind: &str) -> Value {
        json!({
            "id": format!("id-{name}"), "name": name, "version": "1.0.0", "license": "MIT/Apache-2.0",
            "source": source, "manifest_path": root.join(name).join("Cargo.toml"),
            "targets": [{ "kind": [kind] }],
        })
    }

    fn edge(to: &str, kind: Option<&str>) -> Value {
        json!({ "pkg": format!("id-{to}"), "dep_kinds": [{ "kind": kind }] })
    }

    /// A program with a library of ours, which links `a`, builds with `b`, and has the macro `m`; `a` links `c`.
    fn packages(root: &Path) -> Packages {
        let far = Some("registry");
        let metadata = json!({
            "packages": [
                package(root, "program", None, "bin"), package(root, "ours", None, "lib"),
                package(root, "a", far, "lib"), package(root, "b", far, "lib"),
                package(root, "c", far, "lib"), package(root, "m", far, "proc-macro"),
            ],
            "resolve": { "nodes": [
                { "id": "id-program", "deps": [edge("ours", None), edge("m", None)] },
                { "id": "id-ours", "deps": [edge("a", None), edge("b", Some("build"))] },
                { "id": "id-a", "deps": [edge("c", None)] },
            ] },
        });
        Packages::read(&metadata, LOCK, "program").unwrap()
    }

    #[test]
    fn the_bill_has_what_is_linked_and_nothing_else() {
        let bill = packages(Path::new("/")).bill();
        let names: Vec<_> =
            bill["components"].as_array().unwrap().iter().map(|it| text(&it["purl"])).collect();
        assert_eq!(names, ["pkg:cargo/a@1.0.0", "pkg:cargo/c@1.0.0"]);
        expect![[r#"{"type":"library","bom-ref":"pkg:cargo/a@1.0.0","name":"a","version":"1.0.0","purl":"pkg:cargo/a@1.0.0","licenses":[{"expression":"MIT OR Apache-2.0"}],"hashes":[{"alg":"SHA-256","content":"00ff"}]}"#]]
            .assert_eq(&bill["components"][0].to_string());
        expect![[r#"[{"ref":"program@1.0.0","dependsOn":["pkg:cargo/a@1.0.0"]},{"ref":"pkg:cargo/a@1.0.0","dependsOn":["pkg:cargo/c@1.0.0"]},{"ref":"pkg:cargo/c@1.0.0","dependsOn":[]}]"#]]
            .assert_eq(&bill["dependencies"].to_string());
    }

    #[test]
    fn a_licence_that_two_have_is_printed_once() {
        let root = tempfile::tempdir().unwrap();
        for (name, file, text) in
            [("a", "LICENSE-MIT", "Do.\r\n"), ("c", "license.md", "\nDo. \n"), ("a", "NOTICE", "A")]
        {
            std::fs::create_dir_all(root.path().join(name)).unwrap();
            std::fs::write(root.path().join(name).join(file), text).unwrap();
        }
        let page = packages(root.path()).licences().unwrap();
        assert_eq!(page.matches("Do.").count(), 1, "{page}");
        assert!(page.contains("a 1.0.0 (MIT/Apache-2.0)\nc 1.0.0 (MIT/Apache-2.0)\n---"), "{page}");
        assert!(!page.contains("come without"), "{page}");
        std::fs::remove_file(root.path().join("c/license.md")).unwrap();
        let page = packages(root.path()).licences().unwrap();
        assert!(page.contains("name:\n  c 1.0.0 (MIT/Apache-2.0)\n"), "{page}");
    }
}

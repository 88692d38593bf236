//! The real binary under test.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;

use anyhow::Context as _;
use serde_json::Value;

/// Path of the program: the one named by `TIR_ANALYZER_BIN`, or the workspace's own, built once a process.
///
/// # Panics
/// If it does not build: no test of it can say anything then.
pub fn path() -> &'static Path {
    static BINARY: OnceLock<PathBuf> = OnceLock::new();
    BINARY.get_or_init(|| match std::env::var_os("TIR_ANALYZER_BIN") {
        Some(path) => path.into(),
        None => build().expect("the binary under test builds"),
    })
}

/// A command that runs the program.
pub fn command() -> Command {
    Command::new(path())
}

/// Builds with the profile of the tests: everything but the program itself is there already, as long as packages have
/// the same features in it and in the workspace.
fn build() -> anyhow::Result<PathBuf> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let output = Command::new(cargo)
        .args(["build", "--profile", "test", "--package", "tir-analyzer", "--bin", "tir-analyzer"])
        .args(["--quiet", "--message-format", "json-render-diagnostics"])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .stderr(Stdio::inherit())
        .output()
        .context("cannot run cargo")?;
    anyhow::ensure!(output.status.success(), "cargo build: {}", output.status);
    String::from_utf8_lossy(&output.stdout)
        .lines()
        .filter_map(|line| serde_json::from_str::<Value>(line).ok())
        .filter(|message| message["target"]["name"] == "tir-analyzer")
        .find_map(|message| message["executable"].as_str().map(PathBuf::from))
        .context("cargo did not say where the program is")
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    /// The packages that are built for a selection of members, with their features.
    fn packages(selection: &[&str]) -> BTreeSet<String> {
        let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
        let output = Command::new(cargo)
            .args(["tree", "--locked", "--no-dedupe", "--prefix=none", "--format={p} {f}"])
            .args(selection)
            .current_dir(env!("CARGO_MANIFEST_DIR"))
            .output()
            .expect("cargo runs");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8_lossy(&output.stdout).lines().map(str::to_owned).collect()
    }

    #[test]
    fn the_program_alone_is_built_of_the_packages_of_the_workspace() {
        let alone = packages(&["--package=tir-analyzer", "--edges=normal,build"]);
        let workspace = packages(&["--workspace", "--edges=normal,build,dev"]);
        let again: Vec<_> = alone.difference(&workspace).collect();
        assert!(again.is_empty(), "these are built twice: {again:#?}");
    }
}

//! Workspace paths: its root, its target folder, its tracked files; and the output of verbs.

use std::fmt::Arguments;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, bail};

/// The checkout that the command runs in.
#[derive(Clone, Debug)]
pub struct Workspace {
    root: PathBuf,
    target: PathBuf,
}

impl Workspace {
    /// Finds the root by walking up from the current folder to the manifest that declares the workspace.
    pub fn find() -> anyhow::Result<Workspace> {
        let start = std::env::current_dir().context("cannot tell the current folder")?;
        let root = start
            .ancestors()
            .find(|dir| is_workspace_root(dir))
            .with_context(|| format!("no Cargo workspace contains {}", start.display()))?
            .to_owned();
        let target = match std::env::var_os("CARGO_TARGET_DIR") {
            Some(dir) => root.join(dir),
            None => root.join("target"),
        };
        Ok(Workspace { root, target })
    }

    /// A path inside the workspace.
    pub fn path(&self, relative: impl AsRef<Path>) -> PathBuf {
        self.root.join(relative)
    }

    /// Cargo's output folder.
    pub fn target(&self) -> &Path {
        &self.target
    }

    /// Returns the place where peers (Python environments, editors) are installed, one folder each.
    pub fn peers(&self) -> PathBuf {
        self.target.join("peers")
    }

    /// A `cargo` command that runs at the root, with the toolchain that runs this program.
    pub fn cargo(&self) -> Command {
        let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
        command.current_dir(&self.root);
        command
    }

    /// The files git tracks or would track (new ones that are not ignored), relative to the root, sorted.
    pub fn tracked_files(&self) -> anyhow::Result<Vec<String>> {
        let output = Command::new("git")
            .args(["ls-files", "-z", "--cached", "--others", "--exclude-standard"])
            .current_dir(&self.root)
            .output()
            .context("cannot run git to list the tracked files")?;
        if !output.status.success() {
            bail!("`git ls-files` failed: {}", String::from_utf8_lossy(&output.stderr).trim());
        }
        let mut files: Vec<String> = output
            .stdout
            .split(|&byte| byte == 0)
            .filter(|name| !name.is_empty())
            .map(|name| String::from_utf8_lossy(name).into_owned())
            .filter(|name| self.root.join(name).is_file())
            .collect();
        files.sort();
        files.dedup();
        Ok(files)
    }
}

fn is_workspace_root(dir: &Path) -> bool {
    std::fs::read_to_string(dir.join("Cargo.toml"))
        .is_ok_and(|manifest| manifest.lines().any(|line| line.trim() == "[workspace]"))
}

/// Prints a line for the user. A closed pipe is not an error: the reader has seen enough.
pub fn say(line: Arguments<'_>) {
    let mut out = std::io::stdout().lock();
    let _ = writeln!(out, "{line}").and_then(|()| out.flush());
}

/// Prints a line about something that went wrong.
pub fn complain(line: Arguments<'_>) {
    let _ = writeln!(std::io::stderr().lock(), "{line}");
}

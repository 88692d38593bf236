//! The extension for VS Code, built from `editors/vscode` in a folder of its own: nothing is written beside its
//! sources.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::Context as _;

use crate::process::{run_quiet, run_shown};
use crate::workspace::{Workspace, say};

/// The folder of the sources.
const SOURCES: &str = "editors/vscode";
/// The list of packages, which decides whether they are installed again.
const LOCK: &str = "package-lock.json";
/// A copy of the list that the installed packages were installed from, written last.
const STAMP: &str = "node_modules/.installed-lock";

/// A copy of the extension with its packages.
#[derive(Debug)]
pub struct Extension {
    dir: PathBuf,
}

impl Extension {
    /// Copies the sources and installs the packages that the lock file names. No script of a package is run.
    ///
    /// # Errors
    /// If there is no npm, or a package cannot be had.
    pub fn install(ws: &Workspace) -> anyhow::Result<Extension> {
        let dir = ws.target().join("vscode").join("extension");
        replace_sources(ws, &dir)?;
        let lock = std::fs::read_to_string(dir.join(LOCK)).context("the lock file is missing")?;
        let is_installed =
            std::fs::read_to_string(dir.join(STAMP)).is_ok_and(|installed| installed == lock);
        if !is_installed {
            say(format_args!("installing packages of {SOURCES} into {}", dir.display()));
            let arguments = ["ci", "--ignore-scripts", "--no-audit", "--no-fund"];
            run_quiet(npm().args(arguments).current_dir(&dir))?;
            std::fs::write(dir.join(STAMP), lock)?;
        }
        Ok(Extension { dir })
    }

    /// Checks the types and bundles the sources.
    ///
    /// # Errors
    /// If a type is wrong; the compiler's messages are shown.
    pub fn build(&self) -> anyhow::Result<()> {
        for script in ["check", "build"] {
            let finished =
                run_shown(npm().args(["run", "--silent", script]).current_dir(&self.dir))?;
            anyhow::ensure!(finished.success, "`npm run {script}` failed ({})", finished.status);
        }
        Ok(())
    }

    /// The folder with the manifest.
    pub fn dir(&self) -> &Path {
        &self.dir
    }

    /// Packs the extension with a server in it, for one platform as `vsce` names them.
    ///
    /// # Errors
    /// If the server cannot be copied, or `vsce` refuses the manifest.
    pub fn pack(&self, server: &Path, platform: &str, package: &Path) -> anyhow::Result<()> {
        let folder = self.dir.join("server");
        std::fs::create_dir_all(&folder)?;
        let program =
            if platform.starts_with("win32") { "tir-analyzer.exe" } else { "tir-analyzer" };
        let goal = folder.join(program);
        std::fs::copy(server, &goal)
            .with_context(|| format!("cannot copy {}", server.display()))?;
        strip(&goal);
        let mut vsce = Command::new("node");
        vsce.arg(self.dir.join("node_modules/@vscode/vsce/vsce")).args(["package", "--target"]);
        vsce.arg(platform).args(["--no-dependencies", "--no-rewrite-relative-links"]);
        vsce.args(["--allow-missing-repository", "--skip-license"]);
        vsce.arg("--out").arg(package).current_dir(&self.dir);
        run_quiet(&mut vsce).map(drop)
    }
}

/// Makes the sources in `dir` those of the workspace, and leaves the installed packages alone.
fn replace_sources(ws: &Workspace, dir: &Path) -> anyhow::Result<()> {
    std::fs::create_dir_all(dir).with_context(|| format!("cannot make {}", dir.display()))?;
    for entry in std::fs::read_dir(dir)? {
        let entry = entry?;
        if entry.file_type()?.is_dir() {
            if entry.file_name() != "node_modules" {
                std::fs::remove_dir_all(entry.path())?;
            }
        } else {
            std::fs::remove_file(entry.path())?;
        }
    }
    for path in ws.tracked_files()? {
        if let Some(relative) = path.strip_prefix(SOURCES).and_then(|it| it.strip_prefix('/')) {
            let goal = dir.join(relative);
            if let Some(parent) = goal.parent() {
                std::fs::create_dir_all(parent)?;
            }
            std::fs::copy(ws.path(&path), &goal)?;
        }
    }
    Ok(())
}

fn npm() -> Command {
    Command::new(if cfg!(windows) { "npm.cmd" } else { "npm" })
}

/// Removes symbols where there is a tool for it: the package is a third of the size.
fn strip(program: &Path) {
    if let Err(error) = run_quiet(Command::new("strip").arg(program)) {
        say(format_args!("note: the server keeps its symbols ({error:#})"));
    }
}

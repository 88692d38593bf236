//! Sources for Node.js, built in a folder of their own: nothing is written beside them.

use std::path::Path;
use std::process::Command;

use anyhow::Context as _;

use crate::process::{run_quiet, run_shown};
use crate::workspace::{Workspace, say};

/// The list of packages, which decides whether they are installed again.
const LOCK: &str = "package-lock.json";
/// A copy of the list that the installed packages were installed from, written last.
const STAMP: &str = "node_modules/.installed-lock";

/// Copies the `sources`, a folder of the workspace, to `dir`, and installs the packages that the lock file names. No
/// script of a package is run.
///
/// # Errors
/// If there is no npm, or a package cannot be had.
pub(crate) fn install(ws: &Workspace, sources: &str, dir: &Path) -> anyhow::Result<()> {
    replace_sources(ws, sources, dir)?;
    let lock = std::fs::read_to_string(dir.join(LOCK)).context("the lock file is missing")?;
    let is_installed =
        std::fs::read_to_string(dir.join(STAMP)).is_ok_and(|installed| installed == lock);
    if !is_installed {
        say(format_args!("installing packages of {sources} into {}", dir.display()));
        let arguments = ["ci", "--ignore-scripts", "--no-audit", "--no-fund"];
        run_quiet(npm().args(arguments).current_dir(dir))?;
        std::fs::write(dir.join(STAMP), lock)?;
    }
    Ok(())
}

/// Runs a script of the manifest, with variables; its output is shown.
///
/// # Errors
/// If it fails.
pub(crate) fn run(dir: &Path, script: &str, variables: &[(&str, &Path)]) -> anyhow::Result<()> {
    let mut command = npm();
    command.args(["run", "--silent", script]).current_dir(dir).envs(variables.iter().copied());
    let finished = run_shown(&mut command)?;
    anyhow::ensure!(finished.success, "`npm run {script}` failed ({})", finished.status);
    Ok(())
}

/// Makes the sources in `dir` those of the workspace, and leaves the installed packages alone.
fn replace_sources(ws: &Workspace, sources: &str, dir: &Path) -> anyhow::Result<()> {
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
        if let Some(relative) = path.strip_prefix(sources).and_then(|it| it.strip_prefix('/')) {
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

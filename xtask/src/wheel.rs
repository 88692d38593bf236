//! The Python package as a wheel: built by maturin, and tried in an environment of its own.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::Context as _;

use crate::process::{run_quiet, run_shown};
use crate::venv::Venv;
use crate::workspace::{Workspace, say};

/// The tool that builds wheels of Rust.
const MATURIN: &str = "maturin==1.16.0";
/// The manifest of the native part; the description of the package lies beside it.
const MANIFEST: &str = "crates/python/Cargo.toml";

/// Builds the wheel with a profile of cargo and puts it into `out`, in place of one of the same name. Gives its path.
///
/// # Errors
/// If maturin cannot be had, or the package does not build; the messages of the compiler are shown.
pub(crate) fn build(ws: &Workspace, profile: &str, out: &Path) -> anyhow::Result<PathBuf> {
    let maturin = Venv::with_packages(ws, "maturin", &[MATURIN])?;
    let fresh = ws.target().join("wheel");
    if fresh.exists() {
        std::fs::remove_dir_all(&fresh)?;
    }
    let mut command = Command::new(maturin.python());
    command.args(["-m", "maturin", "build", "--locked", "--profile", profile]);
    command.arg("--interpreter").arg(maturin.python()).arg("--out").arg(&fresh);
    command.arg("--manifest-path").arg(ws.path(MANIFEST)).current_dir(ws.path(""));
    let finished = run_shown(&mut command)?;
    anyhow::ensure!(finished.success, "the wheel does not build ({})", finished.status);
    let built = std::fs::read_dir(&fresh)?
        .filter_map(|entry| Some(entry.ok()?.path()))
        .find(|path| path.extension().is_some_and(|it| it == "whl"))
        .context("maturin made no wheel")?;
    let name = built.file_name().context("the wheel has no name")?;
    let goal = out.join(name);
    let partial = out.join(format!(".wheel-{}", std::process::id()));
    std::fs::copy(&built, &partial).with_context(|| format!("cannot write {}", out.display()))?;
    std::fs::rename(&partial, &goal).with_context(|| format!("cannot write {}", goal.display()))?;
    Ok(goal)
}

/// Installs the wheel into a new environment, starts the program there and imports the package.
///
/// # Errors
/// If one of them fails.
pub(crate) fn try_out(ws: &Workspace, wheel: &Path) -> anyhow::Result<()> {
    let wheel = wheel.to_str().context("the path of the wheel is no text")?;
    let venv = Venv::fresh(ws, "wheel", &[wheel])?;
    let version = run_quiet(Command::new(venv.program("tir-analyzer")).arg("--version"))
        .context("the program of the wheel")?;
    let script = "import tir_analyzer as ta; print(ta.__file__, ta.simplify('min(n, n + 1)'))";
    let mut python = Command::new(venv.python());
    // Isolated: neither the current folder nor a variable may stand in for what the wheel lacks.
    python.args(["-I", "-c", script]).current_dir(ws.target());
    let imported = run_quiet(&mut python).context("the package of the wheel")?;
    let answer = imported.trim().ends_with(" n");
    anyhow::ensure!(answer, "the package of the wheel answers `{}`", imported.trim());
    say(format_args!("installed and tried: {}", version.trim()));
    Ok(())
}

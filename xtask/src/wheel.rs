//! The Python package as a wheel: built by maturin, and tried in an environment of its own.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::Context as _;

use crate::process::{host, run_quiet, run_shown};
use crate::smaller;
use crate::tarball::{missing_standard_library, variables};
use crate::venv::Venv;
use crate::workspace::{Workspace, say};

/// The tool that builds wheels of Rust.
const MATURIN: &str = "maturin==1.16.0";
/// A compiler and linker of C for many platforms, and for old versions of the C library.
const ZIG: &str = "ziglang==0.17.0";
/// The oldest C library of Linux that Rust supports.
const OLDEST: &str = "manylinux_2_17";
/// The manifest of the native part; the description of the package lies beside it.
const MANIFEST: &str = "crates/python/Cargo.toml";

/// The wheel to build.
pub(crate) struct Options<'a> {
    /// The profile of cargo.
    pub(crate) profile: &'a str,
    /// The platform, as rustc names it; this one if absent.
    pub(crate) target: Option<&'a str>,
    /// Linked with Zig: for a Linux of any age.
    pub(crate) zig: bool,
}

impl Options<'_> {
    /// Returns true if the wheel can be installed on this machine.
    ///
    /// # Errors
    /// If there is no rustc.
    pub(crate) fn is_for_here(&self) -> anyhow::Result<bool> {
        Ok(match self.target {
            Some(target) => target == host()?,
            None => true,
        })
    }

    /// The arguments for rustc, where the linker that comes with it is used: equal functions become one, which makes
    /// the library 2 % smaller.
    ///
    /// # Errors
    /// If there is no rustc.
    fn linking(&self) -> anyhow::Result<&'static [&'static str]> {
        let target = self.target.map_or_else(host, |it| Ok(it.to_owned()))?;
        Ok(match target == "x86_64-unknown-linux-gnu" && !self.zig {
            true => &["--", "-C", "link-arg=-Wl,--icf=all"],
            false => &[],
        })
    }

    /// The arguments of maturin that say for what it builds.
    ///
    /// # Errors
    /// If something for that platform is missing, with the way to get it.
    fn platform(&self) -> anyhow::Result<Vec<String>> {
        let mut arguments = Vec::new();
        if let Some(target) = self.target {
            let missing = missing_standard_library(target);
            anyhow::ensure!(missing.is_empty(), "the wheel cannot be built{missing}");
            let is_linux = target.contains("-linux-");
            anyhow::ensure!(
                is_linux || !self.zig,
                "--zig is for Linux; {target} is built on a machine of its own"
            );
            arguments.extend(["--target".to_owned(), target.to_owned()]);
        }
        if self.zig {
            let is_musl = self.target.is_some_and(|it| it.contains("musl"));
            let oldest = if is_musl { "musllinux_1_2" } else { OLDEST };
            arguments.extend(["--zig", "--compatibility", oldest].map(str::to_owned));
        }
        Ok(arguments)
    }
}

/// Builds the wheel and puts it into `out`, in place of one of the same name. Gives its path.
///
/// # Errors
/// If maturin cannot be had, or the package does not build; the messages of the compiler are shown.
pub(crate) fn build(ws: &Workspace, options: &Options<'_>, out: &Path) -> anyhow::Result<PathBuf> {
    let platform = options.platform()?;
    let maturin = match options.zig {
        true => Venv::with_packages(ws, "maturin-zig", &[MATURIN, ZIG])?,
        false => Venv::with_packages(ws, "maturin", &[MATURIN])?,
    };
    let fresh = ws.target().join("wheel");
    if fresh.exists() {
        std::fs::remove_dir_all(&fresh)?;
    }
    let mut command = Command::new(maturin.python());
    command.args(["-m", "maturin", "build", "--locked", "--profile", options.profile]);
    command.args(platform).args(["--compression-level", "9"]);
    command.arg("--interpreter").arg(maturin.python()).arg("--out").arg(&fresh);
    command.arg("--manifest-path").arg(ws.path(MANIFEST)).current_dir(ws.path(""));
    command.args(options.linking()?);
    command.envs(variables(&options.target.map_or_else(host, |it| Ok(it.to_owned()))?));
    // Zig is a package of this Python, which need not be the one on the PATH.
    command.env("CARGO_ZIGBUILD_PYTHON_PATH", maturin.python());
    let finished = run_shown(&mut command)?;
    anyhow::ensure!(finished.success, "the wheel does not build ({})", finished.status);
    let built = std::fs::read_dir(&fresh)?
        .filter_map(|entry| Some(entry.ok()?.path()))
        .find(|path| path.extension().is_some_and(|it| it == "whl"))
        .context("maturin made no wheel")?;
    let name = built.file_name().context("the wheel has no name")?;
    let goal = out.join(name);
    let partial = out.join(format!(".wheel-{}", std::process::id()));
    match options.profile {
        // What people fetch.
        "dist" => smaller::write(&built, &partial)?,
        _ => {
            let copied = std::fs::copy(&built, &partial);
            copied.with_context(|| format!("cannot write {}", out.display()))?;
        }
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    fn platform(target: Option<&str>, zig: bool) -> String {
        let options = Options { profile: "dist", target, zig };
        options.platform().map_or_else(|it| it.to_string(), |it| it.join(" "))
    }

    #[test]
    fn the_platform_decides_how_old_a_system_may_be() {
        assert_eq!(platform(None, false), "");
        assert_eq!(platform(None, true), "--zig --compatibility manylinux_2_17");
        let host = host().unwrap();
        assert_eq!(platform(Some(&host), false), format!("--target {host}"));
    }

    #[test]
    fn only_the_linker_of_rust_is_given_options() {
        let linking = |target, zig| Options { profile: "dist", target, zig }.linking().unwrap();
        assert_eq!(linking(Some("x86_64-unknown-linux-gnu"), false).len(), 3);
        assert!(linking(Some("x86_64-unknown-linux-gnu"), true).is_empty());
        assert!(linking(Some("aarch64-unknown-linux-musl"), false).is_empty());
    }

    #[test]
    fn what_is_missing_for_a_platform_is_named() {
        let said = platform(Some("riscv64-no-such-linux-gnu"), true);
        assert!(said.contains("rustup target add riscv64-no-such-linux-gnu"), "{said}");
    }
}

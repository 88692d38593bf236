//! The Python package: its native part as the tests' profile builds it, beside its sources, in the environment of a
//! peer.
//!
//! No wheel is made: the folder that is put on Python's path is what a wheel would unpack. Peers that cannot be
//! installed are skipped by name; TileLang's tests run where `TIR_ANALYZER_TILELANG` names an interpreter that has it.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::Context as _;
use serde_json::Value;

use crate::conformance::peer::TVM_PACKAGES;
use crate::process;
use crate::tally::Tally;
use crate::venv::Venv;
use crate::workspace::{Workspace, say};

/// The runner of the tests, in an environment of its own, which is put on the path of the others: those are shared.
const PYTEST: &str = "pytest==9.2.0";
/// The packages of Triton's environment.
const TRITON_PACKAGES: &[&str] = &["triton==3.9.0", "numpy==2.4.6"];
/// The packages of an environment with MLIR's own bindings: those of JAX.
const MLIR_PACKAGES: &[&str] = &["jax==0.10.2", "jaxlib==0.10.2", "numpy==2.4.6"];
/// The sources of the package.
const SOURCES: &str = "crates/python/python/tir_analyzer";

pub(crate) fn run(ws: &Workspace, cargo: Command, tally: &mut Tally) -> anyhow::Result<()> {
    let library = library(cargo)?;
    let folder = unpack(ws, &library)?;
    let runner = match Venv::with_packages(ws, "pytest", &[PYTEST]) {
        Ok(venv) => venv.site_packages()?,
        Err(skip) => {
            tally.skip(skip);
            return Ok(());
        }
    };
    let path = std::env::join_paths([&folder, &runner])?;
    let suites = [
        ("tvm", TVM_PACKAGES, &["test_package.py", "test_book.py", "test_tvm.py"][..]),
        ("triton", TRITON_PACKAGES, &["test_triton.py"]),
        ("jax", MLIR_PACKAGES, &["test_mlir.py"]),
    ];
    for (name, packages, files) in suites {
        match Venv::with_packages(ws, name, packages) {
            Ok(venv) => pytest(ws, &venv.python(), &path, files, tally)?,
            Err(skip) => tally.skip(skip),
        }
    }
    match std::env::var_os("TIR_ANALYZER_TILELANG") {
        Some(python) => {
            pytest(ws, Path::new(&python), &path, &["test_tilelang.py", "test_tvm.py"], tally)?;
        }
        // Like other suites on request it is no part of a usual run: TileLang is 5.7 GB.
        None => say(format_args!(
            "tests/python/test_tilelang.py runs on request: TIR_ANALYZER_TILELANG names a Python with TileLang and pytest"
        )),
    }
    Ok(())
}

/// Runs files of tests; each file is one check, and its output is shown.
fn pytest(
    ws: &Workspace,
    python: &Path,
    path: &OsStr,
    files: &[&str],
    tally: &mut Tally,
) -> anyhow::Result<()> {
    for file in files {
        let mut command = Command::new(python);
        command.args(["-m", "pytest", "-q", "-p", "no:cacheprovider"]);
        command.arg(ws.path("tests/python").join(file)).current_dir(ws.target());
        command.env("PYTHONPATH", path).env("PYTHONDONTWRITEBYTECODE", "1");
        tally.check(process::run_shown(&mut command)?.success);
    }
    Ok(())
}

/// Puts the package together under the target folder, as a wheel would unpack it.
fn unpack(ws: &Workspace, library: &Path) -> anyhow::Result<PathBuf> {
    let folder = ws.target().join("python");
    let package = folder.join("tir_analyzer");
    if package.exists() {
        std::fs::remove_dir_all(&package)?;
    }
    std::fs::create_dir_all(&package)?;
    for entry in std::fs::read_dir(ws.path(SOURCES))? {
        let entry = entry?;
        if entry.file_type()?.is_file() {
            std::fs::copy(entry.path(), package.join(entry.file_name()))?;
        }
    }
    let name = if cfg!(windows) { "_native.pyd" } else { "_native.abi3.so" };
    std::fs::copy(library, package.join(name))
        .with_context(|| format!("cannot copy {}", library.display()))?;
    Ok(folder)
}

/// The native part, built with the profile of the tests.
fn library(mut cargo: Command) -> anyhow::Result<PathBuf> {
    cargo.args(["build", "--profile", "test", "--locked", "--quiet", "--package", "python"]);
    cargo.args(["--message-format", "json-render-diagnostics"]);
    process::run_quiet(&mut cargo)?
        .lines()
        .filter_map(|line| serde_json::from_str::<Value>(line).ok())
        .filter(|message| message["target"]["name"] == "_native")
        .find_map(|message| message["filenames"][0].as_str().map(PathBuf::from))
        .context("cargo did not say where the native part is")
}

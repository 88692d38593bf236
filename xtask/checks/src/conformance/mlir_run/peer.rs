//! The peer's compiler: a text lowered by `mlir-opt` and run by `mlir-cpu-runner`.
//!
//! Only the C library is linked: a program prints by `printf`.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
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
const BUFFERIZE: &str =
    "--one-shot-bufferize=bufferize-function-boundaries allow-return-allocs-from-loops";

/// A program that is lowered or runs longer is given up.
const LIMIT: Duration = Duration::from_secs(20);

/// The exit status of `timeout` for a program that it has ended.
const LATE: i32 = 124;

/// The reason for which a program printed nothing.
pub(super) enum Failure {
    /// The peer does not lower it, or it does not end as it should.
    Refused(String),
    /// It takes more time than it is given.
    Late,
}

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
    pub(super) fn run(&self, text: &str) -> Result<Vec<u64>, Failure> {
        let refused = |why: std::io::Error| Failure::Refused(why.to_string());
        let folder = tempfile::tempdir().map_err(refused)?;
        let (input, lowered) = (folder.path().join("a.mlir"), folder.path().join("b.mlir"));
        std::fs::write(&input, text).map_err(refused)?;
        let mut opt = limited(&self.opt);
        if text.contains("tensor<") {
            opt.arg(BUFFERIZE);
        }
        output(opt.args(PASSES).arg(&input).arg("-o").arg(&lowered))?;
        let mut runner = limited(&self.runner);
        runner.args(["-e", super::driver::MAIN, "--entry-point-result=void"]).arg(&lowered);
        let word = |line: &str| {
            u64::from_str_radix(line, 16)
                .map_err(|_| Failure::Refused(format!("it printed `{line}`")))
        };
        output(&mut runner)?.lines().map(word).collect()
    }
}

/// A command that is ended when its time is over.
fn limited(program: &Path) -> Command {
    let mut command = Command::new("timeout");
    command.arg(LIMIT.as_secs().to_string()).arg(program);
    command
}

/// Runs a command: its output, or its first error.
fn output(command: &mut Command) -> Result<String, Failure> {
    let refused = |why: String| Failure::Refused(why);
    let output = command.stdin(Stdio::null()).output().map_err(|it| refused(it.to_string()))?;
    if output.status.code() == Some(LATE) {
        return Err(Failure::Late);
    }
    if output.status.success() {
        return String::from_utf8(output.stdout).map_err(|it| refused(it.to_string()));
    }
    let text = String::from_utf8_lossy(&output.stderr);
    let line = text.lines().find_map(|it| it.split_once("error: "));
    Err(refused(line.map_or_else(|| output.status.to_string(), |(_, message)| message.to_owned())))
}

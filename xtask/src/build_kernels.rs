//! `cargo xtask build-kernels`: device code for a whole model codebase.
//!
//! The same code as `tir-analyzer build`; without a path it builds the model codebase that comes with the
//! workspace, so that one command on a fresh machine shows what the tool does.

use std::path::PathBuf;

use crate::workspace::Workspace;
use crate::{Outcome, process};

const BUNDLED_MODELS: &str = "tests/models";
const DEFAULT_OUT: &str = "build/kernels";

/// Build device code and a manifest for every kernel of a model codebase.
///
/// Only what an edit reaches is computed again: a second run rebuilds nothing.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  cargo xtask build-kernels                                  the bundled codebase, into build/kernels
  cargo xtask build-kernels my/models --target opencl        another one, for OpenCL
  cargo xtask build-kernels my/models/attention.py --out out one file")]
pub(crate) struct Args {
    /// Files or folders of TVMScript modules, scheduled or lowered [default: the bundled tests/models].
    paths: Vec<PathBuf>,
    /// The device language.
    #[arg(long, default_value = "cuda", value_parser = ["cuda", "opencl", "hip", "c"])]
    target: String,
    /// Where kernels and manifest are written.
    #[arg(long, default_value = DEFAULT_OUT)]
    out: PathBuf,
}

pub(crate) fn run(args: &Args, ws: &Workspace) -> anyhow::Result<Outcome> {
    let paths =
        if args.paths.is_empty() { vec![ws.path(BUNDLED_MODELS)] } else { absolute(&args.paths)? };
    let mut command = ws.cargo();
    command.args(["run", "--quiet", "--package", "tir-analyzer", "--", "build"]);
    command.args(paths).args(["--target", &args.target]).arg("--out").arg(out_dir(args, ws)?);
    let finished = process::run_shown(&mut command)?;
    Ok(if finished.success { Outcome::Passed } else { Outcome::Failed })
}

fn out_dir(args: &Args, ws: &Workspace) -> anyhow::Result<PathBuf> {
    let is_default = args.out.as_os_str() == DEFAULT_OUT;
    Ok(if is_default { ws.path(DEFAULT_OUT) } else { std::path::absolute(&args.out)? })
}

fn absolute(paths: &[PathBuf]) -> anyhow::Result<Vec<PathBuf>> {
    paths.iter().map(|path| Ok(std::path::absolute(path)?)).collect()
}

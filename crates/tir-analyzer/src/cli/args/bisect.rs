//! The arguments of `bisect`.

use std::path::PathBuf;

use super::CseArgs;

#[derive(clap::Args)]
pub(crate) struct BisectArgs {
    /// The file.
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,
    /// Change the file itself for each run, and put it back: for commands that need the files beside it.
    #[arg(long)]
    pub(crate) in_place: bool,
    #[command(flatten)]
    pub(crate) cse: CseArgs,
    /// The command. `{}` in its words is the path of the changed file; without any it comes last.
    #[arg(value_name = "COMMAND", required = true, last = true)]
    pub(crate) command: Vec<String>,
}

pub(crate) const BISECT_EXAMPLES: &str = "\
Examples:
  tir-analyzer bisect attention.py -- python check.py {}
  tir-analyzer bisect --in-place kernels/matmul.py -- pytest tests/test_matmul.py

The command says by its exit code what it thinks of the file: 0 good, 125 cannot say, 1 to 124 bad; a crash is bad.
Exit codes: 0 the fix was found, 1 no single fix can be named, 2 wrong usage or a command that cannot be run.";

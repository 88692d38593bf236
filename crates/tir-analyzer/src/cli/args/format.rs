//! The arguments of `format`.

use super::Inputs;

#[derive(clap::Args)]
pub(crate) struct FormatArgs {
    #[command(flatten)]
    pub(crate) inputs: Inputs,
    /// Print a unified diff and write nothing.
    #[arg(long, conflicts_with = "check")]
    pub(crate) diff: bool,
    /// Name the files that would change and write nothing; exit code 1 if there are any.
    #[arg(long)]
    pub(crate) check: bool,
}

pub(crate) const FORMAT_EXAMPLES: &str = "\
Examples:
  tir-analyzer format                         every file of MLIR below this folder that .gitignore does not exclude
  tir-analyzer format --diff a.mlir           show what would change, write nothing
  tir-analyzer format --check lib/            exit code 1 if something would change
  tir-analyzer format --stdin < a.mlir        from standard input to standard output";

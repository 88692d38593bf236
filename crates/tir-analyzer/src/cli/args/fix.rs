//! The arguments of `fix`.

use super::{CseArgs, Inputs};

#[derive(clap::Args)]
pub(crate) struct FixArgs {
    #[command(flatten)]
    pub(crate) inputs: Inputs,
    /// Print a unified diff and write nothing.
    #[arg(long)]
    pub(crate) diff: bool,
    /// Fix these rules only, separated by commas. Without it, common subexpressions and superfluous code.
    #[arg(long, visible_alias = "only", value_name = "RULE", value_delimiter = ',')]
    pub(crate) select: Vec<String>,
    #[command(flatten)]
    pub(crate) cse: CseArgs,
}

pub(crate) const FIX_EXAMPLES: &str = "\
Examples:
  tir-analyzer fix --diff a.py                show what would change, write nothing
  tir-analyzer fix a.py                       write it
  tir-analyzer fix --only dead-binding a.py   only names that nothing uses
  tir-analyzer fix --max-fixes 7 kernels/     the first 7 only (`bisect` finds the one that hurts)
  tir-analyzer fix --stdin < a.py > b.py      from standard input to standard output";

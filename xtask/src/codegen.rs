//! `cargo xtask codegen`: source files generated from descriptions.

use crate::Outcome;
use crate::workspace::Workspace;

/// Generate the typed syntax tree from its grammar.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  cargo xtask codegen            write the generated files
  cargo xtask codegen --check    only say whether they are up to date")]
pub(crate) struct Args {
    /// Change nothing; fail if a generated file differs from what would be written.
    #[arg(long)]
    pub(crate) check: bool,
}

pub(crate) fn run(args: &Args, _ws: &Workspace) -> anyhow::Result<Outcome> {
    anyhow::ensure!(args.check, "there is nothing to generate yet");
    Ok(Outcome::Passed)
}

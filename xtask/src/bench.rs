//! `cargo xtask bench`: speed, measured beside the peer in the same run.

use crate::Outcome;
use crate::workspace::Workspace;

/// Measure speed against the peers, as ratios, with growth t(2n)/t(n).
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  cargo xtask bench --corpus tests/corpus")]
pub(crate) struct Args {
    /// Where the input files are.
    #[arg(long, default_value = "tests/corpus")]
    corpus: std::path::PathBuf,
}

pub(crate) fn run(args: &Args, _ws: &Workspace) -> anyhow::Result<Outcome> {
    anyhow::bail!("no benchmark is registered for {}", args.corpus.display())
}

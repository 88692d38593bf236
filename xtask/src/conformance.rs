//! `cargo xtask conformance`: comparison with the peers' own answers.

use crate::Outcome;
use crate::tally::Tally;
use crate::workspace::Workspace;

/// Compare with the peers (TVM, NVRTC, PoCL), which the command installs itself.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  cargo xtask conformance lower --corpus tests/corpus")]
pub(crate) struct Args {
    /// Which comparison to make.
    suite: String,
    /// Where the input files are.
    #[arg(long, default_value = "tests/corpus")]
    corpus: std::path::PathBuf,
}

pub(crate) fn run(args: &Args, _ws: &Workspace) -> anyhow::Result<Outcome> {
    anyhow::bail!("no comparison `{}` is registered for {}", args.suite, args.corpus.display())
}

/// What `cargo xtask test` runs: every comparison, on the committed samples. A peer that cannot be had is a skip.
pub(crate) fn check_samples(_ws: &Workspace, _tally: &mut Tally) -> anyhow::Result<()> {
    Ok(())
}

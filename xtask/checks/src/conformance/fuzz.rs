//! Generated functions in number: the oracle's tests in release mode, with a number and a seed.

use crate::workspace::Workspace;

/// The number of functions, their kind, and the first seed.
#[derive(Clone, Copy, Debug, clap::Args)]
pub(crate) struct Size {
    /// The number of functions of each kind that `fuzz` makes, and `generated`.
    #[arg(long, default_value_t = 100_000)]
    pub(crate) functions: u64,
    /// The seed of the first one.
    #[arg(long, default_value_t = 1)]
    pub(crate) seed: u64,
    /// The kind of functions that `fuzz` makes; all kinds without it.
    #[arg(long, value_enum)]
    kind: Option<Kind>,
}

/// Kinds of generated functions: each has a test of the oracle.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Kind {
    /// With the common features.
    Usual,
    /// With elements that are stored to again and again.
    Overwrites,
    /// With names whose values are not known.
    Unknowns,
    /// With calls of every operator that are given pointers.
    Calls,
    /// With vectors of `T.vscale()` lanes.
    Scalable,
    /// With nests of schedulable blocks.
    Blocks,
}

impl Kind {
    fn test(self) -> &'static str {
        match self {
            Kind::Usual => "generated_functions_keep_what_they_compute",
            Kind::Overwrites => "functions_that_write_over_stores_keep_what_they_compute",
            Kind::Unknowns => "functions_with_unknown_names_keep_what_they_compute",
            Kind::Calls => "functions_that_call_operators_keep_what_they_compute",
            Kind::Scalable => "functions_on_scalable_vectors_keep_what_they_compute",
            Kind::Blocks => "functions_to_be_scheduled_keep_what_they_compute",
        }
    }
}

/// Runs the oracle over generated functions; whether none of them failed.
pub(crate) fn run(ws: &Workspace, size: Size) -> anyhow::Result<bool> {
    let mut cargo = ws.cargo();
    cargo.args(["test", "--release", "--package", "tests", "--test", "oracle", "--"]);
    let tests = size.kind.map_or("keep_what_they_compute", Kind::test);
    cargo.args([tests, "--nocapture", "--test-threads=1"]);
    cargo.env("TIR_ORACLE_FUNCTIONS", size.functions.to_string());
    cargo.env("TIR_ORACLE_SEED", size.seed.to_string());
    Ok(cargo.status()?.success())
}

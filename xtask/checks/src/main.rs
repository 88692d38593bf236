//! The verbs of `cargo xtask` that link the product: what must hold, and comparisons with other programs.
//!
//! `cargo xtask` starts this program when one of [`xtask::CHECKS`] is asked for. A verb is a module, made as those of
//! `xtask` are.

mod bench;
mod conformance;
mod coverage_fuzz;
mod farm_model;
mod mutants;
mod nvcc;
mod proof;
mod prove_rules;
mod system;
mod tally;
mod test;

use std::process::ExitCode;

use clap::{Parser, Subcommand};
use xtask::{Outcome, process, skip, tidy, venv, workspace};

/// Checks of the tir-analyzer workspace.
#[derive(Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask", version, about)]
struct Cli {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Subcommand)]
enum Verb {
    Test(test::Args),
    ProveRules(prove_rules::Args),
    Proof(proof::Args),
    CoverageFuzz(coverage_fuzz::Args),
    Mutants(mutants::Args),
    Bench(bench::Args),
    FarmModel(farm_model::Args),
    Conformance(Box<conformance::Args>),
}

fn main() -> ExitCode {
    let cli = Cli::parse();
    xtask::finish(|ws| match &cli.verb {
        Verb::Test(args) => test::run(args, ws),
        Verb::ProveRules(args) => prove_rules::run(args, ws),
        Verb::Proof(args) => proof::run(args, ws),
        Verb::CoverageFuzz(args) => coverage_fuzz::run(args, ws),
        Verb::Mutants(args) => mutants::run(args, ws),
        Verb::Bench(args) => bench::run(args, ws),
        Verb::FarmModel(args) => farm_model::run(args, ws),
        Verb::Conformance(args) => conformance::run(args, ws),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn command_line_is_consistent() {
        Cli::command().debug_assert();
    }

    #[test]
    fn every_verb_that_xtask_starts_is_here() {
        let cli = Cli::command();
        let names: Vec<_> = cli.get_subcommands().map(clap::Command::get_name).collect();
        assert_eq!(names, xtask::CHECKS);
    }

    #[test]
    fn every_verb_explains_itself_with_an_example() {
        for verb in Cli::command().get_subcommands_mut() {
            let name = verb.get_name().to_owned();
            let help = verb.render_long_help().to_string();
            assert!(help.contains("Examples:"), "`{name} --help` shows no example");
            assert!(
                help.contains(&format!("cargo xtask {name}")),
                "`{name} --help` does not show the command"
            );
        }
    }
}

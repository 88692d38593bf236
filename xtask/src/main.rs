//! Development commands of the workspace: `cargo xtask VERB`.
//!
//! One file per verb; this one only reads the command line and dispatches. A verb is a module with an `Args`
//! (its options and its help with examples) and `run(&Args, &Workspace)`, which reports failure either as an
//! error (it could not do its work) or as [`Outcome::Failed`] (it did, and found something wrong).

mod bench;
mod build_kernels;
mod codegen;
mod conformance;
mod install;
mod nvcc;
mod process;
mod prove_rules;
mod skip;
mod system;
mod tally;
mod test;
mod tidy;
mod venv;
mod workspace;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

use crate::workspace::Workspace;

/// Development commands of the tir-analyzer workspace.
#[derive(Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask", version, about)]
struct Cli {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Subcommand)]
enum Verb {
    BuildKernels(build_kernels::Args),
    Test(test::Args),
    Tidy(tidy::Args),
    Codegen(codegen::Args),
    ProveRules(prove_rules::Args),
    Bench(bench::Args),
    Conformance(conformance::Args),
    Install(install::Args),
}

/// What a verb found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// Everything is as it should be.
    Passed,
    /// The verb did its work, reported what is wrong, and the exit code says so.
    Failed,
}

fn main() -> ExitCode {
    let cli = Cli::parse();
    match Workspace::find().and_then(|ws| dispatch(&cli.verb, &ws)) {
        Ok(Outcome::Passed) => ExitCode::SUCCESS,
        Ok(Outcome::Failed) => ExitCode::from(1),
        Err(error) => {
            workspace::complain(format_args!("error: {error:#}"));
            ExitCode::from(2)
        }
    }
}

fn dispatch(verb: &Verb, ws: &Workspace) -> anyhow::Result<Outcome> {
    match verb {
        Verb::BuildKernels(args) => build_kernels::run(args, ws),
        Verb::Test(args) => test::run(args, ws),
        Verb::Tidy(args) => tidy::run(args, ws),
        Verb::Codegen(args) => codegen::run(args, ws),
        Verb::ProveRules(args) => prove_rules::run(args, ws),
        Verb::Bench(args) => bench::run(args, ws),
        Verb::Conformance(args) => conformance::run(args, ws),
        Verb::Install(args) => install::run(args, ws),
    }
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

//! Development commands of the workspace: `cargo xtask VERB`.
//!
//! One file per verb; this one only reads the command line and dispatches. A verb is a module with an `Args`
//! (its options and its help with examples) and `run(&Args, &Workspace)`, which reports failure either as an
//! error (it could not do its work) or as [`Outcome::Failed`] (it did, and found something wrong).
//!
//! Nothing of the product is linked in here, so that `cargo xtask build-kernels` compiles the product and little else.
//! The verbs that compare the product with other programs are the package `checks`; [`CHECKS`] lists them, and this
//! program starts it.

mod archive;
mod build_kernels;
mod checks;
mod codegen;
mod dist;
mod docs;
mod install;
mod npm;
mod packages;
pub mod process;
pub mod skip;
mod smaller;
mod tarball;
pub mod tidy;
pub mod venv;
pub mod vscode;
pub mod web;
mod wheel;
pub mod workspace;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

pub use crate::checks::CHECKS;
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
    Tidy(tidy::Args),
    Codegen(codegen::Args),
    Install(install::Args),
    Dist(dist::Args),
    Docs(docs::Args),
    Web(web::Args),
    #[command(flatten)]
    Check(checks::Verb),
}

/// How a verb ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// Everything is as it should be.
    Passed,
    /// The verb did its work and reported failures, and the exit code says so.
    Failed,
}

/// Runs the verb on the command line of this process.
pub fn main() -> ExitCode {
    match Cli::parse().verb {
        Verb::Check(verb) => exit(checks::start(&verb)),
        Verb::BuildKernels(args) => finish(|ws| build_kernels::run(&args, ws)),
        Verb::Tidy(args) => finish(|ws| tidy::run(&args, ws)),
        Verb::Codegen(args) => finish(|ws| codegen::run(&args, ws)),
        Verb::Install(args) => finish(|ws| install::run(&args, ws)),
        Verb::Dist(args) => finish(|ws| dist::run(&args, ws)),
        Verb::Docs(args) => finish(|ws| docs::run(&args, ws)),
        Verb::Web(args) => finish(|ws| web::run(&args, ws)),
    }
}

/// Runs a verb in the workspace of the current folder. Gives the exit code: 0 passed, 1 failed, 2 it could not do its
/// work.
pub fn finish(run: impl FnOnce(&Workspace) -> anyhow::Result<Outcome>) -> ExitCode {
    exit(Workspace::find().and_then(|ws| run(&ws)).map(|outcome| match outcome {
        Outcome::Passed => ExitCode::SUCCESS,
        Outcome::Failed => ExitCode::from(1),
    }))
}

fn exit(outcome: anyhow::Result<ExitCode>) -> ExitCode {
    outcome.unwrap_or_else(|error| {
        workspace::complain(format_args!("error: {error:#}"));
        ExitCode::from(2)
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
    fn every_verb_of_this_program_explains_itself_with_an_example() {
        let mut cli = Cli::command();
        let own = cli.get_subcommands_mut().filter(|it| !CHECKS.contains(&it.get_name()));
        for verb in own {
            let name = verb.get_name().to_owned();
            let help = verb.render_long_help().to_string();
            assert!(help.contains("Examples:"), "`{name} --help` shows no example");
            assert!(
                help.contains(&format!("cargo xtask {name}")),
                "`{name} --help` does not show the command"
            );
        }
    }

    #[test]
    fn every_check_is_a_verb_and_gets_its_arguments_as_they_are() {
        let cli = Cli::command();
        for name in CHECKS {
            assert!(cli.find_subcommand(name).is_some(), "{name}");
            let words = ["cargo xtask", name, "--help", "-x", "--corpus", "../corpus"];
            let Verb::Check(verb) = Cli::parse_from(words).verb else { panic!("{name}") };
            assert_eq!(verb.name_and_arguments().0, name);
            assert_eq!(verb.name_and_arguments().1, &words[2..]);
        }
    }
}

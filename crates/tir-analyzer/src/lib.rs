#![doc = include_str!("../README.md")]

pub mod config;
pub mod server;

use std::{ffi::OsString, io::Write as _, process::ExitCode};

use clap::{Parser, Subcommand};

/// rust-analyzer for tensor IR.
#[derive(Parser)]
#[command(name = "tir-analyzer", version, about)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Serve an editor by the Language Server Protocol over standard input and output.
    Server,
}

/// Runs the program with its arguments, its name first.
pub fn run(arguments: impl IntoIterator<Item = OsString>) -> ExitCode {
    let arguments = match Arguments::try_parse_from(arguments) {
        Ok(arguments) => arguments,
        Err(error) => {
            // Help goes to standard output, what is wrong to standard error; both are clap's business.
            let _ = error.print();
            return ExitCode::from(u8::try_from(error.exit_code()).unwrap_or(2));
        }
    };
    let outcome = match arguments.command {
        Command::Server => server::run(),
    };
    outcome.unwrap_or_else(|error| {
        // Without a standard error there is nobody to tell.
        let _ = writeln!(std::io::stderr(), "error: {error:#}");
        ExitCode::from(2)
    })
}

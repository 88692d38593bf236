//! The `tir-analyzer` binary: language server and command line.

use std::process::ExitCode;

fn main() -> ExitCode {
    tir_analyzer::cli::main()
}

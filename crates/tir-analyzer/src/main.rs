//! The `tir-analyzer` binary: language server and command line.

use std::process::ExitCode;

/// Gives pages back that are free, a few seconds after they are, from a thread of its own. That of the C library keeps what a server has
/// ever needed.
#[cfg(target_os = "linux")]
#[global_allocator]
static ALLOCATOR: tikv_jemallocator::Jemalloc = tikv_jemallocator::Jemalloc;

fn main() -> ExitCode {
    tir_analyzer::cli::main()
}

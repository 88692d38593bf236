//! The arguments of `dialect`.

use std::path::PathBuf;

use super::Format;

#[derive(clap::Args)]
pub(crate) struct DialectArgs {
    #[command(subcommand)]
    pub(crate) command: DialectCommand,
}

#[derive(clap::Subcommand)]
pub(crate) enum DialectCommand {
    /// Make files of dialects from their definitions.
    Import(ImportArgs),
    /// List the dialects that are known, with the number of their operations and where they come from.
    List {
        /// How to report.
        #[arg(long, value_enum, default_value = "text")]
        format: Format,
    },
    /// Show what is known of an operation, and where that comes from.
    Show {
        /// The name with its dialect: `stablehlo.add`.
        #[arg(value_name = "OP")]
        operation: String,
        /// How to report.
        #[arg(long, value_enum, default_value = "text")]
        format: Format,
    },
}

#[derive(clap::Args)]
pub(crate) struct ImportArgs {
    /// Definitions: `.td` files, the output of `llvm-tblgen --dump-json` (`.json`), IRDL (`.irdl`, `.mlir`), Python
    /// bindings of a wheel (`_NAME_ops_gen.py`: names of parts only), or files of dialects (`.toml`).
    #[arg(required = true, value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,
    /// A folder in which `.td` files include others, such as `include` of LLVM; may be repeated.
    #[arg(short = 'I', value_name = "DIR")]
    pub(crate) include: Vec<PathBuf>,
    /// The folder for the files, one a dialect. `dialects` beside `tir-analyzer.toml` is read by all commands.
    #[arg(long, value_name = "DIR", default_value = "dialects")]
    pub(crate) out: PathBuf,
    /// The program that reads `.td` files, if it is not the `llvm-tblgen` on the PATH.
    #[arg(long, value_name = "PROGRAM")]
    pub(crate) tblgen: Option<PathBuf>,
    /// Where the definitions come from, for `dialect list` and `dialect show`: a project and its version.
    #[arg(long, value_name = "TEXT")]
    pub(crate) source: Option<String>,
}

pub(crate) const DIALECT_EXAMPLES: &str = "\
Examples:
  tir-analyzer dialect import -I llvm/mlir/include MyOps.td      writes dialects/my.toml
  tir-analyzer dialect import my.json                            from `llvm-tblgen --dump-json`
  tir-analyzer dialect import cutlass/_mlir/dialects/_cute_ops_gen.py  from the Python bindings of a wheel
  tir-analyzer dialect list                                      all dialects that are known
  tir-analyzer dialect show stablehlo.add                        what is known of an operation, and why

Exit codes: 0 it was done, 1 `show` found no such operation, 2 wrong usage, or a file that cannot be read or written.";

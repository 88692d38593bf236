//! The arguments of `config`.

use std::path::PathBuf;

use super::Format;

#[derive(clap::Args)]
pub(crate) struct ConfigArgs {
    /// The file, or folder, whose settings are shown; the current folder without one.
    #[arg(value_name = "PATH")]
    pub(crate) path: Option<PathBuf>,
    /// How to print.
    #[arg(long, value_enum, default_value = "text")]
    pub(crate) format: Format,
    /// Print the JSON schema of `tir-analyzer.toml` instead, for editors of TOML.
    #[arg(long, conflicts_with_all = ["path", "format"])]
    pub(crate) schema: bool,
}

pub(super) const CONFIG_EXAMPLES: &str = "\
Examples:
  tir-analyzer config                         the settings of the current folder, and where each comes from
  tir-analyzer config kernels/matmul.py       those of a file: of the nearest `tir-analyzer.toml` above it
  tir-analyzer config --schema > schema.json  what may stand in a `tir-analyzer.toml`";

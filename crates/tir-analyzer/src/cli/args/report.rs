//! The arguments of `report`.

use std::path::PathBuf;

use super::{CseArgs, Format, Inputs};

#[derive(clap::Args)]
pub(crate) struct ReportArgs {
    #[command(flatten)]
    pub(crate) inputs: Inputs,
    /// How to report.
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub(crate) format: Format,
    /// Also write one HTML page with a chart, which needs nothing else.
    #[arg(long, value_name = "FILE")]
    pub(crate) html: Option<PathBuf>,
    /// Show at most this many of each list; by default 20, and all in JSON.
    #[arg(long, value_name = "N")]
    pub(crate) limit: Option<usize>,
    #[command(flatten)]
    pub(crate) cse: CseArgs,
}

pub(crate) const REPORT_EXAMPLES: &str = "\
Examples:
  tir-analyzer report kernels/                what would save most, and what is there twice
  tir-analyzer report --html report.html .    the same as a page with a chart
  tir-analyzer report --format json . | jq '.savings[0]'";

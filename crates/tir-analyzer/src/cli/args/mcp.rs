//! The arguments of `mcp`.

use std::path::PathBuf;

#[derive(clap::Args)]
pub(crate) struct McpArgs {
    /// The folder whose files may be read; by default this one. Paths of requests start there.
    #[arg(long, value_name = "DIR")]
    pub(crate) root: Option<PathBuf>,
}

pub(crate) const MCP_EXAMPLES: &str = "\
Examples:
  tir-analyzer mcp                            tools for a coding agent over standard input and output
  tir-analyzer mcp --root kernels/            only the files of this folder

Most clients take this in their settings:
  { \"mcpServers\": { \"tir-analyzer\": { \"command\": \"tir-analyzer\", \"args\": [\"mcp\"] } } }";

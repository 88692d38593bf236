//! The arguments of `explain`.

use std::path::PathBuf;

use super::AnswerFormat;

#[derive(clap::Args)]
pub(crate) struct ExplainArgs {
    /// `FILE:LINE:COLUMN` (both from 1, columns in characters), `FILE:LINE` for all that stands there, or the name of a
    /// rule; with `--stdin`, `LINE:COLUMN` or `LINE`.
    #[arg(value_name = "WHAT", required_unless_present = "list")]
    pub(crate) what: Option<String>,
    /// List all rules and reasons.
    #[arg(long, conflicts_with_all = ["what", "stdin", "facts"])]
    pub(crate) list: bool,
    /// Print the facts at `FILE:LINE`: live variables, the writes of the memory it reads, known conditions, variance by
    /// thread, initialised memory.
    #[arg(long)]
    pub(crate) facts: bool,
    /// Read the file from standard input.
    #[arg(long)]
    pub(crate) stdin: bool,
    /// The name of standard input, which also decides where its settings are looked up.
    #[arg(long, value_name = "PATH", requires = "stdin")]
    pub(crate) stdin_filename: Option<PathBuf>,
    /// How to answer.
    #[arg(long, value_enum, default_value_t = AnswerFormat::Text)]
    pub(crate) format: AnswerFormat,
}

pub(crate) const EXPLAIN_EXAMPLES: &str = "\
Examples:
  tir-analyzer explain a.py:12:20             the expression at line 12, column 20 (both from 1)
  tir-analyzer explain a.py:12                what stands on line 12, and what was found there
  tir-analyzer explain --facts a.py:12        what is known before line 12
  tir-analyzer explain may-trap               a rule, or a reason why something is not shared
  tir-analyzer explain --list                 all of them";

//! The arguments of every command, with the help that users read: a file a command.
//!
//! Input: the words of the command line. Output: [`Arguments`]. Nothing is looked up here but the words themselves.

mod bisect;
mod book;
mod build;
mod cache;
mod check;
mod completions;
mod config;
mod dialect;
mod explain;
mod fix;
mod format;
mod mcp;
mod opt;
mod parse;
mod preview;
mod report;
mod run;
mod shared;
mod simplify;

use clap::{Parser, Subcommand, ValueEnum};

use crate::version;

use self::{
    bisect::BISECT_EXAMPLES,
    book::BOOK_EXAMPLES,
    build::BUILD_EXAMPLES,
    cache::CACHE_EXAMPLES,
    check::CHECK_EXAMPLES,
    completions::{COMPLETIONS_EXAMPLES, MAN_EXAMPLES},
    config::CONFIG_EXAMPLES,
    dialect::DIALECT_EXAMPLES,
    explain::EXPLAIN_EXAMPLES,
    fix::FIX_EXAMPLES,
    format::FORMAT_EXAMPLES,
    mcp::MCP_EXAMPLES,
    opt::OPT_EXAMPLES,
    parse::PARSE_EXAMPLES,
    preview::PREVIEW_EXAMPLES,
    report::REPORT_EXAMPLES,
    run::RUN_EXAMPLES,
    simplify::SIMPLIFY_EXAMPLES,
};
pub(crate) use self::{
    bisect::BisectArgs,
    book::BookArgs,
    build::{BinaryKind, BuildArgs, CacheAddress, Execution, TargetName},
    cache::{CacheArgs, CacheCommand, OtherArgs, StoreArgs},
    check::{CheckArgs, Level, ReportFormat},
    completions::{CompletionsArgs, ManArgs},
    config::ConfigArgs,
    dialect::{DialectArgs, DialectCommand, ImportArgs},
    explain::ExplainArgs,
    fix::FixArgs,
    format::FormatArgs,
    mcp::McpArgs,
    opt::OptArgs,
    parse::ParseArgs,
    preview::{PreviewArgs, PreviewBy, PreviewFormat},
    report::ReportArgs,
    run::{RunArgs, ScheduleName},
    shared::{
        AnswerFormat, CseArgs, DEFAULT_LIMIT, Format, Inputs, InstanceCall, OUT, OneInput,
        PassName, Size,
    },
    simplify::SimplifyArgs,
};

/// rust-analyzer for tensor IR: finds values that are computed more than once, and binds them.
#[derive(Parser)]
#[command(name = "tir-analyzer", version = version::SHORT, long_version = version::LONG, about, max_term_width = 100, after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// When to use colours. `auto` uses them on a terminal, unless NO_COLOR is set.
    #[arg(long, global = true, value_enum, default_value_t = ColorChoice::Auto, value_name = "WHEN")]
    pub(crate) color: ColorChoice,
    #[command(subcommand)]
    pub(crate) command: Command,
}

const EXAMPLES: &str = "\
Examples:
  tir-analyzer check kernels/                 what is wrong, and what could be computed once
  tir-analyzer fix --diff kernels/            what `fix` would change
  tir-analyzer explain matmul.py:12:20        what was decided about the expression there, and why
  tir-analyzer opt --passes cse matmul.py     the module after common subexpression elimination

Exit codes: 0 it was done, 1 it was done and there is something to look at (errors, something left as it was), 2 it was not done, or not for some
file (wrong usage, a file that cannot be read or written), 130 interrupted.
Settings are read from the nearest `tir-analyzer.toml` above each file.";

/// When to use colours.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub(crate) enum ColorChoice {
    /// On a terminal
    Auto,
    /// Always
    Always,
    /// Never
    Never,
}

#[derive(Subcommand)]
pub(crate) enum Command {
    /// Report errors, and values that could be computed once.
    #[command(after_help = CHECK_EXAMPLES)]
    Check(CheckArgs),
    /// Bind shared values in the text; comments and layout stay as they are.
    #[command(after_help = FIX_EXAMPLES)]
    Fix(FixArgs),
    /// Lay MLIR out: white space between tokens, nothing else.
    #[command(after_help = FORMAT_EXAMPLES)]
    Format(FormatArgs),
    /// Find the one fix that changes the verdict of a command about a file.
    #[command(after_help = BISECT_EXAMPLES)]
    Bisect(BisectArgs),
    /// Write device code and a manifest for the functions that launch threads.
    #[command(after_help = BUILD_EXAMPLES)]
    Build(BuildArgs),
    /// Count, check or shrink the store of `build`.
    #[command(after_help = CACHE_EXAMPLES)]
    Cache(CacheArgs),
    /// Print the settings of a file, and where each comes from.
    #[command(after_help = CONFIG_EXAMPLES)]
    Config(ConfigArgs),
    /// Import the definitions of a dialect, or show what is known of an operation.
    #[command(after_help = DIALECT_EXAMPLES)]
    Dialect(DialectArgs),
    /// Print a module after passes.
    #[command(after_help = OPT_EXAMPLES)]
    Opt(OptArgs),
    /// Show a function before and after each pass.
    #[command(after_help = PREVIEW_EXAMPLES)]
    Preview(PreviewArgs),
    /// Print the decision about an expression with its reason, or the meaning of a rule.
    #[command(after_help = EXPLAIN_EXAMPLES)]
    Explain(ExplainArgs),
    /// Simplify an expression under conditions, and say by which rules.
    #[command(after_help = SIMPLIFY_EXAMPLES)]
    Simplify(SimplifyArgs),
    /// Execute a function on arrays, and report errors and races in it.
    #[command(after_help = RUN_EXAMPLES)]
    Run(RunArgs),
    /// Rank the possible savings of a codebase, and list its duplicates.
    #[command(after_help = REPORT_EXAMPLES)]
    Report(ReportArgs),
    /// Print the syntax tree of a file, or its text made again from the tree.
    #[command(after_help = PARSE_EXAMPLES)]
    Parse(ParseArgs),
    /// Serve an editor by the Language Server Protocol over standard input and output.
    #[command(after_help = SERVER_EXAMPLES)]
    Server,
    /// Serve a coding agent by the Model Context Protocol over standard input and output; it only reads.
    #[command(after_help = MCP_EXAMPLES)]
    Mcp(McpArgs),
    /// Print a script that completes commands and options in a shell.
    #[command(after_help = COMPLETIONS_EXAMPLES)]
    Completions(CompletionsArgs),
    /// Write the pages of the manual into a folder, one a command.
    #[command(after_help = MAN_EXAMPLES)]
    Man(ManArgs),
    /// Do a part of another machine's `build`, which its workers get as a folder: the current one.
    #[command(hide = true)]
    Shard,
    /// Check the book of a checkout of this program's sources, or write its chapters for mdBook.
    #[command(after_help = BOOK_EXAMPLES, hide = true)]
    Book(BookArgs),
}

const SERVER_EXAMPLES: &str = "\
Example, Neovim 0.11:
  vim.lsp.config('tir-analyzer', { cmd = { 'tir-analyzer', 'server' }, filetypes = { 'python' } })
  vim.lsp.enable('tir-analyzer')";

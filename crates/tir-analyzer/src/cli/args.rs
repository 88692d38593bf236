//! The arguments of every command, with the help that users read.
//!
//! Input: the words of the command line. Output: [`Arguments`]. Nothing is looked up here but the words themselves.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};

use ide::CseOptions;

use crate::{
    cli::{
        bisect::{BISECT_EXAMPLES, BisectArgs},
        build::{BUILD_EXAMPLES, BuildArgs, PassName},
        cache::{CACHE_EXAMPLES, CacheArgs},
        overview::{REPORT_EXAMPLES, ReportArgs},
        run::{RUN_EXAMPLES, RunArgs},
        simplify::{SIMPLIFY_EXAMPLES, SimplifyArgs},
    },
    config::{Config, Downstream, Equivalence, Preset},
};

/// rust-analyzer for tensor IR: what TVMScript computes more than once, and how to compute it once.
#[derive(Parser)]
#[command(name = "tir-analyzer", version, about, max_term_width = 100, after_help = EXAMPLES)]
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
    /// Report what is wrong, and what could be computed once.
    #[command(after_help = CHECK_EXAMPLES)]
    Check(CheckArgs),
    /// Bind shared values in the text; comments and layout stay as they are.
    #[command(after_help = FIX_EXAMPLES)]
    Fix(FixArgs),
    /// Lay MLIR out: white space between tokens, nothing else.
    #[command(after_help = FORMAT_EXAMPLES)]
    Format(FormatArgs),
    /// Find the one fix that changes what a command says of a file.
    #[command(after_help = BISECT_EXAMPLES)]
    Bisect(BisectArgs),
    /// Write device code and a manifest for the functions that launch threads.
    #[command(after_help = BUILD_EXAMPLES)]
    Build(BuildArgs),
    /// Count, check or shrink the store of `build`.
    #[command(after_help = CACHE_EXAMPLES)]
    Cache(CacheArgs),
    /// Print a module after passes.
    #[command(after_help = OPT_EXAMPLES)]
    Opt(OptArgs),
    /// Show a function before and after each pass.
    #[command(after_help = PREVIEW_EXAMPLES)]
    Preview(PreviewArgs),
    /// Say what was decided about an expression and why, or what a rule means.
    #[command(after_help = EXPLAIN_EXAMPLES)]
    Explain(ExplainArgs),
    /// Simplify an expression under conditions, and say by which rules.
    #[command(after_help = SIMPLIFY_EXAMPLES)]
    Simplify(SimplifyArgs),
    /// Execute a function on arrays, and report what goes wrong in it.
    #[command(after_help = RUN_EXAMPLES)]
    Run(RunArgs),
    /// Rank what a codebase could save, and list what it has in several places.
    #[command(after_help = REPORT_EXAMPLES)]
    Report(ReportArgs),
    /// Print the syntax tree of a file, or its text made again from the tree.
    #[command(after_help = PARSE_EXAMPLES)]
    Parse(ParseArgs),
    /// Serve an editor by the Language Server Protocol over standard input and output.
    #[command(after_help = SERVER_EXAMPLES)]
    Server,
}

const CHECK_EXAMPLES: &str = "\
Examples:
  tir-analyzer check                          every .py file below this folder that .gitignore does not exclude
  tir-analyzer check a.py kernels/            a file and a folder
  tir-analyzer check --level warning          without hints
  tir-analyzer check --format sarif > r.sarif for code scanning
  tir-analyzer check --since origin/main      only functions that were changed
  tir-analyzer check --write-baseline b.json  accept what is there; `--baseline b.json` reports what comes new
  cat a.py | tir-analyzer check --stdin       from standard input";

const FIX_EXAMPLES: &str = "\
Examples:
  tir-analyzer fix --diff a.py                show what would change, write nothing
  tir-analyzer fix a.py                       write it
  tir-analyzer fix --only dead-binding a.py   only names that nothing uses
  tir-analyzer fix --max-fixes 7 kernels/     the first 7 only (`bisect` finds the one that hurts)
  tir-analyzer fix --stdin < a.py > b.py      from standard input to standard output";

const FORMAT_EXAMPLES: &str = "\
Examples:
  tir-analyzer format                         every file of MLIR below this folder that .gitignore does not exclude
  tir-analyzer format --diff a.mlir           show what would change, write nothing
  tir-analyzer format --check lib/            exit code 1 if something would change
  tir-analyzer format --stdin < a.mlir        from standard input to standard output";

const OPT_EXAMPLES: &str = "\
Examples:
  tir-analyzer opt --passes cse a.py                          with the rules of this tool
  tir-analyzer opt --passes cse --preset tvm a.py             as TVM's pass does, where that is sound
  tir-analyzer opt --passes cse --preset tvm --allow-unsound --function main a.py
  tir-analyzer opt a.mlir                                     equal and dead operations, beyond what mlir-opt finds
  tir-analyzer opt --preset mlir --llvm 24 a.mlir             as `mlir-opt -cse` does, where that is sound";

const PREVIEW_EXAMPLES: &str = "\
Examples:
  tir-analyzer preview a.py --function main                   side by side, as wide as the terminal
  tir-analyzer preview a.py --passes simplify,cse --format unified
  tir-analyzer preview a.py --passes dead-store --format json";

const EXPLAIN_EXAMPLES: &str = "\
Examples:
  tir-analyzer explain a.py:12:20             the expression at line 12, column 20 (both from 1)
  tir-analyzer explain --facts a.py:12        what is known before line 12
  tir-analyzer explain may-trap               a rule, or a reason why something is not shared
  tir-analyzer explain --list                 all of them";

const PARSE_EXAMPLES: &str = "\
Examples:
  tir-analyzer parse a.py                     one line an element of the tree
  tir-analyzer parse --text a.py | cmp - a.py nothing is lost";

const SERVER_EXAMPLES: &str = "\
Example, Neovim 0.11:
  vim.lsp.config('tir-analyzer', { cmd = { 'tir-analyzer', 'server' }, filetypes = { 'python' } })
  vim.lsp.enable('tir-analyzer')";

/// How common subexpressions are planned, where it is not as the settings say.
#[derive(Args)]
pub(crate) struct CseArgs {
    /// Whose rules to follow.
    #[arg(long, value_enum)]
    pub(crate) preset: Option<Preset>,
    /// Which version of LLVM preset `mlir` follows.
    #[arg(long, value_enum, value_name = "VERSION")]
    pub(crate) llvm: Option<LlvmVersion>,
    /// How alike the occurrences of one value must be.
    #[arg(long, value_enum, value_name = "LEVEL")]
    pub(crate) equivalence: Option<Equivalence>,
    /// Leave values alone that are computed at fewer places.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(2..))]
    pub(crate) min_occurrences: Option<u32>,
    /// Also hand the results of `T.exp`, `T.log2` and the like from the host to kernels, where the host computes them anyway: they may
    /// differ in the last bits from the device's.
    #[arg(long)]
    pub(crate) share_intrinsics_across_launch: bool,
    /// Also insert computations in branches where that makes a value available on every path (`explain partial-redundancy`).
    #[arg(long)]
    pub(crate) partial_redundancies: bool,
    /// What compiles the text afterwards: before TVM, values stay unbound whose names would make its passes evaluate something where
    /// the text does not (`explain downstream`).
    #[arg(long, value_enum, value_name = "COMPILER")]
    pub(crate) downstream: Option<Downstream>,
    /// Do the first N fixes only, over all files and functions in order.
    #[arg(long, value_name = "N")]
    pub(crate) max_fixes: Option<usize>,
}

impl CseArgs {
    /// What analyses of a file with these settings depend on.
    pub(crate) fn analysis(&self, config: &Config) -> ide::Config {
        let mut analysis = ide::Config { cse: self.options(config), ..config.analysis() };
        analysis.ops.preset = analysis.cse.preset;
        analysis
    }

    /// The preset that was asked for, of the version of LLVM that was.
    pub(crate) fn preset(&self) -> Option<ide::Preset> {
        match (self.preset?.into(), self.llvm) {
            (ide::Preset::Mlir19, Some(LlvmVersion::V24)) => Some(ide::Preset::Mlir24),
            (preset, _) => Some(preset),
        }
    }

    /// The options of a file with these settings, without the limit, which is not one file's.
    pub(crate) fn options(&self, config: &Config) -> CseOptions {
        let settings = config.cse();
        CseOptions {
            preset: self.preset().unwrap_or(settings.preset),
            equivalence: self.equivalence.map_or(settings.equivalence, Into::into),
            min_occurrences: self.min_occurrences.unwrap_or(settings.min_occurrences),
            share_intrinsics_across_launch: self.share_intrinsics_across_launch
                || settings.share_intrinsics_across_launch,
            partial_redundancies: self.partial_redundancies || settings.partial_redundancies,
            downstream: self.downstream.map_or(settings.downstream, Into::into),
            ..settings
        }
    }
}

/// What a command reads.
#[derive(Args)]
pub(crate) struct Inputs {
    /// Files and folders. Of a folder, the files of the command's languages that `.gitignore` does not exclude; without any, this folder.
    #[arg(value_name = "PATH")]
    pub(crate) paths: Vec<PathBuf>,
    /// Read standard input instead of files.
    #[arg(long, conflicts_with = "paths")]
    pub(crate) stdin: bool,
    /// What to call standard input, and where to look for its settings.
    #[arg(long, value_name = "PATH", requires = "stdin")]
    pub(crate) stdin_filename: Option<PathBuf>,
    /// Also read what `.gitignore` excludes, and hidden files.
    #[arg(long)]
    pub(crate) no_ignore: bool,
    /// Files to work on at once; by default one a processor, at most 8.
    #[arg(long, short, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    pub(crate) jobs: Option<u16>,
}

/// One file, or standard input.
#[derive(Args)]
pub(crate) struct OneInput {
    /// The file.
    #[arg(value_name = "FILE", required_unless_present = "stdin")]
    pub(crate) file: Option<PathBuf>,
    /// Read standard input instead of a file.
    #[arg(long, conflicts_with = "file")]
    pub(crate) stdin: bool,
}

#[derive(Args)]
pub(crate) struct CheckArgs {
    #[command(flatten)]
    pub(crate) inputs: Inputs,
    /// How to report.
    #[arg(long, value_enum, default_value_t = ReportFormat::Text)]
    pub(crate) format: ReportFormat,
    /// Report nothing milder than this. What could be computed once is a hint.
    #[arg(long, value_enum, default_value_t = Level::Hint)]
    pub(crate) level: Level,
    /// Report at most this many findings of a file, the worst; by default as the settings say for text, and all for
    /// the other formats.
    #[arg(long, value_name = "N")]
    pub(crate) limit: Option<usize>,
    /// Do not report what this file lists; entries that match nothing any more are told.
    #[arg(long, value_name = "FILE")]
    pub(crate) baseline: Option<PathBuf>,
    /// List what is found in this file, and report nothing: from now on `--baseline` reports only what comes new.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["baseline", "limit"])]
    pub(crate) write_baseline: Option<PathBuf>,
    /// Report only on functions whose text is not what it was in this revision of the git repository.
    #[arg(long, value_name = "REV", conflicts_with = "stdin")]
    pub(crate) since: Option<String>,
    #[command(flatten)]
    pub(crate) cse: CseArgs,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub(crate) enum ReportFormat {
    /// For people, with the lines concerned
    Text,
    /// For programs; the schema has a version
    Json,
    /// SARIF 2.1.0, for code scanning
    Sarif,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub(crate) enum Level {
    /// What TVM refuses, or what cannot mean what it says
    Error,
    /// What is probably not meant
    Warning,
    /// Facts
    Info,
    /// What could be computed once, and what this tool does not know
    Hint,
}

#[derive(Args)]
pub(crate) struct FormatArgs {
    #[command(flatten)]
    pub(crate) inputs: Inputs,
    /// Print a unified diff and write nothing.
    #[arg(long, conflicts_with = "check")]
    pub(crate) diff: bool,
    /// Name the files that would change and write nothing; exit code 1 if there are any.
    #[arg(long)]
    pub(crate) check: bool,
}

#[derive(Args)]
pub(crate) struct FixArgs {
    #[command(flatten)]
    pub(crate) inputs: Inputs,
    /// Print a unified diff and write nothing.
    #[arg(long)]
    pub(crate) diff: bool,
    /// Fix these rules only, separated by commas. Without it, common subexpressions and what is superfluous.
    #[arg(long, visible_alias = "only", value_name = "RULE", value_delimiter = ',')]
    pub(crate) select: Vec<String>,
    #[command(flatten)]
    pub(crate) cse: CseArgs,
}

#[derive(Args)]
pub(crate) struct OptArgs {
    #[command(flatten)]
    pub(crate) input: OneInput,
    /// What to run, in this order, separated by commas: `simplify`, `cse` or rules with fixes (`dead-store`).
    #[arg(long, value_delimiter = ',', default_value = "cse", value_name = "PASS")]
    pub(crate) passes: Vec<PassName>,
    #[command(flatten)]
    pub(crate) cse: CseArgs,
    /// Also do what may make a program fail that does not, as TVM's own pass does. For comparisons only.
    #[arg(long)]
    pub(crate) allow_unsound: bool,
    /// Only this function; all others are printed as they are.
    #[arg(long, value_name = "NAME")]
    pub(crate) function: Option<String>,
    /// Threads for a large file of MLIR: with two, one parses while the other plans. By default two where there are two processors.
    #[arg(long, short, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    pub(crate) jobs: Option<u16>,
}

#[derive(Args)]
pub(crate) struct PreviewArgs {
    #[command(flatten)]
    pub(crate) input: OneInput,
    /// What to run, in this order, separated by commas: `simplify`, `cse` or rules with fixes (`dead-store`).
    #[arg(long, value_delimiter = ',', default_value = "simplify,cse", value_name = "PASS")]
    pub(crate) passes: Vec<PassName>,
    /// Only this function.
    #[arg(long, value_name = "NAME")]
    pub(crate) function: Option<String>,
    /// How to show it.
    #[arg(long, value_enum, default_value = "side-by-side")]
    pub(crate) format: PreviewFormat,
    /// Columns of both sides together; as many as the terminal has if not given.
    #[arg(long, value_name = "COLUMNS")]
    pub(crate) width: Option<usize>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub(crate) enum PreviewFormat {
    /// Both texts beside each other
    SideBySide,
    /// A unified diff a pass
    Unified,
    /// The texts and what each pass did
    Json,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub(crate) enum LlvmVersion {
    /// LLVM 19
    #[value(name = "19")]
    V19,
    /// LLVM 24
    #[value(name = "24")]
    V24,
}

#[derive(Args)]
pub(crate) struct ExplainArgs {
    /// `FILE:LINE:COLUMN` (both from 1, columns in characters), or the name of a rule; with `--stdin`, `LINE:COLUMN`.
    #[arg(value_name = "WHAT", required_unless_present = "list")]
    pub(crate) what: Option<String>,
    /// List all rules and reasons.
    #[arg(long, conflicts_with_all = ["what", "stdin", "facts"])]
    pub(crate) list: bool,
    /// Say what is known at `FILE:LINE`: what is live, who wrote the memory it reads, which conditions hold, what varies by
    /// thread, what is initialised.
    #[arg(long)]
    pub(crate) facts: bool,
    /// Read the file from standard input.
    #[arg(long)]
    pub(crate) stdin: bool,
    /// How to answer.
    #[arg(long, value_enum, default_value_t = AnswerFormat::Text)]
    pub(crate) format: AnswerFormat,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub(crate) enum AnswerFormat {
    /// For people
    Text,
    /// For programs
    Json,
}

#[derive(Args)]
pub(crate) struct ParseArgs {
    #[command(flatten)]
    pub(crate) input: OneInput,
    /// Print the text of the tree: the bytes of the file, each of them.
    #[arg(long)]
    pub(crate) text: bool,
}

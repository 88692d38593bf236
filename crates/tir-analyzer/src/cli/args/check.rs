//! The arguments of `check`.

use std::path::PathBuf;

use super::{CseArgs, Inputs, InstanceCall};

#[derive(clap::Args)]
pub(crate) struct CheckArgs {
    #[command(flatten)]
    pub(crate) inputs: Inputs,
    /// How to report.
    #[arg(long, value_enum, default_value_t = ReportFormat::Text)]
    pub(crate) format: ReportFormat,
    /// Report nothing milder than this. Values that could be computed once are hints.
    #[arg(long, value_enum, default_value_t = Level::Hint)]
    pub(crate) level: Level,
    /// Report at the lines of the source that MLIR was made of, as its locations (`loc(…)`) say: the kernel in Python
    /// that Triton compiled. Findings of one rule at one place are told once.
    #[arg(long)]
    pub(crate) at_source: bool,
    /// Report at most this many findings, the worst; 0 for all. By default 100 for text, all for the other formats.
    #[arg(long, value_name = "N")]
    pub(crate) limit: Option<usize>,
    /// Count the findings by rule instead of reporting each.
    #[arg(long, conflicts_with_all = ["format", "limit"])]
    pub(crate) statistics: bool,
    /// Report findings and failures only: no progress, no summary.
    #[arg(long, short)]
    pub(crate) quiet: bool,
    /// End with code 1 where something is reported that is at least as bad as this.
    #[arg(long, value_enum, value_name = "LEVEL", default_value_t = Level::Error)]
    pub(crate) fail_on: Level,
    /// End with code 0 whatever is reported; what cannot be read still gives 2.
    #[arg(long, conflicts_with = "fail_on")]
    pub(crate) exit_zero: bool,
    /// Do not report the findings that this file lists; entries that match nothing any more are reported.
    #[arg(long, value_name = "FILE")]
    pub(crate) baseline: Option<PathBuf>,
    /// List the findings in this file, and report nothing: from now on `--baseline` reports only new ones.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["baseline", "limit"])]
    pub(crate) write_baseline: Option<PathBuf>,
    /// Report only on functions whose text differs from this revision of the git repository.
    #[arg(long, value_name = "REV", conflicts_with = "stdin")]
    pub(crate) since: Option<String>,
    /// Check the functions in a factory (a Python function with kernels inside) with these values of its parameters:
    /// a call, as 'matmul(M=1024, dtype="float16")'. Defaults are filled in; what has no value stays unknown.
    #[arg(long, value_name = "CALL")]
    pub(crate) instance: Option<InstanceCall>,
    #[command(flatten)]
    pub(crate) cse: CseArgs,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, clap::ValueEnum)]
pub(crate) enum ReportFormat {
    /// For people, with the lines concerned
    Text,
    /// For programs; the schema has a version
    Json,
    /// SARIF 2.1.0, for code scanning
    Sarif,
    /// Commands of GitHub's workflows: findings at the lines of a pull request
    Github,
    /// GitLab's Code Quality report; the same finding has the same fingerprint after edits elsewhere
    Gitlab,
    /// JUnit's XML, which most CI systems show: a suite a file, a test a finding; it failed where the exit code says so
    Junit,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, clap::ValueEnum)]
pub(crate) enum Level {
    /// Code that TVM refuses, or that cannot mean what it says
    Error,
    /// Code that is probably a mistake
    Warning,
    /// Facts
    Info,
    /// Values that could be computed once, and facts that this tool does not know
    Hint,
}

pub(crate) const CHECK_EXAMPLES: &str = "\
Examples:
  tir-analyzer check                          every .py file below this folder that .gitignore does not exclude
  tir-analyzer check a.py kernels/            a file and a folder
  tir-analyzer check --level warning          without hints
  tir-analyzer check --fail-on warning        end with code 1 where there are warnings, for CI
  tir-analyzer check --statistics             how many findings of each rule
  tir-analyzer check --format sarif > r.sarif for code scanning
  tir-analyzer check --at-source k.ttir       at the lines of the Python file that k.ttir was made of
  tir-analyzer check --since origin/main      only functions that were changed
  tir-analyzer check --write-baseline b.json  accept what is there; `--baseline b.json` reports what comes new
  cat a.py | tir-analyzer check --stdin       from standard input";

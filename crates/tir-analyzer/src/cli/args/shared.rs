//! Arguments that several commands have.

use std::path::PathBuf;

use frontend::tvmscript::{Request, RequestError};
use ide::CseOptions;
use transform::passes::Pass;

use crate::{
    config::{Config, Downstream, Equivalence, Preset},
    suggest::{did_you_mean, near},
};

/// The inputs of a command.
#[derive(clap::Args)]
pub(crate) struct Inputs {
    /// Files and folders. Of a folder, the files of the command's languages that `.gitignore` does not exclude; without
    /// any, this folder.
    #[arg(value_name = "PATH")]
    pub(crate) paths: Vec<PathBuf>,
    /// Read standard input instead of files.
    #[arg(long, conflicts_with = "paths")]
    pub(crate) stdin: bool,
    /// The name of standard input, which also decides where its settings are looked up.
    #[arg(long, value_name = "PATH", requires = "stdin")]
    pub(crate) stdin_filename: Option<PathBuf>,
    /// Also read files that `.gitignore` excludes, and hidden files.
    #[arg(long)]
    pub(crate) no_ignore: bool,
    /// Files to work on at once; by default one a processor, at most 8.
    #[arg(long, short, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    pub(crate) jobs: Option<u16>,
}

/// One file, or standard input.
#[derive(clap::Args)]
pub(crate) struct OneInput {
    /// The file.
    #[arg(value_name = "FILE", required_unless_present = "stdin")]
    pub(crate) file: Option<PathBuf>,
    /// Read standard input instead of a file.
    #[arg(long, conflicts_with = "file")]
    pub(crate) stdin: bool,
    /// The name of standard input, which also decides where its settings are looked up.
    #[arg(long, value_name = "PATH", requires = "stdin")]
    pub(crate) stdin_filename: Option<PathBuf>,
}

/// How common subexpressions are planned, where it is not as the settings say.
#[derive(clap::Args)]
pub(crate) struct CseArgs {
    /// Whose rules to follow.
    #[arg(long, value_enum)]
    pub(crate) preset: Option<Preset>,
    /// The version of LLVM that preset `mlir` follows.
    #[arg(long, value_enum, value_name = "VERSION")]
    pub(crate) llvm: Option<LlvmVersion>,
    /// The level of equivalence that occurrences of one value must have.
    #[arg(long, value_enum, value_name = "LEVEL")]
    pub(crate) equivalence: Option<Equivalence>,
    /// Leave values alone that are computed at fewer places.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(2..))]
    pub(crate) min_occurrences: Option<u32>,
    /// Also hand the results of `T.exp`, `T.log2` and the like from the host to kernels, where the host computes them
    /// anyway: they may differ in the last bits from the device's.
    #[arg(long)]
    pub(crate) share_intrinsics_across_launch: bool,
    /// Also insert computations in branches where that makes a value available on every path
    /// (`explain partial-redundancy`).
    #[arg(long)]
    pub(crate) partial_redundancies: bool,
    /// The compiler that processes the text afterwards: before TVM, values stay unbound if a name for them would make
    /// TVM's passes evaluate something that the text does not evaluate there (`explain downstream`).
    #[arg(long, value_enum, value_name = "COMPILER")]
    pub(crate) downstream: Option<Downstream>,
    /// Do the first N fixes only, over all files and functions in order.
    #[arg(long, value_name = "N")]
    pub(crate) max_fixes: Option<usize>,
}

impl CseArgs {
    /// Returns the settings that the analyses of a file depend on.
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

/// An instance of a factory, as a call of it: `matmul(M=1024, dtype="float16")`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct InstanceCall(pub(crate) Request);

impl std::str::FromStr for InstanceCall {
    type Err = String;

    /// Says the column of a mistake, and shows it.
    fn from_str(text: &str) -> Result<InstanceCall, String> {
        let fail = |it: RequestError| {
            let before = usize::from(it.offset).min(text.len());
            let column = text.char_indices().take_while(|it| it.0 < before).count();
            let caret = " ".repeat(column);
            format!("column {}: {}\n  {text}\n  {caret}^", column + 1, it.message)
        };
        Request::parse(text).map(InstanceCall).map_err(fail)
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, clap::ValueEnum)]
pub(crate) enum LlvmVersion {
    /// LLVM 19
    #[value(name = "19")]
    V19,
    /// LLVM 24
    #[value(name = "24")]
    V24,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, clap::ValueEnum)]
pub(crate) enum AnswerFormat {
    /// For people
    Text,
    /// For programs
    Json,
}

/// How a command reports.
#[derive(Clone, Copy, PartialEq, Eq, Debug, clap::ValueEnum)]
pub(crate) enum Format {
    /// For people
    Text,
    /// For programs; the schema has a version
    Json,
}

/// A number of bytes as people write it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Size(pub(crate) u64);

impl std::str::FromStr for Size {
    type Err = String;

    fn from_str(text: &str) -> Result<Size, String> {
        let digits = text.trim_end_matches(|it: char| it.is_ascii_alphabetic());
        let factor = match text[digits.len()..].to_ascii_uppercase().as_str() {
            "" | "B" => 1,
            "K" | "KB" => 1 << 10,
            "M" | "MB" => 1 << 20,
            "G" | "GB" => 1 << 30,
            _ => return Err("write a number of bytes, or one with K, M or G: 500M".to_owned()),
        };
        let number: u64 =
            digits.parse().map_err(|_| "write a whole number, as in 500M".to_owned())?;
        number.checked_mul(factor).map(Size).ok_or_else(|| "that is too large".to_owned())
    }
}

/// The default limit of a store.
pub(crate) const DEFAULT_LIMIT: &str = "2G";

/// The place where sources and manifests go.
pub(crate) const OUT: &str = "build/kernels";

/// A pass by its name, or none.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct PassName(pub(crate) Option<Pass>);

impl std::str::FromStr for PassName {
    type Err = String;

    fn from_str(name: &str) -> Result<PassName, String> {
        if name == "none" {
            return Ok(PassName(None));
        }
        let names = || Pass::all().map(Pass::name);
        Pass::from_name(name).map(|it| PassName(Some(it))).ok_or_else(|| {
            format!(
                "there is no such pass{}; passes are none, {}",
                did_you_mean(&near(name, names())),
                names().collect::<Vec<_>>().join(", ")
            )
        })
    }
}

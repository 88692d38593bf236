//! The arguments of `preview`.

use super::{InstanceCall, OneInput, PassName};

#[derive(clap::Args)]
pub(crate) struct PreviewArgs {
    #[command(flatten)]
    pub(crate) input: OneInput,
    /// The passes to run, in this order, separated by commas: `simplify`, `cse` or rules with fixes (`dead-store`). By
    /// default `simplify,cse`; of MLIR and PIR `cse`, which is all that there is.
    #[arg(long, value_delimiter = ',', value_name = "PASS")]
    pub(crate) passes: Option<Vec<PassName>>,
    /// Only this function.
    #[arg(long, value_name = "NAME")]
    pub(crate) function: Option<String>,
    /// Take the functions in a factory (a Python function with kernels inside) with these values of its parameters:
    /// a call, as 'matmul(M=1024, dtype="float16")'. Defaults are filled in; what has no value stays unknown.
    #[arg(long, value_name = "CALL")]
    pub(crate) instance: Option<InstanceCall>,
    /// Whose passes to show. TileLang's are its own: the Python that `tilelang.python` of the settings names imports
    /// the file, which executes it, and lowers the kernel; its IR before and after each pass that changes something is
    /// shown, and the device code.
    #[arg(long, value_enum, default_value = "tir-analyzer", value_name = "WHO")]
    pub(crate) by: PreviewBy,
    /// Seconds that TileLang may take.
    #[arg(long, default_value_t = 120, value_name = "SECONDS")]
    pub(crate) limit: u64,
    /// How to show it.
    #[arg(long, value_enum, default_value = "side-by-side")]
    pub(crate) format: PreviewFormat,
    /// Columns of both sides together; as many as the terminal has if not given.
    #[arg(long, value_name = "COLUMNS")]
    pub(crate) width: Option<usize>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, clap::ValueEnum)]
pub(crate) enum PreviewBy {
    /// The passes of `--passes`
    TirAnalyzer,
    /// TileLang, for a kernel of it
    Tilelang,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, clap::ValueEnum)]
pub(crate) enum PreviewFormat {
    /// Both texts beside each other
    SideBySide,
    /// A unified diff a pass
    Unified,
    /// The texts and the notes of each pass
    Json,
}

pub(crate) const PREVIEW_EXAMPLES: &str = "\
Examples:
  tir-analyzer preview a.py --function main                   side by side, as wide as the terminal
  tir-analyzer preview a.py --passes simplify,cse --format unified
  tir-analyzer preview a.py --passes dead-store --format json
  tir-analyzer preview gemm.py --by tilelang --instance 'matmul(M=1024, N=1024, K=1024)' --format unified";

//! The arguments of `opt`.

use std::path::PathBuf;

use super::{AnswerFormat, CseArgs, InstanceCall, OneInput, PassName};

#[derive(clap::Args)]
pub(crate) struct OptArgs {
    #[command(flatten)]
    pub(crate) input: OneInput,
    /// The passes to run, in this order, separated by commas: `simplify`, `cse` or rules with fixes (`dead-store`).
    #[arg(long, value_delimiter = ',', default_value = "cse", value_name = "PASS")]
    pub(crate) passes: Vec<PassName>,
    #[command(flatten)]
    pub(crate) cse: CseArgs,
    /// Also apply bindings that may make a working program fail, as TVM's own pass does. For comparisons only.
    #[arg(long)]
    pub(crate) allow_unsound: bool,
    /// Only this function; all others are printed as they are.
    #[arg(long, value_name = "NAME")]
    pub(crate) function: Option<String>,
    /// Take the functions in a factory (a Python function with kernels inside) with these values of its parameters:
    /// a call, as 'matmul(M=1024, dtype="float16")'. Defaults are filled in; what has no value stays unknown.
    /// Only these functions are printed, without the Python around them.
    #[arg(long, value_name = "CALL")]
    pub(crate) instance: Option<InstanceCall>,
    /// Threads for a large file of MLIR: with two, one parses while the other plans. By default two where there are two
    /// processors.
    #[arg(long, short, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    pub(crate) jobs: Option<u16>,
    /// Instead of the module, say of each function whether it does the same after each pass: proved for every input by
    /// z3, or run on inputs. A refutation is shown with its input, and makes the exit code 1.
    #[arg(long)]
    pub(crate) validate: bool,
    /// The solver of --validate: a z3, by default the one that is found as `z3`; `none` to run the functions only.
    #[arg(long, value_name = "PROGRAM", requires = "validate")]
    pub(crate) solver: Option<PathBuf>,
    /// The limit of the solver for one question.
    #[arg(long, value_name = "SECONDS", requires = "validate", default_value_t = 10)]
    pub(crate) solver_timeout: u64,
    /// How --validate answers.
    #[arg(long, value_enum, requires = "validate")]
    pub(crate) format: Option<AnswerFormat>,
}

pub(crate) const OPT_EXAMPLES: &str = "\
Examples:
  tir-analyzer opt --passes cse a.py                          with the rules of this tool
  tir-analyzer opt --passes cse --preset tvm a.py             as TVM's pass does, where that is sound
  tir-analyzer opt --passes cse --preset tvm --allow-unsound --function main a.py
  tir-analyzer opt --instance 'matmul(M=1024)' a.py           the kernel that a factory makes, without the factory
  tir-analyzer opt --passes simplify,cse --validate a.py      whether the functions do the same afterwards
  tir-analyzer opt a.mlir                                     equal and dead operations, beyond what mlir-opt finds
  tir-analyzer opt --preset mlir --llvm 24 a.mlir             as `mlir-opt -cse` does, where that is sound";

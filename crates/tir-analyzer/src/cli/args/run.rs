//! The arguments of `run`.

use std::path::PathBuf;

use super::{AnswerFormat, InstanceCall, OneInput};

#[derive(clap::Args)]
pub(crate) struct RunArgs {
    #[command(flatten)]
    pub(crate) input: OneInput,
    /// The function; not needed if the file has one only.
    #[arg(long, value_name = "NAME")]
    pub(crate) function: Option<String>,
    /// Take the functions in a factory (a Python function with kernels inside) with these values of its parameters:
    /// a call, as 'matmul(M=1024, dtype="float16")'. Defaults are filled in; what has no value stays unknown.
    #[arg(long, value_name = "CALL")]
    pub(crate) instance: Option<InstanceCall>,
    /// One entry a parameter, in order: a `.npy` file, `random`, `zeros`, or a number for a scalar. A single `random`
    /// or `zeros` is for all of them.
    #[arg(long, value_name = "LIST", value_delimiter = ',', default_value = "random")]
    pub(crate) inputs: Vec<String>,
    /// The seed of random values and of the random schedule.
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(crate) seed: u64,
    /// Values of symbols that the shapes of the inputs do not tell: `n=128,m=64`.
    #[arg(long, value_name = "NAME=VALUE", value_delimiter = ',')]
    pub(crate) set: Vec<String>,
    /// Write each array as the function leaves it to `DIR/PARAMETER.npy`, and of MLIR those that it returns to
    /// `DIR/returned-N.npy`.
    #[arg(long, value_name = "DIR")]
    pub(crate) output: Option<PathBuf>,
    /// In which order threads, blocks and parallel iterations run.
    #[arg(long, value_enum, default_value_t = ScheduleName::Lockstep, value_name = "ORDER")]
    pub(crate) schedule: ScheduleName,
    /// Evaluate both sides of `and` and `or`, as TVM's LLVM back end does.
    #[arg(long)]
    pub(crate) strict: bool,
    /// End at the first division by zero, access out of bounds or failed assertion.
    #[arg(long)]
    pub(crate) stop: bool,
    /// Run the function without the barriers that `build` would place, as TVM's compiler places them after this stage.
    #[arg(long)]
    pub(crate) as_written: bool,
    /// Do not look for races: faster, and less memory.
    #[arg(long)]
    pub(crate) no_races: bool,
    /// Give up after evaluating this many expressions.
    #[arg(long, value_name = "N", default_value_t = 2_000_000_000)]
    pub(crate) max_steps: u64,
    /// How to answer.
    #[arg(long, value_enum, default_value_t = AnswerFormat::Text)]
    pub(crate) format: AnswerFormat,
}

pub(crate) const RUN_EXAMPLES: &str = "\
Examples:
  tir-analyzer run a.py --function matmul                    on random arrays: what goes wrong?
  tir-analyzer run a.py --inputs a.npy,b.npy,zeros --output out
  tir-analyzer run a.py --set n=128 --schedule reverse       another order of the threads
  tir-analyzer run a.py --format json                        for programs
  tir-analyzer run a.mlir --function f --set ?=16            a function of MLIR, free extents 16

Exit codes: 0 the function ran, 1 it ran and something went wrong in it, 2 it could not be run, 130 interrupted.";

/// Orders by their names on the command line.
#[derive(Clone, Copy, PartialEq, Eq, Debug, clap::ValueEnum)]
pub(crate) enum ScheduleName {
    /// All threads of a block execute a statement before the next one
    Lockstep,
    /// One thread at a time until the next barrier
    Serial,
    /// As `serial`, the last thread, block and iteration first
    Reverse,
    /// As `serial`, each time in another order that follows from `--seed`
    Random,
}

//! `cargo xtask conformance`: comparison with the peers' own answers.
//!
//! Each suite reads the files of a corpus, asks the peer the same question that our crates answer, and writes a
//! report: counts a folder, every difference by name, and the targets. The peers are installed by the command, each
//! in a folder of its own; one that cannot be had is a skip, said by name.

mod again;
mod agreement;
mod answers;
mod arith;
mod both;
mod built;
mod c;
mod corpus;
mod cse;
mod cuda;
mod device_runs;
mod fuzz;
mod generated;
mod gpu;
mod gradual;
mod inputs;
mod instances;
mod launch;
mod lower;
pub(crate) mod mlir;
mod mlir_run;
mod operators;
mod ours;
mod pairs;
pub(crate) mod peer;
mod pir;
mod power;
mod precision;
mod program;
mod read;
mod report;
mod reread;
mod roles;
mod roundtrip;
mod run;
mod simplify;
mod spirv;
mod staged;
mod tilelang;
mod upstream;
mod upstream_cse;
mod upstream_mlir;
mod validate;
mod wide;

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::Context as _;
use rayon::prelude::*;
use serde_json::Value;

use crate::Outcome;
use crate::conformance::report::Report;
use crate::proof::Record;
use crate::skip::Skip;
use crate::tally::Tally;
use crate::workspace::{Workspace, say};

/// The committed samples.
const SAMPLES: &str = "tests/corpus";

/// Compare with the peers (TVM, NVRTC, PoCL, Paddle), which the command installs itself.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  cargo xtask conformance lower                             every committed sample
  cargo xtask conformance roundtrip --corpus DIR            every .py under a folder
  cargo xtask conformance reread --corpus tvm/tests/python  functions inside tests, with the names around them
  cargo xtask conformance reread --corpus DIR --plans none,default,tvm,simplify --limit 60
  cargo xtask conformance upstream tvm mlc-llm --oracle     the share of functions of repositories that are read as TVM does
  cargo xtask conformance upstream-mlir iree llvm/mlir/test  the share of documents of MLIR that have no false error
  cargo xtask conformance upstream-cse llvm/mlir/test       … to which our presets do what `mlir-opt -cse` does
  cargo xtask conformance upstream-cse iree --tool iree-opt  … what the tool of another project does
  cargo xtask conformance staged tvm/tests/python --limit 60  instances that tests and factories make, read by us and compared
  cargo xtask conformance instances tvm/tests/python        … executed by the interpreter before and after our passes
  cargo xtask conformance pairs tvm/tests/python/tirx-transform  our passes and what TVM's tests expect of its passes
  cargo xtask conformance tilelang tilelang/examples --limit 60  kernels that TileLang makes, compared with our instances
  cargo xtask conformance tilelang-run tilelang/examples    … kernels of its examples, executed by us and computed by NumPy
  cargo xtask conformance gradual --corpus DIR              constants and data types forgotten: nothing more is said
  cargo xtask conformance cse --corpus DIR --filter softmax --report cse.txt
  cargo xtask conformance validate --corpus DIR             functions before and after our passes, proved by z3 or run
  cargo xtask conformance answers --corpus DIR --proof answers  what the analyzer says of expressions, proved by z3
  cargo xtask conformance c --corpus DIR --report c.txt     C of every function, compiled and called
  cargo xtask conformance spirv --corpus DIR                SPIR-V of every function with launches, validated and run
  cargo xtask conformance gpu --corpus DIR                  CUDA kernels, run and timed on a GPU; skipped by name without one
  cargo xtask conformance gpu --corpus DIR --record PACK    … on another machine: `python3 PACK/answer.py PACK OUT` there,
  cargo xtask conformance gpu --corpus DIR --answers OUT    … and what came back, compared: results, and times beside TVM's
  cargo xtask conformance mlir --corpus DIR                 every .mlir with the peer's answer beside it
  cargo xtask conformance again --corpus mlir/test          every .mlir formatted and optimised twice, read by mlir-opt
  cargo xtask conformance mlir-run --corpus DIR             … executed by us and by mlir-cpu-runner
  cargo xtask conformance pir --corpus DIR                  every .pir with its .cse.pir
  cargo xtask conformance arith --functions 3000 --seed 1   questions to the analyzer, tried on all values of narrow types
  cargo xtask conformance fuzz --functions 100000 --seed 1  generated functions before and after every plan, in the interpreter
  cargo xtask conformance fuzz --kind unknowns --functions 20000
  cargo xtask conformance fuzz --functions 1000000 --proof fuzz  … in pieces: ended and begun again, it goes on
  cargo xtask conformance generated --functions 2000        … and what TVM reads of them, before and after")]
pub(crate) struct Args {
    /// The comparison to make.
    #[arg(value_enum)]
    suite: Suite,
    /// Folders of repositories, for the suites `upstream`, `upstream-mlir`, `upstream-cse`, `staged`, `instances`,
    /// `pairs`, `tilelang` and `tilelang-run`.
    folders: Vec<PathBuf>,
    /// Ask TVM whether it accepts the functions that the suite `upstream` finds flagged.
    #[arg(long)]
    oracle: bool,
    /// The place where the input files are: folders of `.py` files.
    #[arg(long, default_value = SAMPLES)]
    corpus: PathBuf,
    /// The tool that the suite `upstream-cse` asks, in place of `mlir-opt`.
    #[arg(long, value_name = "PATH")]
    tool: Option<PathBuf>,
    /// Only files whose `folder/name` contains this.
    #[arg(long, value_name = "SUBSTR")]
    filter: Option<String>,
    /// Write the report to this file too.
    #[arg(long, value_name = "FILE")]
    report: Option<PathBuf>,
    /// The limit on nodes that the interpreter evaluates for one call; with more, functions on larger arrays run too.
    /// For the suites `c`, `spirv`, `run` and `instances`.
    #[arg(long, value_name = "N")]
    steps: Option<u64>,
    /// The place where kernels of the suite `gpu` run; opencl shows that its driver is right where no GPU is.
    #[arg(long, value_enum, default_value = "cuda")]
    device: gpu::Device,
    /// Leave records of this name for the page that `cargo xtask proof` makes; the suite `fuzz` goes on where its
    /// records end.
    #[arg(long, value_name = "NAME")]
    proof: Option<String>,
    /// End the suite `answers` after so many seconds, with a report of what was asked until then; the next run goes on.
    #[arg(long, value_name = "SECONDS")]
    seconds: Option<u64>,
    #[command(flatten)]
    remote: gpu::Remote,
    #[command(flatten)]
    size: fuzz::Size,
    #[command(flatten)]
    reread: reread::Options,
}

/// The comparisons there are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Suite {
    /// Read the files with TVM itself.
    Read,
    /// Count the part of the files that our crates lower.
    Lower,
    /// Compare our printed functions with the originals, in TVM.
    Roundtrip,
    /// Print functions inside tests and modules in place, and compare them with the originals in TVM.
    Reread,
    /// Count the functions of repositories that the tool reads without a false error, and with full meaning.
    Upstream,
    /// Count the documents of MLIR of repositories that the tool reads without a false error.
    UpstreamMlir,
    /// Compare our presets with the peer's own pass on the documents of MLIR of repositories.
    UpstreamCse,
    /// Forget the constants of functions, and see that no error and no rewrite comes from that.
    Gradual,
    /// Compare our instances of the functions that factories and tests make with TVM's.
    Staged,
    /// Execute the instances that factories and tests make, before and after our passes.
    Instances,
    /// Compare the results of our passes with what TVM's tests of its passes expect.
    Pairs,
    /// Compare our instances of TileLang's kernels with what TileLang makes.
    Tilelang,
    /// Run kernels of TileLang's examples in the interpreter, and compare what they compute with NumPy.
    TilelangRun,
    /// Compare our CSE with TVM's rules with TVM's results.
    Cse,
    /// Compare our preset `mlir` with the peer's own pass on files of MLIR.
    Mlir,
    /// Format and optimise files of MLIR again and compare them, and read the results with the peer.
    Again,
    /// Run functions of MLIR in our interpreter and compiled by the peer, before and after our plans.
    MlirRun,
    /// Compare the amount of computation of functions after our CSE, and after TVM's.
    Power,
    /// Compare the expressions that our simplifier leaves with TVM's: they must be at least as simple.
    Simplify,
    /// Prove that functions do the same after `cse` and after `simplify`, and run the others.
    Validate,
    /// Prove what the analyzer answers about the expressions of a corpus.
    Answers,
    /// Ask the procedures of the analyzer random questions, and try the answers on all values of narrow types.
    Arith,
    /// Run generated functions before and after every plan.
    Fuzz,
    /// Read the generated functions after our plans with TVM.
    Generated,
    /// Compile our CUDA C++ with NVIDIA's compiler.
    Cuda,
    /// Compare the values that the interpreter, OpenCL and TVM compute.
    Run,
    /// Compare our C, compiled by the system's compiler, with the interpreter.
    C,
    /// Validate our SPIR-V and compare it with the interpreter, on Vulkan.
    Spirv,
    /// Run our CUDA kernels on a GPU, compare them with the interpreter, and time them.
    Gpu,
    /// Compare our preset `pir` with Paddle's results: `X.cse.pir` beside `X.pir`.
    Pir,
    /// The same for random programs that a running Paddle makes.
    Paddle,
}

/// The suites that the test command runs.
const SUITES: [Suite; 15] = [
    Suite::Lower,
    Suite::Roundtrip,
    Suite::Cse,
    Suite::Power,
    Suite::Simplify,
    Suite::Generated,
    Suite::Cuda,
    Suite::Run,
    Suite::C,
    Suite::Spirv,
    Suite::Mlir,
    Suite::Again,
    Suite::MlirRun,
    Suite::Pir,
    Suite::Paddle,
];

/// The inputs of a suite.
struct Input<'a> {
    ws: &'a Workspace,
    corpus: &'a Path,
    files: Vec<corpus::File>,
    filter: Option<&'a str>,
    steps: u64,
    device: gpu::Device,
    remote: gpu::Remote,
    /// The number of generated functions of each kind, and the seed of the first one.
    generated: (u64, u64),
    /// The time after which a suite that can go on later ends.
    seconds: Option<u64>,
    /// True if a peer that would have to be fetched is not asked again for answers that exist.
    quick: bool,
}

pub(crate) fn run(args: &Args, ws: &Workspace) -> anyhow::Result<Outcome> {
    if args.suite == Suite::Fuzz {
        let is_good = fuzz::run(ws, args.size, args.proof.as_deref())?;
        return Ok(if is_good { Outcome::Passed } else { Outcome::Failed });
    }
    if args.suite == Suite::Arith {
        let is_good = arith::run(ws, args.size, args.proof.as_deref())?;
        return Ok(if is_good { Outcome::Passed } else { Outcome::Failed });
    }
    let started = Instant::now();
    match compared(args, ws)? {
        Ok(report) => {
            let outcome = finish(&report, args)?;
            if let Some(name) = &args.proof {
                record(&report, name, started.elapsed(), ws)?;
            }
            Ok(outcome)
        }
        Err(skip) => {
            say(format_args!("{skip}"));
            // A GPU is a device that most machines lack; what can be installed is there or something is wrong.
            Ok(if args.suite == Suite::Gpu { Outcome::Passed } else { Outcome::Failed })
        }
    }
}

/// Makes the comparison.
fn compared(args: &Args, ws: &Workspace) -> anyhow::Result<Result<Report, Skip>> {
    let (folders, filter) = (&args.folders, args.filter.as_deref());
    Ok(match args.suite {
        Suite::Upstream => {
            let oracle = args.oracle.then_some(&args.reread);
            upstream::compare(ws, folders, filter, oracle)?
        }
        Suite::UpstreamMlir => Ok(upstream_mlir::compare(ws, folders, filter)?),
        Suite::UpstreamCse => upstream_cse::compare(folders, filter, args.tool.as_deref())?,
        Suite::Gradual => Ok(gradual::compare(&args.corpus, filter)?),
        Suite::Staged => staged::compare(ws, folders, filter, &args.reread)?,
        Suite::Instances => instances::compare(ws, folders, filter, args.steps, &args.reread)?,
        Suite::Pairs => pairs::compare(ws, folders, filter, &args.reread)?,
        Suite::TilelangRun => tilelang::runs::compare(ws, folders, filter)?,
        Suite::Tilelang => tilelang::compare(ws, folders, filter, &args.reread)?,
        Suite::Reread => reread::compare(&of_corpus(args, ws)?, &args.reread)?,
        suite => compare(suite, &of_corpus(args, ws)?)?,
    })
}

/// The inputs that a corpus gives.
fn of_corpus<'a>(args: &'a Args, ws: &'a Workspace) -> anyhow::Result<Input<'a>> {
    let files = match args.suite {
        Suite::Pir
        | Suite::Paddle
        | Suite::Mlir
        | Suite::Again
        | Suite::MlirRun
        | Suite::Generated => Vec::new(),
        _ => corpus::read(&args.corpus, args.filter.as_deref())?,
    };
    Ok(Input {
        corpus: &args.corpus,
        ws,
        files,
        filter: args.filter.as_deref(),
        steps: args.steps.unwrap_or(match args.suite {
            Suite::Run => run::STEPS,
            _ => c::STEPS,
        }),
        device: args.device,
        remote: args.remote.clone(),
        generated: match args.suite {
            Suite::Answers => (args.size.few_functions(), args.size.seed),
            _ => (args.size.functions(), args.size.seed),
        },
        seconds: args.seconds,
        quick: false,
    })
}

/// Leaves a record of each claim of a report: the first has the name, the others a number behind it.
fn record(report: &Report, name: &str, duration: Duration, ws: &Workspace) -> anyhow::Result<()> {
    for (at, (claim, good, all)) in report.claims().enumerate() {
        let name = if at == 0 { name.to_owned() } else { format!("{name}-{}", at + 1) };
        let counts = report.totals().map(|(kind, number)| (kind.to_owned(), number.into()));
        let record = Record {
            name,
            claim: claim.to_owned(),
            method: report.method(),
            number: all,
            failures: all - good,
            details: Value::Object(counts.collect()),
            seed: None,
            duration,
        };
        record.write(ws)?;
    }
    Ok(())
}

/// Reports the result of a comparison, and returns whether it is good.
fn finish(report: &Report, args: &Args) -> anyhow::Result<Outcome> {
    say(format_args!("{}", report.text().trim_end()));
    if let Some(path) = &args.report {
        std::fs::write(path, report.text())
            .with_context(|| format!("cannot write {}", path.display()))?;
    }
    Ok(if report.is_good() { Outcome::Passed } else { Outcome::Failed })
}

fn compare(suite: Suite, input: &Input<'_>) -> anyhow::Result<Result<Report, Skip>> {
    Ok(match suite {
        Suite::Read => read::compare(input),
        Suite::Lower => Ok(lower::compare(input)),
        Suite::Roundtrip => roundtrip::compare(input),
        Suite::Cse => cse::compare(input),
        Suite::Power => Ok(power::compare(input)),
        Suite::Simplify => simplify::compare(input),
        Suite::Validate => validate::compare(input),
        Suite::Answers => answers::compare(input),
        Suite::Fuzz | Suite::Arith => anyhow::bail!("generated functions need no files"),
        Suite::Reread
        | Suite::Upstream
        | Suite::UpstreamMlir
        | Suite::UpstreamCse
        | Suite::Staged
        | Suite::Instances
        | Suite::Pairs
        | Suite::Tilelang
        | Suite::TilelangRun
        | Suite::Gradual => {
            anyhow::bail!("other people's files are not among the samples")
        }
        Suite::Generated => generated::compare(input.ws, input.generated.0, input.generated.1),
        Suite::Mlir => Ok(mlir::compare(input.ws, input.corpus, input.filter, input.quick)?),
        Suite::Again => Ok(again::compare(input.ws, input.corpus, input.filter)?),
        Suite::MlirRun => mlir_run::compare(input.ws, input.corpus, input.filter)?,
        Suite::Cuda => cuda::compare(input),
        Suite::Run => run::compare(input),
        Suite::C => c::compare(input),
        Suite::Spirv => spirv::compare(input),
        Suite::Gpu => gpu::compare(input),
        Suite::Pir => Ok(pir::compare(input.corpus, input.filter)?),
        Suite::Paddle => pir::compare_running(input.ws),
    })
}

/// Applies `work` to every item on all processors; results are in the order of the items.
pub(crate) fn parallel<T: Sync, R: Send>(
    items: &[T],
    work: impl Fn(&T) -> R + Sync + Send,
) -> Vec<R> {
    // An item at a time: one may take as long as all others.
    items.par_iter().with_max_len(1).map(work).collect()
}

/// Runs the comparisons of `cargo xtask test`: every one, on the committed samples. An unavailable peer is a skip.
pub(crate) fn check_samples(ws: &Workspace, tally: &mut Tally) -> anyhow::Result<()> {
    let corpus = ws.path(SAMPLES);
    let files = corpus::read(&corpus, None)?;
    let mut input = Input {
        ws,
        corpus: &corpus,
        files,
        filter: None,
        steps: c::STEPS,
        device: gpu::Device::Cuda,
        remote: gpu::Remote::default(),
        generated: (generated::FEW, 1),
        seconds: None,
        quick: true,
    };
    for suite in SUITES {
        input.steps = if suite == Suite::Run { run::STEPS } else { c::STEPS };
        match compare(suite, &input)? {
            Ok(report) => {
                if !report.is_good() {
                    say(format_args!("{}", report.text().trim_end()));
                }
                tally.check(report.is_good());
            }
            Err(skip) => tally.skip(skip),
        }
    }
    Ok(())
}

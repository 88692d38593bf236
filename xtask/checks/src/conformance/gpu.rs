//! Our CUDA kernels on a GPU: their results, compared with the interpreter, and their times.
//!
//! Every function that launches threads is built, compiled by NVRTC and run on the first GPU; without one the suite is
//! skipped by name. Inputs, sizes and exclusions are those of the suite [`c`](super::c). With `--device opencl` the
//! same requests, for the OpenCL sources, go to the OpenCL of the system: that the driver is right can be seen where no
//! GPU is.
//!
//! A function of `scheduled_cuda` that agrees is compiled and timed by TVM for the same device on the same arrays,
//! where the TVM at hand has CUDA; otherwise the report gives the reason why such times are missing. The published
//! wheel finds CUDA where the driver is.
//!
//! Where the GPU is on another machine, [`record`] writes what is to be run there, and [`answers`] reads what came
//! back.

mod answers;
mod record;

use std::path::{Path, PathBuf};

use codegen::Target as Language;
use rustc_hash::FxHashMap;
use serde_json::{Value, json};

use crate::conformance::c::{Case, write_inputs};
use crate::conformance::device_runs::{self, Built, KINDS, Side, build, tally};
use crate::conformance::inputs;
use crate::conformance::peer::{Answer, Keep, Peer};
use crate::conformance::report::Report;
use crate::conformance::{Input, launch};
use crate::skip::Skip;

/// The number of timed runs of a function, after the run whose results are compared.
const TIMES: u32 = 5;
/// The folder whose functions TVM compiles as they are.
const OF_TVM: &str = "scheduled_cuda";

/// The place where kernels run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Device {
    /// An NVIDIA GPU.
    Cuda,
    /// The devices of the system's OpenCL.
    Opencl,
}

impl Device {
    fn language(self) -> Language {
        match self {
            Device::Cuda => Language::Cuda,
            Device::Opencl => Language::OpenCl,
        }
    }
    fn title(self) -> &'static str {
        match self {
            Device::Cuda => "CUDA",
            Device::Opencl => "OpenCL",
        }
    }
}

/// A GPU on another machine.
#[derive(Clone, Debug, Default, clap::Args)]
pub(crate) struct Remote {
    /// For the suite `gpu`: write what is to be run on a machine with a GPU into this folder, which needs nothing else;
    /// `python3 DIR/answer.py DIR OUT` answers it there.
    #[arg(long, value_name = "DIR")]
    record: Option<PathBuf>,
    /// For the suite `gpu`: compare the answers in this folder, made from a `--record` of the same corpus.
    #[arg(long, value_name = "DIR", conflicts_with = "record")]
    answers: Option<PathBuf>,
}

/// Builds, runs, compares and times every function.
pub(crate) fn compare(input: &Input<'_>) -> Result<Report, Skip> {
    let device = input.device;
    if let Some(folder) = &input.remote.record {
        return record::record(input, folder);
    }
    if let Some(folder) = &input.remote.answers {
        return answers::compare(input, folder);
    }
    let peer = match device {
        Device::Cuda => Peer::gpu(input.ws)?,
        Device::Opencl => Peer::opencl(input.ws)?,
    };
    let title = format!("{} of our build, run on a device", device.title());
    let mut report = Report::new(&title, KINDS);
    report.note(peer.version.clone());
    let language = device.language();
    let root = input.ws.peers().join(format!("{}-runs", language.name()));
    let cases = device_runs::cases(input, &root);
    let built = build(&root, language, &cases).map_err(|it| Skip::new("gpu", it.to_string()))?;
    tally(&mut report, language, 4, &built);
    let side = Side { who: device.title(), ending: language.name(), is_vulkan: false };
    let requests = |case: &Case| requests(case, &root, &built, language);
    let answers = device_runs::run_all(&mut report, &peer, &cases, &built, side, requests);
    let ours: Vec<Option<f64>> = answers.iter().map(|it| it.last().and_then(fastest)).collect();
    let theirs = match device {
        Device::Opencl => vec![None; cases.len()],
        Device::Cuda => match times_of_tvm(input, &cases, &ours) {
            Ok(times) => times,
            Err(skip) => {
                report.note(format!("no times of TVM's kernels: {skip}"));
                vec![None; cases.len()]
            }
        },
    };
    tell_times(&mut report, &cases, &ours, &theirs);
    Ok(report)
}

/// Returns the times of TVM's kernels for the functions that ours ran for.
fn times_of_tvm(
    input: &Input<'_>,
    cases: &[Case],
    ours: &[Option<f64>],
) -> Result<Vec<Option<f64>>, Skip> {
    let peer = Peer::tvm(input.ws)?;
    let device = json!({ "op": "device", "kind": "cuda" });
    peer.ask(&device, Keep::Nothing).map_err(|error| Skip::new("tvm-cuda", error))?;
    let texts: FxHashMap<String, &str> =
        input.files.iter().map(|it| (it.label(), it.text.as_str())).collect();
    let asked: Vec<Option<Value>> = cases
        .iter()
        .zip(ours)
        .map(|(case, ours)| ours.and_then(|_| timing(case, &texts)))
        .collect();
    let requests: Vec<Value> = asked.iter().flatten().cloned().collect();
    let mut answers = peer.ask_all(&requests, Keep::Nothing).into_iter();
    let times =
        asked.iter().map(|it| it.as_ref().and_then(|_| answers.next()).as_ref().and_then(fastest));
    Ok(times.collect())
}

/// The request for a function that TVM schedules no further; its largest arrays.
fn timing(case: &Case, texts: &FxHashMap<String, &str>) -> Option<Value> {
    let (file, function) = case.label.split_once(':')?;
    let run = case.runs.last().filter(|_| case.group == OF_TVM)?;
    // Arrays that agreed were removed.
    write_inputs(&run.dir, &run.inputs).ok()?;
    Some(json!({
        "op": "time",
        "kind": "cuda",
        "text": texts.get(file)?,
        "function": function,
        "arguments": inputs::described(&run.inputs, &run.dir),
        "times": TIMES,
    }))
}

/// Lists the times, and how ours compare with TVM's as a geometric mean.
fn tell_times(report: &mut Report, cases: &[Case], ours: &[Option<f64>], theirs: &[Option<f64>]) {
    let (mut logarithms, mut n_pairs) = (0.0, 0u32);
    for ((case, ours), theirs) in cases.iter().zip(ours).zip(theirs) {
        let Some(ours) = ours else { continue };
        let line = match theirs {
            Some(theirs) if *theirs > 0.0 && *ours > 0.0 => {
                logarithms += (ours / theirs).ln();
                n_pairs += 1;
                format!("{}: {ours:.4} ms, TVM's {theirs:.4} ms", case.label)
            }
            _ => format!("{}: {ours:.4} ms", case.label),
        };
        report.list(20, "time of a call", line);
    }
    if n_pairs > 0 {
        let mean = (logarithms / f64::from(n_pairs)).exp();
        report.note(format!("our time / TVM's, geometric mean of {n_pairs} functions: {mean:.3}"));
    }
}

/// The runs of a function; none where it was not built or is not run.
fn requests(
    case: &Case,
    root: &Path,
    built: &Built,
    language: Language,
) -> Result<Vec<Value>, String> {
    let Some(function) = built.functions.get(&case.name) else { return Ok(Vec::new()) };
    let folder = root.join("built").join(language.name());
    let sources: Result<Vec<String>, _> =
        function.kernels.iter().map(|it| it.source(&folder)).collect();
    let sources = sources.map_err(|it| it.to_string())?;
    case.runs
        .iter()
        .map(|run| {
            Ok(json!({
                "op": "run",
                "sources": sources,
                "options": function.compile_flags.join(" "),
                "launches": launch::launches(function, &run.inputs, &run.dir)?,
                "times": TIMES,
            }))
        })
        .collect()
}

/// The shortest of the times of an answer.
fn fastest(answer: &Answer) -> Option<f64> {
    let times = answer.as_ref().ok()?["milliseconds"].as_array()?;
    times.iter().filter_map(Value::as_f64).min_by(f64::total_cmp)
}

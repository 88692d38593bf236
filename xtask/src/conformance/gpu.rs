//! Our CUDA kernels on a GPU: they compute what the interpreter computes, and how long they take.
//!
//! Every function that launches threads is built, compiled by NVRTC and run on the first GPU; without one the suite is skipped by
//! name. Inputs, sizes and what is left out are those of the suite [`c`](super::c). With `--device opencl` the same requests, for the OpenCL
//! sources, go to the OpenCL of the system: that the driver is right can be seen where no GPU is.

use std::path::Path;

use codegen::Target as Language;
use serde_json::{Value, json};

use crate::conformance::c::Case;
use crate::conformance::device_runs::{self, Built, KINDS, build, tally};
use crate::conformance::peer::{Answer, Peer};
use crate::conformance::report::Report;
use crate::conformance::{Input, launch};
use crate::skip::Skip;

/// How often a function is run for its time, after the run whose results are compared.
const TIMES: u32 = 5;

/// Where kernels run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Device {
    /// An NVIDIA GPU.
    Cuda,
    /// What the system's OpenCL has.
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

/// Builds, runs, compares and times every function.
pub(crate) fn compare(input: &Input<'_>) -> Result<Report, Skip> {
    let device = input.device;
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
    let who = (device.title(), language.name());
    let requests = |case: &Case| requests(case, &root, &built, language);
    let answers = device_runs::run_all(&mut report, &peer, &cases, &built, who, requests);
    for (case, answers) in cases.iter().zip(&answers) {
        if let Some(milliseconds) = answers.last().and_then(fastest) {
            report.list(20, "time of a call", format!("{}: {milliseconds:.4} ms", case.label));
        }
    }
    report.note("TVM's times are not measured: its published package has no CUDA");
    Ok(report)
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

//! Our CUDA C++ given to NVIDIA's compiler: every output compiles, and nearly every kernel has one.

use std::path::Path;

use codegen::{Options, Target as Device, device_code, kernels};
use ir::Body;
use serde_json::{Value, json};

use crate::conformance::peer::{Keep, Peer};
use crate::conformance::read::text;
use crate::conformance::report::{Report, Target};
use crate::conformance::{Input, corpus, ours, parallel};
use crate::skip::Skip;

/// Columns of the report.
const KINDS: &[&str] = &["compiled", "rejected", "not built", "no launch"];
/// The architectures that the output is compiled for.
const ARCHITECTURES: &[&str] = &["sm_80", "sm_90"];
/// The folders whose functions launch threads: after TVM's lowering, and before it, for ours; and those for tensor
/// cores (`tests/instructions`).
const KERNELS: &[&str] = &["lowered_cuda", "scheduled_cuda", "instructions"];

/// The result of our build for a function.
enum Built {
    /// Nothing to launch.
    NoLaunch,
    /// The reason why it has no code.
    Refused(Vec<(&'static str, String)>),
    /// The sources of its kernels.
    Sources(Vec<String>),
}

/// A function and its result.
struct Case {
    label: String,
    group: String,
    built: Built,
}

/// Builds every kernel and compiles the output.
pub(crate) fn compare(input: &Input<'_>) -> Result<Report, Skip> {
    let (peer, root) = Peer::nvrtc(input.ws)?;
    let mut report = Report::new("CUDA C++ of our build, compiled", KINDS);
    report.note(format!("NVRTC {}, {}", peer.version, ARCHITECTURES.join(", ")));
    let is_of_kernels = |file: &&corpus::File| KERNELS.iter().any(|it| file.group.ends_with(it));
    let files: Vec<&corpus::File> = input.files.iter().filter(is_of_kernels).collect();
    let cases: Vec<Case> = parallel(&files, |file| build(file)).into_iter().flatten().collect();
    let requests: Vec<Value> = cases.iter().flat_map(|case| requests(case, &root)).collect();
    let mut answers = peer.ask_all(&requests, Keep::OnDisk).into_iter();
    for case in &cases {
        match &case.built {
            Built::NoLaunch => report.count(&case.group, "no launch"),
            Built::Refused(reasons) => {
                report.count(&case.group, "not built");
                for (reason, detail) in reasons {
                    report.tally(0, "not built, by reason", *reason, 1);
                    report.list(1, "not built", format!("{}: {reason}: {detail}", case.label));
                }
            }
            Built::Sources(sources) => {
                let complaints: Vec<String> =
                    answers.by_ref().take(sources.len()).flat_map(|it| complaints(&it)).collect();
                let is_good = complaints.is_empty();
                report.count(&case.group, if is_good { "compiled" } else { "rejected" });
                for complaint in complaints {
                    report.list(
                        0,
                        "rejected by the compiler",
                        format!("{}: {complaint}", case.label),
                    );
                }
            }
        }
    }
    let compiled = report.total("compiled");
    let built = compiled + report.total("rejected");
    let all = built + report.total("not built");
    let what = "functions with CUDA output whose every kernel compiles";
    report.target(Target { what, least: 100.0 }, compiled, built);
    let what = "functions that are built";
    report.target(Target { what, least: 90.0 }, built, all);
    Ok(report)
}

fn build(file: &corpus::File) -> Vec<Case> {
    let functions = ours::read(&file.text).functions;
    functions
        .into_iter()
        .map(|function| Case {
            label: format!("{}:{}", file.label(), function.name),
            group: file.group.clone(),
            built: build_one(&function.lowered.body),
        })
        .collect()
}

fn build_one(body: &Body) -> Built {
    let set = kernels(body);
    if set.kernels.is_empty() && set.unsupported.is_empty() {
        return Built::NoLaunch;
    }
    match device_code(body, Device::Cuda, &Options::default()) {
        Ok(sources) => Built::Sources(sources.into_iter().map(|source| source.text).collect()),
        Err(refused) => {
            Built::Refused(refused.into_iter().map(|it| (it.reason.name(), it.detail)).collect())
        }
    }
}

/// One request a kernel.
fn requests(case: &Case, root: &Path) -> Vec<Value> {
    let Built::Sources(sources) = &case.built else { return Vec::new() };
    // The worker sets the language version itself.
    let options: Vec<String> = Device::Cuda
        .compile_flags(&Options::default())
        .into_iter()
        .filter(|flag| !flag.starts_with("--std"))
        .collect();
    sources
        .iter()
        .map(|source| {
            json!({
                "op": "compile",
                "root": root,
                "source": source,
                "architectures": ARCHITECTURES,
                "options": options,
            })
        })
        .collect()
}

/// Returns the complaints of the compiler, one line an architecture.
fn complaints(answer: &Result<Value, String>) -> Vec<String> {
    let results = match answer {
        Ok(answer) => answer["results"].as_array().map(Vec::as_slice).unwrap_or_default(),
        Err(error) => return vec![error.clone()],
    };
    results
        .iter()
        .filter(|result| result["error"].is_string())
        .map(|result| {
            let log = text(result, "log");
            let first = log.lines().find(|line| line.contains("error")).unwrap_or("no message");
            format!("{}: {first}", text(result, "architecture"))
        })
        .collect()
}

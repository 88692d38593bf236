//! Our SPIR-V, validated and run on Vulkan: it computes what the interpreter computes.
//!
//! Every function of [`GROUPS`] is built for the targets `spirv`, `wgsl` and `metal`, which naga's validator checks; what is refused is
//! counted by its reason. All SPIR-V goes through `spirv-val` where that is installed, and runs on the first Vulkan
//! device (lavapipe on a CPU). Inputs, sizes and what is left out are those of the suite [`c`]. Integers must agree in
//! every bit, floats as [`Class`] states.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use codegen::Target as Language;
use codegen::manifest::{Function, Manifest};
use ir::interp::Array;
use serde_json::{Value, json};

use crate::conformance::agreement::{Class, difference};
use crate::conformance::built::build_bodies;
use crate::conformance::c::{self, Case, Run, place};
use crate::conformance::inputs::Input as Made;
use crate::conformance::peer::{Answer, Keep, Peer};
use crate::conformance::report::{Report, Target};
use crate::conformance::{Input, corpus, launch, parallel};
use crate::skip::Skip;

/// Columns of the report.
const KINDS: &[&str] = &["agree", "differ", "failed", "not built", "left out"];
/// The folders whose functions launch threads.
const GROUPS: &[&str] = &["lowered_cuda", "scheduled_cuda", "kernels"];
/// The validator of SPIR-V.
const VALIDATOR: &str = "spirv-val";

/// What the build left for one target, by the function's name in it.
struct Built {
    functions: BTreeMap<String, Function>,
    refused: BTreeMap<String, (String, String)>,
}

/// Builds every function, validates, and runs.
pub(crate) fn compare(input: &Input<'_>) -> Result<Report, Skip> {
    let peer = Peer::vulkan(input.ws)?;
    let mut report = Report::new("SPIR-V of our build, run on Vulkan", KINDS);
    report.note(format!("{}; WGSL and Metal are checked by naga only", peer.version));
    let root = input.ws.peers().join("spirv-runs");
    let files: Vec<&corpus::File> =
        input.files.iter().filter(|it| GROUPS.contains(&it.group.as_str())).collect();
    let cases: Vec<Case> =
        parallel(&files, |file| c::cases(file, &root, input.steps)).into_iter().flatten().collect();
    let targets = [(Language::Metal, 4), (Language::Wgsl, 5), (Language::Spirv, 6)];
    let mut built = Built { functions: BTreeMap::new(), refused: BTreeMap::new() };
    for (target, at) in targets {
        built = build(&root, target, &cases).map_err(|it| Skip::new("spirv", it.to_string()))?;
        tally(&mut report, target, at, &built);
    }
    validate(&mut report, &root, &built);
    let asked: Vec<Result<Vec<Value>, String>> =
        cases.iter().map(|it| requests(it, &root, &built)).collect();
    let all: Vec<Value> = asked.iter().flatten().flatten().cloned().collect();
    let mut answers = peer.ask_all(&all, Keep::Nothing).into_iter();
    for (case, asked) in cases.iter().zip(asked) {
        let n_requests = asked.as_ref().map_or(0, Vec::len);
        let answers: Vec<Answer> = answers.by_ref().take(n_requests).collect();
        judge(&mut report, case, asked.err(), &answers, &built);
    }
    let (agree, bad) = (report.total("agree"), report.total("differ") + report.total("failed"));
    let what = "functions that agree, of those that were built and run";
    report.target(Target { what, least: 100.0 }, agree, agree + bad);
    Ok(report)
}

// ---- building ----

fn build(root: &Path, target: Language, cases: &[Case]) -> std::io::Result<Built> {
    let bodies = cases.iter().map(|it| (it.label.as_str(), it.name.as_str(), &it.body));
    let manifest: Manifest =
        build_bodies(&root.join("built"), &root.join("store"), target, bodies)?;
    let refused = manifest.unsupported.into_iter().map(|it| (it.name, (it.reason, it.detail)));
    Ok(Built {
        functions: manifest.functions.into_iter().map(|it| (it.name.clone(), it)).collect(),
        refused: refused.collect(),
    })
}

fn tally(report: &mut Report, target: Language, at: usize, built: &Built) {
    let title = format!("{}: built, or not by reason", target.name());
    let kernels: usize = built.functions.values().map(|it| it.kernels.len()).sum();
    report.tally(at, &title, "functions built", built.functions.len());
    report.tally(at, &title, "kernels built", kernels);
    for (reason, detail) in built.refused.values() {
        report.tally(at, &title, reason, 1);
        if reason == "validator" {
            report.list(at + 10, &format!("{}: refused by naga", target.name()), detail.clone());
        }
    }
}

fn module(root: &Path, file: &str) -> PathBuf {
    root.join("built").join(Language::Spirv.name()).join(file)
}

/// Asks the validator about every module.
fn validate(report: &mut Report, root: &Path, built: &Built) {
    let files: Vec<PathBuf> = built
        .functions
        .values()
        .flat_map(|it| it.kernels.iter().map(|kernel| module(root, &kernel.file)))
        .collect();
    let asked = parallel(&files.iter().collect::<Vec<_>>(), |file| {
        let output = Command::new(VALIDATOR).args(["--target-env", "vulkan1.1"]).arg(file).output();
        output.map(|it| (it.status.success(), String::from_utf8_lossy(&it.stderr).into_owned()))
    });
    let mut good = 0;
    for (file, answer) in files.iter().zip(asked) {
        match answer {
            Err(error) => return report.note(format!("{VALIDATOR} did not run: {error}")),
            Ok((true, _)) => good += 1,
            Ok((false, words)) => {
                let name = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
                report.list(3, "not valid SPIR-V", format!("{name}: {}", words.trim()));
            }
        }
    }
    let what = "modules that spirv-val takes";
    report.target(Target { what, least: 100.0 }, good, files.len());
}

// ---- running ----

/// The runs of a function; none where it was not built or is not run.
fn requests(case: &Case, root: &Path, built: &Built) -> Result<Vec<Value>, String> {
    let Some(function) = built.functions.get(&case.name) else { return Ok(Vec::new()) };
    let modules: Vec<PathBuf> = function.kernels.iter().map(|it| module(root, &it.file)).collect();
    case.runs
        .iter()
        .map(|run| {
            let launches = launch::launches(function, &run.inputs, &run.dir)?;
            let launches: Vec<Value> = launches
                .iter()
                .map(|it| with_bindings(it, function))
                .collect::<Option<_>>()
                .ok_or("a kernel without bindings")?;
            Ok(json!({ "op": "run", "modules": modules, "launches": launches }))
        })
        .collect()
}

/// A launch with its grid and what is bound where.
fn with_bindings(launch: &Value, function: &Function) -> Option<Value> {
    let source = usize::try_from(launch["source"].as_u64()?).ok()?;
    let bindings = function.kernels.get(source)?.bindings.as_ref()?;
    let (global, local) = (launch["global"].as_array()?, launch["local"].as_array()?);
    let grid: Option<Vec<i64>> = global
        .iter()
        .zip(local)
        .map(|(all, block)| Some(all.as_i64()? / block.as_i64()?))
        .collect();
    Some(json!({
        "source": source,
        "grid": grid?,
        "arguments": launch["arguments"],
        "bindings": serde_json::to_value(bindings).ok()?,
    }))
}

fn judge(
    report: &mut Report,
    case: &Case,
    trouble: Option<String>,
    answers: &[Answer],
    built: &Built,
) {
    if let Some((reason, detail)) = built.refused.get(&case.name) {
        report.count(&case.group, "not built");
        report.list(8, "not built", format!("{}: {reason}: {detail}", case.label));
        return;
    }
    let failed = |report: &mut Report, reason: &str| {
        report.count(&case.group, "failed");
        report.list(0, "failed", format!("{}: {reason}", case.label));
    };
    if let Some(reason) = trouble {
        return failed(report, &reason);
    }
    if case.runs.is_empty() || answers.is_empty() {
        report.count(&case.group, "left out");
        let known = case.reason.split(':').next().unwrap_or_default();
        report.tally(1, "built, not run, by reason", known, 1);
        return;
    }
    let class = Class::of(&case.body);
    for (run, answer) in case.runs.iter().zip(answers) {
        let found = match answer {
            Ok(_) => results(run),
            Err(error) => Err(error.clone()),
        };
        let found = match found {
            Ok(found) => found,
            Err(reason) => return failed(report, &reason),
        };
        let mut pairs = found.iter().zip(&run.expected).enumerate();
        let differing =
            pairs.find_map(|(at, (one, other))| Some((at, difference(one, other, class)?)));
        if let Some((at, difference)) = differing {
            report.count(&case.group, "differ");
            let line = format!("{}: SPIR-V / interpreter: array {at}, {difference}", case.label);
            report.list(1, "different results", line);
            return;
        }
    }
    report.count(&case.group, "agree");
    report.tally(2, "agree, by the room they were given", class.stated(), 1);
}

/// The arrays after a run; one that no launch takes is as it was.
fn results(run: &Run) -> Result<Vec<Array>, String> {
    let mut arrays = Vec::new();
    for (position, input) in run.inputs.iter().enumerate() {
        let Made::Array(array) = input else { continue };
        let path = place(&run.dir, position).with_extension("bin.spirv");
        let data = if path.exists() {
            std::fs::read(&path).map_err(|error| format!("no output: {error}"))?
        } else {
            array.data.clone()
        };
        let _ = std::fs::remove_file(&path);
        if data.len() != array.data.len() {
            return Err(format!("{} bytes instead of {}", data.len(), array.data.len()));
        }
        arrays.push(Array { data, ..array.clone() });
    }
    Ok(arrays)
}

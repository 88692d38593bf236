//! Our SPIR-V, validated and run on Vulkan: it computes the interpreter's results.
//!
//! Every function that launches threads is built for the targets `spirv`, `wgsl` and `metal`, which naga's validator
//! checks; refusals are counted by reason. All SPIR-V goes through `spirv-val`, and runs on the first Vulkan device
//! (lavapipe on a CPU). Inputs, sizes and exclusions are those of the suite [`c`]. Integers must agree in every bit,
//! floats by their [`Class`], or within the effect of Vulkan's own tables of precision
//! ([`precision`](super::precision)).

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use codegen::Target as Language;
use codegen::manifest::Function;
use serde_json::{Value, json};

use crate::conformance::c::Case;
use crate::conformance::device_runs::{self, Built, KINDS, Side, build, tally};
use crate::conformance::peer::Peer;
use crate::conformance::report::{Report, Target};
use crate::conformance::{Input, launch, parallel};
use crate::skip::Skip;
use crate::{process, system};

/// The validator of SPIR-V.
const VALIDATOR: &str = "spirv-val";
const VALIDATOR_PACKAGE: &str = "spirv-tools";

/// Builds every function, validates, and runs.
pub(crate) fn compare(input: &Input<'_>) -> Result<Report, Skip> {
    let peer = Peer::vulkan(input.ws)?;
    let version = || process::run_quiet(Command::new(VALIDATOR).arg("--version"));
    system::find_or_install(VALIDATOR, &[VALIDATOR_PACKAGE], version)?;
    let mut report = Report::new("SPIR-V of our build, run on Vulkan", KINDS);
    report.note(format!("{}; WGSL and Metal are checked by naga only", peer.version));
    let root = input.ws.peers().join("spirv-runs");
    let cases = device_runs::cases(input, &root);
    let targets = [(Language::Metal, 4), (Language::Wgsl, 5), (Language::Spirv, 6)];
    let mut built = Built { functions: BTreeMap::new(), refused: BTreeMap::new() };
    for (target, at) in targets {
        built = build(&root, target, &cases).map_err(|it| Skip::new("spirv", it.to_string()))?;
        tally(&mut report, target, at, &built);
    }
    validate(&mut report, &root, &built);
    let requests = |case: &Case| requests(case, &root, &built);
    let side = Side { who: "SPIR-V", ending: "spirv", is_vulkan: true };
    device_runs::run_all(&mut report, &peer, &cases, &built, side, requests);
    Ok(report)
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
        let mut command = Command::new(VALIDATOR);
        process::run_quiet(command.args(["--target-env", "vulkan1.1"]).arg(file))
    });
    let mut good = 0;
    for (file, answer) in files.iter().zip(asked) {
        match answer {
            Ok(_) => good += 1,
            Err(error) => {
                let name = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
                report.list(3, "not valid SPIR-V", format!("{name}: {error:#}"));
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

/// A launch with its grid and its bindings.
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

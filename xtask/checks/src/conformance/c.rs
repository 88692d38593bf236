//! Our C, compiled by the system's compiler and called: it computes the interpreter's results.
//!
//! Every function of [`GROUPS`] is built for the target `c` and compiled ([`compile`]) with all warnings as errors and
//! optimizations, and those that are run with OpenMP and traps for undefined behaviour of C, too. Both are called on
//! made-up inputs, a function with shape variables at several sizes ([`SIZES`]). Integers, and floats of functions that
//! call nothing from the mathematics library and have no reduction over threads, must agree in every bit (every
//! operation is exactly rounded and in the same order); others as [`Class`] states, or as the function's own rounding
//! explains ([`wide`]).
//!
//! Left out, by name: functions without one value on their inputs (an event, an error), and those that would take the
//! interpreter more than [`STEPS`] evaluated nodes.

mod compile;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use codegen::Target as Language;
use codegen::manifest::Function;
use interp::{Argument, Array, RunErrorKind};
use ir::Body;
use serde_json::{Value, json};

use crate::conformance::agreement::{
    AGREE_BY, BIT_FOR_BIT, Class, bit_difference, calls_library, difference, reduces_over_threads,
};
use crate::conformance::built::build_bodies;
use crate::conformance::inputs::{self, Input as Made, place};
use crate::conformance::peer::{Answer, Keep, Peer};
use crate::conformance::report::{Report, Target};
use crate::conformance::run::has_no_value;
use crate::conformance::{Input, corpus, launch, ours, parallel, wide};
use crate::skip::Skip;

/// Columns of the report.
const KINDS: &[&str] = &["agree", "differ", "failed", "not built", "left out"];
/// The folders whose functions are built, and those made by hand.
const GROUPS: &[&str] =
    &["lowered_cpu", "scheduled_cpu", "unscheduled", "kernels", "lowered_cuda", "scheduled_cuda"];
/// Functions made by hand, one a group of constructs.
const CONSTRUCTS: &str = "tests/constructs";
/// Extents of shape variables, by position: a function without any runs once.
pub(super) const SIZES: &[&[i64]] = &[&[5, 3, 6, 4, 7, 2], &[1, 2, 1, 3], &[8, 9, 4]];
/// The default limit of the interpreter's work for one run.
pub(crate) const STEPS: u64 = 1_000_000;

/// Functions that must agree, whatever the share.
const LEAST: usize = 30;

/// A function and its result.
pub(super) struct Case {
    pub(super) label: String,
    pub(super) group: String,
    pub(super) body: Body,
    /// Unique: its name in the build.
    pub(super) name: String,
    pub(super) runs: Vec<Run>,
    /// The reason why it is not run, if it has no runs.
    pub(super) reason: String,
}

impl Case {
    /// Removes the arrays of its runs. Nobody looks at those that agree, and a corpus has gigabytes of them.
    pub(super) fn remove_arrays(&self) {
        // What cannot be removed costs space, not the result.
        self.runs.iter().for_each(|run| drop(std::fs::remove_dir_all(&run.dir)));
    }
}

/// One call.
pub(super) struct Run {
    pub(super) inputs: Vec<Made>,
    /// The arrays that the interpreter left.
    pub(super) expected: Vec<Array>,
    pub(super) dir: PathBuf,
    /// The number of its extents in [`SIZES`].
    pub(super) size: usize,
}

/// Builds, compiles and calls every function.
pub(crate) fn compare(input: &Input<'_>) -> Result<Report, Skip> {
    let compiler = compile::Compiler::find()?;
    let peer = Peer::calls(input.ws)?;
    let mut report = Report::new("C of our build, compiled and called", KINDS);
    report.note(format!("{}; called from Python {}", compiler.version, peer.version));
    let root = input.ws.peers().join("c-runs");
    let mut files: Vec<&corpus::File> =
        input.files.iter().filter(|it| GROUPS.contains(&it.group.as_str())).collect();
    let constructs = constructs(input);
    files.extend(&constructs);
    let cases: Vec<Case> =
        parallel(&files, |file| cases(file, &root, input.steps)).into_iter().flatten().collect();
    let built = build_all(&root, &cases).map_err(|it| Skip::new("c", format!("{it:#}")))?;
    let called: BTreeSet<&str> =
        cases.iter().filter(|it| !it.runs.is_empty()).map(|it| &*it.name).collect();
    let is_called = |it: &&Function| called.contains(&*it.name);
    let (called, others): (Vec<_>, Vec<_>) = built.functions.values().partition(is_called);
    let [called, others] =
        [called, others].map(|it| it.into_iter().map(|it| source(&root, it)).collect::<Vec<_>>());
    let compiled = compile::all(&compiler, &root.join("objects"), &called, &others);
    let mut requests = Vec::new();
    for case in &cases {
        requests.extend(calls(case, &root, &built, &compiled).into_iter().flatten());
    }
    let mut answers = peer.ask_all(&requests, Keep::Nothing).into_iter();
    for case in &cases {
        let calls = calls(case, &root, &built, &compiled);
        let n_calls = calls.as_ref().map_or(0, Vec::len);
        let answers: Vec<Answer> = answers.by_ref().take(n_calls).collect();
        judge(&mut report, case, calls, &answers, &built);
    }
    let (agree, bad) = (report.total("agree"), report.total("differ") + report.total("failed"));
    let what = "functions that agree, of those that were built and run";
    report.target(Target { what, least: 100.0 }, agree, agree + bad);
    if input.filter.is_none() {
        report.at_least("functions that agree", agree, LEAST);
    }
    Ok(report)
}

/// The functions made by hand.
fn constructs(input: &Input<'_>) -> Vec<corpus::File> {
    let mut files = corpus::read(&input.ws.path(CONSTRUCTS), None).unwrap_or_default();
    files.iter_mut().for_each(|file| "constructs".clone_into(&mut file.group));
    files.retain(|file| input.filter.is_none_or(|filter| file.label().contains(filter)));
    files
}

// ---- cases ----

pub(super) fn cases(file: &corpus::File, root: &Path, steps: u64) -> Vec<Case> {
    let functions = ours::read(&file.text).functions;
    functions
        .into_iter()
        .map(|function| {
            let label = format!("{}:{}", file.label(), function.name);
            let body = function.lowered.body;
            let hash = blake3::hash(label.as_bytes()).to_hex();
            let name = format!("{}_{}", function.name, &hash[..12]);
            let (runs, reason) = match runs(&body, &root.join("data").join(&name), steps) {
                Ok(runs) => (runs, String::new()),
                Err(reason) => (Vec::new(), reason),
            };
            Case { label, group: file.group.clone(), body, name, runs, reason }
        })
        .collect()
}

/// The runs of a function that have one result; why there is none.
fn runs(body: &Body, dir: &Path, steps: u64) -> Result<Vec<Run>, String> {
    let mut runs: Vec<Run> = Vec::new();
    let mut reason = String::new();
    for (size, sizes) in SIZES.iter().enumerate() {
        let inputs = inputs::make_sized(body, sizes)?;
        if runs.iter().any(|it| it.inputs == inputs) {
            continue;
        }
        match interpret(body, &inputs, steps) {
            Ok(expected) => {
                let dir = dir.join(runs.len().to_string());
                write_inputs(&dir, &inputs).map_err(|it| format!("cannot write inputs: {it}"))?;
                runs.push(Run { inputs, expected, dir, size });
            }
            Err(error) => reason = error,
        }
    }
    if runs.is_empty() { Err(reason) } else { Ok(runs) }
}

fn interpret(body: &Body, inputs: &[Made], steps: u64) -> Result<Vec<Array>, String> {
    let options = interp::Options { max_steps: steps, ..interp::Options::default() };
    let arguments = inputs.iter().map(Made::argument).collect();
    let outcome = interp::run(body, arguments, &options).map_err(|error| match error.kind {
        RunErrorKind::StepLimit => "too much work".to_owned(),
        RunErrorKind::Unsupported => format!("not interpreted: {}", error.message),
        RunErrorKind::Program => format!("no one value on these inputs: {}", error.message),
        RunErrorKind::Arguments => format!("arguments: {}", error.message),
    })?;
    if let Some(event) = outcome.events.iter().find(|it| has_no_value(it.kind)) {
        return Err(format!("no one value on these inputs: {}", event.kind.name()));
    }
    let array = |it| if let Argument::Array(array) = it { Some(array) } else { None };
    Ok(outcome.arguments.into_iter().filter_map(array).collect())
}

pub(super) fn write_inputs(dir: &Path, inputs: &[Made]) -> std::io::Result<()> {
    std::fs::create_dir_all(dir)?;
    for (position, input) in inputs.iter().enumerate() {
        if let Made::Array(array) = input {
            std::fs::write(place(dir, position), &array.data)?;
        }
    }
    Ok(())
}

// ---- building and calling ----

/// The outputs of the build, by the function's name in it.
struct Built {
    functions: BTreeMap<String, Function>,
    refused: BTreeMap<String, (String, String)>,
}

fn build_all(root: &Path, cases: &[Case]) -> anyhow::Result<Built> {
    let bodies = cases.iter().map(|it| (it.label.as_str(), it.name.as_str(), &it.body));
    let manifest = build_bodies(&root.join("built"), &root.join("store"), Language::C, bodies)?;
    Ok(Built {
        functions: manifest.functions.into_iter().map(|it| (it.name.clone(), it)).collect(),
        refused: manifest
            .unsupported
            .into_iter()
            .map(|it| (it.name, (it.reason, it.detail)))
            .collect(),
    })
}

fn source(root: &Path, function: &Function) -> PathBuf {
    let file = function.kernels.first().map_or("", |it| it.file.as_str());
    root.join("built/c").join(file)
}

/// The calls of a function: every run with every library. An error is why it cannot be called.
fn calls(
    case: &Case,
    root: &Path,
    built: &Built,
    compiled: &compile::Compiled,
) -> Result<Vec<Value>, String> {
    let Some(function) = built.functions.get(&case.name) else { return Ok(Vec::new()) };
    let libraries = compiled.get(&source(root, function)).ok_or("it was not compiled")?.as_ref()?;
    let mut calls = Vec::new();
    for run in &case.runs {
        let launches = launch::launches(function, &run.inputs, &run.dir)?;
        for library in libraries {
            let launch = launches.first().ok_or("nothing to call")?;
            calls.push(json!({
                "op": "call",
                "library": library,
                "function": launch["kernel"],
                "arguments": launch["arguments"],
            }));
        }
    }
    Ok(calls)
}

// ---- verdicts ----

fn judge(
    report: &mut Report,
    case: &Case,
    calls: Result<Vec<Value>, String>,
    answers: &[Answer],
    built: &Built,
) {
    if let Some((reason, detail)) = built.refused.get(&case.name) {
        report.count(&case.group, "not built");
        report.tally(0, "not built, by reason", reason, 1);
        report.list(8, "not built", format!("{}: {reason}: {detail}", case.label));
        return;
    }
    let failed = |report: &mut Report, reason: &str| {
        report.count(&case.group, "failed");
        report.list(0, "failed", format!("{}: {reason}", case.label));
    };
    let calls = match calls {
        Ok(calls) => calls,
        Err(reason) => return failed(report, &reason),
    };
    if case.runs.is_empty() {
        report.count(&case.group, "left out");
        let known = case.reason.split(':').next().unwrap_or_default();
        report.tally(1, "built and compiled, not run, by reason", known, 1);
        report.list(9, "not run", format!("{}: {}", case.label, case.reason));
        return;
    }
    let n_libraries = calls.len() / case.runs.len().max(1);
    let is_exact = !calls_library(&case.body) && !reduces_over_threads(&case.body);
    let class = Class::of(&case.body);
    let mut room = if is_exact { BIT_FOR_BIT } else { class.stated() };
    let mut is_same = true;
    for (index, (call, answer)) in calls.iter().zip(answers).enumerate() {
        let run = &case.runs[index / n_libraries.max(1)];
        let found = match answer {
            Ok(answer) if answer["code"] == 0 => results(run, call),
            Ok(answer) => Err(format!("it returned {}", answer["code"])),
            Err(error) => Err(error.clone()),
        };
        let found = match found {
            Ok(found) => found,
            Err(reason) => return failed(report, &reason),
        };
        let mut pairs = found.iter().zip(&run.expected);
        is_same &= pairs.all(|(one, other)| bit_difference(one, other).is_none());
        let differing =
            found.iter().zip(&run.expected).enumerate().find_map(|(at, (one, other))| {
                let found = match is_exact {
                    true => bit_difference(one, other),
                    false => difference(one, other, class),
                };
                Some((at, found?))
            });
        if let Some((at, difference)) = differing {
            if !is_exact && wide::explains(&case.body, &run.inputs, &run.expected, &found) {
                room = wide::STATED;
                continue;
            }
            report.count(&case.group, "differ");
            let line = format!("{}: C / interpreter: array {at}, {difference}", case.label);
            report.list(1, "different results", line);
            return;
        }
    }
    case.remove_arrays();
    report.count(&case.group, "agree");
    report.tally(2, AGREE_BY, if is_same { BIT_FOR_BIT } else { room }, 1);
    report.tally(3, "agree, by the number of sizes", case.runs.len().to_string(), 1);
}

/// The arrays after a call.
fn results(run: &Run, call: &Value) -> Result<Vec<Array>, String> {
    let library = Path::new(call["library"].as_str().unwrap_or_default());
    let ending = library.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let mut arrays = Vec::new();
    for (position, input) in run.inputs.iter().enumerate() {
        let Made::Array(array) = input else { continue };
        let path = place(&run.dir, position).with_extension(format!("bin.{ending}"));
        let data = std::fs::read(&path).map_err(|error| format!("no output: {error}"))?;
        if data.len() != array.data.len() {
            return Err(format!("{} bytes instead of {}", data.len(), array.data.len()));
        }
        arrays.push(Array { data, ..array.clone() });
    }
    Ok(arrays)
}

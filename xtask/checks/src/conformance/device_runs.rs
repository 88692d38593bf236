//! Kernels built, run on some device, and compared with the interpreter: common parts of the suites `spirv` and `gpu`.
//!
//! In: the functions of a corpus with their inputs and the interpreter's results, a way to a device. Out: rows of a
//! report. The suites differ in the target, the requests, and the ending of the files that the device's worker writes.

use std::collections::BTreeMap;
use std::path::Path;

use codegen::manifest::{Function, Manifest};
use codegen::{Options, Target as Language};
use interp::Array;
use serde_json::Value;

use crate::conformance::agreement::{AGREE_BY, BIT_FOR_BIT, Class, bit_difference, difference};
use crate::conformance::built::build_bodies_with;
use crate::conformance::c::{self, Case, Run};
use crate::conformance::inputs::{Input as Made, place};
use crate::conformance::peer::{Answer, Keep, Peer};
use crate::conformance::report::{Report, Target};
use crate::conformance::{Input, corpus, parallel, wide};

/// Columns of the report.
pub(super) const KINDS: &[&str] = &["agree", "differ", "failed", "not built", "left out"];
/// The folders whose functions launch threads.
const GROUPS: &[&str] = &["lowered_cuda", "scheduled_cuda", "kernels"];

/// The functions that launch threads, with inputs and expected arrays under `root`.
pub(super) fn cases(input: &Input<'_>, root: &Path) -> Vec<Case> {
    let files: Vec<&corpus::File> =
        input.files.iter().filter(|it| GROUPS.contains(&it.group.as_str())).collect();
    parallel(&files, |file| c::cases(file, root, input.steps)).into_iter().flatten().collect()
}

/// The outputs of the build for one target, by the function's name in it.
pub(super) struct Built {
    pub(super) functions: BTreeMap<String, Function>,
    pub(super) refused: BTreeMap<String, (String, String)>,
}

/// Builds every function for one target.
pub(super) fn build(root: &Path, target: Language, cases: &[Case]) -> std::io::Result<Built> {
    build_with(root, "built", target, Options::default(), cases)
}

/// Builds every function for one target with options, into a folder of that name.
pub(super) fn build_with(
    root: &Path,
    name: &str,
    target: Language,
    options: Options,
    cases: &[Case],
) -> std::io::Result<Built> {
    let bodies = cases.iter().map(|it| (it.label.as_str(), it.name.as_str(), &it.body));
    let manifest: Manifest =
        build_bodies_with(&root.join(name), &root.join("store"), target, options, bodies)?;
    let refused = manifest.unsupported.into_iter().map(|it| (it.name, (it.reason, it.detail)));
    Ok(Built {
        functions: manifest.functions.into_iter().map(|it| (it.name.clone(), it)).collect(),
        refused: refused.collect(),
    })
}

/// Counts the built kernels, and the others by reason, in section `at` of the report.
pub(super) fn tally(report: &mut Report, target: Language, at: usize, built: &Built) {
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

/// A kind of device.
#[derive(Clone, Copy, Debug)]
pub(super) struct Side {
    /// In words.
    pub(super) who: &'static str,
    /// The ending of the files that its worker writes.
    pub(super) ending: &'static str,
    /// True if its functions have the precision of Vulkan's tables.
    pub(super) is_vulkan: bool,
}

/// Runs the functions that were built and compares. Gives the answers of each case.
pub(super) fn run_all(
    report: &mut Report,
    peer: &Peer,
    cases: &[Case],
    built: &Built,
    side: Side,
    requests: impl Fn(&Case) -> Result<Vec<Value>, String>,
) -> Vec<Vec<Answer>> {
    let asked: Vec<Result<Vec<Value>, String>> = cases.iter().map(requests).collect();
    let all: Vec<Value> = asked.iter().flatten().flatten().cloned().collect();
    let answers = peer.ask_all(&all, Keep::Nothing);
    judge_all(report, cases, built, side, asked, answers)
}

/// Compares the answers with the interpreter. Gives the answers of each case.
pub(super) fn judge_all(
    report: &mut Report,
    cases: &[Case],
    built: &Built,
    side: Side,
    asked: Vec<Result<Vec<Value>, String>>,
    answers: Vec<Answer>,
) -> Vec<Vec<Answer>> {
    let mut answers = answers.into_iter();
    let mut of_cases = Vec::with_capacity(cases.len());
    for (case, asked) in cases.iter().zip(asked) {
        let n_requests = asked.as_ref().map_or(0, Vec::len);
        let answers: Vec<Answer> = answers.by_ref().take(n_requests).collect();
        judge(report, case, asked.err(), &answers, built, side);
        of_cases.push(answers);
    }
    let (agree, bad) = (report.total("agree"), report.total("differ") + report.total("failed"));
    let what = "functions that agree, of those that were built and run";
    report.target(Target { what, least: 100.0 }, agree, agree + bad);
    of_cases
}

fn judge(
    report: &mut Report,
    case: &Case,
    trouble: Option<String>,
    answers: &[Answer],
    built: &Built,
    side: Side,
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
    let mut room = None;
    let mut is_same = true;
    for (run, answer) in case.runs.iter().zip(answers) {
        let found = match answer {
            Ok(_) => results(run, side.ending),
            Err(error) => Err(error.clone()),
        };
        let found = match found {
            Ok(found) => found,
            Err(reason) => return failed(report, &reason),
        };
        let mut pairs = found.iter().zip(&run.expected).enumerate();
        is_same &= pairs.clone().all(|(_, (one, other))| bit_difference(one, other).is_none());
        let differing =
            pairs.find_map(|(at, (one, other))| Some((at, difference(one, other, class)?)));
        if let Some((at, difference)) = differing {
            if let Some(stated) = explained(case, run, &found, side) {
                // Of several sizes, the widest room is told.
                room = room.filter(|it| *it == wide::STATED_OF_VULKAN).or(Some(stated));
                continue;
            }
            report.count(&case.group, "differ");
            let line =
                format!("{}: {} / interpreter: array {at}, {difference}", case.label, side.who);
            report.list(1, "different results", line);
            return;
        }
    }
    case.remove_arrays();
    report.count(&case.group, "agree");
    let room = if is_same { BIT_FOR_BIT } else { room.unwrap_or(class.stated()) };
    report.tally(2, AGREE_BY, room, 1);
    report.tally(3, "agree, by the number of sizes", case.runs.len().to_string(), 1);
}

/// The tolerance that explains differences beyond the class of a function.
fn explained(case: &Case, run: &Run, found: &[Array], side: Side) -> Option<&'static str> {
    let (body, inputs, expected) = (&case.body, &run.inputs, &run.expected);
    if wide::explains(body, inputs, expected, found) {
        return Some(wide::STATED);
    }
    let is_allowed = side.is_vulkan && wide::explains_on_vulkan(body, inputs, expected, found);
    is_allowed.then_some(wide::STATED_OF_VULKAN)
}

/// The arrays after a run; one that no launch takes is as it was.
fn results(run: &Run, ending: &str) -> Result<Vec<Array>, String> {
    let mut arrays = Vec::new();
    for (position, input) in run.inputs.iter().enumerate() {
        let Made::Array(array) = input else { continue };
        let path = place(&run.dir, position).with_extension(format!("bin.{ending}"));
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

//! Requests for another machine with a GPU, written into a folder.
//!
//! In: the functions of a corpus. Out: `requests.jsonl`, `sources.json` and the program that answers them, `answer.py`
//! (which says what they look like). No array travels: a recipe makes it, and the interpreter's results are compared by
//! their SHA-256; only arrays that differ come back.
//!
//! Two kinds of requests:
//!
//! - `check`: a run of the suite, for every function of it that is built;
//! - `time`: a function of `scheduled_cuda` at a size that fills a chip, where its shapes leave the choice, as each of
//!   [`SIDES`].

use std::path::Path;

use codegen::manifest::Function;
use codegen::{Options, Target as Language, TargetOptions};
use rustc_hash::FxHashMap;
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

use super::OF_TVM;
use crate::conformance::c::Case;
use crate::conformance::device_runs::{Built, KINDS, build_with, cases, tally};
use crate::conformance::inputs::{self, Input as Made, Recipe};
use crate::conformance::launch::{Memory, launches_of};
use crate::conformance::peer::{Answer, Keep, Peer};
use crate::conformance::report::Report;
use crate::conformance::{Input, parallel};
use crate::skip::Skip;

/// Extents of shape variables for times, the largest that fit first.
const EXTENTS: [i64; 9] = [4096, 2048, 1024, 512, 256, 128, 64, 16, 4];
/// The bytes of all arrays of a function whose extents are chosen.
const MOST_BYTES: usize = 64 << 20;
/// The bytes of all arrays of any function.
const LIMIT_BYTES: usize = 8 << 30;
/// The architecture that TVM writes code for.
const ARCH: &str = "sm_90";
/// Compiled by TVM: with our flags, which keep the meaning of the program, and with its own.
pub(super) const TVM: &str = "tvm";
pub(super) const TVM_FAST: &str = "tvm fast-math";
/// Ours, by the passes that ran before; and with the option `fast-math`.
pub(super) const OURS: [(&str, &[&str]); 3] =
    [("cse", &["cse"]), ("none", &[]), ("simplify,cse", &["simplify", "cse"])];
pub(super) const OURS_FAST: &str = "cse fast-math";

/// The sources of a folder, each once.
#[derive(Default)]
struct Sources {
    list: Vec<Value>,
    numbers: FxHashMap<(String, Vec<String>), usize>,
}

impl Sources {
    fn number(&mut self, text: &str, options: &[String]) -> usize {
        let key = (text.to_owned(), options.to_vec());
        *self.numbers.entry(key).or_insert_with(|| {
            self.list.push(json!({ "text": text, "options": options }));
            self.list.len() - 1
        })
    }
}

/// Everything that is built, by the name of the passes.
pub(super) struct Ours {
    pub(super) cases: Vec<Case>,
    pub(super) built: Vec<(&'static str, Built)>,
}

/// Builds the functions of the corpus.
pub(super) fn ours(input: &Input<'_>) -> Result<Ours, Skip> {
    let root = input.ws.peers().join("cuda-runs");
    let cases = cases(input, &root);
    let build = |(name, passes): (&'static str, &[&str])| {
        let passes = passes.iter().map(|&it| it.to_owned()).collect();
        let options = Options { passes, ..Options::default() };
        let folder = folder(name);
        Ok((name, build_with(&root, &folder, Language::Cuda, options, &cases)?))
    };
    let built: std::io::Result<Vec<_>> = OURS.into_iter().map(build).collect();
    let built = built.map_err(|it| Skip::new("gpu", it.to_string()))?;
    Ok(Ours { cases, built })
}

fn folder(name: &str) -> String {
    format!("built {name}").replace([' ', ','], "-")
}

/// Writes the folder.
pub(super) fn record(input: &Input<'_>, out: &Path) -> Result<Report, Skip> {
    let ours = ours(input)?;
    let mut report = Report::new("CUDA of our build, for a machine with a GPU", KINDS);
    tally(&mut report, Language::Cuda, 4, &ours.built[0].1);
    let root = input.ws.peers().join("cuda-runs");
    let mut sources = Sources::default();
    let mut lines = Vec::new();
    for case in &ours.cases {
        for (at, check) in
            checks(case, &root, &ours.built[0].1, &mut sources).into_iter().enumerate()
        {
            match check {
                Ok(request) => lines.push(request),
                Err(reason) => report.list(0, "no run", format!("{}#{at}: {reason}", case.label)),
            }
        }
    }
    let n_checks = lines.len();
    let timed = timed(input, &ours)?;
    report.note(timed.version);
    for (case, inputs, recipes, theirs) in timed.functions {
        match time(case, &root, &ours, (&inputs, &recipes), &theirs, &mut sources) {
            Ok(request) => lines.push(request),
            Err(reason) => report.list(1, "no time", format!("{}: {reason}", case.label)),
        }
    }
    for (label, reason) in timed.left_out {
        report.list(1, "no time", format!("{label}: {reason}"));
    }
    report
        .note(format!("{n_checks} runs to compare, {} functions to time", lines.len() - n_checks));
    write(out, &lines, &sources).map_err(|it| Skip::new("gpu", it.to_string()))?;
    Ok(report)
}

fn write(out: &Path, lines: &[Value], sources: &Sources) -> std::io::Result<()> {
    std::fs::create_dir_all(out)?;
    let lines: String = lines.iter().map(|it| format!("{it}\n")).collect();
    std::fs::write(out.join("requests.jsonl"), lines)?;
    std::fs::write(out.join("sources.json"), Value::from(sources.list.clone()).to_string())?;
    std::fs::write(out.join("answer.py"), include_str!("answer.py"))
}

/// The name of a run in requests and answers.
pub(super) fn run_name(case: &Case, at: usize) -> String {
    format!("{}#{at}", case.label)
}

/// The runs of the suite.
fn checks(
    case: &Case,
    root: &Path,
    built: &Built,
    sources: &mut Sources,
) -> Vec<Result<Value, String>> {
    let Some(function) = built.functions.get(&case.name) else { return Vec::new() };
    let check = |(at, run): (usize, &crate::conformance::c::Run)| {
        let extents: Vec<i64> = crate::conformance::c::SIZES[run.size].to_vec();
        let (inputs, recipes) = inputs::recipes(&case.body, &extents)?;
        let texts = texts(function, &root.join(folder(OURS[0].0)))?;
        let numbers: Vec<usize> =
            texts.iter().map(|it| sources.number(it, &function.compile_flags)).collect();
        let (mut launches, workspaces) = launches(function, &inputs, &numbers)?;
        let mut buffers: Vec<Value> = Vec::new();
        let mut places = Vec::new();
        for position in 0..inputs.len() {
            places.push(recipes.get(&position).map(|recipe| {
                buffers.push(recipe.described());
                buffers.len() - 1
            }));
        }
        let first_workspace = buffers.len();
        buffers.extend(workspaces.into_iter().map(|it| json!({ "zeros": it })));
        place(&mut launches, &places, Some(first_workspace))?;
        let arrays = recipes.keys().zip(&run.expected);
        let expected: serde_json::Map<String, Value> = arrays
            .map(|(position, array)| {
                (places[*position].unwrap_or_default().to_string(), digest(&array.data).into())
            })
            .collect();
        Ok(json!({
            "id": run_name(case, at), "op": "check", "buffers": buffers, "launches": launches, "expected": expected,
        }))
    };
    case.runs.iter().enumerate().map(check).collect()
}

/// The SHA-256 of bytes, in hexadecimal.
pub(super) fn digest(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|it| format!("{it:02x}")).collect()
}

fn texts(function: &Function, folder: &Path) -> Result<Vec<String>, String> {
    let folder = folder.join(Language::Cuda.name());
    let texts: Result<Vec<String>, _> =
        function.kernels.iter().map(|it| it.source(&folder)).collect();
    texts.map_err(|it| it.to_string())
}

/// The launches of our function, with the numbers of sources, and the bytes of workspaces.
fn launches(
    function: &Function,
    inputs: &[Made],
    numbers: &[usize],
) -> Result<(Vec<Value>, Vec<usize>), String> {
    let (mut launches, workspaces) = launches_of(function, inputs, &|it| match it {
        Memory::Param(param) => json!({ "param": param }),
        Memory::Workspace(index) => json!({ "workspace": index }),
    })?;
    for launch in &mut launches {
        let index = launch["source"].as_u64().ok_or("a launch without a source")?;
        launch["source"] = numbers[index as usize].into();
    }
    Ok((launches, workspaces))
}

/// Replaces parameters, and workspaces if they are buffers too, by numbers of buffers.
fn place(
    launches: &mut [Value],
    places: &[Option<usize>],
    first_workspace: Option<usize>,
) -> Result<(), String> {
    for launch in launches {
        for argument in launch["arguments"].as_array_mut().into_iter().flatten() {
            if let Some(param) = argument["param"].as_u64() {
                let buffer = places.get(param as usize).copied().flatten();
                *argument = json!({ "buffer": buffer.ok_or("a pointer to no array")? });
            } else if let (Some(index), Some(first)) =
                (argument["workspace"].as_u64(), first_workspace)
            {
                *argument = json!({ "buffer": first + index as usize });
            }
        }
    }
    Ok(())
}

// ---- times ----

type Recipes = std::collections::BTreeMap<usize, Recipe>;

/// Functions with inputs, and TVM's code for them.
struct Timed<'a> {
    version: String,
    functions: Vec<(&'a Case, Vec<Made>, Recipes, Value)>,
    left_out: Vec<(String, String)>,
}

fn timed<'a>(input: &Input<'_>, ours: &'a Ours) -> Result<Timed<'a>, Skip> {
    let peer = Peer::tvm_cuda(input.ws)?;
    let texts: FxHashMap<String, &str> =
        input.files.iter().map(|it| (it.label(), it.text.as_str())).collect();
    let built = &ours.built[0].1;
    let cases: Vec<&Case> = ours
        .cases
        .iter()
        .filter(|it| it.group == OF_TVM && built.functions.contains_key(&it.name))
        .collect();
    let made = parallel(&cases, |case| full_size(case, &built.functions[&case.name]));
    let mut timed = Timed {
        version: format!("TVM {}", peer.version),
        functions: Vec::new(),
        left_out: Vec::new(),
    };
    let mut requests = Vec::new();
    for (case, made) in cases.into_iter().zip(made) {
        match made {
            Ok((inputs, recipes)) => {
                requests.push(ask_tvm(case, &inputs, &texts));
                timed.functions.push((case, inputs, recipes, Value::Null));
            }
            Err(reason) => timed.left_out.push((case.label.clone(), reason)),
        }
    }
    let answers: Vec<Answer> = peer.ask_all(&requests, Keep::OnDisk);
    for (function, answer) in timed.functions.iter_mut().zip(answers) {
        match answer {
            Ok(answer) => function.3 = answer,
            Err(reason) => {
                timed.left_out.push((function.0.label.clone(), format!("TVM: {reason}")))
            }
        }
    }
    timed.functions.retain(|it| !it.3.is_null());
    Ok(timed)
}

/// The inputs for times: the largest extents that fit where they are open.
fn full_size(case: &Case, function: &Function) -> Result<(Vec<Made>, Recipes), String> {
    let is_open = inputs::has_variable_shapes(&case.body);
    let mut reason = "too much memory".to_owned();
    for extent in EXTENTS {
        let (inputs, recipes) = inputs::recipes(&case.body, &[extent])?;
        let bytes: usize = recipes.values().map(Recipe::bytes).fold(0, usize::saturating_add);
        if bytes > if is_open { MOST_BYTES } else { LIMIT_BYTES } {
            continue;
        }
        match launches(function, &inputs, &vec![0; function.kernels.len()]) {
            Ok(_) => return Ok((inputs, recipes)),
            Err(error) => reason = error,
        }
        if !is_open {
            break;
        }
    }
    Err(reason)
}

fn ask_tvm(case: &Case, made: &[Made], texts: &FxHashMap<String, &str>) -> Value {
    let (file, function) = case.label.split_once(':').unwrap_or((&case.label, ""));
    let arguments: Vec<Value> = made
        .iter()
        .map(|it| match it {
            Made::Array(array) => json!({ "dtype": array.dtype.to_string(), "shape": array.shape }),
            Made::Scalar(dtype, value) if dtype.is_float() => {
                json!({ "dtype": dtype.to_string(), "value": value })
            }
            Made::Scalar(dtype, value) => {
                json!({ "dtype": dtype.to_string(), "value": *value as i64 })
            }
        })
        .collect();
    json!({
        "op": "source", "text": texts.get(file), "function": function, "arch": ARCH, "arguments": arguments,
    })
}

fn time(
    case: &Case,
    root: &Path,
    ours: &Ours,
    (made, recipes): (&[Made], &Recipes),
    theirs: &Value,
    sources: &mut Sources,
) -> Result<Value, String> {
    let places: Vec<Option<usize>> =
        (0..made.len()).map(|it| recipes.keys().position(|key| *key == it)).collect();
    let strict = Language::Cuda.compile_flags(&Options::default());
    let device = TargetOptions { fast_math: Some(true), ..TargetOptions::default() };
    let fast = Language::Cuda.compile_flags(&Options::default().with(&device));
    let mut sides = Vec::new();
    let text = theirs["source"].as_str().ok_or("TVM gives no source")?;
    let as_tvm: Vec<String> = words(&theirs["options"]);
    let as_ours = as_tvm.iter().filter(|it| !it.contains("fast_math") && !it.contains("ptxas"));
    let as_ours: Vec<String> = as_ours.chain(&strict).cloned().collect();
    for (name, options) in [(TVM, as_ours), (TVM_FAST, as_tvm)] {
        let number = sources.number(text, &options);
        let mut launches = theirs["launches"].as_array().cloned().unwrap_or_default();
        launches.iter_mut().for_each(|it| it["source"] = number.into());
        place(&mut launches, &places, None)?;
        sides.push(
            json!({ "name": name, "launches": launches, "workspaces": theirs["workspaces"] }),
        );
    }
    let mut add = |name: &str, passes: &str, built: &Built, flags: &[String], against: &str| {
        let function = built.functions.get(&case.name).ok_or("not built")?;
        let numbers: Vec<usize> = texts(function, &root.join(folder(passes)))?
            .iter()
            .map(|it| sources.number(it, flags))
            .collect();
        let (mut launches, workspaces) = launches(function, made, &numbers)?;
        place(&mut launches, &places, None)?;
        sides.push(json!({
            "name": name, "launches": launches, "workspaces": workspaces, "against": against,
        }));
        Ok::<(), String>(())
    };
    for (name, built) in &ours.built {
        add(name, name, built, &strict, TVM)?;
    }
    add(OURS_FAST, OURS[0].0, &ours.built[0].1, &fast, TVM_FAST)?;
    let buffers: Vec<Value> = recipes.values().map(Recipe::described).collect();
    Ok(json!({ "id": case.label, "op": "time", "buffers": buffers, "sides": sides }))
}

fn words(list: &Value) -> Vec<String> {
    list.as_array().into_iter().flatten().filter_map(Value::as_str).map(str::to_owned).collect()
}

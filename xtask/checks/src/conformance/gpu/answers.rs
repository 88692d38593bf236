//! The answers of another machine with a GPU, compared.
//!
//! In: the folder that `answer.py` wrote, and the corpus of the [`record`](super::record). Out: rows of the report of
//! the suite, as if the GPU were here; and the times of ours beside TVM's.

use std::collections::BTreeMap;
use std::path::Path;

use codegen::Target as Language;
use serde_json::Value;

use super::record::{self, OURS, OURS_FAST, TVM, TVM_FAST};
use crate::conformance::Input;
use crate::conformance::c::{Case, Run};
use crate::conformance::device_runs::{KINDS, Side, judge_all, tally};
use crate::conformance::inputs::{Input as Made, place};
use crate::conformance::peer::Answer;
use crate::conformance::report::Report;
use crate::skip::Skip;

/// A kernel whose time is more than so much of TVM's is listed.
const SLOWER: f64 = 1.05;
/// The share of the norm by which results may differ from TVM's, by the bits of the least exact array.
const ROOM: f64 = 1e-2;

/// Compares the answers in a folder.
pub(super) fn compare(input: &Input<'_>, folder: &Path) -> Result<Report, Skip> {
    let answers = read(folder).map_err(|it| Skip::new("gpu", it))?;
    let ours = record::ours(input)?;
    let built = &ours.built[0].1;
    let mut report = Report::new("CUDA of our build, run on another machine", KINDS);
    report.note(answers.facts.clone());
    tally(&mut report, Language::Cuda, 4, built);
    let mut asked = Vec::new();
    let mut found: Vec<Answer> = Vec::new();
    for case in &ours.cases {
        let is_built = built.functions.contains_key(&case.name);
        let runs = if is_built { &case.runs[..] } else { &[] };
        asked.push(Ok(vec![Value::Null; runs.len()]));
        for (at, run) in runs.iter().enumerate() {
            let answer = answers.of.get(&("check".to_owned(), record::run_name(case, at)));
            found.push(match answer {
                Some(answer) => put_back(folder, run, answer).map(|()| answer.clone()),
                None => Err("it was not reached".to_owned()),
            });
        }
    }
    let side = Side { who: "CUDA", ending: "cuda", is_vulkan: false };
    judge_all(&mut report, &ours.cases, built, side, asked, found);
    times(&mut report, &ours.cases, &answers);
    Ok(report)
}

struct Answers {
    facts: String,
    of: BTreeMap<(String, String), Value>,
}

fn read(folder: &Path) -> Result<Answers, String> {
    let path = folder.join("answers.jsonl");
    let text = std::fs::read_to_string(&path).map_err(|it| format!("{}: {it}", path.display()))?;
    let mut answers = Answers { facts: String::new(), of: BTreeMap::new() };
    for line in text.lines() {
        let answer: Value = serde_json::from_str(line).map_err(|it| it.to_string())?;
        if let (Some(op), Some(id)) = (answer["op"].as_str(), answer["id"].as_str()) {
            answers.of.insert((op.to_owned(), id.to_owned()), answer);
        } else if let Some(device) = answer["device"].as_str() {
            answers.facts = format!(
                "{device}; {} sources, {} that do not compile",
                answer["sources"], answer["refused"]
            );
        }
    }
    Ok(answers)
}

/// Writes the arrays of an answer to where the suite looks for them.
fn put_back(folder: &Path, run: &Run, answer: &Value) -> Result<(), String> {
    if let Some(error) = answer["error"].as_str() {
        return Err(error.to_owned());
    }
    let arrays = run.inputs.iter().enumerate().filter(|(_, it)| matches!(it, Made::Array(_)));
    for (at, ((position, _), expected)) in arrays.zip(&run.expected).enumerate() {
        let at = at.to_string();
        let digest = answer["sha256"][&at].as_str().ok_or("an answer without a digest")?;
        let data = if digest == record::digest(&expected.data) {
            expected.data.clone()
        } else {
            let place = &answer["outputs"][&at];
            part(folder, place).ok_or("an array that differs did not come back")?
        };
        let path = place(&run.dir, position).with_extension("bin.cuda");
        let written = std::fs::create_dir_all(&run.dir).and_then(|()| std::fs::write(path, data));
        written.map_err(|it| it.to_string())?;
    }
    Ok(())
}

/// `[file, offset, bytes]` of the folder.
fn part(folder: &Path, place: &Value) -> Option<Vec<u8>> {
    let name = place[0].as_str().filter(|it| !it.contains(['/', '\\']))?;
    let data = std::fs::read(folder.join(name)).ok()?;
    let (offset, bytes) = (place[1].as_u64()? as usize, place[2].as_u64()? as usize);
    Some(data.get(offset..offset.checked_add(bytes)?)?.to_vec())
}

// ---- times ----

/// The median of the times of a side, and how far the middle half of them spreads.
fn time(answer: &Value, side: &str) -> Option<(f64, f64)> {
    let times = answer["sides"][side]["milliseconds"].as_array()?;
    let mut times: Vec<f64> = times.iter().filter_map(Value::as_f64).collect();
    times.sort_by(f64::total_cmp);
    let at = |share: f64| times.get((share * times.len() as f64) as usize).copied();
    let median = at(0.5).filter(|it| *it > 0.0)?;
    Some((median, (at(0.75)? - at(0.25)?) / median))
}

/// Ratios of pairs of sides, and the functions that are slower than TVM's.
fn times(report: &mut Report, cases: &[Case], answers: &Answers) {
    let pairs = [
        (OURS[0].0, TVM),
        (OURS_FAST, TVM_FAST),
        (OURS[1].0, TVM),
        (OURS[2].0, TVM),
        (OURS[0].0, OURS[1].0),
        (OURS[2].0, OURS[0].0),
    ];
    let mut ratios: Vec<Vec<f64>> = vec![Vec::new(); pairs.len()];
    for case in cases {
        let Some(answer) = answers.of.get(&("time".to_owned(), case.label.clone())) else {
            continue;
        };
        if let Some(error) = answer["error"].as_str() {
            report.list(20, "no times", format!("{}: {error}", case.label));
            continue;
        }
        same_results(report, case, answer);
        for (at, (one, other)) in pairs.into_iter().enumerate() {
            let (Some(ours), Some(theirs)) = (time(answer, one), time(answer, other)) else {
                continue;
            };
            let ratio = ours.0 / theirs.0;
            ratios[at].push(ratio);
            if at < 2 && ratio > SLOWER {
                let line = format!(
                    "{ratio:6.3} {}: {:.4} ms (±{:.0} %), TVM's {:.4} (±{:.0} %)",
                    case.label,
                    ours.0,
                    100.0 * ours.1,
                    theirs.0,
                    100.0 * theirs.1
                );
                report.list(21 + at, &format!("{one} slower than {other}"), line);
            }
        }
    }
    for ((one, other), ratios) in pairs.into_iter().zip(ratios) {
        let n = ratios.len().max(1) as f64;
        let mean = (ratios.iter().map(|it| it.ln()).sum::<f64>() / n).exp();
        let count = |is: &dyn Fn(f64) -> bool| ratios.iter().filter(|it| is(**it)).count();
        report.note(format!(
            "time of {one} / {other}: {mean:.3} (geometric mean of {}; {} above {SLOWER}, {} below {:.2})",
            ratios.len(),
            count(&|it| it > SLOWER),
            count(&|it| it < 1.0 / SLOWER),
            1.0 / SLOWER,
        ));
    }
}

/// Counts how our results at full size compare with those of TVM's code, compiled with the same flags.
fn same_results(report: &mut Report, case: &Case, answer: &Value) {
    let sides = OURS.iter().map(|it| it.0).chain([OURS_FAST]);
    for side in [TVM, TVM_FAST].into_iter().chain(sides) {
        let result = &answer["sides"][side];
        if let Some(error) = result["error"].as_str() {
            report.list(23, "no result at full size", format!("{} {side}: {error}", case.label));
            continue;
        }
        let class = match (result["equal"].as_bool(), result["difference"].as_f64()) {
            (Some(true), _) => "bit for bit",
            (_, Some(it)) if it < ROOM => "within 1e-2 of the norm",
            (_, Some(it)) => {
                let line = format!("{} {side}: {it:.3e} of the norm", case.label);
                report.list(24, "different from TVM's at full size", line);
                "different"
            }
            _ => continue,
        };
        report.tally(25, &format!("{side}, result at full size beside TVM's"), class, 1);
    }
}

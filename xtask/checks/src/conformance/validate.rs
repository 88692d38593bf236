//! Translation validation over a corpus: the share of functions that is proved, run, and neither, pass by pass.
//!
//! Input: files of a corpus. Each function is put through `cse` and, by itself, through `simplify`, and what the pass
//! made of it is judged by the crate `validate`: by z3, else by the interpreter. Verdicts are kept on disk by what was
//! asked (both functions, the solver, its limit), so that a campaign that was ended goes on where it was. A function
//! that a pass leaves as it is counts as unchanged, and in no share.

use std::path::{Path, PathBuf};
use std::time::Duration;

use ir::{Body, effects::EffectTable};
use transform::passes::Pass;
use validate::{Answer, Proof, Solver};

use crate::conformance::report::{Report, Target};
use crate::conformance::{Input, corpus, ours, parallel};
use crate::prove_rules::z3::{self, Verdict};
use crate::skip::Skip;

/// Columns of the report.
const KINDS: &[&str] = &["unchanged", "proved", "as terms", "run", "neither", "refuted"];
/// The passes, each on the function as it is.
const PASSES: [Pass; 2] = [Pass::Cse, Pass::Simplify];
/// Changes when equal questions may have other answers.
const VERSION: u32 = 1;
/// For one question.
const LIMIT: Duration = Duration::from_secs(4);
/// The share that is to be proved or at least run.
const LEAST: f64 = 95.0;

/// The solver of the checks, as the crate asks it.
#[derive(Default)]
pub(crate) struct Asked {
    solver: z3::Solver,
}

impl Solver for Asked {
    fn check(&mut self, script: &str, wanted: &[String]) -> Result<Answer, String> {
        self.check_within(script, wanted, LIMIT)
    }
}

impl Asked {
    /// Asks with another limit.
    pub(crate) fn check_within(
        &mut self,
        script: &str,
        wanted: &[String],
        limit: Duration,
    ) -> Result<Answer, String> {
        match self.solver.check(script, wanted, limit).map_err(|it| format!("{it:#}"))? {
            Verdict::Unsatisfiable => Ok(Answer::Unsatisfiable),
            Verdict::Satisfiable(values) => Ok(Answer::Satisfiable(values)),
            Verdict::Unknown => Ok(Answer::Unknown),
        }
    }
}

/// The verdict on one pass over one function.
struct Row {
    name: String,
    pass: &'static str,
    kind: &'static str,
    why: String,
}

/// Validates every function of the files, in order.
pub(crate) fn compare(input: &Input<'_>) -> Result<Report, Skip> {
    let version = z3::find()?;
    let mut report = Report::new("Functions before and after passes: proved, run, neither", KINDS);
    report.note(version.clone());
    let kept = input.ws.target().join("validate");
    let results = parallel(&input.files, |file| of_file(file, &kept, &version));
    for (file, rows) in input.files.iter().zip(results) {
        for row in rows {
            report.count(&format!("{} {}", row.pass, file.group), row.kind);
            let line = format!("{}: {}: {}", row.name, row.pass, row.why);
            match row.kind {
                "refuted" => report.list(0, "refuted", line),
                "neither" => {
                    report.tally(1, "neither, by reason", reason(&row.why), 1);
                    report.list(4, "neither", line);
                }
                "run" => {
                    report.tally(2, "run and not proved, by reason", reason(&row.why), 1);
                    report.list(5, "run and not proved", line);
                }
                _ => {}
            }
        }
    }
    let total = |kind: &str| report.total(kind);
    let proved = total("proved") + total("as terms");
    let changed = proved + total("run") + total("neither") + total("refuted");
    let (run, neither, refuted) = (total("run"), total("neither"), total("refuted"));
    report.note(format!(
        "{changed} changed functions: {proved} proved, {run} run, {neither} neither, {refuted} refuted"
    ));
    let what = "changed functions that are proved or run";
    report.target(Target { what, least: LEAST }, proved + run, changed);
    let what = "changed functions that are not refuted";
    report.target(Target { what, least: 100.0 }, changed - refuted, changed);
    Ok(report)
}

/// A reason without the names in it.
fn reason(why: &str) -> String {
    why.split(';').next().unwrap_or(why).to_owned()
}

fn of_file(file: &corpus::File, kept: &Path, version: &str) -> Vec<Row> {
    let mut solver = Asked::default();
    let mut rows = Vec::new();
    for function in ours::read(&file.text).functions {
        let before = &function.lowered.body;
        if transform::broken::readable(before).is_err() {
            continue;
        }
        for pass in PASSES {
            let name = format!("{}:{}", file.label(), function.name);
            let Ok(after) = pass.checked(before, EffectTable::builtin()) else { continue };
            let (kind, why) = verdict(before, &after, kept, version, &mut solver);
            rows.push(Row { name, pass: pass.name(), kind, why });
        }
    }
    rows
}

/// The verdict, from the disk if it is there.
fn verdict(
    before: &Body,
    after: &Body,
    kept: &Path,
    version: &str,
    solver: &mut Asked,
) -> (&'static str, String) {
    if before == after {
        return ("unchanged", String::new());
    }
    let path = place(before, after, kept, version);
    if let Ok(text) = std::fs::read_to_string(&path)
        && let Some((kind, why)) = text.split_once('\n')
        && let Some(kind) = KINDS.iter().copied().find(|it| *it == kind)
    {
        return (kind, why.to_owned());
    }
    let (kind, why) = judge(before, after, solver);
    // A verdict that is not kept is found again.
    let _ = std::fs::create_dir_all(kept)
        .and_then(|()| std::fs::write(&path, format!("{kind}\n{why}")));
    (kind, why)
}

fn place(before: &Body, after: &Body, kept: &Path, version: &str) -> PathBuf {
    let mut hasher = blake3::Hasher::new();
    hasher.update(format!("{VERSION} {version} {LIMIT:?}").as_bytes());
    for body in [before, after] {
        hasher.update(ir::print::tvmscript(body, 0).as_bytes());
    }
    kept.join(&hasher.finalize().to_hex()[..32])
}

fn judge(before: &Body, after: &Body, solver: &mut Asked) -> (&'static str, String) {
    let effects = EffectTable::builtin();
    let options = validate::Options::default();
    let (reason, witness) = match validate::prove(before, after, effects, solver, &options) {
        Proof::Proved { questions: 0 } => return ("as terms", String::new()),
        Proof::Proved { questions } => return ("proved", format!("{questions} questions")),
        Proof::Open { reason, witness, .. } => (reason, witness),
    };
    let run = validate::run(before, after, effects, &witness);
    match (run.difference, run.n_same) {
        (Some(it), _) => ("refuted", format!("{}; with {:?}", it.what, it.inputs)),
        (None, 0) => ("neither", format!("{reason}; {}", run.obstacle.unwrap_or_default())),
        (None, n) => ("run", format!("{reason}; the same on {n} inputs")),
    }
}

//! `opt --validate`: of each function whether it does the same after the passes.
//!
//! In: a file, and the passes of `opt`. Out: a line for each function, or JSON. Each pass is validated by itself, in
//! order. *proved*: for every input, by the solver or because both are one term. *run*: the same on inputs in the
//! interpreter, with the reason why not proved. *neither*: also not run. *refuted*: with the input that shows it.

use std::fmt::Write as _;
use std::path::Path;
use std::time::Duration;

use ir::{Body, effects::EffectTable, guard::Stage};
use serde_json::{Value, json};
use syntax::{Form, LineIndex, TextSize};
use transform::{cse::CseOptions, passes::Pass};
use validate::{Answer, Options, Proof, Solver};

use super::after_passes;
use crate::{
    cli::{
        Exit,
        args::{AnswerFormat, OptArgs},
        driver::{
            ops,
            unit::{Function, choose, functions, instance_of, with_instance},
        },
        input::{
            jobs::{self, Job},
            source::Source,
        },
        io::{Io, Styled},
    },
    solver::Z3,
};

/// Version of the JSON answer.
const VERSION: u32 = 1;

/// The solver that knows nothing: `--solver none`.
struct Nobody;

impl Solver for Nobody {
    fn check(&mut self, _: &str, _: &[String]) -> Result<Answer, String> {
        Ok(Answer::Unknown)
    }
}

/// The verdict on a pass over a function, from the best to the worst.
#[derive(Debug)]
enum Verdict {
    /// The pass changes nothing.
    Unchanged,
    Proved {
        questions: usize,
    },
    Run {
        inputs: usize,
        reason: String,
    },
    Neither {
        reason: String,
        obstacle: String,
    },
    Refuted(validate::Difference),
}

/// A function with the verdict on each pass.
struct Row {
    name: String,
    at: TextSize,
    passes: Vec<(&'static str, Verdict)>,
    /// Why the passes were not run.
    failure: Option<String>,
}

/// Runs the command.
pub(super) fn validate(args: &OptArgs, io: &mut Io<'_>, styled: Styled) -> anyhow::Result<Exit> {
    let job = jobs::one(&args.input, io, styled)?;
    let program = args.solver.as_deref().unwrap_or(Path::new("z3"));
    let mut solver: Box<dyn Solver> = if program == Path::new("none") {
        Box::new(Nobody)
    } else {
        Box::new(Z3::new(program, Duration::from_secs(args.solver_timeout))?)
    };
    let options = CseOptions {
        allow_unsound: args.allow_unsound,
        max_bindings: args.cse.max_fixes,
        ..args.cse.options(&job.config)
    };
    let (text, exit) = job.run(|source| {
        let language = ops::language(&job.file.path, &source);
        anyhow::ensure!(
            language.support().form == Form::Expressions,
            "--validate reads functions of statements (TVMScript, TileLang), no operations of \
             MLIR or PIR; `run` executes MLIR before and after"
        );
        let rows = rows(args, options, &source, &job, &mut *solver)?;
        let is_refuted = rows.iter().any(|row| {
            row.failure.is_some() || row.passes.iter().any(|it| matches!(it.1, Verdict::Refuted(_)))
        });
        let lines = LineIndex::new(&source.text);
        let shown = &job.file.shown;
        let text = match args.format.unwrap_or(AnswerFormat::Text) {
            AnswerFormat::Text => text(&rows, shown, &source, &lines),
            AnswerFormat::Json => json(&rows, shown, &source, &lines),
        };
        Ok((text, if is_refuted { Exit::Findings } else { Exit::Success }))
    })?;
    io.out.write_all(text.as_bytes())?;
    Ok(exit)
}

fn rows(
    args: &OptArgs,
    mut options: CseOptions,
    source: &Source,
    job: &Job,
    solver: &mut dyn Solver,
) -> anyhow::Result<Vec<Row>> {
    let shown = &job.file.shown;
    let functions = functions(source, job);
    let instance = instance_of(args.instance.as_ref(), &functions, shown)?;
    let instance = instance.as_ref();
    let mut rows = Vec::new();
    for item in choose(args.function.as_deref(), instance, &functions, shown)? {
        let at = item.range.start() + item.source.name_range.start();
        let name = item.source.name.to_string();
        let mut row = Row { name, at, passes: Vec::new(), failure: None };
        let work = |function: Function<'_>| {
            let effects = function.environment.effects();
            let mut passes = Vec::new();
            let mut see = |pass: Pass, before: &Body, after: &Body| {
                passes.push((pass.name(), verdict(before, after, effects, &mut *solver)));
            };
            let done =
                after_passes(args, &mut options, function, &mut Default::default(), &mut see);
            done.map(|_| passes).map_err(|broken| broken.report())
        };
        let done = with_instance(&functions, item, instance, Stage::Planning, work);
        match done.unwrap_or_else(|failed| Err(failed.report)) {
            Ok(passes) => row.passes = passes,
            Err(why) => row.failure = Some(why),
        }
        rows.push(row);
    }
    Ok(rows)
}

fn verdict(before: &Body, after: &Body, effects: &EffectTable, solver: &mut dyn Solver) -> Verdict {
    if before == after {
        return Verdict::Unchanged;
    }
    let proof = validate::prove(before, after, effects, solver, &Options::default());
    let (reason, witness) = match proof {
        Proof::Proved { questions } => return Verdict::Proved { questions },
        Proof::Open { reason, witness, .. } => (reason, witness),
    };
    let run = validate::run(before, after, effects, &witness);
    match (run.difference, run.n_same) {
        (Some(difference), _) => Verdict::Refuted(difference),
        (None, 0) => Verdict::Neither {
            reason,
            obstacle: run.obstacle.unwrap_or_else(|| "no input".to_owned()),
        },
        (None, inputs) => Verdict::Run { inputs, reason },
    }
}

fn text(rows: &[Row], shown: &str, source: &Source, lines: &LineIndex) -> String {
    let mut out = String::new();
    for row in rows {
        let at = source.line_col(lines, row.at);
        let place = format!("{shown}:{}:{}: `{}`", at.line, at.col, row.name);
        if let Some(why) = &row.failure {
            let _ = writeln!(out, "{place}: the passes were not run: {why}");
        }
        for (pass, verdict) in &row.passes {
            let _ = writeln!(out, "{place}: {pass}: {}", said(verdict));
        }
    }
    out
}

/// A verdict for people.
fn said(verdict: &Verdict) -> String {
    match verdict {
        Verdict::Unchanged => "changes nothing".to_owned(),
        Verdict::Proved { questions: 0 } => "proved: equal as terms".to_owned(),
        Verdict::Proved { questions: 1 } => "proved, by 1 answer of the solver".to_owned(),
        Verdict::Proved { questions } => format!("proved, by {questions} answers of the solver"),
        Verdict::Run { inputs, reason } => {
            format!("run: the same on {inputs} inputs; not proved: {reason}")
        }
        Verdict::Neither { reason, obstacle } => {
            format!("neither proved nor run: {reason}; {obstacle}")
        }
        Verdict::Refuted(it) => {
            let mut out = format!("REFUTED: {}\n  with", it.what);
            for (name, value) in &it.inputs {
                let _ = write!(out, "\n    {name} = {value}");
            }
            out
        }
    }
}

fn json(rows: &[Row], shown: &str, source: &Source, lines: &LineIndex) -> String {
    let functions: Vec<Value> = rows
        .iter()
        .map(|row| {
            let at = source.line_col(lines, row.at);
            let passes: Vec<Value> =
                row.passes.iter().map(|(pass, verdict)| object(pass, verdict)).collect();
            json!({
                "name": row.name,
                "line": at.line,
                "column": at.col,
                "passes": passes,
                "failure": row.failure,
            })
        })
        .collect();
    let answer = json!({ "version": VERSION, "file": shown, "functions": functions });
    format!("{answer:#}\n")
}

fn object(pass: &str, verdict: &Verdict) -> Value {
    match verdict {
        Verdict::Unchanged => json!({ "pass": pass, "verdict": "unchanged" }),
        Verdict::Proved { questions } => {
            json!({ "pass": pass, "verdict": "proved", "questions": questions })
        }
        Verdict::Run { inputs, reason } => {
            json!({ "pass": pass, "verdict": "run", "inputs": inputs, "reason": reason })
        }
        Verdict::Neither { reason, obstacle } => json!({
            "pass": pass,
            "verdict": "neither",
            "reason": reason,
            "obstacle": obstacle,
        }),
        Verdict::Refuted(it) => {
            let inputs: Vec<Value> =
                it.inputs.iter().map(|(name, it)| json!({ "name": name, "value": it })).collect();
            json!({ "pass": pass, "verdict": "refuted", "what": it.what, "inputs": inputs })
        }
    }
}

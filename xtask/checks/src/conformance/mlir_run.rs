//! Programs of MLIR executed: by our interpreter, and by the peer's own compiler, before and after our preset
//! `default`.
//!
//! In: every `.mlir` file below a corpus and below `tests/kernels`, each function of each document a program of its
//! own (`cases`). Out: a report. For each function that the interpreter executes and the peer can lower, a `main` is
//! written beside it (`driver`) that fills its arguments, calls it, and prints every bit of its results and memory;
//! `mlir-opt` lowers the text, `mlir-cpu-runner` runs it. A program that does not end within our steps or the peer's
//! time counts as not executed. Asked are:
//!
//! * *plans*: the peer prints the same for our output as for the input, bit for bit;
//! * *interpreter*: the peer prints the interpreter's results; floats of functions that call a mathematical library may
//!   differ by the last bits, as two libraries do, and the report counts the functions for which that was needed.

mod cases;
mod driver;
mod peer;

use std::path::Path;

use frontend::mlir::{self, Shapes, UnitKind};
use interp::{
    EventKind, OnError, Options, RunErrorKind,
    mlir::{Launch, Program, run},
};
use ir::{Body, plan::Preset};

use self::{cases::Case, driver::Driver, peer::Failure};
use crate::conformance::{mlir::optimize, parallel, report::Report};
use crate::skip::Skip;
use crate::workspace::Workspace;

/// Our own small kernels: one construct each.
const KERNELS: &str = "tests/kernels";

const KINDS: &[&str] = &["equal", "near", "differs", "not executed", "not lowered"];

/// Operations executed by us in one run; a program that takes more is given up.
const MAX_STEPS: u64 = 2_000_000;

enum Verdict {
    Equal,
    /// Within the room of a mathematical library.
    Near,
    Differs(String),
    NotExecuted(String),
    NotLowered(String),
}

/// Runs all functions of a corpus.
pub(crate) fn compare(
    ws: &Workspace,
    corpus: &Path,
    filter: Option<&str>,
) -> anyhow::Result<Result<Report, Skip>> {
    let tools = match peer::Tools::find() {
        Ok(tools) => tools,
        Err(skip) => return Ok(Err(skip)),
    };
    let mut cases = cases::read(&ws.path(KERNELS), filter)?;
    cases.extend(cases::read(corpus, filter)?);
    let mut report =
        Report::new("Programs of MLIR, executed by us and by the peer's compiler", KINDS);
    report.note(format!("mlir-opt: {}", crate::conformance::mlir::version(&tools.opt)));
    let verdicts = parallel(&cases, |case| judge(case, &tools));
    for (case, verdict) in cases.iter().zip(verdicts) {
        let label = format!("{}/{}:{}", case.group, case.name, case.function);
        let kind = match verdict {
            Verdict::Equal => "equal",
            Verdict::Near => {
                report.list(1, "equal but for the last bits of a mathematical library", label);
                "near"
            }
            Verdict::Differs(why) => {
                report.list(0, "differs", format!("{label}: {why}"));
                "differs"
            }
            Verdict::NotExecuted(why) => {
                report.tally(0, "not executed by the interpreter", why, 1);
                "not executed"
            }
            Verdict::NotLowered(why) => {
                report.list(2, "not lowered by the peer", format!("{label}: {why}"));
                "not lowered"
            }
        };
        report.count(&case.group, kind);
    }
    let agree = report.total("equal") + report.total("near");
    report.at_least("functions with equal results", agree, 20);
    let differs = report.total("differs");
    let what = "executed functions that agree";
    let target = crate::conformance::report::Target { what, least: 100.0 };
    report.target(target, agree, agree + differs);
    Ok(Ok(report))
}

fn judge(case: &Case, tools: &peer::Tools) -> Verdict {
    let mut bodies: Vec<Body> = Vec::new();
    mlir::lower_file(&case.text, Shapes::builtin(), &mut |unit| {
        bodies.push(unit.lowered.body);
    });
    let program = Program::new(&bodies);
    let Some(number) = program.function(&case.function) else {
        return Verdict::NotExecuted("declared only".to_owned());
    };
    let driver = match Driver::new(&bodies[number]) {
        Ok(driver) => driver,
        Err(why) => return Verdict::NotExecuted(why),
    };
    let options = Options { max_steps: MAX_STEPS, ..Options::default() };
    let ours = match run(&program, number, driver.arguments.clone(), Launch::default(), &options) {
        Ok(outcome) => {
            // What it computes of that is one value here and another there.
            let is_unwritten = |kind| kind == EventKind::UninitializedRead;
            if outcome.events.iter().any(|(_, event)| is_unwritten(event.kind)) {
                return Verdict::NotExecuted("reads memory that nothing has written".to_owned());
            }
            driver.bits(&outcome)
        }
        Err(error) if error.kind == RunErrorKind::Program => {
            return Verdict::NotExecuted(format!("an error of the program: {error}"));
        }
        Err(error) => return Verdict::NotExecuted(error.message),
    };
    let before = match tools.run(&driver.beside(&case.text)) {
        Ok(before) => before,
        Err(Failure::Refused(why)) => return Verdict::NotLowered(why),
        Err(Failure::Late) => return Verdict::NotExecuted("the peer's time is over".to_owned()),
    };
    let after = optimize(&case.text, Preset::Default, false).and_then(|text| {
        tools.run(&driver.beside(&text)).map_err(|it| match it {
            Failure::Refused(why) => why,
            Failure::Late => "its time is over".to_owned(),
        })
    });
    match after {
        Ok(after) if driver::same(&ours, &before, &after) => {}
        Ok(_) => {
            return Verdict::Differs("the peer computes something else after our plan".to_owned());
        }
        Err(why) => return Verdict::Differs(format!("the peer refuses our output: {why}")),
    }
    let room = if uses_library(&bodies[number]) { 64 } else { 0 };
    match driver::near(&ours, &before, room) {
        Ok(0) => Verdict::Equal,
        Ok(_) => Verdict::Near,
        Err(why) => Verdict::Differs(why),
    }
}

/// Returns for each function of a text `None` if the interpreter ran it, else the reason why not.
pub(crate) fn executed(text: &str) -> Vec<Option<String>> {
    let mut documents: Vec<Vec<(Body, bool)>> = Vec::new();
    mlir::lower_file(text, Shapes::builtin(), &mut |unit| {
        documents.resize_with(documents.len().max(unit.document + 1), Vec::new);
        documents[unit.document].push((unit.lowered.body, unit.kind == UnitKind::Function));
    });
    let options = Options { max_steps: MAX_STEPS, on_error: OnError::Event, ..Options::default() };
    let mut res = Vec::new();
    for document in &documents {
        let program = Program::new(document.iter().map(|it| &it.0));
        for (number, (body, is_function)) in document.iter().enumerate() {
            if !is_function || !program.has_code(number) {
                continue;
            }
            let launch = Launch { grid: [2, 1, 1], block: [4, 2, 1] };
            let ran = driver::arguments(body).and_then(|arguments| {
                run(&program, number, arguments, launch, &options).map_err(|it| it.message)
            });
            res.push(ran.err());
        }
    }
    res
}

/// Returns true if a function calls a function that two libraries may compute differently.
fn uses_library(body: &Body) -> bool {
    let of_library = |name: &str| {
        name.starts_with("math.")
            && !matches!(
                name,
                "math.absf" | "math.absi" | "math.fma" | "math.sqrt" | "math.floor" | "math.ceil"
            )
    };
    body.ops.ids().any(|op| match body.ops[op].kind {
        ir::OpKind::Named(name) => of_library(body.name(name)),
        _ => false,
    })
}

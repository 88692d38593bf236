//! `run`: executes one function on arrays, and reports errors and races in it.
//!
//! In: a file with the function, and an array or value a parameter. Out: the arrays as the function leaves them, as
//! `.npy` files, and its events (races, overflows, accesses out of bounds …) with their places. The Python around the
//! function is not executed: this is `ir`'s interpreter, whose meaning of each construct is written down in
//! `crates/ir/SEMANTICS.md`.

mod inputs;
mod mlir;
mod npy;
mod report;

use std::path::Path;

use anyhow::{Context as _, anyhow, bail};
use frontend::tvmscript::{FunctionItem, Lowered};
use interp::{Argument, OnError, Options, Outcome, RunError, RunErrorKind, Schedule};
use ir::guard::Stage;
use pipeline::expressions;
use syntax::{Form, Language, LineIndex, TextRange};

use crate::cli::{
    Exit,
    args::{AnswerFormat, RunArgs, ScheduleName},
    driver::{
        ops,
        unit::{Function, choose, functions, instance_of, with_instance},
    },
    input::{
        jobs::{self, Job},
        source::Source,
    },
    io::{Io, Styled},
    output::{progress::Progress, write},
};

/// The run.
pub(super) struct Run<'a> {
    pub(super) shown: &'a str,
    pub(super) source: &'a Source,
    pub(super) lines: LineIndex,
    pub(super) item: &'a FunctionItem,
    pub(super) lowered: &'a Lowered,
}

impl Run<'_> {
    /// The place of an operation in the file; a barrier that was inserted for the run has the place of the function.
    pub(super) fn range(&self, op: ir::OpId) -> TextRange {
        let map = &self.lowered.source_map;
        let is_written = ir::arena::Id::index(op) < map.n_ops();
        let range = if is_written { map.op_range(op) } else { self.item.source.name_range };
        range + self.item.range.start()
    }

    /// `a.py:12:5`
    fn place(&self, op: ir::OpId) -> String {
        let at = self.source.line_col(&self.lines, self.range(op).start());
        format!("{}:{}:{}", self.shown, at.line, at.col)
    }
}

/// Runs the command.
pub(crate) fn run(args: &RunArgs, io: &mut Io<'_>, _styled: Styled) -> anyhow::Result<Exit> {
    let job = jobs::one(&args.input, io, _styled)?;
    let progress = Progress::new(1, io.err_is_terminal);
    let (text, exit) = job.run(|source| {
        let language = Language::of_file(&job.file.path, &source.text);
        let row = language.support();
        if row.form == Form::Operations {
            ops::refuse_instance(args.instance.as_ref(), language)?;
        }
        match row.form {
            Form::Operations if row.is_executed => {
                mlir::execute(args, io, &source, &job.file.shown)
            }
            Form::Expressions | Form::Operations => execute(args, io, &source, &job),
        }
    })?;
    drop(progress);
    io.out.write_all(text.as_bytes())?;
    Ok(exit)
}

fn execute(
    args: &RunArgs,
    io: &mut Io<'_>,
    source: &Source,
    job: &Job,
) -> anyhow::Result<(String, Exit)> {
    let shown = &job.file.shown;
    let functions = functions(source, job);
    let instance = instance_of(args.instance.as_ref(), &functions, shown)?;
    let instance = instance.as_ref();
    let item = match choose(args.function.as_deref(), instance, &functions, shown)?[..] {
        [one] => one,
        [] => bail!("{shown} has no tensor function (`@T.prim_func`)"),
        ref several => {
            let names: Vec<&str> = several.iter().map(|it| &*it.source.name).collect();
            bail!(
                "{shown} has several functions: choose one with --function: {}",
                names.join(", ")
            );
        }
    };
    let work = |function: Function<'_>| execute_function(args, io, (source, shown), function);
    let done = with_instance(&functions, item, instance, Stage::Running, work);
    done.unwrap_or_else(|failed| Err(failed.error(shown, source)))
}

fn execute_function(
    args: &RunArgs,
    io: &mut Io<'_>,
    (source, shown): (&Source, &str),
    Function { item, read }: Function<'_>,
) -> anyhow::Result<(String, Exit)> {
    let expressions::Function { lowered, environment, .. } = read;
    if let Some(error) = expressions::first_error(lowered) {
        bail!("{shown}: `{}` has errors: {} (`check` says where)", item.source.name, error.message);
    }
    let effects = environment.effects();
    let lines = LineIndex::new(&source.text);
    let run = Run { shown, source, lines, item, lowered };
    let inputs = inputs::make(&lowered.body, args, io)?;
    let placed =
        if args.as_written { None } else { codegen::with_barriers(&lowered.body, effects) };
    if let Some((_, n)) = &placed {
        let barriers = if *n == 1 { "barrier stands" } else { "barriers stand" };
        writeln!(io.err, "{n} {barriers} where `build` places them; --as-written runs without")?;
    }
    let body = placed.as_ref().map_or(&lowered.body, |it| &it.0);
    let outcome =
        interp::run_with(body, effects, inputs.arguments, &inputs.symbols, &options(args))
            .map_err(|error| explain(&error, &run, args))?;
    let written = match &args.output {
        Some(folder) => write_arrays(&run, &outcome, folder, io)?,
        None => vec![None; outcome.arguments.len()],
    };
    let text = match args.format {
        AnswerFormat::Text => report::text(&run, &outcome, &written),
        AnswerFormat::Json => report::json(&run, &outcome, &written),
    };
    let exit = if outcome.events.is_empty() { Exit::Success } else { Exit::Findings };
    Ok((text, exit))
}

fn options(args: &RunArgs) -> Options {
    Options {
        max_steps: args.max_steps,
        strict_logic: args.strict,
        schedule: match args.schedule {
            ScheduleName::Lockstep => Schedule::Lockstep,
            ScheduleName::Serial => Schedule::Serial,
            ScheduleName::Reverse => Schedule::Reverse,
            ScheduleName::Random => Schedule::Random(args.seed),
        },
        on_error: if args.stop { OnError::Stop } else { OnError::Event },
        find_races: !args.no_races,
        ..Options::default()
    }
}

/// Explains the error that ended a run, with its place and the way out.
fn explain(error: &RunError, run: &Run<'_>, args: &RunArgs) -> anyhow::Error {
    let place = error.op.map_or_else(|| run.shown.to_owned(), |op| run.place(op));
    let way_out = match error.kind {
        RunErrorKind::Program if args.stop => "; without --stop it is reported and the run goes on",
        RunErrorKind::Program => "",
        RunErrorKind::Unsupported => "; the interpreter does not execute this",
        RunErrorKind::Arguments if error.message.contains("has no value") => {
            "; give it one with --set NAME=VALUE"
        }
        RunErrorKind::Arguments => "; see --inputs",
        RunErrorKind::StepLimit => "; allow more with --max-steps, or run it on smaller arrays",
    };
    anyhow!("{place}: {}{way_out}", error.message)
}

/// Writes each array; the names of the files, one an argument.
fn write_arrays(
    run: &Run<'_>,
    outcome: &Outcome,
    folder: &Path,
    io: &mut Io<'_>,
) -> anyhow::Result<Vec<Option<String>>> {
    let full = io.resolve(folder);
    std::fs::create_dir_all(&full)
        .with_context(|| format!("cannot make the folder {}", folder.display()))?;
    let mut written = Vec::new();
    for (index, argument) in outcome.arguments.iter().enumerate() {
        let Argument::Array(array) = argument else {
            written.push(None);
            continue;
        };
        let name = format!("{}.npy", inputs::parameter_name(&run.lowered.body, index));
        let shown = folder.join(&name).display().to_string();
        write::create(&full.join(&name), &shown, &npy::write(array)?, io)?;
        written.push(Some(shown));
    }
    Ok(written)
}

//! `run` on a file of MLIR: executes one function, and reports its results, its memory, and its errors.
//!
//! In: a file, the function's name, the entries of `--inputs`. Extents that no file determines are those of
//! `--set ?=N`, else 8. A function that asks for its place in a launch runs as a kernel of 2 blocks of 4 × 2 threads.
//! Out: text or JSON, as for TVMScript, and arrays as files: `NAME.npy` of a parameter, `returned-N.npy` of a result.

use std::{collections::BTreeSet, fmt::Write as _, path::Path};

use anyhow::{Context as _, anyhow, bail};
use frontend::{
    mlir::{self as reader, Shapes, Unit, UnitKind},
    tvmscript::diagnostics::INTERNAL_ERROR,
};
use interp::{
    Argument, Array, Event, RunErrorKind,
    mlir::{Final, Launch, Need, Outcome, Program, needs, run},
};
use ir::{
    Body, DataType,
    guard::{Stage, guarded},
};
use serde_json::{Value, json};
use syntax::{LineIndex, TextSize};

use super::{
    inputs::{Entry, Random, entry},
    npy, options,
    report::first_values,
};
use crate::{
    cli::{
        Exit,
        args::{AnswerFormat, RunArgs},
        input::source::Source,
        io::Io,
        output::{
            findings::{range_json, region},
            write,
        },
    },
    suggest::{did_you_mean, near},
};

/// The default of undetermined extents.
const EXTENT: i64 = 8;
/// How a kernel is launched that is run by itself.
const LAUNCH: Launch = Launch { grid: [2, 1, 1], block: [4, 2, 1] };
/// The most elements that made-up arrays may have.
const MAX_ELEMENTS: i64 = 1 << 24;

/// Runs a function of a text.
pub(super) fn execute(
    args: &RunArgs,
    io: &mut Io<'_>,
    source: &Source,
    shown: &str,
) -> anyhow::Result<(String, Exit)> {
    let mut units: Vec<Unit> = Vec::new();
    reader::lower_file(&source.text, Shapes::builtin(), &mut |unit| units.push(unit));
    refuse_unread(args.function.as_deref(), &units, shown)?;
    let chosen = choose(args.function.as_deref(), &units, shown)?;
    let document = units[chosen].document;
    let beside: Vec<&Unit> = units.iter().filter(|it| it.document == document).collect();
    let program = Program::new(beside.iter().map(|it| &it.lowered.body));
    let body = &units[chosen].lowered.body;
    let number = units[..chosen].iter().filter(|it| it.document == document).count();
    let arguments = arguments(body, args, io)?;
    let lines = LineIndex::new(&source.text);
    let range = |unit: usize, op: ir::OpId| {
        let unit = beside[unit];
        unit.lowered.source_map.op(op) + TextSize::new(unit.offset as u32)
    };
    let place = |unit: usize, op: ir::OpId| {
        let at = source.line_col(&lines, range(unit, op).start());
        format!("{shown}:{}:{}", at.line, at.col)
    };
    let run = || run(&program, number, arguments, LAUNCH, &options(args));
    let outcome = guarded(Stage::Running, &body.name, run).map_err(|it| anyhow!(it.report()))?;
    let outcome = outcome.map_err(|error| {
        let way_out = match error.kind {
            RunErrorKind::Program if args.stop => {
                "; without --stop it is reported and the run goes on"
            }
            RunErrorKind::Program => "",
            RunErrorKind::Unsupported => ": the interpreter does not execute this",
            RunErrorKind::Arguments => "; see --inputs",
            RunErrorKind::StepLimit => "; allow more with --max-steps",
        };
        let at = error.op.map_or_else(|| shown.to_owned(), |op| place(error.function, op));
        anyhow!("{at}: `{}`: {}{way_out}", body.name, error.message)
    })?;
    let exit = if outcome.events.is_empty() { Exit::Success } else { Exit::Findings };
    let told = |(unit, event): &'_ (usize, Event)| Told {
        place: place(*unit, event.op),
        range: range_json(&region(source, &lines, range(*unit, event.op))),
        event: event.clone(),
    };
    let events: Vec<Told> = outcome.events.iter().map(told).collect();
    let ends = ends(body, &outcome, args.output.as_deref(), io)?;
    let text = match args.format {
        AnswerFormat::Text => text(body, &outcome, &ends, &events),
        AnswerFormat::Json => json(body, shown, &outcome, &ends, &events),
    };
    Ok((text, exit))
}

/// A mistake of the function that ran, and its place.
struct Told {
    place: String,
    range: Value,
    event: Event,
}

/// An argument as the function leaves it, or a result.
struct End<'a> {
    /// Empty for results.
    name: &'a str,
    value: &'a Final,
    /// The file that an array was written to.
    path: Option<String>,
}

/// The arguments and the results of a run; arrays are written to the folder, if there is one.
fn ends<'a>(
    body: &'a Body,
    outcome: &'a Outcome,
    folder: Option<&Path>,
    io: &mut Io<'_>,
) -> anyhow::Result<[Vec<End<'a>>; 2]> {
    if let Some(folder) = folder {
        std::fs::create_dir_all(io.resolve(folder))
            .with_context(|| format!("cannot make the folder {}", folder.display()))?;
    }
    let mut taken = BTreeSet::new();
    let mut end = |name: &'a str, file: String, value: &'a Final| -> anyhow::Result<End<'a>> {
        let path = match (&value.value, folder) {
            (Argument::Array(array), Some(folder)) => {
                // A parameter may be called as a result is.
                let mut file = file;
                while !taken.insert(file.clone()) {
                    file.insert(0, '_');
                }
                let path = folder.join(format!("{file}.npy"));
                let shown = path.display().to_string();
                write::create(&io.resolve(&path), &shown, &npy::write(array)?, io)?;
                Some(shown)
            }
            _ => None,
        };
        Ok(End { name, value, path })
    };
    let mut arguments = Vec::new();
    for (at, value) in outcome.arguments.iter().enumerate() {
        let name = parameter_name(body, at);
        let file = match name.trim_start_matches('%') {
            "" => format!("argument-{at}"),
            name => name.to_owned(),
        };
        arguments.push(end(name, file, value)?);
    }
    let returned = outcome.returned.iter().enumerate();
    let returned: anyhow::Result<_> =
        returned.map(|(at, value)| end("", format!("returned-{at}"), value)).collect();
    Ok([arguments, returned?])
}

/// A function that is asked for, and of which nothing is known for a mistake of ours.
fn refuse_unread(name: Option<&str>, units: &[Unit], shown: &str) -> anyhow::Result<()> {
    for unit in units.iter().filter(|it| name.is_none_or(|name| *it.lowered.body.name == *name)) {
        let error = unit.lowered.diagnostics.iter().find(|it| it.code == INTERNAL_ERROR);
        if let Some(error) = error {
            bail!("{shown}: {}\n  {}", error.message, error.help.as_deref().unwrap_or_default());
        }
    }
    Ok(())
}

/// The number of the unit that is run.
fn choose(name: Option<&str>, units: &[Unit], shown: &str) -> anyhow::Result<usize> {
    let has_code = |body: &Body| !body.blocks[body.entry(body.root)].ops.is_empty();
    let functions: Vec<usize> = (0..units.len())
        .filter(|&at| units[at].kind == UnitKind::Function && has_code(&units[at].lowered.body))
        .collect();
    let name_of = |at: &usize| &*units[*at].lowered.body.name;
    if let Some(name) = name {
        let found = functions.iter().find(|it| name_of(it) == name);
        return found.copied().ok_or_else(|| {
            let names = near(name, functions.iter().map(name_of));
            anyhow!("{shown} has no function `{name}`{}", did_you_mean(&names))
        });
    }
    match functions[..] {
        [one] => Ok(one),
        [] => bail!("{shown} has no function with a body"),
        _ => {
            let names: Vec<&str> = functions.iter().map(name_of).collect();
            bail!("{shown} has several functions: choose one with --function: {}", names.join(", "))
        }
    }
}

// ---- arguments ----

/// The name of a parameter.
fn parameter_name(body: &Body, index: usize) -> &str {
    let params = &body.blocks[body.entry(body.root)].args;
    params.get(index).map_or("", |it| body.name(body.values[*it].name))
}

fn arguments(body: &Body, args: &RunArgs, io: &Io<'_>) -> anyhow::Result<Vec<Argument>> {
    let needs = needs(body).map_err(|why| anyhow!("`{}`: {why} cannot be made", body.name))?;
    let needs: Vec<Need> = needs.into_iter().filter(|it| *it != Need::Attribution).collect();
    let mut entries: Vec<Entry<'_>> = args.inputs.iter().map(|it| entry(it)).collect();
    if let [one @ (Entry::Random | Entry::Zeros)] = &entries[..] {
        entries = vec![one.clone(); needs.len()];
    }
    if entries.len() != needs.len() {
        bail!(
            "`{}` has {} parameters, and --inputs has {} entries; write `random` or `zeros` for what you do not have",
            body.name,
            needs.len(),
            entries.len()
        );
    }
    let extent = extent(args)?;
    let mut random = Random(args.seed);
    let made = needs.into_iter().zip(&entries).enumerate();
    made.map(|(at, (need, entry))| {
        argument(&need, entry, extent, &mut random, io)
            .with_context(|| format!("`{}`", parameter_name(body, at)))
    })
    .collect()
}

/// The extent of `--set ?=N`.
fn extent(args: &RunArgs) -> anyhow::Result<i64> {
    let mut res = EXTENT;
    for assignment in &args.set {
        let value = assignment.strip_prefix("?=").and_then(|it| it.trim().parse().ok());
        let Some(value) = value.filter(|it| *it >= 0) else {
            bail!(
                "--set {assignment}: a function of MLIR has no named extents; write ?=N for all that are not said"
            );
        };
        res = value;
    }
    Ok(res)
}

fn argument(
    need: &Need,
    entry: &Entry<'_>,
    extent: i64,
    random: &mut Random,
    io: &Io<'_>,
) -> anyhow::Result<Argument> {
    Ok(match (need, entry) {
        (Need::Attribution, _) => bail!("memory of a block is no argument"),
        (Need::Scalar(dtype), Entry::Int(value)) if dtype.is_float() => {
            Argument::Float(dtype.round_float(*value as f64))
        }
        (Need::Scalar(dtype), Entry::Int(value)) => Argument::Int(dtype.wrap_int((*value).into())),
        (Need::Scalar(dtype), Entry::Float(value)) if dtype.is_float() => {
            Argument::Float(dtype.round_float(*value))
        }
        (Need::Scalar(dtype), Entry::Random | Entry::Zeros) => scalar(*dtype, entry, random),
        (Need::Scalar(dtype), _) => bail!("it takes a number of {dtype}"),
        (Need::Array(_, dtype), Entry::File(path)) => {
            let bytes = files::read_named(&io.resolve(path.as_ref()), files::DATA)
                .with_context(|| format!("cannot read {path}"))?;
            Argument::Array(npy::read(&bytes, *dtype)?)
        }
        (Need::Array(..), Entry::Int(_) | Entry::Float(_)) => {
            bail!("it is an array: give a .npy file, `random` or `zeros`")
        }
        (Need::Array(shape, dtype), _) => {
            let shape: Vec<i64> = shape.iter().map(|it| it.unwrap_or(extent)).collect();
            let n = shape.iter().try_fold(1i64, |n, it| n.checked_mul(*it));
            if n.is_none_or(|it| it > MAX_ELEMENTS) {
                bail!("the array is too large to make up; choose a smaller extent with --set ?=N");
            }
            let mut array = Array::zeros(*dtype, &shape);
            if *entry == Entry::Random {
                random.fill(&mut array);
            }
            Argument::Array(array)
        }
    })
}

fn scalar(dtype: DataType, entry: &Entry<'_>, random: &mut Random) -> Argument {
    let is_zero = *entry == Entry::Zeros;
    match (dtype.is_float(), is_zero) {
        (true, true) => Argument::Float(0.0),
        (true, false) => Argument::Float(dtype.round_float(random.unit())),
        (false, true) => Argument::Int(0),
        (false, false) => Argument::Int(dtype.wrap_int((1 + random.below(8)).into())),
    }
}

// ---- answers ----

fn shown(end: &End<'_>) -> String {
    let defined = &end.value.defined;
    match (&end.value.value, &end.path) {
        _ if !defined.contains(&true) && !defined.is_empty() => "not defined".to_owned(),
        (Argument::Int(value), _) => value.to_string(),
        (Argument::Float(value), _) => value.to_string(),
        (Argument::Array(array), Some(path)) => {
            format!("{} {:?} in {path}", array.dtype, array.shape)
        }
        (Argument::Array(array), None) => {
            format!("{} {:?} {}", array.dtype, array.shape, first_values(array))
        }
    }
}

fn text(
    body: &Body,
    outcome: &Outcome,
    [arguments, returned]: &[Vec<End<'_>>; 2],
    events: &[Told],
) -> String {
    let mut out = String::new();
    for Told { place, event, .. } in events {
        let times =
            if event.count == 1 { String::new() } else { format!(" ({} times)", event.count) };
        let _ = writeln!(out, "{place}: {}: {}{times}", event.kind.name(), event.detail);
    }
    for end in arguments {
        let _ = writeln!(out, "{}: {}", end.name, shown(end));
    }
    for end in returned {
        let _ = writeln!(out, "returned: {}", shown(end));
    }
    let what = match events.len() {
        0 => "nothing went wrong".to_owned(),
        1 => "something went wrong at 1 place".to_owned(),
        n => format!("something went wrong at {n} places"),
    };
    let _ = writeln!(out, "`{}` ran: {} steps; {what}", body.name, outcome.steps);
    out
}

fn json(
    body: &Body,
    path: &str,
    outcome: &Outcome,
    [arguments, returned]: &[Vec<End<'_>>; 2],
    events: &[Told],
) -> String {
    let value = |end: &End<'_>| {
        let mut it = match (&end.value.value, &end.path) {
            (Argument::Int(value), _) => json!({ "value": value, "defined": end.value.defined[0] }),
            (Argument::Float(value), _) => {
                json!({ "value": value, "defined": end.value.defined[0] })
            }
            (Argument::Array(array), Some(path)) => {
                json!({ "dtype": array.dtype.to_string(), "shape": array.shape, "path": path })
            }
            (Argument::Array(array), None) => {
                json!({ "dtype": array.dtype.to_string(), "shape": array.shape, "values": array.to_f64s() })
            }
        };
        if !end.name.is_empty() {
            it["name"] = end.name.into();
        }
        it
    };
    let events = events.iter().map(|Told { place, range, event }| {
        json!({
            "kind": event.kind.name(), "message": event.detail, "count": event.count,
            "place": place, "range": range,
        })
    });
    let answer = json!({
        "version": 1,
        "path": path,
        "function": &*body.name,
        "events": events.collect::<Vec<Value>>(),
        "arguments": arguments.iter().map(value).collect::<Vec<Value>>(),
        "returned": returned.iter().map(value).collect::<Vec<Value>>(),
        "steps": outcome.steps,
    });
    format!("{answer:#}\n")
}

//! The output of a run: for people, and for programs.

use std::fmt::Write as _;

use interp::{Argument, Event, Outcome};
use serde_json::{Value, json};

use crate::cli::{
    commands::run::{Run, inputs::parameter_name},
    output::findings::{self, region},
};

/// Version of the JSON answer.
const VERSION: u32 = 1;
/// Values of a small array that are shown.
const SHOWN: usize = 8;

/// For people: events, then arrays, then a summary.
pub(super) fn text(run: &Run<'_>, outcome: &Outcome, written: &[Option<String>]) -> String {
    let mut out = String::new();
    for event in &outcome.events {
        let place = run.place(event.op);
        let _ = writeln!(out, "{place}: {}: {}{}", event.kind.name(), event.detail, times(event));
    }
    for (index, argument) in outcome.arguments.iter().enumerate() {
        let name = parameter_name(&run.lowered.body, index);
        let _ = match (argument, &written[index]) {
            (Argument::Array(array), Some(path)) => {
                writeln!(out, "{name}: {} {:?} in {path}", array.dtype, array.shape)
            }
            (Argument::Array(array), None) => {
                writeln!(out, "{name}: {} {:?} {}", array.dtype, array.shape, first_values(array))
            }
            (scalar, _) => writeln!(out, "{name}: {}", shown(scalar)),
        };
    }
    if let Some(returned) = &outcome.returned {
        let _ = writeln!(out, "returned: {}", shown(returned));
    }
    let counts = outcome.counts;
    let _ = writeln!(
        out,
        "`{}` ran: {} operators, {} loads, {} stores, {} calls; {}",
        run.lowered.body.name,
        counts.arith,
        counts.loads,
        counts.stores,
        counts.calls,
        match outcome.events.len() {
            0 => "nothing went wrong".to_owned(),
            1 => "something went wrong at 1 place".to_owned(),
            n => format!("something went wrong at {n} places"),
        }
    );
    out
}

fn times(event: &Event) -> String {
    if event.count == 1 { String::new() } else { format!(" ({} times)", event.count) }
}

pub(super) fn first_values(array: &interp::Array) -> String {
    let values = array.to_f64s();
    let mut texts: Vec<String> = values.iter().take(SHOWN).map(ToString::to_string).collect();
    if values.len() > SHOWN {
        texts.push("…".to_owned());
    }
    format!("= {}", texts.join(" "))
}

fn shown(argument: &Argument) -> String {
    match argument {
        Argument::Int(value) => value.to_string(),
        Argument::Float(value) => value.to_string(),
        Argument::Array(_) => "an array".to_owned(),
    }
}

/// For programs.
pub(super) fn json(run: &Run<'_>, outcome: &Outcome, written: &[Option<String>]) -> String {
    let events: Vec<Value> = outcome.events.iter().map(|it| event(run, it)).collect();
    let arguments = outcome.arguments.iter().enumerate().map(|(index, argument)| {
        let name = parameter_name(&run.lowered.body, index);
        match argument {
            Argument::Array(array) => json!({
                "name": name,
                "dtype": array.dtype.to_string(),
                "shape": array.shape,
                "path": written[index],
            }),
            Argument::Int(value) => json!({ "name": name, "value": value }),
            Argument::Float(value) => json!({ "name": name, "value": value }),
        }
    });
    let counts = outcome.counts;
    let answer = json!({
        "version": VERSION,
        "path": run.shown,
        "function": &*run.lowered.body.name,
        "events": events,
        "arguments": arguments.collect::<Vec<_>>(),
        "returned": outcome.returned.as_ref().map(shown),
        "counts": {
            "arith": counts.arith,
            "loads": counts.loads,
            "stores": counts.stores,
            "calls": counts.calls,
        },
        "steps": outcome.steps,
    });
    format!("{answer:#}\n")
}

fn event(run: &Run<'_>, event: &Event) -> Value {
    let range = run.range(event.op);
    json!({
        "kind": event.kind.name(),
        "message": event.detail,
        "count": event.count,
        "range": findings::range_json(&region(run.source, &run.lines, range)),
    })
}

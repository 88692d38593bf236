//! Each pass of the lowering preserves the results of a function, bit for bit, and adds no new kind of event.
//!
//! A function with a reduction over threads is compared as a whole only, since between `cross_thread_reduction` and
//! `thread_bindings` it means threads that run together, and its loops over threads run one after the other: floats
//! within the tolerance that another order of a sum explains, all else to the bit. A function that is lowered already
//! must pass through. One that is large is run before all passes and after, and not in between.

use interp::{Argument, Options, Outcome, RunError, RunErrorKind};
use ir::{Body, OpKind, verify::verify};
use lower::{LOWERINGS, LowerOptions};
use test_utils::Rng;

use crate::{
    functions::{Corpus, Function, functions_of, functions_of_file},
    inputs::{self, Flavour},
    rewrites::{agrees, skip_reason},
    stages::close,
    tally::Tally,
    work,
};

/// Stages that have something to lower, and those that have nothing any more.
const STAGES: [&str; 6] =
    ["scheduled_cuda", "scheduled_cpu", "unscheduled", "legalized", "lowered_cuda", "lowered_cpu"];

/// Bodies after the passes that changed something, with whether they may be run.
struct Step {
    pass: &'static str,
    body: Body,
    /// True if threads are still loops although they have to run together.
    is_between: bool,
}

/// The steps of a lowering, and whether it changes the order in which something is reduced.
fn steps(function: &Function) -> Result<(Vec<Step>, bool), String> {
    let options = LowerOptions::default();
    let mut at = function.lowered.body.clone();
    let mut steps = Vec::new();
    let (mut is_between, mut reorders) = (false, false);
    for pass in LOWERINGS {
        let next = pass.run(&at, &options).map_err(|it| format!("refused: {}", it.reason))?;
        if next != at {
            match pass.name {
                "cross_thread_reduction" => (is_between, reorders) = (true, true),
                "thread_bindings" => is_between = false,
                _ => {}
            }
            steps.push(Step { pass: pass.name, body: next.clone(), is_between });
        }
        at = next;
    }
    Ok((steps, reorders))
}

/// Returns the remaining construct to lower: blocks, and loops over threads.
fn rest(body: &Body) -> Option<&'static str> {
    body.ops_preorder().find_map(|op| match body.ops[op].kind {
        OpKind::SBlock(_) => Some("a block"),
        OpKind::For(ir::ForKind::ThreadBinding(_)) => Some("a loop over threads"),
        _ => None,
    })
}

enum Ran {
    Compared,
    Skipped(String),
}

fn check_function(function: &Function, corpus: &Corpus, tally: &mut Tally) -> Result<Ran, String> {
    let before = &function.lowered.body;
    let (steps, reorders) = match steps(function) {
        Ok(steps) => steps,
        Err(refused) => return Ok(Ran::Skipped(refused)),
    };
    tally.note("passes that change something", steps.len() as u64);
    if let Some(step) = steps.last() {
        let errors = verify(&step.body);
        if !errors.is_empty() {
            return Err(format!("{}: invalid: {errors:?}", step.pass));
        }
        if let Some(rest) = rest(&step.body) {
            return Err(format!("{rest} is left"));
        }
    }
    if steps.is_empty() {
        return Ok(Ran::Skipped("nothing to lower".into()));
    }
    let mut reason = String::from("no input");
    let mut has_compared = false;
    for round in 0..inputs::SYMBOL_VALUES.len() {
        let symbols = inputs::symbols(before, round);
        if round > 0 && symbols.is_empty() {
            break;
        }
        let work = work::estimate(before, &symbols, u32::MAX);
        if work > corpus.max_steps.saturating_mul(corpus.larger) {
            reason = "too large (estimate)".into();
            continue;
        }
        // What is large runs once before all passes and once after.
        let is_large = work > corpus.max_steps;
        let steps =
            if is_large { steps.last().map(std::slice::from_ref) } else { Some(&steps[..]) };
        let steps = steps.unwrap_or_default();
        for flavour in [Flavour::Tame, Flavour::TameZeroInts, Flavour::Wild] {
            let is_enough = has_compared && (corpus.is_small || is_large);
            if flavour == Flavour::Wild && reorders || is_enough {
                continue;
            }
            let mut rng = Rng::new(11 + round as u64);
            let arguments = match inputs::arguments(before, &symbols, flavour, &mut rng) {
                Ok(arguments) => arguments,
                Err(why) => {
                    reason = why;
                    continue;
                }
            };
            match compare(before, steps, reorders, &arguments, corpus, tally) {
                Ok(None) => {
                    has_compared = true;
                    tally.note("runs before all passes and after", is_large.into());
                }
                Ok(Some(why)) => reason = why,
                Err(why) => return Err(format!("{flavour:?}, round {round}: {why}")),
            }
        }
    }
    Ok(if has_compared { Ran::Compared } else { Ran::Skipped(reason) })
}

/// Compares each step with the function; an input that the function itself does not run on is a reason.
fn compare(
    body: &Body,
    steps: &[Step],
    reorders: bool,
    arguments: &[Argument],
    corpus: &Corpus,
    tally: &mut Tally,
) -> Result<Option<String>, String> {
    let most = corpus.max_steps * corpus.larger;
    let options = Options { max_steps: most * 2, ..Options::default() };
    let before = tally.run(body, arguments.to_vec(), &options);
    if let Err(error) = &before {
        return Ok(Some(skip_reason(error)));
    }
    let options = Options { max_steps: most * 8, ..options };
    for step in steps.iter().filter(|it| !it.is_between) {
        let after = tally.run(&step.body, arguments.to_vec(), &options);
        if let Err(error) = &after
            && error.kind != RunErrorKind::Program
        {
            return Ok(Some(format!("after {}: {}", step.pass, skip_reason(error))));
        }
        let agreed = if reorders { nearly(&before, &after) } else { agrees(&before, &after) };
        agreed.map_err(|why| format!("after {}: {why}", step.pass))?;
    }
    Ok(None)
}

/// As `agrees`, where sums may have been taken in another order.
fn nearly(
    before: &Result<Outcome, RunError>,
    after: &Result<Outcome, RunError>,
) -> Result<(), String> {
    match (before, after) {
        (Ok(before), Ok(after)) => {
            for (at, pair) in before.arguments.iter().zip(&after.arguments).enumerate() {
                if let (Argument::Array(a), Argument::Array(b)) = pair {
                    close(a, b).map_err(|why| format!("argument {at}, {why}"))?;
                }
            }
            let known = |outcome: &Outcome, kind| outcome.events.iter().any(|it| it.kind == kind);
            match after.events.iter().find(|it| !known(before, it.kind)) {
                Some(event) => Err(format!("a new event {event:?}")),
                None => Ok(()),
            }
        }
        (Ok(_), Err(error)) => Err(format!("it stops now: {error}")),
        (Err(_), _) => Ok(()),
    }
}

#[test]
fn every_pass_of_the_lowering_keeps_what_functions_compute() {
    let corpus = Corpus::chosen(3_000_000);
    let mut tally = Tally::default();
    let mut failures = Vec::new();
    for stage in STAGES {
        for path in corpus.files(stage) {
            for function in functions_of_file(stage, &path) {
                match check_function(&function, &corpus, &mut tally) {
                    Ok(Ran::Compared) => tally.add(format!("agree: {stage}"), &function.name),
                    Ok(Ran::Skipped(why)) => {
                        tally.add(format!("{stage} skipped: {why}"), &function.name);
                    }
                    Err(why) => {
                        tally.add("DIFFER", &function.name);
                        failures.push(format!("{}: {why}", function.name));
                    }
                }
            }
        }
    }
    tally.print("functions before and after each pass of the lowering");
    assert!(failures.is_empty(), "{}", failures.join("\n"));
    if corpus.is_small {
        assert!(tally.count("agree: scheduled_cuda") >= 7, "too few kernels ran");
        assert!(tally.count("agree: scheduled_cpu") >= 8, "too few functions ran");
    }
}

#[test]
fn every_form_of_a_small_kernel_is_lowered_and_computes_the_same() {
    let corpus = Corpus { is_small: false, ..Corpus::chosen(60_000_000) };
    let mut tally = Tally::default();
    let kernels = functions_of("kernels", include_str!("lowering_kernels.py"));
    assert!(!kernels.is_empty());
    for function in kernels {
        match check_function(&function, &corpus, &mut tally) {
            Ok(Ran::Compared) => {}
            Ok(Ran::Skipped(why)) => panic!("{}: not compared: {why}", function.name),
            Err(why) => panic!("{}: {why}", function.name),
        }
    }
}

#[test]
fn loops_and_memory_in_few_lines() {
    let corpus = Corpus::chosen(3_000_000);
    let mut tally = Tally::default();
    let mut failures = Vec::new();
    for function in functions_of("loops", include_str!("lowering/loops.py")) {
        let diagnostics = &function.lowered.diagnostics;
        assert!(diagnostics.is_empty(), "{}: {diagnostics:?}", function.name);
        match check_function(&function, &corpus, &mut tally) {
            Ok(Ran::Compared) => tally.add("agree", &function.name),
            Ok(Ran::Skipped(why)) => failures.push(format!("{} is skipped: {why}", function.name)),
            Err(why) => failures.push(format!("{}: {why}", function.name)),
        }
    }
    tally.print("loops and memory");
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

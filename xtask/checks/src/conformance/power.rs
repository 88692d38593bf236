//! The computations of functions after our plan, beside those after TVM's pass.
//!
//! Input: the lowered functions of a corpus and TVM's answers (`lowered_X_cse`). Each function is executed by our
//! interpreter as it was given, after the preset `default`, and as TVM's pass left it, on the same made-up inputs; the
//! evaluations of the program are counted ([`interp::Counts`]). Where TVM's result executes less than ours only by
//! changes that may add a trap (our preset `tvm` without `allow_unsound` executes more), the function is *unsound*, not
//! *more*. Loops too long to run whole run a sample of their iterations, in all three alike. Beside that, statically:
//! values that TVM computes once and our plan does not, by the reason that the plan gives. No peer is needed: the
//! answers are part of the corpus.

use dataflow::analyses::Analyses;
use ir::effects::EffectTable;
use std::collections::BTreeMap;

use interp::{Argument, Counts, OnError, Options, Outcome, RunError, RunErrorKind};
use ir::plan::{CsePlan, Decision, Preset};
use ir::{Body, OccurrenceId, Occurrences};
use transform::cse::{CseOptions, plan, rewrite};

use crate::conformance::cse::{ANSWERS, is_question};
use crate::conformance::inputs::{self, Input as Made};
use crate::conformance::report::{Report, Target};
use crate::conformance::{Input, corpus, ours, parallel};

/// Columns of the report.
const KINDS: &[&str] = &["fewer", "equal", "unsound", "more", "left out"];
/// Evaluated nodes of one run; a function that needs more runs a sample of its iterations.
const MAX_STEPS: u64 = 1_500_000;
/// Iterations of a loop in a sample, tried in this order.
const SAMPLES: [Option<u32>; 3] = [None, Some(3), Some(1)];

/// The measurements of one function.
struct Measured {
    name: String,
    /// As it is, after our plan, after TVM's pass, after the sound part of TVM's plan.
    counts: Result<[Counts; 4], String>,
    missed: BTreeMap<String, usize>,
    /// Values that TVM computes once.
    found: usize,
}

/// Measures every lowered function that has an answer.
pub(crate) fn compare(input: &Input<'_>) -> Report {
    let title = "Operations executed after the preset default and after TVM's pass";
    let mut report = Report::new(title, KINDS);
    let answers: BTreeMap<String, &corpus::File> =
        input.files.iter().map(|file| (file.label(), file)).collect();
    let pairs: Vec<(&corpus::File, &corpus::File)> = input
        .files
        .iter()
        .filter(|file| is_question(file))
        .filter_map(|file| {
            let answer = format!("{}{ANSWERS}/{}", file.group, file.name);
            Some((file, *answers.get(&answer)?))
        })
        .collect();
    let measured = parallel(&pairs, |(file, answer)| measure_file(file, answer));
    let mut sums = Sums::default();
    for ((file, _), functions) in pairs.iter().zip(&measured) {
        for function in functions {
            count(&mut report, &file.group, function, &mut sums);
        }
    }
    sums.write(&mut report);
    let what =
        "functions that execute no more operators and loads than what is sound of TVM's pass";
    let good = ["fewer", "equal", "unsound"].map(|it| report.total(it)).iter().sum();
    report.target(Target { what, least: 100.0 }, good, good + report.total("more"));
    report
}

fn measure_file(file: &corpus::File, answer: &corpus::File) -> Vec<Measured> {
    let (before, after) = (ours::read(&file.text), ours::read(&answer.text));
    let mut measured = Vec::new();
    for function in &before.functions {
        let Some(theirs) = after.functions.iter().find(|it| it.name == function.name) else {
            continue;
        };
        let body = &function.lowered.body;
        let occurrences = Occurrences::collect(body);
        let own = plan(
            &Analyses::of(body, &occurrences, EffectTable::builtin()),
            None,
            &CseOptions::default(),
        );
        let of_peer = |allow_unsound| {
            let options =
                CseOptions { preset: Preset::Tvm, allow_unsound, ..CseOptions::default() };
            plan(&Analyses::of(body, &occurrences, EffectTable::builtin()), None, &options)
        };
        let (peer, sound) = (of_peer(true), of_peer(false));
        let (found, missed) = missed(&occurrences, &own, &peer);
        let ours = rewrite(body, &occurrences, &own);
        let sound = rewrite(body, &occurrences, &sound);
        let bodies = [body, &ours, &theirs.lowered.body, &sound];
        measured.push(Measured {
            name: format!("{}:{}", file.label(), function.name),
            counts: counts(bodies),
            missed,
            found,
        });
    }
    measured
}

/// Returns the counts of each body, on the same inputs and as many iterations.
fn counts(bodies: [&Body; 4]) -> Result<[Counts; 4], String> {
    let arguments = inputs::make(bodies[0])?.iter().map(Made::argument).collect::<Vec<_>>();
    let mut reason = String::new();
    for max_trips in SAMPLES {
        let run = |body| run(body, &arguments, max_trips);
        match bodies.map(run) {
            [Ok(a), Ok(b), Ok(c), Ok(d)] => {
                return Ok([a.counts, b.counts, c.counts, d.counts]);
            }
            results => {
                let error = results.into_iter().find_map(Result::err);
                let Some(error) = error else { continue };
                if error.kind != RunErrorKind::StepLimit {
                    return Err(error.message);
                }
                "too much work".clone_into(&mut reason);
            }
        }
    }
    Err(reason)
}

fn run(body: &Body, arguments: &[Argument], max_trips: Option<u32>) -> Result<Outcome, RunError> {
    let options =
        Options { max_steps: MAX_STEPS, max_trips, on_error: OnError::Event, ..Options::default() };
    interp::run(body, arguments.to_vec(), &options)
}

/// Returns the number of values that TVM computes once, and the reasons why our plan leaves some of them at two places
/// or more.
fn missed(
    occurrences: &Occurrences,
    own: &CsePlan,
    peer: &CsePlan,
) -> (usize, BTreeMap<String, usize>) {
    let mut replaced = vec![false; occurrences.len()];
    let reused = own.groups.iter().filter_map(|group| match &group.decision {
        Decision::Reuse(reuse) => Some(&reuse.replaces),
        _ => None,
    });
    for &id in own.bindings.iter().map(|it| &it.replaces).chain(reused).flatten() {
        replaced[ir::arena::Id::index(id)] = true;
    }
    // An occurrence is gone if it or what it is a part of became a name.
    let is_gone = |mut id: OccurrenceId| loop {
        if replaced[ir::arena::Id::index(id)] {
            return true;
        }
        match occurrences[id].parent {
            Some(parent) => id = parent,
            None => return false,
        }
    };
    let (mut found, mut missed) = (0, BTreeMap::new());
    for binding in &peer.bindings {
        found += 1;
        let all = &peer.groups[binding.group].occurrences;
        let left: Vec<OccurrenceId> = all.iter().copied().filter(|&it| !is_gone(it)).collect();
        let [first, _, ..] = left[..] else { continue };
        let group = own.groups.iter().find(|it| it.occurrences.contains(&first));
        let reason = match group.map(|it| &it.decision) {
            Some(Decision::Refuse(refusal)) => refusal.name().to_owned(),
            Some(_) => "bound at some of its places".to_owned(),
            None => "not in the plan".to_owned(),
        };
        *missed.entry(reason).or_default() += 1;
    }
    (found, missed)
}

/// Sums over all functions.
#[derive(Default)]
struct Sums {
    functions: usize,
    /// Of logarithms of ratios: ours to TVM's, ours to the original, TVM's to the original.
    logarithms: [f64; 3],
    found: usize,
    missed: usize,
}

impl Sums {
    fn add(&mut self, counts: &[Counts; 4]) {
        let [before, ours, theirs, _] =
            counts.map(|it| (it.arith + it.loads + it.calls).max(1) as f64);
        self.functions += 1;
        for (sum, ratio) in
            self.logarithms.iter_mut().zip([ours / theirs, ours / before, theirs / before])
        {
            *sum += ratio.ln();
        }
    }

    fn write(&self, report: &mut Report) {
        let mean = |at: usize| (self.logarithms[at] / self.functions.max(1) as f64).exp();
        report.note(format!("{} functions executed each way", self.functions));
        report.note(format!(
            "operators, loads and calls, geometric means: ours {:.4} of TVM's; ours {:.4} and TVM's {:.4} of the original",
            mean(0),
            mean(1),
            mean(2)
        ));
        report.note(format!(
            "values that TVM computes once: {}; computed at two places or more by our plan: {}",
            self.found, self.missed
        ));
    }
}

fn count(report: &mut Report, group: &str, function: &Measured, sums: &mut Sums) {
    sums.found += function.found;
    for (reason, number) in &function.missed {
        sums.missed += number;
        report.tally(1, "values that TVM computes once and our plan does not", reason, *number);
        let line = format!("{}: {number} {reason}", function.name);
        report.list(2, "where they are", line);
    }
    let counts = match &function.counts {
        Ok(counts) => counts,
        Err(why) => {
            report.count(group, "left out");
            return report.tally(3, "not executed", why, 1);
        }
    };
    sums.add(counts);
    let [_, ours, theirs, sound] = counts.map(|it| it.arith + it.loads);
    let kind = match ours.cmp(&theirs) {
        std::cmp::Ordering::Less => "fewer",
        std::cmp::Ordering::Equal => "equal",
        std::cmp::Ordering::Greater if ours <= sound => "unsound",
        std::cmp::Ordering::Greater => "more",
    };
    report.count(group, kind);
    if kind == "more" || kind == "unsound" {
        let line = format!(
            "{}: {ours}, {theirs} after TVM's pass, {sound} without what may trap ({kind})",
            function.name
        );
        report.list(0, "more than after TVM's pass", line);
    }
}

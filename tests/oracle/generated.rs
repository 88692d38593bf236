//! Generated functions: every plan of every one preserves the results, as a rewrite and as an edit of its text.
//!
//! A function with unknown names (`test_utils::Features::Unknowns`), or with vectors of `T.vscale()` lanes, is planned
//! as it is, and each resulting text is run with several values (`check::instances`). Calls of operators are given
//! pointers, and have in the run all effects that the effects table leaves open.
//!
//! The environment makes other runs of it, of each test here:
//!
//! | variable | what |
//! |---|---|
//! | `TIR_ORACLE_FUNCTIONS` | how many functions |
//! | `TIR_ORACLE_SEED` | the seed of the first one |
//! | `TIR_ORACLE_PLANS` | what is checked of them, names with commas between: `default` (all its levels and options), `tvm`, `tvm-2022`, `findings`, `simplify`, `printed` (the text that we print, of functions with unknown names or lanes); without it everything |
//! | `TIR_ORACLE_SHOWN` | how many failures of each kind are made smaller and shown; without it 3, and 8 of all kinds together |
//! | `TIR_ORACLE_DIFFERING` | set to anything: a simplification that is not offered because its text would read back differently is a failure |
//! | `TIR_ORACLE_FAILURES` | a folder: what is shown is written there too |
//!
//! The seeds of all failures are printed, shown or not.

mod as_read;
mod check;
mod mutants;
mod operators;
mod quiet;
mod selected;
mod values;

use std::{
    collections::BTreeMap,
    sync::{
        Mutex,
        atomic::{AtomicU64, Ordering},
    },
};

use test_utils::{Features, Program};

use check::{Checked, Failure, check};
use selected::{is_everything, number};

/// The number of functions that the usual test run checks.
const FUNCTIONS: u64 = 500;
/// The number of functions that it checks for each feature that few functions have.
const OF_FEATURE: u64 = 40;
/// Questions asked to make a failure smaller.
const SHRINK_LIMIT: usize = 4_000;
/// Failures of a kind that are made smaller and shown: the same cause fails often.
const SHOWN_OF_KIND: usize = 3;
/// Failures of all kinds that are printed, unless `TIR_ORACLE_SHOWN` gives the number of each.
const SHOWN: usize = 8;

/// The summary of the functions of one run.
#[derive(Default)]
struct Summary {
    /// By outcome.
    counts: BTreeMap<&'static str, u64>,
    failures: Vec<(u64, Failure)>,
}

impl Summary {
    fn add(&mut self, seed: u64, result: Result<Checked, Failure>) {
        match result {
            Ok(checked) => {
                for (name, n) in checked.counts() {
                    *self.counts.entry(name).or_default() += n;
                }
            }
            Err(failure) => self.failures.push((seed, failure)),
        }
    }
}

/// Checks the functions of `n` seeds on all processors.
fn check_all(first: u64, n: u64, made: fn(u64) -> Program) -> Summary {
    let next = AtomicU64::new(first);
    let summary = Mutex::new(Summary::default());
    let n_threads = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        for _ in 0..n_threads {
            scope.spawn(|| {
                let mut own = Summary::default();
                loop {
                    let seed = next.fetch_add(1, Ordering::Relaxed);
                    if seed >= first + n {
                        break;
                    }
                    own.add(seed, check(&made(seed), seed));
                }
                let mut all = summary.lock().expect("no thread panics while it holds this");
                for (name, n) in own.counts {
                    *all.counts.entry(name).or_default() += n;
                }
                all.failures.extend(own.failures);
            });
        }
    });
    let mut summary = summary.into_inner().expect("no thread panics while it holds this");
    summary.failures.sort_by_key(|it| it.0);
    summary
}

/// A failure, made smaller, as a person wants to read it.
fn report(seed: u64, failure: &Failure, made: fn(u64) -> Program) -> String {
    let mut fails = |it: &Program| check(it, seed).is_err_and(|it| it.kind == failure.kind);
    let small = made(seed).shrink(&mut fails, SHRINK_LIMIT);
    let why = check(&small, seed).err().map_or_else(|| failure.what.clone(), |it| it.what);
    let text = format!("# seed {seed}: {}: {why}\n{}", failure.kind, small.text());
    if let Some(folder) = std::env::var_os("TIR_ORACLE_FAILURES") {
        let path = std::path::Path::new(&folder).join(format!("seed_{seed}.py"));
        std::fs::write(path, &text).expect("the folder for failures can be written");
    }
    text
}

#[test]
fn generated_functions_keep_what_they_compute() {
    check_generated(FUNCTIONS, Program::random);
}

/// The same with elements that are stored to again and again, of which many are read between.
#[test]
fn functions_that_write_over_stores_keep_what_they_compute() {
    check_generated(FUNCTIONS / 2, |seed| Program::random(seed).with_overwrites(seed));
}

/// The same with names whose values are not known, which the plans know nothing of and the runs give values.
#[test]
fn functions_with_unknown_names_keep_what_they_compute() {
    check_generated(OF_FEATURE, |seed| Program::with(Features::Unknowns, seed));
}

/// The same with calls that are given pointers, of every operator that the table of effects names.
#[test]
fn functions_that_call_operators_keep_what_they_compute() {
    check_generated(OF_FEATURE, |seed| Program::with(Features::Calls(operators::all()), seed));
}

/// The same with vectors whose number of lanes is a multiple of `T.vscale()`.
#[test]
fn functions_on_scalable_vectors_keep_what_they_compute() {
    check_generated(OF_FEATURE, |seed| Program::with(Features::Scalable, seed));
}

/// The same with nests of blocks, as functions have that are still to be scheduled.
#[test]
fn functions_to_be_scheduled_keep_what_they_compute() {
    check_generated(OF_FEATURE, |seed| Program::with(Features::Blocks, seed));
}

#[expect(clippy::print_stdout, reason = "the report of a test, shown with --nocapture")]
fn check_generated(usual: u64, made: fn(u64) -> Program) {
    let n = number("TIR_ORACLE_FUNCTIONS").unwrap_or(usual);
    let first = number("TIR_ORACLE_SEED").unwrap_or(1);
    let start = std::time::Instant::now();
    let summary = check_all(first, n, made);
    println!("{n} functions from seed {first} in {:.1} s", start.elapsed().as_secs_f64());
    for (name, n) in &summary.counts {
        println!("  {n:9}  {name}");
    }
    let reports = reports(&summary.failures, made);
    assert!(reports.is_empty(), "{} failures\n{}", summary.failures.len(), reports.join("\n"));
    let count = |name| summary.counts.get(name).copied().unwrap_or(0);
    assert!(
        count("not well-typed") * 20 < n + 40,
        "constants of some divide by zero when they are read"
    );
    assert_eq!(count("runs of originals that race"), 0, "threads have cells of their own");
    let is_usual = count("functions compared") * 2 > n;
    assert!(is_usual || !is_everything(), "most functions run and have something in common");
}

/// Prints the seeds of all failures; gives the text of the first ones of each kind.
#[expect(clippy::print_stdout, reason = "the report of a test, shown with --nocapture")]
fn reports(failures: &[(u64, Failure)], made: fn(u64) -> Program) -> Vec<String> {
    let mut by_kind: BTreeMap<&str, Vec<&(u64, Failure)>> = BTreeMap::new();
    for failure in failures {
        by_kind.entry(&failure.1.kind).or_default().push(failure);
    }
    for (kind, failures) in &by_kind {
        let seeds: Vec<String> = failures.iter().map(|it| it.0.to_string()).collect();
        println!("  {:9}  FAIL {kind}: {}", failures.len(), seeds.join(" "));
    }
    let (of_kind, of_all) = match number("TIR_ORACLE_SHOWN") {
        Some(n) => (usize::try_from(n).unwrap_or(usize::MAX), usize::MAX),
        None => (SHOWN_OF_KIND, SHOWN),
    };
    let shown = by_kind.values().flat_map(|it| it.iter().take(of_kind)).take(of_all);
    shown.map(|(seed, failure)| report(*seed, failure, made)).collect()
}

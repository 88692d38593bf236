//! Generated functions: every plan of every one keeps what it computes, as a rewrite and as an edit of its text.
//!
//! `TIR_ORACLE_FUNCTIONS` says how many, `TIR_ORACLE_SEED` where they begin. A failure is made smaller before it is
//! shown, and written below `TIR_ORACLE_FAILURES` if that names a folder.

mod as_read;
mod check;
mod mutants;
mod quiet;
mod values;

use std::{
    collections::BTreeMap,
    sync::{
        Mutex,
        atomic::{AtomicU64, Ordering},
    },
};

use test_utils::Program;

use check::{Checked, Failure, check};

/// How many functions the usual test run checks.
const FUNCTIONS: u64 = 500;
/// Questions asked to make a failure smaller.
const SHRINK_LIMIT: usize = 4_000;
/// Failures that are made smaller and shown.
const SHOWN: usize = 8;

/// What became of the functions of one run.
#[derive(Default)]
struct Summary {
    /// By what happened.
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

fn number(variable: &str) -> Option<u64> {
    std::env::var(variable).ok()?.parse().ok()
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
    let mut by_kind: BTreeMap<&str, Vec<&(u64, Failure)>> = BTreeMap::new();
    for failure in &summary.failures {
        by_kind.entry(&failure.1.kind).or_default().push(failure);
    }
    for (kind, failures) in &by_kind {
        println!("  {:9}  FAIL {kind}", failures.len());
    }
    // The same cause fails often: the first of each kind are shown.
    let shown = by_kind.values().flat_map(|it| it.iter().take(3)).take(SHOWN);
    let reports: Vec<String> = shown.map(|(seed, failure)| report(*seed, failure, made)).collect();
    assert!(reports.is_empty(), "{} failures\n{}", summary.failures.len(), reports.join("\n"));
    let count = |name| summary.counts.get(name).copied().unwrap_or(0);
    assert!(
        count("not well-typed") * 20 < n,
        "constants of some divide by zero when they are read"
    );
    assert_eq!(count("runs of originals that race"), 0, "threads have cells of their own");
    assert!(count("functions compared") * 2 > n, "most functions run and have something in common");
}

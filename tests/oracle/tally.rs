//! The tally of functions: counts by reason, with the names behind them; and the speed of the interpreter.

use std::{
    collections::BTreeMap,
    time::{Duration, Instant},
};

use interp::{Argument, Options, Outcome, RunError};
use ir::Body;

/// Counts by reason.
#[derive(Default)]
pub(crate) struct Tally {
    by_reason: BTreeMap<String, Vec<String>>,
    noted: BTreeMap<&'static str, u64>,
    steps: u64,
    time: Duration,
}

impl Tally {
    pub(crate) fn add(&mut self, reason: impl Into<String>, name: &str) {
        self.by_reason.entry(reason.into()).or_default().push(name.to_owned());
    }

    /// Counts a note that belongs to no single function.
    pub(crate) fn note(&mut self, what: &'static str, n: u64) {
        *self.noted.entry(what).or_default() += n;
    }

    /// Runs a function, and counts the nodes it evaluates and the time it takes.
    pub(crate) fn run(
        &mut self,
        body: &Body,
        arguments: Vec<Argument>,
        options: &Options,
    ) -> Result<Outcome, RunError> {
        let start = Instant::now();
        let result = interp::run(body, arguments, options);
        if let Ok(outcome) = &result {
            self.steps += outcome.steps;
            self.time += start.elapsed();
        }
        result
    }

    pub(crate) fn count(&self, reason: &str) -> usize {
        self.by_reason.get(reason).map_or(0, Vec::len)
    }

    /// The report: a line a reason, with the first names.
    #[expect(clippy::print_stdout, reason = "the report of a test, shown with --nocapture")]
    pub(crate) fn print(&self, title: &str) {
        let n: usize = self.by_reason.values().map(Vec::len).sum();
        let rate = self.steps as f64 / self.time.as_secs_f64().max(1e-9) / 1e6;
        println!("{title}: {n}; {} nodes, {rate:.1} million a second", self.steps);
        let shown = if std::env::var_os("TIR_ORACLE_NAMES").is_some() { usize::MAX } else { 3 };
        for (reason, names) in &self.by_reason {
            let first: Vec<&str> = names.iter().take(shown).map(String::as_str).collect();
            println!("  {:5}  {reason}  ({})", names.len(), first.join(", "));
        }
        for (what, n) in &self.noted {
            println!("  {n:5}  {what}");
        }
    }
}

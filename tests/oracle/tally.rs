//! What happened to each function: counts by reason, with the names behind them.

use std::collections::BTreeMap;

/// Counts by reason.
#[derive(Default)]
pub(crate) struct Tally {
    by_reason: BTreeMap<String, Vec<String>>,
}

impl Tally {
    pub(crate) fn add(&mut self, reason: impl Into<String>, name: &str) {
        self.by_reason.entry(reason.into()).or_default().push(name.to_owned());
    }

    pub(crate) fn count(&self, reason: &str) -> usize {
        self.by_reason.get(reason).map_or(0, Vec::len)
    }

    /// The report: a line a reason, with the first names.
    #[expect(clippy::print_stdout, reason = "the report of a test, shown with --nocapture")]
    pub(crate) fn print(&self, title: &str) {
        let n: usize = self.by_reason.values().map(Vec::len).sum();
        println!("{title}: {n}");
        let shown = if std::env::var_os("TIR_ORACLE_NAMES").is_some() { usize::MAX } else { 3 };
        for (reason, names) in &self.by_reason {
            let first: Vec<&str> = names.iter().take(shown).map(String::as_str).collect();
            println!("  {:5}  {reason}  ({})", names.len(), first.join(", "));
        }
    }
}

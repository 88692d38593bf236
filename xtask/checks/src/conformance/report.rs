//! The report of a comparison: counts a group, then every difference by name.
//!
//! Input: the results of a comparison, in the order of the files. Output: text that depends on nothing else (no times,
//! no paths of the machine), so that two reports can be compared line by line.

use std::collections::BTreeMap;
use std::fmt::Write as _;

/// A share that a comparison aims at.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Target {
    /// The counted thing, in words.
    pub(crate) what: &'static str,
    /// The least share, in percent.
    pub(crate) least: f64,
}

/// Counts of one group, by kind in the order that the comparison names them.
#[derive(Clone, Debug, Default)]
struct Counts {
    by_kind: BTreeMap<&'static str, usize>,
}

/// A report being written.
#[derive(Clone, Debug, Default)]
pub(crate) struct Report {
    head: Vec<String>,
    kinds: &'static [&'static str],
    groups: BTreeMap<String, Counts>,
    lists: BTreeMap<usize, (String, Vec<String>)>,
    tallies: BTreeMap<usize, (String, BTreeMap<String, usize>)>,
    targets: Vec<(Target, usize, usize)>,
    numbers: Vec<(&'static str, usize, usize)>,
}

impl Report {
    /// A report whose table has these columns.
    pub(crate) fn new(title: &str, kinds: &'static [&'static str]) -> Report {
        Report { head: vec![title.to_owned()], kinds, ..Report::default() }
    }

    /// A line of the head: versions, options.
    pub(crate) fn note(&mut self, line: impl Into<String>) {
        self.head.push(line.into());
    }

    /// Counts one function of a group.
    pub(crate) fn count(&mut self, group: &str, kind: &'static str) {
        self.add(group, kind, 1);
    }

    /// Counts several.
    pub(crate) fn add(&mut self, group: &str, kind: &'static str, number: usize) {
        debug_assert!(self.kinds.contains(&kind), "{kind} has no column");
        let counts = self.groups.entry(group.to_owned()).or_default();
        *counts.by_kind.entry(kind).or_default() += number;
    }

    /// The sum of a column.
    pub(crate) fn total(&self, kind: &str) -> usize {
        self.groups.values().filter_map(|counts| counts.by_kind.get(kind)).sum()
    }

    /// Adds a line to the list of that place and title.
    pub(crate) fn list(&mut self, place: usize, title: &str, line: impl Into<String>) {
        let entry = self.lists.entry(place).or_insert_with(|| (title.to_owned(), Vec::new()));
        entry.1.push(line.into());
    }

    /// Counts a reason in the tally of that place and title.
    pub(crate) fn tally(
        &mut self,
        place: usize,
        title: &str,
        reason: impl Into<String>,
        number: usize,
    ) {
        let entry =
            self.tallies.entry(place).or_insert_with(|| (title.to_owned(), BTreeMap::new()));
        *entry.1.entry(reason.into()).or_default() += number;
    }

    /// States a target and how far it is met.
    pub(crate) fn target(&mut self, target: Target, good: usize, all: usize) {
        self.targets.push((target, good, all));
    }

    /// States a number that must be reached.
    pub(crate) fn at_least(&mut self, what: &'static str, number: usize, least: usize) {
        self.numbers.push((what, number, least));
    }

    /// The claim of each target, with how many cases are so, and of how many.
    pub(crate) fn claims(&self) -> impl Iterator<Item = (&'static str, usize, usize)> + '_ {
        self.targets.iter().map(|(target, good, all)| (target.what, *good, *all))
    }

    /// The title and the versions: the lines of the head.
    pub(crate) fn method(&self) -> String {
        self.head.join("; ")
    }

    /// The sum of each column that has one.
    pub(crate) fn totals(&self) -> impl Iterator<Item = (&'static str, usize)> + '_ {
        self.kinds.iter().map(|kind| (*kind, self.total(kind))).filter(|(_, number)| *number > 0)
    }

    /// Returns true if every target is met.
    pub(crate) fn is_good(&self) -> bool {
        self.targets.iter().all(|(target, good, all)| percent(*good, *all) >= target.least)
            && self.numbers.iter().all(|(_, number, least)| number >= least)
    }

    /// The text: head, table, tallies, lists, targets.
    pub(crate) fn text(&self) -> String {
        let mut text = String::new();
        for line in &self.head {
            push_line(&mut text, line);
        }
        self.write_table(&mut text);
        for (title, reasons) in self.tallies.values() {
            push_line(&mut text, &format!("\n{title}:"));
            let mut reasons: Vec<_> = reasons.iter().collect();
            reasons.sort_by_key(|(reason, number)| (std::cmp::Reverse(**number), *reason));
            for (reason, number) in reasons {
                push_line(&mut text, &format!("{number:7}  {reason}"));
            }
        }
        for (title, lines) in self.lists.values() {
            push_line(&mut text, &format!("\n{title} ({}):", lines.len()));
            for line in lines {
                push_line(&mut text, &format!("  {line}"));
            }
        }
        for (target, good, all) in &self.targets {
            let verdict = if percent(*good, *all) >= target.least { "met" } else { "MISSED" };
            push_line(
                &mut text,
                &format!(
                    "\n{}: {good} of {all} = {:.2} % (target {} %): {verdict}",
                    target.what,
                    percent(*good, *all),
                    target.least
                ),
            );
        }
        for (what, number, least) in &self.numbers {
            let verdict = if number >= least { "met" } else { "MISSED" };
            push_line(&mut text, &format!("\n{what}: {number} (at least {least}): {verdict}"));
        }
        text
    }

    fn write_table(&self, text: &mut String) {
        let widest = self.groups.keys().map(String::len).max().unwrap_or(0).max(5);
        let mut head = format!("\n{:widest$}", "");
        for kind in self.kinds {
            let _ = write!(head, "  {kind:>9}");
        }
        push_line(text, &head);
        let rows = self.groups.iter().map(|(name, counts)| (name.as_str(), Some(counts)));
        for (name, counts) in rows.chain([("total", None)]) {
            let mut line = format!("{name:widest$}");
            for kind in self.kinds {
                let number = match counts {
                    Some(counts) => counts.by_kind.get(kind).copied().unwrap_or(0),
                    None => self.total(kind),
                };
                let width = kind.chars().count().max(9);
                let _ = write!(line, "  {number:>width$}");
            }
            push_line(text, &line);
        }
    }
}

fn push_line(text: &mut String, line: &str) {
    text.push_str(line.trim_end());
    text.push('\n');
}

/// A message without the names in it: what stands between two marks is one.
pub(crate) fn without_names(message: &str) -> String {
    let parts = message.split('`').enumerate();
    let parts: Vec<&str> = parts.map(|(at, it)| if at % 2 == 0 { it } else { "…" }).collect();
    parts.join("`")
}

/// A share in percent; nothing of nothing is all of it.
fn percent(good: usize, all: usize) -> f64 {
    if all == 0 { 100.0 } else { 100.0 * good as f64 / all as f64 }
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::*;

    #[test]
    fn report_shows_counts_reasons_lists_and_targets() {
        let mut report = Report::new("compared", &["same", "different"]);
        report.count("a", "same");
        report.add("b", "different", 2);
        report.tally(0, "reasons", "because", 2);
        report.tally(0, "reasons", "rarely", 1);
        report.list(0, "different", "b/one: x");
        report.target(Target { what: "same", least: 98.0 }, 1, 3);
        expect![[r#"
            compared

                        same  different
            a              1          0
            b              0          2
            total          1          2

            reasons:
                  2  because
                  1  rarely

            different (1):
              b/one: x

            same: 1 of 3 = 33.33 % (target 98 %): MISSED
        "#]]
        .assert_eq(&report.text());
        assert!(!report.is_good());
    }
}

//! The table of rules: how each is known to hold, or where it does not.

use std::fmt::Write as _;

use serde_json::{Value, json};

use crate::prove_rules::claim::{Claim, Sort};
use crate::prove_rules::exhaustive::Counterexample;
use crate::prove_rules::prove::Proof;
use crate::prove_rules::term::Machine;

/// One rule.
struct Row {
    name: String,
    place: String,
    text: String,
    proofs: Vec<(Machine, Proof)>,
    /// The reason why it does not hold.
    failure: Option<String>,
}

/// All rules, in the order of the tables.
pub(crate) struct Report {
    version: String,
    rows: Vec<Row>,
}

impl Report {
    /// A report without rules, by this solver.
    pub(crate) fn new(version: String) -> Report {
        Report { version, rows: Vec::new() }
    }

    /// Adds a rule.
    pub(crate) fn add(&mut self, claim: &Claim, proofs: Vec<(Machine, Proof)>) {
        let failure = proofs.iter().find_map(|(machine, proof)| match proof {
            Proof::Refuted(found) => Some(shown(claim, found)),
            Proof::Unproved(why) => Some(format!("on {machine}: {why}")),
            Proof::Proved | Proof::BruteForced(_) => None,
        });
        self.rows.push(Row {
            name: claim.name.clone(),
            place: claim.place.clone(),
            text: claim.text.clone(),
            proofs,
            failure,
        });
    }

    /// Returns the number of rules that are wrong or neither proved nor tried.
    pub(crate) fn failed(&self) -> usize {
        self.rows.iter().filter(|it| it.failure.is_some()).count()
    }

    /// Each of them, with its place and the values that refute it.
    pub(crate) fn failures(&self) -> impl Iterator<Item = String> + '_ {
        self.rows.iter().filter_map(|row| {
            let why = row.failure.as_ref()?;
            Some(format!("{}: {}: {}\n    {why}", row.place, row.name, row.text))
        })
    }

    /// The counts, in a line.
    pub(crate) fn summary(&self) -> String {
        let is_proved = |row: &&Row| row.proofs.iter().all(|it| it.1 == Proof::Proved);
        let proved = self.rows.iter().filter(is_proved).count();
        let failed = self.failed();
        format!(
            "{} rules: {proved} proved, {} brute-forced in part, {failed} failed ({})",
            self.rows.len(),
            self.rows.len() - proved - failed,
            self.version
        )
    }

    /// The table, then the failures.
    pub(crate) fn text(&self) -> String {
        let widest = self.rows.iter().map(|it| it.name.len()).max().unwrap_or(0);
        let mut text = String::new();
        for row in &self.rows {
            let _ = writeln!(text, "{:widest$}  {}", row.name, row.status());
        }
        text.push('\n');
        for failure in self.failures() {
            let _ = writeln!(text, "{failure}");
        }
        let _ = writeln!(text, "{}", self.summary());
        text
    }

    /// A JSON object a line.
    pub(crate) fn json(&self) -> String {
        self.rows.iter().map(|row| format!("{}\n", row.json())).collect()
    }
}

impl Row {
    /// Returns the evidence, by machine.
    fn status(&self) -> String {
        if self.failure.is_some() {
            return "FAILED".to_owned();
        }
        let on = |wanted: &dyn Fn(&Proof) -> bool| {
            let machines = self.proofs.iter().filter(|it| wanted(&it.1));
            machines.map(|it| it.0.to_string()).collect::<Vec<_>>().join("; ")
        };
        let cases: u64 = self.proofs.iter().map(|it| it.1.cases()).sum();
        let (proved, forced) = (on(&|it| *it == Proof::Proved), on(&|it| it.cases() > 0));
        match (proved.is_empty(), forced.is_empty()) {
            (_, true) => format!("proved: {proved}"),
            (true, _) => format!("brute-forced ({cases} cases): {forced}"),
            _ => format!("brute-forced ({cases} cases): {forced}; proved: {proved}"),
        }
    }

    fn json(&self) -> Value {
        let of_machine = |(machine, proof): &(Machine, Proof)| {
            let status = match proof {
                Proof::Proved => "proved",
                Proof::BruteForced(_) => "brute-forced",
                Proof::Refuted(_) => "refuted",
                Proof::Unproved(_) => "unproved",
            };
            json!({ "on": machine.to_string(), "status": status, "cases": proof.cases() })
        };
        json!({
            "rule": self.name,
            "place": self.place,
            "text": self.text,
            "proofs": self.proofs.iter().map(of_machine).collect::<Vec<_>>(),
            "failure": self.failure,
        })
    }
}

impl Proof {
    fn cases(&self) -> u64 {
        match self {
            Proof::BruteForced(cases) => *cases,
            _ => 0,
        }
    }
}

/// The values that refute a claim, in a line.
fn shown(claim: &Claim, found: &Counterexample) -> String {
    let mut text = format!("on {}", found.machine);
    if claim.is_lazy() {
        text.push_str(if found.is_strict { ", all operands evaluated" } else { ", lazily" });
    }
    text.push_str(" with");
    for (index, (variable, value)) in claim.variables.iter().zip(&found.values).enumerate() {
        let separator = if index == 0 { "" } else { "," };
        let _ = write!(text, "{separator} {} = {}", variable.name, number(variable.sort, *value));
    }
    let right = found.right.map_or("an error".to_owned(), |it| it.to_string());
    let _ = write!(text, ": the left side is {}, the right side {right}", found.left);
    text
}

fn number(sort: Sort, value: Option<i128>) -> String {
    match (sort, value) {
        (_, None) => "an error".to_owned(),
        (Sort::Bool, Some(value)) => (value != 0).to_string(),
        (_, Some(value)) => value.to_string(),
    }
}

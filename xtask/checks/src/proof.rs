//! `cargo xtask proof`: the page `tests/PROOF.md`, made of the records that campaigns leave.
//!
//! A campaign writes one record, `tests/proof/NAME.json`: what was claimed, by what it was checked, how many, how long,
//! with which seed, when, and what failed. A part of the benchmark leaves its figures in the same way. The page is two
//! tables of them and nothing else: no number in it is typed. A record is replaced by the next run of its campaign.

use std::fmt::Write as _;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use anyhow::Context as _;
use serde_json::{Value, json};

use crate::Outcome;
use crate::process;
use crate::workspace::{Workspace, say};

/// The records.
const RECORDS: &str = "tests/proof";
/// The page.
const PAGE: &str = "tests/PROOF.md";

/// Make `tests/PROOF.md` of the records that campaigns left in `tests/proof`.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  cargo xtask conformance validate --corpus DIR --proof validate   a campaign that leaves records
  cargo xtask proof                                                the page of all records
  cargo xtask proof --check                                        only say whether the page is up to date")]
pub(crate) struct Args {
    /// Only say whether the page is up to date.
    #[arg(long)]
    check: bool,
}

/// One claim and how it was checked.
#[derive(Clone, Debug)]
pub(crate) struct Record {
    /// The name of its file.
    pub(crate) name: String,
    /// The claim.
    pub(crate) claim: String,
    /// By what it was checked, with versions.
    pub(crate) method: String,
    /// How many cases.
    pub(crate) number: usize,
    /// How many of them failed.
    pub(crate) failures: usize,
    /// Counts by kind.
    pub(crate) details: Value,
    pub(crate) seed: Option<u64>,
    pub(crate) duration: Duration,
}

impl Record {
    /// The record of that name, if a campaign left one.
    ///
    /// # Errors
    /// There is a file that is no record.
    pub(crate) fn read(ws: &Workspace, name: &str) -> anyhow::Result<Option<Record>> {
        let path = ws.path(RECORDS).join(format!("{name}.json"));
        let text = match std::fs::read_to_string(&path) {
            Ok(text) => text,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
            Err(error) => {
                return Err(error).with_context(|| format!("cannot read {}", path.display()));
            }
        };
        let value: Value = serde_json::from_str(&text)
            .with_context(|| format!("{} is no record", path.display()))?;
        let number = |key: &str| value[key].as_u64().unwrap_or(0);
        let words = |key: &str| value[key].as_str().unwrap_or_default().to_owned();
        Ok(Some(Record {
            name: name.to_owned(),
            claim: words("claim"),
            method: words("method"),
            number: number("number") as usize,
            failures: number("failures") as usize,
            details: value["details"].clone(),
            seed: value["seed"].as_u64(),
            duration: Duration::from_secs(number("seconds")),
        }))
    }

    /// Writes it, with the date of today.
    ///
    /// # Errors
    /// The file cannot be written, or there is no date.
    pub(crate) fn write(&self, ws: &Workspace) -> anyhow::Result<()> {
        let value = json!({
            "claim": self.claim,
            "method": self.method,
            "number": self.number,
            "failures": self.failures,
            "details": self.details,
            "seed": self.seed,
            "seconds": self.duration.as_secs(),
        });
        write(&self.name, value, ws)
    }
}

/// Writes the record of a name, with the date of today.
///
/// # Errors
/// The file cannot be written, or there is no date.
pub(crate) fn write(name: &str, mut record: Value, ws: &Workspace) -> anyhow::Result<()> {
    let date = process::run_quiet(Command::new("date").args(["-u", "+%Y-%m-%d"]))?;
    record["date"] = date.trim().into();
    let folder = ws.path(RECORDS);
    std::fs::create_dir_all(&folder)
        .with_context(|| format!("cannot make {}", folder.display()))?;
    let path = folder.join(format!("{name}.json"));
    std::fs::write(&path, format!("{record:#}\n"))
        .with_context(|| format!("cannot write {}", path.display()))
}

pub(crate) fn run(args: &Args, ws: &Workspace) -> anyhow::Result<Outcome> {
    let page = page(&ws.path(RECORDS))?;
    let path = ws.path(PAGE);
    if args.check {
        let is_same = std::fs::read_to_string(&path).is_ok_and(|it| it == page);
        if !is_same {
            say(format_args!("{PAGE} is not what the records say: `cargo xtask proof` makes it"));
        }
        return Ok(if is_same { Outcome::Passed } else { Outcome::Failed });
    }
    std::fs::write(&path, page).with_context(|| format!("cannot write {}", path.display()))?;
    say(format_args!("{PAGE} is written"));
    Ok(Outcome::Passed)
}

/// The page of the records in a folder, in the order of their names.
fn page(folder: &Path) -> anyhow::Result<String> {
    let mut paths: Vec<_> = std::fs::read_dir(folder)
        .with_context(|| format!("no campaign has left a record in {}", folder.display()))?
        .filter_map(|it| Some(it.ok()?.path()))
        .filter(|it| it.extension().is_some_and(|it| it == "json"))
        .collect();
    paths.sort();
    let mut records = Vec::new();
    for path in paths {
        let text = std::fs::read_to_string(&path)
            .with_context(|| format!("cannot read {}", path.display()))?;
        let value = serde_json::from_str(&text)
            .with_context(|| format!("{} is no record", path.display()))?;
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        records.push((name, value));
    }
    Ok(table(&records))
}

fn table(records: &[(String, Value)]) -> String {
    let mut out = "\
<!-- Made by `cargo xtask proof` of tests/proof. Do not edit. -->

# Proof

What is claimed, by what it was checked, how many cases, how long it took, when, and what failed. Each row is the record
of a campaign, which a command writes.

| campaign | claim | checked by | cases | failed | counts | seed | seconds | date |
|---|---|---|---:|---:|---|---|---:|---|
"
    .to_owned();
    let is_benchmark = |it: &&(String, Value)| it.1["figures"].is_array();
    for (name, record) in records.iter().filter(|it| !is_benchmark(it)) {
        let cell = |key: &str| shown(&record[key]);
        let _ = writeln!(
            out,
            "| {name} | {} | {} | {} | {} | {} | {} | {} | {} |",
            cell("claim"),
            cell("method"),
            cell("number"),
            cell("failures"),
            cell("details"),
            cell("seed"),
            cell("seconds"),
            cell("date"),
        );
    }
    if records.iter().any(|it| is_benchmark(&it)) {
        out += SPEED;
    }
    for (name, record) in records.iter().filter(is_benchmark) {
        let part = name.strip_prefix("bench-").unwrap_or(name);
        let run =
            format!("{}, {} processors", shown(&record["inputs"]), shown(&record["processors"]));
        for figure in record["figures"].as_array().into_iter().flatten() {
            let cell = |key: &str| shown(&figure[key]);
            let _ = writeln!(
                out,
                "| {part} | {} | {} | {} | {} | {} | {run} | {} |",
                cell("what"),
                cell("ours"),
                cell("peer"),
                cell("ratio"),
                cell("growth"),
                shown(&record["date"]),
            );
        }
    }
    out
}

const SPEED: &str = "
# Speed

What `cargo xtask bench` measured, the peer in the same run; the ratio is the peer's figure to each of ours.

| part | measured | ours | the peer | ratio | growth | inputs | date |
|---|---|---|---|---:|---|---|---|
";

/// A value in a cell of the table.
fn shown(value: &Value) -> String {
    match value {
        Value::Null => "–".to_owned(),
        Value::String(text) => text.replace('|', "\\|").replace('\n', " "),
        Value::Object(counts) => counts
            .iter()
            .map(|(name, it)| format!("{name} {}", shown(it)))
            .collect::<Vec<_>>()
            .join(", "),
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::expect;

    #[test]
    fn a_record_is_a_row() {
        let record = json!({
            "claim": "a | b", "method": "z3", "number": 7, "failures": 0,
            "details": { "proved": 6, "run": 1 }, "seed": null, "seconds": 12, "date": "2026-01-02",
        });
        let page = table(&[("validate".to_owned(), record)]);
        let row = page.lines().last().unwrap_or_default();
        expect![r"| validate | a \| b | z3 | 7 | 0 | proved 6, run 1 | – | 12 | 2026-01-02 |"]
            .assert_eq(row);
    }

    #[test]
    fn a_figure_is_a_row_of_its_own_table() {
        let record = json!({
            "inputs": "samples", "processors": 2, "date": "2026-01-02",
            "figures": [{ "what": "flat", "ours": "1 s", "peer": "mlir-opt 2 s", "ratio": "2.0", "growth": null }],
        });
        let page = table(&[("bench-operations".to_owned(), record)]);
        let row = page.lines().last().unwrap_or_default();
        expect![r"| operations | flat | 1 s | mlir-opt 2 s | 2.0 | – | samples, 2 processors | 2026-01-02 |"]
            .assert_eq(row);
    }
}

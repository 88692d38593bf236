//! Our preset `pir` against Paddle's own answers.
//!
//! Two suites. `pir` needs no peer: the answer to `X.pir` is `X.cse.pir` beside it. `paddle` lets a running Paddle make
//! random programs and print them before and after its pass, and asks its registry about the operations in them. In
//! both our edited text, values numbered anew, must be the peer's text to the byte. Without unsound results, refusals
//! of the preset are tallied by reason.

use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::Context as _;
use frontend::ops::edits;
use frontend::pir::programs;
use ir::effects::{EffectTable, paddle_op};
use ir::plan::Preset;
use rustc_hash::FxHashMap;
use serde_json::{Value, json};
use transform::ops::{OpOptions, plan};

use crate::conformance::peer::{Keep, Peer};
use crate::conformance::report::{Report, Target};
use crate::skip::Skip;
use crate::workspace::Workspace;

const KINDS: &[&str] = &["same", "different", "no answer"];
const REFUSED: &str = "refused where unsound results are not allowed, by reason";
const ANSWER: &str = ".cse.pir";
/// Programs that Paddle makes, and their size.
const PROGRAMS: u64 = 60;
const OPERATIONS: u64 = 60;

/// Compares every file under `pir` of the corpus, or in the folder itself, that has an answer.
pub(crate) fn compare(corpus: &Path, filter: Option<&str>) -> anyhow::Result<Report> {
    let title = "PIR with the preset pir, unsound results allowed: Paddle's answers in the corpus";
    let mut report = Report::new(title, KINDS);
    for path in questions(corpus)? {
        let label = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        if filter.is_some_and(|filter| !format!("pir/{label}").contains(filter)) {
            continue;
        }
        let read = |path: &Path| {
            std::fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))
        };
        let answer = path.with_file_name(format!("{label}{ANSWER}"));
        count(&mut report, "pir", &label, &read(&path)?, &read(&answer)?);
    }
    let what = "programs equal to Paddle's result";
    finish(&mut report, what);
    Ok(report)
}

/// The files that have an answer, by name.
fn questions(corpus: &Path) -> anyhow::Result<Vec<PathBuf>> {
    let of_pir = corpus.join("pir");
    let folder = if of_pir.is_dir() { of_pir } else { corpus.to_owned() };
    let entries = std::fs::read_dir(&folder)
        .with_context(|| format!("cannot read the folder {}", folder.display()))?;
    let mut res = Vec::new();
    for entry in entries {
        let path = entry?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if let Some(stem) = name.strip_suffix(".pir")
            && path.with_file_name(format!("{stem}{ANSWER}")).is_file()
        {
            res.push(path);
        }
    }
    res.sort();
    anyhow::ensure!(!res.is_empty(), "no .pir file with an answer in {}", folder.display());
    Ok(res)
}

/// Compares random programs with a running Paddle.
pub(crate) fn compare_running(ws: &Workspace) -> Result<Report, Skip> {
    let peer = Peer::paddle(ws)?;
    let title =
        "PIR with the preset pir, unsound results allowed: random programs and Paddle's pass";
    let mut report = Report::new(title, KINDS);
    report.note(format!("Paddle {}", peer.version));
    let requests: Vec<Value> =
        (0..PROGRAMS).map(|seed| json!({ "op": "cse", "seed": seed, "ops": OPERATIONS })).collect();
    let answers = peer.ask_all(&requests, Keep::OnDisk);
    for (seed, answer) in answers.iter().enumerate() {
        let label = format!("program {seed}");
        let texts = answer.as_ref().ok().and_then(|it| {
            Some((it["before"].as_str()?, it["after"].as_str()?, it["facts"].as_object()?))
        });
        let Some((before, after, facts)) = texts else {
            report.count("random", "no answer");
            report.list(0, "no answer: Paddle itself fails on its program", label);
            continue;
        };
        count(&mut report, "random", &label, before, after);
        for (name, fact) in facts {
            if let Some(difference) = registry_differs(name, fact) {
                report.list(2, "registry: Paddle says otherwise than our table", difference);
                report.count("registry", "different");
            } else {
                report.count("registry", "same");
            }
        }
    }
    growth(&peer, &mut report);
    let compared = usize::try_from(PROGRAMS).unwrap_or_default() - report.total("no answer");
    report.at_least("programs that Paddle answered for", compared, 50);
    finish(&mut report, "programs and registry entries equal to Paddle's");
    Ok(report)
}

/// Notes the times of Paddle's pass where it compares the same trees again and again, beside ours.
fn growth(peer: &Peer, report: &mut Report) {
    for (family, n) in [("linear", 2_000), ("doubling", 18), ("residual", 10)] {
        let request = json!({ "op": "growth", "family": family, "n": n });
        let Ok(answer) = peer.ask(&request, Keep::Nothing) else { continue };
        let (Some(text), Some(seconds)) = (answer["text"].as_str(), answer["seconds"].as_f64())
        else {
            continue;
        };
        let start = Instant::now();
        let (edited, _) = apply(text);
        let ours = start.elapsed().as_secs_f64();
        report.note(format!(
            "{family}: {} lines become {}; Paddle's pass {seconds:.4} s, ours with reading and writing the text {ours:.4} s",
            text.lines().count(),
            edited.lines().count(),
        ));
    }
}

/// Returns the difference between our table and Paddle's registry, if there is one.
fn registry_differs(name: &str, fact: &Value) -> Option<String> {
    let Some(op) = paddle_op(name) else { return Some(format!("{name}: not in our table")) };
    let attributes = fact["attributes"].as_array()?;
    let unknown = attributes.iter().filter_map(Value::as_str).find(|it| op.attribute(it).is_none());
    if let Some(attribute) = unknown {
        return Some(format!("{name}: declares {attribute}"));
    }
    let overwrites: Vec<u64> =
        fact["overwrites"].as_array()?.iter().filter_map(Value::as_u64).collect();
    let ours: Vec<u64> = op.overwrites.iter().map(|&it| it.into()).collect();
    (ours != overwrites).then(|| format!("{name}: overwrites {overwrites:?}"))
}

fn count(report: &mut Report, group: &str, label: &str, before: &str, after: &str) {
    let (ours, refused) = apply(before);
    for (reason, number) in refused {
        report.tally(1, REFUSED, reason, number);
    }
    let (ours, theirs) = (renumbered(&ours), renumbered(after));
    if ours == theirs {
        report.count(group, "same");
        return;
    }
    report.count(group, "different");
    let first = ours.lines().zip(theirs.lines()).find(|(a, b)| a != b);
    let (a, b) = first.unwrap_or(("(shorter)", "(longer)"));
    report.list(3, "different", format!("{label}\n      ours   {a}\n      theirs {b}"));
}

fn finish(report: &mut Report, what: &'static str) {
    let (same, different) = (report.total("same"), report.total("different"));
    report.target(Target { what, least: 100.0 }, same, same + different);
}

/// The text after our plan with unsound results, and the refusals of the plan without them.
fn apply(text: &str) -> (String, Vec<(&'static str, usize)>) {
    let mut out = text.to_owned();
    let mut refused: FxHashMap<&'static str, usize> = FxHashMap::default();
    let effects = EffectTable::builtin();
    for program in programs(text).iter().rev() {
        let part = &text[program.range];
        let options = |allow_unsound| OpOptions { preset: Preset::Pir, allow_unsound };
        let exact = plan(&program.lowered.body, effects, &options(true));
        let sound = plan(&program.lowered.body, effects, &options(false));
        for refusal in &sound.refusals {
            *refused.entry(refusal.kind.name()).or_default() += 1;
        }
        let lowered = &program.lowered;
        let edited = edits(part, &lowered.source_map, &lowered.body, &exact).apply(part);
        out.replace_range(std::ops::Range::<usize>::from(program.range), &edited);
    }
    let mut refused: Vec<_> = refused.into_iter().collect();
    refused.sort_unstable();
    (out, refused)
}

/// The text with its values numbered from 0 in the order in which they appear, as the printer does.
fn renumbered(text: &str) -> String {
    let mut numbers: FxHashMap<&str, usize> = FxHashMap::default();
    let mut out = String::with_capacity(text.len());
    let mut in_quotes = false;
    let mut rest = text;
    while let Some(at) = rest.find(['%', '"']) {
        out.push_str(&rest[..=at]);
        let is_quote = rest.as_bytes()[at] == b'"';
        rest = &rest[at + 1..];
        in_quotes ^= is_quote;
        let len = rest.find(|it: char| !it.is_ascii_digit()).unwrap_or(rest.len());
        if !is_quote && !in_quotes && len > 0 {
            let next = numbers.len();
            out.push_str(&numbers.entry(&rest[..len]).or_insert(next).to_string());
            rest = &rest[len..];
        }
    }
    out + rest.trim_end()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_numbered_as_they_appear() {
        let text = "(%3) = \"a%7\" (%3, %arg_0) -> t\n(%9) = \"b\" (%3, %9)\n";
        assert_eq!(renumbered(text), "(%0) = \"a%7\" (%0, %arg_0) -> t\n(%1) = \"b\" (%0, %1)");
    }
}

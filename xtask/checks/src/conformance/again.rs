//! Files of MLIR formatted and optimised once, and once more: the second time changes nothing, and nothing is worse
//! than before.
//!
//! In: a folder with files of MLIR (LLVM's own tests are one). Out: a report. Each file goes through `format` and `opt`
//! of the tool, and
//!
//! * the output goes through the same again, and must come back equal. The peer's own pass deletes in one sweep the
//!   leftovers of its first sweep; so the preset `mlir` is checked for that only where a second run of the peer's pass
//!   changes nothing either;
//! * `check` finds no more errors in it than in the input;
//! * `mlir-opt` reads it where it reads the input: of files with faults on purpose, each document for itself. Where it
//!   does not read the output of its own pass for the input either, that is not checked.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::Context as _;

use crate::conformance::mlir::{mlir_opt, version};
use crate::conformance::parallel;
use crate::conformance::program::program;
use crate::conformance::report::{Report, Target};
use crate::process;
use crate::skip::Skip;
use crate::workspace::Workspace;

const KINDS: &[&str] = &["good", "failed", "not again", "more errors", "refused"];

/// The runs on each file, with their arguments.
const RUNS: [(&str, &[&str]); 3] = [
    ("format", &["format"]),
    ("mlir", &["opt", "--preset", "mlir"]),
    ("default", &["opt", "--preset", "default"]),
];

struct Tools {
    ours: OsString,
    peer: Result<PathBuf, Skip>,
}

/// The fault of one run on a file: the column, and more.
type Fault = (&'static str, String);

/// Runs everything on all files of a folder.
pub(crate) fn compare(
    ws: &Workspace,
    corpus: &Path,
    filter: Option<&str>,
) -> anyhow::Result<Report> {
    let tools = Tools { ours: program(ws)?, peer: mlir_opt() };
    let files = files(corpus, filter)?;
    let mut report = Report::new("Files of MLIR, formatted and optimised once and again", KINDS);
    match &tools.peer {
        Ok(path) => report.note(format!("mlir-opt: {}", version(path))),
        Err(skip) => report.note(format!("{skip}")),
    }
    let verdicts = parallel(&files, |path| judge(&tools, path));
    for (path, verdict) in files.iter().zip(verdicts) {
        let label = path.strip_prefix(corpus).unwrap_or(path).display().to_string();
        for ((run, _), faults) in RUNS.iter().zip(verdict) {
            if faults.is_empty() {
                report.count(run, "good");
            }
            for (kind, why) in faults {
                report.count(run, kind);
                report.list(0, "what is wrong", format!("{label}: {run}: {kind}: {why}"));
            }
        }
    }
    let (good, all) = (report.total("good"), files.len() * RUNS.len());
    report.target(Target { what: "runs with nothing wrong", least: 100.0 }, good, all);
    Ok(report)
}

fn files(corpus: &Path, filter: Option<&str>) -> anyhow::Result<Vec<PathBuf>> {
    let (mut folders, mut files) = (vec![corpus.to_owned()], Vec::new());
    while let Some(folder) = folders.pop() {
        let entries = std::fs::read_dir(&folder)
            .with_context(|| format!("cannot read the folder {}", folder.display()))?;
        for entry in entries {
            let path = entry?.path();
            let is_wanted = filter.is_none_or(|it| path.to_string_lossy().contains(it));
            match path.is_dir() {
                true => folders.push(path),
                false if path.extension().is_some_and(|it| it == "mlir") && is_wanted => {
                    files.push(path);
                }
                false => {}
            }
        }
    }
    files.sort();
    anyhow::ensure!(!files.is_empty(), "no file of MLIR under {}", corpus.display());
    Ok(files)
}

/// Returns the faults of each run.
fn judge(tools: &Tools, path: &Path) -> Vec<Vec<Fault>> {
    let text = std::fs::read_to_string(path);
    RUNS.iter()
        .map(|&(run, arguments)| match &text {
            Ok(text) => faults(tools, text, run, arguments),
            // No text, which the tool says too.
            Err(_) => Vec::new(),
        })
        .collect()
}

fn faults(tools: &Tools, text: &str, run: &str, arguments: &[&str]) -> Vec<Fault> {
    let once = match ours(tools, arguments, text) {
        Ok(once) => once,
        Err(error) => return vec![("failed", format!("{error:#}"))],
    };
    if once == text {
        return Vec::new();
    }
    let mut faults = Vec::new();
    match ours(tools, arguments, &once) {
        Ok(again) if again == once => {}
        Ok(again) if run != "mlir" || peer_is_done_at_once(tools, text) => {
            faults.push(("not again", first_difference(&once, &again)));
        }
        Ok(_) => {}
        Err(error) => faults.push(("failed", format!("again: {error:#}"))),
    }
    match (n_errors(tools, text), n_errors(tools, &once)) {
        (Ok(before), Ok(after)) if after > before => {
            faults.push(("more errors", format!("{before}, then {after}")));
        }
        (Ok(_), Ok(_)) => {}
        (Err(error), _) | (_, Err(error)) => faults.push(("failed", format!("check: {error:#}"))),
    }
    if let Ok(peer) = &tools.peer
        && let Err(why) = peer_reads(peer, text, &once)
    {
        faults.push(("refused", why));
    }
    faults
}

fn first_difference(once: &str, again: &str) -> String {
    let mut lines = once.lines().zip(again.lines()).enumerate();
    match lines.find(|(_, (a, b))| a != b) {
        Some((n, (a, b))) => format!("line {}: `{}`, then `{}`", n + 1, a.trim(), b.trim()),
        None => format!("{} lines, then {}", once.lines().count(), again.lines().count()),
    }
}

// ---- the tool ----

/// Returns the output of a command of the tool for a text.
fn ours(tools: &Tools, arguments: &[&str], text: &str) -> anyhow::Result<String> {
    let file = temporary(text)?;
    let mut command = Command::new(&tools.ours);
    let output = command.args(arguments).arg(file.path()).output().context("the tool starts")?;
    let said = String::from_utf8_lossy(&output.stderr);
    let is_fine = matches!(output.status.code(), Some(0 | 1)) && !said.contains("internal error");
    anyhow::ensure!(is_fine, "{}: {}", output.status, said.lines().next().unwrap_or_default());
    match arguments[0] {
        "format" => std::fs::read_to_string(file.path()).context("the file is there"),
        _ => String::from_utf8(output.stdout).context("the text is UTF-8"),
    }
}

fn n_errors(tools: &Tools, text: &str) -> anyhow::Result<u64> {
    let report = ours(tools, &["check", "--format", "json"], text)?;
    let report: serde_json::Value = serde_json::from_str(&report).context("a report")?;
    report["summary"]["errors"].as_u64().context("a number of errors")
}

fn temporary(text: &str) -> anyhow::Result<tempfile::NamedTempFile> {
    let file = tempfile::NamedTempFile::with_suffix(".mlir").context("a file for a text")?;
    std::fs::write(file.path(), text).context("the text is written")?;
    Ok(file)
}

// ---- the peer ----

/// Returns the text that the peer prints for a text of several documents.
fn peer_prints(peer: &Path, text: &str, passes: &[&str]) -> Result<String, String> {
    let file = temporary(text).map_err(|it| format!("{it:#}"))?;
    let mut command = Command::new(peer);
    command.args(["--allow-unregistered-dialect", "--split-input-file"]).args(passes);
    process::run_quiet(command.arg(file.path())).map_err(|it| format!("{it:#}"))
}

/// Returns true if a second run of the peer's pass changes nothing; false where the peer cannot be asked.
fn peer_is_done_at_once(tools: &Tools, text: &str) -> bool {
    let Ok(peer) = &tools.peer else { return false };
    let Ok(once) = peer_prints(peer, text, &["--cse"]) else { return false };
    peer_prints(peer, &once, &["--cse"]).is_ok_and(|it| it == once)
}

/// Checks that the peer reads the result for a text, unless it did not read the text either.
fn peer_reads(peer: &Path, before: &str, after: &str) -> Result<(), String> {
    if peer_prints(peer, before, &[]).is_ok() {
        return reads_part(peer, before, after);
    }
    let (before, after) = (documents(before), documents(after));
    if before.len() != after.len() {
        // A marker behind other text stands on a line of its own now.
        return Ok(());
    }
    let changed = before.iter().zip(&after).filter(|(a, b)| a != b);
    changed
        .filter(|(a, _)| peer_prints(peer, a, &[]).is_ok())
        .try_for_each(|(a, b)| reads_part(peer, a, b))
}

fn reads_part(peer: &Path, before: &str, after: &str) -> Result<(), String> {
    let Err(error) = peer_prints(peer, after, &[]) else { return Ok(()) };
    let own = peer_prints(peer, before, &["--cse"]);
    match own.and_then(|it| peer_prints(peer, &it, &[])) {
        Ok(_) => Err(error),
        Err(_) => Ok(()),
    }
}

fn documents(text: &str) -> Vec<String> {
    let mut res = vec![String::new()];
    for line in text.split_inclusive('\n') {
        match line.trim_start().starts_with("// -----") {
            true => res.push(String::new()),
            false => res.last_mut().expect("there is one").push_str(line),
        }
    }
    res
}

//! The share of documents of other people's MLIR that the tool reads without a false error.
//!
//! In: folders with `.mlir` files, one a project. Each file that is run with `-split-input-file` is cut at its markers
//! as `mlir-opt` cuts it. Each document goes through `tir-analyzer check` as a file of its own, and its first error is
//! the cause. A document is *valid* if `mlir-opt` accepts it without dialects that it does not know. Of those that it
//! refuses, most are of dialects that it lacks: they are *presumed* valid, but for documents that expect an error.
//! Without the peer all are presumed. Of all these, operations are counted, and those whose effects nobody states
//! (*unknown*), or whose form is not read (*unread*); the dialect `test` of MLIR's own tests is no dialect of a
//! project, and is counted apart (*of tests*).

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::Context as _;
use frontend::mlir::{self, Shapes};
use ir::OpKind;
use serde_json::Value;

use crate::conformance::mlir::{mlir_opt, version};
use crate::conformance::read::text;
use crate::conformance::report::{Report, Target, without_names};
use crate::conformance::{parallel, program};
use crate::workspace::Workspace;

/// Columns of the report.
const KINDS: &[&str] = &[
    "valid",
    "flagged",
    "presumed",
    "pres. flagged",
    "meant",
    "operations",
    "unknown",
    "unread",
    "of tests",
];
/// The text at which files are cut.
pub(super) const MARKER: &str = "// -----";
/// The option with which tools cut files.
const SPLITS: &str = "split-input-file";
/// The comment that says that a document is wrong on purpose.
const EXPECTS_ERROR: &str = "expected-error";
const CAUSES: &str = "causes of false errors in valid documents: first error, operation";
const PRESUMED: &str = "causes in documents that are presumed to be valid";
const UNKNOWN: &str = "operations whose effects nobody states, by dialect";
const UNREAD: &str = "operations whose form is not read";
/// The dialects of MLIR's own tests, which no project ships.
const OF_TESTS: &[&str] = &["test", "foo", "d", "dialect"];
/// The least share of a project, in percent.
const OF_PROJECT: f64 = 98.5;
/// The limit on the text of a line in the report.
const LINE: usize = 100;

/// One document.
pub(super) struct Document {
    pub(super) project: String,
    /// The file, the number of the document in it, and its first line from 1.
    pub(super) file: String,
    number: usize,
    pub(super) line: usize,
    pub(super) text: String,
    is_valid: bool,
}

impl Document {
    pub(super) fn label(&self) -> String {
        format!("{}/{} #{}", self.project, self.file, self.number)
    }
}

/// Checks the folders, and reports.
pub(crate) fn compare(
    ws: &Workspace,
    folders: &[PathBuf],
    filter: Option<&str>,
) -> anyhow::Result<Report> {
    let program = program::program(ws)?;
    let mut report =
        Report::new("Documents of MLIR of repositories, as the tool reads them", KINDS);
    let peer = mlir_opt();
    report.note(match &peer {
        Ok(path) => format!("mlir-opt: {}", version(path)),
        Err(skip) => format!("{skip}"),
    });
    let mut shares: BTreeMap<String, (usize, usize)> = BTreeMap::new();
    for folder in folders {
        let documents = documents(folder, filter, peer.as_deref().ok())?;
        let errors = check(&program, &documents)?;
        for (document, first) in documents.iter().zip(&errors) {
            count(&mut report, &mut shares, document, first.as_ref());
        }
    }
    finish(&mut report, &shares);
    Ok(report)
}

/// Sorts a document into the columns.
fn count(
    report: &mut Report,
    shares: &mut BTreeMap<String, (usize, usize)>,
    document: &Document,
    first: Option<&Value>,
) {
    let project = &document.project;
    if !document.is_valid && document.text.contains(EXPECTS_ERROR) {
        return report.count(project, "meant");
    }
    count_operations(report, document);
    let share = shares.entry(project.clone()).or_default();
    share.1 += 1;
    let Some(first) = first else {
        share.0 += 1;
        return report.count(project, if document.is_valid { "valid" } else { "presumed" });
    };
    let line = first["range"]["start"]["line"].as_u64().unwrap_or_default() as usize;
    let source = document.text.lines().nth(line.saturating_sub(1)).unwrap_or_default().trim();
    let cause = format!(
        "{}: {}, {}",
        text(first, "code"),
        without_names(text(first, "message")),
        operation(source).unwrap_or("no operation"),
    );
    let shown: String = source.chars().take(LINE).collect();
    let at = document.line + line.saturating_sub(1);
    let message = text(first, "message");
    let line = format!("{} line {at}: {message}, at `{shown}`", document.label());
    let (kind, place, causes, list) = match document.is_valid {
        true => ("flagged", 0, CAUSES, "flagged"),
        false => ("pres. flagged", 1, PRESUMED, "flagged, presumed valid"),
    };
    report.count(project, kind);
    report.tally(place, causes, cause, 1);
    report.list(place, list, line);
}

/// Counts the operations of a document that are known.
fn count_operations(report: &mut Report, document: &Document) {
    let project = document.project.as_str();
    mlir::lower_file(&document.text, Shapes::builtin(), &mut |unit| {
        let body = &unit.lowered.body;
        for (_, op) in body.ops.iter() {
            let (OpKind::Named(name) | OpKind::Opaque(name)) = op.kind else { continue };
            let name = body.name(name);
            let dialect = name.split('.').next().unwrap_or(name);
            report.count(project, "operations");
            if OF_TESTS.contains(&dialect) {
                report.count(project, "of tests");
            } else if !mlir::is_known(name) {
                report.count(project, "unknown");
                report.tally(2, UNKNOWN, format!("{dialect} ({project})"), 1);
            } else if matches!(op.kind, OpKind::Opaque(_)) {
                report.count(project, "unread");
                report.tally(3, UNREAD, name, 1);
            }
        }
    });
}

/// The first name of an operation in a line.
fn operation(line: &str) -> Option<&str> {
    let behind = line.split_once("= ").filter(|it| it.0.starts_with('%')).map_or(line, |it| it.1);
    let is_end = |it: char| !(it.is_alphanumeric() || matches!(it, '.' | '_' | '$'));
    behind.trim_start_matches('"').split(is_end).next().filter(|it| !it.is_empty())
}

/// States the shares.
fn finish(report: &mut Report, shares: &BTreeMap<String, (usize, usize)>) {
    let share = |(good, all): (usize, usize)| 100.0 * good as f64 / all.max(1) as f64;
    for (project, &of) in shares {
        report.note(format!("{project}: {} of {} = {:.2} %", of.0, of.1, share(of)));
    }
    let what = "valid documents without a false error";
    let valid = report.total("valid");
    report.target(Target { what, least: 99.5 }, valid, valid + report.total("flagged"));
    let presumed = report.total("presumed");
    let what = "documents that are presumed to be valid, without an error";
    let all = presumed + report.total("pres. flagged");
    report.target(Target { what, least: OF_PROJECT }, presumed, all);
    let all = report.total("operations") - report.total("of tests");
    let what = "operations that are known";
    report.target(Target { what, least: 98.0 }, all - report.total("unknown"), all);
    let good = shares.values().filter(|&&it| share(it) >= OF_PROJECT).count();
    report.at_least("projects of which 98.5 % have no error", good, shares.len().max(1));
}

/// The documents of all files below a folder, file by file.
pub(super) fn documents(
    folder: &Path,
    filter: Option<&str>,
    peer: Option<&Path>,
) -> anyhow::Result<Vec<Document>> {
    let project = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let files = test_utils::mlir_files(folder)
        .with_context(|| format!("cannot read the folder {}", folder.display()))?;
    let label = |path: &Path| {
        path.strip_prefix(folder).unwrap_or(path).to_string_lossy().replace('\\', "/")
    };
    let files: Vec<_> =
        files.into_iter().filter(|it| filter.is_none_or(|part| label(it).contains(part))).collect();
    anyhow::ensure!(!files.is_empty(), "no .mlir file under {} matches", folder.display());
    let of_files = parallel(&files, |path| {
        // Files that are no text are no files for this tool.
        let text = std::fs::read_to_string(path).unwrap_or_default();
        let refused = peer.map(|peer| refused_lines(peer, path, text.contains(SPLITS)));
        documents_of(&project, &label(path), &text, refused.as_ref())
    });
    Ok(of_files.into_iter().flatten().collect())
}

/// The documents of a file that have code. `refused` are the lines at which documents begin that the peer refuses; none
/// without the peer.
fn documents_of(project: &str, file: &str, text: &str, refused: Option<&Refused>) -> Vec<Document> {
    let mut line = 1;
    let mut found = Vec::new();
    let texts: Vec<&str> = match text.contains(SPLITS) {
        true => text.split(MARKER).collect(),
        false => vec![text],
    };
    for (number, text) in texts.into_iter().enumerate() {
        let first = line;
        line += text.matches('\n').count();
        let is_code = |it: &str| !it.trim().is_empty() && !it.trim_start().starts_with("//");
        if !text.lines().any(is_code) {
            continue;
        }
        let is_valid = match refused {
            Some(Refused::Documents(lines)) => !lines.contains(&first),
            Some(Refused::All) | None => false,
        };
        let (project, file) = (project.to_owned(), file.to_owned());
        found.push(Document {
            project,
            file,
            number,
            line: first,
            text: text.to_owned(),
            is_valid,
        });
    }
    found
}

/// The part of a file that the peer refuses.
enum Refused {
    /// All: it did not come to an end, or says nothing about a document.
    All,
    /// The documents that begin at these lines.
    Documents(Vec<usize>),
}

fn refused_lines(peer: &Path, path: &Path, is_cut: bool) -> Refused {
    let mut command = Command::new(peer);
    if is_cut {
        command.arg("--split-input-file");
    }
    let Ok(output) = command.args(["-o", "-"]).arg(path).output() else {
        return Refused::All;
    };
    let said = String::from_utf8_lossy(&output.stderr);
    let lines = lines_of_errors(&said);
    match output.status.code() {
        Some(0) => Refused::Documents(Vec::new()),
        Some(1) if !lines.is_empty() => Refused::Documents(lines),
        _ => Refused::All,
    }
}

/// The lines of `within split at FILE:LINE offset …: error: …`.
fn lines_of_errors(said: &str) -> Vec<usize> {
    let of_line = |line: &str| {
        let (_, rest) = line.split_once("within split at ")?;
        let (place, rest) = rest.split_once(" offset ")?;
        rest.contains(" error: ").then_some(())?;
        place.rsplit(':').next()?.parse().ok()
    };
    said.lines().filter_map(of_line).collect()
}

/// The first error of each document.
fn check(program: &OsString, documents: &[Document]) -> anyhow::Result<Vec<Option<Value>>> {
    let folder = tempfile::tempdir()?;
    for (number, document) in documents.iter().enumerate() {
        std::fs::write(folder.path().join(format!("{number}.mlir")), &document.text)?;
    }
    let mut command = Command::new(program);
    command.args(["check", "--format", "json", "--level", "error", "--no-ignore"]);
    let output = command.arg(folder.path()).output().context("cannot run the program")?;
    let said = String::from_utf8_lossy(&output.stderr);
    // 1 says that there are errors.
    anyhow::ensure!(matches!(output.status.code(), Some(0 | 1)), "{}: {said}", output.status);
    let report: Value = serde_json::from_slice(&output.stdout).context("no JSON")?;
    let mut found = vec![None; documents.len()];
    for file in report["files"].as_array().context("no files in the report")? {
        let stem = Path::new(text(file, "path")).file_stem().unwrap_or_default().to_string_lossy();
        let errors = file["diagnostics"].as_array().map_or(&[][..], Vec::as_slice);
        let first = errors.iter().min_by_key(|it| it["range"]["start"]["offset"].as_u64());
        if let Some(slot) = stem.parse().ok().and_then(|it: usize| found.get_mut(it)) {
            *slot = first.cloned();
        }
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn documents_are_sorted_by_the_peer_and_by_their_first_error() {
        let text = "a.b // RUN: opt -split-input-file\n// -----\n// nothing\n// -----\n%0 = c.d %x\n// -----\ne.f // expected-error {{no}}\n";
        let said = "within split at f.mlir:5 offset :1:1: error: no\n\
                    within split at f.mlir:4 offset :1:1: note: see\n\
                    within split at f.mlir:6 offset :1:1: error: no\n";
        let refused = Refused::Documents(lines_of_errors(said));
        let documents = documents_of("p", "f.mlir", text, Some(&refused));
        let mut report = Report::new("upstream", KINDS);
        let mut shares = BTreeMap::new();
        let error = json!({ "code": "undefined-value", "message": "`%x` is not defined here",
            "range": { "start": { "line": 2 } } });
        for document in &documents {
            let first = document.text.contains("%x").then_some(&error);
            count(&mut report, &mut shares, document, first);
        }
        finish(&mut report, &shares);
        let columns = ["valid", "flagged", "presumed", "pres. flagged", "meant"];
        assert_eq!(columns.map(|it| report.total(it)), [1, 1, 0, 0, 1]);
        let text = report.text();
        assert!(text.contains("undefined-value: `…` is not defined here, c.d"), "{text}");
        assert!(text.contains("p/f.mlir #2 line 5: `%x` is not defined here, at `%0 = c.d %x`"));
        assert!(!report.is_good());
    }
}

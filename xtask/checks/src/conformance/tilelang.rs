//! Instances of TileLang's kernels, read by us and compared with what TileLang makes.
//!
//! In: folders of Python files. TileLang runs them without a GPU (`tilelang_worker.py`) and records each kernel that
//! they make: its factory, the values of the factory's parameters, and TileLang's print of it before any pass. Our side
//! is `opt --passes none --instance 'FACTORY(VALUES)'` of the same file.
//!
//! TileLang does not read its own print again, so that the two are compared as texts in one normal form: its print goes
//! through `opt` too, names are numbered in the order in which they occur, and parameters that `match_buffer` unpacks
//! stand as buffers. Each pair that differs is named with the first line of each side. What the values of a factory do
//! not tell (objects, factories in factories) is counted apart. A file whose import fails is named with the error.

use std::ffi::OsStr;
use std::path::PathBuf;

use serde_json::{Value, json};

use crate::conformance::corpus::{self, File};
use crate::conformance::parallel;
use crate::conformance::peer::{Keep, Peer};
use crate::conformance::program::{self, Printed};
use crate::conformance::read::text;
use crate::conformance::report::{Report, Target, without_names};
use crate::conformance::reread;
use crate::skip::Skip;
use crate::workspace::Workspace;

mod normal;
pub(super) mod runs;

/// Columns of the report.
const KINDS: &[&str] = &["equal", "different", "refused", "no values"];
/// The kernels that a run over TileLang's repository is to have.
const LEAST_KERNELS: usize = 150;

/// The fate of a kernel: its column, and the reason.
type Verdict = (&'static str, String);

/// Records the kernels, prints our instances, compares, and reports.
pub(crate) fn compare(
    ws: &Workspace,
    folders: &[PathBuf],
    filter: Option<&str>,
    options: &reread::Options,
) -> anyhow::Result<Result<Report, Skip>> {
    let peer = match Peer::tilelang(ws, options.processes) {
        Ok(peer) => peer,
        Err(skip) => return Ok(Err(skip)),
    };
    let program = program::program(ws)?;
    let files = corpus::in_folders(folders, filter, |it| it.contains("Kernel"))?;
    // The text is a part of the question, so that a changed file is asked about again.
    let record = |it: &File| json!({ "op": "record", "path": it.path, "text": it.text, "limit": options.limit });
    let requests: Vec<Value> = files.iter().map(|(_, it)| record(it)).collect();
    let answers = peer.ask_all(&requests, Keep::OnDisk);
    let mut report = Report::new("Kernels that TileLang makes", KINDS);
    report.note(format!("TileLang {}", peer.version));
    let mut kernels = Vec::new();
    for ((folder, file), answer) in files.iter().zip(&answers) {
        match answer {
            Ok(answer) => {
                let found = answer["kernels"].as_array().map_or(&[][..], Vec::as_slice);
                kernels.extend(found.iter().map(|it| (folder, file, it)));
                if let Some(why) = import_error(answer) {
                    let n = found.len();
                    report.tally(1, "imports that fail, by the error", why, 1);
                    let line = format!("{}: {why} ({n} kernels before it)", file.label());
                    report.list(4, "files whose import fails", line);
                }
            }
            Err(error) => {
                report.list(3, "files without a record", format!("{}: {error}", file.label()))
            }
        }
    }
    let verdicts = parallel(&kernels, |(_, file, kernel)| judge(&program, file, kernel));
    for ((folder, file, kernel), verdict) in kernels.iter().zip(verdicts) {
        let (kind, why) = verdict?;
        report.count(folder, kind);
        let place = format!("{folder}/{}.py {}", file.label(), call(kernel));
        match kind {
            "different" => {
                report.tally(0, "differences, by their first line", without_names(&why), 1);
                report.list(0, "different", format!("{place}: {why}"));
            }
            "refused" => report.list(1, "refused by us", format!("{place}: {why}")),
            "no values" => report.list(2, "values that are no literals", format!("{place}: {why}")),
            _ => {}
        }
    }
    let judged = ["equal", "different", "refused"].iter().map(|it| report.total(it)).sum();
    let what = "kernels equal to TileLang's";
    report.target(Target { what, least: 98.0 }, report.total("equal"), judged);
    report.at_least("kernels", judged, LEAST_KERNELS);
    Ok(Ok(report))
}

/// How the import of a file ended, where that was an error: its functions were called all the same.
fn import_error(answer: &Value) -> Option<&str> {
    let ended = answer["ended"].as_array()?;
    ended.iter().filter_map(Value::as_str).find_map(|it| it.strip_prefix("<module>: "))
}

/// The instance as a call of its factory.
fn call(kernel: &Value) -> String {
    let given = kernel["arguments"].as_object().into_iter().flatten();
    let given: Vec<String> = given
        .map(|(name, value)| format!("{name}={}", value.as_str().unwrap_or_default()))
        .collect();
    // Python's name of a function in a function has a word between the two.
    format!("{}({})", text(kernel, "factory").replace(".<locals>", ""), given.join(", "))
}

fn judge(program: &OsStr, file: &File, kernel: &Value) -> anyhow::Result<Verdict> {
    let objects = kernel["objects"].as_array().into_iter().flatten();
    let objects: Vec<&str> = objects.filter_map(Value::as_str).collect();
    if !objects.is_empty() {
        return Ok(("no values", objects.join(", ")));
    }
    if kernel["nested"].as_bool() == Some(true) {
        return Ok(("no values", "a factory in a factory".to_owned()));
    }
    let name = text(kernel, "name");
    let theirs = printed(program, &["--stdin"], text(kernel, "text"))?;
    let instance = call(kernel);
    let path = file.path.to_string_lossy();
    let mut given = vec!["--function", name, &path];
    // A kernel at the top of a file is in no function.
    if !text(kernel, "factory").is_empty() {
        given.extend(["--instance", &instance]);
    }
    let ours = printed(program, &given, "")?;
    let Some(theirs) = normal::function(&theirs.text, name) else {
        return Ok(("refused", "TileLang's print is not read".to_owned()));
    };
    let Some(mine) = normal::function(&ours.text, name).filter(|_| ours.said.is_empty()) else {
        return Ok(("refused", ours.said.lines().next().unwrap_or("no text").to_owned()));
    };
    Ok(match normal::difference(&theirs, &mine) {
        None => ("equal", String::new()),
        Some((theirs, ours)) => ("different", format!("`{theirs}` is `{ours}` by us")),
    })
}

/// A text as our program prints it without passes.
fn printed(program: &OsStr, given: &[&str], input: &str) -> anyhow::Result<Printed> {
    program::opt(program, ["--passes", "none"].iter().chain(given), input)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::import_error;

    #[test]
    fn a_failed_import_is_told_apart_from_a_failed_function() {
        let module = "<module>: ModuleNotFoundError: No module named 'fla'";
        let failed = json!({ "kernels": [], "ended": [module, "main: ValueError: 3"] });
        assert_eq!(import_error(&failed), Some("ModuleNotFoundError: No module named 'fla'"));
        assert_eq!(import_error(&json!({ "kernels": [], "ended": ["main: ValueError: 3"] })), None);
        assert_eq!(import_error(&json!({ "kernels": [] })), None);
    }
}

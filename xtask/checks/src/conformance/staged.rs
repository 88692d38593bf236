//! Instances of the functions that factories and tests make, read by us and compared with TVM's.
//!
//! In: folders of Python files. Their tests run in TVM (`staged_worker.py`), which records each function or module that
//! TVM's parser reads, with the plain values that it takes from the functions around it, and writes the file with these
//! instances as text. That text goes through `tir-analyzer opt` without passes; then the tests run again, and TVM reads
//! what was printed of each instance in its place: it must be equal to what the test made.
//!
//! A function that our tool leaves as it is has no meaning to it, and counts as *refused*, as does a text that TVM does
//! not read. Answers are kept on disk: the tests run again only where the printed text has changed.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::conformance::corpus::{self, File};
use crate::conformance::peer::{Answer, Keep, Peer};
use crate::conformance::read::text;
use crate::conformance::report::{Report, Target, without_names};
use crate::conformance::reread::{self, started};
use crate::conformance::{parallel, program};
use crate::skip::Skip;
use crate::workspace::Workspace;

/// Columns of the report.
const KINDS: &[&str] = &["equal", "different", "refused", "no answer"];
/// The instances that a run over a repository with tests is to have.
const LEAST_INSTANCES: usize = 2000;

/// Records the instances, prints them, has them compared, and reports.
pub(crate) fn compare(
    ws: &Workspace,
    folders: &[PathBuf],
    filter: Option<&str>,
    options: &reread::Options,
) -> anyhow::Result<Result<Report, Skip>> {
    let (packages, peer) = match started(ws, || Peer::tvm_staged(ws, options.processes)) {
        Ok(started) => started,
        Err(skip) => return Ok(Err(skip)),
    };
    let program = program::program(ws)?;
    let files = corpus::in_folders(folders, filter, |it| it.contains("prim_func"))?;
    let requests: Vec<Value> = files.iter().map(|(_, it)| record(it, options, &packages)).collect();
    let recorded = peer.ask_all(&requests, Keep::OnDisk);
    let printed = parallel(&recorded, |it| print(&program, it));
    let requests: Vec<Value> = requests
        .iter()
        .zip(&recorded)
        .zip(&printed)
        .map(|((request, recorded), printed)| comparison(request, recorded, printed))
        .collect();
    let answers = peer.ask_all(&requests, Keep::OnDisk);
    let mut report = Report::new("Instances that tests and factories make", KINDS);
    report.note(format!("TVM {}", peer.version));
    for (((folder, file), recorded), (printed, answer)) in
        files.iter().zip(&recorded).zip(printed.iter().zip(&answers))
    {
        count(&mut report, folder, file, recorded, printed, answer);
    }
    let all = KINDS.iter().map(|it| report.total(it)).sum();
    let what = "instances equal to TVM's";
    report.target(Target { what, least: 98.0 }, report.total("equal"), all);
    report.at_least("instances", all, LEAST_INSTANCES);
    Ok(Ok(report))
}

/// TVM's answers about the instances that files make, each with the name of its folder: the texts with the instances
/// written out, and the places of these.
pub(crate) fn recorded(
    ws: &Workspace,
    folders: &[PathBuf],
    filter: Option<&str>,
    options: &reread::Options,
) -> anyhow::Result<Result<Vec<(String, File, Answer)>, Skip>> {
    let (packages, peer) = match started(ws, || Peer::tvm_staged(ws, options.processes)) {
        Ok(started) => started,
        Err(skip) => return Ok(Err(skip)),
    };
    let files = corpus::in_folders(folders, filter, |it| it.contains("prim_func"))?;
    let requests: Vec<Value> = files.iter().map(|(_, it)| record(it, options, &packages)).collect();
    let answers = peer.ask_all(&requests, Keep::OnDisk);
    let with_answers =
        files.into_iter().zip(answers).map(|((name, it), answer)| (name, it, answer));
    Ok(Ok(with_answers.collect()))
}

fn record(file: &File, options: &reread::Options, packages: &Path) -> Value {
    json!({
        "op": "record", "path": file.path, "text": file.text, "limit": options.limit, "packages": packages,
    })
}

/// A printed text, and what `opt` said of functions that it left as they are: the line (from 0) and the reason.
struct Printed {
    text: String,
    left: Vec<(u64, String)>,
}

/// Prints the instances of a file; nothing where there are none.
fn print(program: &OsStr, recorded: &Answer) -> anyhow::Result<Printed> {
    let written = recorded.as_ref().map_or("", |it| text(it, "written"));
    let printed = program::opt(program, ["--passes", "none", "--stdin"], written)?.done()?;
    Ok(Printed { text: printed.text, left: printed.said.lines().filter_map(left).collect() })
}

/// The line and the reason of a message about a function that stays as it is.
fn left(message: &str) -> Option<(u64, String)> {
    let (place, why) = message.split_once("is left as it is: ")?;
    let line = place.split(':').rev().nth(2)?.parse::<u64>().ok()?;
    Some((line.saturating_sub(1), why.to_owned()))
}

fn comparison(request: &Value, recorded: &Answer, printed: &anyhow::Result<Printed>) -> Value {
    let mut request = request.clone();
    request["op"] = "compare".into();
    request["printed"] = printed.as_ref().map_or("", |it| &it.text).into();
    if let Ok(recorded) = recorded {
        request["written"] = recorded["written"].clone();
        request["instances"] = recorded["instances"].clone();
    }
    request
}

/// Sorts the instances of a file into the columns.
fn count(
    report: &mut Report,
    folder: &str,
    file: &File,
    recorded: &Answer,
    printed: &anyhow::Result<Printed>,
    answer: &Answer,
) {
    let path = format!("{folder}/{}.py", file.label());
    let recorded = match recorded {
        Ok(recorded) => recorded,
        Err(error) => return report.list(3, "files without a record", format!("{path}: {error}")),
    };
    let printed = match printed {
        Ok(printed) => printed,
        Err(error) => {
            return report.list(4, "files that are not printed", format!("{path}: {error}"));
        }
    };
    for (what, ended) in [("recorded", Some(recorded)), ("compared", answer.as_ref().ok())] {
        let ended = ended.and_then(|it| it["ended"].as_array());
        for how in ended.into_iter().flatten().filter_map(Value::as_str) {
            report.list(6, "runs that did not end well", format!("{path}, {what}: {how}"));
        }
    }
    let answers = answer.as_ref().ok().and_then(|it| it["functions"].as_array());
    for instance in recorded["instances"].as_array().into_iter().flatten() {
        let is_plain = instance["given"].as_object().is_none_or(serde_json::Map::is_empty)
            && instance["objects"].as_array().is_none_or(Vec::is_empty);
        let group = format!("{folder}, {}", if is_plain { "no captures" } else { "captures" });
        for function in instance["functions"].as_array().into_iter().flatten() {
            let index = function["index"].as_u64();
            let answer = answers.into_iter().flatten().find(|it| it["index"].as_u64() == index);
            let place = place(&path, instance, function);
            count_one(report, &group, &place, function, printed, answer);
        }
    }
}

/// The name of an instance: where its function is, and the values that it takes.
pub(crate) fn place(path: &str, instance: &Value, function: &Value) -> String {
    let given = instance["given"].as_object().into_iter().flatten();
    let given: Vec<String> = given
        .map(|(name, value)| format!("{name}={}", value.as_str().unwrap_or_default()))
        .collect();
    format!("{path}:{} {}({})", function["line"], text(function, "name"), given.join(", "))
}

fn count_one(
    report: &mut Report,
    group: &str,
    place: &str,
    function: &Value,
    printed: &Printed,
    answer: Option<&Value>,
) {
    let lines = &function["placed"];
    let is_inside = |line: u64| {
        lines[0].as_u64().is_some_and(|it| it <= line)
            && lines[1].as_u64().is_some_and(|it| line < it)
    };
    if let Some((_, why)) = printed.left.iter().find(|it| is_inside(it.0)) {
        report.count(group, "refused");
        report.tally(0, "left as they are, by reason", without_names(why), 1);
        return report.list(1, "refused by us", format!("{place}: {why}"));
    }
    let Some(answer) = answer else {
        report.count(group, "no answer");
        return report.list(5, "without an answer", place);
    };
    let why = text(answer, "why");
    match text(answer, "kind") {
        "equal" => report.count(group, "equal"),
        "different" => {
            report.count(group, "different");
            report.list(0, "different", format!("{place}: {why}"));
        }
        "unknown" => {
            report.count(group, "no answer");
            report.list(5, "without an answer", format!("{place}: {why}"));
        }
        _ => {
            report.count(group, "refused");
            report.list(2, "refused by TVM", format!("{place}: {why}"));
        }
    }
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::*;

    #[test]
    fn instances_are_sorted_by_what_became_of_their_text() {
        let file = File {
            group: "a".to_owned(),
            name: "b".to_owned(),
            path: "a/b.py".into(),
            text: String::new(),
        };
        let function = |index: u64, line: u64| json!({ "index": index, "placed": [index * 10, index * 10 + 5], "line": line, "name": "f" });
        let recorded = Ok(json!({ "instances": [
            { "given": { "n": "8" }, "objects": [], "functions": [function(0, 3), function(1, 9)] },
            { "given": {}, "objects": ["spec"], "functions": [function(2, 3)] },
            { "given": {}, "objects": [], "functions": [function(3, 30), function(4, 40)] },
        ] }));
        let messages = "<stdin>:13:4: `f` is left as it is: `spec` is new";
        let left = messages.lines().filter_map(left).collect();
        let printed = Ok(Printed { text: String::new(), left });
        let answer = Ok(json!({ "functions": [
            { "index": 0, "kind": "equal", "why": null }, { "index": 1, "kind": "equal", "why": null },
            { "index": 2, "kind": "different", "why": "line 1" }, { "index": 3, "kind": "same", "why": "no" },
        ] }));
        let mut report = Report::new("staged", KINDS);
        count(&mut report, "r", &file, &recorded, &printed, &answer);
        expect![[r#"
            staged

                                equal  different    refused  no answer
            r, captures             1          1          1          0
            r, no captures          0          0          1          1
            total                   1          1          2          1

            left as they are, by reason:
                  1  `…` is new

            different (1):
              r/a/b.py:3 f(): line 1

            refused by us (1):
              r/a/b.py:9 f(n=8): `spec` is new

            refused by TVM (1):
              r/a/b.py:30 f(): no

            without an answer (1):
              r/a/b.py:40 f()
        "#]]
        .assert_eq(&report.text());
    }
}

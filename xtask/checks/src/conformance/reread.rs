//! Functions of other people's tests, printed by `opt` and read again by TVM where they stand.
//!
//! In: folders of Python files, in which functions stand inside tests and modules and take names from around them. Each
//! file goes through `tir-analyzer opt`; then its tests run in a process of TVM, and each function that TVM's parser
//! reads there is read once more from the printed text, with the values that the names around it have at that moment
//! (`reread_worker.py`). Printed as it is (`none`), a function must be equal to the original; after passes, TVM must
//! read it.
//!
//! A file has a limit of seconds. Answers are kept on disk, so that a run that was ended goes on where it was.
//! Functions that are known to come back changed or refused are in `reread_known.txt`, with the reason; anything else
//! fails the comparison.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::conformance::peer::{Answer, Keep, Peer};
use crate::conformance::report::{Report, Target, without_names};
use crate::conformance::{Input, corpus, parallel, program, read::text};
use crate::skip::Skip;
use crate::venv::Venv;
use crate::workspace::Workspace;

/// Columns of the report. `left` are functions whose text comes back as it was, because the tool does not read them or
/// prints them so; `unread` ones TVM refuses in the original, `unreached` ones nothing read.
const KINDS: &[&str] = &["equal", "renamed", "left", "changed", "refused", "unread", "unreached"];
/// The package that runs the tests.
const PYTEST: &str = "pytest==9.2.0";
/// Functions that come back changed or refused, each with its reason.
const KNOWN: &str = include_str!("reread_known.txt");

/// The settings of runs of other people's tests, for each file.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct Options {
    /// The passes that `opt` runs on the functions that `reread` compares, separated by commas. After passes, TVM is
    /// only asked to read the text.
    #[arg(long, value_enum, value_delimiter = ',', default_value = "none")]
    plans: Vec<Plan>,
    /// Seconds that the tests of one file have, for the suites that run some.
    #[arg(long, default_value_t = 90)]
    pub(crate) limit: u32,
    /// The number of processes of TVM that run tests.
    #[arg(long, default_value_t = 1)]
    pub(crate) processes: usize,
}

/// Runs of `opt`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Plan {
    /// No pass.
    None,
    /// The preset `default`.
    Default,
    /// The preset `tvm`.
    Tvm,
    /// The preset `tvm-2022`.
    #[value(name = "tvm-2022")]
    Tvm2022,
    /// The pass `simplify`.
    Simplify,
}

impl Plan {
    fn name(self) -> &'static str {
        match self {
            Plan::None => "none",
            Plan::Default => "default",
            Plan::Tvm => "tvm",
            Plan::Tvm2022 => "tvm-2022",
            Plan::Simplify => "simplify",
        }
    }

    fn arguments(self) -> [&'static str; 2] {
        match self {
            Plan::None => ["--passes", "none"],
            Plan::Default => ["--preset", "default"],
            Plan::Tvm => ["--preset", "tvm"],
            Plan::Tvm2022 => ["--preset", "tvm-2022"],
            Plan::Simplify => ["--passes", "simplify"],
        }
    }
}

/// A file with its texts.
struct Printed<'a> {
    file: &'a corpus::File,
    /// By plan; `None` where `opt` failed, with its output.
    texts: Vec<Result<String, String>>,
    /// The notes of `opt` about functions that it left unchanged.
    notes: Vec<String>,
}

/// TVM's verdict on a function as it is written.
pub(crate) struct Verdict {
    /// The line of its first decorator, from 1.
    pub(crate) line: usize,
    /// The reason why TVM refuses it, if a run reached it and TVM does.
    pub(crate) refusal: Option<String>,
}

/// TVM's verdicts on the functions of files, file by file. No function of a file has one where the file's run failed.
pub(crate) fn verdicts(
    ws: &Workspace,
    files: &[&corpus::File],
    options: &Options,
) -> anyhow::Result<Result<Vec<Vec<Verdict>>, Skip>> {
    let (packages, peer) = match packages(ws).and_then(|it| Ok((it, tests_peer(ws, options)?))) {
        Ok(found) => found,
        Err(skip) => return Ok(Err(skip)),
    };
    let requests: Vec<Value> = files
        .iter()
        .map(|file| {
            let printed = Printed { file, texts: Vec::new(), notes: Vec::new() };
            request(&printed, &[], options.limit, &packages)
        })
        .collect();
    let answers = peer.ask_all(&requests, Keep::OnDisk);
    let verdicts = answers.iter().map(|answer| {
        let functions = answer.as_ref().ok().and_then(|it| it["functions"].as_array());
        functions.into_iter().flatten().map(verdict).collect()
    });
    Ok(Ok(verdicts.collect()))
}

fn verdict(function: &Value) -> Verdict {
    let line = function["line"].as_u64().and_then(|it| usize::try_from(it).ok());
    let is_refused = text(function, "original") == "unread";
    Verdict {
        line: line.unwrap_or_default(),
        refusal: is_refused.then(|| text(function, "why").to_owned()),
    }
}

/// Prints the files, has them read, and reports.
pub(crate) fn compare(
    input: &Input<'_>,
    options: &Options,
) -> anyhow::Result<Result<Report, Skip>> {
    let (packages, peer) = match started(input.ws, || tests_peer(input.ws, options)) {
        Ok(started) => started,
        Err(skip) => return Ok(Err(skip)),
    };
    let program = program::program(input.ws)?;
    let files: Vec<&corpus::File> =
        input.files.iter().filter(|it| it.text.contains("prim_func")).collect();
    let printed = parallel(&files, |file| print(&program, file, &options.plans));
    let requests: Vec<Value> =
        printed.iter().map(|it| request(it, &options.plans, options.limit, &packages)).collect();
    let answers = peer.ask_all(&requests, Keep::OnDisk);
    let mut report =
        Report::new("Functions where they stand, printed and read again by TVM", KINDS);
    report.note(format!("TVM {}", peer.version));
    let known = known(KNOWN);
    let mut unexpected = 0;
    for (printed, answer) in printed.iter().zip(&answers) {
        unexpected += count(&mut report, printed, &options.plans, answer, &known);
    }
    let compared: usize = KINDS[..5].iter().map(|it| report.total(it)).sum();
    let what = "texts that are neither changed nor refused, or stated to be";
    report.target(Target { what, least: 100.0 }, compared - unexpected, compared);
    report.at_least("texts compared", compared, 1);
    Ok(Ok(report))
}

/// The folder of pytest, which TVM's own environment lacks.
pub(crate) fn packages(ws: &Workspace) -> Result<PathBuf, Skip> {
    let venv = Venv::with_packages(ws, "pytest", &[PYTEST])?;
    venv.site_packages().map_err(|error| Skip::new("pytest", format!("{error:#}")))
}

/// The folder of pytest, and a peer that runs tests.
pub(crate) fn started(
    ws: &Workspace,
    peer: impl FnOnce() -> Result<Peer, Skip>,
) -> Result<(PathBuf, Peer), Skip> {
    Ok((packages(ws)?, peer()?))
}

fn tests_peer(ws: &Workspace, options: &Options) -> Result<Peer, Skip> {
    Peer::tvm_tests(ws, options.processes)
}

fn print<'a>(program: &OsStr, file: &'a corpus::File, plans: &[Plan]) -> Printed<'a> {
    let mut printed = Printed { file, texts: Vec::new(), notes: Vec::new() };
    for &plan in plans {
        let (text, notes) = match opt(program, &file.path, plan) {
            Ok(printed) => (Ok(printed.text), printed.said),
            Err(error) => (Err(format!("{error:#}")), String::new()),
        };
        printed.texts.push(text);
        if plan == Plan::None {
            printed.notes = notes.lines().filter_map(left_because).collect();
        }
    }
    printed
}

/// The text after a run of `opt`, and its messages.
fn opt(program: &OsStr, path: &Path, plan: Plan) -> anyhow::Result<program::Printed> {
    let arguments = plan.arguments().map(OsStr::new);
    program::opt(program, arguments.into_iter().chain([path.as_os_str()]), "")?.done()
}

/// The reason why a function was left as it is, without the names in it, for counting.
fn left_because(line: &str) -> Option<String> {
    let (_, why) = line.split_once("is left as it is: ")?;
    Some(without_names(why))
}

fn request(printed: &Printed<'_>, plans: &[Plan], limit: u32, packages: &Path) -> Value {
    let texts = plans.iter().zip(&printed.texts);
    let texts: BTreeMap<&str, &str> =
        texts.filter_map(|(plan, it)| Some((plan.name(), it.as_deref().ok()?))).collect();
    json!({
        "op": "reread", "path": printed.file.path, "text": printed.file.text, "printed": texts,
        "limit": limit, "packages": packages,
    })
}

/// Sorts the functions of an answer into the columns; how many are changed or refused and not known to be.
fn count(
    report: &mut Report,
    printed: &Printed<'_>,
    plans: &[Plan],
    answer: &Answer,
    known: &BTreeSet<&str>,
) -> usize {
    let file = printed.file;
    let path = format!("{}.py", file.label());
    for (plan, text) in plans.iter().zip(&printed.texts) {
        if let Err(error) = text {
            let line = format!("{path}: {}: {error}", plan.name());
            report.list(6, "files that `opt` does not print", line);
        }
    }
    for note in &printed.notes {
        report.tally(0, "functions left as they are, by reason", note, 1);
    }
    let answer = match answer {
        Ok(answer) => answer,
        Err(error) => {
            report.list(5, "files without an answer", format!("{path}: {error}"));
            return 0;
        }
    };
    for ended in answer["ended"].as_array().into_iter().flatten() {
        let ended = ended.as_str().unwrap_or_default();
        report.list(5, "runs that did not end well", format!("{path}: {ended}"));
    }
    let functions = answer["functions"].as_array().map_or(&[][..], Vec::as_slice);
    let group = file.group.split('/').next().unwrap_or_default();
    functions.iter().map(|it| count_one(report, group, &path, plans, it, known)).sum()
}

fn count_one(
    report: &mut Report,
    group: &str,
    path: &str,
    plans: &[Plan],
    function: &Value,
    known: &BTreeSet<&str>,
) -> usize {
    let name = text(function, "name");
    let place = format!("{path}:{} {name}", function["line"]);
    let why = text(function, "why");
    match text(function, "original") {
        "read" => {}
        "unread" => {
            report.count(group, "unread");
            report.list(3, "not read by TVM itself", format!("{place}: {why}"));
            return 0;
        }
        _ => {
            report.count(group, "unreached");
            report.list(4, "not reached by a run, nor read alone", format!("{place}: {why}"));
            return 0;
        }
    }
    let mut unexpected = 0;
    for plan in plans {
        let answer = &function["texts"][plan.name()];
        let kind = text(answer, "kind");
        // After passes a function is another one.
        let kind = match KINDS.iter().find(|it| **it == kind) {
            Some(&("changed" | "renamed")) if *plan != Plan::None => "equal",
            Some(kind) => kind,
            None if kind == "same" => "left",
            None => continue,
        };
        report.count(group, kind);
        if !matches!(kind, "changed" | "refused") {
            continue;
        }
        let key = format!("{path} {name} {}", plan.name());
        let is_known = known.contains(&*key);
        unexpected += usize::from(!is_known);
        let (place_in_report, title) = match (is_known, kind) {
            (true, _) => (2, "changed or refused, and stated to be"),
            (false, "changed") => (0, "changed"),
            (false, _) => (1, "refused by TVM"),
        };
        let line = format!("{place}, {}: {}", plan.name(), text(answer, "why"));
        report.list(place_in_report, title, line);
    }
    unexpected
}

/// The lines of a list of known differences, of functions `file function plan`; each has its reason in a comment above.
pub(crate) fn known(list: &str) -> BTreeSet<&str> {
    list.lines().map(str::trim).filter(|it| !it.is_empty() && !it.starts_with('#')).collect()
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::*;

    #[test]
    fn answers_are_sorted_by_what_became_of_each_text() {
        let file = corpus::File {
            group: "a/b".to_owned(),
            name: "test".to_owned(),
            path: "a/b/test.py".into(),
            text: String::new(),
        };
        let texts = vec![Ok(String::new()), Err("it failed".to_owned())];
        let said = "test.py:3:1: `f` is left as it is: `T.x` is in no table";
        let notes = said.lines().filter_map(left_because).collect();
        let printed = Printed { file: &file, texts, notes };
        let function = |name: &str, none: &str, default: &str| {
            json!({ "line": 3, "name": name, "original": "read", "why": null, "texts": {
                "none": { "kind": none, "why": "line 1" }, "default": { "kind": default, "why": "line 2" },
            } })
        };
        let answer = Ok(json!({ "ended": ["test_x: ended with status 11"], "functions": [
            function("f", "equal", "changed"), function("g", "changed", "refused"),
            function("h", "same", "same"), function("k", "refused", "equal"),
            { "line": 9, "name": "u", "original": "unread", "why": "no" },
        ] }));
        let mut report = Report::new("reread", KINDS);
        let known = known("# why\na/b/test.py k none\n");
        let plans = [Plan::None, Plan::Default];
        assert_eq!(count(&mut report, &printed, &plans, &answer, &known), 2);
        expect![[r#"
            reread

                       equal    renamed       left    changed    refused     unread  unreached
            a              3          0          2          1          2          1          0
            total          3          0          2          1          2          1          0

            functions left as they are, by reason:
                  1  `…` is in no table

            changed (1):
              a/b/test.py:3 g, none: line 1

            refused by TVM (1):
              a/b/test.py:3 g, default: line 2

            changed or refused, and stated to be (1):
              a/b/test.py:3 k, none: line 1

            not read by TVM itself (1):
              a/b/test.py:9 u: no

            runs that did not end well (1):
              a/b/test.py: test_x: ended with status 11

            files that `opt` does not print (1):
              a/b/test.py: default: it failed
        "#]]
        .assert_eq(&report.text());
    }
}

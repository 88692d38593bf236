//! The share of functions of other people's repositories that the tool reads as TVM does.
//!
//! In: folders of Python files. Each folder goes through `tir-analyzer check` as a whole, so that imports between its
//! files are followed. A function has *full* meaning if no finding says that a part of it is kept by its text, and
//! it is *flagged* if it has an error or a warning about a construct; both are named with file, line, function and
//! cause. With `--oracle`, TVM runs the files that have flagged functions (`reread_worker.py`): a function that TVM
//! refuses as well is *refused*, and counts for nothing. Macros are read by their own, and count for nothing either:
//! those that have such findings are named.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::Context as _;
use frontend::tvmscript::{FunctionKind, functions};
use serde_json::Value;
use syntax::LineIndex;

use crate::conformance::corpus::{self, File};
use crate::conformance::program;
use crate::conformance::read::text;
use crate::conformance::report::{Report, Target, without_names};
use crate::conformance::reread::{self, Verdict};
use crate::skip::Skip;
use crate::workspace::Workspace;

/// Columns of the report.
const KINDS: &[&str] = &["full", "partial", "flagged", "refused"];
/// The finding about a form that has no meaning here.
const UNSUPPORTED: &str = "unsupported-construct";
/// Titles of the lists and tallies.
const CAUSES: &str = "causes of flagged functions, by the functions that have them";
const KEPT: &str = "causes of partial functions, by the functions that have them";
const RULES: &str = "findings, by level and rule";

/// A function or macro and what the tool says about it.
struct Function {
    name: String,
    is_macro: bool,
    /// The line of its first decorator, from 1.
    line: usize,
    last_line: usize,
    findings: Vec<Finding>,
}

#[derive(Clone, Debug)]
struct Finding {
    severity: String,
    code: String,
    message: String,
    line: usize,
    text: String,
}

/// Rules about what happens when a kernel runs.
const OF_RUNS: [&str; 3] = ["offset-overflow", "out-of-bounds", "read-before-write"];

impl Finding {
    /// Returns true for an error, and for a warning about a form that TVM knows. What a run of the function shows, no
    /// compiler refuses.
    fn is_claim(&self) -> bool {
        (self.severity == "error" && !OF_RUNS.contains(&&*self.code))
            || (self.severity == "warning" && self.code == UNSUPPORTED)
    }

    /// The cause, without the names in it, for counting.
    fn cause(&self) -> String {
        format!("{}: {}", self.code, without_names(&self.message))
    }

    fn words(&self) -> String {
        format!("line {}, {}: {}, at `{}`", self.line, self.code, self.message, self.text)
    }
}

/// Checks the folders, and reports.
pub(crate) fn compare(
    ws: &Workspace,
    folders: &[PathBuf],
    filter: Option<&str>,
    oracle: Option<&reread::Options>,
) -> anyhow::Result<Result<Report, Skip>> {
    let program = program::program(ws)?;
    let mut report = Report::new("Functions of repositories, as the tool reads them", KINDS);
    let mut checked = Vec::new();
    for folder in folders {
        let files = corpus::below(folder, filter)?;
        let findings = check(&program, folder)?;
        let name = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
        for file in files.into_iter().filter(|it| has_functions(&it.text)) {
            let of_file = findings.get(&canonical(&file.path)).map_or(&[][..], Vec::as_slice);
            for finding in of_file {
                let rule = format!("{} {}", text(finding, "severity"), text(finding, "code"));
                report.tally(2, RULES, rule, 1);
            }
            let functions = functions_of(&file, of_file);
            checked.push((name.clone(), file, functions));
        }
    }
    let verdicts = match oracle.map(|it| ask(ws, &checked, it)).transpose()? {
        Some(Err(skip)) => return Ok(Err(skip)),
        Some(Ok(verdicts)) => verdicts,
        None => BTreeMap::new(),
    };
    for (folder, file, functions) in &checked {
        let group = format!("{folder}/{}", file.group.split('/').next().unwrap_or_default());
        let path = format!("{folder}/{}.py", file.label());
        let verdicts = verdicts.get(&file.path).map_or(&[][..], Vec::as_slice);
        for function in functions {
            let refusal = verdicts.iter().find(|it| it.line == function.line);
            count(
                &mut report,
                &group,
                &path,
                function,
                refusal.and_then(|it| it.refusal.as_deref()),
            );
        }
    }
    finish(&mut report);
    Ok(Ok(report))
}

/// States the shares.
fn finish(report: &mut Report) {
    let (full, partial) = (report.total("full"), report.total("partial"));
    let all = full + partial + report.total("flagged");
    let share = 100.0 * full as f64 / all.max(1) as f64;
    report.note(format!("{full} of {all} functions have full meaning: {share:.2} %"));
    let what = "functions without a false error or warning";
    report.target(Target { what, least: 99.0 }, full + partial, all);
    report.at_least("functions found", all, 1);
}

/// The findings of `check` on a folder, by file.
fn check(program: &OsString, folder: &Path) -> anyhow::Result<BTreeMap<PathBuf, Vec<Value>>> {
    let mut command = Command::new(program);
    command.args(["check", "--format", "json", "--level", "hint", "--no-ignore"]).arg(folder);
    let output = command.output().context("cannot run the program")?;
    let said = String::from_utf8_lossy(&output.stderr);
    // 1 says that there are errors.
    anyhow::ensure!(matches!(output.status.code(), Some(0 | 1)), "{}: {said}", output.status);
    let report: Value = serde_json::from_slice(&output.stdout).context("no JSON")?;
    let files = report["files"].as_array().context("no files in the report")?;
    let findings = files.iter().map(|file| {
        let of_file = file["diagnostics"].as_array().cloned().unwrap_or_default();
        (canonical(Path::new(text(file, "path"))), of_file)
    });
    Ok(findings.collect())
}

/// The name under which a file is found, however it was named.
fn canonical(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_| path.to_owned())
}

/// Returns false for most files without kernels. Eager kernels of TileLang have no word of TVMScript.
fn has_functions(text: &str) -> bool {
    ["prim_func", "T.macro", "T.inline", ".Kernel("].iter().any(|it| text.contains(it))
}

/// The TVMScript functions of a file, each with the findings inside it.
fn functions_of(file: &File, findings: &[Value]) -> Vec<Function> {
    let parse = syntax::parse(&file.text);
    let lines = LineIndex::new(&file.text);
    let line = |offset: syntax::TextSize| lines.line(offset) as usize + 1;
    let found = functions(&parse);
    let kinds = [FunctionKind::PrimFunc, FunctionKind::Macro];
    let found = found.functions.iter().filter(|it| kinds.contains(&it.source.kind));
    found
        .map(|item| {
            let (start, end) = (usize::from(item.range.start()), usize::from(item.range.end()));
            let inside = findings.iter().filter(|it| {
                it["range"]["start"]["offset"].as_u64().is_some_and(|at| {
                    usize::try_from(at).is_ok_and(|at| (start..end).contains(&at))
                })
            });
            Function {
                name: item.source.name.to_string(),
                is_macro: item.source.kind == FunctionKind::Macro,
                line: line(item.range.start()),
                last_line: line(item.range.end()),
                findings: inside.map(|it| finding(it, &file.text)).collect(),
            }
        })
        .collect()
}

fn finding(finding: &Value, source: &str) -> Finding {
    let offset = |end: &str| {
        let at = finding["range"][end]["offset"].as_u64().unwrap_or_default();
        usize::try_from(at).unwrap_or_default()
    };
    let covered = source.get(offset("start")..offset("end")).unwrap_or_default();
    let line = finding["range"]["start"]["line"].as_u64().unwrap_or_default();
    Finding {
        severity: text(finding, "severity").to_owned(),
        code: text(finding, "code").to_owned(),
        message: text(finding, "message").to_owned(),
        line: usize::try_from(line).unwrap_or_default(),
        text: covered.lines().next().unwrap_or_default().chars().take(60).collect(),
    }
}

/// TVM's verdicts on the functions of the files in which one is flagged.
fn ask(
    ws: &Workspace,
    checked: &[(String, File, Vec<Function>)],
    options: &reread::Options,
) -> anyhow::Result<Result<BTreeMap<PathBuf, Vec<Verdict>>, Skip>> {
    let is_flagged = |functions: &[Function]| {
        functions.iter().any(|it| it.findings.iter().any(Finding::is_claim))
    };
    let files: Vec<&File> =
        checked.iter().filter(|it| is_flagged(&it.2)).map(|(_, file, _)| file).collect();
    let verdicts = match reread::verdicts(ws, &files, options)? {
        Ok(verdicts) => verdicts,
        Err(skip) => return Ok(Err(skip)),
    };
    Ok(Ok(files.iter().map(|it| it.path.clone()).zip(verdicts).collect()))
}

/// Sorts a function into the columns.
fn count(report: &mut Report, group: &str, path: &str, function: &Function, refusal: Option<&str>) {
    let place = format!("{path}:{} {}", function.line, function.name);
    let claims: Vec<&Finding> = function.findings.iter().filter(|it| it.is_claim()).collect();
    let kept: Vec<&Finding> =
        function.findings.iter().filter(|it| it.code == UNSUPPORTED).collect();
    if function.is_macro {
        if let Some(first) = kept.first().or(claims.first()) {
            report.list(3, "macros read in part", format!("{place}: {}", first.words()));
        }
        return;
    }
    let (kind, causes) = match (claims.first(), kept.first(), refusal) {
        (Some(first), _, Some(why)) => {
            let line = format!("{place}: {}; TVM: {why}", first.words());
            report.list(2, "flagged, and refused by TVM", line);
            return report.count(group, "refused");
        }
        (Some(first), ..) => {
            let line = format!("{place}: {} in all; {}", claims.len(), first.words());
            report.list(0, "flagged", line);
            ("flagged", (0, CAUSES, claims))
        }
        (None, Some(first), _) => {
            let lines = function.last_line + 1 - function.line;
            let words = first.words();
            let line = format!("{place}: {} findings in {lines} lines; {words}", kept.len());
            report.list(1, "read in part", line);
            ("partial", (1, KEPT, kept))
        }
        (None, None, _) => return report.count(group, "full"),
    };
    report.count(group, kind);
    let (at, title, findings) = causes;
    let mut causes: Vec<String> = findings.iter().map(|it| it.cause()).collect();
    causes.sort_unstable();
    causes.dedup();
    for cause in causes {
        report.tally(at, title, cause, 1);
    }
}

#[cfg(test)]
mod tests {
    use expect_test::expect;
    use serde_json::json;

    use super::*;

    const TEXT: &str = "from tvm.script import tirx as T

def factory(n):
    @T.prim_func
    def f(A: T.Buffer((8,), \"float32\")):
        A[0] = n.x

    @T.prim_func
    def g(A: T.Buffer((8,), \"float32\")):
        A[0] = 1.0

    return f, g

@T.prim_func
def h(A: T.Buffer((8,), \"float32\")):
    A[0] = y
";

    fn at(needle: &str, severity: &str, code: &str) -> Value {
        let start = TEXT.find(needle).unwrap();
        let line = TEXT[..start].matches('\n').count() + 1;
        json!({ "severity": severity, "code": code, "message": format!("`{needle}` is new"), "range": {
            "start": { "line": line, "offset": start }, "end": { "offset": start + needle.len() },
        } })
    }

    #[test]
    fn functions_are_sorted_by_the_worst_that_is_said_of_them() {
        let file = File {
            group: "a/b".to_owned(),
            name: "c".to_owned(),
            path: "a/b/c.py".into(),
            text: TEXT.to_owned(),
        };
        let findings = [
            at("n.x", "hint", UNSUPPORTED),
            at("1.0", "hint", "simplifiable"),
            at("= y", "error", "undefined-name"),
        ];
        let functions = functions_of(&file, &findings);
        let mut report = Report::new("upstream", KINDS);
        for function in &functions {
            count(&mut report, "r/a", "r/a/b/c.py", function, None);
        }
        count(&mut report, "r/a", "r/a/b/c.py", &functions[2], Some("y is undefined"));
        finish(&mut report);
        expect![[r#"
            upstream
            1 of 3 functions have full meaning: 33.33 %

                        full    partial    flagged    refused
            r/a            1          1          1          1
            total          1          1          1          1

            causes of flagged functions, by the functions that have them:
                  1  undefined-name: `…` is new

            causes of partial functions, by the functions that have them:
                  1  unsupported-construct: `…` is new

            flagged (1):
              r/a/b/c.py:14 h: 1 in all; line 16, undefined-name: `= y` is new, at `= y`

            read in part (1):
              r/a/b/c.py:4 f: 1 findings in 4 lines; line 6, unsupported-construct: `n.x` is new, at `n.x`

            flagged, and refused by TVM (1):
              r/a/b/c.py:14 h: line 16, undefined-name: `= y` is new, at `= y`; TVM: y is undefined

            functions without a false error or warning: 2 of 3 = 66.67 % (target 99 %): MISSED

            functions found: 3 (at least 1): met
        "#]]
        .assert_eq(&report.text());
    }
}

//! Text → our IR → our text, judged by TVM: both texts are read by TVM and compared.
//!
//! Structural equality ignores names, so the printed forms of both readings are compared as well: *renamed* means the
//! same function with other names. A function that TVM cannot read in the original is no part of the comparison.

use serde_json::{Value, json};

use crate::conformance::peer::{Answer, Keep, Peer};
use crate::conformance::read::{functions, text};
use crate::conformance::report::{Report, Target};
use crate::conformance::{Input, corpus, ours};
use crate::skip::Skip;

/// Columns of the report.
pub(crate) const KINDS: &[&str] = &["same", "renamed", "differs", "refused", "unread"];

/// Prints every function anew and compares.
pub(crate) fn compare(input: &Input<'_>) -> Result<Report, Skip> {
    let peer = Peer::tvm(input.ws)?;
    let mut report = Report::new("Text, our IR, our text: compared by TVM", KINDS);
    report.note(format!("TVM {}", peer.version));
    let requests: Vec<Value> = input
        .files
        .iter()
        .map(|file| {
            let reading = ours::read(&file.text);
            let printed = reading.print(&file.text, |it| Some(it.lowered.body.clone()));
            json!({ "op": "equal", "left": file.text, "right": printed })
        })
        .collect();
    let answers = peer.ask_all(&requests, Keep::OnDisk);
    for (file, answer) in input.files.iter().zip(&answers) {
        count(&mut report, file, answer, "ours");
    }
    let all = readable(&report);
    let same = report.total("same");
    report.target(
        Target { what: "functions that come back equal, names included", least: 98.0 },
        same,
        all,
    );
    Ok(report)
}

/// Functions that take part in a comparison.
pub(crate) fn readable(report: &Report) -> usize {
    KINDS.iter().filter(|kind| **kind != "unread").map(|kind| report.total(kind)).sum()
}

/// Sorts the functions of an `equal` answer into the columns, and lists each that is not the same. `right` names
/// whose text the right side is.
pub(crate) fn count(report: &mut Report, file: &corpus::File, answer: &Answer, right: &str) {
    let functions = match functions(answer) {
        Ok(functions) => functions,
        Err(error) => {
            report.count(&file.group, "refused");
            report.list(3, "files without an answer", format!("{}: {error}", file.label()));
            return;
        }
    };
    for function in functions {
        let name = format!("{}:{}", file.label(), text(function, "name"));
        if let Some(error) = function["left_error"].as_str() {
            report.count(&file.group, "unread");
            report.list(4, "not read by TVM itself", format!("{name}: {error}"));
        } else if let Some(error) = function["right_error"].as_str() {
            report.count(&file.group, "refused");
            let title = format!("text ({right}) that TVM refuses");
            report.list(0, &title, format!("{name}: {error}"));
        } else if function["equal"] != true {
            report.count(&file.group, "differs");
            let difference = text(function, "text_difference");
            let line = format!("{name}: {} {difference}", text(function, "mismatch"));
            report.list(1, "structurally different", line);
        } else if function["same_text"] != true {
            report.count(&file.group, "renamed");
            let line = format!("{name}: {}", text(function, "text_difference"));
            report.list(2, "the same but for names", line);
        } else {
            report.count(&file.group, "same");
        }
    }
}

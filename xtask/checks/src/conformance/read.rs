//! The functions of a corpus that TVM itself reads: every other comparison with TVM can use only these.

use serde_json::{Value, json};

use crate::conformance::Input;
use crate::conformance::peer::{Answer, Keep, Peer};
use crate::conformance::report::Report;
use crate::skip::Skip;

/// Columns of the report.
const KINDS: &[&str] = &["read", "unchecked", "refused", "crashed"];

/// Asks TVM to read every function of every file.
pub(crate) fn compare(input: &Input<'_>) -> Result<Report, Skip> {
    let peer = Peer::tvm(input.ws)?;
    let mut report = Report::new("Functions that TVM reads", KINDS);
    report.note(format!("TVM {}", peer.version));
    let requests: Vec<Value> =
        input.files.iter().map(|file| json!({ "op": "read", "text": file.text })).collect();
    let answers = peer.ask_all(&requests, Keep::OnDisk);
    for (file, answer) in input.files.iter().zip(&answers) {
        match functions(answer) {
            Ok(functions) => {
                for function in functions {
                    let name = format!("{}:{}", file.label(), text(function, "name"));
                    match function["error"].as_str() {
                        None if function["unchecked"] == true => {
                            report.count(&file.group, "unchecked");
                        }
                        None => report.count(&file.group, "read"),
                        Some(error) => {
                            report.count(&file.group, "refused");
                            report.list(0, "refused", format!("{name}: {error}"));
                        }
                    }
                }
            }
            Err(error) => {
                report.count(&file.group, "crashed");
                report.list(1, "files without an answer", format!("{}: {error}", file.label()));
            }
        }
    }
    Ok(report)
}

/// The functions of an answer about a file.
pub(crate) fn functions(answer: &Answer) -> Result<&[Value], String> {
    match answer {
        Ok(answer) => answer["functions"]
            .as_array()
            .map(Vec::as_slice)
            .ok_or_else(|| "an answer without functions".to_owned()),
        Err(error) => Err(error.clone()),
    }
}

/// A text field, empty where there is none.
pub(crate) fn text<'a>(value: &'a Value, field: &str) -> &'a str {
    value[field].as_str().unwrap_or_default()
}

//! Kernels of TileLang's examples, executed by us and computed by NumPy.
//!
//! In: the folder of the examples. Each case of `tilelang_runs.py` is an instance with small sizes: our program runs it
//! on arrays, and what it leaves has to be what NumPy computes. Out: how many ran, how many were equal, and why
//! the others were not. TileLang is not needed.

use std::path::PathBuf;

use serde_json::{Value, json};

use crate::conformance::peer::{Keep, Peer};
use crate::conformance::program;
use crate::conformance::read::text;
use crate::conformance::report::{Report, without_names};
use crate::skip::Skip;
use crate::workspace::Workspace;

/// Columns of the report.
const KINDS: &[&str] = &["equal", "different", "refused"];
/// The kernels that are to be equal.
const LEAST_EQUAL: usize = 40;

/// Runs the cases, and reports.
pub(crate) fn compare(
    ws: &Workspace,
    folders: &[PathBuf],
    filter: Option<&str>,
) -> anyhow::Result<Result<Report, Skip>> {
    let [examples] = folders else { anyhow::bail!("give the folder of TileLang's examples") };
    let peer = match Peer::tilelang_runs(ws) {
        Ok(peer) => peer,
        Err(skip) => return Ok(Err(skip)),
    };
    let program = program::program(ws)?;
    let answer = peer.ask(&json!({ "op": "cases" }), Keep::Nothing).map_err(anyhow::Error::msg)?;
    let cases = answer["cases"].as_array().into_iter().flatten().filter_map(Value::as_str);
    let cases: Vec<&str> = cases.filter(|it| filter.is_none_or(|part| it.contains(part))).collect();
    let request = |case: &&str| {
        let program = program.to_string_lossy();
        json!({ "op": "run", "program": program, "examples": examples, "case": case })
    };
    let requests: Vec<Value> = cases.iter().map(request).collect();
    let mut report = Report::new("Kernels of TileLang's examples, run", KINDS);
    report.note(format!("NumPy {}", peer.version));
    for (case, answer) in cases.iter().zip(peer.ask_all(&requests, Keep::Nothing)) {
        let folder = case.split(['/', ':']).next().unwrap_or_default();
        let (kind, why) = match &answer {
            Ok(answer) => (text(answer, "kind"), text(answer, "why")),
            Err(error) => ("refused", error.as_str()),
        };
        let kind = KINDS.iter().find(|it| **it == kind).unwrap_or(&"refused");
        report.count(folder, kind);
        match *kind {
            "equal" => {}
            "different" => report.list(0, "different", format!("{case}: {why}")),
            _ => {
                report.tally(0, "refused, by reason", without_names(why), 1);
                report.list(1, "refused", format!("{case}: {why}"));
            }
        }
    }
    report.at_least("equal kernels", report.total("equal"), LEAST_EQUAL);
    Ok(Ok(report))
}

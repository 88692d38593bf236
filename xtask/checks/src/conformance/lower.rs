//! The share of a corpus that our crates understand: bytes kept, text in error nodes, functions lowered.
//!
//! A function is lowered *fully* if no part of its body is opaque (the name of an intrinsic that is in no table is
//! none: the call is still a call), with *opaque* parts otherwise, and *not at all* if nothing else is in its body.

use ir::{Body, Callee, ExprKind, OpKind, Type, ValueKind};

use crate::conformance::Input;
use crate::conformance::ours::{self, Reading};
use crate::conformance::report::{Report, Target};

/// Columns of the report.
const KINDS: &[&str] = &["fully", "opaque", "not at all"];
const REASONS: &str = "opaque parts, by shape";
const FINDINGS: &str = "diagnostics, by code";

/// Lowers every function of every file.
pub(crate) fn compare(input: &Input<'_>) -> Report {
    let mut report = Report::new("Functions lowered", KINDS);
    let (mut bytes, mut unread_bytes, mut lost) = (0usize, 0f64, 0usize);
    for file in &input.files {
        let reading = ours::read(&file.text);
        bytes += file.text.len();
        unread_bytes += reading.error_share * file.text.len() as f64;
        if reading.error_share > 0.0 {
            let share = format!("{}: {:.4} %", file.label(), 100.0 * reading.error_share);
            report.list(0, "files with text in error nodes", share);
        }
        if !reading.is_lossless {
            lost += 1;
            report.list(1, "files whose bytes do not come back", file.label());
        }
        count_functions(&mut report, &file.group, &file.label(), &file.text, &reading);
    }
    report.note(format!("{} files, {bytes} bytes", input.files.len()));
    report.note(format!(
        "{:.4} % of the text is in error nodes",
        100.0 * unread_bytes / bytes.max(1) as f64
    ));
    let fully = report.total("fully");
    let all = fully + report.total("opaque") + report.total("not at all");
    let files = input.files.len();
    report.target(
        Target { what: "files given back byte for byte", least: 100.0 },
        files - lost,
        files,
    );
    report.target(Target { what: "functions lowered fully", least: 99.0 }, fully, all);
    report
}

fn count_functions(report: &mut Report, group: &str, label: &str, text: &str, reading: &Reading) {
    for function in &reading.functions {
        let body = &function.lowered.body;
        let reasons = opaque_parts(body);
        for diagnostic in &function.lowered.diagnostics {
            report.tally(1, FINDINGS, diagnostic.code, 1);
        }
        if reasons.is_empty() {
            report.count(group, "fully");
            continue;
        }
        let is_nothing = is_nothing_else(body);
        report.count(group, if is_nothing { "not at all" } else { "opaque" });
        let shown = reasons.first().map_or("", String::as_str);
        let line = format!("{label}:{}: {} parts, first {shown}", function.name, reasons.len());
        report.list(2, "functions that are not lowered fully", line);
        for reason in reasons {
            report.tally(0, REASONS, reason, 1);
        }
    }
    let written = text.lines().filter(|line| line.trim_start().starts_with("@T.prim_func")).count();
    for _ in reading.functions.len()..written {
        report.count(group, "not at all");
        report.list(
            2,
            "functions that are not lowered fully",
            format!("{label}: one is not found"),
        );
    }
}

/// Every part of a body that is kept by its text only, by its shape.
fn opaque_parts(body: &Body) -> Vec<String> {
    let mut parts = Vec::new();
    for op in body.ops_preorder() {
        if let OpKind::Opaque(text) = body.ops[op].kind {
            parts.push(format!("statement {}", shape(body.name(text))));
        }
    }
    for index in 0..body.n_exprs() {
        match body.expr(ir::arena::Id::new(index)).kind {
            ExprKind::Opaque { text, .. } => {
                parts.push(format!("expression {}", shape(body.name(text))));
            }
            ExprKind::Call { callee: Callee::Unknown(text), .. } => {
                parts.push(format!("callee {}", shape(body.name(text))));
            }
            _ => {}
        }
    }
    for (_, value) in body.values.iter() {
        if value.kind == ValueKind::Captured && value.ty == Type::Unknown {
            parts.push("captured name of unknown value".to_owned());
        }
    }
    parts
}

/// Returns true if all statements of a body are opaque.
fn is_nothing_else(body: &Body) -> bool {
    body.ops_preorder().all(|op| matches!(body.ops[op].kind, OpKind::Opaque(_)))
}

/// The head of a text, cut where its particular begins: `T.foo(`, `with T.bar(`, `metadata[`.
fn shape(text: &str) -> String {
    let line = text.lines().next().unwrap_or_default().trim();
    let end = line.find(['(', '[', '=']).map_or(line.len(), |at| at + 1);
    line[..end].chars().take(60).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shape_ends_before_the_particular() {
        assert_eq!(shape("with T.foo(1, 2) as x:\n    pass"), "with T.foo(");
        assert_eq!(shape("metadata[\"a\"][0]"), "metadata[");
        assert_eq!(shape("pass"), "pass");
    }
}

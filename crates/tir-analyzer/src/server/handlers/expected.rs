//! Actions about `// expected-error {{…}}` comments, for our errors and for the diagnostics of mlir-lsp-server that the
//! client shows there.

use ide::{Reported, Severity, TextRange};
use lsp_types as lsp;

use crate::server::{
    documents::Document,
    lsp::{from_proto, to_proto},
    snapshot::{Failure, Snapshot},
};

/// The source of the diagnostics of MLIR's own servers.
const PEER: &str = "mlir";

/// The actions in a range.
pub(super) fn actions(
    snapshot: &Snapshot,
    document: &Document,
    range: TextRange,
    shown: &[lsp::Diagnostic],
) -> Result<Vec<lsp::CodeActionResponse>, Failure> {
    let of_peer = shown.iter().filter(|it| it.source.as_deref() == Some(PEER));
    let reported: Vec<Reported> =
        of_peer.filter_map(|it| reported(snapshot, document, it)).collect();
    let reports_errors = document.config.mlir_diagnostics;
    let found =
        snapshot.analysis.expectation_actions(document.file, range, &reported, reports_errors)?;
    let places = snapshot.places(document);
    let versioned = snapshot.client.versions_edits;
    let action = |it| to_proto::code_action(places, it, versioned);
    Ok(found.into_iter().map(|it| lsp::CodeActionResponse::CodeAction(action(it))).collect())
}

fn reported(snapshot: &Snapshot, document: &Document, it: &lsp::Diagnostic) -> Option<Reported> {
    let offset = |at| from_proto::offset(&document.lines, snapshot.encoding(), at);
    let severity = match it.severity? {
        lsp::DiagnosticSeverity::Error => Severity::Error,
        lsp::DiagnosticSeverity::Warning => Severity::Warning,
        lsp::DiagnosticSeverity::Information => Severity::Information,
        _ => return None,
    };
    let lsp::Message::String(message) = &it.message else { return None };
    let notes = it.related_information.iter().flatten();
    let notes = notes.filter(|it| it.location.uri == document.uri);
    Some(Reported {
        offset: offset(it.range.start),
        severity,
        message: message.clone(),
        notes: notes.map(|it| (offset(it.location.range.start), it.message.clone())).collect(),
    })
}

//! Layout: `textDocument/formatting` and `textDocument/rangeFormatting`.

use lsp_types as lsp;

use crate::server::{
    lsp::{from_proto, to_proto},
    snapshot::{Failure, Snapshot},
};

/// `textDocument/formatting`
pub(crate) fn formatting(
    snapshot: &Snapshot,
    params: lsp::DocumentFormattingParams,
) -> Result<Option<Vec<lsp::TextEdit>>, Failure> {
    edits(snapshot, &params.text_document.uri, None)
}

/// `textDocument/rangeFormatting`
pub(crate) fn range_formatting(
    snapshot: &Snapshot,
    params: lsp::DocumentRangeFormattingParams,
) -> Result<Option<Vec<lsp::TextEdit>>, Failure> {
    edits(snapshot, &params.text_document.uri, Some(params.range))
}

/// Nothing where nothing is laid out: the client may ask another server.
fn edits(
    snapshot: &Snapshot,
    uri: &lsp::Uri,
    range: Option<lsp::Range>,
) -> Result<Option<Vec<lsp::TextEdit>>, Failure> {
    let document = snapshot.document(uri)?;
    let within = range.map(|it| from_proto::range(&document.lines, snapshot.encoding(), it));
    match snapshot.analysis.format(document.file, within)? {
        Ok(edits) => {
            let places = snapshot.places(document);
            Ok(Some(edits.into_iter().map(|it| to_proto::text_edit(places, it)).collect()))
        }
        Err(ide::FormatRefusal::Language(_)) => Ok(None),
        Err(error @ ide::FormatRefusal::Errors(_)) => Err(Failure::Refused(error.to_string())),
    }
}

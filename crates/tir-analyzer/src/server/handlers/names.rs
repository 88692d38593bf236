//! Requests about names and tokens: highlight, rename, selection ranges, semantic tokens.

use ide::TextSize;
use lsp_types as lsp;

use super::linked;
use crate::server::{
    documents::Document,
    lsp::{from_proto, to_proto, tokens},
    snapshot::{Failure, Snapshot},
};

/// The document and the offset that a request is about.
fn place<'a>(
    snapshot: &'a Snapshot,
    params: &lsp::TextDocumentPositionParams,
) -> Result<(&'a Document, TextSize), Failure> {
    let document = snapshot.document(&params.text_document.uri)?;
    let offset = from_proto::offset(&document.lines, snapshot.encoding(), params.position);
    Ok((document, offset))
}

/// `textDocument/documentHighlight`
pub(crate) fn highlights(
    snapshot: &Snapshot,
    params: lsp::DocumentHighlightParams,
) -> Result<Vec<lsp::DocumentHighlight>, Failure> {
    let (document, offset) = place(snapshot, &params.text_document_position_params)?;
    let found = snapshot.analysis.highlights(document.file, offset)?;
    let places = snapshot.places(document);
    Ok(found.into_iter().map(|it| to_proto::highlight(places, it)).collect())
}

/// `textDocument/prepareRename`
pub(crate) fn prepare_rename(
    snapshot: &Snapshot,
    params: lsp::PrepareRenameParams,
) -> Result<Option<lsp::PrepareRenameResult>, Failure> {
    let (document, offset) = place(snapshot, &params.text_document_position_params)?;
    let range = snapshot.analysis.prepare_rename(document.file, offset)?;
    let range = range.map_err(Failure::Refused)?;
    Ok(Some(snapshot.places(document).range(range).into()))
}

/// `textDocument/rename`: of a symbol of MLIR also in other files of the folder that mean it.
pub(crate) fn rename(
    snapshot: &Snapshot,
    params: lsp::RenameParams,
) -> Result<Option<lsp::WorkspaceEdit>, Failure> {
    let (document, offset) = place(snapshot, &params.text_document_position_params)?;
    let edits = snapshot.analysis.rename(document.file, offset, &params.new_name)?;
    let edits = edits.map_err(Failure::Refused)?;
    let versioned = snapshot.client.versions_edits;
    let mut edit = to_proto::edits(snapshot.places(document), edits, versioned);
    for it in linked::edits(snapshot, document, offset, &params.new_name)? {
        to_proto::add_file(&mut edit, it.uri, it.version, it.edits);
    }
    Ok(Some(edit))
}

/// `textDocument/selectionRange`
pub(crate) fn selection_ranges(
    snapshot: &Snapshot,
    params: lsp::SelectionRangeParams,
) -> Result<Vec<lsp::SelectionRange>, Failure> {
    let document = snapshot.document(&params.text_document.uri)?;
    let places = snapshot.places(document);
    let range = |position| {
        let offset = from_proto::offset(&document.lines, snapshot.encoding(), position);
        let ranges = snapshot.analysis.selection_ranges(document.file, offset)?;
        Ok(to_proto::selection_range(places, &ranges))
    };
    params.positions.into_iter().map(range).collect()
}

/// The tokens of a document or of a part of it; none where nothing here has tokens, so that other servers may colour
/// the text.
fn encoded(
    snapshot: &Snapshot,
    uri: &lsp::Uri,
    range: Option<lsp::Range>,
) -> Result<Option<Vec<lsp::SemanticToken>>, Failure> {
    let document = snapshot.document(uri)?;
    let range = range.map(|it| from_proto::range(&document.lines, snapshot.encoding(), it));
    let found = snapshot.analysis.semantic_tokens(document.file, range)?;
    let places = snapshot.places(document);
    if found.is_empty() {
        return Ok(None);
    }
    let stop = snapshot.analysis.cancellation_token();
    tokens::encode(places, &found, &stop).map(Some).ok_or(Failure::Cancelled)
}

/// `textDocument/semanticTokens/full`
pub(crate) fn semantic_tokens(
    snapshot: &Snapshot,
    params: lsp::SemanticTokensParams,
) -> Result<Option<lsp::SemanticTokens>, Failure> {
    let uri = &params.text_document.uri;
    Ok(encoded(snapshot, uri, None)?.map(|it| snapshot.sent_tokens.full(uri, it)))
}

/// `textDocument/semanticTokens/full/delta`
pub(crate) fn semantic_tokens_delta(
    snapshot: &Snapshot,
    params: lsp::SemanticTokensDeltaParams,
) -> Result<Option<lsp::SemanticTokensDeltaResponse>, Failure> {
    let uri = &params.text_document.uri;
    // A client that has tokens is told that they are gone.
    let data = encoded(snapshot, uri, None)?.unwrap_or_default();
    Ok(Some(snapshot.sent_tokens.delta(uri, &params.previous_result_id, data)))
}

/// `textDocument/semanticTokens/range`
pub(crate) fn semantic_tokens_range(
    snapshot: &Snapshot,
    params: lsp::SemanticTokensRangeParams,
) -> Result<Option<lsp::SemanticTokens>, Failure> {
    let data = encoded(snapshot, &params.text_document.uri, Some(params.range))?;
    Ok(data.map(|data| lsp::SemanticTokens { result_id: None, data }))
}

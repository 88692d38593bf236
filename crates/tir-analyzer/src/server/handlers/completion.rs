//! `textDocument/completion`

use lsp_types as lsp;

use crate::server::{
    lsp::{from_proto, to_proto},
    snapshot::{Failure, Snapshot},
};

/// `textDocument/completion`
pub(crate) fn completion(
    snapshot: &Snapshot,
    params: lsp::CompletionParams,
) -> Result<Option<lsp::CompletionResponse>, Failure> {
    let params = params.text_document_position_params;
    let document = snapshot.document(&params.text_document.uri)?;
    let offset = from_proto::offset(&document.lines, snapshot.encoding(), params.position);
    let found = snapshot.analysis.completions(document.file, offset)?;
    let places = snapshot.places(document);
    Ok(found.map(|it| to_proto::completions(places, it).into()))
}

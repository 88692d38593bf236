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
    let trigger = params.context.as_ref().and_then(|it| it.trigger_character.clone());
    let params = params.text_document_position_params;
    let document = snapshot.document(&params.text_document.uri)?;
    let offset = from_proto::offset(&document.lines, snapshot.encoding(), params.position);
    let found = snapshot.analysis.completions(document.file, offset)?;
    // Marks that begin a name elsewhere are operators in Python, where nobody asked for names.
    let is_asked = |it: &ide::Completions| {
        let is_rule = it.items.first().is_some_and(|it| it.kind == ide::CompletionKind::Rule);
        is_rule || !it.replaced.is_empty() || trigger.as_deref().is_none_or(|it| it == ".")
    };
    let found = found.filter(is_asked);
    let places = snapshot.places(document);
    Ok(found.map(|it| to_proto::completions(places, it).into()))
}

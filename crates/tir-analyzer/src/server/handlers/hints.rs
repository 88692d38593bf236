//! Inlay hints, and the tooltip of one.
//!
//! An editor asks for the hints on the screen after each key, and for a tooltip when somebody rests on one. A client
//! that can ask for the tooltip gets hints without; others get all at once.

use lsp_types as lsp;
use serde::{Deserialize, Serialize};

use crate::server::{
    documents::Document,
    lsp::{from_proto, to_proto},
    snapshot::{Failure, Snapshot},
};

/// The key of a hint without its tooltip.
#[derive(Clone, Debug, Deserialize, Serialize)]
struct Name {
    uri: lsp::Uri,
    version: i32,
    /// Hints at the same place before it.
    number: usize,
}

/// The hints that the settings of a document ask for.
fn config_of(document: &Document, tooltips: bool) -> ide::InlayHintsConfig {
    let config = &document.config;
    ide::InlayHintsConfig {
        all: config.hints_all,
        tiles: config.hints_tiles,
        worth: config.worth,
        tooltips,
        limit: config.hints_limit,
    }
}

/// `textDocument/inlayHint`
pub(crate) fn inlay_hints(
    snapshot: &Snapshot,
    params: lsp::InlayHintParams,
) -> Result<Vec<lsp::InlayHint>, Failure> {
    let document = snapshot.document(&params.text_document.uri)?;
    if !document.config.hints_enable {
        return Ok(Vec::new());
    }
    let range = from_proto::range(&document.lines, snapshot.encoding(), params.range);
    let is_named = snapshot.client.resolves_tooltips;
    let config = config_of(document, !is_named);
    let hints = snapshot.in_time(document, "hints", |pace| {
        snapshot.analysis.inlay_hints_paced(document.file, Some(range), &config, pace)
    })?;
    let places = snapshot.places(document);
    let mut last = None;
    let mut number = 0;
    let shown = hints.into_iter().map(|it| {
        number = if last == Some(it.offset) { number + 1 } else { 0 };
        last = Some(it.offset);
        let (uri, version) = (document.uri.clone(), document.version);
        let name = is_named.then(|| serde_json::to_value(Name { uri, version, number }).ok());
        lsp::InlayHint { data: name.flatten(), ..to_proto::inlay_hint(places, it) }
    });
    Ok(shown.collect())
}

/// `inlayHint/resolve`
pub(crate) fn resolve(
    snapshot: &Snapshot,
    hint: lsp::InlayHint,
) -> Result<lsp::InlayHint, Failure> {
    let Some(data) = &hint.data else { return Ok(hint) };
    let invalid = |error| Failure::InvalidParams(format!("data of an unknown hint: {error}"));
    let name: Name = serde_json::from_value(data.clone()).map_err(invalid)?;
    let document = snapshot.document(&name.uri)?;
    if document.version != name.version {
        return Err(Failure::Cancelled);
    }
    let at = from_proto::offset(&document.lines, snapshot.encoding(), hint.position);
    let here = Some(ide::TextRange::empty(at));
    let config = config_of(document, true);
    let found = snapshot.analysis.inlay_hints(document.file, here, &config)?;
    let found = found.into_iter().nth(name.number);
    let tooltip = found.and_then(|it| to_proto::inlay_hint(snapshot.places(document), it).tooltip);
    Ok(lsp::InlayHint { tooltip, ..hint })
}

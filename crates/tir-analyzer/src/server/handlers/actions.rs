//! Code actions: the actions at a place, and the edits of one of them.
//!
//! An edit is read back before it is offered, which costs as much as reading the function; editors ask at every move of
//! the cursor. A client that can ask for the edit of one action gets names first. Others get all edits, read back.

use lsp_types as lsp;
use serde::{Deserialize, Serialize};

use super::{declare, expected};
use crate::server::{
    lsp::{from_proto, to_proto},
    snapshot::{Failure, Snapshot},
};

/// The key of an action without edits.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
struct Name {
    uri: lsp::Uri,
    version: i32,
    range: lsp::Range,
    kind: lsp::CodeActionKind,
    /// Actions of this kind and title before it.
    number: usize,
}

/// `textDocument/codeAction`
pub(crate) fn code_actions(
    snapshot: &Snapshot,
    params: lsp::CodeActionParams,
) -> Result<Vec<lsp::CodeActionResponse>, Failure> {
    let document = snapshot.document(&params.text_document.uri)?;
    let range = from_proto::range(&document.lines, snapshot.encoding(), params.range);
    let only = params.context.only.as_deref();
    let wants = |kind| from_proto::wants(only, kind);
    let client = &snapshot.client;
    let actions = match client.resolves_edits {
        true => snapshot.analysis.code_action_titles(document.file, range, &wants)?,
        false => snapshot.analysis.code_actions(document.file, range, &wants)?,
    };
    let places = snapshot.places(document);
    let name_of = |at: usize| {
        let it = &actions[at];
        let is_same = |other: &&ide::CodeAction| (other.kind, &other.title) == (it.kind, &it.title);
        let name = Name {
            uri: document.uri.clone(),
            version: document.version,
            range: params.range,
            kind: to_proto::action_kind(it.kind),
            number: actions[..at].iter().filter(is_same).count(),
        };
        serde_json::to_value(name).ok()
    };
    let shown = actions.iter().enumerate();
    let shown = shown.filter(|(_, it)| client.shows_disabled || it.disabled.is_none());
    let mut res: Vec<_> = shown
        .map(|(at, it)| {
            let data = if it.is_put_off { name_of(at) } else { None };
            let mut action = to_proto::code_action(places, it.clone(), client.versions_edits);
            if it.kind == ide::ActionKind::FixAll {
                action.kind = Some(from_proto::fix_all_kind(only));
            }
            lsp::CodeActionResponse::CodeAction(lsp::CodeAction { data, ..action })
        })
        .collect();
    if wants(ide::ActionKind::QuickFix) {
        res.extend(declare::actions(snapshot, document, range)?);
        res.extend(expected::actions(snapshot, document, range, &params.context.diagnostics)?);
    }
    Ok(res)
}

/// `codeAction/resolve`
pub(crate) fn resolve(
    snapshot: &Snapshot,
    action: lsp::CodeAction,
) -> Result<lsp::CodeAction, Failure> {
    let Some(data) = &action.data else { return Ok(action) };
    let invalid = |error| Failure::InvalidParams(format!("data of an unknown action: {error}"));
    let name: Name = serde_json::from_value(data.clone()).map_err(invalid)?;
    let document = snapshot.document(&name.uri)?;
    if document.version != name.version {
        return Err(Failure::Cancelled);
    }
    let Some(kind) = from_proto::action_kind(&name.kind) else {
        return Err(Failure::InvalidParams("an action of an unknown kind".to_owned()));
    };
    let range = from_proto::range(&document.lines, snapshot.encoding(), name.range);
    let wanted = (kind, action.title.as_str(), name.number);
    let found = snapshot.analysis.code_action(document.file, range, wanted)?;
    match found {
        Some(ide::CodeAction { disabled: Some(why), .. }) => Err(Failure::Refused(why)),
        Some(found) => {
            let versioned = snapshot.client.versions_edits;
            let found = to_proto::code_action(snapshot.places(document), found, versioned);
            Ok(lsp::CodeAction { edit: found.edit, ..action })
        }
        None => Err(Failure::Refused(format!("`{}` is not possible here", action.title))),
    }
}

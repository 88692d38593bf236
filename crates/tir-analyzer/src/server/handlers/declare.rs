//! The action that declares an operation in the settings: a row at the end of `tir-analyzer.toml`.
//!
//! The file is the one that the document has its settings from, or a new one in the first folder of the workspace,
//! where the client makes files. Nothing is written here: the client applies the edit, and reports the change of the
//! file.

use std::path::PathBuf;

use ide::{ActionKind, TextRange};
use lsp_types as lsp;
use syntax::ColumnEncoding;

use crate::{
    config::{CONFIG_FILE, ConfigPatch},
    server::{
        client::uri_of,
        documents::Document,
        lsp::to_proto,
        settings::folder_of,
        snapshot::{Failure, Snapshot},
    },
    walk::workspace_of,
};

/// The actions for the unknown operations of a range.
pub(super) fn actions(
    snapshot: &Snapshot,
    document: &Document,
    range: TextRange,
) -> Result<Vec<lsp::CodeActionResponse>, Failure> {
    let rows = snapshot.analysis.settings_rows(document.file, range)?;
    if rows.is_empty() {
        return Ok(Vec::new());
    }
    let Some(settings) = Settings::find(snapshot, document) else { return Ok(Vec::new()) };
    let action = |row: ide::SettingsRow| {
        lsp::CodeActionResponse::CodeAction(lsp::CodeAction {
            title: format!("Declare `{}` in {CONFIG_FILE}: no effects", row.operation),
            kind: Some(to_proto::action_kind(ActionKind::QuickFix)),
            edit: Some(settings.append(
                &row.text,
                snapshot.encoding(),
                snapshot.client.versions_edits,
            )),
            ..Default::default()
        })
    };
    Ok(rows.into_iter().map(action).collect())
}

/// The file of the settings.
struct Settings {
    uri: lsp::Uri,
    /// Its text; none if it is yet to be made.
    text: Option<String>,
}

impl Settings {
    fn find(snapshot: &Snapshot, document: &Document) -> Option<Settings> {
        let folder = folder_of(&document.uri).or_else(|| snapshot.roots.first().cloned())?;
        let known = ConfigPatch::nearest(&folder).or(snapshot.roots.first().map(PathBuf::as_path));
        let root = known?;
        let path = root.join(CONFIG_FILE);
        let text = files::read_text_within(workspace_of(root), &path, files::SETTINGS).ok();
        // What is there and cannot be read is not ours to write over.
        let can_make = || snapshot.client.creates_files && path.symlink_metadata().is_err();
        if text.is_none() && !can_make() {
            return None;
        }
        Some(Settings { uri: uri_of(&path).into(), text })
    }

    /// The edit that puts lines behind all others.
    fn append(&self, lines: &str, encoding: ColumnEncoding, versioned: bool) -> lsp::WorkspaceEdit {
        let mut changes = Vec::new();
        let old = self.text.as_deref().unwrap_or_default();
        if self.text.is_none() {
            changes.push(lsp::DocumentChange::CreateFile(lsp::CreateFile {
                uri: self.uri.clone(),
                options: None,
                annotation_id: None,
            }));
        }
        let last = old.rsplit('\n').next().unwrap_or_default();
        let end = lsp::Position {
            line: old.matches('\n').count() as u32,
            character: match encoding {
                ColumnEncoding::Utf8 => last.len(),
                ColumnEncoding::Utf16 => last.encode_utf16().count(),
                ColumnEncoding::Utf32 => last.chars().count(),
            } as u32,
        };
        let gap = match (old.is_empty(), last.is_empty()) {
            (true, _) => "",
            (_, true) => "\n",
            (_, false) => "\n\n",
        };
        let edit = lsp::TextEdit {
            range: lsp::Range { start: end, end },
            new_text: format!("{gap}{lines}"),
        };
        if !versioned {
            let changes = [(self.uri.clone(), vec![edit])].into_iter().collect();
            return lsp::WorkspaceEdit { changes: Some(changes), ..Default::default() };
        }
        changes.push(lsp::DocumentChange::TextDocumentEdit(lsp::TextDocumentEdit {
            text_document: lsp::OptionalVersionedTextDocumentIdentifier {
                version: None,
                text_document_identifier: lsp::TextDocumentIdentifier { uri: self.uri.clone() },
            },
            edits: vec![lsp::Edit::TextEdit(edit)],
        }));
        lsp::WorkspaceEdit { document_changes: Some(changes), ..Default::default() }
    }
}

//! Capabilities: those of the client, read once from `initialize`, and those that the server offers in return.

use std::path::PathBuf;

use lsp_types::{self as lsp, InitializeParams, Uri};
use syntax::ColumnEncoding;

use crate::server::lsp::{
    ext::{CHOOSE_INSTANCE_COMMAND, VIEW_DEVICE_CODE_COMMAND},
    from_proto, to_proto, tokens,
};

/// The characters at which completion is asked for: those that begin a name, its part behind a dialect or a script, or
/// the rules of a comment.
const TRIGGERS: [&str; 7] = ["%", "^", "@", "#", "!", ".", "("];

/// The characters at which the signature of a call is asked for: those behind which an argument or operand begins.
const CALL_TRIGGERS: [&str; 4] = ["(", ",", "[", "%"];

/// The client's relevant abilities.
#[derive(Clone, Debug)]
pub(crate) struct Client {
    pub(crate) encoding: ColumnEncoding,
    /// It asks for diagnostics; they are not pushed then.
    pub(crate) pulls_diagnostics: bool,
    pub(crate) refreshes_diagnostics: bool,
    pub(crate) refreshes_hints: bool,
    pub(crate) refreshes_lenses: bool,
    pub(crate) refreshes_tokens: bool,
    pub(crate) shows_progress: bool,
    /// It can be asked for settings.
    pub(crate) has_configuration: bool,
    /// It can tell about changed settings and watched files after registration.
    pub(crate) registers_configuration: bool,
    pub(crate) registers_watchers: bool,
    /// It can be told for which languages there is a layout.
    pub(crate) registers_layout: bool,
    /// Edits may name the version of the document they are for.
    pub(crate) versions_edits: bool,
    /// Edits may make files.
    pub(crate) creates_files: bool,
    /// It asks for the edit of a code action when that is chosen.
    pub(crate) resolves_edits: bool,
    /// It asks for the tooltip of a hint when somebody wants to read it.
    pub(crate) resolves_tooltips: bool,
    /// It shows actions that cannot be done, with the reason.
    pub(crate) shows_disabled: bool,
    /// It asks whether a name can be renamed before it asks for a new one.
    pub(crate) prepares_rename: bool,
    /// Symbols may be nested.
    pub(crate) nests_symbols: bool,
    /// It has the command that shows device code.
    pub(crate) views_device_code: bool,
    /// It tells of notebooks and their cells.
    pub(crate) has_notebooks: bool,
    /// It has the command of the lenses above factories.
    pub(crate) chooses_instances: bool,
}

/// The cells that the server wants to hear of: those in Python, of all notebooks.
fn notebooks() -> lsp::NotebookDocumentSync {
    let cells = vec![lsp::NotebookCellLanguage { language: "python".to_owned() }];
    let filter = lsp::NotebookDocumentFilterWithCells { notebook: None, cells };
    let selector = lsp::NotebookSelector::NotebookDocumentFilterWithCells(filter);
    lsp::NotebookDocumentSync::Options(lsp::NotebookDocumentSyncOptions {
        notebook_selector: vec![selector],
        save: None,
    })
}

/// Returns true if a client says that it has a command.
fn has_command(capabilities: &lsp::ClientCapabilities, command: &str) -> bool {
    let experimental = capabilities.experimental.as_ref();
    let commands = experimental.and_then(|it| it["commands"]["commands"].as_array());
    commands.is_some_and(|it| it.iter().any(|it| it == command))
}

impl Client {
    /// Reads the capabilities of the client.
    pub(crate) fn new(params: &InitializeParams) -> Client {
        let capabilities = &params.capabilities;
        let general = capabilities.general.as_ref();
        let workspace = capabilities.workspace.as_ref();
        let document = capabilities.text_document.as_ref();
        let offered = general.and_then(|it| it.position_encodings.as_deref());
        let is = |it: Option<bool>| it == Some(true);
        Client {
            encoding: from_proto::encoding(offered),
            pulls_diagnostics: document.is_some_and(|it| it.diagnostic.is_some()),
            refreshes_diagnostics: is(workspace
                .and_then(|it| it.diagnostics.as_ref())
                .and_then(|it| it.refresh_support)),
            refreshes_hints: is(workspace
                .and_then(|it| it.inlay_hint.as_ref())
                .and_then(|it| it.refresh_support)),
            refreshes_lenses: is(workspace
                .and_then(|it| it.code_lens.as_ref())
                .and_then(|it| it.refresh_support)),
            refreshes_tokens: is(workspace
                .and_then(|it| it.semantic_tokens.as_ref())
                .and_then(|it| it.refresh_support)),
            shows_progress: is(capabilities.window.as_ref().and_then(|it| it.work_done_progress)),
            has_configuration: is(workspace.and_then(|it| it.configuration)),
            registers_configuration: is(workspace
                .and_then(|it| it.did_change_configuration.as_ref())
                .and_then(|it| it.dynamic_registration)),
            registers_watchers: is(workspace
                .and_then(|it| it.did_change_watched_files.as_ref())
                .and_then(|it| it.dynamic_registration)),
            registers_layout: is(document
                .and_then(|it| it.formatting.as_ref())
                .and_then(|it| it.dynamic_registration))
                && is(document
                    .and_then(|it| it.range_formatting.as_ref())
                    .and_then(|it| it.dynamic_registration)),
            // Neovim says that it makes files, which only this form can tell, and leaves the form itself out.
            versions_edits: workspace
                .and_then(|it| it.workspace_edit.as_ref())
                .is_some_and(|it| is(it.document_changes) || it.resource_operations.is_some()),
            creates_files: workspace
                .and_then(|it| it.workspace_edit.as_ref())
                .and_then(|it| it.resource_operations.as_deref())
                .is_some_and(|it| it.contains(&lsp::ResourceOperationKind::Create)),
            shows_disabled: is(document
                .and_then(|it| it.code_action.as_ref())
                .and_then(|it| it.disabled_support)),
            resolves_edits: document.and_then(|it| it.code_action.as_ref()).is_some_and(|it| {
                let resolves = |it: &lsp::ClientCodeActionResolveOptions| {
                    it.properties.iter().any(|it| it == "edit")
                };
                is(it.data_support) && it.resolve_support.as_ref().is_some_and(resolves)
            }),
            resolves_tooltips: document
                .and_then(|it| it.inlay_hint.as_ref())
                .and_then(|it| it.resolve_support.as_ref())
                .is_some_and(|it| it.properties.iter().any(|it| it == "tooltip")),
            prepares_rename: is(document
                .and_then(|it| it.rename.as_ref())
                .and_then(|it| it.prepare_support)),
            nests_symbols: is(document
                .and_then(|it| it.document_symbol.as_ref())
                .and_then(|it| it.hierarchical_document_symbol_support)),
            has_notebooks: capabilities.notebook_document.is_some(),
            views_device_code: has_command(capabilities, VIEW_DEVICE_CODE_COMMAND),
            chooses_instances: has_command(capabilities, CHOOSE_INSTANCE_COMMAND),
        }
    }

    fn rename_provider(&self) -> lsp::RenameProvider {
        if !self.prepares_rename {
            return lsp::RenameProvider::Bool(true);
        }
        let options = lsp::RenameOptions { prepare_provider: Some(true), ..Default::default() };
        lsp::RenameProvider::RenameOptions(options)
    }

    /// Returns the capabilities that the server offers to this client.
    pub(crate) fn server_capabilities(&self) -> lsp::ServerCapabilities {
        lsp::ServerCapabilities {
            position_encoding: Some(to_proto::encoding(self.encoding)),
            text_document_sync: Some(lsp::TextDocumentSync::Options(
                lsp::TextDocumentSyncOptions {
                    open_close: Some(true),
                    change: Some(lsp::TextDocumentSyncKind::Incremental),
                    ..Default::default()
                },
            )),
            notebook_document_sync: self.has_notebooks.then(notebooks),
            completion_provider: Some(lsp::CompletionOptions {
                trigger_characters: Some(TRIGGERS.map(str::to_owned).to_vec()),
                ..Default::default()
            }),
            signature_help_provider: Some(lsp::SignatureHelpOptions {
                trigger_characters: Some(CALL_TRIGGERS.map(str::to_owned).to_vec()),
                ..Default::default()
            }),
            hover_provider: Some(lsp::HoverProvider::Bool(true)),
            definition_provider: Some(lsp::DefinitionProvider::Bool(true)),
            references_provider: Some(lsp::ReferencesProvider::Bool(true)),
            call_hierarchy_provider: Some(lsp::CallHierarchyProvider::Bool(true)),
            workspace_symbol_provider: Some(lsp::WorkspaceSymbolProvider::Bool(true)),
            document_symbol_provider: Some(lsp::DocumentSymbolProvider::Bool(true)),
            document_link_provider: Some(lsp::DocumentLinkOptions::default()),
            folding_range_provider: Some(lsp::FoldingRangeProvider::Bool(true)),
            // Where it can be said, it is said for the languages that have a layout only: an editor would ask people
            // which of two formatters they want for Python.
            document_formatting_provider: (!self.registers_layout)
                .then_some(lsp::DocumentFormattingProvider::Bool(true)),
            document_range_formatting_provider: (!self.registers_layout)
                .then_some(lsp::DocumentRangeFormattingProvider::Bool(true)),
            document_highlight_provider: Some(lsp::DocumentHighlightProvider::Bool(true)),
            selection_range_provider: Some(lsp::SelectionRangeProvider::Bool(true)),
            rename_provider: Some(self.rename_provider()),
            semantic_tokens_provider: Some(semantic_tokens_provider()),
            code_lens_provider: Some(lsp::CodeLensOptions::default()),
            inlay_hint_provider: Some(lsp::InlayHintProvider::InlayHintOptions(
                lsp::InlayHintOptions {
                    resolve_provider: Some(self.resolves_tooltips),
                    ..Default::default()
                },
            )),
            code_action_provider: Some(lsp::CodeActionProvider::CodeActionOptions(
                lsp::CodeActionOptions {
                    code_action_kinds: Some(vec![
                        lsp::CodeActionKind::QuickFix,
                        lsp::CodeActionKind::RefactorExtract,
                        lsp::CodeActionKind::RefactorInline,
                        lsp::CodeActionKind::SourceFixAll,
                    ]),
                    resolve_provider: Some(self.resolves_edits),
                    ..Default::default()
                },
            )),
            diagnostic_provider: self.pulls_diagnostics.then(|| {
                lsp::DiagnosticProvider::DiagnosticOptions(lsp::DiagnosticOptions {
                    identifier: Some("tir-analyzer".to_owned()),
                    inter_file_dependencies: false,
                    workspace_diagnostics: false,
                    ..Default::default()
                })
            }),
            workspace: Some(lsp::WorkspaceOptions {
                workspace_folders: Some(lsp::WorkspaceFoldersServerCapabilities {
                    supported: Some(true),
                    change_notifications: Some(lsp::ChangeNotifications::Bool(true)),
                }),
                ..Default::default()
            }),
            experimental: Some(serde_json::json!({
                "chooseInstance": true, "viewDeviceCode": true, "viewPasses": true,
                "viewTileLang": true,
            })),
            ..Default::default()
        }
    }
}

fn semantic_tokens_provider() -> lsp::SemanticTokensProvider {
    let full = lsp::SemanticTokensFullDelta { delta: Some(true) };
    lsp::SemanticTokensProvider::SemanticTokensOptions(lsp::SemanticTokensOptions {
        legend: tokens::legend(),
        range: Some(lsp::SemanticTokensOptionsRange::Bool(true)),
        full: Some(lsp::Full::SemanticTokensFullDelta(full)),
        work_done_progress_options: Default::default(),
    })
}

/// The folders of the workspace, as paths; entries without a path are left out.
#[expect(deprecated, reason = "clients without workspace folders send `rootUri`")]
pub(crate) fn roots(params: &InitializeParams) -> Vec<PathBuf> {
    match &params.workspace_folders_initialize_params.workspace_folders {
        Some(lsp::WorkspaceFolders::WorkspaceFolderList(folders)) if !folders.is_empty() => {
            folders.iter().filter_map(|it| path(&it.uri)).collect()
        }
        _ => params.root_uri.iter().filter_map(path).collect(),
    }
}

/// The path of a `file:` URI.
pub(crate) fn path(uri: &Uri) -> Option<PathBuf> {
    let rest = uri.as_ref().strip_prefix("file://")?;
    // A host other than the local one names no local file.
    let path = if rest.starts_with('/') { rest } else { rest.strip_prefix("localhost")? };
    let path = percent_decode(path)?;
    // `/c:/x` is `c:/x`.
    let is_drive = path.as_bytes().get(2) == Some(&b':') && cfg!(windows);
    Some(PathBuf::from(if is_drive { &path[1..] } else { &path }))
}

/// The `file:` URI of a path.
pub(crate) fn uri_of(path: &std::path::Path) -> String {
    let path = path.to_string_lossy();
    let path = if cfg!(windows) { path.replace('\\', "/") } else { path.into_owned() };
    let mut uri = String::from(if path.starts_with('/') { "file://" } else { "file:///" });
    for byte in path.bytes() {
        match byte {
            b'/' | b'-' | b'.' | b'_' | b'~' => uri.push(char::from(byte)),
            it if it.is_ascii_alphanumeric() => uri.push(char::from(it)),
            it => uri.push_str(&format!("%{it:02X}")),
        }
    }
    uri
}

fn percent_decode(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        if byte != b'%' {
            bytes.push(byte);
            continue;
        }
        let digit = |it: u8| char::from(it).to_digit(16);
        let (high, low) = (digit(rest.next()?)?, digit(rest.next()?)?);
        bytes.push((high * 16 + low) as u8);
    }
    String::from_utf8(bytes).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn file_uris_are_paths() {
        let check = |uri: &str| path(&uri.into()).map(|it| it.display().to_string());
        assert_eq!(check("file:///a/b%20c/%C3%A9.py").as_deref(), Some("/a/b c/é.py"));
        assert_eq!(check("file://localhost/a").as_deref(), Some("/a"));
        assert_eq!(check("untitled:Untitled-1"), None);
        assert_eq!(check("file:///broken%2"), None);
    }

    #[test]
    fn encoding_is_the_clients_choice() {
        use lsp::PositionEncodingKind as Kind;
        let check = |kinds: &[Kind]| from_proto::encoding(Some(kinds));
        assert_eq!(check(&[Kind::UTF16, Kind::UTF8]), ColumnEncoding::Utf8);
        assert_eq!(check(&[Kind::UTF32, Kind::UTF16]), ColumnEncoding::Utf32);
        assert_eq!(check(&[]), ColumnEncoding::Utf16);
        assert_eq!(from_proto::encoding(None), ColumnEncoding::Utf16);
    }
}

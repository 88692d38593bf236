//! Notifications: they change the state, on the main loop, in the order they come.

mod notebook;

use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    path::Path,
    sync::Arc,
};

use ide::FileId;
use lsp_types as lsp;
use syntax::{Edit, Language, LineIndex, Parse};

use crate::server::{
    lsp::from_proto, outbox::Key, panics, progress, publish, state::State, workspace::is_source,
};

/// Documents are shorter than this: offsets have 32 bits, and some room is left for edits.
const MAX_DOCUMENT: usize = u32::MAX as usize / 2;

/// Applies a notification. Unknown ones and those with wrong parameters change nothing.
pub(crate) fn notification(state: &mut State, notification: lsp_server::Notification) {
    Dispatcher { state, notification: Some(notification) }
        .on::<lsp::DidOpenTextDocumentNotification>(did_open)
        .on::<lsp::DidChangeTextDocumentNotification>(did_change)
        .on::<lsp::DidCloseTextDocumentNotification>(did_close)
        .on::<lsp::DidOpenNotebookDocumentNotification>(notebook::did_open)
        .on::<lsp::DidChangeNotebookDocumentNotification>(notebook::did_change)
        .on::<lsp::DidCloseNotebookDocumentNotification>(notebook::did_close)
        .on::<lsp::CancelNotification>(cancel)
        .on::<lsp::WorkDoneProgressCancelNotification>(cancel_progress)
        .on::<lsp::DidChangeConfigurationNotification>(did_change_configuration)
        .on::<lsp::DidChangeWatchedFilesNotification>(did_change_watched_files)
        .on::<lsp::DidChangeWorkspaceFoldersNotification>(did_change_workspace_folders);
}

/// A notification on its way to its handler; none once it has found it.
struct Dispatcher<'a> {
    state: &'a mut State,
    notification: Option<lsp_server::Notification>,
}

impl Dispatcher<'_> {
    /// Applies notifications of a type, and shows what is wrong with them.
    fn on<N: lsp::Notification>(
        &mut self,
        handler: fn(&mut State, N::Params) -> Result<(), String>,
    ) -> &mut Self {
        let is_it = |it: &mut lsp_server::Notification| it.method == N::METHOD.as_str();
        if let Some(notification) = self.notification.take_if(is_it) {
            let params = serde_json::from_value(notification.params)
                .map_err(|error| format!("invalid parameters: {error}"));
            if let Err(message) = params.and_then(|it| handler(self.state, it)) {
                let message = format!("{}: {message}", notification.method);
                self.state.show(lsp::MessageType::Error, message);
            }
        }
        self
    }
}

fn did_open(state: &mut State, params: lsp::DidOpenTextDocumentParams) -> Result<(), String> {
    let lsp::TextDocumentItem { uri, version, text, language_id } = params.text_document;
    check_length(text.len())?;
    let language = language_of(&uri, &language_id, &text);
    state.is_opened(&uri);
    let group = state.group_of(&uri);
    let settings = (group, state.settings.config(group).clone());
    let file = state.documents.open(uri.clone(), version, LineIndex::new(&text), settings);
    let parse = caught(|| state.host().parse(group, language, &text));
    let path = module_of(&uri);
    state.host_mut().set_path(file, path.map(Into::into));
    state.host_mut().set_group(file, group);
    set_tree(state, file, parse)?;
    progress::warm(state, &uri);
    state.push_diagnostics(&uri);
    Ok(())
}

/// The path of a document as files that import it name it.
fn module_of(uri: &lsp::Uri) -> Option<String> {
    build_kernels::module_path(&crate::server::client::path(uri)?)
}

fn check_length(len: usize) -> Result<(), String> {
    if len > MAX_DOCUMENT { Err(format!("{len} bytes are too many")) } else { Ok(()) }
}

/// Sets the tree of a file. If making it panics, the file is left without one.
fn set_tree(state: &mut State, file: FileId, parse: Result<Parse, String>) -> Result<(), String> {
    match parse {
        Ok(parse) => {
            state.host_mut().open_file(file, parse);
            Ok(())
        }
        Err(message) => {
            state.host_mut().close_file(file);
            Err(message)
        }
    }
}

/// The language that the client names, else that of the file's name, else that of its text.
fn language_of(uri: &lsp::Uri, id: &lsp::LanguageKind, text: &str) -> Language {
    let path = crate::server::client::path(uri);
    let path = path.as_deref().unwrap_or(Path::new(uri.as_ref()));
    Language::of_id(id.as_str()).unwrap_or_else(|| Language::of_file(path, text))
}

fn did_change(state: &mut State, params: lsp::DidChangeTextDocumentParams) -> Result<(), String> {
    let lsp::VersionedTextDocumentIdentifier { version, text_document_identifier } =
        params.text_document;
    let of_client = |it| match it {
        lsp::TextDocumentContentChangeEvent::TextDocumentContentChangeWholeDocument(it) => {
            Change::Whole(it.text)
        }
        lsp::TextDocumentContentChangeEvent::TextDocumentContentChangePartial(it) => {
            Change::Range(it.range, it.text)
        }
    };
    let changes = params.content_changes.into_iter().map(of_client);
    change(state, text_document_identifier.uri, version, changes)
}

/// A change of a document.
enum Change {
    /// All of it is another text.
    Whole(String),
    /// A part of it, as the client counts.
    Range(lsp::Range, String),
    /// A part of it.
    Edit(Edit),
}

/// Changes an open document.
fn change(
    state: &mut State,
    uri: lsp::Uri,
    version: i32,
    changes: impl IntoIterator<Item = Change>,
) -> Result<(), String> {
    progress::pause(state);
    let encoding = state.client.encoding;
    let Some(file) = state.documents.get(&uri).map(|it| it.file) else {
        state.told_of_unopened(uri, "textDocument/didChange");
        return Ok(());
    };
    let mut parse = state.host().tree(file);
    let Some(document) = state.documents.get_mut(&uri) else { return Ok(()) };
    document.version = version;
    for change in changes {
        let lines = Arc::make_mut(&mut document.lines);
        let edit = match change {
            Change::Whole(text) => {
                check_length(text.len())?;
                parse = parse.and_then(|old| guarded(|| old.again(&text)));
                *lines = LineIndex::new(&text);
                continue;
            }
            Change::Range(range, text) => {
                Edit::replace(from_proto::range(lines, encoding, range), text)
            }
            Change::Edit(edit) => edit,
        };
        check_length(usize::from(lines.text_len()) + edit.text.len())?;
        parse = parse.and_then(|old| reparse(&old, &edit));
        if let Some(new) = &parse {
            *lines = lines.edited(&edit, |range| new.text_in(range));
        }
    }
    match parse {
        Some(parse) => {
            state.host_mut().open_file(file, parse);
            if state.host().has_new_exports(file) {
                state.refresh();
            }
        }
        // Without a tree there is no text to apply edits to: the client must send it whole.
        None => {
            state.documents.close(&uri);
            state.host_mut().close_file(file);
            return Err(format!("{uri} could not be read any more; open it again"));
        }
    }
    state.push_diagnostics(&uri);
    Ok(())
}

/// The tree after an edit. An incremental failure may not occur for the whole text.
fn reparse(old: &Parse, edit: &Edit) -> Option<Parse> {
    guarded(|| old.reparse(edit).parse).or_else(|| {
        guarded(|| {
            let mut text = old.text();
            edit.apply(&mut text);
            old.again(&text)
        })
    })
}

fn guarded(make: impl FnOnce() -> Parse) -> Option<Parse> {
    caught(make).ok()
}

fn caught(make: impl FnOnce() -> Parse) -> Result<Parse, String> {
    catch_unwind(AssertUnwindSafe(make))
        .map_err(|panic| format!("panicked: {}", panics::message(&*panic)))
}

fn did_close(state: &mut State, params: lsp::DidCloseTextDocumentParams) -> Result<(), String> {
    let uri = params.text_document.uri;
    let Some(document) = state.documents.close(&uri) else {
        state.told_of_unopened(uri, "textDocument/didClose");
        return Ok(());
    };
    state.is_closed(&uri);
    state.host_mut().close_file(document.file);
    state.sent_tokens.forget(&uri);
    progress::forget(state, &uri);
    // What is on the disk counts again.
    if let Some(path) = crate::server::client::path(&uri) {
        state.workspace.changed(path);
    }
    if !state.client.pulls_diagnostics {
        let key = Key::Diagnostics(uri.clone());
        state.outbox.replace(key, publish::frame(uri, None, Vec::new()));
    }
    Ok(())
}

fn cancel(state: &mut State, params: lsp::CancelParams) -> Result<(), String> {
    let id = match params.id {
        lsp::Id::Int(id) => id.into(),
        lsp::Id::String(id) => id.into(),
    };
    if let Some(frame) = state.pending.cancel(&id) {
        state.send(frame);
    }
    Ok(())
}

fn cancel_progress(
    state: &mut State,
    params: lsp::WorkDoneProgressCancelParams,
) -> Result<(), String> {
    // Our tokens are texts.
    if let lsp::ProgressToken::String(token) = params.token {
        progress::cancel(state, &token);
    }
    Ok(())
}

fn did_change_configuration(
    state: &mut State,
    params: lsp::DidChangeConfigurationParams,
) -> Result<(), String> {
    if state.client.has_configuration {
        state.ask_configuration();
    } else {
        state.set_editor_config(&params.settings);
    }
    Ok(())
}

fn did_change_watched_files(
    state: &mut State,
    params: lsp::DidChangeWatchedFilesParams,
) -> Result<(), String> {
    let mut is_config = params.changes.is_empty();
    let mut is_imported = false;
    for path in params.changes.iter().filter_map(|it| crate::server::client::path(&it.uri)) {
        if is_source(&path) {
            if let Some(module) = build_kernels::module_path(&path) {
                is_imported |= state.host_mut().module_changed(&module);
            }
            state.workspace.changed(path);
        } else {
            is_config = true;
        }
    }
    if is_config {
        state.read_settings();
    }
    if is_imported {
        state.refresh();
    }
    Ok(())
}

fn did_change_workspace_folders(
    state: &mut State,
    params: lsp::DidChangeWorkspaceFoldersParams,
) -> Result<(), String> {
    let path = |it: &lsp::WorkspaceFolder| crate::server::client::path(&it.uri);
    let removed: Vec<_> = params.event.removed.iter().filter_map(path).collect();
    let kept = state.roots.iter().filter(|it| !removed.contains(it)).cloned();
    state.roots = kept.chain(params.event.added.iter().filter_map(path)).collect();
    state.follow_imports();
    state.refresh();
    state.read_settings();
    state.index_workspace();
    Ok(())
}

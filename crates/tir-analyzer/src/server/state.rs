//! The state that the main loop owns.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
    thread,
    time::{Duration, Instant},
};

use build_kernels::WorkspaceFiles;
use crossbeam_channel::Sender;
use ide::{AnalysisHost, CancellationToken, Group};
use lsp_server::{RequestId, Response};
use lsp_types as lsp;
use rustc_hash::{FxHashMap, FxHashSet};
use serde::Serialize;
use serde_json::Value;

use crate::{
    config::{Config, ConfigPatch, import_folders},
    server::{
        client::Client,
        definitions::Definitions,
        documents::{Document, Documents},
        event::Event,
        lsp::tokens::SentTokens,
        metrics::Metrics,
        notebooks::Notebooks,
        outbox::{Key, Outbox},
        pending::PendingRequests,
        publish,
        settings::{self, Settings},
        silence::{Answered, InPart},
        snapshot::Snapshot,
        thread_pool::{MAX_LOST, Sight, ThreadPool},
        transport::{self, Frame},
        workspace::{Limits, Workspace},
    },
};

/// The time that a change waits for readers to notice their cancellation. Most take a fraction of a millisecond.
const PATIENCE: Duration = Duration::from_millis(100);

/// Between two looks whether they have.
const NAP: Duration = Duration::from_micros(100);

/// No request and no piece of background work computes longer.
const LIMIT: Duration = Duration::from_secs(if cfg!(debug_assertions) { 120 } else { 30 });

/// Hints and diagnostics that are computed longer than this are answered in part; the rest follows.
const BUDGET: Duration = Duration::from_secs(if cfg!(debug_assertions) { 60 } else { 1 });

/// Documents that are remembered as not open.
const MAX_NOT_OPEN: usize = 1000;

/// The purpose of a request to the client.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Asked {
    Configuration,
    /// The answer does not matter.
    Nothing,
}

/// Everything.
pub(crate) struct State {
    host: AnalysisHost,
    pub(crate) documents: Documents,
    /// The open notebooks, whose cells have one document together.
    pub(crate) notebooks: Notebooks,
    pub(crate) client: Arc<Client>,
    pub(crate) settings: Settings,
    /// The group of the first folder of the workspace.
    workspace_group: Group,
    pub(crate) roots: Arc<[PathBuf]>,
    pub(crate) figures: Arc<Metrics>,
    definitions: Arc<Definitions>,
    pub(crate) pending: PendingRequests,
    pub(crate) pool: ThreadPool,
    pub(crate) outbox: Outbox,
    pub(crate) events: Sender<Event>,
    pub(crate) is_shut_down: bool,
    /// Documents whose warming was interrupted, and when to go on.
    pub(crate) to_warm: Vec<lsp::Uri>,
    pub(crate) warm_at: Instant,
    /// Documents that are being warmed, by what ends a step of it.
    pub(crate) warming: FxHashMap<lsp::Uri, CancellationToken>,
    /// Documents whose warming was cancelled by the user.
    pub(crate) not_to_warm: FxHashSet<lsp::Uri>,
    /// Progress shown for a document, by its token.
    pub(crate) progress: FxHashMap<lsp::Uri, String>,
    /// Progress shown for the reading of the workspace.
    pub(crate) indexing: Option<String>,
    /// Works whose progress was shown so far.
    pub(crate) n_progress: u64,
    /// Documents with answers in part, by the version, and whether all was made for the rest since.
    pub(crate) partial: FxHashMap<lsp::Uri, (i32, bool)>,
    /// The questions that were answered before their work was done.
    answered_in_part: Answered,
    /// Documents that were changed or closed without being open, which is told once of each.
    not_open: FxHashSet<lsp::Uri>,
    pub(crate) workspace: Workspace,
    pub(crate) sent_tokens: SentTokens,
    /// The folders of closed files that are read; `None` before the client is ready.
    indexed: Option<(Vec<PathBuf>, Limits)>,
    asked: FxHashMap<i32, Asked>,
    n_asked: i32,
}

impl State {
    /// The state before any document is open.
    pub(crate) fn new(
        client: Client,
        roots: Vec<PathBuf>,
        initialization: ConfigPatch,
        outbox: Outbox,
        events: Sender<Event>,
    ) -> std::io::Result<State> {
        let host = AnalysisHost::new();
        let workspace = Workspace::new(host.workspace_index(), events.clone())?;
        let mut state = State {
            host,
            workspace,
            indexed: None,
            documents: Documents::default(),
            notebooks: Notebooks::default(),
            sent_tokens: SentTokens::default(),
            client: Arc::new(client),
            settings: Settings::new(initialization),
            workspace_group: Group::default(),
            roots: roots.into(),
            figures: Arc::default(),
            definitions: Arc::default(),
            pending: PendingRequests::default(),
            pool: ThreadPool::new(limit())?,
            outbox,
            events,
            is_shut_down: false,
            to_warm: Vec::new(),
            warm_at: Instant::now(),
            warming: FxHashMap::default(),
            not_to_warm: FxHashSet::default(),
            progress: FxHashMap::default(),
            indexing: None,
            n_progress: 0,
            partial: FxHashMap::default(),
            answered_in_part: Answered::default(),
            not_open: FxHashSet::default(),
            asked: FxHashMap::default(),
            n_asked: 0,
        };
        state.read_settings();
        state.follow_imports();
        Ok(state)
    }

    /// Has imports followed to the files of the workspace.
    pub(crate) fn follow_imports(&mut self) {
        let mut folders = Vec::new();
        for root in self.roots.clone().iter() {
            let group = self.group_of_folder(root);
            let settings = self.settings.folder(group).unwrap_or(root);
            folders.push(root.clone());
            folders.extend(import_folders(settings, &self.settings.config(group).import_roots));
        }
        let files = WorkspaceFiles::new(folders);
        self.host_mut().set_workspace(Arc::new(files));
    }

    /// Returns the analysis host, for reading.
    pub(crate) fn host(&self) -> &AnalysisHost {
        &self.host
    }

    /// Lets go of what was computed and is unlikely to be asked again soon, if nobody is asking: the next key shall not
    /// find it to do.
    pub(crate) fn let_go(&mut self) {
        self.host.let_go();
    }

    /// Returns the analysis host, for changing it. Running requests are cancelled, and have a moment to stop. A request
    /// that has not stopped by then continues with a copy of the old state, and nobody waits for it.
    pub(crate) fn host_mut(&mut self) -> &mut AnalysisHost {
        self.host.cancel();
        let begin = Instant::now();
        while self.host.is_asked() && begin.elapsed() < PATIENCE {
            thread::sleep(NAP);
        }
        &mut self.host
    }

    /// Cancels jobs that take too long. Whether the server can go on.
    pub(crate) fn look_after_jobs(&mut self) -> bool {
        for sight in self.pool.look() {
            let (id, message) = match sight {
                Sight::Late(id) => {
                    if let Some(id) = id {
                        self.answer_in_part(&id);
                    }
                    continue;
                }
                Sight::TooLong(id, name) => {
                    let limit = self.pool.limit().as_secs_f32();
                    (id, format!("{name} took longer than {limit} s and was stopped"))
                }
                Sight::Lost(id, name) => (id, format!("{name} does not stop; it is left alone")),
            };
            if let Some(frame) = id.and_then(|id| self.pending.give_up(&id, &message)) {
                self.send(frame);
            }
            self.show(lsp::MessageType::Warning, message);
        }
        let can_go_on = self.pool.n_lost() <= MAX_LOST;
        if !can_go_on {
            let message = format!("more than {MAX_LOST} computations do not stop: the server ends");
            self.show(lsp::MessageType::Error, message);
        }
        can_go_on
    }

    /// Answers a request that has waited for long enough with what is known. The log says so, once a version.
    fn answer_in_part(&mut self, id: &RequestId) {
        let Some(in_part) = self.pending.in_part(id) else { return };
        let (frame, told) = (transport::result(id, &in_part.result), in_part.told(budget()));
        let note = in_part.note();
        let is_first = self.answered_in_part.add(in_part);
        self.send(frame);
        if let Some(note) = note {
            self.show(lsp::MessageType::Info, note);
        }
        if is_first {
            self.log(told);
        }
    }

    /// Returns what a request is answered with when it has waited for long enough: where that is known, and the same
    /// was not answered so before.
    pub(crate) fn in_part(&self, method: &str, params: &Value) -> Option<InPart> {
        let uri = params["textDocument"]["uri"].as_str()?.into();
        let version = self.documents.get(&uri)?.version;
        let in_part = InPart::new(method, params, uri, version)?;
        (!self.answered_in_part.has(&in_part)).then_some(in_part)
    }

    /// The work of a request is done. If the client was answered before, it is asked to ask again.
    pub(crate) fn answered(&mut self, id: &RequestId) {
        let Some(InPart { uri, version, .. }) = self.pending.forget(id) else { return };
        if self.documents.get(&uri).is_some_and(|it| it.version == version) {
            self.refresh();
        }
    }

    /// The state as a request sees it.
    pub(crate) fn snapshot(&self) -> Snapshot {
        Snapshot {
            analysis: self.host.analysis(),
            documents: self.documents.clone(),
            notebooks: self.notebooks.clone(),
            client: self.client.clone(),
            roots: self.roots.clone(),
            closed: self.workspace.closed.clone(),
            places_of_closed: self.workspace.places.clone(),
            sent_tokens: self.sent_tokens.clone(),
            events: self.events.clone(),
            budget: budget(),
            partial: self.partial.clone(),
            figures: Arc::clone(&self.figures),
            definitions: Arc::clone(&self.definitions),
        }
    }

    /// Has the closed files of the workspace read, if that is wanted, and not done for these folders already.
    pub(crate) fn index_workspace(&mut self) {
        let config = self.config();
        let roots = if config.elsewhere_enable { self.roots.to_vec() } else { Vec::new() };
        let limits =
            Limits { files: config.elsewhere_files, file_size: config.elsewhere_file_size };
        let wanted = Some((roots, limits));
        if self.indexed != wanted {
            self.indexed = wanted;
            self.workspace.scan(self.indexed.iter().flat_map(|it| it.0.clone()).collect(), limits);
        }
    }

    /// Sends a finished message.
    pub(crate) fn send(&self, frame: Frame) {
        self.outbox.send(frame);
    }

    /// Sends a notification in the place of an earlier one with this key that is still waiting.
    pub(crate) fn notify_last(&self, key: Key, method: &str, params: &impl Serialize) {
        self.outbox.replace(key, transport::notification(method, params));
    }

    /// Sends a notification.
    pub(crate) fn notify(&self, method: &str, params: &impl Serialize) {
        self.send(transport::notification(method, params));
    }

    /// Sends a request to the client.
    pub(crate) fn ask(&mut self, method: &'static str, params: &impl Serialize, asked: Asked) {
        self.n_asked += 1;
        if asked != Asked::Nothing {
            self.asked.insert(self.n_asked, asked);
        }
        self.send(transport::request(self.n_asked, method, params));
    }

    /// Takes the client's answer to a request.
    pub(crate) fn take_response(&mut self, response: Response) {
        let Ok(id) = response.id.to_string().parse::<i32>() else { return };
        let asked = self.asked.remove(&id);
        if asked == Some(Asked::Configuration)
            && let Some(Value::Array(items)) = response.result
            && let Some(settings) = items.first()
        {
            self.set_editor_config(settings);
        }
    }

    /// Shows a message to the user.
    pub(crate) fn show(&self, kind: lsp::MessageType, message: String) {
        let params = lsp::ShowMessageParams { kind, message };
        self.outbox.offer(transport::notification("window/showMessage", &params));
    }

    /// A document that is not open was changed or closed: a mistake of the client, which comes with each key. It is
    /// told once of a document, in the log.
    pub(crate) fn told_of_unopened(&mut self, uri: lsp::Uri, what: &str) {
        let has_room = self.not_open.len() < MAX_NOT_OPEN;
        if has_room && self.not_open.insert(uri.clone()) {
            self.log(format!("{what}: {uri} is not open; this is told once"));
        }
    }

    /// A document is open now.
    pub(crate) fn is_opened(&mut self, uri: &lsp::Uri) {
        self.not_open.remove(uri);
    }

    /// Forgets what was told about a document that is closed.
    pub(crate) fn is_closed(&mut self, uri: &lsp::Uri) {
        self.partial.remove(uri);
        self.answered_in_part.forget(uri);
    }

    /// Writes a line to the client's log.
    pub(crate) fn log(&self, message: String) {
        let params = lsp::LogMessageParams { kind: lsp::MessageType::Info, message };
        self.outbox.offer(transport::notification("window/logMessage", &params));
    }

    // ---- configuration ----

    /// The settings of the workspace: of its first folder.
    pub(crate) fn config(&self) -> &Config {
        self.settings.config(self.workspace_group)
    }

    /// Asks the client for its settings.
    pub(crate) fn ask_configuration(&mut self) {
        let item = lsp::ConfigurationItem {
            scope_uri: None,
            section: Some(crate::config::CONFIG_SECTION.to_owned()),
        };
        let params = lsp::ConfigurationParams { items: vec![item] };
        self.ask("workspace/configuration", &params, Asked::Configuration);
    }

    /// Takes the settings of the editor.
    pub(crate) fn set_editor_config(&mut self, settings: &Value) {
        match ConfigPatch::from_json(settings) {
            Ok(patch) => {
                self.warn_of_unknown(&patch, "the editor's settings");
                self.settings.editor = patch;
                self.apply_settings();
            }
            Err(error) => {
                self.show(lsp::MessageType::Error, format!("the editor's settings: {error}"));
            }
        }
    }

    /// Reads the settings files again, and applies what they say. What is wrong is shown, and changes nothing.
    pub(crate) fn read_settings(&mut self) {
        for problem in self.settings.read_files() {
            self.show(lsp::MessageType::Warning, problem);
        }
        self.workspace_group = match self.roots.first().cloned() {
            Some(root) => self.group_of_folder(&root),
            None => Group::default(),
        };
        self.apply_settings();
    }

    /// Tells of keys that mean nothing in settings of a client.
    pub(crate) fn warn_of_unknown(&self, patch: &ConfigPatch, source: &str) {
        for it in &patch.unknown {
            self.show(lsp::MessageType::Warning, format!("{source}: {it}"));
        }
    }

    /// The group of a document; it has its settings by then. One outside of the workspace, and of all folders with
    /// settings, has those of the workspace.
    pub(crate) fn group_of(&mut self, uri: &lsp::Uri) -> Group {
        let Some(folder) = settings::folder_of(uri) else { return self.workspace_group };
        let group = self.group_of_folder(&folder);
        let is_inside = self.roots.iter().any(|it| folder.starts_with(it));
        if group == Group::default() && !is_inside { self.workspace_group } else { group }
    }

    fn group_of_folder(&mut self, folder: &Path) -> Group {
        let n_groups = self.settings.n_groups();
        let (group, problems) = self.settings.group_of_folder(folder);
        for problem in problems {
            self.show(lsp::MessageType::Warning, problem);
        }
        if self.settings.n_groups() > n_groups {
            let settings = self.settings.config(group).for_analysis();
            self.host_mut().set_settings(group, settings);
        }
        group
    }

    /// Makes the settings of their sources, finds those of each document, and has everything shown again if they
    /// changed.
    pub(crate) fn apply_settings(&mut self) {
        let changed = self.settings.apply();
        let mut reads_otherwise = Vec::new();
        for it in &changed {
            if !it.new.has_tables_of(&it.old) {
                reads_otherwise.push(it.group);
            }
            self.host_mut().set_settings(it.group, it.new.for_analysis());
        }
        let mut is_moved = false;
        // Finding the settings of a folder opens files: once for all documents in it.
        let mut of_folder: FxHashMap<Option<PathBuf>, Group> = FxHashMap::default();
        for document in self.documents.sorted() {
            let folder = settings::folder_of(&document.uri);
            let group = of_folder.entry(folder).or_insert_with(|| self.group_of(&document.uri));
            let group = *group;
            let config = self.settings.config(group).clone();
            let is_other = group != document.group;
            if is_other {
                self.host_mut().set_group(document.file, group);
            }
            if is_other && !config.has_tables_of(&document.config)
                || reads_otherwise.contains(&group)
            {
                self.read_again(&document, group);
            }
            is_moved |= is_other;
            self.documents.set_settings(&document.uri, group, config);
        }
        if changed.is_empty() && !is_moved {
            return;
        }
        if changed.iter().any(|it| it.new.import_roots != it.old.import_roots) {
            self.follow_imports();
        }
        if self.indexed.is_some() {
            self.index_workspace();
        }
        self.refresh();
    }

    /// Reads an open document again that is written in the forms of dialects.
    fn read_again(&mut self, document: &Document, group: Group) {
        let old = self.host.tree(document.file);
        if let Some(old) = old.filter(|it| it.language().support().uses_shapes) {
            let new = self.host.parse(group, old.language(), &old.text());
            self.host_mut().open_file(document.file, new);
        }
    }

    fn ask_again(&mut self, method: &'static str) {
        self.n_asked += 1;
        let frame = transport::request(self.n_asked, method, &Value::Null);
        self.outbox.replace(Key::Refresh(method), frame);
    }

    /// Asks the client to repeat its requests for visible data.
    pub(crate) fn refresh(&mut self) {
        if self.client.refreshes_hints {
            self.ask_again("workspace/inlayHint/refresh");
        }
        if self.client.refreshes_lenses {
            self.ask_again("workspace/codeLens/refresh");
        }
        if self.client.refreshes_tokens {
            self.ask_again("workspace/semanticTokens/refresh");
        }
        if self.client.refreshes_diagnostics {
            self.ask_again("workspace/diagnostic/refresh");
        }
        for document in self.documents.sorted() {
            self.push_diagnostics(&document.uri);
        }
    }

    /// Computes the diagnostics of a document and sends them to a client that does not ask for them.
    pub(crate) fn push_diagnostics(&self, uri: &lsp::Uri) {
        if self.client.pulls_diagnostics {
            return;
        }
        let Some(version) = self.documents.get(uri).map(|it| it.version) else { return };
        let (outbox, events) = (self.outbox.clone(), self.events.clone());
        let job = publish::diagnostics(self.snapshot(), uri.clone(), version, outbox, events);
        self.pool.background(job);
    }

    /// Goes on where an edit, perhaps of another document, interrupted the diagnostics of a document.
    pub(crate) fn not_published(&self, uri: &lsp::Uri, version: i32) {
        if self.documents.get(uri).is_some_and(|it| it.version == version) {
            self.push_diagnostics(uri);
        }
    }
}

/// No job computes longer.
fn limit() -> Duration {
    of_tests("TIR_ANALYZER_LIMIT_MS").unwrap_or(LIMIT)
}

/// No answer that can be given in part is computed longer.
pub(crate) fn budget() -> Duration {
    of_tests("TIR_ANALYZER_BUDGET_MS").unwrap_or(BUDGET)
}

/// A time in milliseconds that tests of a build for development may say.
fn of_tests(variable: &str) -> Option<Duration> {
    if !cfg!(debug_assertions) {
        return None;
    }
    Some(Duration::from_millis(std::env::var_os(variable)?.to_str()?.parse().ok()?))
}

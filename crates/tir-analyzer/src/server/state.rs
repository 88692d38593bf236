//! The state that the main loop owns.

use std::{
    path::PathBuf,
    sync::Arc,
    thread,
    time::{Duration, Instant},
};

use build_kernels::WorkspaceFiles;
use crossbeam_channel::Sender;
use ide::AnalysisHost;
use lsp_server::Response;
use lsp_types as lsp;
use rustc_hash::FxHashMap;
use serde::Serialize;
use serde_json::Value;

use crate::{
    config::{Config, ConfigPatch, import_folders},
    server::{
        client::Client,
        documents::Documents,
        event::Event,
        lsp::tokens::SentTokens,
        metrics::Metrics,
        outbox::{Key, Outbox},
        pending::PendingRequests,
        publish,
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

/// The purpose of a request to the client.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Asked {
    Configuration,
    /// The answer does not matter.
    Nothing,
}

/// The sources of the configuration, in the order they are laid over one another.
#[derive(Default)]
pub(crate) struct ConfigSources {
    pub(crate) file: ConfigPatch,
    pub(crate) initialization: ConfigPatch,
    pub(crate) editor: ConfigPatch,
}

/// Everything.
pub(crate) struct State {
    host: AnalysisHost,
    pub(crate) documents: Documents,
    pub(crate) client: Arc<Client>,
    pub(crate) config: Arc<Config>,
    pub(crate) sources: ConfigSources,
    pub(crate) roots: Arc<[PathBuf]>,
    pub(crate) figures: Arc<Metrics>,
    pub(crate) pending: PendingRequests,
    pub(crate) pool: ThreadPool,
    pub(crate) outbox: Outbox,
    pub(crate) events: Sender<Event>,
    pub(crate) is_shut_down: bool,
    /// Documents whose warming was interrupted, and when to go on.
    pub(crate) to_warm: Vec<lsp::Uri>,
    pub(crate) warm_at: Instant,
    /// Progress shown for a document, by its token.
    pub(crate) progress: FxHashMap<lsp::Uri, String>,
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
            sent_tokens: SentTokens::default(),
            client: Arc::new(client),
            config: Arc::new(Config::default()),
            sources: ConfigSources { initialization, ..Default::default() },
            roots: roots.into(),
            figures: Arc::default(),
            pending: PendingRequests::default(),
            pool: ThreadPool::new(limit())?,
            outbox,
            events,
            is_shut_down: false,
            to_warm: Vec::new(),
            warm_at: Instant::now(),
            progress: FxHashMap::default(),
            asked: FxHashMap::default(),
            n_asked: 0,
        };
        state.follow_imports();
        state.load_config_file();
        state.apply_config();
        Ok(state)
    }

    /// Has imports followed to the files of the workspace.
    pub(crate) fn follow_imports(&mut self) {
        let roots = &self.config.import_roots;
        let folders = self.roots.iter().flat_map(|it| import_folders(it, roots));
        let files = WorkspaceFiles::new(folders);
        self.host_mut().set_workspace(Arc::new(files));
    }

    /// Returns the analysis host, for reading.
    pub(crate) fn host(&self) -> &AnalysisHost {
        &self.host
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

    /// The state as a request sees it.
    pub(crate) fn snapshot(&self) -> Snapshot {
        Snapshot {
            analysis: self.host.analysis(),
            documents: self.documents.clone(),
            config: self.config.clone(),
            client: self.client.clone(),
            roots: self.roots.clone(),
            closed: self.workspace.closed.clone(),
            sent_tokens: self.sent_tokens.clone(),
            figures: Arc::clone(&self.figures),
        }
    }

    /// Has the closed files of the workspace read, if that is wanted, and not done for these folders already.
    pub(crate) fn index_workspace(&mut self) {
        let config = &self.config;
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

    /// Writes a line to the client's log.
    pub(crate) fn log(&self, message: String) {
        let params = lsp::LogMessageParams { kind: lsp::MessageType::Info, message };
        self.outbox.offer(transport::notification("window/logMessage", &params));
    }

    // ---- configuration ----

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
                self.sources.editor = patch;
                self.apply_config();
            }
            Err(error) => self.show(lsp::MessageType::Error, format!("{error:#}")),
        }
    }

    /// Reads `tir-analyzer.toml` of the first root that has one. A broken file changes nothing and is shown.
    pub(crate) fn load_config_file(&mut self) {
        for root in &*self.roots {
            match ConfigPatch::load(root) {
                Ok(patch) if patch == ConfigPatch::default() => {}
                Ok(patch) => {
                    self.warn_of_unknown(&patch, crate::config::CONFIG_FILE);
                    self.sources.file = patch;
                    return;
                }
                Err(error) => return self.show(lsp::MessageType::Error, format!("{error:#}")),
            }
        }
        self.sources.file = ConfigPatch::default();
    }

    pub(crate) fn warn_of_unknown(&self, patch: &ConfigPatch, place: &str) {
        if !patch.unknown.is_empty() {
            let names = patch.unknown.join("`, `");
            self.show(lsp::MessageType::Warning, format!("unknown settings in {place}: `{names}`"));
        }
    }

    /// Makes the configuration of its sources, and has everything shown again if it changed.
    pub(crate) fn apply_config(&mut self) {
        let sources = &self.sources;
        let config = Config::layered([&sources.file, &sources.initialization, &sources.editor]);
        if config == *self.config {
            return;
        }
        let knows_more =
            config.dialects != self.config.dialects || config.stated != self.config.stated;
        let searches_elsewhere = config.import_roots != self.config.import_roots;
        if config.instances != self.config.instances {
            self.host.set_requests(config.instances.clone());
        }
        self.config = Arc::new(config);
        let config = self.config.analysis();
        self.host_mut().set_config(config);
        if searches_elsewhere {
            self.follow_imports();
        }
        if knows_more {
            self.apply_dialects();
        }
        if self.indexed.is_some() {
            self.index_workspace();
        }
        self.refresh();
    }

    /// Takes the rows about dialects, and reads open files of MLIR again.
    fn apply_dialects(&mut self) {
        let dialects = self.config.tables();
        self.host_mut().set_dialects(dialects);
        for document in self.documents.sorted() {
            let old = self.host.tree(document.file);
            if let Some(old) = old.filter(|it| it.language().support().uses_shapes) {
                let new = self.host.parse(old.language(), &old.text());
                self.host_mut().open_file(document.file, new);
            }
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

/// No job computes longer. Tests of a build for development may say how long.
fn limit() -> Duration {
    #[cfg(debug_assertions)]
    if let Some(limit) = std::env::var_os("TIR_ANALYZER_LIMIT_MS")
        && let Some(limit) = limit.to_str().and_then(|it| it.parse().ok())
    {
        return Duration::from_millis(limit);
    }
    LIMIT
}

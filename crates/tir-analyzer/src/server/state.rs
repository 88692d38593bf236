//! The state that the main loop owns.

use std::{path::PathBuf, sync::Arc, time::Instant};

use crossbeam_channel::Sender;
use ide::AnalysisHost;
use lsp_server::{RequestId, Response};
use lsp_types as lsp;
use rustc_hash::FxHashMap;
use serde::Serialize;
use serde_json::Value;

use crate::{
    config::{Config, ConfigPatch},
    server::{
        client::Client,
        dispatch::PendingRequests,
        documents::Documents,
        figures::Figures,
        handlers::notification,
        lsp::tokens::SentTokens,
        snapshot::Snapshot,
        thread_pool::ThreadPool,
        transport::{self, Frame},
        workspace::{Limits, Workspace},
    },
};

/// What threads of the pool tell the main loop.
pub(crate) enum Event {
    /// A request has been answered.
    Answered(RequestId),
    /// A document has been warmed: functions done, of all.
    Warmed { uri: lsp::Uri, done: usize, total: usize },
    /// Warming was interrupted by an edit.
    WarmingStopped { uri: lsp::Uri },
}

/// What a request to the client was for.
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
    pub(crate) host: AnalysisHost,
    pub(crate) documents: Documents,
    pub(crate) client: Arc<Client>,
    pub(crate) config: Arc<Config>,
    pub(crate) sources: ConfigSources,
    pub(crate) roots: Arc<[PathBuf]>,
    pub(crate) figures: Arc<Figures>,
    pub(crate) pending: PendingRequests,
    pub(crate) pool: ThreadPool,
    pub(crate) frames: Sender<Frame>,
    pub(crate) events: Sender<Event>,
    pub(crate) is_shut_down: bool,
    /// Documents whose warming was interrupted, and when to go on.
    pub(crate) to_warm: Vec<lsp::Uri>,
    pub(crate) warm_at: Instant,
    /// Progress shown for a document, by its token.
    pub(crate) progress: FxHashMap<lsp::Uri, String>,
    pub(crate) workspace: Workspace,
    pub(crate) sent_tokens: SentTokens,
    /// What is read of closed files; none before the client is ready.
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
        frames: Sender<Frame>,
        events: Sender<Event>,
    ) -> std::io::Result<State> {
        let host = AnalysisHost::new();
        let workspace = Workspace::new(host.workspace_index())?;
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
            pool: ThreadPool::new()?,
            frames,
            events,
            is_shut_down: false,
            to_warm: Vec::new(),
            warm_at: Instant::now(),
            progress: FxHashMap::default(),
            asked: FxHashMap::default(),
            n_asked: 0,
        };
        state.load_config_file();
        state.apply_config();
        Ok(state)
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
        // The writer ends only with the server.
        let _ = self.frames.send(frame);
    }

    /// Sends a notification.
    pub(crate) fn notify(&self, method: &str, params: &impl Serialize) {
        self.send(transport::notification(method, params));
    }

    /// Sends a request to the client.
    pub(crate) fn ask(&mut self, method: &str, params: &impl Serialize, asked: Asked) {
        self.n_asked += 1;
        self.asked.insert(self.n_asked, asked);
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
        self.notify("window/showMessage", &lsp::ShowMessageParams { kind, message });
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
        let knows_more = config.dialects != self.config.dialects;
        self.config = Arc::new(config);
        self.host.set_config(self.config.analysis());
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
        match self.config.dialects.tables() {
            Ok(dialects) => self.host.set_dialects(dialects),
            Err(error) => return self.show(lsp::MessageType::Error, format!("{error:#}")),
        }
        for document in self.documents.sorted() {
            let old = self.host.tree(document.file);
            if let Some(old) = old.filter(|it| it.language() == ide::Language::Mlir) {
                let new = self.host.parse(ide::Language::Mlir, &old.text());
                self.host.open_file(document.file, new);
            }
        }
    }

    /// Has the client ask again for what it shows.
    pub(crate) fn refresh(&mut self) {
        if self.client.refreshes_hints {
            self.ask("workspace/inlayHint/refresh", &Value::Null, Asked::Nothing);
        }
        if self.client.refreshes_lenses {
            self.ask("workspace/codeLens/refresh", &Value::Null, Asked::Nothing);
        }
        if self.client.refreshes_diagnostics {
            self.ask("workspace/diagnostic/refresh", &Value::Null, Asked::Nothing);
        }
        for document in self.documents.sorted() {
            notification::push_diagnostics(self, &document.uri);
        }
    }
}

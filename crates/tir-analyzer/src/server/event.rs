//! News from threads of the pool and of the workspace for the main loop.

use lsp_server::RequestId;
use lsp_types as lsp;

/// News for the main loop.
pub(crate) enum Event {
    /// A request has been answered.
    Answered(RequestId),
    /// A document has been warmed: functions done, of all.
    Warmed { uri: lsp::Uri, done: usize, total: usize },
    /// Warming was interrupted by an edit.
    WarmingStopped { uri: lsp::Uri },
    /// Diagnostics of a version of a document were not computed: an edit interrupted that.
    NotPublished { uri: lsp::Uri, version: i32 },
    /// Files of the workspace are not in the index, for this reason.
    LeftOut(String),
    /// So are these, by the settings.
    TooLarge(String),
    /// So many files of the workspace were read; or all were.
    Indexing { n_files: usize, is_done: bool },
    /// A request about a version of a document was answered in part, for want of time.
    Partial { uri: lsp::Uri, version: i32, told: String },
}

//! The view of a request: the state of everything at the moment it came in.

use std::{
    path::PathBuf,
    sync::Arc,
    time::{Duration, Instant},
};

use crossbeam_channel::Sender;
use ide::{Analysis, Pace};
use lsp_server::ErrorCode;
use lsp_types::Uri;
use rustc_hash::FxHashMap;
use syntax::ColumnEncoding;

use crate::server::{
    client::Client,
    definitions::Definitions,
    documents::{Document, Documents},
    event::Event,
    lsp::{to_proto::Places, tokens::SentTokens},
    metrics::Metrics,
    notebooks::Notebooks,
    workspace::{AskPlaces, ClosedFiles},
};

/// An immutable view of the server's state.
pub(crate) struct Snapshot {
    pub(crate) analysis: Analysis,
    pub(crate) documents: Documents,
    pub(crate) notebooks: Notebooks,
    pub(crate) client: Arc<Client>,
    /// The folders of the workspace.
    pub(crate) roots: Arc<[PathBuf]>,
    pub(crate) closed: ClosedFiles,
    pub(crate) places_of_closed: AskPlaces,
    pub(crate) sent_tokens: SentTokens,
    pub(crate) figures: Arc<Metrics>,
    /// The definitions of operations in the workspace.
    pub(crate) definitions: Arc<Definitions>,
    /// The main loop, for news about an answer.
    pub(crate) events: Sender<Event>,
    /// The time for answers that can be given in part.
    pub(crate) budget: Duration,
    /// Documents with answers in part, by the version, and whether all was made for the rest since.
    pub(crate) partial: FxHashMap<Uri, (i32, bool)>,
}

/// The reason why a request has no result.
#[derive(Debug)]
pub(crate) enum Failure {
    /// The state changed, or the client lost interest, while it ran.
    Cancelled,
    /// The parameters name something that is not there.
    InvalidParams(String),
    /// It is understood and cannot be done.
    Refused(String),
}

impl From<ide::Cancelled> for Failure {
    fn from(_: ide::Cancelled) -> Failure {
        Failure::Cancelled
    }
}

impl Failure {
    /// The protocol's code for it.
    pub(crate) fn code(&self) -> ErrorCode {
        match self {
            Failure::Cancelled => ErrorCode::ContentModified,
            Failure::InvalidParams(_) => ErrorCode::InvalidParams,
            Failure::Refused(_) => ErrorCode::RequestFailed,
        }
    }
    /// The message for it.
    pub(crate) fn message(&self) -> &str {
        match self {
            Failure::Cancelled => "the content was modified",
            Failure::InvalidParams(message) | Failure::Refused(message) => message,
        }
    }
}

impl Snapshot {
    /// An open document.
    pub(crate) fn document(&self, uri: &Uri) -> Result<&Document, Failure> {
        let missing = || Failure::InvalidParams(format!("{uri} is not open"));
        self.documents.get(uri).ok_or_else(missing)
    }

    /// Asks for something of each function of a document, for as long as the budget lasts. The main loop hears of an
    /// answer in part.
    pub(crate) fn in_time<T>(
        &self,
        document: &Document,
        what: &str,
        ask: impl FnOnce(&Pace<'_>) -> ide::Cancellable<T>,
    ) -> Result<T, Failure> {
        let begin = Instant::now();
        let goes_on = || begin.elapsed() < self.budget;
        let pace = Pace::new(&goes_on);
        let answer = ask(&pace)?;
        if pace.n_left_out() > 0 {
            let (n, uri) = (pace.n_left_out(), document.uri.clone());
            let functions = if n == 1 { "1 function is" } else { &format!("{n} functions are") };
            let seconds = self.budget.as_secs_f32();
            let told = format!(
                "{what} of {uri}: {functions} left out after {seconds} s; the rest follows"
            );
            // A closed channel means that the server is ending.
            let _ = self.events.send(Event::Partial { uri, version: document.version, told });
        }
        Ok(answer)
    }

    /// Returns true if the client will be asked to ask again after an answer in part about a document.
    pub(crate) fn rest_follows(&self, document: &Document) -> bool {
        self.partial.get(&document.uri) != Some(&(document.version, true))
    }

    /// How offsets of a document become positions.
    pub(crate) fn places<'a>(&self, document: &'a Document) -> Places<'a> {
        Places { document, encoding: self.encoding() }
    }

    /// How the client counts columns.
    pub(crate) fn encoding(&self) -> ColumnEncoding {
        self.client.encoding
    }
}

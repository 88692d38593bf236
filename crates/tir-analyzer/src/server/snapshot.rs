//! The view of a request: the state of everything at the moment it came in.

use std::{path::PathBuf, sync::Arc};

use ide::Analysis;
use lsp_server::ErrorCode;
use lsp_types::Uri;
use syntax::ColumnEncoding;

use crate::server::{
    client::Client,
    documents::{Document, Documents},
    lsp::{to_proto::Places, tokens::SentTokens},
    metrics::Metrics,
    workspace::ClosedFiles,
};

/// An immutable view of the server's state.
pub(crate) struct Snapshot {
    pub(crate) analysis: Analysis,
    pub(crate) documents: Documents,
    pub(crate) client: Arc<Client>,
    /// The folders of the workspace.
    pub(crate) roots: Arc<[PathBuf]>,
    pub(crate) closed: ClosedFiles,
    pub(crate) sent_tokens: SentTokens,
    pub(crate) figures: Arc<Metrics>,
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

    /// How offsets of a document become positions.
    pub(crate) fn places<'a>(&self, document: &'a Document) -> Places<'a> {
        Places { document, encoding: self.encoding() }
    }

    /// How the client counts columns.
    pub(crate) fn encoding(&self) -> ColumnEncoding {
        self.client.encoding
    }
}

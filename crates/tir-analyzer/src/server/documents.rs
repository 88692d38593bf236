//! The open documents: their versions and lines. Their texts are in their trees.
//!
//! The table is shared with snapshots as it was when they were taken; a change copies the records (one a document, no
//! text).

use std::sync::Arc;

use ide::{FileId, Group};
use lsp_types::Uri;
use rustc_hash::FxHashMap;
use syntax::LineIndex;

use crate::config::Config;

/// An open document.
#[derive(Clone, Debug)]
pub(crate) struct Document {
    pub(crate) file: FileId,
    pub(crate) uri: Uri,
    pub(crate) version: i32,
    pub(crate) lines: Arc<LineIndex>,
    /// The group of its settings.
    pub(crate) group: Group,
    pub(crate) config: Arc<Config>,
}

/// All open documents. Cheap to clone.
#[derive(Clone, Debug, Default)]
pub(crate) struct Documents {
    by_uri: Arc<FxHashMap<Uri, Document>>,
    n_files: u32,
}

impl Documents {
    /// An open document.
    pub(crate) fn get(&self, uri: &Uri) -> Option<&Document> {
        self.by_uri.get(uri)
    }

    /// Opens a document under a number of its own; one that is open already is replaced and keeps its number.
    pub(crate) fn open(
        &mut self,
        uri: Uri,
        version: i32,
        lines: LineIndex,
        (group, config): (Group, Arc<Config>),
    ) -> FileId {
        let known = self.by_uri.get(&uri).map(|it| it.file);
        let file = known.unwrap_or(FileId(self.n_files));
        if known.is_none() {
            self.n_files += 1;
        }
        let document =
            Document { file, uri: uri.clone(), version, lines: Arc::new(lines), group, config };
        Arc::make_mut(&mut self.by_uri).insert(uri, document);
        file
    }

    /// An open document, for changing it.
    pub(crate) fn get_mut(&mut self, uri: &Uri) -> Option<&mut Document> {
        Arc::make_mut(&mut self.by_uri).get_mut(uri)
    }

    /// Gives an open document other settings.
    pub(crate) fn set_settings(&mut self, uri: &Uri, group: Group, config: Arc<Config>) {
        if let Some(document) = self.get_mut(uri) {
            (document.group, document.config) = (group, config);
        }
    }

    /// Closes a document.
    pub(crate) fn close(&mut self, uri: &Uri) -> Option<Document> {
        Arc::make_mut(&mut self.by_uri).remove(uri)
    }

    /// All documents, in the order of their opening.
    pub(crate) fn sorted(&self) -> Vec<Document> {
        #[expect(clippy::iter_over_hash_type, reason = "sorted right after")]
        let mut all: Vec<Document> = {
            let mut all = Vec::new();
            for document in self.by_uri.values() {
                all.push(document.clone());
            }
            all
        };
        all.sort_by_key(|it| it.file);
        all
    }
}

//! Files: their trees, their languages, and what their last versions looked like.

use std::sync::Arc;

use dashmap::DashMap;
use syntax::{Form, Language, Parse};

use crate::{
    Db,
    index::FileIndex,
    input::{Configuration, Content, SourceFile},
    reading::Reading,
};

/// Trees of closed files that are kept.
const KEPT_TREES: usize = 32;

/// The tree of a file.
pub fn parse(db: &dyn Db, file: SourceFile) -> Parse {
    match file.content(db) {
        Content::Tree(parse) => parse.clone(),
        Content::Text(..) => parse_text(db, file).clone(),
    }
}

/// The language of a file.
pub fn language(db: &dyn Db, file: SourceFile) -> Language {
    match file.content(db) {
        Content::Tree(parse) => parse.language(),
        Content::Text(language, _) => *language,
    }
}

/// What the units of a file are made of.
pub fn form(db: &dyn Db, file: SourceFile) -> Form {
    language(db, file).support().form
}

#[salsa::tracked(returns(ref), no_eq, lru = 32)]
fn parse_text(db: &dyn Db, file: SourceFile) -> Parse {
    const { assert!(KEPT_TREES == 32) };
    match file.content(db) {
        Content::Text(language, text) if language.support().uses_shapes => {
            let shapes = &Configuration::get(db).dialects(db).shapes;
            syntax::parse_with(*language, shapes, text)
        }
        Content::Text(language, text) => syntax::parse_as(*language, text),
        Content::Tree(parse) => parse.clone(),
    }
}

/// What the last version of each file looked like, so that the next one can take over hashes and identities. Results
/// do not depend on it, only their cost, and which of two namesakes is found to be the one that was edited.
#[derive(Clone, Default)]
pub struct History(Arc<DashMap<SourceFile, LastVersion>>);

/// The last version of a file.
#[derive(Clone, Default)]
struct LastVersion {
    index: Option<Arc<FileIndex>>,
    /// Versions of large functions by their units, the last one asked for first; few.
    readings: Vec<(salsa::Id, Arc<Reading>)>,
}

/// So many large functions of a file are remembered as they were.
const MAX_READINGS: usize = 4;

impl History {
    /// The units of the last version of a file.
    pub(crate) fn index(&self, file: SourceFile) -> Option<Arc<FileIndex>> {
        self.0.get(&file)?.index.clone()
    }

    pub(crate) fn set_index(&self, file: SourceFile, index: &Arc<FileIndex>) {
        // What is replaced is dropped after the guard.
        let _old = self.0.entry(file).or_default().index.replace(index.clone());
    }

    pub(crate) fn reading(&self, file: SourceFile, unit: salsa::Id) -> Option<Arc<Reading>> {
        let last = self.0.get(&file)?;
        last.readings.iter().find(|it| it.0 == unit).map(|it| it.1.clone())
    }

    pub(crate) fn set_reading(&self, file: SourceFile, unit: salsa::Id, reading: Reading) {
        let reading = Arc::new(reading);
        // What is let go is dropped after the guard.
        let mut old = Vec::new();
        let mut last = self.0.entry(file).or_default();
        let readings = &mut last.readings;
        if let Some(at) = readings.iter().position(|it| it.0 == unit) {
            old.push(readings.remove(at));
        }
        readings.insert(0, (unit, reading));
        old.extend(readings.drain(MAX_READINGS.min(readings.len())..));
        drop(last);
        drop(old);
    }

    pub(crate) fn forget(&self, file: SourceFile) {
        drop(self.0.remove(&file));
    }
}

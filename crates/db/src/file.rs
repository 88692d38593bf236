//! Files: their trees, their languages, and what their last versions looked like.

use std::sync::Arc;

use dashmap::DashMap;
use syntax::{Form, Language, Parse};

use crate::{
    Db,
    index::FileIndex,
    input::{Content, SourceFile},
    previous_lowering::PreviousLowering,
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

/// Returns the form of a file's units.
pub fn form(db: &dyn Db, file: SourceFile) -> Form {
    language(db, file).support().form
}

#[salsa::tracked(returns(ref), no_eq, lru = 32)]
fn parse_text(db: &dyn Db, file: SourceFile) -> Parse {
    const { assert!(KEPT_TREES == 32) };
    match file.content(db) {
        Content::Text(language, text) if language.support().uses_shapes => {
            let shapes = &file.configuration(db).dialects(db).shapes;
            syntax::parse_with(*language, shapes, text)
        }
        Content::Text(language, text) => syntax::parse_as(*language, text),
        Content::Tree(parse) => parse.clone(),
    }
}

/// The last version of each file, from which the next one reuses hashes and identities. Results do not depend on it,
/// only their cost, and which of two functions of one name counts as the edited one.
#[derive(Clone, Default)]
pub struct History(Arc<DashMap<SourceFile, LastVersion>>);

/// The last version of a file.
#[derive(Clone, Default)]
struct LastVersion {
    index: Option<Arc<FileIndex>>,
    /// Versions of large functions by their units, the last one asked for first; few.
    previous_lowerings: Vec<(salsa::Id, Arc<PreviousLowering>)>,
}

/// The number of large functions of a file whose previous lowering is kept.
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

    pub(crate) fn previous_lowering(
        &self,
        file: SourceFile,
        unit: salsa::Id,
    ) -> Option<Arc<PreviousLowering>> {
        let last = self.0.get(&file)?;
        last.previous_lowerings.iter().find(|it| it.0 == unit).map(|it| it.1.clone())
    }

    pub(crate) fn set_previous_lowering(
        &self,
        file: SourceFile,
        unit: salsa::Id,
        reading: PreviousLowering,
    ) {
        let reading = Arc::new(reading);
        // What is let go is dropped after the guard.
        let mut old = Vec::new();
        let mut last = self.0.entry(file).or_default();
        let previous_lowerings = &mut last.previous_lowerings;
        if let Some(at) = previous_lowerings.iter().position(|it| it.0 == unit) {
            old.push(previous_lowerings.remove(at));
        }
        previous_lowerings.insert(0, (unit, reading));
        old.extend(previous_lowerings.drain(MAX_READINGS.min(previous_lowerings.len())..));
        drop(last);
        drop(old);
    }

    pub(crate) fn forget(&self, file: SourceFile) {
        drop(self.0.remove(&file));
    }
}

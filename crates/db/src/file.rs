//! Files: their trees, their languages, and what their last versions looked like.

use std::{collections::BTreeSet, sync::Arc};

use dashmap::DashMap;
use syntax::{Form, Green, Language, Parse};

use crate::{
    Db,
    index::FileIndex,
    input::{Content, SourceFile},
    last_text::LastText,
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
#[derive(Default)]
struct LastVersion {
    index: Option<Arc<FileIndex>>,
    /// Versions of large functions.
    previous_lowerings: Recent<PreviousLowering>,
    /// The texts of large functions of statements.
    texts: Recent<LastText>,
    /// Trees of large units that have no syntax errors.
    clean_trees: Recent<Green>,
    /// Versions of large units that have no errors in their attributes.
    clean_attributes: Recent<CleanAttributes>,
}

/// A version of a unit without errors in its attributes.
pub(crate) struct CleanAttributes {
    pub(crate) tree: Green,
    /// The aliases that they use: all were defined.
    pub(crate) aliases: BTreeSet<Box<str>>,
}

/// Something of large units, of the one that was asked for last first; few.
struct Recent<T>(Vec<(salsa::Id, Arc<T>)>);

/// The number of large units of a file of which something is kept.
const MAX_READINGS: usize = 4;

impl<T> Default for Recent<T> {
    fn default() -> Self {
        Recent(Vec::new())
    }
}

impl<T> Recent<T> {
    fn get(&self, unit: salsa::Id) -> Option<Arc<T>> {
        self.0.iter().find(|it| it.0 == unit).map(|it| it.1.clone())
    }

    /// Keeps something of a unit; gives what is let go.
    #[must_use]
    fn set(&mut self, unit: salsa::Id, kept: Arc<T>) -> Vec<(salsa::Id, Arc<T>)> {
        let mut old = Vec::new();
        if let Some(at) = self.0.iter().position(|it| it.0 == unit) {
            old.push(self.0.remove(at));
        }
        self.0.insert(0, (unit, kept));
        old.extend(self.0.drain(MAX_READINGS.min(self.0.len())..));
        old
    }
}

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
        self.0.get(&file)?.previous_lowerings.get(unit)
    }

    pub(crate) fn set_previous_lowering(
        &self,
        file: SourceFile,
        unit: salsa::Id,
        reading: PreviousLowering,
    ) {
        self.change(file, |last| last.previous_lowerings.set(unit, Arc::new(reading)));
    }

    /// The text of a large function of statements when it was last asked for.
    pub(crate) fn text(&self, file: SourceFile, unit: salsa::Id) -> Option<Arc<LastText>> {
        self.0.get(&file)?.texts.get(unit)
    }

    pub(crate) fn set_text(&self, file: SourceFile, unit: salsa::Id, text: LastText) {
        self.change(file, |last| last.texts.set(unit, Arc::new(text)));
    }

    /// A version of a large unit without syntax errors.
    pub(crate) fn clean_tree(&self, file: SourceFile, unit: salsa::Id) -> Option<Arc<Green>> {
        self.0.get(&file)?.clean_trees.get(unit)
    }

    pub(crate) fn set_clean_tree(&self, file: SourceFile, unit: salsa::Id, tree: Green) {
        self.change(file, |last| last.clean_trees.set(unit, Arc::new(tree)));
    }

    /// A version of a large unit without errors in its attributes.
    pub(crate) fn clean_attributes(
        &self,
        file: SourceFile,
        unit: salsa::Id,
    ) -> Option<Arc<CleanAttributes>> {
        self.0.get(&file)?.clean_attributes.get(unit)
    }

    pub(crate) fn set_clean_attributes(
        &self,
        file: SourceFile,
        unit: salsa::Id,
        clean: CleanAttributes,
    ) {
        self.change(file, |last| last.clean_attributes.set(unit, Arc::new(clean)));
    }

    /// Changes what is known of a file. What is let go is dropped after the guard.
    fn change<T>(&self, file: SourceFile, change: impl FnOnce(&mut LastVersion) -> T) {
        let mut last = self.0.entry(file).or_default();
        let old = change(&mut last);
        drop(last);
        drop(old);
    }

    pub(crate) fn forget(&self, file: SourceFile) {
        drop(self.0.remove(&file));
    }
}

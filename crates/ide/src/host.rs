//! The analysis host: the state of all files, and its changes.
//!
//! The database behind it comes in *generations*. A generation is a salsa database; the next one begins empty, takes
//! over the files that are open, with their trees, and computes the rest when it is asked. One begins
//!
//! - where a snapshot of the old one is left when something is to be written. Writing to a salsa database blocks until
//!   all snapshots are dropped; so a change never waits, however long some reader computes. Running computations
//!   continue with the old one, and their results are dropped.
//! - where files were closed whose text is as long as that of the open ones. Salsa's memos of a file are freed with the
//!   database only, so this bounds the memory by twice that of open files; and the recomputation is no more than the
//!   earlier computation for closed files.

use std::{cell::RefCell, sync::Arc};

use db::{Configuration, Content, Database as _, Options, RootDatabase, SourceFile};
use frontend::tvmscript::{Instance, Request, modules::Files};
use rustc_hash::FxHashMap;
use syntax::{Language, Parse};

use crate::{
    Analysis, Config, Diagnostic, DiagnosticsConfig, Dialects, FileId, Work, diagnostics,
    elsewhere::{self, WorkspaceIndex},
    readers::{CancellationToken, Readers},
};

/// The memory that a change leaves behind, in bytes of text: keys of removed entries stay.
const CHANGE: u64 = 32;

/// Less than this is not worth a generation while files are open.
const MIN_GARBAGE: u64 = 256 * 1024;

/// The files that have the same settings: those of one folder. Files are of the first group until they are put into
/// another one.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Debug)]
pub struct Group(pub u32);

/// The settings of a group.
#[derive(Clone, Default, Debug)]
pub struct Settings {
    /// The options of the analyses.
    pub config: Config,
    /// The tables about dialects.
    pub dialects: Dialects,
    /// The instances of factories that are asked for.
    pub requests: Arc<[Request]>,
}

impl From<Settings> for db::Settings {
    fn from(settings: Settings) -> db::Settings {
        let Settings { config: Config { cse, findings, ops }, dialects, requests } = settings;
        db::Settings { options: Options { cse, findings, ops }, dialects, requests }
    }
}

/// The state of the world. Its owner changes it; questions are asked of snapshots.
pub struct AnalysisHost {
    db: RootDatabase,
    /// The settings of each group; of the first, there always are some.
    groups: Vec<(Settings, Configuration)>,
    /// The groups of files that are not in the first one.
    group_of: FxHashMap<FileId, Group>,
    files: Arc<FxHashMap<FileId, SourceFile>>,
    /// The paths of files.
    paths: FxHashMap<FileId, Arc<str>>,
    index: Arc<elsewhere::Index>,
    readers: Readers,
    /// Inputs of closed files, with the length of their contents: the next opened file takes the last one, and its
    /// memos are replaced as after an edit. So a file that is closed and opened again is the same file.
    free: Vec<(SourceFile, u64)>,
    /// The unused data that this generation holds, in bytes of text.
    garbage: u64,
    n_generations: u64,
}

impl Default for AnalysisHost {
    fn default() -> AnalysisHost {
        let db = RootDatabase::default();
        let settings = Settings::default();
        let configuration = db.add_configuration(settings.clone().into());
        AnalysisHost {
            db,
            groups: vec![(settings, configuration)],
            group_of: FxHashMap::default(),
            files: Arc::default(),
            paths: FxHashMap::default(),
            index: Arc::default(),
            readers: Readers::default(),
            free: Vec::new(),
            garbage: 0,
            n_generations: 0,
        }
    }
}

impl AnalysisHost {
    /// A world without files.
    pub fn new() -> AnalysisHost {
        AnalysisHost::default()
    }

    /// A snapshot for asking. Changing the host cancels the requests on its snapshots, and waits for nobody.
    pub fn analysis(&self) -> Analysis {
        let db = self.db.clone();
        let token = CancellationToken::new(db.cancellation_token());
        let lease = self.readers.lease(token.clone());
        Analysis {
            db,
            files: self.files.clone(),
            index: self.index.clone(),
            token,
            lost: RefCell::default(),
            _lease: lease,
        }
    }

    /// The diagnostics of a file, as [`Analysis::diagnostics`] gives them, for a caller without further questions: the
    /// results for a function are dropped soon, so that memory does not follow the number of functions. None of a file
    /// that is not there.
    pub fn diagnostics_once(
        &mut self,
        file: FileId,
        config: &DiagnosticsConfig,
    ) -> Vec<Diagnostic> {
        self.begin_change();
        let Some(&source) = self.files.get(&file) else { return Vec::new() };
        diagnostics::diagnostics_once(&mut self.db, source, config)
    }

    /// The map of fingerprints to places in the workspace, for files that the host does not have. Filling it disturbs
    /// no question.
    pub fn workspace_index(&self) -> WorkspaceIndex {
        WorkspaceIndex::new(self.index.clone())
    }

    /// Cancels the requests on snapshots. A change does so too; a caller that cancels and waits a little until
    /// [`AnalysisHost::is_asked`] returns false lets the change reuse the earlier results.
    pub fn cancel(&self) {
        self.readers.cancel();
    }

    /// Returns true if there are snapshots of this generation.
    pub fn is_asked(&self) -> bool {
        !self.readers.is_empty()
    }

    /// Drops what was computed of functions that nobody has asked about lately, and is made again on demand. Does
    /// nothing while there are snapshots: a change drops it too, but somebody waits for that one.
    pub fn let_go(&mut self) {
        if !self.is_asked() {
            self.db.let_go();
        }
    }

    /// Returns the number of earlier generations.
    pub fn generation(&self) -> u64 {
        self.n_generations
    }

    /// Sets the tree of an open file.
    pub fn open_file(&mut self, file: FileId, parse: Parse) {
        self.set_content(file, Content::Tree(parse));
    }

    /// Sets the text of a file that is not edited.
    pub fn set_text(&mut self, file: FileId, language: Language, text: Arc<str>) {
        self.set_content(file, Content::Text(language, text));
    }

    fn set_content(&mut self, file: FileId, content: Content) {
        self.begin_change();
        match self.files.get(&file) {
            Some(&source) => {
                self.garbage += CHANGE;
                self.db.set_content(source, content);
            }
            None => {
                let source = self.input(content, self.configuration(file));
                self.db.set_path(source, self.paths.get(&file).cloned());
                Arc::make_mut(&mut self.files).insert(file, source);
            }
        }
        self.collect_garbage();
    }

    /// Sets the path of a file: its imports are followed from there, and who imports that path sees it as it is here.
    pub fn set_path(&mut self, file: FileId, path: Option<Arc<str>>) {
        if self.paths.get(&file) == path.as_ref() {
            return;
        }
        if let Some(source) = self.files.get(&file).copied() {
            self.begin_change();
            let source = self.files.get(&file).copied().unwrap_or(source);
            self.db.set_path(source, path.clone());
        }
        match path {
            Some(path) => self.paths.insert(file, path),
            None => self.paths.remove(&file),
        };
    }

    /// Sets the files that files may import.
    pub fn set_workspace(&mut self, files: Arc<dyn Files>) {
        self.readers.cancel();
        self.next_generation_from(self.db.successor_with(Some(files)));
    }

    /// Returns true if another file imports this one and the names of this one changed since it was last asked.
    pub fn has_new_exports(&self, file: FileId) -> bool {
        self.files.get(&file).is_some_and(|it| self.db.has_new_exports(*it))
    }

    /// Takes notice that a file of the workspace was changed on disk. Returns false if nobody imports it.
    pub fn module_changed(&mut self, path: &str) -> bool {
        self.begin_change();
        self.garbage += CHANGE;
        self.db.module_changed(path)
    }

    /// An input for a file that is new.
    fn input(&mut self, content: Content, configuration: Configuration) -> SourceFile {
        let Some((source, len)) = self.free.pop() else {
            return self.db.add_file(content, configuration);
        };
        self.garbage -= len;
        self.db.set_configuration(source, configuration);
        self.db.set_content(source, content);
        source
    }

    /// Removes a file and its results.
    pub fn close_file(&mut self, file: FileId) {
        self.begin_change();
        self.index.remove(file);
        if let Some(source) = Arc::make_mut(&mut self.files).remove(&file) {
            self.paths.remove(&file);
            self.group_of.remove(&file);
            let len = source.content(&self.db).len();
            self.garbage += len + CHANGE;
            self.db.clear_file(source);
            self.free.push((source, len));
            self.collect_garbage();
        }
    }

    /// The tree of an open file.
    pub fn tree(&self, file: FileId) -> Option<Parse> {
        match self.files.get(&file)?.content(&self.db) {
            Content::Tree(parse) => Some(parse.clone()),
            Content::Text(..) => None,
        }
    }

    /// Reads a text as an open file of a group is read: with the tables about dialects. A group without settings reads
    /// as the first.
    pub fn parse(&self, group: Group, language: Language, text: &str) -> Parse {
        let (settings, _) = self.groups.get(group.0 as usize).unwrap_or(&self.groups[0]);
        syntax::parse_with(language, &settings.dialects.shapes, text)
    }

    /// Sets the settings of a group: one that there is, or the next one. Its open files of operations keep the trees
    /// that they have: if the tables about dialects are others, their owner reads them again.
    ///
    /// # Panics
    ///
    /// If there is no group before it.
    pub fn set_settings(&mut self, group: Group, settings: Settings) {
        let at = group.0 as usize;
        if at == self.groups.len() {
            let configuration = self.db.add_configuration(settings.clone().into());
            self.groups.push((settings, configuration));
            return;
        }
        self.begin_change();
        let (old, configuration) = &mut self.groups[at];
        *old = settings.clone();
        self.db.set_settings(*configuration, settings.into());
    }

    /// Puts a file into a group that has settings; see [`AnalysisHost::set_settings`] for its tree.
    pub fn set_group(&mut self, file: FileId, group: Group) {
        let old = self.group_of.insert(file, group).unwrap_or_default();
        if old == group {
            return;
        }
        if self.files.contains_key(&file) {
            self.begin_change();
            let configuration = self.configuration(file);
            if let Some(&source) = self.files.get(&file) {
                self.garbage += CHANGE;
                self.db.set_configuration(source, configuration);
            }
        }
    }

    /// The settings of a file.
    fn configuration(&self, file: FileId) -> Configuration {
        let group = self.group_of.get(&file).copied().unwrap_or_default();
        self.groups.get(group.0 as usize).unwrap_or(&self.groups[0]).1
    }

    /// Chooses the instance of a factory that hints, hovers, device code and previews of a file are about; none for
    /// the general functions.
    pub fn choose_instance(
        &mut self,
        file: FileId,
        factory: &str,
        instance: Option<Arc<Instance>>,
    ) {
        let Some(&source) = self.files.get(&file) else { return };
        self.begin_change();
        let Some(&source) = self.files.get(&file).or(Some(&source)) else { return };
        let others = source.chosen(&self.db).iter().filter(|it| it.factory() != factory);
        let chosen: Vec<Arc<Instance>> = others.cloned().chain(instance).collect();
        self.garbage += CHANGE;
        self.db.set_chosen(source, chosen.into());
    }

    /// Returns the work done since the start.
    pub fn work(&self) -> Work {
        self.db.work()
    }

    /// Starts to collect the names of the queries that run, in this generation.
    pub fn start_query_log(&self) {
        self.db.start_log();
    }

    /// The queries that ran since [`AnalysisHost::start_query_log`].
    pub fn take_query_log(&self) -> Vec<String> {
        self.db.take_log()
    }

    /// Makes the database ours alone: a change would wait for every snapshot of it.
    fn begin_change(&mut self) {
        self.readers.cancel();
        if self.is_asked() {
            self.next_generation();
        }
    }

    /// Begins a generation where too much is held that is of no use.
    fn collect_garbage(&mut self) {
        if self.garbage == 0 {
            return;
        }
        let is_idle = self.files.is_empty();
        if is_idle || self.garbage >= MIN_GARBAGE && self.garbage >= self.text_len() {
            self.next_generation();
        }
    }

    /// The length of the text of all files.
    fn text_len(&self) -> u64 {
        self.sorted_files().iter().map(|it| it.1.content(&self.db).len()).sum()
    }

    fn sorted_files(&self) -> Vec<(FileId, SourceFile)> {
        let mut files: Vec<_> = self.files.iter().map(|(&id, &source)| (id, source)).collect();
        files.sort_unstable_by_key(|it| it.0);
        files
    }

    fn next_generation(&mut self) {
        self.next_generation_from(self.db.successor());
    }

    fn next_generation_from(&mut self, db: RootDatabase) {
        for (settings, configuration) in &mut self.groups {
            *configuration = db.add_configuration(settings.clone().into());
        }
        let files = self.sorted_files().into_iter();
        let files: Vec<_> = files
            .map(|(id, old)| {
                let content = old.content(&self.db).clone();
                let source = db.add_file(content, self.configuration(id));
                (id, source, old.chosen(&self.db).clone())
            })
            .collect();
        let mut db = db;
        for (id, source, _) in &files {
            db.set_path(*source, self.paths.get(id).cloned());
        }
        for (_, source, chosen) in files.iter().filter(|it| !it.2.is_empty()) {
            db.set_chosen(*source, chosen.clone());
        }
        self.files = Arc::new(files.into_iter().map(|(id, source, _)| (id, source)).collect());
        // What is left of the old one goes with its last snapshot.
        self.db = db;
        self.readers = Readers::default();
        self.free.clear();
        self.garbage = 0;
        self.n_generations += 1;
    }
}

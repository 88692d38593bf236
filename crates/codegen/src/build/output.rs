//! The output folder of one target: sources, manifests, and the removal of stale outputs.
//!
//! In: for each file its functions with their artifacts. Out: one source a kernel and a `module.json` in a folder for
//! each file, written where their bytes differ; at the end `manifest.json` with the files and the functions that are
//! equal, then the state. Names are joined here, from the current text.
//!
//! Outputs of other builds for other files stay, and stay in the manifest. The manifest is the truth about the folder;
//! the state only saves looking at the files. When a file is built again, its stale outputs are removed, and when a
//! file is gone, all its outputs. Only outputs that the state or a manifest names and that are unchanged since they
//! were written are removed.

mod standing;

use std::{
    borrow::Cow,
    collections::{BTreeMap, BTreeSet, hash_map::Entry},
    fs, io,
    path::{Component, Path, PathBuf},
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use rules::Reason;
use rustc_hash::FxHashMap;
use transform::passes::Pass;

use super::{
    Broken, OutputFolder, Place, Settings,
    binaries::Binaries,
    kernels::Made,
    record::{FunctionRecord, Meaning},
    report::{Change, Looks, Status, Why},
    state::{FileState, Files, FunctionState, KernelState, State, Written},
};
use crate::{
    Options, Target,
    artifact::{
        BINARY_ENTRY, Refused,
        key::Key,
        manifest::{
            self, Alias, AliasFunction, Binary, Index, Module, ModuleEntry, UnsupportedFunction,
        },
        names,
        store::{Folder, STALE, Stamp, remove_temporary, write_if_changed},
    },
    reasons::INTERNAL,
};

pub(super) use self::standing::{Owner, StandingOutput};

/// The folder of a target.
pub(super) struct Output {
    pub(super) target: Target,
    pub(super) options: Options,
    /// The compilers that make binaries of its sources.
    binaries: Option<Arc<Binaries>>,
    folder: PathBuf,
    /// The same, for reading its contents.
    looks: Folder,
    /// The place where the state is.
    notes: PathBuf,
    /// True if no other build writes to the folder.
    is_locked: bool,
    force: bool,
    generator: String,
    options_text: String,
    /// Hash of generator and options.
    made_with: [u8; 32],
    pub(super) old: State,
    /// Outputs that were compared with what is there.
    reads: AtomicUsize,
}

/// The changes to a folder at the end of a build.
#[derive(Default)]
pub(super) struct Finished {
    /// Functions that are equal.
    pub(super) aliases: Vec<Alias>,
    /// Bytes of sources that need no compiling for that.
    pub(super) alias_bytes: u64,
    /// Outputs of files that were built that they no longer make.
    pub(super) removed: Vec<PathBuf>,
    /// Outputs of files that were to go.
    pub(super) pruned: Vec<PathBuf>,
    /// All that is in the folder now, and `manifest.json`: none of a build of some files.
    pub(super) all: Option<(Files, Written)>,
}

/// The output of a file for this target.
pub(super) struct FileOutput {
    pub(super) state: Arc<FileState>,
    /// Of each function of the state; none for a file that was kept.
    pub(super) functions: Vec<FunctionOutput>,
    /// Files that were replaced.
    pub(super) written: usize,
}

/// The output of a function with kernels.
pub(super) struct FunctionOutput {
    /// The reason why its code would have been generated, if it was.
    pub(super) why: Option<Why>,
    pub(super) key_before: Option<String>,
    /// Of each kernel, whether its file was replaced.
    pub(super) written: Vec<bool>,
    /// Its code came from the layer beyond the store.
    pub(super) is_fetched: bool,
    /// The worker that generated its code.
    pub(super) worker: Option<Arc<str>>,
}

impl Output {
    /// One of which nothing is known.
    pub(super) fn new(
        target: Target,
        settings: &Settings,
        folder: &OutputFolder,
        binaries: Option<Arc<Binaries>>,
        generator: &str,
    ) -> Output {
        let path = settings.out.join(target.name());
        let options = settings.options_of(target);
        let mut options_text = serde_json::to_string(&options).unwrap_or_default();
        options_text.extend(binaries.iter().map(|it| it.text()));
        let made_with = Key::of(&[generator.as_bytes(), options_text.as_bytes()]).0;
        Output {
            target,
            options,
            binaries,
            looks: Folder::new(&path),
            folder: path,
            notes: folder.notes().to_owned(),
            is_locked: folder.is_locked(),
            force: settings.force,
            old: State::new(generator.to_owned(), options_text.clone()),
            generator: generator.to_owned(),
            options_text,
            made_with,
            reads: AtomicUsize::new(0),
        }
    }

    /// Reads what the last build left.
    ///
    /// # Errors
    /// If the folder has a manifest that is none of this version.
    pub(super) fn read(mut self) -> io::Result<Output> {
        if let Some(old) = State::read(&self.notes, self.target) {
            self.old = old;
        }
        self.look()?;
        Ok(self)
    }

    /// The looks at files of the folder so far.
    pub(super) fn n_looks(&self) -> Looks {
        Looks { stats: self.looks.n_looks(), reads: self.reads.load(Ordering::Relaxed) }
    }

    /// Reads the contents of the folder from the manifest, if it is not the one that the state knows.
    fn look(&mut self) -> io::Result<()> {
        let path = self.folder.join(INDEX);
        if self.old.index.is_some_and(|it| it.stands(&path)) {
            return Ok(());
        }
        let index = match Index::read(&self.folder) {
            Ok(index) => index,
            Err(error) if error.kind() == io::ErrorKind::NotFound => Index::new(self.target),
            Err(error) => {
                let text = format!(
                    "{error}; it is not replaced, as it may be somebody else's: move it away, or choose another --out"
                );
                return Err(io::Error::new(error.kind(), text));
            }
        };
        let listed: BTreeSet<&str> = index.modules.iter().map(|it| it.file.as_str()).collect();
        let known: Vec<String> = self.old.names().map(str::to_owned).collect();
        for name in known {
            let has_outputs = self.old.get(&name).is_some_and(|it| it.manifest.is_some());
            if has_outputs && !listed.contains(name.as_str()) {
                self.old.set(&name, None);
            }
        }
        for ModuleEntry { file, .. } in &index.modules {
            if let Some(state) = self.looked(file) {
                self.old.set(file, state);
            }
        }
        Ok(())
    }

    /// Returns the outputs by the manifest of a file: `Some(None)` if there is no manifest, `None` if the manifest is
    /// the one that the state knows.
    fn looked(&self, name: &str) -> Option<Option<FileState>> {
        let path = in_folder(&module_folder(name), MODULE);
        let stamp = self.looks_inside(&path);
        let known = self.old.get(name).and_then(|it| it.manifest);
        if known.is_some_and(|it| stamp == Some(it.stamp)) {
            return None;
        }
        let module = || {
            let manifest = Written { hash: [0; 32], stamp: stamp? };
            let (module, hash) = Module::read(&self.folder.join(&path)).ok()?;
            let written = |path: &str, hash: &str| {
                let stamp = self.looks_inside(path).unwrap_or_default();
                Some(Written { hash: Key::parse(hash)?.0, stamp })
            };
            let manifest = Written { hash, ..manifest };
            (module.file == name).then(|| FileState::of_module(module, manifest, &written))
        };
        Some(module())
    }

    /// The stamp of a file in the folder; anybody may have written a manifest, so its paths must not lead out of the
    /// folder.
    fn looks_inside(&self, path: &str) -> Option<Stamp> {
        is_inside(path).then(|| self.looks.stamp(path)).flatten()
    }

    /// The files that the folder has outputs of, by name.
    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        self.old.names_with_outputs()
    }

    /// The options of the kernels for comparison, if there is one: without `cse`.
    pub(super) fn plain_options(&self) -> Option<Options> {
        self.binaries.as_ref().filter(|it| it.compile.compare)?;
        let mut options = self.options.clone();
        options.passes.retain(|it| it != Pass::Cse.name());
        (options.passes != self.options.passes).then_some(options)
    }

    /// Returns the changes that affect all kernels.
    pub(super) fn changes(&self) -> Vec<Change> {
        let pairs = [
            ("generator", &self.old.generator, &self.generator),
            ("options", &self.old.options, &self.options_text),
        ];
        let changed = pairs.into_iter().filter(|(_, before, now)| before != now);
        let change = |(what, before, now): (_, &String, &String)| Change {
            target: self.target,
            what,
            before: before.clone(),
            now: now.clone(),
        };
        changed.map(change).collect()
    }

    /// Returns true if the last build was by the same generator with the same options.
    fn is_same(&self) -> bool {
        self.old.generator == self.generator && self.old.options == self.options_text
    }

    /// The file as the last build left it, if nothing of it has to be made.
    pub(super) fn kept(&self, name: &str, text: [u8; 32]) -> Option<FileOutput> {
        let is_it = |it: &&Arc<FileState>| it.text == text && it.made_with == self.made_with;
        let state = self.old.get(name).filter(|it| !self.force && is_it(it))?;
        // A mistake of ours is told anew, or it is none any more.
        if state.unsupported.iter().any(|it| it.reason == INTERNAL.name()) {
            return None;
        }
        let state = self.stands(name, state).then(|| Arc::clone(state))?;
        Some(FileOutput { state, functions: Vec::new(), written: 0 })
    }

    /// Returns true if all outputs of a file are those that a build wrote.
    fn stands(&self, name: &str, state: &FileState) -> bool {
        let folder = module_folder(name);
        // One place for all paths: there are as many as kernels.
        let mut path = String::new();
        let mut stands = |name: &str, ending: &str, written: &Written| {
            path.clear();
            path.extend([&*folder, if folder.is_empty() { "" } else { "/" }, name, ending]);
            self.looks.stamp(&path) == Some(written.stamp)
        };
        let ending = [".", self.target.extension()].concat();
        state.manifest.is_none_or(|it| stands(MODULE, "", &it))
            && state.functions.iter().flat_map(|it| &it.kernels).all(|kernel| {
                stands(&kernel.entry, &ending, &kernel.file)
                    && kernel
                        .binaries
                        .iter()
                        .all(|(ending, file)| stands(&kernel.entry, &[".", ending].concat(), file))
            })
    }

    /// Writes the sources of a file and its manifest.
    pub(super) fn write(
        &self,
        name: &str,
        text: [u8; 32],
        functions: &[(&FunctionRecord, Result<Made, &Broken>)],
    ) -> io::Result<FileOutput> {
        let folder = module_folder(name).into_owned();
        // What a kill left behind is nobody's while others wait.
        let age = if self.is_locked { Duration::ZERO } else { STALE };
        remove_temporary(&self.folder.join(&folder), age);
        let mut writer = FileWriter {
            output: self,
            name,
            folder,
            old: self.old.get(name).map(|it| &**it),
            entries: FxHashMap::default(),
            state: FileState {
                text,
                made_with: self.made_with,
                manifest: None,
                functions: Vec::new(),
                unsupported: Vec::new(),
                without_launch: 0,
            },
            module: Module::new(name),
            functions: Vec::new(),
            written: 0,
        };
        if let Some(binaries) = &self.binaries {
            let made = functions.iter().filter_map(|it| it.1.as_ref().ok());
            let all = made.flat_map(|it| [Some(&*it.artifact), it.plain.as_deref()]).flatten();
            binaries.expect(all, &self.options);
        }
        for (record, made) in functions {
            match made {
                Ok(made) => writer.function(record, made)?,
                Err(broken) => writer.refuse_broken(record, broken),
            }
        }
        writer.finish()
    }

    /// Writes the files that concern the whole folder: `built` and all other files except those in `gone`; and removes
    /// stale outputs.
    pub(super) fn finish(&self, built: Files, gone: &BTreeSet<String>) -> io::Result<Finished> {
        let mut files = built;
        let mut replaced = Vec::new();
        let mut leaving = Vec::new();
        for (name, state) in self.old.all() {
            match files.get(&name) {
                Some(now) if Arc::ptr_eq(now, &state) => {}
                Some(_) => replaced.push((name, state)),
                None if gone.contains(&name) => leaving.push((name, state)),
                None => match self.looked(&name).filter(|_| state.manifest.is_some()) {
                    // A build of it was killed, or somebody removed it.
                    Some(looked) => files.extend(looked.map(|it| (name, Arc::new(it)))),
                    None => drop(files.insert(name, state)),
                },
            }
        }
        let (aliases, alias_bytes) = aliases(&files);
        let path = self.folder.join(INDEX);
        let is_same = self.is_same() && self.old.is_of(&files);
        let index = match self.old.index.filter(|it| is_same && it.stands(&path)) {
            Some(index) => index,
            None => self.write_index(&path, &files, &aliases)?,
        };
        let removed = self.remove(&replaced, &files);
        let pruned = self.remove(&leaving, &files);
        if !is_same || self.old.index != Some(index) {
            let with = (self.generator.as_str(), self.options_text.as_str());
            self.old.write((&self.notes, self.target), with, Some(index), &files)?;
        }
        let all = Some((files, index));
        Ok(Finished { aliases, alias_bytes, removed, pruned, all })
    }

    fn write_index(&self, path: &Path, files: &Files, aliases: &[Alias]) -> io::Result<Written> {
        let text = self.index_text(files, aliases);
        let (stamp, _) = write_if_changed(path, text.as_bytes())?;
        Ok(Written { hash: *blake3::hash(text.as_bytes()).as_bytes(), stamp })
    }

    fn index_text(&self, files: &Files, aliases: &[Alias]) -> String {
        let mut index = Index::new(self.target);
        index.aliases = aliases.to_vec();
        for (file, state) in files {
            let Some(manifest) = &state.manifest else { continue };
            index.modules.push(ModuleEntry {
                file: file.clone(),
                manifest: in_folder(&module_folder(file), MODULE),
                hash: Key(manifest.hash).to_string(),
            });
        }
        index.to_json()
    }

    /// Removes outputs of earlier states that are no outputs of `files`, and folders that are empty then.
    fn remove(&self, before: &[(String, Arc<FileState>)], files: &Files) -> Vec<PathBuf> {
        if before.is_empty() {
            return Vec::new();
        }
        // An output is in the folder of its file, which two names may share.
        let folders: BTreeSet<Cow<'_, str>> =
            before.iter().map(|it| module_folder(&it.0)).collect();
        let written: BTreeSet<String> = files
            .iter()
            .filter(|(name, _)| folders.contains(&module_folder(name)))
            .flat_map(|(name, state)| self.paths(name, state))
            .map(|it| it.0)
            .collect();
        let mut removed = Vec::new();
        for (name, state) in before {
            for (path, hash) in self.paths(name, state) {
                if written.contains(&path) || !is_inside(&path) {
                    continue;
                }
                let path = self.folder.join(path);
                if is_as_written(&path, &hash) && fs::remove_file(&path).is_ok() {
                    removed.push(path);
                }
            }
        }
        for path in &removed {
            let above = path.ancestors().skip(1).take_while(|it| **it != *self.folder);
            // A folder with something in it stays, and those above it.
            let _ = above.into_iter().try_for_each(fs::remove_dir);
        }
        removed
    }

    /// Returns the outputs of a file, with their hashes.
    fn paths(&self, file: &str, state: &FileState) -> Vec<(String, [u8; 32])> {
        let folder = module_folder(file);
        let manifest = state.manifest.map(|it| (in_folder(&folder, MODULE), it.hash));
        let kernels = state.functions.iter().flat_map(|it| &it.kernels);
        let outputs = kernels.flat_map(|it| {
            let binary = |(ending, file): &(String, Written)| {
                (binary_path(&folder, &it.entry, ending), file.hash)
            };
            let binaries: Vec<_> = it.binaries.iter().map(binary).collect();
            let source = source_path(&folder, &it.entry, self.target);
            std::iter::once((source, it.file.hash)).chain(binaries)
        });
        manifest.into_iter().chain(outputs).collect()
    }
}

/// Returns true if a relative path stays inside the folder.
fn is_inside(path: &str) -> bool {
    Path::new(path).components().all(|it| matches!(it, Component::Normal(_)))
}

/// Returns true if a file is as a build wrote it: a file that somebody changed since is theirs.
fn is_as_written(path: &Path, hash: &[u8; 32]) -> bool {
    fs::symlink_metadata(path).is_ok_and(|it| it.is_file())
        && files::read(path, files::ARTIFACT).is_ok_and(|it| blake3::hash(&it).as_bytes() == hash)
}

/// Writes one file.
struct FileWriter<'a> {
    output: &'a Output,
    name: &'a str,
    folder: String,
    old: Option<&'a FileState>,
    /// The number of functions with a name so far, as it is in entry symbols, in small letters.
    entries: FxHashMap<String, usize>,
    state: FileState,
    module: Module,
    functions: Vec<FunctionOutput>,
    written: usize,
}

impl FileWriter<'_> {
    fn function(&mut self, record: &FunctionRecord, made: &Made) -> io::Result<()> {
        let (structure, names, places) = match &record.meaning {
            Meaning::Body { structure, names, places } => (*structure, names, places),
            Meaning::Broken(broken) => {
                self.refuse_broken(record, broken);
                return Ok(());
            }
        };
        let target = self.output.target;
        let entry = self.unique_entry(&record.name);
        let options = &self.output.options;
        let refused = made.artifact.refused(names, target, options);
        if let Some(Refused { reason, detail, op }) = refused.into_iter().next() {
            let place = op.and_then(|it| places.get(it as usize)).copied();
            self.refuse(record, reason, detail, place);
            return Ok(());
        }
        let sources = made.artifact.join(names, &entry, target);
        if sources.is_empty() {
            self.state.without_launch += 1;
            return Ok(());
        }
        let lines: Vec<u32> = match record.first_line {
            0 => Vec::new(),
            first => places.iter().map(|it| first + it.line).collect(),
        };
        let mut described = made.artifact.function(names, &entry, &lines, target, options);
        let mut state = FunctionState {
            name: record.name.clone(),
            structure: structure.map(|it| it.fingerprint),
            key: record.action(target, options).key().0,
            kernels: Vec::new(),
        };
        let mut all_written = Vec::new();
        for (index, (kernel, source)) in described.kernels.iter_mut().zip(&sources).enumerate() {
            let path = source_path(&self.folder, &source.entry, target);
            let (file, written) = self.put(&path, &source.bytes())?;
            kernel.hash = Key(file.hash).to_string();
            kernel.file = path;
            all_written.push(written);
            let mut kernel_state = KernelState {
                entry: source.entry.clone(),
                file,
                binaries: Vec::new(),
                measured: None,
            };
            self.compile(made, index, kernel, &mut kernel_state)?;
            state.kernels.push(kernel_state);
        }
        self.name.clone_into(&mut described.file);
        described.name.clone_from(&record.name);
        described.key = state.key_text();
        let before = self.before(&state);
        self.functions.push(FunctionOutput {
            why: made.is_generated.then(|| self.why(&state, before, made)),
            key_before: before.map(FunctionState::key_text).filter(|it| *it != described.key),
            written: all_written,
            is_fetched: made.is_fetched,
            worker: made.worker.clone(),
        });
        self.module.functions.push(described);
        self.state.functions.push(state);
        Ok(())
    }

    /// Compiles a kernel, if that is requested, and writes the output beside its source.
    fn compile(
        &mut self,
        made: &Made,
        index: usize,
        kernel: &mut manifest::Kernel,
        state: &mut KernelState,
    ) -> io::Result<()> {
        let output = self.output;
        let Some(binaries) = &output.binaries else { return Ok(()) };
        let plain = made.plain.as_deref();
        let binary = binaries.of(&made.artifact, plain, index, &output.options)?;
        for (ending, bytes) in binary.files {
            let path = binary_path(&self.folder, &state.entry, ending);
            let (file, _) = self.put(&path, &bytes)?;
            kernel.binaries.push(Binary {
                kind: ending.to_owned(),
                entry: BINARY_ENTRY.to_owned(),
                arch: output.options.binary_arch().to_owned(),
                compiler: binaries.compile.compiler.identity().to_owned(),
                hash: Key(file.hash).to_string(),
                file: path,
            });
            state.binaries.push((ending.to_owned(), file));
        }
        kernel.figures.clone_from(&binary.measured.figures);
        state.measured = Some(binary.measured);
        Ok(())
    }

    /// A name for the entry symbols and the outputs of a function. Names that are equal as symbols of C, or but for the
    /// case of their letters, which some file systems do not tell apart, get numbers.
    fn unique_entry(&mut self, name: &str) -> String {
        let wanted = names::identifier(name);
        let lower = wanted.to_ascii_lowercase();
        let mut number = self.entries.get(&lower).copied().unwrap_or(0) + 1;
        let mut entry = if number == 1 { wanted.clone() } else { format!("{wanted}_{number}") };
        while number > 1 && self.entries.contains_key(&entry.to_ascii_lowercase()) {
            number += 1;
            entry = format!("{wanted}_{number}");
        }
        self.entries.insert(lower, number);
        self.entries.entry(entry.to_ascii_lowercase()).or_insert(1);
        entry
    }

    fn refuse_broken(&mut self, function: &FunctionRecord, broken: &Broken) {
        self.refuse(function, broken.reason, broken.detail.clone(), broken.place);
    }

    /// `place` is the function's name, if it is no other.
    fn refuse(
        &mut self,
        function: &FunctionRecord,
        reason: Reason,
        detail: String,
        place: Option<Place>,
    ) {
        let place = place.filter(|it| it.column != 0).unwrap_or(function.name_at);
        let is_known = function.first_line != 0 && place.column != 0;
        let refused = UnsupportedFunction {
            line: if is_known { function.first_line + place.line } else { 0 },
            column: if is_known { place.column } else { 0 },
            target: self.output.target.name().to_owned(),
            file: self.name.to_owned(),
            name: function.name.clone(),
            reason: reason.name().to_owned(),
            detail,
        };
        self.module.unsupported.push(refused.clone());
        self.state.unsupported.push(refused);
    }

    fn put(&mut self, path: &str, bytes: &[u8]) -> io::Result<(Written, bool)> {
        self.output.reads.fetch_add(1, Ordering::Relaxed);
        let (stamp, written) = write_if_changed(&self.output.folder.join(path), bytes)?;
        self.written += usize::from(written);
        Ok((Written { hash: *blake3::hash(bytes).as_bytes(), stamp }, written))
    }

    /// Returns the last build's state of the function.
    fn before(&self, now: &FunctionState) -> Option<&FunctionState> {
        let entry = &now.kernels.first()?.entry;
        let is_it = |it: &&FunctionState| it.kernels.first().is_some_and(|it| it.entry == *entry);
        self.old?.functions.iter().find(is_it)
    }

    /// Returns the reason why code was generated for a function whose artifact was not in the store.
    fn why(&self, now: &FunctionState, before: Option<&FunctionState>, made: &Made) -> Why {
        let output = self.output;
        match before {
            _ if output.force => Why::Forced,
            _ if made.was_broken => Why::StoreBroken,
            None => Why::New,
            Some(before) if before.key == now.key => Why::StoreLost,
            Some(before) if before.structure != now.structure => Why::BodyChanged,
            Some(_) if output.old.generator != output.generator => Why::GeneratorChanged,
            Some(_) if output.old.options != output.options_text => Why::OptionsChanged,
            Some(_) => Why::BodyChanged,
        }
    }

    fn finish(mut self) -> io::Result<FileOutput> {
        if !self.module.functions.is_empty() || !self.module.unsupported.is_empty() {
            let path = in_folder(&self.folder, MODULE);
            let text = self.module.to_json();
            self.state.manifest = Some(self.put(&path, text.as_bytes())?.0);
        }
        let state = Arc::new(self.state);
        Ok(FileOutput { state, functions: self.functions, written: self.written })
    }
}

/// Functions that are equal up to names, by the place of the first; and bytes of the sources of all but the first.
fn aliases(files: &Files) -> (Vec<Alias>, u64) {
    // Nearly all functions are alone: a group is made for the second of a key.
    let n_functions = files.values().map(|it| it.functions.len()).sum();
    let mut first: FxHashMap<&[u8; 32], usize> = FxHashMap::default();
    first.reserve(n_functions);
    let mut groups: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    let mut all: Vec<(&str, &FunctionState)> = Vec::with_capacity(n_functions);
    for (file, state) in files {
        for function in state.functions.iter().filter(|it| it.structure.is_some()) {
            let at = all.len();
            match first.entry(&function.key) {
                Entry::Vacant(place) => {
                    place.insert(at);
                }
                Entry::Occupied(place) => {
                    groups.entry(*place.get()).or_insert_with(|| vec![*place.get()]).push(at);
                }
            }
            all.push((file, function));
        }
    }
    let function = |&at: &usize| {
        let (file, function) = all[at];
        AliasFunction {
            file: file.to_owned(),
            name: function.name.clone(),
            entries: function.kernels.iter().map(|it| it.entry.clone()).collect(),
        }
    };
    let alias = |(first, group): (&usize, &Vec<usize>)| Alias {
        key: all[*first].1.key_text(),
        functions: group.iter().map(function).collect(),
    };
    let others = groups.values().flat_map(|it| &it[1..]).flat_map(|&it| &all[it].1.kernels);
    let bytes = others.map(|it| it.file.stamp.len).sum();
    (groups.iter().map(alias).collect(), bytes)
}

/// The status of each function of a file for the report, none for a file that was kept; `seen` are the keys whose code
/// an earlier function got.
pub(super) fn statuses(output: &FileOutput, seen: &mut BTreeSet<[u8; 32]>) -> Vec<Vec<Status>> {
    let mut all = Vec::new();
    for (state, done) in output.state.functions.iter().zip(&output.functions) {
        let is_first = done.why.is_some() && seen.insert(state.key);
        let status = |written: &bool| match done.why {
            None => Status::Reused,
            Some(_) if !is_first => Status::Alias,
            Some(why) if *written => Status::Built(why),
            Some(why) => Status::Unchanged(why),
        };
        all.push(done.written.iter().map(status).collect());
    }
    all
}

/// The manifest of a target, in its folder.
const INDEX: &str = "manifest.json";
/// The manifest of a file, in its folder.
const MODULE: &str = "module.json";

/// `path/of/file` without its ending, and without parts that lead elsewhere.
pub(super) fn module_folder(file: &str) -> Cow<'_, str> {
    let stem = file.strip_suffix(".py").unwrap_or(file);
    let leads_elsewhere = |it: &str| matches!(it, "" | "." | "..");
    if !stem.contains(['\\', ':']) && !stem.split('/').any(leads_elsewhere) {
        return stem.into();
    }
    let parts = stem.split(['/', '\\']).filter(|it| !leads_elsewhere(it));
    parts.map(|it| it.replace(':', "_")).collect::<Vec<_>>().join("/").into()
}

/// `path/of/file/entry.cu`
pub(super) fn source_path(folder: &str, entry: &str, target: Target) -> String {
    let mut path = in_folder(folder, entry);
    path.push('.');
    path.push_str(target.extension());
    path
}

/// `path/of/file/entry.cubin`
fn binary_path(folder: &str, entry: &str, ending: &str) -> String {
    in_folder(folder, &format!("{entry}.{ending}"))
}

fn in_folder(folder: &str, name: &str) -> String {
    // As long as what callers add to it.
    let mut path = String::with_capacity(folder.len() + name.len() + 16);
    if !folder.is_empty() {
        path.push_str(folder);
        path.push('/');
    }
    path.push_str(name);
    path
}

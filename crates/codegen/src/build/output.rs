//! The output folder of one target: sources, manifests, and what no longer belongs.
//!
//! In: for each file its functions with their artifacts. Out: one source a kernel and a `module.json` in a folder for
//! each file, written where their bytes differ; at the end `manifest.json` with the files and the functions that are
//! equal, then the state. Names are joined here, from the current text. Files that the last build wrote and that no
//! longer belong are removed: those that its state names, nothing else.

use std::{
    borrow::Cow,
    collections::{BTreeMap, BTreeSet, hash_map::Entry},
    fs, io,
    path::{Component, Path, PathBuf},
    sync::Arc,
};

use rustc_hash::FxHashMap;
use transform::passes::Pass;

use super::{
    Broken, Place,
    binaries::Binaries,
    kernels::Made,
    record::{FunctionRecord, Meaning},
    report::{Change, Status, Why},
    state::{FileState, Files, FunctionState, KernelState, State, Written},
};
use crate::{
    Options, Target, arch,
    artifact::{BINARY_ENTRY, Refused},
    key::Key,
    manifest::{
        self, Alias, AliasFunction, Binary, Index, Module, ModuleEntry, UnsupportedFunction,
    },
    store::{Folder, remove_stale, write_if_changed},
};

/// The folder of a target.
pub(super) struct Output {
    pub(super) target: Target,
    pub(super) options: Options,
    /// What makes binaries of its sources.
    binaries: Option<Arc<Binaries>>,
    folder: PathBuf,
    /// The same, to look at what is in it.
    looks: Folder,
    force: bool,
    generator: String,
    options_text: String,
    pub(super) old: State,
}

/// What was made of a file for this target.
pub(super) struct FileOutput {
    pub(super) state: Arc<FileState>,
    /// Of each function of the state; none for a file that was kept.
    pub(super) functions: Vec<FunctionOutput>,
    /// Files that were replaced.
    pub(super) written: usize,
}

/// What was done for a function with kernels.
pub(super) struct FunctionOutput {
    /// Why its code would have been generated, if it was.
    pub(super) why: Option<Why>,
    pub(super) key_before: Option<String>,
    /// Of each kernel, whether its file was replaced.
    pub(super) written: Vec<bool>,
}

impl Output {
    pub(super) fn new(
        target: Target,
        out: &Path,
        options: Options,
        binaries: Option<Arc<Binaries>>,
        generator: &str,
        force: bool,
    ) -> Output {
        let folder = out.join(target.name());
        remove_stale(&folder);
        let mut options_text = serde_json::to_string(&options).unwrap_or_default();
        options_text.extend(binaries.iter().map(|it| it.text()));
        let looks = Folder::new(&folder);
        let old = State::read(&folder);
        let old = old.unwrap_or_else(|| State::new(generator.to_owned(), options_text.clone()));
        let generator = generator.to_owned();
        Output { target, options, binaries, folder, looks, force, generator, options_text, old }
    }

    /// The options of what kernels are compared with, if they are compared: without `cse`.
    pub(super) fn plain_options(&self) -> Option<Options> {
        self.binaries.as_ref().filter(|it| it.compile.compare)?;
        let mut options = self.options.clone();
        options.passes.retain(|it| it != Pass::Cse.name());
        (options.passes != self.options.passes).then_some(options)
    }

    /// What concerns all kernels.
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

    /// Whether the last build was by the same generator with the same options.
    fn is_same(&self) -> bool {
        self.old.generator == self.generator && self.old.options == self.options_text
    }

    /// The file as the last build left it, if nothing of it has to be made.
    pub(super) fn kept(&self, name: &str, text: [u8; 32]) -> Option<FileOutput> {
        let is_same = !self.force && self.is_same();
        let state = self.old.get(name).filter(|it| is_same && it.text == text)?;
        let folder = module_folder(name);
        // One place for all paths: there are as many as kernels.
        let mut path = String::new();
        let mut stands = |name: &str, ending: &str, written: &Written| {
            path.clear();
            path.extend([&*folder, if folder.is_empty() { "" } else { "/" }, name, ending]);
            self.looks.stamp(&path) == Some(written.stamp)
        };
        let ending = [".", self.target.extension()].concat();
        let all_stand = state.manifest.is_none_or(|it| stands(MODULE, "", &it))
            && state.functions.iter().flat_map(|it| &it.kernels).all(|kernel| {
                stands(&kernel.entry, &ending, &kernel.file)
                    && kernel
                        .binaries
                        .iter()
                        .all(|(ending, file)| stands(&kernel.entry, &[".", ending].concat(), file))
            });
        let state = all_stand.then(|| Arc::clone(state))?;
        Some(FileOutput { state, functions: Vec::new(), written: 0 })
    }

    /// Writes the sources of a file and its manifest.
    pub(super) fn write(
        &self,
        name: &str,
        text: [u8; 32],
        functions: &[(&FunctionRecord, Result<Made, &Broken>)],
    ) -> io::Result<FileOutput> {
        let mut writer = FileWriter {
            output: self,
            name,
            folder: module_folder(name).into_owned(),
            old: self.old.get(name).map(|it| &**it),
            entries: BTreeMap::new(),
            state: FileState {
                text,
                manifest: None,
                functions: Vec::new(),
                unsupported: Vec::new(),
                without_launch: 0,
            },
            module: Module::new(name),
            functions: Vec::new(),
            written: 0,
        };
        for (record, made) in functions {
            match made {
                Ok(made) => writer.function(record, made)?,
                Err(broken) => writer.refuse_broken(record, broken),
            }
        }
        writer.finish()
    }

    /// Writes what concerns all files, and removes what no longer belongs. Gives the functions that are equal, how
    /// many bytes of sources need no compiling for that, and the files that were removed.
    pub(super) fn finish(&self, files: &Files) -> io::Result<(Vec<Alias>, u64, Vec<PathBuf>)> {
        let (aliases, alias_bytes) = aliases(files);
        let path = self.folder.join("manifest.json");
        let is_same = self.is_same() && self.old.is_of(files);
        let index = match self.old.index.filter(|it| is_same && it.stands(&path)) {
            Some(index) => index,
            None => self.write_index(&path, files, &aliases)?,
        };
        let mut removed = Vec::new();
        for stale in self.stale(files) {
            // The state is a file that anybody may write: it must not lead out of the folder.
            let inside =
                Path::new(&stale).components().all(|it| matches!(it, Component::Normal(_)));
            let path = self.folder.join(&stale);
            if inside && fs::remove_file(&path).is_ok() {
                removed.push(path);
            }
        }
        if !is_same || self.old.index != Some(index) {
            let with = (self.generator.as_str(), self.options_text.as_str());
            self.old.write(&self.folder, with, Some(index), files)?;
        }
        Ok((aliases, alias_bytes, removed))
    }

    fn write_index(&self, path: &Path, files: &Files, aliases: &[Alias]) -> io::Result<Written> {
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
        let text = index.to_json();
        let (stamp, _) = write_if_changed(path, text.as_bytes())?;
        Ok(Written { hash: *blake3::hash(text.as_bytes()).as_bytes(), stamp })
    }

    /// What the last build wrote and this one did not. Files that were kept are not looked at.
    fn stale(&self, files: &Files) -> Vec<String> {
        let changed = self.old.changed(files);
        if changed.is_empty() {
            return Vec::new();
        }
        // An output is in the folder of its file, which two names may share.
        let folders: BTreeSet<Cow<'_, str>> =
            changed.iter().map(|it| module_folder(it.0)).collect();
        let written: BTreeSet<String> = files
            .iter()
            .filter(|(name, _)| folders.contains(&module_folder(name)))
            .flat_map(|(name, state)| self.paths(name, state))
            .collect();
        let before = changed.into_iter().flat_map(|(name, state)| self.paths(name, state));
        before.filter(|it| !written.contains(it)).collect()
    }

    /// What was written for a file.
    fn paths(&self, file: &str, state: &FileState) -> Vec<String> {
        let folder = module_folder(file);
        let manifest = state.manifest.map(|_| in_folder(&folder, MODULE));
        let kernels = state.functions.iter().flat_map(|it| &it.kernels);
        let outputs = kernels.flat_map(|it| {
            let binaries = it.binaries.iter();
            let binaries = binaries.map(|(ending, _)| binary_path(&folder, &it.entry, ending));
            std::iter::once(source_path(&folder, &it.entry, self.target)).chain(binaries)
        });
        manifest.into_iter().chain(outputs).collect()
    }
}

/// Writes one file.
struct FileWriter<'a> {
    output: &'a Output,
    name: &'a str,
    folder: String,
    old: Option<&'a FileState>,
    /// How many functions had a name so far.
    entries: BTreeMap<String, usize>,
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
            self.refuse(record, &reason, detail, place);
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
            structure,
            key: record.key(target, options).0,
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
        });
        self.module.functions.push(described);
        self.state.functions.push(state);
        Ok(())
    }

    /// Compiles a kernel, if that is asked for, and writes what comes out beside its source.
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
                arch: arch::of_binary(&output.options).to_owned(),
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

    /// Two functions of one name in one file have two entry symbols.
    fn unique_entry(&mut self, name: &str) -> String {
        let count = self.entries.entry(name.to_owned()).or_default();
        *count += 1;
        match *count {
            1 => name.to_owned(),
            n => format!("{name}_{n}"),
        }
    }

    fn refuse_broken(&mut self, function: &FunctionRecord, broken: &Broken) {
        self.refuse(function, &broken.reason, broken.detail.clone(), broken.place);
    }

    /// `place` is the function's name, if it is no other.
    fn refuse(
        &mut self,
        function: &FunctionRecord,
        reason: &str,
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
            reason: reason.to_owned(),
            detail,
        };
        self.module.unsupported.push(refused.clone());
        self.state.unsupported.push(refused);
    }

    fn put(&mut self, path: &str, bytes: &[u8]) -> io::Result<(Written, bool)> {
        let (stamp, written) = write_if_changed(&self.output.folder.join(path), bytes)?;
        self.written += usize::from(written);
        Ok((Written { hash: *blake3::hash(bytes).as_bytes(), stamp }, written))
    }

    /// What the last build made of the function.
    fn before(&self, now: &FunctionState) -> Option<&FunctionState> {
        let entry = &now.kernels.first()?.entry;
        let is_it = |it: &&FunctionState| it.kernels.first().is_some_and(|it| it.entry == *entry);
        self.old?.functions.iter().find(is_it)
    }

    /// Why code was generated for a function whose artifact was not in the store.
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

/// The manifest of a file, in its folder.
const MODULE: &str = "module.json";

/// `path/of/file` without its ending, and without what leads elsewhere.
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

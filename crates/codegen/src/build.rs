//! Building all kernels of a set of files, incrementally.
//!
//! In: files (a name, a hash of their text, a way to their functions), targets, an output folder and a store. Out: a
//! folder for each target with sources and manifests, and a report with the status of every kernel and its reason. Each
//! file takes the first of these ways that is open:
//!
//! 1. its text is that of the last build, and all its outputs are intact: nothing is read ([`Build::known`]);
//! 2. its text was seen before: the store gives its functions, and their code by key: nothing is parsed;
//! 3. it is parsed ([`Build::parsed`]); functions whose own text was there before are not lowered;
//! 4. a lowered function has a fingerprint, and that a key: code in the store is not generated.
//!
//! Names are joined last, and files replaced whose bytes differ. Files are independent: threads take one each, and
//! [`Build::finish`] does the common work. The report does not depend on the threads.

mod binaries;
mod compile;
mod folder;
mod kernels;
mod layers;
mod others;
mod output;
mod part;
mod record;
mod report;
mod slots;
mod source;
mod standing;
mod state;

use std::{
    borrow::Cow,
    collections::{BTreeMap, BTreeSet},
    io,
    path::PathBuf,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Instant,
};

use rustc_hash::FxHashMap;

use crate::{
    Options, Target, TargetOptions,
    artifact::{
        action::Action,
        key::GENERATOR,
        store::{Kind, Store, layer::Layer},
    },
};

use self::{
    binaries::Binaries,
    kernels::{Kernels, Made},
    layers::Layers,
    output::{FileOutput, Finished, Output, module_folder, statuses},
    record::{FunctionRecord, LazyBody, Meaning, TextRecord},
    state::Files,
};

pub use self::compile::{Compile, Compiled, Compiler, Helped, Measured, Origin, Verdict};
pub use self::folder::{OutputFolder, store_of};
pub use self::others::Others;
pub use self::part::Order;
pub use self::record::structure;
pub use self::report::{
    BuildReport, Change, Compilations, FileReport, How, KernelReport, Looks, Status, Untouched,
    Why, Work,
};
pub use self::source::{Broken, Place, SourceBody, SourceFunction, hash_of};
pub use self::standing::Standing;
pub use crate::artifact::manifest::Metrics;

/// The settings of a build.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Languages to write.
    pub targets: Vec<Target>,
    /// Folder of the output.
    pub out: PathBuf,
    /// Folder of the store.
    pub store: PathBuf,
    /// Options of code generation.
    pub options: Options,
    /// The settings for single targets.
    pub devices: BTreeMap<Target, TargetOptions>,
    /// Makes binaries of the sources for CUDA.
    pub compile: Option<Compile>,
    /// Generates everything anew, whatever the store has.
    pub force: bool,
    /// The version of the reader of source texts: part of the key of a text record.
    pub reader: String,
    /// The limit of the store in bytes; the least recently used entries are removed.
    pub store_limit: u64,
    /// A cache beyond the store that several machines share.
    pub layer: Option<Arc<dyn Layer>>,
}

/// The default limit of a store.
pub const STORE_LIMIT: u64 = 2 << 30;

impl Settings {
    /// CUDA into a folder, with the store beside it.
    pub fn new(out: impl Into<PathBuf>) -> Settings {
        let out = out.into();
        Settings {
            targets: vec![Target::Cuda],
            store: store_of(&out),
            out,
            options: Options::default(),
            devices: BTreeMap::new(),
            compile: None,
            force: false,
            reader: String::new(),
            store_limit: STORE_LIMIT,
            layer: None,
        }
    }

    /// The options of a target.
    pub fn options_of(&self, target: Target) -> Options {
        let device = self.devices.get(&target).unwrap_or(&self.options.device);
        self.options.with(device)
    }
}

/// A build that is going on; threads may share it.
pub struct Build<'a> {
    settings: &'a Settings,
    /// Nobody else writes to it.
    folder: OutputFolder,
    kernels: Kernels,
    outputs: Vec<Output>,
    lowered: AtomicUsize,
    binaries: Option<Arc<Binaries>>,
}

/// The result for a file.
pub struct BuiltFile {
    report: FileReport,
    /// For each target.
    outputs: Vec<FileOutput>,
}

impl BuiltFile {
    /// Returns the status.
    pub fn how(&self) -> How {
        self.report.how
    }

    /// The worker that read its text.
    pub fn worker(&self) -> Option<&Arc<str>> {
        self.report.worker.as_ref()
    }

    /// Kernels, and how many of them needed no code to be generated.
    pub fn kernels(&self) -> (usize, usize) {
        let mut all = 0;
        let mut hits = 0;
        for output in &self.outputs {
            for (at, function) in output.state.functions.iter().enumerate() {
                let is_hit = output.functions.get(at).is_none_or(|it| it.why.is_none());
                all += function.kernels.len();
                hits += if is_hit { function.kernels.len() } else { 0 };
            }
        }
        (all, hits)
    }
}

impl<'a> Build<'a> {
    /// Begins a build into a folder. Reads the state of earlier builds.
    ///
    /// # Errors
    /// If a manifest in the folder cannot be read.
    pub fn new(settings: &'a Settings, folder: OutputFolder) -> io::Result<Build<'a>> {
        let mut build = Build::blank(settings, folder);
        let outputs = std::mem::take(&mut build.outputs);
        build.outputs = outputs.into_iter().map(Output::read).collect::<io::Result<_>>()?;
        Ok(build)
    }

    /// A build into a folder of which nothing is known.
    fn blank(settings: &'a Settings, folder: OutputFolder) -> Build<'a> {
        let generator = format!("{GENERATOR}-{}", settings.reader);
        let force = &settings.force;
        let targets: BTreeSet<Target> = settings.targets.iter().copied().collect();
        let store = Store::new(&settings.store);
        let binaries = settings.compile.as_ref();
        let layers = Arc::new(Layers::new(store, settings.layer.clone()));
        let kernels = Kernels::new(Arc::clone(&layers), *force);
        let new = |it| {
            let layers = Arc::clone(&layers);
            Binaries::new(it, layers, *force, Arc::clone(&kernels.repaired), &generator)
        };
        let binaries = binaries.map(|it| Arc::new(new(it)));
        let output = |target: Target| {
            let compiled = binaries.clone().filter(|_| target.is_compiled());
            Output::new(target, settings, &folder, compiled, &generator)
        };
        let outputs = targets.into_iter().map(output).collect();
        let lowered = AtomicUsize::new(0);
        Build { settings, folder, kernels, outputs, lowered, binaries: binaries.clone() }
    }

    /// The folder that it writes to.
    pub fn folder(&self) -> &OutputFolder {
        &self.folder
    }

    /// Its settings.
    pub fn settings(&self) -> &Settings {
        self.settings
    }

    /// Returns true if there is something beyond the store.
    pub fn has_layer(&self) -> bool {
        self.kernels.layers.has_layer()
    }

    /// The files that the folder has outputs of, by name.
    pub fn files_before(&self) -> BTreeSet<&str> {
        self.outputs.iter().flat_map(Output::names).collect()
    }

    /// The part of a path that is of a file: files with the same write to the same places.
    pub fn place_of(name: &str) -> Cow<'_, str> {
        module_folder(name)
    }

    /// Files that would write the same output, by their numbers: two or more each, the earlier first.
    pub fn collisions<'n>(names: impl IntoIterator<Item = &'n str>) -> Vec<Vec<usize>> {
        let mut folders: FxHashMap<_, Vec<usize>> = FxHashMap::default();
        for (at, name) in names.into_iter().enumerate() {
            folders.entry(module_folder(name)).or_default().push(at);
        }
        let mut all: Vec<_> = folders.into_values().filter(|it| it.len() > 1).collect();
        all.sort_unstable();
        all
    }

    /// Gets all that files with these names and texts will need and the store lacks from the layer beyond it, many
    /// entries at once: what their texts remember, then code, then binaries. A file that stands as the last build left
    /// it needs nothing. Without a layer this does nothing. Linear in the files.
    ///
    /// # Errors
    /// If the store cannot be written.
    pub fn prefetch(&self, files: &[(&str, [u8; 32])]) -> io::Result<()> {
        let layers = &self.kernels.layers;
        if !layers.has_layer() || self.settings.force {
            return Ok(());
        }
        let is_open = |(name, text): &&(&str, [u8; 32])| {
            self.outputs.iter().any(|it| it.kept(name, *text).is_none())
        };
        let action = |(_, text): &(&str, [u8; 32])| Action::of_text(text, &self.settings.reader);
        let texts: Vec<Action> = files.iter().filter(is_open).map(action).collect();
        layers.prefetch(Kind::Text, &texts)?;
        let mut records = Vec::new();
        for text in texts.iter().filter(|it| layers.store.has(Kind::Text, it.key())) {
            records.extend(TextRecord::read(layers, text, None)?);
        }
        self.prefetch_kernels(records.iter().flat_map(|it| &it.functions))
    }

    /// Gets the code of functions and their binaries from the layer.
    fn prefetch_kernels<'r>(
        &self,
        functions: impl Iterator<Item = &'r FunctionRecord> + Clone,
    ) -> io::Result<()> {
        let layers = &self.kernels.layers;
        if !layers.has_layer() {
            return Ok(());
        }
        let mut code = Vec::new();
        let mut compiled = Vec::new();
        for output in &self.outputs {
            let all = [Some(output.options.clone()), output.plain_options()];
            for options in all.into_iter().flatten() {
                let has_body = |it: &&FunctionRecord| matches!(it.meaning, Meaning::Body { .. });
                for function in functions.clone().filter(has_body) {
                    let action = function.action(output.target, &options);
                    if let Some(binaries) = &self.binaries
                        && output.target.is_compiled()
                    {
                        compiled.push((binaries, action.clone(), options.clone()));
                    }
                    code.push(action);
                }
            }
        }
        layers.prefetch(Kind::Kernel, &code)?;
        let mut actions = Vec::new();
        for (binaries, action, options) in compiled {
            if let Some(made) = self.kernels.find(&action)? {
                actions.extend(binaries.actions(&made.artifact, &options));
            }
        }
        layers.prefetch(Kind::Binary, &actions)
    }

    /// Builds a file whose text was seen before without its functions; `None` if that cannot be done.
    ///
    /// # Errors
    /// If files cannot be read or written.
    pub fn known(&self, name: &str, text: [u8; 32]) -> io::Result<Option<BuiltFile>> {
        if self.settings.force {
            return Ok(None);
        }
        let mut kept: Vec<Option<FileOutput>> =
            self.outputs.iter().map(|it| it.kept(name, text)).collect();
        let report =
            |how, worker| FileReport { file: name.to_owned(), how, worker, lowered: Vec::new() };
        if kept.iter().all(Option::is_some) {
            let outputs = kept.into_iter().flatten().collect();
            return Ok(Some(BuiltFile { report: report(How::Kept, None), outputs }));
        }
        let action = Action::of_text(&text, &self.settings.reader);
        let repaired = Some(&*self.kernels.repaired);
        let Some(TextRecord { functions }) =
            TextRecord::read(&self.kernels.layers, &action, repaired)?
        else {
            return Ok(None);
        };
        let mut outputs = Vec::new();
        for (output, kept) in self.outputs.iter().zip(&mut kept) {
            if let Some(kept) = kept.take() {
                outputs.push(kept);
                continue;
            }
            let mut made = Vec::new();
            for function in &functions {
                match self.find(function, output)? {
                    Some(it) => made.push((function, it)),
                    None => return Ok(None),
                }
            }
            outputs.push(output.write(name, text, &made)?);
        }
        let worker = self.kernels.layers.lender(Kind::Text, action.key());
        Ok(Some(BuiltFile { report: report(How::Known, worker), outputs }))
    }

    /// Builds a file from its functions, in the order of places.
    ///
    /// # Errors
    /// If files cannot be read or written.
    pub fn parsed(
        &self,
        name: &str,
        text: [u8; 32],
        functions: &[SourceFunction<'_>],
    ) -> io::Result<BuiltFile> {
        let start = Instant::now();
        let before = self.functions_before(name)?;
        let bodies: Vec<LazyBody> = functions.iter().map(|_| LazyBody::default()).collect();
        let record = |(function, body): (&SourceFunction<'_>, &LazyBody)| {
            let known = before.get(&function.text).filter(|it| it.name == function.name);
            match known {
                Some(it) => FunctionRecord {
                    first_line: function.first_line,
                    name_at: function.name_at,
                    ..it.clone()
                },
                None => body.record(function),
            }
        };
        let records = TextRecord { functions: functions.iter().zip(&bodies).map(record).collect() };
        let cost = start.elapsed();
        if !self.settings.force {
            self.prefetch_kernels(records.functions.iter())?;
        }
        let mut outputs = Vec::new();
        for output in &self.outputs {
            let mut made = Vec::new();
            for ((record, function), body) in records.functions.iter().zip(functions).zip(&bodies) {
                let it = match &record.meaning {
                    Meaning::Broken(broken) => Err(broken),
                    Meaning::Body { .. } => {
                        let action = record.action(output.target, &output.options);
                        let canonical = || body.get(function).map(|it| &it.canonical);
                        let made =
                            self.kernels.get(&action, output.target, &output.options, canonical)?;
                        match output.plain_options() {
                            None => made,
                            Some(options) => {
                                let action = record.action(output.target, &options);
                                let plain = self.kernels.get(
                                    &action,
                                    output.target,
                                    &options,
                                    canonical,
                                )?;
                                made.and_then(|made| Ok(made.beside(&plain?)))
                            }
                        }
                    }
                };
                made.push((record, it));
            }
            outputs.push(output.write(name, text, &made)?);
        }
        let action = Action::of_text(&text, &self.settings.reader);
        if !records.functions.iter().any(FunctionRecord::is_mistaken) {
            records.write(&self.kernels.layers, &action, cost)?;
        }
        let pairs = functions.iter().zip(&bodies).filter(|(_, body)| body.was_asked());
        let lowered: Vec<String> = pairs.map(|(function, _)| function.name.clone()).collect();
        self.lowered.fetch_add(lowered.len(), Ordering::Relaxed);
        let report = FileReport { file: name.to_owned(), how: How::Parsed, worker: None, lowered };
        Ok(BuiltFile { report, outputs })
    }

    /// Writes the files that concern the whole folder. Outputs of earlier builds for other files stay, except for those
    /// of the files in `gone`.
    ///
    /// # Errors
    /// If files cannot be read or written.
    pub fn finish(
        &self,
        files: Vec<BuiltFile>,
        gone: &BTreeSet<String>,
    ) -> io::Result<BuildReport> {
        self.finish_with(files, &mut |_, output, states| output.finish(states, gone))
    }

    /// Finishes with what is done for each output, by its number.
    fn finish_with(
        &self,
        mut files: Vec<BuiltFile>,
        finish: &mut dyn FnMut(usize, &Output, Files) -> io::Result<Finished>,
    ) -> io::Result<BuildReport> {
        files.sort_by(|a, b| a.report.file.cmp(&b.report.file));
        let mut report = BuildReport::default();
        for (at, output) in self.outputs.iter().enumerate() {
            report.changes.extend(output.changes());
            let mut states = Files::new();
            let mut seen = BTreeSet::new();
            for file in &files {
                let name = &file.report.file;
                let Some(made) = file.outputs.get(at) else { continue };
                let statuses = statuses(made, &mut seen);
                kernel_reports(output.target, name, made, &statuses, &mut report.kernels);
                report.unsupported.extend_from_slice(&made.state.unsupported);
                report.without_launch += made.state.without_launch as usize;
                report.work.written += made.written;
                states.insert(name.clone(), Arc::clone(&made.state));
            }
            let finished = finish(at, output, states)?;
            let Looks { stats, reads } = output.n_looks();
            report.looks.stats += stats;
            report.looks.reads += reads;
            report.aliases.extend(finished.aliases);
            report.alias_bytes += finished.alias_bytes;
            report.removed.extend(finished.removed);
            report.pruned.extend(finished.pruned);
        }
        let load = |it: &AtomicUsize| it.load(Ordering::Relaxed);
        report.work = Work {
            parsed: files.iter().filter(|it| it.how() == How::Parsed).count(),
            lowered: load(&self.lowered),
            generated: load(&self.kernels.generated),
            found: load(&self.kernels.found),
            repaired: self.kernels.repaired.count(),
            written: report.work.written,
        };
        if let Some(binaries) = &self.binaries {
            let failed = report.kernels.iter().filter_map(|it| it.binary()?.failure.as_ref());
            report.compiled = Some(Compilations {
                compiler: binaries.compile.compiler.identity().to_owned(),
                run: load(&binaries.compiled),
                found: load(&binaries.found),
                failed: failed.count(),
                helped: binaries.compile.compiler.helped(),
            });
        }
        report.files = files.into_iter().map(|it| it.report).collect();
        let layers = &self.kernels.layers;
        report.layer = layers.finish();
        report.shrunk =
            layers.store.keep_below(self.settings.store_limit, layers.stored_bytes())?;
        Ok(report)
    }

    fn find<'r>(
        &self,
        function: &'r FunctionRecord,
        output: &Output,
    ) -> io::Result<Option<Result<Made, &'r Broken>>> {
        Ok(match &function.meaning {
            Meaning::Broken(broken) => Some(Err(broken)),
            Meaning::Body { .. } => {
                let made = self.kernels.find(&function.action(output.target, &output.options))?;
                match output.plain_options() {
                    None => made.map(Ok),
                    Some(options) => {
                        let plain = function.action(output.target, &options);
                        let plain = self.kernels.find(&plain)?;
                        made.zip(plain).map(|(made, plain)| Ok(made.beside(&plain)))
                    }
                }
            }
        })
    }

    /// The functions that the file had at the last build, by their texts.
    fn functions_before(&self, name: &str) -> io::Result<BTreeMap<[u8; 32], FunctionRecord>> {
        let texts: BTreeSet<[u8; 32]> =
            self.outputs.iter().filter_map(|it| it.old.get(name)).map(|it| it.text).collect();
        let mut functions = BTreeMap::new();
        for text in texts.iter().filter(|_| !self.settings.force) {
            let action = Action::of_text(text, &self.settings.reader);
            let record = TextRecord::read(&self.kernels.layers, &action, None)?;
            let record = record.unwrap_or_default();
            functions.extend(record.functions.into_iter().map(|it| (it.text, it)));
        }
        Ok(functions)
    }
}

fn kernel_reports(
    target: Target,
    file: &str,
    made: &FileOutput,
    statuses: &[Vec<Status>],
    reports: &mut Vec<KernelReport>,
) {
    let file: Arc<str> = file.into();
    for (at, function) in made.state.functions.iter().enumerate() {
        let done = made.functions.get(at);
        let status = |kernel| statuses.get(at).and_then(|it: &Vec<Status>| it.get(kernel)).copied();
        reports.extend((0..function.kernels.len()).map(|kernel| KernelReport {
            target,
            file: Arc::clone(&file),
            made: Arc::clone(&made.state),
            at: (at, kernel),
            key_before: done.and_then(|it| it.key_before.clone()),
            status: status(kernel).unwrap_or(Status::Reused),
            written: done.is_some_and(|it| it.written.get(kernel) == Some(&true)),
            is_fetched: done.is_some_and(|it| it.is_fetched),
            worker: done.and_then(|it| it.worker.clone()),
        }));
    }
}

#[cfg(test)]
mod tests;

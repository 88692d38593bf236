//! Building all kernels of a set of files, and only what changed.
//!
//! In: functions (their place, their name, a hash of their text, and a way to their body), targets, an output folder
//! and a store. Out: sources and `manifest.json` in a folder for each target, and a report that says for every kernel what was done
//! and why. For each function and target:
//!
//! 1. the hash of the text finds the key of its artifact and its names: nothing is parsed;
//! 2. otherwise the body is asked for, and its fingerprint gives the key;
//! 3. the key finds the artifact in the store: nothing is generated;
//! 4. otherwise code is generated and stored.
//!
//! Then names are joined and files are replaced whose bytes differ. Files that an earlier build of this folder wrote
//! and that no longer belong to it are removed: those the old manifest names, nothing else.

use std::{
    cell::OnceCell,
    collections::{BTreeMap, BTreeSet},
    fs, io,
    path::{Path, PathBuf},
};

use ir::fingerprint::Fingerprint;
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

use crate::{
    artifact::{Artifact, Refused},
    canonical::Canonical,
    device::generate,
    key::Key,
    manifest::{Manifest, UnsupportedFunction},
    store::{Kind, Read, Store, remove_stale, write_if_changed},
    target::{Options, Target},
};

/// What to build.
pub struct BuildRequest<'a> {
    /// The functions, in the order of files and places.
    pub functions: Vec<SourceFunction<'a>>,
    /// Languages to write.
    pub targets: Vec<Target>,
    /// Folder of the output.
    pub out: PathBuf,
    /// Folder of the store.
    pub store: PathBuf,
    /// Options of code generation.
    pub options: Options,
    /// Generates everything anew, whatever the store has.
    pub force: bool,
    /// Called before each function with the number of functions done.
    pub progress: &'a (dyn Fn(usize) + Sync),
}

/// One function of a file.
pub struct SourceFunction<'a> {
    /// The file, as messages and the manifest name it, with `/`.
    pub file: String,
    /// Name of the function.
    pub name: String,
    /// A hash of everything that the body depends on: the function's text and what it captures. Without one the
    /// body is asked for in every build.
    pub text: Option<[u8; 32]>,
    /// The line of the file, from 1, that the function begins at; 0 if its lines are not known.
    pub first_line: u32,
    /// The body, or the message why there is none.
    pub body: Box<dyn Fn() -> Result<SourceBody, String> + 'a>,
}

/// A hash for [`SourceFunction::text`] of all that a body depends on.
pub fn hash_of(parts: &[&[u8]]) -> [u8; 32] {
    Key::of(parts).0
}

/// A body and the places of its operations.
pub struct SourceBody {
    /// The body.
    pub body: ir::Body,
    /// Lines of operations, from 0, relative to the function's first.
    pub lines: Vec<(ir::OpId, u32)>,
}

impl From<ir::Body> for SourceBody {
    fn from(body: ir::Body) -> SourceBody {
        SourceBody { body, lines: Vec::new() }
    }
}

/// What was done.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct BuildReport {
    /// Every kernel, in order.
    pub kernels: Vec<KernelReport>,
    /// Functions that launch threads and have no code.
    pub unsupported: Vec<UnsupportedFunction>,
    /// Functions that launch nothing (and so have no kernels).
    pub without_launch: usize,
    /// Files that were removed.
    pub removed: Vec<PathBuf>,
    /// Entries of the store that were broken and were replaced.
    pub repaired: usize,
    /// Bodies that were asked for.
    pub lowered: usize,
    /// Functions for which code was generated.
    pub generated: usize,
}

/// What was done for one kernel.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct KernelReport {
    /// Target.
    pub target: Target,
    /// Source file.
    pub file: String,
    /// Function.
    pub function: String,
    /// Entry symbol.
    pub entry: String,
    /// The output, relative to the output folder.
    pub output: String,
    /// What was done.
    pub status: Status,
    /// Whether the output file was replaced.
    pub written: bool,
}

/// What was done for a kernel.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Status {
    /// Code was generated.
    Built(Why),
    /// Code was generated for its function, and this kernel came out as it was.
    Unchanged(Why),
    /// The code was in the store.
    Reused,
}

/// Why code was generated.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Why {
    /// The function was not built before.
    New,
    /// The function computes something else now.
    BodyChanged,
    /// Options, or the generator, are others now.
    OptionsChanged,
    /// The store had lost it, or had it broken.
    StoreLost,
    /// It was asked for.
    Forced,
}

impl Why {
    /// Words for a person.
    pub fn text(self) -> &'static str {
        match self {
            Why::New => "new",
            Why::BodyChanged => "the function changed",
            Why::OptionsChanged => "options or generator changed",
            Why::StoreLost => "it was missing in the store",
            Why::Forced => "asked for",
        }
    }
}

impl BuildReport {
    fn add(&mut self, other: BuildReport) {
        self.kernels.extend(other.kernels);
        self.unsupported.extend(other.unsupported);
        self.without_launch += other.without_launch;
        self.removed.extend(other.removed);
        self.repaired += other.repaired;
        self.lowered += other.lowered;
        self.generated += other.generated;
    }

    /// Number of kernels with a status.
    pub fn count(&self, which: impl Fn(Status) -> bool) -> usize {
        self.kernels.iter().filter(|it| which(it.status)).count()
    }
}

/// What a text remembers.
#[derive(Serialize, Deserialize)]
struct TextRecord {
    artifact: String,
    fingerprint: String,
    function: String,
    names: Vec<String>,
    /// Of each operation, relative to the function's first line.
    lines: Vec<u32>,
}

/// An artifact with the names of the current text.
struct Named {
    artifact: Artifact,
    /// Empty for a function without a fingerprint: it is in no store.
    key: String,
    fingerprint: String,
    names: Vec<String>,
    lines: Vec<u32>,
    generated: Option<Option<Why>>,
}

/// Builds. Fails only if files cannot be read or written.
pub fn build(request: &BuildRequest<'_>) -> io::Result<BuildReport> {
    let store = Store::new(&request.store);
    store.sweep()?;
    let mut builders: Vec<Builder<'_>> =
        request.targets.iter().map(|&target| Builder::new(request, target, &store)).collect();
    let mut lowered = 0;
    for (index, function) in request.functions.iter().enumerate() {
        (request.progress)(index);
        let body = LazyBody::default();
        for builder in &mut builders {
            builder.function(function, &body)?;
        }
        lowered += usize::from(body.0.get().is_some());
    }
    (request.progress)(request.functions.len());
    let mut report = BuildReport { lowered, ..BuildReport::default() };
    for builder in builders {
        report.add(builder.finish()?);
    }
    Ok(report)
}

/// A body that is asked for once, and only if a target needs it.
#[derive(Default)]
struct LazyBody(OnceCell<Result<Lowered, String>>);

struct Lowered {
    canonical: Canonical,
    /// None for a function with something unknown in it.
    fingerprint: Option<Fingerprint>,
    /// Of each operation, relative to the function's first line.
    lines: Vec<u32>,
}

impl LazyBody {
    fn get(&self, function: &SourceFunction<'_>) -> Result<&Lowered, String> {
        let lowered = self.0.get_or_init(|| {
            let SourceBody { body, lines } = (function.body)()?;
            let canonical = Canonical::of(&body);
            let fingerprint = ir::fingerprint::of_function(&body);
            let lines: FxHashMap<ir::OpId, u32> = lines.into_iter().collect();
            let lines = match lines.is_empty() {
                true => Vec::new(),
                false => {
                    canonical.ops.iter().map(|it| lines.get(it).copied().unwrap_or(0)).collect()
                }
            };
            Ok(Lowered { canonical, fingerprint, lines })
        });
        lowered.as_ref().map_err(Clone::clone)
    }
}

/// What the last build of the folder wrote.
#[derive(Default)]
struct Previous {
    /// Key of an artifact by file and entry of its first kernel.
    keys: BTreeMap<(String, String), String>,
    files: BTreeSet<String>,
}

impl Previous {
    fn read(folder: &Path) -> Previous {
        let text = fs::read_to_string(folder.join("manifest.json")).unwrap_or_default();
        let mut previous = Previous::default();
        for function in Manifest::from_json(&text).unwrap_or_default().functions {
            let Some(first) = function.kernels.first() else { continue };
            let key = (function.file.clone(), first.entry.clone());
            previous.keys.insert(key, function.key.clone());
            previous.files.extend(function.kernels.into_iter().map(|it| it.file));
        }
        previous
    }
}

struct Builder<'a> {
    request: &'a BuildRequest<'a>,
    target: Target,
    /// Of the target's output.
    folder: PathBuf,
    store: Store,
    old: Previous,
    report: BuildReport,
    manifest: Manifest,
    /// How many functions of a file had a name so far.
    entries: BTreeMap<(String, String), usize>,
    /// Artifacts made or read in this build, so that equal functions are generated once also when forced.
    memory: BTreeMap<Key, Artifact>,
    written: BTreeSet<String>,
}

impl<'a> Builder<'a> {
    fn new(request: &'a BuildRequest<'a>, target: Target, store: &Store) -> Builder<'a> {
        let folder = request.out.join(target.name());
        remove_stale(&folder);
        Builder {
            request,
            target,
            store: store.clone(),
            old: Previous::read(&folder),
            folder,
            report: BuildReport::default(),
            manifest: Manifest::new(),
            entries: BTreeMap::new(),
            memory: BTreeMap::new(),
            written: BTreeSet::new(),
        }
    }

    fn function(&mut self, function: &SourceFunction<'_>, body: &LazyBody) -> io::Result<()> {
        let target = self.target;
        let named = match self.artifact(function, body)? {
            Ok(named) => named,
            Err(message) => {
                self.refuse(function, "has-errors", message);
                return Ok(());
            }
        };
        let entry = self.unique_entry(function);
        match named.artifact.join(&named.names, &entry, target) {
            Err(_) => {
                let reasons = named.artifact.refused(&named.names);
                for Refused { reason, detail } in reasons.into_iter().take(1) {
                    self.refuse(function, &reason, detail);
                }
                Ok(())
            }
            Ok(sources) if sources.is_empty() => {
                self.report.without_launch += 1;
                Ok(())
            }
            Ok(sources) => {
                let lines: Vec<u32> = match function.first_line {
                    0 => Vec::new(),
                    first => named.lines.iter().map(|it| first + it).collect(),
                };
                let options = &self.request.options;
                let mut described =
                    named.artifact.function(&named.names, &entry, &lines, target, options);
                described.file.clone_from(&function.file);
                described.name.clone_from(&function.name);
                described.key.clone_from(&named.key);
                let why = named.generated.map(|it| it.unwrap_or_else(|| self.why(&described)));
                for (kernel, source) in described.kernels.iter_mut().zip(&sources) {
                    let output = output_path(target, &function.file, &source.entry);
                    kernel.file.clone_from(&output);
                    let path = self.folder.join(&output);
                    let written = write_if_changed(&path, source.text.as_bytes())?;
                    self.written.insert(output.clone());
                    self.report.kernels.push(KernelReport {
                        target,
                        file: function.file.clone(),
                        function: function.name.clone(),
                        entry: source.entry.clone(),
                        output: format!("{}/{output}", target.name()),
                        status: match why {
                            None => Status::Reused,
                            Some(why) if written => Status::Built(why),
                            Some(why) => Status::Unchanged(why),
                        },
                        written,
                    });
                }
                self.manifest.functions.push(described);
                Ok(())
            }
        }
    }

    /// Two functions of one name in one file have two entry symbols.
    fn unique_entry(&mut self, function: &SourceFunction<'_>) -> String {
        let count = self.entries.entry((function.file.clone(), function.name.clone())).or_default();
        *count += 1;
        match *count {
            1 => function.name.clone(),
            n => format!("{}_{n}", function.name),
        }
    }

    fn refuse(&mut self, function: &SourceFunction<'_>, reason: &str, detail: String) {
        let refused = UnsupportedFunction {
            target: self.target.name().to_owned(),
            file: function.file.clone(),
            name: function.name.clone(),
            reason: reason.to_owned(),
            detail,
        };
        self.manifest.unsupported.push(refused.clone());
        self.report.unsupported.push(refused);
    }

    /// Why code was generated for a function whose artifact was not in the store.
    fn why(&self, function: &crate::manifest::Function) -> Why {
        let Some(first) = function.kernels.first() else { return Why::New };
        let place = (function.file.clone(), first.entry.clone());
        match self.old.keys.get(&place) {
            None => Why::New,
            Some(key) if *key == function.key => Why::StoreLost,
            Some(key) => {
                let structure = |key: &str| key.split('-').next().map(str::to_owned);
                if structure(key) == structure(&function.key) {
                    Why::OptionsChanged
                } else {
                    Why::BodyChanged
                }
            }
        }
    }

    // ---- artifacts ----

    fn artifact(
        &mut self,
        function: &SourceFunction<'_>,
        body: &LazyBody,
    ) -> io::Result<Result<Named, String>> {
        let target = self.target;
        let options = &self.request.options;
        let text_key = function.text.map(|it| Key::of_text(&it, target, options));
        if let Some(text_key) = text_key
            && !self.request.force
            && let Some(named) = self.by_text(text_key, &function.name)?
        {
            return Ok(Ok(named));
        }
        let lowered = match body.get(function) {
            Ok(lowered) => lowered,
            Err(message) => return Ok(Err(message)),
        };
        let (canonical, lines) = (&lowered.canonical, lowered.lines.clone());
        let Some(fingerprint) = lowered.fingerprint else {
            // Something in it is not known: it is refused, or generated each time.
            self.report.generated += 1;
            let artifact = generate(canonical, target, options);
            let names = canonical.names.clone();
            let (key, fingerprint) = (String::new(), String::new());
            return Ok(Ok(Named {
                artifact,
                key,
                fingerprint,
                names,
                lines,
                generated: Some(None),
            }));
        };
        let key = Key::of_artifact(fingerprint, target, options);
        let (artifact, generated) = self.stored(key, canonical)?;
        let named = Named {
            artifact,
            key: format!("{fingerprint}-{key}"),
            fingerprint: fingerprint.to_string(),
            names: canonical.names.clone(),
            lines,
            generated,
        };
        if let Some(text_key) = text_key {
            self.remember(text_key, key, &named, &function.name)?;
        }
        Ok(Ok(named))
    }

    /// The artifact from the store, or generated; then whether and why.
    fn stored(
        &mut self,
        key: Key,
        canonical: &Canonical,
    ) -> io::Result<(Artifact, Option<Option<Why>>)> {
        if let Some(artifact) = self.memory.get(&key) {
            return Ok((artifact.clone(), None));
        }
        let mut why = None;
        if self.request.force {
            why = Some(Why::Forced);
        } else {
            match self.read_artifact(key)? {
                Some(artifact) => {
                    self.memory.insert(key, artifact.clone());
                    return Ok((artifact, None));
                }
                None if self.store.path(Kind::Kernel, key).exists() => {
                    self.report.repaired += 1;
                    why = Some(Why::StoreLost);
                }
                None => {}
            }
        }
        self.report.generated += 1;
        let artifact = generate(canonical, self.target, &self.request.options);
        let bytes = serde_json::to_vec(&artifact).expect("plain data has a JSON form");
        self.store.write(Kind::Kernel, key, &bytes)?;
        self.memory.insert(key, artifact.clone());
        Ok((artifact, Some(why)))
    }

    fn read_artifact(&self, key: Key) -> io::Result<Option<Artifact>> {
        Ok(match self.store.read(Kind::Kernel, key)? {
            Read::Found(bytes) => serde_json::from_slice(&bytes).ok(),
            Read::Absent | Read::Corrupt => None,
        })
    }

    fn by_text(&mut self, text_key: Key, function: &str) -> io::Result<Option<Named>> {
        let Read::Found(bytes) = self.store.read(Kind::Text, text_key)? else { return Ok(None) };
        let Ok(record) = serde_json::from_slice::<TextRecord>(&bytes) else { return Ok(None) };
        let Some(key) = Key::parse(&record.artifact).filter(|_| record.function == function) else {
            return Ok(None);
        };
        let artifact = match self.memory.get(&key) {
            Some(artifact) => artifact.clone(),
            None => match self.read_artifact(key)? {
                Some(artifact) => artifact,
                None => return Ok(None),
            },
        };
        self.memory.insert(key, artifact.clone());
        Ok(Some(Named {
            artifact,
            key: format!("{}-{key}", record.fingerprint),
            fingerprint: record.fingerprint,
            names: record.names,
            lines: record.lines,
            generated: None,
        }))
    }

    fn remember(&self, text_key: Key, key: Key, named: &Named, function: &str) -> io::Result<()> {
        let record = TextRecord {
            artifact: key.to_string(),
            fingerprint: named.fingerprint.clone(),
            function: function.to_owned(),
            names: named.names.clone(),
            lines: named.lines.clone(),
        };
        let bytes = serde_json::to_vec(&record).expect("plain data has a JSON form");
        self.store.write(Kind::Text, text_key, &bytes)?;
        Ok(())
    }

    fn finish(mut self) -> io::Result<BuildReport> {
        let folder = &self.folder;
        write_if_changed(&folder.join("manifest.json"), self.manifest.to_json().as_bytes())?;
        for stale in self.old.files.difference(&self.written) {
            // The manifest is a file that anybody may write: it must not lead out of the folder.
            let inside = Path::new(stale)
                .components()
                .all(|it| matches!(it, std::path::Component::Normal(_)));
            let path = folder.join(stale);
            if inside && fs::remove_file(&path).is_ok() {
                self.report.removed.push(path);
            }
        }
        Ok(self.report)
    }
}

/// `path/of/file/entry.cu`
fn output_path(target: Target, file: &str, entry: &str) -> String {
    let mut parts = Vec::new();
    let stem = file.strip_suffix(".py").unwrap_or(file);
    for part in stem.split(['/', '\\']) {
        match part {
            "" | "." | ".." => {}
            part => parts.push(part.replace(':', "_")),
        }
    }
    parts.push(format!("{entry}.{}", target.extension()));
    parts.join("/")
}

#[cfg(test)]
mod tests;

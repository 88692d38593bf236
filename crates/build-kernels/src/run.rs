//! A build over many files with some threads.
//!
//! In: files by name, where their bytes are, settings. Out: the report, and the unreadable files. A thread reads a
//! file, hashes it (unless [`crate::texts`] knows its hash), asks the build whether its text is known, and parses it
//! only if not; a file that may import others is parsed before, because what it imports is part of its text. Before all
//! that, the calls of factories of other files are collected ([`calls`]). A panic on one file is a failure of
//! that file. Outputs of earlier builds for other files stay; [`crate::sources`] finds those whose source is gone.

mod resident;

use std::{
    collections::{BTreeMap, BTreeSet},
    fs, io,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
};

use codegen::build::{
    Build, BuildReport, BuiltFile, Helped, How, Looks, Order, OutputFolder, Settings, Standing,
    hash_of,
};
use frontend::tvmscript::Request;
use ir::effects::EffectTable;
use rayon::prelude::*;
use syntax::{Form, Language};

use crate::{
    imports::{Imports, Workspaces},
    operations::OpsModule,
    shards::{Candidate, Round, Shards},
    source::{Module, READER, Surroundings},
    sources::Sources,
    texts::{Known, Record, Texts},
};

pub use resident::{Reached, ReachedInputs, Resident};

/// Stack of a thread: as much as the main thread has.
const STACK: usize = 8 << 20;

/// A file to build.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Input {
    /// As manifests name it, with `/`; no two are equal.
    pub name: String,
    /// The place where its bytes are.
    pub source: InputSource,
    /// True if it has this name whatever else is built: then outputs under an earlier name are stale.
    pub is_only_name: bool,
}

/// The place where the bytes of a file are.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum InputSource {
    /// In a file.
    Path(PathBuf),
    /// Here.
    Bytes(Vec<u8>),
}

/// The options of a run.
#[derive(Clone, Debug)]
pub struct RunOptions {
    /// The number of concurrent threads.
    pub jobs: usize,
    /// Removes outputs of earlier builds for files that are gone.
    pub prune: bool,
    /// Instances of factories that are built beside those that calls make.
    pub instances: Arc<[Request]>,
    /// The folders whose files may import each other, and nothing outside: of each workspace first its own, then the
    /// others in which imports are searched.
    pub workspaces: Vec<Vec<PathBuf>>,
    /// Workers that read files, too, where many are to be read.
    pub shards: Option<Arc<Shards>>,
}

/// The progress of a build.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Progress {
    /// Another build writes to the folder; its end is waited for.
    pub is_waiting: bool,
    /// Files that are done.
    pub files: usize,
    /// Kernels in them.
    pub kernels: usize,
    /// Kernels for which no code had to be generated.
    pub hits: usize,
}

/// The report of a build, and the unreadable inputs.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Outcome {
    /// The report.
    pub report: BuildReport,
    /// Files that could not be built, with the reason; outputs of earlier builds for them stay.
    pub failures: Vec<(String, String)>,
    /// Files whose source is gone; outputs of earlier builds for them stay, unless pruned.
    pub gone: Vec<String>,
    /// Files of which earlier builds made something, and of which is not known where they are.
    pub unknown: Vec<String>,
    /// A store in the output folder, where earlier versions had it; it is unused.
    pub old_store: Option<PathBuf>,
    /// The files that were read here and by workers, if these were asked.
    pub shards: Option<Helped>,
}

/// Builds.
///
/// # Errors
/// If the output or the store cannot be written.
pub fn run(
    inputs: &[Input],
    settings: &Settings,
    options: &RunOptions,
    progress: &(dyn Fn(Progress) + Sync),
) -> io::Result<Outcome> {
    Ok(all(inputs, &with_reader(settings, options), options, progress, false)?.0)
}

/// Settings with what a text means: what calls do is part of it.
pub(crate) fn with_reader(settings: &Settings, options: &RunOptions) -> Settings {
    let rows = settings.options.effects.rows_of_user();
    let reader = format!("{READER}{rows}{:?}", options.instances);
    Settings { reader, ..settings.clone() }
}

/// The memory of a build of all files, for builds of some.
struct Left {
    standing: Standing,
    texts: Texts,
    /// Those that were built, or were to be.
    inputs: Vec<LeftInput>,
}

/// An input and what it depends on.
struct LeftInput {
    input: Input,
    /// The imported files that were read.
    reads: Vec<String>,
    /// The calls of factories of other files: the file, and the call.
    calls: Vec<(String, String)>,
}

/// Builds all files; keeps in memory what builds of some need, if that is wanted and can be.
fn all(
    inputs: &[Input],
    settings: &Settings,
    options: &RunOptions,
    progress: &(dyn Fn(Progress) + Sync),
    stays: bool,
) -> io::Result<(Outcome, Option<Left>)> {
    let (inputs, collisions) = without_collisions(inputs);
    let waiting = || progress(Progress { is_waiting: true, ..Progress::default() });
    let folder = OutputFolder::open(settings, &waiting)?;
    let mut texts = Texts::new(folder.notes(), settings.force);
    let mut sources = Sources::new(&folder);
    let build = Build::new(settings, folder)?;
    let claims = sources.claim(&inputs, &build);
    let mut outcome = Outcome::default();
    let allowed: Vec<&Input>;
    (allowed, outcome.failures) = {
        let (allowed, refused): (Vec<&Input>, Vec<_>) =
            inputs.iter().partition(|it| !claims.refused.contains_key(&it.name));
        let why = |it: &&Input| (it.name.clone(), claims.refused[&it.name].clone());
        (allowed, collisions.into_iter().chain(refused.iter().map(why)).collect())
    };
    // Whose place is another's now may be built after the next save.
    let stays = stays && outcome.failures.is_empty();
    let workspaces = Workspaces::new(&options.workspaces);
    let effects = &settings.options.effects;
    let calls = calls(&allowed, options.jobs, &texts, &workspaces, effects);
    let called = called(calls.iter().flat_map(|it| &it.calls));
    let shards = options.shards.as_deref();
    let around = Around { effects, requests: &options.instances, called, workspaces, shards };
    let wanted: Vec<Wanted<'_, '_>> =
        allowed.iter().zip(&calls).map(|(input, called)| Wanted { input, called }).collect();
    let done = files(&build, &wanted, options.jobs, &texts, &around, progress)?;
    let mut leaving = claims.replaced;
    if options.prune {
        leaving.extend(claims.gone.iter().cloned());
    }
    outcome.shards = done.helped;
    let mut standing = None;
    outcome.report = match stays {
        false => build.finish(done.built, &leaving)?,
        true => {
            let (report, left) = build.finish_and_stay(done.built, &leaving)?;
            standing = left;
            report
        }
    };
    outcome.failures.extend(done.failures);
    add(&mut outcome.report.looks, texts.counts.take());
    add(&mut outcome.report.looks, around.workspaces.take_looks());
    if texts.keep(&done.known, &leaving) {
        texts.write()?;
    }
    sources.forget(&leaving);
    sources.write()?;
    outcome.gone = claims.gone.into_iter().collect();
    outcome.unknown = claims.unknown.into_iter().collect();
    outcome.old_store = build.folder().old_store().map(Path::to_owned);
    let left = standing.map(|standing| {
        let all = allowed.iter().zip(done.reads).zip(calls);
        let left = |((input, reads), called): ((&&Input, _), Called)| LeftInput {
            input: (*input).clone(),
            reads,
            calls: called.calls,
        };
        Left { standing, texts, inputs: all.map(left).collect() }
    });
    Ok((outcome, left))
}

fn add(to: &mut Looks, more: Looks) {
    to.stats += more.stats;
    to.reads += more.reads;
}

/// The results for some files, in their order.
struct FilesDone<'i> {
    built: Vec<BuiltFile>,
    failures: Vec<(String, String)>,
    known: Vec<(&'i str, Option<Known>)>,
    reads: Vec<Vec<String>>,
    helped: Option<Helped>,
}

/// An input, and what is known of it.
#[derive(Clone, Copy)]
struct Wanted<'i, 'c> {
    input: &'i Input,
    called: &'c Called,
}

/// Builds files.
fn files<'i>(
    build: &Build<'_>,
    inputs: &[Wanted<'i, '_>],
    jobs: usize,
    texts: &Texts,
    around: &Around<'_>,
    progress: &(dyn Fn(Progress) + Sync),
) -> io::Result<FilesDone<'i>> {
    if build.has_layer() {
        build.prefetch(&guessed(inputs, jobs, texts, around))?;
    }
    let progressed = Mutex::new(Progress::default());
    let work = |wanted: &Wanted<'i, '_>| {
        let done = file(build, *wanted, texts, around);
        if let Ok(FileDone { result: Ok(built), .. }) = &done {
            let (kernels, hits) = built.kernels();
            let mut done = progressed.lock().unwrap_or_else(PoisonError::into_inner);
            done.files += 1;
            done.kernels += kernels;
            done.hits += hits;
            progress(*done);
        }
        done
    };
    let round = shared_out(build, inputs, jobs, texts, around)?;
    let results = match &round {
        None => in_parallel(inputs, jobs, work),
        Some(round) => {
            let take = |_: &Wanted<'i, '_>| round.next().map(|at| (at, work(&inputs[at])));
            let mut done: Vec<_> = round.run(|| in_parallel(inputs, jobs, take));
            done.sort_by_key(|it| it.as_ref().map(|it| it.0));
            done.into_iter().flatten().map(|it| it.1).collect()
        }
    };
    let n = inputs.len();
    let mut done = FilesDone {
        built: Vec::with_capacity(n),
        failures: Vec::new(),
        known: Vec::with_capacity(n),
        reads: Vec::with_capacity(n),
        helped: round.map(|it| it.helped()),
    };
    for (Wanted { input, .. }, it) in inputs.iter().zip(results) {
        let FileDone { result, known, reads } = it?;
        match result {
            Ok(it) => {
                if let Some(helped) = &mut done.helped {
                    match it.worker() {
                        Some(worker) => {
                            *helped.by_worker.entry(Arc::clone(worker)).or_default() += 1
                        }
                        None => helped.here += usize::from(it.how() == How::Parsed),
                    }
                }
                done.built.push(it);
            }
            Err(message) => done.failures.push((input.name.clone(), message)),
        }
        done.known.push((input.name.as_str(), known));
        done.reads.push(reads);
    }
    Ok(done)
}

/// The files that write to places of their own; and of those that do not, one failure a place, which names them.
fn without_collisions(inputs: &[Input]) -> (Vec<Input>, Vec<(String, String)>) {
    let collisions = Build::collisions(inputs.iter().map(|it| it.name.as_str()));
    let path = |at: usize| match &inputs[at] {
        Input { source: InputSource::Path(path), .. } => path.display().to_string(),
        Input { name, source: InputSource::Bytes(_), .. } => name.clone(),
    };
    let failure = |all: &Vec<usize>| {
        let name = inputs[all[0]].name.clone();
        // From two workspaces they may have one name.
        let is_one = all.iter().all(|at| inputs[*at].name == name);
        let shown = |at: &usize| if is_one { path(*at) } else { inputs[*at].name.clone() };
        let all: Vec<String> = all.iter().map(shown).collect();
        let all = all.join(" and ");
        (name, format!("{all} would be written to the same folder; build them apart"))
    };
    let failures = collisions.iter().map(failure).collect();
    let colliding: BTreeSet<usize> = collisions.iter().flatten().copied().collect();
    let left = inputs.iter().enumerate().filter(|(at, _)| !colliding.contains(at));
    (left.map(|(_, it)| it.clone()).collect(), failures)
}

/// A file that was built.
struct FileDone {
    /// Or a message about it.
    result: Result<BuiltFile, String>,
    /// The entry of its text that the next build may trust.
    known: Option<Known>,
    /// The imported files that were read.
    reads: Vec<String>,
}

/// The knowledge besides the texts of the files.
struct Around<'a> {
    effects: &'a Arc<EffectTable>,
    /// The instances that are asked for.
    requests: &'a [Request],
    /// The calls of factories of other files, by the path of the file that is called.
    called: BTreeMap<String, Vec<String>>,
    workspaces: Workspaces,
    shards: Option<&'a Shards>,
}

/// The calls of factories of other files that an input makes.
#[derive(Default)]
struct Called {
    /// The file, and the call.
    calls: Vec<(String, String)>,
    /// True if the file, and what it imports, was found to be as the last build read it; none if nobody looked.
    is_known: Option<bool>,
    /// A file that was read, and imports nothing of the workspace.
    alone: Option<Alone>,
}

/// A file whose functions depend on its text alone, but for calls of its factories in other files.
struct Alone {
    /// The hash of its text.
    text: [u8; 32],
    /// The entry of its text that the next build may trust.
    known: Option<Known>,
}

/// The calls of factories of other files that each input makes.
fn calls(
    inputs: &[&Input],
    jobs: usize,
    texts: &Texts,
    workspaces: &Workspaces,
    effects: &Arc<EffectTable>,
) -> Vec<Called> {
    let of_file = |input: &&Input| {
        let InputSource::Path(path) = &input.source else { return Called::default() };
        let Some(imports) = imports_of(input, path, workspaces) else { return Called::default() };
        if let Some(known) = texts.known(&input.name, path)
            && imports.is_unchanged(&known.imports)
        {
            let calls = known.imports.calls.clone();
            return Called { calls, is_known: Some(true), alone: None };
        }
        let unread = || Called { is_known: Some(false), ..Called::default() };
        let Ok((bytes, text, look)) = texts.read(path) else { return unread() };
        let source = String::from_utf8_lossy(&bytes);
        let around = Surroundings { effects, requests: &[], called: &[], imports: None };
        // What goes wrong goes wrong again when the file is built, and is reported there.
        let read = ir::guard::catch(|| {
            let module = Module::read(&source, around)?;
            let calls = module.calls_with(&imports);
            let alone = module.is_alone(&imports).then(|| {
                let record = imports.record(texts, calls.clone());
                let known = look.zip(record);
                let known = known.map(|(look, imports)| Known { look, text, imports });
                Alone { text, known }
            });
            Ok::<_, String>(Called { calls, alone, ..unread() })
        });
        read.ok().and_then(Result::ok).unwrap_or_else(unread)
    };
    in_parallel(inputs, jobs, of_file)
}

/// Calls by the path of the file that is called, each once, in the order of the inputs.
fn called<'c>(calls: impl Iterator<Item = &'c (String, String)>) -> BTreeMap<String, Vec<String>> {
    let mut all: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for (file, call) in calls {
        let calls = all.entry(file.clone()).or_default();
        if !calls.contains(call) {
            calls.push(call.clone());
        }
    }
    all
}

/// The texts of files as they are without what they import, which is known once they are parsed: most import nothing
/// of the workspace.
fn guessed<'i>(
    inputs: &[Wanted<'i, '_>],
    jobs: usize,
    texts: &Texts,
    around: &Around<'_>,
) -> Vec<(&'i str, [u8; 32])> {
    let guess = |Wanted { input, .. }: &Wanted<'i, '_>| {
        let text = match &input.source {
            InputSource::Bytes(bytes) => hash_of(&[bytes]),
            InputSource::Path(path) => {
                let known = texts.known(&input.name, path).map(|it| it.text);
                // What cannot be read is told when the file is built.
                let text = known.or_else(|| texts.read(path).ok().map(|it| it.1))?;
                let imports = imports_of(input, path, &around.workspaces);
                let called = imports.as_ref().and_then(|it| around.called.get(it.own()));
                with_calls(text, called.map_or(&[], |it| it))
            }
        };
        Some((input.name.as_str(), text))
    };
    in_parallel(inputs, jobs, guess).into_iter().flatten().collect()
}

/// The files of a build shared out between this machine and workers, if there are some and it pays. A file is sent if
/// its text says all: it imports nothing of the workspace, and no other file calls its factories.
fn shared_out<'a>(
    build: &'a Build<'a>,
    inputs: &[Wanted<'a, '_>],
    jobs: usize,
    texts: &Texts,
    around: &Around<'a>,
) -> io::Result<Option<Round<'a>>> {
    let Some(shards) = around.shards.filter(|_| !build.settings().force) else { return Ok(None) };
    let text_of = |Wanted { input, called }: &Wanted<'a, '_>, path: &Path| {
        let has_code = |it: Language| it.support().has_device_code;
        Language::of_path(Path::new(&input.name)).filter(|it| has_code(*it))?;
        let unchanged = || texts.known(&input.name, path);
        match imports_of(input, path, &around.workspaces) {
            None => unchanged().map(|it| it.text).or_else(|| texts.read(path).ok().map(|it| it.1)),
            Some(imports) if around.called.contains_key(imports.own()) => None,
            Some(_) => match called.is_known {
                Some(true) => {
                    texts.record(&input.name).filter(|it| it.imports.is_alone()).map(|it| it.text)
                }
                _ => called.alone.as_ref().map(|it| it.text),
            },
        }
    };
    let numbers: Vec<usize> = (0..inputs.len()).collect();
    let candidate = |at: &usize| {
        let InputSource::Path(path) = &inputs[*at].input.source else { return Ok(None) };
        let Some(text) = text_of(&inputs[*at], path) else { return Ok(None) };
        let Ok(bytes) = fs::metadata(path).map(|it| it.len()) else { return Ok(None) };
        let is_lacking = build.is_lacking(&inputs[*at].input.name, text)?;
        Ok(is_lacking.then_some(Candidate { at: *at, text, bytes }))
    };
    let candidates = in_parallel(&numbers, jobs, candidate);
    let candidates = candidates.into_iter().collect::<io::Result<Vec<_>>>()?;
    let place = |it: &Wanted<'a, '_>| match &it.input.source {
        InputSource::Path(path) => (it.input.name.as_str(), path.as_path()),
        // It is never sent.
        InputSource::Bytes(_) => (it.input.name.as_str(), Path::new("")),
    };
    let calls = around.requests.iter().map(ToString::to_string).collect();
    let order = Order::new(build.settings(), calls);
    let files = inputs.iter().map(place).collect();
    Ok(shards.begin(build, &order, files, candidates.into_iter().flatten().collect()))
}

/// The imports of a file of statements.
fn imports_of(input: &Input, path: &Path, workspaces: &Workspaces) -> Option<Arc<Imports>> {
    let language = Language::of_path(Path::new(&input.name))?;
    let may_import = language.support().form == Form::Expressions;
    workspaces.of_file(path).filter(|_| may_import)
}

/// One file: an error ends the build.
fn file(
    build: &Build<'_>,
    wanted: Wanted<'_, '_>,
    texts: &Texts,
    around: &Around<'_>,
) -> io::Result<FileDone> {
    let mut imports = None;
    let (result, known) = file_with(build, wanted, texts, around, &mut imports)?;
    let mut reads = imports.map(|it| it.read()).unwrap_or_default();
    // Of a file that is as it was, the record knows.
    reads.extend(known.iter().flat_map(|it| &it.imports.read).map(|it| it.0.clone()));
    Ok(FileDone { result, known, reads })
}

fn file_with(
    build: &Build<'_>,
    Wanted { input, called: Called { is_known, alone, .. } }: Wanted<'_, '_>,
    texts: &Texts,
    around: &Around<'_>,
    imports: &mut Option<Arc<Imports>>,
) -> io::Result<(Result<BuiltFile, String>, Option<Known>)> {
    let read;
    let mut called: &[String] = &[];
    let (bytes, text, look) = match &input.source {
        InputSource::Bytes(bytes) => (bytes, hash_of(&[bytes]), None),
        InputSource::Path(path) => {
            *imports = imports_of(input, path, &around.workspaces);
            called =
                imports.as_ref().and_then(|it| around.called.get(it.own())).map_or(&[], |it| it);
            let is_unchanged = |it: &&Known| match &*imports {
                Some(imports) => imports.is_unchanged(&it.imports),
                None => true,
            };
            let known = match *is_known {
                Some(false) => None,
                Some(true) => texts.record(&input.name),
                None => texts.known(&input.name, path).filter(is_unchanged),
            };
            if let Some(known) = known
                && let Some(built) = build.known(&input.name, with_calls(known.text, called))?
            {
                return Ok((Ok(built), Some(known.clone())));
            }
            if let Some(alone) = alone.as_ref().filter(|_| called.is_empty())
                && let Some(built) = build.known(&input.name, alone.text)?
            {
                return Ok((Ok(built), alone.known.clone()));
            }
            match texts.read(path) {
                Ok((bytes, text, look)) => {
                    read = bytes;
                    (&read, text, look)
                }
                Err(error) => return Ok((Err(format!("it cannot be read: {error}")), None)),
            }
        }
    };
    if bytes.len() >= syntax::MAX_TEXT_LEN / 3 {
        return Ok((Err("the file has more than 1.4 GB; split the module".to_owned()), None));
    }
    let known = |text, imports| look.map(|look| Known { look, text, imports });
    if imports.is_none()
        && let Some(built) = build.known(&input.name, text)?
    {
        return Ok((Ok(built), known(text, Record::default())));
    }
    let mut record = known(text, Record::default());
    let parsed = ir::guard::catch(|| {
        let source = String::from_utf8_lossy(bytes);
        let row = Language::of_file(Path::new(&input.name), &source).support();
        match row.form {
            _ if !row.has_device_code => build.parsed(&input.name, text, &[]),
            Form::Operations => {
                build.parsed(&input.name, text, &OpsModule::read(&source).functions())
            }
            Form::Expressions => {
                let (requests, imports) = (around.requests, imports.as_ref());
                let called: Vec<Request> =
                    called.iter().filter_map(|it| Request::parse(it).ok()).collect();
                let surroundings =
                    Surroundings { effects: around.effects, requests, called: &called, imports };
                let module = match Module::read(&source, surroundings) {
                    Ok(module) => module,
                    Err(why) => return Ok(Err(why)),
                };
                let Some(imports) = imports else {
                    return build.parsed(&input.name, text, &module.functions()).map(Ok);
                };
                let text = module.imported.map_or(text, |it| hash_of(&[&text, &it]));
                let depends = imports.record(texts, module.calls_with(imports));
                record = depends.and_then(|it| known(text, it));
                let text = with_calls(text, around.called.get(imports.own()).map_or(&[], |it| it));
                match build.known(&input.name, text)? {
                    Some(built) => Ok(built),
                    None => build.parsed(&input.name, text, &module.functions()),
                }
            }
        }
        .map(Ok)
    });
    match parsed {
        Ok(built) => Ok((built?, record)),
        Err(what) => {
            let report = ir::guard::report_on(&input.name, &what, "nothing of the file is built");
            Ok((Err(report), None))
        }
    }
}

/// The hash of a text to which calls of its factories in other files belong.
fn with_calls(text: [u8; 32], calls: &[String]) -> [u8; 32] {
    match calls {
        [] => text,
        _ => hash_of(&[&text, calls.join("\n").as_bytes()]),
    }
}

/// The results of `work`, in the order of the items.
fn in_parallel<T: Sync, R: Send>(
    items: &[T],
    jobs: usize,
    work: impl Fn(&T) -> R + Sync + Send,
) -> Vec<R> {
    let jobs = jobs.min(items.len());
    let pool = || rayon::ThreadPoolBuilder::new().num_threads(jobs).stack_size(STACK).build();
    match (jobs > 1).then(pool) {
        // An item at a time: one may take as long as all others.
        Some(Ok(pool)) => pool.install(|| items.par_iter().with_max_len(1).map(work).collect()),
        // Without threads it takes longer.
        _ => items.iter().map(work).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edits_that_keep_the_size_within_one_tick_are_seen() {
        let folder = tempfile::tempdir().expect("a folder");
        let (path, out) = (folder.path().join("a.py"), folder.path().join("out"));
        let source = InputSource::Path(path.clone());
        let inputs = [Input { name: "a.py".to_owned(), source, is_only_name: true }];
        let options = RunOptions {
            jobs: 1,
            prune: false,
            instances: Arc::default(),
            workspaces: Vec::new(),
            shards: None,
        };
        for number in 10..40 {
            fs::write(&path, text(number)).expect("a file");
            let outcome = run(&inputs, &Settings::new(&out), &options, &|_| {}).expect("a build");
            assert_eq!(outcome.failures, []);
            let source = fs::read_to_string(out.join("cuda/a/f_kernel.cu")).expect("a source");
            assert!(source.contains(&format!("= {number}.0")), "{number}: {source}");
        }
    }

    /// A function that launches threads, and writes a number.
    fn text(number: usize) -> String {
        format!(
            "from tvm.script import tirx as T\n\n@T.prim_func\ndef f(A: T.Buffer((64,), \"float32\")):\n    \
             with T.launch_thread(\"threadIdx.x\", 64) as tx:\n        A[tx] = T.float32({number}.0)\n"
        )
    }

    /// A folder with workspaces, of which files are built into `out`.
    struct Workspaces(tempfile::TempDir);

    impl Workspaces {
        fn write(&self, path: &str, number: usize) {
            let path = self.0.path().join(path);
            fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
            fs::write(path, text(number)).expect("a file");
        }
        fn build(&self, files: &[(&str, &str)], prune: bool) -> Outcome {
            let input = |(root, name): &(&str, &str)| Input {
                name: (*name).to_owned(),
                source: InputSource::Path(self.0.path().join(root).join(name)),
                is_only_name: false,
            };
            let inputs: Vec<Input> = files.iter().map(input).collect();
            let settings = Settings::new(self.0.path().join("out"));
            let options = RunOptions {
                jobs: 1,
                prune,
                instances: Arc::default(),
                workspaces: Vec::new(),
                shards: None,
            };
            run(&inputs, &settings, &options, &|_| {}).expect("a build")
        }
        fn has(&self, output: &str) -> bool {
            self.0.path().join("out/cuda").join(output).exists()
        }
    }

    #[test]
    fn workspaces_share_an_output_folder_and_take_nothing_from_each_other() {
        let all = Workspaces(tempfile::tempdir().expect("a folder"));
        for (path, number) in [("one/a.py", 1), ("one/b.py", 2), ("two/b.py", 3), ("two/c.py", 4)] {
            all.write(path, number);
        }
        assert_eq!(all.build(&[("one", "a.py"), ("one", "b.py")], false).failures, []);
        let outcome = all.build(&[("two", "b.py"), ("two", "c.py")], true);
        let (file, why) = &outcome.failures[0];
        assert!(file == "b.py" && why.contains("one/b.py"), "{file}: {why}");
        assert!(all.has("a/f_kernel.cu") && all.has("b/f_kernel.cu") && all.has("c/f_kernel.cu"));
        assert!(outcome.gone.is_empty() && outcome.unknown.is_empty());
        // The same text gives the same outputs, and the place of what is gone is free.
        all.write("two/b.py", 2);
        assert_eq!(all.build(&[("two", "b.py")], false).failures, []);
        all.write("one/b.py", 5);
        fs::remove_file(all.0.path().join("two/b.py")).expect("a file");
        assert_eq!(all.build(&[("one", "b.py")], false).failures, []);
    }

    #[test]
    fn outputs_of_gone_files_stay_until_pruned() {
        let all = Workspaces(tempfile::tempdir().expect("a folder"));
        all.write("one/a.py", 1);
        all.write("one/sub/b.py", 2);
        all.build(&[("one", "a.py"), ("one", "sub/b.py")], false);
        fs::remove_file(all.0.path().join("one/sub/b.py")).expect("a file");
        let outcome = all.build(&[("one", "a.py")], false);
        assert_eq!((outcome.gone, outcome.report.pruned), (vec!["sub/b.py".to_owned()], vec![]));
        assert!(all.has("sub/b/f_kernel.cu"));
        let outcome = all.build(&[("one", "a.py")], true);
        assert_eq!((outcome.gone.len(), outcome.report.pruned.len()), (1, 2));
        assert!(!all.has("sub") && all.has("a/f_kernel.cu"));
        assert_eq!(all.build(&[("one", "a.py")], true).gone, Vec::<String>::new());
        // Without notes nobody knows what is gone.
        fs::remove_dir_all(all.0.path().join("out.store")).expect("a store");
        fs::remove_file(all.0.path().join("one/a.py")).expect("a file");
        let outcome = all.build(&[], true);
        assert_eq!((outcome.gone.len(), outcome.unknown), (0, vec!["a.py".to_owned()]));
        assert!(all.has("a/f_kernel.cu"));
    }
}

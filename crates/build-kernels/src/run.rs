//! A build over many files with some threads.
//!
//! In: files by name, where their bytes are, settings. Out: the report, and what could not be read. A thread reads a
//! file, hashes it, asks the build whether its text is known, and parses it only if not. A panic on one file is a
//! failure of that file.

use std::{
    fs, io,
    panic::{self, AssertUnwindSafe},
    path::{Path, PathBuf},
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
};

use codegen::build::{Build, BuildReport, BuiltFile, Settings, hash_of};
use syntax::Language;

use crate::{
    operations::OpsModule,
    source::{Module, READER},
    texts::Texts,
};

/// Stack of a thread: as much as the main thread has.
const STACK: usize = 8 << 20;

/// A file to build.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Input {
    /// As manifests name it, with `/`; no two are equal.
    pub name: String,
    /// Where its bytes are.
    pub source: InputSource,
}

/// Where the bytes of a file are.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum InputSource {
    /// In a file.
    Path(PathBuf),
    /// Here.
    Bytes(Vec<u8>),
}

/// How far a build is.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Progress {
    /// Files that are done.
    pub files: usize,
    /// Kernels in them.
    pub kernels: usize,
    /// Kernels for which no code had to be generated.
    pub hits: usize,
}

/// What a build did, and what it could not read.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Outcome {
    /// What was done.
    pub report: BuildReport,
    /// Files that could not be built, with the reason; what earlier builds made of them is gone.
    pub failures: Vec<(String, String)>,
}

/// Builds. `texts` remembers hashes of files between the builds of one process.
///
/// # Errors
/// If the output or the store cannot be written, or if two files would write the same output.
pub fn run(
    inputs: &[Input],
    settings: &Settings,
    jobs: usize,
    texts: Option<&Texts>,
    progress: &(dyn Fn(Progress) + Sync),
) -> io::Result<Outcome> {
    let names = inputs.iter().map(|it| it.name.as_str());
    if let Some((one, other)) = Build::collision(names) {
        let text =
            format!("{one} and {other} would be written to the same folder; build them apart");
        return Err(io::Error::new(io::ErrorKind::InvalidInput, text));
    }
    let settings = Settings { reader: READER.to_owned(), ..settings.clone() };
    let mut build = Build::new(&settings);
    let done = Mutex::new(Progress::default());
    let results = in_parallel(inputs, jobs, |input| {
        let result = file(&build, input, texts);
        if let Ok(Ok(built)) = &result {
            let (kernels, hits) = built.kernels();
            let mut done = done.lock().unwrap_or_else(PoisonError::into_inner);
            done.files += 1;
            done.kernels += kernels;
            done.hits += hits;
            progress(*done);
        }
        result
    });
    let mut outcome = Outcome::default();
    let mut built = Vec::with_capacity(inputs.len());
    for (input, result) in inputs.iter().zip(results) {
        match result? {
            Ok(it) => built.push(it),
            Err(message) => outcome.failures.push((input.name.clone(), message)),
        }
    }
    outcome.report = build.finish(built)?;
    Ok(outcome)
}

/// One file: an error ends the build, a message is about this file.
fn file(
    build: &Build<'_>,
    input: &Input,
    texts: Option<&Texts>,
) -> io::Result<Result<BuiltFile, String>> {
    let known = texts.zip(path_of(input)).and_then(|(texts, path)| texts.known(path));
    if let Some(text) = known
        && let Some(built) = build.known(&input.name, text)?
    {
        return Ok(Ok(built));
    }
    let bytes = match &input.source {
        InputSource::Bytes(bytes) => Ok(bytes.clone()),
        InputSource::Path(path) => match texts {
            Some(texts) => texts.read(path),
            None => fs::read(path),
        },
    };
    let bytes = match bytes {
        Ok(bytes) if bytes.len() < syntax::MAX_TEXT_LEN / 3 => bytes,
        Ok(_) => return Ok(Err("the file has more than 1.4 GB; split the module".to_owned())),
        Err(error) => return Ok(Err(error.to_string())),
    };
    let text = hash_of(&[&bytes]);
    if let Some(built) = build.known(&input.name, text)? {
        return Ok(Ok(built));
    }
    let parsed = panic::catch_unwind(AssertUnwindSafe(|| {
        let source = String::from_utf8_lossy(&bytes);
        match Language::of_file(Path::new(&input.name), &source) {
            Language::Mlir => {
                build.parsed(&input.name, text, &OpsModule::read(&source).functions())
            }
            _ => build.parsed(&input.name, text, &Module::read(&source).functions()),
        }
    }));
    match parsed {
        Ok(built) => built.map(Ok),
        Err(_) => Ok(Err("internal error; please report this with the file".to_owned())),
    }
}

fn path_of(input: &Input) -> Option<&Path> {
    match &input.source {
        InputSource::Path(path) => Some(path),
        InputSource::Bytes(_) => None,
    }
}

/// The results of `work`, in the order of the items.
fn in_parallel<T: Sync, R: Send>(
    items: &[T],
    jobs: usize,
    work: impl Fn(&T) -> R + Sync,
) -> Vec<R> {
    let jobs = jobs.min(items.len());
    if jobs <= 1 {
        return items.iter().map(work).collect();
    }
    let next = AtomicUsize::new(0);
    let results: Mutex<Vec<Option<R>>> = Mutex::new(items.iter().map(|_| None).collect());
    let worker = || {
        while let Some((at, item)) = {
            let at = next.fetch_add(1, Ordering::Relaxed);
            items.get(at).map(|it| (at, it))
        } {
            let result = work(item);
            results.lock().unwrap_or_else(PoisonError::into_inner)[at] = Some(result);
        }
    };
    thread::scope(|scope| {
        for _ in 1..jobs {
            // With fewer threads it takes longer.
            let _ = thread::Builder::new().stack_size(STACK).spawn_scoped(scope, worker);
        }
        worker();
    });
    results.into_inner().unwrap_or_else(PoisonError::into_inner).into_iter().flatten().collect()
}

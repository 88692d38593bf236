//! A build over many files with some threads.
//!
//! In: files by name, where their bytes are, settings. Out: the report, and what could not be read. A thread reads a
//! file, hashes it (unless [`crate::texts`] knows its hash), asks the build whether its text is known, and parses it only if not. A panic on one file is a
//! failure of that file.

use std::{
    io,
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
    texts::{Known, Texts},
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

/// Builds.
///
/// # Errors
/// If the output or the store cannot be written, or if two files would write the same output.
pub fn run(
    inputs: &[Input],
    settings: &Settings,
    jobs: usize,
    progress: &(dyn Fn(Progress) + Sync),
) -> io::Result<Outcome> {
    let names = inputs.iter().map(|it| it.name.as_str());
    if let Some((one, other)) = Build::collision(names) {
        let text =
            format!("{one} and {other} would be written to the same folder; build them apart");
        return Err(io::Error::new(io::ErrorKind::InvalidInput, text));
    }
    let settings = Settings { reader: READER.to_owned(), ..settings.clone() };
    let texts = Texts::new(&settings.out, settings.force);
    let build = Build::new(&settings);
    let done = Mutex::new(Progress::default());
    let results = in_parallel(inputs, jobs, |input| {
        let result = file(&build, input, &texts);
        if let Ok((Ok(built), _)) = &result {
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
    let mut known = Vec::with_capacity(inputs.len());
    for (input, result) in inputs.iter().zip(results) {
        let (result, text) = result?;
        match result {
            Ok(it) => built.push(it),
            Err(message) => outcome.failures.push((input.name.clone(), message)),
        }
        known.push((input.name.as_str(), text));
    }
    outcome.report = build.finish(built)?;
    texts.write(&known, settings.keep_others)?;
    Ok(outcome)
}

/// What became of a file, or a message about it; and what the next build may trust of its text.
type FileOutcome = (Result<BuiltFile, String>, Option<Known>);

/// One file: an error ends the build.
fn file(build: &Build<'_>, input: &Input, texts: &Texts) -> io::Result<FileOutcome> {
    let read;
    let (bytes, text, known) = match &input.source {
        InputSource::Bytes(bytes) => (bytes, hash_of(&[bytes]), None),
        InputSource::Path(path) => {
            if let Some(known) = texts.known(&input.name, path)
                && let Some(built) = build.known(&input.name, known.text)?
            {
                return Ok((Ok(built), Some(known)));
            }
            match texts.read(path) {
                Ok((bytes, text, known)) => {
                    read = bytes;
                    (&read, text, known)
                }
                Err(error) => return Ok((Err(error.to_string()), None)),
            }
        }
    };
    if bytes.len() >= syntax::MAX_TEXT_LEN / 3 {
        return Ok((Err("the file has more than 1.4 GB; split the module".to_owned()), None));
    }
    if let Some(built) = build.known(&input.name, text)? {
        return Ok((Ok(built), known));
    }
    let parsed = panic::catch_unwind(AssertUnwindSafe(|| {
        let source = String::from_utf8_lossy(bytes);
        match Language::of_file(Path::new(&input.name), &source) {
            Language::Mlir => {
                build.parsed(&input.name, text, &OpsModule::read(&source).functions())
            }
            _ => build.parsed(&input.name, text, &Module::read(&source).functions()),
        }
    }));
    match parsed {
        Ok(built) => Ok((Ok(built?), known)),
        Err(_) => Ok((Err("internal error; please report this with the file".to_owned()), None)),
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

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn edits_that_keep_the_size_within_one_tick_are_seen() {
        let folder = tempfile::tempdir().expect("a folder");
        let (path, out) = (folder.path().join("a.py"), folder.path().join("out"));
        let text = |number: usize| {
            format!(
                "from tvm.script import tirx as T\n\n@T.prim_func\ndef f(A: T.Buffer((64,), \"float32\")):\n    \
                 with T.launch_thread(\"threadIdx.x\", 64) as tx:\n        A[tx] = T.float32({number}.0)\n"
            )
        };
        let inputs = [Input { name: "a.py".to_owned(), source: InputSource::Path(path.clone()) }];
        for number in 10..40 {
            fs::write(&path, text(number)).expect("a file");
            let outcome = run(&inputs, &Settings::new(&out), 1, &|_| {}).expect("a build");
            assert_eq!(outcome.failures, []);
            let source = fs::read_to_string(out.join("cuda/a/f_kernel.cu")).expect("a source");
            assert!(source.contains(&format!("= {number}.0")), "{number}: {source}");
        }
    }
}

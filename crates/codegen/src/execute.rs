//! Work that another machine may do: a command with its files.
//!
//! In: the command, the files that it reads, the names of those that it writes, the machine that it needs. Out: what a
//! process leaves, as if it had run here. This crate runs nothing; the caller of a build provides an [`Executor`].

use std::{
    fmt, io,
    path::{Path, PathBuf},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use crate::artifact::action::Digest;

/// A command with its files. Paths are relative, with `/`, from the folder that it runs in.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Job {
    /// The program and its arguments.
    pub arguments: Vec<String>,
    /// All variables of its environment.
    pub environment: Vec<(String, String)>,
    /// The files that it reads.
    pub files: Vec<JobFile>,
    /// The files that it may write; their folders are there.
    pub outputs: Vec<String>,
    /// Properties of the machine: names and values that the service knows.
    pub platform: Vec<(String, String)>,
    /// The longest that the command may run.
    pub timeout: Duration,
}

/// A file that a job reads.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct JobFile {
    /// Its path in the folder of the job.
    pub path: String,
    /// Its content.
    pub content: Content,
    /// It is a program.
    pub is_executable: bool,
}

/// A content, which is read when it is needed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Content {
    digest: Digest,
    source: Source,
}

#[derive(Clone, PartialEq, Eq, Debug)]
enum Source {
    Bytes(Arc<[u8]>),
    Path(Arc<Path>),
}

impl Content {
    /// Bytes.
    pub fn of_bytes(bytes: impl Into<Arc<[u8]>>) -> Content {
        let bytes = bytes.into();
        Content { digest: Digest::of(&bytes), source: Source::Bytes(bytes) }
    }

    /// The bytes of a file as it is now; it is read once for its digest, and again where the bytes are needed.
    ///
    /// # Errors
    /// If it cannot be read.
    pub fn of_file(path: PathBuf, limit: u64) -> io::Result<Content> {
        let digest = Digest::of(&files::read(&path, limit)?);
        Ok(Content { digest, source: Source::Path(path.into()) })
    }

    /// Its digest.
    pub fn digest(&self) -> Digest {
        self.digest
    }

    /// The bytes.
    ///
    /// # Errors
    /// If a file cannot be read, or is another by now.
    pub fn bytes(&self) -> io::Result<Arc<[u8]>> {
        match &self.source {
            Source::Bytes(bytes) => Ok(Arc::clone(bytes)),
            Source::Path(path) => {
                let bytes = files::read(path, self.digest.size)?;
                match Digest::of(&bytes) == self.digest {
                    true => Ok(bytes.into()),
                    false => Err(io::Error::other(format!("{} was changed", path.display()))),
                }
            }
        }
    }
}

/// The outcome of a command.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Done {
    /// The exit code.
    pub exit_code: i32,
    /// Those of the outputs that it wrote, by path.
    pub outputs: Vec<(String, Vec<u8>)>,
    /// Standard output.
    pub stdout: Vec<u8>,
    /// Standard error.
    pub stderr: Vec<u8>,
    /// The machine, as the service calls it.
    pub worker: String,
    /// It had been run before, and the service knew what came of it.
    pub is_cached: bool,
}

/// Asks for an end: nobody waits for the outcome any more.
#[derive(Clone, Default, Debug)]
pub struct Stop(Arc<AtomicBool>);

impl Stop {
    /// Asks.
    pub fn set(&self) {
        self.0.store(true, Ordering::Release);
    }

    /// Returns true if it is this request, and no other.
    pub fn is_same(&self, other: &Stop) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }

    /// Returns true if somebody asked.
    pub fn is_set(&self) -> bool {
        self.0.load(Ordering::Acquire)
    }
}

/// The reason why a job was not done.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum NotDone {
    /// Somebody asked for an end.
    Stopped,
    /// The service is not to be asked now; it was told why.
    LeftAlone,
    /// In words for a person.
    Failed(String),
}

/// Other machines.
pub trait Executor: fmt::Debug + Send + Sync {
    /// Its place, for people: the address without secrets.
    fn name(&self) -> &str;

    /// Runs a job to its end; called by many threads at once. Takes a bounded time, and ends soon after `stop` is set.
    /// All bytes of the outcome are those that the service has digests of.
    ///
    /// # Errors
    /// If it could not be done. A command that ends with another exit code than 0 is done.
    fn execute(&self, job: &Job, stop: &Stop) -> Result<Done, NotDone>;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_changed_is_not_taken_for_the_old_one() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("a");
        std::fs::write(&path, "one").expect("a file");
        let content = Content::of_file(path.clone(), 10).expect("readable");
        assert_eq!(content.digest(), Content::of_bytes(*b"one").digest());
        assert_eq!(&*content.bytes().expect("the same"), b"one");
        for other in ["two", "longer"] {
            std::fs::write(&path, other).expect("a file");
            assert!(content.bytes().is_err(), "{other}");
        }
        assert!(Content::of_file(path, 3).is_err());
    }
}

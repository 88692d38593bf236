//! Hashes of the texts of files that are unchanged since a build read them, so that they need not be opened.
//!
//! In: a file's name and place. Out: the hash of its bytes and of what it imports, with a record of the latter, if the
//! file system reports the same metadata as when they were read: size, time of the last change of its bytes and of its
//! entry (which nobody can set back), and inode. One file among the store's notes about the output folder, for all
//! targets; it may be lost or deleted at any time.
//! Two changes within a tick of the file system's clock have one time. So a file is recorded only if its last change is
//! older than one clock tick before the build began to look: a change after the look then has another time. (git's
//! index, which does so too, calls such entries "racily clean".) Where a system has no such time, every file is read.
//! Linear in the files.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs, io,
    path::{Path, PathBuf},
    sync::atomic::{AtomicUsize, Ordering},
    time::{SystemTime, UNIX_EPOCH},
};

use codegen::{
    build::{Looks, hash_of},
    store::{Stamp, sealed},
};

/// Among the notes.
const FILE: &str = "texts";
/// Raised with the form of the file.
const VERSION: u32 = 2;
/// [`Look`].
type StoredLook = (Stamp, u64);
/// [`Record`].
type StoredRecord = (
    Vec<(String, String, Option<String>)>,
    Vec<(String, Option<StoredLook>)>,
    Vec<(String, String)>,
);
/// By name: [`Known`].
type Stored = BTreeMap<String, (StoredLook, [u8; 32], StoredRecord)>;
/// Nanoseconds that a file must be older than, where the file system counts parts of a second: clocks tick up to 10 ms.
const TICK: u64 = 100_000_000;
/// Where it counts seconds, or two at a time.
const SECONDS: u64 = 3_000_000_000;

/// The metadata of a file, the hash of its bytes and of what it imports, and the record of the latter.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Known {
    pub(crate) look: Look,
    pub(crate) text: [u8; 32],
    pub(crate) imports: Record,
}

impl Known {
    fn stored(self) -> (StoredLook, [u8; 32], StoredRecord) {
        let look = |it: Look| (it.stamp, it.changed);
        let Record { words, read, calls } = self.imports;
        let read = read.into_iter().map(|(path, it)| (path, it.map(look))).collect();
        (look(self.look), self.text, (words, read, calls))
    }

    fn restored((look, text, (words, read, calls)): (StoredLook, [u8; 32], StoredRecord)) -> Known {
        let restored = |(stamp, changed): StoredLook| Look { stamp, changed };
        let read = read.into_iter().map(|(path, it)| (path, it.map(restored))).collect();
        Known { look: restored(look), text, imports: Record { words, read, calls } }
    }
}

/// The record of what a file depends on in other files, for the next build.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub(crate) struct Record {
    /// The file in which an import stands, its words, and the file that it means.
    pub(crate) words: Vec<(String, String, Option<String>)>,
    /// The files that were read.
    pub(crate) read: Vec<(String, Option<Look>)>,
    /// The calls of factories of other files: the file, and the call.
    pub(crate) calls: Vec<(String, String)>,
}

impl Record {
    /// Returns true if nothing that the file imports is in the workspace.
    pub(crate) fn is_alone(&self) -> bool {
        self.read.is_empty() && self.words.iter().all(|it| it.2.is_none())
    }
}

/// The metadata of a file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Look {
    stamp: Stamp,
    /// The time of the last change of anything about the file, its times included, in nanoseconds.
    changed: u64,
}

impl Look {
    /// `None` where the system does not tell enough.
    pub(crate) fn of(metadata: &fs::Metadata) -> Option<Look> {
        #[cfg(unix)]
        let changed = {
            use std::os::unix::fs::MetadataExt as _;
            let seconds = u64::try_from(metadata.ctime()).ok()?;
            let parts = u64::try_from(metadata.ctime_nsec()).ok()?;
            Some(seconds.checked_mul(1_000_000_000)?.checked_add(parts)?)
        };
        #[cfg(not(unix))]
        let changed = None;
        Some(Look { stamp: Stamp::of(metadata), changed: changed? })
    }

    /// Returns true if a change after `now` would give the file another time.
    fn is_settled(&self, now: u64) -> bool {
        let wait = if self.changed.is_multiple_of(1_000_000_000) { SECONDS } else { TICK };
        self.changed.checked_add(wait).is_some_and(|it| it < now)
    }
}

/// Counts of looks at files, which threads share.
#[derive(Default, Debug)]
pub(crate) struct Counts {
    stats: AtomicUsize,
    reads: AtomicUsize,
}

impl Counts {
    /// The metadata of a file was asked for.
    pub(crate) fn stat(&self) {
        self.stats.fetch_add(1, Ordering::Relaxed);
    }

    /// A file was read.
    pub(crate) fn read(&self) {
        self.reads.fetch_add(1, Ordering::Relaxed);
    }

    /// Returns the counts, which begin anew.
    pub(crate) fn take(&self) -> Looks {
        let take = |it: &AtomicUsize| it.swap(0, Ordering::Relaxed);
        Looks { stats: take(&self.stats), reads: take(&self.reads) }
    }
}

/// The texts that the last build of a folder read.
pub(crate) struct Texts {
    path: PathBuf,
    before: BTreeMap<String, Known>,
    /// The time when this build began to look.
    now: u64,
    pub(crate) counts: Counts,
}

/// The time, in nanoseconds; a clock before 1970 settles nothing.
fn now() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    since.ok().and_then(|it| u64::try_from(it.as_nanos()).ok()).unwrap_or(0)
}

impl Texts {
    /// Reads the records of the folder's last build; none of them if everything is to be read.
    pub(crate) fn new(notes: &Path, force: bool) -> Texts {
        let now = now();
        let path = notes.join(FILE);
        let read = || sealed::read::<(u32, Stored)>(&path).filter(|it| it.0 == VERSION);
        let stored = if force { None } else { read() }.unwrap_or_default().1;
        let before = stored.into_iter().map(|(name, it)| (name, Known::restored(it))).collect();
        Texts { path, before, now, counts: Counts::default() }
    }

    /// Begins another build with what is in memory.
    pub(crate) fn begin(&mut self) {
        self.now = now();
    }

    /// Returns the entry of a file, unchanged or not.
    pub(crate) fn record(&self, name: &str) -> Option<&Known> {
        self.before.get(name)
    }

    /// Returns the entry of an unchanged file.
    pub(crate) fn known(&self, name: &str, path: &Path) -> Option<&Known> {
        let known = self.before.get(name)?;
        self.counts.stat();
        let look = Look::of(&fs::metadata(path).ok()?)?;
        (look == known.look).then_some(known)
    }

    /// Returns true if a change of a file since this build began would give it another look.
    pub(crate) fn is_settled(&self, look: &Look) -> bool {
        look.is_settled(self.now)
    }

    /// Reads a file. Returns its bytes and their hash, and its look, if that may be kept.
    pub(crate) fn read(&self, path: &Path) -> io::Result<(Vec<u8>, [u8; 32], Option<Look>)> {
        self.counts.stat();
        self.counts.read();
        // A look from before the bytes: a change in between makes it an old one.
        let look = Look::of(&fs::metadata(path)?);
        let bytes = files::read(path, (syntax::MAX_TEXT_LEN / 3) as u64)?;
        let text = hash_of(&[&bytes]);
        Ok((bytes, text, look.filter(|it| self.is_settled(it))))
    }

    /// Takes over the records that the next build may trust: `files`, and those of other files except the ones in
    /// `gone`. Returns true if any is another.
    pub(crate) fn keep(
        &mut self,
        files: &[(&str, Option<Known>)],
        gone: &BTreeSet<String>,
    ) -> bool {
        let is_known = |(name, known): &(&str, Option<Known>)| {
            known.is_some() && self.before.get(*name) == known.as_ref()
        };
        if files.iter().all(is_known) && !gone.iter().any(|it| self.before.contains_key(it)) {
            return false;
        }
        gone.iter().for_each(|it| drop(self.before.remove(it)));
        for (name, known) in files {
            match known {
                Some(known) => self.before.insert((*name).to_owned(), known.clone()),
                None => self.before.remove(*name),
            };
        }
        true
    }

    /// Writes the records.
    pub(crate) fn write(&self) -> io::Result<()> {
        let all = self.before.iter();
        let all: Stored = all.map(|(name, it)| (name.clone(), it.clone().stored())).collect();
        sealed::write(&self.path, &(VERSION, all))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: u64 = 1_000_000_000;

    fn look(changed: u64) -> Look {
        let metadata = fs::metadata(".").expect("a folder");
        Look { stamp: Stamp::of(&metadata), changed }
    }

    #[test]
    fn a_file_that_was_changed_a_tick_ago_may_change_within_it() {
        let settled = |changed, now| look(changed).is_settled(now);
        let at = 7 * SECOND + 5;
        assert_eq!(
            [0, 1, TICK, TICK + 1].map(|it| settled(at, at + it)),
            [false, false, false, true]
        );
        let whole = 7 * SECOND;
        assert_eq!([TICK + 1, SECONDS + 1].map(|it| settled(whole, whole + it)), [false, true]);
        // From the future, and where the clock says nothing.
        assert!(!settled(u64::MAX, at) && !settled(at, 0));
    }

    #[cfg(unix)]
    #[test]
    fn a_change_that_sets_size_and_time_back_is_seen() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("a.py");
        fs::write(&path, "one").expect("a file");
        let modified = fs::metadata(&path).and_then(|it| it.modified()).expect("a time");
        // As if it had been long ago.
        let path_of = |name| folder.path().join(name);
        let counts = Counts::default;
        let texts = |before| Texts { path: path_of(FILE), before, now: u64::MAX, counts: counts() };
        let (_, text, look) = texts(BTreeMap::new()).read(&path).expect("readable");
        let known = Known { look: look.expect("settled"), text, imports: Record::default() };
        let texts = texts(BTreeMap::from([("a.py".to_owned(), known)]));
        assert_eq!(texts.known("a.py", &path).map(|it| it.text), Some(text));
        assert_eq!(texts.known("b.py", &path), None);
        // Later than a tick.
        std::thread::sleep(std::time::Duration::from_nanos(TICK));
        fs::write(&path, "two").expect("a file");
        let file = fs::File::options().write(true).open(&path).expect("a file");
        file.set_modified(modified).expect("a time");
        assert_eq!(fs::metadata(&path).and_then(|it| it.modified()).expect("a time"), modified);
        assert_eq!(texts.known("a.py", &path), None);
    }

    #[test]
    fn recorded_texts_are_known_to_the_next_build_unless_forced() {
        let folder = tempfile::tempdir().expect("a folder");
        let imports = Record {
            words: vec![("a.py".to_owned(), "b".to_owned(), Some("b.py".to_owned()))],
            read: vec![("b.py".to_owned(), Some(look(3))), ("c.py".to_owned(), None)],
            calls: vec![("b.py".to_owned(), "f(1)".to_owned())],
        };
        let known =
            |n| Some(Known { look: look(n), text: [n as u8; 32], imports: imports.clone() });
        let names = |force| Texts::new(folder.path(), force).before.into_keys().collect::<Vec<_>>();
        let write = |files: &[_], gone: &[&str]| {
            let gone = gone.iter().map(|it| (*it).to_owned()).collect();
            let mut texts = Texts::new(folder.path(), false);
            assert!(texts.keep(files, &gone) && !texts.keep(&[], &gone));
            texts.write().expect("writable");
        };
        write(&["a", "b", "c"].map(|it| (it, known(1))), &[]);
        assert_eq!((names(false).len(), names(true).len()), (3, 0));
        write(&[("a", known(2)), ("b", None)], &[]);
        assert_eq!(names(false), ["a", "c"]);
        write(&[("a", known(2))], &["c"]);
        assert_eq!(names(false), ["a"]);
        assert_eq!(Texts::new(folder.path(), false).before.get("a"), known(2).as_ref());
    }
}

//! A content-addressed store on disk that needs no lock.
//!
//! An entry is one file, named by its key: a line with the BLAKE3 hash of the rest, then the rest. It is written to a
//! temporary file beside it and renamed, which either happens or not: a reader sees no entry or a whole one, whoever
//! is killed when, and two builds that write one key write the same bytes. What a power failure or another program
//! made of a file is found by its hash when it is read; then it counts as absent and is replaced. Temporary files
//! that a kill left behind are removed by a later build once they are old.

use std::{
    fs,
    io::{self, Write as _},
    path::{Path, PathBuf},
    time::{Duration, SystemTime},
};

use crate::key::Key;

/// Prefix of temporary files.
const TEMPORARY: &str = ".tmp-";
/// A temporary file this old belongs to nobody who is still writing.
const STALE: Duration = Duration::from_secs(60 * 60);

/// A store in a folder.
#[derive(Clone, Debug)]
pub struct Store {
    root: PathBuf,
}

/// What reading an entry gives.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Read {
    /// The entry.
    Found(Vec<u8>),
    /// There is none.
    Absent,
    /// There is one that is not what was written.
    Corrupt,
}

impl Store {
    /// The store in `root`; the folder is made when something is written.
    pub fn new(root: impl Into<PathBuf>) -> Store {
        Store { root: root.into() }
    }

    /// Where an entry is kept.
    pub fn path(&self, key: Key) -> PathBuf {
        let name = key.to_string();
        self.root.join(&name[..2]).join(&name[2..])
    }

    /// Reads an entry and checks it.
    pub fn read(&self, key: Key) -> io::Result<Read> {
        let bytes = match fs::read(self.path(key)) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Read::Absent),
            Err(error) => return Err(error),
        };
        Ok(match bytes.split_at_checked(65) {
            Some((line, data)) if line.last() == Some(&b'\n') => {
                let hash = blake3::hash(data).to_hex();
                if line[..64] == *hash.as_bytes() {
                    Read::Found(data.to_vec())
                } else {
                    Read::Corrupt
                }
            }
            _ => Read::Corrupt,
        })
    }

    /// Writes an entry: after a kill at any moment there is the old one, none, or this one.
    pub fn write(&self, key: Key, data: &[u8]) -> io::Result<()> {
        let mut bytes = Vec::with_capacity(data.len() + 65);
        bytes.extend_from_slice(blake3::hash(data).to_hex().as_bytes());
        bytes.push(b'\n');
        bytes.extend_from_slice(data);
        write_atomically(&self.path(key), &bytes)
    }

    /// Removes temporary files that were left behind long ago.
    pub fn sweep(&self) -> io::Result<()> {
        let folders = match fs::read_dir(&self.root) {
            Ok(folders) => folders,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
            Err(error) => return Err(error),
        };
        for folder in folders.flatten().filter(|it| it.path().is_dir()) {
            remove_stale(&folder.path());
        }
        Ok(())
    }
}

/// Removes old temporary files of a folder; what another process removed first is gone all the same.
pub(crate) fn remove_stale(folder: &Path) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        let temporary = entry.file_name().to_string_lossy().starts_with(TEMPORARY);
        let age = entry.metadata().and_then(|it| it.modified());
        let old =
            age.is_ok_and(|it| SystemTime::now().duration_since(it).is_ok_and(|it| it > STALE));
        if temporary && old {
            let _ = fs::remove_file(entry.path());
        }
    }
}

/// Replaces a file by one rename.
pub(crate) fn write_atomically(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let folder = path.parent().unwrap_or(Path::new("."));
    fs::create_dir_all(folder)?;
    let mut file = tempfile::Builder::new().prefix(TEMPORARY).tempfile_in(folder)?;
    file.write_all(bytes)?;
    // As readable as any other file of the user, not private as temporary files are.
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        file.as_file().set_permissions(fs::Permissions::from_mode(0o644))?;
    }
    file.persist(path).map_err(|it| it.error)?;
    Ok(())
}

/// Replaces a file if its bytes differ; whether it did.
pub(crate) fn write_if_changed(path: &Path, bytes: &[u8]) -> io::Result<bool> {
    if fs::read(path).is_ok_and(|it| it == bytes) {
        return Ok(false);
    }
    write_atomically(path, bytes)?;
    Ok(true)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(byte: u8) -> Key {
        Key([byte; 32])
    }

    #[test]
    fn what_a_kill_leaves_behind_is_absent_or_found_corrupt() {
        let folder = tempfile::tempdir().expect("a folder");
        let store = Store::new(folder.path());
        let data = b"int main() {}\n".repeat(100);
        store.write(key(1), &data).expect("a write");
        let whole = fs::read(store.path(key(1))).expect("the entry");
        for cut in 0..whole.len() {
            // A file system that kept a prefix only, and a temporary file that was never renamed.
            fs::write(store.path(key(1)), &whole[..cut]).expect("a cut");
            fs::write(folder.path().join("01").join(format!("{TEMPORARY}{cut}")), &whole[..cut])
                .expect("a leftover");
            assert_eq!(store.read(key(1)).expect("readable"), Read::Corrupt, "cut at {cut}");
        }
        assert_eq!(store.read(key(2)).expect("readable"), Read::Absent);
        store.write(key(1), &data).expect("a repair");
        assert_eq!(store.read(key(1)).expect("readable"), Read::Found(data));
    }

    #[test]
    fn one_flipped_bit_is_noticed() {
        let folder = tempfile::tempdir().expect("a folder");
        let store = Store::new(folder.path());
        store.write(key(7), b"data").expect("a write");
        let path = store.path(key(7));
        let mut bytes = fs::read(&path).expect("the entry");
        *bytes.last_mut().expect("not empty") ^= 1;
        fs::write(&path, bytes).expect("a flip");
        assert_eq!(store.read(key(7)).expect("readable"), Read::Corrupt);
    }

    #[test]
    fn many_writers_and_readers_of_one_key_see_whole_entries_only() {
        let folder = tempfile::tempdir().expect("a folder");
        let store = Store::new(folder.path());
        let data = b"0123456789".repeat(10_000);
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| (0..25).for_each(|_| store.write(key(3), &data).expect("a write")));
                scope.spawn(|| {
                    for _ in 0..100 {
                        assert_ne!(store.read(key(3)).expect("readable"), Read::Corrupt);
                    }
                });
            }
        });
        assert_eq!(store.read(key(3)).expect("readable"), Read::Found(data));
    }
}

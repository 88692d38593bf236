//! File stamps: a check that a file is still the one that was written or read, without reading it.

use std::{
    fs,
    path::{Path, PathBuf},
    sync::atomic::{AtomicUsize, Ordering},
    time::UNIX_EPOCH,
};

use serde::{Deserialize, Serialize};

/// The metadata that stays the same while nobody changes a file.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
pub struct Stamp {
    /// Bytes.
    pub len: u64,
    modified: u64,
    /// Two files that were renamed to one name within a tick of the clock differ in it.
    inode: u64,
}

impl Stamp {
    /// Of a file's metadata.
    pub fn of(metadata: &fs::Metadata) -> Stamp {
        let since = metadata.modified().ok().and_then(|it| it.duration_since(UNIX_EPOCH).ok());
        #[cfg(unix)]
        let inode = std::os::unix::fs::MetadataExt::ino(metadata);
        #[cfg(not(unix))]
        let inode = 0;
        // Nanoseconds fit until the year 2554.
        let modified = since.map_or(0, |it| it.as_nanos() as u64);
        Stamp { len: metadata.len(), modified, inode }
    }
}

/// A folder of which thousands of files are looked at. Where the system lets it, their names are looked up from the
/// folder on and not from the root of the file system each time, which is half of the work.
#[derive(Debug)]
pub(crate) struct Folder {
    path: PathBuf,
    looks: AtomicUsize,
    #[cfg(unix)]
    open: Option<std::os::fd::OwnedFd>,
}

impl Folder {
    /// A folder, which need not be there.
    pub(crate) fn new(path: &Path) -> Folder {
        #[cfg(unix)]
        let open = files::open_folder(path).ok().map(Into::into);
        Folder {
            path: path.to_owned(),
            looks: AtomicUsize::new(0),
            #[cfg(unix)]
            open,
        }
    }

    /// The number of files that were looked at.
    pub(crate) fn n_looks(&self) -> usize {
        self.looks.load(Ordering::Relaxed)
    }

    /// The stamp of a file in it, by a relative path; none if there is no such file.
    pub(crate) fn stamp(&self, name: &str) -> Option<Stamp> {
        self.looks.fetch_add(1, Ordering::Relaxed);
        #[cfg(unix)]
        if let Some(open) = &self.open {
            let stat = rustix::fs::statat(open, name, rustix::fs::AtFlags::empty()).ok()?;
            // Systems do not agree on the types.
            let (seconds, parts) = (i128::from(stat.st_mtime), i128::from(stat.st_mtime_nsec));
            let number = |it: i128| u64::try_from(it).unwrap_or(0);
            return Some(Stamp {
                len: number(stat.st_size.into()),
                modified: number(seconds * 1_000_000_000 + parts),
                inode: number(stat.st_ino.into()),
            });
        }
        Some(Stamp::of(&fs::metadata(self.path.join(name)).ok()?))
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn stamps_are_those_of_metadata() {
        let root = tempfile::tempdir().expect("a folder");
        fs::create_dir(root.path().join("a")).expect("a folder");
        let folder = Folder::new(root.path());
        assert_eq!(folder.stamp("a/b"), None);
        let path = root.path().join("a/b");
        fs::write(&path, b"some bytes").expect("a file");
        let now = folder.stamp("a/b").expect("a file");
        let epoch = UNIX_EPOCH + Duration::from_nanos(1);
        for time in [epoch, epoch - Duration::from_secs(5), epoch + Duration::from_secs(1 << 31)] {
            let file = fs::File::options().write(true).open(&path).expect("a file");
            file.set_modified(time).expect("a time");
            let stamp = folder.stamp("a/b").expect("a file");
            assert_eq!(stamp, Stamp::of(&fs::metadata(&path).expect("a file")), "{time:?}");
            assert_ne!(stamp, now);
        }
        assert_eq!(Folder::new(&root.path().join("none")).stamp("b"), None);
    }
}

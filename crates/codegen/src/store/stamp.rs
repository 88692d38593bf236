//! Whether a file is still the one that was written or read, without reading it.

use std::{fs, time::UNIX_EPOCH};

use serde::{Deserialize, Serialize};

/// What the file system says of a file that nobody changed.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
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

//! Hashes of files that did not change since this process read them.
//!
//! In: paths. Out: the hash of a file's bytes, if its stamp is as it was, so that a build which watches its files reads
//! only those that were saved. Who is told of a change says so ([`Texts::forget`]): two saves within one tick of the
//! file system's clock may have one stamp.

use std::{
    collections::BTreeMap,
    fs, io,
    path::{Path, PathBuf},
    sync::{Mutex, PoisonError},
};

use codegen::{build::hash_of, store::Stamp};

/// What was read.
#[derive(Default, Debug)]
pub struct Texts(Mutex<BTreeMap<PathBuf, (Stamp, [u8; 32])>>);

impl Texts {
    /// The hash of the bytes of a file that is as it was when it was read.
    pub(crate) fn known(&self, path: &Path) -> Option<[u8; 32]> {
        let stamp = Stamp::of(&fs::metadata(path).ok()?);
        let texts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        texts.get(path).filter(|it| it.0 == stamp).map(|it| it.1)
    }

    /// Reads a file and remembers its hash.
    pub(crate) fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
        // A stamp from before the bytes: a change in between makes it an old one.
        let stamp = Stamp::of(&fs::metadata(path)?);
        let bytes = fs::read(path)?;
        let mut texts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        texts.insert(path.to_owned(), (stamp, hash_of(&[&bytes])));
        Ok(bytes)
    }

    /// The file may have changed, whatever its stamp says.
    pub fn forget(&self, path: &Path) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).remove(path);
    }
}

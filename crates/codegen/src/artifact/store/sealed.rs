//! Files of plain data with a checksum: the notes of a build for the next one.
//!
//! In: a value. Out: a file that is replaced by one rename, and that counts as absent where its checksum does not
//! match. Linear in the bytes.

use std::{io, path::Path};

use serde::{Serialize, de::DeserializeOwned};

use super::write_atomically;
use crate::artifact::key::Key;

/// Bytes of the checksum.
pub(crate) const SEAL: usize = 32;

/// The checksum, which is also about the file's name.
fn seal(path: &Path, data: &[u8]) -> [u8; SEAL] {
    let name = path.file_name().unwrap_or_default();
    Key::of(&[name.as_encoded_bytes(), data]).0
}

/// Reads a value that [`write`] wrote; `None` if there is none with a valid checksum.
pub fn read<T: DeserializeOwned>(path: &Path) -> Option<T> {
    postcard::from_bytes(read_bytes(path)?.get(SEAL..)?).ok()
}

/// Replaces a file.
///
/// # Errors
/// If it cannot be written.
pub fn write<T: Serialize>(path: &Path, value: &T) -> io::Result<()> {
    write_bytes(path, postcard::to_extend(value, vec![0; SEAL]).map_err(io::Error::other)?)
}

/// The bytes that [`write_bytes`] wrote, checksum first.
pub(crate) fn read_bytes(path: &Path) -> Option<Vec<u8>> {
    let bytes = files::read(path, files::ARTIFACT).ok()?;
    let (sealed, data) = bytes.split_at_checked(SEAL)?;
    (sealed == seal(path, data)).then_some(bytes)
}

/// Replaces a file; `bytes` begin with [`SEAL`] bytes for the checksum.
pub(crate) fn write_bytes(path: &Path, mut bytes: Vec<u8>) -> io::Result<()> {
    let sealed = seal(path, &bytes[SEAL..]);
    bytes[..SEAL].copy_from_slice(&sealed);
    write_atomically(path, &bytes)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn changed_or_moved_file_counts_as_absent() {
        let folder = tempfile::tempdir().expect("a folder");
        let (path, other) = (folder.path().join("a"), folder.path().join("b"));
        assert_eq!(read::<Vec<u32>>(&path), None);
        write(&path, &vec![1, 2, 3]).expect("writable");
        assert_eq!(read(&path), Some(vec![1, 2, 3]));
        fs::copy(&path, &other).expect("writable");
        assert_eq!(read::<Vec<u32>>(&other), None);
        let mut bytes = fs::read(&path).expect("readable");
        bytes[33] ^= 1;
        fs::write(&path, bytes).expect("writable");
        assert_eq!(read::<Vec<u32>>(&path), None);
    }
}

//! Seals: entries that only who knows the team's secret can have written.
//!
//! In: an entry's file. Out: the file behind a line with a keyed hash (BLAKE3) of kind, key and file. A server, and who
//! may write to it, can keep a sealed entry back, and cannot make or change one. Without a secret files are as they
//! are,
//! and whoever may write to a cache is trusted. The secret is in the environment and goes nowhere. Linear in the bytes.

use codegen::{Key, store::Kind};

use crate::Environment;

/// The secret.
pub(crate) const SECRET: &str = "TIR_ANALYZER_CACHE_SECRET";
/// The fewest characters of one.
const LEAST: usize = 16;
/// Describes what the secret is used for here, and nowhere else.
const CONTEXT: &str = "tir-analyzer 2026-11 entries of a shared cache";
/// Bytes of the line.
const LINE: usize = 65;

/// The seal of a team, if it has one.
#[derive(Clone, Copy, Default)]
pub(crate) struct Seal(Option<[u8; 32]>);

impl Seal {
    /// The seal of the secret in the environment.
    ///
    /// # Errors
    /// If the secret is too short.
    pub(crate) fn new(environment: Environment<'_>) -> Result<Seal, String> {
        let Some(secret) = environment(SECRET).filter(|it| !it.is_empty()) else {
            return Ok(Seal(None));
        };
        match secret.len() >= LEAST {
            true => Ok(Seal(Some(blake3::derive_key(CONTEXT, secret.as_bytes())))),
            false => Err(format!("{SECRET} has at least {LEAST} characters")),
        }
    }

    /// The file as a server keeps it.
    pub(crate) fn close(self, kind: Kind, key: Key, file: Vec<u8>) -> Vec<u8> {
        let Some(secret) = self.0 else { return file };
        let mut sealed = hash(&secret, kind, key, &file).to_hex().as_bytes().to_vec();
        sealed.push(b'\n');
        sealed.extend_from_slice(&file);
        sealed
    }

    /// The file of what a server keeps; none if the seal is not the team's.
    pub(crate) fn open(self, kind: Kind, key: Key, mut sealed: Vec<u8>) -> Option<Vec<u8>> {
        let Some(secret) = self.0 else { return Some(sealed) };
        let (line, file) = sealed.split_at_checked(LINE)?;
        let line = std::str::from_utf8(line.strip_suffix(b"\n")?).ok()?;
        // The comparison of hashes takes the same time wherever they differ.
        let is_ours = blake3::Hash::from_hex(line).ok()? == hash(&secret, kind, key, file);
        is_ours.then(|| sealed.split_off(LINE))
    }
}

fn hash(secret: &[u8; 32], kind: Kind, key: Key, file: &[u8]) -> blake3::Hash {
    let mut hasher = blake3::Hasher::new_keyed(secret);
    // One folder a kind, with an end that no folder has.
    hasher.update(kind.folder().as_bytes()).update(b"\n").update(&key.0).update(file);
    hasher.finalize()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seal(secret: &'static str) -> Seal {
        Seal::new(&|_| Some(secret.to_owned())).expect("a secret")
    }

    #[test]
    fn a_seal_is_of_one_secret_kind_key_and_file() {
        let (ours, kind, key) = (seal("the secret of a team"), Kind::Kernel, Key([7; 32]));
        let sealed = ours.close(kind, key, b"file".to_vec());
        assert_eq!(ours.open(kind, key, sealed.clone()), Some(b"file".to_vec()));
        assert_eq!(seal("the secret of others").open(kind, key, sealed.clone()), None);
        assert_eq!(ours.open(Kind::Text, key, sealed.clone()), None);
        assert_eq!(ours.open(kind, Key([8; 32]), sealed.clone()), None);
        for at in 0..sealed.len() {
            let mut other = sealed.clone();
            other[at] ^= 1;
            assert_eq!(ours.open(kind, key, other), None, "byte {at}");
            assert_eq!(ours.open(kind, key, sealed[..at].to_vec()), None, "cut at {at}");
        }
    }

    #[test]
    fn without_a_secret_files_are_as_they_are() {
        let none = Seal::new(&|_| None).expect("none");
        assert_eq!(none.close(Kind::Text, Key([1; 32]), b"file".to_vec()), b"file");
        assert!(Seal::new(&|_| Some("short".to_owned())).is_err());
    }
}

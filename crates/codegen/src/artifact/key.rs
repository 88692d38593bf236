//! Keys: the names of entries.
//!
//! The key of an entry of the store is the digest of the [`Action`](super::action::Action) that makes it: structure of
//! the function (no names, no ids, no place), target, those options that change the code, and the generator: its
//! version, and the hash of its sources (`build.rs`), so that an artifact of an older generator is never found.
//! Checksums and hashes of other things are BLAKE3 of their parts, each with its length ([`Key::of`]).

use std::fmt;

/// The inputs of code generation besides the function, target and options: the version of the stored form, which is
/// raised when the form changes; the version of the crate; and the hash of the generator's sources.
pub(crate) const GENERATOR: &str =
    concat!("4-", env!("CARGO_PKG_VERSION"), "-", env!("CODEGEN_SOURCES"));

/// 256 bits.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Key(pub [u8; 32]);

/// Hexadecimal digits. A build of many kernels that has nothing to do spends a tenth of its time on them if each byte
/// is formatted by itself.
pub(crate) fn hex(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let digit = |it: u8| char::from(DIGITS[usize::from(it & 15)]);
    let mut text = String::with_capacity(2 * bytes.len());
    for &byte in bytes {
        text.push(digit(byte >> 4));
        text.push(digit(byte));
    }
    text
}

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&hex(&self.0))
    }
}

impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl Key {
    /// Reads the output of `Display`.
    pub fn parse(text: &str) -> Option<Key> {
        let mut key = [0; 32];
        if text.len() != 64 || !text.is_ascii() {
            return None;
        }
        for (index, byte) in key.iter_mut().enumerate() {
            *byte = u8::from_str_radix(text.get(2 * index..2 * index + 2)?, 16).ok()?;
        }
        // The parser of numbers also takes signs and capitals.
        Some(Key(key)).filter(|it| it.to_string() == text)
    }

    pub(crate) fn of(parts: &[&[u8]]) -> Key {
        let mut hasher = blake3::Hasher::new();
        for part in parts {
            hasher.update(&(part.len() as u64).to_le_bytes());
            hasher.update(part);
        }
        Key(*hasher.finalize().as_bytes())
    }
}

//! Keys: the inputs of an artifact, and nothing else.
//!
//! An artifact depends on the structure of the function ([`ir::fingerprint`]: no names, no ids, no place), on the
//! target, on those options that change it, and on the generator: its version, and the hash of its sources
//! (`build.rs`), so that an artifact of an older generator is never found. All of these are hashed with BLAKE3, each
//! with its length.

use std::fmt;

use ir::fingerprint::Fingerprint;

use crate::{Options, Target};

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

    fn of_code(kind: &str, data: &[u8], target: Target, options: &Options) -> Key {
        let options =
            serde_json::to_string(&options.code(target)).expect("plain data has a JSON form");
        Key::of(&[
            kind.as_bytes(),
            GENERATOR.as_bytes(),
            target.name().as_bytes(),
            options.as_bytes(),
            data,
        ])
    }

    /// The key of the artifact of a function.
    pub fn of_artifact(function: Fingerprint, target: Target, options: &Options) -> Key {
        Key::of_code("artifact", &function.0, target, options)
    }

    /// The key of the artifact of a function that has no fingerprint, as there is something unknown in it: a hash of
    /// all that its body depends on takes the place of its structure.
    pub fn of_unknown(text: &[u8; 32], target: Target, options: &Options) -> Key {
        Key::of_code("unknown", text, target, options)
    }

    /// The key under which the text of a file remembers its functions. `reader` is the version of the reader of source
    /// texts.
    pub fn of_text(text: &[u8; 32], reader: &str) -> Key {
        Key::of(&[b"text", GENERATOR.as_bytes(), reader.as_bytes(), text])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::TargetOptions;

    /// Returns true if these settings change the key of code for a target.
    fn differs(spec: &str, from: &str) -> bool {
        let key = |text| {
            let (target, options) = TargetOptions::parse(text).expect("settings");
            Key::of_artifact(Fingerprint([7; 16]), target, &Options::default().with(&options))
        };
        key(spec) != key(from)
    }

    #[test]
    fn code_options_are_part_of_the_key_and_limits_and_flags_are_not() {
        for (spec, from) in [
            ("cuda", "hip"),
            ("cuda:contract=true", "cuda"),
            ("cuda:fast-math=true", "cuda"),
            ("cuda:index-bits=64", "cuda"),
            ("cuda:index-bits=32", "cuda"),
            ("cuda:shared-memory=96K", "cuda"),
            ("cuda:arch=sm_90", "cuda:arch=sm_75"),
            ("spirv:arch=1.4", "spirv"),
            ("metal:arch=3.0", "metal"),
        ] {
            assert!(differs(spec, from), "{spec} {from}");
        }
        for (spec, from) in [
            ("cuda:max-threads=512", "cuda"),
            // Devices with as much shared memory.
            ("cuda:arch=sm_80", "cuda:arch=sm_87"),
            ("cuda:fast-math=true", "cuda:contract=true"),
            ("opencl:arch=2.0", "opencl"),
        ] {
            assert!(!differs(spec, from), "{spec} {from}");
        }
    }
}

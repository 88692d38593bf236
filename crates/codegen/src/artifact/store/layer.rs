//! A layer beyond the store on disk: a cache that several machines share.
//!
//! In: kinds and actions of entries. Out: the files of entries, as [`Store::path`](super::Store::path) has them: with
//! the checksum of kind, key and data in the first line, so that a layer that mixes entries up is noticed here,
//! whatever
//! it checked itself. A layer never fails: what it cannot give in time is absent, and it notes why. This crate knows no
//! layer; the caller of a build provides it (`Settings::layer`).

use std::{fmt, time::Duration};

use super::{HEADER, Kind, checksum, data_of};
use crate::artifact::{action::Action, key::Key};

/// An entry that a layer gave.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Fetched {
    /// The file of the entry.
    pub file: Vec<u8>,
    /// The time that it took to make, if the layer knows.
    pub cost: Option<Duration>,
}

/// A layer.
pub trait Layer: fmt::Debug + Send + Sync {
    /// Gets many entries at once; for each, in order, what the layer has. Takes a bounded time.
    fn fetch(&self, wanted: &[(Kind, &Action)]) -> Vec<Option<Fetched>>;

    /// Takes the file of an entry that was made in this time, to keep it for others. Returns at once.
    fn offer(&self, kind: Kind, action: &Action, file: Vec<u8>, cost: Duration);

    /// Is told of a file that it gave and that is not the entry of this action.
    fn refuse(&self, kind: Kind, action: &Action);

    /// Waits, for a bounded time, until it has kept what it was offered, and tells what it did since the last report.
    fn finish(&self) -> LayerReport;
}

/// The work of a layer in a build.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct LayerReport {
    /// Its place, for people: the address without secrets.
    pub name: String,
    /// Entries that it gave.
    pub hits: u64,
    /// Entries that it does not have.
    pub misses: u64,
    /// Bytes of the entries that it gave.
    pub bytes_in: u64,
    /// Entries that it keeps now, and did not before.
    pub kept: u64,
    /// Bytes of those.
    pub bytes_out: u64,
    /// Describes what went wrong, for people; the build went on without.
    pub notes: Vec<String>,
}

/// The file of an entry: a line with the checksum of kind, key and data, then the data.
pub fn file_of(kind: Kind, key: Key, data: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(data.len() + HEADER);
    bytes.extend_from_slice(checksum(kind, key, data).as_bytes());
    bytes.push(b'\n');
    bytes.extend_from_slice(data);
    bytes
}

/// Returns true if this is the file of the entry of a kind and key, whole.
pub fn is_file_of(kind: Kind, key: Key, file: &[u8]) -> bool {
    data_of(kind, key, file).is_some()
}

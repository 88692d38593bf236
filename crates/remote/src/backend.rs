//! Describes what a server of any kind does for the layer.
//!
//! In: entries that are wanted or offered, and a moment by which to be done. Out: what came, or a failure with its
//! class, which decides how to go on.

use std::{pin::Pin, time::Instant};

use codegen::{Key, action::Action, store::layer::Fetched};

/// The most bytes of an entry; larger ones are not shared.
pub(crate) const LARGEST: u64 = 256 << 20;

/// A wanted entry.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Wanted {
    /// The digest of the action: hash and bytes.
    pub(crate) key: Key,
    pub(crate) size: u64,
}

/// An entry that is offered.
#[derive(Clone, Debug)]
pub(crate) struct Offered {
    pub(crate) action: Action,
    pub(crate) file: Vec<u8>,
    pub(crate) cost: std::time::Duration,
}

/// An answer.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Answer {
    Found(Fetched),
    Absent,
    Failed(Failure),
}

/// Describes what was kept of what was offered.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub(crate) struct Kept {
    pub(crate) entries: u64,
    pub(crate) bytes: u64,
    pub(crate) failure: Option<Failure>,
}

/// A failure.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Failure {
    pub(crate) class: Class,
    pub(crate) text: String,
}

/// The class of a failure.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Class {
    /// It did not answer in time.
    Slow,
    /// It cannot be reached, or failed.
    Down,
    /// It does not let us.
    Refused,
    /// It has no room.
    Full,
    /// Its answer is not what was asked for.
    Wrong,
}

impl Failure {
    pub(crate) fn new(class: Class, text: impl Into<String>) -> Failure {
        Failure { class, text: text.into() }
    }
}

/// A future that is not named.
pub(crate) type Later<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// A server.
pub(crate) trait Backend: Send + Sync + 'static {
    /// Gets entries: an answer for each, in order.
    fn fetch(&self, wanted: Vec<Wanted>, until: Instant) -> Later<'_, Vec<Answer>>;

    /// Keeps entries.
    fn keep(&self, offered: Vec<Offered>, until: Instant) -> Later<'_, Kept>;
}

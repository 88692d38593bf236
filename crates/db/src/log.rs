//! The log of the database: the queries that ran, and the amount of their work. For tests of incrementality and
//! benches.

use std::sync::{
    Arc, Mutex,
    atomic::{AtomicBool, AtomicU64, Ordering},
};

use salsa::{DatabaseKeyIndex, EventKind};

/// Collects the queries that run, while it is on.
#[derive(Clone, Default)]
pub(crate) struct QueryLog {
    is_on: Arc<AtomicBool>,
    keys: Arc<Mutex<Vec<DatabaseKeyIndex>>>,
}

impl QueryLog {
    pub(crate) fn event(&self, event: &salsa::Event) {
        if let EventKind::WillExecute { database_key } = event.kind
            && self.is_on.load(Ordering::Relaxed)
            && let Ok(mut keys) = self.keys.lock()
        {
            keys.push(database_key);
        }
    }
    pub(crate) fn start(&self) {
        self.take();
        self.is_on.store(true, Ordering::Relaxed);
    }
    pub(crate) fn take(&self) -> Vec<DatabaseKeyIndex> {
        self.is_on.store(false, Ordering::Relaxed);
        self.keys.lock().map(|mut it| std::mem::take(&mut *it)).unwrap_or_default()
    }
}

/// The work done, summed up since the start.
#[derive(Default, Debug)]
pub struct Counters {
    lowered_functions: AtomicU64,
    lowered_bytes: AtomicU64,
    planned_functions: AtomicU64,
    planned_occurrences: AtomicU64,
    written_bytes: AtomicU64,
}

/// The counters at a moment.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Work {
    /// Functions lowered.
    pub lowered_functions: u64,
    /// Their text.
    pub lowered_bytes: u64,
    /// Functions planned.
    pub planned_functions: u64,
    /// Their occurrences.
    pub planned_occurrences: u64,
    /// Texts of large functions of statements that were made from all of their trees.
    pub written_bytes: u64,
}

impl Counters {
    pub(crate) fn lowered(&self, n_bytes: usize) {
        self.lowered_functions.fetch_add(1, Ordering::Relaxed);
        self.lowered_bytes.fetch_add(n_bytes as u64, Ordering::Relaxed);
    }
    pub(crate) fn planned(&self, n_occurrences: usize) {
        self.planned_functions.fetch_add(1, Ordering::Relaxed);
        self.planned_occurrences.fetch_add(n_occurrences as u64, Ordering::Relaxed);
    }
    pub(crate) fn written(&self, n_bytes: usize) {
        self.written_bytes.fetch_add(n_bytes as u64, Ordering::Relaxed);
    }
    /// The counters now.
    pub fn work(&self) -> Work {
        let load = |it: &AtomicU64| it.load(Ordering::Relaxed);
        Work {
            lowered_functions: load(&self.lowered_functions),
            lowered_bytes: load(&self.lowered_bytes),
            planned_functions: load(&self.planned_functions),
            planned_occurrences: load(&self.planned_occurrences),
            written_bytes: load(&self.written_bytes),
        }
    }
}

impl std::ops::Sub for Work {
    type Output = Work;
    fn sub(self, before: Work) -> Work {
        Work {
            lowered_functions: self.lowered_functions - before.lowered_functions,
            lowered_bytes: self.lowered_bytes - before.lowered_bytes,
            planned_functions: self.planned_functions - before.planned_functions,
            planned_occurrences: self.planned_occurrences - before.planned_occurrences,
            written_bytes: self.written_bytes - before.written_bytes,
        }
    }
}

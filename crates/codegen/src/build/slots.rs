//! Values made once a build by key: threads that ask for one wait for the one that makes it, so that the results do not
//! depend on the number of threads.

use std::sync::{Arc, Mutex, PoisonError};

use dashmap::DashMap;

use crate::artifact::key::Key;

/// A place for each key.
pub(super) struct Slots<T>(DashMap<Key, Arc<Mutex<Option<T>>>>);

impl<T> Default for Slots<T> {
    fn default() -> Self {
        Slots(DashMap::default())
    }
}

impl<T> Slots<T> {
    /// Calls `with` with the place of a key, which nothing else accesses meanwhile.
    pub(super) fn with<R>(&self, key: Key, with: impl FnOnce(&mut Option<T>) -> R) -> R {
        // The guard of the map ends here: `with` takes long, and keys of one shard do not wait for each other.
        let slot = Arc::clone(&self.0.entry(key).or_default());
        let mut slot = slot.lock().unwrap_or_else(PoisonError::into_inner);
        with(&mut slot)
    }
}

//! Values made once a build by key: threads that ask for one wait for the one that makes it, so what is made does not
//! depend on their number.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, PoisonError},
};

use crate::key::Key;

/// A place for each key.
pub(super) struct Slots<T>(Mutex<BTreeMap<Key, Arc<Mutex<Option<T>>>>>);

impl<T> Default for Slots<T> {
    fn default() -> Self {
        Slots(Mutex::default())
    }
}

impl<T> Slots<T> {
    /// Calls `with` with the place of a key, which nobody else sees for so long.
    pub(super) fn with<R>(&self, key: Key, with: impl FnOnce(&mut Option<T>) -> R) -> R {
        let slot = {
            let mut slots = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            Arc::clone(slots.entry(key).or_default())
        };
        let mut slot = slot.lock().unwrap_or_else(PoisonError::into_inner);
        with(&mut slot)
    }
}

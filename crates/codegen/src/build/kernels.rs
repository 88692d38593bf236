//! The code of functions, each made once a build: found in the store, or generated and stored.
//!
//! In: a key, and a way to a body without names. Out: the artifact, and whether it was generated. Threads that ask for
//! one key wait for the one that makes it, so the generated artifacts do not depend on their number.

use std::{
    collections::BTreeSet,
    io,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicU64, AtomicUsize, Ordering},
    },
};

use super::{Broken, slots::Slots};
use crate::{
    Options, Target,
    artifact::{
        Artifact,
        canonical::Canonical,
        key::Key,
        store::{Kind, Read, Store},
    },
    device::generate,
};

/// An artifact of this build.
#[derive(Clone)]
pub(super) struct Made {
    pub(super) artifact: Arc<Artifact>,
    /// The same without `cse`, where it is compared with that.
    pub(super) plain: Option<Arc<Artifact>>,
    /// It was not in the store.
    pub(super) is_generated: bool,
    /// It was there and broken.
    pub(super) was_broken: bool,
}

impl Made {
    /// With the code without `cse`.
    pub(super) fn beside(self, plain: &Made) -> Made {
        Made { plain: Some(Arc::clone(&plain.artifact)), ..self }
    }
}

/// Entries of the store that were broken, and are written again.
#[derive(Default)]
pub(super) struct Repaired(Mutex<BTreeSet<Key>>);

impl Repaired {
    pub(super) fn note(&self, key: Key) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).insert(key);
    }

    pub(super) fn count(&self) -> usize {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).len()
    }
}

/// All artifacts of a build.
pub(super) struct Kernels {
    pub(super) store: Store,
    force: bool,
    slots: Slots<Made>,
    pub(super) found: AtomicUsize,
    pub(super) generated: AtomicUsize,
    pub(super) repaired: Arc<Repaired>,
    /// Bytes written to the store.
    pub(super) stored_bytes: AtomicU64,
}

impl Kernels {
    pub(super) fn new(store: Store, force: bool) -> Kernels {
        Kernels {
            store,
            force,
            slots: Slots::default(),
            found: AtomicUsize::new(0),
            generated: AtomicUsize::new(0),
            repaired: Arc::default(),
            stored_bytes: AtomicU64::new(0),
        }
    }

    /// The artifact, if it is there.
    pub(super) fn find(&self, key: Key) -> io::Result<Option<Made>> {
        self.slots.with(key, |slot| {
            if slot.is_none() && !self.force {
                *slot = self.read(key)?.ok();
            }
            Ok(slot.clone())
        })
    }

    /// The artifact, generated if it is nowhere; the refusal of `canonical` if there is nothing to generate it from.
    pub(super) fn get<'c>(
        &self,
        key: Key,
        target: Target,
        options: &Options,
        canonical: impl FnOnce() -> Result<&'c Canonical, &'c Broken>,
    ) -> io::Result<Result<Made, &'c Broken>> {
        self.slots.with(key, |slot| self.fill(slot, key, target, options, canonical))
    }

    fn fill<'c>(
        &self,
        slot: &mut Option<Made>,
        key: Key,
        target: Target,
        options: &Options,
        canonical: impl FnOnce() -> Result<&'c Canonical, &'c Broken>,
    ) -> io::Result<Result<Made, &'c Broken>> {
        if let Some(made) = slot {
            return Ok(Ok(made.clone()));
        }
        let mut was_broken = false;
        if !self.force {
            match self.read(key)? {
                Ok(made) => return Ok(Ok(slot.insert(made).clone())),
                Err(broken) => was_broken = broken,
            }
        }
        let canonical = match canonical() {
            Ok(canonical) => canonical,
            Err(broken) => return Ok(Err(broken)),
        };
        let artifact = generate(canonical, target, options, &|| {});
        if !artifact.is_mistaken() {
            let bytes = serde_json::to_vec(&artifact).map_err(io::Error::other)?;
            let written = self.store.write(Kind::Kernel, key, &bytes)?;
            self.stored_bytes.fetch_add(written, Ordering::Relaxed);
        }
        self.generated.fetch_add(1, Ordering::Relaxed);
        if was_broken {
            self.repaired.note(key);
        }
        let made =
            Made { artifact: Arc::new(artifact), plain: None, is_generated: true, was_broken };
        Ok(Ok(slot.insert(made).clone()))
    }

    /// From the store; otherwise whether there was something broken.
    fn read(&self, key: Key) -> io::Result<Result<Made, bool>> {
        let artifact = match self.store.read(Kind::Kernel, key)? {
            Read::Found(bytes) => serde_json::from_slice::<Artifact>(&bytes).ok(),
            Read::Absent => return Ok(Err(false)),
            Read::Corrupt => None,
        };
        let Some(artifact) = artifact else { return Ok(Err(true)) };
        if artifact.is_mistaken() {
            return Ok(Err(false));
        }
        self.found.fetch_add(1, Ordering::Relaxed);
        Ok(Ok(Made {
            artifact: Arc::new(artifact),
            plain: None,
            is_generated: false,
            was_broken: false,
        }))
    }
}

//! The code of functions, each made once a build: found in the store, or generated and stored.
//!
//! In: a key, and a way to a body without names. Out: the artifact, and whether it was generated. Threads that ask for
//! one key wait for the one that makes it, so the generated artifacts do not depend on their number.

use std::{
    collections::BTreeSet,
    io,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
    time::Instant,
};

use super::{Broken, layers::Layers, slots::Slots};
use crate::{
    Options, Target,
    artifact::{
        Artifact,
        action::Action,
        canonical::Canonical,
        key::Key,
        store::{Kind, Read},
    },
    device::generate,
};

/// An artifact of this build.
#[derive(Clone)]
pub(super) struct Made {
    pub(super) artifact: Arc<Artifact>,
    /// The same without `cse`, where it is compared with that.
    pub(super) plain: Option<Arc<Artifact>>,
    /// It was not in the store when the build began.
    pub(super) is_generated: bool,
    /// It came from the layer beyond the store.
    pub(super) is_fetched: bool,
    /// The worker that generated it.
    pub(super) worker: Option<Arc<str>>,
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
    pub(super) layers: Arc<Layers>,
    force: bool,
    slots: Slots<Made>,
    pub(super) found: AtomicUsize,
    pub(super) generated: AtomicUsize,
    pub(super) repaired: Arc<Repaired>,
}

impl Kernels {
    pub(super) fn new(layers: Arc<Layers>, force: bool) -> Kernels {
        Kernels {
            layers,
            force,
            slots: Slots::default(),
            found: AtomicUsize::new(0),
            generated: AtomicUsize::new(0),
            repaired: Arc::default(),
        }
    }

    /// The artifact, if it is there.
    pub(super) fn find(&self, action: &Action) -> io::Result<Option<Made>> {
        self.slots.with(action.key(), |slot| {
            if slot.is_none() && !self.force {
                *slot = self.read(action)?.ok();
            }
            Ok(slot.clone())
        })
    }

    /// The artifact, generated if it is nowhere; the refusal of `canonical` if there is nothing to generate it from.
    pub(super) fn get<'c>(
        &self,
        action: &Action,
        target: Target,
        options: &Options,
        canonical: impl FnOnce() -> Result<&'c Canonical, &'c Broken>,
    ) -> io::Result<Result<Made, &'c Broken>> {
        self.slots.with(action.key(), |slot| self.fill(slot, action, target, options, canonical))
    }

    fn fill<'c>(
        &self,
        slot: &mut Option<Made>,
        action: &Action,
        target: Target,
        options: &Options,
        canonical: impl FnOnce() -> Result<&'c Canonical, &'c Broken>,
    ) -> io::Result<Result<Made, &'c Broken>> {
        if let Some(made) = slot {
            return Ok(Ok(made.clone()));
        }
        let mut was_broken = false;
        if !self.force {
            match self.read(action)? {
                Ok(made) => return Ok(Ok(slot.insert(made).clone())),
                Err(broken) => was_broken = broken,
            }
        }
        let start = Instant::now();
        let canonical = match canonical() {
            Ok(canonical) => canonical,
            Err(broken) => return Ok(Err(broken)),
        };
        let artifact = generate(canonical, target, options, &|| {});
        if !artifact.is_mistaken() {
            let bytes = serde_json::to_vec(&artifact).map_err(io::Error::other)?;
            self.layers.write(Kind::Kernel, action, &bytes, start.elapsed())?;
        }
        self.generated.fetch_add(1, Ordering::Relaxed);
        if was_broken {
            self.repaired.note(action.key());
        }
        let made = Made {
            artifact: Arc::new(artifact),
            plain: None,
            is_generated: true,
            is_fetched: false,
            worker: None,
            was_broken,
        };
        Ok(Ok(slot.insert(made).clone()))
    }

    /// From the store; otherwise whether there was something broken.
    fn read(&self, action: &Action) -> io::Result<Result<Made, bool>> {
        let artifact = match self.layers.read(Kind::Kernel, action)? {
            Read::Found(bytes) => serde_json::from_slice::<Artifact>(&bytes).ok(),
            Read::Absent => return Ok(Err(false)),
            Read::Corrupt => None,
        };
        let Some(artifact) = artifact else { return Ok(Err(true)) };
        if artifact.is_mistaken() {
            return Ok(Err(false));
        }
        let worker = self.layers.lender(Kind::Kernel, action.key());
        let count = if worker.is_some() { &self.generated } else { &self.found };
        count.fetch_add(1, Ordering::Relaxed);
        Ok(Ok(Made {
            artifact: Arc::new(artifact),
            plain: None,
            is_generated: worker.is_some(),
            is_fetched: self.layers.was_fetched(Kind::Kernel, action.key()),
            worker,
            was_broken: false,
        }))
    }
}

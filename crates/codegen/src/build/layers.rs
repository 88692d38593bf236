//! Where a build gets entries and keeps them: the store on disk, and a layer beyond it that others share.
//!
//! In: kinds and actions. Out: entries. What the store lacks is asked of the layer, at most once a build: many at once
//! ([`Layers::prefetch`]), where the caller knows what it will need, or one. What comes is compared with its checksum
//! and kept in the store before it is used; what is generated goes to both. Without a layer this is the store.

use std::{
    collections::{BTreeMap, BTreeSet},
    io,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use crate::artifact::{
    action::Action,
    key::Key,
    store::{
        Kind, Read, Store,
        layer::{Layer, LayerReport, file_of, is_file_of},
        pack::Packed,
        statistics::{LayerWork, Statistics},
    },
};

/// An entry that a worker made.
struct Lent {
    worker: Arc<str>,
    cost: Duration,
    /// The layer has it, too.
    is_passed_on: bool,
}

/// The store and the layer beyond it.
pub(super) struct Layers {
    pub(super) store: Store,
    layer: Option<Arc<dyn Layer>>,
    /// Describes what the layer was asked for.
    asked: Mutex<BTreeSet<(Kind, Key)>>,
    /// Describes what came from the layer in this build: no hits of the store.
    fetched: Mutex<BTreeSet<(Kind, Key)>>,
    /// Entries that workers made in this build.
    lent: Mutex<BTreeMap<(Kind, Key), Lent>>,
    work: Mutex<Statistics>,
    /// Bytes written to the store.
    stored_bytes: AtomicU64,
}

impl Layers {
    pub(super) fn new(store: Store, layer: Option<Arc<dyn Layer>>) -> Layers {
        Layers {
            store,
            layer,
            asked: Mutex::default(),
            fetched: Mutex::default(),
            lent: Mutex::default(),
            work: Mutex::default(),
            stored_bytes: AtomicU64::new(0),
        }
    }

    /// Returns true if there is something beyond the store.
    pub(super) fn has_layer(&self) -> bool {
        self.layer.is_some()
    }

    /// Reads an entry from the store, or gets it from the layer.
    pub(super) fn read(&self, kind: Kind, action: &Action) -> io::Result<Read> {
        let key = action.key();
        let read = self.store.read(kind, key)?;
        let is_found = |read: &Read| matches!(read, Read::Found(_));
        if !is_found(&read) && self.get(&[(kind, action)])? > 0 {
            return self.store.read(kind, key);
        }
        if let Read::Found(data) = &read
            && !self.pass_on(kind, action, data)
            && !lock(&self.fetched).contains(&(kind, key))
        {
            lock(&self.work).store.hit(kind, data.len() as u64, None);
        }
        Ok(read)
    }

    /// Keeps an entry that was made in this time.
    pub(super) fn write(
        &self,
        kind: Kind,
        action: &Action,
        data: &[u8],
        cost: Duration,
    ) -> io::Result<()> {
        let file = file_of(kind, action.key(), data);
        self.keep(kind, action.key(), &file)?;
        lock(&self.work).made(kind, cost);
        if let Some(layer) = &self.layer {
            layer.offer(kind, action, file, cost);
        }
        Ok(())
    }

    /// Keeps an entry that a worker made in this build. The layer gets it when it is used, as then its action is known.
    pub(super) fn lend(
        &self,
        kind: Kind,
        key: Key,
        packed: &Packed,
        worker: &Arc<str>,
    ) -> io::Result<()> {
        self.keep(kind, key, &packed.file)?;
        let lent = Lent { worker: Arc::clone(worker), cost: packed.cost, is_passed_on: false };
        lock(&self.lent).insert((kind, key), lent);
        Ok(())
    }

    /// The worker that made an entry in this build.
    pub(super) fn lender(&self, kind: Kind, key: Key) -> Option<Arc<str>> {
        lock(&self.lent).get(&(kind, key)).map(|it| Arc::clone(&it.worker))
    }

    /// Gives the layer an entry that a worker made, once; returns true if it is such a one.
    fn pass_on(&self, kind: Kind, action: &Action, data: &[u8]) -> bool {
        let cost = {
            let mut lent = lock(&self.lent);
            let Some(it) = lent.get_mut(&(kind, action.key())) else { return false };
            (!std::mem::replace(&mut it.is_passed_on, true)).then_some(it.cost)
        };
        if let Some((layer, cost)) = self.layer.as_ref().zip(cost) {
            layer.offer(kind, action, file_of(kind, action.key(), data), cost);
        }
        true
    }

    /// Gets those of the entries that the store lacks.
    pub(super) fn prefetch(&self, kind: Kind, actions: &[Action]) -> io::Result<()> {
        if self.layer.is_none() {
            return Ok(());
        }
        let is_lacking = |it: &&Action| !self.store.has(kind, it.key());
        let wanted: Vec<_> = actions.iter().filter(is_lacking).map(|it| (kind, it)).collect();
        self.get(&wanted).map(drop)
    }

    /// Gets entries from the layer that it was not asked for before; the number of those that came.
    fn get(&self, wanted: &[(Kind, &Action)]) -> io::Result<usize> {
        let Some(layer) = &self.layer else { return Ok(0) };
        let wanted: Vec<_> = {
            let mut asked = lock(&self.asked);
            wanted.iter().copied().filter(|(kind, it)| asked.insert((*kind, it.key()))).collect()
        };
        if wanted.is_empty() {
            return Ok(0);
        }
        let mut found = 0;
        for ((kind, action), fetched) in wanted.iter().zip(layer.fetch(&wanted)) {
            let mut work = lock(&self.work);
            let Some(fetched) = fetched else {
                work.layer.misses += 1;
                continue;
            };
            if !is_file_of(*kind, action.key(), &fetched.file) {
                work.layer.misses += 1;
                layer.refuse(*kind, action);
                continue;
            }
            work.layer.hit(*kind, fetched.file.len() as u64, fetched.cost);
            drop(work);
            self.keep(*kind, action.key(), &fetched.file)?;
            lock(&self.fetched).insert((*kind, action.key()));
            found += 1;
        }
        Ok(found)
    }

    fn keep(&self, kind: Kind, key: Key, file: &[u8]) -> io::Result<()> {
        self.store.write_file(kind, key, file)?;
        self.stored_bytes.fetch_add(file.len() as u64, Ordering::Relaxed);
        Ok(())
    }

    /// Returns true if an entry came from the layer in this build.
    pub(super) fn was_fetched(&self, kind: Kind, key: Key) -> bool {
        self.has_layer() && lock(&self.fetched).contains(&(kind, key))
    }

    /// Bytes that were written to the store.
    pub(super) fn stored_bytes(&self) -> u64 {
        self.stored_bytes.load(Ordering::Relaxed)
    }

    /// Ends the work of the layer, and adds what was done to the statistics of the store.
    pub(super) fn finish(&self) -> Option<LayerReport> {
        let mut work = std::mem::take(&mut *lock(&self.work));
        let report = self.layer.as_ref().map(|it| it.finish());
        if let Some(report) = &report {
            work.layer.kept += report.kept;
            work.layer.bytes_out += report.bytes_out;
            work.layer.failures += report.notes.len() as u64;
        }
        if work != Statistics::default() {
            // Figures for people: a store that is not ours to write goes without.
            let _ = self.store.add_statistics(&work);
        }
        let LayerWork { hits, misses, bytes_in, .. } = work.layer;
        report.map(|it| LayerReport { hits, misses, bytes_in, ..it })
    }
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

//! Statistics of a store: what builds found in it and in the layer beyond it.
//!
//! In: the work of a build. Out: the sum over builds, in one file of the store. Two builds that end at the same moment
//! may lose the work of one of them: these are figures for people. The time that an entry of the store saves is the
//! mean
//! of what the entries of its kind that were made here took; a layer knows the time of each.

use std::{collections::BTreeMap, io, time::Duration};

use serde::{Deserialize, Serialize};

use super::{Kind, Store, sealed};

/// Its file.
const FILE: &str = "statistics";
/// Raised with the form of the file.
const VERSION: u32 = 1;

/// The work of builds.
#[derive(Clone, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
pub struct Statistics {
    /// Of the store on disk.
    pub store: LayerWork,
    /// Of the layer beyond it.
    pub layer: LayerWork,
    /// Entries that were made, by the folder of their kind, and the microseconds that this took.
    made: BTreeMap<String, (u64, u64)>,
}

/// The work of one layer.
#[derive(Clone, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
pub struct LayerWork {
    /// Entries that it gave.
    pub hits: u64,
    /// Entries that it did not have.
    pub misses: u64,
    /// Bytes that it gave.
    pub bytes_in: u64,
    /// Entries that it was given.
    pub kept: u64,
    /// Bytes of those.
    pub bytes_out: u64,
    /// Times that it was not to be used.
    pub failures: u64,
    /// Microseconds that its hits took to make, of those where that is known.
    saved: u64,
    /// The other hits, by the folder of their kind.
    others: BTreeMap<String, u64>,
}

impl LayerWork {
    pub(crate) fn hit(&mut self, kind: Kind, bytes: u64, cost: Option<Duration>) {
        self.hits += 1;
        self.bytes_in += bytes;
        match cost {
            Some(cost) => self.saved = self.saved.saturating_add(micros(cost)),
            None => *self.others.entry(kind.folder().to_owned()).or_default() += 1,
        }
    }

    fn add(&mut self, other: &LayerWork) {
        let add = |to: &mut u64, more: u64| *to = to.saturating_add(more);
        add(&mut self.hits, other.hits);
        add(&mut self.misses, other.misses);
        add(&mut self.bytes_in, other.bytes_in);
        add(&mut self.kept, other.kept);
        add(&mut self.bytes_out, other.bytes_out);
        add(&mut self.failures, other.failures);
        add(&mut self.saved, other.saved);
        for (kind, hits) in &other.others {
            add(self.others.entry(kind.clone()).or_default(), *hits);
        }
    }
}

impl Statistics {
    pub(crate) fn made(&mut self, kind: Kind, cost: Duration) {
        let (count, time) = self.made.entry(kind.folder().to_owned()).or_default();
        *count += 1;
        *time = time.saturating_add(micros(cost));
    }

    /// The time that the hits of a layer would have taken to make.
    pub fn saved(&self, work: &LayerWork) -> Duration {
        let estimated = work.others.iter().map(|(kind, hits)| {
            let (count, time) = self.made.get(kind).copied().unwrap_or_default();
            u128::from(*hits) * u128::from(time) / u128::from(count.max(1))
        });
        let micros = u128::from(work.saved) + estimated.sum::<u128>();
        Duration::from_micros(u64::try_from(micros).unwrap_or(u64::MAX))
    }

    fn add(&mut self, other: &Statistics) {
        self.store.add(&other.store);
        self.layer.add(&other.layer);
        for (kind, (count, time)) in &other.made {
            let sum = self.made.entry(kind.clone()).or_default();
            *sum = (sum.0.saturating_add(*count), sum.1.saturating_add(*time));
        }
    }
}

impl Store {
    /// The sum over the builds with this store.
    pub fn statistics(&self) -> Statistics {
        let stored = sealed::read::<(u32, Statistics)>(&self.root().join(FILE));
        stored.filter(|it| it.0 == VERSION).unwrap_or_default().1
    }

    /// Adds the work of a build.
    pub(crate) fn add_statistics(&self, work: &Statistics) -> io::Result<()> {
        let mut sum = self.statistics();
        sum.add(work);
        sealed::write(&self.root().join(FILE), &(VERSION, sum))
    }
}

fn micros(time: Duration) -> u64 {
    u64::try_from(time.as_micros()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn saved_time_is_the_mean_of_what_was_made_or_what_the_layer_says() {
        let folder = tempfile::tempdir().expect("a folder");
        let store = Store::new(folder.path());
        let mut work = Statistics::default();
        work.made(Kind::Kernel, Duration::from_micros(100));
        work.made(Kind::Kernel, Duration::from_micros(300));
        store.add_statistics(&work).expect("writable");
        let mut work = Statistics::default();
        work.store.hit(Kind::Kernel, 10, None);
        work.store.hit(Kind::Kernel, 10, None);
        work.store.hit(Kind::Text, 10, None);
        work.layer.hit(Kind::Kernel, 7, Some(Duration::from_micros(5)));
        store.add_statistics(&work).expect("writable");
        let all = store.statistics();
        assert_eq!((all.store.hits, all.store.bytes_in, all.layer.hits), (3, 30, 1));
        assert_eq!(all.saved(&all.store), Duration::from_micros(400));
        assert_eq!(all.saved(&all.layer), Duration::from_micros(5));
    }
}

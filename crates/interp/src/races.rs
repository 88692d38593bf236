//! Race detection: the last accesses of a byte, and whether a barrier orders them before this access (SEMANTICS: P2,
//! Y1).
//!
//! In: every access of a kernel or of a parallel loop to memory that is not private. Out: whether it races with an
//! earlier one. Terms: a *launch* is one run of a kernel or of a parallel loop; its *agents* are blocks, or iterations;
//! an agent has *threads*, in *warps* of 32; an *epoch* ends at each barrier of the agent, a *warp's epoch* at each
//! barrier of the warp. Two accesses, one of them a write, race if they are in one launch and come from different
//! agents, or from different threads of one agent in one epoch, unless both threads are of one warp and its epoch ended
//! between. A byte remembers its last write and its last read; "read by several" threads, or warps, is one state.
//! Atomics do not take part. Pages of 1024 bytes are made on first touch: O(1) an access, memory 40 times the accessed
//! bytes.

/// Threads of a warp.
pub(super) const WARP: u32 = 32;
/// No thread, and no agent.
const NOBODY: u32 = u32::MAX;
/// More than one of them; of warps and epochs too.
const SEVERAL: u32 = u32::MAX - 1;
const PAGE: usize = 1024;

/// The agent of an access.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Agent {
    pub(super) launch: u32,
    pub(super) agent: u32,
    pub(super) epoch: u32,
    pub(super) thread: u32,
}

/// A point in the order of an agent's barriers, and the thread that is there.
#[derive(Clone, Copy)]
struct Moment {
    epoch: u32,
    warp_epoch: u32,
    thread: u32,
}

impl Moment {
    const NEVER: Moment = Moment { epoch: 0, warp_epoch: 0, thread: NOBODY };

    /// Returns true if a barrier separates this earlier moment of an agent from a later one.
    fn is_before(self, later: Moment) -> bool {
        self.epoch != later.epoch
            || self.thread / WARP == later.thread / WARP && self.warp_epoch != later.warp_epoch
    }
}

/// The last accesses to a byte.
#[derive(Clone, Copy)]
struct Shadow {
    launch: u32,
    writer: u32,
    write: Moment,
    reader: u32,
    read: Moment,
    /// The warp of the reader, or several.
    read_warp: u32,
    /// True if several threads of that warp have read it in its epoch.
    is_read_by_several: bool,
}

const UNTOUCHED: Shadow = Shadow {
    launch: 0,
    writer: NOBODY,
    write: Moment::NEVER,
    reader: NOBODY,
    read: Moment::NEVER,
    read_warp: NOBODY,
    is_read_by_several: false,
};

type Page = Box<[Shadow; PAGE]>;

/// The shadows of all memory, by storage and page.
#[derive(Default)]
pub(super) struct Races {
    storages: Vec<Vec<Option<Page>>>,
    /// The epoch of each warp of the agent.
    warp_epochs: Vec<u32>,
}

impl Races {
    /// Notes an access to bytes of a storage; true if it races.
    pub(super) fn access(
        &mut self,
        storage: usize,
        at: usize,
        len: usize,
        by: Agent,
        is_write: bool,
    ) -> bool {
        if self.storages.len() <= storage {
            self.storages.resize_with(storage + 1, Vec::new);
        }
        let pages = &mut self.storages[storage];
        if pages.len() <= (at + len) / PAGE {
            pages.resize_with((at + len) / PAGE + 1, || None);
        }
        let warp_epoch = self.warp_epochs.get((by.thread / WARP) as usize).copied().unwrap_or(0);
        let now = Moment { epoch: by.epoch, warp_epoch, thread: by.thread };
        let mut is_race = false;
        for byte in at..at + len {
            let page = pages[byte / PAGE].get_or_insert_with(|| Box::new([UNTOUCHED; PAGE]));
            is_race |= touch(&mut page[byte % PAGE], by, now, is_write);
        }
        is_race
    }

    /// The warps of these threads meet at a barrier of their own, each for itself.
    pub(super) fn warp_barrier(&mut self, threads: impl Iterator<Item = u32>) {
        let mut warps: Vec<usize> = threads.map(|it| (it / WARP) as usize).collect();
        warps.sort_unstable();
        warps.dedup();
        for warp in warps {
            if self.warp_epochs.len() <= warp {
                self.warp_epochs.resize(warp + 1, 0);
            }
            self.warp_epochs[warp] += 1;
        }
    }

    /// Forgets a storage: its memory is fresh.
    pub(super) fn forget(&mut self, storage: usize) {
        if let Some(pages) = self.storages.get_mut(storage) {
            pages.clear();
        }
    }
}

fn touch(shadow: &mut Shadow, by: Agent, now: Moment, is_write: bool) -> bool {
    if shadow.launch != by.launch {
        *shadow = Shadow { launch: by.launch, ..UNTOUCHED };
    }
    let races_with = |agent: u32, then: Moment, by_several: bool| {
        let is_other = by_several || then.thread != now.thread;
        agent != NOBODY && (agent != by.agent || (is_other && !then.is_before(now)))
    };
    let with_write = races_with(shadow.writer, shadow.write, false);
    if is_write {
        let with_warps = shadow.reader == by.agent
            && shadow.read_warp == SEVERAL
            && shadow.read.epoch == now.epoch;
        let with_read =
            with_warps || races_with(shadow.reader, shadow.read, shadow.is_read_by_several);
        (shadow.writer, shadow.write) = (by.agent, now);
        return with_write || with_read;
    }
    note_read(shadow, by, now);
    with_write
}

/// Notes a read, together with those that no barrier separates from it.
fn note_read(shadow: &mut Shadow, by: Agent, now: Moment) {
    let then = shadow.read;
    let (warp, is_first) = (now.thread / WARP, shadow.reader == NOBODY);
    if !is_first && shadow.reader != by.agent {
        shadow.reader = SEVERAL;
    } else if is_first || then.epoch != now.epoch {
        (shadow.reader, shadow.read, shadow.read_warp) = (by.agent, now, warp);
        shadow.is_read_by_several = false;
    } else if shadow.read_warp != warp {
        shadow.read_warp = SEVERAL;
    } else if then.warp_epoch != now.warp_epoch {
        (shadow.read, shadow.is_read_by_several) = (now, false);
    } else if then.thread != now.thread {
        shadow.is_read_by_several = true;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(agent: u32, epoch: u32, thread: u32) -> Agent {
        Agent { launch: 1, agent, epoch, thread }
    }

    #[test]
    fn threads_race_until_a_barrier() {
        let mut races = Races::default();
        assert!(!races.access(0, 0, 4, at(0, 0, 0), true));
        assert!(!races.access(0, 0, 4, at(0, 0, 0), false), "a thread does not race with itself");
        assert!(races.access(0, 0, 4, at(0, 0, 1), false), "another thread before the barrier");
        assert!(!races.access(0, 0, 4, at(0, 1, 1), false), "after the barrier");
        assert!(!races.access(0, 4, 4, at(0, 1, 1), true), "other bytes");
    }

    #[test]
    fn a_write_races_with_every_reader_of_its_epoch() {
        let mut races = Races::default();
        for thread in 0..3 {
            assert!(!races.access(0, 0, 1, at(0, 5, thread), false), "reads do not race");
        }
        assert!(races.access(0, 0, 1, at(0, 5, 2), true), "others have read it");
        assert!(!races.access(0, 0, 1, at(0, 6, 2), true), "a barrier later");
    }

    #[test]
    fn a_reader_that_was_one_of_several_may_not_write() {
        let mut races = Races::default();
        for thread in [0, 1, 0, 0] {
            assert!(!races.access(0, 0, 1, at(0, 5, thread), false));
        }
        assert!(races.access(0, 0, 1, at(0, 5, 0), true), "thread 1 has read it too");
    }

    #[test]
    fn a_barrier_of_a_warp_orders_its_own_threads_only() {
        let mut races = Races::default();
        assert!(!races.access(0, 0, 4, at(0, 0, 3), true));
        races.warp_barrier(0..32);
        assert!(!races.access(0, 0, 4, at(0, 0, 4), false), "the same warp, after its barrier");
        assert!(races.access(0, 0, 4, at(0, 0, 40), false), "another warp");
        assert!(races.access(0, 0, 4, at(0, 0, 4), true), "warp 1 has read it");
        races.warp_barrier(32..64);
        assert!(races.access(0, 0, 4, at(0, 0, 40), false), "only its own warp was waited for");
        assert!(!races.access(0, 0, 4, at(0, 1, 41), true), "a barrier of the block");
    }

    #[test]
    fn readers_of_a_warp_are_done_at_its_barrier() {
        let mut races = Races::default();
        for thread in 0..3 {
            assert!(!races.access(0, 0, 1, at(0, 0, thread), false));
        }
        races.warp_barrier(0..32);
        assert!(!races.access(0, 0, 1, at(0, 0, 0), true));
        assert!(races.access(0, 0, 1, at(0, 0, 1), false), "nothing orders it after that write");
    }

    #[test]
    fn no_barrier_orders_blocks() {
        let mut races = Races::default();
        assert!(!races.access(0, 0, 1, at(0, 0, 0), true));
        assert!(races.access(0, 0, 1, at(1, 9, 0), false));
        let next_launch = Agent { launch: 2, ..at(1, 0, 0) };
        assert!(!races.access(0, 0, 1, next_launch, true), "launches come one after the other");
    }
}

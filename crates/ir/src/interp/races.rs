//! Races: who touched a byte last, and whether something ordered that before this access (SEMANTICS: P2, Y1).
//!
//! In: every access of a kernel or of a parallel loop to memory that is not private. Out: whether it races with an
//! earlier one. Terms: a *launch* is one run of a kernel or of a parallel loop; its *agents* are blocks, or iterations;
//! an agent has *threads*; an *epoch* ends at each barrier. Two accesses, one of them a write, race if they are in one
//! launch and come from different agents, or from different threads of one agent in one epoch. A byte remembers its last
//! write and its last read; "read by several" is one state. Atomics do not take part. Pages of 1024 bytes are made
//! on first touch: O(1) an access, memory 32 times what is touched.

/// No thread, and no agent.
const NOBODY: u32 = u32::MAX;
/// More than one of them.
const SEVERAL: u32 = u32::MAX - 1;
const PAGE: usize = 1024;

/// Who accesses.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Agent {
    pub(super) launch: u32,
    pub(super) agent: u32,
    pub(super) epoch: u32,
    pub(super) thread: u32,
}

/// The last accesses to a byte.
#[derive(Clone, Copy)]
struct Shadow {
    launch: u32,
    writer: u32,
    write_epoch: u32,
    write_thread: u32,
    reader: u32,
    read_epoch: u32,
    read_thread: u32,
}

const UNTOUCHED: Shadow = Shadow {
    launch: 0,
    writer: NOBODY,
    write_epoch: 0,
    write_thread: NOBODY,
    reader: NOBODY,
    read_epoch: 0,
    read_thread: NOBODY,
};

type Page = Box<[Shadow; PAGE]>;

/// The shadows of all memory, by storage and page.
#[derive(Default)]
pub(super) struct Races {
    storages: Vec<Vec<Option<Page>>>,
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
        let mut is_race = false;
        for byte in at..at + len {
            let page = pages[byte / PAGE].get_or_insert_with(|| Box::new([UNTOUCHED; PAGE]));
            is_race |= touch(&mut page[byte % PAGE], by, is_write);
        }
        is_race
    }

    /// Forgets a storage: its memory is fresh.
    pub(super) fn forget(&mut self, storage: usize) {
        if let Some(pages) = self.storages.get_mut(storage) {
            pages.clear();
        }
    }
}

fn touch(shadow: &mut Shadow, by: Agent, is_write: bool) -> bool {
    if shadow.launch != by.launch {
        *shadow = Shadow { launch: by.launch, ..UNTOUCHED };
    }
    let races_with = |agent: u32, epoch: u32, thread: u32| {
        agent != NOBODY && (agent != by.agent || (epoch == by.epoch && thread != by.thread))
    };
    let with_write = races_with(shadow.writer, shadow.write_epoch, shadow.write_thread);
    if is_write {
        let with_read = races_with(shadow.reader, shadow.read_epoch, shadow.read_thread);
        (shadow.writer, shadow.write_epoch, shadow.write_thread) = (by.agent, by.epoch, by.thread);
        return with_write || with_read;
    }
    if shadow.reader == NOBODY {
        shadow.reader = by.agent;
    } else if shadow.reader != by.agent {
        shadow.reader = SEVERAL;
    } else if shadow.read_epoch == by.epoch && shadow.read_thread != by.thread {
        shadow.read_thread = SEVERAL;
        return with_write;
    }
    (shadow.read_epoch, shadow.read_thread) = (by.epoch, by.thread);
    with_write
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
    fn no_barrier_orders_blocks() {
        let mut races = Races::default();
        assert!(!races.access(0, 0, 1, at(0, 0, 0), true));
        assert!(races.access(0, 0, 1, at(1, 9, 0), false));
        let next_launch = Agent { launch: 2, ..at(1, 0, 0) };
        assert!(!races.access(0, 0, 1, next_launch, true), "launches come one after the other");
    }
}

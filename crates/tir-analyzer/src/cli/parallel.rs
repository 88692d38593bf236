//! Work on many items at once, with the results in the order of the items and few of them waiting.
//!
//! Input: items and the work on one. Output: each result, to a sink on the calling thread, in order. At most twice as
//! many items as threads are under way or waiting, so memory does not grow with the number of items. A sink that fails
//! stops the work.

use std::{
    collections::BTreeMap,
    sync::{Condvar, Mutex, MutexGuard, PoisonError},
    thread,
};

/// Stack of a worker: as much as the main thread has.
const STACK: usize = 8 << 20;

struct Queue<R> {
    /// The next item to be started.
    next: usize,
    /// Results that wait for their turn.
    done: BTreeMap<usize, R>,
    /// Items whose results the sink has.
    n_taken: usize,
    /// Nobody wants more.
    is_stopped: bool,
}

struct Shared<R> {
    queue: Mutex<Queue<R>>,
    changed: Condvar,
}

impl<R> Shared<R> {
    fn lock(&self) -> MutexGuard<'_, Queue<R>> {
        // The lock is never held over foreign code, so nothing is half-done behind a poisoned one.
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn wait<'a>(&self, guard: MutexGuard<'a, Queue<R>>) -> MutexGuard<'a, Queue<R>> {
        self.changed.wait(guard).unwrap_or_else(PoisonError::into_inner)
    }
}

/// The number of threads for so many items: as asked for, or one a processor and at most 8.
pub(crate) fn n_jobs(asked: Option<u16>, n_items: usize) -> usize {
    let default = || thread::available_parallelism().map_or(1, usize::from).min(8);
    asked.map_or_else(default, usize::from).min(n_items).max(1)
}

/// Runs `work` on every item. It must not panic: see [`super::guard`].
pub(crate) fn for_each_in_order<T: Sync, R: Send, E>(
    items: &[T],
    n_jobs: usize,
    work: impl Fn(&T) -> R + Sync,
    mut sink: impl FnMut(R) -> Result<(), E>,
) -> Result<(), E> {
    if n_jobs <= 1 {
        return items.iter().try_for_each(|it| sink(work(it)));
    }
    let queue = Queue { next: 0, done: BTreeMap::new(), n_taken: 0, is_stopped: false };
    let shared = Shared { queue: Mutex::new(queue), changed: Condvar::new() };
    thread::scope(|scope| {
        let mut n_started = 0;
        for _ in 0..n_jobs {
            let run = || run_worker(&shared, items, 2 * n_jobs, &work);
            n_started += usize::from(
                thread::Builder::new().stack_size(STACK).spawn_scoped(scope, run).is_ok(),
            );
        }
        if n_started == 0 {
            return items.iter().try_for_each(|it| sink(work(it)));
        }
        let outcome = take_all(&shared, items.len(), &mut sink);
        shared.lock().is_stopped = true;
        shared.changed.notify_all();
        outcome
    })
}

fn run_worker<T, R>(shared: &Shared<R>, items: &[T], window: usize, work: &impl Fn(&T) -> R) {
    let mut queue = shared.lock();
    loop {
        if queue.is_stopped || queue.next >= items.len() {
            return;
        }
        if queue.next >= queue.n_taken + window {
            queue = shared.wait(queue);
            continue;
        }
        let at = queue.next;
        queue.next += 1;
        drop(queue);
        let result = work(&items[at]);
        queue = shared.lock();
        queue.done.insert(at, result);
        shared.changed.notify_all();
    }
}

fn take_all<R, E>(
    shared: &Shared<R>,
    n_items: usize,
    sink: &mut impl FnMut(R) -> Result<(), E>,
) -> Result<(), E> {
    for at in 0..n_items {
        let mut queue = shared.lock();
        let result = loop {
            match queue.done.remove(&at) {
                Some(result) => break result,
                None => queue = shared.wait(queue),
            }
        };
        queue.n_taken = at + 1;
        drop(queue);
        shared.changed.notify_all();
        sink(result)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_come_in_the_order_of_the_items() {
        let items: Vec<usize> = (0..200).collect();
        let mut res = Vec::new();
        let work = |it: &usize| {
            if it.is_multiple_of(7) {
                thread::yield_now();
            }
            it * 2
        };
        for_each_in_order(&items, 4, work, |it| -> Result<(), ()> {
            res.push(it);
            Ok(())
        })
        .unwrap();
        assert_eq!(res, items.iter().map(|it| it * 2).collect::<Vec<_>>());
    }

    #[test]
    fn sink_that_fails_stops_the_work() {
        let items: Vec<usize> = (0..10_000).collect();
        let sink = |it| if it == 3 { Err(it) } else { Ok(()) };
        assert_eq!(for_each_in_order(&items, 3, |it| *it, sink), Err(3));
    }
}

//! Events in the order of their times, and servers with a line before them.
//!
//! In: events with times, requests with durations. Out: the next event; when a request begins and ends. Nothing here
//! depends on a clock, a thread or chance: equal input gives equal output. An event costs the logarithm of those that
//! wait.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Nanoseconds.
pub(super) type Time = u64;

/// A second.
pub(super) const SECOND: Time = 1_000_000_000;

/// Events that will happen; of those at one time the one that was planned first comes first.
pub(super) struct Events<E> {
    waiting: BinaryHeap<Reverse<(Time, u64, E)>>,
    planned: u64,
    now: Time,
}

impl<E: Ord> Events<E> {
    /// None, at the beginning of time.
    pub(super) fn new() -> Events<E> {
        Events { waiting: BinaryHeap::new(), planned: 0, now: 0 }
    }

    /// The time of the last event that happened.
    pub(super) fn now(&self) -> Time {
        self.now
    }

    /// Plans an event, not before now.
    pub(super) fn plan(&mut self, at: Time, event: E) {
        self.planned += 1;
        self.waiting.push(Reverse((at.max(self.now), self.planned, event)));
    }

    /// The next event.
    pub(super) fn next(&mut self) -> Option<E> {
        let Reverse((at, _, event)) = self.waiting.pop()?;
        self.now = at;
        Some(event)
    }
}

/// Equal servers with one line before them: who comes first is served first.
pub(super) struct Servers {
    /// When each is free.
    free: BinaryHeap<Reverse<Time>>,
    busy: u128,
}

impl Servers {
    /// So many, at least one.
    pub(super) fn new(n: usize) -> Servers {
        Servers { free: (0..n.max(1)).map(|_| Reverse(0)).collect(), busy: 0 }
    }

    /// The end of a request that comes now; requests have to be given in the order of their times.
    pub(super) fn serve(&mut self, now: Time, duration: Time) -> Time {
        let Reverse(free) = self.free.pop().unwrap_or(Reverse(0));
        let end = now.max(free) + duration;
        self.free.push(Reverse(end));
        self.busy += u128::from(duration);
        end
    }

    /// The share of its time that a server was busy up to now.
    pub(super) fn utilisation(&self, now: Time) -> f64 {
        match now {
            0 => 0.0,
            _ => self.busy as f64 / (now as f64 * self.free.len() as f64),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_come_in_the_order_of_their_times_and_plans() {
        let mut events = Events::new();
        for (at, event) in [(5, "c"), (1, "a"), (5, "b"), (3, "d")] {
            events.plan(at, event);
        }
        assert_eq!((events.next(), events.now()), (Some("a"), 1));
        // Nothing is planned for the past.
        events.plan(0, "late");
        let all: Vec<_> = std::iter::from_fn(|| events.next()).collect();
        assert_eq!(all, ["late", "d", "c", "b"]);
        assert_eq!(events.now(), 5);
    }

    #[test]
    fn work_is_shared_by_all_servers() {
        for n in [1, 2, 4, 7] {
            let mut servers = Servers::new(n);
            let ends: Vec<Time> = (0..28).map(|_| servers.serve(0, 10)).collect();
            assert_eq!(ends.last(), Some(&(10 * 28_u64.div_ceil(n as u64))));
            assert!((servers.utilisation(280 / n as u64) - 1.0).abs() < 1e-9);
        }
    }

    /// The mean time that requests wait before one server: they come at random, a fixed time of service each.
    fn mean_wait(load: f64) -> f64 {
        let service = 1_000_000;
        let mut random = test_utils::Rng::new(7);
        let mut servers = Servers::new(1);
        let (mut now, mut waited, n) = (0.0, 0.0, 400_000);
        for _ in 0..n {
            // Between two requests of a Poisson process.
            let uniform = (random.below(1 << 30) as f64 + 0.5) / f64::from(1 << 30);
            now -= uniform.ln() * service as f64 / load;
            waited += (servers.serve(now as Time, service) - service) as f64 - now.floor();
        }
        waited / f64::from(n) / service as f64
    }

    #[test]
    fn waiting_is_that_of_a_line_with_fixed_times() {
        // M/D/1, by Pollaczek and Khinchine: load / (2 (1 - load)) services.
        for load in [0.2, 0.5, 0.8] {
            let expected = load / (2.0 * (1.0 - load));
            let found = mean_wait(load);
            assert!((found / expected - 1.0).abs() < 0.05, "{load}: {found}, not {expected}");
        }
    }
}

//! A farm: developers who build, workers that compile for all of them, and a cache that all share.
//!
//! In: times, sizes and numbers. Out: how long each build takes, and the load on cache and workers. A build asks the
//! cache for its kernels, some calls at a time; those that it has are fetched over the line of the cache and that of
//! the developer. The others are written as text one after the other, and compiled on the developer's own machine, one
//! at a time for each of its compilers, and in groups on workers, which take the groups of all developers in the order
//! in which they come. A compiler of the developer's that has nothing to do begins kernels of jobs that are long on
//! their way once more, as the farm of `build-kernels` does; who is first counts, and a job whose kernels are all done
//! is not begun. What is compiled is kept in the cache. Durations are fixed: nothing is by chance. An event for each
//! group of kernels and for each bundle of calls.

use std::collections::VecDeque;

use super::queue::{Events, SECOND, Servers, Time};

/// A farm and its builds. Sizes are bytes.
#[derive(Clone, Debug)]
pub(super) struct Farm {
    /// Developers; one begins every [`Self::apart`].
    pub(super) developers: usize,
    pub(super) apart: Time,
    /// Kernels of a build.
    pub(super) kernels: usize,
    /// The share of them that the cache has.
    pub(super) hits: f64,
    /// Workers of all developers.
    pub(super) workers: usize,
    /// Compilers on a developer's machine, and the time of one for a kernel.
    pub(super) here: usize,
    pub(super) compile_here: Time,
    /// The time to write the text of a kernel.
    pub(super) produce: Time,
    /// Kernels of a job, jobs of a developer at a time, and the times that a worker has a job: in all, and for each
    /// kernel.
    pub(super) group: usize,
    pub(super) jobs: usize,
    pub(super) job: Time,
    pub(super) compile_there: Time,
    /// There and back.
    pub(super) latency: Time,
    /// Bytes a second on the line of a developer, and on that of the cache.
    pub(super) line: f64,
    pub(super) cache_line: f64,
    /// Calls of a build at a time, and the time of the cache for each; the cache does so many at a time.
    pub(super) calls: usize,
    pub(super) call: Time,
    pub(super) cache_threads: usize,
    /// Of an entry of the cache, and of a kernel that is sent to a worker.
    pub(super) entry: f64,
    pub(super) source: f64,
}

/// The outcome of a simulation.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Outcome {
    /// How long each build took, in the order of their beginnings.
    pub(super) builds: Vec<Time>,
    /// When the last one ended.
    pub(super) end: Time,
    /// Calls of the cache: all, and the most in one second.
    pub(super) calls: u64,
    pub(super) most_calls: u64,
    /// Bytes that the cache gave: all, and the most in one second.
    pub(super) bytes: f64,
    pub(super) most_bytes: f64,
    /// The share of their time that workers and the cache had something to do.
    pub(super) workers: f64,
    pub(super) cache: f64,
}

/// A job that is so long on its way is begun here once more, if compiling takes no longer here.
const SOON: Time = SECOND / 5;
/// Calls in one event: as many as go out at a time, or more in long builds, one after the other.
const BUNDLES: usize = 2000;

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Event {
    /// A developer begins.
    Begin(usize),
    /// The cache hears of calls.
    Asked(usize, usize),
    /// It has answered them.
    Answered(usize, usize),
    /// A developer has what it asked for: so many kernels, and lacks so many.
    Fetched(usize, usize, usize),
    /// The texts of so many kernels are there.
    Produced(usize, usize),
    /// A kernel was compiled where it is needed; of a job, if it was begun once more.
    Compiled(usize, Option<usize>),
    /// A job reaches the workers.
    Sent(usize),
    /// A worker has done it.
    Worked(usize),
    /// Its result is back.
    Returned(usize),
    /// A developer's compilers look for what takes long.
    Look(usize),
}

/// A job on its way.
struct Job {
    who: usize,
    kernels: usize,
    since: Time,
    /// Kernels that were begun once more, and those of them that are done.
    doubled: usize,
    done_here: usize,
    is_over: bool,
}

/// A developer.
#[derive(Clone, Default)]
struct Developer {
    begun: Time,
    to_ask: usize,
    asked: usize,
    found: usize,
    /// Kernels without texts, with texts, and those that nobody has done yet.
    to_produce: usize,
    is_producing: bool,
    waiting: usize,
    left: usize,
    compiling: usize,
    /// Those on their way, the oldest first; some may be over.
    jobs: VecDeque<usize>,
    n_jobs: usize,
    is_looking: bool,
    line_free: Time,
    took: Time,
}

/// Counts by the second.
#[derive(Default)]
struct Seconds {
    now: Time,
    calls: u64,
    bytes: f64,
    most: (u64, f64),
    all: (u64, f64),
}

impl Seconds {
    fn add(&mut self, now: Time, calls: u64, bytes: f64) {
        if now / SECOND != self.now {
            (self.now, self.calls, self.bytes) = (now / SECOND, 0, 0.0);
        }
        self.calls += calls;
        self.bytes += bytes;
        self.most = (self.most.0.max(self.calls), self.most.1.max(self.bytes));
        self.all = (self.all.0 + calls, self.all.1 + bytes);
    }
}

struct Run<'f> {
    farm: &'f Farm,
    events: Events<Event>,
    developers: Vec<Developer>,
    jobs: Vec<Job>,
    /// Jobs that no worker has begun.
    waiting: VecDeque<usize>,
    idle: usize,
    worked: u128,
    cache: Servers,
    line: Servers,
    seconds: Seconds,
}

impl Farm {
    /// Simulates all builds.
    pub(super) fn simulate(&self) -> Outcome {
        let mut run = Run {
            farm: self,
            events: Events::new(),
            developers: vec![Developer::default(); self.developers],
            jobs: Vec::new(),
            waiting: VecDeque::new(),
            idle: self.workers,
            worked: 0,
            cache: Servers::new(self.cache_threads),
            line: Servers::new(1),
            seconds: Seconds::default(),
        };
        for it in 0..self.developers {
            run.events.plan(it as Time * self.apart, Event::Begin(it));
        }
        while let Some(event) = run.events.next() {
            run.happen(event);
        }
        let ends = run.developers.iter().map(|it| it.begun + it.took);
        let end = ends.max().unwrap_or(0);
        Outcome {
            builds: run.developers.iter().map(|it| it.took).collect(),
            end,
            calls: run.seconds.all.0,
            most_calls: run.seconds.most.0,
            bytes: run.seconds.all.1,
            most_bytes: run.seconds.most.1,
            workers: run.worked as f64 / (end.max(1) as f64 * self.workers.max(1) as f64),
            cache: run.cache.utilisation(end),
        }
    }

    /// Calls of one event.
    fn bundle(&self) -> usize {
        let calls = self.calls.max(1);
        calls * self.kernels.div_ceil(calls * BUNDLES).max(1)
    }
}

fn time(bytes: f64, rate: f64) -> Time {
    (bytes / rate * SECOND as f64) as Time
}

impl Run<'_> {
    fn happen(&mut self, event: Event) {
        let (farm, now) = (self.farm, self.events.now());
        let half = farm.latency / 2;
        match event {
            Event::Begin(who) => {
                let it = &mut self.developers[who];
                (it.begun, it.to_ask, it.left) = (now, farm.kernels, farm.kernels);
                self.ask(who);
            }
            Event::Asked(who, n) => {
                let each = farm.call * n as Time / farm.cache_threads.max(1) as Time;
                // All threads take part in a bundle.
                let mut end = now;
                for _ in 0..farm.cache_threads.max(1) {
                    end = end.max(self.cache.serve(now, each));
                }
                self.events.plan(end, Event::Answered(who, n));
            }
            Event::Answered(who, n) => {
                let it = &mut self.developers[who];
                it.asked += n;
                // As many as there are up to here, so that no part of one is lost.
                let found = (it.asked as f64 * farm.hits + 1e-9) as usize - it.found;
                it.found += found;
                let bytes = found as f64 * farm.entry;
                self.seconds.add(now, n as u64, bytes);
                let end = self.line.serve(now, time(bytes, farm.cache_line));
                it.line_free = it.line_free.max(now) + time(bytes, farm.line);
                // Calls of a bundle beyond those of one time wait for answers once more each.
                let rounds = n.div_ceil(farm.calls.max(1)).max(1) as Time - 1;
                let end = end.max(it.line_free) + half + rounds * farm.latency;
                self.events.plan(end, Event::Fetched(who, found, n - found));
            }
            Event::Fetched(who, found, lacking) => {
                let it = &mut self.developers[who];
                it.left -= found;
                it.to_produce += lacking;
                self.ask(who);
                self.produce(who);
                self.end(who);
            }
            Event::Produced(who, n) => {
                let it = &mut self.developers[who];
                it.is_producing = false;
                it.waiting += n;
                self.produce(who);
                self.share_out(who);
            }
            Event::Compiled(who, job) => {
                self.developers[who].compiling -= 1;
                let Some(job) = job else { return self.done(who, 1) };
                let job = &mut self.jobs[job];
                if job.is_over {
                    return self.share_out(who);
                }
                job.done_here += 1;
                if job.done_here == job.kernels {
                    job.is_over = true;
                    self.developers[who].n_jobs -= 1;
                }
                self.done(who, 1);
            }
            Event::Sent(job) => {
                self.waiting.push_back(job);
                self.work();
            }
            Event::Worked(job) => {
                self.idle += 1;
                let back = half + time(self.jobs[job].kernels as f64 * farm.entry, farm.line);
                self.events.plan(now + back, Event::Returned(job));
                self.work();
            }
            Event::Returned(job) => {
                let job = &mut self.jobs[job];
                if !std::mem::replace(&mut job.is_over, true) {
                    let (who, n) = (job.who, job.kernels - job.done_here);
                    self.developers[who].n_jobs -= 1;
                    self.done(who, n);
                }
            }
            Event::Look(who) => {
                self.developers[who].is_looking = false;
                self.share_out(who);
            }
        }
    }

    /// Gives jobs to workers that have nothing to do.
    fn work(&mut self) {
        while self.idle > 0
            && let Some(job) = self.waiting.pop_front()
        {
            if self.jobs[job].is_over {
                continue;
            }
            self.idle -= 1;
            let took = self.farm.job + self.jobs[job].kernels as Time * self.farm.compile_there;
            self.worked += u128::from(took);
            self.events.plan(self.events.now() + took, Event::Worked(job));
        }
    }

    /// Asks the cache for the next kernels.
    fn ask(&mut self, who: usize) {
        let it = &mut self.developers[who];
        let n = it.to_ask.min(self.farm.bundle());
        if n > 0 {
            it.to_ask -= n;
            let at = self.events.now() + self.farm.latency / 2;
            self.events.plan(at, Event::Asked(who, n));
        }
    }

    /// Writes the next texts.
    fn produce(&mut self, who: usize) {
        let it = &mut self.developers[who];
        let n = it.to_produce.min(self.farm.group.max(1));
        if n > 0 && !it.is_producing {
            it.is_producing = true;
            it.to_produce -= n;
            let at = self.events.now() + n as Time * self.farm.produce;
            self.events.plan(at, Event::Produced(who, n));
        }
    }

    /// Gives kernels to who has nothing to do.
    fn share_out(&mut self, who: usize) {
        let (farm, now) = (self.farm, self.events.now());
        let it = &mut self.developers[who];
        while it.waiting > 0 {
            if it.compiling < farm.here {
                it.compiling += 1;
                it.waiting -= 1;
                self.events.plan(now + farm.compile_here, Event::Compiled(who, None));
            } else if it.n_jobs < farm.jobs && farm.workers > 0 {
                let n = it.waiting.min(farm.group.max(1));
                it.n_jobs += 1;
                it.waiting -= n;
                let sent = farm.latency / 2 + time(n as f64 * farm.source, farm.line);
                let job =
                    Job { who, kernels: n, since: now, doubled: 0, done_here: 0, is_over: false };
                it.jobs.push_back(self.jobs.len());
                self.events.plan(now + sent, Event::Sent(self.jobs.len()));
                self.jobs.push(job);
            } else {
                return;
            }
        }
        // Nothing waits: what is long on its way is begun once more, the oldest first.
        let patience = farm.compile_here.max(SOON);
        while it.compiling < farm.here
            && let Some(&first) = it.jobs.front()
        {
            let job = &mut self.jobs[first];
            if job.is_over || job.doubled == job.kernels {
                it.jobs.pop_front();
            } else if now - job.since >= patience {
                job.doubled += 1;
                it.compiling += 1;
                self.events.plan(now + farm.compile_here, Event::Compiled(who, Some(first)));
            } else {
                if !std::mem::replace(&mut it.is_looking, true) {
                    self.events.plan(job.since + patience, Event::Look(who));
                }
                return;
            }
        }
    }

    fn done(&mut self, who: usize, n: usize) {
        let now = self.events.now();
        self.developers[who].left -= n;
        // It is kept for the others.
        self.seconds.add(now, n as u64, 0.0);
        self.share_out(who);
        self.end(who);
    }

    fn end(&mut self, who: usize) {
        let it = &mut self.developers[who];
        if it.left == 0 {
            it.took = self.events.now() - it.begun;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MILLI: Time = SECOND / 1000;

    /// One developer whose kernels are all compiled by workers, in no time but theirs.
    fn plain() -> Farm {
        Farm {
            developers: 1,
            apart: 0,
            kernels: 960,
            hits: 0.0,
            workers: 1,
            here: 0,
            compile_here: 0,
            produce: 0,
            group: 1,
            jobs: 1000,
            job: 0,
            compile_there: 50 * MILLI,
            latency: 0,
            line: f64::INFINITY,
            cache_line: f64::INFINITY,
            calls: 64,
            call: 0,
            cache_threads: 1,
            entry: 1000.0,
            source: 1000.0,
        }
    }

    fn took(farm: &Farm) -> Time {
        farm.simulate().builds[0]
    }

    #[test]
    fn workers_without_any_waste_share_the_work() {
        for workers in [1, 2, 3, 4, 10, 960] {
            let farm = Farm { workers, ..plain() };
            assert_eq!(took(&farm), 960_u64.div_ceil(workers as u64) * 50 * MILLI, "{workers}");
        }
        // A developer's own compilers are like workers.
        let farm = Farm { here: 2, compile_here: 50 * MILLI, workers: 0, ..plain() };
        assert_eq!(took(&farm), 480 * 50 * MILLI);
        let farm = Farm { here: 2, compile_here: 50 * MILLI, workers: 2, jobs: 2, ..plain() };
        assert_eq!(took(&farm), 240 * 50 * MILLI);
    }

    #[test]
    fn who_has_nothing_to_do_takes_over_what_waits_elsewhere() {
        // All jobs but a few wait for the only worker, which needs 10 s for each: 10 compilers here do them.
        let farm = Farm {
            here: 10,
            compile_here: SECOND,
            compile_there: 10 * SECOND,
            kernels: 100,
            jobs: 90,
            ..plain()
        };
        let outcome = farm.simulate();
        assert!((9 * SECOND..=11 * SECOND).contains(&outcome.builds[0]), "{outcome:?}");
        // Without that the last one came after 90 times 10 s.
        let farm = Farm { here: 0, kernels: 90, ..farm };
        assert_eq!(took(&farm), 900 * SECOND);
    }

    #[test]
    fn the_part_that_nobody_shares_stays() {
        // Amdahl: all texts are asked for in one go, which takes as long as 100 kernels on one worker.
        let alone = 100 * 50 * MILLI;
        for workers in [1, 2, 4, 16] {
            let farm = Farm { workers, calls: 960, call: alone / 960, ..plain() };
            let expected = alone + 960 / workers as u64 * 50 * MILLI;
            let found = took(&farm);
            assert!(found.abs_diff(expected) < MILLI, "{workers}: {found}, not {expected}");
        }
    }

    #[test]
    fn a_job_costs_what_is_common_to_its_kernels_once() {
        for group in [1, 4, 16] {
            let farm = Farm { group, job: 30 * MILLI, ..plain() };
            assert_eq!(took(&farm), (960 / group as u64 * 30 + 960 * 50) * MILLI);
        }
    }

    #[test]
    fn texts_are_the_limit_where_they_take_longer_than_compiling() {
        let farm = Farm { workers: 100, produce: 10 * MILLI, ..plain() };
        // The last one is compiled after all are written.
        assert_eq!(took(&farm), (960 * 10 + 50) * MILLI);
    }

    #[test]
    fn what_the_cache_has_takes_latency_and_lines() {
        let known = || Farm { hits: 1.0, ..plain() };
        // 15 times 64 calls.
        assert_eq!(took(&Farm { latency: 20 * MILLI, ..known() }), 15 * 20 * MILLI);
        // 960,000 bytes, by the narrower line.
        let farm = Farm { line: 96_000.0, cache_line: 1e6, ..known() };
        assert!(took(&farm).abs_diff(10 * SECOND) < MILLI);
        // Ten developers share the cache's line.
        let farm = Farm { developers: 10, cache_line: 96_000.0, ..known() };
        let outcome = farm.simulate();
        assert!(outcome.end.abs_diff(100 * SECOND) < 10 * MILLI, "{outcome:?}");
        assert_eq!((outcome.calls, outcome.bytes), (9600, 9_600_000.0));
        let most = outcome.most_bytes / 96_000.0;
        assert!((0.5..=10.0).contains(&most), "{most}");
    }

    #[test]
    fn all_is_done_whatever_the_numbers() {
        let mut random = test_utils::Rng::new(3);
        let mut below = |n: usize| random.below(n);
        for _ in 0..300 {
            let farm = Farm {
                developers: 1 + below(4),
                apart: below(1000) as Time * MILLI,
                kernels: 1 + below(500),
                hits: below(101) as f64 / 100.0,
                workers: 1 + below(5),
                here: below(3),
                compile_here: (1 + below(100)) as Time * MILLI,
                produce: below(5) as Time * MILLI,
                group: 1 + below(20),
                jobs: 1 + below(10),
                job: below(100) as Time * MILLI,
                compile_there: (1 + below(100)) as Time * MILLI,
                latency: below(50) as Time * MILLI,
                line: 1e6,
                cache_line: 1e7,
                calls: 1 + below(64),
                call: below(1000) as Time,
                cache_threads: 1 + below(4),
                entry: below(5000) as f64,
                source: below(5000) as f64,
            };
            let outcome = farm.simulate();
            assert_eq!(outcome, farm.simulate());
            let missing = farm.kernels - (farm.kernels as f64 * farm.hits + 1e-9) as usize;
            let calls = farm.developers * (farm.kernels + missing);
            assert_eq!(outcome.calls, calls as u64, "{farm:?}");
            // Nobody is faster than the work that has to be done, where nothing is done twice for it.
            let least = missing as Time * farm.compile_here.min(farm.compile_there)
                / (farm.here + farm.workers) as Time;
            assert!(outcome.builds.iter().all(|it| *it >= least), "{farm:?}");
            assert!(outcome.cache <= 1.0 + 1e-9);
            // More workers never make the last build later, but for a group at the end.
            let more = Farm { workers: farm.workers * 2, ..farm.clone() }.simulate();
            let group = farm.job + farm.group as Time * farm.compile_there;
            assert!(more.end <= outcome.end + group, "{farm:?}");
        }
    }
}

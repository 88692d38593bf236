//! Who does which file: this machine or a worker, whoever is faster.
//!
//! In: the files of a build, some of them in shards. Threads of this machine take a file at a time, from the first
//! shard on; others take whole shards for workers, from the last one on. What workers have done is taken here again, to
//! be written out, which costs little. Who has nothing else to do here takes files of shards that are away; when the
//! last of a shard is taken its worker is told to stop. A shard that takes long is sent once more, in halves. What
//! workers do not do, for whatever reason, is done here, so a build ends as it would without them.

use std::{
    collections::VecDeque,
    sync::{Condvar, Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

use codegen::execute::{NotDone, Stop};

use super::plan::{Candidate, halves};

/// Between two looks for what takes long.
const LOOK: Duration = Duration::from_millis(50);
/// A service that is left alone is asked again after this.
const PAUSE: Duration = Duration::from_secs(1);
/// The shortest time after which a shard is sent once more.
const SOON: Duration = Duration::from_millis(500);
/// A shard that takes so many times as long as usual is sent once more.
const TIMES: u32 = 3;

/// The files of a build.
#[derive(Debug)]
pub(super) struct Queue {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Debug)]
struct State {
    /// By number of the file.
    stages: Vec<Stage>,
    /// Files that workers have done.
    ready: VecDeque<usize>,
    /// Files that no worker gets.
    here: VecDeque<usize>,
    /// Shards that nobody began.
    waiting: VecDeque<Vec<Candidate>>,
    sent: Vec<Sent>,
    n_sent: u64,
    /// The usual time of a shard: half of it is the last one's.
    usual: Option<Duration>,
    /// The service is not asked before this moment.
    alone_until: Option<Instant>,
    is_closed: bool,
    /// Files that were sent in vain.
    unneeded: usize,
    notes: Vec<String>,
    more_failures: usize,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Stage {
    /// Nobody took it here.
    Open,
    /// A worker has done it.
    Ready,
    Taken,
}

/// A shard that is away.
#[derive(Debug)]
struct Sent {
    number: u64,
    files: Vec<Candidate>,
    since: Instant,
    stop: Stop,
    /// It was sent once more.
    is_doubled: bool,
}

/// A shard for a worker.
#[derive(Clone, Debug)]
pub(super) struct Shard {
    number: u64,
    pub(super) files: Vec<Candidate>,
    pub(super) stop: Stop,
}

impl Queue {
    /// `n` files, of which some are in shards.
    pub(super) fn new(n: usize, shards: Vec<Vec<Candidate>>) -> Queue {
        let mut is_in_shard = vec![false; n];
        shards.iter().flatten().for_each(|it| is_in_shard[it.at] = true);
        let here = (0..n).filter(|it| !is_in_shard[*it]).collect();
        let state = State {
            stages: vec![Stage::Open; n],
            ready: VecDeque::new(),
            here,
            waiting: shards.into(),
            sent: Vec::new(),
            n_sent: 0,
            usual: None,
            alone_until: None,
            is_closed: false,
            unneeded: 0,
            notes: Vec::new(),
            more_failures: 0,
        };
        Queue { state: Mutex::new(state), changed: Condvar::new() }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A file to do here; none once each was taken.
    pub(super) fn next_here(&self) -> Option<usize> {
        let mut state = self.lock();
        let at = state.next_here()?;
        state.stages[at] = Stage::Taken;
        state.stop_needless();
        drop(state);
        self.changed.notify_all();
        Some(at)
    }

    /// A shard for a worker; none once there will be no more.
    pub(super) fn next_there(&self) -> Option<Shard> {
        let mut state = self.lock();
        loop {
            if state.is_closed || (state.waiting.is_empty() && state.sent.is_empty()) {
                return None;
            }
            let now = Instant::now();
            let pause = state.alone_until.map(|it| it.saturating_duration_since(now));
            let pause = pause.filter(|it| !it.is_zero());
            let next = match pause {
                Some(_) => None,
                None => state.waiting.pop_back().or_else(|| state.slow()),
            };
            if let Some(shard) = next.and_then(|it| state.begin(it)) {
                return Some(shard);
            }
            let waited = self.changed.wait_timeout(state, pause.unwrap_or(LOOK));
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    /// Takes the outcome of a shard: of each file whether it is done.
    pub(super) fn returned(&self, shard: &Shard, outcome: Result<&[bool], &NotDone>) {
        let mut state = self.lock();
        if let Some(at) = state.sent.iter().position(|it| it.number == shard.number) {
            let took = state.sent.swap_remove(at).since.elapsed();
            if outcome.is_ok() {
                state.usual = Some(state.usual.map_or(took, |it| (it + took) / 2));
            }
        }
        match outcome {
            Ok(_) | Err(NotDone::Stopped) => {}
            Err(NotDone::LeftAlone) => state.alone_until = Some(Instant::now() + PAUSE),
            Err(NotDone::Failed(why)) => state.note(why),
        }
        let done = outcome.unwrap_or_default();
        if let Ok(done) = outcome
            && done.iter().any(|it| !it)
        {
            state.note("it does not give all that a shard needs");
        }
        for (number, file) in shard.files.iter().enumerate() {
            let is_away = |it: &Sent| it.files.iter().any(|it| it.at == file.at);
            match (state.stages[file.at], done.get(number)) {
                (Stage::Open, Some(true)) => {
                    state.stages[file.at] = Stage::Ready;
                    state.ready.push_back(file.at);
                }
                (Stage::Open, _) if !state.sent.iter().any(is_away) => {
                    state.here.push_front(file.at);
                }
                (Stage::Taken, Some(true)) => state.unneeded += 1,
                _ => {}
            }
        }
        state.stop_needless();
        drop(state);
        self.changed.notify_all();
    }

    /// Ends all that is away: what is not done by now is not needed.
    pub(super) fn close(&self) {
        let mut state = self.lock();
        state.is_closed = true;
        state.sent.iter().for_each(|it| it.stop.set());
        drop(state);
        self.changed.notify_all();
    }

    /// The files that were sent in vain, and what went wrong.
    pub(super) fn told(&self) -> (usize, Vec<String>) {
        let mut state = self.lock();
        let (more, mut notes) = (state.more_failures, std::mem::take(&mut state.notes));
        if let Some(first) = notes.first_mut()
            && more > 0
        {
            *first = format!("{first} (and {more} more failures)");
        }
        (state.unneeded, notes)
    }
}

impl State {
    fn next_here(&mut self) -> Option<usize> {
        while let Some(at) = self.ready.pop_front() {
            if self.stages[at] != Stage::Taken {
                return Some(at);
            }
        }
        loop {
            match self.here.pop_front() {
                Some(at) if self.stages[at] != Stage::Taken => return Some(at),
                Some(_) => {}
                // From now on it is done here.
                None => match self.waiting.pop_front() {
                    Some(shard) => self.here.extend(shard.iter().map(|it| it.at)),
                    None => break,
                },
            }
        }
        // Of what is away, that which takes long already, else that which will come last.
        let patience = self.patience();
        let of_shard = |it: &Sent| {
            let mut open = it.files.iter().filter(|it| self.stages[it.at] == Stage::Open);
            Some((it.since.elapsed() > patience, it.number, open.next()?.at))
        };
        let all: Vec<(bool, u64, usize)> = self.sent.iter().filter_map(of_shard).collect();
        let late = all.iter().filter(|it| it.0).min_by_key(|it| it.1);
        late.or_else(|| all.iter().max_by_key(|it| it.1)).map(|it| it.2)
    }

    fn patience(&self) -> Duration {
        self.usual.map_or(Duration::MAX, |it| (TIMES * it).max(SOON))
    }

    /// Half of a shard that takes long.
    fn slow(&mut self) -> Option<Vec<Candidate>> {
        let patience = self.patience();
        let State { sent, stages, .. } = self;
        let is_slow = |it: &&mut Sent| !it.is_doubled && it.since.elapsed() > patience;
        let slow = sent.iter_mut().filter(is_slow).min_by_key(|it| it.number)?;
        slow.is_doubled = true;
        let is_open = |it: &&Candidate| stages[it.at] == Stage::Open;
        let open: Vec<Candidate> = slow.files.iter().filter(is_open).copied().collect();
        // Files are taken here from the front.
        let [front, back] = halves(&open)?;
        self.waiting.push_back(front);
        Some(back)
    }

    /// Stops shards of which all is done elsewhere.
    fn stop_needless(&self) {
        let is_over = |it: &&Sent| it.files.iter().all(|it| self.stages[it.at] != Stage::Open);
        self.sent.iter().filter(is_over).for_each(|it| it.stop.set());
    }

    fn begin(&mut self, mut files: Vec<Candidate>) -> Option<Shard> {
        // Half of a shard may be done by now.
        files.retain(|it| self.stages[it.at] == Stage::Open);
        if files.is_empty() {
            return None;
        }
        self.n_sent += 1;
        let (number, stop) = (self.n_sent, Stop::default());
        let shard = Shard { number, files: files.clone(), stop: stop.clone() };
        self.sent.push(Sent { number, files, since: Instant::now(), stop, is_doubled: false });
        Some(shard)
    }

    fn note(&mut self, why: &str) {
        match self.notes.is_empty() {
            true => self.notes.push(why.to_owned()),
            false => self.more_failures += 1,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// So many files, in shards of two.
    fn queue(n: usize) -> Queue {
        let file = |at: usize| {
            let mut text = [0; 32];
            text[0] = at as u8;
            Candidate { at, text, bytes: 1 }
        };
        let all: Vec<Candidate> = (0..n).map(file).collect();
        Queue::new(n, all.chunks(2).map(<[_]>::to_vec).collect())
    }

    fn numbers(shard: &Shard) -> Vec<usize> {
        shard.files.iter().map(|it| it.at).collect()
    }

    fn rest_here(queue: &Queue) -> Vec<usize> {
        std::iter::from_fn(|| queue.next_here()).collect()
    }

    #[test]
    fn both_sides_begin_at_opposite_ends() {
        let queue = queue(6);
        assert_eq!(queue.next_here(), Some(0));
        let shard = queue.next_there().expect("a shard");
        assert_eq!(numbers(&shard), [4, 5]);
        queue.returned(&shard, Ok(&[true, false]));
        // What is done first, then what was not done there, then the rest.
        assert_eq!(rest_here(&queue), [4, 5, 1, 2, 3]);
        assert!(queue.next_there().is_none());
        assert_eq!(queue.told().1, ["it does not give all that a shard needs"]);
    }

    #[test]
    fn what_is_away_is_done_here_too_and_then_stopped() {
        let queue = queue(4);
        let [last, first] = [queue.next_there(), queue.next_there()].map(|it| it.expect("one"));
        // The one that was sent later comes later.
        assert_eq!(queue.next_here(), Some(0));
        assert!(!first.stop.is_set());
        assert_eq!(queue.next_here(), Some(1));
        assert!(first.stop.is_set() && !last.stop.is_set());
        queue.returned(&first, Err(&NotDone::Stopped));
        queue.returned(&last, Ok(&[true, true]));
        assert_eq!(rest_here(&queue), [2, 3]);
        assert_eq!(queue.told(), (0, vec![]));
    }

    #[test]
    fn failures_are_done_here_and_told_once() {
        let queue = queue(4);
        for _ in 0..2 {
            let shard = queue.next_there().expect("a shard");
            queue.returned(&shard, Err(&NotDone::Failed("it is full".to_owned())));
        }
        assert!(queue.next_there().is_none());
        let mut all = rest_here(&queue);
        all.sort_unstable();
        assert_eq!(all, [0, 1, 2, 3]);
        assert_eq!(queue.told().1, ["it is full (and 1 more failures)"]);
    }

    #[test]
    fn a_service_that_is_left_alone_is_asked_later() {
        let queue = queue(4);
        let shard = queue.next_there().expect("a shard");
        queue.returned(&shard, Err(&NotDone::LeftAlone));
        let start = Instant::now();
        assert_eq!(numbers(&queue.next_there().expect("a shard")), [0, 1]);
        assert!(start.elapsed() >= PAUSE / 2);
        queue.close();
        assert!(queue.next_there().is_none());
    }

    #[test]
    fn a_shard_that_takes_long_is_sent_again_in_halves() {
        let queue = queue(4);
        let slow = queue.next_there().expect("a shard");
        let quick = queue.next_there().expect("a shard");
        queue.returned(&quick, Ok(&[true, true]));
        let halves = [queue.next_there(), queue.next_there()].map(|it| it.expect("a half"));
        assert_eq!(halves.each_ref().map(numbers), [[3], [2]]);
        // A failure of one waits for the other.
        queue.returned(&slow, Err(&NotDone::Failed("it is gone".to_owned())));
        queue.returned(&halves[0], Ok(&[true]));
        queue.returned(&halves[1], Err(&NotDone::Stopped));
        let mut all = rest_here(&queue);
        all.sort_unstable();
        assert_eq!(all, [0, 1, 2, 3]);
    }
}

//! Farms of compilers that only take time, with workers that are good, slow, wrong or gone.

use std::sync::atomic::{AtomicUsize, Ordering};

use codegen::build::Metrics;

use super::*;

/// Compiles by copying.
#[derive(Debug, Default)]
struct Here {
    takes: Duration,
    compiled: AtomicUsize,
}

fn compiled(text: &str) -> Compiled {
    Compiled {
        ptx: text.to_owned(),
        cubin: text.as_bytes().to_vec(),
        figures: Metrics::default(),
        origin: None,
    }
}

impl Compiler for Here {
    fn identity(&self) -> &str {
        "copier 1"
    }

    fn compile(&self, source: &str, _: &[String], _: &str) -> Result<Compiled, String> {
        std::thread::sleep(self.takes);
        self.compiled.fetch_add(1, Ordering::Relaxed);
        match source.contains("bad") {
            true => Err(format!("copier: {source}")),
            false => Ok(compiled(source)),
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Manner {
    Good,
    /// It answers after an hour, unless it is told to stop.
    Slow,
    Fails,
    Away,
}

#[derive(Debug)]
struct There(Manner, Duration, AtomicUsize);

impl Elsewhere for There {
    fn name(&self) -> &str {
        "grpc://workers"
    }

    fn compile(&self, group: &[Source], stop: &Stop) -> Result<GroupDone, NotDone> {
        self.2.fetch_add(1, Ordering::Relaxed);
        match self.0 {
            Manner::Fails => return Err(NotDone::Failed("it is full".to_owned())),
            Manner::Away => return Err(NotDone::LeftAlone),
            Manner::Good => std::thread::sleep(self.1),
            Manner::Slow => {
                let end = Instant::now() + Duration::from_secs(3600);
                while !stop.is_set() {
                    assert!(Instant::now() < end);
                    std::thread::sleep(Duration::from_millis(1));
                }
                return Err(NotDone::Stopped);
            }
        }
        let one = |it: &Source| (!it.text.contains("bad")).then(|| compiled(&it.text));
        let compiled = group.iter().map(one).collect();
        Ok(GroupDone { compiled, worker: "w1".into(), is_known: false })
    }
}

/// Compiles so many sources with four threads: what each gave, and what was told.
fn check(
    manner: Manner,
    here: Duration,
    there: Duration,
    n: usize,
) -> (Vec<Result<String, String>>, Helped, usize) {
    let limits = FarmLimits { here: 1, jobs: 2, group: 4 };
    let elsewhere = Arc::new(There(manner, there, AtomicUsize::new(0)));
    let here = Arc::new(Here { takes: here, ..Here::default() });
    let farm = Farm::new(here, Arc::<There>::clone(&elsewhere), limits);
    let text = |at: usize| if at == 3 { format!("bad {at}") } else { format!("source {at}") };
    // As a build does with the kernels of a file.
    (0..n / 2).for_each(|at| farm.expect(&text(at), &[], "sm_80"));
    let mut outcomes: Vec<(usize, Result<String, String>)> = std::thread::scope(|scope| {
        let thread = |start: usize| {
            let farm = &farm;
            scope.spawn(move || {
                let one = |at| (at, farm.compile(&text(at), &[], "sm_80").map(|it| it.ptx));
                (start..n).step_by(4).map(one).collect::<Vec<_>>()
            })
        };
        let threads: Vec<_> = (0..4).map(thread).collect();
        threads.into_iter().flat_map(|it| it.join().expect("an end")).collect()
    });
    outcomes.sort();
    let helped = farm.helped().expect("there are workers");
    drop(farm);
    (outcomes.into_iter().map(|it| it.1).collect(), helped, elsewhere.2.load(Ordering::Relaxed))
}

fn expected(n: usize) -> Vec<Result<String, String>> {
    let one = |at: usize| match at {
        3 => Err("copier: bad 3".to_owned()),
        _ => Ok(format!("source {at}")),
    };
    (0..n).map(one).collect()
}

const MOMENT: Duration = Duration::from_millis(5);

#[test]
fn both_sides_work_and_what_is_refused_there_is_tried_here() {
    let (outcomes, helped, _) = check(Manner::Good, MOMENT, MOMENT, 40);
    assert_eq!(outcomes, expected(40));
    let there: usize = helped.by_worker.values().sum();
    assert_eq!(helped.here + there, 40);
    assert!(there > 10 && helped.here > 0, "{helped:?}");
    assert_eq!(helped.notes, Vec::<String>::new());
}

#[test]
fn workers_that_do_nothing_cost_only_notes() {
    for manner in [Manner::Fails, Manner::Away] {
        // Workers are asked while there is work here: what nobody waits for any more leaves no note.
        let (outcomes, helped, _) = check(manner, MOMENT, Duration::ZERO, 24);
        assert_eq!(outcomes, expected(24));
        assert_eq!((helped.here, helped.by_worker.len()), (24, 0));
        assert_eq!(helped.notes.len(), usize::from(manner == Manner::Fails), "{helped:?}");
    }
}

#[test]
fn what_hangs_there_is_done_here_and_stopped() {
    let start = Instant::now();
    let (outcomes, helped, jobs) = check(Manner::Slow, Duration::ZERO, MOMENT, 24);
    assert_eq!(outcomes, expected(24));
    assert_eq!(helped.here, 24);
    assert!(jobs > 0);
    assert!(start.elapsed() < Duration::from_secs(30));
}

#[test]
fn what_takes_long_here_is_begun_there() {
    let slow = Duration::from_millis(1500);
    let (outcomes, helped, _) = check(Manner::Good, slow, Duration::ZERO, 3);
    assert_eq!(outcomes, expected(3));
    // The first may be taken by either side.
    let there: usize = helped.by_worker.values().sum();
    assert!(there >= 2, "{helped:?}");
}

#![doc = include_str!("../README.md")]

use std::{
    cell::{Cell, RefCell},
    panic::{AssertUnwindSafe, catch_unwind, resume_unwind},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    thread,
};

/// The number of calls of [`check`] for one look at the flag.
const INTERVAL: u32 = 32;

thread_local! {
    static LEFT: Cell<u32> = const { Cell::new(0) };
    static LOOKS: Cell<u64> = const { Cell::new(0) };
    static CURRENT: RefCell<Option<Interrupt>> = const { RefCell::new(None) };
    /// The function that is called at each look at the flag.
    static OBSERVER: Cell<Option<fn()>> = const { Cell::new(None) };
}

/// A flag that stops a computation. Clones are one flag; once raised it stays so.
#[derive(Clone, Default, Debug)]
pub struct Interrupt(Arc<AtomicBool>);

/// The computation was given up.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Interrupted;

impl Interrupt {
    /// Stops the computation under this flag, soon.
    pub fn raise(&self) {
        self.0.store(true, Ordering::Release);
    }

    /// Returns true if the interrupt was raised.
    pub fn is_raised(&self) -> bool {
        self.0.load(Ordering::Acquire)
    }

    /// Runs a computation under this flag.
    ///
    /// # Errors
    /// If the flag was raised, and the computation had not ended.
    pub fn over<T>(&self, run: impl FnOnce() -> T) -> Result<T, Interrupted> {
        let before = CURRENT.replace(Some(self.clone()));
        let outcome = catch_unwind(AssertUnwindSafe(run));
        CURRENT.set(before);
        outcome.or_else(|panic| match panic.downcast::<Interrupted>() {
            Ok(interrupted) => Err(*interrupted),
            Err(panic) => resume_unwind(panic),
        })
    }
}

/// Ends the computation by unwinding if its flag is raised. For places that every long computation comes by.
#[inline]
pub fn check() {
    LEFT.with(|left| match left.get() {
        0 => {
            left.set(INTERVAL);
            LOOKS.set(LOOKS.get() + 1);
            look();
        }
        n => left.set(n - 1),
    });
}

/// Runs a computation, and counts how often it comes by [`check`] on this thread: its work, where a test asks whether
/// that grows as the input does.
pub fn counted<T>(run: impl FnOnce() -> T) -> (T, u64) {
    let figures = || (LOOKS.get(), u64::from(LEFT.get()));
    let (looks, left) = figures();
    let result = run();
    let (looks_after, left_after) = figures();
    (result, (looks_after - looks) * u64::from(INTERVAL + 1) + left - left_after)
}

/// Runs a computation, and calls `at_look` each time that it looks at its flag on this thread: for tests of what is
/// done between two looks.
pub fn observed<T>(at_look: fn(), run: impl FnOnce() -> T) -> T {
    let before = OBSERVER.replace(Some(at_look));
    let outcome = catch_unwind(AssertUnwindSafe(run));
    OBSERVER.set(before);
    outcome.unwrap_or_else(|panic| resume_unwind(panic))
}

/// As [`check`], looking at the flag at once: for places that are seldom come by.
#[cold]
pub fn look() {
    if let Some(at_look) = OBSERVER.get() {
        at_look();
    }
    let is_raised = CURRENT.with_borrow(|it| it.as_ref().is_some_and(Interrupt::is_raised));
    // What unwinds already must not do so twice.
    if is_raised && !thread::panicking() {
        resume_unwind(Box::new(Interrupted));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn raised_flag_ends_what_has_no_end() {
        let interrupt = Interrupt::default();
        let raise = interrupt.clone();
        let outcome = interrupt.over(|| {
            for number in 0.. {
                check();
                if number == 10_000 {
                    raise.raise();
                }
            }
        });
        assert_eq!(outcome, Err(Interrupted));
    }

    #[test]
    fn each_look_is_observed() {
        thread_local! { static SEEN: Cell<u32> = const { Cell::new(0) } }
        let n = 10 * (INTERVAL + 1);
        observed(|| SEEN.set(SEEN.get() + 1), || (0..n).for_each(|_| check()));
        assert_eq!(SEEN.get(), 10);
        (0..n).for_each(|_| check());
        assert_eq!(SEEN.get(), 10);
    }

    #[test]
    fn flags_are_of_their_computation_only() {
        let (outer, inner) = (Interrupt::default(), Interrupt::default());
        inner.raise();
        let outcome = outer.over(|| {
            assert_eq!(inner.over(|| (0..1000).for_each(|_| check())), Err(Interrupted));
            (0..1000).for_each(|_| check());
            7
        });
        assert_eq!(outcome, Ok(7));
    }

    #[test]
    fn looks_are_counted() {
        for n in [0, 1, INTERVAL - 1, INTERVAL, INTERVAL + 1, 1000].map(u64::from) {
            assert_eq!(counted(|| (0..n).for_each(|_| check())).1, n);
        }
    }

    #[test]
    fn other_panics_pass() {
        let caught = catch_unwind(|| Interrupt::default().over(|| panic!("mine")));
        assert_eq!(caught.unwrap_err().downcast_ref::<&str>(), Some(&"mine"));
    }
}

//! A panic costs one function, not the file.
//!
//! Work on one function runs under [`guarded`]: a panic in it becomes a [`Panicked`], which holds the text of a report,
//! and the rest of the file goes on. The guard is for mistakes of ours only. Unwinding that ends a computation on
//! purpose (see [`crate::interrupt`], and the cancellation of queries) passes through. The payload tells the two apart:
//! a panic has a text.

use std::{
    any::Any,
    cell::{Cell, RefCell},
    fmt,
    panic::{self, AssertUnwindSafe, PanicHookInfo, catch_unwind, resume_unwind},
};

thread_local! {
    /// The number of guards that this thread is in.
    static DEPTH: Cell<u32> = const { Cell::new(0) };
    /// The message and the source location of the last panic of this thread under a guard.
    static LAST: RefCell<Option<String>> = const { RefCell::new(None) };
}

/// The consequence for a function that stays unchanged.
const LEFT: &str = "the function is left as it is";

/// The stage of work on a function.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Stage {
    /// From its text to its body.
    Reading,
    /// From its body to plans.
    Planning,
    /// From plans to another body or text.
    Rewriting,
    /// From a body to words about it: hints, hovers, actions, lists.
    Showing,
    /// From a body to device code.
    Emitting,
    /// Executing a body.
    Running,
}

impl Stage {
    /// All of them.
    pub const ALL: &[Stage] = &[
        Stage::Reading,
        Stage::Planning,
        Stage::Rewriting,
        Stage::Showing,
        Stage::Emitting,
        Stage::Running,
    ];

    /// As reports call it.
    pub fn name(self) -> &'static str {
        match self {
            Stage::Reading => "reading",
            Stage::Planning => "planning",
            Stage::Rewriting => "rewriting",
            Stage::Showing => "showing",
            Stage::Emitting => "emitting",
            Stage::Running => "running",
        }
    }

    /// Returns the consequence for the function when the stage has panicked.
    fn consequence(self) -> &'static str {
        match self {
            Stage::Reading | Stage::Planning | Stage::Rewriting => LEFT,
            Stage::Showing => "something about the function is not shown",
            Stage::Emitting => "the function has no device code",
            Stage::Running => "the function was not run to its end",
        }
    }
}

/// A mistake of ours that ended the work on one function.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Panicked {
    /// The function; empty if it has no name.
    pub function: Box<str>,
    /// The stage that panicked.
    pub stage: Stage,
    /// The panic message and its place in our sources.
    pub what: String,
}

impl fmt::Display for Panicked {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Panicked { function, stage, what } = self;
        f.write_str(&first_line(&of_function(function), stage.name(), what, stage.consequence()))
    }
}

impl Panicked {
    /// The text of a report: one line about the panic, then the data that a report needs.
    pub fn report(&self) -> String {
        self.report_about(&of_function(&self.function))
    }

    /// Like [`Panicked::report`], for callers that know the function by another name.
    pub fn report_about(&self, subject: &str) -> String {
        let Panicked { stage, what, .. } = self;
        write_report(subject, stage.name(), what, stage.consequence(), "")
    }
}

/// The text of a report on an unchanged function: one line about the panic, then the data that a report needs, with
/// some lines of the function.
pub fn report(function: &str, stage: &str, what: &str, context: &str) -> String {
    write_report(&of_function(function), stage, what, LEFT, context)
}

/// The text of a report on something larger than a function, such as a file: its name, the panic message, and the
/// consequence.
pub fn report_on(subject: &str, what: &str, consequence: &str) -> String {
    write_report(subject, "all", what, consequence, "")
}

fn of_function(name: &str) -> String {
    format!("`{name}`")
}

fn first_line(subject: &str, stage: &str, what: &str, consequence: &str) -> String {
    format!("internal error in {subject} ({stage}): {what}; {consequence}")
}

fn write_report(
    subject: &str,
    stage: &str,
    what: &str,
    consequence: &str,
    context: &str,
) -> String {
    let mut out = first_line(subject, stage, what, consequence);
    out.push_str("\n  This is a mistake of tir-analyzer. Please report it with the lines below and the command that was run:\n");
    let version = env!("CARGO_PKG_VERSION");
    out.push_str(&format!("  | tir-analyzer {version}, stage `{stage}`, in {subject}: {what}\n"));
    for line in context.lines() {
        out.push_str(&format!("  | {line}\n"));
    }
    out.truncate(out.trim_end().len());
    out
}

/// Runs the work on one function.
///
/// # Errors
/// If it panics.
pub fn guarded<T>(stage: Stage, function: &str, run: impl FnOnce() -> T) -> Result<T, Panicked> {
    // A large function has many items that are guarded one by one, each of some work.
    interrupt::look();
    let run = || {
        #[cfg(debug_assertions)]
        planted::spring(stage, function);
        run()
    };
    catch(run).map_err(|what| Panicked { function: function.into(), stage, what })
}

/// Runs code that may panic; the error has the panic message and its source location.
///
/// # Errors
/// If it panics.
pub fn catch<T>(run: impl FnOnce() -> T) -> Result<T, String> {
    DEPTH.set(DEPTH.get() + 1);
    let outcome = catch_unwind(AssertUnwindSafe(run));
    DEPTH.set(DEPTH.get() - 1);
    outcome.map_err(|payload| {
        let Some(text) = text_of(&*payload) else { resume_unwind(payload) };
        let text = text.to_owned();
        LAST.take().unwrap_or(text)
    })
}

/// Returns the message of a panic, or `None` for a payload that ends a computation otherwise.
fn text_of(payload: &(dyn Any + Send)) -> Option<&str> {
    let text = payload.downcast_ref::<&str>().copied();
    text.or_else(|| payload.downcast_ref::<String>().map(String::as_str))
}

/// Keeps the messages of panics under a guard for it, with their places; uncaught ones, and all if `tells`, are written
/// to standard error as before.
pub fn install_panic_hook(tells: bool) {
    let default = panic::take_hook();
    panic::set_hook(Box::new(move |info| {
        let is_guarded = DEPTH.get() > 0;
        if is_guarded {
            LAST.set(Some(describe(info)));
        }
        if tells || !is_guarded {
            default(info);
        }
    }));
}

fn describe(info: &PanicHookInfo<'_>) -> String {
    let message = text_of(info.payload()).unwrap_or("no message");
    match info.location() {
        Some(at) => format!("{message} ({}:{})", at.file(), at.line()),
        None => message.to_owned(),
    }
}

/// Panics that tests ask for.
#[cfg(debug_assertions)]
pub mod planted {
    use std::sync::{Mutex, PoisonError};

    use super::Stage;

    static ALL: Mutex<Vec<(Stage, String)>> = Mutex::new(Vec::new());

    /// From now on a stage of the functions of a name panics.
    pub fn plant(stage: Stage, function: &str) {
        ALL.lock().unwrap_or_else(PoisonError::into_inner).push((stage, function.to_owned()));
    }

    pub(super) fn spring(stage: Stage, function: &str) {
        let all = ALL.lock().unwrap_or_else(PoisonError::into_inner);
        let is_planted = all.iter().any(|it| it.0 == stage && it.1 == function);
        drop(all);
        assert!(!is_planted, "planted");
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use interrupt::{Interrupt, Interrupted, look};

    #[test]
    fn a_panic_is_an_error_of_its_function() {
        let found = guarded(Stage::Planning, "f", || -> u32 { panic!("boom {}", 1) });
        let error = found.unwrap_err();
        assert!(
            error.to_string().starts_with("internal error in `f` (planning): boom 1"),
            "{error}"
        );
        let report = error.report();
        assert!(report.contains("Please report") && report.contains("in `f`: boom"), "{report}");
        assert_eq!(guarded(Stage::Planning, "f", || 3), Ok(3));
    }

    #[test]
    fn unwinding_on_purpose_passes_the_guard() {
        let interrupt = Interrupt::default();
        interrupt.raise();
        let outcome = interrupt.over(|| guarded(Stage::Reading, "f", look));
        assert_eq!(outcome, Err(Interrupted));
        let thrown = catch_unwind(|| catch(|| resume_unwind(Box::new(7_u8))));
        assert_eq!(thrown.unwrap_err().downcast_ref::<u8>(), Some(&7));
    }

    #[test]
    fn planted_panics_are_of_their_stage_and_function() {
        planted::plant(Stage::Rewriting, "planted_here");
        assert!(guarded(Stage::Rewriting, "planted_here", || ()).is_err());
        assert!(guarded(Stage::Planning, "planted_here", || ()).is_ok());
        assert!(guarded(Stage::Rewriting, "not_planted_here", || ()).is_ok());
    }
}

#![doc = include_str!("../README.md")]

mod access;
mod async_copy;
mod bind;
mod calls;
mod counts;
mod device;
mod eval;
mod events;
mod exec;
mod fast;
mod fragments;
mod intrinsics;
mod launch;
mod library;
mod loops;
mod matrix;
mod memory;
pub mod mlir;
mod nan;
mod ops;
mod phases;
mod races;
mod schedule;
mod symbols;
mod table;
#[cfg(test)]
mod tests;
mod tile_kernel;
mod tilelang;
mod tiles;
mod uniform;
mod unknown;
mod warp;
mod wrapped;

use ir::{Body, OpId, effects::EffectTable};

pub use counts::Counts;
pub use events::{Event, EventKind};
pub use memory::Array;
pub use schedule::Schedule;
pub use symbols::{ArgumentNeed, SymbolError, Symbols, buffer_of, free_symbols, needs, solve};
pub use table::known_calls;

/// An argument of a run, and its state after it.
#[derive(Clone, PartialEq, Debug)]
pub enum Argument {
    /// For a buffer parameter or a matched handle.
    Array(Array),
    /// For an integer or bool parameter.
    Int(i64),
    /// For a float parameter.
    Float(f64),
}

/// Bounds and modes of a run.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// Evaluated nodes (times lanes) after which the run ends with an error.
    pub max_steps: u64,
    /// Evaluate both sides of `and` and `or` (SEMANTICS: S3).
    pub strict_logic: bool,
    /// Runs a sample of a function that is too large: no loop has more iterations, no launch more blocks in a dimension
    /// than this many, the last one among them. That is another program; a rewrite must preserve its results too, since
    /// loops and launches stay as they are.
    pub max_trips: Option<u32>,
    /// In which order threads run.
    pub schedule: Schedule,
    /// The reaction to an error that ends a run by default.
    pub on_error: OnError,
    /// True if races are detected (SEMANTICS: P2). This costs time and memory for each byte that a kernel accesses.
    pub find_races: bool,
    /// The reaction to calls of unknown functions.
    pub unknown_calls: UnknownCalls,
    /// True if statements that are executed often are compiled. The results are the same; without it the general
    /// evaluator does everything, for tests of the compiled code.
    pub fast: bool,
}

/// An array argument that lies in the memory of another one, as parameters without `noalias` may (SEMANTICS: M4). Its
/// own contents are not used.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Overlap {
    /// The argument.
    pub argument: usize,
    /// The one whose memory it is a part of.
    pub with: usize,
    /// At which byte of that it begins.
    pub offset: usize,
}

/// The effect of a call of an unknown function (SEMANTICS: X2).
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum UnknownCalls {
    /// It ends the run.
    #[default]
    Stop,
    /// It reads all memory that it can reach, changes some of it, and returns a value that depends on all that: always
    /// the same for the same memory. Whoever moves, merges or drops such a call, or a load across it, shows.
    Model,
}

/// The reaction to an error without a value: division by zero, an access out of bounds, a failed assertion.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum OnError {
    /// The run ends there.
    #[default]
    Stop,
    /// It is an event, and the run goes on with the value that [`EventKind`] states.
    Event,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            max_steps: 2_000_000_000,
            strict_logic: false,
            max_trips: None,
            schedule: Schedule::Lockstep,
            on_error: OnError::Stop,
            find_races: false,
            unknown_calls: UnknownCalls::Stop,
            fast: true,
        }
    }
}

/// The result of a run.
#[derive(Clone, PartialEq, Debug)]
pub struct Outcome {
    /// The arguments, as the function left them.
    pub arguments: Vec<Argument>,
    /// The returned value.
    pub returned: Option<Argument>,
    /// Events, by operation and kind in program order.
    pub events: Vec<Event>,
    /// Nodes evaluated, times lanes; values that are the same in all lanes are evaluated once. The measure of the
    /// interpreter's own work, which [`Options::max_steps`] bounds.
    pub steps: u64,
    /// The counts of the program's own computations.
    pub counts: Counts,
    /// True if a wrapped integer became a float, which carries no mark of it: an overflow may have been used without an
    /// event.
    pub has_lost_overflow: bool,
}

impl Outcome {
    /// Returns true if an overflow may have influenced the results: rewrites that rely on its absence (SEMANTICS: I1)
    /// need not agree with them.
    pub fn overflows(&self) -> bool {
        self.has_lost_overflow || self.events.iter().any(|it| it.kind == EventKind::Overflow)
    }
}

/// The reason why a run ended early.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RunError {
    /// The place; none for the arguments.
    pub op: Option<OpId>,
    /// In which function of a program of several, by its number.
    pub function: usize,
    /// The kind.
    pub kind: RunErrorKind,
    /// The error, with the values.
    pub message: String,
}

/// The kinds of [`RunError`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum RunErrorKind {
    /// The program reached an error without a reference value: division by zero (I5, I6), out of bounds (M1), failed
    /// assert (X3).
    Program,
    /// A construct that this interpreter does not execute.
    Unsupported,
    /// The arguments do not fit the signature.
    Arguments,
    /// [`Options::max_steps`] is reached.
    StepLimit,
}

impl std::fmt::Display for RunError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for RunError {}

/// Runs `body` on `arguments`.
pub fn run(body: &Body, arguments: Vec<Argument>, options: &Options) -> Result<Outcome, RunError> {
    run_with(body, EffectTable::builtin(), arguments, &Symbols::default(), options)
}

/// Runs `body`, whose calls have these effects, on `arguments`, with values for symbols that the shapes of the
/// arguments do not tell.
pub fn run_with(
    body: &Body,
    effects: &EffectTable,
    arguments: Vec<Argument>,
    symbols: &Symbols,
    options: &Options,
) -> Result<Outcome, RunError> {
    let allocating = body.with_declared_memory();
    let machine = exec::Machine::new(allocating.as_ref().unwrap_or(body), effects, *options);
    machine.run(arguments, symbols, &[]).map_err(|error| *error)
}

/// Runs `body` on `arguments` of which some share memory.
pub fn run_overlapping(
    body: &Body,
    arguments: Vec<Argument>,
    overlaps: &[Overlap],
    options: &Options,
) -> Result<Outcome, RunError> {
    let allocating = body.with_declared_memory();
    let body = allocating.as_ref().unwrap_or(body);
    let machine = exec::Machine::new(body, EffectTable::builtin(), *options);
    machine.run(arguments, &Symbols::default(), overlaps).map_err(|error| *error)
}

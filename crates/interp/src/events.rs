//! Events: errors of the program that a run reports and goes on after (SEMANTICS: frame).
//!
//! An event has a kind, its operation, a count, and the details of the first one. Kinds with a reference value are
//! always events. The others end a run, unless [`OnError::Event`] asks for events there too: then the run goes on with
//! the value that the kind's documentation states.

use super::{OnError, RunError, RunErrorKind, exec::Machine};
use ir::OpId;

type Result<T> = std::result::Result<T, Box<RunError>>;

/// The kind of an event.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum EventKind {
    /// A wrapped value of int32 or wider is used (SEMANTICS: I1, I2). The value wraps.
    Overflow,
    /// A shift amount out of range (I8). The amount is taken modulo the width.
    ShiftOutOfRange,
    /// `clz(0)` (I12). It is the width.
    CountOfZero,
    /// Float → int out of range (C2). The value saturates; NaN gives 0.
    ConversionOutOfRange,
    /// A cell that was never written is read (M3). The value is a fixed pattern.
    UninitializedRead,
    /// A barrier that not all threads of the block reach (Y2). The others go on without it.
    DivergentBarrier,
    /// `T.assume` of a false condition (X4). The condition stays false.
    FalseAssumption,
    /// Division or remainder by zero (I5). Ends the run; as an event, the quotient is 0 and the remainder the dividend.
    DivisionByZero,
    /// The smallest integer divided by −1 (I6). Ends the run; as an event, the quotient wraps and the remainder is 0.
    DivisionOverflow,
    /// An access out of bounds (M1). Ends the run; as an event, a load gives 0 and a store writes nothing.
    OutOfBounds,
    /// A failed assertion (X3). Ends the run; as an event, the threads in which it failed return.
    FailedAssertion,
    /// Two threads, blocks or parallel iterations touch a byte, one writes, and nothing orders them (P2). The accesses
    /// happen in the order of the schedule. Found only if [`super::Options::find_races`] asks for it.
    Race,
    /// A shuffle reads from a thread that does not take part in it, or only some threads of a warp execute a matrix
    /// instruction (Y6). The value is the reader's own; the instruction does nothing.
    InactiveLane,
    /// The target of an asynchronous copy is touched, or its source written, before its wait (Y3). The target holds a
    /// fixed pattern until then.
    InFlight,
    /// Poison of MLIR decides a branch, an address, a divisor or a size. Ends the run; as an event, it is 0.
    PoisonUse,
}

impl EventKind {
    /// Every kind, in order.
    pub const ALL: [EventKind; 15] = [
        EventKind::Overflow,
        EventKind::ShiftOutOfRange,
        EventKind::CountOfZero,
        EventKind::ConversionOutOfRange,
        EventKind::UninitializedRead,
        EventKind::DivergentBarrier,
        EventKind::FalseAssumption,
        EventKind::DivisionByZero,
        EventKind::DivisionOverflow,
        EventKind::OutOfBounds,
        EventKind::FailedAssertion,
        EventKind::Race,
        EventKind::InactiveLane,
        EventKind::InFlight,
        EventKind::PoisonUse,
    ];

    /// Returns true if the event ends a run, unless [`OnError::Event`] says otherwise.
    pub fn ends_run(self) -> bool {
        matches!(
            self,
            EventKind::DivisionByZero
                | EventKind::DivisionOverflow
                | EventKind::OutOfBounds
                | EventKind::FailedAssertion
                | EventKind::PoisonUse
        )
    }

    /// Its name for people and files.
    pub fn name(self) -> &'static str {
        match self {
            EventKind::Overflow => "overflow",
            EventKind::ShiftOutOfRange => "shift-out-of-range",
            EventKind::CountOfZero => "count-of-zero",
            EventKind::ConversionOutOfRange => "conversion-out-of-range",
            EventKind::UninitializedRead => "uninitialized-read",
            EventKind::DivergentBarrier => "divergent-barrier",
            EventKind::FalseAssumption => "false-assumption",
            EventKind::DivisionByZero => "division-by-zero",
            EventKind::DivisionOverflow => "division-overflow",
            EventKind::OutOfBounds => "out-of-bounds",
            EventKind::FailedAssertion => "failed-assertion",
            EventKind::Race => "race",
            EventKind::InactiveLane => "inactive-lane",
            EventKind::InFlight => "in-flight",
            EventKind::PoisonUse => "poison-use",
        }
    }

    /// Returns the description in a few words.
    pub fn message(self) -> &'static str {
        match self {
            EventKind::Overflow => "an overflowed integer is used",
            EventKind::ShiftOutOfRange => "a shift amount is negative or not less than the width",
            EventKind::CountOfZero => "the leading zeros of zero are counted",
            EventKind::ConversionOutOfRange => "a float does not fit the integer it becomes",
            EventKind::UninitializedRead => "memory that was never written is read",
            EventKind::DivergentBarrier => "not all threads of the block reach a barrier",
            EventKind::FalseAssumption => "an assumption is false",
            EventKind::DivisionByZero => "division by zero",
            EventKind::DivisionOverflow => "the smallest integer divided by -1",
            EventKind::OutOfBounds => "an access is out of bounds",
            EventKind::FailedAssertion => "an assertion failed",
            EventKind::Race => "two threads race for a byte",
            EventKind::InactiveLane => "a thread does not take part in an instruction of its warp",
            EventKind::InFlight => "memory is touched before the wait of an asynchronous copy",
            EventKind::PoisonUse => "poison decides a branch, an address, a divisor or a size",
        }
    }
}

/// An event at an operation, with its count.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Event {
    /// The kind.
    pub kind: EventKind,
    /// The place.
    pub op: OpId,
    /// The count.
    pub count: u64,
    /// The details of the first occurrence, with the values where they are known.
    pub detail: String,
}

impl Machine<'_> {
    /// Records an event at the current statement; outside of statements there are none.
    pub(super) fn event(&mut self, kind: EventKind) {
        self.event_with(kind, |_| kind.message().to_owned());
    }

    /// Records an event; `detail` is asked for the first one only.
    pub(super) fn event_with(&mut self, kind: EventKind, detail: impl FnOnce(&Self) -> String) {
        let Some(op) = self.at else { return };
        if let Some((count, _)) = self.events.get_mut(&(op, kind)) {
            *count += 1;
            return;
        }
        let detail = detail(self);
        self.events.insert((op, kind), (1, detail));
    }

    /// An error without a value: it ends the run, or is an event.
    pub(super) fn error(
        &mut self,
        kind: EventKind,
        detail: impl FnOnce(&Self) -> String,
    ) -> Result<()> {
        match self.options.on_error {
            OnError::Stop => {
                let message = detail(self);
                self.fail(RunErrorKind::Program, message)
            }
            OnError::Event => {
                self.event_with(kind, detail);
                Ok(())
            }
        }
    }
}

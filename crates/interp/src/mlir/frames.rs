//! Threads of execution: activations of functions, and frames of the regions that are being executed.

use super::{
    machine::{Machine, Run},
    value::Value,
};
use ir::{BlockId, OpId};

/// A region operation while its regions are executed.
pub(super) trait Nest {
    /// A region has ended with these values.
    fn ended(&mut self, machine: &mut Machine<'_>, values: Vec<Value>) -> Run<Next>;
}

/// The next step of an operation with regions.
pub(super) enum Next {
    /// Executes a region, by its number, with values for the arguments of its first block.
    Enter {
        region: usize,
        args: Vec<Value>,
        /// The interim values of the results: accumulators, with which an inner `scf.reduce` combines.
        carried: Option<Vec<Value>>,
    },
    /// Ends with these results.
    Done(Vec<Value>),
}

impl Next {
    pub(super) fn enter(region: usize, args: Vec<Value>) -> Next {
        Next::Enter { region, args, carried: None }
    }
}

/// A region that is being executed.
pub(super) struct Frame {
    pub(super) block: BlockId,
    pub(super) next: usize,
    /// The operation it belongs to, and its state; none for the body of a function.
    pub(super) owner: Option<(OpId, Box<dyn Nest>)>,
}

/// A function that is being executed.
#[derive(Clone)]
pub(super) struct Activation {
    pub(super) body: usize,
    pub(super) values: Vec<Option<Value>>,
    /// The call in the activation below.
    pub(super) call: Option<OpId>,
}

/// A thread of execution.
pub(super) struct Thread {
    pub(super) activations: Vec<Activation>,
    pub(super) frames: Vec<Frame>,
    /// The operation at which it waits for other threads.
    pub(super) waiting: Option<OpId>,
}

/// The reason why a thread stopped.
pub(super) enum Stop {
    /// It ended, with its results.
    Done(Vec<Value>),
    /// It waits at a barrier.
    Barrier,
    /// It waits for the values of other threads: its operands.
    Collective(OpId, Vec<Value>),
}

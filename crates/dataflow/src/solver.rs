//! One solver for all data-flow problems: forward and backward, may and must, structured and branching.
//!
//! In: a [`Flow`] and an [`Analysis`]: a lattice, the state where the function starts (or ends), and the transfer
//! functions of occurrences and operations. Out: a [`Solution`]: the least fixpoint, which a [`Cursor`] reads at every
//! program point. May or must is the lattice's choice ([`crate::lattice`]).
//!
//! Terms. The *input* of a block is the state where the analysis enters it: at its start forward, at its end backward;
//! the *output* is the other side. A *header* is the state that an iteration of a loop starts from (forward), or that
//! is reached when one has ended (backward). A block is *settled* if nothing in it would change were it processed again
//! with the same input.
//!
//! Structured regions are executed as their operations say ([`crate::flow`]), without a graph: a pass goes through the
//! body once, in program order or against it, and leaves in each loop the header for the next pass. Passes are repeated
//! until no header changes; a settled block whose input is the same is not entered again. All exits of a loop leave it
//! at the end of the body, so facts come out of a nest of any depth in one pass and in again in the second: problems
//! with independent facts (all of this crate) need three or four passes whatever the depth, and later passes visit only
//! the changed parts. A region of several blocks has a worklist in reverse post-order (or its reverse). Joins only add,
//! so the number of passes is bounded by the number of headers times the height of the lattice. States are kept for
//! blocks, headers and operations with regions only; those in between are computed again by the cursor.
//!
//! Recursion follows regions only, on a growing stack.

mod branching;
mod cursor;
mod operands;
mod structured;

use ir::{
    BlockId, OccurrenceId, OpId,
    arena::{Id, Table},
};
use rustc_hash::FxHashMap;

pub use cursor::Cursor;

use crate::{flow::Flow, lattice::Lattice};

/// The direction in which facts move.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Direction {
    /// A state describes the paths that lead to its point.
    Forward,
    /// A state describes the paths that start at its point.
    Backward,
}

/// A data-flow problem.
pub trait Analysis {
    /// The facts known at a point.
    type State: Lattice;
    /// The direction.
    const DIRECTION: Direction;
    /// True if [`Analysis::occurrence`] does anything. If false, operands are not walked.
    const OCCURRENCES: bool = true;

    /// The state where the function starts (forward) or where it ends, in any way (backward).
    fn boundary(&self) -> Self::State;

    /// The effect of evaluating a node, without its operands. Must be monotone, like all transfer functions.
    fn occurrence(&self, _id: OccurrenceId, _state: &mut Self::State) {}

    /// The effect of an operation after its operands have been evaluated and before it runs a region: the write of a
    /// store, the definition of its results.
    fn operation(&self, op: OpId, state: &mut Self::State);

    /// The effect of leaving an operation with regions, in whatever way.
    fn leave(&self, _op: OpId, _state: &mut Self::State) {}

    /// The effect of starting a block: its arguments get values.
    fn block_start(&self, _block: BlockId, _state: &mut Self::State) {}

    /// The effect of going to the `index`-th successor of a terminator: arguments are evaluated and passed.
    fn edge(&self, _terminator: OpId, _index: usize, _state: &mut Self::State) {}

    /// The state to join where a `while` decides, for backward problems that claim something about all paths: a loop
    /// that never ends is one (`SEMANTICS: L10`).
    fn forever(&self) -> Option<Self::State> {
        None
    }
}

/// The solver's state of a block.
#[derive(Clone, Debug)]
struct BlockState<S> {
    input: Option<S>,
    output: Option<S>,
    settled: bool,
}

/// The solver's state of an operation with regions.
#[derive(Clone, Debug)]
struct Ports<S> {
    /// The state where the evaluation of its operands starts, seen in the direction of the analysis.
    operands: Option<S>,
    /// The header of a loop.
    header: Option<S>,
    /// Forward: the ends of iterations by `continue`.
    continued: Option<S>,
    /// Forward: the states at each `break`. Backward: the state after it.
    outside: Option<S>,
    /// The state when the analysis leaves the operation.
    across: Option<S>,
}

impl<S> Default for Ports<S> {
    fn default() -> Self {
        Ports { operands: None, header: None, continued: None, outside: None, across: None }
    }
}

/// The work of a solution.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Work {
    /// Passes over the body.
    pub passes: u32,
    /// Operations processed, all passes together.
    pub operations: u64,
}

/// The fixpoint of an analysis.
pub struct Solution<'a, A: Analysis> {
    flow: &'a Flow<'a>,
    analysis: A,
    blocks: Table<BlockId, BlockState<A::State>>,
    ports: FxHashMap<OpId, Ports<A::State>>,
    exit: Option<A::State>,
    /// Number of headers that have changed so far.
    unsettled: u64,
    /// True if an enclosing region is being solved with a worklist.
    in_worklist: bool,
    work: Work,
}

/// Solves `analysis` over the whole body.
pub fn solve<'a, A: Analysis>(flow: &'a Flow<'a>, analysis: A) -> Solution<'a, A> {
    let mut blocks = Table::default();
    for _ in flow.body.blocks.ids() {
        blocks.push(BlockState { input: None, output: None, settled: false });
    }
    let mut solution = Solution {
        flow,
        analysis,
        blocks,
        ports: FxHashMap::default(),
        exit: None,
        unsettled: 0,
        in_worklist: false,
        work: Work::default(),
    };
    solution.run();
    solution
}

impl<'a, A: Analysis> Solution<'a, A> {
    fn run(&mut self) {
        loop {
            let before = self.unsettled;
            self.work.passes += 1;
            let start = Some(self.analysis.boundary());
            let end = self.region(self.flow.body.root, start);
            if A::DIRECTION == Direction::Forward {
                self.exit.join(&end);
            }
            if self.unsettled == before {
                break;
            }
        }
    }

    /// The problem that was solved.
    pub fn analysis(&self) -> &A {
        &self.analysis
    }
    /// The control flow it was solved over.
    pub fn flow(&self) -> &'a Flow<'a> {
        self.flow
    }
    /// Returns the work.
    pub fn work(&self) -> Work {
        self.work
    }
    /// The state at the start of a block: its arguments have values (forward), or get them next (backward). None if no
    /// path comes there, or leads out from there.
    pub fn at_start(&self, block: BlockId) -> Option<A::State> {
        match A::DIRECTION {
            Direction::Forward => self.entered(block),
            Direction::Backward => self.blocks[block].output.clone(),
        }
    }
    /// The state at the end of the function: of all ways to get there (forward), or the boundary (backward).
    pub fn at_exit(&self) -> Option<A::State> {
        match A::DIRECTION {
            Direction::Forward => self.exit.clone(),
            Direction::Backward => Some(self.analysis.boundary()),
        }
    }
    /// Reads states at program points.
    pub fn cursor(&self) -> Cursor<'_, 'a, A> {
        Cursor::new(self)
    }

    /// The input of a block, with its arguments defined.
    fn entered(&self, block: BlockId) -> Option<A::State> {
        let mut state = self.blocks[block].input.clone()?;
        if A::DIRECTION == Direction::Forward {
            self.analysis.block_start(block, &mut state);
        }
        Some(state)
    }
}

impl<A: Analysis> std::fmt::Debug for Solution<'_, A>
where
    A::State: std::fmt::Debug,
{
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let inputs = self.blocks.iter().map(|(id, it)| (id.index(), &it.input));
        f.debug_map().entries(inputs).finish()
    }
}

#[cfg(test)]
mod tests;

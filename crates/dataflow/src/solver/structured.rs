//! Structured operations: one pass of the solver over blocks, branches and loops.
//!
//! In: the state with which the analysis comes to a block or an operation; `None` if no path does. Out: that with which
//! it leaves. Forward, an unreachable operation is not processed; backward, one from which nothing is reached may still
//! contain a jump to something, so processing goes on. See [`super`] for terms.

use ir::{BlockId, OpId, RegionId};

use super::{Analysis, Direction, Ports, Solution, operands};
use crate::{
    flow::{Shape, Target},
    lattice::Lattice,
};

impl<A: Analysis> Solution<'_, A> {
    /// A whole region, entered once.
    pub(super) fn region(&mut self, region: RegionId, state: Option<A::State>) -> Option<A::State> {
        ir::interrupt::check();
        ir::stack::with_room(|| {
            let data = &self.flow.body.regions[region];
            match data.blocks[..] {
                [] => state,
                [only] if self.flow.is_graph(only) => self.unordered(only, state),
                [only] => self.block(only, state),
                [..] => self.branching(region, state),
            }
        })
    }

    /// A block with more to enter it with.
    pub(super) fn block(&mut self, block: BlockId, state: Option<A::State>) -> Option<A::State> {
        let slot = &mut self.blocks[block];
        let changed = slot.input.join(&state);
        if slot.settled && !changed {
            return slot.output.clone();
        }
        let before = self.unsettled;
        let flow = self.flow;
        let ops = &flow.body.blocks[block].ops;
        let mut state = self.entered(block);
        match A::DIRECTION {
            Direction::Forward => {
                for &op in ops {
                    if state.is_none() {
                        break;
                    }
                    state = self.op(op, state);
                }
            }
            Direction::Backward => {
                for &op in ops.iter().rev() {
                    state = self.op(op, state);
                }
                if let Some(state) = &mut state {
                    self.analysis.block_start(block, state);
                }
            }
        }
        let slot = &mut self.blocks[block];
        slot.output.clone_from(&state);
        // A jump out of the block reads the state of its target, backward, and that may still change.
        let reads_outside = A::DIRECTION == Direction::Backward && flow.jumps_out(block);
        slot.settled = self.unsettled == before && !reads_outside;
        state
    }

    /// The operations of a graph region: any of them any number of times. The state between them is kept as the output
    /// (forward) or input (backward) of the block.
    fn unordered(&mut self, block: BlockId, state: Option<A::State>) -> Option<A::State> {
        self.blocks[block].input.join(&state);
        let mut around = self.entered(block);
        if A::DIRECTION == Direction::Forward {
            around.join(&self.blocks[block].output);
        }
        let mut changed = false;
        for &op in &self.flow.body.blocks[block].ops {
            let out = self.op(op, around.clone());
            changed |= around.join(&out);
        }
        self.unsettled += u64::from(changed);
        let slot = &mut self.blocks[block];
        if A::DIRECTION == Direction::Backward {
            slot.input.clone_from(&around);
            if let Some(around) = &mut around {
                self.analysis.block_start(block, around);
            }
        }
        self.blocks[block].output.clone_from(&around);
        around
    }

    /// One operation with all in it.
    fn op(&mut self, op: OpId, state: Option<A::State>) -> Option<A::State> {
        self.work.operations += 1;
        let shape = self.flow.shape(op);
        if shape == Shape::Plain {
            let state = self.after_operands(op, state);
            return self.apply(op, state);
        }
        let state = self.left(op, state, Direction::Backward);
        let across = match (A::DIRECTION, shape) {
            (Direction::Forward, Shape::While) => self.while_forward(op, state),
            (Direction::Backward, Shape::While) => self.while_backward(op, state),
            (Direction::Forward, _) => {
                let state = self.port(op).operands.insert_joined(state);
                let state = self.apply(op, state);
                self.regions_forward(op, shape, state)
            }
            (Direction::Backward, _) => {
                self.port(op).outside.join(&state);
                let state = self.regions_backward(op, shape, state);
                let state = self.after_operands(op, state);
                self.port(op).operands.clone_from(&state);
                self.apply(op, state)
            }
        };
        let across = self.left(op, across, Direction::Forward);
        self.port(op).across.clone_from(&across);
        across
    }

    /// The state at the other side of leaving an operation, if the analysis goes that way.
    fn left(&self, op: OpId, state: Option<A::State>, way: Direction) -> Option<A::State> {
        let mut state = state?;
        if A::DIRECTION == way {
            self.analysis.leave(op, &mut state);
        }
        Some(state)
    }

    pub(super) fn port(&mut self, op: OpId) -> &mut Ports<A::State> {
        self.ports.entry(op).or_default()
    }

    // ---- operands and jumps ----

    /// Returns the place where the evaluation of the operands starts, backward: after it control goes on to `next` or
    /// jumps.
    pub(super) fn after_operands(&self, op: OpId, next: Option<A::State>) -> Option<A::State> {
        if A::DIRECTION == Direction::Forward {
            return next;
        }
        let jumps = self.flow.jumps(op);
        let mut state = if jumps.next { next } else { None };
        for &target in &jumps.targets {
            match target {
                Target::Exit => state.join(&Some(self.analysis.boundary())),
                Target::Break(to) => self.join_port(&mut state, to, |it| &it.outside),
                Target::Continue(to) => self.join_port(&mut state, to, |it| &it.header),
            };
        }
        state
    }

    fn join_port(
        &self,
        state: &mut Option<A::State>,
        op: OpId,
        port: impl Fn(&Ports<A::State>) -> &Option<A::State>,
    ) -> bool {
        self.ports.get(&op).is_some_and(|it| state.join(port(it)))
    }

    /// Evaluates the operands and applies the operation; forward, passes the state to the jumps.
    fn apply(&mut self, op: OpId, state: Option<A::State>) -> Option<A::State> {
        let mut state = state?;
        self.transfer(op, &mut state);
        if A::DIRECTION == Direction::Backward {
            return Some(state);
        }
        let flow = self.flow;
        let jumps = flow.jumps(op);
        for &target in &jumps.targets {
            let out = Some(state.clone());
            match target {
                Target::Exit => self.exit.join(&out),
                Target::Break(to) => self.port(to).outside.join(&out),
                Target::Continue(to) => self.port(to).continued.join(&out),
            };
        }
        jumps.next.then_some(state)
    }

    /// The transfer function of the operation itself, without its regions and jumps.
    pub(super) fn transfer(&self, op: OpId, state: &mut A::State) {
        let walks = A::OCCURRENCES && !self.flow.body.ops[op].operands.is_empty();
        if A::DIRECTION == Direction::Backward {
            self.analysis.operation(op, state);
        }
        if walks {
            operands::evaluate(self.flow, &self.analysis, op, state, None);
        }
        if A::DIRECTION == Direction::Forward {
            self.analysis.operation(op, state);
        }
    }

    // ---- regions, forward ----

    fn regions_forward(
        &mut self,
        op: OpId,
        shape: Shape,
        state: Option<A::State>,
    ) -> Option<A::State> {
        let flow = self.flow;
        let regions = &flow.body.ops[op].regions;
        match shape {
            Shape::Plain | Shape::While | Shape::Once => {
                regions.iter().fold(state, |state, &it| self.region(it, state))
            }
            Shape::Branch => {
                let mut out = if regions.len() > 1 { None } else { state.clone() };
                for &region in regions {
                    let arm = self.region(region, state.clone());
                    out.join(&arm);
                }
                out
            }
            Shape::SBlock { guarded } => {
                let mut inside = state.clone();
                if let Some(&init) = regions.get(1) {
                    let initialized = self.region(init, state.clone());
                    inside.join(&initialized);
                }
                let mut out = self.region(regions[0], inside);
                if guarded {
                    out.join(&state);
                }
                out
            }
            Shape::Loop { certain } => {
                let header = self.port(op).header.insert_joined(state.clone());
                let mut end = self.region(regions[0], header);
                end.join(&self.port(op).continued.clone());
                self.next_header(op, &end);
                end.join(&self.port(op).outside.clone());
                if !certain {
                    end.join(&state);
                }
                end
            }
            Shape::Unknown => self.unknown_regions(op, state),
        }
    }

    /// Goes on with a new header in the next pass, if it is new.
    fn next_header(&mut self, op: OpId, more: &Option<A::State>) {
        let changed = self.port(op).header.join(more);
        self.unsettled += u64::from(changed);
    }

    /// Regions that run any number of times in any order, in both directions.
    fn unknown_regions(&mut self, op: OpId, state: Option<A::State>) -> Option<A::State> {
        let mut around = self.port(op).header.insert_joined(state);
        let mut changed = false;
        for &region in &self.flow.body.ops[op].regions {
            let out = self.region(region, around.clone());
            changed |= around.join(&out);
        }
        self.unsettled += u64::from(changed);
        self.port(op).header.clone_from(&around);
        around
    }

    fn while_forward(&mut self, op: OpId, state: Option<A::State>) -> Option<A::State> {
        let header = self.port(op).header.insert_joined(state);
        let decided = self.apply(op, header);
        let mut end = self.region(self.flow.body.ops[op].regions[0], decided);
        end.join(&self.port(op).continued.clone());
        self.next_header(op, &end);
        let header = self.port(op).header.clone();
        self.port(op).operands.clone_from(&header);
        let mut out = self.apply(op, header);
        out.join(&self.port(op).outside.clone());
        out
    }

    // ---- regions, backward ----

    fn regions_backward(
        &mut self,
        op: OpId,
        shape: Shape,
        after: Option<A::State>,
    ) -> Option<A::State> {
        let flow = self.flow;
        let regions = &flow.body.ops[op].regions;
        match shape {
            Shape::Plain | Shape::While | Shape::Once => {
                regions.iter().rev().fold(after, |state, &it| self.region(it, state))
            }
            Shape::Branch => {
                let mut before = if regions.len() > 1 { None } else { after.clone() };
                for &region in regions.iter().rev() {
                    let arm = self.region(region, after.clone());
                    before.join(&arm);
                }
                before
            }
            Shape::SBlock { guarded } => {
                let mut before = self.region(regions[0], after.clone());
                if let Some(&init) = regions.get(1) {
                    let initialized = self.region(init, before.clone());
                    before.join(&initialized);
                }
                if guarded {
                    before.join(&after);
                }
                before
            }
            Shape::Loop { certain } => {
                let header = self.port(op).header.insert_joined(after.clone());
                let mut before = self.region(regions[0], header);
                self.next_header(op, &before);
                if !certain {
                    before.join(&after);
                }
                before
            }
            Shape::Unknown => self.unknown_regions(op, after),
        }
    }

    fn while_backward(&mut self, op: OpId, after: Option<A::State>) -> Option<A::State> {
        let mut after = after;
        after.join(&self.analysis.forever());
        self.port(op).outside.join(&after);
        // The condition that fails comes first: it does not need the body.
        let last = self.after_operands(op, after.clone());
        let last = self.apply(op, last);
        let header = self.port(op).header.insert_joined(last);
        let body = self.region(self.flow.body.ops[op].regions[0], header);
        after.join(&body);
        let decided = self.after_operands(op, after);
        self.port(op).operands.clone_from(&decided);
        let again = self.apply(op, decided);
        self.next_header(op, &again);
        self.port(op).header.clone()
    }
}

/// A state to which something is added and which is then used.
trait InsertJoined: Sized {
    fn insert_joined(&mut self, more: Self) -> Self;
}

impl<S: Lattice> InsertJoined for Option<S> {
    fn insert_joined(&mut self, more: Option<S>) -> Option<S> {
        self.join(&more);
        self.clone()
    }
}

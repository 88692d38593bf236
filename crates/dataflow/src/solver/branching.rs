//! Regions of several blocks: a worklist in reverse post-order, or its reverse.
//!
//! In: a region and the state with which the analysis comes to it. Out: that with which it leaves. A block is processed
//! again when its input has changed, always the first such block in the order, so that a block waits for those before
//! it. A region inside the worklist of another one makes one sweep a pass instead: a fixpoint inside a fixpoint would
//! cost two to the power of the nesting. Per pass O(blocks + edges) and the changed parts.

use std::collections::BTreeSet;

use ir::{
    BlockId, RegionId,
    dominators::{reverse_post_order, successors},
};
use rustc_hash::FxHashMap;

use super::{Analysis, Direction, Solution};
use crate::lattice::Lattice;

/// The blocks of a region in the order in which the analysis meets them, and the edges between them.
struct Order {
    blocks: Vec<BlockId>,
    /// For each block the blocks that are entered from it, with the source of the edge and its number there.
    next: Vec<Vec<(usize, BlockId, usize)>>,
}

impl<A: Analysis> Solution<'_, A> {
    /// A region of several blocks.
    pub(super) fn branching(
        &mut self,
        region: RegionId,
        state: Option<A::State>,
    ) -> Option<A::State> {
        let order = self.order(region);
        let sweeps = std::mem::replace(&mut self.in_worklist, true);
        let mut pending: BTreeSet<usize> = (0..order.blocks.len()).collect();
        while let Some(at) = pending.pop_first() {
            ir::interrupt::check();
            let given = if self.is_outermost(&order, at) { state.clone() } else { None };
            let out = self.block(order.blocks[at], given);
            self.hand_over(&order, at, out, sweeps, &mut pending);
            if pending.is_empty() {
                pending.extend(self.lead_out(&order, &state));
            }
        }
        self.in_worklist = sweeps;
        self.leave_region(&order)
    }

    fn order(&self, region: RegionId) -> Order {
        let body = self.flow.body;
        let mut blocks = reverse_post_order(body, body.entry(region));
        if A::DIRECTION == Direction::Backward {
            blocks.reverse();
        }
        let number: FxHashMap<BlockId, usize> =
            blocks.iter().enumerate().map(|(index, &it)| (it, index)).collect();
        let mut next = vec![Vec::new(); blocks.len()];
        for (at, &block) in blocks.iter().enumerate() {
            for (index, target) in successors(body, block).enumerate() {
                let to = number[&target];
                match A::DIRECTION {
                    Direction::Forward => next[at].push((to, block, index)),
                    Direction::Backward => next[to].push((at, block, index)),
                }
            }
        }
        Order { blocks, next }
    }

    /// Returns true if the state that enters the region enters this block: the entry block, or, backward, the blocks
    /// that lead out.
    fn is_outermost(&self, order: &Order, at: usize) -> bool {
        match A::DIRECTION {
            Direction::Forward => at == 0,
            Direction::Backward => self.is_last(order.blocks[at]),
        }
    }

    fn is_last(&self, block: BlockId) -> bool {
        successors(self.flow.body, block).next().is_none()
    }

    fn hand_over(
        &mut self,
        order: &Order,
        at: usize,
        out: Option<A::State>,
        sweeps: bool,
        pending: &mut BTreeSet<usize>,
    ) {
        let Some(out) = out else { return };
        for &(to, source, index) in &order.next[at] {
            let mut handed = out.clone();
            if let Some(&terminator) = self.flow.body.blocks[source].ops.last() {
                self.analysis.edge(terminator, index, &mut handed);
            }
            let slot = &mut self.blocks[order.blocks[to]];
            if slot.input.join(&Some(handed)) {
                slot.settled = false;
                if to <= at && sweeps {
                    self.unsettled += 1;
                } else {
                    pending.insert(to);
                }
            }
        }
    }

    /// Backward, blocks from which no path leads out (endless loops) still have uses: the last of them counts as an end
    /// of the function.
    fn lead_out(&mut self, order: &Order, state: &Option<A::State>) -> Option<usize> {
        if A::DIRECTION == Direction::Forward || state.is_none() {
            return None;
        }
        let lost = |&at: &usize| {
            let block = order.blocks[at];
            self.blocks[block].input.is_none() && !self.is_last(block)
        };
        let at = (0..order.blocks.len()).find(lost)?;
        let slot = &mut self.blocks[order.blocks[at]];
        slot.input = Some(self.analysis.boundary());
        slot.input.join(&self.analysis.forever());
        slot.settled = false;
        Some(at)
    }

    /// Returns the state that leaves the region, after the fixpoint.
    fn leave_region(&self, order: &Order) -> Option<A::State> {
        match A::DIRECTION {
            Direction::Forward => {
                let mut out = None;
                for &block in order.blocks.iter().filter(|&&it| self.is_last(it)) {
                    out.join(&self.blocks[block].output);
                }
                out
            }
            Direction::Backward => {
                order.blocks.last().and_then(|&it| self.blocks[it].output.clone())
            }
        }
    }
}

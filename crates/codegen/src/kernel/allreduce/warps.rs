//! Reductions over threads by shuffles: threads of a warp exchange values without memory.
//!
//! The last steps of the tree (16, 8, 4, 2, 1) are shuffles; all steps, if a group has at most 32 threads. The order is
//! that of the tree: in step `s` the thread `r` combines its value, on the left, with that of `r + s`, and only threads
//! below `s` count, so the results are the same to the bit. Threads at or above `s` keep their values: nothing is
//! computed that the tree does not compute.
//!
//! ```text
//! other = shuffle_down(value, s);  value = r < s ? f(value, other) : value      for s = 16, …, 1
//! ```
//!
//! A shuffle needs all threads of the warp (its mask has all of them), so this is done only where all threads of the
//! block pass ([`crate::kernel::sync::is_convergent`]), where a block consists of whole warps, and where groups do not
//! lie across warps: the reduced axes are the first ones of the block, and a group is 2, 4, 8, 16, 32 threads or a
//! multiple of 32.

use ir::{BinaryOp, BlockId, BufferId, DataType, ExprId, OpKind, Type};

use super::{Lowering, Pool, malformed};
use crate::kernel::{Axis, Kernel, Result};

/// Threads of a warp.
const WARP: i64 = 32;

/// How a reduction is written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Form {
    /// All steps in shared memory.
    Tree,
    /// All steps by shuffles.
    Warp,
    /// Steps of a warp and more in shared memory, the others by shuffles.
    TreeThenWarp,
}

impl Form {
    /// The form for groups along these axes, in a block whose threads all get here.
    pub(super) fn of(kernel: &Kernel, reduced: &[(Axis, ir::ValueId, i64)]) -> Form {
        let size: i64 = reduced.iter().map(|it| it.2).product();
        let is_whole = kernel.block_threads().is_some_and(|it| it % WARP == 0);
        // Threads are counted along x first: the reduced axes have to come before the others that count.
        let threads = kernel.launch.iter().filter(|it| it.axis.is_thread());
        let counted = threads.filter(|it| it.fixed() != Some(1)).map(|it| it.axis);
        let own = reduced.iter().filter(|it| it.2 != 1).map(|it| it.0);
        let is_first = own.eq(counted.take(reduced.iter().filter(|it| it.2 != 1).count()));
        match () {
            () if !is_whole || !is_first => Form::Tree,
            () if (2..=WARP).contains(&size) && size.count_ones() == 1 => Form::Warp,
            () if size > WARP && size % WARP == 0 => Form::TreeThenWarp,
            () => Form::Tree,
        }
    }
}

impl Lowering<'_> {
    /// Everything by shuffles; all threads get the result.
    pub(super) fn by_warp(&mut self, block: BlockId, size: i64) -> Result<()> {
        let reduced = self.reduced.clone();
        let lane = self.linear(&reduced);
        let lane = self.bind(block, "red_lane", lane);
        let mut values = Vec::new();
        for k in 0..self.identity.len() {
            let value = self.guarded(k)?;
            values.push(self.bind(block, "red_value", value));
        }
        let values = self.shuffled(block, lane, values, size / 2)?;
        let (zero, width) = (self.int(0), self.int(size));
        for (k, value) in values.into_iter().enumerate() {
            let result =
                self.shuffle(block, "tvm_warp_shuffle", (value, zero, width), "red_result");
            self.give(block, k, result);
        }
        Ok(())
    }

    /// Steps of a warp and more in shared memory, then shuffles; the result goes through shared memory to all.
    pub(super) fn by_tree_and_warp(&mut self, block: BlockId, pool: &mut Pool) -> Result<()> {
        let tree = self.tree_slots(block, pool)?;
        let mut step = (tree.size as u64).next_power_of_two() as i64 / 2;
        while step >= WARP {
            self.step(block, &tree.buffers, tree.lane, tree.slot, step, tree.size)?;
            step /= 2;
        }
        let mut values = Vec::new();
        for &buffer in &tree.buffers {
            let value = self.body.load(buffer, &[tree.slot], None);
            values.push(self.bind(block, "red_value", value));
        }
        let values = self.shuffled(block, tree.lane, values, WARP / 2)?;
        let one = self.int(1);
        let is_first = self.body.binary(BinaryOp::Lt, tree.lane, one);
        let branch = self.body.push_op(block, OpKind::If, &[is_first]);
        let region = self.body.push_region(branch);
        let inner = self.body.entry(region);
        for (&buffer, value) in tree.buffers.iter().zip(values) {
            self.store(inner, buffer, tree.slot, value);
        }
        self.results(block, &tree.buffers, tree.first);
        Ok(())
    }

    /// The values after the steps from `step` down to 1: those of the first threads are combined.
    fn shuffled(
        &mut self,
        block: BlockId,
        lane: ExprId,
        mut values: Vec<ExprId>,
        mut step: i64,
    ) -> Result<Vec<ExprId>> {
        let width = self.int(WARP);
        while step >= 1 {
            let distance = self.int(step);
            let mut operands = values.clone();
            for &value in &values {
                let parts = (value, distance, width);
                operands.push(self.shuffle(block, "tvm_warp_shuffle_down", parts, "red_other"));
            }
            let combined = self.apply(&operands)?;
            let is_below = self.body.binary(BinaryOp::Lt, lane, distance);
            let mut next = Vec::new();
            for (&value, combined) in values.iter().zip(combined) {
                if self.body.ty(value) != self.body.ty(combined) {
                    return Err(malformed("has a reducer of another type"));
                }
                let chosen = self.body.if_then_else(is_below, combined, value);
                next.push(self.bind(block, "red_value", chosen));
            }
            values = next;
            step /= 2;
        }
        Ok(values)
    }

    /// A name for the value of another thread of the warp.
    fn shuffle(
        &mut self,
        block: BlockId,
        name: &str,
        (value, from, width): (ExprId, ExprId, ExprId),
        bound: &str,
    ) -> ExprId {
        let mask = self.body.int(u32::MAX.into(), DataType::uint(32));
        let warp = self.int(WARP);
        let callee = self.body.operator(name);
        let ty: Type = self.body.ty(value);
        let args = [mask, value, from, width, warp];
        let call = self.body.call(callee, &args, ir::Body::no_attrs(), ty, true);
        self.bind(block, bound, call)
    }

    /// Stores component `k` at the destination of the reduction.
    pub(super) fn give(&mut self, block: BlockId, k: usize, value: ExprId) {
        let (target, indices) = self.results[k].clone();
        let mut operands = vec![value];
        operands.extend(indices);
        self.body.push_op(block, OpKind::Store { buffer: target, predicated: false }, &operands);
    }

    /// Every thread reads the result.
    pub(super) fn results(&mut self, block: BlockId, buffers: &[BufferId], first: ExprId) {
        for (k, &buffer) in buffers.iter().enumerate() {
            let value = self.body.load(buffer, &[first], None);
            self.give(block, k, value);
        }
    }
}

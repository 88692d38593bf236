//! Kernels that begin in the middle of a function: `T.device_entry()`, with the extents given where threads take their
//! indices (`bx = T.cta_id([4])`, `tx = T.thread_id([128])`; SEMANTICS: P6, P10).
//!
//! In: the statements behind the entry. Out: their effect in every thread of every block. A thread has a number in its
//! block, the first extent of `thread_id` fastest; warps are 32 threads in this order, groups of warps 128. Not
//! executed: clusters of several blocks. O(statements × threads).

use std::rc::Rc;

use super::{
    RunError, RunErrorKind,
    exec::{Machine, Slot},
    ops::Val,
    races::WARP,
};
use ir::{Callee, ExprId, ExprKind, Intrinsic, OpId, OpKind, ValueId, arena::Id, walk::WalkEvent};

type Result<T> = std::result::Result<T, Box<RunError>>;

/// Threads of a group of warps.
const GROUP: i64 = 128;

/// The attribute by which everything in a scope runs on the device.
const ENTRY: &str = "tirx.device_entry";

impl Machine<'_> {
    /// Returns true if everything behind a statement runs on the device.
    pub(super) fn is_device_entry(&self, op: OpId) -> bool {
        let data = &self.body.ops[op];
        data.kind == OpKind::Evaluate
            && self.body.operands_of(data.operands[0], Intrinsic::DeviceEntry).is_some()
    }

    /// Returns true if everything in a scope runs on the device.
    pub(super) fn is_device_scope(&self, op: OpId) -> bool {
        self.body.dict(self.body.ops[op].attrs).iter().any(|(key, _)| &**key == ENTRY)
    }

    /// Executes statements as a kernel.
    pub(super) fn device(&mut self, ops: &[OpId]) -> Result<()> {
        let (blocks, threads) = self.device_dims(ops)?;
        self.run_blocks(blocks, threads, &mut |machine, lanes| machine.statements(ops, lanes))
    }

    /// The extents of the grid and of a block, from the indices that are taken in the statements.
    fn device_dims(&mut self, ops: &[OpId]) -> Result<([i64; 3], [i64; 3])> {
        let body = self.body;
        let mut blocks = [1; 3];
        let mut threads: Option<[i64; 3]> = None;
        let (mut warps, mut groups, mut has_lanes) = (None, None, false);
        let inner = ops.iter().flat_map(|&op| body.ops[op].regions.iter().copied());
        let inner = inner.flat_map(|region| body.walk(region)).filter_map(|event| match event {
            WalkEvent::Enter(op) => Some(op),
            _ => None,
        });
        for op in ops.iter().copied().chain(inner) {
            let Some((index, extents)) = self.scope_index(op) else { continue };
            let extents = self.scope_extents(extents)?;
            let Some(extents) = extents else { continue };
            let all: i64 = extents.iter().product();
            match index {
                Intrinsic::CtaId => blocks = in_three(&extents),
                Intrinsic::ThreadId => threads = Some(in_three(&extents)),
                Intrinsic::WarpId => warps = Some(all),
                Intrinsic::WarpgroupId => groups = Some(all),
                Intrinsic::LaneId | Intrinsic::WarpIdInGroup | Intrinsic::ThreadIdInGroup => {
                    has_lanes = true;
                }
                _ if all == 1 => {}
                _ => return self.no_clusters(),
            }
        }
        let warp = i64::from(WARP);
        let derived = match (warps, groups) {
            (Some(warps), _) => warps * warp,
            (None, Some(groups)) => groups * GROUP,
            _ if has_lanes => warp,
            _ => 1,
        };
        Ok((blocks, threads.unwrap_or([derived, 1, 1])))
    }

    fn no_clusters<T>(&self) -> Result<T> {
        self.fail(RunErrorKind::Unsupported, "clusters of several blocks".to_owned())
    }

    /// The index that a binding takes, and its extents.
    fn scope_index(&self, op: OpId) -> Option<(Intrinsic, Option<ExprId>)> {
        let data = &self.body.ops[op];
        let (OpKind::Bind, Some(&operand)) = (data.kind, data.operands.first()) else {
            return None;
        };
        match self.body.expr(operand).kind {
            ExprKind::Call { callee: Callee::Intrinsic(_, it), args, .. }
                if it.is_scope_index() =>
            {
                Some((it, self.body.items(args).first().copied()))
            }
            _ => None,
        }
    }

    /// The extents of an index; none if they follow from others.
    fn scope_extents(&mut self, extents: Option<ExprId>) -> Result<Option<Vec<i64>>> {
        let Some(extents) = extents else { return Ok(None) };
        let items = match self.body.expr(extents).kind {
            ExprKind::Tuple(items) => self.body.items(items).to_vec(),
            ExprKind::Opaque { .. } => return Ok(None),
            _ => vec![extents],
        };
        items.iter().map(|&it| self.int(it, 0)).collect::<Result<Vec<_>>>().map(Some)
    }

    /// Gives the index that a binding takes its value in each lane; false if it takes none.
    pub(super) fn take_index(&mut self, op: OpId) -> Result<bool> {
        let Some((index, extents)) = self.scope_index(op) else { return Ok(false) };
        let Some(kernel) = self.kernel.clone() else {
            let message = "the index of a thread outside of a kernel".to_owned();
            return self.fail(RunErrorKind::Unsupported, message);
        };
        let extents = self.scope_extents(extents)?.unwrap_or_default();
        let data = &self.body.ops[op];
        let axis = self.body.scope_axis(data.operands[0]).map_or(0, |it| it.0);
        let value = data.results[0];
        let warp = i64::from(WARP);
        let number = |thread: i64| match index {
            Intrinsic::ThreadId => Some(thread),
            Intrinsic::WarpId => Some(thread / warp),
            Intrinsic::LaneId => Some(thread % warp),
            Intrinsic::WarpgroupId => Some(thread / GROUP),
            Intrinsic::WarpIdInGroup => Some(thread % GROUP / warp),
            Intrinsic::ThreadIdInGroup => Some(thread % GROUP),
            Intrinsic::CtaIdInCluster | Intrinsic::CtaIdInPair => Some(0),
            _ => None,
        };
        if index == Intrinsic::CtaId {
            let at = kernel.block.get(axis).copied().unwrap_or(0);
            self.set_index(value, Slot::Uniform(Val::Int(at, false)));
            return Ok(true);
        }
        let mut lanes = Vec::with_capacity(self.frame.threads.len());
        for &thread in self.frame.threads.iter() {
            let Some(number) = number(i64::from(thread)) else { return self.no_clusters() };
            let below: i64 = extents.iter().take(axis).product();
            let rest = number / below.max(1);
            let at = match extents.get(axis) {
                Some(&extent) if axis + 1 < extents.len() => rest % extent.max(1),
                _ => rest,
            };
            lanes.push(Val::Int(at, false));
        }
        self.set_index(value, Slot::Lanes(Rc::from(lanes)));
        Ok(true)
    }

    fn set_index(&mut self, value: ValueId, slot: Slot) {
        self.frame.slots[value.index()] = slot;
        self.uniformity.forget();
    }
}

/// Extents as those of three dimensions: what is behind the third belongs to it.
fn in_three(extents: &[i64]) -> [i64; 3] {
    let at = |it: usize| extents.get(it).copied().unwrap_or(1);
    [at(0), at(1), extents.iter().skip(2).product()]
}

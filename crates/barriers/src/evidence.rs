//! The evidence for a barrier: two accesses of shared memory by different threads.
//!
//! In: the pending accesses where the analysis puts a barrier, and the accesses behind it. Out: the two operations, and
//! whether the conflict is *certain*: one writes the memory that the other reads, each address and thread is known, the
//! threads are of different warps (those of one may run in step), and both operations are executed whenever the kernel
//! is: under conditions on thread indices only, in loops that run. Other conflicts may need no barrier after all:
//! enough reason to insert one, too little to report that one is missing.

use ir::{OpId, OpKind};
use rustc_hash::FxHashSet;

use super::{ExprKind, Planner, State, WARP};

/// Two accesses that need a barrier between them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Hazard {
    /// The place where the barrier goes: before this operation.
    pub before: OpId,
    /// The access before the barrier.
    pub first: OpId,
    /// The access after it.
    pub second: OpId,
    /// True if the first is a write, and the second a read.
    pub reads: bool,
    /// True if threads do conflict; false if they may.
    pub is_certain: bool,
}

impl Planner<'_> {
    /// A barrier is inserted before `op`, because of one of `accesses` and the pending ones.
    pub(super) fn insert_before(&mut self, op: OpId, accesses: &[u32], state: &State) {
        if !self.found.before.insert(op) {
            return;
        }
        let mut best: Option<Hazard> = None;
        for &id in accesses {
            let access = &self.accesses[id as usize];
            let writes = state.writes.get(&access.root).into_iter().flatten();
            let reads = state.reads.get(&access.root).into_iter().flatten();
            let reads = reads.filter(|_| access.write);
            for (&other, &aged) in writes.chain(reads) {
                if !self.conflict(id, other, aged) {
                    continue;
                }
                let is_certain = self.is_certain(id, other, aged);
                if best.is_none_or(|it| is_certain && !it.is_certain) {
                    let (first, second) = (self.accesses[other as usize].op, access.op);
                    best = Some(Hazard {
                        before: op,
                        first,
                        second,
                        reads: !access.write,
                        is_certain,
                    });
                }
                if is_certain {
                    break;
                }
            }
        }
        self.found.hazards.extend(best);
    }

    fn is_certain(&self, a: u32, b: u32, aged: bool) -> bool {
        let (a, b) = (&self.accesses[a as usize], &self.accesses[b as usize]);
        let (Some(x), Some(y)) = (&a.addresses, &b.addresses) else { return false };
        if !(a.is_exact && b.is_exact) || a.write == b.write || x.base != y.base || x.unit != y.unit
        {
            return false;
        }
        if aged && !x.base.is_empty() {
            return false;
        }
        let (owners, other) = if a.write { (a.owners(x), y) } else { (b.owners(y), x) };
        let is_far = other.each().any(|(address, thread)| {
            let owner = owners.get(&address).copied();
            owner.is_some_and(|it| it != super::MANY && it / WARP != thread / WARP)
        });
        is_far && self.are_executed(a.op, b.op, aged)
    }

    /// Returns true if both operations are executed, by the threads that their conditions name. A conflict with an
    /// earlier iteration needs loops of at least two iterations.
    fn are_executed(&self, a: OpId, b: OpId, aged: bool) -> bool {
        let chain = |op: OpId| {
            let mut around = Vec::new();
            let mut at = self.body.parent_op(op);
            while let Some(op) = at.filter(|&it| it != self.kernel.op) {
                around.push(op);
                at = self.body.parent_op(op);
            }
            around
        };
        let (of_a, of_b) = (chain(a), chain(b));
        let common: FxHashSet<OpId> = of_a.iter().copied().filter(|it| of_b.contains(it)).collect();
        of_a.iter().chain(&of_b).chain([&a, &b]).all(|&op| {
            let data = &self.body.ops[op];
            let least = if aged && common.contains(&op) { 2 } else { 1 };
            match data.kind {
                OpKind::If => self.evaluate(data.operands[0], &[[0; 3]]).is_some(),
                OpKind::For(_) => matches!(
                    self.body.expr(data.operands[1]).kind,
                    ExprKind::Int(extent) if extent >= least
                ),
                OpKind::While => false,
                _ => true,
            }
        })
    }
}

//! Barriers in shared memory with phases (SEMANTICS: Y9), in the order of lockstep.
//!
//! In: arrivals and waits. Out: the phases that each barrier has completed. Copies of tiles are done when they are
//! begun, so the bytes that a barrier expects are there, and only arrivals count. A wait for a phase that is not
//! complete is not executed: in this order of the threads, those that would arrive come later. O(1) each.

use ir::{Attr, Body, BufferId, ExprId, ExprKind, OpKind};
use rustc_hash::FxHashMap;

use super::{RunError, RunErrorKind, exec::Machine, ops::Val};

type Result<T> = std::result::Result<T, Box<RunError>>;

/// The attribute of a block with the number of arrivals for each of its barriers.
const BARRIER_INIT: &str = "barrier_init";

/// The barriers of a block of threads, by their place in memory.
#[derive(Default)]
pub(super) struct Phases {
    barriers: FxHashMap<(usize, i64), Barrier>,
}

#[derive(Clone, Copy)]
struct Barrier {
    expected: u64,
    arrived: u64,
    completed: u64,
}

impl Phases {
    /// Another block of threads begins.
    pub(super) fn clear(&mut self) {
        self.barriers.clear();
    }
}

/// Calls that change nothing where copies are done at once and threads run in lockstep.
const WITHOUT_EFFECT: [&str; 16] = [
    "tl.annotate_consumer_reg_alloc",
    "tl.annotate_producer_reg_dealloc",
    "tl.conflict_hint",
    "tl.fence_proxy_async",
    "tl.mbarrier_expect_tx",
    "tl.no_set_max_nreg",
    "tl.prefetch_tma_descriptor",
    "tl.ptx_fence_barrier_init",
    "tl.set_max_nreg",
    "tl.sync_warp",
    "tl.tma_store_arrive",
    "tl.tma_store_wait",
    "tl.wait_wgmma",
    "tl.warpgroup_arrive",
    "tl.warpgroup_commit_batch",
    "tl.warpgroup_wait",
];

impl Machine<'_> {
    /// A call about barriers with phases, or one without effect at the level of tiles.
    pub(super) fn phase_call(
        &mut self,
        name: &str,
        args: &[ExprId],
        lane: usize,
    ) -> Option<Result<Val>> {
        if self.body.dialect != ir::Dialect::TileLang {
            return None;
        }
        Some(match (name, args) {
            (name, _) if WITHOUT_EFFECT.contains(&name) => Ok(Val::Unit),
            ("tl.mbarrier_wait_parity", &[barrier, parity]) => {
                self.wait_phase(barrier, parity, lane)
            }
            ("ptx_arrive_barrier" | "ptx_arrive_barrier_expect_tx", &[barrier, ..]) => {
                self.arrive_at_phase(barrier, lane)
            }
            ("ptx_init_barrier_thread_count", &[barrier, count]) => {
                self.begin_barrier(barrier, count, lane)
            }
            _ => return None,
        })
    }

    fn begin_barrier(&mut self, barrier: ExprId, count: ExprId, lane: usize) -> Result<Val> {
        let key = self.barrier_place(barrier, lane)?;
        let expected = self.int(count, lane)?.max(1) as u64;
        self.phases.barriers.insert(key, Barrier { expected, arrived: 0, completed: 0 });
        Ok(Val::Unit)
    }

    fn arrive_at_phase(&mut self, barrier: ExprId, lane: usize) -> Result<Val> {
        let (key, mut it) = self.phased_barrier(barrier, lane)?;
        it.arrived += 1;
        if it.arrived >= it.expected {
            it.arrived = 0;
            it.completed += 1;
        }
        self.phases.barriers.insert(key, it);
        Ok(Val::Unit)
    }

    fn wait_phase(&mut self, barrier: ExprId, parity: ExprId, lane: usize) -> Result<Val> {
        let parity = self.int(parity, lane)?.rem_euclid(2) as u64;
        if self.phased_barrier(barrier, lane)?.1.completed % 2 == parity {
            let message = "a wait for threads that arrive later in this order".to_owned();
            return self.fail(RunErrorKind::Unsupported, message);
        }
        Ok(Val::Unit)
    }

    fn phased_barrier(&mut self, barrier: ExprId, lane: usize) -> Result<((usize, i64), Barrier)> {
        let key = self.barrier_place(barrier, lane)?;
        if let Some(&known) = self.phases.barriers.get(&key) {
            return Ok((key, known));
        }
        let expected = match self.body.expr(barrier).kind {
            ExprKind::Load { buffer, indices, .. } => {
                let index = self.body.items(indices).last().copied();
                let index = index.map_or(Ok(0), |it| self.int(it, lane))?;
                arrivals(self.body, buffer, index)
            }
            _ => None,
        };
        match expected {
            Some(expected) => Ok((key, Barrier { expected, arrived: 0, completed: 0 })),
            None => {
                let message = "a barrier of an unknown number of arrivals".to_owned();
                self.fail(RunErrorKind::Unsupported, message)
            }
        }
    }

    fn barrier_place(&mut self, barrier: ExprId, lane: usize) -> Result<(usize, i64)> {
        let ExprKind::Load { buffer, indices, .. } = self.body.expr(barrier).kind else {
            return self.pointer(barrier, lane);
        };
        self.address(buffer, self.body.items(indices), lane)
    }
}

/// The number of arrivals that complete a phase of a barrier, as its block says.
fn arrivals(body: &Body, buffer: BufferId, index: i64) -> Option<u64> {
    let data = &body.buffers[buffer];
    let own = body.dict(data.attrs).iter().find(|it| &*it.0 == BARRIER_INIT);
    if let Some(count) = own.and_then(|it| count(&it.1, index)) {
        return Some(count);
    }
    let pointer = body.dict(data.attrs).iter().find(|it| &*it.0 == "data").map(|it| &it.1);
    let pointer = match pointer {
        Some(Attr::Text(text) | Attr::Str(text)) => Some(&**text),
        Some(&Attr::Expr(expr)) => match body.expr(expr).kind {
            ExprKind::Value(value) => Some(body.name(body.values[value].name)),
            _ => None,
        },
        _ => None,
    };
    let names = [Some(body.name(data.name)), pointer];
    let blocks = body.ops.iter().filter(|(_, op)| matches!(op.kind, OpKind::SBlock(_)));
    let inits = blocks.flat_map(|(_, op)| body.dict(op.attrs)).filter(|it| &*it.0 == BARRIER_INIT);
    for (_, init) in inits {
        let Attr::Dict(entries) = init else { continue };
        for (key, counts) in entries {
            if !names.contains(&Some(&**key)) {
                continue;
            }
            if let Some(count) = count(counts, index) {
                return Some(count);
            }
        }
    }
    None
}

/// The count of a barrier in a list of them, or the one of all.
fn count(counts: &Attr, index: i64) -> Option<u64> {
    let count = match counts {
        Attr::List(counts) => counts.get(index.max(0) as usize).or_else(|| counts.last())?,
        one => one,
    };
    match count {
        Attr::Int(count, _) => u64::try_from(*count).ok(),
        _ => None,
    }
}

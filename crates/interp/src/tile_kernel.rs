//! Kernels of TileLang before their threads are launched: a block of the grid whose statements are meant for all of its
//! threads together.
//!
//! In: a block with the attribute `tl.launch_threads`. Out: how it is executed. Where nothing in the function asks for
//! a thread, the block is executed once, as one; else its threads run in lockstep, tile operations once, and each
//! iteration of a parallel loop in one of them. O(operations), once a function.

use ir::{
    Attr, Body, Callee, Dialect, ExprId, ExprKind, ForKind, Intrinsic, OpId, OpKind, RegionId,
    ScopeFamily,
    arena::Id,
    effects::{Asynchrony, EffectTable, Flags, MemoryEffect},
    walk::WalkEvent,
};

use super::{RunError, exec::Machine, memory::Copies, ops::Val};

type Result<T> = std::result::Result<T, Box<RunError>>;

/// The attribute of a block with the extents of its threads.
const LAUNCH_THREADS: &str = "tl.launch_threads";
/// The scope of a buffer that is spread over the registers of a block.
const FRAGMENT: &str = "local.fragment";

impl Machine<'_> {
    /// The threads with which a block begins a kernel, if its statements ask for threads.
    pub(super) fn tile_kernel(&self, block: OpId) -> Option<[i64; 3]> {
        let body = self.body;
        if body.dialect != Dialect::TileLang || self.kernel.is_some() || !self.asks_for_threads {
            return None;
        }
        let (_, threads) =
            body.dict(body.ops[block].attrs).iter().find(|it| &*it.0 == LAUNCH_THREADS)?;
        let Attr::List(items) = threads else { return None };
        let mut extents = [1; 3];
        for (extent, item) in extents.iter_mut().zip(items) {
            let Attr::Int(known, _) = item else { return None };
            *extent = *known;
        }
        Some(extents)
    }

    /// Gives the indices of threads their values, which were bound before the threads began.
    pub(super) fn define_thread_indices(&mut self, lanes: &[u32]) -> Result<()> {
        let body = self.body;
        for (_, op) in body.ops.iter() {
            if op.kind == OpKind::Bind && is_thread_index(body, op.operands[0]) {
                self.define(op.results[0], op.operands[0], lanes)?;
            }
        }
        Ok(())
    }

    /// `launch_thread_idx(dimension)`; 0 where the block is executed as one.
    pub(super) fn thread_index(&mut self, args: &[ExprId], lane: usize) -> Result<Val> {
        let dimension = args.first().map_or(Ok(0), |&it| self.int(it, lane))?;
        let thread = i64::from(self.frame.threads[lane]);
        let index = self.kernel.as_ref().map_or(0, |kernel| {
            let [x, y, _] = kernel.thread_dims;
            match dimension {
                0 => thread % x,
                1 => thread / x % y,
                _ => thread / (x * y),
            }
        });
        Ok(Val::Int(index, false))
    }

    /// The lanes that execute the iterations of a parallel loop: one, unless it writes memory of a thread's own.
    pub(super) fn parallel_lanes<'l>(&self, region: RegionId, active: &'l [u32]) -> &'l [u32] {
        let body = self.body;
        if body.dialect != Dialect::TileLang || self.kernel.is_none() {
            return active;
        }
        let is_own = |op: OpId| match body.ops[op].kind {
            OpKind::Store { buffer, .. } => self
                .bound(buffer, active[0] as usize)
                .is_some_and(|it| self.storages[it.storage].copies == Copies::PerThread),
            _ => false,
        };
        let mut events = body.walk(region);
        let writes_own = events.any(|event| matches!(event, WalkEvent::Enter(op) if is_own(op)));
        if writes_own { active } else { &active[..1] }
    }

    /// The copies of a buffer of TileLang's own scopes in a kernel.
    pub(super) fn tile_copies(&self, scope: ir::MemoryScope) -> Option<Copies> {
        if self.body.dialect != Dialect::TileLang || self.kernel.is_none() {
            return None;
        }
        match scope {
            ir::MemoryScope::Other(ScopeFamily::Thread, name) => {
                Some(match self.body.name(name) == FRAGMENT {
                    true => Copies::One,
                    false => Copies::PerThread,
                })
            }
            _ => None,
        }
    }

    /// Executes a block in which threads are asked for.
    pub(super) fn run_tile_kernel(
        &mut self,
        threads: [i64; 3],
        run: &mut dyn FnMut(&mut Self, &[u32]) -> Result<()>,
    ) -> Result<()> {
        self.run_blocks([1; 3], threads, &mut |machine, lanes| {
            machine.define_thread_indices(lanes)?;
            // TileLang places the barriers between its threads.
            machine.agent = None;
            machine.phases.clear();
            run(machine, lanes)
        })
    }
}

/// Returns true if some statement of a function differs between the threads of a block: it uses the index of a thread,
/// or values of other threads, or is an atomic operation that each thread executes. O(nodes).
pub(super) fn asks_for_threads(body: &Body, effects: &EffectTable) -> bool {
    if body.dialect != Dialect::TileLang {
        return false;
    }
    let indices: Vec<_> = (body.ops.iter())
        .filter(|(_, op)| op.kind == OpKind::Bind && is_thread_index(body, op.operands[0]))
        .map(|(_, op)| op.results[0])
        .collect();
    let mut is_seen = vec![false; body.n_exprs()];
    let mut n_parallel = 0;
    for event in body.walk(body.root) {
        let (op, is_enter) = match event {
            WalkEvent::Enter(op) => (op, true),
            WalkEvent::Leave(op) => (op, false),
            WalkEvent::EnterRegion(_) | WalkEvent::LeaveRegion(_) => continue,
        };
        let data = &body.ops[op];
        if data.kind == OpKind::For(ForKind::Parallel) {
            n_parallel += if is_enter { 1 } else { -1 };
        }
        let is_index = data.kind == OpKind::Bind && is_thread_index(body, data.operands[0]);
        if !is_enter || is_index {
            continue;
        }
        let mut stack: Vec<ExprId> = data.operands.to_vec();
        while let Some(expr) = stack.pop() {
            if std::mem::replace(&mut is_seen[expr.index()], true) {
                continue;
            }
            let kind = body.expr(expr).kind;
            match kind {
                ExprKind::Value(value) if indices.contains(&value) => return true,
                ExprKind::Call { callee: Callee::Intrinsic(name, it), .. }
                    if !it.is_tilelang_tile() =>
                {
                    let row = effects.tir(body.name(name));
                    let is_collective = row.convergent && row.memory_effect == MemoryEffect::None;
                    let is_phase = row.is_barrier() && row.asynchrony == Asynchrony::Commit;
                    let is_atomic = row.flags.contains(Flags::ATOMIC) && n_parallel == 0;
                    if row.flags.contains(Flags::PER_THREAD)
                        || is_collective
                        || is_phase
                        || is_atomic
                    {
                        return true;
                    }
                }
                _ => {}
            }
            body.each_child(kind, &mut |child| stack.push(child));
        }
    }
    false
}

/// Returns true if an expression is the index of a thread of a block whose threads are not launched yet.
pub(super) fn is_thread_index(body: &Body, expr: ExprId) -> bool {
    matches!(
        body.expr(expr).kind,
        ExprKind::Call { callee: Callee::Intrinsic(_, Intrinsic::LaunchThreadIdx), .. }
    )
}

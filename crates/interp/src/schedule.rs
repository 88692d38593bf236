//! The order in which threads run.
//!
//! Between *convergent* operations (barriers, shuffles, reductions over threads, allocations) nothing orders the
//! threads of a block. [`Schedule::Lockstep`] executes a statement in all of them before the next one. The other
//! schedules cut a list of statements at its convergent ones, and run each stretch between two of them in one thread
//! after the other, each thread to the end of the stretch: a program that misses a barrier then behaves as it may on a
//! GPU. They also run blocks and parallel iterations in another order. Vectorised loops stay in lockstep (SEMANTICS:
//! P3).
//!
//! Cost: one pass over the body to find the convergent operations, only for schedules that need it.

use super::{RunError, exec::Machine};
use ir::{
    Body, ExprKind, OpId, OpKind,
    arena::{Id, Table},
    effects::EffectTable,
};

type Result<T> = std::result::Result<T, Box<RunError>>;

/// The order in which the threads of a block, blocks, and iterations of parallel loops run.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Schedule {
    /// All threads of a block execute a statement before the next one; blocks and iterations in ascending order.
    #[default]
    Lockstep,
    /// One thread at a time until the next convergent operation, in ascending order.
    Serial,
    /// As `Serial`, in descending order; blocks and parallel iterations too.
    Reverse,
    /// As `Serial`, each time in another order that follows from this seed; blocks and parallel iterations too.
    Random(u64),
}

/// The operations that are convergent, or contain one that is.
#[derive(Default)]
pub(super) struct Convergence {
    is_convergent: Table<OpId, bool>,
}

impl Convergence {
    /// In: a body. Out: a flag an operation. O(n).
    pub(super) fn of(body: &Body, effects: &EffectTable) -> Convergence {
        let mut in_expr = vec![false; body.n_exprs()];
        for index in 0..in_expr.len() {
            let kind = body.expr(Id::new(index)).kind;
            let mut found = match kind {
                ExprKind::Call { .. } => effects.call(body, kind).convergent,
                _ => false,
            };
            body.each_child(kind, &mut |child| found |= in_expr[child.index()]);
            in_expr[index] = found;
        }
        let mut is_convergent = Table::default();
        for (_, op) in body.ops.iter() {
            is_convergent.push(match op.kind {
                OpKind::Alloc { buffer, .. } => is_shared(body, buffer),
                OpKind::LaunchThread { .. } | OpKind::Opaque(_) | OpKind::Named(_) => true,
                _ => op.operands.iter().any(|it| in_expr[it.index()]),
            });
        }
        for op in is_convergent.ids().collect::<Vec<_>>() {
            if is_convergent[op] {
                mark_parents(body, op, &mut is_convergent);
            }
        }
        Convergence { is_convergent }
    }

    fn holds(&self, op: OpId) -> bool {
        self.is_convergent.get(op).copied().unwrap_or(false)
    }
}

fn is_shared(body: &Body, buffer: ir::BufferId) -> bool {
    let data = &body.buffers[buffer];
    !(data.scope.is_local() || data.scope.is_global() || data.is_cell())
}

/// Marks the operations that contain a convergent one, up to those marked already.
fn mark_parents(body: &Body, op: OpId, is_convergent: &mut Table<OpId, bool>) {
    let parent = |op: OpId| body.regions[body.blocks[body.ops[op].parent].parent].parent;
    let mut next = parent(op);
    while let Some(op) = next {
        if is_convergent[op] {
            break;
        }
        is_convergent[op] = true;
        next = parent(op);
    }
}

/// A small generator (SplitMix64): the same order for the same seed on every machine.
#[derive(Clone, Copy)]
pub(super) struct Shuffler(u64);

impl Shuffler {
    pub(super) fn new(seed: u64) -> Shuffler {
        Shuffler(seed)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    fn shuffle<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            items.swap(last, (self.next() % (last as u64 + 1)) as usize);
        }
    }
}

impl Machine<'_> {
    /// Puts things that nothing orders into the order of the schedule.
    pub(super) fn arrange<T>(&mut self, items: &mut [T]) {
        match self.options.schedule {
            Schedule::Lockstep | Schedule::Serial => {}
            Schedule::Reverse => items.reverse(),
            Schedule::Random(_) => self.shuffler.shuffle(items),
        }
    }

    /// Returns true if the lanes are threads that may run one after the other.
    pub(super) fn is_one_by_one(&self, active: &[u32]) -> bool {
        self.options.schedule != Schedule::Lockstep
            && active.len() > 1
            && self.kernel.is_some()
            && self.vector_depth == 0
    }

    /// Executes a list of statements stretch by stretch.
    pub(super) fn stretches(&mut self, ops: &[OpId], active: &[u32]) -> Result<()> {
        let body = self.body;
        let mut active = active.to_vec();
        let mut first = 0;
        while first < ops.len() && !active.is_empty() {
            // Allocations and declarations give all threads their memory at once.
            let is_cut = |op: OpId| {
                let kind = body.ops[op].kind;
                matches!(kind, OpKind::Alloc { .. } | OpKind::DeclBuffer { .. })
                    || self.convergence.holds(op)
            };
            let length = ops[first..].iter().take_while(|op| !is_cut(**op)).count();
            if length == 0 {
                self.list(&ops[first..=first], &active)?;
                first += 1;
            } else {
                let stretch = &ops[first..first + length];
                let mut order = active.clone();
                self.arrange(&mut order);
                for lane in order {
                    self.list(stretch, &[lane])?;
                }
                first += length;
            }
            self.retain_running(&mut active);
        }
        Ok(())
    }
}

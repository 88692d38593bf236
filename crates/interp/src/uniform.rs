//! Uniform expressions: those with the same value in all lanes, so that one evaluation serves a whole thread block.
//!
//! In: a body. Out: a flag an expression, found once: constants, parameters, block indices and loop variables with such
//! bounds are uniform; thread indices, vector lanes, loads and calls with effects are not. Terms: *known* values are
//! those of the statement that runs; they are forgotten when a variable gets a new value. O(nodes × rounds), where a
//! round more is needed only if a definition stands after its use in the tables.
//!
//! It is another question than `dataflow::variance`, which is above this crate: lanes of vectorised loops count here,
//! memory never does, and a flag may hold for one evaluation only, not for all iterations. Without it the oracle
//! executes half as many operations of a kernel in a second.

use super::{counts::Counts, ops::Val, tile_kernel::is_thread_index};
use ir::{
    Body, BufferOrigin, Callee, ExprId, ExprKind, ForKind, Intrinsic, OpId, OpKind, Value, ValueId,
    ValueKind,
    arena::{Id, Table},
};

/// Flags, and the values known in the current statement.
pub(super) struct Uniformity {
    is_varying: Vec<bool>,
    /// The generation in which the value was found, the value, and the counts of computing it.
    values: Vec<(u64, Val, Counts)>,
    generation: u64,
}

impl Uniformity {
    pub(super) fn of(body: &Body) -> Uniformity {
        let n = if has_lanes(body) { body.n_exprs() } else { 0 };
        let is_varying = if n == 0 { Vec::new() } else { varying(body, n) };
        Uniformity { is_varying, values: vec![(0, Val::Unit, Counts::default()); n], generation: 1 }
    }

    /// Returns true if all lanes have the same value, also if there are no lanes.
    pub(super) fn is_uniform(&self, expr: ExprId) -> bool {
        !self.is_varying.get(expr.index()).copied().unwrap_or(false)
    }

    /// As [`Uniformity::is_uniform`], where there are lanes at all.
    pub(super) fn is_shared(&self, expr: ExprId) -> bool {
        self.is_varying.get(expr.index()).is_some_and(|it| !it)
    }

    pub(super) fn known(&self, expr: ExprId) -> Option<(&Val, Counts)> {
        let (generation, value, counts) = self.values.get(expr.index())?;
        (*generation == self.generation).then_some((value, *counts))
    }

    pub(super) fn learn(&mut self, expr: ExprId, value: Val, counts: Counts) {
        if let Some(cell) = self.values.get_mut(expr.index()) {
            *cell = (self.generation, value, counts);
        }
    }

    pub(super) fn forget(&mut self) {
        self.generation += 1;
    }
}

fn has_lanes(body: &Body) -> bool {
    body.ops.iter().any(|(_, op)| {
        matches!(op.kind, OpKind::LaunchThread { .. } | OpKind::For(ForKind::Vectorized))
            || op.kind == OpKind::Bind
                && (ir::role::defines_threads(body, op.operands[0])
                    || is_thread_index(body, op.operands[0]))
    })
}

fn varying(body: &Body, n: usize) -> Vec<bool> {
    let mut values: Table<ValueId, bool> = Table::default();
    for (_, value) in body.values.iter() {
        values.push(is_index(body, value));
    }
    let mut exprs = vec![false; n];
    loop {
        for index in 0..n {
            exprs[index] = is_varying_node(body, Id::new(index), &values, &exprs);
        }
        let mut has_changed = false;
        for (op, _) in body.ops.iter() {
            has_changed |= spread(body, op, &exprs, &mut values);
        }
        if !has_changed {
            return exprs;
        }
    }
}

/// The variables that differ between lanes by their kind.
fn is_index(body: &Body, value: &Value) -> bool {
    match value.kind {
        ValueKind::BlockArg(block, _) => {
            match body.regions[body.blocks[block].parent].parent.map(|op| body.ops[op].kind) {
                Some(OpKind::LaunchThread { tag, .. }) => !tag.is_block(),
                Some(OpKind::For(kind)) => kind == ForKind::Vectorized,
                _ => false,
            }
        }
        ValueKind::Result(op, _) => !matches!(body.ops[op].kind, OpKind::Bind),
        _ => false,
    }
}

/// Operands of an operation are older than their users in the pool, so one pass in order is enough for expressions.
fn is_varying_node(
    body: &Body,
    expr: ExprId,
    values: &Table<ValueId, bool>,
    exprs: &[bool],
) -> bool {
    let kind = body.expr(expr).kind;
    match kind {
        ExprKind::Value(value) => return values[value],
        ExprKind::Load { .. } | ExprKind::Bound(_) | ExprKind::Opaque { .. } => return true,
        ExprKind::Region(..) | ExprKind::BufferField(..) | ExprKind::Buffer(_) => return true,
        ExprKind::Call { instance, .. } if instance != 0 => return true,
        ExprKind::Call { .. } if is_thread_index(body, expr) => return true,
        ExprKind::Call { callee: Callee::Intrinsic(_, it), .. } if it.is_scope_index() => {
            return it != Intrinsic::CtaId;
        }
        _ => {}
    }
    let mut is_varying = false;
    body.each_child(kind, &mut |child| is_varying |= exprs[child.index()]);
    is_varying
}

/// Marks the variables that an operation defines from operands that differ.
fn spread(body: &Body, op: OpId, exprs: &[bool], values: &mut Table<ValueId, bool>) -> bool {
    let data = &body.ops[op];
    let is_varying = |it: &ExprId| exprs[it.index()];
    let mut has_changed = false;
    let mut mark = |value: ValueId, it: bool| {
        has_changed |= it && !values[value];
        values[value] |= it;
    };
    match data.kind {
        OpKind::Bind => mark(data.results[0], is_varying(&data.operands[0])),
        OpKind::For(_) => {
            let var = body.blocks[body.entry(data.regions[0])].args[0];
            mark(var, data.operands.iter().any(is_varying));
        }
        OpKind::SBlock(block) => {
            for (iter, binding) in body.sblocks[block].iter_vars.iter().zip(&data.operands) {
                mark(iter.value, is_varying(binding));
            }
        }
        // Strides and the offset of a part of a buffer are those of the place of the part.
        OpKind::DeclBuffer { buffer } => {
            let buffer = &body.buffers[buffer];
            if matches!(buffer.origin, BufferOrigin::MatchRegion(_)) {
                for &expr in buffer.strides.iter().flatten().chain(&buffer.elem_offset) {
                    if let ExprKind::Value(value) = body.expr(expr).kind {
                        mark(value, true);
                    }
                }
            }
        }
        // A thread index that an `env_thread` names before the launch.
        OpKind::LaunchThread { tag, var } => mark(var, !tag.is_block()),
        _ => {}
    }
    has_changed
}

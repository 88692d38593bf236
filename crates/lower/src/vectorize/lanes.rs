//! Lane independence: the condition under which lanes may run one after the other.
//!
//! In: a vector loop and its statements. Out: the store that another lane may see or undo, if there is one. In lockstep
//! a lane sees the stores of all lanes in earlier statements and none of later ones (`SEMANTICS: P3`); one after the
//! other it sees all stores of the lanes before. Both agree if for each store and each other access that may be to the
//! same memory, two lanes never access the same element. This is asked of [`arith`] with one variable for each lane,
//! and with separate variables for the values that each computes on the way. Quadratic in the accesses.

use arith::{Analyzer, ContextId, Overflow};
use dataflow::alias::AliasClasses;
use ir::{
    BinaryOp, Body, BufferId, ExprId, ExprKind, OpId, OpKind, ValueId, ValueKind, arena::Id as _,
    effects::EffectTable, substitution::Substitution,
};

use crate::{contexts::around, lists::ops_in};

/// Pairs of accesses that are asked about; a statement with more is taken to depend.
const MOST_PAIRS: usize = 4096;

/// The sets of buffers that may be one memory.
pub(super) struct Memory<'e> {
    pub(super) effects: &'e EffectTable,
    aliases: AliasClasses,
    n_buffers: usize,
}

impl<'e> Memory<'e> {
    pub(super) fn of(body: &Body, effects: &'e EffectTable) -> Memory<'e> {
        let aliases = AliasClasses::build(body, effects);
        Memory { effects, aliases, n_buffers: body.buffers.len() }
    }

    /// Of a buffer that was made since, nothing is known. Parameters of a kernel do not overlap (`SEMANTICS: M6`).
    fn may_alias(&self, a: BufferId, b: BufferId, is_in_kernel: bool) -> bool {
        if a.index().max(b.index()) >= self.n_buffers {
            return true;
        }
        let is_apart = is_in_kernel && self.aliases.root(a) != self.aliases.root(b);
        !is_apart && self.aliases.may_alias(a, b)
    }
}

/// One access.
pub(crate) struct Access {
    op: OpId,
    pub(crate) buffer: BufferId,
    indices: Vec<ExprId>,
    pub(crate) is_store: bool,
}

/// A store of `ops` for which it could matter that lanes run one after the other.
pub(super) fn why_not_independent(
    body: &Body,
    vector: OpId,
    ops: &[OpId],
    memory: &Memory<'_>,
) -> Option<OpId> {
    let mut all = Vec::new();
    for &op in ops {
        all.push(op);
        all.extend(ops_in(body, op));
    }
    let has_effect = |&op: &OpId| {
        let data = &body.ops[op];
        matches!(data.kind, OpKind::Alloc { .. } | OpKind::Return)
            || data.operands.iter().any(|&it| body.expr(it).flags.has_impure)
    };
    if let Some(op) = all.iter().copied().find(has_effect) {
        return Some(op);
    }
    let accesses = accesses(body, &all);
    let is_in_kernel = is_in_kernel(body, vector);
    let mut lanes: Option<Lanes<'_>> = None;
    let mut n_pairs = 0;
    for store in accesses.iter().filter(|it| it.is_store) {
        for other in &accesses {
            if !memory.may_alias(store.buffer, other.buffer, is_in_kernel) {
                continue;
            }
            n_pairs += 1;
            if store.buffer != other.buffer || n_pairs > MOST_PAIRS {
                return Some(store.op);
            }
            let lanes = lanes.get_or_insert_with(|| Lanes::new(body, vector, &all, memory.effects));
            if !lanes.are_apart(store, other) {
                return Some(store.op);
            }
        }
    }
    None
}

/// Returns true for an operation that threads of a launch execute.
pub(crate) fn is_in_kernel(body: &Body, op: OpId) -> bool {
    let mut around = std::iter::successors(Some(op), |&it| body.parent_op(it));
    around.any(|it| matches!(body.ops[it].kind, OpKind::LaunchThread { .. }))
}

/// The accesses of operations, without their regions.
pub(crate) fn accesses(body: &Body, ops: &[OpId]) -> Vec<Access> {
    let mut accesses = Vec::new();
    for &op in ops {
        let data = &body.ops[op];
        if let OpKind::Store { buffer, predicated } = data.kind {
            let end = data.operands.len() - usize::from(predicated);
            let indices = data.operands[1..end].to_vec();
            accesses.push(Access { op, buffer, indices, is_store: true });
        }
        let mut stack = data.operands.to_vec();
        while let Some(at) = stack.pop() {
            if !body.expr(at).flags.has_load {
                continue;
            }
            let kind = body.expr(at).kind;
            if let ExprKind::Load { buffer, indices, .. } = kind {
                let indices = body.items(indices).to_vec();
                accesses.push(Access { op, buffer, indices, is_store: false });
            }
            body.each_child(kind, &mut |child| stack.push(child));
        }
    }
    accesses
}

/// Two lanes, or iterations, of a loop.
pub(crate) struct Lanes<'a> {
    analyzer: Analyzer<'a>,
    /// The first lane before the second, and after it.
    orders: [ContextId; 2],
    /// The names that each lane gives to its variable and to its computed values.
    names: [Substitution; 2],
}

impl<'e> Lanes<'e> {
    /// Of a loop; `inside` are the operations that may define what accesses name.
    pub(crate) fn new(
        body: &Body,
        vector: OpId,
        inside: &[OpId],
        effects: &'e EffectTable,
    ) -> Lanes<'e> {
        let mut analyzer = Analyzer::growing(body, effects);
        let mut context = around(&mut analyzer, body, vector);
        let data = &body.ops[vector];
        let (min, extent) = (data.operands[0], data.operands[1]);
        let var = body.blocks[body.entry(data.regions[0])].args[0];
        let mut names = [Substitution::default(), Substitution::default()];
        let mut firsts = Vec::new();
        for names in &mut names {
            let lane = fresh(&mut analyzer, body, var);
            context = analyzer.range(context, lane, min, extent);
            firsts.push(analyzer.grow(|body| body.value_expr(lane)));
            names.add(var, firsts[firsts.len() - 1]);
            // What each lane computes on the way is its own.
            for &op in inside {
                context = define(&mut analyzer, context, body, op, names);
            }
        }
        let less = analyzer.grow(|it| it.binary(BinaryOp::Lt, firsts[0], firsts[1]));
        let more = analyzer.grow(|it| it.binary(BinaryOp::Gt, firsts[0], firsts[1]));
        let orders = [less, more].map(|it| analyzer.assume(context, it, true));
        Lanes { analyzer, orders, names }
    }

    /// Returns true if no element is accessed by one access in one lane and by the other in another lane.
    pub(crate) fn are_apart(&mut self, a: &Access, b: &Access) -> bool {
        let dims = a.indices.iter().zip(&b.indices);
        for (&a, &b) in dims {
            let [first, second] = &mut self.names;
            let differ = self.analyzer.grow(|body| {
                let (a, b) = (first.apply(body, a), second.apply(body, b));
                (body.ty(a) == body.ty(b)).then(|| body.binary(BinaryOp::Ne, a, b))
            });
            let Some(differ) = differ.filter(|&it| self.analyzer.body().ty(it).is_bool()) else {
                continue;
            };
            let analyzer = &mut self.analyzer;
            let mut orders = self.orders.iter();
            if orders.all(|&it| analyzer.decide_with(Overflow::Excluded, it, differ) == Some(true))
            {
                return true;
            }
        }
        false
    }
}

fn fresh(analyzer: &mut Analyzer<'_>, body: &Body, value: ValueId) -> ValueId {
    let data = body.values[value];
    let name = body.name(data.name).to_owned();
    analyzer.grow(|it| it.new_value(&name, data.ty, ValueKind::Captured))
}

/// New variables for the definitions of an operation in the loop, with their facts.
fn define(
    analyzer: &mut Analyzer<'_>,
    context: ContextId,
    body: &Body,
    op: OpId,
    names: &mut Substitution,
) -> ContextId {
    let data = &body.ops[op];
    let mut context = context;
    match data.kind {
        OpKind::Bind => {
            let value = analyzer.grow(|it| names.apply(it, data.operands[0]));
            names.add(data.results[0], value);
        }
        OpKind::For(_) => {
            let var = body.blocks[body.entry(data.regions[0])].args[0];
            let new = fresh(analyzer, body, var);
            let [min, extent] =
                [0, 1].map(|at| analyzer.grow(|it| names.apply(it, data.operands[at])));
            context = analyzer.range(context, new, min, extent);
            let new = analyzer.grow(|it| it.value_expr(new));
            names.add(var, new);
        }
        _ => {}
    }
    context
}

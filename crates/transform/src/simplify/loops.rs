//! Loops that run one iteration, or none.
//!
//! In: a loop and the facts before it. Out: [`Trips`], and for one iteration whether its body may take its place:
//! nothing leaves the loop by `break` or `continue`, it has no annotations, binds no thread (`SEMANTICS: P6`), is no
//! `T.Parallel` of TileLang (whose iterations the threads of a block share), holds no
//! block that is still to be scheduled, no name would hide another, and its first value may stand where its variable
//! does: it reads no memory (`L1`) and is not computed more often than before. A loop of one iteration is serial,
//! whatever its kind (`P1`, `P3`, `L8`).

use arith::Overflow;
use dataflow::flow::{Flow, Target};
use ir::{
    Attr, Body, BufferField, Dialect, ExprId, ExprKind, ForKind, OpId, OpKind, ValueId,
    arena::Id as _,
    effects::EffectTable,
    plan::{
        finding::Place,
        simplify::{SimplificationKind, SimplifyRefusal},
    },
    role,
    walk::WalkEvent,
};

use super::round::{Planner, is_thread_loop};

/// Nodes of a first value that may take the place of a variable.
const MOST_NODES: u32 = 64;

/// The number of iterations of a loop.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Trips {
    Zero,
    One,
    Many,
}

/// The facts of one walk about all loops.
pub(super) struct LoopFacts {
    /// By operation: the exits of the loop.
    leaves: Vec<Option<OpId>>,
    /// By operation: whether a schedulable block is in it.
    pub(super) has_sblock: Vec<bool>,
    /// By operation: whether attributes in it mention expressions.
    has_attrs: Vec<bool>,
    /// By value: how often it is used.
    n_uses: Vec<u32>,
    /// By value: whether it is in an operand of unknown type that is judged where it is read, should it be a constant.
    is_judged: Vec<bool>,
}

impl LoopFacts {
    pub(super) fn of(body: &Body, effects: &EffectTable, flow: &Flow<'_>) -> LoopFacts {
        let n_ops = body.ops.len();
        let mut facts = LoopFacts {
            leaves: vec![None; n_ops],
            has_sblock: vec![false; n_ops],
            has_attrs: vec![false; n_ops],
            n_uses: n_uses(body),
            is_judged: judged(body, effects),
        };
        for event in body.walk(body.root) {
            let WalkEvent::Leave(op) = event else { continue };
            let data = &body.ops[op];
            for target in &flow.jumps(op).targets {
                if let Target::Break(to) | Target::Continue(to) = *target {
                    facts.leaves[to.index()] = Some(op);
                }
            }
            facts.has_sblock[op.index()] |= matches!(data.kind, OpKind::SBlock(_));
            facts.has_attrs[op.index()] |= body.dict(data.attrs).iter().any(|it| has_expr(&it.1));
            if let Some(parent) = body.parent_op(op) {
                for of_op in [&mut facts.has_sblock, &mut facts.has_attrs] {
                    of_op[parent.index()] |= of_op[op.index()];
                }
            }
        }
        facts
    }
}

/// The uses that operations make of the memory of a thread block, which all its threads see.
pub(super) struct SharedUse {
    /// By operation: the use of such memory in it; empty if there is no such memory.
    of_op: Vec<Touch>,
}

/// The use of shared memory.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Touch {
    No,
    Reads,
    /// Or a pointer to it is given away.
    Writes,
}

impl SharedUse {
    /// One pass over nodes and operations, if there is shared memory at all.
    pub(super) fn of(body: &Body) -> SharedUse {
        let shared: Vec<bool> = body.buffers.iter().map(|it| it.1.scope.is_shared()).collect();
        if !shared.contains(&true) {
            return SharedUse { of_op: Vec::new() };
        }
        let of_expr = touches(body, &shared);
        let mut of_op = vec![Touch::No; body.ops.len()];
        for event in body.walk(body.root) {
            let WalkEvent::Leave(op) = event else { continue };
            let data = &body.ops[op];
            let operands = data.operands.iter().map(|it| of_expr[it.index()]);
            let own = match data.kind {
                OpKind::Store { buffer, .. } if shared[buffer.index()] => Touch::Writes,
                _ => Touch::No,
            };
            // What is in it was left before it.
            let all = operands.fold(own.max(of_op[op.index()]), Touch::max);
            of_op[op.index()] = all;
            if let Some(parent) = body.parent_op(op) {
                of_op[parent.index()] = of_op[parent.index()].max(all);
            }
        }
        SharedUse { of_op }
    }

    fn touch(&self, op: OpId) -> Touch {
        self.of_op.get(op.index()).copied().unwrap_or(Touch::No)
    }

    /// Returns true if an operation uses memory of a thread block.
    pub(super) fn is_used_in(&self, op: OpId) -> bool {
        self.touch(op) != Touch::No
    }

    /// Returns true if an operation writes such memory, or lets a pointer to it escape.
    pub(super) fn is_written_in(&self, op: OpId) -> bool {
        self.touch(op) == Touch::Writes
    }
}

/// By value how often it is used: each node is used as often as all that it is an operand of.
fn n_uses(body: &Body) -> Vec<u32> {
    let mut of_expr = vec![0_u32; body.n_exprs()];
    for op in body.ops_preorder() {
        body.ops[op].operands.iter().for_each(|it| of_expr[it.index()] += 1);
    }
    let mut n_uses = vec![0; body.values.len()];
    for (expr, node) in body.exprs().rev() {
        let n = of_expr[expr.index()];
        if n > 0 {
            body.each_child(node.kind, &mut |it| {
                of_expr[it.index()] = of_expr[it.index()].saturating_add(n);
            });
        }
        if let ExprKind::Value(value) = node.kind {
            n_uses[value.index()] = n;
        }
    }
    n_uses
}

/// By value whether a constant in its place would be judged where the text is read ([`role::is_judged`]), as a type is
/// not known: TVM refuses `k // 0` of a number `k` of Python. Of known types the operator is written by its name.
fn judged(body: &Body, effects: &EffectTable) -> Vec<bool> {
    let mut is_judged = vec![false; body.values.len()];
    if !body.exprs().any(|(_, node)| node.ty.is_open()) {
        return is_judged;
    }
    let mut of_expr = vec![false; body.n_exprs()];
    for (expr, node) in body.exprs().rev() {
        let is_in_one = of_expr[expr.index()];
        let is_unknown = node.ty.is_open();
        for (index, child) in body.children(expr).into_iter().enumerate() {
            of_expr[child.index()] |=
                is_in_one || is_unknown && role::is_judged(body, effects, expr, index);
        }
        if let ExprKind::Value(value) = node.kind {
            is_judged[value.index()] = is_in_one;
        }
    }
    is_judged
}

/// By node the use of shared memory by its evaluation, given by buffer whether it is in that memory.
fn touches(body: &Body, shared: &[bool]) -> Vec<Touch> {
    let mut of_expr = vec![Touch::No; body.n_exprs()];
    for (expr, node) in body.exprs() {
        let mut touch = match node.kind {
            ExprKind::Load { buffer, .. } if shared[buffer.index()] => Touch::Reads,
            ExprKind::BufferField(buffer, BufferField::Data) if shared[buffer.index()] => {
                Touch::Writes
            }
            _ => Touch::No,
        };
        // Operands are made before what they are operands of.
        body.each_child(node.kind, &mut |it| touch = touch.max(of_expr[it.index()]));
        of_expr[expr.index()] = touch;
    }
    of_expr
}

/// Returns true if the threads of a block share the iterations of a loop (`T.Parallel` of TileLang): outside of it, all
/// of them would execute its body, and with other loops inside its loops have no layout together.
pub(super) fn is_tile_loop(body: &Body, op: OpId) -> bool {
    body.dialect == Dialect::TileLang && body.ops[op].kind == OpKind::For(ForKind::Parallel)
}

fn has_expr(attr: &Attr) -> bool {
    attr.expressions().next().is_some()
}

impl Planner<'_, '_, '_, '_> {
    /// Returns the number of iterations of a loop, given its simplified extent.
    pub(super) fn trips(&mut self, op: OpId, extent: ExprId) -> Trips {
        let context = self.before(op);
        let bound = self.analyzer().facts_with(Overflow::Excluded, context, extent).interval;
        match (bound.min, bound.max) {
            (_, max) if max <= 0 => Trips::Zero,
            (1, 1) => Trips::One,
            _ => Trips::Many,
        }
    }

    /// The variable of a loop of one iteration, if the body may replace the loop; otherwise the reason.
    pub(super) fn unwrapped(&mut self, op: OpId, first: ExprId) -> Option<ValueId> {
        let kind = SimplificationKind::SingleIterationLoop;
        match self.why_not_unwrapped(op, first) {
            Ok(value) => Some(value),
            Err((refusal, culprit)) => {
                self.is_loop_left = true;
                self.refuse(kind, Place::Op(op), refusal, culprit);
                None
            }
        }
    }

    fn why_not_unwrapped(
        &mut self,
        op: OpId,
        first: ExprId,
    ) -> Result<ValueId, (SimplifyRefusal, Option<Place>)> {
        let facts = self.facts;
        let loops = facts.loops();
        let body = self.body();
        let data = &body.ops[op];
        let refuse = |refusal| Err((refusal, None));
        if is_thread_loop(data.kind) || is_tile_loop(body, op) {
            return refuse(SimplifyRefusal::ThreadLoop);
        }
        if loops.has_sblock[op.index()] {
            return refuse(SimplifyRefusal::Schedulable);
        }
        if data.attrs != Body::no_attrs() || loops.has_attrs[op.index()] {
            return refuse(SimplifyRefusal::AnnotatedLoop);
        }
        if let Some(by) = loops.leaves[op.index()] {
            return Err((SimplifyRefusal::LeavesLoop, Some(Place::Op(by))));
        }
        let block = self.block(op, 0);
        let Some((block, &[value])) = block.map(|it| (it, &body.blocks[it].args[..])) else {
            return refuse(SimplifyRefusal::HidesName);
        };
        if !self.may_go(op) {
            return refuse(SimplifyRefusal::HasEffect);
        }
        let n_uses = loops.n_uses[value.index()];
        let is_used = n_uses > 0;
        if is_used && self.movable(first).is_none() {
            return refuse(SimplifyRefusal::ReadsMemory);
        }
        let node = self.simplifier.body().expr(first);
        let is_small = node.is_leaf() || (n_uses <= 1 && node.size <= MOST_NODES);
        if is_used && !is_small {
            return refuse(SimplifyRefusal::WouldGrow);
        }
        if loops.is_judged[value.index()] && role::may_be_constant(self.simplifier.body(), first) {
            return refuse(SimplifyRefusal::ReadsBackDifferently);
        }
        if !facts.openable().is_unique_in(body, block) || (is_used && !self.has_unique_names(first))
        {
            return refuse(SimplifyRefusal::HidesName);
        }
        Ok(value)
    }

    /// Returns true if every name in an expression has one meaning wherever it is visible. O(size), for replacements of
    /// a variable.
    fn has_unique_names(&mut self, expr: ExprId) -> bool {
        let body = self.simplifier.body();
        let mut stack = vec![expr];
        while let Some(at) = stack.pop() {
            self.work.nodes += 1;
            if let ExprKind::Value(value) = body.expr(at).kind
                && !self.facts.openable().is_unique(body.values[value].name)
            {
                return false;
            }
            body.each_child(body.expr(at).kind, &mut |it| stack.push(it));
        }
        true
    }
}

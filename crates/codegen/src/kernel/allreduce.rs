//! `tvm_thread_allreduce` → a tree over shared memory.
//!
//! In: `with T.attr(T.comm_reducer(f, identity), "reduce_scope", 0): T.tvm_thread_allreduce(n, values…, condition,
//! results…, axes…)`. Out, in its place, per component `k`, for `R` threads along the axes and `G` groups beside them:
//!
//! ```text
//! red_k[g * R + r] = condition ? value_k : identity_k
//! for s = 2^j, …, 2, 1 (all below R):   if r < s and r + s < R:  red[r] = f(red[r], red[r + s])
//! result_k[…] = red_k[g * R]
//! ```
//!
//! Where the language has shuffles, [`warps`] writes the steps inside a warp so, in the same order.
//!
//! `R` need not be a power of two; all threads of a group get the result. Operands keep their order (the lower thread
//! on the left), so a reducer need not commute, only associate. Barriers are not placed here: [`crate::kernel::sync`]
//! finds that each step needs one before it. Reductions of one kernel with the same type and size share their memory.

mod warps;

use ir::effects::EffectTable;
use ir::{
    AllocKind, BinaryOp, BlockId, Body, Buffer, BufferId, BufferOrigin, Callee, DataType, ExprId,
    ExprKind, Intrinsic, MemoryScope, OpId, OpKind, Type, ValueId, arena::Id as _,
};
use lower::Origins;
use rustc_hash::FxHashMap;

use crate::{
    kernel::{Axis, Kernel, Refusal, Result, split::nest, sync},
    reasons,
};
use warps::Form;

/// Lowers all reductions of `kernels`, by shuffles where possible and if `shuffles` states that the language has them.
/// Returns the new operations, each with its call.
pub(crate) fn lower(
    body: &mut Body,
    kernels: &[Kernel],
    shuffles: bool,
    effects: &EffectTable,
) -> Result<Origins> {
    let mut origins = Origins::new();
    for kernel in kernels {
        let scopes: Vec<OpId> = nest(body, kernel.op)
            .filter(|&op| matches!(body.ops[op].kind, OpKind::Attr(key) if body.name(key) == "reduce_scope"))
            .collect();
        let mut pool = FxHashMap::default();
        for scope in scopes {
            let may_shuffle = shuffles && sync::is_convergent(body, kernel, scope, effects);
            take_declarations_out(body, scope);
            let call = body.blocks[body.entry(body.ops[scope].regions[0])].ops.first();
            let call = call.copied().unwrap_or(scope);
            let first = body.ops.len();
            Lowering::new(body, kernel, scope, may_shuffle)
                .and_then(|it| it.run(&mut pool))
                .map_err(|it| it.at(scope))?;
            origins.extend((first..body.ops.len()).map(|it| (OpId::new(it), call)));
        }
    }
    Ok(origins)
}

/// Buffers that are declared in a scope, in front of the reduction, are declared in front of the scope.
fn take_declarations_out(body: &mut Body, scope: OpId) {
    let inner = body.entry(body.ops[scope].regions[0]);
    let is_declaration = |it: &&OpId| matches!(body.ops[**it].kind, OpKind::DeclBuffer { .. });
    let n = body.blocks[inner].ops.iter().take_while(is_declaration).count();
    let around = body.ops[scope].parent;
    let Some(at) = body.blocks[around].ops.iter().position(|it| *it == scope) else { return };
    let declarations: Vec<OpId> = body.blocks[inner].ops.drain(..n).collect();
    declarations.iter().for_each(|&it| body.ops[it].parent = around);
    body.blocks[around].ops.splice(at..at, declarations);
}

/// Shared buffers by element type and length.
type Pool = FxHashMap<(DataType, i64), Vec<BufferId>>;

/// The parts of one reduction.
struct Lowering<'a> {
    body: &'a mut Body,
    kernel: &'a Kernel,
    scope: OpId,
    /// The reducer's body, its number of components, and its identity elements.
    reducer: ExprId,
    identity: Vec<ExprId>,
    values: Vec<ExprId>,
    condition: ExprId,
    results: Vec<(BufferId, Vec<ExprId>)>,
    reduced: Vec<(Axis, ValueId, i64)>,
    beside: Vec<(Axis, ValueId, i64)>,
    form: Form,
}

/// A reduction in shared memory: buffers by component, and of each thread its number in the group, its place, and the
/// group's first place.
struct Tree {
    buffers: Vec<BufferId>,
    lane: ExprId,
    slot: ExprId,
    first: ExprId,
    size: i64,
}

fn malformed(what: &str) -> Refusal {
    Refusal::new(reasons::ALLREDUCE, format!("a reduction over threads {what}"))
}

impl<'a> Lowering<'a> {
    fn new(
        body: &'a mut Body,
        kernel: &'a Kernel,
        scope: OpId,
        may_shuffle: bool,
    ) -> Result<Lowering<'a>> {
        let node = *body.ops[scope].operands.first().ok_or_else(|| malformed("has no reducer"))?;
        let (reducer, identity) = reducer_parts(body, node)?;
        let call = reduction_call(body, scope)?;
        let n = identity.len();
        let args = body.items(call).to_vec();
        if args.len() < 2 * n + 2 {
            return Err(malformed("has too few arguments"));
        }
        let (values, condition) = (args[1..=n].to_vec(), args[n + 1]);
        let mut results = Vec::new();
        for &result in &args[n + 2..2 * n + 2] {
            let ExprKind::Load { buffer, indices, predicate: None } = body.expr(result).kind else {
                return Err(malformed("has a result that is no element of a buffer"));
            };
            results.push((buffer, body.items(indices).to_vec()));
        }
        let (reduced, beside) = thread_axes(body, kernel, scope, &args[2 * n + 2..])?;
        let form = if may_shuffle { Form::of(kernel, &reduced) } else { Form::Tree };
        Ok(Lowering {
            body,
            kernel,
            scope,
            reducer,
            identity,
            values,
            condition,
            results,
            reduced,
            beside,
            form,
        })
    }

    fn run(mut self, pool: &mut Pool) -> Result<()> {
        let block = self.body.ops[self.scope].parent;
        let mut rest = std::mem::take(&mut self.body.blocks[block].ops);
        let at =
            rest.iter().position(|&it| it == self.scope).ok_or_else(|| malformed("is nowhere"))?;
        let after = rest.split_off(at + 1);
        rest.pop();
        self.body.blocks[block].ops = rest;
        let written = self.write(block, pool);
        self.body.blocks[block].ops.extend(after);
        written
    }

    fn write(&mut self, block: BlockId, pool: &mut Pool) -> Result<()> {
        let size: i64 = self.reduced.iter().map(|it| it.2).product();
        match self.form {
            Form::Warp => self.by_warp(block, size),
            Form::TreeThenWarp => self.by_tree_and_warp(block, pool),
            Form::Tree => {
                let tree = self.tree_slots(block, pool)?;
                let mut step = (size.max(1) as u64).next_power_of_two() as i64 / 2;
                while step >= 1 {
                    self.step(block, &tree.buffers, tree.lane, tree.slot, step, size)?;
                    step /= 2;
                }
                self.results(block, &tree.buffers, tree.first);
                Ok(())
            }
        }
    }

    /// Puts the values of all threads into shared memory.
    fn tree_slots(&mut self, block: BlockId, pool: &mut Pool) -> Result<Tree> {
        let n_reduced: i64 = self.reduced.iter().map(|it| it.2).product();
        let n_groups: i64 = self.beside.iter().map(|it| it.2).product();
        let dtypes = self.dtypes()?;
        let buffers = self.buffers(&dtypes, n_reduced * n_groups, pool);

        let (reduced, beside) = (self.reduced.clone(), self.beside.clone());
        let lane = self.linear(&reduced);
        let lane = self.bind(block, "red_lane", lane);
        let group = self.linear(&beside);
        let size = self.int(n_reduced);
        let first = self.body.binary(BinaryOp::Mul, group, size);
        let first = if n_groups == 1 { self.int(0) } else { self.bind(block, "red_first", first) };
        let slot = if n_groups == 1 { lane } else { self.body.binary(BinaryOp::Add, first, lane) };
        let slot = if n_groups == 1 { slot } else { self.bind(block, "red_slot", slot) };

        for (k, &buffer) in buffers.iter().enumerate() {
            let value = self.guarded(k)?;
            self.store(block, buffer, slot, value);
        }
        Ok(Tree { buffers, lane, slot, first, size: n_reduced })
    }

    /// `if lane < step [and lane + step < size]: red[slot] = f(red[slot], red[slot + step])`
    fn step(
        &mut self,
        block: BlockId,
        buffers: &[BufferId],
        lane: ExprId,
        slot: ExprId,
        step: i64,
        size: i64,
    ) -> Result<()> {
        let limit = self.int(step.min(size - step));
        let condition = self.body.binary(BinaryOp::Lt, lane, limit);
        let branch = self.body.push_op(block, OpKind::If, &[condition]);
        let region = self.body.push_region(branch);
        let inner = self.body.entry(region);
        let distance = self.int(step);
        let other = self.body.binary(BinaryOp::Add, slot, distance);
        let mut operands = Vec::new();
        for at in [slot, other] {
            for &buffer in buffers {
                let load = self.body.load(buffer, &[at], None);
                let name = if at == slot { "lhs" } else { "rhs" };
                operands.push(self.bind(inner, name, load));
            }
        }
        let results = self.apply(&operands)?;
        let mut bound = Vec::new();
        for result in results {
            bound.push(if buffers.len() > 1 {
                self.bind(inner, "combined", result)
            } else {
                result
            });
        }
        for (&buffer, result) in buffers.iter().zip(bound) {
            self.store(inner, buffer, slot, result);
        }
        Ok(())
    }

    /// The components of the reducer for these operands.
    fn apply(&mut self, operands: &[ExprId]) -> Result<Vec<ExprId>> {
        let components = match self.body.expr(self.reducer).kind {
            ExprKind::Tuple(list) => self.body.items(list).to_vec(),
            _ => vec![self.reducer],
        };
        if components.len() != self.identity.len() {
            return Err(malformed("has a reducer of another number of components"));
        }
        let mut memo = FxHashMap::default();
        components.into_iter().map(|it| substitute(self.body, it, operands, &mut memo)).collect()
    }

    fn guarded(&mut self, k: usize) -> Result<ExprId> {
        let (value, identity) = (self.values[k], self.identity[k]);
        if matches!(self.body.expr(self.condition).kind, ExprKind::Int(1)) {
            return Ok(value);
        }
        if self.body.ty(value) != self.body.ty(identity) {
            return Err(malformed("has an identity of another type"));
        }
        Ok(self.body.if_then_else(self.condition, value, identity))
    }

    fn dtypes(&self) -> Result<Vec<DataType>> {
        let mut dtypes = Vec::new();
        for (k, &value) in self.values.iter().enumerate() {
            let dtype = self.body.dtype(value).filter(|it| it.is_scalar());
            let dtype = dtype.ok_or_else(|| malformed("is of vectors"))?;
            if self.body.buffers[self.results[k].0].dtype != dtype {
                return Err(malformed("has a result of another type"));
            }
            dtypes.push(dtype);
        }
        Ok(dtypes)
    }

    /// One shared buffer for each component; allocated where the kernel begins, so that all its reductions see it.
    fn buffers(&mut self, dtypes: &[DataType], len: i64, pool: &mut Pool) -> Vec<BufferId> {
        let mut used: FxHashMap<DataType, usize> = FxHashMap::default();
        let mut buffers = Vec::new();
        for &dtype in dtypes {
            let nth = used.entry(dtype).or_default();
            let known = pool.entry((dtype, len)).or_default();
            if *nth == known.len() {
                known.push(self.allocate(dtype, len));
            }
            buffers.push(pool[&(dtype, len)][*nth]);
            *nth += 1;
        }
        buffers
    }

    fn allocate(&mut self, dtype: DataType, len: i64) -> BufferId {
        let name = self.body.intern("red");
        let extent = self.int(len);
        let buffer = self.body.buffers.push(Buffer {
            name,
            dtype,
            shape: vec![extent],
            strides: None,
            elem_offset: None,
            scope: MemoryScope::Shared,
            origin: BufferOrigin::Alloc,
            attrs: Body::no_attrs(),
        });
        let block = self.body.entry(self.body.ops[self.kernel.op].regions[0]);
        let kind = OpKind::Alloc { buffer, kind: AllocKind::Flat };
        self.body.push_op(block, kind, &[extent]);
        let ops = &mut self.body.blocks[block].ops;
        ops.rotate_right(1);
        buffer
    }

    // ---- small constructors ----

    fn int(&mut self, value: i64) -> ExprId {
        self.body.int(value.into(), DataType::INT32)
    }

    fn bind(&mut self, block: BlockId, name: &str, value: ExprId) -> ExprId {
        let ty = self.body.ty(value);
        let op = self.body.push_op(block, OpKind::Bind, &[value]);
        let bound = self.body.push_result(op, name, ty);
        self.body.value_expr(bound)
    }

    fn store(&mut self, block: BlockId, buffer: BufferId, index: ExprId, value: ExprId) {
        self.body.push_op(block, OpKind::Store { buffer, predicated: false }, &[value, index]);
    }

    /// The number of a thread along some axes, the first one fastest.
    fn linear(&mut self, axes: &[(Axis, ValueId, i64)]) -> ExprId {
        let mut sum = None;
        let mut scale = 1;
        for &(_, var, extent) in axes {
            let var = self.body.value_expr(var);
            let var = self.body.cast(var, DataType::INT32);
            let factor = self.int(scale);
            let term = if scale == 1 { var } else { self.body.binary(BinaryOp::Mul, var, factor) };
            sum = Some(match sum {
                None => term,
                Some(sum) => self.body.binary(BinaryOp::Add, term, sum),
            });
            scale *= extent;
        }
        match sum {
            Some(sum) => sum,
            None => self.int(0),
        }
    }
}

/// The body and identity of `T.comm_reducer(lambda …: …, [identity…])`.
fn reducer_parts(body: &Body, node: ExprId) -> Result<(ExprId, Vec<ExprId>)> {
    let Some(args) = body.operands_of(node, Intrinsic::CommReducer) else {
        return Err(malformed("has no reducer"));
    };
    let &[lambda, identity] = args else { return Err(malformed("has no identity")) };
    let ExprKind::Lambda { params, body: reducer } = body.expr(lambda).kind else {
        return Err(malformed("has a reducer that is no lambda"));
    };
    let identity = match body.expr(identity).kind {
        ExprKind::Tuple(list) => body.items(list).to_vec(),
        _ => vec![identity],
    };
    if params as usize != 2 * identity.len() || body.expr(reducer).flags.has_binder {
        return Err(malformed("has a reducer of an unknown form"));
    }
    Ok((reducer, identity))
}

/// The arguments of the one call inside the scope.
fn reduction_call(body: &Body, scope: OpId) -> Result<ir::ExprListId> {
    let ops = body.ops[scope].regions.iter().flat_map(|&it| &body.regions[it].blocks);
    let ops: Vec<OpId> = ops.flat_map(|&it| body.blocks[it].ops.iter().copied()).collect();
    let [op] = ops.as_slice() else {
        return Err(malformed("shares its scope with other statements"));
    };
    match (body.ops[*op].kind, body.ops[*op].operands.first().map(|&it| body.expr(it).kind)) {
        (
            OpKind::Evaluate,
            Some(ExprKind::Call {
                callee: Callee::Intrinsic(_, Intrinsic::ThreadAllreduce),
                args,
                ..
            }),
        ) => Ok(args),
        _ => Err(malformed("is no call")),
    }
}

type Axes = Vec<(Axis, ValueId, i64)>;

/// The thread axes around a reduction: those it reduces, and the others.
fn thread_axes(body: &Body, kernel: &Kernel, scope: OpId, args: &[ExprId]) -> Result<(Axes, Axes)> {
    let mut around: Axes = Vec::new();
    let mut at = Some(scope);
    while let Some(op) = at {
        if let OpKind::LaunchThread { var, .. } = body.ops[op].kind
            && let Some(axis) = kernel.thread_vars.get(&var).copied().flatten()
            && axis.is_thread()
            && !around.iter().any(|it| it.0 == axis)
        {
            let extent = kernel.dim(axis).and_then(|it| it.fixed());
            let extent = extent
                .ok_or_else(|| malformed("is over a number of threads that is no constant"))?;
            around.push((axis, var, extent));
        }
        at = body.parent_op(op);
    }
    around.sort_by_key(|it| it.0);
    let missing = |axis: Axis| !around.iter().any(|it| it.0 == axis);
    if kernel
        .launch
        .iter()
        .any(|it| it.axis.is_thread() && it.fixed() != Some(1) && missing(it.axis))
    {
        return Err(malformed("stands outside a launch of threads that its kernel has"));
    }
    let mut reduced = Vec::new();
    for &arg in args {
        match body.expr(arg).kind {
            ExprKind::Int(0) => {}
            ExprKind::Value(var) => match kernel.thread_vars.get(&var) {
                Some(Some(axis)) if axis.is_thread() => reduced.push(*axis),
                Some(None) => {}
                _ => return Err(malformed("is over something that is no thread of a block")),
            },
            _ => return Err(malformed("is over something that is no thread of a block")),
        }
    }
    Ok(around.into_iter().partition(|it| reduced.contains(&it.0)))
}

/// `expr` with the parameters of its lambda replaced: the first one is bound outermost.
fn substitute(
    body: &mut Body,
    expr: ExprId,
    operands: &[ExprId],
    memo: &mut FxHashMap<ExprId, ExprId>,
) -> Result<ExprId> {
    if body.expr(expr).flags.open_binders == 0 {
        return Ok(expr);
    }
    if let Some(&known) = memo.get(&expr) {
        return Ok(known);
    }
    let new = match body.expr(expr).kind {
        ExprKind::Bound(index) => {
            let at = operands.len().checked_sub(index as usize + 1);
            let operand = at.and_then(|it| operands.get(it)).copied();
            operand.ok_or_else(|| malformed("has a reducer with unknown variables"))?
        }
        _ => {
            let mut failed = None;
            let new = ir::stack::with_room(|| {
                body.map_children(expr, &mut |body, child| {
                    substitute(body, child, operands, memo).unwrap_or_else(|refusal| {
                        failed = Some(refusal);
                        child
                    })
                })
            });
            if let Some(refusal) = failed {
                return Err(refusal);
            }
            retyped(body, new)
        }
    };
    memo.insert(expr, new);
    Ok(new)
}

/// A node whose operands were parameters may have had no type; it has that of its operands now.
fn retyped(body: &mut Body, expr: ExprId) -> ExprId {
    let node = body.expr(expr);
    if node.ty != Type::Unknown {
        return expr;
    }
    match node.kind {
        ExprKind::Binary(op, a, b) => body.binary(op, a, b),
        ExprKind::Unary(op, a) => body.unary(op, a),
        ExprKind::Select(c, a, b) => body.select(c, a, b),
        ExprKind::IfThenElse(c, a, b) => body.if_then_else(c, a, b),
        ExprKind::Call { args, .. } => {
            let ty = body.items(args).last().map_or(Type::Unknown, |&it| body.ty(it));
            body.make(node.kind, ty)
        }
        _ => expr,
    }
}

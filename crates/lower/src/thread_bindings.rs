//! Loops over threads become launches: one for each tag, around all of a kernel.
//!
//! In: a body without blocks. A kernel is an outermost loop over threads, with all in it. Out: `launch_thread` for each
//! of its tags, `blockIdx` outside of `threadIdx`, and in them the contents of the loops, one after the other; every
//! loop of a tag has the one thread index of that tag. Local and shared memory that is declared outside goes into the
//! kernel, where it begins to exist: for a thread, for a block.
//!
//! - A loop with fewer threads than its tag has in the kernel is guarded by `if index < extent`.
//! - A statement outside of the loops of a tag is executed by the first thread of the tag, but a write to local memory
//!   by each.
//! - Annotations of loops (`pragma_…`) become attributes around the loops' contents. A loop of `vthread` stays a loop.
//!   Loops of one iteration go, of whatever kind.
//! - A loop inside one of the same tag is the same thread's: refused unless nothing in it, nor whether it runs, depends
//!   on the outer index, and it may be done once as well as many times (`thread-rebound`).
//! - Refused: threads that talk through global memory inside one kernel (`global-exchange`), since nothing orders them
//!   there; extents that only the kernel knows (`device-dependent-launch`); kernel memory of two kernels, or of the
//!   host (`kernel-memory-outside`).
//!
//! Meaning (`SEMANTICS: P6`): threads run together, in local memory of their own; shared memory is ordered by the
//! barriers that code generation places. Linear in the operations, and in the nodes of each.

mod check;

use ir::{
    Attr, BinaryOp, BlockId, Body, DataType, ExprId, ExprKind, ForKind, Intrinsic, OpId, OpKind,
    ThreadTag, ValueId, effects::EffectTable, substitution::Substitution, walk::WalkEvent,
};
use rustc_hash::{FxHashMap, FxHashSet};

use super::{
    LowerOptions, LowerRefusal, Origins,
    edit::{append, loop_block, loop_var, map_op, mentions, rebuild_blocks, same_type, thread_tag},
    software_pipeline::is_annotated,
};
use crate::reasons;

pub(super) fn run(
    body: &mut Body,
    options: &LowerOptions,
    _: &mut Origins,
) -> Result<(), LowerRefusal> {
    let kernels = kernels(body)?;
    check::one_kernel_each(body, &kernels)?;
    for &op in &kernels {
        let kernel = Kernel::of(body, op).map_err(|it| it.at(op))?;
        check::rebound(body, &kernel, &options.effects)?;
        kernel.launch(body, &options.effects)?;
    }
    Ok(())
}

/// The outermost loops over threads, in program order.
fn kernels(body: &Body) -> Result<Vec<OpId>, LowerRefusal> {
    let mut found = Vec::new();
    let mut around: Option<OpId> = None;
    for event in body.walk(body.root) {
        match event {
            WalkEvent::Enter(op) if around.is_none() => match body.ops[op].kind {
                OpKind::For(ForKind::ThreadBinding(_)) => {
                    found.push(op);
                    around = Some(op);
                }
                OpKind::LaunchThread { .. } => {
                    check::no_loops_over_threads(body, op)?;
                    around = Some(op);
                }
                _ => {}
            },
            WalkEvent::Leave(op) if around == Some(op) => around = None,
            _ => {}
        }
    }
    Ok(found)
}

/// A tag of a kernel.
struct Axis {
    tag: ThreadTag,
    extent: ExprId,
    dtype: DataType,
}

/// A kernel before it is one.
struct Kernel {
    op: OpId,
    axes: Vec<Axis>,
    /// The number of the axis of each loop.
    axis_of: FxHashMap<OpId, usize>,
}

impl Kernel {
    fn of(body: &mut Body, op: OpId) -> Result<Kernel, LowerRefusal> {
        let mut loops: Vec<Vec<OpId>> = vec![Vec::new(); ThreadTag::LAUNCH.len()];
        let mut inside: FxHashSet<ValueId> = FxHashSet::default();
        for inner in nest(body, op) {
            let data = &body.ops[inner];
            inside.extend(data.results.iter().copied());
            for &region in &data.regions {
                inside.extend(body.blocks[body.entry(region)].args.iter().copied());
            }
            let Some(tag) = thread_tag(body, inner) else { continue };
            if data.operands.len() != 2 {
                return Err(LowerRefusal::new(
                    reasons::LOOP_STEP,
                    "a loop over threads has a step",
                ));
            }
            match tag.launch_index() {
                Some(at) => loops[at].push(inner),
                None if tag.is_virtual() => {}
                None => {
                    let what = format!("`{}` is no axis of a launch", body.tag_name(tag));
                    return Err(LowerRefusal::new(reasons::THREAD_TAG, what).at(inner));
                }
            }
        }
        let (mut axes, mut axis_of) = (Vec::new(), FxHashMap::default());
        for (tag, loops) in ThreadTag::LAUNCH.into_iter().zip(loops) {
            if !loops.is_empty() {
                axis_of.extend(loops.iter().map(|&it| (it, axes.len())));
                axes.push(axis(body, tag, &loops, &inside)?);
            }
        }
        if axes.is_empty() {
            let what = "virtual threads without threads around them";
            return Err(LowerRefusal::new(reasons::THREAD_TAG, what));
        }
        Ok(Kernel { op, axes, axis_of })
    }

    /// Puts the launches in the place of the kernel's loop.
    fn launch(&self, body: &mut Body, effects: &EffectTable) -> Result<(), LowerRefusal> {
        let guarded = check::outside_of_threads(body, self, effects)?;
        let block = body.ops[self.op].parent;
        let place = body.blocks[block].ops.iter().position(|it| *it == self.op);
        let mut into = block;
        let mut launches = Vec::new();
        let mut indices = Vec::new();
        for axis in &self.axes {
            let tag = axis.tag;
            let name = body.tag_name(tag).replace('.', "_");
            let var_of =
                |body: &mut Body, block| body.new_block_arg(block, &name, axis.dtype.into());
            let op = body.push_op(into, OpKind::Evaluate, &[axis.extent]);
            let region = body.push_region(op);
            let inner = body.entry(region);
            let var = var_of(body, inner);
            body.ops[op].kind = OpKind::LaunchThread { tag, var };
            indices.push(var);
            launches.push(inner);
            if into == block {
                body.blocks[block].ops.pop();
                if let Some(place) = place {
                    body.blocks[block].ops[place] = op;
                }
            }
            into = inner;
        }
        append(body, into, &[self.op]);
        self.guard(body, &guarded, &indices);
        self.dissolve(body, into, &indices);
        let of_block = self.axes.iter().take_while(|it| it.tag.is_block()).count();
        let shared = launches[of_block.saturating_sub(1)];
        if !self.axes.iter().all(|it| matches!(body.expr(it.extent).kind, ExprKind::Int(1))) {
            check::global_exchange(body, body.blocks[launches[0]].parent)?;
        }
        place_memory(body, launches[0], shared, into)
    }

    /// Statements that stand outside of the loops of some tags are done by their first threads.
    fn guard(&self, body: &mut Body, guarded: &FxHashMap<OpId, Vec<usize>>, indices: &[ValueId]) {
        let region = body.ops[self.op].regions[0];
        rebuild_blocks(body, region, &mut |body, block, op, new| {
            let Some(missing) = guarded.get(&op) else { return new.push(op) };
            let mut all: Option<ExprId> = None;
            for &axis in missing {
                let index = body.value_expr(indices[axis]);
                let zero = body.int(0, self.axes[axis].dtype);
                let first = body.binary(BinaryOp::Eq, index, zero);
                all = Some(match all {
                    Some(before) => body.binary(BinaryOp::And, before, first),
                    None => first,
                });
            }
            match all {
                Some(condition) => new.push(under(body, block, condition, &[op])),
                None => new.push(op),
            }
        });
    }

    /// Opens the loops over threads below a block; their variables become the index of their tag.
    fn dissolve(&self, body: &mut Body, block: BlockId, indices: &[ValueId]) {
        let region = body.blocks[block].parent;
        let mut replaced = Substitution::default();
        let mut guards: FxHashMap<OpId, ExprId> = FxHashMap::default();
        let ops: Vec<OpId> = nest(body, self.op).collect();
        for &op in &ops {
            map_op(body, op, &mut |body, expr| replaced.apply(body, expr));
            bare_threads(body, op);
            if let Some(&axis) = self.axis_of.get(&op) {
                let index = body.value_expr(indices[axis]);
                let (min, extent) = (body.ops[op].operands[0], body.ops[op].operands[1]);
                if extent != self.axes[axis].extent {
                    let (index, extent) = same_type(body, index, extent);
                    guards.insert(op, body.binary(BinaryOp::Lt, index, extent));
                }
                let var = loop_var(body, op);
                replaced.add(var, shifted(body, var, min, index));
            } else if is_single(body, op) {
                let (var, min) = (loop_var(body, op), body.ops[op].operands[0]);
                replaced.add(var, min);
            }
        }
        rebuild_blocks(body, region, &mut |body, block, op, new| {
            if !self.axis_of.contains_key(&op) && !is_single(body, op) {
                return new.push(op);
            }
            let inner = loop_block(body, op);
            let mut held = std::mem::take(&mut body.blocks[inner].ops);
            if let Some(&guard) = guards.get(&op) {
                held = vec![under(body, block, guard, &held)];
            }
            new.extend(with_pragmas(body, block, op, held));
        });
    }
}

/// The extent of a tag: the common one of all loops, or the largest of constants.
fn axis(
    body: &mut Body,
    tag: ThreadTag,
    loops: &[OpId],
    inside: &FxHashSet<ValueId>,
) -> Result<Axis, LowerRefusal> {
    let name = body.tag_name(tag).to_owned();
    let mut dtype = DataType::INT32;
    let mut extent: Option<ExprId> = None;
    for &op in loops {
        let (var, here) = (loop_var(body, op), body.ops[op].operands[1]);
        let refuse = |reason, what: &str| {
            let what = format!("`{name}` has {what}");
            Err(LowerRefusal::new(reason, what).at(op))
        };
        if mentions(body, here, &|value| inside.contains(&value)) || body.expr(here).flags.has_load
        {
            let what = "an extent that its kernel computes";
            return refuse(reasons::DEVICE_DEPENDENT_LAUNCH, what);
        }
        match body.values[var].ty.prim() {
            Some(it) if it.is_int() && it.is_scalar() => {
                dtype = if it.bits > dtype.bits { it } else { dtype };
            }
            _ => return refuse(reasons::THREAD_INDEX, "an index that is no signed integer"),
        }
        extent = Some(match extent {
            None => here,
            Some(known) => larger(body, known, here),
        });
    }
    let Some(extent) = extent else {
        return Err(LowerRefusal::new(reasons::THREAD_TAG, "a tag without a loop"));
    };
    Ok(Axis { tag, extent, dtype })
}

/// The larger extent; of two that are no constants, computed by the host.
fn larger(body: &mut Body, a: ExprId, b: ExprId) -> ExprId {
    match (body.expr(a).kind, body.expr(b).kind) {
        _ if a == b => a,
        (ExprKind::Int(x), ExprKind::Int(y)) => {
            if x >= y {
                a
            } else {
                b
            }
        }
        _ => {
            let (a, b) = same_type(body, a, b);
            body.binary(BinaryOp::Max, a, b)
        }
    }
}

/// `min + index`, as the type of the variable.
fn shifted(body: &mut Body, var: ValueId, min: ExprId, index: ExprId) -> ExprId {
    let dtype = body.values[var].ty.prim().unwrap_or(DataType::INT32);
    let index = body.cast(index, dtype);
    match body.expr(min).kind {
        ExprKind::Int(0) => index,
        _ => {
            let min = body.cast(min, dtype);
            body.binary(BinaryOp::Add, min, index)
        }
    }
}

/// Operations of a kernel, outermost first.
fn nest(body: &Body, op: OpId) -> impl Iterator<Item = OpId> + '_ {
    let inner = body.ops[op].regions.iter().flat_map(|&region| body.walk(region));
    std::iter::once(op).chain(inner.filter_map(|event| match event {
        WalkEvent::Enter(op) => Some(op),
        _ => None,
    }))
}

/// `if condition:` around operations.
fn under(body: &mut Body, block: BlockId, condition: ExprId, ops: &[OpId]) -> OpId {
    let branch = body.push_op(block, OpKind::If, &[condition]);
    let region = body.push_region(branch);
    let inner = body.entry(region);
    append(body, inner, ops);
    branch
}

/// Keeps the effects that the annotations of a loop ask for around the loop's former contents.
fn with_pragmas(body: &mut Body, block: BlockId, op: OpId, mut held: Vec<OpId>) -> Vec<OpId> {
    let pragmas = body.dict(body.ops[op].attrs).clone();
    for (key, value) in pragmas.iter().rev().filter(|it| it.0.starts_with("pragma_")) {
        let value = match value {
            Attr::Int(value, dtype) => body.int((*value).into(), dtype.unwrap_or(DataType::INT32)),
            Attr::Bool(value) => body.int(i128::from(*value), DataType::BOOL),
            _ => continue,
        };
        let (node, key) = (body.int(0, DataType::INT32), body.intern(key));
        let attr = body.push_op(block, OpKind::Attr(key), &[node, value]);
        let region = body.push_region(attr);
        let inner = body.entry(region);
        append(body, inner, &held);
        held = vec![attr];
    }
    held
}

/// A loop of one iteration, which nothing leaves, of any kind but software pipelines.
fn is_single(body: &Body, op: OpId) -> bool {
    let data = &body.ops[op];
    let is_loop = matches!(data.kind, OpKind::For(_)) && data.operands.len() == 2;
    is_loop
        // The loop around counts the parts of a pipeline, not its statements.
        && !is_annotated(body, op)
        && matches!(body.expr(data.operands[1]).kind, ExprKind::Int(1))
        && !body.expr(data.operands[0]).flags.has_load
        && !body.expr(data.operands[0]).flags.has_impure
        && !leaves(body, op)
}

/// Returns true if an operation in a loop may leave it.
fn leaves(body: &Body, op: OpId) -> bool {
    let mut stack = vec![op];
    while let Some(at) = stack.pop() {
        for &region in &body.ops[at].regions {
            for &inner in &body.blocks[body.entry(region)].ops {
                match body.ops[inner].kind {
                    OpKind::Break | OpKind::Continue => return true,
                    OpKind::For(_) | OpKind::While => {}
                    _ => stack.push(inner),
                }
            }
        }
    }
    false
}

/// A reduction over threads names thread indices, not conversions of them.
fn bare_threads(body: &mut Body, op: OpId) {
    let (OpKind::Evaluate, Some(&call)) = (body.ops[op].kind, body.ops[op].operands.first()) else {
        return;
    };
    let ExprKind::Call {
        callee: callee @ ir::Callee::Intrinsic(_, Intrinsic::ThreadAllreduce),
        args,
        attrs,
        instance,
    } = body.expr(call).kind
    else {
        return;
    };
    let bare = |body: &Body, expr: ExprId| match body.expr(expr).kind {
        ExprKind::Cast(inner) if matches!(body.expr(inner).kind, ExprKind::Value(_)) => inner,
        _ => expr,
    };
    let args: Vec<ExprId> = body.items(args).iter().map(|&it| bare(body, it)).collect();
    let args = body.list(&args);
    let ty = body.ty(call);
    body.ops[op].operands[0] = body.make(ExprKind::Call { callee, args, attrs, instance }, ty);
}

/// Moves memory of blocks and threads that is declared outside into the kernel that uses it.
fn place_memory(
    body: &mut Body,
    kernel: BlockId,
    shared: BlockId,
    local: BlockId,
) -> Result<(), LowerRefusal> {
    let used = check::buffers_below(body, body.blocks[kernel].parent);
    let outside: Vec<OpId> = body
        .ops_preorder()
        .filter(|&op| match body.ops[op].kind {
            OpKind::Alloc { buffer, .. } => {
                used.contains(&buffer) && check::is_kernel_memory(body, buffer)
            }
            _ => false,
        })
        .collect();
    let inside: FxHashSet<OpId> = body
        .walk(body.blocks[kernel].parent)
        .filter_map(|event| match event {
            WalkEvent::Enter(op) => Some(op),
            _ => None,
        })
        .collect();
    let mut placed: FxHashMap<BlockId, Vec<OpId>> = FxHashMap::default();
    for op in outside.into_iter().filter(|it| !inside.contains(it)) {
        let OpKind::Alloc { buffer, .. } = body.ops[op].kind else { continue };
        if !body.ops[op].regions.is_empty() {
            continue;
        }
        let old = body.ops[op].parent;
        body.blocks[old].ops.retain(|it| *it != op);
        let is_shared = body.buffers[buffer].scope.is_shared();
        placed.entry(if is_shared { shared } else { local }).or_default().push(op);
    }
    for at in [shared, local] {
        let Some(ops) = placed.remove(&at) else { continue };
        let rest = std::mem::take(&mut body.blocks[at].ops);
        append(body, at, &ops);
        append(body, at, &rest);
    }
    Ok(())
}

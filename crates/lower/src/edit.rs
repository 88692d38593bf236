//! The tree edits of the lowering passes: replacing operations by others, and expressions by others, everywhere they
//! are written at an operation. In place; linear in the visited parts; no recursion.

use ir::{
    BinaryOp, BlockId, Body, BufferOrigin, BufferRegion, DataType, ExprId, ExprKind, ForKind,
    Lanes, OpId, OpKind, RegionDim, RegionId, ThreadTag, Type, ValueId, fold, walk::WalkEvent,
};
use rustc_hash::FxHashMap;

use transform::replace::update_buffer;

/// Changes every expression that is evaluated at an operation: its operands, and the buffer that it makes. The declared
/// reads and writes of a block stay.
pub(super) fn map_op(body: &mut Body, op: OpId, map: &mut dyn FnMut(&mut Body, ExprId) -> ExprId) {
    let mut changes = Vec::new();
    for at in 0..body.ops[op].operands.len() {
        let old = body.ops[op].operands[at];
        let new = map(body, old);
        changes.push((old, new));
        body.ops[op].operands[at] = new;
    }
    update_buffer(body, op, &changes);
    if let OpKind::DeclBuffer { buffer } = body.ops[op].kind
        && let BufferOrigin::MatchRegion(mut region) = body.buffers[buffer].origin.clone()
    {
        map_region(body, &mut region, map);
        body.buffers[buffer].origin = BufferOrigin::MatchRegion(region);
    }
}

fn map_region(
    body: &mut Body,
    region: &mut BufferRegion,
    map: &mut dyn FnMut(&mut Body, ExprId) -> ExprId,
) {
    for dim in &mut region.dims {
        match dim {
            RegionDim::Point(at) => *at = map(body, *at),
            RegionDim::Slice { lower, upper, step } => {
                for part in [lower, upper, step].into_iter().flatten() {
                    *part = map(body, *part);
                }
            }
        }
    }
}

/// The expression with `change` applied to each node from the leaves up; a node is given with its new operands. Each
/// node once a memo.
pub(super) fn map_expr(
    body: &mut Body,
    expr: ExprId,
    memo: &mut FxHashMap<ExprId, ExprId>,
    change: &mut dyn FnMut(&mut Body, ExprId) -> ExprId,
) -> ExprId {
    map_expr_from(body, expr, memo, &mut |body, _, new| change(body, new))
}

/// As [`map_expr`], where `change` is also given, first, the node as it was.
pub(super) fn map_expr_from(
    body: &mut Body,
    expr: ExprId,
    memo: &mut FxHashMap<ExprId, ExprId>,
    change: &mut dyn FnMut(&mut Body, ExprId, ExprId) -> ExprId,
) -> ExprId {
    let mut stack = vec![(expr, false)];
    while let Some((at, is_ready)) = stack.pop() {
        if memo.contains_key(&at) {
            continue;
        }
        if is_ready {
            let known = &*memo;
            let new = body.map_children(at, &mut |_, child| known[&child]);
            let new = change(body, at, new);
            memo.insert(at, new);
        } else {
            stack.push((at, true));
            body.each_child(body.expr(at).kind, &mut |child| stack.push((child, false)));
        }
    }
    memo[&expr]
}

/// Calls `visit` on each node below an expression, itself included, each once.
pub(super) fn each_node(body: &Body, expr: ExprId, visit: &mut dyn FnMut(ExprId)) {
    let mut seen = rustc_hash::FxHashSet::default();
    let mut stack = vec![expr];
    while let Some(at) = stack.pop() {
        if seen.insert(at) {
            visit(at);
            body.each_child(body.expr(at).kind, &mut |child| stack.push(child));
        }
    }
}

/// Returns true if an expression contains one of the variables.
pub(super) fn mentions(body: &Body, expr: ExprId, is_one: &dyn Fn(ValueId) -> bool) -> bool {
    let mut found = false;
    each_node(body, expr, &mut |at| {
        found |= matches!(body.expr(at).kind, ir::ExprKind::Value(value) if is_one(value));
    });
    found
}

/// The loop variable.
pub(super) fn loop_var(body: &Body, op: OpId) -> ValueId {
    body.blocks[loop_block(body, op)].args[0]
}

/// The block that a loop repeats.
pub(super) fn loop_block(body: &Body, op: OpId) -> BlockId {
    body.entry(body.ops[op].regions[0])
}

/// The tag of a loop over threads.
pub(super) fn thread_tag(body: &Body, op: OpId) -> Option<ThreadTag> {
    match body.ops[op].kind {
        OpKind::For(ForKind::ThreadBinding(tag)) => Some(tag),
        _ => None,
    }
}

/// Moves operations to the end of a block.
pub(super) fn append(body: &mut Body, block: BlockId, ops: &[OpId]) {
    for &op in ops {
        body.ops[op].parent = block;
    }
    body.blocks[block].ops.extend_from_slice(ops);
}

/// Makes a region that stands elsewhere, or nowhere any more, a region of `op`.
pub(super) fn adopt_region(body: &mut Body, op: OpId, region: RegionId) {
    body.ops[op].regions.push(region);
    body.regions[region].parent = Some(op);
}

/// Rebuilds the lists of operations from the innermost blocks outwards: `open` returns the replacement of an operation,
/// which may be itself. The replacement is put into the block; its regions have been rebuilt before.
pub(super) fn rebuild_blocks(
    body: &mut Body,
    root: RegionId,
    open: &mut dyn FnMut(&mut Body, BlockId, OpId, &mut Vec<OpId>),
) {
    let regions: Vec<RegionId> = body
        .walk(root)
        .filter_map(|event| match event {
            WalkEvent::LeaveRegion(region) => Some(region),
            _ => None,
        })
        .collect();
    for region in regions {
        for block in body.regions[region].blocks.clone() {
            let old = std::mem::take(&mut body.blocks[block].ops);
            let mut new = Vec::with_capacity(old.len());
            for op in old {
                open(body, block, op, &mut new);
            }
            body.blocks[block].ops.clear();
            append(body, block, &new);
        }
    }
}

/// The operator with constants folded, on integers only.
pub(super) fn folded(body: &mut Body, op: BinaryOp, a: ExprId, b: ExprId) -> ExprId {
    if let Some(dtype) = body.dtype(a).filter(|it| it.is_integer() || it.is_bool()) {
        match fold::fold(body, op, a, b, dtype) {
            fold::Folded::Left => return a,
            fold::Folded::Right => return b,
            fold::Folded::Int(value, dtype) => return body.int(value, dtype),
            _ => {}
        }
    }
    body.binary(op, a, b)
}

/// Both in the wider type; a scalar with the lanes of a vector behind it.
pub(super) fn same_type(body: &mut Body, a: ExprId, b: ExprId) -> (ExprId, ExprId) {
    let (Some(x), Some(y)) = (body.dtype(a), body.dtype(b)) else { return (a, b) };
    if x == y || !x.is_scalar() {
        return (a, b);
    }
    let wide = if x.bits >= y.bits { x } else { y.element() };
    let both = wide.with_lanes(y.lanes);
    let (a, b) = (body.cast(a, wide), body.cast(b, both));
    match y.lanes {
        Lanes::Fixed(n) if n > 1 => {
            let lanes = body.int(i128::from(n), DataType::INT32);
            (body.make(ExprKind::Broadcast { value: a, lanes }, Type::Prim(both)), b)
        }
        _ => (a, b),
    }
}

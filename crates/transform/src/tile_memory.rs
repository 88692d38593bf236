//! The memory and registers of a block that the tiles of a TileLang kernel take.
//!
//! In: a body. Out: the bytes of a tile, the copies of it that a software pipeline keeps, and the threads of the block.
//! TileLang keeps a tile of shared memory that a loop of `num_stages` stages copies from global memory that many times
//! (its `InjectSoftwarePipeline`; compared with the shared memory that TileLang 0.1.15 asks for of a product of two
//! matrices on `sm_80` and `sm_90a`, for 1 to 4 stages). O(operations).

use ir::{
    Attr, AttrDict, Body, BufferId, BufferOrigin, ExprKind, ForKind, Intrinsic, OpId, OpKind,
};

/// The attribute of the block of a launch that has its numbers of threads.
pub(crate) const THREADS: &str = "tl.launch_threads";
/// The attribute of a loop that has the stages of its pipeline.
const STAGES: &str = "num_stages";
/// Attributes of a loop by which its author plans the pipeline.
const PLANNED: [&str; 4] = ["order", "stage", "sync", "group"];

/// The bytes of all elements of a buffer; none if its type or an extent is not known. Types narrower than a byte are
/// packed.
pub fn bytes(body: &Body, buffer: BufferId) -> Option<u64> {
    let data = &body.buffers[buffer];
    if data.dtype.is_symbolic() || body.has_unknown_rank(buffer) || data.dtype.bytes() == 0 {
        return None;
    }
    let mut elements = 1u64;
    for &extent in &data.shape {
        let ExprKind::Int(extent) = body.expr(extent).kind else { return None };
        elements = elements.checked_mul(u64::try_from(extent).ok()?)?;
    }
    match data.dtype.bits {
        narrow @ 1..8 if !data.dtype.is_bool() && data.dtype.is_scalar() => {
            Some(elements.checked_mul(u64::from(narrow))?.div_ceil(8))
        }
        _ => elements.checked_mul(data.dtype.bytes() as u64),
    }
}

/// A loop with a software pipeline, and the tiles of shared memory that it keeps once a stage.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Pipeline {
    /// The loop.
    pub op: OpId,
    /// Its stages, two or more.
    pub stages: u64,
    /// The tiles, in the order in which they are copied to.
    pub tiles: Vec<BufferId>,
}

/// The pipelines of a body that TileLang plans itself, in program order. Of copies under conditions or in loops inside
/// nothing is said.
pub fn pipelines(body: &Body) -> Vec<Pipeline> {
    body.ops_preorder().filter_map(|op| pipeline(body, op)).collect()
}

fn pipeline(body: &Body, op: OpId) -> Option<Pipeline> {
    let data = &body.ops[op];
    if data.kind != OpKind::For(ForKind::Serial) {
        return None;
    }
    let attrs = body.dict(data.attrs);
    let stages = match attrs.iter().find(|it| &*it.0 == STAGES)?.1 {
        Attr::Int(it, _) => u64::try_from(it).ok().filter(|&it| it >= 2)?,
        _ => return None,
    };
    if attrs.iter().any(|it| PLANNED.iter().any(|name| it.0.ends_with(name))) {
        return None;
    }
    // Fewer iterations need fewer copies.
    if let Some(ExprKind::Int(extent)) = data.operands.get(1).map(|&it| body.expr(it).kind)
        && u64::try_from(extent).is_ok_and(|it| it < stages)
    {
        return None;
    }
    let mut tiles = Vec::new();
    let block = body.entry(*data.regions.first()?);
    for &op in &body.blocks[block].ops {
        if let Some([from, to]) = copied(body, op)
            && body.buffers[from].scope.is_global()
            && body.buffers[to].scope.is_plain_shared()
            && body.buffers[to].origin == BufferOrigin::Alloc
            && !tiles.contains(&to)
        {
            tiles.push(to);
        }
    }
    (!tiles.is_empty()).then_some(Pipeline { op, stages, tiles })
}

/// The buffers from which and to which a statement copies.
fn copied(body: &Body, op: OpId) -> Option<[BufferId; 2]> {
    if body.ops[op].kind != OpKind::Evaluate {
        return None;
    }
    let call = *body.ops[op].operands.first()?;
    match body.expr(call).kind {
        ExprKind::Call { callee: ir::Callee::Intrinsic(_, Intrinsic::TlCopy), args, .. } => {
            let &[from, to, ..] = body.items(args) else { return None };
            Some([buffer(body, from)?, buffer(body, to)?])
        }
        _ => None,
    }
}

/// The buffer of which an operand is (a part).
pub(crate) fn buffer(body: &Body, operand: ir::ExprId) -> Option<BufferId> {
    match body.expr(operand).kind {
        ExprKind::Buffer(buffer) | ExprKind::Region(buffer, _) => Some(buffer),
        _ => None,
    }
}

/// The numbers of threads of a launch, by the attributes of its block, along each dimension; none that is not known.
pub(crate) fn threads(attrs: &AttrDict) -> [Option<i128>; 3] {
    let mut all = [Some(1); 3];
    if let Some((_, Attr::List(items))) = attrs.iter().find(|it| &*it.0 == THREADS) {
        for (at, item) in items.iter().take(3).enumerate() {
            all[at] = match item {
                Attr::Int(it, _) => Some(i128::from(*it)),
                _ => None,
            };
        }
    }
    all
}

/// Returns true if a body launches a kernel of tiles. O(operations).
pub fn has_launch(body: &Body) -> bool {
    let mut dicts = body.ops.iter().map(|(_, op)| body.dict(op.attrs));
    dicts.any(|it| it.iter().any(|it| &*it.0 == THREADS))
}

/// The threads of a block of the launch whose block has a buffer; none if they are not known, or there are several
/// launches with other numbers.
pub fn threads_of_block(body: &Body) -> Option<u64> {
    let mut found = None;
    for op in body.ops_preorder() {
        let attrs = body.dict(body.ops[op].attrs);
        if !matches!(body.ops[op].kind, OpKind::SBlock(_))
            || !attrs.iter().any(|it| &*it.0 == THREADS)
        {
            continue;
        }
        let [x, y, z] = threads(attrs);
        let all = u64::try_from(x?.checked_mul(y?)?.checked_mul(z?)?).ok()?;
        if found.is_some_and(|it| it != all) {
            return None;
        }
        found = Some(all);
    }
    found.filter(|&it| it > 0)
}

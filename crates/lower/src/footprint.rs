//! Footprints: the elements of a buffer that are accessed while loops run.
//!
//! In: a body, a buffer of it, a block. Out: for each dimension an expression `base` of values known in front of the
//! block, and constants, such that every access below the block is in `base + least .. base + least + extent`. Bounds
//! are those of `arith` at each access, its guards included. O(accesses · candidates), with at most [`MOST_BASES`]
//! candidates a dimension.

use std::cell::OnceCell;

use arith::{Analyzer, ContextId, Interval, Overflow};
use dataflow::{conditions::Conditions, flow::Flow};
use ir::{
    BinaryOp, BlockId, Body, BufferId, BufferOrigin, BufferRegion, Dim, ExprId, ExprKind,
    MemoryScope, OpId, OpKind, RegionDim, ThreadTag, ValueId,
};
use rustc_hash::{FxHashMap, FxHashSet};

use super::edit::{mentions, same_type};

/// Expressions that are tried as a base of one dimension.
const MOST_BASES: usize = 4;

/// An element of a buffer that is read or written.
#[derive(Clone, Debug)]
pub(super) struct Access {
    pub(super) op: OpId,
    pub(super) context: ContextId,
    pub(super) indices: Vec<ExprId>,
    /// Of a part of the buffer: dimensions whose index is one behind the last.
    pub(super) is_behind: Vec<bool>,
}

impl Access {
    /// Of one element.
    fn element(op: OpId, context: ContextId, indices: &[ExprId]) -> Access {
        Access { op, context, indices: indices.to_vec(), is_behind: Vec::new() }
    }

    fn is_behind(&self, dim: usize) -> bool {
        self.is_behind.get(dim) == Some(&true)
    }
}

/// The accesses of each buffer; none of one that is used in other ways.
pub(super) struct Accesses {
    of: FxHashMap<BufferId, Option<Vec<Access>>>,
}

impl Accesses {
    /// All of a body. O(occurrences).
    pub(super) fn collect(flow: &Flow<'_>, conditions: &Conditions) -> Accesses {
        let body = flow.body;
        let mut of: FxHashMap<BufferId, Option<Vec<Access>>> = FxHashMap::default();
        for op in body.ops_preorder() {
            match body.ops[op].kind {
                OpKind::Store { buffer, predicated: false } => {
                    let indices = &body.ops[op].operands[1..];
                    add(body, &mut of, buffer, Access::element(op, conditions.before(op), indices));
                }
                OpKind::Store { buffer, .. } => {
                    of.insert(buffer, None);
                }
                OpKind::DeclBuffer { buffer } => match &body.buffers[buffer].origin {
                    BufferOrigin::View { source, .. } => drop(of.insert(*source, None)),
                    BufferOrigin::MatchRegion(region) => {
                        match ends(region, op, conditions.before(op)) {
                            Some(ends) => ends
                                .into_iter()
                                .for_each(|it| add(body, &mut of, region.buffer, it)),
                            None => drop(of.insert(region.buffer, None)),
                        }
                    }
                    _ => {}
                },
                _ => {}
            }
            for id in flow.occurrences.of_op(op) {
                match body.expr(flow.occurrences[id].expr).kind {
                    ExprKind::Load { buffer, indices, predicate: None } => {
                        let context = conditions.at(flow, id);
                        let access = Access::element(op, context, body.items(indices));
                        add(body, &mut of, buffer, access);
                    }
                    ExprKind::Load { buffer, .. }
                    | ExprKind::Region(buffer, _)
                    | ExprKind::Buffer(buffer)
                    | ExprKind::BufferField(buffer, _) => drop(of.insert(buffer, None)),
                    _ => {}
                }
            }
        }
        Accesses { of }
    }

    /// The accesses of a buffer, if there are some and it is used in no other way.
    pub(super) fn of(&self, buffer: BufferId) -> Option<&[Access]> {
        self.of.get(&buffer)?.as_deref()
    }
}

/// The first and the last element of a part; none if an end is not written.
fn ends(region: &BufferRegion, op: OpId, context: ContextId) -> Option<[Access; 2]> {
    let mut first = Access::element(op, context, &[]);
    let mut last = first.clone();
    for dim in &region.dims {
        let (lower, upper) = match *dim {
            RegionDim::Point(at) => (at, None),
            RegionDim::Slice { lower: Some(lower), upper: Some(upper), step: None } => {
                (lower, Some(upper))
            }
            RegionDim::Slice { .. } => return None,
        };
        first.indices.push(lower);
        last.indices.push(upper.unwrap_or(lower));
        last.is_behind.push(upper.is_some());
    }
    Some([first, last])
}

fn add(
    body: &Body,
    of: &mut FxHashMap<BufferId, Option<Vec<Access>>>,
    buffer: BufferId,
    access: Access,
) {
    let data = &body.buffers[buffer];
    let is_plain = access.indices.len() == data.shape.len()
        && access.indices.iter().all(|&it| body.dtype(it).is_some_and(|it| it.is_scalar()));
    match of.entry(buffer).or_insert_with(|| Some(Vec::new())) {
        Some(known) if is_plain => known.push(access),
        entry => *entry = None,
    }
}

/// The threads that share memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Sharers {
    OfBlock,
    /// Those that differ in `threadIdx.x`.
    OfWarp,
}

/// Values that differ between the threads that share memory, or may: thread indices, and values computed from them or
/// loaded.
pub(super) struct Varying {
    values: FxHashSet<ValueId>,
    sharers: Sharers,
}

/// [`Varying`] of each kind of memory of a body, once it is asked for.
pub(super) struct VaryingByScope<'a> {
    body: &'a Body,
    of_block: OnceCell<Varying>,
    of_warp: OnceCell<Varying>,
}

impl<'a> VaryingByScope<'a> {
    pub(super) fn of(body: &'a Body) -> VaryingByScope<'a> {
        VaryingByScope { body, of_block: OnceCell::new(), of_warp: OnceCell::new() }
    }

    /// Those that count for memory of a scope; none for memory of one thread. O(nodes of the body), once a kind.
    pub(super) fn of_scope(&self, scope: MemoryScope) -> Option<&Varying> {
        let (sharers, known) = match scope {
            MemoryScope::Warp => (Sharers::OfWarp, &self.of_warp),
            _ if scope.is_shared() => (Sharers::OfBlock, &self.of_block),
            _ => return None,
        };
        Some(known.get_or_init(|| Varying::of(self.body, sharers)))
    }
}

impl Varying {
    fn of(body: &Body, sharers: Sharers) -> Varying {
        let mut varying = FxHashSet::default();
        for op in body.ops_preorder() {
            let data = &body.ops[op];
            if is_thread(body, op, sharers) {
                varying.extend(body.blocks[body.entry(data.regions[0])].args.iter().copied());
                continue;
            }
            if !matches!(data.kind, OpKind::Bind | OpKind::For(_) | OpKind::Opaque(_)) {
                continue;
            }
            let may_vary = data.operands.iter().any(|&it| {
                let flags = body.expr(it).flags;
                flags.has_load
                    || flags.has_impure
                    || flags.has_unknown
                    || flags.has_captured
                    || mentions(body, it, &|value| varying.contains(&value))
            });
            if may_vary {
                varying.extend(data.results.iter().copied());
                for &region in &data.regions {
                    varying.extend(body.blocks[body.entry(region)].args.iter().copied());
                }
            }
        }
        Varying { values: varying, sharers }
    }
}

/// Returns true if an operation launches threads that share memory.
fn is_thread(body: &Body, op: OpId, sharers: Sharers) -> bool {
    match body.ops[op].kind {
        OpKind::LaunchThread { tag, .. } => match sharers {
            Sharers::OfBlock => tag.is_thread(),
            Sharers::OfWarp => tag == ThreadTag::ThreadIdx(Dim::X),
        },
        _ => false,
    }
}

/// The iterations below a block.
pub(super) struct Below<'a> {
    block: BlockId,
    /// For memory that threads share: the values that differ between them, and the threads run too.
    varying: Option<&'a Varying>,
    defined: FxHashSet<ValueId>,
}

impl<'a> Below<'a> {
    /// O(operations below).
    pub(super) fn new(body: &Body, block: BlockId, varying: Option<&'a Varying>) -> Below<'a> {
        let mut defined = FxHashSet::default();
        for &op in &body.blocks[block].ops {
            let inner = body.ops[op].regions.iter().flat_map(|&it| body.walk(it));
            let ops = inner.filter_map(|event| match event {
                ir::walk::WalkEvent::Enter(op) => Some(op),
                _ => None,
            });
            for op in std::iter::once(op).chain(ops) {
                defined.extend(body.ops[op].results.iter().copied());
                for &region in &body.ops[op].regions {
                    defined.extend(body.blocks[body.entry(region)].args.iter().copied());
                }
            }
        }
        Below { block, varying, defined }
    }

    /// Returns true if a value is unknown in front of the block, or not the same for all threads that share the memory.
    fn is_hidden(&self, value: ValueId) -> bool {
        self.defined.contains(&value) || self.varying.is_some_and(|it| it.values.contains(&value))
    }

    /// The variables that run between the block and an operation below it, and threads.
    fn running(&self, body: &Body, op: OpId) -> Vec<ValueId> {
        let mut running = Vec::new();
        let mut at = Some(op);
        let mut is_inside = true;
        while let Some(op) = at {
            let runs = match body.ops[op].kind {
                OpKind::For(_) => is_inside,
                OpKind::LaunchThread { .. } => {
                    is_inside || self.varying.is_some_and(|it| is_thread(body, op, it.sharers))
                }
                _ => false,
            };
            if runs {
                let args = &body.blocks[body.entry(body.ops[op].regions[0])].args;
                running.extend(args.iter().copied());
            }
            is_inside &= body.ops[op].parent != self.block;
            at = body.parent_op(op);
        }
        running
    }
}

/// `base + least .. base + least + extent`
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Span {
    pub(super) base: ExprId,
    pub(super) least: i128,
    pub(super) extent: i128,
}

/// Returns the span of the accesses in a dimension; `None` if it has no constant extent. Adds expressions to the
/// analyzer's body.
pub(super) fn span(
    analyzer: &mut Analyzer<'_>,
    accesses: &[Access],
    dim: usize,
    below: &Below<'_>,
) -> Option<Span> {
    let mut bases: Vec<ExprId> = Vec::new();
    for access in accesses.iter().filter(|it| !it.is_behind(dim)) {
        let running = below.running(analyzer.body(), access.op);
        let index = access.indices[dim];
        let set = analyzer.int_set(Overflow::Excluded, access.context, index, &running);
        if let Some(base) = set.and_then(|it| it.min)
            && !bases.contains(&base)
            && !analyzer.body().expr(base).flags.has_load
            && !mentions(analyzer.body(), base, &|value| below.is_hidden(value))
        {
            bases.push(base);
        }
        if bases.len() == MOST_BASES {
            break;
        }
    }
    let mut best: Option<Span> = None;
    for base in bases {
        if let Some(span) = span_from(analyzer, accesses, dim, base)
            && best.is_none_or(|it| span.extent < it.extent)
        {
            best = Some(span);
        }
    }
    best
}

fn span_from(
    analyzer: &mut Analyzer<'_>,
    accesses: &[Access],
    dim: usize,
    base: ExprId,
) -> Option<Span> {
    let mut all: Option<Interval> = None;
    for access in accesses {
        let distance = analyzer.grow(|body| distance(body, access.indices[dim], base));
        let Interval { min, max } =
            analyzer.facts_with(Overflow::Excluded, access.context, distance).interval;
        let behind = i128::from(access.is_behind(dim));
        let (min, max) = (min.saturating_sub(behind), max.saturating_sub(behind));
        let found = Interval { min, max };
        all = Some(all.map_or(found, |it| it.hull(found)));
    }
    let Interval { min, max } = all.filter(|it| !it.is_empty())?;
    let extent = max.checked_sub(min)?.checked_add(1)?;
    let is_small = i128::from(i32::MIN) < min && extent <= i128::from(i32::MAX);
    is_small.then_some(Span { base, least: min, extent })
}

/// `index - base`, in the wider type.
pub(super) fn distance(body: &mut Body, index: ExprId, base: ExprId) -> ExprId {
    if matches!(body.expr(base).kind, ExprKind::Int(0)) {
        return index;
    }
    let (index, base) = same_type(body, index, base);
    body.binary(BinaryOp::Sub, index, base)
}

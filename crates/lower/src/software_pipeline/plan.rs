//! Which statements of a pipeline run when, and how many versions of memory they need.
//!
//! In: a loop with annotations, its statements in scopes. Out: a [`Plan`]; or the reason why the loop stays as it is;
//! or a refusal where the annotations themselves are wrong.
//!
//! Two statements `a` and `b` with a conflict on one object: in one iteration, if `a` stands first, `(stage, order)` of
//! `a` must be less than that of `b`; for `b` in the next iteration, less than `(stage + 1, order)`, unless what they
//! access in two iterations is apart. Of memory that is new in each iteration only the first holds, and iterations that
//! are `v` apart share one of `v` versions: `v` is at least the difference of the stages, one more where the order does
//! not separate them. There are no fewer than TVM has: as many as the stages from the first write to the last read, so
//! that threads wait less. O(pairs of statements), and pairs of accesses where conflicts are asked about.

use std::collections::BTreeSet;

use dataflow::{alias::RootId, analyses::Analyses, touch::Touches};
use ir::{
    AllocKind, Body, BufferId, BufferOrigin, ExprId, ForKind, MemoryScope, Occurrences, OpId,
    OpKind, effects::EffectTable,
};

use super::{
    DOUBLE,
    accesses::Objects,
    asynchronous::Queue,
    is_annotated,
    spans::{Span, span},
    steps::{Checked, Step, refusal, steps},
    versions,
};
use crate::{
    LowerOptions, LowerRefusal,
    copy::can_copy,
    edit::{loop_block, loop_var, mentions},
    lists::{constant, ops_in},
    named_memory::root,
    storage_reuse::elements,
    unroll::leaves,
    vectorize::lanes::{Access, Lanes, accesses},
};

/// Memory that is new in each iteration.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Memory {
    pub(super) op: OpId,
    pub(super) buffer: BufferId,
    pub(super) versions: i64,
}

/// The pipeline of a loop.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Plan {
    /// In the order in which they run.
    pub(super) steps: Vec<Step>,
    pub(super) memory: Vec<Memory>,
    /// The last stage; the first is 0.
    pub(super) last: i64,
    /// Of asynchronous copies.
    pub(super) queue: Queue,
    /// True if the loop is a statement of a pipeline around it, which counts its parts.
    pub(super) is_inner: bool,
}

/// The decision about a loop.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Decision {
    Pipeline(Plan),
    /// It stays as it is, for this reason.
    Left(String),
}

/// Returns early with the reason why a loop stays.
macro_rules! known {
    ($of:expr) => {
        match $of {
            Ok(it) => it,
            Err(why) => return Ok(Decision::Left(why.into())),
        }
    };
}

/// See the module.
pub(super) fn plan(
    body: &Body,
    op: OpId,
    options: &LowerOptions,
) -> Result<Decision, LowerRefusal> {
    let is_inner = body.parent_op(op).is_some_and(|it| is_annotated(body, it));
    let mut steps = known!(steps(body, op)?);
    known!(form(body, op, is_inner));
    let last = steps.iter().map(|it| it.stage).max().unwrap_or(0);
    known!(room(body, op, last, options));

    let occurrences = Occurrences::collect(body);
    let analyses = Analyses::of(body, &occurrences, &options.effects);
    let flow = analyses.flow();
    let touches = Touches::build(&flow, analyses.aliases());
    let objects = Objects::of(body, &analyses, op);
    for step in &mut steps {
        let ops: Vec<OpId> = ops_in(body, step.op).collect();
        step.accesses = objects.accesses(&flow, &touches, &ops);
    }
    let own: Vec<(OpId, BufferId)> = allocations(body, op);
    let own_roots: BTreeSet<RootId> = own.iter().map(|it| objects.root(it.1)).collect();
    known!(order_in_iteration(&steps)?);
    let apart = Apart { body, op, effects: &options.effects, objects: &objects };
    known!(order_of_iterations(&steps, &own_roots, &apart));
    let mut memory = Vec::new();
    for (op, buffer) in own {
        let versions = versions_of(body, &steps, buffer, objects.root(buffer), &options.effects);
        if versions > 1 {
            known!(can_have_versions(body, buffer, &steps));
        }
        memory.push(Memory { op, buffer, versions });
    }
    known!(fits(body, &memory, options));
    let shared: BTreeSet<RootId> = memory
        .iter()
        .filter(|it| body.buffers[it.buffer].scope.is_plain_shared())
        .map(|it| objects.root(it.buffer))
        .collect();
    let queue = Queue::of(&mut steps, &shared, options.has_async_copies);
    steps.sort_by_key(|it| it.order);
    Ok(Decision::Pipeline(Plan { steps, memory, last, queue, is_inner }))
}

/// Returns true for a value of variables alone, the same wherever it is computed.
pub(super) fn is_plain(body: &Body, expr: ExprId) -> bool {
    let flags = body.expr(expr).flags;
    !flags.has_load && !flags.has_impure && !flags.has_unknown
}

/// Tells why the iterations of a loop cannot be told apart, if so.
fn form(body: &Body, op: OpId, is_inner: bool) -> Result<(), &'static str> {
    let data = &body.ops[op];
    let var = loop_var(body, op);
    let is_counted = body.values[var].ty.prim().is_some_and(|it| it.is_int() && it.bits >= 32);
    let is_step_one = data.operands.get(2).is_none_or(|&it| constant(body, it) == Some(1));
    if !matches!(data.kind, OpKind::For(ForKind::Serial | ForKind::Unrolled)) {
        return Err("its iterations do not run in order");
    }
    if !is_counted || !is_step_one {
        return Err("it does not count by one");
    }
    if !is_plain(body, data.operands[0]) || (is_inner && !is_plain(body, data.operands[1])) {
        return Err("its bounds are read from memory");
    }
    if !can_copy(body, op) || leaves(body, op) {
        return Err("something leaves it, or cannot be copied");
    }
    if ops_in(body, op).any(|it| matches!(body.ops[it].kind, OpKind::LaunchThread { .. })) {
        return Err("it launches threads");
    }
    for &it in &body.blocks[loop_block(body, op)].ops {
        let data = &body.ops[it];
        match data.kind {
            OpKind::Bind if !is_plain(body, data.operands[0]) => {
                return Err("a value between its statements is read from memory");
            }
            OpKind::DeclBuffer { .. } => return Err("a buffer between its statements is a view"),
            OpKind::Alloc { buffer, kind } => {
                let is_fresh = body.buffers[buffer].origin == BufferOrigin::Alloc
                    && matches!(kind, AllocKind::Flat | AllocKind::SBlock);
                let depends = data.operands.iter().any(|&it| {
                    !is_plain(body, it) || mentions(body, it, &|value| is_inside(body, op, value))
                });
                if !is_fresh || depends {
                    return Err("memory between its statements has another size in each iteration");
                }
            }
            _ => {}
        }
    }
    Ok(())
}

/// Returns true for the variable of a loop, and for names between its statements.
fn is_inside(body: &Body, op: OpId, value: ir::ValueId) -> bool {
    let block = loop_block(body, op);
    let is_named = |it: &OpId| body.ops[*it].results.contains(&value);
    value == loop_var(body, op) || body.blocks[block].ops.iter().any(is_named)
}

/// Tells if prologue and epilogue are too long.
fn room(body: &Body, op: OpId, last: i64, options: &LowerOptions) -> Result<(), &'static str> {
    let size = i64::try_from(ops_in(body, op).count()).unwrap_or(i64::MAX);
    let copies = last.saturating_mul(2).saturating_add(1);
    match size.saturating_mul(copies) <= options.max_unrolled.into() {
        true => Ok(()),
        false => Err("its prologue and epilogue would be too long"),
    }
}

fn allocations(body: &Body, op: OpId) -> Vec<(OpId, BufferId)> {
    let ops = body.blocks[loop_block(body, op)].ops.iter();
    let alloc = |&op: &OpId| match body.ops[op].kind {
        OpKind::Alloc { buffer, .. } => Some((op, buffer)),
        _ => None,
    };
    ops.filter_map(alloc).collect()
}

/// The objects for which the order of two statements matters.
fn conflicts(a: &Step, b: &Step) -> Vec<RootId> {
    let all = a.accesses.reads.iter().chain(&a.accesses.writes);
    let roots: BTreeSet<RootId> = all.copied().collect();
    roots.into_iter().filter(|&it| a.accesses.conflict(&b.accesses, it)).collect()
}

fn is_wild(a: &Step, b: &Step) -> bool {
    a.accesses.wild.is_some() || b.accesses.wild.is_some()
}

const WILD: &str = "a statement has a call or barrier that may access any memory";

/// Tells if a statement comes before what it needs of the same iteration.
fn order_in_iteration(steps: &[Step]) -> Checked<()> {
    for (at, a) in steps.iter().enumerate() {
        for b in steps[at + 1..].iter().filter(|b| b.time() < a.time()) {
            let roots = conflicts(a, b);
            let is_read =
                |it: &RootId| a.accesses.writes.contains(it) && b.accesses.reads.contains(it);
            if roots.iter().any(is_read) {
                let what = "a statement of a software pipeline comes before another one that \
                            writes what it reads";
                return Err(refusal(what).at(b.op));
            }
            if is_wild(a, b) {
                return Ok(Err(WILD.into()));
            }
            if !roots.is_empty() {
                return Ok(Err(
                    "a statement comes before another one whose memory it writes".into()
                ));
            }
        }
    }
    Ok(Ok(()))
}

/// Tells if a statement comes before what it needs of an earlier iteration; what is new in each is not asked about.
fn order_of_iterations(
    steps: &[Step],
    own: &BTreeSet<RootId>,
    apart: &Apart<'_>,
) -> Result<(), &'static str> {
    for a in steps {
        for b in steps {
            let (stage, order) = b.time();
            if a.time() < (stage + 1, order) {
                continue;
            }
            if is_wild(a, b) {
                return Err(WILD);
            }
            for root in conflicts(a, b).into_iter().filter(|it| !own.contains(it)) {
                if !apart.are_apart(a, b, root) {
                    return Err("an iteration may need what a later one would overwrite before");
                }
            }
        }
    }
    Ok(())
}

/// Elements that two iterations access.
struct Apart<'a> {
    body: &'a Body,
    op: OpId,
    effects: &'a EffectTable,
    objects: &'a Objects<'a>,
}

impl Apart<'_> {
    /// Returns true if two statements never access the same element of an object in two iterations. Threads exchange
    /// nothing through it.
    fn are_apart(&self, a: &Step, b: &Step, root: RootId) -> bool {
        if a.accesses.by_calls.contains(&root) || b.accesses.by_calls.contains(&root) {
            return false;
        }
        let inside: Vec<OpId> = ops_in(self.body, self.op).collect();
        let of = |step: &Step| -> Vec<Access> {
            let ops: Vec<OpId> = ops_in(self.body, step.op).collect();
            let all = accesses(self.body, &ops).into_iter();
            all.filter(|it| self.objects.root(it.buffer) == root).collect()
        };
        let (of_a, of_b) = (of(a), of(b));
        let mut lanes: Option<Lanes<'_>> = None;
        for x in &of_a {
            for y in of_b.iter().filter(|it| it.is_store || x.is_store) {
                let scope = self.body.buffers[x.buffer].scope;
                if x.buffer != y.buffer || !(scope.is_global() || scope.is_local()) {
                    return false;
                }
                let lanes = lanes
                    .get_or_insert_with(|| Lanes::new(self.body, self.op, &inside, self.effects));
                if !lanes.are_apart(x, y) {
                    return false;
                }
            }
        }
        !of_a.is_empty() && !of_b.is_empty()
    }
}

/// How many iterations need memory of their own at once.
fn versions_of(
    body: &Body,
    steps: &[Step],
    buffer: BufferId,
    root: RootId,
    effects: &EffectTable,
) -> i64 {
    let reads = |it: &Step| it.accesses.reads.contains(&root);
    let writes = |it: &Step| it.accesses.writes.contains(&root);
    // A buffer with another name is touched by that, too.
    let parts: Vec<Option<Span>> = match has_other_name(body, buffer) {
        true => vec![None; steps.len()],
        false => {
            let ops = |it: &Step| ops_in(body, it.op).collect::<Vec<OpId>>();
            steps.iter().map(|it| span(body, &ops(it), buffer, effects)).collect()
        }
    };
    let meets = |a: usize, b: usize| Span::meets(parts[a], parts[b]);
    let pairs = || (0..steps.len()).flat_map(|a| (0..steps.len()).map(move |b| (a, b)));

    let first = steps.iter().filter(|it| writes(it)).map(|it| it.stage).min();
    let last = steps.iter().filter(|it| reads(it)).map(|it| it.stage).max();
    let distance = match (first, last) {
        (Some(first), Some(last)) => last - first + 1,
        _ => 1,
    };
    let follows = |(at, other): (usize, usize)| {
        let (a, b) = (&steps[at], &steps[other]);
        writes(a) && reads(b) && a.stage < b.stage && a.order < b.order && meets(at, other)
    };
    let asked = match distance {
        2 if !pairs().any(follows) => 1,
        distance => distance,
    };
    let is_double = body.dict(body.buffers[buffer].attrs).iter().any(|it| &*it.0 == DOUBLE);
    let asked = if asked <= 1 && is_double { 2 } else { asked };
    let needed = pairs().filter_map(|(at, other)| {
        let (a, b) = (&steps[at], &steps[other]);
        let conflict = a.accesses.conflict(&b.accesses, root) && meets(at, other);
        conflict.then(|| a.stage - b.stage + i64::from(a.order >= b.order))
    });
    asked.max(needed.max().unwrap_or(1)).max(1)
}

fn has_other_name(body: &Body, buffer: BufferId) -> bool {
    body.ops_preorder().any(|op| {
        matches!(body.ops[op].kind, OpKind::DeclBuffer { buffer: it } if root(body, it) == buffer)
    })
}

/// Tells why accesses of memory cannot be those of one of its versions, if so.
fn can_have_versions(body: &Body, buffer: BufferId, steps: &[Step]) -> Result<(), &'static str> {
    let data = &body.buffers[buffer];
    let is_compact = data.strides.as_ref().is_none_or(Vec::is_empty) && data.elem_offset.is_none();
    let is_plain = body.dict(data.attrs).iter().all(|it| &*it.0 == DOUBLE);
    if !is_compact || !is_plain {
        return Err("memory of several versions has a layout of its own");
    }
    if has_other_name(body, buffer) {
        return Err("memory of several versions has another name");
    }
    let ops: Vec<OpId> = steps.iter().flat_map(|it| ops_in(body, it.op)).collect();
    match versions::can_be_given(body, &ops, buffer) {
        true => Ok(()),
        false => Err("memory of several versions is used by a pointer in a way that is not known"),
    }
}

/// Tells if the versions do not fit into the memory of a block of threads, where a launch does not say its size.
fn fits(body: &Body, memory: &[Memory], options: &LowerOptions) -> Result<(), &'static str> {
    let is_static = |it: &&Memory| body.buffers[it.buffer].scope == MemoryScope::Shared;
    let mut bytes = 0i64;
    for it in memory.iter().filter(is_static) {
        let one = elements(body, it.buffer).unwrap_or(0);
        let unit = i64::try_from(body.buffers[it.buffer].dtype.bytes()).unwrap_or(0);
        bytes = bytes.saturating_add(one.saturating_mul(unit).saturating_mul(it.versions));
    }
    let has_versions = memory.iter().any(|it| it.versions > 1);
    match has_versions && bytes > options.max_shared.into() {
        true => Err("the versions of its memory are more than the device has"),
        false => Ok(()),
    }
}

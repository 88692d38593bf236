//! Loops that TileLang refuses.
//!
//! In: the facts. Out: a finding for each tile operation, pipeline or further `T.Parallel` in the iterations of a
//! `T.Parallel`, for each element of thread-local memory that its variable picks, and for each element of a fragment
//! that the variable of a loop of unknown extent picks: the checks that TileLang makes before it lowers a kernel (its
//! `NestedLoopChecker`, `ParallelLocalIndexChecker` and `FragmentLoopChecker`). They look at the form alone, so that
//! what is told is refused whatever the values are. An extent that Python knows is a number by then, and is not told.
//! The check of thread-local memory is new in TileLang 0.1.14. Before, a loop that stores to such memory alone, and
//! names no fragment, ran whole in each thread (`parallel_loop` in its `lower_tile_op.cc`). What was right then is a
//! warning: it is not shown that the TileLang which builds the kernel refuses it.
//! Also a pipeline whose lists do not have one length, steps of zero, and two ways to unroll. Nothing is told of a
//! kernel of a CPU, which has no threads. O(operations).

use ir::{
    Attr, Body, BufferId, Callee, ExprId, ExprKind, ExprListId, ForKind, Intrinsic, OccurrenceId,
    OpId, OpKind, Type, ValueId, ValueKind,
    arena::Id as _,
    plan::finding::{Place, Related, Role},
};
use rules::{Rule, Severity};
use rustc_hash::FxHashSet;
use smallvec::SmallVec;

use super::{
    super::{Finding, FindingFacts, FindingKind, FindingRule, Sentence, Word, edit_title},
    extents::{is_fragment, number},
    linear::size,
    told,
    witness::definition,
};
use crate::tile_memory::buffer;

/// A loop that TileLang refuses.
pub(in super::super) const TILE_LOOP: FindingRule = FindingRule {
    rule: Rule::reported(
        "tile-loop",
        Severity::Warning,
        "a loop that TileLang refuses",
        "\
TileLang gives the iterations of `T.Parallel` to the threads of a block, one element each. When it builds a kernel it \
refuses there:

- tile operations in an iteration (`T.copy`, `T.gemm`, `T.fill`, `T.reduce_*`, …): they are the work of all threads;
- a `T.Parallel` in another one, unless it is the only statement there: `for i …: for j …:` is one loop over `i, j`;
- a `T.Pipelined` with stages in it;
- elements of `T.alloc_local` at an index with the loop's variable: that memory is of one thread, and an iteration has \
no thread of its own. TileLang refuses this since 0.1.14. Until then each thread ran a loop whole that stores to such \
memory alone; where that gave each thread all that it reads, it is a warning;
- elements of a fragment at an index with the variable of a loop whose extent is no number: the fragment has no layout \
for it.

It also refuses `T.Pipelined` with lists `order` and `stage` of two lengths, a step of zero, and `T.unroll` with both \
`explicit` and `unroll_factor`.

```python
for i in T.Parallel(64):
    T.copy(A[i, 0:32], S[i, :])        # all threads, in each iteration
```

Use `T.serial` where each thread is to do all of it, and a fragment where each thread is to have its part.
",
    )
    .with_shown(Severity::Error),
    plan,
    title: edit_title,
    is_unnecessary: false,
};

/// The loop around.
const AROUND: Role = Role("in the iterations of this loop");

fn plan(facts: &FindingFacts<'_>, found: &mut Vec<Finding>) {
    let (body, occurrences) = (facts.body, facts.occurrences);
    let Some((_, attrs)) = super::launches(body).next() else { return };
    if attrs.iter().any(|it| &*it.0 == "is_cpu") {
        return;
    }
    let nearest = nearest(body);
    let shared = shared(facts, &nearest);
    for op in body.ops_preorder() {
        if let Some(why) = of_loop(body, op) {
            let place = Place::Op(op);
            let message = Sentence::of([place.into(), Word::Text(why.into())]);
            let mut finding = told(FindingKind::TileLoop, place, message);
            finding.is_shown = true;
            found.push(finding);
        }
        let Some(inner) = nearest[op.index()] else { continue };
        let around = std::iter::successors(Some(inner), |it| nearest[it.index()]);
        let loops: SmallVec<[OpId; 4]> = around.take(MOST_LOOPS).collect();
        let outermost = loops.last().unwrap_or(&inner);
        let mut tell = |place: Place, text: String, is_shown: bool| {
            let message = Sentence::of([place.into(), Word::Text(text.into())]);
            let mut finding = told(FindingKind::TileLoop, place, message);
            finding.is_shown = is_shown;
            finding.related.push(Related { place: Place::Op(inner), role: AROUND });
            found.push(finding);
        };
        match body.ops[op].kind {
            OpKind::For(ForKind::Parallel) if !is_only_statement(body, op) => {
                tell(
                    Place::Op(op),
                    " is a `T.Parallel` in another one, and not alone there".into(),
                    true,
                );
            }
            OpKind::For(_) if is_pipeline(body, op) => {
                tell(Place::Op(op), " is a pipeline inside of `T.Parallel`".into(), true);
            }
            OpKind::Store { buffer, .. } => {
                if let Some(why) = refused(body, buffer, &body.ops[op].operands[1..], &loops) {
                    let is_whole = !shared.loops.contains(outermost);
                    let (why, is_shown) = since(body, buffer, is_whole, why);
                    tell(Place::Op(op), why, is_shown);
                }
            }
            _ => {}
        }
        for id in occurrences.of_op(op) {
            let place = Place::Occurrence(id);
            match body.expr(occurrences[id].expr).kind {
                ExprKind::Call { callee: Callee::Intrinsic(_, it), args, .. }
                    if it.is_tilelang_tile() && !may_be_of_elements(body, it, args) =>
                {
                    let text = " is the work of all threads of the block, inside of `T.Parallel`";
                    tell(place, text.to_owned(), true);
                    break;
                }
                ExprKind::Load { buffer, indices, .. } if !is_address(facts, id) => {
                    if let Some(why) = refused(body, buffer, body.items(indices), &loops) {
                        let is_whole = !shared.buffers.contains(&buffer);
                        let (why, is_shown) = since(body, buffer, is_whole, why);
                        tell(place, why, is_shown);
                        break;
                    }
                }
                _ => {}
            }
        }
    }
}

/// Why TileLang refuses a loop, whatever is in it.
fn of_loop(body: &Body, op: OpId) -> Option<String> {
    let data = &body.ops[op];
    let OpKind::For(_) = data.kind else { return None };
    let attrs = body.dict(data.attrs);
    let of = |key: &str| attrs.iter().find(|it| &*it.0 == key).map(|it| &it.1);
    let count = |key: &str| match of(key) {
        Some(Attr::List(items)) => Some(items.len()),
        _ => None,
    };
    if data.operands.get(2).is_some_and(|&it| number(body, it) == Some(0)) {
        return Some(" has a step of 0".to_owned());
    }
    if matches!(of("pragma_unroll_explicit"), Some(Attr::Bool(true)))
        && of("pragma_unroll_factor").is_some()
    {
        return Some(" is unrolled both in full and by a factor".to_owned());
    }
    let (order, stage) = (count("order")?, count("stage")?);
    (order != stage).then(|| format!(" orders {order} statements, and gives stages to {stage}"))
}

/// By operation: the nearest parallel loop around it.
fn nearest(body: &Body) -> Vec<Option<OpId>> {
    let mut all: Vec<Option<OpId>> = vec![None; body.ops.len()];
    for op in body.ops_preorder() {
        all[op.index()] = body.parent_op(op).and_then(|parent| {
            let is_loop = body.ops[parent].kind == OpKind::For(ForKind::Parallel);
            if is_loop { Some(parent) } else { all[parent.index()] }
        });
    }
    all
}

/// The loops of `T.Parallel` whose iterations are shared among the threads, and what they store to.
#[derive(Default)]
struct Shared {
    /// The outermost loops.
    loops: FxHashSet<OpId>,
    /// The memory of a thread that an iteration stores to, or may: a thread has only its part of that.
    buffers: FxHashSet<BufferId>,
}

/// The loops of `T.Parallel` that a thread runs in part: those that store to other memory than that of a thread, or
/// name a fragment. TileLang gives all of another one to each thread.
fn shared(facts: &FindingFacts<'_>, nearest: &[Option<OpId>]) -> Shared {
    let (body, occurrences) = (facts.body, facts.occurrences);
    let mut outermost: Vec<Option<OpId>> = vec![None; body.ops.len()];
    let mut shared = Shared::default();
    for op in body.ops_preorder() {
        let Some(inner) = nearest[op.index()] else { continue };
        let root = outermost[inner.index()].unwrap_or(inner);
        outermost[op.index()] = Some(root);
        let stores_elsewhere = match body.ops[op].kind {
            OpKind::Store { buffer, .. } => !is_of_thread(body, buffer),
            OpKind::Opaque(_) => true,
            _ => false,
        };
        let mut names = occurrences.of_op(op).map(|id| (id, body.expr(occurrences[id].expr).kind));
        let is_shared = stores_elsewhere
            || names.any(|(id, kind)| match kind {
                ExprKind::Load { buffer, .. } => {
                    is_fragment(body, buffer)
                        || !is_of_thread(body, buffer) && is_address(facts, id)
                }
                ExprKind::Buffer(_) | ExprKind::Region(..) => true,
                ExprKind::Call { callee: Callee::Unknown(_), .. } => true,
                _ => false,
            });
        if is_shared {
            shared.loops.insert(root);
        }
    }
    for op in body.ops_preorder() {
        if outermost[op.index()].is_none_or(|it| !shared.loops.contains(&it)) {
            continue;
        }
        if let OpKind::Store { buffer, .. } = body.ops[op].kind {
            shared.buffers.insert(buffer);
        }
        for id in occurrences.of_op(op) {
            match body.expr(occurrences[id].expr).kind {
                ExprKind::Buffer(buffer) | ExprKind::Region(buffer, _) => {
                    shared.buffers.insert(buffer);
                }
                ExprKind::Load { buffer, .. } if is_address(facts, id) => {
                    shared.buffers.insert(buffer);
                }
                _ => {}
            }
        }
    }
    shared
}

/// Returns true for a copy or an atomic operation with an operand whose type is not known: of elements it is the work
/// of one iteration.
fn may_be_of_elements(body: &Body, intrinsic: Intrinsic, args: ExprListId) -> bool {
    use Intrinsic::{TlAtomicAdd, TlAtomicMax, TlAtomicMin, TlCopy};
    let mut operands = body.items(args).iter().take(2);
    matches!(intrinsic, TlCopy | TlAtomicAdd | TlAtomicMax | TlAtomicMin)
        && operands.any(|&it| buffer(body, it).is_none() && body.expr(it).ty == Type::Unknown)
}

/// The message about an element, and true if every TileLang refuses it: of memory that each thread has whole, which was
/// right once, the message says since when it is refused.
fn since(body: &Body, buffer: BufferId, is_whole: bool, why: String) -> (String, bool) {
    if is_whole && is_of_thread(body, buffer) {
        (format!("{why}; TileLang refuses that since 0.1.14"), false)
    } else {
        (why, true)
    }
}

/// Returns true for memory that each thread has of its own.
fn is_of_thread(body: &Body, buffer: BufferId) -> bool {
    body.buffers[buffer].scope.is_local()
}

/// Returns true if an operation is all that the loop right around it has.
fn is_only_statement(body: &Body, op: OpId) -> bool {
    let block = body.ops[op].parent;
    let is_loop =
        body.parent_op(op).is_some_and(|it| body.ops[it].kind == OpKind::For(ForKind::Parallel));
    is_loop && body.blocks[block].ops.len() == 1
}

/// Returns true for a loop that asks for a pipeline.
fn is_pipeline(body: &Body, op: OpId) -> bool {
    const MARKS: [&str; 5] =
        ["num_stages", "order", "stage", "tl_pipeline_order", "tl_pipeline_stage"];
    body.dict(body.ops[op].attrs).iter().any(|it| MARKS.contains(&&*it.0))
}

/// Returns true if a load only names the place whose address is taken.
fn is_address(facts: &FindingFacts<'_>, id: OccurrenceId) -> bool {
    let Some(parent) = facts.occurrences[id].parent else { return false };
    match facts.body.expr(facts.occurrences[parent].expr).kind {
        ExprKind::Call { callee: Callee::Intrinsic(_, it), .. } => it.makes_address(),
        _ => false,
    }
}

/// Why TileLang refuses an element.
fn refused(body: &Body, buffer: BufferId, indices: &[ExprId], loops: &[OpId]) -> Option<String> {
    if body.has_unknown_rank(buffer) {
        return None;
    }
    let is_fragment = is_fragment(body, buffer);
    if !is_fragment && !is_of_thread(body, buffer) {
        return None;
    }
    let name = body.name(body.buffers[buffer].name);
    loops.iter().find_map(|&it| {
        let var = *body.blocks[body.entry(body.ops[it].regions[0])].args.first()?;
        if !indices.iter().any(|&it| names(body, it, var)) {
            return None;
        }
        let of_loop = body.name(body.values[var].name);
        if !is_fragment {
            return Some(format!(
                " picks an element of `{name}` by `{of_loop}` of `T.Parallel`, but each thread has a `{name}` of its own"
            ));
        }
        let extent = *body.ops[it].operands.get(1)?;
        is_open(body, extent).then(|| {
            format!(
                " picks an element of the fragment `{name}` by `{of_loop}`, whose loop has no number for its extent"
            )
        })
    })
}

/// Returns true if the text of an expression names a variable, as TileLang looks for it: a name that is bound to an
/// expression is a name of its own.
fn names(body: &Body, expr: ExprId, var: ValueId) -> bool {
    let mut stack = vec![expr];
    let mut left = MOST_NODES;
    while let Some(expr) = stack.pop() {
        let kind = body.expr(expr).kind;
        left -= 1;
        match kind {
            ExprKind::Value(value) if value == var => return true,
            _ if left == 0 => return false,
            _ => body.each_child(kind, &mut |it| stack.push(it)),
        }
    }
    false
}

/// Parallel loops around an element that are looked at.
const MOST_LOOPS: usize = 16;
/// Nodes that are looked at of an index.
const MOST_NODES: u32 = 1000;

/// Returns true if an extent is certainly no number when the kernel is lowered: a size of `T.dynamic`, a parameter or
/// a variable of a loop or launch, also in a sum or product with numbers.
fn is_open(body: &Body, extent: ExprId) -> bool {
    use ir::BinaryOp as B;
    let of = |it: ExprId| ir::stack::with_room(|| is_open(body, it));
    match body.expr(extent).kind {
        ExprKind::Value(value) => match definition(body, value) {
            Some(definition) => of(definition),
            None => {
                let data = &body.values[value];
                let is_variable =
                    matches!(data.kind, ValueKind::Param(_) | ValueKind::BlockArg(..));
                size(body, extent).is_some() || is_variable && data.ty != Type::Unknown
            }
        },
        ExprKind::Binary(B::Add | B::Sub, a, b) => match (number(body, a), number(body, b)) {
            (Some(_), None) => of(b),
            (None, Some(_)) => of(a),
            _ => false,
        },
        ExprKind::Binary(B::FloorDiv, a, b) => number(body, b).is_some() && of(a),
        ExprKind::Binary(B::Mul, a, b) => match (number(body, a), number(body, b)) {
            (Some(by), None) => by != 0 && of(b),
            (None, Some(by)) => by != 0 && of(a),
            _ => false,
        },
        _ => false,
    }
}

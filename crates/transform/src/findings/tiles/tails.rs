//! Tails that stay guarded because a size may be no multiple of a tile.
//!
//! In: the facts. Out: a finding for each size that a call gives (`T.dynamic`) and each extent of tiles that begin at
//! its multiples, in a loop or launch over `T.ceildiv(size, extent)`: TileLang guards the accesses (its
//! `LegalizeSafeMemoryAccess`), and needs no guard where the size is a multiple of the extent. The fix assumes that.
//! Nothing is told under a condition, which may be the author's own guard, or where the multiple is known. O(accesses ·
//! loops around).

use ir::{
    BinaryOp, Body, BufferId, Callee, ExprId, ExprKind, ForKind, Intrinsic, OccurrenceId, OpId,
    OpKind, ValueId, plan::finding::Role,
};
use rules::{Fix, Rule, Severity};

use super::{
    super::{Finding, FindingFacts, FindingKind, FindingRule, edit_title},
    around::{self, Around},
    extents::{number, slice},
    linear::{is_rounded_up, multiple, size},
    multiples::{Multiple, Wanted},
};

/// A tail that stays guarded.
pub(in super::super) const TAIL_GUARD: FindingRule = FindingRule {
    rule: Rule::reported(
        "tail-guard",
        Severity::Hint,
        "a tail that stays guarded, and the fact that would remove the guard",
        "\
A size of `T.dynamic` may be any number, so the last tile may be a part of one. TileLang guards each access of it that \
threads make, in all blocks; where the last dimension has a tail, it may also access single elements.

```python
M = T.dynamic(\"M\")
…
with T.Kernel(T.ceildiv(M, 128), threads=128) as bx:
    T.copy(A[bx * 128, 0], A_shared)         # guarded: bx * 128 + i < M
```

If all callers pass multiples, say so: `T.assume(M % 128 == 0)` in the kernel, before the access. It is a promise that \
nothing checks. Copies that the copy engine does (`TMA`) have no guard in either case.
",
    )
    .with_fix(Fix::Promise),
    plan,
    title: edit_title,
    is_unnecessary: false,
};

/// It has the same tail.
const ALSO: Role = Role("has the same tail");

fn plan(facts: &FindingFacts<'_>, found: &mut Vec<Finding>) {
    let body = facts.body;
    let launches: Vec<OpId> = super::launches(body).map(|it| it.0).collect();
    if launches.is_empty() || !has_sizes(body) {
        return;
    }
    let mut wanted = Wanted::default();
    for op in body.ops_preorder() {
        let Some(launch) = launch_of(body, &launches, op) else { continue };
        for access in accesses(facts, op) {
            for (divisor, size, shape) in tails(facts, &access) {
                if !is_multiple(facts, access.at, shape, divisor) {
                    wanted.add(Multiple { launch, size, divisor }, op);
                }
            }
        }
    }
    found.extend(wanted.findings(body, FindingKind::TailGuard, ALSO, |name, divisor| {
        format!(
            " is guarded at its end, as `{name}` may be no multiple of {divisor}; `T.assume({name} % {divisor} == 0)` would remove the guard"
        )
    }));
}

/// Returns true if a parameter has an extent that calls give.
pub(super) fn has_sizes(body: &Body) -> bool {
    let is_global = |it: &ir::Buffer| it.scope.is_global();
    body.buffers
        .iter()
        .any(|(_, it)| is_global(it) && it.shape.iter().any(|&it| size(body, it).is_some()))
}

/// The launch around an operation.
pub(super) fn launch_of(body: &Body, launches: &[OpId], op: OpId) -> Option<OpId> {
    let mut at = Some(op);
    while let Some(op) = at {
        if launches.contains(&op) {
            return Some(op);
        }
        at = body.parent_op(op);
    }
    None
}

/// An access of a part, or of an element, of global memory.
pub(super) struct Access<'a> {
    pub(super) buffer: BufferId,
    pub(super) dims: &'a [ExprId],
    /// An occurrence at its place.
    pub(super) at: OccurrenceId,
    pub(super) around: Around,
    /// It is an operand of `T.copy`.
    pub(super) is_copied: bool,
    pub(super) is_store: bool,
}

/// The accesses of global memory of an operation that nothing around it guards.
pub(super) fn accesses<'a>(facts: &FindingFacts<'a>, op: OpId) -> Vec<Access<'a>> {
    let (body, occurrences) = (facts.body, facts.occurrences);
    let mut all = Vec::new();
    let mut add = |buffer: BufferId, dims: &'a [ExprId], at, around: Option<Around>, of| {
        let is_known = body.buffers[buffer].scope.is_global()
            && !body.has_unknown_rank(buffer)
            && dims.len() == body.buffers[buffer].shape.len();
        let (is_copied, is_store) = of;
        if let Some(around) = around.filter(|it| is_known && it.guards.is_empty()) {
            all.push(Access { buffer, dims, at, around, is_copied, is_store });
        }
    };
    if let OpKind::Store { buffer, predicated: false } = body.ops[op].kind
        && let Some(at) = occurrences.of_operand(op, 0)
    {
        let dims = &body.ops[op].operands[1..];
        add(buffer, dims, at, around::of_op(facts, op), (false, true));
    }
    for id in occurrences.of_op(op) {
        match body.expr(occurrences[id].expr).kind {
            ExprKind::Load { buffer, indices, predicate: None } => {
                let around = around::of_occurrence(facts, id);
                add(buffer, body.items(indices), id, around, (false, false));
            }
            ExprKind::Region(buffer, dims) if is_copied(facts, id) => {
                let around = around::of_op(facts, op);
                add(buffer, body.items(dims), id, around, (true, false));
            }
            _ => {}
        }
    }
    all
}

fn is_copied(facts: &FindingFacts<'_>, id: OccurrenceId) -> bool {
    let (body, occurrences) = (facts.body, facts.occurrences);
    occurrences[id].parent.is_some_and(|parent| {
        matches!(
            body.expr(occurrences[parent].expr).kind,
            ExprKind::Call { callee: Callee::Intrinsic(_, Intrinsic::TlCopy), .. }
        ) && occurrences.index_in(parent, id) < 2
    })
}

/// The extents of tiles in an access that begin at multiples of themselves, each with the size that they divide up and
/// the extent of the buffer that is that size.
fn tails(facts: &FindingFacts<'_>, access: &Access<'_>) -> Vec<(i64, ValueId, ExprId)> {
    let body = facts.body;
    let shape = &body.buffers[access.buffer].shape;
    let one = |(&dim, &shape): (&ExprId, &ExprId)| {
        let size = size(body, shape)?;
        let (lower, extent) = slice(body, dim).or_else(|| element(body, &access.around, dim))?;
        let (var, factor) = multiple(body, lower)?;
        let it = access.around.loops.iter().find(|it| it.var == var)?;
        let is_tiled = extent > 1
            && factor == extent
            && number(body, it.min) == Some(0)
            && it.step.is_none()
            && is_rounded_up(body, it.extent, size, extent);
        is_tiled.then_some((extent, size, shape))
    };
    access.dims.iter().zip(shape).filter_map(one).collect()
}

/// An index as a start and the extent of the loop that is added to it.
fn element(body: &Body, around: &Around, index: ExprId) -> Option<(ExprId, i64)> {
    let ExprKind::Binary(BinaryOp::Add, a, b) = body.expr(index).kind else { return None };
    [(a, b), (b, a)].into_iter().find_map(|(start, inner)| {
        let ExprKind::Value(var) = body.expr(inner).kind else { return None };
        let it = around.loops.iter().find(|it| it.var == var)?;
        let is_inner = !matches!(it.kind, ForKind::ThreadBinding(_))
            && number(body, it.min) == Some(0)
            && it.step.is_none();
        Some((start, number(body, it.extent).filter(|_| is_inner)?))
    })
}

/// Returns true if an extent is known to be a multiple of a number at a place.
pub(super) fn is_multiple(
    facts: &FindingFacts<'_>,
    at: OccurrenceId,
    extent: ExprId,
    of: i64,
) -> bool {
    let context = facts.conditions().at(&facts.flow(), at);
    let known = facts.analyzer().facts_with(arith::Overflow::Excluded, context, extent).modular;
    let of = i128::from(of);
    known.coeff % of == 0 && known.base % of == 0
}

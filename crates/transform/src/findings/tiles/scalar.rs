//! Loops and copies that access single elements.
//!
//! In: the facts. Out: a finding for each loop of `T.vectorized`, and each innermost loop of `T.Parallel`, that
//! TileLang cannot make accesses of two elements or more of, for a reason that is proven: neighbours lie apart, pairs
//! begin at odd elements (with the values for which one does), a condition parts a pair, the lanes cannot be halved.
//! And for each size of `T.dynamic` that is the length of rows, of which nothing shows that they begin at 16 bytes,
//! where that is all that is missing; the fix assumes it. A loop of `T.Parallel` beside another one over fragments is
//! not told, as the layout of a fragment decides about it. O(accesses), and a bounded search for each.

use ir::{
    BinaryOp, Body, BufferId, ExprId, ExprKind, ForKind, OpId, OpKind, ScopeFamily, ValueId,
    plan::finding::{Place, Role},
};
use rules::{Fix, Rule, Severity};

use super::{
    super::{Finding, FindingFacts, FindingKind, FindingRule, Sentence, Word, edit_title},
    around::{self, Around, Loop},
    extents::{number, slice},
    linear::{Stride, coefficient, size, stride},
    multiples::{Multiple, Wanted},
    tails::{Access, accesses, has_sizes, is_multiple, launch_of},
    told,
    witness::{Key, Values, evaluate, search, words},
};

/// A loop or a copy that accesses single elements.
pub(in super::super) const SCALAR_ACCESS: FindingRule = FindingRule {
    rule: Rule::reported(
        "scalar-access",
        Severity::Hint,
        "a loop or a copy that accesses single elements, and why",
        "\
TileLang makes accesses of up to 16 bytes of a loop of `T.vectorized`, the innermost loop of `T.Parallel` and a \
`T.copy`, if the elements lie beside each other and each access begins at a multiple of its length. If not even two \
elements can be accessed at once, it falls back to one after the other; of `T.vectorized` it says so when it builds the \
kernel, but not why.

```python
for i in T.Parallel(512):
    B[bx * 512 + i] = A[(bx * 512 + i) * 2]      # neighbours lie 2 elements apart
```

Rows of a length that a call gives (`T.dynamic`) may begin anywhere: `T.assume(K % 8 == 0)` in the kernel says that rows \
of float16 begin at 16 bytes. It is a promise that nothing checks.
",
    )
    .with_fix(Fix::Promise),
    plan,
    title: edit_title,
    is_unnecessary: false,
};

/// It stays scalar for the same reason.
const ALSO: Role = Role("the same rows");
/// The bytes of the widest access.
const WIDEST: i64 = 16;

fn plan(facts: &FindingFacts<'_>, found: &mut Vec<Finding>) {
    let body = facts.body;
    let launches: Vec<OpId> = super::launches(body).map(|it| it.0).collect();
    if launches.is_empty() {
        return;
    }
    let has_jumps = around::has_jumps(body, facts.occurrences);
    let mut told_of: Vec<OpId> = Vec::new();
    let mut rows = Wanted::default();
    let has_sizes = has_sizes(body);
    for op in body.ops_preorder() {
        if let Some((var, count)) = lanes(body, op)
            && let Some(text) = parted(facts, op, var, count)
        {
            let place = Place::Value(var);
            let message = Sentence::of([Word::Text(text.into())]);
            found.push(told(FindingKind::ScalarAccess, place, message));
            told_of.push(op);
        }
        let Some(launch) = launch_of(body, &launches, op) else { continue };
        for access in accesses(facts, op) {
            let Some(inner) = access.around.loops.last() else { continue };
            let is_loop = !access.is_copied && is_wide(facts, &access.around);
            if is_loop
                && !told_of.contains(&inner.op)
                && !has_jumps
                && let Some(finding) = in_loop(facts, op, &access, inner)
            {
                told_of.push(inner.op);
                found.push(finding);
                continue;
            }
            let wide = if has_sizes { unaligned(facts, &access, is_loop) } else { None };
            if let Some((size, divisor)) = wide {
                rows.add(Multiple { launch, size, divisor }, op);
            }
        }
    }
    found.extend(rows.findings(body, FindingKind::ScalarAccess, ALSO, |name, length| {
        format!(
            " accesses single elements, as rows of `{name}` elements may begin anywhere; `T.assume({name} % {length} == 0)` would allow {WIDEST} bytes at once"
        )
    }));
}

/// The variable and the number of a loop of lanes.
fn lanes(body: &Body, op: OpId) -> Option<(ValueId, i64)> {
    if body.ops[op].kind != OpKind::For(ForKind::Vectorized) {
        return None;
    }
    let var = *body.blocks[body.entry(*body.ops[op].regions.first()?)].args.first()?;
    Some((var, number(body, *body.ops[op].operands.get(1)?)?))
}

/// Why no pair of the lanes of a loop can be one access, if that is by the loop itself.
fn parted(facts: &FindingFacts<'_>, op: OpId, var: ValueId, count: i64) -> Option<String> {
    let body = facts.body;
    around::of_op(facts, op)?;
    let name = body.name(body.values[var].name);
    if count > 1 && count % 2 == 1 {
        return Some(format!(
            "the loop over `{name}` stays scalar: {count} lanes cannot be accessed in pairs"
        ));
    }
    let region = *body.ops[op].regions.first()?;
    let conditions = body.blocks[body.entry(region)].ops.iter().filter_map(|&it| {
        (body.ops[it].kind == OpKind::If).then(|| body.ops[it].operands.first().copied())?
    });
    for condition in conditions {
        let at = |lane: i64| evaluate(body, &[(Key::Loop(var), i128::from(lane))], condition);
        let differs = |lane: &i64| match (at(*lane), at(lane + 1)) {
            (Some(a), Some(b)) => (a != 0) != (b != 0),
            _ => false,
        };
        if let Some(lane) = (0..count.min(64)).step_by(2).find(differs) {
            return Some(format!(
                "the loop over `{name}` stays scalar: its condition holds for one of the lanes {lane} and {} only",
                lane + 1
            ));
        }
    }
    None
}

/// Returns true if the innermost loop is one of which wide accesses can be made, as far as layouts decide.
fn is_wide(facts: &FindingFacts<'_>, around: &Around) -> bool {
    let body = facts.body;
    let Some(inner) = around.loops.last() else { return false };
    if number(body, inner.min) != Some(0) || inner.step.is_some() {
        return false;
    }
    match inner.kind {
        ForKind::Vectorized => number(body, inner.extent).is_some_and(|it| it > 1),
        ForKind::Parallel => {
            let nest = around.loops.iter().rev().take_while(|it| it.kind == ForKind::Parallel);
            let extents: Option<Vec<i64>> = nest.map(|it| number(body, it.extent)).collect();
            let Some(extents) = extents else { return false };
            let elements = extents.iter().fold(1i64, |all, it| all.saturating_mul(*it));
            let threads = around.threads.iter().flatten().product::<i128>();
            let is_enough = i128::from(elements) >= threads.saturating_mul(2);
            is_enough
                && extents.first().is_some_and(|it| *it > 1)
                && (extents.len() == 1 || !has_fragments(facts, inner.op))
        }
        _ => false,
    }
}

/// Returns true if a loop accesses memory of threads.
fn has_fragments(facts: &FindingFacts<'_>, op: OpId) -> bool {
    let body = facts.body;
    let is_of_thread = |it: BufferId| {
        !matches!(body.buffers[it].scope.family(), ScopeFamily::Global | ScopeFamily::Shared)
    };
    let mut left = vec![op];
    while let Some(op) = left.pop() {
        if let OpKind::Store { buffer, .. } = body.ops[op].kind
            && is_of_thread(buffer)
        {
            return true;
        }
        let accesses = facts.occurrences.of_op(op).any(|id| {
            match body.expr(facts.occurrences[id].expr).kind {
                ExprKind::Load { buffer, .. }
                | ExprKind::Region(buffer, _)
                | ExprKind::Buffer(buffer) => is_of_thread(buffer),
                _ => false,
            }
        });
        if accesses {
            return true;
        }
        for &region in &body.ops[op].regions {
            left.extend(&body.blocks[body.entry(region)].ops);
        }
    }
    false
}

/// The finding about an access in a loop of which no wide accesses can be made.
fn in_loop(
    facts: &FindingFacts<'_>,
    op: OpId,
    access: &Access<'_>,
    inner: &Loop,
) -> Option<Finding> {
    let body = facts.body;
    let data = &body.buffers[access.buffer];
    let why = match stride(body, access.buffer, access.dims, inner.var)? {
        Stride::Elements(0) => return None,
        Stride::Elements(1) => format!("a pair begins at {}", odd(body, access, inner)?),
        Stride::Elements(-1) => "its elements run backwards".to_owned(),
        Stride::Elements(it) => format!("neighbours lie {} elements apart", it.abs()),
        Stride::Rows => format!("neighbours lie in different rows of `{}`", body.name(data.name)),
    };
    let place = if access.is_store { Place::Op(op) } else { Place::Occurrence(access.at) };
    let name = body.name(body.values[inner.var].name);
    let text = format!(" keeps the loop over `{name}` scalar: {why}");
    let message = Sentence::of([place.into(), Word::Text(text.into())]);
    Some(told(FindingKind::ScalarAccess, place, message))
}

/// An odd element at which the first pair of a loop begins, for values that occur.
fn odd(body: &Body, access: &Access<'_>, inner: &Loop) -> Option<String> {
    let shape = &body.buffers[access.buffer].shape;
    let mut rows = Vec::new();
    let mut row = Some(1i128);
    for &extent in shape.iter().rev() {
        rows.push(row?);
        row = row.zip(number(body, extent)).and_then(|it| it.0.checked_mul(i128::from(it.1)));
    }
    rows.reverse();
    let mut found = 0;
    let mut happens = |values: &Values| {
        let is_first = values.iter().all(|it| it.0 != Key::Loop(inner.var) || it.1 == 0);
        let flat = access.dims.iter().zip(&rows).try_fold(0i128, |all, (&index, &row)| {
            all.checked_add(evaluate(body, values, index)?.checked_mul(row)?)
        });
        match flat {
            Some(it) if is_first && it % 2 != 0 => {
                found = it;
                true
            }
            _ => false,
        }
    };
    let values = search(body, &access.around, access.dims, &mut happens)?;
    let others: Values = values.iter().filter(|it| it.0 != Key::Loop(inner.var)).copied().collect();
    Some(format!("element {found}{}", words(body, &others, access.dims.iter().copied())))
}

/// The length of the rows that an access touches, if all that is missing is that it is a multiple of a number.
fn unaligned(
    facts: &FindingFacts<'_>,
    access: &Access<'_>,
    is_loop: bool,
) -> Option<(ValueId, i64)> {
    let body = facts.body;
    let data = &body.buffers[access.buffer];
    let (&last, outer) = access.dims.split_last()?;
    let extent = *data.shape.last()?;
    let size = size(body, extent)?;
    let bytes = i64::try_from(data.dtype.bytes()).ok().filter(|_| !data.dtype.is_symbolic())?;
    let length = WIDEST.checked_div(bytes).filter(|&it| it > 1)?;
    let is_in_rows = outer.iter().any(|&it| number(body, it).is_none());
    if !is_in_rows || !data.dtype.is_scalar() || is_multiple(facts, access.at, extent, 2) {
        return None;
    }
    let (start, count) = match access.is_copied {
        true => slice(body, last).map(|it| (Some(it.0), it.1))?,
        false => {
            let inner = access.around.loops.last().filter(|_| is_loop)?;
            let rest = |it: &ExprId| coefficient(body, *it, inner.var) == Some(0);
            if coefficient(body, last, inner.var)? != 1 || !outer.iter().all(rest) {
                return None;
            }
            (before(body, last, inner.var)?, number(body, inner.extent)?)
        }
    };
    let is_aligned = start.is_none_or(|it| is_multiple(facts, access.at, it, length));
    (count % length == 0 && is_aligned).then_some((size, length))
}

/// The summand beside a variable in an index.
fn before(body: &Body, index: ExprId, var: ValueId) -> Option<Option<ExprId>> {
    match body.expr(index).kind {
        ExprKind::Value(it) if it == var => Some(None),
        ExprKind::Binary(BinaryOp::Add, a, b) => {
            let is_var =
                |it: ExprId| matches!(body.expr(it).kind, ExprKind::Value(it) if it == var);
            match (is_var(a), is_var(b)) {
                (true, false) => Some(Some(b)),
                (false, true) => Some(Some(a)),
                _ => None,
            }
        }
        _ => None,
    }
}

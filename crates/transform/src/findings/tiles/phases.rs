//! Waits for barriers at which nothing arrives.
//!
//! In: the facts. Out: a finding for each `mbarrier` of which the kernel only waits for phases, and one wait is for a
//! phase of parity 0 for values that occur: the first phase ends when as many arrive as the barrier was made for, and
//! nothing does. A wait of parity 1 passes before the first phase has ended. A barrier that is given to anything but a
//! wait is not looked at: an arrival, a copy, a product, a call. O(occurrences), and a bounded search a wait.

use ir::{
    BinaryOp, Body, BufferId, Callee, ExprId, ExprKind, OccurrenceId,
    plan::finding::{Place, Related, Role},
};
use rules::{Rule, Severity};
use rustc_hash::FxHashMap;

use super::{
    super::{Finding, FindingFacts, FindingKind, FindingRule, Sentence, Word, edit_title},
    around,
    extents::number,
    linear::{is_rounded_up, size},
    told,
    witness::{Key, Names, Values, evaluate, search, words},
};

/// A wait for a barrier at which nothing arrives.
pub(in super::super) const BARRIER_WITHOUT_ARRIVAL: FindingRule = FindingRule {
    rule: Rule::reported(
        "barrier-without-arrival",
        Severity::Error,
        "a wait for a barrier at which nothing arrives",
        "\
A barrier of `T.alloc_barrier(n)` ends its first phase when `n` threads (or copies that are given it) have arrived. Here \
the kernel only waits for it: no `T.barrier_arrive`, no copy or product with `barrier=` or `mbar=`, so that the wait \
for parity 0 never ends.

```python
ready = T.alloc_barrier(128)
T.tma_copy(A[0, 0], A_shared, barrier=other)
T.mbarrier_wait_parity(ready, 0)             # hangs
```

Name the barrier where the work is done that you wait for.
",
    ),
    plan,
    title: edit_title,
    is_unnecessary: false,
};

/// The barrier.
pub(super) const MADE: Role = Role("made here");
/// The attribute of a barrier that has its number of arrivals.
pub(super) const BARRIER_INIT: &str = "barrier_init";
/// The call that waits for a phase.
const WAIT: &str = "tl.mbarrier_wait_parity";

/// The call by which a thread arrives.
pub(super) const ARRIVE: &str = "ptx_arrive_barrier";

/// Waits for a barrier, and their parities; none if it is used otherwise too.
type Waits = Option<Vec<(OccurrenceId, ExprId)>>;

fn plan(facts: &FindingFacts<'_>, found: &mut Vec<Finding>) {
    let (body, occurrences) = (facts.body, facts.occurrences);
    if super::launches(body).next().is_none() || around::has_jumps(body, occurrences) {
        return;
    }
    if occurrences.iter().any(|(_, it)| may_name_barriers(body, body.expr(it.expr).kind)) {
        return;
    }
    let mut waits: FxHashMap<BufferId, Waits> = FxHashMap::default();
    for (id, occurrence) in occurrences.iter() {
        let buffer = match body.expr(occurrence.expr).kind {
            ExprKind::Load { buffer, .. }
            | ExprKind::Region(buffer, _)
            | ExprKind::Buffer(buffer)
            | ExprKind::BufferField(buffer, _) => buffer,
            _ => continue,
        };
        let known = waits.entry(buffer).or_insert_with(|| Some(Vec::new()));
        match (wait(facts, id), known.as_mut()) {
            (Some(it), Some(all)) => all.push(it),
            _ => *known = None,
        }
    }
    let barriers = body.buffers.iter().map(|it| it.0);
    for buffer in barriers.filter(|&it| is_barrier(body, it)) {
        let Some(Some(all)) = waits.get(&buffer) else { continue };
        for &(wait, parity) in all {
            let Some(around) = around::of_occurrence(facts, wait) else { continue };
            let mut happens = |values: &Values| evaluate(body, values, parity) == Some(0);
            let Some(values) = search(body, &around, &[parity], &mut happens) else { continue };
            let place = Place::Occurrence(wait);
            let name = body.name(body.buffers[buffer].name);
            let for_which = words(body, &values, [parity]);
            let text = format!(" never ends{for_which}: nothing arrives at `{name}`");
            let message = Sentence::of([place.into(), Word::Text(text.into())]);
            let mut finding = told(FindingKind::BarrierWithoutArrival, place, message);
            finding.related.push(Related { place: Place::Buffer(buffer), role: MADE });
            found.push(finding);
            break;
        }
    }
}

/// Returns true for a text, and for a call with a keyword that is no operand: any barrier may be named there.
pub(super) fn may_name_barriers(body: &Body, kind: ExprKind) -> bool {
    match kind {
        ExprKind::Opaque { .. } => true,
        ExprKind::Call { attrs, .. } => body.dict(attrs).iter().any(|it| it.1.holds_expression()),
        _ => false,
    }
}

fn is_barrier(body: &Body, buffer: BufferId) -> bool {
    body.dict(body.buffers[buffer].attrs).iter().any(|it| &*it.0 == BARRIER_INIT)
}

/// The wait of which an occurrence of a barrier is the first operand, and the parity.
pub(super) fn wait(facts: &FindingFacts<'_>, id: OccurrenceId) -> Option<(OccurrenceId, ExprId)> {
    let (body, occurrences) = (facts.body, facts.occurrences);
    let parent = occurrences[id].parent?;
    let ExprKind::Call { callee: Callee::Intrinsic(name, _), args, .. } =
        body.expr(occurrences[parent].expr).kind
    else {
        return None;
    };
    let &[_, parity, ..] = body.items(args) else { return None };
    (body.name(name) == WAIT && occurrences.index_in(parent, id) == 0).then_some((parent, parity))
}

/// Returns true if an extent is a size that calls give, or its number of tiles: it may be two or more.
pub(super) fn is_given(body: &Body, extent: ExprId) -> bool {
    let mut names = Names::default();
    names.add(body, extent);
    let [Key::Loop(value)] = names.keys[..] else { return false };
    let by = match body.expr(extent).kind {
        ExprKind::Binary(BinaryOp::FloorDiv | BinaryOp::Div, _, divisor) => number(body, divisor),
        _ => return size(body, extent).is_some(),
    };
    let data = &body.values[value];
    let is_size = data.kind == ir::ValueKind::Captured && data.is_size;
    is_size && by.is_some_and(|by| is_rounded_up(body, extent, value, by))
}

/// The values of all loops around, in words.
pub(super) fn for_which(body: &Body, values: &Values) -> String {
    let of = |&(key, value): &(Key, i128)| match key {
        Key::Loop(var) => Some(format!("`{}` = {value}", body.name(body.values[var].name))),
        Key::Thread(_) => None,
    };
    let all: Vec<String> = values.iter().filter_map(of).collect();
    if all.is_empty() { String::new() } else { format!(" for {}", all.join(" and ")) }
}

//! Reads of memory that nothing has written (`SEMANTICS: M3`).
//!
//! In: the facts. Out: a finding for each load of an allocation (or scalar)
//!
//! * where no path from the allocation to the load writes it;
//! * that the first iteration of a loop is certain to evaluate before any write, though a later iteration may find a
//!   value;
//! * that certainly follows an `if` of which only one arm writes it; outside kernels, where the threads of a warp are
//!   made to read together the values that some of them have.
//!
//! A part of a buffer that a tile operation reads in any case counts as a load (`SEMANTICS: Y11`). A call counts as a
//! write of the memory that it is given to write. Memory of a thread block counts where no other statement writes it.
//! A value that is dropped at once (`T.evaluate(A[0])`) does not count.
//! Of the loads of an allocation that nothing writes, the first is told, and the others with it. In a kernel of tiles a
//! read is shown to happen where values of loops, blocks and threads reach it; the message names them.
//!
//! On request a read in a kernel is told too that follows an `if` of which only one arm writes.
//! O(occurrences + loads · log n).

use std::collections::hash_map::Entry;

use dataflow::{
    alias::AliasClass,
    memory::{MemoryVersions, Origin, VersionId},
};
use ir::{
    AllocKind, Body, BufferId, BufferOrigin, Dialect, ExprId, ExprKind, OccurrenceId, OpId, OpKind,
    ViewRoot,
    arena::Id as _,
    plan::finding::{Place, Related, Role},
};
use rules::{Fix, Rule, Severity};
use rustc_hash::FxHashMap;

use super::{
    Finding, FindingFacts, FindingKind, FindingRule, Word, edit_title, first_value, sentence,
    stored::loads, tiles,
};

/// A load of memory that nothing has written.
pub(super) const READ_BEFORE_WRITE: FindingRule = FindingRule {
    rule: Rule::reported(
        "read-before-write",
        Severity::Warning,
        "memory is read that nothing has written",
        "\
An allocated buffer has arbitrary content until it is written. Here nothing writes the element before it is read, or \
on some path
nothing does.

```python
acc = T.alloc_buffer((1,), scope=\"local\")
for k in range(16):
    acc[0] = acc[0] + A[k]    # the first iteration reads unwritten memory
```

Write the first value before: only you know which. For an accumulator of TileLang the fix adds `T.clear(…)`, or `T.fill(…)` \
with the least or greatest value where a maximum or minimum is taken. In a kernel of TileLang it is an error where the \
read is shown to be reached: the message names the iteration, the block and the thread.
",
    )
    .with_fix(Fix::Promise)
    .with_shown(Severity::Error),
    plan,
    title: edit_title,
    is_unnecessary: false,
};

/// A read that only some paths make one of memory that nothing has written.
pub(super) const POSSIBLE_READ_BEFORE_WRITE: FindingRule = FindingRule {
    rule: Rule::reported(
        "possible-read-before-write",
        Severity::Hint,
        "nothing shows that memory was written on every path to a read",
        "\
Before the read there is an `if` of which only one arm writes the memory. Whether the other one is taken, nothing here \
shows; if it is, the read finds what was there before. Reads that no path writes before are told by `read-before-write`.

```python
L = T.alloc_local((4,), \"float32\")
if X[bx] > 0:
    L[0] = 1.0
B[bx] = L[0]                   # nothing shows that X[bx] > 0
```

Only told with `possible = true` in `[findings]` of the settings. Write a first value before the `if`.
",
    )
    .possible(),
    plan: plan_possible,
    title: edit_title,
    is_unnecessary: false,
};

/// It makes the memory, which holds no values yet.
const ALLOCATION: Role = Role("made here, without a value");
/// It may write the memory in question, but not on every path.
const MAY_WRITE: Role = Role("written here, but not on every path");

/// Loops that are passed on the way to an allocation.
const MAX_LOOPS: usize = 64;

fn plan(facts: &FindingFacts<'_>, found: &mut Vec<Finding>) {
    let memory = &facts.memory();
    let mut lazy = Lazy { op: None, start: 0, flags: Vec::new() };
    let mut never_written: FxHashMap<OpId, usize> = FxHashMap::default();
    for (load, buffer, version) in loads(facts, memory).chain(parts(facts, memory)) {
        if is_dropped(facts, load) {
            continue;
        }
        let class = facts.aliases().class(buffer);
        let (allocation, around) = match version.origin() {
            Origin::Write(op) => (Some(op), None),
            Origin::LoopEntry(around) => {
                (first_iteration(facts, memory, load, class), Some(around))
            }
            Origin::After(op) if !in_kernel(facts, op) => {
                (one_armed(facts, memory, load, class, op), Some(op))
            }
            _ => (None, None),
        };
        let Some(op) = allocation else { continue };
        let OpKind::Alloc { buffer: made, kind } = facts.body.ops[op].kind else { continue };
        let is_certain = around.is_none() || !lazy.is_lazy(facts, load);
        if kind == AllocKind::Const || !is_certain || shown_by(facts.body, buffer) != Some(made) {
            continue;
        }
        if is_written_by_others(facts, memory, load, buffer) {
            continue;
        }
        let told = around.is_none().then(|| never_written.entry(op));
        match told {
            Some(Entry::Occupied(first)) => {
                let again = Related { place: Place::Occurrence(load), role: Role::READ_TOO };
                found[*first.get()].related.push(again);
            }
            Some(Entry::Vacant(first)) => {
                first.insert(found.len());
                found.push(finding(facts, memory, (load, class), (op, made), around));
            }
            None => found.push(finding(facts, memory, (load, class), (op, made), around)),
        }
    }
}

fn plan_possible(facts: &FindingFacts<'_>, found: &mut Vec<Finding>) {
    let memory = &facts.memory();
    let mut lazy = Lazy { op: None, start: 0, flags: Vec::new() };
    let mut told_of: Vec<(OpId, BufferId)> = Vec::new();
    for (load, buffer, version) in loads(facts, memory).chain(parts(facts, memory)) {
        let Origin::After(branch) = version.origin() else { continue };
        if !in_kernel(facts, branch)
            || is_dropped(facts, load)
            || told_of.contains(&(branch, buffer))
        {
            continue;
        }
        let class = facts.aliases().class(buffer);
        let Some(op) = one_armed(facts, memory, load, class, branch) else { continue };
        let OpKind::Alloc { buffer: made, kind } = facts.body.ops[op].kind else { continue };
        if kind == AllocKind::Const
            || lazy.is_lazy(facts, load)
            || shown_by(facts.body, buffer) != Some(made)
            || is_written_by_others(facts, memory, load, buffer)
        {
            continue;
        }
        told_of.push((branch, buffer));
        let condition = facts.body.ops[branch].operands[0];
        let place = Place::Occurrence(load);
        let made_here = Related { place: Place::Op(op), role: ALLOCATION };
        found.push(Finding {
            kind: FindingKind::PossibleReadBeforeWrite,
            is_shown: false,
            place,
            message: sentence![
                place,
                " may be read before anything writes it: only one arm of the `if` on ",
                condition,
                " does"
            ],
            related: vec![made_here],
            fix: None,
        });
    }
}

/// Returns true for an operation in a kernel: its threads may take different arms.
fn in_kernel(facts: &FindingFacts<'_>, op: OpId) -> bool {
    facts.scopes().kernel(facts.scopes().of_op(op)).is_some()
}

/// Returns true if nothing sees the value that a load belongs to: `T.evaluate(A[0])`. Tests of compilers touch memory
/// so, and no result can be wrong.
fn is_dropped(facts: &FindingFacts<'_>, load: OccurrenceId) -> bool {
    let op = &facts.body.ops[facts.occurrences[load].op];
    let has_no_effect = |&it: &ExprId| {
        let flags = facts.body.expr(it).flags;
        !flags.has_call && !flags.has_unknown
    };
    matches!(op.kind, OpKind::Evaluate) && op.operands.iter().all(has_no_effect)
}

/// The parts of buffers that tile operations read in any case, each with its version, in program order.
fn parts<'a>(
    facts: &'a FindingFacts<'_>,
    memory: &'a MemoryVersions<'a>,
) -> impl Iterator<Item = (OccurrenceId, BufferId, VersionId)> + 'a {
    let operands = |(call, _)| {
        let reads = ir::tile_access::certain_reads(facts.body, facts.occurrences[call].expr);
        let mut operand = OccurrenceId::new(call.index() + 1);
        let mut found = Vec::new();
        for at in 0..=reads.last().copied().unwrap_or(0) {
            if reads.contains(&at) {
                found.push(operand);
            }
            operand = match reads.is_empty() {
                true => operand,
                false => facts.occurrences[operand].end,
            };
        }
        found
    };
    facts.occurrences.iter().flat_map(operands).filter_map(move |id| {
        match facts.body.expr(facts.occurrences[id].expr).kind {
            ExprKind::Region(buffer, _) | ExprKind::Buffer(buffer) => {
                let version = memory.at_occurrence(id, facts.aliases().class(buffer));
                (!is_of_some_threads(facts, id, buffer)).then_some((id, buffer, version))
            }
            _ => None,
        }
    })
}

/// Returns true if only some threads come to a read of memory that others share: those may have written it, wherever
/// that stands in the text.
fn is_of_some_threads(facts: &FindingFacts<'_>, load: OccurrenceId, buffer: BufferId) -> bool {
    let body = facts.body;
    let scope = body.buffers[buffer].scope;
    let is_own =
        !scope.is_shared() && !scope.is_global() && !body.scope_name(scope).contains("tmem");
    let mut at = facts.occurrences[load].op;
    while let Some(parent) = body.parent_op(at).filter(|_| !is_own) {
        if body.ops[parent].kind == OpKind::If {
            return true;
        }
        at = parent;
    }
    false
}

/// The allocation that a buffer shows, if the buffer names it.
fn shown_by(body: &Body, buffer: BufferId) -> Option<BufferId> {
    match body.view_root(buffer) {
        ViewRoot::Buffer(root) => {
            let origin = &body.buffers[root].origin;
            // TileLang starts a variable with 0.
            let is_variable = *origin == BufferOrigin::Cell && body.dialect != Dialect::TileLang;
            (is_variable || *origin == BufferOrigin::Alloc).then_some(root)
        }
        ViewRoot::Pointer(..) => None,
    }
}

/// Returns true for memory of a thread block that another statement writes: another thread may be there first, whatever
/// the order of the text.
fn is_written_by_others(
    facts: &FindingFacts<'_>,
    memory: &MemoryVersions<'_>,
    load: OccurrenceId,
    buffer: BufferId,
) -> bool {
    let body = facts.body;
    let own = facts.occurrences[load].op;
    let is_write = |it: OpId| it != own && !matches!(body.ops[it].kind, OpKind::Alloc { .. });
    let class = facts.aliases().class(buffer);
    body.buffers[buffer].scope.is_shared() && memory.writes(class).any(|it| is_write(it.0))
}

/// The write before the loops around a load, if each of them is certain to come to it, or to the next loop, in its
/// first iteration with nothing written in between.
fn first_iteration(
    facts: &FindingFacts<'_>,
    memory: &MemoryVersions<'_>,
    load: OccurrenceId,
    class: AliasClass,
) -> Option<OpId> {
    let mut op = facts.occurrences[load].op;
    let mut version = memory.at_occurrence(load, class);
    for _ in 0..MAX_LOOPS {
        match version.origin() {
            Origin::Write(op) => return Some(op),
            Origin::LoopEntry(around) => {
                let is_condition = around == op && facts.body.ops[op].kind == OpKind::While;
                if !is_condition && !starts_with(facts, around, op) {
                    return None;
                }
                version = memory.before_loop(around, class);
                op = around;
            }
            _ => return None,
        }
    }
    None
}

/// The write before an `if` after which a load is certain to come, if an arm (or the one that is not there) writes
/// nothing.
fn one_armed(
    facts: &FindingFacts<'_>,
    memory: &MemoryVersions<'_>,
    load: OccurrenceId,
    class: AliasClass,
    branch: OpId,
) -> Option<OpId> {
    let (body, scopes) = (facts.body, facts.scopes());
    let data = &body.ops[branch];
    // Whether an arm on an unresolved name is taken, nobody knows (`SEMANTICS: X8`, `G5`).
    let is_open =
        |it: ir::ExprId| body.expr(it).flags.has_unknown || body.ty(it) == ir::Type::Unknown;
    let is_unknown = data.operands.iter().any(|&it| is_open(it));
    if data.kind != OpKind::If || is_unknown {
        return None;
    }
    let Origin::Write(before) = memory.before(branch, class).origin() else { return None };
    let op = facts.occurrences[load].op;
    let after = facts.certainty().executed_by(scopes, op, scopes.of_op(branch))?;
    let same_list = facts.certainty().segment(after) == facts.certainty().segment(branch);
    let second = data.regions.get(1).map(|&it| scopes.start(scopes.of_block(body.entry(it))));
    let orders = memory.orders_of(branch);
    let is_written = |orders: std::ops::Range<u32>| memory.writes_within(class, orders);
    let leaves_out = match second {
        None => true,
        Some(second) => !is_written(orders.start..second) || !is_written(second..orders.end),
    };
    (same_list && leaves_out && !memory.is_written_by_operands(branch, class)).then_some(before)
}

/// Returns true if each iteration of a loop is certain to execute `op`, which is in it.
fn starts_with(facts: &FindingFacts<'_>, around: OpId, op: OpId) -> bool {
    let certainty = facts.certainty();
    let Some(&region) = facts.body.ops[around].regions.first() else { return false };
    let inside = facts.scopes().of_block(facts.body.entry(region));
    let scope = facts.scopes().of_op(op);
    facts.scopes().is_ancestor(inside, scope)
        && certainty.reached_from_block_start(op)
        && certainty.reached_from(scope) <= inside
}

/// The occurrences of one operation that it evaluates only sometimes (`SEMANTICS: S2`, `S4`, `S5`).
struct Lazy {
    op: Option<OpId>,
    start: usize,
    flags: Vec<bool>,
}

impl Lazy {
    fn is_lazy(&mut self, facts: &FindingFacts<'_>, occurrence: OccurrenceId) -> bool {
        let op = facts.occurrences[occurrence].op;
        if self.op != Some(op) {
            self.collect(facts, op);
        }
        self.flags[occurrence.index() - self.start]
    }

    fn collect(&mut self, facts: &FindingFacts<'_>, op: OpId) {
        let (body, occurrences) = (facts.body, facts.occurrences);
        self.op = Some(op);
        self.flags.clear();
        for id in occurrences.of_op(op) {
            if self.flags.is_empty() {
                self.start = id.index();
            }
            self.flags.resize((id.index() - self.start + 1).max(self.flags.len()), false);
            let is_lazy = self.flags[id.index() - self.start];
            let mut child = OccurrenceId::new(id.index() + 1);
            let mut index = 0;
            while child < occurrences[id].end {
                let own = match body.expr(occurrences[id].expr).kind {
                    ExprKind::Binary(op, ..) => op.is_logical() && index > 0,
                    ExprKind::Select(..) | ExprKind::IfThenElse(..) => index > 0,
                    call @ ExprKind::Call { .. } => facts.effects.is_lazy(body, call, index),
                    ExprKind::Lambda { .. } => true,
                    _ => false,
                };
                let at = child.index() - self.start;
                self.flags.resize((at + 1).max(self.flags.len()), false);
                self.flags[at] = is_lazy || own;
                child = occurrences[child].end;
                index += 1;
            }
        }
    }
}

fn finding(
    facts: &FindingFacts<'_>,
    memory: &MemoryVersions<'_>,
    (load, class): (OccurrenceId, AliasClass),
    (allocation, made): (OpId, BufferId),
    around: Option<OpId>,
) -> Finding {
    let mut related = vec![Related { place: Place::Op(allocation), role: ALLOCATION }];
    if let Some(around) = around {
        let inside =
            |op: OpId| facts.scopes().order(op) > facts.scopes().order(around) && op != allocation;
        let write = memory.writes(class).find(|it| inside(it.0));
        related.extend(write.map(|it| Related { place: Place::Op(it.0), role: MAY_WRITE }));
    }
    let place = Place::Occurrence(load);
    let first = around.filter(|&it| matches!(facts.body.ops[it].kind, OpKind::For(_)));
    let shown = tiles::reached(facts, load, first).filter(|_| around == first);
    let is_shown = shown.is_some();
    let for_which = Word::Text(shown.unwrap_or_default().into());
    Finding {
        kind: FindingKind::ReadBeforeWrite,
        is_shown,
        place,
        message: match around {
            Some(_) if is_shown => {
                sentence![place, " is read", for_which, " before anything writes it"]
            }
            Some(_) => sentence![place, " may be read before anything writes it"],
            None => sentence![place, " is read", for_which, ", and nothing has written it"],
        },
        related,
        fix: first_value::fill(facts, load, made, allocation),
    }
}

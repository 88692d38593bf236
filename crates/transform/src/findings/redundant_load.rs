//! Redundant loads: the value is known by a name already.
//!
//! In: the facts. Out: a finding for each load of an element
//!
//! * that a name was bound to: `x = A[i]` (a binding, or a scalar of `tirx` that still holds it), and nothing wrote the
//!   element since;
//! * to which a variable was stored, and nothing wrote it since.
//!
//! Equal loads without a name are common subexpressions, and that pass reports them. Reading thread-local memory,
//! scalars of `tirx` among it, costs no more than reading a name, and is left alone. O(loads · log n).

use dataflow::{
    alias::Space,
    memory::{MemoryVersions, Origin},
};
use ir::{
    Body, BufferId, BufferOrigin, ExprId, ExprKind, OccurrenceId, OpId, OpKind, ValueId,
    plan::finding::{FindingFix, FixEdit, Place, Related, Replacement, Role},
};
use rules::{Fix, Rule, Severity};
use rustc_hash::FxHashMap;

use super::{
    Finding, FindingFacts, FindingKind, FindingRule, edit_title, sentence,
    stored::{Stored, loads, may_be_replaced, same_reads, sees_names_of, stored},
};

/// A load of a value that a name or an earlier store still holds.
pub(crate) const REDUNDANT_LOAD: FindingRule = FindingRule {
    rule: Rule::reported(
        "redundant-load",
        Severity::Hint,
        "a value is read from memory although a name or a store has it",
        "\
The element was read into a name, or stored, and nothing wrote it since.

```python
x: T.let[T.float32] = A[i]
B[i] = A[i] + 1.0         # the same as x + 1.0
```

The fix uses the name. Loads that are repeated without a name are common subexpressions.
",
    )
    .with_fix(Fix::OnRequest),
    plan,
    title: edit_title,
    is_unnecessary: false,
};

/// It holds the value.
const HOLDER: Role = Role("this holds the value");

fn plan(facts: &FindingFacts<'_>, found: &mut Vec<Finding>) {
    let memory = &facts.memory();
    let after_stores: FxHashMap<OccurrenceId, Stored> =
        stored(facts, memory).into_iter().map(|it| (it.load, it)).collect();
    let mut holders = Holders::default();
    for (load, buffer, version) in loads(facts, memory) {
        let here = facts.occurrences[load];
        let is_far = facts.aliases().space(facts.aliases().class(buffer)) != Space::Local;
        let is_known = !matches!(version.origin(), Origin::Load(_));
        if is_far && is_known && may_be_replaced(facts, load) {
            let stored = after_stores.get(&load).and_then(|it| stored_before(facts, it));
            found.extend(stored.or_else(|| holders.finding(facts, memory, load)));
        }
        holders.add(facts, load, here.op, here.expr);
    }
}

fn is_cell(body: &Body, buffer: BufferId) -> bool {
    body.buffers[buffer].origin == BufferOrigin::Cell
}

/// The element holds a variable. (Constants are not reported: TVM folds them when it reads the text, also where that
/// changes a float, `SEMANTICS: F3`.)
fn stored_before(facts: &FindingFacts<'_>, it: &Stored) -> Option<Finding> {
    let value = facts.occurrences[it.value].expr;
    let ExprKind::Value(value) = facts.body.expr(value).kind else { return None };
    let edit = FixEdit::Replace { occurrence: it.load, with: Replacement::Value(value) };
    let place = Place::Occurrence(it.load);
    Some(Finding {
        kind: FindingKind::RedundantLoad,
        is_shown: false,
        place,
        message: sentence![place, " still holds the value that was stored to it"],
        related: vec![Related { place: Place::Op(it.store), role: Role::STORED }],
        fix: Some(FindingFix::of(edit).resting_on([it.store])),
    })
}

/// A name that was given the value of a load.
#[derive(Clone, Copy)]
struct Holder {
    op: OpId,
    load: OccurrenceId,
    name: Name,
}

#[derive(Clone, Copy)]
enum Name {
    Value(ValueId),
    Cell(BufferId),
}

/// The latest names that hold loads, by the load's expression.
#[derive(Default)]
struct Holders {
    of: FxHashMap<ExprId, Vec<Holder>>,
    /// A place where a scalar is read by its name.
    reads: FxHashMap<BufferId, OccurrenceId>,
}

/// Names of one expression that are looked at.
const MAX_HOLDERS: usize = 8;

impl Holders {
    /// Takes in a load that has been looked at.
    fn add(&mut self, facts: &FindingFacts<'_>, load: OccurrenceId, op: OpId, expr: ExprId) {
        if let ExprKind::Load { buffer, .. } = facts.body.expr(expr).kind
            && is_cell(facts.body, buffer)
            && may_be_replaced(facts, load)
        {
            self.reads.entry(buffer).or_insert(load);
        }
        let here = facts.occurrences[load];
        if here.parent.is_some() || here.operand != 0 {
            return;
        }
        let data = &facts.body.ops[op];
        let name = match data.kind {
            OpKind::Bind => data.results.first().map(|&it| Name::Value(it)),
            OpKind::Store { buffer, predicated: false } if is_cell(facts.body, buffer) => {
                Some(Name::Cell(buffer))
            }
            _ => None,
        };
        if let Some(name) = name {
            self.of.entry(expr).or_default().push(Holder { op, load, name });
        }
    }

    fn finding(
        &self,
        facts: &FindingFacts<'_>,
        memory: &MemoryVersions<'_>,
        load: OccurrenceId,
    ) -> Option<Finding> {
        let here = facts.occurrences[load];
        let holder = self.of.get(&here.expr)?.iter().rev().take(MAX_HOLDERS).find(|it| {
            it.op != here.op
                && facts.scopes().order(it.op) < facts.scopes().order(here.op)
                && sees_names_of(facts.body, facts.scopes(), it.op, here.op)
                && same_reads(facts.body, facts.occurrences, memory, it.load, load)
                && still_holds(facts, memory, it, here.op)
                && !is_unwritten(facts.body, memory, load)
        })?;
        let (name, with) = match holder.name {
            Name::Value(value) => (Place::Value(value), Some(Replacement::Value(value))),
            Name::Cell(cell) => {
                (Place::Buffer(cell), self.reads.get(&cell).map(|&it| Replacement::Copy(it)))
            }
        };
        let place = Place::Occurrence(load);
        Some(Finding {
            kind: FindingKind::RedundantLoad,
            is_shown: false,
            place,
            message: sentence![place, " is read again while ", name, " holds it"],
            related: vec![
                Related { place: name, role: HOLDER },
                Related { place: Place::Op(holder.op), role: Role::SAME_VALUE },
            ],
            fix: with.map(|with| {
                let edit = FixEdit::Replace { occurrence: load, with };
                FindingFix::of(edit).resting_on([holder.op])
            }),
        })
    }
}

/// Returns true if a scalar has not been assigned since. A binding never is.
fn still_holds(
    facts: &FindingFacts<'_>,
    memory: &MemoryVersions<'_>,
    holder: &Holder,
    op: OpId,
) -> bool {
    match holder.name {
        Name::Value(_) => true,
        Name::Cell(cell) => {
            let class = facts.aliases().class(cell);
            memory.before(op, class).origin() == Origin::Write(holder.op)
                && !memory.is_written_by_operands(op, class)
        }
    }
}

/// Returns true if nothing has been written: then each read may give another value (`SEMANTICS: M3`).
fn is_unwritten(body: &Body, memory: &MemoryVersions<'_>, load: OccurrenceId) -> bool {
    match memory.of_load(load).map(|it| it.origin()) {
        Some(Origin::Write(op)) => matches!(body.ops[op].kind, OpKind::Alloc { .. }),
        _ => false,
    }
}

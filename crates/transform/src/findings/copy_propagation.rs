//! Copies: loads of an element that was copied from another one, which still holds the value.
//!
//! In: the facts. Out: a finding for each load of a value that a store `B[i] = A[j]` wrote, where neither has been
//! written since, if reading the original is better: it is nearer to the thread, or every load of the copy can do so,
//! which leaves the copy unused. A copy into nearer memory (`shared` from `global`, an allocation from a parameter) is
//! made on purpose and stays, and so does a copy in a scalar (`x = A[i]`) or a register: reading it costs nothing.
//! O(loads · log n).

use std::cmp::Ordering;

use dataflow::alias::{Reach, Space};
use ir::{
    BufferId, ExprKind,
    arena::Id as _,
    effects::is_register,
    plan::finding::{FindingFix, FixEdit, Place, Related, Replacement, Role},
};
use rules::{Fix, Rule, Severity};

use super::{
    Finding, FindingFacts, FindingKind, FindingRule, Word, definers_of, edit_title, sentence,
    stored::{MAX_SIZE, Stored, loads, may_be_replaced, stored},
};

/// A load of a copied value whose source still holds it.
pub(super) const COPY_PROPAGATION: FindingRule = FindingRule {
    rule: Rule::reported(
        "copy-propagation",
        Severity::Hint,
        "a value is read from a copy while the original still holds it",
        "\
A buffer element was copied, neither the copy nor the original was written since, and the copy is read.

```python
C[0] = B[0]
D[0] = C[0] + 1.0         # the same as B[0] + 1.0
```

The fix reads the original. The copy may become a dead store by that, and its buffer superfluous.
",
    )
    .with_fix(Fix::OnRequest),
    plan,
    title: edit_title,
    is_unnecessary: false,
};

/// Expressions of more nodes are not written out.
const MAX_NODES: u32 = 64;

/// It made the copy.
const COPY: Role = Role("copied here");

fn plan(facts: &FindingFacts<'_>, found: &mut Vec<Finding>) {
    let memory = &facts.memory();
    let aliases = facts.aliases();
    let mut copies: Vec<(Stored, Ordering)> = Vec::new();
    // By class: loads that read a copy, less all loads.
    let mut balance = vec![0i64; aliases.len()];
    for it in stored(facts, memory) {
        let value = facts.occurrences[it.value].expr;
        let ExprKind::Load { buffer: source, predicate: None, .. } = facts.body.expr(value).kind
        else {
            continue;
        };
        let order = distance(facts, source).cmp(&distance(facts, it.buffer));
        let holds = || {
            facts.body.expr(value).size <= MAX_SIZE
                && memory.reads_same_at(it.value, facts.occurrences[it.load].op)
        };
        let is_name = is_register(facts.body, facts.occurrences[it.load].expr);
        if source != it.buffer
            && !is_name
            && order.is_le()
            && may_be_replaced(facts, it.load)
            && holds()
        {
            balance[aliases.class(it.buffer).index()] += 1;
            copies.push((it, order));
        }
    }
    if copies.iter().any(|it| it.1.is_eq()) {
        loads(facts, memory).for_each(|it| balance[aliases.class(it.1).index()] -= 1);
    }
    for (it, order) in copies {
        let class = aliases.class(it.buffer);
        let is_left = balance[class.index()] == 0 && aliases.reach(class) == Reach::Private;
        if order.is_lt() || is_left {
            found.push(finding(facts, it));
        }
    }
}

/// Returns the distance of memory from the computing thread.
fn distance(facts: &FindingFacts<'_>, buffer: BufferId) -> u32 {
    let class = facts.aliases().class(buffer);
    match facts.aliases().space(class) {
        Space::Local => 0,
        Space::Shared => 1,
        Space::Other => 2,
        Space::Global => 3 + u32::from(facts.aliases().outlives(class)),
    }
}

fn finding(facts: &FindingFacts<'_>, it: Stored) -> Finding {
    let edit = FixEdit::Replace { occurrence: it.load, with: Replacement::Copy(it.value) };
    let place = Place::Occurrence(it.load);
    let source = facts.occurrences[it.value].expr;
    let source = match facts.body.expr(source).size {
        ..=MAX_NODES => Word::from(source),
        _ => "the source of the copy".into(),
    };
    Finding {
        kind: FindingKind::CopyPropagation,
        is_shown: false,
        place,
        message: sentence![place, " is a copy of ", source, ", and neither has changed since"],
        related: vec![Related { place: Place::Op(it.store), role: COPY }],
        fix: Some(
            FindingFix::of(edit)
                .resting_on(definers_of(facts.body, facts.occurrences, it.value))
                .resting_on([it.store]),
        ),
    }
}

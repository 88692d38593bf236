//! Statements that are never executed.
//!
//! In: control flow and the known conditions at each point. Out: a finding for the first statement of each list that is
//! never reached: after one that does not go on (`SEMANTICS: L6`), in an arm or body whose condition is never true
//! (`L7`, `L5`), in a loop without iterations (`L2`). The contents of an unreachable statement are not reported again.
//! O(operations + conditions).

use arith::Overflow;
use ir::{
    BlockId, OpId, OpKind, RegionId,
    plan::finding::{FindingFix, FixEdit, Place, Related, Role},
    walk::WalkEvent,
};
use rules::{Fix, Rule, Severity};
use rustc_hash::FxHashMap;

use super::{
    Finding, FindingFacts, FindingKind, FindingRule,
    conditions::{Known, fix, known},
    edit_title, sentence,
};

/// Statements that cannot be executed.
pub(super) const UNREACHABLE: FindingRule = FindingRule {
    rule: Rule::reported(
        "unreachable",
        Severity::Information,
        "statements that are never executed",
        "\
They follow a `return`, `break` or `continue`, stand in an arm whose condition is never true, or in a loop without \
iterations.

```python
for i in range(0):
    A[i] = 0.0            # no iteration
```

The fix removes them.
",
    )
    .with_fix(Fix::OnRequest),
    plan,
    title: edit_title,
    is_unnecessary: true,
};

/// Nothing after it is executed.
const ENDS: Role = Role("nothing after this is executed");

fn plan(facts: &FindingFacts<'_>, found: &mut Vec<Finding>) {
    let never = never_entered(facts);
    let mut skipped: Option<RegionId> = None;
    for event in facts.body.walk(facts.body.root) {
        match event {
            WalkEvent::EnterRegion(region) if skipped.is_none() => {
                if let Some((finding, region)) = never.get(&region).map(|it| (it, region)) {
                    found.extend(finding.clone());
                    skipped = Some(region);
                } else {
                    for &block in &facts.body.regions[region].blocks {
                        found.extend(after_end(facts, block));
                    }
                }
            }
            WalkEvent::LeaveRegion(region) if skipped == Some(region) => skipped = None,
            _ => {}
        }
    }
}

/// The regions that are never entered, each with its finding; none for one that is empty.
fn never_entered(facts: &FindingFacts<'_>) -> FxHashMap<RegionId, Option<Finding>> {
    let body = facts.body;
    let mut never = FxHashMap::default();
    for known in known(facts) {
        let here = facts.occurrences[known.occurrence];
        let data = &body.ops[here.op];
        let arm = match (data.kind, here.parent, known.value) {
            (OpKind::If, None, value) => usize::from(value),
            (OpKind::While, None, false) => 0,
            _ => continue,
        };
        if let Some(&region) = data.regions.get(arm) {
            never.insert(region, in_arm(facts, &known, region));
        }
    }
    for op in body.ops_preorder() {
        if let (OpKind::For(_), &[_, extent]) = (body.ops[op].kind, &body.ops[op].operands[..]) {
            let context = facts.conditions().before(op);
            let mut analyzer = facts.analyzer();
            let bound = analyzer.facts_with(Overflow::Excluded, context, extent).interval;
            if bound.max <= 0 && !analyzer.is_contradiction(Overflow::Excluded, context) {
                let region = body.ops[op].regions[0];
                never.insert(region, in_loop(facts, op, region));
            }
        }
    }
    never
}

fn first_of(facts: &FindingFacts<'_>, region: RegionId) -> Option<OpId> {
    let block = facts.body.regions[region].blocks.first()?;
    facts.body.blocks[*block].ops.first().copied()
}

fn in_arm(facts: &FindingFacts<'_>, known: &Known, region: RegionId) -> Option<Finding> {
    let related = Related { place: Place::Occurrence(known.occurrence), role: Role::DECIDES };
    Some(Finding {
        kind: FindingKind::Unreachable,
        is_shown: false,
        place: Place::Op(first_of(facts, region)?),
        message: sentence!["this is never executed: its condition is never true"],
        related: vec![related],
        fix: fix(facts, known),
    })
}

fn in_loop(facts: &FindingFacts<'_>, op: OpId, region: RegionId) -> Option<Finding> {
    let may_go = facts.body.ops[op].operands.iter().all(|&it| facts.deletable().may_go(it));
    Some(Finding {
        kind: FindingKind::Unreachable,
        is_shown: false,
        place: Place::Op(first_of(facts, region)?),
        message: sentence!["this is never executed: the loop around it runs no iteration"],
        related: vec![Related { place: Place::Op(op), role: Role::LOOP }],
        fix: may_go.then(|| FindingFix::of(FixEdit::RemoveOp(op))),
    })
}

/// Finds the statements after one that does not continue.
fn after_end(facts: &FindingFacts<'_>, block: BlockId) -> Option<Finding> {
    let ops = &facts.body.blocks[block].ops;
    let end = ops.iter().position(|&op| !facts.flow().goes_on(op))?;
    let first = *ops.get(end + 1)?;
    Some(Finding {
        kind: FindingKind::Unreachable,
        is_shown: false,
        place: Place::Op(first),
        message: sentence!["this is never executed: the statement before it does not continue"],
        related: vec![Related { place: Place::Op(ops[end]), role: ENDS }],
        fix: Some(FindingFix {
            edits: ops[end + 1..].iter().map(|&it| FixEdit::RemoveOp(it)).collect(),
            rests_on: vec![ops[end]],
        }),
    })
}

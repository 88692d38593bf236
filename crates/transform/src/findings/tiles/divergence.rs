//! Barriers that only a part of a warp reaches.
//!
//! In: the facts. Out: a finding for each `T.sync_threads()` under conditions (or in loops) of which threads of one
//! warp disagree: those that reach it wait for those that never come. A barrier for whole warps is right: TileLang
//! makes it one for their number of threads (its `ThreadPartialSyncRewriter`). Every condition around must be
//! evaluated. A warp is taken to have 32 threads; where it has more, nothing is told too much. O(barriers · threads).

use ir::{Callee, ExprKind, Intrinsic, OpKind, plan::finding::Place};
use rules::{Rule, Severity};

use super::{
    super::{Finding, FindingFacts, FindingKind, FindingRule, Sentence, Word, edit_title},
    around::{self, Around},
    told,
    witness::{Key, Values, domain, evaluate},
};

/// A barrier that a part of a warp reaches.
pub(in super::super) const DIVERGENT_BARRIER: FindingRule = FindingRule {
    rule: Rule::reported(
        "divergent-barrier",
        Severity::Error,
        "a barrier that only some threads of a warp reach",
        "\
All threads of a block wait at `T.sync_threads()` until all of them are there. Here a condition lets only some threads \
of a warp come to it (or lets them come more often than others), so that the kernel hangs.

```python
with T.Kernel(4, threads=128) as bx:
    tx = T.get_thread_binding()
    if tx < 16:
        S[tx] = A[tx]
        T.sync_threads()          # thread 16 never comes
```

Put the barrier behind the `if`. Whole warps may wait by themselves: `if tx < 64`, `with T.ws(0)`.
",
    ),
    plan,
    title: edit_title,
    is_unnecessary: false,
};

/// The threads of a warp.
const WARP: i128 = 32;
/// The most threads of a block.
const MOST_THREADS: i128 = 1024;

fn plan(facts: &FindingFacts<'_>, found: &mut Vec<Finding>) {
    let (body, occurrences) = (facts.body, facts.occurrences);
    if super::launches(body).next().is_none() || around::has_jumps(body, occurrences) {
        return;
    }
    for op in body.ops_preorder() {
        if body.ops[op].kind != OpKind::Evaluate {
            continue;
        }
        let Some(&call) = body.ops[op].operands.first() else { continue };
        let is_barrier = match body.expr(call).kind {
            ExprKind::Call { callee: Callee::Intrinsic(_, it), args, .. } => {
                it == Intrinsic::StorageSync && body.items(args).len() == 1
            }
            _ => false,
        };
        if !is_barrier {
            continue;
        }
        let Some(around) = around::of_op(facts, op) else { continue };
        let Some([comes, stays]) = apart(facts, &around) else { continue };
        let place = Place::Op(op);
        let text = format!(
            " is reached by thread {comes}, and not as often by thread {stays} of the same warp"
        );
        let message = Sentence::of([place.into(), Word::Text(text.into())]);
        found.push(told(FindingKind::DivergentBarrier, place, message));
    }
}

/// Two threads of a warp that come to a place unequally often.
fn apart(facts: &FindingFacts<'_>, around: &Around) -> Option<[i128; 2]> {
    let [x, y, z] = around.threads;
    let (x, y, z) = (x?, y?, z?);
    let count = x.checked_mul(y)?.checked_mul(z)?;
    if !(1..=MOST_THREADS).contains(&count) || around.guards.is_empty() && around.loops.is_empty() {
        return None;
    }
    let mut first: Option<(i128, i128)> = None;
    for thread in 0..count {
        ir::interrupt::check();
        let values = [(0, thread % x), (1, thread / x % y), (2, thread / x / y)];
        let values = values.into_iter().map(|(axis, it)| (Key::Thread(axis), it)).collect();
        let times = times(facts, around, values)?;
        match first {
            Some((other, others)) if thread % WARP != 0 => {
                if times != others {
                    return Some(if times > others { [thread, other] } else { [other, thread] });
                }
            }
            _ => first = Some((thread, times)),
        }
    }
    None
}

/// How often a thread comes to a place in the first iterations of the loops around, at most as often as they have
/// iterations; loops whose number is not known are the same for all.
fn times(facts: &FindingFacts<'_>, around: &Around, mut values: Values) -> Option<i128> {
    let body = facts.body;
    let mut times: i128 = 1;
    for it in &around.loops {
        let mut names = super::witness::Names::default();
        names.add(body, it.extent);
        names.add(body, it.min);
        let is_of_threads =
            names.is_private || names.keys.iter().any(|it| matches!(it, Key::Thread(_)));
        let (min, count) = match domain(body, &values, it) {
            Some((min, count, _)) => (min, count),
            None if is_of_threads => return None,
            None => match evaluate(body, &values, it.min) {
                Some(min) => (min, 1),
                None => continue,
            },
        };
        times = times.checked_mul(count)?;
        values.push((Key::Loop(it.var), min));
    }
    for &(guard, holds) in &around.guards {
        if (evaluate(body, &values, guard)? != 0) != holds {
            times = 0;
        }
    }
    Some(times)
}

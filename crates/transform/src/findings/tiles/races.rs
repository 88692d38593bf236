//! Iterations of `T.Parallel` that write one element.
//!
//! In: the facts. Out: a finding for each store in a `T.Parallel` to memory that threads share (or a fragment) where
//! two iterations write one element, with both: a loop of known extent that neither the indices nor any guard name, or
//! two iterations found by evaluation. The stored values must differ: the value names what the iterations differ in,
//! or reads the element. A store of one value by all is no mistake, and a sum in a fragment may be one of a reducer.
//! O(stores · iterations, with a limit).

use ir::{Body, BufferId, ExprId, ExprKind, ForKind, OpId, OpKind, plan::finding::Place};
use rules::{Rule, Severity};
use rustc_hash::FxHashMap;

use super::{
    super::{Finding, FindingFacts, FindingKind, FindingRule, Sentence, Word, edit_title},
    around::{self, Around, Loop},
    told,
    witness::{Key, Names, Values, domain, evaluate},
};

/// Two iterations of a parallel loop write one element.
pub(in super::super) const PARALLEL_RACE: FindingRule = FindingRule {
    rule: Rule::reported(
        "parallel-race",
        Severity::Warning,
        "two iterations of `T.Parallel` write one element",
        "\
The iterations of `T.Parallel` are executed by different threads, in no order. Here two of them write one element, and \
different values: which one stays, nobody knows.

```python
for i, j in T.Parallel(64, 32):
    S[i] = S[i] + A[i, j]        # j = 0 and j = 1 both write S[i]
```

Sum with `T.reduce_sum`, use `T.atomic_add`, or make the loop over `j` a `T.serial`.
",
    ),
    plan,
    title: edit_title,
    is_unnecessary: false,
};

/// Iterations that are looked at.
const MOST_ITERATIONS: i128 = 4096;

fn plan(facts: &FindingFacts<'_>, found: &mut Vec<Finding>) {
    let (body, occurrences) = (facts.body, facts.occurrences);
    if super::launches(body).next().is_none() || around::has_jumps(body, occurrences) {
        return;
    }
    for op in body.ops_preorder() {
        let OpKind::Store { buffer, predicated: false } = body.ops[op].kind else { continue };
        let scope = body.buffers[buffer].scope;
        if scope.is_local() && !scope.is_fragment() || body.has_unknown_rank(buffer) {
            continue;
        }
        let Some(around) = around::of_op(facts, op) else { continue };
        let parallel: Vec<&Loop> =
            around.loops.iter().filter(|it| it.kind == ForKind::Parallel).collect();
        let is_inside = |it: &&Loop| {
            facts.maker(buffer).is_some_and(|maker| {
                facts.scopes().is_ancestor(
                    facts.scopes().of_block(body.entry(body.ops[it.op].regions[0])),
                    facts.scopes().of_op(maker),
                )
            })
        };
        if parallel.is_empty() || parallel.iter().any(is_inside) {
            continue;
        }
        let Some(both) =
            free(body, op, &around, &parallel).or_else(|| met(body, op, &around, &parallel))
        else {
            continue;
        };
        let place = Place::Op(op);
        let text = format!(
            ": the iterations {both} of `T.Parallel` write one element of `{}`, in no order",
            body.name(body.buffers[buffer].name)
        );
        let message = Sentence::of([place.into(), Word::Text(text.into())]);
        found.push(told(FindingKind::ParallelRace, place, message));
    }
}

/// The value and the indices of a store.
fn parts(body: &Body, op: OpId) -> (ExprId, &[ExprId]) {
    let operands = &body.ops[op].operands;
    (operands[0], &operands[1..])
}

/// The names in the indices and in what decides whether a store is reached; none if threads may find two values.
fn deciding(body: &Body, op: OpId, around: &Around) -> Option<Names> {
    let mut names = Names::default();
    parts(body, op).1.iter().for_each(|&it| names.add(body, it));
    around.guards.iter().for_each(|it| names.add(body, it.0));
    for it in &around.loops {
        names.add(body, it.min);
        names.add(body, it.extent);
    }
    (!names.is_private).then_some(names)
}

/// Returns true if the stored value differs between iterations that differ in these variables: it names one, or reads
/// the element.
fn differs(body: &Body, op: OpId, keys: &[Key]) -> bool {
    let (value, indices) = parts(body, op);
    let OpKind::Store { buffer, .. } = body.ops[op].kind else { return false };
    let scope = body.buffers[buffer].scope;
    if !scope.is_global() && !scope.is_shared() && reads(body, value, buffer) {
        return false;
    }
    let mut names = Names::default();
    names.add(body, value);
    if keys.iter().any(|&it| names.has(it)) {
        return true;
    }
    let mut stack = vec![value];
    let mut nodes = 0;
    while let Some(expr) = stack.pop() {
        nodes += 1;
        let kind = body.expr(expr).kind;
        match kind {
            ExprKind::Load { buffer: read, indices: at, .. }
                if read == buffer && body.items(at) == indices =>
            {
                // Of two sums one is lost, but a reducer (`T.alloc_reducer`), a fragment to this IR, keeps them all. A
                // store of the element itself changes nothing.
                return expr != value;
            }
            _ if nodes > MOST_ITERATIONS => return false,
            _ => body.each_child(kind, &mut |it| stack.push(it)),
        }
    }
    false
}

/// Returns true if an expression reads a buffer.
fn reads(body: &Body, expr: ExprId, buffer: BufferId) -> bool {
    let mut stack = vec![expr];
    let mut seen = rustc_hash::FxHashSet::default();
    while let Some(expr) = stack.pop() {
        if !seen.insert(expr) {
            continue;
        }
        let kind = body.expr(expr).kind;
        if matches!(kind, ExprKind::Load { buffer: read, .. } if read == buffer) {
            return true;
        }
        body.each_child(kind, &mut |it| stack.push(it));
    }
    false
}

/// A loop of at least two iterations that no index and no guard names.
fn free(body: &Body, op: OpId, around: &Around, parallel: &[&Loop]) -> Option<String> {
    let names = deciding(body, op, around)?;
    let it = parallel.iter().find(|it| {
        let key = Key::Loop(it.var);
        let count = domain(body, &[], it).map_or(0, |it| it.1);
        count >= 2 && !names.has(key) && differs(body, op, &[key])
    })?;
    let (min, _, step) = domain(body, &[], it)?;
    let name = body.name(body.values[it.var].name);
    Some(format!("`{name}` = {min} and `{name}` = {}", min + step))
}

/// Two iterations that evaluation finds at one element.
fn met(body: &Body, op: OpId, around: &Around, parallel: &[&Loop]) -> Option<String> {
    let names = deciding(body, op, around)?;
    if names.keys.iter().any(|it| matches!(it, Key::Thread(_))) {
        return None;
    }
    let (value, indices) = parts(body, op);
    let mut outside = Values::new();
    let mut domains = Vec::new();
    let mut total: i128 = 1;
    for it in &around.loops {
        let is_parallel = it.kind == ForKind::Parallel;
        match domain(body, &outside, it) {
            Some((_, 0, _)) => return None,
            Some(found) if is_parallel => {
                total = total.checked_mul(found.1)?;
                domains.push(found);
            }
            Some((min, ..)) => outside.push((Key::Loop(it.var), min)),
            None if is_parallel => return None,
            None => {
                outside.extend(evaluate(body, &outside, it.min).map(|min| (Key::Loop(it.var), min)))
            }
        }
    }
    if total > MOST_ITERATIONS {
        return None;
    }
    let mut at: FxHashMap<Vec<i128>, Values> = FxHashMap::default();
    for number in 0..total {
        ir::interrupt::check();
        let mut rest = number;
        let mut iteration = Values::new();
        for (it, &(min, count, step)) in parallel.iter().zip(&domains).rev() {
            iteration.push((Key::Loop(it.var), min + rest % count * step));
            rest /= count;
        }
        let values: Values = outside.iter().chain(&iteration).copied().collect();
        let mut is_reached = true;
        for &(guard, holds) in &around.guards {
            is_reached &= (evaluate(body, &values, guard)? != 0) == holds;
        }
        if !is_reached {
            continue;
        }
        let element: Option<Vec<i128>> =
            indices.iter().map(|&it| evaluate(body, &values, it)).collect();
        let Some(other) = at.insert(element?, iteration.clone()) else { continue };
        let differing: Vec<Key> =
            iteration.iter().zip(&other).filter(|it| it.0 != it.1).map(|it| it.0.0).collect();
        let others: Values = outside.iter().chain(&other).copied().collect();
        let [a, b] = [&values, &others].map(|it| evaluate(body, it, value));
        if a.is_some() && a == b || !differs(body, op, &differing) {
            return None;
        }
        return Some(format!("{} and {}", words(&other), words(&iteration)));
    }
    None
}

/// An iteration: `(1, 2)`.
fn words(iteration: &Values) -> String {
    let all: Vec<String> = iteration.iter().rev().map(|it| it.1.to_string()).collect();
    format!("({})", all.join(", "))
}

//! Iterations of `T.Parallel`, and threads of a block, that write one element.
//!
//! In: the facts. Out: a finding for each store in a `T.Parallel` to memory that threads share (or a fragment) where
//! two iterations write one element, with both: a loop of known extent that neither the indices nor any guard name, or
//! two iterations found by evaluation. The stored values must differ: the value names what the iterations differ in,
//! or reads the element. A store of one value by all is no mistake, and a sum in a fragment may be one of a reducer. A
//! scalar of `T.alloc_var` is each thread's own.
//! O(stores · iterations, with a limit).

use ir::{Body, BufferId, ExprId, ExprKind, ForKind, OpId, OpKind, ValueId, plan::finding::Place};
use rules::{Rule, Severity};
use rustc_hash::FxHashMap;

use super::{
    super::{Finding, FindingFacts, FindingKind, FindingRule, Sentence, Word, edit_title},
    around::{self, Around, Loop},
    linear::coefficient,
    told,
    witness::{Key, Names, Values, domain, evaluate},
};

/// Two iterations of a parallel loop write one element.
pub(in super::super) const PARALLEL_RACE: FindingRule = FindingRule {
    rule: Rule::reported(
        "parallel-race",
        Severity::Error,
        "two iterations of `T.Parallel`, or two threads, write one element",
        "\
The iterations of `T.Parallel` are executed by different threads, in no order. Here two of them write one element, and \
different values: which one stays, nobody knows.

```python
for i, j in T.Parallel(64, 32):
    S[i] = S[i] + A[i, j]        # j = 0 and j = 1 both write S[i]
```

Sum with `T.reduce_sum`, use `T.atomic_add`, or make the loop over `j` a `T.serial`.

Also told of what all threads of a block execute, outside of `T.Parallel`, where two of them write different values to one \
element of shared or global memory: `S[tx // 2] = A[tx]`.
",
    ),
    plan,
    title: edit_title,
    is_unnecessary: false,
};

/// Iterations that are looked at.
const MOST_ITERATIONS: i128 = 4096;

fn plan(facts: &FindingFacts<'_>, found: &mut Vec<Finding>) {
    let body = facts.body;
    each_store(facts, &mut |store| {
        let Meeting::Of(both) = meeting(body, store) else { return };
        let place = Place::Op(store.op);
        let text = format!(
            ": the iterations {both} of `T.Parallel` write one element of `{}`, in no order",
            body.name(body.buffers[store.buffer].name)
        );
        let message = Sentence::of([place.into(), Word::Text(text.into())]);
        found.push(told(FindingKind::ParallelRace, place, message));
    });
    of_threads(facts, found);
}

/// Stores that threads of a block execute at the same time.
fn of_threads(facts: &FindingFacts<'_>, found: &mut Vec<Finding>) {
    let (body, occurrences) = (facts.body, facts.occurrences);
    if super::launches(body).next().is_none() || around::has_jumps(body, occurrences) {
        return;
    }
    for op in body.ops_preorder() {
        let OpKind::Store { buffer, predicated: false } = body.ops[op].kind else { continue };
        let Some([one, other]) = threads_met(facts, op, buffer) else { continue };
        let place = Place::Op(op);
        let text = format!(
            ": threads {one} and {other} of a block write one element of `{}`, in no order",
            body.name(body.buffers[buffer].name)
        );
        let message = Sentence::of([place.into(), Word::Text(text.into())]);
        found.push(told(FindingKind::ParallelRace, place, message));
    }
}

/// A store in a `T.Parallel` to memory that its iterations share.
pub(super) struct Store<'a> {
    pub(super) op: OpId,
    pub(super) buffer: BufferId,
    around: &'a Around,
    parallel: Vec<&'a Loop>,
}

impl Store<'_> {
    /// The indices.
    pub(super) fn indices<'b>(&self, body: &'b Body) -> &'b [ExprId] {
        parts(body, self.op).1
    }
}

/// The answer to whether two iterations write one element.
#[derive(PartialEq, Eq)]
pub(super) enum Meeting {
    /// These do.
    Of(String),
    /// All were looked at, and none do, or what they write is one value.
    None,
    /// That is not known.
    Unknown,
}

/// Calls `visit` with each store in a `T.Parallel` to memory that its iterations share.
pub(super) fn each_store(facts: &FindingFacts<'_>, visit: &mut dyn FnMut(&Store<'_>)) {
    let (body, occurrences) = (facts.body, facts.occurrences);
    if super::launches(body).next().is_none() || around::has_jumps(body, occurrences) {
        return;
    }
    for op in body.ops_preorder() {
        let OpKind::Store { buffer, predicated: false } = body.ops[op].kind else { continue };
        let scope = body.buffers[buffer].scope;
        let is_of_thread = scope.is_local() || body.is_variable_of_thread(scope);
        if is_of_thread || body.has_unknown_rank(buffer) {
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
        visit(&Store { op, buffer, around: &around, parallel });
    }
}

/// Tells whether two iterations of a store meet.
pub(super) fn meeting(body: &Body, store: &Store<'_>) -> Meeting {
    let Store { op, around, parallel, .. } = store;
    match free(body, *op, around, parallel) {
        Some(both) => Meeting::Of(both),
        None => met(body, *op, around, parallel).unwrap_or(Meeting::Unknown),
    }
}

/// A variable of a parallel loop of which the indices do not show that two of its values write two elements, and in
/// which what is stored may differ.
pub(super) fn unresolved(body: &Body, store: &Store<'_>) -> Option<ValueId> {
    let mut left: Vec<(ValueId, Option<i128>)> = Vec::new();
    for it in &store.parallel {
        match domain(body, &[], it) {
            Some((_, count, _)) if count <= 1 => {}
            known => left.push((it.var, known.map(|it| it.1))),
        }
    }
    while !left.is_empty() {
        let mut all = store.indices(body).iter();
        let Some(resolved) = all.find_map(|&it| told_apart(body, it, &left)) else { break };
        left.retain(|it| !resolved.contains(&it.0));
    }
    let &(var, _) = left.first()?;
    differs(body, store.op, &[Key::Loop(var)]).then_some(var)
}

/// The variables that two equal values of an index have to have in common, where those that are not listed are.
fn told_apart(
    body: &Body,
    index: ExprId,
    left: &[(ValueId, Option<i128>)],
) -> Option<Vec<ValueId>> {
    let mut steps = Vec::new();
    for &(var, count) in left {
        match coefficient(body, index, var)? {
            0 => {}
            by => steps.push((by.checked_abs()?, var, count)),
        }
    }
    steps.sort_unstable_by_key(|it| it.0);
    // As digits: each step is longer than all that the smaller ones make up.
    let mut reach: i128 = 0;
    for (number, &(by, _, count)) in steps.iter().enumerate() {
        if by <= reach {
            return None;
        }
        match count {
            Some(count) => reach = reach.checked_add(by.checked_mul(count - 1)?)?,
            None if number + 1 == steps.len() => {}
            None => return None,
        }
    }
    let all: Vec<ValueId> = steps.into_iter().map(|it| it.1).collect();
    (!all.is_empty()).then_some(all)
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

/// Tells whether evaluation finds two iterations at one element; none if something cannot be evaluated.
fn met(body: &Body, op: OpId, around: &Around, parallel: &[&Loop]) -> Option<Meeting> {
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
            Some((_, 0, _)) => return Some(Meeting::None),
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
        if a.is_some() && a == b
            || !differs(body, op, &differing)
            || is_same(body, value, &values, &others)
        {
            return Some(Meeting::None);
        }
        return Some(Meeting::Of(format!("{} and {}", words(&other), words(&iteration))));
    }
    Some(Meeting::None)
}

/// Returns true if an expression is one value for two sets of values: all in it that follows from them is.
fn is_same(body: &Body, expr: ExprId, one: &Values, other: &Values) -> bool {
    match (evaluate(body, one, expr), evaluate(body, other, expr)) {
        (Some(a), Some(b)) => return a == b,
        (None, None) => {}
        _ => return false,
    }
    let kind = body.expr(expr).kind;
    if let ExprKind::Value(value) = kind {
        let of = super::witness::definition(body, value);
        return of.is_none_or(|it| ir::stack::with_room(|| is_same(body, it, one, other)));
    }
    let mut is_same_below = true;
    body.each_child(kind, &mut |it| {
        is_same_below = is_same_below && ir::stack::with_room(|| is_same(body, it, one, other));
    });
    is_same_below
}

/// Two threads of a block that write one element and different values, where all of them come to the store: outside of
/// `T.Parallel`, under conditions and at indices that follow from the index of the thread.
fn threads_met(facts: &FindingFacts<'_>, op: OpId, buffer: BufferId) -> Option<[i128; 2]> {
    let body = facts.body;
    let scope = body.buffers[buffer].scope;
    if !scope.is_global() && !scope.is_plain_shared() || body.has_unknown_rank(buffer) {
        return None;
    }
    let (value, indices) = parts(body, op);
    let mut names = Names::default();
    names.add(body, value);
    if !names.keys.iter().any(|it| matches!(it, Key::Thread(_))) {
        return None;
    }
    let around = around::of_op(facts, op)?;
    if around.loops.iter().any(|it| it.kind == ForKind::Parallel) {
        return None;
    }
    deciding(body, op, &around)?;
    let [x, y, z] = around.threads;
    let (x, y, z) = (x?, y?, z?);
    let count = x.checked_mul(y)?.checked_mul(z)?;
    if !(2..=MOST_THREADS).contains(&count) {
        return None;
    }
    let mut at: FxHashMap<Vec<i128>, (i128, Values)> = FxHashMap::default();
    for thread in 0..count {
        ir::interrupt::check();
        let place = [(0, thread % x), (1, thread / x % y), (2, thread / x / y)];
        let mut values: Values =
            place.into_iter().map(|(axis, it)| (Key::Thread(axis), it)).collect();
        for it in &around.loops {
            let min = match domain(body, &values, it) {
                Some((_, 0, _)) => return None,
                Some((min, ..)) => min,
                None => evaluate(body, &values, it.min)?,
            };
            values.push((Key::Loop(it.var), min));
        }
        let mut is_reached = true;
        for &(guard, holds) in &around.guards {
            is_reached &= (evaluate(body, &values, guard)? != 0) == holds;
        }
        if !is_reached {
            continue;
        }
        let element: Option<Vec<i128>> =
            indices.iter().map(|&it| evaluate(body, &values, it)).collect();
        match at.get(element.as_deref()?) {
            Some((other, others)) if !is_same(body, value, &values, others) => {
                return Some([*other, thread]);
            }
            Some(_) => {}
            None => drop(at.insert(element?, (thread, values))),
        }
    }
    None
}

/// The most threads of a block.
const MOST_THREADS: i128 = 1024;

/// An iteration: `(1, 2)`.
fn words(iteration: &Values) -> String {
    let all: Vec<String> = iteration.iter().rev().map(|it| it.1.to_string()).collect();
    format!("({})", all.join(", "))
}

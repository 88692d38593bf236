//! Waits between warps that nothing ends.
//!
//! In: the facts. Out: a finding where threads of a block that do different things (`with T.ws(0)`, `if tx < 128`) wait
//! for phases of barriers, one or a ring of them, and come to a state in which all that are left wait: nobody is there
//! to end a phase. The arrivals and waits of each group of threads are listed in order, with the values of loops, and
//! followed together. The threads hang whether they run as far ahead as they can, in turns, or keep step at each
//! iteration, so that it is no question of time. A barrier that is used in another way never holds up who waits for it;
//! a group of which not all is followed (a loop of unknown or many iterations) may still end any phase. O(uses), a
//! bounded number of steps.

use ir::{
    Attr, Body, BufferId, Callee, ExprId, ExprKind, ForKind, Intrinsic, OccurrenceId, OpKind,
    plan::finding::{Place, Related},
};
use rustc_hash::FxHashSet;

use super::{
    super::{Finding, FindingFacts, FindingKind, Sentence, Word},
    around::{self, Loop},
    extents::number,
    phases::{ARRIVE, BARRIER_INIT, MADE, for_which, is_given, may_name_barriers, wait},
    told,
    witness::{Key, Names, Values, evaluate},
};

/// The most threads of a block.
const MOST_THREADS: i128 = 1024;
/// Groups of threads that are followed.
const MOST_GROUPS: usize = 8;
/// Iterations of a loop that are followed.
const MOST_ITERATIONS: i128 = 16;
/// Arrivals and waits that are followed of one group.
const MOST_EVENTS: usize = 512;

/// A use of a barrier.
struct Use {
    at: OccurrenceId,
    barrier: BufferId,
    /// Which one of a ring.
    element: Option<ExprId>,
    /// None for an arrival.
    parity: Option<ExprId>,
    loops: Vec<Loop>,
    guards: Vec<(ExprId, bool)>,
}

/// Threads that do the same.
struct Group {
    first: i128,
    count: i128,
    last: i128,
    values: Values,
}

/// An arrival or a wait of a group.
struct Event {
    of: usize,
    /// The barrier, and which one of a ring.
    barrier: (BufferId, i128),
    parity: Option<i128>,
    /// The values of the loops around.
    values: Values,
    /// The iteration of the outermost loop.
    round: i128,
}

/// The events of a group.
#[derive(Default)]
struct Trace {
    events: Vec<Event>,
    /// There is more.
    is_cut: bool,
}

/// The findings of a body.
pub(super) fn plan(facts: &FindingFacts<'_>, found: &mut Vec<Finding>) {
    let (body, occurrences) = (facts.body, facts.occurrences);
    let mut launches = super::launches(body);
    let (Some(_), None) = (launches.next(), launches.next()) else { return };
    if !body.buffers.iter().any(|(it, _)| n_barriers(body, it).is_some())
        || around::has_jumps(body, occurrences)
        || occurrences.iter().any(|(_, it)| may_name_barriers(body, body.expr(it.expr).kind))
        || has_barriers_of_blocks(facts)
    {
        return;
    }
    let Some((uses, threads)) = uses(facts) else { return };
    let Some(groups) = groups(body, &uses, threads).filter(|it| it.len() > 1) else { return };
    let traces = groups.iter().map(|it| trace(body, &uses, it)).collect::<Option<Vec<_>>>();
    let Some(traces) = traces else { return };
    let mut blocked = None;
    for schedule in [Schedule::Ahead, Schedule::InTurns, Schedule::InStep] {
        match hang(body, &groups, &traces, schedule) {
            // The state is told in which the threads run ahead.
            Some(it) => blocked = blocked.or(Some(it)),
            None => return,
        }
    }
    let Some((group, event, ended)) = blocked else { return };
    let event = &traces[group].events[event];
    let wait = &uses[event.of];
    let place = Place::Occurrence(wait.at);
    if found.iter().any(|it| it.place == place) {
        return;
    }
    let Group { first, last, .. } = groups[group];
    let which = if first == last {
        format!("thread {first}")
    } else {
        format!("threads {first} to {last}")
    };
    let name = body.name(body.buffers[wait.barrier].name);
    let name = match n_barriers(body, wait.barrier) {
        Some(1) => format!("`{name}`"),
        _ => format!("`{name}[{}]`", event.barrier.1),
    };
    let phases = match ended {
        0 => "no phase".to_owned(),
        1 => "one phase".to_owned(),
        n => format!("{n} phases"),
    };
    let text = format!(
        " holds {which} up for ever{}: {phases} of {name} ended, and all threads that are left wait",
        for_which(body, &event.values)
    );
    let message = Sentence::of([place.into(), Word::Text(text.into())]);
    let mut finding = told(FindingKind::BarrierPhase, place, message);
    finding.related.push(Related { place: Place::Buffer(wait.barrier), role: MADE });
    found.push(finding);
}

/// Returns true if all threads of the block meet somewhere: who waits where is then told by that, too.
fn has_barriers_of_blocks(facts: &FindingFacts<'_>) -> bool {
    facts.occurrences.iter().any(|(_, it)| match facts.body.expr(it.expr).kind {
        ExprKind::Call { callee: Callee::Intrinsic(_, it), .. } => {
            matches!(it, Intrinsic::StorageSync | Intrinsic::BlockSync)
        }
        _ => false,
    })
}

/// How many barriers a buffer is.
fn n_barriers(body: &Body, buffer: BufferId) -> Option<i64> {
    let data = &body.buffers[buffer];
    let [shape] = data.shape[..] else { return None };
    let count = number(body, shape)?;
    (0..count.min(1)).all(|it| expected(body, buffer, it.into()).is_some()).then_some(count)
}

/// The arrivals that end a phase of a barrier.
fn expected(body: &Body, buffer: BufferId, element: i128) -> Option<i128> {
    let attrs = body.dict(body.buffers[buffer].attrs);
    let count = match &attrs.iter().find(|it| &*it.0 == BARRIER_INIT)?.1 {
        Attr::Int(it, _) => *it,
        Attr::List(items) => match items.get(usize::try_from(element).ok()?)? {
            Attr::Int(it, _) => *it,
            _ => return None,
        },
        _ => return None,
    };
    (count > 0).then_some(i128::from(count))
}

/// The uses of barriers of which all is known, in order, and the threads of the block.
fn uses(facts: &FindingFacts<'_>) -> Option<(Vec<Use>, i128)> {
    let (body, occurrences) = (facts.body, facts.occurrences);
    let (mut all, mut unknown) = (Vec::new(), FxHashSet::default());
    let mut threads = None;
    for (id, occurrence) in occurrences.iter() {
        let (buffer, element) = match body.expr(occurrence.expr).kind {
            ExprKind::Load { buffer, indices, .. } => {
                (buffer, body.items(indices).first().copied())
            }
            ExprKind::Region(buffer, dims) => (buffer, body.items(dims).first().copied()),
            ExprKind::Buffer(buffer) | ExprKind::BufferField(buffer, _) => (buffer, None),
            _ => continue,
        };
        let Some(count) = n_barriers(body, buffer) else { continue };
        match use_of(facts, id, buffer, element) {
            Used::By(it, of_block) if element.is_some() || count == 1 => {
                threads = Some(of_block);
                all.push(it);
            }
            Used::ToExpect => {}
            _ => drop(unknown.insert(buffer)),
        }
    }
    // Where nothing arrives, `phases` tells it.
    let arrives: FxHashSet<BufferId> =
        all.iter().filter(|it: &&Use| it.parity.is_none()).map(|it| it.barrier).collect();
    all.retain(|it| !unknown.contains(&it.barrier));
    if all.iter().any(|it| !arrives.contains(&it.barrier)) {
        return None;
    }
    Some((all, threads?))
}

/// How a barrier is used.
enum Used {
    /// By an arrival or a wait, of a block of so many threads.
    By(Use, i128),
    /// By a copy that only tells it to expect bytes.
    ToExpect,
    /// In another way.
    Otherwise,
}

fn use_of(
    facts: &FindingFacts<'_>,
    id: OccurrenceId,
    barrier: BufferId,
    element: Option<ExprId>,
) -> Used {
    let (body, occurrences) = (facts.body, facts.occurrences);
    let Some(parent) = occurrences[id].parent else { return Used::Otherwise };
    let ExprKind::Call { callee: Callee::Intrinsic(name, callee), args, .. } =
        body.expr(occurrences[parent].expr).kind
    else {
        return Used::Otherwise;
    };
    if callee == Intrinsic::TlTmaCopy && occurrences.index_in(parent, id) >= 2 {
        return Used::ToExpect;
    }
    let parity = match wait(facts, id) {
        Some((_, parity)) => Some(parity),
        None if body.name(name) == ARRIVE && body.items(args).len() == 1 => None,
        None => return Used::Otherwise,
    };
    let op = occurrences[id].op;
    let is_statement =
        occurrences[parent].parent.is_none() && body.ops[op].kind == OpKind::Evaluate;
    let around =
        around::of_op(facts, op).filter(|it| is_statement && it.threads[1..] == [Some(1); 2]);
    let Some(around::Around { loops, guards, threads: [Some(threads), ..] }) = around else {
        return Used::Otherwise;
    };
    let loops: Vec<Loop> =
        loops.into_iter().filter(|it| !matches!(it.kind, ForKind::ThreadBinding(_))).collect();
    let is_plain = |it: &Loop| {
        matches!(it.kind, ForKind::Serial | ForKind::Unrolled)
            && it.step.is_none()
            && body.dict(body.ops[it.op].attrs).is_empty()
    };
    match loops.iter().all(is_plain) {
        true => Used::By(Use { at: parent, barrier, element, parity, loops, guards }, threads),
        false => Used::Otherwise,
    }
}

/// The threads by what they do; none if that does not follow from their index alone.
fn groups(body: &Body, uses: &[Use], threads: i128) -> Option<Vec<Group>> {
    if !(1..=MOST_THREADS).contains(&threads) {
        return None;
    }
    let mut guards: Vec<ExprId> = Vec::new();
    for &(guard, _) in uses.iter().flat_map(|it| &it.guards) {
        let mut names = Names::default();
        names.add(body, guard);
        let of_threads = names.keys.iter().filter(|it| matches!(it, Key::Thread(_))).count();
        if names.is_private && of_threads == 0 || of_threads > 0 && of_threads != names.keys.len() {
            return None;
        }
        if of_threads > 0 && !guards.contains(&guard) {
            guards.push(guard);
        }
    }
    let mut groups: Vec<(Vec<bool>, Group)> = Vec::new();
    for thread in 0..threads {
        ir::interrupt::check();
        let values: Values = [(Key::Thread(0), thread), (Key::Thread(1), 0), (Key::Thread(2), 0)]
            .into_iter()
            .collect();
        let truth = guards.iter().map(|&it| Some(evaluate(body, &values, it)? != 0));
        let truth: Vec<bool> = truth.collect::<Option<_>>()?;
        if let Some((_, group)) = groups.iter_mut().find(|it| it.0 == truth) {
            group.count += 1;
            group.last = thread;
        } else if groups.len() == MOST_GROUPS {
            return None;
        } else {
            groups.push((truth, Group { first: thread, count: 1, last: thread, values }));
        }
    }
    Some(groups.into_iter().map(|it| it.1).collect())
}

/// The events of a group at barriers, in order; none if something of it is not known.
fn trace(body: &Body, uses: &[Use], group: &Group) -> Option<Trace> {
    let mut trace = Trace::default();
    let mut values = group.values.clone();
    let numbers: Vec<usize> = (0..uses.len()).collect();
    follow(body, uses, &numbers, 0, &mut values, &mut trace)?;
    Some(trace)
}

/// Follows uses in the loops from a depth on.
fn follow(
    body: &Body,
    uses: &[Use],
    numbers: &[usize],
    depth: usize,
    values: &mut Values,
    trace: &mut Trace,
) -> Option<()> {
    let mut left = numbers;
    while let Some(&first) = left.first() {
        if trace.is_cut {
            return Some(());
        }
        let Some(it) = uses[first].loops.get(depth) else {
            event(body, uses, first, values, trace)?;
            left = &left[1..];
            continue;
        };
        let is_inside =
            |other: &&usize| uses[**other].loops.get(depth).is_some_and(|l| l.op == it.op);
        let n = left.iter().take_while(is_inside).count();
        let (inside, behind) = left.split_at(n);
        let min = evaluate(body, values, it.min)?;
        let extent = match evaluate(body, values, it.extent) {
            Some(extent) => extent,
            None if is_given(body, it.extent) => 2,
            None => 0,
        };
        let is_whole = number(body, it.extent).is_some() && extent <= MOST_ITERATIONS;
        for k in 0..extent.min(MOST_ITERATIONS) {
            ir::interrupt::check();
            values.push((Key::Loop(it.var), min + k));
            let result = follow(body, uses, inside, depth + 1, values, trace);
            values.pop();
            result?;
        }
        trace.is_cut |= !is_whole;
        left = behind;
    }
    Some(())
}

/// Adds a use, if the group comes to it.
fn event(body: &Body, uses: &[Use], of: usize, values: &Values, trace: &mut Trace) -> Option<()> {
    let it = &uses[of];
    for &(guard, holds) in &it.guards {
        if (evaluate(body, values, guard)? != 0) != holds {
            return Some(());
        }
    }
    if trace.events.len() == MOST_EVENTS {
        trace.is_cut = true;
        return Some(());
    }
    let element = match it.element {
        Some(element) => evaluate(body, values, element)?,
        None => 0,
    };
    expected(body, it.barrier, element)?;
    let parity = match it.parity {
        Some(parity) => Some(evaluate(body, values, parity)? & 1),
        None => None,
    };
    let loops: Values = values.iter().filter(|it| matches!(it.0, Key::Loop(_))).copied().collect();
    let round = match it.loops.first() {
        Some(outer) => loops.iter().find(|it| it.0 == Key::Loop(outer.var)).map_or(0, |it| it.1),
        None => 0,
    };
    let barrier = (it.barrier, element);
    trace.events.push(Event { of, barrier, parity, values: loops, round });
    Some(())
}

/// Who runs when.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Schedule {
    /// Each group as far as it can.
    Ahead,
    /// One event of each group after the other.
    InTurns,
    /// As in turns, and nobody begins an iteration of the outermost loop before all others have ended the one before.
    InStep,
}

/// The state in which all that are left wait: a group, its event, and the phases that ended of the barrier there.
fn hang(
    body: &Body,
    groups: &[Group],
    traces: &[Trace],
    schedule: Schedule,
) -> Option<(usize, usize, i128)> {
    let mut arrived: Vec<((BufferId, i128), i128)> = Vec::new();
    let mut at = vec![0; traces.len()];
    loop {
        ir::interrupt::check();
        let mut has_moved = false;
        for group in 0..traces.len() {
            while let Some(event) = traces[group].events.get(at[group]) {
                let is_in_step = schedule != Schedule::InStep
                    || (0..traces.len()).all(|other| {
                        let next = traces[other].events.get(at[other]);
                        next.is_none_or(|it| it.round >= event.round)
                    });
                if !is_in_step
                    || event
                        .parity
                        .is_some_and(|it| phases(body, &arrived, event.barrier) & 1 == it)
                {
                    break;
                }
                if event.parity.is_none() {
                    match arrived.iter_mut().find(|it| it.0 == event.barrier) {
                        Some((_, count)) => *count += groups[group].count,
                        None => arrived.push((event.barrier, groups[group].count)),
                    }
                }
                at[group] += 1;
                has_moved = true;
                if schedule != Schedule::Ahead {
                    break;
                }
            }
        }
        if has_moved {
            continue;
        }
        let is_left = |group: usize| at[group] < traces[group].events.len();
        if (0..traces.len()).any(|it| !is_left(it) && traces[it].is_cut) {
            return None;
        }
        // The first in the text of those that wait for a phase.
        let waits = (0..traces.len()).filter(|&it| is_left(it)).filter(|&it| {
            let event = &traces[it].events[at[it]];
            event.parity.is_some_and(|parity| phases(body, &arrived, event.barrier) & 1 == parity)
        });
        let first = waits.min_by_key(|&it| traces[it].events[at[it]].of)?;
        let event = &traces[first].events[at[first]];
        return Some((first, at[first], phases(body, &arrived, event.barrier)));
    }
}

/// The phases of a barrier that have ended.
fn phases(body: &Body, arrived: &[((BufferId, i128), i128)], barrier: (BufferId, i128)) -> i128 {
    let count = arrived.iter().find(|it| it.0 == barrier).map_or(0, |it| it.1);
    expected(body, barrier.0, barrier.1).map_or(0, |it| count / it)
}

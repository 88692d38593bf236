//! Waits whose parity does not follow the phases of their barrier.
//!
//! In: the facts. Out: a finding for each barrier that is made for a known number of arrivals, at which all threads of
//! the block arrive and wait together (under no condition, in no pipeline, in a kernel without jumps), and of which one
//! wait names the parity of the phase that is still open: nobody is left to end it, so that threads hang; those that
//! are early pass at once and use what is not there. Found by counting the arrivals in order, through the first
//! iterations of each loop. What is given to a copy of the copy engine only expects bytes (`T.tma_copy`); any other use
//! of a barrier, or a parity that cannot be evaluated, ends the count. O(uses), a bounded number of steps.

use ir::{
    Attr, Body, BufferId, Callee, ExprId, ExprKind, ForKind, Intrinsic, OccurrenceId, OpKind,
    plan::finding::{Place, Related, Role},
};
use rules::{Rule, Severity};

use super::{
    super::{Finding, FindingFacts, FindingKind, FindingRule, Sentence, Word, edit_title},
    around::{self, Loop},
    extents::number,
    phases::{ARRIVE, BARRIER_INIT, MADE, for_which, is_given, may_name_barriers, wait},
    told,
    witness::{Key, Values, evaluate},
};

/// A wait for the wrong phase.
pub(in super::super) const BARRIER_PHASE: FindingRule = FindingRule {
    rule: Rule::reported(
        "barrier-phase",
        Severity::Error,
        "a wait for the phase of a barrier that nothing ends",
        "\
A barrier of `T.alloc_barrier(n)` ends a phase at every `n`-th arrival. Its phases are counted from 0, and a wait names \
the parity of the phase whose end it waits for. Here all threads have arrived for one phase, and wait for the one after \
it, or for one of which the parity is the same: who is early passes at once, and uses what is not there; the others \
hang.

```python
ready = T.alloc_barrier(128)
for k in T.serial(4):
    T.tma_copy(A[0, k * 32], A_shared, barrier=ready)
    T.barrier_arrive(ready)
    T.mbarrier_wait_parity(ready, 0)         # right for the first iteration only: k % 2
```

The parity of the `i`-th phase is `i % 2`. A loop that uses a barrier once an iteration waits for `k % 2`; one that uses \
`n` barriers in turn, for `k // n % 2`.

Also told where warps of their own (`with T.ws(0)`, `with T.ws(1)`) wait for each other, for one barrier or a ring of them, \
until none is left that could end a phase: who fills waits for the parity before (`k // n % 2 ^ 1`), who uses for that of \
its own, and each arrives at what the other one waits for.
",
    ),
    plan,
    title: edit_title,
    is_unnecessary: false,
};

/// The last arrival before the wait.
const LAST: Role = Role("the last arrival before it");
/// Iterations of a loop that are counted.
const MOST_ITERATIONS: i64 = 4;
/// Arrivals and waits that are counted of one barrier.
const MOST_STEPS: u32 = 256;

/// An action at a barrier.
enum Event {
    Arrive,
    Wait(ExprId),
}

/// A use of a barrier, in the loops around it, without those of the grid.
struct Use {
    at: OccurrenceId,
    event: Event,
    loops: Vec<Loop>,
}

fn plan(facts: &FindingFacts<'_>, found: &mut Vec<Finding>) {
    of_block(facts, found);
    super::rings::plan(facts, found);
}

/// Waits of all threads together.
fn of_block(facts: &FindingFacts<'_>, found: &mut Vec<Finding>) {
    let (body, occurrences) = (facts.body, facts.occurrences);
    let mut launches = super::launches(body);
    let (Some(_), None) = (launches.next(), launches.next()) else { return };
    if !body.buffers.iter().any(|(it, _)| arrivals(body, it).is_some())
        || around::has_jumps(body, occurrences)
        || occurrences.iter().any(|(_, it)| may_name_barriers(body, body.expr(it.expr).kind))
    {
        return;
    }
    for (buffer, _) in body.buffers.iter() {
        let Some(expected) = arrivals(body, buffer) else { continue };
        let Some((uses, threads)) = uses(facts, buffer) else { continue };
        let mut count = Count {
            body,
            expected,
            threads,
            arrived: 0,
            last: None,
            values: Values::new(),
            steps: MOST_STEPS,
        };
        if let Err(Some(wrong)) = count.follow(&uses, 0) {
            found.push(finding(body, buffer, &count, wrong));
        }
    }
}

/// The arrivals that end a phase of a buffer that is one barrier.
fn arrivals(body: &Body, buffer: BufferId) -> Option<i128> {
    let data = &body.buffers[buffer];
    let is_one = matches!(data.shape[..], [it] if number(body, it) == Some(1));
    let attr = body.dict(data.attrs).iter().find(|it| &*it.0 == BARRIER_INIT).filter(|_| is_one)?;
    let count = match &attr.1 {
        Attr::Int(it, _) => *it,
        Attr::List(items) => match items[..] {
            [Attr::Int(it, _)] => it,
            _ => return None,
        },
        _ => return None,
    };
    (count > 0).then_some(i128::from(count))
}

/// The uses of a barrier in order, and the threads that arrive; none if one is of another kind, or is not reached by
/// all threads.
fn uses(facts: &FindingFacts<'_>, barrier: BufferId) -> Option<(Vec<Use>, i128)> {
    let (body, occurrences) = (facts.body, facts.occurrences);
    let (mut all, mut threads) = (Vec::new(), None);
    for (id, occurrence) in occurrences.iter() {
        let is_it = match body.expr(occurrence.expr).kind {
            ExprKind::Load { buffer, .. }
            | ExprKind::Region(buffer, _)
            | ExprKind::Buffer(buffer)
            | ExprKind::BufferField(buffer, _) => buffer == barrier,
            _ => false,
        };
        if !is_it {
            continue;
        }
        let parent = occurrence.parent?;
        let ExprKind::Call { callee: Callee::Intrinsic(name, callee), args, .. } =
            body.expr(occurrences[parent].expr).kind
        else {
            return None;
        };
        if callee == Intrinsic::TlTmaCopy && occurrences.index_in(parent, id) >= 2 {
            continue;
        }
        let event = match wait(facts, id) {
            Some((_, parity)) => Event::Wait(parity),
            None if body.name(name) == ARRIVE && body.items(args).len() == 1 => Event::Arrive,
            None => return None,
        };
        let is_statement = occurrences[parent].parent.is_none()
            && body.ops[occurrence.op].kind == OpKind::Evaluate;
        let around = around::of_op(facts, occurrence.op)?;
        let n_threads = around.threads.iter().try_fold(1, |all, it| Some(all * (*it)?))?;
        let loops: Vec<Loop> = around
            .loops
            .into_iter()
            .filter(|it| !matches!(it.kind, ForKind::ThreadBinding(_)))
            .collect();
        let is_plain = |it: &Loop| {
            matches!(it.kind, ForKind::Serial | ForKind::Unrolled)
                && it.step.is_none()
                && body.dict(body.ops[it.op].attrs).is_empty()
        };
        if !is_statement || !around.guards.is_empty() || !loops.iter().all(is_plain) {
            return None;
        }
        threads = Some(n_threads);
        all.push(Use { at: parent, event, loops });
    }
    // Where nothing arrives, `phases` tells it.
    let arrives = all.iter().any(|it| matches!(it.event, Event::Arrive));
    Some((all, threads.filter(|_| arrives)?))
}

/// A wait that does not follow the phases, for the values that the count has come to.
struct Wrong {
    wait: OccurrenceId,
    /// The phases that have ended.
    ended: i128,
}

/// The arrivals at a barrier so far.
struct Count<'a> {
    body: &'a Body,
    expected: i128,
    threads: i128,
    arrived: i128,
    last: Option<OccurrenceId>,
    values: Values,
    steps: u32,
}

impl Count<'_> {
    /// Follows uses in the loops from a depth on. An error ends the count, with what is wrong or because something is
    /// not known.
    fn follow(&mut self, uses: &[Use], depth: usize) -> Result<(), Option<Wrong>> {
        let mut left = uses;
        while let Some(first) = left.first() {
            let Some(it) = first.loops.get(depth) else {
                self.step(first)?;
                left = &left[1..];
                continue;
            };
            let is_inside = |other: &Use| other.loops.get(depth).is_some_and(|l| l.op == it.op);
            let n = left.iter().take_while(|other| is_inside(other)).count();
            let (inside, behind) = left.split_at(n);
            let min = evaluate(self.body, &self.values, it.min).ok_or(None)?;
            let extent = match evaluate(self.body, &self.values, it.extent) {
                Some(extent) => extent,
                None if is_given(self.body, it.extent) => 2,
                None => return Err(None),
            };
            let is_whole =
                number(self.body, it.extent).is_some() && extent <= MOST_ITERATIONS.into();
            for k in 0..extent.min(MOST_ITERATIONS.into()) {
                self.values.push((Key::Loop(it.var), min + k));
                self.follow(inside, depth + 1)?;
                self.values.pop();
            }
            if !is_whole {
                return Err(None);
            }
            left = behind;
        }
        Ok(())
    }

    fn step(&mut self, it: &Use) -> Result<(), Option<Wrong>> {
        self.steps = self.steps.checked_sub(1).ok_or(None)?;
        match it.event {
            Event::Arrive => {
                self.arrived += self.threads;
                self.last = Some(it.at);
                Ok(())
            }
            Event::Wait(parity) => {
                let parity = evaluate(self.body, &self.values, parity).ok_or(None)?;
                let ended = self.arrived / self.expected;
                if parity & 1 != ended & 1 {
                    return Ok(());
                }
                Err(Some(Wrong { wait: it.at, ended }))
            }
        }
    }
}

fn finding(body: &Body, buffer: BufferId, count: &Count<'_>, wrong: Wrong) -> Finding {
    let Wrong { wait, ended } = wrong;
    let place = Place::Occurrence(wait);
    let name = body.name(body.buffers[buffer].name);
    let which = for_which(body, &count.values);
    let (threads, expected) = (count.threads, count.expected);
    let what = match threads > expected && count.arrived > 0 {
        // How many phases end, and when, depends on who is early.
        true => "may wait for a phase that nothing ends",
        false => "waits for a phase that nothing ends",
    };
    let why = match ended {
        _ if count.arrived == 0 => format!("nothing has arrived at `{name}` before it"),
        _ if threads > expected => {
            let are = if expected == 1 { "is" } else { "are" };
            format!("{threads} threads arrive at `{name}`, and {expected} {are} enough to end one")
        }
        _ if threads != expected => {
            format!("{threads} threads arrive at `{name}`, which is made for {expected}")
        }
        _ => format!("the last phase of `{name}` that has ended has parity {}", (ended - 1) & 1),
    };
    let text = format!(" {what}{which}: {why}");
    let message = Sentence::of([place.into(), Word::Text(text.into())]);
    let mut finding = told(FindingKind::BarrierPhase, place, message);
    finding.related.push(Related { place: Place::Buffer(buffer), role: MADE });
    let last = count.last.map(|it| Related { place: Place::Occurrence(it), role: LAST });
    finding.related.extend(last);
    finding
}

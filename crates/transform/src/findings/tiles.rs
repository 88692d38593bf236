//! Findings in kernels of TileLang: what its compiler refuses, and what goes wrong on the device.
//!
//! In: the facts of a body that has a launch of TileLang (`T.Kernel`). Out: findings that are *proven*: a constant
//! contradicts a rule of TileLang's compiler, or a witness (values of loops, blocks and threads that occur) makes it
//! happen. What rests on a name whose value is not known is not told: in an instance it is known.
//!
//! | module | finds |
//! |---|---|
//! | `overflow` | integers that int32 cannot hold |
//! | `operands` | operands of tile operations that do not fit each other |
//! | `bounds` | elements and parts outside of a tile |
//! | `shapes` | products whose tiles the instructions of a device do not take |
//! | `engine` | copies that neither the copy engine nor `cp.async` takes |
//! | `launch` | launches that no device accepts |
//! | `divergence` | barriers that only a part of a warp reaches |
//! | `in_flight` | tiles that are used while an asynchronous copy runs |
//! | `phases` | waits for barriers at which nothing arrives |
//! | `parity` | waits whose parity does not follow the phases |
//! | `rings` | waits between warps of their own, for one barrier or a ring of them |
//! | `races` | iterations of `T.Parallel` that write one element |
//! | `tails` | tails that stay guarded, and the fact that would remove the guard |
//! | `tile_loops` | loops that TileLang refuses, and what it refuses in `T.Parallel` |
//! | `possible` | what may go out of bounds, overflow or race, where the proof lacks a fact |
//! | `scalar` | loops and copies that access single elements, and why |
//! | `linear` | indices as sums of variables |
//! | `extents` | the extents of parts of buffers |
//! | `around` | the loops, guards and threads around a place |
//! | `witness` | values for them, and what an expression is then |

mod around;
mod bounds;
mod divergence;
mod engine;
mod extents;
mod in_flight;
mod launch;
mod linear;
mod multiples;
mod operands;
mod overflow;
mod parity;
mod phases;
mod possible;
mod races;
mod rings;
mod scalar;
mod shapes;
mod tails;
mod tile_loops;
mod witness;

pub(super) use {
    bounds::OUT_OF_BOUNDS,
    divergence::DIVERGENT_BARRIER,
    in_flight::COPY_IN_FLIGHT,
    launch::LAUNCH_LIMIT,
    operands::TILE_OPERANDS,
    overflow::OFFSET_OVERFLOW,
    parity::BARRIER_PHASE,
    phases::BARRIER_WITHOUT_ARRIVAL,
    possible::{POSSIBLE_OUT_OF_BOUNDS, POSSIBLE_OVERFLOW, POSSIBLE_RACE},
    races::PARALLEL_RACE,
    scalar::SCALAR_ACCESS,
    shapes::TILE_SHAPE,
    tails::TAIL_GUARD,
    tile_loops::TILE_LOOP,
};

use ir::{AttrDict, Body, OccurrenceId, OpId, OpKind, plan::finding::Place};

use super::{Finding, FindingFacts, FindingKind, Sentence};
use crate::tile_memory::{THREADS, threads};

/// The launches of TileLang: the block that holds the memory of each, with its attributes. In program order.
fn launches(body: &Body) -> impl Iterator<Item = (OpId, &AttrDict)> {
    body.ops_preorder().filter_map(|op| {
        let attrs = body.dict(body.ops[op].attrs);
        let is_launch = matches!(body.ops[op].kind, OpKind::SBlock(_))
            && attrs.iter().any(|it| &*it.0 == THREADS);
        is_launch.then_some((op, attrs))
    })
}

/// Values for which an occurrence in a kernel of tiles is reached, in words; none if it is not shown to be. With a
/// loop, those of its first iteration.
pub(super) fn reached(
    facts: &FindingFacts<'_>,
    id: OccurrenceId,
    first: Option<OpId>,
) -> Option<String> {
    let body = facts.body;
    launches(body).next()?;
    if around::has_jumps(body, facts.occurrences) {
        return None;
    }
    let around = around::of_occurrence(facts, id)?;
    // Variables that decide nothing have their first value.
    let values = witness::search(body, &around, &[], &mut |_| true)?;
    let is_first = |it: &around::Loop| {
        let min = witness::domain(body, &values, it).map(|it| it.0);
        min.is_none_or(|min| values.contains(&(witness::Key::Loop(it.var), min)))
    };
    let from = around.loops.iter().position(|it| Some(it.op) == first);
    let inner = from.map_or(&[][..], |from| &around.loops[from..]);
    if first.is_some() != from.is_some()
        || !inner.iter().all(is_first)
        || !witness::is_entered(body, &around, &values)
    {
        return None;
    }
    let mut names = witness::Names::default();
    around.guards.iter().for_each(|it| names.add(body, it.0));
    inner.iter().take(1).for_each(|it| names.keys.push(witness::Key::Loop(it.var)));
    let words = witness::words_of(body, &values, &names);
    Some(if words.is_empty() { " in every block".to_owned() } else { words })
}

/// A finding without a fix.
fn told(kind: FindingKind, place: Place, message: Sentence) -> Finding {
    Finding { kind, is_shown: false, place, message, related: Vec::new(), fix: None }
}

//! Tests of [`super`]: against an explicit graph of all points, solved round-robin, on random bodies.

mod bodies;
mod reference;

use ir::{Body, Occurrences, effects::EffectTable};
use test_utils::Rng;

use super::*;
use crate::{analyses::Analyses, laws};

/// A state of four cells that are copied, set and merged: facts depend on each other, so the order of passes matters.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Cells<const MUST: bool>([u8; 4]);

impl<const MUST: bool> Lattice for Cells<MUST> {
    fn join(&mut self, other: &Self) -> bool {
        let before = self.0;
        for (cell, other) in self.0.iter_mut().zip(other.0) {
            *cell = if MUST { *cell & other } else { *cell | other };
        }
        self.0 != before
    }
}

/// Every step does something that depends on its number only.
struct Random<const FORWARD: bool, const MUST: bool>;

fn change<const MUST: bool>(step: u64, state: &mut Cells<MUST>) {
    let mut rng = Rng::new(step);
    let (to, from) = (rng.below(4), rng.below(4));
    match rng.below(6) {
        0 => state.0[to] = state.0[from],
        1 => state.0[to] |= 1 << rng.below(8),
        2 => state.0[to] &= !(1 << rng.below(8)),
        3 => state.0[to] |= state.0[from],
        4 => state.0[to] &= state.0[from],
        _ => {}
    }
}

impl<const FORWARD: bool, const MUST: bool> Analysis for Random<FORWARD, MUST> {
    type State = Cells<MUST>;
    const DIRECTION: Direction = if FORWARD { Direction::Forward } else { Direction::Backward };

    fn boundary(&self) -> Cells<MUST> {
        Cells([0b1010, 0, 0xff, 1])
    }
    fn occurrence(&self, id: OccurrenceId, state: &mut Cells<MUST>) {
        change(id.index() as u64, state);
    }
    fn operation(&self, op: OpId, state: &mut Cells<MUST>) {
        change(op.index() as u64 + 100_000, state);
    }
    fn leave(&self, op: OpId, state: &mut Cells<MUST>) {
        change(op.index() as u64 + 400_000, state);
    }
    fn block_start(&self, block: BlockId, state: &mut Cells<MUST>) {
        change(block.index() as u64 + 200_000, state);
    }
    fn edge(&self, terminator: OpId, index: usize, state: &mut Cells<MUST>) {
        change((terminator.index() * 8 + index) as u64 + 300_000, state);
    }
}

/// Compares the states at all points.
#[track_caller]
fn compare<A: Analysis>(body: &Body, analysis: A, seed: u64)
where
    A::State: std::fmt::Debug,
{
    let occurrences = Occurrences::collect(body);
    let analyses = Analyses::of(body, &occurrences, EffectTable::builtin());
    let flow = analyses.flow();
    let expected = reference::solve(&flow, &analysis);
    let solution = solve(&flow, analysis);
    let mut n_points = 0;
    let mut in_order = solution.cursor();
    solution.visit(|point, state| {
        assert_eq!(state, expected.at(point), "seed {seed}: {point:?}");
        assert_eq!(in_order.at_point(point), state, "seed {seed}: {point:?}");
        n_points += 1;
    });
    assert_eq!(n_points, 2 * body.ops.len() + occurrences.len(), "seed {seed}");
    if A::DIRECTION == Direction::Forward {
        assert_eq!(solution.at_exit().as_ref(), expected.at_exit(), "seed {seed}");
    }
}

#[test]
fn agrees_with_a_graph_of_all_points_on_random_bodies() {
    for seed in 0..1500 {
        let body = bodies::random(&mut Rng::new(seed));
        compare(&body, Random::<true, false>, seed);
        compare(&body, Random::<true, true>, seed);
        compare(&body, Random::<false, false>, seed);
        compare(&body, Random::<false, true>, seed);
    }
}

#[test]
fn the_random_analyses_are_monotone() {
    let mut rng = Rng::new(11);
    for step in 0..200 {
        let elements: Vec<[u8; 4]> =
            (0..6).map(|_| [(); 4].map(|()| rng.below(256) as u8)).collect();
        let may: Vec<Cells<false>> = elements.iter().map(|&it| Cells(it)).collect();
        let must: Vec<Cells<true>> = elements.iter().map(|&it| Cells(it)).collect();
        laws::check_join(&may);
        laws::check_join(&must);
        laws::check_monotone(&may, |it| change(step, it));
        laws::check_monotone(&must, |it| change(step, it));
    }
}

/// Number of operations processed a body's operation, and of cursor steps, when all points are read.
fn effort<A: Analysis>(body: &Body, analysis: A) -> (f64, f64) {
    let occurrences = Occurrences::collect(body);
    let analyses = Analyses::of(body, &occurrences, EffectTable::builtin());
    let flow = analyses.flow();
    let solution = solve(&flow, analysis);
    let n = body.ops.len() as f64;
    let mut cursor = solution.cursor();
    // Backwards, by turns from both ends: not the order that a cursor likes.
    let mut ops: Vec<OpId> = body.ops_preorder().collect();
    ops.reverse();
    let half = ops.split_off(ops.len() / 2);
    for (a, b) in ops.iter().zip(&half) {
        cursor.before(*a);
        cursor.after(*b);
    }
    (solution.work().operations as f64 / n, cursor.steps() as f64 / n)
}

/// Every operation is a fact of its own.
struct Reached<const FORWARD: bool>;

impl<const FORWARD: bool> Analysis for Reached<FORWARD> {
    type State = crate::sparse::May<OpId>;
    const DIRECTION: Direction = if FORWARD { Direction::Forward } else { Direction::Backward };
    fn boundary(&self) -> Self::State {
        crate::sparse::May(Default::default())
    }
    fn operation(&self, op: OpId, state: &mut Self::State) {
        state.0.insert(op);
    }
}

#[track_caller]
fn check_growth(make: impl Fn(usize) -> Body, sizes: [usize; 2]) {
    let effort = |n| {
        let body = make(n);
        [effort(&body, Reached::<true>), effort(&body, Reached::<false>)]
    };
    let (small, large) = (effort(sizes[0]), effort(sizes[1]));
    for ((solved, read), (more_solved, more_read)) in small.into_iter().zip(large) {
        assert!(more_solved <= solved * 1.2 + 1.0, "solving: {solved} then {more_solved} a step");
        assert!(more_read <= read * 1.5 + 1.0, "reading: {read} then {more_read} a step");
        assert!(more_solved < 8.0 && more_read < 8.0, "{more_solved}, {more_read}");
    }
}

#[test]
fn a_long_list_is_linear() {
    check_growth(bodies::list, [1_000, 50_000]);
}

#[test]
fn a_deep_nest_is_linear() {
    for kind in bodies::Nest::ALL {
        check_growth(|n| bodies::nest(kind, n), [100, 3_000]);
    }
}

#[test]
fn depth_10000_is_solved_without_running_out_of_stack() {
    for kind in bodies::Nest::ALL {
        let body = bodies::nest(kind, 10_000);
        let occurrences = Occurrences::collect(&body);
        let analyses = Analyses::of(&body, &occurrences, EffectTable::builtin());
        let flow = analyses.flow();
        assert!(solve(&flow, Reached::<true>).work().passes <= 4);
        assert!(solve(&flow, Reached::<false>).work().passes <= 4);
    }
}

#[test]
fn a_chain_of_blocks_is_linear() {
    check_growth(bodies::chain, [100, 10_000]);
}

#[test]
fn blocks_without_a_way_out_are_solved() {
    // entry -> loop; loop -> loop: nothing leaves it, yet what it does is seen before it.
    let body = bodies::endless();
    let occurrences = Occurrences::collect(&body);
    let analyses = Analyses::of(&body, &occurrences, EffectTable::builtin());
    let flow = analyses.flow();
    let solution = solve(&flow, Reached::<false>);
    let entry = body.entry(body.root);
    let before = solution.at_start(entry).expect("it is solved");
    assert_eq!(before.0.keys().count(), body.ops.len());
}

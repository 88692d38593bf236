//! The laws of lattices and transfer functions, on every instance of the solver.
//!
//! The elements are the states that the instance itself finds in a program with every construct, which covers most of
//! the states that it can meet.

use dataflow::{
    analyses::Analyses,
    definite_init::Initialisation,
    laws::{check_join, check_monotone},
    liveness::Liveness,
    reaching::ReachingStores,
    solver::{Analysis, Solution},
    touch::Touches,
};
use ir::{Occurrences, effects::EffectTable};

use crate::support::{kernel, lowered};

const PROGRAM: &str = "
    C = T.alloc_buffer((16,), \"int32\", scope=\"local\")
    x: T.int32 = n
    y: T.let = m * 2
    for i in range(16):
        C[i] = A[i] + x
        if A[i] > y and x < 3:
            x = x + 1
            continue
        while B[i] < n:
            B[i] = B[i] + C[i]
            if B[i] == 7:
                break
    T.evaluate(T.call_extern(\"int32\", \"g\", B.data))
    assert x > 2, \"x\"
    B[0] = T.if_then_else(n > 0, C[0], x)
    ";

/// At most this many elements: the laws of three of them are checked together.
const MOST: usize = 10;

#[track_caller]
fn check_instance<A: Analysis>(solution: &Solution<'_, A>)
where
    A::State: std::fmt::Debug,
{
    let mut elements: Vec<A::State> = vec![solution.analysis().boundary()];
    solution.visit(|_, state| {
        if let Some(state) = state
            && !elements.contains(state)
        {
            elements.push(state.clone());
        }
    });
    assert!(elements.len() > 3, "the program is too simple");
    // From all over the program.
    let step = elements.len().div_ceil(MOST);
    let elements: Vec<A::State> = elements.into_iter().step_by(step).collect();
    check_join(&elements);
    let (analysis, flow) = (solution.analysis(), solution.flow());
    for op in flow.body.ops.ids() {
        check_monotone(&elements, |it| analysis.operation(op, it));
        check_monotone(&elements, |it| analysis.leave(op, it));
    }
    for (id, _) in flow.occurrences.iter() {
        check_monotone(&elements, |it| analysis.occurrence(id, it));
    }
    for block in flow.body.blocks.ids() {
        check_monotone(&elements, |it| analysis.block_start(block, it));
    }
}

#[test]
fn all_instances_keep_the_laws() {
    let text = kernel(PROGRAM);
    let (lowered, _) = lowered(&text);
    let body = &lowered.body;
    let occurrences = Occurrences::collect(body);
    let analyses = Analyses::of(body, &occurrences, EffectTable::builtin());
    let (flow, aliases) = (analyses.flow(), analyses.aliases());
    check_instance(Liveness::build(&flow, aliases).solution());
    check_instance(ReachingStores::build(&flow, Touches::build(&flow, aliases)).solution());
    check_instance(Initialisation::build(&flow, Touches::build(&flow, aliases)).solution());
}

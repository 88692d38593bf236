//! Samples are runs: their values are those of evaluation, and samples that reach a context have no event on the way.

use ir::arena::Id;
use test_utils::Rng;

use super::{
    against_values::{describe, random_case, reaches},
    support::{Events, eval},
};
use crate::{Analyzer, samples::LANES};

/// Checks all lanes of one random case. Returns the number of samples that reach its context.
fn check_case(seed: u64) -> usize {
    let mut rng = Rng::new(seed);
    let case = random_case(&mut rng);
    let body = &case.bench.body;
    let mut analyzer = Analyzer::new(body);
    let ctx = case.context(&mut analyzer);
    let lanes = analyzer.sampled().lanes(ctx);
    let mut n_reached = 0;
    'lanes: for lane in (0..LANES).filter(|it| lanes >> it & 1 != 0) {
        let mut values = vec![0; body.values.len()];
        for &(_, value) in &case.bench.variables {
            let node = analyzer.node_of(value);
            match node.and_then(|it| analyzer.sampled().value_in(lane, it)) {
                Some(known) => values[value.index()] = known,
                None if node.is_none() => {}
                None => continue 'lanes,
            }
        }
        let events = reaches(&analyzer, ctx, &values);
        let context =
            || format!("seed {seed}, lane {lane}, {values:?}\n{}", describe(&analyzer, ctx));
        assert!(events.is_some_and(|it| !it.wide_overflow), "gets there: {}", context());
        n_reached += 1;
        let mut known = Vec::new();
        for &query in &case.queries {
            known.extend(analyzer.sampled().value_in(lane, query).map(|it| (query, it)));
        }
        for (query, value) in known {
            let mut events = Events::default();
            let expected = eval(body, &values, query, &mut events);
            assert_eq!(Some(value), expected, "{}", ir::print::expr_text(body, query));
            assert!(!events.wide_overflow, "overflow: {}", ir::print::expr_text(body, query));
        }
    }
    n_reached
}

#[test]
fn values_are_those_of_evaluation() {
    let n_reached: usize = (0..5000).map(check_case).sum();
    assert!(n_reached > 5000, "{n_reached}");
}

//! Simplification: expressions and statements that have a simpler form where they stand.
//!
//! [`plan`] reads a body and gives a [`SimplifyPlan`]: items of mechanical steps, each with its reason, and the
//! refusals. [`rewrite`] does the steps. Planning runs in rounds, each on the result of the ones before, until nothing
//! is left or [`SimplifyOptions::rounds`] is reached, so the plan of a rewritten body is empty.
//!
//! One round (`round`): expressions top-down under the facts at each place (`expressions`, with the loops that run one
//! iteration or none: `loops`), then statements bottom-up (`statements`: decided branches, statements without effect,
//! neighbours with one condition, guards that do not depend on their loop), then guards in guards top-down (`guards`).
//! Steps of a round are right together: facts only come from places that dominate, and expressions there keep their
//! values.
//!
//! Soundness (`SEMANTICS: 0`): a replaced value is equal on every run without an event, and has no event of its own; a
//! statement is removed only if nothing in it has an effect; an expression that is evaluated at another place cannot
//! trap or overflow there, and reads no memory. Loops that bind threads, barriers and convergent calls keep the
//! conditions that they stand under (`P6`, `P8`, `Y2`).
//!
//! A round is linear in the body and in the work of the simplifier for its expressions; explicit stacks. Rounds are
//! few: most bodies need one, and one more that finds nothing.

mod expressions;
mod guards;
mod loops;
mod places;
mod rewrite;
mod round;
mod statements;

use arith::simplify::Simplifier;
use dataflow::analyses::Analyses;
use ir::{
    Body, Occurrences,
    plan::{SourceView, simplify::SimplifyPlan},
};

pub use rewrite::{rewrite, rewrite_items};

use places::Seen;
use round::Round;

/// The limits of simplification.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct SimplifyOptions {
    /// The limit on rounds; a plan that ends here is marked.
    pub rounds: u32,
}

impl Default for SimplifyOptions {
    fn default() -> SimplifyOptions {
        SimplifyOptions { rounds: 8 }
    }
}

/// The work done, for tests of growth.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Work {
    /// Rounds.
    pub rounds: u64,
    /// Operations looked at.
    pub operations: u64,
    /// Nodes of expressions compared and searched.
    pub nodes: u64,
    /// The work of the analyzer.
    pub facts: u64,
}

/// Plans the simplifications of a body. With a source text, an expression without text of its own is simplified as part
/// of the one that has it.
pub fn plan(
    analyses: &Analyses<'_>,
    source: Option<SourceView<'_>>,
    options: &SimplifyOptions,
) -> SimplifyPlan {
    plan_counted(analyses, source, options).0
}

/// Like [`plan`], with its cost.
pub fn plan_counted(
    analyses: &Analyses<'_>,
    source: Option<SourceView<'_>>,
    options: &SimplifyOptions,
) -> (SimplifyPlan, Work) {
    let Analyses { body, effects, .. } = *analyses;
    let mut work = Work::default();
    let mut plan = SimplifyPlan {
        // Steps that name nothing need nothing to name it in.
        grown: Body::new("", body.dialect),
        items: Vec::new(),
        refusals: Vec::new(),
        is_complete: false,
    };
    let mut current: Option<Body> = None;
    let mut simplifier = Simplifier::with_effects(body, effects);
    let mut seen = Seen::default();
    let none = Occurrences::none();
    for round in 0..options.rounds {
        let left = match &current {
            None => {
                let round = Round { analyses, source, round, seen: &seen };
                round.run(&mut simplifier, &mut plan, &mut work)
            }
            Some(body) => {
                let analyses = &Analyses::of(body, &none, effects);
                let round = Round { analyses, source: None, round, seen: &seen };
                round.run(&mut simplifier, &mut plan, &mut work)
            }
        };
        work.rounds += 1;
        let Some(left) = left else {
            plan.is_complete = true;
            break;
        };
        if left.is_settled {
            plan.is_complete = true;
            current = Some(simplifier.into_body());
            break;
        }
        let after = match left.goes_on {
            true => simplifier.body().clone(),
            false => {
                let after = simplifier.into_body();
                simplifier = Simplifier::with_effects(&after, effects);
                after
            }
        };
        (current, seen) = (Some(after), left.seen);
    }
    if let Some(after) = current {
        plan.grown = grown(body, after);
    }
    (plan, work)
}

/// The former body, with the expressions of the rewritten one.
fn grown(body: &Body, after: Body) -> Body {
    let mut grown = after;
    grown.ops = body.ops.clone();
    grown.blocks = body.blocks.clone();
    grown.regions = body.regions.clone();
    grown.buffers = body.buffers.clone();
    grown.values = body.values.clone();
    grown
}

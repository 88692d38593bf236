//! Simplification: expressions and statements that have a simpler form where they stand.
//!
//! [`plan`] reads a body and gives a [`SimplifyPlan`]: items of mechanical steps, each with its reason, and what was refused. [`rewrite`]
//! does the steps. Planning goes in rounds, each on what the ones before make of the body, until nothing is left or
//! [`SimplifyOptions::rounds`] is reached, so the plan of a rewritten body is empty.
//!
//! One round (`round`): expressions top-down in what is known at each place (`expressions`, with the loops that run one
//! iteration or none: `loops`), then statements bottom-up (`statements`: decided branches, what does nothing, neighbours with one
//! condition, guards that do not depend on their loop), then guards in guards top-down (`guards`). Steps of a round are right
//! together: facts only come from places that dominate, and what stands there keeps its value.
//!
//! Soundness (`SEMANTICS: 0`): a replaced value is equal on every run without an event, and has no event of its own; a statement goes only if
//! nothing in it has an effect; what is evaluated at another place cannot trap or overflow there, and reads no memory. Loops that bind
//! threads, barriers and convergent calls keep the conditions that they stand under (`P6`, `P8`, `Y2`).
//!
//! A round is linear in the body and in what the simplifier needs for its expressions; explicit stacks. Rounds are few: most bodies need
//! one, and one more that finds nothing.

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

/// How far simplification goes.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct SimplifyOptions {
    /// Rounds, at most; a plan that ends here says so.
    pub rounds: u32,
}

impl Default for SimplifyOptions {
    fn default() -> SimplifyOptions {
        SimplifyOptions { rounds: 8 }
    }
}

/// What was done, for tests of growth.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Work {
    /// Rounds.
    pub rounds: u64,
    /// Operations looked at.
    pub operations: u64,
    /// Nodes of expressions compared and searched.
    pub nodes: u64,
    /// What the analyzer did.
    pub facts: u64,
}

/// What can be simplified in a body. With a text, what has no text of its own is simplified as part of what has.
pub fn plan(
    analyses: &Analyses<'_>,
    source: Option<SourceView<'_>>,
    options: &SimplifyOptions,
) -> SimplifyPlan {
    plan_counted(analyses, source, options).0
}

/// As [`plan`], with what it cost.
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

/// A body as it was, with the expressions of what became of it.
fn grown(body: &Body, after: Body) -> Body {
    let mut grown = after;
    grown.ops = body.ops.clone();
    grown.blocks = body.blocks.clone();
    grown.regions = body.regions.clone();
    grown.buffers = body.buffers.clone();
    grown.values = body.values.clone();
    grown
}

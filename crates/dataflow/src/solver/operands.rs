//! The operands of one operation, in evaluation order.
//!
//! In: the state where their evaluation starts (forward) or ends (backward). Out: that at the other side, and the
//! states at every occurrence on the way, given to an observer. Lazily evaluated operands are joined with going around
//! them (`SEMANTICS: S2`, `S5`). O(occurrences), with an explicit stack: expressions nest as deep as they like.

use ir::{OccurrenceId, OpId};

use super::{Analysis, Direction};
use crate::{
    flow::{Evaluated, Flow},
    lattice::Lattice,
};

/// Sees the state right before each node of an operation is evaluated.
pub(super) type Observer<'o, S> = &'o mut dyn FnMut(OccurrenceId, &S);

#[derive(Clone, Copy)]
enum Step {
    Visit(OccurrenceId),
    Node(OccurrenceId),
    /// Keeps the state of going around the next operand, or that of the other arm.
    Save,
    /// Goes back to the kept state and keeps the present one.
    Swap,
    /// Joins with the kept state.
    Join,
}

/// Applies the transfer of every occurrence of `op`.
pub(super) fn evaluate<A: Analysis>(
    flow: &Flow<'_>,
    analysis: &A,
    op: OpId,
    state: &mut A::State,
    mut observer: Option<Observer<'_, A::State>>,
) {
    let forward = A::DIRECTION == Direction::Forward;
    let mut saved: Vec<A::State> = Vec::new();
    let mut steps: Vec<Step> = roots(flow, op);
    if forward {
        steps.reverse();
    }
    let mut plan = Vec::new();
    while let Some(step) = steps.pop() {
        match step {
            Step::Visit(id) => {
                plan_node(flow, id, &mut plan);
                // What is pushed last is done first.
                if forward {
                    steps.extend(plan.drain(..).rev());
                } else {
                    steps.extend(plan.drain(..).map(mirrored));
                }
            }
            Step::Node(id) if forward => {
                if let Some(observer) = &mut observer {
                    observer(id, state);
                }
                analysis.occurrence(id, state);
            }
            Step::Node(id) => {
                analysis.occurrence(id, state);
                if let Some(observer) = &mut observer {
                    observer(id, state);
                }
            }
            Step::Save => saved.push(state.clone()),
            Step::Swap => {
                if let Some(top) = saved.last_mut() {
                    std::mem::swap(top, state);
                }
            }
            Step::Join => {
                if let Some(other) = saved.pop() {
                    state.join(&other);
                }
            }
        }
    }
}

fn roots(flow: &Flow<'_>, op: OpId) -> Vec<Step> {
    let mut roots = Vec::new();
    let mut past = None;
    for id in flow.occurrences.of_op(op) {
        if past.is_none_or(|it| it <= id) {
            roots.push(Step::Visit(id));
            past = Some(flow.occurrences[id].end);
        }
    }
    roots
}

/// The steps of a node in the order of execution: its operands, then itself.
fn plan_node(flow: &Flow<'_>, id: OccurrenceId, plan: &mut Vec<Step>) {
    let end = flow.occurrences[id].end;
    let mut child = ir::arena::Id::new(ir::arena::Id::index(id) + 1);
    let mut index = 0;
    let mut open_arms = 0;
    while child < end {
        match flow.evaluated(id, index) {
            Evaluated::Always => plan.push(Step::Visit(child)),
            Evaluated::Perhaps => plan.extend([Step::Save, Step::Visit(child), Step::Join]),
            Evaluated::OneOf => {
                plan.push(if open_arms == 0 { Step::Save } else { Step::Swap });
                plan.push(Step::Visit(child));
                open_arms += 1;
            }
        }
        child = flow.occurrences[child].end;
        index += 1;
    }
    if open_arms > 0 {
        plan.push(Step::Join);
    }
    plan.push(Step::Node(id));
}

/// The step that does the same when the plan is executed from its end.
fn mirrored(step: Step) -> Step {
    match step {
        Step::Save => Step::Join,
        Step::Join => Step::Save,
        step => step,
    }
}

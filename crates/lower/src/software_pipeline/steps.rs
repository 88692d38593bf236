//! The statements of a pipeline with their stages and orders, as the annotations of the loop give them.
//!
//! In: a loop, its statements in scopes. Out: a [`Step`] for each; a refusal where the lists do not fit the statements;
//! or the reason why they are not known. Linear.

use ir::{Attr, Body, OpId};

use super::{
    ASYNC, LEFT, ORDER, STAGE, accesses::Accesses, annotation, is_statement,
    statements::is_declaration,
};
use crate::{LowerRefusal, edit::loop_block, lists::constant, reasons};

/// A result, or the reason why the loop stays as it is; or a refusal.
pub(super) type Checked<T> = Result<Result<T, String>, LowerRefusal>;

/// A refusal of annotations.
pub(super) fn refusal(what: impl Into<String>) -> LowerRefusal {
    LowerRefusal::new(reasons::SOFTWARE_PIPELINE, what)
}

/// A statement of a pipeline.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Step {
    /// The scope that holds it.
    pub(super) op: OpId,
    pub(super) stage: i64,
    pub(super) order: i64,
    /// True if its stage is asynchronous, and it can be.
    pub(super) is_async: bool,
    /// Accessed objects.
    pub(super) accesses: Accesses,
}

impl Step {
    /// Its place among the statements of one iteration.
    pub(super) fn time(&self) -> (i64, i64) {
        (self.stage, self.order)
    }
}

/// The statements with their stages and orders, in the order of the text.
pub(super) fn steps(body: &Body, op: OpId) -> Checked<Vec<Step>> {
    let (Some(stages), Some(orders)) = (annotation(body, op, STAGE), annotation(body, op, ORDER))
    else {
        let missing = if annotation(body, op, STAGE).is_none() { "stages" } else { "orders" };
        return Err(refusal(format!("a software pipeline has no list of {missing}")));
    };
    let none = Attr::List(Vec::new());
    let asynchronous = annotation(body, op, ASYNC).unwrap_or(&none);
    let (Some(stages), Some(orders), Some(asynchronous)) =
        (integers(stages), integers(orders), integers(asynchronous))
    else {
        return Ok(Err("its stages or orders are no lists of integers".into()));
    };
    let mut found = Vec::new();
    for &it in &body.blocks[loop_block(body, op)].ops {
        if is_statement(body, it) {
            if constant(body, body.ops[it].operands[1]) != Some(0) {
                return Ok(Err("a copy in it is not one store that could be two".into()));
            }
            found.push(it);
        } else if !is_declaration(body, it) {
            let is_left = annotation(body, it, LEFT).is_some();
            let what = if is_left { "a pipeline in it is none" } else { "it has no statements" };
            return Ok(Err(what.into()));
        }
    }
    for (list, what) in [(&stages, "stages"), (&orders, "orders")] {
        if list.len() != found.len() {
            let (has, n) = (list.len(), found.len());
            let what = format!("a software pipeline of {n} statements has {has} {what}");
            return Err(refusal(what));
        }
    }
    let mut taken = vec![false; orders.len()];
    for &order in &orders {
        let place = usize::try_from(order).ok().and_then(|it| taken.get_mut(it));
        if place.is_none_or(|it| std::mem::replace(it, true)) {
            let what = format!("the orders of a software pipeline are no permutation: {orders:?}");
            return Err(refusal(what));
        }
    }
    let first = stages.iter().copied().min().unwrap_or(0);
    if first < 0 {
        return Err(refusal("a software pipeline has a negative stage"));
    }
    let of = |(at, op): (usize, OpId)| Step {
        op,
        stage: stages[at] - first,
        order: orders[at],
        is_async: asynchronous.contains(&stages[at]),
        accesses: Accesses::default(),
    };
    Ok(Ok(found.into_iter().enumerate().map(of).collect()))
}

fn integers(attr: &Attr) -> Option<Vec<i64>> {
    let Attr::List(items) = attr else { return None };
    let int = |it: &Attr| match it {
        Attr::Int(value, _) => Some(*value),
        _ => None,
    };
    items.iter().map(int).collect()
}

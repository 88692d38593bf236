//! Facts that cannot be stated, as some run contradicts them.
//!
//! In: a context, a condition that nothing shows there, the variables that take all values of a range: those of loops,
//! threads. Out: whether the condition contradicts the context, or does for a value that such a variable takes there.
//! `i < 64` in a loop over 512 iterations is false in most of them; of a parameter it may be true of all calls. Values
//! are searched among the ends of ranges. For questions of a person: as much work as so many contexts.

use ir::{BinaryOp, DataType, ExprId, ExprKind, ValueId};
use rustc_hash::FxHashSet;

use crate::{
    contexts::{Constraint, ContextId},
    deduction::Deduction,
    facts::Overflow,
};

/// Variables of one fact whose values are tried, and choices that are.
const MOST_VARIABLES: usize = 4;
const MOST_TRIES: u32 = 128;
/// Contexts that are searched for ranges, and nodes of a fact.
const MOST_CONTEXTS: usize = 256;
const MOST_NODES: usize = 256;

/// A variable that takes every value of a range, one after the other or in one thread each.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Attained {
    /// Variable of a loop, index of a thread.
    pub variable: ValueId,
    /// True if its first value is a number: then it is one that it has.
    pub has_first: bool,
    /// True if its last value is a number.
    pub has_last: bool,
}

/// The variables of the ranges of a context.
pub(crate) fn attained(of: &mut Deduction<'_>, ctx: ContextId) -> Vec<Attained> {
    let mut res: Vec<Attained> = Vec::new();
    let mut at = ctx;
    for _ in 0..MOST_CONTEXTS {
        let Some(above) = of.contexts().parent(at) else { break };
        if let Constraint::Range { var, min, extent, .. } = of.contexts().constraint(at)
            && res.iter().all(|it| it.variable != var)
        {
            let mut is_number = |it: ExprId| {
                let facts = of.facts(Overflow::Excluded, above, it);
                facts.interval.as_constant().is_some()
            };
            let has_first = min.is_none_or(&mut is_number);
            let has_last = has_first && is_number(extent);
            res.push(Attained { variable: var, has_first, has_last });
        }
        at = above;
    }
    res
}

/// Returns true if some run that reaches a context contradicts a condition: whatever the parameters are, or for a value
/// that a variable of a range takes.
pub(crate) fn is_refuted(
    of: &mut Deduction<'_>,
    overflow: Overflow,
    ctx: ContextId,
    fact: ExprId,
    attained: &[Attained],
) -> bool {
    let named = variables(of, fact);
    let is_tried = |it: &&Attained| (it.has_first || it.has_last) && named.contains(&it.variable);
    let mut tried: Vec<Attained> = attained.iter().filter(is_tried).copied().collect();
    tried.truncate(MOST_VARIABLES);
    let mut search = Search { overflow, fact, left: MOST_TRIES };
    search.is_false(of, ctx, &tried)
}

/// The variables that a condition is made of, and those that they are bound to.
fn variables(of: &Deduction<'_>, fact: ExprId) -> FxHashSet<ValueId> {
    let mut named = FxHashSet::default();
    let mut seen = FxHashSet::default();
    let mut todo = vec![fact];
    while let Some(at) = todo.pop() {
        if !seen.insert(at) || seen.len() > MOST_NODES {
            continue;
        }
        let kind = of.body().expr(at).kind;
        if let ExprKind::Value(value) = kind {
            named.insert(value);
            todo.extend(of.nodes().definition(value));
        }
        of.body().each_child(kind, &mut |child| todo.push(child));
    }
    named
}

struct Search {
    overflow: Overflow,
    fact: ExprId,
    left: u32,
}

impl Search {
    /// Chooses values of the variables, until the fact is false. Recursion is bounded by their number.
    fn is_false(&mut self, of: &mut Deduction<'_>, ctx: ContextId, tried: &[Attained]) -> bool {
        let Some(left) = self.left.checked_sub(1) else { return false };
        self.left = left;
        if of.is_contradiction(self.overflow, ctx) {
            return false;
        }
        let with = of.assume(ctx, self.fact, true);
        if of.decide_with(self.overflow, ctx, self.fact) == Some(false)
            || of.is_contradiction(self.overflow, with)
        {
            return true;
        }
        let Some((first, rest)) = tried.split_first() else { return false };
        for value in self.values(of, ctx, first) {
            let chosen = of.grow(|body| {
                let variable = body.value_expr(first.variable);
                let dtype = body.dtype(variable).unwrap_or(DataType::INT64);
                let value = body.int(value, dtype);
                body.binary(BinaryOp::Eq, variable, value)
            });
            let at = of.assume(ctx, chosen, true);
            if self.is_false(of, at, rest) {
                return true;
            }
        }
        false
    }

    /// Values that a variable takes: the ends of its range, those where the fact fails first.
    fn values(&self, of: &mut Deduction<'_>, ctx: ContextId, it: &Attained) -> Vec<i128> {
        let variable = of.grow(|body| body.value_expr(it.variable));
        let all = of.facts(self.overflow, ctx, variable).interval;
        let without = of.assume(ctx, self.fact, false);
        let mut ends = Vec::new();
        if it.has_first && it.has_last {
            if !of.is_contradiction(self.overflow, without) {
                let failing = of.facts(self.overflow, without, variable).interval;
                ends.extend([failing.max, failing.min]);
            }
            ends.extend([all.max, all.min, all.max.saturating_sub(1), all.min.saturating_add(1)]);
        } else if it.has_first {
            ends.push(all.min);
        } else {
            ends.push(all.max);
        }
        let mut values: Vec<i128> = Vec::new();
        for end in ends {
            if all.min <= end && end <= all.max && !values.contains(&end) {
                values.push(end);
            }
        }
        values
    }
}

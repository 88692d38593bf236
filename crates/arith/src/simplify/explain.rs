//! Explanations: the steps that lead to a result, and the facts that are missing for a simpler one.
//!
//! [`Step`]s are the rewrites of the simplifier, in order, each at one node. A [`Missing`] fact is a condition of a
//! rule whose left side matches and whose other conditions hold. Both are found by simplifying again: steps where there
//! were some, missing facts everywhere. The names of the rules alone are recorded on the way, as every plan lists them.

use ir::ExprId;
use rustc_hash::FxHashMap;

use super::{At, Simplifier};
use crate::{ContextId, Overflow};

/// Missing facts that are listed; a person reads the first.
const MOST_MISSING: usize = 32;

/// One rewrite of one node.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Step {
    /// The name of the rule or stage.
    pub rule: &'static str,
    /// The node.
    pub before: ExprId,
    /// The expression after the step.
    pub after: ExprId,
    /// The context that decides, for a decided condition: the constraint that it adds to its parent is the reason.
    pub because: Option<ContextId>,
}

/// A fact that would let a rule apply.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Missing {
    /// The rule.
    pub rule: &'static str,
    /// The node that it would apply to.
    pub expr: ExprId,
    /// The fact that could not be shown.
    pub fact: MissingFact,
}

/// The fact that could not be shown.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum MissingFact {
    /// This condition.
    Holds(ExprId),
    /// The fact that no sum or product in this expression leaves the range of its type.
    NoOverflow(ExprId),
    /// The fact that evaluating this condition early is no error.
    NoEvent(ExprId),
}

/// The record of a simplification, for an explanation.
#[derive(Default)]
pub(super) struct Trace {
    /// True if steps have reasons.
    has_reasons: bool,
    steps: Vec<Step>,
    missing: Vec<Missing>,
}

/// The names of the rules that made nodes simpler.
#[derive(Default)]
pub(super) struct Names {
    /// Since the last outer query: in the order of use, once for each node that is being simplified.
    noted: Vec<&'static str>,
    /// By node and place: where its names begin and end.
    of: FxHashMap<(ExprId, At), (u32, u32)>,
    all: Vec<&'static str>,
}

impl Names {
    pub(super) fn len(&self) -> usize {
        self.noted.len()
    }
    pub(super) fn truncate(&mut self, len: usize) {
        self.noted.truncate(len);
    }
    pub(super) fn forget(&mut self) {
        self.noted.clear();
    }
    fn note(&mut self, rule: &'static str) {
        self.noted.push(rule);
    }
    /// Keeps the records from a place on as the names of a node.
    pub(super) fn keep(&mut self, expr: ExprId, at: At, from: usize) {
        let mut end = from;
        for next in from..self.noted.len() {
            let name = self.noted[next];
            if !self.noted[from..end].contains(&name) {
                self.noted[end] = name;
                end += 1;
            }
        }
        self.noted.truncate(end);
        let start = self.all.len() as u32;
        self.all.extend_from_slice(&self.noted[from..]);
        self.of.insert((expr, at), (start, self.all.len() as u32));
    }
    /// Notes the names of a node again, for the node around it.
    pub(super) fn repeat(&mut self, expr: ExprId, at: At) {
        if let Some(&(start, end)) = self.of.get(&(expr, at)) {
            self.noted.extend_from_slice(&self.all[start as usize..end as usize]);
        }
    }
    fn of(&self, expr: ExprId, at: At) -> &[&'static str] {
        match self.of.get(&(expr, at)) {
            Some(&(start, end)) => &self.all[start as usize..end as usize],
            None => &[],
        }
    }
}

impl Simplifier<'_> {
    /// The steps from an expression to its simplest form, in the order in which they are taken.
    pub fn steps(&mut self, ctx: ContextId, expr: ExprId, reading: Overflow) -> Vec<Step> {
        self.retraced(At { ctx, reading }, expr, true)
    }

    /// The names of the rules that lead from an expression to its simplest form, each once, in the order of their first
    /// use.
    pub fn rules(&mut self, ctx: ContextId, expr: ExprId, reading: Overflow) -> Vec<&'static str> {
        self.simplify(ctx, expr, reading);
        let at = At { ctx: self.nearest(At { ctx, reading }, expr), reading };
        self.names.of(expr, at).to_vec()
    }

    fn retraced(&mut self, at: At, expr: ExprId, has_reasons: bool) -> Vec<Step> {
        self.settled = std::mem::take(&mut self.memo);
        let steps = self.traced(at, expr, has_reasons).steps;
        self.memo = std::mem::take(&mut self.settled);
        steps
    }

    /// Returns the facts that would let a rule apply to the simplest form of an expression, each with its rule. None
    /// that some run contradicts which gets there.
    pub fn missing(&mut self, ctx: ContextId, expr: ExprId, reading: Overflow) -> Vec<Missing> {
        let result = self.simplify(ctx, expr, reading);
        let memo = std::mem::take(&mut self.memo);
        let mut missing = self.traced(At { ctx, reading }, result, false).missing;
        self.memo = memo;
        let attained = self.analyzer.attained(ctx);
        missing.retain(|it| match it.fact {
            MissingFact::Holds(fact) => !self.analyzer.is_refuted(reading, ctx, fact, &attained),
            MissingFact::NoOverflow(_) | MissingFact::NoEvent(_) => true,
        });
        missing
    }

    /// With nothing in the memo.
    fn traced(&mut self, at: At, expr: ExprId, has_reasons: bool) -> Trace {
        self.trace = Some(Trace { has_reasons, ..Trace::default() });
        self.last_chain = None;
        self.simplified(at, expr);
        self.names.forget();
        self.trace.take().unwrap_or_default()
    }

    pub(super) fn note_step(&mut self, at: At, rule: &'static str, before: ExprId, after: ExprId) {
        self.names.note(rule);
        let Some(trace) = &self.trace else { return };
        let is_condition =
            trace.has_reasons && self.body().ty(before).is_bool() && self.as_bool(after).is_some();
        let because = is_condition.then(|| self.analyzer.why(at.reading, at.ctx, before)).flatten();
        if let Some(trace) = &mut self.trace {
            trace.steps.push(Step { rule, before, after, because });
        }
    }

    pub(super) fn note_missing(
        &mut self,
        _: At,
        rule: &'static str,
        expr: ExprId,
        fact: impl FnOnce(&mut Self) -> Option<MissingFact>,
    ) {
        if self.trace.as_ref().is_none_or(|it| it.missing.len() >= MOST_MISSING) {
            return;
        }
        let Some(fact) = fact(self) else { return };
        if let Some(trace) = &mut self.trace {
            let missing = Missing { rule, expr, fact };
            if !trace.missing.contains(&missing) {
                trace.missing.push(missing);
            }
        }
    }

    /// Notes that a divisor or factor of one in `expr` is not shown to be positive; it is not 0.
    pub(super) fn note_missing_sign(
        &mut self,
        at: At,
        rule: &'static str,
        expr: ExprId,
        factor: ExprId,
    ) {
        self.note_missing(at, rule, expr, |it| {
            let dtype = it.body().dtype(factor)?;
            let zero = it.int(0, dtype);
            Some(MissingFact::Holds(it.binary(ir::BinaryOp::Ge, factor, zero)))
        });
    }
}

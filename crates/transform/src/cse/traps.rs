//! Places where evaluating a value adds no error.
//!
//! In: the facts, the classes and the proofs. Out: [`Traps`], which answers whether a value may be evaluated right
//! before an operation although it can trap: every division, shift, conversion … in it is evaluated there anyway, on
//! every path before that place or after it (`SEMANTICS: 0`, anticipated; an error that was there is not added), or
//! bounds show that it cannot trap there. So `a * (x // y)` may stand wherever `x // y` is certain, also where the
//! product is not, and so may `A[x // y % 4]`. Built on first use: O(occurrences that may trap · log depth); a question
//! is O(possible traps in the value · log n).

use std::cell::OnceCell;

use ir::{ExprId, ExprKind, OccurrenceId, OpId, arena::Id};

use super::{
    Work,
    facts::{Facts, Seen},
    index::{Index, Known},
    place::{self, Position},
    proofs::Proofs,
    values::Values,
};

/// Nodes looked at in one value; larger ones are not shown safe.
const FUEL: usize = 256;

/// The operators that may trap, and where they are certain to be evaluated.
pub(super) struct Traps<'a> {
    facts: &'a Facts<'a>,
    values: &'a Values<'a>,
    proofs: &'a Proofs<'a>,
    index: OnceCell<Index<'a>>,
}

impl<'a> Traps<'a> {
    pub(super) fn new(
        facts: &'a Facts<'a>,
        values: &'a Values<'a>,
        proofs: &'a Proofs<'a>,
    ) -> Traps<'a> {
        Traps { facts, values, proofs, index: OnceCell::new() }
    }

    /// Returns true if evaluating the value of an occurrence right before an operation adds no error.
    pub(super) fn is_safe(&self, value: OccurrenceId, before: OpId, work: &mut Work) -> bool {
        let culprit = self.facts.culprit(self.facts.occurrences[value].expr);
        culprit.is_none()
            || self.each_is_safe(value, before, work)
            || self.proofs.cannot_trap(value, before)
    }

    /// Returns true if each operator that may trap in the value of an occurrence is evaluated anyway when control
    /// reaches `before`, or cannot trap there.
    fn each_is_safe(&self, value: OccurrenceId, before: OpId, work: &mut Work) -> bool {
        let facts = self.facts;
        let index = match self.index.get() {
            Some(it) => it,
            None => self.index.get_or_init(|| self.build(work)),
        };
        let end = facts.occurrences[value].end;
        let mut at = value;
        for _ in 0..FUEL {
            if at >= end {
                return true;
            }
            work.visited += 1;
            let here = facts.occurrences[at];
            let is_evaluated = self.is_asked_about(here.expr) && index.lookup(at, before).is_some();
            let is_own = facts.culprit(here.expr) == Some(here.expr);
            if is_own && !is_evaluated && !self.proofs.cannot_trap_alone(at, before) {
                return false;
            }
            let is_done = facts.culprit(here.expr).is_none() || is_evaluated;
            at = if is_done { here.end } else { OccurrenceId::new(at.index() + 1) };
        }
        false
    }

    /// Returns true if the certain evaluations of an expression are needed: it may trap by itself, or it evaluates an
    /// operand that may trap only sometimes, so that it is certain and its parts are not.
    fn is_asked_about(&self, expr: ExprId) -> bool {
        let body = self.facts.body;
        match self.facts.culprit(expr) {
            None => false,
            Some(culprit) if culprit == expr => true,
            Some(_) => match body.expr(expr).kind {
                ExprKind::Select(..) | ExprKind::IfThenElse(..) => true,
                ExprKind::Binary(op, ..) => op.is_logical(),
                _ => false,
            },
        }
    }

    /// The places from which on each value that is asked about is evaluated for certain.
    fn build(&self, work: &mut Work) -> Index<'a> {
        let facts = self.facts;
        let is_evaluated = |id| {
            facts.has(id, Seen::REPLACEABLE)
                && (facts.has(id, Seen::SCANNED) || facts.has(id, Seen::UNDER_LET))
        };
        let traps = facts.occurrences.iter().filter(|&(id, it)| {
            self.is_asked_about(it.expr)
                && is_evaluated(id)
                && !facts.has(id, Seen::PLACE)
                && facts.body.expr(it.expr).flags.open_binders == 0
        });
        let mut all: Vec<_> = traps
            .map(|(id, _)| {
                let op = facts.evaluated_at(id);
                (self.values.class(id), facts.scopes.order(op), id, op)
            })
            .collect();
        work.visited += (facts.occurrences.len() + all.len()) as u64;
        work.compared += (all.len() * size_of::<(u32, u32, OccurrenceId, OpId)>()) as u64;
        all.sort_unstable();
        let mut known = Vec::new();
        for class in all.chunk_by(|a, b| a.0 == b.0) {
            let positions: Vec<Position> = class
                .iter()
                .map(|&(.., occurrence, op)| Position {
                    occurrence,
                    op,
                    lazy: facts.is_lazy(occurrence, None),
                    visible_from: 0,
                    cost: 0,
                    within: None,
                })
                .collect();
            place::each_certain(facts, &positions, |scope, event| {
                let from = facts.segment_start(event);
                let part = facts.part(event);
                known.push(Known {
                    class: class[0].0,
                    scope,
                    from,
                    crosses: true,
                    form: None,
                    part,
                });
            });
        }
        Index::build(facts, self.values, None, known)
    }
}

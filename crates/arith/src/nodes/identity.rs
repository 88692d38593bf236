//! Value identity: nodes that are one value, however they are written.
//!
//! Facts about `m * n` are facts about `n * m`, and about `p` after `p = n * m`. Nodes that are equal at the arithmetic
//! level of [`crate::canonical`] share a *representative*, the first of them that was asked for; facts are kept with
//! it. Only nodes that are values of their variables have one. O(operands) a node, once, without native recursion.

use ir::{Body, ExprId, ExprKind, arena::Id, effects::EffectTable, plan::Equivalence};
use smallvec::SmallVec;

use super::summary::Summaries;
use crate::canonical::{TermId, Terms};

/// The terms of the nodes asked for.
#[derive(Clone)]
pub(crate) struct Identity<'a> {
    terms: Terms<'a>,
    of: Vec<Option<TermId>>,
    first: Vec<Option<ExprId>>,
}

impl<'a> Identity<'a> {
    pub(crate) fn new(effects: &'a EffectTable) -> Identity<'a> {
        Identity {
            terms: Terms::with_effects(Equivalence::Arithmetic, effects),
            of: Vec::new(),
            first: Vec::new(),
        }
    }

    /// Makes room for as many nodes.
    pub(crate) fn grow(&mut self, n_exprs: usize) {
        self.of.resize(n_exprs, None);
    }

    /// The node that stands for all that are equal to this one; itself if it is no value of its variables.
    #[inline]
    pub(crate) fn representative(
        &mut self,
        body: &Body,
        summaries: &mut Summaries<'_>,
        expr: ExprId,
    ) -> ExprId {
        match self.term(body, summaries, expr) {
            Some(term) => {
                if self.first.len() <= term.index() {
                    self.first.resize(self.terms.len(), None);
                }
                *self.first[term.index()].get_or_insert(expr)
            }
            None => expr,
        }
    }

    /// The term of a node; none if it is no value of its variables.
    #[inline]
    pub(crate) fn term(
        &mut self,
        body: &Body,
        summaries: &mut Summaries<'_>,
        expr: ExprId,
    ) -> Option<TermId> {
        // Only stable nodes have one.
        match self.of[expr.index()] {
            None => self.work_out(body, summaries, expr),
            known => known,
        }
    }

    fn work_out(
        &mut self,
        body: &Body,
        summaries: &mut Summaries<'_>,
        expr: ExprId,
    ) -> Option<TermId> {
        if !summaries.get(body, expr).is_stable {
            return None;
        }
        let mut stack: SmallVec<[(ExprId, bool); 16]> = SmallVec::new();
        stack.push((expr, false));
        let mut below: SmallVec<[ExprId; 8]> = SmallVec::new();
        while let Some((at, is_entered)) = stack.pop() {
            if self.of[at.index()].is_some() {
                continue;
            }
            let node = body.expr(at);
            below.clear();
            let definition = seen_through(body, summaries, at);
            match definition {
                Some(definition) => below.push(definition),
                None => body.each_child(node.kind, &mut |child| below.push(child)),
            }
            // Most often a node is asked for after its operands.
            if !is_entered && below.iter().any(|it| self.of[it.index()].is_none()) {
                stack.push((at, true));
                stack.extend(below.iter().map(|&it| (it, false)));
                continue;
            }
            let terms: Option<SmallVec<[TermId; 8]>> =
                below.iter().map(|it| self.of[it.index()]).collect();
            self.of[at.index()] = match (terms, definition) {
                (Some(terms), Some(_)) => terms.first().copied(),
                (Some(terms), None) => {
                    Some(self.terms.term(body, &node.kind, node.ty, &terms, None))
                }
                // A circle of definitions in a broken body.
                (None, _) => Some(self.terms.term(body, &node.kind, node.ty, &[], None)),
            };
        }
        self.of[expr.index()]
    }
}

/// Returns the definition of a variable where the two are one value. A narrow sum is not: it is cut when it is bound
/// (`SEMANTICS: I3`).
fn seen_through(body: &Body, summaries: &mut Summaries<'_>, expr: ExprId) -> Option<ExprId> {
    let ExprKind::Value(value) = body.expr(expr).kind else { return None };
    let definition = summaries.definition(body, value)?;
    let dtype = body.dtype(expr)?;
    let is_same = body.dtype(definition) == Some(dtype);
    let is_wide = dtype.is_bool() || (dtype.is_integer() && dtype.bits >= 32);
    (is_same && is_wide && summaries.get(body, definition).is_stable).then_some(definition)
}

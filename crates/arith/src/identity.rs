//! Which nodes are one value, however they are written.
//!
//! Facts about `m * n` are facts about `n * m`, and about `p` after `p = n * m`. Nodes that are equal at the arithmetic level of
//! [`crate::canonical`] share a *representative*, the first of them that was asked for; facts are kept with it. Only nodes that
//! are values of their variables have one. O(operands) a node, once, without native recursion.

use ir::{Body, ExprId, ExprKind, arena::Id, effects::EffectTable, plan::Equivalence};

use crate::{
    canonical::{TermId, Terms},
    summary::Summaries,
};

/// The terms of the nodes asked for.
pub(crate) struct Identity<'a> {
    body: &'a Body,
    terms: Terms<'a>,
    of: Vec<Option<TermId>>,
    first: Vec<Option<ExprId>>,
}

impl<'a> Identity<'a> {
    pub(crate) fn new(body: &'a Body, effects: &'a EffectTable) -> Identity<'a> {
        Identity {
            body,
            terms: Terms::with_effects(Equivalence::Arithmetic, effects),
            of: vec![None; body.n_exprs()],
            first: Vec::new(),
        }
    }

    /// The node that stands for all that are equal to this one; itself if it is no value of its variables.
    pub(crate) fn representative(&mut self, summaries: &mut Summaries<'_>, expr: ExprId) -> ExprId {
        match self.term(summaries, expr) {
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
    pub(crate) fn term(&mut self, summaries: &mut Summaries<'_>, expr: ExprId) -> Option<TermId> {
        if !summaries.get(expr).is_stable {
            return None;
        }
        let mut stack = vec![(expr, false)];
        let mut below = Vec::new();
        while let Some((at, is_entered)) = stack.pop() {
            if self.of[at.index()].is_some() {
                continue;
            }
            let node = *self.body.expr(at);
            below.clear();
            let definition = self.seen_through(summaries, at);
            match definition {
                Some(definition) => below.push(definition),
                None => self.body.each_child(node.kind, &mut |child| below.push(child)),
            }
            if !is_entered {
                stack.push((at, true));
                stack.extend(below.iter().map(|&it| (it, false)));
                continue;
            }
            let terms: Option<Vec<TermId>> = below.iter().map(|it| self.of[it.index()]).collect();
            self.of[at.index()] = match (terms, definition) {
                (Some(terms), Some(_)) => terms.first().copied(),
                (Some(terms), None) => {
                    Some(self.terms.term(self.body, &node.kind, node.ty, &terms, None))
                }
                // A circle of definitions in a broken body.
                (None, _) => Some(self.terms.term(self.body, &node.kind, node.ty, &[], None)),
            };
        }
        self.of[expr.index()]
    }

    /// What a variable is bound to, where the two are one value. A narrow sum is not: it is cut when it is bound
    /// (`SEMANTICS: I3`).
    fn seen_through(&self, summaries: &mut Summaries<'_>, expr: ExprId) -> Option<ExprId> {
        let ExprKind::Value(value) = self.body.expr(expr).kind else { return None };
        let definition = summaries.definition(value)?;
        let dtype = self.body.dtype(expr)?;
        let is_same = self.body.dtype(definition) == Some(dtype);
        let is_wide = dtype.is_bool() || (dtype.is_integer() && dtype.bits >= 32);
        (is_same && is_wide && summaries.get(definition).is_stable).then_some(definition)
    }
}

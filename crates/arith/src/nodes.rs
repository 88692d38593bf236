//! The nodes of the body that an analyzer is about, and what is known of each before any context.
//!
//! In: a body. Out: of a node what it depends on, what a variable is bound to, and which nodes are one value. All of it
//! is worked out once a node, on demand; nodes are only ever added, so what was found out stays true. O(operands) a
//! node.

mod identity;
mod shared_body;
mod summary;

use ir::{Body, ExprId, ExprKind, OpId, OpKind, ValueId, arena::Id, effects::EffectTable};

use self::{
    identity::Identity,
    summary::{Summaries, Summary},
};
use crate::{canonical::TermId, integers::is_integral};

pub(crate) use self::{shared_body::SharedBody, summary::VariableSet};

/// The nodes of one body.
#[derive(Clone)]
pub(crate) struct Nodes<'a> {
    body: SharedBody<'a>,
    effects: &'a EffectTable,
    summaries: Summaries<'a>,
    identity: Identity<'a>,
    /// The node of each variable that is used.
    of_values: Vec<Option<ExprId>>,
}

impl<'a> Nodes<'a> {
    /// The nodes of a body.
    pub(crate) fn new(body: SharedBody<'a>, effects: &'a EffectTable) -> Nodes<'a> {
        let mut nodes = Nodes {
            summaries: Summaries::new(&body, effects),
            identity: Identity::new(effects),
            of_values: Vec::new(),
            effects,
            body,
        };
        nodes.grow_tables(0);
        nodes
    }

    /// Makes room for the nodes from this one on, and for new variables.
    fn grow_tables(&mut self, first: usize) {
        let n_exprs = self.body.n_exprs();
        self.of_values.resize(self.body.values.len(), None);
        self.summaries.grow(n_exprs);
        self.identity.grow(n_exprs);
        for expr in (first..n_exprs).map(ExprId::new) {
            if let ExprKind::Value(value) = self.body.expr(expr).kind {
                self.of_values[value.index()] = Some(expr);
            }
        }
    }

    /// As [`crate::Analyzer::grow`].
    pub(crate) fn grow<R>(&mut self, add: impl FnOnce(&mut Body) -> R) -> R {
        let (first, n_values) = (self.body.n_exprs(), self.body.values.len());
        let result = add(self.body.to_mut());
        // Most often the node is there already.
        if (self.body.n_exprs(), self.body.values.len()) != (first, n_values) {
            self.grow_tables(first);
        }
        result
    }

    /// As [`crate::Analyzer::rewrite`].
    pub(crate) fn rewrite(&mut self, was: &Body, change: impl FnOnce(&mut Body)) -> bool {
        let (first, n_values) = (self.body.n_exprs(), self.body.values.len());
        change(self.body.to_mut());
        let body = &*self.body;
        let is_same = |op: OpId| {
            let Some(now) = body.ops.get(op) else { return false };
            let was = &was.ops[op];
            was.kind != OpKind::Bind || (now.kind, &now.operands) == (was.kind, &was.operands)
        };
        let same_shapes = || {
            let mut both = body.buffers.iter().zip(was.buffers.iter());
            body.buffers.len() == was.buffers.len() && both.all(|(a, b)| a.1.shape == b.1.shape)
        };
        let goes_on = body.n_exprs() >= first
            && body.values.len() == n_values
            && body.sblocks.is_empty()
            && was.ops.ids().all(is_same)
            && same_shapes();
        self.grow_tables(first);
        goes_on
    }

    /// The body, with all that was added to it.
    pub(crate) fn into_body(self) -> Body {
        self.body.into_body()
    }
    /// The body, as it is now.
    #[inline]
    pub(crate) fn body(&self) -> &Body {
        &self.body
    }
    /// The body, for a walk during which facts are worked out.
    pub(crate) fn share(&self) -> SharedBody<'a> {
        self.body.clone()
    }
    /// The effects of operators and calls.
    pub(crate) fn effects(&self) -> &'a EffectTable {
        self.effects
    }

    /// Returns the variables that a node depends on, with the rest of its summary.
    #[inline]
    pub(crate) fn summary(&mut self, expr: ExprId) -> Summary {
        self.summaries.get(&self.body, expr)
    }
    /// The variables of a set, unless it is [`VariableSet::ALL`].
    #[inline]
    pub(crate) fn variables(&self, set: VariableSet) -> Option<&[ValueId]> {
        self.summaries.variables(set)
    }
    /// The variables of both.
    pub(crate) fn union(&mut self, a: VariableSet, b: VariableSet) -> VariableSet {
        self.summaries.union(a, b)
    }
    /// Returns the expression that a variable is bound to, if it is bound once and for all.
    #[inline]
    pub(crate) fn definition(&self, value: ValueId) -> Option<ExprId> {
        self.summaries.definition(&self.body, value)
    }
    /// The node that is this variable; none if it is used nowhere.
    pub(crate) fn node_of(&self, value: ValueId) -> Option<ExprId> {
        self.of_values[value.index()]
    }
    /// The canonical term of a node; none if it is no value of its variables.
    pub(crate) fn term_of(&mut self, expr: ExprId) -> Option<TermId> {
        self.identity.term(&self.body, &mut self.summaries, expr)
    }
    /// The node that facts about `expr` are kept with.
    #[inline]
    pub(crate) fn representative(&mut self, expr: ExprId) -> ExprId {
        self.identity.representative(&self.body, &mut self.summaries, expr)
    }

    /// Returns true if facts may be recorded for a node: it is an integer and a value of its variables.
    pub(crate) fn is_fact(&mut self, expr: ExprId) -> bool {
        self.summary(expr).is_stable && self.body.dtype(expr).is_some_and(is_integral)
    }

    /// Returns the definition of a wide variable: the two have one representative and so the same facts.
    pub(crate) fn seen_through(&self, mut expr: ExprId) -> ExprId {
        /// Variables bound to variables.
        const MOST_BINDINGS: u32 = 16;
        for _ in 0..MOST_BINDINGS {
            let ExprKind::Value(value) = self.body.expr(expr).kind else { break };
            match self.definition(value) {
                Some(definition)
                    if self.body.ty(definition) == self.body.ty(expr)
                        && self
                            .body
                            .dtype(expr)
                            .is_some_and(|it| it.bits >= 32 || it.is_bool()) =>
                {
                    expr = definition;
                }
                _ => break,
            }
        }
        expr
    }

    pub(crate) fn is_int(&self, expr: ExprId) -> bool {
        matches!(self.body.expr(expr).kind, ExprKind::Int(_))
    }

    /// Returns true if the two have no common variable. Does not hold for calls, which may be equal without one.
    pub(crate) fn has_no_common_variable(&mut self, a: ExprId, b: ExprId) -> bool {
        let [x, y] = [a, b].map(|it| self.summary(it).variables);
        let (Some(x), Some(y)) = (self.variables(x), self.variables(y)) else {
            return false;
        };
        !self.body.expr(a).flags.has_call && x.iter().all(|it| !y.contains(it))
    }

    /// Returns true if two wide integers are equal, however they are written.
    pub(crate) fn is_one_value(&mut self, a: ExprId, b: ExprId) -> bool {
        let is_wide = self.body.dtype(a).is_some_and(|it| it.bits >= 32);
        is_wide && self.summary(a).is_stable && self.representative(a) == self.representative(b)
    }
}

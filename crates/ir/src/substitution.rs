//! Substitution: replacing variables by expressions.
//!
//! In: a body, variables with their replacements, and an expression. Out: the expression without those variables, as
//! nodes of the body. Replacements are not substituted again. Each node is rebuilt once, however many expressions are
//! asked for; no recursion.

use smallvec::SmallVec;

use crate::{Body, ExprId, ExprKind, ValueId, arena::Id as _};

/// Expressions in the places of variables, each node once.
#[derive(Clone, Default, Debug)]
pub struct Substitution {
    /// By value; empty if nothing is replaced.
    values: Vec<Option<ExprId>>,
    /// By node that has operands.
    memo: Vec<Option<ExprId>>,
    /// Nodes on the way.
    stack: Vec<ExprId>,
}

impl Substitution {
    /// Returns true if the substitution replaces nothing.
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    /// Returns true if the substitution replaces a variable.
    pub fn has(&self, value: ValueId) -> bool {
        self.of_value(value).is_some()
    }

    fn of_value(&self, value: ValueId) -> Option<ExprId> {
        self.values.get(value.index()).copied().flatten()
    }

    /// Replaces one more variable, in expressions that are requested from now on and were not before.
    pub fn add(&mut self, value: ValueId, with: ExprId) {
        if self.values.len() <= value.index() {
            self.values.resize(value.index() + 1, None);
        }
        self.values[value.index()] = Some(with);
    }

    /// The expression with all variables replaced.
    pub fn apply(&mut self, body: &mut Body, expr: ExprId) -> ExprId {
        if let Some(known) = self.known(body, expr) {
            return known;
        }
        self.memo.resize(body.n_exprs(), None);
        let mut stack = std::mem::take(&mut self.stack);
        stack.push(expr);
        while let Some(&at) = stack.last() {
            if self.memo[at.index()].is_some() {
                stack.pop();
                continue;
            }
            if let Some(new) = self.rebuilt(body, at, &mut stack) {
                stack.pop();
                self.memo[at.index()] = Some(new);
            }
        }
        self.stack = stack;
        self.memo[expr.index()].unwrap_or(expr)
    }

    /// A node made of its rebuilt operands; if one of them is not known, `None`, and the unknown ones are pushed on the
    /// stack.
    fn rebuilt(&self, body: &mut Body, at: ExprId, stack: &mut Vec<ExprId>) -> Option<ExprId> {
        let node = body.expr(at);
        // Most nodes are of this kind.
        if let ExprKind::Binary(op, a, b) = node.kind {
            return match (self.known(body, a), self.known(body, b)) {
                (Some(x), Some(y)) if (x, y) == (a, b) => Some(at),
                (Some(x), Some(y)) => Some(body.make(ExprKind::Binary(op, x, y), node.ty)),
                (x, y) => {
                    stack.extend(x.is_none().then_some(a));
                    stack.extend(y.is_none().then_some(b));
                    None
                }
            };
        }
        let mark = stack.len();
        let mut children: SmallVec<[ExprId; 8]> = SmallVec::new();
        let mut is_same = true;
        body.each_child(node.kind, &mut |child| match self.known(body, child) {
            Some(new) => {
                is_same &= new == child;
                children.push(new);
            }
            None => stack.push(child),
        });
        if stack.len() > mark {
            return None;
        }
        if is_same {
            return Some(at);
        }
        let mut children = children.into_iter();
        Some(body.map_children(at, &mut |_, child| children.next().unwrap_or(child)))
    }

    /// Returns the result for an expression, if it is known already.
    fn known(&self, body: &Body, expr: ExprId) -> Option<ExprId> {
        if let Some(&Some(known)) = self.memo.get(expr.index()) {
            return Some(known);
        }
        match body.expr(expr).kind {
            ExprKind::Value(value) => Some(self.of_value(value).unwrap_or(expr)),
            kind => kind.is_leaf().then_some(expr),
        }
    }
}

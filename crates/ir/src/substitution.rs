//! Expressions in the places of variables.
//!
//! In: a body, variables with what takes their places, and an expression. Out: the expression without those variables, as nodes of the
//! body. What takes a place is not looked into again. Each node is rebuilt once, however many expressions are asked for; no recursion.

use rustc_hash::FxHashMap;

use crate::{Body, ExprId, ExprKind, ValueId};

/// Expressions in the places of variables, each node once.
#[derive(Clone, Default, Debug)]
pub struct Substitution {
    values: FxHashMap<ValueId, ExprId>,
    memo: FxHashMap<ExprId, ExprId>,
}

impl Substitution {
    /// Whether nothing is replaced.
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    /// Whether a variable is replaced.
    pub fn has(&self, value: ValueId) -> bool {
        self.values.contains_key(&value)
    }

    /// Replaces one more variable, in what is asked for from now on and was not before.
    pub fn add(&mut self, value: ValueId, with: ExprId) {
        self.values.insert(value, with);
    }

    /// The expression with all variables replaced.
    pub fn apply(&mut self, body: &mut Body, expr: ExprId) -> ExprId {
        if let Some(&known) = self.memo.get(&expr) {
            return known;
        }
        let mut stack = vec![(expr, false)];
        while let Some((at, is_ready)) = stack.pop() {
            if self.memo.contains_key(&at) {
                continue;
            }
            if let ExprKind::Value(value) = body.expr(at).kind {
                let new = self.values.get(&value).copied().unwrap_or(at);
                self.memo.insert(at, new);
            } else if is_ready {
                let memo = &self.memo;
                let mut is_same = true;
                body.each_child(body.expr(at).kind, &mut |child| is_same &= memo[&child] == child);
                let new = match is_same {
                    true => at,
                    false => body.map_children(at, &mut |_, child| memo[&child]),
                };
                self.memo.insert(at, new);
            } else {
                stack.push((at, true));
                body.each_child(body.expr(at).kind, &mut |child| stack.push((child, false)));
            }
        }
        self.memo[&expr]
    }
}

//! What an expression costs: each operation by `SEMANTICS: Cost`, at each of its uses.
//!
//! O(1) a node, once, without native recursion. Numbers saturate.

use ir::ExprId;

use super::{Simplifier, index};

/// The cost of evaluating an expression once.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Cost {
    /// By the table of `SEMANTICS.md`; a division weighs more than a sum.
    pub cost: u64,
    /// Operations.
    pub operations: u64,
}

impl Simplifier<'_> {
    /// What an expression costs.
    pub fn cost(&mut self, expr: ExprId) -> Cost {
        let known = |it: &Self, expr: ExprId| it.costs.get(index(expr)).copied().flatten();
        if let Some(cost) = known(self, expr) {
            return cost;
        }
        self.costs.resize(self.body().n_exprs(), None);
        let mut stack = vec![expr];
        let mut below = Vec::new();
        while let Some(&at) = stack.last() {
            below.clear();
            let node = self.body().expr(at);
            self.body().each_child(node.kind, &mut |it| below.push(it));
            let n_before = stack.len();
            stack.extend(below.iter().filter(|it| known(self, **it).is_none()));
            if stack.len() > n_before {
                continue;
            }
            stack.pop();
            let mut cost = Cost {
                cost: self.analyzer.effects.own_cost(self.body(), at).into(),
                operations: u64::from(!node.is_leaf()),
            };
            for it in below.iter().filter_map(|it| known(self, *it)) {
                cost.cost = cost.cost.saturating_add(it.cost);
                cost.operations = cost.operations.saturating_add(it.operations);
            }
            self.costs[index(at)] = Some(cost);
        }
        known(self, expr).unwrap_or_default()
    }

    /// Whether the one costs more than the other, or has more operations.
    pub(super) fn is_worse(&mut self, new: ExprId, old: ExprId) -> bool {
        let (new, old) = (self.cost(new), self.cost(old));
        new.cost > old.cost || new.operations > old.operations
    }
}

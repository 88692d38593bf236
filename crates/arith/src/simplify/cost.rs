//! What an expression costs: each operation by `SEMANTICS: Cost`, at each of its uses.
//!
//! O(1) a node, once, without native recursion. Numbers saturate.

use ir::{ExprId, arena::Id as _};

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
        let body = self.analyzer.body();
        // Operands are made before what they are operands of.
        for at in (self.costs.len()..=index(expr)).map(ExprId::new) {
            let node = body.expr(at);
            let mut cost = Cost {
                cost: self.analyzer.effects.own_cost(body, at).into(),
                operations: u64::from(!node.is_leaf()),
            };
            body.each_child(node.kind, &mut |it| {
                let it = self.costs[index(it)];
                cost.cost = cost.cost.saturating_add(it.cost);
                cost.operations = cost.operations.saturating_add(it.operations);
            });
            self.costs.push(cost);
        }
        self.costs[index(expr)]
    }

    /// Whether the one costs more than the other, or has more operations.
    pub(super) fn is_worse(&mut self, new: ExprId, old: ExprId) -> bool {
        let (new, old) = (self.cost(new), self.cost(old));
        new.cost > old.cost || new.operations > old.operations
    }
}

//! The cost of an expression: each operation by `SEMANTICS: Cost`, at each of its uses.
//!
//! O(1) a node, once, without native recursion. Numbers saturate.

use ir::{ExprId, arena::Id as _, effects::OPERATOR_COST};

use super::{Simplifier, index};

/// The cost of evaluating an expression once.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Cost {
    /// By the table of `SEMANTICS.md`; a division weighs more than a sum.
    pub cost: u64,
    /// Operations.
    pub operations: u64,
}

impl Cost {
    /// Returns true if it is greater in one of the two measures.
    pub(super) fn is_above(self, other: Cost) -> bool {
        self.cost > other.cost || self.operations > other.operations
    }

    pub(super) fn add(&mut self, other: Cost) {
        self.cost = self.cost.saturating_add(other.cost);
        self.operations = self.operations.saturating_add(other.operations);
    }

    /// Adds that of sums, differences and products.
    pub(super) fn add_operators(&mut self, count: usize) {
        let operations = count as u64;
        self.add(Cost { cost: operations * u64::from(OPERATOR_COST), operations });
    }
}

impl Simplifier<'_> {
    /// Returns the cost of an expression.
    pub fn cost(&mut self, expr: ExprId) -> Cost {
        let body = self.analyzer.body();
        // Operands are made before what they are operands of.
        for at in (self.costs.len()..=index(expr)).map(ExprId::new) {
            let node = body.expr(at);
            let mut cost = Cost {
                cost: self.analyzer.effects().own_cost(body, at).into(),
                operations: u64::from(!node.is_leaf()),
            };
            body.each_child(node.kind, &mut |it| {
                cost.add(self.costs[index(it)]);
            });
            self.costs.push(cost);
        }
        self.costs[index(expr)]
    }

    /// Returns true if the one costs more than the other, or has more operations.
    pub(super) fn is_worse(&mut self, new: ExprId, old: ExprId) -> bool {
        self.cost(new).is_above(self.cost(old))
    }
}

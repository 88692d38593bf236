//! Hoisting: moving an operation to a place that dominates two places that compute it.
//!
//! In: an operation, and an equal one of a scope that has closed. Out: whether one of the two moved, and the other was
//! merged into it. Three shapes:
//!
//! * **after a region**: `for { x = f(a) }; y = f(a)`: the later one moves before the loop;
//! * **two arms** of an `if`: the earlier one moves before the `if`;
//! * **two blocks** to which one branch leads, and nothing else: the earlier one moves before the branch.
//!
//! In each the operation is computed on every path from its new place, so no path computes more than before. An
//! operation that may trap, reads memory, or depends on which threads execute it together stays.

use ir::{
    BlockId, OpId, RegionKind, ValueId, ValueKind,
    arena::Id,
    dominators::Dominators,
    plan::ops::{OpAction, OpActionKind, OpChange},
};

use super::{gvn::Gvn, op_traits::Bits, table::Known};

/// The number of levels outwards that are searched for the operation that holds the earlier one.
const MAX_LEVELS: usize = 32;

impl Gvn<'_> {
    /// Moves one of two equal operations, if that is right.
    pub(super) fn hoist(
        &mut self,
        op: OpId,
        earlier: Known,
        new: Known,
        trees: &[Dominators],
    ) -> bool {
        let bits = self.summary.bits(op);
        let stays =
            [Bits::LOOKS, Bits::CONVERGENT, Bits::TRAPS, Bits::VARIES, Bits::ALIAS, Bits::MARKER];
        let first = earlier.op;
        let is_graph = |it: OpId| {
            let region = self.body.blocks[self.body.ops[it].parent].parent;
            self.body.regions[region].kind == RegionKind::Graph
        };
        if stays.iter().any(|it| bits.has(*it))
            || is_graph(op)
            || self.body.ops[first].attrs != self.body.ops[op].attrs
        {
            return false;
        }
        if let Some(holder) = self.holder_in(first, self.body.ops[op].parent) {
            return self.move_later(op, first, holder, earlier, new);
        }
        let (before, scope) = match self.common_owner(op, first) {
            Some(owner) => {
                let Some(open) = self.open.last() else { return false };
                (owner, open.scope)
            }
            None => match self.common_branch(op, first, trees) {
                Some(it) => it,
                None => return false,
            },
        };
        // What is defined in the arm itself is not there yet, unless it has moved too.
        let here = self.body.ops[op].parent;
        if self.operands(op).iter().any(|it| !self.has_moved(*it) && self.is_defined_in(*it, here))
        {
            return false;
        }
        // What has moved out of an inner choice moves on, and has its action already.
        if self.moved.insert(first, before).is_none() {
            let change = OpChange::Hoist { before };
            self.actions.push(OpAction { op: first, change, kind: OpActionKind::EqualInBranches });
        }
        self.merge(op, first, OpActionKind::EqualInBranches);
        self.table.insert(Known { scope, ..earlier }, Some(earlier));
        true
    }

    /// `op` moves before `holder`, which holds `first`.
    fn move_later(
        &mut self,
        op: OpId,
        first: OpId,
        holder: OpId,
        earlier: Known,
        new: Known,
    ) -> bool {
        if !self.operands(op).iter().all(|it| self.is_defined_before(*it, holder)) {
            return false;
        }
        self.moved.insert(op, holder);
        let change = OpChange::Hoist { before: holder };
        self.actions.push(OpAction { op, change, kind: OpActionKind::EqualInBranches });
        self.merge(first, op, OpActionKind::EqualInBranches);
        self.table.insert(new, Some(earlier));
        true
    }

    /// The operation of `block` in whose regions `op` is.
    fn holder_in(&self, op: OpId, block: BlockId) -> Option<OpId> {
        let mut at = op;
        for _ in 0..MAX_LEVELS {
            at = self.body.parent_op(at)?;
            // Not out of a kernel, or of the body of a structured operation.
            if !self.traits.of(at).has(Bits::STRUCTURED) {
                return None;
            }
            if self.body.ops[at].parent == block {
                return Some(at);
            }
        }
        None
    }

    /// The block in which an operation stands now.
    fn block_of(&self, op: OpId) -> BlockId {
        let at = self.moved.get(&op).copied().unwrap_or(op);
        self.body.ops[at].parent
    }

    /// The `if` of which each operation is in one of the two arms.
    fn common_owner(&self, a: OpId, b: OpId) -> Option<OpId> {
        let body = self.body;
        let (x, y) = (self.block_of(a), self.block_of(b));
        let owner_of = |it: BlockId| body.regions[body.blocks[it].parent].parent;
        let owner = owner_of(x).filter(|it| owner_of(y) == Some(*it))?;
        let is_choice = self.traits.of(owner).has(Bits::CHOICE);
        let regions = &body.ops[owner].regions;
        let has_two_arms =
            regions.len() == 2 && regions.iter().all(|it| body.regions[*it].blocks.len() == 1);
        (is_choice && has_two_arms && x != y).then_some(owner)
    }

    /// The branch that leads to the blocks of both and nowhere else, and the scope of its block.
    fn common_branch(&self, a: OpId, b: OpId, trees: &[Dominators]) -> Option<(OpId, u32)> {
        let body = self.body;
        let (x, y) = (self.block_of(a), self.block_of(b));
        let tree = trees.last()?;
        let from = tree.parent(x).filter(|it| x != y && tree.parent(y) == Some(*it))?;
        let &last = body.blocks[from].ops.last()?;
        let targets = &body.ops[last].successors;
        let leads_to_both = targets.len() == 2
            && targets.iter().any(|it| it.block == x)
            && targets.iter().any(|it| it.block == y);
        let is_only_way = tree.n_predecessors(x) == 1 && tree.n_predecessors(y) == 1;
        let scope = *self.scope_of_block.get(&from)?;
        (leads_to_both && is_only_way && self.table.is_open(scope)).then_some((last, scope))
    }

    fn definition(&self, value: ValueId) -> Option<OpId> {
        match self.body.values[value].kind {
            ValueKind::Result(op, _) => Some(op),
            _ => None,
        }
    }

    fn has_moved(&self, value: ValueId) -> bool {
        self.definition(value).is_some_and(|it| self.moved.contains_key(&it))
    }

    fn is_defined_in(&self, value: ValueId, block: BlockId) -> bool {
        match self.body.values[value].kind {
            ValueKind::Result(op, _) => self.body.ops[op].parent == block,
            ValueKind::BlockArg(of, _) => of == block,
            _ => false,
        }
    }

    /// Returns true if a value that is visible after `holder` is visible before it.
    fn is_defined_before(&self, value: ValueId, holder: OpId) -> bool {
        let Some(by) = self.definition(value) else { return true };
        let met = |op: OpId| self.met[op.index()];
        match self.moved.get(&by) {
            Some(&before) => {
                self.body.ops[before].parent != self.body.ops[holder].parent
                    || met(before) <= met(holder)
            }
            None => {
                self.body.ops[by].parent != self.body.ops[holder].parent || met(by) < met(holder)
            }
        }
    }
}

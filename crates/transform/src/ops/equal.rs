//! Equality of two operations, regions included.
//!
//! In: two operations. Out: whether one can replace the other as far as names, attributes, types, operands and regions
//! are concerned. Operands are equal if they are the same value, or are defined at the same place inside both.
//! O(smaller of the two), no recursion. Two operations that are compared are nearly always equal (their digests are),
//! so the deleted operations pay for the work.

use ir::{BlockId, Body, OpId, OpKind, ValueId, arena::Id};
use rustc_hash::FxHashMap;

use super::{
    op_traits::value_of,
    summary::{Replaced, for_each_operand},
};

/// How operands are compared.
pub(super) struct Comparison<'a> {
    pub(super) body: &'a Body,
    pub(super) replaced: &'a Replaced,
    /// Operations of regions that are left out.
    pub(super) is_gone: &'a dyn Fn(OpId) -> bool,
    /// Operations whose operands may stand in any order, if they are inside the compared ones.
    pub(super) is_unordered: &'a dyn Fn(OpId) -> bool,
}

impl Comparison<'_> {
    /// Returns true if the operations are equal; `is_unordered` applies to these two.
    pub(super) fn is_equal(&self, a: OpId, b: OpId, is_unordered: bool, work: &mut u64) -> bool {
        let mut same = FxHashMap::default();
        *work += 1;
        if !self.headers(a, b) || !self.operands(a, b, is_unordered, &same) {
            return false;
        }
        let mut stack = vec![(a, b)];
        while let Some((a, b)) = stack.pop() {
            let regions = self.body.ops[a].regions.iter().zip(&self.body.ops[b].regions);
            for (&in_a, &in_b) in regions {
                let blocks_of_a = &self.body.regions[in_a].blocks;
                let blocks_of_b = &self.body.regions[in_b].blocks;
                if blocks_of_a.len() != blocks_of_b.len() {
                    return false;
                }
                // Blocks may name later ones, so all of them are known first.
                let mut blocks = FxHashMap::default();
                for (&block_of_a, &block_of_b) in blocks_of_a.iter().zip(blocks_of_b) {
                    blocks.insert(block_of_b, block_of_a);
                    if !self.arguments(block_of_a, block_of_b, &mut same) {
                        return false;
                    }
                }
                for (&block_of_a, &block_of_b) in blocks_of_a.iter().zip(blocks_of_b) {
                    let pairs = (block_of_a, block_of_b);
                    if !self.block(pairs, &blocks, &mut same, &mut stack, work) {
                        return false;
                    }
                }
            }
        }
        true
    }

    fn arguments(&self, a: BlockId, b: BlockId, same: &mut FxHashMap<ValueId, ValueId>) -> bool {
        let body = self.body;
        let (a, b) = (&body.blocks[a].args, &body.blocks[b].args);
        same.extend(b.iter().copied().zip(a.iter().copied()));
        a.len() == b.len() && a.iter().zip(b).all(|(&x, &y)| body.values[x].ty == body.values[y].ty)
    }

    fn block(
        &self,
        (a, b): (BlockId, BlockId),
        blocks: &FxHashMap<BlockId, BlockId>,
        same: &mut FxHashMap<ValueId, ValueId>,
        stack: &mut Vec<(OpId, OpId)>,
        work: &mut u64,
    ) -> bool {
        let body = self.body;
        let left = |block: BlockId| {
            body.blocks[block].ops.iter().copied().filter(|it| !(self.is_gone)(*it))
        };
        let mut in_b = left(b);
        for x in left(a) {
            *work += 1;
            let Some(y) = in_b.next() else { return false };
            let is_unordered = (self.is_unordered)(x);
            if !self.headers(x, y) || !self.operands(x, y, is_unordered, same) {
                return false;
            }
            let successors = body.ops[x].successors.iter().zip(&body.ops[y].successors);
            for (to_x, to_y) in successors {
                if blocks.get(&to_y.block) != Some(&to_x.block) {
                    return false;
                }
            }
            let results = body.ops[y].results.iter().zip(&body.ops[x].results);
            same.extend(results.map(|(&y, &x)| (y, x)));
            if !body.ops[x].regions.is_empty() {
                stack.push((x, y));
            }
        }
        in_b.next().is_none()
    }

    /// Names, attributes, types, and the number of each.
    fn headers(&self, a: OpId, b: OpId) -> bool {
        let body = self.body;
        let (x, y) = (&body.ops[a], &body.ops[b]);
        let is_named = matches!(x.kind, OpKind::Named(_) | OpKind::Opaque(_));
        is_named
            && x.kind == y.kind
            && x.attrs == y.attrs
            && x.operands.len() == y.operands.len()
            && x.regions.len() == y.regions.len()
            && x.results.len() == y.results.len()
            && x.results
                .iter()
                .zip(&y.results)
                .all(|(&p, &q)| body.values[p].ty == body.values[q].ty)
            && x.successors.len() == y.successors.len()
            && x.successors
                .iter()
                .zip(&y.successors)
                .all(|(p, q)| body.items(p.args).len() == body.items(q.args).len())
    }

    fn operands(
        &self,
        a: OpId,
        b: OpId,
        is_unordered: bool,
        same: &FxHashMap<ValueId, ValueId>,
    ) -> bool {
        let body = self.body;
        if is_unordered {
            let list = |op: OpId| {
                let mut list: smallvec::SmallVec<[u64; 4]> = Default::default();
                for_each_operand(body, op, |_, it| list.push(self.word(it, op == b, same)));
                list.sort_unstable();
                list
            };
            return list(a) == list(b);
        }
        let (x, y) = (&body.ops[a], &body.ops[b]);
        let is_same = |(&p, &q)| self.word(p, false, same) == self.word(q, true, same);
        x.operands.iter().zip(&y.operands).all(is_same)
            && x.successors
                .iter()
                .zip(&y.successors)
                .all(|(p, q)| body.items(p.args).iter().zip(body.items(q.args)).all(is_same))
    }

    /// Returns the word that stands for an operand in the comparison.
    fn word(&self, operand: ir::ExprId, is_of_b: bool, same: &FxHashMap<ValueId, ValueId>) -> u64 {
        let Some(value) = value_of(self.body, operand) else {
            return operand.index() as u64 | 1 << 40;
        };
        let value = self.replaced.get(value);
        let value = if is_of_b { same.get(&value).copied().unwrap_or(value) } else { value };
        value.index() as u64
    }
}

//! Dominators of the blocks of one region.
//!
//! Cooper, Harvey, Kennedy, "A Simple, Fast Dominance Algorithm" (2001): immediate dominators by intersection along
//! reverse post-order. Near-linear in practice. A region of one block costs nothing. Unreachable blocks are roots of
//! their own: nothing dominates them and they dominate nothing.

use rustc_hash::FxHashMap;

use crate::{BlockId, Body, RegionId};

/// The dominator tree of a region.
#[derive(Clone, Debug)]
pub struct Dominators {
    roots: Vec<BlockId>,
    children: FxHashMap<BlockId, Vec<BlockId>>,
    idom: FxHashMap<BlockId, BlockId>,
    n_predecessors: FxHashMap<BlockId, u32>,
}

impl Dominators {
    /// Computes it from the successors of the blocks' operations.
    pub fn compute(body: &Body, region: RegionId) -> Dominators {
        let blocks = &body.regions[region].blocks;
        let order = reverse_post_order(body, blocks[0]);
        let number: FxHashMap<BlockId, usize> =
            order.iter().enumerate().map(|(i, &it)| (it, i)).collect();
        let mut preds: Vec<Vec<usize>> = vec![Vec::new(); order.len()];
        for (from, &block) in order.iter().enumerate() {
            for target in successors(body, block) {
                if let Some(&to) = number.get(&target) {
                    preds[to].push(from);
                }
            }
        }
        let mut idom: Vec<Option<usize>> = vec![None; order.len()];
        idom[0] = Some(0);
        let mut changed = true;
        while std::mem::take(&mut changed) {
            for block in 1..order.len() {
                let mut new = None;
                for &pred in &preds[block] {
                    if idom[pred].is_some() {
                        new = Some(new.map_or(pred, |it| intersect(&idom, it, pred)));
                    }
                }
                changed |= new != idom[block];
                idom[block] = new;
            }
        }
        let mut children: FxHashMap<BlockId, Vec<BlockId>> = FxHashMap::default();
        let mut tree: FxHashMap<BlockId, BlockId> = FxHashMap::default();
        for (block, parent) in idom.iter().enumerate().skip(1) {
            if let Some(parent) = *parent {
                children.entry(order[parent]).or_default().push(order[block]);
                tree.insert(order[block], order[parent]);
            }
        }
        let unreachable = blocks.iter().copied().filter(|it| !number.contains_key(it));
        let roots = std::iter::once(blocks[0]).chain(unreachable).collect();
        let n_predecessors =
            preds.iter().enumerate().map(|(at, it)| (order[at], it.len() as u32)).collect();
        Dominators { roots, children, idom: tree, n_predecessors }
    }

    /// The entry block, then the unreachable blocks in program order.
    pub fn roots(&self) -> &[BlockId] {
        &self.roots
    }
    /// The blocks that `block` immediately dominates, in reverse post-order.
    pub fn children(&self, block: BlockId) -> &[BlockId] {
        self.children.get(&block).map_or(&[], Vec::as_slice)
    }
    /// How many branches of reachable blocks lead to a block.
    pub fn n_predecessors(&self, block: BlockId) -> u32 {
        self.n_predecessors.get(&block).copied().unwrap_or(0)
    }
    /// The immediate dominator; none for roots.
    pub fn parent(&self, block: BlockId) -> Option<BlockId> {
        self.idom.get(&block).copied()
    }
}

/// The blocks that the last operation of `block` may go to, in its order.
pub fn successors(body: &Body, block: BlockId) -> impl Iterator<Item = BlockId> + '_ {
    let last = body.blocks[block].ops.last();
    last.into_iter().flat_map(|&op| body.ops[op].successors.iter().map(|it| it.block))
}

/// The blocks that can be reached from `entry`, each before those it leads to, back edges apart.
pub fn reverse_post_order(body: &Body, entry: BlockId) -> Vec<BlockId> {
    let mut order = Vec::new();
    let mut seen = rustc_hash::FxHashSet::default();
    let mut stack = vec![(entry, false)];
    while let Some((block, is_done)) = stack.pop() {
        if is_done {
            order.push(block);
        } else if seen.insert(block) {
            stack.push((block, true));
            let mark = stack.len();
            stack.extend(successors(body, block).map(|it| (it, false)));
            stack[mark..].reverse();
        }
    }
    order.reverse();
    order
}

fn intersect(idom: &[Option<usize>], mut a: usize, mut b: usize) -> usize {
    while a != b {
        while a > b {
            a = idom[a].unwrap_or(0);
        }
        while b > a {
            b = idom[b].unwrap_or(0);
        }
    }
    a
}

//! Dominators of the blocks of one region.
//!
//! O(m log n) for m branches. A region of one block costs nothing. Unreachable blocks are roots of their own: nothing
//! dominates them and they dominate nothing. Branches out of the region lead nowhere.
//!
//! All tables are flat lists by the place of a block in its region: a function may have hundreds of thousands of
//! blocks.

mod immediate;

use self::immediate::immediate_dominators;
use crate::{BlockId, Body, RegionId, arena::Id};

/// No block.
const NONE: u32 = u32::MAX;

/// The dominator tree of a region.
#[derive(Clone, Debug)]
pub struct Dominators {
    places: Places,
    roots: Vec<BlockId>,
    /// By place: the place of the immediate dominator.
    idom: Vec<u32>,
    /// By place: where its children end in `children`; they begin where those of the place before end.
    ends: Vec<u32>,
    children: Vec<BlockId>,
    n_predecessors: Vec<u8>,
}

/// The blocks of a region by their ids.
#[derive(Clone, Debug)]
struct Places {
    len: usize,
    first: usize,
    /// In the order of ids; empty where no other region has blocks between.
    blocks: Vec<BlockId>,
}

impl Places {
    fn new(blocks: &[BlockId]) -> Places {
        let (len, first) = (blocks.len(), blocks[0].index());
        if blocks.iter().enumerate().all(|(at, it)| it.index() == first + at) {
            return Places { len, first, blocks: Vec::new() };
        }
        let mut blocks = blocks.to_vec();
        blocks.sort_unstable();
        Places { len, first, blocks }
    }

    /// O(1) where no other region has blocks between, else O(log n).
    fn of(&self, block: BlockId) -> Option<usize> {
        match self.blocks[..] {
            [] => block.index().checked_sub(self.first).filter(|it| *it < self.len),
            _ => self.blocks.binary_search(&block).ok(),
        }
    }

    fn block(&self, place: usize) -> BlockId {
        self.blocks.get(place).copied().unwrap_or_else(|| BlockId::new(self.first + place))
    }
}

impl Dominators {
    /// Computes it from the successors of the blocks' operations.
    pub fn compute(body: &Body, region: RegionId) -> Dominators {
        let blocks = &body.regions[region].blocks;
        let places = Places::new(blocks);
        let n = places.len;
        let order = order(body, &places, blocks[0]);
        let mut number = vec![NONE; n];
        for (at, &place) in order.iter().enumerate() {
            number[place as usize] = at as u32;
        }
        let targets = |from: usize| {
            let block = places.block(order[from] as usize);
            successors(body, block).filter_map(|it| places.of(it)).map(|it| number[it] as usize)
        };
        // Who leads to a block, by numbers.
        let mut ends = vec![0u32; order.len()];
        (0..order.len()).for_each(|from| targets(from).for_each(|to| ends[to] += 1));
        let mut n_predecessors = vec![0; n];
        for (&place, &count) in order.iter().zip(&ends) {
            n_predecessors[place as usize] = u8::try_from(count).unwrap_or(u8::MAX);
        }
        let mut total = 0;
        for end in &mut ends {
            total += std::mem::replace(end, total);
        }
        let mut preds = vec![0u32; total as usize];
        for from in 0..order.len() {
            for to in targets(from) {
                preds[ends[to] as usize] = from as u32;
                ends[to] += 1;
            }
        }
        let preds_of = |at: usize| {
            let start = if at == 0 { 0 } else { ends[at - 1] };
            &preds[start as usize..ends[at] as usize]
        };
        let (idom, _) = immediate_dominators(order.len(), targets, preds_of);
        drop(preds);
        let unreachable =
            blocks.iter().filter(|it| places.of(**it).is_none_or(|it| number[it] == NONE));
        let roots = std::iter::once(&blocks[0]).chain(unreachable).copied().collect();
        let mut tree = Dominators {
            roots,
            idom: vec![NONE; n],
            ends: vec![0; n],
            children: vec![blocks[0]; order.len() - 1],
            n_predecessors,
            places,
        };
        for (at, &parent) in idom.iter().enumerate().skip(1) {
            let parent = order[parent as usize];
            tree.idom[order[at] as usize] = parent;
            tree.ends[parent as usize] += 1;
        }
        let mut total = 0;
        for end in &mut tree.ends {
            total += std::mem::replace(end, total);
        }
        for &place in &order[1..] {
            let end = &mut tree.ends[tree.idom[place as usize] as usize];
            tree.children[*end as usize] = tree.places.block(place as usize);
            *end += 1;
        }
        tree
    }

    /// The entry block, then the unreachable blocks in program order.
    pub fn roots(&self) -> &[BlockId] {
        &self.roots
    }
    /// The blocks that `block` immediately dominates, in reverse post-order.
    pub fn children(&self, block: BlockId) -> &[BlockId] {
        let Some(place) = self.places.of(block) else { return &[] };
        let start = if place == 0 { 0 } else { self.ends[place - 1] };
        &self.children[start as usize..self.ends[place] as usize]
    }
    /// Returns the number of branches of reachable blocks to a block; 255 stands for more as well.
    pub fn n_predecessors(&self, block: BlockId) -> u8 {
        self.places.of(block).map_or(0, |it| self.n_predecessors[it])
    }
    /// The immediate dominator; none for roots.
    pub fn parent(&self, block: BlockId) -> Option<BlockId> {
        let parent = self.idom[self.places.of(block)?];
        (parent != NONE).then(|| self.places.block(parent as usize))
    }
}

/// The blocks that the last operation of `block` may go to, in its order.
pub fn successors(body: &Body, block: BlockId) -> impl Iterator<Item = BlockId> + '_ {
    let last = body.blocks[block].ops.last();
    last.into_iter().flat_map(|&op| body.ops[op].successors.iter().map(|it| it.block))
}

/// The blocks that can be reached from `entry`, each before those it leads to, back edges apart.
pub fn reverse_post_order(body: &Body, entry: BlockId) -> Vec<BlockId> {
    let places = Places::new(&body.regions[body.blocks[entry].parent].blocks);
    let order = order(body, &places, entry);
    order.into_iter().map(|it| places.block(it as usize)).collect()
}

/// As [`reverse_post_order`], by places.
fn order(body: &Body, places: &Places, entry: BlockId) -> Vec<u32> {
    /// Set where all that a block leads to has been visited.
    const DONE: u32 = 1 << 31;
    let mut order = Vec::new();
    let mut seen = vec![false; places.len];
    let mut stack: Vec<u32> = places.of(entry).map(|it| it as u32).into_iter().collect();
    while let Some(step) = stack.pop() {
        let place = (step & !DONE) as usize;
        if step & DONE != 0 {
            order.push(place as u32);
        } else if !std::mem::replace(&mut seen[place], true) {
            stack.push(step | DONE);
            let mark = stack.len();
            let targets = successors(body, places.block(place));
            stack.extend(targets.filter_map(|it| places.of(it)).map(|it| it as u32));
            stack[mark..].reverse();
        }
    }
    order.reverse();
    order
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Dialect, OpKind, Successor};

    /// A region with blocks of these successors; between every two blocks there are others of a nested region.
    fn region(targets: &[Vec<usize>]) -> (Body, Vec<BlockId>) {
        let mut body = Body::new("f", Dialect::Mlir);
        let (root, name) = (body.root, body.intern("test.br"));
        let mut blocks = vec![body.entry(root)];
        for at in 1..targets.len() {
            if at % 3 == 0 {
                let op = body.push_op(blocks[at - 1], OpKind::Named(name), &[]);
                body.push_region(op);
            }
            blocks.push(body.new_block(root));
        }
        for (from, to) in targets.iter().enumerate() {
            let op = body.push_op(blocks[from], OpKind::Named(name), &[]);
            let args = body.list(&[]);
            let successors = to.iter().map(|&it| Successor { block: blocks[it], args });
            body.ops[op].successors = successors.collect();
        }
        (body, blocks)
    }

    /// By block: whether it is reached on paths that do not enter `without`.
    fn reached(targets: &[Vec<usize>], without: usize) -> Vec<bool> {
        let mut seen = vec![false; targets.len()];
        let mut stack: Vec<usize> = [0].into_iter().filter(|it| *it != without).collect();
        while let Some(at) = stack.pop() {
            if !std::mem::replace(&mut seen[at], true) {
                stack.extend(targets[at].iter().filter(|it| **it != without));
            }
        }
        seen
    }

    #[test]
    fn dominators_are_the_blocks_without_which_a_block_is_not_reached() {
        let mut random = 1u64;
        let mut below = |n: usize| {
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (random >> 33) as usize % n
        };
        for case in 0..2000 {
            let n = 2 + case % 9;
            let targets: Vec<Vec<usize>> =
                (0..n).map(|_| (0..below(3)).map(|_| below(n)).collect()).collect();
            let (body, blocks) = region(&targets);
            let tree = Dominators::compute(&body, body.root);
            let all = reached(&targets, n);
            for at in 0..n {
                let mut up = Vec::new();
                let mut block = blocks[at];
                while let Some(parent) = tree.parent(block) {
                    assert!(tree.children(parent).contains(&block));
                    up.extend(blocks.iter().position(|it| *it == parent));
                    block = parent;
                }
                let is_needed = |it: &usize| all[at] && *it != at && !reached(&targets, *it)[at];
                up.sort_unstable();
                assert_eq!(up, (0..n).filter(is_needed).collect::<Vec<_>>(), "{at} of {targets:?}");
                let is_root = at == 0 || !all[at];
                assert_eq!(tree.roots().contains(&blocks[at]), is_root, "{at} of {targets:?}");
                let before = (0..n).filter(|it| all[*it]).flat_map(|it| &targets[it]);
                let n_before = before.filter(|it| **it == at).count();
                assert_eq!(usize::from(tree.n_predecessors(blocks[at])), n_before, "{targets:?}");
            }
            let order = reverse_post_order(&body, blocks[0]);
            assert_eq!(order.len(), all.iter().filter(|it| **it).count());
        }
    }

    /// With an intersection along the tree, each of these takes 10^10 steps and more.
    #[test]
    fn a_long_chain_may_lead_to_one_block() {
        let n = 200_000;
        for common in [1, n - 1] {
            let chain = (0..n).map(|at| match at {
                _ if at + 1 == n => vec![],
                0 => vec![1, n - 1],
                _ => vec![at + 1, common],
            });
            let (body, blocks) = region(&chain.collect::<Vec<_>>());
            let tree = Dominators::compute(&body, body.root);
            assert_eq!(tree.parent(blocks[n - 2]), Some(blocks[n - 3]));
            assert_eq!(tree.parent(blocks[n - 1]), Some(blocks[0]));
        }
    }
}

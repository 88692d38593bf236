//! The walk over the operations of a body in the order of dominance, with a scope for each block.
//!
//! In: a body, a [`ScopeVisitor`]. Each block is a scope inside that of its dominator, or of the operation whose region
//! it is in; an operation comes before those that it dominates, what is in its regions comes before what follows it,
//! and a scope is left after all that it dominates. It is the order of `mlir-opt -cse`: blocks that the entry does not
//! reach are not walked, nor are those of a graph region of several blocks, which have no order. So the walk is here,
//! beside the planners that follow that order, and not in `dataflow`: the verifier of `ir` and `dataflow::ScopeTree`
//! walk what cannot be reached too, and their scopes are those of a language.
//!
//! The walk has no native recursion, and computes the dominators of a region while it is inside. O(operations), besides
//! the visitor.

use ir::{BlockId, Body, OpId, RegionId, RegionKind, dominators::Dominators};

/// The action at each place of the walk.
pub(super) trait ScopeVisitor {
    /// Before the blocks of a region.
    fn enter_region(&mut self, region: RegionId);
    /// After the blocks of a region; `trees` still has its dominators, last, if it has several blocks.
    fn leave_region(&mut self, region: RegionId, trees: &[Dominators]);
    /// A scope is opened. Its region's dominators are given if that has several blocks.
    fn enter_block(&mut self, block: BlockId, tree: Option<&Dominators>);
    /// The scope opened last that is open is left.
    fn leave_block(&mut self);
    /// An operation without regions. `trees` has the dominators of the regions of several blocks around it, innermost
    /// last.
    fn operation(&mut self, op: OpId, trees: &[Dominators]);
    /// Before the regions of an operation, which are left out, and with them [`ScopeVisitor::leave_regions`], if the
    /// answer is `false`.
    fn enter_regions(&mut self, op: OpId) -> bool;
    /// After the regions of an operation.
    fn leave_regions(&mut self, op: OpId, trees: &[Dominators]);
}

/// The next step.
enum Step {
    Region(RegionId),
    LeaveRegion(RegionId),
    /// A block, and whether its region has dominators.
    Block(BlockId, bool),
    LeaveBlock,
    /// The rest of a block, from this operation on.
    Operations(BlockId, usize),
    LeaveRegions(OpId),
}

/// Walks over a body.
pub(super) fn walk(body: &Body, visitor: &mut impl ScopeVisitor) {
    let mut walk = Walk { body, trees: Vec::new(), next: vec![Step::Region(body.root)] };
    while let Some(step) = walk.next.pop() {
        ir::interrupt::check();
        match step {
            Step::Region(region) => walk.region(region, visitor),
            Step::LeaveRegion(region) => {
                visitor.leave_region(region, &walk.trees);
                if has_tree(body, region) {
                    walk.trees.pop();
                }
            }
            Step::Block(block, has_tree) => walk.block(block, has_tree, visitor),
            Step::LeaveBlock => visitor.leave_block(),
            Step::Operations(block, from) => walk.operations(block, from, visitor),
            Step::LeaveRegions(op) => visitor.leave_regions(op, &walk.trees),
        }
    }
}

struct Walk<'a> {
    body: &'a Body,
    /// The dominators of the regions of several blocks that are being walked.
    trees: Vec<Dominators>,
    next: Vec<Step>,
}

impl Walk<'_> {
    fn region(&mut self, region: RegionId, visitor: &mut impl ScopeVisitor) {
        self.next.push(Step::LeaveRegion(region));
        visitor.enter_region(region);
        match self.body.regions[region].blocks[..] {
            [] => {}
            [block] => self.next.push(Step::Block(block, false)),
            [entry, ..] if has_tree(self.body, region) => {
                self.trees.push(Dominators::compute(self.body, region));
                self.next.push(Step::Block(entry, true));
            }
            _ => {}
        }
    }

    fn block(&mut self, block: BlockId, has_tree: bool, visitor: &mut impl ScopeVisitor) {
        self.next.push(Step::LeaveBlock);
        let tree = self.trees.last().filter(|_| has_tree);
        if let Some(tree) = tree {
            self.next.extend(tree.children(block).iter().rev().map(|&it| Step::Block(it, true)));
        }
        visitor.enter_block(block, tree);
        self.next.push(Step::Operations(block, 0));
    }

    fn operations(&mut self, block: BlockId, from: usize, visitor: &mut impl ScopeVisitor) {
        let body = self.body;
        for (at, &op) in body.blocks[block].ops.iter().enumerate().skip(from) {
            ir::interrupt::check();
            let regions = &body.ops[op].regions;
            if regions.is_empty() {
                visitor.operation(op, &self.trees);
            } else if visitor.enter_regions(op) {
                self.next.push(Step::Operations(block, at + 1));
                self.next.push(Step::LeaveRegions(op));
                self.next.extend(regions.iter().rev().map(|&it| Step::Region(it)));
                return;
            }
        }
    }
}

/// Returns true if the blocks of a region are walked along its dominator tree.
fn has_tree(body: &Body, region: RegionId) -> bool {
    let data = &body.regions[region];
    data.blocks.len() > 1 && data.kind == RegionKind::Ssa
}

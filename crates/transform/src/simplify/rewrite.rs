//! Applies the steps of a plan to a body.
//!
//! In: a body, its occurrences, a plan made from them, and which of its items are wanted. Out: a new body; operations
//! keep their ids, and parts that no step touches stay the same. Nothing is decided here: the planner itself works by
//! it, so that a plan and its rewrite cannot disagree.
//!
//! Lists of operations are not rebuilt at each step: deleted, opened and moved operations are marked, and one walk from
//! the root at the end makes the lists. Linear in the body and the steps, no recursion.

use ir::{
    BinaryOp, BlockId, Body, DataType, ExprId, OccurrenceId, Occurrences, OpId, OpKind,
    plan::simplify::{SimplifyPlan, Step},
    substitution::Substitution,
};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::replace::{replace, update_buffer};

/// The body after the plan. Debug builds check that it is valid if the body given is.
pub fn rewrite(body: &Body, occurrences: &Occurrences, plan: &SimplifyPlan) -> Body {
    rewrite_items(body, occurrences, plan, |_| true)
}

/// As [`rewrite`], with the items that are wanted, by their indices. With an item all that it needs must be wanted
/// ([`SimplifyPlan::with_needs`]).
pub fn rewrite_items(
    body: &Body,
    occurrences: &Occurrences,
    plan: &SimplifyPlan,
    wanted: impl Fn(usize) -> bool,
) -> Body {
    if plan.is_empty() {
        return body.clone();
    }
    let mut after = plan.grown.clone();
    let mut rewriter = Rewriter::new(&mut after);
    let mut at = 0;
    let mut round = 0;
    while at < plan.items.len() {
        // Lists are made anew after each round, as for the planner.
        while at < plan.items.len() && plan.items[at].round == round {
            if wanted(at) {
                plan.items[at].steps.iter().for_each(|it| rewriter.step(occurrences, it));
            }
            at += 1;
        }
        rewriter.finish_round(occurrences);
        round += 1;
    }
    #[cfg(debug_assertions)]
    {
        let before = ir::verify::verify(body).len();
        let errors = ir::verify::verify(&after);
        debug_assert!(before > 0 || errors.is_empty(), "the plan breaks the body: {errors:?}");
    }
    let _ = body;
    after
}

/// Applies steps.
pub(super) struct Rewriter<'b> {
    body: &'b mut Body,
    /// Occurrences of the initial body, and their replacements.
    replaced: Vec<(OccurrenceId, ExprId)>,
    removed: FxHashSet<OpId>,
    /// Operations that are replaced by the contents of a block.
    opened: FxHashMap<OpId, BlockId>,
    /// Blocks whose content follows that of another.
    appended: FxHashMap<BlockId, Vec<BlockId>>,
    /// Entries of lists that show another operation.
    shown: FxHashMap<(BlockId, OpId), OpId>,
    /// The entry of a list that shows an operation, where it is not in the list of its parent by its own id.
    entry: FxHashMap<OpId, (BlockId, OpId)>,
    /// The operation that replaces one that was the last of its list.
    filled: FxHashMap<OpId, OpId>,
    /// Variables of loops that are replaced by their bodies.
    values: Substitution,
    changes_lists: bool,
}

impl<'b> Rewriter<'b> {
    pub(super) fn new(body: &'b mut Body) -> Rewriter<'b> {
        Rewriter {
            body,
            replaced: Vec::new(),
            removed: FxHashSet::default(),
            opened: FxHashMap::default(),
            appended: FxHashMap::default(),
            shown: FxHashMap::default(),
            entry: FxHashMap::default(),
            filled: FxHashMap::default(),
            values: Substitution::default(),
            changes_lists: false,
        }
    }

    /// Does one step. The replaced occurrences of a round are done together, before its first other step.
    pub(super) fn step(&mut self, occurrences: &Occurrences, step: &Step) {
        if let Step::Replace { occurrence, with } = *step {
            self.replaced.push((occurrence, with));
            return;
        }
        self.replace(occurrences);
        if let Step::Operand { op, operand, with } = *step {
            self.set_operand(op, operand as usize, with);
            return;
        }
        self.changes_lists = true;
        match *step {
            Step::Replace { .. } | Step::Operand { .. } => {}
            Step::Remove { op, fills } => {
                self.removed.insert(op);
                if fills {
                    let filler = self.filler(op);
                    self.filled.insert(op, filler);
                }
            }
            Step::Open { op, region } => self.open(op, region as usize),
            Step::Unwrap { op, value, with } => {
                self.values.add(value, with);
                self.open(op, 0);
            }
            Step::Merge { outer, inner } => {
                let [a, b] = [outer, inner].map(|it| self.body.ops[it].operands[0]);
                let both = self.body.binary(BinaryOp::And, a, b);
                self.body.ops[outer].operands[0] = both;
                self.open(inner, 0);
            }
            Step::Join { first, second } => {
                let [to, from] = [first, second].map(|it| self.block(it, 0));
                self.appended.entry(to).or_default().push(from);
                self.removed.insert(second);
            }
            Step::Hoist { op, guard } => self.hoist(op, guard),
            Step::Negate { op, with } => {
                self.body.ops[op].operands[0] = with;
                self.body.ops[op].regions.remove(0);
            }
            Step::DropElse { op } => self.body.ops[op].regions.truncate(1),
        }
    }

    /// The first block of a region.
    fn block(&self, op: OpId, region: usize) -> BlockId {
        self.body.entry(self.body.ops[op].regions[region])
    }

    fn open(&mut self, op: OpId, region: usize) {
        let block = self.block(op, region);
        self.opened.insert(op, block);
    }

    /// `T.evaluate(0)` in the place of an operation, in no list yet.
    fn filler(&mut self, op: OpId) -> OpId {
        let block = self.body.ops[op].parent;
        let zero = self.body.int(0, DataType::INT32);
        let filler = self.body.push_op(block, OpKind::Evaluate, &[zero]);
        self.body.blocks[block].ops.pop();
        filler
    }

    /// The guard replaces the loop, the loop becomes the only statement of the guard, and the former contents of the
    /// guard are in the loop.
    fn hoist(&mut self, op: OpId, guard: OpId) {
        let (inside, arm) = (self.block(op, 0), self.block(guard, 0));
        if let Some(place) = self.entry.remove(&guard) {
            self.shown.remove(&place);
        }
        let place = self.entry.remove(&op).unwrap_or((self.body.ops[op].parent, op));
        self.shown.insert(place, guard);
        self.entry.insert(guard, place);
        let list = std::mem::replace(&mut self.body.blocks[arm].ops, vec![op]);
        self.entry.insert(op, (arm, op));
        self.appended.remove(&inside);
        if let Some(more) = self.appended.remove(&arm) {
            self.appended.insert(inside, more);
        }
        // A list that shows something else than what it has is that of another loop around the same guard, and has one
        // entry.
        if let [only] = list[..] {
            let shown = self.shown.remove(&(arm, only)).unwrap_or(only);
            if shown != only {
                self.shown.insert((inside, only), shown);
            }
            self.entry.insert(shown, (inside, only));
        }
        self.body.blocks[inside].ops = list;
    }

    fn set_operand(&mut self, op: OpId, operand: usize, with: ExprId) {
        let old = std::mem::replace(&mut self.body.ops[op].operands[operand], with);
        update_buffer(self.body, op, &[(old, with)]);
    }

    fn replace(&mut self, occurrences: &Occurrences) {
        if !self.replaced.is_empty() {
            let mut replaced = std::mem::take(&mut self.replaced);
            replace(self.body, occurrences, &mut replaced);
        }
    }

    /// Puts the values of variables in their places, in all operations at once.
    fn substitute(&mut self) {
        let mut values = std::mem::take(&mut self.values);
        if values.is_empty() {
            return;
        }
        let ops: Vec<OpId> = self.body.ops.ids().collect();
        for op in ops {
            let mut changes = Vec::new();
            for operand in 0..self.body.ops[op].operands.len() {
                let old = self.body.ops[op].operands[operand];
                let new = values.apply(self.body, old);
                if new != old {
                    self.body.ops[op].operands[operand] = new;
                    changes.push((old, new));
                }
            }
            if !changes.is_empty() {
                update_buffer(self.body, op, &changes);
            }
        }
    }

    /// Puts in the values of variables, and makes the lists of operations.
    pub(super) fn finish_round(&mut self, occurrences: &Occurrences) {
        self.replace(occurrences);
        self.substitute();
        if !std::mem::take(&mut self.changes_lists) {
            return;
        }
        let mut blocks = self.body.regions[self.body.root].blocks.to_vec();
        while let Some(block) = blocks.pop() {
            let list = self.list(block);
            for &op in &list {
                self.body.ops[op].parent = block;
                let regions = &self.body.ops[op].regions;
                blocks.extend(regions.iter().flat_map(|it| &self.body.regions[*it].blocks));
            }
            self.body.blocks[block].ops = list;
        }
        self.removed.clear();
        self.opened.clear();
        self.appended.clear();
        self.shown.clear();
        self.entry.clear();
        self.filled.clear();
    }

    /// Returns the operations of a block after the marked changes.
    fn list(&mut self, block: BlockId) -> Vec<OpId> {
        let mut list = Vec::new();
        let mut stack = Vec::new();
        self.push(block, &mut stack);
        while let Some((from, entry)) = stack.pop() {
            let op = self.shown.get(&(from, entry)).copied().unwrap_or(entry);
            if self.removed.contains(&op) {
                list.extend(self.filled.get(&op).copied());
            } else if let Some(&inner) = self.opened.get(&op) {
                self.push(inner, &mut stack);
            } else {
                list.push(op);
            }
        }
        list
    }

    /// Puts the entries of a block, and of those that follow it, on a stack; the first on top.
    fn push(&mut self, block: BlockId, stack: &mut Vec<(BlockId, OpId)>) {
        let mut blocks = vec![block];
        let mut all = Vec::new();
        while let Some(block) = blocks.pop() {
            let ops = std::mem::take(&mut self.body.blocks[block].ops);
            all.extend(ops.into_iter().map(|it| (block, it)));
            blocks.extend(self.appended.get(&block).into_iter().flatten().rev());
        }
        stack.extend(all.into_iter().rev());
    }
}

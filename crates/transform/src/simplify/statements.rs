//! Statements that are removed, opened, or reordered, inner before outer.
//!
//! In: the rewritten expressions of a round. Out: items, and [`Lists`]: for each block the remaining operations.
//!
//! | statement | becomes | rests on |
//! |---|---|---|
//! | `if` with a known condition | the arm that is executed | `SEMANTICS: L7`, `E8`; names that nothing else has |
//! | `if` with nothing in it | nothing | `E8` |
//! | `if c: pass; else: S` | `if not c: S` | `S7` |
//! | `if c: S; else: pass` | `if c: S` | |
//! | `if c: S`, `if c: T` side by side | `if c: S; T` | `c` depends on values only, which do not change (`E4`) |
//! | `for` of one iteration | its body | see `loops` |
//! | `for` of none, or with nothing in it | nothing | `L2`, `E8`; not if it binds threads (`P6`) |
//! | `for i: if c: S` | `if c: for i: S` | see `guards` |
//! | `evaluate` of a value, `assert` of what always holds | nothing | `E8`, `X3` |
//! | `A[i] = A[i]` where nothing else can have written the element | nothing | `M11`, `P2`, as `dead-store` |
//!
//! A list that would lose its last statement keeps one that does nothing, unless the operation around it can go as a
//! whole; a `while` cannot (`L10`). Linear: a list is known by its ends and length, and an opened list is joined to the
//! list around it, the shorter to the longer.

use ir::{
    BlockId, ExprId, OpId, OpKind, RegionId,
    plan::{
        finding::{Place, Related, Role},
        simplify::{SimplificationKind, SimplifyRefusal, Step},
    },
    walk::WalkEvent,
};
use rustc_hash::FxHashMap;

use super::{
    expressions::because,
    round::{Item, OpMap, Planner, is_thread_loop},
};

/// An earlier guard with the same condition.
const SAME_CONDITION: Role = Role("this guard has the same condition");

/// The remaining operations of a block.
#[derive(Default, Clone, Debug)]
pub(super) struct List {
    /// The first statement that does something, and the last.
    ends: Option<(OpId, OpId)>,
    /// The number of entries.
    len: usize,
    /// The number of entries that only declare something.
    declarations: usize,
    /// Statements that do nothing.
    idle: Vec<OpId>,
    /// Items that changed the list.
    pub(super) changes: Vec<usize>,
    /// The last item that removed a statement.
    last_removal: Option<usize>,
}

impl List {
    /// The statement that stands alone in it.
    pub(super) fn only(&self) -> Option<OpId> {
        self.ends.filter(|_| self.len == 1).map(|it| it.0)
    }

    /// A list of one statement, that an item made.
    pub(super) fn alone(op: OpId, item: usize) -> List {
        List { ends: Some((op, op)), len: 1, changes: vec![item], ..List::default() }
    }

    fn push(&mut self, op: OpId, kind: OpKind) {
        let first = self.ends.map_or(op, |it| it.0);
        self.ends = Some((first, op));
        self.len += 1;
        self.declarations += usize::from(is_declaration(kind));
    }

    /// Returns true if nothing in it does something.
    fn only_declares(&self) -> bool {
        self.len == self.declarations
    }

    /// Adds another list at the end.
    fn append(&mut self, other: List) {
        self.ends = match (self.ends, other.ends) {
            (Some((first, _)), Some((_, last))) => Some((first, last)),
            (own, other) => own.or(other),
        };
        self.len += other.len;
        self.declarations += other.declarations;
        join(&mut self.idle, other.idle);
        join(&mut self.changes, other.changes);
        self.last_removal = self.last_removal.max(other.last_removal);
    }
}

fn is_declaration(kind: OpKind) -> bool {
    matches!(
        kind,
        OpKind::Alloc { .. } | OpKind::DeclBuffer { .. } | OpKind::EnvThread(_) | OpKind::AttrDict
    )
}

/// Appends the shorter to the longer, in no order.
fn join<T>(to: &mut Vec<T>, mut from: Vec<T>) {
    if from.len() > to.len() {
        std::mem::swap(to, &mut from);
    }
    to.append(&mut from);
}

/// The fate of an operation in its list.
#[derive(Clone, Copy, Debug)]
pub(super) enum Outcome {
    /// It does nothing.
    Idle,
    /// It goes.
    Gone(usize),
    /// The contents of a block replace it.
    Opened(usize, BlockId),
    /// Another operation takes its place.
    Shows(usize, OpId),
}

/// The rewritten statement lists of a round.
#[derive(Default)]
pub(super) struct Lists {
    pub(super) of_block: FxHashMap<BlockId, List>,
    pub(super) outcome: OpMap<Outcome>,
    /// `if`s whose first or second region is gone: the block of the only one left, and the item that did it.
    pub(super) only_arm: OpMap<(BlockId, usize)>,
}

impl Planner<'_, '_, '_, '_> {
    /// Plans the statements of the body.
    pub(super) fn statements(&mut self) -> Lists {
        let mut lists = Lists::default();
        self.walk(|planner, event| match event {
            WalkEvent::LeaveRegion(region) => planner.list(&mut lists, region),
            WalkEvent::Leave(op) => planner.statement(&mut lists, op),
            _ => {}
        });
        let root = self.body().root;
        self.settle(&mut lists, root);
        lists
    }

    /// Returns the remaining operations of the block of a region.
    fn list(&mut self, lists: &mut Lists, region: RegionId) {
        let body = self.body();
        let [block] = body.regions[region].blocks[..] else { return };
        let is_graph = self.facts.flow.is_graph(block);
        let mut list = List::default();
        for &op in &body.blocks[block].ops {
            self.work.operations += 1;
            match lists.outcome.get(&op).copied() {
                Some(Outcome::Idle) => list.idle.push(op),
                Some(Outcome::Gone(item)) => {
                    list.changes.push(item);
                    list.last_removal = Some(item);
                }
                Some(Outcome::Opened(item, inner)) => {
                    let mut inner = lists.of_block.remove(&inner).unwrap_or_default();
                    inner.changes.push(item);
                    if !is_graph && let Some((first, _)) = inner.ends {
                        let joined = self.join_guards(lists, &mut list, first, &inner.changes);
                        if joined {
                            inner.len -= 1;
                            inner.ends = inner.ends.filter(|_| inner.len > 0);
                        }
                    }
                    list.append(inner);
                }
                shown => {
                    let op = match shown {
                        Some(Outcome::Shows(item, other)) => {
                            list.changes.push(item);
                            other
                        }
                        _ => op,
                    };
                    if is_graph || !self.join_guards(lists, &mut list, op, &[]) {
                        list.push(op, body.ops[op].kind);
                    }
                }
            }
        }
        if list.len > 0 {
            let mut idle = std::mem::take(&mut list.idle);
            // `T.evaluate(0)` is the way to write that nothing is done with what is declared.
            let fillers = idle.iter().filter(|it| list.only_declares() && self.is_filler(**it));
            let filler = fillers.copied().min_by_key(|it| self.facts.scopes.order(*it));
            idle.retain(|it| Some(*it) != filler);
            self.remove_idle(&mut list, idle);
            list.idle.extend(filler);
        }
        lists.of_block.insert(block, list);
    }

    /// Returns true for the statement that stands where nothing is to be done: the evaluation of a constant.
    fn is_filler(&self, op: OpId) -> bool {
        let data = &self.body().ops[op];
        data.kind == OpKind::Evaluate
            && data.operands.iter().all(|&it| self.body().expr(it).is_constant())
    }

    /// Removes statements that do nothing.
    fn remove_idle(&mut self, list: &mut List, mut idle: Vec<OpId>) {
        idle.sort_unstable_by_key(|it| self.facts.scopes.order(*it));
        for op in idle {
            let step = Step::Remove { op, fills: false };
            let mut item = Item::of(SimplificationKind::NoOp, Place::Op(op), step);
            if let Some(decided) = self.expressions.decided.get(&op) {
                item.because = because(decided.decider);
                item.rules = decided.rules.clone();
            }
            list.changes.push(self.add(item));
        }
    }

    /// Leaves something in a list whose operation stays.
    fn settle(&mut self, lists: &mut Lists, region: RegionId) {
        let [block] = self.body().regions[region].blocks[..] else { return };
        let Some(list) = lists.of_block.get_mut(&block).filter(|it| it.len == 0) else { return };
        let mut idle = std::mem::take(&mut list.idle);
        idle.sort_unstable_by_key(|it| self.facts.scopes.order(*it));
        let mut list = std::mem::take(list);
        if idle.is_empty() {
            if let Some(item) = list.last_removal {
                let others: Vec<usize> =
                    list.changes.iter().copied().filter(|it| *it != item).collect();
                let item = &mut self.plan.items[item];
                item.needs.extend(others.iter().filter(|it| **it < list.last_removal.unwrap_or(0)));
                for step in &mut item.steps {
                    if let Step::Remove { fills, .. } = step {
                        *fills = true;
                    }
                }
            }
        } else {
            let rest = idle.split_off(1);
            self.remove_idle(&mut list, rest);
            list.idle = idle;
        }
        lists.of_block.insert(block, list);
    }

    fn statement(&mut self, lists: &mut Lists, op: OpId) {
        self.work.operations += 1;
        let body = self.body();
        let outcome = match body.ops[op].kind {
            OpKind::Evaluate if self.does_nothing(op) => Some(Outcome::Idle),
            OpKind::Store { .. } if self.facts.idle_stores.contains(&op) => Some(Outcome::Idle),
            OpKind::Assert => {
                let holds = self.expressions.decided.get(&op).is_some_and(|it| it.value);
                (holds && self.may_go(op)).then_some(Outcome::Idle)
            }
            OpKind::If => self.branch(lists, op),
            OpKind::For(_) => self.repeat(lists, op),
            _ => None,
        };
        match outcome {
            Some(outcome) => {
                lists.outcome.insert(op, outcome);
            }
            None => {
                for &region in &body.ops[op].regions {
                    self.settle(lists, region);
                }
            }
        }
    }

    fn is_empty(&self, lists: &Lists, block: Option<BlockId>) -> bool {
        block.is_none_or(|it| lists.of_block.get(&it).is_none_or(|it| it.len == 0))
    }

    fn changes(lists: &Lists, block: Option<BlockId>) -> &[usize] {
        let list = block.and_then(|it| lists.of_block.get(&it));
        list.map_or(&[], |it| &it.changes)
    }

    // ---- if ----

    fn branch(&mut self, lists: &mut Lists, op: OpId) -> Option<Outcome> {
        if self.body().ops[op].regions.is_empty() || self.body().is_static_choice(op) {
            return None;
        }
        if let Some(decided) = self.expressions.decided.get(&op).cloned() {
            let place = self.condition_place(op);
            let region = usize::from(!decided.value);
            let block = self.block(op, region);
            if block.is_none() && self.body().ops[op].regions.len() > region {
                return None;
            }
            let goes = self.is_empty(lists, block);
            let step = if goes {
                Step::Remove { op, fills: false }
            } else {
                Step::Open { op, region: region as u32 }
            };
            let mut item = Item::of(decided.kind, place, step);
            item.because = because(decided.decider);
            item.rules = decided.rules;
            item.saves += self.cost(self.body().ops[op].operands[0]);
            if goes {
                item.needs.extend(Self::changes(lists, block));
            }
            if !self.may_go(op) {
                self.refuse(decided.kind, place, SimplifyRefusal::HasEffect, None);
                return None;
            }
            let unique = |it: BlockId| self.facts.openable().is_unique_in(self.body(), it);
            if !goes && !block.is_some_and(unique) {
                self.refuse(decided.kind, place, SimplifyRefusal::HidesName, None);
                return None;
            }
            let item = self.add(item);
            return Some(match block {
                Some(block) if !goes => Outcome::Opened(item, block),
                _ => Outcome::Gone(item),
            });
        }
        let [then, otherwise] = [self.block(op, 0), self.block(op, 1)];
        let has_else = self.body().ops[op].regions.len() > 1;
        if then.is_none() || (has_else && otherwise.is_none()) {
            return None;
        }
        match (self.is_empty(lists, then), has_else, self.is_empty(lists, otherwise)) {
            (true, _, true) => self.remove_branch(lists, op, [then, otherwise]),
            (true, true, false) => {
                self.negate_branch(lists, op, then, otherwise?);
                None
            }
            (false, true, true) => {
                self.drop_else(lists, op, then?, otherwise);
                None
            }
            _ => None,
        }
    }

    /// The condition in the text of the user, else the statement.
    pub(super) fn condition_place(&self, op: OpId) -> Place {
        match self.facts.round.occurrence(op, 0) {
            Some(it) => Place::Occurrence(it),
            None => Place::Op(op),
        }
    }

    fn remove_branch(
        &mut self,
        lists: &Lists,
        op: OpId,
        arms: [Option<BlockId>; 2],
    ) -> Option<Outcome> {
        let kind = SimplificationKind::RedundantGuard;
        if !self.may_go(op) {
            self.refuse(kind, Place::Op(op), SimplifyRefusal::HasEffect, None);
            return None;
        }
        let mut item = Item::of(kind, Place::Op(op), Step::Remove { op, fills: false });
        for arm in arms {
            item.needs.extend(Self::changes(lists, arm));
        }
        item.saves += self.cost(self.body().ops[op].operands[0]);
        Some(Outcome::Gone(self.add(item)))
    }

    fn negate_branch(
        &mut self,
        lists: &mut Lists,
        op: OpId,
        then: Option<BlockId>,
        otherwise: BlockId,
    ) {
        let Some(&with) = self.expressions.negated.get(&op) else { return };
        let step = Step::Negate { op, with };
        let mut item = Item::of(SimplificationKind::NoOp, Place::Op(op), step);
        item.needs.extend(Self::changes(lists, then));
        let item = self.add(item);
        lists.only_arm.insert(op, (otherwise, item));
        if let Some(list) = lists.of_block.get_mut(&otherwise) {
            list.changes.push(item);
        }
    }

    fn drop_else(
        &mut self,
        lists: &mut Lists,
        op: OpId,
        then: BlockId,
        otherwise: Option<BlockId>,
    ) {
        let step = Step::DropElse { op };
        let mut item = Item::of(SimplificationKind::NoOp, Place::Op(op), step);
        item.needs.extend(Self::changes(lists, otherwise));
        let item = self.add(item);
        lists.only_arm.insert(op, (then, item));
        if let Some(list) = lists.of_block.get_mut(&then) {
            list.changes.push(item);
        }
    }

    // ---- for ----

    fn repeat(&mut self, lists: &mut Lists, op: OpId) -> Option<Outcome> {
        let kind = SimplificationKind::EmptyLoop;
        let step = Step::Remove { op, fills: false };
        if self.expressions.never.contains_key(&op) {
            let item = Item::of(kind, Place::Op(op), step);
            return Some(Outcome::Gone(self.add(item)));
        }
        let block = self.block(op, 0)?;
        let list = lists.of_block.get(&block)?;
        if list.len == 0 {
            if is_thread_loop(self.body().ops[op].kind) {
                return None;
            }
            if !self.may_go(op) {
                self.refuse(kind, Place::Op(op), SimplifyRefusal::HasEffect, None);
                return None;
            }
            let item = Item::of(kind, Place::Op(op), step).needing(&list.changes);
            return Some(Outcome::Gone(self.add(item)));
        }
        if let Some(&(value, with)) = self.expressions.unwrapped.get(&op) {
            let step = Step::Unwrap { op, value, with };
            let kind = SimplificationKind::SingleIterationLoop;
            let item =
                Item::of(kind, Place::Op(op), step).needing(self.expressions.variable_items(value));
            let item = self.add(item);
            return Some(Outcome::Opened(item, block));
        }
        let (item, guard) = self.hoisted(lists, op, block)?;
        Some(Outcome::Shows(item, guard))
    }

    // ---- neighbours ----

    /// Joins a guard to the last of a list, if they have one condition. `opened` are the items that brought the guard
    /// to its place.
    fn join_guards(
        &mut self,
        lists: &mut Lists,
        list: &mut List,
        second: OpId,
        opened: &[usize],
    ) -> bool {
        if self.body().ops[second].kind != OpKind::If {
            return false;
        }
        let Some((_, first)) = list.ends else { return false };
        let Some((condition, to)) = self.guard(lists, first) else { return false };
        let Some((other, from)) = self.guard(lists, second) else { return false };
        // Values do not change; what is read from memory might.
        if condition != other || self.movable(condition).is_none() {
            return false;
        }
        // Between the two, a barrier may have to be placed for what threads share.
        if [first, second].into_iter().any(|it| self.facts.shared().is_used_in(it)) {
            return false;
        }
        if !self.facts.openable().is_unique_in(self.body(), from) {
            let kind = SimplificationKind::MergeableGuards;
            self.refuse(
                kind,
                Place::Op(second),
                SimplifyRefusal::HidesName,
                Some(Place::Op(first)),
            );
            return false;
        }
        let step = Step::Join { first, second };
        let place = self.condition_place(second);
        let related = Related { place: self.condition_place(first), role: SAME_CONDITION };
        let mut item = Item::of(SimplificationKind::MergeableGuards, place, step)
            .because(related)
            .needing(&list.changes)
            .needing(opened)
            .needing(&self.guard_items(lists, first))
            .needing(&self.guard_items(lists, second));
        item.saves += self.cost(condition);
        let item = self.add(item);
        let moved = lists.of_block.remove(&from).unwrap_or_default();
        if let Some(list) = lists.of_block.get_mut(&to) {
            list.append(moved);
            list.changes.push(item);
        }
        // It needs all of the others.
        list.changes = vec![item];
        lists.outcome.insert(second, Outcome::Gone(item));
        true
    }

    /// The items without which an `if` is not the guard that [`Planner::guard`] gives: it has another condition, or a
    /// second arm.
    pub(super) fn guard_items(&self, lists: &Lists, op: OpId) -> Vec<usize> {
        let arm = lists.only_arm.get(&op).map(|it| it.1);
        let condition = self.expressions.condition_items(op).iter().copied();
        condition.chain(arm).collect()
    }

    /// The condition of an `if` of one arm, and the arm.
    pub(super) fn guard(&self, lists: &Lists, op: OpId) -> Option<(ExprId, BlockId)> {
        let body = self.body();
        let data = &body.ops[op];
        if data.kind != OpKind::If || self.expressions.negated_now(lists, op) {
            return None;
        }
        let arm = match lists.only_arm.get(&op) {
            Some(&(arm, _)) => arm,
            None if data.regions.len() == 1 => self.block(op, 0)?,
            None => return None,
        };
        let condition = self.expressions.operand(body, op, 0);
        let node = self.simplifier.body().expr(condition);
        // Python's choices stay apart from those of the kernel.
        let is_known = !node.flags.has_unknown && node.ty != ir::Type::Unknown;
        is_known.then_some((condition, arm))
    }
}

impl super::expressions::Expressions {
    /// Returns true if the condition of an `if` has been negated: the next round sees the new form.
    fn negated_now(&self, lists: &Lists, op: OpId) -> bool {
        self.negated.contains_key(&op) && lists.only_arm.contains_key(&op)
    }
}

//! The parts of a plan: the actions that each action needs to be right without the rest.
//!
//! In: a plan and the requested actions. Out: those and all they rest on. A merge, or the replacement of a carried
//! value, needs the move of the replacing operation. A move needs the moves of the operation's operands, and the merges
//! by which it uses them. A deletion needs that the users go, or use another value. The removal of a carried value
//! needs all the other actions, which remove its last uses. All else is right by itself. O(operations + operands) for a
//! plan, however many actions are wanted.

use ir::{
    Body, OpId, ValueId, ValueKind,
    plan::ops::{OpChange, OpPlan},
};
use rustc_hash::{FxHashMap, FxHashSet};

use super::{op_traits::value_of, summary::for_each_operand};

/// The actions of a plan that are done when those at `wanted` are, by their place in the plan.
pub fn with_needs(
    body: &Body,
    plan: &OpPlan,
    wanted: impl IntoIterator<Item = usize>,
) -> Vec<bool> {
    let mut done = vec![false; plan.actions.len()];
    for at in Needs::of(body, plan).with(wanted) {
        done[at] = true;
    }
    done
}

/// The part of a plan that consists of the actions at `wanted` and their needs.
pub fn part(body: &Body, plan: &OpPlan, wanted: impl IntoIterator<Item = usize>) -> OpPlan {
    let done = with_needs(body, plan, wanted);
    let actions = plan.actions.iter().zip(&done).filter(|(_, done)| **done);
    OpPlan {
        preset: plan.preset,
        actions: actions.map(|(it, _)| it.clone()).collect(),
        refusals: Vec::new(),
    }
}

/// The needs of the actions of a plan: for who asks about many of them, one after the other.
pub struct Needs<'a> {
    body: &'a Body,
    plan: &'a OpPlan,
    moves: FxHashMap<OpId, usize>,
    /// Merges and deletions.
    removals: FxHashMap<OpId, usize>,
    /// The first removed carried value.
    drop: Option<usize>,
    /// Values whose uses become uses of others.
    renamed: FxHashMap<ValueId, usize>,
    /// Operations by their operands; computed on demand.
    users: Option<FxHashMap<OpId, Vec<OpId>>>,
}

impl<'a> Needs<'a> {
    /// O(actions).
    pub fn of(body: &'a Body, plan: &'a OpPlan) -> Needs<'a> {
        let mut needs = Needs {
            body,
            plan,
            moves: FxHashMap::default(),
            removals: FxHashMap::default(),
            drop: None,
            renamed: FxHashMap::default(),
            users: None,
        };
        for (at, action) in plan.actions.iter().enumerate() {
            match action.change {
                OpChange::Hoist { .. } => drop(needs.moves.insert(action.op, at)),
                OpChange::Merge { .. } | OpChange::MergeWithCopies { .. } | OpChange::Delete => {
                    needs.removals.insert(action.op, at);
                }
                OpChange::Argument { argument, .. } => drop(needs.renamed.insert(argument, at)),
                OpChange::RemoveArgument { .. } => drop(needs.drop.get_or_insert(at)),
                OpChange::MergeUses { .. } => {}
            }
        }
        needs
    }

    /// The places in the plan of these actions and of those that they need, in order. O(those), besides the users of
    /// operations, which are found once.
    pub fn with(&mut self, wanted: impl IntoIterator<Item = usize>) -> Vec<usize> {
        let n_actions = self.plan.actions.len();
        let mut done: FxHashSet<usize> = FxHashSet::default();
        let mut found = Vec::new();
        let mut stack: Vec<usize> = wanted.into_iter().filter(|it| *it < n_actions).collect();
        while let Some(at) = stack.pop() {
            ir::interrupt::check();
            if done.insert(at) {
                found.push(at);
                self.push(at, &mut stack);
            }
        }
        found.sort_unstable();
        found
    }

    fn push(&mut self, at: usize, stack: &mut Vec<usize>) {
        let action = &self.plan.actions[at];
        match &action.change {
            OpChange::Merge { into }
            | OpChange::MergeWithCopies { into, .. }
            | OpChange::MergeUses { into, .. } => {
                stack.extend(self.moves.get(into));
            }
            OpChange::Hoist { .. } => for_each_operand(self.body, action.op, |_, operand| {
                let value = value_of(self.body, operand);
                stack.extend(value.and_then(|it| self.renamed.get(&it)));
                let kind = value.map(|it| self.body.values[it].kind);
                if let Some(ValueKind::Result(by, _)) = kind {
                    stack.extend(self.moves.get(&by));
                    stack.extend(self.removals.get(&by));
                }
            }),
            OpChange::Delete => self.push_users(action.op, stack),
            OpChange::Argument { value, .. } => {
                if let ValueKind::Result(by, _) = self.body.values[*value].kind {
                    stack.extend(self.moves.get(&by));
                }
            }
            OpChange::RemoveArgument { .. } => stack.extend(0..self.plan.actions.len()),
        }
    }

    /// Pushes the removals that remove the users of an operation: the removal of each, or of the operation around it.
    fn push_users(&mut self, op: OpId, stack: &mut Vec<usize>) {
        let body = self.body;
        stack.extend(body.ops[op].results.iter().filter_map(|it| self.renamed.get(it)));
        let users = self.users.get_or_insert_with(|| {
            let mut users: FxHashMap<OpId, Vec<OpId>> = FxHashMap::default();
            for user in body.ops_preorder() {
                for_each_operand(body, user, |_, operand| {
                    let kind = value_of(body, operand).map(|it| body.values[it].kind);
                    if let Some(ValueKind::Result(by, _)) = kind {
                        users.entry(by).or_default().push(user);
                    }
                });
            }
            users
        });
        for &user in users.get(&op).map_or(&[][..], Vec::as_slice) {
            ir::interrupt::check();
            let mut around = std::iter::successors(Some(user), |&it| body.parent_op(it));
            // A user that stays hands it on, and that ends.
            stack.extend(around.find_map(|it| self.removals.get(&it)).or(self.drop.as_ref()));
        }
    }
}

//! Guards that are merged with an enclosing guard, or are moved around their loop.
//!
//! `if a: if b: S` becomes `if a and b: S`. A back end may evaluate both sides of `and` (`SEMANTICS: S2`, `S3`), so `b`
//! must be a value that can neither trap nor overflow before the outer `if`. At most [`MOST_PARTS`] conditions become
//! one: a person has to read them.
//!
//! `for i: if c: S` becomes `if c: for i: S` if `c` depends on values from outside the loop only, and the loop surely
//! runs or evaluating `c` adds no event. The bounds, then evaluated under `c`, must be free of effects. Threads and
//! barriers stand under the same conditions as before (`P8`, `Y2`); loops that bind threads, and loops around blocks
//! that are still to be scheduled, stay where they are (`P6`). The bounds and `c` are evaluated in another order, which
//! only changes which of two errors comes first.
//!
//! Threads exchange values in memory that they share, and the barriers for that may still have to be placed: where all
//! threads of a block pass. So no condition comes between: a guard stays in a loop that writes such memory, and guards
//! with such memory in them are not joined (`statements`).
//!
//! Both are linear: each guard is asked about once for the outermost guard that it may join, once for each loop that it
//! leaves.

use ir::{
    BinaryOp, BlockId, Body, ExprId, ExprKind, OpId, OpKind,
    arena::Id as _,
    plan::{
        finding::{Place, Related, Role},
        simplify::{SimplificationKind, SimplifyRefusal, Step},
    },
    walk::WalkEvent,
};

use super::{
    loops::is_tile_loop,
    round::{Item, OpMap, Planner, is_thread_loop},
    statements::{Lists, Outcome},
};

/// The guard around another, which could have both conditions.
const AROUND: Role = Role("this is the guard around it");

/// Conditions that become one, at most.
const MOST_PARTS: usize = 8;

impl Planner<'_, '_, '_, '_> {
    /// The guard that goes around a loop, if that is right, and the item.
    pub(super) fn hoisted(
        &mut self,
        lists: &mut Lists,
        op: OpId,
        block: BlockId,
    ) -> Option<(usize, OpId)> {
        let guard = lists.of_block.get(&block)?.only()?;
        let (condition, arm) = self.guard(lists, guard)?;
        let kind = SimplificationKind::InvariantGuard;
        let inside = self.facts.scopes.of_block(block).index() as u32;
        if let Some(refusal) = self.why_not_hoisted(op, condition, inside) {
            // A condition that changes in the loop is nothing to tell.
            if let Some(refusal) = refusal {
                self.refuse(kind, Place::Op(guard), refusal, Some(Place::Op(op)));
            }
            return None;
        }
        let related = Related { place: Place::Op(op), role: Role::LOOP };
        let mut item = Item::of(kind, self.condition_place(guard), Step::Hoist { op, guard })
            .because(related)
            .needing(&lists.of_block[&block].changes)
            .needing(&self.guard_items(lists, guard));
        item.saves = self.cost(condition).max(1);
        let item = self.add(item);
        // The loop has what the guard had, and the guard has the loop.
        let content = lists.of_block.remove(&arm).unwrap_or_default();
        lists.of_block.insert(block, content);
        lists.of_block.insert(arm, super::statements::List::alone(op, item));
        Some((item, guard))
    }

    /// None if it may be; else why not, if that is worth telling.
    fn why_not_hoisted(
        &mut self,
        op: OpId,
        condition: ExprId,
        inside: u32,
    ) -> Option<Option<SimplifyRefusal>> {
        let Some(innermost) = self.movable(condition) else {
            return Some(Some(SimplifyRefusal::ReadsMemory));
        };
        if innermost >= inside {
            return Some(None);
        }
        if is_thread_loop(self.body().ops[op].kind) || is_tile_loop(self.body(), op) {
            return Some(Some(SimplifyRefusal::ThreadLoop));
        }
        // What an annotation is for may need the guard where it is: `nki_dim` makes one instruction of several loops.
        if self.body().ops[op].attrs != Body::no_attrs() {
            return Some(Some(SimplifyRefusal::AnnotatedLoop));
        }
        if self.facts.loops().has_sblock[op.index()] {
            return Some(Some(SimplifyRefusal::Schedulable));
        }
        if !self.may_go(op) {
            return Some(Some(SimplifyRefusal::HasEffect));
        }
        // A barrier between iterations could not stand under the condition.
        if self.facts.shared().is_written_in(op) {
            return Some(None);
        }
        let context = self.before(op);
        if !self.is_entered(op) && self.is_bound_to_its_place(context, condition) {
            return Some(Some(SimplifyRefusal::MayTrap));
        }
        None
    }

    /// Plans which guards become one with the guard around them, outer before inner.
    pub(super) fn merge_guards(&mut self, lists: &mut Lists) {
        let mut merged: OpMap<()> = OpMap::default();
        self.walk(|planner, event| {
            let WalkEvent::Enter(op) = event else { return };
            let is_if = planner.body().ops[op].kind == OpKind::If;
            let goes = matches!(
                lists.outcome.get(&op),
                Some(Outcome::Gone(_) | Outcome::Opened(..) | Outcome::Idle)
            );
            if is_if && !goes && !merged.contains_key(&op) {
                planner.merge_into(lists, &mut merged, op);
            }
        });
    }

    /// Takes guards that stand alone in a guard into it.
    fn merge_into(&mut self, lists: &mut Lists, merged: &mut OpMap<()>, outer: OpId) {
        let Some((condition, arm)) = self.guard(lists, outer) else { return };
        let context = self.before(outer);
        let mut parts = self.parts(condition);
        loop {
            let Some(inner) = lists.of_block.get(&arm).and_then(|it| it.only()) else { return };
            let Some((condition, inner_arm)) = self.guard(lists, inner) else { return };
            parts += self.parts(condition);
            if parts > MOST_PARTS {
                return;
            }
            if let Some(refusal) = self.why_not_merged(context, inner, condition) {
                let kind = SimplificationKind::MergeableGuards;
                self.refuse(kind, Place::Op(inner), refusal, Some(Place::Op(outer)));
                return;
            }
            let related = Related { place: self.condition_place(outer), role: AROUND };
            let kind = SimplificationKind::MergeableGuards;
            let changes = &lists.of_block[&arm].changes;
            let step = Step::Merge { outer, inner };
            let item = Item::of(kind, self.condition_place(inner), step)
                .because(related)
                .needing(changes)
                .needing(&self.guard_items(lists, outer))
                .needing(&self.guard_items(lists, inner));
            let item = self.add(item);
            merged.insert(inner, ());
            let mut content = lists.of_block.remove(&inner_arm).unwrap_or_default();
            content.changes.push(item);
            lists.of_block.insert(arm, content);
        }
    }

    fn why_not_merged(
        &mut self,
        context: arith::ContextId,
        inner: OpId,
        condition: ExprId,
    ) -> Option<SimplifyRefusal> {
        if self.facts.loops().has_sblock[inner.index()] {
            return Some(SimplifyRefusal::Schedulable);
        }
        if !self.simplifier.body().ty(condition).is_bool() {
            return Some(SimplifyRefusal::HasEffect);
        }
        if self.movable(condition).is_none() {
            return Some(SimplifyRefusal::ReadsMemory);
        }
        self.is_bound_to_its_place(context, condition).then_some(SimplifyRefusal::MayTrap)
    }

    /// Returns the number of conditions of an `and`; no more than one too many are counted.
    fn parts(&self, condition: ExprId) -> usize {
        let body = self.simplifier.body();
        let mut stack = vec![condition];
        let mut parts = 0;
        while let Some(at) = stack.pop() {
            match body.expr(at).kind {
                ExprKind::Binary(BinaryOp::And, a, b) if parts + stack.len() <= MOST_PARTS => {
                    stack.extend([b, a]);
                }
                _ => parts += 1,
            }
        }
        parts
    }
}

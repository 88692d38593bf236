//! Near misses: expressions that look the same and are not, such as loads with a write between them, and convergent
//! calls in different regions.
//!
//! In: the classes. Out: for each such expression a refused group of the first occurrence of each value, with the
//! obstacle between the first two. Only loads and convergent calls themselves are listed, not the values computed from
//! them. O(occurrences), and O(log n) for each group.

use ir::{
    ExprId, ExprKind, OccurrenceId, OpKind,
    plan::{Between, Refusal},
};

use super::Greedy;
use crate::cse::{
    Work,
    facts::Seen,
    sharing::{self, Sharing},
    values::Memory,
};
use dataflow::memory::{Origin, WriteKind};

impl Greedy<'_> {
    /// Lists the near misses.
    pub(super) fn near_misses(&mut self, memory: &Memory<'_>, work: &mut Work) {
        let facts = self.facts;
        let mut all: Vec<(ExprId, OccurrenceId)> = facts
            .occurrences
            .iter()
            .filter(|&(id, it)| {
                facts.has(id, Seen::REAL | Seen::REPLACEABLE)
                    && !facts.has(id, Seen::PLACE)
                    && self.is_near_miss(it.expr)
            })
            .map(|(id, it)| (it.expr, id))
            .collect();
        work.visited += (facts.occurrences.len() + all.len()) as u64;
        work.compared += (all.len() * size_of::<(ExprId, OccurrenceId)>()) as u64;
        all.sort_unstable();
        for list in all.chunk_by(|a, b| a.0 == b.0) {
            ir::interrupt::check();
            let mut firsts: Vec<(u32, OccurrenceId)> =
                list.iter().map(|&(_, id)| (self.values.class(id), id)).collect();
            firsts.sort_unstable();
            firsts.dedup_by_key(|it| it.0);
            let mut firsts: Vec<OccurrenceId> = firsts.into_iter().map(|it| it.1).collect();
            firsts.sort_unstable();
            if let [first, second, ..] = firsts[..]
                && !self.is_partial(first, second)
                && let Some(refusal) = self.between(memory, first, second)
            {
                self.refuse(firsts, refusal);
            }
        }
    }

    /// Returns true if two occurrences are part of a value that a scalar could hold; that finding reports them.
    fn is_partial(&self, first: OccurrenceId, second: OccurrenceId) -> bool {
        let holder = |it: OccurrenceId| {
            let after = self.partial.partition_point(|other| other.0 <= it);
            let &(start, number) = self.partial.get(after.checked_sub(1)?)?;
            (it < self.facts.occurrences[start].end).then_some(number)
        };
        holder(first).is_some_and(|it| holder(second) == Some(it))
    }

    fn is_near_miss(&self, expr: ExprId) -> bool {
        let body = self.facts.body;
        let sharing = self.facts.sharing(expr);
        let is_kind = match body.expr(expr).kind {
            ExprKind::Load { .. } => true,
            ExprKind::Call { .. } => sharing.intersects(Sharing::CONVERGENT),
            _ => false,
        };
        // The variables of two binders are two, whatever is between.
        let is_closed = body.expr(expr).flags.open_binders == 0;
        is_kind
            && is_closed
            && !sharing.intersects(Sharing::IMPURE)
            && sharing::is_value(body, expr)
    }

    /// Returns the reason why the occurrences of one expression have two values.
    fn between(
        &self,
        memory: &Memory<'_>,
        first: OccurrenceId,
        second: OccurrenceId,
    ) -> Option<Refusal> {
        let Some(version) = memory.versions.of_load(second) else {
            return Some(Refusal::Convergent);
        };
        if let Some(obstacle) = memory.versions.obstacle(first, second) {
            let what = obstacle.kind.map_or(Between::Unordered, between);
            return Some(Refusal::Memory { write: obstacle.op, what, around: obstacle.around });
        }
        // One version: nothing has been written yet, or an index reads memory that changes.
        match version.origin() {
            Origin::Write(op) if matches!(self.facts.body.ops[op].kind, OpKind::Alloc { .. }) => {
                Some(Refusal::Memory { write: op, what: Between::Allocation, around: None })
            }
            _ => None,
        }
    }
}

fn between(kind: WriteKind) -> Between {
    match kind {
        WriteKind::Store => Between::Store,
        WriteKind::Call => Between::Call,
        WriteKind::Barrier => Between::Barrier,
        WriteKind::AsyncCopy => Between::AsyncCopy,
        WriteKind::Allocation => Between::Allocation,
        WriteKind::Polled => Between::Polled,
        WriteKind::Opaque => Between::Opaque,
    }
}

//! Compatibility: the positions that may share one value.
//!
//! In: the positions of a value. Out: [`Together`], classes of them, each in order. Nothing is shared across an
//! unresolved branch (`SEMANTICS: X8`), between kernels (`P6`), or between the host and a kernel unless the host
//! computes the value anyway and both compute the same bits (`H1`, `H2`).

use dataflow::scopes::ScopeId;
use ir::{ExprId, OpId, plan::Refusal};
use smallvec::SmallVec;

use super::Greedy;
use crate::cse::{place::Position, sharing::Sharing};

/// Positions that may be shared.
pub(super) struct Together {
    pub(super) positions: Vec<Position>,
    /// The reason why they are apart from others, if they are.
    pub(super) apart: Option<Refusal>,
}

impl Greedy<'_> {
    /// Returns true if a value of the host may be used in kernels, which would compute it themselves.
    pub(super) fn crosses_launches(&self, expr: ExprId) -> bool {
        let sharing = self.facts.sharing(expr);
        let stays = Sharing::PER_THREAD.union(Sharing::CONVERGENT);
        !sharing.intersects(stays)
            && !self.facts.body.expr(expr).flags.has_load
            && (self.options.share_intrinsics_across_launch
                || !sharing.intersects(Sharing::INEXACT))
    }

    /// The positions, given in order, in groups that may be shared.
    pub(super) fn classes(&self, positions: Vec<Position>) -> Vec<Together> {
        let by_arm = self.by_static_arm(positions, 0);
        by_arm.into_iter().flat_map(|it| self.classes_of_arm(it)).collect()
    }

    /// The positions of each arm apart, where all are in the arms of one `if` by which Python decides: one of the arms
    /// is the kernel, and nothing is computed twice (`SEMANTICS: G5`).
    fn by_static_arm(&self, positions: Vec<Position>, depth: usize) -> Vec<Vec<Position>> {
        let arms: Vec<Option<(OpId, ScopeId)>> =
            positions.iter().map(|it| self.static_arms(it.op).into_iter().nth(depth)).collect();
        let Some(&Some((choice, first))) = arms.first() else { return vec![positions] };
        if arms.iter().any(|it| it.is_none_or(|it| it.0 != choice)) {
            return vec![positions];
        }
        if arms.iter().all(|it| it.is_some_and(|it| it.1 == first)) {
            return self.by_static_arm(positions, depth + 1);
        }
        let mut apart: Vec<(Option<ScopeId>, Vec<Position>)> = Vec::new();
        for (position, arm) in positions.into_iter().zip(arms) {
            let arm = arm.map(|it| it.1);
            match apart.iter_mut().find(|it| it.0 == arm) {
                Some((_, list)) => list.push(position),
                None => apart.push((arm, vec![position])),
            }
        }
        apart.into_iter().flat_map(|it| self.by_static_arm(it.1, depth + 1)).collect()
    }

    /// The arms of Python's choices around an operation, from the outermost. O(depth).
    fn static_arms(&self, op: OpId) -> SmallVec<[(OpId, ScopeId); 2]> {
        let (body, scopes) = (self.facts.body, self.facts.scopes);
        let mut arms = SmallVec::new();
        if !self.has_static_choices {
            return arms;
        }
        let mut at = Some(scopes.of_op(op));
        while let Some(scope) = at {
            if let Some(creator) = scopes.creator(scope)
                && body.is_static_choice(creator)
            {
                arms.push((creator, scope));
            }
            at = scopes.parent(scope);
        }
        arms.reverse();
        arms
    }

    fn classes_of_arm(&self, positions: Vec<Position>) -> Vec<Together> {
        let facts = self.facts;
        let key = |it: &Position| (facts.part(it.op), facts.kernel(facts.scopes.of_op(it.op)));
        let first = key(&positions[0]);
        if positions.iter().all(|it| key(it) == first) {
            return vec![Together { positions, apart: None }];
        }
        let mut sorted = positions;
        sorted.sort_by_key(|it| facts.part(it.op));
        let mut classes = Vec::new();
        for part in sorted.chunk_by(|a, b| facts.part(a.op) == facts.part(b.op)) {
            let on_host = part.iter().any(|it| key(it).1.is_none());
            let same = part.iter().all(|it| key(it) == key(&part[0]));
            let crosses =
                |it: &Position| self.crosses_launches(facts.occurrences[it.occurrence].expr);
            if same || on_host && part.iter().all(crosses) {
                classes.push(Together { positions: part.to_vec(), apart: None });
                continue;
            }
            let mut part = part.to_vec();
            part.sort_by_key(|it| key(it).1);
            for kernel in part.chunk_by(|a, b| key(a) == key(b)) {
                let apart = Some(Refusal::LaunchBound);
                classes.push(Together { positions: kernel.to_vec(), apart });
            }
        }
        classes
    }
}

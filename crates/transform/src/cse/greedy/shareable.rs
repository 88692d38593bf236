//! Compatibility: the positions that may share one value.
//!
//! In: the positions of a value. Out: [`Together`], classes of them, each in order. Nothing is shared across an
//! unresolved branch (`SEMANTICS: X8`), between kernels (`P6`), or between the host and a kernel unless the host
//! computes the value anyway and both compute the same bits (`H1`, `H2`).

use dataflow::scopes::ScopeId;
use ir::{ExprId, OccurrenceId, OpId, plan::Refusal};
use smallvec::SmallVec;

use super::Greedy;
use crate::cse::{place::Position, sharing::Sharing};

/// An arm of a choice of Python.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Arm {
    /// The statements of an `if`.
    Statements(OpId, ScopeId),
    /// The operand of `a if c else b` with this number.
    Operand(OccurrenceId, usize),
}

impl Arm {
    fn is_of_choice_of(self, other: Arm) -> bool {
        match (self, other) {
            (Arm::Statements(a, _), Arm::Statements(b, _)) => a == b,
            (Arm::Operand(a, _), Arm::Operand(b, _)) => a == b,
            _ => false,
        }
    }
}

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

    /// The positions of each arm apart, where all are in the arms of one choice of Python: one of the arms is the
    /// kernel, and nothing is computed twice (`SEMANTICS: G5`).
    fn by_static_arm(&self, positions: Vec<Position>, depth: usize) -> Vec<Vec<Position>> {
        let arms: Vec<Option<Arm>> =
            positions.iter().map(|it| self.static_arms(it).into_iter().nth(depth)).collect();
        let Some(&Some(first)) = arms.first() else { return vec![positions] };
        if arms.iter().any(|it| it.is_none_or(|it| !it.is_of_choice_of(first))) {
            return vec![positions];
        }
        if arms.iter().all(|&it| it == Some(first)) {
            return self.by_static_arm(positions, depth + 1);
        }
        let mut apart: Vec<(Option<Arm>, Vec<Position>)> = Vec::new();
        for (position, arm) in positions.into_iter().zip(arms) {
            match apart.iter_mut().find(|it| it.0 == arm) {
                Some((_, list)) => list.push(position),
                None => apart.push((arm, vec![position])),
            }
        }
        apart.into_iter().flat_map(|it| self.by_static_arm(it.1, depth + 1)).collect()
    }

    /// The arms of Python's choices around a position, from the outermost. O(depth).
    fn static_arms(&self, position: &Position) -> SmallVec<[Arm; 2]> {
        let (body, scopes) = (self.facts.body, self.facts.scopes);
        let mut arms = SmallVec::new();
        if !self.has_static_choices {
            return arms;
        }
        let occurrences = self.facts.occurrences;
        let mut inner = position.occurrence;
        while let Some(outer) = occurrences[inner].parent {
            if body.is_static_selection(occurrences[outer].expr) {
                match occurrences.index_in(outer, inner) {
                    0 => {}
                    arm => arms.push(Arm::Operand(outer, arm)),
                }
            }
            inner = outer;
        }
        let mut at = Some(scopes.of_op(position.op));
        while let Some(scope) = at {
            if let Some(creator) = scopes.creator(scope)
                && body.is_static_choice(creator)
            {
                arms.push(Arm::Statements(creator, scope));
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

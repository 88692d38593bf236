//! Chains of `and` or of `or`, as one operator on a list of conditions that are evaluated from left to right.
//!
//! A condition that the ones before it decide goes, or decides the whole. That is sound though the left side gives the
//! right one nothing that could justify an evaluation (`SEMANTICS: S2`): the value of the whole is that of the right
//! side only where the left one does not decide, and an evaluation that goes adds no event. A condition goes by one
//! *after* it only if that one can be evaluated without an event, as all between. Conditions keep their order.
//!
//! A chain is looked at in pieces of [`MOST_CONDITIONS`], so its cost is linear.

use ir::{BinaryOp, ExprId, ExprKind, UnaryOp};
use smallvec::SmallVec;

use super::{At, Rewrite, Simplifier};
use crate::{Overflow, integers::negated as opposite};

/// Conditions of one chain.
const MOST_CONDITIONS: usize = 32;
/// Conditions of which each is compared with each.
const MOST_PAIRED: usize = 8;
/// A condition of more nodes is not assumed for those after it.
const MOST_ASSUMED: u32 = 256;
/// Nested conditions that `not` is moved into.
const MOST_NEGATED: u32 = 8;

/// A chain in the making.
struct Chain {
    at: At,
    op: BinaryOp,
    kept: Vec<ExprId>,
    /// The place where all conditions kept so far did not decide.
    inside: At,
    rule: &'static str,
}

impl Simplifier<'_> {
    /// A chain without conditions that decide nothing, or with `not` moved to where it costs nothing.
    pub(super) fn chain(&mut self, at: At, expr: ExprId) -> Option<Rewrite> {
        let node = self.body().expr(expr);
        match node.kind {
            // What a chain was made into is one that nothing goes from.
            ExprKind::Binary(op, ..)
                if self.is_lazy(op, node.ty) && self.last_chain != Some((expr, at)) =>
            {
                self.lazy_chain(at, op, expr)
            }
            ExprKind::Unary(UnaryOp::Not, a) if node.ty.prim()?.is_scalar() => {
                self.negated(a, 0).map(|it| (it, "not-inwards"))
            }
            _ => None,
        }
    }

    fn lazy_chain(&mut self, at: At, op: BinaryOp, expr: ExprId) -> Option<Rewrite> {
        let decisive = op == BinaryOp::Or;
        let mut chain = Chain { at, op, kept: Vec::new(), inside: at, rule: "logic-chain" };
        let mut waiting = vec![expr];
        let mut is_whole = true;
        while let Some(condition) = waiting.pop() {
            if let ExprKind::Binary(it, a, b) = self.body().expr(condition).kind
                && it == op
            {
                if chain.kept.len() + waiting.len() < MOST_CONDITIONS {
                    waiting.extend([b, a]);
                    continue;
                }
                is_whole = false;
            }
            let simple = self.simplified(at, condition);
            if simple != condition
                && matches!(self.body().expr(simple).kind, ExprKind::Binary(it, ..) if it == op)
            {
                waiting.push(simple);
                continue;
            }
            if self.keep(&mut chain, simple) == Some(decisive) {
                return Some((self.int(decisive.into(), ir::DataType::BOOL), chain.rule));
            }
        }
        let n_kept = chain.kept.len();
        self.drop_implied(&mut chain);
        self.pair_up(&mut chain);
        let is_last = is_whole && chain.kept.len() == n_kept;
        let mut kept = chain.kept.into_iter();
        let Some(first) = kept.next() else {
            return Some((self.int((!decisive).into(), ir::DataType::BOOL), chain.rule));
        };
        let node = kept.fold(first, |total, it| self.binary(op, total, it));
        if is_last {
            self.last_chain = Some((node, at));
        }
        Some((node, chain.rule))
    }

    /// Adds a condition unless it is decided; returns how.
    fn keep(&mut self, chain: &mut Chain, condition: ExprId) -> Option<bool> {
        let decisive = chain.op == BinaryOp::Or;
        let decided = self.as_bool(condition).or_else(|| {
            if chain.kept.contains(&condition) {
                return Some(!decisive);
            }
            if chain.kept.iter().any(|it| self.is_complement(*it, condition)) {
                return Some(decisive);
            }
            self.work.questions += 1;
            self.analyzer.decide_with(chain.at.reading, chain.inside.ctx, condition)
        });
        if decided.is_some() {
            chain.rule = "decided-by-left";
            return decided;
        }
        chain.kept.push(condition);
        if self.body().expr(condition).size <= MOST_ASSUMED {
            chain.inside.ctx = self.analyzer.assume(chain.inside.ctx, condition, !decisive);
        }
        None
    }

    fn is_complement(&self, a: ExprId, b: ExprId) -> bool {
        let is_not = |a: ExprId, b: ExprId| matches!(self.body().expr(a).kind, ExprKind::Unary(UnaryOp::Not, it) if it == b);
        is_not(a, b) || is_not(b, a)
    }

    /// Drops conditions that a later one implies.
    fn drop_implied(&mut self, chain: &mut Chain) {
        if chain.kept.len() > MOST_PAIRED {
            return;
        }
        let decisive = chain.op == BinaryOp::Or;
        let mut place = 0;
        while place + 1 < chain.kept.len() {
            let condition = chain.kept[place];
            // Without it, all up to the one that implies it are evaluated.
            let later: SmallVec<[ExprId; MOST_PAIRED]> = chain.kept[place + 1..].into();
            let may_imply = |it: &mut Self, later: ExprId| {
                !it.analyzer.sampled().is_implication_refuted(
                    chain.at.ctx,
                    later,
                    condition,
                    !decisive,
                )
            };
            let Some(last) = later.iter().rposition(|&it| may_imply(self, it)) else {
                place += 1;
                continue;
            };
            let mut answers = later[..=last].iter().map_while(|&it| {
                self.may_follow(chain.at, condition, it).then(|| {
                    if !may_imply(self, it) {
                        return false;
                    }
                    self.work.questions += 1;
                    let ctx = self.analyzer.assume(chain.at.ctx, it, !decisive);
                    self.analyzer.decide_with(chain.at.reading, ctx, condition) == Some(!decisive)
                })
            });
            let is_implied = answers.any(|it| it);
            if is_implied {
                chain.rule = "implied-by-right";
                chain.kept.remove(place);
            } else {
                place += 1;
            }
        }
    }

    /// Returns true if a later condition of a chain adds no event where an earlier one, which decides, is left out: on
    /// no run, or on none on which evaluating the earlier one was no error.
    fn may_follow(&mut self, at: At, earlier: ExprId, later: ExprId) -> bool {
        at.reading == Overflow::Excluded && self.is_between(earlier, later)
            || self.has_no_event(at, later)
    }

    /// Returns true if each side of a comparison is a side of another one, or lies between a value and a sum that are
    /// computed for that: `y + 5` beside `y + 9`.
    fn is_between(&self, earlier: ExprId, later: ExprId) -> bool {
        let sides = |it: ExprId| match self.body().expr(it).kind {
            ExprKind::Binary(op, a, b) if op.is_comparison() => {
                let is_wide = self.body().dtype(a).is_some_and(|it| it.is_int() && it.bits >= 32);
                is_wide.then(|| [self.with_offset(a), self.with_offset(b)])
            }
            _ => None,
        };
        let (Some(earlier), Some(later)) = (sides(earlier), sides(later)) else { return false };
        later.iter().all(|&(base, offset)| {
            earlier
                .iter()
                .any(|&(known, end)| known == base && (end.min(0)..=end.max(0)).contains(&offset))
        })
    }

    /// An expression as another one and a constant that is added to it.
    fn with_offset(&self, expr: ExprId) -> (ExprId, i128) {
        match self.body().expr(expr).kind {
            ExprKind::Binary(BinaryOp::Add, base, by) => {
                self.as_int(by).map_or((expr, 0), |by| (base, by))
            }
            ExprKind::Binary(BinaryOp::Sub, base, by) => {
                self.as_int(by).map_or((expr, 0), |by| (base, -by))
            }
            _ => (expr, 0),
        }
    }

    /// Applies the rules on two conditions to neighbours.
    fn pair_up(&mut self, chain: &mut Chain) {
        let mut place = 0;
        while place + 1 < chain.kept.len() {
            let pair = self.binary(chain.op, chain.kept[place], chain.kept[place + 1]);
            match self.rewrite_by_rules(chain.at, pair) {
                Some((one, rule)) if !self.is_worse(one, pair) => {
                    chain.rule = rule;
                    chain.kept.splice(place..place + 2, [one]);
                }
                _ => place += 1,
            }
        }
    }

    /// The opposite of a condition, where that is no operation more. Only comparisons of integers have one
    /// (`SEMANTICS: S7`, `F4`).
    fn negated(&mut self, condition: ExprId, depth: u32) -> Option<ExprId> {
        if depth == MOST_NEGATED {
            return None;
        }
        if let Some(value) = self.as_bool(condition) {
            return Some(self.int((!value).into(), ir::DataType::BOOL));
        }
        match self.body().expr(condition).kind {
            ExprKind::Unary(UnaryOp::Not, a) => Some(a),
            ExprKind::Binary(op, a, b) if op.is_comparison() => {
                let dtype = self.body().dtype(a)?;
                crate::integers::is_integral(dtype).then(|| self.binary(opposite(op), a, b))
            }
            ExprKind::Binary(op, a, b) if op.is_logical() => {
                let (a, b) = (self.negated(a, depth + 1)?, self.negated(b, depth + 1)?);
                let op = if op == BinaryOp::And { BinaryOp::Or } else { BinaryOp::And };
                Some(self.binary(op, a, b))
            }
            _ => None,
        }
    }
}

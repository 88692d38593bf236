//! Facts about values that are one of several: what loops carry, what choices yield, arguments of blocks.
//!
//! In: the choices of a body (`ir::choices`) and the facts before each operation, of a walk. Out: *claims* about their
//! values, which the next walk has as constraints; walks and claims go on until nothing new is found, [`MOST_WALKS`]
//! times.
//!
//! A claim (a bound, a congruence, the value at the beginning) starts as what holds on all ways in, and is kept if it
//! follows on every way back. For arguments of blocks it may follow from all claims of the place, an induction over the
//! visits; a result is the last of the values that come, each of which must have it. One that does not
//! follow is made weaker a few times, then dropped; nothing is claimed before all that is left follows. So a claim
//! holds on every run, wraps included: all questions are asked in the reading that takes nothing for granted.
//!
//! A value that a loop adds something invariant to is known exactly: `init + step * k`, where `k` counts the
//! iterations. That is an equation of wrapping numbers and needs no bound.
//!
//! O(claims · ways) decisions a round, of at most [`MOST_ROUNDS`] rounds.

use ir::{
    BinaryOp, BlockId, DataType, ExprId, ExprKind, OpId, ValueId, ValueKind,
    choices::{Choice, Step, Way},
};
use rustc_hash::FxHashMap;

use super::{Decider, OperationFacts, terms::Terms};
use crate::{ContextId, Interval, Modular, Overflow};

/// Walks over a body: claims about inner loops are of use for those around them.
pub(super) const MOST_WALKS: usize = 4;
/// Rounds of one place.
const MOST_ROUNDS: usize = 16;
/// Rounds in which bounds are made weaker; in later ones they are dropped. Congruences end by themselves.
const MOST_WEAKENINGS: usize = 6;
/// Values of a place that are looked at.
const MOST_MEMBERS: usize = 16;
/// Ways to a place that are looked at.
const MOST_WAYS: usize = 16;
/// Terms of more nodes are no claims.
const MOST_NODES: u32 = 64;
/// Summands of one step.
const MOST_SUMMANDS: usize = 4;
const READING: Overflow = Overflow::Wraps;

/// A statement about one value, that holds at each visit of its place.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Claim {
    AtLeast(i128),
    AtMost(i128),
    Congruent(Modular),
    Is(bool),
    Same(ExprId),
    AtLeastTerm(ExprId),
    AtMostTerm(ExprId),
}

impl Claim {
    fn is_bound(self) -> bool {
        matches!(self, Claim::AtLeast(_) | Claim::AtMost(_))
    }

    /// True for claims of one kind.
    fn is_like(self, other: Claim) -> bool {
        std::mem::discriminant(&self) == std::mem::discriminant(&other)
    }
}

/// A claim, its value, and the operation that makes it so.
pub(super) type About = (ValueId, Claim, OpId);

/// Claims by the place where they are known.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub(super) struct Claims {
    /// At the start of blocks.
    pub(super) blocks: FxHashMap<BlockId, Vec<About>>,
    /// Behind operations.
    pub(super) behind: FxHashMap<OpId, Vec<About>>,
}

/// A value of a place.
struct Member {
    value: ValueId,
    term: ExprId,
    dtype: DataType,
    claims: Vec<Claim>,
}

/// A way to a place: what is known on it, and the terms that come.
struct Incoming {
    context: ContextId,
    is_back: bool,
    terms: Vec<ExprId>,
}

impl OperationFacts<'_> {
    /// The choices that have integers.
    pub(super) fn integer_choices(&mut self) -> Vec<Choice> {
        let mut choices = ir::choices::collect(self.body);
        choices.retain(|it| self.shape(it.value).is_some() && self.is_integer(it.value));
        choices
    }

    /// The claims about all places, by what is known before each operation.
    pub(super) fn claims_of(&mut self, choices: &[Choice]) -> Claims {
        let mut found = Claims::default();
        for place in choices.chunk_by(|a, b| a.place == b.place) {
            ir::interrupt::check();
            if place.len() > MOST_MEMBERS || place[0].from.len() > MOST_WAYS {
                continue;
            }
            let Some(claims) = self.of_place(place, &found) else { continue };
            match self.body.values[place[0].value].kind {
                ValueKind::BlockArg(block, _) => found.blocks.entry(block).or_default(),
                ValueKind::Result(op, _) => found.behind.entry(op).or_default(),
                _ => continue,
            }
            .extend(claims);
        }
        found
    }

    /// Adds claims to what is known.
    pub(super) fn claimed(&mut self, mut context: ContextId, claims: &[About]) -> ContextId {
        for &(value, claim, by) in claims {
            let Some(term) = self.term(value) else { continue };
            let (condition, holds) = self.condition_of(claim, term);
            let before = context;
            context = self.assume(before, condition, holds, Some(Decider::Op(by)));
            if context != before {
                self.derived.insert(context);
            }
        }
        context
    }

    /// The claims about the values of a place; none if no way to it is understood.
    fn of_place(&mut self, place: &[Choice], found: &Claims) -> Option<Vec<About>> {
        let mut members = Vec::new();
        let mut chosen = Vec::new();
        for choice in place {
            let Some(term) = self.term(choice.value) else { continue };
            // A term that is known exactly needs no claims.
            if !matches!(self.analyzer.body().expr(term).kind, ExprKind::Value(_)) {
                continue;
            }
            let Some(dtype) = self.analyzer.body().dtype(term) else { continue };
            let mut ways = choice.ways.iter();
            let is_read = ways.all(|&it| {
                self.term(it).and_then(|it| self.analyzer.body().dtype(it)) == Some(dtype)
            });
            if is_read {
                members.push(Member { value: choice.value, term, dtype, claims: Vec::new() });
                chosen.push(choice);
            }
        }
        let by = self.maker(chosen.first()?);
        let mut ways = self.incoming(&chosen, found)?;
        let mut proven: Vec<About> = Vec::new();
        for (at, member) in members.iter().enumerate() {
            if let Some(term) = self.counted(chosen[at], member, &ways, at) {
                proven.push((member.value, Claim::Same(term), by));
            }
        }
        // Control was at a block before it comes back to it; a result has not been there.
        let is_block = matches!(self.body.values[members[0].value].kind, ValueKind::BlockArg(..));
        for way in ways.iter_mut().filter(|it| is_block && it.is_back) {
            way.context = self.claimed(way.context, &proven);
        }
        for (at, member) in members.iter_mut().enumerate() {
            member.claims = self.beginnings(chosen[at], member, &ways, at);
        }
        self.induct(&mut members, &ways, is_block)?;
        for member in &members {
            let is_same = proven.iter().any(|it| it.0 == member.value);
            let claims = reduced(&member.claims).into_iter();
            let claims = claims.filter(|it| !is_same || !matches!(it, Claim::Same(_)));
            proven.extend(claims.map(|it| (member.value, it, by)));
        }
        Some(proven)
    }

    /// The operation that people are shown as the reason.
    fn maker(&self, choice: &Choice) -> OpId {
        match self.body.values[choice.value].kind {
            ValueKind::Result(op, _) => op,
            _ => choice.from.first().map_or(choice.op, |it| it.op),
        }
    }

    /// The ways that some run may take. None if there is none in.
    fn incoming(&mut self, chosen: &[&Choice], found: &Claims) -> Option<Vec<Incoming>> {
        let first = chosen.first()?;
        let mut res = Vec::new();
        for (at, &way) in first.from.iter().enumerate() {
            let Some(context) = self.on_way(way, found) else { continue };
            let terms = chosen.iter().map(|it| self.term(it.ways[at])).collect::<Option<_>>()?;
            res.push(Incoming { context, is_back: way.is_back, terms });
        }
        res.iter().any(|it| !it.is_back).then_some(res)
    }

    /// The facts on a way; none if no run takes it.
    fn on_way(&mut self, way: Way, found: &Claims) -> Option<ContextId> {
        let place = self.before(way.op)?;
        let mut context = match way.step {
            Step::Only => place.context,
            Step::Successor(at) => self.along_edge(place, way.op, at).context,
            Step::Condition(holds) => match self.operand(way.op, 0).and_then(|it| self.term(it)) {
                Some(it) => self.assume(place.context, it, holds, Some(Decider::Op(way.op))),
                None => place.context,
            },
        };
        if let Some(claims) = found.blocks.get(&self.body.ops[way.op].parent) {
            context = self.claimed(context, claims);
        }
        (!self.analyzer.is_contradiction(READING, context)).then_some(context)
    }

    // ---- claims ----

    /// The claims that hold on all ways in.
    fn beginnings(
        &mut self,
        choice: &Choice,
        member: &Member,
        ways: &[Incoming],
        at: usize,
    ) -> Vec<Claim> {
        let starts: Vec<(ContextId, ExprId)> =
            ways.iter().filter(|it| !it.is_back).map(|it| (it.context, it.terms[at])).collect();
        let mut claims = Vec::new();
        if member.dtype.is_bool() {
            let mut decisions = starts.iter().map(|&(it, term)| self.analyzer.decide(it, term));
            if let Some(Some(first)) = decisions.next()
                && decisions.all(|it| it == Some(first))
            {
                claims.push(Claim::Is(first));
            }
        } else {
            let facts: Vec<_> = starts
                .iter()
                .map(|&(it, term)| self.analyzer.facts_with(READING, it, term))
                .collect();
            let interval = facts.iter().map(|it| it.interval).reduce(Interval::hull);
            let modular = facts.iter().map(|it| it.modular).reduce(Modular::hull);
            let limits = Interval::of_type(member.dtype);
            let (Some(interval), Some(modular)) = (interval, modular) else { return claims };
            claims.extend((interval.min > limits.min).then_some(Claim::AtLeast(interval.min)));
            claims.extend((interval.max < limits.max).then_some(Claim::AtMost(interval.max)));
            claims.extend((!modular.is_everything()).then_some(Claim::Congruent(modular)));
        }
        if let &[(_, start)] = &starts[..]
            && self.may_stand_in(start, choice)
        {
            claims.push(Claim::Same(start));
            if !member.dtype.is_bool() {
                claims.extend([Claim::AtLeastTerm(start), Claim::AtMostTerm(start)]);
            }
        }
        claims
    }

    /// True for a term that is no constant and whose values are known where the choice is.
    fn may_stand_in(&mut self, term: ExprId, choice: &Choice) -> bool {
        let expr = self.analyzer.body().expr(term);
        if expr.is_constant() || expr.size > MOST_NODES {
            return false;
        }
        match self.body.values[choice.value].kind {
            ValueKind::Result(op, _) => self.is_outside(term, op),
            _ => true,
        }
    }

    /// True if all values in a term are defined outside of the regions of an operation.
    pub(super) fn is_outside(&mut self, term: ExprId, op: OpId) -> bool {
        let mut leaves = rustc_hash::FxHashSet::default();
        self.leaves_of(term, &mut leaves).is_some()
            && leaves.iter().all(|it| match self.leaves.get(it).and_then(|it| it.value) {
                Some(value) => !self.is_inside(value, op),
                None => true,
            })
    }

    fn is_inside(&self, value: ValueId, op: OpId) -> bool {
        let block = match self.body.values[value].kind {
            ValueKind::BlockArg(block, _) => block,
            ValueKind::Result(by, _) => self.body.ops[by].parent,
            _ => return false,
        };
        let mut at = self.body.regions[self.body.blocks[block].parent].parent;
        while let Some(around) = at {
            if around == op {
                return true;
            }
            at = self.body.parent_op(around);
        }
        false
    }

    /// Keeps what follows on every way back, of blocks from the claims themselves; none if that is not reached.
    fn induct(&mut self, members: &mut [Member], ways: &[Incoming], is_block: bool) -> Option<()> {
        let back: Vec<&Incoming> = ways.iter().filter(|it| it.is_back).collect();
        for round in 0..MOST_ROUNDS {
            let failed = self.failed(members, &back, is_block);
            if failed.iter().all(Vec::is_empty) {
                return Some(());
            }
            // What holds of a next value may rest on a bound that does not hold: `a <= 0` makes `a + 1 <= 1`. From the
            // second time on it is asked without those.
            let lasting: Vec<Vec<Claim>> = members
                .iter()
                .zip(&failed)
                .map(|(it, failed)| {
                    let is_out = |it: &Claim| round > 0 && it.is_bound() && failed.contains(it);
                    it.claims.iter().copied().filter(|it| !is_out(it)).collect()
                })
                .collect();
            for way in &back {
                let context = match is_block {
                    true => self.with_all(way.context, members, &lasting),
                    false => way.context,
                };
                for (at, member) in members.iter_mut().enumerate() {
                    let is_last = |it: Claim| round >= MOST_WEAKENINGS && it.is_bound();
                    let limits = Interval::of_type(member.dtype);
                    let next = way.terms[at];
                    let mut claims = Vec::new();
                    for &claim in &member.claims {
                        // A claim that was made weaker for another way is no longer among the failed ones.
                        if !failed[at].iter().any(|it| it.is_like(claim)) {
                            claims.push(claim);
                        } else if !is_last(claim) {
                            claims.extend(self.weaker(context, claim, next, limits));
                        }
                    }
                    member.claims = claims;
                }
            }
        }
        None
    }

    /// By member: the claims that do not follow on some way back from all of them.
    fn failed(
        &mut self,
        members: &[Member],
        back: &[&Incoming],
        is_block: bool,
    ) -> Vec<Vec<Claim>> {
        let all: Vec<Vec<Claim>> = members.iter().map(|it| it.claims.clone()).collect();
        let mut failed = vec![Vec::new(); members.len()];
        for way in back {
            let context = match is_block {
                true => self.with_all(way.context, members, &all),
                false => way.context,
            };
            for (at, claims) in all.iter().enumerate() {
                for &claim in claims {
                    let (condition, holds) = self.condition_of(claim, way.terms[at]);
                    if self.analyzer.decide(context, condition) != Some(holds) {
                        failed[at].push(claim);
                    }
                }
            }
        }
        failed
    }

    /// A context in which all claims hold of the members.
    fn with_all(
        &mut self,
        mut context: ContextId,
        members: &[Member],
        claims: &[Vec<Claim>],
    ) -> ContextId {
        for (member, claims) in members.iter().zip(claims) {
            for &claim in claims {
                let (condition, holds) = self.condition_of(claim, member.term);
                context = self.analyzer.assume(context, condition, holds);
            }
        }
        context
    }

    /// A claim that holds of a further value as well.
    fn weaker(
        &mut self,
        context: ContextId,
        claim: Claim,
        next: ExprId,
        limits: Interval,
    ) -> Option<Claim> {
        match claim {
            Claim::AtLeast(least) => {
                let min = least.min(self.analyzer.bound(context, next).min);
                (min > limits.min).then_some(Claim::AtLeast(min))
            }
            Claim::AtMost(most) => {
                let max = most.max(self.analyzer.bound(context, next).max);
                (max < limits.max).then_some(Claim::AtMost(max))
            }
            Claim::Congruent(modular) => {
                let modular = modular.hull(self.analyzer.modular(context, next));
                (!modular.is_everything()).then_some(Claim::Congruent(modular))
            }
            Claim::Is(_) | Claim::Same(_) | Claim::AtLeastTerm(_) | Claim::AtMostTerm(_) => None,
        }
    }

    /// A claim about a term, as a condition and its value.
    fn condition_of(&mut self, claim: Claim, term: ExprId) -> (ExprId, bool) {
        let dtype = self.analyzer.body().dtype(term).unwrap_or(DataType::INT64);
        let condition = self.analyzer.grow(|body| match claim {
            Claim::AtLeast(least) => {
                let least = body.int(least, dtype);
                body.binary(BinaryOp::Ge, term, least)
            }
            Claim::AtMost(most) => {
                let most = body.int(most, dtype);
                body.binary(BinaryOp::Le, term, most)
            }
            Claim::Congruent(modular) if modular.coeff == 0 => {
                let base = body.int(modular.base, dtype);
                body.binary(BinaryOp::Eq, term, base)
            }
            Claim::Congruent(modular) => {
                let base = body.int(modular.base.rem_euclid(modular.coeff), dtype);
                let coeff = body.int(modular.coeff, dtype);
                let rest = body.binary(BinaryOp::FloorMod, term, coeff);
                body.binary(BinaryOp::Eq, rest, base)
            }
            Claim::Is(_) => term,
            Claim::Same(other) => body.binary(BinaryOp::Eq, term, other),
            Claim::AtLeastTerm(least) => body.binary(BinaryOp::Ge, term, least),
            Claim::AtMostTerm(most) => body.binary(BinaryOp::Le, term, most),
        });
        (condition, claim != Claim::Is(false))
    }

    // ---- counters ----

    /// The term of a value that a loop adds the same to each time: in the loop by its variable, behind it by its ends.
    fn counted(
        &mut self,
        choice: &Choice,
        member: &Member,
        ways: &[Incoming],
        at: usize,
    ) -> Option<ExprId> {
        let (block, is_result, looped) = match self.body.values[choice.value].kind {
            ValueKind::BlockArg(block, _) => {
                (block, false, self.body.regions[self.body.blocks[block].parent].parent?)
            }
            ValueKind::Result(op, _) => {
                let &region = self.body.ops[op].regions.first()?;
                (*self.body.regions[region].blocks.first()?, true, op)
            }
            _ => return None,
        };
        let [start, back] = ways else { return None };
        // Sums of fewer bits are no sums of terms.
        if start.is_back || !back.is_back || !member.dtype.is_int() || member.dtype.bits < 32 {
            return None;
        }
        let args = &self.body.blocks[block].args;
        let variable = self.term(*args.first()?)?;
        let ExprKind::Value(leaf) = self.analyzer.body().expr(variable).kind else { return None };
        let limits = *self.loops.get(&leaf)?;
        // The argument of the loop that the result is the last value of.
        let carried = match self.body.values[choice.value].kind {
            ValueKind::Result(_, number) => {
                self.term(*args.get(usize::try_from(number).ok()? + 1)?)?
            }
            _ => member.term,
        };
        let summands = self.summands(back.terms[at], carried)?;
        if summands.iter().any(|&(_, it)| !self.is_outside(it, looped)) {
            return None;
        }
        let context = start.context;
        let count = self.count(context, variable, limits, is_result)?;
        let terms = &mut Terms { analyzer: &mut self.analyzer, dtype: member.dtype };
        let count = terms.cast(count, member.dtype);
        let mut res = start.terms[at];
        for (op, summand) in summands {
            let all = terms.binary(BinaryOp::Mul, summand, count);
            res = terms.binary(op, res, all);
        }
        Some(res)
    }

    /// The values that are added to one, or subtracted, to make another.
    fn summands(&mut self, mut next: ExprId, of: ExprId) -> Option<Vec<(BinaryOp, ExprId)>> {
        let mut res = Vec::new();
        for _ in 0..MOST_NODES {
            if next == of {
                break;
            }
            if let Some(same) = self.same_as(next) {
                next = same;
                continue;
            }
            let body = self.analyzer.body();
            let ExprKind::Binary(op, a, b) = body.expr(next).kind else { return None };
            let (rest, summand) = match op {
                BinaryOp::Add if a == of => (a, b),
                BinaryOp::Add if b == of => (b, a),
                BinaryOp::Add if body.expr(a).is_constant() => (b, a),
                BinaryOp::Add | BinaryOp::Sub => (a, b),
                _ => return None,
            };
            res.push((op, summand));
            next = rest;
            if res.len() > MOST_SUMMANDS {
                return None;
            }
        }
        (next == of && !res.is_empty()).then_some(res)
    }

    /// The term that a leaf was shown to equal, in the walk before.
    fn same_as(&mut self, leaf: ExprId) -> Option<ExprId> {
        let ExprKind::Value(leaf_value) = self.analyzer.body().expr(leaf).kind else { return None };
        let value = self.leaves.get(&leaf_value)?.value?;
        let claims = match self.body.values[value].kind {
            ValueKind::Result(op, _) => self.claims.behind.get(&op),
            ValueKind::BlockArg(block, _) => self.claims.blocks.get(&block),
            _ => None,
        }?;
        let same = claims.iter().find_map(|it| match it.1 {
            Claim::Same(term) if it.0 == value => Some(term),
            _ => None,
        })?;
        // Other elements of a tensor have leaves of their own.
        (self.term(value) == Some(leaf)).then_some(same)
    }

    /// The number of iterations before the present one, or of all. Only for loops from a number that is not negative:
    /// differences are in range then.
    fn count(
        &mut self,
        context: ContextId,
        variable: ExprId,
        [first, end, step]: [ExprId; 3],
        is_all: bool,
    ) -> Option<ExprId> {
        if self.analyzer.bound(context, first).min < 0 {
            return None;
        }
        let body = self.analyzer.body();
        let (dtype, ExprKind::Int(by @ 1..)) = (body.dtype(first)?, body.expr(step).kind) else {
            return None;
        };
        if [variable, end].iter().any(|&it| body.dtype(it) != Some(dtype)) {
            return None;
        }
        let terms = &mut Terms { analyzer: &mut self.analyzer, dtype };
        let step = terms.int(by.into(), dtype);
        Some(if is_all {
            let end = terms.binary(BinaryOp::Max, end, first);
            let distance = terms.binary(BinaryOp::Sub, end, first);
            if by == 1 { distance } else { terms.ceil_div(distance, step)? }
        } else {
            let distance = terms.binary(BinaryOp::Sub, variable, first);
            if by == 1 { distance } else { terms.binary(BinaryOp::FloorDiv, distance, step) }
        })
    }
}

/// Claims without those that others imply.
fn reduced(claims: &[Claim]) -> Vec<Claim> {
    let is_same = claims.iter().any(|it| matches!(it, Claim::Same(_)));
    let is_constant = claims.iter().any(|it| matches!(it, Claim::Congruent(it) if it.coeff == 0));
    let is_implied = |it: &Claim| match it {
        Claim::AtLeastTerm(_) | Claim::AtMostTerm(_) => is_same,
        Claim::AtLeast(_) | Claim::AtMost(_) => is_constant,
        _ => false,
    };
    claims.iter().copied().filter(|it| !is_implied(it)).collect()
}

//! Facts that are not known and would decide a condition: why a mask or a guard stays.
//!
//! In: a condition at a place. Out: facts, each of which was tried: with it the condition is decided, or is the same in
//! all elements.
//!
//! - that divisors and factors are positive;
//! - that the condition holds at the ends of the loops and elements around (`%i < %n` in a loop to `%m`: `%m <= %n`);
//! - that a bound is a multiple of the number of elements (`%start + d0 < %n`: `%n mod 64 == 0`): the mask is one
//!   condition for all of them then.

use ir::{BinaryOp, DataType, ExprId, ExprKind, ValueId, ValueKind, fold, known_ops};
use rustc_hash::FxHashMap;

use super::{
    LeafKind, OperationFacts,
    describe::{Lacks, Outcome, Written},
    id_of, op_name,
};
use crate::{Attained, ContextId, Interval, Lacking, Overflow};

/// Facts of more nodes are none that a person would write.
const MOST_NODES: u32 = 24;
/// Leaves of a condition that are looked at.
const MOST_LEAVES: usize = 16;
/// Signed numbers of MLIR wrap.
const READING: Overflow = Overflow::Wraps;

impl OperationFacts<'_> {
    /// Facts that would decide a condition in a context; none for one that is decided, and for what is no condition.
    pub(super) fn lacks(&mut self, context: ContextId, term: ExprId) -> Lacks {
        let body = self.analyzer.body();
        let is_open = body.ty(term).is_bool()
            && !body.expr(term).is_constant()
            && self.analyzer.decide(context, term).is_none()
            && !self.analyzer.is_contradiction(READING, context);
        let mut res = Lacks::new();
        if !is_open {
            return res;
        }
        for part in self.parts(context, term) {
            let found = self.at_the_ends(context, part);
            let found = found.or_else(|| self.positive(context, part));
            if let Some(fact) = found
                && let Some(decision) = self.with_fact(context, fact, part)
            {
                // One part that never holds decides all of them; one that always does, only itself.
                let is_all = part == term || !decision;
                let outcome = match is_all {
                    true => Outcome::Decided(decision),
                    false => Outcome::Part,
                };
                res.push((fact, outcome));
            }
            res.extend(self.same_in_lanes(context, part));
        }
        res
    }

    /// The leaves that take every value of a range in a context: lanes, variables of loops, threads and programs.
    pub(super) fn attained(&mut self, context: ContextId) -> Vec<Attained> {
        let mut leaves: Vec<(ValueId, LeafKind, Option<ValueId>)> =
            self.leaves.iter().map(|(leaf, it)| (*leaf, it.kind, it.value)).collect();
        leaves.sort_unstable_by_key(|it| it.0);
        let mut res = Vec::new();
        for (variable, kind, value) in leaves {
            let (has_first, has_last) = match (kind, self.loops.get(&variable)) {
                (LeafKind::Every, Some(&[first, end, _])) => {
                    let is_number = |it: ExprId| self.analyzer.body().expr(it).is_constant();
                    (is_number(first), is_number(first) && is_number(end))
                }
                (LeafKind::Every, None) => (true, true),
                (LeafKind::Program, _) => (true, self.has_end(context, variable)),
                _ if value.is_some_and(|it| self.is_id_of_launch(it)) => {
                    (true, self.has_end(context, variable))
                }
                _ => continue,
            };
            res.push(Attained { variable, has_first, has_last });
        }
        res
    }

    /// True if something says where the values of a leaf end.
    fn has_end(&mut self, context: ContextId, leaf: ValueId) -> bool {
        let term = self.analyzer.grow(|body| body.value_expr(leaf));
        let Some(dtype) = self.analyzer.body().dtype(term) else { return false };
        // The size of a launch that nobody knows is a number of the type, and an index is less.
        self.analyzer.bound(context, term).max < Interval::of_type(dtype).max - 1
    }

    /// True for the number of a thread or block: each of a launch has another one.
    fn is_id_of_launch(&self, value: ValueId) -> bool {
        /// The arguments of `gpu.launch` that are such numbers; others are sizes.
        const N_IDS: usize = 6;
        match self.body.values[value].kind {
            ValueKind::Result(op, _) => {
                matches!(op_name(self.body, op), "gpu.thread_id" | "gpu.block_id")
            }
            ValueKind::BlockArg(block, _) => {
                let around = self.body.regions[self.body.blocks[block].parent].parent;
                let of_launch = around.map(|it| id_of(self.body, it));
                of_launch == Some(Some(known_ops::GPU_LAUNCH))
                    && self.body.blocks[block].args.iter().take(N_IDS).any(|it| *it == value)
            }
            _ => false,
        }
    }

    /// The undecided parts of a condition that are joined by `and`.
    fn parts(&mut self, context: ContextId, condition: ExprId) -> Vec<ExprId> {
        let mut todo = vec![condition];
        let mut res = Vec::new();
        while let Some(at) = todo.pop() {
            match self.analyzer.body().expr(at).kind {
                ExprKind::Binary(BinaryOp::And, a, b) => todo.extend([b, a]),
                _ if self.analyzer.decide(context, at).is_none() => res.push(at),
                _ => {}
            }
        }
        res.truncate(MOST_LEAVES);
        res
    }

    /// The decision about a condition where a fact holds as well.
    fn with_fact(&mut self, context: ContextId, fact: ExprId, condition: ExprId) -> Option<bool> {
        let inner = self.analyzer.assume(context, fact, true);
        if self.analyzer.is_contradiction(READING, inner) {
            return None;
        }
        self.analyzer.decide(inner, condition)
    }

    /// The fact that divisors and factors are positive.
    fn positive(&mut self, context: ContextId, condition: ExprId) -> Option<ExprId> {
        let (_, lacking) = self.analyzer.lacking(READING, context, condition)?;
        let mut facts = Vec::new();
        for it in lacking {
            let Lacking::AtLeast(expr, least) = it else { return None };
            facts.push(self.analyzer.grow(|body| {
                let dtype = body.dtype(expr).unwrap_or(DataType::INT64);
                let least = body.int(least.into(), dtype);
                body.binary(BinaryOp::Ge, expr, least)
            }));
        }
        facts.into_iter().reduce(|a, b| self.analyzer.grow(|body| body.binary(BinaryOp::And, a, b)))
    }

    /// The fact that a comparison holds for the last values of the loops and elements that it is about.
    fn at_the_ends(&mut self, context: ContextId, condition: ExprId) -> Option<ExprId> {
        let (less, more, op) = self.ordered(condition)?;
        let (inner, over) = self.ranges(context, condition)?;
        if over.is_empty() {
            return None;
        }
        let analyzer = &mut self.analyzer;
        let greatest = analyzer.int_set(Overflow::Excluded, inner, less, &over)?.max?;
        let least = analyzer.int_set(Overflow::Excluded, inner, more, &over)?.min?;
        if analyzer.body().ty(greatest) != analyzer.body().ty(least) {
            return None;
        }
        let fact = analyzer.grow(|body| body.binary(op, greatest, least));
        let body = self.analyzer.body();
        let named = self.leaves_in(fact)?;
        let is_free = !named.is_empty() && !named.iter().any(|it| over.contains(it));
        (is_free && body.expr(fact).size <= MOST_NODES).then_some(fact)
    }

    /// The sides of a comparison, the smaller one first.
    fn ordered(&self, condition: ExprId) -> Option<(ExprId, ExprId, BinaryOp)> {
        let ExprKind::Binary(op, a, b) = self.analyzer.body().expr(condition).kind else {
            return None;
        };
        Some(match op {
            BinaryOp::Lt | BinaryOp::Le => (a, b, op),
            BinaryOp::Gt => (b, a, BinaryOp::Lt),
            BinaryOp::Ge => (b, a, BinaryOp::Le),
            _ => return None,
        })
    }

    fn leaves_in(&self, term: ExprId) -> Option<Vec<ValueId>> {
        let mut leaves = rustc_hash::FxHashSet::default();
        self.leaves_of(term, &mut leaves)?;
        let mut leaves: Vec<ValueId> = leaves.into_iter().collect();
        leaves.sort_unstable();
        (leaves.len() <= MOST_LEAVES).then_some(leaves)
    }

    /// A context in which the loops and elements that a condition is about are ranges, and their variables.
    fn ranges(
        &mut self,
        mut context: ContextId,
        condition: ExprId,
    ) -> Option<(ContextId, Vec<ValueId>)> {
        let mut over = Vec::new();
        for leaf in self.leaves_in(condition)? {
            if let Some(extent) = self.extent_of_lane(leaf) {
                let (zero, extent) =
                    (self.int(0, DataType::INT64), self.int(extent.into(), DataType::INT64));
                context = self.analyzer.range(context, leaf, zero, extent);
                over.push(leaf);
            } else if let Some(&[first, end, step]) = self.loops.get(&leaf) {
                let is_positive = self.analyzer.bound(context, step).min > 0;
                let dtype = self.analyzer.body().dtype(first).unwrap_or(DataType::INT64);
                if !is_positive || self.analyzer.body().dtype(end) != Some(dtype) {
                    continue;
                }
                let extent = self.analyzer.grow(|body| {
                    let folded = fold::fold(body, BinaryOp::Sub, end, first, dtype);
                    match folded {
                        fold::Folded::Left => end,
                        fold::Folded::Int(value, dtype) => body.int(value, dtype),
                        _ => body.binary(BinaryOp::Sub, end, first),
                    }
                });
                context = match self.analyzer.body().expr(step).kind {
                    ExprKind::Int(1) => self.analyzer.range(context, leaf, first, extent),
                    _ => self.analyzer.stepped(context, leaf, first, extent, step),
                };
                over.push(leaf);
            }
        }
        Some((context, over))
    }

    /// The dimension that a lane stands for.
    pub(super) fn dimension_of_lane(&self, leaf: ValueId) -> Option<usize> {
        self.lane(leaf).map(|(dimension, _)| dimension)
    }

    /// The number of elements that a lane stands for.
    fn extent_of_lane(&self, leaf: ValueId) -> Option<i64> {
        self.lane(leaf).map(|(_, extent)| extent)
    }

    /// The dimension of a lane, and its number of elements.
    fn lane(&self, leaf: ValueId) -> Option<(usize, i64)> {
        let is_lane = self.leaves.get(&leaf)?.value.is_none()
            && self.leaves.get(&leaf)?.kind == LeafKind::Every;
        if !is_lane {
            return None;
        }
        let of_leaf = |it: &ExprId| matches!(self.analyzer.body().expr(*it).kind, ExprKind::Value(it) if it == leaf);
        self.lanes.iter().find(|(_, it)| of_leaf(it)).map(|it| *it.0)
    }

    /// The fact that a bound is a multiple of the number of elements, which makes a mask the same in all of them.
    fn same_in_lanes(
        &mut self,
        context: ContextId,
        condition: ExprId,
    ) -> Option<(ExprId, Outcome)> {
        let (less, more, _) = self.ordered(condition)?;
        let lanes_of = |side| -> Option<Vec<ValueId>> {
            let leaves = self.leaves_in(side)?.into_iter();
            Some(leaves.filter(|it| self.extent_of_lane(*it).is_some()).collect())
        };
        let (lanes, bound) = match (lanes_of(less)?, lanes_of(more)?) {
            (lanes, none) if none.is_empty() => (lanes, more),
            (none, lanes) if none.is_empty() => (lanes, less),
            _ => return None,
        };
        let [lane] = lanes[..] else { return None };
        let extent = self.extent_of_lane(lane).filter(|it| *it > 1)?;
        let node = self.analyzer.body().expr(bound);
        let dtype = self.analyzer.body().dtype(bound).filter(|it| it.is_int())?;
        if node.is_constant() || node.size > MOST_NODES {
            return None;
        }
        let fact = self.analyzer.grow(|body| {
            let (divisor, zero) = (body.int(extent.into(), dtype), body.int(0, dtype));
            let rest = body.binary(BinaryOp::FloorMod, bound, divisor);
            body.binary(BinaryOp::Eq, rest, zero)
        });
        if self.analyzer.decide(context, fact).is_some() {
            return None;
        }
        // The condition of the first element decides all.
        let zero = self.int(0, DataType::INT64);
        let first = self.substituted(condition, lane, zero)?;
        let inner = self.analyzer.assume(context, fact, true);
        let decides = [true, false].into_iter().all(|holds| {
            let inner = self.analyzer.assume(inner, first, holds);
            self.analyzer.decide(inner, condition) == Some(holds)
        });
        decides.then_some((fact, Outcome::SameIn(extent)))
    }

    /// A term with another term in the place of a leaf.
    fn substituted(&mut self, term: ExprId, leaf: ValueId, by: ExprId) -> Option<ExprId> {
        let mut made: FxHashMap<ExprId, ExprId> = FxHashMap::default();
        for at in super::witness::nodes(self.analyzer.body(), term)? {
            let kind = self.analyzer.body().expr(at).kind;
            let dtype = self.analyzer.body().dtype(at)?;
            let of = |it: ExprId| made.get(&it).copied().unwrap_or(it);
            let new = match kind {
                ExprKind::Value(it) if it == leaf => by,
                ExprKind::Cast(a) => {
                    let a = of(a);
                    self.analyzer.grow(|body| body.cast(a, dtype))
                }
                ExprKind::Unary(op, a) => {
                    let a = of(a);
                    self.analyzer.grow(|body| body.unary(op, a))
                }
                ExprKind::Select(c, a, b) => {
                    let (c, a, b) = (of(c), of(a), of(b));
                    self.analyzer.grow(|body| body.select(c, a, b))
                }
                ExprKind::Binary(op, a, b) => {
                    let (a, b) = (of(a), of(b));
                    self.analyzer.grow(|body| super::terms::binary(body, op, a, b))
                }
                ExprKind::Int(_) | ExprKind::Value(_) => at,
                _ => return None,
            };
            made.insert(at, new);
        }
        made.get(&term).copied()
    }
}

impl Written<'_> {
    /// A fact as the settings say it, with the name that it is about, and the number that an argument is a multiple of:
    /// comparisons of arguments and numbers.
    pub(super) fn setting(&self, fact: ExprId) -> (Option<(String, String)>, Option<i64>) {
        let body = self.simplifier.body();
        let ExprKind::Binary(op, a, b) = body.expr(fact).kind else { return (None, None) };
        let word = match op {
            BinaryOp::Lt => "<",
            BinaryOp::Le => "<=",
            BinaryOp::Gt => ">",
            BinaryOp::Ge => ">=",
            BinaryOp::Eq => "==",
            _ => return (None, None),
        };
        let (Some(left), Some(right)) = (self.side(a), self.side(b)) else { return (None, None) };
        let Some(name) = left.1.clone().or(right.1.clone()) else { return (None, None) };
        let divisor = match (op, body.expr(a).kind, body.expr(b).kind) {
            (BinaryOp::Eq, ExprKind::Binary(_, _, divisor), ExprKind::Int(0)) => {
                match body.expr(divisor).kind {
                    ExprKind::Int(divisor) => Some(divisor),
                    _ => None,
                }
            }
            _ => None,
        };
        (Some((name, format!("{} {word} {}", left.0, right.0))), divisor)
    }

    /// A side in the notation of the settings, and the name in it; none for what they cannot say.
    fn side(&self, side: ExprId) -> Option<(String, Option<String>)> {
        let body = self.simplifier.body();
        match body.expr(side).kind {
            ExprKind::Int(value) => Some((value.to_string(), None)),
            ExprKind::Value(leaf) => {
                let is_stated = self
                    .leaves
                    .get(&leaf)
                    .is_some_and(|it| matches!(it.kind, LeafKind::Argument | LeafKind::Program));
                let name = self.text(side).trim_start_matches('%').to_owned();
                is_stated.then(|| (name.clone(), Some(name)))
            }
            ExprKind::Binary(BinaryOp::FloorMod, a, b) => {
                let ExprKind::Int(divisor @ 1..) = body.expr(b).kind else { return None };
                let ExprKind::Value(_) = body.expr(a).kind else { return None };
                let (name, of) = self.side(a)?;
                Some((format!("{name} % {divisor}"), of))
            }
            _ => None,
        }
    }
}

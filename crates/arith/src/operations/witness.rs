//! Witnesses: values of the leaves under which a condition holds at a place.
//!
//! In: an operation, conditions. Out: values for the leaves that they are made of, such that all conditions and all
//! constraints of the place that concern these leaves hold, checked by evaluation with wrapping numbers. The values are
//! searched among the ends of their bounds, one leaf after the other, each under the choice of those before.
//!
//! A leaf counts only if it takes the value in some run: each value of a lane or of a loop by a known step does; an
//! argument does if both its ends are stated; a program does if its number is 0, stated, or bounded by the condition of
//! the access itself (a mask says for which programs the kernel is launched). Constraints on other leaves must be
//! about arguments only: a caller may choose them.

use ir::{BinaryOp, Body, DataType, ExprId, ExprKind, OpId, UnaryOp, ValueId};
use rustc_hash::{FxHashMap, FxHashSet};

use super::{LeafKind, OperationFacts};
use crate::{Constraint, ContextId, Interval, Overflow};

/// Leaves of a witness, and choices that are tried.
const MOST_LEAVES: usize = 8;
const MOST_TRIES: u32 = 128;
/// Constraints of a place that are looked at, and nodes of a term.
const MOST_CONSTRAINTS: usize = 256;
const MOST_NODES: usize = 4096;

/// Values of leaves: those of the text by their value, in the order in which they are defined.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Witness {
    /// Arguments, loop variables and other values.
    pub values: Vec<(ValueId, i128)>,
    /// The numbers of programs (x, y, z) that it is about.
    pub programs: Vec<(String, i128)>,
    /// The element of a tensor that it is about: an index by its dimension.
    pub lanes: Vec<(usize, i128)>,
    /// The values of the terms that were asked for.
    pub terms: Vec<i128>,
}

/// A constraint as a condition that holds or not.
#[derive(Clone, Copy)]
struct Holds {
    condition: ExprId,
    holds: bool,
}

impl OperationFacts<'_> {
    /// Values under which an operation is executed and `conditions` hold; with the values of `terms` then. `masks` are
    /// conditions of the operation itself, which bound the programs that execute it. None if there are none that are
    /// certain to occur.
    pub fn witness(
        &mut self,
        at: OpId,
        conditions: &[ExprId],
        masks: &[ExprId],
        terms: &[ExprId],
    ) -> Option<Witness> {
        let place = self.before(at).filter(|it| it.is_reached)?;
        if self.analyzer.is_contradiction(Overflow::Wraps, place.context) {
            return None;
        }
        let mut constraints = self.constraints(place.context)?;
        masks.iter().for_each(|&it| self.conjuncts(it, &mut constraints));
        let wanted: Vec<Holds> =
            conditions.iter().map(|&condition| Holds { condition, holds: true }).collect();
        let mut leaves = FxHashSet::default();
        for it in &wanted {
            self.leaves_of(it.condition, &mut leaves)?;
        }
        let checked = self.touching(&constraints, &mut leaves)?;
        let mut leaves: Vec<ValueId> = leaves.into_iter().collect();
        leaves.sort_by_key(|it| (self.rank(*it), *it));
        if leaves.len() > MOST_LEAVES {
            return None;
        }
        let mut context = place.context;
        for &mask in masks {
            context = self.analyzer.assume(context, mask, true);
        }
        if self.analyzer.is_contradiction(Overflow::Wraps, context) {
            return None;
        }
        let all: Vec<Holds> = wanted.into_iter().chain(checked).collect();
        let mut search = Search { all: &all, left: MOST_TRIES, has_mask: !masks.is_empty() };
        let mut chosen = FxHashMap::default();
        search.choose(self, context, &leaves, &mut chosen)?;
        self.described(&leaves, &chosen, terms)
    }

    /// The constraints of a context; none if there are some that are not understood.
    fn constraints(&self, context: ContextId) -> Option<Vec<Holds>> {
        let mut res = Vec::new();
        let mut at = context;
        while let Some(parent) = self.analyzer.parent(at) {
            match self.analyzer.constraint(at) {
                // Every run satisfies it.
                Constraint::Assume { .. } if self.derived.contains(&at) => {}
                Constraint::Assume { cond, holds } => res.push(Holds { condition: cond, holds }),
                Constraint::Signature => {}
                _ => return None,
            }
            if res.len() > MOST_CONSTRAINTS {
                return None;
            }
            at = parent;
        }
        Some(res)
    }

    /// The parts of a condition that are joined by `and`.
    fn conjuncts(&self, condition: ExprId, parts: &mut Vec<Holds>) {
        let mut todo = vec![condition];
        while let Some(condition) = todo.pop() {
            match self.analyzer.body().expr(condition).kind {
                ExprKind::Binary(BinaryOp::And, a, b) => todo.extend([b, a]),
                _ => parts.push(Holds { condition, holds: true }),
            }
        }
    }

    /// The constraints that concern some leaves, whose other leaves are added. None if others rest on what is unknown.
    fn touching(
        &self,
        constraints: &[Holds],
        leaves: &mut FxHashSet<ValueId>,
    ) -> Option<Vec<Holds>> {
        let mut of: Vec<(Holds, FxHashSet<ValueId>)> = Vec::new();
        for &it in constraints {
            let mut own = FxHashSet::default();
            self.leaves_of(it.condition, &mut own)?;
            of.push((it, own));
        }
        let mut res = Vec::new();
        loop {
            let n = of.len();
            of.retain(|(it, own)| {
                let touches = own.iter().any(|it| leaves.contains(it));
                if touches {
                    leaves.extend(own.iter().copied());
                    res.push(*it);
                }
                !touches
            });
            if of.len() == n {
                break;
            }
        }
        let is_free = |it: &ValueId| {
            self.leaves.get(it).is_some_and(|it| {
                matches!(it.kind, LeafKind::Argument | LeafKind::Every | LeafKind::Program)
            })
        };
        of.iter().all(|(_, own)| own.iter().all(is_free)).then_some(res)
    }

    /// The leaves of a term; none if it is too large.
    pub(super) fn leaves_of(&self, term: ExprId, leaves: &mut FxHashSet<ValueId>) -> Option<()> {
        let nodes = nodes(self.analyzer.body(), term)?;
        leaves.extend(nodes.into_iter().filter_map(
            |it| match self.analyzer.body().expr(it).kind {
                ExprKind::Value(value) => Some(value),
                _ => None,
            },
        ));
        Some(())
    }

    /// Arguments are chosen first, then programs, then loops and lanes.
    fn rank(&self, leaf: ValueId) -> u8 {
        match self.leaves.get(&leaf).map(|it| it.kind) {
            Some(LeafKind::Argument) => 0,
            Some(LeafKind::Program) => 1,
            _ => 2,
        }
    }

    /// The values that a leaf is tried with: those that it certainly takes.
    fn candidates(&mut self, context: ContextId, leaf: ValueId, has_mask: bool) -> Vec<i128> {
        let Some(kind) = self.leaves.get(&leaf).map(|it| it.kind) else { return Vec::new() };
        let term = self.analyzer.grow(|body| body.value_expr(leaf));
        let Some(dtype) = self.analyzer.body().dtype(term) else { return Vec::new() };
        let bound = self.analyzer.bound(context, term);
        // Nothing is claimed by a candidate: what is chosen is checked with wrapping numbers.
        let exact = self.analyzer.facts_with(Overflow::Excluded, context, term).interval;
        let (min, max) = (bound.min.max(exact.min), bound.max.min(exact.max));
        let stated = self.analyzer.bound(self.stated, term);
        // An end that a congruence moves is none that was stated.
        let distance = self.analyzer.modular(self.stated, term).coeff.max(1);
        let limits = Interval::of_type(dtype);
        let (has_start, has_end) =
            (stated.min - distance >= limits.min, stated.max + distance <= limits.max);
        let candidates = match kind {
            LeafKind::Every => vec![max, min],
            LeafKind::Argument => {
                let ends = [(has_end, max), (has_start, min)];
                ends.into_iter().filter(|it| it.0).map(|it| it.1).collect()
            }
            LeafKind::Program if has_end || has_mask && max + distance <= limits.max => {
                vec![max, min]
            }
            LeafKind::Program => vec![0],
            LeafKind::Unknown => Vec::new(),
        };
        let mut candidates: Vec<i128> =
            candidates.into_iter().filter(|it| *it >= limits.min && *it <= limits.max).collect();
        candidates.dedup();
        candidates
    }

    fn described(
        &self,
        leaves: &[ValueId],
        chosen: &FxHashMap<ValueId, i128>,
        terms: &[ExprId],
    ) -> Option<Witness> {
        let mut res = Witness::default();
        for &leaf in leaves {
            let (data, &value) = (self.leaves.get(&leaf)?, chosen.get(&leaf)?);
            match (data.kind, data.value) {
                (LeafKind::Program, _) => {
                    let body = self.analyzer.body();
                    res.programs.push((body.name(body.values[leaf].name).to_owned(), value));
                }
                (_, Some(of)) => res.values.push((of, value)),
                (_, None) => res.lanes.extend(self.dimension_of_lane(leaf).map(|it| (it, value))),
            }
        }
        res.lanes.sort_unstable();
        for &term in terms {
            res.terms.push(evaluate(self.analyzer.body(), term, chosen)?);
        }
        Some(res)
    }
}

struct Search<'s> {
    all: &'s [Holds],
    left: u32,
    has_mask: bool,
}

impl Search<'_> {
    /// Chooses the rest of the leaves. Recursion is bounded by their number.
    fn choose(
        &mut self,
        facts: &mut OperationFacts<'_>,
        context: ContextId,
        leaves: &[ValueId],
        chosen: &mut FxHashMap<ValueId, i128>,
    ) -> Option<()> {
        self.left = self.left.checked_sub(1)?;
        let Some((&leaf, rest)) = leaves.split_first() else {
            let body = facts.analyzer.body();
            let holds = |it: &Holds| {
                evaluate(body, it.condition, chosen).is_some_and(|value| (value != 0) == it.holds)
            };
            return self.all.iter().all(holds).then_some(());
        };
        for value in facts.candidates(context, leaf, self.has_mask) {
            let condition = facts.analyzer.grow(|body| {
                let term = body.value_expr(leaf);
                let dtype = body.dtype(term).unwrap_or(DataType::INT64);
                let value = body.int(value, dtype);
                body.binary(BinaryOp::Eq, term, value)
            });
            let inner = facts.analyzer.assume(context, condition, true);
            chosen.insert(leaf, value);
            if self.choose(facts, inner, rest, chosen).is_some() {
                return Some(());
            }
            chosen.remove(&leaf);
        }
        None
    }
}

/// The nodes of a term, operands before what is made of them; none if they are too many.
pub(super) fn nodes(body: &Body, term: ExprId) -> Option<Vec<ExprId>> {
    let mut seen = FxHashSet::default();
    let mut todo = vec![term];
    while let Some(at) = todo.pop() {
        if !seen.insert(at) {
            continue;
        }
        if seen.len() > MOST_NODES {
            return None;
        }
        body.each_child(body.expr(at).kind, &mut |child| todo.push(child));
    }
    let mut nodes: Vec<ExprId> = seen.into_iter().collect();
    // A node is made after its operands.
    nodes.sort_unstable();
    Some(nodes)
}

/// The value of a term for values of its leaves; none for a division by zero, or what is not evaluated here.
fn evaluate(body: &Body, term: ExprId, chosen: &FxHashMap<ValueId, i128>) -> Option<i128> {
    let mut values: FxHashMap<ExprId, Option<i128>> = FxHashMap::default();
    for at in nodes(body, term)? {
        let of = |it: ExprId| values.get(&it).copied().flatten();
        let expr = body.expr(at);
        let dtype = body.dtype(at);
        let value = match expr.kind {
            ExprKind::Int(value) if dtype.is_some_and(DataType::is_uint) => {
                Some(i128::from(value as u64))
            }
            ExprKind::Int(value) => Some(i128::from(value)),
            ExprKind::Value(value) => chosen.get(&value).copied(),
            ExprKind::Cast(a) => of(a).and_then(|it| wrapped(it, dtype?)),
            ExprKind::Unary(UnaryOp::Not, a) => of(a).map(|it| i128::from(it == 0)),
            ExprKind::Select(c, a, b) => of(c).and_then(|it| if it != 0 { of(a) } else { of(b) }),
            ExprKind::Binary(op, a, b) => match (of(a), of(b)) {
                (Some(a), Some(b)) => calculate(op, a, b).and_then(|it| wrapped(it, dtype?)),
                _ => None,
            },
            _ => None,
        };
        values.insert(at, value);
    }
    values.get(&term).copied().flatten()
}

/// A number in a type.
fn wrapped(value: i128, dtype: DataType) -> Option<i128> {
    if dtype.is_bool() {
        return Some(i128::from(value != 0));
    }
    let bits = u32::from(dtype.bits);
    if !dtype.is_integer() || bits == 0 || bits > 64 {
        return None;
    }
    let low = value & ((1i128 << bits) - 1);
    Some(if dtype.is_int() && low >> (bits - 1) != 0 { low - (1i128 << bits) } else { low })
}

fn calculate(op: BinaryOp, a: i128, b: i128) -> Option<i128> {
    use BinaryOp::{
        Add, And, Div, Eq, FloorDiv, FloorMod, Ge, Gt, Le, Lt, Max, Min, Mod, Mul, Ne, Or, Sub,
    };
    let floor = |a: i128, b: i128| {
        let quotient = a.checked_div(b)?;
        Some(if a % b != 0 && (a < 0) != (b < 0) { quotient - 1 } else { quotient })
    };
    match op {
        Add => a.checked_add(b),
        Sub => a.checked_sub(b),
        Mul => a.checked_mul(b),
        Div => a.checked_div(b),
        Mod => a.checked_rem(b),
        FloorDiv => floor(a, b),
        FloorMod => Some(a - floor(a, b)? * b),
        Min => Some(a.min(b)),
        Max => Some(a.max(b)),
        Eq => Some((a == b).into()),
        Ne => Some((a != b).into()),
        Lt => Some((a < b).into()),
        Le => Some((a <= b).into()),
        Gt => Some((a > b).into()),
        Ge => Some((a >= b).into()),
        And => Some((a != 0 && b != 0).into()),
        Or => Some((a != 0 || b != 0).into()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_wrap_as_their_types_do() {
        assert_eq!(wrapped(1 << 31, DataType::INT32), Some(-(1 << 31)));
        assert_eq!(wrapped(-1, DataType::uint(32)), Some((1 << 32) - 1));
        assert_eq!(wrapped(2, DataType::BOOL), Some(1));
        assert_eq!(calculate(BinaryOp::FloorDiv, -7, 2), Some(-4));
        assert_eq!(calculate(BinaryOp::FloorMod, -7, 2), Some(1));
        assert_eq!(calculate(BinaryOp::Div, -7, 0), None);
    }
}

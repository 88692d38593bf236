//! Canonical terms: nodes that are equal at a level of equivalence have one [`TermId`].
//!
//! In: nodes from the bottom up, each with the terms of its operands. Out: ids. Equal ids at a level mean equal values,
//! bit by bit, in every run in which both nodes have a value, with the same variables. A node that is not a function of
//! its operands alone (a load, a call that may differ) is distinguished by a number of the caller's: equal numbers
//! promise equal values.
//!
//! | level | besides the level before |
//! |---|---|
//! | syntactic | the same operator, type and operands |
//! | commutative | operands of commutative operators in either order, floats too (`SEMANTICS: F3`), but no float `min` and `max` (`F6`) and no lazy `and` and `or` (`S2`); `a > b` is `b < a` |
//! | associative | `+ * & \| ^ min max` of integers as one operator on a bag of operands; a set where `x op x` is `x` |
//! | arithmetic | sums of products of int32 and int64 (module [`sum`]); `==` and `!=` of them by their difference; `not` of an integer comparison is the opposite one |
//!
//! An equal value is not an equal event: of two equal sums one may leave the range of its type on the way (`I1`). A
//! caller that computes one instead of the other proves that it does not (`Analyzer::no_overflow`).
//!
//! The pool orders operands by the first appearance of their terms, so ids depend on the order in which a caller adds
//! nodes and on nothing else. Nothing that leaves a caller may be ordered by them. A node costs O(operands), at most
//! [`MOST_OPERANDS`] of one merged operator, or as many products: a longer bag is kept as the operator on its two
//! sides.

pub(crate) mod polynomial;
mod sum;

use std::hash::BuildHasher;

use ir::{
    AttrDictId, BinaryOp, Body, BufferId, Callee, ExprId, ExprKind, Type, UnaryOp,
    arena::Id,
    effects::{self, EffectTable},
    plan::Equivalence,
};
use rustc_hash::{FxBuildHasher, FxHashMap};
use smallvec::SmallVec;

use crate::integers::{is_integral, negated};

/// A term of one [`Terms`]. A term added later has the larger number.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct TermId(u32);

impl Id for TermId {
    fn new(index: usize) -> Self {
        TermId(u32::try_from(index).expect("fewer terms than 2^32 nodes"))
    }
    fn index(self) -> usize {
        self.0 as usize
    }
}

/// Operands of one flattened operator.
pub const MOST_OPERANDS: usize = 16;

/// The effect of a term's operator on its operands.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Operator {
    /// Variables, constants, names: the node itself.
    Leaf(ExprKind),
    Binary(BinaryOp),
    /// The same on a bag of operands.
    Bag(BinaryOp),
    /// A sum of products: the operands are products, the numbers their factors and then the constant.
    Sum,
    Unary(UnaryOp),
    Cast,
    Select,
    IfThenElse,
    Load(BufferId, bool),
    Region(BufferId),
    /// The parts that are present, of the three.
    Slice([bool; 3]),
    Ramp,
    Broadcast,
    /// With the number of vectors.
    Shuffle(u32),
    Let,
    Lambda(u32),
    Call(Callee, AttrDictId, u32),
    Tuple,
}

type Operands = SmallVec<[TermId; 3]>;
type Numbers = SmallVec<[i64; 2]>;

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct Term {
    operator: Operator,
    ty: Type,
    operands: Operands,
    /// Factors of a sum, or the caller's distinguishing numbers.
    numbers: Numbers,
}

/// A pool of canonical terms of one body.
#[derive(Clone)]
pub struct Terms<'a> {
    level: Equivalence,
    effects: &'a EffectTable,
    /// By hash.
    index: FxHashMap<u64, TermId>,
    terms: Vec<Term>,
}

impl<'a> Terms<'a> {
    /// An empty pool.
    pub fn new(level: Equivalence) -> Terms<'a> {
        Terms::with_effects(level, EffectTable::builtin())
    }
    /// An empty pool that knows a user's effects.
    pub fn with_effects(level: Equivalence, effects: &'a EffectTable) -> Terms<'a> {
        Terms { level, effects, index: FxHashMap::default(), terms: Vec::new() }
    }
    /// The level at which terms are equal.
    pub fn level(&self) -> Equivalence {
        self.level
    }
    /// Number of terms.
    pub fn len(&self) -> usize {
        self.terms.len()
    }
    /// Returns true if there are no terms.
    pub fn is_empty(&self) -> bool {
        self.terms.is_empty()
    }

    /// The term of a node whose operands, as [`Body::each_child`] gives them, have the terms `children`. A node with a
    /// `key` is equal to those with the same operator, operands and key.
    pub fn term(
        &mut self,
        body: &Body,
        kind: &ExprKind,
        ty: Type,
        children: &[TermId],
        key: Option<u64>,
    ) -> TermId {
        let operator = operator(body, kind);
        if let Some(key) = key {
            return self.intern(operator, ty, children.into(), SmallVec::from_slice(&[key as i64]));
        }
        match (*kind, children) {
            (ExprKind::Binary(op, a, _), &[x, y]) if self.level >= Equivalence::Commutative => {
                self.binary(op, body.ty(a), ty, x, y)
            }
            (ExprKind::Unary(UnaryOp::Not, _), &[x]) if self.level == Equivalence::Arithmetic => {
                self.not(ty, x)
            }
            (call @ ExprKind::Call { args, attrs, .. }, &[x, y]) if x > y => {
                let is_commutative = self.level >= Equivalence::Commutative
                    && !effects::has_keyword_operands(body, attrs)
                    && self.is_commutative_call(body, call, body.items(args)[0]);
                let operands = if is_commutative { [y, x] } else { [x, y] };
                self.intern(operator, ty, operands.as_slice().into(), SmallVec::new())
            }
            _ => self.intern(operator, ty, children.into(), SmallVec::new()),
        }
    }

    fn binary(&mut self, op: BinaryOp, operand: Type, ty: Type, x: TermId, y: TermId) -> TermId {
        if sum::is_ring(operand) && self.level == Equivalence::Arithmetic {
            match op {
                BinaryOp::Add => return self.sum(ty, (x, 1), (y, 1)),
                BinaryOp::Sub => return self.sum(ty, (x, 1), (y, -1)),
                BinaryOp::Mul => return self.product(ty, x, y),
                BinaryOp::Eq | BinaryOp::Ne => return self.equality(op, operand, ty, x, y),
                _ => {}
            }
        }
        let is_integer = operand.prim().is_some_and(is_integral);
        if self.level >= Equivalence::Associative && is_integer && is_associative(op) {
            return self.bag(op, ty, x, y);
        }
        let (op, x, y) = match op {
            // True for floats too, NaN included (F4).
            BinaryOp::Gt => (BinaryOp::Lt, y, x),
            BinaryOp::Ge => (BinaryOp::Le, y, x),
            _ if x > y && is_commutative(op, operand) => (op, y, x),
            _ => (op, x, y),
        };
        self.intern(Operator::Binary(op), ty, [x, y].as_slice().into(), SmallVec::new())
    }

    /// `x op y` as one operator on a bag of operands.
    fn bag(&mut self, op: BinaryOp, ty: Type, x: TermId, y: TermId) -> TermId {
        let mut operands: Operands = SmallVec::new();
        for side in [x, y] {
            let term = &self.terms[side.index()];
            if term.operator == Operator::Bag(op) && term.ty == ty {
                operands.extend_from_slice(&term.operands);
            } else {
                operands.push(side);
            }
        }
        if operands.len() > MOST_OPERANDS {
            operands = SmallVec::from_slice(&[x, y]);
        }
        operands.sort_unstable();
        if !matches!(op, BinaryOp::Add | BinaryOp::Mul | BinaryOp::BitXor) {
            operands.dedup();
            if let [only] = operands[..] {
                return only;
            }
        }
        self.intern(Operator::Bag(op), ty, operands, SmallVec::new())
    }

    /// The opposite of an integer comparison, or the operand of a negation.
    fn not(&mut self, ty: Type, x: TermId) -> TermId {
        let term = &self.terms[x.index()];
        let operands = term.operands.clone();
        let is_integer =
            operands.first().is_some_and(|it| self.type_of(*it).prim().is_some_and(is_integral));
        match (term.operator, &operands[..]) {
            (Operator::Unary(UnaryOp::Not), &[inner]) => inner,
            (Operator::Binary(op), &[a, b]) if op.is_comparison() && is_integer => {
                let (op, a, b) = match op {
                    BinaryOp::Lt => (BinaryOp::Le, b, a),
                    BinaryOp::Le => (BinaryOp::Lt, b, a),
                    op => (negated(op), a, b),
                };
                let operands = [a, b].as_slice().into();
                self.intern(Operator::Binary(op), ty, operands, SmallVec::new())
            }
            _ => {
                let operator = Operator::Unary(UnaryOp::Not);
                self.intern(operator, ty, SmallVec::from_slice(&[x]), SmallVec::new())
            }
        }
    }

    fn type_of(&self, term: TermId) -> Type {
        self.terms[term.index()].ty
    }

    fn is_commutative_call(&self, body: &Body, call: ExprKind, first: ExprId) -> bool {
        let row = self.effects.call(body, call);
        let is_integer = body.dtype(first).is_some_and(is_integral);
        row.commutative.holds_for(is_integer) && !row.is_lazy(0) && !row.is_lazy(1)
    }

    fn intern(
        &mut self,
        operator: Operator,
        ty: Type,
        operands: Operands,
        numbers: Numbers,
    ) -> TermId {
        let term = Term { operator, ty, operands, numbers };
        let new = TermId::new(self.terms.len());
        let mut hash = FxBuildHasher.hash_one(&term);
        // Terms with one hash lie one after another.
        loop {
            let known = *self.index.entry(hash).or_insert(new);
            if known == new {
                self.terms.push(term);
                return new;
            }
            if self.terms[known.index()] == term {
                return known;
            }
            hash = hash.wrapping_add(1);
        }
    }
}

fn operator(body: &Body, kind: &ExprKind) -> Operator {
    match *kind {
        ExprKind::Value(_)
        | ExprKind::Bound(_)
        | ExprKind::Int(_)
        | ExprKind::Float(_)
        | ExprKind::Str(_)
        | ExprKind::BufferField(..)
        | ExprKind::Buffer(_)
        | ExprKind::Opaque { .. } => Operator::Leaf(*kind),
        ExprKind::Binary(op, ..) => Operator::Binary(op),
        ExprKind::Unary(op, _) => Operator::Unary(op),
        ExprKind::Cast(_) => Operator::Cast,
        ExprKind::Select(..) => Operator::Select,
        ExprKind::IfThenElse(..) => Operator::IfThenElse,
        ExprKind::Load { buffer, predicate, .. } => Operator::Load(buffer, predicate.is_some()),
        ExprKind::Region(buffer, _) => Operator::Region(buffer),
        ExprKind::Slice { lower, upper, step } => {
            Operator::Slice([lower, upper, step].map(|it| it.is_some()))
        }
        ExprKind::Ramp { .. } => Operator::Ramp,
        ExprKind::Broadcast { .. } => Operator::Broadcast,
        ExprKind::Shuffle { vectors, .. } => Operator::Shuffle(body.items(vectors).len() as u32),
        ExprKind::Let { .. } => Operator::Let,
        ExprKind::Lambda { params, .. } => Operator::Lambda(params),
        ExprKind::Call { callee, attrs, instance, .. } => Operator::Call(callee, attrs, instance),
        ExprKind::Tuple(_) => Operator::Tuple,
    }
}

/// Returns true if the operands may be swapped: the operator is commutative for their type (`SEMANTICS: F3`, `F6`,
/// `I10`, `I11`), and both are evaluated (`S2`, `S6`).
fn is_commutative(op: BinaryOp, operand: Type) -> bool {
    let Some(dtype) = operand.prim() else { return false };
    let is_lazy = op.is_logical() && dtype.is_scalar();
    !is_lazy && effects::binary(op).commutative.holds_for(is_integral(dtype))
}

/// Associative and commutative on integers (`I10`, `I11`; sums and products modulo the width).
fn is_associative(op: BinaryOp) -> bool {
    use BinaryOp::{Add, BitAnd, BitOr, BitXor, Max, Min, Mul};
    matches!(op, Add | Mul | BitAnd | BitOr | BitXor | Min | Max)
}

#[cfg(test)]
mod tests;

//! Canonical terms: nodes that are equal at a level of equivalence have one [`TermId`].
//!
//! In: nodes from the bottom up, each with the terms of its operands; for what is no value of its operands (a load, a call,
//! a variable that a caller knows more about) a key of the caller's. Out: an id. Equal ids at a level mean equal values,
//! bit by bit, in every run in which the keys stand for equal values.
//!
//! The pool orders operands by the first appearance of their terms, so its ids depend on the order in which a caller adds
//! nodes and on nothing else; nothing that leaves a caller may be ordered by them.

use ir::{
    AttrDictId, BinaryOp, Body, BufferId, Callee, ExprId, ExprKind, Type, UnaryOp,
    effects::{self, EffectTable},
    plan::Equivalence,
};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

/// A term of one [`Terms`]. A term added later has the larger number.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct TermId(u32);

/// What a term does with its operands.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Operator {
    /// Variables, constants, names: the node itself.
    Leaf(ExprKind),
    /// What the caller says.
    Key(u64),
    Binary(BinaryOp),
    Unary(UnaryOp),
    Cast,
    Select,
    Load(BufferId, bool),
    Region(BufferId),
    /// Which of the three parts are there.
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

/// A pool of canonical terms of one body.
pub struct Terms {
    level: Equivalence,
    index: FxHashMap<(Operator, Type, Operands), TermId>,
}

impl Terms {
    /// An empty pool.
    pub fn new(level: Equivalence) -> Terms {
        Terms { level, index: FxHashMap::default() }
    }
    /// The level at which terms are equal.
    pub fn level(&self) -> Equivalence {
        self.level
    }
    /// Number of terms.
    pub fn len(&self) -> usize {
        self.index.len()
    }
    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.index.is_empty()
    }

    /// The term of a node whose operands, as [`Body::each_child`] gives them, have the terms `children`. With `atom_key`
    /// the node is an atom: equal to those of the same key and type and to nothing else.
    pub fn term(
        &mut self,
        body: &Body,
        kind: &ExprKind,
        ty: Type,
        children: &[TermId],
        atom_key: Option<u64>,
    ) -> TermId {
        if let Some(key) = atom_key {
            return self.intern(Operator::Key(key), ty, SmallVec::new());
        }
        let operator = operator(body, kind);
        let mut operands: Operands = children.into();
        if self.level >= Equivalence::Commutative
            && let [a, b, ..] = &mut operands[..]
            && is_commutative(body, kind)
            && *a > *b
        {
            std::mem::swap(a, b);
        }
        self.intern(operator, ty, operands)
    }

    fn intern(&mut self, operator: Operator, ty: Type, operands: Operands) -> TermId {
        let next = TermId(self.index.len() as u32);
        *self.index.entry((operator, ty, operands)).or_insert(next)
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

/// Whether the first two operands may be swapped: the operator is commutative for their type (`SEMANTICS: F3`, `F6`,
/// `I10`, `I11`), and both are evaluated (`S2`).
fn is_commutative(body: &Body, kind: &ExprKind) -> bool {
    let is_integer = |it: ExprId| body.dtype(it).is_some_and(crate::linear::is_integral);
    match *kind {
        ExprKind::Binary(op, a, _) => {
            let is_lazy = op.is_logical() && body.dtype(a).is_none_or(|it| it.is_scalar());
            !is_lazy && effects::binary(op).commutative.holds_for(is_integer(a))
        }
        ExprKind::Call { callee, args, instance: 0, .. } => match *body.items(args) {
            [a, _] => {
                let row = EffectTable::builtin().callee(body, callee);
                row.commutative.holds_for(is_integer(a)) && !row.is_lazy(0) && !row.is_lazy(1)
            }
            _ => false,
        },
        _ => false,
    }
}

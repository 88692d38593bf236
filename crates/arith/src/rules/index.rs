//! The rules by the operator at their root.
//!
//! [`Head`] of a node or pattern: its operator, without its operands. A candidate has the operator, and for operands
//! nodes of some kinds: most rules are left out by these. O(1) a look-up, and O(1) a candidate.

use std::sync::OnceLock;

use super::{Domain, Rule, Sort, Term, Variable, all};
use ir::{BinaryOp, Body, ExprId, ExprKind, UnaryOp};

/// An operator without its operands.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Head {
    /// Two operands.
    Binary(BinaryOp),
    /// One operand.
    Unary(UnaryOp),
    /// `select`
    Select,
    /// `if_then_else`
    IfThenElse,
}

impl Head {
    /// The operator of a term, if it has one.
    pub fn of(term: &Term) -> Option<Head> {
        match term {
            Term::Binary(op, ..) => Some(Head::Binary(*op)),
            Term::Unary(op, _) => Some(Head::Unary(*op)),
            Term::Select(_) => Some(Head::Select),
            Term::IfThenElse(_) => Some(Head::IfThenElse),
            Term::Var(_) | Term::Int(_) | Term::Bool(_) | Term::Float(_) | Term::Gcd(..) => None,
        }
    }
}

/// The kinds of nodes that a term has: a set of bits, one for each operator and kind of constant.
pub(crate) type Kinds = u64;

const INT: Kinds = 1 << 60;
const BOOL: Kinds = 1 << 61;
const FLOAT: Kinds = 1 << 62;
const OTHER: Kinds = 1 << 63;

impl Head {
    fn kinds(self) -> Kinds {
        1 << self.number()
    }

    /// Small, and different for each.
    fn number(self) -> usize {
        match self {
            Head::Binary(op) => op as usize,
            Head::Unary(op) => 40 + op as usize,
            Head::Select => 50,
            Head::IfThenElse => 51,
        }
    }

    /// The key of a node; `None` for a node that no rule looks into.
    pub(crate) fn of_node(body: &Body, expr: ExprId) -> Option<Head> {
        match body.expr(expr).kind {
            ExprKind::Binary(op, ..) => Some(Head::Binary(op)),
            ExprKind::Unary(op, _) => Some(Head::Unary(op)),
            ExprKind::Select(..) => Some(Head::Select),
            ExprKind::IfThenElse(..) => Some(Head::IfThenElse),
            _ => None,
        }
    }
}

/// The kind of a node: one bit.
pub(crate) fn kind_of_node(body: &Body, expr: ExprId) -> Kinds {
    match body.expr(expr).kind {
        ExprKind::Int(_) if body.ty(expr).is_bool() => BOOL,
        ExprKind::Int(_) => INT,
        ExprKind::Float(_) => FLOAT,
        _ => Head::of_node(body, expr).map_or(OTHER, Head::kinds),
    }
}

/// The kinds of nodes that may match a term.
fn kinds_of_term(term: &Term, variables: &[Variable]) -> Kinds {
    match term {
        Term::Var(variable) if variables[*variable].sort == Sort::Constant => INT | BOOL,
        Term::Var(_) => Kinds::MAX,
        Term::Int(_) => INT,
        Term::Bool(_) => BOOL,
        Term::Float(_) => FLOAT,
        _ => Head::of(term).map_or(Kinds::MAX, Head::kinds),
    }
}

/// A rule, with a first look at its operands.
struct Candidate {
    rule: &'static Rule,
    /// Of the two operands of a binary operator, or all.
    left: Kinds,
    right: Kinds,
    /// True if the operands may be swapped.
    commutes: bool,
}

impl Candidate {
    fn of(rule: &'static Rule) -> Candidate {
        use BinaryOp::{Add, BitAnd, BitOr, BitXor, Eq, Max, Min, Mul, Ne};
        let (left, right, commutes) = match &rule.lhs {
            Term::Binary(op, a, b) => (
                kinds_of_term(a, &rule.variables),
                kinds_of_term(b, &rule.variables),
                matches!(op, Add | Mul | Eq | Ne | Min | Max | BitAnd | BitOr | BitXor),
            ),
            _ => (Kinds::MAX, Kinds::MAX, false),
        };
        Candidate { rule, left, right, commutes }
    }

    /// Returns true if operands of these kinds may match.
    fn may_match(&self, left: Kinds, right: Kinds) -> bool {
        self.left & left != 0 && self.right & right != 0
            || self.commutes && self.left & right != 0 && self.right & left != 0
    }
}

/// The candidates of an operator.
#[derive(Default)]
struct Candidates {
    /// In the order of the tables.
    all: Vec<Candidate>,
    /// The kinds that the left and the right operand may have in one of them.
    left: Kinds,
    right: Kinds,
}

impl Candidates {
    fn add(&mut self, candidate: Candidate) {
        self.left |= candidate.left;
        self.right |= candidate.right;
        if candidate.commutes {
            self.left |= candidate.right;
            self.right |= candidate.left;
        }
        self.all.push(candidate);
    }
}

/// The rules whose left side has this operator and operands of these kinds, in the order of the tables; of a binary
/// operator those on floats or those on integers.
pub(crate) fn candidates(
    head: Head,
    is_float: bool,
    [left, right]: [Kinds; 2],
) -> impl Iterator<Item = &'static Rule> {
    static INDEX: OnceLock<Vec<[Candidates; 2]>> = OnceLock::new();
    let index = INDEX.get_or_init(|| {
        let mut index: Vec<[Candidates; 2]> = Vec::new();
        for rule in all() {
            let Some(head) = Head::of(&rule.lhs) else { continue };
            if index.len() <= head.number() {
                index.resize_with(head.number() + 1, Default::default);
            }
            let is_binary = matches!(head, Head::Binary(_));
            for is_float in [false, true] {
                if !is_binary || is_float == (rule.domain == Domain::Float) {
                    index[head.number()][usize::from(is_float)].add(Candidate::of(rule));
                }
            }
        }
        index
    });
    let them = index.get(head.number()).map(|it| &it[usize::from(is_float)]);
    let them = them.filter(|it| it.left & left != 0 && it.right & right != 0);
    let them = them.map_or(&[][..], |it| &it.all).iter();
    them.filter(move |it| it.may_match(left, right)).map(|it| it.rule)
}

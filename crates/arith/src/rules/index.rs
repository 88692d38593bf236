//! The rules by the operator at their root.
//!
//! [`Head`] of a node or pattern: its operator, without its operands. O(1) a look-up.

use std::sync::OnceLock;

use ir::{BinaryOp, UnaryOp};
use rustc_hash::FxHashMap;

use super::{Rule, Term, all};

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

/// The rules whose left side has this operator, in the order of the tables.
pub fn candidates(head: Head) -> &'static [&'static Rule] {
    static INDEX: OnceLock<FxHashMap<Head, Vec<&'static Rule>>> = OnceLock::new();
    let index = INDEX.get_or_init(|| {
        let mut index: FxHashMap<Head, Vec<&'static Rule>> = FxHashMap::default();
        for rule in all() {
            if let Some(head) = Head::of(&rule.lhs) {
                index.entry(head).or_default().push(rule);
            }
        }
        index
    });
    index.get(&head).map_or(&[], |it| it)
}

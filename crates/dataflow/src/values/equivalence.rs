//! Equality of nodes, given the equality of their operands.

use arith::canonical::{TermId, Terms};
use ir::{BinaryOp, Body, ExprId, ExprKind, plan::Equivalence as Level};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

/// Expression → class. Equal classes mean equal values, bit by bit.
pub trait Equivalence {
    /// The class of a node whose operands, as [`Body::each_child`] gives them, have these classes. `beside`
    /// distinguishes occurrences that differ though operator and operands are equal: other memory, another execution;
    /// `None` for a function of its operands.
    fn class(&mut self, body: &Body, node: ExprId, operands: &[u32], beside: Option<u64>) -> u32;
    /// Number of classes so far.
    fn len(&self) -> usize;
    /// Returns true if there are no classes yet.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// The levels of a plan, by canonical terms.
pub struct Leveled {
    terms: Terms<'static>,
    /// By class: its term. Classes are numbered as they come; terms may be more.
    of_class: Vec<TermId>,
    classes: FxHashMap<TermId, u32>,
    /// Reads and executions, by their operands and their distinguishing part.
    keys: FxHashMap<(TermId, u64), u64>,
}

impl Leveled {
    /// No classes.
    pub fn new(level: Level) -> Leveled {
        Leveled {
            terms: Terms::new(level),
            of_class: Vec::new(),
            classes: FxHashMap::default(),
            keys: FxHashMap::default(),
        }
    }
}

impl Equivalence for Leveled {
    fn class(&mut self, body: &Body, node: ExprId, operands: &[u32], beside: Option<u64>) -> u32 {
        let data = body.expr(node);
        let mut children: SmallVec<[TermId; 8]> =
            operands.iter().map(|&it| self.of_class[it as usize]).collect();
        let mut kind = data.kind;
        if self.terms.level() >= Level::Commutative
            && let Some(mirrored) = mirrored(kind)
        {
            kind = mirrored;
            children.reverse();
        }
        let mut term = self.terms.term(body, &kind, data.ty, &children, None);
        if let Some(beside) = beside {
            let next = self.keys.len() as u64;
            let key = *self.keys.entry((term, beside)).or_insert(next);
            term = self.terms.term(body, &kind, data.ty, &[], Some(key));
        }
        let next = self.of_class.len() as u32;
        let class = *self.classes.entry(term).or_insert(next);
        if class == next {
            self.of_class.push(term);
        }
        class
    }

    fn len(&self) -> usize {
        self.of_class.len()
    }
}

/// `a > b` is `b < a`.
fn mirrored(kind: ExprKind) -> Option<ExprKind> {
    match kind {
        ExprKind::Binary(BinaryOp::Gt, a, b) => Some(ExprKind::Binary(BinaryOp::Lt, b, a)),
        ExprKind::Binary(BinaryOp::Ge, a, b) => Some(ExprKind::Binary(BinaryOp::Le, b, a)),
        _ => None,
    }
}

//! Equality of two computations: as they are written, or by their canonical terms.
//!
//! The option `identify_equiv_terms` of the pass compares normal forms of TVM's simplifier, whose exact results no
//! specification gives. Equality here is that of [`arith::canonical`] at the level `arithmetic`: sums of products of
//! integers, integer operators in any order, and more. Each term's class is made once; O(operands) a term.

use arith::canonical::{TermId, Terms};
use ir::{ExprKind, arena::Id, plan::Equivalence};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use super::pool::{Pool, Tag, X};
use crate::cse::Work;

/// Terms of one class are the same computation.
pub(super) type Class = u32;

/// Gives classes.
pub(super) struct Normal {
    /// None compares terms as they are.
    terms: Option<Terms<'static>>,
    class: FxHashMap<X, TermId>,
}

impl Normal {
    pub(super) fn new(identify: bool) -> Normal {
        let terms = identify.then(|| Terms::new(Equivalence::Arithmetic));
        Normal { terms, class: FxHashMap::default() }
    }

    pub(super) fn class(&mut self, pool: &Pool<'_>, x: X, work: &mut Work) -> Class {
        let Some(terms) = &mut self.terms else { return x };
        let mut stack = vec![(x, false)];
        while let Some((at, is_ready)) = stack.pop() {
            if self.class.contains_key(&at) {
                continue;
            }
            work.visited += 1;
            let operands = &pool.term(at).operands;
            if !is_ready {
                stack.push((at, true));
                stack.extend(operands.iter().map(|&it| (it, false)));
                continue;
            }
            let operands: SmallVec<[TermId; 4]> =
                operands.iter().map(|it| self.class[it]).collect();
            let class = canonical(terms, pool, at, &operands);
            self.class.insert(at, class);
        }
        self.class[&x].index() as Class
    }
}

/// The canonical term of a term whose operands have these. Variables, also those of lets and those that the pass makes,
/// are distinguished by their numbers, and opaque expressions by their node.
fn canonical(terms: &mut Terms<'_>, pool: &Pool<'_>, x: X, operands: &[TermId]) -> TermId {
    let term = pool.term(x);
    let kind_of = |it| pool.body.expr(it).kind;
    let (kind, key) = match term.tag {
        Tag::Var(var) => (ExprKind::Bound(0), Some(u64::from(var))),
        Tag::Let(var) => (kind_of(term.origin), Some(u64::from(var))),
        Tag::Unbound(expr) | Tag::Unknown(expr) => (kind_of(expr), Some(expr.index() as u64)),
        Tag::Constant(expr) => (kind_of(expr), None),
        Tag::Node(_) => (kind_of(term.origin), None),
    };
    terms.term(pool.body, &kind, term.ty, operands, key)
}

//! When two computations are the same: as they are written, or by their normal forms.
//!
//! The option `identify_equiv_terms` of the pass compares normal forms of TVM's simplifier. What is proven equal here: sums of
//! products of integers of one type, by a canonical form (constants folded, products distributed over sums, terms in a fixed order).
//! Everything else is compared with its parts in normal form. Each term's form is made once.

use std::collections::BTreeMap;

use ir::{BinaryOp, DataType, ExprKind};
use rustc_hash::FxHashMap;

use super::pool::{Operands, Pool, Tag, X};
use crate::cse::Work;

/// Products longer than this are not distributed.
const MAX_TERMS: usize = 64;

/// Sums: products (sorted) with their factors.
type Sum = BTreeMap<Vec<X>, i64>;

/// Gives classes.
#[derive(Default)]
pub(super) struct Normal {
    /// Compares normal forms.
    identify: bool,
    class: FxHashMap<X, X>,
    /// By form: the first term that has it.
    sums: FxHashMap<(DataType, Vec<(Vec<X>, i64)>), X>,
    sum_of: FxHashMap<X, Sum>,
}

impl Normal {
    pub(super) fn new(identify: bool) -> Normal {
        Normal { identify, ..Normal::default() }
    }

    /// Terms of one class are the same computation.
    pub(super) fn class(&mut self, pool: &mut Pool<'_>, x: X, work: &mut Work) -> X {
        if !self.identify {
            return x;
        }
        let mut stack = vec![(x, false)];
        while let Some((at, is_ready)) = stack.pop() {
            if self.class.contains_key(&at) {
                continue;
            }
            work.visited += 1;
            if !is_ready {
                stack.push((at, true));
                stack.extend(pool.term(at).operands.iter().map(|&it| (it, false)));
                continue;
            }
            let operands: Operands =
                pool.term(at).operands.iter().map(|it| self.class[it]).collect();
            let normal = pool.with_operands(at, operands);
            let class = self.of_normal(pool, normal);
            self.class.insert(at, class);
        }
        self.class[&x]
    }

    /// The class of a term whose operands are classes.
    fn of_normal(&mut self, pool: &Pool<'_>, x: X) -> X {
        let Some(dtype) = pool.term(x).ty.prim().filter(|it| it.is_integer()) else { return x };
        let Some(sum) = self.sum(pool, x) else { return x };
        // A single variable or other term is its own class.
        if let (1, Some((product, 1))) = (sum.len(), sum.iter().next().map(|(p, &n)| (p, n)))
            && let [one] = product[..]
        {
            return one;
        }
        let key = (dtype, sum.iter().map(|(product, &n)| (product.clone(), n)).collect());
        let class = *self.sums.entry(key).or_insert(x);
        self.sum_of.insert(class, sum);
        class
    }

    fn sum(&self, pool: &Pool<'_>, x: X) -> Option<Sum> {
        let term = pool.term(x);
        match term.tag {
            Tag::Constant(expr) => {
                let ExprKind::Int(value) = pool.body.expr(expr).kind else { return None };
                Some(constant(value))
            }
            Tag::Node(ExprKind::Binary(op, ..)) => {
                let part = |index: usize| -> Option<Sum> {
                    let at = term.operands[index];
                    let known = self.sum_of.get(&at).cloned();
                    Some(known.unwrap_or_else(|| match self.constant_of(pool, at) {
                        Some(value) => constant(value),
                        None => Sum::from([(vec![at], 1)]),
                    }))
                };
                combine(op, &part(0)?, &part(1)?)
            }
            _ => None,
        }
    }

    fn constant_of(&self, pool: &Pool<'_>, x: X) -> Option<i64> {
        let Tag::Constant(expr) = pool.term(x).tag else { return None };
        match pool.body.expr(expr).kind {
            ExprKind::Int(value) => Some(value),
            _ => None,
        }
    }
}

fn constant(value: i64) -> Sum {
    if value == 0 { Sum::new() } else { Sum::from([(Vec::new(), value)]) }
}

/// The sum, difference or product of two sums; none if it gets too long, or a factor too large.
fn combine(op: BinaryOp, a: &Sum, b: &Sum) -> Option<Sum> {
    let mut result = Sum::new();
    match op {
        BinaryOp::Add | BinaryOp::Sub => {
            result.clone_from(a);
            for (product, &n) in b {
                let n = if op == BinaryOp::Sub { n.checked_neg()? } else { n };
                add(&mut result, product.clone(), n)?;
            }
        }
        BinaryOp::Mul => {
            if a.len() * b.len() > MAX_TERMS {
                return None;
            }
            for (one, &n) in a {
                for (other, &m) in b {
                    let mut product: Vec<X> = one.iter().chain(other).copied().collect();
                    product.sort_unstable();
                    if product.len() > MAX_TERMS {
                        return None;
                    }
                    add(&mut result, product, n.checked_mul(m)?)?;
                }
            }
        }
        _ => return None,
    }
    (result.len() <= MAX_TERMS).then_some(result)
}

fn add(sum: &mut Sum, product: Vec<X>, n: i64) -> Option<()> {
    use std::collections::btree_map::Entry;
    match sum.entry(product) {
        Entry::Vacant(at) => {
            if n != 0 {
                at.insert(n);
            }
        }
        Entry::Occupied(mut at) => {
            let total = at.get().checked_add(n)?;
            if total == 0 {
                at.remove();
            } else {
                *at.get_mut() = total;
            }
        }
    }
    Some(())
}

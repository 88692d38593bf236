//! Sums of products, as the arithmetic level compares them.
//!
//! A term of a ring type is `constant + sum of factor * product`, a product a bag of terms that are no sums. Addition,
//! subtraction and multiplication of int32 and int64 in the reference (`SEMANTICS: I1`) are those of the integers
//! modulo 2^32 or 2^64. Those are a commutative ring, and both ways of computing a term are polynomials over the same
//! values of it, made from one another by ring identities alone. So equal forms mean equal wrapped values, whatever
//! overflows on the way. Division, remainder, order and conversion are no ring operations: a term of theirs is taken as
//! it is, over canonical operands. `a == b` holds exactly if `a - b` is 0 in the ring, so equality is one on the
//! difference.
//!
//! Factors are numbers modulo 2^64 or 2^32, kept as the signed number of the type. Distribution stops at
//! [`MOST_OPERANDS`] products and at [`MOST_FACTORS`] factors of one; a longer result is kept as the operator on its
//! two sides.

use ir::{BinaryOp, DataType, ExprKind, Type, arena::Id};
use smallvec::SmallVec;

use super::{
    MOST_OPERANDS, Numbers, Operands, Operator, TermId, Terms,
    polynomial::{Polynomial, Ring},
};

/// Terms in one product.
const MOST_FACTORS: usize = 8;

/// Returns true if values of the type are sums of products: int32 and int64 (of any lanes, lane by lane).
pub(super) fn is_ring(ty: Type) -> bool {
    ty.prim().is_some_and(|it| it.is_int() && it.bits >= 32)
}

type Sum = Polynomial<TermId>;

/// A number of a ring of at most 64 bits.
fn number(value: i128) -> i64 {
    // Reduced to the signed number of the type.
    value as i64
}

impl Terms<'_> {
    /// `x * a + y * b`
    pub(super) fn sum(&mut self, ty: Type, (x, a): (TermId, i64), (y, b): (TermId, i64)) -> TermId {
        let dtype = ty.prim().unwrap_or(DataType::INT64).element();
        let ring = Ring::Modulo(dtype);
        let left = self.as_sum(x).scaled(a.into(), ring);
        let both = left.and_then(|it| it.plus(&self.as_sum(y), b.into(), ring));
        if let Some(both) = both.filter(|it| it.products.len() <= MOST_OPERANDS) {
            return self.of_sum(ty, both);
        }
        let op = if b < 0 { BinaryOp::Sub } else { BinaryOp::Add };
        let mut sides = [x, y];
        if op == BinaryOp::Add {
            sides.sort_unstable();
        }
        self.intern(Operator::Binary(op), ty, sides.as_slice().into(), SmallVec::new())
    }

    /// `x * y`, distributed within the limits.
    pub(super) fn product(&mut self, ty: Type, x: TermId, y: TermId) -> TermId {
        let dtype = ty.prim().unwrap_or(DataType::INT64).element();
        let (left, right) = (self.as_sum(x), self.as_sum(y));
        if left.n_terms() * right.n_terms() <= MOST_OPERANDS {
            let total =
                left.times(&right, Ring::Modulo(dtype), &mut |p, q| self.bag_of_factors(ty, p, q));
            if let Some(total) = total {
                return self.of_sum(ty, total);
            }
        }
        let mut sides = [x, y];
        sides.sort_unstable();
        self.intern(Operator::Binary(BinaryOp::Mul), ty, sides.as_slice().into(), SmallVec::new())
    }

    /// `x == y` or `x != y` by the difference, whose first factor is made positive.
    pub(super) fn equality(
        &mut self,
        op: BinaryOp,
        operand: Type,
        ty: Type,
        x: TermId,
        y: TermId,
    ) -> TermId {
        let dtype = operand.prim().unwrap_or(DataType::INT64).element();
        let ring = Ring::Modulo(dtype);
        let gap = self.as_sum(x).plus(&self.as_sum(y), -1, ring);
        let gap = gap.filter(|it| it.products.len() <= MOST_OPERANDS);
        let both = gap.and_then(|gap| gap.scaled(-1, ring).map(|opposite| (gap, opposite)));
        let Some((gap, opposite)) = both else {
            let mut sides = [x, y];
            sides.sort_unstable();
            return self.intern(Operator::Binary(op), ty, sides.as_slice().into(), SmallVec::new());
        };
        let factors = |it: &Sum| -> SmallVec<[i128; 5]> {
            it.products.iter().map(|it| it.1).chain([it.constant]).collect()
        };
        let gap = if factors(&gap) >= factors(&opposite) { gap } else { opposite };
        let gap = self.of_sum(operand, gap);
        let zero = self.of_sum(operand, Sum::constant(0));
        self.intern(Operator::Binary(op), ty, [gap, zero].as_slice().into(), SmallVec::new())
    }

    /// A term as a sum.
    fn as_sum(&self, term: TermId) -> Sum {
        let data = &self.terms[term.index()];
        match data.operator {
            Operator::Leaf(ExprKind::Int(value)) => Sum::constant(value.into()),
            Operator::Sum => {
                let factors = data.numbers.iter().map(|&it| i128::from(it));
                Sum {
                    products: data.operands.iter().copied().zip(factors).collect(),
                    constant: data.numbers.last().map_or(0, |&it| it.into()),
                }
            }
            _ => Sum::product(term, 1),
        }
    }

    /// The term of a sum: a constant, a single product, or a sum.
    fn of_sum(&mut self, ty: Type, sum: Sum) -> TermId {
        match sum.products[..] {
            [] => {
                let leaf = Operator::Leaf(ExprKind::Int(number(sum.constant)));
                self.intern(leaf, ty, SmallVec::new(), SmallVec::new())
            }
            [(product, 1)] if sum.constant == 0 => product,
            _ => {
                let operands: Operands = sum.products.iter().map(|it| it.0).collect();
                let mut numbers: Numbers = sum.products.iter().map(|it| number(it.1)).collect();
                numbers.push(number(sum.constant));
                self.intern(Operator::Sum, ty, operands, numbers)
            }
        }
    }

    /// The product of two products; none if it has too many factors.
    fn bag_of_factors(&mut self, ty: Type, p: TermId, q: TermId) -> Option<TermId> {
        let mut factors: Operands = SmallVec::new();
        for side in [p, q] {
            let term = &self.terms[side.index()];
            if term.operator == Operator::Bag(BinaryOp::Mul) {
                factors.extend_from_slice(&term.operands);
            } else {
                factors.push(side);
            }
        }
        if factors.len() > MOST_FACTORS {
            return None;
        }
        factors.sort_unstable();
        Some(self.intern(Operator::Bag(BinaryOp::Mul), ty, factors, SmallVec::new()))
    }
}

//! Sums of products, as the arithmetic level compares them.
//!
//! A term of a ring type is `constant + sum of factor * product`, a product a bag of terms that are no sums. Addition,
//! subtraction and multiplication of int32 and int64 in the reference (`SEMANTICS: I1`) are those of the integers modulo
//! 2^32 or 2^64. Those are a commutative ring, and both ways of computing a term are polynomials over the same values of it,
//! made from one another by ring identities alone. So equal forms mean equal wrapped values, whatever overflows on the way.
//! Division, remainder, order and conversion are no ring operations: a term of theirs is taken as it is, over canonical
//! operands. `a == b` holds exactly if `a - b` is 0 in the ring, so equality is one on the difference.
//!
//! Factors are numbers modulo 2^64 or 2^32, kept as the signed number of the type. Distribution stops at [`MOST_OPERANDS`]
//! products and at [`MOST_FACTORS`] factors of one; a longer result is kept as the operator on its two sides.

use ir::{BinaryOp, DataType, ExprKind, Type, arena::Id};
use smallvec::SmallVec;

use super::{MOST_OPERANDS, Numbers, Operands, Operator, TermId, Terms};

/// Terms in one product.
const MOST_FACTORS: usize = 8;

/// Whether values of the type are sums of products: int32 and int64 (of any lanes, lane by lane).
pub(super) fn is_ring(ty: Type) -> bool {
    ty.prim().is_some_and(|it| it.is_int() && it.bits >= 32)
}

/// A sum in the making: products with their factors, in the order of the products.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
struct Sum {
    products: SmallVec<[(TermId, i64); 4]>,
    constant: i64,
}

fn wrap(dtype: DataType, value: i128) -> i64 {
    dtype.wrap_int(value)
}

impl Sum {
    /// `self + other * factor`, modulo the width.
    fn plus(&self, other: &Sum, factor: i64, dtype: DataType) -> Sum {
        let mut products = SmallVec::with_capacity(self.products.len() + other.products.len());
        let (mut left, mut right) =
            (self.products.iter().peekable(), other.products.iter().peekable());
        let scaled = |it: i64| i128::from(it) * i128::from(factor);
        loop {
            let (product, total) = match (left.peek(), right.peek()) {
                (None, None) => break,
                (Some(&&(p, x)), Some(&&(q, y))) if p == q => {
                    left.next();
                    right.next();
                    (p, i128::from(x) + scaled(y))
                }
                (Some(&&(p, x)), it) if it.is_none_or(|it| p < it.0) => {
                    left.next();
                    (p, i128::from(x))
                }
                (_, Some(&&(q, y))) => {
                    right.next();
                    (q, scaled(y))
                }
                // Without a right side the arm before the last matches.
                (Some(_), None) => break,
            };
            let total = wrap(dtype, total);
            if total != 0 {
                products.push((product, total));
            }
        }
        let constant = wrap(dtype, i128::from(self.constant) + scaled(other.constant));
        Sum { products, constant }
    }
    fn scaled(&self, factor: i64, dtype: DataType) -> Sum {
        Sum::default().plus(self, factor, dtype)
    }
}

impl Terms<'_> {
    /// `x * a + y * b`
    pub(super) fn sum(&mut self, ty: Type, (x, a): (TermId, i64), (y, b): (TermId, i64)) -> TermId {
        let dtype = ty.prim().unwrap_or(DataType::INT64).element();
        let both = self.as_sum(x).scaled(a, dtype).plus(&self.as_sum(y), b, dtype);
        if both.products.len() <= MOST_OPERANDS {
            return self.of_sum(ty, both);
        }
        let op = if b < 0 { BinaryOp::Sub } else { BinaryOp::Add };
        let mut sides = [x, y];
        if op == BinaryOp::Add {
            sides.sort_unstable();
        }
        self.intern(Operator::Binary(op), ty, sides.as_slice().into(), SmallVec::new())
    }

    /// `x * y`, distributed as far as the limits go.
    pub(super) fn product(&mut self, ty: Type, x: TermId, y: TermId) -> TermId {
        let dtype = ty.prim().unwrap_or(DataType::INT64).element();
        let (left, right) = (self.as_sum(x), self.as_sum(y));
        let n_terms = |it: &Sum| it.products.len() + usize::from(it.constant != 0);
        if n_terms(&left) * n_terms(&right) <= MOST_OPERANDS {
            let mut total = right.scaled(left.constant, dtype);
            let mut fits = true;
            for &(p, a) in &left.products {
                let mut part = Sum {
                    products: if right.constant == 0 {
                        SmallVec::new()
                    } else {
                        SmallVec::from_slice(&[(p, right.constant)])
                    },
                    constant: 0,
                };
                for &(q, b) in &right.products {
                    match self.bag_of_factors(ty, p, q) {
                        Some(product) => {
                            let one = Sum {
                                products: SmallVec::from_slice(&[(product, b)]),
                                constant: 0,
                            };
                            part = part.plus(&one, 1, dtype);
                        }
                        None => fits = false,
                    }
                }
                total = total.plus(&part, a, dtype);
            }
            if fits {
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
        let gap = self.as_sum(x).plus(&self.as_sum(y), -1, dtype);
        if gap.products.len() > MOST_OPERANDS {
            let mut sides = [x, y];
            sides.sort_unstable();
            return self.intern(Operator::Binary(op), ty, sides.as_slice().into(), SmallVec::new());
        }
        let opposite = gap.scaled(-1, dtype);
        let factors = |it: &Sum| -> SmallVec<[i64; 5]> {
            it.products.iter().map(|it| it.1).chain([it.constant]).collect()
        };
        let gap = if factors(&gap) >= factors(&opposite) { gap } else { opposite };
        let gap = self.of_sum(operand, gap);
        let zero = self.of_sum(operand, Sum::default());
        self.intern(Operator::Binary(op), ty, [gap, zero].as_slice().into(), SmallVec::new())
    }

    /// A term as a sum.
    fn as_sum(&self, term: TermId) -> Sum {
        let data = &self.terms[term.index()];
        match data.operator {
            Operator::Leaf(ExprKind::Int(value)) => {
                Sum { products: SmallVec::new(), constant: value }
            }
            Operator::Sum => {
                let factors = data.numbers.iter().copied();
                Sum {
                    products: data.operands.iter().copied().zip(factors).collect(),
                    constant: data.numbers.last().copied().unwrap_or(0),
                }
            }
            _ => Sum { products: SmallVec::from_slice(&[(term, 1)]), constant: 0 },
        }
    }

    /// The term of a sum: a constant, a single product, or a sum.
    fn of_sum(&mut self, ty: Type, sum: Sum) -> TermId {
        match sum.products[..] {
            [] => {
                let leaf = Operator::Leaf(ExprKind::Int(sum.constant));
                self.intern(leaf, ty, SmallVec::new(), SmallVec::new())
            }
            [(product, 1)] if sum.constant == 0 => product,
            _ => {
                let operands: Operands = sum.products.iter().map(|it| it.0).collect();
                let mut numbers: Numbers = sum.products.iter().map(|it| it.1).collect();
                numbers.push(sum.constant);
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

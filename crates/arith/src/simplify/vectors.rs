//! Vectors whose lanes are known: all equal (`Broadcast`), or in steps (`Ramp`, `SEMANTICS: P4`).
//!
//! In: an elementwise operation on such vectors. Out: one such vector, of operations on scalars, which the other stages
//! make simpler. Any other vector only loses neutral operands.
//!
//! No event is new. A value that is computed once was computed in each lane. The base of a sum of ramps is the value of
//! lane 0; the other lanes keep their values. A ramp is divided only where its lanes are exact: they are whole
//! multiples beside the base, or stay within one multiple of the divisor. Under `Overflow::Wraps` lane 0 may be unused,
//! so there a new base must be shown to fit. O(1) a node.

use ir::{BinaryOp, DataType, ExprId, ExprKind, Lanes, Type};

use super::{At, Rewrite, Simplifier, fold::neutral};
use crate::{Interval, Overflow};

/// Strides and divisors beyond are left alone: lanes times stride must be far from any overflow.
const MOST_STRIDE: i128 = 1 << 24;

/// The values of the lanes of a vector.
#[derive(Clone, Copy)]
enum Values {
    /// `Broadcast(value)`
    Equal(ExprId),
    /// `Ramp(base, stride)` with a constant stride.
    Steps(ExprId, i128),
}

/// The common shape of a vector's lanes.
#[derive(Clone, Copy)]
struct Shape {
    /// The count, in the form of the source.
    count: ExprId,
    /// The number.
    lanes: Lanes,
}

impl Simplifier<'_> {
    /// A vector of operations instead of an operation on vectors.
    pub(super) fn vector(&mut self, at: At, expr: ExprId) -> Option<Rewrite> {
        let node = self.body().expr(expr);
        let dtype = node.ty.prim().filter(|it| !it.is_scalar() && !it.is_symbolic())?;
        match node.kind {
            ExprKind::Ramp { base, stride, lanes } if self.as_int(stride) == Some(0) => {
                let shape = Shape { count: lanes, lanes: dtype.lanes };
                Some((self.equal(base, shape), "flat-ramp"))
            }
            ExprKind::Binary(op, a, b) => {
                if let Some(kept) = self.without_neutral(op, a, b) {
                    return Some((kept, "neutral-operand"));
                }
                self.binary_of_vectors(at, op, [a, b], dtype)
            }
            ExprKind::Unary(..) | ExprKind::Cast(_) | ExprKind::Select(..) => {
                self.of_equal_lanes(expr, dtype)
            }
            _ => None,
        }
    }

    fn without_neutral(&self, op: BinaryOp, a: ExprId, b: ExprId) -> Option<ExprId> {
        self.body().dtype(a).filter(|it| it.is_integer())?;
        let constant = |it| match self.lanes(it)? {
            (Values::Equal(value), _) => self.as_int(value),
            _ => None,
        };
        neutral(op, constant(a), constant(b)).map(|is_left| if is_left { a } else { b })
    }

    fn binary_of_vectors(
        &mut self,
        at: At,
        op: BinaryOp,
        operands: [ExprId; 2],
        dtype: DataType,
    ) -> Option<Rewrite> {
        let ((a, count), (b, other)) = (self.lanes(operands[0])?, self.lanes(operands[1])?);
        let shape = Shape { count, lanes: dtype.lanes };
        if count != other {
            return None;
        }
        match (op, a, b) {
            (_, Values::Equal(a), Values::Equal(b)) => {
                let value = self.binary(op, a, b);
                Some((self.equal(value, shape), "equal-lanes"))
            }
            (BinaryOp::Add | BinaryOp::Sub, ..) => self.sum_of_ramps(at, op, [a, b], shape),
            (BinaryOp::Mul, Values::Steps(base, stride), Values::Equal(factor))
            | (BinaryOp::Mul, Values::Equal(factor), Values::Steps(base, stride)) => {
                let by = self.as_int(factor).filter(is_small)?;
                let base = self.binary(op, base, factor);
                self.ramp(at, base, stride * by, shape).map(|it| (it, "ramp-product"))
            }
            (_, Values::Steps(base, stride), Values::Equal(divisor)) if op.is_division() => {
                let by = self.as_int(divisor).filter(|it| *it > 0 && is_small(it))?;
                let parts = Divided { op, ramp: operands[0], base, stride, divisor, by };
                self.divided_ramp(at, &parts, shape)
            }
            _ => None,
        }
    }

    fn sum_of_ramps(
        &mut self,
        at: At,
        op: BinaryOp,
        operands: [Values; 2],
        shape: Shape,
    ) -> Option<Rewrite> {
        let [(a, x), (b, y)] = operands.map(|it| match it {
            Values::Equal(value) => (value, 0),
            Values::Steps(base, stride) => (base, stride),
        });
        let stride = if op == BinaryOp::Add { x + y } else { x - y };
        let base = self.binary(op, a, b);
        self.ramp(at, base, stride, shape).map(|it| (it, "ramp-sum"))
    }

    /// `Ramp(base, stride) op Broadcast(by)` for a division and a positive constant.
    fn divided_ramp(&mut self, at: At, it: &Divided, shape: Shape) -> Option<Rewrite> {
        let is_quotient = matches!(it.op, BinaryOp::FloorDiv | BinaryOp::Div);
        let is_floor = matches!(it.op, BinaryOp::FloorDiv | BinaryOp::FloorMod);
        let is_excluded = at.reading == Overflow::Excluded && self.is_wide(it.base);
        if !is_excluded && !self.analyzer.no_overflow(at.ctx, it.ramp) {
            return None;
        }
        // Truncation is that of floor division where no lane is negative.
        let lanes = self.analyzer.facts_with(at.reading, at.ctx, it.ramp);
        if !is_floor && lanes.interval.min < 0 {
            return None;
        }
        let base = self.binary(it.op, it.base, it.divisor);
        if it.stride % it.by == 0 {
            return match is_quotient {
                true => {
                    self.ramp(at, base, it.stride / it.by, shape).map(|it| (it, "ramp-division"))
                }
                false => Some((self.equal(base, shape), "ramp-division")),
            };
        }
        let Lanes::Fixed(n) = shape.lanes else { return None };
        let last = it.stride * (i128::from(n) - 1);
        let within = self.between_multiples(at, it, shape, last);
        within.or_else(|| if is_quotient { None } else { self.of_residue(at, it, shape, last) })
    }

    /// A ramp over a constant, all lanes of which are between two neighbouring multiples of it.
    fn between_multiples(
        &mut self,
        at: At,
        it: &Divided,
        shape: Shape,
        last: i128,
    ) -> Option<Rewrite> {
        if !(0..it.by).contains(&last) {
            return None;
        }
        let is_floor = matches!(it.op, BinaryOp::FloorDiv | BinaryOp::FloorMod);
        let rest = if is_floor { BinaryOp::FloorMod } else { BinaryOp::Mod };
        let rest = self.binary(rest, it.base, it.divisor);
        let end = self.int(it.by - last, self.body().dtype(it.base)?);
        if !self.holds(at, BinaryOp::Lt, rest, end) {
            return None;
        }
        let base = self.binary(it.op, it.base, it.divisor);
        match matches!(it.op, BinaryOp::FloorDiv | BinaryOp::Div) {
            true => Some((self.equal(base, shape), "ramp-division")),
            false => self.ramp(at, base, it.stride, shape).map(|it| (it, "ramp-division")),
        }
    }

    /// The remainder of a ramp whose first lane has a known one: of a ramp that starts there.
    fn of_residue(&mut self, at: At, it: &Divided, shape: Shape, last: i128) -> Option<Rewrite> {
        self.as_int(it.base).is_none().then_some(())?;
        let dtype = self.body().dtype(it.base)?;
        let facts = self.analyzer.facts_with(at.reading, at.ctx, it.base);
        let rest = facts.modular.remainder(it.by)?;
        // Truncation is that of floor division only where no lane is negative.
        let is_floor = it.op == BinaryOp::FloorMod;
        if !Interval::of_type(dtype).contains(rest + last) || !(is_floor || last >= 0) {
            return None;
        }
        let first = self.int(rest, dtype);
        let ramp = self.ramp(at, first, it.stride, shape)?;
        let by = self.equal(it.divisor, shape);
        Some((self.binary(it.op, ramp, by), "ramp-residue"))
    }

    /// An operation on vectors that have equal lanes each has equal lanes.
    fn of_equal_lanes(&mut self, expr: ExprId, dtype: DataType) -> Option<Rewrite> {
        let mut operands = self.body().children(expr);
        let mut count = None;
        for operand in &mut operands {
            let (Values::Equal(value), lanes) = self.lanes(*operand)? else { return None };
            if count.is_some_and(|it| it != lanes) {
                return None;
            }
            (*operand, count) = (value, Some(lanes));
        }
        let value = self.grow(|body| match (body.expr(expr).kind, &operands[..]) {
            (ExprKind::Unary(op, _), &[a]) => Some(body.unary(op, a)),
            (ExprKind::Cast(_), &[a]) => Some(body.cast(a, dtype.element())),
            (ExprKind::Select(..), &[cond, a, b]) => Some(body.select(cond, a, b)),
            _ => None,
        })?;
        let shape = Shape { count: count?, lanes: dtype.lanes };
        Some((self.equal(value, shape), "equal-lanes"))
    }

    // ---- vectors ----

    /// The lanes of a vector, and how many they are; none if they are not known, or not of a number.
    fn lanes(&self, expr: ExprId) -> Option<(Values, ExprId)> {
        match self.body().expr(expr).kind {
            ExprKind::Broadcast { value, lanes } => {
                self.body().dtype(value).filter(|it| it.is_scalar())?;
                Some((Values::Equal(value), lanes))
            }
            ExprKind::Ramp { base, stride, lanes } => {
                self.body().dtype(base).filter(|it| it.is_scalar() && it.is_int())?;
                let stride = self.as_int(stride).filter(is_small)?;
                Some((Values::Steps(base, stride), lanes))
            }
            _ => None,
        }
    }

    fn equal(&mut self, value: ExprId, Shape { count, lanes }: Shape) -> ExprId {
        let ty = self.body().dtype(value).map_or(Type::Unknown, |it| it.with_lanes(lanes).into());
        self.grow(|body| body.make(ExprKind::Broadcast { value, lanes: count }, ty))
    }

    /// A ramp of a new base, where that adds no event.
    fn ramp(&mut self, at: At, base: ExprId, stride: i128, shape: Shape) -> Option<ExprId> {
        if at.reading == Overflow::Wraps && !self.analyzer.no_overflow(at.ctx, base) {
            return None;
        }
        if stride == 0 {
            return Some(self.equal(base, shape));
        }
        let dtype = self.body().dtype(base).filter(|it| it.is_int())?;
        if !is_small(&stride) || !Interval::of_type(dtype).contains(stride) {
            return None;
        }
        let (stride, lanes) = (self.int(stride, dtype), shape.count);
        let ty = dtype.with_lanes(shape.lanes).into();
        Some(self.grow(|body| body.make(ExprKind::Ramp { base, stride, lanes }, ty)))
    }
}

/// A ramp over a positive constant.
struct Divided {
    op: BinaryOp,
    ramp: ExprId,
    base: ExprId,
    stride: i128,
    divisor: ExprId,
    by: i128,
}

fn is_small(it: &i128) -> bool {
    it.abs() < MOST_STRIDE
}

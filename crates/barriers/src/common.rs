//! The parts of addresses that are the same for all threads of a block, and how far two of them may be apart.
//!
//! In: the terms of two sums (`threads`). Out: the distances between the sums at which what threads add could meet. A
//! distance is a multiple of what all factors have in common, and no more than the terms can differ: the variable of a
//! loop is in the loop's range. O(terms) and the distances.

use ir::{BinaryOp, Body, ExprId, ExprKind, OpKind, ValueId, ValueKind};

use super::{Addresses, Planner};

/// Threads times distances that are tried.
const MOST_TRIED: i64 = 1 << 17;

/// A term of an index that is the same for all threads, `factor` times.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Common {
    Expr {
        expr: ExprId,
        factor: i64,
    },
    /// The remainder of a sum of such terms.
    Remainder {
        of: Vec<Common>,
        constant: i64,
        modulus: i64,
        factor: i64,
    },
}

impl Common {
    pub(super) fn factor(&self) -> i64 {
        match *self {
            Common::Expr { factor, .. } | Common::Remainder { factor, .. } => factor,
        }
    }

    /// A divisor of all values.
    pub(super) fn step(&self) -> i64 {
        match self {
            Common::Expr { factor, .. } => *factor,
            Common::Remainder { of, constant, modulus, factor } => {
                let inner = of.iter().map(Common::step).fold(*modulus, greatest_divisor);
                greatest_divisor(inner, *constant).saturating_mul(*factor)
            }
        }
    }

    /// The same with another factor.
    pub(super) fn with_factor(self, factor: i64) -> Common {
        match self {
            Common::Expr { expr, .. } => Common::Expr { expr, factor },
            Common::Remainder { of, constant, modulus, .. } => {
                Common::Remainder { of, constant, modulus, factor }
            }
        }
    }

    /// The least and the greatest value, if they are known.
    fn range(&self, body: &Body) -> Option<[i64; 2]> {
        let [least, most] = match self {
            Common::Expr { expr, .. } => range(body, *expr)?,
            Common::Remainder { modulus, .. } => [0, modulus - 1],
        };
        let ends = [least.checked_mul(self.factor())?, most.checked_mul(self.factor())?];
        Some([ends[0].min(ends[1]), ends[0].max(ends[1])])
    }
}

impl Planner<'_> {
    /// The possible distances between the common parts of two accesses at which addresses could meet; of accesses that
    /// are not of an earlier iteration, equal terms are equal. None if there are too many.
    pub(super) fn distances(
        &self,
        x: &Addresses,
        y: &Addresses,
        aged: bool,
    ) -> Option<impl Iterator<Item = i64> + use<>> {
        let mut of_x = x.base.clone();
        let mut of_y = y.base.clone();
        if !aged {
            of_x.retain(|term| match of_y.iter().position(|it| it == term) {
                Some(at) => {
                    of_y.remove(at);
                    false
                }
                None => true,
            });
        }
        let divisor = of_x.iter().chain(&of_y).map(Common::step).fold(0, greatest_divisor);
        let (first, last) = (x.span[0].min(y.span[0]), x.span[1].max(y.span[1]));
        let reach = last.checked_sub(first)?;
        let most = self.apart(&of_x, &of_y).map_or(reach, |it| it.min(reach));
        let steps = most.checked_div(divisor).unwrap_or(0);
        let tried = (2 * i128::from(steps) + 1) * (x.count().max(y.count()) as i128);
        (tried <= MOST_TRIED.into()).then(|| (-steps..=steps).map(move |it| it * divisor))
    }

    /// The distances between the common parts of two accesses that differ in one remainder alone, of the same sum but
    /// for a constant: the versions of a software pipeline, `(i + 1) % 2` and `i % 2`. None for other parts, and for
    /// accesses of several iterations.
    pub(super) fn between_versions(
        &self,
        x: &Addresses,
        y: &Addresses,
        aged: bool,
    ) -> Option<[i64; 4]> {
        if aged || x.base.len() != y.base.len() {
            return None;
        }
        let rest = |of: &[Common], without: &[Common]| {
            let mut without = without.to_vec();
            let mut rest = of.to_vec();
            rest.retain(|it| match without.iter().position(|other| other == it) {
                Some(at) => {
                    without.remove(at);
                    false
                }
                None => true,
            });
            rest
        };
        let (of_x, of_y) = (rest(&x.base, &y.base), rest(&y.base, &x.base));
        let ([x], [y]) = (&of_x[..], &of_y[..]) else { return None };
        let (x, y) = (self.version(x)?, self.version(y)?);
        if (x.of, x.modulus, x.factor) != (y.of, y.modulus, y.factor) {
            return None;
        }
        let later = x.constant.checked_sub(y.constant)?.rem_euclid(x.modulus);
        let earlier = later - x.modulus;
        let [up, down] = [later.checked_mul(x.factor)?, earlier.checked_mul(x.factor)?];
        Some([up, down, up.checked_neg()?, down.checked_neg()?])
    }

    /// A term that is the remainder of a sum.
    fn version(&self, term: &Common) -> Option<Version> {
        let &Common::Expr { expr, factor } = term else { return None };
        let ExprKind::Binary(BinaryOp::FloorMod, sum, modulus) = self.body.expr(expr).kind else {
            return None;
        };
        let modulus = self.constant(modulus).filter(|it| *it > 0)?;
        let (mut of, mut constant) = (sum, 0i64);
        loop {
            let added = match self.body.expr(of).kind {
                ExprKind::Value(value) if self.definitions.contains_key(&value) => {
                    (self.definitions[&value], 0)
                }
                ExprKind::Binary(BinaryOp::Add, a, b) if let Some(it) = self.constant(b) => (a, it),
                ExprKind::Binary(BinaryOp::Sub, a, b) if let Some(it) = self.constant(b) => {
                    (a, it.checked_neg()?)
                }
                _ => break,
            };
            of = added.0;
            constant = constant.checked_add(added.1)?;
        }
        Some(Version { of, constant, modulus, factor })
    }

    /// How far two sums may be apart at most.
    fn apart(&self, x: &[Common], y: &[Common]) -> Option<i64> {
        let sum = |terms: &[Common]| {
            terms.iter().try_fold([0i64; 2], |[least, most], it| {
                let [low, high] = it.range(self.body)?;
                Some([least.checked_add(low)?, most.checked_add(high)?])
            })
        };
        let ([x_least, x_most], [y_least, y_most]) = (sum(x)?, sum(y)?);
        let (up, down) = (y_most.checked_sub(x_least)?, x_most.checked_sub(y_least)?);
        Some(up.checked_abs()?.max(down.checked_abs()?))
    }
}

/// `(of + constant) % modulus`, `factor` times.
struct Version {
    of: ExprId,
    constant: i64,
    modulus: i64,
    factor: i64,
}

/// The least and the greatest value of an expression of variables of loops, by the loops alone.
fn range(body: &Body, expr: ExprId) -> Option<[i64; 2]> {
    let constant = |it: ExprId| match body.expr(it).kind {
        ExprKind::Int(value) => Some(value),
        _ => None,
    };
    // Operations of which the value does not fall where that of the operand rises.
    let mut at = expr;
    let mut rising = Vec::new();
    let [mut least, mut most] = loop {
        match body.expr(at).kind {
            ExprKind::Value(value) => break of_loop(body, value)?,
            ExprKind::Binary(BinaryOp::FloorMod, _, modulus) => {
                break [0, constant(modulus).filter(|it| *it > 0)? - 1];
            }
            ExprKind::Binary(BinaryOp::FloorDiv, of, by) => {
                rising.push(constant(by).filter(|it| *it > 0)?);
                at = of;
            }
            _ => return None,
        }
    };
    for by in rising.into_iter().rev() {
        (least, most) = (least.div_euclid(by), most.div_euclid(by));
    }
    Some([least, most])
}

/// The values that the variable of a loop has.
fn of_loop(body: &Body, value: ValueId) -> Option<[i64; 2]> {
    let ValueKind::BlockArg(block, _) = body.values[value].kind else { return None };
    let op = body.regions[body.blocks[block].parent].parent?;
    let (OpKind::For(_), &[min, extent]) = (body.ops[op].kind, &body.ops[op].operands[..]) else {
        return None;
    };
    let (ExprKind::Int(min), ExprKind::Int(extent)) = (body.expr(min).kind, body.expr(extent).kind)
    else {
        return None;
    };
    // A loop that never runs has no accesses.
    Some([min, min.checked_add(extent.max(1))?.checked_sub(1)?])
}

pub(super) fn greatest_divisor(a: i64, b: i64) -> i64 {
    let (mut a, mut b) = (a.unsigned_abs(), b.unsigned_abs());
    while b != 0 {
        (a, b) = (b, a % b);
    }
    i64::try_from(a).unwrap_or(1)
}

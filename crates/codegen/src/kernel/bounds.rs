//! Ranges of integer expressions, for choosing the short form of a division and of an index.
//!
//! In: a body with its thread axes. Out: for an expression, an interval that holds its values on every execution
//! without an error. Overflow of 32 bits and wider is an error (`SEMANTICS: I1`, `I2`), so an interval is cut to its
//! type; narrower types wrap (`I3`), so a result that may leave them is the whole type. Facts come from constants,
//! loop ranges, thread extents and shape variables only, not from conditions: a value has one range everywhere.
//! Each node is computed once.

use ir::{BinaryOp, Body, DataType, ExprId, ExprKind, Intrinsic, OpKind, ValueId, ValueKind};
use rustc_hash::FxHashMap;

use crate::kernel::{Axis, ScalarSource};

/// A closed interval.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Interval {
    /// Least value.
    pub lo: i128,
    /// Greatest value.
    pub hi: i128,
}

impl Interval {
    fn new(lo: i128, hi: i128) -> Interval {
        Interval { lo, hi }
    }
    /// All values of a type.
    fn of_type(dtype: DataType) -> Interval {
        let bits = u32::from(dtype.bits).clamp(1, 64);
        if dtype.is_bool() {
            Interval::new(0, 1)
        } else if dtype.is_uint() {
            Interval::new(0, (1i128 << bits) - 1)
        } else {
            Interval::new(-(1i128 << (bits - 1)), (1i128 << (bits - 1)) - 1)
        }
    }
    fn hull(self, other: Interval) -> Interval {
        Interval::new(self.lo.min(other.lo), self.hi.max(other.hi))
    }
    fn contains(self, other: Interval) -> bool {
        self.lo <= other.lo && other.hi <= self.hi
    }
    /// Returns true if no value is negative.
    pub fn is_non_negative(self) -> bool {
        self.lo >= 0
    }
}

/// Ranges of the expressions of one body, computed as asked.
pub struct Bounds<'a> {
    body: &'a Body,
    /// Extent of each thread index variable.
    threads: FxHashMap<ValueId, Option<ExprId>>,
    exprs: FxHashMap<ExprId, Interval>,
    values: FxHashMap<ValueId, Interval>,
    /// True if an overflow wraps, as in a value that need not be used.
    wraps: bool,
}

impl<'a> Bounds<'a> {
    /// Nothing is computed yet. `kernel` gives the thread variables and their extents.
    pub fn new(body: &'a Body, kernel: &crate::kernel::Kernel) -> Bounds<'a> {
        let mut threads = FxHashMap::default();
        for axis in Axis::ALL {
            let extent = kernel.dim(axis).map(|it| it.expr);
            let vars = kernel.thread_vars.iter().filter(|(_, it)| **it == Some(axis));
            threads.extend(vars.map(|(&var, _)| (var, extent)));
        }
        threads.extend(
            kernel.thread_vars.iter().filter(|(_, it)| it.is_none()).map(|(&var, _)| (var, None)),
        );
        Bounds {
            body,
            threads,
            exprs: FxHashMap::default(),
            values: FxHashMap::default(),
            wraps: false,
        }
    }

    /// The same without the assumption that nothing overflows: for values that need not be used (`SEMANTICS: I1`).
    pub fn wrapping(self) -> Bounds<'a> {
        Bounds { wraps: true, ..self }
    }

    /// Returns true if `a op b` stays in its type.
    pub fn stays(&mut self, op: BinaryOp, a: ExprId, b: ExprId, dtype: DataType) -> bool {
        let whole = Interval::of_type(dtype);
        whole.contains(self.binary(op, a, b, whole))
    }

    /// The range of an integer or bool expression; of each lane for a vector.
    pub fn range(&mut self, expr: ExprId) -> Interval {
        if let Some(&known) = self.exprs.get(&expr) {
            return known;
        }
        let range = ir::stack::with_room(|| self.compute(expr));
        self.exprs.insert(expr, range);
        range
    }

    /// Takes a scalar argument of a kernel to fit 32 bits. To be said before any range is asked for.
    pub(crate) fn assume_narrow(&mut self, source: ScalarSource) {
        let int32 = Interval::of_type(DataType::INT32);
        let cut = |it: Interval| Interval::new(it.lo.max(int32.lo), it.hi.min(int32.hi));
        match source {
            ScalarSource::Value(value) => {
                let range = self.value(value, Interval::of_type(DataType::INT64));
                self.values.insert(value, cut(range));
            }
            ScalarSource::Field(expr) => {
                let range = self.range(expr);
                self.exprs.insert(expr, cut(range));
            }
        }
    }

    /// Returns true if an integer expression is never negative.
    pub fn non_negative(&mut self, expr: ExprId) -> bool {
        self.range(expr).is_non_negative()
    }

    fn compute(&mut self, expr: ExprId) -> Interval {
        let body = self.body;
        let Some(dtype) = body.dtype(expr) else { return Interval::of_type(DataType::INT64) };
        let whole = Interval::of_type(dtype);
        let range = match body.expr(expr).kind {
            ExprKind::Int(value) if dtype.is_uint() && dtype.bits == 64 => {
                Interval::new(i128::from(value as u64), i128::from(value as u64))
            }
            ExprKind::Int(value) => Interval::new(value.into(), value.into()),
            ExprKind::Value(value) => self.value(value, whole),
            ExprKind::Binary(op, a, b) => self.binary(op, a, b, whole),
            ExprKind::Cast(a)
                if body.dtype(a).is_some_and(|it| it.is_integer() || it.is_bool()) =>
            {
                self.range(a)
            }
            ExprKind::Select(_, a, b) | ExprKind::IfThenElse(_, a, b) => {
                self.range(a).hull(self.range(b))
            }
            ExprKind::Ramp { base, stride, lanes } => self.ramp(base, stride, lanes),
            ExprKind::Broadcast { value, .. } => self.range(value),
            ExprKind::Call { callee: ir::Callee::Intrinsic(_, it), args, .. } => {
                match (it, body.items(args)) {
                    (Intrinsic::Likely | Intrinsic::ThreadInvariant, &[a]) => self.range(a),
                    _ => whole,
                }
            }
            _ => whole,
        };
        match (
            whole.contains(range),
            dtype.bits >= 32 && !matches!(body.expr(expr).kind, ExprKind::Cast(_)),
        ) {
            (true, _) => range,
            // An error otherwise: only what the type holds is left.
            (false, true) if !self.wraps && range.lo.max(whole.lo) <= range.hi.min(whole.hi) => {
                Interval::new(range.lo.max(whole.lo), range.hi.min(whole.hi))
            }
            _ => whole,
        }
    }

    fn ramp(&mut self, base: ExprId, stride: ExprId, lanes: ExprId) -> Interval {
        let (base, stride) = (self.range(base), self.range(stride));
        let last = self.range(lanes).hi.clamp(1, 1 << 20) - 1;
        let step = Interval::new((stride.lo * last).min(0), (stride.hi * last).max(0));
        Interval::new(base.lo + step.lo, base.hi + step.hi)
    }

    fn binary(&mut self, op: BinaryOp, a: ExprId, b: ExprId, whole: Interval) -> Interval {
        if op.is_comparison() || op.is_logical() {
            return Interval::new(0, 1);
        }
        let (a, b) = (self.range(a), self.range(b));
        let corners = |f: &dyn Fn(i128, i128) -> i128| {
            let all = [f(a.lo, b.lo), f(a.lo, b.hi), f(a.hi, b.lo), f(a.hi, b.hi)];
            let lo = all.iter().copied().min().unwrap_or(whole.lo);
            let hi = all.iter().copied().max().unwrap_or(whole.hi);
            Interval::new(lo, hi)
        };
        match op {
            BinaryOp::Add => Interval::new(a.lo + b.lo, a.hi + b.hi),
            BinaryOp::Sub => Interval::new(a.lo - b.hi, a.hi - b.lo),
            BinaryOp::Mul => corners(&|x, y| x.saturating_mul(y)),
            BinaryOp::Min => Interval::new(a.lo.min(b.lo), a.hi.min(b.hi)),
            BinaryOp::Max => Interval::new(a.lo.max(b.lo), a.hi.max(b.hi)),
            BinaryOp::FloorDiv if b.lo > 0 => corners(&|x, y| x.div_euclid(y)),
            BinaryOp::Div if b.lo > 0 && a.lo >= 0 => corners(&|x, y| x / y),
            BinaryOp::FloorMod if b.lo > 0 => {
                let small = a.lo >= 0 && a.hi < b.lo;
                if small { a } else { Interval::new(0, b.hi - 1) }
            }
            BinaryOp::Mod if b.lo > 0 && a.lo >= 0 => Interval::new(0, a.hi.min(b.hi - 1)),
            BinaryOp::BitAnd if a.lo >= 0 || b.lo >= 0 => {
                let of = |it: Interval| if it.lo >= 0 { it.hi } else { i128::MAX };
                Interval::new(0, of(a).min(of(b)))
            }
            BinaryOp::BitOr | BinaryOp::BitXor if a.lo >= 0 && b.lo >= 0 => {
                let top = a.hi.max(b.hi);
                Interval::new(0, (1i128 << (128 - top.leading_zeros()).min(64)) - 1)
            }
            BinaryOp::Shr if a.lo >= 0 && b.lo >= 0 => Interval::new(0, a.hi),
            _ => whole,
        }
    }

    fn value(&mut self, value: ValueId, whole: Interval) -> Interval {
        if let Some(&known) = self.values.get(&value) {
            return known;
        }
        // A value that is defined by itself (an error of the program) is met again here: it may be anything.
        self.values.insert(value, whole);
        let range = self.value_range(value).unwrap_or(whole);
        self.values.insert(value, range);
        range
    }

    fn value_range(&mut self, value: ValueId) -> Option<Interval> {
        let body = self.body;
        if let Some(&extent) = self.threads.get(&value) {
            let hi = extent.map_or(0, |it| self.range(it).hi - 1);
            return Some(Interval::new(0, hi.max(0)));
        }
        let data = &body.values[value];
        match data.kind {
            ValueKind::BlockArg(block, 0) => {
                let op = body.regions[body.blocks[block].parent].parent?;
                let operands = &body.ops[op].operands;
                let OpKind::For(_) = body.ops[op].kind else { return None };
                let (min, extent) = (self.range(operands[0]), self.range(operands[1]));
                Some(Interval::new(min.lo, (min.hi + extent.hi - 1).max(min.lo)))
            }
            ValueKind::Result(op, 0) if body.ops[op].kind == OpKind::Bind => {
                Some(self.range(body.ops[op].operands[0]))
            }
            _ if data.is_size => Some(Interval::new(0, Interval::of_type(data.ty.prim()?).hi)),
            ValueKind::Symbol | ValueKind::Captured if is_extent(body, value) => {
                Some(Interval::new(0, Interval::of_type(data.ty.prim()?).hi))
            }
            _ => None,
        }
    }
}

/// Returns true if a symbol is an extent of a parameter, hence not negative (`SEMANTICS: B6`).
fn is_extent(body: &Body, value: ValueId) -> bool {
    body.params.iter().any(|param| {
        param.buffer.is_some_and(|buffer| {
            body.buffers[buffer]
                .shape
                .iter()
                .any(|&it| body.expr(it).kind == ExprKind::Value(value))
        })
    })
}

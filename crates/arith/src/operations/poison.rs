//! `overflow<nsw>` and `overflow<nuw>`: what is known where a value is used and is no poison.
//!
//! In: a value at a place. Out: the context in which no operation with such a flag overflows, of those that the value
//! is made of. An overflow makes the result poison, not the program wrong: nothing is known where it is not used. So
//! only questions about the value itself may be asked in that context (any answer is right for poison), and what a
//! branch, an assumption or an assertion on it leads to (those on poison are undefined behaviour).
//!
//! O(operations that the value is made of), at most [`MOST_OPERATIONS`].

use ir::{BinaryOp, DataType, ExprId, ExprKind, OpId, ValueId, ValueKind};
use rustc_hash::FxHashSet;

use super::{Decider, OperationFacts, attr, op_name, terms::Terms};
use crate::{ContextId, Interval};

/// Operations that are looked at.
const MOST_OPERATIONS: usize = 64;

/// Operations of `arith` whose result is poison where an operand is.
const STRICT: [&str; 17] = [
    "addi",
    "subi",
    "muli",
    "shli",
    "cmpi",
    "extsi",
    "extui",
    "trunci",
    "index_cast",
    "index_castui",
    "minsi",
    "maxsi",
    "minui",
    "maxui",
    "andi",
    "ori",
    "xori",
];

impl OperationFacts<'_> {
    /// The facts where a value is used and is no poison.
    pub(super) fn not_poison(&mut self, mut context: ContextId, value: ValueId) -> ContextId {
        let body = self.body;
        let mut seen = FxHashSet::default();
        let mut todo = vec![value];
        while let Some(value) = todo.pop() {
            let ValueKind::Result(op, 0) = body.values[value].kind else { continue };
            let Some(name) = op_name(body, op).strip_prefix("arith.") else { continue };
            if !STRICT.contains(&name) || seen.len() >= MOST_OPERATIONS || !seen.insert(op) {
                continue;
            }
            context = self.in_range_of_flags(context, op, name);
            todo.extend((0..body.ops[op].operands.len()).filter_map(|at| self.operand(op, at)));
        }
        context
    }

    /// The result of an operation with flags is in range.
    fn in_range_of_flags(&mut self, mut context: ContextId, op: OpId, name: &str) -> ContextId {
        let (operator, Some(flags)) = (
            match name {
                "addi" => BinaryOp::Add,
                "subi" => BinaryOp::Sub,
                "muli" => BinaryOp::Mul,
                _ => return context,
            },
            attr(self.body, op, "overflowFlags"),
        ) else {
            return context;
        };
        let (is_signed, is_unsigned) = (flags.contains("nsw"), flags.contains("nuw"));
        let Some(&[a, b]) = self.operand_terms(op, 0, 2).as_deref() else { return context };
        let Some(dtype) = self.analyzer.body().dtype(a).filter(|it| it.is_int()) else {
            return context;
        };
        let mut conditions = Vec::new();
        if is_signed {
            let limits = Interval::of_type(dtype);
            match dtype.bits < 64 {
                true => conditions.extend(self.exact(operator, [a, b], false, limits)),
                false => conditions.extend(self.wide(operator, a, b, limits)),
            }
        }
        if is_unsigned && dtype.bits < 64 {
            let limits = Interval::of_type(DataType::uint(dtype.bits));
            conditions.extend(self.exact(operator, [a, b], true, limits));
        }
        for condition in conditions {
            context = self.assume(context, condition, true, Some(Decider::Op(op)));
        }
        context
    }

    /// The exact result of operands of fewer than 64 bits is within limits.
    fn exact(
        &mut self,
        op: BinaryOp,
        operands: [ExprId; 2],
        is_unsigned: bool,
        limits: Interval,
    ) -> [ExprId; 2] {
        let wide = DataType::INT64;
        let terms = &mut Terms { analyzer: &mut self.analyzer, dtype: wide };
        let [a, b] = operands.map(|it| {
            let it = if is_unsigned { terms.bits(it) } else { it };
            terms.cast(it, wide)
        });
        let exact = terms.binary(op, a, b);
        let (min, max) = (terms.int(limits.min, wide), terms.int(limits.max, wide));
        [
            self.analyzer.grow(|body| body.binary(BinaryOp::Ge, exact, min)),
            self.analyzer.grow(|body| body.binary(BinaryOp::Le, exact, max)),
        ]
    }

    /// The same for 64 bits, of an operation with a constant: as a limit of the other operand.
    fn wide(&mut self, op: BinaryOp, a: ExprId, b: ExprId, limits: Interval) -> Vec<ExprId> {
        let constant = |it: &Self, term| match it.analyzer.body().expr(term).kind {
            ExprKind::Int(value) => Some(i128::from(value)),
            _ => None,
        };
        let (other, number) = match (constant(self, a), constant(self, b)) {
            (None, Some(number)) => (a, number),
            (Some(number), None) if op != BinaryOp::Sub => (b, number),
            _ => return Vec::new(),
        };
        let within = match op {
            BinaryOp::Add => Interval::new(limits.min - number, limits.max - number),
            BinaryOp::Sub => Interval::new(limits.min + number, limits.max + number),
            BinaryOp::Mul if number > 0 => Interval::new(limits.min / number, limits.max / number),
            _ => return Vec::new(),
        };
        let within = within.intersect(limits);
        let ends = [(BinaryOp::Ge, within.min, limits.min), (BinaryOp::Le, within.max, limits.max)];
        let ends = ends.into_iter().filter(|(_, end, limit)| end != limit);
        ends.map(|(op, end, _)| {
            let end = self.int(end, DataType::INT64);
            self.analyzer.grow(|body| body.binary(op, other, end))
        })
        .collect()
    }
}

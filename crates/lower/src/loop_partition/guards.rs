//! Guards of a loop, and the iterations in which each holds.
//!
//! In: the conditions of `if`s in a loop, taken apart at `and`. Out: for a comparison that is linear in the loop's
//! variable, the iterations from which on, or up to which, it holds whatever the variables of loops inside are.
//! `c·i + r < 0` holds for all `i < (-r + c - 1) // c` if `c > 0`, and for all `i >= r // -c + 1` if `c < 0`; of the
//! terms of `r` that change inside, the worst value counts. O(condition).

use arith::{Analyzer, ContextId, Interval};
use ir::{BinaryOp, Body, ExprId, ExprKind, Intrinsic, OpId, OpKind, ValueId, ValueKind};

use super::{fold, wide};
use crate::{
    edit::{loop_block, loop_var},
    lists::{WIDE, constant, ops_in},
};

/// One condition of an `if`: all conditions of it have to hold.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Guard {
    pub(super) op: OpId,
    /// As it is written, `T.likely` included.
    condition: ExprId,
}

/// The place where a guard holds: in all of these iterations.
#[derive(Clone, Copy, Debug)]
pub(super) struct Range {
    pub(super) first: Option<ExprId>,
    pub(super) end: Option<ExprId>,
    /// It holds in no other.
    pub(super) is_exact: bool,
}

/// The conditions of an `if`, of which all have to hold.
pub(super) fn guards(body: &Body, op: OpId) -> Vec<ExprId> {
    let mut found = Vec::new();
    let mut stack = vec![body.ops[op].operands[0]];
    while let Some(at) = stack.pop() {
        match body.expr(at).kind {
            ExprKind::Binary(BinaryOp::And, a, b) => stack.extend([b, a]),
            _ => found.push(at),
        }
    }
    found
}

/// The operand of `T.likely`.
fn likely(body: &Body, expr: ExprId) -> Option<ExprId> {
    body.operands_of(expr, Intrinsic::Likely)?.first().copied()
}

pub(super) fn is_likely(body: &Body, expr: ExprId) -> bool {
    likely(body, expr).is_some()
}

/// A sum: the factor of the loop's variable, other terms with theirs, and a constant.
#[derive(Default)]
struct Sum {
    factor: i128,
    terms: Vec<(ExprId, i128)>,
    constant: i128,
}

impl Guard {
    /// The guards that may be removed: those under `T.likely`, or all.
    pub(super) fn of_loop(body: &Body, op: OpId, all: bool) -> Vec<Guard> {
        let ifs = ops_in(body, op).filter(|&it| body.ops[it].kind == OpKind::If);
        let of_if =
            |op: OpId| guards(body, op).into_iter().map(move |condition| Guard { op, condition });
        ifs.flat_map(of_if).filter(|it| all || is_likely(body, it.condition)).collect()
    }

    /// Returns the place where it holds, in expressions that may stand before the loop.
    pub(super) fn range(
        &self,
        analyzer: &mut Analyzer<'_>,
        context: ContextId,
        body: &mut Body,
        of: OpId,
    ) -> Option<Range> {
        let condition = likely(body, self.condition).unwrap_or(self.condition);
        let ExprKind::Binary(op, a, b) = body.expr(condition).kind else { return None };
        let dtype = body.dtype(a)?;
        if !dtype.is_int() || !dtype.is_scalar() || dtype.bits < 32 {
            return None;
        }
        // As `sum < 0`.
        let (less, more, or_equal) = match op {
            BinaryOp::Lt => (a, b, 0),
            BinaryOp::Le => (a, b, 1),
            BinaryOp::Gt => (b, a, 0),
            BinaryOp::Ge => (b, a, 1),
            _ => return None,
        };
        let mut sum = Sum { constant: -or_equal, ..Sum::default() };
        let var = loop_var(body, of);
        add(body, var, less, 1, &mut sum)?;
        add(body, var, more, -1, &mut sum)?;
        let is_exact = worst(body, of, &mut sum)?;
        let rising = sum.factor > 0;
        let c = sum.factor.checked_abs().filter(|&it| it > 0 && it <= 1 << 31)?;
        // Rising: the negated rest, rounded up; falling: the rest, rounded down and one more.
        let (sign, extra) = if rising { (-1, c - 1) } else { (1, 0) };
        let rest = total(analyzer, context, body, &sum, sign, extra)?;
        let by = body.int(c, WIDE);
        let place = fold(body, BinaryOp::FloorDiv, rest, by);
        Some(if rising {
            Range { first: None, end: Some(place), is_exact }
        } else {
            let one = body.int(1, WIDE);
            let place = fold(body, BinaryOp::Add, place, one);
            Range { first: Some(place), end: None, is_exact }
        })
    }
}

/// Adds `expr * factor` to a sum; none if the variable is in it in another way.
fn add(body: &Body, var: ValueId, expr: ExprId, factor: i128, sum: &mut Sum) -> Option<()> {
    let mut stack = vec![(expr, factor)];
    while let Some((at, factor)) = stack.pop() {
        let number = |it: ExprId| constant(body, it).map(i128::from);
        match body.expr(at).kind {
            ExprKind::Int(value) => sum.constant += i128::from(value).checked_mul(factor)?,
            ExprKind::Value(value) if value == var => sum.factor += factor,
            ExprKind::Binary(BinaryOp::Add, a, b) => stack.extend([(a, factor), (b, factor)]),
            ExprKind::Binary(BinaryOp::Sub, a, b) => stack.extend([(a, factor), (b, -factor)]),
            ExprKind::Binary(BinaryOp::Mul, a, b) => match (number(a), number(b)) {
                (_, Some(by)) => stack.push((a, factor.checked_mul(by)?)),
                (Some(by), _) => stack.push((b, factor.checked_mul(by)?)),
                _ => term(body, var, at, factor, sum)?,
            },
            ExprKind::Cast(a)
                if body.dtype(a).is_some_and(|it| it.is_int() && it.bits >= 32)
                    && body.dtype(at) == Some(WIDE) =>
            {
                stack.push((a, factor));
            }
            _ => term(body, var, at, factor, sum)?,
        }
        if sum.constant.unsigned_abs() > 1 << 62 || factor.unsigned_abs() > 1 << 31 {
            return None;
        }
    }
    Some(())
}

/// A part that is left as it is: without the variable, memory and effects.
fn term(body: &Body, var: ValueId, expr: ExprId, factor: i128, sum: &mut Sum) -> Option<()> {
    let flags = body.expr(expr).flags;
    let is_plain = !flags.has_load
        && !flags.has_impure
        && !flags.has_unknown
        && !flags.has_captured
        && !flags.has_call
        && flags.open_binders == 0;
    let mut is_free = true;
    crate::edit::each_node(body, expr, &mut |at| {
        is_free &= body.expr(at).kind != ExprKind::Value(var);
        // A division would be evaluated where no iteration is.
        is_free &= !matches!(
            body.expr(at).kind,
            ExprKind::Binary(
                BinaryOp::Div | BinaryOp::Mod | BinaryOp::FloorDiv | BinaryOp::FloorMod | BinaryOp::Shl | BinaryOp::Shr,
                _,
                by
            ) if constant(body, by).is_none_or(|it| it <= 0)
        );
    });
    (is_plain && is_free).then(|| sum.terms.push((expr, factor)))
}

/// Puts the worst value of variables of inner loops in their place; whether there were none. None if something else
/// changes inside.
fn worst(body: &Body, of: OpId, sum: &mut Sum) -> Option<bool> {
    let mut is_exact = true;
    let mut kept = Vec::new();
    for (expr, factor) in std::mem::take(&mut sum.terms) {
        let mut inner = Vec::new();
        crate::edit::each_node(body, expr, &mut |at| {
            if let ExprKind::Value(value) = body.expr(at).kind
                && let Some(op) = definer(body, value)
                && is_inside(body, op, of)
            {
                inner.push((value, op));
            }
        });
        match (inner.as_slice(), body.expr(expr).kind) {
            ([], _) => kept.push((expr, factor)),
            (&[(value, op)], ExprKind::Value(it))
                if it == value && matches!(body.ops[op].kind, OpKind::For(_)) =>
            {
                let operands = &body.ops[op].operands;
                let (min, extent) = (constant(body, operands[0])?, constant(body, operands[1])?);
                if extent <= 0 {
                    return None;
                }
                let last = i128::from(min) + i128::from(extent) - 1;
                let value = if factor > 0 { last } else { i128::from(min) };
                sum.constant += value.checked_mul(factor)?;
                is_exact &= extent == 1;
            }
            _ => return None,
        }
    }
    sum.terms = kept;
    Some(is_exact)
}

fn definer(body: &Body, value: ValueId) -> Option<OpId> {
    match body.values[value].kind {
        ValueKind::Result(op, _) => Some(op),
        ValueKind::BlockArg(block, _) => body.regions[body.blocks[block].parent].parent,
        _ => None,
    }
}

fn is_inside(body: &Body, op: OpId, of: OpId) -> bool {
    let mut at = Some(op);
    while let Some(op) = at {
        if op == of {
            return true;
        }
        at = body.parent_op(op);
    }
    false
}

/// `sign` times the rest of a sum, and `extra`, as an expression of 64 bits that is shown to stay in them at each step.
fn total(
    analyzer: &mut Analyzer<'_>,
    context: ContextId,
    body: &mut Body,
    sum: &Sum,
    sign: i128,
    extra: i128,
) -> Option<ExprId> {
    let fits = |it: Interval| it.is_within(Interval::of_type(WIDE));
    let mut bound = Interval::constant(0);
    let mut expr: Option<ExprId> = None;
    for &(term, factor) in &sum.terms {
        let factor = factor * sign;
        let part = analyzer.bound(context, term).scale(factor);
        bound = bound.plus(part);
        if !fits(part) || !fits(bound) {
            return None;
        }
        let value = wide(body, term);
        let size = body.int(factor.abs(), WIDE);
        let value = fold(body, BinaryOp::Mul, value, size);
        expr = Some(match (expr, factor < 0) {
            (None, false) => value,
            (Some(sum), false) => fold(body, BinaryOp::Add, sum, value),
            (before, true) => {
                let zero = body.int(0, WIDE);
                fold(body, BinaryOp::Sub, before.unwrap_or(zero), value)
            }
        });
    }
    let last = sum.constant * sign + extra;
    let one_more = Interval::constant(last).plus(Interval::new(0, 1));
    if !fits(bound.plus(one_more)) {
        return None;
    }
    let (op, size) = if last < 0 { (BinaryOp::Sub, -last) } else { (BinaryOp::Add, last) };
    let size = body.int(size, WIDE);
    Some(match expr {
        Some(expr) => fold(body, op, expr, size),
        None => body.int(last, WIDE),
    })
}

/// Makes guards of a loop true, and takes `T.likely` from the others; the conditions as they were.
pub(super) fn change(body: &mut Body, of: OpId, gone: &[Guard]) -> Vec<(OpId, ExprId)> {
    let ifs: Vec<OpId> = ops_in(body, of).filter(|&it| body.ops[it].kind == OpKind::If).collect();
    let mut saved = Vec::new();
    for op in ifs {
        let all = guards(body, op);
        let is_gone = |it: ExprId| gone.iter().any(|guard| guard.op == op && guard.condition == it);
        if !all.iter().any(|&it| is_gone(it) || is_likely(body, it)) {
            continue;
        }
        let kept: Vec<ExprId> = all.into_iter().filter(|&it| !is_gone(it)).collect();
        let mut condition = None;
        for it in kept {
            let it = likely(body, it).unwrap_or(it);
            condition = Some(match condition {
                None => it,
                Some(before) => body.binary(BinaryOp::And, before, it),
            });
        }
        let condition = condition.unwrap_or_else(|| body.int(1, ir::DataType::BOOL));
        saved.push((op, body.ops[op].operands[0]));
        body.ops[op].operands[0] = condition;
    }
    saved
}

/// Gives `if`s the conditions that they had.
pub(super) fn restore(body: &mut Body, saved: Vec<(OpId, ExprId)>) {
    for (op, condition) in saved {
        body.ops[op].operands[0] = condition;
    }
}

/// Replaces `if`s that always hold by their contents.
pub(super) fn open(body: &mut Body, of: OpId) {
    let block = loop_block(body, of);
    let is_true = |body: &Body, op: OpId| {
        body.ops[op].kind == OpKind::If && constant(body, body.ops[op].operands[0]) == Some(1)
    };
    let mut blocks = vec![block];
    while let Some(block) = blocks.pop() {
        let mut list = Vec::new();
        let mut pending: Vec<OpId> = std::mem::take(&mut body.blocks[block].ops);
        pending.reverse();
        while let Some(op) = pending.pop() {
            if is_true(body, op) {
                let inner = body.entry(body.ops[op].regions[0]);
                let ops = std::mem::take(&mut body.blocks[inner].ops);
                pending.extend(ops.into_iter().rev());
                continue;
            }
            body.ops[op].parent = block;
            list.push(op);
            blocks.extend(crate::lists::blocks_of(body, op));
        }
        body.blocks[block].ops = list;
    }
}

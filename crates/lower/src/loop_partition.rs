//! Loops are split where a guard in them is decided, so that the larger part runs without it.
//!
//! In: a body without blocks. Out: a loop whose guards hold from one iteration on, or up to one, is up to three loops
//! in its order: those before, the main part with the guards gone, those after. Which loops is TVM's rule
//! (LoopPartition with its defaults): those that `pragma_loop_partition_hint` names, for any guard in them; and of the
//! others those whose extent is no constant, for guards under `T.likely`. Nothing is split that would not lose a guard,
//! or would become more than [`LowerOptions::max_unrolled`] statements.
//!
//! Each iteration has the same effect, in the same order (`SEMANTICS: L1`): the split points are computed once before
//! the loop, in 64 bits, from values that neither the loop nor memory changes, and each is shown to stay in range
//! ([`guards`]). Loops in which threads meet or share memory are split only at places that are the same for all
//! threads. The pragma goes, and so does `T.likely` from guards that stay in a part. Linear in the output.

mod guards;

use arith::Analyzer;
use ir::{
    Attr, BinaryOp, BlockId, Body, DataType, ExprId, ExprKind, ForKind, OpId, OpKind, ValueId,
    ValueKind,
};

use self::guards::{Guard, Range, guards, is_likely};
use super::{
    LowerOptions, LowerRefusal, Origins,
    contexts::around,
    copy::{Copier, can_copy},
    edit::{loop_block, loop_var},
    lists::{WIDE, constant, new_list, ops_in, replace_ops, take_list},
    unroll::leaves,
};

const HINT: &str = "pragma_loop_partition_hint";

/// See the module.
pub(super) fn run(
    body: &mut Body,
    options: &LowerOptions,
    origins: &mut Origins,
) -> Result<(), LowerRefusal> {
    if body.lookup_name(HINT).is_none() && !has_candidates(body) {
        return Ok(());
    }
    replace_ops(body, |body, op| Ok(visit(body, op, options, origins)))
}

/// Returns true if a loop has the pragma, or a guard is marked.
fn has_candidates(body: &Body) -> bool {
    body.ops_preorder().any(|op| {
        let data = &body.ops[op];
        body.dict(data.attrs).iter().any(|it| &*it.0 == HINT)
            || (data.kind == OpKind::If && guards(body, op).iter().any(|&it| is_likely(body, it)))
    })
}

fn visit(
    body: &mut Body,
    op: OpId,
    options: &LowerOptions,
    origins: &mut Origins,
) -> Option<Vec<OpId>> {
    match body.ops[op].kind {
        // `with T.attr(i, "pragma_loop_partition_hint", 1)` around the loop.
        OpKind::Attr(key) if body.name(key) == HINT => {
            let block = body.entry(body.ops[op].regions[0]);
            let ops = take_list(body, block);
            let mut result = Vec::new();
            for it in ops {
                let is_loop = matches!(body.ops[it].kind, OpKind::For(ForKind::Serial));
                let parts =
                    if is_loop { partition(body, it, true, options, origins) } else { None };
                result.extend(parts.unwrap_or_else(|| vec![it]));
            }
            Some(result)
        }
        OpKind::For(ForKind::Serial) => {
            let is_hinted = drop_hint(body, op);
            partition(body, op, is_hinted, options, origins)
        }
        _ => None,
    }
}

/// Removes the pragma; returns true if the loop had it.
fn drop_hint(body: &mut Body, op: OpId) -> bool {
    let mut dict = body.dict(body.ops[op].attrs).clone();
    let is_off = |it: &Attr| matches!(it, Attr::Int(0, _) | Attr::Bool(false));
    let is_hinted = dict.iter().any(|(key, value)| &**key == HINT && !is_off(value));
    if dict.iter().any(|it| &*it.0 == HINT) {
        dict.retain(|it| &*it.0 != HINT);
        body.ops[op].attrs = body.attr_dict(dict);
    }
    is_hinted
}

/// The plan for a loop.
struct Plan {
    /// Guards that hold in the main part, by their operation and place in its condition.
    guards: Vec<Guard>,
    /// First iteration of the main part, and the first after it; none for the loop's own.
    first: Option<ExprId>,
    end: Option<ExprId>,
    /// True if nothing happens before, and after, the main part.
    is_idle: bool,
}

fn partition(
    body: &mut Body,
    op: OpId,
    is_hinted: bool,
    options: &LowerOptions,
    origins: &mut Origins,
) -> Option<Vec<OpId>> {
    let plan = plan(body, op, is_hinted, options)?;
    Some(split(body, op, &plan, origins))
}

fn plan(body: &mut Body, op: OpId, is_hinted: bool, options: &LowerOptions) -> Option<Plan> {
    let data = &body.ops[op];
    let is_constant = constant(body, data.operands[1]).is_some();
    let is_asked = is_hinted || !is_constant;
    let dtype = body.values[loop_var(body, op)].ty.prim()?;
    let is_plain =
        data.operands.len() == 2 && matches!((dtype.is_int(), dtype.bits), (true, 32 | 64));
    if !is_asked || !is_plain || !can_copy(body, op) || leaves(body, op) || returns(body, op) {
        return None;
    }
    if 3 * ops_in(body, op).count() > options.max_unrolled as usize {
        return None;
    }
    let found = Guard::of_loop(body, op, is_hinted);
    if found.is_empty() {
        return None;
    }
    let before = body.clone();
    let mut analyzer = Analyzer::with_effects(&before, &options.effects);
    let context = around(&mut analyzer, &before, op);
    let mut ranges: Vec<(Guard, Range)> = Vec::new();
    for guard in found {
        if let Some(range) = guard.range(&mut analyzer, context, body, op) {
            ranges.push((guard, range));
        }
    }
    if ranges.is_empty() || (must_meet(body, op) && !ranges.iter().all(|it| is_same(body, &it.1))) {
        return None;
    }
    let is_idle = is_idle(body, op, &ranges);
    let first = join(body, BinaryOp::Max, ranges.iter().filter_map(|it| it.1.first));
    let end = join(body, BinaryOp::Min, ranges.iter().filter_map(|it| it.1.end));
    Some(Plan { guards: ranges.into_iter().map(|it| it.0).collect(), first, end, is_idle })
}

fn returns(body: &Body, op: OpId) -> bool {
    ops_in(body, op).any(|it| body.ops[it].kind == OpKind::Return)
}

/// Returns true if the loop holds nothing but one guard without another arm, so that nothing happens where the guard is
/// false.
fn is_idle(body: &Body, op: OpId, ranges: &[(Guard, Range)]) -> bool {
    let ops = &body.blocks[loop_block(body, op)].ops;
    let [only] = ops.as_slice() else { return false };
    body.ops[*only].kind == OpKind::If
        && body.ops[*only].regions.len() == 1
        && ranges.iter().all(|(guard, range)| guard.op == *only && range.is_exact)
        && guards(body, *only).len() == ranges.len()
}

fn join(body: &mut Body, op: BinaryOp, all: impl Iterator<Item = ExprId>) -> Option<ExprId> {
    all.reduce(|a, b| fold(body, op, a, b))
}

/// Returns true if threads wait for each other in the loop, or exchange values.
fn must_meet(body: &Body, op: OpId) -> bool {
    let is_shared = |buffer| body.buffers[buffer].scope.is_shared();
    ops_in(body, op).any(|it| {
        let data = &body.ops[it];
        let stores = matches!(data.kind, OpKind::Store { buffer, .. } if is_shared(buffer));
        let mut found = stores || matches!(data.kind, OpKind::Attr(_));
        for &operand in &data.operands {
            super::edit::each_node(body, operand, &mut |at| {
                found |= match body.expr(at).kind {
                    ExprKind::Load { buffer, .. } => is_shared(buffer),
                    ExprKind::Call { instance, .. } => instance != 0,
                    _ => false,
                };
            });
        }
        found
    })
}

/// Returns true if the places are the same for all threads: made of constants and parameters.
fn is_same(body: &Body, range: &Range) -> bool {
    let mut same = true;
    for expr in [range.first, range.end].into_iter().flatten() {
        super::edit::each_node(body, expr, &mut |at| {
            if let ExprKind::Value(value) = body.expr(at).kind {
                same &= matches!(body.values[value].kind, ValueKind::Param(_) | ValueKind::Symbol);
            }
        });
    }
    same
}

/// `a op b`, computed if both are constants.
pub(super) fn fold(body: &mut Body, op: BinaryOp, a: ExprId, b: ExprId) -> ExprId {
    let (Some(x), Some(y)) = (constant(body, a), constant(body, b)) else {
        return match (constant(body, a), op, constant(body, b)) {
            (_, BinaryOp::Add | BinaryOp::Sub, Some(0)) => a,
            (_, BinaryOp::FloorDiv | BinaryOp::Mul, Some(1)) => a,
            (Some(0), BinaryOp::Add, _) => b,
            _ => body.binary(op, a, b),
        };
    };
    let (x, y) = (i128::from(x), i128::from(y));
    let value = match op {
        BinaryOp::Add => x + y,
        BinaryOp::Sub => x - y,
        BinaryOp::Mul => x * y,
        BinaryOp::Min => x.min(y),
        BinaryOp::Max => x.max(y),
        BinaryOp::FloorDiv if y > 0 => x.div_euclid(y),
        _ => return body.binary(op, a, b),
    };
    body.int(value, WIDE)
}

/// The loops that take the place of one.
fn split(body: &mut Body, op: OpId, plan: &Plan, origins: &mut Origins) -> Vec<OpId> {
    let list = new_list(body);
    let dtype = body.values[loop_var(body, op)].ty.prim().unwrap_or(WIDE);
    let (min, extent) = (body.ops[op].operands[0], body.ops[op].operands[1]);
    let (start, length) = (wide(body, min), wide(body, extent));
    let stop = fold(body, BinaryOp::Add, start, length);
    // A loop that runs no iteration stays one that runs none.
    let stop = fold(body, BinaryOp::Max, stop, start);
    let clamp = |body: &mut Body, at: ExprId, low: ExprId| {
        let at = fold(body, BinaryOp::Max, at, low);
        fold(body, BinaryOp::Min, at, stop)
    };
    let first = plan.first.map(|it| clamp(body, it, start));
    let first = first.map(|it| named(body, list, "first", it, dtype));
    let low = first.map_or(start, |it| wide(body, it));
    let end = plan.end.map(|it| clamp(body, it, low));
    let end = end.map(|it| named(body, list, "end", it, dtype));
    let high = end.map_or(stop, |it| wide(body, it));

    if first.is_some() && !plan.is_idle {
        part(body, op, list, (start, low, dtype), None, origins);
    }
    part(body, op, list, (low, high, dtype), Some(&plan.guards), origins);
    if end.is_some() && !plan.is_idle {
        part(body, op, list, (high, stop, dtype), None, origins);
    }
    take_list(body, list)
}

fn wide(body: &mut Body, expr: ExprId) -> ExprId {
    match constant(body, expr) {
        Some(value) => body.int(value.into(), WIDE),
        None => body.cast(expr, WIDE),
    }
}

/// A place in the loop in the type of its variable, which holds it.
fn narrow(body: &mut Body, expr: ExprId, dtype: DataType) -> ExprId {
    match (constant(body, expr), body.expr(expr).kind) {
        (Some(value), _) => body.int(value.into(), dtype),
        (None, ExprKind::Cast(of)) if body.dtype(of) == Some(dtype) => of,
        (None, _) => body.cast(expr, dtype),
    }
}

/// A name for a place in the loop, unless it is a constant.
fn named(body: &mut Body, list: BlockId, name: &str, expr: ExprId, dtype: DataType) -> ExprId {
    if let Some(value) = constant(body, expr) {
        return body.int(value.into(), dtype);
    }
    let value = narrow(body, expr, dtype);
    let op = body.push_op(list, OpKind::Bind, &[value]);
    let bound: ValueId = body.push_result(op, name, dtype.into());
    body.value_expr(bound)
}

/// A loop over a part of the iterations; `without` these guards.
fn part(
    body: &mut Body,
    op: OpId,
    list: BlockId,
    (from, to, dtype): (ExprId, ExprId, DataType),
    without: Option<&[Guard]>,
    origins: &mut Origins,
) {
    let (from, to) = (narrow(body, from, dtype), narrow(body, to, dtype));
    // Both are in the loop's range, so their distance is no more than its extent.
    let extent = fold(body, BinaryOp::Sub, to, from);
    let extent = narrow(body, extent, dtype);
    if constant(body, extent).is_some_and(|it| it <= 0) {
        return;
    }
    let new = body.push_op(list, body.ops[op].kind, &[from, extent]);
    origins.push((new, op));
    body.ops[new].attrs = body.ops[op].attrs;
    let region = body.push_region(new);
    let to = body.entry(region);
    let var = loop_var(body, op);
    let name = body.name(body.values[var].name).to_owned();
    let copy = body.new_block_arg(to, &name, dtype.into());
    let copy = body.value_expr(copy);
    // Guards are changed in the original for the time of the copy, so that it has them changed.
    let saved = guards::change(body, op, without.unwrap_or_default());
    let ops = body.blocks[loop_block(body, op)].ops.clone();
    Copier::with(var, copy).append(body, &ops, to, origins);
    guards::restore(body, saved);
    guards::open(body, new);
}

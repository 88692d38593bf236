//! An estimate of the work of a run, before it is tried: nodes × iterations × threads.
//!
//! A rule, not a promise: an extent that depends on loaded values counts as one iteration, loop variables count as
//! their first value. The interpreter's own limit of steps catches the rest.

use std::collections::BTreeMap;

use ir::{BinaryOp, Body, ExprId, ExprKind, ForKind, OpId, OpKind, RegionId, ValueId};

/// Values of symbols and scalar parameters.
pub(crate) type Symbols = BTreeMap<ValueId, i64>;

/// The value of an integer expression of constants and known symbols.
pub(crate) fn constant(body: &Body, symbols: &Symbols, expr: ExprId) -> Option<i64> {
    let of = |it: ExprId| constant(body, symbols, it);
    match body.expr(expr).kind {
        ExprKind::Int(value) => Some(value),
        ExprKind::Value(value) => symbols.get(&value).copied(),
        ExprKind::Cast(inner) => of(inner),
        ExprKind::Binary(op, a, b) => {
            let (a, b) = (of(a)?, of(b)?);
            match op {
                BinaryOp::Add => a.checked_add(b),
                BinaryOp::Sub => a.checked_sub(b),
                BinaryOp::Mul => a.checked_mul(b),
                BinaryOp::Min => Some(a.min(b)),
                BinaryOp::Max => Some(a.max(b)),
                BinaryOp::Div if b != 0 => a.checked_div(b),
                BinaryOp::FloorDiv if b > 0 => Some(a.div_euclid(b)),
                BinaryOp::FloorMod if b > 0 => Some(a.rem_euclid(b)),
                BinaryOp::Shl => u32::try_from(b).ok().and_then(|it| a.checked_shl(it)),
                BinaryOp::Shr => u32::try_from(b).ok().and_then(|it| a.checked_shr(it)),
                _ => None,
            }
        }
        _ => None,
    }
}

/// Nodes that a run evaluates, about; `max_trips` as in the options of a run.
pub(crate) fn estimate(body: &Body, symbols: &Symbols, max_trips: u32) -> u64 {
    let mut symbols = symbols.clone();
    region(body, &mut symbols, body.root, i64::from(max_trips))
}

fn region(body: &Body, symbols: &mut Symbols, id: RegionId, max_trips: i64) -> u64 {
    let ops = body.regions[id].blocks.iter().flat_map(|&it| body.blocks[it].ops.clone());
    let ops: Vec<OpId> = ops.collect();
    ops.into_iter()
        .fold(0, |sum: u64, op| sum.saturating_add(operation(body, symbols, op, max_trips)))
}

fn operation(body: &Body, symbols: &mut Symbols, op: OpId, max_trips: i64) -> u64 {
    let data = &body.ops[op];
    let own: u64 = data.operands.iter().map(|&it| u64::from(body.expr(it).size)).sum();
    let times = match data.kind {
        OpKind::For(kind) => {
            let first = constant(body, symbols, data.operands[0]).unwrap_or(0);
            let var = body.blocks[body.entry(data.regions[0])].args[0];
            symbols.insert(var, first);
            let limit = if kind == ForKind::Vectorized { i64::MAX } else { max_trips };
            constant(body, symbols, data.operands[1]).unwrap_or(1).clamp(0, limit)
        }
        OpKind::LaunchThread { var, tag } => {
            symbols.insert(var, 0);
            let limit = if tag.is_block() { max_trips } else { i64::MAX };
            constant(body, symbols, data.operands[0]).unwrap_or(1).clamp(0, limit)
        }
        _ => 1,
    };
    let inner: u64 = data
        .regions
        .iter()
        .fold(0, |sum: u64, &it| sum.saturating_add(region(body, symbols, it, max_trips)));
    own.saturating_add(inner.saturating_add(1).saturating_mul(times as u64))
}

//! The reducer of a block: the combiner and the start of each of its results.
//!
//! In: a block with an initialisation. Out: its results with their start and their combined value, and the combiner as
//! a function of two values each. A combiner is taken only if it gives the same in any order: `+`, `*`, `min`, `max`,
//! logic and bits, each result for itself (sums and products of floats up to rounding, `SEMANTICS: F3`; extrema up to
//! NaN and signed zeros, `F6`), and the pair of an extremum and its least index, where ties are decided by the index. A
//! start must be neutral, or harmless however often it is combined.

use ir::{
    BinaryOp, Body, BufferId, DataType, ExprId, ExprKind, ExprListId, OpId, OpKind, RegionId, Type,
    substitution::Substitution,
};

use super::{super::edit::each_node, refusal};
use crate::LowerRefusal;

/// One result of a reduction.
#[derive(Clone, Debug)]
pub(super) struct Component {
    pub(super) buffer: BufferId,
    pub(super) indices: Vec<ExprId>,
    pub(super) dtype: DataType,
    /// A constant.
    pub(super) start: ExprId,
    /// The value that the block stores, as a function of the old value.
    pub(super) update: ExprId,
    how: How,
}

/// How a result is combined with a new value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum How {
    /// `x op y`, or `y op x`.
    Each { op: BinaryOp, is_swapped: bool },
    /// The index of the extremum in another result.
    IndexOf { value: usize, op: BinaryOp },
    /// The extremum with an index in another result.
    Extremum { op: BinaryOp },
}

/// The results of a block, or why they are none.
pub(super) fn components(
    body: &mut Body,
    main: RegionId,
    init: RegionId,
) -> Result<Vec<Component>, LowerRefusal> {
    let updates = stores(body, main)?;
    let starts = stores(body, init)?;
    if updates.is_empty() || starts.len() != updates.len() {
        return Err(refusal("initialises other results than it computes"));
    }
    let mut components = Vec::new();
    for &(buffer, list, update) in &updates {
        let Some(&(.., start)) = starts.iter().find(|it| it.0 == buffer && it.1 == list) else {
            return Err(refusal("initialises other elements than it computes"));
        };
        let Some(dtype) = body.dtype(update).filter(|it| *it == body.buffers[buffer].dtype) else {
            return Err(refusal("converts its result"));
        };
        if !dtype.is_scalar() || body.dtype(start) != Some(dtype) {
            return Err(refusal("is of vectors or converts its start"));
        }
        if !body.expr(start).is_constant() {
            return Err(refusal("starts with a value that is no constant"));
        }
        let indices = body.items(list).to_vec();
        let how = How::Extremum { op: BinaryOp::Eq };
        components.push(Component { buffer, indices, dtype, start, update, how });
    }
    if !classify_each(body, &mut components)? && !classify_pair(body, &mut components) {
        return Err(refusal("combines values in a way that is not known to be free of order"));
    }
    Ok(components)
}

/// The stores of a region of bindings and stores, with bindings substituted. A value must not depend on an earlier
/// store.
fn stores(
    body: &mut Body,
    region: RegionId,
) -> Result<Vec<(BufferId, ExprListId, ExprId)>, LowerRefusal> {
    let ops: Vec<OpId> = body.blocks[body.entry(region)].ops.clone();
    let mut bound = Substitution::default();
    let mut found: Vec<(BufferId, ExprListId, ExprId)> = Vec::new();
    for op in ops {
        let operands = body.ops[op].operands.to_vec();
        let sees_a_store = operands.iter().any(|&it| {
            found.iter().any(|&(buffer, ..)| uses_of(body, it, buffer).next().is_some())
        });
        match body.ops[op].kind {
            _ if sees_a_store => return Err(refusal("reads a result after it is written")),
            OpKind::Bind if body.ops[op].regions.is_empty() => {
                let value = bound.apply(body, operands[0]);
                if body.expr(value).flags.has_impure {
                    return Err(refusal("calls something with an effect"));
                }
                bound.add(body.ops[op].results[0], value);
            }
            OpKind::Store { buffer, predicated: false } => {
                let value = bound.apply(body, operands[0]);
                let indices: Vec<ExprId> =
                    operands[1..].iter().map(|&it| bound.apply(body, it)).collect();
                if found.iter().any(|it| it.0 == buffer) || body.expr(value).flags.has_impure {
                    return Err(refusal("writes one result twice, or has effects"));
                }
                found.push((buffer, body.list(&indices), value));
            }
            _ => return Err(refusal("does more than bind and store values")),
        }
    }
    Ok(found)
}

/// The indices of all uses of a buffer in an expression; none in an entry for a use that is no plain load.
fn uses_of(
    body: &Body,
    expr: ExprId,
    buffer: BufferId,
) -> impl Iterator<Item = Option<ExprListId>> + use<> {
    let mut uses = Vec::new();
    each_node(body, expr, &mut |at| match body.expr(at).kind {
        ExprKind::Load { buffer: it, indices, predicate: None } if it == buffer => {
            uses.push(Some(indices));
        }
        ExprKind::Load { buffer: it, .. }
        | ExprKind::Region(it, _)
        | ExprKind::Buffer(it)
        | ExprKind::BufferField(it, _)
            if it == buffer =>
        {
            uses.push(None);
        }
        _ => {}
    });
    uses.into_iter()
}

fn is_free_of(body: &Body, expr: ExprId, components: &[Component]) -> bool {
    components.iter().all(|it| uses_of(body, expr, it.buffer).next().is_none())
}

/// Returns true if `expr` is the element that a component accumulates in.
fn is_element(body: &Body, expr: ExprId, component: &Component) -> bool {
    matches!(body.expr(expr).kind,
        ExprKind::Load { buffer, indices, predicate: None }
            if buffer == component.buffer && *body.items(indices) == component.indices[..])
}

/// Every result for itself: `C = C op e`.
fn classify_each(body: &Body, components: &mut [Component]) -> Result<bool, LowerRefusal> {
    let mut hows = Vec::new();
    for component in &*components {
        let ExprKind::Binary(op, a, b) = body.expr(component.update).kind else { return Ok(false) };
        let (is_swapped, rest) =
            if is_element(body, a, component) { (false, b) } else { (true, a) };
        if is_swapped && !is_element(body, b, component) || !is_free_of(body, rest, components) {
            return Ok(false);
        }
        if !is_neutral(body, op, component.start) {
            return Err(refusal("starts with a value that is not neutral"));
        }
        hows.push(How::Each { op, is_swapped });
    }
    for (component, how) in components.iter_mut().zip(hows) {
        component.how = how;
    }
    Ok(true)
}

/// Returns true if combining the start any number of times changes nothing, for an operator that is independent of
/// order.
fn is_neutral(body: &Body, op: BinaryOp, start: ExprId) -> bool {
    let is = |value: f64| match body.expr(start).kind {
        ExprKind::Int(it) => it as f64 == value,
        ExprKind::Float(bits) => f64::from_bits(bits) == value,
        _ => false,
    };
    match op {
        BinaryOp::Add | BinaryOp::BitXor => is(0.0),
        BinaryOp::Mul => is(1.0),
        // Once or many times is the same.
        BinaryOp::Min
        | BinaryOp::Max
        | BinaryOp::And
        | BinaryOp::Or
        | BinaryOp::BitAnd
        | BinaryOp::BitOr => true,
        _ => false,
    }
}

/// An extremum and its least index: `V = V > e ? V : e`, `I = V > e or V == e and I < i ? I : i`.
fn classify_pair(body: &Body, components: &mut [Component]) -> bool {
    let &mut [ref a, ref b] = components else { return false };
    for (index, value) in [(0, 1), (1, 0)] {
        let (i, v) = if index == 0 { (a, b) } else { (b, a) };
        if let Some(op) = pair(body, i, v) {
            components[index].how = How::IndexOf { value, op };
            components[value].how = How::Extremum { op };
            return true;
        }
    }
    false
}

/// The comparison of an extremum with its index.
fn pair(body: &Body, index: &Component, value: &Component) -> Option<BinaryOp> {
    let both = [index.clone(), value.clone()];
    let binary = |expr: ExprId| match body.expr(expr).kind {
        ExprKind::Binary(op, a, b) => Some((op, a, b)),
        _ => None,
    };
    let ExprKind::Select(chosen, old, new) = body.expr(value.update).kind else { return None };
    let (op, a, b) = binary(chosen)?;
    let is_order = matches!(op, BinaryOp::Lt | BinaryOp::Gt);
    if !is_order || !is_element(body, old, value) || a != old || b != new {
        return None;
    }
    let ExprKind::Select(earlier, old_index, new_index) = body.expr(index.update).kind else {
        return None;
    };
    let (BinaryOp::Or, better, tie) = binary(earlier)? else { return None };
    let (BinaryOp::And, same, before) = binary(tie)? else { return None };
    let fits = is_element(body, old_index, index)
        && better == chosen
        && binary(same)? == (BinaryOp::Eq, old, new)
        && binary(before)? == (BinaryOp::Lt, old_index, new_index)
        && is_free_of(body, new, &both)
        && is_free_of(body, new_index, &both)
        && index.dtype.is_integer();
    fits.then_some(op)
}

/// `T.comm_reducer(lambda x…, y…: combined…, [start…])`
pub(super) fn comm_reducer(body: &mut Body, components: &[Component]) -> ExprId {
    let n = components.len();
    let bound = |body: &mut Body, at: usize, dtype: DataType| {
        body.make(ExprKind::Bound((2 * n - 1 - at) as u32), dtype.into())
    };
    let mut combined = Vec::new();
    for (at, component) in components.iter().enumerate() {
        let x = bound(body, at, component.dtype);
        let y = bound(body, n + at, component.dtype);
        combined.push(match component.how {
            How::Each { op, is_swapped: false } => body.binary(op, x, y),
            How::Each { op, is_swapped: true } => body.binary(op, y, x),
            How::Extremum { op } => {
                let chosen = body.binary(op, x, y);
                body.select(chosen, x, y)
            }
            How::IndexOf { value, op } => {
                let dtype = components[value].dtype;
                let (old, new) = (bound(body, value, dtype), bound(body, n + value, dtype));
                let better = body.binary(op, old, new);
                let same = body.binary(BinaryOp::Eq, old, new);
                let before = body.binary(BinaryOp::Lt, x, y);
                let tie = body.binary(BinaryOp::And, same, before);
                let chosen = body.binary(BinaryOp::Or, better, tie);
                body.select(chosen, x, y)
            }
        });
    }
    let handle: Type = DataType::HANDLE.into();
    let result = match combined[..] {
        [one] => one,
        _ => {
            let list = body.list(&combined);
            body.make(ExprKind::Tuple(list), handle)
        }
    };
    let lambda = body.make(ExprKind::Lambda { params: 2 * n as u32, body: result }, handle);
    let names = (0..2 * n).map(|it| format!("{}{}", if it < n { "x" } else { "y" }, it % n));
    let names: Vec<_> = names.map(|it| body.intern(&it)).collect();
    body.set_binder_names(lambda, names);
    let starts: Vec<ExprId> = components.iter().map(|it| it.start).collect();
    let starts = body.list(&starts);
    let starts = body.make(ExprKind::Tuple(starts), handle);
    let callee = body.intrinsic(ir::Intrinsic::CommReducer);
    body.call(callee, &[lambda, starts], Body::no_attrs(), handle, false)
}

//! Lists of operations with some of them replaced, and expressions rebuilt everywhere: the base of the passes over
//! loops and memory.
//!
//! Everything is done in place, inner lists before outer ones, so that a pass sees its results for the inner loops.
//! Each node once; no recursion.

use ir::{BlockId, Body, DataType, ExprId, ExprKind, OpId, walk::WalkEvent};
use rustc_hash::FxHashMap;

use super::edit::{map_expr, map_op};

/// The integer that an expression is, if it is a constant.
pub(super) fn constant(body: &Body, expr: ExprId) -> Option<i64> {
    match body.expr(expr).kind {
        ExprKind::Int(value) => Some(value),
        _ => None,
    }
}

/// The operations of a function, each after those in its regions.
pub(super) fn post_order(body: &Body) -> Vec<OpId> {
    let leave = |event| match event {
        WalkEvent::Leave(op) => Some(op),
        _ => None,
    };
    body.walk(body.root).filter_map(leave).collect()
}

/// All blocks of the regions of an operation.
pub(super) fn blocks_of(body: &Body, op: OpId) -> Vec<BlockId> {
    body.ops[op].regions.iter().flat_map(|&it| body.regions[it].blocks.iter().copied()).collect()
}

/// All operations in the regions of an operation, in program order.
pub(super) fn ops_in(body: &Body, op: OpId) -> impl Iterator<Item = OpId> + '_ {
    let regions = body.ops[op].regions.iter();
    regions.flat_map(|&it| body.walk(it)).filter_map(|event| match event {
        WalkEvent::Enter(op) => Some(op),
        _ => None,
    })
}

/// Puts other operations in the place of those that have some, in one block.
pub(super) fn splice(body: &mut Body, block: BlockId, places: &mut FxHashMap<OpId, Vec<OpId>>) {
    if places.is_empty() || !body.blocks[block].ops.iter().any(|it| places.contains_key(it)) {
        return;
    }
    let mut list = Vec::new();
    for op in std::mem::take(&mut body.blocks[block].ops) {
        match places.remove(&op) {
            Some(others) => list.extend(others),
            None => list.push(op),
        }
    }
    for &op in &list {
        body.ops[op].parent = block;
    }
    body.blocks[block].ops = list;
}

/// Calls `decide` for each operation after those in its regions; its result replaces the operation, and is visible to
/// the operation around.
pub(super) fn replace_ops<E>(
    body: &mut Body,
    mut decide: impl FnMut(&mut Body, OpId) -> Result<Option<Vec<OpId>>, E>,
) -> Result<(), E> {
    let mut places: FxHashMap<OpId, Vec<OpId>> = FxHashMap::default();
    for op in post_order(body) {
        for block in blocks_of(body, op) {
            splice(body, block, &mut places);
        }
        if let Some(others) = decide(body, op)? {
            places.insert(op, others);
        }
    }
    let root = body.regions[body.root].blocks.to_vec();
    for block in root {
        splice(body, block, &mut places);
    }
    Ok(())
}

/// A block that is in no region: where new operations are made before they have a place.
pub(super) fn new_list(body: &mut Body) -> BlockId {
    let region = body.new_region(None);
    body.entry(region)
}

/// The operations of a block that was made by [`new_list`].
pub(super) fn take_list(body: &mut Body, block: BlockId) -> Vec<OpId> {
    std::mem::take(&mut body.blocks[block].ops)
}

/// Rebuilds the evaluated expressions of all operations, from the leaves up; see [`map_expr`].
pub(super) fn rebuild_operands(body: &mut Body, node: &mut dyn FnMut(&mut Body, ExprId) -> ExprId) {
    let mut memo = FxHashMap::default();
    let ops: Vec<OpId> = body.ops_preorder().collect();
    for op in ops {
        map_op(body, op, &mut |body, expr| map_expr(body, expr, &mut memo, node));
    }
}

/// An integer type that can count the elements of every buffer.
pub(super) const WIDE: DataType = DataType::INT64;

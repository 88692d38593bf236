//! Loop-carried values and block arguments, with everything that is removed together with one of them.
//!
//! In: a body. Out: [`CarriedValue`] values, those of one loop or block together, in the order of its arguments. The
//! planner, the rewriter and the text edits all go by this list. It contains only values with one form of text: values
//! that `scf.for` carries, and arguments of blocks that are reached by `cf.br` and `cf.cond_br` only.
//! O(operations + their operands).

use rustc_hash::FxHashMap;

use crate::{BlockId, Body, ExprKind, NameId, OpId, OpKind, RegionKind, ValueId, known_ops};

/// A loop-carried value, or a block argument.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CarriedValue {
    /// The argument of the block that takes it.
    pub argument: ValueId,
    /// Its number among the arguments of its block.
    pub index: u32,
    /// The block.
    pub block: BlockId,
    /// The loop, and its result.
    pub result: Option<(OpId, ValueId)>,
    /// The sources of the value, one for each incoming edge: operations, and the index among their operands and the
    /// arguments of their successors.
    pub ways: Vec<(OpId, u32)>,
    /// The last operation of the block.
    pub end: OpId,
}

/// Returns all loop-carried values and block arguments of a body.
pub fn carried_values(body: &Body) -> Vec<CarriedValue> {
    let mut res = Vec::new();
    for region in body.regions.ids() {
        let data = &body.regions[region];
        if data.blocks.len() > 1 && data.kind == RegionKind::Ssa {
            of_blocks(body, &data.blocks, &mut res);
        }
    }
    for (op, data) in body.ops.iter() {
        if !data.results.is_empty() && is_named(body, op, known_ops::SCF_FOR) {
            of_loop(body, op, &mut res);
        }
    }
    res
}

/// The value at an operand, counted as in [`CarriedValue::ways`].
pub fn operand_at(body: &Body, (op, at): (OpId, u32)) -> Option<ValueId> {
    let data = &body.ops[op];
    let args = data.successors.iter().flat_map(|it| body.items(it.args));
    let operand = data.operands.iter().chain(args).nth(at as usize)?;
    match body.expr(*operand).kind {
        ExprKind::Value(value) => Some(value),
        _ => None,
    }
}

fn is_named(body: &Body, op: OpId, name: NameId) -> bool {
    body.ops[op].kind == OpKind::Named(name)
}

fn of_loop(body: &Body, op: OpId, out: &mut Vec<CarriedValue>) {
    let data = &body.ops[op];
    let n = data.results.len();
    let [region] = data.regions[..] else { return };
    let [block] = body.regions[region].blocks[..] else { return };
    let Some(&end) = body.blocks[block].ops.last() else { return };
    let args = &body.blocks[block].args;
    // The bounds and the step come first, and the variable.
    let has_all = data.operands.len() == n + 3
        && args.len() == n + 1
        && body.ops[end].operands.len() == n
        && is_named(body, end, known_ops::SCF_YIELD);
    if !has_all {
        return;
    }
    for at in 0..n {
        out.push(CarriedValue {
            argument: args[at + 1],
            index: at as u32 + 1,
            block,
            result: Some((op, data.results[at])),
            ways: vec![(op, at as u32 + 3), (end, at as u32)],
            end,
        });
    }
}

fn of_blocks(body: &Body, blocks: &[BlockId], out: &mut Vec<CarriedValue>) {
    // By block: the branches to it with the number of the first operand that they hand over; none if there are others.
    let mut ways: FxHashMap<BlockId, Option<Vec<(OpId, u32)>>> = FxHashMap::default();
    for &from in blocks {
        let Some(&end) = body.blocks[from].ops.last() else { continue };
        let is_known =
            is_named(body, end, known_ops::CF_BR) || is_named(body, end, known_ops::CF_COND_BR);
        let mut first = body.ops[end].operands.len() as u32;
        for successor in &body.ops[end].successors {
            let n = body.items(successor.args).len();
            let entry = ways.entry(successor.block).or_insert_with(|| Some(Vec::new()));
            match entry {
                Some(all) if is_known && n == body.blocks[successor.block].args.len() => {
                    all.push((end, first));
                }
                _ => *entry = None,
            }
            first += n as u32;
        }
    }
    // The first block is also entered from outside.
    for &block in &blocks[1..] {
        let (Some(Some(ways)), Some(&end)) = (ways.get(&block), body.blocks[block].ops.last())
        else {
            continue;
        };
        for (at, &argument) in (0..).zip(&body.blocks[block].args) {
            let ways = ways.iter().map(|&(op, first)| (op, first + at)).collect();
            out.push(CarriedValue { argument, index: at, block, result: None, ways, end });
        }
    }
}

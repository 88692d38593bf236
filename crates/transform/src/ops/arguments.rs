//! Block arguments that always equal another value.
//!
//! In: a body. Out: arguments and what they equal: another argument of the block that gets the same value on every way in, or the one value that comes on
//! every way in. A value that an argument hands to itself around a loop says nothing. O(branches · their operands), at most
//! [`MAX_ROUNDS`] times.

use ir::{BlockId, Body, OpId, RegionId, RegionKind, ValueId, dominators};
use rustc_hash::FxHashMap;

use super::{labels::value_of, summary::Replaced};

const MAX_ROUNDS: usize = 4;

/// An argument and its equal, with the last operation of its block.
pub(super) struct EqualArgument {
    pub(super) op: OpId,
    pub(super) argument: ValueId,
    pub(super) value: ValueId,
}

/// The ways into a block: the values of its arguments, way by way.
type Ways = Vec<Vec<ValueId>>;

/// Finds them and replaces them.
pub(super) fn find(body: &Body, replaced: &mut Replaced) -> Vec<EqualArgument> {
    let mut found = Vec::new();
    let regions = body
        .regions
        .iter()
        .filter(|(_, region)| region.blocks.len() > 1 && region.kind == RegionKind::Ssa);
    for (region, _) in regions {
        let ways = ways_into(body, region);
        let order = dominators::reverse_post_order(body, body.regions[region].blocks[0]);
        for _ in 0..MAX_ROUNDS {
            let n_before = found.len();
            for block in &order {
                if let Some(ways) = ways.get(block) {
                    in_block(body, *block, ways, replaced, &mut found);
                }
            }
            if found.len() == n_before {
                break;
            }
        }
    }
    found
}

/// By block: the ways in, unless one of them hands over something that has no operand.
fn ways_into(body: &Body, region: RegionId) -> FxHashMap<BlockId, Ways> {
    let mut ways: FxHashMap<BlockId, Option<Ways>> = FxHashMap::default();
    for &from in &body.regions[region].blocks {
        let Some(&last) = body.blocks[from].ops.last() else { continue };
        for successor in &body.ops[last].successors {
            let args = body.items(successor.args).iter();
            let values: Option<Vec<ValueId>> = args.map(|&it| value_of(body, it)).collect();
            let n = body.blocks[successor.block].args.len();
            let entry = ways.entry(successor.block).or_insert_with(|| Some(Ways::new()));
            match values.filter(|it| it.len() == n) {
                Some(values) => {
                    if let Some(ways) = entry {
                        ways.push(values);
                    }
                }
                None => *entry = None,
            }
        }
    }
    ways.into_iter().filter_map(|(block, ways)| Some((block, ways?))).collect()
}

fn in_block(
    body: &Body,
    block: BlockId,
    ways: &Ways,
    replaced: &mut Replaced,
    found: &mut Vec<EqualArgument>,
) {
    let args = &body.blocks[block].args;
    let Some(&op) = body.blocks[block].ops.last() else { return };
    let mut by_values: FxHashMap<Vec<Option<ValueId>>, ValueId> = FxHashMap::default();
    for (at, &argument) in args.iter().enumerate() {
        if replaced.get(argument) != argument {
            continue;
        }
        let values: Vec<Option<ValueId>> = ways
            .iter()
            .map(|way| Some(replaced.get(way[at])).filter(|it| *it != argument))
            .collect();
        let mut distinct = values.iter().flatten();
        let first = distinct.next().copied();
        let one = first.filter(|first| distinct.all(|it| it == first));
        let equal = match one {
            Some(value) => Some(value),
            None if first.is_none() => None,
            None => by_values
                .get(&values)
                .copied()
                .filter(|it| body.values[*it].ty == body.values[argument].ty),
        };
        match equal {
            Some(value) => {
                replaced.set(argument, value);
                found.push(EqualArgument { op, argument, value });
            }
            None => {
                by_values.entry(values).or_insert(argument);
            }
        }
    }
}

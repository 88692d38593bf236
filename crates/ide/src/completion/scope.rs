//! The values and blocks that can be named at a place of a unit.

use frontend::ops::OpSourceMap;
use ir::{BlockId, Body, OpId, RegionId, RegionKind, ValueId, dominators::Dominators};
use syntax::TextSize;

/// A place in a region.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place {
    pub(super) region: RegionId,
    block: BlockId,
    offset: TextSize,
}

impl Place {
    /// The innermost region around an offset of a unit, and the block there.
    pub(super) fn at(body: &Body, map: &OpSourceMap, offset: TextSize) -> Option<Place> {
        let mut op = map.op_at(body, offset);
        let mut region = body.root;
        while let Some(at) = op {
            let is_around = |it: &RegionId| {
                let range = map.region(*it);
                range.start() < offset && offset < range.end()
            };
            if let Some(found) = body.ops[at].regions.iter().copied().find(is_around) {
                region = found;
                break;
            }
            op = body.parent_op(at);
        }
        let starts_before = |it: &BlockId| {
            let label = map.label(*it);
            let first = body.blocks[*it].ops.first().map(|it| map.op(*it).start());
            let start = if label.is_empty() { first } else { Some(label.start()) };
            start.is_some_and(|it| it <= offset)
        };
        let blocks = &body.regions[region].blocks;
        let block =
            blocks.iter().copied().rfind(starts_before).or_else(|| blocks.first().copied())?;
        Some(Place { region, block, offset })
    }

    /// The place of the operation around the region.
    fn outside(self, body: &Body, map: &OpSourceMap, op: OpId) -> Place {
        let block = body.ops[op].parent;
        Place { region: body.blocks[block].parent, block, offset: map.op(op).start() }
    }
}

/// The values that can be used at a place, the nearest first: those of the block before it, of the blocks that dominate
/// it, and of the regions around, up to an operation that `is_isolated`. O(operations of those regions).
pub(super) fn values(
    body: &Body,
    map: &OpSourceMap,
    mut at: Place,
    is_isolated: &dyn Fn(OpId) -> bool,
) -> Vec<ValueId> {
    let mut found = Vec::new();
    loop {
        let is_graph = body.regions[at.region].kind == RegionKind::Graph;
        let dominators = Dominators::compute(body, at.region);
        let mut block = Some(at.block);
        while let Some(of) = block {
            let data = &body.blocks[of];
            let is_visible =
                |it: &&OpId| is_graph || of != at.block || map.op(**it).end() < at.offset;
            let visible = data.ops.iter().rev().filter(is_visible);
            found.extend(visible.flat_map(|it| body.ops[*it].results.iter().copied()));
            found.extend(data.args.iter().copied());
            block = dominators.parent(of);
        }
        match body.regions[at.region].parent {
            Some(op) if !is_isolated(op) => at = at.outside(body, map, op),
            _ => return found,
        }
    }
}

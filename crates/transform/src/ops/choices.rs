//! Values that are one of several, by the way on which control came: arguments of blocks, and what structured loops and
//! choices yield.
//!
//! In: a body. Out: [`Choice`]s, those of one place together. Places are
//!
//! * a block with branches to it: a way for each branch;
//! * the body of `scf.for` and `affine.for`, and its results: the initial and the yielded values;
//! * the two regions of `scf.while` and its results;
//! * the results of `scf.if`, `affine.if` and `scf.index_switch`: a way for each region.
//!
//! A place of which something is not as expected (a terminator of another name, other numbers of values) has none.
//! O(operations + their operands).

use ir::{
    BlockId, Body, NameId, OpId, OpKind, RegionId, RegionKind, Type, ValueId, dominators,
    known_ops, plan::ops::OpActionKind,
};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use super::op_traits::value_of;

/// Values by the way, in the order of the ways.
pub(super) type Ways = SmallVec<[ValueId; 2]>;

/// A value that is one of several.
pub(super) struct Choice {
    pub(super) value: ValueId,
    pub(super) ty: Type,
    /// Choices of one place come by the same ways at the same time.
    pub(super) place: u32,
    pub(super) ways: Ways,
    /// The operation where an action about it is reported.
    pub(super) op: OpId,
    pub(super) kind: OpActionKind,
    /// True if the values of all incoming edges are visible at the choice.
    pub(super) sees_its_ways: bool,
}

/// The choices of a body.
pub(super) fn collect(body: &Body) -> Vec<Choice> {
    let mut found = Collector { body, choices: Vec::new(), n_places: 0 };
    let has_blocks = |it: &&RegionId| {
        let region = &body.regions[**it];
        region.blocks.len() > 1 && region.kind == RegionKind::Ssa
    };
    let regions: Vec<RegionId> = body.regions.ids().collect();
    for &region in regions.iter().filter(has_blocks) {
        found.blocks(region);
    }
    for (op, data) in body.ops.iter() {
        if !data.regions.is_empty()
            && let OpKind::Named(name) = data.kind
        {
            found.structured(op, Structure::of(name));
        }
    }
    found.choices
}

/// How an operation with regions hands values on.
#[derive(Clone, Copy)]
enum Structure {
    None,
    For(NameId),
    While,
    /// Of several regions one runs.
    OneOf(NameId),
}

impl Structure {
    fn of(name: NameId) -> Structure {
        match name {
            known_ops::SCF_FOR => Structure::For(known_ops::SCF_YIELD),
            known_ops::AFFINE_FOR => Structure::For(known_ops::AFFINE_YIELD),
            known_ops::SCF_WHILE => Structure::While,
            known_ops::SCF_IF | known_ops::SCF_INDEX_SWITCH => {
                Structure::OneOf(known_ops::SCF_YIELD)
            }
            known_ops::AFFINE_IF => Structure::OneOf(known_ops::AFFINE_YIELD),
            _ => Structure::None,
        }
    }
}

struct Collector<'a> {
    body: &'a Body,
    choices: Vec<Choice>,
    n_places: u32,
}

impl Collector<'_> {
    /// Adds the choices of a place: `values` by the ways, of which each has as many.
    fn place(
        &mut self,
        values: &[ValueId],
        ways: &[SmallVec<[ValueId; 4]>],
        op: OpId,
        kind: OpActionKind,
        sees_its_ways: bool,
    ) {
        if values.is_empty() || ways.is_empty() || ways.iter().any(|it| it.len() != values.len()) {
            return;
        }
        for (at, &value) in values.iter().enumerate() {
            self.choices.push(Choice {
                value,
                ty: self.body.values[value].ty,
                place: self.n_places,
                ways: ways.iter().map(|it| it[at]).collect(),
                op,
                kind,
                sees_its_ways,
            });
        }
        self.n_places += 1;
    }

    fn blocks(&mut self, region: RegionId) {
        let body = self.body;
        let ways = ways_into(body, region);
        for block in dominators::reverse_post_order(body, body.regions[region].blocks[0]) {
            if let Some(ways) = ways.get(&block)
                && let Some(&last) = body.blocks[block].ops.last()
            {
                let kind = OpActionKind::EqualArguments;
                self.place(&body.blocks[block].args, ways, last, kind, true);
            }
        }
    }

    fn structured(&mut self, op: OpId, kind: Structure) {
        let carried = OpActionKind::EqualCarried;
        let data = &self.body.ops[op];
        let results = &data.results[..];
        match kind {
            Structure::None => {}
            Structure::For(end) => {
                let [region] = data.regions[..] else { return };
                let Some((body, yielded)) = self.end(region, end) else { return };
                let inits = self.values(&data.operands);
                let args = &self.body.blocks[body].args[..];
                let n = results.len();
                let Some(inits) = inits.filter(|it| it.len() >= n) else { return };
                let Some((_, iterated)) = args.split_first() else { return };
                let ways = [inits[inits.len() - n..].into(), yielded];
                let Some(&last) = self.body.blocks[body].ops.last() else { return };
                if iterated.len() == n {
                    self.place(iterated, &ways, last, carried, true);
                    self.place(results, &ways, op, carried, true);
                }
            }
            Structure::While => {
                let [before, after] = data.regions[..] else { return };
                let Some((first, mut handed)) = self.end(before, known_ops::SCF_CONDITION) else {
                    return;
                };
                let Some((second, yielded)) = self.end(after, known_ops::SCF_YIELD) else { return };
                let Some(inits) = self.values(&data.operands) else { return };
                let body = self.body;
                let (Some(&ends_first), Some(&ends_second)) =
                    (body.blocks[first].ops.last(), body.blocks[second].ops.last())
                else {
                    return;
                };
                if handed.is_empty() {
                    return;
                }
                // The condition itself.
                handed.remove(0);
                let args = &body.blocks[first].args;
                self.place(args, &[inits, yielded], ends_first, carried, true);
                let args = &body.blocks[second].args;
                self.place(args, &[handed.clone()], ends_second, carried, false);
                self.place(results, &[handed], op, carried, false);
            }
            Structure::OneOf(end) => {
                let ends = data.regions.iter().map(|&it| Some(self.end(it, end)?.1));
                let Some(ways) = ends.collect::<Option<Vec<_>>>() else { return };
                self.place(results, &ways, op, carried, ways.len() > 1);
            }
        }
    }

    /// The block of a region of one, and what its terminator of this name yields.
    fn end(&self, region: RegionId, name: NameId) -> Option<(BlockId, SmallVec<[ValueId; 4]>)> {
        let [block] = self.body.regions[region].blocks[..] else { return None };
        let &last = self.body.blocks[block].ops.last()?;
        match self.body.ops[last].kind {
            OpKind::Named(it) if it == name => {
                Some((block, self.values(&self.body.ops[last].operands)?))
            }
            _ => None,
        }
    }

    fn values(&self, operands: &[ir::ExprId]) -> Option<SmallVec<[ValueId; 4]>> {
        operands.iter().map(|&it| value_of(self.body, it)).collect()
    }
}

/// By block: the incoming values of its arguments edge by edge, unless an edge passes a value without an operand.
fn ways_into(body: &Body, region: RegionId) -> FxHashMap<BlockId, Vec<SmallVec<[ValueId; 4]>>> {
    let mut ways: FxHashMap<BlockId, Option<Vec<_>>> = FxHashMap::default();
    for &from in &body.regions[region].blocks {
        let Some(&last) = body.blocks[from].ops.last() else { continue };
        for successor in &body.ops[last].successors {
            let args = body.items(successor.args).iter();
            let values: Option<SmallVec<[ValueId; 4]>> =
                args.map(|&it| value_of(body, it)).collect();
            let n = body.blocks[successor.block].args.len();
            let entry = ways.entry(successor.block).or_insert_with(|| Some(Vec::new()));
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

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
//! Each way says from where control comes, so that what is known there is known of the value. O(operations + their
//! operands).

use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use crate::{
    BlockId, Body, ExprKind, NameId, OpId, OpKind, RegionId, RegionKind, Type, ValueId, dominators,
    known_ops, plan::ops::OpActionKind,
};

/// Values by the way, in the order of the ways.
pub type Ways = SmallVec<[ValueId; 2]>;

/// A value that is one of several.
#[derive(Clone, Debug)]
pub struct Choice {
    /// The value.
    pub value: ValueId,
    /// Its type.
    pub ty: Type,
    /// Choices of one place come by the same ways at the same time.
    pub place: u32,
    /// The incoming values.
    pub ways: Ways,
    /// Where each of them comes from.
    pub from: SmallVec<[Way; 2]>,
    /// The operation where an action about it is reported.
    pub op: OpId,
    /// The kind of that action.
    pub kind: OpActionKind,
    /// True if the values of all incoming edges are visible at the choice.
    pub sees_its_ways: bool,
}

/// The point from which control comes with an incoming value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Way {
    /// The operation that hands the value on: the one with the regions, or a terminator.
    pub op: OpId,
    /// The case that holds there besides.
    pub step: Step,
    /// True if control comes back to the place: it was there before on every such way of structured loops, and on some
    /// of blocks.
    pub is_back: bool,
}

/// The way on from an operation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Step {
    /// It is the only one.
    Only,
    /// A branch to its successor of this number.
    Successor(usize),
    /// Its first operand, a condition, has this value.
    Condition(bool),
}

/// The choices of a body, those of operations after those of blocks, each in their order.
pub fn collect(body: &Body) -> Vec<Choice> {
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
        ways: &[(Way, SmallVec<[ValueId; 4]>)],
        op: OpId,
        kind: OpActionKind,
        sees_its_ways: bool,
    ) {
        if values.is_empty() || ways.is_empty() || ways.iter().any(|it| it.1.len() != values.len())
        {
            return;
        }
        for (at, &value) in values.iter().enumerate() {
            self.choices.push(Choice {
                value,
                ty: self.body.values[value].ty,
                place: self.n_places,
                ways: ways.iter().map(|it| it.1[at]).collect(),
                from: ways.iter().map(|it| it.0).collect(),
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
                let Some(&last) = self.body.blocks[body].ops.last() else { return };
                let ways = [(only(op), inits[inits.len() - n..].into()), (back(last), yielded)];
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
                let ways = [(only(op), inits), (back(ends_second), yielded)];
                self.place(args, &ways, ends_first, carried, true);
                let args = &body.blocks[second].args;
                let on = |holds| Way { step: Step::Condition(holds), ..only(ends_first) };
                self.place(args, &[(on(true), handed.clone())], ends_second, carried, false);
                self.place(results, &[(on(false), handed)], op, carried, false);
            }
            Structure::OneOf(end) => {
                let ends = data.regions.iter().map(|&it| {
                    let (block, values) = self.end(it, end)?;
                    Some((only(*self.body.blocks[block].ops.last()?), values))
                });
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

    fn values(&self, operands: &[crate::ExprId]) -> Option<SmallVec<[ValueId; 4]>> {
        operands.iter().map(|&it| value_of(self.body, it)).collect()
    }
}

/// The way on from an operation that has one.
fn only(op: OpId) -> Way {
    Way { op, step: Step::Only, is_back: false }
}

/// The way back from the end of a loop.
fn back(op: OpId) -> Way {
    Way { is_back: true, ..only(op) }
}

/// The value that an operand is.
fn value_of(body: &Body, operand: crate::ExprId) -> Option<ValueId> {
    match body.expr(operand).kind {
        ExprKind::Value(value) => Some(value),
        _ => None,
    }
}

/// Incoming values of several edges.
type Incoming = Vec<(Way, SmallVec<[ValueId; 4]>)>;

/// By block: the incoming values of its arguments edge by edge, unless an edge passes a value without an operand.
fn ways_into(body: &Body, region: RegionId) -> FxHashMap<BlockId, Incoming> {
    let number: FxHashMap<BlockId, usize> =
        body.regions[region].blocks.iter().enumerate().map(|(at, &it)| (it, at)).collect();
    let mut ways: FxHashMap<BlockId, Option<Vec<_>>> = FxHashMap::default();
    for &from in &body.regions[region].blocks {
        let Some(&last) = body.blocks[from].ops.last() else { continue };
        for (step, successor) in body.ops[last].successors.iter().enumerate() {
            let args = body.items(successor.args).iter();
            let values: Option<SmallVec<[ValueId; 4]>> =
                args.map(|&it| value_of(body, it)).collect();
            let n = body.blocks[successor.block].args.len();
            let entry = ways.entry(successor.block).or_insert_with(|| Some(Vec::new()));
            match values.filter(|it| it.len() == n) {
                Some(values) => {
                    if let Some(ways) = entry {
                        let is_back = number.get(&successor.block) <= number.get(&from);
                        let way = Way { op: last, step: Step::Successor(step), is_back };
                        ways.push((way, values));
                    }
                }
                None => *entry = None,
            }
        }
    }
    ways.into_iter().filter_map(|(block, ways)| Some((block, ways?))).collect()
}

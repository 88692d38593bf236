//! Source map: the places of the parts of a [`Body`] made of operations in the text.
//!
//! Flat tables by the ids of the body; all offsets are relative to the start of the unit. An operation without text of
//! its own (an implied terminator, the block of a hidden region) has an empty range at its place. Operations are
//! numbered in the order of the text, so looking for an offset is a binary search and a walk outwards.

mod packed;
mod splice;

use ir::{BlockId, Body, ExprKind, OpId, RegionId, ValueId, ValueKind, arena::Id};
use syntax::{TextRange, TextSize};

use self::packed::{OpPlace, OpPlaces, Places, Uses};
pub(crate) use self::splice::MapRun;

/// A successor in the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SuccessorPlace {
    /// The operation that names it.
    pub op: OpId,
    /// Its number among the operation's successors.
    pub index: u32,
    /// The label.
    pub label: TextRange,
}

/// The map from a body to its text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OpSourceMap {
    ops: OpPlaces,
    /// Uses of the operations: operands in the order of the body, then the arguments of successors.
    uses: Uses,
    /// Definitions by value.
    values: Places,
    /// Labels by block.
    blocks: Places,
    /// From `{` to `}` by region.
    regions: Vec<(u32, u32)>,
    successors: Vec<SuccessorPlace>,
    /// Attributes and properties in braces, by operation.
    dictionaries: Vec<(OpId, (u32, u32))>,
}

fn range((start, end): (u32, u32)) -> TextRange {
    TextRange::new(start.into(), end.max(start).into())
}

impl OpSourceMap {
    /// The whole operation: from its results to its location.
    pub fn op(&self, op: OpId) -> TextRange {
        self.ops.get(op.index()).map_or_else(Default::default, |it| range((it.start, it.end)))
    }
    /// The name of an operation, as written (with quotes in the generic form).
    pub fn op_name(&self, op: OpId) -> TextRange {
        self.ops.get(op.index()).map_or_else(Default::default, |it| range((it.name, it.name_end)))
    }
    /// Returns true if the operation is in the text.
    pub fn is_written(&self, op: OpId) -> bool {
        self.ops.get(op.index()).is_some_and(|it| it.start < it.end)
    }
    /// Returns the place where its operands are used, in the order of the body, then the arguments of its successors:
    /// `%0#1` with its number.
    pub fn uses_of(&self, op: OpId) -> impl ExactSizeIterator<Item = TextRange> + '_ {
        let place = self.ops.get(op.index()).unwrap_or_default();
        let first = place.first_use as usize;
        (first..first + place.n_uses as usize).map(move |it| self.uses.get(it, place.start))
    }
    /// The definition of a value in the text: `%0`, or `%0:2` for all of a pack.
    pub fn definition(&self, value: ValueId) -> TextRange {
        self.values.get(value.index())
    }
    /// The name in the definition of a value in the text of the unit: `%x` of `%x` or `%x:2`.
    pub(crate) fn bare_name<'t>(&self, text: &'t str, value: ValueId) -> &'t str {
        let written = &text[self.definition(value)];
        // Names are short: a loop is faster than a search.
        let colon = written.bytes().position(|it| it == b':');
        colon.map_or(written, |end| written[..end].trim_end())
    }
    /// The values that a definition of several results defines, in order: those of `%x:2`.
    pub(crate) fn pack<'b>(
        &self,
        body: &'b Body,
        value: ValueId,
    ) -> impl Iterator<Item = ValueId> + use<'_, 'b> {
        let results = match body.values[value].kind {
            ValueKind::Result(op, _) => body.ops[op].results.as_slice(),
            _ => &[],
        };
        let place = self.definition(value);
        results.iter().copied().filter(move |it| self.definition(*it) == place)
    }
    /// The label of a block; empty where none is written.
    pub fn label(&self, block: BlockId) -> TextRange {
        self.blocks.get(block.index())
    }
    /// A region with its braces; empty where none is written.
    pub fn region(&self, region: RegionId) -> TextRange {
        self.regions.get(region.index()).map_or_else(Default::default, |&it| range(it))
    }
    /// The successors in the text, by operation.
    pub fn successors(&self) -> &[SuccessorPlace] {
        &self.successors
    }
    /// The properties and attributes of an operation that stand in braces, in the order of the text.
    pub fn dictionaries(&self, op: OpId) -> impl Iterator<Item = TextRange> + '_ {
        let first = self.dictionaries.partition_point(|(it, _)| *it < op);
        self.dictionaries[first..].iter().take_while(move |(it, _)| *it == op).map(|it| range(it.1))
    }

    /// The innermost operation at an offset; at a border, the one that begins there.
    pub fn op_at(&self, body: &Body, offset: TextSize) -> Option<OpId> {
        let offset = u32::from(offset);
        let after = self.ops.n_before(offset, true);
        let mut op = Some(OpId::new(after.checked_sub(1)?));
        while let Some(at) = op {
            let place = self.ops.get(at.index())?;
            if offset <= place.end && place.start < place.end {
                return op;
            }
            op = if place.start == place.end && at.index() > 0 && body.parent_op(at).is_none() {
                Some(OpId::new(at.index() - 1))
            } else {
                body.parent_op(at)
            };
        }
        None
    }

    /// The value whose use or definition is at an offset, and the range of the name there.
    pub fn value_at(&self, body: &Body, offset: TextSize) -> Option<(ValueId, TextRange)> {
        self.use_at(body, offset).or_else(|| self.definition_at(body, offset))
    }

    /// The value that is used at an offset.
    pub fn use_at(&self, body: &Body, offset: TextSize) -> Option<(ValueId, TextRange)> {
        let op = self.op_at(body, offset)?;
        let found = self.uses_of(op).enumerate().find(|(_, it)| it.contains_inclusive(offset));
        let (index, place) = found?;
        Some((used_values(body, op).nth(index)??, place))
    }

    /// The value that is defined at an offset, the first of a pack.
    pub fn definition_at(&self, body: &Body, offset: TextSize) -> Option<(ValueId, TextRange)> {
        let hit = |value: &ValueId| self.definition(*value).contains_inclusive(offset);
        let of_op = |op: OpId| {
            let data = &body.ops[op];
            let args = data.regions.iter().flat_map(|&it| region_args(body, it));
            data.results.iter().copied().chain(args).find(&hit)
        };
        let value = match self.op_at(body, offset) {
            Some(op) => of_op(op),
            None => region_args(body, body.root).find(&hit),
        };
        value.map(|it| (it, self.definition(it)))
    }

    /// All uses of a value in the order of the text. Linear in the unit.
    pub fn uses(&self, body: &Body, value: ValueId) -> Vec<TextRange> {
        let mut res = Vec::new();
        for op in body.ops.ids() {
            let places = self.uses_of(op);
            if places.len() == 0 {
                continue;
            }
            let used = used_values(body, op).zip(places).filter(|(it, _)| *it == Some(value));
            res.extend(used.map(|(_, place)| place));
        }
        res.sort_unstable_by_key(|it| it.start());
        res
    }
}

fn region_args(body: &Body, region: RegionId) -> impl Iterator<Item = ValueId> + '_ {
    let blocks = &body.regions[region].blocks;
    blocks.iter().flat_map(|&it| body.blocks[it].args.iter().copied())
}

/// The values of the operands of an operation, then of the arguments of its successors.
pub(crate) fn used_values(body: &Body, op: OpId) -> impl Iterator<Item = Option<ValueId>> + '_ {
    let data = &body.ops[op];
    let args = data.successors.iter().flat_map(|it| body.items(it.args));
    data.operands.iter().chain(args).map(|&it| match body.expr(it).kind {
        ExprKind::Value(value) => Some(value),
        _ => None,
    })
}

/// Making a map. Tables grow with those of the body.
impl OpSourceMap {
    /// Makes room for operations, values and uses; `more` says how many more of so many there may be.
    pub(crate) fn reserve(&mut self, more: impl Fn(usize) -> usize) {
        self.ops.reserve(more(self.ops.len()));
        self.values.reserve(more(self.values.len()));
        self.uses.reserve(more(self.uses.len()));
    }

    /// Says where an operation is, whose uses follow with [`OpSourceMap::push_use`].
    pub(crate) fn set_op(&mut self, op: OpId, whole: (u32, u32), name: (u32, u32)) {
        let place = OpPlace {
            start: whole.0,
            end: whole.1,
            name: name.0,
            name_end: name.1,
            first_use: self.uses.len() as u32,
            n_uses: 0,
        };
        self.ops.set(op.index(), place);
    }
    /// Moves the end of an operation whose regions have been read.
    pub(crate) fn set_op_end(&mut self, op: OpId, end: u32) {
        let place = self.ops.get(op.index()).unwrap_or_default();
        self.ops.set(op.index(), OpPlace { end, ..place });
    }
    /// The next use of an operation.
    pub(crate) fn push_use(&mut self, op: OpId, place: (u32, u32)) {
        self.uses.push(self.ops.start(op.index()), place);
        self.ops.add_use(op.index());
    }
    pub(crate) fn set_value(&mut self, value: ValueId, place: (u32, u32)) {
        self.values.set(value.index(), place);
    }
    pub(crate) fn set_block(&mut self, block: BlockId, place: (u32, u32)) {
        self.blocks.set(block.index(), place);
    }
    pub(crate) fn set_region(&mut self, region: RegionId, place: (u32, u32)) {
        *entry(&mut self.regions, region.index()) = place;
    }
    pub(crate) fn push_successor(&mut self, op: OpId, index: u32, label: (u32, u32)) {
        self.successors.push(SuccessorPlace { op, index, label: range(label) });
    }
    pub(crate) fn push_dictionary(&mut self, op: OpId, place: (u32, u32)) {
        self.dictionaries.push((op, place));
    }
    /// Sorts the sparse tables.
    pub(crate) fn finish(&mut self) {
        self.successors.sort_by_key(|it| (it.op, it.index));
        self.dictionaries.sort();
    }
}

fn entry<T: Default + Clone>(table: &mut Vec<T>, index: usize) -> &mut T {
    if table.len() <= index {
        table.resize(index + 1, T::default());
    }
    &mut table[index]
}

//! Edits whose reading is foreseen.
//!
//! In: a unit that was read, edits of its text, the plan that they should do. Out: true if the edited text certainly
//! reads as the body after the plan, so that neither is made. False says nothing.
//!
//! The meaning of a function of MLIR depends on the names of its values in few places. Where an edit replaces the name
//! of a value by the name of another one with the same type, in an operation of which the reader looks at numbers and
//! places of operands only, all else is read as before; where whole lines go with whole operations, the rest is. That
//! the name means the right value is looked up here: it is defined once, in a block that dominates the use and before
//! it, in a region that the use sees. Anything else (an operation that is not understood, blocks that do not stand in
//! an order in which dominators come first and together with what they dominate, a carried value that is dropped, a
//! moved operation, a comment that stays) is not foreseen. One walk; O(operations + operands + edits).

use ir::{
    BlockId, Body, NameId, OpId, OpKind, RegionId, ValueId, ValueKind,
    arena::Table,
    dominators::Dominators,
    plan::ops::{OpChange, OpPlan},
};
use rustc_hash::FxHashMap;
use syntax::{Edit, TextEdit, TextRange, TextSize};

use super::forms;
use crate::ops::{Lowered, OpSourceMap, used_values};

/// Returns true if a text after edits certainly reads as its body after a plan. `before` is the result of lowering the
/// text, without errors.
pub fn is_foreseen(text: &str, before: &Lowered, edits: &TextEdit, plan: &OpPlan) -> bool {
    Expected::of(&before.body, plan).is_some_and(|it| reads_as(text, before, edits, &it))
}

/// The differences that a body should have after edits. They are read from the plan here once more, and not taken from
/// the writer of the edits: that is what is checked.
pub(super) struct Expected {
    /// The operations that go, with their regions.
    pub(super) gone: Table<OpId, bool>,
    /// By value: the one whose uses its uses become.
    pub(super) replaced: Table<ValueId, Option<ValueId>>,
}

impl Expected {
    /// Those of a plan; none if it does more than replace values and remove operations.
    fn of(body: &Body, plan: &OpPlan) -> Option<Expected> {
        let mut expected = Expected::nothing(body);
        for action in &plan.actions {
            match action.change {
                OpChange::Delete => expected.gone[action.op] = true,
                OpChange::Merge { into } => {
                    expected.gone[action.op] = true;
                    let (from, into) = (&body.ops[action.op].results, &body.ops[into].results);
                    for (&from, &into) in from.iter().zip(into) {
                        expected.replaced[from] = Some(into);
                    }
                }
                OpChange::Argument { argument, value } => {
                    expected.replaced[argument] = Some(value);
                }
                OpChange::MergeWithCopies { .. }
                | OpChange::MergeUses { .. }
                | OpChange::Hoist { .. }
                | OpChange::RemoveArgument { .. } => return None,
            }
        }
        Some(expected)
    }

    /// No difference.
    pub(super) fn nothing(body: &Body) -> Expected {
        Expected {
            gone: Table::filled(body.ops.len(), false),
            replaced: Table::filled(body.values.len(), None),
        }
    }

    /// The value whose use a use becomes. Chains end, as what replaces something stays in the end.
    fn value(&self, mut value: ValueId) -> ValueId {
        while let Some(by) = self.replaced[value] {
            value = by;
        }
        value
    }
}

/// Returns true if a text after edits certainly reads as its body with these differences.
pub(super) fn reads_as(
    text: &str,
    before: &Lowered,
    edits: &TextEdit,
    expected: &Expected,
) -> bool {
    let body = &before.body;
    let mut walk = Walk {
        text,
        map: &before.source_map,
        body,
        expected,
        edits: edits.edits(),
        removed: None,
        depths: Table::filled(body.values.len(), NOT_VISIBLE),
        defined: Vec::new(),
        open: Vec::new(),
        regions: vec![(0, body.root)],
        has_regions: !has_one_region(body),
        named: FxHashMap::default(),
        looks_at_names: FxHashMap::default(),
    };
    walk.run().is_some() && walk.names_are_clear()
}

/// The most bytes between the name of an operation and a use that is looked at.
const MOST_BEFORE: usize = 1024;

/// The depth of a value that a use does not see.
const NOT_VISIBLE: u32 = u32::MAX;

/// Returns true if all values of a unit are defined in one region: it is a function without structured operations.
fn has_one_region(body: &Body) -> bool {
    let is_empty = |it: &BlockId| {
        let block = &body.blocks[*it];
        block.args.is_empty() && block.ops.iter().all(|it| body.ops[*it].results.is_empty())
    };
    body.regions.len() == 2 && body.regions[body.root].blocks.iter().all(is_empty)
}

struct Walk<'a> {
    text: &'a str,
    map: &'a OpSourceMap,
    body: &'a Body,
    expected: &'a Expected,
    /// The edits that were not met.
    edits: &'a [Edit],
    /// The removal that the last operation was in, and the place up to which operations or blanks fill it.
    removed: Option<(TextRange, TextSize)>,
    /// By value: the number of regions around the one that defines it, while a use sees it.
    depths: Table<ValueId, u32>,
    /// Values that are visible, the innermost last.
    defined: Vec<ValueId>,
    open: Vec<OpenRegion<'a>>,
    /// Regions that come next, the first one last, with the number of regions around them.
    regions: Vec<(usize, RegionId)>,
    /// True if a name may have two definitions: only in different regions is that no error.
    has_regions: bool,
    /// Then the names that edits write, with the places of the definitions that they should mean.
    named: FxHashMap<&'a str, TextRange>,
    /// By the name of an operation.
    looks_at_names: FxHashMap<NameId, bool>,
}

/// A region that is open.
struct OpenRegion<'a> {
    /// Its block that is open, then those that follow.
    blocks: &'a [BlockId],
    /// The number of the next operation.
    next: usize,
    /// The open block behind its dominators, each with the number of values that were visible around it.
    scopes: Vec<(BlockId, usize)>,
    /// None for a region of one block.
    dominators: Option<Dominators>,
    /// A use in it, or in a region of it, sees what the region with this number sees: something in it uses such a
    /// value.
    sees: u32,
    /// True if something written stays in the open block.
    keeps: bool,
    removes: bool,
}

impl<'a> Walk<'a> {
    /// None: not foreseen.
    fn run(&mut self) -> Option<()> {
        loop {
            ir::interrupt::check();
            if let Some(&(depth, region)) = self.regions.last()
                && depth == self.open.len()
            {
                self.regions.pop();
                self.open(region)?;
                continue;
            }
            let Some(region) = self.open.last_mut() else { break };
            let block = *region.blocks.first()?;
            let Some(&op) = self.body.blocks[block].ops.get(region.next) else {
                self.close_block()?;
                continue;
            };
            region.next += 1;
            self.operation(op)?;
        }
        self.end_removal()?;
        self.edits.is_empty().then_some(())
    }

    fn open(&mut self, region: RegionId) -> Option<()> {
        let blocks = &self.body.regions[region].blocks;
        if blocks.is_empty() {
            return Some(());
        }
        let has_several = blocks.len() > 1;
        self.open.push(OpenRegion {
            blocks,
            next: 0,
            scopes: Vec::new(),
            dominators: has_several.then(|| Dominators::compute(self.body, region)),
            sees: self.open.len() as u32,
            keeps: false,
            removes: false,
        });
        self.open_block()
    }

    /// Opens the first of the blocks that follow, in the scope of its dominators.
    fn open_block(&mut self) -> Option<()> {
        let region = self.open.last_mut()?;
        let block = *region.blocks.first()?;
        (region.next, region.keeps, region.removes) = (0, false, false);
        let parent = region.dominators.as_ref().and_then(|it| it.parent(block));
        while let Some(&(open, n_defined)) = region.scopes.last()
            && Some(open) != parent
        {
            region.scopes.pop();
            hide(&mut self.defined, n_defined, &mut self.depths);
        }
        if region.scopes.is_empty() && parent.is_some() {
            return None;
        }
        region.scopes.push((block, self.defined.len()));
        for &argument in &self.body.blocks[block].args {
            self.define(argument);
        }
        Some(())
    }

    fn close_block(&mut self) -> Option<()> {
        let region = self.open.last_mut()?;
        // A block of which nothing is left may be no block.
        if region.removes && !region.keeps {
            return None;
        }
        region.blocks = &region.blocks[1..];
        if !region.blocks.is_empty() {
            return self.open_block();
        }
        let region = self.open.pop()?;
        if let Some(&(_, n_defined)) = region.scopes.first() {
            hide(&mut self.defined, n_defined, &mut self.depths);
        }
        if let Some(around) = self.open.last_mut() {
            around.sees = around.sees.min(region.sees);
        }
        Some(())
    }

    fn operation(&mut self, op: OpId) -> Option<()> {
        let is_removed = self.map.is_written(op) && self.is_removed(self.map.op(op))?;
        if is_removed != self.expected.gone[op] {
            return None;
        }
        let region = self.open.last_mut()?;
        if is_removed {
            region.removes = true;
            self.goes(op);
            return Some(());
        }
        region.keeps |= self.map.is_written(op);
        self.stays(op)
    }

    /// Returns true if an operation at this place goes; none if that cannot be said.
    fn is_removed(&mut self, place: TextRange) -> Option<bool> {
        if let Some((range, end)) = self.removed {
            if range.contains_range(place) {
                return self.removes(range, end, place);
            }
            self.end_removal()?;
        }
        let Some(edit) = self.edits.first().filter(|it| it.range.start() < place.end()) else {
            return Some(false);
        };
        if !edit.text.is_empty() || !edit.range.contains_range(place) {
            // Of something before the operation, that was met by nothing.
            return (edit.range.start() >= place.start()).then_some(false);
        }
        let (range, rest) = (edit.range, self.text.get(usize::from(edit.range.end())..)?);
        let before = &self.text.as_bytes()[..usize::from(range.start())];
        let are_lines = before.last() == Some(&b'\n') && self.text[range].ends_with('\n');
        if !are_lines || !begins_clearly(rest) {
            return None;
        }
        self.edits = &self.edits[1..];
        self.removes(range, range.start(), place)
    }

    fn removes(&mut self, range: TextRange, from: TextSize, place: TextRange) -> Option<bool> {
        let between = self.text.get(usize::from(from)..usize::from(place.start()))?;
        self.removed = Some((range, place.end()));
        is_white(between).then_some(true)
    }

    fn end_removal(&mut self) -> Option<()> {
        let Some((range, end)) = self.removed.take() else { return Some(()) };
        is_white(&self.text[TextRange::new(end, range.end())]).then_some(())
    }

    fn stays(&mut self, op: OpId) -> Option<()> {
        let OpKind::Named(name) = self.body.ops[op].kind else { return None };
        self.uses(op, name)?;
        let data = &self.body.ops[op];
        data.results.iter().for_each(|it| self.define(*it));
        let depth = self.open.len();
        self.regions.extend(data.regions.iter().rev().map(|it| (depth, *it)));
        Some(())
    }

    fn uses(&mut self, op: OpId, name: NameId) -> Option<()> {
        let n_edits = self.n_edits_of(op);
        if n_edits > 0 && self.looks_at_names(op, name) {
            return None;
        }
        let mut n_met = 0;
        let mut places = self.map.uses_of(op);
        for old in used_values(self.body, op) {
            let (old, place) = (old?, places.next());
            self.note_use(old)?;
            let new = self.expected.value(old);
            match self.edits[..n_edits].iter().find(|it| Some(it.range) == place) {
                Some(edit) => {
                    n_met += 1;
                    self.becomes(op, edit, old, new)?;
                }
                None if old == new && !self.is_of_gone(new) => {}
                None => return None,
            }
        }
        self.edits = &self.edits[n_edits..];
        (n_met == n_edits).then_some(())
    }

    /// The number of the next edits that are in an operation itself and not in its regions.
    fn n_edits_of(&self, op: OpId) -> usize {
        if self.edits.is_empty() || !self.map.is_written(op) {
            return 0;
        }
        let mut regions = self.body.ops[op].regions.iter().map(|it| self.map.region(*it));
        let end = match regions.find(|it| !it.is_empty()) {
            Some(region) => region.start(),
            None if self.body.ops[op].regions.is_empty() => self.map.op(op).end(),
            None => return 0,
        };
        self.edits.iter().take_while(|it| it.range.end() <= end).count()
    }

    /// A use in the innermost region; none if it does not see the value.
    fn note_use(&mut self, value: ValueId) -> Option<()> {
        let depth = self.depths[value];
        let region = self.open.last_mut()?;
        region.sees = region.sees.min(depth);
        (depth != NOT_VISIBLE).then_some(())
    }

    /// The uses of an operation that goes, and its definitions, of which uses are still to be met.
    fn goes(&mut self, op: OpId) {
        for value in used_values(self.body, op).flatten() {
            let _ = self.note_use(value);
        }
        let body = self.body;
        body.ops[op].results.iter().for_each(|it| self.define(*it));
    }

    fn is_of_gone(&self, value: ValueId) -> bool {
        match self.body.values[value].kind {
            ValueKind::Result(op, _) => self.expected.gone[op],
            _ => false,
        }
    }

    fn define(&mut self, value: ValueId) {
        self.depths[value] = (self.open.len() - 1) as u32;
        self.defined.push(value);
    }

    /// An edit of a use of a value should make it one of another value.
    fn becomes(&mut self, op: OpId, edit: &'a Edit, old: ValueId, new: ValueId) -> Option<()> {
        let text = edit.text.as_str();
        let depth = self.depths[new];
        let is_seen = depth != NOT_VISIBLE && self.sees(depth);
        if !is_seen
            || self.is_of_gone(new)
            || self.body.values[old].ty != self.body.values[new].ty
            || !self.is_in_plain_list(op, edit.range)
        {
            return None;
        }
        let definition = self.map.definition(new);
        let name = self.map.bare_name(self.text, new);
        let is_use = match name.len() == usize::from(definition.len()) {
            true => text == name,
            false => {
                let number = text.strip_prefix(name).and_then(|it| it.strip_prefix('#'));
                let is_plain = |it: &&str| *it == "0" || !it.starts_with('0');
                let number = number.filter(is_plain).and_then(|it| it.parse().ok());
                let mut pack = self.map.pack(self.body, new);
                number.is_some() && number == pack.position(|it| it == new)
            }
        };
        if !is_use || !name.starts_with('%') {
            return None;
        }
        let is_clear =
            !self.has_regions || *self.named.entry(name).or_insert(definition) == definition;
        is_clear.then_some(())
    }

    /// Returns true if a use in the innermost region sees values of the region with a number.
    fn sees(&mut self, depth: u32) -> bool {
        let innermost = self.open.len() - 1;
        let mut at = innermost as u32;
        while at > depth {
            match self.open[at as usize].sees {
                sees if sees < at => at = sees,
                _ => return false,
            }
        }
        self.open[innermost].sees = self.open[innermost].sees.min(at);
        true
    }

    // ---- what is written ----

    /// Returns true if the attributes of an operation may be made of the names of its operands.
    fn looks_at_names(&mut self, op: OpId, name: NameId) -> bool {
        let is_generic = self.text[self.map.op_name(op)].starts_with('"');
        let body = self.body;
        !is_generic
            && *self.looks_at_names.entry(name).or_insert_with(|| {
                forms::rule(forms::rule_number(body.name(name))).looks_at_names()
            })
    }

    /// Returns true if a use stands directly in its operation, in a list of nothing but values, or in that of what a
    /// successor gets. In operations that are very long that is not looked up.
    fn is_in_plain_list(&self, op: OpId, place: TextRange) -> bool {
        let is_value = |it: &str| {
            let it = it.trim();
            it.strip_prefix('%').is_some_and(|it| it.bytes().all(is_name_byte))
        };
        let (start, end) = (usize::from(self.map.op_name(op).end()), usize::from(place.start()));
        let Some(before) = self.text.get(start..end).filter(|it| it.len() < MOST_BEFORE) else {
            return false;
        };
        let Some(open) = open_bracket(before) else { return false };
        let Some((at, bracket)) = open else { return true };
        let close = match bracket {
            b'(' => ')',
            b'[' => ']',
            _ => return false,
        };
        // A list in a list may be part of something else.
        if open_bracket(&before[..at]) != Some(None) {
            return false;
        }
        let list = &self.text[start + at + 1..];
        let list = list.get(..list.len().min(2 * MOST_BEFORE)).unwrap_or_default();
        let Some(end) = list.find(close) else { return false };
        let values = match list[..end].split_once(':') {
            Some((values, _)) if is_behind_label(&before[..at]) => values,
            Some(_) => return false,
            None => &list[..end],
        };
        values.split(',').all(is_value)
    }

    /// Returns true if each name that an edit writes has one definition.
    fn names_are_clear(&self) -> bool {
        let mut defined = self.body.values.ids().filter(|it| !self.map.definition(*it).is_empty());
        self.named.is_empty()
            || defined.all(|it| {
                let meant = self.named.get(self.map.bare_name(self.text, it));
                meant.is_none_or(|meant| *meant == self.map.definition(it))
            })
    }
}

/// Makes visible values invisible, but for the outermost `n`.
fn hide(defined: &mut Vec<ValueId>, n: usize, depths: &mut Table<ValueId, u32>) {
    defined.drain(n..).for_each(|it| depths[it] = NOT_VISIBLE);
}

/// Returns true if a text ends with the label of a block.
fn is_behind_label(text: &str) -> bool {
    let name = text.trim_end_matches(|it: char| it.is_ascii() && is_name_byte(it as u8));
    name.ends_with('^') && name.len() < text.len()
}

/// Returns true if an operation or the end of a block certainly begins with a text, whatever stands before.
fn begins_clearly(text: &str) -> bool {
    let text = text.trim_start_matches([' ', '\t']);
    match text.as_bytes().first() {
        Some(b'%' | b'}') => true,
        Some(it) if it.is_ascii_alphabetic() => {
            let word = text.split(|it: char| !it.is_ascii() || !is_name_byte(it as u8)).next();
            word.is_some_and(|it| it == "return" || it.contains('.'))
        }
        _ => false,
    }
}

/// The innermost bracket that is open at the end of a text, and its place. None: that cannot be said.
fn open_bracket(text: &str) -> Option<Option<(usize, u8)>> {
    let mut depth = 0u32;
    let mut found = None;
    let bytes = text.as_bytes();
    for (at, &byte) in bytes.iter().enumerate().rev() {
        match byte {
            b')' | b']' | b'}' => depth += 1,
            // A map before its operands.
            b'#' if at == 0 || !is_name_byte(bytes[at - 1]) => return None,
            // Strings, comments and shapes have brackets that are none.
            b'"' | b'/' | b'>' | b'<' => return None,
            b'(' | b'[' | b'{' if depth > 0 => depth -= 1,
            b'(' | b'[' | b'{' if found.is_none() => found = Some((at, byte)),
            _ => {}
        }
    }
    Some(found)
}

/// A byte that a name of a value may have behind its `%`, with the number in a pack.
fn is_name_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"_$.-#".contains(&byte)
}

fn is_white(text: &str) -> bool {
    text.bytes().all(|it| it.is_ascii_whitespace())
}

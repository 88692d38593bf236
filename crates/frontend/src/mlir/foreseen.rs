//! Edits whose reading is foreseen.
//!
//! In: a unit that was read, edits of its text, the body that the edited text should be. Out: true if it certainly is
//! that body, so that the text need not be read. False says nothing.
//!
//! The meaning of a function of MLIR depends on the names of its values in few places. Where an edit replaces the name
//! of a value by the name of another one with the same type, in an operation of which the reader looks at numbers and
//! places of operands only, all else is read as before; where whole lines go with whole operations, the rest is. That
//! the name means the right value is looked up here: it is defined once, before the use, in a region that the use sees.
//! Anything else (an operation that is not understood, several blocks, a carried value that is dropped, a moved
//! operation, a comment that stays) is not foreseen. One walk over both bodies; O(operations + operands + edits).

use ir::{BlockId, Body, ExprId, ExprKind, NameId, OpId, OpKind, RegionId, ValueId, arena::Id};
use rustc_hash::FxHashMap;
use syntax::{Edit, TextEdit, TextRange, TextSize};

use super::forms;
use crate::ops::{EqualParts, Lowered, OpSourceMap};

/// Returns true if a text after edits certainly reads as `after`. `before` is the result of lowering the text, without
/// errors.
pub fn is_foreseen(text: &str, before: &Lowered, edits: &TextEdit, after: &Body) -> bool {
    let body = &before.body;
    let mut walk = Walk {
        text,
        map: &before.source_map,
        before: body,
        after,
        edits: edits.edits(),
        removed: None,
        values: vec![None; after.values.len()],
        depths: vec![NOT_VISIBLE; body.values.len()],
        defined: Vec::new(),
        blocks: Vec::new(),
        regions: vec![(0, body.root, after.root)],
        parts: EqualParts::of(body, after),
        named: FxHashMap::default(),
        looks_at_names: FxHashMap::default(),
    };
    walk.run().is_some() && walk.names_are_clear()
}

/// The most bytes between the name of an operation and a use that is looked at.
const MOST_BEFORE: usize = 1024;

/// The depth of a value that a use does not see.
const NOT_VISIBLE: u32 = u32::MAX;

struct Walk<'a> {
    text: &'a str,
    map: &'a OpSourceMap,
    before: &'a Body,
    after: &'a Body,
    /// The edits that were not met.
    edits: &'a [Edit],
    /// The removal that the last operation was in, and the place up to which operations or blanks fill it.
    removed: Option<(TextRange, TextSize)>,
    /// The values before, by value after.
    values: Vec<Option<ValueId>>,
    /// By value before: the number of blocks around its definition while they are open.
    depths: Vec<u32>,
    /// Values that are visible, the innermost last.
    defined: Vec<ValueId>,
    blocks: Vec<OpenBlock>,
    /// Regions that come next, the first one last, with the number of blocks around them.
    regions: Vec<(usize, RegionId, RegionId)>,
    parts: EqualParts<'a>,
    /// Names that edits write, with the places of the definitions that they should mean.
    named: FxHashMap<&'a str, TextRange>,
    /// By the name of an operation.
    looks_at_names: FxHashMap<NameId, bool>,
}

/// A block that is open, before and after.
#[derive(Clone, Copy)]
struct OpenBlock {
    before: BlockId,
    after: BlockId,
    /// The numbers of the next operations.
    next: (usize, usize),
    /// The number of values that were visible around it.
    n_defined: usize,
    /// A use in it, or in a block of it, sees what the block with this number sees: something in it uses such a value.
    sees: u32,
    /// True if something written stays in it.
    keeps: bool,
    removes: bool,
}

impl<'a> Walk<'a> {
    /// None: not foreseen.
    fn run(&mut self) -> Option<()> {
        let is_plain = |it: &Body| it.regions.iter().all(|(_, it)| it.blocks.len() <= 1);
        if !is_plain(self.before) || !is_plain(self.after) {
            return None;
        }
        loop {
            ir::interrupt::check();
            if let Some(&(depth, before, after)) = self.regions.last()
                && depth == self.blocks.len()
            {
                self.regions.pop();
                self.open(before, after)?;
                continue;
            }
            let Some(block) = self.blocks.last_mut() else { break };
            let Some(&op) = self.before.blocks[block.before].ops.get(block.next.0) else {
                self.close()?;
                continue;
            };
            block.next.0 += 1;
            self.operation(op)?;
        }
        self.end_removal()?;
        self.edits.is_empty().then_some(())
    }

    fn open(&mut self, before: RegionId, after: RegionId) -> Option<()> {
        let (before, after) = (&self.before.regions[before], &self.after.regions[after]);
        if before.kind != after.kind || before.blocks.len() != after.blocks.len() {
            return None;
        }
        let (Some(&before), Some(&after)) = (before.blocks.first(), after.blocks.first()) else {
            return Some(());
        };
        self.blocks.push(OpenBlock {
            before,
            after,
            next: (0, 0),
            n_defined: self.defined.len(),
            sees: self.blocks.len() as u32,
            keeps: false,
            removes: false,
        });
        let (before, after) = (&self.before.blocks[before].args, &self.after.blocks[after].args);
        self.definitions(before, after)
    }

    fn close(&mut self) -> Option<()> {
        let block = self.blocks.pop()?;
        if block.next.1 != self.after.blocks[block.after].ops.len() {
            return None;
        }
        // A block of which nothing is left may be no block.
        if block.removes && !block.keeps {
            return None;
        }
        for value in self.defined.drain(block.n_defined..) {
            self.depths[value.index()] = NOT_VISIBLE;
        }
        if let Some(around) = self.blocks.last_mut() {
            around.sees = around.sees.min(block.sees);
        }
        Some(())
    }

    fn operation(&mut self, op: OpId) -> Option<()> {
        if self.map.is_written(op) && self.is_removed(self.map.op(op))? {
            self.goes(op);
            self.blocks.last_mut()?.removes = true;
            return Some(());
        }
        let block = self.blocks.last_mut()?;
        block.keeps |= self.map.is_written(op);
        let other = *self.after.blocks[block.after].ops.get(block.next.1)?;
        block.next.1 += 1;
        self.kept(op, other)
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

    fn kept(&mut self, op: OpId, other: OpId) -> Option<()> {
        let (before, after) = (&self.before.ops[op], &self.after.ops[other]);
        let (OpKind::Named(name), OpKind::Named(name_after)) = (before.kind, after.kind) else {
            return None;
        };
        let is_same = before.operands.len() == after.operands.len()
            && before.regions.len() == after.regions.len()
            && before.successors.is_empty()
            && after.successors.is_empty()
            && self.parts.names(name, name_after)
            && self.parts.dictionaries(before.attrs, after.attrs);
        if !is_same {
            return None;
        }
        self.operands(op, name, &before.operands, &after.operands)?;
        self.definitions(&before.results, &after.results)?;
        let depth = self.blocks.len();
        let regions = before.regions.iter().zip(&after.regions).rev();
        self.regions.extend(regions.map(|(&before, &after)| (depth, before, after)));
        Some(())
    }

    fn operands(
        &mut self,
        op: OpId,
        name: NameId,
        before: &[ExprId],
        after: &[ExprId],
    ) -> Option<()> {
        let place = self.map.op(op);
        let is_inside = |it: &&Edit| it.range.end() <= place.end();
        let n_edits = match self.before.ops[op].regions.is_empty() && self.map.is_written(op) {
            true => self.edits.iter().take_while(is_inside).count(),
            false => 0,
        };
        if n_edits > 0 && self.looks_at_names(op, name) {
            return None;
        }
        let mut n_met = 0;
        let mut places = self.map.uses_of(op);
        for (&before, &after) in before.iter().zip(after) {
            let place = places.next();
            let (ExprKind::Value(old), ExprKind::Value(new)) =
                (self.before.expr(before).kind, self.after.expr(after).kind)
            else {
                return None;
            };
            let new = (*self.values.get(new.index())?)?;
            self.note_use(old)?;
            let edit = self.edits[..n_edits].iter().find(|it| Some(it.range) == place);
            match edit {
                Some(edit) => {
                    n_met += 1;
                    self.becomes(op, edit, old, new)?;
                }
                None if old == new => {}
                None => return None,
            }
        }
        self.edits = &self.edits[n_edits..];
        (n_met == n_edits).then_some(())
    }

    /// An operand of the innermost block; none if it does not see the value.
    fn note_use(&mut self, value: ValueId) -> Option<()> {
        let depth = self.depths[value.index()];
        let block = self.blocks.last_mut()?;
        block.sees = block.sees.min(depth);
        (depth != NOT_VISIBLE).then_some(())
    }

    /// The uses of an operation that goes, and its definitions, of which uses are still to be met.
    fn goes(&mut self, op: OpId) {
        let data = &self.before.ops[op];
        for &operand in &data.operands {
            if let ExprKind::Value(value) = self.before.expr(operand).kind {
                let _ = self.note_use(value);
            }
        }
        for &result in &data.results {
            self.define(result);
        }
    }

    fn define(&mut self, value: ValueId) {
        self.depths[value.index()] = (self.blocks.len() - 1) as u32;
        self.defined.push(value);
    }

    /// An edit of a use of a value should make it one of another value.
    fn becomes(&mut self, op: OpId, edit: &'a Edit, old: ValueId, new: ValueId) -> Option<()> {
        let text = edit.text.as_str();
        let (old, depth) = (&self.before.values[old], self.depths[new.index()]);
        let is_seen = depth != NOT_VISIBLE && self.sees(depth);
        if !is_seen
            || old.ty != self.before.values[new].ty
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
                let mut pack = self.map.pack(self.before, new);
                number.is_some() && number == pack.position(|it| it == new)
            }
        };
        if !is_use || !name.starts_with('%') {
            return None;
        }
        (*self.named.entry(name).or_insert(definition) == definition).then_some(())
    }

    /// Returns true if a use in the innermost block sees values of the block with a number.
    fn sees(&mut self, depth: u32) -> bool {
        let innermost = self.blocks.len() - 1;
        let mut at = innermost as u32;
        while at > depth {
            match self.blocks[at as usize].sees {
                sees if sees < at => at = sees,
                _ => return false,
            }
        }
        self.blocks[innermost].sees = self.blocks[innermost].sees.min(at);
        true
    }

    fn definitions(&mut self, before: &[ValueId], after: &[ValueId]) -> Option<()> {
        if before.len() != after.len() {
            return None;
        }
        for (&before, &after) in before.iter().zip(after) {
            let types = (self.before.values[before].ty, self.after.values[after].ty);
            if !self.parts.types(types.0, types.1) {
                return None;
            }
            self.values[after.index()] = Some(before);
            self.define(before);
        }
        Some(())
    }

    // ---- what is written ----

    /// Returns true if the attributes of an operation may be made of the names of its operands.
    fn looks_at_names(&mut self, op: OpId, name: NameId) -> bool {
        let is_generic = self.text[self.map.op_name(op)].starts_with('"');
        let before = self.before;
        !is_generic
            && *self.looks_at_names.entry(name).or_insert_with(|| {
                forms::rule(forms::rule_number(before.name(name))).looks_at_names()
            })
    }

    /// Returns true if a use stands directly in its operation, or in a list of nothing but values. In operations that
    /// are very long that is not looked up.
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
        list[..end].split(',').all(is_value)
    }

    /// Returns true if each name that an edit writes has one definition.
    fn names_are_clear(&self) -> bool {
        let mut defined =
            self.before.values.ids().filter(|it| !self.map.definition(*it).is_empty());
        self.named.is_empty()
            || defined.all(|it| {
                let meant = self.named.get(self.map.bare_name(self.text, it));
                meant.is_none_or(|meant| *meant == self.map.definition(it))
            })
    }
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

//! Text edits from a plan of simplifications.
//!
//! In: a lowered function, its tree, a plan made from its body, and the wanted items. Out: a [`TextEdit`] in offsets of
//! the function's text, and the items that it applies: those that the text allows, with all that they need. After it,
//! the text lowers to the result of `transform::simplify::rewrite_items` for the same items.
//!
//! Only changed code is printed anew: an expression is replaced by the simpler one, as the printer writes it, in the
//! largest text that becomes it; an opened statement loses the line of its header, and its lines move left; guards that
//! become one share a header; a guard and the loop that it moves around change their headers. A comment behind a
//! removed header stays on a line of its own, and all other comments stay with their lines; the contents of strings
//! stay.
//!
//! A header may continue over lines in brackets; an `if` may have any clauses (`chains`); loops may share a header
//! (`grids`). A comment in a removed header stays as well.
//!
//! The text does not allow changes of code without text of its own (made by a macro or a chained comparison), of a
//! suite on the line of its header, or of names that would change their meaning.
//!
//! Linear in the text once, and in the changes.

mod chains;
mod expressions;
mod grids;
mod headers;
mod reading;
mod statements;

use std::{
    borrow::Cow,
    cell::OnceCell,
    collections::{BTreeMap, BTreeSet},
};

use ir::{
    Body, OpId, ValueId,
    plan::{
        finding::Place,
        simplify::{Simplification, SimplifyPlan, Step},
    },
};
use rustc_hash::FxHashMap;
use syntax::{Edit, TextEdit, TextRange, TextSize};

use self::{
    chains::{Chain, ClauseId},
    expressions::Written,
    grids::Grid,
    headers::Header,
};
use super::{DefinitionKind, WrittenFunction, finding_edits::Writer};

/// Edits that do items of a plan.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct SimplifyEdits {
    /// The edits; empty if nothing can be done.
    pub edit: TextEdit,
    /// For each item of the plan, whether the edits do it.
    pub is_done: Vec<bool>,
    /// For each item, true if it is left out because the reader would fold or refuse the new text (see `reading`).
    pub is_folded: Vec<bool>,
}

/// Sketches that are made, at most, before everything is left alone; from the third on all of an operator's items go.
const MOST_SKETCHES: usize = 8;

/// The edits that do as many of the wanted items as the text allows.
pub fn simplify_edits(
    function: WrittenFunction<'_>,
    plan: &SimplifyPlan,
    wanted: impl Fn(usize) -> bool,
) -> SimplifyEdits {
    let mut wanted: Vec<bool> = (0..plan.items.len()).map(wanted).collect();
    let mut is_folded = vec![false; plan.items.len()];
    for n_sketches in 0..MOST_SKETCHES {
        let mut sketch = Sketch::new(Writer::new(function), plan);
        let is_done = sketch.items(&wanted);
        let folded = sketch.folded(n_sketches >= 2);
        if folded.is_empty() {
            return match sketch.finish() {
                Some(edit) => SimplifyEdits { edit, is_done, is_folded },
                None => SimplifyEdits { is_folded, ..SimplifyEdits::none(plan) },
            };
        }
        for item in folded {
            (wanted[item], is_folded[item]) = (false, true);
        }
    }
    SimplifyEdits { is_folded, ..SimplifyEdits::none(plan) }
}

impl SimplifyEdits {
    /// Nothing is done.
    fn none(plan: &SimplifyPlan) -> SimplifyEdits {
        let none = vec![false; plan.items.len()];
        SimplifyEdits { edit: TextEdit::new(), is_done: none.clone(), is_folded: none }
    }
}

/// The text as it becomes.
struct Sketch<'a> {
    writer: Writer<'a>,
    plan: &'a SimplifyPlan,
    /// The body with the expressions that are written; that of the plan until there are more.
    grown: Cow<'a, Body>,
    /// The item that is being done.
    item: usize,
    /// Expressions that are written anew, by where their edits begin. They do not overlap.
    written: BTreeMap<u32, Written>,
    /// The place where something begins that was written anew and reads a variable.
    readers: FxHashMap<ValueId, Vec<u32>>,
    /// The removed ranges: start → end. Ranges may lie inside each other.
    gone: Vec<TextRange>,
    /// Those of them in whose place something else stands.
    filled: FxHashMap<TextRange, String>,
    /// The ranges that must be part of the removed ones: something without text in them is removed.
    has_to_go: Vec<TextRange>,
    /// Lines that move left: a range and by how many columns, negative to the right.
    dedents: Vec<(TextRange, i32)>,
    /// Headers of loops.
    headers: FxHashMap<OpId, Option<Header>>,
    /// `if`s with their clauses, by where they begin.
    chains: FxHashMap<TextSize, Chain>,
    clause_of: FxHashMap<OpId, Option<ClauseId>>,
    /// Loops that share a header, by the first.
    grids: FxHashMap<OpId, Option<Grid>>,
    /// Guards between two loops that share a header: the first of them.
    between: FxHashMap<OpId, OpId>,
    /// In whose place the header of an operation stands, where it is not its own.
    slot_of: FxHashMap<OpId, OpId>,
    /// Whose header stands in the place of an operation's.
    occupant_of: FxHashMap<OpId, OpId>,
    /// Guards whose conditions are part of another's, in order.
    merged: FxHashMap<OpId, Vec<OpId>>,
    /// The guards that were joined to another, in order.
    joined: FxHashMap<OpId, Vec<OpId>>,
    /// Slots whose header is written anew.
    changed: BTreeSet<OpId>,
    /// Statements left in a suite, by where it begins.
    left: FxHashMap<u32, u32>,
    uses: OnceCell<FxHashMap<ValueId, Vec<ir::OccurrenceId>>>,
    meta: OnceCell<Vec<TextSize>>,
}

impl<'a> Sketch<'a> {
    fn new(writer: Writer<'a>, plan: &'a SimplifyPlan) -> Sketch<'a> {
        Sketch {
            writer,
            plan,
            grown: Cow::Borrowed(&plan.grown),
            item: 0,
            written: BTreeMap::new(),
            readers: FxHashMap::default(),
            gone: Vec::new(),
            filled: FxHashMap::default(),
            has_to_go: Vec::new(),
            dedents: Vec::new(),
            headers: FxHashMap::default(),
            chains: FxHashMap::default(),
            clause_of: FxHashMap::default(),
            grids: FxHashMap::default(),
            between: FxHashMap::default(),
            slot_of: FxHashMap::default(),
            occupant_of: FxHashMap::default(),
            merged: FxHashMap::default(),
            joined: FxHashMap::default(),
            changed: BTreeSet::new(),
            left: FxHashMap::default(),
            uses: OnceCell::new(),
            meta: OnceCell::new(),
        }
    }

    /// Does the wanted items whose steps the text allows. Which were done.
    fn items(&mut self, wanted: &[bool]) -> Vec<bool> {
        let mut is_done = vec![false; self.plan.items.len()];
        let mut lacks: Option<u32> = None;
        for (index, item) in self.plan.items.iter().enumerate() {
            let is_late = lacks.is_some_and(|round| round < item.round);
            self.item = index;
            let can = wanted[index]
                && !is_late
                && self.is_written(item)
                && item.needs.iter().all(|it| is_done[*it])
                && item.steps.iter().all(|it| self.step(it).is_some());
            is_done[index] = can;
            if !can {
                lacks = lacks.or(Some(item.round));
            }
        }
        is_done
    }

    /// Returns true if an item is about this text, and not about the statements of a macro call.
    fn is_written(&self, item: &Simplification) -> bool {
        let op = match item.place {
            Place::Op(op) => op,
            Place::Occurrence(it) => self.writer.occurrences[it].op,
            Place::Value(_) | Place::Buffer(_) | Place::Function => return true,
        };
        self.writer.lowered.source_map.is_written(op)
    }

    /// Does a step, if the text allows it; else nothing changes.
    fn step(&mut self, step: &Step) -> Option<()> {
        match *step {
            Step::Replace { occurrence, with } => self.replace(occurrence, with),
            Step::Operand { op, operand, with } => self.set_operand(op, operand, with),
            Step::Remove { op, fills } => self.remove(op, fills),
            Step::Open { op, region } => self.open(op, region),
            Step::Unwrap { op, value, with } => self.unwrap_loop(op, value, with),
            Step::Merge { outer, inner } => self.merge(outer, inner),
            Step::Join { first, second } => self.join(first, second),
            Step::Hoist { op, guard } => self.hoist(op, guard),
            Step::Negate { op, with } => self.negate(op, with),
            Step::DropElse { op } => self.drop_else(op),
        }
    }

    /// Returns true if a range defines a compile-time name that is visible after its suite.
    fn defines_meta(&self, range: TextRange) -> bool {
        let meta = self.meta.get_or_init(|| {
            let all = self.writer.lowered.source_map.definitions().iter();
            let meta = all.filter(|it| it.kind == DefinitionKind::Meta);
            let mut starts: Vec<TextSize> = meta.map(|it| it.range.start()).collect();
            starts.sort_unstable();
            starts
        });
        let at = meta.partition_point(|it| *it < range.start());
        meta.get(at).is_some_and(|it| *it < range.end())
    }

    /// All edits; none if the text would be broken.
    fn finish(mut self) -> Option<TextEdit> {
        let keywords = self.changed_keywords()?;
        let gone = merged_ranges(std::mem::take(&mut self.gone));
        let around = |at: TextSize| {
            let after = gone.partition_point(|it| it.start() <= at);
            after.checked_sub(1).map(|it| gone[it])
        };
        let is_gone = |range: TextRange| {
            let it = around(range.start()).filter(|it| it.contains(range.start()));
            it.is_some_and(|it| it.contains_range(range) && it != range)
        };
        let goes = |it: &TextRange| {
            let range = self.writer.without_line_end(*it);
            around(it.start()).is_some_and(|it| it.contains_range(range))
        };
        let starts_gone = |at: TextSize| around(at).is_some_and(|it| it.contains(at));
        let is_emptied = |it: (&u32, &u32)| *it.1 == 0 && !starts_gone(TextSize::from(*it.0));
        if self.left.iter().any(is_emptied) || !self.has_to_go.iter().all(goes) {
            return None;
        }
        let mut edits: Vec<Edit> = Vec::new();
        let mut rewritten = Vec::new();
        for slot in std::mem::take(&mut self.changed) {
            if let Some(edit) = self.new_header(slot)?
                && !starts_gone(edit.range.start())
            {
                rewritten.push(edit.range);
                edits.push(edit);
            }
        }
        rewritten.sort_unstable_by_key(|it| it.start());
        let is_rewritten = |range: TextRange| {
            let at = rewritten.partition_point(|it| it.start() <= range.start());
            at > 0 && rewritten[at - 1].contains_range(range)
        };
        let written = self.written.values().map(|it| it.edit.clone());
        let keywords = keywords.into_iter().map(|(range, text)| Edit::replace(range, text));
        let is_written = |range: TextRange| {
            let before = self.written.range(..=u32::from(range.start())).next_back();
            before.is_some_and(|(_, it)| it.edit.range.contains_range(range))
        };
        let moved = self.moved_lines().into_iter().filter(|it| !is_written(it.range));
        edits.extend(written.chain(keywords).chain(moved).filter(|it| !is_rewritten(it.range)));
        edits.extend(gone.iter().map(|it| Edit::replace(*it, self.filling(*it))));
        edits.retain(|it| !is_gone(it.range));
        edits.sort_by_key(|it| (it.range.start(), it.range.end()));
        edits.dedup();
        TextEdit::from_edits(edits).ok()
    }

    /// The header that stands in a slot now; none if it is the slot's own without a change.
    fn new_header(&mut self, slot: OpId) -> Option<Option<Edit>> {
        let occupant = self.occupant(slot);
        let (from, own) = (self.header(occupant)?, self.header(slot)?);
        let mut text = self.rendered(occupant, slot)?;
        if text.contains('\n') && !text.contains(['"', '\'']) {
            let by = from.indent as i32 - own.indent as i32 + self.moved_at(own.line);
            text = moved_left(&text, by);
        }
        text.push_str(self.writer.text_of(from.tail));
        if let Some((below, lines, by)) = self.below_guard(occupant) {
            text.push_str(&below);
            self.dedents.push((lines, -(by as i32)));
        }
        let range = TextRange::new(own.line.start(), own.tail.end());
        Some((self.writer.text_of(range) != text).then(|| Edit::replace(range, text)))
    }

    /// Returns the text that replaces removed lines, at the indentation of the lines around.
    fn filling(&self, range: TextRange) -> String {
        let Some(text) = self.filled.get(&range) else { return String::new() };
        let by = self.moved_at(range);
        let blank = text.len() - text.trim_start_matches([' ', '\t']).len();
        let first = blank.min(usize::try_from(by).unwrap_or(0));
        moved_left(&text[first..], by)
    }

    /// By how many columns the lines of a range move left.
    fn moved_at(&self, range: TextRange) -> i32 {
        self.dedents.iter().filter(|it| it.0.contains_range(range)).map(|it| it.1).sum()
    }

    /// Returns the line ending.
    fn newline(&self) -> &'static str {
        if self.writer.text.contains("\r\n") { "\r\n" } else { "\n" }
    }

    /// The edits of lines that move.
    fn moved_lines(&self) -> Vec<Edit> {
        let mut changes: BTreeMap<u32, i32> = BTreeMap::new();
        for (range, by) in &self.dedents {
            *changes.entry(range.start().into()).or_default() += by;
            *changes.entry(range.end().into()).or_default() -= by;
        }
        let mut edits = Vec::new();
        let mut by = 0;
        let mut at = 0;
        for (offset, change) in changes {
            if by != 0 {
                self.move_lines(at, offset, by, &mut edits);
            }
            by += change;
            at = offset;
        }
        edits
    }

    /// Lines that begin in a range.
    fn move_lines(&self, start: u32, end: u32, by: i32, edits: &mut Vec<Edit>) {
        let text = self.writer.text;
        let mut at = start as usize;
        while at < end as usize {
            let line = &text[at..];
            let blank = line.len() - line.trim_start_matches([' ', '\t']).len();
            let is_blank_line = line[blank..].starts_with(['\n', '\r']);
            let offset = TextSize::from(at as u32);
            if !is_blank_line && !self.writer.is_inside_string(offset) {
                let by_left = blank.min(usize::try_from(by).unwrap_or(0));
                let by_right = usize::try_from(-by).unwrap_or(0);
                match by_right {
                    0 if by_left == 0 => {}
                    0 => {
                        let blanks = TextRange::at(offset, TextSize::from(by_left as u32));
                        edits.push(Edit::delete(blanks));
                    }
                    n => edits.push(Edit::insert(offset, " ".repeat(n))),
                }
            }
            match line.find('\n') {
                Some(next) => at += next + 1,
                None => break,
            }
        }
    }

    /// The operation whose header stands in a slot.
    fn occupant(&self, slot: OpId) -> OpId {
        self.occupant_of.get(&slot).copied().unwrap_or(slot)
    }
}

/// Ranges in order, those inside others left out.
fn merged_ranges(mut ranges: Vec<TextRange>) -> Vec<TextRange> {
    ranges.sort_unstable_by_key(|it| (it.start(), std::cmp::Reverse(it.end())));
    let mut merged: Vec<TextRange> = Vec::with_capacity(ranges.len());
    for range in ranges {
        match merged.last_mut() {
            Some(last) if range.start() < last.end() => {
                *last = TextRange::new(last.start(), last.end().max(range.end()));
            }
            _ => merged.push(range),
        }
    }
    merged
}

/// A text whose lines after the first move left, or right by less than nothing.
fn moved_left(text: &str, by: i32) -> String {
    let mut lines = text.split_inclusive('\n');
    let mut moved = lines.next().unwrap_or_default().to_owned();
    for line in lines {
        let blank = line.len() - line.trim_start_matches([' ', '\t']).len();
        moved.push_str(&" ".repeat(usize::try_from(-by).unwrap_or(0)));
        moved.push_str(&line[blank.min(usize::try_from(by).unwrap_or(0))..]);
    }
    moved
}

//! From fixes of findings to edits of the text.
//!
//! In: a lowered function, its tree, fixes planned on its body. Out: a [`TextEdit`] in offsets of the function's text,
//! and which of the fixes it does: those that the text allows and that touch nothing of the ones before. After it, the
//! text lowers to the result of `transform::findings::apply`. Comments and layout outside the changed parts stay.
//!
//! * A removed statement takes its line with it; a comment behind it stays, on a line of its own. A suite that loses
//!   all its statements gets `T.evaluate(0)`.
//! * A statement goes only as a whole, and only if no text mentions the names it defines, also where nothing was made
//!   of the text (an arm that is not taken).
//! * A replaced occurrence must have its own text, which no other occurrence shares. Text that is copied to another
//!   place must have only names that are defined once.
//! * A suite that replaces its statement gets the statement's indentation; the contents of strings stay.
//!
//! Linear in the text once, and in the changes.

mod insert;
pub(super) mod mentions;
mod open;
pub(super) mod remove;
mod replace;

use std::{cell::OnceCell, collections::BTreeMap};

use ir::{
    BlockId, Occurrences, OpId,
    plan::finding::{FindingFix, FixEdit},
};
use rustc_hash::{FxHashMap, FxHashSet};
use syntax::{Edit, SyntaxKind, SyntaxNode, TextEdit, TextRange, TextSize};

use self::{mentions::Mentions, remove::Removal, replace::Shared};
use super::{Lowered, WrittenFunction};

/// Edits that do fixes.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct FindingEdits {
    /// The edits; empty if no fix can be done.
    pub edit: TextEdit,
    /// For each fix given, whether the edits do it.
    pub is_done: Vec<bool>,
}

/// The edits that do as many of the fixes as the text allows, the earlier before the later.
pub fn finding_edits<'f>(
    function: WrittenFunction<'_>,
    fixes: impl IntoIterator<Item = &'f FindingFix>,
) -> FindingEdits {
    let mut writer = Writer::new(function);
    let is_done = fixes.into_iter().map(|it| writer.add(it)).collect();
    FindingEdits { edit: writer.finish(), is_done }
}

/// Collects the changes.
pub(super) struct Writer<'a> {
    pub(super) lowered: &'a Lowered,
    pub(super) text: &'a str,
    root: SyntaxNode,
    pub(super) occurrences: &'a Occurrences,
    mentions: OnceCell<Mentions<'a>>,
    shared: OnceCell<Shared>,
    /// The operations that each statement was made into, without those inside others of it.
    statements: OnceCell<FxHashMap<TextRange, Vec<OpId>>>,
    removed: FxHashSet<OpId>,
    /// Statements left in a suite that lost some, by where it begins.
    left: FxHashMap<u32, u32>,
    removals: Vec<Removal>,
    /// Everything that changes, by start, end and the order of coming. Nothing overlaps.
    edits: BTreeMap<(u32, u32, u32), Edit>,
}

/// The changes of one fix.
#[derive(Default)]
struct Changes {
    removed: Vec<OpId>,
    edits: Vec<Edit>,
}

impl<'a> Writer<'a> {
    pub(super) fn new(function: WrittenFunction<'a>) -> Writer<'a> {
        let WrittenFunction { green, text, lowered, occurrences } = function;
        Writer {
            lowered,
            text,
            root: green.syntax(),
            occurrences,
            mentions: OnceCell::new(),
            shared: OnceCell::new(),
            statements: OnceCell::new(),
            removed: FxHashSet::default(),
            left: FxHashMap::default(),
            removals: Vec::new(),
            edits: BTreeMap::new(),
        }
    }

    pub(super) fn text_of(&self, range: TextRange) -> &'a str {
        self.text.get(std::ops::Range::<usize>::from(range)).unwrap_or_default()
    }

    pub(super) fn mentions(&self) -> &Mentions<'a> {
        self.mentions.get_or_init(|| Mentions::new(&self.lowered.source_map))
    }

    /// The innermost node of a kind that begins at an offset.
    pub(super) fn node_at(
        &self,
        start: TextSize,
        is_kind: impl Fn(SyntaxKind) -> bool,
    ) -> Option<SyntaxNode> {
        let token = self.root.token_at_offset(start).right_biased()?;
        token.ancestors().find(|it| it.text_range().start() == start && is_kind(it.kind()))
    }

    /// Takes a fix, if the text allows it. Whether it does.
    fn add(&mut self, fix: &FindingFix) -> bool {
        let mut changes = Changes::default();
        let is_known = fix.edits.iter().all(|it| self.edit(it, &mut changes).is_some());
        if !is_known {
            return false;
        }
        changes.removed.sort_unstable();
        changes.removed.dedup();
        changes.removed.retain(|it| !self.removed.contains(it));
        let Some(removals) = self.removals_of(&changes.removed, &changes.edits) else {
            return false;
        };
        let Some(losses) = self.losses(&removals, &changes.removed) else { return false };
        let edits: Vec<Edit> =
            removals.iter().map(Removal::deletion).chain(changes.edits).collect();
        if !self.push_all(edits) {
            return false;
        }
        for (suite, lost) in losses {
            *self.left.entry(suite).or_default() -= lost;
        }
        self.removals.extend(removals);
        self.removed.extend(changes.removed);
        true
    }

    fn edit(&self, edit: &FixEdit, changes: &mut Changes) -> Option<()> {
        match edit {
            FixEdit::RemoveOp(op) => changes.removed.push(*op),
            FixEdit::Replace { occurrence, with } => {
                changes.edits.push(self.replacement(*occurrence, *with)?);
            }
            FixEdit::Bind { name, value, before, replaces } => {
                changes.edits.extend(self.binding(name, *value, *before, replaces)?);
            }
            FixEdit::KeepRegion { op, region } => changes.edits.push(self.opening(*op, *region)?),
            FixEdit::Fill { buffer, with, before } => {
                changes.edits.push(self.filling(*buffer, *with, *before)?);
            }
            FixEdit::Assume { value, divisor, before } => {
                changes.edits.push(self.assuming(*value, *divisor, *before)?);
            }
            FixEdit::AddNoalias => changes.edits.push(self.noalias()?),
        }
        Some(())
    }

    /// Adds edits if none overlaps another, except for an equal one. Whether it did.
    fn push_all(&mut self, edits: Vec<Edit>) -> bool {
        let mut added = Vec::new();
        for edit in edits {
            let (start, end) = (u32::from(edit.range.start()), u32::from(edit.range.end()));
            let before = self.edits.range(..(start, end, u32::MAX)).next_back();
            if before.is_some_and(|(_, it)| *it == edit && !edit.is_insert()) {
                continue;
            }
            let after = self.edits.range((start, end, u32::MAX)..).next();
            let overlaps = before.is_some_and(|(key, _)| key.1 > start)
                || after.is_some_and(|(key, _)| key.0 < end);
            if overlaps {
                for key in added {
                    self.edits.remove(&key);
                }
                return false;
            }
            let key = (start, end, self.edits.len() as u32);
            self.edits.insert(key, edit);
            added.push(key);
        }
        true
    }

    /// All edits, with the suites that lost everything filled.
    fn finish(mut self) -> TextEdit {
        let mut first_of: FxHashMap<BlockId, bool> = FxHashMap::default();
        let body = &self.lowered.body;
        let mut removals = std::mem::take(&mut self.removals);
        removals.sort_by_key(|it| it.statement.start());
        let mut edits: Vec<Edit> = Vec::new();
        let mut filled: FxHashMap<TextRange, Edit> = FxHashMap::default();
        for removal in &removals {
            let is_emptied = first_of.entry(removal.block).or_insert_with(|| {
                body.blocks[removal.block].ops.iter().all(|it| self.removed.contains(it))
            });
            if std::mem::take(is_emptied) {
                filled.insert(removal.deletion().range, self.filled(removal));
            }
        }
        edits.extend(self.edits.into_values().map(|it| filled.remove(&it.range).unwrap_or(it)));
        TextEdit::from_edits(edits).unwrap_or_default()
    }
}

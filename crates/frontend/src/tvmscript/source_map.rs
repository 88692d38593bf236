//! Source map: the places of the parts of a body in the text.
//!
//! Everything is relative to the function's start (its first decorator) and keyed by the ids of the body: occurrences
//! in the canonical order of [`ir::Occurrences`] (one dense vector), operations, values, buffers. Lookups are O(1),
//! except by position: O(log n).

mod hidden;

use ir::{
    BufferId, OccurrenceId, OpId, ValueId,
    arena::Id,
    plan::{COMMON_SUBEXPRESSION, SourceView, finding::Place},
};
use syntax::{TextRange, TextSize};

use super::allow::{self, Allowances};

pub use hidden::has_word;
pub(crate) use hidden::{Hidden, hidden_names};

/// The place where an occurrence comes from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct OccurrenceSource {
    /// Its own text if it is real, else the text that it was made from.
    pub range: TextRange,
    /// True if the range is its own text. Virtual occurrences are made by desugaring (the second `x` of `0 < x < n`),
    /// promotion (casts), and the expansion of macros and names.
    pub is_real: bool,
}

/// A place for a new line right before an operation.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Site {
    /// The first byte of the statement: new text goes here, ends with a line break and [`Site::indent`].
    pub offset: TextSize,
    /// The white space before the statement on its line.
    pub indent: Box<str>,
}

/// A place for a new statement at the end of an arm of an `if`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct EndSite {
    /// Before the line break after the arm's last line: new text goes here, begins with a line break and
    /// [`EndSite::indent`].
    pub offset: TextSize,
    /// The white space before a statement of the arm; for an `else` that is not there, before the `if` or `elif`.
    pub indent: Box<str>,
    /// The indentation for a statement in an absent arm: an `else` is inserted first. `None` if the arm exists.
    pub inner: Option<Box<str>>,
}

/// An index into [`SourceMap::definitions`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct DefinitionId(pub u32);

/// The kind of thing that a name names.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum DefinitionKind {
    /// A parameter of the function.
    Param,
    /// A loop variable, thread index or iteration variable of a block.
    Index,
    /// An immutable binding.
    Binding,
    /// A mutable scalar (`x = e` of the `tirx` dialect).
    Cell,
    /// A buffer.
    Buffer,
    /// A shape variable (`n = T.int32()`, a name in a quoted shape).
    Symbol,
    /// A name for a compile-time value: `T.meta_var`, a tuple, a nested macro.
    Meta,
    /// A name from outside the function.
    Captured,
}

/// A name that the function defines, or captures.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Definition {
    /// The name.
    pub name: Box<str>,
    /// The place where it is defined; the first use for a captured name.
    pub range: TextRange,
    /// The kind.
    pub kind: DefinitionKind,
    /// The value, if it is one.
    pub value: Option<ValueId>,
    /// The buffer, if it is one.
    pub buffer: Option<BufferId>,
    /// The known value of a captured name, or the reason why it is not known, as a sentence.
    pub note: Option<Box<str>>,
    /// True for a captured name whose value is known: the text says a name for what may be another value elsewhere.
    pub is_known: bool,
}

/// The text of a body.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub struct SourceMap {
    pub(crate) occurrences: Vec<OccurrenceSource>,
    pub(crate) op_ranges: Vec<TextRange>,
    pub(crate) expanded: Vec<bool>,
    pub(crate) sites: Vec<Option<Site>>,
    /// By `if` and arm, sorted.
    pub(crate) ends: Vec<(OpId, u32, EndSite)>,
    pub(crate) definitions: Vec<Definition>,
    /// Sorted by start.
    pub(crate) uses: Vec<(TextRange, DefinitionId)>,
    pub(crate) value_definitions: Vec<Option<TextRange>>,
    pub(crate) buffer_definitions: Vec<Option<TextRange>>,
    pub(crate) hidden: Hidden,
    /// Names of which only the type, the extents or the like are used, sorted.
    pub(crate) asked: Vec<Box<str>>,
    pub(crate) allowances: Allowances,
}

impl SourceMap {
    /// The place where an occurrence comes from.
    pub fn occurrence(&self, id: OccurrenceId) -> OccurrenceSource {
        self.occurrences[id.index()]
    }
    /// Its range.
    pub fn occurrence_range(&self, id: OccurrenceId) -> TextRange {
        self.occurrence(id).range
    }
    /// Returns true if an occurrence has its own text.
    pub fn is_real(&self, id: OccurrenceId) -> bool {
        self.occurrences.get(id.index()).is_some_and(|it| it.is_real)
    }
    /// All occurrences, in canonical order.
    pub fn occurrences(&self) -> &[OccurrenceSource] {
        &self.occurrences
    }
    /// The statement that an operation was made from (with its block).
    pub fn op_range(&self, op: OpId) -> TextRange {
        self.op_ranges[op.index()]
    }
    /// Returns true if an operation is a statement of this text. The statements of a macro call are not: their text is
    /// the macro's.
    pub fn is_written(&self, op: OpId) -> bool {
        !self.expanded.get(op.index()).copied().unwrap_or_default()
    }
    /// Returns the number of operations with text: those with the first ids. A rewritten body may have more.
    pub fn n_ops(&self) -> usize {
        self.op_ranges.len()
    }
    /// Returns the place where a new line may be inserted right before an operation. `None` for the inner loops of one
    /// `T.grid`, an `elif`, statements of a macro, and statements that share a line.
    pub fn site(&self, op: OpId) -> Option<&Site> {
        self.sites.get(op.index())?.as_ref()
    }
    /// Returns the place where a statement may be added at the end of an arm of an `if`: 0, or 1 for the `else`, which
    /// may have to be made. None where the arm shares a line, and for an `else` that is an `elif`.
    pub fn end_site(&self, branch: OpId, arm: u32) -> Option<&EndSite> {
        let at = self.ends.binary_search_by_key(&(branch, arm), |it| (it.0, it.1)).ok()?;
        Some(&self.ends[at].2)
    }
    /// All arms that have an end site, in order.
    pub fn end_sites(&self) -> impl Iterator<Item = (OpId, u32)> + '_ {
        self.ends.iter().map(|it| (it.0, it.1))
    }
    /// All names that are defined or captured, in text order of their first mention.
    pub fn definitions(&self) -> &[Definition] {
        &self.definitions
    }
    /// A definition.
    pub fn definition(&self, id: DefinitionId) -> &Definition {
        &self.definitions[id.0 as usize]
    }
    /// Every mention of a name (definitions included), in text order.
    pub fn mentions(&self) -> &[(TextRange, DefinitionId)] {
        &self.uses
    }
    /// The name at an offset (the end of a name counts as in it).
    pub fn mention_at(&self, offset: TextSize) -> Option<(TextRange, DefinitionId)> {
        let after = self.uses.partition_point(|(range, _)| range.start() <= offset);
        let (range, id) = *self.uses[..after].last()?;
        (offset <= range.end()).then_some((range, id))
    }
    /// The place of a finding; `None` for the function, and for code without text.
    pub fn place(&self, place: Place) -> Option<TextRange> {
        match place {
            Place::Op(op) => Some(self.op_range(op)),
            Place::Occurrence(it) => Some(self.occurrence_range(it)),
            Place::Value(it) => self.value_definition(it),
            Place::Buffer(it) => self.buffer_definition(it),
            Place::Function => None,
        }
    }
    /// Returns true if a rule is allowed at a place: by a comment there, or in all of the function.
    pub fn is_allowed(&self, rule: &str, place: Place) -> bool {
        match self.place(place) {
            Some(range) => self.allowances().at(rule, range),
            None => self.allowances().everywhere(rule),
        }
    }
    /// The names mentioned in a range, in text order.
    pub fn mentions_in(&self, range: TextRange) -> impl Iterator<Item = DefinitionId> + '_ {
        let start = self.uses.partition_point(|(it, _)| it.start() < range.start());
        self.uses[start..].iter().take_while(move |(it, _)| it.end() <= range.end()).map(|it| it.1)
    }
    /// All mentions of one definition, in text order.
    pub fn mentions_of(&self, id: DefinitionId) -> impl Iterator<Item = TextRange> + '_ {
        self.uses.iter().filter(move |(_, it)| *it == id).map(|(range, _)| *range)
    }
    /// The name that defines a value.
    pub fn value_definition(&self, value: ValueId) -> Option<TextRange> {
        self.value_definitions.get(value.index()).copied().flatten()
    }
    /// The name that defines a buffer.
    pub fn buffer_definition(&self, buffer: BufferId) -> Option<TextRange> {
        self.buffer_definitions.get(buffer.index()).copied().flatten()
    }
    /// Returns true if the text in a range mentions a captured name whose value is known. What is concluded from the
    /// value holds for it alone, and text that is written for the conclusion no longer changes with the name.
    pub fn mentions_known(&self, range: TextRange) -> bool {
        self.mentions_in(range).any(|it| self.definition(it).is_known)
    }
    /// Returns the allowances of this function.
    pub fn allowances(&self) -> &Allowances {
        &self.allowances
    }
    /// By occurrence whether a rule is allowed there; empty if it is nowhere.
    pub fn allowed_occurrences(&self, rule: &str) -> Vec<bool> {
        self.allowances.occurrences(rule, &self.occurrences)
    }
    /// Returns true if the text also mentions a name of a binding, scalar or buffer of its own in a part that was not
    /// lowered.
    pub fn is_hidden(&self, name: &str) -> bool {
        is_in(&self.hidden.locals, name)
    }
    /// Returns true if the text also mentions any name that it defines in a part that was not lowered.
    pub fn is_mentioned_unread(&self, name: &str) -> bool {
        self.is_hidden(name) || is_in(&self.hidden.others, name)
    }
    /// The names of bindings, scalars and buffers that the text uses although no operation does, sorted: those that it
    /// mentions in parts that are not lowered, and those whose type, extents or the like it asks for.
    pub fn used_unread(&self) -> Vec<Box<str>> {
        let mut all: Vec<Box<str>> =
            self.hidden.locals.iter().chain(&self.asked).cloned().collect();
        all.sort_unstable();
        all.dedup();
        all
    }
    /// Calls `with` with this map as the planner sees it.
    pub fn with_view<R>(&self, with: impl FnOnce(SourceView<'_>) -> R) -> R {
        let allowed = self.allowed_occurrences(COMMON_SUBEXPRESSION.name);
        with(SourceView {
            is_real: &|occurrence| self.is_real(occurrence),
            is_written: &|op| self.is_written(op),
            is_site: &|op| self.site(op).is_some(),
            is_end_site: &|branch, arm| self.end_site(branch, arm).is_some(),
            range: &|occurrence| {
                let range = self.occurrence_range(occurrence);
                (range.start().into(), range.end().into())
            },
            is_allowed: &|occurrence| allow::is_allowed(&allowed, occurrence),
            names: &|visit| self.definitions.iter().for_each(|definition| visit(&definition.name)),
            is_hidden: &|name| self.is_hidden(name) || is_in(&self.asked, name),
        })
    }
}

/// Returns true if sorted names have this one.
fn is_in(names: &[Box<str>], name: &str) -> bool {
    names.binary_search_by(|it| (**it).cmp(name)).is_ok()
}

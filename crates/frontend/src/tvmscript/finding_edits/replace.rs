//! Replaced occurrences.
//!
//! In: an occurrence and its replacement. Out: the edit; `None` if the occurrence has no text of its own, if another
//! occurrence is made from the same text, or if the text is the beginning of a slice, whose end repeats it.

use ir::{ExprKind, OccurrenceId, OpKind, plan::finding::Replacement};
use rustc_hash::FxHashMap;
use syntax::{Edit, SyntaxKind, TextRange, TextSize};

use super::Writer;
use crate::tvmscript::edits::{names, script_alias};

/// The number of occurrences of one expression with one text.
pub(super) type Shared = FxHashMap<(TextRange, ir::ExprId), u32>;

impl Writer<'_> {
    pub(super) fn replacement(&self, occurrence: OccurrenceId, with: Replacement) -> Option<Edit> {
        let range = self.own_range(occurrence)?;
        let body = &self.lowered.body;
        match with {
            Replacement::Value(value) => {
                let name = body.name(body.values[value].name);
                if !self.mentions().is_unique(name) {
                    return None;
                }
                Some(names::name_edit(self.text, range, name))
            }
            Replacement::Bool(value) => {
                let alias = script_alias(self.text);
                let text = if value { "True" } else { "False" };
                Some(names::name_edit(self.text, range, &format!("{alias}.bool({text})")))
            }
            Replacement::Copy(source) => self.copy(range, source),
        }
    }

    /// The text of an occurrence that is its own.
    pub(in crate::tvmscript) fn own_range(&self, occurrence: OccurrenceId) -> Option<TextRange> {
        let map = &self.lowered.source_map;
        let is_own = map.is_real(occurrence) && self.is_only(occurrence);
        // The domain of a block variable may be the extent of its loop, without a text.
        let op = self.occurrences[occurrence].op;
        let is_loop = matches!(self.lowered.body.ops[op].kind, OpKind::For(_));
        let may_be_domain = is_loop && !self.lowered.body.sblocks.is_empty();
        (is_own && !may_be_domain && !self.is_in_slice(occurrence))
            .then(|| map.occurrence_range(occurrence))
    }

    /// Returns true if a text may be written elsewhere: it is an expression (`i:i + 4` is none, though it is a vector),
    /// and every name in it means the same wherever it is visible.
    pub(super) fn means_the_same(&self, range: TextRange) -> bool {
        let map = &self.lowered.source_map;
        let node = self.root.covering_element(range);
        let is_slice = node.as_node().is_some_and(|it| it.kind() == SyntaxKind::SLICE_EXPR);
        !is_slice
            && map.mentions_in(range).all(|id| self.mentions().is_unique(&map.definition(id).name))
    }

    /// The text of an occurrence in the place of another, in parentheses where it may not stand without.
    fn copy(&self, range: TextRange, source: OccurrenceId) -> Option<Edit> {
        let map = &self.lowered.source_map;
        let from = map.occurrence_range(source);
        if !map.is_real(source) || !(range.contains_range(from) || self.means_the_same(from)) {
            return None;
        }
        Some(self.written(range, self.text_of(from).trim()))
    }

    /// An expression in the place of another, in parentheses where it may not stand without.
    pub(in crate::tvmscript) fn written(&self, range: TextRange, text: &str) -> Edit {
        if names::is_atom(text) {
            return names::name_edit(self.text, range, text);
        }
        // Inside brackets a text may go on over lines, elsewhere it needs some.
        let whole = names::without_parentheses(self.text, range).0;
        let stands_alone = self.stands_alone(whole) && !text.contains('\n');
        let target = if stands_alone { whole } else { range };
        let is_wrapped = !stands_alone && whole != range;
        let text = if stands_alone || is_wrapped { text.to_owned() } else { format!("({text})") };
        Edit::replace(target, text)
    }

    /// Returns true if any expression may be written in a place without parentheses: an argument, an index, the whole
    /// of a condition or a value.
    fn stands_alone(&self, range: TextRange) -> bool {
        let before = self.text[..usize::from(range.start())].trim_end_matches([' ', '\t']);
        let after = self.text[usize::from(range.end())..].trim_start_matches([' ', '\t']);
        let is_assigned =
            before.strip_suffix('=').is_some_and(|it| !it.ends_with(['=', '!', '<', '>']));
        let opens = is_assigned || before.ends_with(['(', '[', ',']);
        let ends = after.is_empty() || after.starts_with(['\n', '\r', '#', ')', ']', ',']);
        let keyword = ["if", "elif", "while", "assert", "return"].iter().any(|it| {
            before.strip_suffix(it).is_some_and(|rest| {
                !rest.ends_with(|c: char| c.is_alphanumeric() || c == '_')
                    && rest.rsplit(['\n', '\r']).next().is_some_and(|line| line.trim().is_empty())
            })
        });
        (opens && ends) || (keyword && (ends || after.starts_with(':')))
    }

    /// Returns true if no other occurrence of the expression is made from the same text.
    fn is_only(&self, occurrence: OccurrenceId) -> bool {
        let (map, occurrences) = (&self.lowered.source_map, self.occurrences);
        let shared = self.shared.get_or_init(|| {
            let mut shared = Shared::default();
            for (id, it) in occurrences.iter() {
                *shared.entry((map.occurrence_range(id), it.expr)).or_default() += 1;
            }
            shared
        });
        let key = (map.occurrence_range(occurrence), occurrences[occurrence].expr);
        shared.get(&key) == Some(&1)
    }

    /// Returns true if an occurrence is in the first part of `A[e:e + 4]`.
    fn is_in_slice(&self, occurrence: OccurrenceId) -> bool {
        let (body, occurrences) = (&self.lowered.body, self.occurrences);
        let mut at = occurrence;
        loop {
            let here = occurrences[at];
            let is_index = match here.parent {
                None => matches!(body.ops[here.op].kind, OpKind::Store { .. }) && here.operand > 0,
                Some(parent) => matches!(
                    body.expr(occurrences[parent].expr).kind,
                    ExprKind::Load { .. } | ExprKind::Ramp { .. }
                ),
            };
            let range = self.lowered.source_map.occurrence_range(at);
            if is_index && self.is_before_colon(range.end()) {
                return true;
            }
            match here.parent {
                Some(parent) => at = parent,
                None => return false,
            }
        }
    }

    fn is_before_colon(&self, offset: TextSize) -> bool {
        let rest = self.text[usize::from(offset)..].trim_start_matches([' ', '\t', ')']);
        rest.starts_with(':')
    }
}

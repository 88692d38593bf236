//! The text of a binding's value.
//!
//! In: a binding. Out: the text of its first occurrence that can be written at the binding's place, with the parts that
//! have names of their own replaced by these. A value over several lines gets parentheses if it has none.

use ir::{
    ExprId, OccurrenceId,
    arena::Id,
    plan::{Decision, Part},
};
use rustc_hash::FxHashMap;
use syntax::{TextRange, TextSize};

use super::Writer;

impl Writer<'_> {
    /// The text of a value at a place: of one of its occurrences that has this form and can be written there.
    pub(super) fn value(
        &self,
        expr: ExprId,
        occurrences: &[OccurrenceId],
        names: &FxHashMap<ExprId, &str>,
        place: TextSize,
    ) -> String {
        // Occurrences may be written in several ways; the plan says which one is the value.
        // All of it may have got another name since.
        if let Some(&name) = names.get(&expr) {
            return name.to_owned();
        }
        let first = occurrences.iter().copied().find(|&it| {
            self.occurrences[it].expr == expr
                && self.map.is_real(it)
                && !self.mentions_later(self.map.occurrence_range(it), place)
        });
        match first {
            Some(occurrence) => one_line(&self.composed(occurrence, names)),
            // No text of it is valid there: written as the printer would.
            None => ir::print::expr_text_with(self.body, expr, names),
        }
    }

    /// The names of parts of a value.
    pub(super) fn names_inside(&self, uses: &[Part], reuses: &[Part]) -> FxHashMap<ExprId, &str> {
        let bound = uses.iter().map(|it| (it.expr, &*self.plan.bindings[it.of].name));
        let reused = reuses.iter().filter_map(|it| {
            let Decision::Reuse(reuse) = &self.plan.groups[it.of].decision else { return None };
            Some((it.expr, reuse.name(self.body)))
        });
        bound.chain(reused).collect()
    }

    /// Returns true if a text has a name that is defined only after a place: a compile-time name, or one in a part that
    /// was folded away (`T.if_then_else(True, x, i)` is `x`). Names that the text itself defines do not count.
    fn mentions_later(&self, range: TextRange, place: TextSize) -> bool {
        let mentions = self.map.mentions();
        let start = mentions.partition_point(|it| it.0.start() < range.start());
        mentions[start..].iter().take_while(|it| it.0.end() <= range.end()).any(|&(_, id)| {
            let definition = self.map.definition(id);
            definition.range.start() >= place && !range.contains_range(definition.range)
        })
    }

    /// The text of an occurrence with named parts replaced.
    fn composed(&self, occurrence: OccurrenceId, names: &FxHashMap<ExprId, &str>) -> String {
        let whole = self.map.occurrence_range(occurrence);
        if names.is_empty() {
            return self.text_of(whole).to_owned();
        }
        let mut parts: Vec<(TextRange, &str)> = Vec::new();
        let mut at = OccurrenceId::new(occurrence.index() + 1);
        while at < self.occurrences[occurrence].end {
            let here = self.occurrences[at];
            if let Some(&name) = names.get(&here.expr)
                && let Some(range) = self.own_range(at, whole)
            {
                parts.push((self.without_parentheses(range).0, name));
                at = here.end;
            } else {
                at = OccurrenceId::new(at.index() + 1);
            }
        }
        parts.sort_unstable_by_key(|it| (it.0.start(), it.0.end()));
        let mut text = String::new();
        let mut at = whole.start();
        for (range, name) in parts {
            if range.start() >= at && range.end() <= whole.end() {
                text.push_str(self.text_of(TextRange::new(at, range.start())));
                text.push_str(name);
                at = range.end();
            }
        }
        text.push_str(self.text_of(TextRange::new(at, whole.end())));
        text
    }

    /// The text inside `whole` that stands for exactly this occurrence.
    fn own_range(&self, id: OccurrenceId, whole: TextRange) -> Option<TextRange> {
        let source = self.map.occurrence(id);
        if source.is_real {
            return Some(source.range);
        }
        // The outermost of what was made from one text is what the text stands for.
        let parent = self.occurrences[id].parent?;
        let is_outermost = self.map.occurrence_range(parent) != source.range;
        let is_part = whole.contains_range(source.range) && whole != source.range;
        (is_outermost && is_part).then_some(source.range)
    }
}

/// An expression that can stand alone: without parentheses around all of it, and with some if it spans lines outside
/// brackets.
pub(in crate::tvmscript) fn one_line(text: &str) -> String {
    let mut text = text.trim();
    while let Some(inner) = unwrapped(text) {
        text = inner.trim();
    }
    if breaks_line(text) { format!("({text})") } else { text.to_owned() }
}

/// The text inside the parentheses that hold all of it.
fn unwrapped(text: &str) -> Option<&str> {
    let inner = text.strip_prefix('(')?.strip_suffix(')')?;
    let mut depth = 1;
    for (at, kind) in brackets(text) {
        match kind {
            Bracket::Open if at > 0 => depth += 1,
            Bracket::Close => depth -= 1,
            Bracket::Comma if depth == 1 => return None,
            _ => {}
        }
        if depth == 0 && at + 1 < text.len() {
            return None;
        }
    }
    (!inner.trim().is_empty() && !inner.contains('#')).then_some(inner)
}

fn breaks_line(text: &str) -> bool {
    let mut depth = 0;
    for (at, kind) in brackets(text) {
        match kind {
            Bracket::Open => depth += 1,
            Bracket::Close => depth -= 1,
            Bracket::Line if depth == 0 && !text[..at].trim_end_matches('\r').ends_with('\\') => {
                return true;
            }
            _ => {}
        }
    }
    false
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Bracket {
    Open,
    Close,
    Comma,
    Colon,
    Line,
}

/// Brackets, commas, colons and line breaks of an expression, outside strings and comments.
pub(super) fn brackets(text: &str) -> Vec<(usize, Bracket)> {
    let bytes = text.as_bytes();
    let mut found = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        let kind = match bytes[at] {
            b'(' | b'[' | b'{' => Some(Bracket::Open),
            b')' | b']' | b'}' => Some(Bracket::Close),
            b',' => Some(Bracket::Comma),
            b':' => Some(Bracket::Colon),
            b'\n' => Some(Bracket::Line),
            b'#' => {
                at += text[at..].find('\n').unwrap_or(text.len() - at);
                continue;
            }
            quote @ (b'"' | b'\'') => {
                at = end_of_string(bytes, at, quote);
                continue;
            }
            _ => None,
        };
        found.extend(kind.map(|it| (at, it)));
        at += 1;
    }
    found
}

fn end_of_string(bytes: &[u8], start: usize, quote: u8) -> usize {
    let triple = bytes[start..].starts_with(&[quote; 3]);
    let mut at = start + if triple { 3 } else { 1 };
    while at < bytes.len() {
        match bytes[at] {
            b'\\' => at += 1,
            it if it == quote && !triple => return at + 1,
            it if it == quote && bytes[at..].starts_with(&[quote; 3]) => return at + 3,
            _ => {}
        }
        at += 1;
    }
    bytes.len()
}

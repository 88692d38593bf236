//! Expressions that are written anew.
//!
//! In: an occurrence and its replacement, or a variable and its value. Out: edits; none if a text is not the
//! occurrence's own, holds a comment, or a name in the new expression could mean something else there.

use ir::{
    ExprId, ExprKind, OccurrenceId, OpId, ValueId, arena::Id as _, print::expr_text,
    substitution::Substitution,
};
use rustc_hash::FxHashMap;
use syntax::{Edit, TextRange};

use super::Sketch;
use crate::tvmscript::edits::script_alias;

/// An expression that is written anew.
#[derive(Clone, Debug)]
pub(super) struct Written {
    pub(super) edit: Edit,
    /// The place where it stands.
    pub(super) at: OccurrenceId,
    /// The new expression.
    pub(super) with: ExprId,
    /// The last item that wrote it.
    pub(super) item: usize,
}

impl Sketch<'_> {
    pub(super) fn replace(&mut self, occurrence: OccurrenceId, with: ExprId) -> Option<()> {
        let written = self.written_anew(occurrence, with)?;
        self.write(written)
    }

    pub(super) fn set_operand(&mut self, op: OpId, operand: u32, with: ExprId) -> Option<()> {
        let is_new = op.index() >= self.writer.lowered.source_map.n_ops();
        if is_new || self.merged.contains_key(&op) {
            return None;
        }
        let top = self.writer.occurrences.of_operand(op, operand as usize)?;
        let written = self.written_anew(top, with)?;
        // What was written inside it is part of it.
        let (start, end) =
            (u32::from(written.edit.range.start()), u32::from(written.edit.range.end()));
        let inside: Vec<u32> = self.written.range(start..end).map(|it| *it.0).collect();
        inside.iter().for_each(|it| {
            self.written.remove(it);
        });
        self.write(written)
    }

    /// An expression in the place of an occurrence.
    fn written_anew(&self, at: OccurrenceId, with: ExprId) -> Option<Written> {
        let range = self.writer.own_range(at)?;
        let text = self.printed(range, with)?;
        Some(Written { edit: self.writer.written(range, &text), at, with, item: self.item })
    }

    /// The text of an expression in the place of a range.
    fn printed(&self, range: TextRange, expr: ExprId) -> Option<String> {
        if self.writer.text_of(range).contains('#') || !self.means_the_same(range, expr) {
            return None;
        }
        let text = expr_text(&self.grown, expr);
        let alias = script_alias(self.writer.text);
        Some(if alias == "T" { text } else { with_alias(&text, alias) })
    }

    /// Returns true if all names in an expression mean at a place the same as in the body: they are mentioned there, or
    /// only one thing has them.
    fn means_the_same(&self, range: TextRange, expr: ExprId) -> bool {
        let body = &self.grown;
        let map = &self.writer.lowered.source_map;
        let mut stack = vec![expr];
        while let Some(at) = stack.pop() {
            let (name, value, buffer) = match body.expr(at).kind {
                ExprKind::Value(it) => (body.values[it].name, Some(it), None),
                ExprKind::Load { buffer, .. }
                | ExprKind::Region(buffer, _)
                | ExprKind::Buffer(buffer)
                | ExprKind::BufferField(buffer, _) => {
                    (body.buffers[buffer].name, None, Some(buffer))
                }
                ExprKind::Opaque { .. } | ExprKind::Bound(_) => return false,
                // The reader refuses it.
                ExprKind::Binary(op, _, b) if op.is_division() && is_zero(body, b) => return false,
                _ => {
                    body.each_child(body.expr(at).kind, &mut |it| stack.push(it));
                    continue;
                }
            };
            body.each_child(body.expr(at).kind, &mut |it| stack.push(it));
            let name = body.name(name);
            let is_mentioned = map.mentions_in(range).any(|id| {
                let it = map.definition(id);
                &*it.name == name
                    && ((value.is_some() && it.value == value)
                        || (buffer.is_some() && it.buffer == buffer))
            });
            if !is_mentioned && !self.writer.mentions().is_unique(name) {
                return false;
            }
        }
        true
    }

    /// Adds edits that overlap nothing else.
    fn write(&mut self, written: Written) -> Option<()> {
        let (start, end) =
            (u32::from(written.edit.range.start()), u32::from(written.edit.range.end()));
        let before = self.written.range(..end).next_back();
        if before.is_some_and(|(_, it)| u32::from(it.edit.range.end()) > start) {
            return None;
        }
        self.put(written);
        Some(())
    }

    fn put(&mut self, written: Written) {
        let start = u32::from(written.edit.range.start());
        let body = &self.grown;
        let mut stack = vec![written.with];
        while let Some(at) = stack.pop() {
            if let ExprKind::Value(value) = body.expr(at).kind {
                let readers = self.readers.entry(value).or_default();
                if readers.last() != Some(&start) {
                    readers.push(start);
                }
            }
            body.each_child(body.expr(at).kind, &mut |it| stack.push(it));
        }
        self.written.insert(start, written);
    }

    /// Puts the value of a variable in the place of all its mentions outside a header, also of those that were written
    /// anew; nothing if one of them is not the text of a use.
    pub(super) fn substitute(
        &mut self,
        header: TextRange,
        value: ValueId,
        with: ExprId,
    ) -> Option<()> {
        let body = &self.writer.lowered.body;
        let map = &self.writer.lowered.source_map;
        if map.is_hidden(body.name(body.values[value].name)) {
            return None;
        }
        let (old, mut new) = self.rewritten(value, with)?;
        let is_written = |range: TextRange| {
            let before = self.written.range(..=u32::from(range.start())).next_back();
            before.is_some_and(|(_, it)| it.edit.range.contains_range(range))
        };
        let mut own = Vec::new();
        for &it in self.uses().get(&value).into_iter().flatten() {
            if is_written(map.occurrence_range(it)) {
                continue;
            }
            own.push(self.writer.own_range(it)?);
            new.push(self.written_anew(it, with)?);
        }
        own.sort_unstable_by_key(|it| it.start());
        let is_own = |it: TextRange| own.binary_search_by_key(&it.start(), |it| it.start()).is_ok();
        let mentions = self.writer.mentions().of_value(value);
        let all =
            mentions.iter().all(|&it| header.contains_range(it) || is_written(it) || is_own(it));
        if !all {
            return None;
        }
        for start in old {
            self.written.remove(&start);
        }
        new.into_iter().for_each(|it| self.put(it));
        Some(())
    }

    /// Returns the rewritten texts that read a variable, with their starts, and with the value of the variable
    /// substituted.
    fn rewritten(&mut self, value: ValueId, with: ExprId) -> Option<(Vec<u32>, Vec<Written>)> {
        let mut old = self.readers.remove(&value).unwrap_or_default();
        old.sort_unstable();
        old.dedup();
        let mut values = Substitution::default();
        values.add(value, with);
        let mut new = Vec::with_capacity(old.len());
        for start in &old {
            let Some((at, before)) = self.written.get(start).map(|it| (it.at, it.with)) else {
                continue;
            };
            let after = values.apply(self.grown.to_mut(), before);
            if after == before {
                new.extend(self.written.get(start).cloned());
            } else {
                new.push(self.written_anew(at, after)?);
            }
        }
        Some((old, new))
    }

    /// The uses of each variable.
    fn uses(&self) -> &FxHashMap<ValueId, Vec<OccurrenceId>> {
        self.uses.get_or_init(|| {
            let mut uses: FxHashMap<ValueId, Vec<OccurrenceId>> = FxHashMap::default();
            for (id, it) in self.writer.occurrences.iter() {
                if let ExprKind::Value(value) = self.writer.lowered.body.expr(it.expr).kind {
                    uses.entry(value).or_default().push(id);
                }
            }
            uses
        })
    }
}

fn is_zero(body: &ir::Body, expr: ExprId) -> bool {
    matches!(body.expr(expr).kind, ExprKind::Int(0)) || body.float_spelling(expr) == Some(0.0)
}

/// Printed text with another name for `T`.
fn with_alias(text: &str, alias: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut quote = None;
    let mut before = ' ';
    let mut rest = text;
    while let Some(it) = rest.chars().next() {
        let is_name = before.is_alphanumeric() || before == '_' || before == '.';
        if quote.is_none() && !is_name && rest.starts_with("T.") {
            out.push_str(alias);
        } else {
            out.push(it);
        }
        match quote {
            Some(open) if it == open && before != '\\' => quote = None,
            None if it == '"' || it == '\'' => quote = Some(it),
            _ => {}
        }
        before = it;
        rest = &rest[it.len_utf8()..];
    }
    out
}

#[cfg(test)]
mod tests {
    use super::with_alias;

    #[test]
    fn other_names_of_the_script_module() {
        let got = with_alias("T.max(x.T.y, \"T.a\") + AT.b + T.int64(1)", "tir");
        assert_eq!(got, "tir.max(x.T.y, \"T.a\") + AT.b + tir.int64(1)");
    }
}

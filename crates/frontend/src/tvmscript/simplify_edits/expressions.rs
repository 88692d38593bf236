//! Expressions that are written anew.
//!
//! In: an occurrence and what it becomes, or a variable and its value. Out: edits; none if a text is not the occurrence's own, holds a comment, or
//! a name in the new expression could mean something else there.

use ir::{
    ExprId, ExprKind, OccurrenceId, OpId, ValueId,
    arena::Id as _,
    fold::{Folded, fold},
    print::expr_text,
};
use syntax::{Edit, TextRange};

use super::Sketch;
use crate::tvmscript::edits::script_alias;

impl Sketch<'_> {
    pub(super) fn replace(&mut self, occurrence: OccurrenceId, with: ExprId) -> Option<()> {
        let range = self.writer.own_range(occurrence)?;
        if self.is_folded(occurrence, with) {
            return None;
        }
        let text = self.printed(range, with)?;
        self.write(self.writer.written(range, &text))
    }

    pub(super) fn set_operand(&mut self, op: OpId, operand: u32, with: ExprId) -> Option<()> {
        let is_new = op.index() >= self.writer.lowered.source_map.n_ops();
        if is_new || self.merged.contains_key(&op) {
            return None;
        }
        let top = self.writer.occurrences().of_operand(op, operand as usize)?;
        let range = self.writer.own_range(top)?;
        let text = self.printed(range, with)?;
        let edit = self.writer.written(range, &text);
        // What was written inside it is part of it.
        let (start, end) = (u32::from(edit.range.start()), u32::from(edit.range.end()));
        let inside: Vec<u32> = self.written.range(start..end).map(|it| *it.0).collect();
        inside.iter().for_each(|it| {
            self.written.remove(it);
        });
        self.write(edit)
    }

    /// The text of an expression in the place of a range.
    fn printed(&self, range: TextRange, expr: ExprId) -> Option<String> {
        if self.writer.text_of(range).contains('#') || !self.means_the_same(range, expr) {
            return None;
        }
        let text = expr_text(&self.plan.grown, expr);
        let alias = script_alias(self.writer.text);
        Some(if alias == "T" { text } else { with_alias(&text, alias) })
    }

    /// Whether all names in an expression mean in a place what they mean in the body: they are mentioned there, or only one thing has them.
    fn means_the_same(&self, range: TextRange, expr: ExprId) -> bool {
        let body = &self.plan.grown;
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

    /// Adds an edit that overlaps no other.
    fn write(&mut self, edit: Edit) -> Option<()> {
        let (start, end) = (u32::from(edit.range.start()), u32::from(edit.range.end()));
        let before = self.written.range(..end).next_back();
        if before.is_some_and(|(_, it)| u32::from(it.range.end()) > start) {
            return None;
        }
        self.written.insert(start, edit);
        Some(())
    }

    /// The edits that put the value of a variable in the place of all its mentions outside a header; none if one of them is not the text of
    /// a use.
    pub(super) fn substitution(
        &self,
        header: TextRange,
        value: ValueId,
        with: ExprId,
    ) -> Option<Vec<Edit>> {
        let body = &self.writer.lowered.body;
        let map = &self.writer.lowered.source_map;
        if map.is_hidden(body.name(body.values[value].name)) {
            return None;
        }
        let is_written = |range: TextRange| {
            let before = self.written.range(..=u32::from(range.start())).next_back();
            before.is_some_and(|(_, it)| it.range.contains_range(range))
        };
        let mut edits = Vec::new();
        let mut own = Vec::new();
        for &it in self.uses().get(&value).into_iter().flatten() {
            let range = map.occurrence_range(it);
            if is_written(range) {
                continue;
            }
            let range = self.writer.own_range(it)?;
            if self.is_folded(it, with) {
                return None;
            }
            let text = self.printed(range, with)?;
            own.push(range);
            edits.push(self.writer.written(range, &text));
        }
        own.sort_unstable_by_key(|it| it.start());
        let is_own = |it: TextRange| own.binary_search_by_key(&it.start(), |it| it.start()).is_ok();
        let mentions = self.writer.mentions().of_value(value);
        let all =
            mentions.iter().all(|&it| header.contains_range(it) || is_written(it) || is_own(it));
        all.then_some(edits)
    }

    /// Whether the reader would fold the operator around an occurrence, or refuse it, if something else stood there.
    fn is_folded(&self, at: OccurrenceId, with: ExprId) -> bool {
        let occurrences = self.writer.occurrences();
        let body = &self.plan.grown;
        let Some(parent) = occurrences[at].parent else { return false };
        let (op, a, b) = match body.expr(occurrences[parent].expr).kind {
            ExprKind::Binary(op, a, b) => (op, a, b),
            // Functions of constants are computed by the reader.
            ExprKind::Call { args, .. } => {
                let own = occurrences[at].expr;
                let is_constant = |it: ExprId| it == own || body.expr(it).is_constant();
                let all = body.items(args).iter().all(|&it| is_constant(it));
                return all && body.expr(with).is_constant();
            }
            ExprKind::Cast(_) | ExprKind::Unary(..) => return body.expr(with).is_constant(),
            _ => return false,
        };
        let is_left = at.index() == parent.index() + 1;
        let (a, b) = if is_left { (with, b) } else { (a, with) };
        body.dtype(with).is_some_and(|dtype| fold(body, op, a, b, dtype) != Folded::Keep)
    }

    /// The uses of each variable.
    fn uses(&self) -> &rustc_hash::FxHashMap<ValueId, Vec<OccurrenceId>> {
        self.uses.get_or_init(|| {
            let mut uses: rustc_hash::FxHashMap<ValueId, Vec<OccurrenceId>> = Default::default();
            for (id, it) in self.writer.occurrences().iter() {
                if let ExprKind::Value(value) = self.writer.lowered.body.expr(it.expr).kind {
                    uses.entry(value).or_default().push(id);
                }
            }
            uses
        })
    }

    pub(super) fn add_all(&mut self, edits: Vec<Edit>) {
        for edit in edits {
            self.written.insert(edit.range.start().into(), edit);
        }
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

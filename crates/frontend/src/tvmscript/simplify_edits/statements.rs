//! Statements that go, are opened, or change their headers.
//!
//! In: a step. Out: lines that go, lines that move left, headers that are written anew; nothing if the text is not of the form that the step
//! needs (see `headers`).

use ir::{ExprId, OpId, OpKind, ValueId};
use syntax::{SyntaxNode, TextRange, TextSize};

use super::{
    Sketch,
    headers::{Header, Suite},
};
use crate::tvmscript::{edits::script_alias, finding_edits::remove::is_statement};

impl Sketch<'_> {
    pub(super) fn remove(&mut self, op: OpId, fills: bool) -> Option<()> {
        // Its own lines are not all of it any more.
        if self.joined.contains_key(&op) || self.slot(op) != op {
            return None;
        }
        let removals = self.writer.removals_of(&[op], &[])?;
        let [removal] = &removals[..] else { return None };
        if self.defines_meta(removal.statement) || !removal.deletion().text.is_empty() {
            return None;
        }
        if fills {
            // Its lines, as they would go, with something else on them.
            let alias = script_alias(self.writer.text);
            let whole = removal.deletion().range;
            let statement = self.writer.without_line_end(removal.statement);
            let before = self.writer.text_of(TextRange::new(whole.start(), statement.start()));
            let after = self.writer.text_of(TextRange::new(statement.end(), whole.end()));
            self.gone.push(whole);
            self.filled.insert(whole, format!("{before}{alias}.evaluate(0){after}"));
            return Some(());
        }
        self.gone.push(removal.deletion().range);
        let node = self.writer.node_at(removal.statement.start(), is_statement)?;
        self.count(&node, -1);
        Some(())
    }

    /// Changes how many statements the suite of a statement has.
    fn count(&mut self, node: &SyntaxNode, by: i64) {
        let Some(suite) = node.parent() else { return };
        let left = self.left_in(&suite);
        *left = u32::try_from(i64::from(*left) + by).unwrap_or(0);
    }

    fn left_in(&mut self, suite: &SyntaxNode) -> &mut u32 {
        let start = u32::from(suite.text_range().start());
        self.left
            .entry(start)
            .or_insert_with(|| suite.children().filter(|it| is_statement(it.kind())).count() as u32)
    }

    /// The slot in which the header of an operation stands.
    fn slot(&self, op: OpId) -> OpId {
        self.slot_of.get(&op).copied().unwrap_or(op)
    }

    /// The lines in which an operation stands now.
    fn place(&mut self, op: OpId) -> Option<Header> {
        let slot = self.slot(op);
        self.header(slot)
    }

    /// The header's line goes; its comment stays.
    fn drop_header(&mut self, header: &Header) {
        match header.comment {
            Some(comment) => {
                self.gone.push(TextRange::new(header.line.start(), comment.start()));
            }
            None => {
                let blank = TextSize::from(header.indent as u32);
                let start = header.line.start() - blank;
                self.gone.push(TextRange::new(start, header.whole_line.end()));
            }
        }
    }

    fn dedent(&mut self, suite: &Suite, outer: usize) {
        self.dedents.push((suite.lines, (suite.indent - outer) as u32));
    }

    /// Counts the statements of a suite to those around.
    fn spill(&mut self, header: &Header, suite: &Suite) {
        let inner = *self.left_in(&suite.block.clone());
        self.count(&header.node, i64::from(inner) - 1);
    }

    pub(super) fn open(&mut self, op: OpId, region: u32) -> Option<()> {
        let header = self.place(op)?;
        if self.defines_meta(header.node.text_range()) || self.joined.contains_key(&op) {
            return None;
        }
        match region {
            0 => {
                if let Some(lines) = self.else_lines(&header) {
                    self.gone.push(lines);
                }
                self.drop_header(&header);
                self.dedent(&header.suite, header.indent);
                self.spill(&header, &header.suite);
            }
            _ => {
                let (suite, between) = header.otherwise.clone()?;
                let start = header.line.start() - TextSize::from(header.indent as u32);
                self.gone.push(TextRange::new(start, between.end()));
                self.dedent(&suite, header.indent);
                self.spill(&header, &suite);
            }
        }
        Some(())
    }

    pub(super) fn unwrap_loop(&mut self, op: OpId, value: ValueId, with: ExprId) -> Option<()> {
        let header = self.place(op)?;
        let own = self.header(op)?.line;
        if self.defines_meta(header.node.text_range()) {
            return None;
        }
        self.substitute(own, value, with)?;
        self.drop_header(&header);
        self.dedent(&header.suite, header.indent);
        self.spill(&header, &header.suite);
        Some(())
    }

    /// Whether a statement stands alone in a suite.
    fn is_alone(&mut self, node: &SyntaxNode, suite: &Suite) -> bool {
        node.parent().is_some_and(|it| it == suite.block) && *self.left_in(&suite.block) == 1
    }

    pub(super) fn merge(&mut self, outer: OpId, inner: OpId) -> Option<()> {
        let last = self.merged.get(&outer).and_then(|it| it.last().copied()).unwrap_or(outer);
        let (around, header) = (self.place(last)?, self.place(inner)?);
        let no_else = self.is_plain_guard(outer)? && self.is_plain_guard(inner)?;
        if !no_else || !self.is_alone(&header.node, &around.suite) {
            return None;
        }
        self.drop_header(&header);
        self.dedent(&header.suite, header.indent);
        for joined in self.joined.get(&inner).cloned().unwrap_or_default() {
            let joined = self.place(joined)?;
            self.dedent(&joined.suite, joined.indent);
        }
        self.merged.entry(outer).or_default().push(inner);
        let slot = self.slot(outer);
        self.changed.insert(slot);
        Some(())
    }

    /// Whether a guard has no `else` in the text, and its condition can be written elsewhere.
    fn is_plain_guard(&mut self, op: OpId) -> Option<bool> {
        let header = self.header(op)?;
        let is_if = self.writer.lowered.body.ops[op].kind == OpKind::If;
        Some(is_if && header.otherwise.is_none())
    }

    pub(super) fn join(&mut self, first: OpId, second: OpId) -> Option<()> {
        if !(self.is_plain_guard(first)? && self.is_plain_guard(second)?) {
            return None;
        }
        let last = self.joined.get(&first).and_then(|it| it.last().copied()).unwrap_or(first);
        let (before, start, header) = (self.place(last)?, self.place(first)?, self.place(second)?);
        let sibling = header.node.prev_sibling().filter(|it| is_statement(it.kind()));
        let is_next = sibling.is_some_and(|it| it == before.node);
        let is_aligned = start.indent == header.indent && start.suite.indent == header.suite.indent;
        if !is_next || !is_aligned {
            return None;
        }
        // On the line of the suite, as what is in it.
        self.drop_header(&header);
        self.count(&header.node, -1);
        self.joined.entry(first).or_default().push(second);
        Some(())
    }

    pub(super) fn hoist(&mut self, op: OpId, guard: OpId) -> Option<()> {
        let (outer, inner) = (self.place(op)?, self.place(guard)?);
        let is_plain = self.is_plain_guard(guard)? && self.header(op).is_some();
        // What was joined to the guard would have to be part of the loop's lines.
        if !is_plain
            || self.joined.contains_key(&guard)
            || outer.otherwise.is_some()
            || inner.otherwise.is_some()
        {
            return None;
        }
        if !self.is_alone(&inner.node, &outer.suite) {
            return None;
        }
        let (a, b) = (self.slot(op), self.slot(guard));
        self.slot_of.insert(op, b);
        self.slot_of.insert(guard, a);
        self.occupant_of.extend([(a, guard), (b, op)]);
        self.changed.extend([a, b]);
        Some(())
    }

    pub(super) fn negate(&mut self, op: OpId, with: ExprId) -> Option<()> {
        let header = self.header(op)?;
        let (_, between) = header.otherwise.clone()?;
        if self.slot(op) != op || self.defines_meta(header.node.text_range()) {
            return None;
        }
        self.set_operand(op, 0, with)?;
        self.gone.push(TextRange::new(header.whole_line.end(), between.end()));
        Some(())
    }

    pub(super) fn drop_else(&mut self, op: OpId) -> Option<()> {
        let header = self.header(op)?;
        let lines = self.else_lines(&header)?;
        if self.slot(op) != op || self.defines_meta(lines) {
            return None;
        }
        self.gone.push(lines);
        Some(())
    }
}

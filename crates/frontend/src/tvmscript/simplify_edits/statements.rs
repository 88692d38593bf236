//! Statements that go, are opened, or change their headers.
//!
//! In: a step. Out: lines that go, lines that move left, headers that are written anew; nothing if the text is not of
//! the form that the step needs (see `headers`).

use ir::{ExprId, OpId, ValueId};
use syntax::{SyntaxNode, TextRange};

use super::{
    Sketch,
    headers::{Header, Suite},
};
use crate::tvmscript::{edits::script_alias, finding_edits::remove::is_statement};

impl Sketch<'_> {
    pub(super) fn remove(&mut self, op: OpId, fills: bool) -> Option<()> {
        // Its own lines are not all of it any more.
        if self.joined.contains_key(&op) || self.slot(op) != op || self.is_between(op) {
            return None;
        }
        if let Some(clause) = self.header(op).and_then(|it| it.clause).filter(|it| it.1 > 0) {
            let lines = self.writer.lowered.source_map.op_range(op);
            let filler = fills.then(|| format!("{}.evaluate(0)", script_alias(self.writer.text)));
            let goes = !self.defines_meta(lines);
            return goes.then(|| self.remove_clause(clause, filler.as_deref())).flatten();
        }
        if let Some((first, index)) = self.axis_of(op)
            && index > 0
        {
            // There is no text for it: the loops around it have to go, too.
            let whole = self.writer.lowered.source_map.op_range(first);
            self.has_to_go.push(whole);
            return (!fills).then_some(());
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
    pub(super) fn count(&mut self, node: &SyntaxNode, by: i64) {
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

    /// The slot in which the header of an operation stands; loops of one header have the slot of the first.
    fn slot(&self, op: OpId) -> OpId {
        self.slot_of.get(&self.first_axis(op)).copied().unwrap_or(op)
    }

    /// The lines in which an operation stands now.
    fn place(&mut self, op: OpId) -> Option<Header> {
        let slot = self.slot(op);
        self.header(slot)
    }

    /// Returns true if the operation is one of several loops of one header, or stands between them: its contents are
    /// not where its lines suggest.
    fn is_between(&self, op: OpId) -> bool {
        let first = self.first_axis(op);
        self.between.contains_key(&op) || self.between.values().any(|it| *it == first)
    }

    /// The header's lines go; its comments stay.
    pub(super) fn drop_header(&mut self, header: &Header) {
        let inside = self.comments_in(&header.node, header.line);
        self.drop_header_but(header, &inside);
    }

    /// The header's lines are removed; the text behind it stays, and some comments in it.
    fn drop_header_but(&mut self, header: &Header, inside: &[TextRange]) {
        let inside: Vec<&str> = inside.iter().map(|it| self.writer.text_of(*it)).collect();
        let separator = format!("{}{}", self.newline(), " ".repeat(header.indent));
        let whole = match (header.comment, inside.is_empty()) {
            (Some(comment), _) => TextRange::new(header.line.start(), comment.start()),
            (None, true) => TextRange::new(header.line_start(), header.whole_line.end()),
            (None, false) => TextRange::new(header.line.start(), header.tail.end()),
        };
        if !inside.is_empty() {
            let mut text = inside.join(&separator);
            if header.comment.is_some() {
                text.push_str(&separator);
            }
            self.filled.insert(whole, text);
        }
        self.gone.push(whole);
    }

    pub(super) fn dedent(&mut self, suite: &Suite, outer: usize) {
        self.dedents.push((suite.lines, (suite.indent - outer) as i32));
    }

    /// Counts the statements of a suite to those around.
    pub(super) fn spill(&mut self, header: &Header, suite: &Suite) {
        let inner = *self.left_in(&suite.block.clone());
        self.count(&header.node, i64::from(inner) - 1);
    }

    pub(super) fn open(&mut self, op: OpId, region: u32) -> Option<()> {
        let header = self.place(op)?;
        let is_elsewhere = self.joined.contains_key(&op) || self.is_between(op);
        if self.defines_meta(header.node.text_range()) || is_elsewhere {
            return None;
        }
        if self.slot(op) == op {
            return self.open_clause(header.clause?, region);
        }
        // In the place of a loop, or of a guard without another clause.
        if region != 0 {
            return None;
        }
        self.drop_statement(&header);
        Some(())
    }

    /// A statement is replaced by its suite.
    fn drop_statement(&mut self, header: &Header) {
        self.drop_header(header);
        self.dedent(&header.suite, header.indent);
        self.spill(header, &header.suite);
    }

    pub(super) fn unwrap_loop(&mut self, op: OpId, value: ValueId, with: ExprId) -> Option<()> {
        let header = self.place(op)?;
        let own = self.header(op)?;
        if self.defines_meta(header.node.text_range()) || self.is_between(op) {
            return None;
        }
        if let Some(axis) = self.axis_of(op)
            && self.n_axes(op) > 1
        {
            self.unwrap_axis(&own, axis, value, with)?;
            let slot = self.slot(axis.0);
            self.changed.insert(slot);
            return Some(());
        }
        self.substitute(own.line, value, with)?;
        self.drop_statement(&header);
        Some(())
    }

    /// Returns true if a statement is the only one of a suite.
    fn is_alone(&mut self, node: &SyntaxNode, suite: &Suite) -> bool {
        node.parent().is_some_and(|it| it == suite.block) && *self.left_in(&suite.block) == 1
    }

    pub(super) fn merge(&mut self, outer: OpId, inner: OpId) -> Option<()> {
        let last = self.merged.get(&outer).and_then(|it| it.last().copied()).unwrap_or(outer);
        let (around, header) = (self.place(last)?, self.place(inner)?);
        let no_else = self.is_plain_guard(outer)? && self.is_plain_guard(inner)?;
        let is_elsewhere = self.is_between(outer) || self.is_between(inner);
        if !no_else || is_elsewhere || !self.is_alone(&header.node, &around.suite) {
            return None;
        }
        // What is in its header moves with the condition.
        self.drop_header_but(&header, &[]);
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

    /// Checks that a guard has no `else` in the text; returns whether its condition can be written elsewhere.
    fn is_plain_guard(&mut self, op: OpId) -> Option<bool> {
        let clause = self.header(op)?.clause?;
        Some(self.is_last_clause(clause))
    }

    pub(super) fn join(&mut self, first: OpId, second: OpId) -> Option<()> {
        let is_elsewhere = self.is_between(first) || self.is_between(second);
        if is_elsewhere || !(self.is_plain_guard(first)? && self.is_plain_guard(second)?) {
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
        // What was joined to the guard would have to be part of the loop's lines.
        if !self.is_plain_guard(guard)? || self.joined.contains_key(&guard) {
            return None;
        }
        let is_between = self.is_between(op) || self.is_between(guard);
        let is_started = is_between && self.between.get(&guard) == Some(&self.first_axis(op));
        if !self.is_alone(&inner.node, &outer.suite) || (is_between && !is_started) {
            return None;
        }
        if let Some(axis) = self.axis_of(op)
            && (is_started || self.n_axes(op) > 1)
        {
            if self.slot(op) != op || self.slot(guard) != guard {
                return None;
            }
            if !self.hoist_over_axis(axis, guard)? {
                self.changed.extend([axis.0, guard]);
                return Some(());
            }
        }
        let op = self.first_axis(op);
        let (a, b) = (self.slot(op), self.slot(guard));
        self.slot_of.insert(op, b);
        self.slot_of.insert(guard, a);
        self.occupant_of.extend([(a, guard), (b, op)]);
        self.changed.extend([a, b]);
        Some(())
    }

    pub(super) fn negate(&mut self, op: OpId, with: ExprId) -> Option<()> {
        let header = self.header(op)?;
        let clause = header.clause?;
        if self.slot(op) != op || self.defines_meta(header.node.text_range()) {
            return None;
        }
        self.set_operand(op, 0, with)?;
        self.negate_clause(clause)
    }

    pub(super) fn drop_else(&mut self, op: OpId) -> Option<()> {
        let header = self.header(op)?;
        if self.slot(op) != op || self.defines_meta(header.node.text_range()) {
            return None;
        }
        self.drop_rest(header.clause?)
    }
}

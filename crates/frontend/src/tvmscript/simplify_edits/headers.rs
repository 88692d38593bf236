//! Statements with a header and a suite, as lines.
//!
//! In: an `if` or `for`. Out: its [`Header`]; none if the statement is not of this form: one line of header, a suite of lines below, all of
//! it one operation. And the text of a header after all that changes in it.

use ir::{BinaryOp, ExprKind, OpId, OpKind, UnaryOp};
use syntax::{
    AstNode as _, SyntaxKind, SyntaxNode, TextRange, TextSize,
    ast::{ForStmt, IfStmt},
};

use super::Sketch;
use crate::tvmscript::{edits::names::is_atom, finding_edits::remove::is_statement};

/// The lines of a statement.
#[derive(Clone, Debug)]
pub(super) struct Header {
    pub(super) node: SyntaxNode,
    /// From the keyword to before the colon.
    pub(super) line: TextRange,
    /// From the keyword to the end of the line, with its line break.
    pub(super) whole_line: TextRange,
    /// The colon, and the comment behind it.
    pub(super) tail: TextRange,
    /// The comment behind it.
    pub(super) comment: Option<TextRange>,
    /// The first suite.
    pub(super) suite: Suite,
    /// The suite of an `else`, and the range from the end of the first suite to the first line of this one.
    pub(super) otherwise: Option<(Suite, TextRange)>,
    /// Columns before the keyword.
    pub(super) indent: usize,
}

/// A suite of lines.
#[derive(Clone, Debug)]
pub(super) struct Suite {
    pub(super) block: SyntaxNode,
    pub(super) lines: TextRange,
    /// Columns before its statements.
    pub(super) indent: usize,
}

impl Sketch<'_> {
    /// The header of a statement as it stands in the text.
    pub(super) fn header(&mut self, op: OpId) -> Option<Header> {
        if let Some(known) = self.headers.get(&op) {
            return known.clone();
        }
        let found = self.find_header(op);
        self.headers.insert(op, found.clone());
        found
    }

    fn find_header(&self, op: OpId) -> Option<Header> {
        let writer = &self.writer;
        let (body, map) = (&writer.lowered.body, &writer.lowered.source_map);
        let range = map.op_range(op);
        let site = map.site(op)?;
        if site.offset != range.start() || writer.statements().get(&range)?.len() != 1 {
            return None;
        }
        // One header may make several loops.
        let inner = body.blocks[body.entry(*body.ops[op].regions.first()?)].ops.first();
        if inner.is_some_and(|it| map.op_range(*it) == range) {
            return None;
        }
        let is_if = body.ops[op].kind == OpKind::If;
        let kind = if is_if { SyntaxKind::IF_STMT } else { SyntaxKind::FOR_STMT };
        let node = writer.node_at(range.start(), |it| it == kind)?;
        let (colon, block, otherwise) = if is_if {
            let it = IfStmt::cast(node.clone())?;
            if it.elif_clauses().next().is_some() {
                return None;
            }
            (it.colon_token()?, it.block()?, it.else_clause())
        } else {
            let it = ForStmt::cast(node.clone())?;
            (it.colon_token()?, it.block()?, None)
        };
        let start = node.text_range().start();
        let line = TextRange::new(start, colon.text_range().start());
        let (whole_line, comment) = self.rest_of_line(line, colon.text_range().end())?;
        let indent = writer.indent_of(start)?;
        let suite = self.suite(whole_line.end(), block.syntax().clone(), indent)?;
        let otherwise = match otherwise {
            None => None,
            Some(clause) => {
                let colon = clause.colon_token()?.text_range();
                let header = TextRange::new(clause.syntax().text_range().start(), colon.start());
                let (whole, _) = self.rest_of_line(header, colon.end())?;
                let suite = self.suite(whole.end(), clause.block()?.syntax().clone(), indent)?;
                Some((suite, whole.end()))
            }
        };
        let mut suite = suite;
        let otherwise = otherwise.map(|(other, lines_start)| {
            let between = TextRange::new(self.end_of_lines(suite.lines), lines_start);
            suite.lines = TextRange::new(suite.lines.start(), between.start());
            (other, between)
        });
        let indent = indent.len();
        let end = comment.map_or(colon.text_range().end(), |it| it.end());
        let tail = TextRange::new(line.end(), end);
        Some(Header { node, line, whole_line, tail, comment, suite, otherwise, indent })
    }

    /// The line of a header with its break, and its comment; none if it is more than one line or has a suite on it.
    fn rest_of_line(
        &self,
        header: TextRange,
        after_colon: TextSize,
    ) -> Option<(TextRange, Option<TextRange>)> {
        let text = self.writer.text;
        if self.writer.text_of(header).contains('\n') {
            return None;
        }
        let rest = &text[usize::from(after_colon)..];
        let len = rest.find('\n')?;
        let line = rest[..len].trim_end();
        let blank = line.len() - line.trim_start().len();
        let comment = if line.trim().is_empty() {
            None
        } else if line[blank..].starts_with('#') {
            let start = after_colon + TextSize::from(blank as u32);
            Some(TextRange::at(start, TextSize::of(line.trim())))
        } else {
            return None;
        };
        let end = after_colon + TextSize::from(len as u32 + 1);
        Some((TextRange::new(header.start(), end), comment))
    }

    fn suite(&self, start: TextSize, block: SyntaxNode, outer: &str) -> Option<Suite> {
        let first = block.children().find(|it| is_statement(it.kind()))?;
        let indent = self.writer.indent_of(first.text_range().start())?;
        if !indent.starts_with(outer) || indent.len() <= outer.len() {
            return None;
        }
        let end = block.text_range().end();
        let lines = TextRange::new(start, end.max(start));
        Some(Suite { indent: indent.len(), lines, block })
    }

    /// The end of the last line of a suite that has something, with its line break.
    fn end_of_lines(&self, lines: TextRange) -> TextSize {
        let end = self.writer.without_line_end(lines).end();
        let rest = &self.writer.text[usize::from(end)..];
        match rest.find('\n') {
            Some(at) => end + TextSize::from(at as u32 + 1),
            None => end + TextSize::of(rest),
        }
    }

    /// From the first suite to the end of a statement that has an `else`.
    pub(super) fn else_lines(&self, header: &Header) -> Option<TextRange> {
        let (other, between) = header.otherwise.as_ref()?;
        Some(TextRange::new(between.start(), self.end_of_lines(other.lines)))
    }

    /// The header of an operation with all that changes in it, without its colon.
    pub(super) fn rendered(&mut self, op: OpId) -> Option<String> {
        let line = self.header(op)?.line;
        let Some(merged) = self.merged.get(&op).cloned() else {
            return Some(self.with_edits(line));
        };
        let mut text = format!("if {}", self.condition(op, true)?);
        for part in merged {
            text.push_str(" and ");
            text.push_str(&self.condition(part, false)?);
        }
        Some(text)
    }

    /// The condition of an `if`, as a part of `and`.
    fn condition(&mut self, op: OpId, is_first: bool) -> Option<String> {
        let line = self.header(op)?.line;
        let text = self.with_edits(line);
        let text = text.strip_prefix("if")?.trim();
        let root = self.writer.occurrences().of_operand(op, 0)?;
        let range = self.writer.lowered.source_map.occurrence_range(root);
        let inside = self.written.range(u32::from(line.start())..u32::from(line.end()));
        let whole = inside.map(|it| it.1).find(|it| it.edit.range.contains_range(range));
        let replaced = whole.is_some();
        let kind = self.writer.lowered.body.expr(self.writer.lowered.body.ops[op].operands[0]).kind;
        let binds = match kind {
            _ if is_atom(text) => true,
            // What is written anew may be anything.
            _ if replaced => false,
            ExprKind::Binary(BinaryOp::And, ..) => is_first,
            ExprKind::Binary(it, ..) => it.is_comparison(),
            ExprKind::Unary(UnaryOp::Not, _) => true,
            _ => false,
        };
        Some(if binds { text.to_owned() } else { format!("({text})") })
    }

    /// A range of the text with the expressions in it that are written anew.
    fn with_edits(&self, range: TextRange) -> String {
        let mut text = String::new();
        let mut at = range.start();
        for edit in self.written.range(u32::from(range.start())..u32::from(range.end())) {
            let edit = &edit.1.edit;
            text.push_str(self.writer.text_of(TextRange::new(at, edit.range.start())));
            text.push_str(&edit.text);
            at = edit.range.end();
        }
        text.push_str(self.writer.text_of(TextRange::new(at, range.end())));
        text
    }
}

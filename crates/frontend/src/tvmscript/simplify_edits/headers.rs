//! Statements with a header and a suite, as lines.
//!
//! In: an `if` or `for`. Out: its [`Header`]; none if the statement is not of this form: a header, which may go on over
//! lines in brackets, and a suite of lines below. An `if` is a clause of its chain (see `chains`), a `for` may be an
//! axis of a `T.grid` (see `grids`). And the text of a header after all that changes in it.

use ir::{BinaryOp, ExprKind, OpId, OpKind, UnaryOp};
use syntax::{
    AstNode as _, SyntaxKind, SyntaxNode, TextRange, TextSize,
    ast::{Block, ForStmt},
};

use super::{Sketch, chains::ClauseId};
use crate::tvmscript::{edits::names::is_atom, finding_edits::remove::is_statement};

/// The lines of a statement, or of a clause of one.
#[derive(Clone, Debug)]
pub(super) struct Header {
    /// The statement; the clause, if another one comes before it.
    pub(super) node: SyntaxNode,
    /// From the keyword to before the colon.
    pub(super) line: TextRange,
    /// From the keyword to the end of the line of the colon, with its line break.
    pub(super) whole_line: TextRange,
    /// The colon, and the comment behind it.
    pub(super) tail: TextRange,
    /// The comment behind it.
    pub(super) comment: Option<TextRange>,
    pub(super) suite: Suite,
    /// Columns before the keyword.
    pub(super) indent: usize,
    /// Of an `if`: which clause of which chain it is.
    pub(super) clause: Option<ClauseId>,
}

/// A suite of lines.
#[derive(Clone, Debug)]
pub(super) struct Suite {
    pub(super) block: SyntaxNode,
    pub(super) lines: TextRange,
    /// Columns before its statements.
    pub(super) indent: usize,
}

impl Header {
    /// From the beginning of its first line.
    pub(super) fn line_start(&self) -> TextSize {
        self.line.start() - TextSize::from(self.indent as u32)
    }
}

impl Sketch<'_> {
    /// The header of a statement as it stands in the text.
    pub(super) fn header(&mut self, op: OpId) -> Option<Header> {
        if self.writer.lowered.body.ops[op].kind == OpKind::If {
            return self.clause_header(op);
        }
        if let Some(known) = self.headers.get(&op) {
            return known.clone();
        }
        let found = self.loop_header(op);
        self.headers.insert(op, found.clone());
        found
    }

    fn loop_header(&self, op: OpId) -> Option<Header> {
        let writer = &self.writer;
        let map = &writer.lowered.source_map;
        let start = map.op_range(op).start();
        let first = self.first_axis(op);
        if map.site(first)?.offset != start
            || writer.statements().get(&map.op_range(op))?.len() != 1
        {
            return None;
        }
        let node = writer.node_at(start, |it| it == SyntaxKind::FOR_STMT)?;
        let it = ForStmt::cast(node.clone())?;
        self.header_of(node, it.colon_token()?.text_range(), &it.block()?, None)
    }

    /// The header of a statement or clause, up to a colon and with a suite.
    pub(super) fn header_of(
        &self,
        node: SyntaxNode,
        colon: TextRange,
        block: &Block,
        clause: Option<ClauseId>,
    ) -> Option<Header> {
        let start = node.text_range().start();
        let line = TextRange::new(start, colon.start());
        let (whole_line, comment) = self.rest_of_line(line, colon.end())?;
        let indent = self.writer.indent_of(start)?;
        let suite = self.suite(whole_line.end(), block.syntax().clone(), indent)?;
        let end = comment.map_or(colon.end(), |it| it.end());
        let tail = TextRange::new(line.end(), end);
        let indent = indent.len();
        Some(Header { node, line, whole_line, tail, comment, suite, indent, clause })
    }

    /// A header to the break of the line of its colon, and the comment behind it; none if a suite is on the line.
    fn rest_of_line(
        &self,
        header: TextRange,
        after_colon: TextSize,
    ) -> Option<(TextRange, Option<TextRange>)> {
        let rest = &self.writer.text[usize::from(after_colon)..];
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
    pub(super) fn end_of_lines(&self, lines: TextRange) -> TextSize {
        let end = self.writer.without_line_end(lines).end();
        let rest = &self.writer.text[usize::from(end)..];
        match rest.find('\n') {
            Some(at) => end + TextSize::from(at as u32 + 1),
            None => end + TextSize::of(rest),
        }
    }

    /// Comments inside a range, in order.
    pub(super) fn comments_in(&self, node: &SyntaxNode, range: TextRange) -> Vec<TextRange> {
        if !self.writer.text_of(range).contains('#') {
            return Vec::new();
        }
        let tokens = node.tokens().take_while(|it| it.text_range().start() < range.end());
        let comments = tokens.filter(|it| it.kind() == SyntaxKind::COMMENT);
        comments.map(|it| it.text_range()).filter(|it| range.contains_range(*it)).collect()
    }

    /// The header of an operation with all that changes in it, in the place of another's, without its colon.
    pub(super) fn rendered(&mut self, op: OpId, slot: OpId) -> Option<String> {
        if self.writer.lowered.body.ops[op].kind != OpKind::If {
            return self.rendered_loop(op);
        }
        let mut text = format!("{} {}", self.keyword(slot), self.condition(op, true)?);
        for part in self.merged.get(&op).cloned().unwrap_or_default() {
            text.push_str(" and ");
            text.push_str(&self.condition(part, false)?);
        }
        Some(text)
    }

    /// The condition of an `if`, as a part of `and` if it is one.
    fn condition(&mut self, op: OpId, is_first: bool) -> Option<String> {
        let line = self.header(op)?.line;
        let text = self.with_edits(line);
        let text = text.strip_prefix("elif").or_else(|| text.strip_prefix("if"))?.trim();
        if is_first && !self.merged.contains_key(&op) {
            return Some(text.to_owned());
        }
        let root = self.writer.occurrences.of_operand(op, 0)?;
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
    pub(super) fn with_edits(&self, range: TextRange) -> String {
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

//! Statements that are replaced by the contents of one of their suites.
//!
//! In: an operation and the region that stays. Out: the edit; none if the statement is no `if`, `elif` or `with` of one
//! item whose suite is that region.
//!
//! | what stays | the text |
//! |---|---|
//! | the first suite of an `if`, the only suite of a `with` | its lines, with the indentation of the statement |
//! | the rest of an `if` | the next `elif` becomes the `if`; the lines of an `else` |
//! | the first suite of an `elif` | it becomes the `else`, what follows goes |
//! | the rest of an `elif` | the clause goes |
//!
//! Comments of remaining code stay; one behind a header gets a line of its own. Linear in the statement.

use ir::{OpId, OpKind};
use syntax::{
    AstNode as _, Edit, SyntaxKind, SyntaxNode, TextRange, TextSize,
    ast::{ElifClause, IfStmt},
};

use super::Writer;

/// A suite of an `if` statement with its header.
struct Arm {
    /// `if`, `elif`, `else`.
    keyword: TextRange,
    /// The header's colon.
    colon: TextRange,
    block: SyntaxNode,
}

impl Writer<'_> {
    /// The edit that keeps one region of an operation.
    pub(super) fn opening(&self, op: OpId, region: u32) -> Option<Edit> {
        let start = self.lowered.source_map.op_range(op).start();
        let is_if = self.lowered.body.ops[op].kind == OpKind::If;
        let node = self.node_at(start, |kind| match kind {
            SyntaxKind::IF_STMT | SyntaxKind::ELIF_CLAUSE => is_if,
            SyntaxKind::WITH_STMT => !is_if,
            _ => false,
        })?;
        match node.kind() {
            SyntaxKind::IF_STMT => self.open_if(&node, region),
            SyntaxKind::ELIF_CLAUSE => self.open_elif(&ElifClause::cast(node)?, region),
            _ => self.open_with(op, &node, region),
        }
    }

    fn open_if(&self, node: &SyntaxNode, region: u32) -> Option<Edit> {
        let arms = arms(&IfStmt::cast(node.clone())?)?;
        let whole = self.without_line_end(node.text_range());
        let next = match (region, arms.as_slice()) {
            (0, [first, ..]) => return self.lines_of(whole, first.colon, &first.block),
            (1, [_, next, ..]) => next,
            _ => return None,
        };
        if self.text_of(next.keyword) == "else" {
            return self.lines_of(whole, next.colon, &next.block);
        }
        Some(Edit::replace(TextRange::new(whole.start(), next.keyword.end()), "if"))
    }

    fn open_elif(&self, clause: &ElifClause, region: u32) -> Option<Edit> {
        let statement = IfStmt::cast(clause.syntax().parent()?)?;
        let arms = arms(&statement)?;
        let start = clause.syntax().text_range().start();
        let at = arms.iter().position(|it| it.keyword.start() == start)?;
        let this = &arms[at];
        match region {
            0 => {
                let end = self.without_line_end(statement.syntax().text_range()).end();
                let suite = TextRange::new(this.colon.start(), this.block.text_range().end());
                let suite = self.without_line_end(suite);
                let text = format!("else{}", self.text_of(suite));
                Some(Edit::replace(TextRange::new(start, end), text))
            }
            1 => {
                let next = arms.get(at + 1)?;
                Some(Edit::delete(TextRange::new(start, next.keyword.start())))
            }
            _ => None,
        }
    }

    fn open_with(&self, op: OpId, node: &SyntaxNode, region: u32) -> Option<Edit> {
        let n_items = node.children().filter(|it| it.kind() == SyntaxKind::WITH_ITEM).count();
        let block = node.children().find(|it| it.kind() == SyntaxKind::BLOCK)?;
        let colon =
            node.children_with_tokens().filter(|it| it.kind() == SyntaxKind::COLON).last()?;
        if n_items != 1 || region != 0 {
            return None;
        }
        let header = TextRange::new(node.text_range().start(), colon.text_range().end());
        let names_go = self.names_go(op, &[header]);
        let whole = self.without_line_end(node.text_range());
        names_go.then(|| self.lines_of(whole, colon.text_range(), &block)).flatten()
    }

    /// The lines of a suite in the place of its statement.
    fn lines_of(&self, whole: TextRange, colon: TextRange, block: &SyntaxNode) -> Option<Edit> {
        let outer = self.indent_of(whole.start())?.len();
        let suite = self.text_of(TextRange::new(colon.end(), block.text_range().end()));
        let (header, lines) = suite.split_once('\n').unwrap_or((suite, ""));
        let comment_at = header.find('#');
        let first = block.children().next()?;
        if comment_at.is_none() && !header.trim().is_empty() {
            // A suite on the line of its header.
            return Some(Edit::replace(whole, suite.trim()));
        }
        let inner = self.indent_of(first.text_range().start())?.len();
        let by = inner.checked_sub(outer)?;
        let newline = if header.ends_with('\r') { "\r\n" } else { "\n" };
        let indent = self.indent_of(whole.start())?;
        let mut out = String::new();
        if let Some(at) = comment_at {
            out.push_str(header[at..].trim_end());
            out.push_str(newline);
            out.push_str(indent);
        }
        let lines_start = colon.end() + TextSize::of(header) + TextSize::of('\n');
        let mut at = lines_start;
        for line in lines.split_inclusive('\n') {
            out.push_str(if self.is_inside_string(at) { line } else { without_indent(line, by) });
            at += TextSize::of(line);
        }
        let out = out.trim_end_matches(['\n', '\r']);
        // The statement's own indentation is there already.
        let out = if comment_at.is_some() {
            // The comment's line break is followed by the indentation twice.
            let (comment, rest) = out.split_once('\n')?;
            format!("{comment}\n{}", rest.strip_prefix(indent)?)
        } else {
            out.strip_prefix(indent)?.to_owned()
        };
        Some(Edit::replace(whole, out))
    }

    /// Returns true if an offset is inside a string.
    pub(in crate::tvmscript) fn is_inside_string(&self, at: TextSize) -> bool {
        self.root.text_range().contains(at)
            && self.root.token_at_offset(at).left_biased().is_some_and(|it| {
                it.kind() == SyntaxKind::STRING
                    && it.text_range().start() < at
                    && at < it.text_range().end()
            })
    }

    /// The range without the line breaks and blanks at its end.
    pub(in crate::tvmscript) fn without_line_end(&self, range: TextRange) -> TextRange {
        let len = TextSize::of(self.text_of(range).trim_end());
        TextRange::at(range.start(), len)
    }

    /// The blanks before a place on its line; none if there is more.
    pub(in crate::tvmscript) fn indent_of(&self, at: TextSize) -> Option<&str> {
        let before = &self.text[..usize::from(at)];
        let line = &before[before.rfind('\n').map_or(0, |it| it + 1)..];
        line.trim().is_empty().then_some(line)
    }
}

/// A line without so many bytes of blanks, or all it has.
fn without_indent(line: &str, by: usize) -> &str {
    let n_blank = line.len() - line.trim_start_matches([' ', '\t']).len();
    &line[by.min(n_blank)..]
}

/// The suites of an `if` statement; none if one is not whole.
fn arms(statement: &IfStmt) -> Option<Vec<Arm>> {
    let arm = |keyword: Option<syntax::SyntaxToken>,
               colon: Option<syntax::SyntaxToken>,
               block: Option<syntax::ast::Block>| {
        Some(Arm {
            keyword: keyword?.text_range(),
            colon: colon?.text_range(),
            block: block?.syntax().clone(),
        })
    };
    let first = arm(statement.if_token(), statement.colon_token(), statement.block());
    let clauses =
        statement.elif_clauses().map(|it| arm(it.elif_token(), it.colon_token(), it.block()));
    let last = statement.else_clause().map(|it| arm(it.else_token(), it.colon_token(), it.block()));
    std::iter::once(first).chain(clauses).chain(last).collect()
}

//! User allowances: `# tir: allow(RULE, …)` in comments, `"tir.allow"` among the attributes of the function.
//!
//! In: a function. Out: [`Allowances`], which answers for any rule whether it is allowed at a place; and [`comment`],
//! the edit that allows one there. A comment counts
//!
//! | where it stands | for |
//! |---|---|
//! | right above the function, on a decorator's line, on the line of its `def` | the function |
//! | on a line of its own before the first statement of the function | the function |
//! | on a line of its own elsewhere | the next statement with all that is in it |
//! | at the end of a line | the statement there; of one with a block, its header |
//!
//! and `T.func_attr({"tir.allow": "RULE"})` (or a list of rules) for the function, also where its text is gone. What
//! people tell the linters of Python counts too: `# noqa: F841` (a name that is assigned and not used) allows
//! `dead-binding`.
//! Functions that do not have the words in their text are not looked at twice; else O(tokens).

use ir::{Body, OccurrenceId, arena::Id as _, plan::allow};
use syntax::{
    Edit, Green, SyntaxElement, SyntaxKind, SyntaxNode, SyntaxToken, TextRange, TextSize,
};

use super::source_map::OccurrenceSource;

/// The start of an allowance, anywhere in a comment.
const MARK: &str = "tir:";

/// The code of Python's linters for a name that is assigned and not used.
const UNUSED: &str = "F841";

/// Rules that are allowed, and where.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Allowances {
    /// In the whole function.
    whole: Vec<Box<str>>,
    /// In a part of its text: for code that starts there.
    parts: Vec<(TextRange, Box<str>)>,
}

impl Allowances {
    /// Reads those of a function. `above`: rules of the comments right above it.
    pub(super) fn collect(
        green: &Green,
        text: &str,
        above: &[Box<str>],
        body: &Body,
    ) -> Allowances {
        let mut whole: Vec<Box<str>> = above.to_vec();
        whole.extend(allow::in_attributes(body).map(Into::into));
        let mut allowances = Allowances { whole, parts: Vec::new() };
        if text.contains(MARK) || text.contains(UNUSED) {
            allowances.read_comments(&green.syntax());
        }
        allowances
    }

    fn read_comments(&mut self, root: &SyntaxNode) {
        for token in root.tokens().filter(|it| it.kind() == SyntaxKind::COMMENT) {
            let rules = rules(token.text());
            if rules.is_empty() {
                continue;
            }
            match reach(root, &token) {
                Reach::Function => self.whole.extend(rules.iter().map(|&it| it.into())),
                Reach::Part(range) => {
                    self.parts.extend(rules.iter().map(|&it| (range, it.into())));
                }
                Reach::Nothing => {}
            }
        }
    }

    /// Returns true if a rule is allowed in all of the function.
    pub fn everywhere(&self, rule: &str) -> bool {
        self.whole.iter().any(|it| **it == *rule)
    }

    /// Returns true if a rule is allowed for this range, relative to the function's start.
    pub fn at(&self, rule: &str, range: TextRange) -> bool {
        let start = range.start();
        self.everywhere(rule)
            || self.parts.iter().any(|(part, it)| {
                part.contains_inclusive(start) && start < part.end() && **it == *rule
            })
    }

    /// Returns true if nothing is allowed anywhere.
    pub fn is_empty(&self) -> bool {
        self.whole.is_empty() && self.parts.is_empty()
    }

    /// For each occurrence whether a rule is allowed there; empty if it is nowhere.
    pub(super) fn occurrences(&self, rule: &str, all: &[OccurrenceSource]) -> Vec<bool> {
        let everywhere = self.everywhere(rule);
        let mut parts: Vec<TextRange> =
            self.parts.iter().filter(|(_, it)| **it == *rule).map(|(range, _)| *range).collect();
        if !everywhere && parts.is_empty() {
            return Vec::new();
        }
        // Parts nest or are apart: outermost ones are enough.
        parts.sort_unstable_by_key(|it| (it.start(), std::cmp::Reverse(it.end())));
        let mut outer: Vec<TextRange> = Vec::new();
        for part in parts {
            if outer.last().is_none_or(|it| it.end() < part.end()) {
                outer.push(part);
            }
        }
        let is_in = |at: TextSize| {
            let after = outer.partition_point(|it| it.start() <= at);
            after > 0 && at < outer[after - 1].end()
        };
        all.iter().map(|it| everywhere || is_in(it.range.start())).collect()
    }
}

/// The rules that a comment allows.
fn rules(comment: &str) -> Vec<&str> {
    let mut found = Vec::new();
    if comment.split_once("noqa:").is_some_and(|it| it.1.contains(UNUSED)) {
        found.push("dead-binding");
    }
    let mut rest = comment;
    while let Some((_, after)) = rest.split_once(MARK) {
        rest = after;
        let Some(list) = after.trim_start().strip_prefix("allow(") else { continue };
        let Some((list, _)) = list.split_once(')') else { continue };
        found.extend(list.split(',').map(str::trim).filter(|it| !it.is_empty()));
    }
    found
}

/// The rules that the comments right above a definition allow: without a blank line between.
pub(super) fn above(definition: &SyntaxNode) -> Box<[Box<str>]> {
    let mut found: Vec<Box<str>> = Vec::new();
    let mut at = definition.prev_sibling_or_token();
    let mut line_breaks = 0;
    while let Some(SyntaxElement::Token(token)) = at {
        match token.kind() {
            SyntaxKind::NEWLINE => line_breaks += 1,
            SyntaxKind::COMMENT => {
                line_breaks = 0;
                let rules = rules(token.text());
                found.splice(0..0, rules.into_iter().map(Into::into));
            }
            SyntaxKind::WHITESPACE => {}
            _ => break,
        }
        if line_breaks > 1 {
            break;
        }
        at = token.prev_sibling_or_token();
    }
    found.into()
}

/// The part of the function that a comment is about.
enum Reach {
    Function,
    Part(TextRange),
    Nothing,
}

fn reach(root: &SyntaxNode, comment: &SyntaxToken) -> Reach {
    match last_on_line(comment) {
        Some(before) => at_end(root, &before),
        None => on_its_own(root, comment),
    }
}

/// The last token before a comment on its line that is no trivia.
fn last_on_line(comment: &SyntaxToken) -> Option<SyntaxToken> {
    let mut at = comment.prev_token();
    while let Some(token) = at {
        match token.kind() {
            SyntaxKind::NEWLINE => return None,
            it if it.is_trivia() => at = token.prev_token(),
            _ => return Some(token),
        }
    }
    None
}

fn at_end(root: &SyntaxNode, before: &SyntaxToken) -> Reach {
    for node in before.ancestors() {
        let is_root = node == *root;
        if is_root || matches!(node.kind(), SyntaxKind::FUNCTION_DEF) {
            return if is_root { Reach::Function } else { Reach::Part(node.text_range()) };
        }
        let block = node.children().find(|it| it.kind() == SyntaxKind::BLOCK);
        if let Some(block) = block {
            return Reach::Part(TextRange::new(
                node.text_range().start(),
                block.text_range().start(),
            ));
        }
        if is_statement(&node) {
            return Reach::Part(TextRange::new(start_of_line(&node), node.text_range().end()));
        }
    }
    Reach::Nothing
}

fn on_its_own(root: &SyntaxNode, comment: &SyntaxToken) -> Reach {
    let Some(parent) = comment.parent() else { return Reach::Nothing };
    if parent == *root {
        return Reach::Function;
    }
    if !has_statements(&parent) {
        // Between the lines of one statement.
        return match comment.prev_token() {
            Some(before) => at_end(root, &before),
            None => Reach::Nothing,
        };
    }
    let is_first = parent.parent().is_some_and(|it| it == *root)
        && std::iter::successors(comment.prev_sibling_or_token(), |it| it.prev_sibling_or_token())
            .all(|it| it.as_token().is_some());
    if is_first {
        return Reach::Function;
    }
    let next =
        std::iter::successors(comment.next_sibling_or_token(), |it| it.next_sibling_or_token())
            .find_map(|it| it.into_node());
    next.map_or(Reach::Nothing, |it| Reach::Part(it.text_range()))
}

fn has_statements(node: &SyntaxNode) -> bool {
    matches!(
        node.kind(),
        SyntaxKind::BLOCK | SyntaxKind::SOURCE_FILE | SyntaxKind::UNEXPECTED_INDENT
    ) || node.children().any(|it| it.kind() == SyntaxKind::BLOCK)
}

fn is_statement(node: &SyntaxNode) -> bool {
    node.parent().is_some_and(|it| matches!(it.kind(), SyntaxKind::BLOCK | SyntaxKind::SOURCE_FILE))
}

/// The first of the statements on the line of this one (`a; b`).
fn first_on_line(statement: &SyntaxNode) -> SyntaxNode {
    let mut first = statement.clone();
    while let Some(SyntaxElement::Node(before)) = before_on_line(&first) {
        first = before;
    }
    first
}

/// Returns the place where the statements on the line of this one begin; with their header, if it is on the line too.
fn start_of_line(statement: &SyntaxNode) -> TextSize {
    let first = first_on_line(statement);
    let before =
        std::iter::successors(first.prev_sibling_or_token(), |it| it.prev_sibling_or_token());
    let is_behind_header = before.into_iter().all(|it| it.kind() == SyntaxKind::WHITESPACE)
        && first.parent().is_some_and(|it| it.kind() == SyntaxKind::BLOCK);
    let header = first.parent().and_then(|it| it.parent()).filter(|_| is_behind_header);
    header.unwrap_or(first).text_range().start()
}

/// The statement right before one, if no line break is between.
fn before_on_line(statement: &SyntaxNode) -> Option<SyntaxElement> {
    let mut at = statement.prev_sibling_or_token()?;
    while at.as_token().is_some_and(|it| it.kind() == SyntaxKind::WHITESPACE) {
        at = at.prev_sibling_or_token()?;
    }
    let ends_line =
        |node: &SyntaxNode| node.last_token().is_some_and(|it| it.kind() == SyntaxKind::NEWLINE);
    at.as_node().is_some_and(|it| !ends_line(it)).then_some(at)
}

// ---- the edit ----

/// The edit that allows a rule for code that begins at an offset of the function: a comment at the end of the
/// statement, or one more rule in the existing comment. Offsets are relative to the function's start. None where no
/// comment can stand, as inside a macro of another function.
pub fn comment(green: &Green, at: TextSize, rule: &str) -> Option<Edit> {
    let root = green.syntax();
    if at >= root.text_range().end() {
        return None;
    }
    let token = root.token_at_offset(at).right_biased()?;
    // Walks to the token that ends the line on which the statement, or its header, ends.
    let mut holder = token.ancestors().find(|it| {
        is_statement(it) || *it == root || it.children().any(|it| it.kind() == SyntaxKind::BLOCK)
    })?;
    let block = holder.children().find(|it| it.kind() == SyntaxKind::BLOCK);
    // `a; b`: a comment before the `b` would end the line.
    while block.is_none()
        && holder.last_token().is_some_and(|it| it.kind() == SyntaxKind::SEMICOLON)
        && let Some(next) = holder.next_sibling()
        && before_on_line(&next).is_some()
    {
        holder = next;
    }
    let mut last = match &block {
        // The rest of the header's line is the block's.
        Some(block) => block.first_token()?.prev_token()?,
        None => holder.last_token()?,
    };
    if block.is_none() {
        while last.kind() == SyntaxKind::NEWLINE || last.kind() == SyntaxKind::WHITESPACE {
            last = last.prev_token()?;
        }
    } else if let Some(next) = rest_of_line(&last) {
        last = next;
    }
    if last.kind() == SyntaxKind::COMMENT {
        return Some(in_comment(&last, rule));
    }
    Some(Edit::insert(last.text_range().end(), format!("  # tir: allow({rule})")))
}

/// The last token of the line of `token` that is neither white space nor its end.
fn rest_of_line(token: &SyntaxToken) -> Option<SyntaxToken> {
    let mut last = None;
    let mut at = token.next_token();
    while let Some(next) = at {
        match next.kind() {
            SyntaxKind::NEWLINE => break,
            SyntaxKind::WHITESPACE => {}
            _ => last = Some(next.clone()),
        }
        at = next.next_token();
    }
    last
}

/// One more rule in a comment.
fn in_comment(comment: &SyntaxToken, rule: &str) -> Edit {
    let text = comment.text();
    let start = comment.text_range().start();
    let list = text.find("tir: allow(").and_then(|at| text[at..].find(')').map(|end| at + end));
    match list {
        Some(at) => Edit::insert(start + TextSize::from(at as u32), format!(", {rule}")),
        None => {
            let end = text.trim_end().len();
            Edit::insert(start + TextSize::from(end as u32), format!("  # tir: allow({rule})"))
        }
    }
}

/// Returns true if an occurrence is allowed, by a table of [`Allowances::occurrences`].
pub(super) fn is_allowed(table: &[bool], occurrence: OccurrenceId) -> bool {
    table.get(occurrence.index()).copied().unwrap_or_default()
}

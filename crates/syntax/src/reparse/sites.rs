//! The parts that could be read again after an edit, from the smallest to the largest.

use parser::{
    SyntaxKind,
    mlir::{List, Stop},
    tvmscript,
};
use rowan::{TextRange, TextSize};

use crate::{Edit, SyntaxElement, SyntaxNode, SyntaxToken};

/// A part of the old tree that could be read again.
#[derive(Debug, Clone)]
pub(crate) struct Site {
    /// The list of statements: a block or the file.
    pub(super) list: SyntaxNode,
    /// The children that are read again.
    pub(super) children: std::ops::Range<usize>,
    /// The place where they are in the old text.
    pub(super) range: TextRange,
    /// The number of levels that the grammar has entered around the list.
    pub(super) depth: u32,
    pub(super) kind: SiteKind,
}

/// How a part is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SiteKind {
    /// A whole block, behind the `:` of a header that begins at this column.
    Block { header_col: u32 },
    /// Statements of a list at this column.
    Statements { indent: u32 },
    /// Operations of a list of MLIR or PIR, up to this.
    Items { list: List, stop: Stop },
}

impl Site {
    /// The whole file.
    pub(super) fn file(root: &SyntaxNode) -> Site {
        Site {
            list: root.clone(),
            children: 0..child_count(root),
            range: root.text_range(),
            depth: 0,
            kind: SiteKind::Statements { indent: 0 },
        }
    }

    /// Returns the place where the part is in the new text.
    pub(super) fn new_range(&self, edit: &Edit) -> TextRange {
        let end = self.range.end() - edit.range.end() + edit.range.start() + edit.new_len();
        TextRange::new(self.range.start(), end)
    }
}

/// The number of statements behind the edited ones that are tried as well: an open bracket takes a few.
const MORE_STATEMENTS: usize = 8;

/// The number of lists that are tried one after the other; further out, only one that is twice as long as the last. So
/// all attempts together are linear in the text, however deep the blocks nest.
const EVERY_LIST: usize = 8;

/// The parts of a tree that contain an edit and could be read again, smallest first.
pub(super) fn sites(root: &SyntaxNode, edit: &Edit) -> impl Iterator<Item = Site> + use<> {
    let edit = edit.range;
    let (mut tried, mut last_len) = (0, TextSize::from(0));
    innermost(root, edit)
        .into_iter()
        .flat_map(|node| node.ancestors())
        .filter(|node| matches!(node.kind(), SyntaxKind::BLOCK | SyntaxKind::SOURCE_FILE))
        .filter(move |list| {
            let len = list.text_range().len();
            let wanted = tried < EVERY_LIST || len - last_len >= last_len;
            if wanted {
                (tried, last_len) = (tried + 1, len);
            }
            wanted
        })
        .flat_map(move |list| sites_in(&list, edit))
}

/// The innermost node around an edit. Of two that meet at an insertion, the left one: text at the end of a block may
/// belong to it.
fn innermost(root: &SyntaxNode, edit: TextRange) -> Option<SyntaxNode> {
    if edit.is_empty() {
        root.token_at_offset(edit.start()).left_biased()?.parent()
    } else {
        match root.covering_element(edit) {
            SyntaxElement::Node(node) => Some(node),
            SyntaxElement::Token(token) => token.parent(),
        }
    }
}

fn sites_in(list: &SyntaxNode, edit: TextRange) -> Vec<Site> {
    let depth = list.ancestors().skip(1).filter(adds_depth).count() as u32;
    let mut res = Vec::new();
    if let Some(indent) = indent_of(list)
        && let Some(start) = start_of_run(list, edit.start())
    {
        let depth = depth + u32::from(adds_depth(list));
        for end in ends_of_run(list, edit.end()) {
            res.push(Site {
                list: list.clone(),
                children: start.0..end.0,
                range: TextRange::new(start.1, end.1),
                depth,
                kind: SiteKind::Statements { indent },
            });
        }
    }
    if let Some(header_col) = header_column(list, edit.start()) {
        res.push(Site {
            list: list.clone(),
            children: 0..child_count(list),
            range: list.text_range(),
            depth,
            kind: SiteKind::Block { header_col },
        });
    }
    res
}

/// Returns true if the grammar counts a level for the contents.
fn adds_depth(node: &SyntaxNode) -> bool {
    matches!(node.kind(), SyntaxKind::BLOCK | SyntaxKind::MATCH_STMT)
}

pub(super) fn child_count(node: &SyntaxNode) -> usize {
    node.green().children().len()
}

/// The column of a list's statements. `None` for a list on its header's line, and for one whose first line is unusual.
fn indent_of(list: &SyntaxNode) -> Option<u32> {
    if list.kind() == SyntaxKind::SOURCE_FILE {
        return Some(0);
    }
    let first = list.first_child()?;
    match first.prev_sibling_or_token()? {
        SyntaxElement::Token(white) if white.kind() == SyntaxKind::WHITESPACE => {
            let before = white.prev_sibling_or_token()?;
            (before.kind() == SyntaxKind::NEWLINE).then(|| column_after(white.text()))
        }
        _ => None,
    }
}

/// The column behind the white space that begins a line.
fn column_after(white: &str) -> u32 {
    tvmscript::indent_at(white, 0)
}

/// Returns the place where reading may begin: the first child to be read, and its offset, which is behind a statement
/// that ends with a newline or behind the header. The first line of the part stands before the edit: the statement
/// before may have looked at it.
fn start_of_run(list: &SyntaxNode, edit: TextSize) -> Option<(usize, TextSize)> {
    let is_file = list.kind() == SyntaxKind::SOURCE_FILE;
    let file_start = is_file.then_some((0, 0.into()));
    let Some(before) = edit.checked_sub(1.into()).filter(|it| *it >= list.text_range().start())
    else {
        return file_start;
    };
    let mut next = list.child_or_token_at_range(TextRange::at(before, 1.into()));
    while let Some(element) = next {
        if let SyntaxElement::Node(first) = &element
            && first_line_end(first).is_some_and(|end| end <= edit)
        {
            match first.prev_sibling() {
                Some(previous) if ends_with_newline(&previous) => {
                    return Some((previous.index() + 1, previous.text_range().end()));
                }
                Some(_) => {}
                None if is_file => return file_start,
                // The white space that gives the list its column, behind the header's newline.
                None => {
                    let white = first.prev_sibling_or_token()?.into_token()?;
                    return Some((white.index(), white.text_range().start()));
                }
            }
        }
        next = element.prev_sibling_or_token();
    }
    file_start
}

fn ends_with_newline(node: &SyntaxNode) -> bool {
    node.last_token().is_some_and(|it| it.kind() == SyntaxKind::NEWLINE)
}

/// Returns the place where the first line of a statement ends, its newline included.
fn first_line_end(node: &SyntaxNode) -> Option<TextSize> {
    let end = node.text_range().end();
    std::iter::successors(node.first_token(), SyntaxToken::next_token)
        .take_while(|it| it.text_range().start() < end)
        .find(|it| it.kind() == SyntaxKind::NEWLINE)
        .map(|it| it.text_range().end())
}

/// Returns the place where reading may end: behind the statement that has the first byte after the edit, a few
/// statements later, or at the end of the list. Each is the number of children before it, and its offset.
fn ends_of_run(list: &SyntaxNode, edit: TextSize) -> Vec<(usize, TextSize)> {
    let list_end = list.text_range().end();
    let mut res = Vec::new();
    if edit < list_end
        && let Some(at) = list.child_or_token_at_range(TextRange::at(edit, 1.into()))
    {
        let mut statements = std::iter::successors(Some(at), SyntaxElement::next_sibling_or_token)
            .filter_map(SyntaxElement::into_node)
            .filter(ends_with_newline)
            .map(|it| (it.index() + 1, it.text_range().end()));
        res.extend(statements.next());
        res.extend(statements.nth(MORE_STATEMENTS - 1));
    }
    let end = (child_count(list), list_end);
    if res.last() != Some(&end) {
        res.push(end);
    }
    res
}

/// The column of the header of a block whose text an edit at `edit` changes, if the block can be read by itself: it
/// must stand directly behind a `:`, and its header must begin its line.
fn header_column(block: &SyntaxNode, edit: TextSize) -> Option<u32> {
    // An insertion directly behind the `:` may change that token (`:=`).
    if block.kind() != SyntaxKind::BLOCK || edit <= block.text_range().start() {
        return None;
    }
    let colon = block.prev_sibling_or_token()?;
    if colon.kind() != SyntaxKind::COLON {
        return None;
    }
    let first = block.parent()?.first_token()?;
    let Some(before) = first.prev_token() else { return Some(0) };
    match before.kind() {
        SyntaxKind::NEWLINE | SyntaxKind::BOM => Some(0),
        SyntaxKind::WHITESPACE => {
            let starts_line = before
                .prev_token()
                .is_none_or(|it| matches!(it.kind(), SyntaxKind::NEWLINE | SyntaxKind::BOM));
            starts_line.then(|| column_after(before.text()))
        }
        _ => None,
    }
}

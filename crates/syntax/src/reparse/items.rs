//! The part that can be read again in a list of operations of MLIR or PIR.
//!
//! A part begins behind an operation that ends a few operations before the edit, so that no kept operation has looked
//! at the changed text. It ends before the second operation behind the edit, or at the end of the list.
//! `parser::mlir::reparse` reads it only if it ends there again.

use parser::{
    Step,
    SyntaxKind::{self, *},
    mlir::{self, HEAD, List, Refused, Shapes, Stop, Stretch, default_dialect, is_whole, name_in},
};
use rowan::{TextRange, TextSize};

use super::{
    Read,
    sites::{Site, SiteKind, child_count},
    window::{Window, edited_text},
};
use crate::{
    Edit, SyntaxElement, SyntaxNode, SyntaxToken,
    ast::{AstNode as _, mlir::Operation},
    head::{head_of, is_one_document},
};

/// The number of whole operations before an edit that are read again. An operation looks ahead at the results of the
/// next and its name, or at two tokens.
const BEFORE: usize = 3;
/// The number of operations behind an edit that are tried as well.
const MORE_ITEMS: usize = 8;
const EVERY_LIST: usize = 8;
const AHEAD: u32 = 256;
/// More than a split marker looks at behind itself.
const LOOKED_AT_BY_MARKER: u32 = 300;
const MAX_AHEAD: u32 = 1024 * 1024;

/// The parts of a tree that contain an edit and could be read again, smallest first.
pub(super) fn sites(root: &SyntaxNode, edit: &Edit, shapes: &Shapes) -> Vec<Site> {
    let whole_edit = edit;
    let new_len = edit.new_len();
    let edit = edit.range;
    if is_behind_marker(root, edit.start()) || says_otherwise(root, whole_edit) {
        return Vec::new();
    }
    let tokens = root.token_at_offset(edit.start());
    let around = [tokens.clone().left_biased(), tokens.right_biased()];
    let mut lists: Vec<SyntaxNode> = around
        .into_iter()
        .flatten()
        .filter_map(|it| it.parent())
        .flat_map(|it| it.ancestors())
        .filter(|it| interior(it).is_some_and(|it| is_inside(it, edit)))
        // A list without any text is no node.
        .filter(|it| it.text_range().len() - edit.len() + new_len > 0.into())
        .collect();
    lists.sort_by_key(|it| (it.text_range().len(), it.text_range().start()));
    lists.dedup();
    let (mut res, mut tried, mut last_len) = (Vec::new(), 0, TextSize::from(0));
    for list in lists {
        let len = list.text_range().len();
        if tried < EVERY_LIST || len - last_len >= last_len {
            (tried, last_len) = (tried + 1, len);
            sites_in(&list, edit, shapes, &mut res);
        }
    }
    res
}

/// Returns true if an edit changes whether the text is one document.
fn says_otherwise(root: &SyntaxNode, edit: &Edit) -> bool {
    let head = head_of(root);
    let range = edit.range;
    if root.kind() != MLIR_FILE || usize::from(range.start()) > head.len().min(HEAD) {
        return false;
    }
    let needed = range.end() + TextSize::from(HEAD as u32);
    let all = TextRange::up_to(needed.min(root.text_range().end()));
    is_whole(&head) != is_whole(&edited_text(root, edit, all))
}

/// Returns true if a split marker stands before an offset on its line: the text after the marker decides whether it is
/// one.
fn is_behind_marker(root: &SyntaxNode, offset: TextSize) -> bool {
    let first = root.token_at_offset(offset).left_biased();
    for token in std::iter::successors(first, SyntaxToken::prev_token) {
        let start = token.text_range().start();
        if token.kind() == SPLIT_MARKER {
            return true;
        }
        let before = usize::from(offset - start).min(token.text().len());
        let has_line_end = token.text().as_bytes()[..before].iter().any(|it| b"\r\n".contains(it));
        if has_line_end || u32::from(offset - start) > LOOKED_AT_BY_MARKER {
            return false;
        }
    }
    false
}

/// Strictly behind the beginning, whose token an insertion could change; but a file begins with nothing.
fn is_inside(interior: TextRange, edit: TextRange) -> bool {
    let begins = edit.start() > interior.start() || edit.start() == 0.into();
    begins && interior.contains_range(edit)
}

/// Returns the place where the items of a list are, if the node is one.
fn interior(list: &SyntaxNode) -> Option<TextRange> {
    let range = list.text_range();
    match list.kind() {
        MLIR_CHUNK => Some(range),
        // What follows a label that is not complete may belong to it.
        MLIR_BLOCK => head(list)
            .and_then(SyntaxElement::into_node)
            .is_none_or(|label| label.children().all(|it| it.kind() != MLIR_MISSING))
            .then(|| TextRange::new(head_end(list), range.end())),
        PIR_BLOCK => {
            let brace = list.last_child_or_token().filter(|it| it.kind() == R_BRACE)?;
            Some(TextRange::new(head_end(list), brace.text_range().start()))
        }
        _ => None,
    }
}

/// Returns the element before the items: a label, or a brace and the arguments.
fn head(list: &SyntaxNode) -> Option<SyntaxElement> {
    let is_head = |it: &SyntaxNode| matches!(it.kind(), MLIR_BLOCK_LABEL | PIR_BLOCK_ARGS);
    if let Some(head) = list.first_child().filter(is_head) {
        return Some(SyntaxElement::Node(head));
    }
    list.first_child_or_token().filter(|it| it.kind() == L_BRACE)
}

fn index_of(element: &SyntaxElement) -> usize {
    match element {
        SyntaxElement::Node(node) => node.index(),
        SyntaxElement::Token(token) => token.index(),
    }
}

fn head_end(list: &SyntaxNode) -> TextSize {
    head(list).map_or(list.text_range().start(), |it| it.text_range().end())
}

fn sites_in(list: &SyntaxNode, edit: TextRange, shapes: &Shapes, res: &mut Vec<Site>) {
    let Some(interior) = interior(list) else { return };
    if has_default_dialect(list) || is_in_doubt(list) {
        return;
    }
    let (first, start, whole) = match last_kept(list, edit.start()) {
        Some(kept) => (kept.index() + 1, kept.text_range().end(), false),
        None => (head(list).map_or(0, |it| index_of(&it) + 1), interior.start(), true),
    };
    if whole && is_looked_into(list, shapes) {
        return;
    }
    let (depth, list_kind) = surroundings(list, shapes);
    let mut push = |end_child, end, stop| {
        res.push(Site {
            list: list.clone(),
            children: first..end_child,
            range: TextRange::new(start, end),
            depth,
            kind: SiteKind::Items { list: list_kind, stop },
        });
    };
    for item in ends(list, edit.end()) {
        push(item.index(), item.text_range().start(), Stop::Item);
    }
    let tail = usize::from(list.kind() == PIR_BLOCK);
    push(child_count(list) - tail, interior.end(), Stop::End);
}

fn is_item(node: &SyntaxNode) -> bool {
    !matches!(node.kind(), MLIR_BLOCK_LABEL | PIR_BLOCK_ARGS | MLIR_MISSING | PIR_MISSING)
}

/// The last item that is not read again: some whole ones stand between it and the edit.
fn last_kept(list: &SyntaxNode, edit: TextSize) -> Option<SyntaxNode> {
    let before = edit.checked_sub(1.into())?;
    if before < list.text_range().start() {
        return None;
    }
    let at = list.child_or_token_at_range(TextRange::at(before, 1.into()))?;
    std::iter::successors(Some(at), SyntaxElement::prev_sibling_or_token)
        .filter_map(SyntaxElement::into_node)
        .filter(|it| is_item(it) && it.text_range().end() < edit)
        .nth(BEFORE)
}

/// Items before which a part may end: the second that begins behind the edit, and one further away.
fn ends(list: &SyntaxNode, edit: TextSize) -> Vec<SyntaxNode> {
    if edit >= list.text_range().end() {
        return Vec::new();
    }
    let Some(at) = list.child_or_token_at_range(TextRange::at(edit, 1.into())) else {
        return Vec::new();
    };
    let mut items = std::iter::successors(Some(at), SyntaxElement::next_sibling_or_token)
        .filter_map(SyntaxElement::into_node)
        .filter(|it| is_item(it) && it.text_range().start() >= edit);
    [items.nth(1), items.nth(MORE_ITEMS)].into_iter().flatten().collect()
}

/// Returns true if the element before the items of a list has looked at the first item: a region at an operation that
/// shows that it is a region, the arguments of a block at a possible continuation.
fn is_looked_into(list: &SyntaxNode, shapes: &Shapes) -> bool {
    if list.kind() != MLIR_BLOCK {
        return list.kind() == PIR_BLOCK;
    }
    let Some(operation) = list.ancestors().skip(2).find(|it| it.kind() != MLIR_REGION_LIST) else {
        return false;
    };
    match Operation::cast(operation) {
        Some(Operation::GenericOp(_)) => false,
        Some(Operation::OpaqueOp(_)) => true,
        Some(Operation::CustomOp(it))
            if it.syntax().children().any(|it| it.kind() == MLIR_UNREAD) =>
        {
            true
        }
        Some(it) => it.name().is_none_or(|it| shapes.looks_into_regions(it.as_str())),
        None => true,
    }
}

/// Returns true if a list is in a brace that opens a region only because of some later line: `key : value` begins it.
fn is_in_doubt(list: &SyntaxNode) -> bool {
    let is_first = list.prev_sibling().is_none() && list.kind() == MLIR_BLOCK;
    let brace = list.parent().filter(|_| is_first).and_then(|it| it.first_token());
    let mut tokens = std::iter::successors(brace, SyntaxToken::next_token)
        .skip(1)
        .filter(|it| !it.kind().is_trivia());
    tokens.next().is_some_and(|it| it.kind() == IDENT)
        && tokens.next().is_some_and(|it| it.kind() == COLON)
}

/// Returns true if names without a dialect are operations of a list: only the operations around say so.
fn has_default_dialect(list: &SyntaxNode) -> bool {
    !around(list).1.is_empty()
}

/// The named operations around a list, the outermost first, each with the dialect of names without one where it
/// stands; and that dialect in the list.
fn around(list: &SyntaxNode) -> (Vec<(Operation, String)>, String) {
    let mut operations: Vec<Operation> = list.ancestors().filter_map(Operation::cast).collect();
    operations.reverse();
    let (mut dialect, mut res) = (String::new(), Vec::new());
    for operation in operations {
        let Some(name) = operation.name() else { continue };
        let inside = match operation {
            Operation::GenericOp(_) => dialect.clone(),
            _ => default_dialect(name.as_str(), &dialect).to_owned(),
        };
        res.push((operation, std::mem::replace(&mut dialect, inside)));
    }
    (res, dialect)
}

/// Returns the number of regions around the items of a list, and the kind of the list.
fn surroundings(list: &SyntaxNode, shapes: &Shapes) -> (u32, List) {
    let depth_of =
        |kind: SyntaxKind| list.ancestors().filter(|it| it.kind() == kind).count() as u32;
    match list.kind() {
        MLIR_CHUNK => (0, List::Chunk),
        PIR_BLOCK => (depth_of(PIR_BLOCK), List::PirBlock),
        _ => (depth_of(MLIR_REGION), List::Block { in_function: is_in_function(list, shapes) }),
    }
}

/// Returns true if the nearest operation around a list that may be a symbol table, or a function, is a function.
fn is_in_function(list: &SyntaxNode, shapes: &Shapes) -> bool {
    let mut res = false;
    for (operation, dialect) in around(list).0 {
        let Some(name) = operation.name() else { continue };
        let name = name.as_str();
        let is_generic = matches!(operation, Operation::GenericOp(_));
        let full = if is_generic { None } else { name_in(name, &dialect, shapes) };
        let full = full.as_deref().unwrap_or(name);
        if shapes.is_function(full) {
            res = true;
        } else if shapes.is_module(full) || !shapes.is_known(full) {
            res = false;
        }
    }
    res
}

/// Reads a part again.
pub(super) fn read(
    root: &SyntaxNode,
    edit: &Edit,
    site: &Site,
    (list, stop): (List, Stop),
    shapes: &Shapes,
    lexed: &mut u64,
) -> Read {
    let mut ahead = AHEAD;
    let is_whole = is_one_document(root);
    loop {
        let window = window(root, edit, site, ahead);
        *lexed += window.text.len() as u64;
        let stretch = Stretch { text: &window.text, more: window.more, is_whole };
        match mlir::reparse(stretch, window.range.clone(), list, site.depth, stop, shapes) {
            Ok(steps) if is_swallowed(&site.list, &steps) => return Read::Differs,
            Ok(steps) => {
                let mut text = window.text;
                text.truncate(window.range.end);
                text.drain(..window.range.start);
                return Read::Part(steps, text);
            }
            Err(Refused::Differs) => return Read::Differs,
            Err(Refused::NeedsMore) if ahead >= MAX_AHEAD => return Read::Differs,
            Err(Refused::NeedsMore) => ahead *= 16,
        }
    }
}

/// Returns true if a block without a label has lost all its operations: the next block's label takes the remaining
/// trivia.
fn is_swallowed(list: &SyntaxNode, steps: &[Step]) -> bool {
    let nodes = || steps.iter().filter(|it| matches!(it, Step::Enter(_))).count();
    list.kind() == MLIR_BLOCK && head(list).is_none() && nodes() == 1
}

/// The text of a part, the character before it, and `ahead` bytes or more behind it, up to the end of a token.
fn window(root: &SyntaxNode, edit: &Edit, site: &Site, ahead: u32) -> Window {
    let file_end = root.text_range().end();
    let wanted = TextSize::from(u32::from(site.range.end()).saturating_add(ahead));
    let end = if wanted >= file_end {
        file_end
    } else {
        root.token_at_offset(wanted).right_biased().map_or(file_end, |it| it.text_range().end())
    };
    let before = root.token_at_offset(site.range.start()).left_biased();
    let last = before
        .filter(|it| it.text_range().end() == site.range.start())
        .and_then(|it| it.text().chars().next_back());
    let start = site.range.start() - last.map_or(0.into(), TextSize::of);
    let text = edited_text(root, edit, TextRange::new(start, end));
    let range = std::ops::Range::<usize>::from(site.new_range(edit) - start);
    Window { text, range, more: end < file_end }
}

//! The differences between two versions of a tree, found by addresses.
//!
//! After an edit, a tree shares with the one before all nodes except those on the way from the root to the part that
//! was read again. The walk down that way finds the affected functions without visiting any other.
//! O(children of the nodes on the way), one comparison of addresses each.

use parser::SyntaxKind;
use rowan::{GreenNodeData, NodeOrToken, TextSize};

use crate::{Green, syntax_node::kind_from_raw};

/// A node that was changed.
#[derive(Debug, Clone)]
pub struct Change {
    /// Before.
    pub old: Green,
    /// Now.
    pub new: Green,
    /// The place where both begin.
    pub offset: TextSize,
}

/// The nodes of wanted kinds on the way to all differences of two trees, outermost first: outside of each the trees are
/// equal. None for equal trees.
pub fn changed_nodes(old: &Green, new: &Green, wanted: impl Fn(SyntaxKind) -> bool) -> Vec<Change> {
    let (mut at_old, mut at_new): (&GreenNodeData, &GreenNodeData) = (old.node(), new.node());
    let mut offset = TextSize::new(0);
    let mut found = Vec::new();
    while !std::ptr::eq(at_old, at_new) {
        if wanted(kind_from_raw(at_new.kind())) {
            let part =
                |node: &GreenNodeData, of: &Green| Green::new(node.to_owned(), of.depth_bound());
            found.push(Change { old: part(at_old, old), new: part(at_new, new), offset });
        }
        let Some((next_old, next_new, inner)) = only_difference(at_old, at_new) else { break };
        (at_old, at_new) = (next_old, next_new);
        offset += inner;
    }
    found
}

/// The only child node in which two nodes differ, with its offset in the node.
fn only_difference<'a>(
    old: &'a GreenNodeData,
    new: &'a GreenNodeData,
) -> Option<(&'a GreenNodeData, &'a GreenNodeData, TextSize)> {
    let mut found = None;
    let mut offset = TextSize::new(0);
    let (mut of_old, mut of_new) = (old.children(), new.children());
    loop {
        match (of_old.next(), of_new.next()) {
            (None, None) => return found,
            (Some(NodeOrToken::Token(a)), Some(NodeOrToken::Token(b))) => {
                if !std::ptr::eq(a, b) && (a.kind() != b.kind() || a.text() != b.text()) {
                    return None;
                }
                offset += b.text_len();
            }
            (Some(NodeOrToken::Node(a)), Some(NodeOrToken::Node(b))) => {
                if !std::ptr::eq(a, b) {
                    if found.is_some() || a.kind() != b.kind() {
                        return None;
                    }
                    found = Some((a, b, offset));
                }
                offset += b.text_len();
            }
            _ => return None,
        }
    }
}

impl Green {
    /// Returns true if two nodes have the same children by address, ignoring nodes of kinds that `except` names.
    pub fn shares_all_but(&self, other: &Green, except: impl Fn(SyntaxKind) -> bool) -> bool {
        let (mut of_self, mut of_other) = (self.node().children(), other.node().children());
        loop {
            let same = match (of_self.next(), of_other.next()) {
                (None, None) => return true,
                (Some(NodeOrToken::Token(a)), Some(NodeOrToken::Token(b))) => {
                    std::ptr::eq(a, b) || (a.kind() == b.kind() && a.text() == b.text())
                }
                (Some(NodeOrToken::Node(a)), Some(NodeOrToken::Node(b))) => {
                    std::ptr::eq(a, b) || (a.kind() == b.kind() && except(kind_from_raw(a.kind())))
                }
                _ => return false,
            };
            if !same {
                return false;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Edit, TextRange};

    const TEXT: &str = "def f():\n    x = 1\n    y = 2\n\n\ndef g():\n    z = 3\n";

    #[track_caller]
    fn check(old: &str, new: &str, expected: &[(&str, u32)]) {
        let before = crate::parse(TEXT);
        let at = TEXT.find(old).unwrap() as u32;
        let range = TextRange::at(at.into(), TextSize::of(old));
        let after = before.reparse(&Edit::replace(range, new)).parse;
        let changes =
            changed_nodes(before.green(), after.green(), |it| it == SyntaxKind::FUNCTION_DEF);
        let found: Vec<_> =
            changes.iter().map(|it| (it.new.text(), u32::from(it.offset))).collect();
        let expected: Vec<_> =
            expected.iter().map(|(text, offset)| ((*text).to_owned(), *offset)).collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn edit_in_a_function_changes_that_function() {
        check("y = 2", "y = 22", &[("def f():\n    x = 1\n    y = 22\n", 0)]);
        check("z = 3", "pass", &[("def g():\n    pass\n", 31)]);
    }

    #[test]
    fn edit_between_functions_changes_none() {
        check("\n\n\ndef", "\nq = 1\n\ndef", &[]);
    }

    #[test]
    fn header_is_told_from_body() {
        let before = crate::parse(TEXT);
        let edit = |range: std::ops::Range<u32>, text: &str| {
            let range = TextRange::new(range.start.into(), range.end.into());
            let after = before.reparse(&Edit::replace(range, text)).parse;
            let changes =
                changed_nodes(before.green(), after.green(), |it| it == SyntaxKind::FUNCTION_DEF);
            changes.len() == 1
                && changes[0].old.shares_all_but(&changes[0].new, |it| it == SyntaxKind::BLOCK)
        };
        assert!(edit(13..14, "w"));
        assert!(!edit(4..5, "h"));
    }
}

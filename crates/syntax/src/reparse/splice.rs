//! Puts a part into a tree.

use parser::SyntaxKind;
use rowan::{GreenNode, GreenNodeData, NodeOrToken};

use super::{Site, SiteKind};
use crate::{Green, SyntaxNode, builder::GreenElement, green::same_tree, syntax_node::kind_to_raw};

/// The tree `old` with the children of a site replaced by those of `part`.
pub(super) fn splice(old: &Green, site: &Site, part: Green) -> Green {
    let levels = site.list.ancestors().count() as u32;
    let depth = old.depth_bound().max(levels + part.depth_bound());
    let kind = match site.kind {
        SiteKind::Block { .. } => SyntaxKind::BLOCK,
        SiteKind::Statements { .. } | SiteKind::Items { .. } => site.list.kind(),
    };
    let children = new_children(site, part.node());
    let list = GreenNode::new(kind_to_raw(kind), children);
    Green::new(replace(&site.list, list), depth)
}

/// The children of the list: those around the site as they were, those of the part, except that unchanged children at
/// its ends keep their old nodes.
fn new_children(site: &Site, part: &GreenNodeData) -> Vec<GreenElement> {
    let list: Vec<Ref<'_>> = site.list.green().children().collect();
    let old = &list[site.children.clone()];
    let mut new: Vec<Ref<'_>> = part.children().collect();
    let mut kept = 0;
    for (new, old) in new.iter_mut().zip(old) {
        if !same_element(new, old) {
            break;
        }
        *new = *old;
        kept += 1;
    }
    let (new_rest, old_rest) = (&mut new[kept..], &old[kept..]);
    for (new, old) in new_rest.iter_mut().rev().zip(old_rest.iter().rev()) {
        if !same_element(new, old) {
            break;
        }
        *new = *old;
    }
    let (before, after) = (&list[..site.children.start], &list[site.children.end..]);
    before.iter().chain(&new).chain(after).map(owned).collect()
}

type Ref<'a> = NodeOrToken<&'a GreenNodeData, &'a rowan::GreenTokenData>;

fn owned(element: &Ref<'_>) -> GreenElement {
    match element {
        NodeOrToken::Node(node) => NodeOrToken::Node((*node).to_owned()),
        NodeOrToken::Token(token) => NodeOrToken::Token((*token).to_owned()),
    }
}

fn same_element(a: &Ref<'_>, b: &Ref<'_>) -> bool {
    match (a, b) {
        (NodeOrToken::Node(a), NodeOrToken::Node(b)) => same_tree(a, b),
        (NodeOrToken::Token(a), NodeOrToken::Token(b)) => {
            a.kind() == b.kind() && a.text() == b.text()
        }
        _ => false,
    }
}

/// The root of the tree in which `node` is `green`.
pub(super) fn replace(node: &SyntaxNode, green: GreenNode) -> GreenNode {
    let mut green = green;
    let mut at = node.clone();
    while let Some(parent) = at.parent() {
        green = parent.green().replace_child(at.index(), NodeOrToken::Node(green));
        at = parent;
    }
    green
}

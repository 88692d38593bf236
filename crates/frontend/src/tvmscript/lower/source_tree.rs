//! Sources of expressions while they are built: a tree parallel to the expression tree.
//!
//! A node holds the text that an expression was made from, and whether that text is its own. Its children are those of
//! the expression in the order of [`ir::Body::each_child`], or none: then everything below is virtual and comes from
//! the node's text. At the end of an operation, [`SourceTree::flatten`] writes one entry an occurrence, in preorder.

use ir::{Body, ExprId};
use smallvec::SmallVec;
use syntax::TextRange;

use crate::tvmscript::source_map::OccurrenceSource;

/// A node of a [`SourceTree`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Src(u32);

/// A place in the text that an expression is made from.
#[derive(Clone, Copy, Debug)]
pub(crate) struct At {
    pub(crate) range: TextRange,
    pub(crate) is_real: bool,
}

#[derive(Clone, Copy, Debug)]
struct Node {
    at: At,
    start: u32,
    len: u32,
}

/// Forms that use an operand twice may nest: copies of copies of … are cut off here, for all of a statement. That
/// bounds the known places in the text, where the whole stands for its parts; the body has all of it.
const MAX_COPY: usize = 16_384;

/// The sources of the expressions that are being built.
#[derive(Default, Debug)]
pub(crate) struct SourceTree {
    nodes: Vec<Node>,
    children: Vec<Src>,
    /// Nodes that were copied for the statement that is being read.
    copied: usize,
}

impl SourceTree {
    pub(crate) fn leaf(&mut self, at: At) -> Src {
        self.node(at, &[])
    }

    pub(crate) fn node(&mut self, at: At, children: &[Src]) -> Src {
        let start = self.children.len() as u32;
        self.children.extend_from_slice(children);
        self.nodes.push(Node { at, start, len: children.len() as u32 });
        Src(self.nodes.len() as u32 - 1)
    }

    /// A node without text of its own around `child`: a promotion.
    pub(crate) fn wrap(&mut self, child: Src) -> Src {
        let at = At { range: self.range(child), is_real: false };
        self.node(at, &[child])
    }

    /// The same text a second time: all virtual, node by node. Whoever replaces the text replaces both.
    pub(crate) fn again(&mut self, src: Src) -> Src {
        let mut copies: SmallVec<[Src; 16]> = SmallVec::new();
        let mut stack: SmallVec<[(Src, bool); 16]> = SmallVec::from_slice(&[(src, false)]);
        while let Some((at, is_done)) = stack.pop() {
            if self.copied > MAX_COPY {
                return self.inside(self.range(src));
            }
            let node = self.get(at);
            if is_done {
                let kept = copies.len().saturating_sub(node.len as usize);
                let at = At { is_real: false, ..node.at };
                let copy = self.node(at, &copies[kept..]);
                copies.truncate(kept);
                copies.push(copy);
            } else {
                self.copied += 1;
                stack.push((at, true));
                stack.extend(self.children(at).iter().rev().map(|&it| (it, false)));
            }
        }
        copies.pop().unwrap_or(src)
    }

    /// A text that stands for more than this expression, so that no part of it can be replaced: all is virtual and
    /// comes from `range`.
    pub(crate) fn inside(&mut self, range: TextRange) -> Src {
        self.leaf(At { range, is_real: false })
    }

    /// The source of one of the `count` things that a value is made of: its own if the text spells them out, else all
    /// of it is virtual and comes from the whole.
    pub(crate) fn part(&mut self, whole: Src, index: usize, count: usize) -> Src {
        let children = self.children(whole);
        match children.get(index) {
            Some(&child) if children.len() == count => child,
            _ => self.inside(self.range(whole)),
        }
    }

    pub(crate) fn range(&self, src: Src) -> TextRange {
        self.get(src).at.range
    }

    /// A source that has been given back has no text.
    fn get(&self, src: Src) -> Node {
        let nowhere = At { range: TextRange::empty(0.into()), is_real: false };
        let node = self.nodes.get(src.0 as usize).copied();
        debug_assert!(node.is_some(), "a source outlived its statement");
        node.unwrap_or(Node { at: nowhere, start: 0, len: 0 })
    }

    fn children(&self, src: Src) -> &[Src] {
        let node = self.get(src);
        self.children.get(node.start as usize..(node.start + node.len) as usize).unwrap_or(&[])
    }

    /// The current size; pass it to [`SourceTree::truncate`] when the later nodes are flattened.
    pub(crate) fn mark(&self) -> (usize, usize) {
        (self.nodes.len(), self.children.len())
    }

    pub(crate) fn truncate(&mut self, (nodes, children): (usize, usize)) {
        self.copied = 0;
        self.nodes.truncate(nodes);
        self.children.truncate(children);
    }

    /// Appends one entry for each occurrence in `operands`, in preorder.
    pub(crate) fn flatten(
        &self,
        body: &Body,
        operands: &[(ExprId, Src)],
        entries: &mut Vec<OccurrenceSource>,
    ) {
        enum Step {
            Known(ExprId, Src),
            Virtual(ExprId, TextRange),
        }
        let mut stack: SmallVec<[Step; 16]> =
            operands.iter().rev().map(|&(expr, src)| Step::Known(expr, src)).collect();
        while let Some(step) = stack.pop() {
            let (expr, at, children) = match step {
                Step::Known(expr, src) => (expr, self.get(src).at, self.children(src)),
                Step::Virtual(expr, range) => (expr, At { range, is_real: false }, &[][..]),
            };
            entries.push(OccurrenceSource { range: at.range, is_real: at.is_real });
            let mark = stack.len();
            let mut index = 0;
            body.each_child(body.expr(expr).kind, &mut |child| {
                stack.push(match children.get(index) {
                    Some(&src) => Step::Known(child, src),
                    None => Step::Virtual(child, at.range),
                });
                index += 1;
            });
            debug_assert!(
                children.is_empty() || children.len() == index,
                "sources of {:?} at {:?}",
                body.expr(expr).kind,
                at.range
            );
            stack[mark..].reverse();
        }
    }
}

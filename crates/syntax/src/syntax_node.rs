//! Cursors over a tree: nodes, tokens and the ways to walk between them.
//!
//! A cursor knows its parent and its offset in the text. It is two words, cheap to clone, and stays on its thread; the
//! shared form is [`Green`](crate::Green). These types wrap rowan's for two reasons: they keep deep trees from
//! overflowing the stack when they are freed (see `keeper`), and walks that rowan does by recursion (`first_token`,
//! `token_at_offset`) are loops here.

use std::{
    fmt,
    hash::{Hash, Hasher},
    iter,
    ops::Deref,
    sync::Arc,
};

use parser::SyntaxKind;
use rowan::{
    GreenNode, GreenNodeData, GreenToken, NodeOrToken, TextRange, TextSize, TokenAtOffset,
    WalkEvent, cursor,
};

use crate::keeper::Keeper;

/// A node of a tree, at its place.
#[derive(Clone)]
pub struct SyntaxNode {
    // The order matters in all of these: the keeper must let go last.
    raw: cursor::SyntaxNode,
    keeper: Option<Arc<Keeper>>,
}

/// A token of a tree, at its place.
#[derive(Clone)]
pub struct SyntaxToken {
    raw: cursor::SyntaxToken,
    keeper: Option<Arc<Keeper>>,
}

/// A node or a token.
#[derive(Clone, PartialEq, Eq, Hash)]
pub enum SyntaxElement {
    /// An inner node.
    Node(SyntaxNode),
    /// A leaf.
    Token(SyntaxToken),
}

/// Kinds in rowan's trees are numbers; all of ours come from a [`SyntaxKind`].
pub(crate) fn kind_from_raw(raw: rowan::SyntaxKind) -> SyntaxKind {
    SyntaxKind::from_raw(raw.0).expect("trees are built from kinds only")
}

pub(crate) fn kind_to_raw(kind: SyntaxKind) -> rowan::SyntaxKind {
    rowan::SyntaxKind(kind as u16)
}

impl SyntaxNode {
    pub(crate) fn new_root(green: GreenNode, keeper: Option<Arc<Keeper>>) -> SyntaxNode {
        SyntaxNode { raw: cursor::SyntaxNode::new_root(green), keeper }
    }

    fn wrap(&self, raw: cursor::SyntaxNode) -> SyntaxNode {
        SyntaxNode { raw, keeper: self.keeper.clone() }
    }

    fn wrap_element(&self, raw: cursor::SyntaxElement) -> SyntaxElement {
        wrap_element(raw, &self.keeper)
    }

    pub(crate) fn green(&self) -> &GreenNodeData {
        self.raw.green()
    }

    /// No less than the number of levels below this node.
    pub(crate) fn depth_bound(&self) -> u32 {
        // Without a keeper the tree is shallow, and one more level than that does no harm.
        self.keeper.as_ref().map_or(0, |it| it.depth())
    }

    /// Returns the kind.
    pub fn kind(&self) -> SyntaxKind {
        kind_from_raw(self.raw.kind())
    }

    /// Returns the place where it is in the text of its tree.
    pub fn text_range(&self) -> TextRange {
        self.raw.text_range()
    }

    /// Its number among the children of its parent.
    pub fn index(&self) -> usize {
        self.raw.index()
    }

    /// The text, made anew.
    pub fn text(&self) -> String {
        crate::green::text_of(self.green())
    }

    /// The part of its text that lies in `range` (an offset range of the whole tree), made anew. It costs the path to
    /// the range, logarithmic in the number of siblings, and the text.
    pub fn text_in(&self, range: TextRange) -> String {
        let mut res = String::new();
        let Some(range) = self.text_range().intersect(range) else { return res };
        let mut next = self.token_at_offset(range.start()).right_biased().map(SyntaxElement::from);
        while let Some(element) = next
            && element.text_range().start() < range.end()
        {
            next = match &element {
                SyntaxElement::Node(node) if range.contains_range(node.text_range()) => {
                    crate::green::push_text(node.green(), &mut res);
                    element.next_in(None)
                }
                SyntaxElement::Node(node) => {
                    node.first_child_or_token().or_else(|| element.next_in(None))
                }
                SyntaxElement::Token(token) => {
                    let at = token.text_range();
                    if let Some(part) = at.intersect(range) {
                        res.push_str(&token.text()[part - at.start()]);
                    }
                    element.next_in(None)
                }
            };
        }
        res
    }

    /// The node that holds this one.
    pub fn parent(&self) -> Option<SyntaxNode> {
        self.raw.parent().map(|it| self.wrap(it))
    }

    /// This node, its parent, and so on to the root.
    pub fn ancestors(&self) -> impl Iterator<Item = SyntaxNode> + use<> {
        iter::successors(Some(self.clone()), SyntaxNode::parent)
    }

    /// The root of the tree.
    pub fn root(&self) -> SyntaxNode {
        self.wrap(self.raw.tree_top())
    }

    /// The nodes directly below.
    pub fn children(&self) -> SyntaxNodeChildren {
        SyntaxNodeChildren { next: self.first_child() }
    }

    /// The nodes and tokens directly below.
    pub fn children_with_tokens(&self) -> SyntaxElementChildren {
        SyntaxElementChildren { next: self.first_child_or_token() }
    }

    /// The first node directly below.
    pub fn first_child(&self) -> Option<SyntaxNode> {
        self.raw.first_child().map(|it| self.wrap(it))
    }

    /// The last node directly below.
    pub fn last_child(&self) -> Option<SyntaxNode> {
        self.raw.last_child().map(|it| self.wrap(it))
    }

    /// The first node or token directly below.
    pub fn first_child_or_token(&self) -> Option<SyntaxElement> {
        self.raw.first_child_or_token().map(|it| self.wrap_element(it))
    }

    /// The last node or token directly below.
    pub fn last_child_or_token(&self) -> Option<SyntaxElement> {
        self.raw.last_child_or_token().map(|it| self.wrap_element(it))
    }

    /// The next node of the same parent.
    pub fn next_sibling(&self) -> Option<SyntaxNode> {
        self.raw.next_sibling().map(|it| self.wrap(it))
    }

    /// The node before this one in the same parent.
    pub fn prev_sibling(&self) -> Option<SyntaxNode> {
        self.raw.prev_sibling().map(|it| self.wrap(it))
    }

    /// The next node or token of the same parent.
    pub fn next_sibling_or_token(&self) -> Option<SyntaxElement> {
        self.raw.next_sibling_or_token().map(|it| self.wrap_element(it))
    }

    /// The node or token before this one in the same parent.
    pub fn prev_sibling_or_token(&self) -> Option<SyntaxElement> {
        self.raw.prev_sibling_or_token().map(|it| self.wrap_element(it))
    }

    /// The first token of the text of this node.
    pub fn first_token(&self) -> Option<SyntaxToken> {
        edge_token(
            self.first_child_or_token(),
            Some(self),
            SyntaxNode::first_child_or_token,
            SyntaxElement::next_in,
        )
    }

    /// The last token of the text of this node.
    pub fn last_token(&self) -> Option<SyntaxToken> {
        edge_token(
            self.last_child_or_token(),
            Some(self),
            SyntaxNode::last_child_or_token,
            SyntaxElement::prev_in,
        )
    }

    /// This node and all below, in text order, each before its descendants.
    pub fn descendants(&self) -> impl Iterator<Item = SyntaxNode> + use<> {
        self.preorder().filter_map(|event| match event {
            WalkEvent::Enter(node) => Some(node),
            WalkEvent::Leave(_) => None,
        })
    }

    /// This node and all nodes and tokens below, in text order.
    pub fn descendants_with_tokens(&self) -> impl Iterator<Item = SyntaxElement> + use<> {
        self.preorder_with_tokens().filter_map(|event| match event {
            WalkEvent::Enter(element) => Some(element),
            WalkEvent::Leave(_) => None,
        })
    }

    /// All tokens below, in text order.
    pub fn tokens(&self) -> impl Iterator<Item = SyntaxToken> + use<> {
        self.descendants_with_tokens().filter_map(SyntaxElement::into_token)
    }

    /// A walk over the nodes, entering and leaving each.
    pub fn preorder(&self) -> Preorder {
        Preorder { raw: self.raw.preorder(), keeper: self.keeper.clone() }
    }

    /// A walk over nodes and tokens, entering and leaving each.
    pub fn preorder_with_tokens(&self) -> PreorderWithTokens {
        PreorderWithTokens { raw: self.raw.preorder_with_tokens(), keeper: self.keeper.clone() }
    }

    /// The tokens that touch an offset: none (outside, or nothing there), one, or two if it lies between them.
    pub fn token_at_offset(&self, offset: TextSize) -> TokenAtOffset<SyntaxToken> {
        let range = self.text_range();
        if range.is_empty() || !range.contains_inclusive(offset) {
            return TokenAtOffset::None;
        }
        let before = (offset > range.start())
            .then(|| self.token_covering(offset - TextSize::from(1)))
            .flatten();
        let after = (offset < range.end()).then(|| self.token_covering(offset)).flatten();
        match (before, after) {
            (Some(left), Some(right)) if left == right => TokenAtOffset::Single(left),
            (Some(left), Some(right)) => TokenAtOffset::Between(left, right),
            (Some(token), None) | (None, Some(token)) => TokenAtOffset::Single(token),
            (None, None) => TokenAtOffset::None,
        }
    }

    /// The token that has the byte at `offset`.
    fn token_covering(&self, offset: TextSize) -> Option<SyntaxToken> {
        match self.covering_element(TextRange::at(offset, TextSize::from(1))) {
            SyntaxElement::Token(token) => Some(token),
            SyntaxElement::Node(_) => None,
        }
    }

    /// The smallest node or token whose text contains `range`; this node if it does not.
    pub fn covering_element(&self, range: TextRange) -> SyntaxElement {
        let mut node = self.raw.clone();
        if !node.text_range().contains_range(range) {
            return self.clone().into();
        }
        loop {
            match node.child_or_token_at_range(range) {
                Some(NodeOrToken::Node(child)) => node = child,
                Some(token) => return self.wrap_element(token),
                None => return self.wrap(node).into(),
            }
        }
    }

    /// The child whose text contains `range`.
    pub fn child_or_token_at_range(&self, range: TextRange) -> Option<SyntaxElement> {
        if !self.text_range().contains_range(range) {
            return None;
        }
        self.raw.child_or_token_at_range(range).map(|it| self.wrap_element(it))
    }
}

impl SyntaxToken {
    fn wrap_element(&self, raw: cursor::SyntaxElement) -> SyntaxElement {
        wrap_element(raw, &self.keeper)
    }

    fn wrap(&self, raw: cursor::SyntaxNode) -> SyntaxNode {
        SyntaxNode { raw, keeper: self.keeper.clone() }
    }

    /// Returns the kind.
    pub fn kind(&self) -> SyntaxKind {
        kind_from_raw(self.raw.kind())
    }

    /// Returns the place where it is in the text of its tree.
    pub fn text_range(&self) -> TextRange {
        self.raw.text_range()
    }

    /// Its number among the children of its parent.
    pub fn index(&self) -> usize {
        self.raw.index()
    }

    /// Its text.
    pub fn text(&self) -> &str {
        self.raw.text()
    }

    /// Its text, as a value that outlives the cursor.
    pub fn shared_text(&self) -> TokenText {
        TokenText(self.raw.green().to_owned())
    }

    /// The node that holds it.
    pub fn parent(&self) -> Option<SyntaxNode> {
        self.raw.parent().map(|it| self.wrap(it))
    }

    /// Its parent, the parent of that, and so on to the root.
    pub fn ancestors(&self) -> impl Iterator<Item = SyntaxNode> + use<> {
        iter::successors(self.parent(), SyntaxNode::parent)
    }

    /// The next node or token of the same parent.
    pub fn next_sibling_or_token(&self) -> Option<SyntaxElement> {
        self.raw.next_sibling_or_token().map(|it| self.wrap_element(it))
    }

    /// The node or token before it in the same parent.
    pub fn prev_sibling_or_token(&self) -> Option<SyntaxElement> {
        self.raw.prev_sibling_or_token().map(|it| self.wrap_element(it))
    }

    /// The token after it in the text.
    pub fn next_token(&self) -> Option<SyntaxToken> {
        let next = SyntaxElement::from(self.clone()).next_in(None);
        edge_token(next, None, SyntaxNode::first_child_or_token, SyntaxElement::next_in)
    }

    /// The token before it in the text.
    pub fn prev_token(&self) -> Option<SyntaxToken> {
        let prev = SyntaxElement::from(self.clone()).prev_in(None);
        edge_token(prev, None, SyntaxNode::last_child_or_token, SyntaxElement::prev_in)
    }
}

impl SyntaxElement {
    /// Returns the kind.
    pub fn kind(&self) -> SyntaxKind {
        match self {
            SyntaxElement::Node(node) => node.kind(),
            SyntaxElement::Token(token) => token.kind(),
        }
    }

    /// Returns the place where it is in the text of its tree.
    pub fn text_range(&self) -> TextRange {
        match self {
            SyntaxElement::Node(node) => node.text_range(),
            SyntaxElement::Token(token) => token.text_range(),
        }
    }

    /// The node that holds it.
    pub fn parent(&self) -> Option<SyntaxNode> {
        match self {
            SyntaxElement::Node(node) => node.parent(),
            SyntaxElement::Token(token) => token.parent(),
        }
    }

    /// The node, if it is one.
    pub fn as_node(&self) -> Option<&SyntaxNode> {
        match self {
            SyntaxElement::Node(node) => Some(node),
            SyntaxElement::Token(_) => None,
        }
    }

    /// The token, if it is one.
    pub fn as_token(&self) -> Option<&SyntaxToken> {
        match self {
            SyntaxElement::Node(_) => None,
            SyntaxElement::Token(token) => Some(token),
        }
    }

    /// The node, if it is one.
    pub fn into_node(self) -> Option<SyntaxNode> {
        match self {
            SyntaxElement::Node(node) => Some(node),
            SyntaxElement::Token(_) => None,
        }
    }

    /// The token, if it is one.
    pub fn into_token(self) -> Option<SyntaxToken> {
        match self {
            SyntaxElement::Node(_) => None,
            SyntaxElement::Token(token) => Some(token),
        }
    }

    /// The next node or token of the same parent.
    pub fn next_sibling_or_token(&self) -> Option<SyntaxElement> {
        match self {
            SyntaxElement::Node(node) => node.next_sibling_or_token(),
            SyntaxElement::Token(token) => token.next_sibling_or_token(),
        }
    }

    /// The node or token before it in the same parent.
    pub fn prev_sibling_or_token(&self) -> Option<SyntaxElement> {
        match self {
            SyntaxElement::Node(node) => node.prev_sibling_or_token(),
            SyntaxElement::Token(token) => token.prev_sibling_or_token(),
        }
    }

    /// Returns the next element in the text, climbing as far as needed but not out of `within`.
    fn next_in(&self, within: Option<&SyntaxNode>) -> Option<SyntaxElement> {
        climb(self, within, SyntaxElement::next_sibling_or_token)
    }

    /// Returns the previous element in the text, climbing as far as needed but not out of `within`.
    fn prev_in(&self, within: Option<&SyntaxNode>) -> Option<SyntaxElement> {
        climb(self, within, SyntaxElement::prev_sibling_or_token)
    }
}

/// The sibling of an element, or of its nearest ancestor below `within` that has one.
fn climb(
    from: &SyntaxElement,
    within: Option<&SyntaxNode>,
    sibling: fn(&SyntaxElement) -> Option<SyntaxElement>,
) -> Option<SyntaxElement> {
    let mut element = from.clone();
    loop {
        if let Some(found) = sibling(&element) {
            return Some(found);
        }
        let parent = element.parent()?;
        if within == Some(&parent) {
            return None;
        }
        element = parent.into();
    }
}

/// The first token at or below `start` when entering nodes by `enter`; a node without children (an empty block, a mark
/// of something missing) is passed by `step`, which does not leave `within`.
fn edge_token(
    start: Option<SyntaxElement>,
    within: Option<&SyntaxNode>,
    enter: fn(&SyntaxNode) -> Option<SyntaxElement>,
    step: fn(&SyntaxElement, Option<&SyntaxNode>) -> Option<SyntaxElement>,
) -> Option<SyntaxToken> {
    let mut element = start?;
    loop {
        element = match &element {
            SyntaxElement::Token(token) => return Some(token.clone()),
            SyntaxElement::Node(node) => match enter(node) {
                Some(child) => child,
                None => step(&element, within)?,
            },
        };
    }
}

fn wrap_element(raw: cursor::SyntaxElement, keeper: &Option<Arc<Keeper>>) -> SyntaxElement {
    match raw {
        NodeOrToken::Node(raw) => SyntaxElement::Node(SyntaxNode { raw, keeper: keeper.clone() }),
        NodeOrToken::Token(raw) => {
            SyntaxElement::Token(SyntaxToken { raw, keeper: keeper.clone() })
        }
    }
}

impl From<SyntaxNode> for SyntaxElement {
    fn from(node: SyntaxNode) -> SyntaxElement {
        SyntaxElement::Node(node)
    }
}

impl From<SyntaxToken> for SyntaxElement {
    fn from(token: SyntaxToken) -> SyntaxElement {
        SyntaxElement::Token(token)
    }
}

/// The children of a node that are nodes.
#[derive(Debug, Clone)]
pub struct SyntaxNodeChildren {
    next: Option<SyntaxNode>,
}

impl Iterator for SyntaxNodeChildren {
    type Item = SyntaxNode;

    fn next(&mut self) -> Option<SyntaxNode> {
        interrupt::check();
        let res = self.next.take()?;
        self.next = res.next_sibling();
        Some(res)
    }
}

/// The children of a node.
#[derive(Debug, Clone)]
pub struct SyntaxElementChildren {
    next: Option<SyntaxElement>,
}

impl Iterator for SyntaxElementChildren {
    type Item = SyntaxElement;

    fn next(&mut self) -> Option<SyntaxElement> {
        interrupt::check();
        let res = self.next.take()?;
        self.next = res.next_sibling_or_token();
        Some(res)
    }
}

/// The tokens of one kind among the children of a node.
#[derive(Debug, Clone)]
pub struct SyntaxTokens {
    pub(crate) children: SyntaxElementChildren,
    pub(crate) kind: SyntaxKind,
}

impl Iterator for SyntaxTokens {
    type Item = SyntaxToken;

    fn next(&mut self) -> Option<SyntaxToken> {
        self.children
            .by_ref()
            .filter_map(SyntaxElement::into_token)
            .find(|it| it.kind() == self.kind)
    }
}

/// A walk over nodes.
#[derive(Clone)]
pub struct Preorder {
    raw: cursor::Preorder,
    keeper: Option<Arc<Keeper>>,
}

impl Preorder {
    /// Skips the descendants of the node that was entered last.
    pub fn skip_subtree(&mut self) {
        self.raw.skip_subtree();
    }
}

impl Iterator for Preorder {
    type Item = WalkEvent<SyntaxNode>;

    fn next(&mut self) -> Option<WalkEvent<SyntaxNode>> {
        interrupt::check();
        let keeper = &self.keeper;
        self.raw.next().map(|event| event.map(|raw| SyntaxNode { raw, keeper: keeper.clone() }))
    }
}

/// A walk over nodes and tokens.
#[derive(Clone)]
pub struct PreorderWithTokens {
    raw: cursor::PreorderWithTokens,
    keeper: Option<Arc<Keeper>>,
}

impl PreorderWithTokens {
    /// Skips the descendants of the node that was entered last.
    pub fn skip_subtree(&mut self) {
        self.raw.skip_subtree();
    }
}

impl Iterator for PreorderWithTokens {
    type Item = WalkEvent<SyntaxElement>;

    fn next(&mut self) -> Option<WalkEvent<SyntaxElement>> {
        interrupt::check();
        let keeper = &self.keeper;
        self.raw.next().map(|event| event.map(|raw| wrap_element(raw, keeper)))
    }
}

/// The text of a token, shared with the tree.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct TokenText(GreenToken);

impl TokenText {
    /// The text.
    pub fn as_str(&self) -> &str {
        self.0.text()
    }
}

impl Deref for TokenText {
    type Target = str;

    fn deref(&self) -> &str {
        self.as_str()
    }
}

impl AsRef<str> for TokenText {
    fn as_ref(&self) -> &str {
        self.as_str()
    }
}

impl PartialEq<str> for TokenText {
    fn eq(&self, other: &str) -> bool {
        self.as_str() == other
    }
}

impl PartialEq<&str> for TokenText {
    fn eq(&self, other: &&str) -> bool {
        self.as_str() == *other
    }
}

impl fmt::Debug for TokenText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self.as_str(), f)
    }
}

impl fmt::Display for TokenText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

// Two cursors are equal if they stand at the same place of the same tree.

impl PartialEq for SyntaxNode {
    fn eq(&self, other: &SyntaxNode) -> bool {
        self.raw == other.raw
    }
}

impl Eq for SyntaxNode {}

impl Hash for SyntaxNode {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.raw.hash(state);
    }
}

impl PartialEq for SyntaxToken {
    fn eq(&self, other: &SyntaxToken) -> bool {
        self.raw == other.raw
    }
}

impl Eq for SyntaxToken {}

impl Hash for SyntaxToken {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.raw.hash(state);
    }
}

impl fmt::Debug for SyntaxNode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}@{:?}", self.kind(), self.text_range())
    }
}

impl fmt::Debug for SyntaxToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}@{:?} {:?}", self.kind(), self.text_range(), self.text())
    }
}

impl fmt::Debug for SyntaxElement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SyntaxElement::Node(node) => node.fmt(f),
            SyntaxElement::Token(token) => token.fmt(f),
        }
    }
}

impl fmt::Display for SyntaxNode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text())
    }
}

impl fmt::Display for SyntaxToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.text())
    }
}

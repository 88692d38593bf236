//! [`Green`]: a position-independent piece of a tree, cheap to clone and to compare.
//!
//! rowan compares green nodes deeply, even one with itself. Here parts that both trees share are not entered, and two
//! 128-bit hashes of structure and text decide where both are known: they are computed when they are first asked for,
//! and kept. So an untouched function costs a pointer comparison after an edit, and an edited one a look at the
//! children of the changed nodes.

use std::{
    fmt,
    hash::{Hash, Hasher},
    sync::{Arc, OnceLock},
};

use parser::SyntaxKind;
use rowan::{GreenNode, GreenNodeData, GreenTokenData, NodeOrToken, TextSize};

use crate::{Language, SyntaxNode, keeper::Keeper, syntax_node::kind_from_raw};

/// A shared, immutable, position-independent tree.
#[derive(Clone)]
pub struct Green {
    // The order matters: the keeper must let go last.
    node: GreenNode,
    keeper: Option<Arc<Keeper>>,
    depth: u32,
    hash: OnceLock<u128>,
}

impl Green {
    /// Takes a tree; `depth` is its depth or more.
    pub(crate) fn new(node: GreenNode, depth: u32) -> Green {
        let keeper = Keeper::new(&node, depth);
        Green { node, keeper, depth, hash: OnceLock::new() }
    }

    /// The part of a tree below `node`.
    pub fn of(node: &SyntaxNode) -> Green {
        Green::new(node.green().to_owned(), node.depth_bound())
    }

    /// Returns the kind of the root.
    pub fn kind(&self) -> SyntaxKind {
        kind_from_raw(self.node.kind())
    }

    /// The language of the text; that of a piece which languages share is the default.
    pub fn language(&self) -> Language {
        Language::of_kind(self.kind())
    }

    /// The length of the text.
    pub fn text_len(&self) -> TextSize {
        self.node.text_len()
    }

    /// A new tree of cursors with this as its root, at offset 0.
    pub fn syntax(&self) -> SyntaxNode {
        SyntaxNode::new_root(self.node.clone(), self.keeper.clone())
    }

    /// Returns true if both are one allocation.
    pub fn ptr_eq(&self, other: &Green) -> bool {
        self.address() == other.address()
    }

    /// The place in memory: a key that holds as long as this handle lives.
    pub fn address(&self) -> usize {
        std::ptr::from_ref::<GreenNodeData>(&self.node).cast::<()>().addr()
    }

    /// A hash of kinds and text. It is the same in every process.
    pub fn text_hash(&self) -> u128 {
        *self.hash.get_or_init(|| hash_tree(&self.node))
    }

    /// The text, made anew.
    pub fn text(&self) -> String {
        text_of(&self.node)
    }

    /// Visits the tree in text order without making cursors: the fast way to read all of it once.
    pub fn walk<'a>(&'a self, mut visit: impl FnMut(GreenStep<'a>)) {
        walk_node(&self.node, &mut visit);
    }

    /// As [`Green::walk`], but a name, a literal or an operator is one step: most nodes are such.
    pub fn walk_leaves<'a>(&'a self, mut visit: impl FnMut(LeafStep<'a>)) {
        walk_leaves(&self.node, &mut visit);
    }

    pub(crate) fn node(&self) -> &GreenNode {
        &self.node
    }

    pub(crate) fn depth_bound(&self) -> u32 {
        self.depth
    }
}

impl PartialEq for Green {
    fn eq(&self, other: &Green) -> bool {
        self.ptr_eq(other)
            || match (self.hash.get(), other.hash.get()) {
                (Some(a), Some(b)) => a == b,
                _ => same_tree(&self.node, &other.node),
            }
    }
}

impl Eq for Green {}

impl Hash for Green {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.text_hash().hash(state);
    }
}

impl fmt::Debug for Green {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Green")
            .field("kind", &self.kind())
            .field("text_len", &self.text_len())
            .finish()
    }
}

/// The text of a green tree, without recursion.
pub(crate) fn text_of(root: &GreenNodeData) -> String {
    let mut res = String::with_capacity(usize::from(root.text_len()));
    push_text(root, &mut res);
    res
}

/// Appends the text of a green tree, without recursion.
pub(crate) fn push_text(root: &GreenNodeData, res: &mut String) {
    walk(root, |event| {
        if let Step::Token(_, text) = event {
            res.push_str(text);
        }
    });
}

/// One step of [`Green::walk`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GreenStep<'a> {
    /// A node begins.
    Enter(SyntaxKind),
    /// A token with its text.
    Token(SyntaxKind, &'a str),
    /// The innermost open node ends.
    Leave,
}

/// One step of [`Green::walk_leaves`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LeafStep<'a> {
    /// A node of which all is one token, with the only node in it, if there is one.
    Leaf(SyntaxKind, Option<SyntaxKind>, (SyntaxKind, &'a str)),
    /// A node begins.
    Enter(SyntaxKind),
    /// A token with its text.
    Token(SyntaxKind, &'a str),
    /// The innermost open node ends.
    Leave,
}

/// The only token of a node, and the node around it if that is another one.
fn only_token(node: &GreenNodeData) -> Option<(Option<SyntaxKind>, (SyntaxKind, &str))> {
    let (around, token) = match only_child(node)? {
        NodeOrToken::Token(token) => (None, token),
        NodeOrToken::Node(inner) => match only_child(inner)? {
            NodeOrToken::Token(token) => (Some(kind_from_raw(inner.kind())), token),
            NodeOrToken::Node(_) => return None,
        },
    };
    Some((around, (kind_from_raw(token.kind()), token.text())))
}

fn only_child(node: &GreenNodeData) -> Option<NodeOrToken<&GreenNodeData, &GreenTokenData>> {
    let mut children = node.children();
    if children.len() == 1 { children.next() } else { None }
}

fn walk_leaves<'a>(root: &'a GreenNodeData, visit: &mut impl FnMut(LeafStep<'a>)) {
    visit(LeafStep::Enter(kind_from_raw(root.kind())));
    let mut stack = vec![root.children()];
    while let Some(children) = stack.last_mut() {
        interrupt::check();
        match children.next() {
            Some(NodeOrToken::Node(node)) => {
                let kind = kind_from_raw(node.kind());
                match only_token(node) {
                    Some((inner, token)) => visit(LeafStep::Leaf(kind, inner, token)),
                    None => {
                        visit(LeafStep::Enter(kind));
                        stack.push(node.children());
                    }
                }
            }
            Some(NodeOrToken::Token(token)) => {
                visit(LeafStep::Token(kind_from_raw(token.kind()), token.text()));
            }
            None => {
                visit(LeafStep::Leave);
                stack.pop();
            }
        }
    }
}

/// The first tokens of a green tree that have at least `len` bytes together.
pub(crate) fn text_start(root: &GreenNodeData, len: usize) -> String {
    let mut res = String::new();
    let mut stack = vec![root.children()];
    while let Some(children) = stack.last_mut()
        && res.len() < len
    {
        match children.next() {
            Some(NodeOrToken::Node(node)) => stack.push(node.children()),
            Some(NodeOrToken::Token(token)) => res.push_str(token.text()),
            None => drop(stack.pop()),
        }
    }
    res
}

/// Returns true if two trees have the same kinds and the same text, without recursion. Shared parts are not entered.
pub(crate) fn same_tree(a: &GreenNodeData, b: &GreenNodeData) -> bool {
    let mut stack = vec![(a, b)];
    while let Some((a, b)) = stack.pop() {
        if std::ptr::eq(a, b) {
            continue;
        }
        if a.kind() != b.kind()
            || a.text_len() != b.text_len()
            || a.children().len() != b.children().len()
        {
            return false;
        }
        for pair in a.children().zip(b.children()) {
            match pair {
                (NodeOrToken::Node(a), NodeOrToken::Node(b)) if std::ptr::eq(a, b) => {}
                (NodeOrToken::Node(a), NodeOrToken::Node(b)) => stack.push((a, b)),
                (NodeOrToken::Token(a), NodeOrToken::Token(b))
                    if a.kind() == b.kind() && a.text() == b.text() => {}
                _ => return false,
            }
        }
    }
    true
}

/// One step of a walk over a green tree.
pub(crate) enum Step<'a> {
    Enter(rowan::SyntaxKind, TextSize),
    Token(rowan::SyntaxKind, &'a str),
    Leave,
}

/// As [`Green::walk`], of a part of a tree.
pub(crate) fn walk_node<'a>(root: &'a GreenNodeData, visit: &mut impl FnMut(GreenStep<'a>)) {
    walk(root, |step| {
        visit(match step {
            Step::Enter(kind, _) => GreenStep::Enter(kind_from_raw(kind)),
            Step::Token(kind, text) => GreenStep::Token(kind_from_raw(kind), text),
            Step::Leave => GreenStep::Leave,
        })
    });
}

/// Visits a green tree in text order, with an explicit stack.
pub(crate) fn walk<'a>(root: &'a GreenNodeData, mut visit: impl FnMut(Step<'a>)) {
    visit(Step::Enter(root.kind(), root.text_len()));
    let mut stack = vec![root.children()];
    while let Some(children) = stack.last_mut() {
        interrupt::check();
        match children.next() {
            Some(NodeOrToken::Node(node)) => {
                visit(Step::Enter(node.kind(), node.text_len()));
                stack.push(node.children());
            }
            Some(NodeOrToken::Token(token)) => visit(Step::Token(token.kind(), token.text())),
            None => {
                visit(Step::Leave);
                stack.pop();
            }
        }
    }
}

fn hash_tree(root: &GreenNodeData) -> u128 {
    let mut hasher = TreeHasher::new();
    walk(root, |step| match step {
        Step::Enter(kind, _) => hasher.word(u64::from(kind.0) | 1 << 32),
        Step::Leave => hasher.word(2 << 32),
        Step::Token(kind, text) => {
            hasher.word(u64::from(kind.0) | 3 << 32);
            hasher.bytes(text.as_bytes());
        }
    });
    hasher.finish()
}

/// Two lanes of multiply-and-fold over 64-bit words.
struct TreeHasher {
    lanes: [u64; 2],
}

/// Odd constants with balanced bits: the fractions of the square roots of 2, 3, 5 and 7.
const KEYS: [u64; 4] =
    [0x6a09_e667_f3bc_c909, 0xbb67_ae85_84ca_a73b, 0x3c6e_f372_fe94_f82b, 0xa54f_f53a_5f1d_36f1];

impl TreeHasher {
    fn new() -> TreeHasher {
        TreeHasher { lanes: [KEYS[0], KEYS[1]] }
    }

    fn word(&mut self, word: u64) {
        self.lanes[0] = fold(self.lanes[0] ^ word, KEYS[2]);
        self.lanes[1] = fold(self.lanes[1].rotate_left(23) ^ word, KEYS[3]);
    }

    fn bytes(&mut self, bytes: &[u8]) {
        let (words, rest) = bytes.as_chunks::<8>();
        for word in words {
            self.word(u64::from_le_bytes(*word));
        }
        let mut last = [0; 8];
        last[..rest.len()].copy_from_slice(rest);
        // The length tells texts that end in NULs from those that do not.
        self.word(u64::from_le_bytes(last));
        self.word(bytes.len() as u64);
    }

    fn finish(mut self) -> u128 {
        self.word(KEYS[2]);
        u128::from(self.lanes[0]) << 64 | u128::from(self.lanes[1])
    }
}

/// The product's halves, combined so that a zero factor does not erase the state before.
fn fold(a: u64, b: u64) -> u64 {
    let product = u128::from(a) * u128::from(b);
    (product as u64) ^ ((product >> 64) as u64) ^ a.rotate_left(32)
}

//! Builds green trees from the parser's steps.
//!
//! rowan's own builder hashes nodes by recursion when its cache grows, which a chain of 10^5 operators does not
//! survive. This one interns by the *number* of each child instead: each interned token and node has a number, and a
//! node of at most three interned children is looked up by their numbers. So `T.int64(0)` exists once a file, however
//! often it is written, at constant cost a node. While a node is open its interned children are numbers too: a
//! reference is counted only when a node is made. Tokens with a fixed spelling are found by their kind alone, nodes
//! with one child (a name in an expression) mostly by the last node around that child.

use parser::{Step, SyntaxKind, mlir};
use rowan::{GreenNode, GreenToken, NodeOrToken};

use crate::{green::Green, syntax_node::kind_to_raw};

/// A node or token, owned.
pub(crate) type GreenElement = NodeOrToken<GreenNode, GreenToken>;

/// The number of an interned element: its place in [`Builder::interned`].
type Id = u32;
/// No number.
const NONE: Id = Id::MAX;

/// More children than this, and a node is not worth looking up.
const MAX_INTERNED_CHILDREN: usize = 3;
/// Longer tokens are strings and comments that do not repeat.
const MAX_INTERNED_TEXT: usize = 64;

/// Builds the tree of `steps`, whose tokens cover `text`.
pub(crate) fn build(text: &str, steps: impl Iterator<Item = Step>) -> Green {
    let mut builder = Builder::new(text);
    steps.for_each(|step| builder.step(step));
    builder.finish()
}

/// Builds the tree of a file of MLIR as it is read: its steps are never all there.
pub(crate) fn build_mlir(text: &str, shapes: &mlir::Shapes) -> Green {
    let mut builder = Builder::new(text);
    mlir::parse_into(text, shapes, &mut builder);
    builder.finish()
}

impl mlir::Sink for Builder<'_> {
    fn steps(&mut self, steps: &[Step]) {
        steps.iter().for_each(|step| self.step(*step));
    }
}

/// A complete child of an open node.
enum Child {
    Interned(Id),
    Unique(GreenElement),
}

struct Interned {
    element: GreenElement,
    /// The node that had this as its only child last, and its kind.
    wrapped: (SyntaxKind, Id),
}

struct Builder<'t> {
    rest: &'t str,
    /// Open nodes, with the number of children before their first.
    parents: Vec<(SyntaxKind, usize)>,
    children: Vec<Child>,
    depth: usize,
    interned: Vec<Interned>,
    /// By kind.
    fixed: Vec<Id>,
    tokens: Table,
    nodes: Table,
    /// Interned nodes: their children, and their numbers.
    keys: Vec<(SyntaxKind, [Id; MAX_INTERNED_CHILDREN])>,
    node_ids: Vec<Id>,
}

impl<'t> Builder<'t> {
    fn new(text: &'t str) -> Builder<'t> {
        Builder {
            rest: text,
            parents: Vec::new(),
            children: Vec::new(),
            depth: 0,
            interned: Vec::new(),
            fixed: Vec::new(),
            tokens: Table::default(),
            nodes: Table::default(),
            keys: Vec::new(),
            node_ids: Vec::new(),
        }
    }

    #[inline]
    fn step(&mut self, step: Step) {
        match step {
            Step::Enter(kind) => self.enter(kind),
            Step::Token { kind, len } => self.token(kind, len),
            Step::Exit => self.exit(),
        }
    }

    fn enter(&mut self, kind: SyntaxKind) {
        self.parents.push((kind, self.children.len()));
        self.depth = self.depth.max(self.parents.len());
    }

    fn token(&mut self, kind: SyntaxKind, len: u32) {
        let (text, rest) = self.rest.split_at(len as usize);
        self.rest = rest;
        let child = if kind.static_text().is_some_and(|it| it.len() == text.len()) {
            Child::Interned(self.fixed_token(kind, text))
        } else if text.len() <= MAX_INTERNED_TEXT {
            Child::Interned(self.textual_token(kind, text))
        } else {
            Child::Unique(NodeOrToken::Token(GreenToken::new(kind_to_raw(kind), text)))
        };
        self.children.push(child);
    }

    fn fixed_token(&mut self, kind: SyntaxKind, text: &str) -> Id {
        let slot = kind as usize;
        if self.fixed.len() <= slot {
            self.fixed.resize(slot + 1, NONE);
        }
        if self.fixed[slot] == NONE {
            self.fixed[slot] =
                self.intern(NodeOrToken::Token(GreenToken::new(kind_to_raw(kind), text)));
        }
        self.fixed[slot]
    }

    fn textual_token(&mut self, kind: SyntaxKind, text: &str) -> Id {
        let raw = kind_to_raw(kind);
        let hash = hash_text(kind, text);
        let interned = &self.interned;
        let found = self.tokens.find(hash, |id| {
            interned[id as usize]
                .element
                .as_token()
                .is_some_and(|it| it.kind() == raw && it.text() == text)
        });
        if let Some(id) = found {
            return id;
        }
        let id = self.intern(NodeOrToken::Token(GreenToken::new(raw, text)));
        self.tokens.insert(hash, id);
        id
    }

    fn intern(&mut self, element: GreenElement) -> Id {
        let id = self.interned.len() as Id;
        self.interned.push(Interned { element, wrapped: (SyntaxKind::TOMBSTONE, NONE) });
        id
    }

    fn exit(&mut self) {
        let (kind, first) = self.parents.pop().expect("the parser exits only what it entered");
        let child = match interned_children(&self.children[first..]) {
            Some(ids) => Child::Interned(self.interned_node(kind, first, ids)),
            None => Child::Unique(NodeOrToken::Node(self.new_node(kind, first))),
        };
        self.children.push(child);
    }

    fn interned_node(
        &mut self,
        kind: SyntaxKind,
        first: usize,
        ids: [Id; MAX_INTERNED_CHILDREN],
    ) -> Id {
        let only_child = (ids[1] == NONE).then_some(ids[0] as usize);
        if let Some(child) = only_child
            && self.interned[child].wrapped.0 == kind
        {
            self.children.truncate(first);
            return self.interned[child].wrapped.1;
        }
        let hash = hash_node(kind, ids);
        let keys = &self.keys;
        let id = match self.nodes.find(hash, |key| keys[key as usize] == (kind, ids)) {
            Some(key) => {
                self.children.truncate(first);
                self.node_ids[key as usize]
            }
            None => {
                let node = self.new_node(kind, first);
                let id = self.intern(NodeOrToken::Node(node));
                self.nodes.insert(hash, self.keys.len() as Id);
                self.keys.push((kind, ids));
                self.node_ids.push(id);
                id
            }
        };
        if let Some(child) = only_child {
            self.interned[child].wrapped = (kind, id);
        }
        id
    }

    fn new_node(&mut self, kind: SyntaxKind, first: usize) -> GreenNode {
        let interned = &self.interned;
        let children = self.children.drain(first..).map(|it| match it {
            Child::Interned(id) => interned[id as usize].element.clone(),
            Child::Unique(element) => element,
        });
        GreenNode::new(kind_to_raw(kind), children)
    }

    fn finish(mut self) -> Green {
        let root = match self.children.pop() {
            Some(Child::Unique(element)) => element.into_node(),
            Some(Child::Interned(id)) => self.interned[id as usize].element.clone().into_node(),
            None => None,
        };
        let root = root.expect("the steps of a parse enter a root first and exit it last");
        // The tree is held before the interned elements are let go: a deep one is not freed by them.
        Green::new(root, self.depth as u32)
    }
}

/// The numbers of the children, if all have one and they are few. An empty node is never shared: two of them at one
/// offset could not be distinguished.
fn interned_children(children: &[Child]) -> Option<[Id; MAX_INTERNED_CHILDREN]> {
    if children.is_empty() || children.len() > MAX_INTERNED_CHILDREN {
        return None;
    }
    let mut ids = [NONE; MAX_INTERNED_CHILDREN];
    for (slot, child) in ids.iter_mut().zip(children) {
        match child {
            Child::Interned(id) => *slot = *id,
            Child::Unique(_) => return None,
        }
    }
    Some(ids)
}

const MULTIPLIER: u64 = 0x9e37_79b9_7f4a_7c15;

fn mix(hash: u64, word: u64) -> u64 {
    (hash.rotate_left(5) ^ word).wrapping_mul(MULTIPLIER)
}

fn hash_text(kind: SyntaxKind, text: &str) -> u32 {
    let (words, rest) = text.as_bytes().as_chunks::<8>();
    let mut hash = mix(kind as u64, text.len() as u64);
    for word in words {
        hash = mix(hash, u64::from_le_bytes(*word));
    }
    let mut last = [0; 8];
    last[..rest.len()].copy_from_slice(rest);
    finish_hash(mix(hash, u64::from_le_bytes(last)))
}

fn hash_node(kind: SyntaxKind, ids: [Id; MAX_INTERNED_CHILDREN]) -> u32 {
    finish_hash(ids.iter().fold(kind as u64, |hash, id| mix(hash, u64::from(*id))))
}

/// The high bits are those that a multiplication mixes best.
fn finish_hash(hash: u64) -> u32 {
    (hash >> 32) as u32
}

/// A hash table with open addressing that stores numbers, by a hash that is given.
#[derive(Default)]
struct Table {
    /// The hash, and the number; [`NONE`] in a free slot.
    slots: Vec<(u32, Id)>,
    len: usize,
}

impl Table {
    #[inline]
    fn find(&self, hash: u32, is_it: impl Fn(Id) -> bool) -> Option<Id> {
        let mask = self.slots.len().checked_sub(1)?;
        let mut at = hash as usize & mask;
        loop {
            match self.slots[at] {
                (_, NONE) => return None,
                (found, id) if found == hash && is_it(id) => return Some(id),
                _ => at = (at + 1) & mask,
            }
        }
    }

    fn insert(&mut self, hash: u32, id: Id) {
        // Half stays free, so that a search ends soon.
        if (self.len + 1) * 2 > self.slots.len() {
            self.grow();
        }
        self.len += 1;
        self.put(hash, id);
    }

    fn put(&mut self, hash: u32, id: Id) {
        let mask = self.slots.len() - 1;
        let mut at = hash as usize & mask;
        while self.slots[at].1 != NONE {
            at = (at + 1) & mask;
        }
        self.slots[at] = (hash, id);
    }

    #[cold]
    fn grow(&mut self) {
        let len = (self.slots.len() * 2).max(64);
        let old = std::mem::replace(&mut self.slots, vec![(0, NONE); len]);
        for (hash, id) in old.into_iter().filter(|(_, id)| *id != NONE) {
            self.put(hash, id);
        }
    }
}

//! Builds green trees from the parser's steps.
//!
//! rowan's own builder hashes nodes by recursion when its cache grows, which a chain of 10^5 operators does not
//! survive. This one interns by the *number* of each child instead: each interned token and node has a number, and a
//! node of a few interned children is looked up by their numbers. So `T.int64(0)` and `i * 4 + j` exist once a file,
//! however often they are written, at constant cost a node. While a node is open its interned children are numbers too:
//! a reference is counted only when a node is made. Tokens with a fixed spelling are found by their kind alone, nodes
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

/// More children than this, and a node is not worth looking up: an operator with its operands and the spaces between is
/// five, a call of three arguments eight.
const MAX_INTERNED_CHILDREN: usize = 8;
/// The same where every value has a name of its own, so that only small pieces repeat.
const MAX_OF_OPERATIONS: usize = 3;
/// Tokens of up to this many bytes are told by one word.
const MAX_SHORT: usize = 8;
/// Longer tokens are strings and comments that do not repeat.
const MAX_INTERNED_TEXT: usize = 64;

/// Builds the tree of `steps`, whose tokens cover `text`.
pub(crate) fn build(text: &str, steps: impl Iterator<Item = Step>) -> Green {
    let mut builder = Builder::new(text);
    steps.for_each(|step| builder.step(step));
    builder.finish()
}

/// As [`build`], of operations whose values have names of their own.
pub(crate) fn build_operations(text: &str, steps: impl Iterator<Item = Step>) -> Green {
    let mut builder = Builder { max_children: MAX_OF_OPERATIONS, ..Builder::new(text) };
    steps.for_each(|step| builder.step(step));
    builder.finish()
}

/// Builds the tree of a file of MLIR as it is read: its steps are never all there.
pub(crate) fn build_mlir(text: &str, shapes: &mlir::Shapes) -> Green {
    let mut builder = Builder { max_children: MAX_OF_OPERATIONS, ..Builder::new(text) };
    mlir::parse_into(text, shapes, &mut builder);
    builder.finish()
}

impl mlir::Sink for Builder<'_> {
    fn pieces(&mut self, pieces: &[mlir::Piece]) {
        // It takes no lines: all are steps.
        pieces.iter().filter_map(|it| it.step()).for_each(|step| self.step(step));
    }
}

/// A complete child of an open node.
enum Child {
    Interned(Id),
    Unique(GreenElement),
}

struct Interned {
    element: GreenElement,
    /// Of a token of up to eight bytes: these, and zeros; with the kind and the length they are all of it.
    bytes: u64,
    /// Of such a token: its kind and length.
    spelling: Spelling,
    /// The node that had this as its only child last, and its kind.
    wrapped: (SyntaxKind, Id),
}

/// The kind and length of a short token; none of anything else.
type Spelling = Option<(SyntaxKind, u8)>;

struct Builder<'t> {
    text: &'t str,
    /// Where the next token begins.
    pos: usize,
    /// Open nodes, with the number of children before their first.
    parents: Vec<(SyntaxKind, usize)>,
    children: Vec<Child>,
    /// Nodes of more children are not interned.
    max_children: usize,
    depth: usize,
    interned: Vec<Interned>,
    /// By kind: the token of its fixed spelling, and the length of that.
    fixed: Vec<(Id, u32)>,
    tokens: Table,
    nodes: Table,
    /// Interned nodes by their numbers in the table: where their children are, and their numbers as elements.
    keys: Vec<Key>,
    /// The numbers of the children of interned nodes.
    pool: Vec<Id>,
}

/// An interned node.
struct Key {
    kind: SyntaxKind,
    len: u8,
    /// In [`Builder::pool`].
    start: u32,
    id: Id,
}

impl<'t> Builder<'t> {
    fn new(text: &'t str) -> Builder<'t> {
        Builder {
            text,
            pos: 0,
            parents: Vec::new(),
            children: Vec::new(),
            max_children: MAX_INTERNED_CHILDREN,
            depth: 0,
            interned: Vec::new(),
            fixed: Vec::new(),
            tokens: Table::default(),
            nodes: Table::default(),
            keys: Vec::new(),
            pool: Vec::new(),
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
        let (start, end) = (self.pos, self.pos + len as usize);
        self.pos = end;
        let child = match self.fixed.get(kind as usize) {
            Some(&(id, fixed)) if fixed == len => Child::Interned(id),
            _ if end - start <= MAX_SHORT => Child::Interned(self.short_token(kind, start, end)),
            _ if end - start <= MAX_INTERNED_TEXT => {
                Child::Interned(self.textual_token(kind, &self.text[start..end]))
            }
            _ => Child::Unique(NodeOrToken::Token(GreenToken::new(
                kind_to_raw(kind),
                &self.text[start..end],
            ))),
        };
        self.children.push(child);
    }

    /// A token that is told by one word.
    fn short_token(&mut self, kind: SyntaxKind, start: usize, end: usize) -> Id {
        let (text, len) = (self.text, end - start);
        let bytes = word(text.as_bytes(), start, end);
        let spelling = Some((kind, len as u8));
        let hash = finish_hash(mix(mix(kind as u64, len as u64), bytes));
        let interned = &self.interned;
        let found = self.tokens.find(hash, |id| {
            let it = &interned[id as usize];
            it.bytes == bytes && it.spelling == spelling
        });
        if let Some(id) = found {
            return id;
        }
        let token = GreenToken::new(kind_to_raw(kind), &text[start..end]);
        let id = self.intern(NodeOrToken::Token(token));
        let it = &mut self.interned[id as usize];
        (it.bytes, it.spelling) = (bytes, spelling);
        self.tokens.insert(hash, id);
        if kind.static_text().is_some_and(|it| it.len() == len) {
            let slot = kind as usize;
            if self.fixed.len() <= slot {
                self.fixed.resize(slot + 1, (NONE, NONE));
            }
            self.fixed[slot] = (id, len as u32);
        }
        id
    }

    /// A longer token.
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
        let wrapped = (SyntaxKind::TOMBSTONE, NONE);
        self.interned.push(Interned { element, bytes: 0, spelling: None, wrapped });
        id
    }

    fn exit(&mut self) {
        let (kind, first) = self.parents.pop().expect("the parser exits only what it entered");
        if let [Child::Interned(only)] = self.children[first..]
            && self.interned[only as usize].wrapped.0 == kind
        {
            self.children[first] = Child::Interned(self.interned[only as usize].wrapped.1);
            return;
        }
        let child = match interned_children(&self.children[first..], self.max_children) {
            Some((ids, len)) => Child::Interned(self.interned_node(kind, first, &ids[..len])),
            None => Child::Unique(NodeOrToken::Node(self.new_node(kind, first))),
        };
        self.children.push(child);
    }

    fn interned_node(&mut self, kind: SyntaxKind, first: usize, ids: &[Id]) -> Id {
        let only_child = (ids.len() == 1).then_some(ids[0] as usize);
        let hash = hash_node(kind, ids);
        let (keys, pool) = (&self.keys, &self.pool);
        let found = self.nodes.find(hash, |key| {
            let key = &keys[key as usize];
            let start = key.start as usize;
            key.kind == kind
                && usize::from(key.len) == ids.len()
                && pool[start..start + ids.len()] == *ids
        });
        let id = match found {
            Some(key) => {
                self.children.truncate(first);
                self.keys[key as usize].id
            }
            None => {
                let node = self.new_node(kind, first);
                let id = self.intern(NodeOrToken::Node(node));
                self.nodes.insert(hash, self.keys.len() as Id);
                let (start, len) = (self.pool.len() as u32, ids.len() as u8);
                self.pool.extend_from_slice(ids);
                self.keys.push(Key { kind, len, start, id });
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

/// The numbers of the children, if all have one and they are few, and how many they are. An empty node is never shared:
/// two of them at one offset could not be distinguished.
fn interned_children(
    children: &[Child],
    max: usize,
) -> Option<([Id; MAX_INTERNED_CHILDREN], usize)> {
    if children.is_empty() || children.len() > max {
        return None;
    }
    let mut ids = [NONE; MAX_INTERNED_CHILDREN];
    for (slot, child) in ids.iter_mut().zip(children) {
        match child {
            Child::Interned(id) => *slot = *id,
            Child::Unique(_) => return None,
        }
    }
    Some((ids, children.len()))
}

const MULTIPLIER: u64 = 0x9e37_79b9_7f4a_7c15;

fn mix(hash: u64, word: u64) -> u64 {
    (hash.rotate_left(5) ^ word).wrapping_mul(MULTIPLIER)
}

/// Up to eight bytes of a text, and zeros.
fn word(text: &[u8], start: usize, end: usize) -> u64 {
    let len = end - start;
    match text.get(start..start + 8) {
        Some(all) if len > 0 => {
            let all = u64::from_le_bytes(all.try_into().unwrap_or_default());
            all & (u64::MAX >> (64 - 8 * len))
        }
        _ => {
            let mut bytes = [0; 8];
            bytes[..len].copy_from_slice(&text[start..end]);
            u64::from_le_bytes(bytes)
        }
    }
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

fn hash_node(kind: SyntaxKind, ids: &[Id]) -> u32 {
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

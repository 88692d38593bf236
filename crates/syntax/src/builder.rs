//! Builds green trees from the parser's steps.
//!
//! rowan's own builder hashes nodes by recursion when its cache grows, which a chain of 10^5 operators does not survive. This
//! one interns by what a child *is* instead: each interned token and node has a number, and a node of at most
//! three interned children is looked up by their numbers. So `T.int64(0)` exists once a file, however often it is
//! written, at constant cost a node. Tokens with a fixed spelling are found by their kind alone.

use parser::{Step, SyntaxKind};
use rowan::{GreenNode, GreenToken, NodeOrToken};

use crate::{green::Green, syntax_node::kind_to_raw};

/// A node or token, owned.
pub(crate) type GreenElement = NodeOrToken<GreenNode, GreenToken>;

/// The number of an interned element; [`UNIQUE`] for one that is not interned.
type Id = u32;
const UNIQUE: Id = 0;

/// More children than this, and a node is not worth looking up.
const MAX_INTERNED_CHILDREN: usize = 3;
/// Longer tokens are strings and comments that do not repeat.
const MAX_INTERNED_TEXT: usize = 64;

/// Builds the tree of `steps`, whose tokens cover `text`.
pub(crate) fn build(text: &str, steps: impl Iterator<Item = Step>) -> Green {
    let mut builder = Builder::new(text);
    for step in steps {
        match step {
            Step::Enter(kind) => builder.enter(kind),
            Step::Token { kind, len } => builder.token(kind, len),
            Step::Exit => builder.exit(),
        }
    }
    builder.finish()
}

struct Builder<'t> {
    rest: &'t str,
    /// Open nodes, with the number of elements before their first child.
    parents: Vec<(SyntaxKind, usize)>,
    elements: Vec<(Id, GreenElement)>,
    depth: usize,
    fixed: Vec<Option<(Id, GreenToken)>>,
    tokens: Table<GreenToken>,
    nodes: Table<(SyntaxKind, [Id; MAX_INTERNED_CHILDREN], GreenNode)>,
    next_id: Id,
}

impl<'t> Builder<'t> {
    fn new(text: &'t str) -> Builder<'t> {
        Builder {
            rest: text,
            parents: Vec::new(),
            elements: Vec::new(),
            depth: 0,
            fixed: Vec::new(),
            tokens: Table::default(),
            nodes: Table::default(),
            next_id: UNIQUE,
        }
    }

    fn enter(&mut self, kind: SyntaxKind) {
        self.parents.push((kind, self.elements.len()));
        self.depth = self.depth.max(self.parents.len());
    }

    fn token(&mut self, kind: SyntaxKind, len: u32) {
        let (text, rest) = self.rest.split_at(len as usize);
        self.rest = rest;
        let (id, token) = if kind.static_text().is_some_and(|it| it.len() == text.len()) {
            self.fixed_token(kind, text)
        } else if text.len() <= MAX_INTERNED_TEXT {
            self.textual_token(kind, text)
        } else {
            (UNIQUE, GreenToken::new(kind_to_raw(kind), text))
        };
        self.elements.push((id, NodeOrToken::Token(token)));
    }

    fn fixed_token(&mut self, kind: SyntaxKind, text: &str) -> (Id, GreenToken) {
        let slot = kind as usize;
        if self.fixed.len() <= slot {
            self.fixed.resize(slot + 1, None);
        }
        if let Some((id, token)) = &self.fixed[slot] {
            return (*id, token.clone());
        }
        let entry = (self.fresh_id(), GreenToken::new(kind_to_raw(kind), text));
        self.fixed[slot] = Some(entry.clone());
        entry
    }

    fn textual_token(&mut self, kind: SyntaxKind, text: &str) -> (Id, GreenToken) {
        let raw = kind_to_raw(kind);
        let hash = hash_text(kind, text);
        if let Some((id, token)) =
            self.tokens.find(hash, |it| it.kind() == raw && it.text() == text)
        {
            return (id, token.clone());
        }
        let (id, token) = (self.fresh_id(), GreenToken::new(raw, text));
        self.tokens.insert(hash, id, token.clone());
        (id, token)
    }

    fn exit(&mut self) {
        let (kind, first) = self.parents.pop().expect("the parser exits only what it entered");
        let (id, node) = self.node(kind, first);
        self.elements.push((id, NodeOrToken::Node(node)));
    }

    fn node(&mut self, kind: SyntaxKind, first: usize) -> (Id, GreenNode) {
        let Some(ids) = interned_children(&self.elements[first..]) else {
            return (UNIQUE, self.new_node(kind, first));
        };
        let hash = hash_node(kind, ids);
        if let Some((id, found)) = self.nodes.find(hash, |it| it.0 == kind && it.1 == ids) {
            let node = found.2.clone();
            self.elements.truncate(first);
            return (id, node);
        }
        let node = self.new_node(kind, first);
        let id = self.fresh_id();
        self.nodes.insert(hash, id, (kind, ids, node.clone()));
        (id, node)
    }

    fn new_node(&mut self, kind: SyntaxKind, first: usize) -> GreenNode {
        GreenNode::new(kind_to_raw(kind), self.elements.drain(first..).map(|(_, it)| it))
    }

    fn fresh_id(&mut self) -> Id {
        self.next_id += 1;
        self.next_id
    }

    fn finish(mut self) -> Green {
        let root = self.elements.pop().and_then(|(_, it)| it.into_node());
        let root = root.expect("the steps of a parse enter a root first and exit it last");
        Green::new(root, self.depth as u32)
    }
}

/// The numbers of the children, zeros behind, if all have one and they are few. An empty node is never shared:
/// two of them at one offset could not be told apart.
fn interned_children(children: &[(Id, GreenElement)]) -> Option<[Id; MAX_INTERNED_CHILDREN]> {
    if children.is_empty() || children.len() > MAX_INTERNED_CHILDREN {
        return None;
    }
    let mut ids = [UNIQUE; MAX_INTERNED_CHILDREN];
    for (slot, (id, _)) in ids.iter_mut().zip(children) {
        *slot = *id;
    }
    ids[..children.len()].iter().all(|id| *id != UNIQUE).then_some(ids)
}

const MULTIPLIER: u64 = 0x9e37_79b9_7f4a_7c15;

fn mix(hash: u64, word: u64) -> u64 {
    (hash.rotate_left(5) ^ word).wrapping_mul(MULTIPLIER)
}

fn hash_text(kind: SyntaxKind, text: &str) -> u64 {
    let (words, rest) = text.as_bytes().as_chunks::<8>();
    let mut hash = mix(kind as u64, text.len() as u64);
    for word in words {
        hash = mix(hash, u64::from_le_bytes(*word));
    }
    let mut last = [0; 8];
    last[..rest.len()].copy_from_slice(rest);
    finish_hash(mix(hash, u64::from_le_bytes(last)))
}

fn hash_node(kind: SyntaxKind, ids: [Id; MAX_INTERNED_CHILDREN]) -> u64 {
    finish_hash(ids.iter().fold(kind as u64, |hash, id| mix(hash, u64::from(*id))))
}

/// Brings the high bits, which a multiplication mixes best, to where the table looks.
fn finish_hash(hash: u64) -> u64 {
    hash ^ (hash >> 32)
}

/// A hash table with open addressing that stores what it is given, by a hash that is given too.
struct Table<T> {
    slots: Vec<Option<Slot<T>>>,
    len: usize,
}

struct Slot<T> {
    hash: u64,
    id: Id,
    value: T,
}

impl<T> Default for Table<T> {
    fn default() -> Table<T> {
        Table { slots: Vec::new(), len: 0 }
    }
}

impl<T> Table<T> {
    #[inline]
    fn find(&self, hash: u64, is_it: impl Fn(&T) -> bool) -> Option<(Id, &T)> {
        let mask = self.slots.len().checked_sub(1)?;
        let mut at = hash as usize & mask;
        while let Some(slot) = &self.slots[at] {
            if slot.hash == hash && is_it(&slot.value) {
                return Some((slot.id, &slot.value));
            }
            at = (at + 1) & mask;
        }
        None
    }

    fn insert(&mut self, hash: u64, id: Id, value: T) {
        // A quarter stays free, so that a search ends soon.
        if (self.len + 1) * 4 > self.slots.len() * 3 {
            self.grow();
        }
        self.len += 1;
        self.put(Slot { hash, id, value });
    }

    fn put(&mut self, slot: Slot<T>) {
        let mask = self.slots.len() - 1;
        let mut at = slot.hash as usize & mask;
        while self.slots[at].is_some() {
            at = (at + 1) & mask;
        }
        self.slots[at] = Some(slot);
    }

    #[cold]
    fn grow(&mut self) {
        let len = (self.slots.len() * 2).max(64);
        let old =
            std::mem::replace(&mut self.slots, std::iter::repeat_with(|| None).take(len).collect());
        old.into_iter().flatten().for_each(|slot| self.put(slot));
    }
}

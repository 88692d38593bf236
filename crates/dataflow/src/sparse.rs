//! Persistent sparse sets and maps of ids: states that are cheap to keep, to compare and to join.
//!
//! In: dense ids of a body ([`Id`]). Out: [`IdMap`] and [`IdSet`]: a clone is O(1) and shares everything; an update
//! copies the path to its place, or nothing if the place is not shared; equality and merging skip shared parts, so they
//! cost the difference of the two sides, not their size. Iteration is in the order of ids. As lattices: [`May`] joins
//! sets by union, [`Must`] by intersection, an [`IdMap`] of lattice elements point by point (a missing key is less than
//! any).
//!
//! Big-endian Patricia trees (Okasaki, Gill, "Fast Mergeable Integer Maps", 1998). A *branch* holds the keys that agree
//! on all bits above its own bit (its *prefix*). Recursion is at most 32 deep.

use std::{marker::PhantomData, sync::Arc};

use ir::arena::Id;

use crate::lattice::Lattice;

#[derive(Clone, Debug)]
enum Node<V> {
    Leaf(u32, V),
    Branch { prefix: u32, bit: u32, zero: Arc<Node<V>>, one: Arc<Node<V>> },
}

/// A persistent map from ids to values.
pub struct IdMap<I, V> {
    root: Option<Arc<Node<V>>>,
    marker: PhantomData<fn(I) -> V>,
}

/// A persistent set of ids.
pub type IdSet<I> = IdMap<I, ()>;

/// The result of merging two values, or two trees.
#[derive(Clone, Debug)]
pub enum Merged<T> {
    /// Either: they are the same.
    Both,
    /// The left one as it was.
    Left,
    /// The right one as it was.
    Right,
    /// Something else.
    New(T),
}

impl<I, V> Clone for IdMap<I, V> {
    fn clone(&self) -> Self {
        IdMap { root: self.root.clone(), marker: PhantomData }
    }
}

impl<I, V> Default for IdMap<I, V> {
    fn default() -> Self {
        IdMap { root: None, marker: PhantomData }
    }
}

impl<I: Id, V: PartialEq> PartialEq for IdMap<I, V> {
    fn eq(&self, other: &Self) -> bool {
        match (&self.root, &other.root) {
            (None, None) => true,
            (Some(a), Some(b)) => equal(a, b),
            _ => false,
        }
    }
}

impl<I: Id, V: Eq> Eq for IdMap<I, V> {}

impl<I: Id, V: std::fmt::Debug> std::fmt::Debug for IdMap<I, V> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_map().entries(self.iter()).finish()
    }
}

impl<I: Id, V> IdMap<I, V> {
    /// Returns true if the map is empty.
    pub fn is_empty(&self) -> bool {
        self.root.is_none()
    }

    /// The value of a key. O(log n).
    pub fn get(&self, key: I) -> Option<&V> {
        let key = key.index() as u32;
        let mut node = self.root.as_deref()?;
        loop {
            match node {
                Node::Leaf(at, value) => return (*at == key).then_some(value),
                Node::Branch { prefix, bit, .. } if !belongs(key, *prefix, *bit) => return None,
                Node::Branch { bit, zero, one, .. } => {
                    node = if key & bit == 0 { zero } else { one };
                }
            }
        }
    }

    /// Returns true if the map contains a key.
    pub fn contains(&self, key: I) -> bool {
        self.get(key).is_some()
    }

    /// Keys and values, by key.
    pub fn iter(&self) -> impl Iterator<Item = (I, &V)> {
        let mut stack: Vec<&Node<V>> = self.root.as_deref().into_iter().collect();
        std::iter::from_fn(move || {
            loop {
                match stack.pop()? {
                    Node::Leaf(key, value) => return Some((I::new(*key as usize), value)),
                    Node::Branch { zero, one, .. } => stack.extend([&**one, &**zero]),
                }
            }
        })
    }

    /// Keys, in order.
    pub fn keys(&self) -> impl Iterator<Item = I> {
        self.iter().map(|it| it.0)
    }
}

impl<I: Id, V: Clone + PartialEq> IdMap<I, V> {
    /// Sets the value of a key; returns true if that changed anything. O(log n).
    pub fn set(&mut self, key: I, value: V) -> bool {
        if self.get(key) == Some(&value) {
            return false;
        }
        let key = key.index() as u32;
        match &mut self.root {
            None => self.root = Some(Arc::new(Node::Leaf(key, value))),
            Some(root) => set_below(root, key, value),
        }
        true
    }

    /// Removes a key; returns true if it was there. O(log n).
    pub fn remove(&mut self, key: I) -> bool {
        if !self.contains(key) {
            return false;
        }
        let key = key.index() as u32;
        if let Some(root) = &mut self.root
            && remove_below(root, key)
        {
            self.root = None;
        }
        true
    }

    /// Removes the keys whose numbers are in a range; returns true if there were any. O(log n): the inside of the range
    /// is not visited.
    pub fn remove_range(&mut self, range: std::ops::Range<u32>) -> bool {
        match self.root.as_ref().map(|root| without(root, &range)) {
            None | Some(Without::Same) => false,
            Some(Without::Rest(rest)) => {
                self.root = rest;
                true
            }
        }
    }

    /// Keeps all keys of both; `merge` decides on values that both have. Says whether that changed `self`.
    /// It must give [`Merged::Both`], [`Merged::Left`] or [`Merged::Right`] where that is so, or sharing is lost.
    pub fn union_by(&mut self, other: &Self, merge: &mut dyn FnMut(&V, &V) -> Merged<V>) -> bool {
        match (&mut self.root, &other.root) {
            (_, None) => false,
            (root @ None, Some(_)) => {
                root.clone_from(&other.root);
                true
            }
            (Some(a), Some(b)) => match union(a, b, merge) {
                Merged::Both | Merged::Left => false,
                Merged::Right => {
                    *a = b.clone();
                    true
                }
                Merged::New(node) => {
                    *a = node;
                    true
                }
            },
        }
    }

    /// Keeps the keys that both have; `merge` decides on their values. Says whether that changed `self`.
    pub fn intersect_by(
        &mut self,
        other: &Self,
        merge: &mut dyn FnMut(&V, &V) -> Merged<V>,
    ) -> bool {
        let (Some(a), Some(b)) = (&self.root, &other.root) else {
            return self.root.take().is_some();
        };
        match intersect(a, b, merge) {
            Merged::Both | Merged::Left => return false,
            Merged::Right => self.root.clone_from(&other.root),
            Merged::New(node) => self.root = node,
        }
        true
    }
}

impl<I: Id> IdSet<I> {
    /// Adds a key; returns true if it was new.
    pub fn insert(&mut self, key: I) -> bool {
        self.set(key, ())
    }
    /// Adds the keys of another set; returns true if any was new.
    pub fn union(&mut self, other: &Self) -> bool {
        self.union_by(other, &mut |(), ()| Merged::Both)
    }
    /// Keeps the keys that another set has too; returns true if any was lost.
    pub fn intersect(&mut self, other: &Self) -> bool {
        self.intersect_by(other, &mut |(), ()| Merged::Both)
    }
}

impl<I: Id> FromIterator<I> for IdSet<I> {
    fn from_iter<T: IntoIterator<Item = I>>(keys: T) -> Self {
        let mut set = IdSet::default();
        for key in keys {
            set.insert(key);
        }
        set
    }
}

/// A set of facts that hold on some path: joined by union.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct May<I: Id>(pub IdSet<I>);

/// A set of facts that hold on all paths: joined by intersection.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Must<I: Id>(pub IdSet<I>);

impl<I: Id> Lattice for May<I> {
    fn join(&mut self, other: &Self) -> bool {
        self.0.union(&other.0)
    }
}

impl<I: Id> Lattice for Must<I> {
    fn join(&mut self, other: &Self) -> bool {
        self.0.intersect(&other.0)
    }
}

impl<I: Id, V: Lattice> Lattice for IdMap<I, V> {
    fn join(&mut self, other: &Self) -> bool {
        self.union_by(other, &mut |a, b| {
            let mut joined = a.clone();
            if !joined.join(b) {
                if a == b { Merged::Both } else { Merged::Left }
            } else if joined == *b {
                Merged::Right
            } else {
                Merged::New(joined)
            }
        })
    }
}

/// Returns true if a key agrees with a branch on all bits above its own.
fn belongs(key: u32, prefix: u32, bit: u32) -> bool {
    above(key, bit) == prefix
}

fn above(key: u32, bit: u32) -> u32 {
    key & !(bit | (bit - 1))
}

fn prefix_of<V>(node: &Node<V>) -> u32 {
    match node {
        Node::Leaf(key, _) => *key,
        Node::Branch { prefix, .. } => *prefix,
    }
}

/// A branch over two trees whose keys differ above both: at the highest bit in which they do.
fn fork<V>(a: Arc<Node<V>>, b: Arc<Node<V>>) -> Node<V> {
    let (key_a, key_b) = (prefix_of(&a), prefix_of(&b));
    let bit = 1 << (31 - (key_a ^ key_b).leading_zeros());
    let (zero, one) = if key_a & bit == 0 { (a, b) } else { (b, a) };
    Node::Branch { prefix: above(key_a, bit), bit, zero, one }
}

fn equal<V: PartialEq>(a: &Arc<Node<V>>, b: &Arc<Node<V>>) -> bool {
    if Arc::ptr_eq(a, b) {
        return true;
    }
    match (&**a, &**b) {
        (Node::Leaf(key, value), Node::Leaf(other, with)) => key == other && value == with,
        (
            Node::Branch { prefix, bit, zero, one },
            Node::Branch { prefix: p, bit: b, zero: z, one: o },
        ) => prefix == p && bit == b && equal(zero, z) && equal(one, o),
        _ => false,
    }
}

fn set_below<V: Clone>(node: &mut Arc<Node<V>>, key: u32, value: V) {
    let (prefix, bit) = match &**node {
        Node::Leaf(at, _) => (*at, 0),
        Node::Branch { prefix, bit, .. } => (*prefix, *bit),
    };
    let inside = if bit == 0 { prefix == key } else { belongs(key, prefix, bit) };
    if !inside {
        let leaf = Arc::new(Node::Leaf(key, value));
        *node = Arc::new(fork(node.clone(), leaf));
        return;
    }
    match Arc::make_mut(node) {
        Node::Leaf(_, old) => *old = value,
        Node::Branch { bit, zero, one, .. } => {
            set_below(if key & *bit == 0 { zero } else { one }, key, value);
        }
    }
}

/// Takes out a key that is there; true if nothing is left.
fn remove_below<V: Clone>(node: &mut Arc<Node<V>>, key: u32) -> bool {
    let rest = match Arc::make_mut(node) {
        Node::Leaf(..) => return true,
        Node::Branch { bit, zero, one, .. } => {
            let (child, sibling) = if key & *bit == 0 { (zero, one) } else { (one, zero) };
            if !remove_below(child, key) {
                return false;
            }
            sibling.clone()
        }
    };
    *node = rest;
    false
}

/// The tree without a removed key.
enum Without<V> {
    Same,
    Rest(Option<Arc<Node<V>>>),
}

fn without<V>(node: &Arc<Node<V>>, range: &std::ops::Range<u32>) -> Without<V> {
    let (first, last) = match &**node {
        Node::Leaf(key, _) => (*key, *key),
        Node::Branch { prefix, bit, .. } => (*prefix, prefix | bit | (bit - 1)),
    };
    if range.start >= range.end || last < range.start || first >= range.end {
        return Without::Same;
    }
    if range.start <= first && last < range.end {
        return Without::Rest(None);
    }
    let Node::Branch { prefix, bit, zero, one } = &**node else { return Without::Same };
    let (low, high) = (without(zero, range), without(one, range));
    if matches!((&low, &high), (Without::Same, Without::Same)) {
        return Without::Same;
    }
    let rest = |side: Without<V>, old: &Arc<Node<V>>| match side {
        Without::Same => Some(old.clone()),
        Without::Rest(rest) => rest,
    };
    Without::Rest(match (rest(low, zero), rest(high, one)) {
        (Some(zero), Some(one)) => {
            Some(Arc::new(Node::Branch { prefix: *prefix, bit: *bit, zero, one }))
        }
        (zero, one) => zero.or(one),
    })
}

type Merge<'m, V> = &'m mut dyn FnMut(&V, &V) -> Merged<V>;

fn union<V: Clone + PartialEq>(
    a: &Arc<Node<V>>,
    b: &Arc<Node<V>>,
    merge: Merge<'_, V>,
) -> Merged<Arc<Node<V>>> {
    if Arc::ptr_eq(a, b) {
        return Merged::Both;
    }
    match (&**a, &**b) {
        (Node::Leaf(key, left), Node::Leaf(other, right)) if key == other => {
            match merge(left, right) {
                Merged::Both => Merged::Both,
                Merged::Left => Merged::Left,
                Merged::Right => Merged::Right,
                Merged::New(value) => Merged::New(Arc::new(Node::Leaf(*key, value))),
            }
        }
        (
            Node::Branch { prefix, bit, zero, one },
            Node::Branch { prefix: p, bit: b, zero: z, one: o },
        ) if (prefix, bit) == (p, b) => {
            let (low, high) = (union(zero, z, merge), union(one, o, merge));
            both(low, high, (zero, one), (z, o), |zero, one| {
                Arc::new(Node::Branch { prefix: *prefix, bit: *bit, zero, one })
            })
        }
        // One of them is inside a side of the other.
        (Node::Branch { prefix, bit, zero, one }, inner) if holds(*prefix, *bit, inner) => {
            let side = prefix_of(inner) & bit != 0;
            let merged = union(if side { one } else { zero }, b, merge);
            let new = match merged {
                Merged::Both | Merged::Left => return Merged::Left,
                Merged::Right => b.clone(),
                Merged::New(node) => node,
            };
            let (zero, one) = if side { (zero.clone(), new) } else { (new, one.clone()) };
            Merged::New(Arc::new(Node::Branch { prefix: *prefix, bit: *bit, zero, one }))
        }
        (inner, Node::Branch { prefix, bit, zero, one }) if holds(*prefix, *bit, inner) => {
            let side = prefix_of(inner) & bit != 0;
            let merged = union(a, if side { one } else { zero }, merge);
            let new = match merged {
                Merged::Both | Merged::Right => return Merged::Right,
                Merged::Left => a.clone(),
                Merged::New(node) => node,
            };
            let (zero, one) = if side { (zero.clone(), new) } else { (new, one.clone()) };
            Merged::New(Arc::new(Node::Branch { prefix: *prefix, bit: *bit, zero, one }))
        }
        _ => Merged::New(Arc::new(fork(a.clone(), b.clone()))),
    }
}

/// Returns true if all keys of `inner` are on one side of a branch.
fn holds<V>(prefix: u32, bit: u32, inner: &Node<V>) -> bool {
    let inner_bit = match inner {
        Node::Leaf(..) => 0,
        Node::Branch { bit, .. } => *bit,
    };
    inner_bit < bit && belongs(prefix_of(inner), prefix, bit)
}

/// The merged branch of two merged sides.
fn both<T: Clone>(
    low: Merged<T>,
    high: Merged<T>,
    left: (&T, &T),
    right: (&T, &T),
    branch: impl FnOnce(T, T) -> T,
) -> Merged<T> {
    let pick = |side: Merged<T>, left: &T, right: &T| match side {
        Merged::Both | Merged::Left => left.clone(),
        Merged::Right => right.clone(),
        Merged::New(node) => node,
    };
    match (low, high) {
        (Merged::Both, Merged::Both) => Merged::Both,
        (Merged::Both | Merged::Left, Merged::Both | Merged::Left) => Merged::Left,
        (Merged::Both | Merged::Right, Merged::Both | Merged::Right) => Merged::Right,
        (low, high) => Merged::New(branch(pick(low, left.0, right.0), pick(high, left.1, right.1))),
    }
}

fn intersect<V: Clone + PartialEq>(
    a: &Arc<Node<V>>,
    b: &Arc<Node<V>>,
    merge: Merge<'_, V>,
) -> Merged<Option<Arc<Node<V>>>> {
    if Arc::ptr_eq(a, b) {
        return Merged::Both;
    }
    match (&**a, &**b) {
        (Node::Leaf(key, left), Node::Leaf(other, right)) if key == other => {
            match merge(left, right) {
                Merged::Both => Merged::Both,
                Merged::Left => Merged::Left,
                Merged::Right => Merged::Right,
                Merged::New(value) => Merged::New(Some(Arc::new(Node::Leaf(*key, value)))),
            }
        }
        (
            Node::Branch { prefix, bit, zero, one },
            Node::Branch { prefix: p, bit: b, zero: z, one: o },
        ) if (prefix, bit) == (p, b) => {
            let (low, high) = (intersect(zero, z, merge), intersect(one, o, merge));
            let some = |it: &Arc<Node<V>>| Some(it.clone());
            let (left, right) = ((some(zero), some(one)), (some(z), some(o)));
            both(low, high, (&left.0, &left.1), (&right.0, &right.1), |zero, one| {
                match (zero, one) {
                    (Some(zero), Some(one)) => {
                        Some(Arc::new(Node::Branch { prefix: *prefix, bit: *bit, zero, one }))
                    }
                    (zero, one) => zero.or(one),
                }
            })
        }
        (Node::Branch { prefix, bit, zero, one }, inner) if holds(*prefix, *bit, inner) => {
            let side = if prefix_of(inner) & bit != 0 { one } else { zero };
            match intersect(side, b, merge) {
                Merged::Both => Merged::Right,
                Merged::Left => Merged::New(Some(side.clone())),
                other => other,
            }
        }
        (inner, Node::Branch { prefix, bit, zero, one }) if holds(*prefix, *bit, inner) => {
            let side = if prefix_of(inner) & bit != 0 { one } else { zero };
            match intersect(a, side, merge) {
                Merged::Both => Merged::Left,
                Merged::Right => Merged::New(Some(side.clone())),
                other => other,
            }
        }
        _ => Merged::New(None),
    }
}

#[cfg(test)]
mod tests;

//! The evaluations of one value, and their consequences for other places.
//!
//! In: places of one value number in the order of a walk ([`Place`]): evaluations, and queried places. Out: for each
//! place whether the value is *available* there, *partially available* or *anticipated* (modules
//! [`available`](super::available), [`anticipated`](super::anticipated)). Sparse: only the scopes of the places and
//! their common ancestors are looked at, as in SSAPRE (Chow et al., PLDI 1997), on the tree of scopes in place of a
//! graph.
//!
//! Terms. The *virtual tree* of places has their scopes and the common ancestors of these: at most twice as many nodes
//! as places. An *event* is an operation of a scope whose execution is certain to evaluate the value: directly, through
//! scopes that are always entered, or through both arms of an `if` (`SEMANTICS: L2, L5, L6, L7, L9`).
//!
//! Memory is the caller's part: value numbers distinguish versions, so two evaluations of one number have no write
//! between them; at a place that is only queried, `MemoryVersions::reads_same` decides whether the value would be the
//! same there. O(places · log depth).

use ir::{Body, OpId};

use crate::{
    certain::Certainty,
    scopes::{ScopeId, ScopeKind, ScopeTree},
};

/// The kind of a place.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum PlaceKind {
    /// The operation evaluates the value.
    Certain,
    /// The operation evaluates it sometimes: a lazy operand.
    Lazy,
    /// A query about the place right before the operation.
    Asked,
}

/// A place, with or right before an operation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Place {
    /// The operation.
    pub op: OpId,
    /// The kind of the place.
    pub kind: PlaceKind,
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum Item {
    /// A place in the scope itself.
    Direct(usize),
    /// A node below, with the operation of this scope that holds it.
    Below(usize, OpId),
}

/// An operation that is certain to evaluate the value.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Event {
    pub(crate) op: OpId,
    /// A place that it evaluates it at.
    pub(crate) place: usize,
    /// The item that completes it: a second arm, the place itself.
    pub(crate) item: usize,
}

#[derive(Debug)]
pub(crate) struct Node {
    pub(crate) scope: ScopeId,
    pub(crate) items: Vec<Item>,
    pub(crate) events: Vec<Event>,
    /// The first place at or below it that evaluates the value at all.
    pub(crate) any: Option<usize>,
    /// True if the value is certain to be evaluated when the scope is entered.
    at_start: bool,
}

/// The virtual tree of some places.
pub(crate) struct Tree<'a> {
    pub(crate) body: &'a Body,
    pub(crate) scopes: &'a ScopeTree,
    pub(crate) certainty: &'a Certainty,
    pub(crate) places: &'a [Place],
    /// Children before their parents; the last is the root.
    pub(crate) nodes: Vec<Node>,
    /// By place: its node.
    pub(crate) node_of: Vec<usize>,
}

impl<'a> Tree<'a> {
    /// The tree of places that are given in the order of their operations.
    pub(crate) fn build(
        body: &'a Body,
        scopes: &'a ScopeTree,
        certainty: &'a Certainty,
        places: &'a [Place],
    ) -> Tree<'a> {
        debug_assert!(places.is_sorted_by_key(|it| scopes.order(it.op)));
        let node_of = vec![usize::MAX; places.len()];
        let mut tree = Tree { body, scopes, certainty, places, nodes: Vec::new(), node_of };
        // Open scopes, each inside the one before: their items so far.
        let mut path: Vec<(ScopeId, Vec<Item>)> = Vec::new();
        for (index, place) in places.iter().enumerate() {
            let scope = scopes.of_op(place.op);
            if let Some(last) = path.last().map(|it| it.0) {
                tree.close(&mut path, scopes.common(last, scope));
            }
            if path.last().is_none_or(|it| it.0 != scope) {
                path.push((scope, Vec::new()));
            }
            if let Some((_, items)) = path.last_mut() {
                items.push(Item::Direct(index));
            }
        }
        if let Some((first, _)) = path.first() {
            let root = *first;
            tree.close(&mut path, root);
        }
        if let Some((scope, items)) = path.pop() {
            tree.finish(scope, items);
        }
        tree
    }

    /// Finishes the open scopes below `common`, which is open afterwards.
    fn close(&mut self, path: &mut Vec<(ScopeId, Vec<Item>)>, common: ScopeId) {
        while let Some((scope, _)) = path.last() {
            if *scope == common || self.scopes.is_ancestor(*scope, common) {
                return;
            }
            let Some((scope, items)) = path.pop() else { return };
            let node = self.finish(scope, items);
            if path.last().is_none_or(|it| !self.scopes.is_ancestor(common, it.0)) {
                path.push((common, Vec::new()));
            }
            let Some((above, items)) = path.last_mut() else { return };
            let holder = self
                .scopes
                .child_towards(*above, scope)
                .and_then(|it| self.scopes.creator(it))
                .expect("a scope below another one was made by an operation of it");
            items.push(Item::Below(node, holder));
        }
    }

    fn finish(&mut self, scope: ScopeId, items: Vec<Item>) -> usize {
        let id = self.nodes.len();
        let mut node = Node { scope, items, events: Vec::new(), any: None, at_start: false };
        let mut arms: Option<(OpId, u32)> = None;
        for (item, it) in node.items.iter().enumerate() {
            let (place, op) = match *it {
                Item::Direct(index) => {
                    self.node_of[index] = id;
                    let place = self.places[index];
                    if place.kind == PlaceKind::Asked {
                        continue;
                    }
                    (Some(index), (place.kind == PlaceKind::Certain).then_some(place.op))
                }
                Item::Below(below, holder) => {
                    (self.nodes[below].any, self.event_below(scope, below, holder, &mut arms))
                }
            };
            node.any = node.any.or(place);
            if let (Some(op), Some(place)) = (op, place) {
                node.events.push(Event { op, place, item });
            }
        }
        let first = node.events.first();
        node.at_start = first.is_some_and(|it| self.certainty.reached_from_block_start(it.op));
        self.nodes.push(node);
        id
    }

    /// The event that a finished node below makes in `above`. `arms` is the `if` whose one arm was seen last.
    fn event_below(
        &self,
        above: ScopeId,
        below: usize,
        holder: OpId,
        arms: &mut Option<(OpId, u32)>,
    ) -> Option<OpId> {
        let below = &self.nodes[below];
        if !below.at_start {
            return None;
        }
        let child = self.scopes.child_towards(above, below.scope)?;
        if self.certainty.reached_from(below.scope) > child {
            return None;
        }
        if self.certainty.is_entered(child) {
            return Some(holder);
        }
        let ScopeKind::Arm(arm) = self.scopes.kind(child) else { return None };
        let seen = match *arms {
            Some((op, seen)) if op == holder => seen | 1 << arm,
            _ => 1 << arm,
        };
        *arms = Some((holder, seen));
        (self.body.ops[holder].regions.len() == 2 && seen == 0b11).then_some(holder)
    }

    /// Returns true if control that reaches the end of the node's scope is certain to continue after the operation of
    /// `above` that holds the node.
    pub(crate) fn is_left(&self, below: usize, above: ScopeId) -> bool {
        let below = self.nodes[below].scope;
        let child = self.scopes.child_towards(above, below);
        child.is_some_and(|it| self.certainty.is_left_with(below, it))
    }

    /// Returns true if two items of a node are arms of one `if`: one of the two is executed.
    pub(crate) fn are_arms_of_one(&self, a: Item, b: Item) -> bool {
        match (a, b) {
            (Item::Below(_, x), Item::Below(_, y)) => {
                x == y && self.body.ops[x].kind == ir::OpKind::If
            }
            _ => false,
        }
    }
}

#[cfg(test)]
pub(crate) mod tests;

//! Anticipated values: the values that every path from a place evaluates.
//!
//! In: the places of one value number ([`Place`]). Out: for each place whether every path from right before its
//! operation evaluates the value before the function ends (`SEMANTICS: 0`): then computing it there adds no error, and
//! computes nothing in vain. An operation that may end its list, or not end itself, ends anticipation (`L6`, `L10`,
//! `X3`).
//!
//! Top-down over the virtual tree of the places (module [`evaluations`](super::evaluations)): a value is anticipated
//! before an operation if an event follows in its scope, or after the scope. O(places · log depth).

use ir::{Body, OpId};

use crate::{
    certain::Certainty,
    evaluations::{Event, Item, Place, Tree},
    scopes::ScopeTree,
};

/// For each place whether the value is anticipated there. Places are in the order of their operations.
pub fn anticipated(
    body: &Body,
    scopes: &ScopeTree,
    certainty: &Certainty,
    places: &[Place],
) -> Vec<bool> {
    let tree = Tree::build(body, scopes, certainty, places);
    let mut found = vec![false; places.len()];
    let Some(root) = tree.nodes.len().checked_sub(1) else { return found };
    let mut stack = vec![(root, false)];
    while let Some((node, at_end)) = stack.pop() {
        let node = &tree.nodes[node];
        // Backwards, with the nearest event at or after the item.
        let mut events = node.events.iter().rev().peekable();
        let mut next: Option<Event> = None;
        // The holder of the node below seen last, and whether an event follows it.
        let mut held: Option<(OpId, bool)> = None;
        for &item in node.items.iter().rev() {
            let op = match item {
                Item::Direct(place) => places[place].op,
                Item::Below(_, holder) => holder,
            };
            // Without an exit between, what follows is executed.
            let follows = |it: Event| certainty.segment(it.op) == certainty.segment(op);
            let at_end = at_end && certainty.runs_to_end(body, op);
            if let Item::Below(below, _) = item {
                while let Some(event) = events.next_if(|it| scopes.order(it.op) > scopes.order(op))
                {
                    next = Some(*event);
                }
                // Of two arms the first comes after the second here: what follows both is the same.
                let after = match held {
                    Some((holder, after)) if holder == op => after,
                    _ => next.is_some_and(follows) || at_end,
                };
                held = Some((op, after));
                stack.push((below, after && tree.is_left(below, node.scope)));
            }
            while let Some(event) = events.next_if(|it| scopes.order(it.op) >= scopes.order(op)) {
                next = Some(*event);
            }
            if let Item::Direct(place) = item {
                found[place] = next.is_some_and(follows) || at_end;
            }
        }
    }
    found
}

#[cfg(test)]
mod tests;

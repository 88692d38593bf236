//! Available values: the values that have been evaluated on the way to a place.
//!
//! In: the places of one value number ([`Place`]). Out: for each place the facts right before it, or before the
//! evaluation at it: [`Availability`]. *Available*: on every path from the start of the function an evaluation has
//! been. *Partially available*: on some path that is not through the next iteration of a loop.
//!
//! Top-down over the virtual tree of the places (module [`evaluations`](super::evaluations)). O(places · log depth).

use ir::{Body, OpId};

use crate::{
    certain::Certainty,
    evaluations::{Item, Place, Tree},
    scopes::ScopeTree,
};

/// The knowledge about a value at a place.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Availability {
    /// It has not been evaluated.
    No,
    /// On some path it has, at this place among others.
    Partial(usize),
    /// On every path it has: whenever this operation was executed, which dominates the place; at this place among
    /// others.
    Full {
        /// The operation.
        by: OpId,
        /// An evaluation in it.
        place: usize,
    },
}

/// Returns the facts at each place. Places are in the order of their operations; of two at one operation the first is
/// evaluated first.
pub fn available(
    body: &Body,
    scopes: &ScopeTree,
    certainty: &Certainty,
    places: &[Place],
) -> Vec<Availability> {
    let tree = Tree::build(body, scopes, certainty, places);
    let mut found = vec![Availability::No; places.len()];
    let Some(root) = tree.nodes.len().checked_sub(1) else { return found };
    let mut stack = vec![(root, Availability::No)];
    while let Some((node, at_start)) = stack.pop() {
        let node = &tree.nodes[node];
        let mut events = node.events.iter().peekable();
        let mut now = at_start;
        // What held before the `if` whose arms these are.
        let mut before_arms = at_start;
        for (index, &item) in node.items.iter().enumerate() {
            let is_next_arm = index > 0 && tree.are_arms_of_one(node.items[index - 1], item);
            if !is_next_arm {
                before_arms = now;
            }
            let evaluated = match item {
                Item::Direct(place) => {
                    found[place] = now;
                    let is_asked = places[place].kind == crate::evaluations::PlaceKind::Asked;
                    (!is_asked).then_some(place)
                }
                Item::Below(below, _) => {
                    stack.push((below, if is_next_arm { before_arms } else { now }));
                    tree.nodes[below].any
                }
            };
            if let (Availability::No, Some(place)) = (now, evaluated) {
                now = Availability::Partial(place);
            }
            while let Some(event) = events.next_if(|it| it.item <= index) {
                if !matches!(now, Availability::Full { .. }) {
                    now = Availability::Full { by: event.op, place: event.place };
                }
            }
        }
    }
    found
}

#[cfg(test)]
mod tests;

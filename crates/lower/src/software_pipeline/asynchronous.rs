//! Asynchronous copies of a pipeline: which statements are groups of copies, and how many groups may still be under way
//! where one of them is needed.
//!
//! In: the statements. Out: a [`Queue`]. Neighbours in the order that are copies of asynchronous stages are one group,
//! which is closed behind them at every time of the prologue and of the loop, even if none of them runs then, so that
//! groups are counted by time; in the epilogue where one of them runs. A thread that waits for all but the newest `n`
//! groups has those before (`SEMANTICS: Y4`). Groups that others begin in between make `n` smaller than it could be,
//! never too large. Quadratic in the statements.

use std::collections::BTreeSet;

use dataflow::alias::RootId;

use super::steps::Step;

/// Groups of copies, by place in the order.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub(super) struct Queue {
    /// The statements of each group, the last one behind.
    groups: Vec<Vec<Member>>,
    /// By order: the copies that the statement needs.
    needs: Vec<Vec<Need>>,
}

/// A statement of a group.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Member {
    order: i64,
    stage: i64,
}

/// A copy that a statement needs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Need {
    group: usize,
    /// Times from the copy to the statement.
    distance: i64,
}

/// A time, as far as groups are counted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Place {
    /// Times of the epilogue before this one; none in front of it.
    pub(super) behind: Option<i64>,
    /// Distance of the first time of the epilogue from the last iteration of stage 0: 0 unless the loop is short.
    pub(super) first: i64,
}

impl Queue {
    /// Of statements in the order of the text, with the objects in shared memory that are new in each iteration.
    /// Statements whose copies cannot be asynchronous become usual ones.
    pub(super) fn of(
        steps: &mut [Step],
        shared: &BTreeSet<RootId>,
        has_async_copies: bool,
    ) -> Queue {
        for at in 0..steps.len() {
            let it = &steps[at];
            let is_copy = !it.accesses.writes.is_empty()
                && it.accesses.writes.is_subset(shared)
                && it.accesses.reads.is_disjoint(shared)
                && it.accesses.wild.is_none()
                && it.accesses.by_calls.is_empty();
            // What nobody needs nobody waits for; what others write too is not told apart.
            let is_alone = |root: &RootId| {
                let others = || steps.iter().enumerate().filter(|other| other.0 != at);
                others().all(|(_, other)| !other.accesses.writes.contains(root))
                    && others()
                        .any(|(place, other)| place > at && other.accesses.reads.contains(root))
            };
            // What is copied stays as it is meanwhile.
            let is_kept = |other: &Step| other.accesses.writes.is_disjoint(&it.accesses.reads);
            let is_async = it.is_async
                && has_async_copies
                && is_copy
                && steps.iter().all(is_kept)
                && it.accesses.writes.iter().all(is_alone);
            steps[at].is_async = is_async;
        }
        let mut queue = Queue { groups: Vec::new(), needs: vec![Vec::new(); steps.len()] };
        let mut in_order: Vec<&Step> = steps.iter().collect();
        in_order.sort_by_key(|it| it.order);
        let mut is_open = false;
        for it in &in_order {
            if it.is_async {
                if !is_open {
                    queue.groups.push(Vec::new());
                }
                let member = Member { order: it.order, stage: it.stage };
                queue.groups.last_mut().expect("one is open").push(member);
            }
            is_open = it.is_async;
        }
        for (group, members) in queue.groups.iter().enumerate() {
            for member in members {
                let Some(copy) = in_order.iter().find(|it| it.order == member.order) else {
                    continue;
                };
                for (order, it) in in_order.iter().enumerate() {
                    if !it.accesses.reads.is_disjoint(&copy.accesses.writes) {
                        let distance = it.stage - copy.stage;
                        queue.needs[order].push(Need { group, distance });
                    }
                }
            }
        }
        queue
    }

    /// Returns true if a group is closed behind a statement at a time.
    pub(super) fn closes(&self, order: usize, place: Place) -> bool {
        let of = |it: &Vec<Member>| it.last().map(|it| it.order) == i64::try_from(order).ok();
        let group = self.groups.iter().position(of);
        group.is_some_and(|it| self.is_closed(it, place))
    }

    fn is_closed(&self, group: usize, place: Place) -> bool {
        let Some(behind) = place.behind else { return true };
        self.groups[group].iter().any(|it| it.stage > behind + place.first)
    }

    /// The groups that may be under way when a statement begins; none if it needs no copy.
    pub(super) fn under_way(&self, order: usize, place: Place) -> Option<i64> {
        let later = |need: &Need| {
            let mut count = 0;
            for distance in 0..=need.distance {
                let behind = place.behind.map(|it| it - distance).filter(|it| *it >= 0);
                let then = Place { behind, ..place };
                for group in 0..self.groups.len() {
                    let last = self.groups[group].last().map_or(0, |it| it.order);
                    let is_before = usize::try_from(last).is_ok_and(|it| it < order);
                    let is_after_copy = distance < need.distance || group > need.group;
                    let is_done = (distance > 0 || is_before) && is_after_copy;
                    count += i64::from(is_done && self.is_closed(group, then));
                }
            }
            count
        };
        self.needs[order].iter().map(later).min()
    }
}

//! Scalars for partially redundant values: turning the results of the analysis into a plan.
//!
//! In: [`WantedCell`]s, and the occurrences that the bindings replace. Out: for each whether it can be done beside
//! these bindings and the other scalars, and the names that the value of each of its stores is written with. An
//! occurrence that a scalar replaces may contain occurrences that bindings would replace; these are dropped with it.
//! Linear in the size of the values, O(log n) for each occurrence.

use std::collections::BTreeMap;

use dataflow::scopes::ScopeId;
use ir::{
    ExprId, OccurrenceId, OpId,
    plan::{CellPlace, CellStore, CseCell, Part, PartialObstacle},
};

use super::{
    Work,
    facts::Facts,
    index::{Index, Point},
};

/// A scalar that could hold a partially redundant value.
#[derive(Clone, Debug)]
pub(super) struct WantedCell {
    /// The first use, which shows the form.
    pub(super) value: OccurrenceId,
    /// The occurrences that are computed into it and those that read it, in program order.
    pub(super) occurrences: Vec<OccurrenceId>,
    /// The number of these that only read it.
    pub(super) n_uses: u32,
    /// It is declared right before this operation.
    pub(super) declared: OpId,
    /// The place where it is stored, and an occurrence that has the value there.
    pub(super) stores: Vec<(CellPlace, OccurrenceId)>,
    /// The reason why it is not done.
    pub(super) obstacle: Option<PartialObstacle>,
    pub(super) name: Box<str>,
    /// By store: its parts that have names, as numbers of the index.
    pub(super) parts: Vec<Vec<(ExprId, usize)>>,
}

impl WantedCell {
    /// One that nothing is stored in yet.
    pub(super) fn new(
        value: OccurrenceId,
        declared: OpId,
        obstacle: Option<PartialObstacle>,
    ) -> WantedCell {
        WantedCell {
            value,
            occurrences: Vec::new(),
            n_uses: 0,
            declared,
            stores: Vec::new(),
            obstacle,
            name: Box::default(),
            parts: Vec::new(),
        }
    }
}

/// Decides which scalars can be done beside bindings that replace `replaced` (in order, none inside another) and each
/// other, and finds the names for the values of their stores.
pub(super) fn settle(
    facts: &Facts<'_>,
    index: &mut Index<'_>,
    replaced: &[OccurrenceId],
    cells: &mut [WantedCell],
    work: &mut Work,
) {
    // What the scalars replace: start to end, none inside another.
    let mut taken: BTreeMap<OccurrenceId, OccurrenceId> = BTreeMap::new();
    for cell in cells {
        if cell.obstacle.is_none() {
            let all = replaces(facts, cell);
            work.visited += all.len() as u64;
            let is_apart = |it: &OccurrenceId| {
                !is_inside(facts, replaced, *it) && !overlaps(facts, &taken, *it)
            };
            if all.iter().all(is_apart) {
                taken.extend(all.into_iter().map(|it| (it, facts.occurrences[it].end)));
            } else {
                cell.obstacle = Some(PartialObstacle::Overlaps);
            }
        }
        for &(at, value) in &cell.stores {
            let point = point_of(facts, at);
            cell.parts.push(index.inside_at(value, point, work, |_| true));
        }
    }
}

/// All occurrences that become the scalar: also the copies of those that have a text.
pub(super) fn replaces(facts: &Facts<'_>, cell: &WantedCell) -> Vec<OccurrenceId> {
    let mut all = cell.occurrences.clone();
    all.extend(facts.shadows.of(&cell.occurrences));
    all.sort_unstable();
    all.dedup();
    all
}

/// The cell as the plan has it.
pub(super) fn planned(
    facts: &Facts<'_>,
    cell: &WantedCell,
    group: usize,
    split: impl Fn(ExprId, usize) -> (bool, Part),
) -> CseCell {
    let store = |((at, _), parts): (&(CellPlace, OccurrenceId), &Vec<(ExprId, usize)>)| {
        let all = parts.iter().map(|&(expr, of)| split(expr, of));
        let (uses, reuses): (Vec<_>, Vec<_>) = all.partition(|it| it.0);
        CellStore {
            at: *at,
            uses: uses.into_iter().map(|it| it.1).collect(),
            reuses: reuses.into_iter().map(|it| it.1).collect(),
        }
    };
    CseCell {
        name: cell.name.clone(),
        group,
        expr: facts.occurrences[cell.value].expr,
        before: cell.declared,
        stores: cell.stores.iter().zip(&cell.parts).map(store).collect(),
        replaces: replaces(facts, cell),
    }
}

/// Removes from the bindings the occurrences that applied scalars replace as a whole.
pub(super) fn without_taken(
    facts: &Facts<'_>,
    cells: &[WantedCell],
    lists: &mut [Vec<OccurrenceId>],
) {
    let done = cells.iter().filter(|it| it.obstacle.is_none());
    let mut taken: Vec<OccurrenceId> = done.flat_map(|it| replaces(facts, it)).collect();
    if taken.is_empty() {
        return;
    }
    taken.sort_unstable();
    for list in lists {
        list.retain(|it| !is_inside(facts, &taken, *it));
    }
}

/// Returns true if an occurrence is one of these, which are in order and not nested, or inside one.
fn is_inside(facts: &Facts<'_>, all: &[OccurrenceId], it: OccurrenceId) -> bool {
    let after = all.partition_point(|other| *other <= it);
    after > 0 && it < facts.occurrences[all[after - 1]].end
}

fn overlaps(
    facts: &Facts<'_>,
    taken: &BTreeMap<OccurrenceId, OccurrenceId>,
    it: OccurrenceId,
) -> bool {
    let before = taken.range(..=it).next_back();
    before.is_some_and(|(_, &end)| it < end)
        || taken.range(it..).next().is_some_and(|(&start, _)| start < facts.occurrences[it].end)
}

/// Returns the place where code of a store stands.
fn point_of(facts: &Facts<'_>, at: CellPlace) -> Point {
    let (body, scopes) = (facts.body, facts.scopes);
    match at {
        CellPlace::Before(op) => Point::before(facts, op),
        CellPlace::EndOfArm { branch, arm } => {
            let region = body.ops[branch].regions.get(arm as usize);
            let block = region.map(|&it| body.entry(it));
            match block.and_then(|it| Some((it, *body.blocks[it].ops.last()?))) {
                Some((block, last)) => Point {
                    scope: scopes.of_block(block),
                    // What comes right after the `if` is not known at the end of its arms.
                    order: end_of(facts, last),
                    part: facts.part(last),
                },
                // An arm that is not there sees what is known before the `if`.
                None => Point::before(facts, branch),
            }
        }
    }
}

/// The order of the last operation in one.
fn end_of(facts: &Facts<'_>, op: OpId) -> u32 {
    let mut last = op;
    loop {
        let regions = facts.body.ops[last].regions.iter().rev();
        let inner = regions
            .flat_map(|&it| facts.body.regions[it].blocks.iter().rev())
            .find_map(|&it| facts.body.blocks[it].ops.last().copied());
        match inner {
            Some(inner) => last = inner,
            None => return facts.scopes.order(last),
        }
    }
}

/// The scope of an arm that is there.
pub(super) fn arm_scope(facts: &Facts<'_>, branch: OpId, arm: usize) -> Option<ScopeId> {
    let &region = facts.body.ops[branch].regions.get(arm)?;
    let [block] = facts.body.regions[region].blocks[..] else { return None };
    Some(facts.scopes.of_block(block))
}

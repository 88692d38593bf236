//! The source map of a body in which a run of operations was replaced ([`Body::with_run`](ir::Body::with_run)).
//!
//! Places before the run stay, places behind it move by the difference in length. One pass over each table.

use ir::{OpId, OpRun, arena::Id};
use syntax::TextSize;

use super::{OpPlace, OpSourceMap, SuccessorPlace, Uses, packed::Shift, range};

/// A run in the text.
#[derive(Clone, Copy, Debug)]
pub(crate) struct MapRun {
    /// The place where it ended.
    pub(crate) old_end: u32,
    /// The place where it ends now.
    pub(crate) new_end: u32,
}

impl MapRun {
    /// Moves an offset that is behind the run.
    fn moved(self, offset: u32) -> u32 {
        offset - self.old_end + self.new_end
    }

    /// Moves the start of a range if it is behind the run.
    fn start(self, start: u32) -> u32 {
        if start >= self.old_end { self.moved(start) } else { start }
    }

    /// Moves a range if it begins behind the run.
    fn place(self, (start, end): (u32, u32)) -> (u32, u32) {
        match start >= self.old_end {
            true => (self.moved(start), self.moved(end)),
            false => (start, end),
        }
    }
}

impl OpSourceMap {
    /// The uses of a run of operations without regions: by their numbers in the table. `None` for a place where that is
    /// unknown.
    fn uses_of_run(&self, run: &OpRun) -> Option<std::ops::Range<usize>> {
        let end = |it: &OpPlace| (it.first_use + it.n_uses) as usize;
        let last = run.ops.end.checked_sub(1).filter(|it| *it >= run.ops.start);
        match last {
            Some(last) => {
                let first = self.ops.get(run.ops.start)?;
                Some(first.first_use as usize..end(&self.ops.get(last)?))
            }
            // No region ends between the place and the next operation, which has no regions.
            None => {
                self.ops.get(run.ops.start).map(|it| it.first_use as usize..it.first_use as usize)
            }
        }
    }

    /// The map after a run was replaced by operations whose map, with places in the new text, is `part`; its first
    /// `n_outer` values are not theirs. The operation behind the run must be in its block and have no regions. None if
    /// the tables do not fit.
    pub(crate) fn with_run(
        &self,
        run: &OpRun,
        at: MapRun,
        part: &OpSourceMap,
        n_outer: usize,
    ) -> Option<OpSourceMap> {
        let uses = self.uses_of_run(run)?;
        let n_ops = part.ops.len();
        let n_uses = part.uses.len();
        let is_behind = |op: OpId| op.index() >= run.ops.end;
        let moved_op = |op: OpId| match is_behind(op) {
            true => OpId::new(op.index() - run.ops.len() + n_ops),
            false => op,
        };
        let moved_use = |first: u32| first - uses.len() as u32 + n_uses as u32;

        if self.ops.len() < run.ops.end {
            return None;
        }
        let new = part.ops.iter();
        let new = new.map(|it| OpPlace { first_use: it.first_use + uses.start as u32, ..it });
        let shift = Shift {
            text: at.new_end.wrapping_sub(at.old_end),
            uses: (n_uses as u32).wrapping_sub(uses.len() as u32),
        };
        let mut ops = self.ops.with_run(&run.ops, new, shift);
        // Only an operation that holds the run ends behind it.
        for (number, mut place) in self.ops.ending_behind(run.ops.start, at.old_end) {
            place.end = at.moved(place.end);
            // Uses are known by their distance from the start; of forms that use something behind a region all is read.
            let is_behind = |it: syntax::TextRange| u32::from(it.start()) >= at.old_end;
            if self.uses_of(OpId::new(number)).any(is_behind) {
                return None;
            }
            if place.first_use as usize >= uses.end {
                place.first_use = moved_use(place.first_use);
            }
            ops.set(number, place);
        }

        let mut all_uses = Uses::default();
        if self.uses.len() < uses.end || self.values.len() < run.values.end {
            return None;
        }
        all_uses.extend(&self.uses, 0..uses.start);
        all_uses.extend(&part.uses, 0..n_uses);
        all_uses.extend(&self.uses, uses.end..self.uses.len());
        let new = part.values.pairs(n_outer.min(part.values.len())..part.values.len());
        let values = self.values.with_run(&run.values, new, |start| at.start(start));
        let blocks = self.blocks.pairs(0..self.blocks.len()).map(|it| at.place(it)).collect();
        let region = |&(start, end): &(u32, u32)| {
            (at.start(start), if end > at.old_end { at.moved(end) } else { end })
        };
        let successor = |it: &SuccessorPlace| {
            let label = (u32::from(it.label.start()), u32::from(it.label.end()));
            SuccessorPlace { op: moved_op(it.op), index: it.index, label: range(at.place(label)) }
        };
        let first = self.dictionaries.partition_point(|it| it.0.index() < run.ops.start);
        let behind = self.dictionaries.partition_point(|it| !is_behind(it.0));
        let mut dictionaries = self.dictionaries[..first].to_vec();
        // Those of operations that hold the run may stand behind it.
        for (_, place) in &mut dictionaries {
            *place = at.place(*place);
        }
        let number = |op: OpId| OpId::new(op.index() + run.ops.start);
        dictionaries.extend(part.dictionaries.iter().map(|it| (number(it.0), it.1)));
        let rest = self.dictionaries[behind..].iter();
        dictionaries.extend(rest.map(|it| (moved_op(it.0), at.place(it.1))));
        Some(OpSourceMap {
            ops,
            uses: all_uses,
            values,
            blocks,
            regions: self.regions.iter().map(region).collect(),
            successors: self.successors.iter().map(successor).collect(),
            dictionaries,
        })
    }

    /// The numbers of the operations that begin in a part of the text.
    pub(crate) fn ops_in(&self, start: TextSize, end: TextSize) -> std::ops::Range<usize> {
        let before = |offset: TextSize| self.ops.n_before(offset.into(), false);
        before(start)..before(end)
    }
}

//! Occurrences by class.
//!
//! In: the facts. Out: [`Lists`], each class's occurrences in program order, as one array and where each list starts.

use ir::{OccurrenceId, arena::Id};

use crate::cse::{
    Work,
    facts::{Facts, Seen},
    values::{Class, Values},
};

/// The counted occurrences of each class, in order; or those that are in a text only as something else.
pub(super) struct Lists {
    starts: Vec<u32>,
    occurrences: Vec<OccurrenceId>,
}

impl Lists {
    pub(super) fn collect(
        facts: &Facts<'_>,
        values: &Values<'_>,
        work: &mut Work,
        real: bool,
    ) -> Lists {
        if !real && facts.source.is_none() {
            return Lists { starts: vec![0; values.len() + 1], occurrences: Vec::new() };
        }
        let counted = facts.occurrences.iter().filter(|&(id, it)| {
            let counts = if real {
                facts.has(id, Seen::REAL)
            } else {
                !facts.has(id, Seen::REAL)
                    && facts.is_shareable(it.expr)
                    && !facts.shadows.contains(id)
            };
            counts
                && facts.has(id, Seen::REPLACEABLE)
                && !facts.has(id, Seen::PLACE)
                && facts.is_stable(id)
                && !facts.body.expr(it.expr).is_leaf()
        });
        let counted: Vec<OccurrenceId> = counted.map(|it| it.0).collect();
        work.visited += 2 * facts.occurrences.len() as u64;
        let mut starts = vec![0u32; values.len() + 1];
        for &id in &counted {
            ir::interrupt::check();
            starts[values.class(id) as usize + 1] += 1;
        }
        for at in 1..starts.len() {
            starts[at] += starts[at - 1];
        }
        let mut next = starts.clone();
        let mut occurrences = vec![OccurrenceId::new(0); counted.len()];
        for id in counted {
            ir::interrupt::check();
            let at = &mut next[values.class(id) as usize];
            occurrences[*at as usize] = id;
            *at += 1;
        }
        Lists { starts, occurrences }
    }

    /// Drops occurrences inside another occurrence of their class: only where forms may be equal to their own parts.
    pub(super) fn without_nested(mut self, facts: &Facts<'_>, work: &mut Work) -> Lists {
        work.visited += self.occurrences.len() as u64;
        let mut kept = Vec::with_capacity(self.occurrences.len());
        let mut starts = Vec::with_capacity(self.starts.len());
        for class in self.starts.windows(2) {
            ir::interrupt::check();
            starts.push(kept.len() as u32);
            let mut end = OccurrenceId::new(0);
            for &id in &self.occurrences[class[0] as usize..class[1] as usize] {
                if id >= end {
                    end = facts.occurrences[id].end;
                    kept.push(id);
                }
            }
        }
        starts.push(kept.len() as u32);
        self.occurrences = kept;
        self.starts = starts;
        self
    }

    pub(super) fn of(&self, class: Class) -> &[OccurrenceId] {
        let (start, end) = (self.starts[class as usize], self.starts[class as usize + 1]);
        &self.occurrences[start as usize..end as usize]
    }
}

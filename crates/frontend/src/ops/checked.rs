//! Edits that were read back.
//!
//! The text and the body are changed by different code. Before an edit is offered or written, by any caller, the edited
//! text is read again and compared with the body after the same actions. In: a unit, how its text is read, how its body
//! is rewritten, a plan. Out: edits with the meaning of the plan, the actions that they apply, and those that had to be
//! left out.
//!
//! Where the language foresees how the text reads, neither reading nor body is made. Where the whole plan reads back as
//! it should, that is one reading. Otherwise halves are tried, the earlier first, each with its needs, and an action
//! that fails alone is left out; after [`MOST_READINGS`] all undecided ones are. O(unit) a reading.

use ir::{
    Body,
    plan::ops::{OpAction, OpPlan},
};
use syntax::{PackedEdits, TextEdit};

use super::{Lowered, Severity, edits::written, same::is_same};

/// The limit on readings of an edited text.
const MOST_READINGS: u32 = 32;

/// A unit whose text is edited.
#[derive(Clone, Copy)]
pub struct Edited<'a> {
    /// Its text, and nothing more.
    pub text: &'a str,
    /// The result of lowering it.
    pub lowered: &'a Lowered,
    /// Reads a text of such a unit; none if it is not one unit any more.
    pub reread: &'a dyn Fn(&str) -> Option<Lowered>,
    /// Returns true if the text after edits certainly reads as the body after a plan.
    pub is_foreseen: &'a dyn Fn(&TextEdit, &OpPlan) -> bool,
    /// The body after a plan.
    pub rewritten: &'a dyn Fn(&OpPlan) -> Body,
    /// The actions of the plan that are done when those at some places are.
    pub with_needs: &'a dyn Fn(&OpPlan, &[usize]) -> Vec<bool>,
}

/// Edits of which the text reads back as the body that it should be.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct CheckedEdits {
    /// The edits.
    pub edits: TextEdit,
    /// The actions that they do.
    pub is_done: Vec<bool>,
    /// Actions that are left out because the text would read back as something else.
    pub differs: Vec<bool>,
}

impl CheckedEdits {
    /// Returns the number of actions that are done.
    pub fn n_done(&self) -> usize {
        self.is_done.iter().filter(|it| **it).count()
    }

    /// Returns the number of actions that are left out because the text would read back as something else.
    pub fn n_differing(&self) -> usize {
        self.differs.iter().filter(|it| **it).count()
    }
}

/// The edits that do as many actions of a plan as the text allows and reading it back confirms.
pub fn checked_edits(it: Edited<'_>, plan: &OpPlan) -> CheckedEdits {
    let n = plan.actions.len();
    let all: Vec<usize> = (0..n).collect();
    let mut search = Search {
        edited: it,
        plan,
        kept: vec![false; n],
        found: CheckedEdits {
            edits: TextEdit::new(),
            is_done: vec![false; n],
            differs: vec![false; n],
        },
        n_left: MOST_READINGS,
    };
    let mut parts: Vec<&[usize]> = vec![&all];
    while let Some(part) = parts.pop() {
        if part.iter().all(|at| search.kept[*at]) || search.adds(part) {
            continue;
        }
        match part {
            [only] => search.found.differs[*only] = true,
            _ => {
                let (earlier, later) = part.split_at(part.len() / 2);
                parts.extend([later, earlier]);
            }
        }
    }
    search.found
}

struct Search<'a> {
    edited: Edited<'a>,
    plan: &'a OpPlan,
    kept: Vec<bool>,
    found: CheckedEdits,
    n_left: u32,
}

impl Search<'_> {
    /// Keeps some more actions and their needs, if the text with them reads back as the body with them.
    fn adds(&mut self, part: &[usize]) -> bool {
        if self.n_left == 0 {
            return false;
        }
        self.n_left -= 1;
        let is_all = part.len() == self.kept.len();
        let kept = match is_all {
            true => vec![true; part.len()],
            false => {
                let wanted: Vec<usize> = (0..self.kept.len())
                    .filter(|at| self.kept[*at] || part.binary_search(at).is_ok())
                    .collect();
                (self.edited.with_needs)(self.plan, &wanted)
            }
        };
        let Some((edits, is_done)) = self.edits(&kept) else { return false };
        (self.found.edits, self.found.is_done, self.kept) = (edits, is_done, kept);
        true
    }

    /// The edits of these actions and which of them they do; none if they do not mean that.
    fn edits(&self, kept: &[bool]) -> Option<(TextEdit, Vec<bool>)> {
        let Edited { text, lowered, reread, is_foreseen, rewritten, .. } = self.edited;
        let actions: Vec<&OpAction> = self
            .plan
            .actions
            .iter()
            .zip(kept)
            .filter_map(|(it, kept)| kept.then_some(it))
            .collect();
        let (edits, can) = written(text, &lowered.source_map, &lowered.body, &actions);
        let edits = edits.and_then(PackedEdits::unpack)?;
        let mut numbers = (0..kept.len()).filter(|at| kept[*at]);
        let mut is_done = vec![false; kept.len()];
        for can in &can {
            is_done[numbers.next()?] = *can;
        }
        if edits.is_empty() {
            // What has no text is not done.
            return Some((edits, vec![false; kept.len()]));
        }
        let done = actions.iter().zip(&can).filter(|(_, can)| **can);
        let plan = OpPlan {
            preset: self.plan.preset,
            actions: done.map(|(it, _)| (*it).clone()).collect(),
            refusals: Vec::new(),
        };
        let errors = |it: &Lowered| {
            it.diagnostics.iter().filter(|it| it.severity == Severity::Error).count()
        };
        let reads_right = || {
            let read = reread(&edits.apply(text));
            let is_right = |it: Lowered| {
                errors(&it) <= errors(lowered) && is_same(&it.body, &rewritten(&plan))
            };
            read.is_some_and(is_right)
        };
        let is_foreseen = is_foreseen(&edits, &plan);
        debug_assert!(!is_foreseen || reads_right(), "{}", edits.apply(text));
        let is_right = is_foreseen || reads_right();
        is_right.then_some((edits, is_done))
    }
}

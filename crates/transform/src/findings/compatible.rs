//! Compatibility of fixes: the ones that are still right when applied together.
//!
//! A fix is right for the body it was planned on. After another fix it may not be: its reason may be gone, or both may
//! change one thing. In: findings, in the order in which their fixes are preferred. Out: those whose fixes can be done
//! together:
//!
//! * an operation that a fix removes or opens is touched by no other fix, inside or outside, except by the very same
//!   edit;
//! * no fix removes the reason of another;
//! * replaced occurrences do not lie inside each other.
//!
//! Greedy, O(edits × log edits + occurrences that are copied).

use std::collections::{BTreeMap, BTreeSet};

use ir::{
    Body, Occurrences, OpId,
    arena::Id as _,
    plan::finding::{FindingFix, FixEdit, Replacement},
    walk::WalkEvent,
};

use super::{Finding, definer, definers_of};

/// The findings among `wanted` whose fixes can be done together, the earlier before the later. Those without a fix are
/// not among them.
pub fn compatible<'f>(
    body: &Body,
    occurrences: &Occurrences,
    wanted: impl IntoIterator<Item = &'f Finding>,
) -> Vec<&'f Finding> {
    let mut compatible = Compatible::new(body, occurrences);
    wanted.into_iter().filter(|it| it.fix.as_ref().is_some_and(|fix| compatible.add(fix))).collect()
}

/// Collects fixes that are right together.
pub struct Compatible<'a> {
    body: &'a Body,
    occurrences: &'a Occurrences,
    /// First and last number of an operation and its contents, in preorder.
    spans: Vec<(u32, u32)>,
    /// Operations that go or are opened: start → end and edit. They do not overlap.
    gone: BTreeMap<u32, (u32, FixEdit)>,
    /// Operations that must stay, or in which something changes.
    kept: BTreeSet<u32>,
    /// Tiles that are filled: another value would come on top of the first.
    filled: BTreeSet<u32>,
    /// Replaced occurrences: start → end and the replacement.
    replaced: BTreeMap<u32, (u32, Replaced)>,
}

/// The replacement of an occurrence: an expression, or the name of a binding.
#[derive(Clone, PartialEq)]
enum Replaced {
    With(Replacement),
    Name(Box<str>),
}

impl<'a> Compatible<'a> {
    /// No fixes.
    pub fn new(body: &'a Body, occurrences: &'a Occurrences) -> Compatible<'a> {
        let mut spans = vec![(u32::MAX, u32::MAX); body.ops.len()];
        let mut at = 0;
        for event in body.walk(body.root) {
            match event {
                WalkEvent::Enter(op) => {
                    spans[op.index()].0 = at;
                    at += 1;
                }
                WalkEvent::Leave(op) => spans[op.index()].1 = at,
                _ => {}
            }
        }
        Compatible {
            body,
            occurrences,
            spans,
            gone: BTreeMap::new(),
            kept: BTreeSet::new(),
            filled: BTreeSet::new(),
            replaced: BTreeMap::new(),
        }
    }

    /// Adds a fix if it is right together with those added before. Whether it was added.
    pub fn add(&mut self, fix: &FindingFix) -> bool {
        // Looked at first: of fixes inside of others that were added, what they need is not worked out.
        if !fix.edits.iter().all(|it| self.fits(it)) {
            return false;
        }
        let needed = self.needed(fix);
        if needed.iter().any(|&it| self.is_gone(it)) {
            return false;
        }
        self.kept.extend(needed);
        fix.edits.iter().for_each(|it| self.insert(it));
        true
    }

    /// The operations that must stay or change inside, by their numbers.
    fn needed(&self, fix: &FindingFix) -> Vec<u32> {
        let mut ops: Vec<OpId> = fix.rests_on.clone();
        for edit in &fix.edits {
            match edit {
                FixEdit::RemoveOp(_) | FixEdit::KeepRegion { .. } | FixEdit::AddNoalias => {}
                FixEdit::Replace { occurrence, with } => {
                    ops.push(self.occurrences[*occurrence].op);
                    match *with {
                        Replacement::Value(it) => ops.extend(definer(self.body, it)),
                        Replacement::Copy(it) => {
                            ops.extend(definers_of(self.body, self.occurrences, it));
                        }
                        Replacement::Bool(_) => {}
                    }
                }
                FixEdit::Fill { before, .. } | FixEdit::Assume { before, .. } => ops.push(*before),
                FixEdit::Bind { value, before, replaces, .. } => {
                    ops.push(*before);
                    ops.extend(replaces.iter().map(|it| self.occurrences[*it].op));
                    ops.extend(definers_of(self.body, self.occurrences, *value));
                }
            }
        }
        ops.into_iter().map(|it| self.spans[it.index()].0).collect()
    }

    /// Returns true if an operation is removed, or is in one that is removed or opened.
    fn is_gone(&self, at: u32) -> bool {
        self.gone.range(..=at).next_back().is_some_and(|(_, (end, _))| at < *end)
    }

    fn fits(&self, edit: &FixEdit) -> bool {
        match edit {
            FixEdit::RemoveOp(op) | FixEdit::KeepRegion { op, .. } => {
                let (start, end) = self.spans[op.index()];
                if self.gone.get(&start).is_some_and(|it| it.1 == *edit) {
                    return true;
                }
                // A number of an operation that is not in the body is out of the way of all others.
                start < end
                    && !self.is_gone(start)
                    && self.gone.range(start..end).next().is_none()
                    && self.kept.range(start..end).next().is_none()
            }
            FixEdit::Replace { occurrence, with } => {
                self.is_free(*occurrence, &Replaced::With(*with))
            }
            FixEdit::Bind { name, replaces, .. } => {
                let name = Replaced::Name(name.clone());
                replaces.iter().all(|it| self.is_free(*it, &name))
            }
            FixEdit::Fill { buffer, .. } => !self.filled.contains(&(buffer.index() as u32)),
            FixEdit::AddNoalias | FixEdit::Assume { .. } => true,
        }
    }

    fn is_free(&self, occurrence: ir::OccurrenceId, with: &Replaced) -> bool {
        let (start, end) = self.range(occurrence);
        match self.replaced.range(..end).next_back() {
            Some((it, (_, same))) if *it == start => same == with,
            Some((_, (before_end, _))) => *before_end <= start,
            None => true,
        }
    }

    fn range(&self, occurrence: ir::OccurrenceId) -> (u32, u32) {
        (occurrence.index() as u32, self.occurrences[occurrence].end.index() as u32)
    }

    fn insert(&mut self, edit: &FixEdit) {
        match edit {
            FixEdit::RemoveOp(op) | FixEdit::KeepRegion { op, .. } => {
                let (start, end) = self.spans[op.index()];
                self.gone.insert(start, (end, edit.clone()));
            }
            FixEdit::Replace { occurrence, with } => {
                let (start, end) = self.range(*occurrence);
                self.replaced.insert(start, (end, Replaced::With(*with)));
            }
            FixEdit::Bind { name, replaces, .. } => {
                for it in replaces {
                    let (start, end) = self.range(*it);
                    self.replaced.insert(start, (end, Replaced::Name(name.clone())));
                }
            }
            FixEdit::Fill { buffer, .. } => {
                self.filled.insert(buffer.index() as u32);
            }
            FixEdit::AddNoalias | FixEdit::Assume { .. } => {}
        }
    }
}

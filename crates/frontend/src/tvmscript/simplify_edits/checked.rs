//! Edits that were read back.
//!
//! The text and the body are changed by different code. Before an edit is offered or written, the edited text is read again and compared with
//! the body after the same items: nothing that the user gets rests on the two never disagreeing. In: what the edits are made of, and how the
//! body is rewritten. Out: edits that mean what the plan means, and the items that had to be left out for that.
//!
//! Where all wanted items together read back as they should, that is one reading. Else halves are tried, the earlier first, and what
//! disagrees alone is left out; after [`MOST_READINGS`] all that is still undecided is. O(function) a reading.

use std::collections::BTreeMap;

use ir::{Body, fingerprint, plan::simplify::SimplifyPlan};

use super::{SimplifyEdits, simplify_edits};
use crate::tvmscript::{Environment, FunctionSource, Lowered, lower};

/// How often an edited text is read again, at most.
const MOST_READINGS: u32 = 64;

/// A function whose text is edited, and how to read it again.
#[derive(Clone, Copy)]
pub struct Edited<'a> {
    /// The function.
    pub source: &'a FunctionSource,
    /// What its captured names are.
    pub environment: &'a dyn Environment,
    /// What it was lowered to.
    pub lowered: &'a Lowered,
    /// What can be simplified in it.
    pub plan: &'a SimplifyPlan,
    /// The body after some items of the plan.
    pub rewritten: &'a dyn Fn(&[bool]) -> Body,
}

/// Edits of which the text reads back as the body that it should be.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct CheckedEdits {
    /// The edits, and the items that they do.
    pub edits: SimplifyEdits,
    /// Items that are left out because the text would read back as something else.
    pub differs: Vec<bool>,
}

/// The edits that do as many of the wanted items as the text allows and reading it back confirms.
pub fn checked_simplify_edits(it: Edited<'_>, wanted: impl Fn(usize) -> bool) -> CheckedEdits {
    let n_items = it.plan.items.len();
    let wanted: Vec<usize> = (0..n_items).filter(|at| wanted(*at)).collect();
    let mut search = Search {
        edited: it,
        kept: vec![false; n_items],
        edits: SimplifyEdits::none(it.plan),
        differs: vec![false; n_items],
        n_left: MOST_READINGS,
    };
    let mut parts: Vec<&[usize]> = vec![&wanted];
    while let Some(part) = parts.pop() {
        if part.is_empty() || search.adds(part) {
            continue;
        }
        match part {
            [only] => search.differs[*only] = true,
            _ => {
                let (earlier, later) = part.split_at(part.len() / 2);
                parts.extend([later, earlier]);
            }
        }
    }
    let mut differs = search.differs;
    for (differs, is_folded) in differs.iter_mut().zip(&search.edits.is_folded) {
        *differs |= is_folded;
    }
    CheckedEdits { edits: search.edits, differs }
}

struct Search<'a> {
    edited: Edited<'a>,
    kept: Vec<bool>,
    /// The edits of what is kept.
    edits: SimplifyEdits,
    differs: Vec<bool>,
    n_left: u32,
}

impl Search<'_> {
    /// Keeps some more items, if the text with them reads back as the body with them.
    fn adds(&mut self, items: &[usize]) -> bool {
        if self.n_left == 0 {
            return false;
        }
        let mut kept = self.kept.clone();
        items.iter().for_each(|it| kept[*it] = true);
        let Edited { source, lowered, plan, .. } = self.edited;
        let edits = simplify_edits(lowered, &source.green, plan, |at| kept[at]);
        if edits != self.edits {
            self.n_left -= 1;
            if !self.reads_back(&edits) {
                return false;
            }
        }
        (self.kept, self.edits) = (kept, edits);
        true
    }

    fn reads_back(&self, edits: &SimplifyEdits) -> bool {
        let Edited { source, environment, lowered, rewritten, .. } = self.edited;
        if edits.edit.is_empty() {
            return true;
        }
        let Some(source) = source.edited(&edits.edit) else { return false };
        let again = lower(&source, environment);
        says_no_more(&again, lowered) && is_same(&again.body, &rewritten(&edits.is_done))
    }
}

/// Whether reading says nothing that it did not say before.
fn says_no_more(after: &Lowered, before: &Lowered) -> bool {
    let count = |it: &Lowered| {
        let mut counts: BTreeMap<&'static str, usize> = BTreeMap::new();
        it.diagnostics.iter().for_each(|it| *counts.entry(it.code).or_default() += 1);
        counts
    };
    let before = count(before);
    count(after).iter().all(|(code, n)| before.get(code).is_some_and(|it| it >= n))
}

/// Whether two bodies are one function. What has no fingerprint is compared as it is printed.
fn is_same(a: &Body, b: &Body) -> bool {
    match (fingerprint::of_function(a), fingerprint::of_function(b)) {
        (Some(a), Some(b)) => a == b,
        (None, None) => printed(a) == printed(b),
        _ => false,
    }
}

/// The function without the declarations of shape variables, which a body keeps when nothing uses them any more.
fn printed(body: &Body) -> String {
    let text = ir::print::tvmscript(body, 0);
    let is_declaration = |it: &&str| it.contains(" = T.int") && it.ends_with("()\n");
    text.split_inclusive('\n').filter(|it| !is_declaration(it)).collect()
}

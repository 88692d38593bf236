//! Edits that were read back.
//!
//! The text and the body are changed by different code. Before an edit is offered or written, by any caller, the edited
//! text is read again, verified, and compared with the body after the same items: users never depend on the two
//! agreeing unchecked, and no comment is lost with removed code. In: a function, a plan of any kind, and how the plan
//! rewrites the body. Out: edits with the meaning of the plan, and the items that had to be left out.
//!
//! Where all wanted items together read back as they should, that is one reading. Otherwise halves are tried, the
//! earlier first, and an item that fails alone is left out; after [`MOST_READINGS`] all undecided ones are. O(function)
//! a reading.

use std::collections::BTreeMap;

use ir::{
    Body, Occurrences, OpId, fingerprint,
    guard::{Panicked, Stage, guarded},
    plan::{CsePlan, finding::FindingFix, simplify::SimplifyPlan},
    verify::verify,
};
use syntax::{Green, GreenStep, SyntaxKind, TextEdit};

use super::{
    Environment, FunctionSource, Lowered, Severity, WrittenFunction,
    edits::{Selection, cse_edits},
    finding_edits::{finding_edits, remove::is_about_the_line},
    lower,
    simplify_edits::simplify_edits,
};

/// The limit on readings of an edited text.
const MOST_READINGS: u32 = 64;

/// The time at which an edited text is read again.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ReadBack {
    /// Before the edits are given out.
    Now,
    /// On a later request for the edits: now only their existence matters, and they are not given out.
    Later,
}

/// A function whose text is edited, and how to read it again.
#[derive(Clone, Copy)]
pub struct Edited<'a> {
    /// The function.
    pub source: &'a FunctionSource,
    /// The meaning of its captured names.
    pub environment: &'a dyn Environment,
    /// The result of lowering it.
    pub lowered: &'a Lowered,
    /// Its text.
    pub text: &'a str,
    /// The occurrences of its body.
    pub occurrences: &'a Occurrences,
    /// The time at which its edited text is read again.
    pub reading: ReadBack,
}

/// Edits of which the text reads back as the body that it should be.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct CheckedEdits {
    /// The edits; empty if nothing is done.
    pub edit: TextEdit,
    /// For each item, whether the edits do it.
    pub is_done: Vec<bool>,
    /// For each item, whether it is left out because the text would read back as something else.
    pub differs: Vec<bool>,
    /// The mismatch of the first omitted item whose edits the text should have allowed: a mistake of ours.
    pub mismatch: Option<Mismatch>,
}

/// The reading of an edited text whose meaning differs from its plan.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Mismatch {
    /// The description of the mismatch.
    pub what: String,
    /// The innermost operation in which the edits begin.
    pub op: Option<OpId>,
}

impl CheckedEdits {
    /// Returns the number of items that are done.
    pub fn n_done(&self) -> usize {
        self.is_done.iter().filter(|it| **it).count()
    }

    /// Returns the number of items that are left out because the text would read back as something else.
    pub fn n_differing(&self) -> usize {
        self.differs.iter().filter(|it| **it).count()
    }
}

/// The edits of a plan, or of one group of it, in one piece. `rewritten` gives the body after a plan.
pub fn checked_cse_edits(
    it: Edited<'_>,
    plan: &CsePlan,
    selection: Selection,
    rewritten: &dyn Fn(&CsePlan) -> Body,
) -> CheckedEdits {
    let only = match selection {
        Selection::All => None,
        Selection::Group(group) => match plan.only(group) {
            Some(it) => Some(it),
            None => return CheckedEdits::default(),
        },
    };
    let plan = only.as_ref().unwrap_or(plan);
    let edits = |kept: &[bool]| match kept {
        [true] => {
            let edit = cse_edits(it.written(), plan, Selection::All);
            let is_done = vec![!edit.is_empty()];
            Made { edit, is_done, ..Made::default() }
        }
        _ => Made { is_done: vec![false], ..Made::default() },
    };
    search(it, &[true], &edits, &|_| rewritten(plan))
}

/// The edits that do as many of the fixes as the text allows and reading it back confirms. `rewritten` gives the body
/// after some of them.
pub fn checked_finding_edits(
    it: Edited<'_>,
    fixes: &[&FindingFix],
    rewritten: &dyn Fn(&[&FindingFix]) -> Body,
) -> CheckedEdits {
    let chosen = |kept: &[bool]| -> Vec<&FindingFix> {
        fixes.iter().zip(kept).filter_map(|(it, kept)| kept.then_some(*it)).collect()
    };
    let edits = |kept: &[bool]| {
        let found = finding_edits(it.written(), chosen(kept));
        let mut done = found.is_done.into_iter();
        let is_done = kept.iter().map(|kept| *kept && done.next() == Some(true)).collect();
        Made { edit: found.edit, is_done, ..Made::default() }
    };
    let wanted = vec![true; fixes.len()];
    search(it, &wanted, &edits, &|is_done| rewritten(&chosen(is_done)))
}

/// The edits that do as many of the wanted items as the text allows and reading it back confirms. `rewritten` gives the
/// body after some of them.
pub fn checked_simplify_edits(
    it: Edited<'_>,
    plan: &SimplifyPlan,
    wanted: impl Fn(usize) -> bool,
    rewritten: &dyn Fn(&[bool]) -> Body,
) -> CheckedEdits {
    let edits = |kept: &[bool]| {
        let found = simplify_edits(it.written(), plan, |at| kept[at]);
        Made { edit: found.edit, is_done: found.is_done, is_folded: found.is_folded }
    };
    let wanted: Vec<bool> = (0..plan.items.len()).map(wanted).collect();
    search(it, &wanted, &edits, rewritten)
}

/// Edits before they are read back.
#[derive(Clone, PartialEq, Eq, Default)]
struct Made {
    edit: TextEdit,
    is_done: Vec<bool>,
    /// Items that the maker of the edits left out, knowing that the reader would fold the text; empty if none.
    is_folded: Vec<bool>,
}

/// As many of the wanted items as read back.
fn search(
    edited: Edited<'_>,
    wanted: &[bool],
    edits: &dyn Fn(&[bool]) -> Made,
    rewritten: &dyn Fn(&[bool]) -> Body,
) -> CheckedEdits {
    let n = wanted.len();
    let mut search = Search {
        edited,
        edits,
        rewritten,
        kept: vec![false; n],
        found: CheckedEdits {
            edit: TextEdit::new(),
            is_done: vec![false; n],
            differs: vec![false; n],
            mismatch: None,
        },
        is_folded: Vec::new(),
        n_left: MOST_READINGS,
    };
    let wanted: Vec<usize> = (0..n).filter(|at| wanted[*at]).collect();
    let mut parts: Vec<&[usize]> = vec![&wanted];
    while let Some(part) = parts.pop() {
        if part.is_empty() {
            continue;
        }
        let Err(mismatch) = search.add(part) else { continue };
        match part {
            [only] => {
                search.found.differs[*only] = true;
                if let Some(mismatch) = mismatch {
                    search.found.mismatch.get_or_insert(mismatch);
                }
            }
            _ => {
                let (earlier, later) = part.split_at(part.len() / 2);
                parts.extend([later, earlier]);
            }
        }
    }
    let Search { mut found, is_folded, .. } = search;
    found.differs.iter_mut().zip(is_folded).for_each(|(differs, is_folded)| *differs |= is_folded);
    found
}

struct Search<'a> {
    edited: Edited<'a>,
    edits: &'a dyn Fn(&[bool]) -> Made,
    rewritten: &'a dyn Fn(&[bool]) -> Body,
    kept: Vec<bool>,
    found: CheckedEdits,
    is_folded: Vec<bool>,
    n_left: u32,
}

impl Search<'_> {
    /// Keeps some more items, if the text with them reads back as the body with them, and has all comments. The
    /// mismatch otherwise, if it is a mistake of ours.
    fn add(&mut self, items: &[usize]) -> Result<(), Option<Mismatch>> {
        if self.n_left == 0 {
            let what = format!("after {MOST_READINGS} readings it is not decided");
            return Err(Some(Mismatch { what, op: None }));
        }
        let mut kept = self.kept.clone();
        items.iter().for_each(|it| kept[*it] = true);
        let function = &self.edited.source.name;
        let panicked = |it: Panicked| Mismatch { what: it.what, op: None };
        let made = guarded(Stage::Rewriting, function, || (self.edits)(&kept)).map_err(panicked)?;
        if made.edit != self.found.edit || made.is_done != self.found.is_done {
            self.n_left -= 1;
            let read_back =
                || self.edited.read_back(&made.edit, || (self.rewritten)(&made.is_done));
            guarded(Stage::Rewriting, function, read_back).map_err(panicked)??;
        }
        self.kept = kept;
        (self.found.edit, self.found.is_done, self.is_folded) =
            (made.edit, made.is_done, made.is_folded);
        Ok(())
    }
}

impl<'a> Edited<'a> {
    fn written(&self) -> WrittenFunction<'a> {
        let Edited { source, lowered, text, occurrences, .. } = *self;
        WrittenFunction { green: &source.green, text, lowered, occurrences }
    }

    /// Nothing, if the edited text is one function that keeps the rules which it kept before, and is `expected`.
    fn read_back(
        &self,
        edit: &TextEdit,
        expected: impl FnOnce() -> Body,
    ) -> Result<(), Option<Mismatch>> {
        if edit.is_empty() || self.reading == ReadBack::Later {
            return Ok(());
        }
        let mismatch = |what: String| Some(Mismatch { what, op: self.op_of(edit) });
        let Some(source) = self.source.edited(edit) else {
            return Err(mismatch("the edited text is not one function any more".to_owned()));
        };
        if loses_comment(&self.source.green, &source.green) {
            return Err(None);
        }
        let again = lower(&source, self.environment);
        if let Some(what) = said_anew(&again, self.lowered) {
            return Err(mismatch(what));
        }
        let faults = verify(&again.body);
        if let Some(first) = faults.first()
            && faults.len() > verify(&self.lowered.body).len()
        {
            return Err(mismatch(first.message.clone()));
        }
        match is_same(&again.body, &expected()) {
            true => Ok(()),
            false => Err(mismatch("the edited text means something else than the plan".to_owned())),
        }
    }

    /// The innermost operation in which edits begin.
    fn op_of(&self, edit: &TextEdit) -> Option<OpId> {
        let start = edit.edits().first()?.range.start();
        let is_edited = |op: &OpId| self.lowered.source_map.op_range(*op).contains_inclusive(start);
        self.lowered.body.ops_preorder().filter(is_edited).last()
    }
}

/// Returns true if a comment is lost or reordered: a fix never loses a user's comment. Allowances about a removed line
/// go with it.
fn loses_comment(before: &Green, after: &Green) -> bool {
    let after = comments(after);
    let mut left = after.iter();
    !comments(before).iter().all(|it| left.any(|that| that == it))
}

fn comments(green: &Green) -> Vec<&str> {
    let mut found = Vec::new();
    green.walk(|step| {
        if let GreenStep::Token(SyntaxKind::COMMENT, text) = step
            && !is_about_the_line(text)
        {
            found.push(text);
        }
    });
    found
}

/// Returns the diagnostic that reading reports and did not report before.
fn said_anew(after: &Lowered, before: &Lowered) -> Option<String> {
    let wrong = |it: &'_ Lowered| {
        let mut counts: BTreeMap<&'static str, usize> = BTreeMap::new();
        let all = it.diagnostics.iter().filter(|it| it.severity <= Severity::Warning);
        all.for_each(|it| *counts.entry(it.code).or_default() += 1);
        counts
    };
    let before = wrong(before);
    let n_before = |code: &str| before.get(code).copied().unwrap_or_default();
    let (code, _) = wrong(after).into_iter().find(|(code, n)| *n > n_before(code))?;
    let said = after.diagnostics.iter().find(|it| it.code == code)?;
    Some(said.message.clone())
}

/// Returns true if two bodies are one function. Bodies without a fingerprint are compared by their printed text.
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

//! Simplification of one function: the plan ends, each item and all together keep what the function computes, and the edited text is the
//! rewritten body.
//!
//! Signed overflow is taken not to happen where it would be used (`SEMANTICS: I1`), so runs with that event are not compared.

use frontend::tvmscript::simplify_edits;
use ir::{Body, Occurrences, fingerprint, plan::simplify::SimplifyPlan, verify::verify};
use transform::simplify::{SimplifyOptions, plan, rewrite, rewrite_items};

use super::{Checked, Failure, Variant, as_read, failure, folds_constants, guarded};
use crate::functions::Function;

/// Items that are done alone.
const ALONE: usize = 3;

/// The bodies after simplification, of the body and of the text.
pub(super) fn simplified(
    function: &Function,
    checked: &mut Checked,
) -> Result<Vec<Variant>, Failure> {
    let body = &function.lowered.body;
    let occurrences = Occurrences::collect(body);
    let options = SimplifyOptions::default();
    let all = guarded("simplify", || Ok(plan(body, &occurrences, None, &options)))?;
    if all.is_empty() {
        return Ok(Vec::new());
    }
    checked.simplifications += all.items.len() as u64;
    let mut variants = Vec::new();
    let after = guarded("simplify", || valid(rewrite(body, &occurrences, &all)))?;
    ends(&after, &all)?;
    variants.push(excluding("simplify", after));
    let step = all.items.len().div_ceil(ALONE);
    for index in (0..all.items.len()).step_by(step) {
        let wanted = all.with_needs(index);
        let one = |at: usize| wanted[at];
        let after =
            guarded("one simplification", || valid(rewrite_items(body, &occurrences, &all, one)))?;
        variants.push(excluding("one simplification", after));
    }
    variants.extend(guarded("edited text, simplify", || edited(function, &occurrences, checked))?);
    Ok(variants)
}

fn excluding(name: &'static str, body: Body) -> Variant {
    Variant { name, body, excludes_overflow: true }
}

fn valid(body: Body) -> Result<Body, Failure> {
    let errors = verify(&body);
    if errors.is_empty() { Ok(body) } else { failure("simplify: invalid", format!("{errors:?}")) }
}

/// Planning the simplified body finds nothing.
fn ends(after: &Body, first: &SimplifyPlan) -> Result<(), Failure> {
    let print = |body| ir::print::tvmscript(body, 0);
    if !first.is_complete {
        return failure("simplify: no end", print(after));
    }
    let occurrences = Occurrences::collect(after);
    let again = plan(after, &occurrences, None, &SimplifyOptions::default());
    if again.is_empty() {
        return Ok(());
    }
    let more = rewrite(after, &occurrences, &again);
    failure("simplify: finds more", format!("{}\nthen\n{}", print(after), print(&more)))
}

/// The body of the edited text, which must be the rewritten body.
fn edited(
    function: &Function,
    occurrences: &Occurrences,
    checked: &mut Checked,
) -> Result<Option<Variant>, Failure> {
    let lowered = &function.lowered;
    let options = SimplifyOptions::default();
    let plan =
        lowered.source_map.with_view(|view| plan(&lowered.body, occurrences, Some(view), &options));
    let edits = simplify_edits(lowered, function.green(), &plan, |_| true);
    if edits.edit.is_empty() {
        return Ok(None);
    }
    let text = edits.edit.apply(function.text());
    let Some(again) = function.reread(&text) else {
        return failure("edited text, simplify: lost", text);
    };
    if !again.lowered.diagnostics.is_empty() {
        let what = format!("{:?}\n{text}", again.lowered.diagnostics);
        return failure("edited text, simplify: diagnostics", what);
    }
    let after = rewrite_items(&lowered.body, occurrences, &plan, |at| edits.is_done[at]);
    let read = fingerprint::of_function(&again.lowered.body);
    let is_same = |it: &Body| fingerprint::of_function(it) == read;
    if !(is_same(&after) || is_same(&as_read(&after)) || folds_constants(&after)) {
        return failure(
            "edited text, simplify: another function than the rewritten one",
            format!("{text}\nrewritten:\n{}", ir::print::tvmscript(&after, 0)),
        );
    }
    checked.edited += 1;
    Ok(Some(excluding("edited text, simplify", again.lowered.body)))
}

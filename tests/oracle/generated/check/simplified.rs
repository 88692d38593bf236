//! Simplification of one function: the plan ends, each item and all together preserve the results, and the edited text
//! is the rewritten body.
//!
//! Signed overflow is taken not to happen where it would be used (`SEMANTICS: I1`), so runs with that event are not
//! compared.

use dataflow::analyses::Analyses;
use frontend::tvmscript::checked_simplify_edits;
use ir::effects::EffectTable;
use ir::{Body, Occurrences, fingerprint, plan::simplify::SimplifyPlan, verify::verify};
use transform::simplify::{SimplifyOptions, plan, rewrite, rewrite_items};

use super::{Checked, Failure, Variant, failure, guarded, is_understood};
use crate::functions::Function;

/// Items that are done alone.
const ALONE: usize = 3;
const TEXT: &str = "edited text, simplify";
const ONE_TEXT: &str = "edited text, one simplification";

/// The bodies after simplification, of the body and of the text.
pub(super) fn simplified(
    function: &Function,
    checked: &mut Checked,
) -> Result<Vec<Variant>, Failure> {
    let body = &function.lowered.body;
    let occurrences = Occurrences::collect(body);
    let options = SimplifyOptions::default();
    let all = guarded("simplify", || {
        Ok(plan(&Analyses::of(body, &occurrences, EffectTable::builtin()), None, &options))
    })?;
    if all.is_empty() {
        return Ok(Vec::new());
    }
    checked.simplifications += all.items.len() as u64;
    let mut variants = Vec::new();
    let after = guarded("simplify", || valid(rewrite(body, &occurrences, &all)))?;
    ends(&after, &all)?;
    variants.push(excluding("simplify", after));
    for index in some(&all) {
        let wanted = all.with_needs(index);
        let one = |at: usize| wanted[at];
        let after =
            guarded("one simplification", || valid(rewrite_items(body, &occurrences, &all, one)))?;
        variants.push(excluding("one simplification", after));
    }
    let source_map = &function.lowered.source_map;
    let all = source_map.with_view(|view| {
        plan(&Analyses::of(body, &occurrences, EffectTable::builtin()), Some(view), &options)
    });
    variants.extend(guarded(TEXT, || edited(TEXT, function, &all, |_| true, checked))?);
    for index in some(&all) {
        let wanted = all.with_needs(index);
        let one = guarded(ONE_TEXT, || edited(ONE_TEXT, function, &all, |at| wanted[at], checked));
        variants.extend(one?);
    }
    Ok(variants)
}

/// Items that are done alone, spread over all.
fn some(plan: &SimplifyPlan) -> impl Iterator<Item = usize> + use<> {
    (0..plan.items.len()).step_by(plan.items.len().div_ceil(ALONE).max(1))
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
    let again = plan(
        &Analyses::of(after, &occurrences, EffectTable::builtin()),
        None,
        &SimplifyOptions::default(),
    );
    if again.is_empty() {
        return Ok(());
    }
    let more = rewrite(after, &occurrences, &again);
    failure("simplify: finds more", format!("{}\nthen\n{}", print(after), print(&more)))
}

/// The body of the text that is offered. It reads back as the rewritten body; items that would not are counted.
fn edited(
    name: &'static str,
    function: &Function,
    plan: &SimplifyPlan,
    wanted: impl Fn(usize) -> bool,
    checked: &mut Checked,
) -> Result<Option<Variant>, Failure> {
    let lowered = &function.lowered;
    let occurrences = Occurrences::collect(&lowered.body);
    let rewritten =
        |is_done: &[bool]| rewrite_items(&lowered.body, &occurrences, plan, |at| is_done[at]);
    let (_, environment) = function.source();
    let edited = function.edited(&environment, &occurrences);
    let found = checked_simplify_edits(edited, plan, wanted, &rewritten);
    let n_differing = found.differs.iter().filter(|it| **it).count() as u64;
    if n_differing > 0 && std::env::var_os("TIR_ORACLE_DIFFERING").is_some() {
        return failure(format!("{name}: reads back differently"), format!("{:?}", found.differs));
    }
    checked.differing += n_differing;
    if found.edit.is_empty() {
        return Ok(None);
    }
    let text = found.edit.apply(function.text());
    let Some(again) = function.reread(&text) else {
        return failure(format!("{name}: lost"), text);
    };
    if !is_understood(&again) {
        let what = format!("{:?}\n{text}", again.lowered.diagnostics);
        return failure(format!("{name}: diagnostics"), what);
    }
    let after = rewritten(&found.is_done);
    if fingerprint::of_function(&again.lowered.body) != fingerprint::of_function(&after) {
        return failure(
            format!("{name}: another function than the rewritten one"),
            format!("{text}\nrewritten:\n{}", ir::print::tvmscript(&after, 0)),
        );
    }
    checked.edited += 1;
    Ok(Some(excluding(name, again.lowered.body)))
}

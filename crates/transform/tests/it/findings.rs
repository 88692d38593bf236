//! Findings in text, and that text and body agree after fixes.
//!
//! Each kind has a file of tests, which call [`check`].

mod barriers;
mod conditions;
mod copy_propagation;
mod corpus;
mod dead_binding;
mod dead_store;
mod fixes;
mod growth;
mod loop_invariant;
mod macros;
mod missing_noalias;
mod read_before_write;
mod redundant_load;
mod unreachable;

use dataflow::analyses::Analyses;
use expect_test::Expect;
use frontend::tvmscript::{FunctionItem, Lowered, WrittenFunction, unchecked::finding_edits};
use ir::effects::EffectTable;
use ir::{
    Body, Occurrences,
    plan::finding::{FindingFix, Place},
};
use transform::findings::{
    Finding, FindingKind, FindingKinds, FindingOptions, Word, apply, compatible, findings,
};

use crate::support::{kernel, lowered, statements};

/// Options for one kind, with thresholds that let everything through.
pub(crate) fn only(kind: FindingKind) -> FindingOptions {
    FindingOptions { kinds: FindingKinds::from_iter([kind]), loop_invariant_cost: 1 }
}

pub(crate) fn found(lowered: &Lowered, options: &FindingOptions) -> Vec<Finding> {
    let occurrences = Occurrences::collect(&lowered.body);
    lowered.source_map.with_view(|view| {
        findings(
            &Analyses::of(&lowered.body, &occurrences, EffectTable::builtin()),
            Some(view),
            options,
        )
    })
}

/// The text of the file after the fixes that can be done together, the body after the same fixes, and how many they
/// are.
pub(crate) fn fixed<'f>(
    file: &str,
    item: &FunctionItem,
    text: &str,
    lowered: &Lowered,
    wanted: impl IntoIterator<Item = &'f Finding>,
) -> (String, Body, usize) {
    let occurrences = Occurrences::collect(&lowered.body);
    let chosen = compatible(&lowered.body, &occurrences, wanted);
    let fixes: Vec<&FindingFix> = chosen.iter().filter_map(|it| it.fix.as_ref()).collect();
    let green = &item.source.green;
    let written = WrittenFunction { green, text, lowered, occurrences: &occurrences };
    let edits = finding_edits(written, fixes);
    let done: Vec<&Finding> =
        chosen.iter().zip(&edits.is_done).filter(|it| *it.1).map(|it| *it.0).collect();
    let range = std::ops::Range::<usize>::from(item.range);
    let new = format!("{}{}{}", &file[..range.start], edits.edit.apply(text), &file[range.end..]);
    let body = apply(&lowered.body, &occurrences, done.iter().copied());
    (new, body, done.len())
}

/// Checks the findings of one kind in the statements of a kernel, and the statements after fixing all of them. Each fix
/// alone and all together must give a text that lowers to the result of the rewriter.
#[track_caller]
pub(crate) fn check(kind: FindingKind, statements_in: &str, expected: Expect) {
    check_file(&only(kind), &kernel(statements_in), expected);
}

/// As [`check`], of the first function of a file.
#[track_caller]
pub(crate) fn check_file(options: &FindingOptions, file: &str, expected: Expect) {
    let (item, text, it) = &lowered(file)[0];
    let all = found(it, options);
    let mut out = String::new();
    for finding in &all {
        out.push_str(&describe(text, it, finding));
    }
    for one in &all {
        agree(file, item, text, it, [one]);
    }
    let (new, n_done) = agree(file, item, text, it, &all);
    if n_done > 0 {
        out.push_str(&statements(&new));
    }
    expected.assert_eq(&out);
}

/// Checks that text and body agree after fixes; the text, and how many were done.
#[track_caller]
pub(crate) fn agree<'f>(
    file: &str,
    item: &FunctionItem,
    text: &str,
    it: &Lowered,
    wanted: impl IntoIterator<Item = &'f Finding>,
) -> (String, usize) {
    let (new, body, n_done) = fixed(file, item, text, it, wanted);
    let again = lowered(&new);
    let (_, _, after) = again
        .iter()
        .find(|it| it.0.source.name == item.source.name && it.0.range.start() == item.range.start())
        .expect("the function is still there");
    let (got, want) = (printed(&after.body), printed(&body));
    assert_eq!(got, want, "after:\n{new}");
    let errors = |it: &Lowered| it.diagnostics.len();
    assert!(errors(after) <= errors(it), "{:?}\n{new}", after.diagnostics);
    (new, n_done)
}

/// The function without declarations of shape variables: the rewriter keeps those that are not used any more.
fn printed(body: &Body) -> String {
    let text = ir::print::tvmscript(body, 0);
    let is_declaration = |it: &&str| it.contains(" = T.int") && it.ends_with("()\n");
    text.split_inclusive('\n').filter(|it| !is_declaration(it)).collect()
}

/// `# kind at "text": message; related …; no fix`
fn describe(text: &str, lowered: &Lowered, finding: &Finding) -> String {
    let at = place(text, lowered, finding.place);
    let mut out = format!("# {} at {at}: ", finding.kind.name());
    for word in finding.message.words() {
        match word {
            Word::Text(text) => out.push_str(text),
            Word::Place(it) if *it == finding.place => out.push('_'),
            Word::Place(it) => out.push_str(&place(text, lowered, *it)),
            // What the fix writes.
            Word::Expr(_) => out.push('…'),
        }
    }
    for related in &finding.related {
        let at = place(text, lowered, related.place);
        out.push_str(&format!("; {}: {at}", related.role.0));
    }
    if finding.fix.is_none() {
        out.push_str("; no fix");
    }
    out.push('\n');
    out
}

/// `line 3 "x * y"`
fn place(text: &str, lowered: &Lowered, place: Place) -> String {
    let map = &lowered.source_map;
    let range = match place {
        Place::Op(it) => Some(map.op_range(it)),
        Place::Occurrence(it) => Some(map.occurrence_range(it)),
        Place::Value(it) => map.value_definition(it),
        Place::Buffer(it) => map.buffer_definition(it),
        Place::Function => None,
    };
    let Some(range) = range else { return "function".to_owned() };
    let excerpt = &text[std::ops::Range::<usize>::from(range)];
    let excerpt = excerpt.lines().next().unwrap_or_default();
    // Statements of `kernel` begin on the third line of the function.
    let line = text[..usize::from(range.start())].matches('\n').count().saturating_sub(1);
    format!("{line} `{excerpt}`")
}

//! Our CSE with the preset `tvm` against TVM's own answers.
//!
//! The answer to `lowered_X/NAME` is `lowered_X_cse/NAME` where the corpus has it, else TVM's pass is run on the spot.
//! With `allow_unsound` our result must be structurally equal and have the same names in TVM's printed form. Without
//! it, refusals of the preset are counted by reason: the second list.

use dataflow::analyses::Analyses;
use ir::effects::EffectTable;
use std::collections::BTreeMap;

use ir::Occurrences;
use ir::plan::{Decision, Preset};
use serde_json::{Value, json};
use transform::cse::{CseOptions, plan, rewrite};

use crate::conformance::peer::{Keep, Peer};
use crate::conformance::read::{functions, text};
use crate::conformance::report::{Report, Target};
use crate::conformance::roundtrip::{KINDS, count, readable};
use crate::conformance::{Input, corpus, ours, parallel};
use crate::skip::Skip;

/// Ending of the folders that hold TVM's answers.
pub(crate) const ANSWERS: &str = "_cse";
const REFUSED: &str = "refused where unsound results are not allowed: groups, by reason";

/// The result for a file on our side.
struct Planned {
    /// The file after the pass, unsound results allowed.
    text: String,
    /// Bindings with and without unsound results.
    bindings: [usize; 2],
    /// Reasons of bindings that are made only if unsound results are allowed.
    refused: BTreeMap<&'static str, usize>,
    /// Functions with at least one such refusal.
    affected: Vec<String>,
}

/// Compares every function of every file that is an input of the pass.
pub(crate) fn compare(input: &Input<'_>) -> Result<Report, Skip> {
    let peer = Peer::tvm(input.ws)?;
    let title = "CSE with the preset tvm, unsound results allowed: compared by TVM";
    let mut report = Report::new(title, KINDS);
    report.note(format!("TVM {}", peer.version));
    let files: Vec<&corpus::File> = input.files.iter().filter(|file| is_question(file)).collect();
    let expected = expected_texts(input, &peer, &files);
    let planned = parallel(&files, |file| apply(file));
    let requests: Vec<Value> = planned
        .iter()
        .zip(&expected)
        .map(|(ours, expected)| json!({ "op": "equal", "left": expected, "right": ours.text }))
        .collect();
    let answers = peer.ask_all(&requests, Keep::OnDisk);
    for (file, answer) in files.iter().zip(&answers) {
        count(&mut report, file, answer, "ours");
    }
    summarize(&mut report, &files, &planned);
    let what = "functions equal to TVM's result, names included";
    let (same, all) = (report.total("same"), readable(&report));
    report.target(Target { what, least: 99.5 }, same, all);
    Ok(report)
}

/// Lowered functions are the inputs of TVM's pass; its answers are not.
pub(crate) fn is_question(file: &corpus::File) -> bool {
    file.group.starts_with("lowered_") && !file.group.ends_with(ANSWERS)
}

/// TVM's result for each file: from the corpus, or asked for.
fn expected_texts(input: &Input<'_>, peer: &Peer, files: &[&corpus::File]) -> Vec<String> {
    let kept: BTreeMap<(&str, &str), &str> = input
        .files
        .iter()
        .map(|file| ((file.group.as_str(), file.name.as_str()), file.text.as_str()))
        .collect();
    let mut expected: Vec<Option<String>> = files
        .iter()
        .map(|file| {
            let group = format!("{}{ANSWERS}", file.group);
            kept.get(&(group.as_str(), file.name.as_str())).map(|text| (*text).to_owned())
        })
        .collect();
    let missing: Vec<usize> = (0..files.len()).filter(|&index| expected[index].is_none()).collect();
    let requests: Vec<Value> =
        missing.iter().map(|&index| json!({ "op": "cse", "text": files[index].text })).collect();
    for (&index, answer) in missing.iter().zip(peer.ask_all(&requests, Keep::OnDisk)) {
        let texts: Vec<String> = functions(&answer)
            .map(|found| found.iter().map(|it| text(it, "text").to_owned()).collect())
            .unwrap_or_default();
        expected[index] = Some(texts.join("\n"));
    }
    expected.into_iter().map(Option::unwrap_or_default).collect()
}

/// Runs our pass over a file, with and without unsound results.
fn apply(file: &corpus::File) -> Planned {
    let reading = ours::read(&file.text);
    let mut planned = Planned {
        text: String::new(),
        bindings: [0; 2],
        refused: BTreeMap::new(),
        affected: Vec::new(),
    };
    let options =
        |allow_unsound| CseOptions { preset: Preset::Tvm, allow_unsound, ..CseOptions::default() };
    planned.text = reading.print(&file.text, |function| {
        let body = &function.lowered.body;
        let occurrences = Occurrences::collect(body);
        let exact =
            plan(&Analyses::of(body, &occurrences, EffectTable::builtin()), None, &options(true));
        let sound =
            plan(&Analyses::of(body, &occurrences, EffectTable::builtin()), None, &options(false));
        planned.bindings[0] += exact.bindings.len();
        planned.bindings[1] += sound.bindings.len();
        let before: usize = planned.refused.values().sum();
        for group in &sound.groups {
            if let Decision::Refuse(refusal) = &group.decision
                && is_bound(&exact, group.expr)
            {
                *planned.refused.entry(refusal.name()).or_default() += 1;
            }
        }
        if planned.refused.values().sum::<usize>() > before {
            planned.affected.push(format!("{}:{}", file.label(), function.name));
        }
        Some(rewrite(body, &occurrences, &exact))
    });
    planned
}

/// Returns true if a plan binds the groups of an expression.
fn is_bound(plan: &ir::plan::CsePlan, expr: ir::ExprId) -> bool {
    plan.groups
        .iter()
        .any(|group| group.expr == expr && matches!(group.decision, Decision::Bind(_)))
}

fn summarize(report: &mut Report, files: &[&corpus::File], planned: &[Planned]) {
    let sum = |which: usize| planned.iter().map(|it| it.bindings[which]).sum::<usize>();
    report.note(format!(
        "{} files, {} bindings; {} without unsound ones",
        files.len(),
        sum(0),
        sum(1)
    ));
    for (reason, number) in planned.iter().flat_map(|it| &it.refused) {
        report.tally(0, REFUSED, *reason, *number);
    }
    for name in planned.iter().flat_map(|it| &it.affected) {
        report.list(8, "functions where TVM's result is unsound", name.as_str());
    }
}

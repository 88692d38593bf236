//! Our simplifier against TVM's, operand by operand.
//!
//! Input: functions of a corpus and generated ones. TVM gives each function back with every operand of every statement
//! as its analyzer has it there, and no statement added or removed; ours are simplified in the same contexts, and both
//! are measured by one cost (`arith::simplify::Cost`: operations by `SEMANTICS: Cost`, then their number). Counted is
//! where ours is simpler, equal, or not as simple; a loss is listed with its expression, unless evaluation shows that
//! TVM's result has another value: those are listed apart. Of floats only the integers and conditions in them are
//! compared. Then guards: `if`s and block predicates of functions with dynamic shapes, before and after the pass
//! `simplify`, and whether both say the same when they are run. And whole functions of the corpus, after the pass and
//! after `StmtSimplify`.

mod evaluate;
mod generate;
mod guards;
mod operands;
pub(crate) mod statements;

use ir::Body;
use serde_json::{Value, json};

use crate::conformance::peer::{Keep, Peer};
use crate::conformance::read::{functions, text};
use crate::conformance::report::{Report, Target};
use crate::conformance::simplify::operands::{Compared, Operand};
use crate::conformance::{Input, both, corpus, ours, parallel};
use crate::skip::Skip;

/// Columns of the report.
const KINDS: &[&str] = &["simpler", "equal", "not as", "unsound", "apart", "left out"];
/// The folders whose functions are asked about; others are answers, or say the same at another stage.
const GROUPS: &[&str] = &["lowered_cuda", "lowered_cpu", "scheduled_cuda"];
/// Generated files, with some dozen expressions each.
const GENERATED: u64 = 200;

/// The result for a file.
#[derive(Default)]
struct FileResult {
    operands: Vec<(String, Operand)>,
    left_out: Vec<String>,
    guards: Vec<guards::Counts>,
    /// Of each function that both sides simplified as a whole: its name and the remaining work.
    statements: Vec<(String, statements::Remaining)>,
}

/// Compares every function.
pub(crate) fn compare(input: &Input<'_>) -> Result<Report, Skip> {
    let peer = Peer::tvm_simplifier(input.ws)?;
    let title = "Expressions after our simplifier and after TVM's, by cost";
    let mut report = Report::new(title, KINDS);
    report.note(format!("TVM {}", peer.version));
    let is_asked = |file: &&corpus::File| GROUPS.contains(&file.group.as_str());
    let mut files: Vec<corpus::File> = input.files.iter().filter(is_asked).cloned().collect();
    let generated = generate::files(GENERATED);
    files.extend(
        generated.into_iter().filter(|it| input.filter.is_none_or(|f| it.label().contains(f))),
    );
    let requests: Vec<Value> = files
        .iter()
        .map(|it| {
            json!({ "op": "simplify", "text": it.text, "statements": it.group != generate::GROUP })
        })
        .collect();
    let answers = peer.ask_all(&requests, Keep::OnDisk);
    let asked: Vec<_> = files.iter().zip(&answers).collect();
    let results = parallel(&asked, |(file, answer)| compare_file(file, answer));
    let mut all_guards = guards::Counts::default();
    let mut whole = statements::Sums::default();
    for (file, result) in files.iter().zip(results) {
        for (name, operand) in result.operands {
            count(&mut report, &file.group, &name, operand);
        }
        for why in result.left_out {
            report.count(&file.group, "left out");
            report.tally(2, "functions left out", why, 1);
        }
        for counts in result.guards {
            all_guards.add(&counts);
            counts.write(&mut report);
        }
        for (name, left) in &result.statements {
            whole.add(name, left, &mut report);
        }
    }
    report.note(format!("functions with dynamic shapes: {}", all_guards.sums()));
    whole.write(&mut report);
    let good = report.total("simpler") + report.total("equal");
    let what = "expressions at least as simple as TVM's, where TVM's is not shown unsound";
    report.target(Target { what, least: 99.0 }, good, good + report.total("not as"));
    let what = "functions with dynamic shapes that do the same after the pass, of those run";
    report.target(Target { what, least: 100.0 }, all_guards.same(), all_guards.run());
    Ok(report)
}

fn compare_file(file: &corpus::File, answer: &Result<Value, String>) -> FileResult {
    let mut result = FileResult::default();
    let before = ours::read(&file.text);
    let answered = match functions(answer) {
        Ok(answered) => answered,
        Err(why) => {
            result.left_out.push(why);
            return result;
        }
    };
    for (function, theirs) in before.functions.iter().zip(answered) {
        let name = format!("{}:{}", file.label(), function.name);
        let body = &function.lowered.body;
        if both::is_dynamic(body) {
            result.guards.push(guards::count(&name, body));
        }
        let error = text(theirs, "error");
        if !error.is_empty() {
            result.left_out.push(error.to_owned());
            continue;
        }
        match their_body(text(theirs, "text")).map(|it| operands::compare(body, &it)) {
            Some(Some(operands)) => {
                result.operands.extend(operands.into_iter().map(|it| (name.clone(), it)));
            }
            _ => result.left_out.push("TVM's text has other statements".to_owned()),
        }
        if let Some(theirs) = their_body(text(theirs, "statements")) {
            result.statements.push((name, statements::Remaining::of(body, &theirs)));
        }
    }
    result
}

fn their_body(text: &str) -> Option<Body> {
    ours::read(text).functions.into_iter().next().map(|it| it.lowered.body)
}

fn count(report: &mut Report, group: &str, name: &str, operand: Operand) {
    let Operand { compared, before, ours, theirs } = operand;
    let kind = match compared {
        Compared::Simpler => "simpler",
        Compared::Equal => "equal",
        Compared::NotAs => "not as",
        Compared::Unsound(_) => "unsound",
        Compared::Apart => "apart",
    };
    report.count(group, kind);
    match compared {
        Compared::NotAs => {
            let line = format!("{name}: {before}\n      ours: {ours}\n      TVM:  {theirs}");
            report.list(0, "not as simple as TVM's", line);
        }
        Compared::Unsound(why) => {
            let line = format!("{name}: {before}\n      TVM:  {theirs}\n      {why}");
            report.list(1, "TVM's result has another value", line);
        }
        _ => {}
    }
}

//! Instances of the functions that factories and tests make, executed before and after our passes.
//!
//! In: folders of Python files. TVM runs them and records each instance with its arguments (`staged`); the interpreter
//! runs each one on made-up inputs as it is, after the preset `default` of `cse`, after `simplify`, after the fixes of
//! all findings, and after all of these one after another. All bytes that the runs leave must be equal
//! ([`both`](crate::conformance::both)). An instance that cannot be run is counted by the reason.

use std::path::PathBuf;

use ir::Body;
use ir::effects::EffectTable;
use transform::passes::Pass;

use crate::conformance::both::{self, Runs};
use crate::conformance::peer::Answer;
use crate::conformance::read::text;
use crate::conformance::report::{Report, Target, without_names};
use crate::conformance::{ours, parallel, reread, staged};
use crate::skip::Skip;
use crate::workspace::Workspace;

/// Columns of the report. `sampled` are equal in runs of a part of their iterations.
const KINDS: &[&str] = &["equal", "sampled", "unchanged", "differ", "not run"];
/// Evaluated nodes of one run, if nothing else is asked for.
const STEPS: u64 = 300_000;

/// Passes one after another, and their name in the report.
struct Chain {
    name: &'static str,
    passes: Vec<Pass>,
}

/// The verdict on an instance after a chain.
struct Judged {
    chain: &'static str,
    runs: Runs,
    /// The pass after which it first differs.
    guilty: Option<&'static str>,
}

/// The verdicts on one instance.
struct Instance {
    place: String,
    judged: Result<Vec<Judged>, String>,
}

/// Records the instances, runs them, and reports.
pub(crate) fn compare(
    ws: &Workspace,
    folders: &[PathBuf],
    filter: Option<&str>,
    steps: Option<u64>,
    options: &reread::Options,
) -> anyhow::Result<Result<Report, Skip>> {
    let recorded = match staged::recorded(ws, folders, filter, options)? {
        Ok(recorded) => recorded,
        Err(skip) => return Ok(Err(skip)),
    };
    let chains = chains();
    let steps = steps.unwrap_or(STEPS);
    let judged = parallel(&recorded, |(folder, file, answer)| {
        of_file(&format!("{folder}/{}.py", file.label()), answer, &chains, steps)
    });
    let mut report =
        Report::new("Instances that run, before and after our passes, in the interpreter", KINDS);
    for instance in judged.iter().flatten() {
        count(&mut report, instance);
    }
    let (equal, differ) = (report.total("equal") + report.total("sampled"), report.total("differ"));
    let what = "changed instances that run and leave the same bytes";
    report.target(Target { what, least: 100.0 }, equal, equal + differ);
    report.at_least("pairs run", equal, 1);
    Ok(Ok(report))
}

fn chains() -> Vec<Chain> {
    let fixes: Vec<Pass> = Pass::all().filter(|it| matches!(it, Pass::Fix(_))).collect();
    let mut all = vec![Pass::Simplify];
    all.extend(&fixes);
    all.push(Pass::Cse);
    vec![
        Chain { name: "preset default", passes: vec![Pass::Cse] },
        Chain { name: "simplify", passes: vec![Pass::Simplify] },
        Chain { name: "fixes", passes: fixes },
        Chain { name: "all of them", passes: all },
    ]
}

/// Runs the instances of a file.
fn of_file(path: &str, recorded: &Answer, chains: &[Chain], steps: u64) -> Vec<Instance> {
    let Ok(recorded) = recorded else { return Vec::new() };
    let written = text(recorded, "written");
    let reading = ours::read(written);
    let mut judged = Vec::new();
    for instance in recorded["instances"].as_array().into_iter().flatten() {
        for function in instance["functions"].as_array().into_iter().flatten() {
            let place = staged::place(path, instance, function);
            let first = function["placed"][0].as_u64();
            let found = reading
                .functions
                .iter()
                .find(|it| u64::try_from(it.first_line(written)).ok() == first);
            let Some(found) = found else {
                let judged_as = Err("it is not found in the text of the instances".to_owned());
                judged.push(Instance { place, judged: judged_as });
                continue;
            };
            let body = &found.lowered.body;
            let of_function = match transform::broken::readable(body) {
                Ok(()) => Ok(chains.iter().map(|it| judge(body, it, steps)).collect()),
                Err(broken) => Err(broken.what),
            };
            judged.push(Instance { place, judged: of_function });
        }
    }
    judged
}

/// Runs a function before and after a chain.
fn judge(body: &Body, chain: &Chain, steps: u64) -> Judged {
    let shapes = both::shapes(body);
    let mut forms = Vec::new();
    let mut at = body.clone();
    for &pass in &chain.passes {
        at = pass.run(&at, EffectTable::builtin());
        if forms.last().is_none_or(|(_, last)| *last != at) {
            forms.push((pass.name(), at.clone()));
        }
    }
    let runs = both::runs(body, &at, shapes, steps);
    let differs = |form: &Body| matches!(both::runs(body, form, shapes, steps), Runs::Differ(_));
    let guilty = match runs {
        Runs::Differ(_) => forms.iter().find(|it| differs(&it.1)).map(|it| it.0),
        _ => None,
    };
    Judged { chain: chain.name, runs, guilty }
}

fn count(report: &mut Report, instance: &Instance) {
    let judged = match &instance.judged {
        Ok(judged) => judged,
        Err(why) => {
            return report.list(2, "not looked at", format!("{}: {why}", instance.place));
        }
    };
    for it in judged {
        let kind = match &it.runs {
            Runs::Unchanged => "unchanged",
            Runs::Same { is_whole: true, .. } => "equal",
            Runs::Same { is_whole: false, .. } => "sampled",
            Runs::None(why) => {
                report.tally(1, "not run, by reason", without_names(why), 1);
                "not run"
            }
            Runs::Differ(why) => {
                let guilty = it.guilty.unwrap_or(it.chain);
                let line = format!("{}: {}, {guilty}: {why}", instance.place, it.chain);
                report.list(0, "other bytes", line);
                "differ"
            }
        };
        report.count(it.chain, kind);
    }
}

#[cfg(test)]
mod tests {
    use expect_test::expect;
    use serde_json::json;

    use super::*;

    const TEXT: &str = "from tvm.script import tirx as T

def test_instance_0():
    def instance():
        n = 8
        @T.prim_func
        def f(A: T.Buffer((n,), \"int32\"), x: T.int32):
            for i in range(n):
                A[i] = x * x + (x * x) // T.max(x, 1) + 0

@T.prim_func
def g(A: T.Buffer((8,), \"int32\")):
    T.call_packed(\"g\", A.data)
    A[0] = A[1] * 1
";

    #[test]
    fn an_instance_is_run_before_and_after_each_chain() {
        let recorded = Ok(json!({ "written": TEXT, "instances": [
            { "given": { "n": "8" }, "functions": [{ "name": "f", "line": 3, "placed": [5, 9] }] },
            { "given": {}, "functions": [{ "name": "g", "line": 11, "placed": [10, 14] }] },
            { "given": {}, "functions": [{ "name": "h", "line": 20, "placed": null }] },
        ] }));
        let mut report = Report::new("instances", KINDS);
        for instance in of_file("a/b.py", &recorded, &chains(), STEPS) {
            count(&mut report, &instance);
        }
        expect![[r#"
            instances

                                equal    sampled  unchanged     differ    not run
            all of them             1          0          1          0          0
            fixes                   1          0          1          0          0
            preset default          1          0          1          0          0
            simplify                0          0          2          0          0
            total                   3          0          5          0          0

            not looked at (1):
              a/b.py:20 h(): it is not found in the text of the instances
        "#]]
        .assert_eq(&report.text());
    }

    #[test]
    fn a_pass_that_changes_bytes_is_named() {
        let reading = ours::read(TEXT);
        let [f, _] = &reading.functions[..] else { panic!("two functions") };
        let other = ours::read(&TEXT.replace("+ 0", "+ 1"));
        let runs = both::runs(&f.lowered.body, &other.functions[0].lowered.body, &[&[1]], STEPS);
        assert!(matches!(runs, Runs::Differ(_)), "{runs:?}");
    }
}

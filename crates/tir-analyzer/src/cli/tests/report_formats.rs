//! The reports of `check` for other programs, its limit, its statistics.

use std::collections::BTreeSet;

use expect_test::expect;
use serde_json::Value;

use super::*;

/// An error, a warning and a hint.
const ALL_LEVELS: &str = "\
from tvm.script import tirx as T


@T.prim_func
def f(A: T.Buffer((64,), \"int32\"), i: T.int32):
    B = T.alloc_buffer((4,), \"int32\")
    A[0] = B[0]
    A[i * 4 + 1] = i * 4 + 1
    A[1] = missing
";

fn three_files() -> Project {
    Project::new(&[("a.py", ALL_LEVELS), ("b.py", CLEAN), ("c d,e.py", ALL_LEVELS)])
}

#[test]
fn github_gets_a_command_a_finding() {
    three_files().run("check --format github").check(expect![[r#"
        ::warning title=tir-analyzer (read-before-write),file=a.py,line=7,col=12,endColumn=16::`B[0]` is read, and nothing has written it
        ::notice title=tir-analyzer (common-subexpression),file=a.py,line=8,col=20,endColumn=29::`i * 4 + 1` is computed 2 times%0AComputed once as `cse_v1` before `A[i * 4 + 1] = i * 4 + 1`, it saves 1 evaluation of 2 operations each.
        ::error title=tir-analyzer (undefined-name),file=a.py,line=9,col=12,endColumn=19::`missing` is not defined here
        ::warning title=tir-analyzer (read-before-write),file=c d%2Ce.py,line=7,col=12,endColumn=16::`B[0]` is read, and nothing has written it
        ::notice title=tir-analyzer (common-subexpression),file=c d%2Ce.py,line=8,col=20,endColumn=29::`i * 4 + 1` is computed 2 times%0AComputed once as `cse_v1` before `A[i * 4 + 1] = i * 4 + 1`, it saves 1 evaluation of 2 operations each.
        ::error title=tir-analyzer (undefined-name),file=c d%2Ce.py,line=9,col=12,endColumn=19::`missing` is not defined here
        --- exit code 1
    "#]]);
    let clean = Project::new(&[("b.py", CLEAN)]).run("check --format github");
    assert_eq!((clean.out().as_str(), clean.code), ("", 0));
}

#[test]
fn gitlab_gets_fingerprints_that_edits_elsewhere_leave() {
    let list = |project: &Project| -> Vec<Value> {
        serde_json::from_str(&project.run("check --format gitlab").out()).unwrap()
    };
    let project = three_files();
    let before = list(&project);
    expect![[r#"
        {
          "description": "`B[0]` is read, and nothing has written it",
          "check_name": "read-before-write",
          "fingerprint": "21a79d2c817f56d8",
          "severity": "major",
          "location": {
            "path": "a.py",
            "positions": {
              "begin": {
                "line": 7,
                "column": 12
              },
              "end": {
                "line": 7,
                "column": 16
              }
            }
          }
        }"#]]
    .assert_eq(&serde_json::to_string_pretty(&before[0]).unwrap());
    let names = |list: &[Value]| -> BTreeSet<String> {
        list.iter().map(|it| it["fingerprint"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(names(&before).len(), before.len());
    project.write("a.py", ALL_LEVELS.replace("\n\n\n@", "\n\n\nx = 1\n\n\n@").as_bytes());
    let after = list(&project);
    assert_eq!(names(&after), names(&before));
    assert_ne!(after, before);
    assert_eq!(list(&Project::new(&[("b.py", CLEAN)])), [] as [Value; 0]);
}

#[test]
fn junit_gets_a_suite_a_file() {
    let wanted = "check --format junit --level warning";
    // What does not fail the run is a test that passed.
    let text = three_files().run(wanted).out();
    assert_eq!((text.matches("<failure").count(), text.matches("<system-out>").count()), (2, 2));
    assert!(text.contains("tests=\"2\" failures=\"1\""), "{text}");
    three_files().run(&format!("{wanted} --fail-on warning")).check(expect![[r#"
        <?xml version="1.0" encoding="UTF-8"?>
        <testsuites name="tir-analyzer">
          <testsuite name="a.py" tests="2" failures="2">
            <testcase name="read-before-write" classname="a.py" line="7" column="12"><failure type="warning" message="`B[0]` is read, and nothing has written it">a.py:7:12: `B[0]` is read, and nothing has written it</failure></testcase>
            <testcase name="undefined-name" classname="a.py" line="9" column="12"><failure type="error" message="`missing` is not defined here">a.py:9:12: `missing` is not defined here</failure></testcase>
          </testsuite>
          <testsuite name="c d,e.py" tests="2" failures="2">
            <testcase name="read-before-write" classname="c d,e.py" line="7" column="12"><failure type="warning" message="`B[0]` is read, and nothing has written it">c d,e.py:7:12: `B[0]` is read, and nothing has written it</failure></testcase>
            <testcase name="undefined-name" classname="c d,e.py" line="9" column="12"><failure type="error" message="`missing` is not defined here">c d,e.py:9:12: `missing` is not defined here</failure></testcase>
          </testsuite>
        </testsuites>
        --- exit code 1
    "#]]);
    Project::new(&[("b.py", CLEAN)]).run("check --format junit").check(expect![[r#"
        <?xml version="1.0" encoding="UTF-8"?>
        <testsuites name="tir-analyzer">
          <testsuite name="check" tests="1" failures="0">
            <testcase name="1 file checked" classname="check"/>
          </testsuite>
        </testsuites>
        --- exit code 0
    "#]]);
    let hostile = ALL_LEVELS.replace("missing", "\"<&\\x00>\"");
    let project = Project::new(&[("a<b>&\"c\".py", &hostile)]);
    let text = project.run("check --format junit").out();
    assert!(text.contains("a&lt;b&gt;&amp;&quot;c&quot;.py"), "{text}");
    assert!(text.chars().all(|it| it >= ' ' || it == '\n'), "{text}");
}

#[test]
fn the_worst_of_all_files_are_shown() {
    let project = three_files();
    project.run("check --limit 2").check(expect![[r#"
        error[undefined-name]: `missing` is not defined here
         --> a.py:9:12
          |
        9 |     A[1] = missing
          |            ^^^^^^^

        error[undefined-name]: `missing` is not defined here
         --> c d,e.py:9:12
          |
        9 |     A[1] = missing
          |            ^^^^^^^

        2 error     undefined-name        a name that is not defined here
        2 warning   read-before-write     memory is read that nothing has written
        2 hint    * common-subexpression  a value is computed at several places

        3 files checked: 2 errors, 2 warnings, 2 hints
        4 more findings: `--limit 0` shows all, `--level warning` those that matter most
        2 values can be computed once: `tir-analyzer fix --diff` shows how
        --- exit code 1
    "#]]);
    let json: Value =
        serde_json::from_str(&project.run("check --limit 2 --format json").out()).unwrap();
    let shown: Vec<(usize, u64)> = (json["files"].as_array().unwrap().iter())
        .map(|it| {
            let shown = it["diagnostics"].as_array().unwrap().len();
            (shown, it["notShown"].as_u64().unwrap())
        })
        .collect();
    let all = json["summary"].clone();
    let total: u64 =
        ["errors", "warnings", "info", "hints"].map(|it| all[it].as_u64().unwrap()).iter().sum();
    assert_eq!(shown.iter().map(|it| it.0).sum::<usize>(), 2);
    assert_eq!(shown.iter().map(|it| it.1).sum::<u64>() + 2, total);
    let unlimited = project.run("check --limit 0").out();
    assert_eq!(unlimited, project.run("check").out());
}

#[test]
fn statistics_count_by_rule() {
    three_files().run("check --statistics").check(expect![[r#"
        2 error     undefined-name        a name that is not defined here
        2 warning   read-before-write     memory is read that nothing has written
        2 hint    * common-subexpression  a value is computed at several places
        3 files checked: 2 errors, 2 warnings, 2 hints
        2 values can be computed once: `tir-analyzer fix --diff` shows how
        --- exit code 1
    "#]]);
    three_files().run("check --statistics --quiet --level error").check(expect![[r#"
        2 error     undefined-name  a name that is not defined here
        --- exit code 1
    "#]]);
}

/// Terminals and logs of workflows get nothing that they would obey; programs get the name as it is.
#[cfg(unix)]
#[test]
fn names_and_texts_of_others_are_shown_and_not_obeyed() {
    let name = "a\n\x1b]0;t\x07\u{202e}.py";
    let body = "from tvm.script import tirx as T

@T.prim_func
def f(A: T.Buffer((16,), 'int32'), x: T.int32, y: T.int32):
    A[0] = T.call_extern('int32', '\x1b[31m', x * y) + x * y
";
    let project = Project::new(&[(name, body)]);
    let commands = ["check", "check --format github", "fix --diff", "report", "build", "explain"];
    for command in commands {
        let outcome = match command {
            "explain" => project.run_words(["explain", &format!("{name}:5")], b""),
            _ => project.run(command),
        };
        let said = format!("{}{}", outcome.out(), outcome.err());
        // A patch has the lines of the file as they are.
        let said: Vec<&str> = match command {
            "fix --diff" => said.lines().filter(|it| it.contains(".py")).collect(),
            _ => vec![&said],
        };
        assert!(!said.is_empty(), "{command}");
        for it in said {
            assert!(!it.contains(['\x1b', '\x07', '\u{202e}']), "{command}: {it:?}");
        }
    }
    let text = project.run("check").out();
    assert!(text.contains(r"--> a\n\u{1b}]0;t\u{7}\u{202e}.py:5:44"), "{text}");
    let json: Value = serde_json::from_str(&project.run("check --format json").out()).unwrap();
    assert_eq!(json["files"][0]["path"], name);
    project.run("report --html page.html");
    let page = project.read("page.html");
    assert!(!page.contains(['\x1b', '\x07', '\u{202e}']), "{page}");
}

/// Many findings end with a table and the next command, also where nothing is hidden and nothing can be fixed.
#[test]
fn many_findings_end_with_their_rules_and_the_next_command() {
    let lines: String = (0..21).map(|it| format!("    A[{it}] = missing{it}\n")).collect();
    let text = format!(
        "from tvm.script import tirx as T\n\n@T.prim_func\ndef f(A: T.Buffer((64,), 'int32')):\n{lines}"
    );
    let out = Project::new(&[("a.py", &text)]).run("check").out();
    let end: Vec<&str> = out.lines().rev().take(4).collect();
    let end: Vec<&str> = end.into_iter().rev().collect();
    expect![[r#"
        21 error     undefined-name  a name that is not defined here

        1 file checked: 21 errors
        `tir-analyzer explain undefined-name` tells what it means and what to do"#]]
    .assert_eq(&end.join("\n"));
}

#[test]
fn quiet_and_exit_zero() {
    let project = three_files();
    let quiet = project.run("check --quiet --level error");
    assert!(!quiet.out().contains("checked"), "{}", quiet.out());
    assert_eq!(quiet.code, 1);
    assert_eq!(project.run("check --quiet b.py").out(), "");
    assert_eq!(project.run("check --exit-zero").code, 0);
    assert_eq!(project.run("check --exit-zero nowhere.py").code, 2);
}

#[test]
fn a_folder_without_a_file_is_a_warning() {
    let project = Project::new(&[("notes.txt", "")]);
    project.run("check").check(expect![[r#"
        0 files checked
        --- errors
        warning: there is no file to read: `.py`, `.pyi`, `.mlir`, `.ttir`, `.ttgir`, `.pir` that are neither hidden nor ignored by git are
        --- exit code 0
    "#]]);
    for command in ["fix", "format", "report", "build"] {
        let outcome = project.run(command);
        assert!(outcome.err().starts_with("warning: there is no file to read"), "{command}");
        assert_eq!(outcome.code, 0, "{command}");
    }
}

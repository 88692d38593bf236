//! Adopting `check` where there are findings already: baselines, `--since`.

use std::process::Command;

use expect_test::expect;

use super::Project;

/// Two names that nothing uses, in two functions.
const UNUSED: &str = r#"from tvm.script import tirx as T


@T.prim_func
def f(A: T.Buffer((64,), "int32"), n: T.int32):
    a: T.let[T.int32] = n * 4
    A[0] = n


@T.prim_func
def g(A: T.Buffer((64,), "int32"), n: T.int32):
    a: T.let[T.int32] = n * 4
    A[0] = n
"#;

#[test]
fn findings_of_the_baseline_are_not_reported() {
    let project = Project::new(&[("k/a.py", UNUSED)]);
    project.run("check k --write-baseline base.json").check(expect![[r#"
        1 file checked: nothing to report
        --- errors
        2 findings accepted in base.json
        --- exit code 0
    "#]]);
    assert!(
        project.read("base.json").contains("\"function\":\"g\""),
        "{}",
        project.read("base.json")
    );
    project.run("check k --baseline base.json").check(expect![[r#"
        1 file checked: nothing to report
        --- exit code 0
    "#]]);
    // Lines do not count, what is new does.
    let more = UNUSED
        .replace("def g", "# a comment\n# and one more\ndef g")
        .replace("    A[0] = n\n\n\n@T", "    b: T.let[T.int32] = n + 1\n    A[0] = n\n\n\n@T");
    project.write("k/a.py", more.as_bytes());
    project.run("check k --baseline base.json").check(expect![[r#"
        hint[dead-binding]: `b` is never used
         --> k/a.py:7:5
          |
        7 |     b: T.let[T.int32] = n + 1
          |     ^
          |
          = help: Remove `b`

        1 file checked: 1 hint
        1 superfluous part can be removed: `tir-analyzer fix --diff` shows how
        --- exit code 0
    "#]]);
}

#[test]
fn entries_that_match_nothing_are_told() {
    let project = Project::new(&[("a.py", UNUSED)]);
    project.run("check a.py --write-baseline base.json");
    project.write("a.py", UNUSED.replace("    a: T.let[T.int32] = n * 4\n", "").as_bytes());
    project.run("check a.py --baseline base.json").check(expect![[r#"
        1 file checked: nothing to report
        --- errors
        warning: the baseline lists findings that no longer occur (2 findings); write it again with `--write-baseline`:
          a.py: `dead-binding` in `f`
          a.py: `dead-binding` in `g`
        --- exit code 0
    "#]]);
}

#[test]
fn baseline_that_is_none_is_an_error() {
    let project = Project::new(&[
        ("a.py", UNUSED),
        ("base.json", "[]"),
        ("old.json", "{\"version\": 0, \"findings\": []}"),
    ]);
    project.run("check a.py --baseline base.json").check(expect![[r#"
        --- errors
        error: base.json is no baseline of this tool; write one with `check --write-baseline`: invalid length 0, expected struct File with 2 elements at line 1 column 2
        --- exit code 2
    "#]]);
    project.run("check a.py --baseline old.json").check(expect![[r#"
        --- errors
        error: old.json has version 0, and this tool reads version 1
        --- exit code 2
    "#]]);
    assert_eq!(project.run("check a.py --baseline nowhere.json").code, 2);
}

fn git(project: &Project, words: &str) -> bool {
    let command = Command::new("git")
        .args(["-c", "user.name=n", "-c", "user.email=e@example.com"])
        .args(words.split_whitespace())
        .current_dir(project.path())
        .output();
    command.is_ok_and(|it| it.status.success())
}

#[test]
fn only_what_was_changed_since_a_revision_is_reported() {
    let project = Project::new(&[("a.py", UNUSED), ("b.py", UNUSED)]);
    assert!(git(&project, "init -q"), "this test needs git");
    assert!(git(&project, "add .") && git(&project, "commit -q -m first"));
    assert_eq!(project.run("check --since HEAD").out(), "2 files checked: nothing to report\n");
    project.write("a.py", UNUSED.replace("def g", "def h").as_bytes());
    project.write("new.py", UNUSED.as_bytes());
    let found = project.run("check --since HEAD --format json").out();
    assert_eq!(found.matches("dead-binding").count(), 3, "{found}");
    let unknown = project.run("check --since nowhere");
    assert_eq!(unknown.code, 2);
    assert!(
        unknown.err().contains("`nowhere` is no revision of the git repository"),
        "{}",
        unknown.err()
    );
}

#[test]
fn since_needs_a_repository() {
    let project = Project::new(&[("a.py", UNUSED)]);
    let outcome = project.run("check --since HEAD");
    assert_eq!(outcome.code, 2);
    assert!(outcome.err().contains("needs a git repository"), "{}", outcome.err());
}

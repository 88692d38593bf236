//! `bisect`, with shell scripts as commands.

#![cfg(unix)]

use std::fs;

use expect_test::expect;

use super::Project;

/// Four values that are computed twice.
const FOUR: &str = r#"from tvm.script import tirx as T


@T.prim_func
def main(A: T.Buffer((64,), "int32"), x: T.int32, y: T.int32):
    A[0] = x * y
    A[1] = x * y  # kept
    A[2] = x - y
    A[3] = x - y
    A[4] = y - x
    A[5] = y - x
    A[6] = x + y
    A[7] = x + y
"#;

/// A project with the file and a script, which gives a verdict about `$1`.
fn project(script: &str) -> Project {
    let project = Project::new(&[("a.py", FOUR), ("judge.sh", script)]);
    // Copies are made in the folder for temporary files; the test looks at what is left there.
    project
}

#[test]
fn fix_that_changes_the_result_is_named_with_its_place() {
    let project = project("! grep -q '= y - x$' $1 || grep -q 'A.4. = y - x$' $1\n");
    project.run("bisect a.py -- sh judge.sh {}").check(expect![[r#"
        fix 3 of 4 is the first that is bad
        a.py:10:12: `y - x`
        int32, computed 2 times
          Computed once as `cse_v3` before `A[4] = y - x`, it saves 1 evaluation of 1 operation each.
        places:
          a.py:10:12: A[4] = y - x
          a.py:11:12: A[5] = y - x
        --- errors
        first 0 of 4: good
        first 4 of 4: bad
        2 more runs will tell which fix it is, if the command can say each time
        first 2 of 4: good
        first 3 of 4: bad
        --- exit code 0
    "#]]);
    assert_eq!(project.read("a.py"), FOUR);
}

#[test]
fn fix_is_explained_as_a_whole_where_it_begins_with_another_value() {
    let text = "from tvm.script import tirx as T\n\n\n@T.prim_func\n\
                def main(A: T.Buffer((64,), \"int32\"), x: T.int32, y: T.int32):\n    \
                A[0] = x * y * x + y\n    A[1] = x * y * x + y\n    A[2] = x * y\n";
    let project = Project::new(&[("a.py", text), ("judge.sh", "! grep -q 'A.1. = cse_v2' $1\n")]);
    let outcome = project.run("bisect a.py -- sh judge.sh");
    assert!(outcome.out().contains("a.py:6:12: `x * y * x + y`"), "{}", outcome.out());
}

#[test]
fn path_comes_last_where_the_command_does_not_say() {
    let project = project("grep -q 'A.0. = x . y' $1\n");
    let outcome = project.run("bisect a.py -- sh judge.sh");
    assert!(
        outcome.out().starts_with("fix 1 of 4 is the first that is bad\na.py:6:12: `x * y`"),
        "{}",
        outcome.out()
    );
}

#[test]
fn file_is_changed_in_place_and_put_back() {
    let project = project("echo run >> log; ! grep -q 'cse_v2: T.let.T.int32. = x - y' a.py\n");
    let outcome = project.run("bisect --in-place a.py -- sh judge.sh");
    assert!(outcome.out().starts_with("fix 2 of 4"), "{}\n{}", outcome.out(), outcome.err());
    assert_eq!(project.read("a.py"), FOUR);
    // None, all, two more.
    assert_eq!(project.read("log").lines().count(), 4);
}

#[test]
fn runs_that_say_nothing_are_skipped() {
    let project =
        project("n=$(grep -c ': T.let' $1)\nif [ $n = 2 ]; then exit 125; fi\n[ $n -lt 3 ]\n");
    let outcome = project.run("bisect a.py -- sh judge.sh");
    outcome.check(expect![[r#"
        the command cannot say which of the fixes 2 to 3 of 4 it is
        --- errors
        first 0 of 4: good
        first 4 of 4: bad
        2 more runs will tell which fix it is, if the command can say each time
        first 2 of 4: skipped
        first 1 of 4: good
        first 3 of 4: bad
        --- exit code 1
    "#]]);
    let project = self::project(
        "n=$(grep -c ': T.let' $1)\nif [ $n = 0 ]; then exit 0; fi\nif [ $n = 4 ]; then exit 3; fi\nexit 125\n",
    );
    project.run("bisect a.py -- sh judge.sh").check(expect![[r#"
        the command cannot say which of the fixes 1 to 4 of 4 it is
        --- errors
        first 0 of 4: good
        first 4 of 4: bad
        2 more runs will tell which fix it is, if the command can say each time
        first 2 of 4: skipped
        first 1 of 4: skipped
        first 3 of 4: skipped
        --- exit code 1
    "#]]);
}

#[test]
fn crash_is_bad() {
    let project = project("if grep -q cse_v4 $1; then kill -FPE $$; fi\n");
    let outcome = project.run("bisect a.py -- sh judge.sh");
    assert!(outcome.out().starts_with("fix 4 of 4"), "{}", outcome.out());
}

#[test]
fn nothing_is_blamed_without_a_cause() {
    project("exit 0\n").run("bisect a.py -- sh judge.sh").check(expect![[r#"
        the command is content with 4 fixes of a.py
        --- errors
        first 0 of 4: good
        first 4 of 4: good
        --- exit code 1
    "#]]);
    project("exit 1\n").run("bisect a.py -- sh judge.sh").check(expect![[r#"
        --- errors
        first 0 of 4: bad
        error: the command is not content with a.py as it is, so no fix is to blame
        --- exit code 2
    "#]]);
    project("exit 0\n").run("bisect a.py -- ./nothing-here").check(expect![[r#"
        --- errors
        error: cannot run `./nothing-here`: No such file or directory (os error 2)
        --- exit code 2
    "#]]);
    project("exit 0\n").run("bisect a.py -- sh nothing-here.sh").check(expect![[r#"
        --- errors
        first 0 of 4: bad
        error: the command is not content with a.py as it is, so no fix is to blame
        --- exit code 2
    "#]]);
}

#[test]
fn copy_is_gone_afterwards() {
    let project = project("dirname $1 >> folders\n");
    project.run("bisect a.py -- sh judge.sh");
    for folder in project.read("folders").lines() {
        assert!(!fs::exists(folder).unwrap(), "{folder}");
    }
}

#[test]
fn fixes_follow_the_options() {
    let project = project("! grep -q cse_v $1\n");
    let outcome = project.run("bisect --preset tvm-2022 --min-occurrences 3 a.py -- sh judge.sh");
    assert_eq!(outcome.err(), "nothing to fix in a.py\n");
}

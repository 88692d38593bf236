//! `format`.

use expect_test::expect;

use super::{CLEAN, Project};

const LOOSE: &str = "func.func @f(%a:i32){ // in\n\n\n  return}\n";
const LAID_OUT: &str = "func.func @f(%a: i32) { // in\n  return\n}\n";

#[test]
fn files_are_laid_out_in_place() {
    let project = Project::new(&[("a.mlir", LOOSE), ("b.ttir", LAID_OUT), ("c.py", CLEAN)]);
    project.run("format").check(expect![[r#"
        --- errors
        1 of 2 files changed
        --- exit code 0
    "#]]);
    assert_eq!(project.read("a.mlir"), LAID_OUT);
    assert_eq!(project.read("c.py"), CLEAN);
    project.run("format --check").check(expect![[r#"
        --- errors
        2 files laid out already
        --- exit code 0
    "#]]);
}

#[test]
fn diff_and_check_write_nothing() {
    let project = Project::new(&[("a.mlir", LOOSE)]);
    project.run("format --diff").check(expect![[r#"
        --- a.mlir
        +++ a.mlir
        @@ -1,4 +1,3 @@
        -func.func @f(%a:i32){ // in
        -
        -
        -  return}
        +func.func @f(%a: i32) { // in
        +  return
        +}
        --- errors
        1 of 1 file would change
        --- exit code 0
    "#]]);
    project.run("format --check").check(expect![[r#"
        a.mlir
        --- errors
        1 of 1 file would change
        --- exit code 1
    "#]]);
    assert_eq!(project.read("a.mlir"), LOOSE);
}

#[test]
fn standard_input_goes_to_standard_output() {
    let project = Project::new(&[]);
    project.run_with("format --stdin", LOOSE.as_bytes()).check(expect![[r#"
        func.func @f(%a: i32) { // in
          return
        }
        --- errors
        1 of 1 file changed
        --- exit code 0
    "#]]);
}

#[test]
fn other_languages_are_refused_by_name() {
    let project = Project::new(&[("a.py", CLEAN)]);
    project.run("format a.py").check(expect![[r#"
        --- errors
        error: a.py is no MLIR: only that is formatted
        1 failure, see above
        --- exit code 2
    "#]]);
}

#[test]
fn standard_input_is_known_by_its_text() {
    let project = Project::new(&[]);
    let generic = "\"test.op\"()   : () -> ()\n";
    let done = project.run_with("format --stdin", generic.as_bytes());
    assert_eq!((done.out(), done.code), ("\"test.op\"() : () -> ()\n".to_owned(), 0));
    for text in
        [generic, "{\n  () = \"cf.yield\" () {} : () ->\n}\n", "%0 = \"a.b\"() : () -> i32\n"]
    {
        let done = project.run_with("opt --stdin --passes cse", text.as_bytes());
        assert_eq!((done.out(), done.err(), done.code), (text.to_owned(), String::new(), 0));
    }
}

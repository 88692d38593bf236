//! The merges that `noalias` would allow.

use expect_test::{Expect, expect};
use transform::findings::FindingKind;

#[track_caller]
fn check(attrs: &str, statements: &str, expected: Expect) {
    let mut file = String::from(
        "from tvm.script import tirx as T\n\n@T.prim_func\ndef f(A: T.Buffer((64,), \"int32\"), \
         B: T.Buffer((64,), \"int32\"), x: T.int32):\n",
    );
    for line in attrs.lines().chain(statements.lines()) {
        file.push_str(&format!("    {line}\n"));
    }
    super::check_file(&super::only(FindingKind::MissingNoalias), &file, expected);
}

#[test]
fn load_that_another_parameter_may_change_is_told_with_what_it_would_save() {
    check(
        "",
        "B[0] = A[x] * 2\nB[1] = A[x] * 2\nB[2] = A[x]",
        expect![[r##"
        # missing-noalias at function: parameters of _ may overlap: with `tirx.noalias` 2 more values could be shared, which saves 3 evaluations; could be shared: 1 `A[x] * 2`; could be shared: 1 `A[x]`
        T.func_attr({"tirx.noalias": True})
        B[0] = A[x] * 2
        B[1] = A[x] * 2
        B[2] = A[x]
    "##]],
    );
}

#[test]
fn nothing_is_said_where_it_would_change_nothing() {
    check("", "B[0] = A[x]\nB[1] = A[x + 1]", expect![[r#""#]]);
    check("", "A[x] = A[x] + A[x + 1]", expect![[r#""#]]);
    let attribute = "T.func_attr({\"tirx.noalias\": True})";
    check(attribute, "B[0] = A[x] * 2\nB[1] = A[x] * 2", expect![[r#""#]]);
}

#[test]
fn attribute_joins_those_that_are_there() {
    check(
        "T.func_attr({\"global_symbol\": \"f\"})",
        "B[0] = A[x] * 2\nB[1] = A[x] * 2",
        expect![[r##"
            # missing-noalias at function: parameters of _ may overlap: with `tirx.noalias` 1 more value could be shared, which saves 1 evaluation; could be shared: 2 `A[x] * 2`
            T.func_attr({"global_symbol": "f", "tirx.noalias": True})
            B[0] = A[x] * 2
            B[1] = A[x] * 2
        "##]],
    );
}

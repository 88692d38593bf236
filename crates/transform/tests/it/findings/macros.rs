//! Statements of a macro call: no finding about them is reported at the call, and no fix changes the call for them.

use expect_test::{Expect, expect};
use transform::findings::FindingKinds;
use transform::findings::FindingOptions;

#[track_caller]
fn check(body: &str, calls: &str, expected: Expect) {
    let mut text = "from tvm.script import tirx as T\n\n@T.inline\ndef body(A, O, i):\n".to_owned();
    let lines = |text: &mut String, lines: &str| {
        for line in test_utils::trim_indent(lines).lines() {
            text.push_str(&format!("    {line}\n"));
        }
    };
    lines(&mut text, body);
    text.push_str(
        "\n@T.prim_func\ndef f(A: T.Buffer((16,), \"float32\"), O: T.Buffer((16,), \"float32\"), n: T.int32):\n",
    );
    lines(&mut text, calls);
    let options = FindingOptions { kinds: FindingKinds::ALL, loop_invariant_cost: 1 };
    super::check_file(&options, &text, expected);
}

#[test]
fn nothing_is_told_at_the_call() {
    check(
        "
        unused: T.let[T.int32] = i * 3
        if 1 < 0:
            O[i] = T.float32(7)
        if True:
            O[i] = T.float32(7)
        O[i] = A[i] * T.float32(2)
        O[i] = A[i] * T.float32(3)
        for j in range(4):
            O[j] = T.exp(A[i])
        ",
        "
        T.func_attr({\"tirx.noalias\": True})
        for i in range(16):
            body(A, O, i)
        ",
        expect![[r#""#]],
    );
}

#[test]
fn written_statements_are_reported() {
    check(
        "O[i] = A[i] * T.float32(2)",
        "
        T.func_attr({\"tirx.noalias\": True})
        unused: T.let[T.int32] = n * 3
        body(A, O, n)
        ",
        expect![[r##"
            # dead-binding at 2 `unused`: _ is never used
            O[i] = A[i] * T.float32(2)

            @T.prim_func
            def f(A: T.Buffer((16,), "float32"), O: T.Buffer((16,), "float32"), n: T.int32):
            T.func_attr({"tirx.noalias": True})
            body(A, O, n)
        "##]],
    );
}

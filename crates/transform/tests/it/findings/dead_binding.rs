//! Names whose value nothing uses.

use expect_test::{Expect, expect};
use transform::findings::FindingKind;

#[track_caller]
fn check(statements: &str, expected: Expect) {
    super::check(FindingKind::DeadBinding, statements, expected);
}

#[test]
fn unused_binding_goes_with_its_line_and_its_comment_stays() {
    check(
        "
        # first
        a: T.let[T.int32] = x * y  # a product
        b: T.let[T.int32] = x + y

        A[0] = b
        ",
        expect![[r#"
            # dead-binding at 2 `a`: _ is never used
            # first
            # a product
            b: T.let[T.int32] = x + y

            A[0] = b
        "#]],
    );
}

#[test]
fn names_that_only_dead_names_use_are_dead() {
    check(
        "
        a: T.let[T.int32] = x * y
        b: T.let[T.int32] = a + 1
        c: T.let[T.int32] = a + b
        A[0] = x
        ",
        expect![[r#"
            # dead-binding at 1 `a`: _ is used only by values that are never used; used here, for something that is never used: 2 `b: T.let[T.int32] = a + 1`; used here, for something that is never used: 3 `c: T.let[T.int32] = a + b`
            # dead-binding at 2 `b`: _ is used only by values that are never used; used here, for something that is never used: 3 `c: T.let[T.int32] = a + b`
            # dead-binding at 3 `c`: _ is never used
            A[0] = x
        "#]],
    );
}

#[test]
fn scalar_that_is_only_written_is_dead_also_by_way_of_itself() {
    check(
        "
        i: T.int32 = 0
        while x < A[0]:
            i += 1
            A[0] = y
        ",
        expect![[r#"
            # dead-binding at 1 `i`: _ is never used
            while x < A[0]:
                A[0] = y
        "#]],
    );
}

#[test]
fn scalars_that_only_use_each_other_are_dead() {
    check(
        "
        i: T.int32 = 0
        j: T.int32 = 0
        for k in range(x):
            i = j + 1
            j = i
        A[0] = 1
        ",
        expect![[r#"
            # dead-binding at 1 `i`: _ is used only by values that are never used; used here, for something that is never used: 2 `j: T.int32 = 0`
            # dead-binding at 2 `j`: _ is used only by values that are never used; used here, for something that is never used: 1 `i: T.int32 = 0`
            for k in range(x):
                T.evaluate(0)
            A[0] = 1
        "#]],
    );
}

#[test]
fn value_with_an_effect_stays() {
    check(
        "
        a: T.let[T.int32] = T.call_extern(\"int32\", \"f\", x)
        b: T.let[T.int32] = T.call_packed(\"g\", x)
        c: T.let[T.float32] = T.exp(T.Cast(\"float32\", x))
        A[0] = 1
        ",
        expect![[r##"
            # dead-binding at 3 `c`: _ is never used
            a: T.let[T.int32] = T.call_extern("int32", "f", x)
            b: T.let[T.int32] = T.call_packed("g", x)
            A[0] = 1
        "##]],
    );
}

#[test]
fn uses_in_shapes_and_views_are_uses() {
    check(
        "
        n: T.let[T.int32] = x * y
        B = T.alloc_buffer((n,), \"int32\")
        B[0] = 1
        A[0] = B[0]
        ",
        expect![[r#""#]],
    );
}

#[test]
fn emptied_suites_get_a_statement() {
    check(
        "
        if x < y:
            a: T.let[T.int32] = x * y  # why
            b: T.let[T.int32] = x + y
        else:
            A[0] = 1
        for i in range(3):
            c: T.let[T.int32] = x + i
        ",
        expect![[r#"
            # dead-binding at 2 `a`: _ is never used
            # dead-binding at 3 `b`: _ is never used
            # dead-binding at 7 `c`: _ is never used
            if x < y:
                T.evaluate(0)  # why
            else:
                A[0] = 1
            for i in range(3):
                T.evaluate(0)
        "#]],
    );
}

#[test]
fn underscore_is_meant_to_be_unused() {
    check("_a: T.let[T.int32] = x * y\nA[0] = x", expect![[r#""#]]);
}

#[test]
fn name_in_an_arm_that_is_not_taken_stays() {
    check(
        "
        a: T.let[T.int32] = x * y
        if False:
            A[1] = a
        A[0] = x
        ",
        expect![""],
    );
}

#[test]
fn a_legacy_let_statement_loses_its_header_and_keeps_its_comments() {
    super::check_file(
        &super::only(FindingKind::DeadBinding),
        "from tvm.script import tir as T

@T.prim_func
def f(A: T.Buffer((64,), \"int32\"), x: T.int32):
    # above
    with T.LetStmt(x * 2) as v:  # why
        # inside
        A[0] = x
        with T.LetStmt(x * 3) as w:
            A[1] = x  # last
            # end
    A[2] = x
    with T.LetStmt(x * 4) as u:
        A[3] = u
",
        expect![[r#"
            # dead-binding at 2 `v`: _ is never used
            # dead-binding at 5 `w`: _ is never used
            # above
            # why
            # inside
            A[0] = x
            with T.LetStmt(x * 3) as w:
                A[1] = x  # last
                # end
            A[2] = x
            with T.LetStmt(x * 4) as u:
                A[3] = u
        "#]],
    );
    // What uses it is dead as well, and goes first.
    super::check_file(
        &super::only(FindingKind::DeadBinding),
        "from tvm.script import tir as T

@T.prim_func
def f(A: T.Buffer((64,), \"int32\"), x: T.int32):
    with T.LetStmt(x * 2) as v:
        w: T.int32 = v + 1
        A[1] = x
",
        expect![[r#"
            # dead-binding at 1 `v`: _ is used only by values that are never used; used here, for something that is never used: 2 `w: T.int32 = v + 1`; no fix
            # dead-binding at 2 `w`: _ is never used
            with T.LetStmt(x * 2) as v:
                A[1] = x
        "#]],
    );
}

#[test]
fn what_a_text_without_meaning_uses_by_way_of_another_name_is_used() {
    let file = "from tvm.script import tirx as T\n\ndef make(kind, n):\n    @T.prim_func\n    def f(A: T.Buffer((4,), \"uint8\"), C: T.Buffer((4,), \"int32\")):\n        a: T.let = A[0]\n        b: T.let = a + T.uint8(1)\n        c: T.let = a + T.uint8(2)\n        with kind.region(b):\n            C[0] = 1\n";
    super::check_file(
        &super::only(FindingKind::DeadBinding),
        file,
        expect![[r##"
        # dead-binding at 3 `c`: _ is never used
        @T.prim_func
        def f(A: T.Buffer((4,), "uint8"), C: T.Buffer((4,), "int32")):
            a: T.let = A[0]
            b: T.let = a + T.uint8(1)
            with kind.region(b):
                C[0] = 1
    "##]],
    );
}

#[test]
fn memory_that_nothing_touches_goes_with_what_shows_it() {
    check(
        "
        B = T.alloc_buffer((16,), \"int32\", scope=\"local\")
        C = T.decl_buffer((4, 4), \"int32\", scope=\"local\")
        D = T.decl_buffer((16,), \"int32\", data=C.data, scope=\"local\")
        A[0] = x
        ",
        expect![[r##"
            # dead-binding at 1 `B`: _ is never used
            # dead-binding at 2 `C`: _ is used only by values that are never used; used here, for something that is never used: 3 `D = T.decl_buffer((16,), "int32", data=C.data, scope="local")`
            # dead-binding at 3 `D`: _ is never used
            A[0] = x
        "##]],
    );
}

#[test]
fn memory_that_is_stored_to_shown_or_mentioned_stays() {
    check(
        "
        B = T.alloc_buffer((16,), \"int32\", scope=\"local\")
        C = T.decl_buffer((4, 4), \"int32\", data=B.data, scope=\"local\")
        D = T.alloc_buffer((16,), \"int32\", scope=\"local\")
        E = T.alloc_buffer((16,), \"int32\", scope=\"local\")
        C[0, 0] = x
        D[0] = x
        T.evaluate(T.call_extern(\"int32\", \"f\", E.data))
        A[0] = x
        ",
        expect![[""]],
    );
    // Text that is kept uses the names in it, and what they are other names for.
    check(
        "
        B = T.alloc_buffer((16,), \"int32\", scope=\"local\")
        C = T.alloc_buffer((16,), \"int32\", scope=\"local\")
        other = B
        with some.thing(other):
            A[0] = x
        ",
        expect![[r##"
            # dead-binding at 2 `C`: _ is never used
            B = T.alloc_buffer((16,), "int32", scope="local")
            other = B
            with some.thing(other):
                A[0] = x
        "##]],
    );
    check(
        "
        B = T.alloc_buffer((16,), \"int32\", scope=\"local\")
        with some.thing(B):
            A[0] = x
        ",
        expect![[""]],
    );
}

#[test]
fn names_that_text_uses_without_a_trace_are_used() {
    check(
        "
        a: T.let[T.int32] = x * y
        b: T.let[T.int32] = x + y
        c: T.let[T.int32] = x - y
        d: T.let[T.int32] = x + 1
        L = T.alloc_buffer((8,), \"int32\")
        assert A[0] == 1, f\"{a} is not {b:>4}, {{d}}\"
        A[0] = T.Cast(c.dtype, x) + L.shape[0]
        ",
        expect![[r##"
            # dead-binding at 4 `d`: _ is never used
            a: T.let[T.int32] = x * y
            b: T.let[T.int32] = x + y
            c: T.let[T.int32] = x - y
            L = T.alloc_buffer((8,), "int32")
            assert A[0] == 1, f"{a} is not {b:>4}, {{d}}"
            A[0] = T.Cast(c.dtype, x) + L.shape[0]
        "##]],
    );
}

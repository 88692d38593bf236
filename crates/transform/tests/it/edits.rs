//! Edits of the text.

use expect_test::{Expect, expect};
use frontend::tvmscript::Selection;
use ir::plan::Preset;
use transform::cse::CseOptions;

use crate::support::{applied, describe, edited, kernel, lowered, plan_of_text};

/// The text after the edits of all groups; checks that each group alone and all together agree with the rewriter.
#[track_caller]
fn check(file: &str, expected: Expect) {
    check_with(file, &CseOptions::default(), expected);
}

#[track_caller]
fn check_with(file: &str, options: &CseOptions, expected: Expect) {
    let (item, text, it) = &lowered(file)[0];
    let plan = plan_of_text(it, options);
    let alone = applied(&plan).into_iter().map(Selection::Group);
    for selection in std::iter::once(Selection::All).chain(alone) {
        let (new, body) = edited(file, item, text, it, &plan, selection);
        let again = lowered(&new);
        assert_eq!(
            ir::print::tvmscript(&again[0].2.body, 0),
            ir::print::tvmscript(&body, 0),
            "{selection:?}:\n{new}"
        );
        assert_eq!(again[0].2.diagnostics, [], "{selection:?}:\n{new}");
        if selection == Selection::All {
            expected.assert_eq(&new);
        }
    }
}

/// As [`check`], for statements; shows them without the signature.
#[track_caller]
fn check_kernel(statements: &str, expected: Expect) {
    let file = kernel(statements);
    let (item, text, it) = &lowered(&file)[0];
    let plan = plan_of_text(it, &CseOptions::default());
    let (new, _) = edited(&file, item, text, it, &plan, Selection::All);
    let mut shown = crate::support::statements(&new);
    for line in describe(&it.body, &plan).lines().filter(|it| !it.contains(", bind ")) {
        shown.push_str("# ");
        shown.push_str(line);
        shown.push('\n');
    }
    expected.assert_eq(&shown);
    check_agreement(&file);
}

#[track_caller]
fn check_agreement(file: &str) {
    let (item, text, it) = &lowered(file)[0];
    let plan = plan_of_text(it, &CseOptions::default());
    let alone = applied(&plan).into_iter().map(Selection::Group);
    for selection in std::iter::once(Selection::All).chain(alone) {
        let (new, body) = edited(file, item, text, it, &plan, selection);
        let again = lowered(&new);
        assert_eq!(
            ir::print::tvmscript(&again[0].2.body, 0),
            ir::print::tvmscript(&body, 0),
            "{selection:?}:\n{new}"
        );
    }
}

#[test]
fn comments_layout_and_spelling_are_kept() {
    check_kernel(
        "
        # first
        A[0] = (x*y)   + 1  # why
        A[ 1 ] = x*y - (  x  *  y )   # and here
        ",
        expect![[r#"
            # first
            cse_v1: T.let[T.int32] = x*y
            A[0] = cse_v1   + 1  # why
            A[ 1 ] = cse_v1 - (  cse_v1 )   # and here
        "#]],
    );
}

#[test]
fn a_value_uses_names_and_drops_needless_parentheses() {
    check_kernel(
        "
        A[0] = ((x + y) * 2) - 1
        A[1] = ((x + y) * 2)
        A[2] = (x + y)
        if not(x + y) == 3:
            A[3] = 0
        ",
        expect![[r#"
            cse_v1: T.let[T.int32] = x + y
            cse_v2: T.let[T.int32] = cse_v1 * 2
            A[0] = cse_v2 - 1
            A[1] = cse_v2
            A[2] = cse_v1
            if not cse_v1 == 3:
                A[3] = 0
        "#]],
    );
}

#[test]
fn a_value_over_several_lines_gets_parentheses() {
    check_kernel(
        "
        A[0] = T.max(x * 3
                     + y,  # a comment inside
                     7)
        A[1] = (x * 3
                + y)
        ",
        expect![[r#"
            cse_v1: T.let[T.int32] = (x * 3
                         + y)
            A[0] = T.max(cse_v1,  # a comment inside
                         7)
            A[1] = cse_v1
            # x * 3: 2 times, cost 1, covered by [cse_v1]
        "#]],
    );
}

#[test]
fn both_ends_of_a_slice_change() {
    check_kernel(
        "
        A[x * y:x * y + 4] = A[(x * y):4 + x * y]
        A[x * y + 8:x * y + 16:2] = A[x << 2:(x << 2) + 4]
        A[x << 2] = 0
        ",
        expect![[r#"
            cse_v1: T.let[T.int32] = x * y
            A[cse_v1:cse_v1 + 4] = A[cse_v1:cse_v1 + 4]
            cse_v2: T.let[T.int32] = x << 2
            A[cse_v1 + 8:cse_v1 + 8 + 8:2] = A[cse_v2:(cse_v2) + 4]
            A[cse_v2] = 0
        "#]],
    );
}

#[test]
fn nothing_is_bound_between_the_axes_of_a_grid() {
    check_kernel(
        "
        for i, j in T.grid(x * y, x * y):
            A[i * 4] = j
            A[i * 4 + j] = j * 3 + j * 3
        ",
        expect![[r#"
            cse_v1: T.let[T.int32] = x * y
            for i, j in T.grid(cse_v1, cse_v1):
                cse_v2: T.let[T.int32] = i * 4
                A[cse_v2] = j
                cse_v3: T.let[T.int32] = j * 3
                A[cse_v2 + j] = cse_v3 + cse_v3
        "#]],
    );
}

#[test]
fn an_elif_has_no_place_before_it() {
    check_kernel(
        "
        if x < 3:
            A[0] = y
        elif x // y < 4:
            A[0] = x // y
        elif x * y < 4:
            A[0] = x * y
        ",
        expect![[r#"
            cse_v1: T.let[T.int32] = x * y
            if x < 3:
                A[0] = y
            elif x // y < 4:
                A[0] = x // y
            elif cse_v1 < 4:
                A[0] = cse_v1
            # x // y: 2 times, cost 20, no-binding-site
        "#]],
    );
}

#[test]
fn chained_comparisons_and_augmented_assignments_change_as_one_text() {
    check_kernel(
        "
        A[x * y] += 1
        if 0 < x * y + 2 < 10:
            A[0] = x * y + 2
        ",
        expect![[r#"
            cse_v1: T.let[T.int32] = x * y
            A[cse_v1] += 1
            cse_v2: T.let[T.int32] = cse_v1 + 2
            if 0 < cse_v2 < 10:
                A[0] = cse_v2
        "#]],
    );
}

#[test]
fn statements_on_one_line_share_a_place() {
    check_kernel(
        "
        A[0] = x; A[1] = x * y; A[2] = x * y
        if x < 3: A[3] = y * 5 + y * 5
        ",
        expect![[r#"
            cse_v1: T.let[T.int32] = x * y
            A[0] = x; A[1] = cse_v1; A[2] = cse_v1
            cse_v2: T.let[T.int32] = y * 5
            if x < 3: A[3] = cse_v2 + cse_v2
        "#]],
    );
}

#[test]
fn compile_time_names_have_no_text_of_their_own() {
    check_kernel(
        "
        v = T.meta_var(x * y)
        A[0] = v
        A[1] = v
        A[2] = x * y + 1
        w: T.let[T.int64] = T.int64(5)
        A[3] = T.Cast(\"int32\", x * 2 + w + (x * 2 + w * w))
        ",
        expect![[r#"
            v = T.meta_var(x * y)
            cse_v1: T.let[T.int32] = v
            A[0] = cse_v1
            A[1] = cse_v1
            A[2] = cse_v1 + 1
            w: T.let[T.int64] = T.int64(5)
            cse_v2: T.let[T.int32] = x * 2
            A[3] = T.Cast("int32", cse_v2 + w + (cse_v2 + w * w))
            # T.Cast("int64", x * 2): 2 times, cost 2, virtual-only
        "#]],
    );
}

#[test]
fn a_value_names_nothing_that_its_place_cannot_see() {
    check_kernel(
        "
        for i in range(4):
            A[T.if_then_else(True, x, i) % 4] = 0
        A[5] = x % 4
        ",
        expect![[r#"
            cse_v1: T.let[T.int32] = x % 4
            for i in range(4):
                A[cse_v1] = 0
            A[5] = cse_v1
        "#]],
    );
}

#[test]
fn the_users_binding_is_reused() {
    check_kernel(
        "
        n: T.let[T.int32] = x * y
        A[0] = x * y + n
        A[1] = (x * y + 3) * n
        A[2] = (x * y + 3) * 2
        ",
        expect![[r#"
            n: T.let[T.int32] = x * y
            A[0] = n + n
            cse_v1: T.let[T.int32] = n + 3
            A[1] = cse_v1 * n
            A[2] = cse_v1 * 2
            # x * y: 4 times, cost 1, reuse n
        "#]],
    );
}

#[test]
fn names_of_the_file_are_avoided() {
    check(
        "from tvm.script import tirx as T
cse_v1 = 5

@T.prim_func
def f(A: T.Buffer((64,), \"int32\"), x: T.int32):
    A[cse_v1] = x * 3
    A[1] = x * 3
",
        expect![[r#"
            from tvm.script import tirx as T
            cse_v1 = 5

            @T.prim_func
            def f(A: T.Buffer((64,), "int32"), x: T.int32):
                cse_v2: T.let[T.int32] = x * 3
                A[cse_v1] = cse_v2
                A[1] = cse_v2
        "#]],
    );
}

#[test]
fn the_legacy_dialect_and_the_files_own_alias() {
    check(
        "from tvm.script import tir as TT

@TT.prim_func
def f(A: TT.Buffer((64,), \"int32\"), x: TT.int32):
    for i in range(4):
        with TT.attr(0, \"k\", 1):
            A[i] = x * 3
            A[i + x * 3] = 1
",
        expect![[r#"
            from tvm.script import tir as TT

            @TT.prim_func
            def f(A: TT.Buffer((64,), "int32"), x: TT.int32):
                for i in range(4):
                    with TT.attr(0, "k", 1):
                        cse_v1: TT.int32 = x * 3
                        A[i] = cse_v1
                        A[i + cse_v1] = 1
        "#]],
    );
}

#[test]
fn tabs_and_carriage_returns_are_kept() {
    let text = "from tvm.script import tirx as T\r\n@T.prim_func\r\ndef f(A: T.Buffer((64,), \"int32\"), x: \
                T.int32):\r\n\tfor i in range(4):\r\n\t\tA[i] = x * 3\r\n\t\tA[i + x * 3] = 1\r\n";
    let (item, function, it) = &lowered(text)[0];
    let plan = plan_of_text(it, &CseOptions::default());
    let (new, _) = edited(text, item, function, it, &plan, Selection::All);
    assert!(
        new.contains("\r\n\t\tcse_v1: T.let[T.int32] = x * 3\r\n\t\tA[i] = cse_v1\r\n"),
        "{new:?}"
    );
    check_agreement(text);
}

#[test]
fn value_that_no_text_can_stand_for_has_the_names_of_its_parts() {
    // Every text of the larger value mentions `i`, which the place of the binding cannot see.
    let options = CseOptions { preset: Preset::Tvm2022, ..CseOptions::default() };
    let statements = "
        with T.launch_thread('blockIdx.x', 4) as i:
            M[0] = x * y
            M[1] = T.min(x * y, T.if_then_else(T.bool(True), z, i))
            M[2] = T.min(x * y, T.if_then_else(T.bool(True), z, i))
        ";
    check_with(
        &crate::tvm_2022::function("x y z", statements),
        &options,
        expect![[r#"
        from tvm.script import tirx as T

        @T.prim_func
        def f(
            x: T.int32,
            y: T.int32,
            z: T.int32,
            M: T.Buffer((4096,), "int32"),
            B: T.Buffer((4096,), "int32"),
        ):
            cse_v2: T.let[T.int32] = x * y
            cse_v1: T.let[T.int32] = T.min(cse_v2, z)
            with T.launch_thread('blockIdx.x', 4) as i:
                M[0] = cse_v2
                M[1] = cse_v1
                M[2] = cse_v1
    "#]],
    );
    // Nothing is folded because a name is put in.
    let statements = "
        with T.launch_thread('blockIdx.x', 4) as i:
            M[0] = x * y
            M[1] = T.min(x * y, x * y) + T.if_then_else(T.bool(True), z, i)
            M[2] = T.min(x * y, x * y) + T.if_then_else(T.bool(True), z, i)
        ";
    let file = crate::tvm_2022::function("x y z", statements);
    let (item, text, it) = &lowered(&file)[0];
    let plan = plan_of_text(it, &options);
    let (new, _) = edited(&file, item, text, it, &plan, Selection::All);
    expect![[r#"
        cse_v2: T.let[T.int32] = x * y
        cse_v1: T.let[T.int32] = T.Min(cse_v2, cse_v2) + z
        with T.launch_thread('blockIdx.x', 4) as i:
            M[0] = cse_v2
            M[1] = cse_v1
            M[2] = cse_v1
    "#]]
    .assert_eq(&crate::support::statements(&new));
}

#[test]
fn lets_whose_value_is_their_body_are_kept() {
    // The variable of a let is seen only in it: it was put in for values elsewhere.
    let options = CseOptions { preset: Preset::Tvm2022, ..CseOptions::default() };
    let statements = "
        v = T.int32()
        w = T.int32()
        for i in T.serial(x * x, x * x):
            M[0] = T.Let(x * x, where={v: x * x})
        M[1] = T.Let(T.Let(-w, where={v: -w}), where={w: 0})
        for i in T.unroll(T.Let(x & y, where={v: x & y})):
            M[2] = i
        ";
    check_with(
        &crate::tvm_2022::function("x y", statements),
        &options,
        expect![[r#"
        from tvm.script import tirx as T

        @T.prim_func
        def f(
            x: T.int32,
            y: T.int32,
            M: T.Buffer((4096,), "int32"),
            B: T.Buffer((4096,), "int32"),
        ):
            v = T.int32()
            w = T.int32()
            for i in T.serial(x * x, x * x):
                M[0] = T.Let(x * x, where={v: x * x})
            M[1] = T.Let(T.Let(-w, where={v: -w}), where={w: 0})
            for i in T.unroll(T.Let(x & y, where={v: x & y})):
                M[2] = i
    "#]],
    );
}

#[test]
fn a_value_that_got_another_name_is_that_name() {
    // Once `v` stands for `x + x` there is one more `v % 16`, which a second sweep binds around the first.
    let options = CseOptions { preset: Preset::Tvm2022, ..CseOptions::default() };
    let statements = "
        v: T.let[T.int32] = x + x
        if x > 0:
            M[5] = B[v % 16]
            M[0] = B[(x + x) % 16] + B[v % 16]
        ";
    check_with(
        &crate::tvm_2022::function("x", statements),
        &options,
        expect![[r#"
        from tvm.script import tirx as T

        @T.prim_func
        def f(
            x: T.int32,
            M: T.Buffer((4096,), "int32"),
            B: T.Buffer((4096,), "int32"),
        ):
            v: T.let[T.int32] = x + x
            if x > 0:
                cse_v2: T.let[T.int32] = v % 16
                cse_v1: T.let[T.int32] = cse_v2
                M[5] = B[cse_v1]
                M[0] = B[cse_v2] + B[cse_v1]
    "#]],
    );
}

#[test]
fn a_value_twice_inside_one_other_value_has_two_texts() {
    let options = CseOptions { preset: Preset::Tvm2022, ..CseOptions::default() };
    let statements = "
        M[0] = (x * y) * (x * y)
        M[1] = (x * y) * (x * y)
        M[2] = ((x + y) * 2) * ((x + y) * 2)
        M[3] = ((x + y) * 2) * ((x + y) * 2)
        ";
    check_with(
        &crate::tvm_2022::function("x y", statements),
        &options,
        expect![[r#"
        from tvm.script import tirx as T

        @T.prim_func
        def f(
            x: T.int32,
            y: T.int32,
            M: T.Buffer((4096,), "int32"),
            B: T.Buffer((4096,), "int32"),
        ):
            cse_v4: T.let[T.int32] = x * y
            cse_v3: T.let[T.int32] = (x + y) * 2
            cse_v2: T.let[T.int32] = cse_v4 * cse_v4
            cse_v1: T.let[T.int32] = cse_v3 * cse_v3
            M[0] = cse_v2
            M[1] = cse_v2
            M[2] = cse_v1
            M[3] = cse_v1
    "#]],
    );
}

#[test]
fn bindings_of_the_user_that_share_a_value_are_edited() {
    check_kernel(
        "
        for i in range(8):
            if i < x:
                a: T.let[T.int32] = x * y  # first
                A[i] = a
            b: T.let[T.int32] = x * y  # second
            A[x * y] = b
        ",
        expect![[r#"
            for i in range(8):
                cse_v1: T.let[T.int32] = x * y
                if i < x:
                    a: T.let[T.int32] = cse_v1  # first
                    A[i] = a
                b: T.let[T.int32] = cse_v1  # second
                A[b] = b
            # x * y: 1 times, cost 1, reuse b
        "#]],
    );
}

#[test]
fn a_value_in_the_body_of_a_let_is_edited_there() {
    check_kernel(
        "
        v = T.int32()
        A[0] = T.Let(v * v + x * y, where={v: x * y + 1})
        A[1] = T.Let((x * y) - v, where={v: 2})
        ",
        expect![[r#"
            v = T.int32()
            cse_v1: T.let[T.int32] = x * y
            A[0] = T.Let(v * v + cse_v1, where={v: cse_v1 + 1})
            A[1] = T.Let(cse_v1 - v, where={v: 2})
        "#]],
    );
}

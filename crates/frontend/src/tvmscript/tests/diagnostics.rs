//! Diagnostics stand on the exact range.

use expect_test::{Expect, expect};
use test_utils::{Annotation, render_annotations};

use super::lowered;
use crate::tvmscript::Severity;

#[track_caller]
fn check(body: &str, expect: Expect) {
    let text = format!(
        "@T.prim_func(s_tir=True)\ndef f(A: T.Buffer((16, 16), \"float32\"), n: T.int32, m: T.int64):\n{body}"
    );
    let (item, lowered) = lowered(&text);
    let base = usize::from(item.range.start());
    let mut found: Vec<Annotation> = lowered
        .diagnostics
        .iter()
        .map(|it| Annotation {
            start: base + usize::from(it.range.start()),
            end: base + usize::from(it.range.end()),
            label: format!("{}: {}", it.code, it.message),
        })
        .collect();
    found.sort();
    let rendered = render_annotations(&text, &found);
    let body = rendered.split_once("m: T.int64):\n").map_or(&*rendered, |(_, body)| body);
    expect.assert_eq(body);
}

#[test]
fn undefined_names() {
    check(
        "    A[0, k] = 1.0\n    for i in range(4):\n        A[i, 0] = 0.0\n    A[i, 0] = 1.0\n",
        expect![[r#"
                A[0, k] = 1.0
            #        ^ undefined-name: `k` is not defined here
                for i in range(4):
                    A[i, 0] = 0.0
                A[i, 0] = 1.0
            #     ^ undefined-name: `i` is not defined here
        "#]],
    );
}

#[test]
fn wrong_ranks() {
    check(
        "    A[0] = 1.0\n    A[0, n, 1] = A[n] + 1.0\n",
        expect![[r#"
            A[0] = 1.0
        #   ^^^^ wrong-buffer-rank: `A` has 2 dimensions, this access has 1 index
            A[0, n, 1] = A[n] + 1.0
        #                ^^^^ wrong-buffer-rank: `A` has 2 dimensions, this access has 1 index
    "#]],
    );
}

#[test]
fn condition_of_a_block_is_a_bool() {
    check(
        "    with T.sblock(\"b\"):\n        T.where(n)\n        A[0, 0] = 1.0\n    with T.sblock(\"c\"):\n        T.where(1)\n        A[0, 0] = 1.0\n",
        expect![[r#"
                with T.sblock("b"):
                    T.where(n)
            #       ^^^^^^^^^^ malformed-form: T.where takes a bool
                    A[0, 0] = 1.0
                with T.sblock("c"):
                    T.where(1)
                    A[0, 0] = 1.0
        "#]],
    );
}

#[test]
fn condition_of_a_block_is_no_pointer() {
    check(
        "    with T.sblock(\"b\"):\n        T.where(A.data)\n        A[0, 0] = 1.0\n",
        expect![[r#"
                with T.sblock("b"):
                    T.where(A.data)
            #       ^^^^^^^^^^^^^^^ malformed-form: T.where takes a bool
                    A[0, 0] = 1.0
        "#]],
    );
}

#[test]
fn index_of_threads_that_nothing_launches() {
    check(
        "    v = T.env_thread(\"threadIdx.x\")\n    A[v, 0] = 1.0\n    with T.launch_thread(v, 4):\n        A[v, 0] = 1.0\n",
        expect![[r#"
                v = T.env_thread("threadIdx.x")
                A[v, 0] = 1.0
            #     ^ undefined-name: no launch around runs the threads whose index `v` is
                with T.launch_thread(v, 4):
                    A[v, 0] = 1.0
        "#]],
    );
}

#[test]
fn what_is_not_checked_to_be_well_formed_may_use_threads_that_nothing_launches() {
    let text = "@T.prim_func(check_well_formed=False)\ndef f(A: T.Buffer((16,), \"float32\")):\n    v = T.env_thread(\"threadIdx.x\")\n    A[v] = 1.0\n";
    let (_, lowered) = lowered(text);
    assert!(lowered.diagnostics.is_empty(), "{:?}", lowered.diagnostics);
}

#[test]
fn what_is_not_checked_may_define_a_name_twice() {
    let function = "def f():\n    i = T.int32()\n    T.bind(1, var=i)\n    T.bind(2, var=i)\n    T.evaluate(i)\n";
    for (decorator, severity) in [
        ("@T.prim_func", Severity::Error),
        ("@T.prim_func(check_well_formed=False)", Severity::Hint),
    ] {
        let (_, lowered) = lowered(&format!("{decorator}\n{function}"));
        let severities: Vec<Severity> = lowered.diagnostics.iter().map(|it| it.severity).collect();
        assert_eq!(severities, [severity], "{decorator}");
    }
}

#[test]
fn a_module_that_is_not_checked_says_so_for_its_functions() {
    let function = "    @T.prim_func\n    def f(A: T.Buffer((16,), \"float32\")):\n        v = T.env_thread(\"threadIdx.x\")\n        A[v] = 1.0\n";
    for (decorator, count) in [("@I.ir_module", 1), ("@I.ir_module(check_well_formed=False)", 0)] {
        let (_, lowered) = lowered(&format!("{decorator}\nclass Module:\n{function}"));
        assert_eq!(lowered.diagnostics.len(), count, "{decorator}");
    }
}

#[test]
fn names_that_python_has_everywhere_are_defined() {
    check(
        "    A[0, 0] = T.Cast(\"float32\", eval(__file__))\n    A[0, 1] = evil(0)\n",
        expect![[r#"
                A[0, 0] = T.Cast("float32", eval(__file__))
            #                               ^^^^^^^^^^^^^^ unsupported-construct: this has no meaning in TVMScript that is known here
                A[0, 1] = evil(0)
            #             ^^^^ undefined-name: `evil` is not defined here
        "#]],
    );
}

#[test]
fn types_that_do_not_fit() {
    check(
        "    x: T.let[T.int64] = n + 1\n    if n:\n        pass\n    A[0, 0] = T.Select(n == 0, n, m)\n    A[0, 1] = n / 2\n    y: T.let = n and m > 0\n    assert n\n",
        expect![[r#"
                x: T.let[T.int64] = n + 1
            #                       ^^^^^ dtype-mismatch: `x` is int64, its value is int32
                if n:
                    pass
                A[0, 0] = T.Select(n == 0, n, m)
            #                              ^^^^ dtype-mismatch: int32 and int64 do not fit together
                A[0, 1] = n / 2
            #             ^^^^^ dtype-mismatch: `/` is not defined on integers
                y: T.let = n and m > 0
            #              ^ dtype-mismatch: `and` needs a bool, this is int32
                assert n
            #          ^ dtype-mismatch: `assert` needs a bool, this is int32
        "#]],
    );
}

#[test]
fn redefinitions() {
    check(
        "    x: T.let = n + 1\n    x: T.let = n + 2\n    C = T.alloc_local((4,))\n    C = T.alloc_local((8,))\n    for i in range(4):\n        x: T.let = i\n",
        expect![[r#"
                x: T.let = n + 1
                x: T.let = n + 2
            #   ^ redefinition: `x` is already defined in this scope
                C = T.alloc_local((4,))
                C = T.alloc_local((8,))
            #   ^ redefinition: `C` is already defined in this scope
                for i in range(4):
                    x: T.let = i
        "#]],
    );
}

#[test]
fn malformed_forms() {
    check(
        "    vi = T.axis.spatial(4, n)\n    for i, j in T.grid(4):\n        pass\n    T.func_attr(3)\n    x = T.max(n)\n    for k in T.thread_binding(4):\n        pass\n    T.attr(0)\n",
        expect![[r#"
                vi = T.axis.spatial(4, n)
            #        ^^^^^^^^^^^^^^^^^^^^ malformed-form: this stands only in a block
                for i, j in T.grid(4):
            #       ^^^^ malformed-form: 2 loop variables for 1 loops
                    pass
                T.func_attr(3)
            #   ^^^^^^^^^^^^^^ malformed-form: a dictionary is needed
                x = T.max(n)
            #       ^^^^^^^^ malformed-form: the argument `b` is missing
                for k in T.thread_binding(4):
            #            ^^^^^^^^^^^^^^^^^^^ malformed-form: T.thread_binding takes `thread=`
                    pass
                T.attr(0)
            #   ^^^^^^^^^ malformed-form: T.attr takes a node, a key and a value
        "#]],
    );
}

#[test]
fn unknown_intrinsics_and_python() {
    check(
        "    T.my_own_thing(n)\n    x = [i for i in n]\n    import os\n    A[0, 0] = T.exp(\n",
        expect![[r#"
                T.my_own_thing(n)
            #   ^^^^^^^^^^^^^^^^^ unknown-intrinsic: `T.my_own_thing` is in no table: it may do anything
                x = [i for i in n]
            #       ^^^^^^^^^^^^^^ unsupported-construct: this has no meaning in TVMScript that is known here
                import os
            #   ^^^^^^^^^ unsupported-construct: this statement has no meaning in TVMScript
                A[0, 0] = T.exp(
        "#]],
    );
}

/// Returns the diagnostics of a text, without places.
fn said(text: &str) -> Vec<String> {
    lowered(text).1.diagnostics.into_iter().map(|it| it.message).collect()
}

#[test]
fn limits_that_are_hit_are_told_with_their_numbers() {
    let nested = |n: usize| {
        let data = format!("{}1{}", "[".repeat(n), "]".repeat(n));
        said(&format!(
            "@T.prim_func\ndef f(A: T.Buffer((4,), \"int32\")):\n    T.func_attr({{\"a\": {data}}})\n    A[0] = 1\n"
        ))
    };
    assert_eq!(nested(100), [""; 0]);
    assert_eq!(nested(200), ["data that nests deeper than 128 levels is kept by its text"]);
    let calls = |n: usize| {
        let mut text = "from tvm.script import tirx as T\n".to_owned();
        for at in 0..n {
            text.push_str(&format!("@T.macro\ndef m{at}(A):\n    m{}(A)\n", at + 1));
        }
        text.push_str(&format!("@T.macro\ndef m{n}(A):\n    A[0] = 1\n"));
        text.push_str("@T.prim_func\ndef f(A: T.Buffer((4,), \"int32\")):\n    m0(A)\n");
        said(&text)
    };
    assert_eq!(calls(20), [""; 0]);
    assert_eq!(calls(80), ["macros call one another more than 64 levels deep"]);
    let doubled = |n: usize| {
        let mut text =
            "@T.prim_func\ndef f(A: T.Buffer((4,), \"int32\"), x0: T.int32):\n".to_owned();
        for at in 0..n {
            text.push_str(&format!("    x{} = x{at} * x{at}\n", at + 1));
        }
        text.push_str(&format!("    A[0] = x{n}\n"));
        said(&text)
    };
    assert!(doubled(5).is_empty());
    let told = doubled(30);
    assert!(told.iter().all(|it| it.contains("nodes: it is kept by its text")), "{told:?}");
}

#[test]
fn an_initialisation_sees_what_its_block_begins_with() {
    check(
        "    with T.sblock(\"b\"):\n        for i in range(16):\n            with T.init():\n                A[i, 0] = 0.0\n            A[i, 0] = A[i, 0] + 1.0\n    for j in range(16):\n        with T.sblock(\"c\"):\n            v = T.axis.spatial(16, j)\n            with T.init():\n                for k in range(16):\n                    A[v, k] = 0.0\n            A[v, 0] = A[v, 1] + A[v, j]\n",
        expect![[r#"
                with T.sblock("b"):
                    for i in range(16):
                        with T.init():
            #                ^^^^^^^^ unsupported-construct: `T.init()` with `i`, which its block defines after its start, has no meaning in TVMScript that is known here
                            A[i, 0] = 0.0
                        A[i, 0] = A[i, 0] + 1.0
                for j in range(16):
                    with T.sblock("c"):
                        v = T.axis.spatial(16, j)
                        with T.init():
                            for k in range(16):
                                A[v, k] = 0.0
                        A[v, 0] = A[v, 1] + A[v, j]
        "#]],
    );
}

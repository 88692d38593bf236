//! Values over the variables of blocks (`v = T.axis.spatial(n, e)`): candidates as all others, bound inside the block
//! that has the variables.

use dataflow::analyses::Analyses;
use expect_test::{Expect, expect};
use ir::Occurrences;
use ir::effects::EffectTable;
use transform::cse::{CseOptions, plan};

use crate::support::{lowered, sound};

const HEAD: &str = "from tvm.script import tirx as T

@T.prim_func(s_tir=True)
def f(A: T.Buffer((64, 64), \"int32\"), B: T.Buffer((64, 64), \"int32\"), x: T.int32):
    T.func_attr({\"tirx.noalias\": True})
";

fn function(statements: &str) -> String {
    let mut text = HEAD.to_owned();
    for line in test_utils::trim_indent(statements).lines() {
        text.push_str(&format!("    {line}\n"));
    }
    text
}

#[track_caller]
fn check(statements: &str, expected: Expect) {
    expected.assert_eq(&sound(&function(statements)));
}

#[test]
fn a_value_over_block_variables_in_two_stores_is_bound_in_the_block() {
    check(
        "
        for i, j in T.grid(64, 64):
            with T.sblock(\"b\"):
                vi = T.axis.spatial(64, i)
                vj = T.axis.spatial(64, j)
                A[vi, vj] = vi * 64 + vj
                B[vi, vj] = (vi * 64 + vj) * x
        ",
        expect![[r#"
            T.func_attr({"tirx.noalias": True})
            for i, j in T.grid(64, 64):
                with T.sblock("b"):
                    vi = T.axis.spatial(64, i)
                    vj = T.axis.spatial(64, j)
                    cse_v1: T.let[T.int32] = vi * 64 + vj
                    A[vi, vj] = cse_v1
                    B[vi, vj] = cse_v1 * x
            ---
            vi * 64 + vj: 2 times, cost 2, bind cse_v1
            vi * 64: 2 times, cost 1, covered by [cse_v1]
        "#]],
    );
}

#[test]
fn a_value_of_the_loops_around_is_shared_with_what_binds_the_variables() {
    check(
        "
        for i, j in T.grid(4, 16):
            with T.sblock(\"b\"):
                vi = T.axis.spatial(64, i * 16 + j)
                vj = T.axis.reduce(64, i * 16 + j)
                T.where(i * 16 + j < x)
                A[vi, vj] = x
        ",
        expect![[r#"
            T.func_attr({"tirx.noalias": True})
            for i, j in T.grid(4, 16):
                cse_v1: T.let[T.int32] = i * 16 + j
                with T.sblock("b"):
                    vi = T.axis.spatial(64, cse_v1)
                    vj = T.axis.reduce(64, cse_v1)
                    T.where(cse_v1 < x)
                    A[vi, vj] = x
            ---
            i * 16 + j: 3 times, cost 2, bind cse_v1
            i * 16: 3 times, cost 1, covered by [cse_v1]
        "#]],
    );
}

#[test]
fn init_and_body_of_a_block_have_no_place_in_common() {
    check(
        "
        for i, j in T.grid(64, 64):
            with T.sblock(\"b\"):
                vi = T.axis.spatial(64, i)
                vj = T.axis.reduce(64, j)
                with T.init():
                    A[vi, 0] = vi * x
                A[vi, 0] = A[vi, 0] + vi * x * B[vi, vj]
                B[vi, vj] = vj * x
                A[vi, 1] = vj * x
        ",
        expect![[r#"
            T.func_attr({"tirx.noalias": True})
            for i, j in T.grid(64, 64):
                with T.sblock("b"):
                    vi = T.axis.spatial(64, i)
                    vj = T.axis.reduce(64, j)
                    with T.init():
                        A[vi, 0] = vi * x
                    A[vi, 0] = A[vi, 0] + vi * x * B[vi, vj]
                    cse_v1: T.let[T.int32] = vj * x
                    B[vi, vj] = cse_v1
                    A[vi, 1] = cse_v1
            ---
            vi * x: 2 times, cost 1, no-binding-site
            vj * x: 2 times, cost 1, bind cse_v1
        "#]],
    );
}

#[test]
fn blocks_beside_each_other_have_variables_of_their_own() {
    check(
        "
        for i in range(64):
            with T.sblock(\"b\"):
                vi = T.axis.spatial(64, i)
                A[vi, 0] = vi * x
            with T.sblock(\"c\"):
                vi = T.axis.spatial(64, i)
                B[vi, 0] = vi * x
        ",
        expect![[r#"
            T.func_attr({"tirx.noalias": True})
            for i in range(64):
                with T.sblock("b"):
                    vi = T.axis.spatial(64, i)
                    A[vi, 0] = vi * x
                with T.sblock("c"):
                    vi = T.axis.spatial(64, i)
                    B[vi, 0] = vi * x
            ---
        "#]],
    );
}

#[test]
fn a_guarded_value_stays_behind_the_condition_of_its_block() {
    check(
        "
        for i in range(64):
            with T.sblock(\"b\"):
                vi = T.axis.spatial(64, i)
                T.where(x != 0)
                A[vi, 0] = vi // x
                B[vi, 0] = vi // x
        ",
        expect![[r#"
            T.func_attr({"tirx.noalias": True})
            for i in range(64):
                with T.sblock("b"):
                    vi = T.axis.spatial(64, i)
                    T.where(x != 0)
                    cse_v1: T.let[T.int32] = vi // x
                    A[vi, 0] = cse_v1
                    B[vi, 0] = cse_v1
            ---
            vi // x: 2 times, cost 20, bind cse_v1
        "#]],
    );
}

#[test]
fn plans_of_functions_that_are_still_scheduled_inform_only() {
    let informs = |statements: &str| {
        let text = function(statements);
        let (_, _, it) = &lowered(&text)[0];
        let occurrences = Occurrences::collect(&it.body);
        let plan = plan(
            &Analyses::of(&it.body, &occurrences, EffectTable::builtin()),
            None,
            &CseOptions::default(),
        );
        assert_eq!(plan.bindings.len(), 1, "{statements}");
        plan.informational
    };
    assert!(informs(
        "
        for i in range(64):
            with T.sblock(\"b\"):
                vi = T.axis.spatial(64, i)
                A[vi, 0] = vi * x
                B[vi, 0] = vi * x
        "
    ));
    assert!(!informs(
        "
        for i in range(64):
            A[i, 0] = i * x
            B[i, 0] = i * x
        "
    ));
}

#[test]
fn binding_of_a_block_stays_out_of_inner_block_regions() {
    check(
        "
        for i in range(4):
            with T.sblock(\"outer\"):
                for j in range(8):
                    with T.sblock(\"inner\"):
                        vj = T.axis.spatial(64, i * 8 + j)
                        A[i * 8, vj] = B[i * 8, vj] + i * 8
        ",
        expect![[r#"
            T.func_attr({"tirx.noalias": True})
            for i in range(4):
                with T.sblock("outer"):
                    for j in range(8):
                        with T.sblock("inner"):
                            vj = T.axis.spatial(64, i * 8 + j)
                            cse_v1: T.let[T.int32] = i * 8
                            A[cse_v1, vj] = B[cse_v1, vj] + cse_v1
            ---
            i * 8: 1 times, cost 1, no-binding-site
            i * 8: 3 times, cost 1, bind cse_v1
        "#]],
    );
    check(
        "
        for i in range(4):
            for j in range(8):
                with T.sblock(\"inner\"):
                    vj = T.axis.spatial(64, i * 8 + j)
                    A[i * 8, vj] = B[i * 8, vj]
        ",
        expect![[r#"
            T.func_attr({"tirx.noalias": True})
            for i, j in T.grid(4, 8):
                cse_v1: T.let[T.int32] = i * 8
                with T.sblock("inner"):
                    vj = T.axis.spatial(64, cse_v1 + j)
                    A[cse_v1, vj] = B[cse_v1, vj]
            ---
            i * 8: 3 times, cost 1, bind cse_v1
        "#]],
    );
}

#[test]
fn the_pass_of_2022_names_nothing_where_tvm_finds_the_regions_by_the_indices() {
    let options = CseOptions {
        preset: ir::plan::Preset::Tvm2022,
        allow_unsound: false,
        ..CseOptions::default()
    };
    let block = |regions: &str| {
        function(&format!(
            "with T.sblock(\"b\"):\n{regions}    for i in range(8):\n        A[i * 4 + x, 0] = B[i * 4 + x, 1]\n"
        ))
    };
    crate::support::check_unchanged(&block(""), &options);
    crate::support::check_unchanged(&block("    T.reads(B[0:64, 0:64])\n"), &options);
    let regions = "    T.reads(B[0:64, 0:64])\n    T.writes(A[0:64, 0:64])\n";
    let named = crate::support::rewritten(&block(regions), &options);
    assert!(named.contains("cse_v1: T.let[T.int32] = i * 4 + x"), "{named}");
}

//! Rules for what makes a kernel of TileLang slower: tails that stay guarded, and accesses of single elements. Planted
//! cases, and kernels that look like them. Each was built by TileLang 0.1.15 for sm_80, and its device code read.

use expect_test::{Expect, expect};
use syntax::TextEdit;

use super::{FILE, analysis};
use crate::DiagnosticsConfig;

/// A kernel with these statements, of sizes `M` and `K` that calls give and a number `n` that is not known.
fn kernel(launch: &str, statements: &str) -> String {
    let body: String = statements.lines().map(|it| format!("            {it}\n")).collect();
    format!(
        "import tilelang.language as T

def make(n):
    M, K = T.dynamic(\"M, K\")

    @T.prim_func
    def f(A: T.Tensor((M, K), \"float16\"), V: T.Tensor((M,), \"float32\"), W: T.Tensor((4096,), \"float32\"), Z: T.Tensor((1000, 1001), \"float16\"), N: T.Tensor((n,), \"float32\")):
        with T.Kernel({launch}, threads=128) as (bx, by):
            S = T.alloc_shared((128, 32), \"float16\")
            F = T.alloc_fragment((128, 32), \"float16\")
            tx = T.get_thread_binding()
{body}    return f
"
    )
}

/// The messages of one rule in a kernel.
#[track_caller]
fn found(rule: &str, statements: &str) -> Vec<String> {
    let text = kernel("T.ceildiv(K, 32), T.ceildiv(M, 128)", statements);
    let config = DiagnosticsConfig { common_subexpressions: false, ..Default::default() };
    let all = analysis(&text).diagnostics(FILE, &config).unwrap();
    assert!(!all.iter().any(|it| it.code == "syntax-error"), "{text}");
    all.iter().filter(|it| it.code == rule).map(|it| it.message.clone()).collect()
}

#[track_caller]
fn check(rule: &str, wrong: &[&str], right: &[&str]) {
    for it in wrong {
        assert_eq!(found(rule, it).len(), 1, "of\n{it}\n{:#?}", found(rule, it));
    }
    for it in right {
        assert_eq!(found(rule, it), [""; 0], "of\n{it}");
    }
}

#[test]
fn tails_that_stay_guarded() {
    check(
        "tail-guard",
        &[
            "T.copy(A[by * 128, 0], S)",
            "T.copy(S, A[by * 128:(by + 1) * 128, 0:32])",
            "for i, j in T.Parallel(128, 32):\n    S[i, j] = A[by * 128 + i, j]",
            "for i in T.Parallel(128):\n    V[by * 128 + i] = 1.0",
            "for k in T.Pipelined(T.ceildiv(K, 32), num_stages=2):\n    T.copy(A[0, k * 32], S)\n    T.copy(S, F)",
            "row = by * 128\nT.copy(A[row, 0], S)\nT.copy(S, A[row, 0])",
        ],
        &[
            "T.assume(M % 128 == 0)\nT.copy(A[by * 128, 0], S)",
            "T.assume(M % 256 == 0)\nT.copy(A[by * 128, 0], S)",
            "T.copy(Z[by * 128, 0], S)",
            "for i in T.Parallel(128):\n    if by * 128 + i < M:\n        V[by * 128 + i] = 1.0",
            "for i in T.Parallel(128):\n    N[by * 128 + i] = 1.0",
            "T.copy(S, F)",
            "T.copy(A[by * 64, 0], S[0:64, :])",
        ],
    );
}

#[test]
fn accesses_of_single_elements() {
    check(
        "scalar-access",
        &[
            "for i in T.Parallel(512):\n    W[bx * 512 + i] = W[i * 2]",
            "for i in T.Parallel(512):\n    W[bx * 512 + i] = W[bx * 512 + i + 1]",
            "for i in T.Parallel(512):\n    W[bx * 512 + i] = W[bx * 512 + 511 - i]",
            "for v in T.vectorized(4):\n    W[tx * 4 + v] = W[(tx * 4 + v) * 2]",
            "for v in T.vectorized(4):\n    W[tx * 3 + v] = 1.0",
            "for v in T.vectorized(4):\n    if v < 3:\n        W[tx * 4 + v] = 1.0",
            "for v in T.vectorized(3):\n    W[tx * 3 + v] = 1.0",
            "for i in T.Parallel(512):\n    Z[i, bx] = 1",
            "T.copy(A[by * 128, bx * 32], S)",
            "for i, j in T.Parallel(128, 32):\n    S[i, j] = A[by * 128 + i, bx * 32 + j]",
        ],
        &[
            "for i in T.Parallel(512):\n    W[bx * 512 + i] = W[bx * 512 + 512 + i]",
            "for v in T.vectorized(4):\n    W[tx * 4 + v] = W[tx * 4 + v + 512]",
            "for v in T.vectorized(4):\n    if v < 2:\n        W[tx * 4 + v] = 1.0",
            "for i, j in T.Parallel(128, 32):\n    F[i, j] = Z[j, i]",
            "for i in T.Parallel(512):\n    W[i] = W[bx]",
            "for i in T.Parallel(512):\n    W[i] = W[i * n]",
            "T.assume(K % 8 == 0)\nT.copy(A[by * 128, bx * 32], S)",
            "T.copy(A[0, bx * 32:bx * 32 + 32], S[0, :])",
            "T.copy(A[by * 128, tx], S)",
            "T.copy(S, F)",
        ],
    );
}

#[test]
fn phases_in_loops_over_sizes() {
    let looped = |extent: &str, parity: &str| {
        format!(
            "b = T.alloc_barrier(128)\nfor k in T.serial({extent}):\n    T.tma_copy(A[0, k * 32], S, barrier=b)\n    T.barrier_arrive(b)\n    T.mbarrier_wait_parity(b, {parity})"
        )
    };
    for extent in ["K", "T.ceildiv(K, 32)"] {
        assert_eq!(found("barrier-phase", &looped(extent, "0")).len(), 1, "{extent}");
        assert_eq!(found("barrier-phase", &looped(extent, "k % 2")), [""; 0], "{extent}");
    }
    assert_eq!(found("barrier-phase", &looped("T.min(K, 1)", "0")), [""; 0]);
}

#[test]
fn tiles_whose_extents_are_not_numbers() {
    let tiles =
        "P = T.alloc_shared((128, K), \"float16\")\nR = T.alloc_shared((K, 32), \"float16\")\n";
    let told = found("tile-operands", &format!("{tiles}T.gemm(P, R, F)"));
    expect!["`T.gemm(P, R, F)` multiplies tiles of `K` elements: their extents are numbers when a kernel is built"]
        .assert_eq(&told.join("\n"));
    let of_instance = tiles.replace("K", "n");
    assert_eq!(found("tile-operands", &format!("{of_instance}T.gemm(P, R, F)")), [""; 0]);
}

/// The messages of both rules, and the lines that their fixes add.
#[track_caller]
fn told(statements: &str, expect: Expect) {
    let text = kernel("T.ceildiv(K, 32), T.ceildiv(M, 128)", statements);
    let analysis = analysis(&text);
    let config = DiagnosticsConfig { common_subexpressions: false, ..Default::default() };
    let mut out = String::new();
    let all = analysis.diagnostics(FILE, &config).unwrap();
    for it in all.iter().filter(|it| ["tail-guard", "scalar-access"].contains(&it.code)) {
        out.push_str(&format!("{}: {}\n", it.code, it.message));
        let actions = analysis.code_actions(FILE, it.range, &|_| true).unwrap();
        for action in actions.iter().filter(|it| it.title.starts_with("Assume")) {
            let Ok(edit) = TextEdit::from_edits(action.edits.clone()) else { continue };
            let after = edit.apply(&text);
            let new = after.lines().filter(|line| !text.lines().any(|it| it == *line));
            let new: Vec<&str> = new.map(str::trim).collect();
            out.push_str(&format!("  {}: {}\n", action.title, new.join(" / ")));
        }
    }
    expect.assert_eq(&out);
}

#[test]
fn the_fact_is_named_and_can_be_written() {
    told(
        "T.copy(A[by * 128, bx * 32], S)\nT.copy(S, A[by * 128, bx * 32])",
        expect![[r#"
        scalar-access: `T.copy(A[by * 128, bx * 32], S)` accesses single elements, as rows of `K` elements may begin anywhere; `T.assume(K % 8 == 0)` would allow 16 bytes at once
          Assume that `K` is a multiple of 8: T.assume(K % 8 == 0)
          Assume that `M` is a multiple of 128: T.assume(M % 128 == 0)
          Assume that `K` is a multiple of 32: T.assume(K % 32 == 0)
        tail-guard: `T.copy(A[by * 128, bx * 32], S)` is guarded at its end, as `M` may be no multiple of 128; `T.assume(M % 128 == 0)` would remove the guard
          Assume that `K` is a multiple of 8: T.assume(K % 8 == 0)
          Assume that `M` is a multiple of 128: T.assume(M % 128 == 0)
          Assume that `K` is a multiple of 32: T.assume(K % 32 == 0)
        tail-guard: `T.copy(A[by * 128, bx * 32], S)` is guarded at its end, as `K` may be no multiple of 32; `T.assume(K % 32 == 0)` would remove the guard
          Assume that `K` is a multiple of 8: T.assume(K % 8 == 0)
          Assume that `M` is a multiple of 128: T.assume(M % 128 == 0)
          Assume that `K` is a multiple of 32: T.assume(K % 32 == 0)
    "#]],
    );
    told(
        "for v in T.vectorized(4):\n    W[tx * 3 + v] = 1.0",
        expect![[r#"
        scalar-access: `W[tx * 3 + v] = 1.0` keeps the loop over `v` scalar: a pair begins at element 381 for thread 127
    "#]],
    );
    told(
        "for i in T.Parallel(512):\n    W[i] = W[i * 2]",
        expect![[r#"
        scalar-access: `W[i * 2]` keeps the loop over `i` scalar: neighbours lie 2 elements apart
    "#]],
    );
    told(
        "for v in T.vectorized(4):\n    if v < 3:\n        W[tx * 4 + v] = 1.0",
        expect![[r#"
        scalar-access: the loop over `v` stays scalar: its condition holds for one of the lanes 2 and 3 only
    "#]],
    );
    told(
        "for v in T.vectorized(3):\n    W[tx * 3 + v] = 1.0",
        expect![[r#"
        scalar-access: the loop over `v` stays scalar: 3 lanes cannot be accessed in pairs
    "#]],
    );
}

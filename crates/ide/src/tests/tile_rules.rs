//! Rules for tile operations, launches, barriers and parallel loops of TileLang: planted mistakes, and right kernels
//! that look like them.

use expect_test::{Expect, expect};
use syntax::TextEdit;

use super::{FILE, analysis};
use crate::{ActionKind, DiagnosticsConfig};

const RULES: [&str; 12] = [
    "barrier-phase",
    "barrier-without-arrival",
    "copy-in-flight",
    "divergent-barrier",
    "launch-limit",
    "offset-overflow",
    "out-of-bounds",
    "parallel-race",
    "tile-layout",
    "tile-loop",
    "tile-operands",
    "tile-shape",
];

/// The findings of these rules in a kernel with this launch and these statements; `n` is not known.
#[track_caller]
fn found_in(launch: &str, statements: &str) -> Vec<&'static str> {
    found_of(&RULES, launch, statements)
}

/// As `found_in`, of some rules.
#[track_caller]
fn found_of(rules: &[&str], launch: &str, statements: &str) -> Vec<&'static str> {
    let memory = [
        "S = T.alloc_shared((64, 32), \"float16\")",
        "W = T.alloc_shared((32, 128), \"float16\")",
        "C = T.alloc_fragment((64, 128), \"float32\")",
        "F = T.alloc_fragment((64,), \"float32\")",
        "Q = T.alloc_shared((n, n), \"float16\")",
        "tx = T.get_thread_binding()",
    ];
    let text = factory("", "64", &format!("{launch}) as bx"), &memory, statements);
    told(rules, &text)
}

/// A factory of a kernel over `A` of `rows` rows: what stands before it, the launch, its memory and its statements.
pub(super) fn factory(
    before: &str,
    rows: &str,
    launch: &str,
    memory: &[&str],
    statements: &str,
) -> String {
    let lines = memory.iter().copied().chain(statements.trim().lines());
    let body: String = lines.map(|it| format!("            {it}\n")).collect();
    format!(
        "import tilelang\nimport tilelang.language as T\n\ndef make(n):\n{before}    @T.prim_func\n    def f(A: T.Tensor(({rows}, 32), \"float16\"), B: T.Tensor((64,), \"float32\"), X: T.Tensor((64,), \"int32\")):\n        with T.Kernel({launch}:\n{body}    return f\n"
    )
}

/// The findings of some rules in a text.
#[track_caller]
fn told(rules: &[&str], text: &str) -> Vec<&'static str> {
    let analysis = analysis(text);
    let config = DiagnosticsConfig { common_subexpressions: false, ..Default::default() };
    let all = analysis.diagnostics(FILE, &config).unwrap();
    assert!(!all.iter().any(|it| it.code == "syntax-error"), "{text}");
    all.iter().map(|it| it.code).filter(|it| rules.contains(it)).collect()
}

/// Checks kernels that have one mistake each, and kernels that have none.
#[track_caller]
fn check<W: AsRef<str>, R: AsRef<str>>(rule: &str, wrong: &[W], right: &[R]) {
    for it in wrong.iter().map(AsRef::as_ref) {
        assert_eq!(found_in("4, threads=128", it), [rule], "of\n{it}");
    }
    for it in right.iter().map(AsRef::as_ref) {
        assert_eq!(found_in("4, threads=128", it), [""; 0], "of\n{it}");
    }
}

#[test]
fn operands_of_tile_operations() {
    check(
        "tile-operands",
        &[
            "T.gemm(S, W, C, transpose_A=True)",
            "T.gemm(S, S, C)",
            "T.gemm(S, W, C[0:32, :])",
            "T.gemm(S, C, C)",
            "T.reduce_sum(C, F, dim=0)",
            "T.reduce_max(C, F, dim=2)",
            "T.copy(A, S[0:32, :])",
            "T.gemm(S, W, C, k_pack=4)",
            "T.gemm(S, W, C, k_pack=0)",
            // TileLang's compiler: "src_range has extra non-1 extent at dim 1".
            "T.copy(A[0:64, 0:32], F)",
            "T.copy(A[bx * 16, 0:32], S)",
            "T.copy(A[bx * 16:bx * 16 + 16, 0], S)",
        ],
        &[
            "T.gemm(S, W, C)",
            "T.gemm(S, Q, C)",
            "T.gemm(S, W, C, k_pack=2)",
            "T.gemm(S, W, C, k_pack=n)",
            "T.reduce_sum(C, F, dim=1)",
            "T.reduce_sum(C, F, dim=-1, clear=False)",
            "T.copy(A[bx * 16, 0], S)",
            "T.copy(A[0:64, 3], F)",
            "T.copy(Q, A)",
            "T.copy(F, B[bx * 16])",
        ],
    );
}

#[test]
fn memories_shapes_and_dimensions_that_tile_operations_refuse() {
    let tile = |scope: &str| format!("L = T.alloc_{scope}((64, 32), \"float16\")\n");
    let (local, shared) = (tile("local"), tile("shared"));
    let planes = "P = T.alloc_shared((2, 64, 32), \"float16\")\n";
    let of = |memory: &str, statement: &str| format!("{memory}{statement}");
    let wrong = [
        of(&local.replace("64, 32", "32, 128"), "T.gemm(S, L, C)"),
        of(&local, "T.gemm(L, W, C)"),
        of("L = T.alloc_local((64, 128), \"float32\")\n", "T.gemm(S, W, L)"),
        of(planes, "T.gemm(P, W, C)"),
        of("", "T.gemm(S, F, C)"),
        of("", "T.reduce_sum(A, F, dim=1)"),
        of("", "T.reduce_sum(S, B, dim=1)"),
        of(&local, "T.reduce_max(L, F, dim=1)"),
        of("", "T.reduce_sum(C, F, dim=1, batch=0)"),
        of("", "T.cumsum(A, dim=1)"),
        of("", "T.cumsum(S, dim=2)"),
        of("", "T.cumsum(F, dim=1)"),
        of("", "T.cumsum(S, W, dim=0)"),
        of(&local, "T.cumsum(L, dim=1)"),
        of("H = T.alloc_shared((32, 64), \"float16\")\n", "T.copy(S, H)"),
        of(planes, "T.copy(S, P)"),
        of("H = T.alloc_shared((1, 64, 32), \"float16\")\n", "T.copy(S, H)"),
        of(&shared, "T.async_copy(S, L)"),
        of(&local, "T.async_copy(A, L)"),
        of("", "T.async_copy(S, A)"),
        of("", "T.transpose(F, F)"),
    ];
    let right = [
        of("L = T.alloc_fragment((64, 32), \"float16\")\n", "T.gemm(L, W, C)"),
        of("L = T.alloc_fragment((32, 128), \"float16\")\n", "T.gemm(S, L, C)"),
        of(planes, "T.gemm(P[0, :, :], W, C)"),
        of("P = T.alloc_shared((n, 64, 32), \"float16\")\n", "T.gemm(P, W, C)"),
        // On Metal a product reads global memory.
        of("", "T.gemm(A, W, C)"),
        of("", "T.reduce_sum(S, F, dim=1)"),
        of(
            "L = T.alloc_local((64,), \"float16\")\nM = T.alloc_local((1,), \"float16\")\n",
            "T.reduce_max(L, M, dim=0)",
        ),
        of("", "T.reduce_sum(C, F, dim=1, batch=1)"),
        of("", "T.cumsum(S, dim=1)"),
        of("", "T.cumsum(S, dim=-2)"),
        of("", "T.cumsum(S, dim=n)"),
        of(&shared, "T.cumsum(S, L, dim=1)"),
        of(&shared, "T.copy(S, L)"),
        of("", "T.copy(S, A)"),
        of("", "T.copy(S[0:32, :], A[0:32, :])"),
        of("H = T.alloc_shared((n, 32), \"float16\")\n", "T.copy(S, H)"),
        of("", "T.async_copy(A[0, 0], S)\nT.ptx_wait_group(0)"),
        of("", "T.atomic_add(A[0, 0], S)"),
        of("", "T.transpose(S, W[:, 0:64])"),
    ];
    check("tile-operands", &wrong, &right);
}

#[test]
fn parts_of_fragments_in_products() {
    let of = |memory: &str, statement: &str| format!("{memory}\n{statement}");
    let halves = "D = T.alloc_fragment((64, 64), \"float32\")";
    let fragment = "G = T.alloc_fragment((64, 64), \"float16\")";
    let wide = "V = T.alloc_fragment((32, 128), \"float16\")";
    let wrong = [
        "T.gemm(S, S, C[:, 0:64], transpose_B=True)".to_owned(),
        "T.gemm(S, W[:, 0:64], C[:, 64:128])".to_owned(),
        of(fragment, "T.gemm(G[:, 0:32], W, C)"),
        of(&format!("{wide}\n{halves}"), "T.gemm(S, V[:, 0:64], D)"),
        "T.gemm(S[0:32, :], W, C[32:64, :])".to_owned(),
    ];
    let right = [
        "T.gemm(S, W, C[:, :])".to_owned(),
        "T.gemm(S, W, C[0:64, 0:128])".to_owned(),
        of(halves, "T.gemm(S, W[:, 0:64], D)"),
        of(wide, "T.gemm(S, V, C)"),
        of(halves, "T.gemm(S, S, D, transpose_B=True)"),
        of(fragment, "T.gemm(G[:, 0:n], W, C)"),
    ];
    check("tile-operands", &wrong, &right);
}

#[test]
fn copies_that_the_copy_engine_does_not_take() {
    let engine = |memory: &str, copy: &str| {
        format!("b = T.alloc_barrier(1)\n{memory}\n{copy}\nT.mbarrier_wait_parity(b[0], 0)")
    };
    let tile = |rows: u32, columns: u32, dtype: &str| {
        format!("H = T.alloc_shared(({rows}, {columns}), \"{dtype}\")")
    };
    let wrong = [
        "T.tma_copy(A, S)".to_owned(),
        engine(&tile(64, 4, "float16"), "T.tma_copy(A[:, 0:4], H, barrier=b[0])"),
        engine(&tile(64, 12, "float16"), "T.tma_copy(A[:, 0:12], H, barrier=b[0])"),
        engine(&tile(64, 32, "float32"), "T.tma_copy(A, H, barrier=b[0])"),
        engine(&tile(64, 32, "float16"), "T.tma_copy(H, S, barrier=b[0])"),
        engine("L = T.alloc_fragment((64, 32), \"float16\")", "T.tma_copy(A, L, barrier=b[0])"),
        engine("H = T.alloc_shared((63,), \"float32\")", "T.tma_copy(B[0:63], H, barrier=b[0])"),
        "T.tma_copy(S[:, 0:20], A[:, 0:20])".to_owned(),
        // `cp.async`
        format!("{}\nT.async_copy(A, H)\nT.ptx_wait_group(0)", tile(64, 32, "float32")),
        format!("{}\nT.async_copy(A[:, 0:1], H)\nT.ptx_wait_group(0)", tile(64, 1, "float16")),
        format!("{}\nT.async_copy(A[:, 0:3], H)\nT.ptx_wait_group(0)", tile(64, 3, "float16")),
        "T.async_copy(A[:, 1:32], S[:, 0:31])\nT.ptx_wait_group(0)".to_owned(),
        "H = T.alloc_shared((31,), \"float16\")\nT.async_copy(A[0, 0:31], H)\nT.ptx_wait_group(0)"
            .to_owned(),
    ];
    let right = [
        engine("", "T.tma_copy(A, S, barrier=b[0])"),
        engine(&tile(64, 8, "float16"), "T.tma_copy(A[:, 0:8], H, barrier=b[0])"),
        engine("H = T.alloc_shared((64,), \"float32\")", "T.tma_copy(B, H, barrier=b[0])"),
        engine("H = T.alloc_shared((n, 32), \"float16\")", "T.tma_copy(A, H, barrier=b[0])"),
        "T.clear(S)\nT.tma_copy(S, A)".to_owned(),
        engine(
            "H = T.alloc_shared((64, n), \"float16\")",
            "T.tma_copy(A[:, 0:n], H, barrier=b[0])",
        ),
        // A plain copy is made by loads and stores.
        format!("{}\nT.copy(A[:, 0:3], H)", tile(64, 3, "float16")),
        format!("{}\nT.copy(A, H)", tile(64, 32, "float32")),
        format!("{}\nT.async_copy(A[:, 0:4], H)\nT.ptx_wait_group(0)", tile(64, 4, "float16")),
        "H = T.alloc_shared((61,), \"float32\")\nT.async_copy(B[0:61], H)\nT.ptx_wait_group(0)"
            .to_owned(),
        format!("{}\nT.async_copy(A[:, 0:n], H)\nT.ptx_wait_group(0)", tile(64, 3, "float16")),
    ];
    check("tile-operands", &wrong, &right);
}

#[test]
fn products_that_the_instructions_of_a_device_do_not_take() {
    // Rows, columns and steps of a product, and the type of its operands.
    let product = |name: &str, m: u32, n: u32, k: u32, dtype: &str| {
        format!(
            "P = T.alloc_shared(({m}, {k}), \"{dtype}\")\nR = T.alloc_shared(({k}, {n}), \"{dtype}\")\nD = T.alloc_fragment(({m}, {n}), \"float32\")\nT.{name}(P, R, D)"
        )
    };
    let wrong = [
        product("gemm", 8, 128, 32, "float16"),
        product("gemm", 24, 128, 32, "float16"),
        product("gemm", 64, 4, 32, "float16"),
        product("gemm", 64, 128, 24, "float16"),
        product("gemm", 64, 128, 40, "float16"),
        product("gemm", 16, 16, 32, "float16"),
        product("wgmma_gemm", 32, 128, 32, "float16"),
        product("wgmma_gemm", 64, 128, 24, "float16"),
        product("wgmma_gemm", 64, 128, 32, "float32"),
        "R = T.alloc_fragment((32, 128), \"float16\")\nT.wgmma_gemm(S, R, C)".to_owned(),
    ];
    let right = [
        product("gemm", 64, 128, 32, "float16"),
        product("gemm", 64, 128, 8, "float16"),
        product("gemm", 64, 128, 48, "float16"),
        product("gemm", 64, 128, 16, "float8_e4m3fn"),
        product("gemm", 64, 128, 16, "int8"),
        product("gemm", 64, 128, 8, "float32"),
        product("gemm", 16, 32, 32, "float16"),
        "with T.ws(0):\n    P = T.alloc_fragment((16, 16), \"float32\")\n    T.gemm(S[0:16, :], W[:, 0:16], P)"
            .to_owned(),
        "D = T.alloc_fragment((n, 128), \"float32\")\nT.gemm(Q, W, D)".to_owned(),
        // Metal adds to shared tiles.
        "D = T.alloc_shared((8, 8), \"float32\")\nT.gemm(S[0:8, :], W[:, 0:8], D)".to_owned(),
        product("wgmma_gemm", 64, 128, 32, "float16"),
    ];
    check("tile-shape", &wrong, &right);
    // The threads of the block share the product.
    for (threads, expected) in [(96, true), (16, true), (64, false), (256, false)] {
        let found = found_in(&format!("4, threads={threads}"), "T.gemm(S, W, C)");
        assert_eq!(found == ["tile-shape"], expected, "{threads} threads: {found:?}");
    }
    let found = found_in("4, threads=64", &product("wgmma_gemm", 64, 128, 32, "float16"));
    assert_eq!(found, ["tile-shape"]);
}

#[test]
fn layouts_that_tilelang_refuses() {
    let found = |memory: &str, note: &str| {
        let statements = format!("{memory}\n{note}");
        let text = factory("", "64", "4, threads=128) as bx", &[], &statements);
        let text = text.replacen(
            "\n",
            "\nfrom tilelang.layout import make_swizzled_layout\nimport tilelang.layout\n",
            1,
        );
        told(&RULES, &text)
    };
    let tile =
        |rows: u32, columns: u32| format!("S = T.alloc_shared(({rows}, {columns}), \"float16\")");
    let fragment = "S = T.alloc_fragment((64, 32), \"float16\")".to_owned();
    let line = "S = T.alloc_shared((64,), \"float32\")".to_owned();
    let own = |layout: &str| format!("T.annotate_layout({{S: {layout}}})");
    let swizzled = |way: &str| own(&format!("tilelang.layout.make_{way}_bank_swizzled_layout(S)"));
    let wrong = [
        (tile(64, 32), own("lambda i: i")),
        (tile(64, 32), own("lambda i, j: (i // 2, j)")),
        (tile(64, 32), own("T.Layout(S.shape, lambda i, j: i * 16 + j)")),
        (tile(64, 32), own("T.Layout((32, 32), lambda i, j: (i, j))")),
        (tile(64, 32), own("3")),
        (line.clone(), own("make_swizzled_layout(S)")),
        (tile(60, 32), own("make_swizzled_layout(S)")),
        (tile(64, 32), swizzled("full")),
        (tile(64, 16), swizzled("half")),
        (tile(64, 8), swizzled("quarter")),
        (tile(60, 64), swizzled("full")),
        (fragment.clone(), own("lambda i, j: (i, j)")),
        (
            fragment.clone(),
            own("T.Fragment((32, 32), forward_fn=lambda i, j: (i * 4 + j // 8, j % 8))"),
        ),
        (fragment.clone(), own("T.Fragment((64, 32), forward_fn=lambda i, j: (i, j % 16))")),
        (fragment.clone(), own("make_swizzled_layout(S)")),
        (tile(64, 32), "T.annotate_l2_hit_ratio({S: 0.5})".to_owned()),
        (tile(64, 32), "T.annotate_min_blocks_per_sm(0)".to_owned()),
    ];
    let right = [
        (tile(64, 32), own("lambda i, j: (i, j)")),
        (tile(64, 32), own("lambda i, j: i * n + j")),
        (tile(64, 32), own("T.Layout(S.shape, lambda i, j: (i, (j + i) % 32))")),
        (tile(64, 32), own("T.Layout((2048,), lambda i: i)")),
        (tile(64, 20), own("make_swizzled_layout(S)")),
        (tile(64, 32), own("make_swizzled_layout(S)")),
        (tile(64, 32), swizzled("half")),
        (tile(64, 16), swizzled("quarter")),
        (tile(4, 64), swizzled("full")),
        (fragment, own("T.Fragment((64, 32), forward_fn=lambda i, j: (i * 2 + j // 16, j % 16))")),
        (tile(64, 32), own("of_somewhere(S)")),
        ("S = T.alloc_shared((n, 32), \"float16\")".to_owned(), own("lambda i, j: (i // 2, j)")),
        (line, own("lambda i: i ^ 1")),
        (tile(64, 32), "T.annotate_l2_hit_ratio({A: 0.5})".to_owned()),
        (tile(64, 32), "T.annotate_min_blocks_per_sm(2)".to_owned()),
    ];
    for (memory, note) in &wrong {
        assert_eq!(found(memory, note), ["tile-layout"], "of\n{memory}\n{note}");
    }
    for (memory, note) in &right {
        assert_eq!(found(memory, note), [""; 0], "of\n{memory}\n{note}");
    }
}

#[test]
fn what_is_shown_to_happen_is_an_error_with_the_values() {
    let check = |statements: &str, expected: Expect| {
        let memory = [
            "S = T.alloc_shared((64, 32), \"float16\")",
            "W = T.alloc_shared((32, 128), \"float16\")",
            "C = T.alloc_fragment((64, 128), \"float32\")",
            "F = T.alloc_fragment((64,), \"float32\")",
            "tx = T.get_thread_binding()",
        ];
        let text = factory("", "64", "4, threads=128) as bx", &memory, statements);
        let config = DiagnosticsConfig { common_subexpressions: false, ..Default::default() };
        let all = analysis(&text).diagnostics(FILE, &config).unwrap();
        let rules = ["barrier-phase", "out-of-bounds", "read-before-write", "offset-overflow"];
        let all = all.iter().filter(|it| rules.contains(&it.code));
        let lines: Vec<String> =
            all.map(|it| format!("{:?}: {}", it.severity, it.message)).collect();
        expected.assert_eq(&lines.join("\n"));
    };
    check(
        "for i in T.serial(64):\n    F[i + 1] = 0.0",
        expect![
            "Error: `F[i + 1] = 0.0` is outside of `F`: dimension 0 has extent 64, and the index is 64 for `i` = 63"
        ],
    );
    check(
        "if tx > 100:\n    B[tx] = S[tx, 0]",
        expect![[r#"
        Error: `S[tx, 0]` is outside of `S`: dimension 0 has extent 64, and the index is 127 for thread 127
        Error: `S[tx, 0]` is read for thread 127, and nothing has written it"#]],
    );
    check(
        "m = T.alloc_barrier(128)\nT.barrier_arrive(m)\nT.mbarrier_wait_parity(m, 1)",
        expect![
            "Error: `T.mbarrier_wait_parity(m, 1)` waits for a phase that nothing ends: the last phase of `m` that has ended has parity 0"
        ],
    );
    // How many phases end, and when, is not known.
    check(
        "m = T.alloc_barrier(1)\nT.barrier_arrive(m)\nT.mbarrier_wait_parity(m, 0)",
        expect![
            "Error: `T.mbarrier_wait_parity(m, 0)` may wait for a phase that nothing ends: 128 threads arrive at `m`, and 1 is enough to end one"
        ],
    );
    // Nobody knows whether the loop is entered.
    check(
        "for i in T.serial(n):\n    F[64] = 0.0",
        expect![
            "Warning: `F[64] = 0.0` is outside of `F`: dimension 0 has extent 64, and the index is 64"
        ],
    );
    check(
        "for i in T.serial(X[0]):\n    F[64] = 0.0",
        expect![
            "Warning: `F[64] = 0.0` is outside of `F`: dimension 0 has extent 64, and the index is 64"
        ],
    );
    check(
        "T.clear(S)\nT.clear(W)\nT.gemm(S, W, C)",
        expect!["Error: `C` is read in every block, and nothing has written it"],
    );
    check(
        "for k in T.serial(4):\n    for i in T.Parallel(64):\n        F[i] += 1.0",
        expect!["Error: `F[i]` is read for `i` = 0 before anything writes it"],
    );
    check(
        "if bx == 3:\n    T.copy(F, B)",
        expect!["Error: `F` is read for `bx` = 3, and nothing has written it"],
    );
    // Nothing shows that the condition ever holds.
    check(
        "if X[bx] == 3:\n    T.copy(F, B)",
        expect!["Warning: `F` is read, and nothing has written it"],
    );
    check(
        "X[0] = bx * 1073741824",
        expect!["Error: `bx * 1073741824` is 3221225472 for `bx` = 3, which int32 cannot hold"],
    );
}

#[test]
fn loops_that_tilelang_refuses() {
    check(
        "tile-loop",
        &[
            "for i in T.Parallel(64):\n    T.copy(A[0:64, 0:32], S)",
            "for i in T.Parallel(64):\n    if i < 4:\n        T.clear(S)",
            "for i in T.Parallel(64):\n    F[i] = 0.0\n    for j in T.Parallel(32):\n        S[i, j] = 0.0",
            "for i in T.Parallel(8):\n    for k in T.serial(4):\n        for j in T.Parallel(8):\n            S[i, k * 8 + j] = 0.0",
            "for i in T.Parallel(64):\n    for k in T.Pipelined(4, num_stages=2):\n        S[i, k] = 0.0",
            "L = T.alloc_local((64,), \"float32\")\nfor i in T.Parallel(64):\n    L[i] = 0.0",
            "L = T.alloc_local((64,), \"float32\")\nT.clear(L)\nfor i in T.Parallel(64):\n    B[i] = L[i // 2]",
            "m = T.dynamic(\"m\")\nfor i in T.Parallel(m):\n    F[i] = 0.0",
            "for k in T.serial(4):\n    for i in T.Parallel(k + 1):\n        F[i] = 0.0",
            "for k in T.Pipelined(4, order=[0, 1], stage=[0]):\n    T.copy(A, S)\n    T.copy(S, A)",
            "for k in T.serial(0, 10, step=0):\n    B[k] = 0.0",
            "for k in T.unroll(10, explicit=True, unroll_factor=2):\n    B[k] = 0.0",
        ],
        &[
            "for i in T.Parallel(64):\n    for j in T.Parallel(32):\n        S[i, j] = 0.0",
            "for i, j in T.Parallel(64, 32):\n    S[i, j] = 0.0",
            "for i in T.Parallel(64):\n    for k in T.Pipelined(4):\n        S[i, k] = 0.0",
            "for i in T.Parallel(64):\n    for k in T.serial(4):\n        S[i, k] = 0.0",
            "L = T.alloc_local((64,), \"float32\")\nT.clear(L)\nfor i in T.Parallel(64):\n    B[i] = L[0]",
            "L = T.alloc_local((4,), \"float32\")\nfor i in T.Parallel(64):\n    for k in T.serial(4):\n        L[k] = 0.0",
            "for i in T.Parallel(n):\n    F[i] = 0.0",
            "m = T.dynamic(\"m\")\nfor i in T.Parallel(m):\n    B[i] = 0.0",
            "m = T.dynamic(\"m\")\nfor i in T.Parallel(64):\n    if i < m:\n        F[i] = 0.0",
            "for i in T.Parallel(64):\n    T.atomic_add(B[i], 1.0)",
            "for i in T.Parallel(64):\n    T.copy(B[i], F[i])",
            "for k in T.Pipelined(4, order=[0, 1], stage=[0, 1]):\n    T.copy(A, S)\n    T.copy(S, A)",
            "for k in T.unroll(10, unroll_factor=2):\n    B[k] = 0.0",
        ],
    );
}

/// TileLang before 0.1.14 ran a loop whole in each thread that stores to the memory of a thread alone.
#[test]
fn arrays_that_each_thread_has_whole_were_right_once() {
    let check = |statements: &str, expected: Expect| {
        let statements = format!("L = T.alloc_local((64,), \"float32\")\n{statements}");
        let text = factory(
            "",
            "64",
            "4, threads=128) as bx",
            &["F = T.alloc_fragment((64,), \"float32\")"],
            &statements,
        );
        let config = DiagnosticsConfig { common_subexpressions: false, ..Default::default() };
        let all = analysis(&text).diagnostics(FILE, &config).unwrap();
        let all = all.iter().filter(|it| it.code == "tile-loop");
        let all: Vec<String> = all.map(|it| format!("{:?}: {}", it.severity, it.message)).collect();
        expected.assert_eq(&all.join("\n"));
    };
    check(
        "for i in T.Parallel(64):\n    L[i] = B[i]\nfor i in T.Parallel(64):\n    B[i] = L[i // 2]",
        expect![[r#"
        Warning: `L[i] = B[i]` picks an element of `L` by `i` of `T.Parallel`, but each thread has a `L` of its own; TileLang refuses that since 0.1.14
        Warning: `L[i // 2]` picks an element of `L` by `i` of `T.Parallel`, but each thread has a `L` of its own; TileLang refuses that since 0.1.14"#]],
    );
    check(
        "for i in T.serial(64):\n    L[i] = B[i]\nfor i in T.Parallel(64):\n    B[i] = L[i]",
        expect![
            "Warning: `L[i]` picks an element of `L` by `i` of `T.Parallel`, but each thread has a `L` of its own; TileLang refuses that since 0.1.14"
        ],
    );
    // Each thread has only its part of what it stores beside other memory, or out of a fragment.
    check(
        "for i in T.Parallel(64):\n    L[i] = B[i]\n    B[i] = 0.0",
        expect![
            "Error: `L[i] = B[i]` picks an element of `L` by `i` of `T.Parallel`, but each thread has a `L` of its own"
        ],
    );
    check(
        "for i, j in T.Parallel(8, 8):\n    L[i * 8 + j] = F[i]\nfor i in T.Parallel(64):\n    B[i] = L[i // 2]",
        expect![[r#"
        Error: `L[i * 8 + j] = F[i]` picks an element of `L` by `j` of `T.Parallel`, but each thread has a `L` of its own
        Error: `L[i // 2]` picks an element of `L` by `i` of `T.Parallel`, but each thread has a `L` of its own"#]],
    );
    check(
        "for i in T.Parallel(64):\n    L[i] = 1.0\n    T.atomic_add(B[i], 1.0)",
        expect![
            "Error: `L[i] = 1.0` picks an element of `L` by `i` of `T.Parallel`, but each thread has a `L` of its own"
        ],
    );
}

#[test]
fn operands_of_no_known_type_may_be_elements() {
    let head = "import tilelang.language as T\n\ndef make(n, dtype):\n    @T.prim_func\n    def f(D: T.Buffer(shape, dtype), B: T.Tensor((64,), \"float32\")):\n        with T.Kernel(n, threads=128) as bx:\n            F = T.alloc_fragment((64,), \"float32\")\n            for i in T.Parallel(64):\n                ";
    for it in ["T.atomic_add(D[bx, i], F[i])", "T.atomic_max(D[i], F[i])", "T.copy(D[bx, i], F[i])"]
    {
        assert_eq!(told(&RULES, &format!("{head}{it}\n")), [""; 0], "{it}");
    }
    for it in ["T.atomic_add(B, F)", "T.copy(B, F)", "T.clear(F)"] {
        assert_eq!(told(&RULES, &format!("{head}{it}\n")), ["tile-loop"], "{it}");
    }
}

#[test]
fn loops_of_a_cpu_have_no_threads() {
    let local = "L = T.alloc_local((64,), \"float32\")\nfor i in T.Parallel(64):\n    L[i] = B[i]\nfor i in T.serial(64):\n    B[i] = L[i]";
    assert_eq!(found_in("4, is_cpu=True", local), [""; 0]);
    assert_eq!(found_in("4, threads=128", local), ["tile-loop"]);
}

#[test]
fn elements_and_parts_outside_of_tiles() {
    check(
        "out-of-bounds",
        &[
            "for i in T.Parallel(65):\n    F[i] = 0.0",
            "for i in T.serial(64):\n    F[i + 1] = 0.0",
            "F[bx * 32] = 0.0",
            "for i in T.Parallel(128):\n    if i < 70:\n        F[i] = 0.0",
            "B[tx] = S[tx, 0]",
            "T.fill(S[0:80, :], 0)",
            "for i in T.serial(4):\n    for j in T.serial(i, 65):\n        F[j] = 1.0",
        ],
        &[
            "for i in T.Parallel(64):\n    F[i] = 0.0",
            "for i in T.Parallel(128):\n    if i < 64:\n        F[i] = 0.0",
            "for i in T.Parallel(128):\n    B[i] = T.if_then_else(i < 64, S[i, 0], 0)",
            "for i in T.Parallel(128):\n    B[i] = 0.0",
            "for i in T.Parallel(n):\n    F[i] = 0.0",
            "if tx < 64:\n    F[tx] = 0.0",
            "F[X[bx]] = 0.0",
            "T.copy(A[bx * 48, 0], S)",
            "F[-1] = 0.0",
        ],
    );
}

#[test]
fn barriers_that_a_part_of_a_warp_reaches() {
    check(
        "divergent-barrier",
        &[
            "if tx < 16:\n    T.sync_threads()",
            "if tx == 0:\n    T.sync_threads()",
            "if tx % 2 == 0:\n    B[tx] = 0.0\nelse:\n    T.sync_threads()",
            "for i in T.serial(tx):\n    T.sync_threads()",
            "if tx < 100:\n    for i in T.serial(4):\n        T.sync_threads()",
        ],
        &[
            "T.sync_threads()",
            "if tx < 64:\n    T.sync_threads()",
            "if bx == 0:\n    T.sync_threads()",
            "if tx < 16:\n    B[tx] = 0.0\nT.sync_threads()",
            "for i in T.serial(n):\n    T.sync_threads()",
            "if tx < n:\n    T.sync_threads()",
            "with T.ws(0):\n    T.sync_threads()",
        ],
    );
}

#[test]
fn iterations_that_write_one_element() {
    check(
        "parallel-race",
        &[
            "for i, j in T.Parallel(64, 32):\n    S[i, 0] = S[i, 0] + A[i, j]",
            "for i, j in T.Parallel(64, 32):\n    F[i] = A[i, j]",
            "for i in T.Parallel(64):\n    F[i // 2] = A[i, 0]",
            "for i in T.Parallel(64):\n    B[bx] = B[bx] + A[i, 0]",
            "for i, j in T.Parallel(8, 8):\n    F[i + j] = A[i, j]",
            "for i in T.Parallel(64):\n    S[i % 32, bx] = A[i, 0]",
            // Threads of a block.
            "S[tx // 2, 0] = A[tx // 4, tx]",
            "X[0] = tx",
            "B[bx] = A[tx, 0]",
            "if tx < 64:\n    S[0, 0] = A[tx, 0]",
            "for k in T.serial(4):\n    W[k, tx % 32] = A[tx, 0]",
        ],
        &[
            "for i, j in T.Parallel(64, 32):\n    S[i, j] = A[i, j]",
            "R = T.alloc_reducer((64,), \"float32\", op=\"sum\")\nfor i, j in T.Parallel(64, 32):\n    R[i] += A[i, j]",
            "for i in T.Parallel(64):\n    B[bx] = 1.0",
            "for i, j in T.Parallel(64, 32):\n    if j == 0:\n        F[i] = A[i, j]",
            "for i in T.Parallel(64):\n    for j in T.serial(32):\n        F[i] = F[i] + A[i, j]",
            "for i, j in T.Parallel(64, 32):\n    T.atomic_add(B[i], A[i, j])",
            "for i, j in T.Parallel(64, n):\n    F[i] = A[i, j]",
            "for i in T.Parallel(64):\n    B[X[i]] = A[i, 0]",
            "for i, j in T.Parallel(8, 8):\n    F[i * 8 + j] = A[i, j]",
            "for i in T.Parallel(64):\n    F[i // 2] = A[i // 2, 0]",
            "S[tx // 2, 0] = A[tx // 2, 0]",
            "X[0] = 1",
            "if tx == 0:\n    X[0] = tx",
            "if tx % 32 == 0:\n    B[tx // 32] = A[tx, 0]",
            "S[tx % 64, tx // 64] = A[tx, 0]",
            "if tx < n:\n    X[0] = tx",
            // Each thread has its own.
            "v = T.alloc_var(\"float32\")\nfor i in T.Parallel(64):\n    v = A[i, 0]\n    B[i] = v * 2.0",
            "p = T.alloc_var(\"int32\")\nfor i in T.Parallel(64):\n    p = 63 - i\n    B[p] = A[i, 0]",
        ],
    );
}

#[test]
fn launches_that_no_device_accepts() {
    let large = "H = T.alloc_shared((512, 512), \"float16\")\nT.clear(H)";
    let two = "H = T.alloc_shared((256, 256), \"float16\")\nG = T.alloc_shared((256, 256), \"float16\")\nT.copy(H, G)";
    let reused = "H = T.alloc_shared((256, 256), \"float16\")\nG = T.alloc_shared((256, 256), \"float16\")\nT.clear(H)\nT.clear(G)";
    let wrong = [
        ("4, threads=2048", ""),
        ("4, threads=(32, 32, 2)", ""),
        ("4, threads=0", ""),
        ("0, threads=128", ""),
        ("4, threads=128", large),
        ("4, threads=128", two),
    ];
    for (launch, statements) in wrong {
        assert_eq!(found_in(launch, statements), ["launch-limit"], "{launch}\n{statements}");
    }
    let right = [
        ("4, threads=1024", ""),
        ("4, threads=n", ""),
        ("n, threads=128", ""),
        ("70000, threads=128", ""),
        ("4, threads=(32, 4)", ""),
        ("4, threads=128", reused),
    ];
    for (launch, statements) in right {
        assert_eq!(found_in(launch, statements), [""; 0], "{launch}\n{statements}");
    }
    // Compilers made of TileLang are for other devices.
    let others = [
        ("4, threads=2, is_npu=True", large.to_owned()),
        ("4, threads=128", format!("{large}\nT.gemm_v0(S, W, C)")),
        ("4, threads=128", format!("{large}\nT.tile.add(S, S, S)")),
        ("4, threads=128", format!("T.annotate_tileview({{S: 1}})\n{large}")),
    ];
    for (launch, statements) in others {
        assert_eq!(found_in(launch, &statements), [""; 0], "{launch}\n{statements}");
    }
    // What TileLang has.
    for before in
        ["T.annotate_safe_value({A: 0.0})", "T.use_swizzle(10)", "T.sync_threads()", "helper(S)"]
    {
        let statements = format!("{before}\n{large}");
        assert_eq!(found_in("4, threads=128", &statements), ["launch-limit"], "{statements}");
    }
    // The blocks of a launch may have no name.
    for launch in ["1, threads=0)", "0, threads=128)", "1, threads=2048)"] {
        let text = factory("", "64", launch, &[], "T.clear(B)");
        assert_eq!(told(&RULES, &text), ["launch-limit"], "{launch}");
    }
}

#[test]
fn tiles_of_copies_that_still_run() {
    let barrier = "b = T.alloc_barrier(1)\n";
    let with_barrier = |it: &str| format!("{barrier}{it}");
    let wrong = [
        "T.async_copy(A[0, 0], S)\nT.gemm(S, W, C, clear_accum=True)".to_owned(),
        "T.async_copy(A[0, 0], S)\nT.copy(S, A[bx * 64, 0])".to_owned(),
        "T.async_copy(A[0, 0], S)\nT.clear(C)\nfor i in T.Parallel(64):\n    F[i] = S[i, 0]"
            .to_owned(),
        with_barrier(
            "T.tma_copy(A[0, 0], S, barrier=b)\nT.gemm(S, W, C)\nT.mbarrier_wait_parity(b, 0)",
        ),
        "T.async_copy(A[0, 0], S)\nT.clear(S)\nT.ptx_wait_group(0)".to_owned(),
        "T.tma_copy(S, A[0, 0])\nT.fill(S, 1)\nT.tma_store_wait()".to_owned(),
        // A part of a tile.
        "T.async_copy(A[0:32, 0:32], W[:, 0:32])\nT.copy(W[:, 0:32], A[32:64, 0:32])".to_owned(),
        "T.async_copy(A[0:32, 0:32], W[:, 0:32])\nT.clear(W)".to_owned(),
        // By some threads.
        "if tx < 32:\n    T.async_copy(A[0, 0], S)\nT.copy(S, A[bx * 64, 0])".to_owned(),
        "if tx == 0:\n    T.async_copy(A[0, 0], S)\n    T.clear(C)\nT.gemm(S, W, C)".to_owned(),
        // In the next iteration.
        "for k in T.serial(4):\n    T.copy(S, A[k * 64, 0])\n    T.async_copy(A[0, 0], S)".to_owned(),
        "for k in T.serial(4):\n    T.fill(S, k)\n    T.tma_copy(S, A[k * 64, 0])\nT.tma_store_wait()"
            .to_owned(),
    ];
    let right = [
        "T.async_copy(A[0:32, 0:32], W[:, 0:32])\nT.copy(W[:, 32:64], A[32:64, 0:32])".to_owned(),
        "T.async_copy(A[0:32, 0:32], W[:, 0:32])\nT.ptx_wait_group(0)\nT.clear(W)".to_owned(),
        "if tx < 32:\n    T.async_copy(A[0, 0], S)\nT.ptx_wait_group(0)\nT.copy(S, A[bx * 64, 0])".to_owned(),
        "if tx > 128:\n    T.async_copy(A[0, 0], S)\nT.copy(S, A[bx * 64, 0])".to_owned(),
        "for k in T.serial(4):\n    T.ptx_wait_group(0)\n    T.copy(S, A[k * 64, 0])\n    T.async_copy(A[0, 0], S)".to_owned(),
        "for k in T.serial(1):\n    T.copy(S, A[k * 64, 0])\n    T.async_copy(A[0, 0], S)".to_owned(),
        "for k in T.Pipelined(4, num_stages=2):\n    T.copy(S, A[k * 64, 0])\n    T.async_copy(A[0, 0], S)".to_owned(),
        "for k in T.serial(n):\n    T.fill(S, k)\n    T.tma_copy(S, A[k * 64, 0])\n    T.tma_store_wait()".to_owned(),
        "T.async_copy(A[0, 0], S)\nT.ptx_wait_group(0)\nT.copy(S, A[bx * 64, 0])".to_owned(),
        with_barrier(
            "T.tma_copy(A[0, 0], S, barrier=b)\nT.mbarrier_wait_parity(b, 0)\nT.gemm(S, W, C)",
        ),
        "T.copy(A[0, 0], S)\nT.gemm(S, W, C)".to_owned(),
        "T.async_copy(A[0, 0], S)\nT.copy(A[0, 0], W[:, 0:64])".to_owned(),
        "T.async_copy(A[0, 0], S)\nif tx < n:\n    T.ptx_wait_group(0)\nT.copy(S, A[bx * 64, 0])"
            .to_owned(),
        "T.tma_copy(S, A[0, 0])\nT.copy(S, A[bx * 64, 0])".to_owned(),
        "T.async_copy(A[0, 0], S)\nT.async_copy(A[0, 0], S)\nT.ptx_wait_group(0)".to_owned(),
        "T.annotate_ws_schedule(T.WSSchedule(num_warps=8))\nT.async_copy(A[0, 0], S, annotations={T.WSID: \"in\"})\nT.copy(S, A[bx * 64, 0], annotations={T.WSID: \"out\"})"
            .to_owned(),
    ];
    check("copy-in-flight", &wrong, &right);
}

#[test]
fn waits_for_barriers_at_which_nothing_arrives() {
    check(
        "barrier-without-arrival",
        &[
            "b = T.alloc_barrier(128)\nT.mbarrier_wait_parity(b, 0)",
            "b = T.alloc_barrier(128)\nT.barrier_wait(b, 0)",
            "b = T.alloc_barrier([128, 128])\nfor k in T.serial(4):\n    T.mbarrier_wait_parity(b[0], k % 2)",
            "b = T.alloc_barrier(128)\nfor k in T.serial(4):\n    T.mbarrier_wait_parity(b, (k + 1) % 2)",
            "a = T.alloc_barrier(128)\nb = T.alloc_barrier(128)\nT.barrier_arrive(a)\nT.mbarrier_wait_parity(b, 0)",
            "b = T.alloc_barrier(128)\nif tx < 32:\n    T.mbarrier_wait_parity(b, 0)",
        ],
        &[
            "b = T.alloc_barrier(128)\nT.barrier_arrive(b)\nT.mbarrier_wait_parity(b, 0)",
            "b = T.alloc_barrier(128)\nT.mbarrier_wait_parity(b, 1)",
            "b = T.alloc_barrier(1)\nT.tma_copy(A[0, 0], S, barrier=b)\nT.mbarrier_wait_parity(b, 0)",
            "b = T.alloc_barrier(128)\nT.mbarrier_wait_parity(b, n)",
            "b = T.alloc_barrier(128)\nfor k in T.serial(1):\n    T.mbarrier_wait_parity(b, (k + 1) % 2)",
            "b = T.alloc_barrier(128)\nhelper(b)\nT.mbarrier_wait_parity(b, 0)",
            "b = T.alloc_barrier(1)\nT.tcgen05_gemm(S, W, C, n, n, mbar=b)\nT.mbarrier_wait_parity(b, 0)",
            "b = T.alloc_barrier([128, 128])\nT.barrier_arrive(b[0])\nT.mbarrier_wait_parity(b[1], 0)",
        ],
    );
}

#[test]
fn parities_that_do_not_follow_the_phases() {
    let looped = |n: &str, parity: &str| {
        format!(
            "b = T.alloc_barrier(128)\nfor k in T.serial({n}):\n    T.tma_copy(A[0, 0], S, barrier=b)\n    T.barrier_arrive(b)\n    T.mbarrier_wait_parity(b, {parity})\n    T.gemm(S, W, C)"
        )
    };
    let wrong = [
        looped("4", "0"),
        looped("64", "(k + 1) % 2"),
        looped("4", "k // 2 % 2"),
        "b = T.alloc_barrier(128)\nT.tma_copy(A[0, 0], S, barrier=b)\nT.mbarrier_wait_parity(b, 0)\nT.barrier_arrive(b)".to_owned(),
        "b = T.alloc_barrier(128)\nT.barrier_arrive(b)\nT.barrier_wait(b, 0)\nT.barrier_arrive(b)\nT.barrier_wait(b, 0)".to_owned(),
        "b = T.alloc_barrier(256)\nT.barrier_arrive(b)\nT.barrier_wait(b, 0)".to_owned(),
        "b = T.alloc_barrier([64])\nT.barrier_arrive(b)\nT.barrier_wait(b, 0)".to_owned(),
        // 64 of 128 threads arrive.
        looped("4", "0").replace("    T.barrier_arrive(b)", "    if tx < 64:\n        T.barrier_arrive(b)"),
    ];
    let right = [
        looped("4", "k % 2"),
        looped("n", "0"),
        looped("1", "0"),
        looped("4", "k & 1"),
        looped("4", "0").replace("T.serial(4)", "T.Pipelined(4, num_stages=2)"),
        "b = T.alloc_barrier(128)\nT.mbarrier_wait_parity(b, 1)\nT.barrier_arrive(b)\nT.mbarrier_wait_parity(b, 0)".to_owned(),
        "b = T.alloc_barrier(256)\nT.barrier_arrive(b)\nT.barrier_arrive(b)\nT.barrier_wait(b, 0)".to_owned(),
        "b = T.alloc_barrier([128, 128])\nT.barrier_arrive(b[0])\nT.barrier_wait(b[0], 0)\nT.barrier_arrive(b[0])\nT.barrier_wait(b[0], 0)".to_owned(),
        "b = T.alloc_barrier(1)\nT.tcgen05_gemm(S, W, C, n, n, mbar=b)\nT.barrier_wait(b, 0)\nT.tcgen05_gemm(S, W, C, n, n, mbar=b)\nT.barrier_wait(b, 0)".to_owned(),
    ];
    check("barrier-phase", &wrong, &right);
}

#[test]
fn warps_that_wait_for_each_other() {
    let ring = |count: &str, fill: (&str, &str), use_of: (&str, &str), freed: &str| {
        format!(
            "full = T.alloc_barrier({count})\nempty = T.alloc_barrier([128, 128])\n\
             with T.ws(1):\n    for k in T.serial({}):\n        T.barrier_wait(empty[k % 2], {})\n        T.tma_copy(A[0, 0], S, barrier=full[k % 2])\n        T.barrier_arrive(full[k % 2])\n\
             with T.ws(0):\n    for k in T.serial({}):\n        T.barrier_wait(full[k % 2], {})\n        T.gemm(S, W, C)\n        T.barrier_arrive({freed})",
            fill.0, fill.1, use_of.0, use_of.1
        )
    };
    let (both, before, own) = ("[128, 128]", "(k // 2 + 1) % 2", "k // 2 % 2");
    let one = |loop_of: &str, first: &str, second: &str, arrive: &str| {
        format!(
            "ready = T.alloc_barrier(128)\ndone = T.alloc_barrier(128)\n\
             for k in {loop_of}:\n    with T.ws(0):\n        T.barrier_wait(done, {first})\n        T.tma_copy(A[0, 0], S, barrier=ready)\n        T.barrier_arrive(ready)\n    \
             with T.ws(1):\n        T.barrier_wait(ready, {second})\n        T.gemm(S, W, C)\n        T.barrier_arrive({arrive})"
        )
    };
    let wrong = [
        ring(both, ("8", own), ("8", own), "empty[k % 2]"),
        ring(both, ("8", before), ("8", own), "empty[0]"),
        ring("[256, 256]", ("8", before), ("8", own), "empty[k % 2]"),
        ring(both, ("8", before), ("4", own), "empty[k % 2]"),
        one("T.serial(8)", "k % 2", "k % 2", "done"),
        "b = T.alloc_barrier(128)\nwith T.ws(0):\n    T.barrier_wait(b, 0)\nif tx >= 224:\n    T.barrier_arrive(b)".to_owned(),
    ];
    let right = [
        ring(both, ("8", before), ("8", own), "empty[k % 2]"),
        ring(both, ("n", before), ("n", own), "empty[k % 2]"),
        ring(both, ("64", before), ("64", own), "empty[k % 2]"),
        ring(both, ("2", before), ("2", own), "full[k % 2]"),
        ring(both, ("8", "n"), ("8", own), "empty[k % 2]"),
        ring(both, ("8", own), ("8", own), "empty[k % 2]") + "\nT.sync_threads()",
        ring(both, ("8", own), ("8", own), "empty[k % 2]") + "\nhelper(empty)",
        one("T.serial(8)", "(k + 1) % 2", "k % 2", "done"),
        one("T.Pipelined(8, num_stages=0)", "(k + 1) % 2", "k % 2", "done"),
        "b = T.alloc_barrier(1)\nwith T.ws(0):\n    T.barrier_wait(b, 0)\nif tx == 128:\n    T.barrier_arrive(b)".to_owned(),
        "b = T.alloc_barrier(32)\nwith T.ws(0):\n    T.barrier_wait(b, 0)\nif tx >= 224:\n    T.barrier_arrive(b)".to_owned(),
    ];
    for it in wrong {
        assert_eq!(found_in("4, threads=256", &it), ["barrier-phase"], "of\n{it}");
    }
    for it in right {
        assert_eq!(found_in("4, threads=256", &it), [""; 0], "of\n{it}");
    }
}

#[test]
fn stages_of_a_pipeline_keep_their_tiles() {
    let pipeline = |rows: u32, stages: u32, extent: &str, copy: &str| {
        format!(
            "H = T.alloc_shared(({rows}, 128), \"float16\")\nfor k in T.Pipelined({extent}, num_stages={stages}):\n    {copy}\n    T.clear(C)"
        )
    };
    let copy = "T.copy(A[k * 64, 0], H)";
    let wrong = [
        pipeline(128, 8, "16", copy),
        pipeline(256, 4, "16", copy),
        pipeline(512, 2, "n", copy),
        pipeline(464, 2, "2", copy),
        pipeline(128, 8, "n", &format!("{copy}\n    T.copy(H[0:64, 0:32], A)")),
    ];
    for statements in wrong {
        assert_eq!(found_in("4, threads=128", &statements), ["launch-limit"], "{statements}");
    }
    let right = [
        pipeline(128, 7, "16", copy),
        pipeline(128, 0, "16", copy),
        pipeline(512, 1, "16", copy),
        pipeline(512, 2, "1", copy),
        pipeline(512, 2, "16", "T.copy(C, H[0:64, :])"),
        pipeline(512, 2, "16", &format!("if tx < n:\n        {copy}")),
    ];
    for statements in right {
        assert_eq!(found_in("4, threads=128", &statements), [""; 0], "{statements}");
    }
}

#[test]
fn accumulators_that_nothing_has_cleared() {
    let found = |statements: &str| found_of(&["read-before-write"], "4, threads=128", statements);
    let filled = "T.copy(A, S)\nT.fill(W, 1)\n";
    let wrong = [
        "T.gemm(S, W, C)",
        "for k in T.serial(4):\n    T.gemm(S, W, C)",
        "for k in T.Pipelined(4, num_stages=2):\n    T.copy(A, S)\n    T.gemm(S, W, C)",
        "T.reduce_sum(S, F, dim=1, clear=False)",
        "for k in T.serial(4):\n    T.gemm(S, W, C)\n    T.clear(C)",
        "T.copy(C[:, 0], B)",
    ];
    for it in wrong {
        assert_eq!(found(&format!("{filled}{it}")), ["read-before-write"], "of\n{it}");
    }
    let right = [
        "T.clear(C)\nT.gemm(S, W, C)",
        "T.gemm(S, W, C, clear_accum=True)",
        "for k in T.serial(4):\n    T.gemm(S, W, C, clear_accum=k == 0)",
        "for k in T.serial(4):\n    if k == 0:\n        T.clear(C)\n    T.gemm(S, W, C)",
        "T.reduce_sum(S, F, dim=1)",
        "G = T.alloc_shared((64, 32), \"float16\")\nb = T.alloc_barrier(128)\nwith T.ws(0):\n    T.barrier_wait(b, 0)\n    T.copy(G, A)\nwith T.ws(1):\n    T.copy(A, G)\n    T.barrier_arrive(b)",
        "T.fill(C, 0)\nfor k in T.serial(n):\n    T.gemm(S, W, C)",
    ];
    for it in right {
        assert_eq!(found(&format!("{filled}{it}")), [""; 0], "of\n{it}");
    }
}

#[test]
fn integers_that_int32_cannot_hold() {
    check(
        "offset-overflow",
        &[
            "X[0] = bx * 1073741824",
            "row = bx * 65536 * 32768\nX[0] = row",
            "for i in T.serial(65536):\n    if i * 65536 < n:\n        F[0] = 0.0",
            "for i in T.serial(65536):\n    B[i * 65536 // 67108864] = 0.0",
            "for i, j in T.Parallel(65536, 4):\n    B[(i * 65536 + j) % 64] = 0.0",
            "for i in T.serial(131072):\n    B[T.cast(i * 65536, \"int64\")] = 0.0",
        ],
        &[
            // TileLang widens an index.
            "for i in T.serial(65536):\n    B[i * 65536] = 0.0",
            "for i in T.serial(65536):\n    B[i * 65536 + tx] = A[i * 65536 + 4, 0]",
            "T.copy(A[bx * 1073741824, 0], S)",
            "X[0] = bx * 536870912",
            "for i in T.serial(65536):\n    if i < 4:\n        X[0] = i * 65536",
            "for i in T.serial(n):\n    X[0] = i * 65536",
            "for i in T.serial(65536):\n    B[T.cast(i, \"int64\") * 65536 // 67108864] = 0.0",
            "for i in T.serial(65536):\n    X[0] = T.if_then_else(i < 8, i * 65536, 0)",
        ],
    );
}

/// The text of a kernel after the fix of its `read-before-write`, from the memory on.
#[track_caller]
fn cleared(statements: &str) -> String {
    let lines: String = statements.trim().lines().map(|it| format!("        {it}\n")).collect();
    let text = format!(
        "import tilelang.language as T\n\n@T.prim_func\ndef f(A: T.Tensor((64, 32), \"float16\"), B: T.Tensor((64, 128), \"float32\")):\n    with T.Kernel(4, threads=128) as bx:\n        S = T.alloc_shared((64, 32), \"float16\")\n        W = T.alloc_shared((32, 128), \"float16\")\n        C = T.alloc_fragment((64, 128), \"float32\")\n        F = T.alloc_fragment((64,), \"float32\")\n        T.copy(A, S)\n        T.fill(W, 1)\n{lines}"
    );
    let analysis = analysis(&text);
    let all = analysis.diagnostics(FILE, &DiagnosticsConfig::default()).unwrap();
    let found = all.iter().find(|it| it.code == "read-before-write").expect("a finding");
    let is_fix = |it: ActionKind| it == ActionKind::QuickFix;
    let actions = analysis.code_actions(FILE, found.range, &is_fix).unwrap();
    let is_fill =
        |it: &&crate::CodeAction| it.title.starts_with("Clear") || it.title.starts_with("Fill");
    let Some(action) = actions.iter().find(is_fill) else { return "no fix".to_owned() };
    let edits = TextEdit::from_edits(action.edits.clone()).expect("edits do not overlap");
    let new = edits.apply(&text);
    let from = new.find("T.fill(W, 1)\n").unwrap_or(0);
    let rest: Vec<&str> = new[from..].lines().skip(1).map(|it| it.get(8..).unwrap_or("")).collect();
    format!("# {}\n{}\n", action.title, rest.join("\n"))
}

#[test]
fn the_fix_clears_an_accumulator_before_its_loop() {
    let check = |statements: &str, expected: Expect| {
        expected.assert_eq(&cleared(statements));
    };
    check(
        "T.gemm(S, W, C)\nT.copy(C, B)",
        expect![[r#"
        # Clear `C` first
        T.clear(C)
        T.gemm(S, W, C)
        T.copy(C, B)
    "#]],
    );
    check(
        "for k in T.Pipelined(4, num_stages=2):\n    T.copy(A, S)\n    T.gemm(S, W, C)\nT.copy(C, B)",
        expect![[r#"
            # Clear `C` first
            T.clear(C)
            for k in T.Pipelined(4, num_stages=2):
                T.copy(A, S)
                T.gemm(S, W, C)
            T.copy(C, B)
        "#]],
    );
    check(
        "for t in T.serial(4):\n    for k in T.serial(4):\n        T.gemm(S, W, C)\n    T.copy(C, B)",
        expect![[r#"
            # Clear `C` first
            for t in T.serial(4):
                T.clear(C)
                for k in T.serial(4):
                    T.gemm(S, W, C)
                T.copy(C, B)
        "#]],
    );
    check(
        "T.reduce_max(S, F, dim=1, clear=False)",
        expect![[r##"
        # Fill `F` with the least value of float32 first
        T.fill(F, -T.infinity("float32"))
        T.reduce_max(S, F, dim=1, clear=False)
    "##]],
    );
    check(
        "for k in T.serial(32):\n    for i in T.Parallel(64):\n        F[i] = T.min(F[i], S[i, k])",
        expect![[r##"
            # Fill `F` with the greatest value of float32 first
            T.fill(F, T.infinity("float32"))
            for k in T.serial(32):
                for i in T.Parallel(64):
                    F[i] = T.min(F[i], S[i, k])
        "##]],
    );
    check(
        "for k in T.serial(32):\n    for i in T.Parallel(64):\n        F[i] += S[i, k]\n    T.copy(F, B[0, k])",
        expect!["no fix"],
    );
    check("T.copy(C, B)", expect!["no fix"]);
}

#[test]
fn kernels_that_run_as_they_stand_have_no_hints_against_it() {
    let rules = [
        "dead-store",
        "empty-loop",
        "invariant-guard",
        "missing-noalias",
        "out-of-bounds",
        "read-before-write",
        "single-iteration-loop",
    ];
    let kernels = [
        // The threads of the block share the iterations.
        "for i in T.Parallel(1):\n    B[i] = A[i, 0]",
        "for i, j in T.Parallel(64, 32):\n    if i < n:\n        B[i] = A[i, j]",
        // A variable starts with 0.
        "v = T.alloc_var(T.int32)\nwhile v < X[bx]:\n    v += 1\nX[bx] = v",
        // Another thread writes.
        "if tx < 64:\n    B[tx] = S[tx, 0]\nelse:\n    T.copy(A, S)",
        "for i in range(10, 0, -1):\n    T.device_assert(0 < i)\n    X[10 - i] = i",
        "with T.If(n > 4):\n    with T.Then():\n        F[0] = B[0]\n    with T.Else():\n        F[0] = B[1]\nB[2] = F[0]",
        "for i in range(4):\n    with trace.range(\"part\"):\n        if tx == 0:\n            B[i] = 1.0",
        // TileLang promises it.
        "B[bx] = B[bx + 1]\nX[bx] = X[bx + 1]\nB[bx + 2] = B[bx + 1]\nX[bx + 2] = X[bx + 1]",
        // Its name is that of the memory that TVM makes for it.
        "Z = T.alloc_local(0, \"float32\")\nT.tvm_thread_allreduce(T.uint32(1), B[0], True, Z[0], tx, dtype=\"handle\")",
    ];
    for it in kernels {
        assert_eq!(found_of(&rules, "4, threads=128", it), [""; 0], "of\n{it}");
    }
}

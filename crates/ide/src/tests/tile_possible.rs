//! The tier of what may go wrong in kernels of TileLang: off by default, and what it names.

use expect_test::{Expect, expect};

use super::{FILE, tile_rules::factory};
use crate::{
    AnalysisHost, Config, Diagnostic, DiagnosticsConfig, FindingLevels, FindingOptions, Group,
    Settings,
};

const RULES: [&str; 4] =
    ["possible-out-of-bounds", "possible-overflow", "possible-race", "possible-read-before-write"];

/// A kernel with these statements; `n` is not known when it is read, `m` is a size that a call gives.
fn kernel(statements: &str) -> String {
    let memory = [
        "S = T.alloc_shared((64, 32), \"float16\")",
        "F = T.alloc_fragment((64,), \"float32\")",
        "Q = T.alloc_shared((n,), \"float16\")",
        "tx = T.get_thread_binding()",
    ];
    let before = "    m = T.dynamic(\"m\")\n\n";
    factory(before, "m", "4, threads=128) as bx", &memory, statements)
}

/// The diagnostics with the tier, or without it.
#[track_caller]
fn told(statements: &str, possible: bool) -> Vec<Diagnostic> {
    let text = kernel(statements);
    let mut levels = FindingLevels::default();
    levels.possible = possible;
    let findings = FindingOptions { kinds: levels.kinds(), ..FindingOptions::default() };
    let mut host = AnalysisHost::new();
    let config = Config { findings, ..Config::default() };
    host.set_settings(Group::default(), Settings { config, ..Settings::default() });
    host.open_file(FILE, syntax::parse(&text));
    let config = DiagnosticsConfig { common_subexpressions: false, levels, ..Default::default() };
    let all = host.analysis().diagnostics(FILE, &config).unwrap();
    assert!(!all.iter().any(|it| it.code == "syntax-error"), "{text}");
    all
}

/// The rules of the tier by which something is told.
#[track_caller]
fn found(statements: &str) -> Vec<&'static str> {
    let of = |possible: bool| -> Vec<&'static str> {
        told(statements, possible).iter().map(|it| it.code).collect()
    };
    let (with, without) = (of(true), of(false));
    let is_possible = |it: &&str| RULES.contains(it);
    assert!(!without.iter().any(is_possible), "of\n{statements}");
    let (more, same): (Vec<&str>, Vec<&str>) = with.into_iter().partition(is_possible);
    assert_eq!(same, without, "the other tier is the same of\n{statements}");
    more
}

#[track_caller]
fn check(rule: &str, wrong: &[&str], right: &[&str]) {
    for it in wrong {
        assert_eq!(found(it), [rule], "of\n{it}");
    }
    for it in right {
        assert_eq!(found(it), [""; 0], "of\n{it}");
    }
}

#[test]
fn accesses_that_nothing_shows_to_be_inside() {
    check(
        "possible-out-of-bounds",
        &[
            "F[X[bx]] = 0.0",
            "if tx < n:\n    F[tx] = 0.0",
            "for i in T.serial(m):\n    S[i, 0] = 0.0",
            "B[0] = S[X[0], 0]",
            "for i in T.serial(64):\n    Q[i] = 0.0",
            "if X[bx] < 65:\n    S[X[bx], 0] = 0.0",
            "T.fill(S[0:m, :], 0)",
        ],
        &[
            "F[tx % 64] = 0.0",
            "if X[bx] < 64:\n    S[X[bx], 0] = 0.0",
            "for i in T.serial(n):\n    Q[i] = 0.0",
            "for i in T.serial(m):\n    if i < 64:\n        S[i, 0] = 0.0",
            "B[X[0]] = 0.0",
            "T.clear(S)",
            "S[X[0] % 64, 0] = 0.0",
        ],
    );
    // What is proven is told by the other tier alone.
    check("", &[], &["for i in T.serial(65):\n    F[i] = 0.0"]);
}

#[test]
fn products_that_nothing_shows_to_be_held() {
    check(
        "possible-overflow",
        &[
            "if m * X[0] > 4:\n    B[0] = 0.0",
            "X[0] = m * m",
            "row = m * 4096\nX[0] = row // 7",
            "X[bx] = X[0] * 65536",
            "for i in T.serial(m):\n    if i * m < 7:\n        B[0] = 0.0",
        ],
        &[
            "X[0] = bx * 4096",
            "B[X[0] % 64 * 4] = 0.0",
            "X[0] = X[1] % 64 * 65536",
            "X[0] = T.cast(T.cast(m, \"int64\") * m % 7, \"int32\")",
            "if m < 1000:\n    X[0] = m % 1000 * 2",
            "X[0] = m + 1",
            "T.copy(A[bx * m, 0], S[0:1, :])",
        ],
    );
}

#[test]
fn elements_that_nothing_shows_to_be_written_once() {
    check(
        "possible-race",
        &[
            "for i in T.Parallel(64):\n    B[X[i]] = A[i, 0]",
            "for i in T.Parallel(m):\n    B[0] = A[i, 0]",
            "for i, j in T.Parallel(64, n):\n    B[i] = A[i, j]",
            "for i in T.Parallel(m):\n    B[i // 2] = A[i, 0]",
            "for i, j in T.Parallel(m, m):\n    B[i * 8 + j] = A[i, j]",
            "for i in T.Parallel(64):\n    B[i * n] = A[i, 0]",
        ],
        &[
            "for i in T.Parallel(m):\n    B[i] = A[i, 0]",
            "for i, j in T.Parallel(64, 32):\n    S[i, j] = A[i, j]",
            "for i, j in T.Parallel(m, 8):\n    B[i * 8 + j] = A[i, j]",
            "for i, j in T.Parallel(8, 8):\n    B[j * 8 + i] = A[i, j]",
            "for i in T.Parallel(m):\n    B[bx] = 1.0",
            "for i in T.Parallel(64):\n    T.atomic_add(B[X[i]], 1.0)",
            "for i in T.Parallel(64):\n    S[i // 32, i % 32] = A[i, 0]",
            "for i in T.Parallel(64):\n    F[i] = A[i, 0]",
        ],
    );
    check("", &[], &["for i, j in T.Parallel(64, 32):\n    B[i] = A[i, j]"]);
}

#[test]
fn reads_of_what_only_one_arm_writes() {
    check(
        "possible-read-before-write",
        &[
            "L = T.alloc_local((4,), \"float32\")\nif X[bx] > 0:\n    L[0] = 1.0\nB[bx] = L[0]",
            "if bx > 2:\n    T.clear(F)\nT.copy(F, B)",
            "if m > 4:\n    T.fill(F, 1)\nelse:\n    B[bx] = 2.0\nT.copy(F, B)",
            "L = T.alloc_local((1,), \"float32\")\nif tx < 64:\n    L[0] = 1.0\nB[tx % 64] = L[0]",
            "if bx > 2:\n    B[bx] = 1.0\nelse:\n    T.clear(F)\nfor i in T.Parallel(64):\n    B[i] = F[i]",
        ],
        &[
            "L = T.alloc_local((4,), \"float32\")\nL[0] = 0.0\nif X[bx] > 0:\n    L[0] = 1.0\nB[bx] = L[0]",
            "if bx > 2:\n    T.clear(F)\nelse:\n    T.fill(F, 1)\nT.copy(F, B)",
            "if bx > 2:\n    T.clear(F)\n    T.copy(F, B)",
            "if n:\n    T.clear(F)\nT.copy(F, B)",
            "T.clear(F)\nif bx > 2:\n    T.fill(F, 1)\nT.copy(F, B)",
            "if bx > 2:\n    T.clear(F)\nT.fill(F, 1)\nT.copy(F, B)",
        ],
    );
}

#[test]
fn each_names_the_fact_that_is_missing() {
    let check = |statements: &str, expected: Expect| {
        let all = told(statements, true);
        let all = all.iter().filter(|it| RULES.contains(&it.code));
        let lines: Vec<String> =
            all.map(|it| format!("{:?}: {}", it.severity, it.message)).collect();
        expected.assert_eq(&lines.join("\n"));
    };
    check(
        "F[X[bx]] = 0.0",
        expect![
            "Hint: `F[X[bx]] = 0.0` may be outside of `F`: dimension 0 has extent `64`, and nothing shows that `X[bx]` is less"
        ],
    );
    check(
        "for i in T.serial(m):\n    Q[i] = 0.0",
        expect![
            "Hint: `Q[i] = 0.0` may be outside of `Q`: dimension 0 has extent `n`, and nothing shows that `i` is less"
        ],
    );
    check(
        "X[0] = m * m",
        expect![
            "Hint: `m * m` may be what int32 cannot hold: nothing shows that the product of `m` and `m` is less than 2^31"
        ],
    );
    check(
        "for i in T.Parallel(64):\n    B[X[i]] = A[i, 0]",
        expect![
            "Hint: `B[X[i]] = A[i, 0]`: two iterations of `T.Parallel` may write one element of `B`: nothing shows that `X[i]` differs between two values of `i`"
        ],
    );
    check(
        "for i in T.Parallel(m):\n    B[0] = A[i, 0]",
        expect![
            "Hint: `B[0] = A[i, 0]`: two iterations of `T.Parallel` may write one element of `B`: nothing shows that the loop over `i` has one iteration only"
        ],
    );
}

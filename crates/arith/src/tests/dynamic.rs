//! Conditions over symbolic shapes: products, symbolic divisors, flattened indices, split loops.

use super::by_hand::{check_bound, check_decides, computed, decisions};

const SHAPES: &[&str] = &[
    "b: int32",
    "t: int32",
    "d0: size int32",
    "d1: size int32",
    "d2: size int32",
    "d3: size int32",
];
const LAUNCH: &[&str] = &["b in 0, (d0 * d1 * d2 + 511) // 512", "t in 0, 512"];

fn with<'a>(more: &[&'a str]) -> Vec<&'a str> {
    LAUNCH.iter().copied().chain(more.iter().copied()).collect()
}

/// Decided where overflow is excluded, whatever is shown where it is not.
#[track_caller]
fn check_decides_where_evaluated(variables: &[&str], context: &[&str], query: &str, truth: bool) {
    let [wraps, excluded] = decisions(variables, context, query);
    assert_eq!(excluded, Some(truth), "{query}");
    assert_ne!(wraps, Some(!truth), "{query}");
}

#[test]
fn inside_a_launch_every_factor_of_the_extent_is_positive() {
    for size in ["d0", "d1", "d2"] {
        check_decides(SHAPES, LAUNCH, &format!("{size} >= 1"), Some(true));
    }
    check_bound(SHAPES, LAUNCH, "d3", "[0, 2147483647]");
    check_decides_where_evaluated(SHAPES, LAUNCH, "d0 * d1 >= 1", true);
    check_decides_where_evaluated(SHAPES, LAUNCH, "d2 * d0 >= d2", true);
    check_decides_where_evaluated(SHAPES, LAUNCH, "d1 <= d2 * (d1 * d0)", true);
}

#[test]
fn the_guards_of_a_fused_softmax_are_one() {
    const X: &str = "(b * 512 + t)";
    let guards = [
        format!("{X} < d2 * (d1 * d0)"),
        format!("{X} // d2 // d1 < d0"),
        format!("{X} // d2 < d0 * d1"),
        format!("{X} // (d2 * d1) < d0"),
        format!("d0 > {X} // d1 // d2"),
    ];
    for outer in &guards {
        for inner in &guards {
            check_decides_where_evaluated(SHAPES, &with(&[outer]), inner, true);
        }
    }
    // Without the guard nothing is decided.
    for inner in &guards {
        check_decides(SHAPES, LAUNCH, inner, None);
    }
    check_decides(SHAPES, &with(&[&guards[0]]), &format!("{X} // d2 // d1 < d3"), None);
    check_decides_where_evaluated(
        SHAPES,
        &with(&[&guards[0]]),
        &format!("{X} // d2 % d1 < d1"),
        true,
    );
}

#[test]
fn the_guard_of_a_product_that_may_wrap_is_stronger_than_that_of_its_quotients() {
    // Whatever the product wraps to, it is at most the product.
    let outer = "b * 512 + t < d0 * d1 * d2";
    check_decides(SHAPES, &with(&[outer]), "(b * 512 + t) // d2 // d1 < d0", Some(true));
}

#[test]
fn flattened_indices_are_in_bounds() {
    const V: &[&str] =
        &["i: int32", "j: int32", "k: int32", "n: size int32", "m: size int32", "l: size int32"];
    let loops = &["i in 0, n", "j in 0, m", "k in 0, l"];
    check_decides_where_evaluated(V, loops, "i * m + j < n * m", true);
    check_decides_where_evaluated(V, loops, "(i * m + j) * l + k < l * m * n", true);
    check_decides_where_evaluated(V, loops, "i * m + j >= 0", true);
    check_decides_where_evaluated(V, loops, "(i * m + j) // m == i", true);
    check_decides_where_evaluated(V, loops, "(i * m + j) // m < n", true);
}

#[test]
fn quotients_and_remainders_belong_together() {
    const V: &[&str] = &["x: int32", "y: int32", "n: int32"];
    check_decides(V, &["x >= 0", "x < 1000"], "x // 8 * 8 + x % 8 == x", Some(true));
    check_decides(V, &["x >= 0", "x < 1000"], "(x >> 3) == x // 8", Some(true));
    check_decides(V, &["x >= 0", "x < 1000"], "(x & 7) == x % 8", Some(true));
    check_decides_where_evaluated(V, &["n > 0"], "x // n * n + x % n == x", true);
    check_decides_where_evaluated(V, &["n > 0"], "x // n * n <= x", true);
    check_decides(V, &["n > 0", "x >= 0"], "x % n <= x", Some(true));
    check_decides(V, &["n > 0"], "x % n < n", Some(true));
    check_decides(V, &["x % 8 < y", "y < 3", "x // 8 == 2"], "x < 18", Some(true));
    check_decides(V, &["x % 8 < y", "y < 3", "x // 8 == 2"], "x < 17", None);
}

#[test]
fn chains_of_inequalities_are_followed_as_far_as_they_go() {
    const V: &[&str] = &["a: int8", "b: int8", "c: int8", "d: int8", "e: int8", "f: int8"];
    check_decides(V, &["a < b", "b < c", "c < d", "d < e", "e < f"], "a < f", Some(true));
    check_decides(V, &["a < b", "b <= c", "c <= a"], "e == 1", None);
    check_decides(V, &["a <= b", "b <= c", "c <= a"], "a == c", Some(true));
    check_decides(V, &["a <= b", "a != b"], "a < b", Some(true));
    const W: &[&str] = &["a: int64", "b: int64", "n: size int64"];
    check_decides(
        W,
        &["a in 0, 100", "b in 0, 100", "a + b >= 50", "a - b >= 10"],
        "a >= 30",
        Some(true),
    );
    check_decides(
        W,
        &["a in 0, 100", "b in 0, 100", "a + b >= 50", "a - b >= 10"],
        "a >= 31",
        None,
    );
}

#[test]
fn congruences_round_inequalities() {
    const V: &[&str] = &["i: int32", "n: size int32"];
    check_decides_where_evaluated(
        V,
        &["n % 4 == 0", "i in 0, 1000000", "i * 4 < n"],
        "i * 4 + 3 < n",
        true,
    );
    check_decides(V, &["i in 0, 1000000", "i * 4 < n"], "i * 4 + 3 < n", None);
}

#[test]
fn minima_are_taken_apart() {
    const V: &[&str] = &["x: int32", "y: int32", "n: int32"];
    check_decides(V, &["n < x", "n < y"], "n < min(x, y)", Some(true));
    check_decides(V, &["n < x"], "n < min(x, y)", None);
    check_decides(V, &["x < n", "y < n"], "max(x, y) < n", Some(true));
    check_decides(V, &["n <= x"], "min(n, y) <= x", Some(true));
}

/// apache/tvm#16158
#[test]
fn remainders_of_dynamic_extents() {
    const V: &[&str] = &["n: size int64", "i: int64", "j: int64"];
    check_decides_where_evaluated(
        V,
        &["i in 0, (n + 31) // 32", "j in 0, 32"],
        "i * 32 + j < (n + 31) // 32 * 32",
        true,
    );
    check_decides_where_evaluated(V, &["n > 0", "i in 0, n"], "i % n == i", true);
    check_decides_where_evaluated(
        V,
        &["n > 0", "i in 0, n", "j in 0, n"],
        "(i * n + j) // n == i",
        true,
    );
    check_decides_where_evaluated(
        V,
        &["n > 0", "i in 0, n", "j in 0, n"],
        "(i * n + j) % n == j",
        true,
    );
}

/// apache/tvm#17764, #17765
#[test]
fn multiples_by_multiples() {
    const V: &[&str] = &["x: int32", "n: size int32", "i: int32"];
    check_decides_where_evaluated(V, &["x > 0"], "x * 6 % (x * 3) == 0", true);
    check_decides_where_evaluated(V, &["x > 0"], "x * 6 // (x * 4) == 1", true);
    check_decides_where_evaluated(V, &["x > 0"], "x * 6 % (x * 4) == x * 2", true);
    check_decides_where_evaluated(
        V,
        &["x != 0"],
        "(x * 12 + x * i * 8) // (x * 4) == i * 2 + 3",
        true,
    );
    check_decides_where_evaluated(V, &["n > 0"], "(n * 64 + 63) // 64 == n", true);
}

#[test]
fn values_computed_for_a_launch_may_be_computed_again() {
    let check = |context: &[&str], query: &str, is_computed: bool, adds_nothing: bool| {
        assert_eq!(computed(SHAPES, context, query), (is_computed, adds_nothing), "{query}");
    };
    check(LAUNCH, "d0 * d1 * d2", true, true);
    check(LAUNCH, "d2 * (d1 * d0)", true, true);
    check(LAUNCH, "d0 * d1", true, true);
    // A part that nobody computed is at most the whole: the rest is at least 1.
    check(LAUNCH, "d0 * d2", false, true);
    check(LAUNCH, "d0 * d2 * d1 + 511", true, true);
    check(LAUNCH, "d0 * d3", false, false);
    check(LAUNCH, "d0 * d1 * d2 * 2", false, false);
    check(&[], "d0 * d1 * d2", false, false);
    check(&["t < d0 * d1 * 4"], "d1 * d0", true, true);
    check(&["t < d0 * d1 * 4 or t > d2 * d3"], "d2 * d3", false, false);
    check(&["t < d0 * d1 * 4 or t > d2 * d3"], "d0 * d1 * 2", false, true);
}

#[test]
fn split_loops_over_dynamic_extents() {
    const V: &[&str] = &["n: size int64", "m: size int64", "i: int64", "j: int64", "k: int64"];
    let holds = |context: &[&str], query: &str| {
        check_decides_where_evaluated(V, context, query, true);
    };
    let split = &["i in 0, (n + 31) // 32", "j in 0, 32"];
    holds(split, "i * 32 < n");
    holds(split, "i * 32 + min(32, n - i * 32) <= n");
    holds(split, "min(32, n - i * 32) >= 1");
    holds(split, "(i * 32 + j) // 32 == i");
    holds(split, "(i * 32 + j) % 32 == j");
    holds(&["i in 0, n // 128", "j in 0, 128"], "i * 128 + j < n");
    holds(&["n % 128 == 0", "i in 0, (n + 127) // 128", "j in 0, 128"], "i * 128 + j < n");
    holds(&[], "(n + 31) // 32 * 32 >= n");
    holds(&[], "(n + 7) // 8 == (n - 1) // 8 + 1");
    holds(&["n % 8 == 0"], "(n + 7) // 8 * 8 == n");
    holds(&["n % 8 == 0"], "n * m % 8 == 0");
    holds(&["m > 0"], "n * m // m == n");
    holds(&["m > 0"], "n * m % m == 0");
    holds(&["m > 0", "k in 0, n * m"], "k // m < n");
    holds(&["m > 0", "k in 0, n * m"], "k // m * m + k % m == k");
    holds(&["m > 0", "k in 0, n * m"], "k % m < m and k // m >= 0");
    holds(&["k in 0, n * m"], "n >= 1 and m >= 1");
    holds(&["i in 0, n", "j in 0, i"], "j + 1 < n");
}

//! `simplify`: expressions at the prompt.

use expect_test::{Expect, expect};

use super::Project;

/// Runs `simplify` with arguments that have spaces in them.
#[track_caller]
fn check(arguments: &[&str], expected: Expect) {
    let words = std::iter::once("simplify").chain(arguments.iter().copied());
    Project::new(&[]).run_words(words, b"").check(expected);
}

#[test]
fn simplest_form_is_printed_with_the_rules_that_lead_to_it() {
    check(
        &["min(n, n + 1)"],
        expect![[r#"
            n
              min-operand: T.min(n, n + 1)  =>  n
            --- exit code 0
        "#]],
    );
}

#[test]
fn conditions_are_used_and_named() {
    check(
        &["T.Select(n > 0, x, y)", "--given", "n >= 3"],
        expect![[r#"
        x
          decided: n > 0  =>  T.bool(True), as n >= 3
          fold: T.Select(T.bool(True), x, y)  =>  x
        --- exit code 0
    "#]],
    );
}

#[test]
fn what_begins_with_a_minus_is_no_option() {
    check(
        &["-x + x"],
        expect![[r#"
        0
          sum-of-products: x * -1 + x  =>  0
        --- exit code 0
    "#]],
    );
    check(
        &["max(y + 8, 0)", "--given", "-8 <= y"],
        expect![[r#"
        y + 8
          max-operand: T.max(y + 8, 0)  =>  y + 8
        --- exit code 0
    "#]],
    );
    check(
        &["x + 0", "--facts", "--given", "-1 < x"],
        expect![[r#"
        x
          it is in its simplest form
        bounds: [0, 2147483647]
        congruence: any
        --- exit code 0
    "#]],
    );
}

#[test]
fn missing_fact_is_told() {
    check(
        &["floordiv(x, d1) < d0", "--size", "d0,d1", "--given", "d1 > 0"],
        expect![[r#"
        x // d1 < d0
          it is in its simplest form
        not known: that `d1 * d0` does not overflow; with it, floordiv-lt would apply to `x // d1 < d0`
        --- exit code 0
    "#]],
    );
}

#[test]
fn guards_of_fused_loops_are_one_comparison_with_a_product_that_is_computed() {
    let sizes = ["--size", "d0,d1,d2", "--given", "d1 > 0", "--given", "d2 > 0"];
    let computed = ["--given", "d0 * d1 * d2 < 1000000"];
    let all = |expr| [[expr].as_slice(), &sizes, &computed].concat();
    check(
        &all("floordiv(floordiv(x, d2), d1) < d0"),
        expect![[r#"
        x < d0 * d1 * d2
          floordiv-lt: x // d2 // d1 < d0  =>  x // d2 < d1 * d0
          sum-of-products: d1 * d0  =>  d0 * d1
          floordiv-lt: x // d2 < d0 * d1  =>  x < d2 * (d0 * d1)
          sum-of-products: d2 * (d0 * d1)  =>  d0 * d1 * d2
        --- exit code 0
    "#]],
    );
    check(
        &all("floordiv(x, d2) < d0 * d1"),
        expect![[r#"
        x < d0 * d1 * d2
          floordiv-lt: x // d2 < d0 * d1  =>  x < d2 * (d0 * d1)
          sum-of-products: d2 * (d0 * d1)  =>  d0 * d1 * d2
        --- exit code 0
    "#]],
    );
}

#[test]
fn facts_are_told_on_request() {
    check(
        &["i * 4 + 2", "--var", "i:int64", "--given", "0 <= i", "--given", "i < 8", "--facts"],
        expect![[r#"
            i * T.int64(4) + T.int64(2)
              it is in its simplest form
            bounds: [2, 30]
            congruence: 4*k + 2
            --- exit code 0
        "#]],
    );
}

#[test]
fn answer_is_also_json() {
    check(
        &["n + n", "--format", "json"],
        expect![[r#"
        {
          "version": 1,
          "before": "n + n",
          "after": "n * 2",
          "dtype": "int32",
          "contradiction": false,
          "steps": [
            {
              "rule": "sum-of-products",
              "before": "n + n",
              "after": "n * 2",
              "because": null
            }
          ],
          "missing": [],
          "facts": {
            "min": "-2147483648",
            "max": "2147483646",
            "modulus": "2",
            "remainder": "0"
          }
        }
        --- exit code 0
    "#]],
    );
}

#[test]
fn mistakes_are_shown_in_the_argument_they_are_in() {
    check(
        &["min(n, n +"],
        expect![[r#"
        --- errors
        error: expression, column 1: `(` is never closed
          min(n, n +
          ^
        --- exit code 2
    "#]],
    );
    check(
        &["n", "--given", "n"],
        expect![[r#"
        --- errors
        error: condition 1: `n` is no condition; write a comparison
        --- exit code 2
    "#]],
    );
    check(
        &["n); T.evaluate(1"],
        expect![[r#"
        --- errors
        error: one of the arguments is more than one expression
        --- exit code 2
    "#]],
    );
    check(
        &["n", "--var", "n"],
        expect![[r#"
        --- errors
        error: --var: `n` says no type; write NAME:DTYPE, as `n:int64`
        --- exit code 2
    "#]],
    );
    check(
        &["min(n, x[3])"],
        expect![[r#"
        --- errors
        error: expression, column 8: this has no meaning in TVMScript that is known here
          min(n, x[3])
                 ^
        --- exit code 2
    "#]],
    );
}

#[test]
fn types_that_are_none_and_nothing_at_all_are_refused() {
    check(
        &["x", "--var", "x:foo"],
        expect![[r#"
        --- errors
        error: --var: `foo` is no type; write one as int32, int64, uint8, bool, float32
        --- exit code 2
    "#]],
    );
    check(
        &[" "],
        expect![[r#"
        --- errors
        error: there is no expression; write one, as `min(n, n + 1)`
        --- exit code 2
    "#]],
    );
}

#[test]
fn of_a_long_expression_what_is_around_a_mistake_is_shown() {
    let long = format!("{}x +", "n + ".repeat(100));
    check(
        &[&long],
        expect![[r#"
            --- errors
            error: expression, column 404: expected an operand
              … n + n + n + n + n + n + n + n + n + n + n + n + n + n + x +
                                                                           ^
            --- exit code 2
        "#]],
    );
}

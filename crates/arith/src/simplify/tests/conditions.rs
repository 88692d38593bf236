//! Comparisons and logic.

use super::support::{check, check_unchanged, check_under, check_wrapping};

#[test]
fn common_terms_of_both_sides_cancel() {
    check("x + z < y + z", "x < y");
    check("x + 5 < y + 3", "x + 2 < y");
    check("x - y < 0", "x < y");
    check("x * 2 < y * 2", "x < y");
    check("x * 3 < 10", "x < 4");
    check("x * 4 + 2 == y * 4 + 2", "x == y");
    check("x * 4 + 2 == y * 4 + 1", "false");
    check("x > y", "y < x");
    check("x <= 3", "x < 4");
    check("x > 3", "3 < x");
    check("x > 0", "0 < x");
    check("x >= 0", "0 <= x");
    check("x <= 0", "x <= 0");
    check("x < 0", "x < 0");
    check("x + 1 < 5", "x < 4");
    check("n + 1 > n", "true");
    check("x - 1 == 4", "x == 5");
    check_under(&["y >= 0 and y < 4"], "x * 4 + y < n * 4", "x < n");
    check_under(&["y >= 0 and y < 4"], "x * 4 + y < 64", "x < 16");
    // Of multiples of 4 nothing is known to be left over.
    let lane = "y >= 0 and y < 4";
    check_under(&[lane, "z % 4 == 0"], "x * 4 + y < z", "x * 4 < z");
    check_under(&["y >= 0 and y < 5", "z % 4 == 0"], "x * 4 + y < z", "x * 4 + y < z");
    check_under(&[lane, "z % 4 == 2"], "x * 4 + y < z", "x * 4 + y < z");
    check_under(&["n > 0"], "x * n < y * n", "x < y");
    check_under(&["n > 0"], "x * n == y * n", "x == y");
}

#[test]
fn quotients_are_compared_by_their_dividends() {
    check("x // 4 < 8", "x < 32");
    check("8 <= x // 4", "31 < x");
    check("x // 4 <= 7", "x < 32");
    check("x // 4 > 7", "31 < x");
    check_under(&["x >= 0"], "x // 4 == 0", "x < 4");
}

#[test]
fn guards_of_fused_loops_become_one_comparison() {
    let given = &["d0 > 0 and d0 < 100 and d1 > 0 and d1 < 100 and d2 > 0 and d2 < 100"];
    check_under(given, "x // d2 // d1 < d0", "x < d0 * d1 * d2");
    check_under(given, "x // d2 < d0 * d1", "x < d0 * d1 * d2");
    check_under(given, "x // (d1 * d2) < d0", "x < d0 * d1 * d2");
}

#[test]
fn a_multiple_has_a_multiple_as_its_opposite() {
    check("(0 - x) % 2 == 0", "x % 2 == 0");
    check("(0 - x) % 3 != 0", "x % 3 != 0");
    check("x * -1 % 2 == 0", "x % 2 == 0");
    check("(0 - x) % n == 0", "x % n == 0");
    check("(0 - x) % 4 == 1", "x * -1 % 4 == 1");
}

#[test]
fn known_facts_decide_conditions() {
    check_under(&["x < 5"], "x < 7", "true");
    check_under(&["x < y"], "y <= x", "false");
    check_under(&["x < y and y < z"], "x < z", "true");
    check_under(&["x % 8 == 0"], "x % 4 == 0", "true");
    check("min(x, y) <= x", "true");
    check("x < min(x, y)", "false");
    check("x < max(x, y)", "x < y");
    check("x % 4 < 4", "true");
    check("n >= 0", "true");
}

#[test]
fn logic() {
    check("p and p", "p");
    check("p and true", "p");
    check("true and p", "p");
    check("p and false", "false");
    check("p or true", "true");
    check("p and not p", "false");
    check("p or not p", "true");
    check("p and (p or q)", "p");
    check("p and (q or p)", "p");
    check("not not p", "p");
    check("not (x < y)", "y <= x");
    check("not (x < y and z < w)", "y <= x or w <= z");
    check("x < 5 and x < 3", "x < 3");
    check("x < 3 and x < 5", "x < 3");
    check("x < 3 or x < 5", "x < 5");
    check("x < 3 and x > 7", "false");
    check("p and (q and p)", "p and q");
    check("not p and not q", "not (p or q)");
    check("(p and q) or (p and r)", "p and (q or r)");
    check("x <= y and x != y", "x < y");
    check("x <= y and y <= x", "x == y");
}

#[test]
fn the_right_side_of_and_is_evaluated_only_where_it_was() {
    check_unchanged("x != 0 and 3 < y // x");
    // The condition on the left is implied by the right, which may trap.
    check_unchanged("y // x < 5 and y // x < 3");
    check("x < y and z // x == 0 and x < y + 5", "x < y and z // x == 0");
}

#[test]
fn where_sums_may_wrap_comparisons_keep_them() {
    check_wrapping(&[], "x + z < y + z", "x + z < y + z");
    check_wrapping(&["x < 100 and x > 0 and y > 0 and y < 100"], "x + 1 < y + 1", "x < y");
}

#[test]
fn multiples_are_compared_by_remainders() {
    check("x // 4 * 4 < x", "0 < x % 4");
    check("x <= (x + 2) // 4 * 4", "(x + 2) % 4 < 3");
    check("x // 8 == 3 and x % 8 == 4", "x == 28");
    check("x // 10 == -5 and x % 10 < 7", "-50 <= x and x < -43");
    check("0 <= x - y * 5 and x - y * 5 < 5", "y == x // 5");
}

#[test]
fn truncating_quotients_are_compared_by_their_dividends() {
    check("truncdiv(x, 2) < 3", "x < 6");
    check("truncdiv(x, 2) < -1", "x < -3");
    check("truncdiv(x, 2) <= 0", "x < 2");
    check("truncdiv(x, 2) > 3", "7 < x");
    check("truncdiv(x, 3) >= 0", "-2 <= x");
}

#[test]
fn extrema_are_compared_by_the_operand_that_counts() {
    check("min(x, 11) < 10", "x < 10");
    check("max(8, x) > 10", "10 < x");
    check("x + 1 < max(8, x)", "x < 7");
    check("max(x, 3) < 10", "x < 10");
    check("2 < min(x, 5)", "2 < x");
}

#[test]
fn a_weaker_bound_goes_though_the_stronger_one_is_evaluated_after_it() {
    // Where the first sum is no error, the smaller one is none.
    check("x < y + 10 and x < y + 5", "x <= y + 4");
    check("x < y + 10 or x < y + 5", "x <= y + 9");
    check("x < y + 10 and (x < y + 7 and x < y + 5)", "x <= y + 4");
    // The larger one may be an error, and so may any sum of something else.
    let three = "x <= y + 4 and z * 2 <= y + 9 and x < y - 4";
    check(three, three);
}

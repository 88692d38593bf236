//! Rewrites that other simplifiers do, or did, and that are wrong. Each with the reason.

use ir::{BinaryOp, DataType, ExprKind, print::expr_text};

use super::{
    super::Simplifier,
    support::{check, check_unchanged, check_under, check_wrapping},
};
use crate::{Overflow, tests::support::Bench};

#[test]
fn floats_keep_their_nan_and_their_zeros() {
    // F3: NaN and infinities.
    check_unchanged("f - f");
    check_unchanged("f * float32(0)");
    // F3: -0 + 0 is +0.
    check_unchanged("f + float32(0)");
    check_unchanged("f + g - f");
    // F4: a NaN is not equal to itself.
    check_unchanged("f == f");
    check_unchanged("f != f");
    // S7: false for NaN one way, true the other way.
    check_unchanged("not (f < g)");
    check_unchanged("f < g or f >= g");
    // F6: not commutative.
    check_unchanged("max(g, f)");
    check_unchanged("min(min(f, g), f)");
}

#[test]
fn a_remainder_in_a_comparison_is_not_divided_by_a_factor_it_does_not_have() {
    // apache/tvm#19669: became 0 < w.
    check("2 * (x % 4) < 16 * w + x % 32 // 4", "x % 4 * 2 < x // 4 % 8 + w * 16");
}

#[test]
fn truncating_division_of_a_negative_dividend_rounds_up() {
    // apache/tvm#8852: sums under truncating division.
    check_unchanged("truncdiv(x * 4 + y, 4)");
    check_unchanged("truncmod(x * 4 + y, 4)");
    check_unchanged("truncdiv(x, -4)");
}

#[test]
fn a_quotient_is_not_compared_by_a_product_that_may_overflow() {
    check_unchanged("x // y < z");
    check_under(&["y > 0"], "x // y < z", "x // y < z");
}

#[test]
fn multiples_of_a_divisor_of_unknown_sign_stay() {
    // y = -1, z = MIN: the quotient that would be computed traps.
    check_unchanged("(x * y + z) // y");
    check_unchanged("(x * y + z) % y");
}

#[test]
fn nothing_that_could_trap_is_folded_away_into_a_value() {
    check_unchanged("x // 0");
}

#[test]
fn wrapping_sums_are_not_integers() {
    check_wrapping(&[], "x < x + 1", "x < x + 1");
    check_wrapping(&[], "(x + y) // 2 * 2 == x", "(x + y) // 2 * 2 == x");
    check_unchanged("v < v + 1");
    check_unchanged("s + 1 < 5");
}

#[test]
fn an_order_of_addends_is_changed_only_where_no_partial_sum_can_overflow() {
    check_unchanged("z + x - y + w");
    // y = MAX, x = -1.
    check_unchanged("x // 4 * 4 < x + y");
    check_unchanged("d0 * d2 * d1");
}

#[test]
fn computed_values_prove_nothing_about_values_of_equal_bits() {
    // Of n = 10 the multiple is far below all integers; modulo their width it is n * 2, which is computed.
    check_under(&["n * 2 != 5"], "n + -2147483648 <= x // 2", "n + -2147483648 <= x // 2");
}

#[test]
fn a_condition_does_not_go_by_a_later_one_on_what_may_come_from_an_overflow() {
    let mut bench = Bench::new(&["x: int32"]);
    let difference = bench.expr("x - 16");
    bench.bind("t", difference);
    // Of x = MIN the second one is never evaluated, and t, which nobody used, is large.
    let condition = bench.expr("x > -1 and t >= 2");
    let mut simplifier = Simplifier::new(&bench.body);
    let root = simplifier.analyzer().root();
    let simple = simplifier.simplify(root, condition, Overflow::Excluded);
    assert_eq!(expr_text(simplifier.body(), simple), "0 <= x and 1 < t");
}

#[test]
fn the_one_integer_without_an_opposite_is_none() {
    let mut bench = Bench::new(&["a: int64"]);
    let wide = DataType::int(64);
    let (least, factor) = (bench.body.int(i64::MIN.into(), wide), bench.body.int(-2, wide));
    let square = bench.body.make(ExprKind::Binary(BinaryOp::Mul, least, least), wide.into());
    let product = bench.body.binary(BinaryOp::Mul, square, factor);
    let quotient = bench.expr("a % 16 // 3");
    let equation = bench.body.binary(BinaryOp::Eq, product, quotient);
    let mut simplifier = Simplifier::new(&bench.body);
    let root = simplifier.analyzer().root();
    // The product is -2 ** 127, the last that fits 128 bits, and divided by -1 it does not.
    assert_eq!(simplifier.simplify(root, equation, Overflow::Excluded), equation);
}

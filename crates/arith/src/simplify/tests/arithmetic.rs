//! Sums, products, divisions, remainders, extrema, choices.

use super::support::{case, check, check_unchanged, check_under, check_wrapping};
use crate::Overflow;

const FITS: &str =
    "x >= -1000 and x <= 1000 and y >= -1000 and y <= 1000 and z >= -1000 and z <= 1000";

#[test]
fn constants_are_folded_where_nothing_is_wrong_with_them() {
    check("2 + 3 * 4", "14");
    check("(0 - 7) // 2", "-4");
    check("truncdiv(-7, 2)", "-3");
    check("(0 - 7) % 4", "1");
    check("truncmod(-7, 4)", "-3");
    check("min(3, 5) < 4", "true");
    check("int64(int32(7))", "7");
    let mut same = case(&[], "f", "f");
    let ty = ir::DataType::FLOAT32.into();
    let cast = same.simplifier.analyzer().grow(|it| it.make(ir::ExprKind::Cast(same.expr), ty));
    assert_eq!(same.simplifier.simplify(same.ctx, cast, Overflow::Excluded), same.expr);
    check_unchanged("1 // 0");
    check_unchanged("2147483647 + 1");
    check_unchanged("1 << 40");
}

#[test]
fn constants_that_a_conversion_keeps_are_converted() {
    let [half, single, double] = [16, 32, 64].map(ir::DataType::float);
    let simplified = |value: f64, from: ir::DataType, to: ir::DataType| {
        let mut case = case(&[], "f", "f");
        let cast = case.simplifier.analyzer().grow(|body| {
            let constant = match from.is_int() {
                true => body.int(value as i128, from),
                false => body.float(value, from),
            };
            body.cast(constant, to)
        });
        let simple = case.simplifier.simplify(case.ctx, cast, Overflow::Excluded);
        case.simplifier.analyzer().grow(|body| match body.expr(simple).kind {
            ir::ExprKind::Float(bits) => {
                (body.dtype(simple) == Some(to)).then(|| f64::from_bits(bits))
            }
            _ => None,
        })
    };
    assert_eq!(simplified(1.5, half, single), Some(1.5));
    assert_eq!(simplified(0.25, double, half), Some(0.25));
    assert_eq!(simplified(-3.0, ir::DataType::INT32, single), Some(-3.0));
    assert_eq!(simplified(65504.0, ir::DataType::INT32, half), Some(65504.0));
    // Each of these would be another value.
    assert_eq!(simplified(0.1, double, single), None);
    assert_eq!(simplified(0.1, half, single), None);
    assert_eq!(simplified(65505.0, ir::DataType::INT32, half), None);
    assert_eq!(simplified(16_777_217.0, ir::DataType::INT32, single), None);
    assert_eq!(simplified(f64::INFINITY, double, single), None);
}

#[test]
fn floats_that_are_known_are_converted() {
    let [half, single] = [16, 32].map(ir::DataType::float);
    let simplified = |value: f64, from: ir::DataType, to: ir::DataType| {
        let mut case = case(&[], "f", "f");
        let cast = case.simplifier.analyzer().grow(|body| {
            let constant = body.float(value, from);
            body.cast(constant, to)
        });
        let simple = case.simplifier.simplify(case.ctx, cast, Overflow::Excluded);
        case.simplifier.analyzer().grow(|body| match body.expr(simple).kind {
            ir::ExprKind::Int(value) => Some(value),
            _ => None,
        })
    };
    let (int, bool) = (ir::DataType::INT32, ir::DataType::BOOL);
    assert_eq!(simplified(2.5, single, int), Some(2));
    assert_eq!(simplified(-2.5, half, int), Some(-2));
    // What was rounded when it was read may be another value elsewhere.
    assert_eq!(simplified(0.1, half, int), None);
    // As a bool it is not cut first.
    for from in [half, single] {
        assert_eq!(simplified(0.5, from, bool), Some(1));
        assert_eq!(simplified(-0.5, from, bool), Some(1));
        assert_eq!(simplified(-0.0, from, bool), Some(0));
        assert_eq!(simplified(2.0, from, bool), Some(1));
    }
}

#[test]
fn neutral_and_absorbing_operands_go() {
    check("x + 0", "x");
    check("0 + x", "x");
    check("x * 1", "x");
    check("x * 0", "0");
    check("x // 1", "x");
    check("x % 1", "0");
    check("0 // x", "0");
    check("v * 1 + 0", "v");
    check("s - 0", "s");
}

#[test]
fn terms_of_one_kind_come_together() {
    check("x + x", "x * 2");
    check("x + y - x", "y");
    check("x * 3 - x", "x * 2");
    check("x * y - y * x", "0");
    check("(x + 1) * 2 - 2", "x * 2");
    check("x + 1 + 2", "x + 3");
    check("x - (x - y)", "y");
    check("5 - (3 - x)", "x + 2");
    check("x - y + (y - z) + z", "x");
    check("x * 4 + x * 4", "x * 8");
    check("a + b - a", "b");
}

#[test]
fn one_form_for_products_in_any_order() {
    let positive = &["d0 > 0 and d1 > 0 and d2 > 0"];
    check_under(positive, "d2 * (d1 * d0)", "d0 * d1 * d2");
    check_under(positive, "d2 * (d0 * d1)", "d0 * d1 * d2");
    check("(d0 * d1) * d2", "d0 * d1 * d2");
    check("d2 * (d0 * d1)", "d0 * d1 * d2");
    check_under(&["d1 > 0"], "(d0 * d2) * d1", "d0 * d2 * d1");
    check_under(positive, "(d0 * d2) * d1", "d0 * d1 * d2");
    check("y * 8 * x", "x * y * 8");
}

#[test]
fn terms_stand_as_written_where_that_fits() {
    check_unchanged("y + x");
    check_unchanged("z + y + x");
    check("3 + x", "x + 3");
    // `z + x` may overflow where `x + y` makes up for it.
    check("z + (x + y)", "x + y + z");
    check_under(&[FITS], "z + (x + y)", "z + x + y");
}

#[test]
fn common_factors_come_out_where_that_is_less() {
    check_unchanged("x * z + y * z");
    check_under(&["z > 0"], "x * z + y * z", "(x + y) * z");
    check("x * 8 + y * 8", "(x + y) * 8");
    check("x * 8 + y * 4 + y * 4", "(x + y) * 8");
    check_unchanged("(x + y) * z");
    check_unchanged("x * 8 + y");
    check("(x * n + y) * m + z - z", "(x * n + y) * m");
}

#[test]
fn quotient_and_remainder_make_up_the_dividend() {
    check("x // 4 * 4 + x % 4", "x");
    check("x % 4 + x // 4 * 4", "x");
    check("x // y * y + x % y", "x");
    check("x // 4 * 8 + x % 4 * 2", "x * 2");
    check("(x // 4 * 4 + x % 4) * y", "x * y");
    check("x // 4 % 8 * 4 + x % 4", "x % 32");
    check("x // 32 * 8 + x // 4 % 8", "x // 4");
    check("x // 32 * 32 + x // 4 % 8 * 4 + x % 4", "x");
    check("x - x // 4 * 4", "x % 4");
    check("x - x // y * y", "x % y");
    check("x - x % 4", "x // 4 * 4");
    check("z + x // 4 * 4 + x % 4", "z + x");
}

#[test]
fn multiples_leave_divisions() {
    check("(x * 4 + y) // 4", "x + y // 4");
    check("(x * 8 + 4) // 4", "x * 2 + 1");
    check("(x * 8 + 6) // 4", "x * 2 + 1");
    check("(x + 8) // 8", "x // 8 + 1");
    check("(x * 6) // 4", "x * 3 // 2");
    check("x * 8 // 4", "x * 2");
    check("x // 4 // 8", "x // 32");
    check("x % 64 // 8", "x // 8 % 8");
    check("x * y // y", "x");
    check_unchanged("(x * z + y) // z");
    check("(x * n + y) // n", "x + y // n");
    check_under(&["n > 0"], "(x * n + y) // n", "x + y // n");
    check_under(&["n > 0 and y >= 0 and y < n"], "(x * n + y) // n", "x");
    check_under(&["n > 0"], "x * n // (y * n)", "x // y");
    check_under(&["y >= 0 and y < 4"], "(x * 4 + y) // 4", "x");
    check_under(&["y >= 0 and y < 4"], "(x * 4 + y) // 16", "x // 4");
    check_under(&["y >= 0 and y < 4"], "(x * 12 + y * 3) // 4", "x * 3 + y * 3 // 4");
    check_under(&["x >= 0 and x < 8"], "x // 8", "0");
    check_under(&["n > 0 and x >= 0 and x < n"], "x // n", "0");
    check_under(&["x < 1000"], "(x // 4 + 1) // 4", "(x + 4) // 16");
    check_unchanged("(x // 4 + 1) // 4");
}

#[test]
fn multiples_leave_remainders() {
    check("(x * 4 + y) % 4", "y % 4");
    check("(x + 8) % 8", "x % 8");
    check("(x * 5) % 4", "x % 4");
    check("x * 4 % 12", "x % 3 * 4");
    check("x % 8 % 4", "x % 4");
    check("x % 4 % 8", "x % 4");
    check("x * y % y", "0");
    check_under(&["n > 0"], "(x * n + y) % n", "y % n");
    check_under(&["n > 0 and y >= 0 and y < n"], "(x * n + y) % n", "y");
    check_under(&["y >= 0 and y < 4"], "(x * 4 + y) % 4", "y");
    check_under(&["y >= 0 and y < 4"], "(x * 4 + y) % 8", "x % 2 * 4 + y");
    check_under(&["x >= 0 and x < 8"], "x % 8", "x");
    check_under(&["n > 0 and x >= 0 and x < n"], "x % n", "x");
    check("x % y % y", "x % y");
}

#[test]
fn truncating_division_of_what_is_not_negative_is_floor_division() {
    check_under(&["x >= 0"], "truncdiv(x, 4)", "x // 4");
    check_under(&["x >= 0"], "truncmod(x, 4)", "x % 4");
    check_unchanged("truncdiv(x, 4)");
    check("truncdiv(x, 4) * 4 + truncmod(x, 4)", "x");
    check("truncdiv(truncdiv(x, 4), 8)", "truncdiv(x, 32)");
}

#[test]
fn the_smaller_and_the_larger() {
    check("min(x, x)", "x");
    check("min(x, x + 1)", "x");
    check("max(n, n + 1)", "n + 1");
    check("min(x, max(x, y))", "x");
    check("max(min(x, y), x)", "x");
    check("min(min(x, y), x)", "min(x, y)");
    check("min(x + z, y + z)", "min(x, y) + z");
    check("min(max(x, 5), 3)", "3");
    check("min(x, y) + max(x, y)", "x + y");
    check("min(min(x, 5), 3)", "min(x, 3)");
    check_under(&["x < y"], "min(x, y)", "x");
    check_under(&["x < y"], "max(x, y)", "y");
    check_under(&["n > 0"], "max(n, 1)", "n");
    check("max(n, 0)", "n");
    check_under(&["z > 0"], "min(x // z, y // z)", "min(x, y) // z");
}

#[test]
fn choices() {
    check("select(p, x, x)", "x");
    check("select(not p, x, y)", "select(p, y, x)");
    check("select(x < y, x, y)", "min(x, y)");
    check("if_then_else(x < 5, if_then_else(x < 7, y, z), w)", "if_then_else(x < 5, y, w)");
    check("if_then_else(n >= 0, x + 0, y)", "x");
    check("select(true, x, y)", "x");
    check("if_then_else(x == 3, x * 2, y)", "if_then_else(x == 3, 6, y)");
}

#[test]
fn bits() {
    check("x & x", "x");
    check("x | 0", "x");
    check("x ^ x", "0");
    check("~(~x)", "x");
    check("x & 12 & 10", "x & 8");
    check("x << 0", "x");
    check("v & v", "v");
}

#[test]
fn where_sums_may_wrap_only_what_holds_modulo_the_width_is_done() {
    check_wrapping(&[], "x + y - x", "y");
    check_wrapping(&[], "(x * 2) // 2", "x * 2 // 2");
    check_wrapping(&["x >= 0 and x < 1000"], "(x * 2) // 2", "x");
    check_wrapping(&[], "x + 1 < y + 1", "x + 1 < y + 1");
    check_wrapping(&[], "x // 4 * 4 + x % 4", "x");
    check_wrapping(&[], "min(x, x + 1)", "min(x, x + 1)");
}

#[test]
fn unsigned_and_narrow_integers_keep_their_width() {
    check_unchanged("(v + 1) - 1");
    check_unchanged("(v * 2) // 2");
    check_unchanged("(s * 2) // 2");
    check("min(v, v)", "v");
}

#[test]
fn opposite_terms_cancel_in_extrema() {
    check("max(x, y - 10) + 10", "max(y, x + 10)");
    check("min(x, y + 2) - 2", "min(y, x - 2)");
    check("max(x - y, 0) + y", "max(x, y)");
    check("max(1 - x * 4, 0) + x * 4", "max(x * 4, 1)");
    check("max(x, (x + 3) // 4 * 4)", "(x + 3) // 4 * 4");
    check("min(truncdiv(x, 10), truncdiv(y, 10))", "truncdiv(min(x, y), 10)");
    check("min(x // -10, y // -10)", "max(x, y) // -10");
    // `x + 10` may overflow where `y` is the smaller one.
    check_unchanged("min(x, y - 10) + 10");
}

#[test]
fn quotients_that_are_almost_the_same() {
    check("(x + 5) // 3 - (x + 2) // 3", "1");
    check("(x + 5) // 3 - x // 3", "(x % 3 + 5) // 3");
    check("y - (y + z) // 5 * 5", "(y + z) % 5 - z");
    check("x % 2 + (x + 1) % 2", "1");
    check("(x + 1) // 2 - x // 2", "x % 2");
    check("(x + x * 8 % 9) % 9", "0");
    check_under(&["x >= 0"], "truncmod(x * 10 + n, -2)", "n % 2");
}

#[test]
fn exact_multiples_under_truncation() {
    check("truncdiv(x * 48 + 16, 16)", "x * 3 + 1");
    check("truncmod(x * 48 + 16, 16)", "0");
    check("truncdiv(x * 6 + 4, 8)", "truncdiv(x * 3 + 2, 4)");
    check("truncdiv(x, 6) * 6 + truncmod(truncdiv(x, 3), 2) * 3 + truncmod(x, 3)", "x");
    check("truncmod(x * 32 * x, x)", "0");
    check("x % 16 // 2 // 3", "x % 16 // 6");
    check_under(&["n > 0 and m > 0"], "m * n * 32 % (n * 6)", "n * (m % 3) * 2");
}

#[test]
fn an_arm_of_a_select_is_seen_where_it_is_chosen() {
    check("select(9 < x, if_then_else(8 < x, x, 0), 0)", "select(9 < x, x, 0)");
    // Evaluated where `x` is 0, too.
    check_unchanged("select(x != 0, if_then_else(x == 0, y, y // x), 0)");
}

#[test]
fn choices_between_constants_take_constants_in() {
    check("select(p, 3, 4) + 2", "select(p, 5, 6)");
    check("select(p, 3, 4) - 5", "select(p, -2, -1)");
    check("5 - select(p, 3, 4)", "select(p, 2, 1)");
    check("select(p, 3, 4) * 8", "select(p, 24, 32)");
    check("select(p, 3, 4) * x", "x * select(p, 3, 4)");
}

#[test]
fn what_one_condition_chooses_twice_is_chosen_once() {
    check("select(p, 3, x) + select(p, 4, 0)", "select(p, 7, x)");
    check_under(&[FITS], "select(p, x, y) - select(p, y, x)", "select(p, x - y, y - x)");
    check_unchanged("select(p, x, y) + select(q, y, x)");
    // The sum of the other arms may overflow.
    check_unchanged("select(p, x, y) + select(p, z, w)");
}

#[test]
fn leading_zeros_of_a_constant_are_counted() {
    let counted = |value: i128, dtype: ir::DataType| {
        let mut case = case(&[], "x", "x");
        let call = case.simplifier.analyzer().grow(|body| {
            let operand = body.int(value, dtype);
            let callee = body.operator("clz");
            let attrs = body.attr_dict(Vec::new());
            body.call(callee, &[operand], attrs, ir::DataType::INT32.into(), false)
        });
        let simple = case.simplifier.simplify(case.ctx, call, Overflow::Excluded);
        case.simplifier.analyzer().body().expr(simple).kind
    };
    let zeros = |it| ir::ExprKind::Int(it);
    assert_eq!(counted(16, ir::DataType::INT32), zeros(27));
    assert_eq!(counted(16, ir::DataType::INT64), zeros(59));
    assert_eq!(counted(-1, ir::DataType::INT32), zeros(0));
    assert!(matches!(counted(0, ir::DataType::INT32), ir::ExprKind::Call { .. }));
}

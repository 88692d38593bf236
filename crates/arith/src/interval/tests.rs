//! Tests of [`super`]: every operation on all small intervals, against all pairs of members.

use super::*;

/// Checks that `of` holds `exact(a, b)` for all members, and that it is no wider than their hull if `is_tight`.
#[track_caller]
fn check(
    of: impl Fn(Interval, Interval) -> Interval,
    exact: impl Fn(i128, i128) -> Option<i128>,
    is_tight: bool,
) {
    const ENDS: std::ops::RangeInclusive<i128> = -6..=6;
    for a in ENDS {
        for b in a..=6 {
            for c in ENDS {
                for d in c..=6 {
                    let (x, y) = (Interval::new(a, b), Interval::new(c, d));
                    let got = of(x, y);
                    let mut hull = Interval::EMPTY;
                    for p in a..=b {
                        for value in (c..=d).filter_map(|q| exact(p, q)) {
                            assert!(got.contains(value), "{x} {y}: {got} lacks {value}");
                            hull = hull.hull(Interval::constant(value));
                        }
                    }
                    assert!(!is_tight || got == hull, "{x} {y}: {got} instead of {hull}");
                }
            }
        }
    }
}

fn defined(b: i128, value: impl FnOnce() -> i128) -> Option<i128> {
    (b != 0).then(value)
}

#[test]
fn sums_and_products_are_tight() {
    check(Interval::plus, |a, b| Some(a + b), true);
    check(Interval::minus, |a, b| Some(a - b), true);
    check(Interval::times, |a, b| Some(a * b), true);
    check(Interval::min_of, |a, b| Some(a.min(b)), true);
    check(Interval::max_of, |a, b| Some(a.max(b)), true);
}

#[test]
fn quotients_are_tight() {
    check(Interval::floor_div, |a, b| defined(b, || floor_div(a, b)), true);
    check(Interval::trunc_div, |a, b| defined(b, || a / b), true);
}

#[test]
fn remainders_hold_all_values() {
    check(Interval::floor_mod, |a, b| defined(b, || floor_mod(a, b)), false);
    check(Interval::trunc_mod, |a, b| defined(b, || a % b), false);
}

#[test]
fn shifts_and_bit_operations_hold_all_values() {
    let legal = |b: i128, value: fn(i128, i128) -> i128| move |a| (b >= 0).then(|| value(a, b));
    check(Interval::shifted_left, |a, b| legal(b, |a, b| a << b)(a), true);
    check(Interval::shifted_right, |a, b| legal(b, |a, b| a >> b)(a), true);
    check(Interval::bit_and, |a, b| Some(a & b), false);
    check(Interval::bit_or, |a, b| Some(a | b), false);
    check(Interval::bit_xor, |a, b| Some(a ^ b), false);
    check(|a, _| a.bit_not(), |a, _| Some(!a), true);
}

#[test]
fn without_ends_stay_without_ends() {
    let up = Interval::at_least(3);
    assert_eq!(up.plus(Interval::constant(-5)), Interval::at_least(-2));
    assert_eq!(up.scale(-2), Interval::at_most(-6));
    assert_eq!(up.times(Interval::new(-1, 1)), Interval::EVERYTHING);
    assert_eq!(up.floor_div(Interval::constant(2)), Interval::at_least(1));
    assert_eq!(up.floor_div(up), Interval::NON_NEGATIVE);
    assert_eq!(up.floor_mod(Interval::constant(4)), Interval::new(0, 3));
    assert_eq!(Interval::EVERYTHING.trunc_div(up), Interval::EVERYTHING);
    assert_eq!(Interval::EVERYTHING.minus(Interval::EVERYTHING), Interval::EVERYTHING);
}

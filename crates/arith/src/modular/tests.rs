//! Tests of [`super`]: every operation on small sets, against members.

use super::*;

fn members(it: Modular) -> Vec<i128> {
    (-30..=30).filter(|value| it.contains(*value)).collect()
}

fn all() -> Vec<Modular> {
    let sets = (0..=8).flat_map(|coeff| (-3..=8).map(move |base| Modular::new(coeff, base)));
    sets.collect()
}

#[track_caller]
fn check(of: impl Fn(Modular, Modular) -> Modular, exact: impl Fn(i128, i128) -> i128) {
    for x in all() {
        for y in all() {
            let got = of(x, y);
            for a in members(x) {
                for b in members(y) {
                    let value = exact(a, b);
                    assert!(got.contains(value), "{x} and {y}: {got} lacks {value} of {a}, {b}");
                }
            }
        }
    }
}

#[test]
fn sums_and_products_hold_all_values() {
    check(Modular::plus, |a, b| a + b);
    check(Modular::minus, |a, b| a - b);
    check(Modular::times, |a, b| a * b);
    check(Modular::hull, |a, _| a);
    check(Modular::hull, |_, b| b);
}

#[test]
fn divisions_by_constants_hold_all_values() {
    for divisor in 1..=8 {
        check(|a, _| a.floor_div(divisor), |a, _| a.div_euclid(divisor));
        check(|a, _| a.floor_mod(divisor), |a, _| a.rem_euclid(divisor));
    }
}

#[test]
fn intersection_holds_common_members() {
    for x in all() {
        for y in all() {
            let both: Vec<i128> = members(x).into_iter().filter(|it| y.contains(*it)).collect();
            match x.intersect(y) {
                None => assert!(both.is_empty(), "{x} and {y}"),
                Some(it) => assert_eq!(members(it), both, "{x} and {y}: {it}"),
            }
        }
    }
}

#[test]
fn wrapping_leaves_the_powers_of_two() {
    assert_eq!(Modular::new(12, 5).wrapped(32), Modular::new(4, 1));
    assert_eq!(Modular::constant(-1).wrapped(8), Modular::new(256, 255));
    assert_eq!(Modular::new(7, 3).wrapped(32), Modular::EVERYTHING);
}

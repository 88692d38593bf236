//! The prover against arithmetic that is known, and against rules that are wrong on purpose.

use std::fmt::Write as _;
use std::time::Duration;

use expect_test::{Expect, expect};

use super::claim::Claim;
use super::exhaustive::search;
use super::prove::Prover;
use super::report::Report;
use super::term::{Evaluation, Machine, Op, Term};
use super::z3::{self, Solver, Verdict};

const LIMIT: Duration = Duration::from_secs(8);

fn claims(text: &'static str) -> Vec<Claim> {
    arith::rules::parse("planted.rules", text).unwrap().iter().map(Claim::of).collect()
}

/// Checks the verdict of the prover about rules, by the solver and small numbers.
#[track_caller]
fn check(text: &'static str, expect: Expect) {
    let folder = tempfile::tempdir().unwrap();
    let prover = Prover::new(LIMIT, z3::find().unwrap(), folder.path().to_owned());
    let mut report = Report::new("z3".to_owned());
    for claim in claims(text) {
        let proofs = prover.prove(&claim).unwrap();
        report.add(&claim, proofs);
    }
    expect.assert_eq(&report.text());
}

/// Divisions of all sign pairs, as Rust has them.
fn divisions() -> impl Iterator<Item = (Op, i128, i128, i128)> {
    let pairs = (-9i128..=9).flat_map(|a| (-4i128..=4).map(move |b| (a, b)));
    pairs.filter(|it| it.1 != 0).flat_map(|(a, b)| {
        let floor = (a as f64 / b as f64).floor() as i128;
        [
            (Op::TruncDiv, a, b, a / b),
            (Op::TruncMod, a, b, a % b),
            (Op::FloorDiv, a, b, floor),
            (Op::FloorMod, a, b, a - b * floor),
            (Op::Min, a, b, a.min(b)),
            (Op::Max, a, b, a.max(b)),
        ]
    })
}

#[test]
fn evaluation_divides_as_rust_does() {
    for machine in [Machine::Integers, Machine::Fixed { bits: 8, is_signed: true, wraps: true }] {
        let here = Evaluation { machine, is_strict: true };
        for (op, a, b, expected) in divisions() {
            let term = Term::node(op, [Term::Constant(a), Term::Constant(b)]);
            assert_eq!(here.value(&term, &[]), Some(expected), "{op:?} of {a} and {b} ({machine})");
        }
    }
}

#[test]
fn errors_have_no_value() {
    let int8 = |wraps| Machine::Fixed { bits: 8, is_signed: true, wraps };
    let value = |machine, op, a: i128, b: i128| {
        let term = Term::node(op, [Term::Constant(a), Term::Constant(b)]);
        Evaluation { machine, is_strict: true }.value(&term, &[])
    };
    assert_eq!(value(int8(false), Op::Add, 100, 100), None);
    assert_eq!(value(int8(true), Op::Add, 100, 100), Some(-56));
    assert_eq!(value(int8(true), Op::FloorDiv, -128, -1), None);
    assert_eq!(value(int8(true), Op::FloorMod, -128, -1), None);
    assert_eq!(value(Machine::Integers, Op::FloorMod, -128, -1), Some(0));
    assert_eq!(value(Machine::Integers, Op::TruncDiv, 1, 0), None);
    assert_eq!(value(int8(false), Op::Shl, 1, 8), None);
    assert_eq!(value(int8(false), Op::Shl, 1, 7), Some(-128));
    assert_eq!(value(int8(false), Op::Shr, -128, 7), Some(-1));
}

/// The functions of the prelude: each application to constants has the value that Rust gives.
#[test]
#[ignore = "needs z3"]
fn z3_divides_as_rust_does() {
    z3::find().unwrap();
    let mut script = include_str!("prelude.smt2").to_owned();
    let mut wrong = String::new();
    for (op, a, b, expected) in divisions() {
        let function = match op {
            Op::TruncDiv => "truncdiv",
            Op::TruncMod => "truncmod",
            Op::FloorDiv => "floordiv",
            Op::FloorMod => "floormod",
            Op::Min => "min",
            _ => "max",
        };
        let _ = write!(wrong, " (not (= ({function} {a} {b}) {expected}))");
        let kind = match op {
            Op::FloorDiv => "is-floor-quotient",
            Op::TruncDiv => "is-trunc-quotient",
            _ => continue,
        };
        // The quotient has the property, and the numbers beside it do not.
        for (quotient, is_it) in [(expected - 1, false), (expected, true), (expected + 1, false)] {
            let _ = write!(wrong, " (not (= ({kind} {a} {b} {quotient}) {is_it}))");
        }
    }
    let _ = write!(script, "(assert (or{wrong}))");
    let script = negative_numbers(&script);
    assert_eq!(Solver::default().check(&script, &[], LIMIT).unwrap(), Verdict::Unsatisfiable);
}

/// SMT-LIB has no negative literals.
fn negative_numbers(script: &str) -> String {
    let words = script.split(' ').map(|word| {
        let digits = word.trim_end_matches(')');
        match digits.strip_prefix('-') {
            Some(number) if number.parse::<u32>().is_ok() => {
                format!("(- {number}){}", &word[digits.len()..])
            }
            _ => word.to_owned(),
        }
    });
    words.collect::<Vec<_>>().join(" ")
}

const WRONG: &str = "\
# The multiple of a negative divisor may leave the range.
wrong-range: (x * c1 + y) // c1 => x + y // c1 if c1 != 0

# The sign of the divisor matters.
wrong-sign: x // y < z => x < y * z if y != 0, no_overflow(y * z)

# The left side is evaluated first, and may be all that is.
wrong-order: b1 and b2 => b2 and b1

# Sums wrap.
wrong-wrap: x < x + 1 => true [wrapping]

# A remainder may be negative.
wrong-remainder: truncmod(x, 2) == 1 => truncmod(x, 2) != 0
";

#[test]
#[ignore = "needs z3"]
fn z3_and_small_numbers_refute_wrong_rules() {
    check(
        WRONG,
        expect![[r#"
        wrong-range      FAILED
        wrong-sign       FAILED
        wrong-order      FAILED
        wrong-wrap       FAILED
        wrong-remainder  FAILED

        crates/arith/src/rules/planted.rules:2: wrong-range: (x * c1 + y) // c1 => x + y // c1 if c1 != 0
            on int2 with x = -1, c1 = -1, y = -2: the left side is 1, the right side an error
        crates/arith/src/rules/planted.rules:5: wrong-sign: x // y < z => x < y * z if y != 0, no_overflow(y * z)
            on integers with x = -8, y = -8, z = -8: the left side is 0, the right side 1
        crates/arith/src/rules/planted.rules:8: wrong-order: b1 and b2 => b2 and b1
            on integers, lazily with b1 = false, b2 = an error: the left side is 0, the right side an error
        crates/arith/src/rules/planted.rules:11: wrong-wrap: x < x + 1 => true [wrapping]
            on int2, wrapping with x = 1: the left side is 0, the right side 1
        crates/arith/src/rules/planted.rules:14: wrong-remainder: truncmod(x, 2) == 1 => truncmod(x, 2) != 0
            on integers with x = -63: the left side is 0, the right side 1
        5 rules: 0 proved, 0 brute-forced in part, 5 failed (z3)
    "#]],
    );
}

#[test]
fn small_numbers_alone_refute_wrong_rules() {
    for claim in claims(WRONG) {
        let found = claim.machines().iter().any(|it| search(&claim, *it, 5_000).found.is_some());
        assert!(found, "{}", claim.name);
    }
}

/// Wrong only of numbers that no search of small ones finds.
const WRONG_FAR_AWAY: &str = "\
# Some number is excepted.
far: x == 123456789 => false

# And the least one.
least: (x + c1) - c1 < x => true if c1 == 1, x == 2147483647
";

#[test]
#[ignore = "needs z3"]
fn z3_refutes_what_no_search_finds() {
    check(
        WRONG_FAR_AWAY,
        expect![[r#"
        far    FAILED
        least  FAILED

        crates/arith/src/rules/planted.rules:2: far: x == 123456789 => false
            on integers with x = 123456789: the left side is 1, the right side 0
        crates/arith/src/rules/planted.rules:5: least: (x + c1) - c1 < x => true if c1 == 1, x == 2147483647
            on integers with x = 2147483647, c1 = 1: the left side is 0, the right side 1
        2 rules: 0 proved, 0 brute-forced in part, 2 failed (z3)
    "#]],
    );
}

#[test]
#[ignore = "needs z3"]
fn undecided_claims_are_tried_and_marked() {
    let claim = &claims(
        "# Fermat, for cubes.\nfermat: x * x * x + y * y * y == z * z * z => false if x > 0, y > 0, z > 0\n",
    )[0];
    let folder = tempfile::tempdir().unwrap();
    let prover =
        Prover::new(Duration::from_millis(50), z3::find().unwrap(), folder.path().to_owned());
    let mut report = Report::new("z3".to_owned());
    let proofs = prover.prove(claim).unwrap();
    report.add(claim, proofs);
    let text = report.text();
    assert!(text.contains("brute-forced ("), "{text}");
    assert_eq!(report.failed(), 0, "{text}");
}

#[test]
#[ignore = "needs z3"]
fn right_rules_are_proved_by_z3() {
    check(
        "\
# A multiple of the divisor comes out.
multiple: (x * c1 + y) // c1 => x + y // c1 if c1 > 0

# Signs matter.
below: x // y < z => x < y * z if y > 0, no_overflow(y * z)

# No multiplication of the least number by -1.
twice: x * 2 - x => x

# Where they may not be evaluated, nothing is said of operands.
swap: b1 and b2 => b2 and b1 if no_event(b2)

# Wraps alike.
wrap: x + y - y => x [wrapping]

# NaN stays NaN, and -0 stays -0.
one: x * 1.0 => x [float]

# Any value.
same: select(b1, x, x) => x [any]
",
        expect![[r#"
            multiple  proved: integers; int32; uint32; int64; uint64
            below     proved: integers; int32; uint32; int64; uint64
            twice     proved: integers; int32; uint32; int64; uint64
            swap      proved: integers
            wrap      proved: integers; int32; uint32; int64; uint64; int32, wrapping; uint32, wrapping; int64, wrapping; uint64, wrapping
            one       proved: float16; float32
            same      proved: integers

            7 rules: 7 proved, 0 brute-forced in part, 0 failed (z3)
        "#]],
    );
}

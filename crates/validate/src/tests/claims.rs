//! Claims about expressions: true ones follow, false ones are refuted, under the reading that makes them so.

use ir::{Body, ExprId, ExprKind, OpKind, ValueId, ValueKind, effects::EffectTable};

use super::{Z3, body, has_z3};
use crate::{Claim, Claims, Given, Options, Shown};

/// A body, and the values that it stores, in order.
struct Stored {
    body: Body,
    values: Vec<ExprId>,
}

impl Stored {
    /// A function that stores these integers, then these conditions; `i` is the variable of a loop.
    fn of(integers: &[&str], conditions: &[&str]) -> Stored {
        let mut text = String::from(
            "@T.prim_func\ndef f(A: T.Buffer((9,), \"int32\"), B: T.Buffer((9,), \"bool\"), n: T.int32, m: T.int32):\n    \
             for i in range(16):\n",
        );
        for (at, it) in integers.iter().enumerate() {
            text += &format!("        A[{at}] = {it}\n");
        }
        for (at, it) in conditions.iter().enumerate() {
            text += &format!("        B[{at}] = {it}\n");
        }
        Stored::by(&text)
    }

    /// The values that a function stores, in order.
    fn by(text: &str) -> Stored {
        let body = body(text);
        let stores = body.ops.iter().filter(|it| matches!(it.1.kind, OpKind::Store { .. }));
        let values = stores.map(|it| it.1.operands[0]).collect();
        Stored { body, values }
    }

    fn loop_variable(&self) -> ValueId {
        let is_argument = |kind| matches!(kind, ValueKind::BlockArg(..));
        self.body.values.iter().find(|it| is_argument(it.1.kind)).expect("a loop").0
    }

    /// `i` is one of its 16 values.
    fn range(&self) -> Given {
        let op = self.body.ops.iter().find(|it| matches!(it.1.kind, OpKind::For(_)));
        let extent = op.expect("a loop").1.operands[1];
        Given::Range { var: self.loop_variable(), min: None, extent, step: None }
    }

    /// The answers to a claim: where sums wrap, and where they do not overflow.
    fn check(&self, givens: &[Given], claim: Claim, wraps: &str, exact: &str) {
        let (mut solver, options) = (Z3, Options::default());
        let mut claims = Claims::new(&self.body, EffectTable::builtin(), &mut solver, &options);
        for (is_exact, expected) in [(false, wraps), (true, exact)] {
            claims.enter(givens, is_exact).expect("what is given has a meaning");
            let shown = match claims.judge(claim) {
                Shown::Follows { .. } => "follows",
                Shown::Refuted => "refuted",
                Shown::Open(reason) => panic!("{reason}"),
            };
            assert_eq!(shown, expected, "{claim:?}, exact: {is_exact}");
        }
    }
}

#[test]
fn bounds_and_congruences_hold_or_are_refuted() {
    if !has_z3() {
        return;
    }
    let stored = Stored::of(&["i * 4", "i * n", "T.Cast(\"int32\", T.Cast(\"uint8\", n))"], &[]);
    let [four, product, byte] = stored.values[..] else { panic!("three values") };
    let range = [stored.range()];
    let within = |expr, least, most| Claim::Within { expr, least, most };
    let congruent = |expr, modulus, remainder| Claim::Congruent { expr, modulus, remainder };
    stored.check(&range, within(four, 0, 60), "follows", "follows");
    stored.check(&range, within(four, 0, 59), "refuted", "refuted");
    stored.check(&[], within(four, 0, 60), "refuted", "refuted");
    stored.check(&range, congruent(four, 4, 0), "follows", "follows");
    stored.check(&range, congruent(four, 4, 1), "refuted", "refuted");
    stored.check(&range, congruent(four, 8, 0), "refuted", "refuted");
    stored.check(&range, within(product, i32::MIN.into(), i32::MAX.into()), "follows", "follows");
    stored.check(&[], within(byte, 0, 255), "follows", "follows");
    stored.check(&[], within(byte, 0, 254), "refuted", "refuted");
    // Nothing is in a range without values.
    stored.check(&range, within(four, 1, 0), "refuted", "refuted");
}

#[test]
fn an_iteration_variable_has_the_value_of_its_binding() {
    if !has_z3() {
        return;
    }
    let stored = Stored::by(
        "@T.prim_func\ndef f(A: T.Buffer((16,), \"int32\")):\n    for i in range(16):\n        \
         with T.sblock(\"b\"):\n            v = T.axis.spatial(16, i)\n            A[v] = v * 2\n",
    );
    let (expr, range) = (stored.values[0], [stored.range()]);
    let within = |least, most| Claim::Within { expr, least, most };
    stored.check(&range, within(0, 30), "follows", "follows");
    stored.check(&range, within(0, 29), "refuted", "refuted");
}

#[test]
fn the_reading_of_overflow_decides() {
    if !has_z3() {
        return;
    }
    let stored = Stored::of(&["n * 4 // 4", "n", "m"], &["n + 1 > n", "n > 0"]);
    let [quotient, n, m, more, positive] = stored.values[..] else { panic!("five values") };
    let more = Claim::Decided { cond: more, holds: true };
    stored.check(&[], more, "refuted", "follows");
    let bounded = [Given::Condition { cond: positive, holds: false }];
    stored.check(&bounded, more, "follows", "follows");
    stored.check(&[], Claim::Equal(quotient, n), "refuted", "follows");
    stored.check(&[], Claim::Equal(n, m), "refuted", "refuted");
    stored.check(&[], Claim::NoOverflow(quotient), "refuted", "refuted");
    let small = [
        Given::AtLeast { expr: n, least: 0 },
        Given::Range { var: stored.loop_variable(), min: None, extent: n, step: None },
    ];
    stored.check(
        &small,
        Claim::Within { expr: n, least: 1, most: i128::MAX },
        "follows",
        "follows",
    );
}

#[test]
fn what_a_variable_was_made_of_does_not_overflow_again() {
    if !has_z3() {
        return;
    }
    let stored = Stored::of(&["n * 4", "m + 1", "m + 4", "m"], &[]);
    let [product, next, fourth, m] = stored.values[..] else { panic!("four values") };
    let ExprKind::Value(var) = stored.body.expr(m).kind else { panic!("a variable") };
    let defined = [Given::Definition { var, value: product }];
    // A multiple of 4 is not the greatest value of the type.
    stored.check(&defined, Claim::NoOverflow(next), "follows", "follows");
    stored.check(&defined, Claim::NoOverflow(fourth), "refuted", "refuted");
    stored.check(&[], Claim::NoOverflow(next), "refuted", "refuted");
}

#[test]
fn what_may_err_is_refuted() {
    if !has_z3() {
        return;
    }
    let stored = Stored::of(&["n // m", "n >> m", "A[i]"], &["m > 0", "m < 8"]);
    let [quotient, shifted, element, positive, small] = stored.values[..] else {
        panic!("five values")
    };
    let given = |cond| Given::Condition { cond, holds: true };
    let both = [given(positive), given(small)];
    stored.check(&[], Claim::NoError(quotient), "refuted", "refuted");
    stored.check(&both, Claim::NoError(quotient), "follows", "follows");
    stored.check(&both[..1], Claim::NoError(shifted), "refuted", "refuted");
    stored.check(&both, Claim::NoError(shifted), "follows", "follows");
    stored.check(&[stored.range()], Claim::NoError(element), "refuted", "refuted");
}

#[test]
fn a_function_that_the_logic_does_not_know_refutes_nothing() {
    if !has_z3() {
        return;
    }
    let stored = Stored::of(&["T.popcount(n)"], &[]);
    let (mut solver, options) = (Z3, Options::default());
    let mut claims = Claims::new(&stored.body, EffectTable::builtin(), &mut solver, &options);
    claims.enter(&[], false).expect("nothing is given");
    let shown = claims.judge(Claim::Within { expr: stored.values[0], least: 0, most: 32 });
    let expected = Shown::Open("the solver does not know what a function does".to_owned());
    assert_eq!(shown, expected);
}

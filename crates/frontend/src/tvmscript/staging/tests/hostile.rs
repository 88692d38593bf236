//! Texts that ask for more than the limits allow: each costs a bounded number of steps.

use super::super::{
    limits::{MAX_NESTING, MAX_STEPS},
    session::{Place, Session, Trees},
};
use crate::tvmscript::{
    Capture, Context,
    discover::{MODULE, functions},
};

/// Checks that `N` is unknown, with a reason that begins in this way, and costs a bounded number of steps.
#[track_caller]
fn check(text: &str, reason: &str) {
    let file = functions(&syntax::parse(text));
    let trees = Trees::default();
    let session = Session::new(&trees, file.scopes(), Context::default());
    let found = session.find(&Place { file: "".into(), scope: MODULE }, "N");
    let it = match &found.capture {
        Capture::Unknown(it) => it,
        Capture::Constant(it) => it.first_unknown().expect("a part of it is not known"),
        other => panic!("{other:?}"),
    };
    assert!(it.reason.starts_with(reason), "{}", it.reason);
    // One step more than the limit may take what one tree or one value costs.
    assert!(session.steps() <= 2 * MAX_STEPS, "{}", session.steps());
}

#[test]
fn work_is_bounded() {
    check("N = [i for i in range(10 ** 9)]", "it has more than");
    check("N = sum(range(10 ** 9))", "`builtins.sum`");
    check("def f():\n    while True:\n        pass\nN = f()", "to evaluate it takes more than");
    check("def f(n):\n    return f(n + 1)\nN = f(0)", "calls are more than");
    check(
        "def f(n):\n    return f(n - 1) + f(n - 1) if n else 1\nN = f(40)",
        "to evaluate it takes",
    );
    check("N = [a for a in range(1000) for b in range(1000)]", "to evaluate it takes more than");
    check("N = 'a' * 10 ** 9", "its definition");
    check("N = [0] * 10 ** 9", "its definition");
    check("N = 10 ** 10 ** 10", "its definition");
    check("N = {i: i for i in range(15000)}", "to evaluate it takes more than");
    let items = vec!["1"; 100_000].join(", ");
    check(&format!("N = [{items}]"), "to evaluate it takes more than");
    check(&format!("M = [{items}]\nN = len(M)"), "to evaluate it takes more than");
}

#[test]
fn depth_is_bounded() {
    let deep =
        |open: &str, close: &str, n: usize| format!("{}1{}", open.repeat(n), close.repeat(n));
    check(&format!("N = {}", deep("-(", ")", 5_000)), &format!("it is more than {MAX_NESTING}"));
    check(&format!("N = {}", deep("[", "]", 100)), "it is nested more than");
    check(
        "def f():\n    x = ()\n    while True:\n        x = (x,)\nN = f()",
        "to evaluate it takes",
    );
    let chain: String = (1..=200).map(|i| format!("a{i} = a{} + 1\n", i - 1)).collect();
    check(&format!("a0 = 1\n{chain}N = a200"), "it depends on more than");
    check("N = M\nM = N", "`N` depends on itself");
    check(
        "def f(x=g()):\n    return x\ndef g(y=f()):\n    return y\nN = f()",
        "`f` depends on itself",
    );
}

#[test]
fn what_grows_exponentially_is_cut_off() {
    let names: String = (1..=60).map(|i| format!("a{i} = (a{0}, a{0})\n", i - 1)).collect();
    check(&format!("a0 = 1\n{names}N = a60"), "it has more than");
    let texts: String = (1..=60).map(|i| format!("s{i} = f'{{s{0}}}{{s{0}}}'\n", i - 1)).collect();
    check(&format!("s0 = 'ab'\n{texts}N = s60"), "it has more than");
    let nested = "f'{".repeat(50);
    let text = format!("N = {nested}1{}", "}'".repeat(50));
    let file = functions(&syntax::parse(&text));
    file.scopes().capture(MODULE, None, "N", Context::default());
}

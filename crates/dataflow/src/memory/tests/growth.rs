//! The work of building and querying grows with the program, counted.

use ir::{Occurrences, effects::EffectTable};

use super::fixture::parse;
use crate::analyses::Analyses;

/// Steps for the versions of all loads.
fn work(text: &str) -> u64 {
    let fixture = parse(text);
    let body = &fixture.body;
    let occurrences = Occurrences::collect(body);
    let effects = EffectTable::builtin();
    let analyses = Analyses::of(body, &occurrences, effects);
    let memory = analyses.memory();
    let mut work = memory.work();
    for (id, _) in occurrences.iter() {
        memory.of_load_counted(id, &mut work);
    }
    work
}

/// Twice the program, at most (a little more than) twice the work.
#[track_caller]
fn check(n: usize, make: impl Fn(usize) -> String) {
    let (small, large) = (work(&make(n)), work(&make(2 * n)));
    assert!(large <= small * 21 / 10, "{small} steps for {n}, {large} for {}", 2 * n);
}

#[test]
fn stores_to_as_many_buffers() {
    check(2_000, |n| {
        let mut text = String::new();
        (0..n).for_each(|i| text += &format!("local L{i}\n"));
        (0..n).for_each(|i| text += &format!("L{i} = L{}\n", (i * 7) % n));
        (0..n).for_each(|_| text += "call call_extern\n");
        (0..n).for_each(|i| text += &format!("use L{i}\n"));
        text
    });
}

#[test]
fn deep_nests() {
    for head in ["for", "if A", "while A"] {
        check(1_500, |n| {
            let mut text = String::from("noalias\nparam A\nparam B\n");
            for depth in 0..n {
                let indent = " ".repeat(depth);
                text += &format!("{indent}A = B\n{indent}{head}\n");
            }
            text += &format!("{}use A B\n", " ".repeat(n));
            text
        });
    }
}

#[test]
fn chains_of_else() {
    check(2_000, |n| {
        let mut text = String::from("param A\n");
        for depth in 0..n {
            let indent = " ".repeat(2 * depth);
            text += &format!("{indent}if A\n{indent} A = A\n{indent}else\n{indent}  use A\n");
        }
        text
    });
}

#[test]
fn long_lists() {
    check(20_000, |n| {
        let mut text = String::from("param A\nparam B\n");
        for _ in 0..n {
            text += "A = B\nuse A B\n";
        }
        text
    });
}

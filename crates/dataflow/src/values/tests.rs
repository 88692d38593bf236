//! Tests of [`super`].

use expect_test::{Expect, expect};
use ir::plan::Equivalence as Level;

use super::*;
use crate::{analyses::Analyses, memory::tests::fixture::parse};

/// The groups of more than one occurrence: line and text, largest value first. Leaves are left out.
#[track_caller]
fn check(level: Level, text: &str, expect: Expect) {
    let text = test_utils::trim_indent(text);
    let fixture = parse(&text);
    let body = &fixture.body;
    let occurrences = Occurrences::collect(body);
    let effects = EffectTable::builtin();
    let analyses = Analyses::of(body, &occurrences, effects);
    let (aliases, memory) = (analyses.aliases(), analyses.memory());
    let values = ValueNumbers::build(body, &occurrences, aliases, &memory, effects, level);
    let mut groups: Vec<String> = Vec::new();
    for number in values.ids() {
        let members = values.occurrences(number);
        let Some(&first) = members.first() else { continue };
        let expr = occurrences[first].expr;
        if members.len() < 2 || body.expr(expr).is_leaf() {
            continue;
        }
        let places: Vec<String> =
            members.iter().map(|&it| fixture.line(occurrences[it].op).to_string()).collect();
        let name = fixture.show(expr);
        groups.push(format!("{name} at {} ({:?})", places.join(" "), values.level(number)));
    }
    groups.sort();
    expect.assert_eq(&(groups.join("\n") + "\n"));
}

#[test]
fn loads_of_one_version_have_one_number() {
    check(
        Level::Syntactic,
        "
        noalias
        param A
        param B
        use A B
        B = A 1
        use A B
        for
            use A B
        A = B
        use A B
        ",
        expect![[r#"
            (A B) at 6 8 (Syntactic)
            A at 4 5 6 8 (Syntactic)
            B at 6 8 9 10 (Syntactic)
        "#]],
    );
}

#[test]
fn operands_of_a_sum_may_change_places() {
    let text = "
        noalias
        param A
        param B
        use A B
        use B A
        use A A B
        ";
    check(
        Level::Syntactic,
        text,
        expect![[r#"
        A at 4 5 6 6 (Syntactic)
        B at 4 5 6 (Syntactic)
    "#]],
    );
    check(
        Level::Commutative,
        text,
        expect![[r#"
        (A B) at 4 5 (Commutative)
        A at 4 5 6 6 (Syntactic)
        B at 4 5 6 (Syntactic)
    "#]],
    );
}

#[test]
fn calls_are_values_if_the_effects_say_so() {
    check(
        Level::Commutative,
        "
        noalias
        param A
        let exp A
        let exp A
        let my_own_call A
        let my_own_call A
        let tvm_warp_shuffle A
        let tvm_warp_shuffle A
        let masked_load &A
        let masked_load &A
        ",
        expect![[r#"
            A at 3 4 (Syntactic)
            A at 7 8 (Syntactic)
            address_of(A) at 9 10 (Syntactic)
            exp(A) at 3 4 (Syntactic)
            masked_load(address_of(A)) at 9 10 (Syntactic)
        "#]],
    );
}

#[test]
fn unwritten_memory_is_not_equal_to_itself() {
    check(
        Level::Commutative,
        "
        local L
        use L L
        L = 1
        use L L
        ",
        expect![[r#"
            L at 4 4 (Syntactic)
        "#]],
    );
}

#[test]
fn names_of_places_are_no_values() {
    check(
        Level::Commutative,
        "
        noalias
        param A
        use A+1
        let cuda.ldg &A+1
        call ptx.ld.f32 A+1
        use A+1
        use A+1
        ",
        expect![[r#"
            A+1 at 6 7 (Syntactic)
        "#]],
    );
}

#[test]
fn work_grows_with_the_program() {
    let work = |n: usize| {
        let mut text = String::from("param A\nparam B\n");
        for i in 0..n {
            text += &format!("A = B B+{i}\nuse A B A+1\nlet exp A\n");
        }
        let fixture = parse(&text);
        let body = &fixture.body;
        let occurrences = Occurrences::collect(body);
        let effects = EffectTable::builtin();
        let analyses = Analyses::of(body, &occurrences, effects);
        let (aliases, memory) = (analyses.aliases(), analyses.memory());
        let level = Level::Commutative;
        ValueNumbers::build(body, &occurrences, aliases, &memory, effects, level).work()
    };
    let (small, large) = (work(5_000), work(10_000));
    assert!(large <= small * 21 / 10, "{small} then {large}");
}

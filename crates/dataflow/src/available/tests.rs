//! Tests of [`super`]: by program, and random ones against all their paths.

use expect_test::{Expect, expect};
use ir::effects::EffectTable;

use super::*;
use crate::{evaluations::tests::*, memory::tests::fixture::parse};

/// The program; lines that evaluate the value are `use A`, queried ones `use 1`; the facts stand behind these.
#[track_caller]
fn check(text: &str, expect: Expect) {
    let text = test_utils::trim_indent(text);
    let fixture = parse(&text);
    let scopes = ScopeTree::build(&fixture.body);
    let certainty = Certainty::build(&fixture.body, &scopes, EffectTable::builtin());
    let places = places(&fixture, &scopes);
    let found = available(&fixture.body, &scopes, &certainty, &places);
    let notes = places.iter().zip(&found).map(|(place, found)| {
        let note = match found {
            Availability::No => "no".to_owned(),
            Availability::Partial(it) => format!("partial, {}", fixture.line(places[*it].op)),
            Availability::Full { by, .. } => format!("by {}", fixture.line(*by)),
        };
        (fixture.line(place.op), note)
    });
    expect.assert_eq(&annotated(&text, notes));
}

#[test]
fn earlier_evaluations_in_enclosing_scopes_are_available() {
    check(
        "
        param A
        use 1
        use A
        for
            use 1
            use A
        use 1
        ",
        expect![[r#"
            param A
            use 1             # no
            use A             # no
            for
                use 1         # by 3
                use A         # by 3
            use 1             # by 3
        "#]],
    );
}

#[test]
fn both_arms_make_it_available_one_partially() {
    check(
        "
        param A
        if 1
            use A
        else
            use 1
        use 1
        if 1
            attr
                use A
        else
            use A
        use 1
        ",
        expect![[r#"
            param A
            if 1
                use A         # no
            else
                use 1         # no
            use 1             # partial, 3
            if 1
                attr
                    use A     # partial, 3
            else
                use A         # partial, 3
            use 1             # by 7
        "#]],
    );
}

#[test]
fn a_loop_with_iterations_is_certain_a_while_is_not() {
    check(
        "
        param A
        while 1
            use A
        use 1
        for
            use A
        use 1
        ",
        expect![[r#"
            param A
            while 1
                use A         # no
            use 1             # partial, 3
            for
                use A         # partial, 3
            use 1             # by 5
        "#]],
    );
}

#[test]
fn all_paths_agree() {
    let effects = EffectTable::builtin();
    let mut rng = test_utils::Rng::new(3);
    for _ in 0..2_000 {
        let text = program(&mut rng);
        let fixture = parse(&text);
        let scopes = ScopeTree::build(&fixture.body);
        let certainty = Certainty::build(&fixture.body, &scopes, effects);
        let places = places(&fixture, &scopes);
        let found = available(&fixture.body, &scopes, &certainty, &places);
        let truth = Truth::of(&fixture, &places);
        for (index, found) in found.iter().enumerate() {
            let Some((always, sometimes)) = truth.before[index] else { continue };
            let line = fixture.line(places[index].op);
            match found {
                Availability::Full { .. } => assert!(always, "line {line} of\n{text}"),
                Availability::Partial(_) => {}
                Availability::No => assert!(!sometimes, "line {line} of\n{text}"),
            }
        }
    }
}

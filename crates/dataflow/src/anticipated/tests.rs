//! Tests of [`super`]: by program, and random ones against all their paths.

use expect_test::{Expect, expect};
use ir::effects::EffectTable;

use super::*;
use crate::{evaluations::tests::*, memory::tests::fixture::parse};

/// The program; lines that evaluate the value are `use A`, those asked about `use 1`; behind these whether it is
/// anticipated.
#[track_caller]
fn check(text: &str, expect: Expect) {
    let text = test_utils::trim_indent(text);
    let fixture = parse(&text);
    let scopes = ScopeTree::build(&fixture.body);
    let certainty = Certainty::build(&fixture.body, &scopes, EffectTable::builtin());
    let places = places(&fixture, &scopes);
    let found = anticipated(&fixture.body, &scopes, &certainty, &places);
    let notes = places.iter().zip(&found).map(|(place, found)| {
        (fixture.line(place.op), if *found { "yes" } else { "no" }.to_owned())
    });
    expect.assert_eq(&annotated(&text, notes));
}

#[test]
fn certain_later_evaluations_are_anticipated() {
    check(
        "
        param A
        use 1
        if 1
            use 1
        else
            use A
            use 1
        attr
            use 1
        for
            use A
        use 1
        ",
        expect![[r#"
            param A
            use 1             # yes
            if 1
                use 1         # yes
            else
                use A         # yes
                use 1         # yes
            attr
                use 1         # yes
            for
                use A         # yes
            use 1             # no
        "#]],
    );
}

#[test]
fn both_arms_together() {
    check(
        "
        param A
        use 1
        if 1
            use A
        else
            use A
        use 1
        if 1
            use A
        ",
        expect![[r#"
            param A
            use 1             # yes
            if 1
                use A         # yes
            else
                use A         # yes
            use 1             # no
            if 1
                use A         # yes
        "#]],
    );
}

#[test]
fn exits_end_it() {
    check(
        "
        param A
        use 1
        for
            use 1
            if 1
                break
            use 1
            use A
        use 1
        while 1
            use 1
        use A
        ",
        expect![[r#"
            param A
            use 1             # no
            for
                use 1         # no
                if 1
                    break
                use 1         # yes
                use A         # yes
            use 1             # no
            while 1
                use 1         # no
            use A             # yes
        "#]],
    );
}

#[test]
fn all_paths_agree() {
    let effects = EffectTable::builtin();
    let mut rng = test_utils::Rng::new(5);
    for _ in 0..2_000 {
        let text = program(&mut rng);
        let fixture = parse(&text);
        let scopes = ScopeTree::build(&fixture.body);
        let certainty = Certainty::build(&fixture.body, &scopes, effects);
        let places = places(&fixture, &scopes);
        let found = anticipated(&fixture.body, &scopes, &certainty, &places);
        let truth = Truth::of(&fixture, &places);
        for (index, found) in found.iter().enumerate() {
            let line = fixture.line(places[index].op);
            assert!(!found || truth.after[index] != Some(false), "line {line} of\n{text}");
        }
    }
}

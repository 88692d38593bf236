//! Obstacles between two loads.

use expect_test::{Expect, expect};
use ir::{ExprKind, OccurrenceId, Occurrences, effects::EffectTable};

use super::fixture::parse;
use crate::analyses::Analyses;

/// Checks the obstacle between the first and the last load of `A`.
#[track_caller]
fn check(text: &str, expect: Expect) {
    let fixture = parse(&test_utils::trim_indent(text));
    let body = &fixture.body;
    let occurrences = Occurrences::collect(body);
    let effects = EffectTable::builtin();
    let analyses = Analyses::of(body, &occurrences, effects);
    let memory = analyses.memory();
    let loads: Vec<OccurrenceId> = occurrences
        .iter()
        .filter(|(_, it)| {
            matches!(body.expr(it.expr).kind, ExprKind::Load { buffer, .. } if fixture.name(buffer) == "A")
        })
        .map(|it| it.0)
        .collect();
    let found = memory.obstacle(loads[0], loads[loads.len() - 1]);
    let shown = found.map_or("nothing".to_owned(), |it| {
        let around = it.around.map(|it| format!(", next iteration of line {}", fixture.line(it)));
        let kind = it.kind.map_or("new each time".to_owned(), |it| format!("{it:?}"));
        format!("line {}: {kind}{}", fixture.line(it.op), around.unwrap_or_default())
    });
    expect.assert_eq(&shown);
}

#[test]
fn the_first_write_on_a_path() {
    check("param A\nparam B\nuse A\nB = 1\nA = 1\nuse A", expect!["line 4: Store"]);
    check("noalias\nparam A\nparam B\nuse A\nB = 1\nuse A", expect!["nothing"]);
    check("noalias\nparam A\nuse A\ncall tvm_storage_sync\nuse A", expect!["line 4: Barrier"]);
    check("noalias\nparam A\nuse A\ncall my_own_call\nuse A", expect!["line 4: Call"]);
}

#[test]
fn another_arm_is_not_between() {
    check(
        "
        noalias
        param A
        use A
        for
            if A
                A = 1
            else
                use A
        ",
        expect!["line 6: Store, next iteration of line 4"],
    );
}

#[test]
fn the_next_iteration() {
    check(
        "
        noalias
        param A
        use A
        for
            use A
            for
                A = 1
        ",
        expect!["line 7: Store, next iteration of line 4"],
    );
    check("noalias\nparam A\nuse A\nwhile A\n  use 1", expect!["line 4: new each time"]);
}

#[test]
fn another_thread_or_round_of_a_statement() {
    check(
        "
        noalias
        param A
        use A
        launch
            use A
            call tvm_storage_sync
        ",
        expect!["line 6: Barrier, next iteration of line 4"],
    );
}

//! The memory versions that loads read, statement by statement.

use expect_test::{Expect, expect};
use ir::{ExprKind, Occurrences, effects::EffectTable};

use super::{super::*, fixture::parse};
use crate::analyses::Analyses;

/// The program with, behind each line, the versions that its loads read: `A@entry`, `A@3` (the write in line 3),
/// `A@loop 2` (the start of an iteration), `A@after 4`, `A@block` (where paths meet), `A@new` (this load alone).
#[track_caller]
fn check(text: &str, expect: Expect) {
    let text = test_utils::trim_indent(text);
    let fixture = parse(&text);
    let body = &fixture.body;
    let occurrences = Occurrences::collect(body);
    let effects = EffectTable::builtin();
    let analyses = Analyses::of(body, &occurrences, effects);
    let memory = analyses.memory();
    let mut notes: Vec<Vec<String>> = vec![Vec::new(); text.lines().count() + 1];
    for (id, occurrence) in occurrences.iter() {
        let Some(version) = memory.of_load(id) else { continue };
        let ExprKind::Load { buffer, .. } = body.expr(occurrence.expr).kind else { continue };
        let origin = match version.origin() {
            Origin::Entry => "entry".to_owned(),
            Origin::Write(op) => fixture.line(op).to_string(),
            Origin::LoopEntry(op) => format!("loop {}", fixture.line(op)),
            Origin::BlockEntry(_) => "block".to_owned(),
            Origin::After(op) => format!("after {}", fixture.line(op)),
            Origin::Load(it) => {
                assert_eq!(it, id);
                "new".to_owned()
            }
        };
        notes[fixture.line(occurrence.op)].push(format!("{}@{origin}", fixture.name(buffer)));
    }
    let mut out = String::new();
    for (index, line) in text.lines().enumerate() {
        let note = notes[index + 1].join(" ");
        let line = if note.is_empty() { line.to_owned() } else { format!("{line:<17} # {note}") };
        out.push_str(line.trim_end());
        out.push('\n');
    }
    expect.assert_eq(&out);
}

#[test]
fn a_load_reads_the_write_before_it() {
    check(
        "
        local A
        A = 1
        A = A
        use A A+1
        ",
        expect![[r#"
            local A
            A = 1
            A = A             # A@2
            use A A+1         # A@3 A@3
        "#]],
    );
}

#[test]
fn parameters_may_alias_unless_the_function_says_otherwise() {
    check(
        "
        param A
        param B
        use A B
        A = 1
        use A B
        ",
        expect![[r#"
            param A
            param B
            use A B           # A@entry B@entry
            A = 1
            use A B           # A@4 B@4
        "#]],
    );
    check(
        "
        noalias
        param A
        param B
        use A B
        A = 1
        use A B
        ",
        expect![[r#"
            noalias
            param A
            param B
            use A B           # A@entry B@entry
            A = 1
            use A B           # A@5 B@entry
        "#]],
    );
}

#[test]
fn views_share_their_root() {
    check(
        "
        noalias
        param A
        view V A
        use V
        A = 1
        use V
        V = 1
        use A
        ",
        expect![[r#"
            noalias
            param A
            view V A
            use V             # V@entry
            A = 1
            use V             # V@5
            V = 1
            use A             # A@7
        "#]],
    );
}

#[test]
fn a_loop_that_writes_starts_with_a_version_of_its_own() {
    check(
        "
        local A
        local B
        A = 1
        B = 1
        for
            use A B
            for
                use A B
            A = B
            use A
        use A B
        ",
        expect![[r#"
            local A
            local B
            A = 1
            B = 1
            for
                use A B       # A@loop 5 B@4
                for
                    use A B   # A@loop 5 B@4
                A = B         # B@4
                use A         # A@9
            use A B           # A@after 5 B@4
        "#]],
    );
}

#[test]
fn arms_do_not_see_each_other() {
    check(
        "
        local A
        A = 1
        if A
            A = 2
            use A
        else
            use A
        use A
        for
            if A
                A = 2
            else
                use A
        ",
        expect![[r#"
            local A
            A = 1
            if A              # A@2
                A = 2
                use A         # A@4
            else
                use A         # A@2
            use A             # A@after 3
            for
                if A          # A@loop 9
                    A = 2
                else
                    use A     # A@loop 9
        "#]],
    );
}

#[test]
fn plain_nesting_hides_nothing() {
    check(
        "
        local A
        attr
            A = 1
            attr
                block
                    A = 2
        use A
        where
            A = 3
        use A
        ",
        expect![[r#"
            local A
            attr
                A = 1
                attr
                    block
                        A = 2
            use A             # A@6
            where
                A = 3
            use A             # A@after 8
        "#]],
    );
}

#[test]
fn barriers_change_what_other_threads_reach() {
    check(
        "
        param A
        launch
            local L
            shared S
            L = 1
            S = 1
            use A L S
            call tvm_storage_sync
            use A L S
        ",
        expect![[r#"
            param A
            launch
                local L
                shared S
                L = 1
                S = 1
                use A L S     # A@block L@5 S@6
                call tvm_storage_sync
                use A L S     # A@8 L@5 S@8
        "#]],
    );
}

#[test]
fn unknown_calls_change_what_escapes() {
    check(
        "
        local L
        local M
        local N
        call call_extern &M
        call call_extern
        use L M N
        call ptx.add.f32 L
        use L M N
        opaque
        use L M N
        ",
        expect![[r#"
            local L
            local M
            local N
            call call_extern &M
            call call_extern
            use L M N         # L@1 M@5 N@3
            call ptx.add.f32 L # L@1
            use L M N         # L@7 M@5 N@3
            opaque
            use L M N         # L@9 M@9 N@9
        "#]],
    );
}

#[test]
fn target_of_an_asynchronous_copy_is_new_until_the_wait() {
    check(
        "
        noalias
        param A
        shared S
        shared R
        use A S R
        call ptx.cp_async &S &A
        use A S R
        use S
        call ptx.wait_group
        use A S R
        for
            use S
            call ptx.wait_group
            use S
            call ptx.cp_async &S &A
        ",
        expect![[r#"
            noalias
            param A
            shared S
            shared R
            use A S R         # A@entry S@3 R@4
            call ptx.cp_async &S &A
            use A S R         # A@new S@new R@6
            use S             # S@new
            call ptx.wait_group
            use A S R         # A@9 S@9 R@9
            for
                use S         # S@new
                call ptx.wait_group
                use S         # S@13
                call ptx.cp_async &S &A
        "#]],
    );
}

#[test]
fn a_polled_load_is_new_each_time() {
    check(
        "
        noalias
        param A
        cell x
        x = 1
        use A x
        while A x
            use A x
            use A
            x = 2
        use A x
        ",
        expect![[r#"
            noalias
            param A
            cell x
            x = 1
            use A x           # A@entry x@4
            while A x         # A@new x@loop 6
                use A x       # A@loop 6 x@loop 6
                use A         # A@loop 6
                x = 2
            use A x           # A@6 x@after 6
        "#]],
    );
    check(
        "
        noalias
        param A
        cell x
        use A
        while x
            x = 2
        use A
        ",
        expect![[r#"
            noalias
            param A
            cell x
            use A             # A@entry
            while x           # x@loop 5
                x = 2
            use A             # A@entry
        "#]],
    );
}

#[test]
fn an_init_may_run_before_the_body() {
    check(
        "
        noalias
        param A
        param B
        block
            A = A B
            use A
        init
            A = 0
        use A B
        ",
        expect![[r#"
            noalias
            param A
            param B
            block
                A = A B       # A@block B@entry
                use A         # A@5
            init
                A = 0
            use A B           # A@after 4 B@entry
        "#]],
    );
}

#[test]
fn allocations_are_new_each_time() {
    check(
        "
        for
            local A
            use A
            A = 1
            use A
        ",
        expect![[r#"
            for
                local A
                use A         # A@2
                A = 1
                use A         # A@4
        "#]],
    );
}

#[test]
fn arguments_are_read_before_the_call_writes() {
    check(
        "
        noalias
        param A
        param B
        call cuda.atomic_add &A B A+1
        use A B
        ",
        expect![[r#"
            noalias
            param A
            param B
            call cuda.atomic_add &A B A+1 # B@entry A@entry
            use A B           # A@4 B@entry
        "#]],
    );
}

#[test]
fn unknown_pointers_reach_what_escapes() {
    check(
        "
        noalias
        param A
        local L
        local M
        call call_extern &M
        pointer P
        use A L M P
        P = 1
        use A L M P
        ",
        expect![[r#"
            noalias
            param A
            local L
            local M
            call call_extern &M
            pointer P
            use A L M P       # A@5 L@3 M@5 P@5
            P = 1
            use A L M P       # A@8 L@3 M@8 P@8
        "#]],
    );
}

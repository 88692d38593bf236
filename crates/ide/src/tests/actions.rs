//! Code actions: their titles, and the text after them.

use expect_test::{Expect, expect};
use syntax::TextEdit;

use super::{FILE, analysis, body_of, function, with_cursor};
use crate::{ActionKind, CodeAction, TextRange};

fn actions(text: &str, range: TextRange, wanted: &[ActionKind]) -> Vec<CodeAction> {
    analysis(text).code_actions(FILE, range, &|it| wanted.contains(&it)).unwrap()
}

fn applied(text: &str, action: &CodeAction) -> String {
    TextEdit::from_edits(action.edits.clone()).expect("edits do not overlap").apply(text)
}

/// The titles at the cursor, and the body after the action whose title begins with `title`.
#[track_caller]
fn check(body: &str, title: &str, expected: Expect) {
    let (text, offset) = with_cursor(&function(body));
    let found = actions(&text, TextRange::empty(offset), &[ActionKind::Extract]);
    let mut out: String = found.iter().map(|it| format!("# {}\n", it.title)).collect();
    match found.iter().find(|it| it.title.starts_with(title)) {
        Some(action) => out.push_str(&body_of(&applied(&text, action))),
        None => out.push_str("# nothing"),
    }
    expected.assert_eq(&out);
}

#[test]
fn value_under_the_cursor_gets_a_name() {
    check(
        "
        # before
        A[i * 4$0 + j] = 1  # one
        B[(i * 4 + j)] = n - 1
        C[n - 1] = 3
        ",
        "Extract `i",
        expect![[r#"
            # Extract `i * 4 + j` into `cse_v1` (2 occurrences)
            # Extract all 2 common subexpressions of `f`
            # before
            cse_v1: T.let[T.int32] = i * 4 + j
            A[cse_v1] = 1  # one
            B[cse_v1] = n - 1
            C[n - 1] = 3
        "#]],
    );
}

#[test]
fn all_values_of_a_function_get_names() {
    check(
        "
        A[i * 4$0 + j] = 1
        B[i * 4 + j] = n - 1
        C[n - 1] = 3
        ",
        "Extract all",
        expect![[r#"
            # Extract `i * 4 + j` into `cse_v1` (2 occurrences)
            # Extract all 2 common subexpressions of `f`
            cse_v1: T.let[T.int32] = i * 4 + j
            A[cse_v1] = 1
            cse_v2: T.let[T.int32] = n - 1
            B[cse_v1] = cse_v2
            C[cse_v2] = 3
        "#]],
    );
}

#[test]
fn name_that_exists_is_used() {
    check(
        "
        x: T.let = i * 4 + j
        A[i * 4$0 + j] = x
        ",
        "Use",
        expect![[r#"
            # Use `x` for `i * 4 + j` (2 occurrences)
            x: T.let = i * 4 + j
            A[x] = x
        "#]],
    );
}

#[test]
fn nothing_is_offered_where_nothing_is_shared() {
    check("A[i] = j$0 + 1", "Extract", expect!["# nothing"]);
}

#[test]
fn kinds_that_are_not_wanted_are_not_given() {
    let text = function("A[i * 4 + j] = 1\nB[i * 4 + j] = 2");
    let everything = TextRange::up_to(syntax::TextSize::of(text.as_str()));
    let kinds = |wanted: &[ActionKind]| -> Vec<ActionKind> {
        let found = actions(&text, everything, wanted);
        let found = found.iter().filter(|it| !it.title.starts_with("Ignore"));
        found.map(|it| it.kind).collect()
    };
    assert_eq!(kinds(&[]), []);
    assert_eq!(kinds(&[ActionKind::FixAll]), [ActionKind::FixAll]);
    assert!(kinds(&[ActionKind::QuickFix]).contains(&ActionKind::QuickFix));
    assert!(!kinds(&[ActionKind::Extract, ActionKind::QuickFix]).contains(&ActionKind::QuickFix));
}

const SCHEDULED: &str = "\
from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def scheduled(A: T.Buffer((128, 128), \"int32\"), B: T.Buffer((128, 128), \"int32\")):
    for i, j in T.grid(128, 128):
        with T.sblock(\"b\"):
            vi, vj = T.axis.remap(\"SS\", [i, j])
            T.reads(A[vi, vj])
            T.writes(B[vi, vj])
            B[vi, vj] = vi * 4 + vj + A[vi, (vi * 4 + vj) % 128]


@T.prim_func
def lowered(A: T.Buffer((128,), \"int32\"), i: T.int32):
    A[i * 4 + 1] = i * 4 + 1
";

#[test]
fn fix_all_leaves_scheduled_functions_alone() {
    let found = actions(SCHEDULED, TextRange::empty(0.into()), &[ActionKind::FixAll]);
    let [fix_all] = found.as_slice() else { panic!("{found:?}") };
    let fixed = applied(SCHEDULED, fix_all);
    assert!(fixed.contains("vi * 4 + vj + A"), "{fixed}");
    assert!(!fixed.contains("A[i * 4 + 1]"), "{fixed}");
    let again = actions(&fixed, TextRange::empty(0.into()), &[ActionKind::FixAll]);
    assert_eq!(again, [], "{fixed}");
}

/// A name that only a removed one used goes with it, and the rest is shared.
#[test]
fn fix_all_leaves_nothing_for_a_second_time_in_python() {
    let text = "\
from tvm.script import tirx as T


class Module:
    @T.prim_func
    def f(A: T.Buffer((64,), \"int32\"), n: T.int32):
        a: T.let[T.int32] = n * 4
        b: T.let[T.int32] = a + 1  # unused
        A[n * 4] = n * 4
        A[n * 5] = n * 5
";
    let found = actions(text, TextRange::empty(0.into()), &[ActionKind::FixAll]);
    let [fix_all] = found.as_slice() else { panic!("{found:?}") };
    assert_eq!(fix_all.title, "Fix all that is safe to fix in this file");
    let fixed = applied(text, fix_all);
    expect![[r#"
        from tvm.script import tirx as T


        class Module:
            @T.prim_func
            def f(A: T.Buffer((64,), "int32"), n: T.int32):
                # unused
                cse_v1: T.let[T.int32] = n * 4
                A[cse_v1] = cse_v1
                cse_v2: T.let[T.int32] = n * 5
                A[cse_v2] = cse_v2
    "#]]
    .assert_eq(&fixed);
    assert_eq!(actions(&fixed, TextRange::empty(0.into()), &[ActionKind::FixAll]), []);
}

#[test]
fn fixes_of_a_rule_are_those_of_the_rule_alone() {
    let text = "\
from tvm.script import tirx as T


@T.prim_func
def f(A: T.Buffer((64,), \"int32\"), n: T.int32):
    a: T.let[T.int32] = n * 4
    b: T.let[T.int32] = a + 1
    A[n * 4] = n * 4 + n - n
";
    let fixed = |rule: &'static str| {
        let found = actions(text, TextRange::empty(0.into()), &[ActionKind::FixRule(rule)]);
        let [all] = found.as_slice() else { return format!("{} actions\n", found.len()) };
        assert_eq!(all.title, format!("Fix all `{rule}` of this file"));
        let at = text.find("    a:").unwrap();
        applied(text, all).split_off(at)
    };
    let rules = ["dead-binding", "common-subexpression", "simplifiable", "dead-store"];
    let all: String = rules.iter().map(|it| format!("# {it}\n{}", fixed(it))).collect();
    expect![[r#"
        # dead-binding
            A[n * 4] = n * 4 + n - n
        # common-subexpression
            a: T.let[T.int32] = n * 4
            b: T.let[T.int32] = a + 1
            A[a] = a + n - n
        # simplifiable
            a: T.let[T.int32] = n * 4
            b: T.let[T.int32] = a + 1
            A[n * 4] = n * 4
        # dead-store
        0 actions
    "#]]
    .assert_eq(&all);
}

#[test]
fn fix_in_a_scheduled_function_says_what_it_may_cost() {
    let at = SCHEDULED.find("vi * 4").unwrap() as u32;
    let found = actions(SCHEDULED, TextRange::empty(at.into()), &[ActionKind::Extract]);
    assert!(!found.is_empty());
    for action in found {
        assert!(action.title.contains("later scheduling"), "{}", action.title);
        assert!(!action.is_preferred);
    }
}

#[test]
fn value_that_some_paths_have_is_kept_on_all_where_it_is_asked_for() {
    check(
        "
        if A[i] * 2 > n:
            A[i] = n
        B[0] = A[i]$0 * 2  # again
        ",
        "Keep `A[i] * 2`",
        expect![[r#"
            # Keep `A[i] * 2` in the scalar `cse_v1` on every path (inserts it in 1 branch)
            cse_v1: T.int32 = A[i] * 2
            if cse_v1 > n:
                A[i] = n
                cse_v1 = A[i] * 2
            B[0] = cse_v1  # again
        "#]],
    );
}

/// Every action of every kind in a sample.
fn all_actions_of_samples(check: &mut dyn FnMut(&crate::Analysis, TextRange, &str)) {
    let samples = test_utils::sample_files();
    for sample in samples.iter().step_by(10).filter(|it| it.text.len() < 20_000) {
        let analysis = analysis(&sample.text);
        let whole = TextRange::up_to(syntax::TextSize::of(sample.text.as_str()));
        check(&analysis, whole, &sample.text);
    }
}

#[test]
fn every_action_reads_back_and_can_be_asked_for_alone() {
    let mut n = 0;
    all_actions_of_samples(&mut |analysis, whole, text| {
        let all = analysis.code_actions(FILE, whole, &|_| true).unwrap();
        let titles = analysis.code_action_titles(FILE, whole, &|_| true).unwrap();
        assert_eq!(all.len(), titles.len(), "{text}");
        for (at, (with, without)) in all.iter().zip(&titles).enumerate() {
            assert_eq!(with.title, without.title);
            let refused = with.disabled.as_ref().filter(|it| it.contains("mean something else"));
            assert_eq!(refused, None, "{}\n{text}", with.title);
            if with.edits.is_empty() {
                continue;
            }
            assert!(without.is_put_off && without.edits.is_empty(), "{without:?}");
            n += 1;
            // Each costs as much as all.
            if at % 50 == 0 {
                let is_same = |it: &&CodeAction| (it.kind, &it.title) == (with.kind, &with.title);
                let number = all[..at].iter().filter(is_same).count();
                let name = (with.kind, with.title.as_str(), number);
                let alone = analysis.code_action(FILE, whole, name).unwrap();
                assert_eq!(alone.as_ref(), Some(with));
            }
        }
    });
    assert!(n > 50, "{n}");
}

#[test]
fn fixed_samples_have_nothing_left_to_fix() {
    let mut n = 0;
    let none = TextRange::empty(0.into());
    all_actions_of_samples(&mut |analysis, _, text| {
        let wants = |kind| kind == ActionKind::FixAll;
        for all in analysis.code_actions(FILE, none, &wants).unwrap() {
            n += 1;
            let fixed = applied(text, &all);
            assert_eq!(actions(&fixed, none, &[ActionKind::FixAll]), [], "{text}\n{fixed}");
        }
    });
    assert!(n > 5, "{n}");
}

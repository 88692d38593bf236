//! Primitive edits, each by itself on text that was made for it, and all over real programs: the text after the edit
//! must lower to the rewriter's body.

use expect_test::{Expect, expect};
use frontend::tvmscript::{FunctionItem, Lowered};
use ir::{
    ExprKind, Occurrences, OpId, OpKind,
    plan::finding::{FindingFix, FixEdit, Place, Replacement},
};
use test_utils::sample_files;
use transform::findings::{Finding, FindingKind, Openable, Sentence};

use super::agree;
use crate::support::{kernel, lowered, statements};

fn finding(edits: Vec<FixEdit>) -> Finding {
    Finding {
        kind: FindingKind::Unreachable,
        is_shown: false,
        place: Place::Function,
        message: Sentence::default(),
        related: Vec::new(),
        fix: Some(FindingFix { edits, rests_on: Vec::new() }),
    }
}

/// The statements of a kernel after edits that are made from its body; `# not done` if the text does not allow them.
#[track_caller]
fn check(statements_in: &str, edits: impl Fn(&Lowered) -> Vec<FixEdit>, expected: Expect) {
    let file = kernel(statements_in);
    let (item, text, it) = &lowered(&file)[0];
    let (new, n_done) = agree(&file, item, text, it, [&finding(edits(it))]);
    let shown = if n_done == 1 { statements(&new) } else { "# not done\n".to_owned() };
    expected.assert_eq(&shown);
}

/// The operations of a kind, in program order.
fn ops(it: &Lowered, is_kind: impl Fn(OpKind) -> bool) -> Vec<OpId> {
    it.body.ops_preorder().filter(|&op| is_kind(it.body.ops[op].kind)).collect()
}

fn keep(nth: usize, region: u32) -> impl Fn(&Lowered) -> Vec<FixEdit> {
    move |it| vec![FixEdit::KeepRegion { op: ops(it, |it| it == OpKind::If)[nth], region }]
}

const CHAIN: &str = "
    # above
    if x < y:  # header
        # inner
        A[0] = 1  # one

        A[1] = (2 +
                3)
    elif x < 3:  # second
        A[2] = 1
    elif x < 4:
        A[3] = 1
    else:  # last
        A[4] = 1
        # end
    A[5] = 1
";

#[test]
fn first_arm_takes_the_place_of_the_statement() {
    check(
        CHAIN,
        keep(0, 0),
        expect![[r#"
        # above
        # header
        # inner
        A[0] = 1  # one

        A[1] = (2 +
                3)
        A[5] = 1
    "#]],
    );
}

#[test]
fn rest_of_an_if_takes_its_place() {
    check(
        CHAIN,
        keep(0, 1),
        expect![[r#"
        # above
        if x < 3:  # second
            A[2] = 1
        elif x < 4:
            A[3] = 1
        else:  # last
            A[4] = 1
            # end
        A[5] = 1
    "#]],
    );
    check(
        "if x < y:\n    A[0] = 1\nelse:\n    A[1] = 2\n    A[2] = 3",
        keep(0, 1),
        expect![[r#"
        A[1] = 2
        A[2] = 3
    "#]],
    );
}

#[test]
fn clause_in_the_middle_becomes_the_last_or_goes() {
    check(
        CHAIN,
        keep(1, 0),
        expect![[r#"
        # above
        if x < y:  # header
            # inner
            A[0] = 1  # one

            A[1] = (2 +
                    3)
        else:  # second
            A[2] = 1
        A[5] = 1
    "#]],
    );
    check(
        CHAIN,
        keep(1, 1),
        expect![[r#"
        # above
        if x < y:  # header
            # inner
            A[0] = 1  # one

            A[1] = (2 +
                    3)
        elif x < 4:
            A[3] = 1
        else:  # last
            A[4] = 1
            # end
        A[5] = 1
    "#]],
    );
    check(
        CHAIN,
        keep(2, 1),
        expect![[r#"
        # above
        if x < y:  # header
            # inner
            A[0] = 1  # one

            A[1] = (2 +
                    3)
        elif x < 3:  # second
            A[2] = 1
        else:  # last
            A[4] = 1
            # end
        A[5] = 1
    "#]],
    );
}

#[test]
fn suite_on_the_line_of_its_header_is_kept() {
    check(
        "if x < y: A[0] = 1\nA[1] = 2",
        keep(0, 0),
        expect![[r#"
        A[0] = 1
        A[1] = 2
    "#]],
    );
}

#[test]
fn strings_over_lines_keep_their_indentation() {
    check(
        "if x < y:\n    T.evaluate(T.call_extern(\"int32\", \"\"\"f\n        g\"\"\", x))\n    A[0] = 1",
        keep(0, 0),
        expect![[r#"
            T.evaluate(T.call_extern("int32", """f
                    g""", x))
            A[0] = 1
        "#]],
    );
}

#[test]
fn nothing_goes_in_part() {
    // One statement, two operations.
    let grid = "for i, j in T.grid(4, 4):\n    A[i * 4 + j] = 1\nA[0] = 2";
    let loops = |it: &Lowered| ops(it, |it| matches!(it, OpKind::For(_)));
    check(
        grid,
        |it| vec![FixEdit::RemoveOp(loops(it)[1])],
        expect![[r#"
        # not done
    "#]],
    );
    check(
        grid,
        |it| vec![FixEdit::RemoveOp(loops(it)[0])],
        expect![[r#"
        A[0] = 2
    "#]],
    );
    let line = "A[0] = 1; A[1] = 2";
    let stores = |it: &Lowered| ops(it, |it| matches!(it, OpKind::Store { .. }));
    check(
        line,
        |it| vec![FixEdit::RemoveOp(stores(it)[0])],
        expect![[r#"
        # not done
    "#]],
    );
    let taken = "if True:\n    A[0] = 1\nA[1] = 2";
    check(
        taken,
        |it| vec![FixEdit::RemoveOp(stores(it)[0])],
        expect![[r#"
        # not done
    "#]],
    );
}

#[test]
fn scalar_that_stays_loses_its_first_value() {
    let stores = |it: &Lowered| ops(it, |it| matches!(it, OpKind::Store { .. }));
    let first = |it: &Lowered| vec![FixEdit::RemoveOp(stores(it)[0])];
    check(
        "i: T.int32 = x * y  # why\ni = 2\nA[0] = i",
        first,
        expect![[r#"
        i: T.int32  # why
        i = 2
        A[0] = i
    "#]],
    );
    check(
        "i = x * y\ni = 2\nA[0] = i",
        first,
        expect![[r#"
        i: T.int32
        i = 2
        A[0] = i
    "#]],
    );
}

#[test]
fn attribute_joins_the_others_or_comes_first() {
    let add = |_: &Lowered| vec![FixEdit::AddNoalias];
    check(
        "A[0] = 1",
        add,
        expect![[r#"
        T.func_attr({"tirx.noalias": True})
        A[0] = 1
    "#]],
    );
    check(
        "\"\"\"What it does.\"\"\"\n# first\nA[0] = 1",
        add,
        expect![[r#"
        """What it does."""
        # first
        T.func_attr({"tirx.noalias": True})
        A[0] = 1
    "#]],
    );
    check(
        "T.func_attr({\"global_symbol\": \"f\"})\nA[0] = 1",
        add,
        expect![[r#"
        T.func_attr({"global_symbol": "f", "tirx.noalias": True})
        A[0] = 1
    "#]],
    );
    check(
        "T.func_attr({})\nA[0] = 1",
        add,
        expect![[r#"
        T.func_attr({"tirx.noalias": True})
        A[0] = 1
    "#]],
    );
    check(
        "T.func_attr({\n    \"global_symbol\": \"f\",\n})\nA[0] = 1",
        add,
        expect![[r#"
        T.func_attr({
            "global_symbol": "f", "tirx.noalias": True
        })
        A[0] = 1
    "#]],
    );
    check(
        "T.func_attr({\"tirx.noalias\": False})\nA[0] = 1",
        add,
        expect![[r#"
        # not done
    "#]],
    );
}

/// Replaces the first occurrence that is written like `of` by a copy of the first that is written like `by`.
fn copy(of: &'static str, by: &'static str) -> impl Fn(&Lowered) -> Vec<FixEdit> {
    move |it| {
        let occurrences = Occurrences::collect(&it.body);
        let find = |text: &str| {
            let mut all = occurrences.iter();
            all.find(|(_, at)| ir::print::expr_text(&it.body, at.expr) == text).map(|it| it.0)
        };
        let (occurrence, source) = (find(of).expect(of), find(by).expect(by));
        vec![FixEdit::Replace { occurrence, with: Replacement::Copy(source) }]
    }
}

#[test]
fn copied_text_gets_the_parentheses_it_needs() {
    check(
        "A[0] = (x + 1) * y",
        copy("x + 1", "x"),
        expect![[r#"
        A[0] = x * y
    "#]],
    );
    check(
        "A[0] = y * A[x]\nA[1] = x - y",
        copy("A[x]", "x - y"),
        expect![[r#"
        A[0] = y * (x - y)
        A[1] = x - y
    "#]],
    );
    check(
        "A[0] = A[x]\nA[1] = x - y",
        copy("A[x]", "x - y"),
        expect![[r#"
        A[0] = x - y
        A[1] = x - y
    "#]],
    );
    check(
        "A[0] = (A[x]) * y\nA[1] = x - y",
        copy("A[x]", "x - y"),
        expect![[r#"
        A[0] = (x - y) * y
        A[1] = x - y
    "#]],
    );
    check(
        "if x < y and y < 4:\n    A[0] = 1",
        copy("x < y and y < 4", "y < 4"),
        expect![[r#"
        if y < 4:
            A[0] = 1
    "#]],
    );
    check(
        "A[0] = T.max(A[x], 1)\nA[1] = x - y",
        copy("A[x]", "x - y"),
        expect![[r#"
        A[0] = T.max(x - y, 1)
        A[1] = x - y
    "#]],
    );
}

#[test]
fn occurrence_without_text_stays() {
    check(
        "if 0 < x * y < 4:\n    A[0] = y",
        copy("x * y", "y"),
        expect![[r#"
        # not done
    "#]],
    );
    check(
        "A[x * 4:x * 4 + 4] = A[y * 4:y * 4 + 4]",
        copy("x * 4", "y"),
        expect![[r#"
        # not done
    "#]],
    );
}

#[test]
fn value_gets_a_name_before_its_loop() {
    let bind = |it: &Lowered| {
        let occurrences = Occurrences::collect(&it.body);
        let mut all = occurrences.iter();
        let found = all.find(|(_, at)| ir::print::expr_text(&it.body, at.expr) == "x * y");
        let value = found.expect("it is there").0;
        let before = ops(it, |it| matches!(it, OpKind::For(_)))[0];
        vec![FixEdit::Bind { name: "x_y".into(), value, before, replaces: vec![value] }]
    };
    check(
        "for i in range(4):\n    A[i] = (x * y) + i  # sum",
        bind,
        expect![[r#"
        x_y: T.let[T.int32] = x * y
        for i in range(4):
            A[i] = x_y + i  # sum
    "#]],
    );
}

/// All edits of some kinds that could be tried on a function, a part of them where it is large.
fn samples(it: &Lowered) -> Vec<FixEdit> {
    let openable = Openable::of(&it.body);
    let occurrences = Occurrences::collect(&it.body);
    let mut edits = vec![FixEdit::AddNoalias];
    for op in it.body.ops_preorder() {
        let n_regions = it.body.ops[op].regions.len() as u32;
        let is_if = it.body.ops[op].kind == OpKind::If;
        let regions = (0..n_regions).filter(|&at| is_if && openable.may_open(&it.body, op, at));
        edits.extend(regions.map(|region| FixEdit::KeepRegion { op, region }));
        edits.push(FixEdit::RemoveOp(op));
    }
    for (id, at) in occurrences.iter() {
        let Some(parent) = at.parent else { continue };
        let over = occurrences[parent].expr;
        // Constants fold when the text is read again.
        if matches!(it.body.expr(over).kind, ExprKind::Binary(..))
            && !it.body.expr(at.expr).is_constant()
            && it.body.ty(over) == it.body.ty(at.expr)
        {
            edits.push(FixEdit::Replace { occurrence: parent, with: Replacement::Copy(id) });
        }
    }
    let step = edits.len().div_ceil(12).max(1);
    edits.into_iter().step_by(step).collect()
}

#[test]
fn text_and_body_agree_on_real_programs() {
    let mut n_done = 0;
    let mut each = |sample: &str, item: &FunctionItem, text: &str, it: &Lowered| {
        for edit in samples(it) {
            n_done += agree(sample, item, text, it, [&finding(vec![edit])]).1;
        }
    };
    for sample in sample_files().iter().filter(|it| it.text.len() < 12_000) {
        for (item, text, it) in &lowered(&sample.text) {
            each(&sample.text, item, text, it);
        }
    }
    assert!(n_done > 1000, "{n_done}");
}

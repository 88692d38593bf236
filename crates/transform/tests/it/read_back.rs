//! Every edit is read back before it is offered: an edit that changes the meaning is dropped, whichever planner made
//! it.

use frontend::tvmscript::{
    CheckedEdits, Edited, ReadBack, Selection, checked_cse_edits, checked_finding_edits, functions,
};
use ir::{Body, Occurrences, plan::finding::FindingFix};
use transform::{
    cse,
    findings::{self, FindingKind},
};

use crate::{
    findings::{found, only},
    support::{kernel, lowered, plan_of_text},
};

/// A function in which values are shared, and names are never used.
const STATEMENTS: &str = "
    a: T.let[T.int32] = x * 3
    A[x + y] = x
    b: T.let[T.int32] = y * 3
    A[0] = x + y
    c: T.let[T.int32] = x * 5
    ";

/// Returns the body as a wrong rewriter makes it.
fn broken(body: &Body) -> Body {
    let mut body = body.clone();
    let entry = body.entry(body.root);
    body.blocks[entry].ops.pop();
    body
}

/// Runs a check on an edit of the first function in a file.
fn with_edited<R>(file: &str, run: impl FnOnce(Edited<'_>) -> R) -> R {
    let (item, _, it) = &lowered(file)[0];
    let functions = functions(&syntax::parse(file));
    let environment = functions.environment(item);
    run(Edited {
        source: &item.source,
        environment: &environment,
        lowered: it,
        text: &item.source.green.text(),
        occurrences: &Occurrences::collect(&it.body),
        reading: ReadBack::Now,
    })
}

fn shared(file: &str, is_right: bool, reading: ReadBack) -> CheckedEdits {
    with_edited(file, |it| {
        let (body, occurrences) = (&it.lowered.body, it.occurrences);
        let plan = plan_of_text(it.lowered, &cse::CseOptions::default());
        let rewritten = |plan: &_| {
            let after = cse::rewrite(body, occurrences, plan);
            if is_right { after } else { broken(&after) }
        };
        checked_cse_edits(Edited { reading, ..it }, &plan, Selection::All, &rewritten)
    })
}

#[test]
fn shared_values_are_bound_only_if_the_text_says_so() {
    let file = kernel(STATEMENTS);
    let right = shared(&file, true, ReadBack::Now);
    assert_eq!((right.is_done, right.differs, right.mismatch), (vec![true], vec![false], None));
    let wrong = shared(&file, false, ReadBack::Now);
    assert!(wrong.edit.is_empty());
    assert_eq!((wrong.is_done, wrong.differs), (vec![false], vec![true]));
    let mismatch = wrong.mismatch.expect("what is wrong is told");
    assert_eq!(mismatch.what, "the edited text means something else than the plan");
    assert!(mismatch.op.is_some());
    // Nobody gets these.
    assert!(!shared(&file, false, ReadBack::Later).edit.is_empty());
}

#[test]
fn of_fixes_those_that_read_back_are_done() {
    let file = kernel(STATEMENTS);
    with_edited(&file, |it| {
        let (body, occurrences) = (&it.lowered.body, it.occurrences);
        let all = found(it.lowered, &only(FindingKind::DeadBinding));
        let fixes: Vec<&FindingFix> = all.iter().filter_map(|it| it.fix.as_ref()).collect();
        assert_eq!(fixes.len(), 3);
        // As if the rewriter did not know the second.
        let rewritten = |chosen: &[&FindingFix]| {
            let known = chosen.iter().copied().filter(|it| *it != fixes[1]);
            findings::apply_fixes(body, occurrences, known)
        };
        let edits = checked_finding_edits(it, &fixes, &rewritten);
        assert_eq!(edits.is_done, [true, false, true]);
        assert_eq!(edits.differs, [false, true, false]);
        assert!(edits.mismatch.is_some());
        let text = edits.edit.apply(&it.source.green.text());
        assert!(text.contains("b: T.let") && !text.contains("a: T.let"), "{text}");
    });
}

#[test]
fn edit_that_loses_a_comment_is_left_out() {
    let file = kernel(
        "
        # above
        a: T.let[T.int32] = x * 3  # behind
        b: T.let[T.int32] = (  # inside
            y * 3
        )
        c: T.let[T.int32] = (
            x * 5
        )  # behind several lines
        d: T.let[T.int32] = (  # type: ignore
            x * 6
        )
        A[0] = x
        ",
    );
    with_edited(&file, |it| {
        let (body, occurrences) = (&it.lowered.body, it.occurrences);
        let all = found(it.lowered, &only(FindingKind::DeadBinding));
        let fixes: Vec<&FindingFix> = all.iter().filter_map(|it| it.fix.as_ref()).collect();
        let rewritten = |chosen: &[&FindingFix]| {
            findings::apply_fixes(body, occurrences, chosen.iter().copied())
        };
        let edits = checked_finding_edits(it, &fixes, &rewritten);
        assert_eq!(edits.is_done, [true, false, false, true]);
        assert_eq!((edits.differs, edits.mismatch), (vec![false, true, true, false], None));
        let text = edits.edit.apply(&it.source.green.text());
        for comment in ["# above", "# behind\n", "# inside", "# behind several lines"] {
            assert!(text.contains(comment), "{comment} is not in\n{text}");
        }
    });
}

#[test]
fn a_text_with_a_new_mistake_is_not_offered() {
    // The name that the plan gives is one that the text has made something else of.
    let file = kernel(STATEMENTS);
    with_edited(&file, |it| {
        let (body, occurrences) = (&it.lowered.body, it.occurrences);
        let mut plan = plan_of_text(it.lowered, &cse::CseOptions::default());
        plan.bindings[0].name = "not a name".into();
        let rewritten = |plan: &_| cse::rewrite(body, occurrences, plan);
        let edits = checked_cse_edits(it, &plan, Selection::All, &rewritten);
        assert!(edits.edit.is_empty() && edits.mismatch.is_some());
    });
}

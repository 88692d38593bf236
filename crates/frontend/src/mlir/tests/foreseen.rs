//! Edits whose reading is foreseen: never one that reads as something else.

use crate::{
    mlir::{Aliases, UnitKind, is_foreseen, lower_file, reread_function},
    ops::{Diagnostic, Lowered, Severity, is_same},
};
use parser::mlir::Shapes;
use syntax::{Edit, TextEdit, TextRange};

const FUNCTION: &str =
    "func.func @f(%a: i32, %b: i32, %c: i1, %m: memref<?xi32>, %i: index) -> i32 {
  %0 = arith.addi %a, %b : i32
  %1 = arith.addi %a, %b : i32
  %w = arith.extsi %1 : i32 to i64
  %p:2 = \"t.pair\"(%1, %0) : (i32, i32) -> (i32, i32)
  %l = memref.load %m[%i] : memref<?xi32>
  %j = arith.addi %i, %i : index
  %2 = scf.if %c -> (i32) {
    %3 = arith.addi %a, %b : i32
    %4 = arith.muli %3, %1 : i32
    scf.yield %4 : i32
  } else {
    %4 = arith.muli %1, %p#1 : i32
    scf.yield %4 : i32
  }
  // The last one.
  %5 = arith.muli %2, %l : i32
  return %5 : i32
}";

/// Edits of the only places where these texts stand, in order.
fn edits(text: &str, replaced: &[(&str, &str)]) -> TextEdit {
    let edit = |&(from, to): &(&str, &str)| {
        // What is in `‹›` is replaced.
        let clean = from.replace(['‹', '›'], "");
        assert_eq!(text.matches(&clean).count(), 1, "{from}");
        let at = text.find(&clean).unwrap() + from.find('‹').unwrap_or(0);
        let len = match (from.find('‹'), from.find('›')) {
            (Some(start), Some(end)) => end - start - '‹'.len_utf8(),
            _ => clean.len(),
        };
        let range = TextRange::new((at as u32).into(), ((at + len) as u32).into());
        Edit::replace(range, to)
    };
    TextEdit::from_edits(replaced.iter().map(edit).collect()).unwrap()
}

fn read(text: &str) -> Option<Lowered> {
    reread_function(text, &Aliases::default(), Shapes::builtin())
}

/// Returns true if it is foreseen that the text reads as it does after the edits.
fn foreseen(text: &str, replaced: &[(&str, &str)]) -> bool {
    let before = read(text).unwrap();
    let edits = edits(text, replaced);
    let Some(after) = read(&edits.apply(text)) else {
        return is_foreseen(text, &before, &edits, &before.body);
    };
    let is = is_foreseen(text, &before, &edits, &after.body);
    let is_error = |it: &Diagnostic| it.severity == Severity::Error;
    assert!(!is || !after.diagnostics.iter().any(is_error), "{:?}", after.diagnostics);
    is
}

const MERGE: [(&str, &str); 4] = [
    ("  %1 = arith.addi %a, %b : i32\n", ""),
    ("extsi ‹%1›", "%0"),
    ("pair\"(‹%1›", "%0"),
    ("%3, ‹%1›", "%0"),
];

#[test]
fn merges_of_lines_and_names_are_foreseen() {
    let mut merge = MERGE.to_vec();
    merge.push(("muli ‹%1›, %p", "%0"));
    assert!(foreseen(FUNCTION, &merge));
    merge.push(("    %3 = arith.addi %a, %b : i32\n", ""));
    merge.push(("muli ‹%3›", "%0"));
    // Two edits in one operation, and of a region that uses what is around it.
    assert!(foreseen(FUNCTION, &merge));
    assert!(foreseen(
        FUNCTION,
        &[("yield %4 : i32\n  } else {\n    %4 = arith.muli ‹%1›", "%p#0")]
    ));
    assert!(foreseen(FUNCTION, &[("‹%p#1›", "%0")]));
    assert!(foreseen(FUNCTION, &[("[‹%i›]", "%i")]));
    assert!(foreseen(FUNCTION, &[("muli %2, ‹%l›", "%p#1")]));
}

#[test]
fn what_may_read_as_something_else_is_not_foreseen() {
    for replaced in [
        // Not the same type, not defined yet, not seen, defined twice.
        &[("extsi ‹%1›", "%i")][..],
        &[("extsi ‹%1›", "%l")],
        &[("muli %2, ‹%l›", "%3")],
        &[("muli %2, ‹%l›", "%4")],
        // Not what the value is called.
        &[("muli %2, ‹%l›", "%p")],
        &[("muli %2, ‹%l›", "%p#2")],
        &[("muli %2, ‹%l›", "%p#01")],
        // Parts of lines, half an operation, a line before a comment.
        &[("‹%j = arith.addi %i, %i : index›", "")],
        &[("  ‹%j = arith.addi %i, %i : index\n›", "")],
        &[("arith.addi %i, %i ‹: index›", "")],
        &[("arith.‹addi› %i", "muli")],
        &[("  } else {\n    %4 = arith.muli %1, %p#1 : i32\n    scf.yield %4 : i32\n", "")],
        // Something new.
        &[("‹  %j =", "  %k = arith.addi %i, %i : index\n  %j =")],
    ] {
        assert!(!foreseen(FUNCTION, replaced), "{replaced:?}");
    }
}

#[test]
fn each_difference_of_the_body_is_met() {
    let before = read(FUNCTION).unwrap();
    let mut merge = MERGE.to_vec();
    merge.push(("muli ‹%1›, %p", "%0"));
    let edits_of_merge = edits(FUNCTION, &merge);
    let text = edits_of_merge.apply(FUNCTION);
    let is =
        |after: &str| is_foreseen(FUNCTION, &before, &edits_of_merge, &read(after).unwrap().body);
    assert!(is(&text));
    for (from, to) in [
        ("(%0, %0)", "(%0, %a)"),
        ("arith.muli %3", "arith.addi %3"),
        ("i32 to i64", "i32 to i48"),
        ("%i, %i : index", "%i, %i overflow<nsw> : index"),
        ("scf.yield %4 : i32\n  } else", "scf.yield %3 : i32\n  } else"),
        ("  %j = arith.addi %i, %i : index\n", ""),
        ("  %j =", "  %k = arith.addi %i, %i : index\n  %j ="),
        ("return %5", "return %2"),
        ("@f(%a: i32", "@f(%a: i64"),
    ] {
        let other = text.replacen(from, to, 1);
        assert_ne!(other, text, "{from}");
        assert!(!is(&other), "{from} {to}");
    }
    for left_out in 0..merge.len() {
        let mut some = merge.clone();
        some.remove(left_out);
        let some = edits(FUNCTION, &some);
        let after = read(&text).unwrap();
        assert!(!is_foreseen(FUNCTION, &before, &some, &after.body), "{left_out}");
    }
}

/// Every way to rename a use in a function of many forms: what is foreseen reads so.
#[test]
fn renamed_uses_of_samples_read_as_foreseen() {
    let mut n_foreseen = 0;
    let mut n_tried = 0;
    let samples = test_utils::ir_samples();
    for sample in samples.iter().filter(|it| it.name.ends_with(".mlir") && it.text.len() < 20_000) {
        lower_file(&sample.text, Shapes::builtin(), &mut |unit| {
            let text = &sample.text[unit.offset..unit.end];
            let (before, map) = (&unit.lowered, &unit.lowered.source_map);
            if unit.kind != UnitKind::Function || !before.diagnostics.is_empty() {
                return;
            }
            let names: Vec<&str> = (before.body.values.ids())
                .map(|it| text[map.definition(it)].split(':').next().unwrap_or_default())
                .filter(|it| !it.is_empty())
                .collect();
            // A few of each function.
            let ops = before.body.ops.len();
            for (number, op) in before.body.ops.ids().enumerate().step_by(ops / 16 + 1) {
                for (at, place) in map.uses_of(op).enumerate().filter(|it| !it.1.is_empty()) {
                    let name = names[(number * 7 + at * 3) % names.len()];
                    let edits = TextEdit::from_edits(vec![Edit::replace(place, name)]).unwrap();
                    let edited = edits.apply(text);
                    let read = reread_function(&edited, &unit.aliases, Shapes::builtin());
                    let Some(after) = read else { continue };
                    n_tried += 1;
                    // What the rewriter would say: the same body with another operand.
                    for other in before.body.values.ids() {
                        if text[map.definition(other)].split(':').next() != Some(name) {
                            continue;
                        }
                        let mut body = before.body.clone();
                        let expr = body.value_expr(other);
                        if at >= body.ops[op].operands.len() {
                            continue;
                        }
                        body.ops[op].operands[at] = expr;
                        if is_foreseen(text, before, &edits, &body) {
                            n_foreseen += 1;
                            assert!(is_same(&after.body, &body), "{}\n{edited}", sample.name);
                        }
                    }
                }
            }
        });
    }
    assert!(n_foreseen > 100, "{n_foreseen} of {n_tried}");
}

//! Edits whose reading is foreseen: never one that reads as something else.

use ir::{Body, ExprId, ExprKind, ValueId, ValueKind};

use crate::{
    mlir::{
        Aliases, UnitKind,
        foreseen::{Expected, reads_as},
        lower_file, reread_function,
    },
    ops::{Diagnostic, Lowered, Severity, is_same, used_values},
};
use parser::mlir::Shapes;
use syntax::{Edit, TextEdit, TextRange};

const FUNCTION: &str =
    "func.func @f(%a: i32, %b: i32, %c: i1, %d: i1, %m: memref<?xi32>, %i: index) -> i32 {
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

/// Returns true if it is foreseen that a text reads as itself after edits: with uses of values as uses of others, and
/// without the operations that define some.
fn foreseen(text: &str, replaced: &[(&str, &str)], values: &[(&str, &str)], gone: &[&str]) -> bool {
    let before = read(text).unwrap();
    let edits = edits(text, replaced);
    let expected = expected(text, &before, values, gone);
    let is = reads_as(text, &before, &edits, &expected);
    if is {
        let after = read(&edits.apply(text)).unwrap();
        let is_error = |it: &Diagnostic| it.severity == Severity::Error;
        assert!(!after.diagnostics.iter().any(is_error), "{:?}", after.diagnostics);
        assert!(is_same(&after.body, &with_differences(&before.body, &expected)), "{replaced:?}");
    }
    is
}

/// The body that the rewriter would make: the same with other uses, and without some operations.
fn with_differences(before: &Body, expected: &Expected) -> Body {
    let mut body = before.clone();
    let replacement = |it: &ExprId| match before.expr(*it).kind {
        ExprKind::Value(value) => expected.replaced[value],
        _ => None,
    };
    for op in before.ops.ids() {
        let data = &before.ops[op];
        for (at, operand) in data.operands.iter().enumerate() {
            if let Some(by) = replacement(operand) {
                body.ops[op].operands[at] = body.value_expr(by);
            }
        }
        for (at, successor) in data.successors.iter().enumerate() {
            let mut args = before.items(successor.args).to_vec();
            for arg in &mut args {
                if let Some(by) = replacement(arg) {
                    *arg = body.value_expr(by);
                }
            }
            body.ops[op].successors[at].args = body.list(&args);
        }
    }
    for block in before.blocks.ids() {
        body.blocks[block].ops.retain(|it| !expected.gone[*it]);
    }
    body
}

fn expected(text: &str, before: &Lowered, values: &[(&str, &str)], gone: &[&str]) -> Expected {
    let (body, map) = (&before.body, &before.source_map);
    let value = |name: &str| -> ValueId {
        let (name, number) = name.split_once('#').unwrap_or((name, "0"));
        let named = |it: &ValueId| map.bare_name(text, *it) == name;
        body.values.ids().filter(named).nth(number.parse().unwrap()).unwrap()
    };
    let mut expected = Expected::nothing(body);
    for (from, to) in values {
        expected.replaced[value(from)] = Some(value(to));
    }
    for name in gone {
        let ValueKind::Result(op, _) = body.values[value(name)].kind else { panic!("{name}") };
        expected.gone[op] = true;
    }
    expected
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
    assert!(foreseen(FUNCTION, &merge, &[("%1", "%0")], &["%1"]));
    merge.push(("    %3 = arith.addi %a, %b : i32\n", ""));
    merge.push(("muli ‹%3›", "%0"));
    // Two edits in one operation, and of a region that uses what is around it.
    assert!(foreseen(FUNCTION, &merge, &[("%1", "%0"), ("%3", "%0")], &["%1", "%3"]));
    let of_pack = [("‹%p#1›", "%0")];
    assert!(foreseen(FUNCTION, &of_pack, &[("%p#1", "%0")], &[]));
    assert!(foreseen(FUNCTION, &[("[‹%i›]", "%i")], &[], &[]));
    assert!(foreseen(FUNCTION, &[("muli %2, ‹%l›", "%p#1")], &[("%l", "%p#1")], &[]));
    assert!(foreseen(FUNCTION, &[("  %j = arith.addi %i, %i : index\n", "")], &[], &["%j"]));
    assert!(foreseen(FUNCTION, &[("scf.if ‹%c›", "%d")], &[("%c", "%d")], &[]));
}

#[test]
fn what_may_read_as_something_else_is_not_foreseen() {
    for (replaced, values, gone) in [
        // Not the same type, not defined yet, not seen, defined twice.
        (("muli %2, ‹%l›", "%i"), ("%l", "%i"), None),
        (("muli %3, ‹%1›", "%l"), ("%1", "%5"), None),
        (("muli %2, ‹%l›", "%3"), ("%l", "%3"), None),
        (("muli %2, ‹%l›", "%4"), ("%l", "%4"), None),
        // Not what the value is called.
        (("muli %2, ‹%l›", "%p"), ("%l", "%p#0"), None),
        (("muli %2, ‹%l›", "%p#2"), ("%l", "%p#1"), None),
        (("muli %2, ‹%l›", "%p#01"), ("%l", "%p#1"), None),
        // Not the value that is meant, and not another one.
        (("muli %2, ‹%l›", "%0"), ("%l", "%1"), None),
        (("muli %2, ‹%l›", "%0"), ("%i", "%i"), None),
        // Used, and gone.
        (("  %l = memref.load %m[%i] : memref<?xi32>\n", ""), ("%i", "%i"), Some("%l")),
        // Gone, and still there.
        (("[‹%i›]", "%i"), ("%a", "%a"), Some("%j")),
        // Parts of lines, half an operation, a line before a comment.
        (("‹%j = arith.addi %i, %i : index›", ""), ("%a", "%a"), Some("%j")),
        (("  ‹%j = arith.addi %i, %i : index\n›", ""), ("%a", "%a"), Some("%j")),
        (("arith.addi %i, %i ‹: index›", ""), ("%a", "%a"), None),
        (("arith.‹addi› %i", "muli"), ("%a", "%a"), None),
        (
            ("  } else {\n    %4 = arith.muli %1, %p#1 : i32\n    scf.yield %4 : i32\n", ""),
            ("%a", "%a"),
            None,
        ),
        // Something new.
        (("‹  %j =", "  %k = arith.addi %i, %i : index\n  %j ="), ("%a", "%a"), None),
    ] {
        let values: Vec<_> = [values].into_iter().filter(|it| it.0 != it.1).collect();
        let gone: Vec<&str> = gone.into_iter().collect();
        assert!(!foreseen(FUNCTION, &[replaced], &values, &gone), "{replaced:?}");
    }
}

#[test]
fn each_edit_of_a_merge_is_needed() {
    let mut merge = MERGE.to_vec();
    merge.push(("muli ‹%1›, %p", "%0"));
    for left_out in 0..merge.len() {
        let mut some = merge.clone();
        some.remove(left_out);
        assert!(!foreseen(FUNCTION, &some, &[("%1", "%0")], &["%1"]), "{left_out}");
    }
}

const BLOCKS: &str = "func.func @f(%a: i64, %c: i1) -> i64 {
  %0 = arith.addi %a, %a : i64
  cf.cond_br %c, ^bb1, ^bb2(%0 : i64)
^bb1:
  %1 = arith.addi %a, %a : i64
  %2 = arith.muli %1, %1 : i64
  cf.br ^bb3(%2, %1 : i64, i64)
^bb2(%x: i64):
  %3 = arith.muli %x, %0 : i64
  cf.br ^bb3(%3, %0 : i64, i64)
^bb3(%y: i64, %z: i64):
  %4 = arith.addi %y, %a : i64
  return %4 : i64
}";

#[test]
fn uses_in_blocks_see_what_dominates_them() {
    let merge = [
        ("  %1 = arith.addi %a, %a : i64\n", ""),
        ("muli ‹%1›, %1", "%0"),
        ("muli %1, ‹%1›", "%0"),
        ("(%2, ‹%1› :", "%0"),
    ];
    assert!(foreseen(BLOCKS, &merge, &[("%1", "%0")], &["%1"]));
    // One use of several.
    assert!(!foreseen(BLOCKS, &[("^bb2(‹%0› : i64)", "%a")], &[("%0", "%a")], &[]));
    assert!(foreseen(BLOCKS, &[("^bb3(‹%3›", "%x")], &[("%3", "%x")], &[]));
    // Blocks that do not dominate the use, or come later.
    assert!(!foreseen(BLOCKS, &[("^bb3(‹%3›", "%1")], &[("%3", "%1")], &[]));
    assert!(!foreseen(BLOCKS, &[("^bb3(‹%3›", "%4")], &[("%3", "%4")], &[]));
    assert!(!foreseen(BLOCKS, &[("return ‹%4›", "%3")], &[("%4", "%3")], &[]));
    assert!(foreseen(BLOCKS, &[("return ‹%4›", "%z")], &[("%4", "%z")], &[]));
    // A dominator that stands behind what it dominates.
    let swapped = "func.func @f(%a: i64) -> i64 {
  cf.br ^bb2
^bb1:
  %1 = arith.addi %a, %a : i64
  return %1 : i64
^bb2:
  cf.br ^bb1
}";
    assert!(!foreseen(swapped, &[("return ‹%1›", "%a")], &[("%1", "%a")], &[]));
}

/// Ways to rename all uses of a value in functions of many forms: what is foreseen reads so.
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
            let written: Vec<ValueId> =
                before.body.values.ids().filter(|it| !map.definition(*it).is_empty()).collect();
            // A few of each function, each by a few.
            for (number, &old) in written.iter().enumerate().step_by(written.len() / 12 + 1) {
                for other in [number / 2, number + 1, number * 7 + 3] {
                    let new = written[other % written.len()];
                    let mut edits = Vec::new();
                    for op in before.body.ops.ids() {
                        let uses = used_values(&before.body, op).zip(map.uses_of(op));
                        let of_old = uses.filter(|it| it.0 == Some(old) && !it.1.is_empty());
                        for (_, place) in of_old {
                            edits.push(Edit::replace(place, map.bare_name(text, new)));
                        }
                    }
                    let edits = TextEdit::from_edits(edits).unwrap();
                    let edited = edits.apply(text);
                    let read = reread_function(&edited, &unit.aliases, Shapes::builtin());
                    let Some(after) = read else { continue };
                    n_tried += 1;
                    let mut expected = Expected::nothing(&before.body);
                    expected.replaced[old] = (old != new).then_some(new);
                    if reads_as(text, before, &edits, &expected) {
                        n_foreseen += 1;
                        let body = with_differences(&before.body, &expected);
                        assert!(is_same(&after.body, &body), "{}\n{edited}", sample.name);
                    }
                }
            }
        });
    }
    assert!(n_foreseen > 100, "{n_foreseen} of {n_tried}");
}

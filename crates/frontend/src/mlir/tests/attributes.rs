//! No row of the table of forms confuses two operations that differ in an attribute.

use std::collections::BTreeMap;

use super::{super::forms, dump};

/// Attributes that may be left out whatever they say: the operands and their types say the same, or no result depends
/// on them.
const DROPPED: &[(&str, &str)] = &[
    // A cache of what follows from the operation.
    ("linalg.", "linalg.memoized_indexing_maps"),
    // A hint to who inlines.
    ("func.call", "no_inline"),
    // One list of operands has a length of its own, or the sizes of bundles say it too.
    ("linalg.unpack", "operandSegmentSizes"),
    ("tensor.unpack", "operandSegmentSizes"),
    ("llvm.call", "operandSegmentSizes"),
    ("llvm.call_intrinsic", "operandSegmentSizes"),
    // Written in the type of the pointer.
    ("spirv.Load", "storage_class"),
    ("spirv.Store", "storage_class"),
    // Of a function, which equals nothing.
    ("util.func", "tied_operands"),
];

fn may_be_dropped(op: &str, key: &str) -> bool {
    DROPPED.iter().any(|(start, it)| op.starts_with(start) && *it == key)
}

/// Values that are no default of anything.
const VALUES: &[&str] =
    &["true", "41 : i32", "42 : i64", "\"other\"", "#x.y<z>", "array<i64: 43>", "[44]", "unit"];

#[test]
fn operations_that_differ_in_one_attribute_are_two() {
    let mut wrong = Vec::new();
    let all = forms::all();
    assert!(all.len() > 400, "{}", all.len());
    // A function in another is a unit of its own.
    for (op, mut keys) in all.into_iter().filter(|it| it.0 != "func.func") {
        keys.insert("of_nobody");
        for key in keys {
            let is_dropped = forms::is_named_default(op, key, "*");
            if is_dropped && !may_be_dropped(op, key) {
                wrong.push(format!("{op}: {key} is dropped"));
            }
            if is_dropped {
                continue;
            }
            let mut seen: BTreeMap<String, &str> = BTreeMap::new();
            let with = |attrs: &str| {
                let text = format!(
                    "\"func.func\"() <{{function_type = () -> (), sym_name = \"f\"}}> ({{\n  \"{op}\"() {attrs}: () -> ()\n  \"func.return\"() : () -> ()\n}}) : () -> ()\n"
                );
                // Places of diagnostics differ with the lengths of texts.
                let shown = dump(&text);
                shown.lines().find(|it| it.contains(op)).unwrap_or_default().to_owned()
            };
            seen.insert(with(""), "nothing");
            let is_other = |it: &&&str| !forms::is_named_default(op, key, it);
            for &value in VALUES.iter().filter(is_other) {
                let text = if value == "unit" {
                    format!("{{{key}}} ")
                } else {
                    format!("{{{key} = {value}}} ")
                };
                if let Some(other) = seen.insert(with(&text), value) {
                    wrong.push(format!("{op}: {key} = {value} is {other}"));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn unknown_words_stay() {
    let body =
        |line: &str| dump(&format!("func.func @f(%a: i32, %b: i32) {{\n  {line}\n  return\n}}\n"));
    for (one, other) in [
        ("%0 = arith.cmpi newer, %a, %b : i32", "%0 = arith.cmpi newest, %a, %b : i32"),
        ("%0 = llvm.icmp \"newer\" %a, %b : i32", "%0 = llvm.icmp \"newest\" %a, %b : i32"),
        ("%0 = llvm.udiv exact %a, %b : i32", "%0 = llvm.udiv %a, %b : i32"),
        ("%0 = llvm.or disjoint %a, %b : i32", "%0 = llvm.or %a, %b : i32"),
        ("%0 = llvm.zext nneg %a : i32 to i64", "%0 = llvm.zext %a : i32 to i64"),
        ("%0 = arith.divsi exact %a, %b : i32", "%0 = arith.divsi %a, %b : i32"),
    ] {
        let line = |it: &str| body(it).lines().find(|it| it.contains("%0")).map(str::to_owned);
        assert_ne!(line(one), line(other), "{one}");
    }
}

#[test]
fn flags_are_attributes_of_the_generic_form() {
    let line = |it: &str| {
        let text =
            dump(&format!("func.func @f(%a: i32, %b: i32, %c: f32) {{\n  {it}\n  return\n}}\n"));
        text.lines().find(|it| it.contains("%0")).map(str::to_owned)
    };
    for (pretty, generic) in [
        (
            "%0 = llvm.udiv exact %a, %b : i32",
            "%0 = \"llvm.udiv\"(%a, %b) <{isExact}> : (i32, i32) -> i32",
        ),
        (
            "%0 = llvm.or disjoint %a, %b : i32",
            "%0 = \"llvm.or\"(%a, %b) <{isDisjoint}> : (i32, i32) -> i32",
        ),
        ("%0 = llvm.zext nneg %a : i32 to i64", "%0 = \"llvm.zext\"(%a) <{nonNeg}> : (i32) -> i64"),
        (
            "%0 = arith.divsi exact %a, %b : i32",
            "%0 = \"arith.divsi\"(%a, %b) <{isExact}> : (i32, i32) -> i32",
        ),
        (
            "%0 = arith.extui nneg %a : i32 to i64",
            "%0 = \"arith.extui\"(%a) <{nonNeg}> : (i32) -> i64",
        ),
        (
            "%0 = arith.truncf %c toward_zero : f32 to f16",
            "%0 = \"arith.truncf\"(%c) <{roundingmode = 3 : i32}> : (f32) -> f16",
        ),
        (
            "%0 = llvm.udiv %a, %b : i32",
            "%0 = \"llvm.udiv\"(%a, %b) <{isExact = false}> : (i32, i32) -> i32",
        ),
    ] {
        assert_eq!(line(pretty), line(generic), "{pretty}");
    }
}

//! MLIR and PIR: the tree after an edit is that of a fresh parse, and costs only the edited part.

use rowan::{TextRange, TextSize};
use test_utils::{Rng, ir_samples};

use crate::{Edit, Green, Language, Parse, dump, green::same_tree, parse_as};

fn check_edit(old: &Parse, text: &mut String, edit: &Edit) -> Parse {
    let before = text.clone();
    edit.apply(text);
    let new = old.reparse(edit);
    let fresh = parse_as(old.language(), text);
    if !same_tree(new.parse.green().node(), fresh.green().node()) {
        let (new, fresh) = (dump(&new.parse.syntax()), dump(&fresh.syntax()));
        let line = new.lines().zip(fresh.lines()).position(|(a, b)| a != b).unwrap_or(0);
        let show = |dump: &str| {
            dump.lines().skip(line.saturating_sub(5)).take(12).collect::<Vec<_>>().join("\n")
        };
        panic!(
            "{edit:?} in\n{before}\ngives from line {line}\n{}\ninstead of\n{}",
            show(&new),
            show(&fresh)
        );
    }
    new.parse
}

const SNIPPETS: &[&str] = &[
    "\n",
    "\r\n",
    " ",
    "  ",
    "(",
    ")",
    "[",
    "]",
    "{",
    "}",
    "<",
    ">",
    "\"",
    "%",
    "%0",
    "%a:2",
    "#",
    "#map",
    "!",
    "!t",
    "@",
    "^",
    "^bb1:",
    "^bb0(%x: i32):\n",
    ":",
    "::",
    " : i32",
    "=",
    " = ",
    "->",
    "-",
    "{-#",
    "#-}",
    ",",
    ".",
    "//",
    "// c\n",
    "\n// -----\n",
    "// -----",
    "\n//--- a.mlir\n",
    "// RUN: x",
    "split",
    "\n//--- a.c\n",
    "//--- ",
    "loc(",
    "loc",
    "return",
    "return\n",
    "func.func @g() {\n",
    "}\n",
    "module {\n",
    "\"test.op\"() : () -> ()\n",
    "%1 = arith.addi %0, %0 : i32\n",
    "%2, %3 = foo.bar {\n",
    "foo.bar (%x : i32) {\n",
    "scf.if %c {\n",
    "} else {",
    "affine_map<",
    "dense<",
    "i32",
    "x",
    "4x",
    "0x",
    "tensor<",
    "1.0",
    "#0",
    "é",
    "\u{feff}",
    "\0",
    "gpu.module @m {\n",
    "linalg.generic {",
    "a.b",
    "a.b {\n",
    "a.b : 6\n",
    "{a.b : 6\n",
    "\"a.b\"() ({\n",
    "<{",
    "}>",
    "attributes {a = 1}",
    "<<NULL VALUE>>",
    "(%0) = \"pd_op.x\" () {} : () -> tensor<f32>\n",
    "else {\n",
    "^%a {\n",
    "() = ",
];

/// Small programs with everything that edits can break.
const MLIR: &[&str] = &[
    "",
    "#map = affine_map<(d0) -> (d0)>\n!t = i32\nmodule attributes {a.b} {\n  func.func @f(%a: i32) -> i32 {\n    %0 = arith.addi %a, %a : i32\n    // c\n    %1:2 = \"t.op\"(%0) <{x = 1}> ({\n    ^bb0(%b: i32):\n      %2 = arith.muli %b, %0 : i32\n      cf.br ^bb1(%2 : i32)\n    ^bb1(%c: i32):\n      t.yield %c : i32\n    }, {\n    }) {y} : (i32) -> (i32, i32)\n    return %1#1 : i32\n  }\n  func.func private @g(i32) -> i32\n}\n\n{-#\n  dialect_resources: { builtin: { a: \"0x00\" } }\n#-}\n",
    "func.func @f(%c: i1, %n: index) {\n  scf.if %c {\n    foo.bar %c, %n {\n      baz.qux (%i : index = %n) {\n        %0 = a.b %i\n        %1 = a.b %0\n        %2 = a.b %1\n        %3 = a.b %2\n        c.d\n        return\n      }\n    }\n  } else {\n    %x, %y = a.b\n    a.b\n  }\n  affine.for %i = 0 to #m(%n) step 2 {\n  }\n  linalg.generic {a = [#m]} ins(%n : index) outs(%n : index) {\n  ^bb0(%a: f32):\n    linalg.yield %a : f32\n  }\n  return\n}\n// -----\nfunc.func @g() {\n  return\n}\n// -----\n\n%0 = a.b loc(\"x\":1:2)\n",
    "llvm.func @f(%a: !llvm.ptr<3>) {\n  llvm.cond_br %c, ^a(%x : i32), ^b\n^a(%0: i32):\n  llvm.br ^b\n\n^b:  // 2 preds: ^a, ^b\n  llvm.return\n}\nllvm.func @g()\nspirv.module Logical GLSL450 {\n  spirv.func @h() \"None\" {\n    spirv.Return\n  }\n}\n",
    "// RUN: own-opt %s\n// A text.\nmodule {\n  func.func @f() {\n    c.d\n    c.d\n    c.d\n    c.d\n// -----\n    return\n  }\n\n// -----\n\n  func.func @g() {\n    return\n  }\n}\n// -----\nc.d\n",
    "// RUN: split-file %s %t\n\n//--- one.mlir\nfunc.func @f() {\n  return\n}\n//--- b.c\nint f() {\n}\n//--- two.mlir\n#m = 1\nc.d\n  c.d\n  c.d\n//--- e.txt\n",
    "scf.own {\n  a.b : 6\n  c.d %x\n  c.d %y\n  a.b : 7 {\n    a.b : 8\n    scf.if %c {\n      %0 = c.d\n      %1 = c.d\n      c.d\n      c.d\n      c.d\n      return\n    }\n  }\n  c.d\n  c.d\n  c.d\n  %2 = c.d\n}\nown.m {\n  size : 1\n  rate 6\n  scf.if %c {\n    %3 = c.d\n    return\n  }\n}\n",
    "func.func @f() {\n  \"a.b\"() ({\n    func.func @g() {\n      %0 = c.d\n      %1 = c.d\n      c.d\n      scf.if %c {\n        c.d\n        c.d\n        return\n      }\n      return\n    }\n    c.d\n    llvm.func @h()\n  }) : () -> ()\n  c.d {\n    c.d %x\n    func.func @i() {\n      return\n    }\n  }\n  return\n}\n",
];

const PIR: &[&str] = &[
    "",
    "{\n    (%0) = \"pd_op.data\" () {shape:[2,2],place:Place(undefined:0)} : () -> tensor<2x-1xf32>\n    (%1, %2) = \"builtin.split\" (%0) {} : (vec[tensor<f32>,tensor<f32>]) -> tensor<f32>, tensor<f32>\n    (%4) = \"pd_op.if\" (%2) {stop_gradient:[true]} -> tensor<2x2xf32> {\n        (%5) = \"pd_op.full\" () {value:1e-05} : () -> tensor<1xf32>\n        () = \"cf.yield\" (%5) {} : (tensor<1xf32>) -> \n    } else {\n        () = \"cf.yield\" (%0) {} : (tensor<1xf32>) -> \n    }\n    (%8) = \"pd_op.while\" (cond=%7, inputs=%2, <<NULL VALUE>>) {\n    ^%arg_0 {stop_gradient:true}, %arg_1 {stop_gradient:true}\n        () = \"cf.yield\" (%5) {} : (tensor<1xf32>) -> \n    }\n    () = \"builtin.shadow_output\" (%8) {a:\"b\"} : (<<NULL TYPE>>) -> \n}\n",
];

fn boundary(text: &str, at: usize) -> usize {
    text.floor_char_boundary(at.min(text.len()))
}

fn random_edit(rng: &mut Rng, text: &str) -> Edit {
    let at = boundary(text, rng.below(text.len() + 1));
    let range = |a: usize, b: usize| TextRange::new((a as u32).into(), (b as u32).into());
    let line_start = text[..at].rfind('\n').map_or(0, |it| it + 1);
    let line_end = text[at..].find('\n').map_or(text.len(), |it| at + it + 1);
    match rng.below(11) {
        0..=3 => Edit::insert((at as u32).into(), *rng.pick(SNIPPETS)),
        4 => Edit::insert((line_start as u32).into(), *rng.pick(SNIPPETS)),
        5 => Edit::insert((line_end as u32).into(), *rng.pick(SNIPPETS)),
        6 => Edit::delete(range(boundary(text, at.saturating_sub(1)), at)),
        7 => Edit::delete(range(at, boundary(text, at + rng.below(20)).max(at))),
        8 => Edit::delete(range(line_start, line_end)),
        9 => {
            Edit::replace(range(at, boundary(text, at + rng.below(8)).max(at)), *rng.pick(SNIPPETS))
        }
        _ => {
            let from = boundary(text, rng.below(text.len() + 1));
            let to = boundary(text, from + rng.below(120)).max(from);
            Edit::insert((at as u32).into(), &text[from..to])
        }
    }
}

fn slow_factor() -> usize {
    if std::env::var("RUN_SLOW_TESTS").is_ok_and(|it| !it.is_empty()) { 50 } else { 1 }
}

fn run_sequences(seed: u64, texts: &[(Language, &str)], sequences: usize, edits: usize) {
    let mut rng = Rng::new(seed + slow_factor() as u64);
    for _ in 0..sequences * slow_factor() {
        let (language, text) = *rng.pick(texts);
        let mut text = text.to_owned();
        let mut tree = parse_as(language, &text);
        for _ in 0..edits {
            let edit = random_edit(&mut rng, &text);
            tree = check_edit(&tree, &mut text, &edit);
        }
        assert_eq!(tree.text(), text);
    }
}

#[test]
fn random_edits_of_small_programs_give_the_fresh_tree() {
    let mlir = MLIR.iter().map(|it| (Language::Mlir, *it));
    let pir = PIR.iter().map(|it| (Language::Pir, *it));
    run_sequences(11, &mlir.chain(pir).collect::<Vec<_>>(), 2_000, 12);
}

#[test]
fn random_edits_of_samples_give_the_fresh_tree() {
    let samples = ir_samples();
    let language = |name: &str| {
        if name.ends_with(".pir") { Language::Pir } else { Language::Mlir }
    };
    let short: Vec<_> = samples
        .iter()
        .filter(|it| it.text.len() < 6_000)
        .map(|it| (language(&it.name), it.text.as_str()))
        .collect();
    run_sequences(12, &short, 200, 12);
}

#[test]
fn a_comment_at_the_beginning_decides_whether_the_text_is_split() {
    let mut text = String::from(
        "// RUN: own %s\nmodule {\n  func.func @f() {\n    return\n  }\n// -----\n  own.x\n}\n",
    );
    let mut tree = parse_as(Language::Mlir, &text);
    assert_eq!(tree.syntax().children().count(), 1);
    let run = TextSize::of("// RUN: own %s");
    for (edit, n) in [
        (Edit::insert(run, " -split"), 2),
        (Edit::delete(TextRange::at(run, TextSize::of(" -split"))), 1),
        (Edit::insert(0.into(), "own.y\n"), 2),
        (Edit::delete(TextRange::up_to(TextSize::of("own.y\n"))), 1),
        (Edit::replace(TextRange::at(3.into(), 1.into()), "F"), 2),
    ] {
        tree = check_edit(&tree, &mut text, &edit);
        assert_eq!(tree.syntax().children().count(), n, "{text}");
    }
}

#[test]
fn typing_key_by_key_gives_the_fresh_tree() {
    for (language, programs) in [(Language::Mlir, MLIR), (Language::Pir, PIR)] {
        for program in programs {
            let mut text = String::new();
            let mut tree = parse_as(language, "");
            for c in program.chars() {
                let edit = Edit::insert(TextSize::of(text.as_str()), c);
                tree = check_edit(&tree, &mut text, &edit);
            }
        }
    }
}

/// A file of many functions, one of which has many operations, many of them in one region.
fn big_file() -> String {
    let mut text = String::from("#map = affine_map<(d0) -> (d0)>\nmodule {\n");
    for i in 0..300 {
        text +=
            &format!("  func.func @f{i}(%a: i32) -> i32 {{\n    %0 = arith.addi %a, %a : i32\n");
        text += "    return %0 : i32\n  }\n";
    }
    text += "  func.func @big(%a: i32, %n: index) {\n    scf.for %i = %n to %n step %n {\n";
    for i in 0..4000 {
        text += &format!("      %v{i} = arith.muli %a, %a : i32\n");
    }
    text + "    }\n    return\n  }\n}\n"
}

fn at(text: &str, needle: &str) -> u32 {
    text.find(needle).expect("it is in the text") as u32
}

#[test]
fn an_edit_costs_its_operation_not_its_file() {
    let text = big_file();
    let old = parse_as(Language::Mlir, &text);
    let cost = |at: u32, len: u32, with: &str| {
        let edit = Edit::replace(TextRange::at(at.into(), len.into()), with);
        check_edit(&old, &mut text.clone(), &edit);
        old.reparse(&edit).lexed
    };
    let in_big = at(&text, "%v2000 = ");
    // A key inside of an operation, a new one, a removed one, a comment.
    assert!(cost(in_big + 1, 1, "w") < 1_000);
    assert!(cost(in_big, 0, "%x = arith.constant 1 : i32\n") < 1_000);
    assert!(cost(in_big, 20, "") < 1_000);
    assert!(cost(in_big, 0, "// why\n") < 1_000);
    assert!(cost(in_big + 9, 0, "(") < 1_000);
    // The first and the last of the list; the first of a function.
    assert!(cost(at(&text, "%v0 = ") + 1, 0, "w") < 1_000);
    assert!(cost(at(&text, "%v3999 = ") + 1, 0, "w") < 1_000);
    assert!(cost(at(&text, "@f150(") + 30, 0, "w") < 1_000);
    // The header of a small function reads that function and a few around.
    assert!(cost(at(&text, "@f150(") + 1, 3, "abc") < 2_000);
    // An open brace moves what follows; a closed one as well.
    assert!(cost(in_big, 0, "}\n") < 12 * text.len() as u64);
}

#[test]
fn untouched_nodes_keep_their_address() {
    let text = big_file();
    let old = parse_as(Language::Mlir, &text);
    let functions = |parse: &Parse| {
        let functions = parse.mlir().expect("it is MLIR").functions();
        functions
            .iter()
            .map(|it| Green::of(crate::AstNode::syntax(&it.operation)))
            .collect::<Vec<_>>()
    };
    let before = functions(&old);
    assert_eq!(before.len(), 301);
    for (needle, changed) in [("%v2000 =", 300), ("@f150(", 150), ("@f0(", 0)] {
        let edit = Edit::insert((at(&text, needle) + 1).into(), "z");
        let after = functions(&old.reparse(&edit).parse);
        for (i, (before, after)) in before.iter().zip(&after).enumerate() {
            assert_eq!(
                before.ptr_eq(after),
                i != changed,
                "function {i} after an edit at {needle}"
            );
        }
    }
}

#[test]
fn edits_of_deeply_nested_regions_stay_linear() {
    let mut text = String::from("func.func @f(%c: i1) {\n");
    for _ in 0..600 {
        text += "scf.if %c {\n";
    }
    text += "a.b\n";
    text += &"}\n".repeat(601);
    let old = parse_as(Language::Mlir, &text);
    let middle = text.find("a.b").expect("it is there") as u32 / 2;
    for with in ["\"", "(", "\n", "x", "}", "{"] {
        let edit = Edit::insert(middle.into(), with);
        assert!(old.reparse(&edit).lexed < 16 * text.len() as u64, "{with:?}");
        check_edit(&old, &mut text.clone(), &edit);
    }
}

//! Lines that repeat are read as they would be step by step.

use std::{fs, path::PathBuf};

use parser::mlir::{Piece, Shapes, Sink, parse_into};

use super::{check, *};
use crate::mlir::FileReader;

/// Takes all steps, and no lines.
struct ByStep<'t, 'u>(FileReader<'t, 'u>);

impl Sink for ByStep<'_, '_> {
    fn pieces(&mut self, pieces: &[Piece]) {
        self.0.pieces(pieces);
    }
    fn function_begins(&mut self, offset: usize) {
        self.0.function_begins(offset);
    }
    fn function_ends(&mut self, offset: usize) {
        self.0.function_ends(offset);
    }
}

/// Counts the lines.
#[derive(Default)]
struct Counter {
    n_lines: usize,
}

impl Sink for Counter {
    fn pieces(&mut self, pieces: &[Piece]) {
        self.n_lines += pieces.iter().filter(|it| it.step().is_none()).count();
    }
    fn takes_lines(&self) -> bool {
        true
    }
}

fn n_lines(text: &str) -> usize {
    let mut counter = Counter::default();
    parse_into(text, Shapes::builtin(), &mut counter);
    counter.n_lines
}

#[track_caller]
fn check_same(text: &str) {
    let (mut by_line, mut by_step) = (Vec::new(), Vec::new());
    lower_file(text, Shapes::builtin(), &mut |unit| by_line.push(unit));
    let mut take = |unit| by_step.push(unit);
    parse_into(
        text,
        Shapes::builtin(),
        &mut ByStep(FileReader::new(text, Shapes::builtin(), &mut take)),
    );
    assert_eq!(by_line.len(), by_step.len(), "{text}");
    for (line, step) in by_line.iter().zip(&by_step) {
        let places = |it: &Unit| (it.kind, it.offset, it.end, it.document);
        assert_eq!(places(line), places(step), "{text}");
        assert!(line.lowered == step.lowered, "{} in {text}", line.lowered.body.name);
    }
}

/// Repeats a line until its form is known, with other names.
fn function(line: &str) -> String {
    let line = |it: usize| format!("    {}\n", line.replace('$', &it.to_string()));
    let lines: String = (0..8).map(line).collect();
    format!("func.func @f(%a: i32, %m: memref<4xf32>, %i: index, %c: i1) {{\n{lines}    return\n}}")
}

#[test]
fn forms_of_all_kinds() {
    let mut counts = String::new();
    for line in [
        "%$ = arith.addi %a, %a : i32",
        "%$ = arith.addi %a, %a overflow<nsw> : i32",
        "%$ = \"t.x\"(%a, %i) {k = \"%z\"} : (i32, index) -> f32",
        "%$ = memref.load %m[%i] : memref<4xf32>",
        "%x = arith.constant 5 : i32",
        "%v$ = arith.cmpi slt, %a, %a {tag} : i32 loc(\"x\")",
        "%$ = arith.addi %a, %a {k = #loc} : i32 loc(#loc$)",
        "%$ = arith.addi %a, %a : i32 loc(callsite(#loc$ at #loc))",
        "\"t.y\"(%a) <{p = 1 : i32}> {q = 2 : i32} : (i32) -> ()",
        "func.call @g(%a) : (i32) -> ()",
        "%w$:2 = \"t.z\"() : () -> (i32, f32)",
        "\"t.y\"(%w$#1) : (f32) -> ()",
        "%$ = vector.broadcast %a : i32 to vector<4xi32>",
        "memref.dealloc %m : memref<4xf32>   ",
        // Not known, or not defined; of two types.
        "%$ = t.new %a, %late : i32",
        "%$ = arith.addi %late$, %a : i32",
        "%$ = arith.addi %m, %a : i32",
        // A percent sign that begins no name; names in types.
        "%$ = arith.bitcast %a : i32 to !foo<p % q>",
        "%$ = arith.bitcast %a : i32 to !foo<%a>",
        // By the format of a definition.
        "%$ = comb.add %a, %a : i32",
        // Not known.
        "%$ = foo.bar %a, %a : i32",
        // Regions, successors, comments.
        "scf.if %c { \"t.y\"(%a) : (i32) -> () }",
        "cf.br ^l",
        "%$ = arith.addi %a, %a : i32 // %a",
    ] {
        counts.push_str(&format!("{} {line}\n", n_lines(&function(line))));
        check_same(&function(line));
    }
    expect![[r#"
        5 %$ = arith.addi %a, %a : i32
        5 %$ = arith.addi %a, %a overflow<nsw> : i32
        5 %$ = "t.x"(%a, %i) {k = "%z"} : (i32, index) -> f32
        5 %$ = memref.load %m[%i] : memref<4xf32>
        5 %x = arith.constant 5 : i32
        5 %v$ = arith.cmpi slt, %a, %a {tag} : i32 loc("x")
        5 %$ = arith.addi %a, %a {k = #loc} : i32 loc(#loc$)
        0 %$ = arith.addi %a, %a : i32 loc(callsite(#loc$ at #loc))
        5 "t.y"(%a) <{p = 1 : i32}> {q = 2 : i32} : (i32) -> ()
        6 func.call @g(%a) : (i32) -> ()
        0 %w$:2 = "t.z"() : () -> (i32, f32)
        5 "t.y"(%w$#1) : (f32) -> ()
        5 %$ = vector.broadcast %a : i32 to vector<4xi32>
        6 memref.dealloc %m : memref<4xf32>   
        0 %$ = t.new %a, %late : i32
        5 %$ = arith.addi %late$, %a : i32
        5 %$ = arith.addi %m, %a : i32
        0 %$ = arith.bitcast %a : i32 to !foo<p % q>
        5 %$ = arith.bitcast %a : i32 to !foo<%a>
        5 %$ = comb.add %a, %a : i32
        0 %$ = foo.bar %a, %a : i32
        0 scf.if %c { "t.y"(%a) : (i32) -> () }
        0 cf.br ^l
        0 %$ = arith.addi %a, %a : i32 // %a
    "#]]
    .assert_eq(&counts);
}

/// A line ends before the next operation only if something follows that begins one.
#[test]
fn text_behind_a_line_counts() {
    let line = "  \"t.x\"(%a) : (i32) -> i32\n";
    let lines = format!("func.func @f(%a: i32) {{\n{}", line.repeat(5));
    check_same(&format!("{lines}  {{k}}\n  return\n}}"));
    check_same(&format!("{lines}  loc(\"x\")\n  return\n}}"));
    check_same(&format!("{lines}{}  ^l:\n  return\n}}", "  cf.br\n"));
    check_same(&lines);
    check_same(lines.trim_end());
}

/// Two lines are of one form only if names of values stand at the same places.
#[test]
fn types_with_names_and_signs() {
    let line = |name: &str, of: &str, ty: &str| {
        format!("  %{name} = arith.bitcast %{of} : i32 to !foo<{ty}>\n")
    };
    let many = |ty: &str| -> String { (0..4).map(|it| line(&format!("r{it}"), "a", ty)).collect() };
    for (first, then) in [("p % q", ["p %b q", "p %a q"]), ("%a", ["%b", "%a"])] {
        let then = line("s", "b", then[0]) + &line("t", "b", then[1]);
        let text = format!("func.func @f(%a: i32, %b: i32) {{\n{}{then}  return\n}}", many(first));
        check_same(&text);
    }
}

/// Types of operands count where they are not written.
#[test]
fn operands_of_other_types() {
    let op = |it: usize, of: &str| format!("  %r{it} = affine.load {of}[%i] : memref<4xf32>\n");
    let use_ = |it: usize, of: &str| format!("  %s{it} = arith.negf {of} : f32\n");
    let many: String = (0..4).map(|it| op(it, "%m") + &use_(it, "%f")).collect();
    let text = format!(
        "func.func @f(%m: memref<4xf32>, %i: index, %f: f32, %g: i32) {{\n{many}{}{}  return\n}}",
        op(8, "%g"),
        use_(8, "%g"),
    );
    check_same(&text);
    check(
        &text.replace("%r1 =", "%r0 ="),
        expect![[r#"
        Function f
        {function_type = (memref<4xf32>, index, f32, i32) -> (), sym_name = "f"}
        ^b0(%m: memref<4xf32>, %i: index, %f: f32, %g: i32) of r0
          %r0: f32 = affine.load(%m, %i) {map = affine_map<(d0) -> (d0)>}
          %s0: f32 = arith.negf(%f)
          %r0: f32 = affine.load(%m, %i) {map = affine_map<(d0) -> (d0)>}
          %s1: f32 = arith.negf(%f)
          %r2: f32 = affine.load(%m, %i) {map = affine_map<(d0) -> (d0)>}
          %s2: f32 = arith.negf(%f)
          %r3: f32 = affine.load(%m, %i) {map = affine_map<(d0) -> (d0)>}
          %s3: f32 = arith.negf(%f)
          %r8: f32 = affine.load(%g, %i) {map = affine_map<(d0) -> (d0)>}
          %s8: f32 = arith.negf(%g)
          func.return()
        value-redefinition 136..139: `%r0` is already defined
        type-mismatch 409..411: `%g` has the type `i32`, but is used as `f32`
        Frame 

        ^b0() of r0
          func.func() {function_type = (memref<4xf32>, index, f32, i32) -> (), sym_name = "f"}
    "#]],
    );
}

#[test]
fn files_and_their_lines_at_other_places() {
    let mut random = 7u64;
    let mut below = |n: usize| {
        random = random.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (random >> 33) as usize % n.max(1)
    };
    let mut folders =
        vec![PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../tests/corpus/mlir")];
    let mut n_files = 0;
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).expect("a folder of the tests").flatten() {
            let path = entry.path();
            if path.is_dir() {
                folders.push(path);
            } else if let Ok(text) = fs::read_to_string(&path) {
                n_files += 1;
                check_same(&text);
                let mut lines: Vec<&str> = text.split_inclusive('\n').collect();
                for _ in 0..lines.len().min(200) {
                    let (from, to) = (below(lines.len()), below(lines.len()));
                    lines.insert(to, lines[from]);
                }
                check_same(&lines.concat());
            }
        }
    }
    assert!(n_files > 0);
}

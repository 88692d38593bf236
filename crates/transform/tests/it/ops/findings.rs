//! Findings about the integers of MLIR: what is told, and what must not be.

use expect_test::{Expect, expect};
use ir::effects::EffectTable;
use transform::ops::findings::{Debugging, OpWord, StatedFacts, findings};

use super::units;

#[track_caller]
fn check(input: &str, expect: Expect) {
    check_with(&[], input, &expect);
}

#[track_caller]
fn check_with(facts: &[(&str, &str)], input: &str, expect: &Expect) {
    let mut stated = StatedFacts::default();
    for (name, condition) in facts {
        stated.add(name, condition).unwrap();
    }
    let mut words = String::new();
    for unit in units(input) {
        let (body, map) = (&unit.lowered.body, &unit.lowered.source_map);
        let text = &input[unit.offset..];
        let location = |op| {
            let line = text[map.op(op)].trim_end();
            Some(&line[line.rfind(" loc(")?..])
        };
        let debugging = Debugging::of(body, EffectTable::builtin(), location);
        for it in findings(body, EffectTable::builtin(), &stated, &debugging) {
            let message = it.message.iter().map(|word| match word {
                OpWord::Text(text) => text.to_string(),
                OpWord::Value(value) => text[map.definition(*value)].to_owned(),
            });
            let message: String = message.collect();
            let line = text[map.op(it.op)].lines().next().unwrap_or_default();
            words += &format!("{}: {message}\n    {line}\n", it.kind.name());
            let related = it.related.iter();
            for (op, why) in related {
                let line = text[map.op(*op)].lines().next().unwrap_or_default();
                words += &format!("    {why}: {line}\n");
            }
            words += &it.help.map(|it| format!("    {it}\n")).unwrap_or_default();
        }
    }
    expect.assert_eq(&words);
}

#[test]
fn conditions_that_ranges_decide() {
    check(
        r#"
func.func @f(%m: memref<16xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %c20 = arith.constant 20 : index
  scf.for %i = %c0 to %c16 step %c1 {
    %inside = arith.cmpi slt, %i, %c20 : index
    scf.if %inside {
      %x = memref.load %m[%i] : memref<16xf32>
      memref.store %x, %m[%i] : memref<16xf32>
    }
    %below = arith.cmpi slt, %i, %n : index
    scf.if %below {
      %again = arith.cmpi sge, %i, %n : index
      "test.use"(%again) : (i1) -> ()
      scf.if %below {
        "test.use"(%i) : (index) -> ()
      }
    }
  }
  return
}
"#,
        expect![[r#"
            redundant-condition: %inside is always true here
                %inside = arith.cmpi slt, %i, %c20 : index
                this decides it: scf.for %i = %c0 to %c16 step %c1 {
            redundant-condition: %again is always false here
                %again = arith.cmpi sge, %i, %n : index
                this decides it: scf.if %below {
            redundant-condition: %below is always true here
                scf.if %below {
                this decides it: scf.if %below {
        "#]],
    );
}

#[test]
fn unsigned_and_wrapping_numbers_are_no_signed_ones() {
    check(
        r#"
func.func @f(%a: i32, %i: index) -> (i1, i1, i1, i1) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %next = arith.addi %a, %c1 : i32
  %grows = arith.cmpi sgt, %next, %a : i32
  %large = arith.cmpi uge, %a, %c0 : i32
  %x = arith.andi %a, %c1 : i32
  %bit = arith.cmpi sle, %x, %c1 : i32
  %neg = arith.cmpi slt, %a, %c0 : i32
  return %grows, %large, %bit, %neg : i1, i1, i1, i1
}
"#,
        expect![[r#"
            constant-condition: %large is always true
                %large = arith.cmpi uge, %a, %c0 : i32
            constant-condition: %bit is always true
                %bit = arith.cmpi sle, %x, %c1 : i32
        "#]],
    );
}

#[test]
fn assumptions_and_branches_decide() {
    check(
        r#"
func.func @f(%n: i32, %m: i32) {
  %c0 = arith.constant 0 : i32
  %c4 = arith.constant 4 : i32
  %pos = arith.cmpi sgt, %n, %c0 : i32
  cf.assert %pos, "n is positive"
  %zero = arith.cmpi eq, %n, %c0 : i32
  cf.cond_br %zero, ^bb1, ^bb2
^bb1:
  cf.br ^bb2
^bb2:
  %small = arith.cmpi slt, %m, %c4 : i32
  cf.cond_br %small, ^bb3, ^bb4
^bb3:
  %a = arith.cmpi sgt, %m, %c4 : i32
  cf.cond_br %a, ^bb4, ^bb5
^bb4:
  %b = arith.cmpi sgt, %m, %c4 : i32
  "test.use"(%b) : (i1) -> ()
  cf.br ^bb5
^bb5:
  return
}
"#,
        expect![[r#"
            redundant-condition: %zero is always false here
                %zero = arith.cmpi eq, %n, %c0 : i32
                this decides it: cf.assert %pos, "n is positive"
            redundant-condition: %a is always false here
                %a = arith.cmpi sgt, %m, %c4 : i32
                this decides it: cf.cond_br %small, ^bb3, ^bb4
        "#]],
    );
}

#[test]
fn masks_of_triton_are_decided_for_all_elements() {
    check(
        r#"
tt.func @k(%p: !tt.ptr<f32>, %n: i32) {
  %c64 = arith.constant dense<64> : tensor<64xi32>
  %c63 = arith.constant dense<63> : tensor<64xi32>
  %i = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %all = arith.cmpi slt, %i, %c64 : tensor<64xi32>
  %most = arith.cmpi slt, %i, %c63 : tensor<64xi32>
  %ps = tt.splat %p : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %q = tt.addptr %ps, %i : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  %x = tt.load %q, %all : tensor<64x!tt.ptr<f32>>
  %y = tt.load %q, %most : tensor<64x!tt.ptr<f32>>
  %both = arith.andi %all, %all : tensor<64xi1>
  tt.store %q, %x, %both : tensor<64x!tt.ptr<f32>>
  tt.store %q, %y, %most : tensor<64x!tt.ptr<f32>>
  tt.return
}
tt.func @two(%p: !tt.ptr<f32>, %n: i32) {
  %i = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %col = tt.expand_dims %i {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
  %row = tt.expand_dims %i {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  %cols = tt.broadcast %col : tensor<64x1xi32> -> tensor<64x64xi32>
  %rows = tt.broadcast %row : tensor<1x64xi32> -> tensor<64x64xi32>
  %same = arith.cmpi eq, %cols, %rows : tensor<64x64xi32>
  %self = arith.cmpi eq, %cols, %cols : tensor<64x64xi32>
  "test.use"(%same, %self) : (tensor<64x64xi1>, tensor<64x64xi1>) -> ()
  tt.return
}
"#,
        expect![[r#"
            constant-condition: %all is always true
                %all = arith.cmpi slt, %i, %c64 : tensor<64xi32>
            redundant-mask: the mask %both lets every element through
                tt.store %q, %x, %both : tensor<64x!tt.ptr<f32>>
            constant-condition: %self is always true
                %self = arith.cmpi eq, %cols, %cols : tensor<64x64xi32>
        "#]],
    );
}

#[test]
fn loops_that_never_run_have_no_findings() {
    check(
        r#"
func.func @f(%m: memref<8xi32>, %n: index) {
  %c-1 = arith.constant -1 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  scf.for %i = %c8 to %c8 step %c1 {
    %x = memref.load %m[%i] : memref<8xi32>
  }
  scf.for %i = %c8 to %c1 step %c-1 {
    %x = memref.load %m[%i] : memref<8xi32>
    %y = arith.divsi %n, %i : index
  }
  return
}
"#,
        expect![[""]],
    );
}

#[test]
fn divisions_by_zero_have_a_witness() {
    check(
        r#"
func.func @f(%a: index, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  scf.for %i = %c0 to %c8 step %c1 {
    %x = arith.divsi %a, %i : index
    %next = arith.addi %i, %c1 : index
    %y = arith.remui %a, %next : index
    %z = arith.divsi %a, %n : index
    %first = arith.cmpi sgt, %i, %c0 : index
    scf.if %first {
      %w = arith.divsi %a, %i : index
      "test.use"(%w) : (index) -> ()
    }
    "test.use"(%x, %y, %z) : (index, index, index) -> ()
  }
  %always = arith.divsi %a, %c0 : index
  return
}
"#,
        expect![[r#"
            zero-divisor: the divisor %i is 0 for %i = 0
                %x = arith.divsi %a, %i : index
            zero-divisor: the divisor %c0 is 0 whenever this is executed
                %always = arith.divsi %a, %c0 : index
        "#]],
    );
}

#[test]
fn elements_of_a_divisor_that_are_zero() {
    check(
        r#"
tt.func @f(%a: tensor<128xi32>, %b: tensor<8x128xi32>) {
  %r = tt.make_range {start = 0 : i32, end = 128 : i32} : tensor<128xi32>
  %e = tt.expand_dims %r {axis = 0 : i32} : tensor<128xi32> -> tensor<1x128xi32>
  %w = tt.broadcast %e : tensor<1x128xi32> -> tensor<8x128xi32>
  %x = arith.remsi %a, %r : tensor<128xi32>
  %z = arith.divsi %b, %w : tensor<8x128xi32>
  "test.use"(%x, %z) : (tensor<128xi32>, tensor<8x128xi32>) -> ()
  tt.return
}
"#,
        expect![[r#"
            zero-divisor: element 0 of the divisor %r is 0
                %x = arith.remsi %a, %r : tensor<128xi32>
            zero-divisor: element [_, 0] of the divisor %w is 0
                %z = arith.divsi %b, %w : tensor<8x128xi32>
        "#]],
    );
}

#[test]
fn accesses_outside_of_a_memref() {
    check(
        r#"
func.func @f(%m: memref<16x4xf32>, %d: memref<?xf32>, %n: index, %c: i1) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c16 = arith.constant 16 : index
  %c17 = arith.constant 17 : index
  %a = memref.load %m[%c16, %c0] : memref<16x4xf32>
  scf.for %i = %c0 to %c17 step %c1 {
    %b = memref.load %m[%i, %c0] : memref<16x4xf32>
    %inside = arith.cmpi ne, %i, %c16 : index
    scf.if %inside {
      %e = memref.load %m[%i, %c0] : memref<16x4xf32>
    }
    scf.if %c {
      %g = memref.load %m[%i, %c0] : memref<16x4xf32>
    }
    %h = memref.load %d[%i] : memref<?xf32>
  }
  scf.for %i = %c0 to %n step %c1 {
    %k = memref.load %m[%i, %c0] : memref<16x4xf32>
  }
  scf.while : () -> () {
    %go = "test.condition"() : () -> i1
    scf.condition(%go)
  } do {
    scf.for %i = %c0 to %c17 step %c1 {
      %l = memref.load %m[%i, %c0] : memref<16x4xf32>
    }
    scf.yield
  }
  return
}
func.func @affine(%m: memref<16xf32>) {
  affine.for %i = 0 to 16 {
    %a = affine.load %m[%i + 1] : memref<16xf32>
    affine.if affine_set<(d0) : (d0 - 1 >= 0)>(%i) {
      affine.store %a, %m[%i - 1] : memref<16xf32>
    }
    affine.store %a, %m[15 - %i] : memref<16xf32>
  }
  return
}
"#,
        expect![[r#"
            out-of-bounds: index 0 is 16, outside of %m, whose extent is 16, whenever this is executed
                %a = memref.load %m[%c16, %c0] : memref<16x4xf32>
            out-of-bounds: index 0 is 16, outside of %m, whose extent is 16 for %i = 16
                %b = memref.load %m[%i, %c0] : memref<16x4xf32>
            out-of-bounds: index 0 is 16, outside of %m, whose extent is 16 for %i = 16
                %g = memref.load %m[%i, %c0] : memref<16x4xf32>
            out-of-bounds: the index is 16, outside of %m, whose extent is 16 for %i = 15
                %a = affine.load %m[%i + 1] : memref<16xf32>
        "#]],
    );
}

const OFFSETS: &str = r#"
tt.func @k(%p: !tt.ptr<f32>, %n: i32 {tt.divisibility = 16 : i32}, %stride: i32 {tt.divisibility = 16 : i32}) {
  %c1024 = arith.constant 1024 : i32
  %pid = tt.get_program_id x : i32
  %start = arith.muli %pid, %c1024 : i32
  %lane = tt.make_range {end = 1024 : i32, start = 0 : i32} : tensor<1024xi32>
  %starts = tt.splat %start : i32 -> tensor<1024xi32>
  %offs = arith.addi %starts, %lane : tensor<1024xi32>
  %ns = tt.splat %n : i32 -> tensor<1024xi32>
  %mask = arith.cmpi slt, %offs, %ns : tensor<1024xi32>
  %strides = tt.splat %stride : i32 -> tensor<1024xi32>
  %far = arith.muli %offs, %strides : tensor<1024xi32>
  %ps = tt.splat %p : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>>
  %q = tt.addptr %ps, %far : tensor<1024x!tt.ptr<f32>>, tensor<1024xi32>
  %x = tt.load %q, %mask : tensor<1024x!tt.ptr<f32>>
  tt.store %q, %x, %mask : tensor<1024x!tt.ptr<f32>>
  tt.return
}
"#;

#[test]
fn products_of_offsets_need_stated_extents() {
    check(OFFSETS, expect![[""]]);
    let small: &[_] = &[("n", "1 <= n <= 32768"), ("stride", "1 <= stride <= 65536")];
    check_with(small, OFFSETS, &expect![[r#""#]]);
    check_with(&[("n", "1 <= n <= 65536")], OFFSETS, &expect![[r#""#]]);
    let large: &[_] = &[("n", "1 <= n <= 65536"), ("k.stride", "1 <= stride <= 65536")];
    check_with(
        large,
        OFFSETS,
        &expect![[r#"
        offset-overflow: %far is 65535 * 65536 = 4294901760, which int32 cannot hold, for %n = 65536, %stride = 65536, program 63 (x)
            %far = arith.muli %offs, %strides : tensor<1024xi32>
            this access is at the offset: %x = tt.load %q, %mask : tensor<1024x!tt.ptr<f32>>
            Widen an operand before the multiplication: `x.to(tl.int64) * stride`
    "#]],
    );
    let other = [("n", "1 <= n <= 65536"), ("other.stride", "1 <= stride <= 65536")];
    check_with(&other, OFFSETS, &expect![[r#""#]]);
}

#[test]
fn masks_about_something_else_may_hold() {
    let text = r#"
tt.func @softmax(%p: !tt.ptr<f32>, %stride: i32, %cols: i32) {
  %row = tt.get_program_id x : i32
  %start = arith.muli %row, %stride : i32
  %lane = tt.make_range {end = 1024 : i32, start = 0 : i32} : tensor<1024xi32>
  %n = tt.splat %cols : i32 -> tensor<1024xi32>
  %mask = arith.cmpi slt, %lane, %n : tensor<1024xi32>
  %q = tt.addptr %p, %start : !tt.ptr<f32>, i32
  %qs = tt.splat %q : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>>
  %r = tt.addptr %qs, %lane : tensor<1024x!tt.ptr<f32>>, tensor<1024xi32>
  %x = tt.load %r, %mask : tensor<1024x!tt.ptr<f32>>
  tt.store %r, %x, %mask : tensor<1024x!tt.ptr<f32>>
  tt.return
}
"#;
    check_with(&[("stride", "1 <= stride <= 65536")], text, &expect![[r#""#]]);
    let grid: &[_] =
        &[("stride", "1 <= stride <= 65536"), ("program_id_x", "program_id_x < 65536")];
    check_with(
        grid,
        text,
        &expect![[r#"
        offset-overflow: %start is 65535 * 65536 = 4294901760, which int32 cannot hold, for %stride = 65536, program 65535 (x)
            %start = arith.muli %row, %stride : i32
            this access is at the offset: %x = tt.load %r, %mask : tensor<1024x!tt.ptr<f32>>
            Widen an operand before the multiplication: `x.to(tl.int64) * stride`
    "#]],
    );
}

/// A loop from the number of a program by the number of programs has each row in one of them; one from 0, or along two
/// axes, may leave the last rows out.
#[test]
fn loops_over_stated_rows_reach_the_last_one() {
    let rows = |first: &str, step: &str| {
        format!(
            "tt.func @f(%p: !tt.ptr<f32>, %n: i32, %stride: i32, %x: f32) {{\n  \
             %zero = arith.constant 0 : i32\n  %one = arith.constant 1 : i32\n  \
             %program = tt.get_program_id x : i32\n  %programs = tt.get_num_programs x : i32\n  \
             %others = tt.get_num_programs y : i32\n  \
             scf.for %row = {first} to %n step {step} : i32 {{\n    \
             %start = arith.muli %row, %stride : i32\n    \
             %q = tt.addptr %p, %start : !tt.ptr<f32>, i32\n    \
             tt.store %q, %x : !tt.ptr<f32>\n  }}\n  tt.return\n}}\n"
        )
    };
    let large: &[_] = &[("n", "1 <= n <= 65536"), ("stride", "1 <= stride <= 65536")];
    let small: &[_] = &[("n", "1 <= n <= 32768"), ("stride", "1 <= stride <= 65535")];
    check_with(
        large,
        &rows("%zero", "%one"),
        &expect![[r#"
        offset-overflow: %start is 65535 * 65536 = 4294901760, which int32 cannot hold, for %n = 65536, %stride = 65536, %row = 65535
            %start = arith.muli %row, %stride : i32
            this access is at the offset: tt.store %q, %x : !tt.ptr<f32>
            Widen an operand before the multiplication: `x.to(tl.int64) * stride`
    "#]],
    );
    check_with(
        large,
        &rows("%program", "%programs"),
        &expect![[r#"
        offset-overflow: %start is 65535 * 65536 = 4294901760, which int32 cannot hold, for %n = 65536, %stride = 65536, %row = 65535, program 0 (x)
            %start = arith.muli %row, %stride : i32
            this access is at the offset: tt.store %q, %x : !tt.ptr<f32>
            Widen an operand before the multiplication: `x.to(tl.int64) * stride`
    "#]],
    );
    check_with(small, &rows("%program", "%programs"), &expect![[""]]);
    check_with(large, &rows("%zero", "%programs"), &expect![[""]]);
    check_with(large, &rows("%program", "%others"), &expect![[""]]);
}

#[test]
fn products_that_are_widened_first_are_right() {
    let wide = OFFSETS
        .replace(
            "%far = arith.muli %offs, %strides : tensor<1024xi32>",
            "%o = arith.extsi %offs : tensor<1024xi32> to tensor<1024xi64>\n  \
             %s = arith.extsi %strides : tensor<1024xi32> to tensor<1024xi64>\n  \
             %far = arith.muli %o, %s : tensor<1024xi64>",
        )
        .replace(
            "tensor<1024x!tt.ptr<f32>>, tensor<1024xi32>",
            "tensor<1024x!tt.ptr<f32>>, tensor<1024xi64>",
        );
    let large: &[_] = &[("n", "1 <= n <= 65536"), ("stride", "1 <= stride <= 65536")];
    check_with(large, &wide, &expect![[r#""#]]);
}

#[test]
fn stated_facts_decide_conditions() {
    let text = r#"
tt.func @k(%n: i32 {tt.divisibility = 16 : i32}, %x: i32) {
  %c16 = arith.constant 16 : i32
  %c0 = arith.constant 0 : i32
  %c100 = arith.constant 100 : i32
  %rest = arith.remsi %n, %c16 : i32
  %even = arith.cmpi eq, %rest, %c0 : i32
  %small = arith.cmpi slt, %x, %c100 : i32
  "test.use"(%even, %small) : (i1, i1) -> ()
  tt.return
}
"#;
    check(
        text,
        expect![[r#"
            redundant-condition: %even is always true here
                %even = arith.cmpi eq, %rest, %c0 : i32
                `tt.divisibility` of an argument says it
        "#]],
    );
    check_with(
        &[("x", "0 <= x < 64")],
        text,
        &expect![[r#"
            redundant-condition: %even is always true here
                %even = arith.cmpi eq, %rest, %c0 : i32
                `tt.divisibility` of an argument says it
            redundant-condition: %small is always true here
                %small = arith.cmpi slt, %x, %c100 : i32
                It is stated that `0 <= x < 64`
        "#]],
    );
}

#[test]
fn what_only_debugging_needs_is_not_told() {
    check(
        r#"
tt.func @k(%p: !tt.ptr<f32>) {
  %c4 = arith.constant 4 : i32 loc("k.py":1:1)
  %c100 = arith.constant 100 : i64 loc("k.py":2:1)
  %pid = tt.get_program_id x : i32 loc("k.py":1:1)
  %rest = arith.remsi %pid, %c4 : i32 loc("k.py":2:1)
  %wide = arith.extsi %rest : i32 to i64 loc("k.py":2:1)
  %fits = arith.cmpi sle, %wide, %c100 : i64 loc("k.py":2:1)
  %q = tt.addptr %p, %rest : !tt.ptr<f32>, i32 loc("k.py":3:1)
  %v = tt.load %q : !tt.ptr<f32> loc("k.py":3:1)
  tt.store %q, %v : !tt.ptr<f32> loc("k.py":3:1)
  %checked = arith.cmpi slt, %rest, %c4 : i32 loc("k.py":4:1)
  tt.assert %checked, "in range" : i1 loc("k.py":4:1)
  tt.return loc("k.py":1:1)
}
"#,
        expect![""],
    );
}

#[test]
fn stores_that_are_overwritten_and_loads_of_what_was_stored() {
    check(
        r#"
func.func @f(%m: memref<16xf32>, %p: memref<16xf32>, %i: index, %x: f32, %y: f32) -> f32 {
  %own = memref.alloc() : memref<16xf32>
  memref.store %x, %m[%i] : memref<16xf32>
  %sum = arith.addf %x, %y : f32
  memref.store %sum, %own[%i] : memref<16xf32>
  %other = memref.load %own[%i] : memref<16xf32>
  memref.store %y, %m[%i] : memref<16xf32>
  %again = memref.load %m[%i] : memref<16xf32>
  memref.store %other, %p[%i] : memref<16xf32>
  %unknown = memref.load %m[%i] : memref<16xf32>
  %z = arith.addf %again, %unknown : f32
  return %z : f32
}
"#,
        expect![[r#"
            dead-store: nothing reads what is stored here before it is written again
                memref.store %x, %m[%i] : memref<16xf32>
                it is written again here: memref.store %y, %m[%i] : memref<16xf32>
            redundant-load: this load gives %sum, which was stored there
                %other = memref.load %own[%i] : memref<16xf32>
                it is stored here, and nothing between may write it: memref.store %sum, %own[%i] : memref<16xf32>
            redundant-load: this load gives %y, which was stored there
                %again = memref.load %m[%i] : memref<16xf32>
                it is stored here, and nothing between may write it: memref.store %y, %m[%i] : memref<16xf32>
        "#]],
    );
}

#[test]
fn stores_that_something_may_read_stay() {
    check(
        r#"
func.func private @g()
func.func @f(%m: memref<16xf32>, %p: memref<16xf32>, %i: index, %j: index, %x: f32, %c: i1) {
  memref.store %x, %m[%i] : memref<16xf32>
  %read = memref.load %p[%j] : memref<16xf32>
  memref.store %read, %m[%i] : memref<16xf32>
  func.call @g() : () -> ()
  memref.store %x, %m[%i] : memref<16xf32>
  scf.if %c {
    %l = memref.load %m[%j] : memref<16xf32>
    memref.store %l, %p[%i] : memref<16xf32>
  }
  memref.store %x, %m[%i] : memref<16xf32>
  gpu.barrier
  memref.store %read, %m[%i] : memref<16xf32>
  memref.store %read, %m[%j] : memref<16xf32>
  memref.store %x, %m[%i] : memref<16xf32>
  return
}
"#,
        expect![[r#""#]],
    );
}

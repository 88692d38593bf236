//! Hovers say what keeps an operation of MLIR from being merged into one like it.

use expect_test::{Expect, expect};

use super::FILE;
use crate::{AnalysisHost, Language, NOT_THE_SAME};

/// The sentence of the hover over each result that says what keeps it, a line a result.
fn kept(text: &str) -> String {
    let mut host = AnalysisHost::new();
    host.open_file(FILE, syntax::parse_as(Language::Mlir, text));
    let analysis = host.analysis();
    let mut out = String::new();
    for (at, _) in text.match_indices("%").filter(|(at, _)| text[..*at].ends_with("  ")) {
        let hover = analysis.hover(FILE, (at as u32).into()).unwrap();
        let Some(hover) = hover else { continue };
        if let Some(found) = hover.markdown.lines().find(|it| it.starts_with(NOT_THE_SAME)) {
            let name = &text[std::ops::Range::<usize>::from(hover.range)];
            out.push_str(&format!("{name}: {found}\n"));
        }
    }
    out
}

/// A function of two memories, some values, and a body.
#[track_caller]
fn check(body: &str, expected: Expect) {
    let arguments = "%a: memref<8xf32>, %b: memref<8xf32>, %i: index, %j: index, %v: f32, %c: i1";
    expected
        .assert_eq(&kept(&format!("func.func @f({arguments}) {{\n  {}\n}}\n", body.trim_start())));
}

#[test]
fn what_may_write_between_two_loads_is_named() {
    check(
        "
  %x = memref.load %a[%i] : memref<8xf32>
  memref.store %v, %b[%j] : memref<8xf32>
  %y = memref.load %a[%i] : memref<8xf32>
  memref.store %v, %a[%j] : memref<8xf32>
  %z = memref.load %a[%i] : memref<8xf32>
  func.call @g() : () -> ()
  %w = memref.load %a[%i] : memref<8xf32>
  \"my.op\"() : () -> ()
  %u = memref.load %a[%i] : memref<8xf32>
  \"my.use\"(%x, %y, %z, %w, %u) : (f32, f32, f32, f32, f32) -> ()
  return",
        expect![[r#"
            %x: Not the same as `%y` (line 4): `memref.store` (line 3) may write the memory between the two: nothing says that `%b` and `%a` do not overlap; only allocations that the function does not hand on are known apart.
            %y: Not the same as `%x` (line 2): `memref.store` (line 3) may write the memory between the two: nothing says that `%b` and `%a` do not overlap; only allocations that the function does not hand on are known apart.
            %z: Not the same as `%y` (line 4): `memref.store` (line 5) may write the memory between the two: it is given `%a` too, and accesses are told apart by their memory, not by their indices.
            %w: Not the same as `%z` (line 6): `func.call` (line 7) may write the memory between the two: may read and write anything, may trap, depends on which threads arrive together, two executions may differ; what the function does is not looked at.
            %u: Not the same as `%w` (line 8): `my.op` (line 9) may write the memory between the two: nothing is known of what `my.op` does; `tir-analyzer dialect import` reads the definitions of `my`, or a row in `tir-analyzer.toml` states it.
        "#]],
    );
}

#[test]
fn memory_that_is_known_apart_keeps_nothing() {
    check(
        "
  %m = memref.alloc() : memref<8xf32>
  memref.store %v, %m[%j] : memref<8xf32>
  %x = memref.load %m[%i] : memref<8xf32>
  memref.store %v, %a[%j] : memref<8xf32>
  %y = memref.load %m[%i] : memref<8xf32>
  \"my.use\"(%x, %y) : (f32, f32) -> ()
  return",
        expect![[r#""#]],
    );
}

#[test]
fn a_write_comes_between_on_some_path_or_when_a_region_runs_again() {
    check(
        "
  %x = memref.load %a[%i] : memref<8xf32>
  scf.for %k = %i to %j step %i {
    %y = memref.load %a[%i] : memref<8xf32>
    %s = arith.addf %x, %y : f32
    memref.store %s, %a[%k] : memref<8xf32>
  }
  return",
        expect![[r#"
            %x: Not the same as `%y` (line 4): `memref.store` (line 6) may write the memory between the two when `scf.for` (line 3) runs its region again: it is given `%a` too, and accesses are told apart by their memory, not by their indices.
            %y: Not the same as `%x` (line 2): `memref.store` (line 6) may write the memory between the two when `scf.for` (line 3) runs its region again: it is given `%a` too, and accesses are told apart by their memory, not by their indices.
        "#]],
    );
    check(
        "
  %x = memref.load %a[%i] : memref<8xf32>
  cf.cond_br %c, ^one, ^two
^one:
  memref.store %v, %b[%j] : memref<8xf32>
  cf.br ^two
^two:
  %y = memref.load %a[%i] : memref<8xf32>
  \"my.use\"(%x, %y) : (f32, f32) -> ()
  return",
        expect![[r#"
            %x: Not the same as `%y` (line 8): `memref.store` (line 5) may write the memory between the two: nothing says that `%b` and `%a` do not overlap; only allocations that the function does not hand on are known apart.
            %y: Not the same as `%x` (line 2): `memref.store` (line 5) may write the memory between the two: nothing says that `%b` and `%a` do not overlap; only allocations that the function does not hand on are known apart.
        "#]],
    );
}

#[test]
fn operations_that_nobody_knows_are_named() {
    check(
        "
  %x = \"my.op\"(%i) : (index) -> i32
  %y = \"my.op\"(%i) : (index) -> i32
  %0 = func.call @g(%x) : (i32) -> i32
  %1 = func.call @g(%x) : (i32) -> i32
  %2 = llvm.load volatile %0 : !llvm.ptr -> i32
  %3 = llvm.load volatile %0 : !llvm.ptr -> i32
  \"my.use\"(%0) ({
    %u = arith.addi %i, %j : index
    %w = arith.addi %i, %j : index
    \"my.use\"(%u, %w) : (index, index) -> ()
  }) : (i32) -> ()
  return",
        expect![[r#"
            %x: Not the same as `%y` (line 3): nothing is known of what `my.op` does; `tir-analyzer dialect import` reads the definitions of `my`, or a row in `tir-analyzer.toml` states it.
            %y: Not the same as `%x` (line 2): nothing is known of what `my.op` does; `tir-analyzer dialect import` reads the definitions of `my`, or a row in `tir-analyzer.toml` states it.
            %0: Not the same as `%1` (line 5): each execution counts: may read and write anything, may trap, depends on which threads arrive together, two executions may differ; what the function does is not looked at.
            %1: Not the same as `%0` (line 4): each execution counts: may read and write anything, may trap, depends on which threads arrive together, two executions may differ; what the function does is not looked at.
            %2: Not the same as `%3` (line 7): it is volatile or ordered, so each execution counts.
            %3: Not the same as `%2` (line 6): it is volatile or ordered, so each execution counts.
            %u: Not the same as `%w` (line 10): nothing is known of `my.use` (line 8) around it, which may use its region as it likes.
            %w: Not the same as `%u` (line 9): nothing is known of `my.use` (line 8) around it, which may use its region as it likes.
        "#]],
    );
}

#[test]
fn paths_walls_and_attributes_are_named() {
    check(
        "
  cf.cond_br %c, ^one, ^two
^one:
  %x = arith.divsi %i, %j : index
  %p = arith.addi %i, %j : index
  \"my.use\"(%x, %p) : (index, index) -> ()
  return
^two:
  %y = arith.divsi %i, %j : index
  %z = arith.addf %v, %v fastmath<nnan> : f32
  %w = arith.addf %v, %v : f32
  \"my.use\"(%y, %z, %w) : (index, f32, f32) -> ()
  return",
        expect![[r#"
            %x: Not the same as `%y` (line 9): neither comes before the other on every path, and it is not moved, as it may trap.
            %y: Not the same as `%x` (line 4): neither comes before the other on every path, and it is not moved, as it may trap.
            %w: Not the same as `%z` (line 10): its attribute `fastmath` is missing, which is `#arith.fastmath<nnan>` there.
        "#]],
    );
    let text = "\
func.func @f() {
  %0 = arith.constant 1 : i32
  gpu.module @m {
    gpu.func @k() kernel {
      %1 = arith.constant 1 : i32
      \"my.use\"(%1) : (i32) -> ()
      gpu.return
    }
  }
  \"my.use\"(%0) : (i32) -> ()
  return
}
";
    expect![[r#"
        %0: Not the same as `%1` (line 5): `gpu.func` (line 4) sees nothing from outside of it.
        %1: Not the same as `%0` (line 2): `gpu.func` (line 4) sees nothing from outside of it.
    "#]]
    .assert_eq(&kept(text));
}

#[test]
fn what_the_plan_does_and_what_has_no_like_keep_nothing() {
    check(
        "
  %x = arith.addi %i, %j : index
  %y = arith.addi %j, %i : index
  %p = arith.constant 1 : index
  %q = arith.constant 2 : index
  %m = memref.alloc() : memref<8xf32>
  %n = memref.alloc() : memref<8xf32>
  \"my.use\"(%x, %y, %p, %q, %m, %n) : (index, index, index, index, memref<8xf32>, memref<8xf32>) -> ()
  return",
        expect![[r#""#]],
    );
}

//! Facts about integers of MLIR that are carried around loops and chosen by branches.

use arith::{Interval, operations::OperationFacts};
use expect_test::{Expect, expect};
use ir::{ValueId, ValueKind};
use transform::ops::findings::StatedFacts;

use super::units;

/// Checks what is known of the values whose names begin with `%r` or `%a`, where they are defined.
#[track_caller]
fn check(input: &str, expect: Expect) {
    let mut words = String::new();
    for unit in units(input) {
        let (body, map) = (&unit.lowered.body, &unit.lowered.source_map);
        let text = &input[unit.offset..];
        let name = |value: ValueId| text[map.definition(value)].to_owned();
        let mut values: Vec<ValueId> = body
            .values
            .ids()
            .filter(|&it| {
                matches!(body.values[it].kind, ValueKind::Result(..) | ValueKind::BlockArg(..))
                    && name(it).starts_with(['%', 'r', 'a'])
                    && name(it)[1..].starts_with(['r', 'a'])
            })
            .collect();
        values.sort_by_key(|&it| map.definition(it).start());
        for value in values {
            let facts = OperationFacts::new(body, &StatedFacts::default());
            let Some(at) = facts.defined_before(value) else {
                words += &format!("{}: never defined\n", name(value));
                continue;
            };
            let Some(found) = facts.describe(value, at, &name) else { continue };
            words += &format!("{}:", name(value));
            words += &found.term.map(|it| format!(" is {it};")).unwrap_or_default();
            if found.interval != Interval::of_type(found.dtype) {
                let Interval { min, max } = found.interval;
                let of_type = Interval::of_type(found.dtype);
                let end = |it, none| if it == none { String::new() } else { format!("{it}") };
                words += &format!(" {}..={};", end(min, of_type.min), end(max, of_type.max));
            }
            if found.modular.coeff > 1 {
                words += &format!(" {};", found.modular);
            }
            let known: Vec<&str> = found
                .known
                .iter()
                .map(|it| &*it.text)
                .filter(|it| it.contains(&name(value)) && it.contains(" == "))
                .collect();
            words += &format!(" {}\n", known.join(", "));
        }
    }
    let words: Vec<&str> = words.lines().map(str::trim_end).collect();
    expect.assert_eq(&format!("{}\n", words.join("\n")));
}

#[test]
fn counters_of_loops() {
    check(
        r#"
func.func @f(%n: index, %s: index, %x: i32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c16 = arith.constant 16 : index
  %i7 = arith.constant 7 : i32
  %r:2 = scf.for %i = %c0 to %c16 step %c4 iter_args(%a = %c1, %a7 = %i7) -> (index, i32) {
    %next = arith.addi %a, %c4 : index
    %less = arith.subi %a7, %i7 : i32
    scf.yield %next, %less : index, i32
  }
  %r2:2 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %c0, %a2 = %x) -> (index, i32) {
    %next = arith.addi %s, %a : index
    %by = arith.addi %a2, %i7 : i32
    scf.yield %next, %by : index, i32
  }
  return
}
"#,
        expect![[r#"
            %r:2: 17..=17; %r:2 == 17, %r:2 == -21, %r:2 mod 4 == 1, %r:2 mod 7 == 0
            %r:2: -21..=-21; %r:2 == 17, %r:2 == -21, %r:2 mod 4 == 1, %r:2 mod 7 == 0
            %a: 1..=13; 4*k + 1; %a == 1 + 4 * (%i floordiv 4), %a7 == 7 - 7 * i32(%i floordiv 4), %a mod 4 == 1, %a7 mod 7 == 0
            %a7: -14..=7; 7*k; %a7 == 7 - 7 * i32(%i floordiv 4), %a7 mod 7 == 0
            %r2:2: %r2:2 == %s * max(%n, 0), %r2:2 == %x + 7 * i32(max(%n, 0))
            %r2:2: %r2:2 == %s * max(%n, 0), %r2:2 == %x + 7 * i32(max(%n, 0))
            %a: %a == %s * %i, %a2 == %x + 7 * i32(%i)
            %a2: %a2 == %x + 7 * i32(%i)
        "#]],
    );
}

#[test]
fn what_loops_carry_by_induction() {
    check(
        r#"
func.func @f(%n: index, %x: i32, %p: i1) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %i0 = arith.constant 0 : i32
  %i1 = arith.constant 1 : i32
  %i6 = arith.constant 6 : i32
  %i10 = arith.constant 10 : i32
  // At most 10, and never below 0.
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%a = %i0) -> (i32) {
    %more = arith.addi %a, %i1 : i32
    %next = arith.minsi %more, %i10 : i32
    scf.yield %next : i32
  }
  // Always even; the bounds are lost, as it may wrap.
  %r2 = scf.for %i = %c0 to %n step %c1 iter_args(%a2 = %i10) -> (i32) {
    %more = arith.addi %a2, %i6 : i32
    %next = arith.select %p, %more, %a2 : i32
    scf.yield %next : i32
  }
  // The same all the time.
  %r3 = scf.for %i = %c0 to %n step %c1 iter_args(%a3 = %x) -> (i32) {
    scf.yield %a3 : i32
  }
  // Nothing: the next value is any one.
  %r4 = scf.for %i = %c0 to %n step %c1 iter_args(%a4 = %i0) -> (i32) {
    %next = arith.muli %a4, %x : i32
    %other = arith.addi %next, %x : i32
    scf.yield %other : i32
  }
  return
}
"#,
        expect![[r#"
            %r: 0..=10;
            %a: 0..=10;
            %r2: ..=2147483646; 2*k; %r2 mod 2 == 0
            %a2: ..=2147483646; 2*k; %a2 mod 2 == 0
            %r3: %r3 == %x
            %a3: %a3 == %x
            %r4:
            %a4:
        "#]],
    );
}

#[test]
fn results_of_choices_and_loops_in_loops() {
    check(
        r#"
func.func @f(%n: index, %p: i1, %m: memref<4xindex>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %c24 = arith.constant 24 : index
  %r = scf.if %p -> (index) {
    scf.yield %c8 : index
  } else {
    scf.yield %c24 : index
  }
  %r1 = scf.if %p -> (index) {
    %v = memref.load %m[%c0] : memref<4xindex>
    %rest = arith.remui %v, %c8 : index
    scf.yield %rest : index
  } else {
    scf.yield %c24 : index
  }
  %r2 = scf.for %i = %c0 to %c8 step %c1 iter_args(%a = %c0) -> (index) {
    %r3 = scf.for %j = %c0 to %c8 step %c1 iter_args(%a2 = %a) -> (index) {
      %next = arith.addi %a2, %c8 : index
      scf.yield %next : index
    }
    scf.yield %r3 : index
  }
  return
}
"#,
        expect![[r#"
            %r: is select(%p, 8, 24); 8..=24; 16*k + 8;
            %r1: 0..=24;
            %rest: is i64(rems(ui64(%v), ui64(8))); 0..=7;
            %r2: 512..=512; %r2 == 512, %r2 mod 64 == 0
            %a: 0..=448; 64*k; %a == 64 * %i, %a mod 64 == 0
            %r3: 64..=512; 64*k; %r3 == %a + 64, %r3 mod 8 == 0
            %a2: 0..=504; 8*k; %a2 == %a + 8 * %j, %a2 mod 8 == 0
        "#]],
    );
}

#[test]
fn loops_that_a_condition_ends() {
    check(
        r#"
func.func @f(%n: index, %p: i1) {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %c10 = arith.constant 10 : index
  %r = scf.while (%a = %c0) : (index) -> index {
    %go = arith.cmpi slt, %a, %c10 : index
    scf.condition(%go) %a : index
  } do {
  ^bb0(%a2: index):
    %next = arith.addi %a2, %c2 : index
    scf.yield %next : index
  }
  return
}
func.func @g(%p: i1, %n: index) -> index {
  %c0 = arith.constant 0 : index
  %c3 = arith.constant 3 : index
  %c9 = arith.constant 9 : index
  %c100 = arith.constant 100 : index
  cf.cond_br %p, ^one, ^two(%c9 : index)
^one:
  cf.br ^two(%c3 : index)
^two(%a: index):
  cf.br ^loop(%a : index)
^loop(%a2: index):
  %go = arith.cmpi slt, %a2, %c100 : index
  cf.cond_br %go, ^body(%a2 : index), ^end(%a2 : index)
^body(%a3: index):
  %next = arith.addi %a3, %c3 : index
  cf.br ^loop(%next : index)
^end(%a4: index):
  return %a4 : index
}
"#,
        expect![[r#"
            %r: 10..=11;
            %a: 0..=11;
            %a2: 0..=9; %a2 == %a
            %a: 3..=9; 6*k + 3; %a mod 6 == 3
            %a2: 3..=102;
            %a3: 3..=99; %a3 == %a2
            %a4: 100..=102; %a4 == %a2
        "#]],
    );
}

#[test]
fn flags_count_where_values_are_used() {
    check(
        r#"
func.func @f(%x: i32, %i: index, %p: i1) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c9 = arith.constant 9 : index
  %next = arith.addi %x, %c1 overflow<nsw> : i32
  // Always: the next number is larger.
  %r = arith.cmpi slt, %x, %next : i32
  // Unknown: that the next number is not used says nothing about this one.
  %max = arith.constant 2147483647 : i32
  %r1 = arith.cmpi eq, %x, %max : i32
  %far = arith.addi %i, %c9 overflow<nsw, nuw> : index
  %r2 = arith.cmpi sgt, %far, %i : index
  %wraps = arith.addi %x, %c1 : i32
  %r3 = arith.cmpi slt, %x, %wraps : i32
  // The branch uses it.
  %go = arith.cmpi sgt, %next, %c0 : i32
  scf.if %go {
    %r4 = arith.addi %x, %c1 : i32
  }
  return
}
"#,
        expect![[r#"
            %r: is %x < %x + 1; 1..=;
            %r1: is %x == 2147483647;
            %r2: is %i + 9 > %i; 1..=;
            %r3: is %x < %x + 1;
            %r4: is %x + 1; 1..=;
        "#]],
    );
}

#[test]
fn numbers_of_few_bits_wrap() {
    check(
        r#"
func.func @f(%x: i8, %y: i16) {
  %c3 = arith.constant 3 : i8
  %c100 = arith.constant 100 : i8
  %c15 = arith.constant 15 : i16
  %r = arith.andi %y, %c15 : i16
  %r1 = arith.muli %r, %r : i16
  %few = arith.trunci %r : i16 to i8
  %r2 = arith.addi %few, %c100 : i8
  %r3 = arith.addi %r2, %c100 : i8
  %r4 = arith.remui %x, %c3 : i8
  %r5 = arith.shrui %x, %c3 : i8
  return
}
"#,
        expect![[r#"
            %r: is i16(%y mod 16); 0..=15;
            %r1: is i16(i16(%y mod 16) * i16(%y mod 16)); 0..=225;
            %r2: is i8(i8(i16(%y mod 16)) + 100); 100..=115;
            %r3: is i8(i8(i8(i16(%y mod 16)) + 100) + 100);
            %r4: is i8(rems(ui8(%x), ui8(3))); 0..=2;
            %r5: is i8(divs(ui8(%x), ui8(8))); 0..=31;
        "#]],
    );
}

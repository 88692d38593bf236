//! Rows of the effects table that are milder than the definition of the operation: each says why, and what follows from
//! it is seen on a small function.
//!
//! A definition that states no effects, or leaves them to code, says nothing: the operation might do anything. So each
//! row of ours for such an operation is milder than its definition.

use std::collections::BTreeMap;

use dialects::shipped;
use expect_test::expect_file;
use ir::{
    effects::{EffectTable, Flags, MatchKind, MemoryEffect, Namespace, OpEffects, Trap},
    plan::Preset,
};

use super::{optimize, options};

/// The effects that a definition states, in words, and how much they allow.
fn stated(operation: &shipped::Operation) -> (u8, &'static str) {
    let stated = &shipped::stated()[usize::from(operation.stated)];
    let field = |key: &str| stated.fields.iter().find(|it| it.0 == key).map(|it| it.1);
    let word = if stated.text.is_empty() { "not stated" } else { stated.text };
    let strength = match field("effect") {
        None => 9,
        Some("none") if field("may_trap").is_none() => 0,
        Some("none") => 1,
        Some("unknown") => 2,
        Some("read") => 3,
        Some("alloc") => 4,
        Some(_) => 5,
    };
    (strength, word)
}

/// The same of a row of the table.
fn row(effects: &OpEffects) -> (u8, &'static str) {
    let can_trap = effects.may_trap != Trap::No;
    match effects.memory_effect {
        MemoryEffect::None if can_trap => (1, "none, may trap"),
        MemoryEffect::None => (0, "none"),
        MemoryEffect::Unknown if effects.flags.contains(Flags::RECURSIVE) => (2, "recursive"),
        MemoryEffect::Read => (3, "read"),
        MemoryEffect::Alloc => (4, "allocate"),
        MemoryEffect::Unknown => (9, "unknown"),
        MemoryEffect::Write => (5, "write"),
        MemoryEffect::Free => (5, "free"),
        MemoryEffect::ReadWrite => (5, "read and write"),
    }
}

/// The work of the preset `default` on an operation: alone without a use, twice with uses, and between loads.
fn done(name: &str) -> String {
    let text = |body: &str, results: &str, types: &str| {
        format!(
            "func.func @f(%m: memref<8xf32>, %n: memref<8xf32>, %i: index, %v: f32) -> ({types}) {{\n\
             {body}  return {results} : {types}\n}}\n"
        )
    };
    let after = |text: &str| optimize(text, EffectTable::builtin(), &options(Preset::Default)).0;
    let quoted = format!("\"{name}\"");
    let count = |text: &str, what: &str| text.matches(what).count();
    let mut words = Vec::new();
    let unused = text(&format!("  %x = {quoted}(%i) : (index) -> index\n"), "%v", "f32");
    if count(&after(&unused), &quoted) == 0 {
        words.push("deleted unused");
    }
    let one = |name: &str| format!("  {name} = {quoted}(%i) : (index) -> index\n");
    let twice = text(&(one("%x") + &one("%y")), "%x, %y", "index, index");
    if count(&after(&twice), &quoted) == 1 {
        words.push("merged");
    }
    let between = |operation: &str| {
        let load =
            |name: &str, of: &str| format!("  {name} = memref.load {of}[%i] : memref<8xf32>\n");
        let own = "  %own = memref.alloca() : memref<8xf32>\n  memref.store %v, %own[%i] : memref<8xf32>\n";
        let body =
            [own, &load("%a", "%m"), &load("%c", "%n"), operation, &load("%b", "%m")].concat();
        let body = body + &load("%d", "%n") + &load("%e", "%own");
        after(&text(&body, "%a, %b, %c, %d, %e", "f32, f32, f32, f32, f32"))
    };
    let plain = between(&format!("  {quoted}() : () -> ()\n"));
    let with = between(&format!("  {quoted}(%m) : (memref<8xf32>) -> ()\n"));
    if count(&plain, "memref.load %m") == 1 {
        words.push("loads shared across it");
    }
    if count(&with, "memref.load %n") == 1 && count(&with, "memref.load %m") == 2 {
        words.push("of its operands not");
    }
    match words.is_empty() {
        true => "stays, and stands between loads".to_owned(),
        false => words.join(", "),
    }
}

#[test]
fn rows_that_are_milder_than_the_definition_say_why_and_what_follows() {
    let table = EffectTable::builtin();
    let mut groups: BTreeMap<(&str, &str, &str, String), Vec<&str>> = BTreeMap::new();
    let mut without_reason = Vec::new();
    for operation in shipped::operations() {
        let found = table.explain(Namespace::Mlir, operation.name);
        let is_row = matches!(found.kind, MatchKind::Exact | MatchKind::Pattern);
        let ((before, stated), (now, words)) = (stated(&operation), row(found.effects));
        if !is_row || now >= before {
            continue;
        }
        let Some(reason) = found.effects.reason.as_deref() else {
            without_reason.push(operation.name);
            continue;
        };
        let key = (operation.dialect.dialect, stated, words, reason.to_owned());
        groups.entry(key).or_default().push(operation.name);
    }
    assert!(without_reason.is_empty(), "milder, and no reason: {without_reason:?}");
    let mut said = String::new();
    for ((_, stated, words, reason), names) in groups {
        let others = match names.len() {
            1 => String::new(),
            n => format!(" and {} others", n - 1),
        };
        said += &format!("{}{others}: {stated} -> {words}: {}\n", names[0], done(names[0]));
        said += &format!("    because: {reason}\n");
    }
    expect_file!["milder.txt"].assert_eq(&said);
}

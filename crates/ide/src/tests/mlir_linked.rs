//! Symbols of MLIR that the files of a folder share: which files get the new name of one, and why it is refused.

use expect_test::{Expect, expect};

use super::FILE;
use crate::{Analysis, AnalysisHost, Language, SymbolPart, TextSize, linked_files, linked_places};

fn analysis(text: &str) -> Analysis {
    let mut host = AnalysisHost::new();
    host.set_text(FILE, Language::Mlir, text.into());
    host.analysis()
}

/// The files after the symbol at `$0` in the first one gets a new name: those that change, or why none does.
#[track_caller]
fn check(files: &[(&str, &str)], new_name: &str, expected: Expect) {
    let (_, marked) = files[0];
    let offset = TextSize::from(marked.find("$0").expect("a place") as u32);
    let own = analysis(&marked.replace("$0", ""));
    let Some(symbol) = own.shared_symbol(FILE, offset).unwrap() else {
        expected.assert_eq("its file alone knows the symbol");
        return;
    };
    let parts: Vec<(String, SymbolPart)> = files[1..]
        .iter()
        .map(|(name, text)| {
            let part = analysis(text).symbol_part(FILE, &symbol, new_name).unwrap();
            let may_be_in = symbol.may_be_in(text, Some(new_name));
            assert!(may_be_in || part == SymbolPart::default(), "{name} need not be read");
            ((*name).to_owned(), part)
        })
        .collect();
    let found = match linked_files(&symbol, &parts, new_name) {
        Err(why) => why,
        Ok(linked) => {
            let changed = linked.into_iter().map(|at| {
                let mut text = files[at + 1].1.to_owned();
                for edit in parts[at].1.edits.iter().rev() {
                    edit.apply(&mut text);
                }
                format!("{}: {text}", parts[at].0)
            });
            changed.collect()
        }
    };
    expected.assert_eq(&found);
}

const DEFINED: (&str, &str) = ("a.mlir", "func.func @$0f() {\n  return\n}\n");
const DECLARED: (&str, &str) = (
    "b.mlir",
    "func.func private @f()\nfunc.func @main() {\n  call @f() : () -> ()\n  return\n}\n",
);

#[test]
fn declarations_follow_their_definition() {
    check(
        &[DEFINED, DECLARED, ("c.mlir", "func.func @g() {\n  return\n}\n")],
        "@new",
        expect![[r#"
            b.mlir: func.func private @new()
            func.func @main() {
              call @new() : () -> ()
              return
            }
        "#]],
    );
    let declared = "func.func private @$0f()\n";
    check(
        &[
            ("a.mlir", declared),
            (
                "b.mlir",
                "module {\n  func.func @f() {\n    call @f() : () -> ()\n    return\n  }\n}\n",
            ),
            (
                "c.mlir",
                "\"func.func\"() <{function_type = () -> (), sym_name = \"f\", sym_visibility = \"private\"}> ({}) : () -> ()\n",
            ),
        ],
        "a b",
        expect![[r#"
            b.mlir: module {
              func.func @"a b"() {
                call @"a b"() : () -> ()
                return
              }
            }
            c.mlir: "func.func"() <{function_type = () -> (), sym_name = "a b", sym_visibility = "private"}> ({}) : () -> ()
        "#]],
    );
}

#[test]
fn mentions_without_a_declaration_mean_the_only_definition() {
    check(
        &[
            (
                "a.mlir",
                "module @lib {\n  module @inner {\n    func.func @$0f() {\n      return\n    }\n  }\n}\n",
            ),
            ("b.mlir", "\"my.use\"() {x = @inner::@f, y = @inner, z = @f} : () -> ()\n"),
            (
                "c.mlir",
                "module @x {\n  module @inner {\n  }\n  \"my.use\"() {x = @inner::@f} : () -> ()\n}\n",
            ),
        ],
        "new",
        expect![[r#"
            b.mlir: "my.use"() {x = @inner::@new, y = @inner, z = @f} : () -> ()
        "#]],
    );
    check(
        &[
            (
                "a.mlir",
                "module @$0inner {\n  func.func @f() {\n    return\n  }\n}\nfunc.func @g() {\n  return\n}\n",
            ),
            ("b.mlir", "\"my.use\"() {x = @inner::@f, y = @inner, z = @f} : () -> ()\n"),
        ],
        "new",
        expect![[r#"
            b.mlir: "my.use"() {x = @new::@f, y = @new, z = @f} : () -> ()
        "#]],
    );
}

#[test]
fn what_is_private_or_a_test_is_left_alone() {
    let private = "func.func private @$0f() {\n  return\n}\n";
    check(&[("a.mlir", private), DECLARED], "new", expect!["its file alone knows the symbol"]);
    let tests = "func.func @$0f() {\n  return\n}\n// -----\nfunc.func @g() {\n  return\n}\n";
    check(&[("a.mlir", tests), DECLARED], "new", expect!["its file alone knows the symbol"]);
    let global = "memref.global \"private\" @$0f : memref<4xi32>\n";
    check(&[("a.mlir", global), DECLARED], "new", expect!["its file alone knows the symbol"]);
    let hidden = "module {\n  module {\n    func.func @$0f() {\n      return\n    }\n  }\n}\n";
    check(&[("a.mlir", hidden), DECLARED], "new", expect!["its file alone knows the symbol"]);
    // Another one that is private has nothing to do with it, and a declaration without a definition means none of
    // these files.
    check(&[DEFINED, ("b.mlir", "func.func private @f() {\n  return\n}\n")], "new", expect![""]);
    check(&[("a.mlir", "func.func private @$0f()\n"), DECLARED], "new", expect![""]);
    check(&[DEFINED, DECLARED, ("c.mlir", "func.func @f() {\n  return\n}\n")], "new", expect![""]);
}

#[test]
fn names_that_would_collide_are_refused() {
    check(
        &[DEFINED, DECLARED],
        "main",
        expect!["`b.mlir` means this symbol too, and has the name `@main` already"],
    );
    check(
        &[DEFINED, DECLARED, ("c.mlir", "func.func @new() {\n  return\n}\n")],
        "new",
        expect![
            "`c.mlir` defines `@new`: files that mean this symbol could not tell the two apart"
        ],
    );
}

/// The places of the symbol at `$0` of the first file in the others that mean it.
#[track_caller]
fn check_places(files: &[(&str, &str)], expected: Expect) {
    let (_, marked) = files[0];
    let offset = TextSize::from(marked.find("$0").expect("a place") as u32);
    let own = analysis(&marked.replace("$0", ""));
    let symbol = own.meant_symbol(FILE, offset).unwrap().expect("a symbol");
    let others = &files[1..];
    let places: Vec<_> = others
        .iter()
        .map(|(_, text)| analysis(text).symbol_places(FILE, &symbol).unwrap())
        .collect();
    let mut out = String::new();
    for at in linked_places(&symbol, &places) {
        for it in &places[at] {
            let within = it.within.as_ref().map(|it| format!(" in {}", it.name));
            let within = within.unwrap_or_default();
            out.push_str(&format!("{} {:?} {:?}{within}\n", others[at].0, it.range, it.role));
        }
    }
    expected.assert_eq(&out);
}

#[test]
fn a_symbol_has_places_in_the_files_that_a_rename_changes() {
    let defined = "func.func @f() {\n  return\n}\n";
    let mentioned = "func.func @g() {\n  call @f() : () -> ()\n  return\n}\n";
    let mentioned_here = mentioned.replace("@f", "@$0f");
    check_places(
        &[DEFINED, DECLARED, ("c.mlir", mentioned)],
        expect![[r#"
        b.mlir 18..20 Declaration
        b.mlir 50..52 Mention in main
        c.mlir 24..26 Mention in g
    "#]],
    );
    // From a declaration, and from a mention alone.
    check_places(
        &[("b.mlir", "func.func private @$0f()\n"), ("a.mlir", defined), ("c.mlir", mentioned)],
        expect![[r#"
            a.mlir 10..12 Definition
            c.mlir 24..26 Mention in g
        "#]],
    );
    check_places(
        &[("c.mlir", &mentioned_here), ("a.mlir", defined), DECLARED],
        expect![[r#"
        a.mlir 10..12 Definition
        b.mlir 18..20 Declaration
        b.mlir 50..52 Mention in main
    "#]],
    );
    // Nobody knows which of two is meant.
    check_places(
        &[("c.mlir", &mentioned_here), ("a.mlir", defined), ("b.mlir", defined)],
        expect![],
    );
}

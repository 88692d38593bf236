//! Names of MLIR and PIR: definitions, references, highlight, rename, hover.

use expect_test::{Expect, expect};

use super::{FILE, definition};
use crate::{Access, Analysis, AnalysisHost, Language, TextSize};

const TEXT: &str = "\
#map = affine_map<(d0) -> (d0 + 1)>
!t = i32
module @m {
  func.func @f(%a: !t, %c: i1) -> i32 {
    %0:2 = \"my.pair\"(%a) : (i32) -> (i32, i32)
    cf.cond_br %c, ^one, ^two(%0#1 : i32)
  ^one:
    %1 = call @g(%0#0) : (i32) -> i32
    cf.br ^two(%1 : i32)
  ^two(%r: i32):
    return %r : i32
  }
  func.func private @g(i32) -> i32
  \"func.func\"() <{function_type = () -> (), sym_name = \"h\"}> ({
    \"my.map\"() {m = #map, f = @g, inner = @k::@f} : () -> ()
    \"func.return\"() : () -> ()
  }) : () -> ()
  gpu.module @k {
    gpu.func @f() kernel {
      %a = \"my.get\"() {f = @f, h = @h} : () -> !t
      gpu.return
    }
  }
}
// -----
func.func private @g()
";

fn analysis(language: Language, text: &str) -> Analysis {
    let mut host = AnalysisHost::new();
    host.open_file(FILE, syntax::parse_as(language, text));
    host.analysis()
}

/// The place of the first mention of a text in another, in [`TEXT`].
fn place(line: &str, name: &str) -> TextSize {
    let at = TEXT.find(line).expect("the line");
    let inner = line.find(name).expect("the name");
    ((at + inner) as u32 + 1).into()
}

/// The lines with mentions of a name: `[definition]`, `<use>`.
#[track_caller]
fn check_in(language: Language, text: &str, offset: TextSize, expected: Expect) {
    let analysis = analysis(language, text);
    let found = analysis.highlights(FILE, offset).unwrap();
    let mut marked = text.to_owned();
    for it in found.iter().rev() {
        let (open, close) =
            if it.access == Access::Write { ("⟦", "⟧") } else { ("⟨", "⟩") };
        marked.insert_str(it.range.end().into(), close);
        marked.insert_str(it.range.start().into(), open);
    }
    let lines = marked.lines().filter(|it| it.contains(['⟦', '⟨'])).map(str::trim_start);
    expected.assert_eq(&lines.collect::<Vec<_>>().join("\n"));
    // The others say the same.
    let definition = definition(&analysis, offset);
    let defined = found.iter().find(|it| it.access == Access::Write).map(|it| it.range);
    assert_eq!(definition, defined);
    let references = analysis.references(FILE, offset, true).unwrap().unwrap_or_default();
    assert_eq!(references, found.iter().map(|it| it.range).collect::<Vec<_>>());
    let without = analysis.references(FILE, offset, false).unwrap().unwrap_or_default();
    assert_eq!(without.len() + usize::from(defined.is_some()), references.len());
}

#[track_caller]
fn check(line: &str, name: &str, expected: Expect) {
    check_in(Language::Mlir, TEXT, place(line, name), expected);
}

#[test]
fn values_lead_to_their_definitions() {
    check(
        "return %r",
        "%r",
        expect![[r#"
        ^two(⟦%r⟧: i32):
        return ⟨%r⟩ : i32"#]],
    );
    check(
        "(%a) : (i32) -> (i32, i32)",
        "%a",
        expect![[r#"
        func.func @f(⟦%a⟧: !t, %c: i1) -> i32 {
        %0:2 = "my.pair"(⟨%a⟩) : (i32) -> (i32, i32)"#]],
    );
    check(
        "cf.br ^two(%1",
        "%1",
        expect![[r#"
        ⟦%1⟧ = call @g(%0#0) : (i32) -> i32
        cf.br ^two(⟨%1⟩ : i32)"#]],
    );
}

#[test]
fn all_of_a_pack_is_one_name() {
    check(
        "%0:2",
        "%0",
        expect![[r#"
        ⟦%0⟧:2 = "my.pair"(%a) : (i32) -> (i32, i32)
        cf.cond_br %c, ^one, ^two(⟨%0⟩#1 : i32)
        %1 = call @g(⟨%0⟩#0) : (i32) -> i32"#]],
    );
    check(
        "call @g(%0#0)",
        "%0#0",
        expect![[r#"
        ⟦%0⟧:2 = "my.pair"(%a) : (i32) -> (i32, i32)
        cf.cond_br %c, ^one, ^two(⟨%0⟩#1 : i32)
        %1 = call @g(⟨%0⟩#0) : (i32) -> i32"#]],
    );
    check(
        "call @g(%0#0)",
        "#0",
        expect![[r#"
        ⟦%0⟧:2 = "my.pair"(%a) : (i32) -> (i32, i32)
        cf.cond_br %c, ^one, ^two(⟨%0⟩#1 : i32)
        %1 = call @g(⟨%0⟩#0) : (i32) -> i32"#]],
    );
}

#[test]
fn labels_are_found_from_branches() {
    check(
        "cf.br ^two",
        "^two",
        expect![[r#"
        cf.cond_br %c, ^one, ⟨^two⟩(%0#1 : i32)
        cf.br ⟨^two⟩(%1 : i32)
        ⟦^two⟧(%r: i32):"#]],
    );
    check(
        "^one:",
        "^one",
        expect![[r#"
        cf.cond_br %c, ⟨^one⟩, ^two(%0#1 : i32)
        ⟦^one⟧:"#]],
    );
}

#[test]
fn symbols_are_looked_up_in_the_tables_around() {
    check(
        "call @g",
        "@g",
        expect![[r#"
        %1 = call ⟨@g⟩(%0#0) : (i32) -> i32
        func.func private ⟦@g⟧(i32) -> i32
        "my.map"() {m = #map, f = ⟨@g⟩, inner = @k::@f} : () -> ()"#]],
    );
    check("func.func @f(%a", "@f", expect!["func.func ⟦@f⟧(%a: !t, %c: i1) -> i32 {"]);
    check(
        "{f = @f, h",
        "@f",
        expect![[r#"
        "my.map"() {m = #map, f = @g, inner = @k::⟨@f⟩} : () -> ()
        gpu.func ⟦@f⟧() kernel {
        %a = "my.get"() {f = ⟨@f⟩, h = @h} : () -> !t"#]],
    );
    check(
        "inner = @k::@f",
        "@k",
        expect![[r#"
        "my.map"() {m = #map, f = @g, inner = ⟨@k⟩::@f} : () -> ()
        gpu.module ⟦@k⟧ {"#]],
    );
    check(
        "sym_name = \"h\"",
        "h\"",
        expect![[r#"
        "func.func"() <{function_type = () -> (), sym_name = "⟦h⟧"}> ({
        %a = "my.get"() {f = @f, h = ⟨@h⟩} : () -> !t"#]],
    );
    check("// -----\nfunc.func private @g", "@g", expect!["func.func private ⟦@g⟧()"]);
}

#[test]
fn aliases_are_those_of_the_document() {
    check(
        "m = #map",
        "#map",
        expect![[r#"
        ⟦#map⟧ = affine_map<(d0) -> (d0 + 1)>
        "my.map"() {m = ⟨#map⟩, f = @g, inner = @k::@f} : () -> ()"#]],
    );
    check(
        "%a: !t",
        "!t",
        expect![[r#"
        ⟦!t⟧ = i32
        func.func @f(%a: ⟨!t⟩, %c: i1) -> i32 {
        %a = "my.get"() {f = @f, h = @h} : () -> ⟨!t⟩"#]],
    );
}

#[test]
fn values_of_pir_belong_to_their_blocks() {
    let text = "\
{
    (%0) = \"pd_op.data\" () {} : () -> tensor<f32>
    (%1) = \"pd_op.while\" (cond=%0, inputs=%0) {
    ^%arg_0 {stop_gradient:true}
        () = \"cf.yield\" (%0, %arg_0) {} : (tensor<f32>) -> 
    }
    (%2) = \"pd_op.while\" (cond=%0, inputs=%1) {
    ^%arg_0 {stop_gradient:true}
        () = \"cf.yield\" (%arg_0) {} : (tensor<f32>) -> 
    }
}
";
    let at = |what: &str| TextSize::from(text.find(what).unwrap() as u32 + 1);
    check_in(
        Language::Pir,
        text,
        at("%0, inputs"),
        expect![[r#"
        (⟦%0⟧) = "pd_op.data" () {} : () -> tensor<f32>
        (%1) = "pd_op.while" (cond=⟨%0⟩, inputs=⟨%0⟩) {
        () = "cf.yield" (⟨%0⟩, %arg_0) {} : (tensor<f32>) -> 
        (%2) = "pd_op.while" (cond=⟨%0⟩, inputs=%1) {"#]],
    );
    check_in(
        Language::Pir,
        text,
        at("%arg_0) {} "),
        expect![[r#"
        ^⟦%arg_0⟧ {stop_gradient:true}
        () = "cf.yield" (%0, ⟨%arg_0⟩) {} : (tensor<f32>) -> "#]],
    );
}

/// The lines that a rename changes, or why it does not.
#[track_caller]
fn check_rename(line: &str, name: &str, new_name: &str, expected: Expect) {
    let offset = place(line, name);
    let analysis = analysis(Language::Mlir, TEXT);
    match analysis.rename(FILE, offset, new_name).unwrap() {
        Err(why) => expected.assert_eq(&why),
        Ok(edits) => {
            let mut text = TEXT.to_owned();
            for edit in edits.iter().rev() {
                edit.apply(&mut text);
            }
            let pairs = text.lines().zip(TEXT.lines()).filter(|(new, old)| new != old);
            let changed: Vec<&str> = pairs.map(|(new, _)| new.trim_start()).collect();
            expected.assert_eq(&changed.join("\n"));
        }
    }
}

#[test]
fn rename_changes_every_mention() {
    check_rename(
        "%0:2",
        "%0",
        "%pair",
        expect![[r#"
        %pair:2 = "my.pair"(%a) : (i32) -> (i32, i32)
        cf.cond_br %c, ^one, ^two(%pair#1 : i32)
        %1 = call @g(%pair#0) : (i32) -> i32"#]],
    );
    check_rename(
        "cf.br ^two",
        "^two",
        "done",
        expect![[r#"
        cf.cond_br %c, ^one, ^done(%0#1 : i32)
        cf.br ^done(%1 : i32)
        ^done(%r: i32):"#]],
    );
    check_rename(
        "call @g",
        "@g",
        "@callee",
        expect![[r#"
        %1 = call @callee(%0#0) : (i32) -> i32
        func.func private @callee(i32) -> i32
        "my.map"() {m = #map, f = @callee, inner = @k::@f} : () -> ()"#]],
    );
    check_rename(
        "h = @h",
        "@h",
        "host",
        expect![[r#"
        "func.func"() <{function_type = () -> (), sym_name = "host"}> ({
        %a = "my.get"() {f = @f, h = @host} : () -> !t"#]],
    );
    check_rename(
        "m = #map",
        "#map",
        "next",
        expect![[r##"
        #next = affine_map<(d0) -> (d0 + 1)>
        "my.map"() {m = #next, f = @g, inner = @k::@f} : () -> ()"##]],
    );
}

#[test]
fn a_symbol_that_nothing_in_the_file_defines_says_where_to_rename_it() {
    let text = "func.func @f() {\n  call @elsewhere() : () -> ()\n  return\n}\n";
    let at = TextSize::from(text.find("elsewhere").expect("a place") as u32);
    let analysis = analysis(Language::Mlir, text);
    let expected = expect![
        "nothing in this file defines `@elsewhere`: rename it where it is defined, and this file follows"
    ];
    expected.assert_eq(&analysis.prepare_rename(FILE, at).unwrap().unwrap_err());
    expected.assert_eq(&analysis.rename(FILE, at, "@x").unwrap().unwrap_err());
}

#[test]
fn symbols_are_renamed_with_and_without_quotes() {
    check_rename(
        "call @g",
        "@g",
        "a b",
        expect![[r#"
        %1 = call @"a b"(%0#0) : (i32) -> i32
        func.func private @"a b"(i32) -> i32
        "my.map"() {m = #map, f = @"a b", inner = @k::@f} : () -> ()"#]],
    );
    check_rename(
        "h = @h",
        "@h",
        "a\"b",
        expect![[r#"
        "func.func"() <{function_type = () -> (), sym_name = "a\22b"}> ({
        %a = "my.get"() {f = @f, h = @"a\22b"} : () -> !t"#]],
    );
    check_rename("module @m", "@m", "@\"m\"", expect![[""]]);
    check_rename(
        "module @k",
        "@k",
        "k-1",
        expect![[r#"
        "my.map"() {m = #map, f = @g, inner = @"k-1"::@f} : () -> ()
        gpu.module @"k-1" {"#]],
    );
    let text = "\
module {
  func.func private @\"q r\"()
  module @\"a-b\" {
    func.func private @\"q r\"()
  }
  func.func @f() {
    \"my.op\"() {x = @\"a-b\"::@\"q r\", y = @\"q r\"} : () -> ()
    call @\"q\\20r\"() : () -> ()
    return
  }
}
";
    let check = |what: &str, new_name: &str, expected: Expect| {
        let offset = TextSize::from(text.find(what).unwrap() as u32 + what.len() as u32 - 2);
        let analysis = analysis(Language::Mlir, text);
        let edits = analysis.rename(FILE, offset, new_name).unwrap().unwrap();
        let mut new = text.to_owned();
        for edit in edits.iter().rev() {
            edit.apply(&mut new);
        }
        let pairs = new.lines().zip(text.lines()).filter(|(new, old)| new != old);
        let changed: Vec<&str> = pairs.map(|(new, _)| new.trim_start()).collect();
        expected.assert_eq(&changed.join("\n"));
    };
    check(
        "y = @\"q r\"",
        "g",
        expect![[r#"
        func.func private @g()
        "my.op"() {x = @"a-b"::@"q r", y = @g} : () -> ()
        call @g() : () -> ()"#]],
    );
    check(
        "::@\"q r\"",
        "@g",
        expect![[r#"
        func.func private @g()
        "my.op"() {x = @"a-b"::@g, y = @"q r"} : () -> ()"#]],
    );
    check(
        "module @\"a-b\"",
        "k",
        expect![[r#"
        module @k {
        "my.op"() {x = @k::@"q r", y = @"q r"} : () -> ()"#]],
    );
}

#[test]
fn rename_refuses_what_collides_or_is_no_name() {
    check_rename("%0:2", "%0", "%1", expect!["the name `%1` is already used here"]);
    check_rename("cf.br ^two", "^two", "^one", expect!["the name `^one` is already used here"]);
    check_rename("call @g", "@g", "@f", expect!["the name `@f` is already used here"]);
    check_rename("call @g", "@g", "\"f\"", expect!["the name `@f` is already used here"]);
    check_rename("call @g", "@g", "@\"\"", expect!["a symbol has a name"]);
    check_rename("m = #map", "#map", "a.b", expect!["`a.b` is not a name in this language"]);
    check_rename(
        "my.pair",
        "my",
        "x",
        expect!["there is no name at this place whose definition is known"],
    );
}

#[track_caller]
fn check_hover(line: &str, name: &str, expected: Expect) {
    let hover = analysis(Language::Mlir, TEXT).hover(FILE, place(line, name)).unwrap();
    expected.assert_eq(&hover.map(|it| it.markdown).unwrap_or_default());
}

#[test]
fn hover_tells_what_a_name_is() {
    check_hover(
        "call @g(%0#0)",
        "%0#0",
        expect![[r#"
            ```mlir
            %0#0 : i32
            ```
            result of `my.pair` (line 5) · used once"#]],
    );
    check_hover(
        "return %r",
        "%r",
        expect![[r#"
            ```mlir
            %r : i32
            ```
            argument 0 of `^two` · used once"#]],
    );
    check_hover(
        "cf.br ^two",
        "^two",
        expect![[r#"
        ```mlir
        ^two(%r: i32):
        ```
        2 branches to it"#]],
    );
    check_hover(
        "call @g",
        "@g",
        expect![[r#"
        ```mlir
        func.func private @g(i32) -> i32
        ```"#]],
    );
    check_hover(
        "m = #map",
        "#map",
        expect![[r#"
        ```mlir
        #map = affine_map<(d0) -> (d0 + 1)>
        ```"#]],
    );
    check_hover(
        "cf.br ^two",
        "cf.br",
        expect![[r#"
            `cf.br`: no effect on memory

            ```mlir
            cf.br ^block
            ```

            - operands: destOperands*
            - successors: dest
            - traits: AlwaysSpeculatable, BranchOpInterface, ConditionallySpeculatable, IsTerminator, NoMemoryEffect, Pure, Terminator"#]],
    );
    check_hover(
        "my.pair",
        "my.pair",
        expect!["`my.pair`: nothing is known of what it does; declare it in `tir-analyzer.toml`"],
    );
}

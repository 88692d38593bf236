//! MLIR and PIR: the features that follow from their trees.

use expect_test::{Expect, expect};

use super::FILE;
use crate::{Analysis, AnalysisHost, DiagnosticsConfig, DocumentSymbol, Language, TextRange};

const TEXT: &str = "\
// A file.
// Of two documents.
#map = affine_map<(d0) -> (d0)>
module @m {
  memref.global @v : memref<4xf32>
  func.func private @g(i32) -> i32
  func.func @f(%a: i32, %c: i1) -> i32 {
    // A branch.
    cf.cond_br %c, ^one, ^two(%a : i32)
  ^one:
    %0 = scf.if %c -> (i32) {
      scf.yield %a : i32
    } else {
      %1 = my.op %a {
        x = \"y\"
      } : i32
      scf.yield %1 : i32
    }
    cf.br ^two(%0 : i32)
  ^two(%r: i32):
    return %r : i32
  } loc(\"here\")
}
// -----
func.func @main() {
  return
}
";

const PIR: &str = "\
{
    (%0) = \"pd_op.data\" () {name:\"x\"} : () -> tensor<b>
    (%1) = \"pd_op.if\" (%0) {} -> tensor<f32> {
        () = \"cf.yield\" (%0) {} : (tensor<b>) -> 
    }
}
";

fn analysis(language: Language, text: &str) -> Analysis {
    let mut host = AnalysisHost::new();
    host.open_file(FILE, syntax::parse_as(language, text));
    host.analysis()
}

fn slice(text: &str, range: TextRange) -> &str {
    &text[std::ops::Range::<usize>::from(range)]
}

fn line(text: &str, offset: syntax::TextSize) -> usize {
    text[..usize::from(offset)].matches('\n').count() + 1
}

fn render(text: &str, symbols: &[DocumentSymbol], depth: usize, out: &mut String) {
    for it in symbols {
        let (first, last) = (line(text, it.range.start()), line(text, it.range.end()));
        let name = slice(text, it.selection_range);
        out.push_str(&format!(
            "{}{:?} {} `{name}` {first}-{last}\n",
            "  ".repeat(depth),
            it.kind,
            it.name
        ));
        render(text, &it.children, depth + 1, out);
    }
}

#[track_caller]
fn check_outline(language: Language, text: &str, expected: Expect) {
    let mut out = String::new();
    render(text, &analysis(language, text).document_symbols(FILE).unwrap(), 0, &mut out);
    expected.assert_eq(&out);
}

#[test]
fn outline_has_modules_functions_globals_and_labels() {
    check_outline(
        Language::Mlir,
        TEXT,
        expect![[r#"
        Module m `@m` 4-23
          Global v `@v` 5-5
          Function g `@g` 6-6
          Function f `@f` 7-22
            Block ^one `^one` 10-20
            Block ^two `^two` 20-22
        Function main `@main` 25-27
    "#]],
    );
    check_outline(
        Language::Pir,
        PIR,
        expect![[r#"
        Block pd_op.if `"pd_op.if"` 3-5
    "#]],
    );
}

#[test]
fn what_has_no_name_has_a_word_in_its_place() {
    let text = "module @\"\" {\n  func.func @\"\"() {\n    return\n  }\n}\n";
    check_outline(
        Language::Mlir,
        text,
        expect![[r#"
        Module <no name> `@""` 1-5
          Function <no name> `@""` 2-4
    "#]],
    );
    let header = "from tvm.script import tirx as T\n\n@T.prim_func\n";
    let text = format!(
        "{header}def (A: T.Buffer((8,), \"int32\")):\n    with T.sblock(\" \"):\n        A[0] = 1\n"
    );
    check_outline(
        Language::TvmScript,
        &text,
        expect![[r#"
        Function <no name> `` 3-7
          Block <no name> `with T.sblock(" "):
                A[0] = 1` 5-6
    "#]],
    );
}

#[track_caller]
fn check_folds(language: Language, text: &str, expected: Expect) {
    let folds = analysis(language, text).folding_ranges(FILE).unwrap();
    let show = |it: &crate::Fold| {
        let last = line(text, it.range.end()) - usize::from(it.keeps_last_line);
        (line(text, it.range.start()), last)
    };
    expected.assert_eq(&format!("{:?}", folds.iter().map(show).collect::<Vec<_>>()));
}

#[test]
fn regions_dictionaries_and_comments_fold() {
    check_folds(
        Language::Mlir,
        TEXT,
        expect!["[(1, 2), (4, 22), (7, 21), (11, 12), (13, 17), (25, 26)]"],
    );
    check_folds(Language::Pir, PIR, expect!["[(1, 5), (3, 4)]"]);
}

#[track_caller]
fn check_tokens(language: Language, text: &str, expected: Expect) {
    let tokens = analysis(language, text).semantic_tokens(FILE, None).unwrap();
    assert!(tokens.is_sorted_by_key(|it| it.range.start()));
    assert!(tokens.windows(2).all(|it| it[0].range.end() <= it[1].range.start()), "{tokens:?}");
    let mut out = String::new();
    let mut last = 0;
    for it in &tokens {
        let at = line(text, it.range.start());
        out.push_str(if at == last || last == 0 { "" } else { "\n" });
        let mark = if it.is_definition { "!" } else { "" };
        out.push_str(&format!("{}:{:?}{mark} ", slice(text, it.range), it.kind));
        last = at;
    }
    expected.assert_eq(&out);
}

#[test]
fn tokens_say_what_names_are() {
    check_tokens(
        Language::Mlir,
        TEXT,
        expect![[r#"
        // A file.:Comment 
        // Of two documents.:Comment 
        #map:Alias! affine_map:Keyword 
        module:Operation @m:Symbol! 
        memref.global:Operation @v:Symbol! memref:Type 4x:Type f32:Type 
        func.func:Operation private:Keyword @g:Symbol! i32:Type i32:Type 
        func.func:Operation @f:Symbol! %a:Parameter! i32:Type %c:Parameter! i1:Type i32:Type 
        // A branch.:Comment 
        cf.cond_br:Operation %c:Value ^one:Label ^two:Label %a:Value i32:Type 
        ^one:Label! 
        %0:Value! scf.if:Operation %c:Value i32:Type 
        scf.yield:Operation %a:Value i32:Type 
        else:Keyword 
        %1:Value! my.op:Operation %a:Value 
        x:Keyword "y":String 
        i32:Type 
        scf.yield:Operation %1:Value i32:Type 
        cf.br:Operation ^two:Label %0:Value i32:Type 
        ^two:Label! %r:Parameter! i32:Type 
        return:Operation %r:Value i32:Type 
        loc:Keyword "here":String 
        // -----:Comment 
        func.func:Operation @main:Symbol! 
        return:Operation "#]],
    );
    check_tokens(
        Language::Pir,
        PIR,
        expect![[r#"
        %0:Value! "pd_op.data":Operation name:Property "x":String tensor:Type b:Type 
        %1:Value! "pd_op.if":Operation %0:Value tensor:Type f32:Type 
        "cf.yield":Operation %0:Value tensor:Type b:Type "#]],
    );
}

#[test]
fn tokens_of_a_range_are_those_that_touch_it() {
    let analysis = analysis(Language::Mlir, TEXT);
    let at = TEXT.find("%c, ^one").unwrap() as u32;
    let tokens = analysis.semantic_tokens(FILE, Some(TextRange::at(at.into(), 4.into()))).unwrap();
    let texts: Vec<&str> = tokens.iter().map(|it| slice(TEXT, it.range)).collect();
    assert_eq!(texts, ["%c", "^one"]);
}

#[test]
fn names_of_tvmscript_have_tokens_and_python_has_none() {
    let text = super::function("x: T.let = i + 1\nfor k in range(4):\n    A[k] = B[k] + x + n");
    let body = text.find("x: T.let").unwrap();
    let tokens = super::analysis(&text).semantic_tokens(FILE, None).unwrap();
    let mut out = String::new();
    for it in tokens.iter().filter(|it| usize::from(it.range.start()) >= body) {
        let mark = if it.is_definition { "!" } else { "" };
        out.push_str(&format!("{}:{:?}{mark} ", slice(&text, it.range), it.kind));
    }
    expect![
        "x:Value! i:Parameter k:Index! A:Parameter k:Index B:Parameter k:Index x:Value n:Parameter "
    ]
    .assert_eq(&out);
    assert_eq!(
        super::analysis("def f(x):\n    return x\n").semantic_tokens(FILE, None),
        Ok(vec![])
    );
}

#[track_caller]
fn check_selection(language: Language, text: &str, expected: Expect) {
    let (text, offset) = test_utils::extract_cursor(text);
    let ranges = analysis(language, &text).selection_ranges(FILE, offset).unwrap();
    let shown: Vec<&str> = ranges.iter().map(|it| slice(&text, *it)).collect();
    expected.assert_eq(&shown.join("\n----\n"));
}

#[test]
fn selections_grow_from_the_token_outwards() {
    check_selection(
        Language::Mlir,
        "func.func @f(%a: i32) {\n  %0 = my.op %a$0 {x = \"y\"} : i32\n}\n",
        expect![[r#"
            %a
            ----
            %0 = my.op %a {x = "y"} : i32
            ----

              %0 = my.op %a {x = "y"} : i32

            ----
            {
              %0 = my.op %a {x = "y"} : i32
            }
            ----
            func.func @f(%a: i32) {
              %0 = my.op %a {x = "y"} : i32
            }
            ----
            func.func @f(%a: i32) {
              %0 = my.op %a {x = "y"} : i32
            }
        "#]],
    );
    check_selection(
        Language::Mlir,
        "my.op {x = \"a b$0\"}\n",
        expect![[r#"
        a b
        ----
        "a b"
        ----
        my.op {x = "a b"}
        ----
        my.op {x = "a b"}
    "#]],
    );
    check_selection(
        Language::TvmScript,
        "x = f(a +$0 b, c)\n",
        expect![[r#"
        +
        ----
        a + b
        ----
        (a + b, c)
        ----
        f(a + b, c)
        ----
        x = f(a + b, c)
    "#]],
    );
    check_selection(
        Language::Pir,
        PIR.replace("name:", "na$0me:").as_str(),
        expect![[r#"
        name
        ----
        name:"x"
        ----
        {name:"x"}
        ----
        (%0) = "pd_op.data" () {name:"x"} : () -> tensor<b>
        ----
        {
            (%0) = "pd_op.data" () {name:"x"} : () -> tensor<b>
            (%1) = "pd_op.if" (%0) {} -> tensor<f32> {
                () = "cf.yield" (%0) {} : (tensor<b>) -> 
            }
        }
        ----
        {
            (%0) = "pd_op.data" () {name:"x"} : () -> tensor<b>
            (%1) = "pd_op.if" (%0) {} -> tensor<f32> {
                () = "cf.yield" (%0) {} : (tensor<b>) -> 
            }
        }
    "#]],
    );
}

#[test]
fn selections_in_endless_sums_are_thinned_out() {
    let text = format!("x = {}a\n", "a + ".repeat(20_000));
    let ranges = analysis(Language::TvmScript, &text).selection_ranges(FILE, 5.into()).unwrap();
    assert_eq!(ranges.len(), 128);
    assert!(ranges.is_sorted_by_key(|it| it.len()));
}

#[test]
fn unreadable_text_is_reported_once_at_its_place() {
    let text =
        "module {\n  func.func @f(%a i32) {\n    %0 = arith.addi %a\n    return\n  }\n}\n)\n";
    let found =
        analysis(Language::Mlir, text).diagnostics(FILE, &DiagnosticsConfig::default()).unwrap();
    let is_of_lowering = |code: &str| frontend::ops::rule(code).is_some();
    let shown: Vec<String> = found
        .iter()
        .filter(|it| !is_of_lowering(it.code))
        .map(|it| format!("{}: {}", line(text, it.range.start()), it.message))
        .collect();
    expect![[r#"
        2: `i32` does not fit: `func.func` is written `func.func @name (%value: type)`
        2: `) {` does not fit: `func.func` is written `func.func @name (%value: type)`
        3: something is missing: `arith.addi` is written `arith.addi %a, %b : type`
        7: `)` cannot stand here"#]]
    .assert_eq(&shown.join("\n"));
}

#[test]
fn other_questions_have_empty_answers() {
    let analysis = analysis(Language::Mlir, TEXT);
    for offset in (0..TEXT.len() as u32).step_by(7) {
        assert_eq!(analysis.explain(FILE, offset.into()), Ok(None));
        assert_eq!(analysis.findings_at(FILE, offset.into()), Ok(Vec::new()));
        assert_eq!(analysis.elsewhere(FILE, offset.into()), Ok(Vec::new()));
    }
    assert_eq!(analysis.n_functions(FILE), Ok(3));
}

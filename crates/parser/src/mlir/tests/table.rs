//! The table of pretty forms.

use dialects::file;

use super::*;

#[test]
fn the_table_of_the_product_can_be_read() {
    let shapes = Shapes::builtin();
    assert_eq!(shapes.shape_of("arith.addi"), Some("binary"));
    assert_eq!(shapes.shape_of("linalg.matmul"), Some("linalg"));
    assert_eq!(shapes.shape_of("linalg.yield"), Some("yield"));
    // Of two patterns the longer one.
    let constrained = shapes.shape_of("llvm.intr.experimental.constrained.sqrt");
    assert_eq!(constrained, Some("intrinsic-constrained"));
    assert_eq!(shapes.shape_of("llvm.intr.sqrt"), Some("intrinsic"));
    assert_eq!(shapes.shape_of("llvm.intr.exp"), Some("intrinsic"));
    // A definition that begins otherwise is none of the pattern's.
    let expect = shapes.shape_of("llvm.intr.expect");
    assert_eq!(expect, Some("$val `,` $expected attr-dict `:` type($val)"));
    assert_eq!(shapes.shape_of("own.op"), None);
    assert_eq!(shapes.full_name("return"), "func.return");
    assert_eq!(shapes.full_name("arith.addi"), "arith.addi");
    assert!(shapes.is_function("gpu.func") && !shapes.is_function("gpu.module"));
    assert!(shapes.is_module("gpu.module"));
    assert!(shapes.looks_into_regions("linalg.generic") && !shapes.looks_into_regions("scf.for"));
}

#[test]
fn an_example_shows_how_an_operation_is_written() {
    let example = |op: &str| Shapes::builtin().example_of(op).unwrap_or_default();
    assert_eq!(example("arith.addi"), "%a, %b : type");
    assert_eq!(example("memref.store"), "%a, %b[…] : type");
    assert_eq!(example("func.call"), "@name (%a) : (types) -> type");
    assert_eq!(example("scf.for"), "%a = %b to %c step %d { … }");
    // `operands` are all of them.
    assert_eq!(example("vm.rem.i32.u"), "%a, %b : type");
}

#[test]
fn rows_of_a_user_go_on_top() {
    let text = "%0 = own.add %a, %b : i32\nown.fn @f(%x: i32) {\n}\n";
    let unknown = parse(text);
    assert_eq!(count(&unknown, &[MLIR_OPAQUE_OP]), 2);
    let own = file::read(
        "dialect = \"own\"\n[[operations]]\nops = [\"add\"]\nshape = \"binary\"\n\
         [[operations]]\nops = [\"fn\"]\nshape = \"func\"\nfunction = true\n",
    );
    let shapes = Shapes::builtin().with(&own.expect("a good file")).expect("good rows");
    let known = parse_with(text, &shapes);
    assert_eq!(count(&known, &[MLIR_OPAQUE_OP]), 0);
    assert_eq!(count(&known, ERRORS), 0);
    assert!(shapes.is_function("own.fn"));
}

#[test]
fn a_bad_row_is_named() {
    let error = |text: &str| {
        let own = file::read(&format!("dialect = \"own\"\n{text}")).expect("a good file");
        Shapes::builtin().with(&own).expect_err("a bad row").to_string()
    };
    let of_shape =
        |shape: &str| error(&format!("\n[[operations]]\nops = [\"add\"]\nshape = \"{shape}\"\n"));
    assert_eq!(of_shape("no-such"), "3:1: `no-such` is an unknown shape");
    assert!(of_shape("V (").contains("a `(` without its `)`"));
    assert!(of_shape("V )").contains("a `)` too many"));
    assert!(of_shape("Q V").contains("an unknown element Q"));
    assert!(error("[shapes]\na = \"V (\"\n").contains("a `(` without its `)` in the shape `a`"));
}

/// The steps of an operation of the dialect `own` that is written in this format.
#[track_caller]
fn check_format(format: &str, parts: &str, good: &[&str], bad: &[&str]) {
    let own = format!(
        "dialect = \"own\"\n[[operations]]\nops = [\"op\"]\n{parts}\nformat = \"{format}\"\n"
    );
    let shapes =
        Shapes::builtin().with(&file::read(&own).expect("a good file")).expect("a good row");
    assert!(shapes.is_by_definition("own.op"), "{format} is no shape");
    for text in good {
        let steps = parse_with(&format!("own.op {text}\n"), &shapes);
        assert_eq!(count(&steps, &[MLIR_OPAQUE_OP]) + count(&steps, ERRORS), 0, "{format}: {text}");
    }
    for text in bad {
        let steps = parse_with(&format!("own.op {text}\n"), &shapes);
        assert_ne!(count(&steps, &[MLIR_OPAQUE_OP]) + count(&steps, ERRORS), 0, "{format}: {text}");
    }
}

#[test]
fn assembly_formats_are_read() {
    let binary = "operands = [\"lhs\", \"rhs\"]\nresults = [\"result\"]\nattributes = []";
    check_format(
        "$lhs `,` $rhs attr-dict `:` type($result)",
        binary,
        &["%a, %b : i32", "%a, %b {x = 1} : !t<4>", "%a, %b : <4x2>"],
        &["%a : i32", "%a, 4 : i32"],
    );
    let load = "operands = [\"memref\", \"indices*\"]\nresults = [\"result\"]\nattributes = [\"volatile!\", \"cache?\"]";
    check_format(
        "$memref `[` $indices `]` (`volatile` $volatile^)? (`cache` `(` $cache^ `)`)? attr-dict `:` type($memref)",
        load,
        &[
            "%m[] : memref<f32>",
            "%m[%a, %b] volatile : memref<f32>",
            "%m[%a] cache(wb) {a} : memref<?xf32>",
        ],
        &["%m : memref<f32>", "%m[%a] cache wb : memref<f32>"],
    );
}

#[test]
fn texts_of_code_with_an_optional_list_between_them_are_one() {
    check_format(
        "custom<Entries>($entries) (`[` $load^ `]`)? `` custom<Operands>($a, $b) attr-dict `:` type($a)",
        "",
        &["@a::@b[%x, %y](%v[%c to %d]) : i32", "@a(%v) {k} : i32"],
        &["@a(%v) i32", "@a(%v : i32"],
    );
}

#[test]
fn results_have_the_types_that_a_format_states_for_them() {
    let states = |format: &str, parts: &str| {
        let own = format!(
            "dialect = \"own\"\n[[operations]]\nops = [\"op\"]\n{parts}\nformat = \"{format}\"\n"
        );
        let own = file::read(&own).expect("a good file");
        Shapes::builtin().with(&own).expect("a good row").states_results("own.op")
    };
    assert!(states("$a attr-dict `:` type($result)", ""));
    assert!(states("$a attr-dict `:` functional-type($a, $result)", ""));
    assert!(states("$a attr-dict `:` type($b)", "operands = [\"a\"]\nresults = [\"b\"]"));
    assert!(!states("$a attr-dict `:` type($a)", ""));
    assert!(!states("$a `,` $b attr-dict `:` type($result) `,` type($b)", ""));
    assert!(!states("$a attr-dict", ""));
}

#[test]
fn parts_of_unknown_kind_are_told_by_the_text() {
    check_format(
        "$predicate `,` $lhs `,` $rhs attr-dict `:` type($lhs)",
        "",
        &["eq, %a, %b : i32", "#own.p<x>, %a, %b : i32", "5, %a, %b {k = 1 : i8} : i32"],
        &["eq, %a, %b i32"],
    );
    check_format(
        "(`if` `(` $cond^ `)`)? $inputs (`to` $init^)? attr-dict-with-keyword `:` functional-type($inputs, results)",
        "",
        &["%a, %b : (i32, i32) -> i32", "if(%c) %a to 4 attributes {x} : (i32) -> ()"],
        &["if %c %a : (i32) -> ()"],
    );
    check_format(
        "$sym_name attr-dict-with-keyword $body",
        "",
        &["@a { \"x.y\"() : () -> () }"],
        &["{ }"],
    );
    check_format(
        "oilist(`ins` `(` $ins `:` type($ins) `)` | `outs` `(` $outs `:` type($outs) `)` | `async` $async) attr-dict",
        "",
        &["outs(%a : i32) async ins(%b, %c : i32, f32)", "ins(%b : i32) {a = 1}"],
        &["ins(%b i32)"],
    );
}

#[test]
fn text_that_code_prints_is_read_up_to_the_next_literal() {
    check_format(
        "$source custom<DynamicIndexList>($offsets, $static_offsets) `into` $dest attr-dict `:` type($dest)",
        "operands = [\"source\", \"offsets*\", \"dest\"]\nresults = []\nattributes = [\"static_offsets\"]\nregions = []",
        &["%a [%b, 4, into] into %c : i32", "%a into %c : i32"],
        &["%a [%b, 4] %c : i32"],
    );
    // Regions that code prints are not guessed.
    let own = "dialect = \"own\"\n[[operations]]\nops = [\"op\"]\nregions = [\"body\"]\nformat = \"custom<A>($body)\"\n";
    let shapes =
        Shapes::builtin().with(&file::read(own).expect("a good file")).expect("a good row");
    assert_eq!(shapes.shape_of("own.op"), None);
}

#[test]
fn format_that_has_the_operands_in_another_order_is_not_followed_beside_effects_of_operands() {
    let shape_of = |row: &str| {
        let own = format!("dialect = \"own\"\n[[operations]]\nops = [\"op\"]\n{row}\n");
        let own = file::read(&own).expect("a good file");
        let shapes = Shapes::builtin().with(&own).expect("a good row");
        shapes.shape_of("own.op").is_some()
    };
    let operands = "operands = [\"a\", \"b*\"]";
    assert!(shape_of(&format!("{operands}\nformat = \"$a `,` $b `:` type($b) `,` type($a)\"")));
    let other = "format = \"$b `into` $a `:` type($a)\"";
    assert!(shape_of(&format!("{operands}\n{other}")));
    assert!(!shape_of(&format!(
        "{operands}\n{other}\neffect = \"write\"\nmemory = \"argument\"\nwrites = [1]"
    )));
    // Without the names of the operands a row can say so.
    assert!(shape_of("format = \"$b `into` $a `:` type($a)\""));
    assert!(!shape_of("reordered = true\nformat = \"$b `into` $a `:` type($a)\""));
}

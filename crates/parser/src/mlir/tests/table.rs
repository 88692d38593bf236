//! The table of pretty forms.

use super::*;

#[test]
fn the_table_of_the_product_can_be_read() {
    let shapes = Shapes::builtin();
    assert_eq!(shapes.shape_of("arith.addi"), Some("binary"));
    assert_eq!(shapes.shape_of("linalg.matmul"), Some("linalg"));
    assert_eq!(shapes.shape_of("linalg.yield"), Some("yield"));
    assert_eq!(shapes.shape_of("llvm.intr.exp"), Some("intrinsic"));
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
}

#[test]
fn rows_of_a_user_go_on_top() {
    let text = "%0 = own.add %a, %b : i32\nown.fn @f(%x: i32) {\n}\n";
    let unknown = parse(text);
    assert_eq!(count(&unknown, &[MLIR_OPAQUE_OP]), 2);
    let shapes = Shapes::builtin()
        .extended("[operations]\nbinary own: add\nfunc own: fn\n[flags]\nfunction = own.fn\n")
        .expect("good rows");
    let known = parse_with(text, &shapes);
    assert_eq!(count(&known, &[MLIR_OPAQUE_OP]), 0);
    assert_eq!(count(&known, ERRORS), 0);
    assert!(shapes.is_function("own.fn"));
}

#[test]
fn a_bad_row_is_named() {
    let error = |text: &str| Shapes::builtin().extended(text).expect_err("a bad row").to_string();
    assert_eq!(
        error("[operations]\nno-such own: add\n"),
        "an unknown shape in the line `no-such own: add` of a table of shapes"
    );
    assert!(error("[shapes]\na = V (\n").starts_with("a `(` without its `)`"));
    assert!(error("[shapes]\na = V )\n").starts_with("a `)` too many"));
    assert!(error("[shapes]\na = Q\n").starts_with("an unknown element Q"));
    assert!(error("[flags]\nodd = a.b\n").starts_with("an unknown flag"));
    assert!(error("x\n").starts_with("text before the first section"));
}

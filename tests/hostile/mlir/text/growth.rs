//! What nests and what is long costs no more than it is long: each attack ends in seconds, where what is quadratic takes hours in the long form.

use std::time::{Duration, Instant};

use super::run;

/// What a slow machine under load needs for the long form of what is linear, many times over.
const MOST: Duration = Duration::from_secs(240);

fn size() -> usize {
    if std::env::var_os("TIR_HOSTILE_LONG").is_some() { 100_000 } else { 20_000 }
}

fn in_function(body: &str) -> String {
    format!("func.func @f(%a: i32, %c: i1) {{\n{body}\n  return\n}}\n")
}

fn nested(open: &str, inner: &str, close: &str) -> String {
    let n = size();
    format!("{}{inner}{}", open.repeat(n), close.repeat(n))
}

fn attribute(value: &str) -> String {
    in_function(&format!("  \"t.x\"() {{a = {value}}} : () -> ()"))
}

fn each(line: impl Fn(usize) -> String) -> String {
    (0..size()).map(line).collect()
}

fn list(item: impl Fn(usize) -> String) -> String {
    let items: Vec<String> = (0..size()).map(item).collect();
    items.join(", ")
}

#[track_caller]
fn check(name: &str, text: &str) {
    for command in ["check", "opt"] {
        let start = Instant::now();
        let (output, _) = run(&[command], name, text);
        let took = start.elapsed();
        let code = output.status.code();
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        let head: String = text.chars().take(60).collect();
        assert!(matches!(code, Some(0..=2)), "{command} {head:?}: {code:?} {said}");
        assert!(!said.contains("internal error"), "{command} {head:?}: {said}");
        assert!(took < MOST, "{command} {head:?} takes {took:?}");
    }
}

#[test]
fn nested_attributes_and_types() {
    for value in [
        nested("{a = ", "1", "}"),
        nested("[", "1", "]"),
        nested("#t<b ", "1", ">"),
        nested("1 : tensor<2xf32, ", "1", ">"),
        nested("affine_map<", "", ">"),
        format!("affine_map<(d0) -> ({})>", nested("(", "d0", ")")),
        format!("affine_map<(d0) -> ({}d0)>", "d0 + ".repeat(size())),
        format!("affine_map<({0}) -> ({0})>", list(|it| format!("d{it}"))),
        format!("#t<{}>", nested("<", "", ")")),
        format!("@a{}", "::@b".repeat(size())),
        format!("\"{}\"", "x".repeat(100 * size())),
    ] {
        check("input.mlir", &attribute(&value));
    }
    for ty in [nested("!t<b ", "i1", ">"), nested("memref<1x", "i1", ">")] {
        check("input.mlir", &in_function(&format!("  %0 = \"t.x\"() : () -> {ty}")));
    }
}

#[test]
fn what_is_never_closed() {
    let n = size();
    for text in ["(", "{", "[", "<", "\"", "/", "%a, ", "// ----- %x ", "// ----- \"x "] {
        check("input.mlir", &text.repeat(n));
    }
    for text in [")", "]", ">", "#", "\"\n", "// -----", "{a = "] {
        check("input.mlir", &text.repeat(n));
        check("input.mlir", &in_function(&text.repeat(n)));
    }
}

#[test]
fn nested_regions() {
    check("input.mlir", &in_function(&nested("\"t.x\"() ({\n", "", "}) : () -> ()\n")));
    check("input.mlir", &in_function(&nested("scf.if %c {\n", "", "}\n")));
    check("input.mlir", &nested("module {\n", "", "}\n"));
    let open = "() = \"pd_op.if\" (%0) {} : (b) -> \n{\n";
    check("input.pir", &format!("{{\n{}}}\n", nested(open, "", "}\n")));
}

#[test]
fn many_of_a_kind() {
    let values = list(|_| "%a".to_owned());
    let waiting = list(|_| "%y".to_owned());
    let types = list(|_| "i32".to_owned());
    let arguments = list(|it| format!("%x{it}: i32"));
    for body in [
        format!("  %0:{} = \"t.x\"() : () -> ()", size()),
        format!("  \"t.x\"({values}) : ({types}) -> ()"),
        format!("  cf.br ^b({values} : {types})\n^b({arguments}):"),
        // All of them wait for their definition.
        format!("  cf.br ^b({waiting} : {types})\n^b:\n  %y = \"t.x\"() : () -> i32"),
        each(|it| format!("  cf.br ^b{it}\n^b{it}:\n")),
        each(|it| format!("  cf.cond_br %c, ^b{it}, ^b0\n^b{it}:\n")),
        each(|_| "  cf.br ^b\n^b:\n".to_owned()),
        each(|_| "  %x = \"t.x\"() : () -> i32\n".to_owned()),
        each(|it| format!("  \"t.x\"(%u{it}) : (i32) -> ()\n")),
        each(|it| format!("  %{it} = arith.addi %a, %a : i32\n")),
    ] {
        check("input.mlir", &in_function(&body));
    }
    let last = size();
    for aliases in [
        each(|it| format!("#a{} = [#a{it}, #a{it}]\n", it + 1)),
        each(|it| format!("#a{} = [#a{}]\n", it + 1, (it + 2) % last)),
    ] {
        check("input.mlir", &format!("{aliases}{}", attribute(&format!("#a{last}"))));
    }
}

#[test]
fn what_is_too_deep_is_said_with_the_number_of_levels() {
    let text = in_function(&nested("\"t.x\"() ({\n", "", "}) : () -> ()\n"));
    let (output, _) = run(&["check"], "input.mlir", &text);
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(said.contains("nested more than 12000 levels deep"), "{said}");
}

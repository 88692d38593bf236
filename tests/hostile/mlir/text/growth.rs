//! Deep and long texts cost time linear in their length: the steps of reading and planning are counted for a text and
//! for one four times as long, and the tool itself, run on the long one, ends. The memory is measured in `memory.rs`.

use frontend::{mlir, pir};
use ir::{Body, effects::EffectTable, interrupt::counted};
use tests::{binary, peak};
use transform::ops::{OpOptions, plan};

use super::run;

/// The parts of the shorter text whose steps are counted.
const COUNTED: usize = 1_000;

fn size() -> usize {
    if std::env::var_os("TIR_HOSTILE_LONG").is_some() { 100_000 } else { 20_000 }
}

fn in_function(body: &str) -> String {
    format!("func.func @f(%a: i32, %c: i1) {{\n{body}\n  return\n}}\n")
}

fn nested(n: usize, open: &str, inner: &str, close: &str) -> String {
    format!("{}{inner}{}", open.repeat(n), close.repeat(n))
}

fn attribute(value: &str) -> String {
    in_function(&format!("  \"t.x\"() {{a = {value}}} : () -> ()"))
}

fn each(n: usize, line: impl Fn(usize) -> String) -> String {
    (0..n).map(line).collect()
}

fn list(n: usize, item: impl Fn(usize) -> String) -> String {
    let items: Vec<String> = (0..n).map(item).collect();
    items.join(", ")
}

/// Steps of reading a text and of planning for it.
fn steps(name: &str, text: &str) -> u64 {
    let options = OpOptions::default();
    let plan = |body: &Body| {
        plan(body, EffectTable::builtin(), &options);
    };
    let read = || match name.ends_with(".pir") {
        true => pir::programs(text).iter().for_each(|it| plan(&it.lowered.body)),
        false => {
            let shapes = mlir::Shapes::builtin();
            mlir::lower_file(text, shapes, &mut |unit| plan(&unit.lowered.body));
        }
    };
    counted(read).1
}

#[track_caller]
fn check(name: &str, make: impl Fn(usize) -> String) {
    let (small, large) = (make(COUNTED), make(4 * COUNTED));
    let head: String = small.chars().take(60).collect();
    let (of_small, of_large) = (steps(name, &small), steps(name, &large));
    assert!(of_large <= 5 * of_small + 1_000, "{head:?}: {of_small}, then {of_large}");
    let text = make(size());
    for command in ["check", "opt"] {
        let folder = tempfile::tempdir().expect("a folder for the input");
        std::fs::write(folder.path().join(name), &text).expect("the input is written");
        let mut tool = binary::command();
        tool.args([command, name]).current_dir(folder.path());
        let output = peak::run(tool).output;
        let code = output.status.code();
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(matches!(code, Some(0..=2)), "{command} {head:?}: {code:?} {said}");
        assert!(!said.contains("internal error"), "{command} {head:?}: {said}");
    }
}

/// A way to write a text of so many parts.
type Make = fn(usize) -> String;

#[test]
fn nested_attributes_and_types() {
    let values: [Make; 11] = [
        |n| nested(n, "{a = ", "1", "}"),
        |n| nested(n, "[", "1", "]"),
        |n| nested(n, "#t<b ", "1", ">"),
        |n| nested(n, "1 : tensor<2xf32, ", "1", ">"),
        |n| nested(n, "affine_map<", "", ">"),
        |n| format!("affine_map<(d0) -> ({})>", nested(n, "(", "d0", ")")),
        |n| format!("affine_map<(d0) -> ({}d0)>", "d0 + ".repeat(n)),
        |n| format!("affine_map<({0}) -> ({0})>", list(n, |it| format!("d{it}"))),
        |n| format!("#t<{}>", nested(n, "<", "", ")")),
        |n| format!("@a{}", "::@b".repeat(n)),
        |n| format!("\"{}\"", "x".repeat(100 * n)),
    ];
    for value in values {
        check("input.mlir", |n| attribute(&value(n)));
    }
    let types: [Make; 2] =
        [|n| nested(n, "!t<b ", "i1", ">"), |n| nested(n, "memref<1x", "i1", ">")];
    for ty in types {
        check("input.mlir", |n| in_function(&format!("  %0 = \"t.x\"() : () -> {}", ty(n))));
    }
}

#[test]
fn unclosed_brackets_cost_linear_time() {
    for text in ["(", "{", "[", "<", "\"", "/", "%a, ", "// ----- %x ", "// ----- \"x "] {
        check("input.mlir", |n| text.repeat(n));
    }
    for text in [")", "]", ">", "}", "^a", "#", "\"\n", "// -----", "{a = "] {
        check("input.mlir", |n| text.repeat(n));
        check("input.mlir", |n| in_function(&text.repeat(n)));
    }
    for text in ["{", "{\n", "}\n", "(", "x\n"] {
        check("input.pir", |n| text.repeat(n));
    }
}

#[test]
fn nested_regions() {
    check("input.mlir", |n| in_function(&nested(n, "\"t.x\"() ({\n", "", "}) : () -> ()\n")));
    check("input.mlir", |n| in_function(&nested(n, "scf.if %c {\n", "", "}\n")));
    check("input.mlir", |n| nested(n, "module {\n", "", "}\n"));
    let open = "() = \"pd_op.if\" (%0) {} : (b) -> \n{\n";
    check("input.pir", |n| format!("{{\n{}}}\n", nested(n, open, "", "}\n")));
}

#[test]
fn many_of_a_kind() {
    let bodies: [Make; 10] = [
        |n| format!("  %0:{n} = \"t.x\"() : () -> ()"),
        |n| {
            let (values, types) = (list(n, |_| "%a".to_owned()), list(n, |_| "i32".to_owned()));
            format!("  \"t.x\"({values}) : ({types}) -> ()")
        },
        |n| {
            let (values, types) = (list(n, |_| "%a".to_owned()), list(n, |_| "i32".to_owned()));
            let arguments = list(n, |it| format!("%x{it}: i32"));
            format!("  cf.br ^b({values} : {types})\n^b({arguments}):")
        },
        // All of them wait for their definition.
        |n| {
            let (values, types) = (list(n, |_| "%y".to_owned()), list(n, |_| "i32".to_owned()));
            format!("  cf.br ^b({values} : {types})\n^b:\n  %y = \"t.x\"() : () -> i32")
        },
        |n| each(n, |it| format!("  cf.br ^b{it}\n^b{it}:\n")),
        |n| each(n, |it| format!("  cf.cond_br %c, ^b{it}, ^b0\n^b{it}:\n")),
        |n| each(n, |_| "  cf.br ^b\n^b:\n".to_owned()),
        |n| each(n, |_| "  %x = \"t.x\"() : () -> i32\n".to_owned()),
        |n| each(n, |it| format!("  \"t.x\"(%u{it}) : (i32) -> ()\n")),
        |n| each(n, |it| format!("  %{it} = arith.addi %a, %a : i32\n")),
    ];
    for body in bodies {
        check("input.mlir", |n| in_function(&body(n)));
    }
    check("input.mlir", |n| {
        let aliases = each(n, |it| format!("#a{} = [#a{it}, #a{it}]\n", it + 1));
        format!("{aliases}{}", attribute(&format!("#a{n}")))
    });
    check("input.mlir", |n| {
        let aliases = each(n, |it| format!("#a{} = [#a{}]\n", it + 1, (it + 2) % n));
        format!("{aliases}{}", attribute(&format!("#a{n}")))
    });
}

#[test]
fn excessive_nesting_is_reported_with_the_number_of_levels() {
    let text = in_function(&nested(size(), "\"t.x\"() ({\n", "", "}) : () -> ()\n"));
    let (output, _) = run(&["check"], "input.mlir", &text);
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(said.contains("nested more than 12000 levels deep"), "{said}");
}
